"""A column of X on an axis: numbers that metrics are computed on, and the values that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.adapters.tables.natural_order import in_natural_order
from ice_explorer.dates import UTC_CLOCK, Clock, clock_of
from ice_explorer.errors.labels import readable, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

ColumnKind = Literal["numeric", "boolean", "category", "ordered", "datetime", "timedelta", "other"]
Name = Any  # a column is named by whatever the frame's owner chose: text mostly, integers often

CODED = ("category", "ordered")
MOMENTS = ("datetime", "timedelta")
_MICROSECONDS = 86_400_000_000  # of a day
_EXACT = 2**53  # whole numbers up to here are what float64 holds


@dataclass(frozen=True, eq=False)
class Column:
    """One column of X.

    - `name`: as in X; "x0", "x1", … for the columns of an array.
    - `label`: the name as text, or as people read it.
    - `is_integer`: True where the coordinates are whole numbers by the dtype: integers, booleans, dates.
    - `dtype`: the dtype by its own name, for messages.
    - `values` (n_observations,): float64 coordinates, NaN where missing: numbers, 0 and 1, codes of `levels`, days
      since 1970-01-01 (UTC), days. Objects, None where missing, for kind "other".
    - `levels` (n_levels,): what the codes of a category stand for: the categories that the dtype declares, in its
      order; else the levels that occur, in the order that their texts say or of their first appearance. None for every
      other kind.
    - `exact` (n_observations,): the values themselves where a float64 does not always tell them: datetimes, timedeltas,
      whole numbers beyond 2**53, and decimals, None where missing.
    - `in_natural_order`: True if levels without a declared order are in the natural order of their texts: months,
      numbered levels.
    - `has_declared_levels`: True where the dtype lists the levels, so that it cannot hold others.
    - `zone`: time zone of datetimes, as pandas takes it; None where they have none.
    """

    name: Name
    label: str
    kind: ColumnKind
    is_integer: bool
    dtype: str
    values: NDArray[Any]
    levels: NDArray[Any] | None = None
    exact: NDArray[Any] | None = None
    in_natural_order: bool = False
    has_declared_levels: bool = False
    zone: Any = None

    @property
    def readable(self) -> object:
        """The name as messages quote it."""
        return readable(self.name, self.label)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where values are missing, (n_observations,)."""
        if self.kind == "other":
            return np.array([value is None for value in self.values.tolist()], dtype=np.bool_)
        missing: NDArray[np.bool_] = np.isnan(self.values)
        return missing

    @cached_property
    def digits(self) -> int | None:
        """How many digits behind the point decimals have at most; None for every other column."""
        if self.exact is None or self.exact.dtype.kind != "O":
            return None
        exponents = [value.as_tuple().exponent for value in self.exact.tolist() if value is not None]
        return max([-exponent for exponent in exponents if isinstance(exponent, int)], default=0)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Values as Python objects, None where missing, (n_observations,); datetimes in the zone of the column."""
        if self.kind == "other":
            return self.values
        native = self.in_zone(self.values)
        if self.kind in MOMENTS and native.dtype.kind in "Mm":
            native = native.astype(f"{native.dtype.kind}8[us]")
        labels = objects(native.tolist())
        labels[self.missing] = None
        return labels

    @cached_property
    def level_texts(self) -> list[str] | None:
        """Levels as people read them; None where there are none."""
        return None if self.levels is None else shortened([str(level) for level in self.levels])

    @cached_property
    def texts(self) -> NDArray[Any]:
        """Labels of levels, or objects, as people read them; None where missing, (n_observations,)."""
        texts = objects([None if value is None else str(value) for value in self.labels])
        present = texts[~self.missing].tolist()
        known = [str(level) for level in self.levels] if self.levels is not None else list(dict.fromkeys(present))
        shown = dict(zip(known, shortened(known), strict=True))
        return objects([None if text is None else shown[text] for text in texts])

    def native(self, coordinates: Array) -> NDArray[Any]:
        """Turn coordinates into values of the column.

        Coordinates that some row has become what the first such row holds. Others become numbers,
        or moments to the microsecond.

        - `coordinates`: on the axis of the column; NaN is missing. Codes must be those of levels.
        - returns: float64; int64 (uint64 beyond it) for whole numbers, bool for booleans, datetime64[us] (UTC) and
          timedelta64[us], [ns] where the column has it; objects for categories and decimals, which have the digits that
          a float64 is shown with where no row has them. Missing values are NaN, NaT, None, and make integers float64,
          booleans objects.
        """
        coordinates = np.asarray(coordinates, dtype=np.float64)
        if self.levels is not None:
            return _decoded(self.levels, coordinates)
        if self.kind == "boolean":
            return _booleans(coordinates)
        if self.kind in MOMENTS:
            native: NDArray[Any] = _moments(coordinates, "M8" if self.kind == "datetime" else "m8")
        else:
            native = _whole(coordinates) if self.is_integer else coordinates
        return native if self.exact is None else self._made_exact(native, coordinates)

    def in_zone(self, coordinates: Array) -> NDArray[Any]:
        """Turn coordinates into values as X has them: `native`, but for a time zone `pandas.Timestamp` objects in it.

        - `coordinates`: as for `native`.
        """
        native = self.native(coordinates)
        if self.zone is None:
            return native
        import pandas as pd

        zoned = pd.DatetimeIndex(native.ravel()).tz_localize("UTC").tz_convert(self.zone)
        return objects(list(zoned)).reshape(native.shape)

    @cached_property
    def clock(self) -> Clock:
        """How datetimes of the column are written: in its time zone."""
        present = self.values[~self.missing]
        if self.zone is None or not len(present):
            return UTC_CLOCK
        return clock_of(self.in_zone(present[:1])[0].tzinfo, float(present.min()), float(present.max()))

    def moment_of(self, text: str) -> Any:
        """Read a datetime, in the zone of the column where the text has no offset of its own."""
        import pandas as pd

        moment = pd.Timestamp(text)
        return moment.tz_localize(self.zone) if moment.tzinfo is None else moment

    def coordinates(self, native: ArrayLike) -> Array:
        """Turn values of the column into coordinates, the inverse of `native`.

        - `native`: numbers do for every kind but categories, whose labels are looked up; moments of Python, and dates
          as text, do for moments.
        - raises KeyError: if a label is none of the levels.
        """
        native = np.asarray(native)
        if self.levels is not None:
            codes = {level: float(code) for code, level in enumerate(self.levels.tolist())}
            flat = [
                codes[label] if label in codes or not is_missing(label) else np.nan for label in native.ravel().tolist()
            ]
            return np.array(flat).reshape(native.shape)
        if self.kind in MOMENTS and native.dtype.kind in "OU":
            native = native.astype("M8[us]" if self.kind == "datetime" else "m8[us]")
        return days(native) if native.dtype.kind in "Mm" else numbers(native).astype(np.float64)

    def rows_with(self, native: NDArray[Any]) -> NDArray[np.int64] | None:
        """Find for each value a row that holds it, or None where some value is in no row."""
        try:
            found, rows = self._rows_at(self.coordinates(native))
        except KeyError:  # a level of other rows
            return None
        return rows if found.all() else None

    @cached_property
    def _first_rows(self) -> tuple[Array, NDArray[np.int64]]:
        """Distinct coordinates, a missing one last, and the first row that has each."""
        distinct, first = np.unique(self.values, return_index=True)
        return distinct, first

    def _rows_at(self, coordinates: Array) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        distinct, first = self._first_rows
        at = np.minimum(np.searchsorted(distinct, coordinates), len(distinct) - 1)
        found = (distinct[at] == coordinates) | (np.isnan(distinct[at]) & np.isnan(coordinates))
        return found, first[at]

    def _made_exact(self, native: NDArray[Any], coordinates: Array) -> NDArray[Any]:
        assert self.exact is not None  # noqa: S101 - the caller has looked
        found, rows = self._rows_at(coordinates)
        if found.all():
            return self.exact[rows]
        if self.exact.dtype.kind == "O":
            decimals: NDArray[Any] = objects(decimals_of(native.ravel())).reshape(native.shape)
            decimals[found] = self.exact[rows[found]]
            return decimals
        finer = native.astype(self.exact.dtype) if self.kind in MOMENTS else native
        if finer.dtype != self.exact.dtype or not np.array_equal(
            finer.astype(native.dtype), native, equal_nan=self.kind in MOMENTS
        ):
            return native  # no whole numbers; nanoseconds end in the year 2262
        finer[found] = self.exact[rows[found]]
        return finer


# --- columns out of arrays ------------------------------------------------------------------------


def decimal_column(name: Name, dtype: str, decimals: NDArray[Any]) -> Column:
    """Make a column of decimals, None where missing."""
    return replace(number_column(name, dtype, numbers(decimals).astype(np.float64)), exact=decimals)


def number_column(
    name: Name, dtype: str, values: NDArray[Any], missing: NDArray[np.bool_] | None = None, *, is_lasting: bool = False
) -> Column:
    """Make a column of numbers or booleans.

    - `missing`: where it is True, whatever stands there is not read.
    - `is_lasting`: whether nobody writes to `values` later, so that they need no copy.
    """
    kind: ColumnKind = "boolean" if values.dtype.kind == "b" else "numeric"
    is_view = is_lasting and missing is None and values.dtype == np.float64 and values.flags.c_contiguous
    coordinates = values.view() if is_view else values.astype(np.float64)
    if is_view:
        coordinates.flags.writeable = False
    exact = None
    if missing is not None and missing.any():
        coordinates[missing] = np.nan
    elif values.dtype.kind in "iu" and values.itemsize == 8 and np.abs(coordinates).max(initial=0) > _EXACT:
        exact = values
    return Column(name, str(name), kind, values.dtype.kind in "iub", dtype, coordinates, exact=exact)


def moment_column(name: Name, dtype: str, values: NDArray[Any], zone: Any = None) -> Column:
    """Make a column of datetimes, in UTC where they have a zone, or of timedeltas; NaT where missing, of any unit."""
    kind: ColumnKind = "datetime" if values.dtype.kind == "M" else "timedelta"
    unit = np.datetime_data(values.dtype)[0]
    exact = values if unit == "ns" else values.astype(f"{values.dtype.kind}8[us]")
    return Column(name, str(name), kind, unit == "D", dtype, days(values), exact=exact, zone=zone)


def coded_column(
    name: Name, dtype: str, labels: NDArray[Any], declared: Sequence[Any] | None = None, *, is_ordered: bool = False
) -> Column:
    """Make a category of labels, None where missing; `declared` are all categories of the dtype, in its order."""
    levels = list(dict.fromkeys(label for label in labels.tolist() if label is not None))
    if declared is not None:
        levels = list(declared)
    # Unordered categories in alphabetical order are as pandas makes them of texts.
    natural = (
        None if is_ordered or (declared is not None and not _are_sorted_texts(levels)) else in_natural_order(levels)
    )
    levels = levels if natural is None else natural
    codes = {level: float(code) for code, level in enumerate(levels)}
    values = np.array([np.nan if label is None else codes[label] for label in labels.tolist()], dtype=np.float64)
    return Column(
        name, str(name), "ordered" if is_ordered else "category", is_integer=False, dtype=dtype, values=values,
        levels=objects(levels), in_natural_order=natural is not None, has_declared_levels=declared is not None,
    )  # fmt: skip


def _are_sorted_texts(levels: Sequence[Any]) -> bool:
    return all(isinstance(level, str) for level in levels) and list(levels) == sorted(levels)


def other_column(name: Name, dtype: str, values: NDArray[Any]) -> Column:
    """Make a column of objects, None where missing, that is no feature."""
    return Column(name, str(name), "other", False, dtype, values)  # noqa: FBT003 - of the dataclass


# --- values ---------------------------------------------------------------------------------------


def objects(values: Sequence[Any]) -> NDArray[Any]:
    """Put values into an array of objects, lists and tuples among them as they are."""
    array = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        array[at] = value
    return array


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or what pandas has for missing."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(value != value)  # noqa: PLR0124 - NaN


def numbers(native: NDArray[Any]) -> NDArray[Any]:
    """Turn objects into numbers, NaN where missing; numbers are returned as they are."""
    if native.dtype.kind != "O":
        return native
    flat = native.ravel().tolist()
    missing = [is_missing(value) for value in flat]
    if any(missing):
        flat = [np.nan if is_gone else float(value) for value, is_gone in zip(flat, missing, strict=True)]
    array = np.array(flat)
    return (array if array.dtype.kind in "fiub" else array.astype(np.float64)).reshape(native.shape)


def decimals_of(values: NDArray[Any]) -> list[Decimal | None]:
    """Turn numbers into decimals with the digits that they are shown with, missing ones into None."""
    return [
        None if is_missing(value) else value if isinstance(value, Decimal) else Decimal(repr(value))
        for value in values.tolist()
    ]


def holds(dtype: np.dtype[Any], values: NDArray[Any]) -> bool:
    """Whether every number survives a stay in the dtype."""
    if values.size == 0 or values.dtype == dtype:
        return True
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return bool(
                np.array_equal(values.astype(dtype).astype(values.dtype), values, equal_nan=values.dtype.kind == "f")
            )
    if values.dtype.kind == "f" and not (np.isfinite(values).all() and np.array_equal(values, np.rint(values))):
        return False
    low, high = int(values.min()), int(values.max())
    if dtype.kind == "b":
        return low >= 0 and high <= 1
    bounds = np.iinfo(dtype)
    return low >= bounds.min and high <= bounds.max


def days(moments: NDArray[Any]) -> Array:
    """Turn datetimes (since 1970-01-01) or timedeltas into days, NaT into NaN."""
    missing = np.isnat(moments)
    present = np.where(missing, np.zeros(1, moments.dtype), moments)
    # Whole days first: the rest of a day fits a float64 as it is.
    whole = present.astype(f"{moments.dtype.kind}8[D]")
    coordinates: Array = whole.astype(np.int64) + (present - whole) / np.timedelta64(1, "D")
    coordinates[missing] = np.nan
    return coordinates


def _moments(coordinates: Array, kind: str) -> NDArray[Any]:
    """Turn days into datetimes or timedeltas, to the microsecond."""
    missing = np.isnan(coordinates)
    filled = np.where(missing, 0.0, coordinates)
    whole = np.floor(filled)
    ticks = whole.astype(np.int64) * _MICROSECONDS + np.rint((filled - whole) * _MICROSECONDS).astype(np.int64)
    moments: NDArray[Any] = ticks.astype(f"{kind}[us]")
    moments[missing] = "NaT"
    return moments


def _decoded(levels: NDArray[Any], codes: Array) -> NDArray[Any]:
    labels = np.full(codes.shape, None, dtype=object)
    present = ~np.isnan(codes)
    labels[present] = levels[codes[present].astype(np.int64)]
    return labels


def _booleans(coordinates: Array) -> NDArray[Any]:
    missing = np.isnan(coordinates)
    if not np.isin(coordinates[~missing], (0.0, 1.0)).all():
        return coordinates
    booleans: NDArray[Any] = coordinates == 1.0
    if not missing.any():
        return booleans
    as_objects: NDArray[Any] = booleans.astype(object)
    as_objects[missing] = None
    return as_objects


def _whole(coordinates: Array) -> NDArray[Any]:
    for dtype in (np.dtype(np.int64), np.dtype(np.uint64)):
        if holds(dtype, coordinates):
            return coordinates.astype(dtype)
    return coordinates
