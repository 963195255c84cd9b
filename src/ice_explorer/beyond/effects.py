"""Mean effects of one feature along its axis: partial dependence, accumulated local effects, M-plot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.drivers.candidates import second_features
from ice_explorer.errors import ModelNeededError
from ice_explorer.features.feature import level_positions
from ice_explorer.features.grid import Grid, make_grid
from ice_explorer.metrics.likelihood import SortedValues, few_edges
from ice_explorer.progress import progress_reporter
from ice_explorer.results.intervals import check_level, quantile_of_level
from ice_explorer.tables.column import label_index
from ice_explorer.tables.natural_order import sort_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.drivers.candidates import SecondFeature
    from ice_explorer.engines.context import Context
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature

    Predict = Callable[[Rows, Array], Array]


EffectKind = Literal["partial_dependence", "ale", "m_plot"]
EFFECT_KINDS: Final[tuple[EffectKind, ...]] = get_args(EffectKind)
GRID_SIZE: Final = 40

_ROWS_AT_A_TIME: Final = 2048
_ROUNDING: Final = 1e-12  # of a determinant, below which the values of a window are one value


def effects(
    result: FeatureExplanation,
    kinds: Sequence[EffectKind] | EffectKind,
    grid_size: int,
    ci: float | None,
) -> pd.DataFrame:
    """Return the effects of a feature as a table; `Explanation.effects` says which."""
    import pandas as pd

    names = [check_one_of("kinds", kind, EFFECT_KINDS) for kind in check_names("kinds", kinds)]
    check_integer("grid_size", grid_size, 2, f"Leave it out for {GRID_SIZE}.")
    found = mean_effects(result, names, grid_size, None if ci is None else check_level(ci))
    return pd.DataFrame(found.columns, label_index(result._item.feature.native(found.grid), result.feature))


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
    level: float | None = None,
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
        if saved is None or grid_size != GRID_SIZE or level is not None:
            raise ModelNeededError.predictions("Effects on another grid, and their intervals, need")
        for kind in kinds:
            names = (kind, *_OF_DEPENDENCE) if kind == "partial_dependence" else (kind,)
            columns |= {name: saved.columns[name] for name in names}
        return replace(saved, columns=columns)
    sums = _Sums(context, result, grid_size)
    sums.add_rows(kinds, between_blocks)
    for kind in kinds:
        columns[kind] = effect = sums.effect(kind)
        if kind == "partial_dependence":
            columns |= zip(_OF_DEPENDENCE, (sums.spread, effect - sums.mean_of(effect)), strict=True)
        if level is not None:
            width = quantile_of_level(level) * sums.standard_error(kind)
            ends = np.array([effect - width, effect + width])
            columns[f"{kind}_low"], columns[f"{kind}_high"] = sums.within_bounds(ends) if kind == "m_plot" else ends
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
    """Sums over rows that the effects are quotients of."""

    def __init__(self, context: Context, result: FeatureExplanation, grid_size: int) -> None:
        self._context, self._result = context, result
        self._feature: Feature = result._item.feature
        self._rows = result._item.summed
        self._weights = context.row_weights[self._rows]
        column = SortedValues.of(self._feature.values[self._rows], self._weights)
        seed = context.settings.random_state
        chosen = make_grid(self._feature, column, grid="observed", grid_size=grid_size, random_state=seed)
        self.grid = _near(chosen, result) if len(self._rows) == len(context.weighted_rows) else chosen
        self._steps: list[tuple[Places, Places, Array]] = []
        self._totals: dict[str, Array] = {}
        at = np.minimum(np.searchsorted(result.axis, self.grid.values), len(result.axis) - 1)
        self._places = at if np.array_equal(result.axis[at], self.grid.values) else None

    def add_rows(self, kinds: Sequence[str], between_blocks: Callable[[], object] | None = None) -> None:
        """Add all rows, block by block, so that no more than a block of phantoms is held."""
        context, feature, n_grid = self._context, self._feature, self.grid.n_grid
        has_curves = "partial_dependence" in kinds and self._places is None
        n_values = n_grid * has_curves + 2 * ("ale" in kinds and not has_curves)
        if n_values and self._places is not None:
            self._result._check_unchanged()
        elif n_values:
            context.prediction_check.check()
        if "m_plot" in kinds:
            is_all = len(self._rows) == context.table.n_observations
            self._values = context.all_predictions if is_all else context.predictions(self._rows)
        with progress_reporter(context.progress, len(self._rows) * n_values) as report:

            def predict(rows: Rows, values: Array) -> Array:
                return context.brute.evaluate(feature, rows, values, made=lambda n: report(n, n, feature.label))

            for block in self._blocks():
                rows = self._rows[block]
                nearness = self._nearness(feature.values[rows])
                self._add(block, mass=np.ones(len(rows)), nearness=nearness)
                curves = self._result._curves_at(rows, self.grid.values) if n_values else None
                if has_curves:
                    self._add_curves(block, curves, predict)
                if "ale" in kinds:
                    self._add_steps(block, curves, predict)
                if "m_plot" in kinds:
                    self._add_predictions(block, nearness)
                if between_blocks is not None:
                    between_blocks()

    def _blocks(self) -> Iterator[slice]:
        n_rows = len(self._rows)
        return (slice(start, min(start + _ROWS_AT_A_TIME, n_rows)) for start in range(0, n_rows, _ROWS_AT_A_TIME))

    def _add(self, block: slice, **of_rows: Array) -> None:
        """Add what rows bring, (n_rows, …) each, by name."""
        for name, values in of_rows.items():
            added = self._weights[block] @ values
            self._totals[name] = self._totals[name] + added if name in self._totals else added

    def _add_curves(self, block: slice, curves: Array | None, predict: Predict) -> None:
        """Add curves less the first one, which keeps the digits of large predictions."""
        rows, grid = self._rows[block], self.grid.values
        curves = predict(rows, np.broadcast_to(grid, (len(rows), len(grid)))) if curves is None else curves
        if "offset" not in self._totals:
            self._first_curve = curves[0]
        offset = curves - self._first_curve
        self._add(block, offset=offset, square=offset**2)

    def effect(self, kind: str) -> Array:
        """Return an effect at each grid value, (n_grid,)."""
        if kind == "ale":
            return self._accumulated
        if kind == "m_plot":
            return self.within_bounds(self._lines[0])
        if self._places is not None:
            return self._result.partial_dependence[self._places]
        return np.asarray(self._first_curve + self._totals["offset"] / self._totals["mass"])

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves at each grid value, ddof=0."""
        if self._places is not None:
            return self._result.spread[self._places]
        total = self._totals
        mean = total["offset"] / total["mass"]
        return np.asarray(np.sqrt(np.maximum(total["square"] / total["mass"] - mean**2, 0.0)))

    def standard_error(self, kind: str) -> Array:
        """Return the standard error of an effect at each grid value, (n_grid,), from the influences of rows."""
        if kind == "partial_dependence":
            return np.asarray(self.spread / np.sqrt(self._weights.sum()))
        influences = self._influences_on_ale if kind == "ale" else self._influences_on_m_plot
        variances = np.zeros(self.grid.n_grid)
        for number, block in enumerate(self._blocks()):
            variances += self._weights[block] @ np.square(influences(number, block))
        return np.sqrt(variances)

    def mean_of(self, effect: Array) -> Array:
        """Return the mean over the observations of effects (…, n_grid), linear between grid values, (…, 1)."""
        nearness = self._totals["nearness"]
        return np.asarray((effect @ nearness)[..., None] / nearness.sum())

    @property
    def mean_prediction(self) -> float:
        """Mean prediction of the rows that have a place on the grid."""
        return float(self._totals["value"].sum() / self._totals["nearness"].sum())

    def within_bounds(self, values: Array) -> Array:
        """Return values within the range of the predictions."""
        return np.asarray(np.clip(values, self._values.min(), self._values.max()))

    def _nearness(self, values: Array) -> Array:
        """Return how near rows are to each grid value, (n_rows, n_grid): 1 at it, 0 at the next ones, linear between.

        Of a level without an order 1 or 0. Rows of a missing value, or of a level that is not on the grid, are far from
        all.
        """
        grid = self.grid.values
        if self._feature.is_unordered or len(grid) == 1:
            return np.asarray(values[:, None] == grid, np.float64)
        near = np.zeros((len(values), len(grid)))
        present = np.flatnonzero(~np.isnan(values))
        at = np.clip(np.searchsorted(grid, values[present], side="right") - 1, 0, len(grid) - 2)
        share = (values[present] - grid[at]) / (grid[at + 1] - grid[at])
        near[present, at], near[present, at + 1] = 1 - share, share
        return near

    # --- ALE: steps of rows across intervals, added up ---

    @cached_property
    def _order(self) -> Places:
        """Places on the grid in the order in which local effects are accumulated."""
        if not self._feature.is_unordered:
            return np.arange(self.grid.n_grid)
        return order_levels(self._context, self._feature, self.grid.values, self._rows)

    def _add_steps(self, block: slice, curves: Array | None, predict: Predict) -> None:
        """Add the change of each row across the intervals that it lies in."""
        rows, grid = self._rows[block], self.grid.values[self._order]
        places, lower = self._intervals(grid, self._feature.values[rows])
        if curves is None:
            ends = predict(rows[places], np.column_stack([grid[lower], grid[lower + 1]]))
        else:
            ends = np.column_stack([curves[places, self._order[lower + at]] for at in (0, 1)])
        self._steps.append((places, lower, ends[:, 1] - ends[:, 0]))
        step, is_inside = self._steps_inside(-1, len(rows))
        self._add(block, step=step, step_mass=is_inside)

    def _steps_inside(self, number: int, n_rows: int) -> tuple[Array, Array]:
        """Return the steps of a block across each interval, and whether rows lie in it, (n_rows, n_grid - 1) each."""
        places, lower, changes = self._steps[number]
        step, is_inside = np.zeros((2, n_rows, self.grid.n_grid - 1))
        step[places, lower], is_inside[places, lower] = changes, 1.0
        return step, is_inside

    def _intervals(self, grid: Array, values: Array) -> tuple[Places, Places]:
        """Return rows and the left end of an interval that each lies in.

        Where the grid has all values, a row lies in the interval before its value and in the one behind it; else in the
        one that ends at its value or behind it, the smallest value in the first.

        - `grid` (n_grid,): in the order of the accumulation.
        """
        if len(grid) == 1:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        if self.grid.n_distinct > len(grid) and not self._feature.is_unordered:
            present = np.flatnonzero(~np.isnan(values))
            return present, np.clip(np.searchsorted(grid, values[present]) - 1, 0, len(grid) - 2)
        places, at = np.nonzero(values[:, None] == grid)
        before, behind = at > 0, at < len(grid) - 1
        return np.concatenate([places[before], places[behind]]), np.concatenate([at[before] - 1, at[behind]])

    def _accumulate(self, steps: Array) -> Array:
        """Add up steps (…, n_grid - 1) along the grid, and centre them, (…, n_grid)."""
        accumulated = np.zeros((*steps.shape[:-1], self.grid.n_grid))
        accumulated[..., self._order[1:]] = np.cumsum(steps, axis=-1)
        return np.asarray(accumulated - self.mean_of(accumulated))

    @property
    def _mean_steps(self) -> Array:
        return _quotient(self._totals["step"], self._totals["step_mass"])

    @property
    def _accumulated(self) -> Array:
        return self._accumulate(self._mean_steps)

    def _influences_on_ale(self, number: int, block: slice) -> Array:
        """Return influences of rows on the accumulated steps, and on the mean that these are centred by."""
        step, is_inside = self._steps_inside(number, block.stop - block.start)
        steps = _quotient(step - is_inside * self._mean_steps, self._totals["step_mass"])
        nearness = self._nearness(self._feature.values[self._rows[block]])
        of_mean = nearness @ self._accumulated / self._totals["nearness"].sum()
        return np.asarray(self._accumulate(steps) - of_mean[:, None])

    # --- M-plot: a line through the predictions near each value ---

    def _distances(self, rows: Rows, nearness: Array) -> Array:
        """Return how far rows are from the grid values that they are near to, (n_rows, n_grid)."""
        if self._feature.is_unordered:
            return np.zeros_like(nearness)
        return np.where(nearness > 0, self._feature.values[rows, None] - self.grid.values, 0.0)

    def _add_predictions(self, block: slice, nearness: Array) -> None:
        distance, value = self._distances(self._rows[block], nearness), self._values[block, None]
        near = nearness * distance
        self._add(block, distance=near, squared=near * distance, value=nearness * value, product=near * value)

    @property
    def _lines(self) -> tuple[Array, Array, Mask]:
        """Height and slope of the line through the predictions near each grid value, and whether it is flat."""
        mass, distance, squared, value, product = (
            self._totals[name] for name in ("nearness", "distance", "squared", "value", "product")
        )
        determinant = mass * squared - distance**2
        is_flat = determinant <= _ROUNDING * mass * squared
        with np.errstate(divide="ignore", invalid="ignore"):
            height = np.where(is_flat, value / mass, (squared * value - distance * product) / determinant)
            slope = np.where(is_flat, 0.0, (mass * product - distance * value) / determinant)
        return height, slope, is_flat

    def _influences_on_m_plot(self, _number: int, block: slice) -> Array:
        """Return influences of rows on the height of each line: their residuals, by how much they determine it."""
        rows, (height, slope, is_flat) = self._rows[block], self._lines
        nearness = self._nearness(self._feature.values[rows])
        distances = self._distances(rows, nearness)
        mass, distance, squared = (self._totals[name] for name in ("nearness", "distance", "squared"))
        with np.errstate(divide="ignore", invalid="ignore"):
            leverage = (squared - distance * distances) / (mass * squared - distance**2)
            leverage = np.where(is_flat, 1.0 / mass, leverage)
        return np.asarray(nearness * leverage * (self._values[block, None] - height - slope * distances))


def _near(chosen: Grid, result: FeatureExplanation) -> Grid:
    """Return the values of the explanation's grid next to quantiles, if it is one of many quantiles itself.

    There the explanation has partial dependence, and a method curves.
    """
    axis = result.axis
    if not result._item.grid.capped or result._item.feature.is_unordered or len(axis) < chosen.n_grid:
        return chosen
    nearest = np.searchsorted((axis[:-1] + axis[1:]) / 2, chosen.values)
    return Grid(np.unique(axis[nearest]), chosen.n_distinct, chosen.capped)


def _quotient(sums: Array, mass: Array) -> Array:
    """Divide sums by the weight of the rows that they are of; NaN without any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums / mass)


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


def _distances(other: SecondFeature, level: Places, rows: Rows, weights: Array, n_levels: int) -> Array:
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
