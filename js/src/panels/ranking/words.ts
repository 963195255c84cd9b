/** A bar in numbers and in words. */

import { type Interval, type ModelFigure, type RankedFeature, tiedWith } from "../../state/ranking.ts";
import { explanation } from "../../text/glossary.ts";
import { levelText, RANK_LABELS, sampleText, trendOf } from "../../text/metric_names.ts";
import { isNothing, number, plural } from "../../text/numbers.ts";
import { isUnordered } from "../../text/values.ts";
import type { Convention, RankBy } from "../../wire/protocol.ts";

/** Pairs of tied features that are named. */
const MOST_SPOKEN = 10;

const TYPICAL_CHANGE = explanation("mean_change").name;

/** What all bars have in common. */
export interface Scale {
  metric: RankBy;
  convention: Convention;
  /** All features, found or not. */
  of: number;
  /** The figure of a bar of full length. */
  longest: number;
  /** Several models, the open one among them, and their colours; none with one model. */
  models: readonly { name: string; color: string; isOpen: boolean }[];
  write: (value: number) => string;
}

/**
 * The sign before a figure: the direction of the curves, which levels without an order have not; none if it rounds to 0,
 * or where the figure is of two models, whose directions may differ.
 */
export function signOf(
  { kind, known, direction, value }: ModelFigure,
  { metric, write }: Scale,
): "up" | "down" | "levels" | "none" {
  if (isUnordered(kind)) return "levels";
  if (!known || metric === "disagreement") return "none";
  const isImpact = metric === "impact" || metric === "in_distribution_impact";
  if (isNothing(write(Math.abs(direction))) || (isImpact && isNothing(write(value)))) return "none";
  return direction > 0 ? "up" : direction < 0 ? "down" : "none";
}

/** The direction, or those of all models where they differ. */
function trendWords(ranked: RankedFeature, scale: Scale): string {
  const signs = (ranked.models ?? [ranked]).map((figure) => signOf(figure, scale));
  if (signs[0] === "levels") return ", has levels without an order";
  const words = signs.map((way) => (way === "up" || way === "down" ? trendOf(way, scale.convention) : "no direction"));
  if (new Set(signs).size > 1) return `, ${words.join(", ")}`;
  return signs[0] === "none" ? "" : `, ${words[0]}`;
}

/** A bar in words; `moved` is by how many ranks it is above that at the default decay. */
export function describe(ranked: RankedFeature, scale: Scale, moved: number): string {
  const { metric, of, write } = scale;
  if (!ranked.known) return `${ranked.name}, not computed yet`;
  const figures = (ranked.models ?? [ranked]).map(({ value }) => (Number.isFinite(value) ? write(value) : "undefined"));
  const change = Number.isFinite(ranked.meanChange) ? `, ${TYPICAL_CHANGE} ${number(ranked.meanChange)}` : "";
  const trend = trendWords(ranked, scale);
  const ranks = moved === 0 ? "" : `, ${moved > 0 ? "up" : "down"} ${plural(Math.abs(moved), "rank")}`;
  // The visible text comes first and unchanged, so that voice control matches it.
  return `${ranked.name}, ${figures.join(", ")} ${RANK_LABELS[metric]}${modelWords(ranked, scale)}${uncertaintyOf(ranked, write)}${trend}${change}, rank ${ranked.rank} of ${plural(of, "feature")}${ranked.mayMove ? " so far" : ""}${ranks}${tiedWords(ranked)}`;
}

/** Whose figures come before, or which models disagree most. */
function modelWords({ models, apart }: RankedFeature, { metric, models: all }: Scale): string {
  const names = all.map(({ name }) => name);
  if (metric === "disagreement" && apart !== null) return ` of ${apart.map((at) => names[at]).join(" and ")}`;
  return models === null ? "" : ` of ${names.join(", ")}`;
}

function uncertaintyOf({ draft, interval }: RankedFeature, write: (value: number) => string): string {
  if (draft === null) return interval === null ? "" : ` (${intervalText(interval, write)})`;
  return `${draft.margin === null ? "" : ` ± ${write(draft.margin)}`} (${sampleText(draft.nRows)})`;
}

const intervalText = ({ level, ends }: Interval, write: (value: number) => string): string =>
  `${levelText(level)} interval ${ends.map(write).join(" to ")}`;

function tiedWords(ranked: RankedFeature): string {
  const names = tiedWith(ranked);
  return names.length === 0 ? "" : `, tied with ${names.join(" and ")}`;
}

/** The longest of bars and ticks. */
export function longestOf(ranking: readonly RankedFeature[]): number {
  let longest = 0;
  for (const feature of ranking) {
    for (const { value, tick } of [feature, ...(feature.models ?? [])]) {
      for (const reach of [value, tick]) if (reach !== null && reach > longest) longest = reach;
    }
  }
  return longest;
}

/** Which neighbours in rank are tied, as a sentence for screen readers; empty where none are. */
export function tiesText(ranking: readonly RankedFeature[], level: number | null): string {
  const pairs = ranking.flatMap(({ name, tiedAfter }) => (tiedAfter === null ? [] : [`${name} and ${tiedAfter}`]));
  if (level === null || pairs.length === 0) return "";
  const rest = pairs.length > MOST_SPOKEN ? `; and ${plural(pairs.length - MOST_SPOKEN, "other pair")}` : "";
  return `Tied at ${levelText(level)}: ${pairs.slice(0, MOST_SPOKEN).join("; ")}${rest}.`;
}
