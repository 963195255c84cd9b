"""`FeatureSums.add` as one compiled pass over a block of rows, for engines that outrun NumPy.

Kernels at module level (cached on disk), releasing the interpreter lock. `FeatureSums.add` is the
reference: both must give the same sums, which a test holds them to.

Rows are worked on a few dozen at a time, so that their slopes stay in the cache from one sum to the
next. Slopes stand in rows of whole vectors, 0 where there is no interval, so that no loop is left
with a remainder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ice_explorer.metrics.decay_sums_numba import bucket_of
from ice_explorer.trees.margins_numba import ROWS_AT_A_TIME, curves_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import FeatureSums
    from ice_explorer.trees.curves import ToFold

    Array = NDArray[np.float64]

_NO_OWN = (
    np.empty(0), np.empty(0, np.int64), 0.0, 0.0, np.empty(0), np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)
)  # fmt: skip
_NO_BUCKETS = np.empty((0, 0))


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _find_extremes(columns, lowest, highest):
    """Lower and raise the extremes of each column; those of a whole row would be sought one by one."""
    for row in range(columns.shape[0]):
        values = columns[row]
        for at in range(lowest.shape[0]):
            lowest[at] = min(lowest[at], values[at])
            highest[at] = max(highest[at], values[at])


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _add_deviations(columns, weights, pivot, once, squared):
    """Add up w(x - pivot) and w(x - pivot)² of each column, four rows at a time."""
    n_fours = columns.shape[0] // 4 * 4
    for row in range(0, n_fours, 4):
        weight_0, weight_1, weight_2, weight_3 = weights[row], weights[row + 1], weights[row + 2], weights[row + 3]
        values_0, values_1, values_2, values_3 = columns[row], columns[row + 1], columns[row + 2], columns[row + 3]
        for at in range(pivot.shape[0]):
            apart_0 = values_0[at] - pivot[at]
            apart_1 = values_1[at] - pivot[at]
            apart_2 = values_2[at] - pivot[at]
            apart_3 = values_3[at] - pivot[at]
            weighted_0 = weight_0 * apart_0
            weighted_1 = weight_1 * apart_1
            weighted_2 = weight_2 * apart_2
            weighted_3 = weight_3 * apart_3
            once[at] += weighted_0 + weighted_1 + weighted_2 + weighted_3
            squared[at] += weighted_0 * apart_0 + weighted_1 * apart_1 + weighted_2 * apart_2 + weighted_3 * apart_3
    for row in range(n_fours, columns.shape[0]):
        values = columns[row]
        for at in range(pivot.shape[0]):
            apart = values[at] - pivot[at]
            weighted = weights[row] * apart
            once[at] += weighted
            squared[at] += weighted * apart


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _merge(total, block, pivot, once, squared, mean, squared_so_far):
    """Merge what `_add_deviations` made of a block into running means and squared deviations (Chan).

    The pivot is the mean of the heavier of the two, the rows before or the block, so that the
    difference of squares does not cancel beside what the shift of the mean brings.
    """
    for at in range(mean.shape[0]):
        beside = once[at] / block
        shift = pivot[at] - mean[at] + beside
        within = max(squared[at] - beside * beside * block, 0.0)
        squared_so_far[at] += within + shift * shift * (total * block / (total + block))
        mean[at] += shift * (block / (total + block))


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _mean_of(columns, weights, block, mean):
    """Write the weighted mean of each column of a block."""
    mean[:] = 0.0
    for row in range(columns.shape[0]):
        share = weights[row] / block
        values = columns[row]
        for at in range(mean.shape[0]):
            mean[at] += share * values[at]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _slopes_of(stretches, inverse_gaps, slopes):
    """Turn curves into slopes."""
    for row in range(stretches.shape[0]):
        values = stretches[row]
        of_row = slopes[row]
        for at in range(inverse_gaps.shape[0]):
            of_row[at] = (values[at + 1] - values[at]) * inverse_gaps[at]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _add_along(slopes, weights, u, elsewhere, divisor, along):
    """Add how much each curve's slope deviates along it, for the three conventions at once."""
    u_0, u_1, u_2 = u[0], u[1], u[2]
    for row in range(weights.shape[0]):
        values = slopes[row]
        mean_0 = mean_1 = mean_2 = 0.0
        for at in range(values.shape[0]):
            value = values[at]
            mean_0 += u_0[at] * value
            mean_1 += u_1[at] * value
            mean_2 += u_2[at] * value
        absolute = elsewhere[0] * abs(mean_0)
        variance_1 = elsewhere[1] * mean_1 * mean_1
        variance_2 = elsewhere[2] * mean_2 * mean_2
        for at in range(values.shape[0]):
            value = values[at]
            absolute += u_0[at] * abs(value - mean_0)
            apart = value - mean_1
            variance_1 += u_1[at] * apart * apart
            apart = value - mean_2
            variance_2 += u_2[at] * apart * apart
        weight = weights[row]
        along[0] += weight * absolute
        along[1] += weight * np.sqrt(variance_1 / divisor[1])
        along[2] += weight * np.sqrt(variance_2 / divisor[2])


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _add_by_bucket(slopes, weights, observed, own, by_bucket):
    """Add weighted steepness, times Chebyshev polynomials of the observed value in its bucket."""
    edges, hints, origin, per_width, middle, inverse_half, first, count = own
    for row in range(weights.shape[0]):
        steepness = slopes[row]
        bucket = bucket_of(observed[row], edges, hints, origin, per_width)
        twice = 2.0 * (observed[row] - middle[bucket]) * inverse_half[bucket]
        before = 0.5 * twice * weights[row]  # T_{-1} = T_1
        now = weights[row]
        for moment in range(first[bucket], first[bucket] + count[bucket]):
            target = by_bucket[moment]
            for at in range(steepness.shape[0]):
                target[at] += now * steepness[at]
            before, now = now, twice * now - before


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _steepness_of(slopes, weights, slope_abs):
    """Turn slopes into steepness, and add it up."""
    for row in range(weights.shape[0]):
        weight = weights[row]
        values = slopes[row]
        for at in range(values.shape[0]):
            values[at] = abs(values[at])
            slope_abs[at] += weight * values[at]


@njit(nogil=True, cache=True, error_model="numpy")
def _add(stretches, jumps, rows, total, inverse_gaps, curves, slopes, steps, slope_abs, own, by_bucket):
    """Add a block of rows to all sums; return the extremes of the curves.

    Compiled twice: for curves, and for the jumps of a sweep, of which curves are made a few rows at a time.

    Parameters
    ----------
    stretches : float64 (n_rows, n_active + 1), or None
    jumps : `jumps`, `base`, `start` and `link` as `curves_of` takes them, or None
        In place of `stretches`; set back to 0.
    rows : observed values and weights, float64 (n_rows,) each
    total : float64
        Weight of the rows before.
    inverse_gaps : float64 (n_active,)
    curves, slopes : means and squared deviations, float64 (n_active + 1,) and (n_active,)
        Merged into.
    steps : u (3, n_active rounded up), and elsewhere, divisor, along (3,)
        As in `FeatureSums`, by convention. The last is added to.
    slope_abs : float64 (n_active,)
        Added to.
    own : as `ObservedValues.arrays`
    by_bucket : float64 (n_nodes, n_active rounded up)
        Added to; without columns where steepness is not kept by observed value.
    """
    observed, weights = rows
    u, elsewhere, divisor, along = steps
    n_rows, n_active = weights.shape[0], inverse_gaps.shape[0]
    n_stretches = n_active + 1
    scratch = np.zeros((min(n_rows, ROWS_AT_A_TIME), u.shape[1]))
    if jumps is not None:
        made = np.empty((scratch.shape[0], n_stretches))
    pivots = np.empty((2, n_stretches))
    once = np.empty((2, n_stretches))
    squared = np.empty((2, n_stretches))
    steepness = np.zeros(u.shape[1])
    lowest = np.full(n_stretches, np.inf)
    highest = np.full(n_stretches, -np.inf)
    for start in range(0, n_rows, ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, n_rows)
        of_some = weights[start:stop]
        if stretches is not None:
            some = stretches[start:stop]
        if jumps is not None:
            some = made[: stop - start]
            curves_of(jumps[0], jumps[1], jumps[2], start, jumps[3], some)
        weight = of_some.sum()
        if total >= weight:
            pivots[0] = curves[0]
            pivots[1, :n_active] = slopes[0]
        else:
            _mean_of(some, of_some, weight, pivots[0])
            for at in range(n_active):
                pivots[1, at] = (pivots[0, at + 1] - pivots[0, at]) * inverse_gaps[at]
        once[:] = 0.0
        squared[:] = 0.0
        _find_extremes(some, lowest, highest)
        _add_deviations(some, of_some, pivots[0], once[0], squared[0])
        _slopes_of(some, inverse_gaps, scratch)
        _add_along(scratch, of_some, u, elsewhere, divisor, along)
        if n_active > 0:
            _add_deviations(scratch[: stop - start], of_some, pivots[1, :n_active], once[1], squared[1])
            _steepness_of(scratch, of_some, steepness)
            if by_bucket.shape[1] > 0:
                _add_by_bucket(scratch, of_some, observed[start:stop], own, by_bucket)
        _merge(total, weight, pivots[0], once[0], squared[0], curves[0], curves[1])
        _merge(total, weight, pivots[1], once[1], squared[1], slopes[0], slopes[1])
        total += weight
    for at in range(n_active):
        slope_abs[at] += steepness[at]
    return lowest.min(), highest.max()


def add(sums: FeatureSums, stretches: Array, rows: tuple[Array, Array, Array], missing_change: Array | None) -> None:
    """Do what `FeatureSums.add` does.

    Parameters
    ----------
    sums : FeatureSums
        Added to.
    stretches : ndarray of shape (n_rows, n_active + 1)
    rows : tuple of three ndarrays of shape (n_rows,)
    missing_change : ndarray of shape (n_rows,) or None
    """
    likelihoods = sums.likelihoods
    if likelihoods is not None and likelihoods.by_bucket is None:
        observed, likelihood_scale, weights = rows
        likelihoods.add(np.abs(np.diff(stretches) / sums.gaps), weights, observed, likelihood_scale)
    _add_to(sums, stretches, None, rows, missing_change)


def fold(sums: FeatureSums, jumps: ToFold, rows: tuple[Array, Array, Array], missing_change: Array | None) -> None:
    """Do what `add` does for the curves that follow from jumps, without forming them.

    Only where steepness is kept by observed value, or not at all.

    Parameters
    ----------
    sums : FeatureSums
        Added to.
    jumps : tuple
        Set back to 0.
    rows : tuple of three ndarrays of shape (n_rows,)
    missing_change : ndarray of shape (n_rows,) or None
    """
    _add_to(sums, None, jumps, rows, missing_change)


def _add_to(
    sums: FeatureSums,
    stretches: Array | None,
    jumps: ToFold | None,
    rows: tuple[Array, Array, Array],
    missing_change: Array | None,
) -> None:
    observed, _, weights = rows
    likelihoods = sums.likelihoods
    own, by_bucket = _NO_OWN, _NO_BUCKETS
    kept = None if likelihoods is None else likelihoods.by_bucket
    if likelihoods is not None and likelihoods.own is not None and kept is not None:
        own, by_bucket = likelihoods.own.arrays, kept
    with np.errstate(over="ignore"):
        inverse_gaps = 1.0 / sums.gaps
    lowest, highest = _add(
        stretches, jumps, (observed, weights), sums.total_weight, inverse_gaps,
        (sums.curves.mean, sums.curves.squared), (sums.slopes.mean, sums.slopes.squared),
        (sums.u, sums.elsewhere, sums.divisor, sums.along),
        sums.slope_abs, own, by_bucket,
    )  # fmt: skip
    sums.lowest, sums.highest = min(sums.lowest, lowest), max(sums.highest, highest)
    sums.curves.weight = sums.slopes.weight = sums.total_weight + float(weights.sum())
    sums.count(weights, missing_change)
