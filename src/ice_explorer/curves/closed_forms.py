"""ICE curves in closed form: of linear models, and of models that sum RBF kernels around known points.

Moving one column of a row changes one term of each margin of a linear model. Kernels are those of support vectors
and kernel ridge: the similarity of a row to a centre is a product over columns. Another value of one
column exchanges its factor, so curves are a product of two matrices: similarities in the other columns (rows ×
centres), and the factors of grid values times the weights of centres (centres × grid).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from ice_explorer.models.libraries import dense
from ice_explorer.trees.forest import Link, list_links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ice_explorer.arrays import Array, Places, Rows

_BLOCK = 1 << 16  # similarities computed at a time: they fit the cache
_REACH = 2.5  # from centres to rows and grid values, in units of the kernel: rounding grows by exp(_REACH²)
_NEGLIGIBLE = 1e-17
_MOST_SUMS = 1 << 22  # that are kept of all rows: 32 MB


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Output = link(coefficients · x + intercepts).

    - `coefficients` (n_margins, n_columns), `intercepts` (n_margins,).
    - `matrix` (n_rows, n_columns): rows that curves are of.
    - `levels`: columns whose labels the model looks up: none.
    """

    coefficients: Array
    intercepts: Array
    link: Link = field(default_factory=Link)
    matrix: Array = field(default_factory=partial(np.empty, (0, 0)))
    levels = ()

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
    ) -> Iterator[tuple[LinearModel, Array]]:
        """Yield the model with each link, and what it predicts of columns.

        - `predicted` (n_rows,): by the model. Some have another constant than `intercept_`, which follows from these;
          None where they are transformed.
        - `position`, `response`: as `Predictor` has them.
        """
        margins = self.coefficients @ np.stack(columns) + self.intercepts[:, None]
        for link, sign in list_links(response, len(self.coefficients), position):
            coefficients, intercepts = sign * self.coefficients, sign * self.intercepts
            outputs = link.apply(sign * margins)
            if link.kind == "identity" and predicted is not None:
                constant = float(np.mean(predicted - outputs))
                intercepts, outputs = intercepts + constant, outputs + constant
            if not link.kind.startswith("softmax"):  # which alone looks at more margins than one
                chosen = slice(link.output, link.output + 1)
                yield LinearModel(coefficients[chosen], intercepts[chosen], Link(link.kind)), outputs
            else:
                yield LinearModel(coefficients, intercepts, link), outputs

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return 16 * n_grid * len(self.coefficients)

    @cached_property
    def _margins(self) -> Array:
        return self.coefficients @ self.matrix.T + self.intercepts[:, None]

    def _without(self, columns: Places, positions: Rows) -> Array:
        """Return margins of rows without the terms of some columns, (n_margins, n_rows)."""
        terms: Array = self.coefficients[:, columns] @ self.matrix[positions[:, None], columns].T
        return self._margins[:, positions] - terms

    def curves(self, columns: Places, grid: Array, positions: Rows) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        moved = self.coefficients[:, columns] @ grid.T
        return self.link.apply(self._without(columns, positions)[:, :, None] + moved[:, None, :])

    def parallel(self, columns: Places, grid: Array, positions: Rows) -> tuple[Array, Array] | None:
        """Return curves as a step (n_grid,) and offsets (n_rows,), or None where they are not parallel."""
        if self.link.kind != "identity":
            return None
        return grid @ self.coefficients[0, columns], self._without(columns, positions)[0]


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


@dataclass(frozen=True, eq=False)
class KernelModel:
    """Output = intercept + Σ_s weight_s · exp(-gamma |x - centre_s|²).

    - `centres` (n_centres, n_columns), `weights` (n_centres,).
    - `matrix` (n_rows, n_columns): rows that curves are of.
    - `varied`: columns that move alone in some curves.
    - `unused`, `levels`: columns without effect, and those whose labels the model looks up: none.
    """

    centres: Array
    weights: Array
    gamma: float
    intercept: float = 0.0
    matrix: Array = field(default_factory=partial(np.empty, (0, 0)))
    varied: Sequence[int] = ()
    unused = levels = ()

    @property
    def n_columns(self) -> int:
        """Columns that the model was fitted on."""
        return int(self.centres.shape[1])

    def candidates(self, columns: list[Array], *_: object) -> Iterator[tuple[KernelModel, Array]]:
        """Yield the model, and what it predicts of columns."""
        model = replace(self, matrix=np.column_stack(columns))
        yield self, model.curves(np.empty(0, np.intp), np.empty((1, 0)), np.arange(len(columns[0])))[:, 0]

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return int(24 * n_grid + 8 * self.n_columns)

    @cached_property
    def _zero(self) -> Array:
        return np.asarray(self.centres.mean(axis=0))

    def _in_units(self, points: Array, columns: Places | int) -> Array:
        """Return points in units of the kernel, and around 0, where squares are small and lose little."""
        return np.asarray((points - self._zero[columns]) * np.sqrt(self.gamma))

    def curves(self, columns: Places, grid: Array, positions: Rows) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        points = self._in_units(grid, columns)
        exchanged = self._exchange(int(columns[0]), points[:, 0], positions) if len(columns) == 1 else None
        if exchanged is not None:
            return exchanged + self.intercept
        others = np.setdiff1d(np.arange(self.n_columns), columns)
        gaps = self._in_units(self.centres[:, columns], columns)[:, None] - points
        factors = np.exp(-np.sum(gaps**2, axis=2)) * self.weights[:, None]
        return self._sum_similar(positions, others, factors) + self.intercept

    def _sum_similar(self, positions: Rows, columns: Places, factors: Array) -> Array:
        """Return Σ_s similarity · factor_s in some columns, (n_rows, n_factors), for factors (n_centres, n_factors)."""
        rows = self._in_units(self.matrix[np.ix_(positions, columns)], columns)
        centres = self._in_units(self.centres[:, columns], columns)
        # -|a - b|² = 2ab - a² - b², one matrix product.
        left = np.column_stack([2.0 * rows, -np.sum(rows**2, axis=1), np.ones(len(rows))])
        right = np.column_stack([centres, np.ones(len(centres)), -np.sum(centres**2, axis=1)]).T
        sums = np.empty((len(rows), factors.shape[1]))
        size = max(16, _BLOCK // len(centres))
        for start in range(0, len(rows), size):
            similarity = left[start : start + size] @ right
            np.minimum(similarity, 0.0, out=similarity)  # rounding may leave more
            np.exp(similarity, out=similarity)
            np.matmul(similarity, factors, out=sums[start : start + size])
        return sums

    @cached_property
    def _gathered(self) -> tuple[dict[int, tuple[Array, slice]], Array, Array]:
        """Gather centres into Chebyshev nodes of each varied column, where these are exact to the last bits.

        - returns nodes by column, (n_nodes,) each, and which of the sums are theirs; how much each node has of each
          centre, times the weight of the centre, (n_centres, n_sums); and of each row the sums of similarities times
          that, (n_rows, n_sums): NaN until they are needed.
        """
        nodes, shares, n_sums = {}, [np.empty((len(self.centres), 0))], 0
        for column in self.varied:
            centres, rows = (self._in_units(points[:, column], column) for points in (self.centres, self.matrix))
            low, high = centres.min(), centres.max()
            reach = max(rows.max() - low, high - rows.min())
            if not low < high or reach > _REACH:
                continue
            middle, half, n = (low + high) / 2.0, (high - low) / 2.0, _count_nodes((high - low) * np.ptp(rows), reach)
            angles, degrees = (np.arange(n) + 0.5) * (np.pi / n), np.arange(n)
            to_nodes = np.cos(np.outer(degrees, angles)) * np.where(degrees == 0, 1.0, 2.0)[:, None] / n
            of_centres = chebvander(np.clip((centres - middle) / half, -1.0, 1.0), n - 1)
            shares.append(of_centres @ to_nodes * self.weights[:, None])
            nodes[column] = middle + half * np.cos(angles), slice(n_sums, n_sums + n)
            n_sums += n
        if len(self.matrix) * n_sums > _MOST_SUMS:
            nodes, n_sums = {}, 0
        return nodes, np.hstack(shares), np.full((len(self.matrix), n_sums), np.nan)

    def _exchange(self, column: int, grid: Array, positions: Rows) -> Array | None:
        """Return curves without the intercept from the nodes of a column; None if they are not exact for the grid.

        All features share the similarities of rows and centres s, in which exp(-(x - s)²) is exchanged for
        exp(-(v - s)²): times exp(2 s (v - x)), which is a polynomial of s but for rounding.
        """
        gathered, shares, sums = self._gathered
        varied = self._in_units(self.matrix[:, column], column)
        if column not in gathered or not (varied.min() <= grid.min() and grid.max() <= varied.max()):
            return None
        new = positions[np.isnan(sums[positions, 0])]
        if len(new):
            sums[new] = self._sum_similar(new, np.arange(self.n_columns), shares)
        nodes, part = gathered[column]
        exchanged = sums[positions, part] * np.exp((varied[positions, None] - nodes) ** 2)
        return np.asarray(exchanged @ np.exp(-((nodes[:, None] - grid) ** 2)))


def _count_nodes(slope: float, reach: float) -> int:
    """Count the Chebyshev nodes that tell exp(slope · y) for y in [-1, 1]; their error is about (slope / 2)ⁿ / n!."""
    error, n_nodes = 4.0 * np.exp(reach**2), 0
    while error > _NEGLIGIBLE or n_nodes < slope:
        n_nodes += 1
        error *= slope / 2.0 / n_nodes
    return n_nodes


def read_kernel(model: Any, position: int | None, response: str) -> KernelModel | None:
    """Read the centres and weights of a fitted scikit-learn model; None if its response is no plain sum of RBF kernels.

    - `model`: SVR, NuSVR, SVC or NuSVC of two classes (decision function), OneClassSVM or KernelRidge.
    - `position`: which of two classes or of several outputs; None takes the second class or the only output.
    - `response`: as `Predictor.response`.
    """
    if not type(model).__module__.startswith("sklearn."):
        return None
    is_class = hasattr(model, "classes_")
    if getattr(model, "kernel", None) != "rbf" or (is_class and response != "decision_function"):
        return None
    if type(model).__name__ == "KernelRidge":
        centres, weights = dense(model.X_fit_), model.dual_coef_.reshape(len(model.dual_coef_), -1)[:, position or 0]
        gamma, intercept = model.gamma or 1.0 / centres.shape[1], 0.0
    elif not len(getattr(model, "support_", ())) or len(model.intercept_) > 1:
        return None  # it is constant without support vectors, and several classes are compared in pairs
    else:
        sign = -1.0 if is_class and position == 0 else 1.0
        centres, weights = dense(model.support_vectors_), sign * dense(model.dual_coef_).ravel()
        gamma, intercept = model._gamma, sign * float(model.intercept_[0])  # noqa: SLF001 - checked on phantoms
    return KernelModel(centres, np.ascontiguousarray(weights), float(gamma), intercept)
