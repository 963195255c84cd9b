/** What moves: a sample of the curves is drawn while they do, all of them once they rest. */
import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Store } from "../state/store.ts";
import { react, Timer } from "../ui/lifetime.ts";

/** Time without movement after which curves rest. */
const REST_MS = 120;

/** True from a movement on, until it has ended or paused. */
class Motion {
  readonly #moving = signal(false);
  readonly #rest: Timer;
  readonly moving: ReadonlySignal<boolean> = this.#moving;

  constructor(aborted: AbortSignal) {
    this.#rest = new Timer(aborted);
  }

  follow(isMoving: boolean): void {
    this.#rest.stop();
    this.#moving.value = isMoving;
    if (!isMoving) return;
    this.#rest.start(REST_MS, () => {
      this.#moving.value = false;
    });
  }
}

export class Movement {
  readonly #slider: Motion;
  readonly #brush: Motion;
  readonly #anchor: Motion;

  constructor({ dragging, decay, brushing, selection }: Store, aborted: AbortSignal) {
    [this.#slider, this.#brush, this.#anchor] = [new Motion(aborted), new Motion(aborted), new Motion(aborted)];
    react(aborted, () => {
      decay.value;
      this.#slider.follow(dragging.value);
    });
    react(aborted, () => {
      selection.value;
      this.#brush.follow(brushing.value);
    });
  }

  /** The slider or the anchor moves all curves. */
  get curves(): boolean {
    return this.#slider.moving.value || this.anchor;
  }

  get anchor(): boolean {
    return this.#anchor.moving.value;
  }

  /** A brush moves the selected curves alone. */
  get selection(): boolean {
    return this.#brush.moving.value;
  }

  moveAnchor(): void {
    this.#anchor.follow(true);
  }
}
