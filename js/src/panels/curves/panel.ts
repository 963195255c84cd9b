/** The lines of the open feature. Curves come from the kernel once; everything that moves afterwards is drawn here. */

import type { ReadonlySignal } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { brushOver } from "../../gestures/brush.ts";
import type { Pins } from "../../store/pins.ts";
import { loadedOf, type Picture } from "../../store/store.ts";
import { type View, whileShown } from "../../view/view.ts";
import type { Status } from "../../wire/protocol.ts";
import { colorLegend, marksKey } from "./key.ts";
import { groupsLayer, groupsOf } from "./layers/groups.ts";
import { linesLayer } from "./layers/lines.ts";
import { axesLayer, dotsLayer, markedLayer, stripLabels } from "./layers/overlay.ts";
import { ownValueLayer } from "./layers/own_value.ts";
import { rugLayer } from "./layers/rug.ts";
import { targetLayer } from "./layers/target.ts";
import { anchorHandle } from "./pointer/anchor.ts";
import { crosshairOver } from "./pointer/crosshair.ts";
import { PlotPointer } from "./pointer/pointer.ts";
import { plotTools } from "./pointer/tools.ts";
import { featureSentence } from "./sentence.ts";
import { shownIn } from "./state/plot_state.ts";
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
  /** Its choice is in the line of the title, its plots are shown in place of the large one. */
  compare: { choice: HTMLElement; plots: HTMLElement; isComparing: ReadonlySignal<boolean> };
  drivers: HTMLElement;
  controls: HTMLElement;
}

/** `under` is placed below the curves of the open feature. */
export function curvesPanel(
  view: View,
  { pins, compare, drivers, controls }: Beside,
  ...under: HTMLElement[]
): HTMLElement {
  const { store, aborted } = view;
  const ofOne = whileShown(view, () => !compare.isComparing.value);
  const frame = html("div", {
    class: "ice-plot",
    tabindex: 0,
    role: "group",
    "aria-roledescription": "line chart",
    "data-test": "plot",
  });
  const shown = shownIn(view, frame);
  const groups = groupsOf(shown);
  const brush = brushOver(
    frame,
    view,
    shown.plot,
    (line, { lines }) => !store.hiddenLevels.peek().has(lines.color[line]!),
  );
  const crosshair = crosshairOver(frame, view, shown);
  const { node: tools, tool } = plotTools(view, shown);
  frame.append(
    axesLayer(ofOne, shown),
    targetLayer(ofOne, shown),
    linesLayer(ofOne, shown, "all"),
    dotsLayer(ofOne, shown, "all"),
    linesLayer(ofOne, shown, "selected"),
    dotsLayer(ofOne, shown, "selected"),
    groupsLayer(ofOne, shown, groups),
    rugLayer(ofOne, shown),
    markedLayer(ofOne, shown),
    edgeMarks(ofOne, shown),
    ownValueLayer(ofOne, shown, pins),
    ...stripLabels(ofOne, shown),
    anchorHandle(frame, view, shown),
    ...crosshair.layers,
    brush.layer,
  );
  new PlotPointer(frame, view, shown, { tool, brush, pins, crosshair });
  view.keep(
    () => ({ dimmed: store.selection.value.length > 0, tool: tool.value }),
    ({ dimmed, tool: chosen }) => update(frame, { "data-dimmed": dimmed, "data-tool": chosen }),
  );

  const message = html("p", { class: "ice-message-text", "data-test": "curves-message", "aria-live": "polite" });
  const retry = html("button", { type: "button", class: "ice-button", "data-test": "retry" }, "Try again");
  listen(retry, aborted, { click: () => store.retry() });
  const cover = html("div", { class: "ice-message" }, message, retry);

  const { title, facts } = featureTitle(view);
  const titles = axisTitles(view, shown, frame);
  const above = html("div", { class: "ice-plot-titles" }, titles.value, titles.range, tools);
  const below = html("div", { class: "ice-plot-titles" }, marksKey(view, shown, groups), titles.feature);
  const panel = html(
    "section",
    { class: "ice-panel ice-curves", "aria-label": "Curves of the open feature", "data-test": "curves" },
    html(
      "header",
      { class: "ice-head" },
      html("div", { class: "ice-title-row" }, title, compare.choice),
      featureSentence(view, shown),
      facts,
    ),
    drivers,
    controls,
    kindRemark(view, shown),
    rangeRemark(view, shown),
    compare.plots,
    above,
    html("div", { class: "ice-stage" }, frame, cover),
    below,
    colorLegend(view, shown, groups),
    ...under,
    spokenSummary(view, shown),
  );

  view.keep(
    () => compare.isComparing.value,
    (isComparing) => update(panel, { "data-comparing": isComparing }),
  );
  view.keep(
    () => ({ picture: store.picture.value, status: store.status.value, silent: store.client.silent.value }),
    ({ picture, status, silent }) => {
      panel.dataset.state = picture.state;
      const nothing = loadedOf(picture) === null;
      frame.hidden = nothing;
      for (const part of [above, below]) part.classList.toggle("ice-absent", nothing);
      cover.hidden = picture.state === "ready";
      retry.hidden = picture.state !== "error";
      setText(message, messageFor(picture, status, silent));
    },
  );
  return panel;
}
