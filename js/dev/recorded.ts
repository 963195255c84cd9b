/**
 * A model and a kernel in the page: the catalogue and the tests of the panels draw from them, without Jupyter. Replies
 * are those that `tests/contract/test_explorers.py` recorded of all rows, of which requests choose some.
 */
import type { AnyModel } from "@anywidget/types";
import { unpack, unzip } from "../src/standalone/unpack.ts";
import { unpacked } from "../src/wire/arrays.ts";
import type {
  Bodies,
  Bytes,
  ClassesBody,
  CurvesBody,
  Header,
  Reply,
  Request,
  RowsBody,
  RowsRequest,
  Traits,
} from "../src/wire/protocol.ts";

type Listener = (...values: never[]) => void;
type Sent = Request & { id: string };
/** What a kernel answers; null = nothing, ever. */
export type Answer = (request: Sent) => { reply: Reply } | null;

/** The traits of an explorer, and `answer` in the place of its kernel. */
export class FakeModel implements AnyModel<Traits> {
  readonly sent: Sent[] = [];
  /** Traits in the order they were saved, as Python would see them. */
  readonly saved: [string, unknown][] = [];
  /** Milliseconds before each reply. */
  delay = 0;
  /** What the kernel does after another convention, distance or open model was chosen. */
  recount = (): void => {};
  widget_manager = {
    get_model: () => Promise.reject(new Error("There are no other models.")),
  } as AnyModel["widget_manager"];
  readonly #traits: Traits;
  readonly #listeners = new Map<string, Set<Listener>>();
  #dirty = new Map<string, unknown>();

  constructor(
    traits: Traits,
    public answer: Answer,
  ) {
    this.#traits = { ...traits };
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

  pushAll(traits: Partial<Traits>): void {
    for (const [name, value] of Object.entries(traits)) this.push(name as keyof Traits, value as never);
  }

  /** Answers so many requests of a type with this body, and further ones never; with null no request at all. */
  replying<T extends Request["type"]>(type: T, body: Bodies[T] | null, most = Number.POSITIVE_INFINITY): this {
    let n = 0;
    return this.#instead(type, ({ id }) =>
      body === null || n++ >= most ? null : { reply: { id, type: "result", body } },
    );
  }

  /** Refuses requests of a type, or those about one feature. */
  refusing(type: Request["type"], message: string, feature: string | null = null): this {
    return this.#instead(type, ({ id }) => ({ reply: { id, type: "error", message } }), feature);
  }

  #instead(type: Request["type"], instead: Answer, feature: string | null = null): this {
    const { answer } = this;
    this.answer = (request) => {
      const isMeant = feature === null || ("feature" in request && request.feature === feature);
      return request.type === type && isMeant ? instead(request) : answer(request);
    };
    return this;
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

  send(content: Sent): void {
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

type Tables = Pick<Traits, "_impact" | "_profile" | "_models_impact" | "_models_profile">;
const EMPTY = new Float32Array();
const NO_TABLES = { _impact: EMPTY, _profile: EMPTY, _models_impact: EMPTY, _models_profile: EMPTY };

/** A fixture of `tests/contract/explorers`: JSON, and the bytes of all arrays. */
export interface Fixture {
  content: string;
  numbers: string;
}

/** Its JSON with the arrays in their places. */
interface Content {
  traits: Omit<Traits, keyof Tables>;
  replies: { request: object; body: unknown }[];
  tables: Partial<Tables>;
  /** The tables by the convention of the paper. */
  paper: Partial<Tables>;
}

/** Entries that tell a request from others of its type; what is recorded of all rows answers for any of them. */
const KEY = ["type", "feature", "model", "column", "levels", "rank_by", "unit", "first", "second", "end", "position"];
/** Entries of replies with a part for each row. */
const OF_ROWS = new Set([
  ...["positions", "observed", "likelihood_scale", "predictions", "values", "distances", "target", "at_own", "flags"],
  "row_labels",
]);

function requestKey(request: object): string {
  const entries = request as Record<string, unknown>;
  const names = entries.type === "in_common" ? ["type", "positions"] : KEY;
  return JSON.stringify(names.map((name) => entries[name] ?? null));
}

/** A body about some of its rows: the parts of those entries that have one for each row. */
export function takeRows(value: unknown, rows: readonly number[], nRows: number, isOfRows = false): unknown {
  if (ArrayBuffer.isView(value) || (isOfRows && Array.isArray(value) && typeof value[0] === "string")) {
    const all = value as unknown as Float64Array;
    if (!isOfRows) return value;
    const size = all.length / nRows;
    const parts = all.slice(0, size * rows.length);
    for (const [at, row] of rows.entries()) for (let z = 0; z < size; z++) parts[at * size + z] = all[row * size + z]!;
    return parts;
  }
  if (Array.isArray(value)) return value.map((item) => takeRows(item, rows, nRows, isOfRows));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, takeRows(part, rows, nRows, OF_ROWS.has(name))]),
  );
}

export class RecordedKernel {
  readonly header: Header;
  readonly impact: Float32Array;
  readonly profile: Float32Array;
  readonly #replies: ReadonlyMap<string, unknown>;
  readonly #traits: Traits;
  readonly #tables: Record<keyof Tables, Float32Array>;
  readonly #paper: Partial<Tables>;

  static async read({ content, numbers }: Fixture): Promise<RecordedKernel> {
    const [json, packed] = await Promise.all([unzip(content), unzip(numbers)]);
    const read = JSON.parse(new TextDecoder().decode(json)) as { lengths: number[] };
    return new RecordedKernel(unpacked(read, unpack(packed, read.lengths)) as Content);
  }

  private constructor({ traits, replies, tables, paper }: Content) {
    this.#replies = new Map(replies.map(({ request, body }) => [requestKey(request), body]));
    this.#tables = { ...NO_TABLES, ...tables } as Record<keyof Tables, Float32Array>;
    this.#paper = paper;
    this.#traits = { ...traits, ...this.#tables };
    this.header = traits._header;
    this.impact = this.#tables._impact;
    this.profile = this.#tables._profile;
  }

  // --- what is recorded ---------------------------------------------------------------------------

  /** The recorded reply, of all rows. */
  recorded<T extends Request["type"]>(type: T, entries: object = {}): Bodies[T] {
    const request = { ...entries, type };
    const body = this.#replies.get(requestKey(request));
    if (body === undefined) throw new Error(`This is not recorded: ${JSON.stringify(request).slice(0, 200)}`);
    return body as Bodies[T];
  }

  curves(feature: string): CurvesBody {
    return this.recorded("curves", { feature });
  }

  /** The value of a feature in each row. */
  observed(feature: string): number[] {
    return [...this.curves(feature).observed];
  }

  /** What is predicted of each row. */
  get predictions(): number[] {
    const { predictions, offset } = this.curves(this.header.features[0]!.name);
    return Array.from(predictions, (value) => value + offset);
  }

  /** The feature that ranks first by impact. */
  get top(): string {
    const width = this.header.metrics.length;
    const impacts = this.header.features.map((_, at) => this.impact[at * width]!);
    return this.header.features[impacts.indexOf(Math.max(...impacts))]!.name;
  }

  // --- as an explorer has it ----------------------------------------------------------------------

  traits(overrides: Partial<Traits> = {}): Traits {
    const views = Object.entries(this.#tablesOf(overrides.model)).map(([name, table]) => [name, viewOf(table)]);
    const tables = Object.fromEntries(views) as Tables;
    return { ...this.#traits, ...tables, feature: this.top, max_lines: 500, ...overrides };
  }

  /** Traits of a kernel that has finished only the first features. */
  partial(done: number): Partial<Traits> {
    return firstFeatures(this.header, this.impact, this.profile, done);
  }

  model(overrides: Partial<Traits> = {}): FakeModel {
    const model = new FakeModel(this.traits(overrides), (request) => this.answerIn(model, request));
    model.recount = () => {
      const [convention, distance] = [model.get("convention"), model.get("distance")];
      model.pushAll({ ...this.#tablesOf(model.get("model")), ...(convention === "paper" ? this.#paper : {}) });
      model.push("_header", { ...model.get("_header"), convention, distance });
    };
    return model;
  }

  /** The tables where a model is open: its part of those of all models is first. */
  #tablesOf(model = ""): Tables {
    const { models } = this.header;
    const at = models.indexOf(model);
    if (at < 0) return this.#tables;
    const { _impact, _profile, _models_impact, _models_profile } = this.#tables;
    const [width, length] = [_impact.length, _models_profile.length / models.length];
    const profile = _profile.slice(); // in which the disagreements of the models come last, whichever is open
    profile.set(_models_profile.subarray(at * length, (at + 1) * length));
    return { ...this.#tables, _impact: _models_impact.slice(at * width, (at + 1) * width), _profile: profile };
  }

  readonly answer: Answer = (request) => {
    const { id } = request;
    try {
      return { reply: { id, type: "result", body: this.#body(request) as Bodies[Request["type"]] } };
    } catch (error) {
      return { reply: { id, type: "error", message: (error as Error).message } };
    }
  };

  /** The answer to an explorer: given the other features, values are twice as far. */
  answerIn(model: FakeModel, request: Sent): ReturnType<Answer> {
    if (request.type !== "curves") return this.answer(request);
    const ofModel = request.model ?? model.get("model");
    const answered = this.answer({ ...request, model: ofModel === this.#traits.model ? null : ofModel })!;
    if (answered.reply.type === "result" && model.get("distance") === "conditional") {
      const body = answered.reply.body as CurvesBody;
      body.likelihood_scale = body.likelihood_scale.map((each) => each / 2);
    }
    return answered;
  }

  #body(request: Sent): unknown {
    switch (request.type) {
      case "cancel":
      case "resume":
        return {};
      case "rows":
        return this.#rows(request);
      case "what_if": {
        const { features, ...body } = this.recorded("what_if", request);
        return { ...body, features: features.filter(({ feature }) => request.features.includes(feature)) };
      }
      case "in_common":
        return this.#replies.get(requestKey(request)) ?? { items: [] };
      case "curves":
      case "classes": {
        const body = this.recorded(request.type, request);
        const selection = request.type === "curves" ? request.selection : [];
        const rows = drawn(body.n_lines, request.max_lines, selection);
        return { ...(takeRows(body, rows, body.n_lines) as CurvesBody | ClassesBody), n_lines: rows.length };
      }
      case "colors": {
        const plain = { ...request, levels: null }; // levels that are separate anyway are not recorded again
        const body = this.#replies.get(requestKey(request)) ?? this.recorded("colors", plain);
        return takeRows(body, request.positions, this.header.n_observations);
      }
      case "unlike":
        return takeRows(this.recorded(request.type, request), request.positions, this.header.n_observations);
      default:
        return this.recorded(request.type, request);
    }
  }

  #rows({ positions, sort_by: by = null, descending = false, most = null }: RowsRequest): RowsBody {
    const { rows, ...body } = this.recorded("rows");
    const sorted = [...positions];
    const sign = descending ? -1 : 1;
    if (by !== null) {
      const compare = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
      sorted.sort((a, b) => sign * compare(rows[a]![by]!, rows[b]![by]!));
    }
    const wanted = sorted.slice(0, most ?? undefined);
    return { ...body, positions: wanted, rows: wanted.map((row) => rows[row]!) };
  }
}

/** What a kernel sends when it has finished only the first features. */
export function firstFeatures(
  { decays, metrics, features }: Header,
  impact: Float32Array,
  profile: Float32Array,
  done: number,
): Pick<Traits, "_status" | "_impact" | "_profile"> {
  const total = features.length;
  const keepFirst = (table: Float32Array, size: number) =>
    viewOf(table.map((value, z) => (Math.floor(z / size) % total < done ? value : Number.NaN)));
  return {
    _status: {
      ...{ state: "computing", done, total, label: features[done]?.name ?? "", message: "" },
      ...{ n_rows: null, n_all: null },
    },
    _impact: keepFirst(impact, metrics.length),
    _profile: keepFirst(profile, decays.count),
  };
}

/** Every so many rows, and the selected ones. */
function drawn(nRows: number, most: number, selection: readonly number[]): number[] {
  const every = Math.max(1, Math.ceil(nRows / most));
  const rows = new Set(selection);
  for (let row = 0; row < nRows; row += every) rows.add(row);
  return [...rows].sort((a, b) => a - b);
}
