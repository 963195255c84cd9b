/** Which figure the bars show, with the sentence that says what it means. */
import { description } from "../../marks/described.ts";
import { html, setText } from "../../marks/element.ts";
import { RANK_LABELS, RANK_MEANINGS } from "../../metrics.ts";
import type { RankBy } from "../../protocol.ts";
import type { View } from "../../view.ts";

const METRICS = Object.keys(RANK_LABELS) as RankBy[];

export function metricControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "rank-by" });
  select.append(
    ...METRICS.map((metric) => html("option", { value: metric, title: RANK_MEANINGS[metric] }, RANK_LABELS[metric])),
  );
  select.addEventListener("change", () => store.setRankBy(select.value as RankBy), { signal: aborted });
  const meaning = description(select, "rank-meaning");
  keep(
    () => store.rankBy.value,
    (metric) => {
      select.value = metric;
      setText(meaning, RANK_MEANINGS[metric]);
    },
  );
  return html("div", { class: "ice-metric" }, html("label", { class: "ice-field" }, "Rank by ", select), meaning);
}
