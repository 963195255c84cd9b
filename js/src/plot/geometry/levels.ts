/** Positions of dots and of connectors between levels. */

/** The share of a line's opacity that its connectors have: enough to follow a row, too little to look like values. */
const CONNECTOR = 0.4;
/** The opacity that connectors reach together, however many they are. */
export const MOST_CONNECTED = 0.5;
/** Maximum number of rows drawn exactly on their level, without jitter. */
const FEW_ROWS = 20;
/** Maximum distance of a dot from its level: this share of the level's width, and this many px. */
const MOST_ROOM = 0.34;
const MOST_PX = 30;

/** Half the width of the strip of a level's dots, in px. */
export function stripReach(nRows: number, room: number): number {
  if (nRows <= FEW_ROWS) return 0;
  return Math.min(MOST_ROOM * room, MOST_PX, 1.2 * Math.sqrt(nRows));
}

/** The place of a row in the strip, -1 … 1: even, the same at every level, and the same in every picture. */
export function placeInStrip(position: number): number {
  return 2 * ((position * 0.6180339887498949) % 1) - 1;
}

/** Each level's strip has two ends, so that connectors run between the strips and not through the dots. */
export function stripEnds(centres: ArrayLike<number>, reach: number): Float64Array<ArrayBuffer> {
  const ends = new Float64Array(2 * centres.length);
  for (let k = 0; k < centres.length; k++) {
    ends[2 * k] = centres[k]! - reach;
    ends[2 * k + 1] = centres[k]! + reach;
  }
  return ends;
}

/** Opacity of a row's connectors, from that of its dots: two levels are joined as strongly as the likelier one. */
export function connectorOpacity(dots: Float32Array, out: Float32Array): void {
  for (let k = 0; k < dots.length; k++) {
    out[2 * k] = 0;
    if (k + 1 < dots.length) out[2 * k + 1] = CONNECTOR * Math.max(dots[k]!, dots[k + 1]!);
  }
}
