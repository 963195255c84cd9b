"""A plot of the open feature: its axes and its data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import bqplot
import numpy as np

from ice_explorer.bqplot import look
from ice_explorer.bqplot.link import Link
from ice_explorer.features.axis_text import ticks
from ice_explorer.scene.coloring import coloring_of
from ice_explorer.scene.curve_lines import lines_of
from ice_explorer.scene.words import axis_ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bqplot import ColorAxis, Figure, Mark

    from ice_explorer.arrays import Array
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.widget.explorer import ICEExplorer

    Shown = tuple[Lines, Coloring, int]

COMPUTING: Final = "computing …"
# The same for every feature: bqplot cannot be given others while it draws a figure for the first time.
_MARGINS: Final = look.margins(["−0,000.00"], bottom=52)
_SHOWS: Final = ("feature", "kind", "anchor", "color_by", "selection", "max_lines", "_view")


class Panel:
    """The open feature of an explorer on two axes; what is drawn on them is up to the classes below it."""

    def __init__(self, max_lines: int) -> None:
        self._max_lines = max_lines
        self.scales = {"x": bqplot.LinearScale(allow_padding=False), "y": bqplot.LinearScale(allow_padding=False)}
        self._across = look.axis(self.scales["x"], "bottom", grid=False)
        self._up = look.axis(self.scales["y"], "left")
        self._heading = look.heading_axis()
        self._legend: ColorAxis | None = None

    def title(self, lines: Lines, n_rows: int) -> str:
        """Return the title of the plot."""
        raise NotImplementedError

    def y_domain(self, lines: Lines) -> tuple[float, float]:
        """Return what the vertical axis reaches over."""
        return lines.y_domain

    def announce(self, link: Link) -> None:
        """Show what is known before there are lines."""

    def show(self, lines: Lines, coloring: Coloring) -> None:
        """Put lines and their colours into the marks."""
        raise NotImplementedError

    def follow(self, explorer: ICEExplorer, marks: Sequence[Mark]) -> None:
        """Make the figure of some marks with these scales, the last on top, and have it follow the explorer."""
        self.figure: Figure = look.figure(marks, [self._across, self._up, self._heading])
        self.figure.fig_margin = _MARGINS
        self.link = Link(explorer, self.figure, self._draw, _SHOWS)
        self.link.settle()

    def _draw(self, link: Link) -> None:
        self.announce(link)
        state = replace(link.state, max_lines=min(self._max_lines, link.state.max_lines))
        if state.feature == "":  # the first one opens when all are there
            look.set_heading(self._heading, COMPUTING)
            return

        def answer(opened: FeatureExplanation | None, _between_blocks: Callable[[], None]) -> Shown:
            assert opened is not None  # noqa: S101 - it was requested by name
            known = link.explorer._known
            lines = lines_of(known, opened, state)
            return lines, coloring_of(known, state.color_by, lines.positions), len(opened.rows)

        link.ask(state.feature, answer, self._show, self._refuse)

    def _show(self, shown: Shown) -> None:
        lines, coloring, n_rows = shown
        self._set_axes(lines)
        self.show(lines, coloring)
        look.set_heading(self._heading, self.title(lines, n_rows))  # last: what it names is there

    def _set_axes(self, lines: Lines) -> None:
        low, high = self.y_domain(lines)
        look.set_all(self.scales["x"], dict(zip(("min", "max"), lines.x_domain, strict=True)))
        look.set_all(self.scales["y"], {"min": low, "max": high})
        look.set_ticks(self._across, axis_ticks(lines.axis, lines.x_domain, look.TICKED), width=90.0)
        look.set_ticks(self._up, ticks(low, high, 5))
        look.label(self._across, lines.x_title, away=36)
        look.label(self._up, lines.y_title, away=44)

    def _refuse(self, sentence: str) -> None:
        look.set_heading(self._heading, sentence, look.ROOM_OF_REFUSAL)

    def set_legend(self, legend: ColorAxis | None) -> None:
        """Put what says what the colours are beside the plot, in the place of what was there."""
        before = self._legend
        self._legend = legend
        self.figure.axes = [self._across, self._up, self._heading, *([] if legend is None else [legend])]
        self.figure.fig_margin = {**_MARGINS, "right": look.RIGHT if legend is None else look.RIGHT_OF_LEGEND}
        if before is not None:
            before.scale.close()
            before.close()


def points(x: Array, y: Array) -> dict[str, Any]:
    """Abscissas and lines as bqplot tells them apart: a single point is one twice, and no lines are nothing."""
    if y.size == 0:
        return {"x": np.empty(0), "y": np.empty(0)}
    if len(x) == 1:  # which bqplot would take for one line through all of them
        x, y = np.repeat(x, 2), np.repeat(np.atleast_2d(y), 2, axis=1)
    return {"x": x, "y": y}
