/** The effect of the open feature on the prediction, in one sentence under its title. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { cssColor } from "../../plot/geometry/palette.ts";
import { splitPalette } from "../../plot/geometry/split_palette.ts";
import type { Scene } from "../../plot/scene.ts";
import { type RankedFeature, tiedWith } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { SAMPLE, sampleText } from "../../text/metric_names.ts";
import { columnFormat, count, number, unlikeText } from "../../text/numbers.ts";
import { isUnordered, placeWriterOf, stepOf } from "../../text/values.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { listen } from "../../ui/lifetime.ts";
import type { View } from "../../view/view.ts";
import type { CurvesBody, DriversBody, Kind } from "../../wire/protocol.ts";
import type { Shown } from "./state/plot_state.ts";

/** Share of the range of the mean by which an extremum must exceed both ends to be mentioned. */
const LEAST_TURN = 0.1;

/** Means are float32, relative to their offset: a smaller part of them is rounding. */
const ROUNDING = 1e-6;

/** How the mean prediction changes along a feature. */
export function averageSentence(curves: CurvesBody, output: string): string {
  const { feature, kind, grid, offset } = curves;
  const mean = Array.from(curves.partial_dependence, (value) => value + offset);
  const [first = Number.NaN, last = first] = [mean[0], mean[mean.length - 1]];
  const [low, high] = [Math.min(...mean), Math.max(...mean)];
  const write = columnFormat(high - low);
  const say = placeWriterOf(curves);
  const at = (value: number): string => say(grid[mean.indexOf(value)]!);
  const lead = `On average the ${output}`;
  if (mean.length === 1) return `${lead} is ${number(first)}; ${feature} has one value, ${say(grid[0]!)}.`;
  const largest = Math.max(Math.abs(low - offset), Math.abs(high - offset));
  const isFlat = high - low <= ROUNDING * largest || write(low) === write(high);
  if (isFlat) return `${lead} is ${number(low)} whatever the value of ${feature}.`;
  if (isUnordered(kind) && mean.length > 2) {
    return `${lead} is lowest for ${feature} = ${at(low)}, ${write(low)}, and highest for ${at(high)}, ${write(high)}.`;
  }
  if (mean.length === 2) {
    return `${lead} is ${write(first)} for ${feature} = ${say(grid[0]!)} and ${write(last)} for ${say(grid[1]!)}.`;
  }
  const turn = LEAST_TURN * (high - low);
  const turns = [
    low < Math.min(first, last) - turn ? `a minimum of ${write(low)} at ${at(low)}` : "",
    high > Math.max(first, last) + turn ? `a maximum of ${write(high)} at ${at(high)}` : "",
  ].filter((text) => text !== "");
  const verb = last > first ? "rises" : "falls";
  const ends = `${write(first)}${write(first) === write(last) ? "" : ` to ${write(last)}`}`;
  const goes = write(first) === write(last) ? "begins and ends at" : `${verb} from`;
  return `${lead} ${goes} ${ends} along ${feature}${turns.length > 0 ? `, with ${turns.join(" and ")}` : ""}.`;
}

/** What a missing value does, where that is more than a step does. */
export function missingSentence(feature: string, missingImpact: number, impact: number): string {
  if (!(missingImpact > impact)) return ""; // either may be undefined
  return `If ${feature} is missing, it changes by ${number(missingImpact)} on average.`;
}

/** Where the mean slope is largest, up or down; nothing where slopes are not drawn or the mean is flat. */
export function steepestSentence({ kind, curves, x, mean }: Scene): string {
  if (kind !== "d-ice") return "";
  const sizes = Array.from(mean, Math.abs);
  const largest = Math.max(0, ...sizes.filter(Number.isFinite));
  if (largest === 0) return "";
  const start = sizes.indexOf(largest);
  const say = placeWriterOf(curves);
  const slope = `${number(mean[start]!)} per ${stepOf(curves.kind, curves.feature)}`;
  return `The mean slope is steepest from ${say(x[start]!)} to ${say(x[start + 1]!)}: ${slope}.`;
}

/** Its place in the ranking, and who shares it; empty while that is unknown or undefined. */
function rankText(ranked: RankedFeature, of: number): string {
  if (!ranked.known || !Number.isFinite(ranked.value)) return "";
  const names = tiedWith(ranked);
  const tied = names.length === 0 ? "" : `, tied with ${names.join(" and ")}`;
  return `Rank ${count(ranked.rank)} of ${count(of)}${ranked.mayMove ? " so far" : ""}${tied}.`;
}

/** Figures in the tooltip of the sentence, by their short names. */
const FIGURES = [
  ["impact", "impact"],
  ["in distribution", "in_distribution_impact"],
  ["heterogeneity", "heterogeneity"],
  ["non-linearity", "non_linearity"],
  ["missing", "missing_impact"],
  ["disagreement", "disagreement"],
] as const;

function figuresText(opened: RankedFeature, reading: Reading): string {
  const of = (metric: string): number => reading.get(opened.index, metric);
  const write = reading.column(of("impact"));
  return FIGURES.filter(([, metric]) => !Number.isNaN(of(metric)))
    .map(([name, metric]) => `${name}: ${metric === "missing_impact" ? reading.write(of(metric)) : write(of(metric))}`)
    .join("\n");
}

/**
 * How the groups of the best split differ, once that is known, in the colours of their curves. A click colours the curves
 * by the split and shows their change, where the groups part; another one restores both.
 */
function groupsSentence({ store, theme, aborted, keep }: View): {
  node: HTMLElement;
  lead: HTMLElement;
  best: ReadonlySignal<DriversBody | null>;
} {
  const lead = html("span", { class: "ice-sentence-average" });
  // A button would not wrap with the sentence.
  const attributes = { class: "ice-sentence-split", role: "button", tabindex: 0, "data-test": "sentence-split" };
  const split = html("span", attributes);
  const groups = html("span", { "data-test": "groups-sentence" }, lead, split);
  const best = computed(() => {
    const { body } = store.drivers.value;
    return body !== null && body.feature === store.feature.value && body.sentence.length > 0 ? body : null;
  });
  const isOn = computed(
    () => store.remembered.of("coloring").value === "driver" && store.colorBy.value === best.value?.drivers[0]?.column,
  );
  let kindBefore: Kind | null = null;
  const colour = (): void => {
    const column = best.peek()?.drivers[0]?.column;
    if (column === undefined) return;
    if (isOn.peek()) {
      store.colorAs(null, "value");
      if (kindBefore !== null) store.set("kind", kindBefore);
      kindBefore = null;
      return;
    }
    store.colorAs(column, "driver");
    if (store.kind.peek() !== "ice") return;
    kindBefore = "ice";
    store.set("kind", "c-ice");
  };
  listen(split, aborted, {
    click: colour,
    keydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      colour();
    },
  });
  keep(
    () => [best.value, theme.value.dark] as const,
    ([body, dark]) => {
      groups.hidden = body === null;
      if (body === null) return;
      const palette = splitPalette(dark ? "dark" : "light");
      const [first, ...rest] = body.sentence;
      setText(lead, first!.text);
      split.hidden = rest.length === 0;
      split.replaceChildren(
        ...rest.map(({ text, group }) => {
          const part = html("span", { class: group === null ? null : "ice-sentence-group" }, text);
          if (group !== null) part.style.color = cssColor(palette, group);
          return part;
        }),
      );
      hinted(split, "Colour the curves by this.");
    },
  );
  keep(
    () => isOn.value,
    (on) => update(split, { "aria-pressed": String(on) }),
  );
  return { node: groups, lead, best };
}

export function featureSentence(view: View, { loaded, plot }: Shown): HTMLElement {
  const { store, keep } = view;
  const average = html("span", { class: "ice-sentence-average", "data-test": "facts" });
  const { node: groups, lead, best } = groupsSentence(view);
  const missing = html("span", { "data-test": "missing-sentence" });
  const steepest = html("span", { "data-test": "steepest" });
  const unlike = html("span", { "data-test": "unlike-of-row" });
  const sample = explained(html("span", { "data-test": "sample" }), SAMPLE);
  const parts = [groups, average, missing, steepest, unlike];
  const sentence = html("p", { class: "ice-sentence", "data-test": "sentence" }, ...parts, " ", sample);
  keep(
    () =>
      [
        loaded.value?.curves ?? null,
        store.feature.value,
        store.outputName.value,
        store.opened,
        store.ranking.value.length,
        store.reading.value,
        best.value,
      ] as const,
    ([curves, feature, output, opened, of, reading, groupsBody]) => {
      average.hidden = groupsBody !== null;
      // While the curves of a feature are computed, those of the last one are on screen.
      setText(average, curves === null || curves.feature !== feature ? "" : averageSentence(curves, output));
      const [missingImpact, impact] = ["missing_impact", "impact"].map((metric) =>
        opened === null || reading === null ? Number.NaN : reading.plain(opened.index, metric),
      ) as [number, number];
      const ifMissing = average.textContent === "" ? "" : missingSentence(feature, missingImpact, impact);
      setText(missing, ifMissing && ` ${ifMissing}`);
      if (opened !== null && reading !== null) {
        const [name, figures] = [rankText(opened, of), figuresText(opened, reading)];
        explained(average, { name, text: figures });
        const why =
          groupsBody === null ? [] : [average.textContent ?? "", `${groupsBody.lead.replace(/(; of that:|\.)$/, "")}.`];
        explained(lead, { name, text: [...why, figures].join("\n") });
      }
    },
  );
  keep(
    () => [store.opened?.draft ?? null, store.status.value.n_all] as const,
    ([draft, nAll]) => {
      sample.hidden = draft === null;
      setText(sample, draft === null ? "" : sampleText(draft.nRows, nAll));
    },
  );
  keep(
    () => {
      const row = store.whatIfRow.value;
      return row === null ? "" : unlikeText(store.unlikeShareOf(row), `the phantom observations of row ${row}`);
    },
    (text) => setText(unlike, text && ` ${text}`),
  );
  keep(
    () => plot.value,
    (shown) => {
      const sentence = shown === null ? "" : steepestSentence(shown.scene);
      setText(steepest, sentence && ` ${sentence}`);
    },
  );
  return sentence;
}
