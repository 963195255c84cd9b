"""What an explorer answers to its page: bodies of replies, its status, and what went wrong."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.errors import Cancelled, ICEExplorerError, OptionError, UnknownFeatureError
from ice_explorer.results.options import OF_MODELS
from ice_explorer.wire import curves, joint, requests, rows
from ice_explorer.wire.messages import ExtremeBody, FeatureMoves, Intervals, IntervalsBody, Status, WhatIfBody

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.session import Work
    from ice_explorer.wire.messages import CurvesBody, ExportBody

_SECONDS_OF_REPLY: Final = 0.5  # after which what is known is sent, and the page requests the rest
Answer: TypeAlias = "Callable[[FeatureExplanation | None], object]"


def answer_of(
    work: Work, background: Background[Name, FeatureExplanation], request: requests.Request
) -> tuple[Name | None, Answer]:
    """Return the feature that a request needs first, if any, and how it is answered where the model may be called."""
    name: Name | None = None
    if isinstance(request, requests.ExportRequest):
        name = _first_needed(work, request)
    elif isinstance(request, requests.FeatureRequest):
        name = work.by_label.get(request.feature)
        if name is None:
            raise UnknownFeatureError.feature(request.feature, work.readable)
    if isinstance(request, requests.ClassesRequest) and work.choices.classes is None:
        raise OptionError(
            "Classes can be shown side by side where the model at hand has several; this explorer knows of one output.",
            "Call `ICEExplorer(model, X)` with a model of several classes.",
        )
    return name, partial(_answer, work, background, request)


def _answer(  # noqa: C901, PLR0911, PLR0912 - one case for each request
    work: Work, background: Background[Name, FeatureExplanation], request: requests.Request, feature: Any
) -> object:
    """Return the body of the reply to a request, where the model may be called.

    - `feature`: the one that it is about, which is computed; None where it is about none.
    """
    known, between_blocks = work.known, background.answer_meanwhile
    match request:
        case requests.CurvesRequest():
            return _curves(work, request, feature)
        case requests.ClassesRequest():
            assert work.choices.classes is not None  # noqa: S101 - else the request was refused
            return curves.describe_classes(feature, work.choices.classes, feature._draw(request.max_lines))
        case requests.ColorsRequest():
            return curves.describe_colors(known._column(request.column), request.positions)
        case requests.GroupsRequest():
            feature._search_drivers(between_blocks)  # which takes long where nobody has requested them yet
            return curves.describe_groups(feature, request.positions)
        case requests.DriversRequest():
            return rows.describe_drivers(feature, feature._search_drivers(between_blocks))
        case requests.EffectsRequest():
            return curves.describe_effects(feature, between_blocks)
        case requests.CorrelatedRequest():
            return curves.describe_correlated(feature)
        case requests.UnlikeRequest():
            return curves.describe_unlike(feature, request.positions, between_blocks)
        case requests.IntervalsRequest():
            return _intervals(work, background, request)
        case requests.InteractionsRequest():
            explanation = work.explanation(background.snapshot().results)
            interactions = work.joint.interactions(explanation)
            _advance(interactions._advance, background)
            return joint.describe_interactions(explanation, interactions)
        case requests.TwoWayRequest():
            two = work.joint.pair(known, request.first, request.second)
            _advance(two._advance, background)
            return joint.describe_two_way(two)
        case requests.RowsRequest(positions=positions, sort_by=sort_by, descending=descending, most=most):
            return rows.describe_rows(known, positions, sort_by, descending=descending, most=most)
        case requests.WhatIfRequest():
            return _what_if(work, background, request)
        case requests.InCommonRequest():
            return rows.describe_in_common(known, request.positions)
        case requests.ExtremeRequest():
            predictions = known.predictions(np.arange(known._n_observations))
            position = np.argmax(predictions) if request.end == "highest" else np.argmin(predictions)
            return ExtremeBody(int(position))
        case requests.ExportRequest():
            return _export(work, background, request)
    raise NotImplementedError(request)


def _first_needed(work: Work, request: requests.ExportRequest) -> Name | None:
    """Return the feature that is drawn; of a picture that shows none, any one."""
    from ice_explorer.export import request as export_request

    first = None if export_request.holds_all(request) else work.names[0]
    return work.by_label.get(request.state.feature, first)


def _export(
    work: Work, background: Background[Name, FeatureExplanation], request: requests.ExportRequest
) -> ExportBody:
    from ice_explorer.export import request as export_request

    snapshot = background.snapshot()  # of the requested output: another one may be chosen meanwhile
    if export_request.holds_all(request) and len(snapshot.known) < snapshot.n_features:
        raise OptionError(
            "All features must be computed to be exported together; "
            f"{len(snapshot.results)} of {snapshot.n_features} are.",
            "Wait until they are there, or export a picture of the view.",
        )
    drawn = work.drawn(vars(request.state), vars(request.choices))
    return export_request.answer(work.explanation(snapshot.known), request, drawn)


def _curves(work: Work, request: requests.CurvesRequest, feature: FeatureExplanation) -> CurvesBody:
    model, models = request.model, work.choices.models
    if model is not None:
        check_one_of("model", model, models)
        feature = work.by_models(feature.feature)[0][models.index(model)]
    return curves.describe_curves(work.known, feature, request.max_lines, request.selection, work.target)


def _what_if(
    work: Work, background: Background[Name, FeatureExplanation], request: requests.WhatIfRequest
) -> WhatIfBody:
    """Answer with the first of the requested features: at least one, and no more than time allows."""
    results = background.snapshot().known
    (position,) = work.known._context.positions([request.position], "position").tolist()
    prediction = float(work.known.predictions([position])[0])
    features: list[FeatureMoves] = []
    end = time.monotonic() + _SECONDS_OF_REPLY
    for label in request.features:
        name = work.by_label.get(label)
        if name not in results:
            raise UnknownFeatureError.feature(label, work.readable)
        if features and time.monotonic() > end:
            break
        features.append(rows.describe_moves(results[name], position, prediction))
    return WhatIfBody(position, prediction, features)


def _advance(compute_next: Callable[[], bool], background: Background[Name, FeatureExplanation]) -> bool:
    """Compute until nothing is left (True) or a reply is due (False), which has what is known; at least one part.

    Newer requests, such as for curves, come between two parts.
    """
    end = time.monotonic() + _SECONDS_OF_REPLY
    while not (is_whole := compute_next()) and time.monotonic() <= end:
        background.answer_meanwhile()
    return is_whole


def _intervals(
    work: Work, background: Background[Name, FeatureExplanation], request: requests.IntervalsRequest
) -> IntervalsBody:
    """Compute influences for as many features as time allows; answer with intervals when all are computed."""
    known, decay, convention = work.known, request.decay, request.convention
    if request.rank_by == OF_MODELS:  # disagreement has none
        none = np.full(len(work.names), np.nan)
        return IntervalsBody(len(known), len(known), Intervals(none, none, none, none, []))
    if not len(known) or background.snapshot().state == "computing":  # another output was chosen meanwhile
        raise Cancelled
    if not _advance(partial(known._measure_next, decay, convention), background):
        return IntervalsBody(known._n_measured(decay, convention), len(known), None)
    return curves.describe_intervals(known, list(work.by_label), request)


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
