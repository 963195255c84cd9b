"""The axis of a feature as drawn, in the browser and in figures.

On it levels without an order stand side by side, wherever their codes are; everything else stands
at its coordinate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.axis_text import (
    UTC_CLOCK,
    Clock,
    Tick,
    axis_number,
    choose_unit,
    date_ticks,
    date_writer,
    make_clock,
    thousands_separator,
    ticks,
    writer,
)
from ice_explorer.features.feature import LEVELLED, OFF_GRID, UNORDERED, level_positions
from ice_explorer.tables.column import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.arrays import Array, Mask, Rows
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature, FeatureKind

_MOST_BINS: Final = 30
FEW_VALUES: Final = 6  # of a feature: with no more it has a tick for each


@dataclass(frozen=True)
class DisplayAxis:
    """Where the values of a feature stand.

    - `grid` (n_grid,): places of the grid values, increasing.
    - `observed` (n_observations,): own places; NaN is missing, -1 a level that is not on the grid.
    - `median`: place of the median, or of the most frequent level.
    - `levels`: names of the grid values where they are levels.
    - `clock`: how datetimes are written: in the time zone of the column.
    """

    kind: FeatureKind
    grid: Array
    observed: Array
    median: float
    levels: list[str] | None
    clock: Clock = UTC_CLOCK

    @property
    def is_unordered(self) -> bool:
        """Whether there is no way from one level to the next."""
        return self.kind in UNORDERED

    @property
    def has_levels(self) -> bool:
        """Whether dots are drawn on levels, with nothing in between."""
        return self.kind in LEVELLED

    def is_off(self, observed: Array) -> Mask:
        """Whether own places are those of levels that are not on the grid."""
        return np.asarray(observed == OFF_GRID) if self.is_unordered else np.zeros(len(observed), dtype=np.bool_)

    def own(self, positions: Rows) -> Array:
        """Places of observed values, with the median where a row has none on the axis."""
        observed = self.observed[positions]
        has_place = np.isin(observed, self.grid) if self.is_unordered else ~np.isnan(observed)
        return np.where(has_place, observed, self.median)


def display_axis(feature: Feature, places: Array, median: float = math.nan) -> DisplayAxis:
    """Lay out the axis of a feature.

    - `places` (n_grid,): grid values as numbers.
    - `median`: of the feature, or its most frequent level, likewise; only needed for places of observations.
    """
    native = feature.native(places)
    levels = shortened([str(label) for label in native]) if feature.kind in LEVELLED else None
    if not feature.is_unordered:
        clock = make_clock(getattr(native[0], "tzinfo", None), places[0], places[-1])
        return DisplayAxis(feature.kind, places, feature.values, median, levels, clock)
    observed = level_positions(feature.values, places)
    place = float(level_positions(np.array([median]), places)[0])
    return DisplayAxis(feature.kind, np.arange(len(places), dtype=np.float64), observed, max(0.0, place), levels)


def axis_of(feature: FeatureExplanation) -> DisplayAxis:
    """Lay out the axis of an explained feature."""
    return display_axis(feature._item.feature, feature.axis, feature._item.median)


def place_writer(axis: DisplayAxis) -> Callable[[float], str]:
    """Return how a place on an axis is written; points in time are no finer than their stretch needs."""
    if axis.kind == "datetime":
        return date_writer(axis.grid, axis.clock)
    return writer(axis.kind, axis.grid, axis.levels, axis_number(axis.grid), axis.clock)


def axis_ticks(axis: DisplayAxis, domain: tuple[float, float], width: float) -> list[Tick]:
    """Ticks of the axis of a feature of some px: its values where there are few, else round numbers."""
    grid, (low, high) = axis.grid, domain
    if axis.kind == "boolean" or len(grid) <= FEW_VALUES or axis.has_levels:
        write = writer(axis.kind, grid, axis.levels, axis_number(grid), axis.clock)
        return [Tick(value, write(value)) for value in grid.tolist() if low <= value <= high]
    if axis.kind == "datetime":
        return [Tick(*tick) for tick in date_ticks(low, high, max(2, round(width / 70)), axis.clock)]
    n_steps, separator = max(2, round(width / 52)), thousands_separator(grid)
    if axis.kind == "timedelta":
        per_day = choose_unit(grid).per_day
        marks = ticks(low * per_day, high * per_day, n_steps, separator=separator)
        return [Tick(tick.value / per_day, tick.label) for tick in marks]
    return ticks(low, high, n_steps, whole=bool(np.all(grid == np.round(grid))), separator=separator)


def histogram(axis: DisplayAxis) -> tuple[Array, Array]:
    """Where the data are, along the axis.

    - returns `edges` (n_bins + 1,): each level of the grid has a bin of its own, of width 1, and so has each value
      where no more than 30 are distinct, bounded half way to its neighbours; otherwise there are at most 30 bins of
      equal width.
    - returns `counts` (n_bins,): observations.
    """
    if axis.has_levels:
        edges = np.unique(np.concatenate([axis.grid - 0.5, axis.grid + 0.5]))
        counts = np.zeros(len(edges) - 1)  # between ranks that are not neighbours there is a bin of nothing
        counts[np.searchsorted(edges, axis.grid) - 1] = (axis.observed[:, None] == axis.grid).sum(axis=0)
        return edges, counts
    column = axis.observed[~np.isnan(axis.observed)]
    distinct = np.unique(column)
    if len(distinct) == 1:
        reach = max(abs(float(distinct[0])), 1.0) / 1000
        edges = np.array([distinct[0] - reach, distinct[0] + reach])
    elif len(distinct) <= _MOST_BINS:  # bounds half way to the neighbours, the outer ones as far out as in
        inner = (distinct[1:] + distinct[:-1]) / 2
        first, last = distinct[0] - (inner[0] - distinct[0]), distinct[-1] + (distinct[-1] - inner[-1])
        edges = np.concatenate([[first], inner, [last]])
    else:
        edges = np.histogram_bin_edges(column, bins="auto")
        if len(edges) > _MOST_BINS + 1:
            edges = np.linspace(distinct[0], distinct[-1], _MOST_BINS + 1)
    counts, edges = np.histogram(column, bins=edges)
    return edges, counts.astype(np.float64)
