/** A pointer that presses, drags and lets go in the plot, in px from its upper left corner. */
import { type Mounted, frame as nextFrame } from "./mount.ts";

export interface At {
  x: number;
  y: number;
}

type How = Partial<PointerEventInit>;

export function press(on: HTMLElement, frame: HTMLElement, at: At, how: How = {}): void {
  on.dispatchEvent(pointerEvent("pointerdown", frame, at, how));
}

export function drag(
  { part }: Mounted,
  from: At,
  to: At,
  how: How = {},
  on: HTMLElement = part("plot"),
  frame: HTMLElement = part("plot"),
): void {
  press(on, frame, from, how);
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    on.dispatchEvent(pointerEvent("pointermove", frame, at, how));
  }
}

/** Moves without a press. */
export function move({ part }: Mounted, at: At): void {
  part("plot").dispatchEvent(pointerEvent("pointermove", part("plot"), at, {}));
}

/** Resolves in the next frame. */
export function letGo({ part }: Mounted, at: At, how: How = {}, frame: HTMLElement = part("plot")): Promise<void> {
  frame.dispatchEvent(pointerEvent("pointerup", frame, at, how));
  return nextFrame();
}

function clientOf(frame: HTMLElement, { x, y }: At): { clientX: number; clientY: number } {
  const box = frame.getBoundingClientRect();
  return { clientX: box.left + x, clientY: box.top + y };
}

function pointerEvent(kind: string, frame: HTMLElement, at: At, how: How): PointerEvent {
  return new PointerEvent(kind, { pointerId: 1, pointerType: "mouse", bubbles: true, ...clientOf(frame, at), ...how });
}
