/** The lines as pixels: a fair sample within a time budget while the slider moves, all of them when it rests. */

import { signal } from "@preact/signals-core";
import { Fade } from "../../../plot/fade.ts";
import { LineRaster, lineStrength } from "../../../plot/geometry/raster.ts";
import { paintLevels, paintLines, sampleStrength } from "../../../plot/paint.ts";
import type { Plot } from "../../../plot/plot.ts";
import { layerClass, linesOf, manySelected, selectedPalette, type Which } from "../../../plot/selected.ts";
import type { Hidden } from "../../../state/filters.ts";
import { html } from "../../../ui/element.ts";
import { Timer } from "../../../ui/lifetime.ts";
import type { View } from "../../../view/view.ts";
import type { UnlikeBody } from "../../../wire/protocol.ts";
import type { Shown } from "../state/plot_state.ts";

/** Time for a frame while the slider moves. */
const BUDGET_MS = 8;
/** Time without movement after which the slider rests. */
const REST_MS = 120;
/** Fewer lines than this no longer show the shape of the whole. */
const LEAST_LINES = 40;

/** All lines, or over them once more the selected ones, where they are too many for strokes. */
export function linesLayer(view: View, shown: Shown, which: Which): HTMLCanvasElement {
  return new LinesLayer(view, shown, which).canvas;
}

/** The state that the lines are painted by. */
interface State {
  plot: Plot | null;
  decay: number;
  dragging: boolean;
  moving: boolean;
  brushing: boolean;
  selection: readonly number[] | null;
  hidden: Hidden;
  isColored: boolean;
  pausedAt: Pick<State, "decay" | "selection"> | null;
  /** Where curves fade instead of by distance; null where they fade by distance. */
  unlike: UnlikeBody | null;
}

/** The lines of one painting. */
interface Lines {
  /** With the palette of the selected lines, where these are painted. */
  plot: Plot;
  visible: Uint32Array;
  /** Those of them that a frame has time for. */
  order: Uint32Array;
  unlike: UnlikeBody | null;
}

class LinesLayer {
  readonly canvas: HTMLCanvasElement;
  readonly #isAll: boolean;
  /** The decay and the selection at which a drag has paused; null while it moves. */
  readonly #pausedAt = signal<State["pausedAt"]>(null);
  #raster: LineRaster | null = null;
  #fade: { plot: Plot; unlike: UnlikeBody | null; whole: Fade } | null = null;
  #msPerLine = 0;
  readonly #rest: Timer;

  constructor(
    private readonly view: View,
    private readonly shown: Shown,
    which: Which,
  ) {
    this.#isAll = which === "all";
    const name = this.#isAll ? "curves-canvas" : "selected-canvas";
    this.canvas = html("canvas", { class: layerClass(which), "data-test": name, "aria-hidden": "true" });
    this.#rest = new Timer(view.aborted);
    view.keep(
      () => this.#read(),
      (state) => this.#draw(state),
    );
  }

  #read(): State {
    const { decay, dragging, brushing, selection, hiddenLevels } = this.view.store;
    const { plot, movement, loaded, unlike } = this.shown;
    return {
      plot: plot.value,
      decay: decay.value,
      dragging: dragging.value,
      moving: movement.moving.value,
      brushing: !this.#isAll && brushing.value,
      selection: this.#isAll ? null : selection.value,
      hidden: hiddenLevels.value,
      isColored: (loaded.value?.colors ?? null) !== null,
      pausedAt: this.#pausedAt.value,
      unlike: unlike.value,
    };
  }

  #draw(state: State): void {
    this.#rest.stop();
    const { plot, decay, selection, hidden, unlike } = state;
    if (plot === null) return;
    const picked = selection === null ? null : manySelected(selection);
    this.canvas.hidden = !this.#isAll && picked === null;
    if (this.canvas.hidden) return;
    const all = linesOf(plot, picked);
    const visible = hidden.size === 0 ? all : all.filter((line) => !hidden.has(plot.lines.color[line]!));
    const affordable = this.#affordable(visible.length);
    const isSampled = this.#isMoving(state) && affordable < visible.length;
    const order = isSampled ? visible.subarray(0, affordable) : visible;
    const painted = this.#isAll
      ? plot
      : { ...plot, palette: selectedPalette(plot, state.isColored, this.view.theme.peek()) };
    const spent = this.#paint({ plot: painted, visible, order, unlike }, decay);
    this.#report(plot, order.length, spent);
    // A further step of the slider comes before this and resets it.
    if (isSampled && !state.moving) {
      this.#rest.start(REST_MS, () => {
        this.#pausedAt.value = { decay, selection };
      });
    }
  }

  /** Whether the slider, the anchor or the brush moves. */
  #isMoving({ moving, dragging, brushing, pausedAt, decay, selection }: State): boolean {
    const rests = pausedAt?.decay === decay && pausedAt.selection === selection;
    return moving || ((dragging || brushing) && !rests);
  }

  /** How many lines a frame has time for. */
  #affordable(n: number): number {
    return this.#msPerLine > 0 ? Math.max(LEAST_LINES, Math.floor(BUDGET_MS / this.#msPerLine)) : n;
  }

  /** Returns what it took, in ms. */
  #paint({ plot, visible, order, unlike }: Lines, decay: number): number {
    const raster = this.#fit(plot);
    if (this.#fade?.plot.lines !== plot.lines || this.#fade.unlike !== unlike) {
      this.#fade = { plot, unlike, whole: new Fade(plot, unlike?.flags ?? null) };
    }
    const { whole } = this.#fade;
    const pen = this.canvas.getContext("2d");
    const start = performance.now();
    whole.apply(decay, order);
    if (pen !== null) {
      const strength = this.#isAll ? plot.strength : lineStrength(visible.length);
      paintLines(pen, raster, plot, order, sampleStrength(strength, visible.length, order.length));
      paintLevels(pen, plot, whole, decay, order);
    }
    const spent = performance.now() - start;
    const cost = spent / order.length;
    if (order.length > 0) this.#msPerLine = this.#msPerLine === 0 ? cost : 0.7 * this.#msPerLine + 0.3 * cost;
    return spent;
  }

  #fit({ left, outer, bottom, size }: Plot): LineRaster {
    const { canvas } = this;
    const width = Math.max(1, Math.round((outer - left) * size.ratio));
    const height = Math.max(1, Math.round(bottom * size.ratio));
    canvas.style.left = `${left}px`;
    if (this.#raster?.width === width && this.#raster.height === height) return this.#raster;
    Object.assign(canvas, { width, height });
    Object.assign(canvas.style, { width: `${width / size.ratio}px`, height: `${height / size.ratio}px` });
    this.#raster = new LineRaster(width, height);
    return this.#raster;
  }

  /** Writes what is on screen on the root element. */
  #report({ scene }: Plot, nDrawn: number, spent: number): void {
    const frameMs = spent.toFixed(1);
    if (!this.#isAll) this.canvas.dataset.frameMs = frameMs;
    else {
      const { curves, kind } = scene;
      const drawn = { feature: curves.feature, kind, drawnLines: String(nDrawn), frameMs };
      Object.assign(this.view.root.dataset, drawn);
    }
  }
}
