"""Any table: named columns, rows, and phantom observations in the same container.

A series of any library that narwhals supports is read into a column. The model always gets the kind of container that
it was fitted on: names, order and dtypes of the columns are those of X. Cells are taken from rows that have the value,
so that no dtype is cast. Only values that no row has are made, and only then may a column change its dtype, where its
own cannot represent them.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np

from ice_explorer.checks import count_masked
from ice_explorer.errors import DataError
from ice_explorer.errors.base import described, quoted, text_of
from ice_explorer.tables.column import Column, ColumnKind, can_represent, sort_levels, to_days

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Values
    from ice_explorer.tables.column import Name

    Rows = NDArray[np.int64]

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


def read_values(name: Name, values: Any) -> Column | None:
    """Read a series of any library, or another sequence of one dimension; None where it is none."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        is_listed = hasattr(values, "__len__") and not isinstance(values, str | bytes | Mapping | AbstractSet)
        if not is_listed or np.ndim(values) != 1 or count_masked(values):
            return None
        import pandas as pd

        native = values.to_pandas() if hasattr(values, "to_pandas") else values  # an array of Arrow
        series = nw.from_native(pd.Series(native), series_only=True)
    return read_column(name, series)


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
    return Column(name, str(name), kind, np.datetime_data(values.dtype)[0] == "D", dtype, to_days(values), zone=zone)


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
    if not any(are_booleans) and all(map(_is_number_type, types)):
        numbers = np.array(np.where(missing, 0, values).tolist())
        if numbers.dtype.kind not in "iu":
            numbers = np.array([_float(number) for number in numbers.tolist()])
        return number_column(name, dtype, numbers, missing)
    return _coded_column(name, dtype, values)


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, int | float | Decimal | np.number) and not issubclass(kind, np.timedelta64)


def _float(number: Any) -> float:
    """Return a number as a float; whole numbers that no float can hold as infinite, which no feature may be."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


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
            column = self._read(position)
            self._columns[position] = column if column.position == position else replace(column, position=position)
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
    """Turn coordinates into numbers, of the dtype if it can represent them, else of float64."""
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
        return coordinates if self._array.dtype == coordinates.dtype else _numbers(coordinates, self._array.dtype)

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
        dtypes = set(frame.dtypes)
        # The rows of a frame of one dtype are stacked much faster as an array.
        array = frame.to_numpy() if len(dtypes) == 1 and _is_plain(*dtypes) else None
        n_bytes = int(frame.memory_usage(index=False, deep=False).sum()) if array is None else array.nbytes
        Table.__init__(self, len(frame), frame.columns, n_bytes)
        self._columns = {place: replace(column, position=place) for place, column in enumerate(columns)}
        self._frame = frame
        self.index = frame.index
        self._block = None if array is None else ArrayTable(array)
        if self._block is not None:
            self._block.names = self.names

    def _raw(self, position: int) -> Any:
        return nw.from_native(self._frame.iloc[:, position], series_only=True)

    def _read(self, position: int) -> Column:
        return super()._read(position) if self._block is None else self._block.column(position)

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
    """Make cells, of the dtype of a series if it can represent them all, else of what its library infers."""
    values = column.to_labels(coordinates).tolist()
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


def copy_data(data: Any) -> Any:
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
