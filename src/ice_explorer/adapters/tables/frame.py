"""X as an eager DataFrame supported by narwhals, other than pandas: polars, pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.tables.crossing import crossings
from ice_explorer.adapters.tables.series import like_series, read_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    import narwhals as nw
    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.column import Column, Name
    from ice_explorer.adapters.tables.crossing import Crossed


class FrameTable:
    """Rows of a frame that stays what it is up to the model's door."""

    is_integer_array = False
    index = None

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self.n_observations = len(frame)
        self.names: list[Name] = list(frame.columns)
        self.row_bytes = max(8, int(frame.estimated_size()) // len(frame))
        self._columns: dict[int, Column] = {}

    def column(self, position: int) -> Column:
        """Return a column by its position, read once."""
        if position not in self._columns:
            series = self._frame[:, position]
            native = series.to_native()
            dtype = getattr(native, "dtype", getattr(native, "type", series.dtype))
            self._columns[position] = read_column(self.names[position], series, dtype)
        return self._columns[position]

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return rows in the container of X."""
        return self._frame[positions.tolist()].to_native()

    def phantoms(self, positions: NDArray[np.int64], writes: Mapping[int, NDArray[Any]]) -> Any:
        """Stack rows with columns set to values (n_rows, n_values), row by row."""
        n_values = next(iter(writes.values())).shape[1]
        written = [self._cells(position, values.ravel()) for position, values in writes.items()]
        return self._frame[np.repeat(positions, n_values)].with_columns(*written).to_native()

    def _cells(self, position: int, native: NDArray[Any]) -> nw.Series[Any]:
        """Return values from rows that hold them, whatever their dtype; only others are made."""
        series = self._frame[:, position]
        rows = self.column(position).rows_with(native)
        return like_series(series, native) if rows is None else series[rows]

    def crossed(self, positions: NDArray[np.int64], columns: Crossed, donors: NDArray[np.int64]) -> Any:
        """Return rows with columns of other rows."""
        rows = self._frame[positions.tolist()]
        for column, crossing in crossings(columns):
            source = positions.copy()
            source[crossing] = donors[crossing]
            rows = rows.with_columns(self._frame[:, column][source.tolist()])
        return rows.to_native()
