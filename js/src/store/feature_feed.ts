/**
 * Something about the open feature that is requested after its curves have been drawn for a moment, one request at a
 * time, so that no curves wait for it; replies are kept.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../wire/client.ts";

/** Delay after drawing curves before the request. */
const PATIENCE_MS = 120;

export type Found<T> = T | { problem: string };

export const isFound = <T extends object>(found: Found<T> | null): found is T =>
  found !== null && !("problem" in found);

/** The feature on screen. */
export interface Showing {
  feature: string;
  /** Identifies what the reply depends on: the feature, the output, and maybe the rows. */
  key: string;
  /** The rows whose curves are drawn. */
  positions: Uint32Array;
}

export class FeatureFeed<T extends object> {
  readonly #known = new Map<string, Found<T>>();
  readonly #news = signal(0);
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  /** Nothing is requested while `showing` is null. */
  constructor(
    private readonly request: (showing: Showing) => Promise<T>,
    private readonly showing: ReadonlySignal<Showing | null>,
  ) {
    this.#end = effect(() => {
      this.#news.value;
      clearTimeout(this.#timer);
      const now = showing.value;
      if (now === null || this.#isAsking || this.#known.has(now.key)) return;
      this.#timer = setTimeout(() => void this.#ask(now), PATIENCE_MS);
    });
  }

  /** The reply; null until it arrives. */
  of(key: string): Found<T> | null {
    this.#news.value;
    return this.#known.get(key) ?? null;
  }

  /** Clears an error, so that the request is repeated. */
  retry(): void {
    for (const [key, found] of this.#known) if (!isFound(found)) this.#known.delete(key);
    this.#news.value++;
  }

  dispose(): void {
    this.#end();
    clearTimeout(this.#timer);
  }

  async #ask(showing: Showing): Promise<void> {
    const { key } = showing;
    this.#isAsking = true;
    try {
      this.#known.set(key, await this.request(showing));
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#known.set(key, { problem: sentenceOf(error) });
    }
    this.#isAsking = false;
    // A cancelled request is repeated when its feature is opened again, not before.
    if (this.#known.has(key) || this.showing.peek()?.key !== key) this.#news.value++;
  }
}
