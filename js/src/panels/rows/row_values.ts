/** The content of a row's card: outcomes, and features by how far they can move the prediction. */

import { largestChange, type WhatIf } from "../../state/what_if.ts";
import { explanation } from "../../text/glossary.ts";
import { columnFormat, count, number, signed } from "../../text/numbers.ts";
import { html } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import type { RowsBody } from "../../wire/protocol.ts";

/** Features and columns that a card shows at most. */
const MOST_ITEMS = 30;

/** Title and progress of the list. */
export function leadOf({ store }: View, { moves, total, problem }: WhatIf): (Node | string)[] {
  if (!store.client.hasKernel) return ["The largest change by one feature is computed in the notebook only."];
  const title = explained(html("span", {}, "Largest change by one feature"), explanation("what_if"));
  if (problem !== null) return [title, `: ${problem}`];
  return moves.size < total ? [title, ` (${count(moves.size)} of ${count(total)} features computed …)`] : [title];
}

/** The prediction and, where y was given, y and the residual. */
export function outcomesOf({ columns, n_outcomes, rows }: RowsBody): HTMLElement[] {
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
  /** The value with the largest change; null while it is not known, or where nothing changes the prediction. */
  best: { value: string; place: number; change: number } | null;
  isKnown: boolean;
}

/** Features by their largest change of the prediction, those not computed yet last; then all other columns. */
export function itemsOf(
  { store }: View,
  { columns, n_outcomes, rows }: RowsBody,
  whatIf: WhatIf | null,
): HTMLElement[] {
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
  const node = pushButton(
    {
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
