/**
 * Which stretch of which segment falls into each pixel column. All lines of a picture share their x values, so this is
 * worked out once per axis and reused for every line and every frame.
 */
export interface ColumnPieces {
  /** Pieces of column q are start[q] … start[q + 1] - 1. */
  start: Uint32Array;
  /** Segment k joins point k to point k + 1. */
  segment: Uint32Array;
  /** Middle of the piece along its segment, 0 at the left point and 1 at the right one. */
  middle: Float64Array;
  /** Length of the piece as a fraction of its segment. */
  part: Float64Array;
  /** Width of the piece in this column, in px: 0 for a piece that only lends the column a share of an upright bar. */
  run: Float64Array;
  /** Rise in px from which the whole segment is drawn as an upright bar; Infinity for segments wider than a line. */
  uprightFrom: Float64Array;
  /** This column's share of that bar. */
  share: Float64Array;
}

/** A segment narrower than the line is drawn as an upright bar once it rises this many times its own width. */
export const UPRIGHT_SLOPE = 2;

/** `run` is in px; `middle` and `part` are fractions of the segment. */
type Visit = (
  column: number,
  segment: number,
  middle: number,
  part: number,
  run: number,
  uprightFrom: number,
  share: number,
) => void;

function overlap(lo: number, hi: number, column: number): number {
  return Math.max(0, Math.min(hi, column + 1) - Math.max(lo, column));
}

/** Calls `visit` for every (segment, column) that meet: once in every column that a segment crosses or its bar touches. */
function eachPiece(x: Float64Array, width: number, thickness: number, visit: Visit): void {
  for (let k = 0; k + 1 < x.length; k++) {
    const left = x[k]!;
    const right = x[k + 1]!;
    const run = right - left;
    if (!(run >= 0)) continue;
    const narrow = run < thickness;
    const centre = (left + right) / 2;
    const barLeft = centre - thickness / 2;
    const barRight = centre + thickness / 2;
    const first = Math.max(0, Math.floor(narrow ? Math.min(left, barLeft) : left));
    const last = Math.min(width - 1, Math.floor(narrow ? Math.max(right, barRight) : right));
    for (let q = first; q <= last; q++) {
      const from = Math.min(Math.max(left, q), right);
      const to = Math.max(Math.min(right, q + 1), left);
      const share = narrow ? overlap(barLeft, barRight, q) / thickness : 0;
      if (to - from <= 0 && share <= 0) continue;
      const scale = run > 0 ? 1 / run : 0;
      const middle = ((from - left) * scale + (to - left) * scale) / 2;
      // Exactly alike in all columns that a segment crosses from side to side, which are drawn together.
      const part = (to - from) * scale;
      visit(q, k, middle, part, to - from, narrow ? UPRIGHT_SLOPE * run : Infinity, share);
    }
  }
}

/**
 * Cuts the segments of an axis at the pixel columns.
 *
 * @param x points in px, never decreasing; equal neighbours make a vertical step
 * @param width number of columns
 * @param thickness of the lines in px: a segment narrower than that may spread into the neighbouring columns
 */
export function columnPieces(x: Float64Array, width: number, thickness: number): ColumnPieces {
  const start = new Uint32Array(width + 1);
  eachPiece(x, width, thickness, (column) => {
    start[column + 1]!++;
  });
  for (let q = 0; q < width; q++) start[q + 1]! += start[q]!;
  const count = start[width]!;
  const pieces: ColumnPieces = {
    start,
    segment: new Uint32Array(count),
    middle: new Float64Array(count),
    part: new Float64Array(count),
    run: new Float64Array(count),
    uprightFrom: new Float64Array(count),
    share: new Float64Array(count),
  };
  const next = start.slice(0, width);
  eachPiece(x, width, thickness, (column, segment, middle, part, run, uprightFrom, share) => {
    const p = next[column]!++;
    pieces.segment[p] = segment;
    pieces.middle[p] = middle;
    pieces.part[p] = part;
    pieces.run[p] = run;
    pieces.uprightFrom[p] = uprightFrom;
    pieces.share[p] = share;
  });
  return pieces;
}
