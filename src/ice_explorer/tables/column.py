"""Columns of X on an axis: their numbers, the values that these represent, and how names and levels are written.

A **name** is what X has, and what tables and data files keep. Its **label** is on every screen and picture, and in
notes and messages between kernel and browser: visible, no longer than a tooltip holds, and distinct.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Mask, Places, Rows, Values


MOST_LETTERS: Final = 200
_MONTHS: Final = "january february march april may june july august september october november december"
_CALENDAR: Final = (_MONTHS.split(), "monday tuesday wednesday thursday friday saturday sunday".split())  # noqa: SIM905
_MOST_OF_CALENDAR: Final = 12


def clipped(text: str) -> str:
    """Return a text of at most 200 letters, the last one "…" where it had more."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + "…"


def readable(name: object, label: str) -> object:
    """Return a name for a message, or its label where that is not the name as it is."""
    return name if str(name) == label else label


def shortened(texts: Sequence[str]) -> list[str]:
    """Clip texts; those that would be alike are numbered, so that distinct ones stay distinct."""
    return _tell_apart(texts, clipped)


def make_labels(names: Iterable[object]) -> list[str]:
    """Return the labels of names that differ as texts: clipped, with single blanks, and numbered where alike.

    Examples
    --------
    >>> make_labels(["age", "", " ", "age "])
    ['age', '(no name)', '(no name) (2)', 'age (2)']
    """

    def label(text: str) -> str:
        seen = " ".join(text.split())
        return clipped(seen) if any(map(str.isprintable, seen)) else "(no name)"

    return _tell_apart([str(name) for name in names], label)


def _tell_apart(texts: Sequence[str], write: Callable[[str], str]) -> list[str]:
    """Write texts, and number what would be shown for several, or is another text already."""
    shown = {text: write(text) for text in texts}
    taken = {text for text, written in shown.items() if text == written}
    last: dict[str, int] = {}
    for text, written in shown.items():
        free = written
        while text != written and free in taken:
            last[written] = last.get(written, 1) + 1
            number = f" ({last[written]})"
            free = written[: MOST_LETTERS - len(number)] + number
        taken.add(free)
        shown[text] = free
    return [shown[text] for text in texts]


def _calendar_place(text: str) -> tuple[int, int] | None:
    """Find a month or weekday by its English name or its first three letters or more: which of both, and its place."""
    name = text.strip().lower().removesuffix(".")
    places = (
        (kind, place)
        for kind, names in enumerate(_CALENDAR)
        for place, full in enumerate(names)
        if len(name) > 2 and full.startswith(name)
    )
    return next(places, None)


def are_in_calendar(levels: Sequence[Any]) -> bool:
    """Return whether levels are months, or weekdays."""
    places = [_calendar_place(str(level)) for level in levels[: _MOST_OF_CALENDAR + 1]]
    return len(levels) <= _MOST_OF_CALENDAR and None not in places and len({place[0] for place in places if place}) == 1


def sort_levels(levels: Sequence[Any]) -> list[Any]:
    """Sort months and weekdays as they count, others by text, in which numbers count as such; last by type.

    So the order of rows matters to no figure.

    Examples
    --------
    >>> sort_levels(["Mar", "Jan", "Feb"]), sort_levels(["level 10", "level 9"])
    (['Jan', 'Feb', 'Mar'], ['level 9', 'level 10'])
    """
    is_calendar = are_in_calendar(levels)

    def key(level: Any) -> tuple[Any, ...]:
        text = str(level)
        parts = enumerate(re.split(r"(\d{1,300})", text))
        first = _calendar_place(text) if is_calendar else [int(part) if at % 2 else part.lower() for at, part in parts]
        return first, text, type(level).__name__

    return sorted(levels, key=key)


ColumnKind = Literal["numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group", "other"]
Name = Any  # a column name is whatever the frame has: text mostly, integers often

CODED = ("category", "ordered")
MOMENTS = ("datetime", "timedelta")
_MICROSECONDS = 86_400_000_000  # per day


def label_index(labels: Sequence[Any] | Values | None, name: Any = None) -> pd.Index:
    """Return labels as an index: of objects where one holds half a character, for which Arrow has no text."""
    import pandas as pd

    try:
        return pd.Index(labels, name=name, tupleize_cols=False)
    except UnicodeEncodeError:
        return pd.Index(labels, dtype=object, name=name, tupleize_cols=False)


def encodable(text: str) -> str:
    r"""Return a text that files can hold: half a character, which no encoding has, is escaped, as "\udc80"."""
    return text.encode(errors="backslashreplace").decode()


@dataclass(frozen=True, eq=False)
class Column:
    """One column of X.

    - `name`: as in X; "x0", "x1", … for the columns of an array.
    - `label`: the name as text, or as people read it.
    - `is_integer`: True where the coordinates are whole numbers by the dtype: integers, booleans, dates.
    - `dtype`: the dtype as its library writes it, for messages.
    - `values` (n_observations,): float64 coordinates, NaN where missing: numbers, 0 and 1, codes of `levels`, days
      since 1970-01-01 (UTC), days. Objects, None where missing, for kind "other".
    - `levels` (n_levels,): the labels of the codes of a category: the categories that the dtype declares, in its
      order; else the levels that occur, sorted by `sort_levels`. None for every other kind.
    - `decimals`: digits after the point of a column of `decimal.Decimal`; None of every other.
    - `has_declared_levels`: True where the dtype lists the levels, so that it cannot hold others.
    - `zone`: time zone of datetimes, as pandas takes it; None where they have none.
    - `position`: of the column in X.
    """

    name: Name
    label: str
    kind: ColumnKind
    is_integer: bool
    dtype: str
    values: Values
    levels: Values | None = None
    decimals: int | None = None
    has_declared_levels: bool = False
    zone: Any = None
    position: int = 0

    @property
    def readable(self) -> object:
        """The name as messages quote it."""
        return readable(self.name, self.label)

    @property
    def is_unordered(self) -> bool:
        """Whether its levels have no order, so that there are no slopes."""
        return self.kind in ("category", "group", "other")

    @property
    def missing(self) -> Mask:
        """Where values are missing, (n_observations,)."""
        if self.kind == "other":
            return np.array([value is None for value in self.values.tolist()], dtype=np.bool_)
        return np.asarray(np.isnan(self.values))

    @property
    def digits(self) -> int | None:
        """The most digits after the decimal point: 0 of whole numbers, None where any number makes sense."""
        return 0 if self.is_integer else self.decimals

    @cached_property
    def labels(self) -> Values:
        """Values as Python objects, None where missing, (n_observations,); datetimes in the zone of the column."""
        return self.values if self.kind == "other" else self.to_labels(self.values)

    @cached_property
    def level_texts(self) -> list[str] | None:
        """Levels as people read them; None where there are none."""
        return None if self.levels is None else shortened([str(level) for level in self.levels])

    @cached_property
    def texts(self) -> Values:
        """Labels of levels, or objects, as people read them; None where missing, (n_observations,)."""
        values = self.labels.tolist()
        levels = [value for value in values if value is not None] if self.levels is None else self.levels.tolist()
        known = list(dict.fromkeys(map(str, levels)))
        shown = dict(zip(known, shortened(known), strict=True))
        return np.fromiter([None if value is None else shown[str(value)] for value in values], object)

    def native(self, coordinates: Array) -> Values:
        """Turn coordinates into values as X has them: `in_utc`, or `pandas.Timestamp` objects in the time zone."""
        moments = self.in_utc(coordinates)
        if self.zone is None or self.levels is not None:
            return moments
        import pandas as pd

        zoned = pd.DatetimeIndex(moments.ravel()).tz_localize("UTC").tz_convert(self.zone)
        return np.fromiter(zoned, object).reshape(moments.shape)

    def in_utc(self, coordinates: Array) -> Values:
        """Turn coordinates into values of the column, datetimes without their zone.

        - `coordinates`: on the axis of the column; NaN is missing. Codes must be those of levels.
        - returns: float64; int64 (uint64 beyond it) for whole numbers, bool for booleans, datetime64[us] (UTC) and
          timedelta64[us]; objects for categories and decimals, with the digits that a float64 is shown with. Missing
          values are NaN, NaT, None, and make integers float64, booleans objects.
        """
        coordinates = np.asarray(coordinates, dtype=np.float64)
        missing = np.isnan(coordinates)
        if self.levels is not None:
            return np.fromiter([*self.levels, None], object)[np.where(missing, -1, coordinates).astype(np.intp)]
        if self.decimals is not None:
            made = [None if np.isnan(value) else Decimal(repr(value)) for value in coordinates.ravel().tolist()]
            return np.fromiter(made, object).reshape(coordinates.shape)
        if self.kind in MOMENTS:
            whole = np.floor(np.where(missing, 0.0, coordinates))
            part = np.rint((np.where(missing, 0.0, coordinates) - whole) * _MICROSECONDS).astype(np.int64)
            ticks = whole.astype(np.int64) * _MICROSECONDS + part
            return np.where(missing, np.iinfo(np.int64).min, ticks).astype(f"{'mM'[self.kind == 'datetime']}8[us]")
        if self.kind == "boolean" and np.isin(coordinates[~missing], (0.0, 1.0)).all():
            booleans = coordinates == 1.0
            return np.asarray(np.where(missing, None, booleans.astype(object)) if missing.any() else booleans)
        fitting = (dtype for dtype in (np.int64, np.uint64) if self.is_integer and can_represent(dtype, coordinates))
        return coordinates.astype(next(fitting, np.float64))

    def to_labels(self, coordinates: Array) -> Values:
        """Turn coordinates (n,) into Python objects, None where missing; moments to the microsecond."""
        labels = np.fromiter(self.native(coordinates).tolist(), object)
        labels[np.isnan(coordinates)] = None
        return labels

    @cached_property
    def _first_rows(self) -> tuple[Array, Rows]:
        """Distinct coordinates, a missing one last, and the first row that has each."""
        distinct, first = np.unique(self.values, return_index=True)
        return distinct, first

    def find_rows(self, coordinates: Array) -> tuple[Rows, Mask]:
        """Find the first row with each coordinate, NaN included, and whether there is one."""
        distinct, first = self._first_rows
        place = np.minimum(np.searchsorted(distinct, coordinates), len(distinct) - 1)
        is_observed = (distinct[place] == coordinates) | (np.isnan(distinct[place]) & np.isnan(coordinates))
        return first[place], is_observed


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or `pandas.NA`."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(value != value)  # noqa: PLR0124 - NaN


def can_represent(dtype: Any, values: Values) -> bool:
    """Return whether a dtype can represent every one of some numbers exactly."""
    if dtype == values.dtype:
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        there_and_back = values.astype(dtype).astype(values.dtype)
    return bool(np.array_equal(there_and_back, values, equal_nan=values.dtype.kind == "f"))


def to_days(moments: Values) -> Array:
    """Turn datetimes (since 1970-01-01) or timedeltas into days, NaT into NaN."""
    missing = np.isnat(moments)
    present = np.where(missing, np.zeros(1, moments.dtype), moments)
    # The whole days are split off because a float64 can represent the rest of a day exactly.
    whole = present.astype(f"{moments.dtype.kind}8[D]")
    coordinates: Array = whole.astype(np.int64) + (present - whole) / np.timedelta64(1, "D")
    coordinates[missing] = np.nan
    return coordinates


def has_value_and_weight(values: Array, weights: Array | None) -> Mask:
    """Whether each value is not missing, in a row that has weight."""
    present = ~np.isnan(values)
    return present if weights is None else present & (weights > 0)


def standard_deviation(values: Array, weights: Array | None = None) -> float:
    """Standard deviation of the values that are not missing, ddof=0 [feature].

    Exactly 0 where all values are equal, which the usual formula misses by rounding.
    """
    present = has_value_and_weight(values, weights)
    column = values if present.all() else values[present]
    if column.size == 0 or column.min() == column.max():
        return 0.0
    mass, total = (1.0, column.size) if weights is None else (weights[present], weights[present].sum())
    deviations = column - (column * mass).sum() / total  # of a few rows `np.average` takes longer
    return math.sqrt(float((deviations * deviations * mass).sum() / total))


def distinct_rows(rows: Array) -> tuple[Places, Places]:
    """Return the first of each distinct row, and which of them each row is; a missing value equals a missing value.

    - `rows` (n_rows, n_columns).
    - returns `first` (n_distinct,), whose order does not depend on that of the rows, nor on the units of columns, and
      `inverse` (n_rows,).
    """
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in rows.T], np.int64).T.copy()
    keys = ranks.view(np.dtype((np.void, ranks.strides[0]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first, inverse


def column_moments(columns: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted mean and standard deviation (ddof=0) of columns (n_rows, n_columns) over the rows that have a value."""
    present = ~np.isnan(columns)
    mass = np.maximum(weights @ present, np.finfo(float).tiny)
    mean = weights @ np.where(present, columns, 0.0) / mass
    return mean, np.sqrt(weights @ np.where(present, np.square(columns - mean), 0.0) / mass)


@dataclass(frozen=True, eq=False)
class SortedValues:
    """The values of a column that are not missing, of rows that have weight, sorted once for all that needs it.

    - `values`: increasing, equal ones in the order of their rows.
    - `weights`: of the same rows; None where all have the same.
    """

    values: Array
    weights: Array | None

    @classmethod
    def from_column(cls, values: Array, weights: Array | None) -> SortedValues:
        """Sort the values of a column, (n_observations,)."""
        if weights is None:
            ordered = np.sort(values)  # missing ones come last
            return cls(ordered[: len(ordered) - np.count_nonzero(np.isnan(ordered))], None)
        present = has_value_and_weight(values, weights)
        column = values[present]
        order = np.argsort(column, kind="stable")
        return cls(column[order], weights[present][order])

    @cached_property
    def distinct(self) -> Array:
        """Each value once; `np.unique` would sort them again."""
        is_new = np.append(np.ones(len(self.values[:1]), np.bool_), self.values[1:] != self.values[:-1])
        return np.asarray(self.values[is_new])

    @property
    def lower_median(self) -> float:
        """Lower (weighted) median: an observed value."""
        return float(self.quantiles(np.array([0.5]))[0])

    def quantiles(self, levels: Array) -> Array:
        """Quantiles that are observed values: the smallest below or at which a share `level` of them lies.

        With whole weights they are those of repeated values to the bit, which `numpy.quantile` misses
        where a level falls on a step, because it divides by the sum of the weights first.
        """
        if self.weights is None:
            at = np.maximum(np.ceil(len(self.values) * levels - 1.0), 0.0).astype(np.intp)
            return self.values[at]
        cumulative = np.cumsum(self.weights)
        position = np.searchsorted(cumulative, levels * cumulative[-1], side="left")
        # At level 0 a leading value of weight 0 would be found; weights are positive here.
        return np.asarray(self.values[np.minimum(position, len(self.values) - 1)])


def observed_quantiles(values: Array, levels: Array, weights: Array | None) -> Array:
    """Quantiles of values none of which is missing; see `SortedValues.quantiles`."""
    return SortedValues.from_column(values, weights).quantiles(levels)


def choose_edges(values: Array, most: int, weights: Array) -> Array:
    """Return the distinct values, increasing, or quantiles where they are more; none is missing."""
    edges = np.unique(values)
    return edges if len(edges) <= most else np.unique(observed_quantiles(values, np.linspace(0.0, 1.0, most), weights))
