"""The reply to each request that an explanation answers: to a page of a kernel, and recorded in a page without one."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.results.options import OF_MODELS
from ice_explorer.wire import curves, requests, rows
from ice_explorer.wire.messages import ExtremeBody, FeatureMoves, Intervals, IntervalsBody, WhatIfBody

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.view_state import Besides

_SECONDS_OF_REPLY: Final = 0.5  # after which what is known is sent, and the page requests the rest


def reply_to(  # noqa: C901, PLR0911, PLR0912 - one case for each request
    request: requests.Request,
    known: Explanation,
    besides: Besides,
    labels: Sequence[str],
    *,
    feature: Any = None,
    between_blocks: Callable[[], None] = lambda: None,
) -> object:
    """Return the body of the reply to a request, where the model may be called.

    - `known`, `besides`: what is computed so far.
    - `labels`: of all features, in the order of the header.
    - `feature`: the one that the request is about, which is computed; None where it is about none.
    - `between_blocks`: called now and then by a reply that takes long.
    """
    match request:
        case requests.CurvesRequest(model=model):
            if model is not None:
                explanations = {} if besides.models is None else besides.models.explanations
                feature = explanations[check_one_of("model", model, list(explanations))][feature.feature]
            return curves.describe_curves(known, feature, request.max_lines, request.selection, besides.target)
        case requests.ClassesRequest():
            assert besides.classes is not None  # noqa: S101 - else the request was refused
            return curves.describe_classes(feature, besides.classes, feature._draw(request.max_lines))
        case requests.ColorsRequest(column=column, positions=positions, levels=levels):
            return curves.describe_colors(known._column(column), positions, levels or ())
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
            return _intervals(request, known, labels, between_blocks)
        case requests.InteractionsRequest():
            interactions = besides.joint.interactions(known)
            _advance(interactions._advance, between_blocks)
            return curves.describe_interactions(known, interactions)
        case requests.TwoWayRequest(first=first, second=second):
            two = besides.joint.pair(known, first, second)
            _advance(two._advance, between_blocks)
            return curves.describe_two_way(two)
        case requests.RowsRequest(positions=positions, sort_by=sort_by, descending=descending, most=most):
            return rows.describe_rows(known, positions, sort_by, descending=descending, most=most)
        case requests.WhatIfRequest():
            return _what_if(request, known)
        case requests.InCommonRequest(positions=positions):
            return rows.describe_in_common(known, positions)
        case requests.ExtremeRequest(end=end):
            predictions = known.predictions(np.arange(known._n_observations))
            return ExtremeBody(int((np.argmax if end == "highest" else np.argmin)(predictions)))
    raise NotImplementedError(request)


def _advance(compute_next: Callable[[], bool], between_blocks: Callable[[], None]) -> bool:
    """Compute until nothing is left (True) or a reply is due (False), which has what is known; at least one part.

    Newer requests, such as for curves, come between two parts.
    """
    end = time.monotonic() + _SECONDS_OF_REPLY
    while not (is_whole := compute_next()) and time.monotonic() <= end:
        between_blocks()
    return is_whole


def _intervals(
    request: requests.IntervalsRequest, known: Explanation, labels: Sequence[str], between_blocks: Callable[[], None]
) -> IntervalsBody:
    """Compute influences for as many features as time allows; answer with intervals when all are computed."""
    if request.rank_by == OF_MODELS:  # disagreement has none
        none = np.full(len(labels), np.nan)
        return IntervalsBody(len(known), len(known), Intervals(none, none, none, none, []))
    if not _advance(partial(known._measure_next, request.decay), between_blocks):
        return IntervalsBody(len(known) - len(known._unmeasured(request.decay)), len(known), None)
    return curves.describe_intervals(known, labels, request)


def _what_if(request: requests.WhatIfRequest, known: Explanation) -> WhatIfBody:
    """Answer with the first of the requested features: at least one, and no more than time allows."""
    (position,) = known._context.positions([request.position], "position").tolist()
    prediction = float(known.predictions([position])[0])
    features: list[FeatureMoves] = []
    end = time.monotonic() + _SECONDS_OF_REPLY
    for label in request.features:
        if features and time.monotonic() > end:
            break
        features.append(rows.describe_moves(known[label], position, prediction))
    return WhatIfBody(position, prediction, features)
