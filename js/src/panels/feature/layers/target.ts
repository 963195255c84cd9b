/** The observed target, as hollow points behind the lines: the farther from the lines, the larger the residual. */

import { rowLines } from "../../../plot/models.ts";
import { dotX } from "../../../plot/plot.ts";
import { html } from "../../../ui/element.ts";
import { fitPixels } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";

const RADIUS = 2.5;
const FEW = 200;

export function targetLayer(view: View, { plot, target }: Shown): HTMLCanvasElement {
  const canvas = html("canvas", { class: "ice-layer", "data-test": "target", "aria-hidden": "true" });
  view.keep(
    () => [plot.value, target.value, view.store.hiddenLevels.value, view.theme.value.ink] as const,
    ([shown, observed, hidden, ink]) => {
      const pen = canvas.getContext("2d");
      canvas.hidden = observed === null;
      canvas.dataset.points = "0";
      if (shown === null || observed === null || pen === null) return;
      const { size, scene, order, y } = shown;
      fitPixels(pen, size);
      pen.strokeStyle = ink;
      pen.globalAlpha = Math.max(0.25, 0.6 * Math.min(1, FEW / order.length) ** 0.35);
      let points = 0;
      for (const line of rowLines(shown, hidden)) {
        const x = dotX(shown, line, scene.curves.observed[line]!);
        const at = y(observed[line % observed.length]! - scene.base);
        if (!Number.isFinite(x + at)) continue;
        pen.beginPath();
        pen.arc(x, at, RADIUS, 0, 2 * Math.PI);
        pen.stroke();
        points++;
      }
      canvas.dataset.points = String(points);
    },
  );
  return canvas;
}
