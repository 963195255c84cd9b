"""What the colours of lines mean, and the palettes: the light theme of `js/src/plot/geometry/palette.ts`.

Lines have the colours of a column, or two colours on either side of its median or of a rule, or those of the groups of
several rules; the twin is `js/src/state/two_sides.ts`. Palettes are readable with every common kind of colour vision: a
ramp without its yellow end, which white paper swallows, and the hues of Okabe and Ito.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from ice_explorer.features.axis_text import axis_number, span_texts, writer
from ice_explorer.results.column_colors import LevelColors, RampColors, column_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.drivers.drivers import Driver
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.column_colors import ColumnColors

    Sides: TypeAlias = Literal["median"] | Driver | None
    Split: TypeAlias = Sides | LevelColors

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


# --- palettes -------------------------------------------------------------------------------------


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


def _rgb(text: str) -> Rgb:
    """Red, green and blue of "#rrggbb"."""
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue


def _between(hexes: Sequence[str]) -> Palette:
    knots = np.array([_rgb(text) for text in hexes], dtype=np.float64)
    at = np.arange(256) / 255 * (len(knots) - 1)
    colors = np.column_stack([np.interp(at, np.arange(len(knots)), channel) for channel in knots.T])
    return Palette("ramp", np.floor(colors + 0.5).astype(np.uint8), _rgb(_MISSING))


def _levels(colors: Sequence[str]) -> Palette:
    return Palette("levels", np.array([_rgb(text) for text in colors], dtype=np.uint8), _rgb(_MISSING))


def ramp_palette() -> Palette:
    """256 colours for a continuous feature."""
    return _between(_RAMP_KNOTS)


def diverging_palette(*, is_dark: bool = False) -> Palette:
    """256 colours for a ramp with 0 in the middle, on a light or dark background."""
    return _between(_DIVERGING_KNOTS[is_dark])


def is_diverging(domain: tuple[float, float]) -> bool:
    """Return whether 0 is in the middle of a ramp, which then has a colour for each sign."""
    return domain[0] < 0 and domain[0] == -domain[1]


def hues(n_levels: int, *, is_dark: bool = False) -> list[str]:
    """Return distinct colours for so many levels on a light or dark background.

    They are eight; whatever comes after is what was lumped together as "other".
    """
    distinct = (*_HUES, *_MORE_HUES[is_dark])
    return [*distinct[:n_levels], *[_OTHER[is_dark]] * (n_levels - len(distinct))]


def level_palette(n_levels: int, *, ordered: bool) -> Palette:
    """Colours of so many levels: along a ramp where they have an order, distinct hues where not."""
    if not ordered:
        return _levels(hues(n_levels))
    at = np.floor(255 * np.arange(n_levels) / max(1, n_levels - 1) + 0.5).astype(int)
    return Palette("levels", ramp_palette().colors[at], _rgb(_MISSING))


def plain_palette() -> Palette:
    """One colour for all lines, as level 0."""
    return _levels([_PLAIN])


# --- what colours mean ----------------------------------------------------------------------------


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

    @classmethod
    def of_ramp(
        cls, title: str, values: Array, domain: tuple[float, float], ends: tuple[str, str], *, has_named_ends: bool
    ) -> Coloring:
        """Colour numbers along a ramp; those beyond its ends as the ends."""
        low, high = domain
        share = np.clip((values - low) / (high - low), 0, 1) if high > low else values * 0 + 0.5
        palette = diverging_palette() if is_diverging(domain) else ramp_palette()
        return cls(title, palette, share.astype(np.float32), domain, ends, has_named_ends)


def coloring_of(explanation: Explanation, color_by: str | None, positions: Rows, split: Split = None) -> Coloring:
    """Colour some rows by a column, or by the side of a split that they are on, as the browser does."""
    if isinstance(split, LevelColors):
        return _by_level(split.at(positions))
    if color_by is None:
        return Coloring(None, plain_palette(), np.zeros(len(positions), dtype=np.float32))
    column = explanation._column(color_by)
    apart = () if split is None or split == "median" else split.levels or ()
    colors = column_colors(column, positions, apart)
    sides = split_colors(colors, split)
    if sides is not None:
        names, on = sides
        return Coloring(column.label, _levels([*_SIDES, _MISSING]), on.astype(np.float32), levels=names)
    if isinstance(colors, LevelColors):
        return _by_level(colors)
    is_date = colors.of == "datetime"
    first, last = span_texts(*colors.domain, colors.clock) if is_date else (_write(colors, at) for at in colors.domain)
    is_named = colors.of != "numeric"
    return Coloring.of_ramp(column.label, colors.values, colors.domain, (first, last), has_named_ends=is_named)


def _by_level(colors: LevelColors) -> Coloring:
    palette = level_palette(len(colors.levels), ordered=colors.is_ordered)
    values, levels = colors.values.astype(np.float32), tuple(colors.levels)
    return Coloring(colors.column, palette, values, levels=levels, is_ordered=colors.is_ordered)


def split_of(coloring: str, column: str | None, feature: FeatureExplanation) -> Split:
    """Return the split by the `coloring` that a reader chose: "value", "median", "driver" or "together".

    A column that explains nothing of the open feature is not split.
    """
    groups = feature._groups() if coloring == "together" else None
    if groups is not None:
        return groups
    if column is None or coloring in ("value", "together"):
        return None
    if coloring == "median":
        return "median"
    return next((driver for driver in feature._search_drivers().reported if driver.column == column), None)


def split_colors(colors: ColumnColors, split: Sides) -> tuple[tuple[str, ...], Array] | None:
    """Return two levels, or three with missing values, and that of each line; None where nothing is split."""
    if split is None:
        return None
    missing = np.isnan(colors.values)
    values = np.where(missing, 0, colors.values)
    names = ("", "") if split == "median" else split.sides
    if isinstance(colors, RampColors):
        threshold = colors.median if split == "median" else split.threshold
        if math.isnan(threshold):
            return None
        is_above = values > threshold
        if split == "median":
            at = _write(colors, threshold)
            names = f"{colors.column} ≤ {at}", f"{colors.column} > {at}"
    elif split == "median":
        return None
    elif split.levels is not None:
        is_above = np.isin(colors.levels, split.levels)[values.astype(np.intp)]
    elif colors.places is None or math.isnan(split.threshold):
        return None
    else:
        is_above = (np.array(colors.places) > split.threshold)[values.astype(np.intp)]
    return (*names, *(["missing"] if missing.any() else [])), np.where(missing, 2.0, is_above.astype(np.float64))


def _write(colors: RampColors, value: float) -> str:
    """Write a value of a column that colours along a ramp."""
    grid = np.array(colors.domain if colors.levels is None else range(len(colors.levels)), dtype=np.float64)
    return writer(colors.of, grid, colors.levels, axis_number(grid), colors.clock)(value)
