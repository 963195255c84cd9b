/** The features on a map: how much they differ between rows, how curved they are, and how much they matter. */
import { computed, signal } from "@preact/signals-core";
import { cautionOf, factsOf } from "../../facts.ts";
import { count, plural } from "../../format.ts";
import { type Labelled, labelBox, placeLabels, type Side } from "../../geometry/labels.ts";
import { cssColor, plainPalette } from "../../geometry/palette.ts";
import type { Box } from "../../geometry/pick.ts";
import { explanation, variantsOf } from "../../glossary.ts";
import { bottomAxis, fitted, fittedApart, labelWidth, leftAxis } from "../../marks/axis.ts";
import { html, setText, svg, update } from "../../marks/element.ts";
import { explained } from "../../marks/explained.ts";
import { followSize, type Size } from "../../marks/size.ts";
import { CONVENTION_LABELS, RANK_LABELS, UNIT_LABELS } from "../../metrics.ts";
import type { View } from "../../view.ts";
import { axesOf, type MapAxes, type Point, pointAt, pointsOf } from "./points.ts";

/** How near to a point the pointer must be, in px. */
const REACH = 8;
/** So many features are named, of the strongest for which there is room; the others when they are pointed at. */
const MOST_LABELS = 14;
const CANDIDATES = 40;
const LABEL_HEIGHT = 14;
const LONGEST_LABEL = 120;
const LEAST_WIDTH = 80;
/** Points of which a rim could be told. */
const RIMMED = 3;

interface Drawn {
  axes: MapAxes;
  points: Point[];
  size: Size;
}

interface Label {
  text: string;
  width: number;
  side: Side | null;
}

export function mapPanel(view: View): HTMLElement {
  const { store, aborted } = view;
  const canvas = html("canvas", { class: "ice-layer", "aria-hidden": "true", "data-test": "map-points" });
  const ground = svg("svg", { class: "ice-layer", "aria-hidden": "true" });
  const marks = svg("svg", { class: "ice-layer", "aria-hidden": "true", "data-test": "map-marks" });
  const frame = html(
    "div",
    {
      class: "ice-map-frame",
      tabindex: 0,
      role: "group",
      "aria-label": "Map of the features",
      "aria-roledescription": "scatter plot",
      "data-test": "map",
    },
    ground,
    canvas,
    marks,
  );
  const message = html("p", { class: "ice-message-text", "data-test": "map-message", "aria-live": "polite" });
  const cover = html("div", { class: "ice-message" }, message);
  const area = html("b", {});
  const counted = html("span", {});
  const remark = html("p", { "data-test": "map-remark" });
  const vertical = html("span", {});
  const horizontal = html("span", {});
  const above = html("div", { class: "ice-plot-titles" }, vertical);
  const below = html("div", { class: "ice-plot-titles ice-map-below" }, remark, horizontal);
  const panel = html(
    "section",
    { class: "ice-panel", "aria-label": "Map of the features", "data-test": "impact-map" },
    html(
      "header",
      { class: "ice-head" },
      html(
        "p",
        { class: "ice-map-key", "data-test": "map-key" },
        "Up: more curved. Right: differs more between rows. Area: ",
        area,
        ".",
        counted,
      ),
    ),
    above,
    html("div", { class: "ice-map-stage" }, frame, cover),
    below,
  );

  const size = followSize(frame, aborted);
  const pointed = signal<string | null>(null);
  const axes = computed(() => {
    const reading = store.reading.value;
    if (reading === null || size.value.width < LEAST_WIDTH) return null;
    return axesOf(reading, size.value, view.theme.value.font);
  });
  let drawn: Drawn | null = null;
  let labels = new Map<string, Label>();

  view.keep(
    () => ({
      ranking: store.ranking.value,
      reading: store.reading.value,
      status: store.status.value.state,
      rankBy: store.rankBy.value,
    }),
    ({ ranking, reading, status, rankBy }) => {
      const convention = reading?.figures.header.convention ?? "stable";
      setText(area, RANK_LABELS[rankBy]);
      setText(counted, ` Counted ${CONVENTION_LABELS[convention]}.`);
      const nKnown = ranking.filter(({ known }) => known).length;
      const nPlaced = ranking.filter(
        ({ known, index }) => known && Number.isFinite(reading?.get(index, "heterogeneity")),
      ).length;
      frame.hidden = nPlaced === 0;
      cover.hidden = nPlaced > 0;
      for (const part of [above, below]) part.classList.toggle("ice-absent", nPlaced === 0);
      setText(message, messageFor(ranking.length, nKnown, status));
      setText(remark, remarkOf(ranking.length, nKnown, nPlaced));
      const label = `Map of ${plural(nPlaced, "feature")}. Arrow keys go from one to the next by rank, Enter opens.`;
      update(frame, { "aria-label": label });
    },
  );
  view.keep(
    () => ({
      axes: axes.value,
      size: size.value,
      font: view.theme.value.font,
      unit: store.reading.value?.unit ?? "prediction",
      convention: store.convention.value,
    }),
    ({ axes: shown, size: { width, height }, font, unit: chosen, convention }) => {
      if (shown === null) return;
      const unit = (exponent: string) => {
        const parts = [chosen === "prediction" ? "" : UNIT_LABELS[chosen], exponent].filter((part) => part !== "");
        return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
      };
      setText(vertical, `↑ non-linearity${unit(shown.yExponent)}`);
      setText(horizontal, `heterogeneity${unit(shown.xExponent)} →`);
      explained(vertical, explanation("non_linearity", ...variantsOf("numeric", convention)));
      explained(horizontal, explanation("heterogeneity"));
      update(ground, { viewBox: `0 0 ${width} ${height}`, width, height });
      ground.replaceChildren(
        leftAxis(shown.yTicks, shown.left, shown.right),
        bottomAxis(shown.xTicks, shown.left, shown.right, width, shown.axis, font),
        ...stripMarks(shown),
      );
    },
  );
  view.keep(
    () => ({
      axes: axes.value,
      size: size.value,
      ranking: store.ranking.value,
      theme: view.theme.value,
      dragging: store.dragging.value,
    }),
    ({ axes: shown, size: current, ranking, theme, dragging }) => {
      const reading = store.reading.peek();
      const pen = canvas.getContext("2d");
      if (shown === null || reading === null || pen === null) return;
      drawn = { axes: shown, size: current, points: pointsOf(ranking, reading, shown) };
      paint(canvas, pen, drawn, cssColor(plainPalette(theme.dark ? "dark" : "light"), 0), theme.paper);
      // Labels that jump from side to side while the slider moves could not be read.
      if (!dragging || labels.size === 0) labels = labelsOf(drawn, theme.font);
      mark();
    },
  );
  const mark = (): void => {
    if (drawn === null) return;
    const { width, height } = drawn.size;
    update(marks, { viewBox: `0 0 ${width} ${height}`, width, height });
    marks.replaceChildren(...marksOf(drawn, labels, store.feature.peek(), pointed.peek(), view.theme.peek().font));
  };
  view.keep(() => [store.feature.value, pointed.value], mark);

  const show = (point: Point, isSpoken: boolean): void => {
    const reading = store.reading.peek();
    if (reading === null) return;
    pointed.value = point.feature.name;
    const box = frame.getBoundingClientRect();
    const { x, y, radius } = point;
    const anchor = new DOMRect(box.left + x - radius, box.top + y - radius, 2 * radius, 2 * radius);
    const { feature } = point;
    view.tooltip.show(feature.name, factsOf(feature, reading), anchor, isSpoken, cautionOf(feature, reading));
  };
  const leave = (): void => {
    if (pointed.peek() === null) return;
    pointed.value = null;
    view.tooltip.hide();
  };
  const under = (event: MouseEvent): Point | null => {
    const box = frame.getBoundingClientRect();
    return pointAt(drawn?.points ?? [], event.clientX - box.left, event.clientY - box.top, REACH);
  };
  const options = { signal: aborted };
  frame.addEventListener(
    "pointermove",
    (event) => {
      const point = under(event);
      frame.classList.toggle("ice-map-on", point !== null);
      if (point === null) leave();
      else show(point, false);
    },
    options,
  );
  frame.addEventListener("pointerleave", leave, options);
  frame.addEventListener("blur", leave, options);
  frame.addEventListener(
    "click",
    (event) => {
      const point = under(event);
      if (point !== null) store.open(point.feature.name);
    },
    options,
  );
  frame.addEventListener(
    "keydown",
    (event) => {
      const points = drawn?.points ?? [];
      const place = points.findIndex(({ feature }) => feature.name === pointed.peek());
      if (event.key === "Escape" && place !== -1) leave();
      else if ((event.key === "Enter" || event.key === " ") && place !== -1) store.open(points[place]!.feature.name);
      else {
        const opened = points.findIndex(({ feature }) => feature.name === store.feature.peek());
        const next = nextPlace(event.key, place, opened, points.length);
        if (next === null) return;
        show(points[next]!, true);
      }
      event.preventDefault();
    },
    options,
  );
  return panel;
}

const NO_ORDER = "levels without an order";

/** Arrow keys begin at the open feature. */
function nextPlace(key: string, place: number, opened: number, n: number): number | null {
  if (n === 0) return null;
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
  if (step !== undefined) return place === -1 ? Math.max(0, opened) : Math.min(Math.max(place + step, 0), n - 1);
  return key === "Home" ? 0 : key === "End" ? n - 1 : null;
}

function messageFor(n: number, nKnown: number, status: string): string {
  if (nKnown > 0) return "No feature has figures that place it on the map.";
  if (status === "computing") return "Features appear here as they are computed.";
  return n === 0 ? "No features to show." : "No feature is computed yet.";
}

function remarkOf(n: number, nKnown: number, nPlaced: number): string {
  if (nPlaced === 0) return "";
  const notYet = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far. ` : "";
  const nowhere = nKnown - nPlaced;
  return nowhere > 0 ? `${notYet}${plural(nowhere, "feature")} without figures.` : notYet.trim();
}

function stripMarks({ strip, left, right, bottom }: MapAxes): SVGElement[] {
  if (strip === null) return [];
  return [
    svg("line", { class: "ice-gridline", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("line", { class: "ice-slot-edge", x1: left, x2: right, y1: strip.top, y2: strip.top }),
    svg(
      "text",
      {
        class: "ice-strip-label",
        x: right,
        y: strip.top + LABEL_HEIGHT - 3,
        "text-anchor": "end",
        "data-test": "map-strip",
      },
      NO_ORDER,
    ),
  ];
}

/** What no label may cover: the words of the strip, and its edge. */
function stripBoxes({ left, right, bottom }: MapAxes, { top }: { top: number }, font: string): Box[] {
  const words = right - labelWidth([{ at: 0, label: NO_ORDER }], font);
  return [
    { left: words, right, top, bottom: top + LABEL_HEIGHT },
    { left, right, top: bottom, bottom: top },
  ];
}

/** The largest points first, so that the smaller ones lie on them. */
function paint(
  canvas: HTMLCanvasElement,
  pen: CanvasRenderingContext2D,
  { points, size: { width, height, ratio } }: Drawn,
  color: string,
  rim: string,
): void {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = color;
  pen.strokeStyle = rim;
  for (const { x, y, radius } of [...points].sort((a, b) => b.radius - a.radius)) {
    pen.globalAlpha = 0.72;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.globalAlpha = 1;
    if (radius >= RIMMED) pen.stroke();
  }
}

function labelsOf({ points, axes, size }: Drawn, plain: string): Map<string, Label> {
  // Any of them may be the open one, which is written bold.
  const font = `600 ${plain}`;
  const strongest = points.slice(0, CANDIDATES);
  const texts = fittedApart(
    strongest.map(({ feature }) => feature.name),
    LONGEST_LABEL,
    font,
  );
  const widths = texts.map((label) => labelWidth([{ at: 0, label }], font));
  const boxes = strongest.map((point, place): Labelled => ({ ...point, width: widths[place]! }));
  const reserved = axes.strip === null ? [] : stripBoxes(axes, axes.strip, plain);
  const sides = placeLabels(boxes, LABEL_HEIGHT, roomOf(axes, size), reserved, MOST_LABELS);
  return new Map(
    strongest.map(({ feature }, place) => [
      feature.name,
      { text: texts[place]!, width: widths[place]!, side: sides[place]! },
    ]),
  );
}

const roomOf = ({ left, axis }: MapAxes, { width }: Size): Box => ({ left, right: width, top: 0, bottom: axis });

/** The names of the strongest, the open feature, and the one that is pointed at. */
function marksOf(
  { points, axes, size }: Drawn,
  labels: ReadonlyMap<string, Label>,
  opened: string,
  pointed: string | null,
  font: string,
): SVGElement[] {
  const names: SVGElement[] = [];
  const rings: SVGElement[] = [];
  for (const point of points) {
    const { name } = point.feature;
    const isOpen = name === opened;
    const isPointed = name === pointed;
    const { x: cx, y: cy, radius } = point;
    const at = { cx, cy, "data-feature": name };
    if (isOpen) rings.push(svg("circle", { ...at, class: "ice-map-open", r: radius, "data-test": "map-open" }));
    if (isPointed) rings.push(svg("circle", { ...at, class: "ice-map-ring", r: radius + 2, "data-test": "map-ring" }));
    const label = labels.get(name);
    const side = label?.side ?? (isOpen || isPointed ? "above" : null);
    if (side === null) continue;
    const text = label?.text ?? fitted(name, LONGEST_LABEL, `600 ${font}`);
    const width = label?.width ?? labelWidth([{ at: 0, label: text }], `600 ${font}`);
    const box = labelBox({ ...point, width }, side, LABEL_HEIGHT, roomOf(axes, size));
    const anchor = side === "right" ? "start" : side === "left" ? "end" : "middle";
    const x = { start: box.left, end: box.right, middle: (box.left + box.right) / 2 }[anchor];
    const place = { x, y: box.bottom - 3, "text-anchor": anchor };
    const attributes = { class: "ice-map-label", ...place, "data-test": "map-label" };
    const node = svg("text", attributes, text);
    node.classList.toggle("ice-map-label-open", isOpen);
    names.push(node);
  }
  return [...rings, ...names];
}
