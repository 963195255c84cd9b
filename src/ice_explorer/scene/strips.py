"""Dots of levels and missing values, and connectors between levels: the twin of `js/src/plot/geometry/levels.ts`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.scene.lines import Lines

MOST_CONNECTED: Final = 0.5  # opacity that connectors reach together, however many they are
_CONNECTOR: Final = 0.4  # share of a line's opacity that its connectors have
_FEW_ROWS: Final = 20  # up to so many rows stand exactly on their level
_FEW_DOTS: Final = 60
_CROWD: Final = 200  # lines from which the dots are small
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
    """Opacity of the segments between `strip_ends`, (n_lines, 2 · n_levels - 1), by that of the dots of both levels.

    Two levels are joined as strongly as the likelier one; within the strips there is nothing.
    """
    n_lines, n_levels = dots.shape
    opacity = np.zeros((n_lines, 2 * n_levels - 1))
    opacity[:, 1::2] = _CONNECTOR * np.maximum(dots[:, :-1], dots[:, 1:])
    return opacity


@dataclass(frozen=True)
class Dots:
    """Predictions at levels other than the observed one, and with the value missing; one entry for each dot.

    `level` is the place on the axis, NaN beside it, `line` the index of the line, and `radius` that of all dots [px].
    """

    level: NDArray[np.float64]
    value: NDArray[np.float64]
    opacity: NDArray[np.float64]
    line: NDArray[np.intp]
    radius: float


def phantom_dots(lines: Lines) -> Dots:
    """Return the dots of phantom observations, shuffled: none should hide the others."""
    n_lines = len(lines.positions)
    levels, values, opacity = np.empty(0), np.empty((n_lines, 0)), np.empty((n_lines, 0))
    if lines.on_levels:
        levels, values, opacity = lines.grid, lines.values, lines.dot_opacity
    if lines.missing is not None:
        levels = np.append(levels, math.nan)
        values = np.column_stack([values, lines.missing.values])
        opacity = np.column_stack([opacity, np.full(n_lines, lines.missing.opacity)])
    observed = lines.own_x[:, None]
    is_phantom = (levels != observed) & ~(np.isnan(levels) & np.isnan(observed))
    line, level = (each[np.random.default_rng(0).permutation(is_phantom.sum())] for each in np.nonzero(is_phantom))
    is_few = n_lines <= _FEW_DOTS
    strength = 0.9 if is_few else 0.7 * (_FEW_DOTS / n_lines) ** 0.25
    return Dots(levels[level], values[line, level], strength * opacity[line, level], line, 1.5 if is_few else 1.1)


def observed_dot(lines: Lines) -> tuple[float, float]:
    """Radius [px] and opacity of the dots at observed values; on levels, among many others, they are larger."""
    radius, opacity = (1.1, 0.6) if len(lines.positions) > _CROWD else (1.9, 0.95)
    return (1.4 * max(radius, 1.3), 0.95) if lines.on_levels else (radius, opacity)
