/** What lies under and over the lines: axes, histogram, own values, the mean, and the rows that are singled out. */
import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import { cssColor } from "../../geometry/palette.ts";
import { bottomAxis, leftAxis, rightAxis } from "../../marks/axis.ts";
import { drawDots } from "../../marks/dots.ts";
import { html, svg, update } from "../../marks/element.ts";
import { histogram } from "../../marks/histogram.ts";
import { bandPath, haloed, linePath } from "../../marks/paths.ts";
import type { View } from "../../view.ts";
import type { Plot } from "./plot.ts";
import type { Shown } from "./shown.ts";

/** Share of the steepest mean slope below which a spread of slopes does not count. */
const LEAST_SPREAD = 1e-3;
/** More dots than this are drawn smaller and lighter. */
const MANY_DOTS = 200;
const NO_SLOPE = "A constant feature has no slope.";

function resize(layer: SVGSVGElement, { size: { width, height } }: Plot): void {
  update(layer, { viewBox: `0 0 ${width} ${height}`, width, height });
}

export function axesLayer(view: View, { plot }: Shown): SVGSVGElement {
  const layer = svg("svg", { class: "ice-layer", "aria-hidden": "true" });
  view.keep(
    () => ({ plot: plot.value, font: view.theme.value.font }),
    ({ plot: shown, font }) => {
      if (shown === null) return;
      const { scene, left, right, top, bottom, slopesEnd, axis, x, y, size } = shown;
      const { histogramEdges, histogramCounts } = scene.curves;
      resize(layer, shown);
      layer.replaceChildren(
        leftAxis(shown.yTicks, left, right),
        histogram(histogramEdges, histogramCounts, x, axis, axis - slopesEnd - 4),
        bottomAxis(shown.xTicks, left, right, size.width, axis, font),
        rightAxis(shown.rangeTicks, right),
      );
      if (slopesEnd > bottom) layer.append(...slopeSpread(shown));
      if (scene.kind !== "ice") {
        layer.append(svg("line", { class: "ice-zero", x1: left, x2: right, y1: y(0), y2: y(0) }));
      }
      if (scene.anchoredAt !== null) {
        const at = x(scene.anchoredAt);
        const rule = { class: "ice-anchor-rule", x1: at, x2: at, y1: top, y2: bottom, "data-test": "anchor-rule" };
        layer.append(svg("line", rule));
      }
    },
  );
  return layer;
}

/** Standard deviation of the slopes, under them: where the lines disagree. */
function slopeSpread({ scene, left, right, bottom, slopesEnd, x }: Plot): SVGElement[] {
  const spread = scene.mean.map((mean, point) => scene.high[point]! - mean);
  // Lines that agree differ by the rounding of float32, which a scale of its own would blow up to full height.
  const steepest = max(scene.mean, Math.abs) ?? 0;
  const tallest = Math.max(max(spread) ?? 0, LEAST_SPREAD * steepest);
  const height = scaleLinear()
    .domain([0, tallest || 1])
    .range([slopesEnd, bottom + 6]);
  const px = scene.x.map((value) => x(value));
  const d = bandPath(
    px,
    () => slopesEnd,
    (point) => height(spread[point]!),
  );
  return [
    svg("path", { class: "ice-slope-spread", d, "data-test": "slope-spread" }),
    svg("line", { class: "ice-gridline", x1: left, x2: right, y1: slopesEnd, y2: slopesEnd }),
    svg("text", { class: "ice-strip-label", x: left - 8, y: slopesEnd - 2, "text-anchor": "end" }, "SD"),
  ];
}

export function dotsLayer(view: View, { plot }: Shown): HTMLCanvasElement {
  const canvas = html("canvas", { class: "ice-layer", "aria-hidden": "true" });
  view.keep(
    () => ({ plot: plot.value, hidden: view.store.hiddenLevels.value, paper: view.theme.value.paper }),
    ({ plot: shown, hidden, paper }) => {
      const pen = canvas.getContext("2d");
      if (shown === null || pen === null) return;
      const { scene, lines, palette, order, x, y, size } = shown;
      canvas.width = Math.round(size.width * size.ratio);
      canvas.height = Math.round(size.height * size.ratio);
      Object.assign(canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
      pen.scale(size.ratio, size.ratio);
      const many = lines.nLines > MANY_DOTS;
      const dots = {
        x: Float32Array.from(scene.curves.observed, (value) => x(value)),
        y: Float32Array.from(scene.own, (value) => y(value)),
        colors: (line: number) => cssColor(palette, lines.color[line]!),
        order: order.filter((line) => !hidden.has(lines.color[line]!)),
        opacity: many ? 0.55 : 0.95,
        radius: many ? 1.5 : 2.5,
      };
      drawDots(pen, dots, paper);
    },
  );
  return canvas;
}

export function markedLayer(view: View, { plot }: Shown): SVGSVGElement {
  const { store } = view;
  const layer = svg("svg", { class: "ice-layer", "aria-hidden": "true" });

  const marked = (shown: Plot, line: number, name: string): SVGGElement => {
    const { scene, lines, palette, x, y, size } = shown;
    const px = scene.x.map((value) => x(value));
    const path = linePath(px, (point) => lines.y[line * lines.nPoints + point]! / size.ratio);
    const row = scene.curves.positions[line]!;
    const mark = haloed(path, `ice-${name}`, { "data-test": `${name}-line`, "data-row": row });
    const observed = scene.curves.observed[line]!;
    if (Number.isNaN(observed)) return mark; // a missing value has no place on the axis
    const dot = svg("circle", { cx: x(observed), cy: y(scene.own[line]!), r: 4 });
    dot.style.fill = cssColor(palette, lines.color[line]!);
    mark.append(dot);
    return mark;
  };

  view.keep(
    () => ({ plot: plot.value, hover: store.hover.value, selection: store.selection.value }),
    ({ plot: shown, hover, selection }) => {
      if (hover === null || shown === null) view.tooltip.hide();
      if (shown === null) return;
      const { scene, lines, x, y, left, top, bottom } = shown;
      const px = scene.x.map((value) => x(value));
      const inside = (value: number): number => Math.min(bottom, Math.max(top, y(value)));
      resize(layer, shown);
      const band = bandPath(
        px,
        (point) => inside(scene.low[point]!),
        (point) => inside(scene.high[point]!),
      );
      const mean = linePath(px, (point) => y(scene.mean[point]!));
      const edge = (values: Float32Array) => linePath(px, (point) => inside(values[point]!));
      layer.replaceChildren(
        svg("path", { class: "ice-band", d: band }),
        svg("path", { class: "ice-band-edge", d: edge(scene.low) }),
        svg("path", { class: "ice-band-edge", d: edge(scene.high) }),
        haloed(mean, "ice-mean", { "data-test": "partial-dependence" }),
      );
      if (px.length === 0) {
        layer.append(svg("text", { class: "ice-remark", x: left + 8, y: (top + bottom) / 2 }, NO_SLOPE));
      }
      const drawn = new Map(Array.from(scene.curves.positions, (position, line) => [position, line]));
      for (const position of selection) {
        const line = drawn.get(position);
        if (line !== undefined) layer.append(marked(shown, line, "selected"));
      }
      if (hover !== null && hover < lines.nLines) layer.append(marked(shown, hover, "hovered"));
    },
  );
  return layer;
}
