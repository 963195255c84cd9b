"""How far a phantom observation is from the nearest observations, in a feature and in those that predict it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.metrics.likelihood import column_moments
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Places, Rows

_MOST_POINTS: Final = 800  # that are drawn from the distinct observations
_LEAST_CELLS: Final = 1 << 16


class Neighbours(NamedTuple):
    """Distinct observations in standard deviations of the feature and of the columns that predict it.

    - `heights` (n_points,): of the feature, increasing.
    - `points` (n_points, n_columns): the other columns of these, a missing value at the mean.
    - `rows` (n_observations, n_columns): those of all observations.
    - `excluded` (n_observations,): which point an observation alone is, as it is no neighbour of itself; -1 if none.
    - `centre`, `scale`: of the feature.
    """

    heights: Array
    points: Array
    rows: Array
    excluded: Places
    centre: float
    scale: float

    def distances(self, rows: Rows, values: Array) -> Array:
        """Return the distances of rows with increasing values (n_rows or 1, n_values) in place of their own."""
        found = np.empty((len(rows), values.shape[1]))
        given = self.heights, self.points, self.rows[rows], self.excluded[rows], (values - self.centre) / self.scale
        if HAS_NUMBA and found.size * len(self.heights) > _LEAST_CELLS:
            from ice_explorer.metrics.neighbours_numba import nearest_points

            nearest_points(*given, found)
        else:
            nearest_by_blocks(*given, found)
        return found


def nearest_by_blocks(  # noqa: PLR0917 - the arrays that the kernel takes
    heights: Array, points: Array, rows: Array, excluded: Places, values: Array, found: Array
) -> None:
    """Find the distance of each row, moved to each value, to the nearest point; `nearest_points` names the arrays."""
    found[:] = np.inf
    for place, height in enumerate(heights):
        squared = np.square(rows - points[place]).sum(axis=1)
        squared[excluded == place] = np.inf
        np.minimum(found, squared[:, None] + np.square(values - height), out=found)
    np.sqrt(found, out=found)


def make_neighbours(column: Array, others: Array, weights: Array, random_state: int) -> Neighbours | None:
    """Choose the points that phantom observations are compared with; None where the feature is constant.

    - `column` (n_observations,): the feature; NaN is missing.
    - `others` (n_observations, n_columns): columns that predict it; NaN is missing.
    - `weights` (n_observations,).
    - `random_state`: seed of the draw of points, where there are more distinct observations.
    """
    used = np.flatnonzero(~np.isnan(column) & (weights > 0))
    rows, _, _ = _standardized(others, used, weights)
    height, centre, scale = _standardized(column[:, None], used, weights)
    if len(used) < 2 or scale[0] == 0:
        return None
    distinct, inverse = np.unique(
        np.column_stack([height[used], rows[used]]), axis=0, return_inverse=True
    )  # in the order of their content
    inverse = inverse.ravel()
    mass = np.bincount(inverse, weights[used])
    drawn = np.random.default_rng(random_state).permutation(len(distinct))[:_MOST_POINTS]
    drawn.sort()
    place_of = np.full(len(distinct), -1)
    place_of[drawn] = np.arange(len(drawn))
    place_of[mass > 1] = -1  # equal observations are neighbours of each other
    excluded = np.full(len(column), -1)
    excluded[used] = place_of[inverse]
    points = np.ascontiguousarray(distinct[drawn])
    return Neighbours(
        points[:, 0].copy(), np.ascontiguousarray(points[:, 1:]), rows, excluded, float(centre[0]), float(scale[0])
    )


def _standardized(columns: Array, used: Rows, weights: Array) -> tuple[Array, Array, Array]:
    """Return columns in standard deviations from their mean over some rows, missing values at 0; mean and deviation."""
    mean, deviation = column_moments(columns[used], weights[used])
    unit = np.where(deviation > 0, deviation, 1.0)
    return np.where(np.isnan(columns), 0.0, (columns - mean) / unit) + 0.0, mean, deviation
