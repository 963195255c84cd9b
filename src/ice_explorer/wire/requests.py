"""Requests of the browser: a dataclass each, whose types are what is checked.

An entry with a default may be missing. TypeScript has the same requests in `js/src/wire/protocol.ts`, which
`tests/tools/protocol_types.py` writes.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

from ice_explorer.errors import ICEExplorerError
from ice_explorer.errors.base import quoted
from ice_explorer.results.options import RankBy
from ice_explorer.scene.choices import Decay, DocumentState, Level, Positive, ViewChoices, types_of
from ice_explorer.wire import messages
from ice_explorer.wire.arrays import Body

Extreme = Literal["highest", "lowest"]
REQUESTS: Final[dict[str, tuple[type["Request"], type[Any]]]] = {}
"""Each type of request, and the body of its reply."""


class Request(Body):
    """A request of the type `name`, whose one reply has the same id and this `body`."""

    id: str

    def __init_subclass__(cls, name: str = "", body: type[Any] = messages.NoBody) -> None:
        super().__init_subclass__()
        if name:
            REQUESTS[name] = cls, body


class FeatureRequest(Request):
    """A request about one feature, which is computed first."""

    feature: str


class CurvesRequest(FeatureRequest, name="curves", body=messages.CurvesBody):
    """Requests the curves of a feature: at most `max_lines`, and those of the selected rows.

    `model` is one of several models; the open one without it. Rows and grid are the same for all of them.
    """

    max_lines: Positive
    selection: list[int]
    model: str | None = None


class ClassesRequest(FeatureRequest, name="classes", body=messages.ClassesBody):
    """Requests the curves of a feature for every class."""

    max_lines: Positive


class ColorsRequest(Request, name="colors", body=messages.ColorsBody):
    """Requests the values of a column at some rows; `levels` have colours of their own however rare they are."""

    column: str
    positions: list[int]
    levels: list[str] | None = None


class DriversRequest(FeatureRequest, name="drivers", body=messages.DriversBody):
    """Requests what explains the differences between the curves of a feature."""


class EffectsRequest(FeatureRequest, name="effects", body=messages.EffectsBody):
    """Requests ALE of a feature."""


class CorrelatedRequest(FeatureRequest, name="correlated", body=messages.CorrelatedBody):
    """Requests what varies strongly with a feature."""


class UnlikeRequest(FeatureRequest, name="unlike", body=messages.UnlikeBody):
    """Requests which phantom observations of a feature are unlike 99 % of rows: of all rows, and of some."""

    positions: list[int]


class IntervalsRequest(Request, name="intervals", body=messages.IntervalsBody):
    """Requests intervals of the metric of the ranking; the next request continues where the reply is incomplete."""

    rank_by: RankBy
    level: Level
    decay: Decay


class InteractionsRequest(Request, name="interactions", body=messages.InteractionsBody):
    """Requests how far features act together; the next request continues where the reply is incomplete."""


class TwoWayRequest(Request, name="two_way", body=messages.TwoWayBody):
    """Requests the partial dependence on two columns; the next request continues where the reply is incomplete."""

    first: str
    second: str


class RowsRequest(Request, name="rows", body=messages.RowsBody):
    """Requests rows of X as text: the first `most` of them, sorted by a column of the reply; None is unsorted."""

    positions: list[int]
    sort_by: int | None = None
    descending: bool = False
    most: int | None = None


class WhatIfRequest(Request, name="what_if", body=messages.WhatIfBody):
    """Requests how far a change of each of these features moves the prediction of one row."""

    position: int
    features: list[str]


class InCommonRequest(Request, name="in_common", body=messages.InCommonBody):
    """Requests what some rows have in common: rare in the other rows, or in those `among` which they were chosen."""

    positions: list[int]
    among: list[int] | None = None


class ExtremeRequest(Request, name="extreme", body=messages.ExtremeBody):
    """Requests the row with the highest or the lowest prediction."""

    end: Extreme


class ExportRequest(Request, name="export", body=messages.ExportBody):
    """Requests what a view shows as a file, to the browser or into the folder of the notebook.

    `what` is the whole view, or the curves of the open feature. `width` [mm] and `dpi` are the usual ones where None.
    """

    format: str
    what: Literal["view", "panel"]
    width: float | None
    dpi: float | None
    to: Literal["browser", "notebook"]
    state: DocumentState
    choices: ViewChoices


class CancelRequest(Request, name="cancel", body=messages.NoBody):
    """Requests to stop the background computation."""


class ResumeRequest(Request, name="resume", body=messages.NoBody):
    """Requests the features that are missing after a cancel or a failure."""


# A request that breaks the protocol comes from a page that loaded another version's front end.
_RELOAD: Final = "Restart the kernel and reload the page, so that both run the same version."


def parse_request(content: Mapping[str, Any]) -> Request:
    """Check a message from the browser once, at the door.

    - `content`: the JSON of a custom message.
    - returns: its id and entries; those that a request of its type does not have are left out.
    - raises ICEExplorerError: if the type is unknown, or an entry is missing or of another kind.
    """
    name = content.get("type")
    if not isinstance(name, str) or name not in REQUESTS:
        raise ICEExplorerError(f"A request must be of a known type; got {quoted(name)}.", _RELOAD)
    kind, _ = REQUESTS[name]
    known = types_of(kind)  # type: ignore[arg-type]  # types are hashable
    return cast("Request", _read(kind, {key: value for key, value in content.items() if key in known}, repr(name)))


def _read(kind: type[Any], entries: Mapping[str, Any], request: str) -> object:
    """Make a dataclass of JSON, or raise on the first entry that is missing, unknown or of another form."""
    types = types_of(kind)  # type: ignore[arg-type]
    # An entry that is missing holds nothing.
    required = {each.name: None for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    read = {}
    for name, value in {**required, **entries}.items():
        if name not in types or not fits(types[name], value):
            what = f"A request {request} must be as the protocol says; got {quoted(value)} as {quoted(name)}."
            raise ICEExplorerError(what, _RELOAD)
        read[name] = _read(types[name], value, request) if is_dataclass(types[name]) else value
    return kind(**read)


# --- checks of JSON from a browser or a file: types say what it must be -----------------------------

_HALF: Final = re.compile("[\ud800-\udfff]")


def is_text(value: object) -> bool:
    """Return whether a value is text that can be sent: Python also has halves of letters, JSON may name them."""
    return isinstance(value, str) and not _HALF.search(value)


def _is_finite(value: object) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # type: ignore[arg-type]  # also of an int that no float is


_PLAIN: Final[Mapping[Any, Callable[[Any], bool]]] = {
    Any: lambda _value: True,
    str: is_text,
    int: lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    float: _is_finite,
    bool: lambda value: isinstance(value, bool),
    NoneType: lambda value: value is None,
    Mapping: lambda value: isinstance(value, Mapping),
}


def fits(kind: Any, value: Any) -> bool:  # noqa: PLR0911 - one for each kind of type
    """Return whether a value is the JSON of a type; the entries of a dataclass are checked one by one."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if origin is Literal:
        return isinstance(value, str) and value in args
    if origin is Annotated:
        return fits(args[0], value) and args[1](value)
    if origin in {Union, UnionType}:
        return any(fits(each, value) for each in args)
    if origin in {list, Sequence}:
        return isinstance(value, list) and all(fits(args[0], each) for each in value)
    if not isinstance(value, Mapping) or is_dataclass(kind):
        return isinstance(value, Mapping)
    if origin is dict:
        return all(fits(args[0], name) and fits(args[1], entry) for name, entry in value.items())
    types = types_of(kind)
    return value.keys() == types.keys() and all(fits(types[name], value[name]) for name in value)
