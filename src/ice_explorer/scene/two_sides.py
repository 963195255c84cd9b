"""Lines in two colours, on either side of the median or of a rule, or by the groups of several rules.

The twin of `js/src/store/two_sides.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from ice_explorer.features.axis_text import axis_number, writer
from ice_explorer.results.column_colors import LevelColors, RampColors

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.arrays import Array, Mask
    from ice_explorer.drivers.drivers import Driver
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.column_colors import ColumnColors

    Sides: TypeAlias = Literal["median"] | Driver | None

_BELOW, _ABOVE, _MISSING = range(3)
_MISSING_NAME: Final = "missing"


@dataclass(frozen=True, eq=False)
class Together:
    """The groups of the two columns that explain most of the differences between the curves of a feature."""

    feature: FeatureExplanation


if TYPE_CHECKING:
    Split: TypeAlias = Sides | Together


def split_of(coloring: str, column: str | None, feature: FeatureExplanation) -> Split:
    """Return the split by the `coloring` that a reader chose: "value", "median", "driver" or "together".

    A column that explains nothing of the open feature is not split.
    """
    if coloring == "together" and feature._search_drivers().combined.columns:
        return Together(feature)
    if column is None or coloring in ("value", "together"):
        return None
    if coloring == "median":
        return "median"
    return next((driver for driver in feature._search_drivers().reported if driver.column == column), None)


def split_colors(colors: ColumnColors, split: Sides) -> tuple[tuple[str, ...], Array] | None:
    """Return two levels, or three with missing values, and that of each line; None where nothing is split."""
    if split is None:
        return None
    is_above = _side_of(colors, split)
    if is_above is None:
        return None
    values = colors.values
    missing = np.isnan(values)
    sides = np.where(missing, _MISSING, np.where(is_above(np.where(missing, 0, values)), _ABOVE, _BELOW))
    names = (*_names_of(colors, split), _MISSING_NAME)
    return names[: 3 if missing.any() else 2], sides.astype(np.float64)


def _side_of(colors: ColumnColors, split: Literal["median"] | Driver) -> Callable[[Array], Mask] | None:
    """Return a function for the side of a value (or index of a level); None where the colours have no split."""
    if isinstance(colors, RampColors):
        at = colors.median if split == "median" else split.threshold
        return None if math.isnan(at) else lambda value: value > at
    if split == "median":
        return None
    if split.levels is not None:
        inside = np.isin(colors.levels, split.levels)
    elif colors.places is None or math.isnan(split.threshold):
        return None
    else:
        inside = np.array(colors.places) > split.threshold
    return lambda level: np.asarray(inside[level.astype(np.intp)])


def _names_of(colors: ColumnColors, split: Literal["median"] | Driver) -> tuple[str, str]:
    if split != "median":
        return split.sides
    if isinstance(colors, LevelColors):  # which have no median
        return "", ""
    at = ramp_writer(colors)(colors.median)
    return f"{colors.column} ≤ {at}", f"{colors.column} > {at}"


def ramp_writer(colors: RampColors) -> Callable[[float], str]:
    """How a value of a column is written that colours along a ramp."""
    levels = colors.levels
    grid = np.array(colors.domain if levels is None else range(len(levels)), dtype=np.float64)
    return writer(colors.of, grid, levels, axis_number(grid), colors.clock)
