"""Input of one feature before the model is called: axis, grid, scales and rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import InvalidOptionError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import feature_of
from ice_explorer.features.grid import feature_seed, make_grid
from ice_explorer.features.sampling import draw_stratified
from ice_explorer.metrics.conditional_scale import conditional_moments, level_distances, level_probabilities
from ice_explorer.metrics.likelihood import Ordered, floored_scale, most_frequent, standard_deviation
from ice_explorer.metrics.unordered import category_scale
from ice_explorer.metrics.windows import nearest_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.engines.context import Context
    from ice_explorer.features.feature import Feature
    from ice_explorer.features.grid import Grid, GridName

    Array = NDArray[np.float64]


_LARGEST_OF_TREES = 1e38  # of a column that trees split: differences of larger values may be no numbers
_FEWEST_AT_A_TIME = 1024  # rows that are predicted together, whatever they take


@dataclass(frozen=True, eq=False)
class FeatureInput:
    """One feature before the model is called: axis, grid, scales and rows.

    - `grid`: coordinates.
    - `scale`: σ, or σ_c of levels without an order [feature].
    - `median`: lower (weighted) median, or the most frequent level.
    - `own` (n_observations,): observed coordinates, with the median in place of missing ones.
    - `likelihood_scale` (n_observations,): s_i [feature]; 1 for levels without an order.
    - `shares` (n_grid,): weight of the observations at each level of the grid, or nearest to each grid value.
    - `decay`: λ at which in-distribution impact is exact.
    - `distances` (n_observations, n_grid): for levels without an order: how unlikely each is for a row, where that is
      estimated.
    - `positions` (n_rows,): rows that the curves are of.
    - `summed`: those of them that have weight: the metrics are theirs.
    - `has_missing`: whether any observation that has weight lacks the value.
    - `missing_changes` (n_observations,): how far the prediction of each row moves when the value goes missing; NaN
      where that is not computed yet.
    """

    feature: Feature
    grid: Grid
    scale: float
    median: float
    own: Array
    likelihood_scale: Array
    shares: Array
    decay: float
    distances: Array | None
    positions: NDArray[np.int64]
    summed: NDArray[np.int64]
    has_missing: bool
    missing_changes: Array

    @property
    def has_marginal_scale(self) -> bool:
        """Whether σ is the likelihood scale: one number, however many rows, and not an array that was given."""
        return self.likelihood_scale.strides == (0,)

    @property
    def at_issue(self) -> int:
        """Number of the feature."""
        return self.feature.position

    @property
    def columns(self) -> tuple[int, ...]:
        """Positions of the columns that move."""
        return self.feature.positions

    @property
    def n_predictions_per_row(self) -> int:
        """Phantoms of one row: the grid, and its value with and without where some are missing."""
        return self.grid.n_grid + 2 * self.has_missing


def feature_input(
    context: Context,
    number: int,
    grid: GridName | Mapping[str, Array],
    scale: ArrayLike | None,
    n_rows: int | None,
    *,
    like: FeatureInput | None = None,
    is_part: bool = False,
) -> FeatureInput:
    """Choose grid, scales and rows of one feature; grid, σ, median and shares of levels of `like` where given.

    - `is_part`: whether `like` is the feature in all rows, of which X holds a part: what it lacks is missing here too.
    """
    feature, weights, settings = context.columns.feature(number), context.weights, context.settings
    values, missing = feature.values, np.isnan(feature.values)
    if is_part:
        assert like is not None  # noqa: S101 - see above
        chosen = like.grid
    else:
        column = Ordered.of(values, weights)
        chosen = make_grid(
            feature.label, column, grid=grid, grid_size=settings.grid_size,
            digits=feature.digits, is_unordered=feature.is_unordered, random_state=settings.random_state,
        )  # fmt: skip
    if like is None:
        sigma, shares = _scale_of(feature, weights), _shares_of(feature, chosen.values, column, weights)
        median = most_frequent(values, weights) if feature.is_unordered else column.lower_median
    else:
        sigma, shares, median = like.scale, like.shares, like.median
        if len(shares) != chosen.n_grid:  # the grid was chosen anew
            shares = _shares_of(feature, chosen.values, column, weights)
    own = np.where(missing, median, values) if missing.any() else values
    likelihood_scale, distances = _likelihoods(context, feature, own, sigma, scale=scale, grid=chosen.values)
    if n_rows is None:
        positions, summed = context.everything, context.weighing
    else:
        generator = feature_seed(settings.random_state, feature.label)
        positions = summed = draw_stratified(values, context.weighing, n_rows, generator)
        if weights is not None and weights[summed].sum() <= 1:
            raise InvalidOptionError(
                "`sample_weight` of the sampled observations must sum to more than 1; got a sum of "
                f"{float(weights[summed].sum())!r} for {quoted(feature.readable)}.",
                "Use a larger `sample`, or multiply the weights.",
                "Choose another feature in the ranking. For this one, create the explorer with a larger sample.",
            )
    has_missing = like.has_missing if is_part and like is not None else bool(missing[context.weighing].any())
    return FeatureInput(
        feature, chosen, sigma, median, own, likelihood_scale, shares, settings.decay, distances, positions, summed,
        has_missing,
        missing_changes=np.full(len(values) if has_missing else 0, np.nan),
    )  # fmt: skip


def _scale_of(feature: Feature, weights: Array | None) -> float:
    """Standard deviation of a feature, that of its levels where they have no order."""
    if not feature.is_unordered:
        return standard_deviation(feature.values, weights)
    shares = level_weights(feature, weights)
    return category_scale(shares / shares.sum())


def _shares_of(feature: Feature, grid: Array, column: Ordered, weights: Array | None) -> Array:
    """Weight of the observations at each level of the grid, or nearest to each grid value."""
    if feature.is_unordered:
        return level_weights(feature, weights)[grid.astype(np.intp)]
    return nearest_shares(grid, column.values, column.weights)


def level_weights(feature: Feature, weights: Array | None) -> Array:
    """Weight of the observations at each level, (n_levels,)."""
    assert feature.levels is not None  # noqa: S101 - it has no order
    present = ~np.isnan(feature.values)
    codes = feature.values[present].astype(np.intp)
    return np.bincount(codes, None if weights is None else weights[present], len(feature.levels)).astype(np.float64)


def _likelihoods(
    context: Context, feature: Feature, own: Array, sigma: float, *, scale: ArrayLike | None, grid: Array
) -> tuple[Array, Array | None]:
    """Return likelihood scales, and for levels without an order how unlikely each is, where that is estimated."""
    n_observations, is_conditional = context.table.n_observations, context.settings.scale == "conditional"
    if feature.is_unordered:
        if scale is not None:
            raise InvalidOptionError(
                "`scale` must give standard deviations of features with an order; got one for "
                f"{quoted(feature.readable)}, an unordered category, whose levels are all as far from each other.",
                'Leave it out, or use `scale="conditional"`.',
            )
        distances = None
        if is_conditional:
            distances = level_distances(own, probabilities_of(context, feature), grid)
        return np.broadcast_to(1.0, n_observations), distances
    if is_conditional:
        others = others_of(context, feature)
        found = conditional_moments(feature.values, others, sigma, context.weights, context.settings.random_state)
        return found.scale, None
    if scale is not None:
        return floored_scale(feature.name, scale, sigma, n_observations), None
    return np.broadcast_to(sigma, n_observations), None  # one number, however many rows


def probabilities_of(
    context: Context, feature: Feature, between_fits: Callable[[], object] | None = None
) -> Array | None:
    """Estimate the probability of each level given the other features, (n_observations, n_levels), if it can be."""
    codes, rank = _by_label(feature)
    others, seed = others_of(context, feature), context.settings.random_state
    known = level_probabilities(codes, others, context.weights, seed, between_fits=between_fits)
    if known is None:
        return None
    probabilities = np.zeros((len(codes), len(rank)))
    probabilities[:, : known.shape[1]] = known
    return probabilities[:, rank]


def _by_label(feature: Feature) -> tuple[Array, NDArray[np.intp]]:
    """Return codes of levels in the order of their labels, and the place of each level in that order."""
    assert feature.levels is not None  # noqa: S101 - they have no order
    rank = np.argsort(np.argsort([str(level) for level in feature.levels.tolist()], kind="stable"))
    known = ~np.isnan(feature.values)
    return np.where(known, rank[np.where(known, feature.values, 0.0).astype(np.intp)], np.nan), rank


def others_of(context: Context, feature: Feature) -> Array:
    """Coordinates of all other columns that have some, (n_observations, n_others), as far as trees can tell.

    Levels without an order are numbered in the order of their labels, so that the order of rows does not matter. Of
    columns of one known value it matters where that is missing.
    """
    columns = context.columns
    others = [place for place in range(len(columns.names)) if place not in feature.positions]
    # As features they are checked to be finite.
    features = [feature_of(columns.at(place)) for place in others if columns.at(place).kind != "other"]
    values = []
    for other in features:
        coordinates, known = other.values, ~np.isnan(other.values)
        if other.is_unordered:
            coordinates, _ = _by_label(other)
        if known.any() and np.ptp(coordinates[known]) == 0:
            coordinates = known.astype(np.float64)
        values.append(coordinates)
    matrix = np.column_stack(values) if values else np.empty((context.table.n_observations, 0))
    return np.clip(matrix, -_LARGEST_OF_TREES, _LARGEST_OF_TREES)
