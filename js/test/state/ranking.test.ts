/** Figures by which features are ranked; `contract.test.ts` compares them and intervals with those of the engine. */
import { expect, test } from "vitest";
import type { Whiskers } from "../../src/state/intervals.ts";
import { rankFeatures, tiedWith } from "../../src/state/ranking.ts";
import { Reading } from "../../src/state/reading.ts";
import type { Header, RankBy } from "../../src/wire/protocol.ts";
import { DecayProfile, type Figures, ImpactTable } from "../../src/wire/tables.ts";

const header = {
  features: ["a", "b", "c"].map((name) => ({ name, n_grid: 8, n_rows: null })),
  profiles: ["in_distribution_impact", "support"],
  convention: "paper",
  prediction_sd: 4,
  models: [] as string[],
} as Header;
const impact = new ImpactTable(
  ["impact", "direction", "heterogeneity"],
  Float32Array.of(1, 1, 5, 3, -1, Number.NaN, Number.NaN, Number.NaN, Number.NaN),
);
// Two steps: at decay 0.5, a outweighs b; at decay 1, it is the other way round.
const unknown = [Number.NaN, Number.NaN];
const profile = new DecayProfile(
  header.profiles,
  3,
  { first: 0.5, step: 0.5, count: 2 },
  Float32Array.of(2, 1, 0.5, 3, ...unknown, 0.5, 1, 0.25, 1, ...unknown),
);
const ranked = (decay: number, rankBy: RankBy, changed: Partial<Figures> = {}) =>
  rankFeatures(new Reading({ header, impact, profile, ...changed }, decay), rankBy);
const names = (decay: number, rankBy: RankBy) => ranked(decay, rankBy).map(({ name }) => name);

test("the order follows the decay, without anything else", () => {
  expect(names(0.5, "in_distribution_impact")).toEqual(["a", "b", "c"]);
  expect(names(1, "in_distribution_impact")).toEqual(["b", "a", "c"]);
});

test("a bar is as long as the figure it is ranked by; where that decays, a tick marks the impact without decay", () => {
  expect(ranked(0.5, "in_distribution_impact")[1]).toMatchObject({ name: "b", value: 0.5, tick: 3, support: 0.25 });
  expect(ranked(0.5, "impact")[0]).toMatchObject({ name: "b", value: 3, tick: null });
  expect(ranked(0.5, "heterogeneity")[0]).toMatchObject({ value: 5, tick: null });
});

test("a bar is longer than its tick where curves are steeper near the observed values", () => {
  const longer = (decay: number) =>
    ranked(decay, "in_distribution_impact").flatMap(({ name, isLonger }) => (isLonger ? [name] : []));
  expect([longer(0.5), longer(1)]).toEqual([["a"], []]);
});

test.each([
  [
    [1, 0],
    ["a", null],
    [null, "b"],
  ],
  [
    [0, 1],
    ["a", null],
    [null, "b"],
  ],
  [
    [1, 2],
    [null, null],
    [null, null],
  ], // not neighbours in the ranking
] as const)("features that are tied name each other where they are neighbours in rank: %j", (tied, after, before) => {
  const ends = () => Float64Array.of(1, 2, Number.NaN);
  const body = { low: ends(), high: ends(), rank_low: ends(), rank_high: ends(), tied: [[...tied]], level: 0.9 };
  const whiskers = { state: "ready", share: 1, body } as Whiskers;
  const found = rankFeatures(new Reading({ header, impact, profile }, 0.5), "impact", whiskers);
  expect(found.map(({ name }) => name)).toEqual(["b", "a", "c"]);
  expect(found.map(({ tiedAfter }) => tiedAfter)).toEqual([...after, null]);
  expect(found.map(({ tiedBefore }) => tiedBefore)).toEqual([...before, null]);
  expect(found.map(tiedWith)).toEqual([after[0] === null ? [] : ["a"], before[1] === null ? [] : ["b"], []]);
});

test("a figure that is undefined for a feature follows the others, and comes before what is still to be computed", () => {
  const undefinedForB = ranked(0.5, "heterogeneity");
  expect(undefinedForB.map(({ name, known }) => [name, known])).toEqual([
    ["a", true],
    ["b", true],
    ["c", false],
  ]);
  expect(undefinedForB[1]!.value).toBeNaN();
});
