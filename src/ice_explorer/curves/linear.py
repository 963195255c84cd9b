"""ICE curves of linear models: moving one column of a row changes one term of each margin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.models.pipeline import dense
from ice_explorer.trees.link import list_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ice_explorer.trees.link import Link

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Output = link(coefficients · x + intercepts).

    - `coefficients` (n_margins, n_columns), `intercepts` (n_margins,).
    - `levels`: columns whose labels the model looks up: none.
    """

    coefficients: Array
    intercepts: Array
    levels: tuple[int, ...] = ()

    @property
    def n_columns(self) -> int:
        """Columns that the model was fitted on."""
        return int(self.coefficients.shape[1])

    @property
    def unused(self) -> list[int]:
        """Columns without a coefficient."""
        return np.flatnonzero(~self.coefficients.any(axis=0)).tolist()

    def candidates(
        self, columns: list[Array], predicted: Array | None, position: int | None, response: str
    ) -> Iterator[tuple[Callable[..., Any], Array]]:
        """Yield what makes curves of a matrix (n_rows, n_columns), with each link, and what it predicts of columns.

        - `predicted` (n_rows,): by the model. Some have another constant than `intercept_`, which follows from these;
          None where they are transformed.
        - `position`, `response`: as `Predictor` has them.
        """
        margins = self.coefficients @ np.stack(columns) + self.intercepts[:, None]
        for link, sign in list_links(response, len(self.coefficients), position):
            intercepts, outputs = sign * self.intercepts, link.apply(sign * margins)
            if link.kind == "identity" and predicted is not None:
                constant = float(np.mean(predicted - outputs))
                intercepts, outputs = intercepts + constant, outputs + constant
            yield partial(LinearCurves, LinearModel(sign * self.coefficients, intercepts), link), outputs


def read_linear(model: Any, _position: int | None, response: str) -> LinearModel | None:
    """Read the coefficients of a fitted scikit-learn model; None if it has none, or predicts classes."""
    is_class = response == "predict" and hasattr(model, "classes_")
    if is_class or not type(model).__module__.startswith("sklearn."):
        return None
    if type(model).__name__ == "KernelRidge" and model.kernel == "linear":
        coefficients = np.atleast_2d((dense(model.X_fit_).T @ model.dual_coef_).T)
    elif hasattr(model, "coef_"):
        coefficients = np.atleast_2d(dense(model.coef_))
    else:
        return None
    intercepts = np.atleast_1d(np.asarray(getattr(model, "intercept_", 0.0), np.float64))
    return LinearModel(coefficients, np.broadcast_to(intercepts, len(coefficients)))


class LinearCurves:
    """Curves of a linear model: margins move by coefficient times distance.

    - `matrix` (n_rows, n_columns).
    """

    def __init__(self, model: LinearModel, link: Link, matrix: Array) -> None:
        # Only a softmax looks at more margins than one.
        chosen = slice(None) if link.kind.startswith("softmax") else slice(link.output, link.output + 1)
        self._coefficients = model.coefficients[chosen]
        self._link = link if link.kind.startswith("softmax") else type(link)(link.kind)
        self._matrix = matrix
        self._margins = self._coefficients @ matrix.T + model.intercepts[chosen, None]

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return 16 * n_grid * len(self._coefficients)

    def _without(self, columns: NDArray[np.intp], positions: NDArray[np.int64]) -> Array:
        """Return margins of rows without the terms of some columns, (n_margins, n_rows)."""
        terms: Array = self._coefficients[:, columns] @ self._matrix[positions[:, None], columns].T
        return self._margins[:, positions] - terms

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        moved = self._coefficients[:, columns] @ grid.T
        return self._link.apply(self._without(columns, positions)[:, :, None] + moved[:, None, :])

    def parallel(
        self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]
    ) -> tuple[Array, Array] | None:
        """Return curves as a step (n_grid,) and offsets (n_rows,), or None where they are not parallel."""
        if self._link.kind != "identity":
            return None
        return grid @ self._coefficients[0, columns], self._without(columns, positions)[0]
