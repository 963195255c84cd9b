/** The open feature in words and figures: what the axes say, the figures beside the title, the spoken summary. */

import { unitOf } from "../../dates.ts";
import { count, number, plural } from "../../format.ts";
import type { Plot } from "../../marks/curves/plot.ts";
import { html, setText, update } from "../../marks/element.ts";
import { partedText } from "../../marks/name.ts";
import type { Reading } from "../../reading.ts";
import { noSlopes, placeWriterOf, stepOf } from "../../values.ts";
import type { View } from "../../view.ts";
import type { Shown } from "./shown.ts";

/** A live region that spoke at every step of the slider would never stop. */
const SUMMARY_MS = 600;
/** Means of further levels are not read out. */
const MOST_SPOKEN = 8;

/** What else the keys do, for those who cannot drag. */
const KEYS =
  "Enter pins the line and shows its row; with Shift it adds the line to the selection or takes it out. Plus and minus zoom, Shift with an arrow moves what shows, 0 shows all.";

function valueTitle({ scene }: Plot, output: string): string {
  const { feature, kind } = scene.curves;
  switch (scene.kind) {
    case "ice":
      return output;
    case "c-ice": {
      const from =
        scene.anchoredAt === null ? "its own value" : `${feature} = ${placeWriterOf(scene.curves)(scene.anchoredAt)}`;
      return `change of the ${output} since ${from}`;
    }
    case "d-ice":
      return `slope of the ${output} per ${stepOf(kind, feature)}`;
  }
}

/** The name of the feature, with its unit where the axis chose one. */
function featureAxisTitle({ curves: { feature, kind, grid } }: Plot["scene"]): string {
  return kind === "timedelta" ? `${feature} (${unitOf(grid).name})` : feature;
}

const FACTS: [string, string][] = [
  ["impact", "impact"],
  ["in distribution", "in_distribution_impact"],
  ["heterogeneity", "heterogeneity"],
  ["non-linearity", "non_linearity"],
];

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
      const unit = valueExponent === "" ? "" : ` (${valueExponent})`;
      const same = shown.shared ? ", on the same axis for all features" : "";
      setText(value, `↑ ${valueTitle(shown, output)}${unit}${same}`);
      setText(feature, scene.onLevels ? featureAxisTitle(scene) : `${featureAxisTitle(scene)} →`);
      feature.title = name;
      range.hidden = rangeTicks.length === 0;
      const lines = count(scene.curves.nLines);
      const label = `${name}: ${lines} lines. Arrow keys go from line to line, Enter selects, Escape clears.`;
      update(frame, { "aria-label": label, "aria-description": KEYS });
    },
  );
  return { value, range, feature };
}

export function featureTitle(view: View): { title: HTMLElement; facts: HTMLElement } {
  const { store } = view;
  const title = html("h3", { class: "ice-title ice-parted", "data-test": "feature-title" });
  const facts = html("p", { class: "ice-facts", "data-test": "facts" });
  let titled = "";
  view.keep(
    () => ({ opened: store.opened, name: store.feature.value, reading: store.reading.value }),
    ({ opened, name, reading }) => {
      const parted = store.partings.peek().get(name);
      if (`${name} ${parted}` !== titled) {
        titled = `${name} ${parted}`;
        title.replaceChildren(...partedText(name || "No feature chosen", parted));
      }
      title.title = name;
      title.classList.toggle("ice-title-none", name === "");
      facts.replaceChildren();
      if (opened === null || reading === null) return;
      const of = (metric: string) => reading.get(opened.index, metric);
      if (Number.isNaN(of("impact"))) return;
      const write = reading.column(of("impact"));
      const fact = ([label, metric]: [string, string]) =>
        html("span", { class: "ice-fact" }, `${label} `, html("b", {}, write(of(metric))));
      facts.append(...FACTS.map(fact));
    },
  );
  return { title, facts };
}

function summaryOf(shown: Plot, reading: Reading, index: number, rank: number, selected: number): string {
  const { write } = shown;
  const { curves, mean, base, onLevels } = shown.scene;
  const ends = (values: ArrayLike<number>, say: (value: number) => string): string =>
    `from ${say(values[0] ?? Number.NaN)} to ${say(values[values.length - 1] ?? Number.NaN)}`;
  const axis = onLevels ? plural(curves.nGrid, "level") : ends(curves.grid, write);
  const sayMean = (value: number) => number(value + base);
  const means = onLevels
    ? `The mean is ${Array.from(mean.slice(0, MOST_SPOKEN), (value, k) => `${sayMean(value)} at ${write(curves.grid[k]!)}`).join(", ")}.`
    : `The mean line goes ${ends(mean, sayMean)}.`;
  const { header } = reading.figures;
  const of = (metric: string) => reading.write(reading.get(index, metric));
  return [
    `${curves.feature}: ${count(curves.nLines)} of ${count(curves.nObservations)} observations drawn, ${axis}.`,
    `Impact ${of("impact")}, in distribution ${of("in_distribution_impact")} at decay ${number(reading.decay)}, rank ${rank} of ${header.features.length}.`,
    shown.scene.kind === "ice" ? "" : `Shown is the ${valueTitle(shown, header.output_label)}.`,
    means,
    selected === 0 ? "" : `${plural(selected, "row")} selected.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

export function spokenSummary(view: View, { plot }: Shown): HTMLElement {
  const { store, aborted } = view;
  const summary = html("p", { class: "ice-hidden", "aria-live": "polite", "data-test": "summary" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  aborted.addEventListener("abort", () => clearTimeout(timer), { once: true });
  view.keep(
    () => ({
      plot: plot.value,
      opened: store.opened,
      reading: store.reading.value,
      selected: store.selection.value.length,
    }),
    ({ plot: shown, opened, reading, selected }) => {
      clearTimeout(timer);
      if (shown === null || opened === null || reading === null) return;
      const rank = store.ranking.peek().indexOf(opened) + 1;
      const speak = () => setText(summary, summaryOf(shown, reading, opened.index, rank, selected));
      timer = setTimeout(speak, SUMMARY_MS);
    },
  );
  return summary;
}

/** Says why the kind of curves that was asked for is not drawn. */
export function kindRemark(view: View, { plot }: Shown): HTMLElement {
  const remark = html("p", { class: "ice-kind-remark", "data-test": "kind-remark", role: "status" });
  view.keep(
    () => ({ shown: plot.value, kind: view.store.kind.value }),
    ({ shown, kind }) => {
      remark.hidden = shown === null || shown.scene.kind === kind;
      setText(remark, shown === null ? "" : noSlopes(shown.scene.curves.feature));
    },
  );
  return remark;
}
