/** Presses, drags, two fingers and the wheel over the plot: which of them begins what. */

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

/** What gestures read of a plot, large or small. */
export type Touched = Pick<Plot, "left" | "right" | "bottom" | "slot">;

export interface Axes {
  x: boolean;
  y: boolean;
}

/** What two fingers, the wheel and a double click do, where a plot can be zoomed. */
export interface Zooming<P> {
  by(plot: P, factor: number, at: Point, axes: Axes): void;
  reset(): void;
}

export interface Press<P = Plot> {
  plot: P;
  at: Point;
  region: Region;
  event: PointerEvent;
  /** Whether the reader holds what says "move the picture" for every tool. */
  grabs: boolean;
}

/** A press becomes a drag once it has moved by so many px, and a finger's once it has rested for so long. */
const SLOP = 4;
const HOLD_MS = 350;
/** Parts with drags of their own carry this. */
export const OWN_DRAG = "data-own-drag";
/** How much a notch of the wheel zooms at most, as a power of two, and how much a px of it does. */
const MOST_PER_NOTCH = 0.5;
const PER_PX = 0.01;

function regionOf({ left, right, bottom, slot }: Touched, { x, y }: Point): Region {
  if (slot !== null && x > slot.left - 7) return "beside";
  if (x < left) return "y";
  return y > bottom && x <= right ? "x" : "plot";
}

export interface Gestures {
  /** Whether a drag is under way, so that nothing else follows the pointer. */
  readonly busy: boolean;
  /** Whether the last press was a drag: the click that follows is none. */
  readonly dragged: boolean;
  /** Whether the space bar is held, and whether a drag happened meanwhile. */
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

export function gesturesOn<P extends Touched>(
  frame: HTMLElement,
  view: View,
  plot: ReadonlySignal<P | null>,
  zoom: Zooming<P> | null,
  /** What a press begins when it moves; `held` says that a finger rested first. */
  begin: (press: Press<P>, held: boolean) => Drag | null,
): Gestures {
  const { aborted, store, tooltip } = view;
  const options = { signal: aborted };
  const state: { busy: boolean; dragged: boolean; space: Gestures["space"] } = {
    busy: false,
    dragged: false,
    space: "up",
  };
  const fingers = new Map<number, Point>();
  let pending: { press: Press<P>; timer: ReturnType<typeof setTimeout> | undefined } | null = null;
  let drag: Drag | null = null;
  aborted.addEventListener("abort", () => clearTimeout(pending?.timer), { once: true });

  const forget = (): void => {
    clearTimeout(pending?.timer);
    pending = null;
  };
  const start = (press: Press<P>, held: boolean): void => {
    forget();
    const begun = begin(press, held);
    if (begun === null) return;
    drag = begun;
    state.busy = true;
    state.dragged = true;
    if (state.space === "held") state.space = "used";
    store.pointed.value = null;
    tooltip.hide();
  };
  const stop = (how: "end" | "cancel"): void => {
    drag?.[how]();
    drag = null;
    state.busy = false;
  };

  frame.addEventListener(
    "pointerdown",
    (event) => {
      // What begins on a part with drags of its own never ends as a click on a line.
      state.dragged = (event.target as Element).closest(`[${OWN_DRAG}]`) !== null;
      const shown = plot.peek();
      if (state.dragged || shown === null || event.button > 1) return;
      const at = placeIn(frame, event);
      if (event.pointerType === "touch") fingers.set(event.pointerId, at);
      if (fingers.size > 1) {
        forget();
        stop("cancel");
        state.busy = zoom !== null;
        state.dragged = true;
        return;
      }
      const grabs = event.button === 1 || state.space !== "up";
      const press = { plot: shown, at, region: regionOf(shown, at), event, grabs };
      const timer = event.pointerType === "touch" ? setTimeout(() => start(press, true), HOLD_MS) : undefined;
      pending = { press, timer };
    },
    options,
  );
  window.addEventListener(
    "pointermove",
    (event) => {
      if (fingers.has(event.pointerId)) {
        const before = spreadOf(fingers);
        fingers.set(event.pointerId, placeIn(frame, event));
        const now = spreadOf(fingers);
        const shown = plot.peek();
        if (before !== null && now !== null && shown !== null && zoom !== null) {
          zoom.by(shown, before.apart / now.apart, now.middle, { x: true, y: true });
          return;
        }
      }
      if (drag === null && pending === null) return;
      const at = placeIn(frame, event);
      if (pending !== null && pending.press.event.pointerId === event.pointerId) {
        const { press } = pending;
        if (Math.hypot(at.x - press.at.x, at.y - press.at.y) >= SLOP) start(press, false);
      }
      drag?.move(at);
    },
    options,
  );
  const release =
    (how: "end" | "cancel") =>
    ({ pointerId }: PointerEvent): void => {
      fingers.delete(pointerId);
      if (pending?.press.event.pointerId === pointerId) forget();
      if (fingers.size === 0) stop(how);
    };
  window.addEventListener("pointerup", release("end"), options);
  window.addEventListener("pointercancel", release("cancel"), options);
  // Once a finger has rested and drags, the page stays where it is.
  frame.addEventListener(
    "touchmove",
    (event) => {
      if (state.busy && event.cancelable) event.preventDefault();
    },
    { ...options, passive: false },
  );
  // The middle button starts no scrolling of the page, and Shift selects lines, not the text around them.
  frame.addEventListener(
    "mousedown",
    (event) => {
      if (event.button !== 1 && !event.shiftKey) return;
      event.preventDefault();
      if (event.target === frame) frame.focus({ preventScroll: true });
    },
    options,
  );
  if (zoom === null) return state;
  frame.addEventListener("dblclick", () => zoom.reset(), options);
  frame.addEventListener(
    "wheel",
    (event) => {
      const shown = plot.peek();
      if (!(event.ctrlKey || event.metaKey) || shown === null) return;
      event.preventDefault();
      const at = placeIn(frame, event);
      const region = regionOf(shown, at);
      const px = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 30;
      const power = Math.min(MOST_PER_NOTCH, Math.max(-MOST_PER_NOTCH, px * PER_PX));
      store.pointed.value = null;
      tooltip.hide();
      zoom.by(shown, 2 ** power, at, { x: region === "plot" || region === "x", y: region !== "x" });
    },
    { ...options, passive: false },
  );
  return state;
}

/** How far apart two fingers are, and what is between them; null where there are not two. */
function spreadOf(fingers: ReadonlyMap<number, Point>): { apart: number; middle: Point } | null {
  const [one, other] = [...fingers.values()];
  if (one === undefined || other === undefined) return null;
  const middle = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  return { apart: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)), middle };
}
