"""X as a pandas DataFrame, addressed by position so that any names and any index do."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from ice_explorer.adapters.tables.column import CODED, coded_column, decimals_of, holds, number_column, numbers, objects
from ice_explorer.adapters.tables.crossing import crossings
from ice_explorer.adapters.tables.series import column_of_objects, like_series, read_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.column import Column, Name
    from ice_explorer.adapters.tables.crossing import Crossed


class PandasTable:
    """Rows of a DataFrame; labels of rows are for people to read."""

    is_integer_array = False

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.n_observations = len(frame)
        self.names: list[Name] = list(frame.columns)
        self.index = frame.index
        self.row_bytes = max(8, int(frame.memory_usage(index=False, deep=False).sum()) // len(frame))
        self._columns: dict[int, Column] = {}

    @cached_property
    def _block(self) -> NDArray[Any] | None:
        """The whole frame as one array where its columns share a numpy dtype, for speed."""
        dtypes = set(self._frame.dtypes)
        if len(dtypes) != 1:
            return None
        (dtype,) = dtypes
        if not _is_plain(dtype):
            return None
        block: NDArray[Any] = self._frame.to_numpy()
        return block

    def column(self, position: int) -> Column:
        """Return a column by its position, read once."""
        if position not in self._columns:
            self._columns[position] = self._read(position)
        return self._columns[position]

    def _read(self, position: int) -> Column:
        import pandas as pd

        name = self.names[position]
        if self._block is not None:
            return number_column(name, str(self._block.dtype), self._block[:, position], is_lasting=True)
        series = self._frame.iloc[:, position]
        dtype = series.dtype
        is_object = pd.api.types.is_object_dtype(dtype)
        if is_object or isinstance(dtype, pd.CategoricalDtype):
            labels = objects(series.astype(object).tolist())
            labels[series.isna().to_numpy()] = None
            if is_object:
                return column_of_objects(name, str(dtype), labels)
            return coded_column(name, str(dtype), labels, dtype.categories.tolist(), is_ordered=bool(dtype.ordered))
        if isinstance(dtype, pd.SparseDtype):
            series = series.sparse.to_dense()
        if isinstance(dtype, pd.DatetimeTZDtype):
            series = series.dt.tz_convert("UTC")  # whose name narwhals knows, as it does not know that of every zone
            return replace(read_column(name, nw.from_native(series, series_only=True), dtype), zone=dtype.tz)
        return read_column(name, nw.from_native(series, series_only=True), dtype)

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return rows in the container of X."""
        return self._frame.take(positions)

    def phantoms(self, positions: NDArray[np.int64], writes: Mapping[int, NDArray[Any]]) -> Any:
        """Stack rows with columns set to values (n_rows, n_values), row by row."""
        import pandas as pd

        n_values = next(iter(writes.values())).shape[1]
        if self._block is not None:
            written = {position: numbers(values).ravel() for position, values in writes.items()}
            if all(holds(self._block.dtype, values) for values in written.values()):
                stacked = np.repeat(self._block[positions], n_values, axis=0)
                for position, values in written.items():
                    stacked[:, position] = values
                return pd.DataFrame(stacked, columns=self._frame.columns, copy=False)
        frame = self._frame.take(np.repeat(positions, n_values))
        frame.index = pd.RangeIndex(len(frame))
        for position, values in writes.items():
            frame.isetitem(position, self._cells(position, values.ravel()))
        return frame

    def _cells(self, position: int, native: NDArray[Any]) -> Any:
        """Put values into the dtype of the column where it can hold them.

        Apart from plain numbers they are taken from rows that hold them, whatever the dtype; only
        values that no row holds are made.
        """
        series = self._frame.iloc[:, position]
        if _is_plain(series.dtype):
            values = numbers(native)
            return values.astype(series.dtype) if holds(series.dtype, values) else values
        rows = self.column(position).rows_with(native)
        if rows is not None:
            return _taken(series, rows, range(len(rows)))
        return self._made(position, native)

    def _made(self, position: int, native: NDArray[Any]) -> Any:
        """Make values that no row holds."""
        import pandas as pd

        series = self._frame.iloc[:, position]
        if self.column(position).kind in CODED:
            return pd.Series(native.tolist(), dtype=series.dtype)
        if pd.api.types.is_object_dtype(series.dtype):
            return pd.Series(self._objects_like(position, native), dtype=object)
        if isinstance(series.dtype, pd.SparseDtype):
            return pd.Series(numbers(native).astype(np.float64)).astype(
                pd.SparseDtype(np.float64, series.dtype.fill_value)
            )
        if isinstance(series.dtype, pd.DatetimeTZDtype):
            return _zoned_like(series.dtype, native)
        if self.column(position).kind in {"numeric", "boolean"} and not _is_decimal(series):
            return _nullable_like(series.dtype, numbers(native))
        made = like_series(nw.from_native(series, series_only=True), native).to_native()
        return _in_arrow(made, series.dtype) if isinstance(series.dtype, pd.ArrowDtype) else made

    def _objects_like(self, position: int, native: NDArray[Any]) -> NDArray[Any]:
        """Make objects of the type that the column holds: decimals, dates, or numbers of Python."""
        if native.dtype.kind == "M":
            dates = native.astype("M8[D]")
            return objects((dates if np.array_equal(dates, native, equal_nan=True) else native).tolist())
        example = self._frame.iloc[:, position].dropna().iloc[0]
        return objects(decimals_of(native) if isinstance(example, Decimal) else numbers(native).tolist())

    def crossed(self, positions: NDArray[np.int64], columns: Crossed, donors: NDArray[np.int64]) -> Any:
        """Return rows with columns of other rows."""
        rows = self._frame.take(positions)
        for column, crossing in crossings(columns):
            source = positions.copy()
            source[crossing] = donors[crossing]
            rows.isetitem(column, _taken(self._frame.iloc[:, column], source, rows.index))
        return rows


def _taken(series: Any, rows: NDArray[np.int64], index: Any) -> Any:
    """Return cells as they are: pandas would make a column of text out of objects that are texts."""
    import pandas as pd

    return pd.Series(series.array.take(rows), index=index, dtype=series.dtype)


def _is_decimal(series: Any) -> bool:
    return bool(nw.from_native(series, series_only=True).dtype.is_decimal())


def _zoned_like(dtype: Any, native: NDArray[Any]) -> Any:
    """Put datetimes into a time zone, in the unit of the column where that is fine enough."""
    import pandas as pd

    made = pd.Series(native).dt.tz_localize("UTC").dt.tz_convert(dtype.tz)
    kept = made.dt.as_unit(dtype.unit)
    return kept if ((kept == made) | made.isna()).all() else made


def _in_arrow(made: Any, dtype: Any) -> Any:
    """Put values into an Arrow dtype where it can hold them."""
    try:
        kept = made.astype(dtype)
    except ValueError:  # Arrow refuses to lose part of a value
        return made
    return kept if kept.astype(made.dtype).equals(made) else made


def _nullable_like(dtype: Any, values: NDArray[Any]) -> Any:
    """Put numbers into a dtype that holds a missing value where the numpy dtype beneath it cannot."""
    import pandas as pd

    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), np.bool_)
    beneath = np.dtype(dtype.numpy_dtype)
    if not holds(beneath, values[~missing]):
        return values
    column = pd.Series(np.where(missing, 0, values).astype(beneath)).astype(dtype)
    column[missing] = pd.NA
    return column


def _is_plain(dtype: Any) -> bool:
    """Whether a dtype is one of numpy's numbers or booleans."""
    return isinstance(dtype, np.dtype) and dtype.kind in "fiub"
