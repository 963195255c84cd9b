"""Standard errors of the metrics of a sample of the rows, from the influences of some of them.

A metric of all n rows is estimated from m of them, drawn with equal chances. To first order its error is the mean of
the influences of these rows, so that its standard error is √(1 - m/n) · s / √m with their standard deviation s, and the
finite population correction √(1 - m/n), which is 0 where all rows are in the sample. s is estimated from some rows of
the sample: 256 of them give it to 5 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics.decay import LOWEST_DECAY
from ice_explorer.metrics.influence import UNDECAYED, influences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.metrics.influence import Block
    from ice_explorer.metrics.ordered import OrderedSums
    from ice_explorer.metrics.unordered import UnorderedSums
    from ice_explorer.metrics.windows import Convention

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sampling:
    """How many rows the metrics of a feature rest on, and their standard errors [output].

    - `n_rows`, `n_all`: rows of the sample, and rows that it is drawn from.
    - `metrics`: standard errors by convention and name of the metric; NaN where it is not defined.
    - `exponents` (n_exponents,): increasing a = -ln(decay), the first 0.
    - `decayed` (n_exponents,) by convention: standard error of in-distribution impact there.
    """

    n_rows: int
    n_all: int
    metrics: Mapping[Convention, Mapping[str, float]]
    exponents: Array
    decayed: Mapping[Convention, Array]

    @property
    def text(self) -> str:
        """Description of the sample, for files that are saved from it."""
        return f"sample of {self.n_rows:,} of {self.n_all:,} rows"

    def with_rows(self, n_rows: int) -> Sampling:
        """Return the errors of a sample of another size."""
        factor = math.sqrt((1.0 / n_rows - 1.0 / self.n_all) / (1.0 / self.n_rows - 1.0 / self.n_all))
        metrics = {name: {each: factor * error for each, error in of.items()} for name, of in self.metrics.items()}
        decayed = {name: factor * errors for name, errors in self.decayed.items()}
        return Sampling(n_rows, self.n_all, metrics, self.exponents, decayed)

    def in_distribution_impact(self, decays: Array, convention: Convention) -> Array:
        """Return the standard errors of in-distribution impact, (n_decays,), interpolated between `exponents`."""
        return np.interp(-np.log(decays), self.exponents, self.decayed[convention])


def sampling_of(
    sums: OrderedSums | UnorderedSums, block: Block, counts: tuple[int, int], convention: Convention
) -> Sampling:
    """Estimate the standard errors of a feature from the influences of some rows, by one convention.

    - `sums`: of the whole sample.
    - `block`: some rows of it.
    - `counts`: rows of the sample, and rows that it is drawn from.
    """
    decays = np.unique([1.0, sums.nodes.decay, LOWEST_DECAY])[::-1]
    of_rows = influences(sums, [block], decays, convention).of_rows
    errors = {name: float(_error(of_rows[name], block.weights, counts)) for name in UNDECAYED}
    decayed = _error(of_rows["in_distribution_impact"], block.weights, counts)
    return Sampling(*counts, {convention: errors}, -np.log(decays), {convention: decayed})


def _error(of_rows: Array, weights: Array, counts: tuple[int, int]) -> Array:
    """Standard errors from influences (…, n_some)."""
    n_rows, n_all = counts
    if of_rows.shape[-1] < 2:
        return np.full(of_rows.shape[:-1], math.nan)
    spread = np.std(of_rows * (weights / weights.mean()), axis=-1, ddof=1)
    return np.asarray(spread * math.sqrt(max(0.0, 1.0 - n_rows / n_all) / n_rows))
