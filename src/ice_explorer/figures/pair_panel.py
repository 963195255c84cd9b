"""Panel of two features: a heat map of the partial dependence on both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.axis_text import axis_number, writer
from ice_explorer.figures.curves_panel import draw_ticks
from ice_explorer.figures.legend import Items, draw_legend
from ice_explorer.figures.level_marks import draw_level_labels
from ice_explorer.figures.page.lettering import text_width, wrapped
from ice_explorer.figures.page.page import (
    INK,
    QUIET,
    SIZE,
    SMALL,
    TITLE,
    Axis,
    Box,
    Circle,
    Path,
    Rect,
    Style,
    printable,
)
from ice_explorer.scene.strips import place_in_strip, strip_reach
from ice_explorer.scene.words import axis_ticks

if TYPE_CHECKING:
    from ice_explorer.arrays import Array
    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.pair import Pair, PairAxis


_TICK: Final = Style(stroke=INK, width=0.7)
_LEADING: Final = 12.5
_MOST_LEFT: Final = 0.3  # of the width, for the labels of the vertical axis
_SEAM: Final = 0.3  # px by which a cell is under its neighbours, so that no paper shows between
_HATCH: Final = 4.5
_STRIPE: Final = Style(stroke="#ffffff", width=2.0)
_DOT: Final = Style(fill=INK, stroke="#ffffff", width=0.4, opacity=0.8)
_RADIUS: Final = 1.3
_BARE_TEXT: Final = "no observation near"


@dataclass(frozen=True)
class _Side:
    """One axis on the page."""

    of: PairAxis
    scale: Axis

    @property
    def bounds(self) -> Array:
        """Edges of the cells [px]."""
        return self.scale.many(self.of.bounds)

    def dots(self, step: int) -> Array:
        """Places of the observations, beside each other on levels; NaN where one has none."""
        values = self.of.observed
        places = self.scale.many(values)
        if not self.of.is_separate:
            return places
        reach = strip_reach(len(values), abs(self.scale(1.0) - self.scale(0.0)))
        places = places + reach * place_in_strip(step * np.arange(1, len(values) + 1))
        return np.where(self.of.axis.is_off(values), math.nan, places)


def draw_pair(page: Page, pair: Pair, box: Box, *, title: bool | str = True) -> float:
    """Draw the heat map from the top of a box, under a title; return where it ends."""
    with page.group("pair"):
        below = _draw_heading(page, pair, box, title=title) + TITLE
        page.words(pair.second.label, box.left, below, size=SMALL, fill=QUIET, within=box.width)
        height = min(260.0, max(140.0, 0.62 * box.width))
        below = _draw_plot(page, pair, replace(box, top=below + 8, bottom=below + 8 + height))
        items = Items(page, box, below + 15)
        items.item("observation", 4, lambda x, middle: page.add(Circle(x + 2, middle, _RADIUS + 0.4, Style(fill=INK))))
        if (pair.near == 0).any():
            items.item(
                _BARE_TEXT, 14, lambda x, middle: _draw_sample(page, pair, Box(x, middle - 4, x + 14, middle + 4))
            )
        below = draw_legend(page, pair.coloring, box, items.baseline + 14, counts=False)
    return below + 2


def _draw_heading(page: Page, pair: Pair, box: Box, *, title: bool | str) -> float:
    if title is False:
        return box.top
    baseline = box.top + TITLE
    heading = pair.heading if title is True else title
    page.words(heading, box.left, baseline, size=TITLE, bold=True, within=box.width)
    baseline += 4
    for line in wrapped(printable(pair.sentence), box.width, SIZE):
        baseline += _LEADING
        page.words(line, box.left, baseline, within=box.width)
    return baseline + 4


def _draw_plot(page: Page, pair: Pair, box: Box) -> float:
    """Draw cells, observations and both axes; return where that ends."""
    up = axis_ticks(pair.second.axis, _domain_of(pair.second), box.height)
    widest = max(text_width(printable(tick.label), SMALL) for tick in up)
    left = box.left + min(widest + 7, _MOST_LEFT * box.width)
    area = Box(left, box.top, box.right - 3, box.bottom)
    x = _Side(pair.first, Axis(_domain_of(pair.first), (area.left, area.right)))
    y = _Side(pair.second, Axis(_domain_of(pair.second), (area.bottom, area.top)))
    _draw_cells(page, pair, x, y, area)
    with page.group("observations", area):
        for at, height in zip(x.dots(1).tolist(), y.dots(7).tolist(), strict=True):
            if math.isfinite(at) and math.isfinite(height):
                page.add(Circle(at, height, _RADIUS, _DOT))
    with page.group("y-axis"):
        for tick in up:
            at = y.scale(tick.value)
            page.line(area.left - 3.5, at, area.left, at, _TICK)
            room = area.left - 6 - box.left
            page.words(tick.label, area.left - 6, at + 3, size=SMALL, fill=QUIET, anchor="end", within=room)
    with page.group("x-axis"):
        below = _draw_x_axis(page, x, area, box) + 12.5
        middle = (area.left + area.right) / 2
        page.words(pair.first.label, middle, below, anchor="middle", within=area.width)
    return below


def _domain_of(of: PairAxis) -> tuple[float, float]:
    return float(of.bounds[0]), float(of.bounds[-1])


def _draw_cells(page: Page, pair: Pair, x: _Side, y: _Side, area: Box) -> None:
    """Draw the colours, and stripes of paper over the cells without data."""
    across, down = x.bounds.tolist(), y.bounds.tolist()
    colors = [pair.coloring.palette.css(value) for value in pair.coloring.values.tolist()]
    bare = []
    with page.group("cells", area):
        for i in range(len(across) - 1):
            for j in range(len(down) - 1):
                cell = Box(across[i], down[j + 1], across[i + 1], down[j])
                style = Style(fill=colors[i * (len(down) - 1) + j])
                page.add(Rect(cell.left, cell.top, cell.width + _SEAM, cell.height + _SEAM, style))
                if pair.near[i, j] == 0:
                    bare.append(cell)
    if bare:
        with page.group("hatching", area):
            _draw_stripes(page, bare)


def _draw_stripes(page: Page, cells: list[Box]) -> None:
    """Draw slanted stripes, which go on from one cell to the next."""
    x, y = [], []
    for cell in cells:
        first = math.ceil((cell.left + cell.top) / _HATCH) * _HATCH
        for along in np.arange(first, cell.right + cell.bottom, _HATCH).tolist():
            start, stop = max(cell.left, along - cell.bottom), min(cell.right, along - cell.top)
            x += [start, stop, math.nan]
            y += [along - start, along - stop, math.nan]
    if x:  # cells may be too small for any
        page.add(Path(np.array(x[:-1]), np.array(y[:-1]), _STRIPE))


def _draw_sample(page: Page, pair: Pair, cell: Box) -> None:
    """Draw a hatched cell for the key."""
    page.add(Rect(cell.left, cell.top, cell.width, cell.height, Style(fill=pair.coloring.palette.css(0.5))))
    _draw_stripes(page, [cell])


def _draw_x_axis(page: Page, x: _Side, area: Box, box: Box) -> float:
    """Draw ticks and labels that do not touch; return the last baseline."""
    axis = x.of.axis
    page.line(area.left, area.bottom, area.right, area.bottom, _TICK)
    if axis.has_levels:
        write = writer(axis.kind, axis.grid, axis.levels, axis_number(axis.grid), axis.clock)
        levels = [write(value) for value in axis.grid.tolist()]
        return draw_level_labels(page, levels, x.scale, axis.grid, box, axis=area.bottom, is_small=False)
    draw_ticks(page, axis_ticks(axis, x.scale.domain, area.width), x.scale, box, area.bottom)
    return area.bottom + 12.5
