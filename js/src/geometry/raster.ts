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
import { addBox, channelsOf, type LineSet, type Palette, TransposedLines } from "./line_image.ts";

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

/** Numbers kept of each sloping piece. */
const SLOPING_FIELDS = 7;

/** Draws lines, and keeps its buffers for the next image. For the same arrays x and y, only opacity and colour are read. */
export class LineRaster {
  readonly #pixels: Uint8ClampedArray<ArrayBuffer>;
  /** The same memory, one number per pixel. */
  readonly #words: Uint32Array;
  #image: ImageData | null = null;
  #x: Float64Array | null = null;
  #thickness = 0;
  #pieces: ColumnPieces | null = null;
  readonly #lines = new TransposedLines();

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

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#pixels = new Uint8ClampedArray(width * height * 4);
    this.#words = new Uint32Array(this.#pixels.buffer);
    this.#tinted = new Float64Array(MOST_COLUMNS * (height + 1));
  }

  /** Paints the lines with these indices. The arrays x and y of the lines must not change in place. */
  draw(lines: LineSet, style: RasterStyle, indices: Uint32Array): ImageData {
    this.paint(lines, style, indices);
    this.#image ??= new ImageData(this.#pixels, this.width, this.height);
    return this.#image;
  }

  /** The same as bytes (red, green, blue, opacity; row by row) that the next call overwrites. */
  paint(lines: LineSet, style: RasterStyle, indices: Uint32Array): Uint8ClampedArray {
    const order = indices.slice().sort(); // sums do not depend on the order, reading from memory does
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
   * Adds piece p of every line, and the next pieces in so many columns, where they are boxes of even density. Keeps the
   * sloping ones for `#addSlopingPieces` and returns their number.
   */
  #addLevelPieces(p: number, nColumns: number, nLines: number, order: Uint32Array): number {
    const { segment, part: parts, run: runs, uprightFrom: uprights, share: shares } = this.#pieces!;
    const { y, opacity } = this.#lines;
    const left = segment[p]! * nLines;
    const right = left + nLines;
    const [part, run, uprightFrom, share] = [parts[p]!, runs[p]!, uprights[p]!, shares[p]!];
    const thickness = this.#thickness;
    let nSloping = 0;
    for (let j = 0; j < order.length; j++) {
      const i = order[j]!;
      const y0 = y[left + i]!;
      const dy = y[right + i]! - y0;
      const a = opacity[left + i]!;
      const climb = Math.abs(dy);
      // Written so that NaN stops here, too.
      if (!(a > 0 && climb < Infinity)) continue;
      if (climb > uprightFrom) {
        // Narrower than the line itself and steep: an upright bar across the columns it covers.
        if (share === 0) continue;
        const base = uprightFrom / UPRIGHT_SLOPE;
        const strip = climb + thickness;
        const density = (a * share * thickness * Math.sqrt(base * base + climb * climb)) / strip;
        this.#addBoxes(i, p, nColumns, y0 + dy * 0.5, 0, strip / 2, density);
        continue;
      }
      if (run === 0) continue;
      const rise = climb * part;
      const strip = (thickness / run) * Math.sqrt(run * run + rise * rise);
      // A taller strip is a steep segment's, which must be cut at its ends even where little of it is in this column.
      const isSloping = rise > LEVEL_RISE || strip > 2 * thickness;
      if (isSloping) this.#keepSloping(nSloping++, i, y0, dy, strip, rise, a);
      else this.#addBoxes(i, p, nColumns, y0, dy, strip / 2, a * run);
    }
    return nSloping;
  }

  /** Adds a box of line i to each of the columns, around y0 + dy · the middle of the piece. */
  #addBoxes(i: number, p: number, nColumns: number, y0: number, dy: number, half: number, density: number): void {
    const { height } = this;
    const middles = this.#pieces!.middle;
    const color = this.#lines.color[i]!;
    let channel = this.#lines.channel[i]!;
    for (let n = 0; n < nColumns; n++, channel += this.#column) {
      const centre = y0 + dy * middles[p + n]!;
      const low = Math.max(0, centre - half);
      const high = Math.min(height, centre + half);
      if (low < high) addBox(this.#ink, channel, this.#tinted, n * (height + 1), low, high, density, color);
    }
  }

  #keepSloping(n: number, i: number, y0: number, dy: number, strip: number, rise: number, opacity: number): void {
    const sloping = this.#sloping;
    const z = SLOPING_FIELDS * n;
    this.#slopingAt[n] = i;
    sloping[z] = y0;
    sloping[z + 1] = strip;
    sloping[z + 2] = rise;
    sloping[z + 3] = opacity;
    // A steep segment would exceed its values by half the strip: at most one thickness is allowed.
    sloping[z + 4] = (dy < 0 ? y0 + dy : y0) - this.#thickness;
    sloping[z + 5] = (dy < 0 ? y0 : y0 + dy) + this.#thickness;
    sloping[z + 6] = dy;
  }

  /** Adds the sloping pieces: the strip's height swept along the rise. */
  #addSlopingPieces(p: number, nColumns: number, count: number): void {
    const run = this.#pieces!.run[p]!;
    const sloping = this.#sloping;
    for (let j = 0, z = 0; j < count; j++, z += SLOPING_FIELDS) {
      const strip = sloping[z + 1]!;
      const rise = sloping[z + 2]!;
      const ramp = Math.min(strip, rise);
      const inner = (strip + rise) / 2 - ramp;
      const whole = 2 * inner + ramp;
      const density = (sloping[z + 3]! * run * strip) / whole;
      this.#addTrapezoids(this.#slopingAt[j]!, p, nColumns, z, inner, ramp, whole, density);
    }
  }

  /** Adds the trapezoid of line i, kept at z, to each of the columns. What the segment's ends cut off is spread over the rest. */
  #addTrapezoids(
    i: number,
    p: number,
    nColumns: number,
    z: number,
    inner: number,
    ramp: number,
    whole: number,
    even: number,
  ): void {
    const height = this.height;
    const middles = this.#pieces!.middle;
    const ink = this.#ink;
    const tinted = this.#tinted;
    const [y0, top, bottom, dy] = [
      this.#sloping[z]!,
      this.#sloping[z + 4]!,
      this.#sloping[z + 5]!,
      this.#sloping[z + 6]!,
    ];
    const outer = inner + ramp;
    const bend = 1 / (8 * ramp);
    const c = this.#lines.color[i]!;
    let base = this.#lines.channel[i]!;
    let tint = 0;
    for (let n = 0; n < nColumns; n++, base += this.#column, tint += height + 1) {
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
      const last = hi | 0;
      let before = sweptArea(lo - centre, inner, bend);
      for (let k = lo | 0; k <= last; k++) {
        const until = sweptArea((k < last ? k + 1 : hi) - centre, inner, bend);
        const v = density * (until - before);
        ink[base + k]! += v;
        tinted[tint + k]! += v * c;
        before = until;
      }
    }
  }

  #prepare(lines: LineSet, style: RasterStyle, order: Uint32Array): void {
    this.#check(lines, style);
    if (this.#x !== lines.x || this.#thickness !== style.thickness) {
      this.#pieces = columnPieces(lines.x, this.width, style.thickness);
      this.#x = lines.x;
      this.#thickness = style.thickness;
    }
    const stride = this.height + 1;
    this.#lines.read(lines, style.palette, order, stride);
    this.#column = channelsOf(style.palette) * stride;
    const inkLength = MOST_COLUMNS * this.#column;
    if (this.#ink.length !== inkLength) this.#ink = new Float64Array(inkLength);
    if (this.#slopingAt.length < lines.nLines) {
      this.#sloping = new Float64Array(SLOPING_FIELDS * lines.nLines);
      this.#slopingAt = new Uint32Array(lines.nLines);
    }
    this.#prepareStyle(style);
  }

  #check({ nLines, nPoints, x, y, opacity }: LineSet, { width, height }: RasterStyle): void {
    if (width !== this.width || height !== this.height) {
      throw new Error(
        `The style must be of the raster's size, ${this.width} × ${this.height}; got ${width} × ${height}.`,
      );
    }
    const nSegments = Math.max(0, nPoints - 1);
    if (x.length !== nPoints || y.length !== nLines * nPoints || opacity.length !== nLines * nSegments) {
      throw new Error(`The arrays must hold ${nLines} lines of ${nPoints} points; got other lengths.`);
    }
  }

  #prepareStyle({ strength, palette }: RasterStyle): void {
    if (this.#strength !== strength) {
      this.#opacities = opacityTable(strength);
      this.#strength = strength;
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
