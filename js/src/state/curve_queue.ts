/**
 * Curves of features besides the open one. They are requested while they are visible, a few at once, and never before
 * the open feature; late replies are kept, too, as long as there is room.
 */

import { effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { sentenceOf } from "../wire/client.ts";
import type { CurvesBody, CurvesRequest } from "../wire/protocol.ts";
import type { Loaded, Store } from "./store.ts";

/** Open requests at once: the kernel answers one after the other, and a newly opened feature waits for these. */
const AT_ONCE = 2;
/** Values of curves that are kept, 16 MB of them. */
const MOST_VALUES = 4e6;

export type Shelved = { state: "waiting" } | { state: "error"; message: string } | { state: "ready"; loaded: Loaded };

export interface ShelfOptions {
  /** How many lines of each feature. */
  maxLines: () => number;
  /** Rows that must be among them; curves without some of these are shown until they are replaced. */
  rows: () => readonly number[];
  /** Curves that are available without a request. */
  atHand?: (feature: string, rows: readonly number[]) => CurvesBody | null;
}

const WAITING: Shelved = { state: "waiting" };

export class Shelf {
  readonly #version = signal(0);
  readonly #kept = new Map<string, Shelved>();
  readonly #asking = new Set<string>();
  /** The last request of each feature; the kernel may have fewer curves than requested. */
  readonly #askedFor = new Map<string, { maxLines: number; rows: ReadonlySet<number>; nRows: number | null }>();
  #wanted: readonly string[] = [];
  #measured = "";
  #disposed = false;
  readonly #endings: (() => void)[];

  constructor(
    private readonly store: Store,
    private readonly options: ShelfOptions,
  ) {
    this.#endings = [
      effect(() => {
        const measured = store.measured.value;
        store.status.value.state;
        // Failed requests are repeated, and the curves of another output or scale are dropped.
        for (const [feature, { state }] of this.#kept) {
          if (measured !== this.#measured || state === "error") this.#kept.delete(feature);
        }
        if (measured !== this.#measured) this.#asking.clear();
        this.#measured = measured;
        this.#changed();
      }),
      effect(() => {
        options.rows();
        options.maxLines();
        store.nRows.value;
        if (store.picture.value.state !== "loading") this.#ask();
      }),
      effect(() => {
        store.colorBy.value;
        store.split.value;
        for (const [feature, kept] of this.#kept) {
          // Rejected only if cancelled; the colours stay as they are then.
          if (kept.state === "ready") this.#color(feature, kept.loaded.curves, false).catch(() => undefined);
        }
      }),
    ];
  }

  /** Increases with every change. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  get(feature: string): Shelved {
    return this.#kept.get(feature) ?? WAITING;
  }

  /** Sets the visible features, the most urgent first; others are no longer requested. */
  want(features: readonly string[]): void {
    this.#wanted = features;
    for (const feature of [...features].reverse()) {
      const kept = this.#kept.get(feature);
      if (kept === undefined) continue;
      this.#kept.delete(feature); // last in order = used last
      this.#kept.set(feature, kept);
    }
    this.#ask();
  }

  dispose(): void {
    this.#disposed = true;
    this.#wanted = [];
    for (const end of this.#endings) end();
  }

  #ask(): void {
    if (this.#disposed || this.store.picture.peek().state === "loading") return;
    for (const feature of this.#wanted) {
      if (this.#asking.size >= AT_ONCE) return;
      if (!this.#asking.has(feature) && this.#lacks(feature)) void this.#fetch(feature);
    }
  }

  #lacks(feature: string): boolean {
    const kept = this.#kept.get(feature);
    if (kept === undefined) return true;
    if (kept.state !== "ready") return false;
    const asked = this.#askedFor.get(feature);
    if (asked === undefined || asked.maxLines < this.options.maxLines()) return true;
    if (asked.nRows !== this.store.nRowsOf(feature)) return true;
    const drawn = new Set(kept.loaded.curves.positions);
    return !this.options.rows().every((row) => drawn.has(row) || asked.rows.has(row));
  }

  async #fetch(feature: string): Promise<void> {
    const measured = this.#measured;
    const current = () => !this.#disposed && measured === this.#measured;
    this.#asking.add(feature);
    try {
      const curves = await this.#curvesOf(feature);
      if (current()) await this.#color(feature, curves, true);
    } catch (error) {
      // Curves of other rows stay.
      if (current() && this.get(feature).state !== "ready") {
        this.#kept.set(feature, { state: "error", message: sentenceOf(error) });
        this.#changed();
      }
    } finally {
      if (current()) {
        this.#asking.delete(feature);
        this.#ask();
      }
    }
  }

  async #curvesOf(feature: string): Promise<CurvesBody> {
    const rows = this.options.rows();
    const maxLines = this.options.maxLines();
    this.#askedFor.set(feature, { maxLines, rows: new Set(rows), nRows: this.store.nRowsOf(feature) });
    const known = this.options.atHand?.(feature, rows) ?? null;
    if (known !== null) return known;
    const request: CurvesRequest = { type: "curves", feature, max_lines: maxLines, selection: [...rows] };
    return this.store.client.request(request);
  }

  /** Curves appear together with their colours; visible curves keep the old colours until the new ones arrive. */
  async #color(feature: string, curves: CurvesBody, isNew: boolean): Promise<void> {
    const measured = this.#measured;
    const coloring = this.#coloring();
    const { colors, problem } = await this.store.colorsOf(curves);
    const kept = this.#kept.get(feature);
    const isReplaced = !isNew && kept?.state === "ready" && kept.loaded.curves !== curves;
    if (this.#disposed || measured !== this.#measured || isReplaced) return;
    if (coloring !== this.#coloring()) return this.#color(feature, curves, isNew); // chosen anew meanwhile
    this.#kept.delete(feature);
    this.#kept.set(feature, { state: "ready", loaded: { curves, colors, colorProblem: problem, models: null } });
    this.#forgetOldest();
    this.#changed();
  }

  #coloring(): string {
    return JSON.stringify([this.store.colorBy.peek(), this.store.remembered.of("coloring").peek()]);
  }

  #forgetOldest(): void {
    const size = (kept: Shelved) => (kept.state === "ready" ? kept.loaded.curves.values.length : 0);
    let total = [...this.#kept.values()].reduce((sum, kept) => sum + size(kept), 0);
    for (const [feature, kept] of this.#kept) {
      if (total <= MOST_VALUES) return;
      if (this.#wanted.includes(feature)) continue;
      total -= size(kept);
      this.#kept.delete(feature);
    }
  }

  #changed(): void {
    this.#version.value = this.#version.peek() + 1;
  }
}
