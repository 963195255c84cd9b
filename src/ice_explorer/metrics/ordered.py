"""Sums of one feature with an order over blocks of its ICE curves, from which every metric follows.

The equations are in `windows`, and what does not depend on the order in `sums`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.metrics.decay import NEAR, nodes_of
from ice_explorer.metrics.lattice import NO_LATTICE, make_lattice
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.sums import Changes, CurveSums, Moments
from ice_explorer.metrics.windows import CONVENTIONS, window_ends, windows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.metrics.lattice import Lattice
    from ice_explorer.metrics.sums import Arrays
    from ice_explorer.metrics.windows import Convention, Windows

    Array = NDArray[np.float64]
    Rows = tuple[Array, Array, Array]

_ROWS_AT_A_TIME: Final = 4096
_PADDING: Final = 3  # columns behind the last node: rows are added to four at a time
_CHUNK: Final = 1 << 14  # numbers that NumPy works on at a time, so that they stay in the cache
MOST_CELLS: Final = 1 << 21
"""Nodes × windows that are kept while the rows of one feature are added: 16 MB."""

_ROUNDING: Final = 8 * np.finfo(float).eps  # of the largest value of a line


@dataclass(eq=False)
class _Pending:
    """What rows of one convention are added to until all are there.

    - `own` (n_exponents,): numerators of Eq. 2, without a lattice.
    - `on_nodes` (n_changes, at least n_nodes): Σ w |Δ| of the rows that each node of a lattice stands for.
    - `parallel` (n_changes,): |Δ| of parallel curves.
    """

    own: Array
    on_nodes: Array
    parallel: Array | None = None


class FeatureSums(CurveSums):
    """Sums of one feature with an order over blocks of rows.

    Between two neighbouring grid values a curve can change only if the model can tell them apart. A method that knows
    where that is says so, and hands over each curve's value on every stretch between such *active* intervals instead of
    at every grid value.

    - `grid` (n_grid,).
    - `scale`: σ, the standard deviation of the feature, ddof=0 [feature].
    - `shares` (n_grid,): weight of the observations nearest to each grid value; see `windows.nearest_shares`.
    - `decay`: λ at which in-distribution impact is exact.
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales s_i [feature] and frequency weights,
      greater than 0, of all rows that will be added; None where the sums are filled or merged.
    - `active` (n_active,): intervals in which curves can change, increasing; default all n_grid - 1.
    - `compiled`: whether compiled kernels are used.
    - `most_cells`: nodes × windows that may be kept while rows are added; beyond, each row is added at all decays.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        shares: Array,
        decay: float,
        rows: Rows | None,
        *,
        active: NDArray[np.intp] | None = None,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        self.active = np.arange(len(grid) - 1) if active is None else active
        # A copy, because numba compiles anew for arrays that cannot be written to.
        super().__init__(np.array(grid, np.float64), scale, decay, len(self.active) + 1)
        self.windows: dict[Convention, Windows] = windows_of(grid, shares, scale, self.active)
        self.changes = {name: Changes(windows.factors) for name, windows in self.windows.items()}
        self._shares = shares
        self._compiled = compiled
        self._rows = rows
        self._lattice: Lattice | None = None
        self._pending: dict[Convention, _Pending] = {}
        if rows is None or not self.windows:
            return
        observed, scales, _ = self._rows = _in_order(*rows)
        are_near = bool((scales == scale).all()) and (grid[-1] - grid[0]) <= NEAR * scale
        self.nodes = nodes_of(decay, are_near=are_near)
        self._exponents = self.nodes.exponents
        self.nearest = _nearest(observed, scales, grid)
        n_most = max(len(windows.factors) for windows in self.windows.values())
        if compiled and scales.min() == scales.max():
            lattice = make_lattice(observed, grid, float(scales[0]), decay)
            if len(lattice.nodes) * n_most <= (MOST_CELLS if most_cells is None else most_cells):
                self._lattice = lattice
        n_nodes = 0 if self._lattice is None else len(self._lattice.nodes)
        self._pending = {
            name: _Pending(np.zeros(len(self._exponents)), np.zeros((len(windows.factors), n_nodes + _PADDING)))
            for name, windows in self.windows.items()
        }

    def add(self, stretches: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `stretches` (n_rows, n_active + 1): ICE curves on the stretches between active intervals: where all are
          active, at every grid value [output].
        - `rows` (n_rows,) each: observed values, likelihood scales and weights.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
        """
        if len(stretches) == 0:
            return
        if self.is_compiled:
            self._fold(np.ascontiguousarray(stretches), None, rows)
        else:
            size = max(1, _CHUNK // stretches.shape[1])
            for start in range(0, len(stretches), size):
                some = slice(start, start + size)
                self._fold_plainly(stretches[some], (rows[0][some], rows[1][some], rows[2][some]))
        self.count(rows[2], missing_change)

    def add_jumps(self, jumps: Any, rows: Rows, missing_change: Array | None = None) -> None:
        """Add rows by the jumps of a sweep of trees, which are set back to 0; only where sums are compiled."""
        self._fold(None, jumps, rows)
        self.count(rows[2], missing_change)

    def _fold(self, stretches: Array | None, jumps: Any, rows: Rows) -> None:
        from ice_explorer.metrics import fold_numba

        lattice = NO_LATTICE if self._lattice is None else self._lattice
        of_conventions = []
        for name in CONVENTIONS:
            moments, pending = self.changes[name].moments, self._pending[name]
            sums = moments.mean, moments.squared, moments.absolute, pending.own, pending.on_nodes
            of_conventions.append((self.windows[name].arrays, sums))
        curves = self.curves.mean, self.curves.squared, self.curves.absolute
        lowest, highest, extent, *along = fold_numba.fold(
            stretches, jumps, rows, self.total_weight, self.grid, self._exponents, self.nearest, lattice.arrays,
            curves, *of_conventions,
        )  # fmt: skip
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        self.extent += extent
        self.curves.weight = self.total_weight + float(rows[2].sum())
        for name, of_curves in zip(CONVENTIONS, along, strict=True):
            self.changes[name].moments.weight = self.curves.weight
            self.changes[name].along += of_curves

    def _fold_plainly(self, stretches: Array, rows: Rows) -> None:
        """Add a few rows: the same sums as those of `fold_numba`, to which a test holds both."""
        observed, scales, weights = rows
        self._add_curves(stretches, weights)
        if not self.windows:
            return
        apart = distances(self.grid, observed, scales) - self.nearest
        likely = np.exp(-self._exponents[:, None, None] * apart)
        for name, windows in self.windows.items():
            changes = stretches[:, windows.right] - stretches[:, windows.left]
            self.changes[name].moments.add(changes, weights)
            self.changes[name].along += float(weights @ windows.deviation(changes))
            weighted = weights[:, None] * np.abs(changes)
            self._pending[name].own += np.tensordot(windows.likelihoods(likely), weighted, axes=2)

    def add_parallel(self, step: Array, offsets: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows whose curves are `offsets[:, None] + step`, without forming them.

        Their changes are the same, so that they differ by exactly 0 and not by rounding. `step` is of shape
        (n_active + 1,), `offsets` (n_rows,) [output]; `rows` and `missing_change` are as for `add`.
        """
        if len(offsets) == 0:
            return
        weights = rows[2]
        self._add_parallel_curves(step, offsets, weights)
        is_straight = self._is_straight(step)
        for name, windows in self.windows.items():
            changes = step[windows.right] - step[windows.left]
            self.changes[name].moments.add_equal(changes, float(weights.sum()))
            if not is_straight:
                self.changes[name].along += float(weights.sum() * windows.deviation(changes[None, :])[0])
            self._pending[name].parallel = np.abs(changes)
        self.count(weights, missing_change)

    def _is_straight(self, step: Array) -> bool:
        """Whether a curve at all grid values is a straight line but for rounding."""
        if len(step) < len(self.grid):
            return False
        rise, run = step - step[0], self.grid - self.grid[0]
        apart = np.abs(rise - rise[-1] / run[-1] * run).max() if len(run) > 1 else 0.0
        return bool(apart <= _ROUNDING * np.abs(step).max())

    def finish(self) -> None:
        """Sum what needs all rows, and release what is only needed while rows are added."""
        if self._rows is None or not self.windows:
            return
        per_place = []
        for name, windows in self.windows.items():
            parallel = self._pending[name].parallel
            per_place += [
                windows.likely,
                np.zeros_like(windows.likely) if parallel is None else windows.at_places(parallel),
            ]
        totals = self._likelihood_sums(np.stack(per_place))
        for at, (name, changes) in enumerate(self.changes.items()):
            pending = self._pending[name]
            changes.likelihood = totals[2 * at]
            if pending.parallel is not None:
                changes.by_likelihood = totals[2 * at + 1]
            elif self._lattice is None:
                changes.by_likelihood = pending.own
            else:
                changes.by_likelihood = self._sums_of_nodes(name)
        self._rows, self._lattice, self._pending = None, None, {}

    def _sums_of_nodes(self, name: Convention) -> Array:
        from ice_explorer.metrics import fold_numba

        assert self._lattice is not None  # noqa: S101 - rows were added to its nodes
        assert self._rows is not None  # noqa: S101 - likewise
        return np.asarray(
            fold_numba.sums_of_nodes(
                self._lattice.nodes,
                self._pending[name].on_nodes,
                float(self._rows[1][0]),
                self.grid,
                self._exponents,
                self.nearest,
                self.windows[name].arrays,
            )
        )

    def _likelihood_sums(self, per_place: Array) -> Array:
        """Sum weights of likelihoods at grid values over all rows, (n_channels, n_exponents)."""
        assert self._rows is not None  # noqa: S101 - they were given
        observed, scales, weights = self._rows
        if not self._compiled:
            return _likelihood_sums(self._rows, self.grid, per_place, self._exponents, self.nearest)
        from ice_explorer.metrics.fold_numba import likelihood_sums, masses_on

        if self._lattice is None:
            return np.asarray(
                likelihood_sums(observed, scales, weights, self.grid, per_place, self._exponents, self.nearest)
            )
        nodes = self._lattice.nodes
        masses = masses_on(self._lattice.arrays, observed, weights, len(nodes))
        of_nodes = nodes, np.full(len(nodes), scales[0]), masses
        return np.asarray(likelihood_sums(*of_nodes, self.grid, per_place, self._exponents, self.nearest))

    @property
    def is_compiled(self) -> bool:
        """Whether blocks are added by the compiled fold."""
        return self._compiled and bool(self.windows)

    def at_grid(self, columns: Array) -> Array:
        """Write what holds on stretches (…, n_active + 1) at every grid value, (…, n_grid)."""
        stretch = np.searchsorted(self.active, np.arange(len(self.grid)))
        return np.asarray(columns[..., stretch])

    def dense(self, convention: Convention) -> tuple[Any, ...]:
        """Windows one by one: left and right grid values, c_k, p_k, and the shares of both sides in likelihoods."""
        places = np.arange(len(self.grid))
        if convention == "step":
            left, right = window_ends(self.grid, self.scale)
            shares, sides = self._shares / self._shares.sum(), (np.full(len(left), 0.5), np.full(len(left), 0.5))
        else:
            left, right = places[:-1], places[1:]
            shares = np.full(len(left), 1.0 / len(places))
            shares[0] *= 2.0
            of_left = np.where(left == 0, 0.5, 0.0)
            sides = of_left, 1.0 - of_left
        return left, right, self.scale / (self.grid[right] - self.grid[left]), shares, sides

    def dense_moments(self, convention: Convention) -> tuple[Array, Array]:
        """Mean and sum of squared deviations of D of each window."""
        left, right, ratios, _, _ = self.dense(convention)
        moments = self._of_windows(convention, left, right)
        return moments.mean * ratios, moments.squared * ratios**2

    def _of_windows(self, convention: Convention, left: NDArray[np.int64], right: NDArray[np.int64]) -> Moments:
        """Moments of the differences between grid values."""
        stretch = np.searchsorted(self.active, np.arange(len(self.grid)))
        windows, moments, n_stretches = self.windows[convention], self.changes[convention].moments, len(self.active) + 1
        group = dict(zip((windows.left * n_stretches + windows.right).tolist(), range(len(windows.left)), strict=True))
        at = [group.get(key, -1) for key in (stretch[left] * n_stretches + stretch[right]).tolist()]
        found = Moments(0)
        found.weight = moments.weight
        found.mean, found.squared, found.absolute = (
            np.append(columns, 0.0)[at] for columns in (moments.mean, moments.squared, moments.absolute)
        )
        return found

    def at_every_interval(self) -> FeatureSums:
        """Return finished sums as those of curves that can change in every interval."""
        sums = FeatureSums(self.grid, self.scale, self._shares, self.nodes.decay, None)
        curves = Moments(0)
        curves.weight, curves.mean, curves.squared, curves.absolute = (
            self.curves.weight,
            *map(self.at_grid, (self.curves.mean, self.curves.squared, self.curves.absolute)),
        )
        for name in ("n_rows", "total_weight", "lowest", "highest", "extent", "nearest", "nodes", "_missing_change"):
            setattr(sums, name, getattr(self, name))
        sums.curves = curves
        for name, changes in sums.changes.items():
            windows, own = sums.windows[name], self.changes[name]
            changes.moments = self._of_windows(name, windows.left, windows.right)
            changes.along, changes.by_likelihood, changes.likelihood = own.along, own.by_likelihood, own.likelihood
        return sums

    @property
    def movement(self) -> Array:
        """Mean absolute change of the prediction within each interval of the grid, (n_grid - 1,) [output]."""
        found = np.zeros(len(self.grid) - 1)
        if self.changes:
            found[self.active] = self.changes["paper"].moments.absolute / self.total_weight
        return found

    def to_arrays(self) -> Arrays:
        """Return sums that are finished as arrays; see `CurveSums.to_arrays`."""
        return {**super().to_arrays(), "active": np.asarray(self.active, np.int64)}


def _in_order(observed: Array, scales: Array, weights: Array) -> Rows:
    """Sort rows by their observed values, where they share one likelihood scale; otherwise by that."""
    if scales.min() < scales.max():
        order = np.argsort(scales, kind="stable")
    elif weights.min() == weights.max():
        return np.sort(observed), np.full(len(observed), scales[0]), weights
    else:
        order = np.argsort(observed, kind="stable")
    return observed[order], scales[order], weights[order]


def _nearest(observed: Array, scales: Array, grid: Array) -> float:
    """Smallest distance of an observed value from a grid value, in likelihood scales."""
    above = np.minimum(np.searchsorted(grid, observed), len(grid) - 1)
    gaps = np.minimum(np.abs(grid[above] - observed), np.abs(grid[np.maximum(above - 1, 0)] - observed))
    return float((gaps / scales).min())


def _likelihood_sums(rows: Rows, grid: Array, per_place: Array, exponents: Array, nearest: float) -> Array:
    """Do what `fold_numba.likelihood_sums` does, for rows of one scale by running sums along the axis."""
    observed, scales, weights = rows
    if scales.min() < scales.max():
        found = np.zeros((len(per_place), len(exponents)))
        size = max(1, _CHUNK // len(grid))
        for start in range(0, len(observed), size):
            some = slice(start, start + size)
            apart = distances(grid, observed[some], scales[some]) - nearest
            for at, exponent in enumerate(exponents):
                found[:, at] += per_place @ (weights[some] @ np.exp(-exponent * apart))
        return found
    rates = exponents / scales[0]
    factors = np.exp(-np.diff(grid)[:, None] * rates)
    below = np.zeros((len(grid) + 1, len(per_place), len(rates)))
    above = np.zeros_like(below)
    for place in range(len(grid)):
        below[place + 1] = per_place[:, place, None] + (below[place] * factors[place - 1] if place else 0.0)
    for place in range(len(grid) - 1, -1, -1):
        above[place] = per_place[:, place, None] + (above[place + 1] * factors[place] if place < len(grid) - 1 else 0.0)
    found = np.zeros((len(per_place), len(rates)))
    padded = np.concatenate([[-np.inf], grid, [np.inf]])
    for start in range(0, len(observed), _ROWS_AT_A_TIME):
        own, mass = observed[start : start + _ROWS_AT_A_TIME], weights[start : start + _ROWS_AT_A_TIME]
        cell = np.searchsorted(grid, own, "right")
        for sums, apart in ((below, own - padded[cell]), (above, padded[cell + 1] - own)):
            is_inside = np.isfinite(apart)
            offsets = np.exp(-(apart[is_inside, None] - nearest * scales[0]) * rates) * mass[is_inside, None]
            at_cells = np.zeros((len(grid) + 1, len(rates)))
            np.add.at(at_cells, cell[is_inside], offsets)
            found += np.einsum("jct,jt->ct", sums, at_cells)
    return found
