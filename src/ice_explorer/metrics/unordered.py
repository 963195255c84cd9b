r"""Every metric of the ICE curves of one unordered feature, from one pass over blocks of rows.

Levels have no order, so that a curve has no slope: what counts is its change between every two
levels, weighed by how often both occur. Notation: observations of weight w_i (W = Σw_i), levels of
shares p_a, pairs a < b of weight q_ab ∝ p_a p_b with Σq = 1, changes Δ_iab = C[i,b] - C[i,a], and
σ_c = √((1 - Σp²)/2), the standard deviation of a 0/1 coding where there are two levels.

A phantom's likelihood is :math:`\lambda^{d}` with d = 0 at the own level and 1 at every other one, or,
given the other features, one minus the probability of the level. The likelihood of a pair is the mean of
those of its two levels. The convention of intervals does not matter.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics.decay_sums import DecaySums
from ice_explorer.metrics.ordered import CurveSums, Moments
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import Convention

    Array = NDArray[np.float64]

_CHUNK = 1 << 16  # predictions worked on at a time, so that they stay in the cache
_MANY_PAIRS = 1 << 17  # of levels: numba takes less to load than NumPy to add up their changes
_ROWS_AT_A_TIME = 512  # of so many pairs, each of which is merged once for these rows
_FEWEST_AT_A_TIME = 128  # likewise: smaller blocks wait for others


def category_scale(shares: Array) -> float:
    """σ_c of levels that have these shares of the observations, which sum to 1."""
    # 1 - Σp² as Σ p_a p_b over a ≠ b, which does not cancel where one level holds nearly all.
    return math.sqrt(float(shares @ _sums_of_others(shares)) / 2.0)


def _sums_of_others(values: Array) -> Array:
    """For each value, the sum of all others."""
    before = np.append(0.0, np.cumsum(values))[:-1]
    after = np.append(np.cumsum(values[::-1])[::-1], 0.0)[1:]
    return np.asarray(before + after)


class CategorySums(CurveSums):
    """Sums of one unordered feature over blocks of rows.

    - `grid` (n_grid,): codes of the levels that curves are evaluated at, increasing.
    - `scale`: σ_c of all observations.
    - `shares` (n_grid,): weight of the observations at each level of the grid.
    - `distances` (n_rows, n_grid): exponent of the likelihood of every phantom of all rows that will be added, 0 to 1;
      by default 0 at the own level and 1 elsewhere, which takes no memory.
    - `active` (n_active,): steps between neighbours on the grid at which curves can change, increasing; default all
      n_grid - 1. Curves come as their values on the stretches between them.
    - `levels` (n_levels,): where on the grid levels stand that occur. No others have a pair of any weight.
    - `pairs` (n_pairs, 2): pairs of `levels`.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        shares: Array,
        distances: Array | None = None,
        active: NDArray[np.intp] | None = None,
    ) -> None:
        super().__init__(grid, scale, len(grid))
        self._stretch = None if active is None else np.searchsorted(active, np.arange(len(grid)))
        self.levels = np.flatnonzero(shares > 0)
        shares = shares[self.levels]
        first, second = np.triu_indices(len(shares), 1)
        self.pairs = np.column_stack([first, second])
        self.changes = Moments(len(first))
        self._absolute = np.zeros(len(first))
        self._waiting: list[tuple[Array, Array]] = []  # predictions (n_levels, n_rows) and weights
        total = float(shares @ _sums_of_others(shares)) / 2.0
        self.is_defined = len(grid) < 2 or scale == 0 or total > 0
        weighted = np.outer(shares, shares) / total if total > 0 else np.zeros((len(shares), len(shares)))
        np.fill_diagonal(weighted, 0.0)
        self.q = weighted[first, second]
        self._likelihoods: _OwnOrOther | _ByDistance | None = None
        if self.is_defined and len(grid) > 1 and scale > 0:
            self._likelihoods = (
                _OwnOrOther(weighted) if distances is None else _ByDistance(weighted, distances[:, self.levels])
            )

    def add(self, curves: Array, rows: tuple[Array, Array | None, Array], missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `curves` (n_rows, n_grid), or (n_rows, n_active + 1): ICE curves [output].
        - `rows`: codes of the own levels (n_rows,), none missing, which need not be on the grid; distances (n_rows,
          n_grid) or None; weights (n_rows,), greater than 0.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
        """
        for some in self._few_at_a_time(len(curves)):
            here = curves[some] if self._stretch is None else curves[some][:, self._stretch]
            self._add_curves(here, rows[2][some])
            self._add_pairs(here, rows[2][some])
            self._add_likely(here, rows, some)
        self.count(rows[2], missing_change)

    def add_parallel(
        self,
        step: Array,
        offsets: Array,
        rows: tuple[Array, Array | None, Array],
        missing_change: Array | None = None,
    ) -> None:
        """Add a block of rows whose curves are `offsets[:, None] + step`, without forming them.

        Their changes are the same, so that they differ by exactly 0 and not by rounding.
        """
        if len(offsets) == 0:
            return
        self._add_parallel_curves(step, offsets, rows[2])
        self._add_pairs(step[None, :], rows[2])
        for some in self._few_at_a_time(len(offsets)):
            self._add_likely(step[None, :], rows, some)
        self.count(rows[2], missing_change)

    def _few_at_a_time(self, n_rows: int) -> Iterator[slice]:
        size = _ROWS_AT_A_TIME if self._is_compiled else max(1, _CHUNK // len(self.grid))
        return (slice(start, start + size) for start in range(0, n_rows, size))

    @property
    def _is_compiled(self) -> bool:
        return HAS_NUMBA and len(self.q) > _MANY_PAIRS

    def _place(self, own: Array) -> NDArray[np.intp]:
        """Where among `levels` own levels stand; -1 where they do not."""
        held = self.grid[self.levels]
        at = np.minimum(np.searchsorted(held, own), len(held) - 1)
        return np.where(held[at] == own, at, -1)

    def _add_pairs(self, curves: Array, weights: Array) -> None:
        """Add the changes of some rows between all levels; one curve stands for all rows where it is one."""
        levels = np.ascontiguousarray(curves[:, self.levels].T)
        held = weights if levels.shape[1] == len(weights) else weights.sum(keepdims=True)
        weight = float(weights.sum())
        if self._is_compiled and len(held) > 1:
            self._waiting.append((levels, held))
            if sum(levels.shape[1] for levels, _ in self._waiting) >= _FEWEST_AT_A_TIME:
                self._add_waiting()
            return
        block = Moments(len(self.q))
        block.weight = weight
        start = 0
        for level in range(len(levels) - 1):
            changes = levels[level + 1 :] - levels[level]
            pairs = slice(start, start + len(changes))
            block.mean[pairs] = changes @ held / block.weight
            deviation = changes - block.mean[pairs, None] if len(held) > 1 else np.zeros_like(changes)
            block.squared[pairs] = np.square(deviation, out=deviation) @ held
            self._absolute[pairs] += np.abs(changes, out=changes) @ held
            start = pairs.stop
        self.changes.merge(block)

    def _add_waiting(self) -> None:
        """Add the changes of rows that came in small blocks: each pass over the pairs takes as long as many rows do."""
        from ice_explorer.metrics.unordered_numba import add_pairs

        levels, weights = (np.concatenate(parts, axis=-1) for parts in zip(*self._waiting, strict=True))
        self._waiting = []
        changes, weight = self.changes, float(weights.sum())
        add_pairs(
            levels, weights, levels @ weights / weight, changes.weight, changes.mean, changes.squared, self._absolute
        )
        changes.weight += weight

    def _add_likely(self, curves: Array, rows: tuple[Array, Array | None, Array], some: slice) -> None:
        """Add the changes of some rows by likelihood, as `_add_pairs` does without."""
        if self._likelihoods is not None:
            distances = None if rows[1] is None else rows[1][some][:, self.levels]
            self._likelihoods.add(curves[:, self.levels], self._place(rows[0][some]), distances, rows[2][some])

    def finish(self) -> None:
        """Release what is only needed while rows are added."""
        if self._waiting:
            self._add_waiting()
        if isinstance(self._likelihoods, _ByDistance):
            self._likelihoods.finish()

    def _brought(self, convention: Convention) -> Array:  # noqa: ARG002 - it is about intervals
        return self.scale * self.q * self._absolute / self.total_weight

    def _differences(self, convention: Convention) -> tuple[float, float, float]:  # noqa: ARG002 - as above
        return math.nan, self._heterogeneity(self.scale * self.q, self.changes), math.nan

    def _totals(self, exponents: Array, convention: Convention) -> tuple[Array, Array, float] | None:  # noqa: ARG002
        if self._likelihoods is None:
            return None
        return self._likelihoods.totals(exponents, float(self.q @ self._absolute), self.total_weight)


class _OwnOrOther:
    """Own levels, and all others: there are but two likelihoods. `q` (n_grid, n_grid) weighs pairs, 0 on the diagonal.

    `totals` takes a = -ln(decay), (n_decays,), and Σ w q |Δ| and Σ w q without likelihoods; see `CurveSums._totals`.
    """

    def __init__(self, q: Array) -> None:
        self._half = q / 2  # of a pair, with the likelihood of each of its levels
        self._of_level = self._half.sum(axis=1)
        self._change = self._weight = 0.0  # at the own level

    def add(self, curves: Array, own: NDArray[np.intp], distances: Array | None, weights: Array) -> None:  # noqa: ARG002
        """Add rows; one curve (1, n_grid) stands for all of them."""
        held = np.flatnonzero(own >= 0)
        at = own[held]
        of_rows = curves[held] if len(curves) == len(own) else np.broadcast_to(curves, (len(held), curves.shape[1]))
        changes = np.abs(of_rows - np.take_along_axis(of_rows, at[:, None], axis=1))
        self._change += float(weights[held] @ np.einsum("ik,ik->i", changes, self._half[at]))
        self._weight += float(weights[held] @ self._of_level[at])

    def merge(self, other: _OwnOrOther) -> None:
        """Add what was added to sums of the same levels."""
        self._change += other._change
        self._weight += other._weight

    def totals(self, exponents: Array, change: float, weight: float) -> tuple[Array, Array, float]:
        """Sum under any decay."""
        if self._weight == 0:
            return np.full(len(exponents), change), np.full(len(exponents), weight), 1.0
        other = np.exp(-exponents)
        return other * change + (1.0 - other) * self._change, other * weight + (1.0 - other) * self._weight, 0.0


class _ByDistance:
    """Levels at any distance from the row, 0 to 1: `distances` (n_rows, n_grid) of all rows that will be added."""

    def __init__(self, q: Array, distances: Array) -> None:
        self._half = q / 2  # of a pair, with the likelihood of each of its levels
        self._sums = DecaySums(2, float(distances[:, q.any(axis=1)].min()), 1.0)

    def add(self, curves: Array, own: NDArray[np.intp], distances: Array | None, weights: Array) -> None:  # noqa: ARG002
        """Add rows; one curve (1, n_grid) stands for all of them."""
        assert distances is not None  # noqa: S101 - the constructor had them
        masses = np.empty((*distances.T.shape, 2))
        for level, half in enumerate(self._half):
            masses[level, :, 0] = np.abs(curves - curves[:, [level]]) @ half
            masses[level, :, 1] = half.sum()
        masses *= weights[:, None]
        self._sums.add(np.ascontiguousarray(distances.T).ravel(), masses.reshape(-1, 2))

    def finish(self) -> None:
        """Release what is only needed while rows are added."""
        self._sums.finish()

    def totals(self, exponents: Array, change: float, weight: float) -> tuple[Array, Array, float]:  # noqa: ARG002
        """Sum under any decay; see `_OwnOrOther`."""
        distances, masses = self._sums.atoms()
        summed, likelihood = (np.exp(-exponents[:, None] * distances) @ masses).T
        return summed, likelihood, self._sums.nearest
