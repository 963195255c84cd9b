/** Puts the panels together: one column in a narrow cell, two in a wide one, by the explorer's own width. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ExportMessage, type ExportNews } from "../files/export_menu.tsx";
import { gridPanel } from "../panels/all_features/panel.ts";
import { classesPanel } from "../panels/compare/classes.ts";
import { ComparePanel } from "../panels/compare/compare.ts";
import { correlatedLine } from "../panels/compare/correlated.ts";
import { driversLine } from "../panels/compare/drivers.ts";
import { ContextLine } from "../panels/controls/context.tsx";
import { Decay } from "../panels/controls/decay.tsx";
import { KindControl } from "../panels/controls/kinds.tsx";
import { SettingsMenu } from "../panels/controls/settings_menu.tsx";
import { curvesPanel } from "../panels/feature/panel.ts";
import { Interactions } from "../panels/interactions/panel.tsx";
import { pairPanel } from "../panels/pair/panel.ts";
import { Ranking } from "../panels/ranking/panel.tsx";
import { RowPanel } from "../panels/rows/row.tsx";
import { SelectedRows } from "../panels/rows/selected_rows.tsx";
import { Alerts } from "../panels/status/alerts.tsx";
import { Status } from "../panels/status/panel.tsx";
import { pinsOf } from "../state/pins.ts";
import { Node } from "../ui/components.tsx";
import { scrollBehavior } from "../ui/move_to.ts";
import { Tabs } from "../ui/tabs.tsx";
import { mounted, useView } from "../view/mounted.tsx";
import { TooltipCard } from "../view/tooltip_card.tsx";
import { type View, whileShown } from "../view/view.ts";

/** Minimum width for ranking and curves side by side; in a narrower cell the curves follow the first few bars. */
const WIDE_PX = 701;

/** The menu that exports the view, which sets the message about the last export. */
export type ExportPanel = ComponentType<{ news: ExportNews }>;

interface ExplorerProps {
  Export: ExportPanel;
  panels: ReturnType<typeof curvesPanels>;
}

export function Explorer({ Export, panels }: ExplorerProps) {
  const view = useView();
  const { store } = view;
  const { remembered } = store;
  const isNarrow = useIsNarrow(view);
  const news: ExportNews = useSignal(null);
  const curves = useRef<HTMLDivElement>(null);
  const scrollToCurves = (): void => {
    if (!isNarrow.peek()) return;
    const plot = curves.current!.querySelector(".ice-plot");
    const target = plot?.checkVisibility() ? plot : curves.current!;
    target.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
  };
  const isPair = store.pair.value !== null;
  return (
    <>
      <RootState isNarrow={isNarrow} />
      <div class="ice-bar-top">
        <ContextLine />
        <div class="ice-bar-end">
          <Export news={news} />
          <SettingsMenu compare={panels.compare} drivers={panels.drivers} />
        </div>
      </div>
      <ExportMessage news={news} />
      <Alerts />
      <div class="ice-panels">
        <div class="ice-column">
          <Tabs
            label="Features"
            chosen={remembered.of("left").value}
            choose={(name) => remembered.choose("left", name)}
            tabs={[
              {
                name: "bars",
                label: "Ranking",
                panel: <Ranking isNarrow={isNarrow} scrollToCurves={scrollToCurves} />,
              },
              { name: "interactions", label: "Interactions", panel: <Interactions scrollToCurves={scrollToCurves} /> },
            ]}
          />
        </div>
        <div ref={curves} class="ice-column">
          <Tabs
            label="Curves"
            chosen={remembered.of("right").value}
            choose={(name) => remembered.choose("right", name)}
            tabs={[
              {
                name: "feature",
                label: "Feature",
                panel: [
                  <Node key="curves" of={panels.curves} hidden={isPair} />,
                  <Node key="pair" of={panels.pair} hidden={!isPair} />,
                ],
              },
              { name: "all", label: "All features", panel: <Node of={panels.all} /> },
            ]}
          />
          <SelectedRows />
        </div>
        <RowPanel pins={panels.pins} />
      </div>
      <Status />
      <TooltipCard />
    </>
  );
}

/** Panels of curves that are no components: of the open feature, of a pair, and of all features. */
export function curvesPanels(view: View) {
  const pins = pinsOf(view.store, view.aborted);
  const { pair, remembered } = view.store;
  const right = remembered.of("right");
  const featureTab = whileShown(view, () => right.value !== "all");
  const curvesView = whileShown(featureTab, () => pair.value === null);
  const pairView = whileShown(featureTab, () => pair.value !== null);
  const gridView = whileShown(view, () => right.value === "all");
  const compare = new ComparePanel(curvesView);
  // The slider is under the large plot, and above the small ones.
  const parts = {
    pins,
    compare,
    correlated: correlatedLine(curvesView),
    kinds: mounted(featureTab, <KindControl />),
    decay: mounted(featureTab, <Decay />),
  };
  const controls = mounted(
    gridView,
    <div class="ice-grid-kind">
      <KindControl />
      <Decay />
    </div>,
  );
  return {
    pins,
    compare: compare.choice,
    drivers: driversLine(curvesView),
    curves: curvesPanel(curvesView, parts, classesPanel(curvesView)),
    pair: pairPanel(pairView),
    all: gridPanel(gridView, controls, () => remembered.choose("right", "feature")),
  };
}

function useIsNarrow({ root }: View): ReadonlySignal<boolean> {
  const isNarrow = useSignal(root.clientWidth < WIDE_PX);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      isNarrow.value = root.clientWidth < WIDE_PX;
    });
    observer.observe(root);
    return () => observer.disconnect();
  }, []);
  return isNarrow;
}

/** Writes layout, theme and status on the root element, for style sheets and tests. */
function RootState({ isNarrow }: { isNarrow: ReadonlySignal<boolean> }) {
  const { root, store, theme } = useView();
  const state = {
    layout: isNarrow.value ? "narrow" : "wide",
    colors: store.settings.value.theme ?? "auto",
    theme: theme.value.dark ? "dark" : "light",
    status: store.client.alive.value ? store.status.value.state : "gone",
  };
  useLayoutEffect(() => void Object.assign(root.dataset, state));
  return null;
}
