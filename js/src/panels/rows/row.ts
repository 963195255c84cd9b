/** One row in depth: how to select it, and its card. */

import type { Pins } from "../../state/pins.ts";
import { explanation } from "../../text/glossary.ts";
import { count } from "../../text/numbers.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { focusedBeside } from "../../ui/focus.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { Extreme } from "../../wire/protocol.ts";
import { rowCard } from "./card.ts";

export function rowPanel(view: View, pins: Pins): HTMLElement {
  const panel = html("section", { class: "ice-row", "aria-label": "Selected row", "data-test": "row" });
  panel.append(new RowPicker(view, pins).node, rowCard(view, pins));
  return panel;
}

/** "Row: highest / lowest / number …". */
class RowPicker {
  readonly node: HTMLElement;
  readonly #problem = html("p", { class: "ice-problem ice-row-problem", role: "alert", hidden: true });
  readonly #input = html("input", {
    type: "number",
    class: "ice-number ice-row-number",
    min: 0,
    step: 1,
    placeholder: "number",
    "aria-label": "Number of the row",
    "data-test": "row-number",
  });
  readonly #show = pushButton({ class: "ice-link", "data-test": "row-show" });

  constructor(
    private readonly view: View,
    private readonly pins: Pins,
  ) {
    const label = explained(html("span", { class: "ice-row-label" }, "Row"), explanation("selected_row"));
    const ends = html("span", { class: "ice-segments", role: "group", "aria-label": "Row by its prediction" });
    ends.append(this.#extreme("highest"), this.#extreme("lowest"));
    this.node = html("div", { class: "ice-row-picker" }, label, ends, this.#input, this.#show, this.#problem);
    const choose = (): void => this.#chooseNumber();
    listen(this.#input, view.aborted, {
      change: choose,
      // JupyterLab prevents the line break of Enter, and with it the event "change".
      keydown: ({ key }) => key === "Enter" && choose(),
    });
    listen(this.#show, view.aborted, {
      click: () => {
        const row = view.store.whatIfRow.peek();
        if (row !== null) pins.open(row);
      },
    });
    this.#keep();
  }

  #report(sentence: string | null): void {
    this.#problem.hidden = sentence === null;
    setText(this.#problem, sentence ?? "");
  }

  #choose(row: number): void {
    this.#report(null);
    this.view.store.selectOnly(row);
    this.pins.open(row);
  }

  /** A button that selects the row with the highest or the lowest prediction. */
  #extreme(end: Extreme): HTMLElement {
    const { store, aborted } = this.view;
    const attributes = { type: "button", class: "ice-segment", "data-test": `row-${end}` };
    const button = hinted(html("button", attributes, end), `Select the row with the ${end} prediction.`);
    listen(button, aborted, {
      click: async () => {
        try {
          this.#choose(await store.extremeRow(end));
        } catch (error) {
          if (!(error instanceof Cancelled)) this.#report(sentenceOf(error));
        }
      },
    });
    return button;
  }

  #chooseNumber(): void {
    if (this.#input.value === "") return;
    const last = (this.view.store.figures.peek()?.header.n_observations ?? 0) - 1;
    const row = this.#input.valueAsNumber;
    if (Number.isInteger(row) && row >= 0 && row <= last) this.#choose(row);
    else this.#report(`Enter a row number from 0 to ${count(last)}.`);
  }

  #keep(): void {
    const { store, keep } = this.view;
    keep(
      () => [store.whatIfRow.value, (store.figures.value?.header.n_observations ?? 1) - 1] as const,
      ([row, last]) => {
        update(this.#input, { max: last });
        if (focusedBeside(this.#input) !== this.#input) this.#input.value = row === null ? "" : String(row);
      },
    );
    keep(
      () => [store.whatIfRow.value, this.pins.opened.value] as const,
      ([row, opened]) => {
        this.#show.hidden = row === null || opened !== null;
        setText(this.#show, `Show row ${row}`);
      },
    );
  }
}
