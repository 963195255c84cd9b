"""The lines of one feature, for the explained output and for every class, as a body and its buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.scene.display_axis import display_axis, histogram
from ice_explorer.wire.buffers import f32, f64, u32
from ice_explorer.wire.messages import ClassesBody, CurvesBody, MissingBody

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.outputs import Classes

_ALL: Final = slice(None)


def curves_of(
    explanation: Explanation,
    feature: FeatureExplanation,
    max_lines: int,
    selection: Sequence[int],
    target: NDArray[np.float64] | None = None,
) -> tuple[CurvesBody, list[bytes]]:
    """The lines of one feature, and what is drawn with them.

    - `explanation`: where the labels of the rows come from.
    - `max_lines`: how many rows to draw besides the selected ones.
    - `selection`: rows of X that must be among them.
    - `target` (n_observations,): observed, NaN where missing.
    - returns: as `CurvesBody` lays them out.
    """
    positions = feature._draw(max_lines, selection)
    lines = feature.compute_curves(positions)
    lowest, highest = feature._prediction_range
    offset = (lowest + highest) / 2
    axis = display_axis(feature._item.feature, feature.axis, feature._item.median)
    edges, counts = histogram(axis)
    missing, missing_values = _missing(feature, positions)
    far = distances(feature, positions) if axis.is_unordered else np.empty(0)
    body = CurvesBody(
        feature=feature.label,
        kind=feature.dtype_kind,
        levels=axis.levels,
        missing=missing,
        n_lines=len(positions),
        n_grid=len(axis.grid),
        n_observations=explanation._n_observations,
        offset=offset,
        prediction_range=(lowest, highest),
        row_labels=explanation._row_labels(positions),
        median=axis.median,
        clock=axis.clock.changes,
    )
    return body, [
        u32(positions),
        f64(axis.observed[positions]),
        f64(feature.likelihood_scale[positions]),
        f32(feature._predictions(positions) - offset),
        f64(axis.grid),
        f32(lines - offset),
        f32(feature.partial_dependence - offset),
        f32(feature.spread),
        f64(edges),
        f64(counts),
        f32(missing_values - offset),
        f32(far),
        f64([] if target is None else target[positions]),
        f32(_at_own(feature, positions, lines) - offset),
    ]


def distances(feature: FeatureExplanation, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distance of each grid value from the observed values of some rows: the exponents of the decay.

    - returns (n_rows, n_grid): 0 at the observed value; infinite where nothing but it is likely.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log2(feature.likelihood(0.5, rows=positions))) + 0.0


def _at_own(
    feature: FeatureExplanation, positions: NDArray[np.int64], lines: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Predictions at observed values, where the curves do not tell all of them."""
    return np.empty(0) if feature._are_on_grid(positions).all() else feature._at_own_values(positions, lines)


def classes_of(
    feature: FeatureExplanation,
    classes: Classes,
    positions: NDArray[np.int64],
    places: NDArray[np.intp] | slice = _ALL,
) -> tuple[ClassesBody, list[bytes]]:
    """The lines of one feature for every class of the model.

    - `feature`: of the explained class.
    - `classes`: where the curves come from.
    - `positions` (n_lines,): rows to draw.
    - `places` (n_grid,): which values of the grid; all of them by default.
    - returns: as `ClassesBody` lays them out.
    """
    shown = classes.lines(feature.feature, positions)
    grid, curves = display_axis(feature._item.feature, feature.axis).grid[places], shown.curves[:, :, places]
    offsets = (curves.min(axis=(1, 2)) + curves.max(axis=(1, 2))) / 2
    body = ClassesBody(
        feature=feature.label,
        kind=feature.dtype_kind,
        outputs=list(shown.outputs),
        n_outputs=shown.n_outputs,
        explained=shown.explained,
        n_lines=len(positions),
        n_grid=len(grid),
        offsets=offsets.tolist(),
    )
    centred = curves - offsets[:, None, None]
    return body, [u32(positions), f64(grid), f32(centred), f32(centred.mean(axis=1))]


def _missing(
    feature: FeatureExplanation, positions: NDArray[np.int64]
) -> tuple[MissingBody | None, NDArray[np.float64]]:
    """What is predicted of some rows with the value missing; nothing where no observation lacks it."""
    known = feature._missing_dependence
    if known is None:
        return None, np.empty(0)
    count = int(np.isnan(feature._item.feature.values).sum())
    return MissingBody(count=count, mean=known[0], spread=known[1]), feature._missing_rows(positions)
