"""`FeatureSums.add` as one compiled pass over a block of rows, for engines that outrun NumPy.

Kernels at module level (cached on disk), releasing the interpreter lock. `FeatureSums.add` is the
reference: both must give the same sums, which a test holds them to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.metrics import FeatureSums

    Array = NDArray[np.float64]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _moments(columns, weights, total, mean, squared):
    """Merge a block of weighted rows into running means and squared deviations (Chan)."""
    n_rows, n_columns = columns.shape
    block = 0.0
    block_mean = np.zeros(n_columns)
    for row in range(n_rows):
        weight = weights[row]
        block += weight
        values = columns[row]
        for at in range(n_columns):
            block_mean[at] += weight * values[at]
    for at in range(n_columns):
        block_mean[at] /= block
    block_squared = np.zeros(n_columns)
    for row in range(n_rows):
        weight = weights[row]
        values = columns[row]
        for at in range(n_columns):
            deviation = values[at] - block_mean[at]
            block_squared[at] += weight * deviation * deviation
    both = total + block
    for at in range(n_columns):
        shift = block_mean[at] - mean[at]
        squared[at] += block_squared[at] + shift * shift * (total * block / both)
        mean[at] += shift * (block / both)


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _slopes_of(stretches, gaps, weights, slopes, slope_abs):
    """Turn curves into slopes; add up their steepness; return the extremes of the curves."""
    n_rows, n_stretches = stretches.shape
    lowest = np.inf
    highest = -np.inf
    for row in range(n_rows):
        values = stretches[row]
        weight = weights[row]
        for at in range(n_stretches):
            lowest = min(lowest, values[at])
            highest = max(highest, values[at])
        for at in range(n_stretches - 1):
            slope = (values[at + 1] - values[at]) / gaps[at]
            slopes[row, at] = slope
            slope_abs[at] += weight * abs(slope)
    return lowest, highest


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _along(slopes, weights, u, elsewhere, divisor, varies, spread, deviation):
    """Add how much each curve's slope differs along it, for every way to weigh intervals."""
    n_rows, n_active = slopes.shape
    for way in range(u.shape[0]):
        share = u[way]
        sum_spread = 0.0
        sum_deviation = 0.0
        for row in range(n_rows):
            values = slopes[row]
            mean = 0.0
            for at in range(n_active):
                mean += share[at] * values[at]
            absolute = elsewhere[way] * abs(mean)
            variance = elsewhere[way] * mean * mean
            for at in range(n_active):
                apart = values[at] - mean
                weighted = share[at] * apart
                absolute += abs(weighted)
                variance += weighted * apart
            sum_deviation += weights[row] * absolute
            if varies[way]:
                sum_spread += weights[row] * np.sqrt(variance / divisor[way])
        spread[way] += sum_spread
        deviation[way] += sum_deviation


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _by_node(slopes, weights, order, first, shares, by_node):
    """Add weighted steepness to the nodes of each row's own value, rows in the order of their nodes."""
    n_active = slopes.shape[1]
    steepness = np.empty(n_active)
    for at_row in range(order.shape[0]):
        row = order[at_row]
        values = slopes[row]
        for at in range(n_active):
            steepness[at] = weights[row] * abs(values[at])
        for node in range(shares.shape[1]):
            share = shares[row, node]
            target = by_node[first[row] + node]
            for at in range(n_active):
                target[at] += share * steepness[at]


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
    observed, likelihood_scale, weights = rows
    slopes = np.empty((len(stretches), len(sums.active)))
    lowest, highest = _slopes_of(stretches, sums.gaps, weights, slopes, sums.slope_abs)
    sums.lowest, sums.highest = min(sums.lowest, lowest), max(sums.highest, highest)
    _moments(stretches, weights, sums.total_weight, sums.curves.mean, sums.curves.squared)
    if sums.steps:
        _moments(slopes, weights, sums.total_weight, sums.slopes.mean, sums.slopes.squared)
        steps = sums.steps.values()
        _along(
            slopes, weights, np.array([step.u for step in steps]),
            np.array([step.u_elsewhere for step in steps]), np.array([step.variance_divisor for step in steps]),
            np.array([step.varies for step in steps]), sums.spread_along, sums.deviation_along,
        )  # fmt: skip
        likelihoods = sums.likelihoods
        if likelihoods is not None and likelihoods.own is not None:
            first, shares = likelihoods.own.locate(observed)
            _by_node(slopes, weights, np.argsort(first, kind="stable"), first, shares, likelihoods.by_node)
        elif likelihoods is not None:
            likelihoods.add(np.abs(slopes), weights, observed, likelihood_scale)
    sums.curves.weight = sums.slopes.weight = sums.total_weight + float(weights.sum())
    sums.count(weights, missing_change)
