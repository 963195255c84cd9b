r"""What the figures of a feature with an order are made of: differences of its curves between grid values.

Notation: grid v_1 < … < v_K, curves C[i,k], σ the standard deviation of the feature, L[i,k] the likelihood (Eq. 3 of
Yeh & Ngo 2021, arXiv:2109.02724). In both conventions every figure follows from changes

    D[i,k] = σ (C[i,r_k] - C[i,l_k]) / (v_{r_k} - v_{l_k})

with weights p_k that sum to 1, and from likelihoods at the two ends of each:

- "step": a window of length σ around each grid value, moved inside the axis; its ends are the grid values just outside.
  p_k is the share of the observations whose value is nearest to v_k. Both ends count half.
- "paper": slopes between neighbours, l_k = k - 1 and r_k = k, each counting alike, the first one twice, as the authors'
  code computed the printed tables. The right end counts; of the copy of the first slope the left end.

A curve that is constant between *active* intervals has one value on each stretch between them, so that all windows
with ends on the same two stretches share one difference: they are one group.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Places


Ends = tuple["Places", "Places", "Array"]
Convention = Literal["step", "paper"]
CONVENTIONS: Final[tuple[Convention, ...]] = ("step", "paper")
TOLERANCE: Final = 1e-9
"""Share of a length below which two distances are the same but for rounding."""


class Windows:
    """The windows of one convention, and groups of those with ends on the same two stretches.

    - `left`, `right` (n_windows,): grid values at the ends, l_k and r_k.
    - `ratios`, `shares` (n_windows,): c_k = σ / (v_{r_k} - v_{l_k}), and p_k.
    - `left_shares` (n_windows,): how much the left end counts in the likelihood; the right end has the rest of 1.
    - `group` (n_windows,): number of the group, or -1 where the curve cannot change or p_k is 0.
    - `stretches` (2, n_groups): those at the left and the right ends of a group.
    - `factors`, `weights` (n_groups,): Σ p_k c_k, what a group adds to a figure per unit of its difference, and Σ p_k.
    - `order`: the windows of groups, group by group, c_k increasing within each.
    - `starts` (n_groups + 1,): where each group begins in `order`.
    - `variance_divisor`: divides the variance along a curve (non-linearity of "paper"); 0: the mean absolute deviation
      is taken.
    - `n_grid`.
    """

    def __init__(
        self,
        grid: Array,
        scale: float,
        active: Places,
        *,
        ends: tuple[Places, Places],
        shares: tuple[Array, Array],
        variance_divisor: float,
    ) -> None:
        (left, right), (of_windows, self.left_shares) = ends, shares
        stretch = np.searchsorted(active, np.arange(len(grid)))
        moving = np.flatnonzero((stretch[left] < stretch[right]) & (of_windows > 0))
        stretches = np.stack([stretch[left[moving]], stretch[right[moving]]])
        # Windows from left to right: those between the same two stretches are neighbors.
        is_first = np.ones(len(moving), np.bool_)
        is_first[1:] = (stretches[:, 1:] != stretches[:, :-1]).any(axis=0)
        first, of_moving = np.flatnonzero(is_first), np.cumsum(is_first) - 1
        with np.errstate(over="ignore"):  # refused with the curves
            ratios = np.divide(scale, grid[right] - grid[left], out=np.zeros(len(left)), where=left < right)
        if len(first) == 1 and len(moving) == len(left) and ratios.min() == ratios.max():
            of_windows = of_windows / of_windows.sum()  # D is the same everywhere, so that it deviates by exactly 0
        self.left, self.right, self.ratios, self.shares = left, right, ratios, of_windows
        self.group = np.full(len(left), -1)
        self.group[moving] = of_moving
        self.stretches = stretches[:, first]
        self.factors = np.bincount(of_moving, (of_windows * ratios)[moving], len(first)).astype(np.float64)
        self.weights = np.bincount(of_moving, of_windows[moving], len(first)).astype(np.float64)
        self.order = moving[np.lexsort((ratios[moving], of_moving))]
        self.starts = np.append(first, len(moving))
        self.variance_divisor, self.n_grid = variance_divisor, len(grid)

    @property
    def constant_share(self) -> float:
        """Total share Σ p_k of the windows in which the curve is constant."""
        return float(self.shares[self.group < 0].sum())

    def changes(self, stretches: Array) -> Array:
        """Differences of each group, (n_rows, n_groups), from curves (n_rows, n_stretches)."""
        return stretches[:, self.stretches[1]] - stretches[:, self.stretches[0]]

    def deviation(self, changes: Array) -> Array:
        """How much D deviates along each curve (Eq. 5), (n_rows,), from the differences (n_rows, n_groups)."""
        shares = self.shares[self.order]
        steps = changes.repeat(np.diff(self.starts), axis=1) * self.ratios[self.order]
        mean = steps @ shares
        deviations = steps - mean[:, None]
        if self.variance_divisor == 0:
            return np.asarray(np.abs(deviations) @ shares + self.constant_share * np.abs(mean))
        variance = np.square(deviations) @ shares + self.constant_share * np.square(mean)
        return np.asarray(np.sqrt(variance / self.variance_divisor))

    @cached_property
    def ends(self) -> tuple[Ends, Ends]:
        """Likelihoods in the numerator of Eq. 2, of left and of right ends: grid values, their groups, and weights."""
        moving = np.flatnonzero(self.group >= 0)
        group, of_windows = self.group[moving], (self.shares * self.ratios)[moving]
        from_left = of_windows * self.left_shares[moving]
        counts = from_left > 0
        left = self.left[moving[counts]], group[counts], from_left[counts]
        return left, (self.right[moving], group, of_windows - from_left)

    @cached_property
    def denominator_weights(self) -> Array:
        """Weight of the likelihood at each grid value in the denominator of Eq. 2, (n_grid,)."""
        from_left = self.shares * self.left_shares
        sides = (self.left, from_left), (self.right, self.shares - from_left)
        likely = np.sum([np.bincount(places, weights, self.n_grid) for places, weights in sides], axis=0)
        return np.asarray(likely, np.float64)

    @cached_property
    def deviation_terms(self) -> tuple[Any, ...]:
        """Arrays of Eq. 5 for the compiled function."""
        ratios, shares = self.ratios[self.order], self.shares[self.order]
        varied = np.flatnonzero(ratios[self.starts[:-1]] < ratios[self.starts[1:] - 1])
        of_groups = self.factors, self.weights, self.constant_share, self.starts
        return (*of_groups, ratios, shares, varied, self.variance_divisor)


def weights_on_grid(ends: Sequence[Ends], masses: Array, n_grid: int) -> Array:
    """Return how much the likelihood at each grid value counts, (n_rows, n_grid).

    - `ends`: see `Windows.ends`.
    - `masses` (n_rows, n_groups): w |Δ|.
    """
    on_grid = np.zeros((len(masses), n_grid))
    for places, groups, weights in ends:
        first = np.flatnonzero(np.diff(places, prepend=-1))  # several windows may have an end in one place
        if len(first):
            on_grid[:, places[first]] += np.add.reduceat(masses[:, groups] * weights, first, axis=1)
    return on_grid


def nearest_shares(grid: Array, values: Array, weights: Array | None) -> Array:
    """Weight of the observations nearest to each grid value, (n_grid,); ties are split in halves.

    - `values` (n_values,): increasing, none missing.
    - `weights` (n_values,): 1 by default.
    """
    middles, tolerance = grid[:-1] + np.diff(grid) / 2, TOLERANCE * np.diff(grid)
    ends = np.searchsorted(values, middles - tolerance, "left"), np.searchsorted(values, middles + tolerance, "right")
    cumulative = np.arange(len(values) + 1.0) if weights is None else np.append(0.0, np.cumsum(weights))
    below = (cumulative[ends[0]] + cumulative[ends[1]]) / 2.0
    return np.diff(below, prepend=0.0, append=cumulative[-1])


def nearest_places(grid: Array, values: Array) -> tuple[Places, Places]:
    """Grid value that is nearest to each value, none missing, twice; two grid values where both are as near."""
    middles, tolerance = grid[:-1] + np.diff(grid) / 2, TOLERANCE * np.diff(grid)
    return np.searchsorted(middles + tolerance, values, "left"), np.searchsorted(middles - tolerance, values, "right")


def make_windows(grid: Array, shares: Array, scale: float, active: Places, convention: Convention) -> Windows:
    """Return the windows of a convention; no window for a grid of one value, or a feature without spread.

    - `shares` (n_grid,): p_k of "step", up to a factor.
    - `scale`: σ.
    - `active` (n_active,): intervals in which curves can change.
    """
    n_grid = len(grid)
    nothing, variance_divisor = np.empty(0, np.intp), 0.0
    if n_grid < 2 or scale == 0:
        ends, of_windows, left_shares = (nothing, nothing), np.empty(0), np.empty(0)
    elif convention == "step":
        ends, of_windows, left_shares = _step_ends(grid, scale), shares / shares.sum(), np.full(n_grid, 0.5)
    else:
        ends, variance_divisor = (np.arange(n_grid - 1), np.arange(1, n_grid)), 1.0 - 1.0 / n_grid
        of_windows, left_shares = np.full(n_grid - 1, 1.0 / n_grid), np.zeros(n_grid - 1)
        of_windows[0], left_shares[0] = 2.0 / n_grid, 0.5
    return Windows(grid, scale, active, ends=ends, shares=(of_windows, left_shares), variance_divisor=variance_divisor)


def _step_ends(grid: Array, scale: float) -> tuple[Places, Places]:
    """Return l_k and r_k: the grid values just outside a stretch of length σ around v_k, moved inside the axis."""
    length = min(scale, grid[-1] - grid[0])
    tolerance = TOLERANCE * length
    start = np.clip(grid - length / 2.0, grid[0], grid[-1] - length)
    left = np.searchsorted(grid, start + tolerance, "right") - 1
    right = np.searchsorted(grid, start + length - tolerance, "left")
    return left, np.minimum(right, len(grid) - 1)
