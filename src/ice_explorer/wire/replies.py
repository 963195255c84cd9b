"""The reply to each request that an explanation answers: to a page of a kernel, and recorded in a page without one."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.beyond.effects import local_effects
from ice_explorer.checks import check_distinct_positions, check_one_of
from ice_explorer.drivers.candidates import strong_correlations
from ice_explorer.errors import OptionError
from ice_explorer.features.axis_text import cell_text, cell_writer, make_column_clock, short_cell_text, writer
from ice_explorer.locks import checkpoint
from ice_explorer.results.options import OF_MODELS
from ice_explorer.scene.build import effects_sentence
from ice_explorer.scene.display_axis import axis_of
from ice_explorer.wire import curves, messages, requests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.drivers.candidates import InCommon
    from ice_explorer.drivers.drivers import Driver, Drivers
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.choices import Besides
    from ice_explorer.tables.column import Column

_MOST_DRIVERS = 50
_SECONDS_OF_REPLY: Final = 0.5  # after which what is known is sent, and the page requests the rest


def reply_to(  # noqa: C901, PLR0911, PLR0912 - one case for each request
    request: requests.Request,
    known: Explanation,
    besides: Besides,
    labels: Sequence[str],
    *,
    feature: Any = None,
) -> object:
    """Return the body of the reply to a request, where the model may be called.

    - `known`, `besides`: what is computed so far.
    - `labels`: of all features, in the order of the header.
    - `feature`: the one that the request is about, which is computed; None where it is about none.
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
        case requests.DriversRequest():
            return describe_drivers(feature, feature._search_drivers())
        case requests.EffectsRequest():
            effects = local_effects(feature)
            return messages.EffectsBody(feature.label, effects.mean_prediction, effects.grid, effects.columns["ale"])
        case requests.CorrelatedRequest():
            lead, table = strong_correlations(feature)
            items = [messages.CorrelatedItem(*row) for row in table.itertuples(name=None)]
            return messages.CorrelatedBody(feature.label, lead, items)
        case requests.UnlikeRequest():
            return curves.describe_unlike(feature, request.positions)
        case requests.IntervalsRequest():
            return _intervals(request, known, labels)
        case requests.InteractionsRequest():
            interactions = besides.joint.interactions(known)
            _advance(interactions._advance)
            return curves.describe_interactions(known, interactions)
        case requests.TwoWayRequest(first=first, second=second):
            two = besides.joint.pair(known, first, second)
            _advance(two._advance)
            return curves.describe_two_way(two)
        case requests.RowsRequest(positions=positions, sort_by=sort_by, descending=descending, most=most):
            return describe_rows(known, positions, sort_by, descending=descending, most=most)
        case requests.WhatIfRequest():
            return _what_if(request, known)
        case requests.InCommonRequest(positions=positions, among=among):
            return describe_in_common(known, positions, among)
        case requests.ExtremeRequest(end=end):
            predictions = known.predictions(np.arange(known._n_observations))
            return messages.ExtremeBody(int((np.argmax if end == "highest" else np.argmin)(predictions)))
    raise NotImplementedError(request)


def _advance(compute_next: Callable[[], bool]) -> bool:
    """Compute until nothing is left (True) or a reply is due (False), which has what is known; at least one part."""
    end = time.monotonic() + _SECONDS_OF_REPLY
    while not (is_whole := compute_next()) and time.monotonic() <= end:
        checkpoint()
    return is_whole


def _intervals(request: requests.IntervalsRequest, known: Explanation, labels: Sequence[str]) -> messages.IntervalsBody:
    """Compute influences for as many features as time allows; when all are computed, describe intervals.

    - `labels`: of all features, in the order of the header; intervals are of those that are explained.
    """
    if request.rank_by == OF_MODELS:  # disagreement has none
        none = np.full(len(labels), np.nan)
        return messages.IntervalsBody(len(known), len(known), messages.Intervals(none, none, none, none, []))
    if not _advance(partial(known._measure_next, request.decay)):
        return messages.IntervalsBody(len(known) - len(known._unmeasured(request.decay)), len(known), None)
    limits, ranks, ties = known._rank_intervals(request.rank_by, request.level, request.decay)
    place = {label: at for at, label in enumerate(labels)}
    places = [place[label] for label in known._labels]
    ends = np.full((4, len(labels)), np.nan)
    ends[:, places] = *limits, *ranks
    tied = [(places[first], places[second]) for first, second in ties]
    return messages.IntervalsBody(
        len(places), len(places), messages.Intervals(ends[0], ends[1], ends[2], ends[3], tied)
    )


def _what_if(request: requests.WhatIfRequest, known: Explanation) -> messages.WhatIfBody:
    """Answer with the first of the requested features: at least one, and no more than time allows."""
    (position,) = known._context.positions([request.position], "position").tolist()
    prediction = float(known.predictions([position])[0])
    features: list[messages.FeatureMoves] = []
    end = time.monotonic() + _SECONDS_OF_REPLY
    for label in request.features:
        if features and time.monotonic() > end:
            break
        features.append(describe_moves(known[label], position, prediction))
    return messages.WhatIfBody(position, prediction, features)


# --- replies in words -----------------------------------------------------------------------------


def describe_rows(
    explanation: Explanation,
    positions: Sequence[int],
    sort_by: int | None = None,
    *,
    descending: bool = False,
    most: int | None = None,
) -> messages.RowsBody:
    """Rows as text: what is predicted and observed, and all columns of X; a missing value is empty.

    - `positions`: rows of X.
    - `sort_by`: number of the column of the reply that the rows are sorted by; missing values are last.
    - `most`: rows that are returned at most.
    """
    chosen = check_distinct_positions(positions, explanation._n_observations)
    outcomes, columns = explanation._outcomes(chosen), _columns(explanation)
    labels = [*outcomes, *(column.label for column in columns)]
    if sort_by is not None:
        if sort_by >= len(labels):
            what = f"be the number of a column from 0 to {len(labels) - 1}"
            raise OptionError.must("sort_by", what, sort_by, "Leave it out.")
        at = sort_by - len(outcomes)
        keys = list(outcomes.values())[sort_by] if at < 0 else _sort_keys(columns[at], chosen)
        order = np.argsort(-keys if descending else keys, kind="stable")  # NaN is last either way
        chosen, outcomes = chosen[order], {name: values[order] for name, values in outcomes.items()}
    chosen = chosen[:most]
    texts = [[cell_text(value) for value in values[:most].tolist()] for values in outcomes.values()]
    by_column = [*texts, *(_cells(column, chosen) for column in columns)]
    return messages.RowsBody(
        columns=labels,
        n_outcomes=len(outcomes),
        positions=chosen.tolist(),
        rows=[list(row) for row in zip(*by_column, strict=True)],
    )


def rank_rows(explanation: Explanation, positions: Sequence[int]) -> NDArray[np.float64]:
    """Return the place of each row in the order of each column of the reply, (n_columns, n_rows).

    Equal values have the same place, and missing ones have NaN.
    """
    chosen = check_distinct_positions(positions, explanation._n_observations)
    keys = [*explanation._outcomes(chosen).values(), *(_sort_keys(column, chosen) for column in _columns(explanation))]
    return np.array([_places(column) for column in keys])


def _places(keys: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(keys), math.nan, np.unique(keys, return_inverse=True)[1])


def _columns(explanation: Explanation) -> list[Column]:
    return [explanation._column(name) for name in explanation._context.columns.names]


def _sort_keys(column: Column, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the coordinates of rows; of what has none, the place of its text in alphabetical order."""
    if column.kind != "other":
        return column.values[chosen].astype(np.float64)
    texts, missing = column.texts[chosen], column.missing[chosen]
    keys = np.full(len(chosen), math.nan)
    keys[~missing] = np.unique(texts[~missing].astype(str), return_inverse=True)[1]
    return keys


def _cells(column: Column, chosen: NDArray[np.int64]) -> list[str]:
    if column.kind == "other":
        return ["" if text is None else text for text in column.texts[chosen]]
    write = cell_writer(column)
    return ["" if math.isnan(value) else write(value) for value in column.values[chosen]]


def describe_drivers(feature: FeatureExplanation, drivers: Drivers) -> messages.DriversBody:
    """Describe what makes the curves of a feature differ: up to 50 columns."""
    return messages.DriversBody(
        feature=feature.label,
        lead=f"{drivers.lead}{'' if drivers.reported else feature._outlying_sentence}",
        sentence=[messages.TextPart(text, group) for text, group in effects_sentence(feature, drivers)],
        drivers=list(map(_describe_driver, drivers.reported[:_MOST_DRIVERS])),
        n_rows=drivers.n_rows,
        n_curves=drivers.n_curves,
    )


def _describe_driver(driver: Driver) -> messages.DriverBody:
    threshold = None if math.isnan(driver.threshold) else driver.threshold
    levels = None if driver.levels is None else list(driver.levels)
    return messages.DriverBody(**{**vars(driver), "threshold": threshold, "levels": levels})


def describe_moves(feature: FeatureExplanation, position: int, prediction: float) -> messages.FeatureMoves:
    """Describe how far a feature moves the prediction of one row, nearest first."""
    axis = axis_of(feature)
    write = writer(axis.kind, axis.grid, axis.levels, short_cell_text, axis.clock)
    moves = feature._moves(position, prediction)
    return messages.FeatureMoves(
        feature=feature.label,
        observed=write(float(axis.observed[position])),
        moves=[
            messages.MoveBody(distance if math.isfinite(distance) else None, place, write(place), change)
            for place, distance, change in zip(
                axis.grid[moves.places].tolist(), moves.distances.tolist(), moves.changes.tolist(), strict=True
            )
        ],
    )


def describe_in_common(
    explanation: Explanation, positions: Sequence[int], among: Sequence[int] | None = None
) -> messages.InCommonBody:
    """Describe what some rows have in common, in words."""
    n_rows = explanation._n_observations
    chosen = check_distinct_positions(positions, n_rows)
    common = explanation._in_common(chosen, None if among is None else check_distinct_positions(among, n_rows))
    return messages.InCommonBody(
        [messages.InCommonItem(each.column.label, _in_words(each), each.inside, each.outside) for each in common]
    )


def _in_words(each: InCommon) -> str:
    second = each.column
    grid = second.values if second.levels is None else np.arange(len(second.levels))
    write = writer(second.kind, grid, second.level_texts, short_cell_text, make_column_clock(second))
    if each.levels:
        return f"{second.label} {', '.join(map(write, each.levels))}"
    if math.isinf(each.high):
        return f"{second.label} ≥ {write(each.low)}"
    if math.isinf(each.low):
        return f"{second.label} ≤ {write(each.high)}"
    return f"{second.label} {write(each.low)} – {write(each.high)}"
