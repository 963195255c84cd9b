"""What the colours of lines mean, and the colours of some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.features.dates import span_texts
from ice_explorer.results.column_colors import LevelColors, column_colors
from ice_explorer.scene.palette import (
    diverging_palette,
    is_diverging,
    level_palette,
    plain_palette,
    ramp_palette,
    split_palette,
)
from ice_explorer.scene.two_sides import Together, ramp_writer, split_colors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.results.column_colors import RampColors
    from ice_explorer.scene.palette import Palette
    from ice_explorer.scene.two_sides import Split


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
