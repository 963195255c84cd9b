"""X as a two-dimensional array of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.tables.column import holds, number_column, numbers
from ice_explorer.adapters.tables.crossing import crossings
from ice_explorer.errors import InputDataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.column import Column, Name
    from ice_explorer.adapters.tables.crossing import Crossed


class ArrayTable:
    """Rows of an array, whose columns are named x0, x1, …, and which nobody writes to; rows leave it in C order."""

    index = None

    def __init__(self, array: NDArray[Any]) -> None:
        check_array(array.shape, array.dtype)
        self._array = array
        self.n_observations = len(array)
        self.names: list[Name] = [f"x{position}" for position in range(array.shape[1])]
        self.is_integer_array = array.dtype.kind in "iu"

    @property
    def row_bytes(self) -> int:
        """Bytes that one row takes in the container."""
        return int(self._array.shape[1] * self._array.itemsize)

    def column(self, position: int) -> Column:
        """Return a column by its position."""
        return number_column(self.names[position], str(self._array.dtype), self._array[:, position], is_lasting=True)

    def take(self, positions: NDArray[np.int64]) -> NDArray[Any]:
        """Return rows in the container of X."""
        return np.ascontiguousarray(self._array[positions])

    def phantoms(self, positions: NDArray[np.int64], writes: Mapping[int, NDArray[Any]]) -> NDArray[Any]:
        """Stack rows with columns set to values (n_rows, n_values), row by row."""
        written = {position: numbers(values) for position, values in writes.items()}
        n_values = next(iter(written.values())).shape[1]
        stacked = np.repeat(self.take(positions), n_values, axis=0)
        if not all(holds(stacked.dtype, values) for values in written.values()):
            # An array has one dtype: all of it becomes float64, in which numbers stay what they are.
            stacked = stacked.astype(np.float64)
        for position, values in written.items():
            stacked[:, position] = values.ravel()
        return stacked

    def crossed(self, positions: NDArray[np.int64], columns: Crossed, donors: NDArray[np.int64]) -> NDArray[Any]:
        """Return rows with columns of other rows."""
        rows = self.take(positions)
        for column, crossing in crossings(columns):
            rows[crossing, column] = self._array[donors[crossing], column]
        return rows


def check_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse what is no table of numbers."""
    if len(shape) != 2:
        raise InputDataError(
            f"X must have two dimensions, observations × features; got an array of shape {shape}.",
            "Reshape it: one feature is `X.reshape(-1, 1)`, one row `X.reshape(1, -1)`.",
        )
    if 0 in shape:
        raise InputDataError.empty(shape)
    if dtype.kind not in "fiub":
        raise InputDataError(
            f"An array X must hold numbers or booleans; got dtype {dtype}.",
            "Pass a DataFrame with one dtype per column.",
        )
