/** What the kernel really sends, written down by Python's tests, means here what it means there. */
import { describe, expect, test } from "vitest";
import { aleLine } from "../src/plot/effects.ts";
import { distances, likelihood } from "../src/plot/geometry/likelihood.ts";
import { sceneOf, standIns } from "../src/plot/scene.ts";
import { shareOfLine } from "../src/state/curves.ts";
import { rankFeatures } from "../src/state/ranking.ts";
import { Reading } from "../src/state/reading.ts";
import { splitColors } from "../src/state/two_sides.ts";
import { largestChange } from "../src/state/what_if.ts";
import { rampWriter, writerOf } from "../src/text/values.ts";
import type * as wire from "../src/wire/protocol.ts";
import { PROTOCOL_VERSION } from "../src/wire/protocol.ts";
import { decodeImpact, decodeProfile } from "../src/wire/tables.ts";
import { bytes, load, type Reply, repliesTo } from "./replies.ts";

type Known = number | null;
type CurvesMeans = Record<"rows" | "predictions" | "likelihood" | "curves" | "partial_dependence", number[]>;
type CurvesReply = Reply<
  wire.CurvesBody,
  CurvesMeans & { observed: (string | null)[]; grid: string[]; missing: number[] | null; target: Known[] | null }
>;
type ClassesReply = Reply<wire.ClassesBody, { rows: number[]; curves: number[][] }>;
type ColorsReply = Reply<wire.ColorsBody, { values: (string | null)[] }>;
type EffectsReply = Reply<
  wire.EffectsBody,
  { grid: string[]; ale: number[]; drawn: Record<string, Partial<Record<"ale", Known[]>>> }
>;
type UnlikeMeans = { shares: number[]; share: number; flags: number[][]; curve_shares: number[] };
type UnlikeReply = Reply<wire.UnlikeBody, UnlikeMeans> & { request: { positions: number[] } };
type CorrelatedReply = Reply<wire.CorrelatedBody, Record<string, number>>;
type TwoWayReply = Reply<
  wire.TwoWayBody,
  { partial_dependence: number[]; near: number[]; grids: [string[], string[]] }
>;
type InteractionsReply = Reply<wire.InteractionsBody, Record<"features" | "pairs", Record<string, number>>>;
type DriversReply = Reply<wire.DriversBody, { upper: Record<string, number[] | null> }>;
type Ends = Record<string, [Known, Known]>;
type IntervalsReply = Reply<wire.IntervalsBody, { ends: Ends; ranks: Ends; tied: [string, string][] }> & {
  request: { rank_by: wire.RankBy; level: number; decay: number };
};
/** By decay, feature and metric. */
type Table = Record<string, Record<string, Record<string, Known>>>;
interface Contract {
  header: wire.Header;
  impact: [string];
  profile: [string];
  table: Table;
  /** The first feature rests on a sample, the second on all rows, and of the others nothing is known. */
  draft: {
    status: wire.Status;
    header: wire.Header;
    impact: [string];
    profile: [string];
    errors: Record<string, Known>;
    decayed: Record<string, number>;
  };
}

const contract = load<Contract>("explorer");
const all = (values: ArrayLike<number>, shift = 0): number[] => Array.from(values, (value) => value + shift);

function expectClose(got: number[], wanted: number[], within: number): void {
  expect(got.length).toBe(wanted.length);
  const worst = Math.max(0, ...got.map((value, z) => Math.abs(value - wanted[z]!)));
  expect(worst).toBeLessThanOrEqual(within);
}

function expectFigure(got: number, wanted: Known, what: string): void {
  if (wanted === null) expect(got, what).toBeNaN();
  else expect(got, what).toBeCloseTo(wanted, 5);
}

test("the largest change of a feature within reach is that of the kernel, at every decay", () => {
  const [reply] = repliesTo<Reply<wire.WhatIfBody, { changes: Record<string, Record<string, number>> }>>("what_if");
  for (const [decay, changes] of Object.entries(reply!.means.changes)) {
    for (const moves of reply!.body.features) {
      expect(largestChange(moves, Number(decay))?.change ?? 0).toBeCloseTo(changes[moves.feature]!, 9);
    }
  }
});

test("kernel and browser speak the same protocol", () => {
  expect(contract.header.protocol).toBe(PROTOCOL_VERSION);
});

test("the tables hold each figure of the engine at its place", () => {
  const { header, table } = contract;
  const impact = decodeImpact(header, bytes(contract.impact[0]));
  const profile = decodeProfile(header, bytes(contract.profile[0]));
  for (const [at, { name }] of header.features.entries()) {
    for (const metric of header.metrics) {
      expectFigure(impact.get(at, metric), table["1.0"]![name]![metric]!, `${metric} of ${name}`);
    }
    for (const [decay, figures] of Object.entries(table)) {
      expect(profile.estimated(Number(decay))).toBe(false);
      for (const metric of header.profiles) {
        expectFigure(profile.get(metric, at, Number(decay)), figures[name]![metric]!, metric);
      }
    }
  }
});

const figures = {
  header: contract.header,
  impact: decodeImpact(contract.header, bytes(contract.impact[0])),
  profile: decodeProfile(contract.header, bytes(contract.profile[0])),
};

test("a sample has its rows and its standard errors, and exact figures have neither", () => {
  const { draft } = contract;
  const { header } = draft;
  const drafted = {
    header,
    impact: decodeImpact(header, bytes(draft.impact[0])),
    profile: decodeProfile(header, bytes(draft.profile[0])),
  };
  expect(header.features.slice(0, 3).map(({ n_rows }) => n_rows)).toEqual([draft.status.n_rows, null, null]);
  const error = (decay: number, name: string, at = 0) => new Reading(drafted, decay).error(at, name);
  for (const [name, wanted] of Object.entries(draft.errors)) expectFigure(error(1, name), wanted, name);
  for (const [decay, wanted] of Object.entries(draft.decayed)) {
    expectFigure(error(Number(decay), "in_distribution_impact"), wanted, decay);
    expect(error(Number(decay), "in_distribution_impact", 1)).toBeNaN();
  }
});

describe.each(repliesTo<CurvesReply>("curves"))("the curves of $request.feature", ({ body: curves, means }) => {
  test("are those of the rows they name", () => {
    expect(all(curves.positions)).toEqual(means.rows);
    const write = writerOf(curves);
    expect(all(curves.observed).map((value) => (Number.isNaN(value) ? null : write(value)))).toEqual(means.observed);
    expect(all(curves.grid).map(write)).toEqual(means.grid);
  });

  test("come back to seven digits of their spread, not of their size", () => {
    expectClose(all(curves.values, curves.offset), means.curves, 1e-5);
    expectClose(all(curves.predictions, curves.offset), means.predictions, 1e-5);
    expectClose(all(curves.partial_dependence, curves.offset), means.partial_dependence, 1e-5);
    if (means.missing === null) expect(curves.missing).toBeNull();
    else expectClose(all(curves.missing!.values, curves.offset), means.missing, 1e-5);
  });

  test("come with what was observed of their rows", () => {
    const target = curves.target === null ? null : all(curves.target);
    expect(target?.map((value) => (Number.isNaN(value) ? null : value)) ?? null).toEqual(means.target);
  });

  test("fade as the engine weighs them", () => {
    const { grid, likelihood_scale: likelihoodScale } = curves;
    const far = curves.distances ?? distances(grid, standIns(curves), likelihoodScale);
    expectClose(all(likelihood(far, 0.5)), means.likelihood, 1e-6);
  });
});

describe.each(repliesTo<EffectsReply>("effects"))("the effects of $request.feature", ({ body: effects, means }) => {
  const { body: curves } = repliesTo<CurvesReply>("curves").find(({ body }) => body.feature === effects.feature)!;

  test("are those of the engine", () => {
    expect(all(effects.grid).map(writerOf(curves))).toEqual(means.grid);
    expectClose(all(effects.ale), means.ale, 1e-5);
  });

  test.each(Object.entries(means.drawn))("are drawn as in figures: %s", (drawnAs, wanted) => {
    const [kind, anchor] = drawnAs.split(" ") as [wire.Kind, string];
    const scene = sceneOf(curves, kind, anchor === "41.5" ? 41.5 : (anchor as wire.Anchor));
    const line = aleLine(scene, effects);
    if (line === null) return expect(wanted.ale).toBeUndefined();
    const got = all(line.values, scene.base).map((value) => (Number.isNaN(value) ? null : value));
    expect(got.map((value) => value === null)).toEqual(wanted.ale!.map((value) => value === null));
    expectClose(
      got.map((value) => value ?? 0),
      wanted.ale!.map((value) => value ?? 0),
      1e-4,
    );
  });
});

test.each(repliesTo<UnlikeReply>("unlike"))("unlike values of $request.feature are the engine's", (reply) => {
  const { positions } = reply.request;
  const unlike = { ...reply.body, positions: Uint32Array.from(positions) };
  const { shares, summary } = unlike;
  expect(Array.from(unlike.flags)).toEqual(reply.means.flags.flat());
  const curveShares = positions.map((_, line) => shareOfLine(unlike, line));
  for (const [line, share] of curveShares.entries()) expect(share).toBeCloseTo(reply.means.curve_shares[line]!, 9);
  expectClose(all(shares), reply.means.shares, 1e-6);
  expect(reply.body.share).toBeCloseTo(reply.means.share, 9);
  expect(summary).toContain(reply.body.feature);
});

test.each(repliesTo<CorrelatedReply>("correlated"))("correlations with $request.feature are the engine's", (reply) => {
  const { items, lead } = reply.body;
  for (const { column, correlation } of items) expect(correlation).toBeCloseTo(reply.means[column]!, 9);
  const isStrong = Object.values(reply.means).some((value) => Math.abs(value) >= 0.5);
  expect([items.length > 0, lead === "Varies with"]).toEqual([isStrong, isStrong]);
});

test.each(repliesTo<ClassesReply>("classes"))("every class has its own curves", ({ body: classes, means }) => {
  expect(classes.outputs).toEqual(["0", "1"]);
  expect([classes.explained, classes.n_outputs]).toEqual([1, 2]);
  expect(all(classes.positions)).toEqual(means.rows);
  for (const [at, curves] of means.curves.entries()) {
    const shift = classes.offsets[at]!;
    expectClose(all(classes.values[at]!, shift), curves, 1e-5);
    const columns = Array.from(classes.grid, (_, point) => curves.filter((_, z) => z % classes.n_grid === point));
    const expected = columns.map((column) => column.reduce((sum, value) => sum + value / column.length, 0));
    expectClose(all(classes.means[at]!, shift), expected, 1e-5);
  }
});

test.each(repliesTo<TwoWayReply>("two_way"))("the heat map of $request is that of the engine", (reply) => {
  const { means } = reply;
  const twoWay = reply.body.two_way!;
  expectClose(all(twoWay.values), means.partial_dependence, 1e-5);
  expect(all(twoWay.near)).toEqual(means.near);
  const written = [twoWay.first, twoWay.second].map((axis) => all(axis.grid).map(writerOf(axis)));
  expect(written.map(lowercase)).toEqual(means.grids.map(lowercase));
});

const lowercase = (texts: string[]): string[] => texts.map((text) => text.toLowerCase());

test("interactions are those of the engine, the largest first", () => {
  const [{ body, means }] = repliesTo<InteractionsReply>("interactions") as [InteractionsReply];
  expect(Object.fromEntries(body.features.map(({ feature, h2 }) => [feature, h2]))).toEqual(means.features);
  expect(Object.fromEntries(body.pairs.map(({ first, second, h2 }) => [`${first} × ${second}`, h2]))).toEqual(
    means.pairs,
  );
  const sizes = body.pairs.map(({ effect }) => effect);
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
});

test.each(repliesTo<ColorsReply>("colors"))(
  "the colours by $request.column are its values",
  ({ body: { scale, values }, means }) => {
    const write =
      scale.kind === "continuous" ? rampWriter(scale) : (value: number) => scale.levels[value]!.toLowerCase();
    const read = Array.from(values, (value) => (Number.isNaN(value) ? null : write(value)));
    expect(read).toEqual(
      means.values.map((value) => (scale.kind === "continuous" ? value : (value?.toLowerCase() ?? null))),
    );
  },
);

test.each(repliesTo<IntervalsReply>("intervals"))(
  "the intervals of the $request.rank_by are those of the engine's table, and brackets join tied neighbours",
  ({ request, body, means }) => {
    const { rank_by: rankBy, level, decay } = request;
    const whiskers = { state: "ready", share: 1, body: { level, ...body.intervals! } } as const;
    const ranking = rankFeatures(new Reading(figures, decay), rankBy, whiskers);
    for (const { name, interval } of ranking) {
      const [ends, ranks] = [means.ends[name]!, means.ranks[name]!];
      if (ends[0] === null) expect(interval, name).toBeNull();
      else expect(interval, name).toEqual({ level, ends, ranks });
    }
    const joined = ranking.flatMap(({ name, tiedAfter }) => (tiedAfter === null ? [] : [[name, tiedAfter]]));
    expect(joined).toEqual(means.tied);
  },
);

test.each(repliesTo<DriversReply>("drivers"))(
  "the drivers of $request.feature part the rows as the engine does",
  (reply) => {
    const colors = (column: string) =>
      repliesTo<ColorsReply>("colors").findLast(({ body }) => body.scale.column === column)!.body;
    for (const driver of reply.body.drivers) {
      const upper = reply.means.upper[driver.column]!;
      const { scale, values } = splitColors(colors(driver.column), driver);
      expect(scale, driver.column).toMatchObject({ levels: expect.arrayContaining(driver.sides) });
      const above = Array.from(values.entries()).flatMap(([row, side]) => (side === 1 ? [row] : []));
      expect(above, driver.rule).toEqual(upper);
      expect(driver.sides).toContain(driver.rule.replace(/,? or missing$/, ""));
    }
    expect(reply.body.drivers.length).toBeGreaterThan(4);
  },
);
