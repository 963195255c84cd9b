/** The axis by rank, which unfolds skewed numbers. */
import { expect, test } from "vitest";
import { featureScale, isByRank } from "../../src/plot/feature_scale.ts";

const of = (observed: number[], kind: "numeric" | "datetime" = "numeric") => ({
  kind,
  observed: Float64Array.from(observed),
  grid: Float64Array.from(new Set(observed)).sort(),
});
const even = of(Array.from({ length: 101 }, (_, k) => k));
/** Prices: nine in ten below 100, the last one at 100,000. */
const skewed = of([
  ...Array.from({ length: 90 }, (_, k) => k + 1),
  ...Array.from({ length: 10 }, (_, k) => 10_000 * (k + 1)),
]);

test("it is chosen where more than 80 % of rows lie in less than 15 % of the axis, unless a reader chose otherwise", () => {
  expect([isByRank(even, "auto"), isByRank(skewed, "auto")]).toEqual([false, true]);
  expect([isByRank(even, "rank"), isByRank(skewed, "value")]).toEqual([true, false]);
  expect(isByRank({ ...skewed, kind: "datetime" }, "rank")).toBe(false);
});

test("neighbouring values are equally far apart, and places are those of values again", () => {
  const scale = featureScale(skewed, [0, 99], "auto");
  expect([scale(1), scale(2), scale(90), scale(10_000), scale(100_000)]).toEqual([0, 1, 89, 90, 99]);
  for (const at of [0, 0.25, 17.5, 89.5, 99]) expect(scale(scale.invert(at))).toBeCloseTo(at, 9);
});

test("ticks are round, increase, and are spread over the axis", () => {
  const scale = featureScale(skewed, [0, 990], "auto");
  const ticks = scale.ticks(6);
  expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
  expect(ticks.length).toBeGreaterThanOrEqual(5);
  expect(ticks.every(Number.isInteger)).toBe(true);
  expect(Math.max(...ticks.slice(1).map((tick, k) => scale(tick) - scale(ticks[k]!)))).toBeLessThan(250);
});
