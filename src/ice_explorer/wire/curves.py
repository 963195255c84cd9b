"""Curves of features, and what is drawn with them: classes, colours, effects, unlike values, intervals, heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.checks import check_distinct_positions
from ice_explorer.results.column_colors import LevelColors, column_colors
from ice_explorer.scene.build import average_text
from ice_explorer.scene.display_axis import axis_of, display_axis, histogram
from ice_explorer.scene.lines import missing_of
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
    first, second = (_pair_axis(two, which) for which in (0, 1))
    near = two.near.astype(np.uint32)
    return messages.TwoWayBody(
        1.0, messages.TwoWay(first, second, len(two.row_positions), two.n_observations, two.partial_dependence, near)
    )


def _pair_axis(two: TwoWay, which: int) -> messages.PairAxis:
    of, axis = (two.first, two.second)[which], display_axis(*two._axes[which])
    clock, observed = list(axis.clock.changes), axis.observed[two.row_positions]
    return messages.PairAxis(of.label, of.dtype_kind, axis.levels, clock, axis.grid, observed)
