/** Curves of features besides the open one, with their colours: requested while they are visible, never before those. */
import { computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals-core";
import type { CurvesBody, CurvesRequest } from "../wire/protocol.ts";
import { Feed, type Progress, type Wanted } from "./feed.ts";
import type { Loaded, Store } from "./store.ts";

/** Values of curves that are kept, 16 MB of them. */
const MOST_VALUES = 4e6;

export interface CurvesOptions {
  /** How many lines of each feature. */
  maxLines: () => number;
  /** Rows that must be among them; curves without some of these are shown until they are replaced. */
  rows: () => readonly number[];
  /** Curves that are available without a request. */
  atHand?: (feature: string, rows: readonly number[]) => CurvesBody | null;
}

/** What curves were requested with; the kernel may have fewer. */
interface Query {
  maxLines: number;
  rows: ReadonlySet<number>;
  nRows: number | null;
}

interface Requested extends Wanted {
  feature: string;
}

export class FeatureCurves {
  readonly #names = signal<readonly string[]>([]);
  readonly #queries = new WeakMap<CurvesBody, Query>();
  readonly #coloring: ReadonlySignal<string>;
  readonly #rows: ReadonlySignal<readonly number[]>;
  readonly #feed: Feed<Requested, Loaded>;
  readonly #stop: () => void;

  constructor(
    private readonly store: Store,
    private readonly options: CurvesOptions,
  ) {
    this.#coloring = computed(() => JSON.stringify([store.colorBy.value, store.split.value]));
    let rows: readonly number[] = [];
    this.#rows = computed(() => {
      if (!store.brushing.value) rows = options.rows(); // a brush requests nothing on its way
      return rows;
    });
    const wanted = computed((): Requested[] => {
      const version = JSON.stringify([options.maxLines(), this.#rows.value, this.#coloring.value]);
      return this.#names.value.map((feature) => ({
        key: this.#key(feature),
        version: `${version} ${store.nRowsOf(feature)}`,
        feature,
      }));
    });
    this.#feed = new Feed(wanted, async ({ feature }) => ({ share: 1, body: await this.#load(feature) }), {
      atOnce: 2,
      isBlocked: () => store.picture.value.state === "loading",
      room: { size: ({ curves }) => curves.values.length, most: MOST_VALUES },
    });
    const state = computed(() => store.status.value.state);
    this.#stop = effect(() => {
      state.value;
      untracked(() => this.#feed.retry());
    });
  }

  get(feature: string): Progress<Loaded> {
    return this.#feed.of(this.#key(feature));
  }

  /** Sets the visible features, the most urgent first; others are no longer requested. */
  want(features: readonly string[]): void {
    this.#names.value = features;
  }

  dispose(): void {
    this.#stop();
    this.#feed.dispose();
  }

  #key(feature: string): string {
    return `${this.store.measured.value} ${feature}`;
  }

  /** Curves appear together with their colours, which may be chosen anew on their way. */
  async #load(feature: string): Promise<Loaded> {
    const curves = await this.#request(feature);
    for (;;) {
      const coloring = this.#coloring.peek();
      const { colors, problem } = await this.store.colorsOf(curves);
      if (coloring === this.#coloring.peek()) return { curves, colors, colorProblem: problem, models: null };
    }
  }

  async #request(feature: string): Promise<CurvesBody> {
    const { maxLines: most, atHand } = this.options;
    const query = untracked(() => ({ maxLines: most(), nRows: this.store.nRowsOf(feature) }));
    const rows = this.#rows.peek();
    const before = untracked(() => this.get(feature)).body?.curves;
    if (before !== undefined && this.#isEnough(before, query, rows)) return before;
    const known = atHand?.(feature, rows) ?? null;
    const request: CurvesRequest = { type: "curves", feature, max_lines: query.maxLines, selection: [...rows] };
    const curves = known ?? (await this.store.client.request(request));
    this.#queries.set(curves, { ...query, rows: new Set(rows) });
    return curves;
  }

  #isEnough(curves: CurvesBody, { maxLines, nRows }: Omit<Query, "rows">, rows: readonly number[]): boolean {
    const query = this.#queries.get(curves);
    if (query === undefined || query.maxLines < maxLines || query.nRows !== nRows) return false;
    const drawn = new Set(curves.positions);
    return rows.every((row) => drawn.has(row) || query.rows.has(row));
  }
}
