/** Moves floating elements to their place. */
import type { Box } from "../plot/geometry/pick.ts";
import type { Extent, Place } from "./placing.ts";

/** The visible part of the explorer: inside of the window and of all ancestors that scroll, such as a notebook. */
function roomIn(root: HTMLElement): Box {
  const { clientWidth, clientHeight } = document.documentElement;
  const room = { left: 0, right: clientWidth, top: 0, bottom: clientHeight };
  for (let node: Element | null = root; node !== null && node !== document.body; node = parentOf(node)) {
    if (node !== root && getComputedStyle(node).overflow === "visible") continue;
    const { left, right, top, bottom } = node.getBoundingClientRect();
    room.left = Math.max(room.left, left);
    room.right = Math.min(room.right, right);
    room.top = Math.max(room.top, top);
    room.bottom = Math.min(room.bottom, bottom);
  }
  return room;
}

const parentOf = (node: Element): Element | null =>
  node.parentElement ?? (node.getRootNode() as Partial<ShadowRoot>).host ?? null;

/** Moves a node to the place that `where` returns in px of the window, whatever its offset parent is. */
export function moveBeside(
  node: HTMLElement,
  anchor: Box,
  root: HTMLElement,
  where: (anchor: Box, size: Extent, room: Box) => Place,
): void {
  const parent = node.offsetParent ?? root;
  const { left, top } = parent.getBoundingClientRect();
  const room = roomIn(root);
  node.style.setProperty("--ice-room", `${room.right - room.left}px`);
  const { x, y } = where(anchor, { width: node.offsetWidth, height: node.offsetHeight }, room);
  const [right, down] = [x - left - parent.clientLeft, y - top - parent.clientTop].map(Math.round);
  node.style.transform = `translate(${right}px, ${down}px)`;
}

/** How the page scrolls to a part: at once if the user prefers reduced motion. */
export const scrollBehavior = (): ScrollBehavior =>
  matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
