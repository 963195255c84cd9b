/** Paints the curves of a plot, large or small, on its canvas. */

import type { Fade } from "./fade.ts";
import { MOST_CONNECTED } from "./geometry/levels.ts";
import { cssColor } from "./geometry/palette.ts";
import type { LineRaster } from "./geometry/raster.ts";
import { type Drawable, dotX } from "./plot.ts";

/** The largest strength of a sample, which is drawn darker than all curves. */
const SOLID = 3;
/** Dots of phantom observations: radius, and the number from which they are fainter. */
const DOT = 2;
const SMALL_DOT = 1.5;
const FEW_DOTS = 60;

/** The strength at which a sample is as dark as all curves. */
export const sampleStrength = (strength: number, all: number, drawn: number): number =>
  Math.min(SOLID, (strength * all) / Math.max(1, drawn));

export function paintLines(
  pen: CanvasRenderingContext2D,
  raster: LineRaster,
  { lines, thickness, palette }: Drawable,
  order: Uint32Array,
  strength: number,
): void {
  const style = { thickness, strength, palette };
  pen.putImageData(raster.draw(lines, style, order), 0, 0);
}

/** Paints dots of levels over faint connectors, and dots of missing values next to the axis. */
export function paintLevels(
  pen: CanvasRenderingContext2D,
  plot: Drawable,
  fade: Fade,
  decay: number,
  order: Uint32Array,
): void {
  const { scene, lines, palette, left, y, size } = plot;
  const { curves, missing, onLevels } = scene;
  if (onLevels) dim(pen, MOST_CONNECTED);
  if (!onLevels && missing === null) return;
  const isFew = lines.nLines <= FEW_DOTS;
  const radius = isFew ? DOT : SMALL_DOT;
  const strength = Math.min(1, (isFew ? 0.9 : 0.7) * (isFew ? 1 : (FEW_DOTS / lines.nLines) ** 0.25));
  const opacityOfMissing = fade.ofMissing(decay);
  const dot = (at: number, value: number): void => {
    pen.beginPath();
    pen.arc(at - left, y(value), radius, 0, 2 * Math.PI);
    pen.fill();
  };
  pen.save();
  pen.scale(size.ratio, size.ratio);
  for (const line of order) {
    pen.fillStyle = cssColor(palette, lines.color[line]!);
    const observed = curves.observed[line]!;
    if (onLevels) {
      const opacity = fade.ofDots(decay, line);
      for (let k = 0; k < curves.n_grid; k++) {
        const value = curves.grid[k]!;
        if (value === observed) continue; // drawn over the others
        pen.globalAlpha = strength * opacity[k]!;
        dot(dotX(plot, line, value), scene.values[line * curves.n_grid + k]!);
      }
    }
    if (missing !== null && !Number.isNaN(observed)) {
      pen.globalAlpha = strength * opacityOfMissing;
      dot(dotX(plot, line, Number.NaN), missing.values[line]!);
    }
  }
  pen.restore();
}

/** Lowers the opacity of all that is drawn. */
function dim(pen: CanvasRenderingContext2D, share: number): void {
  pen.save();
  pen.globalCompositeOperation = "destination-in";
  pen.globalAlpha = share;
  pen.fillRect(0, 0, pen.canvas.width, pen.canvas.height);
  pen.restore();
}
