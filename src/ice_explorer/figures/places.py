"""Where dots of a feature are on its axis, or beside it, and how the axis is labelled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.features.axis_text import MISSING, thousands_separator
from ice_explorer.figures.numbers import Numbers
from ice_explorer.figures.text import fitted, kept_width, room_of, size_of, width_of
from ice_explorer.scene.strips import place_in_strip, strip_reach
from ice_explorer.scene.words import FEW_VALUES, axis_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ice_explorer.arrays import Array
    from ice_explorer.arrays import Places as Positions
    from ice_explorer.scene.lines import Lines

PT_PER_PX: Final = 0.75
_SLOT: Final = 0.09  # of the axis, for the strip next to it
_NAME_GAP: Final = 4.0  # pt, between the names of levels
_LEAST_APART: Final = 1.2  # heights of a letter, from one slanted name to the next
_ANGLE: Final = 38
_MOST_NAME: Final = 80.0  # pt, of a level
_USUAL_STEPS: Final = 9  # of an axis, at most
_PX_OF_TICKS: Final = 8.0  # size of letters that `axis_ticks` counts with


@dataclass(frozen=True)
class Places:
    """Where dots are, in the units of the axis.

    `reach` is half the width of a level's strip, `beside` the middle of the strip of missing values, which begins at
    `edge`; the Axes reach from `inner` to `outer`. `place` is that of each row in its strip, -1 to 1.
    """

    reach: float
    beside: float
    beside_reach: float
    edge: float
    inner: float
    outer: float
    place: Array

    @classmethod
    def of(cls, lines: Lines, ax: Axes) -> Places:
        """Fit the strips to some Axes."""
        from matplotlib import rcParams

        low, high = lines.x_domain
        place = place_in_strip(lines.positions)
        slot = 1.0 if lines.on_levels else _SLOT * (high - low)
        air = 0.0 if lines.axis.has_levels else rcParams["axes.xmargin"] * (high - low)  # levels have their own
        end = high + air
        outer = end if lines.missing is None else end + 1.25 * slot
        per_px = (outer - low) / (room_of(ax)[0] / PT_PER_PX)
        reach, beside = (per_px * strip_reach(len(place), room / per_px) for room in (1.0, slot))
        if not lines.on_levels:
            reach = 0.0
        if lines.missing is None:
            return cls(reach, math.nan, 0.0, math.nan, low - air, outer, place)
        return cls(reach, end + 0.75 * slot, beside, end + 0.15 * slot, low - air, outer, place)

    def at(self, values: Array, line: Positions | slice = slice(None)) -> Array:
        """Places of one value of each line, or of some of them, on the axis or beside it."""
        place = self.place[line]
        beside = self.beside + self.beside_reach * place
        return np.asarray(np.where(np.isnan(values), beside, values + self.reach * place))


def write_numbers(ax: Axes, lines: Lines) -> None:
    """Write the numbers of both axes as the explorer does, unless they have a formatter of their own."""
    from matplotlib.ticker import AutoLocator, MaxNLocator, ScalarFormatter

    if isinstance(ax.yaxis.get_major_formatter(), ScalarFormatter):
        ax.yaxis.set_major_formatter(Numbers())
    if lines.axis.kind == "numeric" and isinstance(ax.xaxis.get_major_formatter(), ScalarFormatter):
        write = Numbers(thousands_separator(lines.grid))
        ax.xaxis.set_major_formatter(write)
        size = size_of("xtick.labelsize")
        widest = max(width_of(text, size) for text in write.format_ticks([lines.x_domain[0], lines.x_domain[1]]))
        n_steps = int(kept_width(ax) / (1.3 * widest + size))
        if type(ax.xaxis.get_major_locator()) is AutoLocator and n_steps < _USUAL_STEPS:
            ax.xaxis.set_major_locator(MaxNLocator(max(2, n_steps), steps=[1, 2, 2.5, 5, 10]))


def add_ticks(ax: Axes, lines: Lines, places: Places, room: float, color: Any) -> None:
    """Label the axis of the feature if its values are few or not plain numbers, and the strip next to it.

    Its length is so many pt; `color` is that of the rule between the axis and the strip.
    """
    is_plain = lines.axis.kind == "numeric" and len(lines.grid) > FEW_VALUES
    if is_plain and lines.missing is None:
        return
    size = size_of("xtick.labelsize")
    ticks = axis_ticks(lines.axis, lines.x_domain, room * _PX_OF_TICKS / size)
    every, are_slanted = _naming(lines, places, size, room)
    shown = [fitted(tick.label, _MOST_NAME, size) if at % every == 0 else "" for at, tick in enumerate(ticks)]
    where = [tick.value for tick in ticks]
    if lines.missing is not None:
        where.append(places.beside)
        shown.append(MISSING)
        look: dict[str, Any] = {"color": color, "linewidth": 0.5, "dashes": (2, 3), "zorder": 0.9}
        ax.axvline(places.edge, **look, gid="edge of the axis", label="_edge")
        where, shown = _without_touching(where, shown, places, size, room)
    ax.set_xticks(where, labels=shown)
    if are_slanted:
        for label in ax.get_xticklabels():
            label.set(rotation=_ANGLE, ha="right", rotation_mode="anchor")


def _without_touching(
    where: list[float], shown: list[str], places: Places, size: float, width: float
) -> tuple[list[float], list[str]]:
    """Leave out the last tick of the axis where it would touch the name of the strip beside it."""
    if len(where) < 2:
        return where, shown
    per_unit = width / (places.outer - places.inner)
    apart = (where[-1] - where[-2]) * per_unit
    if apart >= (width_of(shown[-1], size) + width_of(shown[-2], size)) / 2 + _NAME_GAP:
        return where, shown
    return [*where[:-2], where[-1]], [*shown[:-2], shown[-1]]


def _naming(lines: Lines, places: Places, size: float, width: float) -> tuple[int, bool]:
    """Return whether every name of a level is written or one in so many, and whether they are slanted."""
    levels = lines.axis.levels
    if levels is None:
        return 1, False
    low, high = lines.x_domain
    pitch = width / (places.outer - low)
    # A name on its own level has the room of one; the first and the last may stand out of the axes.
    room = pitch * float(np.min(np.diff(lines.grid), initial=high - low))
    widest = max(width_of(name, size) for name in levels) + _NAME_GAP
    if widest <= room:
        return 1, False
    if lines.axis.tells_its_order:
        return math.ceil(widest / room), False
    return math.ceil(_LEAST_APART * size / room), True
