"""The axis of a feature as drawn, in the browser and in figures.

On it levels without an order stand side by side, wherever their codes are; everything else stands
at its coordinate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.dates import UTC_CLOCK, Clock, make_clock
from ice_explorer.features.feature import LEVELLED, OFF_GRID, UNORDERED, level_positions
from ice_explorer.tables.labels import shortened
from ice_explorer.tables.natural_order import in_natural_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.features.feature import Feature, FeatureKind

_MOST_BINS: Final = 30


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
    grid: NDArray[np.float64]
    observed: NDArray[np.float64]
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

    @property
    def tells_its_order(self) -> bool:
        """Whether the names of the levels say what stands between two of them: months, numbered levels."""
        return self.levels is not None and in_natural_order(self.levels) == self.levels

    def is_off(self, observed: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether own places are those of levels that are not on the grid."""
        return np.asarray(observed == OFF_GRID) if self.is_unordered else np.zeros(len(observed), dtype=np.bool_)

    def own(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Places of observed values, with the median where a row has none on the axis."""
        observed = self.observed[positions]
        has_place = np.isin(observed, self.grid) if self.is_unordered else ~np.isnan(observed)
        return np.where(has_place, observed, self.median)


def display_axis(feature: Feature, places: NDArray[np.float64], median: float = math.nan) -> DisplayAxis:
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


def histogram(axis: DisplayAxis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
    if len(distinct) <= _MOST_BINS:
        edges = _edges_between(distinct)
    else:
        edges = np.histogram_bin_edges(column, bins="auto")
        if len(edges) > _MOST_BINS + 1:
            edges = np.linspace(distinct[0], distinct[-1], _MOST_BINS + 1)
    counts, edges = np.histogram(column, bins=edges)
    return edges, counts.astype(np.float64)


def _edges_between(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bound each value half way to its neighbours, the outer ones as far out as in."""
    if len(distinct) == 1:
        reach = max(abs(float(distinct[0])), 1.0) / 1000
        return np.array([distinct[0] - reach, distinct[0] + reach])
    inner = (distinct[1:] + distinct[:-1]) / 2
    first = distinct[0] - (inner[0] - distinct[0])
    last = distinct[-1] + (distinct[-1] - inner[-1])
    return np.concatenate([[first], inner, [last]])
