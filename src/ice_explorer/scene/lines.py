"""The curves of one feature as one kind of picture draws them, how they fade, ALE over them, and slopes.

The twins in the browser are `js/src/plot/effects.ts` and `js/src/plot/value_range.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.beyond.effects import local_effects
from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import choose_unit, number_text
from ice_explorer.features.feature import anchor_index
from ice_explorer.scene.coloring import coloring_of
from ice_explorer.scene.display_axis import axis_of, histogram, place_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.results.options import Kind
    from ice_explorer.scene.choices import ViewState
    from ice_explorer.scene.coloring import Coloring, Split
    from ice_explorer.scene.display_axis import DisplayAxis

# Differences below this share of the values are rounding, not a picture.
ROUNDING: Final = 1e-9
GHOST_OPACITY: Final = 0.06  # of a segment that is out of distribution
_LEVEL_GAP: Final = 0.36  # share of a level's room that its bar of the data leaves free
_SLOPE_BINS: Final = 20  # of `js/src/plot/geometry/transforms.ts`
# The constants of value_range.ts, where they are explained.
_BULK: Final = 0.98
_WORTH_CUTTING: Final = 1.5
_LEAST_BULK: Final = 1e-5
_ONE_SLOPE: Final = 1e-3
_MOST_SLOPES: Final = 20_000
_STEPS: Final = {"ordered": "rank", "datetime": "day", "timedelta": "day"}
_NO_SLOPES: Final = "has levels without an order, so there is no slope from one to the next. Its ICE is shown instead."
_OF_LINES: Final = ("positions", "selected", "values", "opacity", "dot_opacity", "own_y", "target")
"""Arrays of `Lines` with a row for each line."""


@dataclass(frozen=True)
class Missing:
    """Predictions with the value missing, drawn next to the axis.

    `values` (n_lines,) and their mean are in the units of the lines; `count` observations lack the value, and the dots
    of the others have an `opacity`: one change of level away from any other.
    """

    values: Array
    mean: float
    count: int
    opacity: float


@dataclass(frozen=True)
class Lines:
    """The curves of one feature as one kind of picture draws them.

    - `kind`: levels without an order have no slopes: their ICE is drawn instead.
    - `coloring`: what the colours of the lines mean.
    - `axis`: places of the grid values, and how they are written.
    - `x` (n_points,): [feature]; a step curve repeats the ends of its intervals.
    - `values` (n_lines, n_points): [output], or [output / feature] for d-ICE.
    - `opacity` (n_lines, n_points - 1): of each segment, by the likelihood at its right end.
    - `dot_opacity` (n_lines, n_grid): of a dot at each grid value.
    - `mean` (n_points,): partial dependence as this kind of picture has it.
    - `own_y` (n_lines,): where each line is at the observed value; NaN where nothing is drawn next to the axis.
    - `missing`: what is drawn next to the axis.
    - `positions` (n_lines,): rows of X. `selected` (n_lines,): True for rows that are marked.
    - `anchored_at`: grid value at which c-ICE is 0 in all lines.
    - `n_bins`: of slopes, where the grid has more intervals.
    - `remark`: why another kind is drawn than was chosen, or how many curves extend beyond the axis.
    - `y_span`: what the value axis reaches over, where that is not what is drawn; `is_cut` where that leaves out the
      steepest slopes.
    - `target` (n_lines,): what was observed of each row, where it is to be seen; `target_text` is what this is called.
    - `group_means` (n_groups, n_points): mean of each level that colours lines, drawn instead of `mean`, where it is
      known of all rows: partial dependence of several models.
    - `ale` (2, n_values): accumulated local effects in the units of the lines, under places on the axis.
    - `unlike` (n_grid,): share of the curves whose phantom observation at each grid value is unlike 99 % of rows.
    """

    feature: str
    kind: Kind
    coloring: Coloring
    axis: DisplayAxis
    x: Array
    values: Array
    opacity: Array
    dot_opacity: Array
    mean: Array
    own_y: Array
    missing: Missing | None
    positions: Rows
    selected: Mask
    y_title: str = ""
    anchored_at: float | None = None
    n_bins: int | None = None
    remark: str | None = None
    y_span: tuple[float, float] | None = None
    is_cut: bool = False
    target: Array | None = None
    target_text: str = ""
    group_means: Array | None = None
    ale: Array | None = None
    unlike: Array | None = None

    def take(self, chosen: Mask) -> Lines:
        """Return some of the lines; mean and data are still those of all."""
        parts: dict[str, Any] = {name: getattr(self, name) for name in _OF_LINES}
        kept = {name: part[chosen] for name, part in parts.items() if part is not None}
        missing = self.missing and replace(self.missing, values=self.missing.values[chosen])
        coloring = replace(self.coloring, values=self.coloring.values[chosen])
        return replace(self, missing=missing, coloring=coloring, **kept)

    @property
    def grid(self) -> Array:
        """Places of the grid values, (n_grid,)."""
        return self.axis.grid

    @property
    def own_x(self) -> Array:
        """Observed value of each row, (n_lines,); NaN where it is missing."""
        return self.axis.observed[self.positions]

    @property
    def n_rows(self) -> int:
        """How many rows are drawn; several models have a line each."""
        return len(np.unique(self.positions))

    @property
    def on_levels(self) -> bool:
        """Whether the points are levels: dots, with nothing in between."""
        return self.axis.has_levels and self.kind != "d-ice"

    @property
    def x_title(self) -> str:
        """The feature, with the unit of durations."""
        return f"{self.feature} ({choose_unit(self.grid).name})" if self.axis.kind == "timedelta" else self.feature

    @property
    def x_domain(self) -> tuple[float, float]:
        """Range of the horizontal axis: the grid, or a little on either side of a single value."""
        low, high = float(self.grid[0]), float(self.grid[-1])
        if self.axis.has_levels:
            half = 0.5
        elif high == low:
            half = abs(low) * 0.1 or 0.5
        else:  # few values stand away from the edges of the plot, as levels do
            half = (high - low) * (0.12 if len(self.grid) == 2 else 0.05 if len(self.grid) <= 6 else 0.0)
        return low - half, high + half

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that lines could be drawn of: a single value has no slope."""
        return len(self.x) == 0

    @property
    def extent(self) -> tuple[float, float]:
        """Smallest and largest of everything drawn; from infinity to its opposite where that is nothing."""
        drawn = [self.values.ravel(), self.mean, self.own_y, *([] if self.ale is None else [self.ale[1]])]
        if self.missing is not None:
            drawn += [self.missing.values, np.array([self.missing.mean])]
        drawn += [part.ravel() for part in (self.group_means, self.target) if part is not None]
        finite = np.concatenate([part[np.isfinite(part)] for part in drawn])
        return float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf))

    @property
    def y_domain(self) -> tuple[float, float]:
        """Range of everything drawn; a flat picture gets room on either side."""
        low, high = self.extent if self.y_span is None else self.y_span
        if low > high:
            return -1.0, 1.0
        size = max(abs(low), abs(high))
        is_flat = high - low <= ROUNDING * size
        pad = (size * 0.05 or 0.5) if is_flat else (high - low) * 0.03
        return low - pad, high + pad

    @property
    def data_bars(self) -> tuple[Array, Array, Array, float]:
        """Both ends and the heights of the bars of the data, and the height of that of missing values; at most 1."""
        edges, counts = histogram(self.axis)
        n_missing = 0 if self.missing is None else self.missing.count
        tallest = max(1.0, float(counts.max(initial=0.0)), n_missing)
        gap = _LEVEL_GAP / 2 * np.diff(edges) if self.axis.has_levels else 0.0
        left, right = (np.clip(ends, *self.x_domain) for ends in (edges[:-1] + gap, edges[1:] - gap))
        return left, right, np.where(left < right, counts / tallest, 0.0), n_missing / tallest


def join_lines(parts: Sequence[Lines], coloring: Coloring) -> Lines:
    """Put the lines of several pictures of a feature into one with other colours; all else is that of the first."""
    arrays = {name: [getattr(part, name) for part in parts] for name in _OF_LINES}
    joined: dict[str, Any] = {name: np.concatenate(each) for name, each in arrays.items() if each[0] is not None}
    values, missing = [part.missing.values for part in parts if part.missing is not None], parts[0].missing
    missing = missing and replace(missing, values=np.concatenate(values))
    return replace(parts[0], missing=missing, coloring=coloring, **joined)


def lines_of(
    explanation: Explanation,
    feature: FeatureExplanation,
    state: ViewState,
    positions: Rows | None = None,
    *,
    split: Split = None,
    fades_unlike: bool = False,
) -> Lines:
    """Compute the lines of a feature as one kind of picture shows them; of some rows, or those that it draws.

    Lines have the colours of the sides of a `split`, if any. They fade by distance, and disappear where phantom
    observations are unlike 99 % of rows if `fades_unlike`.
    """
    axis = axis_of(feature)
    kind: Kind = "ice" if state.kind == "d-ice" and axis.is_unordered else state.kind
    positions = feature._draw(state.max_lines, state.selection) if positions is None else positions
    curves = feature.compute_curves(positions)
    fade = np.ones((len(positions), len(feature.axis)))
    if state.decay < 1:
        fade = _faded(feature.likelihood(state.decay, rows=positions))
    if state.decay < 1 and fades_unlike:
        fade = np.where(feature._are_unlike(positions), 0.0, fade)
    lines = Lines(
        feature=feature.label,
        kind=kind,
        coloring=coloring_of(explanation, state.color_by, positions, split),
        axis=axis,
        x=axis.grid,
        values=curves,
        opacity=fade[:, 1:],
        dot_opacity=fade,
        mean=feature.partial_dependence,
        own_y=feature._predictions(positions),
        missing=missing_of(feature, positions, state.decay),
        positions=positions,
        selected=np.isin(positions, state.selection),
        remark=None if kind == state.kind else f"{feature.label} {_NO_SLOPES}",
    )
    if kind == "c-ice":
        lines = _centred(lines, feature, state.anchor)
    elif kind == "d-ice":
        lines = _slopes(lines)
    if lines.missing is None:
        lines = replace(lines, own_y=np.where(np.isnan(lines.own_x), math.nan, lines.own_y))
    if len(lines.x) == 1 and not axis.has_levels:  # short dashes: there is no interval to draw a line over
        value = float(lines.x[0])
        reach = (abs(value) * 0.1 or 0.5) / 4
        parts: dict[str, Any] = {name: np.repeat(getattr(lines, name), 2, axis=-1) for name in ("values", "mean")}
        ends, solid = np.array([value - reach, value + reach]), np.ones((len(positions), 1))
        lines = replace(lines, x=ends, opacity=solid, **parts)
    return replace(lines, y_title=_y_title(explanation.output_label, lines))


def _faded(weights: Array) -> Array:
    return GHOST_OPACITY + (1 - GHOST_OPACITY) * weights


def missing_of(feature: FeatureExplanation, positions: Rows, decay: float = 1.0) -> Missing | None:
    """Predict with the value missing; None where no observation lacks it."""
    known = feature._missing_dependence
    if known is None:
        return None
    count = int(np.isnan(feature._item.feature.values).sum())
    return Missing(feature._missing_rows(positions), known[0], count, opacity=float(_faded(np.array(decay))))


def _centred(lines: Lines, feature: FeatureExplanation, anchor: AnchorName | float) -> Lines:
    curves, missing, index = lines.values, lines.missing, anchor_index(lines.grid, lines.axis.median, anchor)
    if index is not None:
        level, mean_level = curves[:, index], float(lines.mean[index])
        own_y, mean, anchored_at = lines.own_y - level, lines.mean - mean_level, float(lines.grid[index])
    else:
        level, anchored_at = feature._at_own_values(lines.positions, curves), None
        # A row that lacks the value has its own prediction beside the axis, not on its line.
        own_y = np.where(np.isnan(lines.own_x), lines.own_y - level, 0.0)
    centred = curves - level[:, None]
    if index is None:  # where each line is held elsewhere, the mean is that of the lines that are drawn
        mean = centred.mean(axis=0)
    if missing is not None:
        values = missing.values - level
        middle = float(values.mean()) if index is None else missing.mean - mean_level
        missing = replace(missing, values=values, mean=middle)
    return replace(lines, values=centred, mean=mean, own_y=own_y, missing=missing, anchored_at=anchored_at)


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
    return replace(
        lines,
        x=np.repeat(grid, 2)[1:-1],
        values=np.repeat(slopes, 2, axis=1),
        opacity=opacity,
        mean=np.repeat(np.diff(lines.mean[kept]) / np.diff(grid), 2),
        own_y=own_y,
        missing=None,
        n_bins=n_intervals if n_intervals < n_grid - 1 else None,
    )


def slope_ends(n_grid: int) -> Places:
    """Return the grid values between which slopes are drawn: the ends of 20 bins with equally many grid values.

    Between neighbouring values of a step function a slope is 0 or very steep, and lines of such slopes cover the plot.
    Metrics are computed from every slope.
    """
    if n_grid <= _SLOPE_BINS + 1:
        return np.arange(n_grid)
    return np.floor(np.arange(_SLOPE_BINS + 1) * (n_grid - 1) / _SLOPE_BINS + 0.5).astype(np.intp)


def _y_title(output: str, lines: Lines) -> str:
    if lines.kind == "ice":
        return output
    if lines.kind == "d-ice":
        return f"slope of the {output} per {_STEPS.get(lines.axis.kind, 'unit')}"
    at = lines.anchored_at
    start = "the observed value" if at is None else f"{lines.feature} = {place_writer(lines.axis)(at)}"
    return f"change of the {output} from {start}"


# --- ALE, and the range of slopes -------------------------------------------------------------------


def ale_line(feature: FeatureExplanation, lines: Lines) -> Array | None:
    """Return ALE at places on the axis, (2, n_values); None over slopes.

    On ICE, it is shifted to the mean prediction. On c-ICE, it is 0 at the anchor; where each curve is 0 at its observed
    value, its mean over the observations is 0.
    """
    if lines.kind == "d-ice":
        return None
    effects, anchor, shift = local_effects(feature), lines.anchored_at, 0.0
    grid, ale = effects.grid, effects.columns["ale"]
    if lines.kind == "ice":
        shift = effects.mean_prediction
    elif anchor is not None:  # undefined at a level beyond the grid
        is_off = lines.axis.is_unordered and anchor not in grid
        shift = math.nan if is_off else -float(np.interp(anchor, grid, ale))
    return np.stack([grid, ale + shift])


class SlopeRange(NamedTuple):
    """What the axis reaches over; whether it is cut to the bulk of the slopes, and lines that leave it on each side."""

    low: float
    high: float
    is_cut: bool = False
    above: int = 0
    below: int = 0


def slope_range(x: Array, values: Array, extent: tuple[float, float]) -> SlopeRange:
    """Choose what the axis of slopes reaches over: 98 % of their length and 0, or all where these are little more.

    `x` has both ends of each interval, `values` (n_lines, 2 · n_intervals) each slope twice, and `extent` is the
    smallest and the largest of all that is drawn.
    """
    low, high = extent
    if high - low < _ONE_SLOPE * max(-low, high):
        return SlopeRange(min(0.0, low), max(0.0, high))
    first, last = _bulk_of(x, values)
    if not _LEAST_BULK * (high - low) <= last - first <= (high - low) / _WORTH_CUTTING or first == last:
        return SlopeRange(low, high)
    leaving = (values > last).any(axis=1).sum(), (values < first).any(axis=1).sum()
    return SlopeRange(first, last, is_cut=True, above=int(leaving[0]), below=int(leaving[1]))


def _bulk_of(x: Array, values: Array) -> tuple[float, float]:
    """Return the narrowest interval from the lower to the upper tail of the slopes, 0 within it."""
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

    return min(0.0, reach(order)), max(0.0, reach(order[::-1]))


def leaving_text(drawn: SlopeRange, extent: tuple[float, float], n_lines: int) -> str | None:
    """Return the remark on curves beyond the axis, worded as in the browser; None if all curves fit."""
    if not drawn.is_cut:
        return None
    sides = ((drawn.above, "above", "up", extent[1]), (drawn.below, "below", "down", extent[0]))
    texts = [(count, side, f"({way} to {number_text(end)})") for count, side, way, end in sides if count > 0]
    count, side, end = texts[0]
    verb = "extends" if count == 1 else "extend"
    first = f"{count:,} of {counted(n_lines, 'curve')} {verb} {side} the axis {end}"
    return ", ".join([first, *(f"{count:,} {side} {end}" for count, side, end in texts[1:])]) + "."
