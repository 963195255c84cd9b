"""ICE curves of neural networks of dense layers.

Moving a column of a row moves what its hidden units of the first layer add up by the weights of the
column, which are the same for every row. What the other columns bring is added up once, whatever the
number of grid values; every layer after the first is one matrix product for a block of phantoms that
fits the cache. Of rectified units, compiled code follows the first layer along the grid instead: only where
a unit changes sign does what it brings to the next layer change.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.network import NetworkModel

    Array = NDArray[np.float64]

_CELLS = 1 << 15  # hidden units of a block: they fit the cache
_WORTH_COMPILING = 1_000_000_000  # hidden units of all phantoms; numba takes longer to load than NumPy to add up fewer
_PRODUCTS = 16  # products of weights and units that take as long as a unit
_FEW_VALUES = 4  # to follow the units along so few takes longer than to add them up anew


class NetworkCurves:
    """Curves of a neural network.

    - `matrix` (n_rows, n_features).
    - `n_phantoms`: how many it will predict, about: whether that is worth loading compiled code.
    - `is_single`: count in single precision, as the library does.
    """

    def __init__(self, model: NetworkModel, matrix: Array, n_phantoms: int = 0, *, is_single: bool = False) -> None:
        self._model = model
        self._matrix = matrix
        self._is_single = is_single
        of_phantom = sum(len(weights) + weights.size / _PRODUCTS for weights in model.weights[1:])
        is_long = n_phantoms * of_phantom > _WORTH_COMPILING
        self.is_compiled = HAS_NUMBA and is_long and model.activation == "relu"

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        n_margins = len(self._model.biases[-1])
        return 8 * sum(self._model.weights[0].shape) + 16 * n_grid * n_margins

    def _dtype(self, *values: Array) -> type[np.float32 | np.float64]:
        """Single precision where the library counts in it: it does not for values that this cannot hold."""
        if not self._is_single:
            return np.float64
        return np.float32 if all(np.array_equal(given.astype(np.float32), given) for given in values) else np.float64

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        dtype = self._dtype(grid)
        first: NDArray[Any] = self._model.weights[0].astype(dtype)
        moved: NDArray[Any] = grid.astype(dtype) @ first[columns]
        # Nothing is taken away again of what a column brought: it may be far larger than the rest.
        first[columns] = 0.0
        others: NDArray[Any] = self._matrix[positions].astype(dtype) @ first + self._model.biases[0].astype(dtype)
        if len(self._model.weights) == 1:
            margins = (others[:, None, :] + moved).reshape(-1, moved.shape[1])
        elif self.is_compiled and len(columns) == 1 and len(grid) > _FEW_VALUES and _is_monotonic(grid[:, 0]):
            column = self._model.weights[0][columns[0]].astype(dtype)
            margins = self._followed(others, column, grid[:, 0].astype(dtype))
        else:
            margins = self._margins(others, moved)
        return self._output(margins).reshape(len(positions), len(grid))

    def _margins(self, others: NDArray[Any], moved: NDArray[Any]) -> NDArray[Any]:
        """Margins of phantoms, (n_rows · n_grid, n_margins), of what goes into the first units of rows and of moves."""
        n_grid, n_units = moved.shape
        margins = np.empty((len(others) * n_grid, len(self._model.biases[-1])), moved.dtype)
        layers = self._layers(moved.dtype)
        of_grid = max(1, min(n_grid, _CELLS // n_units))
        of_rows = max(1, _CELLS // (of_grid * n_units))
        hidden = np.empty((of_rows, of_grid, n_units), moved.dtype)
        zeros = self._zeros(of_rows * of_grid, moved.dtype)
        of_phantoms = margins.reshape(len(others), n_grid, -1)
        for row, at in product(range(0, len(others), of_rows), range(0, n_grid, of_grid)):
            some, values = others[row : row + of_rows, None, :], moved[at : at + of_grid]
            units = np.add(some, values, out=hidden[: len(some), : len(values)])
            found = self._forward(units.reshape(-1, n_units), layers, zeros)
            of_phantoms[row : row + of_rows, at : at + of_grid] = found.reshape(len(some), len(values), -1)
        return margins

    def _followed(self, others: NDArray[Any], column: NDArray[Any], grid: NDArray[Any]) -> NDArray[Any]:
        """Margins as `_margins` has them, of rectified units and one column that moves, by compiled code."""
        from ice_explorer.curves.network_numba import second_units

        (weights, bias), *layers = self._layers(grid.dtype)
        n_margins = len(self._model.biases[-1])
        if len(layers) == n_margins == 1:
            ((of_output, offset),) = layers
            summed = np.empty((len(others), len(grid)), grid.dtype)
            second_units(others, column, grid, weights, bias, None, (of_output.ravel(), summed))
            summed += offset
            return summed.reshape(-1, 1)
        margins = np.empty((len(others), len(grid), n_margins), grid.dtype)
        of_row = len(grid), len(bias)
        size = max(1, _CELLS // math.prod(of_row))
        units = np.empty((size, *of_row), grid.dtype)
        zeros = self._zeros(size * len(grid), grid.dtype)
        for start in range(0, len(others), size):
            of_rows = margins[start : start + size]
            found = units[: len(of_rows)]
            second_units(others[start : start + size], column, grid, weights, bias, found, None)
            of_rows[:] = self._forward(found.reshape(-1, len(bias)), layers, zeros).reshape(of_rows.shape)
        return margins.reshape(-1, n_margins)

    def _layers(self, dtype: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Weights and biases of all layers but the first."""
        model = self._model
        return [
            (weights.astype(dtype), bias.astype(dtype))
            for weights, bias in zip(model.weights[1:], model.biases[1:], strict=True)
        ]

    def _zeros(self, n_phantoms: int, dtype: Any) -> NDArray[Any]:
        """What hidden units are compared with: an array of zeros is, several times faster than one zero."""
        return np.zeros(n_phantoms * max(map(len, self._model.biases)), dtype)

    def _forward(
        self, units: NDArray[Any], layers: Sequence[tuple[NDArray[Any], NDArray[Any]]], zeros: NDArray[Any]
    ) -> NDArray[Any]:
        """Margins, (n_phantoms, n_margins), of what goes into the first hidden units, which is overwritten."""
        for weights, bias in layers:
            if self._model.activation == "relu":
                np.maximum(units, zeros[: units.size].reshape(units.shape), out=units)
            elif self._model.activation == "tanh":
                np.tanh(units, out=units)
            units = units @ weights
            units += bias
        return units

    def _output(self, margins: NDArray[Any]) -> Array:
        """Turn margins, (n_phantoms, n_margins), into outputs, (n_phantoms,)."""
        return self._model.link.apply(np.asarray(margins.T, np.float64))

    def parallel(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> None:  # noqa: ARG002
        """Return None: one curve is steep where another is flat."""
        return

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""
        dtype = self._dtype()
        units = matrix.astype(dtype) @ self._model.weights[0].astype(dtype) + self._model.biases[0].astype(dtype)
        return self._output(self._forward(units, self._layers(dtype), self._zeros(len(units), dtype)))


def _is_monotonic(values: Array) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())
