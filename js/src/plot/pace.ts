/** How much is drawn: a fair sample within the time of a frame while curves move, all of them once they rest. */
import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { Store } from "../state/store.ts";
import type { Frames } from "../ui/frames.ts";
import { react, Timer } from "../ui/lifetime.ts";

/** Time without movement after which curves rest. */
const REST_MS = 120;
/** Time of a frame for the lines of all plots that move together, and for those that are painted once they rest. */
const BUDGET_MS = 8;
/** Fewer lines than this no longer show the shape of all, in a plot alone and in one of several. */
const [LEAST_ALONE, LEAST_LINES] = [40, 20];

/** True from a change in a drag on, until that has ended or paused. */
function moves(
  value: ReadonlySignal<unknown>,
  isDragged: () => boolean,
  aborted: AbortSignal,
): ReadonlySignal<boolean> {
  const moving = signal(false);
  const rest = new Timer(aborted);
  react(aborted, () => {
    value.value;
    moving.value = isDragged();
    rest.start(REST_MS, () => {
      moving.value = false;
    });
  });
  return moving;
}

/** Divides the time of a frame among the plots of a view. */
export class Pace {
  readonly #slider: ReadonlySignal<boolean>;
  readonly #brush: ReadonlySignal<boolean>;
  readonly #anchor: ReadonlySignal<boolean>;
  #msPerLine = 0;
  /** The frame of the last painting, and the time that it took so far. */
  #frame: CSSNumberish | null = null;
  #spent = 0;
  readonly #plots = new Set<() => boolean>();
  readonly #waiting = new Map<object, () => void>();

  constructor(
    { decay, selection, anchor, dragged }: Store,
    private readonly frames: Frames,
    aborted: AbortSignal,
  ) {
    this.#slider = moves(decay, () => dragged.value === "decay", aborted);
    this.#brush = moves(selection, () => dragged.value === "selection", aborted);
    this.#anchor = moves(anchor, () => dragged.value === "anchor", aborted);
  }

  /** Whether the slider or the anchor moves all curves. */
  get movesCurves(): boolean {
    return this.#slider.value || this.movesAnchor;
  }

  get movesAnchor(): boolean {
    return this.#anchor.value;
  }

  /** Whether a brush moves the selected curves alone. */
  get movesSelection(): boolean {
    return this.#brush.value;
  }

  /** Counts a plot while it is near the view; returns a function that removes it. */
  share(isNear: () => boolean): () => void {
    this.#plots.add(isNear);
    return () => this.#plots.delete(isNear);
  }

  /** How many of the lines of a plot a frame has time for. */
  affordable(nLines: number): number {
    if (this.#msPerLine === 0) return nLines;
    const nPlots = [...this.#plots].filter((isNear) => isNear()).length;
    const budget = BUDGET_MS / Math.max(1, nPlots);
    const least = nPlots > 1 ? LEAST_LINES : LEAST_ALONE;
    return Math.min(nLines, Math.max(least, Math.floor(budget / this.#msPerLine)));
  }

  /** Paints at once, or in the next frame where this one has no time left; a later painting of the same replaces it. */
  whenFree(painter: object, paint: () => void): void {
    this.#waiting.delete(painter);
    if (document.timeline.currentTime !== this.#frame) this.#spent = 0;
    this.#frame = document.timeline.currentTime;
    if (this.#spent <= BUDGET_MS) paint();
    else {
      this.#waiting.set(painter, paint);
      this.frames.request(this.#paintWaiting);
    }
  }

  cancel(painter: object): void {
    this.#waiting.delete(painter);
  }

  took(ms: number, nLines: number): void {
    this.#spent += ms;
    if (nLines === 0) return;
    const cost = ms / nLines;
    this.#msPerLine = this.#msPerLine === 0 ? cost : 0.7 * this.#msPerLine + 0.3 * cost;
  }

  readonly #paintWaiting = (): void => {
    this.#spent = 0;
    for (const [painter, paint] of this.#waiting) {
      if (this.#spent > BUDGET_MS) break;
      this.#waiting.delete(painter);
      paint();
    }
    if (this.#waiting.size > 0) this.frames.request(this.#paintWaiting);
  };
}
