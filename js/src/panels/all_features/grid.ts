/** Small plots of all features: their order, their places, which of them exist, and what they draw. */
import { computed, type Signal, signal } from "@preact/signals-core";
import { type Drawing, makeDrawing } from "../../plot/drawing.ts";
import { layOut } from "../../plot/layout.ts";
import { Pace } from "../../plot/lines.ts";
import { Movement } from "../../plot/movement.ts";
import { thinnedScene } from "../../plot/scene.ts";
import { plainRange, sharedRange } from "../../plot/value_range.ts";
import { FeatureCurves } from "../../state/curves.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Loaded } from "../../state/store.ts";
import { drawnKind } from "../../text/values.ts";
import { atEnd } from "../../ui/lifetime.ts";
import type { Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import { placesInView, placesOf, TILE_INSET } from "./places.ts";

/** Lines of a tile, and selected rows that are sure to be among them. */
export const MOST_LINES = 200;
const MOST_SELECTED = 20;
const LEAST_WIDTH = 80;
/** Room for the outline of the tile with the focus. */
export const PADDING = 4;
/** Height of the plot in a tile, without what is written under it. */
const HEIGHT = 96;
/** How far from the view of the page a tile is near it. */
const NEAR = "160px 0px";

/** A tile that exists. */
export interface Tile {
  place: number;
  feature: RankedFeature;
}

export class Grid {
  readonly curves: FeatureCurves;
  readonly size: Signal<Size> = signal({ width: 0, height: 0, ratio: 1 });
  readonly scrollTop = signal(0);
  /** The feature whose tile has, or last had, the focus. */
  readonly active = signal<string | null>(null);
  /** The open feature that was last scrolled to. */
  revealed = "";
  readonly #near = signal<ReadonlySet<string>>(new Set());
  readonly #movement: Movement;
  readonly #pace: Pace;
  #settled: readonly RankedFeature[] = [];
  /** While the slider moves, tiles stay where they are: only what they show follows it. */
  readonly order = computed((): readonly RankedFeature[] => {
    const { dragging, ranking } = this.view.store;
    if (!dragging.value || this.#settled.length === 0) this.#settled = ranking.value;
    const now = new Map(ranking.value.map((feature) => [feature.name, feature]));
    return this.#settled.flatMap(({ name }) => now.get(name) ?? []);
  });
  readonly places = computed(() => placesOf(this.size.value.width - 2 * PADDING, this.order.value.length));
  /** The feature that the Tab key leads to. */
  readonly reachable = computed(() => {
    const opened = this.view.store.feature.value;
    const isRanked = this.order.value.some(({ name }) => name === opened);
    return this.active.value ?? (isRanked ? opened : this.order.value[0]?.name);
  });
  /** Those in view, and the one with the focus, which is kept when its row is scrolled out of view. */
  readonly tiles = computed((): Tile[] => {
    const [order, places] = [this.order.value, this.places.value];
    if (places.tileWidth < LEAST_WIDTH) return [];
    const [from, to] = placesInView(places, order.length, this.scrollTop.value, this.size.value.height);
    return order.flatMap((feature, place) =>
      (place >= from && place < to) || feature.name === this.reachable.value ? [{ place, feature }] : [],
    );
  });
  /** Features whose curves are requested: of the tiles near the view of the page, then those just beyond. */
  readonly requested = computed((): string[] => {
    const near = this.#near.value;
    if (near.size === 0) return [];
    const names = this.tiles.value.flatMap(({ feature }) =>
      feature.known && this.hasPlot(feature) ? [feature.name] : [],
    );
    return [...names.filter((name) => near.has(name)), ...names.filter((name) => !near.has(name))];
  });
  readonly #width = computed(() => this.places.value.tileWidth - TILE_INSET);
  readonly #ratio = computed(() => this.size.value.ratio);
  /** What all features share of the value axis, as text; "null" where each has its own. */
  readonly #shared = computed(() => {
    const { figures, remembered, kind } = this.view.store;
    const isShared = remembered.of("shared_y").value && figures.value !== null;
    return JSON.stringify(isShared ? sharedRange(figures.value, kind.value) : null);
  });

  constructor(private readonly view: View) {
    const { store, aborted, frames } = view;
    this.#movement = new Movement(store, aborted);
    this.#pace = new Pace(frames);
    this.curves = new FeatureCurves(store, {
      maxLines: () => MOST_LINES,
      rows: () => store.selection.value.slice(0, MOST_SELECTED),
    });
    atEnd(aborted, () => this.curves.dispose());
  }

  /** Levels without an order have no slopes. */
  hasPlot({ kind }: Pick<RankedFeature, "kind">): boolean {
    const wanted = this.view.store.kind.value;
    return drawnKind(wanted, kind) === wanted;
  }

  /** Follows which tiles are near the view of the page. */
  observer(): IntersectionObserver {
    return new IntersectionObserver(
      (entries) => {
        const near = new Set(this.#near.peek());
        for (const { target, isIntersecting } of entries) {
          const { feature = "" } = (target as HTMLElement).dataset;
          if (isIntersecting && target.isConnected) near.add(feature);
          else near.delete(feature);
        }
        this.#near.value = near;
      },
      { rootMargin: NEAR },
    );
  }

  draw(name: string): Drawing {
    const { store, theme } = this.view;
    const loaded = computed(() => this.loaded(name));
    const curves = computed(() => loaded.value?.curves ?? null);
    const scene = computed(
      () => curves.value && thinnedScene(curves.value, store.kind.value, store.anchor.value, this.#width.value),
    );
    const layout = computed(() => {
      if (scene.value === null || loaded.value === null) return null;
      const { extent, base } = scene.value;
      const shared: [number, number] | null = JSON.parse(this.#shared.value);
      const [low, high] = shared === null ? extent : [shared[0] - base, shared[1] - base];
      return layOut(scene.value, loaded.value.colors, {
        plotSize: "tile",
        size: { width: this.#width.value, height: HEIGHT, ratio: this.#ratio.value },
        theme: theme.value,
        range: plainRange(Math.min(low, extent[0]), Math.max(high, extent[1])),
      });
    });
    return makeDrawing({
      plotSize: "tile",
      layout,
      hidden: store.hiddenOfOpen,
      decay: store.decay,
      colors: computed(() => loaded.value?.colors ?? null),
      movement: this.#movement,
      pace: this.#pace,
      isNear: () => this.#near.peek().has(name),
    });
  }

  loaded(name: string): Loaded | null {
    return this.curves.get(name).body;
  }
}
