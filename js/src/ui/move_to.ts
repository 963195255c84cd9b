/** Moves floating elements to their place. */
import type { Box } from "../plot/geometry/pick.ts";
import type { Extent, Place } from "./placing.ts";

/** The visible part of the explorer. */
function roomIn(root: HTMLElement): Box {
  const { left, right, top, bottom } = root.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  return {
    left: Math.max(0, left),
    right: Math.min(clientWidth, right),
    top: Math.max(0, top),
    bottom: Math.min(clientHeight, bottom),
  };
}

/** Moves a node to the place that `where` returns in px of the window, whatever its offset parent is. */
export function moveBeside(
  node: HTMLElement,
  anchor: Box,
  root: HTMLElement,
  where: (anchor: Box, size: Extent, room: Box) => Place,
): void {
  const parent = node.offsetParent ?? root;
  const { left, top } = parent.getBoundingClientRect();
  const { x, y } = where(anchor, { width: node.offsetWidth, height: node.offsetHeight }, roomIn(root));
  const [right, down] = [x - left - parent.clientLeft, y - top - parent.clientTop].map(Math.round);
  node.style.transform = `translate(${right}px, ${down}px)`;
}

/** How the page scrolls to a part: at once if the user prefers reduced motion. */
export const scrollBehavior = (): ScrollBehavior =>
  matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
