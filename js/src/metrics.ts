/** What the figures are called and what they mean, one sentence each. Their unit is that of the prediction. */
import type { Convention, RankBy, Weighting } from "./protocol.ts";

export const RANK_LABELS: Record<RankBy, string> = {
  impact: "impact",
  in_distribution_impact: "in-distribution impact",
  heterogeneity: "heterogeneity",
  non_linearity: "non-linearity",
  non_linearity_mad: "non-linearity (MAD)",
  missing_impact: "missing impact",
};

export const RANK_MEANINGS: Record<RankBy, string> = {
  impact: "How far the prediction moves, in its own unit, per standard deviation of the feature.",
  in_distribution_impact:
    "How far the prediction moves, in its own unit, per standard deviation, near values counting most.",
  heterogeneity: "How much the effect differs between observations: a standard deviation, in the prediction’s unit.",
  non_linearity: "How much the effect differs along a line: a standard deviation, in the prediction’s unit.",
  non_linearity_mad: "How much the effect differs along a line: a mean absolute deviation, in the prediction’s unit.",
  missing_impact: "How far the prediction moves, in its own unit, when the value goes missing.",
};

export const CONVENTION_MEANINGS: Record<Convention, string> = {
  equations: "Each interval between neighbouring values counts once, as in the paper’s equations.",
  published: "The first interval counts twice, as in the paper’s printed tables.",
};

export const WEIGHTING_MEANINGS: Record<Weighting, string> = {
  interval: "All intervals count alike, as in the paper, however short they are.",
  length: "Each interval counts by its length, so that two near neighbours hardly sway the impact.",
  mass: "Each interval counts by the share of observations in it.",
};

/** Why nothing can be ranked by a figure although all of it is known. */
export function whyUndefined(metric: RankBy): string {
  if (metric === "missing_impact") return "No feature has missing values, so none has a missing impact.";
  return `The ${RANK_LABELS[metric]} of every feature is undefined.`;
}
