"""The values of a column, or the rules of two, as something to colour lines by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.checks import check_distinct_positions
from ice_explorer.errors import OptionError
from ice_explorer.results.column_colors import LevelColors, column_colors
from ice_explorer.wire.buffers import f32, f64
from ice_explorer.wire.messages import CategoryColorsBody, ContinuousColorsBody

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Column


def colors_of(
    column: Column, positions: Sequence[int], apart: Sequence[str] = ()
) -> tuple[ContinuousColorsBody | CategoryColorsBody, list[bytes]]:
    """Values of a column at some rows, as something to colour by.

    - `positions`: rows of X.
    - `apart`: as for `column_colors`.
    - returns: as `ContinuousColorsBody` and `CategoryColorsBody` lay them out.
    """
    found = column_colors(column, check_distinct_positions(positions, len(column.values)), apart)
    if isinstance(found, LevelColors):
        return _levels(found)
    body = ContinuousColorsBody(
        column=found.column,
        kind="continuous",
        of=found.of,
        domain=found.domain,
        median=found.median,
        levels=found.levels,
        clock=found.clock.changes,
    )
    return body, [f64(found.values)]


def groups_of(feature: FeatureExplanation, positions: Sequence[int]) -> tuple[CategoryColorsBody, list[bytes]]:
    """Which rule of the best two columns together some rows fulfil, as something to colour by.

    - `positions`: rows of X.
    - raises OptionError: if two columns explain no more than the best one.
    """
    found = feature._groups()
    if found is None:
        raise OptionError(
            "Curves can be coloured by the groups of two columns where these explain more of the differences between "
            f"them than one column does; those of {feature.label!r} are explained as well by one.",
            "Colour them by a column.",
        )
    return _levels(found.at(check_distinct_positions(positions, len(found.values))))


def _levels(found: LevelColors) -> tuple[CategoryColorsBody, list[bytes]]:
    body = CategoryColorsBody(
        column=found.column,
        kind="category",
        ordered=found.is_ordered,
        levels=found.levels,
        values=found.places,
        counts=found.counts,
    )
    return body, [f32(found.values)]
