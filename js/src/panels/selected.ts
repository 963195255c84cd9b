/** The selected rows of the data, read from the kernel when someone opens the fold. */
import { effect } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../client.ts";
import { count, plural } from "../format.ts";
import { html, setText } from "../marks/element.ts";
import type { RowsBody } from "../protocol.ts";
import type { View } from "../view.ts";

/** A table of more rows is for Python: `x.selected`. */
const MOST_ROWS = 20;

export function selectedPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const summary = html("summary", { "data-test": "selected-summary" });
  const clear = html("button", { type: "button", class: "ice-button", "data-test": "clear-selection" }, "Clear");
  const content = html("div", { class: "ice-rows", tabindex: 0, role: "region", "aria-label": "Selected rows" });
  const fold = html("details", { class: "ice-selected-rows", "data-test": "selected-rows" }, summary, content);
  const panel = html("div", { class: "ice-selection" }, fold, clear);
  let turn = 0;

  const load = async (positions: readonly number[]): Promise<void> => {
    const mine = ++turn;
    try {
      const rows = await store.rows(positions.slice(0, MOST_ROWS));
      if (mine === turn) content.replaceChildren(table(rows, positions, store.feature.peek()));
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

  fold.addEventListener("toggle", refresh, { signal: aborted });
  clear.addEventListener("click", () => store.clearSelection(), { signal: aborted });
  const ended = effect(() => {
    store.selection.value;
    store.feature.value;
    refresh();
  });
  aborted.addEventListener(
    "abort",
    () => {
      turn++;
      ended();
    },
    { once: true },
  );
  view.keep(
    () => store.selection.value.length,
    (n) => {
      panel.hidden = n === 0;
      const most = n > MOST_ROWS ? `, the first ${count(MOST_ROWS)} of them` : "";
      setText(summary, `${plural(n, "selected row")}${most}`);
    },
  );
  return panel;
}

/** The open feature comes first: it is what the row was chosen for. */
function table({ columns, rows }: RowsBody, positions: readonly number[], feature: string): HTMLTableElement {
  const opened = columns.indexOf(feature);
  const order = [...columns.keys()].sort((a, b) => Number(b === opened) - Number(a === opened));
  const head = html("tr", {}, html("th", { scope: "col" }, "row"));
  head.append(...order.map((at) => html("th", { scope: "col" }, columns[at] ?? "")));
  const lines = rows.map((row, line) => {
    const cells = order.map((at) => html("td", {}, row[at] ?? ""));
    return html("tr", {}, html("th", { scope: "row" }, count(positions[line] ?? Number.NaN)), ...cells);
  });
  return html("table", {}, html("thead", {}, head), html("tbody", {}, ...lines));
}
