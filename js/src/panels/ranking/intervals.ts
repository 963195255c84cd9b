/** The switch for intervals of the bars, and the key of whiskers and brackets. */

import { html, setText } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import type { Whiskers } from "../../store/intervals.ts";
import type { Store } from "../../store/store.ts";
import type { View } from "../../view/view.ts";
import { explanation } from "../../words/glossary.ts";
import { intervalName, levelText } from "../../words/metric_names.ts";
import { percent } from "../../words/numbers.ts";

const USUAL_LEVEL = 0.95;

/** The level stays what it was when intervals are switched off and on. */
export function intervalsControl({ store, aborted, keep }: View): HTMLElement {
  let level = store.intervals.peek() ?? USUAL_LEVEL;
  const box = html("input", { type: "checkbox", "data-test": "intervals" });
  const name = html("span");
  const label = html("label", { class: "ice-field ice-intervals" }, box, name);
  listen(box, aborted, { change: () => store.setIntervals(box.checked ? level : null) });
  keep(
    () => [store.intervals.value, hasIntervals(store)] as const,
    ([chosen, areOffered]) => {
      label.hidden = !areOffered;
      level = chosen ?? level;
      box.checked = chosen !== null;
      setText(name, `${levelText(level)} intervals`);
      hinted(label, explanation("interval").text, intervalName(level));
    },
  );
  return label;
}

/** Whether figures of this ranking have intervals: how far models disagree has none. */
const hasIntervals = ({ client, rankBy }: Store): boolean =>
  client.answers("intervals") && rankBy.value !== "disagreement";

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
    () => [hasIntervals(store) ? store.intervals.value : null, store.whiskers.value] as const,
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
