/** The curves of the open feature: the kernel sends them once, and all further changes are drawn from them. */

import type { ReadonlySignal } from "@preact/signals-core";
import { brushOver } from "../../plot/gestures/brush.ts";
import type { Plot } from "../../plot/plot.ts";
import type { Pins } from "../../state/pins.ts";
import { loadedOf, type Picture } from "../../state/store.ts";
import { html, setText, update } from "../../ui/element.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import { type View, whileShown } from "../../view/view.ts";
import type { Status } from "../../wire/protocol.ts";
import { namesOfLines } from "./key.ts";
import { effectsLayers } from "./layers/effects.ts";
import { type Groups, groupsLayer, groupsOf } from "./layers/groups.ts";
import { linesLayer } from "./layers/lines.ts";
import { observedLayer } from "./layers/observed.ts";
import { axesLayer, dotsLayer, markedLayer, stripLabels } from "./layers/overlay.ts";
import { targetLayer } from "./layers/target.ts";
import { unlikeLayer, unlikeTitle } from "./layers/unlike.ts";
import { optionalNotes } from "./optional_notes.ts";
import { anchorHandle } from "./pointer/anchor.ts";
import { Crosshair } from "./pointer/crosshair.ts";
import { PlotPointer } from "./pointer/pointer.ts";
import { featureSentence } from "./sentence.ts";
import { type Shown, shownIn } from "./state/plot_state.ts";
import { edgeMarks, rangeRemark } from "./view_notes.ts";
import { axisTitles, featureTitle, kindRemark, spokenSummary } from "./words.ts";

function messageFor(picture: Picture, status: Status, silent: boolean): string {
  switch (picture.state) {
    case "empty":
      if (status.state === "computing")
        return "The first curves appear here in a moment. Choose a feature to see it sooner.";
      return `${status.state === "error" ? "Something went wrong, see below. " : ""}Choose a feature to see its curves.`;
    case "loading":
      return silent
        ? `Still waiting for the curves of ${picture.feature}: the kernel is busy or not connected.`
        : `Computing the curves of ${picture.feature} …`;
    case "error":
      return picture.message;
    case "ready":
      return "";
  }
}

/** Elements around the curves, created by other panels. */
export interface Beside {
  /** Rows that a card is about. */
  pins: Pins;
  /** Its plots are shown in place of the large one. */
  compare: { plots: HTMLElement; isComparing: ReadonlySignal<boolean> };
  correlated: HTMLElement;
  /** Beside the name. */
  kinds: HTMLElement;
  decay: HTMLElement;
}

/** `under` is placed below the curves of the open feature. */
export function curvesPanel(view: View, beside: Beside, ...under: HTMLElement[]): HTMLElement {
  const { compare, correlated, kinds, decay } = beside;
  const frame = html("div", {
    class: "ice-plot",
    tabindex: 0,
    role: "group",
    "aria-roledescription": "line chart",
    "data-test": "plot",
  });
  const shown = shownIn(view, frame);
  const groups = groupsOf(shown);
  fillFrame(frame, view, shown, groups, beside);
  const titles = axisTitles(view, shown, frame);
  const above = html("div", { class: "ice-plot-titles" }, titles.value);
  const below = html("div", { class: "ice-plot-titles" }, unlikeTitle(view, shown), titles.feature);
  const stage = html("div", { class: "ice-stage" }, frame, coverOf(view));
  const names = namesOfLines(view, shown, groups, stage, compare.isComparing);
  const panel = html(
    "section",
    { class: "ice-panel ice-curves", "aria-label": "Curves of the open feature", "data-test": "curves" },
    html(
      "header",
      { class: "ice-head" },
      html("div", { class: "ice-title-row" }, featureTitle(view), kinds),
      featureSentence(view, shown),
    ),
    correlated,
    kindRemark(view, shown),
    rangeRemark(view, shown),
    optionalNotes(view, shown, compare.isComparing),
    compare.plots,
    above,
    stage,
    below,
    decay,
    names,
    ...under,
    spokenSummary(view, shown),
  );
  view.keep(
    () => [view.store.picture.value, compare.isComparing.value] as const,
    ([picture, isComparing]) => {
      update(panel, { "data-comparing": isComparing, "data-state": picture.state });
      frame.hidden = loadedOf(picture) === null;
      for (const part of [above, below]) part.classList.toggle("ice-absent", frame.hidden);
    },
  );
  return panel;
}

/** Adds the layers of the plot, and what the pointer and the keys do. */
function fillFrame(
  frame: HTMLElement,
  view: View,
  shown: Shown,
  groups: ReadonlySignal<Groups | null>,
  { pins, compare }: Beside,
): void {
  const { store } = view;
  const ofOne = whileShown(view, () => !compare.isComparing.value);
  const isShown = (line: number, { lines }: Plot) => !store.hiddenLevels.peek().has(lines.color[line]!);
  const brush = brushOver(frame, view, shown.plot, isShown);
  const crosshair = new Crosshair(frame, view, shown);
  const effects = effectsLayers(ofOne, shown);
  frame.append(
    axesLayer(ofOne, shown),
    targetLayer(ofOne, shown),
    linesLayer(ofOne, shown, "all"),
    dotsLayer(ofOne, shown, "all"),
    linesLayer(ofOne, shown, "selected"),
    dotsLayer(ofOne, shown, "selected"),
    groupsLayer(ofOne, shown, groups),
    unlikeLayer(ofOne, shown),
    effects.rims,
    markedLayer(ofOne, shown, groups),
    effects.lines,
    edgeMarks(ofOne, shown),
    observedLayer(ofOne, shown, pins),
    ...stripLabels(ofOne, shown),
    anchorHandle(frame, view, shown),
    ...crosshair.layers,
    brush.layer,
  );
  new PlotPointer(frame, view, shown, { brush, pins, crosshair });
  view.keep(
    () => store.selection.value.length > 0,
    (dimmed) => update(frame, { "data-dimmed": dimmed }),
  );
}

/** The message that is shown over the plot while its curves are missing. */
function coverOf({ store, aborted, keep }: View): HTMLElement {
  const message = html("p", { class: "ice-message-text", "data-test": "curves-message", "aria-live": "polite" });
  const retry = pushButton({ class: "ice-button", "data-test": "retry" }, "Try again");
  listen(retry, aborted, { click: () => store.retry() });
  const cover = html("div", { class: "ice-message" }, message, retry);
  keep(
    () => [store.picture.value, store.status.value, store.client.silent.value] as const,
    ([picture, status, silent]) => {
      cover.hidden = picture.state === "ready";
      retry.hidden = picture.state !== "error";
      setText(message, messageFor(picture, status, silent));
    },
  );
  return cover;
}
