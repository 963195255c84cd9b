"""The curves of the open feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import bqplot
import numpy as np

from ice_explorer.bqplot import look
from ice_explorer.bqplot.colors import legend_of, line_colors
from ice_explorer.bqplot.panel import Panel, points
from ice_explorer.scene.coloring import coloring_of
from ice_explorer.scene.scene import KIND_TITLES

if TYPE_CHECKING:
    from ice_explorer.bqplot.link import Link
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.widget.explorer import ICEExplorer

_FEW_LINES: Final = 40


class Curves(Panel):
    """Curves in the colours of the explorer, selected ones over them, and their mean."""

    def __init__(self, explorer: ICEExplorer, max_lines: int) -> None:
        super().__init__(max_lines)
        scales = self.scales
        self._rows: list[int] = []
        self._meaning: object = None
        row = look.tooltip("name")
        self._curves = bqplot.Lines(scales=scales, stroke_width=1.0, tooltip=row, marker_size=16)
        self._picked = bqplot.Lines(scales=scales, stroke_width=2.0, colors=[look.PICK], tooltip=row, marker_size=36)
        self._rim = bqplot.Lines(scales=scales, stroke_width=4.5, colors=[look.PAPER], interactions={})
        self._mean = bqplot.Lines(scales=scales, stroke_width=2.0, colors=[look.INK], interactions={}, marker_size=64)
        self.follow(explorer, [self._curves, self._picked, self._rim, self._mean])
        self._curves.on_element_click(self._clicked)
        self._picked.on_element_click(self._clicked)

    def title(self, lines: Lines, n_rows: int) -> str:
        """Name kind and feature, and how many rows are drawn."""
        return f"{KIND_TITLES[lines.kind]} of {lines.feature}, {len(lines.positions):,} of {n_rows:,} rows"

    def show(self, lines: Lines, coloring: Coloring) -> None:
        """Draw the curves, those of selected rows once more, and their mean."""
        self._rows = lines.positions.tolist()
        names = _names(self._rows, self.link.explorer._known._row_labels(lines.positions))
        opacity = 0.9 if len(self._rows) <= _FEW_LINES else 0.55
        join = 0.0 if lines.on_levels else 1.0  # between levels there is nothing: dots alone
        for mark in (self._curves, self._picked, self._mean):
            mark.marker = "circle" if lines.on_levels else None
        style = {"colors": line_colors(coloring) or [look.MARK], "opacities": [opacity] * len(names)}
        look.set_all(self._curves, {**points(lines.x, lines.values), **style, "labels": names, "stroke_width": join})
        picked = np.flatnonzero(lines.selected)
        style = {"labels": [names[at] for at in picked], "stroke_width": 2 * join}
        look.set_all(self._picked, {**points(lines.x, lines.values[picked]), **style})
        look.set_all(self._rim, points(lines.x, np.empty(0) if lines.on_levels else lines.mean))
        look.set_all(self._mean, {**points(lines.x, lines.mean), "stroke_width": 2 * join})

    def announce(self, link: Link) -> None:
        """Label an axis with what the colours mean, a new one for another column."""
        coloring = coloring_of(link.explorer._known, link.state.color_by, np.zeros(1, dtype=np.int64))
        meaning = coloring.title, coloring.domain, coloring.levels
        if meaning != self._meaning:
            self._meaning = meaning
            self.set_legend(legend_of(coloring))

    def _clicked(self, _mark: object, content: dict[str, Any]) -> None:
        """Select the row of a line, or no longer."""
        name = (content.get("data") or {}).get("name")
        if name in self._curves.labels:
            row = self._rows[self._curves.labels.index(name)]
            self.link.choose("selection", sorted({*self.link.explorer.selection} ^ {row}))


def _names(rows: list[int], labels: list[str] | None) -> list[str]:
    """Return names of rows as the explorer has them: unique, because a click selects a row by its name."""
    if labels is None:
        return [f"row {row}" for row in rows]
    return [f"{label} (row {row})" for label, row in zip(labels, rows, strict=True)]
