"""Input of a computation: what all features share, one feature before the model is called, and notes on columns."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_positions, check_total_weight, to_float_array
from ice_explorer.curves.brute import BruteCurves
from ice_explorer.errors import ModelNeededError, OptionError, PredictionError
from ice_explorer.errors.base import counted, quoted
from ice_explorer.features.feature import draw_stratified, feature_seed, make_feature, make_grid
from ice_explorer.metrics.conditional import (
    LEAST_SHARE_OF_SCALE,
    Predictors,
    conditional_moments,
    estimate_levels,
    level_distances,
    rank_levels,
    ranked_codes,
)
from ice_explorer.metrics.ordered import nearest_shares
from ice_explorer.metrics.sums import distances
from ice_explorer.metrics.unordered import category_scale
from ice_explorer.tables.column import SortedValues, sort_levels, standard_deviation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.choose import PredictionCheck
    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature, Grid, GridName
    from ice_explorer.metrics.ordered import Convention
    from ice_explorer.models.predict import Predictor
    from ice_explorer.progress import Progress
    from ice_explorer.results.options import Settings
    from ice_explorer.tables.column import Name
    from ice_explorer.tables.table import Table


LEAST_BYTES: Final = 64_000_000  # for blocks, and for arrays that are read, whatever the limit
_SATURATED: Final = 0.01  # distance of a probability from 0 or 1
_FEWEST_AT_A_TIME: Final = 1024  # rows that are predicted together, whatever they take
_LARGEST_OF_TREES: Final = 1e38  # of a column that trees split: differences of larger values may be no numbers


@dataclass(frozen=True, eq=False)
class Context:
    """What all features share.

    - `bytes_for_blocks`: what the columns leave of `memory_limit`.
    - `n_summed`: rows that metrics are of, where they are more than those of the table.
    - `origin`: where the file comes from that an explanation was opened from; it has no model then.
    """

    table: Table
    columns: Columns
    weights: Array | None
    predictor: Predictor
    settings: Settings
    prediction_check: PredictionCheck
    progress: Progress
    bytes_for_blocks: int
    n_summed: int | None = None
    origin: Mapping[str, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a progress function, which belongs to the process of its user."""
        return vars(self) | {"progress": None if callable(self.progress) else self.progress}

    @cached_property
    def brute(self) -> BruteCurves:
        """Predictions of phantom observations."""
        return BruteCurves(self.predictor.predict, self.table, self.bytes_for_blocks, self.predictor.response)

    @property
    def n_explained(self) -> int:
        """Rows that metrics are of, at hand or not."""
        return self.table.n_observations if self.n_summed is None else self.n_summed

    @property
    def has_all_rows(self) -> bool:
        """Whether the rows that were explained are at hand."""
        return self.table.n_observations == self.n_explained

    @property
    def row_count(self) -> str:
        """How many rows were explained, and how many of them are at hand where that is not all."""
        n_rows = self.table.n_observations
        text = counted(n_rows, "observation")
        return text if self.has_all_rows else f"{n_rows:,} of {self.n_explained:,} observations"

    def check_model(self, what: str) -> None:
        """Raise if there is no model; `what` begins the sentence: "Intervals need"."""
        if self.origin is not None:
            raise ModelNeededError.predictions(what)

    def check_size(self, what: str, n_rows: int, n_grid: int, n_bytes: int = 8) -> None:
        """Raise if numbers for rows and grid values take more than the memory limit."""
        self.check_bytes(
            f"{what} of {n_rows:,} rows × {n_grid:,} grid values",
            n_bytes * n_rows * n_grid,
            "Read those of some rows: `f.compute_curves(rows)`, or `rows=` of `likelihood`, `extrapolation` and "
            "`to_frame`",
        )

    def check_bytes(self, what: str, n_bytes: int, advice: str) -> None:
        """Raise if this many bytes are more than the memory limit, of at least 64 MB."""
        limit = max(self.settings.memory_limit, LEAST_BYTES)
        if n_bytes > limit:
            raise OptionError(
                f"`memory_limit` must be at least the size of what is read; {what} take {n_bytes / 1e9:.3g} GB, the "
                f"limit is {limit / 1e9:.3g} GB.",
                f"{advice}; or explain with a larger `memory_limit`.",
            )

    def check_all_rows(self, what: str) -> None:
        """Raise if some of the rows that were explained are not at hand; `what` as for `check_model`."""
        if self.has_all_rows:
            return
        advice = f"Explain the model again, or save all rows: `e.save('result.ice', max_lines={self.n_explained})`."
        if self.origin is None:
            advice = "Explain rows that fit into memory: `explain(model, X.sample(frac=0.01).compute())`."
        rows = f"{self.table.n_observations:,} of {self.n_explained:,} rows"
        raise ModelNeededError(f"{what} the curves of all rows; this explanation has those of {rows}.", advice)

    def with_distance(self, distance: str) -> Context:
        """Return the same with another distance in the settings; both share what is computed."""
        vars(self).update(brute=self.brute)  # made before it is copied
        changed = copy.copy(self)
        vars(changed).update(settings=replace(self.settings, distance=distance))
        return changed

    @cached_property
    def row_weights(self) -> Array:
        """Weight of every row, 1 where none were given."""
        return np.ones(self.table.n_observations) if self.weights is None else self.weights

    @cached_property
    def all_rows(self) -> Rows:
        """Positions of all rows."""
        return np.arange(self.table.n_observations)

    @cached_property
    def weighted_rows(self) -> Rows:
        """Rows that have weight."""
        return self.all_rows if self.weights is None else np.flatnonzero(self.weights > 0)

    def positions(self, given: object, option: str = "positions") -> Rows:
        """Return positions of rows of X, given as such or as a boolean mask.

        - raises OptionError: if they are neither, or belong to another index.
        """
        return check_positions(given, self.table.n_observations, option, self.table.index)

    def draw(self, values: Array, rows: Rows, size: int, purpose: str, *, by_weight: bool = False) -> Rows:
        """Draw rows that cover values evenly, as `draw_stratified` does, by the seed of a purpose."""
        generator = feature_seed(self.settings.random_state, purpose)
        return draw_stratified(values, rows, size, generator, self.weights if by_weight else None)

    def predictions(self, positions: Rows) -> Array:
        """Predict some observations as they are, (n_rows,) [output], a block at a time; known ones without the model.

        - raises PredictionError: if the model fails or changed, or a prediction is no finite number.
        """
        if "all_predictions" in vars(self):
            return np.asarray(self.all_predictions[positions])
        self.prediction_check.check()
        size = max(self.brute.rows_per_block(1), _FEWEST_AT_A_TIME)
        predicted = np.empty(len(positions))
        for start in range(0, len(positions), size):
            block = positions[start : start + size]
            try:
                predicted[start : start + size] = of_block = self.brute.predict_rows(block)
            except PredictionError:
                raise
            except Exception as error:
                raise PredictionError.failed_on_rows(error) from error
            wrong = np.flatnonzero(~np.isfinite(of_block))
            if wrong.size:
                value, row = float(of_block[wrong[0]]), int(block[wrong[0]])
                if np.isinf(value) and self.settings.response == "log_odds":
                    raise PredictionError.certain(f"row {row} of X", 0 if value < 0 else 1)
                raise PredictionError(
                    f"The model must return finite numbers; it returned {value!r} for row {row} of X.",
                    "Leave such rows out, or use another `response`.",
                )
        return predicted

    @cached_property
    def all_predictions(self) -> Array:
        """Predictions of all observations, (n_observations,) [output]."""
        return self.predictions(self.all_rows)

    @property
    def is_saturated(self) -> bool:
        """Whether most of the predictions that were tried are probabilities within 0.01 of 0 or 1, and none is either.

        Log-odds of 0 and 1 are infinite.
        """
        if self.settings.response != "predict_proba":
            return False
        near = np.minimum(self.prediction_check.predicted, 1.0 - self.prediction_check.predicted)
        return bool((near > 0).all() and np.count_nonzero(near < _SATURATED) > len(near) / 2)

    @cached_property
    def prediction_sd(self) -> float:
        """Standard deviation of the predictions of all observations that have weight, ddof=0 [output]."""
        if self.weights is None:
            return standard_deviation(self.all_predictions)
        return standard_deviation(self.predictions(self.weighted_rows), self.weights[self.weighted_rows])


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
    - `reach`: how far a grid value is from an observed value at most, of all rows [feature]; infinite where unknown.
    - `row_scales` (n_observations,): s_i [feature] where they are given or estimated; None where they are all the same.
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
    reach: float = math.inf
    row_scales: Array | None = None
    distances: Array | None = None
    positions: Rows = field(default_factory=partial(np.arange, 0))
    summed: Rows = field(default_factory=partial(np.arange, 0))
    missing_changes: Array = field(default_factory=partial(np.empty, 0))

    @cached_property
    def observed(self) -> Array:
        """Observed coordinates, (n_observations,), with the median in place of missing ones."""
        missing = np.isnan(self.feature.values)
        return np.where(missing, self.median, self.feature.values) if missing.any() else self.feature.values

    @cached_property
    def likelihood_scale(self) -> Array:
        """s_i, (n_observations,) [feature]: σ by default, 1 for levels without an order."""
        if self.row_scales is not None:
            return self.row_scales
        scale = np.array(1.0 if self.feature.is_unordered else self.scale)
        return np.ndarray(len(self.feature.values), buffer=scale, strides=(0,))  # quicker than `np.broadcast_to`

    def measure_distances(self, rows: Rows) -> Array:
        """How far grid values are from rows, in likelihood scales, (n_rows, n_grid): the exponents of the decay."""
        if not self.feature.is_unordered:
            return distances(self.grid.values, self.observed[rows], self.likelihood_scale[rows])
        if self.distances is not None:
            return self.distances[rows]
        return np.asarray(self.observed[rows, None] != self.grid.values, np.float64)

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
        chosen, has_missing, reach = like.grid, like.has_missing, like.reach
    else:
        column = SortedValues.from_column(values, weights)
        chosen = make_grid(feature, column, grid=grid, grid_size=settings.grid_size)
        reach = measure_reach(chosen.values, column)
    if like is not None:
        sigma, median, shares = like.scale, like.median, like.shares
    else:
        sigma, median, shares = measure_feature(feature, column, chosen.values, standard_deviation(values, weights))
    row_scales = distances = None
    if settings.distance == "conditional" and feature.is_unordered:
        own = np.where(missing, median, values)
        distances = level_distances(own, estimate_probabilities(context, feature), chosen.values)
    elif settings.distance == "conditional":
        others = read_predictors(context, feature)
        row_scales = conditional_moments(values, others, sigma, weights, settings.random_state).scale
    elif scale is not None and feature.is_unordered:
        raise OptionError(
            "`distance` must give standard deviations of features with an order; got one for "
            f"{quoted(feature.readable)}, an unordered category, whose levels are all as far from each other.",
            'Leave it out, or use `distance="conditional"`.',
        )
    elif scale is not None:
        row_scales = _check_scale(feature.name, scale, sigma, len(values))
    positions, summed = context.all_rows, context.weighted_rows
    if n_rows is not None:
        positions = summed = context.draw(values, context.weighted_rows, n_rows, feature.label)
        if weights is not None:
            check_total_weight(float(weights[summed].sum()), quoted(feature.readable))
    changes = np.full(len(values) if has_missing else 0, np.nan)
    return FeatureInput(
        feature, chosen, sigma, median, shares, settings.decay, settings.convention, has_missing, reach,
        row_scales, distances, positions, summed, changes,
    )  # fmt: skip


def _check_scale(feature: object, given: ArrayLike, sigma: float, n_observations: int) -> Array:
    """Check a likelihood scale given by the user and keep it above 1 % of the standard deviation."""
    scale = to_float_array(given)
    if scale is None:
        raise OptionError.scale_values(feature, f"got {quoted(given)}")
    if scale.shape not in {(), (n_observations,)}:
        size = counted(n_observations, "observation")
        raise OptionError.scale_values(feature, f"got shape {scale.shape} for {size}")
    wrong = ~(np.isfinite(scale) & (scale > 0))
    if wrong.any():
        raise OptionError.scale_values(feature, f"got {float(scale[wrong].flat[0])!r}")
    return np.maximum(np.broadcast_to(scale, (n_observations,)), LEAST_SHARE_OF_SCALE * sigma)


def measure_feature(
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


def measure_reach(grid: Array, column: SortedValues) -> float:
    """Return how far a grid value (n_grid,) is from a value of the column at most."""
    return float(max(grid[-1], column.values[-1]) - min(grid[0], column.values[0]))


def estimate_probabilities(context: Context, feature: Feature) -> Array | None:
    """Estimate the probability of each level given the other features, (n_observations, n_levels), if it can be."""
    others, weights, seed = read_predictors(context, feature), context.weights, context.settings.random_state
    estimated = estimate_levels(feature.values, places_by_text(feature), others, weights, seed)
    return None if estimated is None else estimated[:, 0]


def read_predictors(context: Context, feature: Feature) -> Predictors:
    """Coordinates of all other columns that have some, as far as trees can tell."""
    columns = context.columns
    are_levels, values = [], [np.empty((context.table.n_observations, 0))]
    others = [
        make_feature(columns.column(place))  # whose coordinates are finite, or refused
        for place in range(len(columns.names))
        if place not in feature.positions and columns.column(place).kind != "other"
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
        codes, by_text = others[at].values, places_by_text(others[at])
        ranks = rank_levels(codes, by_text, predictors.numbers, context.weights)
        predictors.values[:, at] = ranked_codes(codes, ranks)
    return predictors


def places_by_text(feature: Feature) -> Places:
    """Return the place of each level without an order among all of them, sorted by `sort_levels`."""
    assert feature.levels is not None  # noqa: S101 - it has no order
    levels = feature.levels.tolist()
    place_of = {level: place for place, level in enumerate(sort_levels(levels))}
    return np.array([place_of[level] for level in levels], np.intp)


_MOST_NAMED: Final = 3
_SMALL_SUM: Final = 2.0  # of weights
_SMALL_SHARE: Final = 0.1  # of the rows that have weight


def shorten_list(texts: Sequence[str]) -> str:
    """Return the first three texts and the number of the others.

    Examples
    --------
    >>> shorten_list(["'age'", "'city'"])
    "'age' and 'city'"
    >>> shorten_list([f"x{number}" for number in range(2000)])
    'x0, x1, x2 and 1,997 more'
    """
    n_others = len(texts) - _MOST_NAMED
    *named, last = [*texts[:_MOST_NAMED], f"{n_others:,} more"] if n_others > 0 else texts
    return f"{', '.join(named)} and {last}" if named else last


def merge_notes(labels: Sequence[str], one: str, several: str, noun: str = "features") -> Iterator[str]:
    """Yield no note, a note that begins with the one label, or one that counts the labels and names three.

    Examples
    --------
    >>> list(merge_notes(["age"], " is constant.", " are constant."))
    ["'age' is constant."]
    >>> list(merge_notes(["age", "city"], " is constant.", " are constant."))
    ["2 features ('age' and 'city') are constant."]
    """
    if len(labels) == 1:
        yield f"{labels[0]!r}{one}"
    elif labels:
        yield f"{len(labels):,} {noun} ({shorten_list(list(map(repr, labels)))}){several}"


NOTE_SATURATED: Final = (
    "Most predicted probabilities are within 0.01 of 0 or 1, where they hardly change; "
    '`response="log_odds"` explains log-odds, which do.'
)


def note_columns_not_ranked(
    empty: Sequence[str], objects: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[str]:
    """Yield notes on columns without values, of objects that have no place on an axis, and of the names of rows.

    - `empty`: labels.
    - `objects`: dtypes, by label.
    - `names`: how many levels the columns have, by label: "7 levels in 9 rows".
    """
    yield from merge_notes(
        empty, " has no values; it is not ranked.", " have no values; they are not ranked.", "columns"
    )
    yield from merge_notes(
        list(objects),
        f" has dtype {next(iter(objects.values()), '')} and cannot be placed on an axis; it is not ranked, but "
        "curves can be coloured by it.",
        " hold objects that cannot be placed on an axis; they are not ranked, but curves can be coloured by them.",
        "columns",
    )
    yield from merge_notes(
        list(names),
        f" has {next(iter(names.values()), '')}, like an ID or free text; it is not ranked, but curves can be coloured "
        "by it. Name it in `features=` to explain it.",
        " have more than one level for every two rows, like IDs or free text; they are not ranked, but curves can be "
        "coloured by them. Name them in `features=` to explain them.",
        "columns",
    )


def note_undeclared_groups(groups: Mapping[str, Sequence[Name]]) -> Iterator[str]:
    """Yield a note on columns that look like one category and were not declared as one."""
    if not groups:
        return
    described = [f"{name!r}: {len(members)} columns, {members[0]!r} first" for name, members in groups.items()]
    if len(described) > _MOST_NAMED:
        described[_MOST_NAMED:] = [f"and {len(described) - _MOST_NAMED:,} more"]
    yield (
        f"Some 0/1 columns look one-hot encoded ({'; '.join(described)}) but are varied separately. "
        'Pass `groups="auto"` to vary them together.'
    )


def note_grids(inputs: Sequence[FeatureInput]) -> Iterator[str]:
    """Yield notes on grids that exclude values."""
    unordered = [item for item in inputs if item.feature.is_unordered]
    ordered = [item for item in inputs if not item.feature.is_unordered]
    for items, what, which in (
        (ordered, "distinct values", "at even quantiles"),
        (unordered, "levels", "the most frequent ones"),
    ):
        capped = [item for item in items if item.grid.capped]
        most = max((item.grid.n_distinct for item in capped), default=0)
        n_grid = max((item.grid.n_grid for item in capped), default=0)
        yield from merge_notes(
            [item.feature.label for item in capped],
            f" has {most} {what}; its grid is {n_grid} of them, {which}. Pass `grid_size={most}` for all.",
            f" have up to {most:,} {what}; their grids are at most {n_grid:,} of them, {which}. "
            f"Pass `grid_size={most}` for all.",
        )
    whole = [item for item in ordered if item.feature.digits == 0]
    yield from merge_notes(
        [item.feature.label for item in whole if np.abs(item.grid.values).max() > 1 << 53],
        " has whole numbers beyond 2^53, which are rounded to 16 digits.",
        " have whole numbers beyond 2^53, which are rounded to 16 digits.",
    )
    n_off = {}
    for item in unordered:
        is_off = ~np.isnan(item.feature.values) & ~np.isin(item.feature.values, item.grid.values)
        if is_off.any():
            n_off[item.feature.label] = counted(int(is_off.sum()), "observation")
    yield from merge_notes(
        list(n_off),
        f": levels of {next(iter(n_off.values()), '')} are not on the grid; their dots are not drawn, their curves "
        "are included.",
        " have observations whose levels are not on the grid; their dots are not drawn, their curves are included.",
    )


def note_small_weights(weights: Array | None) -> Iterator[str]:
    """Yield a note on what weights of a small sum do to heterogeneity, which divides by their sum less 1."""
    if weights is None:
        return
    total, n_rows = float(weights.sum()), int(np.count_nonzero(weights))
    if n_rows == 1 or total <= 1 or total >= max(_SMALL_SUM, _SMALL_SHARE * n_rows):  # 1 or less: a part of the rows
        return
    ratio = math.sqrt(total / (total - 1) / (n_rows / (n_rows - 1)))
    yield (
        f"`sample_weight` sums to {total:.3g} over {n_rows:,} observations. Weights are taken as frequencies, so "
        f"heterogeneity is {ratio:.3g} times that of weights that sum to {n_rows:,}. "
        "Multiply the weights if they are not frequencies."
    )
