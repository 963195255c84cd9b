"""A column of X on an axis: the numbers that metrics are computed on, and the values that they represent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.tables.labels import readable, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Mask, Rows, Values


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
        return self.values if self.kind == "other" else self.labels_of(self.values)

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

    def labels_of(self, coordinates: Array) -> Values:
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
    """Return whether a dtype can_represent every one of some numbers exactly."""
    with np.errstate(over="ignore", invalid="ignore"):
        there_and_back = values.astype(dtype).astype(values.dtype)
    return bool(np.array_equal(there_and_back, values, equal_nan=values.dtype.kind == "f"))


def days(moments: Values) -> Array:
    """Turn datetimes (since 1970-01-01) or timedeltas into days, NaT into NaN."""
    missing = np.isnat(moments)
    present = np.where(missing, np.zeros(1, moments.dtype), moments)
    # The whole days are split off because a float64 can_represent the rest of a day exactly.
    whole = present.astype(f"{moments.dtype.kind}8[D]")
    coordinates: Array = whole.astype(np.int64) + (present - whole) / np.timedelta64(1, "D")
    coordinates[missing] = np.nan
    return coordinates
