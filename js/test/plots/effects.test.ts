/** Where ALE and M-plot are on each kind of plot; `contract.test.ts` compares the numbers with those of figures. */
import { expect, test } from "vitest";
import { EFFECTS, effectLines } from "../../src/plots/effects.ts";
import type { Scene } from "../../src/plots/scene.ts";
import { valueRange } from "../../src/plots/value_range.ts";
import type { Effects } from "../../src/wire/decode.ts";
import type { FeatureKind } from "../../src/wire/protocol.ts";

const effects: Effects = {
  feature: "a",
  grid: Float64Array.of(0, 2, 4),
  ale: Float32Array.of(-1, 0, 1),
  mPlot: Float32Array.of(-3, 0, 3),
  meanPrediction: 10,
};

const scene = (kind: Scene["kind"], anchoredAt: number | null = null, of: FeatureKind = "numeric"): Scene =>
  ({ kind, base: kind === "ice" ? 7 : 0, anchoredAt, curves: { kind: of }, extent: [-1, 1] }) as Scene;

const heights = (of: Scene): number[][] => effectLines(of, effects, EFFECTS).map(({ values }) => Array.from(values));

test("on ICE, ALE is shifted to the mean prediction", () => {
  expect(heights(scene("ice"))).toEqual([
    [2, 3, 4],
    [0, 3, 6],
  ]);
});

test("on c-ICE both are 0 at the anchor, also between grid values and beyond them", () => {
  expect(heights(scene("c-ice", 4))).toEqual([
    [-2, -1, 0],
    [-6, -3, 0],
  ]);
  expect(heights(scene("c-ice", 1))[0]).toEqual([-0.5, 0.5, 1.5]);
  expect(heights(scene("c-ice", -5))[0]).toEqual([0, 1, 2]);
  expect(heights(scene("c-ice", 9))[0]).toEqual([-2, -1, 0]);
});

test("where each curve is 0 at its observed value, their mean over the observations is 0", () => {
  expect(heights(scene("c-ice"))).toEqual([
    [-1, 0, 1],
    [-3, 0, 3],
  ]);
});

test("at a level that no observation has there is no height to start from", () => {
  expect(heights(scene("c-ice", 2, "category"))[0]).toEqual([-1, 0, 1]);
  expect(heights(scene("c-ice", 1, "category"))[0]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});

test("slopes have none, and only those that are wanted are drawn", () => {
  expect(effectLines(scene("d-ice"), effects, EFFECTS)).toEqual([]);
  expect(effectLines(scene("ice"), effects, ["m_plot"]).map(({ name }) => name)).toEqual(["m_plot"]);
  expect(effectLines(scene("ice"), effects, [])).toEqual([]);
});

test("the value axis reaches over them", () => {
  const of = scene("ice");
  const choices = { shared: null, target: null, effects: effectLines(of, effects, EFFECTS), full: false };
  expect(valueRange(of, choices)).toMatchObject({ low: -1, high: 6 });
  const none = { ...choices, effects: effectLines(scene("c-ice", 1, "category"), effects, EFFECTS) };
  expect(valueRange(of, none)).toMatchObject({ low: -1, high: 1 });
});
