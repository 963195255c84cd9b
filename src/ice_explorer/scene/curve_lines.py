"""Curves of a feature as drawn for one kind of plot, and how they fade."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.dates import choose_unit
from ice_explorer.features.feature import anchor_index, check_anchor
from ice_explorer.scene.display_axis import display_axis, histogram
from ice_explorer.scene.lines import Lines, Missing
from ice_explorer.scene.words import place_writer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.results.options import Kind
    from ice_explorer.scene.display_axis import DisplayAxis
    from ice_explorer.scene.view_state import ViewState

# A segment that is out of distribution stays visible as a ghost.
GHOST_OPACITY: Final = 0.06
_SLOPE_BINS: Final = 20  # of `js/src/geometry/transforms.ts`
_MIDDLE: Final = (0.16, 0.84)  # of a normal distribution, one standard deviation below and above the mean


def lines_of(
    explanation: Explanation,
    feature: FeatureExplanation,
    state: ViewState,
    positions: NDArray[np.int64] | None = None,
    *,
    fades_unlike: bool = False,
) -> Lines:
    """Compute the lines of a feature as one kind of picture shows them; of some rows, or those that it draws.

    Lines fade by distance, and disappear where phantom observations are unlike 99 % of rows if `fades_unlike`.
    """
    axis = display_axis(feature._item.feature, feature.axis, feature._item.median)
    kind: Kind = "ice" if state.kind == "d-ice" and axis.is_unordered else state.kind
    positions = feature._draw(state.max_lines, state.selection) if positions is None else positions
    curves = feature.compute_curves(positions)
    observed = axis.observed[positions]
    own = axis.own(positions)
    rows = _Rows(
        feature=feature,
        axis=axis,
        positions=positions,
        curves=curves,
        own=own,
        observed=observed,
        fade=_fade(feature, positions, state.decay, fades_unlike=fades_unlike),
        decay=state.decay,
        is_probability=explanation.settings.response == "predict_proba",
    )
    shape = _SHAPES[kind](rows, check_anchor(state.anchor))
    lowest, highest = feature._prediction_range
    centred_on_range = kind == "c-ice" and highest > lowest
    edges, counts = histogram(axis)
    own_y = shape.own_y if shape.missing is not None else np.where(np.isnan(observed), math.nan, shape.own_y)
    return Lines(
        feature=feature.label,
        kind=kind,
        axis=axis,
        positions=positions,
        selected=np.isin(positions, state.selection),
        own_x=observed,
        histogram_edges=edges,
        histogram_counts=counts,
        prediction_span=highest - lowest if centred_on_range else None,
        x_title=_x_title(feature.label, axis),
        y_title=_y_title(explanation.output_label, feature.label, axis, shape, kind),
        x=shape.x,
        values=shape.values,
        opacity=shape.opacity,
        dot_opacity=rows.fade,
        mean=shape.mean,
        spread=shape.spread,
        band=shape.band,
        has_quantile_band=rows.is_probability and kind == "ice",
        own_y=own_y,
        missing=shape.missing,
        anchored_at=shape.anchored_at,
        remark=None if kind == state.kind else no_slopes_text(feature.label),
        distance=explanation.settings.distance,
    )


def no_slopes_text(feature: str) -> str:
    """Why a feature without an order is drawn otherwise than asked for."""
    return (
        f"{feature} has levels without an order, so there is no slope from one to the next. Its ICE is shown instead."
    )


@dataclass(frozen=True)
class _Rows:
    """Some rows of a feature: their curves, own places, and opacity at each grid value."""

    feature: FeatureExplanation
    axis: DisplayAxis
    positions: NDArray[np.int64]
    curves: NDArray[np.float64]
    own: NDArray[np.float64]
    observed: NDArray[np.float64]
    fade: NDArray[np.float64]
    decay: float
    is_probability: bool


@dataclass(frozen=True)
class _Shape:
    """The part of `Lines` that depends on the kind of picture."""

    x: NDArray[np.float64]
    values: NDArray[np.float64]
    opacity: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    own_y: NDArray[np.float64]
    band: NDArray[np.float64]
    missing: Missing | None = None
    anchored_at: float | None = None
    n_bins: int | None = None


def _fade(
    feature: FeatureExplanation, positions: NDArray[np.int64], decay: float, *, fades_unlike: bool
) -> NDArray[np.float64]:
    """Opacity at each grid value, (n_lines, n_grid); 0 where it is unlike 99 % of rows, if those disappear."""
    if decay == 1:
        return np.ones((len(positions), len(feature.axis)))
    opacity = _faded(feature.likelihood(decay, rows=positions))
    return np.where(feature._are_unlike(positions), 0.0, opacity) if fades_unlike else opacity


def _faded(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return GHOST_OPACITY + (1 - GHOST_OPACITY) * weights


def _around(mean: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one standard deviation below and above the mean, (2, n_points)."""
    return np.array([mean - spread, mean + spread])


def middle_of(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of the middle 68 % of the curves at each point: unlike mean ± SD, they stay in [0, 1]."""
    return np.quantile(curves, _MIDDLE, axis=0) if len(curves) else np.full((2, curves.shape[1]), math.nan)


def _beside_axis(
    rows: _Rows, held: NDArray[np.float64], shift: float | None, *, spread_of_drawn: bool
) -> Missing | None:
    """Predictions with the value missing, each lowered by what its line was, their mean by `shift` or as they are."""
    known = rows.feature._missing_dependence
    if known is None:
        return None
    values = rows.feature._missing_rows(rows.positions) - held
    mean = float(values.mean()) if shift is None else known[0] - shift
    spread = float(values.std()) if spread_of_drawn and len(values) else known[1]
    low, high = (mean - spread, mean + spread)
    if rows.is_probability and not spread_of_drawn:
        low, high = middle_of(values[:, None])[:, 0].tolist()
    return Missing(
        values=values,
        mean=mean,
        band=(low, high),
        count=int(np.isnan(rows.axis.observed).sum()),
        opacity=float(_faded(np.array(rows.decay))),
    )


def _on_grid(rows: _Rows, shape: _Shape) -> _Shape:
    """Draw a single grid value as short dashes: there is no interval to draw a line over."""
    if len(shape.x) > 1 or rows.axis.has_levels:
        return shape
    value = float(shape.x[0])
    reach = (abs(value) * 0.1 or 0.5) / 4
    return replace(
        shape,
        x=np.array([value - reach, value + reach]),
        values=np.repeat(shape.values, 2, axis=1),
        opacity=np.ones((len(rows.positions), 1)),
        mean=np.repeat(shape.mean, 2),
        spread=np.repeat(shape.spread, 2),
        band=np.repeat(shape.band, 2, axis=1),
    )


def _ice_shape(rows: _Rows, _anchor: AnchorName | float) -> _Shape:
    feature = rows.feature
    shape = _Shape(
        x=rows.axis.grid,
        values=rows.curves,
        opacity=rows.fade[:, 1:],
        mean=feature.partial_dependence,
        spread=feature.spread,
        band=middle_of(rows.curves) if rows.is_probability else _around(feature.partial_dependence, feature.spread),
        own_y=feature._predictions(rows.positions),
        missing=_beside_axis(rows, np.zeros(len(rows.positions)), 0.0, spread_of_drawn=False),
    )
    return _on_grid(rows, shape)


def _centered_shape(rows: _Rows, anchor: AnchorName | float) -> _Shape:
    feature, grid = rows.feature, rows.axis.grid
    index = anchor_index(grid, rows.axis.median, anchor)
    predictions = feature._predictions(rows.positions)
    if index is None:
        held = feature._at_own_values(rows.positions, rows.curves)
        shift = None  # each line is held elsewhere, so that the mean is that of the lines that are drawn
        # A row that lacks the value has its own prediction beside the axis, not on its line.
        own_y = np.where(np.isnan(rows.observed), predictions - held, 0.0)
    else:
        held = rows.curves[:, index]
        shift = float(feature.partial_dependence[index])
        own_y = predictions - held
    centered = rows.curves - held[:, None]
    mean = centered.mean(axis=0) if shift is None else feature.partial_dependence - shift
    shape = _Shape(
        x=grid,
        values=centered,
        opacity=rows.fade[:, 1:],
        mean=mean,
        spread=centered.std(axis=0),
        band=_around(mean, centered.std(axis=0)),
        own_y=own_y,
        missing=_beside_axis(rows, held, shift, spread_of_drawn=True),
        anchored_at=None if index is None else float(grid[index]),
    )
    return _on_grid(rows, shape)


def _slope_shape(rows: _Rows, _anchor: AnchorName | float) -> _Shape:
    n_grid = len(rows.axis.grid)
    kept = np.arange(n_grid) if rows.axis.has_levels else slope_ends(n_grid)
    grid, fade = rows.axis.grid[kept], rows.fade[:, kept][:, 1:]
    slopes = np.diff(rows.curves[:, kept], axis=1) / np.diff(grid)
    n_lines, n_intervals = slopes.shape
    opacity = np.empty((n_lines, max(0, 2 * n_intervals - 1)))
    opacity[:, ::2] = fade
    opacity[:, 1::2] = np.minimum(fade[:, :-1], fade[:, 1:])  # the step in between takes the fainter
    own_y = np.full(n_lines, math.nan)
    if n_intervals > 0:
        interval = np.clip(np.searchsorted(grid, rows.own), 1, n_intervals) - 1
        own_y = slopes[np.arange(n_lines), interval]
    mean = np.repeat(np.diff(rows.feature.partial_dependence[kept]) / np.diff(grid), 2)
    spread = np.repeat(slopes.std(axis=0), 2)
    return _Shape(
        x=np.repeat(grid, 2)[1:-1],
        values=np.repeat(slopes, 2, axis=1),
        opacity=opacity,
        mean=mean,
        spread=spread,
        band=_around(mean, spread),
        own_y=own_y,
        n_bins=None if len(kept) == n_grid else n_intervals,
    )


def slope_ends(n_grid: int) -> NDArray[np.intp]:
    """Return the grid values between which slopes are drawn: the ends of 20 bins with equally many grid values.

    Between neighbouring values of a step function a slope is 0 or very steep, and lines of such slopes cover the plot.
    Metrics are computed from every slope.
    """
    if n_grid <= _SLOPE_BINS + 1:
        return np.arange(n_grid)
    return np.floor(np.arange(_SLOPE_BINS + 1) * (n_grid - 1) / _SLOPE_BINS + 0.5).astype(np.intp)


_SHAPES: Final = {"ice": _ice_shape, "c-ice": _centered_shape, "d-ice": _slope_shape}


def _x_title(feature: str, axis: DisplayAxis) -> str:
    """The name of the feature, with its unit where the axis chose one."""
    return f"{feature} ({choose_unit(axis.grid).name})" if axis.kind == "timedelta" else feature


_STEPS: Final[Mapping[str, str]] = {"ordered": "rank", "datetime": "day", "timedelta": "day"}


def _y_title(output: str, feature: str, axis: DisplayAxis, shape: _Shape, kind: Kind) -> str:
    if kind == "ice":
        return output
    if kind == "d-ice":
        over = "" if shape.n_bins is None else f", over {shape.n_bins} quantile bins"
        return f"slope of the {output} per {_STEPS.get(axis.kind, 'unit')} of {feature}{over}"
    start = (
        "the observed value" if shape.anchored_at is None else f"{feature} = {place_writer(axis)(shape.anchored_at)}"
    )
    return f"change of the {output} from {start}"
