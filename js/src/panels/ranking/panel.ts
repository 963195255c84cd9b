/** The features as bars, best first, read from the tables, so that the slider needs no request. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { labelWidth } from "../../plot/marks/axis.ts";
import { type RankedFeature, whiskerOf } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { explanation } from "../../text/glossary.ts";
import { captionOf, meaningOf, RANK_LABELS, whyUndefined } from "../../text/metric_names.ts";
import { count } from "../../text/numbers.ts";
import { folded, matches } from "../../text/search.ts";
import { ifChanged } from "../../ui/changed.ts";
import { html, setText, uniqueId, update } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import { barNoteOf, factsOf } from "../../view/feature_facts.ts";
import type { View } from "../../view/view.ts";
import type { RankBy } from "../../wire/protocol.ts";
import { intervalsKey } from "./intervals.ts";
import { modelColorsIn, modelFacts, modelsKey } from "./models.ts";
import { RowList } from "./rows.ts";
import { type Search, searchField } from "./search.ts";
import { signsKey } from "./signs.ts";
import { describe, lengthsOf, longestOf, type Scale, tiesText } from "./words.ts";

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

export function rankingPanel(view: View, beside: BesideBars): HTMLElement {
  return new Ranking(view, beside).panel;
}

class Ranking {
  readonly panel: HTMLElement;
  readonly #tick = html(
    "span",
    { class: "ice-key-item", "data-test": "ranking-key" },
    html("i", { class: "ice-key-tick" }),
  );
  readonly #unit = html("p", { class: "ice-meaning", "data-test": "ranking-unit" });
  readonly #rows: RowList;
  readonly #search: Search;
  readonly #remark = html("p", { class: "ice-empty", "data-test": "ranking-remark" });
  readonly #counted = html("span", { "data-test": "ranking-count" });
  readonly #whole = pushButton({ class: "ice-link", "data-test": "ranking-whole" });
  readonly #cut = html("p", { class: "ice-cut" }, this.#counted, this.#whole);
  readonly #ties = html("p", { class: "ice-hidden", id: uniqueId("ice-ties"), "data-test": "ties" });
  readonly #list = html("div");
  /** How much longer whiskers are than bars: kept while new ones are computed, so that bars keep their lengths. */
  #reach = 1;

  readonly #names = computed(() =>
    (this.view.store.figures.value?.header.features ?? []).map(({ name }) => folded(name)),
  );
  readonly #isMatch = computed(() => matches(this.#names.value, this.#search.query.value));
  /** The ranked features whose names contain the search text. */
  readonly #matching = computed(() => this.view.store.ranking.value.filter(({ index }) => this.#isMatch.value[index]));
  readonly #isWhole = signal(false);
  readonly #isCut = computed(
    () => this.beside.isNarrow.value && !this.#isWhole.value && this.#matching.value.length > FEW_ROWS + 1,
  );
  /** Those that have a row: all, or the first few with the open one among them. */
  readonly #listed = computed(() =>
    this.#isCut.value ? firstOf(this.#matching.value, this.view.store.feature.value) : this.#matching.value,
  );
  /** The open feature and the search text for which the list was last scrolled. */
  #revealed = ["", ""];
  /** Whether the open feature had no place by its figure when the list was scrolled to it. */
  #isPlaceless = false;

  constructor(
    private readonly view: View,
    private readonly beside: BesideBars,
  ) {
    this.#rows = new RowList(view.aborted);
    this.#search = searchField(view, (open) => (open ? this.#goTo(0) : this.#focusOpen()));
    this.#tick.append(explained(html("span", {}, TICK.name), TICK));
    const key = html("p", { class: "ice-key ice-ranking-key" }, this.#tick, signsKey(view, this.#listed));
    this.#list.append(this.#remark, this.#rows.scroll, this.#ties, this.#cut, key);
    this.#list.append(intervalsKey(view), modelsKey(view));
    update(this.#rows.node, { "aria-describedby": this.#ties.id });
    this.panel = html(
      "section",
      { class: "ice-panel ice-ranking", "aria-label": "Ranking of the features", "data-test": "ranking" },
      html("header", { class: "ice-head" }, html("h3", { class: "ice-caption" }, "What matters most"), this.#unit),
      this.#search.node,
      this.#list,
    );
    this.#listen();
    this.#holdOrder();
    this.#keepNameWidth();
    view.keep(
      () => this.#read(),
      (state) => this.#draw(state),
    );
    this.#keepCut();
  }

  #placeOf(name: string): number {
    return this.#matching.peek().findIndex((ranked) => ranked.name === name);
  }

  #focusOpen(): void {
    this.#rows.focus(Math.max(0, this.#placeOf(this.view.store.feature.peek())));
  }

  #goTo(place: number): void {
    const ranked = this.#matching.peek()[place];
    if (ranked === undefined) return;
    this.view.store.open(ranked.name);
    if (this.#isCut.peek()) this.view.drawNow(); // it may have no row yet
    // By its name: drawing may take the focus from a row that goes, after which the features are ranked anew.
    this.#rows.focus(this.#listed.peek().findIndex(({ name }) => name === ranked.name));
  }

  #listen(): void {
    const { aborted, store, tooltip } = this.view;
    const { node, scroll } = this.#rows;
    const hide = (): void => tooltip.hide();
    listen(this.#whole, aborted, {
      click: () => {
        this.#isWhole.value = !this.#isWhole.peek();
      },
    });
    listen(node, aborted, {
      click: (event) => {
        const name = rowOf(event)?.dataset.feature;
        if (name === undefined) return;
        store.open(name);
        this.beside.toCurves();
      },
      pointerover: (event) => this.#showFacts(rowOf(event)),
      pointerleave: hide,
      keydown: (event) => {
        const target = this.#targetOf(event.key, rowOf(event)?.dataset.feature ?? store.feature.peek());
        if (target === undefined) return;
        event.preventDefault();
        this.#goTo(Math.min(Math.max(target, 0), this.#matching.peek().length - 1));
      },
    });
    scroll.addEventListener("scroll", hide, { signal: aborted, passive: true });
  }

  /** Bars stay where they are while the pointer or the keyboard is on them. */
  #holdOrder(): void {
    const { aborted, store } = this.view;
    const { node, scroll } = this.#rows;
    let isOver = false;
    const hold = (): void => {
      store.holdsOrder.value = isOver || node.querySelector(":focus-visible") !== null;
    };
    const pointer = (isInside: boolean) => (): void => {
      isOver = isInside;
      hold();
    };
    listen(scroll, aborted, {
      pointerenter: pointer(true),
      pointerleave: pointer(false),
      focusin: hold,
      focusout: hold,
    });
  }

  #showFacts(row: HTMLElement | null): void {
    const { store, tooltip } = this.view;
    const reading = store.reading.peek();
    const ranked = store.ranking.peek().find(({ name }) => name === row?.dataset.feature);
    if (row === null || reading === null || ranked === undefined) return;
    const note = barNoteOf(ranked, reading, store.rankBy.peek());
    const facts = [...factsOf(ranked, reading), ...modelFacts(this.view, ranked, reading)];
    tooltip.show(ranked.name, facts, row.getBoundingClientRect(), false, note);
  }

  /** Where a key leads from a feature; undefined for a key without a function. */
  #targetOf(key: string, name: string): number | undefined {
    const place = this.#placeOf(name);
    const targets: Record<string, number> = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      PageDown: place + this.#rows.perPage,
      PageUp: place - this.#rows.perPage,
      Home: 0,
      End: this.#matching.peek().length - 1,
      Enter: place,
      " ": place,
    };
    return targets[key];
  }

  /** Names take the room that the longest needs, in the weight it has when it is open. */
  #keepNameWidth(): void {
    const measure = ifChanged((labels: { at: number; label: string }[]) => {
      const { fontSize, fontFamily } = getComputedStyle(this.panel);
      const width = labelWidth(labels, `600 ${fontSize} ${fontFamily}`);
      this.#rows.node.style.setProperty("--name", `${Math.max(40, width)}px`);
    });
    this.view.keep(
      () => this.view.store.figures.value?.header.features ?? [],
      (features) => measure(features.map(({ name }) => ({ at: 0, label: name }))),
    );
  }

  #read(): State {
    const { ranking, reading, rankBy, intervals, feature, status } = this.view.store;
    return {
      ranking: ranking.value,
      reading: reading.value,
      matching: this.#matching.value,
      listed: this.#listed.value,
      query: this.#search.query.value,
      metric: rankBy.value,
      level: intervals.value,
      feature: feature.value,
      computing: status.value.state === "computing" ? status.value.label : null,
      waits: this.view.store.isCounting.value,
      models: this.#models(),
      output: this.view.store.quantity.value,
      moved: this.view.store.movedRanks.value,
    };
  }

  #models(): Scale["models"] {
    const { models, openModel } = this.view.store;
    const colors = modelColorsIn(this.view);
    const open = openModel.value;
    return models.value.map((name, model) => ({ name, color: colors[model]!, isOpen: name === open }));
  }

  #draw(state: State): void {
    const { ranking, matching, query, metric, level, computing, waits } = state;
    this.#tick.hidden = metric !== "in_distribution_impact";
    this.#drawUnit(state);
    this.#search.show(matching.length, ranking.length);
    setText(this.#remark, remarkOn(ranking, matching.length, query, metric, computing));
    this.#remark.hidden = this.#remark.textContent === "";
    // The page below keeps its place while the search text is typed.
    if (query === "") this.#list.style.minHeight = "";
    else if (this.#list.style.minHeight === "") this.#list.style.minHeight = `${this.#list.offsetHeight}px`;
    this.#rows.scroll.hidden = matching.length === 0;
    update(this.panel, { "data-waits": waits, "aria-busy": waits ? "true" : null });
    update(this.#rows.node, { "aria-label": `Features by ${RANK_LABELS[metric]}`, "data-intervals": level !== null });
    update(this.panel, {
      "data-models": state.models.length > 1 && metric !== "disagreement" ? state.models.length : null,
    });
    setText(this.#ties, tiesText(ranking, level));
    this.#drawRows(state);
    this.#reveal(state);
  }

  /** What the figures are, with the sentence about the metric. */
  #drawUnit({ reading, metric, output }: State): void {
    if (reading === null) return;
    const { convention } = reading.figures.header;
    setText(this.#unit, captionOf(metric, reading.unit, output));
    explained(this.#unit, {
      name: RANK_LABELS[metric],
      text: meaningOf(metric, convention, this.view.store.models.peek().length),
    });
  }

  /** Scrolls to the open feature when another one is opened, and once more when it gets its place by its figure. */
  #reveal({ ranking, listed, feature, query }: State): void {
    const isOther = feature !== this.#revealed[0] || query !== this.#revealed[1];
    if (!isOther && !this.#isPlaceless) return;
    const isOpen = ({ name }: RankedFeature): boolean => name === feature;
    // While figures come in, the last order is kept for a moment.
    const isSorted = ranking.every(({ rank }, place) => rank === place + 1);
    const hasPlace = isSorted && ranking.some((ranked) => ranked.known && isOpen(ranked));
    if (isOther || (hasPlace && !this.#rows.isMoved)) this.#rows.reveal(listed.findIndex(isOpen));
    this.#revealed = [feature, query];
    this.#isPlaceless = !hasPlace;
  }

  #drawRows({ ranking, moved, reading, matching, listed, metric, level, feature, computing, models }: State): void {
    const longest = this.#longestOf(ranking, reading, metric, level);
    const scale: Scale = {
      metric,
      convention: reading?.figures.header.convention ?? "step",
      of: ranking.length,
      longest,
      models,
      write: reading?.column(longest) ?? String,
    };
    const reachable = matching.some(({ name }) => name === feature) ? feature : matching[0]?.name;
    this.#rows.show({
      ranking: listed,
      partings: this.view.store.partings.peek(),
      reachable,
      state: (ranked, place) => {
        const lengths = lengthsOf(ranked, scale);
        return {
          ...lengths,
          tiedAbove: ranked.tiedBefore !== null && ranked.tiedBefore === listed[place - 1]?.name,
          tiedBelow: ranked.tiedAfter !== null && ranked.tiedAfter === listed[place + 1]?.name,
          rank: ranked.rank,
          moved: moved.get(ranked.index) ?? 0,
          place,
          position: (listed === matching ? place : matching.indexOf(ranked)) + 1,
          of: matching.length,
          open: ranked.name === feature,
          reachable: ranked.name === reachable,
          computing: ranked.name === computing && lengths.pending,
          description: describe(ranked, scale),
        };
      },
    });
  }

  /** The length of the longest mark. It is that of all decays, so that bars keep their scale while the slider moves. */
  #longestOf(ranking: readonly RankedFeature[], reading: Reading | null, metric: RankBy, level: number | null): number {
    const bars = Math.max(longestOf(ranking), reading?.largest(metric) || 0);
    const whiskers = ranking.reduce((longest, ranked) => Math.max(longest, whiskerOf(ranked)?.[1] ?? 0), 0);
    if (level === null && ranking.every(({ draft }) => draft === null)) this.#reach = 1;
    else if (whiskers > 0 && bars > 0) this.#reach = Math.max(1, whiskers / bars);
    return bars * this.#reach;
  }

  /** How many of the features are in view, and a button for the others. */
  #keepCut(): void {
    this.view.keep(
      () =>
        [
          this.#matching.value.length,
          this.#listed.value.length,
          this.#isCut.value,
          this.beside.isNarrow.value,
          this.#rows.inSight.value,
        ] as const,
      ([matching, listed, isCut, isNarrow, room]) => {
        const inSight = Math.min(listed, room);
        const rest = isCut ? "" : ", scroll for more";
        setText(this.#counted, inSight < matching ? `${count(inSight)} of ${count(matching)}${rest}` : "");
        this.#whole.hidden = !isNarrow || matching <= FEW_ROWS + 1;
        setText(this.#whole, isCut ? `all ${count(matching)} …` : "fewer");
        this.#whole.setAttribute("aria-expanded", String(!isCut));
        this.#cut.hidden = this.#whole.hidden && this.#counted.textContent === "";
      },
    );
  }
}

const rowOf = (event: Event): HTMLElement | null => (event.target as Element).closest<HTMLElement>("[data-feature]");

/** The state that the ranking is drawn by. */
interface State {
  ranking: readonly RankedFeature[];
  /** By how many ranks features are above those at the default decay, by index. */
  moved: ReadonlyMap<number, number>;
  reading: Reading | null;
  /** The features whose names contain the search text, and those of them that have a row. */
  matching: readonly RankedFeature[];
  listed: readonly RankedFeature[];
  query: string;
  metric: RankBy;
  /** Of the intervals; null where none are shown. */
  level: number | null;
  feature: string;
  /** The feature that is computed. */
  computing: string | null;
  waits: boolean;
  models: Scale["models"];
  /** What is predicted, in short. */
  output: string;
}

/** The first few features, with the open one in place of the last where it ranks below them. */
function firstOf(ranking: readonly RankedFeature[], open: string): RankedFeature[] {
  const first = ranking.slice(0, FEW_ROWS);
  const below = ranking.slice(FEW_ROWS).find(({ name }) => name === open);
  return below === undefined ? first : [...first.slice(0, -1), below];
}

/** The message in place of the bars or below them; empty where none is needed. */
function remarkOn(
  ranking: readonly RankedFeature[],
  nMatching: number,
  query: string,
  metric: RankBy,
  computing: string | null,
): string {
  if (ranking.length === 0) return computing === null ? "No features to rank." : "Reading the data …";
  if (nMatching === 0) return `No feature’s name contains “${query}”.`;
  const isUndefined = ranking.every(({ known, value }) => known && !Number.isFinite(value));
  return isUndefined ? whyUndefined(metric) : "";
}
