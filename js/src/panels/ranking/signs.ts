/** The key of the signs of bars. */
import type { ReadonlySignal } from "@preact/signals-core";
import type { RankedFeature } from "../../state/ranking.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { isUnordered } from "../../text/values.ts";
import { html, setText } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import type { View } from "../../view/view.ts";

/** `listed` are the features that have a bar. */
export function signsKey({ store, keep }: View, listed: ReadonlySignal<readonly RankedFeature[]>): HTMLElement {
  const trend = html("span", {});
  const key = html("span", { class: "ice-key-item", "data-test": "signs" }, html("i", {}, "▲▼"), trend);
  keep(
    () => [listed.value, store.convention.value] as const,
    ([features, convention]) => {
      const sign = explanation("sign", ...variantsOf("numeric", convention));
      setText(trend, sign.name);
      explained(trend, sign);
      key.hidden = features.every(({ kind }) => isUnordered(kind));
    },
  );
  return key;
}
