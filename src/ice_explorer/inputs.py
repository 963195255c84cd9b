"""What a feature is before the model is asked: its axis, grid, scales and rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.category import category_scale
from ice_explorer.errors import InputDataError, InvalidOptionError, PredictionError, UnknownFeatureError, text_of
from ice_explorer.feature import feature_of, unordered, with_levels_of
from ice_explorer.grid import feature_seed, make_grid
from ice_explorer.groups import column_of_group, make_group
from ice_explorer.labels import labels_of, readable
from ice_explorer.likelihood import (
    conditional_distances,
    conditional_scale,
    floored_scale,
    lower_median,
    most_frequent,
    standard_deviation,
)
from ice_explorer.options import check_positions
from ice_explorer.sampling import draw_stratified
from ice_explorer.target_check import known_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.predict import Predictor
    from ice_explorer.adapters.table import Column, Name, Table
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.feature import Feature
    from ice_explorer.grid import Grid, GridName
    from ice_explorer.options import Settings
    from ice_explorer.probe import Probe, Witness
    from ice_explorer.progress import Progress
    from ice_explorer.target_check import KnownTarget

    Array = NDArray[np.float64]


_LARGEST_OF_FOREST = 1e38  # of a column that a forest splits, which it takes in single precision
_FEWEST_AT_A_TIME = 1024  # rows that are predicted together, whatever they take


@dataclass(frozen=True, eq=False)
class Context:
    """What all features share."""

    table: Table
    columns: Columns
    weights: NDArray[np.float64] | None
    predictor: Predictor
    settings: Settings
    brute: BruteCurves
    probe: Probe | None  # None where the model fails on it
    witness: Witness
    progress: Progress

    @cached_property
    def row_weights(self) -> NDArray[np.float64]:
        """Weight of every row, 1 where none were given."""
        return np.ones(self.table.n_observations) if self.weights is None else self.weights

    @cached_property
    def everything(self) -> NDArray[np.int64]:
        """Positions of all rows."""
        return np.arange(self.table.n_observations)

    @cached_property
    def weighing(self) -> NDArray[np.int64]:
        """Rows that have weight."""
        return np.flatnonzero(self.row_weights > 0)

    def positions(self, given: object, option: str = "positions") -> NDArray[np.int64]:
        """Return positions of rows of X, given as such or as a boolean mask.

        Raises
        ------
        InvalidOptionError
            If they are neither, or belong to another index.
        """
        return check_positions(given, self.table.n_observations, option, self.table.index)

    def predictions(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Predict some observations as they are, (n_rows,) [output], a block of them at a time.

        Raises
        ------
        PredictionError
            If the model fails or changed, or a prediction is no finite number.
        """
        self.witness.check()
        size = max(self.brute.rows_per_block(1), _FEWEST_AT_A_TIME)
        blocks = [self._predicted(positions[start : start + size]) for start in range(0, len(positions), size)]
        return np.concatenate([np.empty(0), *blocks])

    def _predicted(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        try:
            predicted = self.brute.predict(self.table.take(positions), "observations", positions)
        except PredictionError:
            raise
        except Exception as error:
            raise PredictionError.failed_on_rows(error) from error
        wrong = np.flatnonzero(~np.isfinite(predicted))
        if wrong.size:
            value, row = float(predicted[wrong[0]]), int(positions[wrong[0]])
            if np.isinf(value) and self.settings.response == "log_odds":
                where = f"row {row} of X"
                raise PredictionError.certain(where, 0 if value < 0 else 1)
            raise PredictionError.row_not_finite(value, row)
        return predicted

    def compared_with(self, y: object) -> KnownTarget:
        """Compare the observed target with the columns of X."""
        return known_target(y, self.predictor, self.columns.read, self.table.n_observations)

    @cached_property
    def all_predictions(self) -> NDArray[np.float64]:
        """Predictions of all observations, (n_observations,) [output]."""
        return self.predictions(self.everything)

    @cached_property
    def prediction_sd(self) -> float:
        """Standard deviation of the predictions of all observations that have weight, ddof=0 [output]."""
        if self.weights is None:
            return standard_deviation(self.all_predictions)
        return standard_deviation(self.predictions(self.weighing), self.weights[self.weighing])


class Columns:
    """The columns of X by name, read once each, and the features made of them.

    Attributes
    ----------
    names : list
        Of the columns of X.
    n_observations : int
    labels : list of str
        Of the columns, then of the groups.
    groups : dict of object to tuple of int
        Positions of the columns that move together, by name of the group.
    categorical : set of int
        Positions of the columns whose values are taken for names.
    """

    def __init__(
        self, table: Table, groups: Mapping[Name, Sequence[Name]] | None = None, categorical: Iterable[Name] = ()
    ) -> None:
        self._table = table
        self.n_observations = table.n_observations
        self.names = table.names
        self._positions = {name: position for position, name in enumerate(table.names)}
        self.labels = labels_of([*table.names, *(groups or {})])
        self._readable = list(map(readable, table.names, self.labels))
        texts = [*self.labels[: len(table.names)], *map(str, table.names)]
        self._by_text = {text: at % len(table.names) for at, text in enumerate(texts)}
        self._read: dict[int, Column] = {}
        self._features: dict[int, Feature] = {}
        self.groups: dict[Name, tuple[int, ...]] = {}
        self._group_of: dict[int, Name] = {}
        for name, members in (groups or {}).items():
            self._declare(name, members)
        self.categorical = {self._of_names(name) for name in categorical}
        for at in range(len(self.groups)):  # whether one is wrong does not depend on what it is used for
            self.feature(len(self.names) + at)

    def _declare(self, name: Name, members: Sequence[Name]) -> None:
        """Check that a group has a name of its own, and columns of its own."""
        if str(name) in self._by_text or any(str(name) == str(other) for other in self.groups):
            raise InvalidOptionError.group_name(name)
        positions = [self.position(member) for member in members]
        if len(positions) < 2:
            raise InvalidOptionError.group_of_one(name, members)
        for position in positions:
            if position in self._group_of:
                raise InvalidOptionError.groups_overlap(self._readable[position], self._group_of[position], name)
            self._group_of[position] = name
        self.groups[name] = tuple(positions)

    def _alone(self, name: Name) -> int:
        """Find a column that moves by itself."""
        position = self.position(name)
        if position in self._group_of:
            raise InvalidOptionError.member_as_feature(self._readable[position], self._group_of[position])
        return position

    def _of_names(self, name: Name) -> int:
        """Find a column whose values are to be taken for names."""
        position = self._alone(name)
        if self.at(position).kind == "other":
            raise InputDataError.no_kind(self._readable[position], self.at(position).dtype, option="categorical")
        return position

    def position(self, name: Name) -> int:
        """Find a column by name, by its text or label, or by position, in that order."""
        try:
            hash(name)
        except TypeError:  # lists and arrays, and tuples that hold them
            raise UnknownFeatureError.column(name, self._readable, list(self.groups)) from None
        if name in self._positions:
            return self._positions[name]
        is_integer = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
        text = text_of(name) if is_integer or isinstance(name, str) else None
        if text is not None and text in self._by_text:
            return self._by_text[text]
        if is_integer and 0 <= name < len(self.names):
            return int(name)
        raise UnknownFeatureError.column(name, self._readable, list(self.groups))

    def at(self, position: int) -> Column:
        """Return a column by its position."""
        if position not in self._read:
            self._read[position] = replace(self._table.column(position), label=self.labels[position])
        return self._read[position]

    @property
    def read(self) -> list[Column]:
        """All columns."""
        return [self.at(position) for position in range(len(self.names))]

    @cached_property
    def moves(self) -> dict[int, tuple[int, ...]]:
        """Columns that move together, by number of the feature; each column is in one of them."""
        alone = {place: (place,) for place in range(len(self.names)) if place not in self._group_of}
        return alone | {len(self.names) + at: positions for at, positions in enumerate(self.groups.values())}

    @property
    def in_order(self) -> list[int]:
        """Numbers of all that moves, a group where its first column stands."""
        return sorted(self.moves, key=lambda at: min(self.moves[at]))

    def _group_number(self, name: Name) -> int | None:
        """Find a group by its name, its text or its label."""
        for number, group in enumerate(self.groups, len(self.names)):
            if isinstance(name, (type(group), str)) and name in (group, str(group), self.labels[number]):
                return number
        return None

    def number(self, name: Name) -> int:
        """Find a feature: a group by its name, or a column that is in none."""
        group = self._group_number(name)
        return self._alone(name) if group is None else group

    @property
    def color_names(self) -> list[Name]:
        """Names of all columns, each group before its first column."""
        before = {positions[0]: name for name, positions in ((name, sorted(at)) for name, at in self.groups.items())}
        return [
            name
            for position, column in enumerate(self.names)
            for name in ([before[position], column] if position in before else [column])
        ]

    def named(self, name: Name) -> Column:
        """Return a column by name, or a group as one category."""
        group = self._group_number(name)
        return self.at(self.position(name)) if group is None else column_of_group(self.feature(group))

    def feature(self, number: int) -> Feature:
        """Return a feature by its number.

        Raises
        ------
        InputDataError, InvalidOptionError
            If what its columns hold cannot be put on an axis.
        """
        if number not in self._features:
            self._features[number] = self._make(number)
        return self._features[number]

    def renumber(self, number: int, other: Feature) -> None:
        """Number the levels of a feature as those of the same feature elsewhere."""
        self._features[number] = with_levels_of(self.feature(number), other)

    def _make(self, number: int) -> Feature:
        if number >= len(self.names):
            name = list(self.groups)[number - len(self.names)]
            positions = self.groups[name]
            members = [self.at(position) for position in positions]
            return make_group(number, name, self.labels[number], members, positions)
        feature = feature_of(number, self.at(number))
        return unordered(feature) if number in self.categorical else feature


@dataclass(frozen=True, eq=False)
class FeatureInput:
    """One feature before the model is asked: its axis, grid, scales and rows.

    Attributes
    ----------
    feature : Feature
    grid : Grid
        Coordinates.
    scale : float
        σ, or σ_c of levels without an order [feature].
    median : float
        Lower (weighted) median, or the most frequent level.
    own : ndarray of shape (n_observations,)
        Own coordinates, the median standing in for missing ones.
    likelihood_scale : ndarray of shape (n_observations,)
        s_i [feature]; 1 for levels without an order.
    shares : ndarray of shape (n_grid,), or None
        For levels without an order: weight of the observations at each level of the grid.
    distances : ndarray of shape (n_observations, n_grid), or None
        For levels without an order: how unlikely each is for a row, where that is estimated.
    positions : ndarray of shape (n_rows,)
        Rows that the curves are of.
    summed : ndarray
        Those of them that have weight: the metrics are theirs.
    has_missing : bool
        Whether any observation that has weight lacks the value.
    """

    feature: Feature
    grid: Grid
    scale: float
    median: float
    own: Array
    likelihood_scale: Array
    shares: Array | None
    distances: Array | None
    positions: NDArray[np.int64]
    summed: NDArray[np.int64]
    has_missing: bool

    @property
    def at_issue(self) -> int:
        """Number of the feature."""
        return self.feature.at_issue

    @property
    def columns(self) -> tuple[int, ...]:
        """Positions of the columns that move."""
        return self.feature.positions

    def natives(self, coordinates: Array) -> Mapping[int, NDArray[Any]]:
        """What to write into X for coordinates of any shape, by position of the column."""
        return self.feature.natives(coordinates)

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
) -> FeatureInput:
    """Choose grid, scales and rows of one feature; grid, σ, median and shares of levels of `like` where given."""
    feature, weights, settings = context.columns.feature(number), context.weights, context.settings
    values = feature.values
    chosen = make_grid(
        feature.label, values, weights, grid=grid, grid_size=settings.grid_size,
        digits=feature.digits, is_unordered=feature.is_unordered, random_state=settings.random_state,
    )  # fmt: skip
    if like is None:
        sigma, shares = _scale_of(feature, weights), None
        if feature.is_unordered:
            shares = level_weights(feature, weights)[chosen.values.astype(np.intp)]
    else:
        sigma, shares = like.scale, like.shares
    if like is not None:
        median = like.median
    else:
        median = most_frequent(values, weights) if feature.is_unordered else lower_median(values, weights)
    missing = np.isnan(values)
    own = np.where(missing, median, values) if missing.any() else values
    likelihood_scale, distances = _likelihoods(context, feature, own, sigma, scale=scale, grid=chosen.values)
    if n_rows is None:
        positions, summed = context.everything, context.weighing
    else:
        generator = feature_seed(settings.random_state, feature.label)
        positions = summed = draw_stratified(values, context.weighing, n_rows, generator)
        if weights is not None and weights[summed].sum() <= 1:
            raise InvalidOptionError.weights_of_sample(feature.readable, float(weights[summed].sum()))
    return FeatureInput(
        feature, chosen, sigma, median, own, likelihood_scale, shares, distances, positions, summed,
        has_missing=bool(np.isnan(values[context.weighing]).any()),
    )  # fmt: skip


def _scale_of(feature: Feature, weights: Array | None) -> float:
    """Standard deviation of a feature, that of its levels where they have no order."""
    if not feature.is_unordered:
        return standard_deviation(feature.values, weights)
    shares = level_weights(feature, weights)
    return category_scale(shares / shares.sum())


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
            raise InvalidOptionError.scale_of_category(feature.readable)
        distances = None
        if is_conditional:
            distances = conditional_distances(
                own, ~np.isnan(feature.values), _others(context, feature), context.weights,
                grid=grid, random_state=context.settings.random_state,
            )  # fmt: skip
        return np.broadcast_to(1.0, n_observations), distances
    if is_conditional:
        others = _others(context, feature)
        found = conditional_scale(feature.values, others, sigma, context.weights, context.settings.random_state)
        return found, None
    if scale is not None:
        return floored_scale(feature.name, scale, sigma, n_observations), None
    return np.broadcast_to(sigma, n_observations), None  # one number, however many rows


def _others(context: Context, feature: Feature) -> Array:
    """Coordinates of all other columns that have some, (n_observations, n_others), as far as forests can tell."""
    columns = context.columns
    others = [place for place in range(len(columns.names)) if place not in feature.positions]
    # As features they are checked to be finite.
    values = [feature_of(place, columns.at(place)).values for place in others if columns.at(place).kind != "other"]
    found = np.column_stack(values) if values else np.empty((context.table.n_observations, 0))
    return np.clip(found, -_LARGEST_OF_FOREST, _LARGEST_OF_FOREST)
