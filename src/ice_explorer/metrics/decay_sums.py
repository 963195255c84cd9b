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

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics import chebyshev, distance_pairs
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.observed_value_nodes import MOST_MOMENTS, ObservedValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MOST_CELLS = 1 << 22
"""Observed values × intervals kept while the rows of one feature are added: 32 MB at most."""

# Distances are measured from the smallest one (the ratio of two sums does not change), so mass
# lies at 0 and whatever is beyond a·d = 40 does not count. The first cell ends where e^{-ad} has
# not moved far for any decay, and begins as far on the other side, where masses that stand for pairs
# may lie; beyond, four cells of one width share an octave, so that the cell of a distance is read off
# the leading bits of the number. In the widest counting cell e^{-ad} varies
# by e^{-10}: 20 moments represent it to 1e-10 there, where it is 4e-18 of the mass at 0, and to
# rounding error nearer by.
_FIRST_CELL = distance_pairs.LEAF
_BITS_BELOW = 50  # of the 52 of a mantissa, two tell the quarter of an octave
_BEFORE_FIRST = (int(np.float64(_FIRST_CELL).view(np.int64)) >> _BITS_BELOW) - 1
_N_MOMENTS = 20
_CHUNK = 1 << 12  # masses worked on at a time, so that their moments (20 doubles each) stay in the cache
_MOST_MASSES = 1 << 16  # masses laid out at a time: 3 MB
_ROWS_AT_A_TIME = 2048

_FEW_NODES = 64
_MOST_LAID_OUT = 1 << 17  # observed values × grid values; beyond, sums over boxes of both are quicker


@dataclass(frozen=True, eq=False)
class EndShares:
    """What share of its weight each interval counts with the likelihood of its left end, and of its right one.

    - `left`, `right` (n_grid - 1,): all together they sum to 1.
    """

    left: Array
    right: Array

    def at_values(self) -> Array:
        """Share of the weight at each grid value, (n_grid,)."""
        shares = np.zeros(len(self.left) + 1)
        shares[1:] = self.right
        shares[:-1] += self.left
        return shares


@dataclass(frozen=True, eq=False)
class Ends:
    """Values at which likelihoods are taken, and what lies there: one channel for each of some conventions.

    - `values` (n_ends,): increasing.
    - `shares` (n_ends, n_channels): share of the weight of all intervals.
    - `before`, `after` (n_ends,): columns of the active intervals on the left and on the right; any column where there
      is none.
    - `of_before`, `of_after` (n_ends, n_channels): shares of these two; 0 where there is none.
    """

    values: Array
    shares: Array
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    of_before: Array
    of_after: Array

    @classmethod
    def of(cls, grid: Array, active: NDArray[np.intp], conventions: Sequence[EndShares]) -> Ends:
        """Lay out all grid values; `active` are the intervals that have columns."""
        column = np.full(len(grid) + 1, -1)
        column[active + 1] = np.arange(len(active))  # interval k lies between values k and k + 1
        of_interval = np.zeros((len(grid) + 1, 2, len(conventions)))
        for channel, ends in enumerate(conventions):
            of_interval[active + 1, 0, channel] = ends.left[active]
            of_interval[active + 1, 1, channel] = ends.right[active]
        before, after = column[:-1], column[1:]
        shares = np.array([ends.at_values() for ends in conventions]).T
        everywhere = cls(
            grid, shares, np.maximum(before, 0), np.maximum(after, 0), of_interval[:-1, 1], of_interval[1:, 0]
        )
        return everywhere._where(np.any(shares, axis=1))

    def touched(self) -> Ends:
        """Keep the ends at which some of an active interval lies."""
        return self._where(np.any(self.of_before + self.of_after, axis=1))

    def _where(self, held: NDArray[np.bool_]) -> Ends:
        return Ends(
            self.values[held], self.shares[held], self.before[held], self.after[held],
            self.of_before[held], self.of_after[held],
        )  # fmt: skip


def _cell_of(distance: NDArray[np.float64]) -> NDArray[np.int64]:
    """Cell of each distance; infinite ones lie in very late cells."""
    cell: NDArray[np.int64] = (distance.view(np.int64) >> _BITS_BELOW) - _BEFORE_FIRST
    return np.maximum(cell, 0, out=cell)


class DecaySums:
    """Sums of channels of mass under e^{-a·distance}, for any a.

    Few masses are kept as they are; many become the moments of their cells.

    - `n_channels`: number of masses that share each distance.
    - `nearest`, `farthest`: bounds of the distances that will be added. Distances are kept relative to `nearest`.
    - `compiled`: whether masses that are laid out are added by the compiled kernel.
    """

    def __init__(self, n_channels: int, nearest: float, farthest: float, *, compiled: bool = False) -> None:
        self._compiled = compiled
        self.nearest = nearest
        extent = max(farthest - nearest, _FIRST_CELL)
        if extent < distance_pairs.FARTHEST:
            extent *= distance_pairs.REACH
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

        - `distances` (n_masses,): in likelihood scales; infinite ones carry no likelihood and are left out.
        - `masses` (n_masses, n_channels).
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
        self, ends: Ends, own: tuple[Array, Array], steepness: Array | None, weights: Array | None
    ) -> None:
        """Add steepness and weights, each times its shares at the ends, at the distance of every node from every end.

        - `ends`: with as many channels as there are here, or half as many where both steepness and weights come.
        - `own` (n_nodes,) each: nodes and their likelihood scales.
        - `steepness` (n_nodes, at least n_active): for the first channels.
        - `weights` (n_nodes,): for the last channels.
        """
        nodes, scales = own
        n_ends = len(ends.values)
        if self._compiled and len(nodes) * n_ends > self._most_atoms:
            from ice_explorer.metrics.decay_sums_numba import add_laid_out

            add_laid_out(
                (ends.values, ends.shares, ends.before, ends.after, ends.of_before, ends.of_after), nodes, scales,
                np.empty((0, 0)) if steepness is None else np.ascontiguousarray(steepness),
                np.empty(0) if weights is None else weights, self.nearest,
                self._middle, self._inverse_half, _BEFORE_FIRST, self._start_moments(),
            )  # fmt: skip
            return
        step = max(1, _MOST_MASSES // n_ends)
        n_conventions = ends.shares.shape[1]
        for start in range(0, len(nodes), step):
            some = slice(start, start + step)
            scaled = distances(ends.values, nodes[some], scales[some])
            channels = np.zeros((self._n_channels, *scaled.shape))
            if steepness is not None:
                left, right = steepness[some][:, ends.before], steepness[some][:, ends.after]
            for at in range(n_conventions):
                if steepness is not None:
                    channels[at] = left * ends.of_before[:, at] + right * ends.of_after[:, at]
                if weights is not None:
                    np.multiply(weights[some, None], ends.shares[:, at], out=channels[at - n_conventions])
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
    """Likelihood-weighted sums of steepness for every convention, and any decay.

    With M the mixture of likelihoods at both ends of an interval that `EndShares` states, they are
    Σ w_i u_k M_ik |S_ik| and Σ w_i u_k M_ik. The second needs no model.

    - `grid` (n_grid,).
    - `active` (n_active,): intervals in which a curve can change; steepness comes for these alone.
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales and frequency weights of all rows that
      will be added.
    - `compiled`: whether the compiled kernels are used where there is much to add.
    - `most_cells`: how many observed values × intervals may be kept while rows are added; beyond, each row is added by
      its distances at once, which takes longer.
    - `own`: where steepness is kept by observed value: how observed values are divided.
    - `by_bucket` (n_nodes, at least n_active): Chebyshev moments of the weighted steepness of each bucket of `own`;
      further columns are 0.
    """

    def __init__(
        self,
        grid: Array,
        active: NDArray[np.intp],
        conventions: Mapping[str, EndShares],
        rows: tuple[Array, Array, Array],
        *,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        observed, scales, weights = rows
        self.own: ObservedValues | None = None
        self.by_bucket: NDArray[np.float64] | None = None
        self._on_grid: ObservedValues | None = None
        self._n_active = len(active)
        nodes = observed
        if scales.min() == scales.max():
            self._scale = scale = float(scales[0])
            self._on_grid = ObservedValues(observed, weights, grid, scale, compiled=compiled)
            own = self._for_steepness(self._on_grid, grid, active, rows, compiled=compiled)
            n_columns = -(-len(active) // 8) * 8 if compiled else len(active)  # whole vectors
            if len(own.nodes) * n_columns <= (MOST_CELLS if most_cells is None else most_cells):
                self.own = own
                self.by_bucket = np.zeros((len(own.nodes), n_columns))
                nodes = self._on_grid.nodes if own is self._on_grid else np.append(self._on_grid.nodes, own.nodes)
            else:
                nodes = np.append(observed, self._on_grid.nodes)
            scales = np.full(len(nodes), scale)
        self._groups = _grouped(grid, active, conventions, (nodes, scales), compiled=compiled)
        on_grid = self._on_grid
        if on_grid is None:
            for group in self._groups:
                group.add(None, weights, observed, scales)
        elif on_grid is not self.own:
            for group in self._groups:
                group.add(None, on_grid.masses, on_grid.nodes, np.full(len(on_grid.nodes), self._scale))
            self._on_grid = None

    @staticmethod
    def _for_steepness(
        on_grid: ObservedValues,
        grid: NDArray[np.float64],
        active: NDArray[np.intp],
        rows: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        *,
        compiled: bool,
    ) -> ObservedValues:
        """Divide observed values where distances to active intervals change sides, if that leaves fewer nodes."""
        breaks = grid[np.union1d(active, active + 1)]
        few = MOST_MOMENTS * (len(breaks) + 1)
        if len(breaks) == len(grid) or not (on_grid.interpolates or len(on_grid.nodes) > few):
            return on_grid
        observed, scales, weights = rows
        own = ObservedValues(observed, weights, breaks, float(scales[0]), compiled=compiled)
        return own if own.interpolates else on_grid

    def totals(self, convention: str, exponents: Array) -> tuple[Array, Array, float]:
        """Sum for some decays.

        - `exponents` (n_decays,): a = -ln(decay).
        - returns `steepness`, `likelihood` (n_decays,): Σ w u M |S| and Σ w u M, as multiples of e^{-a·nearest}.
        - returns `nearest`: smallest distance of a phantom that counts.
        """
        return next(group for group in self._groups if convention in group.names).totals(convention, exponents)

    def add(
        self,
        steepness: NDArray[np.float64],
        weights: NDArray[np.float64],
        observed: NDArray[np.float64],
        likelihood_scale: NDArray[np.float64],
    ) -> None:
        """Add rows: their |S| (n_rows, n_active), weights, observed values and likelihood scales."""
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
        """Move what is kept by observed value into the sums over distance."""
        steepness, own, on_grid = None, self.own, self._on_grid
        if own is not None and self.by_bucket is not None:
            steepness = own.to_nodes(self.by_bucket)
        for group in self._groups:
            if own is not None:
                together = own.masses if own is on_grid else None
                group.add(steepness, together, own.nodes, np.full(len(own.nodes), self._scale))
            group.sums.finish()
        self.own = self.by_bucket = self._on_grid = None


def _grouped(
    grid: Array,
    active: NDArray[np.intp],
    conventions: Mapping[str, EndShares],
    own: tuple[Array, Array],
    *,
    compiled: bool,
) -> list[_Group]:
    """Group the conventions by the distance of what is nearest, so that none underflows for another's sake."""
    nearest_of = {name: _nearest(grid[ends.at_values() > 0], *own) for name, ends in conventions.items()}
    farthest = float(np.max(np.maximum(np.abs(grid[-1] - own[0]), np.abs(grid[0] - own[0])) / own[1]))
    groups = []
    for nearest in dict.fromkeys(nearest_of.values()):
        names = [name for name in conventions if nearest_of[name] == nearest]
        ends = Ends.of(grid, active, [conventions[name] for name in names])
        groups.append(_Group(names, ends, (nearest, farthest), compiled=compiled))
    return groups


class _Group:
    """Sums of some conventions by distance.

    The first channels of `sums` are w u M |S|, the last ones w u M.
    """

    def __init__(self, names: Sequence[str], ends: Ends, bounds: tuple[float, float], *, compiled: bool) -> None:
        self.names = names
        self._ends = ends
        self._touched = ends.touched()
        self.sums = DecaySums(2 * len(names), *bounds, compiled=compiled)
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
        together = len(self._touched.values) == len(self._ends.values)
        if weights is not None and not (together and steepness is not None):
            self.sums.add_laid_out(self._ends, own, None, weights)
            weights = None
        if steepness is not None and len(self._touched.values):
            self.sums.add_laid_out(self._touched, own, steepness, weights)

    def _are_too_many(self, nodes: NDArray[np.float64], scales: NDArray[np.float64]) -> bool:
        """Whether pairs of nodes and ends are summed without looking at each."""
        ends = self._ends.values
        extent = float(max(nodes[-1], ends[-1])) - float(min(nodes[0], ends[0]))
        return (
            len(nodes) * len(ends) > _MOST_LAID_OUT
            and bool(scales.min() == scales.max())
            and extent < distance_pairs.FARTHEST * float(scales[0])
        )

    def _add_pairs(self, nodes: NDArray[np.float64], weights: NDArray[np.float64], scale: float) -> None:
        """Add w u at the distances of nodes, increasing and of one scale, and ends."""
        middle = nodes[len(nodes) // 2]  # distances near by lose nothing where values have an offset
        own, others = ((nodes - middle) / scale, weights), ((self._ends.values - middle) / scale, self._ends.shares)
        relative, masses = distance_pairs.by_distance(own, others, self.sums.nearest, compiled=self._compiled)
        self.sums.add_beyond(relative, np.concatenate([np.zeros_like(masses), masses], axis=1))

    def totals(self, name: str, exponents: Array) -> tuple[Array, Array, float]:
        """Sum one convention for some decays; see `LikelihoodSums.totals`."""
        at = self.names.index(name)
        distances, masses = self.sums.atoms()
        likelihood = np.exp(-exponents[:, None] * distances)
        steepness, likely = (likelihood @ masses[:, [at, at + len(self.names)]]).T
        return steepness, likely, self.sums.nearest


def _nearest(ends: Array, nodes: Array, scales: Array) -> float:
    """Smallest distance, in likelihood scales, of any node from any of the ends."""
    for some in (slice(_FEW_NODES), slice(None)):  # on a grid of observed values a few nodes tell: one is an end
        above = np.minimum(np.searchsorted(ends, nodes[some]), len(ends) - 1)
        below = np.maximum(above - 1, 0)
        gap = np.minimum(np.abs(ends[above] - nodes[some]), np.abs(ends[below] - nodes[some]))
        nearest = float(np.min(gap / scales[some]))
        if nearest == 0:
            break
    return nearest
