"""One feature before the model is called: axis, grid, scales and rows; and its sums, to which curves are added."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.errors import OptionError, PredictionError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import make_feature
from ice_explorer.features.grid import make_grid
from ice_explorer.metrics.conditional import (
    Predictors,
    conditional_moments,
    level_distances,
    level_probabilities,
    rank_levels,
    ranked_codes,
)
from ice_explorer.metrics.likelihood import SortedValues, distances, floored_scale, standard_deviation
from ice_explorer.metrics.ordered import MOST_CELLS, OrderedSums, nearest_shares
from ice_explorer.metrics.unordered import UnorderedSums, category_scale
from ice_explorer.runtime import HAS_NUMBA
from ice_explorer.tables.column import sort_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.engines.context import Context
    from ice_explorer.features.feature import Feature
    from ice_explorer.features.grid import Grid, GridName
    from ice_explorer.metrics.ordered import Convention

    Sums = OrderedSums | UnorderedSums

_LARGEST_OF_TREES = 1e38  # of a column that trees split: differences of larger values may be no numbers


@dataclass(frozen=True, eq=False)
class FeatureInput:
    """One feature before the model is called: axis, grid, scales and rows; there are none where other machines have X.

    - `grid`: coordinates.
    - `scale`: σ, or σ_c of levels without an order [feature].
    - `median`: lower (weighted) median, or the most frequent level.
    - `shares` (n_grid,): weight of the observations at each level of the grid, or nearest to each grid value.
    - `decay`: λ at which in-distribution impact is exact.
    - `convention`: what figures are averages of.
    - `has_missing`: whether any observation that has weight lacks the value.
    - `likelihood_scale` (n_observations,): s_i [feature]; 1 for levels without an order.
    - `distances` (n_observations, n_grid): for levels without an order: how unlikely each is for a row, where that is
      estimated.
    - `positions` (n_rows,): rows that the curves are of.
    - `summed`: those of them that have weight: the metrics are theirs.
    - `missing_changes` (n_observations,): how far the prediction of each row moves when the value goes missing; NaN
      where that is not computed yet.
    """

    feature: Feature
    grid: Grid
    scale: float
    median: float
    shares: Array
    decay: float
    convention: Convention
    has_missing: bool
    likelihood_scale: Array = field(default_factory=partial(np.empty, 0))
    distances: Array | None = None
    positions: Rows = field(default_factory=partial(np.arange, 0))
    summed: Rows = field(default_factory=partial(np.arange, 0))
    missing_changes: Array = field(default_factory=partial(np.empty, 0))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle a marginal scale as one number, not as many."""
        return vars(self) | ({"likelihood_scale": self.likelihood_scale[:1]} if self.has_marginal_scale else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        n_observations, scale = len(self.feature.values), self.likelihood_scale
        if len(scale) == 1:
            vars(self)["likelihood_scale"] = np.broadcast_to(scale[0], n_observations)

    @cached_property
    def observed(self) -> Array:
        """Observed coordinates, (n_observations,), with the median in place of missing ones."""
        missing = np.isnan(self.feature.values)
        return np.where(missing, self.median, self.feature.values) if missing.any() else self.feature.values

    @property
    def has_marginal_scale(self) -> bool:
        """Whether σ is the likelihood scale: one number, however many rows, and not an array that was given."""
        return self.likelihood_scale.strides == (0,)

    def far(self, rows: Rows) -> Array:
        """How far grid values are from rows, in likelihood scales, (n_rows, n_grid): the exponents of the decay."""
        if not self.feature.is_unordered:
            return distances(self.grid.values, self.observed[rows], self.likelihood_scale[rows])
        if self.distances is not None:
            return self.distances[rows]
        return np.asarray(self.observed[rows, None] != self.grid.values, np.float64)

    @property
    def feature_number(self) -> int:
        """Number of the feature."""
        return self.feature.position

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
    """Choose grid, scales and rows of one feature; σ, median and shares of `like` where given.

    - `is_part`: whether `like` is the feature in all rows, of which X holds a part: its grid, and what it lacks, are
      those of the part, too.
    """
    feature, weights, settings = context.columns.feature(number), context.weights, context.settings
    values, missing = feature.values, np.isnan(feature.values)
    has_missing = bool(missing[context.weighted_rows].any())
    if like is not None and is_part:
        chosen, has_missing = like.grid, like.has_missing
    else:
        column = SortedValues.of(values, weights)
        chosen = make_grid(feature, column, grid=grid, grid_size=settings.grid_size)
    if like is not None:
        sigma, median, shares = like.scale, like.median, like.shares
    else:
        sigma, median, shares = measure(feature, column, chosen.values, standard_deviation(values, weights))
    likelihood_scale, distances = np.broadcast_to(1.0 if feature.is_unordered else sigma, len(values)), None
    if settings.distance == "conditional" and feature.is_unordered:
        own = np.where(missing, median, values)
        distances = level_distances(own, estimate_probabilities(context, feature), chosen.values)
    elif settings.distance == "conditional":
        others = read_predictors(context, feature)
        likelihood_scale = conditional_moments(values, others, sigma, weights, settings.random_state).scale
    elif scale is not None and feature.is_unordered:
        raise OptionError(
            "`distance` must give standard deviations of features with an order; got one for "
            f"{quoted(feature.readable)}, an unordered category, whose levels are all as far from each other.",
            'Leave it out, or use `distance="conditional"`.',
        )
    elif scale is not None:
        likelihood_scale = floored_scale(feature.name, scale, sigma, len(values))
    positions, summed = context.everything, context.weighted_rows
    if n_rows is not None:
        positions = summed = context.draw(values, context.weighted_rows, n_rows, feature.label)
        if weights is not None and weights[summed].sum() <= 1:
            raise OptionError(
                "`sample_weight` of the sampled observations must sum to more than 1; got a sum of "
                f"{float(weights[summed].sum())!r} for {quoted(feature.readable)}.",
                "Use a larger `sample`, or multiply the weights.",
            )
    changes = np.full(len(values) if has_missing else 0, np.nan)
    return FeatureInput(
        feature, chosen, sigma, median, shares, settings.decay, settings.convention, has_missing, likelihood_scale,
        distances, positions, summed, changes,
    )  # fmt: skip


def measure(
    feature: Feature, column: SortedValues, grid: Array, standard_deviation: float
) -> tuple[float, float, Array]:
    """Return scale and median of a feature, and the weight of the observations at or nearest to each grid value.

    - `column`: its values, or its levels with their weights.
    - `standard_deviation`: of the values; levels without an order have another scale, and the most frequent one.
    """
    if not feature.is_unordered:
        return standard_deviation, column.lower_median, nearest_shares(grid, column.values, column.weights)
    assert feature.levels is not None  # noqa: S101 - it has no order
    weights = np.bincount(column.values.astype(np.intp), column.weights, len(feature.levels)).astype(np.float64)
    return category_scale(weights / weights.sum()), float(np.argmax(weights)), weights[grid.astype(np.intp)]


def estimate_probabilities(
    context: Context, feature: Feature, between_fits: Callable[[], object] | None = None
) -> Array | None:
    """Estimate the probability of each level given the other features, (n_observations, n_levels), if it can be."""
    others, weights, seed = read_predictors(context, feature), context.weights, context.settings.random_state
    places = _places_by_text(feature)
    codes = ranked_codes(feature.values, places)
    found = level_probabilities(codes, len(places), others, weights, seed, between_fits=between_fits)
    return None if found is None else found[:, places]


def read_predictors(context: Context, feature: Feature) -> Predictors:
    """Coordinates of all other columns that have some, as far as trees can tell."""
    columns = context.columns
    are_levels, values = [], [np.empty((context.table.n_observations, 0))]
    others = [
        make_feature(columns.at(place))  # whose coordinates are finite, or refused
        for place in range(len(columns.names))
        if place not in feature.positions and columns.at(place).kind != "other"
    ]
    for other in others:
        coordinates = other.values
        known = ~np.isnan(coordinates)
        # Of a column of one known value it matters where that is missing.
        is_constant = bool(known.any() and np.ptp(coordinates[known]) == 0)
        values.append((known if is_constant else coordinates)[:, None])
        are_levels.append(other.is_unordered and not is_constant)
    predictors = Predictors(
        np.clip(np.hstack(values), -_LARGEST_OF_TREES, _LARGEST_OF_TREES), np.array(are_levels, np.bool_)
    )
    for at in np.flatnonzero(predictors.are_levels):
        places = _places_by_text(others[at])
        by_text = ranked_codes(others[at].values, places)
        ranks = rank_levels(by_text, len(places), predictors.numbers, context.weights)
        predictors.values[:, at] = ranked_codes(by_text, ranks)
    return predictors


def _places_by_text(feature: Feature) -> Places:
    """Return the place of each level in the order of their texts, (n_levels,)."""
    assert feature.levels is not None  # noqa: S101 - it has no order
    levels = feature.levels.tolist()
    place_of = {level: place for place, level in enumerate(sort_levels(levels))}
    return np.array([place_of[level] for level in levels], np.intp)


_WORTH_COMPILING = 2_000_000  # predictions of all features; numba takes longer to load than NumPy to add up fewer


def empty_sums(
    item: FeatureInput,
    weights: Array | None = None,
    active: Places | None = None,
    *,
    compiled: bool = False,
    most_cells: int = MOST_CELLS,
) -> Sums:
    """Make the sums of a feature, nothing added yet; without weights they are to be filled or merged."""
    grid, rows = item.grid.values, None
    if item.feature.is_unordered:
        return UnorderedSums(grid, item.scale, item.shares, item.decay, None if weights is None else active)
    if weights is not None:
        scales = item.likelihood_scale
        scales = scales[: len(item.summed)] if item.has_marginal_scale else scales[item.summed]  # a view of one number
        rows = item.observed[item.summed], scales, weights[item.summed]
    return OrderedSums(
        grid,
        item.scale,
        item.shares,
        item.decay,
        rows,
        convention=item.convention,
        active=active,
        compiled=compiled,
        most_cells=most_cells,
    )


def select_rows(item: FeatureInput, weights: Array, rows: Rows) -> tuple[Array, Array, Array]:
    """Observed values, likelihood scales and weights of rows."""
    return item.observed[rows], item.likelihood_scale[rows], weights[rows]


def add_block(
    sums: Sums,
    curves: Array | tuple[Array, Array],
    item: FeatureInput,
    block: tuple[Rows, Array, Array | None],
) -> None:
    """Add the curves of a block: its rows, the weights of all, and how far missing values move predictions."""
    rows, weights, change = block
    of_rows: Any = select_rows(item, weights, rows)
    if isinstance(sums, UnorderedSums):
        of_rows = of_rows[0], None if item.distances is None else item.distances[rows], of_rows[2]
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(curves, tuple):
            sums.add_parallel_curves(*curves, of_rows, change)
        else:
            sums.add(curves, of_rows, change)
    check_changes(sums, item)


def check_changes(sums: Sums, item: FeatureInput) -> None:
    """Refuse changes whose squares are no numbers, and slopes between values that are too close."""
    if sums.factors is None:
        return
    if not np.isfinite(sums.moments.squared).all():
        raise PredictionError(
            f"Predictions must change by at most {LARGEST:g} along a feature; they change by more along "
            f"{quoted(item.feature.readable)}.",
            "Predict on another scale, or leave the feature out with `features=`.",
        )
    with np.errstate(over="ignore"):
        steepest = sums.scale / np.diff(sums.grid).min() if isinstance(sums, OrderedSums) else 0.0
    if not math.isfinite(steepest) or not math.isfinite(sums.deviations):
        raise PredictionError(
            f"Grid values of {quoted(item.feature.readable)} must be further apart than "
            f"{item.scale / LARGEST:.3g}; two are {float(np.diff(sums.grid).min()):.3g} apart.",
            "Write the feature in a smaller unit, or space its values with `grid=`.",
        )


def missing_change(brute: BruteCurves, item: FeatureInput, rows: Rows) -> Array | None:
    """How far the prediction of each row moves when the value goes missing; None where none is. Predicted once."""
    if not item.has_missing:
        return None
    new = rows[np.isnan(item.missing_changes[rows])]
    if len(new):
        values = np.column_stack([item.observed[new], np.full(len(new), np.nan)])
        predictions = brute.evaluate(item.feature, new, values)
        item.missing_changes[new] = np.abs(predictions[:, 1] - predictions[:, 0])
    return item.missing_changes[rows]


def sum_blocks(blocks: Iterable[tuple[Rows, Array]], brute: BruteCurves, item: FeatureInput, weights: Array) -> Sums:
    """Sum blocks of rows and their curves at every grid value."""
    sums = empty_sums(item, weights, compiled=is_worth_compiling([item]))
    for rows, curves in blocks:
        add_block(sums, curves, item, (rows, weights, missing_change(brute, item, rows)))
    sums.finish()
    return sums


def is_worth_compiling(items: Iterable[FeatureInput]) -> bool:
    """Whether so much is added up that loading numba pays; whether it is loaded already must not change results."""
    return HAS_NUMBA and sum(len(item.summed) * item.grid.n_grid for item in items) > _WORTH_COMPILING
