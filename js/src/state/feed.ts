/**
 * What the kernel computes on request: requested once it has been on screen for a moment, one request at a time, repeated
 * until the reply is complete, and kept.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
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

/** What is requested; equal keys of one version have equal replies. */
export interface Wanted {
  key: string;
  /** Of what a reply rests on, such as the rows of a sample: the reply to another version stays until the new one is there. */
  version?: number | null;
}

const isSame = (one: Wanted | null, other: Wanted | null): boolean =>
  one?.key === other?.key && (one?.version ?? null) === (other?.version ?? null);

/** What is known of a key, and by which version. */
interface Kept<T> {
  progress: Progress<T>;
  version: number | null;
}

export class Feed<W extends Wanted, T> {
  readonly #known = new Map<string, Kept<T>>();
  readonly #news = signal(0);
  readonly #end: () => void;
  /** The last request if it failed (its message) or was cancelled (null): repeated when it is wanted again. */
  #ended: (Wanted & { message: string | null }) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  /**
   * `ask` receives what earlier replies of the same version had; `patience` is the delay before the first request. When
   * the version changes, the last complete reply stays until the next one is complete.
   */
  constructor(
    private wanted: ReadonlySignal<W | null>,
    private readonly ask: (wanted: W, known: T | null) => Promise<Known<T>>,
    patience: number,
  ) {
    this.#end = effect(() => {
      this.#news.value;
      clearTimeout(this.#timer);
      const now = wanted.value;
      const isOther = !isSame(now, this.#ended);
      if (isOther && (now !== null || this.#ended?.message === null)) this.#ended = null;
      if (now === null || this.#isAsking || !this.#isDue(now)) return;
      this.#timer = setTimeout(() => void this.#repeat(now), patience);
    });
  }

  of(key: string): Progress<T> {
    this.#news.value;
    const known = this.#known.get(key)?.progress ?? NOTHING;
    if (known.state === "ready") return known;
    const [{ share, body }, ended] = [known, this.#ended];
    if (ended?.key !== key) return this.wanted.value?.key === key ? { state: "computing", share, body } : known;
    return ended.message === null ? known : { state: "error", share, body, message: ended.message };
  }

  /** Repeats what failed or was cancelled. */
  retry(): void {
    this.#ended = null;
    this.#news.value++;
  }

  dispose(): void {
    this.#end();
    clearTimeout(this.#timer);
    this.wanted = signal(null);
  }

  /** Whether a request is still wanted, and not answered, or by another version. */
  #isDue(asked: W): boolean {
    if (!isSame(this.wanted.value, asked) || isSame(asked, this.#ended)) return false;
    const kept = this.#known.get(asked.key);
    return kept?.progress.state !== "ready" || kept.version !== (asked.version ?? null);
  }

  async #repeat(wanted: W): Promise<void> {
    const { key, version = null } = wanted;
    const before = this.#known.get(key);
    let known = before?.version === version ? before.progress.body : null;
    this.#isAsking = true;
    while (this.#isDue(wanted)) {
      try {
        const { share, body } = await this.ask(wanted, known);
        known = body;
        if (share >= 1 && body !== null) this.#known.set(key, { progress: { state: "ready", share, body }, version });
        else if (before?.progress.state !== "ready") {
          this.#known.set(key, { progress: { state: "idle", share, body }, version });
        }
      } catch (error) {
        const message = error instanceof Cancelled ? null : sentenceOf(error);
        if (isSame(this.wanted.peek(), wanted)) this.#ended = { key, version, message };
      }
      this.#news.value++;
    }
    this.#isAsking = false;
    this.#news.value++;
  }
}

/** The feature on screen; the key identifies what the reply depends on: feature and output, and maybe the rows. */
export interface Showing extends Wanted {
  feature: string;
  /** The rows whose curves are drawn. */
  positions: Uint32Array;
}

/** Delay after drawing curves, so that no curves wait for what is requested about them. */
const PATIENCE_MS = 120;

/** A feed of something about the feature on screen that is known with one reply. */
export const featureFeed = <T>(
  showing: ReadonlySignal<Showing | null>,
  request: (showing: Showing) => Promise<T>,
): Feed<Showing, T> =>
  new Feed<Showing, T>(showing, async (wanted) => ({ share: 1, body: await request(wanted) }), PATIENCE_MS);
