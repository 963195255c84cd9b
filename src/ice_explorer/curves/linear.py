"""ICE curves of models with a closed form.

Moving one column of a row changes one term. What the other columns bring is computed once for a row,
and every grid value follows from it without the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.linear import LinearModel

    Array = NDArray[np.float64]


class ClosedForm(Protocol):
    """Curves of one feature for some rows, where the columns take the rows of grid (n_grid, n_columns)."""

    is_compiled: bool
    """Whether numba is loaded for them."""

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid)."""

    def parallel(
        self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]
    ) -> tuple[Array, Array] | None:
        """Return curves as a step (n_grid,) and offsets (n_rows,), or None where they are not parallel."""

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""


class LinearCurves:
    """Curves of a linear model: margins move by coefficient times distance.

    - `matrix` (n_rows, n_features).
    """

    is_compiled = False

    def __init__(self, model: LinearModel, matrix: Array) -> None:
        self._model = model
        self._matrix = matrix
        self._margins = model.coefficients @ matrix.T + model.intercepts[:, None]

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return 16 * n_grid * len(self._model.coefficients)

    def _without(self, columns: NDArray[np.intp], positions: NDArray[np.int64]) -> Array:
        """What the other columns bring to the margins of rows, (n_margins, n_rows)."""
        own: Array = self._model.coefficients[:, columns] @ self._matrix[positions[:, None], columns].T
        return self._margins[:, positions] - own

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        moved = self._model.coefficients[:, columns] @ grid.T
        return self._model.link.apply(self._without(columns, positions)[:, :, None] + moved[:, None, :])

    def parallel(
        self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]
    ) -> tuple[Array, Array] | None:
        """Return curves as a step (n_grid,) and offsets (n_rows,), or None where they are not parallel."""
        if self._model.link.kind != "identity":
            return None
        output = self._model.coefficients[0, columns]
        return grid @ output, self._without(columns, positions)[0]

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""
        return self._model.link.apply(self._model.coefficients @ matrix.T + self._model.intercepts[:, None])
