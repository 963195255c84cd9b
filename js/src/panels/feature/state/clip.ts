/** The parts of a plot: what is clipped at the bottom of the curves, and the strip of missing values. */

import type { Plot } from "../../../plot/plot.ts";
import { svg } from "../../../ui/element.ts";

interface Clip {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where drawing ends: slopes end at the bottom, so that the strips below stay readable. */
export function clipOf({ scene, bottom, size }: Plot): Clip {
  return { left: 0, right: size.width, top: 0, bottom: scene.kind === "d-ice" ? bottom : size.height };
}

/** An SVG element that clips its content, in the coordinates of the whole plot. */
export function clipped({ left, right, top, bottom }: Clip): SVGSVGElement {
  const [width, height] = [Math.max(0, right - left), Math.max(0, bottom - top)];
  const viewBox = `${left} ${top} ${width} ${height}`;
  return svg("svg", { class: "ice-clip", x: left, y: top, width, height, viewBox });
}

/** Whether the dot of an observed value lies over the axis, or beside it for a missing value; `x` in px of the frame. */
export const isInSight = ({ left, right }: Plot, observed: number, x: number): boolean =>
  Number.isNaN(observed) || (x >= left - 0.5 && x <= right + 0.5);

/** Whether a place is in the strip for missing values, in px of the frame. */
export const isBeside = ({ slot }: Pick<Plot, "slot">, x: number): boolean => slot !== null && x > slot.left - 7;
