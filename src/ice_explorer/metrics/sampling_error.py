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

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.metrics.ordered import CONVENTIONS, step_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.metrics.decay_sums import EndShares
    from ice_explorer.metrics.ordered import Convention, StepWeights

    Array = NDArray[np.float64]

# a = -ln(decay): 0, and doubling from 0.05, so that each likelihood is the square of the one before.
_EXPONENTS: Final = np.append(0.0, 0.05 * 2.0 ** np.arange(8))
_ERRORS: Final = ("impact", "direction", "heterogeneity", "non_linearity")
_FEW_NODES: Final = 64
_ROUNDING: Final = 1e-12


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
        """What files that are saved from it state."""
        return f"sample of {self.n_rows:,} of {self.n_all:,} rows"

    def with_rows(self, n_rows: int) -> Sampling:
        """Return the errors of a sample of another size."""
        of_size = [(1.0 / n - 1.0 / self.n_all) for n in (n_rows, self.n_rows)]
        factor = math.sqrt(of_size[0] / of_size[1])
        metrics = {name: {each: factor * error for each, error in of.items()} for name, of in self.metrics.items()}
        decayed = {name: factor * errors for name, errors in self.decayed.items()}
        return Sampling(n_rows, self.n_all, metrics, self.exponents, decayed)

    def in_distribution_impact(self, decays: Array, convention: Convention) -> Array:
        """Return the standard errors of in-distribution impact, (n_decays,), interpolated between `exponents`."""
        return np.interp(-np.log(decays), self.exponents, self.decayed[convention])


def ordered_sampling(
    curves: Array,
    grid: Array,
    active: NDArray[np.intp],
    scale: float,
    rows: tuple[Array, Array, Array],
    *,
    missing_change: Array | None,
    counts: tuple[int, int],
    conventions: Sequence[Convention] = CONVENTIONS,
) -> Sampling:
    """Estimate the standard errors of a feature with an order.

    - `curves` (n_some, n_active + 1), `rows` (n_some,) each, `missing_change`: as for `FeatureSums.add`, of some rows
      of the sample.
    - `grid`, `scale`: as for `FeatureSums`.
    - `active` (n_active,): intervals in which curves can change.
    - `counts`: rows of the sample, and rows that it is drawn from.
    - `conventions`: those that errors are estimated for.
    """
    own, likelihood_scale, weights = rows
    of_sample = _OfSample(weights, missing_change, counts)
    if len(grid) < 2 or scale == 0:
        return of_sample.constant()
    slopes = np.diff(curves, axis=1) / np.diff(grid)[active]
    steep, spread = np.abs(slopes), of_sample.spread(slopes)
    nodes = _nodes(active, len(grid))
    distances = np.abs(grid[nodes] - own[:, None]) / likelihood_scale[:, None]
    found: dict[Convention, dict[str, float]] = {}
    summed: dict[Convention, tuple[Array, Array]] = {}
    weights_of = step_weights(grid)
    for convention in conventions:
        step = weights_of[convention]
        shares = scale * step.u[active]
        elsewhere = np.delete(step.u, active).sum()
        found[convention] = {
            "impact": of_sample.error(steep @ shares),
            "direction": of_sample.error(slopes @ shares),
            "heterogeneity": of_sample.error(spread @ shares),
            "non_linearity": of_sample.error(scale * _along(slopes, step, active, elsewhere, convention)),
        }
        summed[convention] = _at_ends(scale * steep, step.ends, active, nodes, len(grid))
    return of_sample.sampling(found, distances, summed)


def category_sampling(
    curves: Array,
    scale: float,
    shares: Array,
    rows: tuple[Array, Array],
    *,
    missing_change: Array | None,
    counts: tuple[int, int],
) -> Sampling:
    """Estimate the standard errors of a feature whose levels have no order.

    - `curves` (n_some, n_grid): of some rows of the sample.
    - `shares` (n_grid,), `scale`: as for `CategorySums`.
    - `rows`: exponents of the likelihood of each phantom (n_some, n_grid), weights (n_some,).
    - `missing_change`, `counts`: as for `ordered_sampling`.
    """
    of_sample = _OfSample(rows[1], missing_change, counts)
    levels = np.flatnonzero(shares > 0)
    if len(curves[0]) < 2 or scale == 0:
        return of_sample.constant()
    if len(levels) < 2:
        return of_sample.constant(math.nan)
    q = np.outer(shares[levels], shares[levels])
    np.fill_diagonal(q, 0.0)
    q *= scale / q.sum()  # half of what each pair weighs, for either of its levels
    curves = curves[:, levels]
    changes, spread = np.empty_like(curves), np.zeros(len(curves))
    for level, half in enumerate(q):
        change = curves - curves[:, [level]]
        spread += of_sample.spread(change) @ half
        changes[:, level] = np.abs(change, out=change) @ half
    errors = {
        "impact": of_sample.error(changes.sum(axis=1)),
        "direction": math.nan,
        "heterogeneity": of_sample.error(spread),
        "non_linearity": math.nan,
    }
    return of_sample.sampling(
        dict.fromkeys(CONVENTIONS, errors),
        rows[0][:, levels],
        dict.fromkeys(CONVENTIONS, (changes, q.sum(axis=1) / scale)),
    )


class _OfSample:
    """Some rows of a sample, and what becomes of numbers of theirs.

    - `weights` (n_some,).
    - `missing_change` (n_some,), or None.
    - `counts`: rows of the sample, and rows that it is drawn from.
    """

    def __init__(self, weights: Array, missing_change: Array | None, counts: tuple[int, int]) -> None:
        self._weights = weights
        self._total = float(weights.sum())
        self._missing = math.nan if missing_change is None else self.error(missing_change, counts)
        self._counts = counts

    def error(self, of_rows: Array, counts: tuple[int, int] | None = None) -> float:
        """Return the standard error of the weighted mean of a number per row."""
        mean = self._weights @ of_rows / self._total
        return self._of_influences((of_rows - mean) * self._weights / self._total, counts)

    def _ratio_error(self, above: Array, below: Array) -> float:
        """Return the standard error of the ratio of two sums over rows."""
        total = self._weights @ below
        if not total > 0:
            return math.nan
        ratio = self._weights @ above / total
        return self._of_influences((above - ratio * below) * self._weights / total)

    def _of_influences(self, influences: Array, counts: tuple[int, int] | None = None) -> float:
        """Return the standard error from the influences of rows, divided by their number."""
        n_rows, n_all = counts or self._counts
        if len(influences) < 2:
            return math.nan
        each = len(influences) * float(np.std(influences, ddof=1))
        return each * math.sqrt(max(0.0, 1.0 - n_rows / n_all) / n_rows)

    def spread(self, columns: Array) -> Array:
        """Return numbers of rows whose mean is half the standard deviation of each column, and varies as it does."""
        mean = self._weights @ columns / self._total
        squared = np.square(columns - mean)
        deviation = np.sqrt(self._weights @ squared / self._total)
        rounding = _ROUNDING * np.abs(columns).max(axis=0, initial=0.0)
        return np.where(deviation > rounding, squared / (2.0 * np.where(deviation > 0, deviation, 1.0)), 0.0)

    def constant(self, value: float = 0.0) -> Sampling:
        """Return the errors of a feature that does not move predictions; `value` NaN: of one without effects."""
        errors = dict.fromkeys(_ERRORS, value) | {"missing_impact": self._missing}
        decayed = np.full(2, value)
        return Sampling(
            *self._counts, dict.fromkeys(CONVENTIONS, errors), _EXPONENTS[:2], dict.fromkeys(CONVENTIONS, decayed)
        )

    def sampling(
        self,
        errors: Mapping[Convention, Mapping[str, float]],
        distances: Array,
        summed: Mapping[Convention, tuple[Array, Array]],
    ) -> Sampling:
        """Collect the errors, and estimate those of in-distribution impact.

        - `distances` (n_some, n_nodes): exponents of the likelihood.
        - `summed`: what is weighed by the likelihood, (n_some, n_nodes), and the weights of the nodes, (n_nodes,).
        """
        decayed = {convention: np.empty(len(_EXPONENTS)) for convention in summed}
        likelihood = np.ones_like(distances)
        for at in range(len(_EXPONENTS)):
            if at == 1:  # as multiples of the largest likelihood, so that none is too small for a float
                likelihood = np.exp((distances.min() - distances) * _EXPONENTS[1])
            elif at > 1:
                likelihood *= likelihood
            for convention, (change, weight) in summed.items():
                above = np.einsum("ij,ij->i", change, likelihood)
                decayed[convention][at] = self._ratio_error(above, likelihood @ weight)
        of_all = {name: {**of, "missing_impact": self._missing} for name, of in errors.items()}
        return Sampling(*self._counts, of_all, _EXPONENTS, decayed)


def _along(
    slopes: Array, step: StepWeights, active: NDArray[np.intp], elsewhere: float, convention: Convention
) -> Array:
    """How much the slope of each curve deviates along it, (n_some,); see `FeatureSums`."""
    u = step.u[active]
    mean = slopes @ u
    deviation = slopes - mean[:, None]
    if convention == "stable":
        return np.asarray(np.abs(deviation) @ u + elsewhere * np.abs(mean))
    return np.asarray(np.sqrt((np.square(deviation) @ u + elsewhere * mean**2) / step.variance_divisor))


def _nodes(active: NDArray[np.intp], n_grid: int) -> NDArray[np.intp]:
    """Choose grid values at which likelihoods are computed: where curves change, and a few that stand for the rest."""
    if n_grid <= 2 * _FEW_NODES or len(active) == n_grid - 1:
        return np.arange(n_grid)
    evenly = np.linspace(0, n_grid - 1, _FEW_NODES).astype(np.intp)
    return np.unique(np.concatenate([active, active + 1, evenly]))


def _at_ends(
    changes: Array, ends: EndShares, active: NDArray[np.intp], nodes: NDArray[np.intp], n_grid: int
) -> tuple[Array, Array]:
    """Part what intervals bring (n_some, n_active), and what they weigh, between the nodes at their ends."""
    at_nodes = np.zeros((len(changes), len(nodes)))
    at_nodes[:, np.searchsorted(nodes, active)] += changes * ends.left[active]
    at_nodes[:, np.searchsorted(nodes, active + 1)] += changes * ends.right[active]
    weights = ends.at_values()
    nearest = np.searchsorted((nodes[1:] + nodes[:-1]) / 2, np.arange(n_grid))
    return at_nodes, np.bincount(nearest, weights, len(nodes)).astype(np.float64)
