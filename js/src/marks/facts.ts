/** The figures of a feature, for the card beside whatever stands for it. */
import { number, plural } from "../format.ts";
import type { FeatureKind } from "../protocol.ts";
import type { RankedFeature } from "../ranking.ts";
import type { Figures } from "../store.ts";
import { hasLevels } from "../values.ts";
import type { TooltipRow } from "./tooltip.ts";

const KIND_LABELS: Record<FeatureKind, string> = {
  numeric: "numbers",
  boolean: "true or false",
  category: "categories",
  ordered: "ordered categories",
  group: "one-hot group",
  datetime: "dates",
  timedelta: "durations",
};

export function factsOf(ranked: RankedFeature, figures: Figures, decay: number): TooltipRow[] {
  const of = (metric: string) => figures.impact.get(ranked.index, metric);
  const { n_grid: n } = figures.header.features[ranked.index]!;
  const rows: TooltipRow[] = [
    {
      label: "kind",
      value: `${KIND_LABELS[ranked.kind]}, ${plural(n, hasLevels(ranked.kind) ? "level" : "grid value")}`,
    },
  ];
  if (!ranked.known) return rows;
  rows.push(
    { label: "impact", value: number(of("impact")) },
    { label: "in distribution", value: number(figures.profile.inDistributionImpact(ranked.index, decay)) },
    { label: "heterogeneity", value: number(of("heterogeneity")) },
    { label: "non-linearity", value: number(of("non_linearity")) },
  );
  if (Number.isFinite(ranked.meanChange)) {
    rows.push({ label: "mean change per change of category", value: number(ranked.meanChange) });
  }
  return rows;
}
