"""Effects of one feature: partial dependence, ALE and M-plot along its axis, and steps from observed values."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_one_of, to_float_array
from ice_explorer.drivers.candidates import second_features
from ice_explorer.errors import ModelNeededError, OptionError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.features.feature import Grid, level_positions, make_grid
from ice_explorer.progress import progress_reporter
from ice_explorer.tables.column import MOMENTS, SortedValues, few_edges, sort_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    - `mean_prediction`: over the observations that have a value [output]; NaN without an M-plot.
    """

    grid: Array
    columns: Mapping[str, Array]
    mean_prediction: float


_OF_DEPENDENCE: Final = ("spread", "centered_partial_dependence")
EFFECT_COLUMNS: Final = ("partial_dependence", *_OF_DEPENDENCE, "ale", "m_plot")
SAVED: Final = "saved effects"
"""Under this name a feature keeps them."""


def mean_effects(
    result: FeatureExplanation,
    kinds: Sequence[str],
    grid_size: int = GRID_SIZE,
    between_blocks: Callable[[], object] | None = None,
) -> MeanEffects:
    """Return effects of a feature, of a file those that it has.

    Partial dependence and its spread are those of the result wherever its grid has the values. `between_blocks` is
    called now and then; what it raises ends the work.
    """
    context = result._context
    columns: dict[str, Array] = {}
    if context.origin is not None:
        saved = saved_effects(result)
        if saved is None or grid_size != GRID_SIZE:
            raise ModelNeededError.predictions("Effects on another grid need")
        for kind in kinds:
            names = (kind, *_OF_DEPENDENCE) if kind == "partial_dependence" else (kind,)
            columns |= {name: saved.columns[name] for name in names}
        return replace(saved, columns=columns)
    sums = _Sums(result, grid_size, kinds, between_blocks)
    for kind in kinds:
        columns[kind] = effect = sums.effect(kind)
        if kind == "partial_dependence":
            columns |= zip(_OF_DEPENDENCE, (sums.spread, effect - sums.mean_of(effect)), strict=True)
    return MeanEffects(sums.grid.values, columns, sums.mean_prediction if "m_plot" in kinds else np.nan)


def saved_effects(result: FeatureExplanation) -> MeanEffects | None:
    """Return all effects of a feature; computed once. None if a file that it was opened from has none."""
    is_opened = result._context.origin is not None
    return result._once(SAVED, lambda: None if is_opened else mean_effects(result, EFFECT_KINDS))


def local_effects(result: FeatureExplanation, between_blocks: Callable[[], object] | None = None) -> MeanEffects:
    """Return ALE and M-plot within the axis that is drawn: at the values of `effects` there, and at its ends; once.

    `between_blocks` is called now and then; what it raises ends the work.
    """

    def computed() -> MeanEffects:
        found = mean_effects(result, ("ale", "m_plot"), between_blocks=between_blocks)
        values, axis = found.grid, result.axis
        if result._item.feature.is_unordered:
            places = level_positions(values, axis)
            grid = places[places >= 0]
            columns = {kind: heights[places >= 0] for kind, heights in found.columns.items()}
        else:
            ends = [end for end in axis[[0, -1]] if values[0] < end < values[-1]]
            grid = np.union1d(values[(values >= axis[0]) & (values <= axis[-1])], ends)
            columns = {kind: np.interp(grid, values, heights) for kind, heights in found.columns.items()}
        return replace(found, grid=grid, columns=columns)

    return result._once("local effects", computed)


class _Sums:
    """Sums over rows that the effects are quotients of; predicts what they take.

    Each row is near at most two grid values: `_row`, `_column` and `_near` (n_entries,) are its place among the rows,
    that of a grid value, and how near they are: 1 at the value, 0 at the next ones, linear between. Of a level without
    an order it is 1 or 0. Rows of a missing value, or of a level that is not on the grid, are far from all.
    """

    def __init__(
        self,
        result: FeatureExplanation,
        grid_size: int,
        kinds: Sequence[str],
        between_blocks: Callable[[], object] | None,
    ) -> None:
        self._context = context = result._context
        self._result, self._feature, self._rows = result, result._item.feature, result._item.summed
        self._weights, self._coordinates = context.row_weights[self._rows], self._feature.values[self._rows]
        column = SortedValues.of(self._coordinates, self._weights)
        chosen = make_grid(self._feature, column, grid="observed", grid_size=grid_size)
        self.grid = _near(chosen, result) if len(self._rows) == len(context.weighted_rows) else chosen
        at = np.minimum(np.searchsorted(result.axis, self.grid.values), len(result.axis) - 1)
        self._places = at if np.array_equal(result.axis[at], self.grid.values) else None
        self._row, self._column, self._near = self._find_near()
        self._mass = self._add_up(1.0)
        if "m_plot" in kinds:
            is_all = len(self._rows) == context.table.n_observations
            self._predictions = context.all_predictions if is_all else context.predictions(self._rows)
        self._predict(kinds, between_blocks)

    def _find_near(self) -> tuple[Places, Places, Array]:
        grid, values = self.grid.values, self._coordinates
        if self._feature.is_unordered or len(grid) == 1:
            column = np.minimum(np.searchsorted(grid, values), len(grid) - 1)
            row = np.flatnonzero(grid[column] == values)
            return row, column[row], np.ones(len(row))
        row = np.flatnonzero(~np.isnan(values))
        column = np.clip(np.searchsorted(grid, values[row], side="right") - 1, 0, len(grid) - 2)
        share = (values[row] - grid[column]) / (grid[column + 1] - grid[column])
        return np.tile(row, 2), np.concatenate([column, column + 1]), np.concatenate([1 - share, share])

    def _add_up(self, values: Array | float) -> Array:
        """Add up values of the entries by grid value, (n_grid,), by weight and nearness."""
        weights = self._weights[self._row] * self._near
        return np.asarray(np.bincount(self._column, weights * values, self.grid.n_grid), np.float64)

    def _predict(self, kinds: Sequence[str], between_blocks: Callable[[], object] | None) -> None:
        """Predict curves and steps block by block, so that no more than a block of phantoms is held."""
        context, feature, grid, first = self._context, self._feature, self.grid.values, np.empty(0)
        has_curves, has_steps = "partial_dependence" in kinds and self._places is None, "ale" in kinds
        if not (has_curves or has_steps):
            return
        if self._places is not None:
            self._result._check_unchanged()
        else:
            context.prediction_check.check()
        sums, steps = np.zeros((2, len(grid))), []
        n_values = len(grid) if has_curves else 2
        with progress_reporter(context.progress, len(self._rows) * n_values) as report:

            def predict(rows: Rows, values: Array) -> Array:
                return context.brute.evaluate(feature, rows, values, made=lambda n: report(n, n, feature.label))

            for start in range(0, len(self._rows), _ROWS_AT_A_TIME):
                block = slice(start, start + _ROWS_AT_A_TIME)
                rows = self._rows[block]
                curves = self._result._curves_at(rows, grid)
                if has_curves:
                    curves = predict(rows, np.broadcast_to(grid, (len(rows), len(grid)))) if curves is None else curves
                    first = curves[0] if start == 0 else first  # less this one, large predictions keep their digits
                    sums += self._weights[block] @ np.stack([curves - first, (curves - first) ** 2])
                if has_steps:
                    row, lower = self._intervals(self._coordinates[block])
                    ends = self._order[np.column_stack([lower, lower + 1])]
                    at_ends = predict(rows[row], grid[ends]) if curves is None else curves[row[:, None], ends]
                    steps.append((start + row, lower, at_ends[:, 1] - at_ends[:, 0]))
                if between_blocks is not None:
                    between_blocks()
        if has_curves:
            mean, square = sums / self._weights.sum()
            self._curves = first + mean, np.sqrt(np.maximum(square - mean**2, 0.0))
        self._steps = [np.concatenate(parts) for parts in zip(*steps, strict=True)]

    def effect(self, kind: str) -> Array:
        """Return an effect at each grid value, (n_grid,)."""
        if kind == "ale":
            return self._accumulated_steps
        if kind == "m_plot":
            return np.asarray(np.clip(self._line_heights, self._predictions.min(), self._predictions.max()))
        return self._curves[0] if self._places is None else self._result.partial_dependence[self._places]

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves at each grid value, ddof=0."""
        return self._curves[1] if self._places is None else self._result.spread[self._places]

    def mean_of(self, effect: Array) -> float:
        """Return the mean over the observations of an effect (n_grid,), linear between grid values."""
        return float(effect @ self._mass / self._mass.sum())

    @property
    def mean_prediction(self) -> float:
        """Mean prediction of the rows that have a place on the grid."""
        return float(self._add_up(self._predictions[self._row]).sum() / self._mass.sum())

    # --- ALE: steps of rows across intervals, added up ---

    @cached_property
    def _order(self) -> Places:
        if not self._feature.is_unordered:
            return np.arange(self.grid.n_grid)
        return order_levels(self._context, self._feature, self.grid.values, self._rows)

    def _intervals(self, values: Array) -> tuple[Places, Places]:
        """Return rows, and the left end of an interval of the accumulation that each lies in.

        Where the grid has all values, a row lies in the interval before its value and in the one behind it; else in the
        one that ends at its value or behind it, the smallest value in the first.
        """
        grid = self.grid.values[self._order]
        if len(grid) == 1:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        if self.grid.n_distinct > len(grid) and not self._feature.is_unordered:
            present = np.flatnonzero(~np.isnan(values))
            return present, np.clip(np.searchsorted(grid, values[present]) - 1, 0, len(grid) - 2)
        row, at = np.nonzero(values[:, None] == grid)
        before, behind = at > 0, at < len(grid) - 1
        return np.concatenate([row[before], row[behind]]), np.concatenate([at[before] - 1, at[behind]])

    @property
    def _accumulated_steps(self) -> Array:
        """Mean steps of the rows in each interval, added up along the grid and centred; NaN behind one without rows."""
        row, lower, step = self._steps
        n_intervals = self.grid.n_grid - 1
        mass, total = (np.bincount(lower, self._weights[row] * value, n_intervals) for value in (1.0, step))
        accumulated = np.zeros(self.grid.n_grid)
        with np.errstate(divide="ignore", invalid="ignore"):
            accumulated[self._order[1:]] = np.cumsum(total / mass)
        return accumulated - self.mean_of(accumulated)

    # --- M-plot: a line through the predictions near each value ---

    @property
    def _line_heights(self) -> Array:
        """Height of the line through the predictions near each grid value; of levels it is flat."""
        far = np.where(self._near > 0, self._coordinates[self._row] - self.grid.values[self._column], 0.0)
        value, mass = self._predictions[self._row], self._mass
        distance, squared, total, product = map(self._add_up, (far, far**2, value, far * value))
        determinant = mass * squared - distance**2
        is_flat = determinant <= _ROUNDING * mass * squared
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(is_flat, total / mass, (squared * total - distance * product) / determinant)


def _near(chosen: Grid, result: FeatureExplanation) -> Grid:
    """Return the values of the explanation's grid next to quantiles, if it is one of many quantiles itself.

    There the explanation has partial dependence, and a method curves.
    """
    axis = result.axis
    if not result._item.grid.capped or result._item.feature.is_unordered or len(axis) < chosen.n_grid:
        return chosen
    nearest = np.searchsorted((axis[:-1] + axis[1:]) / 2, chosen.values)
    return Grid(np.unique(axis[nearest]), chosen.n_distinct, chosen.capped)


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
    edges = few_edges(values[present], most, weights[present])
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
