/** The model of a saved page: traits in a plain object, and recorded replies to requests in the place of a kernel. */
import type { AnyModel } from "@anywidget/types";
import { number } from "../text/numbers.ts";
import { copyOf, isArray, unpacked } from "../wire/arrays.ts";
import { type OptionalRequest, sentenceOf } from "../wire/client.ts";
import type { CurvesBody, IntervalsRequest, Reply, Request, RowsBody, RowsRequest, Traits } from "../wire/protocol.ts";
import { unpack, unzip } from "./unpack.ts";

/** Buffers of the page: their blob, and the number of bytes of each. */
interface Packed {
  blob: number | null;
  lengths: number[];
}

interface Answer {
  body: unknown;
  buffers: Uint8Array[];
}

interface RecordedReply extends Packed {
  request: Partial<Record<string, unknown>>;
  body: unknown;
}

const TABLES = ["_profile", "_impact", "_models_profile", "_models_impact"] as const;
type Table = (typeof TABLES)[number];

/** The twin of `Recording` in `standalone/recording.py`. Replies have all rows of the page, in the same order. */
export interface Recording {
  traits: Omit<Traits, Table>;
  /** Tables of figures, as the traits that they are. */
  tables: Packed & { traits: Table[] };
  /** Rows of the data that are on the page. */
  positions: number[];
  row_labels: string[] | null;
  replies: RecordedReply[];
  /** The blob of the rows as text, in JSON. */
  rows: number;
  /** The place of each row in the order of each column, NaN where its value is missing. */
  ranks: Packed;
}

/** The base64 text of a blob of the page. */
export type ReadBlob = (blob: number) => string;

const NO_KERNEL = "This page was saved without its model. Use the original notebook for this.";
const NOT_COMPUTED =
  "This was not computed before the page was saved. Open it in the notebook, then save the page again.";

/** Entries of requests that replies are recorded by; all others choose among the rows. */
const KEY = [
  ...["type", "feature", "model", "column", "levels", "rank_by", "level", "decay"],
  ...["first", "second", "end"],
];
/** Entries of replies with a part for each row; all others belong to the feature or column. */
const OF_ROWS = new Set([
  ...["positions", "observed", "likelihood_scale", "predictions", "values", "distances", "target", "at_own", "flags"],
]);
/** Of decays. */
const DIGITS = 9;

const json = async (text: string): Promise<unknown> => JSON.parse(new TextDecoder().decode(await unzip(text)));

/** The recording is the first blob of its page. */
export const readRecording = async (read: ReadBlob): Promise<Recording> => (await json(read(0))) as Recording;

const buffersOf = async (read: ReadBlob, { blob, lengths }: Packed) =>
  blob === null ? [] : unpack(await unzip(read(blob)), lengths);

function keyOf(request: RecordedReply["request"]): string {
  const { decay, rank_by: metric } = request;
  const isDecayed = metric === "in_distribution_impact" && decay !== 1;
  // No other figure depends on the decay; without it, impact and in-distribution impact are the same.
  const same = isDecayed ? { decay: Number(decay).toFixed(DIGITS) } : { decay: null };
  const named: typeof request = { ...request, ...same };
  if (metric === "in_distribution_impact" && !isDecayed) named.rank_by = "impact";
  return JSON.stringify(KEY.map((name) => named[name] ?? null));
}

async function tablesOf({ tables }: Recording, read: ReadBlob): Promise<Pick<Traits, Table>> {
  const buffers = await buffersOf(read, tables);
  const none = new ArrayBuffer(0);
  const sent = Object.fromEntries(tables.traits.map((name, at) => [name, buffers[at]!]));
  return { _impact: none, _profile: none, _models_impact: none, _models_profile: none, ...sent };
}

type Listener = (...values: never[]) => void;

export class RecordedModel implements AnyModel<Traits> {
  readonly widget_manager = {
    get_model: () => Promise.reject(new Error("There are no other models on this page.")),
  } as AnyModel["widget_manager"];
  /** The largest number of curves per feature. */
  readonly mostLines: number;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #replies: ReadonlyMap<string, RecordedReply>;
  /** The line of each row of the page. */
  readonly #lines: ReadonlyMap<number, number>;
  #texts: Promise<RowsBody> | null = null;

  /** Reads the tables that go with the traits. */
  static async read(recording: Recording, read: ReadBlob): Promise<RecordedModel> {
    const { traits } = recording;
    return new RecordedModel(recording, read, { ...traits, ...(await tablesOf(recording, read)) });
  }

  private constructor(
    private readonly recording: Recording,
    private readonly blob: ReadBlob,
    private readonly traits: Traits,
  ) {
    this.mostLines = traits.max_lines;
    this.#replies = new Map(recording.replies.map((reply) => [keyOf(reply.request), reply]));
    this.#lines = new Map(recording.positions.map((position, line) => [position, line]));
  }

  // --- traits -------------------------------------------------------------------------------------

  get<K extends keyof Traits>(key: K): Traits[K] {
    return this.traits[key];
  }

  set<K extends keyof Traits>(key: K, value: Traits[K]): void {
    if (Object.is(this.traits[key], value)) return;
    this.traits[key] = value;
    this.#emit(`change:${key}`);
  }

  save_changes(): void {}

  on(name: string, listener: Listener): void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
  }

  off(name?: string | null, listener?: Listener | null): void {
    if (name != null && listener != null) this.#listeners.get(name)?.delete(listener);
  }

  #emit(name: string, ...values: unknown[]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...(values as never[]));
  }

  // --- replies ------------------------------------------------------------------------------------

  /** Whether requests of an optional type are answered. */
  readonly answers = (type: OptionalRequest): boolean =>
    this.recording.replies.some(({ request }) => request.type === type);

  /** Answers a request, as a kernel does. */
  async send({ id, ...request }: Request & { id: string }): Promise<void> {
    const tell = (reply: Reply, buffers: readonly Uint8Array[] = []) => this.#emit("msg:custom", reply, buffers);
    try {
      const { body, buffers } = request.type === "rows" ? await this.#rows(request) : await this.#play(request);
      tell({ id, type: "result", body }, buffers);
    } catch (error) {
      tell({ id, type: "error", message: sentenceOf(error) });
    }
  }

  async #play(request: Request): Promise<Answer> {
    // Levels that are separate anyway are not recorded again, and curves of the open model not by its name.
    const plain: RecordedReply["request"] = { ...request };
    if (plain.type === "colors") plain.levels = null;
    if (plain.model === this.recording.traits.model) plain.model = null;
    const reply = this.#replies.get(keyOf({ ...request })) ?? this.#replies.get(keyOf(plain));
    if (reply === undefined) throw new Error(this.#excuse(request));
    const buffers = await buffersOf(this.blob, reply);
    if (request.type === "curves") {
      const { observed } = unpacked(reply.body, buffers) as CurvesBody;
      const lines = this.#drawn(observed, request.max_lines, request.selection);
      const labels = this.recording.row_labels;
      const body = ofLines(reply.body, buffers, lines) as CurvesBody;
      return {
        body: { ...body, n_lines: lines.length, row_labels: labels && lines.map((at) => labels[at]!) },
        buffers,
      };
    }
    if (!("positions" in request)) return { body: reply.body, buffers };
    return { body: ofLines(reply.body, buffers, this.#linesOf(request.positions)), buffers };
  }

  async #rows({ positions, sort_by: by = null, descending = false, most = null }: RowsRequest): Promise<Answer> {
    this.#texts ??= json(this.blob(this.recording.rows)) as Promise<RowsBody>;
    const [texts, lines] = [await this.#texts, this.#linesOf(positions)];
    if (by !== null) {
      const [bytes] = await buffersOf(this.blob, this.recording.ranks);
      const ranks = new Float32Array(copyOf(bytes!)).subarray(by * texts.rows.length);
      const isMissing = (line: number) => Number(Number.isNaN(ranks[line])); // is last either way
      const sign = descending ? -1 : 1;
      lines.sort((a, b) => isMissing(a) - isMissing(b) || sign * (ranks[a]! - ranks[b]!));
    }
    const wanted = lines.slice(0, most ?? undefined);
    const rows = wanted.map((line) => texts.rows[line]!);
    return { body: { ...texts, positions: wanted.map((line) => this.recording.positions[line]!), rows }, buffers: [] };
  }

  #linesOf(positions: readonly number[]): number[] {
    return positions.map((position) => {
      const line = this.#lines.get(position);
      if (line === undefined) throw new Error(`Row ${position} is not on this page.`);
      return line;
    });
  }

  /** All lines, or a sample that is spread evenly over the values of the feature, and the selected lines. */
  #drawn(observed: Float64Array, most: number, selection: readonly number[]): number[] {
    const order = Array.from(observed.keys());
    if (most >= Math.min(this.mostLines, order.length)) return order;
    order.sort((a, b) => place(observed[a]!) - place(observed[b]!) || a - b);
    const every = order.length / most;
    const chosen = new Set(Array.from({ length: most }, (_, at) => order[Math.floor((at + 0.5) * every)]!));
    for (const position of selection) if (this.#lines.has(position)) chosen.add(this.#lines.get(position)!);
    return [...chosen].sort((a, b) => a - b);
  }

  /** Why a request has no recorded reply. */
  #excuse({ type }: Request): string {
    if (type === "interactions" || type === "two_way" || type === "unlike") return NOT_COMPUTED;
    const kept = this.recording.replies.find(({ request }) => request.type === type && type === "intervals");
    if (kept === undefined) return NO_KERNEL;
    const { decay } = kept.request as unknown as IntervalsRequest;
    return `This page was saved with intervals for weight ${number(decay)} of far values.`;
  }
}

/** Missing values are last. */
const place = (value: number): number => (Number.isNaN(value) ? Number.MAX_VALUE : value);

/** The reply about some lines; takes their parts of those buffers that have one for each line. */
function ofLines(value: unknown, buffers: Uint8Array[], lines: readonly number[], isOfRows = false): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (!isArray(value)) {
    const parts = Object.entries(value).map(([name, part]) => [name, ofLines(part, buffers, lines, OF_ROWS.has(name))]);
    return Object.fromEntries(parts);
  }
  if (!isOfRows) return value;
  const [whole, [nLines, ...each]] = [buffers[value.buffer]!, value.shape as [number, ...number[]]];
  const size = whole.length / nLines;
  const parts = new Uint8Array(size * lines.length);
  for (const [at, line] of lines.entries()) parts.set(whole.subarray(line * size, (line + 1) * size), at * size);
  buffers[value.buffer] = parts;
  return { ...value, shape: [lines.length, ...each] };
}
