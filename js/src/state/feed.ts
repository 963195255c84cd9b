/**
 * What the kernel computes on request: requested once it has been on screen for a moment, a few requests at a time,
 * repeated until the reply is complete, and kept.
 */
import { effect, type ReadonlySignal, signal, untracked } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../wire/client.ts";

/** What is known: of a share of what was requested, and something as soon as that is of use. */
export interface Known<T> {
  share: number;
  body: T | null;
}

/** `idle` is not requested at present; `ready` has a body. */
export type Progress<T> =
  | ({ state: "idle" | "computing" } & Known<T>)
  | { state: "ready"; share: number; body: T }
  | ({ state: "error"; message: string } & Known<T>);

const NOTHING: Progress<never> = { state: "idle", share: 0, body: null };

type Version = string | number | null;

/** What is requested; equal keys of one version have equal replies. */
export interface Wanted {
  key: string;
  /** Of what a reply rests on, such as the rows of a sample: the reply to another version stays until the new one is there. */
  version?: Version;
  /** Whether it is requested however many requests are open. */
  isUrgent?: boolean;
}

const isSame = (one: Wanted, { key, version = null }: Wanted): boolean =>
  one.key === key && (one.version ?? null) === version;

/** What is known of a key, and by which version. */
interface Kept<T> {
  progress: Progress<T>;
  version: Version;
}

export interface FeedOptions<T> {
  /** Delay before the first request, in ms. */
  patience?: number;
  /** Requests at once: the kernel answers one after the other, and what is opened next waits for these. */
  atOnce?: number;
  /** The size of a body, and how much of them is kept: what was wanted least recently is forgotten first. */
  room?: { size: (body: T) => number; most: number };
}

export class Feed<W extends Wanted, T> {
  readonly #known = new Map<string, Kept<T>>();
  readonly #news = signal(0);
  readonly #end: () => void;
  /** Requests that failed (their message) or were cancelled (null): repeated when they are wanted again. */
  readonly #ended = new Map<string, Wanted & { message: string | null }>();
  readonly #asking = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /**
   * The most urgent of what is wanted comes first. `ask` receives what earlier replies of the same version had, and the
   * last reply of any. When the version changes, the last complete reply stays until the next one is complete.
   */
  constructor(
    private readonly wanted: ReadonlySignal<W | readonly W[] | null>,
    private readonly ask: (wanted: W, known: T | null, last: T | null) => Promise<Known<T>>,
    private readonly options: FeedOptions<T> = {},
  ) {
    const { patience = 0, atOnce = 1 } = options;
    this.#end = effect(() => {
      this.#news.value;
      clearTimeout(this.#timer);
      const wanted = this.#wanted();
      for (const [key, ended] of this.#ended) {
        const isOther = !wanted.some((each) => isSame(each, ended));
        if (isOther && (wanted.length > 0 || ended.message === null)) this.#ended.delete(key);
      }
      const due = wanted.filter((each) => this.#isDue(each) && !this.#asking.has(each.key));
      const next = due.filter(({ isUrgent }, place) => isUrgent || place < atOnce - this.#asking.size);
      const start = () => untracked(() => next.map((each) => this.#repeat(each)));
      if (next.length === 0) return;
      if (patience === 0) start();
      else this.#timer = setTimeout(start, patience);
    });
  }

  of(key: string): Progress<T> {
    this.#news.value;
    const known = this.#known.get(key)?.progress ?? NOTHING;
    const [{ share, body }, ended] = [known, this.#ended.get(key)];
    if (ended !== undefined && ended.message !== null) return { state: "error", share, body, message: ended.message };
    const isAsked = ended === undefined && this.#wanted().some((each) => each.key === key);
    return isAsked && known.state !== "ready" ? { state: "computing", share, body } : known;
  }

  /** Repeats what failed or was cancelled. */
  retry(): void {
    this.#ended.clear();
    this.#news.value = this.#news.peek() + 1;
  }

  dispose(): void {
    this.#isOver = true;
    this.#end();
    clearTimeout(this.#timer);
  }

  #wanted(): readonly W[] {
    const wanted = this.wanted.value;
    return wanted === null ? [] : Array.isArray(wanted) ? wanted : [wanted as W];
  }

  /** Whether a request is not answered, or by another version, and has not failed. */
  #isDue(wanted: W): boolean {
    const [kept, ended] = [this.#known.get(wanted.key), this.#ended.get(wanted.key)];
    if (ended !== undefined && isSame(ended, wanted)) return false;
    return kept?.progress.state !== "ready" || kept.version !== (wanted.version ?? null);
  }

  #isWanted(asked: W): boolean {
    return !this.#isOver && untracked(() => this.#wanted()).some((each) => isSame(each, asked));
  }

  async #repeat(wanted: W): Promise<void> {
    const { key, version = null } = wanted;
    const before = this.#known.get(key);
    const isComplete = before?.progress.state === "ready";
    let known = before?.version === version ? before.progress.body : null;
    this.#asking.add(key);
    do {
      try {
        const { share, body } = await this.ask(wanted, known, before?.progress.body ?? null);
        if (this.#isOver) return;
        known = body;
        if (share >= 1 && body !== null) this.#keep(key, { progress: { state: "ready", share, body }, version });
        else if (!isComplete) this.#keep(key, { progress: { state: "idle", share, body }, version });
      } catch (error) {
        const message = error instanceof Cancelled ? null : sentenceOf(error);
        if (this.#isWanted(wanted)) this.#ended.set(key, { key, version, message });
      }
      this.#news.value++;
    } while (this.#isWanted(wanted) && this.#isDue(wanted));
    this.#asking.delete(key);
    this.#news.value++;
  }

  #keep(key: string, kept: Kept<T>): void {
    this.#known.delete(key); // last in order = kept last
    this.#known.set(key, kept);
    const { room } = this.options;
    if (room === undefined) return;
    const size = ({ progress }: Kept<T>) => (progress.body === null ? 0 : room.size(progress.body));
    let total = [...this.#known.values()].reduce((sum, each) => sum + size(each), 0);
    const wanted = new Set(untracked(() => this.#wanted()).map((each) => each.key));
    for (const [oldest, each] of this.#known) {
      if (total <= room.most) return;
      if (wanted.has(oldest)) continue;
      total -= size(each);
      this.#known.delete(oldest);
    }
  }
}

/** The feature on screen; the key identifies what the reply depends on: feature and output. */
export interface Showing extends Wanted {
  feature: string;
}

/** Delay after drawing curves, so that no curves wait for what is requested about them. */
const PATIENCE_MS = 120;

/** A feed of something about the feature on screen that is known with one reply. */
export const featureFeed = <T>(
  showing: ReadonlySignal<Showing | null>,
  request: (showing: Showing) => Promise<T>,
): Feed<Showing, T> =>
  new Feed<Showing, T>(showing, async (wanted) => ({ share: 1, body: await request(wanted) }), {
    patience: PATIENCE_MS,
  });
