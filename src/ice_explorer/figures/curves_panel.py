"""The open feature: its lines, what is drawn over and under them, and its axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.display_axis import MISSING
from ice_explorer.figures.curve_marks import (
    RUG,
    draw_anchor_rule,
    draw_cased,
    draw_edge_arrows,
    draw_group_means,
    draw_rug,
    draw_target,
)
from ice_explorer.figures.legend import BAND, MEAN, SPREAD_EDGE, draw_key, draw_legend
from ice_explorer.figures.lettering import Tick, text_width, ticks, wrapped
from ice_explorer.figures.level_marks import (
    SLOT_GAP,
    SLOT_WIDTH,
    Slot,
    Strips,
    draw_level_labels,
    draw_level_means,
    draw_missing_mean,
    draw_phantoms,
    draw_selected_beside,
    draw_selected_levels,
    strips_of,
)
from ice_explorer.figures.page import (
    INK,
    PX_PER_INCH,
    QUIET,
    RULE,
    SMALL,
    TITLE,
    Axis,
    Box,
    Circle,
    Page,
    Path,
    Picture,
    Rect,
    Style,
    is_within,
    printable,
)
from ice_explorer.figures.raster import (
    LineSet,
    density_peak,
    draw_density,
    draw_lines,
    line_strength,
    line_thickness,
)
from ice_explorer.figures.strips import MOST_CONNECTED
from ice_explorer.figures.strokes import runs, suit_strokes
from ice_explorer.figures.view import ROUNDING
from ice_explorer.moments import date_ticks, unit_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.figures.view import Coloring, Lines, Scene

    Array = NDArray[np.float64]

_STRIP: Final = 22.0  # height of the histogram, and of the spread of the slopes
_AIR: Final = 4.0
_TICK_ROOM: Final = 36.0  # px of an axis for one step
_HISTOGRAM: Final = "#b9bec4"
_TICK: Final = Style(stroke=INK, width=0.7)

RANGE_TEXT: Final = "share of prediction range"
NO_SLOPE_TEXT: Final = "A constant feature has no slope."
_FEW_VALUES: Final = 6  # features with no more have a tick for each
_LEVEL_GAP: Final = 0.36  # share of a level's room that its bar of the data leaves free
_SLOT_BAR: Final = 11.0  # half the width of the bar of missing values
_CROWD: Final = 200  # lines from which the dots are small
_DIMMED: Final = 0.28  # what is not selected steps back where something is
_MOST_STROKES: Final = 20  # selected rows; more are drawn as lines are
_CELL: Final = 2.0  # width of a cell of the density, in px of the image
_LOOKED_AT: Final = 500  # lines among which the largest share is looked for
_LEADING: Final = 11.5


def draw_curves(page: Page, scene: Scene, box: Box, *, title: bool | str = True) -> float:
    """Draw the panel of the open feature from the top of a box, under a title or none; return where it ends."""
    lines = scene.lines
    with page.group("curves"):
        below = box.top
        if title is not False:
            below = _draw_heading(page, scene, box, scene.heading if title is True else title)
        below = _draw_titles(page, scene, box, below)
        if lines.remark is not None:
            for text in wrapped(printable(lines.remark), box.width, SMALL):
                below += _LEADING
                page.words(text, box.left, below, size=SMALL, fill=QUIET, within=box.width)
        plot = _Plot.fitted(page, scene, box, below + 8)
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


def _draw_titles(page: Page, scene: Scene, box: Box, top: float) -> float:
    baseline = top + TITLE
    room = box.width
    if scene.lines.prediction_span is not None:
        room -= 12 + page.words(RANGE_TEXT, box.right, baseline, size=SMALL, fill=QUIET, anchor="end")
    page.words(scene.lines.y_title, box.left, baseline, size=SMALL, fill=QUIET, within=room)
    return baseline


@dataclass(frozen=True)
class _Plot:
    """The area where the lines are, with its scales."""

    page: Page
    lines: Lines
    coloring: Coloring
    area: Box
    strips: Strips
    x: Axis
    y: Axis
    y_ticks: tuple[Tick, ...]
    share_ticks: tuple[Tick, ...]

    @classmethod
    def fitted(cls, page: Page, scene: Scene, box: Box, top: float) -> _Plot:
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

    @property
    def clip(self) -> Box | None:
        """Where what is drawn ends: at the ends of an axis of which a part shows."""
        cuts_x, cuts_y = self.lines.cuts
        if not (cuts_x or cuts_y):
            return None
        area, slot = self.area, self.strips.slot
        outer = self.page.width if slot is None else slot.right
        return Box(
            area.left if cuts_x else 0.0,
            area.top if cuts_y else 0.0,
            area.right if cuts_x else outer,
            area.bottom if cuts_y else area.bottom + 4 * _STRIP,
        )

    @property
    def dim(self) -> float:
        """How strong the lines are: less where some of them are selected."""
        return _DIMMED if self.lines.selected.any() else 1.0

    def draw_inside(self) -> float | None:
        """Draw all that depends on the rows; return the share of the lines that is solid, of a density."""
        page, lines, strips, coloring = self.page, self.lines, self.strips, self.coloring
        share = None
        draw_anchor_rule(page, strips, lines)
        draw_target(page, strips, lines)
        if not lines.on_levels:
            self.draw_band()
        if lines.is_dense:
            share = self.draw_density()
        else:
            self.draw_lines()
        draw_phantoms(page, strips, lines, coloring, self.dim)
        if not lines.is_dense:  # thousands of dots would cover what the density says
            self.draw_dots()
        with page.group("means", self.clip):
            draw_group_means(page, strips, lines, coloring)
            if lines.on_levels:
                draw_level_means(page, strips, lines)
            else:
                self.draw_mean()
        draw_missing_mean(page, strips, lines)
        with page.group("selected", self.clip):
            self.draw_selected()
        draw_edge_arrows(page, strips, lines)
        return share

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

    def _edges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """One standard deviation of the lines below and above their mean, within the plot [px]."""
        low, high = (self.y.many(self.lines.mean + side * self.lines.spread) for side in (-1, 1))
        top, bottom = self.area.top, self.area.bottom
        return np.asarray(np.clip(low, top, bottom)), np.asarray(np.clip(high, top, bottom))

    def draw_band(self) -> None:
        """Shade the spread of the lines, under them."""
        places = self.x.many(self.lines.x)
        low, high = self._edges()
        x, y = np.concatenate([places, places[::-1]]), np.concatenate([high, low[::-1]])
        with self.page.group("band", self.clip):
            self.page.add(Path(x, y, BAND, closed=True))

    def draw_lines(self) -> None:
        """Draw the lines: as strokes where they are few, as one image where strokes would hide each other."""
        lines = self.lines
        with self.page.group("lines", self.clip):
            if lines.on_levels:
                x, values, opacity = self.strips.connectors(lines)
                pixels = self._pixels(x, values, opacity, self.coloring.values)
                pixels[..., 3] = np.rint(MOST_CONNECTED * pixels[..., 3])
                self._add_image(pixels, self.dim)
            elif suit_strokes(*lines.values.shape):
                self._draw_strokes()
            else:
                x = self.x.many(lines.x)
                self._add_image(self._pixels(x, lines.values, lines.opacity, self.coloring.values), self.dim)

    def draw_density(self) -> float:
        """Draw how many lines are where; return the share of them that is solid."""
        lines, ratio = self.lines, self.page.dpi / PX_PER_INCH
        image = self._in_image(self.x.many(lines.x), lines.values, lines.opacity, self.coloring.values)
        image = replace(image, x=image.x / _CELL)
        size = {"width": math.ceil(self.area.width * ratio / _CELL), "height": round(self.area.height * ratio)}
        some = slice(None, None, max(1, math.ceil(len(image.y) / _LOOKED_AT)))
        sample = LineSet(image.x, image.y[some], image.opacity[some], image.color[some])
        peak = density_peak(sample, **size, fineness=ratio)
        pixels = draw_density(
            image, self.coloring.palette, **size, n_lines=len(image.y), peak=peak, fineness=ratio
        )  # fmt: skip
        with self.page.group("lines", self.clip):
            self._add_image(np.repeat(pixels, round(_CELL), axis=1)[:, : round(self.area.width * ratio)], self.dim)
        return peak

    def _draw_strokes(self) -> None:
        lines, coloring = self.lines, self.coloring
        opaque = self.dim * (1 - math.exp(-line_strength(len(lines.values))))
        thickness = line_thickness(len(lines.values))
        places, heights = self.x.many(lines.x), self.y.many(lines.values)
        for row, value, opacity in zip(heights, coloring.values.tolist(), lines.opacity, strict=True):
            color = coloring.palette.css(value)
            for run in runs(opacity):
                part = slice(run.first, run.last + 1)
                style = Style(stroke=color, width=thickness, opacity=opaque * run.opacity)
                self.page.add(Path(places[part], row[part], style))

    def _in_image(self, x: Array, values: Array, opacity: Array, color: NDArray[np.float32]) -> LineSet:
        """Return lines with points at x [px of the page] in px of an image."""
        ratio = self.page.dpi / PX_PER_INCH
        down = Axis(self.y.domain, (float(round(self.area.height * ratio)), 0.0))
        return LineSet(
            x=(x - self.area.left) * ratio,
            y=down.many(values).astype(np.float32),
            opacity=opacity.astype(np.float32),
            color=color,
        )

    def _pixels(self, x: Array, values: Array, opacity: Array, color: NDArray[np.float32]) -> NDArray[np.uint8]:
        ratio, n_lines = self.page.dpi / PX_PER_INCH, len(values)
        return draw_lines(
            self._in_image(x, values, opacity, color),
            self.coloring.palette,
            width=round(self.area.width * ratio),
            height=round(self.area.height * ratio),
            thickness=line_thickness(n_lines) * ratio,
            strength=line_strength(n_lines),
        )

    def _add_image(self, pixels: NDArray[np.uint8], strength: float) -> None:
        """Put an image over the whole plot."""
        if strength < 1:
            pixels[..., 3] = np.rint(strength * pixels[..., 3])
        area = self.area
        self.page.add(Picture(area.left, area.top, area.width, area.height, pixels))

    def draw_dots(self) -> None:
        """Mark each line at the row's own value."""
        lines, area, coloring = self.lines, self.area, self.coloring
        radius, opacity = (1.1, 0.6) if len(lines.positions) > _CROWD else (1.9, 0.95)
        if lines.on_levels:  # there the own dot is one of many of its own, so it is larger than they are
            radius, opacity = 1.4 * max(radius, 1.3), 0.95
        places, heights = self.strips.own(lines), self.y.many(lines.own_y)
        shown = np.isfinite(places) & is_within(area.top, area.bottom, heights)
        shown &= np.isnan(lines.own_x) | is_within(area.left, area.right, places)
        strength = np.where(lines.selected, 1.0, self.dim) * opacity
        with self.page.group("own-values"):
            for row in np.flatnonzero(shown).tolist():
                color = coloring.palette.css(float(coloring.values[row]))
                style = Style(fill=color, opacity=float(strength[row]))
                self.page.add(Circle(float(places[row]), float(heights[row]), radius, style))

    def draw_selected(self) -> None:
        """Draw the selected rows once more, over the others, in full."""
        lines, coloring = self.lines, self.coloring
        rows = np.flatnonzero(lines.selected)
        if len(rows) > _MOST_STROKES and not lines.on_levels:
            x, colors = self.x.many(lines.x), coloring.values[rows]
            self._add_image(self._pixels(x, lines.values[rows], lines.opacity[rows], colors), 1.0)
            return
        places = self.x.many(lines.x)
        for row in rows.tolist():
            color = coloring.palette.css(float(coloring.values[row]))
            draw_selected_beside(self.page, self.strips, lines, row, color)
            if lines.on_levels:
                draw_selected_levels(self.page, self.strips, lines, row, color)
            else:
                draw_cased(self.page, places, self.y.many(lines.values[row]), Style(stroke=color, width=2.0))

    def draw_mean(self) -> None:
        """Draw the partial dependence, and the edges of the spread where lines cover the band."""
        places = self.x.many(self.lines.x)
        with self.page.group("partial-dependence"):
            for edge in self._edges():
                self.page.add(Path(places, edge, SPREAD_EDGE))
            draw_cased(self.page, places, self.y.many(self.lines.mean), MEAN)

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
                self.page.add(Rect(left + gap, axis - height, width, height, Style(fill=_HISTOGRAM)))

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


def _share_ticks(lines: Lines, n_steps: int) -> list[Tick]:
    """Ticks of the right axis of c-ICE, at values of the left one: shares of the prediction range."""
    span = lines.prediction_span
    if span is None:
        return []
    low, high = (value / span * 100 for value in lines.y_domain)
    return [
        Tick(tick.value / 100 * span, f"{'+' if tick.value > 0 else ''}{tick.label} %")
        for tick in ticks(low, high, n_steps)
    ]


def x_ticks(lines: Lines, width: float) -> list[Tick]:
    """Ticks of the feature's axis: its own values where they are few, round ones where not."""
    grid, kind = lines.grid, lines.axis.kind
    if kind == "boolean" or len(grid) <= _FEW_VALUES or lines.axis.has_levels:
        low, high = lines.x_domain
        return [Tick(float(value), lines.write(float(value))) for value in grid if low <= value <= high]
    low, high = lines.x_domain
    if kind == "datetime":
        return [Tick(*tick) for tick in date_ticks(low, high, max(2, round(width / 70)))]
    n_steps = max(2, round(width / 52))
    if kind == "timedelta":
        per_day = unit_of(grid).per_day
        return [Tick(tick.value / per_day, tick.label) for tick in ticks(low * per_day, high * per_day, n_steps)]
    return ticks(low, high, n_steps, whole=bool(np.all(grid == np.round(grid))))
