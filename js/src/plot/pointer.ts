/** The pointer and the keys over a plot: they mark the nearest or the next curve, and select rows. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { least } from "d3-array";
import type { Pins } from "../state/pins.ts";
import { listen, react } from "../ui/lifetime.ts";
import { type placeBeside, placeOff } from "../ui/placing.ts";
import type { View } from "../view/view.ts";
import type { Brush } from "./brush.ts";
import { curveTooltip, rowTitle } from "./curve_tooltip.ts";
import { dataAt } from "./data_tooltip.ts";
import type { Drawing } from "./drawing.ts";
import { nearestLine, type Polylines } from "./geometry/pick.ts";
import { nearestIndex } from "./geometry/transforms.ts";
import { Gestures, isInSlot, OWN_DRAG, type Point, placeIn } from "./gestures.ts";
import { dotX, type Layout } from "./layout.ts";
import { rowLines } from "./models.ts";

/** How near to a line the pointer must be, in px. */
const REACH = 24;
const STEPS: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

/** What takes the pointer and the keys before curves do. */
export interface Before {
  follow(at: Point): boolean;
  press(event: KeyboardEvent): boolean;
  leave(): void;
}

interface Parts {
  drawing: Drawing;
  brush: Brush;
  /** Rows that a card is about. */
  pins: Pins;
  before: Before;
}

/** A curve under the pointer, and the place of the pointer, in px of the canvas. */
interface Picked {
  layout: Layout;
  line: number;
  x: number;
  y: number;
}

export class PlotPointer {
  readonly #layout: ReadonlySignal<Layout | null>;
  readonly #gestures: Gestures;
  /** The drawn lines. */
  readonly #pickable = computed((): Polylines | null => {
    const [layout, order] = [this.#layout.value, this.parts.drawing.order.value];
    return layout === null ? null : onlyLines(layout.lines, order);
  });

  constructor(
    private readonly frame: HTMLElement,
    private readonly view: View,
    private readonly parts: Parts,
    aborted: AbortSignal,
  ) {
    this.#layout = parts.drawing.layout;
    const begin = ({ layout, at, event }: { layout: Layout; at: Point; event: PointerEvent }) =>
      this.#ready === null ? null : parts.brush.begin(layout, at, event);
    this.#gestures = new Gestures(frame, view, this.#layout, begin, aborted);
    listen(frame, aborted, {
      pointermove: (event) => this.#follow(event),
      pointerleave: () => {
        this.#leave();
        parts.before.leave();
      },
      blur: () => this.#leave(),
      click: (event) => this.#click(event),
      keydown: (event) => {
        if (this.#press(event)) event.preventDefault();
      },
    });
    // A tooltip at the pointer was about the plot before.
    react(aborted, () => {
      if (this.#layout.value !== null && view.store.pointed.peek() === null) view.tooltip.hide();
    });
  }

  /** The plot on screen; null while its curves are computed. */
  get #ready(): Layout | null {
    return this.view.store.picture.peek().state === "ready" ? this.#layout.peek() : null;
  }

  #follow(event: MouseEvent): void {
    const hasDrag = (event.target as Element).closest(`[${OWN_DRAG}]`) !== null;
    if (this.#gestures.busy || hasDrag || this.#showData(event) || this.parts.before.follow(placeIn(this.frame, event)))
      return;
    const picked = this.#pick(event);
    if (picked === null) this.#leave();
    else this.#showCurve(picked);
  }

  /** The curve under the pointer. */
  #pick(event: MouseEvent): Picked | null {
    const layout = this.#ready;
    if (layout === null) return null;
    const { ratio } = layout.size;
    const at = placeIn(this.frame, event);
    const [x, y] = [(at.x - layout.left) * ratio, at.y * ratio];
    const line = isInSlot(layout, at.x)
      ? nearestInSlot(layout, this.parts.drawing.order.peek(), at)
      : (nearestLine(this.#pickable.peek()!, x, y, REACH * ratio)?.line ?? null);
    return line === null ? null : { layout, line, x, y };
  }

  #leave(): void {
    this.view.store.pointed.value = null;
    this.view.tooltip.hide();
  }

  #showCurve({ layout, line, ...at }: Picked, isSpoken = false): void {
    const { store, tooltip } = this.view;
    const { curves } = layout.scene;
    store.pointed.value = curves.positions[line]!;
    const box = this.frame.getBoundingClientRect();
    const { ratio } = layout.size;
    const px = layout.left + at.x / ratio;
    const anchor = new DOMRect(box.left + px, box.top + at.y / ratio, 0, 0);
    const point = isInSlot(layout, px) ? layout.scene.x.length : nearestIndex(layout.scene.x, layout.x.invert(px));
    const { rows, note } = curveTooltip(store, this.parts.drawing, layout, line, point);
    const y = (at: number): number => box.top + layout.lines.y[line * layout.lines.nPoints + at]! / ratio;
    const curve = Array.from(layout.lines.x, (x, at) => ({ x: box.left + layout.left + x / ratio, y: y(at) }));
    const place: typeof placeBeside = (...target) => placeOff(curve, ...target);
    tooltip.content.value = { title: rowTitle(curves, line), rows, note, anchor, isSpoken, place };
  }

  /** Shows the data under the pointer; false where there is none. */
  #showData(event: MouseEvent): boolean {
    const layout = this.#ready;
    const data = layout === null ? null : dataAt(layout, this.parts.drawing.unlike.peek(), placeIn(this.frame, event));
    if (layout === null || data === null) return false;
    this.view.store.pointed.value = null;
    const box = this.frame.getBoundingClientRect();
    const anchor = new DOMRect(box.left + data.x, box.top + layout.axis, 0, 0);
    this.view.tooltip.show(data.title, data.rows, anchor, false);
    return true;
  }

  #select(row: number, extend: boolean): void {
    this.parts.pins.pin(row, extend);
    // The card of the row shows the same, and more.
    this.view.tooltip.hide();
  }

  #click(event: MouseEvent): void {
    const { brush, pins } = this.parts;
    if (this.#gestures.dragged) return;
    const hadBrush = brush.remove();
    // The marked row: a click is reported in whole px, which may be nearer to another one.
    const marked = (event as PointerEvent).pointerType === "touch" ? null : this.view.store.pointed.peek();
    const picked = marked === null ? this.#pick(event) : null;
    const row = marked ?? (picked === null ? null : picked.layout.scene.curves.positions[picked.line]!);
    if (row !== null) this.#select(row, event.shiftKey);
    else if (!hadBrush) pins.close();
  }

  /** What a key does; whether it does anything. */
  #press(event: KeyboardEvent): boolean {
    const { store } = this.view;
    const { before, brush, pins } = this.parts;
    const layout = this.#layout.peek();
    if (layout === null || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "Escape") {
      if (!brush.remove() && !pins.close()) {
        this.#leave();
        store.clearSelection();
      }
      // The focus may have been on the bar.
      this.frame.focus({ preventScroll: true });
      return true;
    }
    if (event.target !== this.frame) return false;
    if (before.press(event)) return true;
    const [row, step] = [store.pointed.peek(), STEPS[event.key]];
    if (step !== undefined) this.#step(layout, row, step);
    else if (event.key !== " " && (event.key !== "Enter" || row === null)) return false;
    else if (row !== null) this.#select(row, event.shiftKey);
    return true;
  }

  /** Marks the next curve. */
  #step(layout: Layout, row: number | null, step: number): void {
    const line = nextLine(layout, rowLines(layout, this.parts.drawing.order.peek()), row, step);
    if (line === undefined) return;
    const { x, y } = tooltipPlace(layout, line);
    const { ratio } = layout.size;
    this.#showCurve({ layout, line, x: (x - layout.left) * ratio, y: y * ratio }, true);
  }
}

/** The row whose dot in the strip of missing values is nearest, within reach. */
function nearestInSlot(layout: Layout, order: Uint32Array, { x, y }: Point): number | null {
  const distance = (line: number) =>
    Math.hypot(dotX(layout, line, Number.NaN) - x, layout.y(layout.scene.missing!.values[line]!) - y);
  const nearest = least(order, distance);
  return nearest !== undefined && distance(nearest) < REACH ? nearest : null;
}

/** Position of the tooltip of a line: at the observed value, or halfway along the line if that is not on the axis. */
function tooltipPlace(layout: Layout, line: number): Point {
  const { scene, lines, left, outer, top, bottom, size, y } = layout;
  const half = Math.floor(lines.nPoints / 2);
  const observedX = dotX(layout, line, scene.curves.observed[line]!);
  const place = Number.isFinite(observedX)
    ? { x: observedX, y: y(scene.own[line]!) }
    : { x: lines.x[half]! / size.ratio + left, y: lines.y[line * lines.nPoints + half]! / size.ratio };
  // Steep slopes may be beyond the axis.
  return { x: Math.min(outer, Math.max(left, place.x)), y: Math.min(bottom, Math.max(top, place.y)) };
}

/** Arrow keys go through the visible rows from the lowest prediction to the highest. */
function nextLine({ scene }: Layout, lines: Uint32Array, row: number | null, step: number): number | undefined {
  const { predictions, positions } = scene.curves;
  const visible = Array.from(lines).sort((a, b) => predictions[a]! - predictions[b]! || a - b);
  const start = step > 0 ? -1 : visible.length;
  const place = (row === null ? start : visible.findIndex((line) => positions[line] === row)) + step;
  return visible[Math.min(Math.max(place, 0), visible.length - 1)];
}

/** The same lines without those that are not drawn. */
function onlyLines({ nLines, nPoints, x, y }: Polylines, order: Uint32Array): Polylines {
  if (order.length === nLines) return { nLines, nPoints, x, y };
  const drawn = new Float32Array(y.length).fill(Number.NaN);
  for (const line of order) drawn.set(y.subarray(line * nPoints, (line + 1) * nPoints), line * nPoints);
  return { nLines, nPoints, x, y: drawn };
}
