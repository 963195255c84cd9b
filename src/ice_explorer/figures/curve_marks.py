"""Optional marks of the curves plot: observed targets, observed values, group means, curves beyond the axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.figures.legend import EFFECT_STYLES, draw_effect_sign
from ice_explorer.figures.page.page import INK, QUIET, Circle, Path, Style, is_within
from ice_explorer.scene.palette import PICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ice_explorer.arrays import Array, Mask
    from ice_explorer.figures.level_marks import Strips
    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines


EFFECT_ASIDE: Final = {"ale": -0.2, "m_plot": 0.2}  # of a level's room, from its mean
RUG: Final = 7.0  # height of the ticks at observed values, with the air around them

_CASING: Final = Style(stroke="#ffffff", width=4.0, opacity=0.85)  # of effects
_TARGET_RADIUS: Final = 2.1
_FEW_TARGETS: Final = 200
_RUG_TICK: Final = Style(stroke=INK, width=0.6, opacity=0.35)
_RUG_SELECTED: Final = Style(stroke=PICK, width=1.6)
_DODGE: Final = 0.5  # groups stand side by side within this share of a level's room
_GROUP_RADIUS: Final = 3.2
_GROUP_WIDTH: Final = 2.1
_ARROW: Final = 6.0  # px between arrows of lines that leave


def draw_target(page: Page, strips: Strips, lines: Lines) -> None:
    """Draw what was observed as hollow points behind the lines."""
    if lines.target is None:
        return
    area = strips.area
    x, y = strips.own(lines), strips.y.many(lines.target)
    beside = np.isnan(lines.own_x)
    shown = is_within(area.top, area.bottom, y) & np.isfinite(x) & (beside | is_within(area.left, area.right, x))
    opacity = max(0.25, 0.6 * min(1.0, _FEW_TARGETS / max(1, len(x))) ** 0.35)
    style = Style(stroke=INK, width=0.7, opacity=opacity)
    with page.group("target"):
        for at, height in zip(x[shown].tolist(), y[shown].tolist(), strict=True):
            page.add(Circle(at, height, _TARGET_RADIUS, style))


def draw_rug(page: Page, strips: Strips, lines: Lines, top: float) -> None:
    """Draw a tick at the observed value of each row under the lines; those of selected rows stand out."""
    area = strips.area
    x = strips.own(lines)
    shown = np.isfinite(x) & (np.isnan(lines.own_x) | is_within(area.left, area.right, x))
    with page.group("rug"):
        for chosen, style in ((shown, _RUG_TICK), (shown & lines.selected, _RUG_SELECTED)):
            places = x[chosen, None]
            if len(places) > 0:
                ends = np.array([top + 1.5, top + RUG - 1.0, math.nan])
                page.add(Path((places + 0 * ends).ravel()[:-1], np.tile(ends, len(places))[:-1], style))


def draw_group_means(page: Page, strips: Strips, lines: Lines, coloring: Coloring) -> None:
    """Draw the mean of the lines of each colour that stands for a level; on levels dots side by side."""
    with page.group("group-means"):
        for level, of, aside in _groups(coloring):
            means = lines.values[of].mean(axis=0) if lines.group_means is None else lines.group_means[level]
            color, mean = coloring.palette.css(level), strips.y.many(means)
            if lines.on_levels:
                for at, height in zip(strips.x.many(lines.grid).tolist(), mean.tolist(), strict=True):
                    _draw_group_dot(page, strips, color, at + aside * strips.room, height)
            else:
                draw_cased(page, strips.x.many(lines.x), mean, Style(stroke=color, width=_GROUP_WIDTH))


def draw_group_means_beside(page: Page, strips: Strips, lines: Lines, coloring: Coloring) -> None:
    """Draw the same of missing values, beside the axis."""
    slot = strips.slot
    if slot is None or lines.missing is None:
        return
    with page.group("group-means-beside"):
        for level, of, aside in _groups(coloring):
            height = strips.y(float(lines.missing.values[of].mean()))
            _draw_group_dot(
                page, strips, coloring.palette.css(level), slot.at + aside * (slot.right - slot.left), height
            )


def _groups(coloring: Coloring) -> Iterator[tuple[int, Mask, float]]:
    """Yield each level that lines have, these lines, and how far aside it stands."""
    groups = [level for level in range(len(coloring.levels)) if (coloring.values == level).any()]
    for place, group in enumerate(groups):
        aside = ((place + 0.5) / len(groups) - 0.5) * _DODGE
        yield group, coloring.values == group, aside


def _draw_group_dot(page: Page, strips: Strips, color: str, at: float, height: float) -> None:
    if strips.area.top <= height <= strips.area.bottom:
        page.add(Circle(at, height, _GROUP_RADIUS, Style(fill=color, stroke="#ffffff", width=1.0)))


def draw_effect_casings(page: Page, strips: Strips, lines: Lines) -> None:
    """Draw paper under ALE and M-plot, before any of them and the mean: where they coincide, all are seen."""
    if not lines.on_levels:
        for effect in lines.effects:
            page.add(Path(strips.x.many(effect.x), strips.y.many(effect.values), _CASING))


def draw_effects(page: Page, strips: Strips, lines: Lines) -> None:
    """Draw ALE and M-plot: lines, or on levels signs on either side of the mean."""
    for effect in lines.effects:
        x, y = strips.x.many(effect.x), strips.y.many(effect.values)
        with page.group(effect.name):
            if not lines.on_levels:
                page.add(Path(x, y, EFFECT_STYLES[effect.name]))
                continue
            for at, height in zip((x + EFFECT_ASIDE[effect.name] * strips.room).tolist(), y.tolist(), strict=True):
                if strips.area.top <= height <= strips.area.bottom:
                    draw_effect_sign(page, effect.name, at, height)


def draw_cased(page: Page, x: Array, y: Array, style: Style) -> None:
    """Draw a line that must be seen, with paper around it."""
    page.add(Path(x, y, Style(stroke="#ffffff", width=style.width + 2, opacity=0.85)))
    page.add(Path(x, y, style))


def draw_edge_arrows(page: Page, strips: Strips, lines: Lines) -> None:
    """Point at the edge over and under which lines leave the plot."""
    if not lines.is_cut:
        return
    (low, high), area = lines.y_domain, strips.area
    at = (strips.x.many(lines.x[::2]) + strips.x.many(lines.x[1::2])) / 2
    slopes = lines.values[:, ::2]
    ends = ((slopes > high, area.top - 5.0, area.top - 1.0), (slopes < low, area.bottom + 4.5, area.bottom + 0.5))
    with page.group("edge-arrows"):
        for leaves, tip, base in ends:
            for place in sorted({_ARROW * math.floor(x / _ARROW + 0.5) for x in at[leaves.any(axis=0)].tolist()}):
                corners = np.array([place - 2.4, place, place + 2.4]), np.array([base, tip, base])
                page.add(Path(*corners, Style(fill=INK), closed=True))


def draw_anchor_rule(page: Page, strips: Strips, lines: Lines) -> None:
    """Draw a line where all lines of c-ICE are 0."""
    if lines.anchored_at is None:
        return
    at, area = strips.x(lines.anchored_at), strips.area
    if is_within(area.left, area.right, np.array([at])).all():
        page.line(at, area.top, at, area.bottom, Style(stroke=QUIET, width=0.7, dash=(1.5, 2.2)))
