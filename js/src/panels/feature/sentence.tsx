/** The effect of the open feature on the prediction, in one sentence under its title. */
import { cssColor, splitPalette } from "../../plot/geometry/palette.ts";
import type { Scene } from "../../plot/scene.ts";
import { type RankedFeature, tiedWith } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { SAMPLE, sampleText } from "../../text/metric_names.ts";
import { capital } from "../../text/names.ts";
import { count, figureFormat, number } from "../../text/numbers.ts";
import { placeWriterOf, stepOf } from "../../text/values.ts";
import { explainedBy, hint } from "../../ui/components.tsx";
import { modelColorsIn } from "../../view/model_colors.ts";
import { useView } from "../../view/use_view.tsx";
import type { DriversBody } from "../../wire/protocol.ts";
import type { Shown } from "./shown.ts";

/** What a missing value does, where that is more than a step does, and at least 1 % of the largest impact. */
export function missingSentence(feature: string, missingImpact: number, impact: number, largest: number): string {
  if (!(missingImpact > impact) || missingImpact < 0.01 * largest) return ""; // either may be undefined
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
  const write = figureFormat(of("impact"));
  return FIGURES.filter(([, metric]) => !Number.isNaN(of(metric)))
    .map(([name, metric]) => `${name}: ${metric === "missing_impact" ? number(of(metric)) : write(of(metric))}`)
    .join("\n");
}

/** What the tooltip of the sentence says. */
function tooltipText(opened: RankedFeature, reading: Reading, nFeatures: number, before: readonly string[] = []) {
  return { name: rankText(opened, nFeatures), text: [...before, figuresText(opened, reading)].join("\n") };
}

export function Sentence({ loaded, drawing }: Shown) {
  const { store } = useView();
  const header = store.figures.value?.header;
  const [feature, opened, reading] = [store.feature.value, store.opened, store.reading.value];
  const { body } = store.drivers.value;
  // While curves are computed, those of the last feature or output are on screen.
  const curves = store.isPreparing.value ? null : store.curves.plain.value;
  const isCurrent = curves !== null;
  const best = isCurrent && body?.feature === feature && body.sentence.length > 0 ? body : null;
  const [output, models, openModel] = [header?.output_label ?? "", store.models.value, store.openModel.value];
  const average = isCurrent ? curves.average : "";
  const isKnown = opened !== null && reading !== null;
  const plain = (metric: string) => (isKnown ? reading.get(opened.index, metric) : Number.NaN);
  const largest = Math.max(0, ...store.ranking.value.map(({ index }) => reading?.get(index, "impact") || 0));
  const missing = average === "" ? "" : missingSentence(feature, plain("missing_impact"), plain("impact"), largest);
  const nFeatures = store.ranking.value.length;
  const draft = opened?.draft ?? null;
  const explained = (lines: string[]) =>
    isKnown ? explainedBy(tooltipText(opened, reading, nFeatures, lines), "ice-sentence-average") : {};
  const why = best === null ? [] : [average, best.lead];
  return (
    <p class="ice-sentence" data-test="sentence">
      {models.length > 1 && <ModelName model={models.indexOf(openModel)} />}
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
      {(isCurrent ? (loaded.value?.models ?? []) : []).slice(1).map((each) => (
        <span key={each.model} data-test="model-sentence">
          {" "}
          <ModelName model={each.model} />
          {each.curves.average.replace(`On average the ${output} `, "")}
        </span>
      ))}
      <span data-test="missing-sentence">{missing && ` ${missing}`}</span>
      <Steepest drawing={drawing} />
      <Saturated />{" "}
      <span {...explainedBy(SAMPLE)} data-test="sample" hidden={draft === null}>
        {draft !== null && `${capital(sampleText(draft.nRows, store.status.value.n_all))}.`}
      </span>
    </p>
  );
}

/** Whose effect is described next, with the colour of its curves. */
function ModelName({ model }: { model: number }) {
  const view = useView();
  return (
    <b>
      <i class="ice-swatch" style={{ background: modelColorsIn(view)[model]! }} /> {view.store.models.value[model]}:{" "}
    </b>
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
 * shows their change, where the groups part; another one restores both.
 */
function SplitSentence({ best }: { best: DriversBody }) {
  const { store, theme } = useView();
  const column = best.drivers[0]?.column;
  const palette = splitPalette(theme.value.dark ? "dark" : "light");
  const rest = best.sentence.slice(1);
  // Groups have the colours of curves, unless these have others.
  const isColored = column !== undefined && store.isColoredByRule(column);
  const hasColors = isColored || (store.loaded.value?.colors ?? null) === null;
  const styleOf = (group: number) =>
    hasColors ? { color: cssColor(palette, group) } : { textDecoration: "underline dotted" };
  const colour = (): void => {
    const kind = store.kind.peek();
    if (column !== undefined) store.colorByRule(column, kind === "ice" ? "c-ice" : kind);
  };
  return (
    <span
      class="ice-sentence-split"
      role="button"
      tabIndex={0}
      aria-pressed={isColored}
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
          <span class="ice-sentence-group" style={styleOf(group)}>
            {text}
          </span>
        ),
      )}
    </span>
  );
}
