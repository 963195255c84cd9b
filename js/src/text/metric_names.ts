/** What the figures are called and what they mean, one sentence each. */
import type { Convention, RankBy } from "../wire/protocol.ts";
import { explanation, variantsOf } from "./glossary.ts";
import { count, plural } from "./numbers.ts";

export const RANK_LABELS: Record<RankBy, string> = {
  impact: explanation("impact").name,
  in_distribution_impact: explanation("in_distribution_impact").name,
  heterogeneity: explanation("heterogeneity").name,
  non_linearity: explanation("non_linearity").name,
  missing_impact: explanation("missing_impact").name,
  disagreement: explanation("disagreement").name,
};

/** What a figure means; the statistic of non-linearity depends on the convention, disagreement on the number of models. */
export const meaningOf = (metric: RankBy, convention: Convention, nModels = 0): string =>
  explanation(metric, ...(nModels > 2 ? ["several"] : []), ...variantsOf("numeric", convention)).text;

export const CONVENTION_LABELS: Record<Convention, string> = {
  step: explanation("step").name,
  paper: explanation("paper").name,
};

/** The figures of the bars in a few words. */
export function captionOf(metric: RankBy, quantity: string): string {
  const isImpact = metric === "impact" || metric === "in_distribution_impact";
  const name = isImpact ? "" : `${RANK_LABELS[metric]}, `;
  const change = `change of the ${quantity}`;
  const isPerSd = metric !== "missing_impact" && metric !== "disagreement";
  return `${name}${change}${isPerSd ? " per standard deviation of the feature" : ""}`;
}

/** A level in per cent: 0.95 is 95 %, 0.999 is 99.9 %. */
export const levelText = (level: number): string => `${Number((100 * level).toPrecision(6))}\u00a0%`;

/** What figures and curves rest on while these are not all rows. */
export const sampleText = (nRows: number, nAll: number | null = null): string =>
  `sample of ${nAll === null ? plural(nRows, "row") : `${count(nRows)} of ${plural(nAll, "row")}`}`;

/** What the sample and its whiskers mean. */
export const SAMPLE = {
  name: "sample of the rows",
  text: "Figures and curves rest on some of the rows, and for slow models on fewer grid values, until all are computed. Whiskers, and what follows ±, are 1.96 standard errors to each side. There are none for a figure whose grid lacks values.",
};

/** What a whisker is. */
export const intervalName = (level: number): string => `${levelText(level)} ${explanation("interval").name}`;

/** The meaning of the sign of the direction. */
export function trendOf(direction: "up" | "down", convention: Convention): string {
  const way = direction === "up" ? "up" : "down";
  return convention === "step" ? `net change ${way}` : `mean slope ${way}`;
}

/** Why nothing can be ranked by a figure although all of it is known. */
export function whyUndefined(metric: RankBy): string {
  if (metric === "missing_impact") return "No feature has missing values, so none has a missing impact.";
  return `The ${RANK_LABELS[metric]} of every feature is undefined.`;
}
