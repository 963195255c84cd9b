"""Names and labels of any usual type as JSON, which has texts and numbers alone.

Texts, booleans, finite numbers and None are themselves; everything else is an object of one entry, the type and what
the value is made of: `{"tuple": ["a", 1]}`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from ice_explorer.errors import ExportError
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*")
_OFFSET: Final = re.compile(r"(?:UTC)?([+-])(\d\d):(\d\d)(?::(\d\d))?")
_DEEPEST: Final = 4  # tuples in tuples
_LONGEST: Final = 1000  # letters of what a label is read from
_UNITS: Final = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")


def to_json(label: Any, what: str = "A name or label") -> Any:
    """Return a name or label as JSON.

    - `what`: what it is, at the beginning of a sentence.
    - raises ExportError: if it is of a type that no file has.
    """
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64 | np.timedelta64):
        label = label.item()
    if isinstance(label, str):
        return str(label)
    if label is None or type(label) in (bool, int) or (type(label) is float and math.isfinite(label)):
        return label
    for kind in _TYPES:
        if kind.is_of(label):
            return {kind.name: kind.write(label)}
    raise ExportError(
        f"{what} must be a text, a number, a date, a duration, an interval or a tuple of these to be saved; got "
        f"{quoted(label)} of type {type(label).__name__}.",
        "Turn such names and labels into text in X, and explain it again.",
    )


def from_json(found: Any, depth: int = 0) -> Any:
    """Return the name or label that `to_json` wrote.

    - raises ValueError, TypeError: if it is none.
    """
    if found is None or isinstance(found, bool | int | float | str):
        return found
    if not isinstance(found, dict) or len(found) != 1 or depth > _DEEPEST:
        raise ValueError("no name or label")
    ((name, value),) = found.items()
    kind = next((kind for kind in _TYPES if kind.name == name), None)
    if kind is None:
        raise ValueError("a label of an unknown type")
    if name in ("tuple", "interval"):
        if not isinstance(value, list):
            raise ValueError("no list")
        value = [from_json(each, depth + 1) for each in value]
    return kind.read(value)


def zone_name(zone: Any) -> str:
    """Return a time zone as text.

    - raises ExportError: if its name does not tell what it is.
    """
    text = str(zone)
    try:
        zone_of(text)
    except ValueError:
        raise ExportError(
            f"A time zone must be one of the IANA data base, or an offset from UTC, to be saved; got {quoted(text)}.",
            "Convert the column: `X[name].dt.tz_convert('UTC')`.",
        ) from None
    return text


def zone_of(text: Any) -> dt.tzinfo:
    """Return a time zone by its name, which never is a path.

    - raises ValueError: if there is none of that name.
    """
    if not isinstance(text, str) or len(text) > 64:
        raise ValueError("no time zone")
    if text == "UTC":
        return dt.UTC
    offset = _OFFSET.fullmatch(text)
    if offset is not None:
        sign, hours, minutes, seconds = offset.groups()
        ahead = dt.timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds or 0))
        return dt.timezone(ahead if sign == "+" else -ahead)
    if _ZONE.fullmatch(text) is None:
        raise ValueError("no time zone")
    try:
        return ZoneInfo(text)
    except (LookupError, OSError) as error:  # a folder of zones is no zone
        raise ValueError("no time zone") from error


def _is(type_name: str) -> Callable[[Any], bool]:
    """Return a test for a class of pandas that does not load pandas."""
    return lambda label: type(label).__name__ == type_name and type(label).__module__.partition(".")[0] == "pandas"


def _of_moment(moment: Any) -> list[Any]:
    zone = None if moment.tz is None else zone_name(moment.tz)
    return [int(moment.value) if moment.unit == "ns" else int(moment.asm8.astype(np.int64)), moment.unit, zone]


def _moment(value: Any) -> Any:
    import pandas as pd

    ticks, unit, zone = value
    if type(ticks) is not int or unit not in ("s", "ms", "us", "ns"):
        raise ValueError("no moment")
    moment = pd.Timestamp(np.datetime64(ticks, unit))
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone_of(zone))


def _duration(value: Any) -> Any:
    import pandas as pd

    return pd.Timedelta(_ticks(np.timedelta64, value))


def _ticks(kind: Any, value: Any) -> Any:
    ticks, unit = value
    if type(ticks) is not int or unit not in _UNITS:
        raise ValueError("no date or duration")
    return kind(ticks, unit)


def _interval(value: Any) -> Any:
    import pandas as pd

    left, right, closed = value
    return pd.Interval(left, right, closed)


def _missing(value: Any) -> Any:
    import pandas as pd

    return {"NaT": pd.NaT, "<NA>": pd.NA}[_text(value)]


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise ValueError("no text")
    return value


def _parts(ticks: Any) -> list[Any]:
    return [int(ticks.astype(np.int64)), np.datetime_data(ticks.dtype)[0]]


def _items(label: tuple[Any, ...]) -> list[Any]:
    return [to_json(each) for each in label]


class _Type(NamedTuple):
    """How labels of a type are written and read."""

    name: str
    is_of: Callable[[Any], bool]
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _of_iso(name: str, kind: Any) -> _Type:
    return _Type(
        name, lambda label: type(label) is kind, kind.isoformat, lambda value: kind.fromisoformat(_text(value))
    )


def _of_ticks(kind: Any) -> _Type:
    return _Type(kind.__name__, lambda label: isinstance(label, kind), _parts, lambda value: _ticks(kind, value))


_TYPES: Final = (
    _Type("float", lambda label: type(label) is float, repr, lambda value: float(_text(value))),
    _Type("missing", lambda label: type(label).__name__ in ("NaTType", "NAType"), str, _missing),
    _Type("timestamp", _is("Timestamp"), _of_moment, _moment),
    _Type("timedelta", _is("Timedelta"), lambda label: _parts(label.asm8), _duration),
    _of_ticks(np.datetime64),
    _of_ticks(np.timedelta64),
    _of_iso("datetime", dt.datetime),
    _of_iso("date", dt.date),
    _of_iso("time", dt.time),
    _Type("decimal", lambda label: type(label) is Decimal, str, lambda value: Decimal(_text(value))),
    _Type("tuple", lambda label: isinstance(label, tuple), _items, tuple),
    _Type("interval", _is("Interval"), lambda label: [*_items((label.left, label.right)), label.closed], _interval),
)
