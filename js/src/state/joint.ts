/** What is computed on request of several features: interactions, and the heat map of the open pair. */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Client } from "../wire/client.ts";
import type { InteractionsBody, TwoWay } from "../wire/protocol.ts";
import { Feed, type Progress, type Wanted } from "./feed.ts";

export interface Pair {
  first: string;
  second: string;
}

/** Delay before any of them is requested. */
const PATIENCE_MS = 60;

export class Joint {
  readonly interactions: ReadonlySignal<Progress<InteractionsBody>>;
  /** Null while no pair is open. */
  readonly twoWay: ReadonlySignal<Progress<TwoWay> | null>;
  /** The output whose interactions are requested. */
  readonly #started = signal<string | null>(null);
  readonly #interactions: Feed<Wanted, InteractionsBody>;
  readonly #pairs: Feed<Wanted & Pair, TwoWay>;

  /** `explained` identifies the output, and the features that are computed; `nRows` are those of the sample. */
  constructor(
    client: Client,
    private readonly explained: ReadonlySignal<string>,
    nRows: ReadonlySignal<number | null>,
    pair: ReadonlySignal<Pair | null>,
  ) {
    const started = computed((): Wanted | null =>
      this.#started.value === explained.value ? { key: explained.value, version: nRows.value } : null,
    );
    this.#interactions = new Feed(
      started,
      async () => {
        const body = await client.request({ type: "interactions" });
        return { share: body.done / body.total, body };
      },
      { patience: PATIENCE_MS },
    );
    this.interactions = computed(() => this.#interactions.of(explained.value));
    const open = computed((): (Wanted & Pair) | null => {
      const { first, second } = pair.value ?? {};
      if (first === undefined || second === undefined) return null;
      return { key: JSON.stringify([explained.value, first, second]), version: nRows.value, first, second };
    });
    this.#pairs = new Feed(
      open,
      async ({ first, second }) => {
        const { share_done: share, two_way: body } = await client.request({ type: "two_way", first, second });
        return { share, body };
      },
      { patience: PATIENCE_MS },
    );
    this.twoWay = computed(() => (open.value === null ? null : this.#pairs.of(open.value.key)));
  }

  start(): void {
    batch(() => {
      this.#started.value = this.explained.peek();
      this.#interactions.retry();
    });
  }

  /** Requests no more; the kernel keeps what it has computed. */
  stop(): void {
    this.#started.value = null;
  }

  retryPair(): void {
    this.#pairs.retry();
  }

  dispose(): void {
    this.#interactions.dispose();
    this.#pairs.dispose();
  }
}
