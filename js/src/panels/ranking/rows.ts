/**
 * The bars in or near view. A long list has room for all bars, and elements for these, for the one with the focus and for
 * the one that the Tab key reaches.
 */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { html } from "../../elements/element.ts";
import { atEnd, Timer } from "../../elements/lifetime.ts";
import { atEdge, inView, type Range, revealing } from "../../elements/visible_rows.ts";
import { Bar, type BarState } from "../../marks/bars.ts";
import type { RankedFeature } from "../../store/ranking.ts";

/** Lists up to this length have elements for all rows. */
const SHORT = 50;
/** Rows kept beyond either edge. */
const OVER = 4;
/** Longer than the transition of a bar. */
const GLIDE_MS = 240;

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
  readonly #leaving = new Set<Bar>();
  #shown: Rows | null = null;
  /** The place of each feature before, by its index; -1 if it had none. */
  #places = new Int32Array(0);
  #range: Range = { first: 0, end: 0 };
  #row = 0;
  /** The last measured scroll position and height: reading them while drawing forces a layout. */
  #top = 0;
  #height = 0;
  #revealedTop = 0;
  readonly #inSight = signal(0);
  #shownAt = Number.NEGATIVE_INFINITY;
  readonly #cleaning: Timer;

  constructor(aborted: AbortSignal) {
    this.scroll.addEventListener("scroll", () => this.#scrolled(), { signal: aborted, passive: true });
    // It is also called before the first drawing.
    const observer = new ResizeObserver(() => this.#scrolled());
    observer.observe(this.scroll);
    atEnd(aborted, () => observer.disconnect());
    this.#cleaning = new Timer(aborted);
  }

  /**
   * Draws the rows. Bars glide to their new places, also into and out of view, unless the next order follows at once,
   * as while the slider moves.
   */
  show(rows: Rows): void {
    const now = performance.now();
    const hurries = now - this.#shownAt < GLIDE_MS;
    this.#shownAt = now;
    const before = this.#places;
    this.#shown = rows;
    this.#places = placesOf(rows.ranking);
    this.#row ||= Number.parseFloat(getComputedStyle(this.node).getPropertyValue("--ice-row"));
    this.node.style.setProperty("--count", String(rows.ranking.length));
    this.#range = this.#rangeNow();
    for (const bar of this.#leaving) this.#remove(bar);
    const wanted = this.#wanted();
    for (const [name, bar] of this.#bars) {
      if (wanted.has(name)) continue;
      if (hurries) this.#remove(bar);
      else this.#leave(bar);
    }
    for (const [name, place] of wanted) {
      if (this.#bars.has(name)) continue;
      const from = before[rows.ranking[place]!.index] ?? -1;
      const bar = this.#make(name);
      if (from !== -1 && !hurries) bar.comeFrom(atEdge(this.#range, from), place);
    }
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
    const wanted = this.#wanted();
    for (const [name, bar] of this.#bars) if (!wanted.has(name)) this.#remove(bar);
    const entering = new Map([...wanted].filter(([name]) => !this.#bars.has(name)));
    for (const name of entering.keys()) this.#make(name);
    this.#draw(entering);
  }

  #rangeNow(): Range {
    const count = this.#ranking.length;
    if (count <= SHORT) return { first: 0, end: count };
    return inView(this.#top, this.#height, this.#row, count, OVER);
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

  #make(name: string): Bar {
    const bar = new Bar(name, this.#shown?.partings.get(name));
    this.#bars.set(name, bar);
    this.node.append(bar.node);
    return bar;
  }

  /** Lets a bar glide out of view if it is still listed, and removes it at once otherwise. */
  #leave(bar: Bar): void {
    const place = this.#ranking.findIndex(({ name }) => name === bar.name);
    if (place === -1) {
      this.#remove(bar);
      return;
    }
    this.#bars.delete(bar.name);
    this.#leaving.add(bar);
    bar.leaveTo(atEdge(this.#range, place));
    this.#cleaning.start(GLIDE_MS, () => {
      for (const gone of this.#leaving) this.#remove(gone);
    });
  }

  #remove(bar: Bar): void {
    bar.node.remove();
    this.#leaving.delete(bar);
    if (this.#bars.get(bar.name) === bar) this.#bars.delete(bar.name);
  }
}

function placesOf(ranking: readonly RankedFeature[]): Int32Array<ArrayBuffer> {
  const most = ranking.reduce((largest, { index }) => Math.max(largest, index), -1);
  const places = new Int32Array(most + 1).fill(-1);
  for (const [place, { index }] of ranking.entries()) places[index] = place;
  return places;
}
