/** The features as bars, best first. Everything it shows follows from the tables: the slider needs no kernel. */
import { max } from "d3-array";
import { columnFormat, number, plural } from "../format.ts";
import { labelWidth } from "../marks/axis.ts";
import { Bar, type BarState } from "../marks/bars.ts";
import { html, setText, update } from "../marks/element.ts";
import { factsOf } from "../marks/facts.ts";
import type { RankBy } from "../protocol.ts";
import { RANK_LABELS, type RankedFeature } from "../ranking.ts";
import { isUnordered } from "../values.ts";
import type { View } from "../view.ts";

const METRICS = Object.keys(RANK_LABELS) as RankBy[];

export function rankingPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const bars = new Map<string, Bar>();

  const rankBy = html("select", { class: "ice-select", "data-test": "rank-by", "aria-label": "Rank by" });
  rankBy.append(...METRICS.map((metric) => html("option", { value: metric }, RANK_LABELS[metric])));
  rankBy.addEventListener("change", () => store.setRankBy(rankBy.value as RankBy), { signal: aborted });
  const key = html(
    "p",
    { class: "ice-key" },
    html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-outline" }), "impact"),
    html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-fill" }), "in-distribution"),
  );
  const list = html("div", { class: "ice-bars", role: "listbox", "data-test": "bars" });
  const scroll = html("div", { class: "ice-bars-scroll" }, list);
  const empty = html("p", { class: "ice-empty" });
  const panel = html(
    "section",
    { class: "ice-panel ice-ranking", "aria-label": "Ranking of the features", "data-test": "ranking" },
    html("header", { class: "ice-head" }, html("label", { class: "ice-field" }, "Rank by ", rankBy), key),
    scroll,
    empty,
  );

  const openRank = (): number => store.ranking.peek().findIndex(({ name }) => name === store.feature.peek());
  const goTo = (rank: number): void => {
    const ranked = store.ranking.peek();
    const next = ranked[Math.min(Math.max(rank, 0), ranked.length - 1)];
    if (next === undefined) return;
    store.open(next.name);
    bars.get(next.name)?.node.focus({ preventScroll: true });
    reveal(rank);
  };
  const reveal = (rank: number): void => {
    const bar = bars.get(store.ranking.peek()[rank]?.name ?? "")?.node;
    if (bar === undefined) return;
    const height = bar.offsetHeight;
    const top = rank * height;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + height > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = top + height - scroll.clientHeight;
  };

  list.addEventListener(
    "click",
    (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-feature]");
      if (row !== null) store.open(row.dataset.feature ?? "");
    },
    { signal: aborted },
  );
  list.addEventListener(
    "pointerover",
    (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-feature]");
      const figures = store.figures.peek();
      const ranked = store.ranking.peek().find(({ name }) => name === row?.dataset.feature);
      if (row === null || figures === null || ranked === undefined) return;
      view.tooltip.show(ranked.name, factsOf(ranked, figures, store.decay.peek()), row.getBoundingClientRect(), false);
    },
    { signal: aborted },
  );
  list.addEventListener("pointerleave", () => view.tooltip.hide(), { signal: aborted });
  list.addEventListener(
    "keydown",
    (event) => {
      const focused = (event.target as Element).closest<HTMLElement>("[data-feature]");
      const rank = Number(focused?.dataset.rank ?? openRank() + 1) - 1;
      const last = store.ranking.peek().length - 1;
      const targets: Record<string, number> = {
        ArrowDown: rank + 1,
        ArrowUp: rank - 1,
        Home: 0,
        End: last,
        Enter: rank,
        " ": rank,
      };
      const target = targets[event.key];
      if (target === undefined) return;
      event.preventDefault();
      goTo(Math.min(Math.max(target, 0), last));
    },
    { signal: aborted },
  );

  /** Names take the room that the longest needs, in the weight it has when it is open. */
  const nameFont = (): string => {
    const { fontSize, fontFamily } = getComputedStyle(panel);
    return `600 ${fontSize} ${fontFamily}`;
  };
  let revealed = "";
  view.keep(
    () => ({
      ranking: store.ranking.value,
      rankBy: store.rankBy.value,
      feature: store.feature.value,
      computing: store.status.value.state === "computing" ? store.status.value.label : null,
      metrics: store.figures.value !== null,
    }),
    ({ ranking, rankBy: metric, feature, computing }) => {
      rankBy.value = metric;
      key.hidden = metric !== "impact" && metric !== "in_distribution_impact";
      list.hidden = ranking.length === 0;
      empty.hidden = ranking.length > 0;
      setText(empty, computing === null ? "No features to rank." : "Reading the data …");
      update(list, { "aria-label": `Features by ${RANK_LABELS[metric]}` });
      list.style.setProperty("--count", String(ranking.length));
      const longest = max(ranking, ({ value, fill, outline }) => max([value, fill, outline ?? 0])) ?? 0;
      const write = columnFormat(max(ranking, ({ value }) => value) ?? 0);
      const reachable = ranking.some(({ name }) => name === feature) ? feature : ranking[0]?.name;

      const names = new Set(ranking.map(({ name }) => name));
      if (names.size !== bars.size || [...names].some((name) => !bars.has(name))) {
        const labels = [...names].map((label) => ({ at: 0, label }));
        list.style.setProperty("--name", `${Math.max(40, labelWidth(labels, nameFont()))}px`);
      }
      for (const [name, bar] of bars) {
        if (names.has(name)) continue;
        bar.node.remove();
        bars.delete(name);
      }
      for (const [place, ranked] of ranking.entries()) {
        let bar = bars.get(ranked.name);
        if (bar === undefined) {
          bar = new Bar(ranked.name);
          bars.set(ranked.name, bar);
          list.append(bar.node);
        }
        const state = barState(ranked, place, ranking.length, longest, write);
        bar.draw({
          ...state,
          open: ranked.name === feature,
          reachable: ranked.name === reachable,
          computing: ranked.name === computing && state.pending,
          description: describe(ranked, place, ranking.length, metric, write),
        });
      }
      if (feature !== revealed) {
        revealed = feature;
        reveal(ranking.findIndex(({ name }) => name === feature));
      }
    },
  );
  return panel;
}

function signOf({ kind, direction }: RankedFeature): BarState["sign"] {
  if (isUnordered(kind)) return "levels";
  return direction > 0 ? "up" : direction < 0 ? "down" : "none";
}

function barState(ranked: RankedFeature, place: number, of: number, longest: number, write: (value: number) => string) {
  const share = (value: number) => (longest > 0 && Number.isFinite(value) ? value / longest : 0);
  const defined = Number.isFinite(ranked.value);
  return {
    rank: place + 1,
    of,
    pending: !ranked.known,
    fill: defined ? share(ranked.fill) : null,
    outline: defined && ranked.outline !== null ? share(ranked.outline) : null,
    figure: ranked.known ? write(ranked.value) : "",
    sign: ranked.known || isUnordered(ranked.kind) ? signOf(ranked) : "none",
  } as const;
}

const TRENDS = {
  up: ", rises on average",
  down: ", falls on average",
  levels: ", has levels without an order",
  none: "",
};

function describe(
  ranked: RankedFeature,
  place: number,
  of: number,
  metric: RankBy,
  write: (value: number) => string,
): string {
  if (!ranked.known) return `${ranked.name}, not computed yet`;
  const rank = `rank ${place + 1} of ${plural(of, "feature")}`;
  const figure = Number.isFinite(ranked.value) ? write(ranked.value) : "undefined";
  const change = Number.isFinite(ranked.meanChange) ? `, ${number(ranked.meanChange)} per change of category` : "";
  return `${ranked.name}, ${RANK_LABELS[metric]} ${figure}${TRENDS[signOf(ranked)]}${change}, ${rank}`;
}
