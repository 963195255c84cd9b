"""What the marks and colours of the curves mean, in rows under the plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import numpy as np

from ice_explorer.figures.lettering import number_text, text_width
from ice_explorer.figures.page import INK, QUIET, SMALL, Box, Page, px

if TYPE_CHECKING:
    from ice_explorer.figures.view import Coloring, Lines

_ROW: Final = 13.0
_BETWEEN: Final = 12.0  # two items
_RAMP: Final = 80.0  # length of the colour ramp

MEAN_TEXT: Final = "partial dependence ± 1 SD of the lines"
OWN_TEXT: Final = "own value of the row"


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
        width = self._page.words(
            text,
            self.x + mark,
            self.baseline,
            size=SMALL,
            fill=INK if bold else QUIET,
            weight="bold" if bold else "normal",
            within=self._box.right - self.x - mark,
        )
        self.x += mark + width + _BETWEEN

    def swatch(self, color: str, text: str) -> None:
        """Add one colour and its name."""
        x = self.begin(12 + text_width(text, SMALL))
        self._page.add("rect", x=x, y=self.middle - 3.4, width=8, height=6.8, fill=color)
        self.label(text, 12)


def draw_key(page: Page, lines: Lines, box: Box, baseline: float) -> float:
    """Say what the black line, the dots and the thick lines are; return the last baseline."""
    page.open(id="key")
    items = _Items(page, box, baseline)
    x = items.begin(18 + text_width(MEAN_TEXT, SMALL))
    page.add("rect", x=x, y=items.middle - 4.2, width=14, height=8.4, fill="#000000", fill_opacity=0.09)
    for edge in (-4.2, 4.2):
        page.add("line", x1=x, x2=x + 14, y1=items.middle + edge, y2=items.middle + edge, **SPREAD_EDGE)
    page.add("line", x1=x, x2=x + 14, y1=items.middle, y2=items.middle, stroke=INK, stroke_width=1.7)
    items.label(MEAN_TEXT, 18)
    if np.isfinite(lines.own_y).any():
        x = items.begin(8 + text_width(OWN_TEXT, SMALL))
        page.add("circle", cx=x + 2, cy=items.middle, r=1.9, fill=QUIET)
        items.label(OWN_TEXT, 8)
    if lines.selected.any():
        text = f"selected ({int(lines.selected.sum()):,})"
        x = items.begin(18 + text_width(text, SMALL))
        page.add("line", x1=x, x2=x + 14, y1=items.middle, y2=items.middle, stroke=QUIET, stroke_width=2)
        items.label(text, 18)
    page.close()
    return items.baseline


SPREAD_EDGE: Final[dict[str, str | float]] = {
    "stroke": INK,
    "stroke_width": 0.7,
    "stroke_dasharray": "2.6 1.8",
    "fill": "none",
}


def draw_legend(page: Page, coloring: Coloring, box: Box, baseline: float) -> float:
    """Say what the colours mean; return the last baseline."""
    if coloring.title is None:
        return baseline - _ROW
    page.open(id="legend")
    items = _Items(page, box, baseline)
    items.begin(0)
    items.label(coloring.title, 0, bold=True)
    if coloring.domain is not None:
        _draw_ramp(page, coloring, items)
    for level, text in enumerate(coloring.levels):
        items.swatch(coloring.palette.css(level), text)
    if coloring.n_missing > 0:
        items.swatch(coloring.palette.css(math.nan), f"missing ({coloring.n_missing:,})")
    page.close()
    return items.baseline


def _draw_ramp(page: Page, coloring: Coloring, items: _Items) -> None:
    low, high = (number_text(value) for value in coloring.domain or ())
    low_width, high_width = text_width(low, SMALL), text_width(high, SMALL)
    width = low_width + _RAMP + high_width + 10
    x = items.begin(width)
    page.words(low, x, items.baseline, size=SMALL, fill=QUIET)
    gradient = page.add("linearGradient", id="ramp")
    for stop in range(17):
        ET.SubElement(gradient, "stop", {"offset": px(stop / 16), "stop-color": coloring.palette.css(stop / 16)})
    ramp = {"x": x + low_width + 5, "y": items.middle - 3.4}
    page.add("rect", **ramp, width=_RAMP, height=6.8, fill="url(#ramp)")
    page.words(high, x + low_width + _RAMP + 10, items.baseline, size=SMALL, fill=QUIET)
    items.x += width + _BETWEEN
