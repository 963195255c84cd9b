"""Marks of levels and missing values: dots, means and level names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.errors.base import counted
from ice_explorer.figures.legend import MEAN
from ice_explorer.figures.page.lettering import elide, elide_apart, text_width
from ice_explorer.figures.page.page import (
    INK,
    PX_PER_INCH,
    QUIET,
    SMALL,
    Box,
    Circle,
    Path,
    Picture,
    Style,
    is_within,
    printable,
)
from ice_explorer.figures.raster.dots import paint_dots
from ice_explorer.scene.palette import PICK, rgb_of
from ice_explorer.scene.strips import connector_opacity, phantom_dots, place_in_strip, strip_ends, strip_reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Places
    from ice_explorer.figures.page.page import Axis, Page
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines


_SLANT: Final = 38.0  # degrees
_LONGEST_SLANTED: Final = 84.0
_LEAST_APART: Final = 11.0  # of slanted labels: nearer ones are not read, so some are left out
_MOST_CUT: Final = 0.25  # share of its width that a name may lose before names are slanted
_UPRIGHT: Final = 12.5  # how far labels reach under the axis that are not slanted
_MOST_MARKS: Final = 4000  # dots, beyond which they are an image
_TICK: Final = Style(stroke=INK, width=0.7)
_NARROW: Final = 26.0  # levels with less room have a slighter mean


@dataclass(frozen=True)
class Slot:
    """A strip of dots beside the axis [px]."""

    left: float
    right: float
    reach: float

    @property
    def at(self) -> float:
        """Its middle."""
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class Strips:
    """Where dots stand [px].

    `reach` is half the width of a level's strip, `room` the way from one level to the next, `place` that of each row
    in its strip, -1 to 1, and `slot` the strip for missing values.
    """

    x: Axis
    y: Axis
    area: Box
    reach: float
    room: float
    place: Array
    slot: Slot | None

    def at(self, values: Array, line: Places | slice = slice(None)) -> Array:
        """Places of one value of each line, or of some of them, on the axis or beside it."""
        place = self.place[line]
        beside = math.nan if self.slot is None else self.slot.at + self.slot.reach * place
        return np.asarray(np.where(np.isnan(values), beside, self.x.many(values) + self.reach * place))

    def own(self, lines: Lines) -> Array:
        """Places of the observed values."""
        return np.asarray(np.where(lines.axis.is_off(lines.own_x), math.nan, self.at(lines.own_x)))

    def connectors(self, lines: Lines) -> tuple[Array, Array, Array]:
        """What joins the dots of a row: places, values, and opacity of the segments."""
        ends = strip_ends(self.x.many(lines.x), self.reach)
        return ends, np.repeat(lines.values, 2, axis=1), connector_opacity(lines.dot_opacity)


def strips_of(lines: Lines, area: Box, x: Axis, y: Axis, *, gap: float, width: float) -> Strips:
    """Fit the strips of a picture to its area, that for missing values `gap` beside it and so wide."""
    n_lines, room = len(lines.positions), x(1.0) - x(0.0)
    left = area.right + gap
    slot = None if lines.missing is None else Slot(left, left + width, strip_reach(n_lines, width))
    reach = strip_reach(n_lines, room) if lines.on_levels else 0.0
    return Strips(x, y, area, reach, room, place_in_strip(lines.positions), slot)


# --- dots -----------------------------------------------------------------------------------------


def draw_phantoms(page: Page, strips: Strips, lines: Lines, coloring: Coloring, *, dim: float) -> None:
    """Draw predictions at every level but the row's own, and those with the value missing; `dim` times as strong."""
    dots, area = phantom_dots(lines), strips.area
    x, y = strips.at(dots.level, dots.line), strips.y.many(dots.value)
    shown = is_within(area.top, area.bottom, y)
    x, y, line, opacity = x[shown], y[shown], dots.line[shown], dim * dots.opacity[shown]
    colors = [coloring.palette.css(value) for value in coloring.values.tolist()]
    with page.group("phantoms"):
        if len(x) <= _MOST_MARKS:
            for at, height, row, strength in zip(x.tolist(), y.tolist(), line.tolist(), opacity.tolist(), strict=True):
                page.add(Circle(at, height, dots.radius, Style(fill=colors[row], opacity=strength)))
            return
        ratio, right = page.dpi / PX_PER_INCH, area.right if strips.slot is None else strips.slot.right
        pixels = paint_dots(
            (x - area.left) * ratio,
            (y - area.top) * ratio,
            np.array([rgb_of(color) for color in colors], dtype=np.float64)[line],
            opacity,
            radius=dots.radius * ratio,
            width=round((right - area.left) * ratio),
            height=round(area.height * ratio),
        )
        page.add(Picture(area.left, area.top, pixels.shape[1] / ratio, pixels.shape[0] / ratio, pixels))


def draw_selected_levels(page: Page, strips: Strips, lines: Lines, row: int, color: str) -> None:
    """Draw one row's dots over the others, joined by dashes: there is nothing in between."""
    x = strips.x.many(lines.x) + strips.reach * strips.place[row]
    y = strips.y.many(lines.values[row])
    page.add(Path(x, y, Style(stroke=PICK, width=1.0, dash=(2.4, 2.4))))
    own = float(lines.own_x[row])
    for value, at, height in zip(lines.grid.tolist(), x.tolist(), y.tolist(), strict=True):
        page.add(Circle(at, height, 3.4 if value == own else 2.2, Style(fill=color, stroke=PICK, width=0.9)))


def draw_selected_beside(page: Page, strips: Strips, lines: Lines, row: int, color: str) -> None:
    """Draw one row's dot beside the axis, with a dotted way to it: it is no place on the line."""
    if strips.slot is None or lines.missing is None:
        return
    at = strips.slot.at + strips.slot.reach * float(strips.place[row])
    last = float(strips.x(float(lines.x[-1]))) + strips.reach * float(strips.place[row])
    ends = strips.y.many(np.array([lines.values[row, -1], lines.missing.values[row]]))
    if last <= strips.area.right + 1:  # else the end of the line is out of sight
        page.add(Path(np.array([last, at]), ends, Style(stroke=PICK, width=0.9, dash=(0.9, 2.2))))
    if not strips.area.top <= ends[1] <= strips.area.bottom:
        return
    radius = 3.4 if math.isnan(lines.own_x[row]) else 2.2
    page.add(Circle(at, float(ends[1]), radius, Style(fill=color, stroke=PICK, width=0.9)))


# --- means ----------------------------------------------------------------------------------------


def draw_level_means(page: Page, strips: Strips, lines: Lines) -> None:
    """Mark the mean of each level, and the band around it."""
    with page.group("partial-dependence"):
        for at, mean, ends in zip(lines.grid.tolist(), lines.mean.tolist(), lines.band.T.tolist(), strict=True):
            _draw_mean(page, strips, (strips.x(at), strips.room), mean, ends)


def draw_missing_mean(page: Page, strips: Strips, lines: Lines) -> None:
    """Mark the mean beside the axis."""
    if strips.slot is not None and lines.missing is not None:
        with page.group("missing-mean"):
            room = strips.slot.right - strips.slot.left
            _draw_mean(page, strips, (strips.slot.at, room), lines.missing.mean, lines.missing.band)


def _draw_mean(page: Page, strips: Strips, where: tuple[float, float], mean: float, ends: Sequence[float]) -> None:
    """Mark a mean and the ends of its band at a place with so much room."""
    (x, room), area = where, strips.area
    if not area.top <= strips.y(mean) <= area.bottom:
        return
    low, high = (min(max(strips.y(end), area.top), area.bottom) for end in ends)
    width = MEAN.width if room >= _NARROW else 1.0
    radius = min(3.8, max(2.0, room / 7))
    page.line(x, low, x, high, Style(stroke="#ffffff", width=width + 2.2, opacity=0.85))
    page.line(x, low, x, high, Style(stroke=INK, width=width))
    page.add(Circle(x, strips.y(mean), radius + 0.9, Style(fill="#ffffff")))
    page.add(Circle(x, strips.y(mean), radius, Style(fill=INK)))


# --- names ----------------------------------------------------------------------------------------


def _labels_height(names: Sequence[str], room: float) -> float:
    """Return how far the names of levels reach under the axis, each with so much room."""
    widest = max(text_width(name, SMALL) for name in names)
    if widest * (1 - _MOST_CUT) <= room - 5:
        return _UPRIGHT
    return 11 + min(widest, _LONGEST_SLANTED) * math.sin(math.radians(_SLANT))


def draw_level_labels(
    page: Page, levels: Sequence[str], x: Axis, at_levels: Array, box: Box, *, axis: float, is_small: bool
) -> float:
    """Write the levels under the axis, slanted where they would touch, or counted; return where they end."""
    room = x(1.0) - x(0.0)
    names = [printable(level) for level in levels]
    places = x.many(at_levels).tolist()
    for at in places:
        page.line(at, axis, at, axis + 3.5, _TICK)
    height = _labels_height(names, room)
    if is_small and height > _UPRIGHT:
        page.words(counted(len(names), "level"), box.left, axis + 12.5, size=SMALL, fill=QUIET)
        return axis + _UPRIGHT
    if height == _UPRIGHT:
        for name, cut, at in zip(names, elide_apart(names, room - 5, SMALL), places, strict=True):
            page.words(name, at, axis + 12.5, size=SMALL, fill=QUIET, anchor="middle", cut=cut)
        return axis + height
    every = max(1, math.ceil(_LEAST_APART / room))
    angle = math.radians(_SLANT)
    longest = (height - 11) / math.sin(angle)
    for name, cut, at in list(zip(names, elide_apart(names, longest, SMALL), places, strict=True))[::every]:
        shown = elide(cut, (at - box.left) / math.cos(angle), SMALL)
        if shown:
            page.words(name, at + 4, axis + 11, size=SMALL, fill=QUIET, anchor="end", cut=shown, angle=-_SLANT)
    return axis + height
