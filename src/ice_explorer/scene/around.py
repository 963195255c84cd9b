"""Plots next to the open feature: compared features, all features, and every class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.scene.build import filtered
from ice_explorer.scene.coloring import coloring_of
from ice_explorer.scene.curve_lines import lines_of
from ice_explorer.scene.scene import ClassesShown, Small
from ice_explorer.scene.two_sides import split_of
from ice_explorer.scene.view_state import compared_with, shared_span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.results.explanation_result import ExplanationResult
    from ice_explorer.results.feature_explanation import FeatureResult
    from ice_explorer.scene.scene import Scene
    from ice_explorer.scene.two_sides import Split
    from ice_explorer.scene.view_state import ViewState

    Span = tuple[float, float]

MOST_FEATURES: Final = 30  # in small
LINES_IN_SMALL: Final = 200  # of `js/src/panels/grid/panel.ts`, as is the number of selected rows
_SELECTED_IN_SMALL: Final = 20
_LINES_COMPARED: Final = 1000  # of `js/src/panels/beside/compare.ts`


def with_surroundings(explanation: ExplanationResult, scene: Scene) -> Scene:
    """Add to the view of a feature what a reader chose to see around it."""
    state = scene.state
    opened = explanation[state.feature]
    split = split_of(state.choice("coloring"), state.color_by, opened)
    if state.choice("right") == "all":
        shown = [explanation[bar.label] for bar in scene.ranking.bars[:MOST_FEATURES]]
        few = replace(state, selection=state.selection[:_SELECTED_IN_SMALL])
        most = min(state.max_lines, LINES_IN_SMALL)
        drawn = [(each, each.draw(most, few.selection)) for each in shown]
        smalls = [_small(explanation, each, state, split, rows) for each, rows in drawn]
        spans = [_around(small.y_span, _shared(explanation, state)) for small in smalls]
        return replace(scene, features=_spanning(smalls, spans))
    others = compared_with(opened.label, [name for name in state.choice("compared") if name in explanation])
    names = [opened.label, *others] if others else []
    rows = _rows_of(opened, state)
    smalls = [_small(explanation, explanation[name], state, split, rows) for name in names]
    if state.kind != "d-ice" and smalls:  # slopes are per unit of each feature, so they share no axis
        span = _shared(explanation, state)
        for small in smalls:
            span = _around(small.y_span, span)
        smalls = list(_spanning(smalls, [span or (0.0, 0.0)] * len(smalls)))
    return replace(scene, compared=tuple(smalls), classes=_classes(explanation, opened, state))


def _small(
    explanation: ExplanationResult,
    feature: FeatureResult,
    state: ViewState,
    split: Split,
    positions: NDArray[np.int64],
) -> Small:
    lines = lines_of(explanation, feature, state, positions)
    whole = lines.extent
    colored = coloring_of(explanation, state.color_by, positions, split, state.choice("palette"))
    lines, coloring = filtered(lines, colored, state.choices)
    return Small(lines, coloring, whole, has_picture=lines.kind == state.kind)


def _spanning(smalls: list[Small], spans: list[Span]) -> tuple[Small, ...]:
    return tuple(replace(small, y_span=span) for small, span in zip(smalls, spans, strict=True))


def _shared(explanation: ExplanationResult, state: ViewState) -> Span | None:
    """Return what all features share of the value axis, where a reader chose so."""
    if not state.choice("shared_y"):
        return None
    return shared_span(state.kind, (feature.prediction_range for feature in explanation))


def _around(one: Span, other: Span | None) -> Span:
    return one if other is None else (min(one[0], other[0]), max(one[1], other[1]))


def _rows_of(opened: FeatureResult, state: ViewState) -> NDArray[np.int64]:
    """Return the rows of the open feature, so that each can be followed from plot to plot."""
    rows = opened.draw(state.max_lines, state.selection)
    if len(rows) <= _LINES_COMPARED:
        return rows
    some = rows[np.linspace(0, len(rows) - 1, _LINES_COMPARED).astype(np.intp)]
    return np.union1d(some, np.array(state.selection, dtype=np.int64))


def _classes(explanation: ExplanationResult, opened: FeatureResult, state: ViewState) -> ClassesShown | None:
    """Return the open feature for every class of the model, where a reader chose so and it is at hand."""
    classes = state.besides.classes
    if classes is None or not state.choice("classes"):
        return None
    positions = opened.draw(state.max_lines)
    lines = lines_of(explanation, opened, replace(state, kind="ice"), positions)
    return ClassesShown(lines, classes.lines(opened.feature, positions))
