"""Which phantom observations are unlike any observation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.engines.feature_input import estimate_probabilities, read_predictors
from ice_explorer.metrics.conditional_scale import conditional_moments
from ice_explorer.metrics.likelihood import observed_quantiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.arrays import Array, Mask, Rows
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput


_SCORES_AT_A_TIME = 4_000_000
_LEVEL = 0.99  # quantile of the scores of the observations beyond which a phantom is unlike them


@dataclass(frozen=True, eq=False, repr=False)
class Extrapolation:
    """How far the phantom observations of a feature are from what the other features let expect.

    Attributes
    ----------
    scores : ndarray of shape (n_rows, n_grid)
        z of each phantom observation.
    threshold : float
        99 % quantile of the scores of the observations themselves.
    is_unlike : ndarray of shape (n_rows, n_grid)
        Whether the score is above the threshold: the phantom observation is unlike any observation.
    curve_shares : ndarray of shape (n_rows,)
        Share of the grid values of each curve that are unlike any observation, 0 to 1.
    grid_shares : ndarray of shape (n_grid,)
        Share of the curves for which each grid value is, by weight, 0 to 1.
    share : float
        Share of all phantom observations that are, by weight, 0 to 1.
    summary : str
        The share in a sentence.
    """

    scores: Array
    threshold: float
    is_unlike: Mask
    curve_shares: Array
    grid_shares: Array
    share: float
    summary: str

    def __repr__(self) -> str:
        return f"<Extrapolation: {self.summary}>"


@dataclass(frozen=True, eq=False)
class UnlikeShares:
    """The shares of an `Extrapolation` that are drawn along the axis."""

    grid_shares: Array
    share: float
    summary: str


@dataclass(frozen=True, eq=False)
class Expected:
    """What the other features let expect of a feature: of numbers mean and spread, of levels probabilities.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_observations,), or None
        μ_i and s_i.
    probabilities : ndarray of shape (n_observations, n_levels), or None
        Of levels; their shares where the other features cannot tell.
    is_estimated : bool
        Whether the other features can tell the probabilities.
    threshold : float
        99 % quantile of the scores of the observations.
    """

    mean: Array | None
    scale: Array | None
    probabilities: Array | None
    is_estimated: bool
    threshold: float

    def scores(self, rows: Rows, values: Array) -> Array:
        """Score of rows with values (n_rows or 1, n_values) in place of their own."""
        if self.probabilities is not None:
            codes = np.broadcast_to(values, (len(rows), values.shape[1])).astype(np.intp)
            return np.asarray(1.0 - self.probabilities[rows[:, None], codes])
        assert self.mean is not None  # noqa: S101 - levels have probabilities
        assert self.scale is not None  # noqa: S101
        gap = np.abs(values - self.mean[rows, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap == 0, 0.0, gap / self.scale[rows, None])


def expected_of(context: Context, item: FeatureInput, between_fits: Callable[[], object] | None = None) -> Expected:
    """Estimate what the other features let expect of a feature; `between_fits` is called between models."""
    feature, weights, seed = item.feature, context.weights, context.settings.random_state
    mean = scale = probabilities = found = None
    if feature.is_unordered:
        assert feature.levels is not None  # noqa: S101 - it has no order
        known = ~np.isnan(feature.values)
        codes, mass = feature.values[known].astype(np.intp), None if weights is None else weights[known]
        shares = np.bincount(codes, mass, len(feature.levels))
        probabilities = np.tile(shares / shares.sum(), (len(feature.values), 1))
        found = estimate_probabilities(context, feature, between_fits)
        probabilities = probabilities if found is None else found
    else:
        others = read_predictors(context, feature)
        moments = conditional_moments(feature.values, others, item.scale, weights, seed, between_fits=between_fits)
        mean, scale = moments.mean, moments.scale
    expected = Expected(mean, scale, probabilities, found is not None, 0.0)
    rows = context.weighted_rows[~np.isnan(feature.values[context.weighted_rows])]
    own = expected.scores(rows, feature.values[rows, None])[:, 0]
    threshold = observed_quantiles(own, np.array([_LEVEL]), None if weights is None else weights[rows])[0]
    return replace(expected, threshold=float(threshold))


def extrapolation_of(expected: Expected, item: FeatureInput, rows: Rows, weights: Array) -> Extrapolation:
    """Score the phantom observations of some rows."""
    scores = expected.scores(rows, item.grid.values[None, :])
    is_unlike = scores > expected.threshold
    mass = _mass(weights, rows)
    grid_shares = np.average(is_unlike, axis=0, weights=mass) if len(rows) else np.full(item.grid.n_grid, np.nan)
    share = float(grid_shares.mean())
    return Extrapolation(
        scores, expected.threshold, is_unlike, is_unlike.mean(axis=1), grid_shares, share, _summary(item, share)
    )


def unlike_shares_of(expected: Expected, item: FeatureInput, rows: Rows, weights: Array) -> UnlikeShares:
    """Return the shares of `extrapolation_of` without holding the scores of all rows."""
    mass, total = _mass(weights, rows), np.zeros(item.grid.n_grid)
    n_rows = max(1, _SCORES_AT_A_TIME // item.grid.n_grid)
    for start in range(0, len(rows), n_rows):
        block = slice(start, start + n_rows)
        total += mass[block] @ (expected.scores(rows[block], item.grid.values[None, :]) > expected.threshold)
    grid_shares = total / mass.sum()
    share = float(grid_shares.mean())
    return UnlikeShares(grid_shares, share, _summary(item, share))


def _mass(weights: Array, rows: Rows) -> Array:
    """Weights of rows; where all are 0 they count alike."""
    return weights[rows] if weights[rows].any() else np.ones(len(rows))


def _summary(item: FeatureInput, share: float) -> str:
    text = f"{share:.0%} of the phantom observations of {item.feature.label!r} are unlike any observation."
    return text.replace("%", " %", 1)
