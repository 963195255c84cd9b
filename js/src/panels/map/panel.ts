/** The map of the features: heterogeneity and non-linearity, or impact and another measure of importance. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { fitMarks, markLayer } from "../../elements/layers.ts";
import { listen } from "../../elements/lifetime.ts";
import type { TooltipRow } from "../../elements/tooltip.ts";
import { cssColor, plainPalette } from "../../geometry/palette.ts";
import { bottomAxis, leftAxis } from "../../marks/axis.ts";
import { cautionOf, factsOf } from "../../view/feature_facts.ts";
import { followSize, type Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import { MEASURES, type ViewChoices } from "../../wire/protocol.ts";
import { type Explanation, explanation, variantsOf } from "../../words/glossary.ts";
import { CONVENTION_LABELS, RANK_LABELS, UNIT_LABELS } from "../../words/metric_names.ts";
import { count, number, plural } from "../../words/numbers.ts";
import { mapCover } from "./cover.ts";
import { type Drawn, diagonalMarks, type Label, labelsOf, marksOf, paint, stripMarks } from "./drawing.ts";
import { axesOf, type Point, placesOf, placesOfShares, pointAt, pointsOf } from "./points.ts";
import { type Shares, sentenceOf, sharesOf, shareText, termOf } from "./shares.ts";

/** How near to a point the pointer must be, in px. */
const REACH = 8;
const LEAST_WIDTH = 80;

export function mapPanel(view: View): HTMLElement {
  return new FeatureMap(view).panel;
}

/** The vertical axis: non-linearity, or the measures of importance that can be shown. */
function measureControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "map-y" });
  const { remembered, client } = store;
  const group = html("optgroup", { label: "against impact" });
  const option = (value: ViewChoices["map_y"], name: string) => html("option", { value }, name);
  const chosen = store.measure.peek();
  const measures = MEASURES.filter((measure) => measure === chosen || client.measures.includes(measure));
  group.append(...measures.map((measure) => option(measure, explanation(termOf(measure)).name)));
  select.append(option("non_linearity", RANK_LABELS.non_linearity), group);
  listen(select, aborted, { change: () => remembered.choose("map_y", select.value as ViewChoices["map_y"]) });
  const field = html("label", { class: "ice-field ice-map-y" }, "Vertical axis ", select);
  field.hidden = measures.length === 0;
  keep(
    () => remembered.of("map_y").value,
    (chosen) => {
      select.value = chosen;
    },
  );
  return hinted(field, explanation("map_y").text, explanation("map_y").name);
}

class FeatureMap {
  readonly panel: HTMLElement;
  readonly #canvas = html("canvas", { class: "ice-layer", "aria-hidden": "true", "data-test": "map-points" });
  readonly #ground = markLayer();
  readonly #marks = markLayer();
  readonly #frame = html(
    "div",
    {
      class: "ice-map-frame",
      tabindex: 0,
      role: "group",
      "aria-label": "Map of the features",
      "aria-roledescription": "scatter plot",
      "data-test": "map",
    },
    this.#ground,
    this.#canvas,
    this.#marks,
  );
  readonly #ofShape = html("span", {});
  readonly #area = html("b", {});
  readonly #counted = html("span", {});
  readonly #correlation = explained(html("span", {}, "Correlation"), explanation("importance_correlation"));
  readonly #comparison = html("p", { class: "ice-map-comparison", "data-test": "map-comparison" });
  readonly #basis = html("p", { class: "ice-meaning", "data-test": "map-basis" });
  readonly #remark = html("p", { "data-test": "map-remark" });
  readonly #vertical = html("span", {});
  readonly #horizontal = html("span", {});
  readonly #above = html("div", { class: "ice-plot-titles" }, this.#vertical);
  readonly #below = html("div", { class: "ice-plot-titles ice-map-below" }, this.#remark, this.#horizontal);
  readonly #size: ReadonlySignal<Size>;
  /** The feature under the pointer, or the one that the arrow keys reached. */
  readonly #pointed = signal<string | null>(null);
  /** Null unless the map shows a measure of importance that is computed. */
  readonly #shares = computed(() => {
    const { reading, rankBy, joint } = this.view.store;
    const progress = joint.importance.value;
    if (reading.value === null || progress?.state !== "ready" || progress.body.problem !== "") return null;
    return sharesOf(reading.value, rankBy.value, progress.body);
  });
  readonly #places = computed(() => {
    const { reading, measure } = this.view.store;
    if (reading.value === null) return null;
    if (measure.value === null) return placesOf(reading.value);
    return this.#shares.value === null ? null : placesOfShares(this.#shares.value);
  });
  readonly #axes = computed(() => {
    const places = this.#places.value;
    if (places === null || this.#size.value.width < LEAST_WIDTH) return null;
    return axesOf(places, this.#size.value, this.view.theme.value.font);
  });
  #drawn: Drawn | null = null;
  #labels = new Map<string, Label>();

  constructor(private readonly view: View) {
    this.#size = followSize(this.#frame, view.aborted);
    this.#marks.dataset.test = "map-marks";
    this.#ofShape.append("Up: more curved. Right: differs more between rows. Area: ", this.#area, ".");
    const key = html("p", { class: "ice-map-key", "data-test": "map-key" }, this.#ofShape, this.#counted);
    this.panel = html(
      "section",
      { class: "ice-panel", "aria-label": "Map of the features", "data-test": "impact-map" },
      html("header", { class: "ice-head" }, measureControl(view), key),
      this.#above,
      html("div", { class: "ice-map-stage" }, this.#frame, mapCover(view)),
      this.#below,
      this.#comparison,
      this.#basis,
    );
    this.#keepWords();
    this.#keepAxes();
    this.#keepPoints();
    this.#listen();
  }

  #keepWords(): void {
    const { store, keep } = this.view;
    keep(
      () =>
        [
          store.ranking.value,
          store.reading.value,
          store.rankBy.value,
          store.measure.value,
          this.#places.value,
          this.#shares.value,
        ] as const,
      ([ranking, reading, rankBy, measure, places, shares]) => {
        const convention = reading?.figures.header.convention ?? "step";
        const known = ranking.filter((feature) => feature.known);
        const placed = known.filter(({ index }) => {
          const [x, y] = [places?.across[index], places?.up[index]];
          return Number.isFinite(x) && (measure === null || Number.isFinite(y));
        });
        const isEmpty = placed.length === 0;
        this.panel.dataset.state = isEmpty ? "empty" : "ready";
        setText(this.#area, RANK_LABELS[rankBy]);
        this.#ofShape.hidden = measure !== null;
        const counted = `Counted ${CONVENTION_LABELS[convention]}.`;
        setText(this.#counted, measure === null ? ` ${counted}` : `${DIAGONAL} Impact: ${counted.toLowerCase()}`);
        this.#frame.hidden = isEmpty;
        for (const part of [this.#above, this.#below]) part.classList.toggle("ice-absent", isEmpty);
        setText(this.#remark, remarkOf(ranking.length, known.length, placed.length));
        const nameOf = (index: number): string => reading?.figures.header.features[index]?.name ?? "";
        const sentence = shares === null ? "" : sentenceOf(shares, nameOf);
        this.#writeComparison(sentence, shares);
        const label = `Map of ${plural(placed.length, "feature")}. ${sentence} Arrow keys go from one to the next by rank, Enter opens.`;
        update(this.#frame, { "aria-label": label.replace("  ", " ") });
      },
    );
  }

  /** The sentence under the map; its first word is explained where it is "Correlation". */
  #writeComparison(sentence: string, shares: Shares | null): void {
    const { joint } = this.view.store;
    const body = joint.importance.peek()?.body ?? null;
    this.#comparison.hidden = this.#basis.hidden = sentence === "";
    if (shares === null || body === null) return;
    if (this.#comparison.textContent !== sentence) {
      const [first, ...rest] = sentence.split(" ");
      const lead = shares.correlations === null ? first! : this.#correlation;
      this.#comparison.replaceChildren(lead, ` ${rest.join(" ")}`);
    }
    const { n_rows, n_observations, notes } = body;
    const rows = n_rows < n_observations ? [`From ${count(n_rows)} of ${plural(n_observations, "row")}.`] : [];
    setText(this.#basis, [...rows, ...notes].join(" "));
  }

  #keepAxes(): void {
    const { store, theme, keep } = this.view;
    keep(
      () =>
        [
          this.#axes.value,
          this.#size.value,
          theme.value.font,
          store.reading.value?.unit ?? "prediction",
          store.convention.value,
          this.#shares.value,
        ] as const,
      ([axes, size, font, unit, convention, shares]) => {
        if (axes === null) return;
        const terms =
          shares === null
            ? ([
                explanation("non_linearity", ...variantsOf("numeric", convention)),
                explanation("heterogeneity", ...variantsOf("numeric", convention)),
              ] as const)
            : ([explanation(shares.term), explanation(shares.impactTerm)] as const);
        const titleOf = ({ name }: Explanation, exponent: string): string => {
          const unitName = shares !== null ? "%" : unit === "prediction" ? "" : UNIT_LABELS[unit];
          const parts = [unitName, exponent].filter((part) => part !== "");
          return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
        };
        setText(this.#vertical, `↑ ${titleOf(terms[0], axes.yExponent)}`);
        setText(this.#horizontal, `${titleOf(terms[1], axes.xExponent)} →`);
        explained(this.#vertical, terms[0]);
        explained(this.#horizontal, terms[1]);
        fitMarks(this.#ground, size);
        this.#ground.replaceChildren(
          leftAxis(axes.yTicks, axes.left, axes.right),
          bottomAxis(axes.xTicks, axes.left, axes.right, size.width, axes.axis, font),
          ...diagonalMarks(axes),
          ...stripMarks(axes),
        );
      },
    );
  }

  #keepPoints(): void {
    const { store, keep } = this.view;
    keep(
      () =>
        [this.#axes.value, this.#size.value, store.ranking.value, this.view.theme.value, store.dragging.value] as const,
      ([axes, size, ranking, theme, dragging]) => {
        const places = this.#places.peek();
        const pen = this.#canvas.getContext("2d");
        if (axes === null || places === null || pen === null) return;
        this.#drawn = { axes, size, points: pointsOf(ranking, places, axes) };
        paint(this.#canvas, pen, this.#drawn, cssColor(plainPalette(theme.dark ? "dark" : "light"), 0), theme.paper);
        // Labels keep their places while the slider moves, to stay readable.
        if (!dragging || this.#labels.size === 0) this.#labels = labelsOf(this.#drawn, theme.font);
        this.#mark();
      },
    );
    keep(
      () => [store.feature.value, this.#pointed.value],
      () => this.#mark(),
    );
  }

  #mark(): void {
    if (this.#drawn === null) return;
    fitMarks(this.#marks, this.#drawn.size);
    const { store, theme } = this.view;
    const marks = marksOf(this.#drawn, this.#labels, store.feature.peek(), this.#pointed.peek(), theme.peek().font);
    this.#marks.replaceChildren(...marks);
  }

  #listen(): void {
    const frame = this.#frame;
    listen(frame, this.view.aborted, {
      pointermove: (event) => {
        const point = this.#under(event);
        frame.classList.toggle("ice-map-on", point !== null);
        if (point === null) this.#leave();
        else this.#show(point, false);
      },
      pointerleave: () => this.#leave(),
      blur: () => this.#leave(),
      click: (event) => {
        const point = this.#under(event);
        if (point !== null) this.view.store.open(point.feature.name);
      },
      keydown: (event) => {
        if (this.#press(event.key)) event.preventDefault();
      },
    });
  }

  #under({ clientX, clientY }: MouseEvent): Point | null {
    const box = this.#frame.getBoundingClientRect();
    return pointAt(this.#drawn?.points ?? [], clientX - box.left, clientY - box.top, REACH);
  }

  #show({ feature, x, y, radius }: Point, isSpoken: boolean): void {
    const reading = this.view.store.reading.peek();
    if (reading === null) return;
    this.#pointed.value = feature.name;
    const box = this.#frame.getBoundingClientRect();
    const anchor = new DOMRect(box.left + x - radius, box.top + y - radius, 2 * radius, 2 * radius);
    const facts = [...this.#shareFacts(feature.index), ...factsOf(feature, reading)];
    this.view.tooltip.show(feature.name, facts, anchor, isSpoken, cautionOf(feature));
  }

  /** What a point of the comparison is at. */
  #shareFacts(index: number): TooltipRow[] {
    const shares = this.#shares.peek();
    if (shares === null) return [];
    const { impactTerm, term, impact, importance, plain } = shares;
    return [
      { label: `share of ${RANK_LABELS[impactTerm]}`, value: shareText(impact[index]!) },
      { label: `share of ${explanation(term).name}`, value: shareText(importance[index]!) },
      { label: explanation(term).name, value: number(plain[index]!) },
    ];
  }

  #leave(): void {
    if (this.#pointed.peek() === null) return;
    this.#pointed.value = null;
    this.view.tooltip.hide();
  }

  /** What a key does; whether it does anything. */
  #press(key: string): boolean {
    const { store } = this.view;
    const points = this.#drawn?.points ?? [];
    const placeOf = (name: string | null): number => points.findIndex(({ feature }) => feature.name === name);
    const place = placeOf(this.#pointed.peek());
    if (key === "Escape" && place !== -1) this.#leave();
    else if ((key === "Enter" || key === " ") && place !== -1) store.open(points[place]!.feature.name);
    else {
      const next = nextPlace(key, place, placeOf(store.feature.peek()), points.length);
      if (next === null) return false;
      this.#show(points[next]!, true);
    }
    return true;
  }
}

/** Arrow keys begin at the open feature. */
function nextPlace(key: string, place: number, opened: number, n: number): number | null {
  if (n === 0) return null;
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
  if (step !== undefined) return place === -1 ? Math.max(0, opened) : Math.min(Math.max(place + step, 0), n - 1);
  return key === "Home" ? 0 : key === "End" ? n - 1 : null;
}

const DIAGONAL = "Each point is a feature, each axis a share of 100\u00a0%. On the diagonal both agree.";
function remarkOf(n: number, nKnown: number, nPlaced: number): string {
  if (nPlaced === 0) return "";
  const notYet = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far. ` : "";
  const nowhere = nKnown - nPlaced;
  return nowhere > 0 ? `${notYet}${plural(nowhere, "feature")} without metrics.` : notYet.trim();
}
