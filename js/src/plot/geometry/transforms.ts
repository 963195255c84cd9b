/** The three ways to look at the same curves: as they are, as changes from an anchor (c-ICE), as slopes (d-ICE). */

export type Anchor = "min" | "max" | "median" | "own" | number;

/** Bins of the grid over which slopes are drawn. */
const SLOPE_BINS = 20;

/** Index of the grid value nearest to `value`; the lower one of two that are equally near. */
export function nearestIndex(grid: ArrayLike<number>, value: number): number {
  let best = 0;
  for (let k = 1; k < grid.length; k++) {
    if (Math.abs(grid[k]! - value) < Math.abs(grid[best]! - value)) best = k;
  }
  return best;
}

/** The grid index at which all curves are centred; null if each is centred at its observed value. */
export function anchorIndex(grid: ArrayLike<number>, anchor: Anchor, median: number): number | null {
  switch (anchor) {
    case "own":
      return null;
    case "min":
      return 0;
    case "max":
      return grid.length - 1;
    case "median":
      return nearestIndex(grid, median);
    default:
      return nearestIndex(grid, anchor);
  }
}

/** Curves and the position at which each is 0 when centred. */
export interface Centrable {
  /** One row of grid.length values per line. */
  values: Float32Array;
  grid: ArrayLike<number>;
  /** Observed values, none missing. */
  observed: ArrayLike<number>;
  /** Predictions at observed values; null if all of these are on the grid, so that the curves contain them. */
  at_own: ArrayLike<number> | null;
  median: number;
}

/** What each curve is lowered by: its value at the anchor, or the prediction at its observed value. */
export function anchorValues(curves: Centrable, anchor: Anchor): Float64Array<ArrayBuffer> {
  const { values, grid, observed, at_own: atOwn, median } = curves;
  const index = anchorIndex(grid, anchor, median);
  if (index === null && atOwn !== null) return Float64Array.from(atOwn);
  return Float64Array.from(observed, (own, i) => values[i * grid.length + (index ?? nearestIndex(grid, own))]!);
}

/** c-ICE: every curve minus its value at the anchor. */
export function centeredCurves(values: Float32Array, centres: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const nGrid = values.length / centres.length;
  return Float32Array.from(values, (value, z) => value - centres[Math.floor(z / nGrid)]!);
}

/** d-ICE: the slope over each of the grid.length - 1 intervals, in output per unit of the feature. */
export function slopes(curves: Float32Array, grid: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const nGrid = grid.length;
  const nSlopes = Math.max(0, nGrid - 1);
  const nLines = nGrid > 0 ? curves.length / nGrid : 0;
  const result = new Float32Array(nLines * nSlopes);
  for (let i = 0; i < nLines; i++) {
    for (let k = 0; k < nSlopes; k++) {
      const rise = curves[i * nGrid + k + 1]! - curves[i * nGrid + k]!;
      result[i * nSlopes + k] = rise / (grid[k + 1]! - grid[k]!);
    }
  }
  return result;
}

/**
 * The grid values between which slopes are drawn: the ends of bins with equally many grid values. Between neighbouring
 * values of a step function a slope is 0 or very steep, and lines of such slopes cover the plot. Metrics are computed
 * from every slope.
 */
export function slopeEnds(nGrid: number): number[] {
  if (nGrid <= SLOPE_BINS + 1) return Array.from({ length: nGrid }, (_, k) => k);
  return Array.from({ length: SLOPE_BINS + 1 }, (_, bin) => Math.floor((bin * (nGrid - 1)) / SLOPE_BINS + 0.5));
}

/** x of a step curve: every interval's two ends, so 2 · (nGrid - 1) points with a vertical step between intervals. */
export function stepX(x: ArrayLike<number>): Float64Array<ArrayBuffer> {
  const nIntervals = Math.max(0, x.length - 1);
  const result = new Float64Array(2 * nIntervals);
  for (let k = 0; k < nIntervals; k++) {
    result[2 * k] = x[k]!;
    result[2 * k + 1] = x[k + 1]!;
  }
  return result;
}

/** One value per interval, repeated for its two ends. */
export function stepValues(values: Float32Array): Float32Array<ArrayBuffer> {
  const result = new Float32Array(2 * values.length);
  for (let z = 0; z < values.length; z++) result[2 * z] = result[2 * z + 1] = values[z]!;
  return result;
}

/** Opacity of a step curve's segments from one opacity per interval; the step between two takes the fainter one. */
export function stepOpacity(opacity: Float32Array, nIntervals: number, out?: Float32Array): Float32Array {
  const nLines = nIntervals > 0 ? opacity.length / nIntervals : 0;
  const nSegments = Math.max(0, 2 * nIntervals - 1);
  const result = out ?? new Float32Array(nLines * nSegments);
  for (let i = 0; i < nLines; i++) {
    for (let k = 0; k < nIntervals; k++) {
      const a = opacity[i * nIntervals + k]!;
      result[i * nSegments + 2 * k] = a;
      if (k + 1 < nIntervals) result[i * nSegments + 2 * k + 1] = Math.min(a, opacity[i * nIntervals + k + 1]!);
    }
  }
  return result;
}
