/** Small plots of all features, in the order of the ranking. Only visible tiles exist and request curves. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { max } from "d3-array";
import { sharedRange } from "../../plot/value_range.ts";
import { Shelf } from "../../state/curve_queue.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Store } from "../../state/store.ts";
import { RANK_LABELS } from "../../text/metric_names.ts";
import { count, plural } from "../../text/numbers.ts";
import { drawnKind } from "../../text/values.ts";
import { html, setText, update } from "../../ui/element.ts";
import { atEnd, listen } from "../../ui/lifetime.ts";
import { followSize, type Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import { colorKey } from "./key.ts";
import { Painter } from "./painter.ts";
import { type Look, Pictures } from "./pictures.ts";
import { type Places, placeAfter, placesInView, placesOf, TILE_HEIGHT, TILE_INSET } from "./places.ts";
import { Tiles } from "./tiles.ts";

/** Lines of a tile, and selected rows that are sure to be among them. */
const MOST_LINES = 200;
const MOST_SELECTED = 20;
const LEAST_WIDTH = 80;
/** Room for the outline of the tile with the focus, and for the scroll bar beyond the edge of the panel. */
const PADDING = 4;
const MARGIN = 12;

/** `controls` are placed above the tiles; `toFeature` is called when a tile is opened. */
export function gridPanel(view: View, controls: HTMLElement, toFeature: () => void): HTMLElement {
  return new Grid(view, controls, toFeature).panel;
}

/** The state that the tiles are placed by. */
interface Arrangement {
  places: Places;
  /** The first of the tiles in view, and one past the last. */
  from: number;
  to: number;
  /** The feature that is open, and the one that the Tab key leads to. */
  opened: string;
  reachable: string | undefined;
  metric: string;
  write: (value: number) => string;
}

class Grid {
  readonly panel: HTMLElement;
  readonly #about = html("p", { class: "ice-facts", "data-test": "grid-about" });
  readonly #list = html("div", { class: "ice-grid", role: "listbox", "data-test": "grid" });
  readonly #scroll = html("div", { class: "ice-grid-scroll", "data-test": "grid-scroll" }, this.#list);
  readonly #empty = html("p", { class: "ice-empty" });
  readonly #store: Store;
  readonly #shelf: Shelf;
  readonly #tiles: Tiles;
  readonly #pictures = new Pictures();
  readonly #size: ReadonlySignal<Size>;
  readonly #scrollTop = signal(0);
  /** The feature whose tile has, or last had, the focus. */
  readonly #active = signal<string | null>(null);
  #order: readonly RankedFeature[] = [];
  #revealed = "";

  #settled: RankedFeature[] = [];
  /** While the slider moves, tiles stay where they are: only what they show follows it. */
  readonly #placed = computed(() => {
    if (!this.#store.dragging.value || this.#settled.length === 0) this.#settled = this.#store.ranking.value;
    return this.#settled;
  });
  readonly #places = computed(() => placesOf(this.#size.value.width - 2 * PADDING, this.#placed.value.length));
  readonly #inView = computed(() =>
    placesInView(this.#places.value, this.#placed.value.length, this.#scrollTop.value, this.#size.value.height),
  );
  readonly #from = computed(() => this.#inView.value[0]);
  readonly #to = computed(() => this.#inView.value[1]);
  readonly #shared = computed(() => {
    const figures = this.#store.figures.value;
    const isWanted = this.#store.remembered.of("shared_y").value && figures !== null;
    return isWanted ? sharedRange(figures, this.#store.kind.value) : null;
  });

  constructor(
    private readonly view: View,
    controls: HTMLElement,
    private readonly toFeature: () => void,
  ) {
    const { store, aborted } = view;
    this.#store = store;
    this.#shelf = new Shelf(store, {
      maxLines: () => MOST_LINES,
      rows: () => store.selection.value.slice(0, MOST_SELECTED),
    });
    this.#tiles = new Tiles(this.#list, (name) => store.partings.peek().get(name), this.#request, aborted);
    this.panel = html(
      "section",
      { class: "ice-panel", "aria-label": "All features in small", "data-test": "all-features" },
      html("header", { class: "ice-head" }, html("h3", { class: "ice-title" }, "All features"), this.#about),
      controls,
      colorKey(view, this.#shelf),
      this.#scroll,
      this.#empty,
    );
    this.#size = followSize(this.#scroll, aborted);
    atEnd(aborted, () => this.#shelf.dispose());
    this.#keep();
    this.#listen();
  }

  #keep(): void {
    const { keep } = this.view;
    const store = this.#store;
    keep(
      () => this.#size.value.width,
      () => {
        const bar = this.#scroll.offsetWidth - this.#scroll.clientWidth;
        this.#scroll.style.marginRight = `${-Math.min(MARGIN, PADDING + bar)}px`;
      },
    );
    keep(
      () => ({
        ranking: store.ranking.value,
        placed: this.#placed.value,
        reading: store.reading.value,
        metric: RANK_LABELS[store.rankBy.value],
        opened: store.feature.value,
        active: this.#active.value,
        computing: store.status.value.label,
        version: this.#shelf.version.value,
        places: this.#places.value,
        from: this.#from.value,
        to: this.#to.value,
        look: this.#look(),
      }),
      ({ ranking, placed, reading, active, look, ...arranged }) => {
        const now = new Map(ranking.map((feature) => [feature.name, feature]));
        this.#order = placed.flatMap(({ name }) => now.get(name) ?? []);
        this.#drawHead(arranged.metric, arranged.places.height);
        if (arranged.places.tileWidth < LEAST_WIDTH) return;
        const reachable = active ?? (now.has(arranged.opened) ? arranged.opened : this.#order[0]?.name);
        const write = reading?.column(max(this.#order, ({ value }) => value) ?? 0) ?? String;
        this.#placeTiles({ ...arranged, reachable, write });
        this.#pictures.draw(this.#tiles.all, this.#shelf, look, arranged.places.tileWidth - TILE_INSET);
        this.#request();
        if (arranged.opened !== this.#revealed) {
          this.#revealed = arranged.opened;
          this.#reveal(this.#order.findIndex(({ name }) => name === arranged.opened));
        }
      },
    );
    new Painter(this.view, this.#tiles, this.#pictures, MOST_LINES, this.panel);
    keep(
      () => [store.selection.value, this.#pictures.version.value] as const,
      ([selection]) => {
        for (const tile of this.#tiles.all.values()) tile.picture.mark(selection, null);
      },
    );
  }

  #look(): Look {
    const { kind, anchor, explained } = this.#store;
    return {
      kind: kind.value,
      anchor: anchor.value,
      theme: this.view.theme.value,
      ratio: this.#size.value.ratio,
      shared: this.#shared.value,
      explained: explained.value,
    };
  }

  #drawHead(metric: string, height: number): void {
    const nKnown = this.#order.filter(({ known }) => known).length;
    const isEmpty = this.#order.length === 0;
    const { models, openModel } = this.view.store;
    const model = models.peek().length > 1 ? ` of ${openModel.peek()}` : "";
    setText(this.#about, `${aboutOf(this.#order.length, nKnown, metric)}${model}`);
    update(this.#list, { "aria-label": `All features by ${metric}` });
    this.#list.style.height = `${height}px`;
    this.#scroll.hidden = isEmpty;
    setText(this.#empty, isEmpty ? "No features to show." : "");
    this.#empty.hidden = !isEmpty;
  }

  #placeTiles({ places, from, to, opened, reachable, metric, write }: Arrangement): void {
    const shown = [...this.#order.entries()].slice(from, to);
    const place = this.#order.findIndex(({ name }) => name === reachable);
    // The tile with the focus is kept when its row is scrolled out of view.
    if (place !== -1 && (place < from || place >= to)) shown.push([place, this.#order[place]!]);
    this.#tiles.keepOnly(new Set(shown.map(([, { name }]) => name)));
    for (const [at, feature] of shown) {
      this.#tiles.of(feature.name).place({
        place: at,
        of: this.#order.length,
        figure: feature.known ? write(feature.value) : "",
        x: Math.round((at % places.columns) * places.step),
        y: Math.floor(at / places.columns) * places.pitch,
        width: places.tileWidth,
        isOpen: feature.name === opened,
        mayMove: feature.mayMove,
        isReachable: feature.name === reachable,
        metric,
        message: this.#messageOf(feature),
        hasFailed: this.#shelf.get(feature.name).state === "error",
      });
    }
  }

  #messageOf({ name, known, kind }: RankedFeature): string {
    if (!known) return this.#store.status.peek().label === name ? "Computing …" : "Not computed yet.";
    if (!this.#hasPicture(kind)) return "Levels without an order have no slopes.";
    const shelved = this.#shelf.get(name);
    return shelved.state === "error" ? shelved.message : shelved.state === "waiting" ? "…" : "";
  }

  #hasPicture(kind: RankedFeature["kind"]): boolean {
    const wanted = this.#store.kind.peek();
    return drawnKind(wanted, kind) === wanted;
  }

  /** Curves of the tiles in view come first, then those just beyond. */
  readonly #request = (): void => {
    const requested = this.#order.filter(
      ({ name, known, kind }) => this.#tiles.all.has(name) && known && this.#hasPicture(kind),
    );
    this.#shelf.want(this.#tiles.nearFirst(requested.map(({ name }) => name)));
  };

  #reveal(place: number): void {
    if (place === -1) return;
    const { columns, pitch } = this.#places.peek();
    const top = Math.floor(place / columns) * pitch;
    const lowest = top + TILE_HEIGHT + 2 * PADDING - this.#scroll.clientHeight;
    if (top < this.#scroll.scrollTop) this.#scroll.scrollTop = top;
    else if (lowest > this.#scroll.scrollTop) this.#scroll.scrollTop = lowest;
  }

  #open(name: string): void {
    this.#store.open(name);
    this.toFeature();
  }

  #listen(): void {
    const nameAt = (event: Event): string | undefined =>
      (event.target as Element).closest<HTMLElement>("[data-feature]")?.dataset.feature;
    listen(this.#scroll, this.view.aborted, {
      scroll: () => {
        this.#scrollTop.value = this.#scroll.scrollTop;
      },
    });
    listen(this.#list, this.view.aborted, {
      click: (event) => {
        const name = nameAt(event);
        if (name !== undefined) this.#open(name);
      },
      keydown: (event) => {
        const name = nameAt(event);
        if (name !== undefined && this.#press(event.key, name)) event.preventDefault();
      },
    });
  }

  /** What a key does on the tile of a feature; whether it does anything. */
  #press(key: string, name: string): boolean {
    if (key === "Enter" || key === " ") {
      this.#open(name);
      return true;
    }
    const place = this.#order.findIndex((feature) => feature.name === name);
    const next = placeAfter(key, place, this.#places.peek().columns, this.#order.length);
    if (next === null) return false;
    const { name: reached } = this.#order[next]!;
    this.#active.value = reached;
    this.#reveal(next);
    // The tile may not exist before the next frame.
    this.view.frames.request(() => this.#tiles.all.get(reached)?.node.focus({ preventScroll: true }));
    return true;
  }
}

function aboutOf(n: number, nKnown: number, metric: string): string {
  const so = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far` : plural(n, "feature");
  return `${so} by ${metric}, at most ${MOST_LINES} curves each`;
}
