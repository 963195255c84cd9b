/**
 * The names of what is drawn, at the right end of each line where there is room, else under the plot. Those of levels are
 * buttons: a click on one hides its curves, another shows them.
 */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { OWN_DRAG } from "../../plot/gestures/gestures.ts";
import { colorLegend } from "../../plot/legend.ts";
import { explanation, type Term } from "../../text/glossary.ts";
import { html, setText } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import type { View } from "../../view/view.ts";
import type { Groups } from "./layers/groups.ts";
import type { Shown } from "./state/plot_state.ts";

/** More names than this do not fit beside their lines. */
const MOST_DIRECT = 6;
/** A mark and its name, with an explanation. */
function keyItem(
  mark: "mean" | "ale" | "target",
  term: Term,
): { item: HTMLElement; mark: HTMLElement; name: HTMLElement } {
  const meaning = explanation(term);
  const [sign, name] = [html("i", { class: `ice-key-${mark}` }), explained(html("span", {}, meaning.name), meaning)];
  const item = html("span", { class: "ice-key-item", "data-test": `key-${mark}` }, sign, name);
  return { item, mark: sign, name };
}

/** Moves names apart that would overlap, from the top down; none leaves the plot at the bottom. */
function placeNames(names: readonly { node: HTMLElement; y: number }[], left: number, bottom: number): void {
  let free = 0;
  const heights = names.map(({ node }) => node.offsetHeight);
  const places = names
    .map(({ node, y }, at) => ({ node, y, height: heights[at]! }))
    .sort((a, b) => a.y - b.y)
    .map(({ node, y, height }) => {
      const top = Math.max(free, y - 8);
      free = top + height + 2;
      return { node, top };
    });
  const beyond = Math.max(0, free - bottom - 8);
  for (const { node, top } of places)
    Object.assign(node.style, { left: `${left}px`, top: `${Math.max(0, top - beyond)}px` });
}

/** Without a move nothing is taken out of the page, so that the focus stays. */
function moveInto(parent: HTMLElement, node: HTMLElement): void {
  if (node.parentElement !== parent) parent.append(node);
}

/** Adds the names to the stage of the plot and returns what is under it. */
export function namesOfLines(
  view: View,
  shown: Shown,
  groups: ReadonlySignal<Groups | null>,
  stage: HTMLElement,
  isComparing: ReadonlySignal<boolean>,
): HTMLElement {
  const [mean, ale, target] = [
    keyItem("mean", "partial_dependence"),
    keyItem("ale", "ale"),
    keyItem("target", "target"),
  ];
  const legend = colorLegend(view, "legend", () => {
    const { colors = null, colorProblem: problem = null } = shown.loaded.value ?? {};
    const nMissing = colors?.values.reduce((sum, value) => sum + Number(Number.isNaN(value)), 0) ?? 0;
    return { colors, problem, nMissing, drawn: groups.value?.means.map(({ n }) => n) ?? [] };
  });
  legend.setAttribute(OWN_DRAG, "");
  const key = html("p", { class: "ice-key" }, target.item);
  const under = html("div", {}, key);
  const isDirect = computed(() => {
    const n = groups.value?.means.length ?? 0;
    return (shown.plot.value?.labelRoom ?? 0) > 0 && n <= MOST_DIRECT && !isComparing.value;
  });
  view.keep(
    () =>
      [
        shown.plot.value,
        groups.value,
        shown.effects.value,
        shown.target.value !== null,
        view.store.targetName.value,
        isDirect.value,
        shown.loaded.value,
      ] as const,
    ([plot, known, effects, hasTarget, targetName, direct]) => {
      setText(target.name, targetName);
      target.item.hidden = !hasTarget;
      mean.item.hidden = plot === null || known !== null;
      ale.item.hidden = effects.length === 0;
      const hasLegendUnder = known === null || !direct;
      legend.dataset.direct = String(!hasLegendUnder);
      moveInto(hasLegendUnder ? under : stage, legend);
      if (plot === null) return;
      const { scene, y, outer, bottom } = plot;
      mean.mark.className = scene.onLevels ? "ice-key-mean-level" : "ice-key-mean";
      const meaning = explanation("partial_dependence", scene.onLevels ? "levels" : scene.kind);
      explained(mean.name, meaning);
      explained(ale.name, explanation("ale", scene.kind));
      ale.mark.classList.toggle("ice-key-level", scene.onLevels);
      for (const { item } of [mean, ale]) {
        item.classList.toggle("ice-direct", direct);
        moveInto(direct ? stage : key, item);
      }
      if (!direct) return;
      const last = (values: ArrayLike<number>): number => y(values[values.length - 1] ?? 0);
      const levels = [...legend.querySelectorAll<HTMLElement>("[data-level]")];
      const names = [
        ...(known?.means ?? []).flatMap(({ values, n }, level) =>
          levels[level] === undefined ? [] : [{ node: levels[level], y: n === 0 ? bottom : last(values) }],
        ),
        ...levels.slice(known?.means.length ?? 0).map((node) => ({ node, y: bottom })),
        ...(mean.item.hidden ? [] : [{ node: mean.item, y: last(scene.mean) }]),
        ...effects.map(({ values }) => ({ node: ale.item, y: last(values) })),
      ];
      placeNames(names, outer + 8, bottom);
    },
  );
  return under;
}
