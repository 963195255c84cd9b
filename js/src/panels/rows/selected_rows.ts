/** The selected rows: how many, their expression in Python, what they have in common, and a sortable table. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { copyText } from "../../files/clipboard.ts";
import { explanation } from "../../text/glossary.ts";
import { alignedTexts, count, percent, plural } from "../../text/numbers.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { listen, react, Timer } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { InCommonBody, RowsBody } from "../../wire/protocol.ts";
import { LastRequest } from "./last_request.ts";

/** Rows of the table; `x.selected` has all of them in Python. */
const MOST_ROWS = 20;
/** What fewer rows have in common may be chance. */
const FEWEST_IN_COMMON = 5;
/** Delay after a selection before its details are requested. */
const PATIENCE_MS = 150;
const IN_PYTHON = "x.selected";
const COPIED_MS = 1500;

interface Order {
  column: number;
  descending: boolean;
}

export function selectedPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const howMany = html("b", { "data-test": "selected-count-text" });
  const clear = pushButton({ class: "ice-button", "data-test": "clear-selection" }, "Clear");
  listen(clear, aborted, { click: () => store.clearSelection() });
  const head = html("div", { class: "ice-selection-head" }, html("span", {}, howMany, ...inPython(view)), clear);
  const panel = html("div", { class: "ice-selection" }, head, commonChips(view), new SelectedTable(view).node);
  view.keep(
    () => store.selection.value.length,
    (n) => {
      panel.hidden = n === 0;
      const end = store.client.hasKernel ? ": " : " selected";
      setText(howMany, `${plural(n, "row")}${end}`);
    },
  );
  return panel;
}

/** The expression of the selection, and a button that copies it. */
function inPython({ store, aborted }: View): HTMLElement[] {
  if (!store.client.hasKernel) return [];
  const code = explained(html("code", { "data-test": "selected-code" }, IN_PYTHON), explanation("selected_rows"));
  const copy = pushButton(
    { class: "ice-button ice-copy", "aria-live": "polite", "data-test": "copy-selected" },
    "Copy",
  );
  const timer = new Timer(aborted);
  listen(copy, aborted, {
    click: async () => {
      setText(copy, (await copyText(IN_PYTHON)) ? "Copied" : "Not allowed here");
      timer.start(COPIED_MS, () => setText(copy, "Copy"));
    },
  });
  return [code, copy];
}

/** What the rows have in common, as chips: a click colours by the feature. */
function commonChips(view: View): HTMLElement {
  const { store, aborted } = view;
  const lead = explained(html("span", { class: "ice-common-lead" }, "In common"), explanation("in_common"));
  const chips = html("span", { class: "ice-chips" });
  const line = html("div", { class: "ice-common", role: "group", "data-test": "in-common" }, lead, chips);
  update(line, { "aria-label": "What the selected rows have in common" });
  const common = commonOf(view);
  listen(chips, aborted, {
    click: (event) => {
      const chip = (event.target as Element).closest<HTMLElement>("[data-column]");
      if (chip === null) return;
      const { column = "" } = chip.dataset;
      store.colorAs(column === store.colorBy.peek() ? null : column, "value");
    },
  });
  view.keep(
    () => common.value,
    (items) => {
      line.hidden = items.length === 0;
      chips.replaceChildren(...items.map(chipOf));
    },
  );
  view.keep(
    () => [store.colorBy.value, common.value] as const,
    ([by]) => {
      for (const chip of chips.querySelectorAll<HTMLElement>("[data-column]")) {
        update(chip, { "aria-pressed": String(chip.dataset.column === by) });
      }
    },
  );
  return line;
}

/** Requests what the selected rows have in common some time after they were selected. */
function commonOf({ store, aborted }: View): ReadonlySignal<InCommonBody["items"]> {
  const common = signal<InCommonBody["items"]>([]);
  const last = new LastRequest(aborted);
  const clear = (): void => {
    common.value = []; // the table or the curves show the reason of an error
  };
  const request = (rows: readonly number[]): void => {
    void last.make(store.inCommon(rows), ({ items }) => (common.value = items), clear);
  };
  const timer = new Timer(aborted);
  react(aborted, () => {
    const rows = store.selection.value;
    timer.stop();
    last.drop();
    const isRequested = store.client.hasKernel && !store.brushing.value && rows.length >= FEWEST_IN_COMMON;
    if (isRequested) timer.start(PATIENCE_MS, () => request(rows));
    else clear();
  });
  return common;
}

function chipOf({ column, text, inside, outside }: InCommonBody["items"][number]): HTMLElement {
  const chip = pushButton(
    { class: "ice-chip", "aria-pressed": "false", "data-test": "common", "data-column": column },
    html("span", { class: "ice-chip-rule" }, text),
    " ",
    html("span", { class: "ice-chip-share" }, `${percent(inside)} vs ${percent(outside)}`),
  );
  chip.style.setProperty("--share", String(inside));
  return explained(chip, {
    name: text,
    text: `${percent(inside)} of the selected rows, ${percent(outside)} of the other rows. Click to colour the curves by ${column}.`,
  });
}

class SelectedTable {
  readonly #summary = html("summary", { "data-test": "selected-summary" });
  readonly #content = html("div", {
    class: "ice-rows",
    tabindex: 0,
    role: "region",
    "aria-label": "Selected rows",
  });
  readonly node = html(
    "details",
    { class: "ice-selected-rows", "data-test": "selected-rows" },
    this.#summary,
    this.#content,
  );
  readonly #order = signal<Order | null>(null);
  readonly #last: LastRequest;

  constructor(private readonly view: View) {
    const { store, aborted, keep } = view;
    this.#last = new LastRequest(aborted);
    this.#listen();
    react(aborted, () => {
      store.selection.value;
      store.feature.value;
      store.explained.value;
      this.#order.value;
      this.#refresh();
    });
    keep(
      () => store.selection.value.length,
      (n) => {
        const rows = plural(n, "selected row");
        setText(this.#summary, n > MOST_ROWS ? `Table: ${count(MOST_ROWS)} of ${rows}` : `Table of ${rows}`);
      },
    );
  }

  #listen(): void {
    const { store, aborted } = this.view;
    listen(this.node, aborted, { toggle: () => this.#refresh() });
    listen(this.#content, aborted, {
      click: (event) => {
        const sort = (event.target as Element).closest<HTMLElement>("[data-sort]")?.dataset.sort;
        if (sort !== undefined) this.#order.value = nextOrder(this.#order.peek(), Number(sort));
      },
      pointerover: (event) => {
        const row = (event.target as Element).closest<HTMLElement>("[data-row]")?.dataset.row;
        store.pointed.value = row === undefined ? null : Number(row);
      },
      pointerleave: () => {
        store.pointed.value = null;
      },
    });
  }

  #refresh(): void {
    const { store } = this.view;
    const positions = store.selection.peek();
    if (!this.node.open || positions.length === 0) return;
    const { column = null, descending = false } = this.#order.peek() ?? {};
    const rows = store.rows(positions, { sort_by: column, descending, most: MOST_ROWS });
    const fail = (error: unknown): void => {
      if (error instanceof Cancelled) return;
      this.#content.replaceChildren(html("p", { class: "ice-problem", role: "alert" }, sentenceOf(error)));
    };
    void this.#last.make(rows, (body) => this.#draw(body), fail);
  }

  #draw(rows: RowsBody): void {
    const focused = this.#content.querySelector(":focus")?.getAttribute("data-sort");
    this.#content.replaceChildren(tableOf(rows, this.view.store.feature.peek(), this.#order.peek()));
    if (focused != null) this.#content.querySelector<HTMLElement>(`[data-sort="${focused}"]`)?.focus();
  }
}

/** A click sorts from the smallest, another from the largest, a third restores the order of the data. */
function nextOrder(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? null : { column, descending: true };
}

/** Prediction and observed target come first, then the open feature. */
function tableOf(
  { columns, n_outcomes, positions, rows }: RowsBody,
  feature: string,
  order: Order | null,
): HTMLElement {
  const opened = columns.indexOf(feature, n_outcomes);
  const rank = (at: number) => (at < n_outcomes ? 0 : at === opened ? 1 : 2);
  const places = [...columns.keys()].sort((a, b) => rank(a) - rank(b) || a - b);
  const columnTexts = columns.map((_, at) => alignedTexts(rows.map((row) => row[at] ?? "")));
  const head = html("tr", {}, html("th", { scope: "col" }, "row"));
  head.append(...places.map((at) => headOf(columns[at] ?? "", at, order)));
  const lines = rows.map((_, line) => {
    const cells = places.map((at) => html("td", {}, columnTexts[at]![line]!));
    const position = positions[line] ?? Number.NaN;
    return html("tr", { "data-row": position }, html("th", { scope: "row" }, String(position)), ...cells);
  });
  return html("table", {}, html("thead", {}, head), html("tbody", {}, ...lines));
}

function headOf(name: string, at: number, order: Order | null): HTMLElement {
  const isSorted = order?.column === at;
  const sorted = isSorted ? (order.descending ? "descending" : "ascending") : null;
  const sign = sorted === null ? "" : { ascending: " ↑", descending: " ↓" }[sorted];
  const button = pushButton({ class: "ice-sort", "data-sort": at, "data-test": `sort-${name}` }, name);
  hinted(button, `Sort by ${name}.`);
  if (sign !== "") button.append(html("span", { "aria-hidden": "true" }, sign));
  return html("th", { scope: "col", "aria-sort": sorted }, button);
}
