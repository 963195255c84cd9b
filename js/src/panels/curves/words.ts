/** The open feature in words and figures: what the axes say, the figures beside the title, the spoken summary. */
import { columnFormat, count, number } from "../../format.ts";
import { html, setText, update } from "../../marks/element.ts";
import type { Kind } from "../../protocol.ts";
import type { Figures } from "../../store.ts";
import type { View } from "../../view.ts";
import type { Plot } from "./plot.ts";
import type { Shown } from "./shown.ts";

/** A live region that spoke at every step of the slider would never stop. */
const SUMMARY_MS = 600;

function valueTitle(kind: Kind, output: string, feature: string, anchor: string): string {
  switch (kind) {
    case "ice":
      return output;
    case "c-ice":
      return `change of the ${output} since ${anchor}`;
    case "d-ice":
      return `slope of the ${output} per unit of ${feature}`;
  }
}

export interface AxisTitles {
  value: HTMLElement;
  range: HTMLElement;
  feature: HTMLElement;
}

export function axisTitles(view: View, { plot }: Shown, frame: HTMLElement): AxisTitles {
  const value = html("span", { class: "ice-y-title", "data-test": "y-title" });
  const range = html(
    "span",
    { class: "ice-range-title", "data-test": "range-title" },
    "share of prediction range\u00a0↑",
  );
  const feature = html("span", { class: "ice-x-title", "data-test": "x-title" });
  view.keep(
    () => ({ plot: plot.value, output: view.store.figures.value?.header.output_label ?? "" }),
    ({ plot: shown, output }) => {
      if (shown === null) return;
      const { scene, valueExponent, rangeTicks } = shown;
      const name = scene.curves.feature;
      const from = scene.anchoredAt === null ? "its own value" : `${name} = ${number(scene.anchoredAt)}`;
      const unit = valueExponent === "" ? "" : ` (${valueExponent})`;
      setText(value, `↑ ${valueTitle(scene.kind, output, name, from)}${unit}`);
      setText(feature, `${name} →`);
      feature.title = name;
      range.hidden = rangeTicks.length === 0;
      const lines = count(scene.curves.nLines);
      const label = `${name}: ${lines} lines. Arrow keys go from line to line, Enter selects, Escape clears.`;
      update(frame, { "aria-label": label });
    },
  );
  return { value, range, feature };
}

export function featureTitle(view: View): { title: HTMLElement; facts: HTMLElement } {
  const { store } = view;
  const title = html("h3", { class: "ice-title", "data-test": "feature-title" });
  const facts = html("p", { class: "ice-facts", "data-test": "facts" });
  view.keep(
    () => ({ opened: store.opened, name: store.feature.value, figures: store.figures.value, decay: store.decay.value }),
    ({ opened, name, figures, decay }) => {
      setText(title, name === "" ? "No feature chosen" : name);
      title.title = name;
      title.classList.toggle("ice-title-none", name === "");
      facts.replaceChildren();
      if (opened === null || figures === null) return;
      const of = (metric: string) => figures.impact.get(opened.index, metric);
      if (Number.isNaN(of("impact"))) return;
      const write = columnFormat(of("impact"));
      const shown: [string, number][] = [
        ["impact", of("impact")],
        ["in distribution", figures.profile.inDistributionImpact(opened.index, decay)],
        ["heterogeneity", of("heterogeneity")],
        ["non-linearity", of("non_linearity")],
      ];
      const fact = (label: string, value: number) =>
        html("span", { class: "ice-fact" }, `${label} `, html("b", {}, write(value)));
      facts.append(...shown.map(([label, value]) => fact(label, value)));
    },
  );
  return { title, facts };
}

function summaryOf(shown: Plot, figures: Figures, index: number, rank: number, decay: number): string {
  const { curves, mean, base } = shown.scene;
  const ends = (values: ArrayLike<number>, shift: number): string =>
    `from ${number((values[0] ?? Number.NaN) + shift)} to ${number((values[values.length - 1] ?? Number.NaN) + shift)}`;
  const impact = number(figures.impact.get(index, "impact"));
  const decayed = number(figures.profile.inDistributionImpact(index, decay));
  return [
    `${curves.feature}: ${count(curves.nLines)} of ${count(curves.nObservations)} observations drawn, ${ends(curves.grid, 0)}.`,
    `Impact ${impact}, in distribution ${decayed} at decay ${number(decay)}, rank ${rank} of ${figures.header.features.length}.`,
    `The mean line goes ${ends(mean, base)}.`,
  ].join(" ");
}

export function spokenSummary(view: View, { plot }: Shown): HTMLElement {
  const { store, aborted } = view;
  const summary = html("p", { class: "ice-hidden", "aria-live": "polite", "data-test": "summary" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  aborted.addEventListener("abort", () => clearTimeout(timer), { once: true });
  view.keep(
    () => ({ plot: plot.value, decay: store.decay.value, opened: store.opened, figures: store.figures.value }),
    ({ plot: shown, decay, opened, figures }) => {
      clearTimeout(timer);
      if (shown === null || opened === null || figures === null) return;
      const rank = store.ranking.peek().indexOf(opened) + 1;
      timer = setTimeout(() => setText(summary, summaryOf(shown, figures, opened.index, rank, decay)), SUMMARY_MS);
    },
  );
  return summary;
}
