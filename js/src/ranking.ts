/** The order of the bars: which figure each feature shows at this decay, best first. */
import type { DecayProfile, ImpactTable } from "./decode.ts";
import type { Header, RankBy } from "./protocol.ts";

export interface RankedFeature {
  /** Index in the header, and so in every table. */
  index: number;
  name: string;
  /** The figure the bars are sorted by; NaN while it is not computed. */
  value: number;
  /** How far the filled bar reaches. */
  fill: number;
  /** The undecayed impact, drawn as an outline; null where the figure does not decay. */
  outline: number | null;
  direction: number;
  effectiveN: number;
}

/** Features whose figure is still unknown follow the known ones, in column order. */
export function rankFeatures(
  header: Header,
  impact: ImpactTable,
  profile: DecayProfile,
  decay: number,
  rankBy: RankBy,
): RankedFeature[] {
  const ranked = header.features.map(({ name }, index): RankedFeature => {
    const undecayed = impact.get(index, "impact");
    const decayed = profile.inDistributionImpact(index, decay);
    const direction = impact.get(index, "direction");
    const effectiveN = profile.effectiveN(index, decay);
    const shared = { index, name, direction, effectiveN };
    if (rankBy === "impact") return { ...shared, value: undecayed, fill: decayed, outline: undecayed };
    if (rankBy === "in_distribution_impact") return { ...shared, value: decayed, fill: decayed, outline: undecayed };
    const value = impact.get(index, rankBy);
    return { ...shared, value, fill: value, outline: null };
  });
  return ranked.sort((a, b) => {
    const known = Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value));
    return known !== 0 ? known : b.value - a.value || a.index - b.index;
  });
}

export const RANK_LABELS: Record<RankBy, string> = {
  impact: "impact",
  in_distribution_impact: "in-distribution impact",
  heterogeneity: "heterogeneity",
  non_linearity: "non-linearity",
};
