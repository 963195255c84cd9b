/** Texts of the open feature: its name, axis titles, and the summary for screen readers. */

import { featureAxisTitle, valueTitle } from "../../plot/axis_titles.ts";
import type { EffectLine } from "../../plot/effects.ts";
import { linesPerModel } from "../../plot/models.ts";
import type { Plot } from "../../plot/plot.ts";
import type { Scene } from "../../plot/scene.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { explanation } from "../../text/glossary.ts";
import { levelText, sampleText } from "../../text/metric_names.ts";
import { capital } from "../../text/names.ts";
import { count, number, plural } from "../../text/numbers.ts";
import { noSlopes } from "../../text/values.ts";
import { html, setText, update } from "../../ui/element.ts";
import { partedText } from "../../ui/elided_name.ts";
import { Timer } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";
import { averageSentence } from "./sentence.ts";
import type { Shown } from "./state/plot_state.ts";

/** Delay of the summary, so that it is not announced at every step of the slider. */
const SUMMARY_MS = 600;
/** Means of further levels are not read out. */
const MOST_SPOKEN = 8;

/** The keys that do what the pointer does. */
const KEYS =
  "Enter selects the curve and shows its row. With one row selected, left and right move along its curve. Shift and Enter add the curve to the selection or remove it.";

export interface AxisTitles {
  value: HTMLElement;
  feature: HTMLElement;
}

export function axisTitles(view: View, { plot }: Shown, frame: HTMLElement): AxisTitles {
  const value = html("span", { class: "ice-y-title", "data-test": "y-title" });
  const feature = html("span", { class: "ice-x-title", "data-test": "x-title" });
  view.keep(
    () => [plot.value, view.store.outputName.value, view.store.figures.value?.header.output_label ?? ""] as const,
    ([shown, ofOpen, ofAll]) => {
      if (shown === null) return;
      const { scene, valueExponent } = shown;
      const name = scene.curves.feature;
      const unit = valueExponent === "" ? "" : ` (${valueExponent})`;
      const same = shown.shared ? ", on the same axis for all features" : "";
      setText(value, `↑ ${valueTitle(scene, scene.models === null ? ofOpen : ofAll)}${unit}${same}`);
      const byRank = shown.byRank ? ", by rank" : "";
      setText(feature, scene.onLevels ? featureAxisTitle(scene) : `${featureAxisTitle(scene)}${byRank} →`);
      feature.title = name;
      feature.style.marginRight = `${shown.size.width - shown.outer - 8}px`;
      const lines = count(linesPerModel(scene));
      const each = scene.models === null ? "" : ` of each of ${count(scene.models.length)} models`;
      const label = `${name}: ${lines} curves${each}. Arrow keys move from curve to curve, Enter selects, Escape clears.`;
      update(frame, { "aria-label": label, "aria-description": KEYS });
    },
  );
  return { value, feature };
}

export function featureTitle({ store, keep }: View): HTMLElement {
  const title = html("h3", { class: "ice-title ice-parted", "data-test": "feature-title" });
  let titled = "";
  keep(
    () => store.feature.value,
    (name) => {
      const parted = store.partings.peek().get(name);
      if (`${name} ${parted}` !== titled) {
        titled = `${name} ${parted}`;
        title.replaceChildren(...partedText(name || "No feature chosen", parted));
      }
      title.title = name;
      title.classList.toggle("ice-title-none", name === "");
    },
  );
  return title;
}

/** What the summary is about. */
interface Summed {
  shown: Plot;
  effects: readonly EffectLine[];
  reading: Reading;
  opened: RankedFeature;
  output: string;
  selected: number;
}

function summaryOf({ shown, effects, reading, opened, output, selected }: Summed): string {
  const { write } = shown;
  const { curves, kind, mean, base, onLevels } = shown.scene;
  const { header } = reading.figures;
  const ends = (values: ArrayLike<number>, say: (value: number) => string): string =>
    `from ${say(values[0] ?? Number.NaN)} to ${say(values[values.length - 1] ?? Number.NaN)}`;
  const axis = onLevels ? plural(curves.n_grid, "level") : ends(curves.grid, write);
  const sayMean = (value: number) => number(value + base);
  const means = onLevels
    ? `The mean is ${Array.from(mean.slice(0, MOST_SPOKEN), (value, k) => `${sayMean(value)} at ${write(curves.grid[k]!)}`).join(", ")}.`
    : kind === "ice"
      ? ""
      : `The mean goes ${ends(mean, sayMean)}.`;
  const of = (metric: string) => reading.write(reading.get(opened.index, metric));
  return [
    averageSentence(curves, output),
    `Rank ${opened.rank} of ${header.features.length}${opened.mayMove ? " so far" : ""}, impact ${of("impact")}, in-distribution impact ${of("in_distribution_impact")} with weight ${number(reading.decay)} of far values.`,
    uncertaintyOf(opened, (value) => reading.write(value)),
    `${count(linesPerModel(shown.scene))} of ${plural(curves.n_observations, "observation")} drawn, ${axis}.`,
    kind === "ice" ? "" : `Shown is the ${valueTitle(shown.scene, output)}.`,
    means,
    ...otherModels(shown.scene, header.models, ends),
    ...effects.map(({ name, values }) => `The ${explanation(name).name} goes ${ends(values, sayMean)}.`),
    selected === 0 ? "" : `${plural(selected, "row")} selected.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

/** From where to where the means of the other models go. */
function otherModels(
  { models, base, onLevels }: Scene,
  names: readonly string[],
  ends: (values: ArrayLike<number>, say: (value: number) => string) => string,
): string[] {
  const others = models?.slice(1) ?? [];
  if (onLevels) return others.map(({ model }) => `The curves of ${names[model]} are drawn as well.`);
  return others.map(({ model, mean }) => `The mean of ${names[model]} goes ${ends(mean, (v) => number(v + base))}.`);
}

/** The interval of the figure of the ranking, and which neighbours in rank are tied with the feature. */
function uncertaintyOf(
  { name, draft, interval, tiedBefore, tiedAfter }: RankedFeature,
  write: (value: number) => string,
): string {
  if (draft !== null) return `${capital(sampleText(draft.nRows))}.`;
  if (interval === null) return "";
  const level = levelText(interval.level);
  const pairs = [tiedBefore && `${tiedBefore} and ${name}`, tiedAfter && `${name} and ${tiedAfter}`];
  const ties = pairs.filter(Boolean).map((pair) => `${pair} are tied at ${level}.`);
  return [`${level} interval ${interval.ends.map(write).join(" to ")}.`, ...ties].join(" ");
}

export function spokenSummary(view: View, { plot, effects }: Shown): HTMLElement {
  const { store, aborted } = view;
  const summary = html("p", { class: "ice-hidden", "aria-live": "polite", "data-test": "summary" });
  const timer = new Timer(aborted);
  view.keep(
    () =>
      [
        plot.value,
        effects.value,
        store.opened,
        store.reading.value,
        store.selection.value.length,
        store.outputName.value,
      ] as const,
    ([shown, lines, opened, reading, selected, output]) => {
      timer.stop();
      if (shown === null || opened === null || reading === null) return;
      timer.start(SUMMARY_MS, () =>
        setText(summary, summaryOf({ shown, effects: lines, reading, opened, output, selected })),
      );
    },
  );
  return summary;
}

/** Explains why the requested kind of curves is not drawn. */
export function kindRemark(view: View, { plot }: Shown): HTMLElement {
  const remark = html("p", { class: "ice-kind-remark", "data-test": "kind-remark", role: "status" });
  view.keep(
    () => [plot.value, view.store.kind.value] as const,
    ([shown, kind]) => {
      remark.hidden = shown === null || shown.scene.kind === kind;
      setText(remark, shown === null ? "" : noSlopes(shown.scene.curves.feature));
    },
  );
  return remark;
}
