"""Add curves to the sums that metrics are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.errors import PredictionError
from ice_explorer.errors.base import quoted
from ice_explorer.metrics.ordered import MOST_CELLS, OrderedSums
from ice_explorer.metrics.unordered import UnorderedSums
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.engines.feature_input import FeatureInput

    Sums = OrderedSums | UnorderedSums

_WORTH_COMPILING = 2_000_000  # predictions of all features; numba takes longer to load than NumPy to add up fewer


def empty_sums(
    item: FeatureInput,
    weights: Array | None = None,
    active: Places | None = None,
    *,
    compiled: bool = False,
    most_cells: int = MOST_CELLS,
) -> Sums:
    """Make the sums of a feature, nothing added yet; without weights they are to be filled or merged."""
    grid, rows = item.grid.values, None
    if item.feature.is_unordered:
        return UnorderedSums(grid, item.scale, item.shares, item.decay, None if weights is None else active)
    if weights is not None:
        scales = item.likelihood_scale
        scales = scales[: len(item.summed)] if item.has_marginal_scale else scales[item.summed]  # a view of one number
        rows = item.observed[item.summed], scales, weights[item.summed]
    return OrderedSums(
        grid,
        item.scale,
        item.shares,
        item.decay,
        rows,
        convention=item.convention,
        active=active,
        compiled=compiled,
        most_cells=most_cells,
    )


def select_rows(item: FeatureInput, weights: Array, rows: Rows) -> tuple[Array, Array, Array]:
    """Observed values, likelihood scales and weights of rows."""
    return item.observed[rows], item.likelihood_scale[rows], weights[rows]


def add_block(
    sums: Sums,
    curves: Array | tuple[Array, Array],
    item: FeatureInput,
    block: tuple[Rows, Array, Array | None],
) -> None:
    """Add the curves of a block: its rows, the weights of all, and how far missing values move predictions."""
    rows, weights, change = block
    of_rows: Any = select_rows(item, weights, rows)
    if isinstance(sums, UnorderedSums):
        of_rows = of_rows[0], None if item.distances is None else item.distances[rows], of_rows[2]
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(curves, tuple):
            sums.add_parallel_curves(*curves, of_rows, change)
        else:
            sums.add(curves, of_rows, change)
    check_changes(sums, item)


def check_changes(sums: Sums, item: FeatureInput) -> None:
    """Refuse changes whose squares are no numbers, and slopes between values that are too close."""
    if sums.changes is None:
        return
    if not np.isfinite(sums.changes.moments.squared).all():
        raise PredictionError(
            f"Predictions must change by at most {LARGEST:g} along a feature; they change by more along "
            f"{quoted(item.feature.readable)}.",
            "Predict on another scale, or leave the feature out with `features=`.",
        )
    with np.errstate(over="ignore"):
        steepest = sums.scale / np.diff(sums.grid).min() if isinstance(sums, OrderedSums) else 0.0
    if not math.isfinite(steepest) or not math.isfinite(sums.changes.deviations):
        raise PredictionError(
            f"Grid values of {quoted(item.feature.readable)} must be further apart than "
            f"{item.scale / LARGEST:.3g}; two are {float(np.diff(sums.grid).min()):.3g} apart.",
            "Write the feature in a smaller unit, or space its values with `grid=`.",
        )


def missing_change(brute: BruteCurves, item: FeatureInput, rows: Rows) -> Array | None:
    """How far the prediction of each row moves when the value goes missing; None where none is. Predicted once."""
    if not item.has_missing:
        return None
    new = rows[np.isnan(item.missing_changes[rows])]
    if len(new):
        values = np.column_stack([item.observed[new], np.full(len(new), np.nan)])
        predictions = brute.evaluate(item.feature, new, values)
        item.missing_changes[new] = np.abs(predictions[:, 1] - predictions[:, 0])
    return item.missing_changes[rows]


def sum_blocks(blocks: Iterable[tuple[Rows, Array]], brute: BruteCurves, item: FeatureInput, weights: Array) -> Sums:
    """Sum blocks of rows and their curves at every grid value."""
    sums = empty_sums(item, weights, compiled=is_worth_compiling([item]))
    for rows, curves in blocks:
        add_block(sums, curves, item, (rows, weights, missing_change(brute, item, rows)))
    sums.finish()
    return sums


def is_worth_compiling(items: Iterable[FeatureInput]) -> bool:
    """Whether so much is added up that loading numba pays; whether it is loaded already must not change results."""
    return HAS_NUMBA and sum(len(item.summed) * item.grid.n_grid for item in items) > _WORTH_COMPILING
