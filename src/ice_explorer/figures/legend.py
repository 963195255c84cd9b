"""What the marks and colours of the curves mean, in rows under the plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.figures.lettering import text_width
from ice_explorer.figures.page import INK, QUIET, SMALL, Box, Circle, Page, Ramp, Rect, Style, printable
from ice_explorer.figures.palette import PICK

if TYPE_CHECKING:
    from ice_explorer.figures.view import Coloring, Lines, Scene

_ROW: Final = 13.0
_BETWEEN: Final = 12.0  # two items
_RAMP: Final = 80.0  # length of the colour ramp
_SHADES: Final = 40.0  # length of the shades of a density, and into how many they are cut
_N_SHADES: Final = 8

OWN_TEXT: Final = "observed value of the row"
GROUP_TEXT: Final = "mean of a colour"
TARGET_TEXT: Final = "observed target"
ONE_LINE_TEXT: Final = "1 line"

SELECTED_MEAN_TEXT: Final = "mean of the selected"
SELECTED_MEAN: Final = Style(stroke=PICK, width=2.4)
MOST_SELECTED: Final = 20  # rows that stand out in a colour of their own

MEAN: Final = Style(stroke=INK, width=1.7)
BAND: Final = Style(fill="#000000", opacity=0.06)
SPREAD_EDGE: Final = Style(stroke=INK, width=0.7, dash=(2.6, 1.8))


def mean_text(lines: Lines) -> str:
    """Return what the line of the mean and the band around it are."""
    band = ", middle 68 % of the curves" if lines.has_quantile_band else " ± 1 SD of the curves"
    return f"partial dependence{band}"


class _Items:
    """Items one after the other, in as many rows as it takes."""

    def __init__(self, page: Page, box: Box, baseline: float) -> None:
        self._page = page
        self._box = box
        self.x = box.left
        self.baseline = baseline

    @property
    def middle(self) -> float:
        """Where the marks of this row are centred."""
        return self.baseline - 3

    def begin(self, width: float) -> float:
        """Go to the next row if an item does not fit in this one; return where it starts."""
        if self.x > self._box.left and self.x + width > self._box.right:
            self.x = self._box.left
            self.baseline += _ROW
        return self.x

    def label(self, text: str, mark: float, *, bold: bool = False) -> None:
        """Set the text beside its mark and go on."""
        fill, within = INK if bold else QUIET, self._box.right - self.x - mark
        width = self._page.words(text, self.x + mark, self.baseline, size=SMALL, fill=fill, bold=bold, within=within)
        self.x += mark + width + _BETWEEN

    def swatch(self, color: str, text: str, n_lines: int | None = None) -> None:
        """Add one colour and its name, and how many lines have it."""
        count = "" if n_lines is None else f"  n = {n_lines:,}"
        x = self.begin(12 + text_width(printable(text) + count, SMALL))
        self._page.add(Rect(x, self.middle - 3.4, 8, 6.8, Style(fill=color)))
        room = self._box.right - x - 12 - text_width(count, SMALL)
        mark = 12 + self._page.words(text, x + 12, self.baseline, size=SMALL, fill=INK, within=room)
        if count:
            self._page.words(count.strip(), x + mark + 4, self.baseline, size=SMALL, fill=QUIET)
        self.x = x + mark + text_width(count, SMALL) + _BETWEEN


def draw_key(
    page: Page, scene: Scene, box: Box, baseline: float, share: float | None, *, is_small: bool = False
) -> float:
    """Say what the black line, the dots and the thick lines are; return the last baseline.

    `share` is that of the lines which a density draws solid, None where lines are drawn one by one. Small plots
    have neither dots at observed values nor means of colours.
    """
    lines, coloring = scene.lines, scene.coloring
    with page.group("key"):
        items = _Items(page, box, baseline)
        if not lines.is_empty:
            text = mean_text(lines)
            x = items.begin(18 + text_width(text, SMALL))
            draw_mark = _draw_level_mean if lines.on_levels else _draw_line_mean
            draw_mark(page, x, items.middle)
            items.label(text, 18)
            if coloring.levels and not is_small:
                _draw_group_key(page, coloring, items)
        if np.isfinite(lines.own_y).any() and share is None and not is_small:
            x = items.begin(8 + text_width(OWN_TEXT, SMALL))
            page.add(Circle(x + 2, items.middle, 1.9, Style(fill=QUIET)))
            items.label(OWN_TEXT, 8)
        if lines.target is not None and not is_small:
            x = items.begin(9 + text_width(TARGET_TEXT, SMALL))
            page.add(Circle(x + 2.5, items.middle, 2.1, Style(stroke=INK, width=0.7)))
            items.label(TARGET_TEXT, 9)
        if share is not None:
            _draw_density_key(page, coloring, items, f"{float(f'{100 * share:.2g}'):g} % of the lines")
        if lines.selected.any():
            text = f"selected ({int(lines.selected.sum()):,})"
            x = items.begin(18 + text_width(text, SMALL))
            color = PICK if coloring.title is None or lines.on_levels else QUIET  # else they have the legend's colours
            page.line(x, items.middle, x + 14, items.middle, Style(stroke=color, width=1.1))
            items.label(text, 18)
        if lines.selected.sum() > 1:
            x = items.begin(18 + text_width(SELECTED_MEAN_TEXT, SMALL))
            page.line(x, items.middle, x + 14, items.middle, SELECTED_MEAN)
            items.label(SELECTED_MEAN_TEXT, 18)
    return items.baseline


def _draw_group_key(page: Page, coloring: Coloring, items: _Items) -> None:
    x = items.begin(18 + text_width(GROUP_TEXT, SMALL))
    for start, level in ((x, 0), (x + 7, len(coloring.levels) - 1)):
        page.line(start, items.middle, start + 7, items.middle, Style(stroke=coloring.palette.css(level), width=2.1))
    items.label(GROUP_TEXT, 18)


def _draw_density_key(page: Page, coloring: Coloring, items: _Items, most: str) -> None:
    """Say what the shades of a density mean: from one line to the share that is drawn solid."""
    color = QUIET if coloring.title is not None else coloring.palette.css(0)
    low, high = text_width(ONE_LINE_TEXT, SMALL), text_width(most, SMALL)
    x = items.begin(low + _SHADES + high + 10)
    page.words(ONE_LINE_TEXT, x, items.baseline, size=SMALL, fill=QUIET)
    step = _SHADES / _N_SHADES
    for shade in range(_N_SHADES):
        style = Style(fill=color, opacity=0.1 + 0.9 * shade / (_N_SHADES - 1))
        page.add(Rect(x + low + 5 + shade * step, items.middle - 3.4, step, 6.8, style))
    page.words(most, x + low + _SHADES + 10, items.baseline, size=SMALL, fill=QUIET)
    items.x += low + _SHADES + high + 10 + _BETWEEN


def _draw_line_mean(page: Page, x: float, middle: float) -> None:
    page.add(Rect(x, middle - 4.2, 14, 8.4, BAND))
    for y, style in ((middle - 4.2, SPREAD_EDGE), (middle + 4.2, SPREAD_EDGE), (middle, MEAN)):
        page.line(x, y, x + 14, y, style)


def _draw_level_mean(page: Page, x: float, middle: float) -> None:
    page.line(x + 7, middle - 5.2, x + 7, middle + 5.2, MEAN)
    page.add(Circle(x + 7, middle, 3.0, Style(fill=INK)))


def draw_legend(page: Page, coloring: Coloring, box: Box, baseline: float, *, counts: bool = True) -> float:
    """Say what the colours mean, and of how many lines unless plots draw different rows; return the last baseline."""
    if coloring.title is None:
        return baseline - _ROW
    with page.group("legend"):
        items = _Items(page, box, baseline)
        items.label(coloring.title, 0, bold=True)
        if coloring.domain is not None:
            _draw_ramp(page, coloring, items)
        for level, text in enumerate(coloring.levels):
            n_lines = int((coloring.values == level).sum()) if counts else None
            items.swatch(coloring.palette.css(level), text, n_lines)
        if coloring.n_missing > 0 and counts:
            items.swatch(coloring.palette.css(math.nan), f"missing ({coloring.n_missing:,})")
    return items.baseline


def _draw_ramp(page: Page, coloring: Coloring, items: _Items) -> None:
    low, high = coloring.ends
    low_width, high_width = text_width(low, SMALL), text_width(high, SMALL)
    width = low_width + _RAMP + high_width + 10
    x = items.begin(width)
    page.words(low, x, items.baseline, size=SMALL, fill=QUIET)
    colors = tuple(coloring.palette.css(stop / 16) for stop in range(17))
    page.add(Ramp(x + low_width + 5, items.middle - 3.4, _RAMP, 6.8, colors))
    page.words(high, x + low_width + _RAMP + 10, items.baseline, size=SMALL, fill=QUIET)
    items.x += width + _BETWEEN
