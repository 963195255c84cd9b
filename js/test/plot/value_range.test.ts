/** Which values the axis shows. */
import { cumsum } from "d3-array";
import { describe, expect, test } from "vitest";
import type { Scene } from "../../src/plot/scene.ts";
import { sharedRange, valueRange } from "../../src/plot/value_range.ts";
import type { FeatureHead } from "../../src/wire/protocol.ts";
import type { Figures } from "../../src/wire/tables.ts";

const EACH = { target: null, ale: null };

const figures = (...ranges: ([number, number] | null)[]): Figures =>
  ({ header: { features: ranges.map((range) => ({ range }) as FeatureHead) } }) as Figures;

const ice = { kind: "ice", base: 100, extent: [-1, 2] } as Scene;

/** Slopes over intervals of given lengths, as steps. */
function slopes(lengths: number[], lines: number[][]): Scene {
  const ends = [0, ...cumsum(lengths)];
  const x = Float64Array.from(lengths.flatMap((_, k) => [ends[k]!, ends[k + 1]!]));
  const values = Float32Array.from(lines.flatMap((line) => line.flatMap((slope) => [slope, slope])));
  const all = lines.flat();
  const curves = { n_lines: lines.length } as Scene["curves"];
  return { kind: "d-ice", base: 0, x, values, curves, extent: [Math.min(...all), Math.max(...all)] } as Scene;
}

describe("the axis", () => {
  test("shows what is drawn", () => {
    expect(valueRange(ice, EACH)).toMatchObject({ low: -1, high: 2, isCut: false });
  });

  test("grows to the observed target, and for missing ones not at all", () => {
    const target = Float64Array.of(97, Number.NaN, 101.5);
    expect(valueRange(ice, { ...EACH, target })).toMatchObject({ low: -3, high: 2 });
    expect(valueRange(ice, { ...EACH, target: Float64Array.of(Number.NaN) })).toMatchObject({ low: -1, high: 2 });
  });
});

describe("the range that all features share", () => {
  test("is that of their predictions, of those that are computed", () => {
    expect(sharedRange(figures([1, 4], null, [-2, 3]), "ice")).toEqual([-2, 4]);
    expect(sharedRange(figures(null), "ice")).toBeNull();
  });

  test("of changes is the widest of them, up and down: no change is larger", () => {
    expect(sharedRange(figures([1, 4], [-2, 3]), "c-ice")).toEqual([-5, 5]);
  });

  test("of slopes is none: their units differ", () => {
    expect(sharedRange(figures([1, 4]), "d-ice")).toBeNull();
  });
});

describe("the axis of slopes", () => {
  test("begins at 0 where all slopes are one, but for rounding", () => {
    expect(valueRange(slopes([1, 1], [[0.03, 0.030001]]), EACH)).toMatchObject({ low: 0, high: 0.030001 });
    expect(valueRange(slopes([1, 1], [[-5, -5.004]]), EACH)).toMatchObject({ low: -5.004, high: 0 });
    expect(valueRange(slopes([1, 1], [[-5, -5.1]]), EACH)).toMatchObject({ low: -5.1, high: -5 });
  });

  test("shows all where no step dominates", () => {
    expect(valueRange(slopes([33, 33, 33, 0.1], [[0.5, 1, -0.5, 1.2]]), EACH)).toMatchObject({
      isCut: false,
      high: 1.2,
    });
  });

  test("weighs by length: many short intervals do not outweigh a long one", () => {
    const short = Array.from({ length: 50 }, () => 0.001);
    const scene = slopes([10, ...short], [[1, ...short.map((_, k) => 100 + k)]]);
    expect(valueRange(scene, EACH)).toMatchObject({ isCut: true, high: 1 });
  });
});
