"""Panel of the open feature: curves, marks and axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.axis_text import MISSING, Tick, ticks
from ice_explorer.figures.curve_marks import RUG, draw_rug
from ice_explorer.figures.legend import draw_key, draw_legend
from ice_explorer.figures.level_marks import draw_level_labels, strips_of
from ice_explorer.figures.page.lettering import text_width, wrapped
from ice_explorer.figures.page.page import (
    HISTOGRAM,
    INK,
    PX_PER_INCH,
    QUIET,
    RULE,
    SIZE,
    SMALL,
    TITLE,
    Axis,
    Box,
    Page,
    Path,
    Rect,
    Style,
    printable,
)
from ice_explorer.figures.plot_area import Plot
from ice_explorer.scene.palette import UNLIKE
from ice_explorer.scene.words import axis_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.figures.level_marks import Slot
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.scene import Scene

_AIR: Final = 4.0
_LEVEL_SHARE: Final = 0.32  # of a level's room, half the width of its bar
_SINGLE_BAR: Final = 12.0  # px, half the width of the bar of a single value
_TICK_ROOM: Final = 36.0  # px of an axis for one step
_LEAST_TICKED: Final = 220.0  # px: a shorter axis has as many ticks, of which those are left out that would touch
_TICK: Final = Style(stroke=INK, width=0.7)

UNLIKE_TEXT: Final = "unlike"
RANGE_TEXT: Final = "share of prediction range"
NO_SLOPE_TEXT: Final = "A constant feature has no slope."
_LEAST_SHARE: Final = 1e-4  # an axis of less is one of rounding, or of lines that do not move
_LEADING: Final = 11.5
_SENTENCE: Final = 12.5  # from one line of the sentence to the next


@dataclass(frozen=True)
class Size:
    """Lengths of a plot [px].

    `strip` is the height of the histogram and of the spread of the slopes, `left` the least room for the labels of the
    value axis, `gap` and `slot` the distance and the width of the strip for missing values.
    """

    strip: float
    left: float
    gap: float
    slot: float


LARGE: Final = Size(strip=22.0, left=0.0, gap=12.0, slot=38.0)
SMALL_SIZE: Final = Size(strip=12.0, left=22.0, gap=6.0, slot=13.0)


def draw_curves(page: Page, scene: Scene, box: Box, *, title: bool | str = True, sentence: str = "") -> float:
    """Draw the panel of the open feature from the top of a box, under a title and a sentence; return where it ends."""
    lines = scene.lines
    with page.group("curves"):
        below = draw_heading(page, scene, box, title=title, sentence=sentence)
        for note in lines.notes:
            below = _draw_remark(page, note, box, below)
        below = _draw_titles(page, scene, box, below + (4 if lines.notes else 0))
        if lines.remark is not None:
            below = _draw_remark(page, lines.remark, box, below)
        height = min(230.0, max(140.0, 0.5 * box.width))
        below = draw_plot(page, lines, scene.coloring, replace(box, top=below + 8), height)
        below = draw_key(page, scene, box, below + 15)
        below = draw_legend(page, scene.coloring, box, below + 14)
    return below + 2


def _draw_remark(page: Page, remark: str, box: Box, below: float) -> float:
    for text in wrapped(printable(remark), box.width, SMALL):
        below += _LEADING
        page.words(text, box.left, below, size=SMALL, fill=QUIET, within=box.width)
    return below


def draw_heading(page: Page, scene: Scene, box: Box, *, title: bool | str, sentence: str) -> float:
    """Write the title, how many rows are drawn, and a sentence; return where they end."""
    if title is False:
        return box.top
    baseline = box.top + TITLE
    heading, facts = scene.heading if title is True else title, scene.row_count
    page.words(heading, box.left, baseline, size=TITLE, bold=True, within=box.width - text_width(facts, SMALL) - 12)
    page.words(facts, box.right, baseline, size=SMALL, fill=QUIET, anchor="end")
    baseline += 4
    with page.group("sentence"):
        for line in wrapped(printable(sentence), box.width, SIZE):
            baseline += _SENTENCE
            page.words(line, box.left, baseline, within=box.width)
    return baseline + 4


def draw_plot(
    page: Page, lines: Lines, coloring: Coloring, box: Box, height: float, *, size: Size = LARGE, has_title: bool = True
) -> float:
    """Draw curves of some height with their axes; return where that ends."""
    plot = _Panel.fitted(page, lines, coloring, replace(box, bottom=box.top + height), size)
    plot.draw_y_axis()
    below = plot.area.bottom
    if lines.is_empty:
        middle = (plot.area.top + plot.area.bottom) / 2
        page.words(NO_SLOPE_TEXT, plot.area.left + 8, middle, fill=QUIET, within=plot.area.width - 8)
    else:
        plot.draw_inside()
        if lines.kind == "d-ice" and not plot.is_small:
            below = plot.draw_slope_spread(box)
    if lines.has_rug:
        draw_rug(page, plot.strips, lines, below)
        below += RUG
    if lines.unlike is not None:
        below = plot.draw_unlike(box, below, lines.unlike)
    axis = below + _AIR + size.strip
    plot.draw_histogram(axis)
    return plot.draw_x_axis(box, axis, has_title=has_title)


def _draw_titles(page: Page, scene: Scene, box: Box, top: float) -> float:
    baseline = top + TITLE
    room = box.width
    if _has_shares(scene.lines):
        room -= 12 + page.words(RANGE_TEXT, box.right, baseline, size=SMALL, fill=QUIET, anchor="end")
    page.words(scene.lines.y_title, box.left, baseline, size=SMALL, fill=QUIET, within=room)
    return baseline


@dataclass(frozen=True)
class _Panel(Plot):
    """The same with its axes and their labels."""

    size: Size
    y_ticks: tuple[Tick, ...]
    share_ticks: tuple[Tick, ...]

    @classmethod
    def fitted(cls, page: Page, lines: Lines, coloring: Coloring, box: Box, size: Size) -> _Panel:
        """Leave room for the labels on either side."""
        n_steps = max(3, round(box.height / _TICK_ROOM))
        y_ticks = tuple(ticks(*lines.y_domain, n_steps))
        share_ticks = tuple(_share_ticks(lines, n_steps - 1)) if size is LARGE else ()
        widths = [text_width(tick.label, SMALL) for tick in y_ticks]
        if lines.unlike is not None:
            widths.append(text_width(UNLIKE_TEXT, SMALL) + 1)
        left = box.left + max(size.left, max(widths, default=0.0) + 6)
        right = box.right - max((text_width(tick.label, SMALL) + 8 for tick in share_ticks), default=3.0)
        if lines.missing is not None:
            right -= size.gap + size.slot
        # On whole pixels of the image that the lines may become.
        pixel = PX_PER_INCH / page.dpi
        area = Box(*(round(edge / pixel) * pixel for edge in (left, box.top, right, box.bottom)))
        x = Axis(lines.x_domain, (area.left, area.right))
        y = Axis(lines.y_domain, (area.bottom, area.top))
        strips = strips_of(lines, area, x, y, gap=size.gap, width=size.slot)
        return cls(page, lines, coloring, area, strips, x, y, size is SMALL_SIZE, size, y_ticks, share_ticks)

    def draw_y_axis(self) -> None:
        """Labels on the left, each with a hairline across; shares of the prediction range on the right."""
        page, area, slot = self.page, self.area, self.strips.slot
        outer = area.right if slot is None else slot.right
        with page.group("y-axis"):
            for tick in self.y_ticks:
                at = self.y(tick.value)
                is_zero = tick.value == 0 and self.lines.kind != "ice"
                rule = Style(stroke=QUIET, width=0.6) if is_zero else Style(stroke=RULE, width=0.8)
                page.line(area.left, at, area.right, at, rule)
                if slot is not None:
                    page.line(slot.left, at, slot.right, at, rule)
                page.words(tick.label, area.left - 6, at + 3, size=SMALL, fill=QUIET, anchor="end")
            for tick in self.share_ticks:
                at = self.y(tick.value)
                page.line(outer, at, outer + 3, at, Style(stroke=QUIET, width=0.6))
                page.words(tick.label, outer + 6, at + 3, size=SMALL, fill=QUIET)

    def draw_slope_spread(self, box: Box) -> float:
        """Draw the standard deviation of the slopes under them: where the lines disagree."""
        page, area = self.page, self.area
        top = area.bottom + _AIR
        bottom = top + self.size.strip
        places, heights = self.x.many(self.lines.x), bottom - self.lines.spread_heights * (self.size.strip - 2)
        x = np.concatenate([places, [places[-1], places[0]]])
        y = np.concatenate([heights, [bottom, bottom]])
        with page.group("slope-spread", Box(area.left, top, area.right, bottom)):
            page.add(Path(x, y, Style(fill="#8d99a6", opacity=0.55), closed=True))
        with page.group("slope-spread-axis"):
            page.line(area.left, bottom, area.right, bottom, Style(stroke=RULE, width=0.8))
            room = area.left - 6 - box.left
            page.words("SD", area.left - 6, bottom - 1, size=SMALL, fill=QUIET, anchor="end", within=room)
        return bottom

    def draw_unlike(self, box: Box, below: float, shares: NDArray[np.float64]) -> float:
        """Draw how many phantom observations at each grid value are unlike 99 % of rows; return where it ends."""
        page, area, lines = self.page, self.area, self.lines
        top = below + _AIR
        bottom, height = top + self.size.strip, self.size.strip - 2
        places, heights = self.x.many(lines.grid), bottom - shares * height
        style = Style(fill=UNLIKE, opacity=0.35)
        with page.group("unlike", Box(area.left, top, area.right, bottom)):
            if lines.axis.has_levels or len(places) == 1:
                half = _LEVEL_SHARE * self.strips.room if lines.axis.has_levels else _SINGLE_BAR
                for at, end in zip(places.tolist(), heights.tolist(), strict=True):
                    page.add(Rect(at - half, end, 2 * half, bottom - end, style))
            else:
                x = np.concatenate([places, [places[-1], places[0]]])
                page.add(Path(x, np.concatenate([heights, [bottom, bottom]]), style, closed=True))
        with page.group("unlike-axis"):
            for level in (bottom - height, bottom):
                page.line(area.left, level, area.right, level, Style(stroke=RULE, width=0.8))
            room = area.left - 6 - box.left
            page.words(UNLIKE_TEXT, area.left - 6, bottom - 1, size=SMALL, fill=QUIET, anchor="end", within=room)
        return bottom

    def draw_histogram(self, axis: float) -> None:
        """Stand the data on the axis: they say how much to believe."""
        left, right, heights, missing = self.lines.data_bars
        bars = list(zip(self.x.many(left).tolist(), self.x.many(right).tolist(), heights.tolist(), strict=True))
        slot = self.strips.slot
        if slot is not None:
            reach = 0.29 * (slot.right - slot.left)
            bars.append((slot.at - reach, slot.at + reach, missing))
        with self.page.group("histogram"):
            for start, stop, share in bars:
                if share == 0:
                    continue
                height = max(0.8, share * (self.size.strip - 1))
                gap = 0.4 if stop - start > 3 and not self.lines.axis.has_levels else 0.0
                width = max(0.4, stop - start - 2 * gap)
                self.page.add(Rect(start + gap, axis - height, width, height, Style(fill=HISTOGRAM)))

    def draw_x_axis(self, box: Box, axis: float, *, has_title: bool) -> float:
        """Ticks, labels that do not touch, and the name of the feature; return the last baseline."""
        page, area, slot = self.page, self.area, self.strips.slot
        with page.group("x-axis"):
            page.line(area.left, axis, area.right, axis, _TICK)
            if slot is not None:
                _draw_missing_axis(page, slot, area, axis, is_named=not self.is_small)
            below = axis + 12.5
            if self.lines.axis.has_levels:
                is_small = self.is_small and not has_title
                grid = self.lines.grid
                levels = [self.lines.write(value) for value in grid.tolist()]
                below = draw_level_labels(page, levels, self.x, grid, box, axis=axis, is_small=is_small)
            else:
                self._draw_ticks(box if slot is None else replace(box, right=slot.left), axis)
            if has_title:
                below += 12.5
                size = SMALL if self.is_small else SIZE
                middle = (area.left + area.right) / 2
                page.words(self.lines.x_title, middle, below, size=size, anchor="middle", within=area.width)
        return below

    def _draw_ticks(self, box: Box, axis: float) -> None:
        width = max(_LEAST_TICKED, self.area.width)
        draw_ticks(self.page, axis_ticks(self.lines.axis, self.lines.x_domain, width), self.x, box, axis)


def draw_ticks(page: Page, marks: Sequence[Tick], x: Axis, box: Box, axis: float) -> None:
    """Draw ticks under an axis, and those of their labels that do not touch."""
    free = box.left
    for tick in marks:
        at = x(tick.value)
        page.line(at, axis, at, axis + 3.5, _TICK)
        half = text_width(tick.label, SMALL) / 2
        centre = min(max(at, box.left + half), box.right - half)
        if centre - half >= free:
            page.words(tick.label, centre, axis + 12.5, size=SMALL, fill=QUIET, anchor="middle")
            free = centre + half + 5


def _draw_missing_axis(page: Page, slot: Slot, area: Box, axis: float, *, is_named: bool) -> None:
    """Draw a baseline and a tick beside the axis: a missing value has no place on it."""
    edge = (area.right + slot.left) / 2
    page.line(edge, area.top, edge, axis, Style(stroke=QUIET, width=0.5, dash=(1.5, 2.2)))
    page.line(slot.left, axis, slot.right, axis, _TICK)
    page.line(slot.at, axis, slot.at, axis + 3.5, _TICK)
    if is_named:
        page.words(MISSING, slot.at, axis + 12.5, size=SMALL, fill=QUIET, anchor="middle")


def _has_shares(lines: Lines) -> bool:
    """Whether the lines of c-ICE move by a share of the prediction range that is worth an axis."""
    low, high = lines.y_domain
    return lines.prediction_span is not None and high - low >= _LEAST_SHARE * lines.prediction_span


def _share_ticks(lines: Lines, n_steps: int) -> list[Tick]:
    """Ticks of the right axis of c-ICE, at values of the left one: shares of the prediction range."""
    span = lines.prediction_span
    if span is None or not _has_shares(lines):
        return []
    low, high = (value / span * 100 for value in lines.y_domain)
    return [
        Tick(tick.value / 100 * span, f"{'+' if tick.value > 0 else ''}{tick.label} %")
        for tick in ticks(low, high, n_steps)
    ]
