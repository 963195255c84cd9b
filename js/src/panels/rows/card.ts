/** The card of a row: its outcomes, and which change of one feature moves its prediction most. */

import { rowTitle } from "../../plot/row_title.ts";
import type { Pins } from "../../state/pins.ts";
import { loadedOf } from "../../state/store.ts";
import { count, unlikeText } from "../../text/numbers.ts";
import { html, setText } from "../../ui/element.ts";
import { hinted } from "../../ui/explained.ts";
import { focusedBeside } from "../../ui/focus.ts";
import { icon } from "../../ui/icons.ts";
import { listen, react } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { RowsBody } from "../../wire/protocol.ts";
import { LastRequest } from "./last_request.ts";
import { itemsOf, leadOf, outcomesOf } from "./row_values.ts";

export function rowCard(view: View, pins: Pins): HTMLElement {
  return new RowCard(view, pins).node;
}

/** The values of a row as the kernel sent them, or why there are none. */
type Read = { row: number; body: RowsBody } | { row: number; problem: string };

class RowCard {
  readonly #title = html("h4", { class: "ice-row-card-title", "data-test": "row-card-title" });
  readonly #place = html("span", { class: "ice-row-card-place", "data-test": "row-card-place" });
  readonly #before = cardButton("before", "Previous pinned row");
  readonly #after = cardButton("after", "Next pinned row");
  readonly #turning = html("span", { class: "ice-row-card-turning" }, this.#before, this.#place, this.#after);
  readonly #close = cardButton("close", "Close (Escape)");
  readonly #outcomes = html("div", { class: "ice-row-card-facts", "data-test": "row-card-outcomes" });
  readonly #lead = html("p", { class: "ice-row-card-lead", role: "status", "data-test": "row-card-lead" });
  readonly #unlike = html("p", { class: "ice-row-card-lead", "data-test": "row-card-unlike" });
  readonly #values = html("div", {
    class: "ice-row-card-values",
    role: "group",
    "aria-label": "Features and values of the row",
    "data-test": "row-card-values",
  });
  readonly node = html(
    "aside",
    { class: "ice-row-card", "data-test": "row-card" },
    html("header", { class: "ice-row-card-head" }, this.#title, this.#turning, this.#close),
    this.#outcomes,
    this.#lead,
    this.#unlike,
    this.#values,
  );
  /** The last answer of the kernel. */
  #read: Read | null = null;

  constructor(
    private readonly view: View,
    private readonly pins: Pins,
  ) {
    this.#listen();
    this.#load();
    this.#keep();
  }

  #listen(): void {
    const { pins } = this;
    const { store, aborted } = this.view;
    listen(this.#before, aborted, { click: () => pins.turn(-1) });
    listen(this.#after, aborted, { click: () => pins.turn(1) });
    listen(this.#close, aborted, { click: () => pins.close() });
    listen(this.node, aborted, {
      keydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        pins.close();
      },
    });
    listen(this.#values, aborted, {
      click: (event) => {
        const item = (event.target as Element).closest<HTMLElement>("[data-feature]");
        if (item === null) return;
        const { feature = "", place } = item.dataset;
        store.crosshair.value = place === undefined ? null : { feature, value: Number(place), stays: true };
        store.open(feature);
        store.remembered.choose("right", "feature");
      },
    });
  }

  /** Requests the values of the row when it is opened, and again when the explanation changes. */
  #load(): void {
    const { store, aborted } = this.view;
    const last = new LastRequest(aborted);
    react(aborted, () => {
      store.explained.value;
      store.status.value.state; // what failed while nothing was computed may be there now
      const row = this.pins.opened.value;
      last.drop();
      if (row === null) return;
      const show = (read: Read): void => {
        this.#read = read;
        this.#drawValues(row);
      };
      const fail = (error: unknown): void => {
        if (!(error instanceof Cancelled)) show({ row, problem: sentenceOf(error) });
      };
      void last.make(store.rows([row]), (body) => show({ row, body }), fail);
    });
  }

  #keep(): void {
    const { store, keep } = this.view;
    const { opened } = this.pins;
    keep(
      () => [opened.value, this.pins.rows.value, loadedOf(store.picture.value)] as const,
      ([row, rows, loaded]) => {
        this.node.hidden = row === null;
        if (row === null) return;
        const line = loaded?.curves.positions.indexOf(row) ?? -1;
        setText(this.#title, line === -1 ? `Row ${row}` : rowTitle(loaded!.curves, line));
        this.#title.title = this.#title.textContent ?? "";
        this.#turning.hidden = rows.length < 2;
        setText(this.#place, `${count(rows.indexOf(row) + 1)} of ${count(rows.length)}`);
      },
    );
    keep(
      () => {
        const [row, feature] = [opened.value, loadedOf(store.picture.value)?.curves.feature ?? ""];
        return row === null ? "" : unlikeText(store.unlikeShareOf(row), `its phantom observations of ${feature}`);
      },
      (text) => {
        this.#unlike.hidden = text === "";
        setText(this.#unlike, text);
      },
    );
    keep(
      () => [opened.value, store.whatIf.value, store.decay.value, store.feature.value] as const,
      ([row, whatIf]) => {
        this.#lead.hidden = whatIf === null || whatIf.row !== row;
        if (whatIf !== null && !this.#lead.hidden) this.#lead.replaceChildren(...leadOf(this.view, whatIf));
        if (row !== null) this.#drawValues(row);
      },
    );
  }

  #drawValues(row: number): void {
    const read = this.#read;
    if (this.pins.opened.peek() !== row || read?.row !== row) return;
    if ("problem" in read) {
      this.#outcomes.replaceChildren();
      this.#values.replaceChildren(html("p", { class: "ice-problem", role: "alert" }, read.problem));
      return;
    }
    this.#outcomes.replaceChildren(...outcomesOf(read.body));
    const whatIf = this.view.store.whatIf.peek();
    const focused = focusedBeside(this.view.root)?.closest<HTMLElement>("[data-feature]");
    this.#values.replaceChildren(...itemsOf(this.view, read.body, whatIf?.row === row ? whatIf : null));
    // A list that is sorted anew keeps the focus where it was.
    if (focused != null && !focused.isConnected) {
      this.#values.querySelector<HTMLElement>(`[data-feature="${CSS.escape(focused.dataset.feature!)}"]`)?.focus();
    }
  }
}

function cardButton(name: "before" | "after" | "close", label: string): HTMLButtonElement {
  const attributes = { class: "ice-row-card-button", "aria-label": label, "data-test": `row-card-${name}` };
  return hinted(pushButton({ ...attributes }, icon(name)), label);
}
