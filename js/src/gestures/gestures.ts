/** Presses, drags, two-finger zoom and the wheel on a plot. */

import type { ReadonlySignal } from "@preact/signals-core";
import type { Plot } from "../plots/plot.ts";
import type { View } from "../view/view.ts";

/** In px of the frame. */
export interface Point {
  x: number;
  y: number;
}

export interface Drag {
  move(at: Point): void;
  end(): void;
  cancel(): void;
}

/** Location of a press: on the curves, on an axis, or in the strip of missing values. */
type Region = "plot" | "x" | "y" | "beside";

/** The part of a plot that gestures read. */
export type Touched = Pick<Plot, "left" | "right" | "bottom" | "slot">;

export interface Axes {
  x: boolean;
  y: boolean;
}

/** Zooming by two fingers, by the wheel and by a double click. */
export interface Zooming<P> {
  by(plot: P, factor: number, at: Point, axes: Axes): void;
  reset(): void;
}

export interface Press<P = Plot> {
  plot: P;
  at: Point;
  region: Region;
  event: PointerEvent;
  /** Whether the middle button or the space bar is held, which moves the picture with every tool. */
  grabs: boolean;
}

/** A press becomes a drag after a move by this many px; a finger's press also after resting this long. */
const SLOP = 4;
const HOLD_MS = 350;
/** The attribute of parts with drags of their own. */
export const OWN_DRAG = "data-own-drag";
/** The largest zoom of one event of the wheel, as a power of two, and the zoom per px. */
const MOST_PER_NOTCH = 0.5;
const PER_PX = 0.01;
/** For wheels that report lines. */
const PX_PER_WHEEL_LINE = 30;

function regionOf({ left, right, bottom, slot }: Touched, { x, y }: Point): Region {
  if (slot !== null && x > slot.left - 7) return "beside";
  if (x < left) return "y";
  return y > bottom && x <= right ? "x" : "plot";
}

export interface Gestures {
  /** Whether a drag is in progress; nothing else follows the pointer then. */
  readonly busy: boolean;
  /** Whether the last press was a drag, so that the next click is ignored. */
  readonly dragged: boolean;
  /** Whether the space bar is held, and whether a drag has used it. */
  space: "up" | "held" | "used";
}

/** Follows a drag until the pointer is released, anywhere. */
export function followDrag(frame: HTMLElement, { pointerId }: PointerEvent, drag: Drag, aborted: AbortSignal): void {
  const ending = new AbortController();
  const options = { signal: AbortSignal.any([ending.signal, aborted]) };
  const finish = (how: "end" | "cancel") => (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    ending.abort();
    drag[how]();
  };
  const move = (event: PointerEvent): void => {
    if (event.pointerId === pointerId) drag.move(placeIn(frame, event));
  };
  window.addEventListener("pointermove", move, options);
  window.addEventListener("pointerup", finish("end"), options);
  window.addEventListener("pointercancel", finish("cancel"), options);
}

export function placeIn(frame: HTMLElement, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const box = frame.getBoundingClientRect();
  return { x: clientX - box.left, y: clientY - box.top };
}

interface Pending<P> {
  press: Press<P>;
  /** Of a finger: until it has rested for long enough. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The gestures on the frame of one plot. */
class FrameGestures<P extends Touched> implements Gestures {
  busy = false;
  dragged = false;
  space: Gestures["space"] = "up";
  readonly #fingers = new Map<number, Point>();
  #pending: Pending<P> | null = null;
  #drag: Drag | null = null;

  constructor(
    readonly frame: HTMLElement,
    readonly view: View,
    readonly plot: ReadonlySignal<P | null>,
    readonly zoom: Zooming<P> | null,
    readonly begin: (press: Press<P>, held: boolean) => Drag | null,
  ) {
    const options = { signal: view.aborted };
    const active = { ...options, passive: false };
    frame.addEventListener("pointerdown", (event) => this.#press(event), options);
    window.addEventListener("pointermove", (event) => this.#move(event), options);
    window.addEventListener("pointerup", (event) => this.#release(event, "end"), options);
    window.addEventListener("pointercancel", (event) => this.#release(event, "cancel"), options);
    frame.addEventListener("touchmove", (event) => this.#keepPage(event), active);
    frame.addEventListener("mousedown", (event) => this.#pressMouse(event), options);
    view.aborted.addEventListener("abort", () => this.#forget(), { once: true });
    if (zoom === null) return;
    frame.addEventListener("dblclick", () => zoom.reset(), options);
    frame.addEventListener("wheel", (event) => this.#turnWheel(event, zoom), active);
  }

  #press(event: PointerEvent): void {
    // A press on a part with drags of its own never ends as a click on a curve.
    this.dragged = (event.target as Element).closest(`[${OWN_DRAG}]`) !== null;
    const plot = this.plot.peek();
    if (this.dragged || plot === null || event.button > 1) return;
    const at = placeIn(this.frame, event);
    const isTouch = event.pointerType === "touch";
    if (isTouch) this.#fingers.set(event.pointerId, at);
    if (this.#fingers.size > 1) {
      this.#forget();
      this.#stop("cancel");
      this.busy = this.zoom !== null;
      this.dragged = true;
      return;
    }
    const grabs = event.button === 1 || this.space !== "up";
    const press = { plot, at, region: regionOf(plot, at), event, grabs };
    this.#pending = { press, timer: isTouch ? setTimeout(() => this.#start(press, true), HOLD_MS) : undefined };
  }

  #move(event: PointerEvent): void {
    if (this.#pinch(event) || (this.#drag === null && this.#pending === null)) return;
    const at = placeIn(this.frame, event);
    const press = this.#pending?.press;
    if (press?.event.pointerId === event.pointerId) {
      if (Math.hypot(at.x - press.at.x, at.y - press.at.y) >= SLOP) this.#start(press, false);
    }
    this.#drag?.move(at);
  }

  /** Zooms by two fingers; returns whether there are two. */
  #pinch(event: PointerEvent): boolean {
    if (!this.#fingers.has(event.pointerId)) return false;
    const before = spreadOf(this.#fingers);
    this.#fingers.set(event.pointerId, placeIn(this.frame, event));
    const now = spreadOf(this.#fingers);
    const plot = this.plot.peek();
    if (before === null || now === null || plot === null || this.zoom === null) return false;
    this.zoom.by(plot, before.apart / now.apart, now.middle, { x: true, y: true });
    return true;
  }

  #release({ pointerId }: PointerEvent, how: "end" | "cancel"): void {
    this.#fingers.delete(pointerId);
    if (this.#pending?.press.event.pointerId === pointerId) this.#forget();
    if (this.#fingers.size === 0) this.#stop(how);
  }

  #start(press: Press<P>, held: boolean): void {
    this.#forget();
    const drag = this.begin(press, held);
    if (drag === null) return;
    this.#drag = drag;
    this.busy = true;
    this.dragged = true;
    if (this.space === "held") this.space = "used";
    this.#leavePointer();
  }

  #stop(how: "end" | "cancel"): void {
    this.#drag?.[how]();
    this.#drag = null;
    this.busy = false;
  }

  #forget(): void {
    clearTimeout(this.#pending?.timer);
    this.#pending = null;
  }

  #leavePointer(): void {
    this.view.store.pointed.value = null;
    this.view.tooltip.hide();
  }

  /** Prevents the page from scrolling while a finger drags. */
  #keepPage(event: TouchEvent): void {
    if (this.busy && event.cancelable) event.preventDefault();
  }

  /** Prevents scrolling by the middle button, and the selection of text by a press with Shift. */
  #pressMouse(event: MouseEvent): void {
    if (event.button !== 1 && !event.shiftKey) return;
    event.preventDefault();
    if (event.target === this.frame) this.frame.focus({ preventScroll: true });
  }

  #turnWheel(event: WheelEvent, zoom: Zooming<P>): void {
    const plot = this.plot.peek();
    if (!(event.ctrlKey || event.metaKey) || plot === null) return;
    event.preventDefault();
    const at = placeIn(this.frame, event);
    const region = regionOf(plot, at);
    const px = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * PX_PER_WHEEL_LINE;
    const power = Math.min(MOST_PER_NOTCH, Math.max(-MOST_PER_NOTCH, px * PER_PX));
    this.#leavePointer();
    zoom.by(plot, 2 ** power, at, { x: region === "plot" || region === "x", y: region !== "x" });
  }
}

/** `begin` returns the drag that a press begins when it moves; `held` is whether a finger rested first. */
export const gesturesOn = <P extends Touched>(
  frame: HTMLElement,
  view: View,
  plot: ReadonlySignal<P | null>,
  zoom: Zooming<P> | null,
  begin: (press: Press<P>, held: boolean) => Drag | null,
): Gestures => new FrameGestures(frame, view, plot, zoom, begin);

/** The distance of two fingers and their middle; null if there are not two. */
function spreadOf(fingers: ReadonlyMap<number, Point>): { apart: number; middle: Point } | null {
  const [one, other] = [...fingers.values()];
  if (one === undefined || other === undefined) return null;
  const middle = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  return { apart: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)), middle };
}
