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
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics import chebyshev
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.observed_value_nodes import MOST_MOMENTS, ObservedValues
from ice_explorer.metrics.running_sums import farthest, pair_sums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MOST_CELLS = 1 << 22
"""Observed values × intervals kept while the rows of one feature are added: 32 MB at most."""

# Distances are measured from the smallest one (the ratio of two sums does not change), so mass
# lies at 0 and whatever is beyond a·d = 40 does not count. The first cell ends where e^{-ad} has
# not moved far for any decay; beyond, four cells of one width share an octave, so that the cell of a
# distance is read off the leading bits of the number. In the widest counting cell e^{-ad} varies
# by e^{-10}: 20 moments represent it to 1e-10 there, where it is 4e-18 of the mass at 0, and to
# rounding error nearer by.
_FIRST_CELL = 2.0**-8
_BITS_BELOW = 50  # of the 52 of a mantissa, two tell the quarter of an octave
_BEFORE_FIRST = (int(np.float64(_FIRST_CELL).view(np.int64)) >> _BITS_BELOW) - 1
_N_MOMENTS = 20
_CHUNK = 1 << 12  # masses worked on at a time, so that their moments (20 doubles each) stay in the cache
_MOST_MASSES = 1 << 16  # masses laid out at a time: 3 MB
_ROWS_AT_A_TIME = 2048

_FEW_NODES = 64
_MOST_KEPT = 1 << 19  # bytes of steepness by observed value that are kept for a feature: twice what the moments take
_MOST_EXPONENT = 300.0  # of a factor; the product of two is a number


@dataclass(frozen=True, eq=False)
class EndShares:
    """What share of its weight each interval counts with the likelihood of its left end, and of its right one.

    - `left`, `right` (n_grid - 1,): all together they sum to 1.
    """

    left: Array
    right: Array

    @cached_property
    def at_values(self) -> Array:
        """Share of the weight at each grid value, (n_grid,)."""
        return _from_left_and_right(self.left, self.right)

    def steep_at_values(self, active: NDArray[np.intp], steepness: Array) -> Array:
        """Share of the weight at each grid value, (n_grid,), of `active` intervals alone, times their steepness."""
        of_intervals = np.zeros(len(self.left))
        of_intervals[active] = steepness
        return _from_left_and_right(self.left * of_intervals, self.right * of_intervals)


def _from_left_and_right(left: Array, right: Array) -> Array:
    """Sum what intervals have at their left ends and at their right ones, value by value."""
    at_values = np.append(left, 0.0)
    at_values[1:] += right
    return at_values


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
        shares = np.array([ends.at_values for ends in conventions]).T
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
        n_cells = int(_cell_of(np.array([extent]))[0]) + 1
        starts = (np.arange(_BEFORE_FIRST, _BEFORE_FIRST + n_cells + 1, dtype=np.int64) << _BITS_BELOW).view(np.float64)
        starts[0] = 0.0
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
        relative = distances - self.nearest
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
        distances = self._middle[held, None] + self._half[held, None] * chebyshev.nodes(
            np.arange(_N_MOMENTS), _N_MOMENTS
        )
        masses = np.swapaxes(self._moments[held] @ chebyshev.to_nodes(_N_MOMENTS), 1, 2)
        self._atoms = [(distances.ravel(), masses.reshape(-1, self._n_channels))]
        self._moments = None

    def atoms(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return distances beyond `nearest` (n,), and masses (n, n_channels) that stand for all that were added."""
        return self._atoms[0]


class LikelihoodSums:
    """Likelihood-weighted sums of steepness for every convention, and any decay.

    With M the mixture of likelihoods at both ends of an interval that `EndShares` states, they are
    Σ w_i u_k M_ik |S_ik| and Σ w_i u_k M_ik. The second needs no model, nor does the first where all curves are
    parallel: where rows share one likelihood scale, both are sums over pairs of observed values and grid values.
    Where they are not, steepness is kept by observed value, or laid out over distances where that is too much.

    - `grid` (n_grid,).
    - `active` (n_active,): intervals in which a curve can change; steepness comes for these alone.
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales and frequency weights of all rows that
      will be added; None where the sums are set from what was saved.
    - `compiled`: whether the compiled kernels are used where there is much to add.
    - `most_cells`: how many observed values × intervals may be kept while rows are added; beyond, each row is added by
      its distances at once, which takes longer.
    - `own`: where steepness is kept by observed value: how observed values are divided.
    """

    def __init__(
        self,
        grid: Array,
        active: NDArray[np.intp],
        conventions: Mapping[str, EndShares],
        rows: tuple[Array, Array, Array] | None,
        *,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        self._grid, self._active, self._conventions, self._compiled = grid, active, conventions, compiled
        self.own: ObservedValues | None = None
        self._by_bucket: NDArray[np.float64] | None = None
        self._n_cells = 0
        self._shared: Array | None = None
        self._kept: _Kept | None = None
        self._groups: list[_Group] = []
        self._on_grid: tuple[Array, Array] | None = None  # values that stand for all rows, and their weights
        if rows is None:
            return
        observed, scales, weights = rows
        if scales.min() < scales.max():
            self._lay_out(observed, scales)
            for group in self._groups:
                group.add(None, weights, observed, scales)
            return
        self._scale = scale = float(scales[0])
        is_break = np.zeros(len(grid), np.bool_)
        is_break[active] = is_break[active + 1] = True
        breaks = grid[is_break]
        is_whole = len(breaks) == len(grid)
        own = ObservedValues(observed, weights if is_whole else None, breaks, scale, compiled=compiled)
        if is_whole:
            self._on_grid = own.nodes, own.masses
        else:
            self._on_grid = _standing_for(observed, weights, grid, scale, compiled=compiled)
        self._n_columns = -(-len(active) // 8) * 8 if compiled else len(active)  # whole vectors
        if len(own.nodes) * self._n_columns <= (MOST_CELLS if most_cells is None else most_cells):
            self.own = own
        else:
            nodes = np.append(observed, self._on_grid[0])
            self._lay_out(nodes, np.full(len(nodes), scale))

    def totals(self, convention: str, exponents: Array) -> tuple[Array, Array, float]:
        """Sum for some decays.

        - `exponents` (n_decays,): a = -ln(decay).
        - returns `steepness`, `likelihood` (n_decays,): Σ w u M |S| and Σ w u M, as multiples of e^{-a·nearest}.
        - returns `nearest`: no more than the distance of any phantom that counts.
        """
        group = next((group for group in self._groups if convention in group.names), None)
        if self._on_grid is None:
            assert group is not None  # noqa: S101 - rows have scales of their own
            steepness, likelihood = group.totals(convention, exponents).T
            return steepness, likelihood, group.sums.nearest
        ends = self._conventions[convention]
        shares = ends.at_values[:, None]
        if self._shared is not None:
            shares = np.column_stack([shares, ends.steep_at_values(self._active, self._shared)])
        (nodes, masses), held = self._on_grid, ends.at_values > 0
        nearest = self._nearest(convention) if group is None else group.sums.nearest
        # Distances near by lose nothing where values have an offset.
        middle = nodes[len(nodes) // 2]
        own = (nodes - middle) / self._scale, masses
        others = (self._grid[held] - middle) / self._scale, shares[held]
        by_pairs = pair_sums(own, others, exponents, nearest, compiled=self._compiled)
        if self._shared is not None:
            return by_pairs[:, 1], by_pairs[:, 0], nearest
        if group is not None:
            return group.totals(convention, exponents)[:, 0], by_pairs[:, 0], nearest
        if self._kept is None:
            return np.zeros(len(exponents)), by_pairs[:, 0], nearest
        shares_of = ends.left[self._active], ends.right[self._active]
        return self._kept.totals(shares_of, exponents, nearest), by_pairs[:, 0], nearest

    def _keep(self, nodes: Array, steepness: Array) -> None:
        ends = self._grid[self._active], self._grid[self._active + 1]
        self._kept = _Kept(nodes, steepness, *ends, self._scale, compiled=self._compiled)

    def _nearest(self, convention: str) -> float:
        """Smallest distance of what stands for the rows from an end that counts."""
        ends = self._grid[self._conventions[convention].at_values > 0]
        assert self._on_grid is not None  # noqa: S101 - rows share one scale
        nearest = _nearest(ends, self._on_grid[0])
        if nearest > 0 and self._kept is not None:
            nearest = min(nearest, _nearest(ends, self._kept.nodes))
        return nearest / self._scale

    def _lay_out(self, nodes: Array, scales: Array) -> None:
        """Prepare sums over distances, conventions by that of what is nearest, so that none underflows."""
        nearest = {
            name: _nearest(self._grid[ends.at_values > 0], nodes, scales) for name, ends in self._conventions.items()
        }
        grid = self._grid
        farthest = float(np.max(np.maximum(np.abs(grid[-1] - nodes), np.abs(grid[0] - nodes)) / scales))
        self._group(nearest, farthest)

    def _group(self, nearest: Mapping[str, float], farthest: float) -> None:
        """Prepare sums over distances within bounds, one for conventions of the same nearest one."""
        for each in dict.fromkeys(nearest.values()):
            names = [name for name in self._conventions if nearest[name] == each]
            ends = Ends.of(self._grid, self._active, [self._conventions[name] for name in names])
            is_whole = self._on_grid is None
            self._groups.append(_Group(names, ends, (each, farthest), is_whole=is_whole, compiled=self._compiled))

    @property
    def counters(self) -> NDArray[np.int64]:
        """Cells that held steepness while rows were added, and masses laid out at distances: what the work was."""
        return np.array([self._n_cells, sum(group.n_laid_out for group in self._groups)], np.int64)

    @property
    def by_bucket(self) -> Array | None:
        """Chebyshev moments (n_nodes, at least n_active) of the weighted steepness of each bucket of `own`.

        Further columns are 0. None where steepness is not kept by observed value.
        """
        if self._by_bucket is None and self.own is not None:
            self._by_bucket = np.zeros((len(self.own.nodes), self._n_columns))
            self._n_cells = self._by_bucket.size
        return self._by_bucket

    def add(
        self,
        steepness: NDArray[np.float64],
        weights: NDArray[np.float64],
        observed: NDArray[np.float64],
        likelihood_scale: NDArray[np.float64],
    ) -> None:
        """Add rows: their |S| (n_rows, n_active), weights, observed values and likelihood scales."""
        weighted = steepness * weights[:, None]
        own, by_bucket = self.own, self.by_bucket
        if own is None or by_bucket is None:
            for group in self._groups:
                group.add(weighted, None, observed, likelihood_scale)
            return
        bucket = own.find(observed)
        order = np.argsort(bucket, kind="stable")
        present, starts = np.unique(bucket[order], return_index=True)
        weighted = weighted[order]
        by_bucket = by_bucket[:, : len(self._active)]
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
        """Add rows that share |S|, (n_active,), with each other and with all others of the feature."""
        if self._on_grid is not None:
            self._shared = steepness
            return
        for start in range(0, len(weights), _ROWS_AT_A_TIME):
            some = slice(start, start + _ROWS_AT_A_TIME)
            everywhere = np.broadcast_to(steepness, (len(weights[some]), len(steepness)))
            self.add(everywhere, weights[some], observed[some], likelihood_scale[some])

    def finish(self) -> None:
        """Keep what is at hand by observed value, or move it into sums over distances where it is too large."""
        own, by_bucket = self.own, self._by_bucket
        if own is not None and by_bucket is not None:
            at_nodes = own.to_nodes(by_bucket)[:, : len(self._active)]
            if 0 < at_nodes.nbytes <= _MOST_KEPT:
                self._keep(own.nodes, at_nodes)
            else:
                assert self._on_grid is not None  # noqa: S101 - rows share one scale
                nodes = np.append(self._on_grid[0], own.nodes)
                self._lay_out(nodes, np.full(len(nodes), self._scale))
                for group in self._groups:
                    group.add(at_nodes, None, own.nodes, np.full(len(own.nodes), self._scale))
        for group in self._groups:
            group.sums.finish()
        self.own = self._by_bucket = None


class _Kept:
    """Steepness by observed value and interval, from which its sum under any decay follows.

    On one side of an end v, e^{-a(v - x)} = e^{-a(v - c)} e^{a(x - c)}: a factor of the end and one of the value.

    - `nodes` (n_nodes,): observed values, or what stands for them, increasing.
    - `steepness` (n_nodes, n_active): weighted.
    - `begins`, `ends` (n_active,): of the intervals, increasing.
    - `compiled`: whether the compiled kernel is used.
    """

    def __init__(
        self, nodes: Array, steepness: Array, begins: Array, ends: Array, scale: float, *, compiled: bool
    ) -> None:
        middle = (nodes[0] + nodes[-1]) / 2
        self.nodes = nodes
        self._own, self._begins, self._ends = ((values - middle) / scale for values in (nodes, begins, ends))
        self.steepness, self._compiled = np.ascontiguousarray(steepness), compiled
        self._reach = max(farthest(values) for values in (self._own, self._begins, self._ends))

    def totals(self, shares: tuple[Array, Array], exponents: Array, nearest: float) -> Array:
        """Sum under some decays, (n_decays,), as multiples of e^{-a·nearest}.

        - `shares` (n_active,) each: of the intervals, with the likelihood of their left end and of their right one.
        """
        is_far = exponents * (self._reach + nearest) > _MOST_EXPONENT
        if self._compiled:
            from ice_explorer.metrics.decay_sums_numba import sum_kept

            laid_out = self._own, self.steepness, self._begins, self._ends
            return np.asarray(sum_kept(*laid_out, *shares, exponents, is_far, nearest))
        found = np.zeros(len(exponents))
        a = exponents[~is_far, None]
        growth = np.exp(a * self._own)
        sides = (1.0, growth), (-1.0, 1.0 / growth)
        for at, share in zip((self._begins, self._ends), shares, strict=True):
            weighted = self.steepness * share
            is_below = self._own[:, None] <= at
            for place in np.flatnonzero(is_far):
                apart = np.maximum(np.abs(at - self._own[:, None]) - nearest, 0.0)
                found[place] += np.vdot(np.exp(-exponents[place] * apart), weighted)
            for sign, of_nodes in sides:
                of_side = np.where(is_below == (sign > 0), weighted, 0.0)
                of_ends = np.exp(-a * (sign * at - nearest))
                found[~is_far] += np.einsum("de,de->d", of_nodes @ of_side, of_ends)
        return found


def _standing_for(observed: Array, weights: Array, grid: Array, scale: float, *, compiled: bool) -> tuple[Array, Array]:
    """Return values, increasing, and weights that have the same sums at the values of a grid as the rows."""
    if len(observed) > MOST_MOMENTS * (len(grid) + 1):
        own = ObservedValues(observed, weights, grid, scale, compiled=compiled)
        return own.nodes, own.masses
    if weights.min() == weights.max():
        return np.sort(observed), weights
    order = np.argsort(observed)
    return observed[order], weights[order]


class _Group:
    """Sums of some conventions by distance.

    The first channels of `sums` are w u M |S|; where it is whole the last ones are w u M. `n_laid_out` counts the
    masses that were added to `sums`, one for each node and end.
    """

    def __init__(
        self, names: Sequence[str], ends: Ends, bounds: tuple[float, float], *, is_whole: bool, compiled: bool
    ) -> None:
        self.names = names
        self.farthest = bounds[1]
        self._ends = ends
        self._touched = ends.touched()
        self.n_laid_out = 0
        self.n_channels = (1 + is_whole) * len(names)
        self.sums = DecaySums(self.n_channels, *bounds, compiled=compiled)

    def add(
        self,
        steepness: NDArray[np.float64] | None,
        weights: NDArray[np.float64] | None,
        nodes: NDArray[np.float64],
        scales: NDArray[np.float64],
    ) -> None:
        """Add w|S| (n_nodes, at least n_active), or w (n_nodes,) for all intervals alike, at nodes."""
        ends = self._ends if steepness is None else self._touched
        self.n_laid_out += len(nodes) * len(ends.values)
        if len(ends.values):
            self.sums.add_laid_out(ends, (nodes, scales), steepness, weights)

    def totals(self, name: str, exponents: Array) -> Array:
        """Sum the channels of one convention for some decays, (n_decays, 1 or 2)."""
        distances, masses = self.sums.atoms()
        channels = masses[:, self.names.index(name) :: len(self.names)]
        return np.asarray(np.exp(-exponents[:, None] * distances) @ channels)


def _nearest(ends: Array, nodes: Array, scales: Array | None = None) -> float:
    """Smallest distance of any node from any of the ends, in the unit of both or in likelihood scales."""
    for some in (slice(_FEW_NODES), slice(None)):  # on a grid of observed values a few nodes tell: one is an end
        above = np.minimum(ends.searchsorted(nodes[some]), len(ends) - 1)
        below = np.maximum(above - 1, 0)
        gap = np.minimum(np.abs(ends[above] - nodes[some]), np.abs(ends[below] - nodes[some]))
        nearest = float((gap if scales is None else gap / scales[some]).min())
        if nearest == 0:
            break
    return nearest
