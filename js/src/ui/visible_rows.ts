/** Which rows of a long list are in or near view, so that only those exist. */

/** Places from `first` up to, but not including, `end`. */
export interface Range {
  first: number;
  end: number;
}

/**
 * @param top how far the list is scrolled, in px
 * @param height of what shows of it, in px
 * @param row height of each row, in px
 * @param over rows kept beyond either edge
 */
export function inView(top: number, height: number, row: number, count: number, over: number): Range {
  const last = Math.max(0, count * row - height);
  const start = Math.min(Math.max(top, 0), last);
  const first = Math.max(0, Math.floor(start / row) - over);
  return { first, end: Math.min(count, Math.ceil((start + height) / row) + over) };
}

/** How far to scroll so that a row shows whole; as far as now where it does. */
export function revealing(place: number, top: number, height: number, row: number): number {
  if (place * row < top) return place * row;
  return Math.max(top, (place + 1) * row - height);
}
