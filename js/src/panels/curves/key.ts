/** The key of the marks, and the legend of the colours: a click on a level hides its curves, another shows them. */
import type { ReadonlySignal } from "@preact/signals-core";
import { html, setText } from "../../elements/element.ts";
import { explained } from "../../elements/explained.ts";
import { cssColor } from "../../geometry/palette.ts";
import { filterBy, levelsLegend, rampLegend } from "../../marks/legend.ts";
import { EFFECTS, type EffectName } from "../../plots/effects.ts";
import { hasRules } from "../../store/two_sides.ts";
import type { View } from "../../view/view.ts";
import { explanation, type Term } from "../../words/glossary.ts";
import { count } from "../../words/numbers.ts";
import type { Groups } from "./layers/groups.ts";
import type { Shown } from "./state/plot_state.ts";

/** A mark and its name, with an explanation. */
function keyItem(mark: string, term: Term): { item: HTMLElement; mark: HTMLElement; name: HTMLElement } {
  const meaning = explanation(term);
  const [sign, name] = [html("i", { class: `ice-key-${mark}` }), explained(html("span", {}, meaning.name), meaning)];
  return { item: html("span", { class: "ice-key-item" }, sign, name), mark: sign, name };
}

export function marksKey(view: View, shown: Shown, groups: ReadonlySignal<Groups | null>): HTMLElement {
  const { item: curve, name: curveName } = keyItem("curve", "curve");
  const { item: dot } = keyItem("dot", "observed_value");
  dot.classList.add("ice-key-of-large");
  const target = keyItem("target", "target");
  view.keep(
    () => [shown.target.value, view.store.targetName.value] as const,
    ([observed, name]) => {
      setText(target.name, name);
      target.item.hidden = observed === null;
    },
  );
  view.keep(
    () => shown.fadedWhere.value !== null,
    (isFadedThere) => explained(curveName, explanation("curve", ...(isFadedThere ? ["unlike"] : []))),
  );
  const [mean, group] = [meanItem(view, shown), groupItem(view, shown, groups)];
  const items = [
    mean,
    ...EFFECTS.map((name) => effectItem(view, shown, name)),
    curve,
    group,
    dot,
    target.item,
    ...selectedItems(view, shown),
  ];
  return html("p", { class: "ice-key" }, ...items);
}

/** The selected curves and their mean. */
function selectedItems({ store, keep }: View, { loaded }: Shown): HTMLElement[] {
  const { item } = keyItem("selected", "selected");
  const counted = html("span", { "data-test": "selected-count" });
  item.append(counted);
  const { item: mean } = keyItem("selected-mean", "selected_mean");
  keep(
    () => [store.selection.value.length, (loaded.value?.colors ?? null) !== null] as const,
    ([n, isColored]) => {
      item.hidden = n === 0;
      mean.hidden = n < 2;
      item.classList.toggle("ice-key-colored", isColored);
      setText(counted, `(${count(n)})`);
    },
  );
  return [item, mean];
}

function meanItem({ store, keep }: View, { plot }: Shown): HTMLElement {
  const { item, mark, name } = keyItem("mean", "partial_dependence");
  item.dataset.test = "key-mean";
  // Its room stays reserved at equal weights, so that the key does not wrap while the slider moves.
  const unweighted = html("span", {}, ", unweighted");
  item.append(html("span", {}, name, unweighted));
  keep(
    () => [plot.value?.scene, store.decay.value < 1, store.remembered.of("partial_dependence").value] as const,
    ([scene, isWeighted, isShown]) => {
      item.hidden = !isShown || (scene !== undefined && scene.models !== null);
      if (scene === undefined) return;
      const { kind, onLevels, hasQuantileBand } = scene;
      mark.className = onLevels ? "ice-key-mean-level" : "ice-key-mean";
      const term = hasQuantileBand ? "partial_dependence_of_probabilities" : "partial_dependence";
      const meaning = explanation(term, onLevels ? "levels" : kind);
      setText(name, meaning.name);
      explained(name, meaning);
      unweighted.style.visibility = isWeighted ? "visible" : "hidden";
    },
  );
  return item;
}

function effectItem({ keep }: View, { plot, effects }: Shown, effect: EffectName): HTMLElement {
  const { item, mark, name } = keyItem(effect, effect);
  item.dataset.test = `key-${effect}`;
  item.classList.add("ice-key-of-large");
  keep(
    () => [plot.value?.scene ?? null, effects.value.some((line) => line.name === effect)] as const,
    ([scene, isDrawn]) => {
      item.hidden = !isDrawn;
      if (scene === null) return;
      mark.classList.toggle("ice-key-level", scene.onLevels);
      explained(name, explanation(effect, scene.kind));
    },
  );
  return item;
}

/** The means of the groups, in the colours of the first and the last. */
function groupItem({ keep }: View, { plot }: Shown, groups: ReadonlySignal<Groups | null>): HTMLElement {
  const { item, mark, name } = keyItem("group", "group_mean");
  item.dataset.test = "key-group";
  item.classList.add("ice-key-of-large");
  keep(
    () => [groups.value?.means.length ?? 0, plot.value?.palette, plot.value?.scene.models != null] as const,
    ([n, palette, areModels]) => {
      item.hidden = n === 0;
      if (n === 0 || palette === undefined) return;
      const meaning = explanation(areModels ? "model_mean" : "group_mean");
      setText(name, meaning.name);
      explained(name, meaning);
      const [first, last] = [0, n - 1].map((level) => cssColor(palette, level));
      mark.style.background = `linear-gradient(to right, ${first} 50%, ${last} 50%)`;
    },
  );
  return item;
}

export function colorLegend(view: View, { loaded, plot }: Shown, groups: ReadonlySignal<Groups | null>): HTMLElement {
  const { store, aborted } = view;
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
    () => [loaded.value, plot.value?.palette ?? null, groups.value] as const,
    ([shown, palette, known]) => {
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
          ? rampLegend(scale, palette, nMissing)
          : levelsLegend(scale, palette, nMissing, drawn);
      legend.append(...items);
    },
  );
  view.keep(
    () => [store.hiddenLevels.value, loaded.value, plot.value?.palette] as const,
    ([hidden]) => show(hidden),
  );
  return legend;
}
