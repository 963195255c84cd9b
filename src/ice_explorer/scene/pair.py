"""The heat map of two features: the partial dependence on both, and where data are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.beyond.two_way import SEPARATE
from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import number_text
from ice_explorer.scene.coloring import Coloring
from ice_explorer.scene.display_axis import display_axis
from ice_explorer.scene.palette import diverging_palette, is_diverging, ramp_palette

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Rows
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.display_axis import DisplayAxis
    from ice_explorer.scene.view_state import ViewState


_FLAT: Final = 1e-6  # share of the values below which their range is the rounding of float32 in the browser


@dataclass(frozen=True)
class PairAxis:
    """One of two features.

    Attributes
    ----------
    bounds : ndarray of shape (n_grid + 1,)
        Of the cells around its values.
    observed : ndarray of shape (n_rows,)
        Places of the observations that are drawn.
    is_separate : bool
        Whether values are levels, or true and false, with nothing between them.
    """

    label: str
    axis: DisplayAxis
    bounds: Array
    observed: Array
    is_separate: bool


@dataclass(frozen=True)
class Pair:
    """What a heat map shows.

    Attributes
    ----------
    values : ndarray of shape (n_first, n_second)
        Mean predictions.
    near : ndarray of shape (n_first, n_second)
        Observations near; where there are none, the cell is hatched.
    coloring : Coloring
        What the colours mean; its values are those of the cells, row by row.
    """

    first: PairAxis
    second: PairAxis
    values: Array
    near: Rows
    coloring: Coloring
    output: str
    row_count: str

    @property
    def heading(self) -> str:
        """What the heat map is of."""
        return f"{self.first.label} × {self.second.label}"

    @property
    def sentence(self) -> str:
        """The same in a sentence."""
        return f"Mean {self.output} with {self.first.label} and {self.second.label} replaced, over {self.row_count}."


def pair_of(explanation: Explanation, state: ViewState) -> Pair | None:
    """Compute the heat map that a view has in place of the curves of its feature; None where it has none."""
    names = state.choice("pair")
    if state.feature not in names:
        return None
    return heat_map(explanation, state.besides.joint.pair(explanation, *names))


def heat_map(explanation: Explanation, two: TwoWay) -> Pair:
    """Lay out the partial dependence on two features."""
    values = two.partial_dependence
    domain = _domain(values)
    shares = (values.ravel() - domain[0]) / (domain[1] - domain[0])
    coloring = Coloring(
        explanation.output_label,
        diverging_palette() if is_diverging(domain) else ramp_palette(),
        shares.astype(np.float32),
        domain=domain,
        ends=(number_text(domain[0]), number_text(domain[1])),
    )
    axes = (_axis(two, is_first=True), _axis(two, is_first=False))
    is_whole = len(two.row_positions) == two.n_observations
    rows = counted(two.n_observations, "row") if is_whole else two.row_count
    return Pair(*axes, values, two.near, coloring, explanation.output_label, rows)


def _axis(two: TwoWay, *, is_first: bool) -> PairAxis:
    feature, places = two._axes[0 if is_first else 1]
    axis, is_separate = display_axis(feature, places), feature.kind in SEPARATE
    grid = axis.grid
    half = 0.5 if is_separate else 0.0 if len(grid) > 1 else abs(float(grid[0])) * 0.1 or 0.5
    bounds = np.concatenate([[grid[0] - half], (grid[1:] + grid[:-1]) / 2, [grid[-1] + half]])
    return PairAxis(feature.label, axis, bounds, axis.observed[two.row_positions], is_separate)


def _domain(values: Array) -> tuple[float, float]:
    """Return the values at the ends of the colours; where there are both signs, 0 is in the middle."""
    low, high = float(values.min()), float(values.max())
    most = max(abs(low), abs(high))
    if most == 0 or high - low <= _FLAT * most:
        pad = most * 0.05 or 0.5
        return low - pad, high + pad
    return (-most, most) if low < 0 < high else (low, high)
