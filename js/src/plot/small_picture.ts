/** A small plot on the page: axes with their ends, the histogram, curves, mean, and highlighted rows. */

import { shortSpanTexts, spanTexts } from "../text/dates.ts";
import { columnFormat, plural } from "../text/numbers.ts";
import { hasLevels, isUnordered, writerOf } from "../text/values.ts";
import { html, setText, svg, update } from "../ui/element.ts";
import { Fade } from "./fade.ts";
import { cssColor } from "./geometry/palette.ts";
import { LineRaster, lineStrength } from "./geometry/raster.ts";
import { bottomAxis, leftAxis, levelAxis } from "./marks/axis.ts";
import { bar, histogram } from "./marks/histogram.ts";
import { haloed, linePath } from "./marks/paths.ts";
import { paintLevels, paintLines, sampleStrength } from "./paint.ts";
import { dotX } from "./plot.ts";
import { fewSelected } from "./selected.ts";
import { lineOf, type SmallPlot, tallestOf } from "./small_plot.ts";

const LEVEL_GAP = 0.36;
const SLOT_BAR = 5;

/** Writes the ends of a value axis with two digits of their difference. */
export const endsWriter = ([low, high]: [number, number]): ((value: number) => string) =>
  columnFormat(10 * (high - low));

export class SmallPicture {
  readonly #ground = svg("svg", { class: "ice-layer" });
  readonly #canvas = html("canvas", { class: "ice-layer ice-small-lines", "data-test": "small-lines" });
  readonly #picked = html("canvas", { class: "ice-layer", "data-test": "small-selected-lines" });
  readonly #marks = svg("svg", { class: "ice-layer" });
  readonly #first = html("span", { class: "ice-small-end" });
  readonly #last = html("span", { class: "ice-small-end" });
  readonly #below = html("div", { class: "ice-small-below" }, this.#first, this.#last);
  readonly frame = html("div", { class: "ice-small-frame" }, this.#ground, this.#canvas, this.#picked, this.#marks);
  readonly node = html("div", { class: "ice-small", "aria-hidden": "true" }, this.frame, this.#below);
  #raster: LineRaster | null = null;
  #fade: Fade | null = null;
  #plot: SmallPlot | null = null;
  #mean: SVGElement[] = [];
  #marked: { selection: readonly number[]; pointed: number | null } = { selection: [], pointed: null };

  get plot(): SmallPlot | null {
    return this.#plot;
  }

  /** Draws everything but the curves, which `paint` draws; highlighted rows stay highlighted. */
  draw(plot: SmallPlot): void {
    this.#plot = plot;
    this.#fade = new Fade(plot);
    const { scene, size, left, right, y, yTicks } = plot;
    const { width, height } = size;
    for (const layer of [this.#ground, this.#marks]) {
      update(layer, { viewBox: `0 0 ${width} ${height}`, width, height });
    }
    const zero =
      scene.kind === "ice" ? [] : [svg("line", { class: "ice-zero", x1: left, x2: right, y1: y(0), y2: y(0) })];
    this.#ground.replaceChildren(leftAxis(yTicks, left, right), ...dataOf(plot), ...underAxis(plot), ...zero);
    this.#mean = meanOf(plot);
    const [first, last] = endsOf(plot);
    this.#below.hidden = plot.ticks !== null;
    this.frame.style.height = plot.ticks === null ? "" : `${height}px`;
    setText(this.#first, first);
    setText(this.#last, last);
    this.#below.title = wholeEndsOf(plot);
    this.#below.style.marginLeft = `${left}px`;
    this.#below.style.marginRight = `${width - right}px`;
    this.mark(this.#marked.selection, this.#marked.pointed);
  }

  /** Paints the curves of some of `all` rows. Returns the time that took, in ms. */
  paint(decay: number, order: Uint32Array, all: number): number {
    if (this.#plot === null) return 0;
    return this.#paintOn(this.#canvas, decay, order, sampleStrength(this.#plot.strength, all, order.length));
  }

  /** Paints selected curves over the others, where they are too many for strokes. */
  paintSelected(decay: number, order: Uint32Array): number {
    this.#picked.hidden = order.length === 0;
    return order.length === 0 ? 0 : this.#paintOn(this.#picked, decay, order, lineStrength(order.length));
  }

  #paintOn(canvas: HTMLCanvasElement, decay: number, order: Uint32Array, strength: number): number {
    const plot = this.#plot;
    const pen = canvas.getContext("2d");
    if (plot === null || this.#fade === null || pen === null) return 0;
    const start = performance.now();
    this.#fade.apply(decay, order);
    paintLines(pen, this.#fit(canvas, plot), plot, order, strength);
    paintLevels(pen, plot, this.#fade, decay, order);
    return performance.now() - start;
  }

  /** Draws selected and pointed rows over the others, which are dimmed if rows are selected, and the mean. */
  mark(selection: readonly number[], pointed: number | null): void {
    this.#marked = { selection, pointed };
    const plot = this.#plot;
    if (plot === null) return;
    update(this.frame, { "data-dimmed": selection.length > 0 });
    const rows = fewSelected(selection).map((row) => rowOf(plot, row, "selected"));
    if (pointed !== null) rows.push(rowOf(plot, pointed, "hovered"));
    this.#marks.replaceChildren(...this.#mean, ...rows.flat());
  }

  #fit(canvas: HTMLCanvasElement, { left, size, bottom }: SmallPlot): LineRaster {
    const { width, ratio } = size;
    const [w, h] = [Math.max(1, Math.round((width - left) * ratio)), Math.max(1, Math.round(bottom * ratio))];
    canvas.style.left = `${left}px`;
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      Object.assign(canvas.style, { width: `${w / ratio}px`, height: `${h / ratio}px` });
    }
    if (this.#raster?.width !== w || this.#raster.height !== h) this.#raster = new LineRaster(w, h);
    return this.#raster;
  }
}

/** Labels of the ends of the axis. Levels without an order have none. */
function endsOf({ scene: { curves } }: SmallPlot): [string, string] {
  if (isUnordered(curves.kind)) return [plural(curves.n_grid, "level"), ""];
  const write = writerOf(curves);
  const { grid } = curves;
  if (grid.length === 0) return ["", ""];
  if (curves.kind === "datetime") return shortSpanTexts([grid[0]!, grid[grid.length - 1]!], curves.clock);
  return grid.length === 1 ? [write(grid[0]!), ""] : [write(grid[0]!), write(grid[grid.length - 1]!)];
}

/** The full text of shortened ends. */
function wholeEndsOf({ scene: { curves } }: SmallPlot): string {
  const { grid, kind, clock } = curves;
  return kind === "datetime" && grid.length > 0 ? spanTexts([grid[0]!, grid[grid.length - 1]!], clock).join(" – ") : "";
}

/** The baseline and the labels under it. */
function underAxis({ ticks, slot, left, right, axis, size }: SmallPlot): SVGElement[] {
  if (ticks === null) return [svg("line", { class: "ice-baseline", x1: left, x2: right, y1: axis, y2: axis })];
  const { x, labels, font } = ticks;
  const end = slot === null ? size.width : slot.left;
  const drawn =
    labels === null ? bottomAxis(x, left, right, end, axis, font) : levelAxis(x, labels, left, right, axis, font);
  if (slot !== null)
    drawn.append(svg("text", { x: slot.at, y: axis + 8, dy: "0.71em", "text-anchor": "middle" }, "missing"));
  return [drawn];
}

function dataOf({ scene, x, axis, slot, bottom }: SmallPlot): SVGElement[] {
  const { histogram_edges: edges, histogram_counts: counts, missing, kind } = scene.curves;
  const tallest = tallestOf(scene.curves);
  const height = axis - bottom - 4;
  const gap = hasLevels(kind) ? LEVEL_GAP : 0;
  const bars: SVGElement[] = [histogram({ edges, counts, x, bottom: axis, height, tallest, gap })];
  if (slot === null) return bars;
  const edge = slot.left - 4;
  bars.push(
    svg("line", { class: "ice-slot-edge", x1: edge, x2: edge, y1: 0, y2: axis }),
    svg("line", { class: "ice-baseline", x1: slot.left, x2: slot.right, y1: axis, y2: axis }),
  );
  if (missing !== null && missing.count > 0) {
    const d = bar(slot.at - SLOT_BAR, slot.at + SLOT_BAR, axis, (missing.count / tallest) * height);
    bars.push(svg("path", { class: "ice-histogram", d }));
  }
  return bars;
}

function meanOf(plot: SmallPlot): SVGElement[] {
  const { scene, x, y, slot } = plot;
  const marks: SVGElement[] = [];
  if (scene.onLevels) {
    const radius = Math.min(3.5, Math.max(1.5, (x(1) - x(0)) / 7));
    for (const [point, value] of scene.x.entries()) {
      marks.push(meanDot(x(value), y(scene.mean[point]!), radius));
    }
  } else {
    const px = scene.x.map((value) => x(value));
    const mean = linePath(px, (point) => y(scene.mean[point]!));
    marks.push(haloed(mean, "ice-mean", { "data-test": "small-mean" }));
  }
  if (slot !== null && scene.missing !== null) marks.push(meanDot(slot.at, y(scene.missing.mean), 2.5));
  return marks;
}

const meanDot = (cx: number, cy: number, r: number): SVGElement =>
  svg("circle", { class: "ice-mean-level", cx, cy, r, "data-test": "small-mean" });

/** The curve of a row with a dot at its observed value; nothing if it is not drawn. */
function rowOf(plot: SmallPlot, row: number, name: "selected" | "hovered"): SVGElement[] {
  const { scene, lines, palette, x, y } = plot;
  const { curves, onLevels, missing } = scene;
  const line = lineOf(curves, row);
  if (line === -1) return [];
  const px = scene.x.map((value) => (onLevels ? dotX(plot, line, value) : x(value)));
  const d = linePath(px, (point) => y(scene.values[line * px.length + point]!));
  const mark = haloed(d, `ice-${name}`, { "data-test": `small-${name}`, "data-row": row });
  mark.classList.toggle("ice-connected", onLevels);
  const dot = (cx: number, cy: number): void => {
    if (!Number.isFinite(cx + cy)) return;
    const circle = svg("circle", { cx, cy, r: 3 });
    circle.style.fill = cssColor(palette, lines.color[line]!);
    mark.append(circle);
  };
  if (missing !== null) dot(dotX(plot, line, Number.NaN), y(missing.values[line]!));
  dot(dotX(plot, line, curves.observed[line]!), y(scene.own[line]!));
  return [mark];
}
