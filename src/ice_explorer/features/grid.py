"""The values at which a feature is evaluated: one column in, increasing grid values out."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.errors import DataError
from ice_explorer.metrics.likelihood import distinct_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.features.feature import Feature
    from ice_explorer.metrics.likelihood import SortedValues

GridName = Literal["observed", "quantile", "uniform", "thresholds"]
GRID_NAMES: tuple[GridName, ...] = ("observed", "quantile", "uniform", "thresholds")

_OBSERVED_CAP = 1000
_CHOSEN_SIZE = 100  # and levels of an unordered category, whose metrics compare each to each


@dataclass(frozen=True)
class Grid:
    """Grid of one feature.

    - `values` (n_grid,): strictly increasing, finite, in units of the feature.
    - `n_distinct`: distinct observed values of the column, of rows that have weight.
    - `capped`: True where not every observed value is a grid value although `grid="observed"`, or not every level of an
      unordered category without being asked for.
    """

    values: NDArray[np.float64]
    n_distinct: int
    capped: bool = False

    @property
    def n_grid(self) -> int:
        """Number of grid values."""
        return len(self.values)


def feature_seed(random_state: int, feature: str) -> np.random.Generator:
    """Make the random generator of one feature, the same in every process."""
    return np.random.default_rng([random_state, zlib.crc32(feature.encode(errors="surrogatepass"))])


def make_grid(
    feature: Feature,
    column: SortedValues,
    *,
    grid: GridName | Mapping[str, NDArray[np.float64]],
    grid_size: int | None,
) -> Grid:
    """Choose the grid of one feature.

    - `column`: own coordinates [feature]; missing values and rows of weight 0 give no grid value.
    - `grid`: how to choose, or the values by label; features not in it get their observed values. A uniform grid has
      the digits of the feature. Levels without an order are those that occur, the most frequent ones where there are
      more than `grid_size`.
    - `grid_size`: most grid values of a chosen grid; None is 1000 for "observed" and 100 otherwise, and for levels
      without an order.
    - returns: strictly increasing values.
    - raises DataError: if no row that has weight holds a value.
    """
    is_unordered, digits = feature.is_unordered, feature.digits
    n_distinct = column.n_distinct
    if n_distinct == 0:
        problem, advice = "is missing in every row that has weight", "Leave it out with `features=`."
        raise DataError.feature_must(feature.label, "at least one value", problem, advice)
    if not isinstance(grid, str):
        given = grid.get(feature.label)
        if given is not None:
            return Grid(given, n_distinct)
        grid = "observed"
    size = grid_size or (_OBSERVED_CAP if grid == "observed" and not is_unordered else _CHOSEN_SIZE)
    if n_distinct <= size and (is_unordered or grid == "observed"):
        return Grid(column.distinct, n_distinct)
    if is_unordered:
        frequencies = np.bincount(np.searchsorted(column.distinct, column.values), column.weights)
        most_frequent = column.distinct[np.argsort(-frequencies, kind="stable")[:size]]
        return Grid(np.sort(most_frequent), n_distinct, capped=True)
    if grid == "uniform":
        evenly = np.linspace(column.values[0], column.values[-1], size)
        return Grid(np.unique(evenly if digits is None else np.round(evenly, digits)), n_distinct)
    return Grid(distinct_values(column.quantiles(np.linspace(0, 1, size))), n_distinct, capped=grid == "observed")
