/** Which values the axis shows. */
import { cumsum } from "d3-array";
import { describe, expect, test } from "vitest";
import type { Scene } from "../../src/plot/scene.ts";
import { unionOf, valueRange } from "../../src/plot/value_range.ts";

const EACH = { target: null, ale: null };

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

test("the range that several share is from the lowest to the highest end", () => {
  expect(unionOf([[1, 4], null, [-2, 3]])).toEqual([-2, 4]);
  expect(unionOf([null])).toBeNull();
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
