/** Client of a saved page: replies precomputed for every feature and column, for one set of rows. */
import { type ReadonlySignal, signal } from "@preact/signals-core";
import { maxIndex, minIndex } from "d3-array";
import { unpacked } from "../wire/arrays.ts";
import { Cancelled, type Client, KernelError, type OptionalRequest, sentenceOf, unreachable } from "../wire/client.ts";
import type {
  Bodies,
  ClassesBody,
  ColorsBody,
  Convention,
  CorrelatedBody,
  CurvesBody,
  CurvesRequest,
  DriversBody,
  EffectsBody,
  Extreme,
  InteractionsBody,
  IntervalsBody,
  IntervalsRequest,
  RankBy,
  Request,
  RowsBody,
  RowsRequest,
  Traits,
  TwoWayBody,
  Unit,
  UnlikeBody,
} from "../wire/protocol.ts";
import { CONVENTION_LABELS } from "../words/metric_names.ts";
import { number } from "../words/numbers.ts";
import type { StaticModel } from "./static_model.ts";
import { unpack, unzip } from "./unpack.ts";

/** Packed buffers of the page: their blob, and the number of bytes of each. */
export interface Packed {
  blob: number;
  lengths: number[];
}

/** A reply, whose arrays are packed. */
interface Kept<B> extends Packed {
  body: B;
}

/** Tables of figures by one convention, as the traits that they are. */
interface Counted extends Packed {
  convention: Convention;
  traits: Table[];
}

/** Intervals of every figure in every unit, as the page was saved. */
interface KeptIntervals {
  level: number;
  decay: number;
  convention: Convention;
  answers: (Kept<IntervalsBody> & { rank_by: RankBy; unit: Unit })[];
}

/** The twin of `Snapshot` in `standalone/answers.py`. Lists are in the order of the header's features or columns. */
export interface Snapshot {
  traits: Omit<Traits, Table>;
  tables: Counted[];
  row_labels: string[] | null;
  curves: Kept<CurvesBody>[];
  /** Curves of the same rows by the models that are not the open one; empty with one model. */
  models: { model: string; curves: Kept<CurvesBody>[] }[];
  /** `apart` keeps the levels that rules name separate; null where they are separate anyway. */
  colors: (Kept<ColorsBody> & { apart: Kept<ColorsBody> | null })[];
  drivers: DriversBody[];
  /** Replies to requests that were switched on when the page was saved; else empty. */
  effects: Kept<EffectsBody>[];
  correlated: CorrelatedBody[];
  /** Null where its models were not fitted before the page was saved. */
  unlike: (Kept<UnlikeBody> | null)[];
  /** Null where the page was saved without them. */
  intervals: KeptIntervals | null;
  /** Null where they were not computed before the page was saved. */
  interactions: InteractionsBody | null;
  /** Those that were computed before the page was saved. */
  pairs: Kept<TwoWayBody>[];
  /** Null where two columns together explain no more than one. */
  groups: (Kept<ColorsBody> | null)[];
  /** Empty where there is one output, or too many. */
  classes: Kept<ClassesBody>[];
  /** The blob of the rows as text, in JSON. */
  rows: number;
}

const TABLES = ["_profile", "_impact", "_models_profile", "_models_impact"] as const;
type Table = (typeof TABLES)[number];

type Numbers = Float32Array | Float64Array | Uint32Array | Uint8Array;

/** The base64 text of a blob of the page. */
export type ReadBlob = (blob: number) => string;

/** Of decays. */
const ROUNDING = 1e-9;

const NO_KERNEL = "This page was saved without its model. Use the original notebook for this.";

const NOT_COMPUTED =
  "This was not computed before the page was saved. Open it in the notebook, then save the page again.";

const json = async (text: string): Promise<unknown> => JSON.parse(new TextDecoder().decode(await unzip(text)));

/** The snapshot is the first blob of its page. */
export const readSnapshot = async (read: ReadBlob): Promise<Snapshot> => (await json(read(0))) as Snapshot;

const buffersOf = async (read: ReadBlob, { blob, lengths }: Packed) => unpack(await unzip(read(blob)), lengths);

const replyOf = async <B>(read: ReadBlob, kept: Kept<B>): Promise<B> =>
  unpacked(kept.body, await buffersOf(read, kept)) as B;

/** Traits with the tables that go with them. */
export async function traitsOf(snapshot: Snapshot, read: ReadBlob): Promise<Traits> {
  return { ...snapshot.traits, ...(await tablesOf(snapshot, read, snapshot.traits.convention)) };
}

async function tablesOf({ tables }: Snapshot, read: ReadBlob, convention: Convention): Promise<Pick<Traits, Table>> {
  const counted = tables.find((table) => table.convention === convention);
  if (counted === undefined) throw new Error(`There are no figures by the convention ${convention}.`);
  const buffers = await buffersOf(read, counted);
  const none = new ArrayBuffer(0);
  const sent = Object.fromEntries(counted.traits.map((name, at) => [name, buffers[at]!]));
  return { _impact: none, _profile: none, _models_impact: none, _models_profile: none, ...sent };
}

/** Sets the tables of the chosen convention, as the kernel would; restores the convention if they are damaged. */
export async function recount(model: StaticModel, snapshot: Snapshot, read: ReadBlob): Promise<void> {
  const convention = model.get("convention");
  const header = model.get("_header");
  if (header.convention === convention) return;
  const isChosen = () => model.get("convention") === convention; // it may have changed meanwhile
  try {
    const tables = await tablesOf(snapshot, read, convention);
    if (!isChosen()) return;
    for (const name of TABLES) model.set(name, tables[name]);
    model.set("_header", { ...header, convention });
  } catch (error) {
    if (isChosen()) model.refuse({ convention: header.convention }, sentenceOf(error));
  }
}

export class SnapshotClient implements Client {
  readonly hasKernel = false;
  readonly alive: ReadonlySignal<boolean> = signal(true);
  readonly silent: ReadonlySignal<boolean> = signal(false);
  readonly mostLines: number;
  #rows: Promise<RowsBody> | null = null;
  #places: Promise<ReadonlyMap<number, number>> | null = null;
  #disposed = false;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly read: ReadBlob,
  ) {
    this.mostLines = snapshot.traits.max_lines;
  }

  async request<R extends Request>(request: R): Promise<Bodies[R["type"]]> {
    const body = await this.#answer(request);
    if (this.#disposed) throw new Cancelled("This view is closed.");
    return body as Bodies[R["type"]];
  }

  dispose(): void {
    this.#disposed = true;
  }

  async #answer(request: Request): Promise<Bodies[keyof Bodies]> {
    switch (request.type) {
      case "curves":
        return this.#curves(request);
      case "colors":
        return this.#colors(request.column, request.positions, request.levels ?? []);
      case "groups":
        return this.#groups(request.feature, request.positions);
      case "drivers":
        return this.snapshot.drivers[this.#feature(request.feature)]!;
      case "correlated":
        return this.#kept("correlated", request.feature);
      case "effects":
        return replyOf(this.read, this.#kept("effects", request.feature));
      case "unlike": {
        const body = await replyOf(this.read, this.#kept("unlike", request.feature));
        return { ...body, flags: await this.#ofRows(body.flags, request.positions) };
      }
      case "intervals":
        return this.#intervals(request);
      case "interactions":
        if (this.snapshot.interactions === null) throw new KernelError(NOT_COMPUTED);
        return this.snapshot.interactions;
      case "two_way":
        return this.#pair(request.first, request.second);
      case "rows":
        return this.#rowsOf(request);
      case "extreme":
        return { position: await this.#extreme(request.end) };
      case "classes":
        return this.#classes(request.feature);
      case "what_if":
      case "in_common":
      case "export":
      case "cancel":
      case "resume":
        throw new KernelError(NO_KERNEL);
      default:
        return unreachable(request);
    }
  }

  readonly answers = (type: OptionalRequest): boolean =>
    type === "intervals" ? (this.snapshot.intervals ?? null) !== null : this.snapshot[type].length > 0;

  #kept<T extends Exclude<OptionalRequest, "intervals">>(type: T, feature: string): NonNullable<Snapshot[T][number]> {
    const known = this.snapshot[type][this.#feature(feature)];
    if (!known) throw new KernelError(known === null ? NOT_COMPUTED : NO_KERNEL);
    return known;
  }

  #feature(name: string): number {
    const at = this.snapshot.traits._header.features.findIndex((feature) => feature.name === name);
    if (at === -1) throw new KernelError(`There is no feature '${name}' on this page.`);
    return at;
  }

  async #curves({ feature, max_lines: maxLines, selection, model }: CurvesRequest): Promise<CurvesBody> {
    const of = this.snapshot.models.find((other) => other.model === model) ?? this.snapshot;
    const body = await replyOf(this.read, of.curves[this.#feature(feature)]!);
    const labels = this.snapshot.row_labels;
    if (maxLines >= this.mostLines || maxLines >= body.n_lines) return { ...body, row_labels: labels };
    const lines = chosenLines(body.positions, body.observed, maxLines, selection);
    const chosen = <T extends Numbers>(values: T): T => ofLines(values, body.n_lines, lines);
    return {
      ...body,
      n_lines: lines.length,
      row_labels: labels && lines.map((line) => labels[line]!),
      positions: chosen(body.positions),
      observed: chosen(body.observed),
      likelihood_scale: chosen(body.likelihood_scale),
      predictions: chosen(body.predictions),
      values: chosen(body.values),
      missing: body.missing && { ...body.missing, values: chosen(body.missing.values) },
      distances: body.distances && chosen(body.distances),
      target: body.target && chosen(body.target),
      at_own: body.at_own && chosen(body.at_own),
    };
  }

  async #intervals({ rank_by, level, decay, convention, unit }: IntervalsRequest): Promise<IntervalsBody> {
    const kept = this.snapshot.intervals;
    if (kept === null) throw new KernelError(NO_KERNEL);
    const isDecayed = rank_by === "in_distribution_impact";
    const isKept = !isDecayed || Math.abs(decay - kept.decay) < ROUNDING;
    // Without decay both are the same figure.
    const wanted = isDecayed && decay === 1 ? "impact" : rank_by;
    if (level !== kept.level || convention !== kept.convention || !(isKept || wanted === "impact")) {
      const counted = CONVENTION_LABELS[kept.convention];
      throw new KernelError(
        `This page was saved with intervals for weight ${number(kept.decay)} of far values, counted ${counted}.`,
      );
    }
    return replyOf(this.read, kept.answers.find((answer) => answer.rank_by === wanted && answer.unit === unit)!);
  }

  async #classes(feature: string): Promise<ClassesBody> {
    const { classes } = this.snapshot;
    if (classes.length === 0) throw new KernelError(NO_KERNEL);
    return replyOf(this.read, classes[this.#feature(feature)]!);
  }

  async #pair(first: string, second: string): Promise<TwoWayBody> {
    const known = this.snapshot.pairs.find(
      ({ body }) => body.two_way?.first.feature === first && body.two_way.second.feature === second,
    );
    if (known === undefined) throw new KernelError(NOT_COMPUTED);
    return replyOf(this.read, known);
  }

  async #colors(column: string, positions: readonly number[], levels: readonly string[]): Promise<ColorsBody> {
    const at = this.snapshot.traits._header.columns.findIndex(({ name }) => name === column);
    const known = this.snapshot.colors[at];
    if (known === undefined) throw new KernelError(`There is no column '${column}' on this page.`);
    return this.#colorsOf(levels.length > 0 && known.apart !== null ? known.apart : known, positions);
  }

  async #groups(feature: string, positions: readonly number[]): Promise<ColorsBody> {
    const known = this.snapshot.groups[this.#feature(feature)] ?? null;
    if (known === null) throw new KernelError(`There are no groups of '${feature}' on this page.`);
    return this.#colorsOf(known, positions);
  }

  async #colorsOf(kept: Kept<ColorsBody>, positions: readonly number[]): Promise<ColorsBody> {
    const { scale, values } = await replyOf(this.read, kept);
    return { scale, values: await this.#ofRows(values, positions) };
  }

  /** The values of some of the rows of the page. */
  async #ofRows<T extends Numbers>(values: T, positions: readonly number[]): Promise<T> {
    return ofLines(values, (await this.#drawn()).size, await this.#linesOf(positions));
  }

  async #rowsOf({ positions, sort_by = null, descending = false, most = null }: RowsRequest): Promise<RowsBody> {
    this.#rows ??= json(this.read(this.snapshot.rows)) as Promise<RowsBody>;
    const { columns, n_outcomes, positions: every, rows } = await this.#rows;
    const lines = await this.#linesOf(positions);
    if (sort_by !== null) {
      const levels = sort_by < n_outcomes ? null : this.#levelsOf(columns[sort_by]!);
      const order = compareTexts(
        lines.map((line) => rows[line]![sort_by]!),
        levels,
      );
      const sign = descending ? -1 : 1;
      const text = (line: number) => rows[line]![sort_by]!;
      lines.sort((a, b) => {
        const [one, other] = [text(a), text(b)];
        return one === "" || other === "" ? Number(one === "") - Number(other === "") : sign * order(one, other);
      });
    }
    const wanted = lines.slice(0, most ?? undefined);
    return {
      columns,
      n_outcomes,
      positions: wanted.map((line) => every[line]!),
      rows: wanted.map((line) => rows[line]!),
    };
  }

  /** The levels of a column, in order; null where it has none. */
  #levelsOf(column: string): readonly string[] | null {
    const at = this.snapshot.traits._header.columns.findIndex(({ name }) => name === column);
    return this.snapshot.colors[at]?.body.scale.levels ?? null;
  }

  /** Of the rows on this page. */
  async #extreme(end: Extreme): Promise<number> {
    const { positions, predictions } = await replyOf(this.read, this.snapshot.curves[0]!);
    const line = (end === "highest" ? maxIndex : minIndex)(predictions);
    return positions[line]!;
  }

  async #linesOf(positions: readonly number[]): Promise<number[]> {
    const places = await this.#drawn();
    return positions.map((position) => {
      const line = places.get(position);
      if (line === undefined) throw new KernelError(`Row ${position} is not on this page.`);
      return line;
    });
  }

  /** Rows of the data by position, with their places on this page. */
  #drawn(): Promise<ReadonlyMap<number, number>> {
    const [first] = this.snapshot.curves;
    this.#places ??= replyOf(this.read, first!).then(
      ({ positions }) => new Map(Array.from(positions, (position, line) => [position, line])),
    );
    return this.#places;
  }
}

/** A sample of the lines, spread evenly over the values of the feature, and the selected lines. */
function chosenLines(
  positions: Uint32Array,
  observed: Float64Array,
  most: number,
  selection: readonly number[],
): number[] {
  const order = Array.from(observed.keys()).sort((a, b) => place(observed[a]!) - place(observed[b]!) || a - b);
  const every = order.length / most;
  const chosen = new Set(Array.from({ length: most }, (_, at) => order[Math.floor((at + 0.5) * every)]!));
  const selected = new Set(selection);
  for (const [line, position] of positions.entries()) if (selected.has(position)) chosen.add(line);
  return [...chosen].sort((a, b) => a - b);
}

/** The order of texts of a column: by its levels, as numbers where all are numbers, or as text. */
function compareTexts(
  texts: readonly string[],
  levels: readonly string[] | null,
): (one: string, other: string) => number {
  if (levels !== null && texts.every((text) => text === "" || levels.includes(text))) {
    return (one, other) => levels.indexOf(one) - levels.indexOf(other);
  }
  const areNumbers = texts.every((text) => text === "" || Number.isFinite(Number(text)));
  return areNumbers ? (one, other) => Number(one) - Number(other) : (one, other) => one.localeCompare(other);
}

/** Missing values are last. */
const place = (value: number): number => (Number.isNaN(value) ? Number.MAX_VALUE : value);

/** The parts of an array that belong to the given lines. */
function ofLines<T extends Numbers>(values: T, nLines: number, lines: readonly number[]): T {
  const size = values.length / nLines;
  const parts = values.slice(0, size * lines.length) as T;
  for (const [at, line] of lines.entries()) parts.set(values.subarray(line * size, (line + 1) * size), at * size);
  return parts;
}
