"""Provenance of a file, stored inside it as JSON."""

from __future__ import annotations

import ast
import platform
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.results.options import DEFAULTS
from ice_explorer.scene.choices import STATE_VERSION, DocumentState, ViewState, chosen
from ice_explorer.tables.column import MOST_LETTERS
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.build import Scene

_CUSTOM: Final = "custom"  # the setting of an option that was given as values
_VALUES: Final = object()  # stands for those, which are not kept
_NOT_IN_SETTINGS: Final = ("features", "sample_weight", "progress", "budget")
# They change how the numbers are computed, not which numbers.
_WITHOUT_EFFECT: Final = ("method", "memory_limit", "n_jobs", "decay")


def provenance(
    explanation: Explanation,
    scenes: Sequence[Scene],
    call: str,
    left_out: Collection[str] = (),
    *,
    holds_target: bool = False,
) -> dict[str, Any]:
    """Collect what a reader needs to make a file again, as plain values; what differs between features is by feature.

    `left_out` are choices of a reader that the file does not follow; `holds_target` tells whether the observed
    target is in it even where it is not shown.
    """
    settings, state = explanation.settings, scenes[0].state
    models, changed = state.besides.models, chosen(state.choices)
    return {
        "title": "Individual conditional expectation",
        "feature": state.feature if len(scenes) == 1 else [scene.state.feature for scene in scenes],
        "kind": state.kind,
        "anchor": state.anchor,
        "color_by": state.color_by,
        "rows_drawn": _by_feature(scenes, lambda scene: scene.lines.n_rows),
        "rows_used": _by_feature(scenes, lambda scene: scene.n_rows),
        "n_grid": _by_feature(scenes, lambda scene: len(scene.lines.grid)),
        "rank_by": state.rank_by,
        "decay": state.decay,
        "convention": settings.convention,
        "ci": state.ci,
        "grid": settings.grid,
        "distance": settings.distance,
        "output": explanation.output_label,
        "response": settings.response,
        **({} if models is None else {"model": models._opened, "models": models.names}),
        "n_observations": explanation._n_observations,
        **({} if explanation._sampled is None else {"sample": explanation._sampled.text}),
        "weighted": settings.weighted,
        "method": explanation.method,
        "seed": settings.random_state,
        "view": {name: value for name, value in changed.items() if name not in left_out},
        "not_drawn": sorted({*changed, "fade"} & set(left_out)),
        "versions": {"ice_explorer": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "code": f"{_code(explanation, state, holds_target=holds_target)}; {call}",
    }


def _by_feature(scenes: Sequence[Scene], count: Callable[[Scene], int]) -> int | dict[str, int]:
    if len(scenes) == 1:
        return count(scenes[0])
    return {scene.state.feature: count(scene) for scene in scenes}


def _code(explanation: Explanation, state: ViewState, *, holds_target: bool = False) -> str:
    """Write the line that makes this view again, from the model and the data."""
    models, usual = state.besides.models, ViewState()
    arguments = ["model" if models is None else "models", "X"]
    for name, value in _options(explanation, state, holds_target=holds_target).items():
        text = repr(value)
        try:
            ast.literal_eval(text)  # it makes the value again, wherever it is pasted
        except (SyntaxError, ValueError):
            text = name
        arguments.append(f"{name}={text}")
    statements = [f"x = ice_explorer.ICEExplorer({', '.join(arguments)})"]
    if models is not None and models._opened != models.names[0]:
        statements.append(f"x.model = {models._opened!r}")
    for field in fields(DocumentState):
        value = getattr(state, field.name)
        if value != getattr(usual, field.name):
            plain = list(value) if isinstance(value, tuple) else value
            statements.append(f"x.{field.name} = {plain!r}")
    return "; ".join(statements)


def _options(explanation: Explanation, state: ViewState, *, holds_target: bool) -> dict[str, object]:
    settings = explanation.settings
    given: dict[str, object] = {}
    needs_target = holds_target or state.choice("target") or state.color_by in explanation._outcome_labels.values()
    if state.besides.target is not None and needs_target:
        given["y"] = _VALUES
    kinds = [explanation._column(name).kind for name in explanation._context.columns.names]
    members = (settings.groups or {}).values()  # each group is one feature
    if len(explanation.features) < sum(kind != "other" for kind in kinds) + sum(1 - len(group) for group in members):
        given["features"] = [
            each.label if len(str(each.feature)) > MOST_LETTERS else each.feature for each in explanation.values()
        ]
    for name, default in DEFAULTS.items():
        if name in (*_NOT_IN_SETTINGS, *_WITHOUT_EFFECT):
            continue
        value = getattr(settings, name)
        plain = value.item() if isinstance(value, np.generic) else value
        if plain == _CUSTOM:
            given[name] = _VALUES
        elif plain not in (None, default) and (name, plain) != ("response", "callable"):
            given[name] = plain
    if settings.weighted:
        given["sample_weight"] = _VALUES
    if view := chosen(state.choices):
        given["state"] = {"version": STATE_VERSION, "view": view}
    return given
