"""Anchors of c-ICE: convert a named value to a position on the axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.curves.transforms import ANCHOR_NAMES, check_anchor
from ice_explorer.errors import InvalidOptionError
from ice_explorer.errors.base import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.curves.transforms import AnchorName
    from ice_explorer.features.feature import Feature


def is_place(anchor: object) -> bool:
    """Whether an anchor is the same on every axis: a name, or a number."""
    if isinstance(anchor, str):
        return anchor in ANCHOR_NAMES
    return isinstance(anchor, (int, float, np.integer, np.floating)) and not isinstance(anchor, bool)


def place_of(feature: Feature, grid: NDArray[np.float64], anchor: object) -> AnchorName | float:
    """Return an anchor as pictures have it.

    - `grid` (n_grid,): coordinates of its grid values.
    - `anchor`: a name, or a value of the feature: a number, a date, a duration, or the label of a level. A label comes
      before a number, and a name before a label. On levels whose labels are no numbers a number is a place, 0 the
      first.
    - returns: the name, or the place: the rank of a level with an order, the position on the grid of one without, else
      the coordinate. It need not be that of a grid value.
    - raises InvalidOptionError: if the feature has no such value, or for a level without an order its grid.
    """
    if isinstance(anchor, str) and is_place(anchor):
        return check_anchor(anchor)
    coordinate = feature.coordinate_of(anchor)
    if feature.levels is None:
        return check_anchor(anchor if coordinate is None else coordinate)
    if coordinate is None and is_place(anchor) and not any(map(is_place, feature.levels.tolist())):
        return check_anchor(anchor)
    at = np.flatnonzero(grid == coordinate)
    if coordinate is None or (feature.is_unordered and at.size == 0):
        levels = feature.native(grid).tolist()
        raise InvalidOptionError(
            "`anchor` of a category must be 'min', 'max', 'median', 'own' or a level on its grid; got "
            f"{quoted(anchor)} for {quoted(feature.readable)}.{did_you_mean(anchor, levels)}",
            f"Its grid is {listed(levels)}.",
        )
    return float(at[0]) if feature.is_unordered else coordinate
