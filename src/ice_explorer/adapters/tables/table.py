"""A DataFrame, an array or a sparse matrix becomes named columns, and phantom observations in the same container.

The model is always handed the kind of container that it was fitted on: names, order and dtypes of
the columns are those of X. Only the columns that are written may change their dtype, and only where
their own cannot hold what is written.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Protocol

import narwhals as nw
import numpy as np

from ice_explorer.adapters.tables.array import ArrayTable
from ice_explorer.adapters.tables.column import Column, ColumnKind, Name
from ice_explorer.adapters.tables.frame import FrameTable
from ice_explorer.adapters.tables.pandas import PandasTable
from ice_explorer.adapters.tables.sparse import SparseTable
from ice_explorer.errors import InputDataError, InputTypeError
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.crossing import Crossed


_ROWS_AT_A_TIME: Final = 1024


class Table(Protocol):
    """What the rest of the package knows of X."""

    n_observations: int
    names: list[Name]
    is_integer_array: bool
    """Whether X is an array of whole numbers, which some libraries take for single precision."""

    index: Any
    """Labels of the rows as pandas has them, None where rows are known by position alone."""

    @property
    def row_bytes(self) -> int:
        """Bytes that one row takes in the container."""

    def column(self, position: int) -> Column:
        """Return a column by its position."""

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return rows in the container of X."""

    def phantoms(self, positions: NDArray[np.int64], writes: Mapping[int, NDArray[Any]]) -> Any:
        """Stack rows with columns set to values, row by row.

        - `positions` (n_rows,).
        - `writes` (n_rows, n_values) each: by position of a column: what `Column.native` gives, or for columns of
          numbers float64 with NaN where missing. Several columns move together.
        """

    def crossed(self, positions: NDArray[np.int64], columns: Crossed, donors: NDArray[np.int64]) -> Any:
        """Return rows, row r with what row donors[r] has in column columns[r], or in each of those."""


def kept(data: Any) -> Any:
    """Return a copy of an array or a table, which does not follow what its owner writes later; else what was given."""
    if isinstance(data, np.ndarray):  # columns of float64 that lie as they are read need no copies of their own
        return _by_column(data) if data.dtype == np.float64 else data.copy(order="K")
    if nw.dependencies.is_pandas_dataframe(data) or nw.dependencies.is_pandas_series(data):
        return data.copy(deep=not _copies_on_write())
    if _is_sparse(data) or isinstance(data, list):
        return data.copy()
    return data.clone() if nw.dependencies.is_polars_dataframe(data) else data


def _by_column(data: NDArray[np.float64]) -> NDArray[np.float64]:
    """Copy an array so that each column lies in one piece; a few rows at a time, which stay in the cache."""
    copied = np.empty_like(data, order="F")
    for start in range(0, len(data), _ROWS_AT_A_TIME):
        copied[start : start + _ROWS_AT_A_TIME] = data[start : start + _ROWS_AT_A_TIME]
    return copied


def _copies_on_write() -> bool:
    """Whether pandas copies shared columns when one of their frames is written to."""
    import pandas as pd

    return int(pd.__version__.partition(".")[0]) >= 3 or pd.get_option("mode.copy_on_write") is True


def table_from(X: object) -> Table:
    """Wrap X, or say why it cannot be explained.

    - raises InputTypeError: if X is no DataFrame, array or sparse matrix.
    - raises InputDataError: if X is empty, not two-dimensional, names two columns alike, or is an array of objects.
    """
    if isinstance(X, (np.matrix, np.ma.MaskedArray)):  # whose columns are tables, whose mask models overlook
        raise InputTypeError.table(X)
    if isinstance(X, np.ndarray):
        return ArrayTable(X)
    if _is_sparse(X):
        return SparseTable(X)
    if nw.dependencies.is_pandas_dataframe(X):
        _check_frame(X.shape, list(X.columns))
        return PandasTable(X)
    if nw.dependencies.is_pyarrow_table(X):
        _check_frame(X.shape, X.column_names)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputTypeError.table(X)
    _check_frame(frame.shape, frame.columns)
    return FrameTable(frame)


def _is_sparse(X: object) -> bool:
    """Whether X is of scipy.sparse, which is loaded if it is."""
    sparse: Any = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def _check_frame(shape: tuple[int, int], names: Sequence[Name]) -> None:
    if 0 in shape:
        raise InputDataError.empty(shape)
    (label, count), *_ = Counter(str(name) for name in names).most_common(1)
    if count > 1:
        raise InputDataError(
            f"Column names must be different from each other; {quoted(label)} names more than one column of X.",
            "Rename one of them.",
        )


__all__ = ["Column", "ColumnKind", "Name", "Table", "kept", "table_from"]
