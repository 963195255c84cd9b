/** The names of the models beside their means, where these are farthest apart. */

import { svg } from "../../../elements/element.ts";
import { fitMarks, markLayer } from "../../../elements/layers.ts";
import { cssColor } from "../../../geometry/palette.ts";
import { fitted, labelWidth } from "../../../marks/axis.ts";
import type { Plot } from "../../../plots/plot.ts";
import type { ModelMean } from "../../../plots/scene.ts";
import type { View } from "../../../view/view.ts";
import type { Shown } from "../state/plot_state.ts";

const LINE_HEIGHT = 15;
/** From a mean to the foot of the name above it, and of the name below it. */
const [ABOVE, BELOW] = [-7, 16];
const LONGEST = 160;
/** Room of the colour before a name. */
const SWATCH = 12;

export function modelLabels(view: View, { plot }: Shown): SVGSVGElement {
  const layer = markLayer();
  const { store, theme } = view;
  view.keep(
    () => [plot.value, store.hiddenLevels.value, store.models.value, theme.value.font] as const,
    ([shown, hidden, names, font]) => {
      layer.replaceChildren();
      const models = shown?.scene.models?.filter(({ model }) => !hidden.has(model)) ?? [];
      if (shown === null || models.length === 0) return;
      fitMarks(layer, shown.size);
      const places = placed(shown, models).sort((a, b) => a.model - b.model);
      layer.append(...places.map((place) => labelOf(shown, place, names, `600 ${font}`)));
    },
  );
  return layer;
}

interface Place {
  model: number;
  x: number;
  y: number;
}

/** Names from the highest mean to the lowest: the last below its mean, the others above theirs. */
function placed(shown: Plot, models: readonly ModelMean[]): Place[] {
  const point = farthestApart(shown, models);
  if (point === null) return [];
  const { scene, x, y, top, bottom } = shown;
  const inOrder = models
    .map(({ model, mean }) => ({ model, x: x(scene.x[point]!), y: y(mean[point]!) }))
    .sort((a, b) => a.y - b.y);
  let free = top + LINE_HEIGHT;
  const places = inOrder.map((place, at) => {
    const foot = place.y + (at > 0 && at === inOrder.length - 1 ? BELOW : ABOVE);
    free = Math.max(foot, free) + LINE_HEIGHT;
    return { ...place, y: free - LINE_HEIGHT };
  });
  const beyond = Math.max(0, places.at(-1)!.y - (bottom - 4));
  return places.map((place) => ({ ...place, y: place.y - beyond }));
}

/** The visible point at which the two nearest means are farthest apart; null where none is visible. */
function farthestApart({ scene, y, top, bottom }: Plot, models: readonly ModelMean[]): number | null {
  let [best, most] = [null as number | null, Number.NEGATIVE_INFINITY];
  for (const point of scene.x.keys()) {
    const heights = models.map(({ mean }) => y(mean[point]!)).sort((a, b) => a - b);
    const isVisible = heights.every((height) => height >= top && height <= bottom);
    if (!isVisible) continue;
    const gap = Math.min(...heights.slice(1).map((height, at) => height - heights[at]!));
    if (gap > most) [best, most] = [point, gap];
  }
  return best;
}

function labelOf(
  { palette, left, right }: Plot,
  { model, x, y }: Place,
  names: readonly string[],
  font: string,
): SVGElement {
  const text = fitted(names[model] ?? "", LONGEST, font);
  const width = SWATCH + labelWidth([{ at: 0, label: text }], font);
  const start = Math.max(left + 4, Math.min(x - width / 2, right - width - 4));
  const swatch = svg("rect", { x: start, y: y - 8, width: 8, height: 8 });
  swatch.style.fill = cssColor(palette, model);
  const name = svg("text", { x: start + SWATCH, y }, text);
  return svg("g", { class: "ice-model-label", "data-test": "model-label", "data-model": model }, swatch, name);
}
