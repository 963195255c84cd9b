"""Order levels by how similar their rows are in the other features: Apley & Zhu (2020), on categorical predictors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.drivers.candidates import second_features
from ice_explorer.metrics.likelihood import few_edges
from ice_explorer.tables.natural_order import sort_levels

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.drivers.candidates import SecondFeature
    from ice_explorer.engines.context import Context
    from ice_explorer.features.feature import Feature

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
    """Return the order of levels in one dimension, by classical scaling of distances (n_levels, n_levels).

    Of equal coordinates the earlier level comes first, and so does the earlier one of both ends.
    """
    n_levels = len(distances)
    centring = np.eye(n_levels) - 1 / n_levels
    _, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    coordinates = np.round(vectors[:, -1], _DIGITS)
    if np.argmax(coordinates == coordinates.max()) < np.argmax(coordinates == coordinates.min()):
        coordinates = -coordinates
    return np.argsort(coordinates, kind="stable")
