/** The compared features and their plots: of equal size, on one value axis if the units are equal. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { type Drawing, makeDrawing } from "../../plot/drawing.ts";
import { fairOrder, type Layout, layOut } from "../../plot/layout.ts";
import { Pace, visibleLines } from "../../plot/lines.ts";
import { Movement } from "../../plot/movement.ts";
import { type Scene, thinnedScene } from "../../plot/scene.ts";
import { plainRange, sharedRange } from "../../plot/value_range.ts";
import { FeatureCurves } from "../../state/curves.ts";
import { type Loaded, loadedOf } from "../../state/store.ts";
import { drawnKind } from "../../text/values.ts";
import { atEnd, react } from "../../ui/lifetime.ts";
import type { Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";

/** Features besides the open one. */
export const MOST_OTHERS = 2;
/** Maximum number of curves per plot; more could not be distinguished at this size. */
const MOST_LINES = 1000;
/** Of a plot where all fit side by side, and where they are in two rows. */
const HEIGHT = 312;
const LOW_HEIGHT = 208;
const GAP = 16;
const LEAST_WIDTH = 190;

const NO_LINES = new Uint32Array(0);

interface Drawable {
  loaded: Loaded;
  scene: Scene;
}

export class Comparison {
  readonly curves: FeatureCurves;
  /** The size of the room for all plots. */
  readonly size: Signal<Size> = signal({ width: 0, height: 0, ratio: 1 });
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
  readonly #rows = computed((): readonly number[] => {
    const { picture, selection } = this.view.store;
    const positions = loadedOf(picture.value)?.curves.positions;
    if (positions === undefined) return selection.value;
    if (positions.length <= MOST_LINES) return Array.from(positions);
    const sample = Array.from(fairOrder(positions.length).subarray(0, MOST_LINES), (line) => positions[line]!);
    return [...new Set([...sample, ...selection.value])];
  });
  readonly #rowSet = computed(() => new Set(this.#rows.value));
  /** The size that all plots have room for. */
  readonly room = computed((): Size => {
    const n = Math.max(1, this.names.value.length);
    const { width, ratio } = this.size.value;
    const nColumns = Math.max(1, Math.min(n, Math.floor((width + GAP) / (LEAST_WIDTH + GAP))));
    const each = Math.floor((width - GAP * (nColumns - 1)) / nColumns);
    return { width: each, height: nColumns === n ? HEIGHT : LOW_HEIGHT, ratio };
  });
  readonly #layouts = computed((): ReadonlyMap<string, Layout> => {
    const drawables = this.#drawables.flatMap(({ value }) => value ?? []);
    const domain = this.#sharedDomain(drawables);
    const place = ({ loaded, scene }: Drawable, labelsHeight?: number) =>
      layOut(scene, loaded.colors, {
        plotSize: "compared",
        size: this.room.value,
        theme: this.view.theme.value,
        range:
          domain === null ? plainRange(...scene.extent) : plainRange(domain[0] - scene.base, domain[1] - scene.base),
        ...(labelsHeight === undefined ? {} : { labelsHeight }),
      });
    // As much room under each axis as the longest labels take, so that one height is one value in all plots.
    const labels = Math.max(...drawables.map((drawable) => this.room.value.height - place(drawable).axis));
    return new Map(drawables.map((drawable) => [drawable.scene.curves.feature, place(drawable, labels)]));
  });
  readonly #drawables: ReadonlySignal<Drawable | null>[];
  readonly #movement: Movement;
  readonly #pace: Pace;

  constructor(private readonly view: View) {
    const { store, aborted, frames } = view;
    this.#movement = new Movement(store, aborted);
    this.#pace = new Pace(frames);
    this.#drawables = Array.from({ length: 1 + MOST_OTHERS }, (_, place) => this.#drawableAt(place));
    this.curves = new FeatureCurves(store, {
      maxLines: () => 1,
      rows: () => this.#rows.value,
      atHand: (feature, wanted) => store.curvesAtHand(feature, wanted),
    });
    atEnd(aborted, () => this.curves.dispose());
    this.#followOpened();
  }

  /** Where a compared feature is opened, the one that was open takes its place. */
  #followOpened(): void {
    const { store, aborted } = this.view;
    let before = store.feature.peek();
    react(aborted, () => {
      const opened = store.feature.value;
      const names = store.remembered.of("compared").peek();
      if (opened !== before && names.includes(opened)) {
        const next = names.flatMap((name) => (name !== opened ? [name] : before === "" ? [] : [before]));
        store.remembered.choose("compared", next);
      }
      before = opened;
    });
  }

  /** The plot of one of the features: the rows that the open feature shows and the legend does not hide. */
  draw(name: string): Drawing {
    const { hiddenOfOpen: hidden, feature, decay } = this.view.store;
    const layout = computed(() => this.#layouts.value.get(name) ?? null);
    return makeDrawing({
      plotSize: "compared",
      layout,
      hidden,
      decay,
      order: computed(() => {
        if (layout.value === null) return NO_LINES;
        const { positions } = layout.value.scene.curves;
        return visibleLines(layout.value, hidden.value).filter((line) => this.#rowSet.value.has(positions[line]!));
      }),
      colors: computed(
        () => this.#drawables.find(({ value }) => value?.scene.curves.feature === name)?.value?.loaded.colors ?? null,
      ),
      movement: this.#movement,
      pace: this.#pace,
      // What is on the screen, as the large plot reports it.
      report: ({ scene: { kind } }, nLines) => {
        if (name !== feature.peek()) return;
        Object.assign(this.view.root.dataset, { feature: name, kind, drawnLines: String(nLines) });
      },
    });
  }

  /** What a place shows; the scene stays the same object while nothing in it changes, as a brush needs it. */
  #drawableAt(place: number): ReadonlySignal<Drawable | null> {
    const { store } = this.view;
    const loaded = computed(() => this.curves.get(this.names.value[place] ?? "").body);
    const curves = computed(() => loaded.value?.curves ?? null);
    const width = computed(() => this.room.value.width);
    const scene = computed(() => {
      const kind = store.kind.value;
      if (curves.value === null || drawnKind(kind, curves.value.kind) !== kind || width.value <= 0) return null;
      return thinnedScene(curves.value, kind, store.anchor.value, width.value);
    });
    return computed(() =>
      loaded.value === null || scene.value === null ? null : { loaded: loaded.value, scene: scene.value },
    );
  }

  /** The ends of the value axis of all plots; null for slopes, which are per unit of each feature. */
  #sharedDomain(drawables: readonly Drawable[]): [number, number] | null {
    const { kind, figures, remembered } = this.view.store;
    if (kind.value === "d-ice") return null;
    const ranges = drawables.map(({ scene: { extent, base } }) => extent.map((end) => end + base));
    const isShared = remembered.of("shared_y").value && figures.value !== null;
    const shared = isShared ? sharedRange(figures.value, kind.value) : null;
    if (shared !== null) ranges.push(shared);
    return [Math.min(...ranges.map(([low]) => low!)), Math.max(...ranges.map(([, high]) => high!))];
  }
}
