"""Plots next to the open feature: compared features, all features, and every class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.scene.build import filtered
from ice_explorer.scene.coloring import coloring_of, split_of
from ice_explorer.scene.curve_lines import lines_of, middle_of
from ice_explorer.scene.interactions import interactions_scene
from ice_explorer.scene.pair import pair_of
from ice_explorer.scene.scene import Small
from ice_explorer.scene.view_state import compared_with, shared_span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.scene import Scene
    from ice_explorer.scene.view_state import ViewState

MOST_FEATURES: Final = 30  # in small
LINES_IN_SMALL: Final = 200  # of `js/src/panels/grid/panel.ts`, as is the number of selected rows
_SELECTED_IN_SMALL: Final = 20
_LINES_COMPARED: Final = 1000  # of `js/src/panels/beside/compare.ts`


def with_pair(explanation: Explanation, scene: Scene) -> Scene:
    """Add to the view of a feature the heat map that takes the place of its curves, if any."""
    return replace(scene, pair=pair_of(explanation, scene.state))


def with_surroundings(explanation: Explanation, scene: Scene) -> Scene:
    """Add to the view of a feature what a reader chose to see around it."""
    state = scene.state
    scene = replace(scene, interactions=interactions_scene(explanation, state))
    scene = with_pair(explanation, scene)
    opened = explanation[state.feature]
    split = split_of(state.choice("coloring"), state.color_by, opened)

    def small(feature: FeatureExplanation, rows: NDArray[np.int64], note: str = "") -> Small:
        lines = lines_of(explanation, feature, state, rows)
        coloring = coloring_of(explanation, state.color_by, rows, split)
        lines, coloring = filtered(replace(lines, y_span=lines.extent), coloring, state.choices)
        return Small(feature.label, lines, coloring, feature.label == opened.label, note)

    shared = None
    if state.choice("shared_y"):
        shared = shared_span(state.kind, (feature._prediction_range for feature in explanation.values()))
    if state.choice("right") == "all":
        few, most = state.selection[:_SELECTED_IN_SMALL], min(state.max_lines, LINES_IN_SMALL)
        bars = scene.ranking.bars[:MOST_FEATURES]
        shown = [
            (explanation[bar.label], f"{rank} · {scene.ranking.write(bar.value)}") for rank, bar in enumerate(bars, 1)
        ]
        smalls = [small(feature, feature._draw(most, few), note) for feature, note in shown]
        return replace(scene, features=tuple(_reaching(each, [shared]) for each in smalls))
    if scene.pair is not None:  # in the place of the curves, and of what is beside them
        return scene
    others = compared_with(opened.label, [name for name in state.choice("compared") if name in explanation])
    rows = _rows_of(opened, state)
    smalls = [small(explanation[name], rows) for name in ([opened.label, *others] if others else [])]
    if state.kind != "d-ice":  # slopes are per unit of each feature, so they share no axis
        spans = [shared, *(each.lines.y_span for each in smalls)]
        smalls = [_reaching(each, spans) for each in smalls]
    scene = replace(scene, compared=tuple(smalls))
    return _with_classes(explanation, opened, scene) if state.choice("classes") else scene


def _reaching(small: Small, spans: Iterable[tuple[float, float] | None]) -> Small:
    """Stretch the value axis of a plot over others."""
    low, high = zip(*filter(None, [small.lines.y_span, *spans]), strict=True)
    return replace(small, lines=replace(small.lines, y_span=(min(low), max(high))))


def _rows_of(opened: FeatureExplanation, state: ViewState) -> NDArray[np.int64]:
    """Return the rows of the open feature, so that each can be followed from plot to plot."""
    rows = opened._draw(state.max_lines, state.selection)
    if len(rows) <= _LINES_COMPARED:
        return rows
    some = rows[np.linspace(0, len(rows) - 1, _LINES_COMPARED).astype(np.intp)]
    return np.union1d(some, np.array(state.selection, dtype=np.int64))


def _with_classes(explanation: Explanation, opened: FeatureExplanation, scene: Scene) -> Scene:
    """Add the open feature for every class of the model, on one value axis, where the model is at hand."""
    classes = scene.state.besides.classes
    if classes is None:
        return scene
    positions = opened._draw(scene.state.max_lines)
    whole = replace(scene.state, kind="ice", decay=1.0)
    lines = lines_of(explanation, opened, whole, positions)
    found = classes.lines(opened.feature, positions)
    span = float(found.curves.min()), float(found.curves.max())
    coloring = coloring_of(explanation, None, positions)
    smalls = []
    for at, output in enumerate(found.outputs):
        curves = np.broadcast_to(found.curves[at], lines.values.shape)
        mean, band = curves.mean(axis=0), middle_of(curves)
        unplaced = np.full(len(positions), np.nan)  # observed values are marked above
        drawn = replace(lines, values=curves, mean=mean, band=band, own_y=unplaced, missing=None, y_span=span)
        smalls.append(Small(output, drawn, coloring, at == found.explained))
    return replace(scene, classes=tuple(smalls), n_classes=found.n_outputs)
