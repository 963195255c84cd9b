/** The visible part of the axes: kept by kind, feature and output, moved by wheel, fingers, drags and keys. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { Timer } from "../../../elements/lifetime.ts";
import { heldTo, isWhole, movedBy, type Span, zoomedAround } from "../../../geometry/zoom.ts";
import type { Axes } from "../../../gestures/gestures.ts";
import type { Plot } from "../../../plots/plot.ts";
import type { Scene } from "../../../plots/scene.ts";
import type { View } from "../../../view/view.ts";

/** The visible parts of both axes; heights as on the axis, not relative to the scene's base. */
export interface Window {
  x: Span;
  y: Span;
}

/** Time without movement after which all lines are drawn and the zoom is stored. */
const REST_MS = 120;

export class Zoom {
  /** The visible part; null where the whole axes are visible. */
  readonly window: ReadonlySignal<Window | null>;
  /** Whether the view moves, so that only a sample of the lines is drawn. */
  readonly moving = signal(false);
  readonly #key: ReadonlySignal<string>;
  readonly #live = signal<{ key: string; window: Window | null } | null>(null);
  readonly #rest: Timer;

  constructor(
    private readonly view: View,
    scene: ReadonlySignal<Scene | null>,
  ) {
    const { store, aborted } = view;
    const remembered = store.remembered.of("zoom");
    const output = computed(() => store.figures.value?.header.output_label ?? "");
    this.#key = computed(() => {
      const shown = scene.value;
      return shown === null ? "" : `${shown.kind} ${shown.curves.feature}: ${output.value}`;
    });
    this.window = computed(() => {
      const live = this.#live.value;
      if (live !== null && live.key === this.#key.value) return live.window;
      const kept = remembered.value[this.#key.value];
      return kept === undefined ? null : { x: [kept[0], kept[1]], y: [kept[2], kept[3]] };
    });
    this.#rest = new Timer(aborted);
  }

  /** Shows a part of the axes of `plot`, or all of them. */
  show(plot: Plot, wanted: Window): void {
    const full = fullWindow(plot);
    const x = plot.scene.onLevels ? full.x : heldTo(wanted.x, full.x);
    const y = heldTo(wanted.y, full.y);
    const all = isWhole(x, full.x) && isWhole(y, full.y);
    this.#show(all ? null : { x, y });
  }

  reset(): void {
    if (this.window.peek() !== null) this.#show(null);
  }

  /** Shows `factor` times as much around a place, in px of the frame. */
  by(plot: Plot, factor: number, at: { x: number; y: number }, axes: Axes): void {
    const full = fullWindow(plot);
    const now = windowOf(plot);
    this.show(plot, {
      x: axes.x ? zoomedAround(now.x, plot.x.invert(at.x), factor, full.x) : now.x,
      y: axes.y ? zoomedAround(now.y, plot.y.invert(at.y) + plot.scene.base, factor, full.y) : now.y,
    });
  }

  /** Moves the visible part by shares of its size: to the right, and up. */
  move(plot: Plot, from: Window, right: number, up: number): void {
    const full = fullWindow(plot);
    this.show(plot, { x: movedBy(from.x, right, full.x), y: movedBy(from.y, up, full.y) });
  }

  /** Marks the view as moving, until it rests. */
  stir(settled: () => void = () => {}): void {
    this.moving.value = true;
    this.#rest.start(REST_MS, () => {
      this.moving.value = false;
      settled();
    });
  }

  #show(window: Window | null): void {
    const key = this.#key.peek();
    this.#live.value = { key, window };
    this.stir(() => this.#remember(key, window));
  }

  #remember(key: string, window: Window | null): void {
    const { remembered } = this.view.store;
    const { [key]: _, ...others } = remembered.of("zoom").peek();
    const next = window === null ? others : { ...others, [key]: [...window.x, ...window.y] };
    remembered.choose("zoom", next as Record<string, [number, number, number, number]>);
  }
}

export function windowOf({ x, y, scene: { base } }: Plot): Window {
  const [low = 0, high = 0] = y.domain();
  return { x: x.domain() as Span, y: [low + base, high + base] };
}

function fullWindow({ whole, scene: { base } }: Plot): Window {
  return { x: whole.x, y: [whole.y[0] + base, whole.y[1] + base] };
}
