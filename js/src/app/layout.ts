/** Puts the panels together: one column in a narrow cell, two in a wide one, by the explorer's own width. */

import { computed, signal } from "@preact/signals-core";
import { gridPanel } from "../panels/all_features/panel.tsx";
import { classesPanel } from "../panels/compare/classes.tsx";
import { comparePanel } from "../panels/compare/compare.tsx";
import { correlatedLine } from "../panels/compare/correlated.tsx";
import { driversLine } from "../panels/compare/drivers.tsx";
import { decayPanel } from "../panels/controls/decay.ts";
import { kindControl } from "../panels/controls/kinds.ts";
import { contextLine } from "../panels/controls/outputs.ts";
import { type MoreSettings, settingsMenu } from "../panels/controls/settings_menu.ts";
import { curvesPanel } from "../panels/feature/panel.tsx";
import { interactionsPanel } from "../panels/interactions/panel.ts";
import { pairPanel } from "../panels/pair/panel.tsx";
import { type BesideBars, rankingPanel } from "../panels/ranking/panel.ts";
import { rowPanel } from "../panels/rows/row.ts";
import { selectedPanel } from "../panels/rows/selected_rows.ts";
import { alertsPanel } from "../panels/status/alerts.tsx";
import { statusPanel } from "../panels/status/panel.tsx";
import { type Pins, pinsOf } from "../state/pins.ts";
import { html } from "../ui/element.ts";
import { focusedBeside } from "../ui/focus.ts";
import { atEnd, react } from "../ui/lifetime.ts";
import { scrollBehavior } from "../ui/move_to.ts";
import { Tabs } from "../ui/tabs.ts";
import { type View, whileShown } from "../view/view.ts";
import type { ViewChoices } from "../wire/protocol.ts";

/** Minimum width for ranking and curves side by side; in a narrower cell the curves follow the first few bars. */
const WIDE_PX = 701;

/** The parts that export the view: a button, and the message about the last export. */
export type Exporting = (view: View) => { button: HTMLElement; news: HTMLElement };

export function layOut(view: View, exporting: Exporting): void {
  const { root } = view;
  const { button, news } = exporting(view);
  const pins = pinsOf(view.store, view.aborted);
  const isNarrow = signal(false);
  const { right, ...more } = rightColumn(view, pins);
  const menu = settingsMenu(view, more);
  const bar = html(
    "div",
    { class: "ice-bar-top" },
    contextLine(view),
    html("div", { class: "ice-bar-end" }, button, menu),
  );
  const toCurves = (): void => {
    if (!isNarrow.peek()) return;
    const plot = right.querySelector(".ice-plot");
    const shown = plot?.checkVisibility() ? plot : right;
    shown.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
  };
  const panels = html(
    "div",
    { class: "ice-panels" },
    leftColumn(view, { isNarrow, toCurves }),
    right,
    rowPanel(view, pins),
  );
  root.append(bar, news, alertsPanel(view), panels, statusPanel(view));

  const place = (): void => {
    isNarrow.value = root.clientWidth < WIDE_PX;
    root.dataset.layout = isNarrow.value ? "narrow" : "wide";
  };
  // In the next frame: browsers report a layout change inside the observer as a loop.
  const observer = new ResizeObserver(() => view.frames.request(place));
  observer.observe(root);
  atEnd(view.aborted, () => observer.disconnect());
  place();
}

/** Panels that compare features: ranking and interactions. */
function leftColumn(view: View, beside: BesideBars): HTMLElement {
  const { remembered } = view.store;
  const left = remembered.of("left");
  const ofTab = (name: ViewChoices["left"]): View => whileShown(view, () => left.value === name);
  const bars = html("div", {}, rankingPanel(ofTab("bars"), beside));
  const interactions = html("div", {}, interactionsPanel(ofTab("interactions"), beside.toCurves));
  const tabs = new Tabs(
    "Features",
    [
      { name: "bars", label: "Ranking", panel: bars },
      { name: "interactions", label: "Interactions", panel: interactions },
    ],
    (name) => remembered.choose("left", name),
    view.aborted,
  );
  // At once, not in the next frame, in which panels measure their size before they draw.
  react(view.aborted, () => tabs.draw(left.value));
  return html("div", { class: "ice-column" }, tabs.node, bars, interactions);
}

/** Panels of curves: the open feature, or all features. The slider is under the large plot, and above the small ones. */
function rightColumn(view: View, pins: Pins): MoreSettings & { right: HTMLElement } {
  const { remembered } = view.store;
  const right = remembered.of("right");
  const [kinds, decay] = [kindControl(view), decayPanel(view)];
  const [forKinds, forDecay] = [html("div", {}), html("div", {})];
  const overGrid = html("div", { class: "ice-grid-kind" });
  const isPair = computed(() => view.store.pair.value !== null);
  const ofOne = whileShown(view, () => right.value !== "all" && !isPair.value);
  const beside = {
    pins,
    compare: comparePanel(ofOne, pins),
    correlated: correlatedLine(ofOne),
    kinds: forKinds,
    decay: forDecay,
    classes: classesPanel(ofOne),
  };
  const curves = curvesPanel(ofOne, beside);
  const pair = pairPanel(whileShown(view, () => right.value !== "all" && isPair.value));
  const one = html("div", {}, curves, pair);
  const toFeature = (): void => {
    const isFocused = all.contains(focusedBeside(all));
    remembered.choose("right", "feature");
    if (isFocused) tabs.focus("feature");
  };
  const ofAll = whileShown(view, () => right.value === "all");
  const all = html("div", {}, gridPanel(ofAll, overGrid, toFeature));
  const tabs = new Tabs(
    "Curves",
    [
      { name: "feature", label: "Feature", panel: one },
      { name: "all", label: "All features", panel: all },
    ],
    (name) => remembered.choose("right", name),
    view.aborted,
  );
  react(view.aborted, () => {
    const isAll = right.value === "all";
    tabs.draw(isAll ? "all" : "feature");
    (isAll ? overGrid : forKinds).append(kinds);
    (isAll ? overGrid : forDecay).append(decay);
  });
  react(view.aborted, () => {
    const isFocused = one.contains(focusedBeside(one));
    curves.hidden = isPair.value;
    pair.hidden = !isPair.value;
    if (isFocused) tabs.focus("feature");
  });
  const column = html("div", { class: "ice-column" }, tabs.node, one, all, selectedPanel(view));
  return { right: column, compare: beside.compare.choice, drivers: driversLine(view) };
}
