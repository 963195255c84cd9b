/** The brush: a bar across the lines at one place of the axis, which selects those that pass through it. */

import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { html, update } from "../elements/element.ts";
import { hinted } from "../elements/explained.ts";
import { icon } from "../elements/icons.ts";
import { linesBetween, pointAt } from "../geometry/crossing.ts";
import { nearestIndex } from "../geometry/transforms.ts";
import type { Plot } from "../plots/plot.ts";
import type { View } from "../view/view.ts";
import { number } from "../words/numbers.ts";
import { type Drag, followDrag, OWN_DRAG, type Point, placeIn } from "./gestures.ts";

/** What the brush reads of a plot, large or small. */
export type Brushed = Pick<Plot, "scene" | "lines" | "x" | "y" | "slot" | "left" | "right" | "top" | "bottom">;

interface Bar {
  /** The feature value at its position; null in the strip of missing values. */
  place: number | null;
  /** Its ends, as written on the axis. */
  low: number;
  high: number;
}

type How = "replace" | "add" | "remove";

/** Steps of the keys, in px. */
const STEP = 2;
const LONG_STEP = 12;

export interface Brush<P extends Brushed> {
  readonly bar: ReadonlySignal<Bar | null>;
  readonly layer: HTMLElement;
  /** A drag that draws a new bar. */
  begin(plot: P, from: Point, event: { shiftKey: boolean; altKey: boolean }): Drag;
  /** Takes the bar away and what it selected with it; whether there was one. */
  remove(): boolean;
}

/** `isDrawn` returns whether a line of the plot can be selected. */
export function brushOver<P extends Brushed>(
  frame: HTMLElement,
  view: View,
  plot: ReadonlySignal<P | null>,
  isDrawn: (line: number, plot: P) => boolean,
): Brush<P> {
  const { store, aborted } = view;
  const bar = signal<Bar | null>(null);
  let how: How = "replace";
  /** What was selected before, and what the bar has made of it. */
  let before: readonly number[] = [];
  let applied: readonly number[] = [];

  const apply = (shown: P, next: Bar): void => {
    bar.value = next;
    const rows = rowsIn(shown, next, (line) => isDrawn(line, shown));
    applied = joined(before, rows, how);
    store.brushSelection(applied as number[]);
  };
  const remove = (): boolean => {
    if (bar.peek() === null) return false;
    bar.value = null;
    store.brushSelection([...before]);
    store.release();
    return true;
  };
  /** Moves the ends of the bar that a drag has hold of. */
  const dragEnds = (at: Point, grip: "bar" | "low" | "high"): Drag | null => {
    const [shown, start] = [plot.peek(), bar.peek()];
    if (shown === null || start === null) return null;
    const move = (to: Point): void => apply(shown, pulled(shown, start, grip, to.x - at.x, to.y - at.y));
    return {
      move,
      end: () => store.release(),
      cancel() {
        move(at);
        store.release();
      },
    };
  };

  const ends = (["high", "low"] as const).map((end) =>
    html("div", {
      class: `ice-brush-end ice-brush-${end}`,
      role: "slider",
      tabindex: 0,
      "aria-orientation": "vertical",
      "aria-label": end === "high" ? "Upper end of the selected range" : "Lower end of the selected range",
      "data-test": `brush-${end}`,
      "data-grip": end,
    }),
  );
  const body = html("div", { class: "ice-brush-bar", "data-grip": "bar", "data-test": "brush-bar" });
  const close = html(
    "button",
    { type: "button", class: "ice-brush-remove", "aria-label": "Remove the range" },
    icon("close"),
  );
  close.dataset.test = "brush-remove";
  hinted(close, "Remove the range (Escape).");
  const layer = html("div", { class: "ice-brush", [OWN_DRAG]: true, "data-test": "brush" }, body, ...ends, close);
  const options = { signal: aborted };
  close.addEventListener(
    "click",
    () => {
      remove();
      frame.focus({ preventScroll: true });
    },
    options,
  );
  // What happens on the bar is not a click on the line under it.
  for (const kind of ["click", "dblclick"]) layer.addEventListener(kind, (event) => event.stopPropagation(), options);
  layer.addEventListener(
    "pointerdown",
    (event) => {
      const grip = (event.target as HTMLElement).dataset.grip as "bar" | "low" | "high" | undefined;
      const drag = grip === undefined ? null : dragEnds(placeIn(frame, event), grip);
      if (drag !== null) followDrag(frame, event, drag, aborted);
    },
    options,
  );
  layer.addEventListener(
    "keydown",
    (event) => {
      const { grip } = (event.target as HTMLElement).dataset;
      const direction = { ArrowUp: -1, ArrowDown: 1, PageUp: -1, PageDown: 1 }[event.key];
      if (direction === undefined || (grip !== "low" && grip !== "high")) return;
      event.preventDefault();
      event.stopPropagation();
      const drag = dragEnds({ x: 0, y: 0 }, grip);
      drag?.move({ x: 0, y: direction * (event.shiftKey || event.key.startsWith("Page") ? LONG_STEP : STEP) });
      drag?.end();
    },
    options,
  );

  // A bar stands for what is selected: it goes when something else selects, or when other heights are drawn.
  let scene: Plot["scene"] | null = null;
  const ended = effect(() => {
    const [selection, shown] = [store.selection.value, plot.value?.scene ?? null];
    const isSame = selection.length === applied.length && selection.every((row, at) => row === applied[at]);
    if (bar.peek() !== null && (!isSame || shown !== scene)) bar.value = null;
    scene = shown;
  });
  aborted.addEventListener("abort", ended, { once: true });

  view.keep(
    () => ({ bar: bar.value, plot: plot.value }),
    ({ bar: shown, plot: on }) => {
      layer.hidden = shown === null || on === null;
      if (shown === null || on === null) return;
      const [top, bottom] = [heightOf(on, shown.high), heightOf(on, shown.low)];
      const middle = placePx(on, shown.place);
      layer.classList.toggle("ice-absent", middle < on.left - 1 || middle > (on.slot?.right ?? on.right) + 1);
      Object.assign(layer.style, { left: `${middle}px`, top: `${top}px`, height: `${bottom - top}px` });
      for (const end of ends) {
        const value = end.dataset.grip === "high" ? shown.high : shown.low;
        update(end, { "aria-valuenow": value, "aria-valuetext": number(value) });
      }
    },
  );

  return {
    bar,
    layer,
    remove,
    begin(shown, from, { shiftKey, altKey }) {
      how = altKey ? "remove" : shiftKey ? "add" : "replace";
      before = how === "replace" ? [] : store.selection.peek();
      const place = placeAt(shown, from.x);
      const start = valueAt(shown, from.y);
      const previous = store.selection.peek();
      return {
        move: (to) => apply(shown, ordered(place, start, valueAt(shown, to.y))),
        end: () => store.release(),
        cancel() {
          bar.value = null;
          store.brushSelection([...previous]);
          store.release();
        },
      };
    },
  };
}

const heightOf = ({ y, scene: { base } }: Brushed, value: number): number => y(value - base);

/** A height on the axis at some px, no further than what shows. */
const valueAt = ({ y, top, bottom, scene: { base } }: Brushed, px: number): number =>
  y.invert(Math.min(bottom, Math.max(top, px))) + base;

const ordered = (place: number | null, one: number, other: number): Bar => ({
  place,
  low: Math.min(one, other),
  high: Math.max(one, other),
});

const placePx = ({ x, slot }: Brushed, place: number | null): number => (place === null ? (slot?.at ?? 0) : x(place));

/** The axis value at a px position: a level if there are levels; null next to the axis. */
function placeAt({ x, slot, left, right, scene }: Brushed, px: number): number | null {
  if (slot !== null && px > slot.left - 7) return null;
  const value = x.invert(Math.min(right, Math.max(left, px)));
  if (scene.onLevels) return scene.curves.grid[nearestIndex(scene.curves.grid, value)] ?? 0;
  const [first = 0, last = 0] = [scene.x[0], scene.x[scene.x.length - 1]];
  return Math.min(last, Math.max(first, value));
}

/** The bar after its grip was pulled by some px; it keeps its length when it is moved as a whole. */
function pulled(plot: Brushed, bar: Bar, grip: "bar" | "low" | "high", dx: number, dy: number): Bar {
  const [low, high] = [heightOf(plot, bar.low), heightOf(plot, bar.high)];
  if (grip === "high") return ordered(bar.place, bar.low, valueAt(plot, high + dy));
  if (grip === "low") return ordered(bar.place, valueAt(plot, low + dy), bar.high);
  const step = Math.min(Math.max(dy, plot.top - high), plot.bottom - low);
  const place = dx === 0 ? bar.place : placeAt(plot, placePx(plot, bar.place) + dx);
  return { place, low: valueAt(plot, low + step), high: valueAt(plot, high + step) };
}

/** Positions of the rows whose lines are drawn and pass through the bar. */
function rowsIn({ scene }: Brushed, bar: Bar, isDrawn: (line: number) => boolean): number[] {
  const { curves, base, missing } = scene;
  const [values, nPoints] = bar.place === null ? [missing?.values, 1] : [scene.values, scene.x.length];
  const point = bar.place === null ? 0 : pointAt(scene.x, bar.place);
  if (values === undefined || point === null) return [];
  return linesBetween(values, nPoints, point, bar.low - base, bar.high - base)
    .filter(isDrawn)
    .map((line) => curves.positions[line]!);
}

/** Row positions in increasing order. */
function joined(before: readonly number[], rows: readonly number[], how: How): number[] {
  const all = new Set(how === "replace" ? [] : before);
  for (const row of rows) {
    if (how === "remove") all.delete(row);
    else all.add(row);
  }
  return [...all].sort((a, b) => a - b);
}
