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
size of the grid. Sums of blocks of rows add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.likelihood import distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS = 1 << 22
"""Own values × intervals kept while the rows of one feature are added: 32 MB at most."""

# Distances are measured from the smallest one (the ratio of two sums does not change), so mass
# lies at 0 and whatever is beyond a·d = 40 does not count. With cells a quarter of an octave wide
# e^{-ad} varies inside a counting cell by at most e^{-7.6}: 20 moments represent it to 1e-12 there,
# where it is 4e-18 of the mass at 0, and to rounding error nearer by.
_FIRST_CELL = 2.0**-12
_CELLS_PER_OCTAVE = 4
_N_MOMENTS = 20
_CHUNK = 1 << 14  # masses worked on at a time, so that their moments (20 doubles each) stay in the cache
_MOST_MASSES = 1 << 16  # masses laid out at a time: 3 MB

# Own values between two breaks, at most a quarter of a likelihood scale apart: e^{-ad} is then
# interpolated at 12 nodes to 1e-15 of its own value for decay 0.01 (a = 4.6), to 1e-11 for 1e-4.
_N_NODES = 12
_BUCKET_WIDTH = 0.25
_MOST_LAID_OUT = 1 << 18  # own values × grid values; beyond, one pass along the axis is quicker
_NEAR = 0.5  # likelihood scales; a grid farther than that from all rows is summed by distance
_SEGMENT = 40.0
_MOST_EXPONENT = 700.0  # e^-700 is the last that is not 0


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
        extent = max(farthest - nearest, 0.0)
        octaves = max(0.0, np.log2(max(extent, _FIRST_CELL) / _FIRST_CELL))
        n_growing = int(np.ceil(octaves * _CELLS_PER_OCTAVE)) + 1
        self._edges = np.concatenate([[0.0], _FIRST_CELL * 2.0 ** (np.arange(n_growing + 1) / _CELLS_PER_OCTAVE)])
        self._atoms: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._n_atoms = 0
        self._moments: NDArray[np.float64] | None = None
        self._n_channels = n_channels

    def add(self, distances: NDArray[np.float64], masses: NDArray[np.float64]) -> None:
        """Add masses at distances.

        Parameters
        ----------
        distances : ndarray of shape (n_masses,)
            In likelihood scales; infinite ones carry no likelihood and are left out.
        masses : ndarray of shape (n_masses, n_channels)
        """
        relative = distances - self.nearest
        if self._moments is None:
            self._n_atoms += len(relative)
            self._atoms.append((relative, masses))
            if self._n_atoms <= (len(self._edges) - 1) * _N_MOMENTS:
                return
            self._start_moments()
            return
        for start in range(0, len(relative), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            self._add_chunk(self._moments, relative[chunk], masses[chunk])

    def add_laid_out(
        self,
        ends: NDArray[np.float64],
        own: tuple[NDArray[np.float64], NDArray[np.float64]],
        masses: NDArray[np.float64],
        u: NDArray[np.float64],
    ) -> None:
        """Add masses[node, end] · u[end] at the distance of node and end, for all of both.

        Parameters
        ----------
        ends : ndarray of shape (n_ends,)
            Increasing.
        own : tuple of two ndarrays of shape (n_nodes,)
            Nodes and their likelihood scales.
        masses : ndarray of shape (n_nodes, n_ends) or (n_nodes, 1)
            One column stands for all ends.
        u : ndarray of shape (n_ends, n_channels)
        """
        nodes, scales = own
        n_masses = len(nodes) * len(ends)
        if self._compiled and n_masses > (len(self._edges) - 1) * _N_MOMENTS:
            from ice_explorer.decay_numba import add_laid_out

            self._start_moments()
            add_laid_out(ends, nodes, scales, np.ascontiguousarray(masses), u, self.nearest, self._edges, self._moments)
            return
        step = max(1, _MOST_MASSES // len(ends))
        for start in range(0, len(nodes), step):
            some = slice(start, start + step)
            scaled = distances(ends, nodes[some], scales[some])
            self.add(scaled.ravel(), (masses[some, :, None] * u).reshape(-1, u.shape[1]))

    def _start_moments(self) -> NDArray[np.float64]:
        """Turn the masses kept so far, if any, into moments."""
        if self._moments is None:
            self._moments = np.zeros((len(self._edges) - 1, _N_MOMENTS, self._n_channels))
            kept, self._atoms = self._atoms, []
            for distances_, masses in kept:
                for start in range(0, len(distances_), _CHUNK):
                    chunk = slice(start, start + _CHUNK)
                    self._add_chunk(self._moments, distances_[chunk], masses[chunk])
        return self._moments

    def _add_chunk(
        self, moments: NDArray[np.float64], distances: NDArray[np.float64], masses: NDArray[np.float64]
    ) -> None:
        last = len(self._edges) - 2
        cells = np.searchsorted(self._edges, distances, side="right") - 1
        np.clip(cells, 0, last, out=cells)
        cells[~np.isfinite(distances)] = last + 1
        order = np.argsort(cells.astype(np.uint16), kind="stable")
        bounds = np.searchsorted(cells[order], np.arange(last + 2))
        order = order[: bounds[-1]]  # infinite distances sort last and are dropped
        cells, distances, masses = cells[order], distances[order], masses[order]
        low, high = self._edges[cells], self._edges[cells + 1]
        polynomials = _chebyshev((2.0 * distances - low - high) / (high - low), _N_MOMENTS)
        for cell in range(last + 1):
            start, stop = bounds[cell], bounds[cell + 1]
            if start < stop:
                moments[cell] += polynomials[:, start:stop] @ masses[start:stop]

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
        low, high = self._edges[held, None], self._edges[held + 1, None]
        distances = (low + high) / 2 + (high - low) / 2 * _chebyshev_nodes(_N_MOMENTS)
        masses = np.einsum("dn,cdh->cnh", _to_nodes(_N_MOMENTS), self._moments[held])
        self._atoms = [(distances.ravel(), masses.reshape(-1, self._n_channels))]
        self._moments = None

    def atoms(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return distances (n,) beyond `nearest`, and masses (n, n_channels) that stand for all that were added."""
        return self._atoms[0]


def _chebyshev_nodes(n_nodes: int) -> NDArray[np.float64]:
    """Nodes on [-1, 1], increasing."""
    return -np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)


def _to_nodes(n_nodes: int) -> NDArray[np.float64]:
    """Weights of the nodes from moments: row per degree, column per node.

    A polynomial of a degree below `n_nodes` has the same sum over masses and over their nodes.
    """
    matrix = np.cos(np.arange(n_nodes)[:, None] * np.arccos(_chebyshev_nodes(n_nodes))) * (2.0 / n_nodes)
    matrix[0] *= 0.5
    return np.asarray(matrix)


def _chebyshev(position: NDArray[np.float64], n_degrees: int) -> NDArray[np.float64]:
    """Chebyshev polynomials of degree 0 … n_degrees - 1, one row each."""
    polynomials = np.empty((n_degrees, len(position)))
    polynomials[0] = 1.0
    polynomials[1] = position
    twice = 2.0 * position
    for degree in range(2, n_degrees):
        np.multiply(twice, polynomials[degree - 1], out=polynomials[degree])
        polynomials[degree] -= polynomials[degree - 2]
    return polynomials


class OwnValues:
    """Own values of all rows, written as combinations of few values: the nodes.

    For phantoms on one side of it, the likelihood is a smooth function of the own value. Between two
    neighbouring `breaks` it is therefore the combination of its values at a few Chebyshev nodes
    (Lagrange interpolation: to rounding error for any decay of the slider, to 1e-9 down to 1e-4), so
    that steepness can be added up by node instead of kept by row. Where the rows hold few distinct
    values those are the nodes, and nothing is interpolated.

    Parameters
    ----------
    distinct : ndarray
        Increasing: the own values that will come.
    breaks : ndarray
        Increasing values at which distances change sides.
    scale : float
        Likelihood scale, the same for all rows.
    """

    def __init__(self, distinct: NDArray[np.float64], breaks: NDArray[np.float64], scale: float) -> None:
        edges = _bucket_edges(distinct[0], distinct[-1], breaks, _BUCKET_WIDTH * scale, len(distinct) // _N_NODES)
        if edges is None:
            self.nodes, self.n_weights, self._edges = distinct, 1, None
            return
        half, middle = np.diff(edges) / 2, (edges[:-1] + edges[1:]) / 2
        self.nodes = (middle[:, None] + half[:, None] * _chebyshev_nodes(_N_NODES)).ravel()
        self.n_weights = _N_NODES
        self._edges = edges

    def locate(self, observed: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Write own values as combinations of nodes.

        Returns
        -------
        first : ndarray of shape (n_rows,)
            Position of the first node of each row; the others follow it.
        weights : ndarray of shape (n_rows, n_weights)
            They sum to 1.
        """
        if self._edges is None:
            return np.searchsorted(self.nodes, observed), np.ones((len(observed), 1))
        bucket = np.clip(np.searchsorted(self._edges, observed, side="right") - 1, 0, len(self._edges) - 2)
        low, high = self._edges[bucket], self._edges[bucket + 1]
        position = (2.0 * observed - low - high) / (high - low)
        return bucket * _N_NODES, _chebyshev(position, _N_NODES).T @ _to_nodes(_N_NODES)


def _bucket_edges(
    lowest: float, highest: float, breaks: NDArray[np.float64], width: float, most: int
) -> NDArray[np.float64] | None:
    """Cut [lowest, highest] at the breaks, and evenly where that leaves more than `width`.

    None where that takes more than `most` buckets.
    """
    inner = breaks[(breaks > lowest) & (breaks < highest)]
    edges = np.concatenate([[lowest], inner, [highest]])
    pieces = np.maximum(np.ceil(np.diff(edges) / width), 1.0)
    if not pieces.sum() <= most:
        return None
    pieces = pieces.astype(np.int64)
    step = np.repeat(np.diff(edges) / pieces, pieces)
    count = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return np.append(np.repeat(edges[:-1], pieces) + count * step, highest)


class LikelihoodSums:
    """Likelihood-weighted sums of steepness for every way to weigh intervals, and any decay.

    For each weighting u: Σ w_i u_k L_ik |S_ik| and Σ w_i u_k L_ik. The second needs no model; it is made
    when the sums are finished.

    Parameters
    ----------
    grid : ndarray of shape (n_grid,)
    active : ndarray of shape (n_active,)
        Intervals in which a curve can change; steepness comes for these alone.
    u : dict of str to ndarray of shape (n_grid - 1,)
        Interval weights by name; all NaN where a weighting has nothing to stand on. Besides them
        the sums carry "first": the first interval with the likelihood of the first grid value.
    observed, likelihood_scale, weights : ndarray of shape (n_rows,)
        Own values, none missing, likelihood scales and frequency weights of all rows that will be
        added.
    compiled : bool
        Whether the compiled kernel is used where there is much to add.
    most_cells : int, optional
        How many own values × intervals may be kept while rows are added; beyond, each row is added by
        its distances at once, which takes longer.
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
        self._observed, self._scales, self._weights = rows
        self.own: OwnValues | None = None
        self.by_node: NDArray[np.float64] | None = None
        self._on_grid: OwnValues | None = None
        nodes, scales = self._observed, self._scales
        if scales.min() == scales.max():
            distinct = np.unique(self._observed)
            self._on_grid = own = OwnValues(distinct, grid, float(scales[0]))
            if len(active) < len(grid) - 1 and own.n_weights > 1:
                own = OwnValues(distinct, np.concatenate([grid[:1], grid[active + 1]]), float(scales[0]))
            if len(own.nodes) * len(active) <= (MOST_CELLS if most_cells is None else most_cells):
                self.own = own
                self.by_node = np.zeros((len(own.nodes), len(active)))
            # Nodes may lie nearer to an end than any row does.
            nodes = distinct if own.n_weights == 1 else np.concatenate([distinct, own.nodes, self._on_grid.nodes])
            scales = np.full(len(nodes), scales[0])
        self._groups = [
            _Group(names, ends, intervals, active, _distance_bounds(ends, nodes, scales), compiled=compiled)
            for names, ends, intervals in _grouped(grid, u)
        ]

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
        if self.own is None or self.by_node is None:
            for group in self._groups:
                group.add_steepness(weighted, observed, likelihood_scale)
            return
        first, shares = self.own.locate(observed)
        order = np.argsort(first, kind="stable")
        present, starts = np.unique(first[order], return_index=True)
        weighted = weighted[order]
        for at in range(self.own.n_weights):
            share = shares[order, at][:, None]
            self.by_node[present + at] += np.add.reduceat(weighted * share, starts, axis=0)

    def finish(self) -> None:
        """Move what is kept by node into the sums over distance, and let go of the rows."""
        observed, scales, weights = self._observed, self._scales, self._weights
        if self.own is not None and self.by_node is not None:
            for group in self._groups:
                group.add_steepness(self.by_node, self.own.nodes, np.full(len(self.own.nodes), scales[0]))
        if self._on_grid is not None:
            own = self._on_grid
            first, shares = own.locate(observed)
            by_node = np.zeros(len(own.nodes))
            for at in range(own.n_weights):
                by_node += np.bincount(first + at, weights * shares[:, at], minlength=len(by_node))
            observed, scales, weights = own.nodes, np.full(len(own.nodes), scales[0]), by_node
        for group in self._groups:
            group.add_likelihood(weights, observed, scales)
            group.steepness.finish()
        self.own = self.by_node = self._on_grid = None
        self._observed = self._scales = self._weights = np.empty(0)


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
    """Sums of the weightings that need the same intervals, by distance from the same ends."""

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
        self._columns = np.flatnonzero(np.isin(active, intervals))
        self._stepping = np.searchsorted(intervals, active[self._columns])
        self.nearest = bounds[0]
        self.steepness = DecaySums(len(u), *bounds, compiled=compiled)
        self._likelihood = DecaySums(len(u), *bounds, compiled=compiled)
        self._scan: _Scan | None = None

    def add_steepness(
        self, weighted: NDArray[np.float64], nodes: NDArray[np.float64], scales: NDArray[np.float64]
    ) -> None:
        """Add w|S| (n_nodes, n_active) at nodes."""
        if self._columns.size:
            columns = weighted if len(self._columns) == weighted.shape[1] else weighted[:, self._columns]
            stepping = self._stepping
            self.steepness.add_laid_out(self._ends[stepping], (nodes, scales), columns, self._u[stepping])

    def add_likelihood(
        self, weights: NDArray[np.float64], nodes: NDArray[np.float64], scales: NDArray[np.float64]
    ) -> None:
        """Add w (n_nodes,) at nodes, for all intervals alike."""
        if len(nodes) * len(self._ends) > _MOST_LAID_OUT and scales.min() == scales.max() and self.nearest < _NEAR:
            self._scan = _Scan(self._ends / scales[0], self._u, nodes / scales[0], weights, self.nearest)
            return
        self._likelihood.add_laid_out(self._ends, (nodes, scales), weights[:, None], self._u)
        self._likelihood.finish()

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
        distances, masses = self.steepness.atoms()
        steepness = np.exp(-exponents[:, None] * distances) @ masses[:, at]
        if self._scan is not None:
            once = np.array([self._scan.total(exponent)[at] for exponent in exponents])
            twice = np.array([self._scan.total(2.0 * exponent)[at] for exponent in exponents])
            return np.array([steepness, once, twice])
        distances, masses = self._likelihood.atoms()
        likelihood = np.exp(-exponents[:, None] * distances)
        return np.array([steepness, likelihood @ masses[:, at], likelihood**2 @ masses[:, at]])


class _Scan:
    """Σ_i w_i Σ_k u_k e^{-a|v_k - x_i|}, values in likelihood scales, by one pass along the axis for each a.

    The likelihood of all that lies to the right of a value is that of what lies between it and any
    later value, plus what lies to the right of that, shrunk by their distance. So sums along the axis
    replace the double sum; they restart every few dozen exponents, so that nothing overflows.
    """

    def __init__(
        self,
        ends: NDArray[np.float64],
        u: NDArray[np.float64],
        nodes: NDArray[np.float64],
        weights: NDArray[np.float64],
        nearest: float,
    ) -> None:
        self._ends, self._u = ends, u
        self._nodes, self._weights = nodes, weights
        self._nearest = nearest

    def total(self, exponent: float) -> NDArray[np.float64]:
        """Σ w u L of every weighting, relative to `nearest`."""
        ends, nodes = exponent * self._ends, exponent * self._nodes
        right = _sums_to_the_right(ends, self._u, nodes, "left")
        left = _sums_to_the_right(-ends[::-1], self._u[::-1], -nodes[::-1], "right")[::-1]
        total: NDArray[np.float64] = self._weights @ (right + left) * np.exp(exponent * self._nearest)
        return total


def _sums_to_the_right(
    ends: NDArray[np.float64], u: NDArray[np.float64], nodes: NDArray[np.float64], side: Literal["left", "right"]
) -> NDArray[np.float64]:
    """Σ_k u_k e^{-(end_k - node)} over the ends at or beyond each node; `side` "right" leaves out equal ones."""
    n_ends = len(ends)
    first = np.searchsorted(ends, nodes, side=side)
    segment = np.floor((ends - ends[0]) / _SEGMENT).astype(np.int64)
    origin = ends[0] + segment * _SEGMENT
    local = u * np.exp(origin - ends)[:, None]
    starts = np.flatnonzero(np.diff(segment, prepend=-1))
    # Sums from each end to the last of its segment, then what lies in later segments.
    suffix = np.empty((n_ends + 1, u.shape[1]))
    suffix[n_ends] = 0.0
    beyond = np.zeros(u.shape[1])
    for start, stop in zip(starts[::-1], np.append(starts[1:], n_ends)[::-1], strict=True):
        suffix[start:stop] = np.cumsum(local[start:stop][::-1], axis=0)[::-1]
        if stop < n_ends:
            beyond = suffix[stop] * np.exp(origin[start] - origin[stop])
            suffix[start:stop] += beyond
    at = np.minimum(first, n_ends - 1)
    shrink = np.where(first < n_ends, np.exp(np.minimum(nodes - origin[at], _SEGMENT)), 0.0)
    sums: NDArray[np.float64] = suffix[first] * shrink[:, None]
    return sums


def _distance_bounds(
    ends: NDArray[np.float64], nodes: NDArray[np.float64], scales: NDArray[np.float64]
) -> tuple[float, float]:
    """Smallest and largest distance, in likelihood scales, of any node from any of the ends."""
    above = np.minimum(np.searchsorted(ends, nodes), len(ends) - 1)
    below = np.maximum(above - 1, 0)
    near = np.minimum(np.abs(ends[above] - nodes), np.abs(ends[below] - nodes))
    far = np.maximum(np.abs(ends[-1] - nodes), np.abs(ends[0] - nodes))
    return float(np.min(near / scales)), float(np.max(far / scales))
