/** The key of whiskers and brackets. */

import type { Whiskers } from "../../state/intervals.ts";
import { explanation } from "../../text/glossary.ts";
import { intervalName } from "../../text/metric_names.ts";
import { percent } from "../../text/numbers.ts";
import { html, setText } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import type { View } from "../../view/view.ts";

/** What whiskers and brackets are; shown while there are intervals. */
export function intervalsKey({ store, keep }: View): HTMLElement {
  const [name, progress, tied] = [html("span"), html("span", { class: "ice-key-progress" }), html("span")];
  const ofWhisker = html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-whisker" }), name, progress);
  const bracket = explained(tied, explanation("tied"));
  const ofBracket = html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-bracket" }), bracket);
  const problem = html("span", { class: "ice-key-problem", role: "status", "data-test": "intervals-problem" });
  const key = html(
    "p",
    { class: "ice-key ice-key-intervals", "data-test": "intervals-key" },
    ofWhisker,
    ofBracket,
    problem,
  );
  setText(tied, explanation("tied").name);
  keep(
    () => [store.hasIntervals ? store.intervals.value : null, store.whiskers.value] as const,
    ([level, whiskers]) => {
      key.hidden = level === null;
      if (level === null) return;
      const { text } = explanation("interval");
      setText(name, intervalName(level));
      explained(name, { name: intervalName(level), text });
      setText(progress, progressOf(whiskers));
      ofBracket.hidden = whiskers?.state !== "ready" || whiskers.body.tied.length === 0;
      setText(problem, whiskers?.state === "error" ? whiskers.message : "");
      key.dataset.state = whiskers?.state;
    },
  );
  return key;
}

function progressOf(whiskers: Whiskers): string {
  if (whiskers === null || whiskers.state === "ready" || whiskers.state === "error") return "";
  return whiskers.share === 0 ? "…" : `… ${percent(whiskers.share)}`;
}
