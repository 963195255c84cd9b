/** The lines of the open feature. Curves come from the kernel once; everything that moves afterwards is drawn here. */
import { html, setText, update } from "../../marks/element.ts";
import type { Status } from "../../protocol.ts";
import { loadedOf, type Picture } from "../../store.ts";
import type { View } from "../../view.ts";
import { anchorHandle } from "./anchor.ts";
import { brushOver } from "./brush.ts";
import { ownValueLayer, rowCard } from "./card.ts";
import { groupsLayer, groupsOf } from "./groups.ts";
import { colorLegend, marksKey } from "./key.ts";
import { linesLayer } from "./lines.ts";
import { axesLayer, dotsLayer, markedLayer } from "./overlay.ts";
import { pinsOf } from "./pins.ts";
import { listenOn } from "./pointer.ts";
import { rugLayer } from "./rug.ts";
import { shownIn } from "./shown.ts";
import { targetLayer } from "./target.ts";
import { plotTools } from "./tools.ts";
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
        ? `The curves of ${picture.feature} have not come yet: the kernel is busy, or this page has none.`
        : `Computing the curves of ${picture.feature} …`;
    case "error":
      return picture.message;
    case "ready":
      return "";
  }
}

/** What stands around the curves, made by other panels. */
export interface Beside {
  /** In the line of the title. */
  compare: HTMLElement;
  drivers: HTMLElement;
  controls: HTMLElement;
}

/** `under` stands below the curves of the open feature. */
export function curvesPanel(view: View, { compare, drivers, controls }: Beside, ...under: HTMLElement[]): HTMLElement {
  const { store, aborted } = view;
  const frame = html("div", {
    class: "ice-plot",
    tabindex: 0,
    role: "group",
    "aria-roledescription": "line chart",
    "data-test": "plot",
  });
  const shown = shownIn(view, frame);
  const groups = groupsOf(shown);
  const pins = pinsOf(view);
  const brush = brushOver(frame, view, shown);
  const { node: tools, tool } = plotTools(view, shown);
  frame.append(
    axesLayer(view, shown),
    targetLayer(view, shown),
    linesLayer(view, shown, "all"),
    dotsLayer(view, shown, "all"),
    linesLayer(view, shown, "selected"),
    dotsLayer(view, shown, "selected"),
    groupsLayer(view, shown, groups),
    rugLayer(view, shown),
    markedLayer(view, shown),
    edgeMarks(view, shown),
    ownValueLayer(view, shown, pins),
    anchorHandle(frame, view, shown),
    brush.layer,
  );
  listenOn(frame, view, shown, { tool, brush, pins });
  view.keep(
    () => ({ dimmed: store.selection.value.length > 0, tool: tool.value }),
    ({ dimmed, tool: chosen }) => update(frame, { "data-dimmed": dimmed, "data-tool": chosen }),
  );

  const message = html("p", { class: "ice-message-text", "data-test": "curves-message", "aria-live": "polite" });
  const retry = html("button", { type: "button", class: "ice-button", "data-test": "retry" }, "Try again");
  retry.addEventListener("click", () => store.retry(), { signal: aborted });
  const cover = html("div", { class: "ice-message" }, message, retry);

  const { title, facts } = featureTitle(view);
  const titles = axisTitles(view, shown, frame);
  const above = html("div", { class: "ice-plot-titles" }, titles.value, titles.range, tools);
  const below = html("div", { class: "ice-plot-titles" }, marksKey(view, shown, groups), titles.feature);
  const panel = html(
    "section",
    { class: "ice-panel ice-curves", "aria-label": "Curves of the open feature", "data-test": "curves" },
    html("header", { class: "ice-head" }, html("div", { class: "ice-title-row" }, title, compare), facts),
    drivers,
    controls,
    kindRemark(view, shown),
    rangeRemark(view, shown),
    above,
    html(
      "div",
      { class: "ice-around" },
      html("div", { class: "ice-stage" }, frame, cover),
      rowCard(view, shown, pins, frame),
    ),
    below,
    colorLegend(view, shown, groups),
    ...under,
    spokenSummary(view, shown),
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
