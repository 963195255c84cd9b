r"""Every metric of the ICE curves of one feature, from one pass over blocks of rows.

`FeatureSums` takes curves block by block and keeps sums whose size depends on the grid alone;
`FeatureSums.metrics` turns them into numbers for any decay, convention and weighting.

Notation: n observations of weight w_i (W = Σw_i), grid v_1 < … < v_K, curves C, slopes
S[i,k] = (C[i,k] - C[i,k-1]) / (v_k - v_{k-1}) for k = 2…K, interval weights u_k with Σu_k = 1, σ the
standard deviation of the feature, L the likelihood. The equations are those of Yeh & Ngo (2021),
arXiv:2109.02724. Their sums start at k = 1, where no slope exists; here they run over the K - 1 slopes,
except under the "published" convention, which repeats the first slope as the authors' code does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.decay import Intervals, LikelihoodSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Convention = Literal["equations", "published"]
Weighting = Literal["interval", "length", "mass"]
CONVENTIONS: tuple[Convention, ...] = ("equations", "published")
WEIGHTINGS: tuple[Weighting, ...] = ("interval", "length", "mass")


@dataclass(frozen=True)
class FeatureMetrics:
    """What the table says of one feature, in output units unless stated.

    Attributes
    ----------
    impact : float
        Mean steepness of the curves per standard deviation of the feature (Eq. 1).
    in_distribution_impact : float
        The same, each phantom weighted by its likelihood (Eq. 2).
    direction : float
        The same as `impact` with the sign kept (§3.2).
    heterogeneity : float
        How much the steepness differs between observations (Eq. 4).
    non_linearity : float
        How much the steepness differs along a curve (Eq. 5).
    non_linearity_mad : float
        The same by mean absolute deviation.
    missing_impact : float
        Mean absolute change when the value goes missing; NaN where none is missing.
    effective_n : float
        Observations that the decayed figure rests on.
    largest_step_share : float
        Share of `impact` that the single largest interval brings, 0 to 1.
    """

    impact: float
    in_distribution_impact: float
    direction: float
    heterogeneity: float
    non_linearity: float
    non_linearity_mad: float
    missing_impact: float
    effective_n: float
    largest_step_share: float


def interval_mass(grid: Array, observed: Array, weights: Array) -> Array:
    """Share of the observations in each interval (v_{k-1}, v_k], those at v_1 counted in the first.

    All NaN where no observation lies inside the grid.
    """
    interval = np.searchsorted(grid, observed, side="left") - 1
    interval[observed == grid[0]] = 0
    inside = (interval >= 0) & (interval < len(grid) - 1)
    mass = np.bincount(interval[inside], weights=weights[inside], minlength=len(grid) - 1)
    total = mass.sum()
    return mass / total if total > 0 else np.full(len(grid) - 1, np.nan)


@dataclass(frozen=True)
class _StepWeights:
    """One way to average over intervals: u_k (K-1,), and what Σu(S - S̄)² is divided by."""

    u: Array
    variance_divisor: float

    @property
    def varies(self) -> bool:
        """Whether the slope can differ along a curve: more than one interval counts."""
        return int(np.count_nonzero(self.u)) > 1

    @classmethod
    def of(cls, u: Array) -> _StepWeights:
        return cls(u, 1.0 - float(np.sum(u**2)))

    @classmethod
    def published(cls, n_intervals: int) -> _StepWeights:
        # K slopes, the first one twice, with equal weights: u counts it twice and 1 - Σu² is that
        # of K equal weights, which makes the variance the one with ddof=1 over K slopes.
        n_grid = n_intervals + 1
        u = np.full(n_intervals, 1.0 / n_grid)
        u[0] *= 2.0
        return cls(u, 1.0 - 1.0 / n_grid)


class _Moments:
    """Weighted mean and squared deviations of columns, merged by Chan's formula, which does not cancel."""

    def __init__(self, n_columns: int) -> None:
        self.weight = 0.0
        self.mean = np.zeros(n_columns)
        self.squared = np.zeros(n_columns)

    def add(self, columns: Array, weights: Array) -> None:
        block = _Moments(0)
        block.weight = float(weights.sum())
        block.mean = weights @ columns / block.weight
        block.squared = weights @ (columns - block.mean) ** 2
        self.merge(block)

    def merge(self, other: _Moments) -> None:
        total = self.weight + other.weight
        if total == 0:
            return
        shift = other.mean - self.mean
        self.squared += other.squared + shift**2 * (self.weight * other.weight / total)
        self.mean += shift * (other.weight / total)
        self.weight = total


class FeatureSums:
    """Mergeable sums of one feature over blocks of rows.

    Parameters
    ----------
    grid : ndarray of shape (n_grid,)
    scale : float
        σ, the standard deviation of the feature, ddof=0 [feature].
    mass : ndarray of shape (n_grid - 1,)
        Share of the observations in each interval, from `interval_mass`; all NaN where it has none.
    observed : ndarray of shape (n_observations,)
        Own values of all rows that will be added, none missing: they bound the distances.
    likelihood_scale : ndarray of shape (n_observations,)
        s_i of those rows [feature].
    """

    def __init__(self, grid: Array, scale: float, mass: Array, observed: Array, likelihood_scale: Array) -> None:
        n_grid = len(grid)
        self.grid = grid
        self.scale = scale
        self.n_rows = 0
        self.total_weight = 0.0
        self.lowest = math.inf
        self.highest = -math.inf
        self._curves = _Moments(n_grid)
        self._missing_change = 0.0
        self._has_missing = False
        self._steps: dict[str, _StepWeights] = {}
        self._decays: list[LikelihoodSums] = []
        if n_grid < 2:
            return
        gaps = np.diff(grid)
        self._steps = {
            "interval": _StepWeights.of(np.full(n_grid - 1, 1.0 / (n_grid - 1))),
            "length": _StepWeights.of(gaps / gaps.sum()),
            "mass": _StepWeights.of(mass),
            "published": _StepWeights.published(n_grid - 1),
        }
        self._slope_abs = np.zeros(n_grid - 1)
        self._slopes = _Moments(n_grid - 1)
        self._spread_along = dict.fromkeys(self._steps, 0.0)
        self._deviation_along = dict.fromkeys(self._steps, 0.0)
        if scale > 0:
            self._decays = _likelihood_sums(grid, self._steps, observed, likelihood_scale)

    def add(
        self,
        curves: Array,
        weights: Array,
        observed: Array,
        likelihood_scale: Array,
        missing_change: Array | None = None,
    ) -> None:
        """Add a block of rows.

        Parameters
        ----------
        curves : ndarray of shape (n_rows, n_grid)
            ICE curves [output].
        weights : ndarray of shape (n_rows,)
            Frequency weights, greater than 0.
        observed, likelihood_scale : ndarray of shape (n_rows,)
            Own values, none missing, and s_i.
        missing_change : ndarray of shape (n_rows,), optional
            Absolute change of the prediction when the value goes missing [output].
        """
        if len(curves) == 0:
            return
        self.lowest = min(self.lowest, float(curves.min()))
        self.highest = max(self.highest, float(curves.max()))
        self._curves.add(curves, weights)
        if missing_change is not None:
            self._has_missing = True
            self._missing_change += float(weights @ missing_change)
        if len(self.grid) > 1:
            slopes = np.diff(curves, axis=1) / np.diff(self.grid)
            steepness = np.abs(slopes)
            self._slopes.add(slopes, weights)
            self._slope_abs += weights @ steepness
            for name, step in self._steps.items():
                deviation = slopes - (slopes @ step.u)[:, None]
                self._deviation_along[name] += float(weights @ (np.abs(deviation) @ step.u))
                if step.varies:
                    variance = (deviation**2 @ step.u) / step.variance_divisor
                    self._spread_along[name] += float(weights @ np.sqrt(variance))
            for sums in self._decays:
                sums.add(steepness, weights, observed, likelihood_scale)
        self.n_rows += len(curves)
        self.total_weight += float(weights.sum())

    def merge(self, other: FeatureSums) -> None:
        """Add the sums of other rows of the same feature, made with the same arguments."""
        self._curves.merge(other._curves)
        self.lowest = min(self.lowest, other.lowest)
        self.highest = max(self.highest, other.highest)
        self._missing_change += other._missing_change
        self._has_missing |= other._has_missing
        if len(self.grid) > 1:
            self._slopes.merge(other._slopes)
            self._slope_abs += other._slope_abs
            for name in self._steps:
                self._spread_along[name] += other._spread_along[name]
                self._deviation_along[name] += other._deviation_along[name]
            for mine, others in zip(self._decays, other._decays, strict=True):
                mine.merge(others)
        self.n_rows += other.n_rows
        self.total_weight += other.total_weight

    def finish(self) -> None:
        """Release what is only needed while rows are added."""
        for sums in self._decays:
            sums.finish()

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self._curves.mean.copy()

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]."""
        return np.sqrt(self._curves.squared / self.total_weight)

    def interval_impact(self, weighting: Weighting = "interval") -> Array:
        """What each interval brings to `impact`, (n_grid - 1,) [output]."""
        if len(self.grid) < 2:
            return np.zeros(0)
        return self.scale * self._steps[weighting].u * self._slope_abs / self.total_weight

    def metrics(
        self, decay: float, convention: Convention = "equations", weighting: Weighting = "interval"
    ) -> FeatureMetrics:
        """Compute every metric for one decay, convention and weighting, from the sums alone.

        Parameters
        ----------
        decay : float
            λ, greater than 0 and at most 1.
        convention : {"equations", "published"}
            "published" repeats the first slope, as the authors' code and printed tables do.
        weighting : {"interval", "length", "mass"}
            How intervals are averaged; "published" exists for "interval" only.

        Returns
        -------
        FeatureMetrics
            0 throughout for a constant feature; NaN where the weighting has no interval to stand on.
        """
        missing = self._missing_change / self.total_weight if self._has_missing else math.nan
        step = self._steps.get("published" if convention == "published" else weighting)
        if step is None or self.scale == 0:
            return FeatureMetrics(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, missing, self.total_weight, 0.0)
        if np.isnan(step.u).any():
            nan = math.nan
            return FeatureMetrics(nan, nan, nan, nan, nan, nan, missing, nan, nan)
        weighted = self.scale * step.u * self._slope_abs / self.total_weight
        impact = float(weighted.sum())
        in_distribution, effective_n = self._decayed(-math.log(decay), convention, weighting)
        name = "published" if convention == "published" else weighting
        return FeatureMetrics(
            impact=impact,
            in_distribution_impact=in_distribution,
            direction=float(self.scale * step.u @ self._slopes.mean),
            heterogeneity=self._heterogeneity(step),
            non_linearity=self.scale * self._spread_along[name] / self.total_weight,
            non_linearity_mad=self.scale * self._deviation_along[name] / self.total_weight,
            missing_impact=missing,
            effective_n=effective_n,
            largest_step_share=float(weighted.max()) / impact if impact > 0 else 0.0,
        )

    def _heterogeneity(self, step: _StepWeights) -> float:
        """Average over intervals the standard deviation over rows, ddof=1 (Eq. 4)."""
        if self.n_rows < 2:
            return 0.0
        deviation = np.sqrt(self._slopes.squared / (self.total_weight - 1.0))
        return float(self.scale * step.u @ deviation)

    def _decayed(self, exponent: float, convention: Convention, weighting: Weighting) -> tuple[float, float]:
        """In-distribution impact (Eq. 2) and effective_n for λ = e^-exponent."""
        wanted: list[str] = [weighting, "first"] if convention == "published" else [weighting]
        chosen = [sums for sums in self._decays if sums.carries(wanted)]
        nearest = min(sums.nearest for sums in chosen)
        steepness = likelihood = squared = 0.0
        for sums in chosen:
            # Published: K - 1 intervals and the repeated first one, all of equal weight.
            for name in wanted:
                if not sums.carries([name]):
                    continue
                size = len(self.grid) - 1 if convention == "published" and name == "interval" else 1.0
                away = sums.nearest - nearest
                once, twice = sums.total(name, exponent), sums.total(name, 2 * exponent)
                steepness += size * once[0] * math.exp(-exponent * away)
                likelihood += size * once[1] * math.exp(-exponent * away)
                squared += size * twice[1] * math.exp(-2 * exponent * away)
        all_alike = self.total_weight * (len(self.grid) if convention == "published" else 1.0)
        effective_n = self.total_weight * likelihood**2 / (all_alike * squared)
        # Far from all steepness rounding may leave less than nothing.
        return max(self.scale * steepness / likelihood, 0.0), min(effective_n, self.total_weight)


def _likelihood_sums(
    grid: Array, steps: dict[str, _StepWeights], observed: Array, likelihood_scale: Array
) -> list[LikelihoodSums]:
    """Group the weightings by the intervals they need, so that none underflows for another's sake."""
    everywhere = {"interval": steps["interval"].u, "length": steps["length"].u}
    mass = steps["mass"].u
    groups: list[Intervals] = []
    if np.all(mass > 0):
        everywhere["mass"] = mass
    elif not np.isnan(mass).any():
        held = np.flatnonzero(mass)
        groups.append(Intervals(grid[1:][held], held, {"mass": mass[held]}))
    groups.append(Intervals(grid[1:], np.arange(len(grid) - 1), everywhere))
    # The published convention repeats the first slope with the likelihood of v_1.
    groups.append(Intervals(grid[:1], np.array([0]), {"first": np.ones(1)}))
    return [LikelihoodSums(group, observed, likelihood_scale) for group in groups]
