/** Positions of point labels without overlap, in the order of the points. */
import type { Box } from "./pick.ts";

export interface Labelled {
  x: number;
  y: number;
  radius: number;
  /** Width of the text. */
  width: number;
}

export type Side = "right" | "left" | "above" | "below";

const SIDES: readonly Side[] = ["right", "left", "above", "below"];
/** Between a point and its label. */
const GAP = 3;

/** The box of a label on a side of its point; above and below, it is moved sideways to stay inside the frame. */
export function labelBox({ x, y, radius, width }: Labelled, side: Side, height: number, frame: Box): Box {
  const away = radius + GAP;
  const left = Math.max(frame.left, Math.min(x - width / 2, frame.right - width));
  switch (side) {
    case "right":
      return { left: x + away, right: x + away + width, top: y - height / 2, bottom: y + height / 2 };
    case "left":
      return { left: x - away - width, right: x - away, top: y - height / 2, bottom: y + height / 2 };
    case "above":
      return { left, right: left + width, top: y - away - height, bottom: y - away };
    case "below":
      return { left, right: left + width, top: y + away, bottom: y + away + height };
  }
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const around = ({ x, y, radius }: Labelled): Box => ({
  left: x - radius,
  right: x + radius,
  top: y - radius,
  bottom: y + radius,
});

/**
 * The side on which each point has its label, in the order of the points, up to a number of labels; null if no side is
 * free. A label stays inside the frame and covers no other label, none of these points, and no reserved box.
 */
export function placeLabels(
  points: readonly Labelled[],
  height: number,
  frame: Box,
  reserved: readonly Box[],
  most = Number.POSITIVE_INFINITY,
): (Side | null)[] {
  const taken = [...reserved];
  const discs = points.map(around);
  return points.map((point, index) => {
    if (taken.length - reserved.length >= most) return null;
    for (const side of SIDES) {
      const box = labelBox(point, side, height, frame);
      const isInside =
        box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
      if (!isInside || taken.some((other) => overlap(box, other))) continue;
      if (discs.some((disc, other) => other !== index && overlap(box, disc))) continue;
      taken.push(box);
      return side;
    }
    return null;
  });
}
