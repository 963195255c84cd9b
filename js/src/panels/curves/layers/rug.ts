/** A tick under the plot for the observed value of each drawn row; ticks of pinned rows are emphasised. */

import { svg } from "../../../elements/element.ts";
import { fitMarks, markLayer } from "../../../elements/layers.ts";
import { rowLines } from "../../../plots/models.ts";
import { dotX, type Plot } from "../../../plots/plot.ts";
import type { View } from "../../../view/view.ts";
import { isInSight } from "../state/clip.ts";
import type { Shown } from "../state/plot_state.ts";

/** Position of the tick of a line; NaN beyond the ends of the axis. */
function tickX(plot: Plot, line: number): number {
  const value = plot.scene.curves.observed[line]!;
  const at = dotX(plot, line, value);
  return isInSight(plot, value, at) ? at : Number.NaN;
}

export function rugLayer(view: View, { plot }: Shown): SVGSVGElement {
  const { store } = view;
  const layer = markLayer();
  const rows = svg("g");
  const singled = svg("g");
  layer.append(rows, singled);
  const ticks = ({ slopesEnd, rug }: Plot, places: Iterable<number>, name: string): SVGPathElement => {
    const d = Array.from(places, (at) => `M${Number(at.toFixed(1))},${slopesEnd + 2}v${rug - 3}`).join("");
    return svg("path", { class: name, d, "data-test": name.replace("ice-", "") });
  };
  view.keep(
    () => [plot.value, store.hiddenLevels.value] as const,
    ([shown, hidden]) => {
      rows.replaceChildren();
      if (shown === null || shown.rug === 0) return;
      fitMarks(layer, shown.size);
      const places = Array.from(rowLines(shown, hidden), (line) => tickX(shown, line)).filter(Number.isFinite);
      rows.append(ticks(shown, places, "ice-rug"));
    },
  );
  view.keep(
    () => [plot.value, store.hover.value, store.selection.value] as const,
    ([shown, hover, selection]) => {
      singled.replaceChildren();
      if (shown === null || shown.rug === 0) return;
      const { curves } = shown.scene;
      const at = (line: number) => tickX(shown, line);
      const selected = selection.map((row) => curves.positions.indexOf(row)).filter((line) => line !== -1);
      const places = selected.map(at).filter(Number.isFinite);
      if (places.length > 0) singled.append(ticks(shown, places, "ice-rug-selected"));
      if (hover !== null && hover < curves.n_lines && Number.isFinite(at(hover)))
        singled.append(ticks(shown, [at(hover)], "ice-rug-hovered"));
    },
  );
  return layer;
}
