/** The lines as pixels. While the slider moves a fair sample is drawn within a budget, and all of them when it rests. */
import { signal } from "@preact/signals-core";
import { LineRaster } from "../../geometry/raster.ts";
import { Fade } from "../../marks/curves/fade.ts";
import { paintLines, sampleStrength } from "../../marks/curves/paint.ts";
import type { Plot } from "../../marks/curves/plot.ts";
import { html } from "../../marks/element.ts";
import type { View } from "../../view.ts";
import type { Shown } from "./shown.ts";

/** What a frame may cost while the slider moves. */
const BUDGET_MS = 8;
/** The slider rests when it has not moved for so long. */
const REST_MS = 120;
/** Fewer lines than this no longer show the shape of the whole. */
const LEAST_LINES = 40;
export function linesLayer(view: View, { plot }: Shown): HTMLCanvasElement {
  const { store, aborted } = view;
  const canvas = html("canvas", { class: "ice-layer", "data-test": "curves-canvas", "aria-hidden": "true" });
  /** The decay at which a drag has paused; null while it moves. */
  const pausedAt = signal<number | null>(null);
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
      hidden: store.hiddenLevels.value,
      pausedAt: pausedAt.value,
    }),
    (state) => {
      clearTimeout(timer);
      const { plot: shown, decay, dragging, hidden } = state;
      if (shown === null) return;
      const { lines, order: every } = shown;
      const target = resize(shown);
      canvas.style.left = `${shown.left}px`;
      if (fade?.plot !== shown) fade = { plot: shown, whole: new Fade(shown) };
      const visible = hidden.size === 0 ? every : every.filter((line) => !hidden.has(lines.color[line]!));
      const affordable = msPerLine > 0 ? Math.max(LEAST_LINES, Math.floor(BUDGET_MS / msPerLine)) : visible.length;
      const sampled = dragging && state.pausedAt !== decay && affordable < visible.length;
      const order = sampled ? visible.subarray(0, affordable) : visible;

      const start = performance.now();
      const strength = sampleStrength(shown.strength, visible.length, order.length);
      const pen = canvas.getContext("2d");
      if (pen !== null) paintLines(pen, target, shown, fade.whole, { decay, order, strength });
      const spent = performance.now() - start;

      if (order.length > 0) {
        const cost = spent / order.length;
        msPerLine = msPerLine === 0 ? cost : 0.7 * msPerLine + 0.3 * cost;
      }
      Object.assign(view.root.dataset, {
        feature: shown.scene.curves.feature,
        kind: shown.scene.kind,
        drawnLines: String(order.length),
        frameMs: spent.toFixed(1),
      });
      // A further step of the slider comes before this and sets it back.
      if (sampled) {
        timer = setTimeout(() => {
          pausedAt.value = decay;
        }, REST_MS);
      }
    },
  );
  return canvas;
}
