/** What is computed on request of several features: interactions, the heat map of the open pair, and importances. */
import { computed, effect, type ReadonlySignal } from "@preact/signals-core";
import type { Client } from "../wire/client.ts";
import { decodeTwoWay, type TwoWay } from "../wire/decode.ts";
import type { ImportanceBody, InteractionsBody, Measure } from "../wire/protocol.ts";
import { type Progress, Repeated } from "./repeated.ts";

export interface Pair {
  first: string;
  second: string;
}

/** As far as it is computed: a share of the rows, and the result when that is 1. */
export interface TwoWayState {
  shareDone: number;
  twoWay: TwoWay | null;
}

export class JointFeed {
  readonly interactions: ReadonlySignal<Progress<InteractionsBody>>;
  /** Null while no pair is open. */
  readonly twoWay: ReadonlySignal<Progress<TwoWayState> | null>;
  /** Null while no measure is chosen. */
  readonly importance: ReadonlySignal<Progress<ImportanceBody> | null>;
  readonly #interactions = new Map<string, Repeated<InteractionsBody>>();
  readonly #pairs = new Map<string, Repeated<TwoWayState>>();
  readonly #importances = new Map<string, Repeated<ImportanceBody>>();
  readonly #current: ReadonlySignal<Repeated<InteractionsBody>>;
  readonly #open: ReadonlySignal<Repeated<TwoWayState> | null>;
  readonly #chosen: ReadonlySignal<Repeated<ImportanceBody> | null>;
  readonly #ends: (() => void)[];

  /** `explained` identifies the output, and the features that are computed. */
  constructor(
    private readonly client: Client,
    explained: ReadonlySignal<string>,
    pair: ReadonlySignal<Pair | null>,
    measure: ReadonlySignal<Measure | null>,
  ) {
    this.#current = computed(() => remembered(this.#interactions, explained.value, () => this.#askInteractions()));
    this.interactions = computed(() => this.#current.value.progress.value);
    this.#open = computed(() => {
      const open = pair.value;
      if (open === null) return null;
      const key = JSON.stringify([explained.value, open.first, open.second]);
      return remembered(this.#pairs, key, () => this.#askPair(open));
    });
    this.twoWay = computed(() => this.#open.value?.progress.value ?? null);
    this.#chosen = computed(() => {
      const chosen = measure.value;
      if (chosen === null) return null;
      const key = JSON.stringify([explained.value, chosen]);
      return remembered(this.#importances, key, () => this.#askImportance(chosen));
    });
    this.importance = computed(() => this.#chosen.value?.progress.value ?? null);
    // What is no longer open or chosen is not computed further.
    this.#ends = [
      effect(() => {
        const open = this.#open.value;
        void open?.start();
        return () => open?.stop();
      }),
      effect(() => {
        const chosen = this.#chosen.value;
        return () => chosen?.stop();
      }),
    ];
  }

  start(): void {
    void this.#current.peek().start();
  }

  stop(): void {
    this.#current.peek().stop();
  }

  retryPair(): void {
    void this.#open.peek()?.start();
  }

  startImportance(): void {
    void this.#chosen.peek()?.start();
  }

  stopImportance(): void {
    this.#chosen.peek()?.stop();
  }

  dispose(): void {
    for (const end of this.#ends) end();
    this.stop();
  }

  #askInteractions(): Repeated<InteractionsBody> {
    return new Repeated(async () => {
      const { body } = await this.client.request({ type: "interactions" });
      return { body, isWhole: body.done === body.total };
    });
  }

  #askImportance(measure: Measure): Repeated<ImportanceBody> {
    return new Repeated(async () => {
      const { body } = await this.client.request({ type: "importance", measure });
      return { body, isWhole: body.share_done === 1 };
    });
  }

  #askPair({ first, second }: Pair): Repeated<TwoWayState> {
    return new Repeated(async () => {
      const { body, buffers } = await this.client.request({ type: "two_way", first, second });
      const isWhole = body.share_done === 1;
      return { body: { shareDone: body.share_done, twoWay: isWhole ? decodeTwoWay(body, buffers) : null }, isWhole };
    });
  }
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
