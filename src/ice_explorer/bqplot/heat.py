"""The partial dependence on two features as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import bqplot
import numpy as np

from ice_explorer.bqplot import look
from ice_explorer.bqplot.link import Link
from ice_explorer.bqplot.panel import COMPUTING
from ice_explorer.explanation import Explanation
from ice_explorer.scene.display_axis import display_axis
from ice_explorer.scene.lines import ROUNDING
from ice_explorer.scene.palette import ramp_palette
from ice_explorer.scene.words import axis_ticks

if TYPE_CHECKING:
    from collections.abc import Callable

    from bqplot import Axis, Figure, Scale

    from ice_explorer.arrays import Array
    from ice_explorer.features.feature import Feature
    from ice_explorer.results.two_way import TwoWay
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.explorer import ICEExplorer


_N_COLORS: Final = 16


def heat_figure(source: ICEExplorer | Explanation, pair: tuple[Name, Name], grid_size: int, sample: int) -> Figure:
    """Make the figure; of an explorer it fills in, and follows its output."""
    drawn = _Heat()
    if isinstance(source, Explanation):
        drawn.show(source.two_way(*pair, grid_size=grid_size, sample=sample))
        return drawn.figure

    def draw(link: Link) -> None:
        known = link.explorer._known
        if drawn.is_of(known):  # features come in, and the pair is the same
            return
        two = known.two_way(*pair, grid_size=grid_size, sample=sample)
        drawn.begin(two, known)

        def answer(_feature: object, between_blocks: Callable[[], None]) -> TwoWay:
            two.compute(between_blocks)
            return two

        link.ask(None, answer, drawn.show, drawn.refuse)

    source._known.two_way(*pair, grid_size=grid_size, sample=sample)  # an error is raised at once
    Link(source, drawn.figure, draw, ()).settle()
    return drawn.figure


class _Heat:
    """Cells between two axes, and what their colours stand for."""

    def __init__(self) -> None:
        self._output: tuple[str, str] | None = None
        across, up = (bqplot.LinearScale(allow_padding=False) for _ in range(2))
        colors = [ramp_palette().css(at / (_N_COLORS - 1)) for at in range(_N_COLORS)]
        self._color = bqplot.ColorScale(colors=colors, min=0.0, max=1.0)
        self._scales = {"column": across, "row": up, "color": self._color}
        self._cells = bqplot.GridHeatMap(
            color=np.zeros((2, 2)), column=np.arange(3.0), row=np.arange(3.0), scales=self._scales,
            stroke="transparent", null_color="transparent",
            tooltip=look.tooltip("color", formats=[".4~g"]),
        )  # fmt: skip
        self._across, self._up = (
            look.axis(scale, side, grid=False) for scale, side in ((across, "bottom"), (up, "left"))
        )
        self._legend = look.color_axis(self._color, "", 0.0)
        self._heading = look.heading_axis()
        self.figure = look.figure([self._cells], [self._across, self._up, self._heading, self._legend])

    def is_of(self, known: Explanation) -> bool:
        """Whether it shows the output that is explained already, or is about to."""
        return self._output == _output_of(known)

    def begin(self, two: TwoWay, known: Explanation) -> None:
        """Show the axes, and that the cells are to come."""
        self._output = _output_of(known)
        columns, rows = self._set_axes(two)
        blank = np.zeros((len(rows) - 1, len(columns) - 1))
        look.set_all(self._cells, {**_cells(blank, columns, rows), "visible": False})
        look.set_heading(self._heading, COMPUTING)

    def show(self, two: TwoWay) -> None:
        """Show everything."""
        columns, rows = self._set_axes(two)
        found = two.partial_dependence.T
        low, high = float(found.min()), float(found.max())
        size = max(abs(low), abs(high))
        if high - low <= ROUNDING * size:  # one colour for all, in the middle
            pad = max(0.5, size * 0.05)
            low, high = low - pad, high + pad
        look.set_color_ticks(self._legend, low, high)
        look.set_all(self._color, {"min": low, "max": high})
        look.set_all(self._cells, {**_cells(found, columns, rows), "visible": True})
        look.set_heading(self._heading, f"Mean {two.output_label}, {two.row_count}")

    def refuse(self, sentence: str) -> None:
        """Show why there is nothing."""
        look.set_heading(self._heading, sentence, look.ROOM_OF_REFUSAL)

    def _set_axes(self, two: TwoWay) -> tuple[Array, Array]:
        """Lay out both axes, and return the bounds of columns and rows."""
        columns = _set_axis(self._across, self._scales["column"], two._axes[0], away=36)
        rows = _set_axis(self._up, self._scales["row"], two._axes[1], away=0)
        self.figure.fig_margin = look.margins([*self._up.tick_labels.values()], right=look.RIGHT_OF_LEGEND, bottom=52)
        self._up.label_offset = f"{self.figure.fig_margin['left'] - 14}px"
        return columns, rows


def _output_of(known: Explanation) -> tuple[str, str]:
    return known.output_label, known.settings.response


def _set_axis(axis: Axis, scale: Scale, on_axis: tuple[Feature, Array], *, away: float) -> Array:
    """Lay out one axis; return the bounds of its cells, half way between values."""
    shown = display_axis(*on_axis)
    inner = (shown.grid[1:] + shown.grid[:-1]) / 2
    half = 0.5 if shown.has_levels else 0.0
    if len(shown.grid) == 1:
        half = max(half, abs(float(shown.grid[0])) * 0.1 or 0.5)
    outer: tuple[Any, Any] = (shown.grid[0] - half, shown.grid[-1] + half)
    bounds = np.concatenate([outer[:1], inner, outer[1:]])
    look.set_all(scale, {"min": float(bounds[0]), "max": float(bounds[-1])})
    look.set_ticks(axis, axis_ticks(shown, (float(bounds[0]), float(bounds[-1])), look.TICKED), width=90.0)
    look.label(axis, on_axis[0].label, away=away)
    return bounds


def _cells(color: Array, columns: Array, rows: Array) -> dict[str, Array]:
    """Cells between bounds; a single one along an axis is two halves, as bqplot would drop that axis."""
    if color.shape[0] == 1:
        color, rows = np.repeat(color, 2, axis=0), np.insert(rows, 1, rows.mean())
    if color.shape[1] == 1:
        color, columns = np.repeat(color, 2, axis=1), np.insert(columns, 1, columns.mean())
    return {"color": color, "column": columns, "row": rows}
