/** Which phantom observations of the lines on screen are unlike 99 % of rows. */
import type { CurvesBody, UnlikeBody } from "../wire/protocol.ts";

/** With the row of each line. */
export interface Unlike extends UnlikeBody {
  positions: Uint32Array;
}

/** The same for other lines and grid values, where a row or a value without flags has none set. */
export function unlikeOn(unlike: Unlike, { positions, grid, n_grid: nGrid }: CurvesBody): Unlike {
  if (unlike.positions === positions && unlike.grid.length === nGrid) return unlike;
  const lines = new Map(Array.from(unlike.positions, (row, line) => [row, line]));
  const places = new Map(Array.from(unlike.grid, (value, k) => [value, k]));
  const points = Array.from(grid, (value) => places.get(value) ?? -1);
  const flags = new Uint8Array(positions.length * nGrid);
  for (const [line, row] of positions.entries()) {
    const first = (lines.get(row) ?? Number.NaN) * unlike.grid.length;
    for (const [k, point] of points.entries())
      flags[line * nGrid + k] = point < 0 ? 0 : (unlike.flags[first + point] ?? 0);
  }
  return { ...unlike, grid, shares: Float32Array.from(points, (point) => unlike.shares[point] ?? 0), flags, positions };
}

/** The share of the grid values at which a line is unlike 99 % of rows. */
export function shareOfLine({ flags, grid }: Unlike, line: number): number {
  const nGrid = grid.length;
  let count = 0;
  for (let k = 0; k < nGrid; k++) count += flags[line * nGrid + k]!;
  return count / nGrid;
}
