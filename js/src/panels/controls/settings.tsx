/** The menu of settings that are rarely changed: what each is called, its control, and what it does. */
import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { offersIn } from "../../state/available_choices.ts";
import type { Store } from "../../state/store.ts";
import { unsplit } from "../../state/two_sides.ts";
import { explanation } from "../../text/glossary.ts";
import { levelText, meaningOf, RANK_LABELS } from "../../text/metric_names.ts";
import { responseName } from "../../text/names.ts";
import { count, plural } from "../../text/numbers.ts";
import { hint } from "../../ui/components.tsx";
import { Choice, Switch } from "../../ui/setting.tsx";
import { Menu } from "../../view/menu.tsx";
import { useView } from "../../view/use_view.tsx";
import type { Distance, RankBy, ViewChoices } from "../../wire/protocol.ts";
import { Anchor } from "./anchor.tsx";
import { ColorBy } from "./color_by.tsx";
import { Details } from "./details.tsx";

const DISTANCES: Record<Distance, string> = {
  marginal: "marginal SD",
  conditional: "SD given the other features",
  custom: "scale as passed",
};
const COLORINGS: readonly [ViewChoices["coloring"], string][] = [
  ["value", "ramp"],
  ["median", "at the median"],
];
const AXES: readonly [ViewChoices["axis"], string][] = [
  ["auto", "automatic"],
  ["value", "by value"],
  ["rank", "by rank"],
];
const METRICS = Object.entries(RANK_LABELS) as [RankBy, string][];
const LINE_COUNTS = [50, 100, 200, 500, 1000, 2000, 5000];
const USUAL_LEVEL = 0.95;

export function SettingsMenu() {
  const isOpen = useSignal(false);
  return (
    <Menu
      {...{ name: "view", role: "group", class: "ice-view-choices", title: "More settings", isOpen }}
      button={{ "aria-label": "More settings", ...hint("More settings"), children: "⋯" }}
    >
      <ColorBy />
      <Choices />
      <Anchor />
      <Switches />
      <Details />
    </Menu>
  );
}

/** Settings that are one of several values; without two of them, a setting is hidden. */
function Choices() {
  const { store } = useView();
  const { client, distance, figures, maxLines, models, opened, rankBy, ranking, reading, remembered, response } = store;
  const header = figures.value?.header ?? null;
  const isOfAll = remembered.of("right").value === "all";
  const n = header?.n_observations ?? 0;
  const hasMissing = ranking.value.some(({ index }) => Number.isFinite(reading.value?.get(index, "missing_impact")));
  const isOffered = { missing_impact: hasMissing, disagreement: models.value.length > 1, [rankBy.value]: true };
  const rankText = useComputed(() => meaningOf(rankBy.value, store.convention.value, models.value.length));
  return (
    <>
      <Choice
        name="coloring"
        label="Colours of numbers"
        text="A ramp from low to high, or two colours, up to the median and above."
        value={remembered.of("coloring").value}
        options={isNumberColor(store) ? COLORINGS : []}
        choose={(coloring) => store.colorAs(store.colorBy.peek(), coloring)}
      />
      <Choice
        name="response"
        label="Response"
        text="The scale of the prediction that is explained."
        value={response.value}
        // A page without a kernel cannot explain another one.
        options={((client.hasKernel && header?.responses) || []).map((name) => [name, responseName(name)])}
        choose={(name) => store.setResponse(name)}
      />
      <Choice
        name="rank-by"
        label="Rank by"
        text={rankText.value}
        value={rankBy.value}
        options={METRICS.filter(([metric]) => isOffered[metric] ?? true)}
        choose={(metric) => store.set("rank_by", metric)}
      />
      <Choice
        name="distance"
        label={explanation("distance").name}
        text="Unit of the distance from the observed value."
        value={distance.value}
        options={(header?.distances ?? []).map((each) => [each, DISTANCES[each]])}
        choose={(chosen) => store.set("distance", chosen)}
      />
      <Choice
        name="max-lines"
        label="Curves"
        text={`The largest number of curves drawn, of ${plural(n, "row")}.`}
        value={String(Math.min(maxLines.value, header === null ? Number.POSITIVE_INFINITY : n))}
        options={isOfAll ? [] : lineCounts(n, maxLines.value, client.mostLines)}
        choose={(number) => store.setMaxLines(Number(number))}
      />
      <Choice
        name="axis"
        label="Axis"
        text="By rank, all observed values are equally far apart: it unfolds skewed features."
        value={remembered.of("axis").value}
        options={isOfAll || opened?.kind !== "numeric" ? [] : AXES}
        choose={(axis) => remembered.choose("axis", axis)}
      />
    </>
  );
}

/** Whether a number colours the curves on screen. */
function isNumberColor({ loaded, remembered }: Store): boolean {
  const scale = loaded.value?.colors?.scale;
  return scale !== undefined && unsplit(scale).kind === "continuous" && remembered.of("coloring").value !== "driver";
}

function lineCounts(n: number, chosen: number, mostLines: number): [string, string][] {
  const most = Math.min(n, LINE_COUNTS.at(-1)!, mostLines);
  const counts = new Set([...LINE_COUNTS.filter((each) => each < most), most, Math.min(chosen, n)].filter(Boolean));
  return [...counts].sort((a, b) => a - b).map((each) => [String(each), count(each)]);
}

/** Settings that are on or off. */
function Switches() {
  const { store } = useView();
  const { figures, intervals, kind, remembered } = store;
  const offers = offersIn(store);
  const isOfAll = remembered.of("right").value === "all";
  // The level stays what it was when intervals are switched off and on.
  const level = useRef(USUAL_LEVEL);
  level.current = intervals.value ?? level.current;
  const choice = (key: "ale" | "target" | "shared_y" | "classes") => ({
    isOn: remembered.of(key).value,
    turn: (on: boolean) => remembered.choose(key, on),
  });
  const hasClasses = (figures.value?.header.outputs.length ?? 0) > 1;
  return (
    <>
      <Switch
        name="intervals"
        label={`${levelText(level.current)} intervals`}
        text="How far the bars would move with other rows."
        offer={store.hasIntervals ? null : undefined}
        isOn={intervals.value !== null}
        turn={(on) => store.set("ci", on ? level.current : null)}
      />
      <Switch
        name="view-ale"
        label="Compare the mean with ALE"
        text="Accumulated local effects stay near observed values."
        offer={offers.ale}
        {...choice("ale")}
      />
      <Switch
        name="view-unlike"
        label="End curves where unlike the data"
        text="Ends curves at values unlike the data. Off: they fade by distance only."
        offer={offers.unlike}
        isOn={remembered.of("fade").value === "unlike"}
        turn={(on) => remembered.choose("fade", on ? "unlike" : "distance")}
      />
      <Switch
        name="view-target"
        label="Observed target"
        text="A point at the observed value of every row."
        offer={offers.target}
        {...choice("target")}
      />
      <Switch
        name="view-shared_y"
        label="Same value axis"
        text="Off: each plot has its own axis, except pinned features."
        offer={isOfAll && kind.value !== "d-ice" ? null : undefined}
        {...choice("shared_y")}
      />
      <Switch
        name="classes-side-by-side"
        label="All classes side by side"
        // Next to the small plots of all features there is no room for them.
        offer={hasClasses && !isOfAll ? null : undefined}
        {...choice("classes")}
      />
    </>
  );
}
