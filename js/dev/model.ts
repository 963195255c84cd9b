/**
 * A model and a kernel that live in the page: the catalogue and the panel tests draw from them, without Jupyter.
 * The data are made by a formula and a seeded generator, so every run shows the same picture.
 */
import type { AnyModel } from "@anywidget/types";
import {
  bin,
  deviation,
  extent,
  greatest,
  least,
  maxIndex,
  mean,
  median,
  minIndex,
  pairs,
  quantile,
  quantileSorted,
  range,
  sum,
} from "d3-array";
import { randomLcg, randomNormal } from "d3-random";
import { rankFeatures } from "../src/state/ranking.ts";
import { Reading } from "../src/state/reading.ts";
import { isUnordered, writerOf } from "../src/text/values.ts";
import {
  type Bytes,
  type ClassesBody,
  type ColorsBody,
  type ColumnKind,
  type Convention,
  type CurvesBody,
  type Distance,
  type DriversBody,
  type FeatureKind,
  type Header,
  type InCommonBody,
  type IntervalsBody,
  type IntervalsRequest,
  PROTOCOL_VERSION,
  type Reply,
  type Request,
  type RowsBody,
  type RowsRequest,
  type Status,
  type Traits,
  type ViewRequest,
  type WhatIfBody,
  type WhatIfRequest,
} from "../src/wire/protocol.ts";
import { decodeImpact, decodeProfile } from "../src/wire/tables.ts";
import { driversOf, groupsOf, type Second } from "./drivers.ts";
import { correlatedOf, effectsOf, unlikeFlags } from "./effects.ts";
import { interactionsOf, twoWayOf } from "./joint.ts";

type Listener = (...values: never[]) => void;
type Sent = Request & { id: string };
/** What a kernel answers; null = nothing, ever. */
export type Answer = (request: Sent) => { reply: Reply } | null;

export class FakeModel implements AnyModel<Traits> {
  readonly sent: Sent[] = [];
  /** Traits in the order they were saved, as Python would see them. */
  readonly saved: [string, unknown][] = [];
  answer: Answer;
  delay = 0;
  /** What the kernel does when it hears of another way to count, another distance, or another open model. */
  recount = (): void => {};
  widget_manager = {
    get_model: () => Promise.reject(new Error("There are no other models.")),
  } as AnyModel["widget_manager"];
  readonly #traits: Traits;
  readonly #listeners = new Map<string, Set<Listener>>();
  #dirty = new Map<string, unknown>();

  constructor(traits: Traits, answer: Answer) {
    this.#traits = { ...traits };
    this.answer = answer;
  }

  get<K extends keyof Traits>(key: K): Traits[K] {
    return this.#traits[key];
  }

  set<K extends keyof Traits>(key: K, value: Traits[K]): void {
    if (Object.is(this.#traits[key], value)) return;
    this.#traits[key] = value;
    this.#dirty.set(key, value);
    this.emit(`change:${key}`);
  }

  save_changes(): void {
    const saved = [...this.#dirty];
    this.saved.push(...saved);
    this.#dirty = new Map();
    const isCountedAnew = saved.some(([name]) => ["convention", "distance", "model"].includes(name));
    if (isCountedAnew) setTimeout(() => this.recount(), this.delay);
  }

  /** A trait that Python sets. */
  push<K extends keyof Traits>(key: K, value: Traits[K]): void {
    this.set(key, value);
    this.#dirty.delete(key);
  }

  on(name: string, callback: Listener): void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(callback));
  }

  off(name?: string | null, callback?: Listener | null): void {
    if (name != null && callback != null) this.#listeners.get(name)?.delete(callback);
  }

  emit(name: string, ...values: unknown[]): void {
    for (const callback of [...(this.#listeners.get(name) ?? [])])
      (callback as (...values: unknown[]) => void)(...values);
  }

  /** A reply of the kernel, whose arrays travel as buffers. */
  hear(reply: Reply): void {
    const buffers: DataView[] = [];
    const packed = reply.type === "result" ? { ...reply, body: packInto(buffers, reply.body) } : reply;
    this.emit("msg:custom", packed, buffers);
  }

  get listenerCount(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  send(content: Sent | ViewRequest): void {
    if (content.type === "view") return; // nothing waits for its reply
    this.sent.push(content);
    const answered = this.answer(content);
    if (answered === null) return;
    setTimeout(() => this.hear(answered.reply), this.delay);
  }
}

const DTYPES = { Float32Array: "float32", Float64Array: "float64", Uint32Array: "uint32", Uint8Array: "uint8" };

/** A body as JSON, whose arrays are in the buffers. */
function packInto(buffers: DataView[], value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    const { length } = value as Uint8Array;
    buffers.push(viewOf(value));
    const dtype = DTYPES[value.constructor.name as keyof typeof DTYPES];
    return { dtype, shape: [length], buffer: buffers.length - 1 };
  }
  if (Array.isArray(value)) return value.map((item) => packInto(buffers, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, packInto(buffers, entry)]));
}

/** Bytes as Jupyter hands them over: somewhere inside a larger message, not even aligned. */
export function viewOf(bytes: Bytes): DataView {
  const source = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const message = new Uint8Array(source.length + 7);
  message.set(source, 3);
  return new DataView(message.buffer, 3, source.length);
}

export interface FakeFeature {
  name: string;
  kind?: FeatureKind;
  /** Names of the values 0, 1, … where they are levels. */
  levels?: string[];
  /** NaN = missing. */
  values: Float64Array;
}

export interface FakeColumn {
  name: string;
  levels: string[];
  ordered: boolean;
  /** Index of the level; NaN = missing. */
  values: Float32Array;
}

export interface FakeData {
  features: FakeFeature[];
  categories: FakeColumn[];
  predict: (row: number[], index: number) => number;
  outputLabel: string;
  rowLabels: string[] | null;
  /** Observed of each row; NaN = missing. */
  target?: Float64Array;
  /** What each class is predicted as, where there are several. */
  classes?: Record<string, FakeData["predict"]>;
}

interface Computed {
  grid: Float64Array;
  scale: number;
  curves: Float64Array;
  /** Predictions with the value missing, where some row lacks it. */
  missing: Float64Array | null;
}

/** What a kernel with everything installed can write. */
export const FORMATS = ["svg", "png", "pdf", "csv", "parquet", "json", "ice"].map((name) => ({
  name,
  problem: null,
  holds_all: name !== "svg" && name !== "png",
}));

/** One black pixel. */
const SMALL_PNG = (): Uint8Array => {
  const text = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
};

export const STEPS = { first: 0.01, step: 0.01, count: 100 };
const ENOUGH_ROWS = 500;
const METRICS = ["impact", "direction", "heterogeneity", "non_linearity", "missing_impact", "mean_change"];
const PROFILES = ["in_distribution_impact", "support"];
/** What has standard errors, where it is of a sample. */
const UNCERTAIN = ["impact", "direction", "heterogeneity", "non_linearity", "missing_impact"];
const error = (name: string): string => `${name}_error`;

export function compute(data: FakeData, at: number, mostGrid: number): Computed {
  const { values, levels } = data.features[at]!;
  const known = values.filter((value) => !Number.isNaN(value));
  const sorted = Array.from(new Set(known)).sort((a, b) => a - b);
  const wanted = Math.min(sorted.length, mostGrid);
  const grid =
    levels !== undefined
      ? Float64Array.from(levels, (_, level) => level)
      : Float64Array.from(
          new Set(Array.from({ length: wanted }, (_, k) => quantileSorted(sorted, k / Math.max(1, wanted - 1))!)),
        );
  const curves = new Float64Array(values.length * grid.length);
  const missing = known.length < values.length ? new Float64Array(values.length) : null;
  for (let i = 0; i < values.length; i++) {
    const row = data.features.map((feature) => feature.values[i]!);
    for (const [k, value] of grid.entries()) {
      row[at] = value;
      curves[i * grid.length + k] = data.predict(row, i);
    }
    row[at] = Number.NaN;
    if (missing !== null) missing[i] = data.predict(row, i);
  }
  const mu = mean(known)!;
  const scale = Math.sqrt(mean(known, (value) => (value - mu) ** 2)!);
  return { grid, scale, curves, missing };
}

/** Figures of levels without an order, roughly as the engine has them: all pairs alike. */
function pairFigures(known: Computed, n: number): { impact: number[]; profile: number[][] } {
  const { grid, curves } = known;
  const nGrid = grid.length;
  const scale = Math.sqrt((1 - 1 / nGrid) / 2);
  const changes = pairs(Array.from(grid.keys())).map(([a, b]) =>
    Array.from({ length: n }, (_, i) => curves[i * nGrid + b]! - curves[i * nGrid + a]!),
  );
  const change = mean(changes.flat(), Math.abs) ?? 0;
  const impact = scale * change;
  const none = Number.NaN;
  const spread = scale * mean(changes, (each) => deviation(each) ?? 0)!;
  return {
    impact: [impact, none, spread, none, missingImpact(known, n), change],
    profile: [
      Array.from({ length: STEPS.count }, () => impact * 0.97),
      Array.from({ length: STEPS.count }, (_, s) => (1 + (STEPS.first + s * STEPS.step)) / 2),
    ],
  };
}

/** Roughly: from the mean of each curve, and not from where it is at the own value. */
function missingImpact({ curves, missing }: Computed, n: number): number {
  const nGrid = curves.length / n;
  if (missing === null) return Number.NaN;
  return mean(missing, (value, i) => Math.abs(value - mean(curves.subarray(i * nGrid, (i + 1) * nGrid))!))!;
}

/** Two grid values that a change is measured between, and the share that the change has in every mean. */
interface Move {
  left: number;
  right: number;
  share: number;
}

/** Steps of one standard deviation around every grid value, by the rows nearest to it. */
function steps(grid: Float64Array, scale: number, observed: Float64Array): Move[] {
  const last = grid.length - 1;
  const [low, high] = [grid[0]!, grid[last]!];
  const length = Math.min(scale, high - low);
  const counts = grid.map(() => 0);
  for (const value of observed) counts[least(grid.keys(), (k) => Math.abs(grid[k]! - value))!]! += 1;
  return Array.from(grid, (value, k) => {
    const start = Math.min(Math.max(value - length / 2, low), high - length);
    const right = grid.findIndex((end) => end >= start + length - 1e-9 * (high - low));
    const left = grid.findLastIndex((end) => end <= start + 1e-9 * (high - low));
    return { left, right: right === -1 ? last : right, share: counts[k]! / observed.length };
  });
}

/** Intervals that count alike, the first one twice. */
const intervals = (grid: Float64Array): Move[] =>
  Array.from(grid, (_, k) => ({ left: Math.max(0, k - 1), right: Math.max(1, k), share: 1 / grid.length }));

function figures(
  known: Computed,
  feature: FakeFeature,
  convention: Convention,
): { impact: number[]; profile: number[][] } {
  const { grid, scale, curves } = known;
  const n = feature.values.length;
  if (isUnordered(feature.kind ?? "numeric")) return pairFigures(known, n);
  const own = standIns(feature);
  const nGrid = grid.length;
  const decays = Array.from({ length: STEPS.count }, (_, s) => STEPS.first + s * STEPS.step);
  if (nGrid < 2) return { impact: METRICS.map(() => 0), profile: [decays.map(() => 0), decays.map(() => 1)] };
  const moves = convention === "step" ? steps(grid, scale, own) : intervals(grid);
  const all = Array.from({ length: n }, (_, i) =>
    moves.map(({ left, right }) => {
      const change = curves[i * nGrid + right]! - curves[i * nGrid + left]!;
      return (change / (grid[right]! - grid[left]!)) * scale;
    }),
  );
  const u = moves.map(({ share }) => share);
  const columns = moves.map((_, k) => deviation(all, (row) => row[k]!) ?? 0);
  const deviations = (row: number[]) => {
    if (convention === "paper") return nGrid === 2 ? 0 : (deviation(row) ?? 0);
    const middle = sum(row, (value, k) => u[k]! * value);
    return sum(row, (value, k) => u[k]! * Math.abs(value - middle));
  };
  const impact = [
    mean(all, (row) => sum(row, (value, k) => u[k]! * Math.abs(value)))!,
    mean(all, (row) => sum(row, (value, k) => u[k]! * value))!,
    sum(columns, (value, k) => u[k]! * value),
    mean(all, deviations)!,
    missingImpact(known, n),
    Number.NaN,
  ];
  const profile: number[][] = [[], []];
  // Of thousands of rows some are enough for a picture.
  const rows = range(0, n, Math.max(1, Math.floor(n / ENOUGH_ROWS)));
  for (const decay of decays) {
    let [weights, change] = [0, 0];
    for (const i of rows) {
      const likely = grid.map((value) => decay ** (Math.abs(value - own[i]!) / scale));
      for (const [k, { left, right, share }] of moves.entries()) {
        const weight = convention === "step" ? (likely[left]! + likely[right]!) / 2 : likely[k]!;
        weights += share * weight;
        change += share * weight * Math.abs(all[i]![k]!);
      }
    }
    profile[0]!.push(change / weights);
    profile[1]!.push(weights / rows.length);
  }
  return { impact, profile };
}

/** Intervals around figures, wide for some features; neighbours are tied whose bars end in each other's intervals. */
export function intervalsOf(
  header: Header,
  [impact, profile]: readonly [Bytes, Bytes],
  { rank_by, decay, unit }: IntervalsRequest,
): IntervalsBody {
  const figures = { header, impact: decodeImpact(header, impact), profile: decodeProfile(header, profile) };
  const ranking = rankFeatures(new Reading(figures, decay, unit), rank_by);
  const known = ranking.filter(({ value }) => Number.isFinite(value));
  const [low, high, first, last] = Array.from({ length: 4 }, () =>
    new Float64Array(header.features.length).fill(Number.NaN),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  for (const { index, value, rank } of known) {
    const width = 0.08 + 0.06 * (index % 4);
    [low[index], high[index]] = [value * (1 - width), value * (1 + 1.2 * width)];
    [first[index], last[index]] = [Math.max(1, rank - (index % 2)), Math.min(known.length, rank + (index % 3))];
  }
  const tied = pairs(known, (one, other): [number, number] => [one.index, other.index]).filter(
    ([one, other]) => high[other]! > (low[one]! + high[one]!) / 2 && high[other]! > 0,
  );
  const n = header.features.length;
  return { n_known: n, n_features: n, intervals: { low, high, rank_low: first, rank_high: last, tied } };
}

/** The value that stands in for missing ones: the median, or the most frequent level. */
function standIn({ values, kind = "numeric", levels }: FakeFeature): number {
  const known = values.filter((value) => !Number.isNaN(value));
  if (!isUnordered(kind)) return median(known)!;
  const often = (level: number) => known.filter((value) => value === level).length;
  return greatest(levels!.keys(), often)!;
}

export function standIns(feature: FakeFeature): Float64Array {
  const instead = standIn(feature);
  return feature.values.map((value) => (Number.isNaN(value) ? instead : value));
}

/** All that a kernel would know of these data, and how it answers. */
export class FakeKernel {
  readonly #computed = new Map<number, Computed>();
  readonly header: Header;
  readonly impact: Float32Array;
  readonly profile: Float32Array;

  constructor(
    readonly data: FakeData,
    overrides: Partial<Header> = {},
    private readonly mostGrid = 40,
  ) {
    const n = data.features[0]!.values.length;
    [this.impact, this.profile] = this.tables("step");
    this.header = {
      protocol: PROTOCOL_VERSION,
      version: "0.1.0",
      features: data.features.map(({ name, kind = "numeric" }, at) => {
        const { grid, scale, curves } = this.computed(at);
        return { name, kind, n_grid: grid.length, scale, n_rows: null, range: extent(curves) as [number, number] };
      }),
      columns: [
        ...data.features.map(({ name, kind = "numeric" }) => ({ name, kind: kind === "group" ? "category" : kind })),
        ...data.categories.map(({ name }) => ({ name, kind: "category" as const })),
        { name: "notes of the clerk", kind: "other" as const },
      ],
      metrics: [...METRICS, ...UNCERTAIN.map(error)],
      profiles: [...PROFILES, error(PROFILES[0]!)],
      decays: STEPS,
      n_observations: n,
      method: "brute",
      method_reason: "The model is a callable.",
      convention: "step",
      conventions: ["step", "paper"],
      prediction_sd: this.predictionSd(),
      output_label: data.outputLabel,
      model: "logistic regression",
      score: "",
      target_name: "",
      outputs: [],
      responses: [],
      models: [],
      distance: "marginal",
      distances: ["marginal", "conditional"],
      formats: FORMATS,
      alerts: [],
      notes: [],
      code: "ICEExplorer(model, X)",
      ...overrides,
    };
  }

  tables(convention: Convention): [Float32Array, Float32Array] {
    const nFeatures = this.data.features.length;
    const impacts: number[] = [];
    const profiles = new Float32Array((PROFILES.length + 1) * nFeatures * STEPS.count).fill(Number.NaN);
    for (const [at, feature] of this.data.features.entries()) {
      const { impact, profile } = figures(this.computed(at), feature, convention);
      impacts.push(...impact, ...UNCERTAIN.map(() => Number.NaN));
      for (const [block, row] of profile.entries()) profiles.set(row, (block * nFeatures + at) * STEPS.count);
    }
    return [Float32Array.from(impacts), profiles];
  }

  private predictionSd(): number {
    const { features, predict } = this.data;
    const predictions = Array.from(features[0]!.values, (_, i) =>
      predict(
        features.map(({ values }) => values[i]!),
        i,
      ),
    );
    return (deviation(predictions) ?? 0) * Math.sqrt((predictions.length - 1) / predictions.length);
  }

  private computed(at: number): Computed {
    const known = this.#computed.get(at) ?? compute(this.data, at, this.mostGrid);
    this.#computed.set(at, known);
    return known;
  }

  /** Columns of the table of metrics. */
  get width(): number {
    return this.header.metrics.length;
  }

  /** The features ranked first by impact. */
  get top(): string {
    const order = this.data.features
      .map((_, at) => at)
      .sort((a, b) => this.impact[b * this.width]! - this.impact[a * this.width]!);
    return this.data.features[order[0]!]!.name;
  }

  traits(overrides: Partial<Traits> = {}): Traits {
    const n = this.data.features.length;
    return {
      feature: this.top,
      color_by: null,
      kind: "ice",
      decay: 0.75,
      rank_by: "in_distribution_impact",
      convention: this.header.convention,
      unit: "prediction",
      ci: null,
      anchor: "min",
      max_lines: 500,
      selection: [],
      output: "",
      response: "",
      model: "",
      distance: "marginal",
      _view: {},
      _given: [],
      _status: { state: "ready", done: n, total: n, label: "", message: "", n_rows: null, n_all: null },
      _header: this.header,
      _impact: viewOf(this.impact),
      _profile: viewOf(this.profile),
      _models_impact: new ArrayBuffer(0),
      _models_profile: new ArrayBuffer(0),
      ...overrides,
    };
  }

  /** Traits of a kernel that has finished only the first features. */
  partial(done: number): Partial<Traits> {
    const total = this.data.features.length;
    const impact = this.impact.map((value, z) => (z < done * this.width ? value : Number.NaN));
    const profile = this.profile.map((value, z) => (Math.floor(z / STEPS.count) % total < done ? value : Number.NaN));
    const status: Status = {
      state: "computing",
      done,
      total,
      label: this.data.features[done]?.name ?? "",
      message: "",
      n_rows: null,
      n_all: null,
    };
    return { _status: status, _impact: viewOf(impact), _profile: viewOf(profile) };
  }

  model(overrides: Partial<Traits> = {}): FakeModel {
    const model = new FakeModel(this.traits(overrides), this.answer);
    model.recount = () => {
      const convention = model.get("convention");
      const [impact, profile] = this.tables(convention);
      model.push("_profile", viewOf(profile));
      model.push("_impact", viewOf(impact));
      const distance = model.get("distance");
      model.push("_header", { ...model.get("_header"), convention, distance });
    };
    model.answer = (request) => this.answerIn(model.get("distance"), request);
    return model;
  }

  /** With the conditional distance, values are twice as far. */
  answerIn(distance: Distance, request: Sent): ReturnType<Answer> {
    const answered = this.answer(request);
    if (request.type !== "curves" || distance !== "conditional" || answered?.reply.type !== "result") return answered;
    const body = answered.reply.body as CurvesBody;
    const halved = body.likelihood_scale.map((each) => each / 2);
    return { reply: { ...answered.reply, body: { ...body, likelihood_scale: halved } } };
  }

  readonly answer: Answer = (request) => {
    const { id } = request;
    switch (request.type) {
      case "curves": {
        const at = this.data.features.findIndex(({ name }) => name === request.feature);
        if (at === -1) return { reply: { id, type: "error", message: `No feature named '${request.feature}'.` } };
        return { reply: { id, type: "result", body: this.curves(at, request.max_lines, request.selection) } };
      }
      case "classes": {
        const at = this.data.features.findIndex(({ name }) => name === request.feature);
        return { reply: { id, type: "result", body: this.classes(at, request.max_lines) } };
      }
      case "colors":
        return { reply: { id, type: "result", body: this.colors(request.column, request.positions) } };
      case "groups": {
        const at = this.data.features.findIndex(({ name }) => name === request.feature);
        const scale = groupsOf(this.drivers(at));
        const values = Float64Array.from(request.positions, (position) => position % scale.levels.length);
        return { reply: { id, type: "result", body: { scale, values } } };
      }
      case "drivers": {
        const at = this.data.features.findIndex(({ name }) => name === request.feature);
        return { reply: { id, type: "result", body: this.drivers(at) } };
      }
      case "effects": {
        const { feature, predict } = this.varied(request.feature);
        const areLevels = isUnordered(feature.kind ?? "numeric") || feature.levels !== undefined;
        const { grid, ale, mean: prediction } = effectsOf({ values: feature.values, areLevels, predict });
        const body = { feature: feature.name, mean_prediction: prediction, grid, ale };
        return { reply: { id, type: "result", body } };
      }
      case "correlated": {
        const features = this.data.features.map(({ name, values, levels }) => ({
          name,
          values,
          areLevels: levels !== undefined,
        }));
        return { reply: { id, type: "result", body: correlatedOf(request.feature, features) } };
      }
      case "unlike": {
        const { features } = this.data;
        const at = features.findIndex(({ name }) => name === request.feature);
        const { grid } = this.computed(at);
        const flags = unlikeFlags(grid, standIns(features[at]!), standIns(features[(at + 1) % features.length]!));
        const shares = Float32Array.from(grid, (_, k) => mean(flags, (row) => row[k]!)!);
        const share = mean(shares)!;
        const whole = Math.round(100 * share);
        const summary = `${whole} % of the phantom observations of '${request.feature}' are further from what the other features predict than 99 % of rows.`;
        const drawn = Uint8Array.from(request.positions.flatMap((row) => Array.from(flags[row]!)));
        const body = { feature: request.feature, share, summary, grid, shares, flags: drawn };
        return { reply: { id, type: "result", body } };
      }
      case "intervals": {
        const body = intervalsOf(this.header, [this.impact, this.profile], request);
        return { reply: { id, type: "result", body } };
      }
      case "interactions":
        return { reply: { id, type: "result", body: interactionsOf(this.data) } };
      case "two_way": {
        const names = this.data.features.map(({ name }) => name);
        const [first, second] = [names.indexOf(request.first), names.indexOf(request.second)];
        const unknown = first === -1 ? request.first : request.second;
        if (first === -1 || second === -1) {
          return { reply: { id, type: "error", message: `No feature named '${unknown}'.` } };
        }
        return { reply: { id, type: "result", body: twoWayOf(this.data, first, second) } };
      }
      case "rows":
        return { reply: { id, type: "result", body: this.rows(request) } };
      case "what_if":
        return { reply: { id, type: "result", body: this.whatIf(request) } };
      case "in_common":
        return { reply: { id, type: "result", body: this.inCommon(request.positions) } };
      case "extreme": {
        const predicted = Array.from(this.data.features[0]!.values.keys(), (row) => this.predicted(row));
        const position = (request.end === "highest" ? maxIndex : minIndex)(predicted);
        return { reply: { id, type: "result", body: { position } } };
      }
      case "export": {
        const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#eef"/><circle cx="150" cy="100" r="60" fill="#06c"/></svg>`;
        const { format, to, what } = request;
        const filename = `${what === "all" ? "all" : request.state.feature || "ranking"}.${format}`;
        const path = to === "notebook" ? `/home/reader/notebooks/${filename}` : null;
        const bytes = format === "png" ? SMALL_PNG() : Uint8Array.from(new TextEncoder().encode(svg));
        const content = path === null ? bytes : null;
        const body = { filename, mime: format === "svg" ? "image/svg+xml" : `image/${format}`, path, content };
        return { reply: { id, type: "result", body } };
      }
      case "cancel":
      case "resume":
        return { reply: { id, type: "result", body: {} } };
    }
  };

  private curves(at: number, maxLines: number, selection: number[]): CurvesBody {
    const feature = this.data.features[at]!;
    const { name, values, kind = "numeric", levels } = feature;
    const { grid, scale, curves, missing } = this.computed(at);
    const n = values.length;
    const every = Math.max(1, Math.ceil(n / maxLines));
    const drawn = new Set(selection);
    for (let i = 0; i < n && every > 0; i += every) drawn.add(i);
    const positions = Uint32Array.from(drawn).sort();
    const predicted = (i: number, value: number) =>
      this.data.predict(
        this.data.features.map((feature, other) => (other === at ? value : feature.values[i]!)),
        i,
      );
    const offset = mean(curves)!;
    const known = values.filter((value) => !Number.isNaN(value));
    const [lowest = 0, highest = 0] = extent(curves);
    const instead = standIns(feature);
    const column = (k: number) => Array.from({ length: n }, (_, i) => curves[i * grid.length + k]!);
    const rows = Array.from(positions, (i) => curves.subarray(i * grid.length, (i + 1) * grid.length));
    const distinct = levels === undefined ? Array.from(new Set(known)).sort((a, b) => a - b) : Array.from(grid);
    const between = pairs(distinct, (a, b) => (a + b) / 2);
    const few = distinct.length > 1 && (distinct.length <= 20 || levels !== undefined);
    const bins = few ? [] : bin().thresholds(24)(known);
    const edges = few
      ? [2 * distinct[0]! - between[0]!, ...between, 2 * distinct.at(-1)! - between.at(-1)!]
      : [bins[0]!.x0!, ...bins.map(({ x1 }) => x1!)];
    const counts = few
      ? distinct.map((value) => values.filter((other) => other === value).length)
      : bins.map(({ length }) => length);
    const labels = this.data.rowLabels;
    return {
      feature: name,
      kind,
      levels: levels ?? null,
      clock: [],
      n_lines: positions.length,
      n_grid: grid.length,
      n_observations: n,
      offset,
      prediction_range: [lowest, highest],
      row_labels: labels === null ? null : Array.from(positions, (i) => labels[i]!),
      median: standIn(feature),
      positions,
      observed: Float64Array.from(positions, (i) => values[i]!),
      likelihood_scale: Float64Array.from(positions, () => scale),
      predictions: Float32Array.from(positions, (i) => predicted(i, values[i]!) - offset),
      grid,
      values: Float32Array.from(rows.flatMap((row) => Array.from(row, (value) => value - offset))),
      partial_dependence: Float32Array.from(grid, (_, k) => mean(column(k))! - offset),
      histogram_edges: Float64Array.from(edges),
      histogram_counts: Float64Array.from(counts),
      missing: missing && {
        count: n - known.length,
        mean: mean(missing)!,
        values: Float32Array.from(positions, (i) => missing[i]! - offset),
      },
      distances: isUnordered(kind)
        ? Float32Array.from(Array.from(positions).flatMap((i) => Array.from(grid, (k) => Number(k !== instead[i]!))))
        : null,
      target: this.data.target === undefined ? null : Float64Array.from(positions, (i) => this.data.target![i]!),
      at_own: Float32Array.from(positions, (i) => predicted(i, instead[i]!) - offset),
    };
  }

  /** A feature, and the prediction of a row with another value of it. */
  private varied(name: string): { feature: FakeFeature; predict: (row: number, value: number) => number } {
    const { features, predict } = this.data;
    const at = features.findIndex((feature) => feature.name === name);
    const row = (i: number, value: number) => features.map(({ values }, other) => (other === at ? value : values[i]!));
    return { feature: features[at]!, predict: (i, value) => predict(row(i, value), i) };
  }

  private drivers(at: number): DriversBody {
    const { grid, curves } = this.computed(at);
    const { features, categories } = this.data;
    const kindOf = (kind: FeatureKind): Second["kind"] => {
      if (kind === "boolean" || kind === "ordered") return kind;
      return isUnordered(kind) ? "levels" : kind === "datetime" ? "date" : "number";
    };
    const seconds: Second[] = [
      ...features.map(({ name, values, kind = "numeric", levels = [] }) => ({
        name,
        values,
        kind: kindOf(kind),
        levels,
      })),
      ...categories.map(({ name, values, levels }) => ({ name, values, kind: "levels" as const, levels })),
    ];
    const { name } = features[at]!;
    return driversOf(
      name,
      curves,
      grid.length,
      seconds.filter((second) => second.name !== name),
    );
  }

  private classes(at: number, maxLines: number): ClassesBody {
    const { features, classes = {} } = this.data;
    const { name, kind = "numeric", values } = features[at]!;
    const every = Math.max(1, Math.ceil(values.length / maxLines));
    const positions = Uint32Array.from(values.keys()).filter((i) => i % every === 0);
    const shown = Object.keys(classes).slice(0, 8);
    const each = shown.map((label) => compute({ ...this.data, predict: classes[label]! }, at, this.mostGrid));
    const grid = each[0]!.grid;
    const k = grid.length;
    const offsets = each.map(({ curves }) => mean(curves)!);
    const lines = each.map(({ curves }, at) =>
      Array.from(positions).flatMap((i) => Array.from(curves.subarray(i * k, (i + 1) * k), (v) => v - offsets[at]!)),
    );
    const means = lines.map((of) => Array.from(grid, (_, point) => mean(of.filter((_, z) => z % k === point))!));
    return {
      feature: name,
      kind,
      outputs: shown,
      n_outputs: Object.keys(classes).length,
      explained: 0,
      n_lines: positions.length,
      n_grid: k,
      positions,
      grid,
      offsets,
      values: lines.map((of) => Float32Array.from(of)),
      means: means.map((of) => Float32Array.from(of)),
    };
  }

  private predicted(row: number): number {
    return this.data.predict(
      this.data.features.map(({ values }) => values[row]!),
      row,
    );
  }

  /** Within half a second: all of them, unless there are more than ten. */
  private whatIf({ position, features }: WhatIfRequest): WhatIfBody {
    const prediction = this.predicted(position);
    const found = features.slice(0, 10).map((name) => {
      const at = this.data.features.findIndex((feature) => feature.name === name);
      const feature = this.data.features[at]!;
      const { grid, scale, curves } = this.computed(at);
      const own = standIns(feature)[position]!;
      const write = writerOf({ kind: feature.kind ?? "numeric", grid, levels: feature.levels ?? null });
      const steps = Array.from(grid, (value, k) => ({
        distance: isUnordered(feature.kind ?? "numeric") ? Number(value !== own) : Math.abs(value - own) / scale,
        place: value,
        value: write(value),
        change: curves[position * grid.length + k]! - prediction,
      })).sort((a, b) => a.distance - b.distance);
      let most = 1e-9;
      const moves = steps.filter(({ change }) => {
        const isFurther = Math.abs(change) > most;
        most = Math.max(most, Math.abs(change));
        return isFurther;
      });
      return { feature: name, observed: write(feature.values[position]!), moves };
    });
    return { position, prediction, features: found };
  }

  /** Of each number the upper end alone. */
  private inCommon(positions: number[]): InCommonBody {
    const rows = new Set(positions);
    const items = this.data.features
      .filter(({ kind = "numeric" }) => kind === "numeric")
      .map(({ name, values }) => {
        const [some, rest] = [true, false].map((isOne) =>
          Array.from(values).filter((_, row) => rows.has(row) === isOne),
        );
        const low = quantile(some!, 0.1)!;
        const share = (of: number[]) => of.filter((value) => value >= low).length / of.length;
        return { column: name, text: `${name} ≥ ${low}`, inside: share(some!), outside: share(rest!) };
      })
      .filter(({ inside, outside }) => inside - outside >= 0.2);
    return { items: items.sort((a, b) => b.inside - b.outside - (a.inside - a.outside)).slice(0, 6) };
  }

  private rows({ positions, sort_by = null, descending = false, most = null }: RowsRequest): RowsBody {
    const { features, categories, target } = this.data;
    const outcomes: Record<string, (row: number) => number> = { prediction: (row) => this.predicted(row) };
    if (target !== undefined) {
      outcomes.y = (row) => target[row]!;
      outcomes.residual = (row) => target[row]! - this.predicted(row);
    }
    const n = Object.keys(outcomes).length;
    const key = (row: number): number => {
      const values = sort_by === null ? row : sort_by < n ? Object.values(outcomes)[sort_by]!(row) : null;
      return values ?? [...features, ...categories][sort_by! - n]!.values[row]!;
    };
    const order = [...positions].sort((a, b) => (descending ? -1 : 1) * (key(a) - key(b)));
    const wanted = order.slice(0, most ?? undefined);
    const level = ({ levels, values }: FakeColumn, position: number) => levels[values[position]!] ?? "";
    const written = ({ kind, levels, values }: FakeFeature, position: number): string => {
      const value = values[position]!;
      if (kind !== "datetime" && kind !== "timedelta") return levels?.[value] ?? String(value);
      return writerOf({ kind, grid: values, levels: null })(value);
    };
    return {
      columns: [...Object.keys(outcomes), ...[...features, ...categories].map(({ name }) => name)],
      n_outcomes: n,
      positions: wanted,
      rows: wanted.map((position) => [
        ...Object.values(outcomes).map((of) => (Number.isNaN(of(position)) ? "" : String(of(position)))),
        ...features.map((feature) => written(feature, position)),
        ...categories.map((column) => level(column, position)),
      ]),
    };
  }

  private colors(column: string, positions: number[]): ColorsBody {
    const category = this.data.categories.find(({ name }) => name === column);
    const feature = this.data.features.find(({ name }) => name === column);
    if (feature === undefined && category === undefined) {
      const levels = ["seen"];
      const kind = "category" as const;
      const scale = { column, kind, ordered: false, levels, values: null, counts: [this.header.n_observations] };
      return { scale, values: new Float64Array(positions.length) };
    }
    const { values, kind = "category", levels } = { ...category, ...feature } as FakeFeature;
    const names = kind === "boolean" ? ["false", "true"] : levels;
    if (names !== undefined) {
      const counts = names.map((_, level) => values.reduce((sum, value) => sum + Number(value === level), 0));
      const ordered = category?.ordered ?? (kind === "boolean" || kind === "ordered");
      const places = ordered ? names.map((_, level) => level) : null;
      const scale = { column, kind: "category" as const, ordered, levels: names, values: places, counts };
      return { scale, values: Float64Array.from(positions, (position) => values[position]!) };
    }
    const sorted = Array.from(values)
      .filter((value) => !Number.isNaN(value))
      .sort((a, b) => a - b);
    const domain: [number, number] = [quantileSorted(sorted, 0.02)!, quantileSorted(sorted, 0.98)!];
    return {
      scale: {
        column,
        kind: "continuous",
        of: kind as ColumnKind,
        domain,
        median: median(sorted)!,
        levels: null,
        clock: [],
      },
      values: Float64Array.from(positions, (position) => values[position]!),
    };
  }
}

/** A clinic that never was: age matters, smoking changes how, and one lab value acts as a step. */
export function clinic(n: number): FakeData {
  const source = randomLcg(0.42);
  const uniform = (low: number, high: number) => Float64Array.from({ length: n }, () => low + (high - low) * source());
  const normal = (mu: number, sigma: number) => {
    const draw = randomNormal.source(source)(mu, sigma);
    return Float64Array.from({ length: n }, draw);
  };
  const age = normal(48, 14).map((value) => Math.round(Math.min(84, Math.max(18, value))));
  const bmi = normal(27, 4.5).map((value) => Math.round(value * 10) / 10);
  const smoker = uniform(0, 1).map((value) => Number(value < 0.3));
  const marker = normal(0, 1).map((value) => Math.round(Math.exp(value) * 100) / 100);
  const pressure = normal(128, 16).map(Math.round);
  const steps = uniform(1000, 16000).map(Math.round);
  const visits = uniform(0, 9).map(Math.floor);
  const height = normal(171, 9).map(Math.round);
  const logistic = (value: number) => 1 / (1 + Math.exp(-value));
  const wards = ["north", "south", "day clinic", "emergency"];
  return {
    features: [
      { name: "Age", values: age },
      { name: "BMI", values: bmi },
      { name: "Smoker", kind: "boolean", values: smoker },
      { name: "Marker", values: marker },
      { name: "Blood pressure", values: pressure },
      { name: "Steps a day", values: steps },
      { name: "Visits", values: visits },
      { name: "Height", values: height },
    ],
    categories: [
      {
        name: "Ward",
        levels: wards,
        ordered: false,
        values: Float32Array.from({ length: n }, (_, i) =>
          i % 29 === 3 ? Number.NaN : Math.floor(source() * wards.length),
        ),
      },
    ],
    predict: ([a, b, s, m, p, w, v]) =>
      logistic(
        -3.2 +
          0.045 * (a! - 48) * (1 + 1.2 * s!) +
          0.09 * (b! - 27) +
          (m! > 5 ? 2.5 : 0) +
          0.9 * s! +
          0.018 * (p! - 128) +
          0.8 * Math.sin(w! / 2600) +
          0.04 * v! +
          1.6,
      ),
    outputLabel: "probability of readmitted",
    rowLabels: null,
  };
}

/** A rental market that never was: every kind of column, most of them with gaps. */
export function rentals(n: number): FakeData {
  const source = randomLcg(0.37);
  const uniform = (low: number, high: number) => Float64Array.from({ length: n }, () => low + (high - low) * source());
  const gaps = (values: Float64Array, every: number) =>
    values.map((value, i) => (i % every === 2 ? Number.NaN : value));
  const draw = (levels: string[], power = 1.6) => uniform(0, 1).map((u) => Math.floor(u ** power * levels.length));
  const districts = ["Altstadt", "Harbour", "North", "<b>Ost</b>", "Lindenhof", "Seefeld"];
  const energy = ["A", "B", "C", "D", "E"];
  const heating = [
    "district heating",
    "heat pump with ground probe",
    "gas",
    "oil",
    "wood pellets and solar collectors",
  ];
  const towns = Array.from(
    { length: 24 },
    (_, at) => `Municipality ${String.fromCharCode(65 + at)}${"berg".repeat(at % 3)}`,
  );
  const day = (text: string) => Date.parse(text) / 86_400_000;
  const area = gaps(
    uniform(22, 160).map((value) => Math.round(value)),
    9,
  );
  const built = uniform(day("2009-03-01"), day("2026-06-01")).map(Math.floor);
  const seen = gaps(
    uniform(day("2026-10-05"), day("2026-10-08")).map((value) => Math.round(value * 1440) / 1440),
    17,
  );
  const features: FakeFeature[] = [
    { name: "District", kind: "category", levels: districts, values: gaps(draw(districts), 11) },
    { name: "Energy class", kind: "ordered", levels: energy, values: draw(energy, 1) },
    { name: "Heating", kind: "group", levels: heating, values: draw(heating) },
    { name: "Municipality", kind: "category", levels: towns, values: draw(towns, 1.2) },
    { name: "Area", values: area },
    { name: "Built", kind: "datetime", values: built },
    { name: "First seen", kind: "datetime", values: seen },
    {
      name: "Time to the centre",
      kind: "timedelta",
      values: uniform(4, 55).map((minutes) => Math.round(minutes) / 1440),
    },
    { name: "Furnished", kind: "boolean", values: uniform(0, 1).map((u) => Number(u < 0.2)) },
  ];
  const effects = [0.9, 0.7, 0.1, -0.5, 0.2, 1.4];
  return {
    features,
    categories: [],
    predict: ([district, class_, heat, town, size, made, first, way, furnished]) => {
      const place = Number.isNaN(district!) ? -0.2 : effects[district!]!;
      const room = Number.isNaN(size!) ? 62 : size!;
      const week = Number.isNaN(first!) ? 0 : Math.sin((first! % 1) * 6.28);
      return (
        900 +
        9 * room * (1 + 0.12 * place) +
        240 * place -
        55 * class_! * (1 + (room - 80) / 120) +
        [60, 20, -30, -90, 10][heat!]! * (room / 70) +
        30 * Math.sin(town! * 1.7) +
        0.03 * (made! - 17000) +
        40 * week -
        6000 * way! +
        (120 - 0.5 * room) * furnished!
      );
    },
    outputLabel: "prediction",
    rowLabels: null,
  };
}

/** A clinic with what became of each patient. */
export function observedClinic(n: number): FakeData {
  const data = clinic(n);
  const source = randomLcg(0.61);
  const predicted = (i: number) =>
    data.predict(
      data.features.map(({ values }) => values[i]!),
      i,
    );
  const target = Float64Array.from({ length: n }, (_, i) => (i % 13 === 5 ? Number.NaN : +(source() < predicted(i))));
  return { ...data, target };
}

/** A clinic that tells so many outcomes apart. */
export function outcomes(n: number, labels: string[]): FakeData {
  const data = clinic(n);
  const scores = (row: number[], index: number) =>
    labels.map((_, at) => Math.exp(3 * data.predict(row, index) * Math.cos(1.3 * at) + 0.3 * Math.sin(at)));
  const classes = Object.fromEntries(
    labels.map((label, at) => {
      const predict = (row: number[], index: number): number => {
        const all = scores(row, index);
        return all[at]! / all.reduce((sum, value) => sum + value, 0);
      };
      return [label, predict];
    }),
  );
  return { ...data, classes, predict: classes[labels[0]!]!, outputLabel: `probability of ${labels[0]}` };
}

/** A step between two of the lowest values of a feature, which are close together: it dominates the slopes. */
export function steppedClinic(n: number): FakeData {
  const data = clinic(n);
  const at = data.features.findIndex(({ name }) => name === "Blood pressure");
  const skewed = data.features[at]!.values.map((value) => Math.exp((value - 120) / 10));
  const step = quantileSorted(
    Array.from(skewed).sort((a, b) => a - b),
    0.2,
  )!;
  const predict: FakeData["predict"] = (row, index) =>
    data.predict(row, index) + (row[at]! > step ? (row[2] === 0 ? 0.3 : -0.25) : 0);
  return {
    ...data,
    features: data.features.map((feature, of) => (of === at ? { ...feature, values: skewed } : feature)),
    predict,
  };
}

/**
 * Temperature and apparent temperature vary together. The model, fitted where they do, is steep where they do not: partial
 * dependence leaves the data, ALE does not.
 */
export function weather(n: number): FakeData {
  const source = randomLcg(0.7);
  const normal = (mu: number, sigma: number) => {
    const draw = randomNormal.source(source)(mu, sigma);
    return Float64Array.from({ length: n }, draw);
  };
  const one = (value: number) => Math.round(10 * value) / 10;
  const temperature = normal(14, 7).map(one);
  const noise = normal(0, 1.2);
  const apparent = temperature.map((value, i) => one(value * 1.15 - 2 + noise[i]!));
  const humidity = temperature
    .map((value) => value)
    .map((value, i) => Math.round(85 - 1.4 * value + 9 * noise[(i + 7) % n]!));
  const wind = normal(12, 4).map((value) => Math.round(Math.abs(value)));
  const season = temperature.map((value) => (value < 8 ? 0 : value < 19 ? 1 : 2));
  return {
    features: [
      { name: "Temperature", values: temperature },
      { name: "Apparent temperature", values: apparent },
      { name: "Humidity", values: humidity },
      { name: "Wind", values: wind },
      { name: "Season", kind: "category", levels: ["cold", "mild", "warm"], values: season },
    ],
    categories: [],
    predict: ([warm, felt, wet, gusts, when]) =>
      160 + 9 * warm! - 0.55 * (felt! * 0.87 - warm! + 1.7) ** 2 - 0.4 * wet! - 2 * gusts! + 12 * Number(when === 1),
    outputLabel: "predicted rentals",
    rowLabels: null,
  };
}
