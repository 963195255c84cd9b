/** Impact and another measure of importance, as shares of 100 each. The twin of `scene/importance.py`. */
import { rank } from "d3-array";
import type { Reading } from "../../store/reading.ts";
import type { ImportanceBody, Measure, RankBy } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";
import { RANK_LABELS } from "../../words/metric_names.ts";

/** From this number of features on, correlations are written. */
const FEWEST = 3;

export interface Shares {
  impactTerm: "impact" | "in_distribution_impact";
  term: ReturnType<typeof termOf>;
  /** By the index of the feature; NaN where undefined. */
  impact: number[];
  importance: number[];
  /** In the unit of the measure. */
  plain: number[];
  correlations: { pearson: number; rank: number } | null;
  /** The index of the feature whose shares differ most; null where there is none. */
  farthest: number | null;
}

/** The term of a measure in the glossary. */
export const termOf = (measure: Measure, areCoefficients = false) =>
  measure === "native" && areCoefficients ? "importance_coefficients" : (`importance_${measure}` as const);

export function sharesOf(reading: Reading, rankBy: RankBy, body: ImportanceBody): Shares {
  const { features } = reading.figures.header;
  const impactTerm = rankBy === "in_distribution_impact" ? rankBy : "impact";
  const byName = new Map(body.features.map(({ feature, importance }) => [feature, importance]));
  const plain = features.map(({ name }) => byName.get(name) ?? Number.NaN);
  const [impact, importance] = [ofHundred(features.map((_, at) => reading.get(at, impactTerm))), ofHundred(plain)];
  const known = features.flatMap((_, at) => (Number.isNaN(impact[at]! + importance[at]!) ? [] : [at]));
  const away = (at: number): number => Math.abs(impact[at]! - importance[at]!);
  return {
    impactTerm,
    term: termOf(body.measure, body.are_coefficients),
    impact,
    importance,
    plain,
    correlations:
      known.length < FEWEST
        ? null
        : pearsonAndRank(
            known.map((at) => impact[at]!),
            known.map((at) => importance[at]!),
          ),
    farthest: known.reduce<number | null>((far, at) => (far === null || away(at) > away(far) ? at : far), null),
  };
}

/** Shares with sum 100; negative values have none. */
function ofHundred(values: readonly number[]): number[] {
  const positive = values.map((value) => (value < 0 ? 0 : value));
  const total = positive.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  return total === 0 ? positive : positive.map((value) => (100 * value) / total);
}

/** Both correlations; null where one of the two is constant. */
export function pearsonAndRank(one: readonly number[], other: readonly number[]): Shares["correlations"] {
  const pearson = correlation(one, other);
  return Number.isNaN(pearson) ? null : { pearson, rank: correlation(ranks(one), ranks(other)) };
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [centred(one), centred(other)];
  const dot = (p: readonly number[], q: readonly number[]) => p.reduce((sum, value, at) => sum + value * q[at]!, 0);
  const isConstant = (values: readonly number[]) => values.every((value) => value === values[0]);
  return isConstant(one) || isConstant(other) ? Number.NaN : dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

/** Equal values have their mean rank. */
function ranks(values: readonly number[]): number[] {
  const lowest = rank(values as number[]);
  const counts = new Map<number, number>();
  for (const place of lowest) counts.set(place, (counts.get(place) ?? 0) + 1);
  return Array.from(lowest, (place) => place + (counts.get(place)! - 1) / 2);
}

export const shareText = (share: number): string => `${share.toFixed(1)}\u00a0%`;

/** How far both agree, and which feature differs most, in the words of saved figures. */
export function sentenceOf(shares: Shares, nameOf: (index: number) => string): string {
  const { correlations, farthest, impact, importance } = shares;
  if (farthest === null) return "";
  const [across, up] = [RANK_LABELS[shares.impactTerm], explanation(shares.term).name];
  const difference =
    `Largest difference: ${nameOf(farthest)}, ${shareText(impact[farthest]!)} of ${across}, ` +
    `${shareText(importance[farthest]!)} of ${up}.`;
  if (correlations === null) return difference;
  const text = (value: number): string => value.toFixed(2).replace("-", "\u2212");
  const { pearson, rank } = correlations;
  return `Correlation with ${across}: Pearson ${text(pearson)}, rank ${text(rank)}. ${difference}`;
}
