/** Small plots of all features in the order of the ranking, those that are compared first and larger. */
import { useComputed, useSignal } from "@preact/signals";
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { max } from "d3-array";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ColorLegend } from "../../plot/legend.tsx";
import type { Pace } from "../../plot/pace.ts";
import { sceneOf } from "../../plot/scene.ts";
import { SmallPlot } from "../../plot/small_plot.tsx";
import { type Ends, unionOf } from "../../plot/value_range.ts";
import { SMALL_LINES } from "../../state/curves.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Store } from "../../state/store.ts";
import { RANK_LABELS } from "../../text/metric_names.ts";
import { count, figureFormat, plural } from "../../text/numbers.ts";
import { drawnKind } from "../../text/values.ts";
import { ElidedName, flag, hint, Icon } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";

/** How far from the view a plot is near it. */
const NEAR = "160px 0px";

interface Props {
  pace: Pace;
  /** Above the plots. */
  controls: ComponentChildren;
  /** Called when a feature is opened. */
  showFeature: () => void;
}

export function AllFeatures({ pace, controls, showFeature }: Props) {
  const { store } = useView();
  const scroll = useRef<HTMLDivElement>(null);
  const near = useSignal<ReadonlySet<string>>(new Set());
  const shared = useSharedRange(near);
  const order = useSettledOrder();
  const [chosen, opened] = [store.remembered.of("compared").value, store.feature.value];
  const metric = RANK_LABELS[store.rankBy.value];
  const pinned = order.filter(({ name }) => chosen.includes(name));
  const rest = order.filter((feature) => !pinned.includes(feature));
  const all = [...pinned, ...rest];
  const wanted = all.filter((feature) => near.value.has(feature.name) && feature.known && hasKind(store, feature));
  const wantedNames = wanted.map(({ name }) => name);
  useLayoutEffect(() => store.curves.want(wantedNames), [wantedNames.join("\n")]);
  useLayoutEffect(() => () => store.curves.want([]), []);
  const observer = useRef<IntersectionObserver>(null);
  useLayoutEffect(() => {
    observer.current = observeNear(scroll.current!, near);
    return () => observer.current!.disconnect();
  }, []);
  const names = all.map(({ name }) => name);
  useLayoutEffect(() => {
    for (const tile of scroll.current!.querySelectorAll("li")) observer.current!.observe(tile);
  }, [names.join("\n"), pinned.length]);
  useLayoutEffect(() => revealOpened(scroll.current!), [opened]);
  const write = figureFormat(max(order, ({ value }) => value) ?? 0);
  const tilesOf = (features: readonly RankedFeature[], isPinned: boolean) => (
    <ol
      class="ice-tiles"
      data-pinned={flag(isPinned)}
      aria-label={isPinned ? "Compared features" : `Features by ${metric}`}
      hidden={features.length === 0}
    >
      {features.map((feature) => (
        <FeatureTile
          key={feature.name}
          {...{ feature, pace, near, shared, isPinned }}
          place={order.indexOf(feature) + 1}
          figure={feature.known ? write(feature.value) : ""}
          open={() => {
            store.open(feature.name);
            showFeature();
          }}
          pin={() => {
            const others = chosen.filter((name) => name !== feature.name);
            store.remembered.choose("compared", isPinned ? others : [...others, feature.name]);
          }}
        />
      ))}
    </ol>
  );
  return (
    <section class="ice-panel" aria-label="All features in small" data-test="all-features">
      <header class="ice-head">
        <h3 class="ice-title">All features</h3>
        <p class="ice-facts" data-test="all-about">
          {aboutText(store, order, metric)}
        </p>
      </header>
      {controls}
      {wantedNames[0] !== undefined && <Legend key={wantedNames[0]} feature={wantedNames[0]} />}
      <div ref={scroll} class="ice-tiles-scroll" data-test="tiles-scroll">
        {tilesOf(pinned, true)}
        {tilesOf(rest, false)}
        {order.length === 0 && <p class="ice-empty">No features to show.</p>}
      </div>
    </section>
  );
}

/**
 * The values that all plots show: the range of all predictions, or of the changes of all features that were near the view.
 * Slopes are per unit of each feature and share nothing.
 */
function useSharedRange(near: ReadonlySignal<ReadonlySet<string>>): ReadonlySignal<Ends | null> {
  const { store } = useView();
  return useMemo(() => {
    const changes = new Map<string, Ends>();
    return computed(() => {
      const [features, anchor] = [store.figures.value?.header.features ?? [], store.anchor.value];
      if (store.kind.value === "d-ice") return null;
      if (store.kind.value === "ice") return unionOf(features.map(({ range }) => range));
      const key = JSON.stringify([store.measured.value, anchor]);
      const loaded = [...near.value].flatMap((name) => store.curves.small(name).value.body ?? []);
      const ends = loaded.map(({ curves }) => sceneOf(curves, "c-ice", anchor).extent);
      const all = unionOf([...ends, changes.get(key) ?? null]);
      if (all !== null) changes.set(key, all);
      return all;
    });
  }, []);
}

/** The colours of a feature, which all have. Rows differ from plot to plot, so nothing is counted. */
function Legend({ feature }: { feature: string }) {
  const { store } = useView();
  const progress = useMemo(() => store.curves.small(feature), []);
  const { colors = null, colorProblem = null } = progress.value.body ?? {};
  return <ColorLegend name="all-legend" colors={colors} problem={colorProblem} nMissing={0} drawn={null} />;
}

/** While the slider moves, plots stay where they are: only what they show follows it. */
function useSettledOrder(): readonly RankedFeature[] {
  const { dragging, ranking } = useView().store;
  const settled = useRef<readonly RankedFeature[]>([]);
  if (!dragging.value || settled.current.length === 0) settled.current = ranking.value;
  const now = new Map(ranking.value.map((feature) => [feature.name, feature]));
  return settled.current.flatMap(({ name }) => now.get(name) ?? []);
}

/** Levels without an order have no slopes. */
const hasKind = ({ kind: { value: wanted } }: Store, { kind }: RankedFeature): boolean =>
  drawnKind(wanted, kind) === wanted;

/** Follows which plots are in view, or near it. */
function observeNear(scroll: HTMLElement, near: { value: ReadonlySet<string> }): IntersectionObserver {
  const follow = (entries: readonly IntersectionObserverEntry[]): void => {
    const names = new Set(near.value);
    for (const { target, isIntersecting } of entries) {
      const { feature = "" } = (target as HTMLElement).dataset;
      if (isIntersecting) names.add(feature);
      else if (target.isConnected) names.delete(feature);
    }
    near.value = names;
  };
  return new IntersectionObserver(follow, { root: scroll, rootMargin: NEAR });
}

/** Scrolls to the open feature where it is out of view. */
function revealOpened(scroll: HTMLElement): void {
  const tile = scroll.querySelector<HTMLElement>("li[aria-current]");
  if (tile === null) return;
  const { offsetTop: top, offsetHeight: height } = tile;
  if (top < scroll.scrollTop || top + height > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top;
}

function aboutText(
  { kind, outputName, models, openModel, remembered }: Store,
  order: readonly RankedFeature[],
  metric: string,
) {
  const nKnown = order.filter(({ known }) => known).length;
  const features = plural(order.length, "feature");
  const output = { ice: "", "c-ice": "change of the ", "d-ice": "slope of the " }[kind.value] + outputName.value;
  const sharesAxis = remembered.of("shared_y").value && kind.value !== "d-ice";
  return [
    `${nKnown < order.length ? `${count(nKnown)} of ${features} so far` : features} by ${metric}`,
    `${models.value.length > 1 ? `${openModel.value}, ` : ""}at most ${SMALL_LINES} curves each`,
    `↑ ${output}${sharesAxis ? ", on the same axis" : ""}`,
  ].join(" · ");
}

interface TileProps {
  feature: RankedFeature;
  place: number;
  figure: string;
  isPinned: boolean;
  pace: Pace;
  near: ReadonlySignal<ReadonlySet<string>>;
  shared: ReadonlySignal<Ends | null>;
  open: () => void;
  pin: () => void;
}

/** One feature: rank, name and figure, a button that opens it and one that compares it, and its curves. */
function FeatureTile({ feature, place, figure, isPinned, pace, near, shared, open, pin }: TileProps) {
  const { store } = useView();
  const { name, known, mayMove } = feature;
  const progress = useMemo(() => store.curves.small(name), []);
  const loaded = useComputed(() => progress.value.body);
  const unlike = useComputed(() => store.curves.unlike(name, true).body);
  const range = useComputed(() => (isPinned || store.remembered.of("shared_y").value ? shared.value : null));
  const { state } = progress.value;
  const waiting = store.status.value.label === name ? "Computing …" : "Not computed yet.";
  const problem = progress.value.state === "error" ? progress.value.message : loaded.value === null ? "…" : "";
  const message = !known ? waiting : hasKind(store, feature) ? problem : "Levels without an order have no slopes.";
  const pinText = isPinned ? "No longer compare" : "Compare: larger, before the others";
  return (
    <li
      class="ice-tile"
      aria-current={name === store.feature.value ? "true" : undefined}
      data-test="tile"
      data-feature={name}
      data-may-move={flag(mayMove)}
    >
      <div class="ice-tile-head">
        <span class="ice-tile-rank">{place}</span>
        <button type="button" class="ice-tile-open" data-test="tile-open" onClick={open}>
          <span class="ice-parted" title={name}>
            <ElidedName name={name} sharedLength={store.partings.value.get(name)} />
          </span>
        </button>
        <span class="ice-tile-figure">{figure}</span>
        <button
          type="button"
          class="ice-tile-pin"
          aria-label={`Compare ${name}`}
          aria-pressed={isPinned}
          data-test="tile-pin"
          {...hint(pinText)}
          onClick={pin}
        >
          <Icon name="pin" />
        </button>
      </div>
      {near.value.has(name) && (
        <SmallPlot
          {...{ loaded, unlike, pace, message }}
          shared={range}
          kind={store.kind}
          isNear={() => near.peek().has(name)}
          hasFailed={state === "error"}
        />
      )}
    </li>
  );
}
