"""Panel of the open feature: curves, marks and axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.dates import unit_of
from ice_explorer.features.display_axis import MISSING
from ice_explorer.features.number_text import Tick, thousands_separator, ticks
from ice_explorer.figures.curve_marks import RUG, draw_rug
from ice_explorer.figures.legend import draw_key, draw_legend
from ice_explorer.figures.level_marks import SLOT_GAP, SLOT_WIDTH, Slot, draw_level_labels, strips_of
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
from ice_explorer.scene.lines import ROUNDING

if TYPE_CHECKING:
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.scene import Scene

_STRIP: Final = 22.0  # height of the histogram, and of the spread of the slopes
_AIR: Final = 4.0
_TICK_ROOM: Final = 36.0  # px of an axis for one step
_TICK: Final = Style(stroke=INK, width=0.7)

RANGE_TEXT: Final = "share of prediction range"
NO_SLOPE_TEXT: Final = "A constant feature has no slope."
_LEAST_SHARE: Final = 1e-4  # an axis of less is one of rounding, or of lines that do not move
_FEW_VALUES: Final = 6  # features with no more have a tick for each
_LEVEL_GAP: Final = 0.36  # share of a level's room that its bar of the data leaves free
_SLOT_BAR: Final = 11.0  # half the width of the bar of missing values
_LEADING: Final = 11.5
_SENTENCE: Final = 12.5  # from one line of the sentence to the next


def draw_curves(page: Page, scene: Scene, box: Box, *, title: bool | str = True, sentence: str = "") -> float:
    """Draw the panel of the open feature from the top of a box, under a title and a sentence; return where it ends."""
    lines = scene.lines
    with page.group("curves"):
        below = box.top
        if title is not False:
            below = _draw_heading(page, scene, box, scene.heading if title is True else title)
            below = draw_sentence(page, sentence, box, below)
        below = _draw_titles(page, scene, box, below)
        if lines.remark is not None:
            for text in wrapped(printable(lines.remark), box.width, SMALL):
                below += _LEADING
                page.words(text, box.left, below, size=SMALL, fill=QUIET, within=box.width)
        plot = _Panel.fitted(page, scene, box, below + 8)
        plot.draw_y_axis()
        below = plot.area.bottom
        share = None
        if lines.is_empty:
            middle = (plot.area.top + plot.area.bottom) / 2
            page.words(NO_SLOPE_TEXT, plot.area.left + 8, middle, fill=QUIET)
        else:
            share = plot.draw_inside()
            if lines.kind == "d-ice":
                below = plot.draw_slope_spread(box)
        if lines.has_rug:
            draw_rug(page, plot.strips, lines, below)
            below += RUG
        axis = below + _AIR + _STRIP
        plot.draw_histogram(axis)
        below = plot.draw_x_axis(box, axis)
        below = draw_key(page, scene, box, below + 15, share)
        below = draw_legend(page, scene.coloring, box, below + 14)
    return below + 2


def _draw_heading(page: Page, scene: Scene, box: Box, heading: str) -> float:
    baseline = box.top + TITLE
    facts = scene.row_count
    room = box.width - text_width(facts, SMALL) - 12
    page.words(heading, box.left, baseline, size=TITLE, bold=True, within=room)
    page.words(facts, box.right, baseline, size=SMALL, fill=QUIET, anchor="end")
    return baseline + 4


def draw_sentence(page: Page, sentence: str, box: Box, top: float) -> float:
    """Set a sentence in lines under a title; return where it ends."""
    with page.group("sentence"):
        for line in wrapped(printable(sentence), box.width, SIZE):
            top += _SENTENCE
            page.words(line, box.left, top, within=box.width)
    return top + 4


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

    y_ticks: tuple[Tick, ...]
    share_ticks: tuple[Tick, ...]

    @classmethod
    def fitted(cls, page: Page, scene: Scene, box: Box, top: float) -> _Panel:
        """Leave room for the labels on either side."""
        lines = scene.lines
        height = min(230.0, max(140.0, 0.5 * box.width))
        n_steps = max(2, round(height / _TICK_ROOM))
        y_ticks = tuple(ticks(*lines.y_domain, n_steps))
        share_ticks = tuple(_share_ticks(lines, n_steps - 1))
        left = box.left + max((text_width(tick.label, SMALL) for tick in y_ticks), default=0.0) + 6
        right = box.right - max((text_width(tick.label, SMALL) + 8 for tick in share_ticks), default=3.0)
        if lines.missing is not None:
            right -= SLOT_GAP + SLOT_WIDTH
        # On whole pixels of the image that the lines may become.
        pixel = PX_PER_INCH / page.dpi
        area = Box(*(round(edge / pixel) * pixel for edge in (left, top, right, top + height)))
        x = Axis(lines.x_domain, (area.left, area.right))
        y = Axis(lines.y_domain, (area.bottom, area.top))
        return cls(
            page=page,
            lines=lines,
            coloring=scene.coloring,
            area=area,
            strips=strips_of(lines, area, x, y),
            x=x,
            y=y,
            y_ticks=y_ticks,
            share_ticks=share_ticks,
        )

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
        page, area, lines, spread = self.page, self.area, self.lines, self.lines.spread
        top = area.bottom + _AIR
        bottom = top + _STRIP
        tallest = max(float(spread.max()), ROUNDING * float(np.abs(lines.values).max(initial=0.0)))
        if lines.is_cut:  # where a step is cut off above, its spread is cut off as well
            tallest = min(tallest, (self.y.domain[1] - self.y.domain[0]) / 2)
        height = Axis((0.0, tallest if tallest > 0 else 1.0), (bottom, top + 2))
        places = self.x.many(self.lines.x)
        x = np.concatenate([places, [places[-1], places[0]]])
        y = np.concatenate([height.many(np.minimum(spread, height.domain[1])), [bottom, bottom]])
        within = Box(area.left, top, area.right, bottom) if lines.cuts[0] else None
        with page.group("slope-spread", within):
            page.add(Path(x, y, Style(fill="#8d99a6", opacity=0.55), closed=True))
        with page.group("slope-spread-axis"):
            page.line(area.left, bottom, area.right, bottom, Style(stroke=RULE, width=0.8))
            room = area.left - 6 - box.left
            page.words("SD", area.left - 6, bottom - 1, size=SMALL, fill=QUIET, anchor="end", within=room)
        return bottom

    def draw_histogram(self, axis: float) -> None:
        """Stand the data on the axis: they say how much to believe."""
        counts, slot, missing = self.lines.histogram_counts, self.strips.slot, self.lines.missing
        n_missing = 0 if missing is None else missing.count
        tallest = max(float(counts.max(initial=0.0)), float(n_missing))
        places = self.x.many(self.lines.histogram_edges)
        seen = (places[1:] > self.area.left) & (places[:-1] < self.area.right)
        counts = np.where(seen, counts, 0.0)
        edges = np.clip(places, self.area.left, self.area.right)
        bins = list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True))
        if slot is not None and n_missing:
            bins.append((slot.at - _SLOT_BAR, slot.at + _SLOT_BAR, float(n_missing)))
        share = _LEVEL_GAP / 2 if self.lines.axis.has_levels else 0.0
        with self.page.group("histogram"):
            for left, right, count in bins:
                if count == 0:
                    continue
                height = max(0.8, count / tallest * (_STRIP - 1))
                gap = share * (right - left) if share else 0.4 if right - left > 3 else 0.0
                width = max(0.4, right - left - 2 * gap)
                self.page.add(Rect(left + gap, axis - height, width, height, Style(fill=HISTOGRAM)))

    def draw_x_axis(self, box: Box, axis: float) -> float:
        """Ticks, labels that do not touch, and the name of the feature; return its baseline."""
        page, area, slot = self.page, self.area, self.strips.slot
        with page.group("x-axis"):
            page.line(area.left, axis, area.right, axis, _TICK)
            if slot is not None:
                _draw_missing_axis(page, slot, area.top, axis)
            below = axis + 12.5
            if self.lines.axis.has_levels:
                below = draw_level_labels(page, self.lines, self.x, box, axis)
            else:
                self._draw_ticks(box if slot is None else replace(box, right=slot.left), axis)
            middle = (area.left + area.right) / 2
            page.words(self.lines.x_title, middle, below + 12.5, anchor="middle", within=area.width)
        return below + 12.5

    def _draw_ticks(self, box: Box, axis: float) -> None:
        page, free = self.page, box.left
        for tick in x_ticks(self.lines, self.area.width):
            at = self.x(tick.value)
            page.line(at, axis, at, axis + 3.5, _TICK)
            half = text_width(tick.label, SMALL) / 2
            centre = min(max(at, box.left + half), box.right - half)
            if centre - half >= free:
                page.words(tick.label, centre, axis + 12.5, size=SMALL, fill=QUIET, anchor="middle")
                free = centre + half + 5


def _draw_missing_axis(page: Page, slot: Slot, top: float, axis: float) -> None:
    """Draw a baseline and a tick beside the axis: a missing value has no place on it."""
    edge = slot.left - SLOT_GAP / 2
    page.line(edge, top, edge, axis, Style(stroke=QUIET, width=0.5, dash=(1.5, 2.2)))
    page.line(slot.left, axis, slot.right, axis, _TICK)
    page.line(slot.at, axis, slot.at, axis + 3.5, _TICK)
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


def x_ticks(lines: Lines, width: float) -> list[Tick]:
    """Ticks of the feature's axis: the feature's values if there are few, else round numbers."""
    grid, kind = lines.grid, lines.axis.kind
    if kind == "boolean" or len(grid) <= _FEW_VALUES or lines.axis.has_levels:
        low, high = lines.x_domain
        return [Tick(float(value), lines.write(float(value))) for value in grid if low <= value <= high]
    low, high = lines.x_domain
    if kind == "datetime":
        return [Tick(*tick) for tick in lines.axis.clock.ticks(low, high, max(2, round(width / 70)))]
    n_steps = max(2, round(width / 52))
    separator = thousands_separator(grid)
    if kind == "timedelta":
        per_day = unit_of(grid).per_day
        marks = ticks(low * per_day, high * per_day, n_steps, separator=separator)
        return [Tick(tick.value / per_day, tick.label) for tick in marks]
    return ticks(low, high, n_steps, whole=bool(np.all(grid == np.round(grid))), separator=separator)
