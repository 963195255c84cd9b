"""What a file holds: each entry of the document and each array once, for what writes them and for what reads them.

A specification turns a value into an entry of the document, or into an array beside it, and back. It reads from anyone:

- raises ValueError, TypeError, LookupError, ArithmeticError, OSError: if an entry or an array is none of its kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.beyond.effects import EFFECT_COLUMNS, SavedEffects
from ice_explorer.checks import LARGEST
from ice_explorer.drivers.drivers import Combined, Driver, Drivers
from ice_explorer.features.grid import Grid
from ice_explorer.metrics.influence import UNDECAYED, Sampling
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.models.predict import RESPONSES
from ice_explorer.results.options import METHODS, Settings
from ice_explorer.saved.labels import from_json, read_zone, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.arrays import Values

    Arrays = dict[str, Values]
    Sizes = dict[str, int]

FORMAT: Final = "ice-explorer result"
VERSION: Final = 1
LARGEST_WHOLE: Final = 1 << 53

_LARGEST_FLOAT: Final = float(np.finfo(float).max)


@dataclass(frozen=True)
class Value:
    """An entry of the document, by what reads and writes it."""

    read_entry: Callable[[Any], Any]
    write_entry: Callable[[Any], Any] = lambda value: value
    is_array = False

    def write(self, value: Any, path: str, arrays: Arrays) -> Any:  # noqa: ARG002 - as the others
        """Return the entry."""
        return self.write_entry(value)

    def read(self, entry: Any, path: str, archive: Any, sizes: Sizes) -> Any:  # noqa: ARG002
        """Return the value."""
        return self.read_entry(entry)


@dataclass(frozen=True)
class Array:
    """An array whose lengths are numbers, or names of lengths that it shares with others."""

    shape: tuple[int | str, ...]
    dtype: str = "<f8"
    has_missing: bool = False
    largest: float = LARGEST
    is_array = True

    def write(self, value: Values, path: str, arrays: Arrays) -> None:
        """Add the array."""
        arrays[path] = value.astype(self.dtype, order="C")

    def read(self, entry: Any, path: str, archive: Any, sizes: Sizes) -> Any:  # noqa: ARG002
        """Return the array."""

        def fits(shape: tuple[int, ...]) -> None:
            named = [
                sizes.setdefault(a, b) if isinstance(a, str) else a for a, b in zip(self.shape, shape, strict=True)
            ]
            if tuple(named) != shape:
                raise ValueError(f"{path} is of another shape")

        array = archive.read_array(path, self.dtype, fits)
        least, most = (np.fmin, np.fmax) if self.has_missing else (np.minimum, np.maximum)
        lowest, highest = (bound.reduce(array, axis=None, initial=0) for bound in (least, most))
        if not -self.largest <= lowest <= highest <= self.largest:
            raise ValueError(f"{path} holds too large numbers, or what is none")
        return array


@dataclass(frozen=True)
class Maybe:
    """A value, or None."""

    spec: Any

    @property
    def is_array(self) -> bool:
        """Whether it is no entry of the document."""
        return bool(self.spec.is_array)

    def write(self, value: Any, path: str, arrays: Arrays) -> Any:
        """Return the entry, or add the array, of a value."""
        return None if value is None else self.spec.write(value, path, arrays)

    def read(self, entry: Any, path: str, archive: Any, sizes: Sizes) -> Any:
        """Return the value."""
        is_there = archive.has(path) if self.is_array else entry is not None
        return self.spec.read(entry, path, archive, sizes) if is_there else None


@dataclass(frozen=True)
class Many:
    """A list of objects, each of which has lengths for itself."""

    spec: Record
    is_array = False

    def write(self, value: Any, path: str, arrays: Arrays) -> Any:
        """Return the entry, and add the arrays of its items."""
        return [self.spec.write(each, f"{path}/{place}", arrays) for place, each in enumerate(value)]

    def read(self, entry: Any, path: str, archive: Any, sizes: Sizes) -> Any:
        """Return the values."""
        items = enumerate(_read_list(entry))
        return [self.spec.read(each, f"{path}/{place}", archive, dict(sizes)) for place, each in items]


class Record:
    """An object of certain entries and arrays, written from a mapping or from what `make` returns."""

    is_array = False

    def __init__(self, make: Callable[..., Any], specs: Mapping[str, Any]) -> None:
        self._make, self._specs = make, specs
        self._names = {name for name, spec in specs.items() if not spec.is_array}

    def write(self, value: Any, path: str, arrays: Arrays) -> Any:
        """Return the entry, and add its arrays."""
        get = value.get if isinstance(value, dict) else partial(getattr, value)
        start = path and path + "/"
        written = {name: spec.write(get(name), start + name, arrays) for name, spec in self._specs.items()}
        return {name: entry for name, entry in written.items() if name in self._names}

    def read(self, entry: Any, path: str, archive: Any, sizes: Sizes) -> Any:
        """Return what is made of the values."""
        if type(entry) is not dict or entry.keys() != self._names:
            raise ValueError(f"{path} is no object, or has other entries")
        start, specs = path and path + "/", self._specs.items()
        return self._make(**{name: spec.read(entry.get(name), start + name, archive, sizes) for name, spec in specs})


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


def _label(what: str = "A name or label") -> Value:
    return Value(from_json, partial(to_json, what=what))


def _labels(what: str, make: Callable[[list[Any]], Any] = list) -> Value:
    """Labels that can be keys of a dictionary."""

    def read(entry: Any) -> Any:
        labels = [from_json(each) for each in _read_list(entry)]
        hash(tuple(labels))
        return make(labels)

    return Value(read, lambda labels: [to_json(label, what) for label in labels])


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
    lambda entry: np.nan if entry is None else NUMBER.read_entry(entry),
    lambda value: None if math.isnan(value) else value,
)
TUPLE_OF_TEXTS: Final = Value(lambda entry: tuple(TEXTS.read_entry(entry)), list)
LEVELS: Final = Maybe(
    Value(
        lambda entry: _read_levels(_labels("").read_entry(entry)),
        lambda levels: [to_json(level, "A level of a feature or column") for level in levels.tolist()],
    )
)
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
    return Record(made, {each.name: specs.get(each.name) or _BY_ANNOTATION[str(each.type)] for each in fields(made)})


SETTINGS: Final = _of_class(
    Settings,
    groups=Maybe(
        Value(_read_pairs, lambda of: [[to_json(name), list(map(to_json, names))] for name, names in of.items()])
    ),
    categorical_features=Maybe(_labels("A column name", tuple)),
    output=_label("An output"),
    response=_choice(*RESPONSES, "callable"),
    grid_size=Maybe(POSITIVE),
    sample=Maybe(_number(0)),
    random_state=_whole(0, 10**40),  # as `explain` takes it
    decay=_checked(lambda entry: type(entry) in (int, float) and 0 < entry <= 1),
    convention=_choice(*CONVENTIONS),
    method=_choice(*METHODS),
    memory_limit=Value(POSITIVE.read_entry, lambda limit: min(limit, LARGEST_WHOLE)),
)
COLUMN: Final = Record(
    dict,
    {
        "name": _label("A column name"),
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
    _present,
    {
        "nodes": Array((2,)),
        "counts": Array((7,), has_missing=True, largest=_LARGEST_FLOAT),
        "curves": Array((3, "n_curves"), largest=_LARGEST_FLOAT),
        "active": Maybe(Array(("n_active",), "<i8")),
        **{
            f"{name}_{what}": Maybe(Array(shape, largest=_LARGEST_FLOAT))
            for name in CONVENTIONS
            for what, shape in {"changes": (3, f"n_{name}"), "along": (1,), "likely": (2, "n_nodes")}.items()
        },
    },
)
DRIVER: Final = _of_class(Driver)
DRIVERS: Final = _of_class(
    Drivers,
    ranked=Value(
        lambda entry: tuple(map(_read_driver, _read_list(entry))), lambda ranked: list(map(_write_driver, ranked))
    ),
    combined=_of_class(
        Combined,
        rules=Value(
            lambda entry: {TEXT.read_entry(rule): COUNT.read_entry(n) for rule, n in entry},
            lambda rules: [*rules.items()],
        ),
        row_rules=Maybe(Array(("n",), "<i8")),
    ),
)
EFFECTS: Final = _of_class(
    SavedEffects, grid=Array(("n_effects",)), columns=Record(dict, dict.fromkeys(EFFECT_COLUMNS, _any("n_effects")))
)
SAMPLING: Final = _of_class(
    Sampling,
    metrics=Record(_present, dict.fromkeys(CONVENTIONS, Maybe(Record(dict, dict.fromkeys(UNDECAYED, MAYBE_NAN))))),
    exponents=Array(("n_exponents",)),
    decayed=Record(_present, dict.fromkeys(CONVENTIONS, Maybe(_any("n_exponents")))),
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
    "effects": Maybe(EFFECTS),
    "drivers": DRIVERS,
    "sampling": Maybe(SAMPLING),
}
ROWS: Final = Record(
    dict,
    {
        "positions": Array(("n",), "<i8"),
        "n_all": POSITIVE,
        "index": Maybe(
            Record(
                dict,
                {
                    "names": _labels("A name of the index of X"),
                    "is_multi": FLAG,
                    "labels": _labels("A label of the index of X"),
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
    dict,
    {
        "format": _choice(FORMAT),
        "version": POSITIVE,
        "package_version": TEXT,
        "provenance": _checked(lambda entry: type(entry) is dict),
        "method": Record(dict, {"name": _choice(*METHODS), "reason": TEXT}),
        "output": Record(
            dict,
            {
                "output_label": TEXT,
                "output": _label("An output"),
                "position": Maybe(COUNT),
                "response": _choice(*RESPONSES, "callable"),
                "of_classes": FLAG,
                "classes": _labels("A class", tuple),
            },
        ),
        "settings": SETTINGS,
        "alerts": TEXTS,
        "notes": TEXTS,
        "rows": ROWS,
        "prediction_sd": _number(0),
        "columns": Many(COLUMN),
        "others": Many(Record(dict, AXIS)),
        "features": Many(Record(dict, FEATURE)),
    },
)


def _write_driver(driver: Driver) -> Any:
    """Return a split; of one that explains nothing the column alone, since each feature has all others."""
    return driver.column if driver == Driver(driver.column) else DRIVER.write(driver, "", {})


def _read_driver(entry: Any) -> Driver:
    return Driver(entry) if type(entry) is str else DRIVER.read(entry, "", None, {})
