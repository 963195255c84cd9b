/** The three ways to look at the same curves: as they are, as changes from an anchor (c-ICE), as slopes (d-ICE). */

export type Anchor = "min" | "max" | "median" | "own" | number;

/** Index of the grid value nearest to `value`; the lower one of two that are equally near. */
export function nearestIndex(grid: ArrayLike<number>, value: number): number {
  let best = 0;
  for (let k = 1; k < grid.length; k++) {
    if (Math.abs(grid[k]! - value) < Math.abs(grid[best]! - value)) best = k;
  }
  return best;
}

/** Where on the grid the curves are held together; null where each is held at its own value. */
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

/** Place of `value` on an increasing grid as a fractional index, held to its ends. */
export function fractionalIndex(grid: ArrayLike<number>, value: number): number {
  const last = grid.length - 1;
  if (!(value > grid[0]!)) return 0;
  if (value >= grid[last]!) return last;
  let lo = 0;
  let hi = last;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if (grid[mid]! <= value) lo = mid;
    else hi = mid;
  }
  return lo + (value - grid[lo]!) / (grid[hi]! - grid[lo]!);
}

/** Each row's curve read at its own observed value (linear between grid points). */
export function valuesAtOwn(
  curves: Float32Array,
  grid: ArrayLike<number>,
  observed: ArrayLike<number>,
): Float64Array<ArrayBuffer> {
  const nGrid = grid.length;
  const values = new Float64Array(observed.length);
  for (let i = 0; i < values.length; i++) {
    const u = fractionalIndex(grid, observed[i]!);
    const k = Math.min(Math.floor(u), Math.max(0, nGrid - 2));
    const left = curves[i * nGrid + k]!;
    values[i] = u === k ? left : left + (curves[i * nGrid + k + 1]! - left) * (u - k);
  }
  return values;
}

/** c-ICE: every curve minus its own value at the anchor. `curves` holds one row of grid.length values per line. */
export function centeredCurves(
  curves: Float32Array,
  grid: ArrayLike<number>,
  observed: ArrayLike<number>,
  anchor: Anchor,
  median: number,
): Float32Array<ArrayBuffer> {
  const nGrid = grid.length;
  const index = anchorIndex(grid, anchor, median);
  const own = index === null ? valuesAtOwn(curves, grid, observed) : null;
  const centered = new Float32Array(curves.length);
  for (let i = 0; i * nGrid < curves.length; i++) {
    const held = own === null ? curves[i * nGrid + index!]! : own[i]!;
    for (let k = 0; k < nGrid; k++) centered[i * nGrid + k] = curves[i * nGrid + k]! - held;
  }
  return centered;
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
