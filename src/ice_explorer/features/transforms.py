"""What is derived from ICE curves without the model: c-ICE and d-ICE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.checks import real_numbers
from ice_explorer.errors import InvalidOptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

AnchorName = Literal["min", "max", "median", "own"]
ANCHOR_NAMES: tuple[AnchorName, ...] = ("min", "max", "median", "own")


def slopes(curves: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finite differences of the curves: d-ICE.

    - `curves` (n_observations, n_grid), `grid` (n_grid,).
    - returns (n_observations, n_grid - 1): [output / feature]; column k belongs to the interval from grid value k to k
      + 1.
    """
    return np.diff(curves, axis=1) / np.diff(grid)


def check_anchor(anchor: object) -> AnchorName | float:
    """Return an anchor, or say what it may be."""
    if isinstance(anchor, str):
        for name in ANCHOR_NAMES:
            if anchor == name:
                return name
    if isinstance(anchor, (int, float, np.integer, np.floating)) and not isinstance(anchor, bool):
        value = real_numbers(anchor)
        if value is not None and np.isfinite(value):
            return float(value)
    raise InvalidOptionError.must(
        "anchor",
        "be 'min', 'max', 'median', 'own' or a finite value of the feature",
        anchor,
        "The nearest grid value is used for a number.",
    )


def anchor_index(grid: NDArray[np.float64], median: float, anchor: AnchorName | float) -> int | None:
    """Return the position on the grid at which centred curves are 0; None for the anchor "own".

    - `grid` (n_grid,).
    - `median`: median of the feature over all observations; used by the anchor "median".
    - `anchor`: the first or last grid value, the grid value nearest to the median, the observed value of each row, or
      the grid value nearest to a number.
    """
    if anchor == "own":
        return None
    if anchor in ("min", "max"):
        return 0 if anchor == "min" else len(grid) - 1
    value = median if anchor == "median" else float(anchor)
    return int(np.argmin(np.abs(grid - value)))  # of two equally near ones the lower
