"""Colours of curves in light and dark themes, and the colour axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import bqplot

from ice_explorer.bqplot import look
from ice_explorer.features.axis_text import Tick
from ice_explorer.scene.palette import is_diverging

if TYPE_CHECKING:
    from bqplot import ColorAxis

    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.palette import Palette

N_STEPS: Final = 18
"""Of the ramp on a dark page, which the style sheet has as variables; on a light one it is whole."""

_LABEL_ROOM: Final = 72.0  # px
_TICK_ROOM: Final = 44.0


def line_colors(coloring: Coloring) -> list[str]:
    """Colours of lines: those of the explorer, which the style sheet has for a dark page."""
    if coloring.title is None:
        return [look.MARK] * len(coloring.values)
    n_levels = len(coloring.levels)
    is_ramp = coloring.palette.kind == "ramp" or coloring.is_ordered
    last = 1.0 if coloring.palette.kind == "ramp" else max(1.0, n_levels - 1.0)
    name = _ramp_name(coloring)
    return [_color(coloring.palette, float(value), last if is_ramp else None, name) for value in coloring.values]


def _ramp_name(coloring: Coloring) -> str:
    """Name of the ramp in the style sheet."""
    return "diverging" if coloring.domain is not None and is_diverging(coloring.domain) else "ramp"


def _color(palette: Palette, value: float, last: float | None, ramp: str = "ramp") -> str:
    """Colour of a value, by its place on a ramp that ends at `last`, or of a level."""
    if math.isnan(value):
        name = "missing"
    elif last is not None:
        name = f"{ramp}-{round(value / last * (N_STEPS - 1))}"
    else:
        name = f"hue-{int(value)}"
    return f"var(--ice-{name}, {palette.css(value)})"


def legend_of(coloring: Coloring) -> ColorAxis | None:
    """What the colours stand for; None where all lines have one."""
    if coloring.title is None:
        return None
    if coloring.domain is not None:
        return _ramp_legend(coloring, *coloring.domain)
    levels = list(coloring.levels)
    last = max(1.0, len(levels) - 1.0) if coloring.is_ordered else None
    colors = [_color(coloring.palette, float(at), last) for at in range(len(levels))]
    # The bar begins at the foot, and levels are read from the top.
    scale = bqplot.OrdinalColorScale(domain=levels[::-1], colors=colors[::-1])
    made = look.color_axis(scale, coloring.title, _LABEL_ROOM)
    made.tick_labels = {level: look.fitted(level, _TICK_ROOM) for level in levels}
    return made


def _ramp_legend(coloring: Coloring, low: float, high: float) -> ColorAxis:
    if low == high:
        low, high = low - 0.5, low + 0.5
    name = _ramp_name(coloring)
    colors = [_color(coloring.palette, at / (N_STEPS - 1), 1.0, name) for at in range(N_STEPS)]
    made = look.color_axis(bqplot.ColorScale(colors=colors, min=low, max=high), coloring.title or "", _LABEL_ROOM)
    zero = [Tick(0.0, "0")] if name == "diverging" else []
    look.set_ticks(made, [Tick(low, coloring.ends[0]), *zero, Tick(high, coloring.ends[1])], width=_TICK_ROOM)
    return made
