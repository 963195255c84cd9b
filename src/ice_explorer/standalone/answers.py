"""Precomputed replies to all requests of the front end.

The rows are the same for every feature: those that the open one draws, with the selected ones. So rows can be
followed from plot to plot, and every column and every row as text is there once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.features.feature import LEVELLED
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.results.column_colors import RESIDUAL
from ice_explorer.results.options import METRIC_RANKINGS, UNITS, resolve_display
from ice_explorer.scene.choices import DocumentState
from ice_explorer.standalone.pack import pack, pack_json
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.curves import (
    describe_classes,
    describe_colors,
    describe_correlated,
    describe_curves,
    describe_effects,
    describe_groups,
    describe_intervals,
    describe_unlike,
)
from ice_explorer.wire.header import Tables, describe_header
from ice_explorer.wire.joint import describe_interactions, describe_two_way
from ice_explorer.wire.messages import FeatureHead, Status
from ice_explorer.wire.requests import IntervalsRequest
from ice_explorer.wire.rows import describe_drivers, describe_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.beyond.interactions import JointEffects
    from ice_explorer.comparison import ModelComparison
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.scene.view_state import ViewState
    from ice_explorer.tables.column import Name
    from ice_explorer.wire.messages import DriversBody

MOST_VALUES: Final = 2_000_000
"""Values of the curves of all features together, beyond which fewer lines are kept."""
FEWEST_LINES: Final = 30
"""Kept whatever they take."""
MOST_VALUES_OF_CLASSES: Final = 500_000
"""The same for all classes together; where `FEWEST_LINES` are more than that, there are none."""

_MOST_PLACES: Final = 100


class _Blobs:
    """What is packed, by number; 0 is kept for what names the others."""

    def __init__(self) -> None:
        self.texts = [""]

    def keep(self, body: object) -> dict[str, Any]:
        """Pack the arrays of one reply, and say where they are."""
        content, buffers = packed(body)
        return {"body": content, **self.keep_buffers(buffers)}

    def keep_buffers(self, buffers: Sequence[bytes]) -> dict[str, Any]:
        """Pack buffers, and say where they are."""
        self.texts.append(pack(buffers))
        return {"blob": len(self.texts) - 1, "lengths": [len(buffer) for buffer in buffers]}

    def keep_json(self, value: Any) -> int:
        """Pack plain values, and say where they are."""
        self.texts.append(pack_json(value))
        return len(self.texts) - 1


@dataclass(frozen=True)
class Snapshot:
    """What a page holds, of `n_lines` rows for each feature.

    Blobs are Base64 of gzip. The first is JSON that names the others; its form is `Snapshot` of
    `js/src/standalone/snapshot_client.ts`.
    """

    blobs: list[str]
    n_lines: int


def lines_that_fit(explanation: Explanation, max_lines: int, n_models: int = 1) -> int:
    """How many lines of each feature a page keeps unless asked otherwise: `max_lines`, or what is not too large."""
    n_values = n_models * sum(len(feature.grid) for feature in explanation.values())
    return min(max_lines, max(FEWEST_LINES, MOST_VALUES // n_values))


def snapshot(explanation: Explanation, state: ViewState, code: str) -> Snapshot:
    """Collect what a view may come to show.

    The state is what it shows first, and names a feature and a convention; `code` is the line that makes the explorer.
    """
    blobs = _Blobs()
    features = list(explanation.values())
    rows = explanation[state.feature]._draw(state.max_lines, state.selection).tolist()
    curves, row_labels = [], None
    for feature in features:
        body = describe_curves(explanation, feature, 0, rows, state.besides.target)
        row_labels = body.row_labels
        curves.append(blobs.keep(replace(body, row_labels=None)))
    drivers = [describe_drivers(feature, feature._search_drivers()) for feature in features]
    classes = _classes(features, rows, state, blobs)
    joint = _joint(explanation, state)
    interactions = joint.interactions(explanation) if joint.has_interactions else None
    residual = [] if explanation._residual_label is None else [RESIDUAL]
    colors = [*explanation._context.columns.names_for_coloring, *residual]
    content = {
        "traits": _traits(explanation, features, state, code, classes),
        "tables": [_table(features, convention, state.besides.models, blobs) for convention in CONVENTIONS],
        "row_labels": row_labels,
        "curves": curves,
        "models": _models(explanation, state, rows, blobs),
        "classes": classes,
        "colors": [_colors(explanation, name, rows, drivers, blobs) for name in colors],
        "drivers": [packed(body)[0] for body in drivers],
        **_optional(features, rows, state, blobs),
        "intervals": _intervals(explanation, state, blobs),
        "interactions": None if interactions is None else packed(describe_interactions(explanation, interactions))[0],
        "pairs": [blobs.keep(describe_two_way(two)) for two in joint.known_pairs.values()],
        "groups": [
            None if feature._groups() is None else blobs.keep(describe_groups(feature, rows)) for feature in features
        ],
        "rows": blobs.keep_json(packed(describe_rows(explanation, rows))[0]),
    }
    blobs.texts[0] = pack_json(content)
    return Snapshot(blobs.texts, len(rows))


def _classes(
    features: Sequence[FeatureExplanation], rows: Sequence[int], state: ViewState, blobs: _Blobs
) -> list[dict[str, Any]]:
    """Return the curves of some of the rows for every class; nothing where there are none, or too many."""
    classes = state.besides.classes
    if classes is None:
        return []
    places = [_places(feature) for feature in features]
    n_values = sum(map(len, places)) * classes.n_shown
    n_lines = min(len(rows), MOST_VALUES_OF_CLASSES // n_values)
    if n_lines < min(FEWEST_LINES, len(rows)):
        return []
    drawn = np.asarray(rows, dtype=np.int64)[np.linspace(0, len(rows) - 1, n_lines).astype(np.intp)]
    return [
        blobs.keep(describe_classes(feature, classes, drawn, on_grid))
        for feature, on_grid in zip(features, places, strict=True)
    ]


def _models(explanation: Explanation, state: ViewState, rows: Sequence[int], blobs: _Blobs) -> list[dict[str, Any]]:
    """Return the curves of the rows by the models that are not open."""
    models = state.besides.models
    if models is None:
        return []
    kept = []
    for name, other in models.explanations.items():
        if name == models._opened:
            continue
        curves = []
        for feature in other.values():
            body = describe_curves(explanation, feature, 0, rows, state.besides.target)
            curves.append(blobs.keep(replace(body, row_labels=None)))
        kept.append({"model": name, "curves": curves})
    return kept


def _places(feature: FeatureExplanation) -> NDArray[np.intp]:
    """Return where on the grid the classes are compared: the pictures of them are small."""
    n_grid = len(feature.grid)
    most = n_grid if feature.dtype_kind in LEVELLED else min(n_grid, _MOST_PLACES)
    return np.linspace(0, n_grid - 1, most).round().astype(np.intp)


def _traits(
    explanation: Explanation,
    features: Sequence[FeatureExplanation],
    state: ViewState,
    code: str,
    classes: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return what an explorer would have sent to the browser, except for what only a model can answer."""
    heads = [
        FeatureHead(name=f.label, kind=f.dtype_kind, n_grid=len(f.grid), scale=f.scale, range=None, n_rows=None)
        for f in features
    ]
    outputs = classes[0]["body"]["outputs"] if classes else ()
    models = state.besides.models
    header = describe_header(
        explanation, heads, code, outputs, convention=state.convention,
        prediction_sd=explanation._context.prediction_sd, models=() if models is None else models.names,
    )  # fmt: skip
    n = len(features)
    sampling = explanation._sampled
    counts = (None, None) if sampling is None else (sampling.n_rows, sampling.n_all)
    return {
        **{each.name: getattr(state, each.name) for each in fields(DocumentState)},
        "selection": list(state.selection),
        "output": outputs[classes[0]["body"]["explained"]] if classes else "",
        "response": explanation.settings.response,
        "model": "" if models is None else models._opened,
        "distance": explanation.settings.distance,
        "_given": ["max_lines"],  # it is what the page holds, whatever a JupyterLab around it is set to
        "_view": {name: value for name, value in state.choices.items() if classes or name != "classes"},
        "_status": Status(state="ready", done=n, total=n, n_rows=counts[0], n_all=counts[1], label="", message=""),
        "_header": header,
    }


def _optional(
    features: Sequence[FeatureExplanation], rows: Sequence[int], state: ViewState, blobs: _Blobs
) -> dict[str, list[Any]]:
    """Return the replies about what a reader has switched on; of all features, as the page may open each."""
    has_effects = state.choice("ale") or state.choice("m_plot")
    return {
        "effects": [blobs.keep(describe_effects(each)) for each in features] if has_effects else [],
        "correlated": [packed(describe_correlated(each))[0] for each in features] if state.choice("correlated") else [],
        "unlike": [blobs.keep(describe_unlike(each, rows)) for each in features] if state.choice("unlike") else [],
    }


def _table(
    features: Sequence[FeatureExplanation], convention: Convention, models: ModelComparison | None, blobs: _Blobs
) -> dict[str, Any]:
    """Return the figures of all features by one convention, those of all models after those of the open one."""
    opened = 0 if models is None else models.names.index(models._opened)
    tables = Tables(len(features), convention, 1 if models is None else len(models.names), opened)
    for position, feature in enumerate(features):
        by_models = ([feature], None) if models is None else models._by_models(feature.feature)
        tables.fill(position, *by_models)
    traits = tables.traits
    return {"convention": convention, "traits": list(traits), **blobs.keep_buffers(list(traits.values()))}


def _intervals(explanation: Explanation, state: ViewState, blobs: _Blobs) -> dict[str, Any] | None:
    """Return intervals of every metric in every unit, as the view counts them; None where it shows none."""
    if state.ci is None:
        return None
    decay, convention = resolve_display(explanation.settings, state.decay, state.convention)
    answers = []
    for rank_by in METRIC_RANKINGS:
        for unit in UNITS:
            request = IntervalsRequest("", rank_by, state.ci, decay, convention, unit)
            body = describe_intervals(explanation, explanation._labels, request)
            answers.append({"rank_by": rank_by, "unit": unit, **blobs.keep(body)})
    return {"level": state.ci, "decay": decay, "convention": convention, "answers": answers}


def _joint(explanation: Explanation, state: ViewState) -> JointEffects:
    """Return what was computed of several features, and what the page opens with."""
    joint, pair = state.besides.joint, state.choice("pair")
    if state.choice("left") == "interactions":
        joint.interactions(explanation)._complete()
    if state.feature in pair:
        joint.pair(explanation, *pair)._complete()
    return joint


def _colors(
    explanation: Explanation, name: Name, rows: Sequence[int], drivers: Collection[DriversBody], blobs: _Blobs
) -> dict[str, Any]:
    """Return a column to colour by, also with the levels apart that a rule names, where they would not be."""
    column = explanation._column(name)
    named = {
        level
        for body in drivers
        for driver in body.drivers
        if driver.column == column.label
        for level in driver.levels or ()
    }
    usual, separate = blobs.keep(describe_colors(column, rows)), None
    colors = describe_colors(column, rows, sorted(named))
    if packed(colors.scale)[0] != usual["body"]["scale"]:
        separate = blobs.keep(colors)
    return {**usual, "apart": separate}
