"""What kernel and browser say to each other: one TypedDict per message.

The browser's twin is `js/src/protocol.ts`; both spell every name alike. Document state lives in
traits; everything else is a request of the browser that gets exactly one reply with its own id.
Numbers that come in bulk travel as buffers beside the JSON, in the order that each body states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired, TypeAlias, TypedDict, cast, get_args

from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from ice_explorer.adapters.table import ColumnKind
    from ice_explorer.feature import FeatureKind
    from ice_explorer.metrics import Convention
    from ice_explorer.options import Unit

PROTOCOL_VERSION: Final = 6

Kind: TypeAlias = Literal["ice", "c-ice", "d-ice"]
RankBy: TypeAlias = Literal["impact", "in_distribution_impact", "heterogeneity", "non_linearity", "missing_impact"]
Anchor: TypeAlias = Literal["min", "max", "median", "own"]
What: TypeAlias = Literal["view", "panel", "all", "feature"]
Presence: TypeAlias = Literal["shown", "removed", "left"]

KINDS: Final[tuple[str, ...]] = get_args(Kind)
RANKINGS: Final[tuple[str, ...]] = get_args(RankBy)
ANCHORS: Final[tuple[str, ...]] = get_args(Anchor)
WHATS: Final[tuple[str, ...]] = get_args(What)
PRESENCES: Final[tuple[str, ...]] = get_args(Presence)
DESTINATIONS: Final = ("browser", "notebook")


# --- document state -------------------------------------------------------------------------------


class Status(TypedDict):
    """How far the background computation is; `done` and `total` count features."""

    state: Literal["computing", "ready", "cancelled", "error"]
    done: int
    total: int
    label: str
    message: str


class FeatureHead(TypedDict):
    """What is known of a feature before any curve, and the range of its predictions once they are there."""

    name: str
    kind: FeatureKind
    n_grid: int
    scale: float
    range: tuple[float, float] | None


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

    `convention` is the one that the tables are counted by, `metrics` and `profiles` name what they hold.
    `prediction_sd` is the standard deviation of the predictions of the observations; None until it is known.
    `outputs` and `responses` are what can be chosen instead; empty where there is no choice. `formats` are those
    of saved files.
    """

    protocol: int
    version: str
    features: list[FeatureHead]
    columns: list[ColumnHead]
    metrics: list[str]
    profiles: list[str]
    decays: DecaySteps
    n_observations: int
    engine: str
    engine_reason: str
    convention: Convention
    prediction_sd: float | None
    output_label: str
    outputs: list[str]
    responses: list[str]
    formats: list[FormatHead]
    notes: list[Note]
    code: str


class ViewState(TypedDict):
    """The public traits: what a view of the explorer shows."""

    feature: str
    color_by: str | None
    kind: Kind
    decay: float
    rank_by: RankBy
    convention: Convention
    unit: Unit
    anchor: Anchor | float
    max_lines: int
    selection: list[int]


# --- requests -------------------------------------------------------------------------------------


class CurvesRequest(TypedDict):
    """Ask for the lines of one feature: at most `max_lines`, and the selected rows besides."""

    id: str
    type: Literal["curves"]
    feature: str
    max_lines: int
    selection: list[int]


class ClassesRequest(TypedDict):
    """Ask for the lines of one feature for every class."""

    id: str
    type: Literal["classes"]
    feature: str
    max_lines: int


class ColorsRequest(TypedDict):
    """Ask for the values of a column at some rows; `levels` are told apart however rare they are."""

    id: str
    type: Literal["colors"]
    column: str
    positions: list[int]
    levels: NotRequired[list[str] | None]


class DriversRequest(TypedDict):
    """Ask what makes the lines of a feature differ."""

    id: str
    type: Literal["drivers"]
    feature: str


class RowsRequest(TypedDict):
    """Ask for some rows of X as text."""

    id: str
    type: Literal["rows"]
    positions: list[int]


class ExportRequest(TypedDict):
    """Ask for what a view shows as a file.

    `what` is the whole view, the curves of the open feature, those of all features, or those of the feature that
    the state names, whichever is open. `width` [mm] and `dpi` are the usual ones where they are None. It goes
    back to the browser, or into the folder of the notebook. `choices` are what the reader chose about this view.
    """

    id: str
    type: Literal["export"]
    format: str
    what: What
    width: float | None
    dpi: float | None
    to: Literal["browser", "notebook"]
    state: ViewState
    choices: dict[str, Any]


class CancelRequest(TypedDict):
    """Ask to stop the background computation."""

    id: str
    type: Literal["cancel"]


class ResumeRequest(TypedDict):
    """Ask to compute the features that are missing after a cancel or a failure."""

    id: str
    type: Literal["resume"]


class ViewRequest(TypedDict):
    """Tell that a page shows the explorer in a view, has removed that view, or is left."""

    id: str
    type: Literal["view"]
    view: str
    state: Presence


Request: TypeAlias = (
    CurvesRequest
    | ClassesRequest
    | ColorsRequest
    | DriversRequest
    | RowsRequest
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
    values, the median standing in for a missing one; empty where all of these are grid values).
    Curves, predictions, partial dependence, missing and at_own are stored minus `offset`, so that
    float32 keeps their precision on large outputs.

    Grid and observed are numbers; 0 and 1; days since 1970 or days; ranks; or, for levels without
    an order, 0 … K - 1, where -1 is an observed level that is not on the grid. `levels` are the
    names of the grid values.
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

    `of` says how the values are written; `levels` are the names of 0, 1, … where they are ranks.
    """

    column: str
    kind: Literal["continuous"]
    of: ColumnKind
    domain: tuple[float, float]
    median: float
    levels: list[str] | None


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


class RowsBody(TypedDict):
    """Rows of X as text, for the hover card."""

    columns: list[str]
    rows: list[list[str]]


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
    | RowsBody
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


# --- reading what the browser sent ----------------------------------------------------------------


# A request that breaks the protocol comes from a page that loaded another version's front end.
_RELOAD: Final = "Restart the kernel and reload the page, so that both run the same version."


class MessageError(ICEExplorerError, ValueError):
    """A request that no reply can answer, because it is not one of the protocol."""

    @classmethod
    def unknown_type(cls, got: object) -> MessageError:
        """Say which requests there are."""
        return cls(f"A request must be of type {', '.join(map(repr, _FIELDS))}; got {got!r}. {_RELOAD}")

    @classmethod
    def field(cls, request: str, name: str, expected: str, got: object) -> MessageError:
        """Say what a field of a request must hold."""
        return cls(f"{name!r} of a request {request!r} must be {expected}; got {got!r}. {_RELOAD}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_positions(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_count, value))


def _is_texts_or_none(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_text, value)))


def _is_number_or_none(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _is_choices(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_state(value: object) -> bool:
    return isinstance(value, Mapping) and set(value) == set(ViewState.__annotations__)


_TEXT = ("text", _is_text)
_COUNT = ("an integer of at least 0", _is_count)
_NUMBER_OR_NONE = ("a number, or nothing", _is_number_or_none)
_POSITIONS = ("a list of integers of at least 0", _is_positions)

# What each request carries besides id and type; also the list of all requests.
_FIELDS: Final[Mapping[str, Mapping[str, tuple[str, Callable[[object], bool]]]]] = {
    "curves": {"feature": _TEXT, "max_lines": _COUNT, "selection": _POSITIONS},
    "classes": {"feature": _TEXT, "max_lines": _COUNT},
    "colors": {
        "column": _TEXT,
        "positions": _POSITIONS,
        "levels": ("a list of texts, or nothing", _is_texts_or_none),
    },
    "drivers": {"feature": _TEXT},
    "rows": {"positions": _POSITIONS},
    "export": {
        "format": _TEXT,
        "what": (", ".join(map(repr, WHATS)), WHATS.__contains__),
        "width": _NUMBER_OR_NONE,
        "dpi": _NUMBER_OR_NONE,
        "to": ("'browser' or 'notebook'", DESTINATIONS.__contains__),
        "state": ("the state of a view", _is_state),
        "choices": ("the choices about a view", _is_choices),
    },
    "cancel": {},
    "resume": {},
    "view": {"view": _TEXT, "state": (", ".join(map(repr, PRESENCES)), PRESENCES.__contains__)},
}


def parse_request(content: Mapping[str, Any]) -> Request:
    """Check a message from the browser once, at the door.

    Parameters
    ----------
    content : mapping
        The JSON of a custom message.

    Returns
    -------
    Request
        The same content, known to hold what its type promises.

    Raises
    ------
    MessageError
        If the type is unknown or a field is missing or of another kind.
    """
    request = content.get("type")
    if not isinstance(request, str) or request not in _FIELDS:
        raise MessageError.unknown_type(request)
    for name, (expected, is_valid) in _FIELDS[request].items():
        if not is_valid(content.get(name)):
            raise MessageError.field(request, name, expected, content.get(name))
    return cast("Request", content)
