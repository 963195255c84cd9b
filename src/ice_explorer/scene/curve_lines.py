"""Curves of a feature as drawn for one kind of plot, how they fade, effects over them, and the range of slopes.

The twins in the browser are `js/src/plot/effects.ts` and `js/src/plot/value_range.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from ice_explorer.beyond.effects import local_effects
from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import number_text
from ice_explorer.features.dates import choose_unit
from ice_explorer.features.feature import anchor_index, check_anchor
from ice_explorer.scene.display_axis import display_axis, histogram
from ice_explorer.scene.lines import EffectLine, EffectName, Lines, Missing
from ice_explorer.scene.words import place_writer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Places
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.results.options import Kind
    from ice_explorer.scene.display_axis import DisplayAxis
    from ice_explorer.scene.view_state import ViewState

# A segment that is out of distribution stays visible as a ghost.
GHOST_OPACITY: Final = 0.06
_SLOPE_BINS: Final = 20  # of `js/src/plot/geometry/transforms.ts`
# The constants of value_range.ts, where they are explained.
_BULK: Final = 0.95
_WORTH_CUTTING: Final = 4
_LEAST_BULK: Final = 1e-5
_ONE_SLOPE: Final = 1e-3
_MOST_SLOPES: Final = 20_000
EFFECTS: Final[tuple[EffectName, ...]] = get_args(EffectName)
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
    curves, mean, spread = feature.compute_curves(positions), feature.partial_dependence, feature.spread
    fade = _fade(feature, positions, state.decay, fades_unlike=fades_unlike)
    is_probability = explanation.settings.response == "predict_proba"
    edges, counts = histogram(axis)
    lines = Lines(
        feature=feature.label,
        kind=kind,
        axis=axis,
        positions=positions,
        selected=np.isin(positions, state.selection),
        own_x=axis.observed[positions],
        own_y=feature._predictions(positions),
        histogram_edges=edges,
        histogram_counts=counts,
        x_title=f"{feature.label} ({choose_unit(axis.grid).name})" if axis.kind == "timedelta" else feature.label,
        x=axis.grid,
        values=curves,
        opacity=fade[:, 1:],
        dot_opacity=fade,
        mean=mean,
        spread=spread,
        band=middle_of(curves) if is_probability else np.array([mean - spread, mean + spread]),
        has_quantile_band=is_probability and kind == "ice",
        missing=_missing(feature, axis, positions, state.decay, is_probability=is_probability),
        remark=None if kind == state.kind else no_slopes_text(feature.label),
        distance=explanation.settings.distance,
    )
    if kind == "c-ice":
        lines = _centred(lines, feature, check_anchor(state.anchor))
    elif kind == "d-ice":
        lines = _slopes(lines)
    if lines.missing is None:
        lines = replace(lines, own_y=np.where(np.isnan(lines.own_x), math.nan, lines.own_y))
    return replace(_with_width(lines), y_title=_y_title(explanation.output_label, lines))


def no_slopes_text(feature: str) -> str:
    """Why a feature without an order is drawn otherwise than asked for."""
    return (
        f"{feature} has levels without an order, so there is no slope from one to the next. Its ICE is shown instead."
    )


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


def middle_of(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of the middle 68 % of the curves at each point: unlike mean ± SD, they stay in [0, 1]."""
    return np.quantile(curves, _MIDDLE, axis=0) if len(curves) else np.full((2, curves.shape[1]), math.nan)


def _missing(
    feature: FeatureExplanation,
    axis: DisplayAxis,
    positions: NDArray[np.int64],
    decay: float,
    *,
    is_probability: bool,
) -> Missing | None:
    """Return the predictions with the value missing; None where no observation lacks it."""
    known = feature._missing_dependence
    if known is None:
        return None
    values, (mean, spread) = feature._missing_rows(positions), known
    low, high = middle_of(values[:, None])[:, 0].tolist() if is_probability else (mean - spread, mean + spread)
    count = int(np.isnan(axis.observed).sum())
    return Missing(values=values, mean=mean, band=(low, high), count=count, opacity=float(_faded(np.array(decay))))


def _centred(lines: Lines, feature: FeatureExplanation, anchor: AnchorName | float) -> Lines:
    """Lower each curve of ICE by what it is at the anchor."""
    curves, index = lines.values, anchor_index(lines.grid, lines.axis.median, anchor)
    own_y, missing = lines.own_y, lines.missing
    if index is None:
        held = feature._at_own_values(lines.positions, curves)
        # A row that lacks the value has its own prediction beside the axis, not on its line.
        own_y = np.where(np.isnan(lines.own_x), own_y - held, 0.0)
    else:
        held = curves[:, index]
        own_y = own_y - held
    centred = curves - held[:, None]
    # Where each line is held elsewhere, the mean is that of the lines that are drawn.
    mean = centred.mean(axis=0) if index is None else lines.mean - float(lines.mean[index])
    spread = centred.std(axis=0)
    if missing is not None:
        values = missing.values - held
        middle = float(values.mean()) if index is None else missing.mean - float(lines.mean[index])
        reach = float(values.std()) if len(values) else (missing.band[1] - missing.band[0]) / 2
        missing = replace(missing, values=values, mean=middle, band=(middle - reach, middle + reach))
    lowest, highest = feature._prediction_range
    return replace(
        lines,
        values=centred,
        mean=mean,
        spread=spread,
        band=np.array([mean - spread, mean + spread]),
        own_y=own_y,
        missing=missing,
        anchored_at=None if index is None else float(lines.grid[index]),
        prediction_span=highest - lowest if highest > lowest else None,
    )


def _slopes(lines: Lines) -> Lines:
    """Turn curves of ICE into their slopes, each from one end of its interval to the other."""
    n_grid = len(lines.grid)
    kept = np.arange(n_grid) if lines.axis.has_levels else slope_ends(n_grid)
    grid, fade = lines.grid[kept], lines.dot_opacity[:, kept][:, 1:]
    slopes = np.diff(lines.values[:, kept], axis=1) / np.diff(grid)
    n_lines, n_intervals = slopes.shape
    opacity = np.empty((n_lines, max(0, 2 * n_intervals - 1)))
    opacity[:, ::2] = fade
    opacity[:, 1::2] = np.minimum(fade[:, :-1], fade[:, 1:])  # the step in between takes the fainter
    own_y = np.full(n_lines, math.nan)
    if n_intervals > 0:
        interval = np.clip(np.searchsorted(grid, lines.axis.own(lines.positions)), 1, n_intervals) - 1
        own_y = slopes[np.arange(n_lines), interval]
    mean = np.repeat(np.diff(lines.mean[kept]) / np.diff(grid), 2)
    spread = np.repeat(slopes.std(axis=0), 2)
    return replace(
        lines,
        x=np.repeat(grid, 2)[1:-1],
        values=np.repeat(slopes, 2, axis=1),
        opacity=opacity,
        mean=mean,
        spread=spread,
        band=np.array([mean - spread, mean + spread]),
        own_y=own_y,
        missing=None,
    )


def _with_width(lines: Lines) -> Lines:
    """Draw a single grid value as short dashes: there is no interval to draw a line over."""
    if len(lines.x) != 1 or lines.axis.has_levels:
        return lines
    value = float(lines.x[0])
    reach = (abs(value) * 0.1 or 0.5) / 4
    return replace(
        lines,
        x=np.array([value - reach, value + reach]),
        values=np.repeat(lines.values, 2, axis=1),
        opacity=np.ones((len(lines.positions), 1)),
        mean=np.repeat(lines.mean, 2),
        spread=np.repeat(lines.spread, 2),
        band=np.repeat(lines.band, 2, axis=1),
    )


def slope_ends(n_grid: int) -> NDArray[np.intp]:
    """Return the grid values between which slopes are drawn: the ends of 20 bins with equally many grid values.

    Between neighbouring values of a step function a slope is 0 or very steep, and lines of such slopes cover the plot.
    Metrics are computed from every slope.
    """
    if n_grid <= _SLOPE_BINS + 1:
        return np.arange(n_grid)
    return np.floor(np.arange(_SLOPE_BINS + 1) * (n_grid - 1) / _SLOPE_BINS + 0.5).astype(np.intp)


_STEPS: Final[Mapping[str, str]] = {"ordered": "rank", "datetime": "day", "timedelta": "day"}


def _y_title(output: str, lines: Lines) -> str:
    if lines.kind == "ice":
        return output
    if lines.kind == "d-ice":
        n_intervals = len(lines.x) // 2
        over = f", over {n_intervals} quantile bins" if n_intervals < len(lines.grid) - 1 else ""
        return f"slope of the {output} per {_STEPS.get(lines.axis.kind, 'unit')} of {lines.feature}{over}"
    at = lines.anchored_at
    start = "the observed value" if at is None else f"{lines.feature} = {place_writer(lines.axis)(at)}"
    return f"change of the {output} from {start}"


# --- effects, and the range of slopes -------------------------------------------------------------


def effect_lines(feature: FeatureExplanation, lines: Lines, names: Sequence[EffectName]) -> tuple[EffectLine, ...]:
    """Return the chosen effects; slopes have none.

    On ICE, ALE is shifted to the mean prediction. On c-ICE both are 0 at the anchor; where each curve is 0 at its
    observed value, their mean over the observations is 0.
    """
    if lines.kind == "d-ice" or not names:
        return ()
    found = local_effects(feature)
    heights = {"ale": found.columns["ale"], "m_plot": found.columns["m_plot"] - found.mean_prediction}

    def shift(values: Array) -> float:
        if lines.kind == "ice":
            return found.mean_prediction
        if lines.anchored_at is None:
            return 0.0
        return -_height_at(found.grid, values, lines.anchored_at, are_levels=lines.axis.is_unordered)

    return tuple(EffectLine(name, found.grid, heights[name] + shift(heights[name])) for name in names)


def _height_at(grid: Array, heights: Array, value: float, *, are_levels: bool) -> float:
    """Height at a value: linear between grid values, level beyond them; NaN at a level that is not on the grid."""
    if are_levels and value not in grid:
        return math.nan
    return float(np.interp(value, grid, heights))


@dataclass(frozen=True)
class SlopeRange:
    """What the axis reaches over; whether it is cut to the bulk of the slopes, and lines that leave it on each side."""

    low: float
    high: float
    is_cut: bool = False
    above: int = 0
    below: int = 0


def slope_range(x: Array, values: Array, extent: tuple[float, float]) -> SlopeRange:
    """Choose what the axis of slopes reaches over.

    `x` has both ends of each interval, `values` (n_lines, 2 · n_intervals) each slope twice, and `extent` is the
    smallest and the largest of all that is drawn.
    """
    low, high = extent
    if high - low < _ONE_SLOPE * max(-low, high):
        return SlopeRange(min(0.0, low), max(0.0, high))
    bulk = _bulk_of(x, values)
    share = 0.0 if bulk is None else (bulk[1] - bulk[0]) / (high - low)
    if bulk is None or share > 1 / _WORTH_CUTTING or share < _LEAST_BULK:
        return SlopeRange(low, high)
    room = (bulk[1] - bulk[0]) / 2
    ends = max(low, bulk[0] - room), min(high, bulk[1] + room)
    leaving = (values > ends[1]).any(axis=1).sum(), (values < ends[0]).any(axis=1).sum()
    return SlopeRange(*ends, is_cut=True, above=int(leaving[0]), below=int(leaving[1]))


def _bulk_of(x: Array, values: Array) -> tuple[float, float] | None:
    """Return the narrowest interval from the lower to the upper tail of the slopes, 0 within it; None of a point."""
    n_lines, n_intervals = len(values), len(x) // 2
    every = max(1, -(-n_lines * n_intervals // _MOST_SLOPES))
    slopes = values[::every, ::2]
    finite = np.isfinite(slopes)
    lengths = np.broadcast_to(x[1::2] - x[::2], slopes.shape)[finite]
    slopes = slopes[finite]
    order = np.argsort(slopes, kind="stable")
    tail = (1 - _BULK) / 2 * float(lengths.sum())

    def reach(places: Places) -> float:
        beyond = np.flatnonzero(np.cumsum(lengths[places]) > tail)
        return float(slopes[places[beyond[0]]]) if beyond.size else 0.0

    low, high = min(0.0, reach(order)), max(0.0, reach(order[::-1]))
    return (low, high) if low < high else None


def leaving_text(found: SlopeRange, extent: tuple[float, float], n_lines: int) -> str | None:
    """Return the remark on curves beyond the axis, worded as in the browser; None if all curves fit."""
    if not found.is_cut:
        return None
    sides = [
        (count, side, f"({way} to {number_text(end)})")
        for count, side, way, end in (
            (found.above, "above", "up", extent[1]),
            (found.below, "below", "down", extent[0]),
        )
        if count > 0
    ]
    count, side, end = sides[0]
    verb = "extends" if count == 1 else "extend"
    first = f"{count:,} of {counted(n_lines, 'curve')} {verb} {side} the axis {end}"
    return ", ".join([first, *(f"{count:,} {side} {end}" for count, side, end in sides[1:])]) + "."
