"""The partial dependence of the open feature, with the spread of the curves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import bqplot
import numpy as np

from ice_explorer.bqplot import look
from ice_explorer.bqplot.panel import Panel, points
from ice_explorer.scene.scene import KIND_TITLES

if TYPE_CHECKING:
    from bqplot import Figure

    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.widget.explorer import ICEExplorer

_ALL_LINES = 10**9  # as many as the explorer draws, whose spread is that of the c-ICE


def mean_figure(explorer: ICEExplorer) -> Figure:
    """Make the figure, and have it follow the explorer."""
    panel = _Mean(explorer).panel
    panel.link.settle()
    return panel.figure


class _Mean:
    """A mean line in a band, or of levels dots with bars."""

    def __init__(self, explorer: ICEExplorer) -> None:
        self.panel = Panel(_ALL_LINES, _title, _y_domain)
        scales = self.panel.scales
        self._band = bqplot.Lines(
            scales=scales, fill="between", opacities=[0.0, 0.0], fill_opacities=[0.2, 0.0], colors=[look.MARK],
            interactions={},
        )  # fmt: skip
        self._bars = bqplot.Lines(
            scales=scales, stroke_width=6.0, opacities=[0.3] * 1000, colors=[look.MARK], interactions={}
        )
        self._mean = bqplot.Lines(scales=scales, stroke_width=2.0, colors=[look.INK], interactions={}, marker_size=64)
        self.panel.follow(explorer, [self._band, self._bars, self._mean], self._show)

    def _show(self, lines: Lines, _coloring: Coloring) -> None:
        ends = lines.band
        nothing = points(np.empty(0), np.empty(0))
        self._mean.marker = "circle" if lines.on_levels else None
        look.set_all(self._band, nothing if lines.on_levels else points(lines.x, ends))
        bars = {"x": np.repeat(lines.x[:, None], 2, axis=1), "y": ends.T} if lines.on_levels else nothing
        look.set_all(self._bars, bars)
        look.set_all(self._mean, {**points(lines.x, lines.mean), "stroke_width": 0.0 if lines.on_levels else 2.0})


def _title(lines: Lines, _n_rows: int) -> str:
    band = ", middle 68 % of the curves" if lines.has_quantile_band else " ± 1 SD"
    return f"Mean {KIND_TITLES[lines.kind]} of {lines.feature}{band}"


def _y_domain(lines: Lines) -> tuple[float, float]:
    """Reach over the band, as the axis of lines does over them."""
    if lines.is_empty:
        return lines.y_domain
    return replace(lines, y_span=(float(lines.band.min()), float(lines.band.max()))).y_domain
