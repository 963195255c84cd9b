"""The ranking as bars and the curves of the open feature, in the style of the explorer that they follow.

Colours are CSS variables of the explorer's style sheet, for light and dark pages; the fallbacks are for a page without
it, such as a saved SVG.
"""

# ruff: noqa: SLF001 - of the explorer that a figure follows
from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import bqplot
import numpy as np
from matplotlib.colors import to_hex

from ice_explorer.errors import Cancelled, ICEExplorerError
from ice_explorer.features.axis_text import Tick, ticks
from ice_explorer.figures.style import ON_WHITE, palette_of
from ice_explorer.figures.text import elide, width_of
from ice_explorer.locks import Lock
from ice_explorer.scene.build import ranking_of
from ice_explorer.scene.choices import Besides, ViewState
from ice_explorer.scene.display_axis import axis_ticks
from ice_explorer.scene.lines import lines_of
from ice_explorer.widget.lifetime import weakly
from ice_explorer.widget.replies import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import Lines
    from ice_explorer.widget.explorer import ICEExplorer

_INK, _MUTED = "var(--ice-ink, #1f2328)", "var(--ice-muted, #5d6064)"
_MARK, _PICK = "var(--ice-mark, #3f6d9b)", "var(--ice-pick, #c2410c)"
_FONT = {"font-size": "11px", "font-family": "var(--ice-font, system-ui, sans-serif)", "fill": _MUTED}
_N_STEPS = 18  # of a ramp in the style sheet
_RESULT = ("_status", "output", "response", "convention")  # change with every feature explained and every other output
_SECONDS_TO_APPEAR = 2.0  # bqplot misses changes while a page draws a figure for the first time


class LinkedFigure:
    """Redraws a figure whenever its explorer changes, until either is closed.

    Explorers report changes in whichever thread they happen; one at a time draws. The label of the first axis says
    what is drawn, or why nothing is.

    - `traits`: what is followed besides the result.
    - `is_of_feature`: whether the open feature is drawn, and its result needed.
    """

    traits: ClassVar[tuple[str, ...]]
    is_of_feature: ClassVar[bool]

    def __init__(self, explorer: ICEExplorer, marks: list[Any], axes: list[Any], height: int, left: int) -> None:
        self.figure = bqplot.Figure(marks=marks, axes=axes, padding_x=0.0, padding_y=0.0, display_toolbar=False)
        self.figure.fig_margin = {"top": 16, "bottom": 52, "left": left, "right": 16}
        self.figure.background_style = {"fill": "transparent"}
        layout = self.figure.layout
        layout.height, layout.width, layout.min_width = f"{height}px", "auto", "0"
        self.figure.add_class("ice-bqplot")
        self.explorer, self._lock, self._is_linked, self._n_changes = explorer, Lock(), True, 0
        explorer.observe(self._redraw, [*self.traits, *_RESULT])
        for widget in (explorer, self.figure):
            widget.observe(self._unlink, "comm")
        self._redraw().wait(_SECONDS_TO_APPEAR)

    def _show(self, known: Any, state: ViewState, opened: Any) -> None:
        """Draw, in the thread of the explorer if it takes a feature or the predictions of all rows."""
        raise NotImplementedError

    def _redraw(self, _change: object = None) -> threading.Event:
        """Draw what the explorer shows now, when it is there; return what tells that nothing is waited for."""
        explorer, drawn = self.explorer, threading.Event()
        self._n_changes += 1
        number = self._n_changes

        def draw(opened: Any) -> None:
            with self._lock:
                if self._is_linked and number == self._n_changes:  # else there is a newer change
                    self._show(work.explanation(background.snapshot().results), state, opened)
            drawn.set()

        def refuse(error: Exception) -> None:
            if self._is_linked and not isinstance(error, Cancelled):  # by the user, or for another output
                self.figure.axes[0].label = _cut(sentence(error), 850.0)
            drawn.set()

        try:
            work, background = explorer._open_work(), explorer._background
            state = replace(explorer._drawn(work), ci=None)
            if self.is_of_feature and state.feature == "":  # the first one opens when all are explained
                self.figure.axes[0].label = "computing …"
            elif self.is_of_feature:
                background.ask(work.by_label[state.feature], draw, refuse, is_exact=True)
                return drawn
            else:
                draw(None)
        except ICEExplorerError as error:
            refuse(error)
        drawn.set()
        return drawn

    def _unlink(self, change: Any) -> None:
        if change["new"] is None and self._is_linked:
            self._is_linked = False
            self.explorer.unobserve(self._redraw, [*self.traits, *_RESULT])
            for widget in (self.explorer, self.figure):
                widget.unobserve(self._unlink, "comm")


class Ranking(LinkedFigure):
    """Bars of the features that rank first; that of the open feature is selected."""

    traits = ("feature", "decay", "rank_by")
    is_of_feature = False

    def __init__(self, explorer: ICEExplorer, max_features: int) -> None:
        self._features, self._max_features = explorer._features, max_features
        self._order, self._values = bqplot.OrdinalScale(), bqplot.LinearScale(min=0.0, max=1.0, allow_padding=False)
        self._bars = bqplot.Bars(
            scales={"x": self._order, "y": self._values}, orientation="horizontal", stroke_width=0.0, padding=0.36,
            colors=[_MARK], unselected_style={"opacity": "0.55"}, tooltip=_tooltip("x", "y", formats=["", ".4~g"]),
            label_display=True, label_display_format=".3~g", label_display_vertical_offset=6.0,
            label_font_style={"text-anchor": "start", "font-size": "11px", "fill": _MUTED},
        )  # fmt: skip
        self._numbers = _axis(self._values, "bottom", grid_lines="solid", label_offset="34px")
        self._names = _axis(self._order, "left")
        n_bars = min(max_features, len(self._features))
        left = max(60, 20 + round(1.15 * max(width_of(_cut(name), 11.0) for name in self._features)))
        super().__init__(explorer, [self._bars], [self._numbers, self._names], 68 + max(24 * n_bars, 100), left)
        self._bars.on_element_click(weakly(self._click))

    def _show(self, known: Explanation, state: ViewState, opened: Any) -> None:
        ranking = ranking_of(known, state)
        shown = [bar for bar in ranking.bars if not math.isnan(bar.value)][: self._max_features]
        labels, longest = [bar.label for bar in shown], ranking.longest or 1.0
        self._values.max = 1.16 * longest  # with room for the numbers
        self._order.domain = labels[::-1]  # upwards
        self._names.tick_labels = {label: _cut(label) for label in labels}
        _set_ticks(self._numbers, ticks(0.0, longest, 5))
        self._numbers.label = _cut(f"{ranking.title}: {ranking.caption}", 460.0)
        opened = np.flatnonzero([bar.label == ranking.opened for bar in shown])
        values = np.array([bar.value for bar in shown])
        _set_traits(self._bars, x=np.array(labels, dtype=np.str_), y=values, selected=opened if opened.size else None)

    def _click(self, _mark: object, content: dict[str, Any]) -> None:
        label = (content.get("data") or {}).get("x")  # not its index: the page may show an earlier order
        if label in self._features and self._is_linked:
            self.explorer.feature = label


class Curves(LinkedFigure):
    """Curves in the colours of the explorer, those of selected rows over them, and their mean."""

    traits = ("feature", "kind", "anchor", "color_by", "selection", "max_lines", "_view")
    is_of_feature = True

    def __init__(self, explorer: ICEExplorer, max_lines: int) -> None:
        self._max_lines = max_lines
        self._rows: dict[str, int] = {}  # by the name of a line
        self._x, self._y = (bqplot.LinearScale(allow_padding=False) for _ in range(2))
        scales = {"x": self._x, "y": self._y}
        self._curves = bqplot.Lines(scales=scales, tooltip=_tooltip("name"), marker_size=16)
        self._selected = bqplot.Lines(scales=scales, tooltip=_tooltip("name"), colors=[_PICK], marker_size=36)
        self._mean = bqplot.Lines(scales=scales, interactions={}, colors=[_INK], marker_size=64)
        self._across = _axis(self._x, "bottom", label_offset="36px")
        self._up = _axis(self._y, "left", grid_lines="solid", label_offset="44px")
        marks = [self._curves, self._selected, self._mean]
        super().__init__(explorer, marks, [self._across, self._up], height=340, left=88)
        for mark in marks[:2]:
            mark.on_element_click(weakly(self._click))

    def _show(self, known: Explanation, state: ViewState, opened: Any) -> None:
        state = replace(state, max_lines=min(self._max_lines, state.max_lines), besides=Besides())
        lines = lines_of(known, opened, state)
        labels, coloring = known._row_labels(lines.positions), lines.coloring
        for scale, (low, high) in ((self._x, lines.x_domain), (self._y, lines.y_domain)):
            _set_traits(scale, min=low, max=high)
        _set_ticks(self._across, axis_ticks(lines.axis, lines.x_domain, 325.0), 90.0)
        _set_ticks(self._up, ticks(*lines.y_domain, 5))
        self._up.label = _cut(lines.y_title, 300.0)
        legends = [] if coloring.title is None else [_legend(coloring)]
        self.figure.axes = [self._across, self._up, *legends]
        self.figure.fig_margin = {**self.figure.fig_margin, "right": 104 if legends else 16}
        names = [f"row {row}" for row in lines.positions.tolist()]
        if labels is not None:  # rows may have the same label
            names = [f"{label} ({name})" for label, name in zip(labels, names, strict=True)]
        self._rows = dict(zip(names, lines.positions.tolist(), strict=True))
        colors = _colors(coloring, coloring.values.tolist()) or [_MARK]
        opacities = [0.9 if len(names) <= 40 else 0.55] * len(names)
        _draw(self._curves, lines, lines.values, 1.0, labels=names, colors=colors, opacities=opacities)
        selected = np.flatnonzero(lines.selected)
        _draw(self._selected, lines, lines.values[selected], 2.0, labels=[names[index] for index in selected])
        _draw(self._mean, lines, lines.mean, 3.0)
        self._across.label = f"{_cut(lines.x_title, 300.0)}, {len(names):,} of {len(opened.rows):,} rows"

    def _click(self, _mark: object, content: dict[str, Any]) -> None:
        row = self._rows.get((content.get("data") or {}).get("name", ""))
        if row is not None and self._is_linked:
            self.explorer.selection = sorted({*self.explorer.selection} ^ {row})


def _draw(mark: bqplot.Lines, lines: Lines, values: Array, width: float, **traits: object) -> None:
    x = lines.x if values.size else np.empty(0)
    if len(x) == 1:  # bqplot would take several lines of one point for one line
        x, values = np.repeat(x, 2), np.repeat(np.atleast_2d(values), 2, axis=1)
    traits |= {"marker": "circle", "stroke_width": 0.0} if lines.on_levels else {"marker": None, "stroke_width": width}
    _set_traits(mark, x=x, y=values if values.size else np.empty(0), **traits)


def _axis(scale: bqplot.Scale, side: str, **traits: Any) -> bqplot.Axis:
    colors = {"grid_color": "var(--ice-rule, #e0e0e1)", "color": "transparent", "label_color": _MUTED}
    result = bqplot.Axis(scale=scale, side=side, **{"grid_lines": "none", "tick_style": _FONT, **colors, **traits})
    result.orientation = "vertical" if side == "left" else "horizontal"
    return result


def _tooltip(*fields: str, formats: Sequence[str] = ()) -> bqplot.Tooltip:
    result = bqplot.Tooltip(fields=list(fields), formats=list(formats), show_labels=False)
    result.add_class("ice-bqplot-tooltip")
    return result


def _cut(text: str, room: float = 190.0) -> str:
    return elide(text, room, 11.0)


def _set_ticks(axis: bqplot.Axis, shown: Sequence[Tick], room: float = 190.0) -> None:
    """Write these ticks, each on so many px, and no others. bqplot finds labels by the text of a number."""
    labels = {np.format_float_positional(tick.value + 0.0, trim="-"): _cut(tick.label, room) for tick in shown}
    _set_traits(axis, tick_labels=labels, tick_values=np.array([tick.value for tick in shown]))


def _set_traits(widget: Any, **traits: object) -> None:
    with widget.hold_sync():
        for name, value in traits.items():
            setattr(widget, name, value)


def _colors(coloring: Coloring, values: Sequence[float]) -> list[str]:
    """Colours of shares of the ramp, or of levels, on a light background."""
    if coloring.title is None:
        return [_MARK] * len(values)
    return [to_hex(color) for color in palette_of(coloring, ON_WHITE).at(values)]


def _legend(coloring: Coloring) -> bqplot.ColorAxis:
    """Return a bar of the colours with the levels of a column, or the ends of its values."""
    traits = {"side": "right", "label": _cut(coloring.title or "", 72.0), "label_color": _MUTED, "tick_style": _FONT}
    if coloring.domain is None:
        levels = coloring.levels[::-1]  # upwards
        colors = _colors(coloring, list(reversed(range(len(levels)))))
        result = bqplot.ColorAxis(scale=bqplot.OrdinalColorScale(domain=list(levels), colors=colors), **traits)
        result.tick_labels = {level: _cut(level, 44.0) for level in levels}
    else:
        low, high = coloring.domain
        low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
        colors = _colors(coloring, np.linspace(0, 1, _N_STEPS).tolist())
        result = bqplot.ColorAxis(scale=bqplot.ColorScale(colors=colors, min=low, max=high), **traits)
        _set_ticks(result, [Tick(low, coloring.ends[0]), Tick(high, coloring.ends[1])], 44.0)
    result.orientation = "vertical"
    return result
