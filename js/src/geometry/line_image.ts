/** What the raster of lines reads: lines, palettes, and lines in the order in which columns are painted. */

export interface LineSet {
  nLines: number;
  nPoints: number;
  /** nPoints px from the left, never decreasing; equal neighbours make a vertical step. */
  x: Float64Array;
  /** nLines · nPoints px from the top, row by row; NaN breaks the line. */
  y: Float32Array;
  /** nLines · (nPoints - 1), 0..1 per segment. */
  opacity: Float32Array;
  /** nLines: 0..1 on the ramp, or the index of a level; NaN = neutral. */
  color: Float32Array;
}

export type Rgb = [number, number, number];

export type Palette =
  | { kind: "ramp"; colors: Uint8ClampedArray; missing: Rgb }
  | { kind: "levels"; colors: Uint8ClampedArray; missing: Rgb };

/** Ink is kept per colour of a palette: of a ramp one channel, of levels one each; the last is for missing values. */
export const channelsOf = ({ kind, colors }: Palette): number => (kind === "ramp" ? 2 : colors.length / 3 + 1);

/** Lines of a block are transposed together, so that the scattered writes stay within the cache. */
const BLOCK = 32;

/** Lines in the order in which columns are painted: by point or segment first, then by line. */
export class TransposedLines {
  /** y[point · nLines + line]. */
  y = new Float32Array(0);
  /** opacity[segment · nLines + line], of the lines that are painted. */
  opacity = new Float32Array(0);
  /** Where the ink of each line begins within a column. */
  channel = new Uint32Array(0);
  /** The place of each line on the ramp, 0..1; 0 without a ramp. */
  color = new Float64Array(0);
  #source: Float32Array | null = null;

  /** Reads opacity and colour anew, and y if it is another array. */
  read(lines: LineSet, palette: Palette, order: Uint32Array, stride: number): void {
    if (this.#source !== lines.y) this.#readHeights(lines);
    this.#readOpacity(lines, order);
    this.#readColors(lines, palette, stride);
  }

  #readHeights({ nLines, nPoints, y }: LineSet): void {
    if (this.y.length < y.length) this.y = new Float32Array(y.length);
    for (let i = 0, z = 0; i < nLines; i++) for (let k = 0; k < nPoints; k++) this.y[k * nLines + i] = y[z++]!;
    this.#source = y;
  }

  #readOpacity({ nLines, nPoints, opacity }: LineSet, order: Uint32Array): void {
    if (this.opacity.length < opacity.length) this.opacity = new Float32Array(opacity.length);
    const nSegments = Math.max(0, nPoints - 1);
    const bySegment = this.opacity;
    for (let j0 = 0; j0 < order.length; j0 += BLOCK) {
      const j1 = Math.min(order.length, j0 + BLOCK);
      for (let k = 0; k < nSegments; k++) {
        for (let j = j0; j < j1; j++) bySegment[k * nLines + order[j]!] = opacity[order[j]! * nSegments + k]!;
      }
    }
  }

  #readColors({ nLines, color }: LineSet, palette: Palette, stride: number): void {
    if (this.channel.length < nLines) {
      this.channel = new Uint32Array(nLines);
      this.color = new Float64Array(nLines);
    }
    const isRamp = palette.kind === "ramp";
    const missing = channelsOf(palette) - 1;
    for (let i = 0; i < nLines; i++) {
      const value = color[i]!;
      const isKnown = !Number.isNaN(value);
      this.channel[i] = (isKnown ? (isRamp ? 0 : Math.min(missing - 1, value)) : missing) * stride;
      this.color[i] = isKnown && isRamp ? Math.min(1, Math.max(0, value)) : 0;
    }
  }
}

/** Adds a box of even density from `low` to `high` to a column: its ink, and ink · colour value. */
export function addBox(
  ink: Float64Array,
  channel: number,
  tinted: Float64Array,
  column: number,
  low: number,
  high: number,
  density: number,
  color: number,
): void {
  const first = low | 0;
  const last = high | 0;
  let v = first === last ? density * (high - low) : density * (first + 1 - low);
  ink[channel + first]! += v;
  tinted[column + first]! += v * color;
  if (first === last) return;
  v = density * color;
  for (let k = first + 1; k < last; k++) {
    ink[channel + k]! += density;
    tinted[column + k]! += v;
  }
  v = density * (high - last);
  ink[channel + last]! += v;
  tinted[column + last]! += v * color;
}
