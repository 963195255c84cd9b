"""The ranking of the features as bars."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.figures.legend import Items
from ice_explorer.figures.page.lettering import elide_apart, text_width, wrapped
from ice_explorer.figures.page.page import (
    INK,
    QUIET,
    SIZE,
    SMALL,
    TITLE,
    Box,
    Circle,
    Page,
    Path,
    Rect,
    Style,
    printable,
)
from ice_explorer.glossary import explanation
from ice_explorer.scene.palette import hues
from ice_explorer.scene.scene import FAR_OFF
from ice_explorer.scene.words import weight_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.scene.scene import Bar, Ranking

BAR: Final = "#b4c4d4"
BAR_OPEN: Final = "#3f6d9b"
TICK_TEXT: Final = explanation("tick").name

_TICK: Final = Style(stroke=INK, width=1.3)
_WHISKER: Final = Style(stroke=INK, width=0.8)
_CAP: Final = 2.4  # of a whisker, above and below its middle
_BRACKET: Final = Style(stroke=QUIET, width=0.8)
_BRACKET_ROOM: Final = 8.0  # right of the figures
_BRACKET_WIDTH: Final = 3.0
_BRACKET_GAP: Final = 2.0  # from the middle of a row, so that brackets of three rows are two
_TICK_REACH: Final = 6.0  # above and below the middle of a bar

_REACH_OF_MODELS: Final = 5.6  # of the bars of several models, above and below the middle of a row
_AIR: Final = 0.5  # between two of them

_ROW: Final = 15.0
_SIGNS: Final = 14.0  # height of the line that says what the signs mean
_LEADING: Final = 11.0
_SECOND_LINE: Final = 14.0  # of the legend
_LOOSE_ROW: Final = 19.0
_LABEL_SHARE: Final = 0.42  # of the width, at most, for the names


def ranking_height(n_features: int, *, has_intervals: bool) -> float:
    """Height of the panel with all features in it; whiskers and brackets take a second line of its legend."""
    return TITLE + 20 + _LEADING + n_features * _ROW + _SIGNS + (_SECOND_LINE if has_intervals else 0.0)


def draw_ranking(page: Page, ranking: Ranking, decay: float, box: Box) -> float:
    """Draw the bars into a box; return where they end.

    Features that it has no room for are counted below the last one.
    """
    with page.group("ranking"):
        title = ranking.title[0].upper() + ranking.title[1:]
        baseline = box.top + TITLE
        page.words(title, box.left, baseline, size=TITLE, bold=True, within=box.width)
        if ranking.counted:
            baseline += _LEADING
            page.words(ranking.counted, box.left, baseline, size=SMALL, fill=QUIET, within=box.width)
        has_key = ranking.has_ticks or ranking.level is not None or bool(ranking.models)
        if has_key:
            baseline = _draw_key(page, ranking, decay, box, baseline + 14)
        top = baseline + (6 if has_key else 9)
        footnote = wrapped(ranking.footnote, box.width, SMALL)
        room = box.bottom - top - _LEADING * len(footnote) - _SIGNS
        shown = rows_shown(ranking.bars, max(1, int(room // _ROW)))
        bottom = _draw_bars(page, ranking, shown, replace(box, top=top, bottom=top + room))
        if len(shown) < len(ranking.bars):
            page.words(count_text(len(shown), ranking), box.left, bottom + 11, size=SMALL, fill=QUIET)
            bottom += 13
        bottom = _draw_signs(page, ranking, shown, replace(box, top=bottom))
        for line in footnote:
            bottom += _LEADING
            page.words(line, box.left, bottom, size=SMALL, fill=QUIET, within=box.width)
    return bottom


def _draw_bars(page: Page, ranking: Ranking, shown: Sequence[Bar], box: Box) -> float:
    write = ranking.write
    figure_width = max(text_width(write(bar.value), SIZE, bold=bar.is_open) for bar in shown)
    widest = max(text_width(printable(bar.label), SIZE, bold=bar.is_open) for bar in shown)
    label_width = min(widest, _LABEL_SHARE * box.width)
    start = box.left + label_width + 6
    right = box.right - (_BRACKET_ROOM if any(bar.is_tied for bar in shown) else 0)
    stop = right - figure_width - 16
    scale = (stop - start) / ranking.longest if ranking.longest > 0 else 0.0
    row_height = min(_LOOSE_ROW, max(_ROW, box.height / len(ranking.bars)))
    names = [printable(bar.label) for bar in shown]
    cut = elide_apart(names, label_width, SIZE, [row for row, bar in enumerate(shown) if bar.is_open])
    for row, bar in enumerate(shown):
        middle = box.top + (row + 0.5) * row_height
        page.words(bar.label, start - 6, middle + 3.3, anchor="end", bold=bar.is_open, cut=cut[row])
        _draw_bar(page, bar, start, middle, scale)
        _draw_sign(page, ranking.sign(bar), stop + 8, middle)
        page.words(write(bar.value), right, middle + 3.3, anchor="end", bold=bar.is_open)
        if bar.is_far_off:
            page.words(FAR_OFF, right + 1, middle + 3.3, fill=QUIET)
        if is_bracketed(shown, row, ranking):
            _draw_bracket(page, box.right, middle, middle + row_height)
    bottom = box.top + len(shown) * row_height
    page.line(start, box.top, start, bottom, Style(stroke=INK, width=0.6))
    return bottom


def rows_shown(bars: Sequence[Bar], n_rows: int) -> list[Bar]:
    """Choose the first bars, the open feature among them: it takes the last place if it ranks below."""
    if len(bars) <= n_rows:
        return list(bars)
    n_rows = max(1, n_rows - 1)  # the last row says how many are left out
    shown = list(bars[:n_rows])
    below = [bar for bar in bars[n_rows:] if bar.is_open]
    return [*shown[: n_rows - 1], *below] if below else shown


def is_bracketed(shown: Sequence[Bar], row: int, ranking: Ranking) -> bool:
    """Whether a bar is tied with the one below it: the open feature may stand below others that are not drawn."""
    if not shown[row].is_tied or row + 1 == len(shown):
        return False
    return ranking.bars.index(shown[row + 1]) == ranking.bars.index(shown[row]) + 1


def count_text(n_shown: int, ranking: Ranking) -> str:
    """How many of the features are drawn."""
    return f"{n_shown:,} of {len(ranking.bars):,} features"


def _draw_key(page: Page, ranking: Ranking, decay: float, box: Box, baseline: float) -> float:
    """Draw the legend of bars, ticks and whiskers; return the last baseline."""
    items = Items(page, box, baseline)
    bar = Style(fill=BAR)
    for model, color in zip(ranking.models, hues(len(ranking.models)), strict=True):
        items.swatch(color, model)
    if ranking.has_ticks:
        items.item(weight_text(decay), 10, lambda x, middle: page.add(Rect(x + 0.4, middle - 3.2, 10, 6.4, bar)))
        items.item(TICK_TEXT, 3, lambda x, middle: page.line(x + 2, middle - 4.5, x + 2, middle + 4.5, _TICK))
    if ranking.level is not None:
        items.item(ranking.interval_text, 10, lambda x, middle: _draw_whisker(page, x + 0.4, x + 10.4, middle))
    if any(each.is_tied for each in ranking.bars):
        items.item(explanation("tied").name, 4, lambda x, middle: _draw_bracket(page, x + 4, middle - 6, middle + 6))
    return items.baseline


def _draw_signs(page: Page, ranking: Ranking, shown: Sequence[Bar], box: Box) -> float:
    """Explain the signs before the figures and the stripes, of those that are drawn; return where that ends."""
    signs = {ranking.sign(bar) for bar in shown}
    if not signs - {"none"}:
        return box.top
    with page.group("signs"):
        items = Items(page, box, box.top + _SIGNS - 2)
        if signs & {"up", "down"}:
            items.item(explanation("sign").name, 14, partial(_draw_signs_of_trend, page))
        if "levels" in signs:
            items.item(explanation("levels").name, 20, partial(_draw_signs_of_levels, page))
    return items.baseline + 2


def _draw_signs_of_trend(page: Page, x: float, middle: float) -> None:
    _draw_sign(page, "up", x + 3, middle)
    _draw_sign(page, "down", x + 11, middle)


def _draw_signs_of_levels(page: Page, x: float, middle: float) -> None:
    _draw_sign(page, "levels", x + 3, middle)
    page.add(Rect(x + 10, middle - 3.2, 10, 6.4, Style(fill=BAR)))
    _draw_hatch(page, x + 10, middle, 10, reach=3.2)


def _draw_bar(page: Page, bar: Bar, start: float, middle: float, scale: float) -> None:
    if bar.of_models:
        _draw_bars_of_models(page, bar, start, middle, scale)
    elif math.isfinite(bar.value):
        color = BAR_OPEN if bar.is_open else BAR
        length = max(0.0, bar.value) * scale
        page.add(Rect(start, middle - 4.2, length, 8.4, Style(fill=color)))
        if bar.is_unordered:
            _draw_hatch(page, start, middle, length)
    if bar.tick is not None and math.isfinite(bar.tick):
        at = start + max(0.0, bar.tick) * scale
        page.line(at, middle - _TICK_REACH, at, middle + _TICK_REACH, _TICK)
    if bar.interval is not None:
        low, high = bar.interval
        _draw_whisker(page, start + low * scale, start + high * scale, middle)


def _draw_bars_of_models(page: Page, bar: Bar, start: float, middle: float, scale: float) -> None:
    """Draw a thin bar for each model, one under the other."""
    height = 2 * _REACH_OF_MODELS / len(bar.of_models)
    top = middle - _REACH_OF_MODELS
    for at, (value, color) in enumerate(zip(bar.of_models, hues(len(bar.of_models)), strict=True)):
        if math.isfinite(value):
            page.add(Rect(start, top + at * height, max(0.0, value) * scale, height - _AIR, Style(fill=color)))
    if bar.is_unordered:
        _draw_hatch(page, start, middle, max(0.0, *filter(math.isfinite, bar.of_models)) * scale, _REACH_OF_MODELS)


def _draw_whisker(page: Page, low: float, high: float, middle: float) -> None:
    """Draw a line with a cap at both ends."""
    top, bottom, gap = middle - _CAP, middle + _CAP, math.nan
    across = np.array([low, low, gap, low, high, gap, high, high])
    down = np.array([top, bottom, gap, middle, middle, gap, top, bottom])
    page.add(Path(across, down, _WHISKER))


def _draw_bracket(page: Page, right: float, above: float, below: float) -> None:
    """Draw a bracket that joins the middles of two rows."""
    top, bottom, left = above + _BRACKET_GAP, below - _BRACKET_GAP, right - _BRACKET_WIDTH
    across, down = np.array([left, right, right, left]), np.array([top, top, bottom, bottom])
    page.add(Path(across, down, _BRACKET))


def _draw_sign(page: Page, sign: str, x: float, middle: float) -> None:
    """Draw a small triangle: the curves rise or fall on average. Four dots: levels have no order."""
    if sign == "levels":
        for across in (-1.8, 1.8):
            for down in (-1.8, 1.8):
                page.add(Circle(x + across, middle + down, 1.1, Style(fill=QUIET)))
    if sign not in {"up", "down"}:
        return
    reach = 2.6 if sign == "up" else -2.6
    corners = np.array([x - 3, x + 3, x]), middle + np.array([reach, reach, -reach])
    page.add(Path(*corners, Style(fill=QUIET), closed=True))


def _draw_hatch(page: Page, start: float, middle: float, length: float, reach: float = 4.2) -> None:
    """Draw stripes of paper over a bar: a change of category is not a step along an axis."""
    top, bottom = middle - reach, middle + reach
    stripe = Style(stroke="#ffffff", width=1.2, opacity=0.75)
    for left in np.arange(start - (bottom - top), start + length, 5.0).tolist():
        # Each stripe is cut where the bar begins and ends.
        first, last = max(left, start), min(left + bottom - top, start + length)
        if last > first:
            page.line(first, bottom - (first - left), last, bottom - (last - left), stripe)
