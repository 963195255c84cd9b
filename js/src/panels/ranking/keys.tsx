/** The keys of the ranking: what ticks, signs, whiskers, brackets and colours mean. */
import type { Whiskers } from "../../state/intervals.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { intervalName } from "../../text/metric_names.ts";
import { percent } from "../../text/numbers.ts";
import { isUnordered } from "../../text/values.ts";
import { flag, KeyItem, Term } from "../../ui/components.tsx";
import { modelColorsIn } from "../../view/model_colors.ts";
import { useView } from "../../view/use_view.tsx";

/** `listed` are the features that have a bar. */
export function BarsKey({ listed }: { listed: readonly RankedFeature[] }) {
  const { store } = useView();
  const rankBy = store.rankBy.value;
  const hasSigns = rankBy !== "disagreement" && listed.some(({ kind }) => !isUnordered(kind));
  return (
    <p class="ice-key ice-ranking-key">
      <KeyItem mark="tick" hidden={rankBy !== "in_distribution_impact"} data-test="ranking-key">
        <Term of={explanation("tick")} />
      </KeyItem>
      <span class="ice-key-item" hidden={!hasSigns} data-test="signs">
        <i>▲▼</i>
        <Term of={explanation("sign", ...variantsOf("numeric", store.convention.value))} />
      </span>
    </p>
  );
}

/** What the marks next to the names are; at the end of the heading, where nothing gives way to it. */
export function MovedKey() {
  const isHidden = [...useView().store.movedRanks.value.values()].every((moved) => moved === 0);
  return <Term class="ice-key-moved" of={explanation("ranks_moved")} hidden={isHidden} data-test="moved-key" />;
}

/** What whiskers and brackets are; shown while there are intervals. */
export function IntervalsKey() {
  const { store } = useView();
  const [level, whiskers] = [store.hasIntervals ? store.intervals.value : null, store.whiskers.value];
  const hasTies = whiskers?.state === "ready" && whiskers.body.tied.length > 0;
  return (
    <p class="ice-key ice-key-intervals" hidden={level === null} data-state={whiskers?.state} data-test="intervals-key">
      <KeyItem mark="whisker">
        <Term of={{ name: intervalName(level ?? 0), text: explanation("interval").text }} />
        <span class="ice-key-progress">{progressOf(whiskers)}</span>
      </KeyItem>
      <KeyItem mark="bracket" hidden={!hasTies}>
        <Term of={explanation("tied")} />
      </KeyItem>
      <span class="ice-key-problem" role="status" data-test="intervals-problem">
        {whiskers?.state === "error" && whiskers.message}
      </span>
    </p>
  );
}

function progressOf(whiskers: Whiskers): string {
  if (whiskers === null || whiskers.state === "ready" || whiskers.state === "error") return "";
  return whiskers.share === 0 ? "…" : `… ${percent(whiskers.share)}`;
}

/** Which bar is of which model; hidden where all have one bar. */
export function ModelsKey() {
  const view = useView();
  const { models, openModel, rankBy } = view.store;
  const colors = modelColorsIn(view);
  const isHidden = models.value.length < 2 || rankBy.value === "disagreement";
  return (
    <p class="ice-key ice-key-models" hidden={isHidden} data-test="models-key">
      {models.value.map((name, model) => (
        <span key={name} class="ice-key-item" data-open={flag(name === openModel.value)}>
          <i class="ice-swatch" style={{ background: colors[model]! }} />
          <span class="ice-key-model" title={name}>
            {name}
          </span>
        </span>
      ))}
      <Term of={explanation("open_model")}>ranked by {openModel.value}</Term>
    </p>
  );
}
