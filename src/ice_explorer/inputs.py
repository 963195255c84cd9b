"""What a feature is before the model is asked: its column, grid, scales and rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import InputDataError, InvalidOptionError, UnknownFeatureError
from ice_explorer.grid import feature_seed, make_grid
from ice_explorer.likelihood import conditional_scale, floored_scale, lower_median, standard_deviation
from ice_explorer.sampling import draw_stratified

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.predict import Predictor
    from ice_explorer.adapters.table import Column, Name, Table
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.grid import Grid, GridName
    from ice_explorer.options import Settings
    from ice_explorer.probe import Probe


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
    probed: NDArray[np.float64]

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


class Columns:
    """The columns of X by name, read once each."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.names = table.names
        self._positions = {name: position for position, name in enumerate(table.names)}
        self._by_label = {str(name): position for position, name in enumerate(table.names)}
        self._read: dict[int, Column] = {}

    def position(self, name: Name) -> int:
        """Find a column by name, by its text, or by position, in that order."""
        if isinstance(name, list | dict | set | np.ndarray):
            raise UnknownFeatureError.column(name, self.names)
        if name in self._positions:
            return self._positions[name]
        if isinstance(name, str) and name in self._by_label:
            return self._by_label[name]
        is_position = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
        if is_position and 0 <= name < len(self.names):
            return int(name)
        raise UnknownFeatureError.column(name, self.names)

    def at(self, position: int) -> Column:
        """Return a column by its position."""
        if position not in self._read:
            self._read[position] = self._table.column(position)
        return self._read[position]


@dataclass(frozen=True, eq=False)
class FeatureInput:
    """One feature before the model is asked: its column, grid, scales and rows."""

    at_issue: int
    column: Column
    grid: Grid
    scale: float
    median: float
    own: NDArray[np.float64]  # own values, the median standing in for missing ones
    likelihood_scale: NDArray[np.float64]
    positions: NDArray[np.int64]  # rows that the curves are of
    summed: NDArray[np.int64]  # those of them that have weight: the metrics are theirs
    has_missing: bool  # whether any observation that has weight lacks the value

    @property
    def n_predictions_per_row(self) -> int:
        """Phantoms of one row: the grid, and its value with and without where some are missing."""
        return self.grid.n_grid + 2 * self.has_missing


def feature_input(
    context: Context,
    at_issue: int,
    grid: GridName | Mapping[str, NDArray[np.float64]],
    scale: ArrayLike | None,
    n_rows: int | None,
) -> FeatureInput:
    """Choose grid, scales and rows of one feature."""
    column, weights, settings = context.columns.at(at_issue), context.weights, context.settings
    _check_finite(column)
    values = column.values
    chosen = make_grid(
        column.label, values, weights, grid=grid, grid_size=settings.grid_size,
        is_integer=column.is_integer, random_state=settings.random_state,
    )  # fmt: skip
    sigma = standard_deviation(values, weights)
    median = lower_median(values, weights)
    missing = np.isnan(values)
    own = np.where(missing, median, values) if missing.any() else values
    n_observations = context.table.n_observations
    if settings.scale == "conditional":
        likelihood_scale = _conditional(context, at_issue, sigma)
    elif scale is not None:
        likelihood_scale = floored_scale(column.name, scale, sigma, n_observations)
    else:
        likelihood_scale = np.broadcast_to(sigma, n_observations)  # one number, however many rows
    weighing = context.weighing
    if n_rows is None:
        positions, summed = context.everything, weighing
    else:
        generator = feature_seed(settings.random_state, column.label)
        positions = summed = draw_stratified(values, weighing, n_rows, generator)
        if weights is not None and weights[summed].sum() <= 1:
            raise InvalidOptionError.weights_of_sample(column.name, float(weights[summed].sum()))
    return FeatureInput(
        at_issue, column, chosen, sigma, median, own, likelihood_scale, positions, summed,
        has_missing=bool(np.isnan(values[weighing]).any()),
    )  # fmt: skip


def _conditional(context: Context, at_issue: int, sigma: float) -> NDArray[np.float64]:
    """Conditional scale of one feature given all other numeric columns."""
    columns = context.columns
    others = [columns.at(position) for position in range(len(columns.names)) if position != at_issue]
    numeric = [column for column in others if column.kind in {"numeric", "boolean"}]
    for column in numeric:
        _check_finite(column)
    matrix = (
        np.column_stack([column.values for column in numeric])
        if numeric
        else np.empty((context.table.n_observations, 0))
    )
    return conditional_scale(columns.at(at_issue).values, matrix, sigma, context.weights, context.settings.random_state)


def _check_finite(column: Column) -> None:
    infinite = np.flatnonzero(np.isinf(column.values))
    if infinite.size:
        raise InputDataError.infinite(column.name, [int(row) for row in infinite])
