/** The effect of the open feature on the prediction, in one sentence under its title. */
import { cssColor, splitPalette } from "../../plot/geometry/palette.ts";
import type { Scene } from "../../plot/scene.ts";
import { type RankedFeature, tiedWith } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { SAMPLE, sampleText } from "../../text/metric_names.ts";
import { columnFormat, count, number } from "../../text/numbers.ts";
import { isUnordered, placeWriterOf, stepOf } from "../../text/values.ts";
import { explainedBy, hint } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { CurvesBody, DriversBody } from "../../wire/protocol.ts";
import type { Shown } from "./shown.ts";

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
  return `If ${feature} is missing, the prediction changes by ${number(missingImpact)} on average, up or down.`;
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

/** What the tooltip of the sentence says. */
function tooltipText(opened: RankedFeature, reading: Reading, nFeatures: number, before: readonly string[] = []) {
  return { name: rankText(opened, nFeatures), text: [...before, figuresText(opened, reading)].join("\n") };
}

export function Sentence({ loaded, drawing }: Shown) {
  const { store } = useView();
  const curves = loaded.value?.curves ?? null;
  const [feature, opened, reading] = [store.feature.value, store.opened, store.reading.value];
  const { body } = store.drivers.value;
  const best = body !== null && body.feature === feature && body.sentence.length > 0 ? body : null;
  // While the curves of a feature are computed, those of the last one are on screen.
  const isCurrent = curves !== null && curves.feature === feature;
  const average = isCurrent ? averageSentence(curves, store.outputName.value) : "";
  const isKnown = opened !== null && reading !== null;
  const plain = (metric: string) => (isKnown ? reading.plain(opened.index, metric) : Number.NaN);
  const missing = average === "" ? "" : missingSentence(feature, plain("missing_impact"), plain("impact"));
  const nFeatures = store.ranking.value.length;
  const draft = opened?.draft ?? null;
  const explained = (lines: string[]) =>
    isKnown ? explainedBy(tooltipText(opened, reading, nFeatures, lines), "ice-sentence-average") : {};
  const why = best === null ? [] : [average, `${best.lead.replace(/(; of that:|\.)$/, "")}.`];
  return (
    <p class="ice-sentence" data-test="sentence">
      <span data-test="groups-sentence" hidden={best === null}>
        {best !== null && (
          <>
            <span class="ice-sentence-average" {...explained(why)}>
              {best.sentence[0]!.text}
            </span>
            <SplitSentence best={best} />
          </>
        )}
      </span>
      <span class="ice-sentence-average" data-test="facts" hidden={best !== null} {...explained([])}>
        {average}
      </span>
      <span data-test="missing-sentence">{missing && ` ${missing}`}</span>
      <Steepest drawing={drawing} />
      <Saturated />{" "}
      <span {...explainedBy(SAMPLE)} data-test="sample" hidden={draft === null}>
        {draft !== null && sampleText(draft.nRows, store.status.value.n_all)}
      </span>
    </p>
  );
}

function Steepest({ drawing }: Pick<Shown, "drawing">) {
  const scene = drawing.layout.value?.scene;
  const sentence = scene === undefined ? "" : steepestSentence(scene);
  return <span data-test="steepest">{sentence && ` ${sentence}`}</span>;
}

/** Offers log-odds where most probabilities are near 0 or 1. */
function Saturated() {
  const { store } = useView();
  const isSaturated = store.client.hasKernel && (store.figures.value?.header.is_saturated ?? false);
  return (
    <span data-test="saturated" hidden={!isSaturated}>
      {" Most probabilities are near 0 or 1: "}
      <button
        type="button"
        class="ice-link"
        data-test="show-log-odds"
        {...hint("Log-odds change where probabilities hardly do.")}
        onClick={() => store.setResponse("log_odds")}
      >
        show log-odds
      </button>
      .
    </span>
  );
}

/**
 * How the groups of the best split differ, in the colours of their curves. A click colours the curves by the split and
 * shows their change, where the groups part; another one, or another feature, restores both.
 */
function SplitSentence({ best }: { best: DriversBody }) {
  const { store, theme } = useView();
  const column = best.drivers[0]?.column;
  const palette = splitPalette(theme.value.dark ? "dark" : "light");
  const rest = best.sentence.slice(1);
  const colour = (): void => {
    const kind = store.kind.peek();
    if (column !== undefined) store.colorByRule(column, kind === "ice" ? "c-ice" : kind);
  };
  return (
    <span
      class="ice-sentence-split"
      role="button"
      tabIndex={0}
      aria-pressed={column !== undefined && store.isColoredByRule(column)}
      data-test="sentence-split"
      hidden={rest.length === 0}
      {...hint("Colour the curves by this.")}
      onClick={colour}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        colour();
      }}
    >
      {rest.map(({ text, group }) =>
        group === null ? (
          <span>{text}</span>
        ) : (
          <span class="ice-sentence-group" style={{ color: cssColor(palette, group) }}>
            {text}
          </span>
        ),
      )}
    </span>
  );
}
