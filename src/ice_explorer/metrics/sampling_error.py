r"""Standard errors of the metrics of a sample of the rows, by linearization.

A metric of all n rows is estimated from m of them, drawn with equal chances. To first order its error is the mean of
one number per row, the influence of that row, so that its standard error is

    √(1 - m/n) · s / √m

with the standard deviation s (ddof=1) of the influences and the finite population correction √(1 - m/n), which is 0
where all rows are in the sample. With weights w_i, their sum W and θ = Σw_i a_i / W the influence on a mean θ is
m w_i (a_i - θ) / W; on a ratio Σw_i b_i / Σw_i c_i = ρ it is m w_i (b_i - ρ c_i) / Σw_i c_i; and on a standard
deviation s_k of slopes or changes it is m w_i ((x_ik - x̄_k)² - s_k²) / (2 W s_k).

s is estimated from some rows of the sample: 256 of them give it to 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import Convention

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

    def in_distribution_impact(self, decays: Array, convention: Convention) -> Array:
        """Return the standard errors of in-distribution impact, (n_decays,), interpolated between `exponents`."""
        return np.interp(-np.log(decays), self.exponents, self.decayed[convention])
