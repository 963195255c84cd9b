r"""Sums over all pairs of observed values and grid values under :math:`e^{-a|v - x|/s}`, for one s.

With both sorted, the sum over the observed values below a grid value is a running one, which shrinks by
:math:`e^{-a\cdot gap/s}` from one value to the next. That is one pass along the axis and one back for each a, in place
of a look at every pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_CHUNK = 1 << 15  # values times decays worked on at a time, so that they stay in the cache
_MOST_EXPONENT = 64.0  # of e^{a·value}, which loses so many units of the last place
_MOST_GROWTH = 30.0  # beyond it: exponents over which terms are multiples of that of one value, then written anew


def pair_sums(
    own: tuple[Array, Array], others: tuple[Array, Array], exponents: Array, nearest: float, *, compiled: bool
) -> Array:
    """Sum weights[i] · shares[k] · e^{-a(distance - nearest)} over all i and k.

    - `own` (n_own,) each: observed values in likelihood scales, increasing, and their weights.
    - `others`: grid values (n_others,) in likelihood scales, increasing, and their shares (n_others, n_channels).
    - `exponents` (n_decays,): a = -ln(decay).
    - `nearest`: no more than the distance of any pair.
    - `compiled`: whether the compiled kernel is used.
    - returns (n_decays, n_channels).
    """
    (values, weights), (ends, shares) = own, others
    middle = (values[0] + values[-1]) / 2
    reach = max(farthest(values, middle), farthest(ends, middle)) + nearest
    is_far = exponents * reach > _MOST_EXPONENT
    found = np.empty((len(exponents), shares.shape[1]))
    if is_far.any():
        from_right = (-values[::-1], weights[::-1]), (-ends[::-1], shares[::-1])
        found[is_far] = _from_left(own, others, "right", exponents[is_far], nearest)
        found[is_far] += _from_left(*from_right, "left", exponents[is_far], nearest)
    below = values.searchsorted(ends, side="right")
    centred = (values - middle, weights), (ends - middle, np.ascontiguousarray(shares))
    found[~is_far] = _near(*centred, below, exponents[~is_far], nearest, compiled=compiled)
    return found


def farthest(values: Array, middle: float = 0.0) -> float:
    """Return how far from the middle increasing values reach."""
    return max(abs(float(values[0]) - middle), abs(float(values[-1]) - middle))


def _near(
    own: tuple[Array, Array],
    others: tuple[Array, Array],
    below: NDArray[np.intp],
    exponents: Array,
    nearest: float,
    *,
    compiled: bool,
) -> Array:
    """Do the same where e^{a·value} is a number, for both sides at once; `below` values are not above each end."""
    (values, weights), (ends, shares) = own, others
    if compiled:
        from ice_explorer.metrics.decay_sums_numba import near_sums

        return np.asarray(near_sums(values, weights, ends, shares, below, exponents, nearest))
    found = np.empty((len(exponents), shares.shape[1]))
    size = max(1, _CHUNK // len(values))
    for start in range(0, len(exponents), size):
        a = exponents[start : start + size, None]
        growth, of_ends = np.exp(a * values), np.exp(a * ends)
        sums = np.zeros((2, len(a), len(values) + 1))
        np.cumsum(weights * growth, axis=1, out=sums[0, :, 1:])
        np.cumsum((weights / growth)[:, ::-1], axis=1, out=sums[1, :, 1:])
        likely = sums[0][:, below] / of_ends + sums[1][:, len(values) - below] * of_ends
        found[start : start + size] = (likely * np.exp(a * nearest)) @ shares
    return found


def _from_left(
    own: tuple[Array, Array],
    others: tuple[Array, Array],
    side: Literal["left", "right"],
    exponents: Array,
    nearest: float,
) -> Array:
    """Sum pairs whose observed value is the left one; equal ones count where `side` is "right"."""
    (values, weights), (ends, shares) = own, others
    below = np.searchsorted(values, ends, side=side)
    met = below > 0
    ends, shares, below = ends[met] - nearest, shares[met], below[met]
    found = np.empty((len(exponents), shares.shape[1]))
    for at, exponent in enumerate(exponents):
        sums = _sums_so_far(values, weights, exponent)[below - 1]
        found[at] = sums * np.exp(-exponent * np.maximum(ends - values[below - 1], 0.0)) @ shares
    return found


def _sums_so_far(values: Array, weights: Array, exponent: float) -> Array:
    """Sum the weights of each value and those before it, times e^{-a·distance} from it."""
    reach = _MOST_GROWTH / exponent if exponent > 0 else np.inf
    sums = np.empty(len(values))
    start, before = 0, 0.0
    while start < len(values):
        stop = int(np.searchsorted(values, values[start] + reach, side="right"))
        growth = np.exp(exponent * (values[start:stop] - values[start]))
        if start > 0:
            before = sums[start - 1] * np.exp(-exponent * (values[start] - values[start - 1]))
        sums[start:stop] = (before + np.cumsum(weights[start:stop] * growth)) / growth
        start = stop
    return sums
