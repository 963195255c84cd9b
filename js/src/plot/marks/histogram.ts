/** Histogram: bars on a baseline, as wide as their bins. */
import type { Scale } from "./scale.ts";

export interface Bars {
  edges: ArrayLike<number>;
  counts: ArrayLike<number>;
  x: Scale;
  bottom: number;
  height: number;
  /** The count whose bar has the full height. */
  tallest: number;
  /** The share of a bin that stays free; bars of levels do not touch. */
  gap: number;
}

/** The path of all bars. */
export function histogramPath({ edges, counts, x, bottom, height, tallest, gap }: Bars): string {
  const [left = 0, right = 0] = x.range();
  let path = "";
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin]!;
    if (count === 0 || tallest === 0) continue;
    const from = Math.max(left, x(edges[bin]!));
    const to = Math.min(right, x(edges[bin + 1]!));
    if (to < from) continue; // beyond the part of the axis that shows
    const free = gap > 0 ? (gap / 2) * (to - from) : to - from > 3 ? 0.5 : 0;
    path += bar(from + free, to - free, bottom, (count / tallest) * height);
  }
  return path;
}

/** A bar that is at least 1 px high, so that a single observation is visible. */
export const bar = (from: number, to: number, bottom: number, height: number): string =>
  `M${from},${bottom}V${bottom - Math.max(1, height)}H${to}V${bottom}Z`;
