/** The heat map of two features: cells around their values, the colours of these, and what is at a point. */
import { bisectRight, extent } from "d3-array";
import { placeInStrip, stripReach } from "../../plot/geometry/levels.ts";
import { divergingPalette, rampPalette } from "../../plot/geometry/palette.ts";
import type { Palette } from "../../plot/geometry/raster.ts";
import { featureTicks } from "../../plot/layout.ts";
import { type LevelLabels, labelWidth, levelLabels, type Tick } from "../../plot/marks/axis.ts";
import { type Scale, scaleLinear } from "../../plot/marks/scale.ts";
import { hasLevels, writerOf } from "../../text/values.ts";
import type { Size } from "../../view/size.ts";
import type { Theme } from "../../view/theme.ts";
import type { PairAxis, TwoWay } from "../../wire/protocol.ts";

/** One of the two axes: cells from bound to bound, in px. */
interface HeatAxis {
  of: PairAxis;
  scale: Scale;
  /** One more than there are values. */
  bounds: number[];
  ticks: Tick[];
  write: (value: number) => string;
}

export interface HeatPlot {
  twoWay: TwoWay;
  size: Size;
  x: HeatAxis;
  y: HeatAxis;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** How the levels of the horizontal axis are written; null for numbers. */
  levelLabels: LevelLabels | null;
  palette: Palette;
  /** Values at the ends of the palette. */
  domain: [number, number];
}

const TOP = 8;
const RIGHT = 8;
const AXIS_LABELS = 24;
const LEAST_LEFT = 24;
/** The largest share of the width for the labels of the vertical axis. */
const MOST_LEFT = 0.32;
/** Share of the values below which their range is the rounding of float32. */
const FLAT = 1e-6;

/** A cell of its own for each value, which has no room on the axis itself. */
const isSeparate = ({ kind }: PairAxis): boolean => hasLevels(kind) || kind === "boolean";

/** Half way between values; of numbers, the outer cells go as far beyond the axis as the narrowest gap allows. */
function cellBounds(axis: PairAxis): number[] {
  const grid = Array.from(axis.grid);
  const [first = 0, last = 0] = [grid[0], grid.at(-1)];
  const inner = grid.slice(1).map((value, at) => (value + grid[at]!) / 2);
  const gaps = grid.slice(1).map((value, at) => value - grid[at]!);
  const half = isSeparate(axis) ? 0.5 : last > first ? Math.min(...gaps) / 2 : Math.abs(first) * 0.1 || 0.5;
  return [first - half, ...inner, last + half];
}

function axisOf(of: PairAxis, range: [number, number]): HeatAxis {
  const places = cellBounds(of);
  const scale = scaleLinear([places[0]!, places.at(-1)!], range);
  const write = writerOf(of);
  return { of, scale, bounds: places.map(scale), ticks: featureTicks({ curves: of }, write, scale), write };
}

/** Colours from the smallest to the largest value; where there are both signs, 0 is in the middle. */
function heatDomain(values: Float64Array): [number, number] {
  const [low = 0, high = 0] = extent(values);
  const most = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= FLAT * most || most === 0) {
    const pad = most === 0 ? 0.5 : most * 0.05;
    return [low - pad, high + pad];
  }
  return low < 0 && high > 0 ? [-most, most] : [low, high];
}

export function heatPlotOf(twoWay: TwoWay, size: Size, theme: Theme): HeatPlot {
  const shade = theme.dark ? "dark" : "light";
  const domain = heatDomain(twoWay.values);
  const isDiverging = domain[0] === -domain[1];
  const layOut = (labelsHeight: number) => {
    const bottom = Math.max(TOP + 40, size.height - labelsHeight);
    const y = axisOf(twoWay.second, [bottom, TOP]);
    const widest = Math.min(MOST_LEFT * size.width, labelWidth(y.ticks, theme.font) + 12);
    const left = Math.max(LEAST_LEFT, widest);
    const right = Math.max(left + 40, size.width - RIGHT);
    return { bottom, y, left, right, x: axisOf(twoWay.first, [left, right]) };
  };
  let fit = layOut(AXIS_LABELS);
  let labels: LevelLabels | null = null;
  if (hasLevels(twoWay.first.kind)) {
    labels = levelLabels(fit.x.ticks, fit.x.bounds[1]! - fit.x.bounds[0]!, theme.font);
    fit = layOut(labels.height);
  }
  return {
    twoWay,
    size,
    ...fit,
    top: TOP,
    levelLabels: labels,
    palette: isDiverging ? divergingPalette(shade) : rampPalette(shade),
    domain,
  };
}

/** Place of a value on the palette, 0 to 1. */
export const shadeOf = ({ domain: [low, high] }: HeatPlot, value: number): number => (value - low) / (high - low);

/** One cell by the places of its values on both grids. */
export interface Cell {
  i: number;
  j: number;
}

export const indexOf = ({ twoWay }: HeatPlot, { i, j }: Cell): number => i * twoWay.second.grid.length + j;

/** The cell at a point in px; null outside of the axes. */
export function cellAt({ x, y, left, right, top, bottom }: HeatPlot, px: number, py: number): Cell | null {
  if (px < left || px > right || py < top || py > bottom) return null;
  const placeIn = ({ bounds }: HeatAxis, sign: number, at: number): number => {
    const places = bounds.map((bound) => sign * bound);
    return Math.min(places.length - 2, Math.max(0, bisectRight(places, sign * at) - 1));
  };
  return { i: placeIn(x, 1, px), j: placeIn(y, -1, py) };
}

/** Where a cell is, in px. */
export function boxOf(
  { x, y }: HeatPlot,
  { i, j }: Cell,
): { left: number; top: number; width: number; height: number } {
  const [left, right] = [x.bounds[i]!, x.bounds[i + 1]!];
  const [bottom, top] = [y.bounds[j]!, y.bounds[j + 1]!];
  return { left, top, width: right - left, height: bottom - top };
}

/** Positions of the observations, in px: beside each other on levels; a missing value, or a level without a cell, has none. */
export function dotsOf({ twoWay, x, y }: HeatPlot): { x: Float32Array; y: Float32Array } {
  const placed = ({ of, scale, bounds }: HeatAxis, step: number): Float32Array => {
    const reach = isSeparate(of) ? stripReach(twoWay.n_rows, Math.abs(bounds[1]! - bounds[0]!)) : 0;
    const isOff = (value: number) => Number.isNaN(value) || (hasLevels(of.kind) && !of.grid.includes(value));
    return Float32Array.from(of.observed, (value, row) =>
      isOff(value) ? Number.NaN : scale(value) + reach * placeInStrip(step * row + step),
    );
  };
  return { x: placed(x, 1), y: placed(y, 7) };
}
