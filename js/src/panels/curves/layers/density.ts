/** The density of lines, at a lower resolution than lines: faster, and with no visible loss. */
import { html } from "../../../elements/element.ts";
import { DensityRaster } from "../../../geometry/density.ts";
import type { LineSet } from "../../../geometry/line_image.ts";
import type { Plot } from "../../../plots/plot.ts";

/** Width of a cell, in px of the page; its height is 1. */
const CELL = 2;
/** Number of lines in which the largest share is searched. */
const LOOKED_AT = 500;

export class DensityPainter {
  readonly #canvas = html("canvas");
  #raster: DensityRaster | null = null;
  #plot: Plot | null = null;
  #lines: LineSet | null = null;
  #peak = 1;

  /** Draws some of the visible lines over the whole canvas. Returns the share of the lines that is solid. */
  draw(pen: CanvasRenderingContext2D, plot: Plot, visible: Uint32Array, order: Uint32Array): number {
    const { ratio } = plot.size;
    const width = Math.max(1, Math.ceil(pen.canvas.width / (CELL * ratio)));
    const height = Math.max(1, Math.ceil(pen.canvas.height / ratio));
    if (this.#raster?.width !== width || this.#raster.height !== height) {
      this.#raster = new DensityRaster(width, height);
      Object.assign(this.#canvas, { width, height });
      this.#plot = null;
    }
    if (this.#plot !== plot || this.#lines === null) {
      this.#plot = plot;
      const { lines } = plot;
      const x = lines.x.map((at) => at / (CELL * ratio));
      this.#lines = { ...lines, x, y: ratio === 1 ? lines.y : lines.y.map((at) => at / ratio) };
      // Lines at full weight, so that the scale is the same while the slider moves.
      this.#peak = this.#raster.peak(this.#lines, plot.order.subarray(0, LOOKED_AT));
    }
    const style = { width, height, nLines: visible.length, peak: this.#peak, palette: plot.palette };
    this.#canvas.getContext("2d")?.putImageData(this.#raster.draw(this.#lines, style, order), 0, 0);
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    pen.drawImage(this.#canvas, 0, 0, width * CELL * ratio, height * ratio);
    return this.#peak;
  }
}
