/** Presses and drags on a plot. */

import type { ReadonlySignal } from "@preact/signals-core";
import type { View } from "../view/view.ts";
import type { Layout } from "./layout.ts";

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

export interface Press {
  layout: Layout;
  at: Point;
  event: PointerEvent;
}

/** A press becomes a drag after a move by this many px; a finger's press also after resting this long. */
const SLOP = 4;
const HOLD_MS = 350;
/** The attribute of parts with drags of their own. */
export const OWN_DRAG = "data-own-drag";

/** Whether a place is in the strip for missing values. */
export const isInSlot = ({ slot }: Pick<Layout, "slot">, x: number): boolean => slot !== null && x > slot.left - 7;

/** Whether a place is on an axis, where no drag begins, and not on the curves or in the strip of missing values. */
const isOnAxis = (layout: Layout, { x, y }: Point): boolean =>
  !isInSlot(layout, x) && (x < layout.left || (y > layout.bottom && x <= layout.right));

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

interface Pending {
  press: Press;
  /** Of a finger: until it has rested for long enough. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The gestures on the frame of one plot. */
export class Gestures {
  /** Whether a drag is in progress; nothing else follows the pointer then. */
  busy = false;
  /** Whether the last press was a drag, so that the next click is ignored. */
  dragged = false;
  readonly #fingers = new Set<number>();
  #pending: Pending | null = null;
  #drag: Drag | null = null;

  /** `begin` returns the drag that a press begins when it moves; a finger must have rested before it. */
  constructor(
    private readonly frame: HTMLElement,
    private readonly view: View,
    private readonly layout: ReadonlySignal<Layout | null>,
    private readonly begin: (press: Press) => Drag | null,
    aborted: AbortSignal,
  ) {
    const options = { signal: aborted };
    frame.addEventListener("pointerdown", (event) => this.#press(event), options);
    window.addEventListener("pointermove", (event) => this.#move(event), options);
    window.addEventListener("pointerup", (event) => this.#release(event, "end"), options);
    window.addEventListener("pointercancel", (event) => this.#release(event, "cancel"), options);
    frame.addEventListener("touchmove", (event) => this.#keepPage(event), { ...options, passive: false });
    frame.addEventListener("mousedown", (event) => this.#pressMouse(event), options);
    aborted.addEventListener("abort", () => this.#forget(), { once: true });
  }

  #press(event: PointerEvent): void {
    // A press on a part with drags of its own never ends as a click on a curve.
    this.dragged = (event.target as Element).closest(`[${OWN_DRAG}]`) !== null;
    const layout = this.layout.peek();
    if (this.dragged || layout === null || event.button !== 0) return;
    const at = placeIn(this.frame, event);
    const isTouch = event.pointerType === "touch";
    if (isTouch) this.#fingers.add(event.pointerId);
    if (this.#fingers.size > 1) {
      this.#forget();
      this.#stop("cancel");
      this.dragged = true;
      return;
    }
    if (isOnAxis(layout, at)) return;
    const press = { layout, at, event };
    this.#pending = { press, timer: isTouch ? setTimeout(() => this.#start(press), HOLD_MS) : undefined };
  }

  #move(event: PointerEvent): void {
    if (this.#drag === null && this.#pending === null) return;
    const at = placeIn(this.frame, event);
    const press = this.#pending?.press;
    if (press?.event.pointerId === event.pointerId) {
      const hasMoved = Math.hypot(at.x - press.at.x, at.y - press.at.y) >= SLOP;
      // One finger scrolls the page, unless it rested first.
      if (hasMoved && event.pointerType === "touch") this.#forget();
      else if (hasMoved) this.#start(press);
    }
    this.#drag?.move(at);
  }

  #release({ pointerId }: PointerEvent, how: "end" | "cancel"): void {
    this.#fingers.delete(pointerId);
    if (this.#pending?.press.event.pointerId === pointerId) this.#forget();
    if (this.#fingers.size === 0) this.#stop(how);
  }

  #start(press: Press): void {
    this.#forget();
    const drag = this.begin(press);
    if (drag === null) return;
    this.#drag = drag;
    this.busy = true;
    this.dragged = true;
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

  /** Prevents the selection of text by a press with Shift. */
  #pressMouse(event: MouseEvent): void {
    if (!event.shiftKey) return;
    event.preventDefault();
    if (event.target === this.frame) this.frame.focus({ preventScroll: true });
  }
}
