/** The metric of the bars, with its explanation. */

import { description } from "../../elements/described.ts";
import { html, setText } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { optionsIn } from "../../elements/options.ts";
import type { View } from "../../view/view.ts";
import type { RankBy } from "../../wire/protocol.ts";
import { meaningOf, RANK_LABELS, unitMeaning } from "../../words/metric_names.ts";

const METRICS = Object.keys(RANK_LABELS) as RankBy[];

export function metricControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "rank-by" });
  const offer = optionsIn(select);
  listen(select, aborted, { change: () => store.setRankBy(select.value as RankBy) });
  const meaning = description(select, "rank-meaning");
  keep(
    () =>
      [
        store.rankBy.value,
        store.convention.value,
        store.reading.value,
        store.ranking.value.filter(({ known }) => known).length,
        store.models.value.length,
      ] as const,
    ([metric, convention, reading, known, nModels]) => {
      const offered = METRICS.filter((each) => each !== "disagreement" || nModels > 1);
      offer(offered.map((each) => [each, RANK_LABELS[each]]));
      select.value = metric;
      const unit = reading === null ? null : unitMeaning(reading.unit, reading.figures.header, known);
      setText(meaning, [meaningOf(metric, convention, nModels), unit].filter((part) => part !== null).join(" "));
    },
  );
  return html("div", { class: "ice-metric" }, html("label", { class: "ice-field" }, "Rank by ", select), meaning);
}
