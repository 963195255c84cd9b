/**
 * Draws many translucent lines that share their x values into one image, without a graphics card.
 *
 * For every pixel two sums are kept: ink (Σ coverage · opacity) and ink · colour value. The pixel takes the palette's
 * colour of the mean value, so the picture does not depend on the order of the lines. Ink up to that of one opaque line
 * shows in proportion (an isolated line is plainly anti-aliased); beyond it saturates exponentially (density).
 *
 * In each column of pixels a line is a box from its lowest to its highest point there, with a mass of thickness · length.
 */

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

export interface Palette {
  kind: "ramp" | "levels";
  colors: Uint8ClampedArray;
  missing: Rgb;
}

export interface RasterStyle {
  /** Of a line, in px of the image. */
  thickness: number;
  /** Optical density of one opaque line: its opacity is 1 - exp(-strength). */
  strength: number;
  palette: Palette;
}

/** How finely the table from ink to opacity is cut: this many steps for a change of opacity by 1. */
const OPACITY_STEPS = 4096;

/**
 * Opacity of a pixel (0..255) by its ink. In proportion up to the ink of one line; from there each further line takes
 * the same share of what still shines through.
 */
function opacityTable(strength: number): { bytes: Uint8Array; perInk: number } {
  const opaque = 1 - Math.exp(-strength);
  const perInk = OPACITY_STEPS * opaque;
  const growth = Math.exp(strength) - 1;
  const saturated = 1 + Math.max(0, Math.log(512) - strength) / growth;
  const bytes = new Uint8Array(Math.ceil(saturated * perInk) + 1);
  for (let i = 0; i < bytes.length; i++) {
    const ink = i / perInk;
    const opacity = ink <= 1 ? opaque * ink : 1 - Math.exp(-strength - growth * (ink - 1));
    bytes[i] = Math.round(255 * opacity);
  }
  return { bytes, perInk };
}

/** Optical density for so many lines: a handful look solid, thousands show where they are dense. */
export function lineStrength(nLines: number): number {
  return nLines <= 10 ? 3 : 3 * (10 / nLines) ** 0.62;
}

/** Thickness in CSS px for so many lines. */
export function lineThickness(nLines: number): number {
  return nLines <= 10 ? 1.5 : nLines >= 200 ? 1 : 1.5 - (0.5 * Math.log(nLines / 10)) / Math.log(20);
}

/** Lines that are measured together. */
const BLOCK = 16;

/** What is between the ends of a column: segments at both, with the places in them, and the points from one up to another. */
interface Stretch {
  q: number;
  before: number;
  after: number;
  inside: [number, number];
  left: number;
  right: number;
}

/** Draws lines, and keeps where they are for the next image: for the same array y only opacity and colour are read. */
export class LineRaster {
  readonly #pixels: Uint8ClampedArray<ArrayBuffer>;
  /** The same memory, one number per pixel. */
  readonly #words: Uint32Array;
  #image: ImageData | null = null;
  #y: Float32Array | null = null;
  /** Width of the stretch of a line that a column shows. */
  #wide = 1;
  /** The ends of each line in each column: [column · nLines + line]. */
  #low = new Float32Array(0);
  #high = new Float32Array(0);
  /** Of each column: the segment in its middle, and how much of the column the lines cover. */
  readonly #segment: Int32Array;
  readonly #run: Float64Array;
  #strength = Number.NaN;
  #opacities = opacityTable(1);

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#pixels = new Uint8ClampedArray(width * height * 4);
    this.#words = new Uint32Array(this.#pixels.buffer);
    this.#segment = new Int32Array(width);
    this.#run = new Float64Array(width);
  }

  /** Paints the lines with these indices. The arrays x and y of the lines must not change in place. */
  draw(lines: LineSet, style: RasterStyle, indices: Uint32Array): ImageData {
    this.paint(lines, style, indices);
    this.#image ??= new ImageData(this.#pixels, this.width, this.height);
    return this.#image;
  }

  /** The same as bytes (red, green, blue, opacity; row by row) that the next call overwrites. */
  paint(lines: LineSet, { thickness, strength, palette }: RasterStyle, indices: Uint32Array): Uint8ClampedArray {
    const wide = Math.max(1, Math.round(thickness));
    if (this.#y !== lines.y || this.#wide !== wide) this.#measure(lines, wide);
    if (this.#strength !== strength) this.#opacities = opacityTable(strength);
    this.#strength = strength;
    const order = indices.slice().sort(); // sums do not depend on the order, reading from memory does
    const { width, height } = this;
    const { nLines, nPoints, opacity, color } = lines;
    const [low, high] = [this.#low, this.#high];
    const nLevels = palette.kind === "ramp" ? 1 : palette.colors.length / 3;
    const stride = height + 1;
    // Of a ramp there is one channel of ink, of levels one each; the last is for missing values.
    const ink = new Float64Array((nLevels + 1) * stride);
    const tinted = new Float64Array(stride);
    const channel = Uint32Array.from(color, (value) =>
      Number.isNaN(value) ? nLevels * stride : palette.kind === "ramp" ? 0 : Math.min(nLevels - 1, value) * stride,
    );
    const half = thickness / 2;
    for (let q = 0; q < width; q++) {
      const segment = this.#segment[q]!;
      const run = this.#run[q]!;
      ink.fill(0);
      tinted.fill(0);
      for (let j = 0; segment >= 0 && j < order.length; j++) {
        const i = order[j]!;
        const shade = opacity[i * (nPoints - 1) + segment]!;
        const [lowest, highest] = [low[q * nLines + i]!, high[q * nLines + i]!];
        const rise = highest - lowest;
        if (!(shade > 0 && rise < Number.POSITIVE_INFINITY)) continue;
        const from = Math.max(0, lowest - half);
        const to = Math.min(height, highest + half);
        if (from >= to) continue;
        const density = (shade * thickness * Math.sqrt(run * run + rise * rise)) / (wide * (rise + thickness));
        const at = channel[i]!;
        const value = at === 0 ? color[i]! : 0;
        const first = from | 0;
        const last = to | 0;
        let v = first === last ? density * (to - from) : density * (first + 1 - from);
        ink[at + first]! += v;
        tinted[first]! += v * value;
        if (first === last) continue;
        v = density * value;
        for (let k = first + 1; k < last; k++) {
          ink[at + k]! += density;
          tinted[k]! += v;
        }
        v = density * (to - last);
        ink[at + last]! += v;
        tinted[last]! += v * value;
      }
      this.#colour(q, ink, tinted, nLevels, palette);
    }
    return this.#pixels;
  }

  /** Finds the ends of every line in the stretch of every column. */
  #measure({ nLines, nPoints, x, y }: LineSet, wide: number): void {
    this.#y = y;
    this.#wide = wide;
    this.#low = new Float32Array(this.width * nLines).fill(Number.NaN);
    this.#high = new Float32Array(this.width * nLines).fill(Number.NaN);
    const stretches = this.#stretches(x, nPoints, wide);
    // Of a block of lines what is read and what is written stays within the cache.
    for (let first = 0; first < nLines; first += BLOCK) {
      const end = Math.min(nLines, first + BLOCK);
      for (const { q, before, after, inside, left, right } of stretches) {
        for (let i = first; i < end; i++) {
          const row = i * nPoints;
          const one = y[row + before]! + (y[row + before + 1]! - y[row + before]!) * left;
          const other = y[row + after]! + (y[row + after + 1]! - y[row + after]!) * right;
          let [low, high] = one < other ? [one, other] : [other, one];
          for (let p = inside[0]; p < inside[1]; p++) {
            const value = y[row + p]!;
            if (value < low) low = value;
            else if (value > high) high = value;
          }
          this.#low[q * nLines + i] = low;
          this.#high[q * nLines + i] = high;
        }
      }
    }
  }

  /** Where the lines are in each column: as wide as they are thick, so that upright ones are as thick as level ones. */
  #stretches(x: Float64Array, nPoints: number, wide: number): Stretch[] {
    const stretches: Stretch[] = [];
    this.#segment.fill(-1);
    const last = nPoints - 1;
    if (last < 1) return stretches;
    for (let q = 0, before = 0, start = 0; q < this.width; q++) {
      const from = Math.max(q + 0.5 - wide / 2, x[0]!);
      const edge = q + 0.5 + wide / 2; // an upright line there belongs to the next column
      const to = Math.min(edge, x[last]!);
      if (to < from || from >= edge || (to === from && x[0] !== x[last])) continue;
      while (before < last - 1 && x[before + 1]! <= from) before++;
      while (start < last && x[start]! < from) start++;
      let after = before;
      while (after < last - 1 && x[after + 1]! < to) after++;
      let end = Math.max(start, after);
      while (end <= last && x[end]! <= to && x[end]! < edge) end++;
      let middle = before;
      while (middle < after && x[middle + 1]! < q + 0.5) middle++;
      this.#segment[q] = middle;
      this.#run[q] = to - from;
      const [left, right] = [shareOf(x, before, from), shareOf(x, after, to)];
      stretches.push({ q, before, after, inside: [start, end], left, right });
    }
    return stretches;
  }

  /** Turns the ink of a column into pixels. */
  #colour(q: number, ink: Float64Array, tinted: Float64Array, nLevels: number, palette: Palette): void {
    const { kind, colors, missing } = palette;
    const { bytes, perInk } = this.#opacities;
    const stride = this.height + 1;
    const steps = colors.length / 3 - 1;
    for (let k = 0, z = q; k < this.height; k++, z += this.width) {
      let total = ink[nLevels * stride + k]!;
      let [red, green, blue] = [missing[0] * total, missing[1] * total, missing[2] * total];
      for (let level = 0; level < nLevels; level++) {
        const v = ink[level * stride + k]!;
        if (v === 0) continue;
        const place = kind === "ramp" ? Math.min(1, Math.max(0, tinted[k]! / v)) * steps + 0.5 : level;
        const c = 3 * (place | 0);
        total += v;
        red += v * colors[c]!;
        green += v * colors[c + 1]!;
        blue += v * colors[c + 2]!;
      }
      if (total === 0) {
        this.#words[z] = 0;
        continue;
      }
      const alpha = bytes[Math.min(bytes.length - 1, Math.round(total * perInk))]!;
      this.#words[z] =
        (alpha << 24) | ((blue / total + 0.5) << 16) | ((green / total + 0.5) << 8) | (red / total + 0.5);
    }
  }
}

const shareOf = (x: Float64Array, k: number, at: number): number =>
  x[k + 1]! > x[k]! ? (at - x[k]!) / (x[k + 1]! - x[k]!) : 0;
