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
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ice_explorer.metrics.decay_sums import DecaySums
from ice_explorer.metrics.ordered import FeatureMetrics, Moments, decayed_figures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import Convention

    Array = NDArray[np.float64]

_CHUNK = 1 << 16  # predictions worked on at a time, so that they stay in the cache


def category_scale(shares: Array) -> float:
    """σ_c of levels that have these shares of the observations, which sum to 1."""
    # 1 - Σp² as Σ p_a p_b over a ≠ b, which does not cancel where one level holds nearly all.
    return math.sqrt(float(shares @ _sums_of_others(shares)) / 2.0)


def _sums_of_others(values: Array) -> Array:
    """For each value, the sum of all others."""
    before = np.concatenate([[0.0], np.cumsum(values)[:-1]])
    after = np.concatenate([np.cumsum(values[::-1])[::-1][1:], [0.0]])
    return np.asarray(before + after)


class CategorySums:
    """Sums of one unordered feature over blocks of rows.

    Parameters
    ----------
    grid : ndarray of shape (n_grid,)
        Codes of the levels that curves are evaluated at, increasing.
    scale : float
        σ_c of all observations.
    shares : ndarray of shape (n_grid,)
        Weight of the observations at each level of the grid.
    distances : ndarray of shape (n_rows, n_grid), optional
        Exponent of the likelihood of every phantom of all rows that will be added, 0 to 1; by default
        0 at the own level and 1 elsewhere, which takes no memory.
    active : ndarray of shape (n_active,), optional
        Steps between neighbours on the grid at which curves can change, increasing; default all
        n_grid - 1. Curves come as their values on the stretches between them.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        shares: Array,
        distances: Array | None = None,
        active: NDArray[np.intp] | None = None,
    ) -> None:
        self.grid = grid
        self._stretch = None if active is None else np.searchsorted(active, np.arange(len(grid)))
        self.scale = scale
        self.n_rows = 0
        self.total_weight = 0.0
        self.lowest = math.inf
        self.highest = -math.inf
        self.curves = Moments(len(grid))
        first, second = np.triu_indices(len(grid), 1)
        self.pairs = np.column_stack([first, second])
        self.changes = Moments(len(first))
        self._absolute = np.zeros(len(first))
        self._missing_change = 0.0
        self._has_missing = False
        total = float(shares @ _sums_of_others(shares)) / 2.0
        self.is_defined = len(grid) < 2 or scale == 0 or total > 0
        weighted = np.outer(shares, shares) / total if total > 0 else np.zeros((len(grid), len(grid)))
        np.fill_diagonal(weighted, 0.0)
        self.q = weighted[first, second]
        self._likelihoods: _Likelihoods | None = None
        if self.is_defined and len(grid) > 1 and scale > 0:
            self._likelihoods = _OwnOrOther(weighted) if distances is None else _ByDistance(weighted, distances)

    def add(self, curves: Array, rows: tuple[Array, Array | None, Array], missing_change: Array | None = None) -> None:
        """Add a block of rows.

        Parameters
        ----------
        curves : ndarray of shape (n_rows, n_grid), or (n_rows, n_active + 1) where `active` was given
            ICE curves [output].
        rows : tuple
            Codes of the own levels (n_rows,), none missing, which need not be on the grid; distances
            (n_rows, n_grid) or None; weights (n_rows,), greater than 0.
        missing_change : ndarray of shape (n_rows,), optional
            Absolute change of the prediction when the value goes missing [output].
        """
        own, distances, weights = rows
        size = max(1, _CHUNK // len(self.grid))
        for start in range(0, len(curves), size):
            some = slice(start, start + size)
            here = curves[some] if self._stretch is None else curves[some][:, self._stretch]
            self.lowest = min(self.lowest, float(here.min()))
            self.highest = max(self.highest, float(here.max()))
            self.curves.add(here, weights[some])
            far = None if distances is None else distances[some]
            self._add_pairs(here, self._on_grid(own[some]), far, weights[some])
        self._count(weights, missing_change)

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
        own, distances, weights = rows
        if len(offsets) == 0:
            return
        self.lowest = min(self.lowest, float(offsets.min() + step.min()))
        self.highest = max(self.highest, float(offsets.max() + step.max()))
        block = Moments(1)
        block.add(offsets[:, None], weights)
        block.mean, block.squared = block.mean + step, np.repeat(block.squared, len(step))
        self.curves.merge(block)
        size = max(1, _CHUNK // len(self.grid))
        for start in range(0, len(offsets), size):
            some = slice(start, start + size)
            far = None if distances is None else distances[some]
            self._add_pairs(step[None, :], self._on_grid(own[some]), far, weights[some])
        self._count(weights, missing_change)

    def _on_grid(self, own: Array) -> NDArray[np.intp]:
        """Where on the grid own levels stand; -1 where they do not."""
        at = np.minimum(np.searchsorted(self.grid, own), len(self.grid) - 1)
        return np.where(self.grid[at] == own, at, -1)

    def _add_pairs(self, curves: Array, own: NDArray[np.intp], distances: Array | None, weights: Array) -> None:
        """Add the changes of some rows between all levels; one curve stands for all rows where it is one."""
        levels = np.ascontiguousarray(curves.T)
        held = weights if levels.shape[1] == len(weights) else weights.sum(keepdims=True)
        block = Moments(0)
        block.weight = float(weights.sum())
        block.mean, block.squared = np.empty(len(self.q)), np.empty(len(self.q))
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
        if self._likelihoods is not None:
            self._likelihoods.add(curves, own, distances, weights)

    def _count(self, weights: Array, missing_change: Array | None) -> None:
        if missing_change is not None:
            self._has_missing = True
            self._missing_change += float(weights @ missing_change)
        self.n_rows += len(weights)
        self.total_weight += float(weights.sum())

    def finish(self) -> None:
        """Release what is only needed while rows are added."""
        if self._likelihoods is not None:
            self._likelihoods.finish()

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self.curves.mean

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]."""
        return np.asarray(np.sqrt(self.curves.squared / self.total_weight))

    def pair_impact(self) -> Array:
        """What each of `pairs` brings to `impact`, (n_pairs,) [output]."""
        return self.scale * self.q * self._absolute / self.total_weight

    def metrics(
        self,
        decay: float,
        convention: Convention = "stable",  # noqa: ARG002 - it is about intervals
    ) -> FeatureMetrics:
        """Compute every metric for one decay, from the sums alone.

        Parameters
        ----------
        decay : float
            λ, greater than 0 and at most 1.
        convention
            As for `FeatureSums.metrics`; a category has no intervals, so it changes nothing.

        Returns
        -------
        FeatureMetrics
            NaN for what needs an order; 0 for the effects of a constant feature.
        """
        nan = math.nan
        missing = self._missing_change / self.total_weight if self._has_missing else nan
        if not self.is_defined:
            return FeatureMetrics(nan, nan, nan, nan, nan, missing, nan, nan)
        in_distribution, support = self.decayed(np.array([decay]))
        brought = self.pair_impact()
        impact = float(brought.sum())
        return FeatureMetrics(
            impact=impact,
            in_distribution_impact=float(in_distribution[0]),
            direction=nan,
            heterogeneity=self._heterogeneity(),
            non_linearity=nan,
            missing_impact=missing,
            support=float(support[0]),
            largest_step_share=float(brought.max()) / impact if impact > 0 else nan,
        )

    def _heterogeneity(self) -> float:
        """Average over pairs the standard deviation of their change over rows, ddof=1."""
        if self.n_rows < 2 or self.scale == 0:
            return 0.0
        return float(self.scale * self.q @ np.sqrt(self.changes.squared / (self.total_weight - 1.0)))

    def decayed(
        self,
        decays: Array,
        convention: Convention = "stable",  # noqa: ARG002 - as in `metrics`
    ) -> tuple[Array, Array]:
        """Compute what depends on the decay, for many decays at once.

        Parameters
        ----------
        decays : ndarray of shape (n_decays,)
            Each greater than 0 and at most 1.
        convention
            As for `metrics`.

        Returns
        -------
        in_distribution_impact, support : ndarray of shape (n_decays,)
        """
        if not self.is_defined:
            return np.full(len(decays), np.nan), np.full(len(decays), np.nan)
        if self._likelihoods is None:
            return np.zeros(len(decays)), np.ones(len(decays))
        exponents = -np.log(decays)
        totals = self._likelihoods.totals(exponents, float(self.q @ self._absolute), self.total_weight)
        return decayed_figures(exponents, totals, self.scale, self.total_weight)


class _Likelihoods(Protocol):
    """Likelihood-weighted sums of changes, for any decay."""

    def add(self, curves: Array, own: NDArray[np.intp], distances: Array | None, weights: Array) -> None:
        """Add rows; one curve (1, n_grid) stands for all of them."""

    def finish(self) -> None:
        """Release what is only needed while rows are added."""

    def totals(self, exponents: Array, change: float, weight: float) -> tuple[Array, Array, float]:
        """Sum under any decay.

        Parameters
        ----------
        exponents : ndarray of shape (n_decays,)
            a = -ln(decay).
        change, weight : float
            Σ w q |Δ| and Σ w q, the same without likelihoods.

        Returns
        -------
        change, likelihood : ndarray of shape (n_decays,)
            Σ w q M |Δ| and Σ w q M, as multiples of e^{-a·nearest}.
        nearest : float
            Smallest distance of a phantom that counts.
        """


class _OwnOrOther:
    """Own levels, and all others: there are but two likelihoods.

    Parameters
    ----------
    q : ndarray of shape (n_grid, n_grid)
        Pair weights, 0 on the diagonal.
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

    def finish(self) -> None:
        """Release nothing: two numbers are all."""

    def totals(self, exponents: Array, change: float, weight: float) -> tuple[Array, Array, float]:
        """Sum under any decay; see `_Likelihoods`."""
        if self._weight == 0:
            return np.full(len(exponents), change), np.full(len(exponents), weight), 1.0
        other = np.exp(-exponents)
        return other * change + (1.0 - other) * self._change, other * weight + (1.0 - other) * self._weight, 0.0


class _ByDistance:
    """Levels at any distance from the row.

    Parameters
    ----------
    q : ndarray of shape (n_grid, n_grid)
        Pair weights, 0 on the diagonal.
    distances : ndarray of shape (n_rows, n_grid)
        Of all rows that will be added, 0 to 1.
    """

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
        """Sum under any decay; see `_Likelihoods`."""
        distances, masses = self._sums.atoms()
        summed, likelihood = (np.exp(-exponents[:, None] * distances) @ masses).T
        return summed, likelihood, self._sums.nearest
