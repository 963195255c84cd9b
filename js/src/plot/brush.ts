/** The brush: a bar at one place of the axis that selects the curves that pass through it. */
import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Store } from "../state/store.ts";
import { react } from "../ui/lifetime.ts";
import type { Drawing } from "./drawing.ts";
import { linesBetween, pointAt } from "./geometry/crossing.ts";
import { nearestIndex } from "./geometry/transforms.ts";
import { type Drag, isInSlot, type Point } from "./gestures.ts";
import type { Layout } from "./layout.ts";

interface Bar {
  /** The feature value at its position; null in the strip of missing values. */
  place: number | null;
  /** Its ends, as written on the axis. */
  low: number;
  high: number;
}

type How = "replace" | "add" | "remove";
export type Grip = "bar" | "low" | "high";

export class Brush {
  readonly #bar = signal<Bar | null>(null);
  readonly bar: ReadonlySignal<Bar | null> = this.#bar;
  #how: How = "replace";
  /** The selection without the bar, and with it. */
  #before: readonly number[] = [];
  #applied: readonly number[] = [];

  constructor(
    private readonly store: Store,
    private readonly drawing: Drawing,
  ) {}

  /** Removes the bar when something else selects rows, or when other values are drawn. */
  follow(aborted: AbortSignal): void {
    let scene = this.drawing.layout.peek()?.scene;
    react(aborted, () => {
      const [selection, shown] = [this.store.selection.value, this.drawing.layout.value?.scene];
      const applied = this.#applied;
      const isSame = selection.length === applied.length && selection.every((row, at) => row === applied[at]);
      if (this.#bar.peek() !== null && (!isSame || shown !== scene)) this.#bar.value = null;
      scene = shown;
    });
  }

  /** A drag that draws a new bar. */
  begin(layout: Layout, from: Point, { shiftKey, altKey }: { shiftKey: boolean; altKey: boolean }): Drag {
    const previous = this.store.selection.peek();
    this.#how = altKey ? "remove" : shiftKey ? "add" : "replace";
    this.#before = this.#how === "replace" ? [] : previous;
    const place = axisValue(layout, from.x);
    const start = valueAt(layout, from.y);
    return {
      move: (to) => this.#apply(layout, ordered(place, start, valueAt(layout, to.y))),
      end: () => this.store.release(),
      cancel: () => this.#reset(previous),
    };
  }

  /** Removes the bar and its part of the selection; returns whether there was a bar. */
  remove(): boolean {
    if (this.#bar.peek() === null) return false;
    this.#reset(this.#before);
    return true;
  }

  /** Moves the bar or one of its ends; null without a bar. */
  pull(from: Point, grip: Grip): Drag | null {
    const [layout, start] = [this.drawing.layout.peek(), this.#bar.peek()];
    if (layout === null || start === null) return null;
    const move = (to: Point): void => this.#apply(layout, pulled(layout, start, grip, to.x - from.x, to.y - from.y));
    return {
      move,
      end: () => this.store.release(),
      cancel: () => {
        move(from);
        this.store.release();
      },
    };
  }

  /** Whether a line is drawn at a place: curves end where they are unlike the data. */
  #isDrawn({ scene }: Layout, place: number | null): (line: number) => boolean {
    const { decay, drawnUnlike, order } = this.drawing;
    const drawn = new Set(order.peek());
    const unlike = decay.peek() < 1 ? drawnUnlike.peek() : null;
    if (unlike === null || place === null || scene.kind === "d-ice") return (line) => drawn.has(line);
    const point = Math.ceil(pointAt(scene.x, place) ?? 0);
    return (line) => drawn.has(line) && unlike.flags[line * scene.x.length + point] !== 1;
  }

  #reset(selection: readonly number[]): void {
    this.#bar.value = null;
    this.store.drag("selection", [...selection]);
    this.store.release();
  }

  #apply(layout: Layout, bar: Bar): void {
    this.#bar.value = bar;
    const rows = rowsIn(layout, bar, this.#isDrawn(layout, bar.place));
    this.#applied = joined(this.#before, rows, this.#how);
    this.store.drag("selection", [...this.#applied]);
  }
}

/** Where the bar is, in px of the frame. */
export function barPlace(layout: Layout, { place, low, high }: Bar): { left: number; top: number; height: number } {
  const [top, bottom] = [heightOf(layout, high), heightOf(layout, low)];
  return { left: placePx(layout, place), top, height: bottom - top };
}

const heightOf = ({ y, scene: { base } }: Layout, value: number): number => y(value - base);

/** The value at a height in px, limited to the axis. */
const valueAt = ({ y, top, bottom, scene: { base } }: Layout, px: number): number =>
  y.invert(Math.min(bottom, Math.max(top, px))) + base;

const ordered = (place: number | null, one: number, other: number): Bar => ({
  place,
  low: Math.min(one, other),
  high: Math.max(one, other),
});

const placePx = ({ x, slot }: Layout, place: number | null): number => (place === null ? (slot?.at ?? 0) : x(place));

/** The axis value at a px position: a level if there are levels; null next to the axis. */
function axisValue(layout: Layout, px: number): number | null {
  const { x, left, right, scene } = layout;
  if (isInSlot(layout, px)) return null;
  const value = x.invert(Math.min(right, Math.max(left, px)));
  if (scene.onLevels) return scene.curves.grid[nearestIndex(scene.curves.grid, value)] ?? 0;
  const [first = 0, last = 0] = [scene.x[0], scene.x[scene.x.length - 1]];
  return Math.min(last, Math.max(first, value));
}

/** The bar after a drag of its grip; a bar that is moved as a whole keeps its length. */
function pulled(layout: Layout, bar: Bar, grip: Grip, dx: number, dy: number): Bar {
  const [low, high] = [heightOf(layout, bar.low), heightOf(layout, bar.high)];
  if (grip === "high") return ordered(bar.place, bar.low, valueAt(layout, high + dy));
  if (grip === "low") return ordered(bar.place, valueAt(layout, low + dy), bar.high);
  const step = Math.min(Math.max(dy, layout.top - high), layout.bottom - low);
  const place = dx === 0 ? bar.place : axisValue(layout, placePx(layout, bar.place) + dx);
  return { place, low: valueAt(layout, low + step), high: valueAt(layout, high + step) };
}

/** Positions of the rows whose curves are drawn and pass through the bar. */
function rowsIn({ scene }: Layout, bar: Bar, isDrawn: (line: number) => boolean): number[] {
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
