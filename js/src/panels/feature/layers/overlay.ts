/** What is under and over the lines: axes, histogram, observed values, the mean, selected rows and the marked one. */

import type { ReadonlySignal } from "@preact/signals-core";
import { max } from "d3-array";
import { groupMeans } from "../../../plot/geometry/crossing.ts";
import { cssColor } from "../../../plot/geometry/palette.ts";
import { OWN_DRAG } from "../../../plot/gestures/gestures.ts";
import { bottomAxis, leftAxis, levelAxis } from "../../../plot/marks/axis.ts";
import { drawDots } from "../../../plot/marks/dots.ts";
import { bar, histogram } from "../../../plot/marks/histogram.ts";
import { bandPath, fadingPaths, haloedPaths, linePath } from "../../../plot/marks/paths.ts";
import { scaleLinear } from "../../../plot/marks/scale.ts";
import { linesOfRow, linesPerModel } from "../../../plot/models.ts";
import { dotX, type Plot, type Slot } from "../../../plot/plot.ts";
import { fewSelected, layerClass, linesOf, manySelected, selectedPalette, type Which } from "../../../plot/selected.ts";
import type { Hidden } from "../../../state/filters.ts";
import { explanation, type Term } from "../../../text/glossary.ts";
import { hasLevels } from "../../../text/values.ts";
import { html, svg, update } from "../../../ui/element.ts";
import { explained } from "../../../ui/explained.ts";
import { fitMarks, fitPixels, markLayer } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import { clipped, isInSight } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";
import type { Groups } from "./groups.ts";

/** Share of the steepest mean slope below which a spread of slopes is rounding. */
const LEAST_SPREAD = 1e-3;
/** More dots than this are drawn smaller and lighter. */
const MANY_DOTS = 200;
/** While the anchor moves, no more dots than this are drawn. */
const MOST_MOVING_DOTS = 1000;
/** The share of a level's room that its bar of the data leaves free. */
const LEVEL_GAP = 0.36;
/** Half the width of the bar of missing values, and the room of their label, in px. */
const SLOT_BAR = 14;
const SLOT_LABEL = 54;
/** A mean with more points than this has a thin rim: a wide one would cover close steps. */
const MOST_BOLD = 80;
/** Height of the label of a strip, in px. */
const STRIP_LABEL = 16;
const NO_SLOPE = "A constant feature has no slope.";

export function axesLayer(view: View, { plot }: Shown): SVGSVGElement {
  const layer = markLayer();
  view.keep(
    () => [plot.value, view.theme.value.font] as const,
    ([shown, font]) => {
      if (shown === null) return;
      const { scene, left, right, outer, top, bottom, slopesEnd, x, y } = shown;
      fitMarks(layer, shown.size);
      layer.replaceChildren(leftAxis(shown.yTicks, left, right), ...dataStrip(shown), featureAxis(shown, font));
      if (shown.slot !== null) layer.append(...besideAxis(shown, shown.slot));
      if (slopesEnd > bottom) layer.append(...slopeSpread(shown));
      if (scene.kind !== "ice" && y(0) >= top && y(0) <= bottom) {
        layer.append(svg("line", { class: "ice-zero", x1: left, x2: outer, y1: y(0), y2: y(0) }));
      }
      if (scene.anchoredAt !== null) {
        const at = x(scene.anchoredAt);
        const rule = {
          class: "ice-anchor-rule",
          x1: at,
          x2: at,
          y1: top,
          y2: bottom,
          "data-test": "anchor-rule",
          "data-at": scene.anchoredAt,
        };
        layer.append(svg("line", rule));
      }
    },
  );
  return layer;
}

/** The names of the strips under the curves, left of each, with explanations. */
export function stripLabels(view: View, { plot }: Shown): HTMLElement[] {
  const label = (term: Term, text: string): HTMLElement => {
    const meaning = explanation(term);
    return explained(
      html("span", { class: "ice-strip-name", [OWN_DRAG]: true, "data-test": `strip-${term}` }, text),
      meaning,
    );
  };
  const spread = label("slope_spread", "SD");
  const data = label("histogram", explanation("histogram").name);
  view.keep(
    () => plot.value,
    (shown) => {
      if (shown === null) return;
      const { size, left, axis, bottom, slopesEnd } = shown;
      spread.hidden = slopesEnd === bottom;
      for (const [node, foot] of [
        [spread, slopesEnd],
        [data, axis],
      ] as const) {
        node.style.right = `${size.width - left + 8}px`;
        node.style.top = `${foot - STRIP_LABEL}px`;
      }
    },
  );
  return [spread, data];
}

/** Histogram of the data above the axis, and the number of missing values beside it, on one scale. */
function dataStrip({ scene, x, axis, slopesEnd, slot }: Plot): SVGElement[] {
  const { histogram_edges: edges, histogram_counts: counts, missing } = scene.curves;
  const height = axis - slopesEnd - 4;
  const tallest = Math.max(max(counts) ?? 0, slot === null ? 0 : (missing?.count ?? 0));
  const gap = hasLevels(scene.curves.kind) ? LEVEL_GAP : 0;
  const bars: SVGElement[] = [histogram({ edges, counts, x, bottom: axis, height, tallest, gap })];
  if (slot !== null && missing !== null && missing.count > 0) {
    const d = bar(slot.at - SLOT_BAR, slot.at + SLOT_BAR, axis, (missing.count / tallest) * height);
    bars.push(svg("path", { class: "ice-histogram", d, "data-test": "histogram-missing" }));
  }
  return bars;
}

function featureAxis({ xTicks, levelLabels, left, right, outer, axis, size, slot }: Plot, font: string): SVGElement {
  if (levelLabels !== null) return levelAxis(xTicks, levelLabels, left, right, axis, font);
  return bottomAxis(xTicks, left, right, slot === null ? size.width : outer - SLOT_LABEL, axis, font);
}

/** The strip for missing values, with its own baseline and tick, because it is not part of the axis. */
function besideAxis({ yTicks, top, axis }: Plot, { left, right, at }: Slot): SVGElement[] {
  const gridlines = yTicks.map(({ at: y }) =>
    svg("line", { class: "ice-gridline", x1: left, x2: right, y1: y, y2: y }),
  );
  const label = svg("text", { x: at, y: axis + 8, dy: "0.71em", "text-anchor": "middle" }, "missing");
  const group = svg("g", { class: "ice-axis", "data-test": "missing-axis" });
  group.append(
    ...gridlines,
    svg("line", { class: "ice-slot-edge", x1: left - 7, x2: left - 7, y1: top, y2: axis }),
    svg("line", { class: "ice-baseline", x1: left, x2: right, y1: axis, y2: axis }),
    svg("line", { class: "ice-tick", x1: at, x2: at, y1: axis, y2: axis + 4 }),
    label,
  );
  return [group];
}

/** Standard deviation of the slopes, under them. */
function slopeSpread({ scene, isCut, left, right, bottom, slopesEnd, x, y, size }: Plot): SVGElement[] {
  const spread = scene.spread ?? new Float32Array(scene.mean.length);
  // Lines that agree differ by the rounding of float32, which a scale of its own would blow up to full height.
  const steepest = max(scene.mean, Math.abs) ?? 0;
  const whole = Math.max(max(spread) ?? 0, LEAST_SPREAD * steepest);
  // Where a step is cut off above, its spread is cut off as well.
  const tallest = isCut ? Math.min(whole, (y.domain()[1] - y.domain()[0]) / 2) : whole;
  const height = scaleLinear([0, tallest || 1], [slopesEnd, bottom + 6]);
  const px = scene.x.map((value) => x(value));
  const d = bandPath(
    px,
    () => slopesEnd,
    (point) => height(Math.min(tallest, spread[point]!)),
  );
  const within = clipped({ left: 0, right: size.width, top: bottom, bottom: slopesEnd });
  within.append(svg("path", { class: "ice-slope-spread", d, "data-test": "slope-spread" }));
  return [within, svg("line", { class: "ice-gridline", x1: left, x2: right, y1: slopesEnd, y2: slopesEnd })];
}

export function dotsLayer(view: View, { loaded, plot, movement }: Shown, which: Which): HTMLCanvasElement {
  const isAll = which === "all";
  const canvas = html("canvas", { class: layerClass(which), "aria-hidden": "true" });
  view.keep(
    () => ({
      plot: plot.value,
      hidden: view.store.hiddenLevels.value,
      picked: isAll ? null : manySelected(view.store.selection.value),
      paper: view.theme.value.paper,
      moving: movement.moving.value,
      isColored: (loaded.value?.colors ?? null) !== null,
    }),
    ({ plot: shown, hidden, picked, paper, moving, isColored }) => {
      const pen = canvas.getContext("2d");
      if (shown === null || pen === null) return;
      canvas.hidden = !isAll && picked === null;
      if (canvas.hidden) return;
      const { scene, lines, y, size, bottom } = shown;
      const palette = isAll ? shown.palette : selectedPalette(shown, isColored, view.theme.peek());
      const every = linesOf(shown, picked).subarray(0, moving ? MOST_MOVING_DOTS : undefined);
      const observed = scene.curves.observed;
      fitPixels(pen, size);
      const many = lines.nLines > MANY_DOTS;
      const dots = {
        x: Float32Array.from(scene.curves.observed, (value, line) => dotX(shown, line, value)),
        y: Float32Array.from(scene.own, (value) => y(value)),
        colors: (line: number) => cssColor(palette, lines.color[line]!),
        order: every.filter((line) => {
          const value = observed[line]!;
          const isShown = isInSight(shown, value, dotX(shown, line, value)) && y(scene.own[line]!) < bottom;
          return isShown && !hidden.has(lines.color[line]!);
        }),
        opacity: many && !scene.onLevels ? 0.55 : 0.95,
        // On levels a row has a dot per level, so that of its observed value is larger.
        radius: scene.onLevels ? (many ? 2.5 : 3.5) : many ? 1.5 : 2.5,
      };
      drawDots(pen, dots, paper);
    },
  );
  return canvas;
}

/** The mean, and the selected rows and the one under the pointer. */
export function markedLayer(
  view: View,
  { loaded, plot, unlike }: Shown,
  groups: ReadonlySignal<Groups | null>,
): SVGSVGElement {
  const { store } = view;
  const whole = markLayer();
  // Slopes may leave the plot; what is under it stays readable.
  const layer = svg("svg", { x: 0, y: 0 });
  whole.append(layer);
  // Separate groups, so that a moving pointer draws its row alone.
  const [average, selectedRows, selectedMean, pointedRow] = [svg("g"), svg("g"), svg("g"), svg("g")];
  layer.append(average, selectedRows, selectedMean, pointedRow);
  let before: Plot | null = null;
  view.keep(
    () => [plot.value, groups.value, unlike.value, store.decay.value < 1] as const,
    ([shown, known, flagged, isWeighted]) => {
      if (shown !== before && store.pointed.peek() === null) view.tooltip.hide(); // it was about the plot before
      before = shown;
      if (shown === null) return;
      const { scene, bottom, size } = shown;
      fitMarks(whole, size);
      update(layer, { width: size.width, height: scene.kind === "d-ice" ? bottom : size.height });
      const shares = isWeighted ? (flagged?.shares ?? null) : null;
      // Groups have means of their own.
      average.replaceChildren(
        ...(scene.x.length === 0 ? [noSlope(shown)] : known === null ? meanMarks(shown, shares) : []),
      );
    },
  );
  view.keep(
    () =>
      [plot.value, store.selection.value, (loaded.value?.colors ?? null) !== null, store.hiddenLevels.value] as const,
    ([shown, selection, isColored, hidden]) => {
      const lines = shown === null ? [] : fewSelected(selection).flatMap((row) => linesOfRow(shown, row, hidden));
      const isThin = lines.length > (shown?.scene.models?.length ?? 1);
      selectedRows.replaceChildren(...lines.map((line) => selectedMark(shown!, line, isColored, isThin)));
      selectedMean.replaceChildren(...(shown === null ? [] : meansOfSelected(shown, selection, hidden)));
    },
  );
  view.keep(
    () => [plot.value, store.hover.value, store.hiddenLevels.value] as const,
    ([shown, hover, hidden]) => {
      const row = hover === null ? undefined : shown?.scene.curves.positions[hover];
      const lines = shown === null || row === undefined ? [] : linesOfRow(shown, row, hidden);
      pointedRow.replaceChildren(...lines.map((line) => rowMark(shown!, line, "hovered")));
    },
  );
  return whole;
}

/** The mean, over the axis and beside it. */
function meanMarks(shown: Plot, shares: Float32Array | null): SVGElement[] {
  const { scene, x, y, slot } = shown;
  const marks: SVGElement[] = [];
  if (scene.onLevels) {
    const dots = Array.from(scene.x, (value, k) => meanDot(x(value), y(scene.mean[k]!), x(1) - x(0)));
    marks.push(...dots);
  } else marks.push(meanLine(shown, shares));
  if (slot !== null && scene.missing !== null) {
    marks.push(meanDot(slot.at, y(scene.missing.mean), slot.right - slot.left));
  }
  return marks;
}

const noSlope = ({ left, top, bottom }: Plot): SVGElement =>
  svg("text", { class: "ice-remark", x: left + 8, y: (top + bottom) / 2 }, NO_SLOPE);

function meanLine({ scene, x, y }: Plot, shares: Float32Array | null): SVGElement {
  const px = scene.x.map((value) => x(value));
  const name = px.length > MOST_BOLD ? "ice-mean ice-mean-fine" : "ice-mean";
  const paths = fadingPaths(px, (point) => y(scene.mean[point]!), shares);
  return svg("g", { class: name, "data-test": "partial-dependence" }, ...paths);
}

/** A selected row, of those that are few enough for strokes. */
function selectedMark(shown: Plot, line: number, isColored: boolean, isThin: boolean): SVGElement {
  const mark = rowMark(shown, line, "selected");
  if (isColored) mark.style.setProperty("--ice-line", cssColor(shown.palette, shown.lines.color[line]!));
  mark.classList.toggle("ice-selected-thin", isThin);
  return mark;
}

/** The curve of a row with its observed value, and its prediction with the value missing beside the axis. */
function rowMark(shown: Plot, line: number, name: "selected" | "hovered"): SVGGElement {
  const { scene, lines, palette, x, y } = shown;
  const { curves, onLevels, missing } = scene;
  const px = scene.x.map((value) => (onLevels ? dotX(shown, line, value) : x(value)));
  const height = (point: number) => y(scene.values[line * px.length + point]!);
  const row = curves.positions[line]!;
  const mark = svg("g", { class: `ice-${name}`, "data-test": `${name}-line`, "data-row": row });
  mark.append(...haloedPaths(linePath(px, height)));
  const dot = (cx: number, cy: number, r: number): void => {
    if (!Number.isFinite(cx + cy)) return; // a missing value may have no place
    const circle = svg("circle", { cx, cy, r });
    circle.style.fill = cssColor(palette, lines.color[line]!);
    mark.append(circle);
  };
  if (missing !== null) {
    const [at, end] = [dotX(shown, line, Number.NaN), px.length - 1];
    const value = y(missing.values[line]!);
    const d = linePath([px[end]!, at], (point) => (point === 0 ? height(end) : value));
    mark.append(svg("path", { class: "ice-to-missing", d }));
    dot(at, value, 2.5);
  }
  if (onLevels) for (const [point, at] of px.entries()) dot(at, height(point), 2.5);
  dot(dotX(shown, line, curves.observed[line]!), y(scene.own[line]!), 4);
  if (scene.models !== null) mark.style.setProperty("--ice-line", cssColor(palette, lines.color[line]!));
  mark.classList.toggle("ice-connected", onLevels);
  return mark;
}

/** The mean of the curves of the selected rows, where at least two are drawn; of several models, that of each. */
function meansOfSelected(shown: Plot, selection: readonly number[], hidden: Hidden): SVGElement[] {
  const { curves, models } = shown.scene;
  if (selection.length < 2) return [];
  const rows = new Set(selection);
  const n = linesPerModel(shown.scene);
  const groups = Float32Array.from(curves.positions, (row, line) =>
    rows.has(row) ? Math.floor(line / n) : Number.NaN,
  );
  const places = models === null ? [0] : [...models.keys()].filter((place) => !hidden.has(models[place]!.model));
  return places.flatMap((place) => {
    const marks = meanOfGroup(shown, groups, place);
    if (models === null) return marks;
    for (const mark of marks) mark.style.setProperty("--ice-line", cssColor(shown.palette, models[place]!.model));
    return marks;
  });
}

/** The mean of the curves of a group, over the axis and beside it. */
function meanOfGroup(shown: Plot, groups: Float32Array, group: number): SVGElement[] {
  const { scene, x, y, slot } = shown;
  const mean = groupMeans(scene.values, scene.x.length, groups, group + 1)[group]!;
  if (mean.n < 2) return [];
  const mark = svg("g", { class: "ice-selected-mean", "data-test": "selected-mean", "data-rows": mean.n });
  const px = scene.x.map((value) => x(value));
  const height = (point: number) => y(mean.values[point]!);
  if (scene.onLevels) mark.append(...Array.from(px, (cx, point) => svg("circle", { cx, cy: height(point), r: 4.5 })));
  else mark.append(...haloedPaths(linePath(px, height)));
  if (slot !== null && scene.missing !== null) {
    const missing = groupMeans(scene.missing.values, 1, groups, group + 1)[group]!;
    mark.append(svg("circle", { cx: slot.at, cy: y(missing.values[0]!), r: 4.5 }));
  }
  return [mark];
}

/** The mean of a level. */
const meanDot = (cx: number, cy: number, room: number): SVGElement =>
  svg("circle", {
    class: "ice-mean-level",
    cx,
    cy,
    r: Math.min(5, Math.max(2.5, room / 7)),
    "data-test": "partial-dependence",
  });
