/** Small plots: at most one point per pixel, labels at the ends of the axes, no strip of slopes. */
import { max } from "d3-array";
import { number } from "../text/numbers.ts";
import { hasLevels, writerOf } from "../text/values.ts";
import type { Size } from "../view/size.ts";
import type { Theme } from "../view/theme.ts";
import type { Anchor, ColorsBody, CurvesBody, Kind } from "../wire/protocol.ts";
import { featureScale } from "./feature_scale.ts";
import { stripReach } from "./geometry/levels.ts";
import type { Polylines } from "./geometry/pick.ts";
import type { LineSet } from "./geometry/raster.ts";
import { lineStrength, lineThickness } from "./geometry/raster.ts";
import { nearestIndex } from "./geometry/transforms.ts";
import { type LevelLabels, labelWidth, levelLabels, type Tick } from "./marks/axis.ts";
import { type Scale, scaleLinear } from "./marks/scale.ts";
import { type Drawable, fairOrder, featureTicks, lineSetOf, paletteOf, type Slot, slotOf, valueTicks } from "./plot.ts";
import { atPoints, type Scene, sceneOf, thinnedCurves } from "./scene.ts";

export interface SmallPlot extends Drawable {
  right: number;
  top: number;
  bottom: number;
  axis: number;
  yTicks: Tick[];
  /** Ticks under the axis; null if only the ends of the axis are labelled. */
  ticks: { x: Tick[]; labels: LevelLabels | null; exponent: string; font: string } | null;
  order: Uint32Array;
  strength: number;
}

const TOP = 6;
const STRIP = 14;
const SLOT_GAP = 8;
const SLOT_WIDTH = 18;
/** The same of a plot with ticks. */
const TICKED_STRIP = 22;
const TICKED_SLOT = 44;
const AXIS_LABELS = 24;
/** Room above and below the outermost line. */
const BREATH = 3;
const LEAST_LEFT = 28;
/** Shares of the values below which their range is the rounding of float32. */
const FLAT = 1e-5;
const FLAT_SLOPES = 1e-3;

/** Indices of the grid: one for each px of the axis, the first and the last among them. */
export function keptPoints(grid: ArrayLike<number>, most: number): number[] {
  const last = grid.length - 1;
  const [low, high] = [grid[0] ?? 0, grid[last] ?? 0];
  if (grid.length <= most) return Array.from({ length: grid.length }, (_, k) => k);
  const kept = [0];
  let taken = 0;
  for (let k = 1; k < last; k++) {
    const px = Math.floor(((grid[k]! - low) / (high - low)) * most);
    if (px > taken) kept.push(k);
    taken = px;
  }
  return [...kept, last];
}

/** The scene at some grid values. Centring uses all values, and slopes are over bins. */
export function smallScene(curves: CurvesBody, kind: Kind, anchor: Anchor, most: number): Scene {
  if (hasLevels(curves.kind) || curves.n_grid <= most || kind === "d-ice") return sceneOf(curves, kind, anchor);
  const kept = keptPoints(curves.grid, most);
  const thinned = thinnedCurves(curves, kept);
  const scene = sceneOf(curves, kind, anchor);
  if (kind === "ice") return { ...sceneOf(thinned, kind, anchor), extent: scene.extent };
  const { n_grid: nGrid } = curves;
  return {
    ...scene,
    curves: thinned,
    x: thinned.grid,
    values: atPoints(scene.values, nGrid, kept),
    mean: atPoints(scene.mean, nGrid, kept),
  };
}

/** Lowest and highest of all that is drawn, as it is. */
export const rangeOf = ({ extent: [low, high], base }: Scene): [number, number] => [low + base, high + base];

/** The smallest range that contains both. */
export const around = (one: [number, number], other: [number, number]): [number, number] => [
  Math.min(one[0], other[0]),
  Math.max(one[1], other[1]),
];

/** Where the axes of a plot are, and the values that they show. */
interface Frame {
  left: number;
  right: number;
  bottom: number;
  axis: number;
  x: Scale;
  y: Scale;
  slot: Slot | null;
}

function plotIn(
  scene: Scene,
  colors: ColorsBody | null,
  size: Size,
  theme: Theme,
  frame: Frame & Pick<SmallPlot, "yTicks" | "ticks">,
): SmallPlot {
  const { x, y, left } = frame;
  const { n_lines: nLines } = scene.curves;
  const reach = scene.onLevels ? stripReach(nLines, x(1) - x(0)) : 0;
  return {
    ...frame,
    scene,
    size,
    reach,
    top: TOP,
    palette: paletteOf(colors, theme),
    lines: lineSetOf(scene, colors, { x, y, left }, reach, size.ratio),
    order: fairOrder(nLines),
    thickness: lineThickness(nLines) * size.ratio,
    strength: lineStrength(nLines),
  };
}

/** Whether a range is the rounding of float32. */
function isFlat({ kind }: Scene, [low, high]: [number, number]): boolean {
  const flat = kind === "d-ice" ? FLAT_SLOPES : FLAT;
  return high - low <= flat * Math.max(Math.abs(low), Math.abs(high));
}

/** A range with room above and below. */
function padded(scene: Scene, [low, high]: [number, number], height: number): [number, number] {
  const flat = isFlat(scene, [low, high]);
  const pad = !flat ? ((high - low) * BREATH) / Math.max(1, height - 2 * BREATH) : Math.abs(low) * 0.05 || 0.5;
  return [low - pad, high + pad];
}

/** Ticks where the lines end, or where the shared axis does. */
export function smallPlot(
  scene: Scene,
  colors: ColorsBody | null,
  size: Size,
  theme: Theme,
  [low, high]: [number, number],
  write: (value: number) => string,
): SmallPlot {
  const { curves, base } = scene;
  const axis = size.height - 1;
  const bottom = axis - STRIP;
  const [lowest, highest] = padded(scene, [low, high], bottom - TOP);
  const y = scaleLinear([lowest - base, highest - base], [bottom, TOP]);
  const flat = isFlat(scene, [low, high]);
  const ends = flat ? [low] : [low, high];
  const yTicks = ends.map((value) => ({ at: y(value - base), label: flat ? number(value) : write(value) }));
  const left = Math.max(LEAST_LEFT, labelWidth(yTicks, theme.font) + 10);
  const slotRoom = scene.missing === null ? 0 : SLOT_GAP + SLOT_WIDTH;
  const right = Math.max(left + 20, size.width - slotRoom - 2);
  const x = featureScale(curves, [left, right], "auto");
  const slot = slotOf(scene, right, SLOT_GAP, SLOT_WIDTH);
  return plotIn(scene, colors, size, theme, { left, right, bottom, axis, x, y, slot, yTicks, ticks: null });
}

/** The same with ticks along both axes, for plots that are compared. */
export function tickedPlot(
  scene: Scene,
  colors: ColorsBody | null,
  size: Size,
  theme: Theme,
  domain: [number, number],
  leastLabels = AXIS_LABELS,
): SmallPlot {
  const { curves, base } = scene;
  const { font } = theme;
  const layOut = (axisLabels: number) => {
    const axis = size.height - axisLabels;
    const bottom = axis - TICKED_STRIP;
    const [low, high] = padded(scene, domain, bottom - TOP);
    const wanted = Math.max(2, Math.floor((bottom - TOP) / 48));
    const { ticks, exponent } = valueTicks([low, high], [bottom, TOP], wanted);
    const left = Math.max(LEAST_LEFT, labelWidth(ticks, font) + 12);
    const slotRoom = scene.missing === null ? 0 : SLOT_GAP + TICKED_SLOT;
    const right = Math.max(left + 20, size.width - slotRoom - 4);
    const y = scaleLinear([low - base, high - base], [bottom, TOP]);
    const x = featureScale(curves, [left, right], "auto");
    return {
      axis,
      bottom,
      left,
      right,
      x,
      y,
      yTicks: ticks,
      exponent,
      xTicks: featureTicks(scene, writerOf(curves), x),
    };
  };
  let { exponent, xTicks, ...frame } = layOut(leastLabels);
  let labels: LevelLabels | null = null;
  if (hasLevels(curves.kind)) {
    labels = levelLabels(xTicks, frame.x(1) - frame.x(0), font);
    ({ exponent, xTicks, ...frame } = layOut(Math.max(leastLabels, labels.height)));
  }
  const slot = slotOf(scene, frame.right, SLOT_GAP, TICKED_SLOT);
  return plotIn(scene, colors, size, theme, { ...frame, slot, ticks: { x: xTicks, labels, exponent, font } });
}

/** The tallest bar of the data, those that lack the value included. */
export const tallestOf = ({ histogram_counts: histogramCounts, missing }: CurvesBody): number =>
  Math.max(max(histogramCounts) ?? 0, missing?.count ?? 0);

/** The line of a row; -1 where it is not drawn. */
export const lineOf = ({ positions }: CurvesBody, row: number): number => positions.indexOf(row);

/** Some of the lines, to be found under the pointer. */
export function pickable({ nLines, nPoints, x, y }: LineSet, order: Uint32Array): Polylines {
  if (order.length === nLines) return { nLines, nPoints, x, y };
  const some = new Float32Array(y.length).fill(Number.NaN);
  for (const line of order) {
    const row = line * nPoints;
    some.set(y.subarray(row, row + nPoints), row);
  }
  return { nLines, nPoints, x, y: some };
}

/** The point of the scene nearest to a place on the axis, in px. */
export function pointNear({ scene, x }: SmallPlot, px: number): number {
  return nearestIndex(scene.x, x.invert(px));
}
