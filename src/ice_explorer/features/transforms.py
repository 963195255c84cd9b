"""What is derived from ICE curves without the model: c-ICE and d-ICE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from ice_explorer.checks import to_float_array
from ice_explorer.errors import InvalidOptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

AnchorName = Literal["min", "max", "median", "own"]
ANCHOR_NAMES: tuple[AnchorName, ...] = ("min", "max", "median", "own")


def slopes(curves: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return d-ICE, (n_observations, n_grid - 1) [output / feature]: finite differences along each grid interval.

    - `curves` (n_observations, n_grid), `grid` (n_grid,).
    """
    return np.diff(curves, axis=1) / np.diff(grid)


def is_shared_anchor(anchor: object) -> bool:
    """Return whether an anchor is the same on every axis: a name, or a number."""
    if isinstance(anchor, str):
        return anchor in ANCHOR_NAMES
    return isinstance(anchor, (int, float, np.integer, np.floating)) and not isinstance(anchor, bool)


def check_anchor(anchor: object) -> AnchorName | float:
    """Return an anchor, or say what it may be."""
    if is_shared_anchor(anchor):
        value = anchor if isinstance(anchor, str) else to_float_array(anchor)
        if isinstance(value, str) or (value is not None and np.isfinite(value)):
            return cast("AnchorName", value) if isinstance(value, str) else float(value)
    raise InvalidOptionError.must(
        "anchor",
        "be 'min', 'max', 'median', 'own' or a finite value of the feature",
        anchor,
        "The nearest grid value is used for a number.",
    )


def anchor_index(grid: NDArray[np.float64], median: float, anchor: AnchorName | float) -> int | None:
    """Return the position on the grid (n_grid,) at which centred curves are 0; None for the anchor "own".

    It is the first or last grid value, or the one nearest to the median of the feature or to a number.
    """
    if anchor == "own":
        return None
    if anchor in ("min", "max"):
        return 0 if anchor == "min" else len(grid) - 1
    value = median if anchor == "median" else float(anchor)
    return int(np.argmin(np.abs(grid - value)))  # of two equally near ones the lower
