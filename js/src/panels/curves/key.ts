/** What the marks and the colours of the lines mean. A click on a level hides its lines, another shows them. */
import { count } from "../../format.ts";
import { html, setText } from "../../marks/element.ts";
import { levelsLegend, rampLegend } from "../../marks/legend.ts";
import type { View } from "../../view.ts";
import type { Shown } from "./shown.ts";

function keyItem(mark: string, text: string): HTMLElement {
  return html("span", { class: "ice-key-item" }, html("i", { class: `ice-key-${mark}` }), text);
}

export function marksKey(view: View, { plot }: Shown): HTMLElement {
  const selected = html("span", { "data-test": "selected-count" });
  const item = keyItem("selected", "");
  item.append(selected);
  view.keep(
    () => view.store.selection.value.length,
    (n) => {
      item.hidden = n === 0;
      setText(selected, `selected (${count(n)})`);
    },
  );
  const mean = html("i", { class: "ice-key-mean" });
  view.keep(
    () => plot.value?.scene.onLevels ?? false,
    (onLevels) => {
      mean.className = onLevels ? "ice-key-mean-level" : "ice-key-mean";
    },
  );
  return html(
    "p",
    { class: "ice-key" },
    html("span", { class: "ice-key-item" }, mean, "partial dependence ± 1 SD"),
    keyItem("dot", "own value"),
    item,
  );
}

export function colorLegend(view: View, { loaded, plot }: Shown): HTMLElement {
  const { store, aborted } = view;
  const legend = html("div", { class: "ice-legend", role: "group", "aria-label": "Colours", "data-test": "legend" });

  view.keep(
    () => ({ loaded: loaded.value, palette: plot.value?.palette ?? null }),
    ({ loaded: shown, palette }) => {
      const colors = shown?.colors ?? null;
      const problem = shown?.colorProblem ?? null;
      legend.hidden = colors === null && problem === null;
      legend.replaceChildren();
      legend.dataset.column = colors?.scale.column ?? "";
      if (problem !== null) {
        legend.append(html("span", { class: "ice-problem", role: "alert", "data-test": "color-problem" }, problem));
      }
      if (colors === null || palette === null) return;
      const { scale, values } = colors;
      const nMissing = values.reduce((sum, value) => sum + Number(Number.isNaN(value)), 0);
      const items =
        scale.kind === "continuous" ? rampLegend(scale, palette, nMissing) : levelsLegend(scale, palette, nMissing);
      legend.append(...items);
    },
  );
  // Only the state changes, so the button that was pressed keeps the focus.
  view.keep(
    () => ({ hidden: store.hiddenLevels.value, loaded: loaded.value, palette: plot.value?.palette }),
    ({ hidden }) => {
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
