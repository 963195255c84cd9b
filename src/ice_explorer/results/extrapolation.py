"""Which phantom observations are further from what the other features predict than 99 % of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.curves.inputs import places_by_text, read_predictors
from ice_explorer.metrics.conditional import conditional_moments, estimate_levels, level_distances, make_neighbours
from ice_explorer.tables.column import observed_quantiles

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Mask, Rows
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.metrics.conditional import Neighbours


_SCORES_AT_A_TIME = 4_000_000
_LEVEL: Final = 0.99  # quantile of the scores of the observations beyond which a phantom is unlike them
THRESHOLD: Final = 1.0
_CLEARLY: Final = 1.25  # as far from the prediction as from the overall mean, or a value is rare for all rows alike
_LEAST_RATIO: Final = 1.5  # of the share of a level to its probability
_LEAST_PROBABILITY: Final = 1e-6
_LEAST_GAP: Final = 0.1  # standard deviations: gaps between values that are smaller are no holes
_LEAST_PART: Final = 0.1  # of what is explained, of features in which neighbours are near
_MOST_PREDICTORS: Final = 3


@dataclass(frozen=True, eq=False, repr=False)
class Extrapolation:
    """How far the phantom observations of a feature are from what the other features predict.

    Attributes
    ----------
    scores : ndarray of shape (n_rows, n_grid)
        Of each phantom observation: the larger of its distance from what the other features predict and from the
        nearest rows, each divided by its threshold.
    threshold : float
        1.0. About 1 % of the rows have a larger score at their observed value, at most 2 %.
    is_unlike : ndarray of shape (n_rows, n_grid)
        Whether the score is above the threshold: the phantom observation is further from what the other features
        predict, or from the nearest rows, than 99 % of rows.
    curve_shares : ndarray of shape (n_rows,)
        Share of the grid values of each curve at which it is, 0 to 1.
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


class UnlikeShares(NamedTuple):
    """The shares of an `Extrapolation` that are drawn along the axis."""

    grid_shares: Array
    share: float
    summary: str


@dataclass(frozen=True, eq=False)
class Expected:
    """What the other features let expect of a feature: of numbers mean and spread, of levels probabilities.

    - `mean`, `scale` (n_observations,): μ_i and s_i of a number.
    - `probabilities` (n_observations, n_levels): of levels, or of the two values of a number; their shares where the
      other features cannot tell. `is_estimated` says whether they can.
    - `levels` (n_levels,): coordinates of these levels.
    - `shares` (n_observations, n_levels): of each level, by weight, in the rows that its probability is estimated from;
      the probability itself where the level is too rare, and infinite where nobody has it.
    - `overall_mean`, `overall_scale`: of a number, over all observations.
    - `neighbours`: observations that phantoms are compared with, of numbers with more than two values.
    - `prediction_limit`, `neighbour_limit`, `joint_limit`: divisors of distances from the prediction, of those from the
      nearest rows, and of the larger of both.
    """

    mean: Array | None = None
    scale: Array | None = None
    probabilities: Array | None = None
    is_estimated: bool = False
    levels: Array | None = None
    shares: Array | None = None
    overall_mean: float = 0.0
    overall_scale: float = 0.0
    neighbours: Neighbours | None = None
    prediction_limit: float = 1.0
    neighbour_limit: float = 1.0
    joint_limit: float = 1.0

    def scores(self, rows: Rows, values: Array) -> Array:
        """Score of rows with increasing values (n_rows or 1, n_values) in place of their own, above 1 where unlike."""
        score = self.from_prediction(rows, values)
        if self.neighbours is not None:
            far = self.neighbours.distances(rows, values)
            far /= self.neighbour_limit
            np.maximum(score, far, out=score)
        score /= self.joint_limit
        return score

    def from_prediction(self, rows: Rows, values: Array) -> Array:
        """Return how far values are from what the other features predict, divided by the limit."""
        distance = self.distances(rows, values)
        limit: Any = self.prediction_limit
        if self.levels is None and self.overall_scale > 0:
            overall = np.abs(values - self.overall_mean) / self.overall_scale
            limit = np.maximum(_CLEARLY * overall, limit)
        distance *= 1 / limit
        return distance

    def distances(self, rows: Rows, values: Array) -> Array:
        """Return how far values are from what the other features predict: of numbers z, of levels log p - log P."""
        if self.levels is not None and self.shares is not None and self.probabilities is not None:
            place = np.minimum(np.searchsorted(self.levels, values), len(self.levels) - 1)
            share, probability = (
                np.log(np.maximum(each[rows[:, None], place], _LEAST_PROBABILITY))
                for each in (self.shares, self.probabilities)
            )
            return np.where(self.levels[place] == values, share - probability, np.inf)
        assert self.mean is not None  # noqa: S101 - levels have probabilities
        assert self.scale is not None  # noqa: S101
        gap = values - self.mean[rows, None]
        if self.overall_scale == 0:
            return np.where(gap == 0, 0.0, np.inf)
        gap *= 1 / self.scale[rows, None]
        return np.abs(gap, out=gap)


def expected_of(context: Context, item: FeatureInput) -> Expected:
    """Estimate what the other features let expect of a feature."""
    feature, weights, seed = item.feature, context.weights, context.settings.random_state
    rows = context.weighted_rows[~np.isnan(feature.values[context.weighted_rows])]
    observed, mass = feature.values[rows], context.row_weights[rows]
    expected = Expected()
    if not feature.is_unordered:
        others = read_predictors(context, feature)
        moments = conditional_moments(feature.values, others, item.scale, weights, seed)
        overall_mean = float(np.average(observed, weights=mass)) if len(rows) else 0.0
        expected = Expected(moments.mean, moments.scale, overall_mean=overall_mean, overall_scale=item.scale)
    values = np.unique(observed)
    if feature.is_unordered or len(values) == 2:
        levels, codes, by_text = np.asarray(values, np.float64), feature.values, np.arange(2)
        if feature.is_unordered and feature.levels is not None:
            levels, others = np.arange(len(feature.levels), dtype=np.float64), read_predictors(context, feature)
            by_text = places_by_text(feature)
        else:
            codes = np.where(np.isin(codes, values), (codes == values[1]) * 1.0, np.nan)
        found = estimate_levels(codes, by_text, others, weights, seed)
        overall = np.bincount(np.searchsorted(levels, observed), mass, len(levels)) / mass.sum()
        estimated = np.tile(overall, (len(codes), 2, 1)) if found is None else found
        expected = replace(
            expected, probabilities=estimated[:, 0], is_estimated=found is not None, levels=levels,
            shares=np.where(overall > 0, estimated[:, 1], np.inf),
        )  # fmt: skip
    elif len(values) > 2:
        predictors = np.flatnonzero((moments.importance >= _LEAST_PART) & ~others.are_levels)
        best = predictors[np.argsort(-moments.importance[predictors], kind="stable")][:_MOST_PREDICTORS]
        neighbours = make_neighbours(feature.values, others.values[:, best], context.row_weights, seed)
        expected = replace(expected, neighbours=neighbours)
    return _calibrated(expected, rows, observed[:, None], mass)


def _calibrated(expected: Expected, rows: Rows, observed: Array, weights: Array) -> Expected:
    """Choose limits so that about 1 % of the observations are above them, whose estimates are made without them."""

    def quantile(values: Array) -> float:
        return float(observed_quantiles(values[:, 0], np.array([_LEVEL]), weights)[0])

    if not len(rows):
        return expected
    least = float(np.log(_LEAST_RATIO)) if expected.levels is not None else np.finfo(float).tiny
    expected = replace(expected, prediction_limit=max(quantile(expected.distances(rows, observed)), least))
    score = expected.from_prediction(rows, observed)
    if expected.neighbours is not None:
        far = expected.neighbours.distances(rows, observed)
        expected = replace(expected, neighbour_limit=max(quantile(far), _LEAST_GAP))
        score = np.maximum(score, far / expected.neighbour_limit)
    return replace(expected, joint_limit=max(quantile(score), 1.0))


def rescaled(item: FeatureInput, expected: Expected | None) -> FeatureInput:
    """Return a feature with the conditional scale that the other features let expect, or the marginal one for None."""
    if item.feature.is_unordered:
        known = None if expected is None or not expected.is_estimated else expected.probabilities
        distances = None if expected is None else level_distances(item.observed, known, item.grid.values)
        return replace(item, distances=distances)
    return replace(item, row_scales=None if expected is None else expected.scale)


def extrapolation_of(expected: Expected, item: FeatureInput, rows: Rows, weights: Array) -> Extrapolation:
    """Score the phantom observations of some rows."""
    scores = expected.scores(rows, item.grid.values[None, :])
    is_unlike, mass = scores > THRESHOLD, _mass(weights, rows)
    grid_shares = mass @ is_unlike / mass.sum() if len(rows) else np.full(item.grid.n_grid, np.nan)
    return Extrapolation(
        scores, THRESHOLD, is_unlike, is_unlike.mean(axis=1), *_describe_shares(item, np.asarray(grid_shares))
    )


def unlike_shares_of(expected: Expected, item: FeatureInput, rows: Rows, weights: Array) -> UnlikeShares:
    """Return the shares of `extrapolation_of` without holding the scores of all rows."""
    mass, total = _mass(weights, rows), np.zeros(item.grid.n_grid)
    n_rows = max(1, _SCORES_AT_A_TIME // item.grid.n_grid)
    for start in range(0, len(rows), n_rows):
        block = slice(start, start + n_rows)
        total += mass[block] @ (expected.scores(rows[block], item.grid.values[None, :]) > THRESHOLD)
    return _describe_shares(item, total / mass.sum())


def _describe_shares(item: FeatureInput, grid_shares: Array) -> UnlikeShares:
    share = float(grid_shares.mean())
    phantoms = f"{100 * share:.0f} % of the phantom observations of {item.feature.label!r}"
    summary = f"{phantoms} are further from what the other features predict than 99 % of rows."
    return UnlikeShares(grid_shares, share, summary)


def _mass(weights: Array, rows: Rows) -> Array:
    """Weights of rows; where all are 0 they count alike."""
    return weights[rows] if weights[rows].any() else np.ones(len(rows))
