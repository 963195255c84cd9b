/** Positions of tiles: rows as wide as the panel, of which only visible ones exist. */

export interface Places {
  columns: number;
  rows: number;
  tileWidth: number;
  /** From the left edge of a column to that of the next, and from the top of a row to that of the next. */
  step: number;
  pitch: number;
  height: number;
}

export const TILE_HEIGHT = 148;
const TILE_GAP = 12;
/** Width of the frame and the padding of a tile. */
export const TILE_INSET = 18;
const LEAST_TILE = 164;
/** Rows beyond the view that exist already. */
const AHEAD = 1;

export function placesOf(width: number, count: number): Places {
  const columns = Math.max(1, Math.floor((width + TILE_GAP) / (LEAST_TILE + TILE_GAP)));
  const tileWidth = Math.floor((width - TILE_GAP * (columns - 1)) / columns);
  const rows = Math.ceil(count / columns);
  const pitch = TILE_HEIGHT + TILE_GAP;
  // The last column ends where the panel does, however the widths are rounded.
  const step = columns > 1 ? (width - tileWidth) / (columns - 1) : 0;
  return { columns, rows, tileWidth, step, pitch, height: Math.max(0, rows * pitch - TILE_GAP) };
}

/** The places in view and just beyond it: the first one, and one past the last. */
export function placesInView(
  { columns, pitch }: Places,
  count: number,
  scrollTop: number,
  height: number,
): [number, number] {
  const first = Math.max(0, Math.floor(scrollTop / pitch) - AHEAD);
  const last = Math.floor((scrollTop + Math.max(0, height - 1)) / pitch) + AHEAD;
  return [Math.min(count, first * columns), Math.min(count, (last + 1) * columns)];
}

/** The place that a key leads to; null for other keys. */
export function placeAfter(key: string, place: number, columns: number, count: number): number | null {
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  if (step === undefined || count === 0) return null;
  const next = place + step;
  // Up and down stay in their column, where there is a tile.
  if (Math.abs(step) === columns && columns > 1 && (next < 0 || next >= count)) return place;
  return Math.min(Math.max(next, 0), count - 1);
}
