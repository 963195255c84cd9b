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
MOST_GROWTH = 30.0
"""Exponents over which terms are added up as multiples of that of one value, before they are written anew."""


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
    from_right = (-values[::-1], weights[::-1]), (-ends[::-1], shares[::-1])
    return _from_left(own, others, "right", exponents, nearest, compiled=compiled) + _from_left(
        *from_right, "left", exponents, nearest, compiled=compiled
    )


def _from_left(
    own: tuple[Array, Array],
    others: tuple[Array, Array],
    side: Literal["left", "right"],
    exponents: Array,
    nearest: float,
    *,
    compiled: bool,
) -> Array:
    """Sum pairs whose observed value is the left one; equal ones count where `side` is "right"."""
    (values, weights), (ends, shares) = own, others
    below = np.searchsorted(values, ends, side=side)
    met = below > 0
    ends, shares, below = ends[met] - nearest, shares[met], below[met]
    if compiled:
        from ice_explorer.metrics.decay_sums_numba import running_sums

        sums = running_sums(values, weights, ends, np.ascontiguousarray(shares), below, exponents, MOST_GROWTH)
        return np.asarray(sums)
    found = np.zeros((len(exponents), shares.shape[1]))
    reach = float(values[-1] - values[0])
    is_far = exponents * reach > MOST_GROWTH
    for at in np.flatnonzero(is_far):
        sums = _sums_so_far(values, weights, exponents[at])[below - 1]
        found[at] = sums * np.exp(-exponents[at] * np.maximum(ends - values[below - 1], 0.0)) @ shares
    near, size = np.flatnonzero(~is_far), max(1, _CHUNK // len(values))
    for start in range(0, len(near), size):
        some = near[start : start + size]
        growth = np.exp(exponents[some, None] * (values - values[0]))
        sums = np.cumsum(weights * growth, axis=1)[:, below - 1] / growth[:, below - 1]
        found[some] = sums * np.exp(-exponents[some, None] * np.maximum(ends - values[below - 1], 0.0)) @ shares
    return found


def _sums_so_far(values: Array, weights: Array, exponent: float) -> Array:
    """Sum the weights of each value and those before it, times e^{-a·distance} from it."""
    reach = MOST_GROWTH / exponent if exponent > 0 else np.inf
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
