/** Puts the panels together: one column in a narrow cell, two in a wide one, by the explorer's own width. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ExportMessage, type ExportNews } from "../files/export_menu.tsx";
import { ContextLine } from "../panels/controls/context.tsx";
import { Decay } from "../panels/controls/decay.tsx";
import { KindControl } from "../panels/controls/kinds.tsx";
import { SettingsMenu } from "../panels/controls/settings.tsx";
import { FeaturePanel } from "../panels/feature/panel.tsx";
import { shownIn } from "../panels/feature/shown.ts";
import { Interactions } from "../panels/interactions/panel.tsx";
import { PairPanel } from "../panels/pair/panel.tsx";
import { Ranking } from "../panels/ranking/panel.tsx";
import { RowPanel } from "../panels/rows/row.tsx";
import { SelectedRows } from "../panels/rows/selected_rows.tsx";
import { AllFeatures } from "../panels/small_plots/all_features.tsx";
import { Classes } from "../panels/small_plots/classes.tsx";
import { Alerts, Status } from "../panels/status/panel.tsx";
import { Pace } from "../plot/pace.ts";
import { pinsOf } from "../state/pins.ts";
import { scrollBehavior } from "../ui/move_to.ts";
import { Tabs } from "../ui/tabs.tsx";
import { TooltipCard } from "../view/tooltip_card.tsx";
import { useView } from "../view/use_view.tsx";
import type { View } from "../view/view.ts";

/** Minimum width for ranking and curves side by side; in a narrower cell the curves follow the first few bars. */
const WIDE_PX = 701;

/** The menu that exports the view, which sets the message about the last export. */
export type ExportPanel = ComponentType<{ news: ExportNews }>;

export function Explorer({ Export }: { Export: ExportPanel }) {
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
  const isAll = remembered.of("right").value === "all";
  const isPair = store.pair.value !== null;
  const pins = useMemo(() => pinsOf(store, view.aborted), []);
  const pace = useMemo(() => new Pace(store, view.frames, view.aborted), []);
  const shown = useMemo(() => shownIn(view, pace), []);
  const feature = (
    <FeaturePanel {...{ shown, pins }} kinds={<KindControl />} decay={<Decay />} classes={<Classes pace={pace} />} />
  );
  // The slider is under the large plot, and above the small ones.
  const controls = (
    <div class="ice-grid-kind">
      <KindControl />
      <Decay />
    </div>
  );
  // The Tab key follows the eye: under the ranking, or under the curves where there is one column.
  const row = <RowPanel key="row" pins={pins} />;
  return (
    <>
      <RootState isNarrow={isNarrow} />
      <div class="ice-bar-top">
        <ContextLine />
        <div class="ice-bar-end">
          <Export news={news} />
          <SettingsMenu />
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
        {!isNarrow.value && row}
        <div key="curves" ref={curves} class="ice-column">
          <Tabs
            label="Curves"
            chosen={remembered.of("right").value}
            choose={(name) => remembered.choose("right", name)}
            tabs={[
              {
                name: "feature",
                label: "Feature",
                panel: isPair ? <PairPanel /> : !isAll && feature,
              },
              {
                name: "all",
                label: "All features",
                panel: isAll && (
                  <AllFeatures
                    pace={pace}
                    controls={controls}
                    showFeature={() => remembered.choose("right", "feature")}
                  />
                ),
              },
            ]}
          />
          <SelectedRows />
        </div>
        {isNarrow.value && row}
      </div>
      <Status />
      <TooltipCard />
    </>
  );
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
