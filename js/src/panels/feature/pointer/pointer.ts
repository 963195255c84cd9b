/** The pointer and the keys over the plot: they mark the nearest or the next curve and select rows. */
import { computed } from "@preact/signals-core";
import { least } from "d3-array";
import { nearestLine, type Polylines } from "../../../plot/geometry/pick.ts";
import type { Brush } from "../../../plot/gestures/brush.ts";
import { type Gestures, gesturesOn, OWN_DRAG, type Point, placeIn } from "../../../plot/gestures/gestures.ts";
import { rowLines } from "../../../plot/models.ts";
import { dotX, type Plot } from "../../../plot/plot.ts";
import { rowTitle } from "../../../plot/row_title.ts";
import type { Hidden } from "../../../state/filters.ts";
import type { Pins } from "../../../state/pins.ts";
import { listen } from "../../../ui/lifetime.ts";
import type { View } from "../../../view/view.ts";
import { isBeside } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";
import type { Crosshair } from "./crosshair.ts";
import { curveTooltip } from "./curve_tooltip.ts";
import { dataAt } from "./data_tooltip.ts";

/** How near to a line the pointer must be, in px. */
const REACH = 24;
const STEPS: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

/** Other parts of the plot that the pointer and the keys act on. */
export interface Around {
  brush: Brush<Plot>;
  pins: Pins;
  crosshair: Crosshair;
}

/** A curve under the pointer, and the place of the pointer, in px of the canvas. */
interface Picked {
  shown: Plot;
  line: number;
  x: number;
  y: number;
}

export class PlotPointer {
  readonly #gestures: Gestures;
  /** The drawn lines, without those the legend hides. */
  readonly #pickable = computed((): Polylines | null => {
    const [shown, hidden] = [this.shown.plot.value, this.view.store.hiddenLevels.value];
    return shown === null || hidden.size === 0 ? (shown?.lines ?? null) : withoutHidden(shown, hidden);
  });

  constructor(
    private readonly frame: HTMLElement,
    private readonly view: View,
    private readonly shown: Shown,
    private readonly around: Around,
  ) {
    this.#gestures = gesturesOn(frame, view, shown.plot, ({ plot, at, event }) =>
      this.#ready === null ? null : around.brush.begin(plot, at, event),
    );
    const leave = (): void => this.#leave();
    listen(frame, view.aborted, {
      pointermove: (event) => this.#follow(event),
      pointerleave: () => {
        leave();
        around.crosshair.leave();
      },
      blur: leave,
      click: (event) => this.#click(event),
      keydown: (event) => {
        if (this.#press(event)) event.preventDefault();
      },
    });
  }

  /** The plot on screen; null while its curves are computed. */
  get #ready(): Plot | null {
    return this.view.store.picture.peek().state === "ready" ? this.shown.plot.peek() : null;
  }

  #follow(event: MouseEvent): void {
    const isOwn = (event.target as Element).closest(`[${OWN_DRAG}]`) !== null;
    if (this.#gestures.busy || isOwn || this.#showData(event) || this.around.crosshair.follow(event)) return;
    const picked = this.#pick(event);
    if (picked === null) this.#leave();
    else this.#showCurve(picked);
  }

  /** The curve under the pointer. */
  #pick(event: MouseEvent): Picked | null {
    const shown = this.#ready;
    if (shown === null) return null;
    const { ratio } = shown.size;
    const at = placeIn(this.frame, event);
    const [x, y] = [(at.x - shown.left) * ratio, at.y * ratio];
    const line = isBeside(shown, at.x)
      ? nearestBeside(shown, this.view.store.hiddenLevels.peek(), x, y)
      : (nearestLine(this.#pickable.peek()!, x, y, REACH * ratio)?.line ?? null);
    return line === null ? null : { shown, line, x, y };
  }

  #leave(): void {
    this.view.store.pointed.value = null;
    this.view.tooltip.hide();
  }

  #showCurve({ shown, line, x, y }: Picked, isSpoken = false): void {
    const { store, tooltip } = this.view;
    const { curves } = shown.scene;
    store.pointed.value = curves.positions[line]!;
    const box = this.frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const anchor = new DOMRect(box.left + shown.left + x / ratio, box.top + y / ratio, 0, 0);
    const { rows, note } = curveTooltip(store, this.shown, shown, line, pointNear(shown, x));
    tooltip.show(rowTitle(curves, line), rows, anchor, isSpoken, note);
  }

  /** Shows the data under the pointer; false where there is none. */
  #showData(event: MouseEvent): boolean {
    const shown = this.#ready;
    const data = shown === null ? null : dataAt(shown, this.shown.unlike.peek(), placeIn(this.frame, event));
    if (shown === null || data === null) return false;
    this.view.store.pointed.value = null;
    const box = this.frame.getBoundingClientRect();
    const anchor = new DOMRect(box.left + data.x, box.top + shown.axis, 0, 0);
    this.view.tooltip.show(data.title, data.rows, anchor, false);
    return true;
  }

  #select(line: number, extend: boolean): void {
    this.around.pins.pin(this.shown.plot.peek()!.scene.curves.positions[line]!, extend);
    // The card of the row shows the same, and more.
    this.view.tooltip.hide();
  }

  #click(event: MouseEvent): void {
    const { brush, pins } = this.around;
    if (this.#gestures.dragged) return;
    const hadBrush = brush.remove();
    // The marked line: a click is reported in whole px, which may be nearer to another one.
    const marked = (event as PointerEvent).pointerType === "touch" ? null : this.view.store.hover.peek();
    const line = marked ?? this.#pick(event)?.line ?? null;
    if (line !== null) this.#select(line, event.shiftKey);
    else if (!hadBrush) pins.close();
  }

  /** What a key does; whether it does anything. */
  #press(event: KeyboardEvent): boolean {
    const { store } = this.view;
    const shown = this.shown.plot.peek();
    if (shown === null || event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (this.around.crosshair.press(event)) return true;
    const [line, step] = [store.hover.peek(), STEPS[event.key]];
    if (step !== undefined) this.#step(shown, line, step);
    else if (event.key === " ") {
      if (line !== null) this.#select(line, event.shiftKey);
    } else if (event.key === "Enter" && line !== null) this.#select(line, event.shiftKey);
    else if (event.key === "Escape") {
      if (!this.around.brush.remove() && !this.around.pins.close()) {
        this.#leave();
        store.clearSelection();
      }
    } else return false;
    return true;
  }

  /** Marks the next curve. */
  #step(shown: Plot, current: number | null, step: number): void {
    const line = nextLine(shown, this.view.store.hiddenLevels.peek(), current, step);
    if (line === undefined) return;
    const { x, y } = pxOf(shown, line);
    const { ratio } = shown.size;
    this.#showCurve({ shown, line, x: (x - shown.left) * ratio, y: y * ratio }, true);
  }
}

/** The point of the scene nearest to a place in the canvas; one past the last for the strip beside the axis. */
function pointNear(shown: Plot, x: number): number {
  const { scene, size, left, x: scale } = shown;
  const at = x / size.ratio + left;
  if (isBeside(shown, at)) return scene.x.length;
  const value = scale.invert(at);
  return least(scene.x.keys(), (point) => Math.abs(scene.x[point]! - value)) ?? 0;
}

/** The row whose dot beside the axis is nearest, within reach. */
function nearestBeside(shown: Plot, hidden: Hidden, x: number, y: number): number | null {
  const { scene, size, left, lines } = shown;
  const away = (line: number) =>
    Math.hypot(
      dotX(shown, line, Number.NaN) - left - x / size.ratio,
      shown.y(scene.missing!.values[line]!) - y / size.ratio,
    );
  const nearest = least(
    shown.order.filter((line) => !hidden.has(lines.color[line]!)),
    away,
  );
  return nearest !== undefined && away(nearest) < REACH ? nearest : null;
}

/** Position of the tooltip of a line: at the observed value, or halfway along the line if that is not on the axis. */
function pxOf(shown: Plot, line: number): Point {
  const { scene, lines, left, outer, top, bottom, size, y } = shown;
  const half = Math.floor(lines.nPoints / 2);
  const observedX = dotX(shown, line, scene.curves.observed[line]!);
  const place = Number.isFinite(observedX)
    ? { x: observedX, y: y(scene.own[line]!) }
    : {
        x: lines.x[half]! / size.ratio + left,
        y: lines.y[line * lines.nPoints + half]! / size.ratio,
      };
  // Steep slopes may be beyond the axis.
  return { x: Math.min(outer, Math.max(left, place.x)), y: Math.min(bottom, Math.max(top, place.y)) };
}

/** Arrow keys go through the visible rows from the lowest prediction to the highest. */
function nextLine(shown: Plot, hidden: Hidden, current: number | null, step: number): number | undefined {
  const { predictions, positions } = shown.scene.curves;
  const visible = Array.from(rowLines(shown, hidden)).sort((a, b) => predictions[a]! - predictions[b]! || a - b);
  const start = step > 0 ? -1 : visible.length;
  const isCurrent = (line: number) => positions[line] === positions[current ?? -1];
  const place = (current === null ? start : visible.findIndex(isCurrent)) + step;
  return visible[Math.min(Math.max(place, 0), visible.length - 1)];
}

function withoutHidden({ lines }: Plot, hidden: Hidden): Polylines {
  const { nLines, nPoints } = lines;
  const y = lines.y.slice();
  for (let line = 0; line < nLines; line++) {
    if (hidden.has(lines.color[line]!)) y.fill(Number.NaN, line * nPoints, (line + 1) * nPoints);
  }
  return { nLines, nPoints, x: lines.x, y };
}
