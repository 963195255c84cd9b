"""Curves of features, and what is drawn with them: classes, colours, effects, unlike values, intervals, heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.checks import check_distinct_positions
from ice_explorer.results.column_colors import LevelColors, column_colors
from ice_explorer.scene.build import average_sentence
from ice_explorer.scene.display_axis import display_axis, histogram
from ice_explorer.wire import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.beyond.interactions import Interactions
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.plan import Classes
    from ice_explorer.tables.column import Column


def describe_curves(
    explanation: Explanation,
    feature: FeatureExplanation,
    max_lines: int,
    selection: Sequence[int],
    target: NDArray[np.float64] | None = None,
) -> messages.CurvesBody:
    """Describe the curves of one feature.

    - `explanation`: where the labels of the rows come from.
    - `max_lines`: how many rows to draw besides the selected ones.
    - `selection`: rows of X that must be among them.
    - `target` (n_observations,): observed, NaN where missing.
    """
    positions = feature._draw(max_lines, selection)
    curves = feature.compute_curves(positions)
    lowest, highest = feature._prediction_range
    offset = (lowest + highest) / 2
    axis = display_axis(feature._item.feature, feature.axis, feature._item.median)
    edges, counts = histogram(axis)
    average = average_sentence(feature.label, axis, feature.partial_dependence, explanation.output_label, offset)
    is_told = np.isin(feature._item.observed[positions], feature.axis).all()
    return messages.CurvesBody(
        feature=feature.label,
        kind=feature.dtype_kind,
        levels=axis.levels,
        n_lines=len(positions),
        n_grid=len(axis.grid),
        n_observations=explanation._n_observations,
        offset=offset,
        prediction_range=(lowest, highest),
        average=average + feature._noise_sentence,
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
        missing=_describe_missing(feature, positions, offset),
        distances=measure_distances(feature, positions) if axis.is_unordered else None,
        target=None if target is None else target[positions],
        at_own=None if is_told else feature._at_own_values(positions, curves) - offset,
    )


def measure_distances(feature: FeatureExplanation, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distance of each grid value from the observed values of some rows: the exponents of the decay.

    - returns (n_rows, n_grid): 0 at the observed value; infinite where nothing but it is likely.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log2(feature.likelihood(0.5, rows=positions))) + 0.0


def _describe_missing(
    feature: FeatureExplanation, positions: NDArray[np.int64], offset: float
) -> messages.MissingBody | None:
    known = feature._missing_dependence
    if known is None:
        return None
    count = int(np.isnan(feature._item.feature.values).sum())
    return messages.MissingBody(count, known[0], feature._missing_rows(positions) - offset)


def describe_classes(
    feature: FeatureExplanation, classes: Classes, positions: NDArray[np.int64]
) -> messages.ClassesBody:
    """Describe the curves of one feature for every class of the model.

    - `feature`: of the explained class.
    - `classes`: where the curves come from.
    - `positions` (n_lines,): rows to draw.
    """
    drawn = classes.lines(feature.feature, positions)
    grid, curves = display_axis(feature._item.feature, feature.axis).grid, drawn.curves
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
    if isinstance(colors, LevelColors):
        levels = messages.CategoryColors(
            column=colors.column,
            kind="category",
            ordered=colors.is_ordered,
            levels=colors.levels,
            values=colors.places,
            counts=colors.counts,
        )
        return messages.ColorsBody(levels, colors.values)
    scale = messages.ContinuousColors(
        column=colors.column,
        kind="continuous",
        of=colors.of,
        domain=colors.domain,
        median=colors.median,
        levels=colors.levels,
        clock=list(colors.clock.changes),
    )
    return messages.ColorsBody(scale, colors.values)


def describe_unlike(feature: FeatureExplanation, positions: Sequence[int]) -> messages.UnlikeBody:
    """Describe which phantom observations of a feature are unlike 99 % of rows."""
    unlike = feature._unlike_shares()
    return messages.UnlikeBody(
        feature=feature.label,
        share=unlike.share,
        summary=unlike.summary,
        grid=display_axis(feature._item.feature, feature.axis).grid,
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
        n_rows=len(interactions.row_positions),
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
    rows = two.row_positions
    first, second = (
        messages.PairAxis(
            of.label, of.dtype_kind, axis.levels, list(axis.clock.changes), axis.grid, axis.observed[rows]
        )
        for of, axis in zip(
            (two.first, two.second), (display_axis(feature, places) for feature, places in two._axes), strict=True
        )
    )
    near = two.near.astype(np.uint32)
    return messages.TwoWayBody(
        1.0, messages.TwoWay(first, second, len(rows), two.n_observations, two.partial_dependence, near)
    )
