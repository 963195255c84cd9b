"""What an explorer answers to its page, where the model may be called, and its status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ice_explorer.errors import Cancelled, ICEExplorerError, OptionError, UnknownFeatureError
from ice_explorer.scene.choices import ViewState
from ice_explorer.wire import requests
from ice_explorer.wire.messages import Status
from ice_explorer.wire.replies import reply_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.work import Work


def answer_of(  # noqa: C901 - one case for each request
    work: Work, background: Background, request: requests.Request
) -> tuple[Name | None, Callable[[Any], object]]:
    """Return the feature that a request needs first, if any, and a function of it that returns the body of the reply.

    The function is called in the background, and answers for the work of the request, though another output may be
    chosen meanwhile.
    """
    from ice_explorer.export import request as export_request

    name: Name | None = None
    if isinstance(request, requests.ExportRequest):  # of a picture that shows no feature, any one is needed
        needed = None if export_request.holds_all(request) else work.names[0]
        name = work.by_label.get(request.state.feature, needed)
    elif isinstance(request, requests.FeatureRequest):
        name = work.by_label.get(request.feature)
        if name is None:
            raise UnknownFeatureError.feature(request.feature, work.readable)
    if isinstance(request, requests.ClassesRequest) and work.opened.classes is None:
        raise OptionError(
            "Classes can be shown side by side where the model at hand has several; this explorer knows of one output.",
            "Call `ICEExplorer(model, X)` with a model of several classes.",
        )

    def answer(feature: Any) -> object:
        known, snapshot = work.known, background.snapshot()
        match request:
            case requests.ExportRequest():
                if export_request.holds_all(request) and len(snapshot.known) < snapshot.n_features:
                    raise OptionError(
                        "All features must be computed to be exported together; "
                        f"{len(snapshot.results)} of {snapshot.n_features} are.",
                        "Wait until they are there, or export a picture of the view.",
                    )
                state = ViewState(**vars(request.state), choices=vars(request.choices), besides=work.besides)
                return export_request.answer(work.explanation(snapshot.known), request, state)
            case requests.WhatIfRequest():
                known = work.explanation(snapshot.known)
            case requests.InteractionsRequest():  # which samples would not do for
                known = work.explanation(snapshot.results)
            case requests.IntervalsRequest():
                if not len(known) or snapshot.state == "computing":  # another output was chosen meanwhile
                    raise Cancelled
        return reply_to(request, known, work.besides, list(work.by_label), feature=feature)

    return name, answer


def status_of(snapshot: Snapshot, work: Work) -> Status:
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
        label="" if snapshot.current is None else work.opened.outline[snapshot.current][0],
        message=message,
    )


def sentence(error: Exception) -> str:
    """What went wrong, for the panel that asked."""
    return str(error) if isinstance(error, ICEExplorerError) else f"{type(error).__name__}: {error}"
