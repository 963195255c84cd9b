"""The curves of several models on one axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.scene.coloring import Coloring
from ice_explorer.scene.curve_lines import lines_of
from ice_explorer.scene.lines import join_lines
from ice_explorer.scene.palette import level_palette

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.comparison import ModelComparison
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.view_state import ViewState

MODEL: Final = "model"
"""Title of the legend."""


def drawn_models(state: ViewState) -> ModelComparison | None:
    """Return the models whose curves share the axes; None where those of the open one are drawn alone."""
    is_alone = state.color_by is not None or state.choice("coloring") == "together" or not state.choice("models")
    return None if is_alone else state.besides.models


def lines_of_models(
    models: ModelComparison, state: ViewState, as_chosen: Callable[[Lines], Lines]
) -> tuple[Lines, Coloring]:
    """Draw the open feature by every model, one colour each, with their means."""
    parts = [as_chosen(lines_of(each, each[state.feature], state)) for each in models.explanations.values()]
    n_lines = len(parts[0].positions)
    values = np.repeat(np.arange(len(parts), dtype=np.float32), n_lines)
    names = tuple(models.explanations)
    return _together(parts), Coloring(MODEL, level_palette(len(names), ordered=False), values, levels=names)


def _together(parts: Sequence[Lines]) -> Lines:
    """Put the lines of several models into one picture."""
    spans = [part.y_span for part in parts if part.y_span is not None]
    prediction_spans = [part.prediction_span for part in parts if part.prediction_span is not None]
    return replace(
        join_lines(parts),
        spread=np.max([part.spread for part in parts], axis=0),
        prediction_span=max(prediction_spans, default=None),
        y_span=(min(low for low, _ in spans), max(high for _, high in spans)) if spans else None,
        is_cut=any(part.is_cut for part in parts),
        remark=next((part.remark for part in parts if part.remark is not None), None),
        has_mean=False,
        group_means=np.stack([part.mean for part in parts]),
    )
