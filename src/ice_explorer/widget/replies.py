"""What an explorer answers to its page: bodies of replies, its status, and what went wrong."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.errors import Cancelled, ICEExplorerError, OptionError, UnknownFeatureError
from ice_explorer.results.options import OF_MODELS
from ice_explorer.wire.colors import colors_of, groups_of
from ice_explorer.wire.effects import correlated_of, effects_of, unlike_of
from ice_explorer.wire.intervals import intervals_of, no_intervals
from ice_explorer.wire.joint import interactions_of, two_way_of
from ice_explorer.wire.lines import classes_of, curves_of
from ice_explorer.wire.messages import (
    Body,
    ClassesRequest,
    ColorsRequest,
    CorrelatedRequest,
    CurvesRequest,
    DriversRequest,
    EffectsRequest,
    ExportRequest,
    ExtremeBody,
    ExtremeRequest,
    FeatureMovesBody,
    GroupsRequest,
    InCommonRequest,
    InteractionsRequest,
    IntervalsBody,
    IntervalsRequest,
    RowsRequest,
    Status,
    TwoWayRequest,
    UnlikeRequest,
    WhatIfBody,
    WhatIfRequest,
)
from ice_explorer.wire.rows import drivers_of, in_common_of, moves_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.outputs import Classes
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.session import Work

_SECONDS_OF_REPLY: Final = 0.5  # after which what is known is sent, and the page requests the rest
Answered: TypeAlias = "tuple[Body, list[bytes]]"
Answer: TypeAlias = "Callable[[FeatureExplanation | None], Answered]"
SlowRequest: TypeAlias = (
    "ColorsRequest | RowsRequest | WhatIfRequest | InCommonRequest | ExtremeRequest | ExportRequest | CurvesRequest"
    " | ClassesRequest | DriversRequest | GroupsRequest | EffectsRequest | CorrelatedRequest | UnlikeRequest"
    " | IntervalsRequest | InteractionsRequest | TwoWayRequest"
)


def answer_of(
    work: Work, background: Background[Name, FeatureExplanation], request: SlowRequest
) -> tuple[Name | None, Answer]:
    """Return the feature that a request needs first, if any, and how it is answered where the model may be called."""
    name: Name | None = None
    if request["type"] == "export":
        name = _first_needed(work, request)
    elif "feature" in request:
        label = cast("CurvesRequest", request)["feature"]
        name = work.by_label.get(label)
        if name is None:
            raise UnknownFeatureError.feature(label, work.readable)
    if request["type"] == "classes" and work.choices.classes is None:
        raise OptionError(
            "Classes can be shown side by side where the model at hand has several; this explorer knows of one output.",
            "Call `ICEExplorer(model, X)` with a model of several classes.",
        )
    return name, partial(_ANSWERS[request["type"]], work, background, request)


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
) -> Answered:
    from ice_explorer.export import request as export_request

    snapshot = background.snapshot()  # of the requested output: another one may be chosen meanwhile
    if export_request.holds_all(request) and len(snapshot.known) < snapshot.n_features:
        raise OptionError(
            "All features must be computed to be exported together; "
            f"{len(snapshot.results)} of {snapshot.n_features} are.",
            "Wait until they are there, or export a picture of the view.",
        )
    drawn = work.drawn(request["state"], request["choices"])
    return export_request.answer(work.explanation(snapshot.known), request, drawn)


def _curves(work: Work, _background: object, request: CurvesRequest, feature: FeatureExplanation) -> Answered:
    model, models = request.get("model"), work.choices.models
    if model is not None:
        check_one_of("model", model, models)
        feature = work.by_models(feature.feature)[0][models.index(model)]
    return curves_of(work.known, feature, request["max_lines"], request["selection"], work.target)


def _classes(work: Work, _background: object, request: ClassesRequest, feature: FeatureExplanation) -> Answered:
    classes = cast("Classes", work.choices.classes)  # else the request was refused
    return classes_of(feature, classes, feature._draw(request["max_lines"]))


def _colors(work: Work, _background: object, request: ColorsRequest, _feature: object) -> Answered:
    return colors_of(work.known._column(request["column"]), request["positions"])


def _rows(work: Work, _background: object, request: RowsRequest, _feature: object) -> Answered:
    body = rows_of(
        work.known, request["positions"], request.get("sort_by"),
        descending=bool(request.get("descending")), most=request.get("most"),
    )  # fmt: skip
    return body, []


def _what_if(
    work: Work, background: Background[Name, FeatureExplanation], request: WhatIfRequest, _feature: object
) -> Answered:
    """Answer with the first of the features that were asked for: at least one, and no more than time allows."""
    results = background.snapshot().known
    (position,) = work.known._check_positions([request["position"]], "position").tolist()
    prediction = float(work.known.predictions([position])[0])
    features: list[FeatureMovesBody] = []
    end = time.monotonic() + _SECONDS_OF_REPLY
    for label in request["features"]:
        name = work.by_label.get(label)
        if name not in results:
            raise UnknownFeatureError.feature(label, work.readable)
        if features and time.monotonic() > end:
            break
        features.append(moves_of(results[name], position, prediction))
    return WhatIfBody(position=position, prediction=prediction, features=features), []


def _in_common(work: Work, _background: object, request: InCommonRequest, _feature: object) -> Answered:
    return in_common_of(work.known, request["positions"]), []


def _extreme(work: Work, _background: object, request: ExtremeRequest, _feature: object) -> Answered:
    predictions = work.known.predictions(np.arange(work.known._n_observations))
    found = np.argmax(predictions) if request["end"] == "highest" else np.argmin(predictions)
    return ExtremeBody(position=int(found)), []


def _drivers(
    _work: Work, background: Background[Name, FeatureExplanation], _request: object, feature: FeatureExplanation
) -> Answered:
    return drivers_of(feature, feature._search_drivers(background.answer_meanwhile)), []


def _effects(
    _work: Work, background: Background[Name, FeatureExplanation], _request: object, feature: FeatureExplanation
) -> Answered:
    return effects_of(feature, background.answer_meanwhile)


def _correlated(_work: Work, _background: object, _request: object, feature: FeatureExplanation) -> Answered:
    return correlated_of(feature), []


def _unlike(
    _work: Work, background: Background[Name, FeatureExplanation], request: UnlikeRequest, feature: FeatureExplanation
) -> Answered:
    return unlike_of(feature, request["positions"], background.answer_meanwhile)


def _groups(
    _work: Work, background: Background[Name, FeatureExplanation], request: GroupsRequest, feature: FeatureExplanation
) -> Answered:
    feature._search_drivers(background.answer_meanwhile)  # which takes long where nobody has asked for them yet
    return groups_of(feature, request["positions"])


def _advance(compute_next: Callable[[], bool], background: Background[Name, FeatureExplanation]) -> bool:
    """Compute until nothing is left (True) or a reply is due (False), which has what is known; at least one part.

    Newer requests, such as for curves, come between two parts.
    """
    end = time.monotonic() + _SECONDS_OF_REPLY
    while not (is_whole := compute_next()) and time.monotonic() <= end:
        background.answer_meanwhile()
    return is_whole


def _intervals(
    work: Work, background: Background[Name, FeatureExplanation], request: IntervalsRequest, _feature: object
) -> Answered:
    """Compute influences for as many features as time allows; answer with intervals when all are computed."""
    known, decay, convention = work.known, request["decay"], request["convention"]
    if request["rank_by"] == OF_MODELS:
        return no_intervals(known, len(work.names))
    if not len(known) or background.snapshot().state == "computing":  # another output was chosen meanwhile
        raise Cancelled
    if not _advance(partial(known._measure_next, decay, convention), background):
        return IntervalsBody(n_known=known._n_measured(decay, convention), n_features=len(known), tied=[]), []
    return intervals_of(
        known,
        list(work.by_label),
        rank_by=request["rank_by"],
        level=request["level"],
        decay=decay,
        convention=convention,
        unit=request["unit"],
    )


def _interactions(
    work: Work, background: Background[Name, FeatureExplanation], _request: object, _feature: object
) -> Answered:
    explanation = work.explanation(background.snapshot().results)
    interactions = work.joint.interactions(explanation)
    _advance(interactions._advance, background)
    return interactions_of(explanation, interactions), []


def _two_way(
    work: Work, background: Background[Name, FeatureExplanation], request: TwoWayRequest, _feature: object
) -> Answered:
    two = work.joint.pair(work.known, request["first"], request["second"])
    _advance(two._advance, background)
    return two_way_of(two)


_ANSWERS: Final[Mapping[str, Callable[..., Answered]]] = {
    "export": _export,
    "curves": _curves,
    "classes": _classes,
    "colors": _colors,
    "rows": _rows,
    "what_if": _what_if,
    "in_common": _in_common,
    "extreme": _extreme,
    "drivers": _drivers,
    "intervals": _intervals,
    "groups": _groups,
    "effects": _effects,
    "correlated": _correlated,
    "unlike": _unlike,
    "interactions": _interactions,
    "two_way": _two_way,
}


def status_of(snapshot: Snapshot[Name, FeatureExplanation], work: Work) -> Status:
    """Describe how far the computation is."""
    done, n_features = len(snapshot.results), snapshot.n_features
    message = "" if snapshot.error is None else sentence(snapshot.error)
    sampling = work.known._sampled
    if snapshot.state == "cancelled":
        message = f"Cancelled after {done} of {n_features} features."
        if sampling is not None:
            message = f"Cancelled: {done} of {n_features} features are exact, the others rest on a {sampling.text}."
    return Status(
        state=snapshot.state,
        done=done,
        total=n_features,
        n_rows=None if sampling is None else sampling.n_rows,
        n_all=None if sampling is None else sampling.n_all,
        label="" if snapshot.current is None else work.label(snapshot.current),
        message=message,
    )


def state_text(status: Status) -> str:
    """Write how far the computation is, for the repr of an explorer."""
    if status["state"] == "computing":
        return f"computing ({status['done']} done)"
    return status["message"].rstrip(".") or status["state"]


def sentence(error: Exception) -> str:
    """What went wrong, for the panel that asked."""
    return str(error) if isinstance(error, ICEExplorerError) else f"{type(error).__name__}: {error}"
