/**
 * The order of the features while their figures come in: it changes at most once per second, and not while it is held, so
 * that nothing moves away from the pointer or the keyboard.
 */
import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { RankedFeature } from "./ranking.ts";

const LEAST_MS = 1000;

export class SteadyOrder {
  /** The place of each feature, by its index; none before the first order. */
  #places: Int32Array | null = null;
  #choice = "";
  #changedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #again = signal(0);

  constructor(private readonly isHeld: ReadonlySignal<boolean>) {}

  /**
   * The ranked features, in their own order or in the last one. `choice` is what the reader chose about the order:
   * another choice is followed at once. Reads signals that change when the order may.
   */
  of(ranked: RankedFeature[], choice: string, isComputing: boolean): RankedFeature[] {
    this.#again.value;
    const isHeld = this.isHeld.value;
    clearTimeout(this.#timer);
    const before = this.#places;
    const places = placesOf(ranked);
    if (before === null || choice !== this.#choice || before.length !== places.length)
      return this.#adopt(ranked, choice);
    if (places.every((place, index) => place === before[index])) return ranked;
    const wait = isComputing ? this.#changedAt + LEAST_MS - performance.now() : 0;
    if (!isHeld && wait <= 0) return this.#adopt(ranked, choice);
    if (!isHeld) this.#timer = setTimeout(() => this.#again.value++, wait);
    return ranked.toSorted((a, b) => before[a.index]! - before[b.index]!);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #adopt(ranked: RankedFeature[], choice: string): RankedFeature[] {
    this.#places = placesOf(ranked);
    this.#choice = choice;
    this.#changedAt = performance.now();
    return ranked;
  }
}

function placesOf(ranked: readonly RankedFeature[]): Int32Array {
  const places = new Int32Array(ranked.length);
  for (const [place, { index }] of ranked.entries()) places[index] = place;
  return places;
}
