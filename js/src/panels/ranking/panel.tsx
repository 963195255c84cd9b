/** The features as bars, best first, read from the tables, so that the slider needs no request. */
import type { ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { labelWidth } from "../../plot/marks/axis.ts";
import { whiskerOf } from "../../state/ranking.ts";
import type { Store } from "../../state/store.ts";
import { captionOf, meaningOf, RANK_LABELS, whyUndefined } from "../../text/metric_names.ts";
import { count, figureFormat } from "../../text/numbers.ts";
import { Button, flag, hint, useUniqueId } from "../../ui/components.tsx";
import { modelColorsIn } from "../../view/model_colors.ts";
import { useView } from "../../view/use_view.tsx";
import type { View } from "../../view/view.ts";
import { Bar } from "./bar.tsx";
import { showFacts } from "./facts.ts";
import { BarsKey, IntervalsKey, ModelsKey, MovedKey } from "./keys.tsx";
import { FEW_ROWS, RankedList } from "./list.ts";
import { SearchField } from "./search.tsx";
import { longestOf, type Scale, tiesText } from "./words.ts";

/** The height of the bar and of the figure of one of several models, in px. */
const MODEL_PX = 16;

interface RankingProps {
  /** Whether the curves are below the bars. */
  isNarrow: ReadonlySignal<boolean>;
  scrollToCurves: () => void;
}

export function Ranking({ isNarrow, scrollToCurves }: RankingProps) {
  const { store } = useView();
  const list = useMemo(() => new RankedList(store, isNarrow), []);
  const [nModels, waits] = [store.models.value.length, store.isCounting.value];
  const isShown = store.remembered.of("left").value === "bars";
  return (
    <section
      class="ice-panel ice-ranking"
      aria-label="Ranking of the features"
      aria-busy={waits || undefined}
      data-test="ranking"
      data-waits={flag(waits)}
      data-models={flag(nModels > 1)}
      style={nModels > 1 ? { "--ice-row": `${nModels * MODEL_PX + 6}px` } : {}}
    >
      <header class="ice-head">
        <h3 class="ice-caption">What matters most</h3>
        <MovedKey />
        <Caption />
      </header>
      {isShown && <SearchField list={list} />}
      {isShown && <RankedFeatures {...{ list, scrollToCurves }} />}
    </section>
  );
}

/** What the figures are, with the sentence about the metric. */
function Caption() {
  const { models, quantity, rankBy, reading } = useView().store;
  if (reading.value === null) return null;
  const [metric, { figures }] = [rankBy.value, reading.value];
  return (
    <p
      class="ice-meaning ice-explained"
      tabIndex={0}
      data-test="ranking-unit"
      {...hint(meaningOf(metric, figures.header.convention, models.value.length), RANK_LABELS[metric])}
    >
      {captionOf(metric, quantity.value)}
    </p>
  );
}

interface ListProps {
  list: RankedList;
  scrollToCurves: () => void;
}

function RankedFeatures({ list, scrollToCurves }: ListProps) {
  const { store } = useView();
  const area = useRef<HTMLDivElement>(null);
  // The page below keeps its place while the search text is typed.
  const minHeight = useRef("");
  if (list.query.value === "") minHeight.current = "";
  else if (minHeight.current === "") minHeight.current = `${area.current?.offsetHeight ?? 0}px`;
  const remark = remarkOn(store, list);
  return (
    <div ref={area} style={{ minHeight: minHeight.current }}>
      <p class="ice-empty" hidden={remark === ""} data-test="ranking-remark">
        {remark}
      </p>
      <Bars {...{ list, scrollToCurves }} />
      <Cut list={list} />
      <BarsKey listed={list.listed.value} />
      <IntervalsKey />
      <ModelsKey />
    </div>
  );
}

const rowOf = (event: Event): HTMLElement | null => (event.target as Element).closest<HTMLElement>("[data-feature]");

function Bars({ list, scrollToCurves }: ListProps) {
  const view = useView();
  const { store, tooltip } = view;
  const { viewport } = list;
  const [scroll, bars] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const id = useUniqueId("ice-ties");
  const scale = useScale(view);
  const widest = `${1.1 * scale.write(scale.longest).length}ch`; // digits of the open feature are bold
  const hide = (): void => tooltip.hide();
  useLayoutEffect(() => viewport.show(scroll.current!), []);
  // A host may show the explorer some time after it is made.
  const isMeasured = viewport.inSight.value > 0;
  useNameWidth(view, bars, isMeasured);
  useLayoutEffect(() => {
    if (isMeasured) list.revealOpened();
  }, [isMeasured, store.feature.value, list.query.value, store.ranking.value]);
  return (
    <>
      <div
        ref={scroll}
        class="ice-bars-scroll"
        hidden={list.matching.value.length === 0}
        onScroll={() => {
          hide();
          viewport.measure();
        }}
        {...useSteadyOrder(view, bars)}
      >
        <div
          ref={bars}
          class="ice-bars"
          role="listbox"
          style={{ "--count": list.listed.value.length, "--ice-figure": widest }}
          aria-label={`Features by ${RANK_LABELS[store.rankBy.value]}`}
          aria-describedby={id}
          data-test="bars"
          data-intervals={flag(store.intervals.value !== null)}
          onClick={(event) => {
            const name = rowOf(event)?.dataset.feature;
            if (name === undefined) return;
            store.open(name);
            scrollToCurves();
          }}
          onPointerOver={(event) => showFacts(view, rowOf(event))}
          onPointerLeave={hide}
          onKeyDown={(event) => {
            const place = list.placeByKey(event.key, rowOf(event)?.dataset.feature ?? store.feature.peek());
            if (place === undefined) return;
            event.preventDefault();
            list.open(place);
          }}
        >
          <Rows {...{ list, scale }} />
        </div>
      </div>
      <p id={id} class="ice-hidden" data-test="ties">
        {tiesText(store.ranking.value, store.intervals.value)}
      </p>
    </>
  );
}

/** The bars in or near view, those that the focus or the Tab key is on, and no others. */
function Rows({ list: { listed, matching, reachable, viewport }, scale }: { list: RankedList; scale: Scale }) {
  const { feature, movedRanks, partings, status } = useView().store;
  const [ranking, all, opened, moved] = [listed.value, matching.value, feature.value, movedRanks.value];
  const computing = status.value.state === "computing" ? status.value.label : null;
  const focused = viewport.node?.querySelector<HTMLElement>("[data-feature]:focus")?.dataset.feature;
  const places = new Map<string, number>();
  const add = (place: number): void => {
    if (ranking[place] !== undefined) places.set(ranking[place].name, place);
  };
  for (let place = viewport.first.value; place < viewport.end.value; place++) add(place);
  for (const name of [reachable.value, focused]) add(ranking.findIndex((ranked) => ranked.name === name));
  // In the order in which they were made: an element that is moved in the page loses its focus.
  const made = useRef<readonly string[]>([]);
  made.current = [...new Set([...made.current.filter((name) => places.has(name)), ...places.keys()])];
  return made.current.map((name) => {
    const place = places.get(name)!;
    const ranked = ranking[place]!;
    const { tiedBefore, tiedAfter } = ranked;
    return (
      <Bar
        key={name}
        {...{ ranked, scale, place }}
        sharedLength={partings.value.get(name)}
        position={(ranking === all ? place : all.indexOf(ranked)) + 1}
        count={all.length}
        moved={moved.get(ranked.index) ?? 0}
        isTiedAbove={tiedBefore !== null && tiedBefore === ranking[place - 1]?.name}
        isTiedBelow={tiedAfter !== null && tiedAfter === ranking[place + 1]?.name}
        isOpen={name === opened}
        isReachable={name === reachable.value}
        isComputing={name === computing}
      />
    );
  });
}

/** What all bars have in common. */
function useScale(view: View): Scale {
  const { ranking, reading, rankBy, intervals, models, openModel } = view.store;
  // How much longer whiskers are than bars: kept while new ones are computed, so that bars keep their lengths.
  const reach = useRef(1);
  const [ranked, metric, colors] = [ranking.value, rankBy.value, modelColorsIn(view)];
  // The length of the longest bar is that of all decays, so that bars keep their scale while the slider moves.
  const bars = Math.max(longestOf(ranked), reading.value?.largest(metric) || 0);
  const whiskers = ranked.reduce((longest, each) => Math.max(longest, whiskerOf(each)?.[1] ?? 0), 0);
  if (intervals.value === null && ranked.every(({ draft }) => draft === null)) reach.current = 1;
  else if (whiskers > 0 && bars > 0) reach.current = Math.max(1, whiskers / bars);
  const longest = bars * reach.current;
  return {
    metric,
    convention: reading.value?.figures.header.convention ?? "step",
    of: ranked.length,
    longest,
    models: models.value.map((name, model) => ({ name, color: colors[model]!, isOpen: name === openModel.value })),
    write: figureFormat(longest),
  };
}

/** Bars stay where they are while the pointer or the keyboard is on them. */
function useSteadyOrder({ store }: View, bars: { current: HTMLElement | null }) {
  const isOver = useRef(false);
  const hold = (): void => {
    store.holdsOrder.value = isOver.current || bars.current?.querySelector(":focus-visible") != null;
  };
  const pointer = (isInside: boolean) => (): void => {
    isOver.current = isInside;
    hold();
  };
  useLayoutEffect(() => pointer(false), []);
  return { onPointerEnter: pointer(true), onPointerLeave: pointer(false), onFocusIn: hold, onFocusOut: hold };
}

/** Names take the room that the longest needs, in the weight it has when it is open. */
function useNameWidth({ store }: View, bars: { current: HTMLElement | null }, isMeasured: boolean): void {
  const features = store.figures.value?.header.features;
  const names = useMemo(() => JSON.stringify(features?.map(({ name }) => name) ?? []), [features]);
  useLayoutEffect(() => {
    const labels = (JSON.parse(names) as string[]).map((label) => ({ at: 0, label }));
    const { fontSize, fontFamily } = getComputedStyle(bars.current!);
    const width = labelWidth(labels, `600 ${fontSize} ${fontFamily}`);
    bars.current!.style.setProperty("--name", `${Math.max(40, width)}px`);
  }, [names, isMeasured]);
}

/** How many of the features are in view, and a button for the others. */
function Cut({ list }: { list: RankedList }) {
  const [n, isCut] = [list.matching.value.length, list.isCut.value];
  const inSight = Math.min(list.listed.value.length, list.viewport.inSight.value);
  const counted = inSight < n ? `${count(inSight)} of ${count(n)}${isCut ? "" : ", scroll for more"}` : "";
  const hasButton = list.isNarrow.value && n > FEW_ROWS + 1;
  return (
    <p class="ice-cut" hidden={!hasButton && counted === ""}>
      <span data-test="ranking-count">{counted}</span>
      <Button
        class="ice-link"
        hidden={!hasButton}
        aria-expanded={!isCut}
        data-test="ranking-whole"
        onClick={() => {
          list.showsAll.value = !list.showsAll.peek();
        }}
      >
        {isCut ? `all ${count(n)} …` : "fewer"}
      </Button>
    </p>
  );
}

/** The message in place of the bars or below them; empty where none is needed. */
function remarkOn({ ranking, rankBy, status }: Store, { matching, query }: RankedList): string {
  const isComputing = status.value.state === "computing";
  if (ranking.value.length === 0) return isComputing ? "Reading the data …" : "No features to rank.";
  if (matching.value.length === 0) return `No feature’s name contains “${query.value}”.`;
  const isUndefined = ranking.value.every(({ known, value }) => known && !Number.isFinite(value));
  return isUndefined ? whyUndefined(rankBy.value) : "";
}
