/** The features as points: positions and sizes. */
import { max } from "d3-array";
import { labelWidth, type Scale, type Tick } from "../../marks/axis.ts";
import { scaleLinear } from "../../marks/scale.ts";
import { valueTicks } from "../../plots/plot.ts";
import type { RankedFeature } from "../../store/ranking.ts";
import type { Reading } from "../../store/reading.ts";
import type { Size } from "../../view/size.ts";
import type { Shares } from "./shares.ts";

export interface Point {
  feature: RankedFeature;
  /** From 0. */
  rank: number;
  x: number;
  y: number;
  radius: number;
}

/** Figures on the axes of the map, by the index of the feature. */
export interface Places {
  across: readonly number[];
  up: readonly number[];
  /** Axes reach this far at least. */
  least: number;
  /** Whether both are shares of 100, on axes of the same length; then points have one size. */
  areShares: boolean;
}

/** Heterogeneity and non-linearity do not depend on the decay, so the slider changes sizes only. */
export function placesOf(reading: Reading): Places {
  const all = (metric: string) => reading.figures.header.features.map((_, index) => reading.get(index, metric));
  const least = LEAST_AXIS * (max(all("impact"), known) ?? 0);
  return { across: all("heterogeneity"), up: all("non_linearity"), least, areShares: false };
}

export const placesOfShares = ({ impact, importance }: Shares): Places => ({
  across: impact,
  up: importance,
  least: 0,
  areShares: true,
});

export interface MapAxes {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Position of features without a non-linearity; null if all have one. */
  strip: { top: number; middle: number; bottom: number } | null;
  /** Baseline of the horizontal axis. */
  axis: number;
  x: Scale;
  y: Scale;
  xTicks: Tick[];
  yTicks: Tick[];
  /** "×10⁻⁵" where the labels are written in that unit; mostly empty. */
  xExponent: string;
  yExponent: string;
  /** The end of both axes, if they show shares; else null. */
  diagonal: number | null;
}

const TOP = 12;
const AXIS_LABELS = 20;
const STRIP = 60;
/** Room for half of the largest point, right of the axis. */
const RIGHT = 16;
/** Distance of zero from the axes, so that points do not cover the axis labels. */
const INSET = 12;
/** The radius of the largest point where there are few, where there are very many, and of the smallest. */
const LARGEST = 18;
const LARGEST_OF_MANY = 8;
const SMALLEST = 2;
/** The radius where both figures are on the axes, of few points. */
const OF_SHARES = 6;
/** More points than this are drawn smaller, so that they do not hide each other. */
const FEW = 60;
/** An axis reaches this share of the largest impact at least: below lies the rounding of a model that is linear. */
const LEAST_AXIS = 0.01;
/** Share of an axis that stays free beyond the farthest point. */
const BREATH = 1.08;

const known = (value: number): number => (Number.isFinite(value) ? value : 0);

export function axesOf({ across, up, least, areShares }: Places, size: Size, font: string): MapAxes {
  const beside = !areShares && across.some((value, index) => Number.isFinite(value) && Number.isNaN(up[index]));
  const end = (values: readonly number[]): number =>
    (Math.max(max(areShares ? [...across, ...up] : values, known) ?? 0, least) || 1) * BREATH;
  const axis = size.height - AXIS_LABELS;
  const bottom = beside ? axis - STRIP : axis;
  const y = scaleLinear([0, end(up)], [bottom - INSET, TOP]);
  const vertical = valueTicks([0, end(up)], [bottom - INSET, TOP], Math.max(2, Math.floor((bottom - TOP) / 56)));
  const left = labelWidth(vertical.ticks, font) + 12;
  const right = Math.max(left + 40, size.width - RIGHT);
  const x = scaleLinear([0, end(across)], [left + INSET, right]);
  const wanted = Math.max(2, Math.floor((right - left) / 72));
  const horizontal = valueTicks([0, end(across)], [left + INSET, right], wanted);
  return {
    left,
    right,
    top: TOP,
    bottom,
    strip: beside ? { top: bottom + 8, middle: axis - LARGEST - 1, bottom: axis } : null,
    axis,
    x,
    y,
    xTicks: horizontal.ticks,
    yTicks: vertical.ticks,
    xExponent: horizontal.exponent,
    yExponent: vertical.exponent,
    diagonal: areShares ? end(across) : null,
  };
}

/** Every feature that has a place, the strongest first. The longest bar of the ranking is the largest point here. */
export function pointsOf(ranking: readonly RankedFeature[], places: Places, axes: MapAxes): Point[] {
  const largest = max(ranking, ({ value, tick }) => max([value, tick ?? 0])) ?? 0;
  const reach = Math.max(LARGEST_OF_MANY, LARGEST * Math.min(1, FEW / ranking.length) ** 0.25);
  const points: Point[] = [];
  for (const [rank, feature] of ranking.entries()) {
    const across = places.across[feature.index]!;
    const up = places.up[feature.index]!;
    if (Number.isNaN(across) || (places.areShares && Number.isNaN(up))) continue;
    const y = Number.isNaN(up) ? (axes.strip?.middle ?? axes.bottom) : axes.y(up);
    const share = largest > 0 ? Math.max(0, known(feature.value)) / largest : 0;
    const radius = places.areShares ? OF_SHARES * (reach / LARGEST) : Math.max(SMALLEST, reach * Math.sqrt(share));
    points.push({ feature, rank, x: axes.x(across), y, radius });
  }
  return points;
}

/** The point under the pointer, the smallest of several, which is on top; otherwise the nearest within reach. */
export function pointAt(points: readonly Point[], x: number, y: number, reach: number): Point | null {
  let nearest: Point | null = null;
  let best = Number.POSITIVE_INFINITY;
  for (const point of points) {
    const away = Math.hypot(point.x - x, point.y - y);
    if (away > point.radius + reach) continue;
    const cost = away <= point.radius ? point.radius - 1e4 : away - point.radius;
    if (cost < best) [nearest, best] = [point, cost];
  }
  return nearest;
}
