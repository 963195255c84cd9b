/** Which line is under the pointer, in the same px as the raster. */

/** Lines that share their x: nLines rows of nPoints px in y. */
export interface Polylines {
  nLines: number;
  nPoints: number;
  x: Float64Array;
  y: Float32Array;
}

/** First index whose x is greater than `value`. */
function firstAfter(x: Float64Array, value: number): number {
  let lo = 0;
  let hi = x.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (x[mid]! > value) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

/** The segments that reach into [from, to], as first and last index; last < first where none does. */
function segmentsWithin(x: Float64Array, from: number, to: number): [number, number] {
  let first = Math.max(0, firstAfter(x, from) - 1);
  while (first > 0 && x[first]! >= from) first--;
  return [first, Math.min(x.length - 2, firstAfter(x, to) - 1)];
}

function squaredDistance(px: number, py: number, x0: number, y0: number, x1: number, y1: number): number {
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = dx * dx + dy * dy;
  const along = length > 0 ? Math.min(1, Math.max(0, ((px - x0) * dx + (py - y0) * dy) / length)) : 0;
  return (px - x0 - along * dx) ** 2 + (py - y0 - along * dy) ** 2;
}

/** The line nearest to a point, among those within `radius`; null where there is none. NaN points belong to no line. */
export function nearestLine(
  lines: Polylines,
  px: number,
  py: number,
  radius: number,
): { line: number; distance: number } | null {
  const { nLines, nPoints, x, y } = lines;
  const [first, last] = segmentsWithin(x, px - radius, px + radius);
  let best = radius * radius;
  let line: number | null = null;
  for (let i = 0; i < nLines; i++) {
    const row = i * nPoints;
    for (let k = first; k <= last; k++) {
      const d = squaredDistance(px, py, x[k]!, y[row + k]!, x[k + 1]!, y[row + k + 1]!);
      if (d < best) {
        best = d;
        line = i;
      }
    }
  }
  return line === null ? null : { line, distance: Math.sqrt(best) };
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
