"""The values at which a feature is evaluated, and seeded, stratified samples of the observations."""

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


def draw_stratified(
    values: NDArray[np.float64],
    candidates: NDArray[np.int64],
    size: int,
    generator: np.random.Generator,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Draw observations that cover the distribution of a feature evenly.

    The candidates are sorted by the feature (ties in random order, missing values last), cut into `size` strata that
    hold the same share of them, and one is drawn from each, as in §3.1 of Yeh & Ngo (2021).

    - `values`, `weights` (n_observations,): with weights, strata hold the same share of weight, and a row is drawn in
      proportion to its weight; a row heavier than a stratum is still drawn once only.
    - `candidates` (n_candidates,): positions to draw from; all of them are drawn where there are no more than `size`.
    - returns: sorted positions, `size` of them; fewer where heavy rows were drawn repeatedly.
    """
    if size >= len(candidates):
        return np.sort(candidates)
    if size == 0:
        return np.empty(0, dtype=np.int64)
    ties = generator.random(len(candidates))
    order = candidates[np.lexsort((ties, values[candidates]))]
    if weights is None:
        bounds = np.arange(size + 1) * len(order) // size
        return np.sort(order[generator.integers(bounds[:-1], bounds[1:])])
    cumulative = np.cumsum(weights[order])
    marks = (np.arange(size) + generator.random(size)) * (cumulative[-1] / size)
    chosen = np.searchsorted(cumulative, marks, side="right")
    return np.unique(order[np.minimum(chosen, len(order) - 1)])


def nested_samples(rows: NDArray[np.int64], generator: np.random.Generator) -> list[NDArray[np.int64]]:
    """Draw half of the rows, half of these and so on, down to one row; the smallest sample comes first, all rows last.

    Neighbours are paired and one of each pair is drawn, so that a sample covers the rows as evenly as any, whatever
    they are sorted by. Where the number is odd, a row drawn at random is in no pair and not in the sample.
    """
    samples = [rows]
    while len(rows) > 1:
        if len(rows) % 2:
            rows = np.delete(rows, generator.integers(len(rows)))
        rows = rows[np.arange(0, len(rows), 2) + generator.integers(2, size=len(rows) // 2)]
        samples.append(rows)
    return samples[::-1]
