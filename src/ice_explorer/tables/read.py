"""Read a series of any library that narwhals supports, or an array, into a column."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from ice_explorer.errors import DataError
from ice_explorer.errors.base import described, text_of
from ice_explorer.tables.column import Column, ColumnKind, days
from ice_explorer.tables.natural_order import sort_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.tables.column import Name

_SCALARS = (str, bytes, bool, int, float, Decimal, dt.date, dt.time, dt.timedelta, np.generic)


def read_column(name: Name, series: nw.Series[Any]) -> Column:
    """Read a series."""
    native = series.to_native()
    dtype = getattr(native, "dtype", getattr(native, "type", series.dtype))
    zone = getattr(dtype, "tz", None)
    if series.implementation.is_pandas_like():
        if hasattr(native, "sparse"):
            series = nw.from_native(native.sparse.to_dense(), series_only=True)
        elif zone is not None:  # narwhals does not know the names of all zones
            series = nw.from_native(native.dt.tz_convert("UTC"), series_only=True)
    try:
        kind, missing = series.dtype, series.is_null().to_numpy()
    except InvalidOperation as error:  # of pandas, which compares each value with itself
        advice = "Write None for a missing value."
        raise DataError.feature_must(name, "values that can be compared", "holds Decimal('sNaN')", advice) from error
    if kind.is_float():
        return number_column(name, str(dtype), np.asarray(series.to_numpy(), dtype=np.float64), missing)
    if kind == nw.Boolean or (kind.is_integer() and kind not in (nw.Int128, nw.UInt128)):
        filled = series.fill_null(value=False if kind == nw.Boolean else 0) if missing.any() else series
        return number_column(name, str(dtype), filled.to_numpy(), missing)
    if isinstance(kind, nw.Datetime | nw.Duration):
        return _moment_column(name, str(dtype), series.to_numpy(), zone or getattr(kind, "time_zone", None))
    labels = np.fromiter(series.to_list(), object)
    labels[missing] = None
    declared, is_ordered = _declared_levels(series)
    if declared is not None or (isinstance(kind, nw.String | nw.Categorical) and not str(dtype).startswith("object")):
        return _coded_column(name, str(dtype), labels, declared, is_ordered=is_ordered)
    return _object_column(name, str(dtype), labels, missing)


def _declared_levels(series: nw.Series[Any]) -> tuple[Sequence[Any] | None, bool]:
    """Return the categories in the order of the dtype, None where it has none, and whether they are ordered."""
    native: Any = series.to_native()
    if hasattr(getattr(native, "cat", None), "ordered"):
        return native.cat.categories.tolist(), bool(native.cat.ordered)
    if isinstance(series.dtype, nw.Enum):
        return series.dtype.categories, True
    # Polars numbers categories as the process meets them, in whatever frame.
    if not isinstance(series.dtype, nw.Categorical) or series.implementation.is_polars():
        return None, False
    arrow: Any = series.to_arrow()
    if hasattr(arrow, "unify_dictionaries"):
        arrow = arrow.unify_dictionaries().chunk(0)
    return arrow.dictionary.to_pylist(), bool(arrow.type.ordered)


def number_column(name: Name, dtype: str, values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Column:
    """Make a column of numbers or booleans; float64 in one piece is not copied."""
    has_missing = missing is not None and bool(missing.any())
    is_view = values.dtype == np.float64 and values.flags.c_contiguous and not has_missing
    coordinates = values.view() if is_view else values.astype(np.float64)
    if is_view:
        coordinates.flags.writeable = False
    elif has_missing:
        coordinates[missing] = np.nan
    kind: ColumnKind = "boolean" if values.dtype.kind == "b" else "numeric"
    return Column(name, str(name), kind, values.dtype.kind in "iub", dtype, coordinates)


def _moment_column(name: Name, dtype: str, values: NDArray[Any], zone: Any = None) -> Column:
    """Make a column of datetimes, in UTC where they have a zone, or of timedeltas, of any unit."""
    kind: ColumnKind = "datetime" if values.dtype.kind == "M" else "timedelta"
    return Column(name, str(name), kind, np.datetime_data(values.dtype)[0] == "D", dtype, days(values), zone=zone)


def _coded_column(
    name: Name, dtype: str, labels: NDArray[Any], declared: Sequence[Any] | None = None, *, is_ordered: bool = False
) -> Column:
    """Make a category of labels, None where missing; `declared` are all categories of the dtype, in its order."""
    present = (label for label in labels.tolist() if label is not None)
    levels = list(dict.fromkeys(present) if declared is None else declared)
    unwritable = [level for level in levels if text_of(level) is None]
    if unwritable:
        what = f"holds {described(unwritable[0])}"
        raise DataError.feature_must(name, "levels that can be written as text", what, "Turn them into text.")
    # pandas sorts categories that it infers from texts, so alphabetical order declares nothing.
    is_inferred = all(isinstance(level, str) for level in levels) and levels == sorted(levels)
    if declared is None or (is_inferred and not is_ordered):
        levels = sort_levels(levels)
    codes = {None: np.nan, **{level: float(code) for code, level in enumerate(levels)}}
    return Column(
        name, str(name), "ordered" if is_ordered else "category", is_integer=False, dtype=dtype,
        values=np.array([codes[label] for label in labels.tolist()], dtype=np.float64),
        levels=np.fromiter(levels, object), has_declared_levels=declared is not None,
    )  # fmt: skip


def _object_column(name: Name, dtype: str, values: NDArray[Any], missing: NDArray[np.bool_]) -> Column:
    """Make a column of what objects are, None where missing: numbers, booleans, dates, labels, or none of those."""
    types = {type(value) for value in values[~missing].tolist()}
    if not types or not all(issubclass(each, _SCALARS) for each in types):
        return Column(name, str(name), "other", is_integer=False, dtype=dtype, values=values)
    if types == {dt.date}:
        return _moment_column(name, dtype, values.astype("M8[D]"))
    if types == {Decimal}:
        exponents = [value.as_tuple().exponent for value in values[~missing].tolist()]
        digits = max(-exponent for exponent in exponents if isinstance(exponent, int))
        return replace(number_column(name, dtype, values.astype(np.float64), missing), decimals=max(digits, 0))
    are_booleans = [issubclass(each, bool | np.bool_) for each in types]
    if all(are_booleans):
        return number_column(name, dtype, np.where(missing, False, values).astype(np.bool_), missing)  # noqa: FBT003
    if not any(are_booleans) and all(issubclass(each, int | float | Decimal | np.number) for each in types):
        numbers = np.array(np.where(missing, 0, values).tolist())
        if numbers.dtype.kind not in "iu":
            numbers = np.array([_float(number) for number in numbers.tolist()])
        return number_column(name, dtype, numbers, missing)
    return _coded_column(name, dtype, values)


def _float(number: Any) -> float:
    """Return a number as a float; whole numbers that no float can hold as infinite, which no feature may be."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
