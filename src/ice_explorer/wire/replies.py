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
from ice_explorer.results.column_colors import LevelColors, column_colors
from ice_explorer.results.options import OF_MODELS
from ice_explorer.scene.build import average_text, effects_sentence
from ice_explorer.scene.display_axis import axis_of, display_axis, histogram
from ice_explorer.scene.lines import missing_of
from ice_explorer.wire import messages, requests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.beyond.interactions import Interactions
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.drivers.candidates import InCommon
    from ice_explorer.drivers.drivers import Driver, Drivers
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.plan import Classes
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
            rows = list(request.selection)
            if besides.models is not None:
                rows += besides.models._outlying(feature.feature).tolist()
            if model is not None:
                explanations = {} if besides.models is None else besides.models.explanations
                feature = explanations[check_one_of("model", model, list(explanations))][feature.feature]
            return describe_curves(known, feature, request.max_lines, rows, besides.target)
        case requests.ClassesRequest():
            assert besides.classes is not None  # noqa: S101 - else the request was refused
            return describe_classes(feature, besides.classes, feature._draw(request.max_lines))
        case requests.ColorsRequest(column=column, positions=positions, levels=levels):
            return describe_colors(known._column(column), positions, levels or ())
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
            return describe_unlike(feature, request.positions)
        case requests.IntervalsRequest():
            return _intervals(request, known, labels)
        case requests.InteractionsRequest():
            interactions = besides.joint.interactions(known)
            _advance(interactions._advance)
            return describe_interactions(known, interactions)
        case requests.TwoWayRequest(first=first, second=second):
            two = besides.joint.pair(known, first, second)
            _advance(two._advance)
            return describe_two_way(two)
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
    low, high, rank_low, rank_high = ends = np.full((4, len(labels)), np.nan)
    ends[:, places] = *limits, *ranks
    tied = [(places[first], places[second]) for first, second in ties]
    intervals = messages.Intervals(low, high, rank_low, rank_high, tied)
    return messages.IntervalsBody(len(places), len(places), intervals)


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


# --- one feature, or one column, as it is drawn ------------------------------------------------


def describe_curves(
    explanation: Explanation,
    feature: FeatureExplanation,
    max_lines: int,
    selection: Sequence[int],
    target: NDArray[np.float64] | None = None,
) -> messages.CurvesBody:
    """Describe the curves of some rows, among them those of the `selection`, with the observed `target` of all."""
    positions = feature._draw(max_lines, selection)
    curves = feature.compute_curves(positions)
    offset = sum(feature._prediction_range) / 2
    axis = axis_of(feature)
    edges, counts = histogram(axis)
    is_told = np.isin(feature._item.observed[positions], feature.axis).all()
    missing = missing_of(feature, positions)
    return messages.CurvesBody(
        feature=feature.label,
        kind=feature.dtype_kind,
        levels=axis.levels,
        n_lines=len(positions),
        n_grid=len(axis.grid),
        n_observations=explanation._n_observations,
        offset=offset,
        prediction_range=feature._prediction_range,
        average=average_text(feature, axis, explanation.output_label),
        row_labels=explanation._row_labels(positions),
        median=axis.median,
        clock=list(axis.clock.changes),
        positions=positions,
        observed=axis.observed[positions],
        likelihood_scale=feature.likelihood_scale[positions],
        predictions=feature._predictions(positions) - offset,
        grid=axis.grid,
        values=curves - offset,
        partial_dependence=feature.partial_dependence - offset,
        histogram_edges=edges,
        histogram_counts=counts,
        missing=None if missing is None else messages.MissingBody(missing.count, missing.mean, missing.values - offset),
        distances=feature._item.measure_distances(positions) if axis.is_unordered else None,
        target=None if target is None else target[positions],
        at_own=None if is_told else feature._at_own_values(positions, curves) - offset,
    )


def describe_classes(
    feature: FeatureExplanation, classes: Classes, positions: NDArray[np.int64]
) -> messages.ClassesBody:
    """Describe the curves of some rows for every class of the model; `feature` is that of the explained one."""
    drawn = classes.lines(feature.feature, positions)
    grid, curves = axis_of(feature).grid, drawn.curves
    offsets = (curves.min(axis=(1, 2)) + curves.max(axis=(1, 2))) / 2
    values = curves - offsets[:, None, None]
    return messages.ClassesBody(
        feature=feature.label,
        kind=feature.dtype_kind,
        outputs=list(drawn.outputs),
        n_outputs=drawn.n_outputs,
        explained=drawn.explained,
        n_lines=len(positions),
        n_grid=len(grid),
        positions=positions,
        grid=grid,
        offsets=offsets.tolist(),
        values=list(values),
        means=list(values.mean(axis=1)),
    )


def describe_colors(column: Column, positions: Sequence[int], separate: Sequence[str] = ()) -> messages.ColorsBody:
    """Describe the values of a column at some rows of X; `separate` levels have colours of their own."""
    colors = column_colors(column, check_distinct_positions(positions, len(column.values)), separate)
    scale: messages.ContinuousColors | messages.CategoryColors
    if isinstance(colors, LevelColors):
        scale = messages.CategoryColors(
            colors.column, "category", colors.is_ordered, colors.levels, colors.places, colors.counts
        )
    else:
        clock = list(colors.clock.changes)
        scale = messages.ContinuousColors(
            colors.column, "continuous", colors.of, colors.domain, colors.median, colors.levels, clock
        )
    return messages.ColorsBody(scale, colors.values)


def describe_unlike(feature: FeatureExplanation, positions: Sequence[int]) -> messages.UnlikeBody:
    """Describe which phantom observations of a feature are unlike 99 % of rows."""
    unlike = feature._unlike_shares()
    return messages.UnlikeBody(
        feature=feature.label,
        share=unlike.share,
        summary=unlike.summary,
        grid=axis_of(feature).grid,
        shares=unlike.grid_shares,
        flags=feature._are_unlike(positions),
    )


# --- several features together --------------------------------------------------------------------


def describe_interactions(explanation: Explanation, interactions: Interactions) -> messages.InteractionsBody:
    """Describe what is computed of interactions, the largest size first."""
    labels = {feature.feature: feature.label for feature in explanation.values()}
    by_feature = interactions._joint.items()
    features = [messages.JointBody(labels[name], joint.h2, joint.effect) for name, joint in by_feature]
    pairs = [
        messages.PairJointBody(labels[first], labels[second], joint.h2, joint.effect)
        for (first, second), joint in interactions._joint_of_pairs.items()
    ]
    return messages.InteractionsBody(
        n_rows=len(interactions.rows),
        n_observations=explanation._n_observations,
        done=interactions._n_done,
        total=interactions._n_steps,
        features=sorted(features, key=lambda body: -body.effect),
        pairs=sorted(pairs, key=lambda body: -body.effect),
    )


def describe_two_way(two: TwoWay) -> messages.TwoWayBody:
    """Describe the partial dependence on two features; nothing of it before all is computed."""
    if two._share_done < 1:
        return messages.TwoWayBody(two._share_done, None)
    first, second = (_pair_axis(two, which) for which in (0, 1))
    near = two.near.astype(np.uint32)
    return messages.TwoWayBody(
        1.0, messages.TwoWay(first, second, len(two.rows), two.n_observations, two.partial_dependence, near)
    )


def _pair_axis(two: TwoWay, which: int) -> messages.PairAxis:
    of, axis = (two.first, two.second)[which], display_axis(*two._axes[which])
    clock, observed = list(axis.clock.changes), axis.observed[two.rows]
    return messages.PairAxis(of.label, of.dtype_kind, axis.levels, clock, axis.grid, observed)


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
    return np.array([np.where(np.isnan(key), math.nan, np.unique(key, return_inverse=True)[1]) for key in keys])


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
        lead=drivers.lead if drivers.reported else feature._with_outlying(drivers.lead),
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
