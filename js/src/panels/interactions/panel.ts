/** How far features act together: pairs and features by H², computed when the tab is opened. */

import type { Progress } from "../../state/feed.ts";
import { explanation } from "../../text/glossary.ts";
import { count, plural } from "../../text/numbers.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import { focusedBeside } from "../../ui/focus.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import type { InteractionsBody } from "../../wire/protocol.ts";
import { type JointRow, JointRows } from "./rows.ts";

const MOST_ROWS = 10;

/** `toCurves` scrolls to what is opened, where that is not beside the list. */
export function interactionsPanel(view: View, toCurves: () => void): HTMLElement {
  const { store, keep } = view;
  const panel = html(
    "section",
    { class: "ice-panel ice-interactions", "aria-label": "Interactions", "data-test": "interactions" },
    html("header", { class: "ice-head" }, termsPart()),
    statusPart(view),
    foundPart(view, toCurves),
  );
  keep(
    () => store.joint.interactions.value.state,
    (state) => {
      panel.dataset.state = state;
    },
  );
  // Not while features are computed, whose interactions these are. After Cancel, a button resumes.
  keep(
    () => store.figures.value !== null && store.status.value.state !== "computing",
    (isComplete) => {
      if (isComplete) store.joint.start();
    },
  );
  return panel;
}

/** What the two columns are. */
function termsPart(): HTMLElement {
  const h2 = explained(html("span", {}, "H²"), explanation("h2"));
  const size = explained(html("span", {}, "size"), explanation("interaction_size"));
  const [first, second] = [
    ": the share of a joint effect that is not a sum. The ",
    " of that part is in units of the prediction.",
  ];
  return html("p", { class: "ice-interactions-key" }, h2, first, size, second);
}

/** Pairs, features and additivity, as far as they are computed. */
function foundPart(view: View, toCurves: () => void): HTMLElement {
  const { store, keep, aborted } = view;
  const openPair = ({ names: [first, second] }: JointRow): void => {
    store.openPair(first!, second!);
    toCurves();
  };
  const pairs = new JointRows("Pairs", "pair", openPair, aborted);
  const open = ({ names: [name] }: JointRow): void => {
    store.open(name!);
    toCurves();
  };
  const features = new JointRows("Features", "joint-feature", open, aborted);
  const basis = html("p", { class: "ice-meaning", "data-test": "interactions-basis" });
  const node = html("div", { class: "ice-joint-found" }, pairs.node, features.node, additivityPart(view), basis);
  keep(
    () => [store.joint.interactions.value.body, store.figures.value?.header.prediction_sd ?? null] as const,
    ([body, sd]) => {
      node.hidden = body === null;
      if (body === null) return;
      const rows = rowsOf(body, sd);
      const longest = Math.max(0, ...[...rows.pairs, ...rows.features].map(({ h2 }) => h2));
      pairs.draw(rows.pairs, MOST_ROWS, longest);
      features.draw(rows.features, MOST_ROWS, longest);
      setText(basis, basisOf(body));
    },
  );
  keep(
    () => [store.joint.interactions.value, store.pair.value, store.feature.value] as const,
    ([, pair, opened]) => {
      pairs.mark(pair === null ? [] : [pair.first, pair.second]);
      features.mark([opened]);
    },
  );
  return node;
}

/** How additively the open feature acts, in a sentence. */
function additivityPart({ store, keep }: View): HTMLElement {
  const sentence = html("span", {});
  const term = explained(html("b", {}, "Additivity"), explanation("additivity"));
  const verdict = html("p", { class: "ice-joint-verdict", "data-test": "additivity" }, term, " ", sentence);
  keep(
    () => [store.joint.interactions.value.body?.additivity ?? [], store.feature.value] as const,
    ([additivity, opened]) => {
      const found = additivity.find(({ feature }) => feature === opened);
      verdict.hidden = found === undefined;
      setText(sentence, found?.verdict ?? "");
    },
  );
  return verdict;
}

function rowsOf({ pairs, features }: InteractionsBody, sd: number | null): Record<"pairs" | "features", JointRow[]> {
  const rowOf = (names: string[], h2: number, effect: number): JointRow => {
    const isTiny = sd !== null && effect < LEAST_SHARE_OF_SD * sd;
    return { names, h2, effect, isTiny };
  };
  return {
    pairs: pairs.map(({ first, second, h2, effect }) => rowOf([first, second], h2, effect)),
    features: features.map(({ feature, h2, effect }) => rowOf([feature], h2, effect)),
  };
}

/** An interaction whose size is less than this share of the standard deviation of the predictions matters little. */
const LEAST_SHARE_OF_SD = 0.01;

/** The button that starts, the progress, and what went wrong. */
function statusPart({ store, keep, aborted }: View): HTMLElement {
  const start = pushButton({ class: "ice-button", "data-test": "interactions-start" });
  const cancel = pushButton({ class: "ice-button", "data-test": "interactions-cancel" }, "Cancel");
  const bar = html("progress", { class: "ice-progress", "aria-label": "Interactions computed" });
  const text = html("p", { class: "ice-meaning", "aria-live": "polite", "data-test": "interactions-status" });
  listen(start, aborted, { click: () => store.joint.start() });
  listen(cancel, aborted, { click: () => store.joint.stop() });
  const node = html("div", { class: "ice-joint-status" }, bar, text, start, cancel);
  keep(
    () => [store.joint.interactions.value, store.status.value.state] as const,
    ([progress, status]) => {
      const { state, body } = progress;
      const isWaiting = status === "computing" && state !== "computing";
      const isFocused = node.contains(focusedBeside(node));
      node.hidden = state === "ready";
      bar.hidden = state !== "computing";
      cancel.hidden = state !== "computing";
      start.hidden = state === "computing" || isWaiting || !store.client.hasKernel;
      update(bar, { value: body?.done ?? 0, max: body?.total ?? 1 });
      setText(start, state === "error" ? "Try again" : "Resume");
      setText(text, isWaiting ? WAITING : textOf(progress));
      if (isFocused && node.hidden === false) (cancel.hidden ? start : cancel).focus({ preventScroll: true });
    },
  );
  return node;
}

const WAITING = "Interactions can be computed when all features are.";

function textOf(progress: Progress<InteractionsBody>): string {
  const { state, body } = progress;
  if (progress.state === "error") return progress.message;
  if (body === null) return state === "computing" ? "Computing …" : "Cancelled.";
  const done = `${count(body.done)} of ${count(body.total)} features and pairs`;
  return state === "computing" ? done : `Cancelled after ${done}.`;
}

function basisOf({ n_rows, n_observations, features, pairs }: InteractionsBody): string {
  const rows = n_rows < n_observations ? `${count(n_rows)} of ${plural(n_observations, "row")}` : plural(n_rows, "row");
  const paired = new Set(pairs.flatMap(({ first, second }) => [first, second])).size;
  const of =
    paired > 0 && paired < features.length ? ` Pairs are those of the ${paired} features with the largest H².` : "";
  return `From ${rows}.${of}`;
}
