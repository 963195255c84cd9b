/** Where the labels of points stand without touching each other: first come, first served. */
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

/** The room that a label takes on a side of its point. */
export function labelBox({ x, y, radius, width }: Labelled, side: Side, height: number): Box {
  const away = radius + GAP;
  switch (side) {
    case "right":
      return { left: x + away, right: x + away + width, top: y - height / 2, bottom: y + height / 2 };
    case "left":
      return { left: x - away - width, right: x - away, top: y - height / 2, bottom: y + height / 2 };
    case "above":
      return { left: x - width / 2, right: x + width / 2, top: y - away - height, bottom: y - away };
    case "below":
      return { left: x - width / 2, right: x + width / 2, top: y + away, bottom: y + away + height };
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
 * The side of each point on which its label stands, the first point before the second; null where none is free. A label
 * stays inside the frame and covers neither another one, nor another of these points, nor what is reserved.
 */
export function placeLabels(
  points: readonly Labelled[],
  height: number,
  frame: Box,
  reserved: readonly Box[],
): (Side | null)[] {
  const taken = [...reserved];
  const discs = points.map(around);
  return points.map((point, index) => {
    for (const side of SIDES) {
      const box = labelBox(point, side, height);
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
