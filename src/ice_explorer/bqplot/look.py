"""Style of the figures: colours, fonts and margins of the explorer, in the themes of its hosts.

Colours are CSS variables that the explorer's style sheet defines for either theme, with those of a light page where
it is not there, as in a saved SVG.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import bqplot
import numpy as np

from ice_explorer.features.axis_text import Tick, ticks
from ice_explorer.figures.text import elide
from ice_explorer.figures.text import width_of as text_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bqplot import Axis, ColorAxis, Figure, Mark, Scale


INK: Final = "var(--ice-ink, #1f2328)"
PAPER: Final = "var(--ice-paper, #ffffff)"
RULE: Final = "var(--ice-rule, #e0e0e1)"
MUTED: Final = "var(--ice-muted, #5d6064)"
MARK: Final = "var(--ice-mark, #3f6d9b)"
PICK: Final = "var(--ice-pick, #c2410c)"
STYLE_CLASS: Final = "ice-bqplot"
TOOLTIP_CLASS: Final = "ice-bqplot-tooltip"

LETTERS: Final = 11.0  # px
_FONT: Final = "var(--ice-font, system-ui, sans-serif)"
TICK_STYLE: Final = {"font-size": f"{LETTERS:g}px", "font-family": _FONT, "fill": MUTED}
_LONGEST: Final = 190.0  # px, of a name beside an axis
TICKED: Final = 325.0  # px, about the length of an axis
_WIDER: Final = 1.15  # than Helvetica the letters of some hosts run
_HEADING_ROOM: Final = 360.0  # px
ROOM_OF_REFUSAL: Final = 1000.0
HEIGHT: Final = 340  # px, with axes
RIGHT: Final = 16  # px, beside a plot
RIGHT_OF_LEGEND: Final = 104
_TOP, _BOTTOM, _LEFT = 36, 44, 60


def axis(scale: Scale, side: str, *, grid: bool = True) -> Axis:
    """Make an axis in the letters and colours of the explorer."""
    made = bqplot.Axis(
        scale=scale,
        side=side,
        grid_lines="solid" if grid else "none",
        grid_color=RULE,
        color="transparent",
        label_color=MUTED,
        tick_style=TICK_STYLE,
    )
    made.orientation = "vertical" if side in {"left", "right"} else "horizontal"
    return made


def color_axis(scale: bqplot.ColorScale, title: str, width: float) -> ColorAxis:
    """Make a bar of colours that stands to the right of a plot."""
    made = bqplot.ColorAxis(
        scale=scale, side="right", label=fitted(title, width), label_color=MUTED, tick_style=TICK_STYLE
    )
    made.orientation = "vertical"
    return made


def heading_axis() -> Axis:
    """Create the title of a plot: an axis label.

    bqplot loses a title that is set while it draws a figure for the first time, as it is when figures are shown
    before they are computed.
    """
    made = axis(bqplot.LinearScale(min=-1.0, max=1.0, allow_padding=False), "top", grid=False)
    made.tick_style = {**TICK_STYLE, "font-size": "13px", "font-weight": "600", "fill": INK}
    made.tick_values = np.zeros(1)
    set_heading(made, "")
    return made


def set_heading(made: Axis, text: str, room: float = _HEADING_ROOM) -> None:
    """Set the title of a plot."""
    made.tick_labels = {"0": elide(text, 0.75 * room, 10.5)}


def figure(marks: Sequence[Mark], axes: Sequence[Axis]) -> Figure:
    """Make a figure that fills the width it is given."""
    made = bqplot.Figure(
        marks=list(marks),
        axes=list(axes),
        background_style={"fill": "transparent"},
        fig_margin=margins(),
        padding_x=0.0,
        padding_y=0.0,
        display_toolbar=False,
    )
    made.layout.height = f"{HEIGHT}px"
    made.layout.width = "auto"
    made.layout.min_width = "0"
    made.add_class(STYLE_CLASS)
    return made


def tooltip(*fields: str, formats: Sequence[str] = ()) -> bqplot.Tooltip:
    """Make what shows some fields of a mark under the pointer."""
    made = bqplot.Tooltip(fields=list(fields), formats=list(formats), show_labels=False)
    made.add_class(TOOLTIP_CLASS)
    return made


def margins(names: Sequence[str] = (), *, right: int = RIGHT, bottom: int = _BOTTOM) -> dict[str, int]:
    """Room around a plot, so that the names beside its left axis fit."""
    widest = max((text_width(fitted(name), LETTERS) for name in names), default=0.0)
    return {"top": _TOP, "bottom": bottom, "left": max(_LEFT, round(widest * _WIDER) + 20), "right": right}


def fitted(name: str, width: float = _LONGEST) -> str:
    """Cut a name to the room beside an axis."""
    return elide(name, width, LETTERS)


def set_ticks(made: Axis, marks: Sequence[Tick], *, width: float = _LONGEST) -> None:
    """Write ticks as the explorer does, and nothing in between."""
    labels = {script_text(tick.value): fitted(tick.label, width) for tick in marks}
    set_all(made, {"tick_labels": labels, "tick_values": np.array([tick.value for tick in marks])})


def set_color_ticks(made: ColorAxis, low: float, high: float) -> None:
    """Write round values on a bar of colours."""
    marks = ticks(low, high, 4)
    step = marks[1].value - marks[0].value if len(marks) > 1 else high - low
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    set_ticks(made, marks)
    # Of this axis bqplot looks at labels anew where their format changes alone.
    made.tick_format = f",.{decimals}f" if decimals <= 5 and max(abs(low), abs(high)) < 1e7 else ".2e"


def script_text(value: float) -> str:
    """Write a number as JavaScript does, which looks labels up by it."""
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        return np.format_float_positional(value + 0.0, trim="-")
    mantissa, _, power = repr(float(value)).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(power):+d}"


def label(made: Axis, text: str, *, away: float) -> None:
    """Write what an axis is of, so many pixels away from it."""
    with made.hold_sync():
        made.label = fitted(text, 300.0)
        made.label_offset = f"{away:g}px"


def set_all(made: Any, traits: Mapping[str, object]) -> None:
    """Set several traits that belong together, in one message."""
    with made.hold_sync():
        for name, value in traits.items():
            setattr(made, name, value)
