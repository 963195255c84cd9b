/**
 * The messages between kernel and browser. Names are snake_case, as in Python.
 *
 * Document state and the figures computed so far are traits; large data is requested, with an id, and each request gets
 * exactly one reply.
 */

export const PROTOCOL_VERSION = 9;

export type Kind = "ice" | "c-ice" | "d-ice";
export type RankBy =
  | "impact"
  | "in_distribution_impact"
  | "heterogeneity"
  | "non_linearity"
  | "missing_impact"
  | "disagreement";
export type Convention = "step" | "paper";
/** Of the figures: that of the prediction, per cent of its standard deviation, or per cent of all features together. */
export type Unit = "prediction" | "sd" | "share";
/** Unit of the distance from the observed value, as the option `distance` of `explain` names it. */
export type Distance = "marginal" | "conditional" | "custom";
export type NamedAnchor = "min" | "max" | "median" | "own";
export type Anchor = NamedAnchor | number;
export type FeatureKind = "numeric" | "boolean" | "category" | "ordered" | "group" | "datetime" | "timedelta";
export type ColumnKind = Exclude<FeatureKind, "group"> | "other";

/** Traits that users read and set from Python, and that every view shares. */
export interface DocumentState {
  feature: string;
  color_by: string | null;
  kind: Kind;
  decay: number;
  rank_by: RankBy;
  convention: Convention;
  unit: Unit;
  /** Level of the intervals of the bars, such as 0.95; null shows none. */
  ci: number | null;
  anchor: Anchor;
  max_lines: number;
  selection: number[];
}

/** Choices about the view that no figure depends on; a missing entry has its default. */
export interface ViewChoices {
  /** The panel left of the curves: the features as bars, or their interactions. */
  left: "bars" | "interactions";
  /** The panel on the right: the open feature, or all features in small. */
  right: "feature" | "all";
  /** The two columns whose heat map replaces the curves; none or two. */
  pair: string[];
  /** Features pinned side by side under the open one. */
  compared: string[];
  /**
   * How a column colours: by its values, as below and above its median, or by its best split. Or which rules of two
   * columns together colour, whatever the column is.
   */
  coloring: "value" | "median" | "driver" | "together";
  /** Whether the value axis is the same for all features. */
  shared_y: boolean;
  /** Whether the observed target is shown, where there is one. */
  target: boolean;
  /** Whether all classes are shown next to each other. */
  classes: boolean;
  /** Whether the curves of all models share the axes; a column to colour by shows the open model alone. */
  models: boolean;
  /** Ticks at the observed values, if these are few enough. */
  rug: "auto" | "off";
  /** The mean of the curves and its band, accumulated local effects, and the M-plot. */
  partial_dependence: boolean;
  ale: boolean;
  m_plot: boolean;
  /** The features that vary most with the open one, under its title. */
  correlated: boolean;
  /** The share of phantom observations that are unlike 99 % of rows, along the axis. */
  unlike: boolean;
  /** Whether curves fade by distance, or where they are unlike the data while that is shown. */
  fade: "distance" | "unlike";
  /** The levels that the legend of a column hides, by name; null for missing values. */
  filters: Record<string, { hidden: (string | null)[] }>;
}

export interface Status {
  state: "computing" | "ready" | "cancelled" | "error";
  done: number;
  total: number;
  label: string;
  message: string;
  /** Rows of the last sample that all features have figures of; null where there is none, or all figures are exact. */
  n_rows: number | null;
  /** Rows that the sample is drawn from; null likewise. */
  n_all: number | null;
}

export interface FeatureHeader {
  name: string;
  kind: FeatureKind;
  /** Of the result: a sample may have fewer grid values. Null until they are known. */
  n_grid: number | null;
  scale: number | null;
  /** Rows of the sample that figures and curves rest on; null where they rest on all rows, or nothing is known yet. */
  n_rows: number | null;
  /** Smallest and largest prediction along this feature; null until it is computed. */
  range: [number, number] | null;
}

/** What lines can be coloured by: a column, or a group of columns, which is a category. */
interface ColumnHeader {
  name: string;
  kind: ColumnKind;
}

export interface DecaySteps {
  first: number;
  step: number;
  count: number;
}

export interface Note {
  feature: string | null;
  text: string;
}

/** What a view can be saved as. */
export interface FormatHeader {
  /** The suffix, without its dot. */
  name: string;
  /** Why the kernel cannot write it; null where it can. */
  problem: string | null;
  /** Whether one file takes all features. */
  holds_all: boolean;
}

export interface Header {
  protocol: number;
  version: string;
  features: FeatureHeader[];
  columns: ColumnHeader[];
  /** Columns of the one table, and blocks of the other. "<metric>_error" is the standard error of a sample [output]. */
  metrics: string[];
  profiles: string[];
  decays: DecaySteps;
  n_observations: number;
  method: string;
  method_reason: string;
  /** How the figures of the tables are counted. */
  convention: Convention;
  /** Standard deviation of the predictions of the observations; null until it is known. */
  prediction_sd: number | null;
  output_label: string;
  /** Name of the observed target; empty where it has none. */
  target_name: string;
  /** The outputs of the model and the scales of the selected one; empty if there is no choice. */
  outputs: string[];
  responses: string[];
  /**
   * Names of several models, in their order; empty with one. The last profiles are then "disagreement", that of the
   * pair that disagrees most, and with more than two models those of all pairs: "disagreement_0_1" and so on.
   */
  models: string[];
  /** What distances are measured in, and what they can be measured in; the list is empty without a kernel. */
  distance: Distance;
  distances: Distance[];
  formats: FormatHeader[];
  /** Warnings that are always visible, such as that a feature may be the target itself. */
  alerts: string[];
  notes: Note[];
  code: string;
}

/** Bytes as hosts pass them: mostly a DataView into a larger message. */
export type Bytes = ArrayBuffer | ArrayBufferView;

export interface Traits extends DocumentState {
  output: string;
  response: string;
  /** Name of the open model, that all but its curves and bars are about; empty with one model. */
  model: string;
  distance: Distance;
  _view: Partial<ViewChoices>;
  /** Public traits that were chosen, from Python or in the explorer; settings do not change them. */
  _given: string[];
  _status: Status;
  _header: Header;
  _impact: Bytes;
  _profile: Bytes;
  /** The two tables of each model, in the order of the header and without disagreement; empty with one model. */
  _models_impact: Bytes;
  _models_profile: Bytes;
}

export interface CurvesRequest {
  type: "curves";
  feature: string;
  max_lines: number;
  selection: number[];
  /** Of several models; the open one without it. Rows and grid are the same for all of them. */
  model?: string | null;
}

interface ClassesRequest {
  type: "classes";
  feature: string;
  max_lines: number;
}

export interface ColorsRequest {
  type: "colors";
  column: string;
  positions: number[];
  /** Levels that get separate colours however rare they are. */
  levels?: string[] | null;
}

/** Requests which rule each row fulfils, of the two columns that explain most together. */
export interface GroupsRequest {
  type: "groups";
  feature: string;
  positions: number[];
}

interface DriversRequest {
  type: "drivers";
  feature: string;
}

interface EffectsRequest {
  type: "effects";
  feature: string;
}

interface CorrelatedRequest {
  type: "correlated";
  feature: string;
}

interface UnlikeRequest {
  type: "unlike";
  feature: string;
  positions: number[];
}

/** Requests intervals of the figures of the bars. */
export interface IntervalsRequest {
  type: "intervals";
  rank_by: RankBy;
  level: number;
  decay: number;
  convention: Convention;
  unit: Unit;
}

/** Requests how far features act together. The reply may be incomplete; the next request continues. */
interface InteractionsRequest {
  type: "interactions";
}

/** Requests the partial dependence on two columns. The reply may be incomplete; the next request continues. */
export interface TwoWayRequest {
  type: "two_way";
  first: string;
  second: string;
}

export interface RowsRequest {
  type: "rows";
  positions: number[];
  /** The number of the column of the reply that rows are sorted by; null leaves them as they are. */
  sort_by?: number | null;
  descending?: boolean;
  /** The largest number of rows in the reply. */
  most?: number | null;
}

/** Requests how far a change of each of these features moves the prediction of one row. */
export interface WhatIfRequest {
  type: "what_if";
  position: number;
  features: string[];
}

interface InCommonRequest {
  type: "in_common";
  positions: number[];
}

export type Extreme = "highest" | "lowest";

/** Requests the row with the highest or the lowest prediction. */
interface ExtremeRequest {
  type: "extreme";
  end: Extreme;
}

/** The whole view, the curves of the open feature, of all, or of the feature that the state names. */
export type What = "view" | "panel" | "all" | "feature";

export interface ExportRequest {
  type: "export";
  format: string;
  what: What;
  /** In mm; null is the usual one. */
  width: number | null;
  dpi: number | null;
  /** Whether the curves have a heading. */
  title: boolean;
  to: "browser" | "notebook";
  state: DocumentState;
  /** What the reader chose about this view. */
  choices: Partial<ViewChoices>;
}

interface CancelRequest {
  type: "cancel";
}

/** Requests the features that are missing after a cancel or a failure. */
interface ResumeRequest {
  type: "resume";
}

export type Request =
  | CurvesRequest
  | ClassesRequest
  | ColorsRequest
  | GroupsRequest
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

/** Reports a view: it is shown, it was removed, or its page is being left. The reply is ignored. */
export interface ViewRequest {
  type: "view";
  view: string;
  state: "shown" | "removed" | "left";
}

/** Predictions with the value missing, over all rows. */
export interface MissingBody {
  count: number;
  mean: number;
  spread: number;
}

export interface CurvesBody {
  feature: string;
  kind: FeatureKind;
  /** Names of the grid values, where they are levels. */
  levels: string[] | null;
  /** Null where no observation lacks the value. */
  missing: MissingBody | null;
  n_lines: number;
  n_grid: number;
  n_observations: number;
  offset: number;
  prediction_range: [number, number];
  row_labels: string[] | null;
  median: number;
  /** Of dates with a time zone: since when, and how far ahead of UTC [days]; empty without one. */
  clock: [number, number][];
}

export interface ClassesBody {
  feature: string;
  kind: FeatureKind;
  /** Which classes these are; the model may have more. */
  outputs: string[];
  n_outputs: number;
  /** Which of them is the explained one. */
  explained: number;
  n_lines: number;
  n_grid: number;
  offsets: number[];
}

export interface ContinuousColors {
  column: string;
  kind: "continuous";
  /** How the values are written. */
  of: ColumnKind;
  domain: [number, number];
  median: number;
  /** Names of the values 0, 1, …, where they are ranks. */
  levels: string[] | null;
  /** As in `CurvesBody`. */
  clock: [number, number][];
}

export interface CategoryColors {
  column: string;
  kind: "category";
  ordered: boolean;
  levels: string[];
  /** The ranks of the levels, if they have an order. */
  values: number[] | null;
  counts: number[];
}

export type ColorsBody = ContinuousColors | CategoryColors;

/** The best split of the rows by one column. */
export interface DriverBody {
  column: string;
  /** Part of the variance between curves, on rows that the split was not chosen on, 0 to 1. */
  share: number;
  /** One side in words, with the missing values. */
  rule: string;
  /** Rows on that side, and on the other. */
  n_rule: number;
  n_rest: number;
  threshold: number | null;
  /** Levels of one side, where there is no threshold. */
  levels: string[] | null;
  /** Below and above, or outside and inside. */
  sides: [string, string];
}

/** Two columns together; none where they explain no more than the best one. */
export interface CombinedBody {
  columns: string[];
  share: number;
  rules: { rule: string; n_rows: number }[];
}

/** What makes the curves of a feature differ, best first. */
export interface DriversBody {
  feature: string;
  /** How much curves differ, and whether a column explains it. */
  lead: string;
  drivers: DriverBody[];
  combined: CombinedBody;
  n_rows: number;
  n_curves: number;
}

/** ALE and M-plot of a feature; the M-plot is stored relative to the mean prediction. */
export interface EffectsBody {
  feature: string;
  n_grid: number;
  mean_prediction: number;
}

/** What varies strongly with a feature, by size; `lead` comes before, or says that nothing does. */
export interface CorrelatedBody {
  feature: string;
  lead: string;
  items: { column: string; correlation: number; measure: "spearman" | "correlation_ratio" | "cramers_v" }[];
}

/** How many phantom observations of a feature are unlike 99 % of rows. */
export interface UnlikeBody {
  feature: string;
  n_grid: number;
  share: number;
  summary: string;
}

/** Intervals over other samples of rows; while too few features are known, without buffers, and requested again. */
export interface IntervalsBody {
  n_known: number;
  n_features: number;
  /** Neighbours in rank that are tied, by their indices in the header. */
  tied: [number, number][];
}

/** Friedman's H², and the standard deviation of the part of the effect that is no sum [output]. */
export interface JointBody {
  h2: number;
  effect: number;
}

/** How much of the variance of the slopes of a feature lies between rows, with its 95 % interval. */
export interface AdditivityBody {
  feature: string;
  share: number;
  low: number;
  high: number;
  /** The share in a sentence. */
  verdict: string;
}

/** How far features act together, the largest H² first. */
export interface InteractionsBody {
  n_rows: number;
  n_observations: number;
  /** Features and pairs that are computed, of all. */
  done: number;
  total: number;
  features: (JointBody & { feature: string })[];
  pairs: (JointBody & { first: string; second: string })[];
  additivity: AdditivityBody[];
}

/** One of two features; `levels` and `clock` as in `CurvesBody`. */
export interface PairAxis {
  feature: string;
  kind: FeatureKind;
  levels: string[] | null;
  clock: [number, number][];
}

export interface TwoWayBody {
  first: PairAxis;
  second: PairAxis;
  /** There are no buffers before this is 1. */
  share_done: number;
  n_rows: number;
  n_observations: number;
  offset: number;
}

/** Rows as text, in the requested order. */
export interface RowsBody {
  /** The prediction and, where y was given, y and y minus the prediction; then the columns of X. */
  columns: string[];
  n_outcomes: number;
  positions: number[];
  rows: string[][];
}

/** A value at which the prediction of a row changes more than at every nearer one. */
export interface MoveBody {
  /** The exponent of the decay; null where only the absence of decay reaches it. */
  distance: number | null;
  /** Where the value is on the axis, and the value as text. */
  place: number;
  value: string;
  change: number;
}

export interface FeatureMoves {
  feature: string;
  observed: string;
  /** Nearest first. */
  moves: MoveBody[];
}

/** The first of the requested features; at least one. */
export interface WhatIfBody {
  position: number;
  prediction: number;
  features: FeatureMoves[];
}

export interface InCommonBody {
  /** What sets the rows apart most comes first; shares of the rows and of the rest. */
  items: { column: string; text: string; inside: number; outside: number }[];
}

interface ExtremeBody {
  position: number;
}

export interface ExportBody {
  filename: string;
  mime: string;
  /** Where the kernel wrote it, or a folder of files; null where its bytes came along. */
  path: string | null;
}

/** The body that answers each type of request. */
export interface Bodies {
  curves: CurvesBody;
  classes: ClassesBody;
  colors: ColorsBody;
  groups: CategoryColors;
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
  cancel: Record<string, never>;
  resume: Record<string, never>;
}

export type Reply =
  | { id: string; type: "result"; body: Bodies[keyof Bodies] }
  | { id: string; type: "error"; message: string }
  | { id: string; type: "cancelled" };

/** Why the kernel refused what a page set; the valid values follow as an update of the traits. */
export interface Refusal {
  type: "refused";
  message: string;
}

/** For the end of a switch over a union: a new member without a case does not compile. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected ${JSON.stringify(value)}.`);
}
