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
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.metrics.ordered import CONVENTIONS, step_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.metrics.decay_sums import EndShares
    from ice_explorer.metrics.ordered import Convention

    Array = NDArray[np.float64]

# a = -ln(decay): 0, and doubling from 0.05, so that each likelihood is the square of the one before.
_EXPONENTS: Final = np.append(0.0, 0.05 * 2.0 ** np.arange(8))
_ERRORS: Final = ("impact", "direction", "heterogeneity", "non_linearity")
_FEW_NODES: Final = 64
_ROUNDING: Final = 1e-12
_CELLS_AT_A_TIME: Final = 1 << 18  # of arrays of several features


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


class SampledCurves(NamedTuple):
    """Curves of some rows of a sample along a feature with an order.

    - `curves` (n_some, n_active + 1), `own`, `likelihood_scale`, `missing_change` (n_some,): as for `FeatureSums.add`.
    - `grid`, `scale`: as for `FeatureSums`.
    - `active` (n_active,): intervals in which curves can change.
    """

    curves: Array
    grid: Array
    active: NDArray[np.intp]
    scale: float
    own: Array
    likelihood_scale: Array
    missing_change: Array | None = None


def ordered_samplings(
    features: Sequence[SampledCurves],
    weights: Array,
    counts: tuple[int, int],
    *,
    conventions: Sequence[Convention] = CONVENTIONS,
) -> list[Sampling]:
    """Estimate the standard errors of features with an order, many at a time.

    - `features`: all on the same number of rows.
    - `weights` (n_some,): of these rows.
    - `counts`: rows of the sample, and rows that it is drawn from.
    - `conventions`: those that errors are estimated for.
    """
    of_sample = _OfSample(weights, counts)
    found: list[Sampling] = []
    for some in _chunks(features):
        missing = [of_sample.missing_error(feature.missing_change) for feature in some]
        moving = [at for at, feature in enumerate(some) if len(feature.grid) > 1 and feature.scale != 0]
        of_some = [of_sample.constant(error) for error in missing]
        if moving:
            features_of, missing_of = [some[at] for at in moving], [missing[at] for at in moving]
            for at, sampling in zip(moving, _of_moving(of_sample, features_of, missing_of, conventions), strict=True):
                of_some[at] = sampling
        found += of_some
    return found


def _chunks(features: Sequence[SampledCurves]) -> Iterator[Sequence[SampledCurves]]:
    """Part features into chunks whose arrays stay in the cache."""
    start = 0
    while start < len(features):
        stop, widest = start, 0
        while stop < len(features):
            n_rows, n_columns = features[stop].curves.shape
            widest = max(widest, n_rows * (n_columns + _FEW_NODES))
            if stop > start and (stop + 1 - start) * widest > _CELLS_AT_A_TIME:
                break
            stop += 1
        yield features[start:stop]
        start = stop


def _of_moving(
    of_sample: _OfSample, features: Sequence[SampledCurves], missing: Sequence[float], conventions: Sequence[Convention]
) -> list[Sampling]:
    """Estimate the errors of features whose curves can change, as arrays with one feature after the other.

    Where features have fewer intervals or nodes than others, slopes and weights are 0 and distances infinite.
    """
    n_features, n_rows = len(features), len(features[0].own)
    scale = np.array([feature.scale for feature in features])
    nodes_of = [_nodes(feature.active, len(feature.grid)) for feature in features]
    n_active, n_nodes = max(len(feature.active) for feature in features), max(map(len, nodes_of))
    slopes, distances = np.zeros((n_features, n_rows, n_active)), np.full((n_features, n_rows, n_nodes), np.inf)
    for at, (feature, nodes) in enumerate(zip(features, nodes_of, strict=True)):
        gaps = feature.grid[feature.active + 1] - feature.grid[feature.active]
        np.divide(feature.curves[:, 1:] - feature.curves[:, :-1], gaps, out=slopes[at, :, : len(gaps)])
        apart = np.abs(feature.grid[nodes] - feature.own[:, None])
        distances[at, :, : len(nodes)] = apart / feature.likelihood_scale[:, None]
    steep, spread = np.abs(slopes), of_sample.spread(slopes)
    weights_of = [step_weights(feature.grid) for feature in features]
    errors: dict[Convention, dict[str, Array]] = {}
    summed: dict[Convention, tuple[Array, Array]] = {}
    for convention in conventions:
        steps = [weights[convention] for weights in weights_of]
        u = np.zeros((n_features, n_active))
        changes, node_weights = np.zeros(distances.shape), np.zeros((n_features, n_nodes))
        for at, (feature, nodes, step) in enumerate(zip(features, nodes_of, steps, strict=True)):
            u[at, : len(feature.active)] = step.u[feature.active]
            of_feature = scale[at] * steep[at, :, : len(feature.active)]
            at_ends = _at_ends(of_feature, step.ends, feature.active, nodes)
            changes[at, :, : len(nodes)], node_weights[at, : len(nodes)] = at_ends
        shares = scale[:, None] * u
        along = _along(slopes, u, [step.variance_divisor for step in steps], convention)
        errors[convention] = {
            "impact": of_sample.error(_dot(steep, shares)),
            "direction": of_sample.error(_dot(slopes, shares)),
            "heterogeneity": of_sample.error(_dot(spread, shares)),
            "non_linearity": of_sample.error(scale[:, None] * along),
        }
        summed[convention] = changes, node_weights
    return of_sample.samplings(errors, missing, distances, summed)


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
    of_sample = _OfSample(rows[1], counts)
    missing = of_sample.missing_error(missing_change)
    levels = np.flatnonzero(shares > 0)
    if len(curves[0]) < 2 or scale == 0:
        return of_sample.constant(missing)
    if len(levels) < 2:
        return of_sample.constant(missing, math.nan)
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
        "impact": of_sample.error(changes.sum(axis=1)[None]),
        "direction": np.array([math.nan]),
        "heterogeneity": of_sample.error(spread[None]),
        "non_linearity": np.array([math.nan]),
    }
    summed = changes[None], q.sum(axis=1)[None] / scale
    (sampling,) = of_sample.samplings(
        dict.fromkeys(CONVENTIONS, errors), [missing], rows[0][None, :, levels], dict.fromkeys(CONVENTIONS, summed)
    )
    return sampling


class _OfSample:
    """Some rows of a sample, and what becomes of numbers of theirs.

    - `weights` (n_some,).
    - `counts`: rows of the sample, and rows that it is drawn from.
    """

    def __init__(self, weights: Array, counts: tuple[int, int]) -> None:
        self._weights = weights
        self._total = float(weights.sum())
        self._counts = counts

    def error(self, of_rows: Array) -> Array:
        """Return the standard errors of weighted means of a number per row, (…, n_some)."""
        mean = of_rows @ self._weights / self._total
        return self._of_influences((of_rows - mean[..., None]) * self._weights / self._total)

    def missing_error(self, missing_change: Array | None) -> float:
        """Return the standard error of the mean change where a value goes missing; NaN where none is missing."""
        return math.nan if missing_change is None else float(self.error(missing_change))

    def _ratio_error(self, above: Array, below: Array) -> Array:
        """Return the standard errors of ratios of two sums over rows, (…, n_some) each."""
        total = below @ self._weights
        is_weighed = total > 0
        total = np.where(is_weighed, total, 1.0)
        ratio = above @ self._weights / total
        influences = (above - ratio[..., None] * below) * self._weights / total[..., None]
        return np.where(is_weighed, self._of_influences(influences), math.nan)

    def _of_influences(self, influences: Array) -> Array:
        """Return the standard errors from the influences of rows, (…, n_some), divided by their number."""
        n_rows, n_all = self._counts
        n_some = influences.shape[-1]
        if n_some < 2:
            return np.full(influences.shape[:-1], math.nan)
        each = n_some * np.std(influences, axis=-1, ddof=1)
        return np.asarray(each * math.sqrt(max(0.0, 1.0 - n_rows / n_all) / n_rows))

    def spread(self, columns: Array) -> Array:
        """Return numbers of rows whose mean is half the standard deviation of each column, and varies as it does.

        - `columns` (…, n_some, n_columns).
        """
        mean = self._weights @ columns / self._total
        squared = np.square(columns - mean[..., None, :])
        deviation = np.sqrt(self._weights @ squared / self._total)[..., None, :]
        rounding = _ROUNDING * np.abs(columns).max(axis=-2, initial=0.0)[..., None, :]
        return np.where(deviation > rounding, squared / (2.0 * np.where(deviation > 0, deviation, 1.0)), 0.0)

    def constant(self, missing: float, value: float = 0.0) -> Sampling:
        """Return the errors of a feature that does not move predictions; `value` NaN: of one without effects."""
        errors = dict.fromkeys(_ERRORS, value) | {"missing_impact": missing}
        decayed = np.full(2, value)
        return Sampling(
            *self._counts, dict.fromkeys(CONVENTIONS, errors), _EXPONENTS[:2], dict.fromkeys(CONVENTIONS, decayed)
        )

    def samplings(
        self,
        errors: Mapping[Convention, Mapping[str, Array]],
        missing: Sequence[float],
        distances: Array,
        summed: Mapping[Convention, tuple[Array, Array]],
    ) -> list[Sampling]:
        """Collect the errors of features, and estimate those of in-distribution impact.

        - `errors`: (n_features,) by convention and metric.
        - `missing`: error of the missing impact of each feature.
        - `distances` (n_features, n_some, n_nodes): exponents of the likelihood.
        - `summed`: what is weighed by the likelihood, of the same shape, and the weights of the nodes,
          (n_features, n_nodes).
        """
        decayed = {convention: np.empty((len(distances), len(_EXPONENTS))) for convention in summed}
        likelihood = np.ones_like(distances)
        for at in range(len(_EXPONENTS)):
            if at == 1:  # as multiples of the largest likelihood, so that none is too small for a float
                likelihood = np.exp((distances.min(axis=(1, 2), keepdims=True) - distances) * _EXPONENTS[1])
            elif at > 1:
                likelihood *= likelihood
            for convention, (change, weight) in summed.items():
                above = np.einsum("fij,fij->fi", change, likelihood)
                decayed[convention][:, at] = self._ratio_error(above, _dot(likelihood, weight))
        return [
            Sampling(
                *self._counts,
                {
                    convention: {name: float(values[at]) for name, values in of_all.items()} | {"missing_impact": error}
                    for convention, of_all in errors.items()
                },
                _EXPONENTS,
                {convention: of_all[at] for convention, of_all in decayed.items()},
            )
            for at, error in enumerate(missing)
        ]


def _dot(columns: Array, shares: Array) -> Array:
    """Sum columns (n_features, n_some, n_columns) with the shares of each feature, (n_features, n_columns)."""
    return np.asarray((columns @ shares[:, :, None])[..., 0])


def _along(slopes: Array, u: Array, divisors: Sequence[float], convention: Convention) -> Array:
    """How much the slope of each curve deviates along it, (n_features, n_some); see `FeatureSums`.

    - `u` (n_features, n_active): weights of the intervals in which curves can change; the others have the rest of 1.
    """
    mean, elsewhere = _dot(slopes, u), np.maximum(1.0 - u.sum(axis=1, keepdims=True), 0.0)
    deviation = slopes - mean[..., None]
    if convention == "stable":
        return np.asarray(_dot(np.abs(deviation), u) + elsewhere * np.abs(mean))
    return np.asarray(np.sqrt((_dot(np.square(deviation), u) + elsewhere * mean**2) / np.array(divisors)[:, None]))


def _nodes(active: NDArray[np.intp], n_grid: int) -> NDArray[np.intp]:
    """Choose grid values at which likelihoods are computed: where curves change, and a few that stand for the rest."""
    if n_grid <= 2 * _FEW_NODES or len(active) == n_grid - 1:
        return np.arange(n_grid)
    is_node = np.zeros(n_grid, np.bool_)
    is_node[active] = is_node[active + 1] = is_node[_evenly(n_grid)] = True
    return np.flatnonzero(is_node)


@lru_cache
def _evenly(n_grid: int) -> NDArray[np.intp]:
    """Return a few grid values from the first to the last."""
    return np.linspace(0, n_grid - 1, _FEW_NODES).astype(np.intp)


def _at_ends(changes: Array, ends: EndShares, active: NDArray[np.intp], nodes: NDArray[np.intp]) -> tuple[Array, Array]:
    """Part what intervals bring (n_some, n_active), and what they weigh, between the nodes at their ends."""
    at_nodes = np.zeros((len(changes), len(nodes)))
    left = nodes.searchsorted(active)
    at_nodes[:, left] = changes * ends.left[active]
    at_nodes[:, left + 1] += changes * ends.right[active]  # the next value is a node as well
    nearest_from = np.append(0, (nodes[1:] + nodes[:-1]) // 2 + 1)  # the first grid value that a node stands for
    return at_nodes, np.add.reduceat(ends.at_values, nearest_from)
