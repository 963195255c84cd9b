"""The plot area of curves, large or small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.figures.curve_marks import (
    draw_anchor_rule,
    draw_cased,
    draw_edge_arrows,
    draw_effect_casings,
    draw_effects,
    draw_group_means,
    draw_group_means_beside,
    draw_target,
)
from ice_explorer.figures.legend import BAND, MEAN, MOST_SELECTED, SELECTED_MEAN, SPREAD_EDGE
from ice_explorer.figures.level_marks import (
    draw_level_means,
    draw_missing_mean,
    draw_phantoms,
    draw_selected_beside,
    draw_selected_levels,
)
from ice_explorer.figures.page.page import PX_PER_INCH, Axis, Box, Circle, Path, Picture, Style, is_within
from ice_explorer.figures.raster.lines import (
    LineSet,
    draw_lines,
    line_strength,
    line_thickness,
)
from ice_explorer.figures.raster.strokes import runs, suit_strokes
from ice_explorer.scene.palette import PICK, pick_palette
from ice_explorer.scene.strips import MOST_CONNECTED, observed_dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Places
    from ice_explorer.figures.level_marks import Strips
    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.palette import Palette


_DIMMED: Final = 0.28  # what is not selected steps back where something is


@dataclass(frozen=True)
class Plot:
    """Lines with their scales, in an area that holds all but what is drawn next to the axis.

    Where `is_small`, lines, their mean and the selected ones are all that shows.
    """

    page: Page
    lines: Lines
    coloring: Coloring
    area: Box
    strips: Strips
    x: Axis
    y: Axis
    is_small: bool

    @property
    def dim(self) -> float:
        """How strong the lines are: less where some of them are selected."""
        return _DIMMED if self.lines.selected.any() else 1.0

    def draw_inside(self) -> None:
        """Draw all that depends on the rows."""
        page, lines, strips, coloring = self.page, self.lines, self.strips, self.coloring
        draw_anchor_rule(page, strips, lines)
        draw_target(page, strips, lines)
        if lines.has_mean and not lines.on_levels:
            self.draw_band()
        self.draw_lines()
        draw_phantoms(page, strips, lines, coloring, dim=self.dim)
        if not self.is_small:
            self.draw_dots()
        with page.group("means", self.area):
            if not self.is_small:
                draw_group_means(page, strips, lines, coloring)
            draw_effect_casings(page, strips, lines)
            if lines.has_mean and lines.on_levels:
                draw_level_means(page, strips, lines)
            elif lines.has_mean:
                self.draw_mean()
            draw_effects(page, strips, lines)
        if not self.is_small:
            draw_group_means_beside(page, strips, lines, coloring)
        if lines.has_mean:
            draw_missing_mean(page, strips, lines)
        self.draw_selected()
        if not self.is_small:
            self.draw_selected_mean()
        draw_edge_arrows(page, strips, lines)

    def draw_band(self) -> None:
        """Shade the spread of the lines, under them."""
        places, (low, high) = self.x.many(self.lines.x), self.y.many(self.lines.band)
        x, y = np.concatenate([places, places[::-1]]), np.concatenate([high, low[::-1]])
        with self.page.group("band", self.area):
            self.page.add(Path(x, y, BAND, closed=True))

    def draw_lines(self) -> None:
        """Draw the lines: as strokes where they are few, as one image where strokes would hide each other."""
        lines = self.lines
        with self.page.group("lines", self.area):
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

    def _draw_strokes(self) -> None:
        lines, coloring = self.lines, self.coloring
        opaque = self.dim * (1 - math.exp(-line_strength(len(lines.values))))
        thickness = line_thickness(len(lines.values))
        places, heights = self.x.many(lines.x), self.y.many(lines.values)
        for row, value, opacity in zip(heights, coloring.values.tolist(), lines.opacity, strict=True):
            color = coloring.palette.css(value)
            for part, strength in runs(opacity):
                style = Style(stroke=color, width=thickness, opacity=opaque * strength)
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

    def _pixels(
        self, x: Array, values: Array, opacity: Array, color: NDArray[np.float32], palette: Palette | None = None
    ) -> NDArray[np.uint8]:
        ratio, n_lines = self.page.dpi / PX_PER_INCH, len(values)
        return draw_lines(
            self._in_image(x, values, opacity, color),
            palette or self.coloring.palette,
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
        """Mark each line at the observed value."""
        lines, area, coloring = self.lines, self.area, self.coloring
        radius, opacity = observed_dot(lines)
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
        colors = [coloring.palette.css(value) for value in coloring.values[rows].tolist()]
        places = self.x.many(lines.x)
        are_many = len(rows) > MOST_SELECTED and not lines.on_levels
        with self.page.group("selected", self.area):
            if are_many:
                pixels = self._pixels(
                    places, lines.values[rows], lines.opacity[rows], coloring.values[rows], self.selected_palette
                )
                self._add_image(pixels, 1.0)
            for row, color in zip([] if are_many else rows.tolist(), colors, strict=False):
                if lines.on_levels:
                    draw_selected_levels(self.page, self.strips, lines, row, color)
                else:
                    stroke = self.selected_palette.css(float(coloring.values[row]))
                    width = 1.8 if lines.selected.sum() == 1 else 1.1
                    draw_cased(self.page, places, self.y.many(lines.values[row]), Style(stroke=stroke, width=width))
        if are_many:
            return
        if not lines.on_levels:
            self._draw_selected_values(rows, colors)
        with self.page.group("selected-beside"):
            for row, color in zip(rows.tolist(), colors, strict=True):
                draw_selected_beside(self.page, self.strips, lines, row, color)

    def _draw_selected_values(self, rows: Places, colors: list[str]) -> None:
        """Mark the observed values of selected rows."""
        places, heights = self.x.many(self.lines.own_x[rows]), self.y.many(self.lines.own_y[rows])
        area = self.area
        shown = is_within(area.left, area.right, places) & is_within(area.top, area.bottom, heights)
        with self.page.group("selected-values"):
            for at in np.flatnonzero(shown).tolist():
                style = Style(fill=colors[at], stroke=PICK, width=1.1)
                self.page.add(Circle(float(places[at]), float(heights[at]), 2.8, style))

    def draw_selected_mean(self) -> None:
        """Draw the mean of the selected lines, where they are several."""
        lines, strips = self.lines, self.strips
        if lines.selected.sum() < 2 or lines.group_means is not None:  # no mean over several models
            return
        mean = self.y.many(lines.values[lines.selected].mean(axis=0))
        dot = Style(fill=PICK, stroke="#ffffff", width=1.0)
        with self.page.group("selected-mean", self.area):
            if lines.on_levels:
                for at, height in zip(self.x.many(lines.grid).tolist(), mean.tolist(), strict=True):
                    self.page.add(Circle(at, height, 3.4, dot))
            else:
                draw_cased(self.page, self.x.many(lines.x), mean, SELECTED_MEAN)
        if strips.slot is not None and lines.missing is not None:
            height = self.y(float(lines.missing.values[lines.selected].mean()))
            if self.area.top <= height <= self.area.bottom:
                self.page.add(Circle(strips.slot.at, height, 3.4, dot))

    @property
    def selected_palette(self) -> Palette:
        """Colours of selected lines: those of the legend, where there is one."""
        return pick_palette() if self.coloring.title is None else self.coloring.palette

    def draw_mean(self) -> None:
        """Draw the partial dependence, and the edges of the spread where lines cover the band."""
        places = self.x.many(self.lines.x)
        with self.page.group("partial-dependence"):
            for edge in self.y.many(self.lines.band):
                self.page.add(Path(places, edge, SPREAD_EDGE))
            draw_cased(self.page, places, self.y.many(self.lines.mean), MEAN)
