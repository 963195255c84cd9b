import { describe, expect, it } from "vitest";
import type { LineSet, Palette } from "../../src/geometry/line_image.ts";
import { LineRaster, lineStrength, lineThickness } from "../../src/geometry/raster.ts";

const STRENGTH = 2;
const OPAQUE = 1 - Math.exp(-STRENGTH);
const BLACK: Palette = { kind: "levels", colors: new Uint8ClampedArray([0, 0, 0]), missing: [128, 128, 128] };
const GREYS: Palette = {
  kind: "ramp",
  colors: new Uint8ClampedArray(Array.from({ length: 768 }, (_, i) => Math.floor(i / 3))),
  missing: [200, 0, 0],
};

function lineSet(x: number[], rows: number[][], color?: number[]): LineSet {
  const nPoints = x.length;
  return {
    nLines: rows.length,
    nPoints,
    x: new Float64Array(x),
    y: new Float32Array(rows.flat()),
    opacity: new Float32Array(rows.length * (nPoints - 1)).fill(1),
    color: new Float32Array(color ?? rows.map(() => 0)),
  };
}

interface Options {
  width?: number;
  height?: number;
  thickness?: number;
  strength?: number;
  palette?: Palette;
  order?: number[];
  raster?: LineRaster;
}

/** Pixels as [red, green, blue, opacity] with a reader for one of them. */
function paint(lines: LineSet, options: Options = {}) {
  const { width = 60, height = 50, thickness = 1, strength = STRENGTH, palette = BLACK } = options;
  const raster = options.raster ?? new LineRaster(width, height);
  const order = new Uint32Array(options.order ?? Array.from({ length: lines.nLines }, (_, i) => i));
  const bytes = raster.paint(lines, { width, height, thickness, strength, palette }, order).slice();
  const at = (column: number, row: number) => {
    const z = 4 * (row * width + column);
    return [bytes[z]!, bytes[z + 1]!, bytes[z + 2]!, bytes[z + 3]!] as const;
  };
  const alpha = (column: number, row: number) => at(column, row)[3];
  const columnInk = (column: number) => {
    let sum = 0;
    for (let k = 0; k < height; k++) sum += alpha(column, k) / 255 / OPAQUE;
    return sum;
  };
  const ink = () => {
    let sum = 0;
    for (let q = 0; q < width; q++) sum += columnInk(q);
    return sum;
  };
  const inkedRows = (column: number) => Array.from({ length: height }, (_, k) => k).filter((k) => alpha(column, k) > 0);
  return { bytes, at, alpha, columnInk, ink, inkedRows };
}

describe("the ink of one line", () => {
  it.each([
    ["level", [5, 55], [20.3, 20.3]],
    ["gentle", [5, 55], [20.3, 30.1]],
    ["diagonal", [5.4, 40.4], [5.2, 40.2]],
    ["steep", [20.2, 30.7], [3.3, 45.1]],
    ["very steep", [20.2, 21.9], [3.3, 45.1]],
    ["almost upright", [20.2, 20.3], [3.3, 45.1]],
    ["upright", [20.2, 20.2], [3.3, 45.1]],
    ["upright at the edge of a column", [20, 20], [45.1, 3.3]],
  ])("is its thickness times its length: %s", (_, x, y) => {
    const length = Math.hypot(x[1]! - x[0]!, y[1]! - y[0]!);
    for (const thickness of [1, 1.5, 2]) {
      const { ink } = paint(lineSet(x, [y]), { thickness });
      expect(ink()).toBeGreaterThan(0.97 * thickness * length);
      expect(ink()).toBeLessThan(1.03 * thickness * length);
    }
  });

  it("does not depend on how the line is cut into segments", () => {
    const whole = paint(lineSet([2, 58], [[7, 41]]));
    const cuts = [2, 2.1, 7.7, 7.9, 8.05, 20, 20.5, 33.3, 33.4, 58];
    const cut = paint(lineSet(cuts, [cuts.map((x) => 7 + (34 / 56) * (x - 2))]));
    for (let z = 3; z < whole.bytes.length; z += 4) {
      expect(Math.abs(whole.bytes[z]! - cut.bytes[z]!)).toBeLessThanOrEqual(4);
    }
  });

  it("is the same in every column of a gentle line: no beads at the joints", () => {
    const x = Array.from({ length: 23 }, (_, k) => (60 * k) / 22);
    const { columnInk } = paint(lineSet(x, [x.map((v) => 10 + 0.37 * v)]));
    const expected = Math.hypot(1, 0.37);
    for (let q = 0; q < 60; q++) expect(columnInk(q)).toBeCloseTo(expected, 1);
  });

  it("is spread over the pixels in proportion to their coverage", () => {
    const { alpha } = paint(lineSet([0, 60], [[20.25, 20.25]]));
    expect([18, 19, 20, 21].map((k) => alpha(30, k))).toEqual([
      0,
      Math.round(255 * OPAQUE * 0.25),
      Math.round(255 * OPAQUE * 0.75),
      0,
    ]);
  });

  it("is shared between the two columns that an upright line touches", () => {
    const { alpha } = paint(lineSet([30.75, 30.75], [[10, 40]]));
    expect([alpha(29, 25), alpha(32, 25)]).toEqual([0, 0]);
    expect(alpha(30, 25) / alpha(31, 25)).toBeCloseTo(3, 1);
  });
});

describe("columns", () => {
  it("lose no spike when there are two points to a pixel", () => {
    const n = 1000;
    const x = Array.from({ length: n }, (_, k) => (500 * k) / (n - 1));
    for (const spike of [1, 500, 501, 997]) {
      const y = x.map((_, k) => (k === spike ? 5 : 40));
      const { inkedRows } = paint(lineSet(x, [y]), { width: 500 });
      const column = Math.floor(x[spike]!);
      expect(inkedRows(column)[0]).toBeLessThanOrEqual(6);
    }
  });

  it("count each piece for the width it has in them", () => {
    // Three quarters of column 10 at y = 10.5, the last quarter at y = 30.5.
    const { columnInk, alpha } = paint(lineSet([0, 10.75, 10.75, 60], [[10.5, 10.5, Number.NaN, Number.NaN]]));
    expect(columnInk(9)).toBeCloseTo(1, 2);
    expect(columnInk(10)).toBeCloseTo(0.75, 2);
    expect(alpha(11, 10)).toBe(0);
  });

  it("are all covered where the grid is spaced unequally", () => {
    const x = [0, 0.01, 0.02, 3, 3.001, 17.5, 41.2, 41.25, 60];
    const { columnInk } = paint(lineSet(x, [x.map(() => 25.5)]));
    for (let q = 0; q < 60; q++) expect(columnInk(q)).toBeCloseTo(1, 1);
  });

  it("show a steep segment between its own values, give or take one thickness", () => {
    for (const [left, right] of [
      [20.98, 23.02],
      [20.1, 20.15],
      [20.5, 28.5],
    ]) {
      const { bytes } = paint(lineSet([0, left!, right!, 60], [[40, 40, 10, 10]]));
      const rows = new Set<number>();
      for (let z = 3; z < bytes.length; z += 4) if (bytes[z]! > 0) rows.add(Math.floor(z / 4 / 60));
      expect(Math.min(...rows)).toBeGreaterThanOrEqual(9);
      expect(Math.max(...rows)).toBeLessThanOrEqual(41);
    }
  });

  it("take what lies outside the picture as not there", () => {
    const { ink, alpha } = paint(lineSet([-1000, 1000], [[25.5, 25.5]]));
    expect(ink()).toBeCloseTo(60, 0);
    expect(alpha(0, 25)).toBe(alpha(59, 25));
    expect(paint(lineSet([0, 60], [[-30, -3]])).ink()).toBe(0);
    expect(paint(lineSet([0, 60], [[53, 4000]])).ink()).toBe(0);
  });
});

describe("many lines", () => {
  it("look the same in whatever order they come", () => {
    const lines = lineSet(
      [0, 20, 60],
      [
        [1, 9, 44],
        [40, 9, 2],
        [20, 20, 20],
        [3, 44, 30],
      ],
      [0, 0.3, 0.9, Number.NaN],
    );
    const one = paint(lines, { palette: GREYS });
    const other = paint(lines, { palette: GREYS, order: [2, 0, 3, 1] });
    expect(other.bytes).toEqual(one.bytes);
  });

  it("are drawn only as far as the order names them, the first among them", () => {
    const lines = lineSet(
      [0, 60],
      [
        [10.5, 10.5],
        [20.5, 20.5],
        [30.5, 30.5],
      ],
    );
    const { alpha } = paint(lines, { order: [2, 0] });
    expect([10, 20, 30].map((k) => alpha(5, k) > 0)).toEqual([true, false, true]);
    expect(paint(lines, { order: [] }).ink()).toBe(0);
  });

  it("add up: each takes the same share of what still shines through", () => {
    const row = [25.5, 25.5];
    for (const n of [1, 2, 5]) {
      const { alpha } = paint(
        lineSet(
          [0, 60],
          Array.from({ length: n }, () => row),
        ),
        { strength: 0.2 },
      );
      expect(alpha(30, 25)).toBe(Math.round(255 * (1 - Math.exp(-0.2 - (Math.exp(0.2) - 1) * (n - 1)))));
    }
    const full = paint(
      lineSet(
        [0, 60],
        Array.from({ length: 300 }, () => row),
      ),
      { strength: 0.2 },
    );
    expect(full.alpha(30, 25)).toBe(255);
  });

  it("take the colour of their mean value, weighed by ink", () => {
    const lines = lineSet(
      [0, 60],
      [
        [25.5, 25.5],
        [25.5, 25.5],
      ],
      [0.2, 0.6],
    );
    expect(paint(lines, { palette: GREYS }).at(30, 25).slice(0, 3)).toEqual([102, 102, 102]);
    lines.opacity[0] = 0.25;
    expect(paint(lines, { palette: GREYS }).at(30, 25).slice(0, 3)).toEqual([133, 133, 133]);
  });

  it("mix in the neutral colour where a value is missing", () => {
    const lines = lineSet(
      [0, 60],
      [
        [25.5, 25.5],
        [25.5, 25.5],
        [9.5, 9.5],
      ],
      [0.4, Number.NaN, Number.NaN],
    );
    const { at } = paint(lines, { palette: GREYS });
    expect(at(30, 25).slice(0, 3)).toEqual([151, 51, 51]);
    expect(at(30, 9).slice(0, 3)).toEqual([200, 0, 0]);
  });

  it("mix the colours of levels by their ink, level 0 like any other", () => {
    const palette: Palette = {
      kind: "levels",
      colors: new Uint8ClampedArray([200, 0, 0, 0, 100, 0]),
      missing: [0, 0, 240],
    };
    const lines = lineSet(
      [0, 60],
      [
        [25.5, 25.5],
        [25.5, 25.5],
        [9.5, 9.5],
        [25.5, 25.5],
      ],
      [0, 1, 0, Number.NaN],
    );
    lines.opacity[3] = 0.5;
    const { at } = paint(lines, { palette });
    expect(at(30, 9).slice(0, 3)).toEqual([200, 0, 0]);
    expect(at(30, 25).slice(0, 3)).toEqual([80, 40, 48]);
  });
});

describe("a raster that draws again", () => {
  it("reads opacity and colour anew from the same arrays, and y from other ones", () => {
    const raster = new LineRaster(60, 50);
    const lines = lineSet([0, 60], [[25.5, 25.5]]);
    paint(lines, { raster });
    lines.opacity[0] = 0.5;
    expect(paint(lines, { raster }).alpha(30, 25)).toBe(Math.round(255 * OPAQUE * 0.5));
    lines.opacity[0] = 0;
    expect(paint(lines, { raster }).ink()).toBe(0);
    const moved = { ...lines, y: new Float32Array([10.5, 10.5]), opacity: new Float32Array([1]) };
    expect(paint(moved, { raster }).inkedRows(30)).toEqual([10]);
  });

  it("takes more lines and another palette than before, and fewer again", () => {
    const raster = new LineRaster(60, 50);
    const one = lineSet([0, 60], [[25.5, 25.5]]);
    const before = paint(one, { raster });
    const three = lineSet(
      [0, 30, 60],
      [
        [1, 2, 3],
        [4, 5, 6],
        [40, 30, 20],
      ],
      [0.1, Number.NaN, 0.7],
    );
    expect(paint(three, { raster, palette: GREYS }).bytes).toEqual(paint(three, { palette: GREYS }).bytes);
    expect(paint(one, { raster }).bytes).toEqual(before.bytes);
  });

  it("breaks a line at NaN and at infinity", () => {
    const { columnInk } = paint(lineSet([0, 20, 40, 60], [[9.5, 9.5, Number.NaN, 9.5]]));
    expect(columnInk(10)).toBeCloseTo(1, 1);
    expect(columnInk(30)).toBe(0);
    expect(paint(lineSet([0, 60], [[Number.POSITIVE_INFINITY, 3]])).ink()).toBe(0);
  });

  it("draws nothing of a single point and refuses a style of another size", () => {
    expect(paint(lineSet([30], [[20]])).ink()).toBe(0);
    const lines = lineSet([0, 60], [[1, 2]]);
    expect(() => paint(lines, { raster: new LineRaster(61, 50) })).toThrow(
      "The style must be of the raster's size, 61 × 50; got 60 × 50.",
    );
    expect(() => paint({ ...lines, opacity: new Float32Array(2) })).toThrow(
      "The arrays must hold 1 lines of 2 points; got other lengths.",
    );
  });
});

describe("strength and thickness", () => {
  it("make ten lines solid and let thousands show their density", () => {
    const opacity = (n: number) => 1 - Math.exp(-lineStrength(n));
    expect(opacity(1)).toBeGreaterThan(0.94);
    expect(opacity(10)).toBe(opacity(1));
    expect(opacity(1000)).toBeLessThan(0.2);
    expect(opacity(5000)).toBeGreaterThan(0.04);
    const counts = [10, 11, 50, 200, 1000, 5000];
    for (let k = 1; k < counts.length; k++) {
      expect(lineStrength(counts[k]!)).toBeLessThan(lineStrength(counts[k - 1]!));
      expect(lineThickness(counts[k]!)).toBeLessThanOrEqual(lineThickness(counts[k - 1]!));
    }
    expect([lineThickness(1), lineThickness(200), lineThickness(5000)]).toEqual([1.5, 1, 1]);
  });
});
