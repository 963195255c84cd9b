"""Replies that a page without a kernel plays back: those that the live explorer would give, recorded by request.

The rows are the same for every feature: those that the open one draws, with the selected ones and those that any
feature draws in every picture. So rows can be followed from plot to plot, and every column and every row as text is
there once. A reply has all rows of the page;
`js/src/standalone/recorded_model.ts` leaves out those that are not requested.
"""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.results.options import METRIC_RANKINGS, resolve_decay
from ice_explorer.scene.choices import DocumentState, chosen
from ice_explorer.wire import requests
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import Tables, describe_header, outline_of, score_text
from ice_explorer.wire.messages import (
    ClassesBody,
    CurvesBody,
    ExtremeBody,
    InteractionsBody,
    IntervalsBody,
    Status,
    TwoWayBody,
)
from ice_explorer.wire.replies import rank_rows, reply_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.choices import ViewState

MOST_VALUES: Final = 2_000_000
"""Values of the curves of all features together, beyond which fewer lines are kept."""
FEWEST_LINES: Final = 30
"""Kept whatever they take."""
MOST_VALUES_OF_CLASSES: Final = 1_000_000
"""The same for all classes together; where `FEWEST_LINES` are more than that, there are none."""

_OF_ROWS: Final = {"id", "max_lines", "selection", "positions"}  # entries of requests that choose among the rows
_TYPES: Final = {kind: name for name, (kind, _) in requests.REQUESTS.items()}
_ITEM: Final = 4  # bytes; numbers of eight bytes are two items
_MOST_CORRELATED: Final = 2_000_000  # cells of X; of more, correlations take long
_LEVEL: Final = 6  # of gzip: the highest one saves 1 % more, in three times the time


@dataclass(frozen=True)
class Recording:
    """What a page holds, of `n_lines` rows for each feature.

    Blobs are Base64 of gzip. The first is JSON that names the others; its form is `Recording` of
    `js/src/standalone/recorded_model.ts`.
    """

    blobs: list[str]
    n_lines: int


def lines_that_fit(explanation: Explanation, max_lines: int, n_models: int = 1) -> int:
    """How many lines of each feature a page keeps unless asked otherwise: `max_lines`, or what is not too large."""
    n_values = n_models * sum(len(feature.grid) for feature in explanation.values())
    return min(max_lines, max(FEWEST_LINES, MOST_VALUES // n_values))


def record(explanation: Explanation, state: ViewState) -> Recording:
    """Record the replies to all that a reader may request of a page, which shows the state first, of some feature."""
    models = state.besides.models
    explanations = [explanation] if models is None else models.explanations.values()
    outlying = [feature._outlying for each in explanations for feature in each.values()]
    include = np.concatenate([*outlying, np.array(state.selection, np.int64)])
    rows = explanation[state.feature]._draw(state.max_lines, include).tolist()
    blobs = [""]  # the first is written last

    def keep(content: bytes) -> int:
        blobs.append(_zipped(content))
        return len(blobs) - 1

    def keep_buffers(buffers: Sequence[bytes]) -> dict[str, Any]:
        blob = keep(_in_planes(b"".join(buffers))) if buffers else None
        return {"blob": blob, "lengths": [len(buffer) for buffer in buffers]}

    row_labels, replies, classes = None, [], None
    for request, body in _replies(explanation, state, rows):
        sent = body
        if isinstance(body, CurvesBody):  # rows have the same labels in all of them
            row_labels, sent = body.row_labels, replace(body, row_labels=None)
        if isinstance(body, ClassesBody):
            classes = body
        content, buffers = packed(sent)
        replies.append({"request": _key(request), "body": content, **keep_buffers(buffers)})
    tables = _tables(explanation, state)
    content = {
        "traits": _traits(explanation, state, classes),
        "tables": {"traits": list(tables), **keep_buffers(list(tables.values()))},
        "positions": rows,
        "row_labels": row_labels,
        "replies": replies,
        "rows": keep(_json(packed(reply_to(requests.RowsRequest("", rows), explanation, state.besides, []))[0])),
        "ranks": keep_buffers([rank_rows(explanation, rows).astype("<f4").tobytes()]),
    }
    blobs[0] = _zipped(_json(content))
    return Recording(blobs, len(rows))


def _key(request: requests.Request) -> dict[str, Any]:
    """Return what tells a request from the others; each holds for all rows."""
    return {
        "type": _TYPES[type(request)],
        **{entry: value for entry, value in vars(request).items() if entry not in _OF_ROWS},
    }


def _replies(explanation: Explanation, state: ViewState, rows: list[int]) -> Iterator[tuple[requests.Request, Any]]:
    """Yield each request, and the reply to it, or to the last of several where the first ones are incomplete."""
    usual = None
    for request in _requests(explanation, state, rows):
        feature = explanation[request.feature] if isinstance(request, requests.FeatureRequest) else None
        body: Any = None
        while not _is_whole(body):
            body = reply_to(request, explanation, state.besides, explanation._labels, feature=feature)
        if isinstance(request, requests.ColorsRequest) and request.levels is None:
            usual = body.scale
        elif isinstance(request, requests.ColorsRequest) and body.scale == usual:
            continue  # these levels are separate anyway
        yield request, body
    predictions = explanation.predictions(rows)
    yield requests.ExtremeRequest("", "highest"), ExtremeBody(rows[int(np.argmax(predictions))])
    yield requests.ExtremeRequest("", "lowest"), ExtremeBody(rows[int(np.argmin(predictions))])


def _is_whole(body: object) -> bool:
    match body:
        case None | IntervalsBody(intervals=None) | TwoWayBody(two_way=None):
            return False
        case InteractionsBody(done=done, total=total):
            return done == total
    return True


def _requests(explanation: Explanation, state: ViewState, rows: list[int]) -> Iterator[requests.Request]:
    """Yield what a reader may request: of all features, as the page may open each, and of what is switched on."""
    n_lines = _lines_of_classes(explanation, state, len(rows))
    for feature in explanation.values():
        yield from _requests_about(feature, state, rows)
        if n_lines > 0:
            yield requests.ClassesRequest("", feature.label, n_lines)
    drivers = [driver for feature in explanation.values() for driver in feature._search_drivers().reported]
    for name in [*explanation._context.columns.names_for_coloring, *explanation._outcome_labels]:
        label = explanation._column(name).label
        named = {tuple(driver.levels) for driver in drivers if driver.column == label and driver.levels is not None}
        for levels in [None, *map(list, sorted(named))]:
            yield requests.ColorsRequest("", label, rows, levels)
    if state.ci is not None:
        decay = resolve_decay(explanation.settings, state.decay)
        for rank_by in METRIC_RANKINGS:
            yield requests.IntervalsRequest("", rank_by, state.ci, decay)
    joint, pair = state.besides.joint, tuple(state.choice("pair"))
    if state.choice("left") == "interactions" or joint.has_interactions:
        yield requests.InteractionsRequest("")
    pairs = {(two.first.label, two.second.label): None for two in joint.known_pairs.values()}
    for first, second in {**pairs, **({pair: None} if state.feature in pair else {})}:
        yield requests.TwoWayRequest("", first, second)


def _requests_about(feature: FeatureExplanation, state: ViewState, rows: list[int]) -> Iterator[requests.Request]:
    label, models = feature.label, state.besides.models
    others = [] if models is None else [name for name in models.names if name != models._opened]
    for model in [None, *others]:
        yield requests.CurvesRequest("", label, 0, rows, model)
    yield requests.DriversRequest("", label)
    if state.choice("ale"):
        yield requests.EffectsRequest("", label)
    if len(feature._context.columns.labels) * len(feature._context.row_weights) <= _MOST_CORRELATED:
        yield requests.CorrelatedRequest("", label)
    # It takes models: only where these are fitted already, and of the feature that is open.
    if state.choice("fade") == "unlike" and (label == state.feature or feature._knows_unlike):
        yield requests.UnlikeRequest("", label, rows)


def _lines_of_classes(explanation: Explanation, state: ViewState, n_rows: int) -> int:
    """Return how many rows have curves for every class; 0 where the model has one, or fewer than are worth it."""
    classes = state.besides.classes
    if classes is None:
        return 0
    n_values = classes.n_shown * sum(len(feature.grid) for feature in explanation.values())
    n_lines = min(n_rows, MOST_VALUES_OF_CLASSES // n_values)
    return n_lines if n_lines >= min(FEWEST_LINES, n_rows) else 0


def _traits(explanation: Explanation, state: ViewState, classes: ClassesBody | None) -> dict[str, Any]:
    """Return what an explorer would have sent to the browser, except for what only a model can answer."""
    outputs = [] if classes is None else classes.outputs
    models = state.besides.models
    header = describe_header(
        explanation, list(map(outline_of, explanation.values())), outputs=outputs,
        prediction_sd=explanation._context.prediction_sd, score=score_text(explanation),
        target_name=explanation._target_name,
        models=[] if models is None else models.names,
    )  # fmt: skip
    n = len(explanation)
    sampling = explanation._sampled
    counts = (None, None) if sampling is None else (sampling.n_rows, sampling.n_all)
    return {
        **{each.name: getattr(state, each.name) for each in fields(DocumentState)},
        "selection": list(state.selection),
        "output": "" if classes is None else outputs[classes.explained],
        "response": explanation.settings.response,
        "convention": explanation.settings.convention,
        "model": "" if models is None else models._opened,
        "distance": explanation.settings.distance,
        "_given": ["max_lines"],  # it is what the page holds, whatever a JupyterLab around it is set to
        "_view": {
            name: value for name, value in chosen(state.choices).items() if classes is not None or name != "classes"
        },
        "_status": Status(state="ready", done=n, total=n, n_rows=counts[0], n_all=counts[1], label="", message=""),
        "_header": header,
    }


def _tables(explanation: Explanation, state: ViewState) -> Mapping[str, bytes]:
    """Return the figures of all features, those of all models after those of the open one."""
    models = state.besides.models
    names = [""] if models is None else models.names
    tables = Tables(len(explanation), len(names), 0 if models is None else names.index(models._opened))
    for position, feature in enumerate(explanation.values()):
        tables.enter(position, *(([feature], None) if models is None else models._by_models(feature.feature)))
    return tables.traits


# --- numbers as text that a page can hold, which `js/src/standalone/unpack.ts` reads ---------------


def _in_planes(content: bytes) -> bytes:
    """Lay out the first byte of all items of four, then the second and so on, each less the one before it.

    Neighbours on a curve have the same leading bytes. Curves of a smooth model take a third less room so than gzip
    alone leaves them, and no digit is lost. Zeros fill the last item.
    """
    content += bytes(-len(content) % _ITEM)
    planes = np.frombuffer(content, dtype=np.uint8).reshape(-1, _ITEM).T
    return np.diff(planes, axis=1, prepend=np.zeros((_ITEM, 1), dtype=np.uint8)).tobytes()


def _json(value: Any) -> bytes:
    """Write plain values as JSON without NaN, which reads half a character as it is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")


def _zipped(content: bytes) -> str:
    # Without the time of day, so that the same explanation is the same file.
    return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode()
