"""Likelihood of phantom observations: decay weights and distance scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.checks import to_float_array
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Mask, Places


LEAST_SHARE_OF_SCALE = 0.01  # floor of a likelihood scale, in standard deviations of the feature


def has_value_and_weight(values: Array, weights: Array | None) -> Mask:
    """Whether each value is not missing, in a row that has weight."""
    present = ~np.isnan(values)
    return present if weights is None else present & (weights > 0)


def standard_deviation(values: Array, weights: Array | None = None) -> float:
    """Standard deviation of the values that are not missing, ddof=0 [feature].

    Exactly 0 where all values are equal, which the usual formula misses by rounding.
    """
    present = has_value_and_weight(values, weights)
    column = values if present.all() else values[present]
    if column.size == 0 or column.min() == column.max():
        return 0.0
    if weights is None:
        return float(np.std(column))
    mass = weights[present]
    mean = np.average(column, weights=mass)
    return math.sqrt(float(np.average((column - mean) ** 2, weights=mass)))


def distinct_values(ordered: Array) -> Array:
    """Each of some increasing values once, for which `np.unique` would sort them again."""
    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


def distinct_rows(rows: Array) -> tuple[Places, Places]:
    """Return the first of each distinct row, and which of them each row is; a missing value equals a missing value.

    - `rows` (n_rows, n_columns).
    - returns `first` (n_distinct,), whose order does not depend on that of the rows, and `inverse` (n_rows,).
    """
    rows = rows + 0.0  # no negative zeros
    rows[np.isnan(rows)] = np.nan
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.strides[0]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first, inverse


def column_moments(columns: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted mean and standard deviation (ddof=0) of columns (n_rows, n_columns) over the rows that have a value."""
    present = ~np.isnan(columns)
    mass = np.maximum(weights @ present, np.finfo(float).tiny)
    mean = weights @ np.where(present, columns, 0.0) / mass
    return mean, np.sqrt(weights @ np.where(present, np.square(columns - mean), 0.0) / mass)


@dataclass(frozen=True, eq=False)
class SortedValues:
    """The values of a column that are not missing, of rows that have weight, sorted once for all that needs it.

    - `values`: increasing, equal ones in the order of their rows.
    - `weights`: of the same rows; None where all have the same.
    """

    values: Array
    weights: Array | None

    @classmethod
    def of(cls, values: Array, weights: Array | None) -> SortedValues:
        """Sort the values of a column, (n_observations,)."""
        if weights is None:
            ordered = np.sort(values)  # missing ones come last
            return cls(ordered[: len(ordered) - np.count_nonzero(np.isnan(ordered))], None)
        present = has_value_and_weight(values, weights)
        column = values[present]
        order = np.argsort(column, kind="stable")
        return cls(column[order], weights[present][order])

    @cached_property
    def distinct(self) -> Array:
        """Each value once."""
        return distinct_values(self.values)

    @cached_property
    def n_distinct(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self.values[1:] != self.values[:-1])) + (len(self.values) > 0)

    @property
    def lower_median(self) -> float:
        """Lower (weighted) median: an observed value."""
        return float(self.quantiles(np.array([0.5]))[0])

    def quantiles(self, levels: Array) -> Array:
        """Quantiles that are observed values: the smallest below or at which a share `level` of them lies.

        With whole weights they are those of repeated values to the bit, which `numpy.quantile` misses
        where a level falls on a step, because it divides by the sum of the weights first.
        """
        if self.weights is None:
            at = np.maximum(np.ceil(len(self.values) * levels - 1.0), 0.0).astype(np.intp)
            return self.values[at]
        cumulative = np.cumsum(self.weights)
        position = np.searchsorted(cumulative, levels * cumulative[-1], side="left")
        # At level 0 a leading value of weight 0 would be found; weights are positive here.
        return np.asarray(self.values[np.minimum(position, len(self.values) - 1)])


def observed_quantiles(values: Array, levels: Array, weights: Array | None) -> Array:
    """Quantiles of values none of which is missing; see `SortedValues.quantiles`."""
    return SortedValues.of(values, weights).quantiles(levels)


def few_edges(values: Array, most: int, weights: Array) -> Array:
    """Return the distinct values, increasing, or quantiles where they are more; none is missing."""
    edges = np.unique(values)
    return edges if len(edges) <= most else np.unique(observed_quantiles(values, np.linspace(0.0, 1.0, most), weights))


def distances(grid: Array, observed: Array, likelihood_scale: Array) -> Array:
    """Distance of each phantom from its observation, in likelihood scales.

    - `grid` (n_grid,).
    - `observed` (n_observations,): observed values [feature], none missing.
    - `likelihood_scale` (n_observations,): s_i [feature]. Where it is 0 the distance is 0 at the observed value and
      infinite elsewhere.
    - returns (n_observations, n_grid).
    """
    gap = np.abs(grid[None, :] - observed[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = gap / likelihood_scale[:, None]
    scaled[gap == 0] = 0.0
    return scaled


def likelihood(grid: Array, observed: Array, likelihood_scale: Array, decay: float) -> Array:
    r"""Likelihood of each phantom observation, a weight in [0, 1] (not a probability).

    - `grid`, `observed`, `likelihood_scale`: as for `distances`.
    - `decay`: λ, greater than 0 and at most 1; 1 weighs all alike.
    - returns (n_observations, n_grid): 1 at the observed value.

    Notes
    -----
    Eq. 3 of Yeh & Ngo (2021), arXiv:2109.02724: :math:`\lambda^{|v_k - x_i| / s_i}`. With decay 1
    and a scale of 0 the definition still holds: 1 at the observed value, else 0.
    """
    scaled = distances(grid, observed, likelihood_scale)
    is_near = np.isfinite(scaled)
    return np.where(is_near, np.exp(math.log(decay) * np.where(is_near, scaled, 0.0)), 0.0)


def floored_scale(feature: object, given: ArrayLike, standard_deviation_: float, n_observations: int) -> Array:
    """Check a likelihood scale given by the user and keep it above 1 % of the standard deviation."""
    scale = to_float_array(given)
    if scale is None:
        raise OptionError.scale_values(feature, f"got {quoted(given)}")
    if scale.shape not in {(), (n_observations,)}:
        size = counted(n_observations, "observation")
        raise OptionError.scale_values(feature, f"got shape {scale.shape} for {size}")
    wrong = ~(np.isfinite(scale) & (scale > 0))
    if wrong.any():
        raise OptionError.scale_values(feature, f"got {float(scale[wrong].flat[0])!r}")
    return np.maximum(np.broadcast_to(scale, (n_observations,)), LEAST_SHARE_OF_SCALE * standard_deviation_)
