/**
 * Intervals of the bars over other samples of rows. The kernel draws the rows of as many features as half a second
 * takes, so a request is repeated until all features are drawn, and one for another figure takes its place at the next
 * reply. Replies are kept.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, type Client, sentenceOf } from "../wire/client.ts";
import { decodeIntervals, type Intervals } from "../wire/decode.ts";
import type { IntervalsRequest } from "../wire/protocol.ts";

/** Delay after a change, such as the end of a drag, before intervals are requested. */
const PATIENCE_MS = 150;

/** What the bars show. */
export interface Shown extends Omit<IntervalsRequest, "type"> {
  /** Identifies the figures; the decay counts only where they depend on it. */
  key: string;
  nFeatures: number;
}

/** Intervals that are drawn or on their way; null where none are shown. */
export type Whiskers =
  | { state: "waiting"; known: number; of: number }
  | { state: "ready"; level: number; intervals: Intervals }
  | { state: "refused"; message: string }
  | null;

type Known = Exclude<Whiskers, null>;

const NOTHING_YET: Known = { state: "waiting", known: 0, of: 0 };

export class IntervalsFeed {
  readonly #known = new Map<string, Known>();
  readonly #news = signal(0);
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  /** `shown` is null while there is nothing to request, as during a drag. */
  constructor(
    private readonly client: Client,
    private readonly shown: ReadonlySignal<Shown | null>,
  ) {
    this.#end = effect(() => {
      this.#news.value;
      clearTimeout(this.#timer);
      const now = shown.value;
      if (now === null || this.#isAsking || this.#of(now.key).state !== "waiting") return;
      this.#timer = setTimeout(() => void this.#ask(now), PATIENCE_MS);
    });
  }

  /** What is known of the bars. */
  of(shown: Shown | null): Known {
    this.#news.value;
    return shown === null ? NOTHING_YET : this.#of(shown.key);
  }

  /** Clears errors, so that requests are repeated. */
  retry(): void {
    for (const [key, { state }] of this.#known) if (state === "refused") this.#known.delete(key);
    this.#news.value++;
  }

  dispose(): void {
    this.#end();
    this.#known.clear();
    clearTimeout(this.#timer);
  }

  #of(key: string): Known {
    return this.#known.get(key) ?? NOTHING_YET;
  }

  async #ask(shown: Shown): Promise<void> {
    const { key, nFeatures, ...request } = shown;
    this.#isAsking = true;
    let isCancelled = false;
    while (!isCancelled && this.shown.peek()?.key === key && this.#of(key).state === "waiting") {
      try {
        const { body, buffers } = await this.client.request({ type: "intervals", ...request });
        const { n_known: known, n_features: of } = body;
        const intervals = known < of ? null : decodeIntervals(body, buffers, nFeatures);
        this.#known.set(
          key,
          intervals === null ? { state: "waiting", known, of } : { state: "ready", level: request.level, intervals },
        );
      } catch (error) {
        isCancelled = error instanceof Cancelled;
        if (!isCancelled) this.#known.set(key, { state: "refused", message: sentenceOf(error) });
      }
      if (!isCancelled) this.#news.value++;
    }
    this.#isAsking = false;
    // A cancelled request is repeated when another figure is shown, not before.
    if (!isCancelled || this.shown.peek()?.key !== key) this.#news.value++;
  }
}
