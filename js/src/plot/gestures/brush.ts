/** The brush: a bar at one place of the axis that selects the curves that pass through it. */

import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { number } from "../../text/numbers.ts";
import { html, update } from "../../ui/element.ts";
import { hinted } from "../../ui/explained.ts";
import { icon } from "../../ui/icons.ts";
import type { View } from "../../view/view.ts";
import { linesBetween, pointAt } from "../geometry/crossing.ts";
import { nearestIndex } from "../geometry/transforms.ts";
import type { Plot } from "../plot.ts";
import { type Drag, followDrag, OWN_DRAG, type Point, placeIn } from "./gestures.ts";

/** The part of a plot that the brush reads. */
export type Brushed = Pick<Plot, "scene" | "lines" | "x" | "y" | "slot" | "left" | "right" | "top" | "bottom">;

interface Bar {
  /** The feature value at its position; null in the strip of missing values. */
  place: number | null;
  /** Its ends, as written on the axis. */
  low: number;
  high: number;
}

type How = "replace" | "add" | "remove";
type Grip = "bar" | "low" | "high";

/** Steps of the keys, in px. */
const STEP = 2;
const LONG_STEP = 12;

export interface Brush<P extends Brushed> {
  readonly bar: ReadonlySignal<Bar | null>;
  readonly layer: HTMLElement;
  /** A drag that draws a new bar. */
  begin(plot: P, from: Point, event: { shiftKey: boolean; altKey: boolean }): Drag;
  /** Removes the bar and its part of the selection; returns whether there was a bar. */
  remove(): boolean;
}

/** `isDrawn` returns whether a curve of the plot can be selected. */
export const brushOver = <P extends Brushed>(
  frame: HTMLElement,
  view: View,
  plot: ReadonlySignal<P | null>,
  isDrawn: (line: number, plot: P) => boolean,
): Brush<P> => new FrameBrush(frame, view, plot, isDrawn);

/** The brush of the plot on a frame. */
class FrameBrush<P extends Brushed> implements Brush<P> {
  readonly bar = signal<Bar | null>(null);
  readonly #ends = [gripOf("high", "Upper"), gripOf("low", "Lower")];
  readonly #close = hinted(
    html(
      "button",
      { type: "button", class: "ice-brush-remove", "aria-label": "Remove the range", "data-test": "brush-remove" },
      icon("close"),
    ),
    "Remove the range (Escape).",
  );
  readonly layer = html(
    "div",
    { class: "ice-brush", [OWN_DRAG]: true, "data-test": "brush" },
    html("div", { class: "ice-brush-bar", "data-grip": "bar", "data-test": "brush-bar" }),
    ...this.#ends,
    this.#close,
  );
  #how: How = "replace";
  /** The selection without the bar, and with it. */
  #before: readonly number[] = [];
  #applied: readonly number[] = [];

  constructor(
    readonly frame: HTMLElement,
    readonly view: View,
    readonly plot: ReadonlySignal<P | null>,
    readonly isDrawn: (line: number, plot: P) => boolean,
  ) {
    this.#listen();
    this.#followSelection();
    view.keep(
      () => [this.bar.value, plot.value] as const,
      ([bar, on]) => {
        this.layer.hidden = bar === null || on === null;
        if (bar !== null && on !== null) this.#place(bar, on);
      },
    );
  }

  begin(plot: P, from: Point, { shiftKey, altKey }: { shiftKey: boolean; altKey: boolean }): Drag {
    const { store } = this.view;
    const previous = store.selection.peek();
    this.#how = altKey ? "remove" : shiftKey ? "add" : "replace";
    this.#before = this.#how === "replace" ? [] : previous;
    const place = placeAt(plot, from.x);
    const start = valueAt(plot, from.y);
    return {
      move: (to) => this.#apply(plot, ordered(place, start, valueAt(plot, to.y))),
      end: () => store.release(),
      cancel: () => this.#reset(previous),
    };
  }

  remove(): boolean {
    if (this.bar.peek() === null) return false;
    this.#reset(this.#before);
    return true;
  }

  #reset(selection: readonly number[]): void {
    const { store } = this.view;
    this.bar.value = null;
    store.brushSelection([...selection]);
    store.release();
  }

  #apply(plot: P, bar: Bar): void {
    this.bar.value = bar;
    const rows = rowsIn(plot, bar, (line) => this.isDrawn(line, plot));
    const selection = joined(this.#before, rows, this.#how);
    this.#applied = selection;
    this.view.store.brushSelection(selection);
  }

  /** Moves the bar or one of its ends; null without a bar. */
  #dragGrip(at: Point, grip: Grip): Drag | null {
    const { store } = this.view;
    const [plot, start] = [this.plot.peek(), this.bar.peek()];
    if (plot === null || start === null) return null;
    const move = (to: Point): void => this.#apply(plot, pulled(plot, start, grip, to.x - at.x, to.y - at.y));
    return {
      move,
      end: () => store.release(),
      cancel() {
        move(at);
        store.release();
      },
    };
  }

  #listen(): void {
    const { frame, layer, view } = this;
    const options = { signal: view.aborted };
    const closeBar = (): void => {
      this.remove();
      frame.focus({ preventScroll: true });
    };
    const press = (event: PointerEvent): void => {
      const grip = gripAt(event);
      const drag = grip === undefined ? null : this.#dragGrip(placeIn(frame, event), grip);
      if (drag !== null) followDrag(frame, event, drag, view.aborted);
    };
    this.#close.addEventListener("click", closeBar, options);
    // A click on the bar is not a click on the curve under it.
    layer.addEventListener("click", (event) => event.stopPropagation(), options);
    layer.addEventListener("pointerdown", press, options);
    layer.addEventListener("keydown", (event) => this.#step(event), options);
  }

  #step(event: KeyboardEvent): void {
    const grip = gripAt(event);
    const direction = { ArrowUp: -1, ArrowDown: 1, PageUp: -1, PageDown: 1 }[event.key];
    if (direction === undefined || (grip !== "low" && grip !== "high")) return;
    event.preventDefault();
    event.stopPropagation();
    const drag = this.#dragGrip({ x: 0, y: 0 }, grip);
    drag?.move({ x: 0, y: direction * (event.shiftKey || event.key.startsWith("Page") ? LONG_STEP : STEP) });
    drag?.end();
  }

  /** Removes the bar when something else selects rows, or when other values are drawn. */
  #followSelection(): void {
    const { plot, view } = this;
    let scene: Plot["scene"] | null = null;
    const end = effect(() => {
      const [selection, shown] = [view.store.selection.value, plot.value?.scene ?? null];
      const applied = this.#applied;
      const isSame = selection.length === applied.length && selection.every((row, at) => row === applied[at]);
      if (this.bar.peek() !== null && (!isSame || shown !== scene)) this.bar.value = null;
      scene = shown;
    });
    view.aborted.addEventListener("abort", end, { once: true });
  }

  #place(bar: Bar, plot: P): void {
    const [top, bottom] = [heightOf(plot, bar.high), heightOf(plot, bar.low)];
    const middle = placePx(plot, bar.place);
    Object.assign(this.layer.style, { left: `${middle}px`, top: `${top}px`, height: `${bottom - top}px` });
    for (const [at, value] of [bar.high, bar.low].entries()) {
      update(this.#ends[at]!, { "aria-valuenow": value, "aria-valuetext": number(value) });
    }
  }
}

const gripOf = (end: "high" | "low", name: string): HTMLElement =>
  html("div", {
    class: `ice-brush-end ice-brush-${end}`,
    role: "slider",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": `${name} end of the selected range`,
    "data-test": `brush-${end}`,
    "data-grip": end,
  });

const gripAt = ({ target }: Event): Grip | undefined => (target as HTMLElement).dataset.grip as Grip | undefined;

const heightOf = ({ y, scene: { base } }: Brushed, value: number): number => y(value - base);

/** The value at a height in px, limited to the axis. */
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

/** The bar after a drag of its grip; a bar that is moved as a whole keeps its length. */
function pulled(plot: Brushed, bar: Bar, grip: Grip, dx: number, dy: number): Bar {
  const [low, high] = [heightOf(plot, bar.low), heightOf(plot, bar.high)];
  if (grip === "high") return ordered(bar.place, bar.low, valueAt(plot, high + dy));
  if (grip === "low") return ordered(bar.place, valueAt(plot, low + dy), bar.high);
  const step = Math.min(Math.max(dy, plot.top - high), plot.bottom - low);
  const place = dx === 0 ? bar.place : placeAt(plot, placePx(plot, bar.place) + dx);
  return { place, low: valueAt(plot, low + step), high: valueAt(plot, high + step) };
}

/** Positions of the rows whose curves are drawn and pass through the bar. */
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
