r"""Likelihood-weighted sums for every decay at once.

In-distribution impact is a ratio of two sums over phantom observations, each weighted by
:math:`\lambda^{d}` with d the distance of the phantom from the observation it was made from, in
likelihood scales (Eqs 2 and 3 of Yeh & Ngo 2021, arXiv:2109.02724). Written with
:math:`a = -\ln\lambda` both are Laplace transforms of a mass spread over distances,

.. math:: F(a) = \sum_j m_j e^{-a d_j},

so what must be kept for *every* later decay is how the mass is spread over d, not the phantoms.
`DecaySums` keeps, for each of a few dozen cells of distance, the first Chebyshev moments of the
mass in it. The cells grow with the distance, as the exponential gets negligible there, so that
each F(a) comes out to about 1e-14 of what the mass would weigh if it all lay at the nearest
distance, for any decay, from memory that depends neither on the number of observations nor on the
size of the grid. Sums of blocks of rows add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer import chebyshev, pairs
from ice_explorer.likelihood import distances
from ice_explorer.own_values import MOST_MOMENTS, OwnValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS = 1 << 22
"""Own values × intervals kept while the rows of one feature are added: 32 MB at most."""

# Distances are measured from the smallest one (the ratio of two sums does not change), so mass
# lies at 0 and whatever is beyond a·d = 40 does not count. The first cell ends where e^{-ad} has
# not moved far for any decay, and begins as far on the other side, where masses that stand for pairs
# may lie; beyond, four cells of one width share an octave, so that the cell of a distance is read off
# the leading bits of the number. In the widest counting cell e^{-ad} varies
# by e^{-10}: 20 moments represent it to 1e-10 there, where it is 4e-18 of the mass at 0, and to
# rounding error nearer by.
_FIRST_CELL = pairs.LEAF
_BITS_BELOW = 50  # of the 52 of a mantissa, two tell the quarter of an octave
_BEFORE_FIRST = (int(np.float64(_FIRST_CELL).view(np.int64)) >> _BITS_BELOW) - 1
_N_MOMENTS = 20
_CHUNK = 1 << 12  # masses worked on at a time, so that their moments (20 doubles each) stay in the cache
_MOST_MASSES = 1 << 16  # masses laid out at a time: 3 MB
_ROWS_AT_A_TIME = 2048

_FEW_NODES = 64
_MOST_LAID_OUT = 1 << 17  # own values × grid values; beyond, sums over boxes of both are quicker


def _cell_of(distance: NDArray[np.float64]) -> NDArray[np.int64]:
    """Cell of each distance; infinite ones lie in very late cells."""
    cell: NDArray[np.int64] = (distance.view(np.int64) >> _BITS_BELOW) - _BEFORE_FIRST
    return np.maximum(cell, 0, out=cell)


class DecaySums:
    """Sums of channels of mass under e^{-a·distance}, for any a.

    Few masses are kept as they are; many become the moments of their cells.

    Parameters
    ----------
    n_channels : int
        Number of masses that share each distance.
    nearest, farthest : float
        Bounds of the distances that will be added. Distances are kept relative to `nearest`.
    compiled : bool
        Whether masses that are laid out are added by the compiled kernel.
    """

    def __init__(self, n_channels: int, nearest: float, farthest: float, *, compiled: bool = False) -> None:
        self._compiled = compiled
        self.nearest = nearest
        extent = max(farthest - nearest, _FIRST_CELL)
        if extent < pairs.FARTHEST:
            extent *= pairs.REACH
        n_cells = int(_cell_of(np.array([extent]))[0]) + 1
        starts = (np.arange(_BEFORE_FIRST, _BEFORE_FIRST + n_cells + 1, dtype=np.int64) << _BITS_BELOW).view(np.float64)
        starts[0] = -_FIRST_CELL
        self._half, self._middle = np.diff(starts) / 2, (starts[:-1] + starts[1:]) / 2
        self._inverse_half = 1.0 / self._half
        self._atoms: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._n_atoms = 0
        self._moments: NDArray[np.float64] | None = None
        self._n_channels = n_channels

    @property
    def _most_atoms(self) -> int:
        return len(self._middle) * _N_MOMENTS

    def add(self, distances: NDArray[np.float64], masses: NDArray[np.float64]) -> None:
        """Add masses at distances.

        Parameters
        ----------
        distances : ndarray of shape (n_masses,)
            In likelihood scales; infinite ones carry no likelihood and are left out.
        masses : ndarray of shape (n_masses, n_channels)
        """
        self.add_beyond(distances - self.nearest, masses)

    def add_beyond(self, relative: NDArray[np.float64], masses: NDArray[np.float64]) -> None:
        """Add masses at distances beyond `nearest`, negative ones of the first cell among them."""
        if self._moments is None:
            self._n_atoms += len(relative)
            self._atoms.append((relative, masses))
            if self._n_atoms > self._most_atoms:
                self._start_moments()
            return
        self._add_relative(self._moments, relative, masses)

    def add_laid_out(
        self,
        ends: NDArray[np.float64],
        own: tuple[NDArray[np.float64], NDArray[np.float64]],
        masses: NDArray[np.float64] | None,
        weights: NDArray[np.float64] | None,
        u: NDArray[np.float64],
    ) -> None:
        """Add masses[node, end] · u[end] and weights[node] · u[end] at the distance of node and end, for all of both.

        Parameters
        ----------
        ends : ndarray of shape (n_ends,)
            Increasing.
        own : tuple of two ndarrays of shape (n_nodes,)
            Nodes and their likelihood scales.
        masses : ndarray of shape (n_nodes, at least n_ends) or None
            For the first channels.
        weights : ndarray of shape (n_nodes,) or None
            For the last channels.
        u : ndarray of shape (n_ends, n_u)
            No more than there are channels; half as many where both masses and weights come.
        """
        nodes, scales = own
        if self._compiled and len(nodes) * len(ends) > self._most_atoms:
            from ice_explorer.decay_numba import add_laid_out

            add_laid_out(
                ends, nodes, scales, np.empty((0, 0)) if masses is None else np.ascontiguousarray(masses),
                np.empty(0) if weights is None else weights, u, self.nearest,
                self._middle, self._inverse_half, _BEFORE_FIRST, self._start_moments(),
            )  # fmt: skip
            return
        step = max(1, _MOST_MASSES // len(ends))
        n_u = u.shape[1]
        for start in range(0, len(nodes), step):
            some = slice(start, start + step)
            scaled = distances(ends, nodes[some], scales[some])
            channels = np.zeros((self._n_channels, *scaled.shape))
            for at, share in enumerate(u.T):
                if masses is not None:
                    np.multiply(masses[some, : len(ends)], share, out=channels[at])
                if weights is not None:
                    np.multiply(weights[some, None], share, out=channels[at - n_u])
            self.add(scaled.ravel(), channels.reshape(self._n_channels, -1).T)

    def _start_moments(self) -> NDArray[np.float64]:
        """Turn the masses kept so far, if any, into moments."""
        if self._moments is None:
            self._moments = np.zeros((len(self._middle), self._n_channels, _N_MOMENTS))
            kept, self._atoms = self._atoms, []
            for relative, masses in kept:
                self._add_relative(self._moments, relative, masses)
        return self._moments

    def _add_relative(
        self, moments: NDArray[np.float64], distances: NDArray[np.float64], masses: NDArray[np.float64]
    ) -> None:
        cells = _cell_of(distances)
        np.minimum(cells, len(moments) - 1, out=cells, where=distances < np.inf)
        order = np.argsort(cells.astype(np.uint16), kind="stable")
        cells = cells[order]
        bounds = np.searchsorted(cells, np.arange(len(moments) + 1))
        for begin in range(0, bounds[-1], _CHUNK):  # infinite distances sort last and are left out
            end = min(begin + _CHUNK, bounds[-1])
            chunk, at = order[begin:end], cells[begin:end]
            position = (distances[chunk] - self._middle[at]) * self._inverse_half[at]
            degrees, of_chunk = chebyshev.polynomials(position, _N_MOMENTS).T, masses.T[:, chunk]
            for cell in range(at[0], at[-1] + 1):
                held = slice(max(bounds[cell] - begin, 0), max(bounds[cell + 1] - begin, 0))
                moments[cell] += of_chunk[:, held] @ degrees[held]

    def finish(self) -> None:
        """Write the masses of each cell at the Chebyshev nodes of the cell, where they sum alike."""
        if self._moments is None:
            if not self._atoms:
                self._atoms = [(np.empty(0), np.empty((0, self._n_channels)))]
            distances = np.concatenate([distances for distances, _ in self._atoms])
            masses = np.concatenate([masses for _, masses in self._atoms])
            finite = np.isfinite(distances)
            self._atoms = [(distances[finite], masses[finite])]
            return
        held = np.flatnonzero(self._moments.any(axis=(1, 2)))
        distances = self._middle[held, None] + self._half[held, None] * chebyshev.nodes(_N_MOMENTS)
        masses = np.swapaxes(self._moments[held] @ chebyshev.to_nodes(_N_MOMENTS), 1, 2)
        self._atoms = [(distances.ravel(), masses.reshape(-1, self._n_channels))]
        self._moments = None

    def atoms(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return distances beyond `nearest` (n,), and masses (n, n_channels) that stand for all that were added."""
        return self._atoms[0]


class LikelihoodSums:
    """Likelihood-weighted sums of steepness for every way to weigh intervals, and any decay.

    For each weighting u: Σ w_i u_k L_ik |S_ik| and Σ w_i u_k L_ik. The second needs no model.

    Parameters
    ----------
    grid : ndarray of shape (n_grid,)
    active : ndarray of shape (n_active,)
        Intervals in which a curve can change; steepness comes for these alone.
    u : dict of str to ndarray of shape (n_grid - 1,)
        Interval weights by name; all NaN where a weighting has nothing to stand on. Besides them
        the sums carry "first": the first interval with the likelihood of the first grid value.
    rows : tuple of three ndarrays of shape (n_rows,)
        Own values, none missing, likelihood scales and frequency weights of all rows that will be
        added.
    compiled : bool
        Whether the compiled kernels are used where there is much to add.
    most_cells : int, optional
        How many own values × intervals may be kept while rows are added; beyond, each row is added by
        its distances at once, which takes longer.

    Attributes
    ----------
    own : OwnValues or None
        Where steepness is kept by own value: how own values are divided.
    by_bucket : ndarray of shape (n_nodes, at least n_active) or None
        Chebyshev moments of the weighted steepness of each bucket of `own`; further columns are 0.
    """

    def __init__(
        self,
        grid: NDArray[np.float64],
        active: NDArray[np.intp],
        u: dict[str, NDArray[np.float64]],
        rows: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        *,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        observed, scales, weights = rows
        self.own: OwnValues | None = None
        self.by_bucket: NDArray[np.float64] | None = None
        self._on_grid: OwnValues | None = None
        self._n_active = len(active)
        nodes = observed
        if scales.min() == scales.max():
            self._scale = scale = float(scales[0])
            self._on_grid = OwnValues(observed, weights, grid, scale, compiled=compiled)
            own = self._for_steepness(self._on_grid, grid, active, rows, compiled=compiled)
            n_columns = -(-len(active) // 8) * 8 if compiled else len(active)  # whole vectors
            if len(own.nodes) * n_columns <= (MOST_CELLS if most_cells is None else most_cells):
                self.own = own
                self.by_bucket = np.zeros((len(own.nodes), n_columns))
                nodes = self._on_grid.nodes if own is self._on_grid else np.append(self._on_grid.nodes, own.nodes)
            else:
                nodes = np.append(observed, self._on_grid.nodes)
            scales = np.full(len(nodes), scale)
        self._groups = [
            _Group(names, ends, intervals, active, _distance_bounds(ends, nodes, scales), compiled=compiled)
            for names, ends, intervals in _grouped(grid, u)
        ]
        on_grid = self._on_grid
        if on_grid is None:
            for group in self._groups:
                group.add(None, weights, observed, scales)
                group.forget_likelihoods()
        elif on_grid is not self.own:
            for group in self._groups:
                group.add(None, on_grid.masses, on_grid.nodes, np.full(len(on_grid.nodes), self._scale))
                group.forget_likelihoods()
            self._on_grid = None

    @staticmethod
    def _for_steepness(
        on_grid: OwnValues,
        grid: NDArray[np.float64],
        active: NDArray[np.intp],
        rows: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        *,
        compiled: bool,
    ) -> OwnValues:
        """Divide own values where distances to active intervals change sides, if that leaves fewer nodes."""
        few = MOST_MOMENTS * (len(active) + 2)
        if len(active) == len(grid) - 1 or not (on_grid.interpolates or len(on_grid.nodes) > few):
            return on_grid
        observed, scales, weights = rows
        breaks = np.concatenate([grid[:1], grid[active + 1]])
        own = OwnValues(observed, weights, breaks, float(scales[0]), compiled=compiled)
        return own if own.interpolates else on_grid

    def group(self, name: str) -> _Group:
        """Return the sums that carry a weighting."""
        return next(group for group in self._groups if name in group.names)

    def add(
        self,
        steepness: NDArray[np.float64],
        weights: NDArray[np.float64],
        observed: NDArray[np.float64],
        likelihood_scale: NDArray[np.float64],
    ) -> None:
        """Add rows: their |S| (n_rows, n_active), weights, own values and likelihood scales."""
        weighted = steepness * weights[:, None]
        if self.own is None or self.by_bucket is None:
            for group in self._groups:
                group.add(weighted, None, observed, likelihood_scale)
            return
        own, bucket = self.own, self.own.find(observed)
        order = np.argsort(bucket, kind="stable")
        present, starts = np.unique(bucket[order], return_index=True)
        weighted = weighted[order]
        by_bucket = self.by_bucket[:, : self._n_active]
        if not own.interpolates:
            by_bucket[present] += np.add.reduceat(weighted, starts, axis=0)
            return
        degrees = own.polynomials(observed[order], bucket[order])
        for of_rows, start, stop in zip(present, starts, np.append(starts[1:], len(order)), strict=True):
            first, count = own.first[of_rows], own.count[of_rows]
            by_bucket[first : first + count] += degrees[:count, start:stop] @ weighted[start:stop]

    def add_parallel(
        self,
        steepness: NDArray[np.float64],
        weights: NDArray[np.float64],
        observed: NDArray[np.float64],
        likelihood_scale: NDArray[np.float64],
    ) -> None:
        """Add rows that share |S|, (n_active,)."""
        if self.own is not None and self.by_bucket is not None:
            by_bucket = self.by_bucket[:, : self._n_active]
            by_bucket += self.own.moments_of(observed, weights)[:, None] * steepness
            return
        for start in range(0, len(weights), _ROWS_AT_A_TIME):
            some = slice(start, start + _ROWS_AT_A_TIME)
            everywhere = np.broadcast_to(steepness, (len(weights[some]), self._n_active))
            self.add(everywhere, weights[some], observed[some], likelihood_scale[some])

    def finish(self) -> None:
        """Move what is kept by own value into the sums over distance."""
        steepness, own, on_grid = None, self.own, self._on_grid
        if own is not None and self.by_bucket is not None:
            steepness = own.to_nodes(self.by_bucket)
        for group in self._groups:
            if own is not None:
                together = own.masses if own is on_grid else None
                group.add(steepness, together, own.nodes, np.full(len(own.nodes), self._scale))
                group.forget_likelihoods()
            group.sums.finish()
        self.own = self.by_bucket = self._on_grid = None


def _grouped(
    grid: NDArray[np.float64], u: dict[str, NDArray[np.float64]]
) -> list[tuple[dict[str, NDArray[np.float64]], NDArray[np.float64], NDArray[np.intp]]]:
    """Group the weightings by the intervals they need, so that none underflows for another's sake."""
    everything = np.arange(len(grid) - 1)
    everywhere = {name: weights for name, weights in u.items() if np.all(weights > 0)}
    groups = [(everywhere, grid[1:], everything)]
    for name, weights in u.items():
        if name not in everywhere and not np.isnan(weights).any():
            held = np.flatnonzero(weights)
            groups.append(({name: weights[held]}, grid[1:][held], held))
    groups.append(({"first": np.ones(1)}, grid[:1], everything[:1]))
    return groups


class _Group:
    """Sums of the weightings that need the same intervals, by distance from the same ends.

    The first channels of `sums` are w u |S|, the last ones w u.
    """

    def __init__(
        self,
        u: dict[str, NDArray[np.float64]],
        ends: NDArray[np.float64],
        intervals: NDArray[np.intp],
        active: NDArray[np.intp],
        bounds: tuple[float, float],
        *,
        compiled: bool,
    ) -> None:
        self.names = list(u)
        self._ends = ends
        self._u = np.ascontiguousarray(np.array(list(u.values())).T)  # (n_intervals, n_names)
        self._n_active = len(active)
        self._columns = np.flatnonzero(np.isin(active, intervals))
        self._stepping = np.searchsorted(intervals, active[self._columns])
        self.nearest = bounds[0]
        self.sums = DecaySums(2 * len(u), *bounds, compiled=compiled)
        self._compiled = compiled

    def add(
        self,
        steepness: NDArray[np.float64] | None,
        weights: NDArray[np.float64] | None,
        nodes: NDArray[np.float64],
        scales: NDArray[np.float64],
    ) -> None:
        """Add w|S| (n_nodes, at least n_active), and w (n_nodes,) for all intervals alike, at nodes."""
        own = nodes, scales
        if weights is not None and self._are_too_many(nodes, scales):
            self._add_pairs(nodes, weights, float(scales[0]))
            weights = None
        if steepness is not None and not self._columns.size:
            steepness = None
        if steepness is not None:
            columns = steepness if len(self._columns) == self._n_active else steepness[:, self._columns]
            stepping = self._stepping
            together = weights if len(stepping) == len(self._ends) else None
            self.sums.add_laid_out(self._ends[stepping], own, columns, together, self._u[stepping])
            if together is not None:
                return
        if weights is not None:
            self.sums.add_laid_out(self._ends, own, None, weights, self._u)

    def forget_likelihoods(self) -> None:
        """Keep what steepness needs alone: the likelihoods of all rows are added."""
        self._ends, self._u = self._ends[self._stepping], self._u[self._stepping]
        self._stepping = np.arange(len(self._stepping))

    def _are_too_many(self, nodes: NDArray[np.float64], scales: NDArray[np.float64]) -> bool:
        """Whether pairs of nodes and ends are summed without looking at each."""
        extent = float(max(nodes[-1], self._ends[-1])) - float(min(nodes[0], self._ends[0]))
        return (
            len(nodes) * len(self._ends) > _MOST_LAID_OUT
            and bool(scales.min() == scales.max())
            and extent < pairs.FARTHEST * float(scales[0])
        )

    def _add_pairs(self, nodes: NDArray[np.float64], weights: NDArray[np.float64], scale: float) -> None:
        """Add w u at the distances of nodes, increasing and of one scale, and ends."""
        middle = nodes[len(nodes) // 2]  # distances near by lose nothing where values have an offset
        own, others = ((nodes - middle) / scale, weights), ((self._ends - middle) / scale, self._u)
        relative, masses = pairs.by_distance(own, others, self.nearest, compiled=self._compiled)
        self.sums.add_beyond(relative, np.concatenate([np.zeros_like(masses), masses], axis=1))

    def totals(self, name: str, exponents: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum one weighting for some decays.

        Parameters
        ----------
        name : str
        exponents : ndarray of shape (n_decays,)
            a = -ln(decay).

        Returns
        -------
        ndarray of shape (3, n_decays)
            Σ w u L |S|, Σ w u L and Σ w u L², relative to `nearest`.
        """
        at = self.names.index(name)
        distances, masses = self.sums.atoms()
        likelihood = np.exp(-exponents[:, None] * distances)
        steepness, once = (likelihood @ masses[:, [at, at + len(self.names)]]).T
        twice = likelihood**2 @ masses[:, at + len(self.names)]
        return np.array([steepness, once, twice])


def _distance_bounds(
    ends: NDArray[np.float64], nodes: NDArray[np.float64], scales: NDArray[np.float64]
) -> tuple[float, float]:
    """Smallest and largest distance, in likelihood scales, of any node from any of the ends."""
    far = np.maximum(np.abs(ends[-1] - nodes), np.abs(ends[0] - nodes))
    farthest = float(np.max(far / scales))
    # On a grid of observed values the first few nodes tell: one is an end itself.
    if _nearest(ends, nodes[:_FEW_NODES], scales[:_FEW_NODES]) == 0:
        return 0.0, farthest
    return _nearest(ends, nodes, scales), farthest


def _nearest(ends: NDArray[np.float64], nodes: NDArray[np.float64], scales: NDArray[np.float64]) -> float:
    """Smallest distance of any node from any of the ends."""
    above = np.minimum(np.searchsorted(ends, nodes), len(ends) - 1)
    below = np.maximum(above - 1, 0)
    return float(np.min(np.minimum(np.abs(ends[above] - nodes), np.abs(ends[below] - nodes)) / scales))
