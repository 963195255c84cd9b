/** What covers the map while it shows nothing: why, how far a measure of importance is, and what to do. */
import { html, setText, update } from "../../elements/element.ts";
import { focusedBeside } from "../../elements/focus.ts";
import { listen } from "../../elements/lifetime.ts";
import { pushButton } from "../../elements/push_button.ts";
import type { Progress } from "../../store/feed.ts";
import type { View } from "../../view/view.ts";
import type { ImportanceBody, Measure } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";
import { capital } from "../../words/names.ts";
import { termOf } from "./shares.ts";

export function mapCover({ store, keep, aborted }: View): HTMLElement {
  const message = html("p", { class: "ice-message-text", "data-test": "map-message", "aria-live": "polite" });
  const bar = html("progress", { class: "ice-progress", "aria-label": "Importance computed", "data-test": "map-bar" });
  const start = pushButton({ class: "ice-button", "data-test": "map-start" });
  const cancel = pushButton({ class: "ice-button", "data-test": "map-cancel" }, "Cancel");
  listen(start, aborted, { click: () => store.joint.startImportance() });
  listen(cancel, aborted, { click: () => store.joint.stopImportance() });
  const node = html("div", { class: "ice-message ice-map-cover" }, message, bar, start, cancel);
  keep(
    () =>
      [
        store.ranking.value,
        store.status.value.state,
        store.measure.value,
        store.joint.importance.value,
        nPlaced(store),
      ] as const,
    ([ranking, status, measure, progress, placed]) => {
      const isFocused = node.contains(focusedBeside(node));
      const isComputing = progress?.state === "computing";
      const isWaiting = status === "computing" && !isComputing;
      const isReady = measure === null || (progress?.state === "ready" && progress.body.problem === "");
      node.hidden = isReady && placed > 0;
      bar.hidden = cancel.hidden = !isComputing;
      start.hidden =
        measure === null || isComputing || isWaiting || progress?.state === "ready" || !store.client.hasKernel;
      update(bar, { value: progress?.body?.share_done ?? 0 });
      setText(start, progress?.state === "error" ? "Try again" : progress?.body ? "Resume" : "Compute");
      const nKnown = ranking.filter(({ known }) => known).length;
      const isImportance = measure !== null && progress !== null && !isReady;
      const text = isImportance ? textOf(measure, progress, isWaiting) : nothingPlaced(ranking.length, nKnown, status);
      setText(message, text);
      if (isFocused && !node.hidden) (cancel.hidden ? start : cancel).focus({ preventScroll: true });
    },
  );
  // LOCO fits the model many times, so only its button starts it; a saved page has what was computed.
  keep(
    () => {
      const isComplete = store.figures.value !== null && store.status.value.state !== "computing";
      const isFree = store.measure.value !== "loco" || !store.client.hasKernel;
      return isComplete && isFree ? store.measure.value : null;
    },
    (measure) => {
      if (measure !== null) store.joint.startImportance();
    },
  );
  return node;
}

/** Number of features that have a place where the map shows heterogeneity. */
const nPlaced = ({ ranking, reading }: View["store"]): number =>
  ranking.value.filter(({ known, index }) => known && Number.isFinite(reading.value?.get(index, "heterogeneity")))
    .length;

function textOf(measure: Measure, progress: Progress<ImportanceBody>, isWaiting: boolean): string {
  const { name, text } = explanation(termOf(measure));
  if (isWaiting) return `${capital(name)} can be computed when all features are.`;
  if (progress.state === "error") return progress.message;
  const { state, body } = progress;
  const share = Math.round(100 * (body?.share_done ?? 0));
  if (state === "computing") return `Computing ${name}: ${share}\u00a0%.`;
  if (state === "ready") return body.problem;
  return body === null ? text : `Cancelled after ${share}\u00a0%.`;
}

function nothingPlaced(n: number, nKnown: number, status: string): string {
  if (nKnown > 0) return "No feature has the metrics that the map needs.";
  if (status === "computing") return "Features appear here as they are computed.";
  return n === 0 ? "No features to show." : "No feature is computed yet.";
}
