/** The metric of the bars, with its explanation. */

import { description } from "../../elements/described.ts";
import { html, setText } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import type { View } from "../../view/view.ts";
import type { RankBy } from "../../wire/protocol.ts";
import { meaningOf, RANK_LABELS, unitMeaning } from "../../words/metric_names.ts";

const METRICS = Object.keys(RANK_LABELS) as RankBy[];

export function metricControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "rank-by" });
  select.append(...METRICS.map((metric) => html("option", { value: metric }, RANK_LABELS[metric])));
  listen(select, aborted, { change: () => store.setRankBy(select.value as RankBy) });
  const meaning = description(select, "rank-meaning");
  keep(
    () =>
      [
        store.rankBy.value,
        store.convention.value,
        store.reading.value,
        store.ranking.value.filter(({ known }) => known).length,
      ] as const,
    ([metric, convention, reading, known]) => {
      select.value = metric;
      const unit = reading === null ? null : unitMeaning(reading.unit, reading.figures.header, known);
      setText(meaning, [meaningOf(metric, convention), unit].filter((part) => part !== null).join(" "));
    },
  );
  return html("div", { class: "ice-metric" }, html("label", { class: "ice-field" }, "Rank by ", select), meaning);
}
