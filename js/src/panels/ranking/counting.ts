/** How impact is counted: two choices that few readers need, behind a fold. */
import { description } from "../../marks/described.ts";
import { html, setText, update } from "../../marks/element.ts";
import { CONVENTION_MEANINGS, WEIGHTING_MEANINGS } from "../../metrics.ts";
import type { Convention, Weighting } from "../../protocol.ts";
import type { View } from "../../view.ts";

const PRINTED = "The printed tables weigh all intervals alike.";

function choice<T extends string>(label: string, name: string, meanings: Record<T, string>) {
  const select = html("select", { class: "ice-select", "data-test": name });
  for (const [value, meaning] of Object.entries<string>(meanings)) {
    select.append(html("option", { value, title: meaning }, value));
  }
  const meaning = description(select, `${name}-meaning`);
  const part = html(
    "div",
    { class: "ice-counting-choice" },
    html("label", { class: "ice-field" }, `${label} `, select),
    meaning,
  );
  return { select, meaning, part };
}

export function countingControl({ store, aborted, keep }: View): HTMLElement {
  const convention = choice("Convention", "convention", CONVENTION_MEANINGS);
  const weighting = choice("Weighting", "weighting", WEIGHTING_MEANINGS);
  const fold = html(
    "details",
    { class: "ice-counting", "data-test": "counting" },
    html("summary", {}, "How impact is counted"),
    convention.part,
    weighting.part,
  );
  // The printed tables know one weighting, so that choosing them chooses it, too.
  convention.select.addEventListener(
    "change",
    () => {
      const chosen = convention.select.value as Convention;
      store.setCounting(chosen, chosen === "published" ? "interval" : store.weighting.peek());
    },
    { signal: aborted },
  );
  weighting.select.addEventListener(
    "change",
    () => store.setCounting(store.convention.peek(), weighting.select.value as Weighting),
    { signal: aborted },
  );
  keep(
    () => ({ chosen: store.convention.value, weighed: store.weighting.value }),
    ({ chosen, weighed }) => {
      const printed = chosen === "published";
      convention.select.value = chosen;
      weighting.select.value = weighed;
      for (const option of weighting.select.options) option.disabled = printed && option.value !== "interval";
      update(weighting.select, { title: printed ? PRINTED : null });
      setText(convention.meaning, CONVENTION_MEANINGS[chosen]);
      setText(weighting.meaning, printed ? PRINTED : WEIGHTING_MEANINGS[weighed]);
    },
  );
  return fold;
}
