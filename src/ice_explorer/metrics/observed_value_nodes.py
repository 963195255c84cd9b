"""Observed values of all rows, written as combinations of few values: the nodes.

For phantoms on one side of it, the likelihood is a smooth function of the observed value. Between two
neighbouring *breaks*, values at which distances change sides, it is therefore a polynomial of low
degree to rounding error, and any sum over rows in such a bucket follows from the first Chebyshev
moments of what is summed. Those moments move to a few nodes of the bucket, which then stand for all
its rows. Where the rows hold few distinct values those are the nodes, and nothing is interpolated.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics import chebyshev
from ice_explorer.metrics.likelihood import distinct_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# A bucket of half-width h, in likelihood scales, needs n moments for e^{-ad} to come out to about
# 2 (ah/2)^n / n! of its value. Its n is the least that makes this 1e-15 for decay 0.01
# (a = 4.6); that leaves 1e-11 for decay 1e-4. Buckets that would need more are cut.
MOST_MOMENTS = 12
_EXPONENT = -math.log(0.01)
_TO_NODES = np.array(
    [np.pad(chebyshev.to_nodes(n), (0, MOST_MOMENTS - n)) for n in range(1, MOST_MOMENTS + 1)]
)  # by number of moments, filled up with 0
_FEW_ROWS = 128  # that are their own nodes, rather than asked how many would do
_WIDEST_HALF = np.array(
    [2.0 / _EXPONENT * (0.5e-15 * math.factorial(n)) ** (1.0 / n) for n in range(1, MOST_MOMENTS + 1)]
)


class ObservedValues:
    """Buckets of observed values, their moments and nodes.

    - `observed`, `weights` (n_rows,): observed values of all rows that will come, and their weights; None where
      `masses` are not needed.
    - `breaks`: increasing values at which distances change sides.
    - `scale`: likelihood scale, the same for all rows.
    - `compiled`: whether the compiled kernel looks the rows up.
    - `edges` (n_buckets + 1,), or (n_buckets,): lower edges of the buckets, and the upper one of the last.
    - `middle`, `inverse_half` (n_buckets,): an observed value x lies at (x - middle) · inverse_half in its bucket,
      within [-1, 1].
    - `first`, `count` (n_buckets,): where the moments of each bucket begin, and how many there are. Buckets without
      rows have none.
    - `nodes` (n_nodes,): as many as moments, bucket by bucket; increasing.
    - `masses` (n_nodes,): weights of the rows, moved to the nodes.
    """

    def __init__(
        self, observed: Array, weights: Array | None, breaks: Array, scale: float, *, compiled: bool = False
    ) -> None:
        self._compiled = compiled
        if len(observed) <= _FEW_ROWS:
            distinct: Array | None = distinct_of(np.sort(observed))
        else:
            edges, count = _buckets(observed.min(), observed.max(), breaks, scale, len(observed))
            distinct = _distinct_if_few(observed, min(int(count.sum()), len(observed)))
        if distinct is not None:
            self.edges = self.nodes = distinct
            self.middle, self.inverse_half = self.edges, np.zeros(len(self.edges))
            self.count = np.ones(len(self.edges), np.int64)
            self.first = np.arange(len(self.edges))
            self.masses = np.empty(0) if weights is None else self.moments_of(observed, weights)
            return
        half = (edges[1:] - edges[:-1]) / 2
        self.edges, self.middle = edges, (edges[:-1] + edges[1:]) / 2
        self.inverse_half = np.divide(1.0, half, out=np.zeros_like(half), where=half > np.finfo(float).tiny)
        self.count, self.first = count, np.cumsum(count) - count
        n_rows, moments = self._moments(observed, weights)
        self.count = np.where(n_rows > 0, count, 0)
        self.first = np.cumsum(self.count) - self.count
        bucket = np.repeat(np.arange(len(self.count)), self.count)
        place = np.arange(len(bucket)) - self.first[bucket]
        self.nodes = self.middle[bucket] + half[bucket] * chebyshev.nodes(place, self.count[bucket])
        self.masses = np.empty(0) if weights is None else self.to_nodes(moments[bucket, place, None])[:, 0]

    @cached_property
    def _hints(self) -> tuple[NDArray[np.int64], float, float]:
        return hints_of(self.edges[: len(self.count)])

    @property
    def arrays(
        self,
    ) -> tuple[Array, NDArray[np.int64], float, float, Array, Array, NDArray[np.int64], NDArray[np.int64]]:
        """What the compiled kernels know: lower edges, their hints, and what each bucket has."""
        lower = self.edges[: len(self.count)]
        return lower, *self._hints, self.middle, self.inverse_half, self.first, self.count

    @property
    def interpolates(self) -> bool:
        """Whether any row is written as a combination of nodes, rather than being one itself."""
        return len(self.edges) > len(self.count)

    def find(self, observed: Array) -> NDArray[np.intp]:
        """Find the bucket of each observed value, (n_rows,)."""
        if not self.interpolates:
            return np.searchsorted(self.edges, observed)
        bucket = np.searchsorted(self.edges, observed, side="right") - 1
        return np.minimum(np.maximum(bucket, 0), len(self.count) - 1)

    def polynomials(self, observed: Array, bucket: NDArray[np.intp]) -> Array:
        """Chebyshev polynomials of observed values in their buckets, one row per degree, (most moments, n_rows)."""
        most = int(self.count.max())
        if most == 1:
            return np.ones((1, len(observed)))
        return chebyshev.polynomials((observed - self.middle[bucket]) * self.inverse_half[bucket], most)

    def moments_of(self, observed: Array, weights: Array) -> Array:
        """Chebyshev moments of the weights of some rows, (n_nodes,), bucket by bucket."""
        moments = self._moments(observed, weights)[1]
        return moments[np.arange(moments.shape[1]) < self.count[:, None]]

    def to_nodes(self, moments: Array) -> Array:
        """Move moments (n_nodes, n_columns), bucket by bucket, to the nodes."""
        if not self.interpolates:
            return moments
        if self._compiled:
            from ice_explorer.metrics.decay_sums_numba import to_nodes

            return np.asarray(to_nodes(moments, self.first, self.count, _TO_NODES))
        masses = np.empty_like(moments)
        for n in np.unique(self.count[self.count > 0]):
            at = self.first[self.count == n, None] + np.arange(n)
            masses[at] = chebyshev.to_nodes(n).T @ moments[at]
        return masses

    def _moments(self, observed: Array, weights: Array | None) -> tuple[NDArray[np.int64], Array]:
        """Rows (n_buckets,) and moments of the weights (n_buckets, most moments); none of these without weights."""
        n_buckets, most = len(self.count), int(self.count.max()) if weights is not None else 0
        if self._compiled:
            from ice_explorer.metrics.decay_sums_numba import add_weights

            n_rows, moments = np.zeros(n_buckets, np.int64), np.zeros((n_buckets, most))
            add_weights(observed, observed if weights is None else weights, self.arrays, n_rows, moments)
            return n_rows, moments
        bucket = self.find(observed)
        n_rows = np.bincount(bucket, minlength=n_buckets)
        if weights is None:
            return n_rows, np.empty((n_buckets, 0))
        degrees = self.polynomials(observed, bucket)
        moments = np.empty((n_buckets, most))
        for at, degree in enumerate(degrees):
            moments[:, at] = np.bincount(bucket, weights * degree, minlength=n_buckets)
        return n_rows, moments


def hints_of(edges: Array) -> tuple[NDArray[np.int64], float, float]:
    """Prepare a quick look-up among lower edges, a few even cells for each.

    - returns `hints` (n_cells + 1,): a value in cell c lies in one of the buckets hints[c] … hints[c + 1].
    - returns `origin`, `per_width`: a value lies in cell (value - origin) · per_width, cut to a whole number.
    """
    n_cells = 4 * len(edges)
    extent = float(edges[-1]) - float(edges[0])
    per_width = n_cells / extent if n_cells * np.finfo(float).tiny < extent < np.inf else 0.0
    # The cell of an edge comes from the formula of the values, so that rounding puts none before it.
    cells = np.minimum((edges - edges[0]) * per_width, n_cells - 1.0).astype(np.intp)
    hints = np.zeros(n_cells + 1, np.int64)  # edges in the cells before, less one
    np.cumsum(np.bincount(cells, minlength=n_cells), out=hints[1:])
    hints -= hints > 0
    return hints, float(edges[0]), per_width


def _buckets(lowest: float, highest: float, breaks: Array, scale: float, most: int) -> tuple[Array, NDArray[np.int64]]:
    """Cut [lowest, highest] at the breaks, and evenly where that leaves too much.

    Returns the edges and how many moments each bucket needs. Where that takes more than `most` buckets they
    are left as they are, each in need of all there could be.
    """
    inner = breaks[(breaks > lowest) & (breaks < highest)]
    edges = np.concatenate([[lowest], inner, [highest]])
    widths = edges[1:] - edges[:-1]
    widest = 2.0 * scale * _WIDEST_HALF[-1]
    pieces = np.maximum(np.ceil(widths / widest), 1.0)
    if not pieces.sum() <= most:
        return edges, np.full(len(widths), most, np.int64)
    pieces = pieces.astype(np.intp)
    step = widths / pieces
    count = np.searchsorted(_WIDEST_HALF[:-1], step / (2.0 * scale)).astype(np.int64) + 1
    if len(pieces) < pieces.sum():
        at = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        edges = np.append(np.repeat(edges[:-1], pieces) + at * np.repeat(step, pieces), highest)
        count = np.repeat(count, pieces)
    return edges, count


def _distinct_if_few(values: Array, most: int) -> Array | None:
    """Distinct values, increasing; None where there are more than `most`."""
    # Where values are all different a few tell, and the others need no sorting.
    if len(values) > 2 * most and len(distinct_of(np.sort(values[: 2 * most]))) > most:
        return None
    distinct = distinct_of(np.sort(values))
    return distinct if len(distinct) <= most else None
