"""What an explorer answers to its page: bodies of replies, its status, and what went wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ice_explorer.errors import Cancelled, ICEExplorerError, OptionError, UnknownFeatureError
from ice_explorer.wire import requests
from ice_explorer.wire.messages import Status
from ice_explorer.wire.replies import reply_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.session import Work
    from ice_explorer.wire.messages import ExportBody

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


def _answer(
    work: Work, background: Background[Name, FeatureExplanation], request: requests.Request, feature: Any
) -> object:
    """Return the body of the reply to a request, where the model may be called.

    - `feature`: the one that it is about, which is computed; None where it is about none.
    """
    known = work.known
    match request:
        case requests.ExportRequest():
            return _export(work, background, request)
        case requests.WhatIfRequest():
            known = work.explanation(background.snapshot().known)
        case requests.InteractionsRequest():  # which samples would not do for
            known = work.explanation(background.snapshot().results)
        case requests.IntervalsRequest():
            if not len(known) or background.snapshot().state == "computing":  # another output was chosen meanwhile
                raise Cancelled
    between_blocks = background.answer_meanwhile
    return reply_to(request, known, work.besides, list(work.by_label), feature=feature, between_blocks=between_blocks)


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
