"""Read a series of any library supported by narwhals, or create one like an existing series."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from ice_explorer.adapters.tables.column import (
    coded_column,
    decimal_column,
    decimals_of,
    holds,
    moment_column,
    number_column,
    numbers,
    objects,
    other_column,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.column import Column, Name

_SCALARS = (str, bytes, bool, int, float, Decimal, dt.date, dt.time, dt.timedelta, np.generic)

_MOST_DIGITS = 38  # of a decimal of polars and Arrow

_NUMPY_DTYPES = {
    nw.Boolean: np.bool_,
    nw.Int8: np.int8, nw.Int16: np.int16, nw.Int32: np.int32, nw.Int64: np.int64,
    nw.UInt8: np.uint8, nw.UInt16: np.uint16, nw.UInt32: np.uint32, nw.UInt64: np.uint64,
    nw.Int128: np.int64, nw.UInt128: np.uint64, nw.Float32: np.float32, nw.Float64: np.float64,
}  # fmt: skip


def read_column(name: Name, series: nw.Series[Any], dtype: object) -> Column:
    """Read a series.

    - `dtype`: its dtype as its own library writes it, for messages.
    """
    kind, written, missing = series.dtype, str(dtype), series.is_null().to_numpy()
    if kind.is_decimal():
        decimals = objects(series.to_list())
        decimals[missing] = None
        return decimal_column(name, written, decimals)
    if kind == nw.Boolean or kind.is_numeric():
        return number_column(name, written, _numbers_of(series, missing), missing)
    if isinstance(kind, nw.Datetime | nw.Duration | nw.Date):
        moments = _dates(series.to_list(), missing) if isinstance(kind, nw.Date) else series.to_numpy()
        return moment_column(name, written, moments, getattr(kind, "time_zone", None))
    labels = objects(series.to_list())
    labels[missing] = None
    if isinstance(kind, nw.String | nw.Categorical | nw.Enum):
        declared, is_ordered = _categories(series)
        return coded_column(name, written, labels, declared, is_ordered=is_ordered)
    if isinstance(kind, nw.Object):
        return column_of_objects(name, written, labels)
    return other_column(name, written, labels)


def _numbers_of(series: nw.Series[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Read numbers or booleans; what stands where they are missing says nothing."""
    kind = series.dtype
    if kind.is_float():
        return np.asarray(series.to_numpy(), dtype=np.float64)
    filled = series.fill_null(value=False if kind == nw.Boolean else 0) if missing.any() else series
    if kind in (nw.Int128, nw.UInt128):  # which numpy does not have
        return numbers(objects(filled.to_list()))
    return filled.to_numpy()


def _categories(series: nw.Series[Any]) -> tuple[Sequence[Any] | None, bool]:
    """Categories in the order of the dtype, None where it has none, and whether they are ranks."""
    if isinstance(series.dtype, nw.Enum):
        return series.dtype.categories, True
    # Categories of polars are numbered as the process meets them, in whatever frame.
    if not isinstance(series.dtype, nw.Categorical) or series.implementation.is_polars():
        return None, False
    arrow: Any = series.to_arrow()
    if hasattr(arrow, "unify_dictionaries"):
        arrow = arrow.unify_dictionaries().chunk(0)
    return arrow.dictionary.to_pylist(), bool(arrow.type.ordered)


def column_of_objects(name: Name, dtype: str, values: NDArray[Any]) -> Column:
    """Find out what objects are, None where missing: numbers, booleans, dates, labels, or none of those."""
    missing = np.array([value is None for value in values.tolist()], dtype=np.bool_)
    present = values[~missing].tolist()
    types = {type(value) for value in present}
    if not types or not all(issubclass(each, _SCALARS) for each in types):
        return other_column(name, dtype, values)
    if all(issubclass(each, bool | np.bool_) for each in types):
        return number_column(name, dtype, np.where(missing, False, values).astype(np.bool_), missing)  # noqa: FBT003 - a value
    if types == {Decimal}:
        return decimal_column(name, dtype, values)
    if all(_is_number(each) for each in types):
        filled = np.where(missing, 0, values)
        is_whole = all(issubclass(each, int | np.integer) for each in types)
        as_numbers = numbers(filled) if is_whole else filled.astype(np.float64)
        return number_column(name, dtype, as_numbers, missing)
    if types == {dt.date}:
        return moment_column(name, dtype, _dates(values.tolist(), missing))
    return coded_column(name, dtype, values)


def _is_number(each: type) -> bool:
    return issubclass(each, int | float | Decimal | np.integer | np.floating) and not issubclass(each, bool)


def _dates(values: list[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    return np.array([None if gone else value for value, gone in zip(values, missing.tolist(), strict=True)], "M8[D]")


# --- new values -----------------------------------------------------------------------------------


def like_series(series: nw.Series[Any], native: NDArray[Any]) -> nw.Series[Any]:
    """Make a series of values like those of another, of its dtype where that can hold them."""
    if native.dtype.kind in "Mm":
        return _moments_like(series, native)
    dtype = series.dtype
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        return nw.new_series(series.name, native.tolist(), nw.String(), backend=series.implementation).cast(dtype)
    if dtype.is_decimal():
        return _decimals_like(series, native)
    values = numbers(native)
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), np.bool_)
    beneath = next((np.dtype(numpy) for known, numpy in _NUMPY_DTYPES.items() if dtype == known), None)
    if beneath is None or not holds(beneath, values[~missing]):
        dtype = nw.Float64()
        beneath = np.dtype(np.float64)
    return _with_nulls(series, np.where(missing, 0, values).astype(beneath), missing, dtype)


def _with_nulls(series: nw.Series[Any], values: NDArray[Any], missing: NDArray[np.bool_], dtype: Any) -> nw.Series[Any]:
    given = objects(values.tolist()) if missing.any() else values
    if missing.any():
        given[missing] = None
    return nw.new_series(series.name, given.tolist() if missing.any() else given, dtype, backend=series.implementation)


def _decimals_like(series: nw.Series[Any], native: NDArray[Any]) -> nw.Series[Any]:
    """Write numbers with the digits that they are shown with, or have."""
    dtype: Any = series.dtype
    decimals = decimals_of(native)
    limit = Decimal(10) ** (dtype.precision - dtype.scale)
    fits = all(value is None or (abs(value) < limit and value == round(value, dtype.scale)) for value in decimals)
    if not fits:
        wider = _wider_decimal([value for value in decimals if value is not None])
        if wider is None:
            floats = numbers(native).astype(np.float64)
            return nw.new_series(series.name, floats, nw.Float64(), backend=series.implementation)
        dtype = wider
    return nw.new_series(series.name, decimals, dtype, backend=series.implementation)


def _wider_decimal(decimals: list[Decimal]) -> nw.Decimal | None:
    """Return a dtype that holds some decimals to the last digit, None where there is none."""
    scale = max(-_exponent(value) for value in decimals)
    whole = max(value.adjusted() + 1 for value in decimals)
    return nw.Decimal(_MOST_DIGITS, max(scale, 0)) if max(scale, 0) + max(whole, 1) <= _MOST_DIGITS else None


def _exponent(value: Decimal) -> int:
    return int(value.as_tuple().exponent)


def _moments_like(series: nw.Series[Any], native: NDArray[Any]) -> nw.Series[Any]:
    dtype: Any = series.dtype
    made = nw.new_series(series.name, native, backend=series.implementation)
    if getattr(dtype, "time_zone", None) is not None:
        made = made.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    unit = getattr(dtype, "time_unit", "D")
    kept = native.astype(f"{native.dtype.kind}8[{unit}]").astype(native.dtype)
    return made.cast(dtype) if np.array_equal(kept, native, equal_nan=True) else made
