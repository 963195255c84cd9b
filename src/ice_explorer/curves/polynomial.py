"""ICE curves of weighted sums of products of columns.

Moving x_j, a row's margin is a polynomial in x_j: its coefficient of every power is a weighted sum of
what the other columns bring. These coefficients are one matrix product, the curves another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.linear import LinearModel

    Array = NDArray[np.float64]

_CELLS = 1 << 18  # products of rows and terms held at a time


def factors_of(exponents: NDArray[np.int64]) -> NDArray[np.intp]:
    """Write powers as products: columns whose product each term is, (degree, n_terms).

    A term of lower degree is filled up with n_columns, which stands for 1.

    - `exponents` (n_terms, n_columns).
    """
    reached = np.cumsum(exponents, axis=1)
    degree = int(reached.max(initial=0))
    return np.array([np.sum(reached <= at, axis=1) for at in range(degree)], np.intp).reshape(degree, len(exponents))


def monomials(rows: Array, factors: NDArray[np.intp]) -> Array:
    """Products of columns, (n_terms, n_rows).

    - `rows` (n_rows, n_columns).
    - `factors` (degree, n_terms): as from `factors_of`.
    """
    columns = np.vstack([rows.T, np.ones(len(rows))])
    products = np.ones((factors.shape[1], len(rows)))
    for factor in factors:
        products *= columns[factor]
    return products


class _Moves:
    """What moving some columns does to the margins.

    - `powers` (degree, n_powers): factors among the moved columns, each combination once, none of them empty.
    - `others` (degree, n_terms): factors among the other columns, of the terms that move.
    - `spread` (n_margins, n_powers, n_terms): coefficients of those terms, each with its power.
    - `are_alone`: whether no term has other columns besides.
    """

    def __init__(self, model: LinearModel, exponents: NDArray[np.int64], columns: NDArray[np.intp]) -> None:
        involved = np.flatnonzero(exponents[:, columns].any(axis=1))
        powers, of_term = np.unique(exponents[np.ix_(involved, columns)], axis=0, return_inverse=True)
        others = exponents[involved]
        others[:, columns] = 0
        self.powers, self.others = factors_of(powers), factors_of(others)
        self.are_alone = len(self.others) == 0
        self.spread = np.zeros((len(model.coefficients), len(powers), len(involved)))
        self.spread[:, of_term.ravel(), np.arange(len(involved))] = model.coefficients[:, involved]


class PolynomialCurves:
    """Curves of a linear model of products of columns.

    - `model`: with one coefficient per term.
    - `exponents` (n_terms, n_columns), `matrix` (n_rows, n_columns).
    """

    is_compiled = False

    def __init__(self, model: LinearModel, exponents: NDArray[np.int64], matrix: Array) -> None:
        self._model = model
        self._exponents = exponents
        self._matrix = matrix
        self._moves: dict[tuple[int, ...], _Moves] = {}
        self._margins = self._margins_of(matrix)

    def _margins_of(self, matrix: Array) -> Array:
        factors = factors_of(self._exponents)
        margins = np.empty((len(self._model.coefficients), len(matrix)))
        size = max(1, _CELLS // max(1, len(self._exponents)))
        for start in range(0, len(matrix), size):
            terms = monomials(matrix[start : start + size], factors)
            margins[:, start : start + size] = self._model.coefficients @ terms
        return margins + self._model.intercepts[:, None]

    def _moves_of(self, columns: NDArray[np.intp]) -> _Moves:
        key = tuple(columns.tolist())
        if key not in self._moves:
            self._moves[key] = _Moves(self._model, self._exponents, columns)
        return self._moves[key]

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return 16 * (len(self._exponents) + n_grid * len(self._model.coefficients))

    def _without(self, moves: _Moves, columns: NDArray[np.intp], positions: NDArray[np.int64]) -> tuple[Array, Array]:
        """Coefficients of the powers, (n_margins, n_powers, n_rows), and margins without them."""
        rows = self._matrix[positions]
        weights = moves.spread @ monomials(rows, moves.others)
        own = np.sum(weights * monomials(rows[:, columns], moves.powers), axis=1)
        return weights, self._margins[:, positions] - own

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        moves = self._moves_of(columns)
        weights, others = self._without(moves, columns, positions)
        margins = weights.transpose(0, 2, 1) @ monomials(grid, moves.powers)
        return self._model.link.apply(margins + others[:, :, None])

    def parallel(
        self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]
    ) -> tuple[Array, Array] | None:
        """Return curves as a step (n_grid,) and offsets (n_rows,), or None where they are not parallel."""
        moves = self._moves_of(columns)
        if self._model.link.kind != "identity" or not moves.are_alone:
            return None
        _, others = self._without(moves, columns, positions)
        return (moves.spread[0].sum(axis=1) @ monomials(grid, moves.powers)), others[0]

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""
        return self._model.link.apply(self._margins_of(matrix))
