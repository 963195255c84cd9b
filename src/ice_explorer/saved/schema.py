"""What a file holds: each entry of the document and each array once, for what writes them and for what reads them.

`RESULT`, at the end, is all of it. A specification says how a value is an entry of the document, or an array beside it.
Names and labels are of any usual type: texts, booleans, finite numbers and None are themselves; everything else is an
object of one entry, the type and what the value is made of: `{"tuple": ["a", 1]}`.
"""

from __future__ import annotations

import datetime as dt
import math
from contextlib import suppress
from dataclasses import fields
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from ice_explorer.checks import LARGEST, check_decay
from ice_explorer.drivers.drivers import Driver, Drivers
from ice_explorer.errors import DataError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import Grid
from ice_explorer.metrics.influence import UNDECAYED, Sampling
from ice_explorer.metrics.ordered import CONVENTIONS
from ice_explorer.models.predict import RESPONSES
from ice_explorer.results.options import METHODS, Settings
from ice_explorer.saved.archive import check
from ice_explorer.tables.column import ColumnKind

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from ice_explorer.arrays import Values

_DEEPEST: Final = 4  # tuples in tuples
_LONGEST: Final = 1000  # letters that a label is read from


def _is_plain(label: Any) -> bool:
    return label is None or isinstance(label, str | int) or (isinstance(label, float) and math.isfinite(label))


def to_json(label: Any) -> Any:
    """Return a name or label as JSON.

    - raises DataError: if it is of a type that no file has.
    """
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64 | np.timedelta64):
        label = label.item()
    if _is_plain(label):
        return label
    kind = tuple if isinstance(label, tuple) else type(label)
    for name in (name for name, (its_type, *_) in _TYPES.items() if its_type is kind):
        entry = {name: _TYPES[name][1](label)}
        with suppress(*UNREADABLE):  # a zone without a name, a date without a unit
            from_json(entry)
            return entry
    raise DataError(
        "A name, level or label must be a text, a number, a date (in a time zone of the IANA data base, or at an "
        "offset from UTC), a duration, an interval or a tuple of these to be saved; "
        f"got {quoted(label)} of type {type(label).__name__}.",
        "Turn such names and labels into text in X, and explain it again.",
    )


def from_json(entry: Any, depth: int = 0) -> Any:
    """Return the name or label that `to_json` wrote, or raise what `UNREADABLE` lists."""
    if _is_plain(entry):
        return entry
    check(type(entry) is dict and depth <= _DEEPEST, "no name or label")
    ((name, value),) = entry.items()
    check(not isinstance(value, str) or len(value) <= _LONGEST, "a label is read from a long text")
    if name in ("tuple", "interval"):
        value = [from_json(each, depth + 1) for each in value]
    label = _TYPES[name][2](value)
    hash(label)  # raises where it is no key
    return label


def _read_zone(text: str) -> dt.tzinfo | None:
    """Return a time zone by its offset, or by its name, which `ZoneInfo` refuses if it is a path."""
    if text.startswith(("UTC", "+", "-")):
        return dt.time.fromisoformat(f"00:00{text.removeprefix('UTC') or 'Z'}").tzinfo
    return ZoneInfo(text)


def _write_ticks(value: Any) -> list[Any]:
    unit, count = np.datetime_data(value.dtype)
    return [int(value.astype(np.int64)) * count, unit]


def _read_moment(value: Any) -> Any:
    *ticks, zone = value
    moment = pd.Timestamp(np.datetime64(*ticks))
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(_read_zone(zone))


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


FORMAT: Final = "ice-explorer result"
VERSION: Final = 1
_MOST: Final = (1 << 53) + 1  # above the largest integer
_LARGEST_FLOAT: Final = float(np.finfo(float).max)


class Value(NamedTuple):
    """An entry of the document, by what reads and writes it."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = lambda value: value


class Array(NamedTuple):
    """An array whose lengths are numbers, or names of lengths that it shares with others; of any shape without them."""

    shape: tuple[int | str, ...] | None
    dtype: str = "<f8"
    has_missing: bool = False
    increases: bool = False
    least: float = -LARGEST
    most: float = LARGEST


_any = partial(Array, has_missing=True, least=-_LARGEST_FLOAT, most=_LARGEST_FLOAT)


def _places(length: str) -> Array:
    return Array((length,), "<i8", increases=True, least=0)


class Maybe(NamedTuple):
    """A value, or None."""

    spec: Any


class Record(NamedTuple):
    """An object of certain entries and arrays, written from a mapping or from what `make` returns."""

    specs: dict[str, Any]
    make: Callable[..., Any] = dict

    @property
    def entries(self) -> set[str]:
        """Names of what is in the document: all but arrays."""
        return {name for name, spec in self.specs.items() if not isinstance(getattr(spec, "spec", spec), Array)}


def write(spec: Any, value: Any, path: str, arrays: dict[str, Values]) -> Any:
    """Return the entry of a value, and add its arrays by their paths."""
    match spec:
        case Value():
            return spec.write(value)
        case Maybe():
            return None if value is None else write(spec.spec, value, path, arrays)
        case Array():
            arrays[path[:-1]] = value.astype(spec.dtype, order="C", copy=False)
            return None
        case [each]:
            return [write(each, value, f"{path}{place}/", arrays) for place, value in enumerate(value)]
    given = value if isinstance(value, dict) else vars(value)
    written = {name: write(each, given.get(name), f"{path}{name}/", arrays) for name, each in spec.specs.items()}
    return {name: entry for name, entry in written.items() if name in spec.entries}


def check_headers(spec: Any, entry: Any, path: str, archive: Any, sizes: dict[str, int]) -> None:
    """Raise as `read` does if an array of an entry is of another type or shape; no array is read.

    - `sizes`: lengths by name, as far as they are known; each object of a list has lengths for itself.
    """
    match spec:
        case Maybe():
            if archive.has(path[:-1]) if isinstance(spec.spec, Array) else entry is not None:
                check_headers(spec.spec, entry, path, archive, sizes)
        case Array():
            dtype, shape = archive.read_header(path[:-1])
            named = zip(spec.shape, shape, strict=True) if spec.shape is not None else ()
            is_right = all(n == (sizes.setdefault(name, n) if isinstance(name, str) else name) for name, n in named)
            check(is_right and dtype == spec.dtype, f"{path} is of another type or shape")
        case [each]:
            for place, value in enumerate(LIST.read(entry)):
                check_headers(each, value, f"{path}{place}/", archive, {**sizes})
        case Record():
            for name, each in spec.specs.items():
                check_headers(each, entry.get(name), f"{path}{name}/", archive, sizes)


def read(spec: Any, entry: Any, path: str, archive: Any) -> Any:
    """Return the value of an entry from anyone, whose headers are right.

    - raises ValueError, TypeError, LookupError, ArithmeticError, OSError: if it, or one of its arrays, is none.
    """
    match spec:
        case Value():
            return spec.read(entry)
        case Maybe():
            is_there = archive.has(path[:-1]) if isinstance(spec.spec, Array) else entry is not None
            return read(spec.spec, entry, path, archive) if is_there else None
        case Array():
            return _read_array(spec, path[:-1], archive)
        case [each]:
            return [read(each, value, f"{path}{place}/", archive) for place, value in enumerate(LIST.read(entry))]
    check(type(entry) is dict and entry.keys() == spec.entries, f"{path} is no object, or has other entries")
    specs = spec.specs.items()
    return spec.make(**{name: read(each, entry.get(name), f"{path}{name}/", archive) for name, each in specs})


def _read_array(spec: Array, path: str, archive: Any) -> Values:
    array: Values = archive.read_array(path)
    least, most = (np.fmin, np.fmax) if spec.has_missing else (np.minimum, np.maximum)
    lowest, highest = (bound.reduce(array, axis=None, initial=0) for bound in (least, most))
    check(spec.least <= lowest <= highest <= spec.most, f"{path} holds too large or small numbers, or what is none")
    check(not spec.increases or (np.diff(array) > 0).all(), f"{path} does not increase")
    return array.astype(spec.dtype[1:], copy=False)


def _checked(is_right: Callable[[Any], object]) -> Value:
    def read(entry: Any) -> Any:
        check(is_right(entry), "an entry is of another type, or out of bounds")
        return entry

    return Value(read)


def _plain(kind: type, among: Container[Any] | None = None) -> Value:
    return _checked(lambda entry: type(entry) is kind and (among is None or entry in among))


def _number(least: float = -_LARGEST_FLOAT) -> Value:
    return _checked(lambda entry: type(entry) in (int, float) and least <= entry <= _LARGEST_FLOAT)


def _all_of(*kinds: type) -> Value:
    return _checked(lambda entry: type(entry) is list and {*map(type, entry)} <= {*kinds})


def _list_of(read: Callable[[Any], Any], write: Callable[[Any], Any], make: Callable[[list[Any]], Any] = list) -> Value:
    return Value(lambda entry: make([*map(read, LIST.read(entry))]), lambda values: [*map(write, values)])


def _make_levels(labels: list[Any]) -> Values:
    is_missing = any(label is None or label != label for label in labels)  # noqa: PLR0124 - NaN and NaT differ from themselves
    check(not is_missing and len(set(labels)) == len(labels), "a level is missing, or occurs twice")
    return np.fromiter(labels, object)


def _of_class(made: Any, **specs: Any) -> Record:
    """Return an object of the fields of a dataclass, by their annotations where nothing else is given."""
    return Record({each.name: specs.get(each.name, _BY_ANNOTATION.get(str(each.type))) for each in fields(made)}, made)


LIST, TEXT, TEXTS, FLAG = _plain(list), _plain(str), _all_of(str), _plain(bool)
COUNT, POSITIVE, NUMBER = _plain(int, range(_MOST)), _plain(int, range(1, _MOST)), _number()
MAYBE_NAN: Final = Value(
    lambda entry: np.nan if entry is None else NUMBER.read(entry),
    lambda value: None if math.isnan(value) else value,
)
TUPLE_OF_TEXTS: Final = Value(lambda entry: tuple(TEXTS.read(entry)))
LABEL: Final = Value(from_json, to_json)
LABELS, TUPLE = _list_of(from_json, to_json), _list_of(from_json, to_json, tuple)
LEVELS: Final = Maybe(_list_of(from_json, to_json, _make_levels))
OF_ROWS, VALUES = Array(("n",)), Array(("n",), has_missing=True)
RESPONSE: Final = _plain(str, (*RESPONSES, "callable"))
_BY_ANNOTATION: Final = {
    "str": TEXT,
    "bool": FLAG,
    "int": COUNT,
    "int | None": Maybe(COUNT),
    "float": MAYBE_NAN,
    "tuple[str, ...]": TUPLE_OF_TEXTS,
    "tuple[str, str]": TUPLE_OF_TEXTS,
    "tuple[str, ...] | None": Maybe(TUPLE_OF_TEXTS),
}
SETTINGS: Final = _of_class(
    Settings,
    groups=Maybe(
        Value(
            lambda entry: {from_json(name): LABELS.read(members) for name, members in LIST.read(entry)},
            lambda groups: [[to_json(name), LABELS.write(members)] for name, members in groups.items()],
        )
    ),
    categorical_features=Maybe(TUPLE),
    output=LABEL,
    response=RESPONSE,
    grid_size=Maybe(POSITIVE),
    sample=Maybe(_number(0)),
    random_state=_plain(int, range(10**40 + 1)),  # as `explain` takes it
    decay=Value(check_decay),
    convention=_plain(str, CONVENTIONS),
    method=_plain(str, METHODS),
    memory_limit=Value(POSITIVE.read, lambda limit: min(limit, _MOST - 1)),
)
COLUMN: Final = {
    "name": LABEL,
    "kind": _plain(str, {*get_args(ColumnKind)} - {"group"}),
    "is_integer": FLAG,
    "dtype": TEXT,
    "levels": LEVELS,
    "decimals": Maybe(COUNT),
    "has_declared_levels": FLAG,
    "zone": Maybe(Value(_read_zone, str)),
    "values": Maybe(VALUES),
    "texts": Maybe(_all_of(str, type(None))),
}
AXIS: Final = {
    "number": COUNT,
    "is_integer": FLAG,
    "levels": LEVELS,
    "values": Maybe(VALUES),
    "codebook": Maybe(Array(("n_levels", "n_members"))),
}
# `fill` checks which sums there are, and their shapes.
SUM: Final = Maybe(_any(None))
NAMES: Final = ("nodes", "counts", "curves", "active", "intervals", "step", "changes", "along", "likely")
SUMS: Final = Record({**dict.fromkeys(NAMES, SUM), "active": Maybe(_places("n_active"))})
DRIVER: Final = _of_class(Driver)


def _write_driver(driver: Driver) -> Any:
    """Return a split; of one that explains nothing the column alone, since each feature has all others."""
    return driver.column if driver == Driver(driver.column) else write(DRIVER, driver, "", {})


def _read_driver(entry: Any) -> Driver:
    return Driver(entry) if type(entry) is str else read(DRIVER, entry, "", None)


DRIVERS: Final = _of_class(Drivers, ranked=_list_of(_read_driver, _write_driver, tuple))
SAMPLING: Final = _of_class(
    Sampling,
    metrics=Record(dict.fromkeys(UNDECAYED, MAYBE_NAN)),
    exponents=Array(("n_exponents",), increases=True),
    decayed=_any(("n_exponents",)),
)
FEATURE: Final = {
    **AXIS,
    "grid": _of_class(Grid, values=Array(("n_grid",), increases=True)),
    "scale": _number(0),
    "median": NUMBER,
    "has_missing": FLAG,
    "shares": Array(("n_grid",), least=0),
    "likelihood_scale": Maybe(OF_ROWS),
    "distances": Maybe(Array(("n", "n_grid"))),
    "outlying": Maybe(_places("n_outlying")),
    "positions": Maybe(_places("n_positions")),
    "starts": _places("n_stretches"),
    "curves": Array(("n", "n_stretches")),
    "own": OF_ROWS,
    "missing": Maybe(OF_ROWS),
    "sums": SUMS,
    "drivers": DRIVERS,
    "sampling": Maybe(SAMPLING),
}
ROWS: Final = {
    "positions": _places("n"),
    "n_all": POSITIVE,
    "index": Maybe(Record({"names": LABELS, "is_multi": FLAG, "labels": LABELS})),
    "predictions": OF_ROWS,
    "weights": Maybe(Array(("n",), least=0)),
    "target": Maybe(_any(("n",))),
    "target_name": TEXT,
}
OUTPUT: Final = {
    "output_label": TEXT,
    "output": LABEL,
    "position": Maybe(COUNT),
    "response": RESPONSE,
    "of_classes": FLAG,
    "classes": TUPLE,
}
RESULT: Final = Record(
    {
        "format": _plain(str, (FORMAT,)),
        "version": POSITIVE,
        "package_version": TEXT,
        "provenance": _plain(dict),
        "method": Record({"name": _plain(str, METHODS), "reason": TEXT}),
        "output": Record(OUTPUT),
        "settings": SETTINGS,
        "alerts": TEXTS,
        "notes": TEXTS,
        "rows": Record(ROWS),
        "prediction_sd": _number(0),
        "columns": [Record(COLUMN)],
        "moved": [Record(COLUMN)],  # quantities that groups of columns are made of
        "others": [Record(AXIS)],
        "features": [Record(FEATURE)],
    }
)
