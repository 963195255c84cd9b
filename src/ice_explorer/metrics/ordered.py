r"""Every metric of the ICE curves of one feature, from one pass over blocks of rows.

`FeatureSums` takes curves block by block and keeps sums whose size depends on the grid alone;
`FeatureSums.metrics` turns them into numbers for any decay and convention.

Notation: n observations of weight w_i (W = Σw_i), grid v_1 < … < v_K, curves C, slopes
S[i,k] = (C[i,k] - C[i,k-1]) / (v_k - v_{k-1}) for k = 2…K, interval weights u_k with Σu_k = 1, σ the
standard deviation of the feature, L the likelihood, M the likelihood of an interval. The equations are
those of Yeh & Ngo (2021), arXiv:2109.02724, in three conventions:

- "stable": u_k is the length of the interval as a share of the axis, M the mean of L at both ends.
- "equations": the equations as printed; u_k = 1/(K - 1), M = L at the right end.
- "published": as the authors' code computed the printed tables: "equations" with the first slope
  repeated for k = 1, that copy with the likelihood L[i,1].

The paper's sums start at k = 1, where no slope exists; here they run over the K - 1 slopes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.metrics.decay_sums import EndShares, LikelihoodSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Convention = Literal["stable", "equations", "published"]
CONVENTIONS: tuple[Convention, ...] = ("stable", "equations", "published")
_CHUNK = 1 << 16  # values worked on at a time, so that they stay in the cache
_LANES = 8  # compiled sums run over whole vectors


@dataclass(frozen=True)
class FeatureMetrics:
    """The metrics of one feature, in output units unless stated.

    - `impact`: σ × mean steepness of the curves (Eq. 1): how far the prediction travels per standard deviation of the
      feature, ups and downs both counted.
    - `in_distribution_impact`: the same, each interval of each curve weighted by its likelihood (Eq. 2).
    - `direction`: the same as `impact` with the sign of each slope kept (§3.2).
    - `heterogeneity`: standard deviation of the slopes across observations (Eq. 4).
    - `non_linearity`: deviation of the slopes along a curve (Eq. 5): mean absolute deviation under "stable", standard
      deviation otherwise.
    - `missing_impact`: mean absolute change when the value goes missing; NaN where none is missing.
    - `support`: share of the phantoms' weight that the decay leaves, 0 to 1.
    - `largest_step_share`: share of `impact` that the single largest interval brings, 0 to 1; NaN where `impact` is 0.
    """

    impact: float
    in_distribution_impact: float
    direction: float
    heterogeneity: float
    non_linearity: float
    missing_impact: float
    support: float
    largest_step_share: float


@dataclass(frozen=True)
class StepWeights:
    """How one convention averages slopes over the intervals of a grid.

    - `u` (n_grid - 1,): weights of the intervals; they sum to 1.
    - `ends`: what share of u counts with the likelihood of the left end, and of the right one.
    - `variance_divisor`: what Σu(S - S̄)² is divided by, so that it is the variance with ddof=1; infinite where there
      is one slope.
    """

    u: Array
    ends: EndShares
    variance_divisor: float


def step_weights(grid: Array) -> dict[Convention, StepWeights]:
    """Weights of the intervals of a grid of at least two values, by convention."""
    gaps = np.diff(grid)
    length = gaps / gaps.sum()
    half = length / 2
    return {"stable": StepWeights(length, EndShares(half, half), math.inf), **_weights_by_number(len(gaps))}


@lru_cache(maxsize=64)
def _weights_by_number(n_intervals: int) -> dict[Convention, StepWeights]:
    """Weights of intervals by the conventions that count them alike, however long they are."""
    alike = np.full(n_intervals, 1.0 / n_intervals)
    twice = np.full(n_intervals, 1.0 / (n_intervals + 1))
    first = np.zeros(n_intervals)
    first[0] = twice[0]
    return {
        "equations": StepWeights(
            alike, EndShares(np.zeros(n_intervals), alike), 1.0 - alike[0] if n_intervals > 1 else math.inf
        ),
        "published": StepWeights(twice + first, EndShares(first, twice), 1.0 - twice[0]),
    }


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

    def add_parallel(self, step: Array, offsets: Array, weights: Array) -> None:
        """Add weighted rows `offsets[:, None] + step`, without forming them."""
        block = Moments(1)
        block.add(offsets[:, None], weights)
        block.mean, block.squared = block.mean + step, np.repeat(block.squared, len(step))
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


class CurveSums(ABC):
    """What sums over blocks of rows hold of any feature, and how its metrics follow from them.

    Subclasses add what changes of the prediction are summed over: intervals of a grid, or pairs of levels.
    """

    is_defined = True
    """Whether effects are numbers; they are NaN where fewer than two levels of a grid of levels occur."""

    def __init__(self, grid: Array, scale: float, n_columns: int) -> None:
        self.grid = grid
        self.scale = scale
        self.n_rows = 0
        self.total_weight = 0.0
        self.lowest = math.inf
        self.highest = -math.inf
        self.curves = Moments(n_columns)
        self._missing_change = math.nan  # until some value is missing

    def _add_curves(self, curves: Array, weights: Array) -> None:
        self.lowest = min(self.lowest, float(curves.min()))
        self.highest = max(self.highest, float(curves.max()))
        self.curves.add(curves, weights)

    def _add_parallel_curves(self, step: Array, offsets: Array, weights: Array) -> None:
        self.lowest = min(self.lowest, float(offsets.min() + step.min()))
        self.highest = max(self.highest, float(offsets.max() + step.max()))
        self.curves.add_parallel(step, offsets, weights)

    def count(self, weights: Array, missing_change: Array | None) -> None:
        """Count rows that were added, and how far their predictions move when the value goes missing."""
        if missing_change is not None:
            before = 0.0 if math.isnan(self._missing_change) else self._missing_change
            self._missing_change = before + float(weights @ missing_change)
        self.n_rows += len(weights)
        self.total_weight += float(weights.sum())

    @abstractmethod
    def finish(self) -> None:
        """Release what is only needed while rows are added."""

    def at_grid(self, columns: Array) -> Array:
        """Write what `curves` holds, (…, n_columns), at every grid value, (…, n_grid)."""
        return columns

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self.at_grid(self.curves.mean)

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]."""
        return self.at_grid(np.sqrt(self.curves.squared / self.total_weight))

    def metrics(self, decay: float, convention: Convention = "stable") -> FeatureMetrics:
        """Compute every metric for a decay λ in (0, 1] and a convention, from the sums alone."""
        in_distribution, support = self.decayed(np.array([decay]), convention)
        return replace(
            self.undecayed(convention), in_distribution_impact=float(in_distribution[0]), support=float(support[0])
        )

    def undecayed(self, convention: Convention = "stable") -> FeatureMetrics:
        """Compute the metrics that do not depend on the decay; the other two are NaN."""
        nan = math.nan
        missing = self._missing_change / self.total_weight
        if not self.is_defined:
            return FeatureMetrics(nan, nan, nan, nan, nan, missing, nan, nan)
        brought = self._brought(convention)
        impact = float(brought.sum())
        direction, heterogeneity, non_linearity = self._differences(convention)
        return FeatureMetrics(
            impact=impact,
            in_distribution_impact=nan,
            direction=direction,
            heterogeneity=heterogeneity,
            non_linearity=non_linearity,
            missing_impact=missing,
            support=nan,
            largest_step_share=float(brought.max()) / impact if impact > 0 else nan,
        )

    @abstractmethod
    def _brought(self, convention: Convention) -> Array:
        """What each interval or pair brings to `impact` [output]."""

    def _heterogeneity(self, shares: Array, changes: Moments) -> float:
        """Average the standard deviation of changes over rows, ddof=1 (Eq. 4)."""
        if self.n_rows < 2 or self.scale == 0:
            return 0.0
        return float(shares @ np.sqrt(changes.squared / (self.total_weight - 1.0)))

    @abstractmethod
    def _differences(self, convention: Convention) -> tuple[float, float, float]:
        """Direction, heterogeneity and non-linearity."""

    def decayed(self, decays: Array, convention: Convention = "stable") -> tuple[Array, Array]:
        """In-distribution impact (Eq. 2) and support, (n_decays,) each, for many decays in (0, 1] at once."""
        if not self.is_defined:
            return np.full(len(decays), np.nan), np.full(len(decays), np.nan)
        exponents = -np.log(decays)
        totals = self._totals(exponents, convention)
        if totals is None:
            return np.zeros(len(decays)), np.ones(len(decays))
        change, likelihood, nearest = totals
        # Far from all steepness rounding may leave less than nothing.
        impact = np.maximum(self.scale * change / likelihood, 0.0)
        support = np.exp(-exponents * nearest) * likelihood / self.total_weight
        return impact, np.minimum(support, 1.0)

    def in_distribution_impacts(self, decays: Array, convention: Convention = "stable") -> Array:
        """In-distribution impact, (n_decays,), for many decays in (0, 1] at once."""
        return self.decayed(decays, convention)[0]

    @abstractmethod
    def _totals(self, exponents: Array, convention: Convention) -> tuple[Array, Array, float] | None:
        """Σ w u M |S| and Σ w u M for exponents a = -ln(decay), (n_decays,) each, as multiples of e^{-a·nearest}.

        The last is the smallest distance of a phantom that counts. None where the feature is constant.
        """


class FeatureSums(CurveSums):
    """Sums of one feature with an order over blocks of rows.

    Between two neighbouring grid values a curve can change only if the model can tell them apart.
    An engine that knows where that is says so, and hands over each curve's value on every stretch
    between such *active* intervals instead of at every grid value.

    - `grid` (n_grid,).
    - `scale`: σ, the standard deviation of the feature, ddof=0 [feature].
    - `rows` (n_rows,) each: observed values, none missing, likelihood scales s_i [feature] and frequency weights,
      greater than 0, of all rows that will be added; None where steepness is not summed by likelihood.
    - `active` (n_active,): intervals in which curves can change, increasing; default all n_grid - 1.
    - `compiled`: whether compiled kernels are used where there is much to add.
    - `most_cells`: as for `LikelihoodSums`.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        rows: tuple[Array, Array, Array] | None,
        active: NDArray[np.intp] | None = None,
        *,
        compiled: bool = False,
        most_cells: int | None = None,
    ) -> None:
        self.active = np.arange(len(grid) - 1) if active is None else active
        n_active = len(self.active)
        super().__init__(grid, scale, n_active + 1)
        self.gaps = np.diff(grid)[self.active]
        self.slopes = Moments(n_active)
        self.slope_abs = np.zeros(n_active)
        self.steps: dict[Convention, StepWeights] = {}
        self.likelihoods: LikelihoodSums | None = None
        # One row for each convention; columns for the active intervals, filled up to whole vectors.
        n_columns = -(-n_active // _LANES) * _LANES if compiled else n_active
        self.u = np.zeros((len(CONVENTIONS), n_columns))
        self.elsewhere = np.zeros(len(CONVENTIONS))
        self.divisor = np.full(len(CONVENTIONS), math.inf)
        self.along = np.zeros(len(CONVENTIONS))
        if len(grid) < 2:
            return
        self.steps = step_weights(grid)
        for at, step in enumerate(self.steps.values()):
            self.u[at, :n_active] = step.u[self.active]
            self.divisor[at] = step.variance_divisor
        if n_active < len(grid) - 1:
            self.elsewhere = np.maximum(1.0 - self.u.sum(axis=1), 0.0)
        if scale > 0 and rows is not None:
            self.likelihoods = LikelihoodSums(
                grid, self.active, self.ends, rows, compiled=compiled, most_cells=most_cells
            )

    @property
    def ends(self) -> dict[str, EndShares]:
        """Shares of the ends of the intervals by convention."""
        return {name: step.ends for name, step in self.steps.items()}

    def add(self, stretches: Array, rows: tuple[Array, Array, Array], missing_change: Array | None = None) -> None:
        """Add a block of rows.

        - `stretches` (n_rows, n_active + 1): ICE curves on the stretches between active intervals: where all are
          active, at every grid value [output].
        - `rows` (n_rows,) each: observed values, likelihood scales and weights.
        - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output].
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
        self._add_curves(stretches, weights)
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
        """Add a block of rows whose curves are `offsets[:, None] + step`, without forming them.

        Their slopes are the same, so that they differ by exactly 0 and not by rounding. `step` is of shape
        (n_active + 1,), `offsets` (n_rows,) [output]; `rows` and `missing_change` are as for `add`.
        """
        if len(offsets) == 0:
            return
        observed, likelihood_scale, weights = rows
        self._add_parallel_curves(step, offsets, weights)
        if self.steps:
            slopes = np.diff(step) / self.gaps
            block = Moments(len(slopes))
            block.weight, block.mean = float(weights.sum()), slopes
            self.slopes.merge(block)
            self.slope_abs += block.weight * np.abs(slopes)
            self._add_along(slopes[None, :], np.array([block.weight]))
            if self.likelihoods is not None:
                self.likelihoods.add_parallel(np.abs(slopes), weights, observed, likelihood_scale)
        self.count(weights, missing_change)

    def _add_along(self, slopes: Array, weights: Array) -> None:
        """Add how much each curve's slope deviates along it, by convention."""
        u = self.u[:, : slopes.shape[1]]
        means = u @ slopes.T
        deviation = np.empty_like(slopes)
        for at, (convention, mean) in enumerate(zip(self.steps, means, strict=True)):
            # Where a curve cannot change its slope is 0, which deviates from the mean by the mean.
            np.subtract(slopes, mean[:, None], out=deviation)
            if convention == "stable":
                along = np.abs(deviation, out=deviation) @ u[at] + self.elsewhere[at] * np.abs(mean)
            else:
                squared = np.square(deviation, out=deviation) @ u[at] + self.elsewhere[at] * mean**2
                along = np.sqrt(squared / self.divisor[at])
            self.along[at] += weights @ along

    def finish(self) -> None:
        """Release what is only needed while rows are added."""
        if self.likelihoods is not None:
            self.likelihoods.finish()

    def at_grid(self, columns: Array) -> Array:
        """Write what holds on stretches (…, n_active + 1) at every grid value, (…, n_grid)."""
        stretch = np.searchsorted(self.active, np.arange(len(self.grid)))
        return np.asarray(columns[..., stretch])

    def interval_impact(self, convention: Convention = "stable") -> Array:
        """What each interval brings to `impact`, (n_grid - 1,) [output]."""
        brought = np.zeros(len(self.grid) - 1)
        if self.steps:
            u = self.steps[convention].u[self.active]
            brought[self.active] = self.scale * u * self.slope_abs / self.total_weight
        return brought

    _brought = interval_impact

    def _differences(self, convention: Convention) -> tuple[float, float, float]:
        if not self.steps or self.scale == 0:
            return 0.0, 0.0, 0.0
        shares = self.scale * self.steps[convention].u[self.active]
        return (
            float(shares @ self.slopes.mean),
            self._heterogeneity(shares, self.slopes),
            float(self.scale * self.along[CONVENTIONS.index(convention)] / self.total_weight),
        )

    def _totals(self, exponents: Array, convention: Convention) -> tuple[Array, Array, float] | None:
        return None if self.likelihoods is None else self.likelihoods.totals(convention, exponents)
