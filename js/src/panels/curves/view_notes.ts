/** Notes on the current view: curves beyond the axis, shades of the density. */

import { html, setText, svg } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import { fitMarks, markLayer } from "../../elements/layers.ts";
import { listen } from "../../elements/lifetime.ts";
import { pushButton } from "../../elements/push_button.ts";
import { cssColor } from "../../geometry/palette.ts";
import type { ValueRange } from "../../plots/value_range.ts";
import type { View } from "../../view/view.ts";
import { explanation } from "../../words/glossary.ts";
import { count, number, plural } from "../../words/numbers.ts";
import type { Shown } from "./state/plot_state.ts";

const FULL = "Full range";

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

/** Remark on curves beyond the axis, with a button for the full range, or back to the default range. */
export function rangeRemark({ store, aborted, keep }: View, { plot, range }: Shown): HTMLElement {
  const text = html("span", { role: "status" });
  const button = pushButton({ class: "ice-link", "data-test": "full-range" }, FULL);
  const remark = html("p", { class: "ice-range-remark", "data-test": "range-remark", hidden: true }, text, " ", button);
  listen(button, aborted, {
    click: () => store.remembered.choose("full_slopes", !store.remembered.of("full_slopes").peek()),
  });
  keep(
    () => [range.value, plot.value] as const,
    ([of, shown]) => {
      remark.hidden = of === null || shown === null || of.cut === "no";
      if (of === null || shown === null || remark.hidden) return;
      const { curves, extent } = shown.scene;
      const cut = leavingText(of, extent, curves.nLines);
      setText(text, of.cut === "yes" ? cut : "The axis shows all slopes.");
      setText(button, of.cut === "yes" ? FULL : "Default range");
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
      if (shown === null || of?.cut !== "yes") return;
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

/** The scale of the shades of the density. */
export function densityKey({ keep }: View, { plot, peak }: Shown): HTMLElement {
  const ramp = html("i", { class: "ice-density-ramp" });
  const most = html("span");
  const key = html("span", { class: "ice-key-item", "data-test": "density-key" }, "1 curve", ramp, most);
  keep(
    () => [plot.value, peak.value] as const,
    ([shown, share]) => {
      key.hidden = shown === null || share === null;
      if (shown === null || share === null) return;
      const isPlain = shown.palette.kind === "levels" && shown.palette.colors.length === 3;
      const color = isPlain ? cssColor(shown.palette, 0) : "var(--ice-muted)";
      ramp.style.background = `linear-gradient(to right, color-mix(in srgb, ${color} 10%, transparent), ${color})`;
      setText(most, `${Number((100 * share).toPrecision(2))} % of the curves`);
      explained(most, explanation("density"));
    },
  );
  return key;
}
