import { describe, expect, test } from "vitest";
import type { Whiskers } from "../../src/store/intervals.ts";
import { rankFeatures, tiedWith } from "../../src/store/ranking.ts";
import { Reading } from "../../src/store/reading.ts";
import type { Figures, Intervals } from "../../src/wire/decode.ts";
import { DecayProfile, ImpactTable } from "../../src/wire/decode.ts";
import type { Header, RankBy, Unit } from "../../src/wire/protocol.ts";

const header = {
  features: ["a", "b", "c"].map((name) => ({ name, n_grid: 8, n_rows: null })),
  profiles: ["in_distribution_impact", "support", "stable_in_distribution_impact"],
  convention: "equations",
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
  Float32Array.of(2, 1, 0.5, 3, ...unknown, 0.5, 1, 0.25, 1, ...unknown, 1, 1, 0.75, 1, ...unknown),
);
const ranked = (decay: number, rankBy: RankBy, changed: Partial<Figures> = {}, unit: Unit = "prediction") =>
  rankFeatures(new Reading({ header, impact, profile, ...changed }, decay, unit), rankBy);
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

test("a bar is longer than its tick where curves are steeper near the observed values, or of shares by share", () => {
  const longer = (decay: number, unit: Unit) =>
    ranked(decay, "in_distribution_impact", {}, unit).map(({ name, longer }) => [name, longer]);
  expect(longer(0.5, "prediction").slice(0, 2)).toEqual([
    ["a", "steeper"],
    ["b", null],
  ]);
  expect(longer(1, "prediction").every(([, reason]) => reason === null)).toBe(true);
  const alike = new ImpactTable(["impact"], Float32Array.of(2, 3, Number.NaN));
  const shares = ranked(0.5, "in_distribution_impact", { impact: alike }, "share");
  expect(shares.map(({ name, longer }) => [name, longer])).toEqual([
    ["a", "share"],
    ["b", null],
    ["c", null],
  ]);
});

test("each feature knows its rank among all", () => {
  expect(ranked(1, "impact").map(({ name, rank }) => [rank, name])).toEqual([
    [1, "b"],
    [2, "a"],
    [3, "c"],
  ]);
});

describe("intervals", () => {
  const undefinedEnd = Number.NaN;
  const intervals: Intervals & { level: number } = {
    low: Float64Array.of(0.5, 2, undefinedEnd),
    high: Float64Array.of(1.5, 4, undefinedEnd),
    rankLow: Float64Array.of(1, 1, undefinedEnd),
    rankHigh: Float64Array.of(2, 2, undefinedEnd),
    tied: [[1, 0]],
    level: 0.9,
  };
  const shown = (whiskers: Whiskers) =>
    rankFeatures(new Reading({ header, impact, profile }, 0.5, "prediction"), "impact", whiskers);

  test("belong to their features, and a feature without one has none", () => {
    const found = shown({ state: "ready", share: 1, body: intervals }).map(({ name, interval }) => [name, interval]);
    expect(found).toEqual([
      ["b", { level: 0.9, ends: [2, 4], ranks: [1, 2] }],
      ["a", { level: 0.9, ends: [0.5, 1.5], ranks: [1, 2] }],
      ["c", null],
    ]);
  });

  test("tie neighbours in rank, whichever of them is named first", () => {
    for (const tied of [
      [1, 0],
      [0, 1],
    ] as [number, number][]) {
      const found = shown({ state: "ready", share: 1, body: { ...intervals, tied: [tied] } });
      expect(found.map(({ tiedBefore, tiedAfter }) => [tiedBefore, tiedAfter])).toEqual([
        [null, "a"],
        ["b", null],
        [null, null],
      ]);
      expect(found.map(tiedWith)).toEqual([["a"], ["b"], []]);
    }
  });

  test("tie no features that are apart in the ranking", () => {
    const found = shown({ state: "ready", share: 1, body: { ...intervals, tied: [[1, 2]] } });
    expect(found.flatMap(tiedWith)).toEqual([]);
  });

  test("are absent while they are computed, and where they were refused", () => {
    for (const whiskers of [
      null,
      { state: "computing", share: 1 / 3, body: null },
      { state: "error", share: 0, body: null, message: "No." },
    ] as const) {
      expect(shown(whiskers).every(({ interval }) => interval === null)).toBe(true);
    }
  });
});

test("features that are not computed yet come last, in the order of the columns", () => {
  expect(names(0.5, "heterogeneity")).toEqual(["a", "b", "c"]);
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

test("in per cent of the predictions’ standard deviation every effect is divided by it, and its sign stays", () => {
  const [a, b] = ranked(0.5, "in_distribution_impact", {}, "sd");
  expect([b!.value, b!.tick, b!.direction, b!.support]).toEqual([12.5, 75, -25, 0.25]);
  expect([a!.value, a!.tick]).toEqual([50, 25]);
});

test("shares are of the features that are known, each figure of its own total", () => {
  const shares = ranked(0.5, "in_distribution_impact", {}, "share");
  expect(shares.map(({ value }) => value)).toEqual([80, 20, Number.NaN]);
  expect(shares.map(({ tick }) => tick)).toEqual([25, 75, Number.NaN]);
  expect(shares.map(({ direction }) => direction)).toEqual([50, -50, Number.NaN]);
});

test("shares of nothing but rounding errors are 0", () => {
  const flat = new ImpactTable(["impact", "heterogeneity"], Float32Array.of(1, 2e-17, 3, -1e-17, 0, Number.NaN));
  expect(ranked(1, "heterogeneity", { impact: flat }, "share").map(({ value }) => Math.abs(value))).toEqual([
    0,
    0,
    Number.NaN,
  ]);
});

test("a figure of at least five values that is far from that evenly along the axis comes with both", () => {
  const farOff = (decay: number, changed: Partial<Figures> = {}) =>
    ranked(decay, "in_distribution_impact", changed, "share").map((feature) => [feature.name, feature.farOff]);
  // Twice is not more than twice.
  expect(farOff(0.5)).toEqual([
    ["a", null],
    ["b", null],
    ["c", null],
  ]);
  expect(farOff(1)).toEqual([
    ["b", { figure: 3, even: 1 }],
    ["a", null],
    ["c", null],
  ]);
  const few = { ...header, features: header.features.map((feature) => ({ ...feature, n_grid: 4 })) };
  expect(farOff(1, { header: few })[0]).toEqual(["b", null]);
});
