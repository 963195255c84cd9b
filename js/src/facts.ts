/** All figures of a feature, for a card beside it. */
import { number, plural } from "./format.ts";
import type { TooltipRow } from "./marks/tooltip.ts";
import { RANK_LABELS } from "./metrics.ts";
import type { FeatureKind, RankBy } from "./protocol.ts";
import type { RankedFeature } from "./ranking.ts";
import type { Figures } from "./store.ts";
import { hasLevels } from "./values.ts";

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
  const impact = of("impact");
  rows.push(
    { label: "impact", value: number(impact) },
    { label: "in distribution", value: number(figures.profile.inDistributionImpact(ranked.index, decay)) },
  );
  const others: RankBy[] = ["heterogeneity", "non_linearity", "non_linearity_mad"];
  rows.push(...others.map((metric) => ({ label: RANK_LABELS[metric], value: number(of(metric), impact) })));
  const missing = of("missing_impact");
  if (Number.isFinite(missing)) rows.push({ label: RANK_LABELS.missing_impact, value: number(missing) });
  if (Number.isFinite(ranked.meanChange)) {
    rows.push({ label: "mean change per change of category", value: number(ranked.meanChange) });
  }
  return rows;
}
