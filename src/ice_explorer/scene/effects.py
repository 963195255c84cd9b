"""ALE and M-plot as lines of a picture; the twin in the browser is `js/src/plots/effects.ts`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from ice_explorer.beyond.effects import local_effects
from ice_explorer.scene.lines import EffectLine, EffectName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.lines import Lines


EFFECTS: Final[tuple[EffectName, ...]] = get_args(EffectName)


def effect_lines(feature: FeatureExplanation, lines: Lines, names: Sequence[EffectName]) -> tuple[EffectLine, ...]:
    """Return the chosen effects; slopes have none.

    On ICE, ALE is shifted to the mean prediction. On c-ICE both are 0 at the anchor; where each curve is 0 at its
    observed value, their mean over the observations is 0.
    """
    if lines.kind == "d-ice" or not names:
        return ()
    found = local_effects(feature)
    heights = {"ale": found.columns["ale"], "m_plot": found.columns["m_plot"] - found.mean_prediction}

    def shift(values: Array) -> float:
        if lines.kind == "ice":
            return found.mean_prediction
        if lines.anchored_at is None:
            return 0.0
        return -_height_at(found.grid, values, lines.anchored_at, are_levels=lines.axis.is_unordered)

    return tuple(EffectLine(name, found.grid, heights[name] + shift(heights[name])) for name in names)


def _height_at(grid: Array, heights: Array, value: float, *, are_levels: bool) -> float:
    """Height at a value: linear between grid values, level beyond them; NaN at a level that is not on the grid."""
    if are_levels and value not in grid:
        return math.nan
    return float(np.interp(value, grid, heights))
