"""The sentence of a feature about several effects: how groups of rows differ, or that rows change both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from ice_explorer.drivers.candidates import second_features
from ice_explorer.features.axis_text import column_format
from ice_explorer.scene.display_axis import display_axis, place_writer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.arrays import Places, Rows
    from ice_explorer.drivers.drivers import Driver, Drivers
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Column

Parts: TypeAlias = "tuple[tuple[str, int | None], ...]"
"""Texts of a sentence, each with the number of the group that it is about; None where it is about none."""

_DRAWN_ROWS: Final = 1000  # whose curves tell how far rows differ
_LEAST_TURN: Final = 0.1  # of the range of a mean: where it exceeds both ends by more, its extrema are named
_LEAST_DIFFERENCE: Final = 0.2  # of the largest change: groups that differ by less have one effect
_FLAT: Final = 0.1  # of the largest change in a group
_RARE: Final = 0.01  # of the rows of a group have values below those that it is compared at, and as many above
_LEAST_OUTSIDE: Final = 0.05  # of all rows: if fewer have values that are rare in a group, all values are compared


def effects_sentence(feature: FeatureExplanation, drivers: Drivers) -> Parts:
    """Return how the prediction changes in both groups of the best split, or that rows change both ways.

    Nothing where one effect describes all rows.
    """
    return _split_sentence(feature, drivers.reported[0]) if drivers.reported else _fan_sentence(feature)


def _split_sentence(feature: FeatureExplanation, driver: Driver) -> Parts:
    """Describe how the mean changes along a feature, and in both groups of its best split; nothing where these agree.

    The change is that from the lowest to the highest value, or between the extrema of a mean that turns in between.
    Where few rows of one of the groups have values that many of the other have, it is that among values of both.
    """
    rows, curves = feature._compared_curves(_DRAWN_ROWS)
    seconds = second_features(feature._context.columns, feature._item.feature)
    sides = _sides_of(next(each for each in seconds if each.label == driver.column), rows, driver)
    weights = feature._context.row_weights[rows]
    masses = [float(weights[sides == side].sum()) for side in (0, 1)]
    if not all(masses):
        return ()
    groups = [weights[sides == side] @ curves[sides == side] / masses[side] for side in (0, 1)]
    axis = display_axis(feature._item.feature, feature.axis)
    places = np.arange(len(axis.grid))
    if not axis.is_unordered:
        places = _common_places(axis.grid, feature._item.feature.values[rows], sides)
    if not len(places):
        return ()
    steepest = max(groups, key=lambda mean: np.ptp(mean[places]))
    start, end, is_turning = _ends_of(steepest[places], is_unordered=axis.is_unordered)
    start, end = int(places[start]), int(places[end])
    changes = [float(mean[end] - mean[start]) for mean in (*groups, feature.partial_dependence)]
    largest = max(map(abs, changes))
    if abs(changes[1] - changes[0]) <= _LEAST_DIFFERENCE * largest:
        return ()
    digits, place = column_format([largest]), place_writer(axis)
    if axis.kind == "numeric" and not np.array_equal(axis.grid, np.round(axis.grid)):
        place = column_format(axis.grid.tolist())  # to three digits of the largest

    def write(change: float) -> str:
        return f"{'+' if change > 0 else ''}{digits(change)}"

    is_part = is_turning or len(places) < len(axis.grid)
    between = f"From {place(axis.grid[start])} to {place(axis.grid[end])}: " if is_part else ""
    is_flat = abs(changes[2]) < _FLAT * largest
    average = "hardly any change" if is_flat else write(changes[2])
    if not between and is_flat:
        average = average.capitalize()
    named = int(driver.rule.startswith(driver.sides[1]))
    return (
        (f"{between}{average} on average, but not one effect: ", None),
        (f"{write(changes[named])} where {driver.rule}", named),
        (", ", None),
        (f"{write(changes[1 - named])} elsewhere", 1 - named),
        (".", None),
    )


def _common_places(grid: NDArray[np.float64], values: NDArray[np.float64], sides: NDArray[np.int64]) -> Places:
    """Return the grid values that both groups have, or all where nearly all rows have such values.

    - `values`, `sides` (n_rows,): observed values of the feature, NaN where missing, and the group of each row.
    """
    present = ~np.isnan(values)
    observed = [values[present & (sides == side)] for side in (0, 1)]
    if not all(map(len, observed)):
        return np.empty(0, np.intp)
    ends = np.array([np.quantile(each, [_RARE, 1 - _RARE]) for each in observed])
    low, high = ends[:, 0].max(), ends[:, 1].min()
    is_common = (values[present] >= low) & (values[present] <= high)
    if is_common.mean() > 1 - _LEAST_OUTSIDE:
        return np.arange(len(grid))
    return np.flatnonzero((grid >= low) & (grid <= high))


def _fan_sentence(feature: FeatureExplanation) -> Parts:
    """Return a sentence where rows change both ways around a flat mean; nothing elsewhere, or without an order."""
    axis = display_axis(feature._item.feature, feature.axis)
    if axis.is_unordered or len(axis.grid) < 2:
        return ()
    rows = feature._draw(_DRAWN_ROWS)
    curves = feature.compute_curves(rows)
    changes = curves[:, -1] - curves[:, 0]
    average = float(feature.partial_dependence[-1] - feature.partial_dependence[0])
    low, high = np.quantile(changes, [0.05, 0.95]).tolist() if len(changes) else (0.0, 0.0)
    if not (low < 0 < high) or abs(average) > _FLAT * min(-low, high):
        return ()
    write = column_format([low, high])
    text = f"Hardly any change on average, but rows differ: the middle 90 % change by {write(low)} to +{write(high)}."
    return ((text, None),)


def _sides_of(second: Column, rows: Rows, driver: Driver) -> NDArray[np.int64]:
    """Return the side of each row, 0 or 1; -1 where the value is missing."""
    values = second.values[rows]
    if driver.levels is None:
        is_above = values > driver.threshold
    else:
        is_above = np.isin(
            values, [place for place, level in enumerate(second.level_texts or ()) if level in driver.levels]
        )
    return np.where(np.isnan(values), -1, is_above)


def _ends_of(mean: NDArray[np.float64], *, is_unordered: bool) -> tuple[int, int, bool]:
    """Return where a change begins and ends, in the order of the axis, and whether these are extrema inside of it."""
    low, high = sorted((int(mean.argmin()), int(mean.argmax())))
    turn = _LEAST_TURN * np.ptp(mean)
    goes_beyond = mean.min() < min(mean[0], mean[-1]) - turn or mean.max() > max(mean[0], mean[-1]) + turn
    is_turning = bool(goes_beyond or (is_unordered and len(mean) > 1))
    return (low, high, True) if is_turning else (0, len(mean) - 1, False)
