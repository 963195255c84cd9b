/** The order of the bars: which figure each feature shows at this decay, best first. */

import type { FeatureKind, RankBy } from "../wire/protocol.ts";
import type { Figures } from "../wire/tables.ts";
import type { Whiskers } from "./intervals.ts";
import { mostApart } from "./models.ts";
import type { Reading } from "./reading.ts";

/** Where a figure, and the rank by it, would be with other rows, at a level such as 0.95. */
export interface Interval {
  level: number;
  ends: [number, number];
  ranks: [number, number];
}

/** A figure that rests on a sample of the rows. */
export interface Draft {
  nRows: number;
  /** 1.96 standard errors; null where they are not known. */
  margin: number | null;
}

/** The figure of one of several models, its direction, and its rank by it. */
export type ModelFigure = Pick<RankedFeature, "kind" | "known" | "value" | "tick" | "direction" | "rank">;

/** By how much a bar that is longer than its tick is so: more than single precision rounds to, and seen. */
const LEAST_LONGER = 1e-3;

export interface RankedFeature {
  /** Index in the header, and so in every table. */
  index: number;
  name: string;
  kind: FeatureKind;
  /** Among all features, from 1. */
  rank: number;
  /** Whether its figures are computed, defined or not. */
  known: boolean;
  /** How long its bar is, which the bars are sorted by; NaN while it is not computed, and where it is undefined. */
  value: number;
  /** Impact without decay, in a ranking by in-distribution impact; null in any other. */
  tick: number | null;
  /** Whether the bar is longer than its tick: curves are steeper near the observed values. */
  isLonger: boolean;
  direction: number;
  /** Share of the weight that the decay keeps. */
  support: number;
  /** Null where the figure rests on all rows, or is not known. */
  draft: Draft | null;
  /** Whether its rank may be another once all figures rest on all rows: those of samples may have fewer grid values, too. */
  mayMove: boolean;
  /** The interval of the figure over other samples of rows; null without one. */
  interval: Interval | null;
  /** The neighbour in rank that the feature is tied with, before it and after it; null where there is none. */
  tiedBefore: string | null;
  tiedAfter: string | null;
  /** Mean change of the prediction per change of category; NaN where there are none. */
  meanChange: number;
  /** The figures of all models, in their order; null with one model, and of what all of them share. */
  models: readonly ModelFigure[] | null;
  /** Places of the two models that disagree most; null with one model. */
  apart: [number, number] | null;
}

/** The standard normal quantile of 97.5 %. */
const Z = 1.96;

/**
 * Features whose figure is undefined follow the others, and then those still unknown, in column order. `ofModels` reads
 * the figures of each of several models.
 */
export function rankFeatures(
  reading: Reading,
  rankBy: RankBy,
  whiskers: Whiskers = null,
  ofModels: readonly Reading[] = [],
): RankedFeature[] {
  const { header } = reading.figures;
  const mayMove = header.features.some(({ n_rows }) => n_rows !== null);
  const ranked = header.features.map(({ name, kind }, index): RankedFeature => {
    const of = (metric: string) => reading.get(index, metric);
    const undecayed = of("impact");
    const value = of(rankBy);
    const tick = rankBy === "in_distribution_impact" ? undecayed : null;
    return {
      index,
      name,
      kind,
      rank: 0,
      known: isKnown(reading.figures, index),
      value,
      tick,
      isLonger: tick !== null && value > tick * (1 + LEAST_LONGER),
      direction: of("direction"),
      support: of("support"),
      draft: draftOf(reading, index, rankBy),
      mayMove,
      interval: intervalOf(whiskers, index),
      tiedBefore: null,
      tiedAfter: null,
      meanChange: of("mean_change"),
      models: null,
      apart: mostApart(reading, index),
    };
  });
  ranked.sort((a, b) => {
    const rank = ({ known, value }: RankedFeature) => (Number.isFinite(value) ? 0 : known ? 1 : 2);
    if (rank(a) !== rank(b) || rank(a) > 0) return rank(a) - rank(b) || a.index - b.index;
    return b.value - a.value || a.index - b.index;
  });
  for (const [place, feature] of ranked.entries()) feature.rank = place + 1;
  if (whiskers?.state === "ready") markTies(ranked, whiskers.body.tied);
  if (ofModels.length > 0 && rankBy !== "disagreement") markModels(ranked, rankBy, ofModels);
  return ranked;
}

/** Whether any figure of a feature is known. */
export const isKnown = ({ impact, profile }: Figures, index: number): boolean =>
  profile.knows(index) || Number.isFinite(impact.get(index, "impact"));

function draftOf(reading: Reading, index: number, rankBy: RankBy): Draft | null {
  const nRows = reading.figures.header.features[index]!.n_rows;
  if (nRows === null) return null;
  return { nRows, margin: marginOf(reading, index, rankBy) };
}

/** Half the length of the whisker of a figure that rests on a sample; null where that is not known. */
export function marginOf(reading: Reading, index: number, metric: string): number | null {
  const error = reading.error(index, metric);
  return Number.isFinite(error) ? Z * error : null;
}

/** The ends of the whisker of a bar: no figure that bars have is negative. Null where it has none. */
export function whiskerOf({ value, draft, interval }: RankedFeature): [number, number] | null {
  if (draft === null) return interval?.ends ?? null;
  return draft.margin === null ? null : [Math.max(0, value - draft.margin), value + draft.margin];
}

function markModels(ranked: RankedFeature[], rankBy: RankBy, ofModels: readonly Reading[]): void {
  const rankings = ofModels.map((reading) => new Map(rankFeatures(reading, rankBy).map((each) => [each.index, each])));
  for (const feature of ranked) feature.models = rankings.map((figures) => figures.get(feature.index)!);
}

function intervalOf(whiskers: Whiskers, index: number): Interval | null {
  if (whiskers?.state !== "ready") return null;
  const { level, low, high, rank_low: rankLow, rank_high: rankHigh } = whiskers.body;
  const ends: [number, number] = [low[index]!, high[index]!];
  if (!ends.every(Number.isFinite)) return null;
  return { level, ends, ranks: [rankLow[index]!, rankHigh[index]!] };
}

/** Rounding to four bytes may have turned neighbours round. */
function markTies(ranked: RankedFeature[], tied: readonly [number, number][]): void {
  const places = new Map(ranked.map(({ index }, place) => [index, place]));
  for (const [one, other] of tied) {
    const [a, b] = [places.get(one) ?? Number.NaN, places.get(other) ?? Number.NaN];
    if (Math.abs(a - b) !== 1) continue;
    const [before, after] = [ranked[Math.min(a, b)]!, ranked[Math.max(a, b)]!];
    before.tiedAfter = after.name;
    after.tiedBefore = before.name;
  }
}

/** Names of the neighbours in rank that a feature is tied with. */
export const tiedWith = ({ tiedBefore, tiedAfter }: RankedFeature): string[] =>
  [tiedBefore, tiedAfter].filter((name) => name !== null);
