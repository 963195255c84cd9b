"""The ranking as bars, and the curves of the open feature."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bqplot
import numpy as np

from ice_explorer.bqplot import style
from ice_explorer.bqplot.link import LinkedFigure
from ice_explorer.features.axis_text import ticks
from ice_explorer.figures.text import width_of
from ice_explorer.scene.build import ranking_of
from ice_explorer.scene.coloring import coloring_of
from ice_explorer.scene.curve_lines import lines_of
from ice_explorer.scene.scene import KIND_TITLES
from ice_explorer.scene.view_state import Besides
from ice_explorer.scene.words import axis_ticks, weight_text

if TYPE_CHECKING:
    from ice_explorer.arrays import Array
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.view_state import ViewState
    from ice_explorer.widget.explorer import ICEExplorer


class Ranking(LinkedFigure):
    """Bars of the features that rank first; that of the open feature is selected."""

    traits = ("feature", "decay", "rank_by", "unit")
    is_of_feature = False

    def __init__(self, explorer: ICEExplorer, max_features: int) -> None:
        self._features, self._max_features = explorer._features, max_features
        self._order, self._values = bqplot.OrdinalScale(), bqplot.LinearScale(min=0.0, max=1.0, allow_padding=False)
        self._bars = bqplot.Bars(
            scales={"x": self._order, "y": self._values}, orientation="horizontal", stroke_width=0.0, padding=0.36,
            colors=[style.MARK], unselected_style={"opacity": "0.55"},
            tooltip=style.tooltip("x", "y", formats=["", ".4~g"]),
            label_display=True, label_display_format=".3~g", label_display_vertical_offset=6.0,
            label_font_style={"text-anchor": "start", "font-size": "11px", "fill": style.MUTED},
        )  # fmt: skip
        self._numbers = style.axis(self._values, "bottom", grid_lines="solid", label_offset="34px")
        self._names = style.axis(self._order, "left")
        n_bars = min(max_features, len(self._features))
        height = 80 + max(24 * n_bars, min(260, 40 * n_bars))
        widest = max(width_of(style.cut(name), 11.0) for name in self._features)
        layout = {"height": height, "left": max(60, 20 + round(1.15 * widest)), "bottom": 44}
        super().__init__(explorer, [self._bars], [self._numbers, self._names], layout)
        self._bars.on_element_click(self._click)
        self._bars.observe(self._select, "selected")

    def _compute(self, known: Explanation, state: ViewState, _opened: object) -> Any:
        return state, ranking_of(known, replace(state, besides=Besides(models=self.explorer._known_models)))

    def _show(self, result: Any) -> None:
        state, ranking = result
        shown = [bar for bar in ranking.bars if not math.isnan(bar.value)][: self._max_features]
        labels = [bar.label for bar in shown]
        longest = ranking.longest or 1.0
        self._values.max = 1.16 * longest  # with room for the numbers
        self._order.domain = labels[::-1]  # upwards
        self._names.tick_labels = {label: style.cut(label) for label in labels}
        style.set_ticks(self._numbers, ticks(0.0, longest, 5))
        self._numbers.label = style.cut(", ".join(filter(None, [ranking.title, ranking.counted])), 360.0)
        opened = np.flatnonzero([bar.is_open for bar in shown])
        values = np.array([bar.value for bar in shown])
        selected = opened if opened.size else None
        style.set_traits(self._bars, x=np.array(labels, dtype=np.str_), y=values, selected=selected)
        self._say(weight_text(state.decay) if state.rank_by == "in_distribution_impact" else "")

    def _click(self, _mark: object, content: dict[str, Any]) -> None:
        label = (content.get("data") or {}).get("x")  # not its index: the page may show an earlier order
        if label in self._features:
            self.choose("feature", label)

    def _select(self, change: dict[str, Any]) -> None:
        chosen = [] if change["new"] is None else np.atleast_1d(change["new"]).tolist()
        if chosen and 0 <= chosen[-1] < len(self._bars.x):
            label = str(self._bars.x[int(chosen[-1])])
            if label != self.explorer.feature:
                self.choose("feature", label)


class Curves(LinkedFigure):
    """Curves in the colours of the explorer, those of selected rows over them, and their mean."""

    traits = ("feature", "kind", "anchor", "color_by", "selection", "max_lines", "_view")
    is_of_feature = True

    def __init__(self, explorer: ICEExplorer, max_lines: int) -> None:
        self._max_lines = max_lines
        self._rows: dict[str, int] = {}  # by the name of a line
        self._meaning: object = (None, None, ())
        self._x, self._y = (bqplot.LinearScale(allow_padding=False) for _ in range(2))
        clickable = {"scales": {"x": self._x, "y": self._y}, "tooltip": style.tooltip("name")}
        passive = {"scales": {"x": self._x, "y": self._y}, "interactions": {}}
        self._curves = bqplot.Lines(**clickable, marker_size=16)
        self._selected = bqplot.Lines(**clickable, colors=[style.PICK], marker_size=36)
        self._rim = bqplot.Lines(**passive, colors=[style.PAPER])
        self._mean = bqplot.Lines(**passive, colors=[style.INK], marker_size=64)
        self._across = style.axis(self._x, "bottom", label_offset="36px")
        self._up = style.axis(self._y, "left", grid_lines="solid", label_offset="44px")
        marks = [self._curves, self._selected, self._rim, self._mean]
        super().__init__(explorer, marks, [self._across, self._up], {"height": 340, "left": 88, "bottom": 52})
        for mark in marks[:2]:
            mark.on_element_click(self._click)

    def _compute(self, known: Explanation, state: ViewState, opened: Any) -> Any:
        lines = lines_of(known, opened, replace(state, max_lines=min(self._max_lines, state.max_lines)))
        coloring = coloring_of(known, state.color_by, lines.positions)
        return lines, coloring, known._row_labels(lines.positions), len(opened.rows)

    def _show(self, result: Any) -> None:
        lines, coloring, labels, n_rows = result
        for scale, (low, high) in ((self._x, lines.x_domain), (self._y, lines.y_domain)):
            style.set_traits(scale, min=low, max=high)
        style.set_ticks(self._across, axis_ticks(lines.axis, lines.x_domain, 325.0), 90.0)
        low, high = lines.y_domain
        style.set_ticks(self._up, ticks(low, high, 5))
        self._across.label, self._up.label = style.cut(lines.x_title, 300.0), style.cut(lines.y_title, 300.0)
        self._show_legend(coloring)
        names = [f"row {row}" for row in lines.positions.tolist()]
        if labels is not None:  # rows may have the same label
            names = [f"{label} ({name})" for label, name in zip(labels, names, strict=True)]
        self._rows = dict(zip(names, lines.positions.tolist(), strict=True))
        colors = [style.color(coloring, value) for value in coloring.values.tolist()] or [style.MARK]
        opacities = [0.9 if len(names) <= 40 else 0.55] * len(names)
        _draw(self._curves, lines, lines.values, 1.0, labels=names, colors=colors, opacities=opacities)
        selected = np.flatnonzero(lines.selected)
        _draw(self._selected, lines, lines.values[selected], 2.0, labels=[names[index] for index in selected])
        _draw(self._rim, lines, np.empty(0) if lines.on_levels else lines.mean, 4.5)
        _draw(self._mean, lines, lines.mean, 2.0)
        self._say(f"{KIND_TITLES[lines.kind]} of {style.cut(lines.feature)}, {len(names):,} of {n_rows:,} rows")

    def _show_legend(self, coloring: Coloring) -> None:
        meaning = (coloring.title, coloring.domain, coloring.levels)
        if meaning == self._meaning:
            return
        self._meaning = meaning
        before, legends = self.figure.axes[3:], [] if coloring.title is None else [style.legend(coloring)]
        self.figure.axes = [self._across, self._up, self.heading, *legends]
        self.figure.fig_margin = {**self.figure.fig_margin, "right": 104 if legends else 16}
        for axis in before:
            axis.scale.close()
            axis.close()

    def _click(self, _mark: object, content: dict[str, Any]) -> None:
        row = self._rows.get((content.get("data") or {}).get("name", ""))
        if row is not None:
            self.choose("selection", sorted({*self.explorer.selection} ^ {row}))


def _draw(mark: bqplot.Lines, lines: Lines, values: Array, width: float, **traits: object) -> None:
    """Draw lines, or dots at levels without an order."""
    x = lines.x if values.size else np.empty(0)
    if len(x) == 1:  # bqplot would take several lines of one point for one line
        x, values = np.repeat(x, 2), np.repeat(np.atleast_2d(values), 2, axis=1)
    traits |= {"marker": "circle", "stroke_width": 0.0} if lines.on_levels else {"marker": None, "stroke_width": width}
    style.set_traits(mark, x=x, y=values if values.size else np.empty(0), **traits)
