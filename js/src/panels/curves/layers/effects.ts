/** ALE and M-plot, next to the mean of the curves. */
import { svg } from "../../../elements/element.ts";
import { fitMarks, markLayer } from "../../../elements/layers.ts";
import { haloed, linePath } from "../../../marks/paths.ts";
import type { EffectLine } from "../../../plots/effects.ts";
import type { Plot } from "../../../plots/plot.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";
import { clipOf, clipped } from "../state/zoomed_plot.ts";

/** On levels: distance from the mean, as a share of a level's room, and half the size of a mark, in px. */
const ASIDE = { ale: -0.2, m_plot: 0.2 } as const;
const REACH = 5;

export function effectsLayer(view: View, { plot, effects }: Shown): SVGSVGElement {
  const layer = markLayer();
  view.keep(
    () => [plot.value, effects.value] as const,
    ([shown, lines]) => {
      layer.replaceChildren();
      if (shown === null || lines.length === 0) return;
      fitMarks(layer, shown.size);
      const within = clipped(clipOf(shown));
      within.append(...lines.map((line) => markOf(shown, line)));
      layer.append(within);
    },
  );
  return layer;
}

function markOf(shown: Plot, { name, x, values }: EffectLine): SVGElement {
  const attributes = { "data-test": `effect-${name}` };
  const className = `ice-effect ice-effect-${name.replace("_", "-")}`;
  const px = x.map((value) => shown.x(value));
  const height = (point: number) => shown.y(values[point]!);
  if (!shown.scene.onLevels) return haloed(linePath(px, height), className, attributes);
  const room = shown.x(1) - shown.x(0);
  const reach = Math.min(REACH, Math.max(2.5, room / 8));
  const marks = Array.from(px, (at, point) => {
    const [cx, cy] = [at + ASIDE[name] * room, height(point)];
    return svg("path", { d: Number.isFinite(cy) ? SIGNS[name](cx, cy, reach) : "" });
  });
  return svg("g", { class: `${className} ice-effect-level`, ...attributes }, ...marks);
}

const SIGNS = {
  ale: (x: number, y: number, r: number) => `M${x},${y - r}l${r},${r}l${-r},${r}l${-r},${-r}Z`,
  m_plot: (x: number, y: number, r: number) => `M${x},${y - r}l${r},${1.75 * r}h${-2 * r}Z`,
} as const;
