/** The features as bars, best first. Everything it shows follows from the tables: the slider needs no kernel. */
import { computed } from "@preact/signals-core";
import { cautionOf, factsOf } from "../facts.ts";
import { labelWidth } from "../marks/axis.ts";
import { html, setText, update } from "../marks/element.ts";
import { FAR_OFF_REMARK, RANK_LABELS, whyUndefined } from "../metrics.ts";
import type { RankBy } from "../protocol.ts";
import type { RankedFeature } from "../ranking.ts";
import { folded, matches } from "../search.ts";
import type { View } from "../view.ts";
import { countingControl } from "./ranking/counting.ts";
import { metricControl } from "./ranking/metric.ts";
import { RowList } from "./ranking/rows.ts";
import { searchField } from "./ranking/search.ts";
import { unitControl } from "./ranking/unit.ts";
import { describe, lengthsOf, longestOf, type Scale } from "./ranking/words.ts";

export function rankingPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const key = html(
    "p",
    { class: "ice-key" },
    html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-outline" }), "impact"),
    html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-fill" }), "in-distribution"),
  );
  const rows = new RowList(aborted);
  const search = searchField(view, (open) => (open ? goTo(0) : rows.focus(Math.max(0, openPlace()))));
  const remark = html("p", { class: "ice-empty", "data-test": "ranking-remark" });
  const footnote = html("p", { class: "ice-meaning ice-far-off", "data-test": "far-off" }, FAR_OFF_REMARK);
  const list = html("div", {}, remark, rows.scroll, footnote);
  const panel = html(
    "section",
    { class: "ice-panel ice-ranking", "aria-label": "Ranking of the features", "data-test": "ranking" },
    html(
      "header",
      { class: "ice-head" },
      metricControl(view),
      countingControl(view),
      html("div", { class: "ice-key-row" }, key, unitControl(view)),
    ),
    search.node,
    list,
  );

  const names = computed(() => (store.figures.value?.header.features ?? []).map(({ name }) => folded(name)));
  const found = computed(() => matches(names.value, search.query.value));
  /** The ranked features that are searched for. */
  const shown = computed(() => store.ranking.value.filter(({ index }) => found.value[index]));

  const openPlace = (): number => shown.peek().findIndex(({ name }) => name === store.feature.peek());
  const goTo = (place: number): void => {
    const ranked = shown.peek()[place];
    if (ranked === undefined) return;
    store.open(ranked.name);
    rows.focus(place);
  };
  const rowOf = (event: Event): HTMLElement | null => (event.target as Element).closest<HTMLElement>("[data-feature]");

  rows.node.addEventListener(
    "click",
    (event) => {
      const name = rowOf(event)?.dataset.feature;
      if (name !== undefined) store.open(name);
    },
    { signal: aborted },
  );
  rows.node.addEventListener(
    "pointerover",
    (event) => {
      const row = rowOf(event);
      const reading = store.reading.peek();
      const ranked = store.ranking.peek().find(({ name }) => name === row?.dataset.feature);
      if (row === null || reading === null || ranked === undefined) return;
      const note = cautionOf(ranked, reading);
      view.tooltip.show(ranked.name, factsOf(ranked, reading), row.getBoundingClientRect(), false, note);
    },
    { signal: aborted },
  );
  rows.node.addEventListener("pointerleave", () => view.tooltip.hide(), { signal: aborted });
  rows.scroll.addEventListener("scroll", () => view.tooltip.hide(), { signal: aborted, passive: true });
  rows.node.addEventListener(
    "keydown",
    (event) => {
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
    { signal: aborted },
  );

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
      query: search.query.value,
      metric: store.rankBy.value,
      feature: store.feature.value,
      computing: store.status.value.state === "computing" ? store.status.value.label : null,
      waits: waitsForCounting(view),
    }),
    ({ ranking, reading, found, query, metric, feature, computing, waits }) => {
      key.hidden = metric !== "impact" && metric !== "in_distribution_impact";
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
        ranking: found,
        partings: store.partings.peek(),
        reachable,
        state: (ranked, place) => {
          const lengths = lengthsOf(ranked, scale);
          return {
            ...lengths,
            rank: ranked.rank,
            place,
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
        rows.reveal(found.findIndex(({ name }) => name === feature));
      }
    },
  );
  return panel;
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
