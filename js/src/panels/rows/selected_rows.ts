/** The selected rows: how many, how Python has them, what they have in common, and a table that sorts. */

import { effect, signal } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { atEnd, listen } from "../../elements/lifetime.ts";
import { copyText } from "../../files/clipboard.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { InCommonBody, RowsBody } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";
import { alignedTexts, count, percent, plural } from "../../words/numbers.ts";

/** A table of more rows is for Python: `x.selected`. */
const MOST_ROWS = 20;
/** Fewer rows have nothing in common that could not be chance. */
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
  const clear = html("button", { type: "button", class: "ice-button", "data-test": "clear-selection" }, "Clear");
  listen(clear, aborted, { click: () => store.clearSelection() });
  const head = html("div", { class: "ice-selection-head" }, html("span", {}, howMany, ...inPython(view)), clear);
  const panel = html("div", { class: "ice-selection" }, head, commonChips(view), selectedTable(view));
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
  const copy = html(
    "button",
    { type: "button", class: "ice-button ice-copy", "aria-live": "polite", "data-test": "copy-selected" },
    "Copy",
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  listen(copy, aborted, {
    click: async () => {
      setText(copy, (await copyText(IN_PYTHON)) ? "Copied" : "Not allowed here");
      clearTimeout(timer);
      timer = setTimeout(() => setText(copy, "Copy"), COPIED_MS);
    },
  });
  atEnd(aborted, () => clearTimeout(timer));
  return [code, copy];
}

/** What the rows have in common, as chips: a click colours by the feature. */
function commonChips(view: View): HTMLElement {
  const { store, aborted } = view;
  const lead = explained(html("span", { class: "ice-common-lead" }, "In common"), explanation("in_common"));
  const chips = html("span", { class: "ice-chips" });
  const line = html("div", { class: "ice-common", role: "group", "data-test": "in-common" }, lead, chips);
  update(line, { "aria-label": "What the selected rows have in common" });
  const found = signal<InCommonBody["items"]>([]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;
  const ask = async (rows: readonly number[]): Promise<void> => {
    const mine = ++turn;
    try {
      const { items } = await store.inCommon(rows);
      if (mine === turn) found.value = items;
    } catch {
      if (mine === turn) found.value = []; // the table, or the curves, say what is wrong
    }
  };
  const ended = effect(() => {
    const rows = store.selection.value;
    clearTimeout(timer);
    turn++;
    const isAsked = store.client.hasKernel && !store.brushing.value && rows.length >= FEWEST_IN_COMMON;
    if (isAsked) timer = setTimeout(() => void ask(rows), PATIENCE_MS);
    else found.value = [];
  });
  atEnd(aborted, () => {
    turn++;
    clearTimeout(timer);
    ended();
  });
  listen(chips, aborted, {
    click: (event) => {
      const chip = (event.target as Element).closest<HTMLElement>("[data-column]");
      if (chip === null) return;
      const { column = "" } = chip.dataset;
      store.colorAs(column === store.colorBy.peek() ? null : column, "value");
    },
  });
  view.keep(
    () => found.value,
    (items) => {
      line.hidden = items.length === 0;
      chips.replaceChildren(...items.map(chipOf));
    },
  );
  view.keep(
    () => ({ items: found.value, by: store.colorBy.value }),
    ({ by }) => {
      for (const chip of chips.querySelectorAll<HTMLElement>("[data-column]")) {
        update(chip, { "aria-pressed": String(chip.dataset.column === by) });
      }
    },
  );
  return line;
}

function chipOf({ column, text, inside, outside }: InCommonBody["items"][number]): HTMLElement {
  const chip = html(
    "button",
    { type: "button", class: "ice-chip", "aria-pressed": "false", "data-test": "common", "data-column": column },
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

function selectedTable(view: View): HTMLElement {
  const { store, aborted } = view;
  const summary = html("summary", { "data-test": "selected-summary" });
  const content = html("div", { class: "ice-rows", tabindex: 0, role: "region", "aria-label": "Selected rows" });
  const fold = html("details", { class: "ice-selected-rows", "data-test": "selected-rows" }, summary, content);
  const order = signal<Order | null>(null);
  let turn = 0;

  const load = async (positions: readonly number[]): Promise<void> => {
    const mine = ++turn;
    const { column = null, descending = false } = order.peek() ?? {};
    try {
      const rows = await store.rows(positions, { sort_by: column, descending, most: MOST_ROWS });
      if (mine !== turn) return;
      const focused = content.querySelector(":focus")?.getAttribute("data-sort");
      content.replaceChildren(tableOf(rows, store.feature.peek(), order.peek()));
      if (focused != null) content.querySelector<HTMLElement>(`[data-sort="${focused}"]`)?.focus();
    } catch (error) {
      if (mine !== turn || error instanceof Cancelled) return;
      const sentence = sentenceOf(error);
      content.replaceChildren(html("p", { class: "ice-problem", role: "alert" }, sentence));
    }
  };
  const refresh = (): void => {
    const positions = store.selection.peek();
    if (fold.open && positions.length > 0) void load(positions);
  };
  listen(fold, aborted, { toggle: refresh });
  listen(content, aborted, {
    click: (event) => {
      const sort = (event.target as Element).closest<HTMLElement>("[data-sort]")?.dataset.sort;
      if (sort !== undefined) order.value = nextOrder(order.peek(), Number(sort));
    },
  });
  const point = (event: Event): void => {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]")?.dataset.row;
    store.pointed.value = row === undefined ? null : Number(row);
  };
  listen(content, aborted, {
    pointerover: point,
    pointerleave: () => (store.pointed.value = null),
  });
  const ended = effect(() => {
    store.selection.value;
    store.feature.value;
    store.explained.value;
    order.value;
    refresh();
  });
  atEnd(aborted, () => {
    turn++;
    ended();
  });
  view.keep(
    () => store.selection.value.length,
    (n) =>
      setText(
        summary,
        n > MOST_ROWS
          ? `Table: ${count(MOST_ROWS)} of ${plural(n, "selected row")}`
          : `Table of ${plural(n, "selected row")}`,
      ),
  );
  return fold;
}

/** A click sorts from the smallest, another from the largest, a third leaves the rows in their own order. */
function nextOrder(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? null : { column, descending: true };
}

/** What is predicted and observed comes first, then the open feature: it is what the rows were chosen for. */
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
  const button = html("button", { type: "button", class: "ice-sort", "data-sort": at }, name);
  hinted(button, `Sort by ${name}.`);
  if (sign !== "") button.append(html("span", { "aria-hidden": "true" }, sign));
  return html("th", { scope: "col", "aria-sort": sorted }, button);
}
