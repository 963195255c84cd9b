/** All figures of a feature, for the tooltip of its bar. */
import { marginOf, type RankedFeature, tiedWith } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { intervalName, RANK_LABELS, sampleText } from "../../text/metric_names.ts";
import { count, number, plural } from "../../text/numbers.ts";
import { hasLevels, isUnordered } from "../../text/values.ts";
import type { TooltipRow } from "../../ui/tooltip.ts";
import { modelColorsIn } from "../../view/model_colors.ts";
import type { View } from "../../view/view.ts";
import type { Convention, FeatureKind, RankBy } from "../../wire/protocol.ts";

const KIND_LABELS: Record<FeatureKind, string> = {
  numeric: "numbers",
  boolean: "true or false",
  category: "categories",
  ordered: "ordered categories",
  group: "one-hot group",
  datetime: "dates",
  timedelta: "durations",
};

/** What the direction is by each convention. */
const DIRECTIONS: Record<Convention, string> = {
  step: "net change per SD",
  paper: "mean slope × SD",
};

/** Shows the figures of a feature next to its bar. */
export function showFacts(view: View, bar: HTMLElement | null): void {
  const { ranking, rankBy, reading } = view.store;
  const ranked = ranking.peek().find(({ name }) => name === bar?.dataset.feature);
  const read = reading.peek();
  if (bar === null || read === null || ranked === undefined) return;
  const rows = [...factsOf(ranked, read), ...modelFacts(view, ranked, read)];
  view.tooltip.show(ranked.name, rows, bar.getBoundingClientRect(), false, noteOf(ranked, read, rankBy.peek()));
}

function factsOf(ranked: RankedFeature, reading: Reading): TooltipRow[] {
  const of = (metric: string) => reading.get(ranked.index, metric);
  const { features, convention } = reading.figures.header;
  const { n_grid: n } = features[ranked.index]!;
  const rows: TooltipRow[] = [
    {
      label: "kind",
      value: [
        KIND_LABELS[ranked.kind],
        ...(n === null ? [] : [plural(n, hasLevels(ranked.kind) ? "level" : "grid value")]),
      ].join(", "),
    },
  ];
  if (!ranked.known) return rows;
  const impact = of("impact");
  const row = (label: string, metric: string): TooltipRow => {
    const margin = ranked.draft && marginOf(reading, ranked.index, metric);
    const around = margin === null ? "" : ` ± ${number(margin, impact)}`;
    return { label, value: `${number(of(metric), impact)}${around}` };
  };
  rows.push(row("impact", "impact"), row("in distribution", "in_distribution_impact"));
  if (!isUnordered(ranked.kind)) rows.push(row(DIRECTIONS[convention], "direction"));
  const others: RankBy[] = ["heterogeneity", "non_linearity"];
  rows.push(...others.map((metric) => row(RANK_LABELS[metric], metric)));
  if (Number.isFinite(of("missing_impact"))) rows.push(row(RANK_LABELS.missing_impact, "missing_impact"));
  if (Number.isFinite(ranked.meanChange)) rows.push(row(explanation("mean_change").name, "mean_change"));
  if (ranked.draft !== null) rows.push({ label: "from a", value: sampleText(ranked.draft.nRows) });
  if (ranked.draft === null && ranked.interval !== null) {
    const { level, ends, ranks } = ranked.interval;
    const range = ends.map((end) => number(end, impact)).join(" to ");
    rows.push({ label: intervalName(level), value: range });
    rows.push({ label: "its rank", value: ranks[0] === ranks[1] ? count(ranks[0]) : ranks.map(count).join(" to ") });
  }
  return rows;
}

/** Which neighbours in rank it cannot be told from. */
function tieNoteOf(ranked: RankedFeature): string | null {
  const names = tiedWith(ranked);
  if (names.length === 0) return null;
  return `Tied with ${names.join(" and with ")}: with other rows, the difference could be 0.`;
}

/** What is to be said of a bar: what it shows where levels have no order, why it is longer than its tick, a caution. */
function noteOf(ranked: RankedFeature, reading: Reading, metric: RankBy): string | null {
  const { kind, isLonger } = ranked;
  const variants = variantsOf(kind, reading.figures.header.convention);
  const meaning = isUnordered(kind) ? explanation(metric, ...variants).text : null;
  const reason = isLonger ? explanation("longer_than_tick", ...variants).text : null;
  const sentences = [meaning, reason, tieNoteOf(ranked)];
  return sentences.filter((sentence) => sentence !== null).join(" ") || null;
}

/** The figures of each of several models, and how far two of them are apart. */
function modelFacts(view: View, { index, models, apart }: RankedFeature, reading: Reading): TooltipRow[] {
  const [names, metric] = [view.store.models.peek(), view.store.rankBy.peek()];
  if (names.length < 2) return [];
  const colors = modelColorsIn(view);
  const rows = (models ?? []).map(({ value, rank }, model) => ({
    label: `${names[model]}: ${RANK_LABELS[metric]}`,
    value: Number.isFinite(value) ? `${number(value)}, rank ${rank}` : "undefined",
    swatch: colors[model],
  }));
  if (apart === null) return rows;
  const pair = names.length > 2 ? ` of ${apart.map((model) => names[model]).join(" and ")}` : "";
  const value = number(reading.get(index, "disagreement"));
  return [...rows, { label: `${RANK_LABELS.disagreement}${pair}`, value }];
}
