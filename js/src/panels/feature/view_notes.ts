/** Notes on the current view: how many curves extend beyond the axis. */

import type { ValueRange } from "../../plot/value_range.ts";
import { count, number, plural } from "../../text/numbers.ts";
import { html, setText, svg } from "../../ui/element.ts";
import { fitMarks, markLayer } from "../../ui/layers.ts";
import type { View } from "../../view/view.ts";
import type { Shown } from "./state/plot_state.ts";

/** Number of curves that extend beyond each end of the axis, and their largest values. */
export function leavingText({ above, below }: ValueRange, [low, high]: [number, number], nLines: number): string {
  const sides = [
    { n: above, side: "above", end: `up to ${number(high)}` },
    { n: below, side: "below", end: `down to ${number(low)}` },
  ].filter(({ n }) => n > 0);
  const parts = sides.map(({ n, side, end }, at) =>
    at === 0
      ? `${count(n)} of ${plural(nLines, "curve")} ${n === 1 ? "extends" : "extend"} ${side} the axis (${end})`
      : `${count(n)} ${side} (${end})`,
  );
  return `${parts.join(", ")}.`;
}

/** Remark on curves beyond the axis. */
export function rangeRemark({ keep }: View, { plot, range }: Shown): HTMLElement {
  const attributes = { class: "ice-range-remark", "data-test": "range-remark", role: "status", hidden: true };
  const remark = html("p", attributes);
  keep(
    () => [range.value, plot.value] as const,
    ([of, shown]) => {
      remark.hidden = of === null || shown === null || !of.isCut;
      if (of === null || shown === null || remark.hidden) return;
      const { curves, extent } = shown.scene;
      setText(remark, leavingText(of, extent, curves.n_lines));
    },
  );
  return remark;
}

/** Arrows at the edge where lines leave the plot. */
export function edgeMarks({ keep }: View, { plot, range }: Shown): SVGSVGElement {
  const layer = markLayer();
  keep(
    () => [plot.value, range.value] as const,
    ([shown, of]) => {
      layer.replaceChildren();
      if (shown === null || of === null || !of.isCut) return;
      const { scene, size, x, top, bottom } = shown;
      fitMarks(layer, size);
      const places = { up: new Set<number>(), down: new Set<number>() };
      const nPoints = scene.x.length;
      for (let point = 0; point < nPoints; point += 2) {
        const at = 6 * Math.round((x(scene.x[point]!) + x(scene.x[point + 1]!)) / 12);
        for (let z = point; z < scene.values.length; z += nPoints) {
          if (scene.values[z]! > of.high) places.up.add(at);
          if (scene.values[z]! < of.low) places.down.add(at);
        }
      }
      const arrow = (at: number, tip: number, base: number) => `M${at - 3},${base}L${at},${tip}L${at + 3},${base}Z`;
      const d = [
        ...Array.from(places.up, (at) => arrow(at, top - 6, top - 1)),
        ...Array.from(places.down, (at) => arrow(at, bottom + 5, bottom)),
      ].join("");
      layer.append(svg("path", { class: "ice-edge-marks", d, "data-test": "edge-marks" }));
    },
  );
  return layer;
}
