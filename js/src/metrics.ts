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
  impact:
    "How far the prediction moves, in its own unit, when the feature moves by one standard deviation; all values count alike.",
  in_distribution_impact:
    "How far the prediction moves, in its own unit, per standard deviation of the feature; values far from an observation’s own count less.",
  heterogeneity:
    "How much that move differs between observations: a standard deviation, in the unit of the prediction; 0 if all lines are parallel.",
  non_linearity:
    "How much that move differs along each line: a standard deviation, in the unit of the prediction; 0 if lines are straight.",
  non_linearity_mad:
    "How much that move differs along each line: a mean absolute deviation, in the unit of the prediction, which single jumps sway less.",
  missing_impact: "How far the prediction moves, in its own unit, on average when the value goes missing.",
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
