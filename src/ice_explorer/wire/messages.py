"""What the kernel sends: traits, and the one reply to each request.

`tests/tools/protocol_types.py` writes the same types for the browser, `js/src/wire/protocol.ts`. Replies are
dataclasses by their `Body`, which `packed` of `arrays` turns into JSON and buffers; traits are dicts.
"""

from typing import Any, Final, Literal, NotRequired, TypedDict

from ice_explorer.features.feature import FeatureKind
from ice_explorer.metrics.ordered import Convention
from ice_explorer.scene.choices import Distance
from ice_explorer.tables.column import ColumnKind
from ice_explorer.wire.arrays import F32, F64, U8, U32, Body

PROTOCOL_VERSION: Final = 10

Clock = list[tuple[float, float]]
"""Of dates with a time zone: since when [days since 1970], and how far ahead of UTC [days]; empty without one."""


# --- traits ---------------------------------------------------------------------------------------


class Status(TypedDict):
    """How far the background computation is; `done` and `total` count features.

    `n_rows` are the rows of the latest complete sample, and `n_all` those that it is drawn from; null where there is
    none, or every feature is exact.
    """

    state: Literal["computing", "ready", "cancelled", "error"]
    done: int
    total: int
    n_rows: int | None
    n_all: int | None
    label: str
    message: str


class FeatureHead(TypedDict):
    """What is known of a feature before any curve, and the range of its predictions once they are there.

    `n_rows` are the rows of the sample that it rests on; null where it is exact, or nothing is known yet. `n_grid` is
    that of the result: a sample may have fewer grid values.
    """

    name: str
    kind: FeatureKind
    n_grid: int
    scale: float
    range: tuple[float, float] | None
    n_rows: int | None


class ColumnHead(TypedDict):
    """What lines can be coloured by: a column of X, or a group of columns, which is a category."""

    name: str
    kind: ColumnKind


class DecaySteps(TypedDict):
    """The decays of the profile: first, first + step and so on."""

    first: float
    step: float
    count: int


class Note(TypedDict):
    """A sentence the reader should know, about one feature or about all."""

    feature: str | None
    text: str


class Header(TypedDict):
    """All that the browser needs to name and lay out what the two tables hold.

    `convention` is what the figures are averages of, and `conventions` what can be chosen, none without a model.
    `metrics` and `profiles` name what the tables hold; those that end in "_error" are standard errors of samples
    [output], NaN where a feature is exact.
    `prediction_sd` is the standard deviation of the predictions of the observations; null until it is known.
    `outputs` and `responses` are what can be chosen instead; empty where there is no choice. `distance` is the unit of
    the distance from the observed value, and `distances` are what it can be; empty without a kernel. `model` is its
    name, "" of a function; `score` is how well it predicts y, "" while that is not known. `target_name` is the name of
    y, "" where it has none; `alerts` name features that may be y.
    `is_saturated` says that most predicted probabilities are near 0 or 1, and that their log-odds can be explained.
    `models` are the names of several models, in their order; empty with one. The last profiles are then
    "disagreement", that of the pair of models that disagrees most, and with more than two models those of all pairs,
    "disagreement_0_1", "disagreement_0_2" and so on, by their places in `models`.
    """

    protocol: int
    version: str
    features: list[FeatureHead]
    columns: list[ColumnHead]
    metrics: list[str]
    profiles: list[str]
    decays: DecaySteps
    n_observations: int
    method: str
    method_reason: str
    convention: Convention
    conventions: list[Convention]
    prediction_sd: float | None
    output_label: str
    model: str
    score: str
    target_name: str
    outputs: list[str]
    responses: list[str]
    is_saturated: bool
    distance: Distance
    distances: list[Distance]
    models: list[str]
    alerts: list[str]
    notes: list[Note]


# --- bodies of replies ----------------------------------------------------------------------------


class MissingBody(Body):
    """Predictions with the value missing: how many rows lack it, mean over all rows, and of the lines [n]."""

    count: int
    mean: float
    values: F32


class CurvesBody(Body):
    """The curves of a feature, `values` [n_lines, n_grid], and what is drawn with them.

    `distances` [n_lines, n_grid] are exponents of the decay between levels without an order; null where grid, observed
    values and their scale tell them. `target` is what was observed of each line, NaN where missing; null where none
    was given. `at_own` are predictions at observed values, with the median in place of a missing one; null where all
    of these are grid values. Values, predictions, partial dependence, those of `missing` and `at_own` are stored
    minus `offset`, so that float32 keeps their precision on large outputs. `average` is a sentence about the partial
    dependence.

    Grid and observed are numbers; 0 and 1; days since 1970 or days; ranks; or, for levels without an order,
    0 … n_grid - 1, where -1 is an observed level that is not on the grid. `levels` are the names of the grid values.
    """

    feature: str
    kind: FeatureKind
    levels: list[str] | None
    n_lines: int
    n_grid: int
    n_observations: int
    offset: float
    prediction_range: tuple[float, float]
    average: str
    row_labels: list[str] | None
    median: float
    clock: Clock
    positions: U32
    observed: F64
    likelihood_scale: F64
    predictions: F32
    grid: F64
    values: F32
    partial_dependence: F32
    histogram_edges: F64
    histogram_counts: F64
    missing: MissingBody | None
    distances: F32 | None
    target: F64 | None
    at_own: F32 | None


class ClassesBody(Body):
    """The curves of a feature for every class, or for the 8 most probable ones: those of class `explained`, too.

    `values` [n_lines, n_grid] and `means` [n_grid] of each class are stored minus its offset.
    """

    feature: str
    kind: FeatureKind
    outputs: list[str]
    n_outputs: int
    explained: int
    n_lines: int
    n_grid: int
    positions: U32
    grid: F64
    offsets: list[float]
    values: list[F32]
    means: list[F32]


class ContinuousColors(Body):
    """A column to colour by on a ramp.

    `of` says how the values are written; `levels` are the names of 0, 1, … where they are ranks.
    """

    column: str
    kind: Literal["continuous"]
    of: ColumnKind
    domain: tuple[float, float]
    median: float
    levels: list[str] | None
    clock: Clock


class CategoryColors(Body):
    """A column to colour by in levels; `values` are the coordinates of levels that have an order."""

    column: str
    kind: Literal["category"]
    ordered: bool
    levels: list[str]
    values: list[float] | None
    counts: list[int]


class ColorsBody(Body):
    """What colours lines: the value of each on the scale, or the index of its level; NaN = missing."""

    scale: ContinuousColors | CategoryColors
    values: F64


class DriverBody(Body):
    """The best split of the rows by one column: at a threshold, or some levels against all others.

    `share` is that of the variance between curves, on rows that the split was not chosen on. `sides` names below and
    above, or outside and inside; `rule` is one of them, with the missing values, and has `n_rule` rows, the other
    `n_rest`.
    """

    column: str
    share: float
    rule: str
    n_rule: int
    n_rest: int
    threshold: float | None
    levels: list[str] | None
    sides: tuple[str, str]


class TextPart(Body):
    """A part of a sentence, and the group whose colour it has: 0 or 1, or null."""

    text: str
    group: int | None


class DriversBody(Body):
    """What makes the curves of a feature differ, best first; searched on `n_rows` of `n_curves` rows.

    `lead` is a sentence: how much curves differ, and whether a column explains it. `sentence` says how the prediction
    changes in both groups of the best split, or that rows change both ways; it is empty where one effect describes
    all rows. `together` says what two columns explain, where that is more than one does.
    """

    feature: str
    lead: str
    sentence: list[TextPart]
    drivers: list[DriverBody]
    n_rows: int
    n_curves: int


class EffectsBody(Body):
    """ALE [n_grid] of a feature at some values of its axis.

    It has the mean 0 over the observations; `mean_prediction` is that of those that have a value.
    """

    feature: str
    mean_prediction: float
    grid: F64
    ale: F32


class CorrelatedItem(Body):
    """A column or group, and how far a feature varies with it: -1 to 1 for "spearman", else 0 to 1."""

    column: str
    correlation: float
    measure: Literal["spearman", "correlation_ratio", "cramers_v"]


class CorrelatedBody(Body):
    """What varies strongly with a feature, by size; up to five. `lead` comes before, or says that nothing does."""

    feature: str
    lead: str
    items: list[CorrelatedItem]


class UnlikeBody(Body):
    """Which phantom observations of a feature are unlike 99 % of rows.

    `share` is that of all, `summary` says it in a sentence, and `shares` [n_grid] are those of the curves at each grid
    value. `flags` [n, n_grid] are those of the requested rows.
    """

    feature: str
    share: float
    summary: str
    grid: F64
    shares: F32
    flags: U8


class Intervals(Body):
    """Ends of intervals of a metric and of ranks, in the order of the header; NaN where a feature has none.

    `tied` are neighbours in rank that are tied.
    """

    low: F64
    high: F64
    rank_low: F64
    rank_high: F64
    tied: list[tuple[int, int]]


class IntervalsBody(Body):
    """Intervals of the metric of the ranking over other samples of rows.

    A reply has half a second. While `n_known` of the `n_features` explained ones is too few, there are none.
    """

    n_known: int
    n_features: int
    intervals: Intervals | None


class JointBody(Body):
    """How far a feature acts together with all others: H², and the SD of the part that is no sum [output]."""

    feature: str
    h2: float
    effect: float


class PairJointBody(Body):
    """The same of two features."""

    first: str
    second: str
    h2: float
    effect: float


class InteractionsBody(Body):
    """How far features and pairs of them act together, the largest H² first, on `n_rows` rows.

    `done` of `total` features and pairs are computed.
    """

    n_rows: int
    n_observations: int
    done: int
    total: int
    features: list[JointBody]
    pairs: list[PairJointBody]


class PairAxis(Body):
    """One of two features: its grid, and the observed values of the rows that the mean is of."""

    feature: str
    kind: FeatureKind
    levels: list[str] | None
    clock: Clock
    grid: F64
    observed: F64


class TwoWay(Body):
    """The partial dependence on two features, `values` [n_first, n_second], the mean of `n_rows` rows.

    `near` counts the observations near each pair of values.
    """

    first: PairAxis
    second: PairAxis
    n_rows: int
    n_observations: int
    values: F64
    near: U32


class TwoWayBody(Body):
    """The partial dependence on two features; null until all of it is computed."""

    share_done: float
    two_way: TwoWay | None


class RowsBody(Body):
    """Rows as text, in the requested order; "" is missing.

    The first `n_outcomes` columns are the prediction and, where y was given, y and y minus the prediction; the others
    are those of X.
    """

    columns: list[str]
    n_outcomes: int
    positions: list[int]
    rows: list[list[str]]


class MoveBody(Body):
    """A grid value at which the prediction of a row is further from its own than at every nearer one.

    `distance` is the exponent of the decay, null where only the absence of decay reaches it; `place` is where the
    value is on the axis of pictures.
    """

    distance: float | None
    place: float
    value: str
    change: float


class FeatureMoves(Body):
    """How far a feature moves the prediction of a row, nearest first."""

    feature: str
    observed: str
    moves: list[MoveBody]


class WhatIfBody(Body):
    """How far features move the prediction of one row: the first of those requested, as many as half a second takes."""

    position: int
    prediction: float
    features: list[FeatureMoves]


class InCommonItem(Body):
    """A range or some levels of a column in words, and the shares of the rows and of the rest that are there."""

    column: str
    text: str
    inside: float
    outside: float


class InCommonBody(Body):
    """What some rows have in common, what sets them apart most first."""

    items: list[InCommonItem]


class ExtremeBody(Body):
    """A row of X."""

    position: int


class ExportBody(Body):
    """A file: its bytes, or the `path` where it was written, or a folder of files."""

    filename: str
    mime: str
    path: str | None
    content: U8 | None


class NoBody(Body):
    """Nothing: the status says the rest."""


class Reply(TypedDict):
    """The one reply to a request: a result has a `body`, an error a `message`."""

    id: str
    type: Literal["result", "error", "cancelled"]
    body: NotRequired[Any]
    message: NotRequired[str]


class Refusal(TypedDict):
    """Why nothing was taken of what the browser set; its values go back to what they are here, as an update."""

    type: Literal["refused"]
    message: str
