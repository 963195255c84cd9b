"""The ranking as bars."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import bqplot
import numpy as np

from ice_explorer.bqplot import look
from ice_explorer.bqplot.link import Link
from ice_explorer.features.axis_text import ticks
from ice_explorer.glossary import explanation
from ice_explorer.scene.build import ranking_of
from ice_explorer.scene.view_state import Besides
from ice_explorer.scene.words import weight_text

if TYPE_CHECKING:
    from ice_explorer.scene.scene import Ranking
    from ice_explorer.widget.explorer import ICEExplorer

_ROW, _MOST, _BESIDE = 24, 40, 80  # px: of each bar with what parts it from the next, and of axes
_ROOM_FOR_FIGURES: Final = 1.16
_TICK_WIDTH: Final = 0.006  # of the axis
_SHOWS: Final = ("feature", "decay", "rank_by", "convention", "unit")


class Bars:
    """Bars, the impact without decay as ticks that reach above and below them, and which of them is open."""

    def __init__(self, explorer: ICEExplorer, max_features: int) -> None:
        names = explorer._features
        self._max_features = max_features
        self._n_features = len(names)
        self._labels: list[str] = []
        self._across = bqplot.LinearScale(min=0.0, max=1.0, allow_padding=False)
        # Ranks are along the axis, so that a bar stays the same while another feature takes its place.
        self._down = bqplot.OrdinalScale()
        scales = {"x": self._down, "y": self._across}
        shape = {"scales": scales, "orientation": "horizontal", "stroke_width": 0.0}
        # Up to the tick there is nothing to be seen. Over the bars it would take their clicks and tooltips.
        self._ticks = bqplot.Bars(
            **shape, padding=0.12, type="stacked", colors=["transparent", look.INK], interactions={}
        )
        self._bars = bqplot.Bars(
            **shape,
            padding=0.36,
            colors=[look.MARK],
            unselected_style={"opacity": "0.55"},
            tooltip=look.tooltip("x", "y", formats=["", ".4~g"]),
            label_display=True,
            label_display_format=".3~g",
            label_display_vertical_offset=6.0,
            label_font_style={"text-anchor": "start", "font-size": f"{look.LETTERS:g}px", "fill": look.MUTED},
        )
        self._names = look.axis(self._down, "left", grid=False)
        self._figures = look.axis(self._across, "bottom")
        self._legend = look.heading_axis()
        self._legend.tick_style = look.TICK_STYLE
        rows = min(max_features, len(names))
        height = max(_ROW * rows, min(look.HEIGHT - _BESIDE, _MOST * rows)) + _BESIDE
        self.figure = look.figure([self._ticks, self._bars], [self._figures, self._names, self._legend])
        self.figure.layout.height = f"{height}px"
        self.figure.fig_margin = look.margins(names)
        self._link = Link(explorer, self.figure, self._draw, _SHOWS)
        for mark in (self._ticks, self._bars):
            mark.on_element_click(self._clicked)
        self._bars.observe(self._selected, "selected")

    def _draw(self, link: Link) -> None:
        # Bars are of the open model; how far models disagree takes all of them.
        state = replace(link.state, besides=Besides(models=link.explorer._known_models))
        show = partial(self._show, state.decay)
        if state.unit != "sd":
            show(ranking_of(link.explorer._known, state))
        else:  # all rows are predicted for it, which happens in the background
            link.ask(None, lambda _feature, _wait: ranking_of(link.explorer._known, state), show, _stay)

    def _show(self, decay: float, ranking: Ranking) -> None:
        shown = [bar for bar in ranking.bars if not math.isnan(bar.value)][: self._max_features]
        self._labels = [bar.label for bar in shown]
        opened = [place for place, bar in enumerate(shown) if bar.is_open]
        x = np.array(self._labels, dtype=np.str_)
        self._set_axes(ranking)
        bars = f"{weight_text(decay)}; {explanation('tick').name}" if ranking.has_ticks else ""
        look.set_heading(self._legend, bars)
        width = _TICK_WIDTH * ranking.longest if ranking.has_ticks else 0.0
        ticks = np.array([bar.tick or 0.0 for bar in shown])
        values = np.array([bar.value for bar in shown])
        look.set_all(self._ticks, {"x": x, "y": np.stack([np.maximum(ticks - width / 2, 0.0), 0 * ticks + width])})
        look.set_all(self._bars, {"x": x, "y": values, "selected": np.array(opened) if opened else None})

    def _set_axes(self, ranking: Ranking) -> None:
        longest = ranking.longest or 1.0
        self._across.max = longest * _ROOM_FOR_FIGURES
        self._down.domain = self._labels[::-1]  # from the foot; of two marks bqplot would keep the order of before
        self._names.tick_labels = {name: look.fitted(name) for name in self._labels}
        look.set_ticks(self._figures, ticks(0.0, longest, 5))
        so_far = " of those computed so far" if ranking.unit == "share" and len(ranking.bars) < self._n_features else ""
        look.label(self._figures, ", ".join(filter(None, [ranking.title + so_far, ranking.counted])), away=34)

    def _clicked(self, _mark: object, content: dict[str, Any]) -> None:
        """Open what was clicked: by its name, as another feature may have that place by now."""
        label = (content.get("data") or {}).get("x")
        if label in self._link.features:
            self._link.choose("feature", label)

    def _selected(self, change: dict[str, Any]) -> None:
        """Open what was selected from Python, or select the open one again."""
        places = [] if change["new"] is None else np.atleast_1d(change["new"]).tolist()
        if places and 0 <= places[-1] < len(self._labels):
            label = self._labels[int(places[-1])]
            if label != self._link.explorer.feature:
                self._link.choose("feature", label)


def _stay(_sentence: str) -> None:
    """Leave the bars as they are."""
