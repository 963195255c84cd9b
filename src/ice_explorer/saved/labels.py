"""Names and labels of any usual type as JSON, which has texts and numbers alone.

Texts, booleans, finite numbers and None are themselves; everything else is an object of one entry, the type and what
the value is made of: `{"tuple": ["a", 1]}`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from ice_explorer.errors import DataError
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*")
_OFFSET: Final = re.compile(r"(?:UTC)?[+-]\d\d:\d\d(:\d\d)?")
_DEEPEST: Final = 4  # tuples in tuples
_LONGEST: Final = 1000  # letters that a label is read from
_PLAIN: Final = (type(None), bool, int, str)


def to_json(label: Any, what: str = "A name or label") -> Any:
    """Return a name or label as JSON.

    - `what`: what it is, at the beginning of a sentence.
    - raises DataError: if it is of a type that no file has.
    """
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64 | np.timedelta64):
        label = label.item()
    if isinstance(label, str):
        return str(label)
    if type(label) in _PLAIN or (type(label) is float and math.isfinite(label)):
        return label
    kind = tuple if isinstance(label, tuple) else type(label)
    for name, (its_type, write, _) in _TYPES.items():
        if its_type is kind:
            entry = {name: write(label)}
            try:
                from_json(entry)
            except UNREADABLE:  # a zone without a name, a date without a unit
                break
            return entry
    raise DataError(
        f"{what} must be a text, a number, a date (in a time zone of the IANA data base, or at an offset from UTC), a "
        f"duration, an interval or a tuple of these to be saved; got {quoted(label)} of type {type(label).__name__}.",
        "Turn such names and labels into text in X, and explain it again.",
    )


def from_json(entry: Any, depth: int = 0) -> Any:
    """Return the name or label that `to_json` wrote, or raise what `UNREADABLE` lists."""
    if type(entry) in _PLAIN or (type(entry) is float and math.isfinite(entry)):
        return entry
    if type(entry) is not dict or len(entry) != 1 or depth > _DEEPEST:
        raise ValueError("no name or label")
    ((name, value),) = entry.items()
    if isinstance(value, str) and len(value) > _LONGEST:
        raise ValueError("a label is read from a long text")
    if name in ("tuple", "interval"):
        value = [from_json(each, depth + 1) for each in value]
    return _TYPES[name][2](value)


@lru_cache(64)
def read_zone(text: str) -> dt.tzinfo:
    """Return a time zone by its name, which never is a path."""
    if text == "UTC":
        return dt.UTC
    if _OFFSET.fullmatch(text):
        offset = dt.datetime.fromisoformat("2000-01-01T00:00:00" + text.removeprefix("UTC")).tzinfo
        assert offset is not None  # noqa: S101 - the text has one
        return offset
    if len(text) > 64 or not _ZONE.fullmatch(text):
        raise ValueError("no time zone")
    return ZoneInfo(text)


def _write_ticks(value: Any) -> list[Any]:
    unit, count = np.datetime_data(value.dtype)
    return [int(value.astype(np.int64)) * count, unit]


def _read_moment(value: Any) -> Any:
    *ticks, zone = value
    moment = pd.Timestamp(np.datetime64(*ticks))
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(read_zone(zone))


UNREADABLE: Final = (ValueError, TypeError, LookupError, ArithmeticError, OSError)
_TYPES: Final[dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "float": (float, repr, float),
    "decimal": (Decimal, str, Decimal),
    "date": (dt.date, dt.date.isoformat, dt.date.fromisoformat),
    "time": (dt.time, dt.time.isoformat, dt.time.fromisoformat),
    "datetime": (dt.datetime, dt.datetime.isoformat, dt.datetime.fromisoformat),
    "datetime64": (np.datetime64, _write_ticks, lambda value: np.datetime64(*value)),
    "timedelta64": (np.timedelta64, _write_ticks, lambda value: np.timedelta64(*value)),
    "timestamp": (
        pd.Timestamp, lambda moment: [*_write_ticks(moment.asm8), moment.tz and str(moment.tz)], _read_moment
    ),
    "timedelta": (
        pd.Timedelta, lambda value: _write_ticks(value.asm8), lambda value: pd.Timedelta(np.timedelta64(*value))
    ),
    "NaT": (type(pd.NaT), lambda _: None, lambda _: pd.NaT),
    "NA": (type(pd.NA), lambda _: None, lambda _: pd.NA),
    "tuple": (tuple, lambda label: [to_json(each) for each in label], tuple),
    "interval": (
        pd.Interval, lambda label: [*map(to_json, (label.left, label.right)), label.closed], lambda v: pd.Interval(*v)
    ),
}  # fmt: skip
