/**
 * The what-if of the one selected row: how far a change of each feature moves its prediction. A reply has as many
 * features as the kernel computes in half a second, so requests are repeated until all are known.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, type Client, sentenceOf } from "../wire/client.ts";
import type { FeatureMoves, MoveBody } from "../wire/protocol.ts";
import { halfWeight } from "../words/numbers.ts";

/** Delay after the selection of a row before its what-if is requested. */
const PATIENCE_MS = 60;
const ROUNDING = 1e-9;

/** A row, and the features to request, the most important one first. */
export interface Question {
  row: number;
  features: readonly string[];
}

export interface WhatIf {
  row: number;
  moves: ReadonlyMap<string, FeatureMoves>;
  /** Features that are known or will be. */
  total: number;
  /** Why the others are not known, as a sentence. */
  problem: string | null;
}

/** The largest change within reach of the row: where values count at least half. Null where nothing changes. */
export function largestChange({ moves }: FeatureMoves, decay: number): MoveBody | null {
  const reach = halfWeight(decay) * (1 + ROUNDING);
  const near = moves.filter(({ distance }) => (distance ?? Number.POSITIVE_INFINITY) <= reach);
  return near[near.length - 1] ?? null;
}

export class WhatIfFeed {
  readonly known: ReadonlySignal<WhatIf | null>;
  readonly #known = signal<WhatIf | null>(null);
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  /** A new request is sent when the key changes. */
  constructor(
    private readonly client: Client,
    key: ReadonlySignal<string>,
    question: () => Question | null,
  ) {
    this.known = this.#known;
    this.#end = effect(() => {
      key.value;
      const turn = ++this.#turn;
      clearTimeout(this.#timer);
      const now = question();
      this.#known.value =
        now === null ? null : { row: now.row, moves: new Map(), total: now.features.length, problem: null };
      if (now !== null && client.hasKernel) this.#timer = setTimeout(() => void this.#ask(now, turn), PATIENCE_MS);
    });
  }

  dispose(): void {
    this.#end();
    this.#turn++;
    clearTimeout(this.#timer);
  }

  async #ask({ row, features }: Question, turn: number): Promise<void> {
    const moves = new Map<string, FeatureMoves>();
    let problem: string | null = null;
    while (problem === null && moves.size < features.length) {
      try {
        const left = features.filter((name) => !moves.has(name));
        const { body } = await this.client.request({ type: "what_if", position: row, features: left });
        for (const each of body.features) moves.set(each.feature, each);
        if (body.features.length === 0) problem = "The kernel sent no changes.";
      } catch (error) {
        if (error instanceof Cancelled) return;
        problem = sentenceOf(error);
      }
      if (turn !== this.#turn) return;
      this.#known.value = { row, moves: new Map(moves), total: features.length, problem };
    }
  }
}
