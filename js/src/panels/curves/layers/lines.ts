/** The lines as pixels. While the slider moves a fair sample is drawn within a budget, and all of them when it rests. */

import { signal } from "@preact/signals-core";
import { html } from "../../../elements/element.ts";
import { atEnd } from "../../../elements/lifetime.ts";
import { LineRaster, lineStrength } from "../../../geometry/raster.ts";
import { Fade } from "../../../plots/fade.ts";
import { paintLevels, paintLines, sampleStrength } from "../../../plots/paint.ts";
import type { Plot } from "../../../plots/plot.ts";
import { layerClass, linesOf, manySelected, selectedPalette, type Which } from "../../../plots/selected.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";
import { clipBeside } from "../state/zoomed_plot.ts";
import { DensityPainter } from "./density.ts";

/** What a frame may cost while the slider moves. */
const BUDGET_MS = 8;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;
/** Fewer lines than this no longer show the shape of the whole. */
const LEAST_LINES = 40;

/** All the lines; or over them, once more, those that are selected, where they are too many for strokes. */
export function linesLayer(view: View, { loaded, plot, zoom, dense, peak }: Shown, which: Which): HTMLCanvasElement {
  const { store, aborted } = view;
  const isAll = which === "all";
  const name = isAll ? "curves-canvas" : "selected-canvas";
  const canvas = html("canvas", { class: layerClass(which), "data-test": name, "aria-hidden": "true" });
  /** The decay and the selection at which a drag has paused; null while it moves. */
  const pausedAt = signal<{ decay: number; selection: readonly number[] | null } | null>(null);
  const density = new DensityPainter();
  let raster: LineRaster | null = null;
  let fade: { plot: Plot; whole: Fade } | null = null;
  let msPerLine = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  atEnd(aborted, () => clearTimeout(timer));

  const resize = ({ left, outer, bottom, size }: Plot): LineRaster => {
    const width = Math.max(1, Math.round((outer - left) * size.ratio));
    const height = Math.max(1, Math.round(bottom * size.ratio));
    if (raster?.width === width && raster.height === height) return raster;
    canvas.width = width;
    canvas.height = height;
    Object.assign(canvas.style, {
      left: `${left}px`,
      width: `${width / size.ratio}px`,
      height: `${height / size.ratio}px`,
    });
    raster = new LineRaster(width, height);
    return raster;
  };

  view.keep(
    () => ({
      plot: plot.value,
      decay: store.decay.value,
      dragging: store.dragging.value,
      moving: zoom.moving.value,
      brushing: !isAll && store.brushing.value,
      selection: isAll ? null : store.selection.value,
      hidden: store.hiddenLevels.value,
      isColored: (loaded.value?.colors ?? null) !== null,
      pausedAt: pausedAt.value,
      dense: dense.value,
    }),
    (state) => {
      clearTimeout(timer);
      const { plot: shown, decay, dragging, moving, brushing, selection, hidden } = state;
      if (shown === null) return;
      const picked = selection === null ? null : manySelected(selection);
      canvas.hidden = !isAll && picked === null;
      if (canvas.hidden) return;
      const { lines } = shown;
      const painted = isAll ? shown : { ...shown, palette: selectedPalette(shown, state.isColored, view.theme.peek()) };
      const every = linesOf(shown, picked);
      const target = resize(shown);
      canvas.style.left = `${shown.left}px`;
      // Of a plot that is only zoomed the fade stays the same.
      if (fade?.plot.lines.opacity !== lines.opacity) fade = { plot: shown, whole: new Fade(shown) };
      const visible = hidden.size === 0 ? every : every.filter((line) => !hidden.has(lines.color[line]!));
      const affordable = msPerLine > 0 ? Math.max(LEAST_LINES, Math.floor(BUDGET_MS / msPerLine)) : visible.length;
      const rests = state.pausedAt?.decay === decay && state.pausedAt.selection === selection;
      const sampled = (moving || ((dragging || brushing) && !rests)) && affordable < visible.length;
      const order = sampled ? visible.subarray(0, affordable) : visible;

      const start = performance.now();
      fade.whole.apply(decay, order);
      const whole = isAll ? shown.strength : lineStrength(visible.length);
      const pen = canvas.getContext("2d");
      if (pen !== null) {
        if (isAll) peak.value = state.dense ? density.draw(pen, shown, visible, order) : null;
        if (!isAll || !state.dense) {
          paintLines(pen, target, painted, order, sampleStrength(whole, visible.length, order.length));
        }
        cutOff(pen, shown);
        const { top, bottom } = clipBeside(shown);
        paintLevels(pen, painted, fade.whole, { decay, order, top, bottom });
      }
      const spent = performance.now() - start;

      if (order.length > 0) {
        const cost = spent / order.length;
        msPerLine = msPerLine === 0 ? cost : 0.7 * msPerLine + 0.3 * cost;
      }
      if (isAll) {
        Object.assign(view.root.dataset, {
          feature: shown.scene.curves.feature,
          kind: shown.scene.kind,
          drawnLines: String(order.length),
          drawnAs: state.dense ? "density" : "lines",
          frameMs: spent.toFixed(1),
        });
      } else canvas.dataset.frameMs = spent.toFixed(1);
      // A further step of the slider comes before this and sets it back.
      if (sampled && !moving) {
        timer = setTimeout(() => {
          pausedAt.value = { decay, selection };
        }, REST_MS);
      }
    },
  );
  return canvas;
}

/** What lies beyond the ends of a zoomed axis goes. */
function cutOff(pen: CanvasRenderingContext2D, { cut, left, right, outer, top, size: { ratio } }: Plot): void {
  if (cut.y) pen.clearRect(0, 0, pen.canvas.width, top * ratio);
  if (cut.x) pen.clearRect((right - left) * ratio, 0, (outer - right) * ratio, pen.canvas.height);
}
