"""What a file holds: each entry of the document and each array once, for what writes them and for what reads them.

`RESULT`, at the end, is all of it. A specification says how a value is an entry of the document, or an array beside it.
Names and labels are of any usual type: texts, booleans, finite numbers and None are themselves; everything else is an
object of one entry, the type and what the value is made of: `{"tuple": ["a", 1]}`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import fields
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from ice_explorer.checks import LARGEST
from ice_explorer.drivers.drivers import Driver, Drivers
from ice_explorer.errors import DataError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import Grid
from ice_explorer.metrics.influence import UNDECAYED, Sampling
from ice_explorer.metrics.ordered import CONVENTIONS
from ice_explorer.models.predict import RESPONSES
from ice_explorer.results.options import METHODS, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.arrays import Values

_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*")
_OFFSET: Final = re.compile(r"(?:UTC)?[+-]\d\d:\d\d(:\d\d)?")
_DEEPEST: Final = 4  # tuples in tuples
_LONGEST: Final = 1000  # letters that a label is read from
_PLAIN: Final = (type(None), bool, int, str)


def to_json(label: Any) -> Any:
    """Return a name or label as JSON.

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
        "A name, level or label must be a text, a number, a date (in a time zone of the IANA data base, or at an "
        "offset from UTC), a duration, an interval or a tuple of these to be saved; "
        f"got {quoted(label)} of type {type(label).__name__}.",
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


FORMAT: Final = "ice-explorer result"
VERSION: Final = 1
LARGEST_WHOLE: Final = 1 << 53

_LARGEST_FLOAT: Final = float(np.finfo(float).max)


class Value(NamedTuple):
    """An entry of the document, by what reads and writes it."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = lambda value: value


class Array(NamedTuple):
    """An array whose lengths are numbers, or names of lengths that it shares with others."""

    shape: tuple[int | str, ...]
    dtype: str = "<f8"
    has_missing: bool = False
    largest: float = LARGEST


class Maybe(NamedTuple):
    """A value, or None."""

    spec: Any


class Many(NamedTuple):
    """A list of objects, each of which has lengths for itself."""

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
        case Many():
            return [write(spec.spec, each, f"{path}{place}/", arrays) for place, each in enumerate(value)]
        case Array():
            arrays[path[:-1]] = value.astype(spec.dtype, order="C")
            return None
    get = value.get if isinstance(value, dict) else partial(getattr, value)
    written = {name: write(each, get(name), f"{path}{name}/", arrays) for name, each in spec.specs.items()}
    return {name: entry for name, entry in written.items() if name in spec.entries}


def read(spec: Any, entry: Any, path: str, archive: Any, sizes: dict[str, int]) -> Any:
    """Return the value of an entry from anyone.

    - `sizes`: lengths by name, as far as they are known.
    - raises ValueError, TypeError, LookupError, ArithmeticError, OSError: if it, or one of its arrays, is none.
    """
    match spec:
        case Value():
            return spec.read(entry)
        case Maybe():
            is_there = archive.has(path[:-1]) if isinstance(spec.spec, Array) else entry is not None
            return read(spec.spec, entry, path, archive, sizes) if is_there else None
        case Many():
            items = enumerate(_read_list(entry))
            return [read(spec.spec, each, f"{path}{place}/", archive, dict(sizes)) for place, each in items]
        case Array():
            return _read_array(spec, path[:-1], archive, sizes)
    if type(entry) is not dict or entry.keys() != spec.entries:
        raise ValueError(f"{path} is no object, or has other entries")
    specs = spec.specs.items()
    return spec.make(**{name: read(each, entry.get(name), f"{path}{name}/", archive, sizes) for name, each in specs})


def _read_array(spec: Array, path: str, archive: Any, sizes: dict[str, int]) -> Values:
    def check_shape(shape: tuple[int, ...]) -> None:
        named = [sizes.setdefault(a, b) if isinstance(a, str) else a for a, b in zip(spec.shape, shape, strict=True)]
        if tuple(named) != shape:
            raise ValueError(f"{path} is of another shape")

    array: Values = archive.read_array(path, spec.dtype, check_shape)
    least, most = (np.fmin, np.fmax) if spec.has_missing else (np.minimum, np.maximum)
    lowest, highest = (bound.reduce(array, axis=None, initial=0) for bound in (least, most))
    if not -spec.largest <= lowest <= highest <= spec.largest:
        raise ValueError(f"{path} holds too large numbers, or what is none")
    return array


def _read_list(entry: Any) -> list[Any]:
    if type(entry) is not list:
        raise ValueError("no list")
    return entry


def _checked(fits: Callable[[Any], bool]) -> Value:
    def read(entry: Any) -> Any:
        if not fits(entry):
            raise ValueError("an entry is of another type, or out of bounds")
        return entry

    return Value(read)


def _choice(*words: str) -> Value:
    return _checked(lambda entry: type(entry) is str and entry in words)


def _whole(least: int = 0, most: int = LARGEST_WHOLE) -> Value:
    return _checked(lambda entry: type(entry) is int and least <= entry <= most)


def _number(least: float = -math.inf) -> Value:
    # Python turns an integer that is too large for a float into an error of its own.
    return _checked(lambda entry: type(entry) in (int, float) and least <= float(entry) and math.isfinite(entry))


def _labels(make: Callable[[list[Any]], Any] = list) -> Value:

    def read(entry: Any) -> Any:
        labels = [from_json(each) for each in _read_list(entry)]
        hash(tuple(labels))
        return make(labels)

    return Value(read, lambda labels: [*map(to_json, labels)])


def _read_levels(labels: list[Any]) -> Values:
    if any(label is None or label != label for label in labels):  # noqa: PLR0124 - NaN and NaT differ from themselves
        raise ValueError("a level is missing")
    if len(set(labels)) < len(labels):
        raise ValueError("a level occurs twice")
    return np.fromiter(labels, object)


def _read_pairs(entry: Any) -> dict[Any, Any]:
    pairs = [[from_json(name), [from_json(member) for member in _read_list(members)]] for name, members in entry]
    return dict(pairs)


def _any(length: str) -> Array:
    return Array((length,), has_missing=True, largest=_LARGEST_FLOAT)


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


TEXT: Final = _checked(lambda entry: type(entry) is str)
TEXTS: Final = _checked(lambda entry: type(entry) is list and all(type(each) is str for each in entry))
FLAG: Final = _checked(lambda entry: type(entry) is bool)
NUMBER, COUNT, POSITIVE = _number(), _whole(), _whole(1)
MAYBE_NAN: Final = Value(
    lambda entry: np.nan if entry is None else NUMBER.read(entry),
    lambda value: None if math.isnan(value) else value,
)
TUPLE_OF_TEXTS: Final = Value(lambda entry: tuple(TEXTS.read(entry)), list)
LABEL: Final = Value(from_json, to_json)
LEVELS: Final = Maybe(Value(_labels(_read_levels).read, lambda levels: [*map(to_json, levels.tolist())]))
VALUES: Final = Array(("n",), has_missing=True)
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


def _of_class(made: Any, **specs: Any) -> Record:
    """Return an object of the fields of a dataclass, by their annotations where nothing else is given."""
    return Record({each.name: specs.get(each.name, _BY_ANNOTATION.get(str(each.type))) for each in fields(made)}, made)


SETTINGS: Final = _of_class(
    Settings,
    groups=Maybe(
        Value(_read_pairs, lambda of: [[to_json(name), list(map(to_json, names))] for name, names in of.items()])
    ),
    categorical_features=Maybe(_labels(tuple)),
    output=LABEL,
    response=_choice(*RESPONSES, "callable"),
    grid_size=Maybe(POSITIVE),
    sample=Maybe(_number(0)),
    random_state=_whole(0, 10**40),  # as `explain` takes it
    decay=_checked(lambda entry: type(entry) in (int, float) and 0 < entry <= 1),
    convention=_choice(*CONVENTIONS),
    method=_choice(*METHODS),
    memory_limit=Value(POSITIVE.read, lambda limit: min(limit, LARGEST_WHOLE)),
)
COLUMN: Final = Record(
    {
        "name": LABEL,
        "kind": _choice("numeric", "boolean", "category", "ordered", "datetime", "timedelta", "other"),
        "is_integer": FLAG,
        "dtype": TEXT,
        "levels": LEVELS,
        "decimals": Maybe(COUNT),
        "has_declared_levels": FLAG,
        "zone": Maybe(Value(read_zone, str)),
        "values": Maybe(VALUES),
        "texts": Maybe(_checked(lambda entry: type(entry) is list and {*map(type, entry)} <= {str, type(None)})),
    },
)
AXIS: Final = {
    "number": COUNT,
    "is_integer": FLAG,
    "levels": LEVELS,
    "values": Maybe(VALUES),
    "codebook": Maybe(Array(("n_levels", "n_members"))),
}
SUMS: Final = Record(
    {
        "nodes": Array((2,)),
        "counts": Array((7,), has_missing=True, largest=_LARGEST_FLOAT),
        "curves": Array((3, "n_curves"), largest=_LARGEST_FLOAT),
        "active": Maybe(Array(("n_active",), "<i8")),
        "intervals": Maybe(Array(("n_intervals",), largest=_LARGEST_FLOAT)),
        "step": Maybe(Array((1,), largest=_LARGEST_FLOAT)),
        "changes": Maybe(Array((3, "n_changes"), largest=_LARGEST_FLOAT)),
        "along": Maybe(Array((1,), largest=_LARGEST_FLOAT)),
        "likely": Maybe(Array((2, "n_nodes"), largest=_LARGEST_FLOAT)),
    },
    _present,
)
DRIVER: Final = _of_class(Driver)
DRIVERS: Final = _of_class(
    Drivers,
    ranked=Value(
        lambda entry: tuple(map(_read_driver, _read_list(entry))), lambda ranked: list(map(_write_driver, ranked))
    ),
)
SAMPLING: Final = _of_class(
    Sampling,
    metrics=Record(dict.fromkeys(UNDECAYED, MAYBE_NAN)),
    exponents=Array(("n_exponents",)),
    decayed=_any("n_exponents"),
)
FEATURE: Final = {
    **AXIS,
    "grid": _of_class(Grid, values=Array(("n_grid",))),
    "scale": _number(0),
    "median": NUMBER,
    "has_missing": FLAG,
    "shares": Array(("n_grid",)),
    "likelihood_scale": Maybe(Array(("n",))),
    "distances": Maybe(Array(("n", "n_grid"))),
    "positions": Maybe(Array(("n_positions",), "<i8")),
    "starts": Array(("n_stretches",), "<i8"),
    "curves": Array(("n", "n_stretches")),
    "own": Array(("n",)),
    "missing": Maybe(Array(("n",))),
    "sums": SUMS,
    "drivers": DRIVERS,
    "sampling": Maybe(SAMPLING),
}
ROWS: Final = Record(
    {
        "positions": Array(("n",), "<i8"),
        "n_all": POSITIVE,
        "index": Maybe(
            Record(
                {
                    "names": _labels(),
                    "is_multi": FLAG,
                    "labels": _labels(),
                },
            )
        ),
        "predictions": Array(("n",)),
        "weights": Maybe(Array(("n",))),
        "target": Maybe(_any("n")),
        "target_name": TEXT,
    },
)
RESULT: Final = Record(
    {
        "format": _choice(FORMAT),
        "version": POSITIVE,
        "package_version": TEXT,
        "provenance": _checked(lambda entry: type(entry) is dict),
        "method": Record({"name": _choice(*METHODS), "reason": TEXT}),
        "output": Record(
            {
                "output_label": TEXT,
                "output": LABEL,
                "position": Maybe(COUNT),
                "response": _choice(*RESPONSES, "callable"),
                "of_classes": FLAG,
                "classes": _labels(tuple),
            },
        ),
        "settings": SETTINGS,
        "alerts": TEXTS,
        "notes": TEXTS,
        "rows": ROWS,
        "prediction_sd": _number(0),
        "columns": Many(COLUMN),
        "others": Many(Record(AXIS)),
        "features": Many(Record(FEATURE)),
    },
)


def _write_driver(driver: Driver) -> Any:
    """Return a split; of one that explains nothing the column alone, since each feature has all others."""
    return driver.column if driver == Driver(driver.column) else write(DRIVER, driver, "", {})


def _read_driver(entry: Any) -> Driver:
    return Driver(entry) if type(entry) is str else read(DRIVER, entry, "", None, {})
