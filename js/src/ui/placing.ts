/** Places a card next to its target, and a menu under its button, inside a given area if possible. */
import { least } from "d3-array";
import type { Box } from "../plot/geometry/pick.ts";

export interface Extent {
  width: number;
  height: number;
}

export interface Place {
  x: number;
  y: number;
}

/** Free space at the edges of the room, in px. */
const MARGIN = 4;
const BESIDE = 14;
const UNDER = 4;

const clamped = (value: number, from: number, to: number): number => Math.max(from, Math.min(value, to));

const insideX = (x: number, { width }: Extent, { left, right }: Box): number =>
  clamped(x, left + MARGIN, right - MARGIN - width);

const insideY = (y: number, { height }: Extent, { top, bottom }: Box): number =>
  clamped(y, top + MARGIN, bottom - MARGIN - height);

/** Right of the anchor; without room there left, below or above; without any room, right. */
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

/** The same below the anchor or above it, where fewer of some points are covered. */
export function placeOff(points: readonly Place[], anchor: Box, size: Extent, room: Box): Place {
  const x = insideX(anchor.right + BESIDE, size, room);
  const isIn = (value: number, from: number, length: number) => value > from && value < from + length;
  const inReach = points.filter((point) => isIn(point.x, x, size.width));
  const ys = [anchor.bottom + BESIDE, anchor.top - BESIDE - size.height].map((y) => insideY(y, size, room));
  return { x, y: least(ys, (y) => inReach.filter((point) => isIn(point.y, y, size.height)).length)! };
}

/** Below the anchor; above it if there is room only there. */
function belowOrAbove(anchor: Box, { height }: Extent, room: Box): number {
  const [below, above] = [anchor.bottom + UNDER, anchor.top - UNDER - height];
  return below + height > room.bottom && above >= room.top ? above : below;
}

/** Below a button, aligned with its right edge; above it if there is room only there. */
export function placeUnder(anchor: Box, size: Extent, room: Box): Place {
  return { x: insideX(anchor.right - size.width, size, room), y: belowOrAbove(anchor, size, room) };
}

/** Below the explained element, aligned with its left edge; without room there left or right of it, or else above it. */
export function placeBelow(anchor: Box, size: Extent, room: Box): Place {
  const y = belowOrAbove(anchor, size, room);
  const sides = [anchor.left - BESIDE - size.width, anchor.right + BESIDE];
  const x = sides.find((side) => side >= room.left && side + size.width <= room.right);
  // What is under the plot is not explained over it.
  const fitsBelow = y > anchor.top && y + size.height <= room.bottom;
  if (!fitsBelow && x !== undefined) return { x, y: insideY(anchor.top, size, room) };
  return { x: insideX(anchor.left, size, room), y: insideY(y, size, room) };
}
