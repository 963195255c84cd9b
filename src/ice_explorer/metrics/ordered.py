"""What the figures of a feature with an order are made of: differences of its curves between grid values.

Notation: grid v_1 < … < v_K, curves C[i,k], σ the standard deviation of the feature, L[i,k] the likelihood (Eq. 3 of
Yeh & Ngo 2021, arXiv:2109.02724). In both conventions every figure follows from changes

    D[i,k] = σ (C[i,r_k] - C[i,l_k]) / (v_{r_k} - v_{l_k})

with weights p_k that sum to 1, and from likelihoods at the two ends of each:

- "step": a window of length σ around each grid value, moved inside the axis; its ends are the grid values just outside.
  p_k is the share of the observations whose value is nearest to v_k. Both ends count half.
- "paper": slopes between neighbours, l_k = k - 1 and r_k = k, each counting alike, the first one twice, as the authors'
  code computed the printed tables. The right end counts; of the copy of the first slope the left end.

A curve that is constant between *active* intervals has one value on each stretch between them, so that all windows
with ends on the same two stretches share one difference: they are one group.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.metrics.sums import (
    LAGRANGE,
    MOST_NODES,
    CurveSums,
    check_array,
    choose_decay_nodes,
    distances,
    find_first,
    make_quadrature,
    sum_between,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from ice_explorer.arrays import Array, Places, Values
    from ice_explorer.metrics.sums import Arrays, Quadrature

    Rows = tuple[Array, Array, Array]

Ends = tuple["Places", "Places", "Array"]
Convention = Literal["step", "paper"]
CONVENTIONS: Final[tuple[Convention, ...]] = ("step", "paper")
TOLERANCE: Final = 1e-9
"""Share of a length below which two distances are the same but for rounding."""


class Windows:
    """The windows of one convention, and groups of those with ends on the same two stretches.

    - `left`, `right` (n_windows,): grid values at the ends, l_k and r_k.
    - `ratios`, `shares` (n_windows,): c_k = σ / (v_{r_k} - v_{l_k}), and p_k.
    - `left_shares` (n_windows,): how much the left end counts in the likelihood; the right end has the rest of 1.
    - `group` (n_windows,): number of the group, or -1 where the curve cannot change or p_k is 0.
    - `stretches` (2, n_groups): those at the left and the right ends of a group.
    - `factors`, `weights` (n_groups,): Σ p_k c_k, what a group adds to a figure per unit of its difference, and Σ p_k.
    - `moving`: the windows of groups, from left to right and so group by group.
    - `starts` (n_groups + 1,): where each group begins in `moving`.
    - `variance_divisor`: divides the variance along a curve (non-linearity of "paper"); 0: the mean absolute deviation
      is taken.
    - `n_grid`.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        active: Places,
        *,
        ends: tuple[Places, Places],
        shares: tuple[Array, Array],
        variance_divisor: float,
    ) -> None:
        (left, right), (of_windows, self.left_shares) = ends, shares
        stretch = active.searchsorted(np.arange(len(grid)))
        from_stretch, to_stretch = stretch[left], stretch[right]
        moving = ((from_stretch < to_stretch) & (of_windows > 0)).nonzero()[0]
        # Windows from left to right: those between the same two stretches are neighbors.
        first = find_first((from_stretch * len(grid) + to_stretch)[moving])
        of_moving = np.searchsorted(first, np.arange(len(moving)), "right") - 1
        with np.errstate(over="ignore"):  # refused with the curves
            ratios = np.divide(scale, grid[right] - grid[left], out=np.zeros(len(left)), where=left < right)
        if len(first) == 1 and len(moving) == len(left) and ratios.min() == ratios.max():
            of_windows = of_windows / of_windows.sum()  # D is the same everywhere, so that it deviates by exactly 0
        self.left, self.right, self.ratios, self.shares = left, right, ratios, of_windows
        self.moving, self.group = moving, np.full(len(left), -1)
        self.group[moving] = of_moving
        self.stretches = np.array([from_stretch[moving[first]], to_stretch[moving[first]]])
        self.factors = np.bincount(of_moving, (of_windows * ratios)[moving], len(first)).astype(np.float64)
        self.weights = np.bincount(of_moving, of_windows[moving], len(first)).astype(np.float64)
        self.starts = np.append(first, len(moving))
        self.variance_divisor, self.n_grid = variance_divisor, len(grid)

    @property
    def constant_share(self) -> float:
        """Total share Σ p_k of the windows in which the curve is constant."""
        return float(self.shares[self.group < 0].sum())

    def changes(self, stretches: Array) -> Array:
        """Differences of each group, (n_rows, n_groups), from curves (n_rows, n_stretches)."""
        return stretches[:, self.stretches[1]] - stretches[:, self.stretches[0]]

    def deviation(self, changes: Array) -> Array:
        """How much D deviates along each curve (Eq. 5), (n_rows,), from the differences (n_rows, n_groups)."""
        shares = self.shares[self.moving]
        steps = changes[:, self.group[self.moving]] * self.ratios[self.moving]
        mean = steps @ shares
        deviations = steps - mean[:, None]
        if self.variance_divisor == 0:
            return np.asarray(np.abs(deviations) @ shares + self.constant_share * np.abs(mean))
        variance = np.square(deviations) @ shares + self.constant_share * np.square(mean)
        return np.asarray(np.sqrt(variance / self.variance_divisor))

    @cached_property
    def ends(self) -> tuple[Ends, Ends]:
        """Likelihoods in the numerator of Eq. 2, of left and of right ends: grid values, their groups, and weights."""
        moving = self.moving
        group, of_windows = self.group[moving], (self.shares * self.ratios)[moving]
        from_left = of_windows * self.left_shares[moving]
        counts = from_left > 0
        left = self.left[moving[counts]], group[counts], from_left[counts]
        return left, (self.right[moving], group, of_windows - from_left)

    @cached_property
    def denominator_weights(self) -> Array:
        """Weight of the likelihood at each grid value in the denominator of Eq. 2, (n_grid,)."""
        from_left = self.shares * self.left_shares
        from_right = np.bincount(self.right, self.shares - from_left, self.n_grid)
        return np.asarray(np.bincount(self.left, from_left, self.n_grid) + from_right, np.float64)

    @cached_property
    def deviation_terms(self) -> tuple[Any, ...]:
        """Arrays of Eq. 5 for the compiled function."""
        ratios, shares, first = self.ratios[self.moving], self.shares[self.moving], self.starts[:-1]
        least, most = np.minimum.reduceat(ratios, first), np.maximum.reduceat(ratios, first)
        of_groups = self.factors, self.weights, self.constant_share, self.starts, least, most
        return (*of_groups, ratios, shares, np.flatnonzero(least < most), self.variance_divisor)


def weights_on_grid(ends: Sequence[Ends], masses: Array, n_grid: int) -> Array:
    """Return how much the likelihood at each grid value counts, (n_rows, n_grid).

    - `ends`: see `Windows.ends`.
    - `masses` (n_rows, n_groups): w |Δ|.
    """
    on_grid, first = np.zeros(len(masses) * n_grid), n_grid * np.arange(len(masses))[:, None]
    for places, groups, weights in ends:  # several windows may have an end in one place
        on_grid += np.bincount((first + places).ravel(), (masses[:, groups] * weights).ravel(), len(on_grid))
    return on_grid.reshape(-1, n_grid)


def nearest_shares(grid: Array, values: Array, weights: Array | None) -> Array:
    """Weight of the observations nearest to each grid value, (n_grid,); ties are split in halves.

    - `values` (n_values,): increasing, none missing.
    - `weights` (n_values,): 1 by default.
    """
    gaps = grid[1:] - grid[:-1]
    middles, tolerance = grid[:-1] + gaps / 2, TOLERANCE * gaps
    ends = np.searchsorted(values, middles - tolerance), np.searchsorted(values, middles + tolerance, "right")
    cumulative = np.arange(len(values) + 1.0) if weights is None else np.concatenate([[0.0], weights.cumsum()])
    below = (cumulative[ends[0]] + cumulative[ends[1]]) / 2.0
    bounds = np.concatenate([[0.0], below, cumulative[-1:]])
    return np.asarray(bounds[1:] - bounds[:-1])


def nearest_places(grid: Array, values: Array) -> tuple[Places, Places]:
    """Grid value that is nearest to each value, none missing, twice; two grid values where both are as near."""
    middles, tolerance = grid[:-1] + np.diff(grid) / 2, TOLERANCE * np.diff(grid)
    return np.searchsorted(middles + tolerance, values, "left"), np.searchsorted(middles - tolerance, values, "right")


def make_windows(grid: Array, shares: Array, scale: float, active: Places, convention: Convention) -> Windows:
    """Return the windows of a convention; no window for a grid of one value, or a feature without spread.

    - `shares` (n_grid,): p_k of "step", up to a factor.
    - `scale`: σ.
    - `active` (n_active,): intervals in which curves can change.
    """
    n_grid = len(grid)
    nothing, variance_divisor = np.empty(0, np.intp), 0.0
    if n_grid < 2 or scale == 0:
        ends, of_windows, left_shares = (nothing, nothing), np.empty(0), np.empty(0)
    elif convention == "step":
        ends, of_windows, left_shares = _step_ends(grid, scale), shares / shares.sum(), np.full(n_grid, 0.5)
    else:
        ends, variance_divisor = (np.arange(n_grid - 1), np.arange(1, n_grid)), 1.0 - 1.0 / n_grid
        of_windows, left_shares = np.full(n_grid - 1, 1.0 / n_grid), np.zeros(n_grid - 1)
        of_windows[0], left_shares[0] = 2.0 / n_grid, 0.5
    return Windows(grid, scale, active, ends=ends, shares=(of_windows, left_shares), variance_divisor=variance_divisor)


def _step_ends(grid: Array, scale: float) -> tuple[Places, Places]:
    """Return l_k and r_k: the grid values just outside a stretch of length σ around v_k, moved inside the axis."""
    length = min(scale, grid[-1] - grid[0])
    tolerance = TOLERANCE * length
    start = np.minimum(np.maximum(grid - length / 2.0, grid[0]), grid[-1] - length)
    left = np.searchsorted(grid, start + tolerance, "right") - 1
    right = np.searchsorted(grid, start + length - tolerance, "left")
    return left, np.minimum(right, len(grid) - 1)


_CHUNK: Final = 1 << 16  # numbers that NumPy works on at a time, so that they stay in the cache
_FEW_CELLS: Final = 256  # phantoms, for which as many exponentials take less time than products of matrices
_MANY_ROWS: Final = 4096  # of parallel curves, for which nodes are worth making
_MOST_EXPONENT: Final = 100.0  # whose exponential keeps 14 digits
_PADDING: Final = 3  # columns behind the last node: rows are added to four at a time
MOST_CELLS: Final = 10_000_000
"""Nodes × groups of windows that are kept while the rows of one feature are added: 80 MB."""

_ROUNDING: Final = 8 * np.finfo(float).eps  # of the largest value of a line
_NO_STEP: Final = (np.empty((2, 0), np.intp), np.empty(0))
_NO_ENDS: Final = 2 * ((np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)),)


class OrderedSums(CurveSums):
    """Sums of one feature with an order over blocks of rows.

    Between two neighbouring grid values a curve can change only if the model can tell them apart. A method that knows
    where that is says so, and hands over each curve's value on every stretch between such *active* intervals instead of
    at every grid value.

    Likelihoods depend on where a row is, and decay from there. Where all rows have one likelihood scale, absolute
    changes are summed at the nodes of a `Quadrature`, and likelihoods enter when all rows are there; else row by row.

    - `grid` (n_grid,).
    - `scale`: σ, the standard deviation of the feature, ddof=0 [feature].
    - `shares` (n_grid,): weight of the observations nearest to each grid value; see `nearest_shares`.
    - `decay`: λ at which in-distribution impact is exact.
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales s_i [feature] and frequency weights,
      greater than 0, of all rows that will be added; None where the sums are filled or merged.
    - `convention`: what figures are averages of.
    - `reach`: how far grid values are from observed ones at most [feature].
    - `compiled`: whether compiled kernels are used.
    - `most_cells`: nodes × groups that may be kept while rows are added.
    - `interval_changes` (n_active,): Σ w |change| within each active interval [output].
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        shares: Array,
        decay: float,
        rows: Rows | None,
        *,
        convention: Convention = "step",
        reach: float = math.inf,
        active: Places | None = None,
        compiled: bool = False,
        most_cells: int = MOST_CELLS,
    ) -> None:
        # A copy, because numba compiles anew for arrays that cannot be written to.
        super().__init__(np.array(grid, np.float64), scale, decay, active)
        self.convention, self._shares, self._compiled = convention, shares, compiled
        self.windows = make_windows(grid, shares, scale, self.active, convention)
        self.interval_changes = np.zeros(len(self.active))
        # Under "paper" Σ w of the impact by "step", which notes compare.
        self._step_windows = make_windows(grid, shares, scale, self.active, "step") if convention == "paper" else None
        self._step_total = 0.0
        self._ordered: Array | None = None  # observed values of all rows, where these have one likelihood scale
        self._quadrature: Quadrature | None = None
        # At the nodes, if there is room: Σ w |Δ| of each group of windows, and Σ w.
        self._on_nodes = np.zeros((0, 0))
        self._most_cells = most_cells
        if not len(self.windows.left):
            return
        if rows is not None:
            observed, scales, _ = rows
            if (lowest := scales.min()) == (highest := scales.max()):
                self._ordered, self._likelihood_scale = np.sort(observed), float(scales[0])
            # Sums over parts of the rows merge only where all keep the same decays.
            farthest = reach / float(scale) if lowest == highest == scale else math.inf
            self.nodes = choose_decay_nodes(decay, farthest)
            # Of the values that count: likelihoods are relative to it, so that some are not too small to be written.
            values = grid[self.windows.denominator_weights > 0]
            if self._ordered is not None:  # a gap is the same from either end, and grid values are fewer
                self.nearest = float(_gaps(values, self._ordered).min() / scales[0])
            else:
                self.nearest = float((_gaps(observed, values) / scales).min())
        self._begin_changes(self.windows.factors)

    def add(self, stretches: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `stretches` (n_rows, n_active + 1): ICE curves on the stretches between active intervals: where all are
          active, at every grid value [output].
        - `rows` (n_rows,) each: observed values, likelihood scales and weights.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
        """
        if len(stretches) == 0:
            return
        self._choose_nodes(len(stretches))
        if self.is_compiled:
            self._add_compiled(np.ascontiguousarray(stretches), None, rows)
        else:
            size = max(1, _CHUNK // stretches.shape[1])
            for start in range(0, len(stretches), size):
                some = slice(start, start + size)
                self._add_by_numpy(stretches[some], (rows[0][some], rows[1][some], rows[2][some]))
        self.count(rows[2], missing_change)

    def add_jumps(self, jumps: Any, rows: Rows, missing_change: Array | None = None) -> None:
        """Add rows by the jumps of a sweep of trees, which are set back to 0; only where sums are compiled."""
        self._choose_nodes(len(rows[0]))
        self._add_compiled(None, jumps, rows)
        self.count(rows[2], missing_change)

    def _choose_nodes(self, n_rows: int) -> None:
        """Choose nodes, and make room for changes at them, unless these would be too many."""
        if self._ordered is None or self.factors is None or self._on_nodes.size:
            return
        if n_rows == len(self._ordered) <= max(MOST_NODES, 2 * len(self.grid)):  # each row of a block would be a node
            return
        n_groups = len(self.factors)
        # Most grid values have nodes of their own.
        if min(len(self.grid), len(self._ordered)) * n_groups > self._most_cells:
            return
        n_nodes = len(self._nodes_of(self._ordered).nodes)
        if n_nodes * n_groups <= self._most_cells:
            self._on_nodes = np.zeros((n_nodes + _PADDING, n_groups + 1))

    def _nodes_of(self, ordered: Array) -> Quadrature:
        """Return the nodes that stand for observed values."""
        if self._quadrature is None:
            self._quadrature = make_quadrature(ordered, self.grid, self._likelihood_scale, self.nodes.decay)
        return self._quadrature

    def _add_compiled(self, stretches: Array | None, jumps: Any, rows: Rows) -> None:
        from ice_explorer.metrics.fold_numba import add_curves

        (observed, scales, weights), windows = rows, self.windows
        if self._on_nodes.size and self._quadrature is not None:
            nodes, on_nodes, order = self._quadrature.place(observed), self._on_nodes, None
        else:  # each row is a node
            order = self._order(observed, scales)
            nodes = np.empty_like(order), observed, np.ones(len(order), np.bool_)
            nodes[0][order] = np.arange(len(order))
            on_nodes = np.zeros((len(order), self.moments.columns.shape[1] + 1))
        ends, step = np.empty((len(weights), 4)), self._step_windows
        lowest, highest, extent, deviations, step_total = add_curves(
            stretches, jumps, weights, self.total_weight, nodes, on_nodes, ends,
            self.curves.columns, self.moments.columns, self.interval_changes,
            windows.stretches, windows.deviation_terms, _NO_STEP if step is None else (step.stretches, step.factors),
        )  # fmt: skip
        if order is not None:
            self._add_likelihoods((observed[order], scales[order], on_nodes))
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        self.extent += extent
        self._ends.append(ends)
        self.curves.weight = self.moments.weight = self.total_weight + float(weights.sum())
        self.deviations += deviations
        self._step_total += step_total

    def _order(self, observed: Array, scales: Array) -> Places:
        """Order of rows in which those of one scale are neighbors, by their values."""
        return np.lexsort((observed, scales)) if self._ordered is None else np.argsort(observed)

    def _add_by_numpy(self, stretches: Array, rows: Rows) -> None:
        """Add a few rows: the same sums as those of `fold_numba`, to which a test holds both."""
        observed, scales, weights = rows
        moves = np.abs(stretches[:, 1:] - stretches[:, :-1])
        self._add_curves(stretches, weights, stretches[:, -1] - stretches[:, 0], moves.sum(axis=1))
        if self.factors is None:
            return
        changes = self.windows.changes(stretches)
        self.moments.add(changes, weights)
        self.deviations += float(weights @ self.windows.deviation(changes))
        self._add_compared(stretches, moves, weights)
        by_row = np.concatenate([np.abs(changes), np.ones((len(weights), 1))], axis=1) * weights[:, None]
        if self._on_nodes.size and self._quadrature is not None:
            from scipy.sparse import csr_array

            node, position, is_node = self._quadrature.place(observed)
            shares = np.vander(position, 4, increasing=True) @ LAGRANGE
            shares[is_node] = [1.0, 0.0, 0.0, 0.0]
            of_rows = (shares.ravel(), (node[:, None] + np.arange(4)).ravel(), 4 * np.arange(len(node) + 1))
            self._on_nodes += csr_array(of_rows, shape=(len(node), len(self._on_nodes))).T @ by_row
        else:
            self._add_likelihoods((observed, scales, by_row))

    def _add_compared(self, stretches: Array, moves: Array, weights: Array) -> None:
        """Add what notes compare: absolute changes within intervals, and under "paper" the impact by "step"."""
        self.interval_changes += weights @ moves
        if self._step_windows is not None:
            self._step_total += float(
                weights @ np.abs(self._step_windows.changes(stretches)) @ self._step_windows.factors
            )

    def add_parallel_curves(self, step: Array, offsets: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows whose curves are `offsets[:, None] + step`, without forming them.

        Their changes are the same, so that they differ by exactly 0 and not by rounding. `step` is of shape
        (n_active + 1,), `offsets` (n_rows,) [output]; `rows` and `missing_change` are as for `add`.
        """
        if len(offsets) == 0:
            return
        observed, scales, weights = rows
        moves = np.abs(step[None, 1:] - step[None, :-1])
        self._add_parallel_moments(step, offsets, weights, step[-1] - step[0], moves.sum())
        if self.factors is not None:
            changes, total = self.windows.changes(step[None, :]), weights.sum(keepdims=True)
            (equal,), weight = changes, float(total[0])
            self.moments.merge_columns(weight, equal, np.zeros(len(equal)), weight * np.abs(equal))
            self._add_compared(step[None, :], moves, total)
            numerators: float | Array
            if self._is_straight(step):  # every step of one SD is as large
                numerators = float(np.abs(changes[0]) @ self.windows.factors)
            else:
                self.deviations += float(total @ self.windows.deviation(changes))
                numerators = weights_on_grid(self.windows.ends, np.abs(changes), len(self.grid))[0]
            if self._ordered is not None and len(self._ordered) > _MANY_ROWS:
                quadrature = self._nodes_of(self._ordered)
                ordered = self._ordered if len(observed) == len(self._ordered) else None
                masses = quadrature.masses(observed, weights, ordered)
                alike = quadrature.nodes, np.full(len(masses), self._likelihood_scale), masses[:, None]
            else:
                order = self._order(observed, scales)
                alike = observed[order], scales[order], weights[order, None]
            self._add_likelihoods(alike, numerators)
        self.count(weights, missing_change)

    def _is_straight(self, step: Array) -> bool:
        if len(step) < len(self.grid):
            return False
        rise, run = step - step[0], self.grid - self.grid[0]
        deviation = np.abs(rise - rise[-1] / run[-1] * run).max() if len(run) > 1 else 0.0
        return bool(deviation <= _ROUNDING * np.abs(step).max())

    def finish(self) -> None:
        """Add the sums that likelihoods weigh, and release temporary arrays."""
        super().finish()
        if self._quadrature is not None and self._on_nodes.size:
            nodes = self._quadrature.nodes
            scales = np.full(len(nodes), self._likelihood_scale)
            self._add_likelihoods((nodes, scales, self._on_nodes[:-_PADDING]))
        self._ordered, self._quadrature, self._on_nodes = None, None, np.zeros((0, 0))

    def _add_likelihoods(self, rows: Rows, numerators: Array | float | None = None) -> None:
        """Add numerators and denominators of Eq. 2 at all decays.

        - `rows`: values and likelihood scales (n,) of rows, or of nodes that stand for them, for compiled functions
          those of one scale in the order of their values; and w |Δ| of each group of windows and w, (n, n_groups + 1),
          or w alone, (n, 1).
        - `numerators`: where changes are the same in all rows, how much the likelihood at each grid value counts,
          (n_grid,), or the number that it is of denominators.
        """
        (observed, scales, masses), windows = rows, self.windows
        along = [numerators] if isinstance(numerators, np.ndarray) else []
        weights, sums = np.array([*along, windows.denominator_weights]), np.zeros((2, len(self.nodes.exponents)))
        by_groups = numerators is None
        if self._compiled:
            from ice_explorer.metrics.fold_numba import add_likelihoods

            ends = windows.ends if by_groups else _NO_ENDS
            axis = self.grid, self.nodes.exponents, self.nearest
            add_likelihoods(observed, scales, masses, axis, ends, weights, sums[0], sums[-len(weights) :])
        else:
            on_grid = weights_on_grid(windows.ends, masses[:, :-1], len(self.grid)) if by_groups else None
            self._add_by_row((observed, scales, masses[:, -1]), on_grid, weights, sums)
        if isinstance(numerators, float):
            sums[0] = numerators * sums[1]
        self.likelihood_sums = self.likelihood_sums + sums

    def _add_by_row(self, rows: Rows, on_grid: Array | None, weights: Array, sums: Array) -> None:
        """Add likelihoods as NumPy does.

        - `rows` (n,) each: values, likelihood scales and masses.
        - `on_grid` (n, n_grid): how much likelihoods count in the first sum.
        - `weights` (n_sums, n_grid): how much they count in the last sums, times the masses.
        """
        observed, scales, masses = rows
        exponents, n_grid = self.nodes.exponents, len(self.grid)
        are_products = len(observed) * n_grid > _FEW_CELLS and scales.min() == scales.max()
        if are_products:
            rates, low = exponents / scales[0], min(observed.min(), self.grid[0])
            are_products = rates.max() * (max(observed.max(), self.grid[-1]) - low) < _MOST_EXPONENT
        if are_products:
            # e^{-a (v - x)} is a product, so that rows are summed before they are combined with grid values.
            order = observed.argsort()
            observed, masses, on_grid = observed[order], masses[order], None if on_grid is None else on_grid[order]
            of_grid = np.exp(-rates[:, None] * (self.grid - low))
            both = np.empty((2, len(rates), len(observed)))
            np.exp(rates[:, None] * (observed - low + self.nearest * scales[0]), out=both[0])
            np.divide(np.exp(2 * self.nearest * exponents)[:, None], both[0], out=both[1])
            if on_grid is not None:
                is_left = observed[:, None] <= self.grid
                sums[0] += np.einsum("tk,tk->t", of_grid, both[0] @ (on_grid * is_left))
                sums[0] += np.einsum("tk,tk->t", 1.0 / of_grid, both[1] @ (on_grid * ~is_left))
            both *= masses
            # Rows up to each grid value, and beyond the last.
            between = sum_between(both, np.append(0, np.searchsorted(observed, self.grid, "right")))
            from_left, from_right = between[0].cumsum(axis=-1)[:, :-1], between[1, :, ::-1].cumsum(axis=-1)[:, -2::-1]
            likely = of_grid * from_left + from_right / of_grid
            sums[-len(weights) :] += weights @ likely.T
            return
        per_place = masses[:, None] * weights[:, None]
        size = max(1, _CHUNK // n_grid)
        for start in range(0, len(observed), size):
            some = slice(start, start + size)
            scaled = np.maximum(distances(self.grid, observed[some], scales[some]) - self.nearest, 0.0)
            likely = np.exp(-exponents[:, None] * scaled.ravel())
            sums[-len(weights) :] += per_place[:, some].reshape(len(weights), -1) @ likely.T
            if on_grid is not None:
                sums[0] += likely @ on_grid[some].ravel()

    @property
    def is_compiled(self) -> bool:
        """Whether blocks are added by compiled functions."""
        return self._compiled and self.factors is not None

    @property
    def windows_one_by_one(self) -> tuple[Any, ...]:
        """`left`, `right`, `ratios`, `shares` and `left_shares` of the windows."""
        windows = self.windows
        return windows.left, windows.right, windows.ratios, windows.shares, windows.left_shares

    @property
    def window_moments(self) -> Array:
        """Mean and sum of squared deviations of the difference of each window, one by one."""
        return self._at_windows(self.windows.group)[:2]

    def _at_windows(self, group: Places) -> Array:
        """Moments of the changes of groups, (3, n), 0 where there is no group."""
        columns = self.moments.columns
        return np.where(group < 0, 0.0, columns[:, group]) if columns.size else np.zeros((3, len(group)))

    @property
    def step_impact(self) -> float:
        """Mean absolute change by a step of one standard deviation, under either convention [output]."""
        return self.undecayed()["impact"] if self.convention == "step" else self._step_total / self.total_weight

    @property
    def mean_absolute_changes(self) -> Array:
        """Mean absolute change of the prediction within each interval of the grid, (n_grid - 1,) [output]."""
        means = np.zeros(len(self.grid) - 1)
        means[self.active] = self.interval_changes / self.total_weight
        return means

    def with_all_intervals(self) -> OrderedSums:
        """Return finished sums as those of curves that can change in every interval."""
        sums = OrderedSums(self.grid, self.scale, self._shares, self.nodes.decay, None, convention=self.convention)
        for name in ("n_rows", "total_weight", "lowest", "highest", "extent", "nearest", "nodes", "_missing_change"):
            setattr(sums, name, getattr(self, name))
        sums.curves.fill(self.curves.weight, self.expand(self.curves.columns))
        sums.interval_changes, sums._step_total = self.mean_absolute_changes * self.total_weight, self._step_total
        if sums.factors is not None:
            group = self.windows.group[sums.windows.moving[sums.windows.starts[:-1]]]
            sums.moments.fill(self.total_weight, self._at_windows(group))
            sums.deviations, sums.likelihood_sums = self.deviations, self.likelihood_sums
        return sums

    def to_arrays(self) -> Arrays:
        """Return sums that are finished as arrays; see `CurveSums.to_arrays`."""
        active = np.asarray(self.active, np.int64)
        compared = {"intervals": self.interval_changes, "step": np.array([self._step_total])}
        return {**super().to_arrays(), "active": active, **compared}

    def fill(self, arrays: Mapping[str, Values]) -> Self:
        """Set sums; see `CurveSums.fill`."""
        self.interval_changes = check_array(arrays, "intervals", self.interval_changes.shape)
        self._step_total = float(check_array(arrays, "step", (1,))[0])
        return super().fill(arrays)

    def merge(self, parts: Sequence[Self]) -> Self:
        """Add finished sums over parts of the rows, made alike, to sums without rows."""
        for part in parts:
            self.interval_changes += part.interval_changes
            self._step_total += part._step_total  # noqa: SLF001
        return super().merge(parts)


def _gaps(values: Array, others: Array) -> Array:
    """Distance of each value from the nearest of the others, which are increasing."""
    above = np.minimum(np.searchsorted(others, values), len(others) - 1)
    below = np.maximum(above - 1, 0)
    return np.asarray(np.minimum(np.abs(others[above] - values), np.abs(others[below] - values)))
