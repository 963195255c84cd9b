"""Sums of one feature with an order over blocks of its ICE curves, from which every metric follows.

The equations are in `windows`, and what does not depend on the order in `sums`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.metrics.decay import choose_decay_nodes
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.quadrature import NO_QUADRATURE, make_quadrature
from ice_explorer.metrics.sums import Changes, CurveSums, checked
from ice_explorer.metrics.windows import make_windows, weights_on_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from ice_explorer.arrays import Array, Places, Values
    from ice_explorer.metrics.quadrature import Quadrature
    from ice_explorer.metrics.sums import Arrays
    from ice_explorer.metrics.windows import Convention

    Rows = tuple[Array, Array, Array]

_CHUNK: Final = 1 << 16  # numbers that NumPy works on at a time, so that they stay in the cache
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
    - `shares` (n_grid,): weight of the observations nearest to each grid value; see `windows.nearest_shares`.
    - `decay`: λ at which in-distribution impact is exact.
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales s_i [feature] and frequency weights,
      greater than 0, of all rows that will be added; None where the sums are filled or merged.
    - `convention`: what figures are averages of.
    - `active` (n_active,): intervals in which curves can change, increasing; default all n_grid - 1.
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
        active: Places | None = None,
        compiled: bool = False,
        most_cells: int = MOST_CELLS,
    ) -> None:
        self.active = np.arange(len(grid) - 1) if active is None else active
        # A copy, because numba compiles anew for arrays that cannot be written to.
        super().__init__(np.array(grid, np.float64), scale, decay, len(self.active) + 1)
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
        self.changes = Changes(self.windows.factors)
        if rows is None:
            return
        observed, scales, _ = rows
        if scales.min() == scales.max():
            self._ordered, self._likelihood_scale = np.sort(observed), float(scales[0])
        # Sums over parts of the rows merge only where all keep the same decays.
        farthest = float((grid[-1] - grid[0]) / scale) if (scales == scale).all() else math.inf
        self.nodes = choose_decay_nodes(decay, farthest)
        # Of the values that count: likelihoods are relative to it, so that some are not too small to be written.
        self.nearest = _nearest(observed, scales, grid[self.windows.denominator_weights > 0], self._ordered)
        self.changes.likelihood_sums = np.zeros((2, len(self.nodes.exponents)))

    def add(self, stretches: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `stretches` (n_rows, n_active + 1): ICE curves on the stretches between active intervals: where all are
          active, at every grid value [output].
        - `rows` (n_rows,) each: observed values, likelihood scales and weights.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
        """
        if len(stretches) == 0:
            return
        self._choose_nodes()
        if self._compiled and self.changes is not None:
            self._add_compiled(self.changes, np.ascontiguousarray(stretches), None, rows)
        else:
            size = max(1, _CHUNK // stretches.shape[1])
            for start in range(0, len(stretches), size):
                some = slice(start, start + size)
                self._add_by_numpy(stretches[some], (rows[0][some], rows[1][some], rows[2][some]))
        self.count(rows[2], missing_change)

    def add_jumps(self, jumps: Any, rows: Rows, missing_change: Array | None = None) -> None:
        """Add rows by the jumps of a sweep of trees, which are set back to 0; only where sums are compiled."""
        self._choose_nodes()
        assert self.changes is not None  # noqa: S101 - sums are compiled
        self._add_compiled(self.changes, None, jumps, rows)
        self.count(rows[2], missing_change)

    def _choose_nodes(self) -> None:
        """Choose nodes, and make room for changes at them, unless these would be too many."""
        if self._ordered is None or self.changes is None or self._on_nodes.size:
            return
        n_groups = len(self.changes.factors)
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

    def _add_compiled(self, changes: Changes, stretches: Array | None, jumps: Any, rows: Rows) -> None:
        from ice_explorer.metrics import ordered_numba

        (observed, scales, weights), windows = rows, self.windows
        by_row = np.empty((0 if self._on_nodes.size else len(weights), len(changes.factors) + 1))
        ends, step = np.empty((len(weights), 2)), self._step_windows
        lowest, highest, extent, deviations, step_total = ordered_numba.add_curves(
            stretches, jumps, (observed, weights), self.total_weight, (self._quadrature or NO_QUADRATURE).arrays,
            self._on_nodes, by_row, ends, self.curves.columns, changes.moments.columns, self.interval_changes,
            windows.stretches, windows.deviation_terms, _NO_STEP if step is None else (step.stretches, step.factors),
        )  # fmt: skip
        if len(by_row):
            order = np.lexsort((observed, scales)) if self._ordered is None else np.argsort(observed)
            self._add_likelihoods(changes, (observed[order], scales[order], by_row[order]))
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        self.extent += extent
        self._ends.append(ends)
        self.curves.weight = changes.moments.weight = self.total_weight + float(weights.sum())
        changes.deviations += deviations
        self._step_total += step_total

    def _add_by_numpy(self, stretches: Array, rows: Rows) -> None:
        """Add a few rows: the same sums as those of `ordered_numba`, to which a test holds both."""
        from scipy.sparse import csr_array

        observed, scales, weights = rows
        self._add_curves(stretches, weights)
        if self.changes is None:
            return
        changes = self.windows.changes(stretches)
        self.changes.moments.add(changes, weights)
        self.changes.deviations += float(weights @ self.windows.deviation(changes))
        self._add_compared(stretches, weights)
        by_row = np.column_stack([np.abs(changes), np.ones(len(weights))]) * weights[:, None]
        if self._on_nodes.size and self._quadrature is not None:
            node, shares = self._quadrature.place(observed)
            of_rows = (shares.ravel(), (node[:, None] + np.arange(4)).ravel(), 4 * np.arange(len(node) + 1))
            self._on_nodes += csr_array(of_rows, shape=(len(node), len(self._on_nodes))).T @ by_row
        else:
            self._add_likelihoods(self.changes, (observed, scales, by_row))

    def _add_compared(self, stretches: Array, weights: Array) -> None:
        """Add what notes compare: changes within intervals, and under "paper" the impact by "step"."""
        self.interval_changes += weights @ np.abs(np.diff(stretches, axis=1))
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
        self._add_parallel_moments(step, offsets, weights)
        if self.changes is not None:
            changes, total = self.windows.changes(step[None, :]), weights.sum(keepdims=True)
            self.changes.moments.add_equal(changes[0], float(total[0]))
            self._add_compared(step[None, :], total)
            numerators: float | Array
            if self._is_straight(step):  # every step of one SD is as large
                numerators = float(np.abs(changes[0]) @ self.windows.factors)
            else:
                self.changes.deviations += float(total @ self.windows.deviation(changes))
                numerators = weights_on_grid(self.windows.ends, np.abs(changes), len(self.grid))[0]
            if self._ordered is not None:
                quadrature = self._nodes_of(self._ordered)
                ordered = self._ordered if len(observed) == len(self._ordered) else None
                alike = self._at_nodes(quadrature, quadrature.masses(observed, weights, ordered)[:, None])
            else:
                order = np.lexsort((observed, scales))
                alike = observed[order], scales[order], weights[order, None]
            self._add_likelihoods(self.changes, alike, numerators)
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
        if self._quadrature is not None and self._on_nodes.size and self.changes is not None:
            self._add_likelihoods(self.changes, self._at_nodes(self._quadrature, self._on_nodes[:-_PADDING]))
        self._ordered, self._quadrature, self._on_nodes = None, None, np.zeros((0, 0))

    def _at_nodes(self, quadrature: Quadrature, masses: Array) -> Rows:
        """Return nodes with what is at them as rows."""
        return quadrature.nodes, np.full(len(masses), self._likelihood_scale), masses

    def _add_likelihoods(self, changes: Changes, rows: Rows, numerators: Array | float | None = None) -> None:
        """Add numerators and denominators of Eq. 2 at all decays.

        - `rows`: values and likelihood scales (n,) of rows, or of nodes that stand for them, those of one scale in the
          order of their values; and w |Δ| of each group of windows and w, (n, n_groups + 1), or w alone, (n, 1).
        - `numerators`: where changes are the same in all rows, how much the likelihood at each grid value counts,
          (n_grid,), or the number that it is of denominators.
        """
        (observed, scales, masses), windows = rows, self.windows
        along = [numerators] if isinstance(numerators, np.ndarray) else []
        weights, sums = np.stack([*along, windows.denominator_weights]), np.zeros((2, len(self.nodes.exponents)))
        by_groups = numerators is None
        if self._compiled:
            from ice_explorer.metrics.ordered_numba import add_likelihoods

            ends = windows.ends if by_groups else _NO_ENDS
            axis = self.grid, self.nodes.exponents, self.nearest
            add_likelihoods(observed, scales, masses, axis, ends, weights, sums[0], sums[-len(weights) :])
        else:
            on_grid = weights_on_grid(windows.ends, masses[:, :-1], len(self.grid)) if by_groups else None
            self._add_by_row((observed, scales, masses[:, -1]), on_grid, weights, sums)
        if isinstance(numerators, float):
            sums[0] = numerators * sums[1]
        changes.likelihood_sums = changes.likelihood_sums + sums

    def _add_by_row(self, rows: Rows, on_grid: Array | None, weights: Array, sums: Array) -> None:
        """Add likelihoods as NumPy does.

        - `rows` (n,) each: values, likelihood scales and masses.
        - `on_grid` (n, n_grid): how much likelihoods count in the first sum.
        - `weights` (n_sums, n_grid): how much they count in the last sums, times the masses.
        """
        observed, scales, masses = rows
        exponents, n_grid = self.nodes.exponents, len(self.grid)
        rates, low, high = exponents / scales[0], min(observed.min(), self.grid[0]), max(observed.max(), self.grid[-1])
        if scales.min() == scales.max() and rates.max() * (high - low) < _MOST_EXPONENT:
            # e^{-a (v - x)} is a product, so that sums over rows and grid values are products of matrices.
            of_grid = np.exp(-rates[:, None] * (self.grid - low))
            of_rows = np.exp(rates[:, None] * (observed - low + self.nearest * scales[0]))
            back = np.exp(-rates[:, None] * (observed - low - self.nearest * scales[0]))
            is_left = observed[:, None] <= self.grid
            if on_grid is not None:
                sums[0] += np.einsum("tk,tk->t", of_grid, of_rows @ (on_grid * is_left))
                sums[0] += np.einsum("tk,tk->t", 1.0 / of_grid, back @ (on_grid * ~is_left))
            likely = of_grid * ((of_rows * masses) @ is_left) + (back * masses) @ ~is_left / of_grid
            sums[-len(weights) :] += weights @ likely.T
            return
        by_groups = [] if on_grid is None else [on_grid]
        per_place = np.stack([*by_groups, *(of_sum * masses[:, None] for of_sum in weights)])
        size = max(1, _CHUNK // n_grid)
        for start in range(0, len(observed), size):
            some = slice(start, start + size)
            scaled = np.maximum(distances(self.grid, observed[some], scales[some]) - self.nearest, 0.0)
            likely = np.exp(-exponents[:, None] * scaled.ravel())
            sums[-len(per_place) :] += per_place[:, some].reshape(len(per_place), -1) @ likely.T

    @property
    def is_compiled(self) -> bool:
        """Whether blocks are added by compiled functions."""
        return self._compiled and self.changes is not None

    def at_grid(self, columns: Array) -> Array:
        """Write what holds on stretches (…, n_active + 1) at every grid value, (…, n_grid)."""
        if columns.shape[-1] == len(self.grid):
            return columns
        return np.asarray(columns[..., np.searchsorted(self.active, np.arange(len(self.grid)))])

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
        columns = np.zeros((3, 0)) if self.changes is None else self.changes.moments.columns
        return np.where(group < 0, 0.0, columns[:, group]) if columns.size else np.zeros((3, len(group)))

    @property
    def step_impact(self) -> float:
        """Mean absolute change by a step of one standard deviation, under either convention [output]."""
        return self.undecayed().impact if self.convention == "step" else self._step_total / self.total_weight

    @property
    def mean_absolute_changes(self) -> Array:
        """Mean absolute change of the prediction within each interval of the grid, (n_grid - 1,) [output]."""
        means = np.zeros(len(self.grid) - 1)
        means[self.active] = self.interval_changes / self.total_weight
        return means

    def at_every_interval(self) -> OrderedSums:
        """Return finished sums as those of curves that can change in every interval."""
        sums = OrderedSums(self.grid, self.scale, self._shares, self.nodes.decay, None, convention=self.convention)
        for name in ("n_rows", "total_weight", "lowest", "highest", "extent", "nearest", "nodes", "_missing_change"):
            setattr(sums, name, getattr(self, name))
        sums.curves.fill(self.curves.weight, self.at_grid(self.curves.columns))
        sums.interval_changes, sums._step_total = self.mean_absolute_changes * self.total_weight, self._step_total
        if sums.changes is not None and self.changes is not None:
            group = self.windows.group[sums.windows.order[sums.windows.starts[:-1]]]
            sums.changes.moments.fill(self.total_weight, self._at_windows(group))
            sums.changes.deviations = self.changes.deviations
            sums.changes.likelihood_sums = self.changes.likelihood_sums
        return sums

    def to_arrays(self) -> Arrays:
        """Return sums that are finished as arrays; see `CurveSums.to_arrays`."""
        active = np.asarray(self.active, np.int64)
        compared = {"intervals": self.interval_changes, "step": np.array([self._step_total])}
        return {**super().to_arrays(), "active": active, **compared}

    def fill(self, arrays: Mapping[str, Values]) -> Self:
        """Set sums; see `CurveSums.fill`."""
        self.interval_changes = checked(arrays, "intervals", self.interval_changes.shape)
        self._step_total = float(checked(arrays, "step", (1,))[0])
        return super().fill(arrays)

    def merge(self, parts: Sequence[Self]) -> Self:
        """Add finished sums over parts of the rows, made alike, to sums without rows."""
        for part in parts:
            self.interval_changes += part.interval_changes
            self._step_total += part._step_total  # noqa: SLF001
        return super().merge(parts)


def _nearest(observed: Array, scales: Array, grid: Array, ordered: Array | None) -> float:
    """Smallest distance of an observed value from a grid value, in likelihood scales; `ordered` if all have one."""
    if ordered is not None:  # a gap is the same from either end, and grid values are fewer
        return float(_gaps(grid, ordered).min() / scales[0])
    return float((_gaps(observed, grid) / scales).min())


def _gaps(values: Array, others: Array) -> Array:
    """Distance of each value from the nearest of the others, which are increasing."""
    above = np.minimum(np.searchsorted(others, values), len(others) - 1)
    below = np.maximum(above - 1, 0)
    return np.asarray(np.minimum(np.abs(others[above] - values), np.abs(others[below] - values)))
