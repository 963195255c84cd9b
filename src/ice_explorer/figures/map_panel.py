"""Map of the features by heterogeneity, non-linearity and impact."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ice_explorer.features.axis_text import ticks
from ice_explorer.figures.map_labels import Labelled, label_boxes, place_labels
from ice_explorer.figures.page.lettering import elide_apart, text_width, wrapped
from ice_explorer.figures.page.page import INK, QUIET, RULE, SMALL, TITLE, Axis, Box, Circle, Style, printable
from ice_explorer.scene.scene import UNIT_TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.importance import Importance
    from ice_explorer.scene.scene import Bar, Ranking

_HEIGHT: Final = 1.05  # of the plot, for its width
_TALLEST: Final = 260.0
_LEADING: Final = 11.0
_STRIP: Final = 34.0  # for features without a non-linearity
_INSET: Final = 9.0  # zero stands so far from the axes, so that points there do not lie on the figures
_RIGHT: Final = 10.0
_LARGEST: Final = 12.0  # radius where there are few points, and where there are very many
_LARGEST_OF_MANY: Final = 5.5
_SMALLEST: Final = 1.4
_FEW: Final = 60  # more points are drawn smaller, so that they do not hide each other
_LEAST_AXIS: Final = 0.01  # share of the largest impact; below lies the rounding of a model that is linear
_BREATH: Final = 1.08
_MOST_LABELS: Final = 14
_CANDIDATES: Final = 40
_LABEL_HEIGHT: Final = 10.0
_LONGEST_LABEL: Final = 92.0
_TICK_ROOM: Final = 46.0
_NO_ORDER: Final = "levels without an order"
_RIM: Final = Style(fill="#3f6d9b", stroke="#ffffff", width=0.7, opacity=0.72)
_OF_SHARES: Final = 3.5  # radius where both figures are on the axes


@dataclass(frozen=True)
class _Map:
    """Where things stand."""

    area: Box
    strip: float | None  # the middle of what has no non-linearity
    axis: float
    x: Axis
    y: Axis

    def ordinate(self, bar: Bar) -> float:
        """How high a feature stands; beside the axis where it has no non-linearity."""
        beside = self.area.bottom if self.strip is None else self.strip
        return beside if math.isnan(bar.non_linearity) else self.y(bar.non_linearity)


@dataclass(frozen=True)
class _Point(Labelled):
    bar: Bar
    text: str


def draw_map(page: Page, ranking: Ranking, box: Box) -> float:
    """Draw the features as points from the top of a box; return where the map ends."""
    with page.group("map"):
        below = box.top + TITLE
        page.words("Map of the features", box.left, below, size=TITLE, bold=True, within=box.width)
        text = f"Up: more curved. Right: differs more between rows. Area: {ranking.title}."
        if ranking.counted:
            text += f" {ranking.counted.capitalize()}."
        for line in wrapped(text, box.width, SMALL):
            below += _LEADING
            page.words(line, box.left, below, size=SMALL, fill=QUIET, within=box.width)
        below += _LEADING + 4
        unit = f" ({UNIT_TITLES[ranking.unit]})" if UNIT_TITLES[ranking.unit] else ""
        page.words(f"non-linearity{unit}", box.left, below, size=SMALL, fill=QUIET, within=box.width)
        placed = [bar for bar in ranking.bars if not math.isnan(bar.heterogeneity)]
        if not placed:
            page.words("No feature has the metrics that the map needs.", box.left, below + 24, size=SMALL)
            return below + 28
        height = min(_TALLEST, _HEIGHT * box.width)
        drawn = _fitted(page, ranking.bars, replace(box, top=below + 8, bottom=below + 8 + height))
        points = _points(ranking, placed, drawn)
        for point in sorted(points, key=lambda each: -each.radius):
            page.add(Circle(point.x, point.y, point.radius, _RIM))
        _draw_labels(page, points, drawn)
        page.words(f"heterogeneity{unit}", drawn.area.right, drawn.axis + 24, size=SMALL, fill=QUIET, anchor="end")
    return drawn.axis + 27


def draw_importance(page: Page, ranking: Ranking, shown: Importance, box: Box) -> float:
    """Draw the features as points at their shares of impact and of another measure; return where the map ends."""
    with page.group("map"):
        below = box.top + TITLE
        page.words("Map of the features", box.left, below, size=TITLE, bold=True, within=box.width)
        text = (
            f"{shown.sentence} Each axis sums to 100 %; on the diagonal both agree." if shown.impact else shown.sentence
        )
        for line in wrapped(printable(text), box.width, SMALL):
            below += _LEADING
            page.words(line, box.left, below, size=SMALL, fill=QUIET, within=box.width)
        if not shown.impact:
            return below + 4
        below += _LEADING + 4
        page.words(f"{shown.title} (%)", box.left, below, size=SMALL, fill=QUIET, within=box.width)
        height = min(_TALLEST, _HEIGHT * box.width)
        end = max([*shown.impact.values(), *shown.importance.values()]) * _BREATH or 1.0
        drawn = _axes(page, end, end, replace(box, top=below + 8, bottom=below + 8 + height), beside=False)
        page.line(drawn.x(0), drawn.y(0), drawn.x(end), drawn.y(end), Style(stroke=QUIET, width=0.5, dash=(1.5, 2.2)))
        placed = [bar for bar in ranking.bars if bar.label in shown.impact]
        texts = _names(placed)
        points = [
            _Point(
                drawn.x(shown.impact[bar.label]), drawn.y(shown.importance[bar.label]), _OF_SHARES,
                text_width(text, SMALL, bold=True), bar, text,
            )
            for bar, text in zip(placed, texts, strict=True)
        ]  # fmt: skip
        for point in points:
            page.add(Circle(point.x, point.y, point.radius, _RIM))
        _draw_labels(page, points, drawn)
        page.words(f"{shown.impact_title} (%)", drawn.area.right, drawn.axis + 24, size=SMALL, fill=QUIET, anchor="end")
    return drawn.axis + 27


def _fitted(page: Page, bars: Sequence[Bar], box: Box) -> _Map:
    """Fit the axes to figures that do not decay, and draw them."""
    least = _LEAST_AXIS * max((bar.impact for bar in bars if math.isfinite(bar.impact)), default=0.0)

    def end(values: Sequence[float]) -> float:
        return (max([least, *(value for value in values if math.isfinite(value))]) or 1.0) * _BREATH

    beside = any(math.isfinite(bar.heterogeneity) and math.isnan(bar.non_linearity) for bar in bars)
    high, far = end([bar.non_linearity for bar in bars]), end([bar.heterogeneity for bar in bars])
    return _axes(page, far, high, box, beside=beside)


def _axes(page: Page, far: float, high: float, box: Box, *, beside: bool) -> _Map:
    """Draw axes from 0 to their ends, and a strip beside them."""
    axis = box.bottom
    bottom = axis - _STRIP if beside else axis
    up = ticks(0.0, high, max(2, int((bottom - box.top) // _TICK_ROOM)))
    left = box.left + max(text_width(tick.label, SMALL) for tick in up) + 6
    area = Box(left, box.top, box.right - _RIGHT, bottom)
    x = Axis((0.0, far), (area.left + _INSET, area.right))
    y = Axis((0.0, high), (area.bottom - _INSET, area.top))
    for tick in up:
        page.line(area.left, y(tick.value), area.right, y(tick.value), Style(stroke=RULE, width=0.8))
        page.words(tick.label, area.left - 6, y(tick.value) + 3, size=SMALL, fill=QUIET, anchor="end")
    page.line(area.left, axis, area.right, axis, Style(stroke=INK, width=0.7))
    for tick in ticks(0.0, far, max(2, int(area.width // _TICK_ROOM))):
        page.line(x(tick.value), axis, x(tick.value), axis + 3.5, Style(stroke=INK, width=0.7))
        page.words(tick.label, x(tick.value), axis + 12.5, size=SMALL, fill=QUIET, anchor="middle")
    if not beside:
        return _Map(area, None, axis, x, y)
    edge = bottom + 4
    page.line(area.left, edge, area.right, edge, Style(stroke=QUIET, width=0.5, dash=(1.5, 2.2)))
    page.words(_NO_ORDER, area.right, edge + 9, size=SMALL, fill=QUIET, anchor="end", within=area.width)
    return _Map(area, axis - _LARGEST * 0.8, axis, x, y)


def _points(ranking: Ranking, placed: Sequence[Bar], drawn: _Map) -> list[_Point]:
    """Return the points, the strongest first; the longest bar of the ranking is the largest point here."""
    largest = ranking.longest or 1.0
    reach = max(_LARGEST_OF_MANY, _LARGEST * min(1.0, _FEW / len(ranking.bars)) ** 0.25)
    points = []
    for bar, text in zip(placed, _names(placed), strict=True):
        share = max(0.0, bar.value) / largest if math.isfinite(bar.value) else 0.0
        x, y, radius = drawn.x(bar.heterogeneity), drawn.ordinate(bar), max(_SMALLEST, reach * math.sqrt(share))
        points.append(_Point(x, y, radius, text_width(text, SMALL, bold=True), bar, text))
    return points


def _names(placed: Sequence[Bar]) -> list[str]:
    """Return what each point is called, short enough."""
    names = [printable(bar.label) for bar in placed]
    return elide_apart(names, _LONGEST_LABEL, SMALL, range(len(names)))


def _draw_labels(page: Page, points: Sequence[_Point], drawn: _Map) -> None:
    """Label the strongest features and the open one, which has a ring."""
    strongest = [*points[:_CANDIDATES], *(point for point in points[_CANDIDATES:] if point.bar.is_open)]
    area = drawn.area
    frame = Box(area.left, area.top - 8, area.right + _RIGHT, drawn.axis)
    edge = area.bottom + 4
    words = Box(area.right - text_width(_NO_ORDER, SMALL), edge, area.right, edge + 11)
    reserved = [] if drawn.strip is None else [words, Box(area.left, edge - 0.5, area.right, edge + 0.5)]
    sides = place_labels(strongest, _LABEL_HEIGHT, frame, reserved, _MOST_LABELS)
    for point, side in zip(strongest, sides, strict=True):
        if point.bar.is_open:
            page.add(Circle(point.x, point.y, point.radius, Style(stroke=INK, width=1.4)))
        if side is None and not point.bar.is_open:
            continue
        place = label_boxes(point, _LABEL_HEIGHT, frame)[side or "above"]
        page.words(point.text, place.left, place.bottom - 2.5, size=SMALL, bold=point.bar.is_open)
