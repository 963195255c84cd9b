/** The compared features and their plots: of equal size, on one value axis if the units are equal. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { fairOrder } from "../../plot/plot.ts";
import type { Scene } from "../../plot/scene.ts";
import { manySelected } from "../../plot/selected.ts";
import { around, rangeOf, type SmallPlot, smallScene, tickedPlot } from "../../plot/small_plot.ts";
import { sharedRange } from "../../plot/value_range.ts";
import { Shelf } from "../../state/curve_queue.ts";
import { type Loaded, loadedOf } from "../../state/store.ts";
import { drawnKind } from "../../text/values.ts";
import { atEnd } from "../../ui/lifetime.ts";
import { followSize, type Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import type { ShownLines } from "./compared.ts";

/** Features besides the open one. */
export const MOST_OTHERS = 2;
/** Maximum number of curves per plot; more could not be distinguished at this size. */
const MOST_LINES = 1000;
/** Of a plot where all fit side by side, and where they are in two rows. */
const HEIGHT = 312;
const LOW_HEIGHT = 208;
const GAP = 16;
const LEAST_WIDTH = 190;

interface Drawable {
  loaded: Loaded;
  scene: Scene;
}

export class Comparison {
  readonly shelf: Shelf;
  /** The features that the open one is compared with: those that still are features, never the open one itself. */
  readonly others = computed(() => {
    const { figures, feature, remembered } = this.view.store;
    const names = new Set(figures.value?.header.features.map(({ name }) => name));
    names.delete(feature.value);
    return [...new Set(remembered.of("compared").value)].filter((name) => names.has(name)).slice(0, MOST_OTHERS);
  });
  readonly isOn = computed(() => this.others.value.length > 0 && this.view.store.feature.value !== "");
  /** The open feature and the others; none where nothing is compared. */
  readonly names = computed(() => (this.isOn.value ? [this.view.store.feature.value, ...this.others.value] : []));
  /** The rows that the open feature shows, so that each can be followed from plot to plot. */
  readonly rows = computed((): readonly number[] => {
    const { picture, selection } = this.view.store;
    const positions = loadedOf(picture.value)?.curves.positions;
    if (positions === undefined) return selection.value;
    if (positions.length <= MOST_LINES) return Array.from(positions);
    const sample = Array.from(fairOrder(positions.length).subarray(0, MOST_LINES), (line) => positions[line]!);
    return [...new Set([...sample, ...selection.value])];
  });
  /** The curves of these rows that the legend does not hide. */
  readonly lines = computed((): ShownLines => {
    const { hiddenOfOpen, selection } = this.view.store;
    return { rows: new Set(this.rows.value), hidden: hiddenOfOpen.value, many: manySelected(selection.value) };
  });
  /** The size that all plots have room for. */
  readonly room = computed((): Size => {
    const n = Math.max(1, this.names.value.length);
    const { width, ratio } = this.#size.value;
    const nColumns = Math.max(1, Math.min(n, Math.floor((width + GAP) / (LEAST_WIDTH + GAP))));
    const each = Math.floor((width - GAP * (nColumns - 1)) / nColumns);
    return { width: each, height: nColumns === n ? HEIGHT : LOW_HEIGHT, ratio };
  });
  /** By feature. */
  readonly plots = computed((): ReadonlyMap<string, SmallPlot> => {
    const drawables = this.#drawables.flatMap(({ value }) => value ?? []);
    const domain = this.#sharedDomain(drawables);
    const plotOf = ({ loaded, scene }: Drawable, leastLabels?: number) =>
      tickedPlot(scene, loaded.colors, this.room.value, this.view.theme.value, domain ?? rangeOf(scene), leastLabels);
    // As much room under each axis as the longest labels take, so that one height is one value in all plots.
    const labels = Math.max(...drawables.map((drawable) => this.room.value.height - plotOf(drawable).axis));
    return new Map(drawables.map((drawable) => [drawable.scene.curves.feature, plotOf(drawable, labels)]));
  });
  readonly #size: ReadonlySignal<Size>;
  readonly #drawables: ReadonlySignal<Drawable | null>[];

  /** The plots are placed inside of `items`. */
  constructor(
    private readonly view: View,
    items: HTMLElement,
  ) {
    const { store, aborted } = view;
    this.#size = followSize(items, aborted);
    this.#drawables = Array.from({ length: 1 + MOST_OTHERS }, (_, place) => this.#drawableAt(place));
    this.shelf = new Shelf(store, {
      maxLines: () => 1,
      rows: () => this.rows.value,
      atHand: (feature, wanted) => store.curvesAtHand(feature, wanted),
    });
    atEnd(aborted, () => this.shelf.dispose());
  }

  /** What a place shows; the scene stays the same object while nothing in it changes, as a brush needs it. */
  #drawableAt(place: number): ReadonlySignal<Drawable | null> {
    const { store } = this.view;
    const loaded = computed(() => {
      this.shelf.version.value;
      const shelved = this.shelf.get(this.names.value[place] ?? "");
      return shelved.state === "ready" ? shelved.loaded : null;
    });
    const curves = computed(() => loaded.value?.curves ?? null);
    const width = computed(() => this.room.value.width);
    const scene = computed(() => {
      const kind = store.kind.value;
      if (curves.value === null || drawnKind(kind, curves.value.kind) !== kind) return null;
      return smallScene(curves.value, kind, store.anchor.value, width.value);
    });
    return computed(() =>
      loaded.value === null || scene.value === null ? null : { loaded: loaded.value, scene: scene.value },
    );
  }

  /** The ends of the value axis of all plots; null for slopes, which are per unit of each feature. */
  #sharedDomain(drawables: readonly Drawable[]): [number, number] | null {
    const { kind, figures, remembered } = this.view.store;
    if (kind.value === "d-ice") return null;
    const ranges = drawables.map(({ scene }) => rangeOf(scene));
    const isShared = remembered.of("shared_y").value && figures.value !== null;
    const shared = isShared ? sharedRange(figures.value, kind.value) : null;
    if (shared !== null) ranges.push(shared);
    return ranges.reduce(around, [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  }
}
