"""Small plot of a feature: name, curves, axis limits and a histogram."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.number_text import column_format, number_text, plural, ticks
from ice_explorer.figures.curves_panel import x_ticks
from ice_explorer.figures.level_marks import draw_level_labels, labels_height, strips_of
from ice_explorer.figures.page.lettering import text_width
from ice_explorer.figures.page.page import HISTOGRAM, INK, PX_PER_INCH, QUIET, RULE, SMALL, Axis, Box, Rect, Style
from ice_explorer.figures.plot_area import Plot

if TYPE_CHECKING:
    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.scene import Small

NO_SLOPES: Final = "Levels without an order have no slopes."

_HEAD: Final = 16.0
_FOOT: Final = 11.0  # room for the ends of the axis
_STRIP: Final = 12.0  # height of the histogram, and the air over it
_AIR: Final = 3.0  # over and under the outermost line
_SLOT: Final = (6.0, 13.0)  # distance and width of the strip for missing values
_LEAST_LEFT: Final = 22.0
_TICK_ROOM: Final = 36.0  # px of an axis for one step
_TITLE_ROOM: Final = 13.0  # of the axis, under its ticks
_FLAT: Final = 1e-5  # shares of the values below which their range is rounding
_FLAT_SLOPES: Final = 1e-3
_LEVEL_GAP: Final = 0.36
_BASELINE: Final = Style(stroke=INK, width=0.6)


def name_room(width: float, figure: str) -> float:
    """How wide the name of a feature may be beside its figure."""
    return width - (text_width(figure, SMALL) + 8 if figure else 0.0)


def foot_of(lines: Lines, width: float) -> float:
    """Return the room that ticks or levels and the title take under the axis of a plot so wide."""
    if not lines.axis.has_levels:
        return 12.5 + _TITLE_ROOM
    return labels_height(lines, (width - 2 * _LEAST_LEFT) / len(lines.grid)) + _TITLE_ROOM


def draw_small(
    page: Page,
    small: Small,
    box: Box,
    *,
    figure: str = "",
    is_open: bool = False,
    name: str | None = None,
    foot: float | None = None,
) -> None:
    """Draw a feature into a box, with a figure beside its name, which was cut already or is cut here.

    With a `foot`, the room under the axis, both axes have ticks and titles; without one, their ends are written.
    """
    lines = small.lines
    room = name_room(box.width, figure)
    page.words(lines.feature, box.left, box.top + 8, size=SMALL, bold=is_open, within=room, cut=name)
    if figure:
        page.words(figure, box.right, box.top + 8, size=SMALL, fill=QUIET, anchor="end")
    inner = replace(box, top=box.top + _HEAD)
    if not small.has_picture or lines.is_empty:
        text = NO_SLOPES if not small.has_picture else "Nothing to draw."
        page.words(text, box.left, (inner.top + inner.bottom) / 2, size=SMALL, fill=QUIET, within=box.width)
        return
    if foot is not None:
        page.words(lines.y_title, box.left, inner.top + 4, size=SMALL, fill=QUIET, within=box.width)
        inner = replace(inner, top=inner.top + 12)
    _draw_plot(page, small, inner, foot)


def _draw_plot(page: Page, small: Small, box: Box, foot: float | None) -> None:
    lines = small.lines
    axis = box.bottom - (_FOOT if foot is None else foot)
    ends, domain = _y_axis(small, axis - _STRIP - box.top)
    if foot is not None:
        ends = [(tick.value, tick.label) for tick in ticks(*domain, max(2, round((axis - box.top) / _TICK_ROOM)))]
    left = box.left + max(_LEAST_LEFT, max(text_width(text, SMALL) for _, text in ends) + 5)
    right = box.right - (sum(_SLOT) if lines.missing is not None else 0.0)
    pixel = PX_PER_INCH / page.dpi
    area = Box(*(round(edge / pixel) * pixel for edge in (left, box.top, right, axis - _STRIP)))
    x, y = Axis(lines.x_domain, (area.left, area.right)), Axis(domain, (area.bottom, area.top))
    plot = Plot(page, lines, small.coloring, area, strips_of(lines, area, x, y, gap=_SLOT[0], width=_SLOT[1]), x, y)
    outer = area.right if plot.strips.slot is None else plot.strips.slot.right
    for value, text in ends:
        page.line(area.left, y(value), outer, y(value), Style(stroke=RULE, width=0.7))
        page.words(text, area.left - 4, y(value) + 3, size=SMALL, fill=QUIET, anchor="end")
    if lines.kind != "ice" and domain[0] <= 0 <= domain[1]:
        page.line(area.left, y(0.0), outer, y(0.0), Style(stroke=QUIET, width=0.5))
    plot.draw_small()
    _draw_data(page, plot, axis)
    if foot is None:
        _draw_ends(page, lines, Box(area.left, axis, area.right, box.bottom))
    else:
        _draw_ticks(page, plot, box, axis)


def _y_axis(small: Small, height: float) -> tuple[list[tuple[float, str]], tuple[float, float]]:
    """Return the ends of the value axis as they are written, and what it reaches over."""
    low, high = small.y_span
    flat = _FLAT_SLOPES if small.lines.kind == "d-ice" else _FLAT
    if high - low <= flat * max(abs(low), abs(high)):
        pad = abs(low) * 0.05 or 0.5
        return [(low, number_text(low))], (low - pad, high + pad)
    pad = (high - low) * _AIR / (height - 2 * _AIR)
    write = column_format([10 * (high - low)])
    return [(low, write(low)), (high, write(high))], (low - pad, high + pad)


def _draw_data(page: Page, plot: Plot, axis: float) -> None:
    """Stand the data on the axis, those that lack the value beside it."""
    lines, area, slot = plot.lines, plot.area, plot.strips.slot
    counts, missing = lines.histogram_counts, lines.missing
    tallest = max(1.0, float(counts.max(initial=0.0)), 0.0 if missing is None else float(missing.count))
    edges = np.clip(plot.x.many(lines.histogram_edges), area.left, area.right)
    share = _LEVEL_GAP / 2 if lines.axis.has_levels else 0.0
    bars = [
        (left + share * (right - left), right - share * (right - left), count)
        for left, right, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]
    if slot is not None and missing is not None:
        bars.append((slot.at - 4, slot.at + 4, float(missing.count)))
        page.line(slot.left, axis, slot.right, axis, _BASELINE)
    for left, right, count in bars:
        if count > 0:
            height = max(0.6, count / tallest * (_STRIP - 3))
            page.add(Rect(left, axis - height, max(0.4, right - left), height, Style(fill=HISTOGRAM)))
    page.line(area.left, axis, area.right, axis, _BASELINE)


def _draw_ticks(page: Page, plot: Plot, box: Box, axis: float) -> None:
    """Write ticks or levels under the axis, and its title at the bottom of the box."""
    lines, area = plot.lines, plot.area
    if lines.axis.has_levels:
        draw_level_labels(page, lines, plot.x, box, axis)
    free = box.left
    for tick in [] if lines.axis.has_levels else x_ticks(lines, area.width):
        at, half = plot.x(tick.value), text_width(tick.label, SMALL) / 2
        page.line(at, axis, at, axis + 3.5, _BASELINE)
        centre = min(max(at, box.left + half), box.right - half)
        if centre - half >= free:
            page.words(tick.label, centre, axis + 12.5, size=SMALL, fill=QUIET, anchor="middle")
            free = centre + half + 5
    page.words(lines.x_title, box.right, box.bottom, size=SMALL, fill=QUIET, anchor="end", within=box.width)


def _draw_ends(page: Page, lines: Lines, box: Box) -> None:
    """Write the ends of the feature's axis; levels without an order have none."""
    grid, baseline = lines.grid, box.top + 9
    first, last = lines.write(float(grid[0])), lines.write(float(grid[-1]))
    if lines.axis.is_unordered:
        first, last = plural(len(grid), "level"), ""
    elif lines.axis.kind == "datetime":
        first, last = lines.axis.clock.span_texts(float(grid[0]), float(grid[-1]))
    elif len(grid) == 1:
        last = ""
    room = box.width - 8
    used = page.words(first, box.left, baseline, size=SMALL, fill=QUIET, within=room * (0.5 if last else 1.0))
    if last:
        page.words(last, box.right, baseline, size=SMALL, fill=QUIET, anchor="end", within=room - used)
