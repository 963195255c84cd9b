/** What the marks and the colours of the lines mean. A click on a level hides its lines, another shows them. */
import type { ReadonlySignal } from "@preact/signals-core";
import { html, setText } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import { cssColor } from "../../geometry/palette.ts";
import { filterBy, levelsLegend, rampLegend } from "../../marks/legend.ts";
import { hasRules } from "../../store/two_sides.ts";
import type { View } from "../../view/view.ts";
import { explanation, type Term } from "../../words/glossary.ts";
import { count } from "../../words/numbers.ts";
import type { Groups } from "./layers/groups.ts";
import { rampRange } from "./ramp.ts";
import type { Shown } from "./state/plot_state.ts";
import { densityKey } from "./view_notes.ts";

function keyItem(mark: string, term: Term): HTMLElement {
  const meaning = explanation(term);
  const words = explained(html("span", {}, meaning.name), meaning);
  return html("span", { class: "ice-key-item" }, html("i", { class: `ice-key-${mark}` }), words);
}

export function marksKey(view: View, shown: Shown, groups: ReadonlySignal<Groups | null>): HTMLElement {
  const { plot, target, dense } = shown;
  const item = keyItem("selected", "selected");
  const selected = html("span", { "data-test": "selected-count" });
  item.append(selected);
  const selectedMean = keyItem("selected-mean", "selected_mean");
  view.keep(
    () => ({ n: view.store.selection.value.length, isColored: (shown.loaded.value?.colors ?? null) !== null }),
    ({ n, isColored }) => {
      item.hidden = n === 0;
      selectedMean.hidden = n < 2;
      item.classList.toggle("ice-key-colored", isColored);
      setText(selected, `(${count(n)})`);
    },
  );
  const curve = keyItem("curve", "curve");
  const own = keyItem("dot", "observed_value");
  own.classList.add("ice-key-of-large");
  const observed = keyItem("target", "target");
  view.keep(
    () => ({ hasTarget: target.value !== null, isDense: dense.value, name: view.store.targetName.value }),
    ({ hasTarget, isDense, name }) => {
      setText(observed.querySelector("span")!, name);
      own.hidden = curve.hidden = isDense;
      observed.hidden = !hasTarget;
    },
  );
  const mean = keyItem("mean", "partial_dependence");
  mean.dataset.test = "key-mean";
  // It keeps its room where all values count alike, so that the key does not wrap while the slider moves.
  const unweighted = html("span", { class: "ice-key-unweighted" }, ", unweighted");
  mean.append(unweighted);
  view.keep(
    () => ({ scene: plot.value?.scene, isWeighted: view.store.decay.value < 1 }),
    ({ scene, isWeighted }) => {
      if (scene === undefined) return;
      const { kind, onLevels, hasQuantileBand } = scene;
      mean.querySelector("i")!.className = onLevels ? "ice-key-mean-level" : "ice-key-mean";
      const term = hasQuantileBand ? "partial_dependence_of_probabilities" : "partial_dependence";
      const meaning = explanation(term, onLevels ? "levels" : kind);
      const text = mean.querySelector("span")!;
      setText(text, meaning.name);
      unweighted.style.visibility = isWeighted ? "visible" : "hidden";
      explained(text, meaning);
    },
  );
  const group = keyItem("group", "group_mean");
  group.dataset.test = "key-group";
  group.classList.add("ice-key-of-large");
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
  const items = [mean, curve, group, own, observed, densityKey(view, shown), item, selectedMean];
  return html("p", { class: "ice-key" }, ...items);
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
      legend.dataset.split = String(hasRules(scale));
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
