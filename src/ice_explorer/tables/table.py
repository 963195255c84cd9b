"""Any table: named columns, rows, and phantom observations in the same container.

The model always gets the kind of container that it was fitted on: names, order and dtypes of the columns are those of
X. Cells are taken from rows that have the value, so that no dtype is cast. Only values that no row has are made, and
only then may a column change its dtype, where its own cannot represent them.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np

from ice_explorer.errors import DataError
from ice_explorer.errors.base import quoted
from ice_explorer.tables.column import can_represent
from ice_explorer.tables.read import number_column, read_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Values
    from ice_explorer.tables.column import Column, Name

    Rows = NDArray[np.int64]

_ROWS_AT_A_TIME: Final = 1024


class Table:
    """Rows of X, addressed by position.

    - `names`: of the columns; those of an array or a sparse matrix are x0, x1, ….
    - `index`: labels of the rows as pandas has them, None where rows have none.
    - `is_integer_array`: whether X is an array of whole numbers, which some libraries convert to single precision.
    - `row_bytes`: bytes of one row in the container.
    """

    index: Any = None
    is_integer_array = False

    def __init__(self, n_observations: int, names: Iterable[Name], n_bytes: int) -> None:
        self.n_observations = n_observations
        self.names = list(names)
        self.row_bytes = max(8, n_bytes // n_observations)
        self._columns: dict[int, Column] = {}

    def column(self, position: int) -> Column:
        """Return a column by its position, read once."""
        if position not in self._columns:
            self._columns[position] = replace(self._read(position), position=position)
        return self._columns[position]

    def take(self, rows: Rows) -> Any:
        """Return rows in the container of X."""
        return self._with_cells(rows, {})

    def phantoms(self, rows: Rows, moves: Mapping[Column, Array]) -> Any:
        """Stack rows with columns set to coordinates, row by row.

        - `moves`: coordinates (n_rows, n_values) by column; NaN is missing. Several columns move together.
        """
        n_values = next(iter(moves.values())).shape[1]
        cells = {column.position: self._cells(column, coordinates.ravel()) for column, coordinates in moves.items()}
        return self._with_cells(rows, cells, n_values)

    def crossed(self, rows: Rows, sources: Mapping[int, Rows]) -> Any:
        """Return rows in which columns, by position, have the cells of other rows (n_rows,)."""
        return self._with_cells(rows, {place: self._raw(place)[source] for place, source in sources.items()})

    def _raw(self, position: int) -> Any:
        """Return a column of the container, whose cells are addressed by position."""
        raise NotImplementedError

    def _read(self, position: int) -> Column:
        raise NotImplementedError

    def _cells(self, column: Column, coordinates: Array) -> Any:
        """Return cells (n,) at coordinates."""
        raise NotImplementedError

    def _with_cells(self, rows: Rows, cells: Mapping[int, Any], n_values: int | None = None) -> Any:
        """Return rows in the container of X, each one `n_values` times, with other cells by position of the column."""
        raise NotImplementedError


def _numbers(coordinates: Array, dtype: np.dtype[Any]) -> Values:
    """Turn coordinates into numbers, of the dtype if it can_represent them, else of float64."""
    return coordinates.astype(dtype if can_represent(dtype, coordinates) else np.float64)


class ArrayTable(Table):
    """An array of numbers, which nobody writes to; rows are in C order."""

    def __init__(self, array: Values) -> None:
        _check_array(array.shape, array.dtype)
        super().__init__(len(array), (f"x{position}" for position in range(array.shape[1])), array.nbytes)
        self._array = array
        self.is_integer_array = array.dtype.kind in "iu"

    def _raw(self, position: int) -> Any:
        return self._array[:, position]

    def _read(self, position: int) -> Column:
        return number_column(self.names[position], str(self._array.dtype), self._raw(position))

    def _cells(self, column: Column, coordinates: Array) -> Any:  # noqa: ARG002 - numbers have no text
        return _numbers(coordinates, self._array.dtype)

    def _with_cells(self, rows: Rows, cells: Mapping[int, Any], n_values: int | None = None) -> Any:
        stacked = np.ascontiguousarray(self._array[rows])
        if n_values not in (None, 1):  # Of thousands of columns another copy takes as long as the model.
            stacked = np.repeat(stacked, n_values, axis=0)
        # An array has one dtype: all of it becomes float64 where some value needs that.
        stacked = stacked.astype(np.result_type(stacked, *cells.values()), copy=False)
        for position, values in cells.items():
            stacked[:, position] = values
        return stacked


class SparseTable(Table):
    """A sparse matrix or array of scipy; what is not stored is 0."""

    def __init__(self, matrix: Any) -> None:
        _check_array(matrix.shape, matrix.dtype)
        self._format = matrix.format
        self._rows, self._by_column = matrix.tocsr(), matrix.tocsc()
        n_bytes = sum(part.nbytes for part in (self._rows.data, self._rows.indices, self._rows.indptr))
        super().__init__(matrix.shape[0], (f"x{position}" for position in range(matrix.shape[1])), n_bytes)

    def _raw(self, position: int) -> Any:
        return self._by_column[:, [position]]

    def _read(self, position: int) -> Column:
        return number_column(self.names[position], str(self._rows.dtype), self._raw(position).toarray()[:, 0])

    def _cells(self, column: Column, coordinates: Array) -> Any:  # noqa: ARG002 - as above
        return type(self._by_column)(_numbers(coordinates, self._rows.dtype)[:, None])

    def _with_cells(self, rows: Rows, cells: Mapping[int, Any], n_values: int | None = None) -> Any:
        # XGBoost takes what is not stored as missing, so zeros that are stored elsewhere have to stay stored.
        stacked = self._rows[rows if n_values is None else np.repeat(rows, n_values)]
        if not cells:
            return stacked.asformat(self._format)
        stacked, parts, start = stacked.tocsc(), [], 0
        for position in sorted(cells):
            parts += [stacked[:, start:position], cells[position]]
            start = position + 1
        parts.append(stacked[:, start:])
        # scipy refuses to stack what has no columns.
        return sys.modules["scipy.sparse"].hstack([part for part in parts if part.shape[1]], format=self._format)


class FrameTable(Table):
    """A DataFrame of any library that narwhals supports."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        super().__init__(len(frame), frame.columns, int(frame.estimated_size()))
        self._frame: Any = frame

    def _raw(self, position: int) -> Any:
        return self._frame[:, position]

    def _read(self, position: int) -> Column:
        return read_column(self.names[position], self._raw(position))

    def _cells(self, column: Column, coordinates: Array) -> Any:
        series = self._raw(column.position)
        rows, is_observed = column.find_rows(coordinates)
        if is_observed.all():
            return series[rows]
        distinct, places = np.unique(coordinates, return_inverse=True)
        return _made(column, series, distinct)[places]

    def _with_cells(self, rows: Rows, cells: Mapping[int, Any], n_values: int | None = None) -> Any:
        frame = self._frame[rows if n_values is None else np.repeat(rows, n_values)]
        named = [series.alias(self.names[position]) for position, series in cells.items()]
        return frame.with_columns(*named).to_native()


class PandasTable(FrameTable):
    """A DataFrame of pandas, addressed by position, so that any names and any index may occur.

    - `columns`: as they were read of more rows, whose levels these rows need not have.
    """

    def __init__(self, frame: Any, columns: Iterable[Column] = ()) -> None:
        n_bytes = int(frame.memory_usage(index=False, deep=False).sum())
        Table.__init__(self, len(frame), frame.columns, n_bytes)
        self._columns = {place: replace(column, position=place) for place, column in enumerate(columns)}
        self._frame = frame
        self.index = frame.index
        dtypes = set(frame.dtypes)
        # The rows of a frame of one dtype are stacked much faster as an array.
        self._block = ArrayTable(frame.to_numpy()) if len(dtypes) == 1 and _is_plain(*dtypes) else None

    def _raw(self, position: int) -> Any:
        return nw.from_native(self._frame.iloc[:, position], series_only=True)

    def _read(self, position: int) -> Column:
        if self._block is None:
            return super()._read(position)
        return replace(self._block.column(position), name=self.names[position], label=str(self.names[position]))

    def phantoms(self, rows: Rows, moves: Mapping[Column, Array]) -> Any:
        """Stack rows with columns set to coordinates, as an array where the frame has one dtype."""
        if self._block is not None:
            stacked = self._block.phantoms(rows, moves)
            if stacked.dtype == self._frame.dtypes.iloc[0]:
                return type(self._frame)(stacked, columns=self._frame.columns, copy=False)
        return super().phantoms(rows, moves)

    def _cells(self, column: Column, coordinates: Array) -> Any:
        dtype = self._frame.dtypes.iloc[column.position]
        if not _is_plain(dtype):
            return super()._cells(column, coordinates)
        return nw.new_series("", _numbers(coordinates, dtype), backend="pandas")

    def _with_cells(self, rows: Rows, cells: Mapping[int, Any], n_values: int | None = None) -> Any:
        frame = self._frame.take(rows if n_values is None else np.repeat(rows, n_values))
        if n_values is not None:
            frame = frame.reset_index(drop=True)
        for position, series in cells.items():
            frame.isetitem(position, series.to_native().set_axis(frame.index))
        return frame


def _is_plain(dtype: Any) -> bool:
    """Return whether a dtype is one of the numbers or booleans of numpy."""
    return isinstance(dtype, np.dtype) and dtype.kind in "fiub"


def _made(column: Column, series: nw.Series[Any], coordinates: Array) -> nw.Series[Any]:
    """Make cells, of the dtype of a series if it can_represent them all, else of what its library infers."""
    values = column.labels_of(coordinates).tolist()
    native = series.to_native()
    for is_same in (True, False):
        try:
            if series.implementation.is_pandas_like():
                made = nw.from_native(type(native)(values, dtype=native.dtype if is_same else None), series_only=True)
            else:
                made = nw.new_series(series.name, values, backend=series.implementation)
                made = made.cast(series.dtype) if is_same else made
            if read_column(column.name, made).labels.tolist() == values:
                return made  # type: ignore[no-any-return]
        except Exception:  # noqa: BLE001, S112 - each library refuses values in its own way
            continue
    return nw.new_series(series.name, coordinates, nw.Float64(), backend=series.implementation)


# Methods that make a table: of Dask, of Spark, on a GPU, of lazy frames and of series; Spark's `collect` gives rows.
_TO_TABLE: Final = ("compute", "toPandas", "to_pandas", "collect", "to_frame")


def table_from(X: object) -> Table:
    """Wrap X.

    - raises DataError: if X is no DataFrame, array or sparse matrix, is empty or not two-dimensional, names two columns
      alike, or is an array of objects.
    """
    if isinstance(X, np.ndarray) and not isinstance(X, (np.matrix, np.ma.MaskedArray)):
        return ArrayTable(X)  # a column of a matrix is a table, and models overlook masks
    if _is_sparse(X):
        return SparseTable(X)
    native: Any = X
    if nw.dependencies.is_pandas_dataframe(X):
        _check_frame(native.shape, native.columns)
        return PandasTable(X)
    if nw.dependencies.is_pyarrow_table(X):  # narwhals refuses names that occur twice
        _check_frame(native.shape, native.column_names)
    frame = nw.from_native(native, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise no_table_error(X)
    _check_frame(frame.shape, frame.columns)
    return FrameTable(frame)


def no_table_error(got: Any) -> DataError:
    """Return the error for an X that is no table, with what makes one of it."""
    name = type(got).__name__
    library = f" of {type(got).__module__.partition('.')[0]}" if name == "DataFrame" else ""
    method = next((method for method in _TO_TABLE if hasattr(got, method)), None)
    if got is None or isinstance(got, str):
        advice = "Pass the observations to explain the model on."
    elif callable(got) or hasattr(got, "predict"):
        advice = "The model comes first: `explain(model, X)`."
    elif hasattr(got, "iloc"):  # a series of pandas
        advice = "Pass a table: a row is `X.iloc[[0]]`, a column `X[['name']]`."
    elif method is not None:
        advice = f"Pass `X.{method}()`."
    else:
        advice = "Pass `X.filled(np.nan)`." if hasattr(got, "filled") else "Convert it, for example `np.asarray(X)`."
    return DataError(
        f"X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got {name}{library}.", advice
    )


def _empty_error(shape: tuple[int, ...]) -> DataError:
    return DataError(
        f"X must have at least one row and one column; got shape {shape}.",
        "Pass the observations to explain the model on.",
    )


def _is_sparse(X: object) -> bool:
    # Loaded if X is of it; else another thread may be about to load it.
    issparse: Any = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return issparse is not None and bool(issparse(X))


def _check_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if len(shape) != 2:
        raise DataError(
            f"X must have two dimensions, observations × features; got an array of shape {shape}.",
            "Reshape it: one feature is `X.reshape(-1, 1)`, one row `X.reshape(1, -1)`.",
        )
    if 0 in shape:
        raise _empty_error(shape)
    if dtype.kind not in "fiub":
        problem = f"An array X must hold numbers or booleans; got dtype {dtype}."
        raise DataError(problem, "Pass a DataFrame with one dtype per column.")


def _check_frame(shape: tuple[int, int], names: Iterable[Name]) -> None:
    if 0 in shape:
        raise _empty_error(shape)
    ((label, count),) = Counter(str(name) for name in names).most_common(1)
    if count > 1:
        raise DataError(
            f"Column names must be different from each other; {quoted(label)} names more than one column of X.",
            "Rename one of them.",
        )


def kept(data: Any) -> Any:
    """Return a copy of an array or a table, which does not follow what its owner writes later; else what was given."""
    if isinstance(data, np.ndarray) and data.dtype == np.float64:
        # Columns of float64 that lie in one piece are read without copies. A few rows at a time stay in the cache.
        copied = np.empty_like(data, order="F")
        for start in range(0, len(data), _ROWS_AT_A_TIME):
            copied[start : start + _ROWS_AT_A_TIME] = data[start : start + _ROWS_AT_A_TIME]
        return copied
    if nw.dependencies.is_pandas_dataframe(data) or nw.dependencies.is_pandas_series(data):
        import pandas as pd

        copies_on_write = int(pd.__version__.partition(".")[0]) >= 3 or pd.get_option("mode.copy_on_write") is True
        return data.copy(deep=not copies_on_write)
    if isinstance(data, np.ndarray):
        return data.copy(order="K")
    if isinstance(data, list) or _is_sparse(data):
        return data.copy()
    return data.clone() if nw.dependencies.is_polars_dataframe(data) else data
