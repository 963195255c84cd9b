/** What the marks and the colours of the lines mean. A click on a level hides its lines, another shows them. */
import type { ReadonlySignal } from "@preact/signals-core";
import { count } from "../../format.ts";
import { cssColor } from "../../geometry/palette.ts";
import { html, setText } from "../../marks/element.ts";
import { filterBy, levelsLegend, rampLegend } from "../../marks/legend.ts";
import { isSplit } from "../../split.ts";
import type { View } from "../../view.ts";
import type { Groups } from "./groups.ts";
import { rampRange } from "./ramp.ts";
import type { Shown } from "./shown.ts";
import { densityKey } from "./view_notes.ts";

function keyItem(mark: string, text: string): HTMLElement {
  return html("span", { class: "ice-key-item" }, html("i", { class: `ice-key-${mark}` }), text);
}

export function marksKey(view: View, shown: Shown, groups: ReadonlySignal<Groups | null>): HTMLElement {
  const { plot, target, dense } = shown;
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
  const own = keyItem("dot", "own value");
  const observed = keyItem("target", "observed target");
  view.keep(
    () => ({ hasTarget: target.value !== null, isDense: dense.value }),
    ({ hasTarget, isDense }) => {
      own.hidden = isDense;
      observed.hidden = !hasTarget;
    },
  );
  const mean = html("i", { class: "ice-key-mean" });
  view.keep(
    () => plot.value?.scene.onLevels ?? false,
    (onLevels) => {
      mean.className = onLevels ? "ice-key-mean-level" : "ice-key-mean";
    },
  );
  const group = keyItem("group", "mean of a colour");
  group.dataset.test = "key-group";
  view.keep(
    () => ({ n: groups.value?.means.length ?? 0, palette: plot.value?.palette }),
    (known) => {
      group.hidden = known.n === 0;
      if (known.n === 0 || known.palette === undefined) return;
      const [one, other] = [0, known.n - 1].map((level) => cssColor(known.palette!, level));
      const mark = group.querySelector<HTMLElement>(".ice-key-group")!;
      mark.style.background = `linear-gradient(to right, ${one} 50%, ${other} 50%)`;
    },
  );
  return html(
    "p",
    { class: "ice-key" },
    html("span", { class: "ice-key-item" }, mean, "partial dependence ± 1 SD"),
    group,
    own,
    observed,
    densityKey(view, shown),
    item,
  );
}

export function colorLegend(view: View, { loaded, plot }: Shown, groups: ReadonlySignal<Groups | null>): HTMLElement {
  const { store, aborted } = view;
  const range = rampRange(view, loaded);
  const legend = html("div", { class: "ice-legend", role: "group", "aria-label": "Colours", "data-test": "legend" });
  const show = filterBy(
    legend,
    {
      toggle: (level) => store.toggleLevel(level),
      only: (level) => store.showOnlyLevel(level),
      showAll: () => store.showAllColors(),
    },
    aborted,
  );

  view.keep(
    () => ({ loaded: loaded.value, palette: plot.value?.palette ?? null, groups: groups.value }),
    ({ loaded: shown, palette, groups: known }) => {
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
      const drawn = known?.means.map(({ n }) => n) ?? [];
      legend.dataset.split = String(isSplit(scale));
      const items =
        scale.kind === "continuous"
          ? rampLegend(scale, palette, nMissing, range)
          : levelsLegend(scale, palette, nMissing, drawn);
      legend.append(...items);
    },
  );
  view.keep(
    () => ({ hidden: store.hiddenLevels.value, loaded: loaded.value, palette: plot.value?.palette }),
    ({ hidden }) => {
      show(hidden);
    },
  );
  return legend;
}
