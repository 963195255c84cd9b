/** What the store's picture comes to at the present size, kind and theme. Every part of the panel reads these. */
import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Loaded, Picture } from "../../store.ts";
import type { View } from "../../view.ts";
import { type Plot, plotOf, type Size } from "./plot.ts";
import { sceneOf } from "./scene.ts";
import { Zoom } from "./zoom.ts";
import { zoomedPlot } from "./zoomed.ts";

export interface Shown {
  /** The curves on screen: while others are on their way, still the last ones. */
  loaded: ReadonlySignal<Loaded | null>;
  plot: ReadonlySignal<Plot | null>;
  zoom: Zoom;
}

/** A cell still being laid out has no room to draw in. */
const LEAST_WIDTH = 80;

export function loadedOf(picture: Picture): Loaded | null {
  if (picture.state === "ready") return picture.loaded;
  return picture.state === "loading" ? picture.previous : null;
}

export function shownIn(view: View, frame: HTMLElement): Shown {
  const { store, theme } = view;
  const size = followSize(frame, view.aborted);
  const loaded = computed(() => loadedOf(store.picture.value));
  const scene = computed(() => {
    const curves = loaded.value?.curves;
    return curves === undefined ? null : sceneOf(curves, store.kind.value, store.anchor.value);
  });
  const unzoomed = computed(() => {
    if (scene.value === null || loaded.value === null || size.value.width < LEAST_WIDTH) return null;
    return plotOf(scene.value, loaded.value.colors, size.value, theme.value);
  });
  const zoom = new Zoom(view, scene);
  const plot = computed(() => {
    const [whole, window] = [unzoomed.value, zoom.window.value];
    return whole === null || window === null ? whole : zoomedPlot(whole, window, theme.value.font);
  });
  return { loaded, plot, zoom };
}

/** The size of the plot, and the pixel ratio of the screen, which changes with zoom and between screens. */
function followSize(frame: HTMLElement, aborted: AbortSignal): ReadonlySignal<Size> {
  const size = signal<Size>({ width: 0, height: 0, ratio: 1 });
  const measure = (): void => {
    const width = Math.floor(frame.clientWidth);
    const height = Math.floor(frame.clientHeight);
    const ratio = window.devicePixelRatio || 1;
    const before = size.peek();
    if (width === 0 || (before.width === width && before.height === height && before.ratio === ratio)) return;
    size.value = { width, height, ratio };
  };
  const observer = new ResizeObserver(measure);
  observer.observe(frame);
  aborted.addEventListener("abort", () => observer.disconnect(), { once: true });
  const followRatio = (): void => {
    const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = (): void => {
      measure();
      followRatio();
    };
    query.addEventListener("change", changed, { once: true, signal: aborted });
  };
  followRatio();
  return size;
}
