/** Paints the cells of a heat map, the hatching where no data are, and the observations. */

import { cssColor } from "../../plot/geometry/palette.ts";
import { drawDots } from "../../plot/marks/dots.ts";
import { fitPixels } from "../../ui/layers.ts";
import type { Theme } from "../../view/theme.ts";
import { boxOf, dotsOf, type HeatPlot, indexOf, shadeOf } from "./heat_plot.ts";

/** Distance of the stripes of the hatching, and their width, in px. */
const HATCH = 6;
const STRIPE = 3;
const RADIUS = 2; // from which on dots have a rim
const DOT_OPACITY = 0.8;

export function paintHeat(pen: CanvasRenderingContext2D, plot: HeatPlot, theme: Theme): void {
  fitPixels(pen, plot.size);
  const { twoWay, palette } = plot;
  const bare = new Path2D();
  for (let i = 0; i < twoWay.first.grid.length; i++) {
    for (let j = 0; j < twoWay.second.grid.length; j++) {
      const at = indexOf(plot, { i, j });
      const { left, top, width, height } = boxOf(plot, { i, j });
      // Whole pixels of the screen, so that no seam shows between cells.
      const { ratio } = plot.size;
      const [x0, y0] = [left, top].map((px) => Math.round(px * ratio) / ratio) as [number, number];
      const [x1, y1] = [left + width, top + height].map((px) => Math.round(px * ratio) / ratio) as [number, number];
      pen.fillStyle = cssColor(palette, shadeOf(plot, twoWay.values[at]!));
      pen.fillRect(x0, y0, x1 - x0, y1 - y0);
      if (twoWay.near[at] === 0) bare.rect(x0, y0, x1 - x0, y1 - y0);
    }
  }
  hatch(pen, bare, plot, theme.paper);
  const { x, y } = dotsOf(plot);
  const order = Uint32Array.from(x.keys());
  drawDots(pen, { x, y, colors: () => theme.ink, order, opacity: DOT_OPACITY, radius: RADIUS }, theme.paper);
}

/** Stripes in the colour of the paper, over cells without data. */
function hatch(pen: CanvasRenderingContext2D, bare: Path2D, plot: HeatPlot, paper: string): void {
  const { left, right, top, bottom } = plot;
  pen.save();
  pen.clip(bare);
  pen.strokeStyle = paper;
  pen.lineWidth = STRIPE;
  pen.beginPath();
  for (let x = left - (bottom - top); x < right; x += HATCH) {
    pen.moveTo(x, bottom);
    pen.lineTo(x + bottom - top, top);
  }
  pen.stroke();
  pen.restore();
}
