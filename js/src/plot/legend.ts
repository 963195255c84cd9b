/** The legend of the colours of curves: a click on a level hides its curves. */

import { hasRules } from "../state/two_sides.ts";
import { ifChanged } from "../ui/changed.ts";
import { html } from "../ui/element.ts";
import type { View } from "../view/view.ts";
import type { ColorScale, ColorsBody } from "../wire/protocol.ts";
import { filterBy, levelsLegend, rampLegend } from "./marks/legend.ts";
import { paletteOf } from "./plot.ts";

/** What a legend shows: colours, or why there are none; and how many curves of each level are drawn, where that is one number. */
export interface LegendState {
  colors: ColorsBody | null;
  problem: string | null;
  /** Curves that lack the value; 0 in plots of different rows. */
  nMissing: number;
  drawn: number[] | null;
}

/** What the parts of a legend are made from. */
interface Key extends Omit<LegendState, "colors"> {
  scale: ColorScale | null;
  dark: boolean;
}

export function colorLegend(view: View, name: string, read: () => LegendState): HTMLElement {
  const { store, theme, aborted } = view;
  const attributes = { class: "ice-legend", role: "group", "aria-label": "Colours", "data-test": name };
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
  let palette = paletteOf(null, theme.peek());
  const draw = ifChanged(({ scale, problem, nMissing, drawn }: Key) => {
    legend.dataset.column = scale?.column ?? "";
    legend.dataset.split = String(scale !== null && hasRules(scale));
    const alert = { class: "ice-problem", role: "alert", "data-test": "color-problem" };
    legend.replaceChildren(
      ...(problem === null ? [] : [html("span", alert, problem)]),
      ...(scale === null
        ? []
        : scale.kind === "continuous"
          ? rampLegend(scale, palette, nMissing)
          : levelsLegend(scale, palette, nMissing, drawn)),
    );
  });
  view.keep(
    () => [read(), theme.value, store.hiddenLevels.value] as const,
    ([{ colors, ...state }, shade, hidden]) => {
      palette = paletteOf(colors, shade);
      legend.hidden = colors === null && state.problem === null;
      draw({ ...state, scale: colors?.scale ?? null, dark: shade.dark });
      show(hidden);
    },
  );
  return legend;
}
