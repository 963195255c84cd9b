/** Singling out rows: the line nearest to the pointer, or line after line with the arrow keys. */

import type { ReadonlySignal } from "@preact/signals-core";
import { bisectRight, least } from "d3-array";
import { listen } from "../../../elements/lifetime.ts";
import type { TooltipRow } from "../../../elements/tooltip.ts";
import { cssColor } from "../../../geometry/palette.ts";
import { nearestLine, type Polylines } from "../../../geometry/pick.ts";
import { nearestIndex } from "../../../geometry/transforms.ts";
import type { Brush } from "../../../gestures/brush.ts";
import { type Drag, gesturesOn, OWN_DRAG, type Point, type Press, placeIn } from "../../../gestures/gestures.ts";
import { weightText } from "../../../plots/fade.ts";
import { dotX, type Plot } from "../../../plots/plot.ts";
import { rowTitle } from "../../../plots/row_title.ts";
import type { Scene } from "../../../plots/scene.ts";
import type { Hidden } from "../../../store/filters.ts";
import type { Pins } from "../../../store/pins.ts";
import type { View } from "../../../view/view.ts";
import type { ColorsBody } from "../../../wire/protocol.ts";
import { explanation } from "../../../words/glossary.ts";
import { count, number, percent } from "../../../words/numbers.ts";
import { placeWriterOf, rampWriter } from "../../../words/values.ts";
import type { Shown } from "../state/plot_state.ts";
import { windowOf } from "../state/zoom.ts";
import { isBeside } from "../state/zoomed_plot.ts";
import type { Crosshair } from "./crosshair.ts";
import { frameDrag, panDrag } from "./framing.ts";
import type { Tool } from "./tools.ts";

const LIKELIHOOD = explanation("likelihood");
/** How near to a line the pointer must be, in px. */
const REACH = 24;
/** How much a key zooms, and how far one moves what shows: to the right, and up. */
const KEY_ZOOM = 1.5;
const PANS: Record<string, [number, number]> = {
  ArrowLeft: [-0.2, 0],
  ArrowRight: [0.2, 0],
  ArrowUp: [0, 0.2],
  ArrowDown: [0, -0.2],
};
const STEPS: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

/** What else the pointer and the keys reach. */
export interface Around {
  tool: ReadonlySignal<Tool>;
  brush: Brush<Plot>;
  pins: Pins;
  crosshair: Crosshair;
}

export function listenOn(
  frame: HTMLElement,
  view: View,
  shownIn: Shown,
  { tool, brush, pins, crosshair }: Around,
): void {
  const { loaded, plot, zoom, target } = shownIn;
  const { store, aborted } = view;
  let pickable: { plot: Plot; hidden: Hidden; lines: Polylines } | null = null;

  /** The drawn lines, without those the legend hides. */
  const linesToPick = (shown: Plot): Polylines => {
    const hidden = store.hiddenLevels.peek();
    if (pickable?.plot !== shown || pickable.hidden !== hidden) {
      pickable = { plot: shown, hidden, lines: hidden.size === 0 ? shown.lines : withoutHidden(shown, hidden) };
    }
    return pickable.lines;
  };

  /** The line under the pointer, and where that is in px of the canvas. */
  const pick = (event: MouseEvent): { shown: Plot; line: number; x: number; y: number } | null => {
    const shown = plot.peek();
    if (shown === null || store.picture.peek().state !== "ready") return null;
    const box = frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const x = (event.clientX - box.left - shown.left) * ratio;
    const y = (event.clientY - box.top) * ratio;
    const found = isBeside(shown, x / ratio + shown.left)
      ? nearestBeside(shown, store.hiddenLevels.peek(), x, y)
      : (nearestLine(linesToPick(shown), x, y, REACH * ratio)?.line ?? null);
    return found === null ? null : { shown, line: found, x, y };
  };

  const leave = (): void => {
    store.pointed.value = null;
    view.tooltip.hide();
  };

  const hover = (shown: Plot, line: number, x: number, y: number, spoken = false): void => {
    store.pointed.value = shown.scene.curves.positions[line]!;
    const box = frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const anchor = new DOMRect(box.left + shown.left + x / ratio, box.top + y / ratio, 0, 0);
    const point = pointNear(shown, x);
    const note = weightOf(shown.scene, line, point) === "" ? null : LIKELIHOOD.text;
    view.tooltip.show(rowTitle(shown.scene.curves, line), rowsOf(shown, line, point), anchor, spoken, note);
  };

  /** How much the value counts at which a line is read; a slope has no single value. */
  const weightOf = ({ kind, curves }: Scene, line: number, point: number): string =>
    kind === "d-ice" || point >= curves.nGrid ? "" : weightText(curves, line, point, store.decay.peek());

  const rowsOf = (shown: Plot, line: number, point: number): TooltipRow[] => {
    const { scene, lines, palette, write } = shown;
    const { curves, missing } = scene;
    const [lowest, highest] = curves.predictionRange;
    const range = highest - lowest;
    const rows: TooltipRow[] = [
      { label: curves.feature, value: write(curves.observed[line]!) },
      { label: store.outputName.peek(), value: number(curves.predictions[line]! + curves.offset, range) },
    ];
    const observed = target.peek()?.[line];
    if (observed !== undefined) rows.push({ label: store.targetName.peek(), value: number(observed) });
    const beside = scene.kind === "d-ice" ? scene.extent[1] - scene.extent[0] : range;
    const what = { ice: store.outputName.peek(), "c-ice": "change", "d-ice": "slope" }[scene.kind];
    if (point < scene.x.length) {
      const value = scene.values[line * scene.x.length + point]! + scene.base;
      rows.push({ label: `${what} ${placeText(scene, point)}`, value: number(value, beside) });
      const weight = weightOf(scene, line, point);
      if (weight !== "") rows.push({ label: LIKELIHOOD.name, value: weight });
    } else if (missing !== null) {
      rows.push({ label: `${what} if missing`, value: number(missing.values[line]! + scene.base, beside) });
    }
    const colors = loaded.peek()?.colors ?? null;
    if (colors !== null) {
      const value = colors.values[line]!;
      const swatch = cssColor(palette, lines.color[line]!);
      rows.push({ label: colors.scale.column, value: colorText(colors.scale, value), swatch });
    }
    return rows;
  };

  /** Under the curves the pointer reads the data: a level, a bar of the histogram, or the missing values. */
  const readData = (event: MouseEvent): boolean => {
    const shown = plot.peek();
    if (shown === null || store.picture.peek().state !== "ready") return false;
    const at = placeIn(frame, event);
    if (at.y < shown.slopesEnd || at.x < shown.left) return false;
    const found = dataAt(shown, at);
    if (found === null) return false;
    store.pointed.value = null;
    const box = frame.getBoundingClientRect();
    view.tooltip.show(found.title, found.rows, new DOMRect(box.left + found.x, box.top + shown.axis, 0, 0), false);
    return true;
  };

  const begin = (press: Press, held: boolean): Drag | null => {
    if (store.picture.peek().state !== "ready") return null;
    const { plot: shown, region, at, event, grabs } = press;
    const isCut = shown.cut.x || shown.cut.y;
    const isAxis = region === "x" || region === "y";
    const isZooming = tool.peek() === "zoom";
    if (isCut && (grabs || (isZooming && event.shiftKey))) return panDrag(zoom, press);
    if (event.button !== 0) return null;
    if (isAxis && !isZooming && shown.cut[region]) return panDrag(zoom, press);
    if (isAxis && region === "x" && shown.scene.onLevels) return null;
    if (isAxis || isZooming) return frameDrag(frame, zoom, press);
    // One finger scrolls the page, unless it rested first.
    return event.pointerType === "touch" && !held ? null : brush.begin(shown, at, event);
  };
  const gestures = gesturesOn(frame, view, plot, zoom, begin);

  /** Keys that move what shows. */
  const zoomKey = (shown: Plot, event: KeyboardEvent): boolean => {
    const factor = { "+": 1 / KEY_ZOOM, "=": 1 / KEY_ZOOM, "-": KEY_ZOOM, _: KEY_ZOOM }[event.key];
    const [right = 0, up = 0] = event.shiftKey ? (PANS[event.key] ?? []) : [];
    if (factor !== undefined) {
      const line = store.hover.peek();
      const middle = { x: (shown.left + shown.right) / 2, y: (shown.top + shown.bottom) / 2 };
      zoom.by(shown, factor, line === null ? middle : pxOf(shown, line), { x: true, y: true });
    } else if (right !== 0 || up !== 0) zoom.move(shown, windowOf(shown), right, up);
    else if (event.key === "0") zoom.reset();
    else return false;
    leave();
    return true;
  };

  const select = (line: number, extend: boolean): void => {
    pins.pin(plot.peek()!.scene.curves.positions[line]!, extend);
    // The row's card says it all, and more.
    view.tooltip.hide();
  };

  const onKey = (event: KeyboardEvent): void => {
    const shown = plot.peek();
    if (shown === null || event.target !== frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const current = store.hover.peek();
    const step = STEPS[event.key];
    if (zoomKey(shown, event) || crosshair.key(event)) {
      // Moved.
    } else if (step !== undefined) {
      const line = nextLine(shown, store.hiddenLevels.peek(), current, step);
      if (line !== undefined) {
        const { x, y } = pxOf(shown, line);
        hover(shown, line, (x - shown.left) * shown.size.ratio, y * shown.size.ratio, true);
      }
    } else if (event.key === " ") {
      if (gestures.space === "up") gestures.space = "held";
    } else if (event.key === "Enter" && current !== null) {
      select(current, event.shiftKey);
    } else if (event.key === "Escape") {
      if (!brush.remove() && !pins.close()) {
        leave();
        store.clearSelection();
      }
    } else {
      return;
    }
    event.preventDefault();
  };

  listen(frame, aborted, {
    pointermove: (event) => {
      if (gestures.busy || (event.target as Element).closest(`[${OWN_DRAG}]`) !== null || readData(event)) return;
      if (crosshair.follow(event)) return;
      const found = pick(event);
      if (found === null) leave();
      else hover(found.shown, found.line, found.x, found.y);
    },
    pointerleave: leave,
  });
  listen(frame, aborted, {
    pointerleave: () => crosshair.leave(),
    blur: leave,
    click: (event) => {
      if (gestures.dragged || tool.peek() !== "select") return;
      const hadBrush = brush.remove();
      // The line that is lit: a click is reported in whole px, which may be nearer to another one.
      const lit = (event as PointerEvent).pointerType === "touch" ? null : store.hover.peek();
      const line = lit ?? pick(event)?.line ?? null;
      if (line !== null) select(line, event.shiftKey);
      else if (!hadBrush) pins.close();
    },
    keydown: onKey,
    // The space bar selects when it is let go, unless it served to move the picture.
    keyup: (event) => {
      if (event.key !== " ") return;
      const line = store.hover.peek();
      if (gestures.space === "held" && line !== null) select(line, event.shiftKey);
      gestures.space = "up";
    },
  });
}

/** What a value of the colouring column is called. */
function colorText(scale: ColorsBody, value: number): string {
  if (Number.isNaN(value)) return "missing";
  if (scale.kind === "category") return scale.levels[value] ?? "";
  return rampWriter(scale)(value);
}

/** Where a point of a line is; a slope has an interval. */
function placeText({ kind, curves, x }: Scene, point: number): string {
  const write = placeWriterOf(curves);
  if (kind !== "d-ice") return `at ${write(x[point]!)}`;
  const first = point - (point % 2);
  return `from ${write(x[first]!)} to ${write(x[first + 1]!)}`;
}

/** Content at a position under the curves, and the target of its tooltip. */
interface DataRead {
  title: string;
  rows: TooltipRow[];
  x: number;
}

function dataAt(shown: Plot, { x, y }: Point): DataRead | null {
  const { slot, scene, axis, left, right } = shown;
  const { missing, nObservations } = scene.curves;
  if (slot !== null && missing !== null && x >= slot.left && x <= slot.right) {
    const spread = { mean: scene.missing!.mean, low: scene.missing!.low, high: scene.missing!.high };
    return { title: "missing", rows: [countRow(missing.count, nObservations), meanRow(scene, spread)], x: slot.at };
  }
  if (x < left || x > right) return null;
  if (shown.levelLabels !== null) return levelAt(shown, x);
  return y <= axis ? binAt(shown, x) : null;
}

const countRow = (observations: number, all: number): TooltipRow => ({
  label: "observations",
  value: `${count(observations)} of ${count(all)} (${percent(observations / all)})`,
});

function meanRow({ base, hasQuantileBand }: Scene, { mean, low, high }: { mean: number; low: number; high: number }) {
  const [from, to] = [number(low + base), number(high + base)];
  const band = hasQuantileBand ? `, middle 68\u00a0% of the curves ${from} to ${to}` : ` ± ${number(high - mean)}`;
  return { label: "partial dependence", value: `${number(mean + base)}${band}` };
}

/** A level: its whole name, how many observations have it, and their mean. */
function levelAt(shown: Plot, x: number): DataRead | null {
  const { scene, xTicks } = shown;
  const tick = least(xTicks, ({ at }) => Math.abs(at - x));
  if (tick === undefined) return null;
  const { grid, histogramEdges, histogramCounts, nObservations } = scene.curves;
  const level = nearestIndex(grid, shown.x.invert(tick.at)); // a part of the axes has some of the ticks
  const observations = histogramCounts[bisectRight(histogramEdges, grid[level]!) - 1];
  const rows = observations === undefined ? [] : [countRow(observations, nObservations)];
  if (scene.onLevels) {
    rows.push(meanRow(scene, { mean: scene.mean[level]!, low: scene.low[level]!, high: scene.high[level]! }));
  }
  return { title: tick.label, rows, x: tick.at };
}

/** A bar of the histogram: its values, and how many observations have them. */
function binAt({ scene, x: scale }: Plot, x: number): DataRead | null {
  const { curves } = scene;
  const { histogramEdges: edges, histogramCounts: counts, grid, nObservations } = curves;
  const bin = Math.min(counts.length, bisectRight(edges, scale.invert(x))) - 1;
  const observations = counts[bin];
  if (observations === undefined || scale.invert(x) > edges[edges.length - 1]!) return null;
  const [low, high] = [edges[bin]!, edges[bin + 1]!];
  const write = placeWriterOf(curves);
  const inside = Array.from(grid).filter((value) => low <= value && value < high);
  // A value with a bar of its own; its edges lie half way to its neighbours.
  const title =
    counts.length <= grid.length && inside.length === 1 ? write(inside[0]!) : `${write(low)} to ${write(high)}`;
  const [from, to] = scale.range() as [number, number];
  const middle = (Math.max(from, scale(low)) + Math.min(to, scale(high))) / 2;
  return { title: `${curves.feature} ${title}`, rows: [countRow(observations, nObservations)], x: middle };
}

/** The point of the scene nearest to a place in the canvas; one past the last for the strip beside the axis. */
function pointNear(shown: Plot, x: number): number {
  const { scene, size, left, x: scale } = shown;
  const at = x / size.ratio + left;
  if (isBeside(shown, at)) return scene.x.length;
  const value = scale.invert(at);
  return least(scene.x.keys(), (point) => Math.abs(scene.x[point]! - value)) ?? 0;
}

/** The row whose dot beside the axis is nearest, within reach. */
function nearestBeside(shown: Plot, hidden: Hidden, x: number, y: number): number | null {
  const { scene, size, left, lines } = shown;
  const away = (line: number) =>
    Math.hypot(
      dotX(shown, line, Number.NaN) - left - x / size.ratio,
      shown.y(scene.missing!.values[line]!) - y / size.ratio,
    );
  const nearest = least(
    shown.order.filter((line) => !hidden.has(lines.color[line]!)),
    away,
  );
  return nearest !== undefined && away(nearest) < REACH ? nearest : null;
}

/** Position of the tooltip of a line: at the observed value, or halfway along the line if that is not on the axis. */
function pxOf(shown: Plot, line: number): Point {
  const { scene, lines, left, outer, top, bottom, size, y } = shown;
  const half = Math.floor(lines.nPoints / 2);
  const own = dotX(shown, line, scene.curves.observed[line]!);
  const place = Number.isFinite(own)
    ? { x: own, y: y(scene.own[line]!) }
    : {
        x: lines.x[half]! / size.ratio + left,
        y: lines.y[line * lines.nPoints + half]! / size.ratio,
      };
  // Of a zoomed picture it may be out of sight.
  return { x: Math.min(outer, Math.max(left, place.x)), y: Math.min(bottom, Math.max(top, place.y)) };
}

/** Arrow keys go through the visible lines from the lowest prediction to the highest. */
function nextLine(shown: Plot, hidden: Hidden, current: number | null, step: number): number | undefined {
  const { predictions } = shown.scene.curves;
  const visible = Array.from(shown.order)
    .filter((line) => !hidden.has(shown.lines.color[line]!))
    .sort((a, b) => predictions[a]! - predictions[b]! || a - b);
  const start = step > 0 ? -1 : visible.length;
  const place = (current === null ? start : visible.indexOf(current)) + step;
  return visible[Math.min(Math.max(place, 0), visible.length - 1)];
}

function withoutHidden({ lines }: Plot, hidden: Hidden): Polylines {
  const { nLines, nPoints } = lines;
  const y = lines.y.slice();
  for (let line = 0; line < nLines; line++) {
    if (hidden.has(lines.color[line]!)) y.fill(Number.NaN, line * nPoints, (line + 1) * nPoints);
  }
  return { nLines, nPoints, x: lines.x, y };
}
