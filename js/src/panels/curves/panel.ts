/** The lines of the open feature. Curves come from the kernel once; everything that moves afterwards is drawn here. */
import { html, setText } from "../../marks/element.ts";
import type { Status } from "../../protocol.ts";
import { loadedOf, type Picture } from "../../store.ts";
import type { View } from "../../view.ts";
import { colorLegend, marksKey } from "./key.ts";
import { linesLayer } from "./lines.ts";
import { axesLayer, dotsLayer, markedLayer } from "./overlay.ts";
import { listenOn } from "./pointer.ts";
import { shownIn } from "./shown.ts";
import { axisTitles, featureTitle, kindRemark, spokenSummary } from "./words.ts";

function messageFor(picture: Picture, status: Status): string {
  switch (picture.state) {
    case "empty":
      return status.state === "computing"
        ? "The first curves appear here in a moment. Choose a feature to see it sooner."
        : "Choose a feature to see its curves.";
    case "loading":
      return `Computing the curves of ${picture.feature} …`;
    case "error":
      return picture.message;
    case "ready":
      return "";
  }
}

/** `compare` stands beside the title. */
export function curvesPanel(view: View, controls: HTMLElement, compare: HTMLElement): HTMLElement {
  const { store, aborted } = view;
  const frame = html("div", {
    class: "ice-plot",
    tabindex: 0,
    role: "group",
    "aria-roledescription": "line chart",
    "data-test": "plot",
  });
  const shown = shownIn(view, frame);
  frame.append(axesLayer(view, shown), linesLayer(view, shown), dotsLayer(view, shown), markedLayer(view, shown));
  listenOn(frame, view, shown);

  const message = html("p", { class: "ice-message-text", "data-test": "curves-message", "aria-live": "polite" });
  const retry = html("button", { type: "button", class: "ice-button", "data-test": "retry" }, "Try again");
  retry.addEventListener("click", () => store.retry(), { signal: aborted });
  const cover = html("div", { class: "ice-message" }, message, retry);

  const { title, facts } = featureTitle(view);
  const titles = axisTitles(view, shown, frame);
  const above = html("div", { class: "ice-plot-titles" }, titles.value, titles.range);
  const below = html("div", { class: "ice-plot-titles" }, marksKey(view, shown), titles.feature);
  const panel = html(
    "section",
    { class: "ice-panel ice-curves", "aria-label": "Curves of the open feature", "data-test": "curves" },
    html("header", { class: "ice-head" }, html("div", { class: "ice-title-row" }, title, compare), facts),
    controls,
    kindRemark(view, shown),
    above,
    html("div", { class: "ice-stage" }, frame, cover),
    below,
    colorLegend(view, shown),
    spokenSummary(view, shown),
  );

  view.keep(
    () => ({ picture: store.picture.value, status: store.status.value }),
    ({ picture, status }) => {
      panel.dataset.state = picture.state;
      const nothing = loadedOf(picture) === null;
      frame.hidden = nothing;
      for (const part of [above, below]) part.classList.toggle("ice-absent", nothing);
      cover.hidden = picture.state === "ready";
      retry.hidden = picture.state !== "error";
      setText(message, messageFor(picture, status));
    },
  );
  return panel;
}
