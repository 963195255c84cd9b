/**
 * Draws how many of very many lines are where, without a graphics card.
 *
 * In each pixel column every line counts once: what it has there is spread over the heights that it passes, so that a
 * steep stretch, long as it is, weighs no more than a level one (as in DenseLines: Moritz and Fisher, 2018). A pixel's
 * share is Σ opacity · what falls into it, over the number of lines: of the lines at this place on the axis, how many
 * are at this height, each counted as far as it shows. Its opacity grows with the logarithm of the share, so that a
 * single line among thousands is still there; its colour is that of the mean value, as in `raster.ts`.
 */
import { type ColumnPieces, columnPieces } from "./columns.ts";
import { addBox, channelsOf, LineImage, type LineSet, type Palette, TransposedLines } from "./line_image.ts";

export interface DensityStyle {
  width: number;
  height: number;
  /** How many lines the shares are of; those drawn may be a sample of them. */
  nLines: number;
  /** The share of the lines, 0..1, that is drawn solid. */
  peak: number;
  palette: Palette;
}

/** Lines that pass a column level still cover so many px of it. */
const LEAST_HEIGHT = 1;
/** The opacity of the peak: lines on top still show. */
const SOLID = 0.94;

export class DensityRaster extends LineImage<DensityStyle> {
  #x: Float64Array | null = null;
  #pieces: ColumnPieces | null = null;
  readonly #lines = new TransposedLines();
  #nLines = 0;
  #ink = new Float64Array(0);
  readonly #tinted: Float64Array;

  constructor(width: number, height: number) {
    super(width, height);
    this.#tinted = new Float64Array(height + 1);
  }

  paint(lines: LineSet, style: DensityStyle, indices: Uint32Array): Uint8ClampedArray {
    const order = indices.slice().sort(); // sums do not depend on the order, reading from memory does
    this.#prepare(lines, order, style.palette);
    for (let q = 0; q < this.width; q++) {
      this.#addColumn(q, order);
      this.#resolve(q, style, order.length);
    }
    return this.pixels;
  }

  /** The largest share that any pixel has of lines that all show whole. */
  peak(lines: LineSet, indices: Uint32Array): number {
    const order = indices.slice().sort();
    const plain: Palette = { kind: "levels", colors: new Uint8ClampedArray(3), missing: [0, 0, 0] };
    const opacity = new Float32Array(lines.opacity.length).fill(1);
    this.#prepare({ ...lines, opacity, color: new Float32Array(lines.nLines) }, order, plain);
    let most = 0;
    for (let q = 0; q < this.width; q++) {
      this.#addColumn(q, order);
      for (let k = 0; k < this.height; k++) if (this.#ink[k]! > most) most = this.#ink[k]!;
    }
    return most / Math.max(1, order.length);
  }

  #prepare(lines: LineSet, order: Uint32Array, palette: Palette): void {
    if (this.#x !== lines.x) {
      this.#pieces = columnPieces(lines.x, this.width, 1);
      this.#x = lines.x;
    }
    const stride = this.height + 1;
    this.#nLines = lines.nLines;
    this.#lines.read(lines, palette, order, stride);
    const inkLength = channelsOf(palette) * stride;
    if (this.#ink.length !== inkLength) this.#ink = new Float64Array(inkLength);
  }

  #addColumn(q: number, order: Uint32Array): void {
    const { height } = this;
    const pieces = this.#pieces!;
    const { y, opacity, channel, color } = this.#lines;
    const ink = this.#ink;
    const tinted = this.#tinted;
    ink.fill(0);
    tinted.fill(0);
    for (let p = pieces.start[q]!; p < pieces.start[q + 1]!; p++) {
      const run = pieces.run[p]!;
      if (run === 0) continue;
      const left = pieces.segment[p]! * this.#nLines;
      const right = left + this.#nLines;
      const middle = pieces.middle[p]!;
      const part = pieces.part[p]! / 2;
      for (let j = 0; j < order.length; j++) {
        const i = order[j]!;
        const y0 = y[left + i]!;
        const dy = y[right + i]! - y0;
        const reach = Math.abs(dy);
        // Written so that NaN stops here, too.
        if (!(reach < Infinity)) continue;
        const centre = y0 + dy * middle;
        const half = Math.max(LEAST_HEIGHT / 2, reach * part);
        let low = centre - half;
        let high = centre + half;
        const density = (opacity[left + i]! * run) / (high - low);
        low = Math.max(0, low);
        high = Math.min(height, high);
        if (low < high) addBox(ink, channel[i]!, tinted, 0, low, high, density, color[i]!);
      }
    }
  }

  /** Opacity grows with the logarithm of the share of the lines: one line of many is about where it begins. */
  #resolve(q: number, { palette, nLines, peak }: DensityStyle, nDrawn: number): void {
    const { width, height } = this;
    const ink = this.#ink;
    const stride = height + 1;
    const { colors, missing } = palette;
    const last = colors.length / 3 - 1;
    const nLevels = palette.kind === "ramp" ? 1 : last + 1;
    const scale = nLines / Math.max(1, nDrawn);
    const solid = (255 * SOLID) / Math.log1p(Math.max(1, nLines * peak));
    for (let k = 0, z = q; k < height; k++, z += width) {
      let total = ink[nLevels * stride + k]!;
      let red = missing[0] * total;
      let green = missing[1] * total;
      let blue = missing[2] * total;
      for (let level = 0, at = k; level < nLevels; level++, at += stride) {
        const v = ink[at]!;
        if (v === 0) continue;
        const c = 3 * (palette.kind === "ramp" ? ((this.#tinted[k]! / v) * last + 0.5) | 0 : level);
        total += v;
        red += v * colors[c]!;
        green += v * colors[c + 1]!;
        blue += v * colors[c + 2]!;
      }
      if (total === 0) {
        this.words[z] = 0;
        continue;
      }
      const alpha = Math.min(255 * SOLID, Math.log1p(total * scale) * solid) + 0.5;
      const rgb = (((blue / total + 0.5) | 0) << 16) | (((green / total + 0.5) | 0) << 8) | (red / total + 0.5);
      this.words[z] = ((alpha | 0) << 24) | rgb;
    }
  }
}
