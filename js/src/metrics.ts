/** What the figures are called and what they mean, one sentence each. */
import { count, number, plural } from "./format.ts";
import type { Convention, Header, RankBy, Unit } from "./protocol.ts";

export const RANK_LABELS: Record<RankBy, string> = {
  impact: "impact",
  in_distribution_impact: "in-distribution impact",
  heterogeneity: "heterogeneity",
  non_linearity: "non-linearity",
  missing_impact: "missing impact",
};

const IMPACT = "σ × mean steepness: how far the prediction travels per standard deviation, ups and downs both counted";

/** What a figure means; the statistic of non-linearity depends on the convention. */
export function meaningOf(metric: RankBy, convention: Convention): string {
  switch (metric) {
    case "impact":
      return `${IMPACT}.`;
    case "in_distribution_impact":
      return `${IMPACT}. Values far from the observed one count less.`;
    case "heterogeneity":
      return "σ × standard deviation of the slopes across observations: 0 where all curves are parallel.";
    case "non_linearity":
      return `σ × ${convention === "stable" ? "mean absolute" : "standard"} deviation of the slopes along a curve: 0 for a straight line.`;
    case "missing_impact":
      return "Mean absolute change of the prediction when the value goes missing.";
  }
}

export const CONVENTION_LABELS: Record<Convention, string> = {
  stable: "evenly along the axis",
  equations: "by interval, Eq. 1",
  published: "as published",
};

export const CONVENTION_MEANINGS: Record<Convention, string> = {
  stable: "Every unit of the axis counts alike. Values that lie close together have little influence.",
  equations:
    "Every interval between neighbouring grid values counts alike, as in the paper’s equations. A jump between close values counts much.",
  published: "The same with the first interval counted twice, as in the paper’s printed tables, which show shares.",
};

export const UNIT_LABELS: Record<Unit, string> = {
  prediction: "prediction",
  sd: "% of SD",
  share: "share",
};

/** What per cent are of; null for the unit of the prediction. */
export function unitMeaning(unit: Unit, header: Header, nKnown: number): string | null {
  switch (unit) {
    case "prediction":
      return null;
    case "sd":
      return `Per cent of the standard deviation of the predictions, ${number(header.prediction_sd ?? Number.NaN)}.`;
    case "share": {
      const all = header.features.length;
      return nKnown < all
        ? `Per cent of the total over the ${plural(nKnown, "feature")} computed so far.`
        : "Per cent of the total over all features.";
    }
  }
}

/** Why a figure is far from what it is evenly along the axis; both are in the unit of the prediction. */
export function farOffText(convention: Convention, { figure, even }: { figure: number; even: number }): string {
  const how = convention === "equations" ? "By intervals" : "As published";
  const where = figure > even ? "lie close together" : "lie far apart";
  return `${how} ${brief(figure)}, evenly along the axis ${brief(even)}: most comes from values that ${where}.`;
}

/** What stands under the bars where some are far off. */
export const FAR_OFF_REMARK = "* more than twice or less than half the figure evenly along the axis";

const brief = (value: number): string => (value >= 1000 ? count(value) : number(Number(value.toPrecision(3))));

/** What the sign of the direction says; evenly along the axis, that is the net change of the curves. */
export function trendOf(direction: "up" | "down", convention: Convention): string {
  const way = direction === "up" ? "up" : "down";
  return convention === "stable" ? `net change ${way}` : `mean slope ${way}`;
}

/** Why nothing can be ranked by a figure although all of it is known. */
export function whyUndefined(metric: RankBy): string {
  if (metric === "missing_impact") return "No feature has missing values, so none has a missing impact.";
  return `The ${RANK_LABELS[metric]} of every feature is undefined.`;
}
