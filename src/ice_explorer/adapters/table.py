"""A DataFrame or an array becomes named columns, and phantom observations in the same container.

The model is always handed the kind of container that it was fitted on: names, order and dtypes of
the columns are those of X. Only the column at issue may change its dtype, and only where its own
cannot hold the grid.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import narwhals as nw
import numpy as np

from ice_explorer.errors import InputDataError, InputTypeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ColumnKind = Literal["numeric", "boolean", "category", "other"]
Name = Any  # a column is named by whatever the frame's owner chose: text mostly, integers often


@dataclass(frozen=True, eq=False)
class Column:
    """One column of X.

    Attributes
    ----------
    name : object
        As in X; "x0", "x1", … for the columns of an array.
    label : str
        The name as text.
    kind : {"numeric", "boolean", "category", "other"}
    is_integer : bool
        True where the column holds whole numbers by its dtype, booleans included.
    dtype : str
        The dtype by its own name, for messages.
    values : ndarray of shape (n_observations,)
        float64 with NaN where missing (numeric, boolean), else objects with None where missing.
    """

    name: Name
    label: str
    kind: ColumnKind
    is_integer: bool
    dtype: str
    values: NDArray[Any]


class Table(Protocol):
    """What the rest of the package knows of X."""

    n_observations: int
    names: list[Name]
    is_integer_array: bool
    """Whether X is an array of whole numbers, which some libraries take for single precision."""

    @property
    def row_bytes(self) -> int:
        """Bytes that one row takes in the container."""

    def column(self, position: int) -> Column:
        """Return a column by its position."""

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return rows in the container of X."""

    def phantoms(self, positions: NDArray[np.int64], at_issue: int, values: NDArray[np.float64]) -> Any:
        """Stack rows with the at-issue column set to values (n_rows, n_values), row by row."""

    def crossed(self, positions: NDArray[np.int64], columns: NDArray[np.int64], donors: NDArray[np.int64]) -> Any:
        """Return rows, row r with the value that row donors[r] has in column columns[r]."""

    def row_labels(self, positions: NDArray[np.int64]) -> list[str] | None:
        """Return the index labels of rows, or None where rows are known by position alone."""


def table_from(X: object) -> Table:
    """Wrap X, or say why it cannot be explained.

    Raises
    ------
    InputTypeError
        If X is neither a DataFrame nor an array.
    InputDataError
        If X is empty, not two-dimensional, names two columns alike, or is an array of objects.
    """
    if isinstance(X, np.ndarray):
        return _array_table(X)
    if nw.dependencies.is_pandas_dataframe(X):
        _check_frame(X.shape, list(X.columns))
        return _PandasTable(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputTypeError.table(X)
    _check_frame(frame.shape, frame.columns)
    return _FrameTable(frame)


def _check_frame(shape: tuple[int, int], names: Sequence[Name]) -> None:
    if 0 in shape:
        raise InputDataError.empty(shape)
    (label, count), *_ = Counter(str(name) for name in names).most_common(1)
    if count > 1:
        raise InputDataError.duplicate_columns(label)


def _array_table(array: NDArray[Any]) -> _ArrayTable:
    if array.ndim != 2:
        raise InputDataError.not_two_dimensional(array.shape)
    if 0 in array.shape:
        raise InputDataError.empty(array.shape)
    if array.dtype.kind not in "fiub":
        raise InputDataError.array_dtype(array.dtype)
    return _ArrayTable(array)


def _holds(dtype: np.dtype[Any], values: NDArray[np.float64]) -> bool:
    """Whether every value survives a stay in the dtype."""
    if values.size == 0 or dtype == np.float64:
        return True
    if dtype.kind == "f":
        return bool(np.array_equal(values.astype(dtype).astype(np.float64), values, equal_nan=True))
    if not np.isfinite(values).all() or not np.array_equal(values, np.rint(values)):
        return False
    if dtype.kind == "b":
        return bool(np.isin(values, (0.0, 1.0)).all())
    bounds = np.iinfo(dtype)
    return bool(values.min() >= bounds.min and values.max() <= bounds.max)


class _ArrayTable:
    """X as a two-dimensional array of numbers."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self.n_observations = len(array)
        self.names: list[Name] = [f"x{position}" for position in range(array.shape[1])]
        self.is_integer_array = array.dtype.kind in "iu"

    @property
    def row_bytes(self) -> int:
        return int(self._array.shape[1] * self._array.itemsize)

    def column(self, position: int) -> Column:
        return _column_of_array(self.names[position], self._array[:, position])

    def take(self, positions: NDArray[np.int64]) -> NDArray[Any]:
        return self._array[positions]

    def phantoms(self, positions: NDArray[np.int64], at_issue: int, values: NDArray[np.float64]) -> NDArray[Any]:
        stacked = np.repeat(self._array[positions], values.shape[1], axis=0)
        if not _holds(stacked.dtype, values):
            # An array has one dtype: all of it becomes float64, in which numbers stay what they are.
            stacked = stacked.astype(np.float64)
        stacked[:, at_issue] = values.ravel()
        return stacked

    def crossed(
        self, positions: NDArray[np.int64], columns: NDArray[np.int64], donors: NDArray[np.int64]
    ) -> NDArray[Any]:
        rows = self._array[positions]
        rows[np.arange(len(rows)), columns] = self._array[donors, columns]
        return rows

    def row_labels(self, positions: NDArray[np.int64]) -> None:  # noqa: ARG002 - rows have no labels here
        return None


def _column_of_array(name: Name, values: NDArray[Any]) -> Column:
    kind: ColumnKind = "boolean" if values.dtype.kind == "b" else "numeric"
    is_integer = values.dtype.kind in "iub"
    return Column(name, str(name), kind, is_integer, str(values.dtype), values.astype(np.float64))


def _column_kind(series: nw.Series[Any]) -> ColumnKind:
    dtype = series.dtype
    if dtype == nw.Boolean:
        return "boolean"
    if dtype.is_integer() or dtype.is_float():
        return "numeric"
    if dtype in {nw.String, nw.Categorical, nw.Enum, nw.Object}:
        return "category"
    return "other"


def _column(name: Name, series: nw.Series[Any]) -> Column:
    kind = _column_kind(series)
    native_dtype = getattr(series.to_native(), "dtype", series.dtype)
    values: NDArray[Any]
    if kind in {"numeric", "boolean"}:
        values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    else:
        missing = series.is_null().to_numpy()
        values = np.array(series.to_list(), dtype=object)
        values[missing] = None
    is_integer = kind == "boolean" or (kind == "numeric" and series.dtype.is_integer())
    return Column(name, str(name), kind, is_integer, str(native_dtype), values)


class _PandasTable:
    """X as a pandas DataFrame, addressed by position so that any names do."""

    is_integer_array = False

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.n_observations = len(frame)
        self.names: list[Name] = list(frame.columns)
        self.row_bytes = max(8, int(frame.memory_usage(index=False, deep=False).sum()) // len(frame))

    @cached_property
    def _block(self) -> NDArray[Any] | None:
        """The whole frame as one array where its columns share a numpy dtype, for speed."""
        dtypes = set(self._frame.dtypes)
        if len(dtypes) != 1:
            return None
        (dtype,) = dtypes
        if not isinstance(dtype, np.dtype) or dtype.kind not in "fiub":
            return None
        return np.ascontiguousarray(self._frame.to_numpy())

    def column(self, position: int) -> Column:
        if self._block is not None:
            return _column_of_array(self.names[position], self._block[:, position])
        series = nw.from_native(self._frame.iloc[:, position], series_only=True)
        return _column(self.names[position], series)

    def take(self, positions: NDArray[np.int64]) -> Any:
        return self._frame.take(positions)

    def phantoms(self, positions: NDArray[np.int64], at_issue: int, values: NDArray[np.float64]) -> Any:
        import pandas as pd

        flat = values.ravel()
        if self._block is not None and _holds(self._block.dtype, flat):
            stacked = np.repeat(self._block[positions], values.shape[1], axis=0)
            stacked[:, at_issue] = flat
            return pd.DataFrame(stacked, columns=self._frame.columns, copy=False)
        frame = self._frame.take(np.repeat(positions, values.shape[1]))
        frame.index = pd.RangeIndex(len(frame))
        frame.isetitem(at_issue, self._in_dtype(at_issue, flat))
        return frame

    def _in_dtype(self, position: int, values: NDArray[np.float64]) -> Any:
        """Put grid values into the dtype of the column where it can hold them, else float64."""
        import pandas as pd

        dtype = self._frame.dtypes.iloc[position]
        if isinstance(dtype, np.dtype):
            return values.astype(dtype) if _holds(dtype, values) else values
        # Nullable and Arrow dtypes hold a missing value where the numpy dtype beneath them cannot.
        missing = np.isnan(values)
        beneath = np.dtype(getattr(dtype, "numpy_dtype", np.float64))
        if not _holds(beneath, values[~missing]):
            return values
        kept = np.where(missing, 0.0, values).astype(beneath)
        column = pd.Series(kept).astype(dtype)
        if missing.any():
            column[missing] = pd.NA
        return column

    def crossed(self, positions: NDArray[np.int64], columns: NDArray[np.int64], donors: NDArray[np.int64]) -> Any:
        rows = self._frame.take(positions)
        for column in np.unique(columns).tolist():
            source = np.where(columns == column, donors, positions)
            rows.isetitem(column, self._frame.iloc[:, column].array.take(source))
        return rows

    def row_labels(self, positions: NDArray[np.int64]) -> list[str] | None:
        import pandas as pd

        index = self._frame.index
        if index.equals(pd.RangeIndex(len(index))):
            return None
        return [str(label) for label in index[positions]]


class _FrameTable:
    """X as any other eager DataFrame that narwhals knows (polars, pyarrow)."""

    is_integer_array = False

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self.n_observations = len(frame)
        self.names: list[Name] = list(frame.columns)
        self.row_bytes = max(8, int(frame.estimated_size()) // len(frame))

    def column(self, position: int) -> Column:
        return _column(self.names[position], self._frame[:, position])

    def take(self, positions: NDArray[np.int64]) -> Any:
        return self._frame[positions.tolist()].to_native()

    def phantoms(self, positions: NDArray[np.int64], at_issue: int, values: NDArray[np.float64]) -> Any:
        flat = values.ravel()
        name = self.names[at_issue]
        frame = self._frame[np.repeat(positions, values.shape[1])]
        column = nw.new_series(name, _with_none(flat), nw.Float64(), backend=frame.implementation)
        dtype = frame[name].dtype
        present = flat[~np.isnan(flat)]
        if dtype == nw.Boolean or dtype.is_integer():
            if _holds(np.dtype(np.int64), present) and _survives(column, dtype):
                column = column.cast(dtype)
        elif dtype == nw.Float32 and _holds(np.dtype(np.float32), present):
            column = column.cast(dtype)
        return frame.with_columns(column).to_native()

    def crossed(self, positions: NDArray[np.int64], columns: NDArray[np.int64], donors: NDArray[np.int64]) -> Any:
        rows = self._frame[positions.tolist()]
        for column in np.unique(columns).tolist():
            source = np.where(columns == column, donors, positions)
            rows = rows.with_columns(self._frame[:, column][source.tolist()])
        return rows.to_native()

    def row_labels(self, positions: NDArray[np.int64]) -> None:  # noqa: ARG002 - rows have no labels here
        return None


def _with_none(values: NDArray[np.float64]) -> Sequence[float | None]:
    """Write missing values as None, which these frames tell from NaN."""
    return [None if np.isnan(value) else float(value) for value in values]


def _survives(column: nw.Series[Any], dtype: Any) -> bool:
    """Whether whole numbers fit the range of an integer or boolean dtype."""
    ranges: dict[Any, tuple[float, float]] = {
        nw.Boolean: (0, 1),
        nw.Int8: (-(2**7), 2**7 - 1), nw.Int16: (-(2**15), 2**15 - 1), nw.Int32: (-(2**31), 2**31 - 1),
        nw.Int64: (-(2**63), 2**63 - 1), nw.UInt8: (0, 2**8 - 1), nw.UInt16: (0, 2**16 - 1),
        nw.UInt32: (0, 2**32 - 1), nw.UInt64: (0, 2**64 - 1),
    }  # fmt: skip
    low, high = ranges.get(dtype, (0.0, -1.0))
    return bool(column.min() >= low and column.max() <= high)
