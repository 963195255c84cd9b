/**
 * Draws many translucent lines into one image without a graphics card.
 *
 * For every pixel two sums are kept: ink (Σ coverage · opacity) and ink · colour value. The pixel takes the palette's
 * colour of the mean value, so the picture does not depend on the order of the lines. Ink up to that of one opaque line
 * shows in proportion (an isolated line is plainly anti-aliased); beyond it saturates exponentially (density).
 *
 * Coverage is exact for a strip of the given thickness: in each column, the line's cross-section is the strip's height
 * swept along the piece's rise, a trapezoid. Its mass is thickness · length whatever the slope.
 */
import { type ColumnPieces, columnPieces, UPRIGHT_SLOPE } from "./columns.ts";

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

export interface RasterStyle {
  width: number;
  height: number;
  /** Of a line, in px of the image. */
  thickness: number;
  /** Optical density of one opaque line: its opacity is 1 - exp(-strength). */
  strength: number;
  palette: Palette;
}

/** Below this rise within a column (px) the trapezoid's ramps are too short to tell from a box. */
const LEVEL_RISE = 0.5;

/** So many columns at once, where the same segment crosses them: more would not stay within the cache. */
const MOST_COLUMNS = 8;

/** Area under the trapezoid without branches (they would be mispredicted): max(t, 0) = (t + |t|) / 2. */
function sweptArea(u: number, inner: number, bend: number): number {
  let right = u - inner;
  right += Math.abs(right);
  let left = -u - inner;
  left += Math.abs(left);
  return u - bend * (right * right - left * left);
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

/** Keeps its buffers and what it derived from x and y: pass the same arrays again and only opacity and colour are read anew. */
export class LineRaster {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly #words: Uint32Array;
  #image: ImageData | null = null;

  #x: Float64Array | null = null;
  #thickness = 0;
  #pieces: ColumnPieces | null = null;

  #y: Float32Array | null = null;
  #yByPoint = new Float32Array(0);
  #opacityBySegment = new Float32Array(0);

  #strength = Number.NaN;
  #opacities = opacityTable(1);
  #palette: Palette | null = null;
  #rampWords = new Uint32Array(0);

  #ink = new Float64Array(0);
  /** Length of one column's ink. */
  #column = 0;
  readonly #tinted: Float64Array;
  #sloping = new Float64Array(0);
  #slopingAt = new Uint32Array(0);
  #lineChannel = new Uint32Array(0);
  #lineColor = new Float64Array(0);

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#pixels = new Uint8ClampedArray(width * height * 4);
    this.#words = new Uint32Array(this.#pixels.buffer);
    this.#tinted = new Float64Array(MOST_COLUMNS * (height + 1));
  }

  /** The lines named in `order`, as an image that the next call overwrites. Arrays x and y must not change in place. */
  draw(lines: LineSet, style: RasterStyle, order: Uint32Array): ImageData {
    this.paint(lines, style, order);
    this.#image ??= new ImageData(this.#pixels, this.width, this.height);
    return this.#image;
  }

  /** The same as bytes (red, green, blue, opacity; row by row), where there is no ImageData. */
  paint(lines: LineSet, style: RasterStyle, named: Uint32Array): Uint8ClampedArray {
    const order = named.slice().sort(); // sums do not depend on the order, reading from memory does
    this.#prepare(lines, style, order);
    const { start } = this.#pieces!;
    for (let q = 0, next = 0; q < this.width; q = next) {
      next = this.#alikeUntil(q);
      this.#ink.fill(0);
      this.#tinted.fill(0);
      for (let p = start[q]!; p < start[q + 1]!; p++) {
        const nSloping = this.#addLevelPieces(p, next - q, lines.nLines, order);
        this.#addSlopingPieces(p, next - q, nSloping);
      }
      for (let column = q; column < next; column++) {
        if (style.palette.kind === "ramp") this.#resolveRamp(column, column - q, style.palette);
        else this.#resolveLevels(column, column - q, style.palette);
      }
    }
    return this.#pixels;
  }

  /** The end of the columns from q on that one and the same segment crosses from side to side. */
  #alikeUntil(q: number): number {
    const { start, segment, run } = this.#pieces!;
    const p = start[q]!;
    const isCrossed = (at: number) => start[at + 1]! - start[at]! === 1 && run[start[at]!] === 1;
    if (!isCrossed(q)) return q + 1;
    const end = Math.min(this.width, q + MOST_COLUMNS);
    let next = q + 1;
    while (next < end && isCrossed(next) && segment[start[next]!] === segment[p]) next++;
    return next;
  }

  /**
   * Adds every line's piece p, and those after it in so many columns, where they are boxes of even density. Notes the
   * sloping ones and returns their number.
   */
  #addLevelPieces(p: number, nColumns: number, nLines: number, order: Uint32Array): number {
    const pieces = this.#pieces!;
    const left = pieces.segment[p]! * nLines;
    const right = left + nLines;
    const middles = pieces.middle;
    const part = pieces.part[p]!;
    const run = pieces.run[p]!;
    const uprightFrom = pieces.uprightFrom[p]!;
    const share = pieces.share[p]!;
    const thickness = this.#thickness;
    const stretch = thickness / run;
    // A taller strip is a steep segment's, which must be cut at its ends even where little of it is in this column.
    const tallest = 2 * thickness;
    const height = this.height;
    const y = this.#yByPoint;
    const opacity = this.#opacityBySegment;
    const channel = this.#lineChannel;
    const color = this.#lineColor;
    const ink = this.#ink;
    const tinted = this.#tinted;
    const sloping = this.#sloping;
    const slopingAt = this.#slopingAt;
    const column = this.#column;
    const stride = height + 1;
    let nSloping = 0;

    for (let j = 0; j < order.length; j++) {
      const i = order[j]!;
      const y0 = y[left + i]!;
      const dy = y[right + i]! - y0;
      const a = opacity[left + i]!;
      // Written so that NaN stops here, too.
      if (!(a > 0 && Math.abs(dy) < Infinity)) continue;
      const climb = Math.abs(dy);
      let strip: number;
      let density: number;
      const isUpright = climb > uprightFrom;
      if (isUpright) {
        // Narrower than the line itself and steep: an upright bar across the columns it covers.
        if (share === 0) continue;
        const base = uprightFrom / UPRIGHT_SLOPE;
        strip = climb + thickness;
        density = (a * share * thickness * Math.sqrt(base * base + climb * climb)) / strip;
      } else {
        if (run === 0) continue;
        const rise = climb * part;
        strip = stretch * Math.sqrt(run * run + rise * rise);
        if (rise > LEVEL_RISE || strip > tallest) {
          const z = 7 * nSloping;
          slopingAt[nSloping++] = i;
          sloping[z] = y0;
          sloping[z + 1] = strip;
          sloping[z + 2] = rise;
          sloping[z + 3] = a;
          // A steep segment would overshoot its own values by half the strip: at most one thickness is allowed.
          sloping[z + 4] = (dy < 0 ? y0 + dy : y0) - thickness;
          sloping[z + 5] = (dy < 0 ? y0 : y0 + dy) + thickness;
          sloping[z + 6] = dy;
          continue;
        }
        density = a * run;
      }
      const c = color[i]!;
      const half = strip / 2;
      let base = channel[i]!;
      let tint = 0;
      for (let n = 0; n < nColumns; n++, base += column, tint += stride) {
        const centre = y0 + dy * (isUpright ? 0.5 : middles[p + n]!);
        let lo = centre - half;
        let hi = centre + half;
        if (lo < 0) lo = 0;
        if (hi > height) hi = height;
        if (lo >= hi) continue;
        const first = lo | 0;
        const last = hi | 0;
        if (first === last) {
          const v = density * (hi - lo);
          ink[base + first]! += v;
          tinted[tint + first]! += v * c;
          continue;
        }
        let v = density * (first + 1 - lo);
        ink[base + first]! += v;
        tinted[tint + first]! += v * c;
        v = density * c;
        for (let k = first + 1; k < last; k++) {
          ink[base + k]! += density;
          tinted[tint + k]! += v;
        }
        v = density * (hi - last);
        ink[base + last]! += v;
        tinted[tint + last]! += v * c;
      }
    }
    return nSloping;
  }

  /** Adds the noted pieces: the strip's height swept along the rise. What the segment's ends cut off is spread over the rest. */
  #addSlopingPieces(p: number, nColumns: number, count: number): void {
    const height = this.height;
    const { middle: middles, run: runs } = this.#pieces!;
    const run = runs[p]!;
    const channel = this.#lineChannel;
    const color = this.#lineColor;
    const ink = this.#ink;
    const tinted = this.#tinted;
    const sloping = this.#sloping;
    const column = this.#column;
    const stride = height + 1;
    for (let j = 0, z = 0; j < count; j++, z += 7) {
      const i = this.#slopingAt[j]!;
      const strip = sloping[z + 1]!;
      const rise = sloping[z + 2]!;
      const top = sloping[z + 4]!;
      const bottom = sloping[z + 5]!;
      const dy = sloping[z + 6]!;
      const ramp = Math.min(strip, rise);
      const outer = (strip + rise) / 2;
      const inner = outer - ramp;
      const bend = 1 / (8 * ramp);
      const whole = 2 * inner + ramp;
      const even = (sloping[z + 3]! * run * strip) / whole;
      const c = color[i]!;
      const y0 = sloping[z]!;
      let base = channel[i]!;
      let tint = 0;
      for (let n = 0; n < nColumns; n++, base += column, tint += stride) {
        const centre = y0 + dy * middles[p + n]!;
        let lo = centre - outer;
        let hi = centre + outer;
        let density = even;
        if (lo < top || hi > bottom) {
          if (lo < top) lo = top;
          if (hi > bottom) hi = bottom;
          density *= whole / (sweptArea(hi - centre, inner, bend) - sweptArea(lo - centre, inner, bend));
        }
        if (lo < 0) lo = 0;
        if (hi > height) hi = height;
        if (lo >= hi) continue;
        const first = lo | 0;
        const last = hi | 0;
        let before = sweptArea(lo - centre, inner, bend);
        for (let k = first; k < last; k++) {
          const until = sweptArea(k + 1 - centre, inner, bend);
          const v = density * (until - before);
          ink[base + k]! += v;
          tinted[tint + k]! += v * c;
          before = until;
        }
        const v = density * (sweptArea(hi - centre, inner, bend) - before);
        ink[base + last]! += v;
        tinted[tint + last]! += v * c;
      }
    }
  }

  #prepare(lines: LineSet, style: RasterStyle, order: Uint32Array): void {
    const { nLines, nPoints, x, y, opacity, color } = lines;
    if (style.width !== this.width || style.height !== this.height) {
      throw new Error(
        `The style must be of the raster's size, ${this.width} × ${this.height}; got ${style.width} × ${style.height}.`,
      );
    }
    const nSegments = Math.max(0, nPoints - 1);
    if (x.length !== nPoints || y.length !== nLines * nPoints || opacity.length !== nLines * nSegments) {
      throw new Error(`The arrays must hold ${nLines} lines of ${nPoints} points; got other lengths.`);
    }

    if (this.#x !== x || this.#thickness !== style.thickness) {
      this.#pieces = columnPieces(x, this.width, style.thickness);
      this.#x = x;
      this.#thickness = style.thickness;
    }
    if (this.#y !== y) {
      if (this.#yByPoint.length < y.length) this.#yByPoint = new Float32Array(y.length);
      for (let i = 0, z = 0; i < nLines; i++)
        for (let k = 0; k < nPoints; k++) this.#yByPoint[k * nLines + i] = y[z++]!;
      this.#y = y;
    }
    if (this.#opacityBySegment.length < opacity.length) this.#opacityBySegment = new Float32Array(opacity.length);
    const bySegment = this.#opacityBySegment;
    // Blocks of lines keep the scattered writes of the transposition within the cache.
    const block = 32;
    for (let j0 = 0; j0 < order.length; j0 += block) {
      const j1 = Math.min(order.length, j0 + block);
      for (let k = 0; k < nSegments; k++) {
        for (let j = j0; j < j1; j++) {
          const i = order[j]!;
          bySegment[k * nLines + i] = opacity[i * nSegments + k]!;
        }
      }
    }

    const { palette } = style;
    const nChannels = palette.kind === "ramp" ? 2 : palette.colors.length / 3 + 1;
    const stride = this.height + 1;
    this.#column = nChannels * stride;
    const inkLength = MOST_COLUMNS * this.#column;
    if (this.#ink.length !== inkLength) this.#ink = new Float64Array(inkLength);
    if (this.#lineChannel.length < nLines) {
      this.#lineChannel = new Uint32Array(nLines);
      this.#lineColor = new Float64Array(nLines);
      this.#sloping = new Float64Array(7 * nLines);
      this.#slopingAt = new Uint32Array(nLines);
    }
    const neutral = (nChannels - 1) * stride;
    for (let i = 0; i < nLines; i++) {
      const c = color[i]!;
      const known = !Number.isNaN(c);
      this.#lineChannel[i] = !known ? neutral : palette.kind === "ramp" ? 0 : Math.min(nChannels - 2, c) * stride;
      this.#lineColor[i] = known && palette.kind === "ramp" ? Math.min(1, Math.max(0, c)) : 0;
    }

    if (this.#strength !== style.strength) {
      this.#opacities = opacityTable(style.strength);
      this.#strength = style.strength;
    }
    if (this.#palette !== palette) {
      const { colors } = palette;
      this.#rampWords = new Uint32Array(colors.length / 3);
      for (let i = 0; i < this.#rampWords.length; i++) {
        this.#rampWords[i] = (colors[3 * i + 2]! << 16) | (colors[3 * i + 1]! << 8) | colors[3 * i]!;
      }
      this.#palette = palette;
    }
  }

  /** Column q of the image, from the ink of the nth column that is kept. */
  #resolveRamp(q: number, n: number, palette: Palette): void {
    const { width, height } = this;
    const words = this.#words;
    const ramp = this.#rampWords;
    const { bytes, perInk } = this.#opacities;
    const top = bytes.length - 1;
    const ink = this.#ink;
    const tinted = this.#tinted;
    const steps = ramp.length - 1;
    const stride = height + 1;
    const from = n * this.#column;
    const [r, g, b] = palette.missing;
    for (let k = 0, z = q; k < height; k++, z += width) {
      const known = ink[from + k]!;
      const unknown = ink[from + stride + k]!;
      if (known === 0 && unknown === 0) {
        words[z] = 0;
        continue;
      }
      const total = known + unknown;
      const step = total * perInk + 0.5;
      const alpha = bytes[step < top ? step | 0 : top]! << 24;
      let rgb = known > 0 ? ramp[((tinted[n * stride + k]! / known) * steps + 0.5) | 0]! : 0;
      if (unknown > 0) {
        const m = unknown / total;
        const red = (rgb & 255) * (1 - m) + r * m + 0.5;
        const green = ((rgb >> 8) & 255) * (1 - m) + g * m + 0.5;
        const blue = (rgb >> 16) * (1 - m) + b * m + 0.5;
        rgb = ((blue | 0) << 16) | ((green | 0) << 8) | red;
      }
      words[z] = alpha | rgb;
    }
  }

  #resolveLevels(q: number, n: number, palette: Palette): void {
    const { width, height } = this;
    const words = this.#words;
    const { bytes, perInk } = this.#opacities;
    const top = bytes.length - 1;
    const ink = this.#ink;
    const { colors, missing } = palette;
    const stride = height + 1;
    const nLevels = colors.length / 3;
    const from = n * this.#column;
    for (let k = 0, z = q; k < height; k++, z += width) {
      let total = ink[from + nLevels * stride + k]!;
      let red = missing[0] * total;
      let green = missing[1] * total;
      let blue = missing[2] * total;
      for (let l = 0, at = from + k; l < nLevels; l++, at += stride) {
        const v = ink[at]!;
        if (v === 0) continue;
        total += v;
        red += v * colors[3 * l]!;
        green += v * colors[3 * l + 1]!;
        blue += v * colors[3 * l + 2]!;
      }
      if (total === 0) {
        words[z] = 0;
        continue;
      }
      const step = total * perInk + 0.5;
      const alpha = bytes[step < top ? step | 0 : top]! << 24;
      const scale = 1 / total;
      words[z] = alpha | (((blue * scale + 0.5) | 0) << 16) | (((green * scale + 0.5) | 0) << 8) | (red * scale + 0.5);
    }
  }
}
