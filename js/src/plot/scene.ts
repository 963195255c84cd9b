/**
 * The curves of a feature as a kind of plot shows them, in the units of the data: the points of every line, and their mean.
 */
import { extent } from "d3-array";
import { drawnKind, hasLevels, isUnordered } from "../text/values.ts";
import type { Anchor, CurvesBody, Kind } from "../wire/protocol.ts";
import {
  anchorIndex,
  anchorValues,
  centeredCurves,
  slopeEnds,
  slopes,
  stepValues,
  stepX,
} from "./geometry/transforms.ts";

/** The mean of the curves of a model, and of its predictions with the value missing; relative to the base of the scene. */
export interface ModelMean {
  model: number;
  mean: Float32Array;
  missing: number | null;
}

export interface Scene {
  kind: Kind;
  curves: CurvesBody;
  /** Points of every line, shared by all of them. */
  x: Float64Array;
  /** One row per line, relative to `base`. */
  values: Float32Array;
  /** Added to every value for the axis; kept apart so that small effects on a large output stay exact. */
  base: number;
  /** Partial dependence. */
  mean: Float32Array;
  /** Height of each line at its observed value. */
  own: Float32Array;
  /** Values with the feature missing, drawn next to the axis, and their mean. */
  missing: { values: Float32Array; mean: number } | null;
  /** Whether the points are levels: dots, with nothing in between. */
  onLevels: boolean;
  /** Over how many bins slopes are drawn; null where they are between neighbouring grid values, or no slopes. */
  nBins: number | null;
  /** Lowest and highest of all that is drawn, relative to `base`. */
  extent: [number, number];
  /** Feature value at which all centred lines meet; null where there is none. */
  anchoredAt: number | null;
  /** The models whose curves these are, the open one first; null for one model. */
  models: readonly ModelMean[] | null;
}

type Shape = Omit<Scene, "kind" | "curves" | "extent" | "onLevels" | "nBins" | "models">;

/** Mean of the drawn lines at each point. */
function meanOf(values: Float32Array, nPoints: number): Float32Array {
  const nLines = values.length / nPoints;
  const sums = new Float64Array(nPoints);
  for (const [z, value] of values.entries()) sums[z % nPoints]! += value / nLines;
  return Float32Array.from(sums);
}

/**
 * Observed values; where one is missing, or a level without curves, the median (of levels: the most frequent) stands in
 * for it, as it does in the metrics.
 */
export function standIns({ observed, median, kind, grid }: CurvesBody): Float64Array {
  const isOnAxis = isUnordered(kind)
    ? (value: number) => grid.includes(value)
    : (value: number) => !Number.isNaN(value);
  return observed.map((value) => (isOnAxis(value) ? value : median));
}

/** The values next to the axis minus the `centre` of their line, and their mean minus `shift`; null is the mean of the values. */
function missingValues(
  { missing, offset }: CurvesBody,
  centre: (line: number) => number,
  shift: number | null,
): Shape["missing"] {
  if (missing === null) return null;
  const values = missing.values.map((value, line) => value - centre(line));
  const mean = shift === null ? meanOf(values, 1)[0]! : missing.mean - offset - shift;
  return { values, mean };
}

/** A single grid value has no interval to draw a line over: its lines become short dashes. */
function asDashes(shape: Shape): Shape {
  const [value] = shape.x;
  if (shape.x.length !== 1 || value === undefined) return shape;
  const reach = (Math.abs(value) * 0.1 || 0.5) / 4;
  const twice = stepValues;
  return {
    ...shape,
    x: Float64Array.of(value - reach, value + reach),
    values: twice(shape.values),
    mean: twice(shape.mean),
  };
}

function iceShape(curves: CurvesBody): Shape {
  return {
    x: curves.grid,
    values: curves.values,
    base: curves.offset,
    mean: curves.partial_dependence,
    own: curves.predictions,
    missing: missingValues(curves, () => 0, 0),
    anchoredAt: null,
  };
}

function centeredShape(curves: CurvesBody, anchor: Anchor): Shape {
  const { grid, median, values, partial_dependence: partialDependence, predictions } = curves;
  const index = anchorIndex(grid, anchor, median);
  const centres = anchorValues({ ...curves, observed: standIns(curves) }, anchor);
  const centered = centeredCurves(values, centres);
  // Centring at one grid value shifts the partial dependence; otherwise the mean is that of the drawn lines.
  const shift = index === null ? null : partialDependence[index]!;
  const mean = shift === null ? meanOf(centered, grid.length) : partialDependence.map((value) => value - shift);
  // The prediction of a row with the value missing is next to the axis, not on its line.
  const own = predictions.map((value, i) =>
    index !== null || Number.isNaN(curves.observed[i]!) ? value - centres[i]! : 0,
  );
  return {
    x: grid,
    values: centered,
    base: 0,
    mean,
    own,
    missing: missingValues(curves, (i) => centres[i]!, shift),
    anchoredAt: index === null ? null : grid[index]!,
  };
}

function slopeShape(curves: CurvesBody): Shape {
  const { grid, values, partial_dependence: partialDependence } = curves;
  const observed = standIns(curves);
  const x = stepX(grid);
  const perInterval = slopes(values, grid);
  const stepped = stepValues(perInterval);
  const nIntervals = Math.max(0, grid.length - 1);
  const own = new Float32Array(observed.length).map((_, i) => {
    const interval = grid.findIndex((value) => value >= observed[i]!);
    const place = interval === -1 ? nIntervals - 1 : Math.max(0, interval - 1);
    return nIntervals === 0 ? Number.NaN : perInterval[i * nIntervals + place]!;
  });
  return {
    x,
    values: stepped,
    base: 0,
    mean: stepValues(slopes(partialDependence, grid)),
    own,
    missing: null,
    anchoredAt: null,
  };
}

/** The same curves at some of the grid values. */
function thinnedCurves(curves: CurvesBody, kept: readonly number[]): CurvesBody {
  const { n_grid: nGrid } = curves;
  if (kept.length === nGrid) return curves;
  return {
    ...curves,
    n_grid: kept.length,
    grid: Float64Array.from(kept, (k) => curves.grid[k]!),
    values: atPoints(curves.values, nGrid, kept),
    distances: curves.distances && atPoints(curves.distances, nGrid, kept),
    partial_dependence: atPoints(curves.partial_dependence, nGrid, kept),
  };
}

function atPoints(values: Float32Array, nPoints: number, kept: readonly number[]): Float32Array {
  const result = new Float32Array((values.length / nPoints) * kept.length);
  for (let row = 0, z = 0; z < result.length; row += nPoints) for (const k of kept) result[z++] = values[row + k]!;
  return result;
}

function shapeOf(curves: CurvesBody, kind: Kind, anchor: Anchor): Shape {
  switch (kind) {
    case "ice":
      return iceShape(curves);
    case "c-ice":
      return centeredShape(curves, anchor);
    case "d-ice":
      return slopeShape(curves);
  }
}

export function sceneOf(all: CurvesBody, wanted: Kind, anchor: Anchor): Scene {
  const kind = drawnKind(wanted, all.kind);
  const isBinned = kind === "d-ice" && !hasLevels(all.kind);
  const curves = isBinned ? thinnedCurves(all, slopeEnds(all.n_grid)) : all;
  const onLevels = hasLevels(curves.kind) && kind !== "d-ice";
  const plain = shapeOf(curves, kind, anchor);
  const shape = onLevels || kind === "d-ice" ? plain : asDashes(plain);
  const { missing } = shape;
  const own = shape.own.map((value, i) => (missing === null && Number.isNaN(curves.observed[i]!) ? Number.NaN : value));
  const aside = missing === null ? [] : [...extent(missing.values), missing.mean];
  const ends = [...extent(shape.values), ...extent(own), ...extent(shape.mean), ...aside];
  const [low, high] = extent(ends.filter((value) => value !== undefined && Number.isFinite(value)) as number[]);
  const nBins = curves.n_grid < all.n_grid ? curves.n_grid - 1 : null;
  return { ...shape, own, kind, curves, onLevels, nBins, extent: [low ?? 0, high ?? 0], models: null };
}

/** Indices of the grid: one for each px of the axis, the first and the last among them. */
function keptPoints(grid: ArrayLike<number>, most: number): number[] {
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

/** The scene at about as many grid values as it has px. Centring uses all values, and slopes are over bins. */
export function thinnedScene(curves: CurvesBody, kind: Kind, anchor: Anchor, most: number): Scene {
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
