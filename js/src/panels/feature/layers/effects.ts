/** ALE, next to the mean of the curves. */

import type { EffectLine } from "../../../plot/effects.ts";
import { haloedPaths, linePath } from "../../../plot/marks/paths.ts";
import type { Plot } from "../../../plot/plot.ts";
import { svg } from "../../../ui/element.ts";
import { fitMarks, markLayer } from "../../../ui/layers.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";

/** On levels: distance from the mean, as a share of a level's room, and half the size of a mark, in px. */
const ASIDE = -0.2;
const REACH = 5;

/** The rims, under the mean, and the lines, over it: where they coincide, all are visible. */
export function effectsLayers(view: View, { plot, effects }: Shown): { rims: SVGSVGElement; lines: SVGSVGElement } {
  const layers = { rims: markLayer(), lines: markLayer() };
  view.keep(
    () => [plot.value, effects.value] as const,
    ([shown, known]) => {
      for (const layer of Object.values(layers)) layer.replaceChildren();
      if (shown === null || known.length === 0) return;
      const marks = known.map((line) => marksOf(shown, line));
      for (const name of ["rims", "lines"] as const) {
        fitMarks(layers[name], shown.size);
        layers[name].append(...marks.flatMap((mark) => mark[name]));
      }
    },
  );
  return layers;
}

function marksOf(shown: Plot, { name, x, values }: EffectLine): { rims: SVGElement[]; lines: SVGElement[] } {
  const attributes = { class: `ice-effect ice-effect-${name}`, "data-test": `effect-${name}` };
  const px = x.map((value) => shown.x(value));
  const height = (point: number) => shown.y(values[point]!);
  if (!shown.scene.onLevels) {
    const [rim, stroke] = haloedPaths(linePath(px, height));
    return { rims: [rim!], lines: [svg("g", attributes, stroke!)] };
  }
  const room = shown.x(1) - shown.x(0);
  const reach = Math.min(REACH, Math.max(2.5, room / 8));
  const signs = Array.from(px, (at, point) => {
    const [cx, cy] = [at + ASIDE * room, height(point)];
    return svg("path", { class: "ice-effect-sign", d: Number.isFinite(cy) ? rhombus(cx, cy, reach) : "" });
  });
  return { rims: [], lines: [svg("g", attributes, ...signs)] };
}

const rhombus = (x: number, y: number, r: number) => `M${x},${y - r}l${r},${r}l${-r},${r}l${-r},${-r}Z`;
