"""Messages between kernel and browser: one TypedDict per message.

The browser's twin is `js/src/wire/protocol.ts`; both spell every name alike. Document state lives in
traits; everything else is a request of the browser that gets exactly one reply with its own id.
Numbers that come in bulk travel as buffers beside the JSON, in the order that each body states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired, TypeAlias, TypedDict, cast, get_args

from ice_explorer.errors import ICEExplorerError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import ANCHOR_NAMES
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.results.options import KINDS, RANKINGS, UNITS
from ice_explorer.wire.forms import (
    FLAG,
    POSITIONS,
    TEXT,
    TEXTS,
    Form,
    check_entries,
    is_count,
    is_finite,
    is_list,
    is_text,
    one_of,
)

if TYPE_CHECKING:
    from ice_explorer.features.feature import AnchorName, FeatureKind
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.results.options import Kind, RankBy, Unit
    from ice_explorer.tables.column import ColumnKind

PROTOCOL_VERSION: Final = 9

What: TypeAlias = Literal["view", "panel", "all", "feature"]
Presence: TypeAlias = Literal["shown", "removed", "left"]
ClockChanges: TypeAlias = tuple[tuple[float, float], ...]
Extreme: TypeAlias = Literal["highest", "lowest"]
Measure: TypeAlias = Literal["spearman", "correlation_ratio", "cramers_v"]

WHATS: Final[tuple[str, ...]] = get_args(What)
PRESENCES: Final[tuple[str, ...]] = get_args(Presence)
EXTREMES: Final[tuple[str, ...]] = get_args(Extreme)
DESTINATIONS: Final = ("browser", "notebook")


# --- document state -------------------------------------------------------------------------------


class Status(TypedDict):
    """How far the background computation is; `done` and `total` count features.

    `n_rows` are the rows of the latest complete draft, and `n_all` those that the result rests on; None where there
    is no draft, or every feature is exact.
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

    `n_rows` are the rows of its draft; None where it is exact, or not known yet. `n_grid` is that of the result: a
    draft may have fewer grid values.
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


class FormatHead(TypedDict):
    """A format that a view can be saved in, by its suffix without the dot.

    `problem` says why it cannot be written here and now; None where it can. `holds_all` is whether one file
    takes all features.
    """

    name: str
    problem: str | None
    holds_all: bool


class Header(TypedDict):
    """All that the browser needs to name and lay out what the two tables hold.

    `convention` is the one that the tables are counted by, `metrics` and `profiles` name what they hold. Those that end
    in "_error" are standard errors of drafts [output], NaN where a feature is exact.
    `prediction_sd` is the standard deviation of the predictions of the observations; None until it is known.
    `outputs` and `responses` are what can be chosen instead; empty where there is no choice. `distance` is the unit of
    the distance from the observed value, and `distances` are what it can be; empty without a kernel. `formats` are
    those of saved files. `target_name` is the name of y, "" where it has none; `alerts` name features that may be y.
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
    prediction_sd: float | None
    output_label: str
    target_name: str
    outputs: list[str]
    responses: list[str]
    distance: str
    distances: list[str]
    models: list[str]
    formats: list[FormatHead]
    alerts: list[str]
    notes: list[Note]
    code: str


class ViewMessage(TypedDict):
    """The public traits: what a view of the explorer shows."""

    feature: str
    color_by: str | None
    kind: Kind
    decay: float
    rank_by: RankBy
    convention: Convention
    unit: Unit
    ci: float | None
    anchor: AnchorName | float
    max_lines: int
    selection: list[int]


# --- requests -------------------------------------------------------------------------------------


class CurvesRequest(TypedDict):
    """Request the lines of one feature: at most `max_lines`, and those of the selected rows.

    `model` is one of several models; the open one without it. Rows and grid are the same for all of them.
    """

    id: str
    type: Literal["curves"]
    feature: str
    max_lines: int
    selection: list[int]
    model: NotRequired[str | None]


class ClassesRequest(TypedDict):
    """Request the lines of one feature for every class."""

    id: str
    type: Literal["classes"]
    feature: str
    max_lines: int


class ColorsRequest(TypedDict):
    """Request the values of a column at some rows; `levels` have colours of their own however rare they are."""

    id: str
    type: Literal["colors"]
    column: str
    positions: list[int]
    levels: NotRequired[list[str] | None]


class GroupsRequest(TypedDict):
    """Request which rule of the two columns that explain most together some rows fulfil."""

    id: str
    type: Literal["groups"]
    feature: str
    positions: list[int]


class DriversRequest(TypedDict):
    """Request what explains the differences between the curves of a feature."""

    id: str
    type: Literal["drivers"]
    feature: str


class EffectsRequest(TypedDict):
    """Request ALE and M-plot of a feature."""

    id: str
    type: Literal["effects"]
    feature: str


class CorrelatedRequest(TypedDict):
    """Request what varies strongly with a feature."""

    id: str
    type: Literal["correlated"]
    feature: str


class UnlikeRequest(TypedDict):
    """Request which phantom observations of a feature are unlike 99 % of rows: of all rows, and of some."""

    id: str
    type: Literal["unlike"]
    feature: str
    positions: list[int]


class IntervalsRequest(TypedDict):
    """Request intervals of the metric of the ranking, at a level between 0 and 1."""

    id: str
    type: Literal["intervals"]
    rank_by: RankBy
    level: float
    decay: float
    convention: Convention
    unit: Unit


class InteractionsRequest(TypedDict):
    """Request how far features act together; the reply may be incomplete, and the next request continues."""

    id: str
    type: Literal["interactions"]


class TwoWayRequest(TypedDict):
    """Request the partial dependence on two columns; the reply may be incomplete, and the next request continues."""

    id: str
    type: Literal["two_way"]
    first: str
    second: str


class RowsRequest(TypedDict):
    """Request rows of X as text: the first `most` of them, sorted by a column of the reply; None is unsorted."""

    id: str
    type: Literal["rows"]
    positions: list[int]
    sort_by: NotRequired[int | None]
    descending: NotRequired[bool]
    most: NotRequired[int | None]


class WhatIfRequest(TypedDict):
    """Request how far a change of each of these features moves the prediction of one row."""

    id: str
    type: Literal["what_if"]
    position: int
    features: list[str]


class InCommonRequest(TypedDict):
    """Request what some rows have in common."""

    id: str
    type: Literal["in_common"]
    positions: list[int]


class ExtremeRequest(TypedDict):
    """Request the row with the highest or the lowest prediction."""

    id: str
    type: Literal["extreme"]
    end: Extreme


class ExportRequest(TypedDict):
    """Request what a view shows as a file.

    `what` is the whole view, the curves of the open feature, those of all features, or those of the feature that
    the state names, whichever is open. `width` [mm] and `dpi` are the usual ones where they are None. `title` is
    whether the curves have a heading. It goes back to the browser, or into the folder of the notebook.
    `choices` are what the reader chose about this view.
    """

    id: str
    type: Literal["export"]
    format: str
    what: What
    width: float | None
    dpi: float | None
    title: bool
    to: Literal["browser", "notebook"]
    state: ViewMessage
    choices: dict[str, Any]


class CancelRequest(TypedDict):
    """Request to stop the background computation."""

    id: str
    type: Literal["cancel"]


class ResumeRequest(TypedDict):
    """Request the features that are missing after a cancel or a failure."""

    id: str
    type: Literal["resume"]


class ViewRequest(TypedDict):
    """Report that a page shows the explorer in a view, has removed that view, or is left."""

    id: str
    type: Literal["view"]
    view: str
    state: Presence


Request: TypeAlias = (
    CurvesRequest
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
    | ResumeRequest
    | ViewRequest
)


# --- bodies of replies ----------------------------------------------------------------------------


class MissingBody(TypedDict):
    """Predictions with the value missing: how many rows lack it, and mean and SD over all rows."""

    count: int
    mean: float
    spread: float


class CurvesBody(TypedDict):
    """The lines of a feature.

    Buffers: positions u32[n], observed f64[n], likelihood_scale f64[n], predictions f32[n],
    grid f64[K], curves f32[n·K] row by row, partial_dependence f32[K], spread f32[K],
    histogram_edges f64[B+1], histogram_counts f64[B], missing f32[n] (empty where `missing` is
    None), distances f32[n·K] (empty where grid, observed and likelihood_scale tell them), target
    f64[n] (observed; NaN = missing; empty where none was given), at_own f32[n] (predictions at own
    values, with the median in place of a missing one; empty where all of these are grid values).
    Curves, predictions, partial dependence, missing and at_own are stored minus `offset`, so that
    float32 keeps their precision on large outputs.

    Grid and observed are numbers; 0 and 1; days since 1970 or days; ranks; or, for levels without
    an order, 0 … K - 1, where -1 is an observed level that is not on the grid. `levels` are the
    names of the grid values. `clock` is for dates with a time zone: since when [days since 1970],
    and how far ahead of UTC [days], the first one before that, too; empty without a zone.
    """

    feature: str
    kind: FeatureKind
    levels: list[str] | None
    missing: MissingBody | None
    n_lines: int
    n_grid: int
    n_observations: int
    offset: float
    prediction_range: tuple[float, float]
    row_labels: list[str] | None
    median: float
    clock: ClockChanges


class ClassesBody(TypedDict):
    """The lines of a feature for every class, or for the 8 most probable ones.

    Buffers: positions u32[n], grid f64[K], curves f32[C·n·K] and their means f32[C·K], class by
    class, minus the `offsets` of the classes.
    """

    feature: str
    kind: FeatureKind
    outputs: list[str]
    n_outputs: int
    explained: int
    n_lines: int
    n_grid: int
    offsets: list[float]


class ContinuousColorsBody(TypedDict):
    """A column to colour by on a ramp. Buffer: values f64, NaN = missing.

    `of` says how the values are written; `levels` are the names of 0, 1, … where they are ranks; `clock` is as in
    `CurvesBody`.
    """

    column: str
    kind: Literal["continuous"]
    of: ColumnKind
    domain: tuple[float, float]
    median: float
    levels: list[str] | None
    clock: ClockChanges


class CategoryColorsBody(TypedDict):
    """A column to colour by in levels. Buffer: level index f32, NaN = missing.

    `values` are the coordinates of levels that have an order.
    """

    column: str
    kind: Literal["category"]
    ordered: bool
    levels: list[str]
    values: list[float] | None
    counts: list[int]


class DriverBody(TypedDict):
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


class RuleBody(TypedDict):
    """One of the rules of two columns, and the number of its rows."""

    rule: str
    n_rows: int


class CombinedBody(TypedDict):
    """Two columns together, and what they explain; no columns where they explain no more than the best one."""

    columns: list[str]
    share: float
    rules: list[RuleBody]


class DriversBody(TypedDict):
    """What makes the curves of a feature differ, best first; searched on `n_rows` of `n_curves` rows.

    `lead` is a sentence: how much curves differ, and whether a column explains it.
    """

    feature: str
    lead: str
    drivers: list[DriverBody]
    combined: CombinedBody
    n_rows: int
    n_curves: int


class EffectsBody(TypedDict):
    """ALE and M-plot of a feature at some values of its axis.

    Buffers: grid f64[K]; ale f32[K], mean 0 over the observations; m_plot f32[K] minus `mean_prediction`, that of the
    observations that have a value.
    """

    feature: str
    n_grid: int
    mean_prediction: float


class CorrelatedItem(TypedDict):
    """A column or group, and how far a feature varies with it: -1 to 1 for "spearman", else 0 to 1."""

    column: str
    correlation: float
    measure: Measure


class CorrelatedBody(TypedDict):
    """What varies strongly with a feature, by size; up to five. `lead` comes before, or says that nothing does."""

    feature: str
    lead: str
    items: list[CorrelatedItem]


class UnlikeBody(TypedDict):
    """How many phantom observations of a feature are unlike 99 % of rows.

    `share` is that of all, `summary` says it in a sentence. Buffers: grid f64[K], the share of the curves at each
    grid value f32[K], and whether each phantom observation of the requested rows is, u8[n·B]: a bit for each grid
    value, the lowest one first, in a multiple of 4 bytes.
    """

    feature: str
    n_grid: int
    share: float
    summary: str


class IntervalsBody(TypedDict):
    """Intervals of the metric of the ranking over other samples of rows, and pairs of neighbours in rank that are tied.

    A reply has half a second. While `n_known` of the `n_features` explained ones is too few, it has no buffers and no
    pairs, and the page repeats its request. Buffers: low f64[n], high f64[n], rank_low f64[n], rank_high f64[n], in
    the unit of the request and the order of the header; NaN where a feature has none.
    """

    n_known: int
    n_features: int
    tied: list[tuple[int, int]]


class JointBody(TypedDict):
    """How far a feature acts together with all others: H², and the SD of the part that is no sum [output]."""

    feature: str
    h2: float
    effect: float


class PairJointBody(TypedDict):
    """The same of two features."""

    first: str
    second: str
    h2: float
    effect: float


class AdditivityBody(TypedDict):
    """Share of the variance of the slopes of a feature that lies between rows, its 95 % interval, and a sentence."""

    feature: str
    share: float
    low: float
    high: float
    verdict: str


class InteractionsBody(TypedDict):
    """How far features and pairs of them act together, the largest H² first, on `n_rows` rows.

    `done` of `total` features and pairs are computed.
    """

    n_rows: int
    n_observations: int
    done: int
    total: int
    features: list[JointBody]
    pairs: list[PairJointBody]
    additivity: list[AdditivityBody]


class PairAxis(TypedDict):
    """One of two features; `levels` and `clock` are as in `CurvesBody`."""

    feature: str
    kind: FeatureKind
    levels: list[str] | None
    clock: ClockChanges


class TwoWayBody(TypedDict):
    """The partial dependence on two features, the mean of `n_rows` rows.

    Buffers, none before `share_done` is 1: grids f64[n_first] and f64[n_second], partial dependence minus `offset`
    f32[n_first·n_second], observations near each pair u32[n_first·n_second], observed values f64[n_rows] of each.
    """

    first: PairAxis
    second: PairAxis
    share_done: float
    n_rows: int
    n_observations: int
    offset: float


class RowsBody(TypedDict):
    """Rows as text, in the requested order; "" is missing.

    The first `n_outcomes` columns are the prediction and, where y was given, y and y minus the prediction; the others
    are those of X.
    """

    columns: list[str]
    n_outcomes: int
    positions: list[int]
    rows: list[list[str]]


class MoveBody(TypedDict):
    """A grid value at which the prediction of a row is further from its own than at every nearer one.

    `distance` is the exponent of the decay, None where only the absence of decay reaches it; `place` is where the
    value is on the axis of pictures.
    """

    distance: float | None
    place: float
    value: str
    change: float


class FeatureMovesBody(TypedDict):
    """How far a feature moves the prediction of a row, nearest first."""

    feature: str
    observed: str
    moves: list[MoveBody]


class WhatIfBody(TypedDict):
    """How far features move the prediction of one row: the first of those asked for, as many as half a second takes."""

    position: int
    prediction: float
    features: list[FeatureMovesBody]


class InCommonItem(TypedDict):
    """A range or some levels of a column in words, and the shares of the rows and of the rest that are there."""

    column: str
    text: str
    inside: float
    outside: float


class InCommonBody(TypedDict):
    """What some rows have in common, what sets them apart most first."""

    items: list[InCommonItem]


class ExtremeBody(TypedDict):
    """A row of X."""

    position: int


class ExportBody(TypedDict):
    """A file. Buffer: its bytes; none where it was written, or a folder of files, at `path`."""

    filename: str
    mime: str
    path: str | None


class CancelBody(TypedDict):
    """Nothing: the status says the rest."""


class ResumeBody(TypedDict):
    """Nothing: the status says the rest."""


class ViewBody(TypedDict):
    """Nothing."""


Body: TypeAlias = (
    CurvesBody
    | ClassesBody
    | ContinuousColorsBody
    | CategoryColorsBody
    | DriversBody
    | EffectsBody
    | CorrelatedBody
    | UnlikeBody
    | IntervalsBody
    | InteractionsBody
    | TwoWayBody
    | RowsBody
    | WhatIfBody
    | InCommonBody
    | ExtremeBody
    | ExportBody
    | CancelBody
    | ResumeBody
    | ViewBody
)


class Reply(TypedDict):
    """The one reply to a request: `body` goes with a result, `message` with an error."""

    id: str
    type: Literal["result", "error", "cancelled"]
    body: NotRequired[Body]
    message: NotRequired[str]


class Refusal(TypedDict):
    """Why nothing was taken of what the browser set; its values go back to what they are here, as an update."""

    type: Literal["refused"]
    message: str


# --- reading what the browser sent ----------------------------------------------------------------


def _or_nothing(form: Form) -> Form:
    return Form(f"{form.expected}, or nothing", lambda value: value is None or form.is_met(value))


def _is_decay(value: object) -> bool:
    return is_finite(value) and 0 < cast("float", value) <= 1


def _is_anchor(value: object) -> bool:
    return is_finite(value) or (is_text(value) and value in ANCHOR_NAMES)


def _is_level(value: object) -> bool:
    return is_finite(value) and 0 < cast("float", value) < 1


_COUNT: Final = Form("an integer of at least 0", is_count)
_AT_LEAST_ONE: Final = Form("an integer of at least 1", lambda value: is_count(value) and value != 0)
_NUMBER_OR_NOTHING: Final = _or_nothing(Form("a finite number", is_finite))
_DECAY: Final = Form("a number greater than 0 and at most 1", _is_decay)
_LEVEL: Final = Form("a number greater than 0 and less than 1", _is_level)

VIEW_STATE: Final[Mapping[str, Form]] = {
    "feature": TEXT,
    "color_by": _or_nothing(TEXT),
    "kind": one_of(*KINDS),
    "decay": _DECAY,
    "rank_by": one_of(*RANKINGS),
    "convention": one_of(*CONVENTIONS),
    "unit": one_of(*UNITS),
    "ci": _or_nothing(_LEVEL),
    "anchor": Form(f"{', '.join(map(repr, ANCHOR_NAMES))} or a finite number", _is_anchor),
    "max_lines": _AT_LEAST_ONE,
    "selection": POSITIONS,
}


def _is_filter(value: object) -> bool:
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    return is_list(value.get("hidden"), lambda level: level is None or is_text(level))


# The browser's twin is `ViewChoices` in `js/src/wire/protocol.ts`; a test holds the names to each other.
VIEW_CHOICES: Final[Mapping[str, Form]] = {
    "left": one_of("bars", "interactions"),
    "right": one_of("feature", "all"),
    "pair": Form("a list of no texts or of two", lambda value: is_list(value, is_text) and len(value) in {0, 2}),  # type: ignore[arg-type]
    "compared": TEXTS,
    "coloring": one_of("value", "median", "driver", "together"),
    "shared_y": FLAG,
    "target": FLAG,
    "classes": FLAG,
    "models": FLAG,
    "rug": one_of("auto", "off"),
    "partial_dependence": FLAG,
    "ale": FLAG,
    "m_plot": FLAG,
    "correlated": FLAG,
    "unlike": FLAG,
    "fade": one_of("distance", "unlike"),
    "filters": Form(
        "a dict of hidden levels each",
        lambda value: isinstance(value, Mapping) and all(is_text(k) and _is_filter(v) for k, v in value.items()),
    ),
}

# What each request carries besides id and type; also the list of all requests.
_FIELDS: Final[Mapping[str, Mapping[str, Form]]] = {
    "curves": {"feature": TEXT, "max_lines": _AT_LEAST_ONE, "selection": POSITIONS, "model": _or_nothing(TEXT)},
    "classes": {"feature": TEXT, "max_lines": _AT_LEAST_ONE},
    "colors": {"column": TEXT, "positions": POSITIONS, "levels": _or_nothing(TEXTS)},
    "groups": {"feature": TEXT, "positions": POSITIONS},
    "drivers": {"feature": TEXT},
    "effects": {"feature": TEXT},
    "correlated": {"feature": TEXT},
    "unlike": {"feature": TEXT, "positions": POSITIONS},
    "intervals": {
        "rank_by": one_of(*RANKINGS),
        "level": _LEVEL,
        "decay": _DECAY,
        "convention": one_of(*CONVENTIONS),
        "unit": one_of(*UNITS),
    },
    "interactions": {},
    "two_way": {"first": TEXT, "second": TEXT},
    "rows": {
        "positions": POSITIONS,
        "sort_by": _or_nothing(_COUNT),
        "descending": _or_nothing(Form("true or false", lambda value: isinstance(value, bool))),
        "most": _or_nothing(_COUNT),
    },
    "what_if": {"position": _COUNT, "features": TEXTS},
    "in_common": {"positions": POSITIONS},
    "extreme": {"end": one_of(*EXTREMES)},
    "export": {
        "format": TEXT,
        "what": one_of(*WHATS),
        "width": _NUMBER_OR_NOTHING,
        "dpi": _NUMBER_OR_NOTHING,
        "title": FLAG,
        "to": one_of(*DESTINATIONS),
        "state": Form(
            "the state of a view", lambda value: isinstance(value, Mapping) and set(value) == set(VIEW_STATE)
        ),
        "choices": Form("the choices about a view", lambda value: isinstance(value, Mapping)),
    },
    "cancel": {},
    "resume": {},
    "view": {"view": TEXT, "state": one_of(*PRESENCES)},
}
# A request that breaks the protocol comes from a page that loaded another version's front end.
_RELOAD: Final = "Restart the kernel and reload the page, so that both run the same version."
# What is in fields that are mappings.
_ENTRIES: Final[Mapping[str, Mapping[str, Mapping[str, Form]]]] = {
    "export": {"state": VIEW_STATE, "choices": VIEW_CHOICES},
}


def parse_request(content: Mapping[str, Any]) -> Request:
    """Check a message from the browser once, at the door.

    - `content`: the JSON of a custom message.
    - returns: its id, type and fields, known to hold what the type promises; others are left out.
    - raises ICEExplorerError: if the type is unknown or a field is missing or of another kind.
    """
    request = content.get("type")
    if not isinstance(request, str) or request not in _FIELDS:
        raise ICEExplorerError(
            f"A request must be of type {', '.join(map(repr, _FIELDS))}; got {quoted(request)}.", _RELOAD
        )
    # A field that is missing holds nothing.
    fields: dict[str, Any] = {name: content.get(name) for name in _FIELDS[request]}
    _check(request, "", fields, _FIELDS[request])
    for field, forms in _ENTRIES.get(request, {}).items():
        _check(request, f"{field}.", fields[field], forms)
    return cast("Request", {**{name: content[name] for name in ("id", "type") if name in content}, **fields})


def _check(request: str, within: str, entries: Mapping[Any, Any], forms: Mapping[str, Form]) -> None:
    """Check the fields of a request, or the entries within one of them."""
    check_entries(
        entries,
        forms,
        lambda name: ICEExplorerError(
            f"{within.removesuffix('.')!r} of a request {request!r} must have no other entries than "
            f"{', '.join(map(repr, forms))}; got {quoted(name)}.",
            _RELOAD,
        ),
        lambda name, expected, got: ICEExplorerError(
            f"{within + name!r} of a request {request!r} must be {expected}; got {quoted(got)}.", _RELOAD
        ),
    )
