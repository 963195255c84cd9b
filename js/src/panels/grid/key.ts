/** What the colours of the lines mean, in all tiles alike. A click on a level hides its lines everywhere. */
import { html } from "../../elements/element.ts";
import { filterBy, levelsLegend, rampLegend } from "../../marks/legend.ts";
import { paletteOf } from "../../plots/plot.ts";
import type { Shelf } from "../../store/curve_queue.ts";
import type { Loaded } from "../../store/store.ts";
import { hasRules } from "../../store/two_sides.ts";
import type { View } from "../../view/view.ts";

/** `range` lies over the ramp. */
export function colorKey(view: View, shelf: Shelf, range: HTMLElement): HTMLElement {
  const { store, aborted } = view;
  const legend = html("div", {
    class: "ice-legend",
    role: "group",
    "aria-label": "Colours",
    "data-test": "grid-legend",
  });
  const show = filterBy(
    legend,
    {
      toggle: (level) => store.toggleLevel(level),
      only: (level) => store.showOnlyLevel(level),
      showAll: () => store.showAllColors(),
    },
    aborted,
  );
  let listed = "";
  const some = (): Loaded | null => {
    for (const { name } of store.ranking.peek()) {
      const shelved = shelf.get(name);
      if (shelved.state === "ready") return shelved.loaded;
    }
    return null;
  };
  view.keep(
    () => ({ version: shelf.version.value, theme: view.theme.value, hidden: store.hiddenLevels.value }),
    ({ theme, hidden }) => {
      const loaded = some();
      const colors = loaded?.colors ?? null;
      const problem = loaded?.colorProblem ?? null;
      legend.hidden = colors === null && problem === null;
      const key = JSON.stringify([colors?.scale ?? null, problem, theme.dark]);
      if (key !== listed) {
        listed = key;
        legend.replaceChildren();
        legend.dataset.split = String(colors !== null && hasRules(colors.scale));
        if (problem !== null) legend.append(html("span", { class: "ice-problem", role: "alert" }, problem));
        if (colors !== null) {
          const palette = paletteOf(colors, theme);
          const { scale } = colors;
          // Rows differ from tile to tile, so what is missing is not counted here.
          legend.append(
            ...(scale.kind === "continuous"
              ? rampLegend(scale, palette, 0, range)
              : levelsLegend(scale, palette, 0, null)),
          );
        }
      }
      show(hidden);
    },
  );
  return legend;
}
