/** What the colours of the lines mean, in all cards alike. A click on a level hides its lines everywhere. */
import { paletteOf } from "../../marks/curves/plot.ts";
import { html } from "../../marks/element.ts";
import { levelsLegend, rampLegend } from "../../marks/legend.ts";
import type { Shelf } from "../../shelf.ts";
import type { Loaded } from "../../store.ts";
import type { View } from "../../view.ts";

export function colorKey(view: View, shelf: Shelf): HTMLElement {
  const { store, aborted } = view;
  const legend = html("div", {
    class: "ice-legend",
    role: "group",
    "aria-label": "Colours",
    "data-test": "grid-legend",
  });
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
        if (problem !== null) legend.append(html("span", { class: "ice-problem", role: "alert" }, problem));
        if (colors !== null) {
          const palette = paletteOf(colors, theme);
          const { scale } = colors;
          // Rows differ from card to card, so what is missing is not counted here.
          legend.append(
            ...(scale.kind === "continuous" ? rampLegend(scale, palette, 0) : levelsLegend(scale, palette, 0)),
          );
        }
      }
      // Only the state changes, so the button that was pressed keeps the focus.
      for (const level of legend.querySelectorAll<HTMLElement>("[data-level]")) {
        level.setAttribute("aria-pressed", String(!hidden.has(Number(level.dataset.level))));
      }
    },
  );
  legend.addEventListener(
    "click",
    (event) => {
      const level = (event.target as Element).closest<HTMLElement>("[data-level]");
      if (level !== null) store.toggleLevel(Number(level.dataset.level));
    },
    { signal: aborted },
  );
  return legend;
}
