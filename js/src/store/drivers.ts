/**
 * What explains the differences between the curves of the open feature. It is requested after its curves have been
 * drawn for a moment, one request at a time, so that no curves wait for it; replies are kept.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, type Client, sentenceOf } from "../wire/client.ts";
import type { CombinedBody, DriversBody, ViewChoices } from "../wire/protocol.ts";

/** Delay after drawing curves before drivers are requested. */
const PATIENCE_MS = 120;

export type Drivers = { body: DriversBody } | { problem: string };

/** Rules of two columns, and the feature whose curves they explain. */
export interface Together extends CombinedBody {
  feature: string;
}

/** The feature on screen. */
export interface Showing {
  feature: string;
  /** Identifies the feature and the output. */
  key: string;
}

const bodyOf = (drivers: Drivers | null): DriversBody | null =>
  drivers === null || "problem" in drivers ? null : drivers.body;

/** Whether lines have the colours of a rule, or of several. */
export const isOfDrivers = (coloring: ViewChoices["coloring"]): boolean =>
  coloring === "driver" || coloring === "together";

/** The splits that are known, best first. */
export const splitsOf = (drivers: Drivers | null): DriversBody["drivers"] => bodyOf(drivers)?.drivers ?? [];

/** The rules of two columns together; null where these explain no more than one. */
export function togetherOf(drivers: Drivers | null): Together | null {
  const body = bodyOf(drivers);
  return body === null || body.combined.columns.length === 0 ? null : { feature: body.feature, ...body.combined };
}

export class DriversFeed {
  readonly #known = new Map<string, Drivers>();
  readonly #news = signal(0);
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  constructor(
    private readonly client: Client,
    private readonly showing: ReadonlySignal<Showing | null>,
  ) {
    this.#end = effect(() => {
      this.#news.value;
      clearTimeout(this.#timer);
      const now = showing.value;
      if (now === null || this.#isAsking || this.#known.has(now.key)) return;
      this.#timer = setTimeout(() => void this.#ask(now), PATIENCE_MS);
    });
  }

  /** The reply; null until it arrives. */
  of(key: string): Drivers | null {
    this.#news.value;
    return this.#known.get(key) ?? null;
  }

  /** Clears an error, so that the request is repeated. */
  retry(): void {
    for (const [key, drivers] of this.#known) if ("problem" in drivers) this.#known.delete(key);
    this.#news.value++;
  }

  dispose(): void {
    this.#end();
    clearTimeout(this.#timer);
  }

  async #ask({ feature, key }: Showing): Promise<void> {
    this.#isAsking = true;
    try {
      const { body } = await this.client.request({ type: "drivers", feature });
      this.#known.set(key, { body });
    } catch (error) {
      if (!(error instanceof Cancelled)) {
        this.#known.set(key, { problem: sentenceOf(error) });
      }
    }
    this.#isAsking = false;
    // A cancelled request is repeated when its feature is opened again, not before.
    if (this.#known.has(key) || this.showing.peek()?.key !== key) this.#news.value++;
  }
}
