r"""Likelihood-weighted sums for every decay at once.

In-distribution impact is a ratio of two sums over phantom observations, each weighted by
:math:`\lambda^{d}` with d the distance of the phantom from the observation it was made from, in
likelihood scales (Eqs 2 and 3 of Yeh & Ngo 2021, arXiv:2109.02724). Written with
:math:`a = -\ln\lambda` both are Laplace transforms of a mass spread over distances,

.. math:: F(a) = \sum_j m_j e^{-a d_j},

so what must be kept for *every* later decay is how the mass is spread over d, not the phantoms.
`DecaySums` keeps, for each of a few hundred cells of distance, the first Chebyshev moments of the
mass in it. The cells grow with the distance, as the exponential gets negligible there, so that
each F(a) comes out to about 1e-14 of what the mass would weigh if it all lay at the nearest
distance, for any decay, from memory that depends neither on the number of observations nor on the
size of the grid. Sums of two blocks of rows merge by
addition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.likelihood import distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Distances are measured from the smallest one (the ratio of two sums does not change), so mass
# lies at 0 and whatever is beyond a·d = 40 does not count. With cells a quarter of an octave wide
# e^{-ad} varies inside a counting cell by at most e^{-7.6}: 20 moments represent it to 1e-12 there,
# where it is 4e-18 of the mass at 0, and to rounding error nearer by.
_FIRST_CELL = 2.0**-12
_CELLS_PER_OCTAVE = 4
_N_MOMENTS = 20
_CHUNK = 1 << 14  # masses worked on at a time, so that their moments (20 doubles each) stay in the cache
_MOST_CELLS_BY_VALUE = 1 << 21  # own values × grid values: 16 MB at most
_MOST_MASSES = 1 << 16  # masses laid out at a time: 3 MB
_MOST_EXPONENT = 700.0  # e^-700 is the last that is not 0


class DecaySums:
    """Sums of channels of mass under e^{-a·distance}, for any a.

    Parameters
    ----------
    n_channels : int
        Number of masses that share each distance.
    nearest, farthest : float
        Bounds of the distances that will be added. Distances are kept relative to `nearest`.
    """

    def __init__(self, n_channels: int, nearest: float, farthest: float) -> None:
        self.nearest = nearest
        extent = max(farthest - nearest, 0.0)
        octaves = max(0.0, np.log2(max(extent, _FIRST_CELL) / _FIRST_CELL))
        n_growing = int(np.ceil(octaves * _CELLS_PER_OCTAVE)) + 1
        self._edges = np.concatenate([[0.0], _FIRST_CELL * 2.0 ** (np.arange(n_growing + 1) / _CELLS_PER_OCTAVE)])
        self._moments = np.zeros((len(self._edges) - 1, _N_MOMENTS, n_channels))

    def add(self, distances: NDArray[np.float64], masses: NDArray[np.float64]) -> None:
        """Add masses at distances.

        Parameters
        ----------
        distances : ndarray of shape (n_masses,)
            In likelihood scales; infinite ones carry no likelihood and are left out.
        masses : ndarray of shape (n_masses, n_channels)
            Non-negative.
        """
        for start in range(0, len(distances), _CHUNK):
            stop = start + _CHUNK
            self._add_chunk(distances[start:stop] - self.nearest, masses[start:stop])

    def _add_chunk(self, distances: NDArray[np.float64], masses: NDArray[np.float64]) -> None:
        last = len(self._edges) - 2
        cells = np.searchsorted(self._edges, distances, side="right") - 1
        np.clip(cells, 0, last, out=cells)
        cells[~np.isfinite(distances)] = last + 1
        order = np.argsort(cells.astype(np.uint16), kind="stable")
        bounds = np.searchsorted(cells[order], np.arange(last + 2))
        order = order[: bounds[-1]]  # infinite distances sort last and are dropped
        cells, distances, masses = cells[order], distances[order], masses[order]
        low, high = self._edges[cells], self._edges[cells + 1]
        position = (2.0 * distances - low - high) / (high - low)
        moments = np.empty((_N_MOMENTS, len(position)))
        moments[0] = 1.0
        moments[1] = position
        position *= 2.0
        for degree in range(2, _N_MOMENTS):
            np.multiply(position, moments[degree - 1], out=moments[degree])
            moments[degree] -= moments[degree - 2]
        for cell in range(last + 1):
            start, stop = bounds[cell], bounds[cell + 1]
            if start < stop:
                self._moments[cell] += moments[:, start:stop] @ masses[start:stop]

    def merge(self, other: DecaySums) -> None:
        """Add the sums of other rows of the same feature; both must have the same bounds."""
        self._moments += other._moments

    def total(self, exponent: float) -> NDArray[np.float64]:
        """Sum every channel under e^{-exponent·(distance - nearest)}.

        Parameters
        ----------
        exponent : float
            a = -ln(decay), at least 0.

        Returns
        -------
        ndarray of shape (n_channels,)
            Relative to `nearest`, so that nothing underflows; multiply by e^{-exponent·nearest}
            for the sums themselves.
        """
        low, high = self._edges[:-1], self._edges[1:]
        counting = exponent * low < _MOST_EXPONENT
        weights = _chebyshev_of_exponential(exponent * (high - low)[counting] / 2.0)
        weights *= np.exp(-exponent * (low + high)[counting] / 2.0)[:, None]
        total: NDArray[np.float64] = np.einsum("cm,cmh->h", weights, self._moments[counting])
        return total


def _chebyshev_of_exponential(half_widths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expand e^{-zt} on [-1, 1] in Chebyshev polynomials, one row per z.

    The coefficients are scaled Bessel functions; interpolation at the Chebyshev nodes gives them
    to rounding error without scipy.
    """
    n_nodes = 2 * _N_MOMENTS
    angles = np.pi * (np.arange(n_nodes) + 0.5) / n_nodes
    samples = np.exp(-half_widths[:, None] * np.cos(angles))
    cosines = np.cos(np.arange(_N_MOMENTS) * angles[:, None])
    coefficients = samples @ cosines * (2.0 / n_nodes)
    coefficients[:, 0] *= 0.5
    return np.asarray(coefficients)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Some intervals of a grid: where L is taken, whose steepness it weighs, and u by weighting."""

    ends: NDArray[np.float64]
    positions: NDArray[np.intp]
    u: dict[str, NDArray[np.float64]]


class LikelihoodSums:
    """Likelihood-weighted sums over some intervals, for some weightings of them.

    Each weighting has two channels: Σ w u L |S| and Σ w u L.
    """

    def __init__(
        self, intervals: Intervals, observed: NDArray[np.float64], likelihood_scale: NDArray[np.float64]
    ) -> None:
        self._ends = intervals.ends
        self._intervals = intervals.positions
        self._names = list(intervals.u)
        self._u = np.array(list(intervals.u.values()))  # (n_weightings, n_intervals)
        nearest, farthest = _distance_bounds(self._ends, observed, likelihood_scale)
        self.nearest = nearest
        self._sums = DecaySums(2 * len(self._names), nearest, farthest)
        # Rows that share their own value share their distances: their steepness is added up first.
        self._own_values, self._by_value = None, None
        distinct = np.unique(observed)
        if likelihood_scale.min() == likelihood_scale.max() and distinct.size * len(self._ends) <= _MOST_CELLS_BY_VALUE:
            self._own_values = distinct
            self._by_value = np.zeros((distinct.size, len(self._ends)))
            self._weight_by_value = np.zeros(distinct.size)
            self._common_scale = float(likelihood_scale[0])

    def carries(self, names: list[str]) -> bool:
        """Whether any of these weightings is among those summed here."""
        return any(name in self._names for name in names)

    def add(
        self,
        steepness: NDArray[np.float64],
        weights: NDArray[np.float64],
        observed: NDArray[np.float64],
        likelihood_scale: NDArray[np.float64],
    ) -> None:
        """Add rows: their |S|, weights, own values and likelihood scales."""
        weighted = steepness[:, self._intervals] * weights[:, None]
        if self._own_values is None or self._by_value is None:
            self._flush(weighted, weights, observed, likelihood_scale)
            return
        position = np.searchsorted(self._own_values, observed)
        order = np.argsort(position, kind="stable")
        present, starts = np.unique(position[order], return_index=True)
        self._by_value[present] += np.add.reduceat(weighted[order], starts, axis=0)
        self._weight_by_value += np.bincount(position, weights=weights, minlength=len(self._own_values))

    def merge(self, other: LikelihoodSums) -> None:
        """Add the sums of other rows, made with the same arguments."""
        self._sums.merge(other._sums)
        if self._by_value is not None and other._by_value is not None:
            self._by_value += other._by_value
            self._weight_by_value += other._weight_by_value

    def finish(self) -> None:
        """Move what is kept by own value into the sums over distance."""
        if self._own_values is not None and self._by_value is not None:
            scale = np.full(len(self._own_values), self._common_scale)
            self._flush(self._by_value, self._weight_by_value, self._own_values, scale)
        self._own_values = self._by_value = None

    def _flush(
        self,
        weighted: NDArray[np.float64],
        weights: NDArray[np.float64],
        observed: NDArray[np.float64],
        likelihood_scale: NDArray[np.float64],
    ) -> None:
        """Hand masses (rows × intervals × channels) to the sums over distance, some rows at a time."""
        n_names = len(self._names)
        step = max(1, _MOST_MASSES // weighted.shape[1])
        for start in range(0, len(weighted), step):
            rows = slice(start, start + step)
            scaled = distances(self._ends, observed[rows], likelihood_scale[rows])
            masses = np.empty((*scaled.shape, 2 * n_names))
            for at, u in enumerate(self._u):
                np.multiply(weighted[rows], u, out=masses[:, :, at])
                np.multiply(weights[rows, None], u, out=masses[:, :, n_names + at])
            self._sums.add(scaled.ravel(), masses.reshape(-1, 2 * n_names))

    def total(self, name: str, exponent: float) -> tuple[float, float]:
        """Σ w u L |S| and Σ w u L of one weighting, relative to `nearest`."""
        at = self._names.index(name)
        channels = self._sums.total(exponent)
        return float(channels[at]), float(channels[len(self._names) + at])


def _distance_bounds(
    ends: NDArray[np.float64], observed: NDArray[np.float64], likelihood_scale: NDArray[np.float64]
) -> tuple[float, float]:
    """Smallest and largest distance, in likelihood scales, of any observation from any of the ends."""
    above = np.minimum(np.searchsorted(ends, observed), len(ends) - 1)
    below = np.maximum(above - 1, 0)
    near = np.minimum(np.abs(ends[above] - observed), np.abs(ends[below] - observed))
    far = np.maximum(np.abs(ends[-1] - observed), np.abs(ends[0] - observed))
    return float(np.min(near / likelihood_scale)), float(np.max(far / likelihood_scale))
