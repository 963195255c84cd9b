"""ICE curves of neural networks of dense layers.

Moving a column of a row moves what its hidden units of the first layer add up by the weights of the
column, which are the same for every row. What the other columns bring is added up once, whatever the
number of grid values; every layer after the first is one matrix product for a block of phantoms that
fits the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.curves.closed_form import Link

    Array = NDArray[np.float64]

_CELLS = 1 << 15  # hidden units of a block: they fit the cache


class Network(Protocol):
    """A network as `adapters.network` reads it."""

    @property
    def weights(self) -> Sequence[Array]:
        """By layer, (n_in, n_out)."""

    @property
    def biases(self) -> Sequence[Array]:
        """By layer, (n_out,)."""

    @property
    def activation(self) -> str:
        """What becomes of hidden units: "identity", "relu" or "tanh"."""

    @property
    def link(self) -> Link:
        """What becomes of the margins."""


class NetworkCurves:
    """Curves of a neural network.

    Parameters
    ----------
    model : Network
    matrix : ndarray of shape (n_rows, n_features)
    is_single : bool
        Count in single precision, as the library does.
    """

    def __init__(self, model: Network, matrix: Array, *, is_single: bool = False) -> None:
        self._model = model
        self._matrix = matrix
        self._is_single = is_single

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        n_units, n_margins = len(self._model.biases[0]), len(self._model.biases[-1])
        return 8 * (self._matrix.shape[1] + n_units) + 16 * n_grid * n_margins

    def _dtype(self, *values: Array) -> type[np.float32 | np.float64]:
        """Single precision where the library counts in it: it does not for values that this cannot hold."""
        if not self._is_single:
            return np.float64
        return np.float32 if all(np.array_equal(given.astype(np.float32), given) for given in values) else np.float64

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        dtype = self._dtype(grid)
        first = self._model.weights[0].astype(dtype)
        moved = grid.astype(dtype) @ first[columns]
        # Nothing is taken away again of what a column brought: it may be far larger than the rest.
        first[columns] = 0.0
        others = self._matrix[positions].astype(dtype) @ first + self._model.biases[0].astype(dtype)
        if len(self._model.weights) == 1:
            margins = (others[:, None, :] + moved).reshape(-1, moved.shape[1])
        else:
            margins = self._margins(others, moved)
        return self._output(margins).reshape(len(positions), len(grid))

    def _margins(self, others: NDArray[Any], moved: NDArray[Any]) -> NDArray[Any]:
        """Margins of phantoms, (n_rows · n_grid, n_margins), of what goes into the first units of rows and of moves."""
        n_grid, n_units = moved.shape
        margins = np.empty((len(others) * n_grid, len(self._model.biases[-1])), moved.dtype)
        at_a_time = max(1, _CELLS // (n_grid * n_units))
        hidden = np.empty((at_a_time, n_grid, n_units), moved.dtype)
        layers = self._layers(moved.dtype)
        for start in range(0, len(others), at_a_time):
            some = others[start : start + at_a_time]
            units = np.add(some[:, None, :], moved, out=hidden[: len(some)]).reshape(-1, n_units)
            margins[start * n_grid : (start + len(some)) * n_grid] = self._forward(units, layers)
        return margins

    def _layers(self, dtype: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Weights and biases of all layers but the first."""
        model = self._model
        return [
            (weights.astype(dtype), bias.astype(dtype))
            for weights, bias in zip(model.weights[1:], model.biases[1:], strict=True)
        ]

    def _forward(self, units: NDArray[Any], layers: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> NDArray[Any]:
        """Margins, (n_phantoms, n_margins), of what goes into the first hidden units, which is overwritten."""
        for weights, bias in layers:
            if self._model.activation == "relu":
                np.maximum(units, 0.0, out=units)
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
        return self._output(self._forward(units, self._layers(dtype)))
