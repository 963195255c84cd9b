/**
 * Bytes to numbers. Buffers arrive as views into a larger message, so their offset and length count, and a typed
 * array may only be laid over them where the offset is a multiple of the item size; otherwise the bytes are copied.
 */
import { isBytes } from "./forms.ts";
import type {
  Bytes,
  ClassesBody,
  ColorsBody,
  CurvesBody,
  DecaySteps,
  EffectsBody,
  FeatureKind,
  Header,
  IntervalsBody,
  MissingBody,
  PairAxis,
  TwoWayBody,
  UnlikeBody,
} from "./protocol.ts";

interface NumberArray<T> {
  readonly BYTES_PER_ELEMENT: number;
  readonly name: string;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
}

function numbers<T>(bytes: Bytes, Type: NumberArray<T>): T {
  const size = Type.BYTES_PER_ELEMENT;
  if (bytes.byteLength % size !== 0) {
    throw new RangeError(`${Type.name} needs a multiple of ${size} bytes; got ${bytes.byteLength}.`);
  }
  const length = bytes.byteLength / size;
  if (!ArrayBuffer.isView(bytes)) return new Type(bytes, 0, length);
  if (bytes.byteOffset % size === 0) return new Type(bytes.buffer as ArrayBuffer, bytes.byteOffset, length);
  const copy = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).slice();
  return new Type(copy.buffer, 0, length);
}

export const float32 = (bytes: Bytes): Float32Array => numbers<Float32Array>(bytes, Float32Array);
export const float64 = (bytes: Bytes): Float64Array => numbers<Float64Array>(bytes, Float64Array);
export const uint32 = (bytes: Bytes): Uint32Array => numbers<Uint32Array>(bytes, Uint32Array);

/** The curves of one feature, as drawn. Outputs are stored relative to `offset`. */
export interface Curves {
  feature: string;
  kind: FeatureKind;
  /** One name per grid value, where they are levels. */
  levels: string[] | null;
  nLines: number;
  nGrid: number;
  nObservations: number;
  offset: number;
  predictionRange: [number, number];
  rowLabels: string[] | null;
  median: number;
  clock: [number, number][];
  positions: Uint32Array;
  observed: Float64Array;
  likelihoodScale: Float64Array;
  predictions: Float32Array;
  grid: Float64Array;
  values: Float32Array;
  partialDependence: Float32Array;
  spread: Float32Array;
  histogramEdges: Float64Array;
  histogramCounts: Float64Array;
  /** Each line's prediction with the value missing; null if no observation has a missing value. */
  missing: (MissingBody & { values: Float32Array }) | null;
  /** Exponents of the decay, row by row, between levels without an order; null if they follow from the axis. */
  distances: Float32Array | null;
  /** The target of each row, on the scale of the predictions; NaN is missing. Null without a target. */
  target: Float64Array | null;
  /** Predictions at observed values, the median for a missing one; null if the curves contain all of them. */
  atOwn: Float32Array | null;
}

function ofLength<T extends { length: number }>(values: T, length: number | undefined, name: string): T {
  if (length !== undefined && values.length !== length)
    throw new RangeError(`${name} must have ${length} values; got ${values.length}.`);
  return values;
}

function finite<T extends Iterable<number>>(values: T, name: string): T {
  for (const value of values) {
    if (!Number.isFinite(value)) throw new RangeError(`${name} must be finite; got ${value}.`);
  }
  return values;
}

/** Reads the buffers of a reply by their place; `length` is the number of values that a buffer must have. */
class Buffers {
  constructor(readonly buffers: readonly Bytes[]) {}

  bytes(place: number, name: string): Bytes {
    const bytes = this.buffers[place];
    if (!isBytes(bytes)) throw new RangeError(`The reply lacks its buffer ${place} (${name}).`);
    return bytes;
  }

  float32(place: number, name: string, length?: number): Float32Array {
    return ofLength(float32(this.bytes(place, name)), length, name);
  }

  float64(place: number, name: string, length?: number): Float64Array {
    return ofLength(float64(this.bytes(place, name)), length, name);
  }

  uint32(place: number, name: string, length: number): Uint32Array {
    return ofLength(uint32(this.bytes(place, name)), length, name);
  }

  /** Rows of flags, each in whole words, the lowest bit first. */
  flags(place: number, name: string, nRows: number, nFlags: number): Uint8Array {
    const nWords = Math.ceil(nFlags / 32);
    const words = this.uint32(place, name, nRows * nWords);
    return Uint8Array.from({ length: nRows * nFlags }, (_, z) => {
      const flag = z % nFlags;
      return (words[((z - flag) / nFlags) * nWords + (flag >> 5)]! >>> (flag & 31)) & 1;
    });
  }

  /** Values that are drawn, so that all of them must be finite. */
  finite32(place: number, name: string, length: number): Float32Array {
    return finite(this.float32(place, name, length), name);
  }

  finite64(place: number, name: string, length?: number): Float64Array {
    return finite(this.float64(place, name, length), name);
  }
}

/** Values of which a reply may have none; null then. */
const orNull = <T extends { length: number }>(values: T, length: number, name: string): T | null =>
  values.length === 0 ? null : ofLength(values, length, name);

export function decodeCurves(body: CurvesBody, sent: readonly Bytes[]): Curves {
  const { n_lines: n, n_grid: k, missing, levels, row_labels: rowLabels } = body;
  const buffers = new Buffers(sent);
  const edges = buffers.finite64(8, "histogram_edges");
  return {
    feature: body.feature,
    kind: body.kind,
    levels: levels && ofLength(levels, k, "levels"),
    nLines: n,
    nGrid: k,
    nObservations: body.n_observations,
    offset: body.offset,
    predictionRange: body.prediction_range,
    rowLabels: rowLabels && ofLength(rowLabels, n, "row_labels"),
    median: body.median,
    clock: body.clock,
    positions: buffers.uint32(0, "positions", n),
    observed: buffers.float64(1, "observed", n),
    likelihoodScale: buffers.float64(2, "likelihood_scale", n),
    predictions: buffers.float32(3, "predictions", n),
    grid: buffers.finite64(4, "grid", k),
    values: buffers.finite32(5, "curves", n * k),
    partialDependence: buffers.finite32(6, "partial_dependence", k),
    spread: buffers.finite32(7, "spread", k),
    histogramEdges: edges,
    histogramCounts: buffers.float64(9, "histogram_counts", Math.max(0, edges.length - 1)),
    missing: missing && { ...missing, values: buffers.float32(10, "missing", n) },
    distances: orNull(buffers.float32(11, "distances"), n * k, "distances"),
    target: orNull(buffers.float64(12, "target"), n, "target"),
    atOwn: orNull(buffers.float32(13, "at_own"), n, "at_own"),
  };
}

/** The same rows for several classes. */
export interface ClassCurves {
  feature: string;
  kind: FeatureKind;
  outputs: string[];
  nOutputs: number;
  explained: number;
  nLines: number;
  nGrid: number;
  positions: Uint32Array;
  grid: Float64Array;
  /** Of each class: nLines rows of nGrid predictions, and their means, both less its offset. */
  offsets: number[];
  values: Float32Array[];
  means: Float32Array[];
}

export function decodeClasses(body: ClassesBody, sent: readonly Bytes[]): ClassCurves {
  const { n_lines: n, n_grid: k, outputs } = body;
  const buffers = new Buffers(sent);
  const curves = buffers.finite32(2, "curves", outputs.length * n * k);
  const means = buffers.finite32(3, "means", outputs.length * k);
  return {
    feature: body.feature,
    kind: body.kind,
    outputs,
    nOutputs: body.n_outputs,
    explained: body.explained,
    nLines: n,
    nGrid: k,
    positions: buffers.uint32(0, "positions", n),
    grid: buffers.finite64(1, "grid", k),
    offsets: ofLength(body.offsets, outputs.length, "offsets"),
    values: outputs.map((_, at) => curves.subarray(at * n * k, (at + 1) * n * k)),
    means: outputs.map((_, at) => means.subarray(at * k, (at + 1) * k)),
  };
}

/** One of two features, with its values: those of the grid, and those of the rows that the mean is of. */
export interface TwoWayAxis extends PairAxis {
  grid: Float64Array;
  observed: Float64Array;
}

/** The partial dependence on two features. */
export interface TwoWay {
  first: TwoWayAxis;
  second: TwoWayAxis;
  nRows: number;
  nObservations: number;
  /** Mean predictions, all values of the second feature for each of the first. */
  values: Float64Array;
  /** Observations near each pair of values. */
  near: Uint32Array;
}

export function decodeTwoWay(body: TwoWayBody, sent: readonly Bytes[]): TwoWay {
  const { first, second, offset, n_rows: n } = body;
  const buffers = new Buffers(sent);
  const grids = [buffers.finite64(0, "first grid"), buffers.finite64(1, "second grid")] as const;
  const cells = grids[0].length * grids[1].length;
  const axisOf = (axis: PairAxis, grid: Float64Array, place: number, name: string): TwoWayAxis => ({
    ...axis,
    levels: axis.levels && ofLength(axis.levels, grid.length, `levels of the ${name} feature`),
    grid,
    observed: buffers.float64(place, `${name} observed`, n),
  });
  return {
    first: axisOf(first, grids[0], 4, "first"),
    second: axisOf(second, grids[1], 5, "second"),
    nRows: n,
    nObservations: body.n_observations,
    values: Float64Array.from(buffers.finite32(2, "partial dependence", cells), (value) => value + offset),
    near: buffers.uint32(3, "near", cells),
  };
}

/** The second feature's value of each drawn line: a number, or the index of a level; NaN = missing. */
export interface LineColors {
  scale: ColorsBody;
  values: Float64Array;
}

/** The colours of so many lines. */
export function decodeColors(body: ColorsBody, sent: readonly Bytes[], nLines: number): LineColors {
  const bytes = new Buffers(sent).bytes(0, "values");
  // A date to the minute has more digits than float32.
  const values = body.kind === "continuous" ? float64(bytes) : Float64Array.from(float32(bytes));
  return { scale: body, values: ofLength(values, nLines, "values") };
}

/** Ends of the intervals of the bars and of ranks, by the index of the feature; NaN where it has none. */
export interface Intervals {
  low: Float64Array;
  high: Float64Array;
  rankLow: Float64Array;
  rankHigh: Float64Array;
  tied: [number, number][];
}

/** The intervals of so many features. */
export function decodeIntervals(body: IntervalsBody, sent: readonly Bytes[], nFeatures: number): Intervals {
  const buffers = new Buffers(sent);
  return {
    low: buffers.float64(0, "low", nFeatures),
    high: buffers.float64(1, "high", nFeatures),
    rankLow: buffers.float64(2, "rank_low", nFeatures),
    rankHigh: buffers.float64(3, "rank_high", nFeatures),
    tied: body.tied,
  };
}

/** Metrics that do not change with the decay, one row per feature; NaN until they are known. */
export class ImpactTable {
  constructor(
    private readonly metrics: readonly string[],
    private readonly values: Float32Array,
  ) {}

  get(feature: number, metric: string): number {
    const column = this.metrics.indexOf(metric);
    if (column === -1) return Number.NaN;
    return this.values[feature * this.metrics.length + column] ?? Number.NaN;
  }
}

/** Figures of every feature at every step of the decay, by name. */
export class DecayProfile {
  constructor(
    private readonly names: readonly string[],
    private readonly nFeatures: number,
    private readonly steps: DecaySteps,
    private readonly values: Float32Array,
  ) {}

  /** The index of this decay among the steps; a fraction between two steps. */
  private place(decay: number): number {
    const place = (decay - this.steps.first) / this.steps.step;
    const whole = Math.round(place);
    return Math.abs(place - whole) < 1e-6 ? whole : place;
  }

  /** Whether figures at this decay are not in the table itself, but estimated from its neighbours. */
  estimated(decay: number): boolean {
    const place = this.place(decay);
    return !Number.isInteger(place) || place < 0 || place >= this.steps.count;
  }

  private read(block: number, feature: number, decay: number): number {
    const row = (block * this.nFeatures + feature) * this.steps.count;
    const place = Math.min(Math.max(this.place(decay), 0), this.steps.count - 1);
    const left = Math.floor(place);
    const at = (step: number) => this.values[row + step] ?? Number.NaN;
    return place === left ? at(left) : at(left) + (place - left) * (at(left + 1) - at(left));
  }

  /** The largest figure of any feature at any decay; 0 where none is known. */
  largest(name: string): number {
    const block = this.names.indexOf(name);
    const size = this.nFeatures * this.steps.count;
    const values = this.values.subarray(block * size, (block + 1) * size);
    return block === -1 ? 0 : values.reduce((most, value) => (value > most ? value : most), 0);
  }

  /** Whether any figure of a feature is known. */
  knows(feature: number): boolean {
    return this.names.some((_, block) => Number.isFinite(this.read(block, feature, 1)));
  }

  get(name: string, feature: number, decay: number): number {
    const block = this.names.indexOf(name);
    return block === -1 ? Number.NaN : this.read(block, feature, decay);
  }
}

/** The header of the kernel and its two tables of figures. */
export interface Figures {
  header: Header;
  impact: ImpactTable;
  profile: DecayProfile;
}

export function decodeImpact({ metrics, features }: Header, bytes: Bytes): ImpactTable {
  return new ImpactTable(metrics, ofLength(float32(bytes), features.length * metrics.length, "impact"));
}

export function decodeProfile({ profiles, features, decays }: Header, bytes: Bytes): DecayProfile {
  const values = ofLength(float32(bytes), profiles.length * features.length * decays.count, "profile");
  return new DecayProfile(profiles, features.length, decays, values);
}

/** The two tables of one of several models. */
export type ModelTables = Pick<Figures, "impact" | "profile">;

/** The tables of each model, which have no disagreement; none with one model. */
export function decodeModels(header: Header, impact: Bytes, profile: Bytes): ModelTables[] {
  const { models, features, metrics, profiles, decays } = header;
  const names = profiles.filter((name) => !name.startsWith("disagreement"));
  const [ofImpact, ofProfile] = [features.length * metrics.length, names.length * features.length * decays.count];
  const impacts = ofLength(float32(impact), models.length * ofImpact, "models_impact");
  const all = ofLength(float32(profile), models.length * ofProfile, "models_profile");
  return models.map((_, at) => ({
    impact: new ImpactTable(metrics, impacts.subarray(at * ofImpact, (at + 1) * ofImpact)),
    profile: new DecayProfile(names, features.length, decays, all.subarray(at * ofProfile, (at + 1) * ofProfile)),
  }));
}

/** ALE and M-plot at values of the axis; the M-plot is relative to the mean prediction. */
export interface Effects {
  feature: string;
  grid: Float64Array;
  ale: Float32Array;
  mPlot: Float32Array;
  meanPrediction: number;
}

export function decodeEffects(body: EffectsBody, sent: readonly Bytes[]): Effects {
  const buffers = new Buffers(sent);
  return {
    feature: body.feature,
    grid: buffers.finite64(0, "grid", body.n_grid),
    ale: buffers.float32(1, "ale", body.n_grid),
    mPlot: buffers.float32(2, "m_plot", body.n_grid),
    meanPrediction: body.mean_prediction,
  };
}

/** Which phantom observations are unlike 99 % of rows. */
export interface Unlike {
  feature: string;
  grid: Float64Array;
  /** The share of the curves at each grid value. */
  shares: Float32Array;
  summary: string;
  /** Whether the phantom observation of each line at each grid value is unlike 99 % of rows, row by row. */
  flags: Uint8Array;
  /** The row of each line. */
  positions: ArrayLike<number>;
}

/** The same for other lines of the same grid, where a row without flags has none set; null for another grid. */
export function unlikeOfLines(unlike: Unlike, { positions, nGrid }: Curves): Unlike | null {
  if (unlike.positions === positions) return unlike;
  if (unlike.grid.length !== nGrid) return null;
  const lines = new Map(Array.from(unlike.positions, (row, line) => [row, line]));
  const flags = new Uint8Array(positions.length * nGrid);
  for (const [line, row] of positions.entries()) {
    const before = lines.get(row);
    if (before !== undefined) flags.set(unlike.flags.subarray(before * nGrid, (before + 1) * nGrid), line * nGrid);
  }
  return { ...unlike, flags, positions };
}

/** The share of the grid values at which a line is unlike 99 % of rows. */
export function shareOfLine({ flags, grid }: Unlike, line: number): number {
  const nGrid = grid.length;
  let count = 0;
  for (let k = 0; k < nGrid; k++) count += flags[line * nGrid + k]!;
  return count / nGrid;
}

/** Of the lines of these rows. */
export function decodeUnlike(body: UnlikeBody, sent: readonly Bytes[], positions: ArrayLike<number>): Unlike {
  const buffers = new Buffers(sent);
  return {
    feature: body.feature,
    grid: buffers.finite64(0, "grid", body.n_grid),
    shares: buffers.float32(1, "shares", body.n_grid),
    summary: body.summary,
    flags: buffers.flags(2, "flags", positions.length, body.n_grid),
    positions,
  };
}
