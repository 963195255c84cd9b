/**
 * The messages between kernel and browser, as `tests/tools/protocol_types.py` writes them from the types in Python. Do
 * not edit them here.
 *
 * Document state and the figures computed so far are traits; large data is requested, with an id, and each request gets
 * exactly one reply. Arrays come as buffers beside the JSON; the types are those of replies in which they are unpacked.
 */

export const PROTOCOL_VERSION = 10;

export type Kind = "ice" | "c-ice" | "d-ice";
export type RankBy =
  | "impact"
  | "in_distribution_impact"
  | "heterogeneity"
  | "non_linearity"
  | "missing_impact"
  | "disagreement";
export type Convention = "step" | "paper";
export type Unit = "prediction" | "sd" | "share";
export type Distance = "marginal" | "conditional" | "custom";
export type NamedAnchor = "min" | "max" | "median" | "own";
export type Anchor = NamedAnchor | number;
export type FeatureKind = "numeric" | "boolean" | "category" | "ordered" | "datetime" | "timedelta" | "group";
export type ColumnKind = "numeric" | "boolean" | "category" | "ordered" | "datetime" | "timedelta" | "group" | "other";
export type Extreme = "highest" | "lowest";
export type ColorScale = ContinuousColors | CategoryColors;

/** What every view of an explorer shows; `ICEExplorer` documents these traits. */
export interface DocumentState {
  feature: string;
  color_by: string | null;
  kind: Kind;
  decay: number;
  rank_by: RankBy;
  ci: number | null;
  anchor: Anchor;
  max_lines: number;
  selection: number[];
}

/** All traits that users set: also what is explained. */
export interface PublicTraits extends DocumentState {
  output: string;
  response: string;
  convention: Convention;
  distance: Distance;
  model: string;
}

/** The levels that the legend of a column hides, by name; null stands for missing values. */
export interface Filter {
  hidden: (string | null)[];
}

/**
 * Choices about a view that no figure depends on; those at their defaults change nothing.
 *
 * - `left`, `right`: the panels: features as bars or their interactions; the open feature or all of them.
 * - `pair`: the two columns whose heat map replaces the curves; none or two.
 * - `compared`: features whose small plots are pinned: larger, before the others, on one value axis.
 * - `coloring`: how a column colours: by its values, as below and above its median, or by its best split.
 * - `shared_y`: whether small plots of all features have the same value axis.
 * - `target`, `classes`: whether the observed target and all classes are shown, where there are any.
 * - `models`: whether the curves of all models share the axes.
 * - `ale`: accumulated local effects beside the mean.
 * - `axis`: whether places on the axis of a number are its values or their ranks; by default ranks where most rows lie
 *   in a small part of the axis. Figures are by value.
 * - `fade`: whether curves fade by distance alone, or also disappear where they are unlike the data, if decay < 1.
 * - `filters`: the levels that the legend of a column hides.
 */
export interface ViewChoices {
  left: "bars" | "interactions";
  right: "feature" | "all";
  pair: string[];
  compared: string[];
  coloring: "value" | "median" | "driver";
  shared_y: boolean;
  target: boolean;
  classes: boolean;
  models: boolean;
  ale: boolean;
  axis: "auto" | "value" | "rank";
  fade: "unlike" | "distance";
  filters: Record<string, Filter>;
}

export const DOCUMENT_DEFAULTS: Readonly<DocumentState> = {
  feature: "",
  color_by: null,
  kind: "ice",
  decay: 0.75,
  rank_by: "in_distribution_impact",
  ci: null,
  anchor: "min",
  max_lines: 1000,
  selection: [],
};

export const CHOICE_DEFAULTS: Readonly<ViewChoices> = {
  left: "bars",
  right: "feature",
  pair: [],
  compared: [],
  coloring: "value",
  shared_y: true,
  target: false,
  classes: false,
  models: true,
  ale: false,
  axis: "auto",
  fade: "unlike",
  filters: {},
};

/**
 * How far the background computation is; `done` and `total` count features.
 *
 * `n_rows` are the rows of the latest complete sample, and `n_all` those that it is drawn from; null where there is
 * none, or every feature is exact.
 */
export interface Status {
  state: "computing" | "ready" | "cancelled" | "error";
  done: number;
  total: number;
  n_rows: number | null;
  n_all: number | null;
  label: string;
  message: string;
}

/**
 * What is known of a feature before any curve, and the range of its predictions once they are there.
 *
 * `n_rows` are the rows of the sample that it rests on; null where it is exact, or nothing is known yet. `n_grid` is
 * that of the result: a sample may have fewer grid values.
 */
export interface FeatureHead {
  name: string;
  kind: FeatureKind;
  n_grid: number;
  scale: number;
  range: [number, number] | null;
  n_rows: number | null;
}

/** What lines can be coloured by: a column of X, or a group of columns, which is a category. */
export interface ColumnHead {
  name: string;
  kind: ColumnKind;
}

/** The decays of the profile: first, first + step and so on. */
export interface DecaySteps {
  first: number;
  step: number;
  count: number;
}

/** A sentence the reader should know, about one feature or about all. */
export interface Note {
  feature: string | null;
  text: string;
}

/**
 * All that the browser needs to name and lay out what the two tables hold.
 *
 * `convention` is what the figures are averages of, and `conventions` what can be chosen, none without a model.
 * `metrics` and `profiles` name what the tables hold; those that end in "_error" are standard errors of samples
 * [output], NaN where a feature is exact.
 * `prediction_sd` is the standard deviation of the predictions of the observations; null until it is known.
 * `outputs` and `responses` are what can be chosen instead; empty where there is no choice. `distance` is the unit of
 * the distance from the observed value, and `distances` are what it can be; empty without a kernel. `model` is its
 * name, "" of a function; `score` is how well it predicts y, "" while that is not known. `target_name` is the name of
 * y, "" where it has none; `alerts` name features that may be y.
 * `is_saturated` says that most predicted probabilities are near 0 or 1, and that their log-odds can be explained.
 * `models` are the names of several models, in their order; empty with one. The last profiles are then
 * "disagreement", that of the pair of models that disagrees most, and with more than two models those of all pairs,
 * "disagreement_0_1", "disagreement_0_2" and so on, by their places in `models`.
 */
export interface Header {
  protocol: number;
  version: string;
  features: FeatureHead[];
  columns: ColumnHead[];
  metrics: string[];
  profiles: string[];
  decays: DecaySteps;
  n_observations: number;
  method: string;
  method_reason: string;
  convention: Convention;
  conventions: Convention[];
  prediction_sd: number | null;
  output_label: string;
  model: string;
  score: string;
  target_name: string;
  outputs: string[];
  responses: string[];
  is_saturated: boolean;
  distance: Distance;
  distances: Distance[];
  models: string[];
  alerts: string[];
  notes: Note[];
}

/** Predictions with the value missing: how many rows lack it, mean over all rows, and of the lines [n]. */
export interface MissingBody {
  count: number;
  mean: number;
  values: Float32Array;
}

/**
 * The curves of a feature, `values` [n_lines, n_grid], and what is drawn with them.
 *
 * `distances` [n_lines, n_grid] are exponents of the decay between levels without an order; null where grid, observed
 * values and their scale tell them. `target` is what was observed of each line, NaN where missing; null where none
 * was given. `at_own` are predictions at observed values, with the median in place of a missing one; null where all
 * of these are grid values. Values, predictions, partial dependence, those of `missing` and `at_own` are stored
 * minus `offset`, so that float32 keeps their precision on large outputs. `average` is a sentence about the partial
 * dependence.
 *
 * Grid and observed are numbers; 0 and 1; days since 1970 or days; ranks; or, for levels without an order,
 * 0 … n_grid - 1, where -1 is an observed level that is not on the grid. `levels` are the names of the grid values.
 */
export interface CurvesBody {
  feature: string;
  kind: FeatureKind;
  levels: string[] | null;
  n_lines: number;
  n_grid: number;
  n_observations: number;
  offset: number;
  prediction_range: [number, number];
  average: string;
  row_labels: string[] | null;
  median: number;
  clock: [number, number][];
  positions: Uint32Array;
  observed: Float64Array;
  likelihood_scale: Float64Array;
  predictions: Float32Array;
  grid: Float64Array;
  values: Float32Array;
  partial_dependence: Float32Array;
  histogram_edges: Float64Array;
  histogram_counts: Float64Array;
  missing: MissingBody | null;
  distances: Float32Array | null;
  target: Float64Array | null;
  at_own: Float32Array | null;
}

/**
 * The curves of a feature for every class, or for the 8 most probable ones: those of class `explained`, too.
 *
 * `values` [n_lines, n_grid] and `means` [n_grid] of each class are stored minus its offset.
 */
export interface ClassesBody {
  feature: string;
  kind: FeatureKind;
  outputs: string[];
  n_outputs: number;
  explained: number;
  n_lines: number;
  n_grid: number;
  positions: Uint32Array;
  grid: Float64Array;
  offsets: number[];
  values: Float32Array[];
  means: Float32Array[];
}

/**
 * A column to colour by on a ramp.
 *
 * `of` says how the values are written; `levels` are the names of 0, 1, … where they are ranks.
 */
export interface ContinuousColors {
  column: string;
  kind: "continuous";
  of: ColumnKind;
  domain: [number, number];
  median: number;
  levels: string[] | null;
  clock: [number, number][];
}

/** A column to colour by in levels; `values` are the coordinates of levels that have an order. */
export interface CategoryColors {
  column: string;
  kind: "category";
  ordered: boolean;
  levels: string[];
  values: number[] | null;
  counts: number[];
}

/** What colours lines: the value of each on the scale, or the index of its level; NaN = missing. */
export interface ColorsBody {
  scale: ColorScale;
  values: Float64Array;
}

/**
 * The best split of the rows by one column: at a threshold, or some levels against all others.
 *
 * `share` is that of the variance between curves, on rows that the split was not chosen on. `sides` names below and
 * above, or outside and inside; `rule` is one of them, with the missing values, and has `n_rule` rows, the other
 * `n_rest`.
 */
export interface DriverBody {
  column: string;
  share: number;
  rule: string;
  n_rule: number;
  n_rest: number;
  threshold: number | null;
  levels: string[] | null;
  sides: [string, string];
}

/** A part of a sentence, and the group whose colour it has: 0 or 1, or null. */
export interface TextPart {
  text: string;
  group: number | null;
}

/**
 * What makes the curves of a feature differ, best first; searched on `n_rows` of `n_curves` rows.
 *
 * `lead` is a sentence: how much curves differ, and whether a column explains it. `sentence` says how the prediction
 * changes in both groups of the best split, or that rows change both ways; it is empty where one effect describes
 * all rows. `together` says what two columns explain, where that is more than one does.
 */
export interface DriversBody {
  feature: string;
  lead: string;
  sentence: TextPart[];
  drivers: DriverBody[];
  n_rows: number;
  n_curves: number;
}

/**
 * ALE [n_grid] of a feature at some values of its axis.
 *
 * It has the mean 0 over the observations; `mean_prediction` is that of those that have a value.
 */
export interface EffectsBody {
  feature: string;
  mean_prediction: number;
  grid: Float64Array;
  ale: Float32Array;
}

/** A column or group, and how far a feature varies with it: -1 to 1 for "spearman", else 0 to 1. */
export interface CorrelatedItem {
  column: string;
  correlation: number;
  measure: "spearman" | "correlation_ratio" | "cramers_v";
}

/** What varies strongly with a feature, by size; up to five. `lead` comes before, or says that nothing does. */
export interface CorrelatedBody {
  feature: string;
  lead: string;
  items: CorrelatedItem[];
}

/**
 * Which phantom observations of a feature are unlike 99 % of rows.
 *
 * `share` is that of all, `summary` says it in a sentence, and `shares` [n_grid] are those of the curves at each grid
 * value. `flags` [n, n_grid] are those of the requested rows.
 */
export interface UnlikeBody {
  feature: string;
  share: number;
  summary: string;
  grid: Float64Array;
  shares: Float32Array;
  flags: Uint8Array;
}

/**
 * Ends of intervals of a metric and of ranks, in the order of the header; NaN where a feature has none.
 *
 * `tied` are neighbours in rank that are tied.
 */
export interface Intervals {
  low: Float64Array;
  high: Float64Array;
  rank_low: Float64Array;
  rank_high: Float64Array;
  tied: [number, number][];
}

/**
 * Intervals of the metric of the ranking over other samples of rows.
 *
 * A reply has half a second. While `n_known` of the `n_features` explained ones is too few, there are none.
 */
export interface IntervalsBody {
  n_known: number;
  n_features: number;
  intervals: Intervals | null;
}

/** How far a feature acts together with all others: H², and the SD of the part that is no sum [output]. */
export interface JointBody {
  feature: string;
  h2: number;
  effect: number;
}

/** The same of two features. */
export interface PairJointBody {
  first: string;
  second: string;
  h2: number;
  effect: number;
}

/**
 * How far features and pairs of them act together, the largest H² first, on `n_rows` rows.
 *
 * `done` of `total` features and pairs are computed.
 */
export interface InteractionsBody {
  n_rows: number;
  n_observations: number;
  done: number;
  total: number;
  features: JointBody[];
  pairs: PairJointBody[];
}

/** One of two features: its grid, and the observed values of the rows that the mean is of. */
export interface PairAxis {
  feature: string;
  kind: FeatureKind;
  levels: string[] | null;
  clock: [number, number][];
  grid: Float64Array;
  observed: Float64Array;
}

/**
 * The partial dependence on two features, `values` [n_first, n_second], the mean of `n_rows` rows.
 *
 * `near` counts the observations near each pair of values.
 */
export interface TwoWay {
  first: PairAxis;
  second: PairAxis;
  n_rows: number;
  n_observations: number;
  values: Float64Array;
  near: Uint32Array;
}

/** The partial dependence on two features; null until all of it is computed. */
export interface TwoWayBody {
  share_done: number;
  two_way: TwoWay | null;
}

/**
 * Rows as text, in the requested order; "" is missing.
 *
 * The first `n_outcomes` columns are the prediction and, where y was given, y and y minus the prediction; the others
 * are those of X.
 */
export interface RowsBody {
  columns: string[];
  n_outcomes: number;
  positions: number[];
  rows: string[][];
}

/**
 * A grid value at which the prediction of a row is further from its own than at every nearer one.
 *
 * `distance` is the exponent of the decay, null where only the absence of decay reaches it; `place` is where the
 * value is on the axis of pictures.
 */
export interface MoveBody {
  distance: number | null;
  place: number;
  value: string;
  change: number;
}

/** How far a feature moves the prediction of a row, nearest first. */
export interface FeatureMoves {
  feature: string;
  observed: string;
  moves: MoveBody[];
}

/** How far features move the prediction of one row: the first of those requested, as many as half a second takes. */
export interface WhatIfBody {
  position: number;
  prediction: number;
  features: FeatureMoves[];
}

/** A range or some levels of a column in words, and the shares of the rows and of the rest that are there. */
export interface InCommonItem {
  column: string;
  text: string;
  inside: number;
  outside: number;
}

/** What some rows have in common, what sets them apart most first. */
export interface InCommonBody {
  items: InCommonItem[];
}

/** A row of X. */
export interface ExtremeBody {
  position: number;
}

/** A file: its bytes, or the `path` where it was written, or a folder of files. */
export interface ExportBody {
  filename: string;
  mime: string;
  path: string | null;
  content: Uint8Array | null;
}

/** Why nothing was taken of what the browser set; its values go back to what they are here, as an update. */
export interface Refusal {
  type: "refused";
  message: string;
}

/** Nothing: the status says the rest. */
export type NoBody = Record<string, never>;

/**
 * Requests the curves of a feature: at most `max_lines`, and those of the selected rows.
 *
 * `model` is one of several models; the open one without it. Rows and grid are the same for all of them.
 */
export interface CurvesRequest {
  type: "curves";
  feature: string;
  max_lines: number;
  selection: number[];
  model?: string | null;
}

/** Requests the curves of a feature for every class. */
export interface ClassesRequest {
  type: "classes";
  feature: string;
  max_lines: number;
}

/** Requests the values of a column at some rows; `levels` have colours of their own however rare they are. */
export interface ColorsRequest {
  type: "colors";
  column: string;
  positions: number[];
  levels?: string[] | null;
}

/** Requests what explains the differences between the curves of a feature. */
export interface DriversRequest {
  type: "drivers";
  feature: string;
}

/** Requests ALE of a feature. */
export interface EffectsRequest {
  type: "effects";
  feature: string;
}

/** Requests what varies strongly with a feature. */
export interface CorrelatedRequest {
  type: "correlated";
  feature: string;
}

/** Requests which phantom observations of a feature are unlike 99 % of rows: of all rows, and of some. */
export interface UnlikeRequest {
  type: "unlike";
  feature: string;
  positions: number[];
}

/** Requests intervals of the metric of the ranking; the next request continues where the reply is incomplete. */
export interface IntervalsRequest {
  type: "intervals";
  rank_by: RankBy;
  level: number;
  decay: number;
}

/** Requests how far features act together; the next request continues where the reply is incomplete. */
export interface InteractionsRequest {
  type: "interactions";
}

/** Requests the partial dependence on two columns; the next request continues where the reply is incomplete. */
export interface TwoWayRequest {
  type: "two_way";
  first: string;
  second: string;
}

/** Requests rows of X as text: the first `most` of them, sorted by a column of the reply; null is unsorted. */
export interface RowsRequest {
  type: "rows";
  positions: number[];
  sort_by?: number | null;
  descending?: boolean;
  most?: number | null;
}

/** Requests how far a change of each of these features moves the prediction of one row. */
export interface WhatIfRequest {
  type: "what_if";
  position: number;
  features: string[];
}

/** Requests what some rows have in common: rare in the other rows, or in those `among` which they were chosen. */
export interface InCommonRequest {
  type: "in_common";
  positions: number[];
  among?: number[] | null;
}

/** Requests the row with the highest or the lowest prediction. */
export interface ExtremeRequest {
  type: "extreme";
  end: Extreme;
}

/**
 * Requests what a view shows as a file, to the browser or into the folder of the notebook.
 *
 * `what` is the whole view, or the curves of the open feature. `width` [mm] and `dpi` are the usual ones where null.
 */
export interface ExportRequest {
  type: "export";
  format: string;
  what: "view" | "panel";
  width: number | null;
  dpi: number | null;
  to: "browser" | "notebook";
  state: Partial<DocumentState>;
  choices: Partial<ViewChoices>;
}

/** Requests to stop the background computation. */
export interface CancelRequest {
  type: "cancel";
}

/** Requests the features that are missing after a cancel or a failure. */
export interface ResumeRequest {
  type: "resume";
}

export type Request =
  | CurvesRequest
  | ClassesRequest
  | ColorsRequest
  | DriversRequest
  | EffectsRequest
  | CorrelatedRequest
  | UnlikeRequest
  | IntervalsRequest
  | InteractionsRequest
  | TwoWayRequest
  | RowsRequest
  | WhatIfRequest
  | InCommonRequest
  | ExtremeRequest
  | ExportRequest
  | CancelRequest
  | ResumeRequest;

/** The body that answers each type of request. */
export interface Bodies {
  curves: CurvesBody;
  classes: ClassesBody;
  colors: ColorsBody;
  drivers: DriversBody;
  effects: EffectsBody;
  correlated: CorrelatedBody;
  unlike: UnlikeBody;
  intervals: IntervalsBody;
  interactions: InteractionsBody;
  two_way: TwoWayBody;
  rows: RowsBody;
  what_if: WhatIfBody;
  in_common: InCommonBody;
  extreme: ExtremeBody;
  export: ExportBody;
  cancel: NoBody;
  resume: NoBody;
}

/** Bytes as hosts pass them: mostly a DataView into a larger message. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** All that kernel and browser share without a request. */
export interface Traits extends PublicTraits {
  /** What a reader chose about the view; a missing entry has its default. */
  _view: Partial<ViewChoices>;
  /** Public traits that were chosen, from Python or in the explorer; settings do not change them. */
  _given: string[];
  _status: Status;
  _header: Header;
  /** The two tables of the open model, and those of each of several models, which have no disagreement. */
  _impact: Bytes;
  _profile: Bytes;
  _models_impact: Bytes;
  _models_profile: Bytes;
}

/** The one reply to a request; the body is packed. */
export type Reply =
  | { id: string; type: "result"; body: unknown }
  | { id: string; type: "error"; message: string }
  | { id: string; type: "cancelled" };
