/** Which phantom observations of the lines on screen are unlike 99 % of rows. */
import type { CurvesBody, UnlikeBody } from "../wire/protocol.ts";

/** With the row of each line. */
export interface Unlike extends UnlikeBody {
  positions: ArrayLike<number>;
}

/** The same for other lines of the same grid, where a row without flags has none set; null for another grid. */
export function unlikeOfLines(unlike: Unlike, { positions, n_grid: nGrid }: CurvesBody): Unlike | null {
  if (unlike.positions === positions) return unlike;
  if (unlike.grid.length !== nGrid) return null;
  const lines = new Map(Array.from(unlike.positions, (row, line) => [row, line]));
  const flags = new Uint8Array(positions.length * nGrid);
  for (const [line, row] of positions.entries()) {
    const before = lines.get(row);
    if (before !== undefined) flags.set(unlike.flags.subarray(before * nGrid, (before + 1) * nGrid), line * nGrid);
  }
  return { ...unlike, flags, positions };
}

/** The share of the grid values at which a line is unlike 99 % of rows. */
export function shareOfLine({ flags, grid }: Unlike, line: number): number {
  const nGrid = grid.length;
  let count = 0;
  for (let k = 0; k < nGrid; k++) count += flags[line * nGrid + k]!;
  return count / nGrid;
}
