"""X as a sparse matrix or array of scipy, of any format; phantoms stay sparse."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.tables.array import check_array
from ice_explorer.adapters.tables.column import holds, number_column, numbers
from ice_explorer.adapters.tables.crossing import crossings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.column import Column, Name
    from ice_explorer.adapters.tables.crossing import Crossed


class SparseTable:
    """Rows of a sparse matrix, whose columns are named x0, x1, …; what is not stored is 0."""

    is_integer_array = False
    index = None

    def __init__(self, matrix: Any) -> None:
        check_array(matrix.shape, matrix.dtype)
        self._format = matrix.format
        self._rows = matrix.tocsr()
        self.n_observations, n_columns = matrix.shape
        self.names: list[Name] = [f"x{position}" for position in range(n_columns)]
        stored = self._rows.data.nbytes + self._rows.indices.nbytes + self._rows.indptr.nbytes
        self.row_bytes = max(8, stored // self.n_observations)

    @cached_property
    def _columns(self) -> Any:
        return self._rows.tocsc()

    def column(self, position: int) -> Column:
        """Return a column by its position."""
        return number_column(self.names[position], str(self._rows.dtype), self._dense(position))

    def _dense(self, position: int) -> NDArray[Any]:
        dense: NDArray[Any] = self._columns[:, [position]].toarray()[:, 0]
        return dense

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return rows in the container of X."""
        return self._rows[positions].asformat(self._format)

    def phantoms(self, positions: NDArray[np.int64], writes: Mapping[int, NDArray[Any]]) -> Any:
        """Stack rows with columns set to values (n_rows, n_values), row by row."""
        written = {position: numbers(values) for position, values in writes.items()}
        n_values = next(iter(written.values())).shape[1]
        stacked = self._rows[np.repeat(positions, n_values)]
        every = np.arange(stacked.shape[0])
        return self._written(stacked, [(position, every, values.ravel()) for position, values in written.items()])

    def crossed(self, positions: NDArray[np.int64], columns: Crossed, donors: NDArray[np.int64]) -> Any:
        """Return rows with columns of other rows."""
        taken = [(column, rows, self._dense(column)[donors[rows]]) for column, rows in crossings(columns)]
        return self._written(self._rows[positions], taken)

    def _written(self, matrix: Any, cells: list[tuple[int, NDArray[np.int64], NDArray[Any]]]) -> Any:
        """Set cells (column, rows, values); zeros among them are not stored, whatever else is stays so."""
        stored = matrix.tocoo()
        places, data = stored.row * np.int64(matrix.shape[1]) + stored.col, stored.data
        for column, rows, values in cells:
            kept = ~np.isin(places, rows * np.int64(matrix.shape[1]) + column)
            here = values != 0
            dtype = data.dtype if holds(data.dtype, values) else np.dtype(np.float64)
            data = np.concatenate([data[kept].astype(dtype), values[here].astype(dtype)])
            places = np.concatenate([places[kept], rows[here] * np.int64(matrix.shape[1]) + column])
        # As narrow as they were: a sparse array keeps indices as they come, and not every model takes wide ones.
        row, col = (indices.astype(stored.row.dtype) for indices in np.divmod(places, matrix.shape[1]))
        return type(stored)((data, (row, col)), shape=matrix.shape).asformat(self._format)
