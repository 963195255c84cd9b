/** Lines as pixels. */
import type { Hidden } from "../state/filters.ts";
import { Fade } from "./fade.ts";
import { MOST_CONNECTED } from "./geometry/levels.ts";
import { cssColor } from "./geometry/palette.ts";
import { LineRaster, type Palette } from "./geometry/raster.ts";
import { dotX, type Layout } from "./layout.ts";

/** The largest strength of a sample, which is drawn darker than all curves. */
const SOLID = 3;
/** Dots of phantom observations: radius, and the number from which they are fainter. */
const DOT = 2;
const SMALL_DOT = 1.5;
const FEW_DOTS = 60;
/** More selected rows than this are drawn as pixels, fewer as strokes. */
const MOST_STROKES = 20;

/** The selected rows, where there are too many for strokes. */
export const manySelected = (selection: readonly number[]): ReadonlySet<number> | null =>
  selection.length > MOST_STROKES ? new Set(selection) : null;

/** The selected rows, where there are few enough for strokes. */
export const fewSelected = (selection: readonly number[]): readonly number[] =>
  selection.length > MOST_STROKES ? [] : selection;

/** Lines that the legend does not hide. */
export const visibleLines = ({ order, lines }: Pick<Layout, "order" | "lines">, hidden: Hidden): Uint32Array =>
  hidden.size === 0 ? order : order.filter((line) => !hidden.has(lines.color[line]!));

interface Painting {
  layout: Layout;
  decay: number;
  palette: Palette;
  /** Strength of each line if all are drawn. */
  strength: number;
  /** Where curves are unlike the data and end; null where they do not. */
  flags: Uint8Array | null;
}

/** Paints lines on a canvas, and keeps where they are for the next frame. */
export class LinePainter {
  #raster: LineRaster | null = null;
  #fade: { lines: Layout["lines"]; flags: Uint8Array | null; opacity: Fade } | null = null;

  /** Paints some of `nLines` lines; returns the time that it took, in ms. */
  paint(canvas: HTMLCanvasElement, painting: Painting, order: Uint32Array, nLines: number): number {
    const { layout, decay, palette, flags } = painting;
    const pen = canvas.getContext("2d");
    if (pen === null) return 0;
    const raster = this.#fit(canvas, layout);
    if (this.#fade?.lines !== layout.lines || this.#fade.flags !== flags) {
      this.#fade = { lines: layout.lines, flags, opacity: new Fade(layout, flags) };
    }
    const fade = this.#fade.opacity;
    const start = performance.now();
    fade.apply(decay, order);
    // A sample is drawn as dark as all lines.
    const strength = Math.min(SOLID, (painting.strength * nLines) / Math.max(1, order.length));
    pen.putImageData(raster.draw(layout.lines, { thickness: layout.thickness, strength, palette }, order), 0, 0);
    paintLevels(pen, painting, fade, order);
    return performance.now() - start;
  }

  #fit(canvas: HTMLCanvasElement, { left, outer, bottom, size: { ratio } }: Layout): LineRaster {
    const width = Math.max(1, Math.round((outer - left) * ratio));
    const height = Math.max(1, Math.round(bottom * ratio));
    canvas.style.left = `${left}px`;
    if (this.#raster?.width === width && this.#raster.height === height) return this.#raster;
    Object.assign(canvas, { width, height });
    Object.assign(canvas.style, { width: `${width / ratio}px`, height: `${height / ratio}px` });
    this.#raster = new LineRaster(width, height);
    return this.#raster;
  }
}

/** Paints dots of levels over faint connectors, and dots of missing values next to the axis. */
function paintLevels(
  pen: CanvasRenderingContext2D,
  { layout, decay, palette }: Painting,
  fade: Fade,
  order: Uint32Array,
): void {
  const { scene, lines, left, y, size } = layout;
  const { curves, missing, onLevels } = scene;
  if (onLevels) dim(pen, MOST_CONNECTED);
  if (!onLevels && missing === null) return;
  const isFew = lines.nLines <= FEW_DOTS;
  const radius = isFew ? DOT : SMALL_DOT;
  const strength = isFew ? 0.9 : 0.7 * (FEW_DOTS / lines.nLines) ** 0.25;
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
        dot(dotX(layout, line, value), scene.values[line * curves.n_grid + k]!);
      }
    }
    if (missing !== null && !Number.isNaN(observed)) {
      pen.globalAlpha = strength * opacityOfMissing;
      dot(dotX(layout, line, Number.NaN), missing.values[line]!);
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
