/** Entries of the menu of settings: what each is called, its control, and a line that says what it does. */
import { useRef } from "preact/hooks";
import { type Offer, type Offers, offersIn } from "../../state/available_choices.ts";
import { isOfDrivers } from "../../state/drivers.ts";
import { loadedOf, type Store } from "../../state/store.ts";
import { unsplit } from "../../state/two_sides.ts";
import { explanation } from "../../text/glossary.ts";
import { levelText, meaningOf, RANK_LABELS, unitMeaning } from "../../text/metric_names.ts";
import { responseName } from "../../text/names.ts";
import { count, plural } from "../../text/numbers.ts";
import { Select } from "../../ui/components.tsx";
import { Setting, Switch } from "../../ui/setting.tsx";
import { useView } from "../../view/mounted.tsx";
import type { Distance, RankBy, ViewChoices } from "../../wire/protocol.ts";

const DISTANCES: Record<Distance, string> = {
  marginal: "marginal SD",
  conditional: "SD given the other features",
  custom: "scale as passed",
};
const COLORINGS = { value: "ramp", median: "at the median" };
const AXES: Record<ViewChoices["axis"], string> = { auto: "automatic", value: "by value", rank: "by rank" };
const METRICS = Object.keys(RANK_LABELS) as RankBy[];
const LINE_COUNTS = [50, 100, 200, 500, 1000, 2000, 5000];
const USUAL_LEVEL = 0.95;

/** An entry that chooses one of several values; without two of them it is hidden. */
interface Choice {
  name: string;
  label: string;
  options: (store: Store) => readonly (readonly [value: string, label: string])[];
  chosen: (store: Store) => string;
  choose: (store: Store, value: string) => void;
  text: (store: Store) => string;
}

/** Whether a number colours the curves on screen. */
function isNumberColor({ picture, remembered }: Store): boolean {
  const scale = loadedOf(picture.value)?.colors?.scale;
  return scale !== undefined && unsplit(scale).kind === "continuous" && !isOfDrivers(remembered.of("coloring").value);
}

const CHOICES: readonly Choice[] = [
  {
    name: "coloring",
    label: "Colours of numbers",
    options: (store) => (isNumberColor(store) ? Object.entries(COLORINGS) : []),
    chosen: ({ remembered }) => remembered.of("coloring").value,
    choose: (store, value) => store.colorAs(store.colorBy.peek(), value as ViewChoices["coloring"]),
    text: () => "A ramp from low to high, or two colours, up to the median and above.",
  },
  {
    name: "response",
    label: "Response",
    // A page without a kernel cannot explain another one.
    options: ({ figures, client }) =>
      (client.hasKernel ? (figures.value?.header.responses ?? []) : []).map((name) => [name, responseName(name)]),
    chosen: ({ response }) => response.value,
    choose: (store, value) => store.setResponse(value),
    text: () => "The scale of the prediction that is explained.",
  },
  {
    name: "rank-by",
    label: "Rank by",
    options: ({ models }) =>
      METRICS.filter((metric) => metric !== "disagreement" || models.value.length > 1).map((metric) => [
        metric,
        RANK_LABELS[metric],
      ]),
    chosen: ({ rankBy }) => rankBy.value,
    choose: (store, value) => store.set("rank_by", value as RankBy),
    text: ({ rankBy, convention, models, reading, ranking }) => {
      const meaning = meaningOf(rankBy.value, convention.value, models.value.length);
      if (reading.value === null) return meaning;
      const { unit, figures } = reading.value;
      const ofUnit = unitMeaning(unit, figures.header, ranking.value.filter(({ known }) => known).length);
      return ofUnit === null ? meaning : `${meaning} ${ofUnit}`;
    },
  },
  {
    name: "distance",
    label: explanation("distance").name,
    options: ({ figures }) => (figures.value?.header.distances ?? []).map((each) => [each, DISTANCES[each]]),
    chosen: ({ distance }) => distance.value,
    choose: (store, value) => store.set("distance", value as Distance),
    text: () => "The unit in which values are far from the observed one.",
  },
  {
    name: "max-lines",
    label: "Curves",
    options: ({ figures, maxLines, client, remembered }) => {
      const n = figures.value?.header.n_observations ?? 0;
      if (remembered.of("right").value === "all") return [];
      const most = Math.min(n, LINE_COUNTS.at(-1)!, client.mostLines);
      const counts = [...LINE_COUNTS.filter((each) => each < most), most, Math.min(maxLines.value, n)];
      return [...new Set(counts.filter(Boolean))].sort((a, b) => a - b).map((each) => [String(each), count(each)]);
    },
    chosen: ({ figures, maxLines }) =>
      String(Math.min(maxLines.value, figures.value?.header.n_observations ?? Number.POSITIVE_INFINITY)),
    choose: (store, value) => store.setMaxLines(Number(value)),
    text: ({ figures }) =>
      `The largest number of curves drawn, of ${plural(figures.value?.header.n_observations ?? 0, "row")}.`,
  },
  {
    name: "axis",
    label: "Axis",
    options: ({ remembered, opened }) =>
      remembered.of("right").value === "all" || opened?.kind !== "numeric" ? [] : Object.entries(AXES),
    chosen: ({ remembered }) => remembered.of("axis").value,
    choose: ({ remembered }, value) => remembered.choose("axis", value as ViewChoices["axis"]),
    text: () => "By rank, all observed values are equally far apart: it unfolds skewed features.",
  },
];

export const Selects = () => CHOICES.map(({ name, ...choice }) => <ChoiceSetting key={name} name={name} {...choice} />);

function ChoiceSetting({ name, label, options, chosen, choose, text }: Choice) {
  const { store } = useView();
  const offered = options(store);
  return (
    <Setting
      {...{ name, label }}
      text={text(store)}
      offer={offered.length < 2 ? undefined : null}
      control={(attributes) => (
        <Select value={chosen(store)} options={offered} choose={(value) => choose(store, value)} {...attributes} />
      )}
    />
  );
}

/** An entry that is on or off. */
interface OnOff {
  name: string;
  label: string;
  text: string;
  offer: (offers: Offers, store: Store) => Offer;
  isOn: (store: Store) => boolean;
  turn: (store: Store, on: boolean) => void;
}

const remembers = (key: "ale" | "target" | "shared_y" | "classes"): Pick<OnOff, "isOn" | "turn"> => ({
  isOn: ({ remembered }) => remembered.of(key).value,
  turn: ({ remembered }, on) => remembered.choose(key, on),
});

const SWITCHES: readonly OnOff[] = [
  {
    name: "view-ale",
    label: "Compare the mean with ALE",
    text: "Accumulated local effects stay near observed values.",
    offer: ({ ale }) => ale,
    ...remembers("ale"),
  },
  {
    name: "view-unlike",
    label: "End curves where unlike the data",
    text: "Where the other features predict another value. Off: curves fade by distance alone.",
    offer: ({ unlike }) => unlike,
    isOn: ({ remembered }) => remembered.of("fade").value === "unlike",
    turn: ({ remembered }, on) => remembered.choose("fade", on ? "unlike" : "distance"),
  },
  {
    name: "view-target",
    label: "Observed target",
    text: "A point at the observed value of every row.",
    offer: ({ target }) => target,
    ...remembers("target"),
  },
  {
    name: "view-shared_y",
    label: "Same value axis for all features",
    text: "",
    // One feature alone has no other axis.
    offer: ({ shared_y }, { remembered }) => {
      const isOne = remembered.of("right").value !== "all" && remembered.of("compared").value.length === 0;
      return isOne && !remembered.of("shared_y").value ? undefined : shared_y;
    },
    ...remembers("shared_y"),
  },
  {
    name: "classes-side-by-side",
    label: "All classes side by side",
    text: "",
    // Next to the small plots of all features there is no room for them.
    offer: (_offers, { figures, remembered }) =>
      (figures.value?.header.outputs.length ?? 0) < 2 || remembered.of("right").value === "all" ? undefined : null,
    ...remembers("classes"),
  },
];

export const Switches = () => (
  <>
    <Intervals />
    {SWITCHES.map((each) => (
      <OnOffSetting key={each.name} {...each} />
    ))}
  </>
);

function OnOffSetting({ name, label, text, offer, isOn, turn }: OnOff) {
  const { store } = useView();
  const offered = offer(offersIn(store), store);
  return <Switch {...{ name, label, text }} offer={offered} isOn={isOn(store)} turn={(on) => turn(store, on)} />;
}

/** The level stays what it was when intervals are switched off and on. */
function Intervals() {
  const { store } = useView();
  const chosen = store.intervals.value;
  const level = useRef(USUAL_LEVEL);
  level.current = chosen ?? level.current;
  return (
    <Switch
      name="intervals"
      label={`${levelText(level.current)} intervals`}
      text="How far the bars would move with other rows."
      offer={store.hasIntervals ? null : undefined}
      isOn={chosen !== null}
      turn={(on) => store.set("ci", on ? level.current : null)}
    />
  );
}
