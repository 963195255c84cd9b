/** One row in depth, outside of the plot: how to choose it, what is predicted of it, and which change moves it most. */

import { effect } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { focusedBeside } from "../../elements/focus.ts";
import { icon } from "../../elements/icons.ts";
import { atEnd, listen } from "../../elements/lifetime.ts";
import { rowTitle } from "../../plots/row_title.ts";
import type { Pins } from "../../store/pins.ts";
import { loadedOf } from "../../store/store.ts";
import { largestChange, type WhatIf } from "../../store/what_if.ts";
import type { View } from "../../view/view.ts";
import { Cancelled, sentenceOf } from "../../wire/client.ts";
import type { Extreme, RowsBody } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";
import { columnFormat, count, number, signed } from "../../words/numbers.ts";

/** Features and columns that a card shows at most. */
const MOST_ITEMS = 30;

export function rowPanel(view: View, pins: Pins): HTMLElement {
  const panel = html("section", { class: "ice-row", "aria-label": "Selected row", "data-test": "row" });
  panel.append(rowPicker(view, pins), rowCard(view, pins));
  return panel;
}

/** "Row: highest / lowest / number …". */
function rowPicker(view: View, pins: Pins): HTMLElement {
  const { store, aborted } = view;
  const problem = html("p", { class: "ice-problem ice-row-problem", role: "alert", hidden: true });
  const tell = (sentence: string | null): void => {
    problem.hidden = sentence === null;
    setText(problem, sentence ?? "");
  };
  const end = (which: Extreme): HTMLElement => {
    const attributes = { type: "button", class: "ice-segment", "data-test": `row-${which}` };
    const button = hinted(html("button", attributes, which), `Select the row with the ${which} prediction.`);
    listen(button, aborted, {
      click: async () => {
        try {
          const row = await store.extremeRow(which);
          tell(null);
          store.selectOnly(row);
          pins.open(row);
        } catch (error) {
          if (!(error instanceof Cancelled)) tell(sentenceOf(error));
        }
      },
    });
    return button;
  };
  const input = html("input", {
    type: "number",
    class: "ice-number ice-row-number",
    min: 0,
    step: 1,
    placeholder: "number",
    "aria-label": "Number of the row",
    "data-test": "row-number",
  });
  const choose = (): void => {
    if (input.value === "") return;
    const last = (store.figures.peek()?.header.n_observations ?? 0) - 1;
    const row = input.valueAsNumber;
    if (!Number.isInteger(row) || row < 0 || row > last) {
      tell(`Enter a row number from 0 to ${count(last)}.`);
      return;
    }
    tell(null);
    store.selectOnly(row);
    pins.open(row);
  };
  listen(input, aborted, {
    change: choose,
    // JupyterLab prevents the line break of Enter, and with it the change that Enter would tell of.
    keydown: ({ key }) => key === "Enter" && choose(),
  });
  view.keep(
    () => ({ row: store.whatIfRow.value, last: (store.figures.value?.header.n_observations ?? 1) - 1 }),
    ({ row, last }) => {
      update(input, { max: last });
      if (focusedBeside(input) === input) return;
      input.value = row === null ? "" : String(row);
    },
  );
  const ends = html("span", { class: "ice-segments", role: "group", "aria-label": "Row by its prediction" });
  ends.append(end("highest"), end("lowest"));
  const show = html("button", { type: "button", class: "ice-link", "data-test": "row-show" });
  listen(show, aborted, {
    click: () => {
      const row = store.whatIfRow.peek();
      if (row !== null) pins.open(row);
    },
  });
  view.keep(
    () => ({ row: store.whatIfRow.value, opened: pins.opened.value }),
    ({ row, opened }) => {
      show.hidden = row === null || opened !== null;
      setText(show, `Show row ${row}`);
    },
  );
  const label = explained(html("span", { class: "ice-row-label" }, "Row"), explanation("selected_row"));
  return html("div", { class: "ice-row-picker" }, label, ends, input, show, problem);
}

function rowCard(view: View, pins: Pins): HTMLElement {
  const { store, aborted } = view;
  const title = html("h4", { class: "ice-row-card-title", "data-test": "row-card-title" });
  const button = (name: "before" | "after" | "close", label: string, act: () => void): HTMLButtonElement => {
    const attributes = {
      type: "button",
      class: "ice-row-card-button",
      "aria-label": label,
      "data-test": `row-card-${name}`,
    };
    const made = hinted(html("button", attributes, icon(name)), label);
    listen(made, aborted, { click: act });
    return made;
  };
  const place = html("span", { class: "ice-row-card-place", "data-test": "row-card-place" });
  const before = button("before", "Previous pinned row", () => pins.turn(-1));
  const after = button("after", "Next pinned row", () => pins.turn(1));
  const turning = html("span", { class: "ice-row-card-turning" }, before, place, after);
  const close = button("close", "Close (Escape)", () => pins.close());
  const head = html("header", { class: "ice-row-card-head" }, title, turning, close);
  const outcomes = html("div", { class: "ice-row-card-facts", "data-test": "row-card-outcomes" });
  const lead = html("p", { class: "ice-row-card-lead", role: "status", "data-test": "row-card-lead" });
  const values = html("div", {
    class: "ice-row-card-values",
    role: "group",
    "aria-label": "Features and values of the row",
    "data-test": "row-card-values",
  });
  const card = html("aside", { class: "ice-row-card", "data-test": "row-card" }, head, outcomes, lead, values);
  listen(card, aborted, {
    keydown: (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      pins.close();
    },
  });
  listen(values, aborted, {
    click: (event) => {
      const item = (event.target as Element).closest<HTMLElement>("[data-feature]");
      if (item === null) return;
      const feature = item.dataset.feature!;
      const { place: at } = item.dataset;
      store.crosshair.value = at === undefined ? null : { feature, value: Number(at), stays: true };
      store.open(feature);
      store.remembered.choose("right", "feature");
    },
  });

  let turn = 0;
  let read: { row: number; body: RowsBody } | { row: number; problem: string } | null = null;
  const load = async (row: number): Promise<void> => {
    const mine = ++turn;
    try {
      const body = await store.rows([row]);
      if (mine === turn) read = { row, body };
    } catch (error) {
      if (mine !== turn || error instanceof Cancelled) return;
      read = { row, problem: sentenceOf(error) };
    }
    draw(row);
  };
  const draw = (row: number): void => {
    if (pins.opened.peek() !== row || read?.row !== row) return;
    if ("problem" in read) {
      outcomes.replaceChildren();
      values.replaceChildren(html("p", { class: "ice-problem", role: "alert" }, read.problem));
      return;
    }
    const { body } = read;
    outcomes.replaceChildren(...outcomesOf(body));
    const known = store.whatIf.peek();
    const focused = focusedBeside(view.root)?.closest<HTMLElement>("[data-feature]");
    values.replaceChildren(...itemsOf(view, body, known?.row === row ? known : null));
    // A list that is sorted anew keeps the focus where it was.
    if (focused != null && !focused.isConnected) {
      values.querySelector<HTMLElement>(`[data-feature="${CSS.escape(focused.dataset.feature!)}"]`)?.focus();
    }
  };
  const ended = effect(() => {
    store.explained.value;
    store.status.value.state; // what failed while nothing was computed may be there now
    const row = pins.opened.value;
    turn++;
    if (row !== null) void load(row);
  });
  atEnd(aborted, () => {
    turn++;
    ended();
  });

  view.keep(
    () => ({
      row: pins.opened.value,
      rows: pins.rows.value,
      loaded: loadedOf(store.picture.value),
    }),
    ({ row, rows, loaded }) => {
      card.hidden = row === null;
      if (row === null) return;
      const line = loaded?.curves.positions.indexOf(row) ?? -1;
      setText(title, line === -1 ? `Row ${row}` : rowTitle(loaded!.curves, line));
      title.title = title.textContent ?? "";
      turning.hidden = rows.length < 2;
      setText(place, `${count(rows.indexOf(row) + 1)} of ${count(rows.length)}`);
    },
  );
  view.keep(
    () => ({
      row: pins.opened.value,
      whatIf: store.whatIf.value,
      decay: store.decay.value,
      feature: store.feature.value,
    }),
    ({ row, whatIf }) => {
      lead.hidden = whatIf === null || whatIf.row !== row;
      if (whatIf !== null && !lead.hidden) lead.replaceChildren(...leadOf(view, whatIf));
      if (row !== null) draw(row);
    },
  );
  return card;
}

/** Title and progress of the list. */
function leadOf({ store }: View, { moves, total, problem }: WhatIf): (Node | string)[] {
  if (!store.client.hasKernel) return ["The largest change by one feature is computed in the notebook only."];
  const title = explained(html("span", {}, "Largest change by one feature"), explanation("what_if"));
  if (problem !== null) return [title, `: ${problem}`];
  return moves.size < total ? [title, ` (${count(moves.size)} of ${count(total)} features computed …)`] : [title];
}

/** The prediction and, where y was given, y and the residual. */
function outcomesOf({ columns, n_outcomes, rows }: RowsBody): HTMLElement[] {
  return columns.slice(0, n_outcomes).map((name, at) => {
    const text = rows[0]?.[at] ?? "";
    const value = text === "" ? "–" : (name === "residual" ? signed : number)(Number(text));
    const label = html("span", {}, name);
    if (name === "residual") explained(label, explanation("residual"));
    return html("span", { class: "ice-row-card-outcome" }, label, " ", html("b", {}, value));
  });
}

interface Item {
  feature: string;
  observed: string;
  /** The best value, and where it is; null while it is not known, or where nothing changes the prediction. */
  best: { value: string; place: number; change: number } | null;
  isKnown: boolean;
}

/** Features by how far they move the prediction, those of which nothing is known last; then all other columns. */
function itemsOf({ store }: View, { columns, n_outcomes, rows }: RowsBody, whatIf: WhatIf | null): HTMLElement[] {
  const [row = []] = rows;
  const names = columns.slice(n_outcomes);
  const cellOf = (name: string): string | undefined => row[n_outcomes + names.indexOf(name)];
  const decay = store.decay.peek();
  const items = store.ranking.peek().map(({ name }): Item => {
    const moves = whatIf?.moves.get(name);
    const best = moves === undefined ? null : largestChange(moves, decay);
    const observed = moves?.observed ?? (names.includes(name) ? (cellOf(name) ?? "") : "");
    return { feature: name, observed, best, isKnown: moves !== undefined };
  });
  items.sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || sizeOf(b) - sizeOf(a));
  const largest = Math.max(0, ...items.map(sizeOf));
  const opened = store.feature.peek();
  const shown = items.slice(0, MOST_ITEMS).map((item) => itemNode(item, item.feature === opened, largest));
  const isFeature = new Set(items.map(({ feature }) => feature));
  const others = names.filter((name) => !isFeature.has(name)).slice(0, MOST_ITEMS);
  const rest = others.map((name) =>
    html("div", { class: "ice-row-card-line" }, html("span", {}, name), html("b", {}, cellOf(name) || "missing")),
  );
  const cut =
    items.length > MOST_ITEMS
      ? [html("p", { class: "ice-row-card-cut" }, `${count(MOST_ITEMS)} of ${count(items.length)} features`)]
      : [];
  return [...shown, ...cut, ...rest];
}

const sizeOf = ({ best }: Item): number => Math.abs(best?.change ?? 0);

function itemNode({ feature, observed, best, isKnown }: Item, isOpen: boolean, largest: number): HTMLElement {
  const text = observed === "" ? "missing" : observed;
  const change = best === null ? (isKnown ? "0" : "") : changeText(best.change, largest);
  const node = html(
    "button",
    {
      type: "button",
      class: "ice-row-card-item",
      "aria-current": isOpen ? "true" : null,
      "data-feature": feature,
      "data-place": best?.place,
      "data-test": "row-card-item",
    },
    html("span", { class: "ice-row-card-name" }, feature),
    html("span", { class: "ice-row-card-step" }, best === null ? text : `${text} → ${best.value}`),
    html("b", { class: "ice-row-card-change" }, change),
  );
  if (best !== null) {
    node.style.setProperty("--share", String(largest > 0 ? Math.abs(best.change) / largest : 0));
    node.dataset.sign = best.change < 0 ? "down" : "up";
  }
  return hinted(node, best === null ? `Open ${feature}.` : `Open ${feature} at ${best.value}.`);
}

/** Changes as aligned text with signs. */
function changeText(change: number, largest: number): string {
  const text = columnFormat(largest)(Math.abs(change));
  if (Number(text) === 0) return "≈ 0";
  return `${change < 0 ? "−" : "+"}${text}`;
}
