/** The features as bars, best first. Everything it shows follows from the tables: the slider needs no kernel. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { labelWidth } from "../../marks/axis.ts";
import type { RankedFeature } from "../../store/ranking.ts";
import { barNoteOf, factsOf } from "../../view/feature_facts.ts";
import type { View } from "../../view/view.ts";
import type { RankBy } from "../../wire/protocol.ts";
import { explanation } from "../../words/glossary.ts";
import { FAR_OFF_REMARK, RANK_LABELS, whyUndefined } from "../../words/metric_names.ts";
import { count } from "../../words/numbers.ts";
import { folded, matches } from "../../words/search.ts";
import { metricControl } from "./metric.ts";
import { RowList } from "./rows.ts";
import { searchField } from "./search.ts";
import { signsKey } from "./signs.ts";
import { unitControl } from "./unit.ts";
import { describe, lengthsOf, longestOf, type Scale } from "./words.ts";

const TICK = explanation("tick");

/** Rows in a narrow cell, so that the curves are in sight. */
const FEW_ROWS = 5;

/** Elements next to the bars. */
export interface BesideBars {
  /** Whether the curves are below the bars. */
  isNarrow: ReadonlySignal<boolean>;
  /** Brings the curves into sight. */
  toCurves: () => void;
}

export function rankingPanel(view: View, { isNarrow, toCurves }: BesideBars): HTMLElement {
  const { store, aborted } = view;
  const key = html(
    "p",
    { class: "ice-key", "data-test": "ranking-key" },
    html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-fill" }), "in-distribution"),
    html(
      "span",
      { class: "ice-key-item" },
      html("i", { class: "ice-key-tick" }),
      explained(html("span", {}, TICK.name), TICK),
    ),
  );
  const rows = new RowList(aborted);
  const search = searchField(view, (open) => (open ? goTo(0) : rows.focus(Math.max(0, openPlace()))));
  const remark = html("p", { class: "ice-empty", "data-test": "ranking-remark" });
  const footnote = html("p", { class: "ice-meaning ice-far-off", "data-test": "far-off" }, FAR_OFF_REMARK);
  const counted = html("span", { "data-test": "ranking-count" });
  const whole = html("button", { type: "button", class: "ice-link", "data-test": "ranking-whole" });
  const cut = html("p", { class: "ice-cut" }, counted, whole);
  const names = computed(() => (store.figures.value?.header.features ?? []).map(({ name }) => folded(name)));
  const found = computed(() => matches(names.value, search.query.value));
  /** The ranked features that are searched for. */
  const shown = computed(() => store.ranking.value.filter(({ index }) => found.value[index]));

  const isWhole = signal(false);
  const isCut = computed(() => isNarrow.value && !isWhole.value && shown.value.length > FEW_ROWS + 1);
  /** Those that have a row: all, or the first few with the open one among them. */
  const listed = computed(() => (isCut.value ? firstOf(shown.value, store.feature.value) : shown.value));
  const list = html(
    "div",
    {},
    remark,
    rows.scroll,
    html("div", { class: "ice-under-bars" }, cut, signsKey(view, listed)),
    footnote,
  );
  const panel = html(
    "section",
    { class: "ice-panel ice-ranking", "aria-label": "Ranking of the features", "data-test": "ranking" },
    html(
      "header",
      { class: "ice-head" },
      metricControl(view),
      html("div", { class: "ice-key-row" }, key, unitControl(view)),
    ),
    search.node,
    list,
  );

  listen(whole, aborted, {
    click: () => {
      isWhole.value = !isWhole.peek();
    },
  });

  const openPlace = (): number => shown.peek().findIndex(({ name }) => name === store.feature.peek());
  const goTo = (place: number): void => {
    const ranked = shown.peek()[place];
    if (ranked === undefined) return;
    store.open(ranked.name);
    if (isCut.peek()) view.drawNow(); // it may have no row yet
    rows.focus(listed.peek().indexOf(ranked));
  };
  const rowOf = (event: Event): HTMLElement | null => (event.target as Element).closest<HTMLElement>("[data-feature]");

  listen(rows.node, aborted, {
    click: (event) => {
      const name = rowOf(event)?.dataset.feature;
      if (name === undefined) return;
      store.open(name);
      toCurves();
    },
    pointerover: (event) => {
      const row = rowOf(event);
      const reading = store.reading.peek();
      const ranked = store.ranking.peek().find(({ name }) => name === row?.dataset.feature);
      if (row === null || reading === null || ranked === undefined) return;
      const note = barNoteOf(ranked, reading, store.rankBy.peek());
      view.tooltip.show(ranked.name, factsOf(ranked, reading), row.getBoundingClientRect(), false, note);
    },
    pointerleave: () => view.tooltip.hide(),
  });
  rows.scroll.addEventListener("scroll", () => view.tooltip.hide(), { signal: aborted, passive: true });
  listen(rows.node, aborted, {
    keydown: (event) => {
      const focused = rowOf(event)?.dataset.feature ?? store.feature.peek();
      const place = shown.peek().findIndex(({ name }) => name === focused);
      const last = shown.peek().length - 1;
      const targets: Record<string, number> = {
        ArrowDown: place + 1,
        ArrowUp: place - 1,
        PageDown: place + rows.perPage,
        PageUp: place - rows.perPage,
        Home: 0,
        End: last,
        Enter: place,
        " ": place,
      };
      const target = targets[event.key];
      if (target === undefined) return;
      event.preventDefault();
      goTo(Math.min(Math.max(target, 0), last));
    },
  });

  /** Names take the room that the longest needs, in the weight it has when it is open. */
  let measured = "";
  view.keep(
    () => store.figures.value?.header.features ?? [],
    (features) => {
      const labels = features.map(({ name }) => ({ at: 0, label: name }));
      const listed = JSON.stringify(labels);
      if (listed === measured) return;
      measured = listed;
      const { fontSize, fontFamily } = getComputedStyle(panel);
      const width = labelWidth(labels, `600 ${fontSize} ${fontFamily}`);
      rows.node.style.setProperty("--name", `${Math.max(40, width)}px`);
    },
  );

  let [revealed, searched] = ["", ""];
  view.keep(
    () => ({
      ranking: store.ranking.value,
      reading: store.reading.value,
      found: shown.value,
      listed: listed.value,
      query: search.query.value,
      metric: store.rankBy.value,
      feature: store.feature.value,
      computing: store.status.value.state === "computing" ? store.status.value.label : null,
      waits: waitsForCounting(view),
    }),
    ({ ranking, reading, found, listed, query, metric, feature, computing, waits }) => {
      key.hidden = metric !== "in_distribution_impact";
      search.tell(found.length, ranking.length);
      setText(remark, remarkOn(ranking, found.length, query, metric, computing));
      // The page below stays where it is while somebody types.
      if (query === "") list.style.minHeight = "";
      else if (list.style.minHeight === "") list.style.minHeight = `${list.offsetHeight}px`;
      remark.hidden = remark.textContent === "";
      footnote.hidden = found.every(({ farOff }) => farOff === null);
      rows.scroll.hidden = found.length === 0;
      update(panel, { "data-waits": waits, "aria-busy": waits ? "true" : null });
      update(rows.node, { "aria-label": `Features by ${RANK_LABELS[metric]}` });
      const scale: Scale = {
        metric,
        convention: reading?.figures.header.convention ?? "stable",
        of: ranking.length,
        longest: longestOf(ranking),
        write: reading?.column(largest(found)) ?? String,
      };
      const reachable = found.some(({ name }) => name === feature) ? feature : found[0]?.name;
      rows.show({
        ranking: listed,
        partings: store.partings.peek(),
        reachable,
        state: (ranked, place) => {
          const lengths = lengthsOf(ranked, scale);
          return {
            ...lengths,
            rank: ranked.rank,
            place,
            position: (listed === found ? place : found.indexOf(ranked)) + 1,
            of: found.length,
            open: ranked.name === feature,
            reachable: ranked.name === reachable,
            computing: ranked.name === computing && lengths.pending,
            description: describe(ranked, scale),
          };
        },
      });
      if (feature !== revealed || query !== searched) {
        [revealed, searched] = [feature, query];
        rows.reveal(listed.findIndex(({ name }) => name === feature));
      }
    },
  );
  view.keep(
    () => ({
      found: shown.value.length,
      listed: listed.value.length,
      narrow: isNarrow.value,
      room: rows.inSight.value,
    }),
    ({ found, listed, narrow, room }) => {
      const inSight = Math.min(listed, room);
      const rest = isCut.peek() ? "" : ", scroll for more";
      setText(counted, inSight < found ? `${count(inSight)} of ${count(found)}${rest}` : "");
      whole.hidden = !narrow || found <= FEW_ROWS + 1;
      setText(whole, isCut.peek() ? `all ${count(found)} …` : "fewer");
      whole.setAttribute("aria-expanded", String(!isCut.peek()));
      cut.hidden = whole.hidden && counted.textContent === "";
    },
  );
  return panel;
}

/** The first few features, the open one in place of the last where it ranks below them. */
function firstOf(ranking: readonly RankedFeature[], open: string): RankedFeature[] {
  const first = ranking.slice(0, FEW_ROWS);
  const below = ranking.slice(FEW_ROWS).find(({ name }) => name === open);
  return below === undefined ? first : [...first.slice(0, -1), below];
}

/** Whether the figures are still counted as they were before the reader chose otherwise. */
function waitsForCounting({ store }: View): boolean {
  const header = store.figures.value?.header;
  if (header === undefined) return false;
  return header.convention !== store.convention.value;
}

/** The largest of the figures that are written, which tells how many digits they need. */
function largest(ranking: readonly RankedFeature[]): number {
  return ranking.reduce((most, { value }) => (value > most ? value : most), 0);
}

/** What there is to say instead of bars, or of all of them; nothing where they speak for themselves. */
function remarkOn(
  ranking: readonly RankedFeature[],
  found: number,
  query: string,
  metric: RankBy,
  computing: string | null,
): string {
  if (ranking.length === 0) return computing === null ? "No features to rank." : "Reading the data …";
  if (found === 0) return `No feature’s name contains “${query}”.`;
  const isUndefined = ranking.every(({ known, value }) => known && !Number.isFinite(value));
  return isUndefined ? whyUndefined(metric) : "";
}
