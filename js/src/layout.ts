/** Puts the panels together: one column in a narrow cell, two in a wide one, by the explorer's own width. */
import { html } from "./marks/element.ts";
import { classesPanel } from "./panels/classes.ts";
import { colorControl } from "./panels/color_by.ts";
import { controlsPanel } from "./panels/controls.ts";
import { curvesPanel } from "./panels/curves/panel.ts";
import { decayPanel } from "./panels/decay.ts";
import { driversLine } from "./panels/drivers.ts";
import { exportPanel } from "./panels/export.ts";
import { outputsPanel } from "./panels/outputs.ts";
import { rankingPanel } from "./panels/ranking.ts";
import { selectedPanel } from "./panels/selected.ts";
import { statusPanel } from "./panels/status.ts";
import type { View } from "./view.ts";

const WIDE_PX = 700;

export function layOut(view: View): void {
  const { root } = view;
  const bar = html("div", { class: "ice-bar-top" }, decayPanel(view), outputsPanel(view), exportPanel(view));
  const panels = html(
    "div",
    { class: "ice-panels" },
    rankingPanel(view),
    curvesPanel(view, driversLine(view), controlsPanel(view, colorControl(view)), classesPanel(view)),
  );
  root.append(bar, panels, selectedPanel(view), statusPanel(view));

  const place = (): void => {
    root.dataset.layout = root.clientWidth >= WIDE_PX ? "wide" : "narrow";
  };
  // In the next frame: another layout from inside the observer would be a loop, and browsers complain of it.
  const observer = new ResizeObserver(() => view.frames.request(place));
  observer.observe(root);
  view.aborted.addEventListener("abort", () => observer.disconnect(), { once: true });
  place();
}
