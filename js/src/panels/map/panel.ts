/** The map of the features: heterogeneity, non-linearity, and the metric of the ranking as area. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { html, setText, update } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import { fitMarks, markLayer } from "../../elements/layers.ts";
import { listen } from "../../elements/lifetime.ts";
import { cssColor, plainPalette } from "../../geometry/palette.ts";
import { bottomAxis, leftAxis } from "../../marks/axis.ts";
import { cautionOf, factsOf } from "../../view/feature_facts.ts";
import { followSize, type Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import { explanation, variantsOf } from "../../words/glossary.ts";
import { CONVENTION_LABELS, RANK_LABELS, UNIT_LABELS } from "../../words/metric_names.ts";
import { count, plural } from "../../words/numbers.ts";
import { type Drawn, type Label, labelsOf, marksOf, paint, stripMarks } from "./drawing.ts";
import { axesOf, type Point, pointAt, pointsOf } from "./points.ts";

/** How near to a point the pointer must be, in px. */
const REACH = 8;
const LEAST_WIDTH = 80;

export function mapPanel(view: View): HTMLElement {
  return new FeatureMap(view).panel;
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
  readonly #message = html("p", { class: "ice-message-text", "data-test": "map-message", "aria-live": "polite" });
  readonly #cover = html("div", { class: "ice-message" }, this.#message);
  readonly #area = html("b", {});
  readonly #counted = html("span", {});
  readonly #remark = html("p", { "data-test": "map-remark" });
  readonly #vertical = html("span", {});
  readonly #horizontal = html("span", {});
  readonly #above = html("div", { class: "ice-plot-titles" }, this.#vertical);
  readonly #below = html("div", { class: "ice-plot-titles ice-map-below" }, this.#remark, this.#horizontal);
  readonly #size: ReadonlySignal<Size>;
  /** The feature under the pointer, or the one that the arrow keys reached. */
  readonly #pointed = signal<string | null>(null);
  readonly #axes = computed(() => {
    const reading = this.view.store.reading.value;
    if (reading === null || this.#size.value.width < LEAST_WIDTH) return null;
    return axesOf(reading, this.#size.value, this.view.theme.value.font);
  });
  #drawn: Drawn | null = null;
  #labels = new Map<string, Label>();

  constructor(private readonly view: View) {
    this.#size = followSize(this.#frame, view.aborted);
    this.#marks.dataset.test = "map-marks";
    const key = html(
      "p",
      { class: "ice-map-key", "data-test": "map-key" },
      "Up: more curved. Right: differs more between rows. Area: ",
      this.#area,
      ".",
      this.#counted,
    );
    this.panel = html(
      "section",
      { class: "ice-panel", "aria-label": "Map of the features", "data-test": "impact-map" },
      html("header", { class: "ice-head" }, key),
      this.#above,
      html("div", { class: "ice-map-stage" }, this.#frame, this.#cover),
      this.#below,
    );
    this.#keepWords();
    this.#keepAxes();
    this.#keepPoints();
    this.#listen();
  }

  #keepWords(): void {
    const { store, keep } = this.view;
    keep(
      () => [store.ranking.value, store.reading.value, store.status.value.state, store.rankBy.value] as const,
      ([ranking, reading, status, rankBy]) => {
        const convention = reading?.figures.header.convention ?? "stable";
        setText(this.#area, RANK_LABELS[rankBy]);
        setText(this.#counted, ` Counted ${CONVENTION_LABELS[convention]}.`);
        const known = ranking.filter((feature) => feature.known);
        const nPlaced = known.filter(({ index }) => Number.isFinite(reading?.get(index, "heterogeneity"))).length;
        this.#frame.hidden = nPlaced === 0;
        this.#cover.hidden = nPlaced > 0;
        for (const part of [this.#above, this.#below]) part.classList.toggle("ice-absent", nPlaced === 0);
        setText(this.#message, messageFor(ranking.length, known.length, status));
        setText(this.#remark, remarkOf(ranking.length, known.length, nPlaced));
        const label = `Map of ${plural(nPlaced, "feature")}. Arrow keys go from one to the next by rank, Enter opens.`;
        update(this.#frame, { "aria-label": label });
      },
    );
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
        ] as const,
      ([axes, size, font, unit, convention]) => {
        if (axes === null) return;
        const unitText = (exponent: string): string => {
          const parts = [unit === "prediction" ? "" : UNIT_LABELS[unit], exponent].filter((part) => part !== "");
          return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
        };
        setText(this.#vertical, `↑ non-linearity${unitText(axes.yExponent)}`);
        setText(this.#horizontal, `heterogeneity${unitText(axes.xExponent)} →`);
        explained(this.#vertical, explanation("non_linearity", ...variantsOf("numeric", convention)));
        explained(this.#horizontal, explanation("heterogeneity"));
        fitMarks(this.#ground, size);
        this.#ground.replaceChildren(
          leftAxis(axes.yTicks, axes.left, axes.right),
          bottomAxis(axes.xTicks, axes.left, axes.right, size.width, axes.axis, font),
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
        const reading = store.reading.peek();
        const pen = this.#canvas.getContext("2d");
        if (axes === null || reading === null || pen === null) return;
        this.#drawn = { axes, size, points: pointsOf(ranking, reading, axes) };
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
    this.view.tooltip.show(feature.name, factsOf(feature, reading), anchor, isSpoken, cautionOf(feature, reading));
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

function messageFor(n: number, nKnown: number, status: string): string {
  if (nKnown > 0) return "No feature has the metrics that the map needs.";
  if (status === "computing") return "Features appear here as they are computed.";
  return n === 0 ? "No features to show." : "No feature is computed yet.";
}

function remarkOf(n: number, nKnown: number, nPlaced: number): string {
  if (nPlaced === 0) return "";
  const notYet = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far. ` : "";
  const nowhere = nKnown - nPlaced;
  return nowhere > 0 ? `${notYet}${plural(nowhere, "feature")} without metrics.` : notYet.trim();
}
