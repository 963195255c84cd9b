"""Positions of dots and of connectors between levels: the twin of `js/src/geometry/levels.ts`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CONNECTED: Final = 0.5  # opacity that connectors reach together, however many they are
_CONNECTOR: Final = 0.4  # share of a line's opacity that its connectors have
_FEW_ROWS: Final = 20  # up to so many rows stand exactly on their level
_MOST_ROOM: Final = 0.34
_MOST_PX: Final = 30.0
_GOLDEN: Final = 0.6180339887498949


def strip_reach(n_rows: int, room: float) -> float:
    """Half the width of the strip in which a level's dots stand, of a level with so much room [px]."""
    if n_rows <= _FEW_ROWS:
        return 0.0
    return min(_MOST_ROOM * room, _MOST_PX, 1.2 * math.sqrt(n_rows))


def place_in_strip(positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Place of each row in the strip, -1 to 1: even, the same at every level and in every picture."""
    return np.asarray(2 * ((positions * _GOLDEN) % 1) - 1)


def strip_ends(centres: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """Both ends of each level's strip, so that connectors run between the strips, not through the dots."""
    return np.column_stack([centres - reach, centres + reach]).ravel()


def connector_opacity(dots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Opacity of the segments between `strip_ends`: two levels are joined as strongly as the likelier one.

    Parameters
    ----------
    dots : ndarray of shape (n_lines, n_levels)
        Opacity of the dots.

    Returns
    -------
    ndarray of shape (n_lines, 2 · n_levels - 1)
        0 within the strips.
    """
    n_lines, n_levels = dots.shape
    opacity = np.zeros((n_lines, 2 * n_levels - 1))
    opacity[:, 1::2] = _CONNECTOR * np.maximum(dots[:, :-1], dots[:, 1:])
    return opacity
