"""What the colours of lines mean.

Lines have the colours of a column, or two colours on either side of its median or of a rule; the twin is
`js/src/state/two_sides.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ice_explorer.features.axis_text import axis_number, span_texts, writer
from ice_explorer.results.column_colors import LevelColors, RampColors, column_colors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.drivers.drivers import Driver
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.column_colors import ColumnColors

    Split: TypeAlias = Literal["median"] | Driver | None


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
    values: NDArray[np.float32]
    domain: tuple[float, float] | None = None
    ends: tuple[str, str] = ("", "")
    has_named_ends: bool = False
    levels: tuple[str, ...] = ()
    is_ordered: bool = False

    @classmethod
    def of_ramp(
        cls, title: str, values: Array, domain: tuple[float, float], ends: tuple[str, str], *, has_named_ends: bool
    ) -> Coloring:
        """Colour numbers along a ramp; those beyond its ends as the ends."""
        low, high = domain
        share = np.clip((values - low) / (high - low), 0, 1) if high > low else values * 0 + 0.5
        return cls(title, share.astype(np.float32), domain, ends, has_named_ends)


def coloring_of(explanation: Explanation, color_by: str | None, positions: Rows, split: Split = None) -> Coloring:
    """Colour some rows by a column, or by the side of a split that they are on, as the browser does."""
    if color_by is None:
        return Coloring(None, np.zeros(len(positions), dtype=np.float32))
    column = explanation._column(color_by)
    apart = () if split is None or split == "median" else split.levels or ()
    colors = column_colors(column, positions, apart)
    sides = split_colors(colors, split)
    if sides is not None:
        names, on = sides
        return Coloring(column.label, on.astype(np.float32), levels=names)
    if isinstance(colors, LevelColors):
        values, levels = colors.values.astype(np.float32), tuple(colors.levels)
        return Coloring(colors.column, values, levels=levels, is_ordered=colors.is_ordered)
    is_date = colors.of == "datetime"
    first, last = span_texts(*colors.domain, colors.clock) if is_date else (_write(colors, at) for at in colors.domain)
    is_named = colors.of != "numeric"
    return Coloring.of_ramp(column.label, colors.values, colors.domain, (first, last), has_named_ends=is_named)


def split_of(coloring: str, column: str | None, feature: FeatureExplanation) -> Split:
    """Return the split by the `coloring` that a reader chose: "value", "median" or "driver".

    A column that explains nothing of the open feature is not split.
    """
    if column is None or coloring == "value":
        return None
    if coloring == "median":
        return "median"
    return next((driver for driver in feature._search_drivers().reported if driver.column == column), None)


def split_colors(colors: ColumnColors, split: Split) -> tuple[tuple[str, ...], Array] | None:
    """Return two levels, or three with missing values, and that of each line; None where nothing is split."""
    if split is None:
        return None
    missing = np.isnan(colors.values)
    values = np.where(missing, 0, colors.values)
    names = ("", "") if split == "median" else split.sides
    if isinstance(colors, RampColors):
        threshold = colors.median if split == "median" else split.threshold
        if math.isnan(threshold):
            return None
        is_above = values > threshold
        if split == "median":
            at = _write(colors, threshold)
            names = f"{colors.column} ≤ {at}", f"{colors.column} > {at}"
    elif split == "median":
        return None
    elif split.levels is not None:
        is_above = np.isin(colors.levels, split.levels)[values.astype(np.intp)]
    elif colors.places is None or math.isnan(split.threshold):
        return None
    else:
        is_above = (np.array(colors.places) > split.threshold)[values.astype(np.intp)]
    return (*names, *(["missing"] if missing.any() else [])), np.where(missing, 2.0, is_above.astype(np.float64))


def _write(colors: RampColors, value: float) -> str:
    """Write a value of a column that colours along a ramp."""
    grid = np.array(colors.domain if colors.levels is None else range(len(colors.levels)), dtype=np.float64)
    return writer(colors.of, grid, colors.levels, axis_number(grid), colors.clock)(value)
