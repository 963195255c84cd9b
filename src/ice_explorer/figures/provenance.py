"""Where a figure comes from, to be carried inside it."""

from __future__ import annotations

import inspect
import json
import math
import platform
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer import __version__
from ice_explorer.explanation import explain
from ice_explorer.figures.view import ViewState
from ice_explorer.payload import code_line

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation
    from ice_explorer.figures.view import Lines

_CUSTOM: Final = "custom"  # the setting of an option that was given as values
_VALUES: Final = object()  # stands for those, which are not kept
_NOT_IN_SETTINGS: Final = ("features", "sample_weight", "progress")
# They change how the numbers are computed, not which numbers.
_WITHOUT_EFFECT: Final = ("engine", "memory_limit", "n_jobs", "decay")
# Options that a view may have chosen anew; one after the other they might be a pair that cannot be.
_COUNTING: Final = ("convention", "weighting")


def provenance(explanation: Explanation, state: ViewState, lines: Lines) -> dict[str, Any]:
    """Collect what a reader needs to make a figure again.

    Parameters
    ----------
    explanation : Explanation
    state : ViewState
        As a scene has it: with the feature that is open, and how impact is counted.
    lines : Lines
        What was drawn of the open feature.

    Returns
    -------
    dict
        Plain values for JSON.
    """
    settings = explanation.settings
    feature = explanation[lines.feature]
    return {
        "title": "Individual conditional expectation",
        "feature": lines.feature,
        "kind": state.kind,
        "anchor": state.anchor if state.kind == "c-ice" else None,
        "color_by": state.color_by,
        "rows_drawn": len(lines.positions),
        "rows_used": len(feature.row_positions),
        "n_grid": len(feature.axis),
        "rank_by": state.rank_by,
        "decay": state.decay,
        "convention": state.convention,
        "weighting": state.weighting,
        "grid": settings.grid,
        "scale": settings.scale,
        "output": explanation.output_label,
        "response": settings.response,
        "n_observations": explanation.n_observations,
        "weighted": settings.weighted,
        "engine": explanation.engine,
        "seed": settings.random_state,
        "versions": {
            "ice_explorer": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "code": code(explanation, state),
    }


def provenance_json(explanation: Explanation, state: ViewState, lines: Lines) -> str:
    """Write the provenance as JSON text."""
    return json.dumps(provenance(explanation, state, lines), ensure_ascii=False, default=str, allow_nan=False)


def code(explanation: Explanation, state: ViewState) -> str:
    """Write the line that makes this view again, from the model and the data."""
    statements = [f"x = ice_explorer.{code_line(_options(explanation, state), longest=math.inf)}"]
    for field in fields(ViewState):
        if field.name in _COUNTING:
            continue
        value = getattr(state, field.name)
        default = None if field.default is MISSING else field.default
        if value != default:
            shown = list(value) if isinstance(value, tuple) else value
            statements.append(f"x.{field.name} = {shown!r}")
    return "; ".join(statements)


def _options(explanation: Explanation, state: ViewState) -> dict[str, object]:
    """Options of `explain` that were not left at their defaults."""
    settings = explanation.settings
    chosen: dict[str, object] = {}
    if len(explanation.features) < _n_explainable(explanation):
        chosen["features"] = explanation.features
    for name, parameter in inspect.signature(explain).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY or name in (*_NOT_IN_SETTINGS, *_WITHOUT_EFFECT):
            continue
        value = getattr(state if name in _COUNTING else settings, name)
        plain = value.item() if isinstance(value, np.generic) else value
        if plain == _CUSTOM:
            chosen[name] = _VALUES
        elif plain not in (None, parameter.default) and (name, plain) != ("response", "callable"):
            chosen[name] = plain
    if settings.weighted:
        chosen["sample_weight"] = _VALUES
    return chosen


def _n_explainable(explanation: Explanation) -> int:
    kinds = [explanation.column(name).kind for name in explanation.columns]
    groups = explanation.settings.groups or {}
    return sum(kind != "other" for kind in kinds) + sum(1 - len(members) for members in groups.values())
