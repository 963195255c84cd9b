"""Legend of marks and colours, in rows under the plot."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.figures.page.lettering import text_width
from ice_explorer.figures.page.page import INK, QUIET, SMALL, Box, Circle, Page, Path, Picture, Rect, Style, printable
from ice_explorer.glossary import explanation
from ice_explorer.scene.palette import ALE, M_PLOT, PICK, is_diverging

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import EffectName, Lines
    from ice_explorer.scene.scene import Scene

_ROW: Final = 13.0
_BETWEEN: Final = 12.0  # two items
_RAMP: Final = 80.0  # length of the colour ramp
_STROKE: Final = 14.0  # length of a line
_TO_TEXT: Final = 4.0
_FADE: Final = (0.15, 0.45, 1.0, 1.0, 1.0, 1.0, 0.45, 0.15)

SELECTED_MEAN: Final = Style(stroke=PICK, width=2.4)
MOST_SELECTED: Final = 20  # rows that stand out in a colour of their own

MEAN: Final = Style(stroke=INK, width=1.7)
BAND: Final = Style(fill="#000000", opacity=0.06)
SPREAD_EDGE: Final = Style(stroke=INK, width=0.7, dash=(2.6, 1.8))


EFFECT_STYLES: Final = {
    "ale": Style(stroke=ALE, width=1.7, dash=(6.0, 3.0)),
    "m_plot": Style(stroke=M_PLOT, width=2.2, dash=(1.6, 2.4)),
}
_SIGN: Final = 4.0  # half of what an effect has on a level
_SIGNS: Final = {  # corners
    "ale": ((0.0, 1.0, 0.0, -1.0), (-1.0, 0.0, 1.0, 0.0)),
    "m_plot": ((0.0, 1.0, -1.0), (-1.0, 0.75, 0.75)),
}


def draw_effect_sign(page: Page, effect: EffectName, x: float, y: float) -> None:
    """Draw what stands for an effect on a level."""
    across, down = (_SIGN * np.array(places) for places in _SIGNS[effect])
    page.add(
        Path(x + across, y + down, Style(fill=EFFECT_STYLES[effect].stroke, stroke="#ffffff", width=0.8), closed=True)
    )


def mean_text(lines: Lines, decay: float) -> str:
    """Return what the line of the mean and the band around it are."""
    term = "partial_dependence_of_probabilities" if lines.has_quantile_band else "partial_dependence"
    return f"{explanation(term).name}{', unweighted' if decay < 1 else ''}"


class Items:
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

    def item(self, text: str, width: float, draw: Callable[[float, float], object]) -> None:
        """Add a mark so wide, drawn from an abscissa around a height, and its name."""
        mark = width + _TO_TEXT
        x = self.begin(mark + text_width(printable(text), SMALL))
        draw(x, self.middle)
        self.label(text, mark)

    def label(self, text: str, mark: float, *, bold: bool = False) -> None:
        """Draw the text next to its mark and advance."""
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


def draw_key(page: Page, scene: Scene, box: Box, baseline: float, *, is_small: bool = False) -> float:
    """Draw the legend of mean, dots and group means; return the last baseline.

    Small plots have neither dots at observed values nor means of colours.
    """
    lines, coloring = scene.lines, scene.coloring
    color = QUIET if coloring.title is not None else coloring.palette.css(0)
    n_selected = len(np.unique(lines.positions[lines.selected]))
    with page.group("key"):
        items = Items(page, box, baseline)

        def stroke(style: Style) -> Callable[[float, float], None]:
            return lambda x, middle: page.line(x, middle, x + _STROKE, middle, style)

        if not lines.is_empty:
            _draw_key_of_lines(page, scene, items, color, is_small=is_small)
        if np.isfinite(lines.own_y).any() and not is_small:
            dot = Style(fill=QUIET)
            items.item(_name("observed_value"), 4, lambda x, middle: page.add(Circle(x + 2, middle, 1.9, dot)))
        if lines.target is not None and not is_small:
            ring = Style(stroke=INK, width=0.7)
            text = scene.state.besides.target_text
            items.item(text, 5, lambda x, middle: page.add(Circle(x + 2.5, middle, 2.1, ring)))
        if n_selected > 0:
            is_plain = coloring.title is None or lines.on_levels  # else they have the legend's colours
            style = Style(stroke=PICK if is_plain else QUIET, width=1.1)
            items.item(f"{_name('selected')} ({n_selected:,})", _STROKE, stroke(style))
        if n_selected > 1 and lines.group_means is None:
            items.item(_name("selected_mean"), _STROKE, stroke(SELECTED_MEAN))
    return items.baseline


def _draw_key_of_lines(page: Page, scene: Scene, items: Items, color: str, *, is_small: bool) -> None:
    """Draw what the lines are: means, effects and curves."""
    lines, coloring = scene.lines, scene.coloring
    draw_mean = _draw_level_mean if lines.on_levels else _draw_line_mean
    if lines.has_mean:
        items.item(mean_text(lines, scene.state.decay), _STROKE, partial(draw_mean, page))
    for effect in lines.effects:
        draw_effect = partial(_draw_effect, page, effect.name, on_levels=lines.on_levels)
        items.item(_name(effect.name), _STROKE, draw_effect)
    is_faded = scene.state.decay < 1 or scene.state.fades_unlike
    items.item(_name("curve"), _STROKE, partial(_draw_curve, page, color, is_faded=is_faded))
    if coloring.levels and not is_small:
        term = "group_mean" if lines.group_means is None else "model_mean"
        items.item(_name(term), _STROKE, partial(_draw_group_mean, page, coloring))


def _name(term: str) -> str:
    return explanation(term).name


def _draw_curve(page: Page, color: str, x: float, middle: float, *, is_faded: bool) -> None:
    """Draw a curve that is strong in the middle, where the observed value is, and faded at its ends."""
    step = _STROKE / len(_FADE)
    for part, opacity in enumerate(_FADE if is_faded else (1.0,) * len(_FADE)):
        style = Style(stroke=color, width=1.0, opacity=opacity)
        page.line(x + part * step, middle, x + (part + 1) * step, middle, style)


def _draw_group_mean(page: Page, coloring: Coloring, x: float, middle: float) -> None:
    for start, level in ((x, 0), (x + _STROKE / 2, len(coloring.levels) - 1)):
        style = Style(stroke=coloring.palette.css(level), width=2.1)
        page.line(start, middle, start + _STROKE / 2, middle, style)


def _draw_effect(page: Page, effect: EffectName, x: float, middle: float, *, on_levels: bool) -> None:
    if on_levels:
        draw_effect_sign(page, effect, x + _STROKE / 2, middle)
    else:
        page.line(x, middle, x + _STROKE, middle, EFFECT_STYLES[effect])


def _draw_line_mean(page: Page, x: float, middle: float) -> None:
    page.add(Rect(x, middle - 4.2, 14, 8.4, BAND))
    for y, style in ((middle - 4.2, SPREAD_EDGE), (middle + 4.2, SPREAD_EDGE), (middle, MEAN)):
        page.line(x, y, x + 14, y, style)


def _draw_level_mean(page: Page, x: float, middle: float) -> None:
    page.line(x + 7, middle - 5.2, x + 7, middle + 5.2, MEAN)
    page.add(Circle(x + 7, middle, 3.0, Style(fill=INK)))


def draw_legend(page: Page, coloring: Coloring, box: Box, baseline: float, *, counts: bool = True) -> float:
    """Draw the legend of colours, with counts unless plots draw different rows; return the last baseline."""
    if coloring.title is None:
        return baseline - _ROW
    with page.group("legend"):
        items = Items(page, box, baseline)
        items.label(coloring.title, 0, bold=True)
        if coloring.domain is not None:
            _draw_ramp(page, coloring, items)
        for level, text in enumerate(coloring.levels):
            n_lines = int((coloring.values == level).sum()) if counts else None
            items.swatch(coloring.palette.css(level), text, n_lines)
        if coloring.n_missing > 0 and counts:
            items.swatch(coloring.palette.css(math.nan), f"missing ({coloring.n_missing:,})")
    return items.baseline


def _draw_ramp(page: Page, coloring: Coloring, items: Items) -> None:
    low, high = coloring.ends
    low_width, high_width = text_width(low, SMALL), text_width(high, SMALL)
    width = low_width + _RAMP + high_width + 10
    x = items.begin(width)
    page.words(low, x, items.baseline, size=SMALL, fill=QUIET)
    shades = np.append(coloring.palette.colors, np.full((len(coloring.palette.colors), 1), 255, np.uint8), axis=1)
    page.add(Picture(x + low_width + 5, items.middle - 3.4, _RAMP, 6.8, np.repeat(shades[None], 8, axis=0)))
    if coloring.domain is not None and is_diverging(coloring.domain):
        page.words("0", x + low_width + 5 + _RAMP / 2, items.baseline, size=SMALL, anchor="middle")
    page.words(high, x + low_width + _RAMP + 10, items.baseline, size=SMALL, fill=QUIET)
    items.x += width + _BETWEEN
