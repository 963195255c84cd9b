/** What is computed on request of features that act together: interactions, and the heat map of the open pair. */
import { computed, effect, type ReadonlySignal } from "@preact/signals-core";
import type { Client } from "../wire/client.ts";
import { decodeTwoWay, type TwoWay } from "../wire/decode.ts";
import type { InteractionsBody } from "../wire/protocol.ts";
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
  readonly #interactions = new Map<string, Repeated<InteractionsBody>>();
  readonly #pairs = new Map<string, Repeated<TwoWayState>>();
  readonly #current: ReadonlySignal<Repeated<InteractionsBody>>;
  readonly #open: ReadonlySignal<Repeated<TwoWayState> | null>;
  readonly #end: () => void;

  /** `explained` identifies the output, and the features that are computed. */
  constructor(
    private readonly client: Client,
    explained: ReadonlySignal<string>,
    pair: ReadonlySignal<Pair | null>,
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
    // A pair that is no longer open is not computed further.
    this.#end = effect(() => {
      const open = this.#open.value;
      void open?.start();
      return () => open?.stop();
    });
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

  dispose(): void {
    this.#end();
    this.stop();
  }

  #askInteractions(): Repeated<InteractionsBody> {
    return new Repeated(async () => {
      const { body } = await this.client.request({ type: "interactions" });
      return { body, isWhole: body.done === body.total };
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
