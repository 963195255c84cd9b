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

from ice_explorer.decay import LikelihoodSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Convention = Literal["equations", "published"]
Weighting = Literal["interval", "length", "mass"]
CONVENTIONS: tuple[Convention, ...] = ("equations", "published")
WEIGHTINGS: tuple[Weighting, ...] = ("interval", "length", "mass")
N_STEPS = 4  # the weightings, and "published"
_CHUNK = 1 << 16  # values worked on at a time, so that they stay in the cache
_LANES = 8  # compiled sums run over whole vectors


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
class StepWeights:
    """One way to average slopes over intervals.

    Attributes
    ----------
    u : ndarray of shape (n_active,)
        Weights of the active intervals.
    u_elsewhere : float
        Weight of all others together, in which every slope is 0.
    variance_divisor : float
        What Σu(S - S̄)² is divided by.
    varies : bool
        Whether the slope can differ along a curve: more than one interval counts.
    """

    u: Array
    u_elsewhere: float
    variance_divisor: float
    varies: bool

    @classmethod
    def of(cls, u: Array, active: NDArray[np.intp]) -> StepWeights:
        """Weigh the active intervals by their u."""
        elsewhere = 0.0 if len(active) == len(u) else float(np.delete(u, active).sum())
        # 1 - Σu² as Σ u_j u_k over j ≠ k, which does not cancel where one interval holds nearly all.
        before = np.concatenate([[0.0], np.cumsum(u)[:-1]])
        after = np.concatenate([np.cumsum(u[::-1])[::-1][1:], [0.0]])
        return cls(u[active], elsewhere, float(u @ (before + after)), int(np.count_nonzero(u)) > 1)

    @classmethod
    def published(cls, n_intervals: int, active: NDArray[np.intp]) -> StepWeights:
        """Weigh all intervals alike, the first one twice."""
        # K slopes, the first one twice, with equal weights: u counts it twice and 1 - Σu² is that
        # of K equal weights, which makes the variance the one with ddof=1 over K slopes.
        n_grid = n_intervals + 1
        u = np.full(n_intervals, 1.0 / n_grid)
        u[0] *= 2.0
        weights = cls.of(u, active)
        return cls(weights.u, weights.u_elsewhere, 1.0 - 1.0 / n_grid, n_intervals > 1)


class Moments:
    """Weighted mean and squared deviations of columns, merged by Chan's formula, which does not cancel."""

    def __init__(self, n_columns: int) -> None:
        self.weight = 0.0
        self.mean = np.zeros(n_columns)
        self.squared = np.zeros(n_columns)

    def add(self, columns: Array, weights: Array) -> None:
        """Add weighted rows (n_rows, n_columns)."""
        block = Moments(0)
        block.weight = float(weights.sum())
        block.mean = weights @ columns / block.weight
        deviation = columns - block.mean
        block.squared = weights @ np.multiply(deviation, deviation, out=deviation)
        self.merge(block)

    def merge(self, other: Moments) -> None:
        """Add the moments of other rows."""
        total = self.weight + other.weight
        if total == 0:
            return
        shift = other.mean - self.mean
        self.squared += other.squared + shift**2 * (self.weight * other.weight / total)
        self.mean += shift * (other.weight / total)
        self.weight = total


class FeatureSums:
    """Sums of one feature over blocks of rows.

    Between two neighbouring grid values a curve can change only if the model can tell them apart.
    An engine that knows where that is says so, and hands over each curve's value on every stretch
    between such *active* intervals instead of at every grid value.

    Parameters
    ----------
    grid : ndarray of shape (n_grid,)
    scale : float
        σ, the standard deviation of the feature, ddof=0 [feature].
    mass : ndarray of shape (n_grid - 1,)
        Share of the observations in each interval, from `interval_mass`; all NaN where it has none.
    rows : tuple of three ndarrays of shape (n_rows,)
        Own values, none missing, likelihood scales s_i [feature] and frequency weights, greater
        than 0, of all rows that will be added.
    active : ndarray of shape (n_active,), optional
        Intervals in which curves can change, increasing; default all n_grid - 1.
    compiled : bool
        Whether compiled kernels are used where there is much to add.
    most_cells : int, optional
        As for `LikelihoodSums`.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        mass: Array,
        rows: tuple[Array, Array, Array],
        active: NDArray[np.intp] | None = None,
        *,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        n_grid = len(grid)
        self.grid = grid
        self.scale = scale
        self.active = np.arange(n_grid - 1) if active is None else active
        self.gaps = np.diff(grid)[self.active]
        self.n_rows = 0
        self.total_weight = 0.0
        self.lowest = math.inf
        self.highest = -math.inf
        self.curves = Moments(len(self.active) + 1)
        self.slopes = Moments(len(self.active))
        self.slope_abs = np.zeros(len(self.active))
        self._missing_change = 0.0
        self._has_missing = False
        self.steps: dict[str, StepWeights] = {}
        self.likelihoods: LikelihoodSums | None = None
        n_columns = -(-len(self.active) // _LANES) * _LANES if compiled else len(self.active)
        self.u = np.zeros((N_STEPS, n_columns))
        self.elsewhere = np.zeros(N_STEPS)
        self.divisor = np.full(N_STEPS, np.inf)
        self.spread_along = np.zeros(N_STEPS)
        self.deviation_along = np.zeros(N_STEPS)
        if n_grid < 2:
            return
        gaps = np.diff(grid)
        u = {"interval": np.full(n_grid - 1, 1.0 / (n_grid - 1)), "length": gaps / gaps.sum(), "mass": mass}
        self.steps = {name: StepWeights.of(weights, self.active) for name, weights in u.items()}
        self.steps["published"] = StepWeights.published(n_grid - 1, self.active)
        for at, step in enumerate(self.steps.values()):
            self.u[at, : len(self.active)] = step.u
            self.elsewhere[at] = step.u_elsewhere
            self.divisor[at] = step.variance_divisor if step.varies else np.inf
        if scale > 0:
            self.likelihoods = LikelihoodSums(grid, self.active, u, rows, compiled=compiled, most_cells=most_cells)

    def add(self, stretches: Array, rows: tuple[Array, Array, Array], missing_change: Array | None = None) -> None:
        """Add a block of rows.

        Parameters
        ----------
        stretches : ndarray of shape (n_rows, n_active + 1)
            ICE curves on the stretches between active intervals: where all are active, at every
            grid value [output].
        rows : tuple of three ndarrays of shape (n_rows,)
            Own values, likelihood scales and weights.
        missing_change : ndarray of shape (n_rows,), optional
            Absolute change of the prediction when the value goes missing [output].
        """
        if len(stretches) == 0:
            return
        size = max(1, _CHUNK // stretches.shape[1])
        for start in range(0, len(stretches), size):
            some = slice(start, start + size)
            self._add_some(stretches[some], (rows[0][some], rows[1][some], rows[2][some]))
        self.count(rows[2], missing_change)

    def _add_some(self, stretches: Array, rows: tuple[Array, Array, Array]) -> None:
        """Add a few rows, so that what is made of them stays in the cache."""
        observed, likelihood_scale, weights = rows
        self.lowest = min(self.lowest, float(stretches.min()))
        self.highest = max(self.highest, float(stretches.max()))
        self.curves.add(stretches, weights)
        if self.steps:
            slopes = np.diff(stretches, axis=1)
            slopes /= self.gaps
            self.slopes.add(slopes, weights)
            self._add_along(slopes, weights)
            steepness = np.abs(slopes, out=slopes)
            self.slope_abs += weights @ steepness
            if self.likelihoods is not None:
                self.likelihoods.add(steepness, weights, observed, likelihood_scale)

    def add_parallel(
        self,
        step: Array,
        offsets: Array,
        rows: tuple[Array, Array, Array],
        missing_change: Array | None = None,
    ) -> None:
        """Add a block of rows whose curves are parallel, without forming them.

        Their slopes are the same, so that they differ by exactly 0 and not by rounding. `add` gives
        the same sums for the curves `offsets[:, None] + step`.

        Parameters
        ----------
        step : ndarray of shape (n_active + 1,)
            What the curves have in common: where all intervals are active, at every grid value
            [output].
        offsets : ndarray of shape (n_rows,)
            What each curve adds to it [output].
        rows, missing_change
            As for `add`.
        """
        if len(offsets) == 0:
            return
        observed, likelihood_scale, weights = rows
        self.lowest = min(self.lowest, float(offsets.min() + step.min()))
        self.highest = max(self.highest, float(offsets.max() + step.max()))
        block = Moments(1)
        block.add(offsets[:, None], weights)
        block.mean, block.squared = block.mean + step, np.repeat(block.squared, len(step))
        self.curves.merge(block)
        if self.steps:
            slopes = np.diff(step) / self.gaps
            block.mean, block.squared = slopes, np.zeros(len(slopes))
            self.slopes.merge(block)
            self.slope_abs += block.weight * np.abs(slopes)
            self._add_along(slopes[None, :], np.array([block.weight]))
            if self.likelihoods is not None:
                self.likelihoods.add_parallel(np.abs(slopes), weights, observed, likelihood_scale)
        self.count(weights, missing_change)

    def _add_along(self, slopes: Array, weights: Array) -> None:
        """Add how much each curve's slope differs along it, for every way to weigh intervals."""
        u = self.u[:, : slopes.shape[1]]
        means = u @ slopes.T
        deviation, squared = np.empty_like(slopes), np.empty_like(slopes)
        for at, mean in enumerate(means):
            # Where a curve cannot change its slope is 0, which deviates from the mean by the mean.
            np.subtract(slopes, mean[:, None], out=deviation)
            variance = np.multiply(deviation, deviation, out=squared) @ u[at] + self.elsewhere[at] * mean**2
            absolute = np.abs(deviation, out=deviation) @ u[at] + self.elsewhere[at] * np.abs(mean)
            self.deviation_along[at] += weights @ absolute
            self.spread_along[at] += weights @ np.sqrt(variance / self.divisor[at])

    def count(self, weights: Array, missing_change: Array | None) -> None:
        """Count rows that were added, and how far their predictions move when the value goes missing."""
        if missing_change is not None:
            self._has_missing = True
            self._missing_change += float(weights @ missing_change)
        self.n_rows += len(weights)
        self.total_weight += float(weights.sum())

    def finish(self) -> None:
        """Release what is only needed while rows are added."""
        if self.likelihoods is not None:
            self.likelihoods.finish()

    def at_grid(self, stretches: Array) -> Array:
        """Write what holds on stretches (…, n_active + 1) at every grid value, (…, n_grid)."""
        stretch = np.searchsorted(self.active, np.arange(len(self.grid)))
        return np.asarray(stretches[..., stretch])

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self.at_grid(self.curves.mean)

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]."""
        return self.at_grid(np.sqrt(self.curves.squared / self.total_weight))

    def interval_impact(self, weighting: Weighting = "interval") -> Array:
        """What each interval brings to `impact`, (n_grid - 1,) [output]."""
        if len(self.grid) < 2:
            return np.zeros(0)
        brought = np.zeros(len(self.grid) - 1)
        brought[self.active] = self.scale * self.steps[weighting].u * self.slope_abs / self.total_weight
        return brought

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
        step = self.steps.get("published" if convention == "published" else weighting)
        if step is None or self.scale == 0:
            return FeatureMetrics(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, missing, self.total_weight, 0.0)
        if math.isnan(step.variance_divisor):
            nan = math.nan
            return FeatureMetrics(nan, nan, nan, nan, nan, nan, missing, nan, nan)
        weighted = self.scale * step.u * self.slope_abs / self.total_weight
        impact = float(weighted.sum())
        in_distribution, effective_n = self.decayed(np.array([decay]), convention, weighting)
        at = list(self.steps).index("published" if convention == "published" else weighting)
        return FeatureMetrics(
            impact=impact,
            in_distribution_impact=float(in_distribution[0]),
            direction=float(self.scale * step.u @ self.slopes.mean),
            heterogeneity=self._heterogeneity(step),
            non_linearity=float(self.scale * self.spread_along[at] / self.total_weight),
            non_linearity_mad=float(self.scale * self.deviation_along[at] / self.total_weight),
            missing_impact=missing,
            effective_n=float(effective_n[0]),
            largest_step_share=float(weighted.max(initial=0.0)) / impact if impact > 0 else 0.0,
        )

    def _heterogeneity(self, step: StepWeights) -> float:
        """Average over intervals the standard deviation over rows, ddof=1 (Eq. 4)."""
        if self.n_rows < 2:
            return 0.0
        deviation = np.sqrt(self.slopes.squared / (self.total_weight - 1.0))
        return float(self.scale * step.u @ deviation)

    def decayed(
        self, decays: Array, convention: Convention = "equations", weighting: Weighting = "interval"
    ) -> tuple[Array, Array]:
        """Compute what depends on the decay, for many decays at once.

        Parameters
        ----------
        decays : ndarray of shape (n_decays,)
            Each greater than 0 and at most 1.
        convention, weighting
            As for `metrics`.

        Returns
        -------
        in_distribution_impact, effective_n : ndarray of shape (n_decays,)
        """
        published = convention == "published"
        if self.likelihoods is None:
            return np.zeros(len(decays)), np.full(len(decays), self.total_weight)
        if math.isnan(self.steps[weighting].variance_divisor):
            return np.full(len(decays), np.nan), np.full(len(decays), np.nan)
        exponents = -np.log(decays)
        # Published: K - 1 intervals and the repeated first one, all of equal weight.
        parts = {weighting: len(self.grid) - 1.0, "first": 1.0} if published else {weighting: 1.0}
        groups = {name: self.likelihoods.group(name) for name in parts}
        nearest = min(group.nearest for group in groups.values())
        totals = np.zeros((3, len(decays)))
        for name, size in parts.items():
            shrink = np.exp(-exponents * (groups[name].nearest - nearest))
            totals += size * groups[name].totals(name, exponents) * [shrink, shrink, shrink**2]
        steepness, likelihood, squared = totals
        all_alike = self.total_weight * sum(parts.values())
        effective_n = self.total_weight * likelihood**2 / (all_alike * squared)
        # Far from all steepness rounding may leave less than nothing.
        impact = np.maximum(self.scale * steepness / likelihood, 0.0)
        return impact, np.minimum(effective_n, self.total_weight)
