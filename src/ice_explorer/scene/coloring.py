"""What the colours of lines mean, and the colours of some rows.

Lines have the colours of a column, or two colours on either side of its median or of a rule, or those of the groups of
several rules; the twin is `js/src/state/two_sides.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from ice_explorer.features.axis_text import axis_number, writer
from ice_explorer.features.dates import span_texts
from ice_explorer.results.column_colors import LevelColors, RampColors, column_colors
from ice_explorer.scene.palette import (
    diverging_palette,
    is_diverging,
    level_palette,
    plain_palette,
    ramp_palette,
    split_palette,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Mask
    from ice_explorer.drivers.drivers import Driver
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.column_colors import ColumnColors
    from ice_explorer.scene.palette import Palette

    Sides: TypeAlias = Literal["median"] | Driver | None
    Split: TypeAlias = "Sides | Together"


_BELOW, _ABOVE, _MISSING = range(3)
_MISSING_NAME: Final = "missing"


@dataclass(frozen=True)
class Coloring:
    """What the colours of the lines mean.

    - `title`: label of the column; None where all lines have one colour.
    - `values` (n_lines,): 0 to 1 on the ramp, or the index of a level; NaN is missing.
    - `domain`: ends of the ramp, in the units of the column; `ends` as they are written.
    - `has_named_ends`: whether they are dates, durations or ranks, so that no number between them says anything.
    - `is_ordered`: whether the levels have an order, and their colours are those of a ramp.
    """

    title: str | None
    palette: Palette
    values: NDArray[np.float32]
    domain: tuple[float, float] | None = None
    ends: tuple[str, str] = ("", "")
    has_named_ends: bool = False
    levels: tuple[str, ...] = ()
    is_ordered: bool = False

    @property
    def n_missing(self) -> int:
        """Lines without a value."""
        return int(np.isnan(self.values).sum())


def coloring_of(
    explanation: Explanation,
    color_by: str | None,
    positions: NDArray[np.int64],
    split: Split = None,
) -> Coloring:
    """Colour some rows by a column, or by the side of a split that they are on, as the browser does."""
    if isinstance(split, Together):
        groups = split.feature._groups()
        assert groups is not None  # noqa: S101 - or there would be no such split
        return _by_level(groups.at(positions))
    if color_by is None:
        return Coloring(None, plain_palette(), np.zeros(len(positions), dtype=np.float32))
    column = explanation._column(color_by)
    apart = () if split is None or split == "median" else split.levels or ()
    colors = column_colors(column, positions, apart)
    sides = split_colors(colors, split)
    if sides is not None:
        names, on = sides
        return Coloring(column.label, split_palette(), on.astype(np.float32), levels=names)
    if isinstance(colors, LevelColors):
        return _by_level(colors)
    low, high = colors.domain
    share = np.clip((colors.values - low) / (high - low), 0, 1) if high > low else colors.values * 0 + 0.5
    return Coloring(
        column.label,
        diverging_palette() if is_diverging(colors.domain) else ramp_palette(),
        share.astype(np.float32),
        domain=(low, high),
        ends=_ramp_ends(colors),
        has_named_ends=colors.of != "numeric",
    )


def _by_level(colors: LevelColors) -> Coloring:
    palette = level_palette(len(colors.levels), ordered=colors.is_ordered)
    values, levels = colors.values.astype(np.float32), tuple(colors.levels)
    return Coloring(colors.column, palette, values, levels=levels, is_ordered=colors.is_ordered)


def _ramp_ends(colors: RampColors) -> tuple[str, str]:
    low, high = colors.domain
    if colors.of == "datetime":
        return span_texts(low, high, colors.clock)
    write = ramp_writer(colors)
    return write(low), write(high)


@dataclass(frozen=True, eq=False)
class Together:
    """The groups of the two columns that explain most of the differences between the curves of a feature."""

    feature: FeatureExplanation


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
