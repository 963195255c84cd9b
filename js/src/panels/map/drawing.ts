/** What the map draws: points on a canvas, and names and rings over them. */
import { svg } from "../../elements/element.ts";
import { type Labelled, labelBox, placeLabels, type Side } from "../../geometry/labels.ts";
import type { Box } from "../../geometry/pick.ts";
import { fitted, fittedApart, labelWidth } from "../../marks/axis.ts";
import type { Size } from "../../view/size.ts";
import type { MapAxes, Point } from "./points.ts";

/** Number of labelled features, the strongest with enough room; others are labelled under the pointer. */
const MOST_LABELS = 14;
const CANDIDATES = 40;
const LABEL_HEIGHT = 14;
const LONGEST_LABEL = 120;
/** Smallest radius with a visible rim. */
const RIMMED = 3;
const NO_ORDER = "levels without an order";

export interface Drawn {
  axes: MapAxes;
  points: Point[];
  size: Size;
}

export interface Label {
  text: string;
  width: number;
  side: Side | null;
}

/** The strip of features whose levels have no order. */
export function stripMarks({ strip, left, right, bottom }: MapAxes): SVGElement[] {
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

/** Where both shares are the same. */
export function diagonalMarks({ x, y, diagonal }: MapAxes): SVGElement[] {
  if (diagonal === null) return [];
  const ends = { x1: x(0), y1: y(0), x2: x(diagonal), y2: y(diagonal) };
  return [svg("line", { class: "ice-map-diagonal", ...ends, "data-test": "map-diagonal" })];
}

/** Areas that no label may cover: the text of the strip, and its edge. */
function stripBoxes({ left, right, bottom }: MapAxes, { top }: { top: number }, font: string): Box[] {
  const words = right - labelWidth([{ at: 0, label: NO_ORDER }], font);
  return [
    { left: words, right, top, bottom: top + LABEL_HEIGHT },
    { left, right, top: bottom, bottom: top },
  ];
}

/** The largest points first, so that the smaller ones lie on them. */
export function paint(
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
  for (const { feature, x, y, radius } of [...points].sort((a, b) => b.radius - a.radius)) {
    pen.globalAlpha = feature.draft === null ? 0.72 : 0.36;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.globalAlpha = 1;
    if (radius >= RIMMED) pen.stroke();
  }
}

/** The names of the strongest features, where there is room for them. */
export function labelsOf({ points, axes, size }: Drawn, plain: string): Map<string, Label> {
  // The open feature, which may be any of them, is bold.
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
export function marksOf(
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
