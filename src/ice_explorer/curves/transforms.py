"""What is derived from ICE curves without the model: c-ICE and d-ICE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.errors import InvalidOptionError
from ice_explorer.real import real_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

AnchorName = Literal["min", "max", "median", "own"]
ANCHOR_NAMES: tuple[AnchorName, ...] = ("min", "max", "median", "own")


def slopes(curves: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finite differences of the curves: d-ICE.

    Parameters
    ----------
    curves : ndarray of shape (n_observations, n_grid)
    grid : ndarray of shape (n_grid,)

    Returns
    -------
    ndarray of shape (n_observations, n_grid - 1)
        [output / feature]; column k belongs to the interval from grid value k to k + 1.
    """
    return np.diff(curves, axis=1) / np.diff(grid)


def nearest_index(grid: NDArray[np.float64], value: float) -> int:
    """Position of the grid value nearest to `value`; of two equally near ones the lower."""
    return int(np.argmin(np.abs(grid - value)))


def own_values(
    curves: NDArray[np.float64], grid: NDArray[np.float64], observed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Value of each curve at the observation's own value.

    Linear between grid values, the end value beyond them: exact where the own value is a grid
    value, as it is on the default grid.

    Returns
    -------
    ndarray of shape (n_observations,)
    """
    if len(grid) == 1:
        return curves[:, 0].copy()
    right = np.clip(np.searchsorted(grid, observed), 1, len(grid) - 1)
    share = np.clip((observed - grid[right - 1]) / (grid[right] - grid[right - 1]), 0.0, 1.0)
    rows = np.arange(len(curves))
    low, high = curves[rows, right - 1], curves[rows, right]
    between = low + share * (high - low)
    return np.where(share == 1.0, high, between)


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
    raise InvalidOptionError.anchor(anchor)


def centered_curves(
    curves: NDArray[np.float64],
    grid: NDArray[np.float64],
    observed: NDArray[np.float64],
    median: float,
    anchor: AnchorName | float = "min",
) -> NDArray[np.float64]:
    """Change of each curve since the anchor: c-ICE.

    Parameters
    ----------
    curves : ndarray of shape (n_observations, n_grid)
    grid : ndarray of shape (n_grid,)
    observed : ndarray of shape (n_observations,)
        Own values, none missing; used by the anchor "own".
    median : float
        Median of the feature over all observations; used by the anchor "median".
    anchor : {"min", "max", "median", "own"} or float
        The first or last grid value, the grid value nearest to the median, each observation's own
        value, or the grid value nearest to a number.

    Returns
    -------
    ndarray of shape (n_observations, n_grid)
        [output], 0 at the anchor.
    """
    if anchor == "own":
        return curves - own_values(curves, grid, observed)[:, None]
    if anchor == "min":
        position = 0
    elif anchor == "max":
        position = len(grid) - 1
    else:
        position = nearest_index(grid, median if anchor == "median" else float(anchor))
    return curves - curves[:, [position]]
