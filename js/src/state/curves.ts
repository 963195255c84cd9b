/**
 * The curves of features with their colours, and where they are unlike the data: of the open feature, and of those in
 * small plots. Curves and colours change together, so that curves never appear in the wrong colour.
 */
import { computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals-core";
import { nearestIndex } from "../plot/geometry/transforms.ts";
import type { Client } from "../wire/client.ts";
import type { ColorsBody, CurvesBody, CurvesRequest, UnlikeBody } from "../wire/protocol.ts";
import { Feed, type Progress, type Wanted } from "./feed.ts";
import { modelColors, type OfModel } from "./models.ts";
import { type Split, splitColors } from "./two_sides.ts";

/** Lines of a small plot, and selected rows that are sure to be among them. */
export const SMALL_LINES = 200;
const SMALL_SELECTED = 20;
/** Values that are kept, 16 MB of them. */
const MOST_VALUES = 4e6;
/** Delay after drawing curves, so that no curves wait for what is requested about them. */
const PATIENCE_MS = 120;

export interface Loaded {
  curves: CurvesBody;
  colors: ColorsBody | null;
  /** Why the lines could not be coloured, as a sentence. */
  colorProblem: string | null;
  /** The curves of all models, which then have the colours, the open one first; null where they are of one model. */
  models: readonly OfModel[] | null;
}

/** What the curves depend on. */
interface Sources {
  /** Identifies output and unit of distances. */
  measured: ReadonlySignal<string>;
  /** The open feature; "" is none. */
  feature: ReadonlySignal<string>;
  maxLines: ReadonlySignal<number>;
  selection: ReadonlySignal<readonly number[]>;
  brushing: ReadonlySignal<boolean>;
  /** Names of several models, and of the open one; none and "" with one. */
  models: ReadonlySignal<readonly string[]>;
  openModel: ReadonlySignal<string>;
  /** Whether the curves of all models share the axes. */
  showsModels: ReadonlySignal<boolean>;
  colorBy: ReadonlySignal<string | null>;
  split: ReadonlySignal<Split>;
  fadesUnlike: ReadonlySignal<boolean>;
  /** What the kernel is doing: what failed is requested again when it does something else. */
  status: ReadonlySignal<string>;
  nRowsOf: (feature: string) => number | null;
}

/** The curves of a plot. */
interface Drawn {
  key: string;
  feature: string;
  models: readonly string[];
  maxLines: number;
  isSmall: boolean;
}

interface WantedCurves extends Drawn, Wanted {
  rows: readonly number[];
  nRows: number | null;
}

interface WantedColors extends Wanted {
  curves: CurvesBody;
  column: string | null;
  split: Split;
}

interface WantedUnlike extends Wanted {
  feature: string;
  positions: Uint32Array;
}

/** A row, and features of which values unlike the data are marked for it. */
export interface RowFeatures {
  row: number;
  features: readonly string[];
}

export class Curves {
  /** The curves of the open feature without colours, which may depend on what is known of these; null while unknown. */
  readonly plain: ReadonlySignal<CurvesBody | null>;
  /** The curves of the open feature. */
  readonly open: ReadonlySignal<Progress<Loaded>>;
  readonly #small = signal<readonly string[]>([]);
  /** What the card of a row shows; null while there is none. */
  readonly card = signal<RowFeatures | null>(null);
  /** One reply for each model, in the order of the request. */
  readonly #curves: Feed<WantedCurves, CurvesBody[]>;
  readonly #colors: Feed<WantedColors, ColorsBody>;
  readonly #unlike: Feed<WantedUnlike, Unlike>;
  readonly #nRows = new WeakMap<CurvesBody[], number | null>();
  readonly #modelColors = new WeakMap<CurvesBody, ColorsBody>();
  readonly #numbers = new WeakMap<CurvesBody, number>();
  #lastNumber = 0;
  readonly #stop: () => void;

  constructor(
    private readonly sources: Sources,
    client: Client,
  ) {
    const { brushing, selection, feature, nRowsOf, colorBy, split, fadesUnlike, status } = sources;
    let rows: readonly number[] = [];
    const rest = computed(() => {
      if (!brushing.value) rows = selection.value; // a brush requests nothing on its way
      return rows;
    });
    const want = (name: string, isSmall: boolean): WantedCurves => {
      const rows = isSmall ? rest.value.slice(0, SMALL_SELECTED) : rest.value;
      const nRows = nRowsOf(name);
      return { ...this.#drawn(name, isSmall), rows, nRows, version: JSON.stringify([nRows, rows]), isUrgent: !isSmall };
    };
    const wanted = computed(() => {
      const opened = feature.value === "" ? [] : [want(feature.value, false)];
      return [...opened, ...this.#small.value.map((name) => want(name, true))];
    });
    this.#curves = new Feed<WantedCurves, CurvesBody[]>(
      wanted,
      async ({ feature, models, maxLines, rows, nRows }, _known, last) => {
        if (last !== null && this.#nRows.get(last) === nRows && hasRows(last[0]!, rows))
          return { share: 1, body: last };
        const request: CurvesRequest = { type: "curves", feature, max_lines: maxLines, selection: [...rows] };
        const requests = models.map((model) => client.request(model === "" ? request : { ...request, model }));
        const body = await Promise.all(requests);
        this.#nRows.set(body, nRows);
        return { share: 1, body };
      },
      { atOnce: 2, room: { size: (body) => body.length * body[0]!.values.length, most: MOST_VALUES } },
    );
    /** Curves that are wanted and known. */
    const known = computed(() =>
      wanted.value.flatMap(({ key, ...rest }) => {
        const { body } = this.#curves.of(key);
        return body === null ? [] : [{ ...rest, key, curves: this.#openOf(body, rest.models) }];
      }),
    );
    const wantedColors = computed(() => {
      const chosen = { column: colorBy.value, split: split.value };
      if (chosen.column === null) return [];
      return known.value.map(({ curves }) => ({ key: this.#colorsKey(curves), curves, ...chosen }));
    });
    this.#colors = new Feed(
      wantedColors,
      async ({ curves, column, split }) => {
        const positions = Array.from(curves.positions);
        // Levels of a rule may be too rare to have a separate colour.
        const levels = split === null || split === "median" ? null : split.levels;
        const colors = await client.request({ type: "colors", column: column!, positions, levels });
        return { share: 1, body: splitColors(colors, split) };
      },
      { atOnce: 2, room: { size: ({ values }) => values.length, most: MOST_VALUES } },
    );
    const wantedUnlike = computed((): WantedUnlike[] => {
      if (!fadesUnlike.value) return [];
      const ofPlots = known.value.map(({ feature, isSmall, curves }) => ({
        key: unlikeKey(feature, isSmall),
        version: this.#numberOf(curves),
        feature,
        positions: curves.positions,
      }));
      const { row = 0, features = [] } = this.card.value ?? {};
      const ofRow = features.map((feature) => ({ key: rowKey(feature, row), feature, positions: Uint32Array.of(row) }));
      return [...ofPlots, ...ofRow];
    });
    this.#unlike = new Feed<WantedUnlike, Unlike>(
      wantedUnlike,
      async ({ feature, positions }) => {
        const body = await client.request({ type: "unlike", feature, positions: Array.from(positions) });
        return { share: 1, body: { ...body, positions } };
      },
      { patience: PATIENCE_MS },
    );
    this.plain = computed(() => {
      const { key, models } = this.#drawn(feature.value, false);
      const { body } = this.#curves.of(key);
      return body && this.#openOf(body, models);
    });
    this.open = this.#follow(() => this.#drawn(feature.value, false));
    this.#stop = effect(() => {
      status.value;
      untracked(() => this.retry());
    });
  }

  /** Sets the features in small plots, the most urgent first; others are no longer requested. */
  want(features: readonly string[]): void {
    this.#small.value = features;
  }

  /** The curves of a feature in a small plot; the last ones stay while others are on their way. */
  small(feature: string): ReadonlySignal<Progress<Loaded>> {
    return this.#follow(() => this.#drawn(feature, true));
  }

  /** Which phantom observations of a feature are unlike 99 % of rows: of its large plot, or of its small one. */
  unlike(feature: string, isSmall = false): Progress<Unlike> {
    return this.#unlike.of(unlikeKey(feature, isSmall));
  }

  /** Whether a value is known to be unlike 99 % of rows for a row in whose card the feature is. */
  isUnlike(feature: string, row: number, value: number): boolean {
    const { body } = this.#unlike.of(rowKey(feature, row));
    return body !== null && this.sources.fadesUnlike.value && body.flags[nearestIndex(body.grid, value)] === 1;
  }

  /** Repeats what failed. */
  retry(): void {
    for (const feed of [this.#curves, this.#colors, this.#unlike]) feed.retry();
  }

  dispose(): void {
    this.#stop();
    for (const feed of [this.#curves, this.#colors, this.#unlike]) feed.dispose();
  }

  /** Of several models, a large plot may show all: they are requested together, so that they have the same rows. */
  #drawn(feature: string, isSmall: boolean): Drawn {
    const { measured, models: all, openModel, maxLines: most } = this.sources;
    const models = isSmall || all.value.length === 0 ? [openModel.value] : all.value;
    const maxLines = isSmall ? SMALL_LINES : most.value;
    const key = JSON.stringify([measured.value, models, isSmall, maxLines, feature]);
    return { key, feature, models, maxLines, isSmall };
  }

  #follow(draw: () => Drawn): ReadonlySignal<Progress<Loaded>> {
    let last: { key: string; progress: Progress<Loaded> } | undefined;
    return computed((): Progress<Loaded> => {
      const drawn = draw();
      const progress = this.#curves.of(drawn.key);
      const before = last?.key === drawn.key ? last.progress : null;
      const loaded = progress.body === null ? null : this.#coloured(progress.body, drawn);
      const isOther = loaded !== null && !(before?.body && isSame(loaded, before.body));
      const body = isOther ? loaded : (before?.body ?? null);
      const state = progress.state === "error" ? "error" : loaded === null ? "computing" : "ready";
      if (before?.state === state && before.body === body) return before;
      last = { key: drawn.key, progress: { ...progress, state, body } as Progress<Loaded> };
      return last.progress;
    });
  }

  /** Curves with the chosen colours; null while these are on their way. */
  #coloured(all: readonly CurvesBody[], { models, isSmall }: Drawn): Loaded | null {
    const { colorBy, showsModels } = this.sources;
    if (showsModels.value && !isSmall) return this.#stacked(all, models);
    const curves = this.#openOf(all, models);
    const plain = { curves, colors: null, colorProblem: null, models: null };
    if (colorBy.value === null) return plain;
    const colors = this.#colors.of(this.#colorsKey(curves));
    if (colors.state === "error") return { ...plain, colorProblem: colors.message };
    return colors.body && { ...plain, colors: colors.body };
  }

  #stacked(all: readonly CurvesBody[], names: readonly string[]): Loaded {
    const open = Math.max(0, names.indexOf(this.sources.openModel.value));
    const order = [open, ...names.keys()].filter((model, place, every) => every.indexOf(model) === place);
    const models = order.map((model) => ({ model, curves: all[model]! }));
    const { curves } = models[0]!;
    const colors = this.#modelColors.get(curves) ?? modelColors(names, order, curves);
    this.#modelColors.set(curves, colors);
    return { curves, colors, colorProblem: null, models };
  }

  #openOf(all: readonly CurvesBody[], models: readonly string[]): CurvesBody {
    return all[Math.max(0, models.indexOf(this.sources.openModel.value))]!;
  }

  #colorsKey(curves: CurvesBody): string {
    return JSON.stringify([this.#numberOf(curves), this.sources.colorBy.value, this.sources.split.value]);
  }

  /** Each set of curves has its own number. */
  #numberOf(curves: CurvesBody): number {
    const number = this.#numbers.get(curves) ?? ++this.#lastNumber;
    this.#numbers.set(curves, number);
    return number;
  }
}

const rowKey = (feature: string, row: number): string => `row ${row} ${feature}`;
const unlikeKey = (feature: string, isSmall: boolean): string => `${isSmall} ${feature}`;

const isSame = (one: Loaded, other: Loaded): boolean =>
  one.curves === other.curves &&
  one.colors === other.colors &&
  one.colorProblem === other.colorProblem &&
  (one.models === null) === (other.models === null);

function hasRows({ positions }: CurvesBody, rows: readonly number[]): boolean {
  const drawn = new Set(positions);
  return rows.every((row) => drawn.has(row));
}

/** Which phantom observations of some lines are unlike 99 % of rows, with the row of each line. */
export interface Unlike extends UnlikeBody {
  positions: Uint32Array;
}

/** The same for other lines and grid values, where a row or a value without flags has none set. */
export function unlikeOn(unlike: Unlike, { positions, grid, n_grid: nGrid }: CurvesBody): Unlike {
  if (unlike.positions === positions && unlike.grid.length === nGrid) return unlike;
  const lines = new Map(Array.from(unlike.positions, (row, line) => [row, line]));
  const places = new Map(Array.from(unlike.grid, (value, k) => [value, k]));
  const points = Array.from(grid, (value) => places.get(value) ?? -1);
  const flags = new Uint8Array(positions.length * nGrid);
  for (const [line, row] of positions.entries()) {
    const first = (lines.get(row) ?? Number.NaN) * unlike.grid.length;
    for (const [k, point] of points.entries())
      flags[line * nGrid + k] = point < 0 ? 0 : (unlike.flags[first + point] ?? 0);
  }
  return { ...unlike, grid, shares: Float32Array.from(points, (point) => unlike.shares[point] ?? 0), flags, positions };
}

/** The share of the grid values at which a line is unlike 99 % of rows. */
export function shareOfLine({ flags, grid }: Unlike, line: number): number {
  const nGrid = grid.length;
  let count = 0;
  for (let k = 0; k < nGrid; k++) count += flags[line * nGrid + k]!;
  return count / nGrid;
}
