/** The order of the bars: which figure each feature shows at this decay, best first. */
import type { DecayProfile, ImpactTable } from "./decode.ts";
import type { FeatureKind, Header, RankBy } from "./protocol.ts";

export interface RankedFeature {
  /** Index in the header, and so in every table. */
  index: number;
  name: string;
  kind: FeatureKind;
  /** Among all features, from 1. */
  rank: number;
  /** Whether its figures are computed, defined or not. */
  known: boolean;
  /** The figure the bars are sorted by; NaN while it is not computed, and where it is undefined for such a feature. */
  value: number;
  /** How far the filled bar reaches. */
  fill: number;
  /** The undecayed impact, drawn as an outline; null where the figure does not decay. */
  outline: number | null;
  direction: number;
  effectiveN: number;
  /** Between which two figures the value lies, as far as rows drawn by lot tell; null where nobody drew any. */
  interval: [number, number] | null;
  /** Mean change of the prediction per change of category; NaN where there are none. */
  meanChange: number;
}

/** Features whose figure is undefined follow the others, and then those still unknown, in column order. */
export function rankFeatures(
  header: Header,
  impact: ImpactTable,
  profile: DecayProfile,
  decay: number,
  rankBy: RankBy,
): RankedFeature[] {
  const ranked = header.features.map(({ name, kind }, index): RankedFeature => {
    const undecayed = impact.get(index, "impact");
    const decayed = profile.inDistributionImpact(index, decay);
    const direction = impact.get(index, "direction");
    const effectiveN = profile.effectiveN(index, decay);
    const known = profile.knows(index) || Number.isFinite(undecayed);
    const meanChange = impact.get(index, "mean_change");
    const interval = intervalOf(impact, index, rankBy);
    const shared = { index, name, kind, rank: 0, known, direction, effectiveN, meanChange, interval };
    if (rankBy === "impact") return { ...shared, value: undecayed, fill: decayed, outline: undecayed };
    if (rankBy === "in_distribution_impact") return { ...shared, value: decayed, fill: decayed, outline: undecayed };
    const value = impact.get(index, rankBy);
    return { ...shared, value, fill: value, outline: null };
  });
  ranked.sort((a, b) => {
    const rank = ({ known, value }: RankedFeature) => (Number.isFinite(value) ? 0 : known ? 1 : 2);
    if (rank(a) !== rank(b) || rank(a) > 0) return rank(a) - rank(b) || a.index - b.index;
    return b.value - a.value || a.index - b.index;
  });
  for (const [place, feature] of ranked.entries()) feature.rank = place + 1;
  return ranked;
}

function intervalOf(impact: ImpactTable, index: number, rankBy: RankBy): [number, number] | null {
  const [low, high] = [impact.get(index, `${rankBy}_low`), impact.get(index, `${rankBy}_high`)];
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
}
