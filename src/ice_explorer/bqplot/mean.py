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
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.widget.explorer import ICEExplorer

_ALL_LINES = 10**9  # as many as the explorer draws, whose spread is that of the c-ICE


class Mean(Panel):
    """A mean line in a band, or of levels dots with bars."""

    def __init__(self, explorer: ICEExplorer) -> None:
        super().__init__(_ALL_LINES)
        scales = self.scales
        self._band = bqplot.Lines(
            scales=scales, fill="between", opacities=[0.0, 0.0], fill_opacities=[0.2, 0.0], colors=[look.MARK],
            interactions={},
        )  # fmt: skip
        self._bars = bqplot.Lines(
            scales=scales, stroke_width=6.0, opacities=[0.3] * 1000, colors=[look.MARK], interactions={}
        )
        self._mean = bqplot.Lines(scales=scales, stroke_width=2.0, colors=[look.INK], interactions={}, marker_size=64)
        self.follow(explorer, [self._band, self._bars, self._mean])

    def title(self, lines: Lines, n_rows: int) -> str:  # noqa: ARG002 - all of them
        """Name kind and feature, and what the band is."""
        band = ", middle 68 % of the curves" if lines.has_quantile_band else " ± 1 SD"
        return f"Mean {KIND_TITLES[lines.kind]} of {lines.feature}{band}"

    def y_domain(self, lines: Lines) -> tuple[float, float]:
        """Reach over the band, as the axis of lines does over them."""
        if lines.is_empty:
            return lines.y_domain
        return replace(lines, y_span=(float(lines.band.min()), float(lines.band.max()))).y_domain

    def show(self, lines: Lines, coloring: Coloring) -> None:  # noqa: ARG002 - the mean is that of all
        """Draw the mean and the band, or bars on levels."""
        nothing = points(np.empty(0), np.empty(0))
        self._mean.marker = "circle" if lines.on_levels else None
        look.set_all(self._band, nothing if lines.on_levels else points(lines.x, lines.band))
        bars = {"x": np.repeat(lines.x[:, None], 2, axis=1), "y": lines.band.T} if lines.on_levels else nothing
        look.set_all(self._bars, bars)
        look.set_all(self._mean, {**points(lines.x, lines.mean), "stroke_width": 0.0 if lines.on_levels else 2.0})
