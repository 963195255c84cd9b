"""Effects of one feature: partial dependence, ALE and M-plot along its axis, and steps from observed values."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_one_of, to_float_array
from ice_explorer.drivers.candidates import second_features
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.features.feature import level_positions, make_grid
from ice_explorer.locks import checkpoint
from ice_explorer.progress import progress_reporter
from ice_explorer.tables.column import MOMENTS, SortedValues, choose_edges, sort_levels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.curves.inputs import Context
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.column import Column

EffectKind = Literal["partial_dependence", "ale", "m_plot"]
EFFECT_KINDS: Final[tuple[EffectKind, ...]] = get_args(EffectKind)
GRID_SIZE: Final = 40

_ROWS_AT_A_TIME: Final = 2048
_ROUNDING: Final = 1e-12  # of a determinant, below which the values of a window are one value


@dataclass(frozen=True, eq=False)
class MeanEffects:
    """Effects of a feature.

    - `grid` (n_grid,): places on the axis of the feature.
    - `columns` (n_grid,) each: those of the table of `effects`, by name.
    - `mean_prediction`: over the observations near these [output]; NaN without an M-plot.
    - `order` (n_grid,): places on the grid in the order in which ALE accumulates.
    """

    grid: Array
    columns: Mapping[str, Array]
    mean_prediction: float
    order: Places


def mean_effects(result: FeatureExplanation, kinds: Sequence[str], grid_size: int = GRID_SIZE) -> MeanEffects:
    """Return effects of a feature at some values of its grid, as `Explanation.effects` describes."""
    context, feature, rows = result._context, result._item.feature, result._item.summed
    weights, values = context.row_weights[rows], feature.values[rows]
    places = _choose_places(result, values, weights, grid_size)
    grid = result.axis[places]
    row, column, near = _find_near(grid, values, is_unordered=feature.is_unordered)

    def add_up(of_entries: Array | float) -> Array:
        return np.asarray(np.bincount(column, weights[row] * near * of_entries, len(grid)), np.float64)

    def centred(effect: Array) -> Array:
        return effect - float(effect @ mass / mass.sum())  # linear between grid values

    mass, mean_prediction, order = add_up(1.0), np.nan, np.arange(len(grid))
    columns: dict[str, Array] = {}
    for kind in kinds:
        if kind == "partial_dependence":
            columns[kind] = result.partial_dependence[places]
            columns["spread"] = result.spread[places]
            columns["centered_partial_dependence"] = centred(columns[kind])
        elif kind == "ale":
            order = order_levels(context, feature, grid, rows) if feature.is_unordered else order
            columns[kind] = centred(_accumulate_steps(result, places, values, order))
        else:
            is_all = len(rows) == context.table.n_observations
            predictions = context.all_predictions if is_all else context.predictions(rows)
            mean_prediction = float(add_up(predictions[row]).sum() / mass.sum())
            # A line through the predictions near each value, read at the value; of levels it is flat.
            far = np.where(near > 0, values[row] - grid[column], 0.0)
            distance, squared, total, product = map(add_up, (far, far**2, predictions[row], far * predictions[row]))
            determinant = mass * squared - distance**2
            is_flat = determinant <= _ROUNDING * mass * squared
            with np.errstate(divide="ignore", invalid="ignore"):
                line = np.where(is_flat, total / mass, (squared * total - distance * product) / determinant)
            columns[kind] = np.clip(line, predictions.min(), predictions.max())
    return MeanEffects(grid, columns, mean_prediction, order)


def local_effects(result: FeatureExplanation) -> MeanEffects:
    """Return ALE and M-plot at places on the axis that is drawn, where levels without an order have 0, 1, …; once."""

    def computed() -> MeanEffects:
        effects = mean_effects(result, ("ale", "m_plot"))
        if not result._item.feature.is_unordered:
            return effects
        return replace(effects, grid=level_positions(effects.grid, result.axis))

    return result._once("local effects", computed)


def _choose_places(result: FeatureExplanation, values: Array, weights: Array, grid_size: int) -> Places:
    """Return places on the grid of the feature: those next to quantiles of values, or of the most frequent levels."""
    feature, axis = result._item.feature, result.axis
    chosen = make_grid(feature, SortedValues.from_column(values, weights), grid="observed", grid_size=grid_size).values
    if feature.is_unordered:
        return np.flatnonzero(np.isin(axis, chosen))
    return np.unique(np.searchsorted((axis[:-1] + axis[1:]) / 2, chosen))


def _find_near(grid: Array, values: Array, *, is_unordered: bool) -> tuple[Places, Places, Array]:
    """Return which rows are near which grid values, and how near: at most two values for each row.

    1 at the value, 0 at the next ones, linear between; of a level without an order 1. Rows of a missing value, of a
    level that is not on the grid, or beyond its ends, are near none.
    """
    if is_unordered or len(grid) == 1:
        column = np.minimum(np.searchsorted(grid, values), len(grid) - 1)
        row = np.flatnonzero(grid[column] == values)
        return row, column[row], np.ones(len(row))
    row = np.flatnonzero((values >= grid[0]) & (values <= grid[-1]))
    column = np.minimum(np.searchsorted(grid, values[row], side="right") - 1, len(grid) - 2)
    share = (values[row] - grid[column]) / (grid[column + 1] - grid[column])
    return np.tile(row, 2), np.concatenate([column, column + 1]), np.concatenate([1 - share, share])


def _accumulate_steps(result: FeatureExplanation, places: Places, values: Array, order: Places) -> Array:
    """Add up the mean steps of the rows in each interval of the ordered grid; NaN behind one without rows.

    Where the grid has all values, a row lies in the interval before its value and in the one behind it; else in the one
    that ends at its value or behind it, the smallest value in the first.
    """
    context, feature, rows = result._context, result._item.feature, result._item.summed
    grid, n_intervals = result.axis[places], len(places) - 1
    has_all = feature.is_unordered or np.isin(values[~np.isnan(values)], grid).all()
    result._check_unchanged()
    mass, total = np.zeros((2, n_intervals))
    with progress_reporter(context.progress, 2 * len(rows)) as report:
        for start in range(0, len(rows) if n_intervals else 0, _ROWS_AT_A_TIME):
            block = slice(start, start + _ROWS_AT_A_TIME)
            inside = values[block, None]
            if has_all:
                row, at = np.nonzero(inside == grid[order])
                before, behind = at > 0, at < n_intervals
                row = np.concatenate([row[before], row[behind]])
                lower = np.concatenate([at[before] - 1, at[behind]])
            else:
                row = np.flatnonzero((inside >= grid[0]) & (inside <= grid[-1]))
                lower = np.maximum(np.searchsorted(grid, values[block][row]) - 1, 0)
            ends, of_rows = order[np.column_stack([lower, lower + 1])], rows[block]
            curves = result._curves_at(of_rows, grid)
            if curves is None:
                at_ends = context.brute.evaluate(
                    feature, of_rows[row], grid[ends], made=lambda n: report(n, n, feature.label)
                )
            else:
                at_ends = curves[row[:, None], ends]
            weights = context.row_weights[of_rows[row]]
            mass += np.bincount(lower, weights, n_intervals)
            total += np.bincount(lower, weights * (at_ends[:, 1] - at_ends[:, 0]), n_intervals)
            checkpoint()
    accumulated = np.zeros(len(places))
    with np.errstate(divide="ignore", invalid="ignore"):
        accumulated[order[1:]] = np.cumsum(total / mass)
    return accumulated


# --- levels by how similar their rows are in the other features: Apley & Zhu (2020) --------------------

_MOST_QUANTILES: Final = 100  # of a number, at which distributions are compared
_DIGITS: Final = 9  # of distances and coordinates: smaller differences are rounding


def order_levels(context: Context, feature: Feature, grid: Array, rows: Rows) -> Places:
    """Return the places of levels on the grid, similar levels next to each other.

    The distance of two levels is summed over the other features: the Kolmogorov-Smirnov distance of numbers, the total
    variation of levels; missing values are one more value. Classical scaling to one dimension orders the levels. Their
    text decides ties and the direction, and is the order where there is no other feature. So neither the order of rows
    nor that of codes matters.

    - `grid` (n_grid,): codes of levels.
    - `rows` (n_rows,): that count, by weight.
    """
    levels = feature.native(grid).tolist()
    sorted_levels = sort_levels(levels)
    by_text = np.array([levels.index(level) for level in sorted_levels], np.intp)
    others = [other for other in second_features(context.columns, feature) if len(np.unique(other.values[rows])) > 1]
    if len(levels) < 3 or not others:
        return by_text
    codes = feature.values[rows]
    of_level = np.asarray(codes[:, None] == grid[by_text])
    on_grid = np.flatnonzero(of_level.any(axis=1))
    level, used = of_level[on_grid].argmax(axis=1), rows[on_grid]
    weights = context.row_weights[used]
    distances = sum(_distances(other, level, used, weights, len(levels)) for other in others)
    return by_text[_scaled_order(np.round(distances, _DIGITS))]


def _distances(other: Column, level: Places, rows: Rows, weights: Array, n_levels: int) -> Array:
    """Return how far the distributions of another feature are apart, (n_levels, n_levels), 0 to 1.

    - `level` (n_rows,): of each row.
    """
    values = other.values[rows]
    present = ~np.isnan(values)
    most = len(values) if other.is_unordered else _MOST_QUANTILES
    edges = choose_edges(values[present], most, weights[present])
    place = np.where(present, np.searchsorted(edges, values), len(edges))
    shape = n_levels, len(edges) + 1
    counts = np.bincount(level * shape[1] + place, weights, shape[0] * shape[1]).reshape(shape)
    mass = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(mass > 0, mass, 1.0)  # 0 at a level that no row has
    if other.is_unordered:
        return np.array([np.abs(shares - share).sum(axis=1) / 2 for share in shares])
    below = np.cumsum(shares, axis=1)
    return np.array([np.abs(below - share).max(axis=1) for share in below])


def _scaled_order(distances: Array) -> Places:
    """Return the order of levels in one dimension, by classical scaling; equal coordinates keep their order."""
    n_levels = len(distances)
    centring = np.eye(n_levels) - 1 / n_levels
    _, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    coordinates = np.round(vectors[:, -1], _DIGITS)
    if np.argmax(coordinates == coordinates.max()) < np.argmax(coordinates == coordinates.min()):
        coordinates = -coordinates
    return np.argsort(coordinates, kind="stable")


# --- marginal effects: steps of each row from its observed value ---------------------------------------

MarginalEffectKind = Literal["forward", "derivative"]
_SHORT: Final = 0.01  # standard deviations, on either side of a derivative


@dataclass(frozen=True, eq=False, repr=False)
class MarginalEffects:
    """Change of the prediction of each observation by a step of a feature.

    Attributes
    ----------
    step : object
        Length of the step [axis], in days for dates and durations, or the new level.
    kind : {"forward", "derivative"}
    values : ndarray of shape (n_observations,)
        Forward: f(x + h) - f(x) [output]. Derivative: (f(x + h) - f(x - h)) / 2h [output / axis]. A feature with two
        observed values and no given step changes from the lower to the higher one in every row: f(high) - f(low), for
        a derivative divided by their distance. NaN where a value is missing, or where a row has the new level.
    outside : ndarray of bool, shape (n_observations,)
        Whether the step leaves the range of observed values: the model extrapolates there, so the row does not count
        in the average.
    average : float
        Average marginal effect (AME), by weight, over the observations that have one and are not `outside`; NaN if
        there are none.
    """

    step: object
    kind: str
    values: Array
    outside: Mask
    average: float

    def __repr__(self) -> str:
        return f"<MarginalEffects: {self.kind}, average {self.average:.6g}>"


def measure_marginal_effects(result: FeatureExplanation, step: object, kind: str) -> MarginalEffects:
    """Predict both ends of the step of each row, as `Explanation.marginal_effects` describes."""
    check_one_of("kind", kind, get_args(MarginalEffectKind))
    context, feature, observed = result._context, result._item.feature, result._item.feature.values
    is_level = feature.levels is not None or feature.kind == "boolean"
    if kind == "derivative" and is_level:
        raise OptionError.must(
            "feature", "be one with an axis of numbers for a derivative", result.feature, 'Use `kind="forward"`.'
        )
    context.check_all_rows("Marginal effects need")
    occurring = np.unique(observed[context.weighted_rows])
    occurring = occurring[~np.isnan(occurring)]
    start, is_contrast = observed, step is None and len(occurring) == 2
    if is_contrast:
        start, end = (np.full(len(observed), value) for value in occurring)
    elif is_level:
        end = np.full(len(observed), _find_level(feature, step))
    else:
        length = _choose_length(result, step, kind)
        end = observed + length
        start = observed - length if kind == "derivative" else observed
    rows = np.flatnonzero(~np.isnan(observed) & ~(is_level & (start == end)))
    context.prediction_check.check()
    has_start = is_contrast or kind == "derivative"
    places = np.column_stack([start[rows], end[rows]] if has_start else [end[rows]])
    with progress_reporter(context.progress, places.size) as report:
        ends = context.brute.evaluate(feature, rows, places, made=lambda n: report(n, n, feature.label))
    values, outside = np.full(len(observed), np.nan), np.zeros(len(observed), np.bool_)
    values[rows] = ends[:, -1] - (ends[:, 0] if has_start else context.all_predictions[rows])
    if kind == "derivative":
        values /= end - start
    if not is_level:
        outside = (np.minimum(start, end) < occurring[0]) | (np.maximum(start, end) > occurring[-1])
    inside = rows[~outside[rows]]
    weights = context.row_weights[inside]
    average = float(np.average(values[inside], weights=weights)) if weights.sum() > 0 else np.nan
    if is_level:
        taken: Any = feature.native(end[:1])[0]
    else:
        taken = float(end[0] - start[0]) if is_contrast else length
    return MarginalEffects(taken, kind, values, outside, average)


def _find_level(feature: Feature, step: Any) -> float:
    levels = [False, True] if feature.levels is None else feature.levels.tolist()
    found = feature.find_coordinate(step) if feature.levels is not None or step in levels else None
    if found is None:
        raise OptionError.must(
            "step", "be a level of a feature that has levels", step, f"Its levels are {listed(levels)}.",
            where=f" for {quoted(feature.readable)}", known=levels,
        )  # fmt: skip
    return found


def _choose_length(result: FeatureExplanation, step: Any, kind: str) -> float:
    """Return the length of a step along the axis, below 0 for one down."""
    feature, where = result._item.feature, f" for {quoted(result._item.feature.readable)}"
    if step is None:
        usual = result.scale if kind == "forward" else _SHORT * result.scale
        if usual == 0:
            raise OptionError.must("step", "be given where a feature is constant", None, "Pass a number.", where=where)
        return max(1.0, float(np.rint(usual))) if feature.is_integer else usual
    length: Any = None
    if isinstance(step, (int, float, np.number)) and not isinstance(step, (bool, np.timedelta64)):
        length = to_float_array(step)
    elif feature.kind in MOMENTS:
        with suppress(TypeError, ValueError):
            length = np.timedelta64(step, "us") / np.timedelta64(1, "D")
    if length is None or not np.isfinite(length) or length == 0:
        advice = "Leave it out for one standard deviation."
        what = "be a number other than 0, or of dates and durations a timedelta"
        raise OptionError.must("step", what, step, advice, where=where)
    return float(length)
