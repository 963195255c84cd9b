import { expect, test } from "vitest";
import { DecayProfile, ImpactTable } from "../src/decode.ts";
import type { Header } from "../src/protocol.ts";
import { rankFeatures } from "../src/ranking.ts";

const header = { features: [{ name: "a" }, { name: "b" }, { name: "c" }] } as Header;
const impact = new ImpactTable(
  ["impact", "direction", "heterogeneity"],
  Float32Array.of(1, 1, 5, 3, -1, Number.NaN, Number.NaN, Number.NaN, Number.NaN),
);
// Two steps: at decay 0.5, a outweighs b; at decay 1, it is the other way round.
const profile = new DecayProfile(
  3,
  { first: 0.5, step: 0.5, count: 2 },
  Float32Array.of(2, 1, 0.5, 3, Number.NaN, Number.NaN, 10, 20, 10, 20, Number.NaN, Number.NaN),
);
const names = (decay: number, rankBy: Parameters<typeof rankFeatures>[4]) =>
  rankFeatures(header, impact, profile, decay, rankBy).map(({ name }) => name);

test("the order follows the decay, without anything else", () => {
  expect(names(0.5, "in_distribution_impact")).toEqual(["a", "b", "c"]);
  expect(names(1, "in_distribution_impact")).toEqual(["b", "a", "c"]);
});

test("impact does not depend on the decay, but its bar shows what decay leaves of it", () => {
  const [first] = rankFeatures(header, impact, profile, 0.5, "impact");
  expect(first).toMatchObject({ name: "b", value: 3, fill: 0.5, outline: 3, effectiveN: 10 });
});

test("each feature knows its rank among all", () => {
  expect(rankFeatures(header, impact, profile, 1, "impact").map(({ name, rank }) => [rank, name])).toEqual([
    [1, "b"],
    [2, "a"],
    [3, "c"],
  ]);
});

test("a figure lies between two others where the table has them, and only for that figure", () => {
  const withEnds = new ImpactTable(
    ["impact", "direction", "heterogeneity", "impact_low", "impact_high"],
    Float32Array.of(1, 1, 5, 0.5, 1.5, 3, -1, 2, Number.NaN, Number.NaN, 2, 1, 1, 1, 4),
  );
  const intervals = (rankBy: Parameters<typeof rankFeatures>[4]) =>
    rankFeatures(header, withEnds, profile, 0.5, rankBy).map(({ name, interval }) => [name, interval]);
  expect(intervals("impact")).toEqual([
    ["b", null],
    ["c", [1, 4]],
    ["a", [0.5, 1.5]],
  ]);
  expect(intervals("in_distribution_impact").every(([, interval]) => interval === null)).toBe(true);
});

test("features that are not computed yet come last, in the order of the columns", () => {
  expect(names(0.5, "heterogeneity")).toEqual(["a", "b", "c"]);
});

test("metrics without decay have no outline", () => {
  expect(rankFeatures(header, impact, profile, 0.5, "heterogeneity")[0]).toMatchObject({ fill: 5, outline: null });
});

test("a figure that is undefined for a feature follows the others, and comes before what is still to be computed", () => {
  const undefinedForB = rankFeatures(header, impact, profile, 0.5, "heterogeneity");
  expect(undefinedForB.map(({ name, known }) => [name, known])).toEqual([
    ["a", true],
    ["b", true],
    ["c", false],
  ]);
  expect(undefinedForB[1]!.value).toBeNaN();
});
