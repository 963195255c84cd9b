/** Places a card next to its target, and a menu under its button, inside a given area if possible. */
import type { Box } from "../geometry/pick.ts";

export interface Extent {
  width: number;
  height: number;
}

export interface Place {
  x: number;
  y: number;
}

/** What stays free at the edges of the room, in px. */
const MARGIN = 4;
const BESIDE = 14;
const UNDER = 4;

const held = (value: number, from: number, to: number): number => Math.max(from, Math.min(value, to));

const insideX = (x: number, { width }: Extent, { left, right }: Box): number =>
  held(x, left + MARGIN, right - MARGIN - width);

const insideY = (y: number, { height }: Extent, { top, bottom }: Box): number =>
  held(y, top + MARGIN, bottom - MARGIN - height);

/** To the right; where there is no room, to the left, below or above, and to the right where there is none at all. */
export function placeBeside(anchor: Box, size: Extent, room: Box): Place {
  const [right, left] = [anchor.right + BESIDE, anchor.left - BESIDE - size.width];
  const [below, above] = [anchor.bottom + BESIDE, anchor.top - BESIDE - size.height];
  const middle = (anchor.left + anchor.right - size.width) / 2;
  let place = { x: right, y: anchor.top };
  if (right + size.width > room.right) {
    if (left >= room.left) place = { x: left, y: anchor.top };
    else if (below + size.height <= room.bottom) place = { x: middle, y: below };
    else if (above >= room.top) place = { x: middle, y: above };
  }
  return { x: insideX(place.x, size, room), y: insideY(place.y, size, room) };
}

/** Below; above where there is room only there. */
function belowOrAbove(anchor: Box, { height }: Extent, room: Box): number {
  const [below, above] = [anchor.bottom + UNDER, anchor.top - UNDER - height];
  return below + height > room.bottom && above >= room.top ? above : below;
}

/** Under a button and flush with its right edge; over it where there is room only there. */
export function placeUnder(anchor: Box, size: Extent, room: Box): Place {
  return { x: insideX(anchor.right - size.width, size, room), y: belowOrAbove(anchor, size, room) };
}

/** Under what it explains and flush with its left edge; over it where there is room only there. */
export function placeBelow(anchor: Box, size: Extent, room: Box): Place {
  return { x: insideX(anchor.left, size, room), y: belowOrAbove(anchor, size, room) };
}
