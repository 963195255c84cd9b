"""Sums of one feature whose curves are parallel straight lines: every figure but `support` is known from their slope.

What is as steep everywhere is so on average, however observations and intervals are weighed: in-distribution impact
equals impact for every decay, and neither heterogeneity nor non-linearity is left. `support` needs no curves, but the
distances of all phantoms, which are summed when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics.decay_sums import LikelihoodSums
from ice_explorer.metrics.ordered import FeatureSums, Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import Convention

    Array = NDArray[np.float64]

_ROUNDING = 8 * np.finfo(float).eps  # of the largest value of a line


def slope_of(grid: Array, step: Array) -> float | None:
    """Slope of a line that takes the values `step` (n_grid,) at a grid of two values or more; None if it is bent."""
    rise = step - step[0]
    slope = float(rise[-1] / (grid[-1] - grid[0]))
    apart = np.abs(rise - slope * (grid - grid[0])).max()
    return slope if apart <= _ROUNDING * np.abs(step).max() else None


class StraightSums(FeatureSums):
    """As `FeatureSums`, of curves that are all added as parallel.

    - `rows`: returns observed values, likelihood scales and weights of all rows that will be added; None where
      likelihoods are set from what was saved.
    - `slope`: of all curves [output / feature].
    """

    def __init__(
        self, grid: Array, scale: float, rows: Callable[[], tuple[Array, Array, Array]] | None, slope: float
    ) -> None:
        super().__init__(grid, scale, None)
        self._rows = rows
        self.slope = slope

    def add_parallel(
        self,
        step: Array,
        offsets: Array,
        rows: tuple[Array, Array, Array],
        missing_change: Array | None = None,
    ) -> None:
        """Add a block of rows: where their curves begin and end, and how many they are."""
        weights = rows[2]
        self._add_parallel_curves(step, offsets, weights)
        block = Moments(len(self.gaps))
        block.weight = float(weights.sum())
        block.mean[:] = self.slope
        self.slopes.merge(block)
        self.slope_abs += block.weight * abs(self.slope)
        self.count(weights, missing_change)

    def in_distribution_impacts(self, decays: Array, convention: Convention = "stable") -> Array:
        """Impact, whatever the decay, (n_decays,)."""
        return np.full(len(decays), self._brought(convention).sum())

    def decayed(self, decays: Array, convention: Convention = "stable") -> tuple[Array, Array]:
        """In-distribution impact and support, (n_decays,) each."""
        return self.in_distribution_impacts(decays, convention), super().decayed(decays, convention)[1]

    def sum_likelihoods(self) -> None:
        """Sum the likelihoods of all phantoms; once."""
        if self.likelihoods is None and self.scale > 0 and self._rows is not None:
            observed, scales, weights = self._rows()
            likelihoods = LikelihoodSums(self.grid, self.active, self.ends, (observed, scales, weights))
            likelihoods.add_parallel(np.zeros(len(self.gaps)), weights, observed, scales)
            likelihoods.finish()
            self.likelihoods = likelihoods

    def _totals(self, exponents: Array, convention: Convention) -> tuple[Array, Array, float] | None:
        self.sum_likelihoods()
        return super()._totals(exponents, convention)
