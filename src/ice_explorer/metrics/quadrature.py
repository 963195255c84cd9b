"""Gauss-Legendre quadrature of sums of likelihoods over observed values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Rows


_MOST_VALUES: Final = 512  # observed ones that are all nodes
_WIDEST: Final = 0.05  # width of a bucket, in likelihood scales
_MOST_EXPONENT: Final = 0.01  # of λ, times the width
_NODES: Final = np.polynomial.legendre.leggauss(4)[0]
_LAGRANGE: Final = np.linalg.inv(np.vander(_NODES, increasing=True))
"""Coefficients of the polynomials that share a row between four nodes, (power, node)."""


@dataclass(frozen=True, eq=False)
class Quadrature:
    """Buckets of observed values with four Gauss-Legendre nodes each, or one where a bucket holds one value.

    A row is shared between the nodes of its bucket by Lagrange interpolation, which is exact for polynomials of degree
    three, and for the mean over a bucket that is evenly filled of degree seven. With a h < 0.01, for a = -ln(λ) at the
    decay of the explanation and buckets of width h, that misses a likelihood by 4e-12 at most, and sums over rows,
    where signs alternate, by less than 1e-12.

    - `edges` (n_buckets - 1,): between buckets; each belongs to the bucket above it.
    - `middle`, `inverse_half` (n_buckets,).
    - `first` (n_buckets + 1,): number of the first node of each bucket.
    - `nodes` (n_nodes,): increasing.
    """

    edges: Array
    middle: Array
    inverse_half: Array
    first: Rows
    nodes: Array

    @property
    def arrays(self) -> tuple[Any, ...]:
        """Arrays for the compiled function."""
        return self.edges, self.middle, self.inverse_half, self.first

    def place(self, observed: Array) -> tuple[Rows, Array]:
        """Return the first node of each observed value, (n_rows,), and the shares of four, (n_rows, 4)."""
        bucket = np.searchsorted(self.edges, observed, "right")
        node = self.first[bucket]
        position = (observed - self.middle[bucket]) * self.inverse_half[bucket]
        shares = np.vander(position, 4, increasing=True) @ _LAGRANGE
        shares[self.first[bucket + 1] - node == 1] = [1.0, 0.0, 0.0, 0.0]
        return node, shares

    def masses(self, observed: Array, weights: Array, ordered: Array | None = None) -> Array:
        """Share the weights of rows between the nodes, (n_nodes,); `ordered` are the same observed values, if known."""
        if weights.min() == weights.max():
            observed = np.sort(observed) if ordered is None else ordered
        else:
            order = np.argsort(observed)
            observed, weights = observed[order], weights[order]
        starts = np.searchsorted(observed, self.edges)
        counts = np.diff(starts, prepend=0, append=len(observed))
        filled = np.flatnonzero(counts)
        position = (observed - self.middle.repeat(counts)) * self.inverse_half.repeat(counts)
        powers, moments = np.empty((4, len(observed))), np.zeros((4, len(counts)))
        powers[0] = weights
        for power in range(1, 4):
            np.multiply(powers[power - 1], position, out=powers[power])
        moments[:, filled] = np.add.reduceat(powers, np.append(0, starts)[filled], axis=1)
        masses, is_one = moments.T @ _LAGRANGE, np.diff(self.first) == 1
        masses[is_one, 0] = moments[0, is_one]
        return np.asarray(masses[~is_one[:, None] | (np.arange(4) == 0)])


NO_QUADRATURE: Final = Quadrature(np.empty(0), np.empty(0), np.empty(0), np.zeros(1, np.int64), np.empty(0))


def make_quadrature(values: Array, grid: Array, scale: float, decay: float) -> Quadrature:
    """Choose buckets of observed values, within which the likelihood of every grid value is smooth.

    - `values`: increasing.
    - `scale`: the likelihood scale [feature].
    - `decay`: that of the explanation.
    """
    values = values[np.append(True, values[1:] > values[:-1])]
    is_first = np.ones(len(values), np.bool_)
    # Each interval of the grid has buckets of its own, and few values need no nodes but themselves.
    if len(values) > max(_MOST_VALUES, 2 * len(grid)):
        width = min(_WIDEST, _MOST_EXPONENT / max(-np.log(decay), 1e-9)) * scale
        number = np.floor((values - values[0]) / width)
        cell = np.searchsorted(grid, values)
        is_first[1:] = (number[1:] != number[:-1]) | (cell[1:] != cell[:-1])
        bucket = np.cumsum(is_first) - 1
        is_first |= (np.bincount(bucket) <= len(_NODES))[bucket]  # the values are as few as their nodes would be
    start = np.flatnonzero(is_first)
    low, high = values[start], values[np.append(start[1:], len(values)) - 1]
    is_one = low == high
    middle, half = (low + high) / 2.0, np.where(is_one, 1.0, (high - low) / 2.0)
    first = np.append(0, np.cumsum(np.where(is_one, 1, 4)))
    nodes = middle.repeat(4).reshape(-1, 4) + half[:, None] * _NODES
    kept = np.ones_like(nodes, np.bool_)
    nodes[is_one, 0] = middle[is_one]
    kept[is_one, 1:] = False
    return Quadrature(low[1:], middle, 1.0 / half, first, nodes[kept])
