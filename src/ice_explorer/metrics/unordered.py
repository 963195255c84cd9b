r"""Sums of one unordered feature over blocks of its ICE curves, from which every metric follows.

Levels have no order, so that a curve has no slope: what counts is its change between every two
levels, weighed by how often both occur. Notation: observations of weight w_i (W = Σw_i), levels of
shares p_a, pairs a < b of weight q_ab ∝ p_a p_b with Σq = 1, changes Δ_iab = C[i,b] - C[i,a], and
σ_c = √((1 - Σp²)/2), the standard deviation of a 0/1 coding where there are two levels.

A phantom's likelihood is :math:`\lambda^{d}` with d = 0 at the own level and 1 at every other one, or,
given the other features, one minus the probability of the level. The likelihood of a pair is the mean of
those of its two levels. Both conventions are the same here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.metrics.sums import CurveSums
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ice_explorer.arrays import Array, Places

    Rows = tuple[Array, Array | None, Array]

_CHUNK: Final = 1 << 16  # predictions worked on at a time, so that they stay in the cache
_MANY_PAIRS: Final = 1 << 17  # of levels: numba takes less to load than NumPy to add up their changes
_ROWS_AT_A_TIME: Final = 512  # of so many pairs, each of which is merged once for these rows
_FEWEST_AT_A_TIME: Final = 128  # likewise: smaller blocks wait for others


def category_scale(shares: Array) -> float:
    """σ_c of levels that have these shares of the observations, which sum to 1."""
    # 1 - Σp² as Σ p_a p_b over a ≠ b, which does not cancel where one level holds nearly all.
    return math.sqrt(float(shares @ _sums_of_others(shares)) / 2.0)


def _sums_of_others(values: Array) -> Array:
    before = np.append(0.0, np.cumsum(values))[:-1]
    after = np.append(np.cumsum(values[::-1])[::-1], 0.0)[1:]
    return np.asarray(before + after)


def _weighted_distances(values: Array, shares: Array) -> Array:
    """Return Σ_b p_b |c_ib - c_ia| of each value, (n_rows, n_levels), from sorted values in place of all pairs."""
    order = np.argsort(values, axis=1)
    ordered, weights = np.take_along_axis(values, order, axis=1), shares[order]
    ordered -= ordered[:, [ordered.shape[1] // 2]]  # smaller numbers, and exactly 0 where all are the same
    below, moment = np.cumsum(weights, axis=1), np.cumsum(weights * ordered, axis=1)
    found = ordered * (2.0 * below - below[:, [-1]]) - (2.0 * moment - moment[:, [-1]])
    distances = np.empty_like(found)
    np.put_along_axis(distances, order, np.maximum(found, 0.0), axis=1)
    return distances


class UnorderedSums(CurveSums):
    """Sums of one unordered feature over blocks of rows.

    - `grid` (n_grid,): codes of the levels that curves are evaluated at, increasing.
    - `scale`: σ_c of all observations.
    - `shares` (n_grid,): weight of the observations at each level of the grid.
    - `decay`: λ at which in-distribution impact is exact.
    - `active`: as for `CurveSums`; curves come as their values on the stretches between active intervals.
    - `levels` (n_levels,): where on the grid levels stand that occur. No others have a pair of any weight.
    - `level_shares` (n_levels,): p_a of these levels, scaled such that q_ab = p_a p_b sum to 1 over pairs.
    - `level_weights` (n_levels,): Σ_b q_ab.
    """

    has_order = False

    def __init__(self, grid: Array, scale: float, shares: Array, decay: float, active: Places | None = None) -> None:
        super().__init__(grid, scale, decay, active, len(grid))
        self.levels = np.flatnonzero(shares > 0)
        shares = shares[self.levels]
        total = float(shares @ _sums_of_others(shares)) / 2.0
        self.is_defined = len(grid) < 2 or scale == 0 or total > 0
        self._is_compiled = HAS_NUMBA and len(shares) * (len(shares) - 1) // 2 > _MANY_PAIRS
        self._waiting: list[tuple[Array, Array]] = []  # predictions (n_levels, n_rows) and weights
        if not self.is_defined or len(grid) < 2 or scale == 0:
            return
        self.level_shares = shares / math.sqrt(total)
        self.level_weights = self.level_shares * _sums_of_others(self.level_shares)
        first, second = np.triu_indices(len(shares), 1)
        self._begin_changes(scale * self.level_shares[first] * self.level_shares[second])

    def add(self, curves: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `curves` (n_rows, n_grid), or (n_rows, n_active + 1): ICE curves [output].
        - `rows`: codes of the own levels (n_rows,), none missing, which need not be on the grid; distances (n_rows,
          n_grid), exponents of the likelihood of every phantom, or None for 0 at the own level and 1 elsewhere;
          weights (n_rows,), greater than 0.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
        """
        for some in self._few_at_a_time(len(curves)):
            of_levels = self.expand(curves[some])
            self._add_curves(of_levels, rows[2][some])
            if self.factors is not None:
                self._add_pairs(of_levels, rows[2][some])
                self._add_likelihoods(of_levels, rows, some)
        self.count(rows[2], missing_change)

    def add_parallel_curves(self, step: Array, offsets: Array, rows: Rows, missing_change: Array | None = None) -> None:
        """Add rows whose curves are `offsets[:, None] + step`: their changes differ by exactly 0, not by rounding."""
        if len(offsets) == 0:
            return
        self._add_parallel_moments(step, offsets, rows[2])
        if self.factors is not None:
            self._add_pairs(step[None, :], rows[2])
            for some in self._few_at_a_time(len(offsets)):
                self._add_likelihoods(np.broadcast_to(step, (len(rows[2][some]), len(step))), rows, some)
        self.count(rows[2], missing_change)

    def _few_at_a_time(self, n_rows: int) -> Iterator[slice]:
        size = _ROWS_AT_A_TIME if self._is_compiled else max(1, _CHUNK // len(self.grid))
        return (slice(start, start + size) for start in range(0, n_rows, size))

    def _add_pairs(self, curves: Array, weights: Array) -> None:
        """Add the changes of some rows between all levels; one curve stands for all rows where it is one."""
        levels = np.ascontiguousarray(curves[:, self.levels].T)
        mass = weights if levels.shape[1] == len(weights) else weights.sum(keepdims=True)
        if self._is_compiled and len(mass) > 1:
            self._waiting.append((levels, mass))
            if sum(levels.shape[1] for levels, _ in self._waiting) >= _FEWEST_AT_A_TIME:
                self._add_waiting()
            return
        weight, start = float(weights.sum()), 0
        mean, squared, absolute = np.zeros((3, self.moments.columns.shape[1]))
        for level in range(len(levels) - 1):
            changes = levels[level + 1 :] - levels[level]
            pairs = slice(start, start + len(changes))
            mean[pairs] = changes @ mass / weight
            deviation = changes - mean[pairs, None] if len(mass) > 1 else np.zeros_like(changes)
            squared[pairs] = np.square(deviation, out=deviation) @ mass
            absolute[pairs] = np.abs(changes, out=changes) @ mass
            start = pairs.stop
        self.moments.merge_columns(weight, mean, squared, absolute)

    def _add_waiting(self) -> None:
        """Add the changes of rows that came in small blocks: each pass over the pairs takes as long as many rows do."""
        from ice_explorer.metrics.fold_numba import add_pairs

        levels, weights = (np.concatenate(parts, axis=-1) for parts in zip(*self._waiting, strict=True))
        self._waiting = []
        moments, weight = self.moments, float(weights.sum())
        add_pairs(
            levels, weights, levels @ weights / weight, moments.weight, moments.mean, moments.squared, moments.absolute
        )
        moments.weight += weight

    def _add_likelihoods(self, curves: Array, rows: Rows, some: slice) -> None:
        """Add the numerator and the denominator of Eq. 2 at all exponents."""
        own, weights = rows[0][some], rows[2][some]
        if rows[1] is None:
            apart = (own[:, None] != self.grid[self.levels]).astype(np.float64)
        else:
            apart = rows[1][some][:, self.levels]
        moved = self.level_shares * _weighted_distances(curves[:, self.levels], self.level_shares)  # Σ_b q_ab |Δ_iab|
        sums = []
        for exponent in self.nodes.exponents:
            likely = np.exp(-exponent * apart)
            # The likelihood of each of both levels of a pair counts half.
            sums.append(
                (
                    self.scale * float(weights @ np.einsum("ia,ia->i", likely, moved)) / 2.0,
                    float(weights @ (likely @ self.level_weights)) / 2.0,
                )
            )
        self.likelihood_sums = self.likelihood_sums + np.transpose(sums)

    @property
    def windows_one_by_one(self) -> tuple[Any, ...]:
        """Return pairs of levels as `OrderedSums` returns windows: both levels, σ_c, q_ab and halves."""
        first, second = np.triu_indices(len(self.levels), 1)
        shares = self.level_shares[first] * self.level_shares[second]
        scale, halves = np.full(len(shares), self.scale), np.full(len(shares), 0.5)
        return self.levels[first], self.levels[second], scale, shares, halves

    @property
    def window_moments(self) -> Array:
        """Mean and sum of squared deviations of the change of each pair."""
        return self.moments.columns[:2]

    def finish(self) -> None:
        """Add the buffered rows."""
        super().finish()
        if self._waiting:
            self._add_waiting()
