/** How lines are painted. */
import { describe, expect, it } from "vitest";
import type { LineSet, Palette } from "../../../src/plot/geometry/raster.ts";
import { LineRaster, lineStrength, lineThickness } from "../../../src/plot/geometry/raster.ts";

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

/** Pixels, and readers of their opacity. */
function paint(lines: LineSet, options: Options = {}) {
  const { width = 60, height = 50, thickness = 1, strength = STRENGTH, palette = BLACK } = options;
  const raster = options.raster ?? new LineRaster(width, height);
  const order = new Uint32Array(options.order ?? Array.from({ length: lines.nLines }, (_, i) => i));
  const bytes = raster.paint(lines, { thickness, strength, palette }, order).slice();
  const alpha = (column: number, row: number) => bytes[4 * (row * width + column) + 3]!;
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
  return { bytes, alpha, columnInk, ink, inkedRows };
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

  it("add up: each takes the same share of what still shines through", () => {
    const row = [25.5, 25.5];
    for (const n of [1, 2, 5]) {
      const { alpha } = paint(lineSet([0, 60], Array(n).fill(row)), { strength: 0.2 });
      expect(alpha(30, 25)).toBe(Math.round(255 * (1 - Math.exp(-0.2 - (Math.exp(0.2) - 1) * (n - 1)))));
    }
    expect(paint(lineSet([0, 60], Array(300).fill(row)), { strength: 0.2 }).alpha(30, 25)).toBe(255);
  });
});

describe("colours", () => {
  const at = ({ bytes }: ReturnType<typeof paint>, row: number) => [...bytes.slice(4 * (60 * row + 30)).slice(0, 3)];

  it("of a ramp are that of the mean value, weighed by ink, with the neutral one where a value is missing", () => {
    const level = (y: number) => [y, y];
    const lines = lineSet([0, 60], [level(25.5), level(25.5), level(9.5)], [0.2, 0.6, Number.NaN]);
    expect(at(paint(lines, { palette: GREYS }), 25)).toEqual([102, 102, 102]);
    lines.opacity[0] = 0.25;
    expect(at(paint(lines, { palette: GREYS }), 25)).toEqual([133, 133, 133]);
    lines.opacity[0] = 1;
    lines.color.set([0.4, Number.NaN]);
    expect([25, 9].map((row) => at(paint(lines, { palette: GREYS }), row))).toEqual([
      [151, 51, 51],
      [200, 0, 0],
    ]);
  });

  it("of levels mix by ink, level 0 like any other", () => {
    const palette: Palette = {
      kind: "levels",
      colors: new Uint8ClampedArray([200, 0, 0, 0, 100, 0]),
      missing: [0, 0, 240],
    };
    const lines = lineSet([0, 60], Array(3).fill([25.5, 25.5]), [0, 1, Number.NaN]);
    lines.opacity[2] = 0.5;
    expect(at(paint(lines, { palette }), 25)).toEqual([80, 40, 48]);
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

  it("draws nothing of a single point", () => {
    expect(paint(lineSet([30], [[20]])).ink()).toBe(0);
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
