"""The curves of one feature as one kind of picture draws them, as plain arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.features.axis_text import axis_number, writer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.results.options import Kind
    from ice_explorer.scene.display_axis import DisplayAxis

# Differences below this share of the values are rounding, not a picture.
ROUNDING: Final = 1e-9
_LEVEL_GAP: Final = 0.36  # share of a level's room that its bar of the data leaves free


EffectName = Literal["ale", "m_plot"]
# Arrays of `Lines` with a row for each line.
_OF_LINES: Final = ("positions", "selected", "values", "opacity", "dot_opacity", "own_x", "own_y", "target")


def join_lines(parts: Sequence[Lines]) -> Lines:
    """Put the lines of several pictures of a feature into one; all else is that of the first."""
    arrays = {name: [getattr(part, name) for part in parts] for name in _OF_LINES}
    joined: dict[str, Any] = {name: np.concatenate(each) for name, each in arrays.items() if each[0] is not None}
    missing = [part.missing.values for part in parts if part.missing is not None]
    return replace(
        parts[0], missing=parts[0].missing and replace(parts[0].missing, values=np.concatenate(missing)), **joined
    )


@dataclass(frozen=True, eq=False)
class EffectLine:
    """An effect in the units of the lines that it is drawn over, at places on the axis (n_values,)."""

    name: EffectName
    x: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Missing:
    """Predictions with the value missing, drawn next to the axis.

    `values` (n_lines,), their mean and the ends of their band are in the units of the lines; `count` observations lack
    the value, and the dots of the others have an `opacity`: one change of level away from any other.
    """

    values: NDArray[np.float64]
    mean: float
    band: tuple[float, float]
    count: int
    opacity: float


@dataclass(frozen=True)
class Lines:
    """The curves of one feature as one kind of picture draws them.

    - `kind`: levels without an order have no slopes: their ICE is drawn instead.
    - `axis`: places of the grid values, and how they are written.
    - `x` (n_points,): [feature]; a step curve repeats the ends of its intervals.
    - `values` (n_lines, n_points): [output], or [output / feature] for d-ICE.
    - `opacity` (n_lines, n_points - 1): of each segment, by the likelihood at its right end.
    - `dot_opacity` (n_lines, n_grid): of a dot at each grid value.
    - `mean`, `spread` (n_points,): partial dependence as this kind of picture has it, and the standard deviation of the
      lines.
    - `band` (2, n_points): what is shaded around the mean: one standard deviation to either side, or with
      `has_quantile_band` the middle 68 % of the curves, as for probabilities, which mean ± SD would let leave [0, 1].
    - `own_x`, `own_y` (n_lines,): observed value of the row and where its line is there; x is NaN where the value is
      missing, and y, too, where nothing is drawn next to the axis.
    - `missing`: what is drawn next to the axis.
    - `positions` (n_lines,): rows of X. `selected` (n_lines,): True for rows that are marked.
    - `histogram_edges`, `histogram_counts`: where the data are.
    - `anchored_at`: grid value at which c-ICE is 0 in all lines.
    - `prediction_span`: largest minus smallest prediction of the feature, which c-ICE is measured against.
    - `remark`: why another kind is drawn than was chosen, or how many curves extend beyond the axis.
    - `y_span`: what the value axis reaches over, where that is not what is drawn; `is_cut` where that leaves out the
      steepest slopes.
    - `target` (n_lines,): what was observed of each row, where it is to be seen; `target_text` is what this is called.
    - `has_rug`: whether there are ticks at the observed values of the rows.
    - `has_mean`: whether the mean and its band are drawn.
    - `group_means` (n_groups, n_points): mean of each level that colours lines, where it is known of all rows: partial
      dependence of several models.
    - `effects`: drawn next to them.
    - `unlike` (n_grid,): share of the curves whose phantom observation at each grid value is unlike 99 % of rows.
    - `distance`: what distances from the observed value are measured in, as the option `distance` names it.
    - `notes`: what a reader chose to be told of the feature.
    """

    feature: str
    kind: Kind
    axis: DisplayAxis
    x: NDArray[np.float64]
    values: NDArray[np.float64]
    opacity: NDArray[np.float64]
    dot_opacity: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    band: NDArray[np.float64]
    has_quantile_band: bool
    own_x: NDArray[np.float64]
    own_y: NDArray[np.float64]
    missing: Missing | None
    positions: NDArray[np.int64]
    selected: NDArray[np.bool_]
    histogram_edges: NDArray[np.float64]
    histogram_counts: NDArray[np.float64]
    x_title: str
    y_title: str = ""
    anchored_at: float | None = None
    prediction_span: float | None = None
    remark: str | None = None
    y_span: tuple[float, float] | None = None
    is_cut: bool = False
    target: NDArray[np.float64] | None = None
    target_text: str = ""
    has_rug: bool = False
    has_mean: bool = True
    group_means: NDArray[np.float64] | None = None
    effects: tuple[EffectLine, ...] = ()
    unlike: NDArray[np.float64] | None = None
    distance: str = "marginal"
    notes: tuple[str, ...] = ()

    def some(self, chosen: NDArray[np.bool_]) -> Lines:
        """Return some of the lines; mean, band and data are still those of all."""
        parts: dict[str, Any] = {name: getattr(self, name) for name in _OF_LINES}
        kept = {name: part[chosen] for name, part in parts.items() if part is not None}
        missing = self.missing and replace(self.missing, values=self.missing.values[chosen])
        return replace(self, missing=missing, **kept)

    @property
    def grid(self) -> NDArray[np.float64]:
        """Places of the grid values, (n_grid,)."""
        return self.axis.grid

    @property
    def n_rows(self) -> int:
        """How many rows are drawn; several models have a line each."""
        return len(np.unique(self.positions))

    @property
    def on_levels(self) -> bool:
        """Whether the points are levels: dots, with nothing in between."""
        return self.axis.has_levels and self.kind != "d-ice"

    @property
    def write(self) -> Callable[[float], str]:
        """How a value of the feature is written."""
        return writer(self.axis.kind, self.grid, self.axis.levels, axis_number(self.grid), self.axis.clock)

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
        drawn = [self.values.ravel(), self.mean, self.own_y]
        if self.missing is not None:
            drawn += [self.missing.values, np.array([self.missing.mean])]
        drawn += [effect.values for effect in self.effects]
        if self.group_means is not None:
            drawn.append(self.group_means.ravel())
        if self.target is not None:
            drawn.append(self.target)
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
    def data_bars(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
        """Both ends and the heights of the bars of the data, and the height of that of missing values; at most 1."""
        counts, edges, n_missing = (
            self.histogram_counts,
            self.histogram_edges,
            0 if self.missing is None else self.missing.count,
        )
        tallest = max(1.0, float(counts.max(initial=0.0)), n_missing)
        gap = _LEVEL_GAP / 2 * np.diff(edges) if self.axis.has_levels else 0.0
        left, right = (np.clip(ends, *self.x_domain) for ends in (edges[:-1] + gap, edges[1:] - gap))
        return left, right, np.where(left < right, counts / tallest, 0.0), n_missing / tallest

    @property
    def spread_heights(self) -> NDArray[np.float64]:
        """Standard deviation of the slopes at each point, as a share of the tallest that is drawn."""
        tallest = max(float(self.spread.max()), ROUNDING * float(np.abs(self.values).max(initial=0.0)))
        if self.is_cut:  # where a step is cut off above, its spread is cut off as well
            tallest = min(tallest, (self.y_domain[1] - self.y_domain[0]) / 2)
        return np.minimum(self.spread / (tallest or 1.0), 1.0)
