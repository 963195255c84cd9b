/** Slopes as they are drawn, and curves without a distance; `contract.test.ts` has centred curves, slopes and fading. */
import { expect, it } from "vitest";
import { distances, likelihood } from "../../../src/plot/geometry/likelihood.ts";
import { nearestIndex, slopes, stepOpacity, stepValues, stepX } from "../../../src/plot/geometry/transforms.ts";

const GRID = [0, 1, 3];

it("of two grid values that are equally near, the lower one is taken", () => {
  expect([nearestIndex(GRID, 2), nearestIndex(GRID, 0.5)]).toEqual([1, 0]);
});

it("there is one slope per interval, in output per unit of the feature, and none of a single value", () => {
  expect([...slopes(new Float32Array([1, 4, 10, -2, -2, 0]), GRID)]).toEqual([3, 3, 0, 1]);
  expect([...slopes(new Float32Array([1, 4]), [0])]).toEqual([]);
});

it("a slope is drawn level over its interval, with the fainter of two opacities in between", () => {
  expect([...stepX(GRID)]).toEqual([0, 1, 1, 3]);
  expect([...stepValues(new Float32Array([3, 4, 0, 1]))]).toEqual([3, 3, 4, 4, 0, 0, 1, 1]);
  const opacity = new Float32Array([1, 0.25, 0.5, 0.75]);
  expect([...stepOpacity(opacity, 2)]).toEqual([1, 0.25, 0.25, 0.5, 0.5, 0.75]);
  expect([...stepOpacity(new Float32Array([0.5, 0.25]), 1)]).toEqual([0.5, 0.25]);
});

it("where the scale is 0 the observed value alone counts", () => {
  const distance = distances([0, 2], [2], [0]);
  expect([...distance]).toEqual([Infinity, 0]);
  for (const decay of [0.5, 1]) expect([...likelihood(distance, decay)]).toEqual([0, 1]);
});
