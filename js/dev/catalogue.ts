/**
 * Every panel in every state, side by side. The address chooses: #name shows one, ?host=lab-dark sets the
 * theme's variables as JupyterLab would, ?width=400 makes the cell narrow.
 */
import type { RenderProps } from "@anywidget/types";
import widget from "../src/index.ts";
import type { Convention, IntervalsBody, Traits, TwoWayBody } from "../src/wire/protocol.ts";
import { cancelledDraft, drafted } from "./drafts.ts";
import { noColumn } from "./drivers.ts";
import { interactionsOf, twoWayOf } from "./joint.ts";
import { alike, manyFeatures as many, someOfMany } from "./many.ts";
import {
  clinic,
  FakeKernel,
  type FakeModel,
  observedClinic,
  outcomes,
  rentals,
  steppedClinic,
  weather,
} from "./model.ts";
import { clinicModels, rentalModels } from "./models.ts";

const some = new FakeKernel(clinic(300));
const flats = new FakeKernel(rentals(300));
const stepped = new FakeKernel(steppedClinic(300));
const warm = new FakeKernel(weather(400));
const observed = new FakeKernel(observedClinic(300));
const several = (labels: string[], n: number, overrides: Partial<Traits> = {}) => {
  const kernel = new FakeKernel(outcomes(200, labels), { outputs: labels.slice(0, n), responses: ["predict_proba"] });
  const chosen = { feature: "Age", output: labels[0]!, response: "predict_proba", _view: { classes: true } };
  return kernel.model({ ...chosen, ...overrides });
};
const twoModels = clinicModels(300);
const fourModels = clinicModels(150, ["logistic", "trees", "without lab values", "without vital signs, 2024 (final)"]);
const rentedModels = rentalModels(200);
const pickers = { outputs: ["setosa", "versicolor", "virginica"], responses: ["predict_proba", "log_odds"] };

function notes(kernel: FakeKernel): Partial<Traits> {
  const text = "91 % of the impact comes from the step 1.79 → 1.81.";
  const global = "1 column is neither numeric nor boolean and is used for colouring only: 'Ward'.";
  return {
    _header: {
      ...kernel.header,
      notes: [
        { feature: "Marker", text },
        { feature: null, text: global },
        { feature: "Steps a day", text: "The grid has 1000 of 7 315 values." },
      ],
    },
  };
}

function counted(kernel: FakeKernel, convention: Convention, overrides: Partial<Traits> = {}): FakeModel {
  const [impact, profile] = kernel.tables(convention);
  const _header = { ...kernel.header, convention };
  return kernel.model({ convention, _header, _impact: impact, _profile: profile, ...overrides });
}

/** A kernel that has drawn the rows of a few features, or refuses. */
function withoutIntervals(kernel: FakeKernel, body: IntervalsBody | null): FakeModel {
  const model = kernel.model({ ci: 0.95, feature: "Age" });
  const message = "The model failed on phantom observations of 'Marker' (grid value 97.0): ValueError: out of range.";
  let asked = 0;
  model.answer = (request) => {
    const { id, type } = request;
    if (type !== "intervals") return kernel.answer(request);
    if (body === null) return { reply: { id, type: "error", message } };
    return ++asked > 1 ? null : { reply: { id, type: "result", body } };
  };
  return model;
}

/** No single column explains anything. */
function explainedBy(columns: string[]): FakeModel {
  const model = some.model({ feature: "Age" });
  model.answer = (request) =>
    request.type === "drivers"
      ? { reply: { id: request.id, type: "result", body: noColumn("Age", columns) } }
      : some.answer(request);
  return model;
}

/** Interactions as far as they are computed by the first reply; no other comes. */
function jointlyAnswered({ done, features, pairs }: Record<"done" | "features" | "pairs", number>): FakeModel {
  const model = some.model({ feature: "Age", _view: { left: "interactions" } });
  const whole = interactionsOf(clinic(300));
  const body = { ...whole, done, features: whole.features.slice(0, features), pairs: whole.pairs.slice(0, pairs) };
  let n = 0;
  model.answer = (request) => {
    if (request.type !== "interactions") return some.answer(request);
    return n++ === 0 ? { reply: { id: request.id, type: "result", body } } : null;
  };
  return model;
}

function logOdds(): FakeKernel {
  const { predict, ...data } = clinic(300);
  const logit = (p: number) => Math.log(p / (1 - p));
  return new FakeKernel({
    ...data,
    predict: (...row) => logit(predict(...row)),
    outputLabel: "log-odds of readmitted",
  });
}

/** A heat map that is never complete, or an error. */
function pairAnswered(change: ((body: TwoWayBody) => TwoWayBody) | null): FakeModel {
  const model = some.model({ feature: "Age", _view: { pair: ["Age", "BMI"] } });
  const message = "The model failed on phantom observations of 'Age × BMI': ValueError: out of range.";
  let n = 0;
  model.answer = (request) => {
    if (request.type !== "two_way") return some.answer(request);
    const { id } = request;
    if (change === null) return { reply: { id, type: "error", message } };
    const body = twoWayOf(clinic(300), 0, 1);
    return n++ === 0 ? { reply: { id, type: "result", body: change(body) } } : null;
  };
  return model;
}

function longNames(): FakeKernel {
  const data = clinic(120);
  const names = [
    "Number of sexually transmitted diseases, time since first diagnosis (years)",
    "<img src=x onerror=alert(1)>",
    "体重（公斤）",
    "x",
  ];
  for (const [at, name] of names.entries()) data.features[at]!.name = name;
  return new FakeKernel({ ...data, outputLabel: "log-odds of a class with quite a long name indeed" });
}

function manyFeatures(): FakeKernel {
  const data = clinic(80);
  const copies = Array.from({ length: 30 }, (_, copy) => ({
    ...data.features[copy % 8]!,
    name: `Feature ${copy + 1}`,
  }));
  return new FakeKernel({
    ...data,
    features: copies,
    predict: (row) => row.reduce((sum, value, at) => sum + (value * ((at * 7) % 11)) / (100 + 30 * at), 0) / 100,
    outputLabel: "prediction",
  });
}

function additive(): FakeKernel {
  return new FakeKernel({
    ...clinic(200),
    predict: ([age, bmi]) => 0.01 * age! + 0.02 * bmi!,
    outputLabel: "prediction",
  });
}

export const cases: Record<string, () => FakeModel> = {
  ready: () => some.model(),
  coloured: () => some.model({ color_by: "Smoker", decay: 0.5, selection: [0, 33] }),
  ramp: () => some.model({ color_by: "BMI", ...notes(some) }),
  category: () => some.model({ color_by: "Ward", kind: "c-ice", feature: "BMI" }),
  centred: () => some.model({ kind: "c-ice", feature: "Age", color_by: "Smoker", anchor: "median" }),
  slopes: () => some.model({ kind: "d-ice", feature: "Steps a day" }),
  step: () => some.model({ feature: "Marker", ...notes(some) }),
  boolean: () => some.model({ feature: "Smoker", color_by: "Age" }),
  "category with gaps": () => flats.model({ feature: "District" }),
  "category, coloured": () => flats.model({ feature: "District", color_by: "Energy class", selection: [4, 13] }),
  "category, centred": () => flats.model({ feature: "District", kind: "c-ice", color_by: "District" }),
  "category, slopes refused": () => flats.model({ feature: "District", kind: "d-ice" }),
  "category, few rows": () => flats.model({ feature: "District", max_lines: 12, selection: [4] }),
  "category, many rows": () =>
    new FakeKernel(rentals(1000)).model({ feature: "District", max_lines: 1000, color_by: "Area", decay: 0.4 }),
  "many levels": () => flats.model({ feature: "Municipality" }),
  ordered: () => flats.model({ feature: "Energy class", color_by: "District" }),
  "ordered, slopes": () => flats.model({ feature: "Energy class", kind: "d-ice" }),
  "one-hot group": () => flats.model({ feature: "Heating", color_by: "Built" }),
  "numbers with gaps": () => flats.model({ feature: "Area", color_by: "District", selection: [2, 4] }),
  "numbers with gaps, centred": () => flats.model({ feature: "Area", kind: "c-ice" }),
  dates: () => flats.model({ feature: "Built", color_by: "First seen" }),
  "times with gaps": () => flats.model({ feature: "First seen", color_by: "Time to the centre" }),
  "dates, slopes": () => flats.model({ feature: "Built", kind: "d-ice" }),
  durations: () => flats.model({ feature: "Time to the centre" }),
  "ranked by what categories lack": () => flats.model({ feature: "Heating", rank_by: "non_linearity" }),
  "parted by what explains most": () =>
    some.model({ feature: "Age", color_by: "Smoker", _view: { coloring: "driver" }, kind: "c-ice" }),
  "parted by a level": () => flats.model({ feature: "Area", color_by: "District", _view: { coloring: "driver" } }),
  "parted at the median": () => some.model({ feature: "Age", color_by: "BMI", _view: { coloring: "median" } }),
  "parted at the median, with gaps": () =>
    flats.model({ feature: "Built", color_by: "Area", _view: { coloring: "median" } }),
  "curves do not differ": () => additive().model({ feature: "Age" }),
  "two columns explain what none does alone": () => explainedBy(["BMI", "Smoker"]),
  "nothing explains the differences": () => explainedBy([]),
  "drivers refused": () => {
    const model = some.model({ feature: "Age" });
    const message = "The model failed on phantom observations of 'Age' (grid value 97.0): ValueError: out of range.";
    model.answer = (request) =>
      request.type === "drivers" ? { reply: { id: request.id, type: "error", message } } : some.answer(request);
    return model;
  },
  pickers: () =>
    flats.model({ output: "versicolor", response: "predict_proba", _header: { ...flats.header, ...pickers } }),
  "few lines": () => some.model({ max_lines: 8, selection: [0] }),
  "many lines": () => new FakeKernel(clinic(2000)).model({ max_lines: 2000, color_by: "Smoker" }),
  "a thousand lines of a hundred points": () =>
    new FakeKernel(clinic(1000), {}, 100).model({ max_lines: 1000, feature: "Steps a day", color_by: "BMI" }),
  "five thousand lines of a hundred points": () =>
    new FakeKernel(clinic(5000), {}, 100).model({ max_lines: 5000, feature: "Steps a day", color_by: "BMI" }),
  "many selected": () =>
    some.model({ feature: "Age", color_by: "BMI", selection: Array.from({ length: 60 }, (_, row) => 5 * row) }),
  "groups and a filter": () =>
    some.model({ feature: "Age", color_by: "Ward", _view: { filters: { Ward: { hidden: ["emergency", null] } } } }),
  "observed target": () => observed.model({ feature: "Age", _view: { target: true } }),
  ALE: () => warm.model({ feature: "Temperature", _view: { ale: true } }),
  "ALE, centred": () => warm.model({ feature: "Temperature", kind: "c-ice", anchor: "median", _view: { ale: true } }),
  "ALE on levels": () => warm.model({ feature: "Season", _view: { ale: true } }),
  "ALE, waiting": () => {
    const model = warm.model({ feature: "Temperature", _view: { ale: true } });
    model.answer = (request) => (request.type === "effects" || request.type === "unlike" ? null : warm.answer(request));
    return model;
  },
  "correlated features": () => warm.model({ feature: "Temperature" }),
  "faded by distance alone": () => warm.model({ feature: "Temperature", selection: [3], _view: { fade: "distance" } }),
  "distances given the other features": () => {
    const model = warm.model({ feature: "Temperature", distance: "conditional" });
    model.recount();
    return model;
  },
  "compared, and what that leaves out": () =>
    warm.model({ feature: "Temperature", _view: { compared: ["Season"], ale: true } }),
  "values unlike the data, slopes": () => warm.model({ feature: "Temperature", kind: "d-ice" }),
  "values unlike the data, levels": () => warm.model({ feature: "Season" }),
  "all that is optional": () =>
    warm.model({
      feature: "Apparent temperature",
      kind: "c-ice",
      color_by: "Season",
      selection: [3],
      _view: { ale: true },
    }),
  "same value axis": () => some.model({ feature: "Visits", _view: { shared_y: true } }),
  "same value axis, centred": () => some.model({ feature: "Visits", kind: "c-ice", _view: { shared_y: true } }),
  "slopes, cut": () => stepped.model({ kind: "d-ice", feature: "Blood pressure", color_by: "Smoker" }),
  "three classes": () => several(["healthy", "relapsed", "lost to follow-up"], 3),
  "many classes": () =>
    several(
      Array.from({ length: 11 }, (_, at) => `stage ${at + 1}`),
      11,
    ),
  "classes on levels": () => several(["healthy", "relapsed", "lost"], 3, { feature: "Smoker" }),
  interactions: () => some.model({ feature: "Age", _view: { left: "interactions" } }),
  "interactions, computing": () => jointlyAnswered({ done: 5, features: 5, pairs: 0 }),
  "interactions, refused": () => {
    const model = some.model({ feature: "Age", _view: { left: "interactions" } });
    const message = "The model failed on phantom observations of 'Age' (grid value 97.0): ValueError: out of range.";
    model.answer = (request) =>
      request.type === "interactions" ? { reply: { id: request.id, type: "error", message } } : some.answer(request);
    return model;
  },
  "two numbers": () => some.model({ feature: "Age", _view: { pair: ["Age", "BMI"] } }),
  "a number and true or false": () =>
    some.model({ feature: "Age", _view: { left: "interactions", pair: ["Age", "Smoker"] } }),
  "levels and a number": () => flats.model({ feature: "District", _view: { pair: ["District", "Area"] } }),
  "a number and levels": () => flats.model({ feature: "Area", _view: { pair: ["Area", "Heating"] } }),
  "two kinds of levels": () => flats.model({ feature: "District", _view: { pair: ["Heating", "District"] } }),
  "a date and a duration": () => flats.model({ feature: "Built", _view: { pair: ["Built", "Time to the centre"] } }),
  "two numbers, both signs": () => logOdds().model({ feature: "Age", _view: { pair: ["Age", "BMI"] } }),
  "two numbers, computing": () => pairAnswered(() => ({ share_done: 0.4, two_way: null })),
  "two numbers, refused": () => pairAnswered(null),
  "no decay": () => some.model({ decay: 1, rank_by: "heterogeneity" }),
  "between steps": () => some.model({ decay: 0.755 }),
  "long names": () => longNames().model({ kind: "c-ice" }),
  "many features": () => manyFeatures().model(),
  "ten features": () => many(10),
  "names that begin alike": () => many(12, {}, alike),
  "forty features": () => many(40),
  "two thousand features": () => many(2000),
  "two thousand, computing": () => someOfMany(2000, 7),
  intervals: () => some.model({ ci: 0.95, feature: "Age" }),
  "intervals of many": () => many(14, { rank_by: "impact", ci: 0.9 }),
  "intervals, every kind, in shares": () => flats.model({ ci: 0.95, unit: "share", feature: "Area" }),
  "intervals, computing": () => withoutIntervals(some, { n_known: 3, n_features: 8, intervals: null }),
  "intervals, refused": () => withoutIntervals(some, null),
  "missing impact": () => flats.model({ feature: "Area", rank_by: "missing_impact" }),
  "no missing impact": () => some.model({ rank_by: "missing_impact" }),
  "as in the paper": () => counted(some, "paper"),
  "as in the paper, in shares": () => counted(some, "paper", { unit: "share" }),
  "per cent of the SD": () => some.model({ unit: "sd", feature: "Age" }),
  "shares, computing": () => some.model({ ...some.partial(3), unit: "share", feature: "Age" }),
  "predictions not measured": () =>
    some.model({ unit: "sd", feature: "Age", _header: { ...some.header, prediction_sd: null } }),
  computing: () => some.model({ ...some.partial(3), feature: "" }),
  "computing, open": () => {
    const model = some.model({ ...some.partial(3), feature: "Visits" });
    model.answer = (request) => (request.type === "curves" ? null : some.answer(request));
    return model;
  },
  cancelled: () => {
    const message = "Cancelled after 3 of 8 features.";
    return some.model({
      ...some.partial(3),
      feature: "Age",
      _status: { state: "cancelled", done: 3, total: 8, label: "", message, n_rows: null, n_all: null },
    });
  },
  "drafts, computing": () => drafted(some.model({ feature: "Age" }), { nRows: 1024, nAll: 100_000, nExact: 2 }),
  "drafts, cancelled": () =>
    cancelledDraft(some.model({ feature: "Marker", selection: [33] }), { nRows: 2048, nAll: 100_000, nExact: 3 }),
  "drafts of two thousand": () => drafted(many(2000), { nRows: 256, nAll: 1500, nExact: 7 }),
  "drafts, shares, all features": () =>
    drafted(some.model({ feature: "Age", unit: "share", _view: { right: "all" } }), {
      nRows: 512,
      nAll: 100_000,
      nExact: 3,
    }),
  "drafts, compared, intervals": () =>
    cancelledDraft(some.model({ feature: "Age", ci: 0.95, _view: { compared: ["BMI"] } }), {
      nRows: 512,
      nAll: 100_000,
      nExact: 4,
    }),
  error: () => {
    const message =
      "The model failed on phantom observations of 'Marker' (grid value 97.0): ValueError: Input contains NaN.";
    const model = some.model({
      ...some.partial(3),
      _status: { state: "error", done: 3, total: 8, label: "Marker", message, n_rows: null, n_all: null },
      feature: "Marker",
    });
    model.answer = ({ id }) => ({ reply: { id, type: "error", message } });
    return model;
  },
  "all features": () => some.model({ color_by: "BMI", _view: { right: "all" } }),
  "all features, centred on one axis": () =>
    some.model({ kind: "c-ice", color_by: "Smoker", selection: [4, 33], _view: { right: "all", shared_y: true } }),
  "all features, parted, many selected": () =>
    some.model({
      feature: "Age",
      color_by: "BMI",
      selection: Array.from({ length: 60 }, (_, row) => 5 * row),
      _view: { right: "all", coloring: "median" },
    }),
  "all features, slopes": () => flats.model({ kind: "d-ice", _view: { right: "all" } }),
  "all features, every kind": () => flats.model({ color_by: "District", _view: { right: "all" } }),
  "all features, many": () => manyFeatures().model({ feature: "Feature 20", _view: { right: "all" } }),
  "all features, computing": () => some.model({ ...some.partial(3), feature: "Age", _view: { right: "all" } }),
  "all features, refused": () => {
    const model = some.model({ feature: "Age", _view: { right: "all" } });
    const message = "The model failed on phantom observations of 'BMI' (grid value 97.0): ValueError: NaN.";
    model.answer = (request) =>
      request.type === "curves" && request.feature === "BMI"
        ? { reply: { id: request.id, type: "error", message } }
        : some.answer(request);
    return model;
  },
  compared: () =>
    some.model({ feature: "Age", color_by: "Smoker", selection: [33], _view: { compared: ["Marker", "BMI", "Age"] } }),
  "compared, coloured, many selected": () =>
    some.model({
      feature: "Age",
      color_by: "BMI",
      selection: Array.from({ length: 60 }, (_, row) => 5 * row),
      _view: { compared: ["Marker", "BMI"] },
    }),
  "compared, one": () => some.model({ feature: "Age", kind: "c-ice", _view: { compared: ["BMI"] } }),
  "compared, every kind": () =>
    flats.model({ feature: "Built", kind: "d-ice", _view: { compared: ["District", "Energy class", "Area"] } }),
  "two models": () => twoModels.model({ feature: "Age" }),
  "two models, one selected row": () => twoModels.model({ feature: "Age", selection: [33] }),
  "two models, many selected": () =>
    twoModels.model({ feature: "BMI", selection: Array.from({ length: 60 }, (_, row) => 5 * row) }),
  "two models, centred": () => twoModels.model({ feature: "BMI", kind: "c-ice", anchor: "median" }),
  "two models, slopes": () => twoModels.model({ feature: "Steps a day", kind: "d-ice" }),
  "two models by disagreement": () => twoModels.model({ feature: "Age", rank_by: "disagreement", model: "trees" }),
  "two models, the second open": () => twoModels.model({ feature: "Marker", model: "trees", ci: 0.95 }),
  "two models, one coloured": () => twoModels.model({ feature: "Age", model: "trees", color_by: "Smoker" }),
  "two models, one hidden": () =>
    twoModels.model({ feature: "Age", _view: { filters: { Model: { hidden: ["logistic"] } } } }),
  "two models, all features": () => twoModels.model({ feature: "Age", _view: { right: "all" } }),
  "two models, levels with gaps": () => rentedModels.model({ feature: "District", selection: [4] }),
  "two models, numbers with gaps": () => rentedModels.model({ feature: "Area" }),
  "four models": () => fourModels.model({ feature: "Age" }),
  "four models by disagreement": () => fourModels.model({ feature: "Age", rank_by: "disagreement" }),
  "compared, levels": () =>
    flats.model({ feature: "Built", selection: [4], _view: { compared: ["District", "Energy class", "Area"] } }),
  "kernel gone": () => {
    const model = some.model();
    setTimeout(() => model.emit("comm_live_update"), 400);
    return model;
  },
  "colour refused": () => {
    const model = some.model({ color_by: "Ward" });
    const message = "'Ward' has 858 different values, one per row, so it cannot colour the lines.";
    model.answer = (request) =>
      request.type === "colors" ? { reply: { id: request.id, type: "error", message } } : some.answer(request);
    return model;
  },
};

/** Typical cases of each panel, by the name of its folder, with all kinds of features, states and models between them. */
export const typical: Record<string, readonly string[]> = {
  ranking: ["ready", "forty features", "two thousand, computing", "intervals", "two models by disagreement"],
  interactions: ["interactions"],
  curves: [
    "slopes",
    "category, coloured",
    "numbers with gaps",
    "dates",
    "all that is optional",
    "error",
    "four models",
  ],
  controls: ["groups and a filter", "ramp", "parted at the median"],
  beside: ["compared, every kind", "three classes"],
  grid: ["all features, every kind"],
  pair: ["two kinds of levels", "two numbers, computing"],
  rows: ["coloured", "many selected"],
  status: ["cancelled", "drafts, cancelled"],
  export: ["kernel gone"],
};

/** Shows the case that the address names behind "#", or all, on the catalogue's own page; tests take the cases alone. */
function show(main: HTMLElement, wanted: string, width: string | null, signal: AbortSignal): void {
  const sections = Object.entries(cases)
    .filter(([name]) => wanted === "" || name === wanted)
    .map(([name, make]) => {
      const section = document.createElement("section");
      section.className = "case";
      const heading = document.createElement("h2");
      heading.textContent = name;
      const cell = document.createElement("div");
      if (width !== null) cell.style.width = `${width}px`;
      section.append(heading, cell);
      return {
        section,
        render: () => widget.render({ model: make(), el: cell, signal } as unknown as RenderProps<Traits>),
      };
    });
  main.replaceChildren(...sections.map(({ section }) => section));
  for (const { render } of sections) void render();
}

function start(main: HTMLElement, nav: HTMLElement): void {
  const query = new URLSearchParams(location.search);
  document.body.dataset.host = query.get("host") ?? "unknown";
  for (const name of Object.keys(cases)) {
    const link = document.createElement("a");
    link.href = `#${encodeURIComponent(name)}`;
    link.textContent = name;
    nav.append(link);
  }
  let shown = new AbortController();
  const change = () => {
    const wanted = decodeURIComponent(location.hash.slice(1));
    shown.abort();
    shown = new AbortController();
    nav.hidden = wanted !== "";
    show(main, wanted, query.get("width"), shown.signal);
  };
  window.addEventListener("hashchange", change);
  change();
}

const [main, nav] = [document.querySelector("main"), document.querySelector("nav")];
if (main !== null && nav !== null) start(main, nav);
