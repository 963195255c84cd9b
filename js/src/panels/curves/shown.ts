/** What the store's picture comes to at the present size, kind and theme. Every part of the panel reads these. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { type Plot, plotOf } from "../../marks/curves/plot.ts";
import { sceneOf } from "../../marks/curves/scene.ts";
import { followSize } from "../../marks/size.ts";
import { type Loaded, loadedOf } from "../../store.ts";
import type { View } from "../../view.ts";

export interface Shown {
  /** The curves on screen: while others are on their way, still the last ones. */
  loaded: ReadonlySignal<Loaded | null>;
  plot: ReadonlySignal<Plot | null>;
}

/** A cell still being laid out has no room to draw in. */
const LEAST_WIDTH = 80;

export function shownIn(view: View, frame: HTMLElement): Shown {
  const { store, theme } = view;
  const size = followSize(frame, view.aborted);
  const loaded = computed(() => loadedOf(store.picture.value));
  const scene = computed(() => {
    const curves = loaded.value?.curves;
    return curves === undefined ? null : sceneOf(curves, store.kind.value, store.anchor.value);
  });
  const plot = computed(() => {
    if (scene.value === null || loaded.value === null || size.value.width < LEAST_WIDTH) return null;
    return plotOf(scene.value, loaded.value.colors, size.value, theme.value);
  });
  return { loaded, plot };
}
