"""The ranking of the features as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ice_explorer.figures.lettering import column_format, text_width
from ice_explorer.figures.page import INK, QUIET, SIZE, SMALL, TITLE, Box, Page, px

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.figures.page import Weight
    from ice_explorer.figures.view import Bar, Ranking

_BAR: Final = "#b4c4d4"
_BAR_OPEN: Final = "#3f6d9b"
_OUTLINE: Final = "#7b8794"

_ROW: Final = 15.0
_LOOSE_ROW: Final = 19.0


def ranking_height(n_features: int) -> float:
    """Height of the panel with all features in it."""
    return TITLE + 20 + n_features * _ROW


def draw_ranking(page: Page, ranking: Ranking, decay: float, box: Box) -> float:
    """Draw the bars into a box; return where they end.

    Parameters
    ----------
    page : Page
    ranking : Ranking
    decay : float
        Of the filled bars.
    box : Box
        Features that it has no room for are counted below the last one.
    """
    page.open(id="ranking")
    title = ranking.title[0].upper() + ranking.title[1:]
    baseline = box.top + TITLE
    page.words(title, box.left, baseline, size=TITLE, weight="bold", within=box.width)
    if ranking.decays:
        _draw_key(page, decay, box, baseline + 14)
    top = baseline + (20 if ranking.decays else 9)
    shown = rows_shown(ranking.bars, max(1, int((box.bottom - top) // _ROW)))
    n_left_out = len(ranking.bars) - len(shown)
    row_height = min(_LOOSE_ROW, max(_ROW, (box.bottom - top) / len(ranking.bars)))

    write = column_format([bar.value for bar in ranking.bars])
    figure_width = max(text_width(write(bar.value), SIZE, bold=bar.is_open) for bar in shown)
    widest = max(text_width(bar.label, SIZE, bold=bar.is_open) for bar in shown)
    label_width = min(widest, 0.42 * box.width)
    start = box.left + label_width + 6
    stop = box.right - figure_width - 16
    reaches = [reach for bar in shown for reach in (bar.fill, bar.outline or 0.0) if math.isfinite(reach)]
    longest = max(reaches, default=0.0)
    scale = (stop - start) / longest if longest > 0 else 0.0
    for row, bar in enumerate(shown):
        middle = top + (row + 0.5) * row_height
        weight: Weight = "bold" if bar.is_open else "normal"
        page.words(bar.label, start - 6, middle + 3.3, anchor="end", weight=weight, within=label_width)
        _draw_bar(page, bar, start, middle, scale)
        _draw_direction(page, bar, stop + 8, middle)
        page.words(write(bar.value), box.right, middle + 3.3, anchor="end", weight=weight)
    bottom = top + len(shown) * row_height
    page.add("line", x1=start, x2=start, y1=top, y2=bottom, stroke=INK, stroke_width=0.6)
    if n_left_out > 0:
        plural = "s" if n_left_out > 1 else ""
        page.words(f"and {n_left_out:,} more feature{plural}", start, bottom + 10, size=SMALL, fill=QUIET)
        bottom += 12
    page.close()
    return bottom


def rows_shown(bars: Sequence[Bar], n_rows: int) -> list[Bar]:
    """Choose the first bars, the open feature among them: it takes the last place if it ranks below."""
    if len(bars) <= n_rows:
        return list(bars)
    n_rows = max(1, n_rows - 1)  # the last row says how many are left out
    shown = list(bars[:n_rows])
    below = [bar for bar in bars[n_rows:] if bar.is_open]
    return [*shown[: n_rows - 1], *below] if below else shown


def _draw_key(page: Page, decay: float, box: Box, baseline: float) -> None:
    left = box.left
    page.add("rect", x=left + 0.4, y=baseline - 6.2, width=10, height=6.4, fill=_BAR)
    left += 15 + page.words(f"decay {decay:g}", left + 15, baseline, size=SMALL, fill=QUIET) + 12
    frame: dict[str, str | float] = {"fill": "none", "stroke": _OUTLINE, "stroke_width": 0.7}
    page.add("rect", x=left + 0.4, y=baseline - 6.2, width=10, height=6.4, **frame)
    page.words("impact (no decay)", left + 15, baseline, size=SMALL, fill=QUIET, within=box.right - left - 15)


def _draw_bar(page: Page, bar: Bar, start: float, middle: float, scale: float) -> None:
    if math.isfinite(bar.fill):
        fill = _BAR_OPEN if bar.is_open else _BAR
        page.add("rect", x=start, y=middle - 4.2, width=max(0.0, bar.fill) * scale, height=8.4, fill=fill)
    if bar.outline is not None and math.isfinite(bar.outline):
        page.add(
            "rect",
            x=start,
            y=middle - 5.4,
            width=max(0.0, bar.outline) * scale,
            height=10.8,
            fill="none",
            stroke=_OUTLINE,
            stroke_width=0.7,
        )


def _draw_direction(page: Page, bar: Bar, x: float, middle: float) -> None:
    """Draw a small triangle: the curves rise or fall on average."""
    if not math.isfinite(bar.direction) or bar.direction == 0:
        return
    reach = 2.6 if bar.direction > 0 else -2.6
    points = f"{px(x - 3)},{px(middle + reach)} {px(x + 3)},{px(middle + reach)} {px(x)},{px(middle - reach)}"
    page.add("polygon", points=points, fill=QUIET)
