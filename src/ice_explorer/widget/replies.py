"""What an explorer answers to its page: bodies of replies, its status, and what went wrong."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np

from ice_explorer.errors import ExportError, ICEExplorerError, OutputError, UnknownFeatureError
from ice_explorer.wire.colors import colors_of, groups_of
from ice_explorer.wire.lines import classes_of, curves_of
from ice_explorer.wire.messages import (
    Body,
    ClassesRequest,
    ColorsRequest,
    CurvesRequest,
    DriversRequest,
    ExportRequest,
    ExtremeBody,
    ExtremeRequest,
    FeatureMovesBody,
    GroupsRequest,
    InCommonRequest,
    RowsRequest,
    Status,
    WhatIfBody,
    WhatIfRequest,
)
from ice_explorer.wire.rows import drivers_of, in_common_of, moves_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.adapters.tables.table import Name
    from ice_explorer.explanation import FeatureExplanation
    from ice_explorer.results.outputs import Classes
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.session import Work

_SECONDS_OF_WHAT_IF: Final = 0.5  # after which what is known of a row is sent, and the page requests the rest
Answer: TypeAlias = "Callable[[FeatureExplanation | None], tuple[Body, list[bytes]]]"
FeatureRequest: TypeAlias = "CurvesRequest | ClassesRequest | DriversRequest | GroupsRequest"
SlowRequest: TypeAlias = (
    "ColorsRequest | RowsRequest | WhatIfRequest | InCommonRequest | ExtremeRequest | ExportRequest | FeatureRequest"
)


def answer_of(
    work: Work, background: Background[Name, FeatureExplanation], request: SlowRequest
) -> tuple[Name | None, Answer]:
    """Return the feature that a request needs first, if any, and how it is answered where the model may be called."""
    name: Name | None = None
    answer: Answer
    if request["type"] == "export":
        name, answer = _first_needed(work, request), partial(_export, work, background, request)
    elif request["type"] == "colors":
        answer = partial(_colors, work, request)
    elif request["type"] == "rows":
        answer = partial(_rows, work, request)
    elif request["type"] == "what_if":
        answer = partial(_what_if, work, background, request)
    elif request["type"] == "in_common":
        answer = partial(_in_common, work, request)
    elif request["type"] == "extreme":
        answer = partial(_extreme, work, request)
    else:
        name = work.by_label.get(request["feature"])
        if name is None:
            raise UnknownFeatureError.feature(request["feature"], work.readable)
        answer = _answer_of_feature(work, background, request)
    return name, answer


def _answer_of_feature(work: Work, background: Background[Name, FeatureExplanation], request: FeatureRequest) -> Answer:
    if request["type"] == "curves":
        return partial(_curves, work, request)
    if request["type"] == "drivers":
        return partial(_drivers, background)
    if request["type"] == "groups":
        return partial(_groups, background, request)
    if work.choices.classes is None:
        raise OutputError(
            "Classes can be shown side by side where the model at hand has several; this explorer knows of one output.",
            "Call `ICEExplorer(model, X)` with a model of several classes.",
        )
    return partial(_classes, work.choices.classes, request)


def _first_needed(work: Work, request: ExportRequest) -> Name | None:
    """Return the feature that is drawn; of a picture that shows none, any one."""
    from ice_explorer.export import request as export_request

    first = None if export_request.holds_all(request) else work.names[0]
    return work.by_label.get(request["state"]["feature"], first)


def _export(
    work: Work,
    background: Background[Name, FeatureExplanation],
    request: ExportRequest,
    _feature: FeatureExplanation | None,
) -> tuple[Body, list[bytes]]:
    from ice_explorer.export import request as export_request

    snapshot = background.snapshot()  # of the requested output: another one may be chosen meanwhile
    if export_request.holds_all(request) and len(snapshot.results) < snapshot.n_features:
        raise ExportError(
            "All features must be computed to be exported together; "
            f"{len(snapshot.results)} of {snapshot.n_features} are.",
            "Wait until they are there, or export a picture of the view.",
        )
    drawn = work.drawn(request["state"], request["choices"])
    return export_request.answer(work.explanation(snapshot.results), request, drawn)


def _curves(work: Work, request: CurvesRequest, feature: FeatureExplanation | None) -> tuple[Body, list[bytes]]:
    opened = cast("FeatureExplanation", feature)  # the request named one
    return curves_of(work.known, opened, request["max_lines"], request["selection"], work.target)


def _classes(classes: Classes, request: ClassesRequest, feature: FeatureExplanation | None) -> tuple[Body, list[bytes]]:
    opened = cast("FeatureExplanation", feature)  # the request named one
    return classes_of(opened, classes, opened.draw(request["max_lines"]))


def _colors(work: Work, request: ColorsRequest, _feature: FeatureExplanation | None) -> tuple[Body, list[bytes]]:
    return colors_of(work.known._column(request["column"]), request["positions"])


def _rows(work: Work, request: RowsRequest, _feature: object) -> tuple[Body, list[bytes]]:
    body = rows_of(
        work.known, request["positions"], request.get("sort_by"),
        descending=bool(request.get("descending")), most=request.get("most"),
    )  # fmt: skip
    return body, []


def _what_if(
    work: Work, background: Background[Name, FeatureExplanation], request: WhatIfRequest, _feature: object
) -> tuple[Body, list[bytes]]:
    """Answer with the first of the features that were asked for: at least one, and no more than time allows."""
    results = background.snapshot().results
    (position,) = work.known._check_positions([request["position"]], "position").tolist()
    prediction = float(work.known.predictions([position])[0])
    features: list[FeatureMovesBody] = []
    end = time.monotonic() + _SECONDS_OF_WHAT_IF
    for label in request["features"]:
        name = work.by_label.get(label)
        if name not in results:
            raise UnknownFeatureError.feature(label, work.readable)
        if features and time.monotonic() > end:
            break
        features.append(moves_of(results[name], position, prediction))
    return WhatIfBody(position=position, prediction=prediction, features=features), []


def _in_common(work: Work, request: InCommonRequest, _feature: object) -> tuple[Body, list[bytes]]:
    return in_common_of(work.known, request["positions"]), []


def _extreme(work: Work, request: ExtremeRequest, _feature: object) -> tuple[Body, list[bytes]]:
    predictions = work.known.predictions(np.arange(work.known.n_observations))
    found = np.argmax(predictions) if request["end"] == "highest" else np.argmin(predictions)
    return ExtremeBody(position=int(found)), []


def _drivers(
    background: Background[Name, FeatureExplanation], feature: FeatureExplanation | None
) -> tuple[Body, list[bytes]]:
    opened = cast("FeatureExplanation", feature)  # the request named one
    return drivers_of(opened, opened._search_drivers(background.answer_meanwhile)), []


def _groups(
    background: Background[Name, FeatureExplanation], request: GroupsRequest, feature: FeatureExplanation | None
) -> tuple[Body, list[bytes]]:
    opened = cast("FeatureExplanation", feature)  # the request named one
    opened._search_drivers(background.answer_meanwhile)  # which takes long where nobody has asked for them yet
    return groups_of(opened, request["positions"])


def status_of(snapshot: Snapshot[Name, FeatureExplanation], work: Work) -> Status:
    """Describe how far the computation is."""
    done = len(snapshot.results)
    message = "" if snapshot.error is None else sentence(snapshot.error)
    if snapshot.state == "cancelled":
        message = f"Cancelled after {done} of {snapshot.n_features} features."
    return Status(
        state=snapshot.state,
        done=done,
        total=snapshot.n_features,
        label="" if snapshot.current is None else work.label(snapshot.current),
        message=message,
    )


def state_text(status: Status) -> str:
    """Write how far the computation is, for the repr of an explorer."""
    if status["state"] == "computing":
        return f"computing ({status['done']} done)"
    return status["message"].rstrip(".") or status["state"]


def in_explorer(error: Exception) -> Exception:
    """Return an error with the advice that names controls of the explorer, where it has one."""
    return error.in_explorer() if isinstance(error, ICEExplorerError) else error


def sentence(error: Exception) -> str:
    """What went wrong, for the panel that asked."""
    return str(in_explorer(error)) if isinstance(error, ICEExplorerError) else f"{type(error).__name__}: {error}"
