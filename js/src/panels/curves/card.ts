/** One pinned row in depth: a card with all its values beside its curve, and where its own value lies on the axis. */
import { effect } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../../client.ts";
import { count, number } from "../../format.ts";
import { cssColor } from "../../geometry/palette.ts";
import { dotX, type Plot } from "../../marks/curves/plot.ts";
import { rowTitle } from "../../marks/curves/row.ts";
import { html, setText, svg, update } from "../../marks/element.ts";
import { icon } from "../../marks/icons.ts";
import type { RowsBody } from "../../protocol.ts";
import type { View } from "../../view.ts";
import type { Pins } from "./pins.ts";
import { colorText } from "./pointer.ts";
import type { Shown } from "./shown.ts";
import { clipBeside, clipOfOwn, isWithin } from "./zoomed.ts";

const WIDTH = 224;
/** How far the card stays from the dot. */
const GAP = 20;
/** In less room than this the card stands under the plot: beside the dot there would be no place for it. */
const LEAST_ROOM = 2 * (WIDTH + GAP);

interface Own {
  line: number;
  /** Where the row's dot stands, in px of the frame. */
  x: number;
  y: number;
  isMissing: boolean;
  isVisible: boolean;
}

/** Where the own value of a row lies; null where its line is not drawn. */
function ownOf(plot: Plot, position: number): Own | null {
  const { scene } = plot;
  const line = scene.curves.positions.indexOf(position);
  if (line === -1) return null;
  const value = scene.curves.observed[line]!;
  const isMissing = Number.isNaN(value);
  const [x, y] = [dotX(plot, line, value), plot.y(scene.own[line]!)];
  const isVisible = Number.isFinite(x + y) && isWithin(isMissing ? clipBeside(plot) : clipOfOwn(plot), x, y);
  return { line, x, y, isMissing, isVisible };
}

/** The row's dot, a line from it to the axis, and the value there. */
export function ownValueLayer(view: View, { plot }: Shown, pins: Pins): SVGSVGElement {
  const layer = svg("svg", { class: "ice-layer", "aria-hidden": "true" });
  view.keep(
    () => ({ plot: plot.value, row: pins.opened.value }),
    ({ plot: shown, row }) => {
      layer.replaceChildren();
      const own = shown === null || row === null ? null : ownOf(shown, row);
      if (shown === null || own === null || !own.isVisible) return;
      const { width, height } = shown.size;
      update(layer, { viewBox: `0 0 ${width} ${height}`, width, height });
      const { x, y, line } = own;
      const text = own.isMissing ? "" : shown.write(shown.scene.curves.observed[line]!);
      const right = x > (shown.left + shown.right) / 2;
      const attributes = { x: x + (right ? -6 : 6), y: shown.axis - 6, "text-anchor": right ? "end" : "start" };
      const mark = svg(
        "g",
        { class: "ice-own-value", "data-test": "own-value", "data-row": row },
        svg("line", { x1: x, x2: x, y1: y, y2: shown.axis }),
        svg("circle", { cx: x, cy: y, r: 6.5 }),
        svg("text", attributes, text),
      );
      layer.append(mark);
    },
  );
  return layer;
}

export function rowCard(view: View, { loaded, plot }: Shown, pins: Pins, frame: HTMLElement): HTMLElement {
  const { store, aborted } = view;
  const options = { signal: aborted };
  const title = html("h4", { class: "ice-row-card-title", "data-test": "row-card-title" });
  const button = (name: "before" | "after" | "close", label: string, act: () => void): HTMLButtonElement => {
    const attributes = {
      type: "button",
      class: "ice-row-card-button",
      "aria-label": label,
      "data-test": `row-card-${name}`,
    };
    const made = html("button", { ...attributes, title: label }, icon(name));
    made.addEventListener("click", act, options);
    return made;
  };
  const shut = (): void => {
    pins.close();
    frame.focus({ preventScroll: true });
  };
  const place = html("span", { class: "ice-row-card-place", "data-test": "row-card-place" });
  const before = button("before", "The pinned row before", () => pins.turn(-1));
  const after = button("after", "The next pinned row", () => pins.turn(1));
  const turning = html("span", { class: "ice-row-card-turning" }, before, place, after);
  const head = html("header", { class: "ice-row-card-head" }, title, turning, button("close", "Close (Escape)", shut));
  const facts = html("div", { class: "ice-row-card-facts" });
  const values = html("div", {
    class: "ice-row-card-values",
    tabindex: 0,
    role: "region",
    "aria-label": "All values of the row",
    "data-test": "row-card-values",
  });
  const card = html(
    "aside",
    { class: "ice-row-card", "aria-live": "polite", "data-test": "row-card" },
    head,
    facts,
    values,
  );
  card.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      shut();
    },
    options,
  );

  let turn = 0;
  const load = async (position: number): Promise<void> => {
    const mine = ++turn;
    try {
      const rows = await store.rows([position]);
      if (mine === turn) values.replaceChildren(...valueRows(rows, store.feature.peek()));
    } catch (error) {
      if (mine !== turn || error instanceof Cancelled) return;
      const sentence = sentenceOf(error);
      values.replaceChildren(html("p", { class: "ice-problem", role: "alert" }, sentence));
    }
  };
  const ended = effect(() => {
    store.feature.value;
    const row = pins.opened.value;
    turn++;
    values.replaceChildren();
    if (row !== null) void load(row);
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
    () => ({ plot: plot.value, row: pins.opened.value, rows: pins.rows.value, colors: loaded.value?.colors ?? null }),
    ({ plot: shown, row, rows, colors }) => {
      const own = shown === null || row === null ? null : ownOf(shown, row);
      card.hidden = own === null;
      if (shown === null || own === null || row === null) return;
      setText(title, rowTitle(shown.scene.curves, own.line));
      title.title = title.textContent ?? "";
      turning.hidden = rows.length < 2;
      setText(place, `${count(rows.indexOf(row) + 1)} of ${count(rows.length)}`);
      const { curves } = shown.scene;
      const [lowest, highest] = curves.predictionRange;
      const items = [fact("prediction", number(curves.predictions[own.line]! + curves.offset, highest - lowest))];
      if (colors !== null) {
        const swatch = cssColor(shown.palette, shown.lines.color[own.line]!);
        items.push(fact(colors.scale.column, colorText(colors.scale, colors.values[own.line]!), swatch));
      }
      facts.replaceChildren(...items);
      standBeside(card, shown, own);
    },
  );
  return card;
}

function fact(label: string, value: string, swatch?: string): HTMLElement {
  const shown = html("b", {}, value);
  if (swatch !== undefined) {
    const chip = html("i", { class: "ice-swatch" });
    chip.style.background = swatch;
    shown.prepend(chip);
  }
  return html("div", { class: "ice-row-card-line" }, html("span", {}, label), shown);
}

/** All columns of the data, the open feature first. */
function valueRows({ columns, rows }: RowsBody, feature: string): HTMLElement[] {
  const opened = columns.indexOf(feature);
  const order = [...columns.keys()].sort((a, b) => Number(b === opened) - Number(a === opened));
  return order.map((at) => {
    const row = fact(columns[at] ?? "", rows[0]?.[at] ?? "");
    if (at === opened) update(row, { class: "ice-row-card-line ice-row-card-opened", "aria-current": "true" });
    return row;
  });
}

/** On the side of the dot with more room, and as near to it as fits; under the plot where there is little room. */
function standBeside(card: HTMLElement, { size, top }: Plot, { x, y }: Own): void {
  const isBelow = size.width < LEAST_ROOM;
  card.classList.toggle("ice-row-card-below", isBelow);
  const { style } = card;
  if (isBelow) {
    style.removeProperty("left");
    return;
  }
  const at = Number.isFinite(x + y) ? x : 0;
  const left = at > size.width / 2 ? Math.max(0, at - GAP - WIDTH) : Math.min(size.width - WIDTH, at + GAP);
  style.left = `${Math.round(left)}px`;
  style.top = `${top}px`;
  style.maxHeight = `${size.height - 2 * top}px`;
}
