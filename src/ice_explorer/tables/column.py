"""A column of X on an axis: the numbers that metrics are computed on, and the values that they represent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.errors.labels import readable, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ColumnKind = Literal["numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group", "other"]
Name = Any  # a column name is whatever the frame has: text mostly, integers often

CODED = ("category", "ordered")
MOMENTS = ("datetime", "timedelta")
_MICROSECONDS = 86_400_000_000  # per day


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
      order; else the levels that occur, in the natural order of their texts or of first appearance. None for every
      other kind.
    - `exact` (n_observations,): the values themselves where float64 does not always represent them: datetimes,
      timedeltas, whole numbers beyond 2**53, and decimals, None where missing.
    - `in_natural_order`: True if levels without a declared order are in the natural order of their texts.
    - `has_declared_levels`: True where the dtype lists the levels, so that it cannot hold others.
    - `zone`: time zone of datetimes, as pandas takes it; None where they have none.
    - `position`: of the column in X.
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
    position: int = 0

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
        """The most digits after the decimal point: 0 of whole numbers, None where any number makes sense."""
        if self.is_integer:
            return 0
        if self.exact is None or self.exact.dtype.kind != "O":
            return None
        exponents = [value.as_tuple().exponent for value in self.exact.tolist() if value is not None]
        return max([-exponent for exponent in exponents if isinstance(exponent, int)], default=0)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Values as Python objects, None where missing, (n_observations,); datetimes in the zone of the column."""
        return self.values if self.kind == "other" else self.labels_of(self.values)

    @cached_property
    def level_texts(self) -> list[str] | None:
        """Levels as people read them; None where there are none."""
        return None if self.levels is None else shortened([str(level) for level in self.levels])

    @cached_property
    def texts(self) -> NDArray[Any]:
        """Labels of levels, or objects, as people read them; None where missing, (n_observations,)."""
        texts = [None if value is None else str(value) for value in self.labels]
        known = list(dict.fromkeys(text for text in texts if text is not None) if self.levels is None
                     else map(str, self.levels))  # fmt: skip
        shown: dict[Any, Any] = {None: None, **dict(zip(known, shortened(known), strict=True))}
        return objects([shown[text] for text in texts])

    def native(self, coordinates: Array) -> NDArray[Any]:
        """Turn coordinates into values as X has them: `in_utc`, or `pandas.Timestamp` objects in the time zone."""
        moments = self.in_utc(coordinates)
        if self.zone is None or self.levels is not None:
            return moments
        import pandas as pd

        zoned = pd.DatetimeIndex(moments.ravel()).tz_localize("UTC").tz_convert(self.zone)
        return objects(list(zoned)).reshape(moments.shape)

    def in_utc(self, coordinates: Array) -> NDArray[Any]:
        """Turn coordinates into values of the column, datetimes without their zone.

        Coordinates that rows have become the value of the first such row. Others become numbers, moments to the
        microsecond, or decimals with the digits that a float64 is shown with.

        - `coordinates`: on the axis of the column; NaN is missing. Codes must be those of levels.
        - returns: float64; int64 (uint64 beyond it) for whole numbers, bool for booleans, datetime64[us] (UTC) and
          timedelta64[us], or finer where the column is; objects for categories and decimals. Missing values are NaN,
          NaT, None, and make integers float64, booleans objects.
        """
        coordinates = np.asarray(coordinates, dtype=np.float64)
        missing = np.isnan(coordinates)
        native: NDArray[Any] = coordinates
        if self.levels is not None:
            native = np.full(coordinates.shape, None, dtype=object)
            native[~missing] = self.levels[coordinates[~missing].astype(np.intp)]
            return native
        if self.kind in MOMENTS:
            native = _moments(coordinates, "M8" if self.kind == "datetime" else "m8")
        elif self.kind == "boolean" and np.isin(coordinates[~missing], (0.0, 1.0)).all():
            native = coordinates == 1.0
            if missing.any():
                native = native.astype(object)
                native[missing] = None
        elif self.is_integer:
            fitting = (dtype for dtype in (np.int64, np.uint64) if represents(np.dtype(dtype), coordinates))
            native = coordinates.astype(next(fitting, np.float64))
        return native if self.exact is None else self._with_exact(native, coordinates)

    def _with_exact(self, native: NDArray[Any], coordinates: Array) -> NDArray[Any]:
        """Put the exact values of rows in the place of those that were computed from coordinates."""
        assert self.exact is not None  # noqa: S101 - the caller has looked
        rows, is_observed = self.rows_at(coordinates)
        if is_observed.all():
            return self.exact[rows]
        if self.exact.dtype.kind == "O":
            native = objects([None if np.isnan(value) else Decimal(repr(value)) for value in native.ravel().tolist()])
            native = native.reshape(coordinates.shape)
        else:
            finer = native.astype(self.exact.dtype) if self.kind in MOMENTS else native
            if finer.dtype != self.exact.dtype or not np.array_equal(
                finer.astype(native.dtype), native, equal_nan=self.kind in MOMENTS
            ):
                return native  # no whole numbers; nanoseconds end in the year 2262
            native = finer
        native[is_observed] = self.exact[rows[is_observed]]
        return native

    def labels_of(self, coordinates: Array) -> NDArray[Any]:
        """Turn coordinates (n,) into Python objects, None where missing; moments to the microsecond."""
        native = self.native(coordinates)
        if native.dtype.kind in "Mm":
            native = native.astype(f"{native.dtype.kind}8[us]")
        labels = objects(native.tolist())
        labels[np.isnan(coordinates)] = None
        return labels

    @cached_property
    def _first_rows(self) -> tuple[Array, NDArray[np.int64]]:
        """Distinct coordinates, a missing one last, and the first row that has each."""
        distinct, first = np.unique(self.values, return_index=True)
        return distinct, first

    def rows_at(self, coordinates: Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Find the first row with each coordinate, NaN included, and whether there is one."""
        distinct, first = self._first_rows
        place = np.minimum(np.searchsorted(distinct, coordinates), len(distinct) - 1)
        is_observed = (distinct[place] == coordinates) | (np.isnan(distinct[place]) & np.isnan(coordinates))
        return first[place], is_observed


# --- values ---------------------------------------------------------------------------------------


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """Put values into an array of objects, lists and tuples among them as they are."""
    values = list(values)
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or `pandas.NA`."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(value != value)  # noqa: PLR0124 - NaN


def numbers_of(values: Sequence[Any]) -> NDArray[Any]:
    """Return Python numbers, without missing ones, as an array of integers if all are, else of float64."""
    array = np.array(values)
    return array if array.dtype.kind in "iu" else array.astype(np.float64)


def represents(dtype: np.dtype[Any], values: NDArray[Any]) -> bool:
    """Return whether a dtype represents every one of some numbers exactly."""
    with np.errstate(over="ignore", invalid="ignore"):
        there_and_back = values.astype(dtype).astype(values.dtype)
    return bool(np.array_equal(there_and_back, values, equal_nan=values.dtype.kind == "f"))


def days(moments: NDArray[Any]) -> Array:
    """Turn datetimes (since 1970-01-01) or timedeltas into days, NaT into NaN."""
    missing = np.isnat(moments)
    present = np.where(missing, np.zeros(1, moments.dtype), moments)
    # The whole days are split off because a float64 represents the rest of a day exactly.
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
