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
import type { LineSet, Palette } from "./raster.ts";

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

export class DensityRaster {
  readonly #pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly #words: Uint32Array;
  #image: ImageData | null = null;
  #x: Float64Array | null = null;
  #pieces: ColumnPieces | null = null;
  #y: Float32Array | null = null;
  #yByPoint = new Float32Array(0);
  #opacity = new Float32Array(0);
  #nLines = 0;
  #ink = new Float64Array(0);
  readonly #tinted: Float64Array;
  #channel = new Uint32Array(0);
  #value = new Float64Array(0);

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#pixels = new Uint8ClampedArray(width * height * 4);
    this.#words = new Uint32Array(this.#pixels.buffer);
    this.#tinted = new Float64Array(height + 1);
  }

  /** The lines named in `order`, as an image that the next call overwrites. Arrays x and y must not change in place. */
  draw(lines: LineSet, style: DensityStyle, order: Uint32Array): ImageData {
    this.paint(lines, style, order);
    this.#image ??= new ImageData(this.#pixels, this.width, this.height);
    return this.#image;
  }

  /** The same as bytes (red, green, blue, opacity; row by row), where there is no ImageData. */
  paint(lines: LineSet, style: DensityStyle, named: Uint32Array): Uint8ClampedArray {
    const order = named.slice().sort(); // sums do not depend on the order, reading from memory does
    this.#prepare(lines, order, style.palette);
    for (let q = 0; q < this.width; q++) {
      this.#addColumn(q, order);
      this.#resolve(q, style, order.length);
    }
    return this.#pixels;
  }

  /** The largest share that any pixel has of lines that all show whole. */
  peak(lines: LineSet, named: Uint32Array): number {
    const order = named.slice().sort();
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

  #prepare({ nLines, nPoints, x, y, opacity, color }: LineSet, order: Uint32Array, palette: Palette): void {
    if (this.#x !== x) {
      this.#pieces = columnPieces(x, this.width, 1);
      this.#x = x;
    }
    if (this.#y !== y) {
      if (this.#yByPoint.length < y.length) this.#yByPoint = new Float32Array(y.length);
      for (let i = 0, z = 0; i < nLines; i++)
        for (let k = 0; k < nPoints; k++) this.#yByPoint[k * nLines + i] = y[z++]!;
      this.#y = y;
    }
    this.#nLines = nLines;
    const nSegments = Math.max(0, nPoints - 1);
    if (this.#opacity.length < opacity.length) this.#opacity = new Float32Array(opacity.length);
    const block = 32; // what is written to lies far apart: a few lines at a time stay within the cache
    for (let j0 = 0; j0 < order.length; j0 += block) {
      const j1 = Math.min(order.length, j0 + block);
      for (let k = 0; k < nSegments; k++) {
        for (let j = j0; j < j1; j++) this.#opacity[k * nLines + order[j]!] = opacity[order[j]! * nSegments + k]!;
      }
    }
    const stride = this.height + 1;
    const nChannels = palette.kind === "ramp" ? 2 : palette.colors.length / 3 + 1;
    if (this.#ink.length !== nChannels * stride) this.#ink = new Float64Array(nChannels * stride);
    if (this.#channel.length < nLines) {
      this.#channel = new Uint32Array(nLines);
      this.#value = new Float64Array(nLines);
    }
    for (let i = 0; i < nLines; i++) {
      const value = color[i]!;
      const isKnown = !Number.isNaN(value);
      const level = palette.kind === "ramp" ? 0 : Math.min(nChannels - 2, value);
      this.#channel[i] = (isKnown ? level : nChannels - 1) * stride;
      this.#value[i] = isKnown && palette.kind === "ramp" ? Math.min(1, Math.max(0, value)) : 0;
    }
  }

  #addColumn(q: number, order: Uint32Array): void {
    const { height } = this;
    const pieces = this.#pieces!;
    const y = this.#yByPoint;
    const opacity = this.#opacity;
    const channel = this.#channel;
    const value = this.#value;
    const ink = this.#ink;
    const tinted = this.#tinted;
    const nLines = this.#nLines;
    ink.fill(0);
    tinted.fill(0);
    for (let p = pieces.start[q]!; p < pieces.start[q + 1]!; p++) {
      const run = pieces.run[p]!;
      if (run === 0) continue;
      const left = pieces.segment[p]! * nLines;
      const right = left + nLines;
      const middle = pieces.middle[p]!;
      const half = pieces.part[p]! / 2;
      for (let j = 0; j < order.length; j++) {
        const i = order[j]!;
        const y0 = y[left + i]!;
        const dy = y[right + i]! - y0;
        const reach = Math.abs(dy);
        // Written so that NaN stops here, too.
        if (!(reach < Infinity)) continue;
        const centre = y0 + dy * middle;
        const tall = Math.max(LEAST_HEIGHT / 2, reach * half);
        let low = centre - tall;
        let high = centre + tall;
        const density = (opacity[left + i]! * run) / (high - low);
        if (low < 0) low = 0;
        if (high > height) high = height;
        if (!(low < high)) continue;
        const base = channel[i]!;
        const tint = value[i]!;
        const first = low | 0;
        const last = high | 0;
        let v = first === last ? density * (high - low) : density * (first + 1 - low);
        ink[base + first]! += v;
        tinted[first]! += v * tint;
        if (first === last) continue;
        v = density * tint;
        for (let k = first + 1; k < last; k++) {
          ink[base + k]! += density;
          tinted[k]! += v;
        }
        v = density * (high - last);
        ink[base + last]! += v;
        tinted[last]! += v * tint;
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
        this.#words[z] = 0;
        continue;
      }
      const alpha = Math.min(255 * SOLID, Math.log1p(total * scale) * solid) + 0.5;
      const rgb = (((blue / total + 0.5) | 0) << 16) | (((green / total + 0.5) | 0) << 8) | (red / total + 0.5);
      this.#words[z] = ((alpha | 0) << 24) | rgb;
    }
  }
}
