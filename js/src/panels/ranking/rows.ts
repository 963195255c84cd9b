/**
 * The bars in or near view. A long list has room for all bars, and elements for these, for the one with the focus and for
 * the one that the Tab key reaches.
 */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { Bar, type BarState } from "../../plot/marks/bars.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import { html } from "../../ui/element.ts";
import { atEnd } from "../../ui/lifetime.ts";
import { inView, type Range, revealing } from "../../ui/visible_rows.ts";

/** Lists up to this length have elements for all rows. */
const SHORT = 50;
/** Rows kept beyond either edge. */
const OVER = 4;

export interface Rows {
  ranking: readonly RankedFeature[];
  /** Where names begin to differ. */
  partings: ReadonlyMap<string, number>;
  /** The one that the Tab key reaches; undefined where there are no rows. */
  reachable: string | undefined;
  state(ranked: RankedFeature, place: number): BarState;
}

export class RowList {
  readonly node = html("div", { class: "ice-bars", role: "listbox", "data-test": "bars" });
  readonly scroll = html("div", { class: "ice-bars-scroll" }, this.node);
  readonly #bars = new Map<string, Bar>();
  #shown: Rows | null = null;
  #range: Range = { first: 0, end: 0 };
  #row = 0;
  /** The last measured scroll position and height: reading them while drawing forces a layout. */
  #top = 0;
  #height = 0;
  #revealedTop = 0;
  readonly #inSight = signal(0);

  constructor(aborted: AbortSignal) {
    this.scroll.addEventListener("scroll", () => this.#scrolled(), { signal: aborted, passive: true });
    // It is also called before the first drawing.
    const observer = new ResizeObserver(() => this.#scrolled());
    observer.observe(this.scroll);
    atEnd(aborted, () => observer.disconnect());
  }

  /** Draws the rows. */
  show(rows: Rows): void {
    this.#shown = rows;
    this.#row ||= Number.parseFloat(getComputedStyle(this.node).getPropertyValue("--ice-row"));
    this.node.style.setProperty("--count", String(rows.ranking.length));
    this.#range = this.#rangeNow();
    const wanted = this.#keep();
    for (const name of wanted.keys()) if (!this.#bars.has(name)) this.#make(name);
    this.#draw(wanted);
  }

  bar(name: string): Bar | undefined {
    return this.#bars.get(name);
  }

  /** Number of rows that fit. */
  get inSight(): ReadonlySignal<number> {
    return this.#inSight;
  }

  get perPage(): number {
    return Math.max(1, Math.floor(this.scroll.clientHeight / (this.#row || 1)) - 1);
  }

  reveal(place: number): void {
    if (place < 0) return;
    const { scrollTop, clientHeight } = this.scroll;
    const wanted = revealing(place, scrollTop, clientHeight, this.#row);
    if (wanted !== scrollTop) this.scroll.scrollTop = wanted;
    this.#revealedTop = this.scroll.scrollTop;
  }

  /** Whether the list was scrolled since a row was revealed. */
  get isMoved(): boolean {
    return this.scroll.scrollTop !== this.#revealedTop;
  }

  /** Moves the focus to a row, in view or not. */
  focus(place: number): void {
    this.reveal(place);
    this.#scrolled();
    this.#bars.get(this.#ranking[place]?.name ?? "")?.node.focus({ preventScroll: true });
  }

  get #ranking(): readonly RankedFeature[] {
    return this.#shown?.ranking ?? [];
  }

  #scrolled(): void {
    this.#top = this.scroll.scrollTop;
    this.#height = this.scroll.clientHeight;
    if (this.#row > 0) this.#inSight.value = Math.floor(this.#height / this.#row);
    const range = this.#rangeNow();
    if (range.first === this.#range.first && range.end === this.#range.end) return;
    this.#range = range;
    const wanted = this.#keep();
    const entering = new Map([...wanted].filter(([name]) => !this.#bars.has(name)));
    for (const name of entering.keys()) this.#make(name);
    this.#draw(entering);
  }

  #rangeNow(): Range {
    const count = this.#ranking.length;
    if (count <= SHORT) return { first: 0, end: count };
    return inView(this.#top, this.#height, this.#row, count, OVER);
  }

  /** Removes the rows that need not exist; returns those that must, with their places. */
  #keep(): Map<string, number> {
    const wanted = this.#wanted();
    for (const [name, { node }] of this.#bars) {
      if (wanted.has(name)) continue;
      node.remove();
      this.#bars.delete(name);
    }
    return wanted;
  }

  /** Names of the rows that must exist, with their places. */
  #wanted(): Map<string, number> {
    const ranking = this.#ranking;
    const { first, end } = this.#range;
    const wanted = new Map<string, number>();
    for (let place = first; place < end; place++) wanted.set(ranking[place]!.name, place);
    const focused = [...this.#bars.values()].find(({ node }) => node.matches(":focus"))?.name;
    for (const name of [this.#shown?.reachable, focused]) {
      if (name === undefined || wanted.has(name)) continue;
      const place = ranking.findIndex((ranked) => ranked.name === name);
      if (place !== -1) wanted.set(name, place);
    }
    return wanted;
  }

  #draw(places: ReadonlyMap<string, number>): void {
    const shown = this.#shown;
    if (shown === null) return;
    for (const [name, place] of places) this.#bars.get(name)?.draw(shown.state(shown.ranking[place]!, place));
  }

  #make(name: string): void {
    const bar = new Bar(name, this.#shown?.partings.get(name));
    this.#bars.set(name, bar);
    this.node.append(bar.node);
  }
}
