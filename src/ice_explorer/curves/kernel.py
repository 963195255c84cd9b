"""ICE curves of sums of radial kernels.

The similarity of a row to a centre is a product over columns. Moving x_j to v exchanges one factor:
exp(-γ(x_j - s)²), s being the centre's coordinate, becomes exp(-γ(v - s)²). What exchanges them is an
exponential function of s, so smooth that its values at a few Chebyshev nodes tell it everywhere to the
last bits. Thus every row is compared with every centre once for all features, the centres are gathered
into nodes of each feature, and curves follow from these, however many grid values there are. Where
columns reach too far for that, in units of the kernel, or move together, the factors of all centres are
exchanged one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.chebyshev import chebvander

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.kernel import RadialModel

    Array = NDArray[np.float64]

_BLOCK = 1 << 16  # similarities computed at a time: they fit the cache
_REACH = 9.0  # squared distance, in units of the kernel: between nodes rounding grows by its exponential
_REACH_OF_CENTRES = 500.0  # where nodes are the centres themselves, only an overflow is to be feared
_MOST_NODES = 48
_NEGLIGIBLE = math.log(1e-17)
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Points that stand for the centres in one coordinate.

    - `at` (n_nodes,).
    - `share` (n_centres, n_nodes): how much each node has of each centre, times the weight of the centre.
    """

    at: Array
    share: Array


def _gather(centres: Array, weights: Array, rows: Array, grid: Array) -> _Nodes | None:
    """Gather centres (n_centres,) into nodes, or return None where that is not exact enough."""
    low, high = centres.min(), centres.max()
    reach = max(float(rows.max() - low), float(high - rows.min())) ** 2
    farthest = max(float(rows.max() - grid.min()), float(grid.max() - rows.min()))
    n_nodes = _n_nodes(float(high - low) * farthest, reach)
    distinct, which = np.unique(centres, return_inverse=True)
    if len(distinct) <= n_nodes and reach <= _REACH_OF_CENTRES:
        share = np.zeros((len(centres), len(distinct)))
        share[np.arange(len(centres)), which] = weights
        return _Nodes(distinct, share)
    if n_nodes > _MOST_NODES or not reach <= _REACH:
        return None
    # Interpolation at Chebyshev nodes, as a sum over Chebyshev polynomials.
    nodes = np.cos((np.arange(n_nodes) + 0.5) * (np.pi / n_nodes))
    own = np.clip((2.0 * centres - low - high) / (high - low), -1.0, 1.0)
    of_nodes = chebvander(nodes, n_nodes - 1) * np.where(np.arange(n_nodes) == 0, 1.0, 2.0)
    share = chebvander(own, n_nodes - 1) @ of_nodes.T * (weights / n_nodes)[:, None]
    return _Nodes(0.5 * (low + high) + 0.5 * (high - low) * nodes, share)


def _n_nodes(slope: float, reach: float) -> int:
    """How many Chebyshev nodes tell an exponential of y in [-1, 1], exp(slope · y), to the last bits.

    The error of n nodes is about (slope / 2)ⁿ / n!, here of what the factors grow to besides.
    """
    for n_nodes in range(1, _MOST_NODES + 1):
        error = math.log(4.0) + reach + n_nodes * math.log(max(slope, 1e-300) / 2.0) - math.lgamma(n_nodes + 1)
        if n_nodes > slope / 2.0 and error < _NEGLIGIBLE:
            return n_nodes
    return _MOST_NODES + 1


class RadialCurves:
    """Curves of a sum of radial kernels.

    - `matrix` (n_rows, n_features).
    - `moves`: what `curves` will compute.
    - `most_bytes`: what may be kept for all rows.
    """

    is_compiled = False

    def __init__(
        self,
        model: RadialModel,
        matrix: Array,
        moves: Iterable[tuple[NDArray[np.intp], Array]] = (),
        most_bytes: int = 0,
    ) -> None:
        # In units of the kernel, and around 0, where squares are small and lose little.
        self._unit = np.sqrt(model.gamma)
        self._zero = model.centres.mean(axis=0)
        self._centres = self._scaled(model.centres)
        self._rows = self._scaled(matrix)
        self._weights = model.weights
        self._intercept = model.intercept
        nodes = {int(columns[0]): self._gathered(int(columns[0]), grid) for columns, grid in moves if len(columns) == 1}
        self._nodes = {column: of_column for column, of_column in nodes.items() if of_column is not None}
        ends = np.cumsum([0, *(len(of_column.at) for of_column in self._nodes.values())])
        if 8 * (len(matrix) + 2 * len(self._centres)) * ends[-1] > most_bytes:
            self._nodes, ends = {}, ends[:1]
        self._parts = {column: slice(*ends[at : at + 2]) for at, column in enumerate(self._nodes)}
        self._shares = np.hstack([np.empty((len(self._centres), 0)), *(kept.share for kept in self._nodes.values())])
        self._kept = np.empty((len(matrix), int(ends[-1])))
        self._is_kept = np.zeros(len(matrix), np.bool_)

    def _scaled(self, matrix: Array, columns: NDArray[np.intp] | slice = slice(None)) -> Array:
        return np.asarray((matrix - self._zero[columns]) * self._unit[columns])

    def _gathered(self, column: int, grid: Array) -> _Nodes | None:
        """Gather the centres in one coordinate, if some values of curves of some rows are as without."""
        rows, of_grid = self._rows[:, column], self._scaled(grid, np.array([column]))
        nodes = _gather(self._centres[:, column], self._weights, rows, of_grid)
        if nodes is None:
            return None
        some, of_grid = _spread(rows), of_grid[_spread(of_grid[:, 0])]
        sums = self._similarity_sums(self._rows[some], self._centres, nodes.share)
        plain = self._exchanged(some, np.array([column]), of_grid)
        apart = np.abs(_from_nodes(nodes, sums, rows[some], of_grid) - plain).max()
        return nodes if apart <= _TOLERANCE * np.abs(plain).max() else None

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return 8 * (2 * n_grid + 2 * self._kept.shape[1] + 3 * _MOST_NODES)

    @staticmethod
    def _similarity_sums(rows: Array, centres: Array, weights: Array) -> Array:
        """Σ_s exp(-|row - centre_s|²) · weights_s, (n_rows, n_sums), for weights (n_centres, n_sums)."""
        sums = np.empty((len(rows), weights.shape[1]))
        # -|a - b|² = 2ab - a² - b², one matrix product.
        left = np.column_stack([2.0 * rows, -np.sum(rows**2, axis=1), np.ones(len(rows))])
        right = np.column_stack([centres, np.ones(len(centres)), -np.sum(centres**2, axis=1)]).T
        size = max(16, _BLOCK // len(centres))
        for start in range(0, len(rows), size):
            similarity = left[start : start + size] @ right
            np.minimum(similarity, 0.0, out=similarity)  # rounding may leave more
            np.exp(similarity, out=similarity)
            np.matmul(similarity, weights, out=sums[start : start + size])
        return sums

    def _exchanged(self, positions: NDArray[np.int64], columns: NDArray[np.intp], grid: Array) -> Array:
        """Curves without the intercept, the factors of every centre exchanged; the grid in units of the kernel."""
        others = np.setdiff1d(np.arange(self._rows.shape[1]), columns)
        squared = np.sum((grid[:, None, :] - self._centres[:, columns]) ** 2, axis=2)
        weights = (np.exp(-squared) * self._weights).T
        return self._similarity_sums(self._rows[np.ix_(positions, others)], self._centres[:, others], weights)

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        of_grid = self._scaled(grid, columns)
        if len(columns) != 1 or int(columns[0]) not in self._nodes:
            return self._exchanged(positions, columns, of_grid) + self._intercept
        column = int(columns[0])
        missing = positions[~self._is_kept[positions]]
        if len(missing):
            self._kept[missing] = self._similarity_sums(self._rows[missing], self._centres, self._shares)
            self._is_kept[missing] = True
        sums = self._kept[positions, self._parts[column]]
        return _from_nodes(self._nodes[column], sums, self._rows[positions, column], of_grid) + self._intercept

    def parallel(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> None:  # noqa: ARG002
        """Return None: one curve is steep where another is flat."""
        return

    def predict(self, matrix: Array) -> Array:
        """Predict rows, (n_rows,)."""
        sums = self._similarity_sums(self._scaled(matrix), self._centres, self._weights[:, None])
        return np.asarray(sums[:, 0] + self._intercept)


def _spread(values: Array) -> NDArray[np.intp]:
    """Choose a few of some values, the extremes among them."""
    return np.concatenate([[values.argmin(), values.argmax()], np.linspace(0, len(values) - 1, 6).astype(np.intp)])


def _from_nodes(nodes: _Nodes, sums: Array, own: Array, grid: Array) -> Array:
    """Exchange the factor of the observed value (n_rows,) for those of the grid (n_grid, 1): (n_rows, n_grid)."""
    curves: Array = (sums * np.exp((own[:, None] - nodes.at) ** 2)) @ np.exp(-((grid - nodes.at) ** 2)).T
    return curves
