"""Colours of lines on paper, the light theme of `js/src/plot/geometry/palette.ts`.

Readable with every common kind of colour vision: a ramp without its yellow end, which white paper
swallows, and the hues of Okabe and Ito.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Rgb = tuple[int, int, int]

# matplotlib's viridis (CC0) at 18 places from 0 to 0.86; straight in between.
_RAMP_KNOTS: Final = (
    *("#440154", "#471365", "#482475", "#463480", "#414487", "#3b528b", "#34608d", "#2e6d8e", "#29798e"),
    *("#25858e", "#20928c", "#1f9e89", "#24aa83", "#32b67a", "#48c16e", "#63cb5f", "#81d34d", "#a2da37"),
)
# ColorBrewer's RdBu (Apache 2.0) the other way round, with a middle that shows; on light and on dark backgrounds.
_DIVERGING_KNOTS: Final = {
    False: ("#053061", "#2166ac", "#4393c3", "#92c5de", "#c2c2c2", "#f4a582", "#d6604d", "#b2182b", "#67001f"),
    True: ("#92c5de", "#4393c3", "#606060", "#d6604d", "#f4a582"),
}
_HUES: Final = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9")
_MORE_HUES: Final = {False: ("#3d1466", "#682c00"), True: ("#f0e442", "#e6e6e6")}  # on light and on dark backgrounds
_OTHER: Final = {False: "#9a9a9a", True: "#8c8c8c"}
_MISSING: Final = "#b4b4b4"
PICK: Final = "#c2410c"  # what is selected
_PLAIN: Final = "#3f6d9b"
ALE: Final = "#00796b"
M_PLOT: Final = "#8a6500"
UNLIKE: Final = "#b3261e"
_SIDES: Final = ("#1b5fa8", "#b2182b")  # of `js/src/plot/geometry/split_palette.ts`


def rgb_of(text: str) -> Rgb:
    """Red, green and blue of "#rrggbb"."""
    word = int(text[1:], 16)
    return word >> 16, (word >> 8) & 255, word & 255


@dataclass(frozen=True)
class Palette:
    """256 colours along a ramp, or one for each level, as red, green and blue; another for missing values."""

    kind: Literal["ramp", "levels"]
    colors: NDArray[np.uint8]
    missing: Rgb

    def css(self, value: float) -> str:
        """Return the colour of a place on the ramp (0 to 1) or of a level as "#rrggbb"; NaN is missing."""
        rgb: Sequence[int] = self.missing
        if not math.isnan(value):
            last = len(self.colors) - 1
            at = math.floor(min(1.0, max(0.0, value)) * last + 0.5) if self.kind == "ramp" else min(last, int(value))
            rgb = self.colors[at].tolist()
        return "#{:02x}{:02x}{:02x}".format(*rgb)


def ramp_palette() -> Palette:
    """256 colours for a continuous feature."""
    return _between(_RAMP_KNOTS)


def is_diverging(domain: tuple[float, float]) -> bool:
    """Return whether 0 is in the middle of a ramp, which then has a colour for each sign."""
    return domain[0] < 0 and domain[0] == -domain[1]


def diverging_palette(*, is_dark: bool = False) -> Palette:
    """256 colours for a ramp with 0 in the middle, on a light or dark background."""
    return _between(_DIVERGING_KNOTS[is_dark])


def _between(hexes: Sequence[str]) -> Palette:
    knots = np.array([rgb_of(text) for text in hexes], dtype=np.float64)
    at = np.arange(256) / 255 * (len(knots) - 1)
    colors = np.column_stack([np.interp(at, np.arange(len(knots)), channel) for channel in knots.T])
    return Palette("ramp", np.floor(colors + 0.5).astype(np.uint8), rgb_of(_MISSING))


def level_palette(n_levels: int, *, ordered: bool) -> Palette:
    """Colours of so many levels: along a ramp where they have an order, distinct hues where not.

    The hues are eight; whatever comes after is what was lumped together as "other".
    """
    if ordered:
        at = np.floor(255 * np.arange(n_levels) / max(1, n_levels - 1) + 0.5).astype(int)
        return Palette("levels", ramp_palette().colors[at], rgb_of(_MISSING))
    return _levels(hues(n_levels))


def hues(n_levels: int, *, is_dark: bool = False) -> list[str]:
    """Return distinct colours for so many levels on a light or dark background."""
    told_apart = (*_HUES, *_MORE_HUES[is_dark])
    return [told_apart[level] if level < len(told_apart) else _OTHER[is_dark] for level in range(n_levels)]


def plain_palette() -> Palette:
    """One colour for all lines, as level 0."""
    return _levels([_PLAIN])


def split_palette() -> Palette:
    """Two sides of a split, and a third level for what is missing."""
    return _levels([*_SIDES, _MISSING])


def _levels(colors: Sequence[str]) -> Palette:
    return Palette("levels", np.array([rgb_of(text) for text in colors], dtype=np.uint8), rgb_of(_MISSING))
