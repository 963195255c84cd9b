"""ICE curves of models that can be written down: weighted sums of the columns, sums of radial kernels.

Moving one column of a row changes one term. What the other columns bring is computed once for a row,
and every grid value follows from it without the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class ClosedForm(Protocol):
    """Curves of one feature for some rows."""

    row_bytes: int

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""


class Linear(Protocol):
    """A linear model as `adapters.linear` reads it."""

    @property
    def coefficients(self) -> Array:
        """Of shape (n_margins, n_features)."""

    @property
    def intercepts(self) -> Array:
        """Of shape (n_margins,)."""

    @property
    def link(self) -> Link:
        """What becomes of the margins."""


class Link(Protocol):
    """A function of margins (n_margins, …)."""

    def apply(self, margins: Array) -> Array:
        """Turn margins into outputs (…)."""


class LinearCurves:
    """Curves of a linear model: margins move by coefficient times distance.

    Parameters
    ----------
    model : Linear
    matrix : ndarray of shape (n_rows, n_features)
    """

    def __init__(self, model: Linear, matrix: Array) -> None:
        self._model = model
        self._matrix = matrix
        self._margins = model.coefficients @ matrix.T + model.intercepts[:, None]
        self.row_bytes = 16 * len(model.coefficients)

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        coefficients = self._model.coefficients[:, columns]
        own = coefficients @ self._matrix[positions][:, columns].T
        others = self._margins[:, positions] - own
        return self._model.link.apply(others[:, :, None] + (coefficients @ grid.T)[:, None, :])

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""
        return self._model.link.apply(self._model.coefficients @ matrix.T + self._model.intercepts[:, None])


class Radial(Protocol):
    """A sum of radial kernels as `adapters.kernel` reads it."""

    @property
    def centres(self) -> Array:
        """Of shape (n_centres, n_features)."""

    @property
    def weights(self) -> Array:
        """Of shape (n_centres,)."""

    @property
    def gamma(self) -> Array:
        """Of shape (n_features,)."""

    @property
    def intercept(self) -> float:
        """What is added to the sum."""


class RadialCurves:
    """Curves of a sum of radial kernels: what the other columns bring, times a matrix of grid × centres.

    Parameters
    ----------
    model : Radial
    matrix : ndarray of shape (n_rows, n_features)
    """

    def __init__(self, model: Radial, matrix: Array) -> None:
        self._model = model
        self._matrix = matrix
        self.row_bytes = 24 * len(model.centres)

    def _similarity(self, rows: Array, columns: NDArray[np.intp]) -> Array:
        """exp(-Σ_j gamma_j (x_j - centre_j)²) over some columns, (n_rows, n_centres)."""
        root = np.sqrt(self._model.gamma[columns])
        rows, centres = rows[:, columns] * root, self._model.centres[:, columns] * root
        # (a - b)² = a² - 2ab + b²: one matrix product; rounding may leave less than 0.
        squared = np.sum(rows**2, axis=1)[:, None] - 2.0 * rows @ centres.T + np.sum(centres**2, axis=1)
        return np.asarray(np.exp(-np.maximum(squared, 0.0)))

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        others = np.setdiff1d(np.arange(self._matrix.shape[1]), columns)
        fixed = self._similarity(self._matrix[positions], others)
        free = np.empty((len(grid), self._matrix.shape[1]))
        free[:, columns] = grid
        curves: Array = fixed @ (self._similarity(free, columns) * self._model.weights).T + self._model.intercept
        return curves

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""
        everything = np.arange(self._matrix.shape[1])
        predicted: Array = self._similarity(matrix, everything) @ self._model.weights + self._model.intercept
        return predicted
