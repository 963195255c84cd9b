/**
 * Every panel in every state. The address chooses: #name shows one, ?host=lab-dark sets the theme's variables as
 * JupyterLab would, ?width=400 makes the cell narrow.
 */
import type { RenderProps } from "@anywidget/types";
import widget from "../src/index.ts";
import type { Traits } from "../src/wire/protocol.ts";
import {
  additive,
  clinic,
  elevenClasses,
  fourModels,
  names,
  observed,
  rentalModels,
  rentals,
  stepped,
  threeClasses,
  twoModels,
  weather,
} from "./explorers.ts";
import { alike, cancelledDraft, drafted, manyFeatures as many, repeated, someOfMany, statusOf } from "./made_up.ts";
import type { FakeModel, RecordedKernel } from "./recorded.ts";

const FAILED =
  "The model failed on phantom observations of 'Marker' (grid value 97.0): ValueError: Input contains NaN.";
const SIXTY = Array.from({ length: 60 }, (_, row) => 5 * row);

const age = (traits: Partial<Traits> = {}): FakeModel => clinic.model({ feature: "Age", ...traits });
const flat = (feature: string, traits: Partial<Traits> = {}): FakeModel => rentals.model({ feature, ...traits });
const warm = (_view: Traits["_view"] = {}, traits: Partial<Traits> = {}): FakeModel =>
  weather.model({ feature: "Temperature", _view, ...traits });
const paired = (first: string, second: string, kernel: RecordedKernel = rentals): FakeModel =>
  kernel.model({ feature: first, _view: { pair: [first, second] } });

/** Counted otherwise, or with another distance. */
function recounted(model: FakeModel): FakeModel {
  model.recount();
  return model;
}

/** So much of the interactions; no more comes. */
function interactionsSoFar(nFeatures: number): FakeModel {
  const { features, ...all } = clinic.recorded("interactions");
  const body = { ...all, done: nFeatures, features: features.slice(0, nFeatures), pairs: [] };
  return age({ _view: { left: "interactions" } }).replying("interactions", body, 1);
}

const classes = (kernel: RecordedKernel, traits: Partial<Traits> = {}): FakeModel =>
  kernel.model({ feature: "Age", _view: { classes: true }, ...traits });

/** While the kernel has finished the first three features. */
const partly = (traits: Partial<Traits>): Partial<Traits> => ({ ...clinic.partial(3), ...traits });

function gone(): FakeModel {
  const model = clinic.model();
  setTimeout(() => model.emit("comm_live_update"), 400);
  return model;
}

export const cases: Record<string, () => FakeModel> = {
  ready: () => clinic.model(),
  coloured: () => clinic.model({ color_by: "Smoker", decay: 0.5, selection: [0, 33] }),
  ramp: () => clinic.model({ color_by: "BMI" }),
  category: () => clinic.model({ color_by: "Ward", kind: "c-ice", feature: "BMI" }),
  centred: () => age({ kind: "c-ice", color_by: "Smoker", anchor: "median" }),
  slopes: () => clinic.model({ kind: "d-ice", feature: "Steps a day" }),
  "category with gaps": () => flat("District"),
  "category, coloured": () => flat("District", { color_by: "Energy class", selection: [4, 13] }),
  ordered: () => flat("Energy class", { color_by: "District" }),
  "numbers with gaps": () => flat("Area", { color_by: "District", selection: [2, 4] }),
  dates: () => flat("Built", { color_by: "First seen" }),
  "parted by what explains most": () => age({ color_by: "Smoker", _view: { coloring: "driver" }, kind: "c-ice" }),
  "parted at the median": () => age({ color_by: "BMI", _view: { coloring: "median" } }),
  "curves do not differ": () => additive.model({ feature: "Age" }),
  "drivers refused": () => age().refusing("drivers", FAILED),
  pickers: () => threeClasses.model({ feature: "BMI", response: "log_odds" }),
  "many lines": () => repeated(clinic, 7, { color_by: "Smoker" }),
  "many selected": () => age({ color_by: "BMI", selection: SIXTY }),
  "groups and a filter": () => age({ color_by: "Ward", _view: { filters: { Ward: { hidden: ["emergency", null] } } } }),
  "observed target": () => observed.model({ feature: "Age", _view: { target: true } }),
  ALE: () => warm({ ale: true }),
  "ALE on levels": () => warm({ ale: true }, { feature: "Season" }),
  "distances given the other features": () => recounted(warm({}, { distance: "conditional" })),
  "values unlike the data, levels": () => warm({}, { feature: "Season" }),
  "all that is optional": () =>
    warm({ ale: true }, { feature: "Apparent temperature", kind: "c-ice", color_by: "Season", selection: [3] }),
  "slopes, cut": () => stepped.model({ kind: "d-ice", feature: "Blood pressure", color_by: "Smoker" }),
  "three classes": () => classes(threeClasses),
  "many classes": () => classes(elevenClasses),
  interactions: () => age({ _view: { left: "interactions" } }),
  "interactions, computing": () => interactionsSoFar(5),
  "interactions, refused": () => age({ _view: { left: "interactions" } }).refusing("interactions", FAILED),
  "two numbers": () => paired("Age", "BMI", clinic),
  "levels and a number": () => paired("District", "Area"),
  "two numbers, both signs": () => paired("Age", "BMI", additive),
  "two kinds of levels": () => paired("Heating", "District"),
  "two numbers, computing": () =>
    paired("Age", "BMI", clinic).replying("two_way", { share_done: 0.4, two_way: null }, 1),
  "two numbers, refused": () => paired("Age", "BMI", clinic).refusing("two_way", FAILED),
  "long names": () => names.model({ kind: "c-ice" }),
  "names that begin alike": () => many(12, {}, alike),
  "forty features": () => many(40),
  "two thousand features": () => many(2000),
  "two thousand, computing": () => someOfMany(2000, 7),
  intervals: () => age({ ci: 0.95 }),
  "intervals, computing": () =>
    age({ ci: 0.95 }).replying("intervals", { n_known: 3, n_features: 8, intervals: null }, 1),
  "intervals, refused": () => age({ ci: 0.95 }).refusing("intervals", FAILED),
  "as in the paper": () => recounted(clinic.model({ convention: "paper" })),
  computing: () => clinic.model(partly({ feature: "" })),
  "computing, open": () => clinic.model(partly({ feature: "Visits" })).replying("curves", null),
  cancelled: () =>
    age(partly({ _status: statusOf({ state: "cancelled", done: 3, message: "Cancelled after 3 of 8 features." }) })),
  "drafts, computing": () => drafted(age(), { nRows: 1024, nAll: 100_000, nExact: 2 }),
  "drafts, cancelled": () =>
    cancelledDraft(clinic.model({ feature: "Marker", selection: [33] }), { nRows: 2048, nAll: 100_000, nExact: 3 }),
  error: () => {
    const _status = statusOf({ state: "error", done: 3, label: "Marker", message: FAILED });
    return clinic.model(partly({ feature: "Marker", _status })).refusing("curves", FAILED);
  },
  "all features": () => clinic.model({ color_by: "BMI", _view: { right: "all" } }),
  "all features, slopes": () => rentals.model({ kind: "d-ice", _view: { right: "all" } }),
  "all features, every kind": () => rentals.model({ color_by: "District", _view: { right: "all" } }),
  "all features, computing": () => age(partly({ _view: { right: "all" } })),
  "all features, refused": () => age({ _view: { right: "all" } }).refusing("curves", FAILED, "BMI"),
  compared: () => rentals.model({ kind: "d-ice", _view: { right: "all", compared: ["District", "Area"] } }),
  "two models": () => twoModels.model({ feature: "Age" }),
  "two models, many selected": () => twoModels.model({ feature: "BMI", selection: SIXTY.slice(0, 40) }),
  "two models, centred": () => twoModels.model({ feature: "BMI", kind: "c-ice", anchor: "median" }),
  "two models by disagreement": () => twoModels.model({ feature: "Age", rank_by: "disagreement", model: "trees" }),
  "two models, the second open": () => twoModels.model({ feature: "Marker", model: "trees", ci: 0.95 }),
  "two models, all features": () => twoModels.model({ feature: "Age", _view: { right: "all" } }),
  "two models, numbers with gaps": () => rentalModels.model({ feature: "Area" }),
  "four models": () => fourModels.model({ feature: "Age" }),
  "kernel gone": gone,
  "colour refused": () =>
    clinic.model({ color_by: "Ward" }).refusing("colors", "'Ward' has 858 different values, one per row."),
};

/** Shows the case that the address names behind "#"; tests take the cases alone. */
function start(main: HTMLElement, nav: HTMLElement): void {
  const query = new URLSearchParams(location.search);
  document.body.dataset.host = query.get("host") ?? "unknown";
  nav.innerHTML = Object.keys(cases)
    .map((name) => `<a href="#${encodeURIComponent(name)}">${name}</a>`)
    .join("");
  let shown = new AbortController();
  const show = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const model = cases[name]?.();
    shown.abort();
    shown = new AbortController();
    nav.hidden = name !== "";
    main.replaceChildren();
    main.style.width = `${query.get("width") ?? ""}px`;
    const { signal } = shown;
    if (model !== undefined) void widget.render({ model, el: main, signal } as unknown as RenderProps<Traits>);
  };
  window.addEventListener("hashchange", show);
  show();
}

const [main, nav] = [document.querySelector("main"), document.querySelector("nav")];
if (main !== null && nav !== null) start(main, nav);
