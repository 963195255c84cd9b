/** The legend of the colours of all tiles: a click on a level hides its curves in all of them. */
import { ifChanged } from "../../elements/changed.ts";
import { html } from "../../elements/element.ts";
import { filterBy, levelsLegend, rampLegend } from "../../marks/legend.ts";
import { paletteOf } from "../../plots/plot.ts";
import type { Shelf } from "../../store/curve_queue.ts";
import type { Loaded, Store } from "../../store/store.ts";
import { hasRules } from "../../store/two_sides.ts";
import type { Theme } from "../../view/theme.ts";
import type { View } from "../../view/view.ts";
import type { ColorScale } from "../../wire/protocol.ts";

export function colorKey(view: View, shelf: Shelf): HTMLElement {
  const { store, aborted } = view;
  const attributes = { class: "ice-legend", role: "group", "aria-label": "Colours", "data-test": "grid-legend" };
  const legend = html("div", attributes);
  const show = filterBy(
    legend,
    {
      toggle: (level) => store.toggleLevel(level),
      only: (level) => store.showOnlyLevel(level),
      showAll: () => store.showAllColors(),
    },
    aborted,
  );
  let palette = paletteOf(null, view.theme.peek());
  const draw = ifChanged(({ scale, problem }: Key) => {
    legend.dataset.split = String(scale !== null && hasRules(scale));
    legend.replaceChildren(
      ...(problem === null ? [] : [html("span", { class: "ice-problem", role: "alert" }, problem)]),
      // Rows differ from tile to tile, so missing values are not counted here.
      ...(scale === null
        ? []
        : scale.kind === "continuous"
          ? rampLegend(scale, palette, 0)
          : levelsLegend(scale, palette, 0, null)),
    );
  });
  view.keep(
    () => [view.theme.value, store.hiddenLevels.value, shelf.version.value] as const,
    ([theme, hidden]) => {
      const { colors = null, colorProblem: problem = null } = firstLoaded(store, shelf) ?? {};
      palette = paletteOf(colors, theme);
      legend.hidden = colors === null && problem === null;
      draw({ scale: colors?.scale ?? null, problem, dark: theme.dark });
      show(hidden);
    },
  );
  return legend;
}

/** The state that the legend is drawn by. */
interface Key extends Pick<Theme, "dark"> {
  scale: ColorScale | null;
  problem: string | null;
}

/** The curves of the first feature in the ranking that has some. */
function firstLoaded({ ranking }: Store, shelf: Shelf): Loaded | null {
  for (const { name } of ranking.peek()) {
    const shelved = shelf.get(name);
    if (shelved.state === "ready") return shelved.loaded;
  }
  return null;
}
