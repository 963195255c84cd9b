/** Whether the anchor moves, so that only a sample of the curves is drawn. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { Timer } from "../../../ui/lifetime.ts";

/** Time without movement after which all curves are drawn. */
const REST_MS = 120;

export class Movement {
  readonly #moving = signal(false);
  readonly moving: ReadonlySignal<boolean> = this.#moving;
  readonly #rest: Timer;

  constructor(aborted: AbortSignal) {
    this.#rest = new Timer(aborted);
  }

  /** Marks the curves as moving, until they rest. */
  stir(): void {
    this.#moving.value = true;
    this.#rest.start(REST_MS, () => {
      this.#moving.value = false;
    });
  }
}
