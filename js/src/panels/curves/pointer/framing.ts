/** Drags that zoom to a frame, or pan. */

import { html } from "../../../elements/element.ts";
import type { Drag, Point, Press } from "../../../gestures/gestures.ts";
import type { Plot } from "../../../plots/plot.ts";
import { type Window, windowOf, type Zoom } from "../state/zoom.ts";

/** A frame thinner than this, in px, zooms the other axis alone. */
const THIN = 10;

/** Pans; a drag on an axis moves that axis alone. */
export function panDrag(zoom: Zoom, { plot, at, region }: Press): Drag {
  const from = windowOf(plot);
  const { left, right, top, bottom } = plot;
  const step = (to: Point): void => {
    const along = region === "y" || region === "beside" ? 0 : (at.x - to.x) / (right - left);
    const up = region === "x" ? 0 : (to.y - at.y) / (bottom - top);
    zoom.move(plot, from, along, up);
  };
  return { move: step, end: () => {}, cancel: () => step(at) };
}

/** Draws a frame and zooms to it on release. */
export function frameDrag(frame: HTMLElement, zoom: Zoom, { plot, at, region }: Press): Drag {
  const box = html("div", { class: "ice-zoom-frame", "data-test": "zoom-frame" });
  frame.append(box);
  let to = at;
  const ends = (): Ends => endsOf(plot, at, to, region);
  return {
    move(next) {
      to = next;
      const { left, right, top, bottom } = ends();
      Object.assign(box.style, {
        left: `${left}px`,
        top: `${top}px`,
        width: `${right - left}px`,
        height: `${bottom - top}px`,
      });
    },
    end() {
      box.remove();
      zoom.show(plot, windowWithin(plot, ends()));
    },
    cancel: () => box.remove(),
  };
}

interface Ends {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function endsOf(plot: Plot, from: Point, to: Point, region: Press["region"]): Ends {
  const { left, right, top, bottom, scene } = plot;
  const between = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
  const [x0, x1] = [from.x, to.x].map((x) => between(x, left, right)).sort((a, b) => a - b) as [number, number];
  const [y0, y1] = [from.y, to.y].map((y) => between(y, top, bottom)).sort((a, b) => a - b) as [number, number];
  const isThin = x1 - x0 < THIN && y1 - y0 >= THIN;
  const wholeX = scene.onLevels || region === "y" || region === "beside" || isThin;
  const wholeY = region === "x" || (!wholeX && y1 - y0 < THIN);
  return {
    left: wholeX ? left : x0,
    right: wholeX ? right : x1,
    top: wholeY ? top : y0,
    bottom: wholeY ? bottom : y1,
  };
}

function windowWithin({ x, y, scene: { base } }: Plot, { left, right, top, bottom }: Ends): Window {
  return { x: [x.invert(left), x.invert(right)], y: [y.invert(bottom) + base, y.invert(top) + base] };
}
