/** The key of the signs and stripes that the bars have. */
import type { ReadonlySignal } from "@preact/signals-core";
import { html } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import type { RankedFeature } from "../../store/ranking.ts";
import type { View } from "../../view/view.ts";
import { explanation, variantsOf } from "../../words/glossary.ts";
import { isUnordered } from "../../words/values.ts";

/** `listed` are the features that have a bar. */
export function signsKey({ store, keep }: View, listed: ReadonlySignal<readonly RankedFeature[]>): HTMLElement {
  const trend = html("span", {});
  const levels = explained(html("span", {}, explanation("levels").name), explanation("levels"));
  const ofTrend = html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-sign" }, "▲▼"), trend);
  const ofLevels = html(
    "span",
    { class: "ice-key-item" },
    html("i", { class: "ice-key-dots" }),
    html("i", { class: "ice-key-stripes" }),
    levels,
  );
  const key = html("p", { class: "ice-key", "data-test": "signs" }, ofTrend, ofLevels);
  keep(
    () => [listed.value, store.convention.value] as const,
    ([features, convention]) => {
      const sign = explanation("sign", ...variantsOf("numeric", convention));
      trend.textContent = sign.name;
      explained(trend, sign);
      ofTrend.hidden = features.every(({ kind }) => isUnordered(kind));
      ofLevels.hidden = !features.some(({ kind }) => isUnordered(kind));
      key.hidden = features.length === 0;
    },
  );
  return key;
}
