/** The same curves in small: as many points as there are pixels, the ends of the axes in words, no strip of slopes. */
import { max } from "d3-array";
import type { Curves, LineColors } from "../../decode.ts";
import { number } from "../../format.ts";
import { stripReach } from "../../geometry/levels.ts";
import type { Polylines } from "../../geometry/pick.ts";
import { type LineSet, lineStrength, lineThickness } from "../../geometry/raster.ts";
import { nearestIndex } from "../../geometry/transforms.ts";
import type { Anchor, Kind } from "../../protocol.ts";
import type { Theme } from "../../theme.ts";
import { hasLevels } from "../../values.ts";
import { labelWidth, type Tick } from "../axis.ts";
import { scaleLinear } from "../scale.ts";
import type { Size } from "../size.ts";
import { type Drawable, fairOrder, featureDomain, lineSetOf, paletteOf, type Slot } from "./plot.ts";
import { type Scene, sceneOf } from "./scene.ts";

export interface SmallPlot extends Drawable {
  right: number;
  top: number;
  bottom: number;
  axis: number;
  yTicks: Tick[];
  order: Uint32Array;
  strength: number;
}

const TOP = 6;
const STRIP = 14;
const SLOT_GAP = 8;
const SLOT_WIDTH = 18;
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

function atPoints(values: Float32Array, nPoints: number, kept: readonly number[]): Float32Array {
  const result = new Float32Array((values.length / nPoints) * kept.length);
  for (let row = 0, z = 0; z < result.length; row += nPoints) for (const k of kept) result[z++] = values[row + k]!;
  return result;
}

function thinnedCurves(curves: Curves, kept: readonly number[]): Curves {
  const { nGrid } = curves;
  return {
    ...curves,
    nGrid: kept.length,
    grid: Float64Array.from(kept, (k) => curves.grid[k]!),
    values: atPoints(curves.values, nGrid, kept),
    partialDependence: atPoints(curves.partialDependence, nGrid, kept),
    spread: atPoints(curves.spread, nGrid, kept),
  };
}

/** Centring knows every value; slopes are those between the values that are kept. */
export function smallScene(curves: Curves, kind: Kind, anchor: Anchor, most: number): Scene {
  if (hasLevels(curves.kind) || curves.nGrid <= most) return sceneOf(curves, kind, anchor);
  const kept = keptPoints(curves.grid, most);
  const thinned = thinnedCurves(curves, kept);
  if (kind === "d-ice") return sceneOf(thinned, kind, anchor);
  const scene = sceneOf(curves, kind, anchor);
  const { nGrid } = curves;
  return {
    ...scene,
    curves: thinned,
    x: thinned.grid,
    values: atPoints(scene.values, nGrid, kept),
    mean: atPoints(scene.mean, nGrid, kept),
    low: atPoints(scene.low, nGrid, kept),
    high: atPoints(scene.high, nGrid, kept),
  };
}

/** Lowest and highest of all that is drawn, as it is. */
export const rangeOf = ({ extent: [low, high], base }: Scene): [number, number] => [low + base, high + base];

/** What all features share, and what lies beyond it of one: missing values, rows between the grid values. */
export const around = (one: [number, number], other: [number, number]): [number, number] => [
  Math.min(one[0], other[0]),
  Math.max(one[1], other[1]),
];

/** Ticks where the lines end, or where the shared axis does. */
export function smallPlot(
  scene: Scene,
  colors: LineColors | null,
  size: Size,
  theme: Theme,
  [low, high]: [number, number],
  write: (value: number) => string,
): SmallPlot {
  const { curves, base } = scene;
  const axis = size.height - 1;
  const bottom = axis - STRIP;
  const flat = scene.kind === "d-ice" ? FLAT_SLOPES : FLAT;
  const isFlat = high - low <= flat * Math.max(Math.abs(low), Math.abs(high));
  const pad = !isFlat ? ((high - low) * BREATH) / (bottom - TOP - 2 * BREATH) : Math.abs(low) * 0.05 || 0.5;
  const y = scaleLinear([low - base - pad, high - base + pad], [bottom, TOP]);
  const ends = isFlat ? [low] : [low, high];
  const yTicks = ends.map((value) => ({ at: y(value - base), label: isFlat ? number(value) : write(value) }));
  const left = Math.max(LEAST_LEFT, labelWidth(yTicks, theme.font) + 10);
  const beside = scene.missing === null ? 0 : SLOT_GAP + SLOT_WIDTH;
  const right = Math.max(left + 20, size.width - beside - 2);
  const x = scaleLinear(featureDomain(curves), [left, right]);
  const slot = scene.missing === null ? null : slotAt(right, curves.nLines);
  const reach = scene.onLevels ? stripReach(curves.nLines, x(1) - x(0)) : 0;
  return {
    scene,
    size,
    left,
    right,
    slot,
    reach,
    top: TOP,
    bottom,
    axis,
    x,
    y,
    yTicks,
    palette: paletteOf(colors, theme),
    lines: lineSetOf(scene, colors, { x, y, left }, reach, size.ratio),
    order: fairOrder(curves.nLines),
    thickness: lineThickness(curves.nLines) * size.ratio,
    strength: lineStrength(curves.nLines),
  };
}

function slotAt(right: number, nLines: number): Slot {
  const left = right + SLOT_GAP;
  return { left, right: left + SLOT_WIDTH, at: left + SLOT_WIDTH / 2, reach: stripReach(nLines, SLOT_WIDTH) };
}

/** The tallest bar of the data, those that lack the value included. */
export const tallestOf = ({ histogramCounts, missing }: Curves): number =>
  Math.max(max(histogramCounts) ?? 0, missing?.count ?? 0);

/** The line of a row; -1 where it is not drawn. */
export const lineOf = ({ positions }: Curves, row: number): number => positions.indexOf(row);

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
