/** Listeners, effects and timers that last as long as a view. */
import { effect } from "@preact/signals-core";

type Listeners = { [Type in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Type]) => void };

/** Listens to the events of an element until the signal is aborted. */
export function listen(node: HTMLElement, aborted: AbortSignal, listeners: Listeners): void {
  for (const [type, listener] of Object.entries(listeners)) {
    node.addEventListener(type, listener as EventListener, { signal: aborted });
  }
}

/** Calls `clean` when the signal is aborted. */
export function atEnd(aborted: AbortSignal, clean: () => void): void {
  aborted.addEventListener("abort", clean, { once: true });
}

/** Runs `act` now, and again when a signal that it reads changes, until the view ends. */
export function react(aborted: AbortSignal, act: () => void): void {
  atEnd(aborted, effect(act));
}

/** Calls one function after some time, unless it is started again or stopped before, or the view ends. */
export class Timer {
  #handle: ReturnType<typeof setTimeout> | undefined;

  constructor(aborted: AbortSignal) {
    atEnd(aborted, () => this.stop());
  }

  start(ms: number, act: () => void): void {
    this.stop();
    this.#handle = setTimeout(act, ms);
  }

  stop(): void {
    clearTimeout(this.#handle);
  }
}
