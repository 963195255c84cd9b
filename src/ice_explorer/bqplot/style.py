"""Axes, legends and their text in the style of the explorer.

Colours are CSS variables of the explorer's style sheet, for light and dark pages; the fallbacks are for a page without
it, such as a saved SVG.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bqplot
import numpy as np

from ice_explorer.features.axis_text import Tick
from ice_explorer.figures.text import elide
from ice_explorer.scene.palette import is_diverging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.scene.coloring import Coloring

INK = "var(--ice-ink, #1f2328)"
PAPER = "var(--ice-paper, #ffffff)"
MUTED = "var(--ice-muted, #5d6064)"
MARK = "var(--ice-mark, #3f6d9b)"
PICK = "var(--ice-pick, #c2410c)"
_FONT = {"font-size": "11px", "font-family": "var(--ice-font, system-ui, sans-serif)", "fill": MUTED}
_N_STEPS = 18  # of a ramp in the style sheet


def axis(scale: bqplot.Scale, side: str, **traits: Any) -> bqplot.Axis:
    """Return an axis on one side of a figure, without a grid."""
    colors = {"grid_color": "var(--ice-rule, #e0e0e1)", "color": "transparent", "label_color": MUTED}
    result = bqplot.Axis(scale=scale, side=side, **{"grid_lines": "none", "tick_style": _FONT, **colors, **traits})
    result.orientation = "vertical" if side == "left" else "horizontal"
    return result


def heading() -> bqplot.Axis:
    """Return an axis whose only tick is the heading: bqplot loses a title that is set while it draws a figure."""
    scale = bqplot.LinearScale(min=-1.0, max=1.0, allow_padding=False)
    font = {**_FONT, "font-size": "13px", "font-weight": "600", "fill": INK}
    return axis(scale, "top", tick_style=font, tick_values=np.zeros(1), tick_labels={"0": ""})


def tooltip(*fields: str, formats: Sequence[str] = ()) -> bqplot.Tooltip:
    """Return a tooltip with some fields of a mark."""
    result = bqplot.Tooltip(fields=list(fields), formats=list(formats), show_labels=False)
    result.add_class("ice-bqplot-tooltip")
    return result


def figure(marks: list[bqplot.Mark], axes: list[bqplot.Axis], height: int, left: int, bottom: int) -> bqplot.Figure:
    """Return a figure that fills the width of its place."""
    result = bqplot.Figure(marks=marks, axes=axes, padding_x=0.0, padding_y=0.0, display_toolbar=False)
    result.fig_margin = {"top": 36, "bottom": bottom, "left": left, "right": 16}
    result.background_style = {"fill": "transparent"}
    result.layout.height, result.layout.width, result.layout.min_width = f"{height}px", "auto", "0"
    result.add_class("ice-bqplot")
    return result


def cut(text: str, room: float = 190.0) -> str:
    """Cut a text to so many px."""
    return elide(text, room, 11.0)


def set_ticks(made: bqplot.Axis, ticks: Sequence[Tick], room: float = 190.0) -> None:
    """Write these ticks, each on so many px, and no others. bqplot finds labels by the text of a number."""
    labels = {np.format_float_positional(tick.value + 0.0, trim="-"): cut(tick.label, room) for tick in ticks}
    set_traits(made, tick_labels=labels, tick_values=np.array([tick.value for tick in ticks]))


def set_traits(made: Any, **traits: object) -> None:
    """Set traits that belong together in one message."""
    with made.hold_sync():
        for name, value in traits.items():
            setattr(made, name, value)


def color(coloring: Coloring, value: float) -> str:
    """Colour of a share of the ramp or of a level, by its name in the style sheet."""
    if coloring.title is None:
        return MARK
    last = 1.0 if coloring.domain is not None else max(1.0, len(coloring.levels) - 1.0)
    if math.isnan(value):
        name = "missing"
    elif coloring.domain is not None or coloring.is_ordered:
        ramp = "diverging" if coloring.domain is not None and is_diverging(coloring.domain) else "ramp"
        name = f"{ramp}-{round(value / last * (_N_STEPS - 1))}"
    else:
        name = f"hue-{int(value)}"
    return f"var(--ice-{name}, {coloring.palette.css(value)})"


def legend(coloring: Coloring) -> bqplot.ColorAxis:
    """Return a bar of the colours with the levels of a column, or the ends of its values."""
    traits = {"side": "right", "label": cut(coloring.title or "", 72.0), "label_color": MUTED, "tick_style": _FONT}
    if coloring.domain is None:
        levels = coloring.levels[::-1]  # upwards
        colors = [color(coloring, float(index)) for index in reversed(range(len(levels)))]
        result = bqplot.ColorAxis(scale=bqplot.OrdinalColorScale(domain=list(levels), colors=colors), **traits)
        result.tick_labels = {level: cut(level, 44.0) for level in levels}
    else:
        low, high = coloring.domain
        low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
        colors = [color(coloring, step / (_N_STEPS - 1)) for step in range(_N_STEPS)]
        result = bqplot.ColorAxis(scale=bqplot.ColorScale(colors=colors, min=low, max=high), **traits)
        middle = [Tick(0.0, "0")] if is_diverging(coloring.domain) else []
        set_ticks(result, [Tick(low, coloring.ends[0]), *middle, Tick(high, coloring.ends[1])], 44.0)
    result.orientation = "vertical"
    return result
