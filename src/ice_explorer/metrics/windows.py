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

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Places = NDArray[np.int64]

Convention = Literal["step", "paper"]
CONVENTIONS: Final[tuple[Convention, ...]] = ("step", "paper")
TOLERANCE: Final = 1e-9
"""Share of a length below which two distances are the same but for rounding."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Likelihoods that the windows of each group count with, on one side: left ends, or right ends.

    - `places` (n_ends,): grid values, increasing within a group and from group to group.
    - `weights` (n_ends,): Σ p_k σ / (v_{r_k} - v_{l_k}) of the windows that end there, times the share of this side.
    - `starts` (n_groups + 1,): where the ends of each group begin.
    """

    places: Places
    weights: Array
    starts: Places


_NO_ENDS: Final = Ends(np.empty(0, np.int64), np.empty(0), np.zeros(1, np.int64))


@dataclass(frozen=True, eq=False)
class Windows:
    """The differences of one convention, in groups of those with ends on the same two stretches.

    - `left`, `right` (n_groups,): stretches.
    - `factors` (n_groups,): Σ p_k c_k with c_k = σ / (v_{r_k} - v_{l_k}): what a group brings to a figure per unit of
      its difference.
    - `shares` (n_groups,): Σ p_k.
    - `still`: Σ p_k of windows within one stretch, where nothing changes.
    - `starts` (n_groups + 1,), `ratios`, `ratio_shares`: c_k and p_k of the windows of each group, c_k increasing.
    - `ends`: of the left and the right side.
    - `likely` (n_grid,): weight of the likelihood at each grid value in the denominator of Eq. 2.
    - `variance_divisor`: what the variance along a curve is divided by (non-linearity of "paper"); 0: the mean absolute
      deviation is taken.
    """

    left: Places
    right: Places
    factors: Array
    shares: Array
    still: float
    starts: Places
    ratios: Array
    ratio_shares: Array
    ends: tuple[Ends, Ends]
    likely: Array
    variance_divisor: float

    def deviation(self, changes: Array) -> Array:
        """How much D deviates along each curve (Eq. 5), (n_rows,), from the differences (n_rows, n_groups)."""
        steps = changes.repeat(np.diff(self.starts), axis=1) * self.ratios
        mean = steps @ self.ratio_shares
        apart = steps - mean[:, None]
        if self.variance_divisor == 0:
            return np.asarray(np.abs(apart) @ self.ratio_shares + self.still * np.abs(mean))
        variance = np.square(apart) @ self.ratio_shares + self.still * np.square(mean)
        return np.asarray(np.sqrt(variance / self.variance_divisor))

    def likelihoods(self, likely: Array) -> Array:
        """Sum likelihoods at grid values, (…, n_grid), over the ends of each group, (…, n_groups)."""
        found = np.zeros((*likely.shape[:-1], len(self.left)))
        for ends in self.ends:
            if len(ends.places):
                found += np.add.reduceat(likely[..., ends.places] * ends.weights, ends.starts[:-1], axis=-1)
        return found

    def at_places(self, changes: Array) -> Array:
        """Weight of the likelihood at each grid value in the numerator of Eq. 2, for rows of equal |Δ| (n_groups,)."""
        found = np.zeros(len(self.likely))
        for ends in self.ends:
            if len(ends.places):
                weights = ends.weights * changes.repeat(np.diff(ends.starts))
                found += np.bincount(ends.places, weights, len(found))
        return found

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What the compiled fold reads."""
        first, last = self.starts[:-1], self.starts[1:] - 1
        wide = np.flatnonzero(self.ratios[first] < self.ratios[last])
        along = (
            self.factors, self.shares, self.still, self.starts, self.ratios, self.ratio_shares, wide,
            self.variance_divisor,
        )  # fmt: skip
        left, right = ((ends.places, ends.weights, ends.starts) for ends in self.ends)
        return self.left, self.right, along, left, right


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


def nearest_places(grid: Array, values: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Grid value that is nearest to each value, none missing, twice; two grid values where both are as near."""
    middles, tolerance = grid[:-1] + np.diff(grid) / 2, TOLERANCE * np.diff(grid)
    return np.searchsorted(middles + tolerance, values, "left"), np.searchsorted(middles - tolerance, values, "right")


def windows_of(grid: Array, shares: Array, scale: float, active: NDArray[np.intp]) -> dict[Convention, Windows]:
    """Return the windows of both conventions; none for a grid of one value, or a feature without spread.

    - `shares` (n_grid,): p_k, up to a factor.
    - `scale`: σ.
    - `active` (n_active,): intervals in which curves can change.
    """
    if len(grid) < 2 or scale == 0:
        return {}
    return {"step": _step(grid, shares / shares.sum(), scale, active), "paper": _paper(grid, scale, active)}


def _step(grid: Array, shares: Array, scale: float, active: NDArray[np.intp]) -> Windows:
    left, right = window_ends(grid, scale)
    stretch = np.searchsorted(active, np.arange(len(grid)))
    likely = (np.bincount(left, shares, len(grid)) + np.bincount(right, shares, len(grid))) / 2.0
    moving = (stretch[left] < stretch[right]) & (shares > 0)
    still = float(shares[~moving].sum())
    left, right, shares = left[moving], right[moving], shares[moving]
    stretches = np.column_stack([stretch[left], stretch[right]])
    is_first = np.ones(len(left), np.bool_)
    is_first[1:] = (stretches[1:] != stretches[:-1]).any(axis=1)
    first = np.flatnonzero(is_first)
    group, starts = np.cumsum(is_first) - 1, np.append(first, len(left))
    ratios = scale / (grid[right] - grid[left])
    order = np.lexsort((ratios, group))
    if len(first) == 1 and ratios.min() == ratios.max() and moving.all():
        shares = shares / shares.sum()  # D is the same everywhere, so that it deviates by exactly 0
    return Windows(
        left=stretches[first, 0],
        right=stretches[first, 1],
        factors=np.bincount(group, shares * ratios, len(first)).astype(np.float64),
        shares=np.bincount(group, shares, len(first)).astype(np.float64),
        still=still,
        starts=starts,
        ratios=ratios[order],
        ratio_shares=shares[order],
        ends=(_ends(left, group, shares * ratios / 2.0), _ends(right, group, shares * ratios / 2.0)),
        likely=likely,
        variance_divisor=0.0,
    )


def window_ends(grid: Array, scale: float) -> tuple[Places, Places]:
    """Return l_k and r_k: the grid values just outside a stretch of length σ around v_k, moved inside the axis."""
    length = min(scale, grid[-1] - grid[0])
    tolerance = TOLERANCE * length
    start = np.clip(grid - length / 2.0, grid[0], grid[-1] - length)
    left = np.searchsorted(grid, start + tolerance, "right") - 1
    right = np.searchsorted(grid, start + length - tolerance, "left")
    return left, np.minimum(right, len(grid) - 1)


def _ends(places: Places, group: Places, weights: Array) -> Ends:
    """Merge the ends of one group that lie at the same grid value."""
    is_first = np.ones(len(places), np.bool_)
    is_first[1:] = (places[1:] != places[:-1]) | (group[1:] != group[:-1])
    first = np.flatnonzero(is_first)
    if not len(first):
        return Ends(places, weights, np.zeros(1, np.int64))
    starts = np.searchsorted(group[first], np.arange(group[-1] + 2))
    return Ends(places[first], np.add.reduceat(weights, first), starts)


def _with_first(ends: Ends, active: NDArray[np.intp]) -> Ends:
    """Add the left end of the first interval, if curves can change there: that of the copy of its slope."""
    if not len(active) or active[0] > 0:
        return ends
    starts = ends.starts + 1
    starts[0] = 0
    return Ends(np.append(0, ends.places), np.append(ends.weights[:1], ends.weights), starts)


def _paper(grid: Array, scale: float, active: NDArray[np.intp]) -> Windows:
    n_grid, n_active = len(grid), len(active)
    shares = np.where(active == 0, 2.0, 1.0) / n_grid
    with np.errstate(over="ignore"):  # refused with the curves
        ratios = scale / np.diff(grid)[active]
    groups = np.arange(n_active)
    return Windows(
        left=groups,
        right=groups + 1,
        factors=shares * ratios,
        shares=shares,
        still=(n_grid - n_active - (n_active > 0 and active[0] == 0)) / n_grid,
        starts=np.arange(n_active + 1),
        ratios=ratios,
        ratio_shares=shares,
        ends=(_NO_ENDS, _with_first(_ends(active + 1, groups, ratios / n_grid), active)),
        likely=np.full(n_grid, 1.0 / n_grid),
        variance_divisor=1.0 - 1.0 / n_grid,
    )
