/** The summary of the open feature for screen readers. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { valueTitle } from "../../plot/axis_titles.ts";
import type { AleLine } from "../../plot/effects.ts";
import type { Layout } from "../../plot/layout.ts";
import { linesPerModel } from "../../plot/models.ts";
import type { Scene } from "../../plot/scene.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { explanation } from "../../text/glossary.ts";
import { count, number, plural } from "../../text/numbers.ts";
import { useView } from "../../view/use_view.tsx";
import type { Shown } from "./shown.ts";

/** Delay of the summary, so that it is not announced at every step of the slider. */
const SUMMARY_MS = 600;
/** Means of further levels are not read out. */
const MOST_SPOKEN = 8;

export function Summary({ drawing, ale }: Shown) {
  const { frames, store } = useView();
  const text = useSignal("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = frames.keep(
      () => ({
        layout: drawing.layout.value,
        ale: ale.value,
        opened: store.opened,
        reading: store.reading.value,
        selected: store.selection.value.length,
        output: store.outputName.value,
      }),
      ({ layout, opened, reading, ...rest }) => {
        clearTimeout(timer);
        if (layout === null || opened === null || reading === null) return;
        timer = setTimeout(() => {
          text.value = summarize({ layout, opened, reading, ...rest });
        }, SUMMARY_MS);
      },
    );
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <p class="ice-hidden" aria-live="polite" data-test="summary">
      {text}
    </p>
  );
}

/** What the summary is about. */
interface Summed {
  layout: Layout;
  ale: AleLine | null;
  reading: Reading;
  opened: RankedFeature;
  output: string;
  selected: number;
}

function summarize({ layout, ale, reading, opened, output, selected }: Summed): string {
  const { write, scene } = layout;
  const { curves, kind, mean, base, onLevels } = scene;
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
  const of = (metric: string) => number(reading.get(opened.index, metric));
  return [
    curves.average,
    `Rank ${opened.rank} of ${header.features.length}${opened.mayMove ? " so far" : ""}, impact ${of("impact")}, in-distribution impact ${of("in_distribution_impact")} with weight ${number(reading.decay)} of far values.`,
    `${count(linesPerModel(scene))} of ${plural(curves.n_observations, "observation")} drawn, ${axis}.`,
    kind === "ice" ? "" : `Shown is the ${valueTitle(scene, output)}.`,
    means,
    ...otherModels(scene, header.models, ends),
    ale === null ? "" : `The ${explanation("ale").name} goes ${ends(ale.values, sayMean)}.`,
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
