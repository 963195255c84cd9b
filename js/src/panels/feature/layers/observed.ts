/** The observed value of the row whose card is open, on the axis. */

import { dotX, type Plot } from "../../../plot/plot.ts";
import type { Pins } from "../../../state/pins.ts";
import { svg } from "../../../ui/element.ts";
import { fitMarks, markLayer } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import { isInSight } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";

interface Observed {
  line: number;
  /** Position of the row's dot, in px of the frame. */
  x: number;
  y: number;
  isMissing: boolean;
  isVisible: boolean;
}

/** Where the observed value of a row is; null where its curve is not drawn. */
function observedOf(plot: Plot, position: number): Observed | null {
  const { scene } = plot;
  const line = scene.curves.positions.indexOf(position);
  if (line === -1) return null;
  const value = scene.curves.observed[line]!;
  const isMissing = Number.isNaN(value);
  const [x, y] = [dotX(plot, line, value), plot.y(scene.own[line]!)];
  const isVisible = Number.isFinite(x + y) && isInSight(plot, value, x) && y >= 0 && y <= plot.bottom;
  return { line, x, y, isMissing, isVisible };
}

/** The row's dot, a line from it to the axis, and the value there. */
export function observedLayer(view: View, { plot }: Shown, pins: Pins): SVGSVGElement {
  const layer = markLayer();
  view.keep(
    () => [plot.value, pins.opened.value] as const,
    ([shown, row]) => {
      layer.replaceChildren();
      const observed = shown === null || row === null ? null : observedOf(shown, row);
      if (shown === null || observed === null || !observed.isVisible) return;
      fitMarks(layer, shown.size);
      const { x, y, line } = observed;
      const text = observed.isMissing ? "" : shown.write(shown.scene.curves.observed[line]!);
      const right = x > (shown.left + shown.right) / 2;
      const attributes = { x: x + (right ? -6 : 6), y: shown.axis - 6, "text-anchor": right ? "end" : "start" };
      const mark = svg(
        "g",
        { class: "ice-own-value", "data-test": "own-value", "data-row": row },
        svg("line", { x1: x, x2: x, y1: y, y2: shown.axis }),
        svg("circle", { cx: x, cy: y, r: 6.5 }),
        svg("text", attributes, text),
      );
      layer.append(mark);
    },
  );
  return layer;
}
