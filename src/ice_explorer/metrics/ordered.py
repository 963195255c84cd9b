"""Sums of one feature with an order over blocks of its ICE curves, from which every metric follows.

The equations are in `windows`, and what does not depend on the order in `sums`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.metrics.decay import NEAR, choose_decay_nodes
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.quadrature import NO_QUADRATURE, make_quadrature
from ice_explorer.metrics.sums import Changes, CurveSums
from ice_explorer.metrics.windows import CONVENTIONS, make_windows, weights_on_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Places
    from ice_explorer.metrics.quadrature import Quadrature
    from ice_explorer.metrics.sums import Arrays
    from ice_explorer.metrics.windows import Convention, Windows

    Rows = tuple[Array, Array, Array]

_CHUNK: Final = 1 << 16  # numbers that NumPy works on at a time, so that they stay in the cache
_MOST_EXPONENT: Final = 100.0  # whose exponential keeps 14 digits
_PADDING: Final = 3  # columns behind the last node: rows are added to four at a time
MOST_CELLS: Final = 10_000_000
"""Nodes × groups of windows that are kept while the rows of one feature are added: 80 MB."""

_ROUNDING: Final = 8 * np.finfo(float).eps  # of the largest value of a line


class OrderedSums(CurveSums):
    """Sums of one feature with an order over blocks of rows.

    Between two neighbouring grid values a curve can change only if the model can tell them apart. A method that knows
    where that is says so, and hands over each curve's value on every stretch between such *active* intervals instead of
    at every grid value.

    Likelihoods depend on where a row is, and decay from there. Where all rows have one likelihood scale, absolute
    changes are summed at the nodes of a `Quadrature`, and likelihoods enter when all rows are there; else row by row.

    - `grid` (n_grid,).
    - `scale`: σ, the standard deviation of the feature, ddof=0 [feature].
    - `shares` (n_grid,): weight of the observations nearest to each grid value; see `windows.nearest_shares`.
    - `decay`: λ at which in-distribution impact is exact.
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales s_i [feature] and frequency weights,
      greater than 0, of all rows that will be added; None where the sums are filled or merged.
    - `active` (n_active,): intervals in which curves can change, increasing; default all n_grid - 1.
    - `compiled`: whether compiled kernels are used.
    - `most_cells`: nodes × groups that may be kept while rows are added.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        shares: Array,
        decay: float,
        rows: Rows | None,
        *,
        active: Places | None = None,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        self.active = np.arange(len(grid) - 1) if active is None else active
        # A copy, because numba compiles anew for arrays that cannot be written to.
        super().__init__(np.array(grid, np.float64), scale, decay, len(self.active) + 1)
        self.windows: dict[Convention, Windows] = make_windows(grid, shares, scale, self.active)
        self.changes = {name: Changes(windows.factors) for name, windows in self.windows.items()}
        self._shares = shares
        self._compiled = compiled
        self._quadrature: Quadrature | None = None
        # At the nodes, if there is room: Σ w |Δ| of each group of windows, and Σ w.
        self._on_nodes = np.zeros((0, 0))
        self._most_cells = MOST_CELLS if most_cells is None else most_cells
        if rows is None or not self.windows:
            return
        observed, scales, _ = rows
        if scales.min() == scales.max():
            observed = np.sort(observed)
            self._quadrature = make_quadrature(observed, grid, scales[0], decay)
            self._scales_of_nodes = np.full(len(self._quadrature.nodes), scales[0])
        # Sums over parts of the rows merge only where all keep the same decays.
        are_near = bool((scales == scale).all()) and (grid[-1] - grid[0]) <= NEAR * scale
        self.nodes = choose_decay_nodes(decay, are_near=are_near)
        self.nearest = _nearest(observed, scales, grid)
        self._likelihood_sums = np.zeros((2, 2, len(self.nodes.exponents)))  # numerators, denominators; by convention
        for index, changes in enumerate(self.changes.values()):
            changes.likelihood_sums = self._likelihood_sums[:, index]

    def add(self, stretches: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `stretches` (n_rows, n_active + 1): ICE curves on the stretches between active intervals: where all are
          active, at every grid value [output].
        - `rows` (n_rows,) each: observed values, likelihood scales and weights.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
        """
        if len(stretches) == 0:
            return
        self._make_nodes()
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
        self._make_nodes()
        self._add_compiled(None, jumps, rows)
        self.count(rows[2], missing_change)

    def _make_nodes(self) -> None:
        """Make room for changes at the nodes, which parallel curves do not need."""
        if self._quadrature is None or self._on_nodes.size:
            return
        n_nodes, n_groups = len(self._quadrature.nodes), self._n_groups
        if n_nodes * n_groups <= self._most_cells:
            self._on_nodes = np.zeros((n_nodes + _PADDING, n_groups + 1))

    @property
    def _n_groups(self) -> int:
        return sum(len(windows.factors) for windows in self.windows.values())

    def _add_compiled(self, stretches: Array | None, jumps: Any, rows: Rows) -> None:
        from ice_explorer.metrics import ordered_numba

        observed, scales, weights = rows
        by_row = np.empty((0 if self._on_nodes.size else len(weights), self._n_groups + 1))
        ends = np.empty((len(weights), 2))
        of_conventions = [
            (windows.stretches, windows.deviation_terms, self.changes[name].moments.columns)
            for name, windows in self.windows.items()
        ]
        lowest, highest, extent, *along = ordered_numba.add_curves(
            stretches, jumps, (observed, weights), self.total_weight, (self._quadrature or NO_QUADRATURE).arrays,
            self._on_nodes, by_row, ends, self.curves.columns, *of_conventions,
        )  # fmt: skip
        if len(by_row):
            order = np.lexsort((observed, scales)) if self._quadrature is None else np.argsort(observed)
            self._add_likelihoods(observed[order], scales[order], by_row[order])
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        self.extent += extent
        self._ends.append(ends)
        self.curves.weight = self.total_weight + float(rows[2].sum())
        for name, of_curves in zip(CONVENTIONS, along, strict=True):
            self.changes[name].moments.weight = self.curves.weight
            self.changes[name].deviations += of_curves

    def _add_by_numpy(self, stretches: Array, rows: Rows) -> None:
        """Add a few rows: the same sums as those of `ordered_numba`, to which a test holds both."""
        from scipy.sparse import csr_array

        observed, scales, weights = rows
        self._add_curves(stretches, weights)
        masses = []
        for name, windows in self.windows.items():
            changes = windows.changes(stretches)
            self.changes[name].moments.add(changes, weights)
            self.changes[name].deviations += float(weights @ windows.deviation(changes))
            masses.append(np.abs(changes))
        by_row = np.column_stack([*masses, np.ones(len(weights))]) * weights[:, None]
        if self._on_nodes.size and self._quadrature is not None:
            node, shares = self._quadrature.place(observed)
            of_rows = (shares.ravel(), (node[:, None] + np.arange(4)).ravel(), 4 * np.arange(len(node) + 1))
            self._on_nodes += csr_array(of_rows, shape=(len(node), len(self._on_nodes))).T @ by_row
        elif self.windows:
            self._add_likelihoods(observed, scales, by_row)

    def add_parallel_curves(self, step: Array, offsets: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows whose curves are `offsets[:, None] + step`, without forming them.

        Their changes are the same, so that they differ by exactly 0 and not by rounding. `step` is of shape
        (n_active + 1,), `offsets` (n_rows,) [output]; `rows` and `missing_change` are as for `add`.
        """
        if len(offsets) == 0:
            return
        observed, scales, weights = rows
        self._add_parallel_moments(step, offsets, weights)
        total, is_straight, numerators = float(weights.sum()), self._is_straight(step), []
        for name, windows in self.windows.items():
            changes = windows.changes(step[None, :])
            self.changes[name].moments.add_equal(changes[0], total)
            if is_straight:  # every step of one SD is as large
                numerators.append(windows.denominator_weights * float(np.abs(changes[0]) @ windows.factors))
            else:
                self.changes[name].deviations += total * float(windows.deviation(changes)[0])
                numerators.append(weights_on_grid(windows.ends, np.abs(changes), len(self.grid))[0])
        if self._quadrature is not None:
            masses = self._quadrature.masses(observed, weights)[:, None]
            self._add_likelihoods(self._quadrature.nodes, self._scales_of_nodes, masses, numerators)
        elif self.windows:
            order = np.lexsort((observed, scales))
            self._add_likelihoods(observed[order], scales[order], weights[order, None], numerators)
        self.count(weights, missing_change)

    def _is_straight(self, step: Array) -> bool:
        """Whether a curve at all grid values is a straight line but for rounding."""
        if len(step) < len(self.grid):
            return False
        rise, run = step - step[0], self.grid - self.grid[0]
        deviation = np.abs(rise - rise[-1] / run[-1] * run).max() if len(run) > 1 else 0.0
        return bool(deviation <= _ROUNDING * np.abs(step).max())

    def finish(self) -> None:
        """Add the sums that likelihoods weigh, and release temporary arrays."""
        super().finish()
        if self._quadrature is not None and self._on_nodes.size:
            self._add_likelihoods(self._quadrature.nodes, self._scales_of_nodes, self._on_nodes[:-_PADDING])
        self._quadrature, self._on_nodes = None, np.zeros((0, 0))

    def _add_likelihoods(self, observed: Array, scales: Array, masses: Array, numerators: Sequence[Array] = ()) -> None:
        """Add numerators and denominators of Eq. 2 at all decays.

        - `observed`, `scales` (n,): of rows, or of nodes that stand for them; those of one scale in the order of their
          values.
        - `masses` (n, n_columns): w |Δ| of each group of windows, by convention, and w; or w alone.
        - `numerators`: where changes are the same in all rows, how much the likelihood at each grid value counts.
        """
        step, paper = self.windows["step"], self.windows["paper"]
        weights = np.stack([*numerators, step.denominator_weights, paper.denominator_weights])
        sums, n_of_step = self._likelihood_sums, 0 if numerators else len(step.factors)
        if self._compiled:
            from ice_explorer.metrics.ordered_numba import add_likelihoods

            (places, groups, shares), *_ = paper.ends
            ends = (*step.ends, (places, groups + n_of_step, shares))
            if numerators:
                ends = tuple((places[:0], groups[:0], shares[:0]) for places, groups, shares in ends)
            axis, added_to = (self.grid, self.nodes.exponents, self.nearest), sums.reshape(4, -1)[-len(weights) :]
            add_likelihoods(observed, scales, masses, axis, ends, n_of_step, weights, sums[0], added_to)
            return
        by_row = []
        if not numerators:
            of_step, of_paper = np.split(masses[:, :-1], [n_of_step], axis=1)
            of_conventions = (step.ends, of_step), (paper.ends, of_paper)
            by_row = [weights_on_grid(*each, len(self.grid)) for each in of_conventions]
        self._add_by_row(observed, scales, by_row, masses[:, -1], weights)

    def _add_by_row(self, observed: Array, scales: Array, by_row: list[Array], masses: Array, weights: Array) -> None:
        """Add likelihoods as NumPy does.

        - `by_row` (n, n_grid) each: how much they count in the first sums.
        - `masses` (n,), `weights` (n_sums, n_grid): the factors of how much they count in the others.
        """
        exponents, n_grid, sums = self.nodes.exponents, len(self.grid), self._likelihood_sums.reshape(4, -1)
        rates, low, high = exponents / scales[0], min(observed.min(), self.grid[0]), max(observed.max(), self.grid[-1])
        if scales.min() == scales.max() and rates.max() * (high - low) < _MOST_EXPONENT:
            # e^{-a (v - x)} is a product, so that sums over rows and grid values are products of matrices.
            of_grid = np.exp(-rates[:, None] * (self.grid - low))
            of_rows = np.exp(rates[:, None] * (observed - low + self.nearest * scales[0]))
            back = np.exp(-rates[:, None] * (observed - low - self.nearest * scales[0]))
            is_left = observed[:, None] <= self.grid
            for index, on_grid in enumerate(by_row):
                sums[index] += np.einsum("tk,tk->t", of_grid, of_rows @ (on_grid * is_left))
                sums[index] += np.einsum("tk,tk->t", 1.0 / of_grid, back @ (on_grid * ~is_left))
            likely = of_grid * ((of_rows * masses) @ is_left) + (back * masses) @ ~is_left / of_grid
            sums[-len(weights) :] += weights @ likely.T
            return
        per_place = np.stack([*by_row, *(of_sum * masses[:, None] for of_sum in weights)])
        size = max(1, _CHUNK // n_grid)
        for start in range(0, len(observed), size):
            some = slice(start, start + size)
            scaled = distances(self.grid, observed[some], scales[some]) - self.nearest
            likely = np.exp(-exponents[:, None] * scaled.ravel())
            sums += per_place[:, some].reshape(len(sums), -1) @ likely.T

    @property
    def is_compiled(self) -> bool:
        """Whether blocks are added by compiled functions."""
        return self._compiled and bool(self.windows)

    def at_grid(self, columns: Array) -> Array:
        """Write what holds on stretches (…, n_active + 1) at every grid value, (…, n_grid)."""
        if columns.shape[-1] == len(self.grid):
            return columns
        return np.asarray(columns[..., np.searchsorted(self.active, np.arange(len(self.grid)))])

    def windows_one_by_one(self, convention: Convention) -> tuple[Any, ...]:
        """Return `left`, `right`, `ratios`, `shares` and `left_shares` of the windows."""
        windows = self.windows[convention]
        return windows.left, windows.right, windows.ratios, windows.shares, windows.left_shares

    def window_moments(self, convention: Convention) -> Array:
        """Mean, sum of squared deviations, and sum of absolute values of the difference of each window, one by one."""
        columns, group = self.changes[convention].moments.columns, self.windows[convention].group
        return np.where(group < 0, 0.0, columns[:, group]) if columns.size else np.zeros((3, len(group)))

    def at_every_interval(self) -> OrderedSums:
        """Return finished sums as those of curves that can change in every interval."""
        sums = OrderedSums(self.grid, self.scale, self._shares, self.nodes.decay, None)
        for name in ("n_rows", "total_weight", "lowest", "highest", "extent", "nearest", "nodes", "_missing_change"):
            setattr(sums, name, getattr(self, name))
        sums.curves.fill(self.curves.weight, self.at_grid(self.curves.columns))
        for name, changes in sums.changes.items():
            observed, windows = self.changes[name], sums.windows[name]
            first = windows.order[windows.starts[:-1]]
            changes.moments.fill(observed.moments.weight, self.window_moments(name)[:, first])
            changes.deviations, changes.likelihood_sums = observed.deviations, observed.likelihood_sums
        return sums

    @property
    def mean_absolute_changes(self) -> Array:
        """Mean absolute change of the prediction within each interval of the grid, (n_grid - 1,) [output]."""
        if not self.changes:
            return np.zeros(len(self.grid) - 1)
        return np.asarray(self.window_moments("paper")[2] / self.total_weight)

    def to_arrays(self) -> Arrays:
        """Return sums that are finished as arrays; see `CurveSums.to_arrays`."""
        return {**super().to_arrays(), "active": np.asarray(self.active, np.int64)}


def _nearest(observed: Array, scales: Array, grid: Array) -> float:
    """Smallest distance of an observed value from a grid value, in likelihood scales."""
    above = np.minimum(np.searchsorted(grid, observed), len(grid) - 1)
    gaps = np.minimum(np.abs(grid[above] - observed), np.abs(grid[np.maximum(above - 1, 0)] - observed))
    return float((gaps / scales).min())
