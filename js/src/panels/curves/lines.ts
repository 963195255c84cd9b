/** The lines as pixels. While the slider moves a fair sample is drawn within a budget, and all of them when it rests. */
import { signal } from "@preact/signals-core";
import { MOST_CONNECTED } from "../../geometry/levels.ts";
import { cssColor } from "../../geometry/palette.ts";
import { LineRaster, lineStrength } from "../../geometry/raster.ts";
import { html } from "../../marks/element.ts";
import type { View } from "../../view.ts";
import { DensityPainter } from "./density.ts";
import { Fade, fadeBeside } from "./fade.ts";
import { dotX, type Plot } from "./plot.ts";
import { layerClass, linesOf, manySelected, type Which } from "./selected.ts";
import type { Shown } from "./shown.ts";
import { clipBeside } from "./zoomed.ts";

/** What a frame may cost while the slider moves. */
const BUDGET_MS = 8;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;
/** Fewer lines than this no longer show the shape of the whole. */
const LEAST_LINES = 40;
/** A sample is drawn denser to keep the tone of the picture, up to solid lines. */
const SOLID = 3;
/** Dots of phantoms: their radius, and how much a dot among many shows. */
const DOT = 2;
const SMALL_DOT = 1.5;
const FEW_DOTS = 60;

/** All the lines; or over them, once more, those that are selected, where they are too many for strokes. */
export function linesLayer(view: View, { plot, zoom, dense, peak }: Shown, which: Which): HTMLCanvasElement {
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
  aborted.addEventListener("abort", () => clearTimeout(timer), { once: true });

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
      const { lines, palette, thickness } = shown;
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
      const strength = Math.min(SOLID, (whole * visible.length) / Math.max(1, order.length));
      const style = { width: target.width, height: target.height, thickness, strength, palette };
      const pen = canvas.getContext("2d");
      if (pen !== null && isAll && state.dense) peak.value = density.draw(pen, shown, visible, order);
      else {
        pen?.putImageData(target.draw(lines, style, order), 0, 0);
        if (isAll) peak.value = null;
      }
      if (pen !== null) cutOff(pen, shown);
      if (pen !== null && shown.scene.onLevels) dim(pen, MOST_CONNECTED);
      if (pen !== null) drawPhantoms(pen, shown, fade.whole, decay, order);
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

/** Lowers the opacity of all that is drawn. */
function dim(pen: CanvasRenderingContext2D, share: number): void {
  pen.save();
  pen.globalCompositeOperation = "destination-in";
  pen.globalAlpha = share;
  pen.fillRect(0, 0, pen.canvas.width, pen.canvas.height);
  pen.restore();
}

/** Predictions at every level but the row's own, and those with the value missing, as dots that fade like lines. */
function drawPhantoms(pen: CanvasRenderingContext2D, plot: Plot, fade: Fade, decay: number, order: Uint32Array): void {
  const { scene, lines, palette, left, y, size } = plot;
  const { curves, missing, onLevels } = scene;
  if (!onLevels && missing === null) return;
  const isFew = lines.nLines <= FEW_DOTS;
  const radius = isFew ? DOT : SMALL_DOT;
  const strength = Math.min(1, (isFew ? 0.9 : 0.7) * (isFew ? 1 : (FEW_DOTS / lines.nLines) ** 0.25));
  const beside = fadeBeside(decay);
  const clip = clipBeside(plot);
  const dot = (at: number, value: number): void => {
    const height = y(value);
    if (height < clip.top || height > clip.bottom) return;
    pen.beginPath();
    pen.arc(at - left, height, radius, 0, 2 * Math.PI);
    pen.fill();
  };
  pen.save();
  pen.scale(size.ratio, size.ratio);
  for (const line of order) {
    pen.fillStyle = cssColor(palette, lines.color[line]!);
    const observed = curves.observed[line]!;
    if (onLevels) {
      const opacity = fade.ofDots(decay, line);
      for (let k = 0; k < curves.nGrid; k++) {
        const value = curves.grid[k]!;
        if (value === observed) continue; // drawn over the others
        pen.globalAlpha = strength * opacity[k]!;
        dot(dotX(plot, line, value), scene.values[line * curves.nGrid + k]!);
      }
    }
    if (missing !== null && !Number.isNaN(observed)) {
      pen.globalAlpha = strength * beside;
      dot(dotX(plot, line, Number.NaN), missing.values[line]!);
    }
  }
  pen.restore();
}
