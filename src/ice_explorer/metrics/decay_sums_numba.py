"""Sums over observed values and over masses laid out as observed values × ends, compiled.

`ObservedValues` and `DecaySums.add` are the references: a test holds each kernel to them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ice_explorer.trees.margins_numba import exponential

_FEW = 8  # edges that are looked at one by one
_LANES = 8  # decays that are summed side by side


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def bucket_of(value, edges, hints, origin, per_width):
    """Find the last of some lower edges that is not above a value; the first where there is none.

    `hints`, `origin` and `per_width` are those of `observed_value_nodes.hints_of`.
    """
    hint = int(min(max((value - origin) * per_width, 0.0), hints.shape[0] - 2.0))
    bucket = hints[hint]
    left = hints[hint + 1] - bucket + 1
    while left > _FEW:
        half = left // 2
        if value >= edges[bucket + half]:
            bucket += half
        left -= half
    while left > 1 and value >= edges[bucket + 1]:
        bucket += 1
        left -= 1
    return bucket


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def add_weights(observed, weights, own, n_rows, moments):
    """Count the rows of each bucket, and add the Chebyshev moments of their weights.

    Parameters
    ----------
    observed, weights : float64 (n_rows,)
    own : as `ObservedValues.arrays`
    n_rows : int64 (n_buckets,)
        Added to.
    moments : float64 (n_buckets, most moments)
        Added to.
    """
    edges, hints, origin, per_width, middle, inverse_half, _, _ = own
    n_moments = moments.shape[1]
    for row in range(observed.shape[0]):
        bucket = bucket_of(observed[row], edges, hints, origin, per_width)
        n_rows[bucket] += 1
        of_bucket = moments[bucket]
        twice = 2.0 * (observed[row] - middle[bucket]) * inverse_half[bucket]
        before = 0.5 * twice * weights[row]  # T_{-1} = T_1
        now = weights[row]
        for degree in range(n_moments):
            of_bucket[degree] += now
            before, now = now, twice * now - before


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def to_nodes(moments, first, count, matrices):
    """Do what `ObservedValues.to_nodes` does, (n_nodes, n_columns).

    Parameters
    ----------
    moments : float64 (n_nodes, n_columns)
    first, count : int64 (n_buckets,)
        As those of `ObservedValues`.
    matrices : float64 (most moments, most moments, most moments)
        `chebyshev.to_nodes` of 1, 2, … moments, filled up with 0.
    """
    masses = np.zeros_like(moments)
    for bucket in range(count.shape[0]):
        begin, n = first[bucket], count[bucket]
        for node in range(begin, begin + n):
            target = masses[node]
            for degree in range(n):
                share = matrices[n - 1, degree, node - begin]
                of_degree = moments[begin + degree]
                for at in range(target.shape[0]):
                    target[at] += share * of_degree[at]
    return masses


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def add_laid_out(ends, nodes, scales, steepness, weights, nearest, middle, inverse_half, before_first, moments):
    """Do what `DecaySums.add_laid_out` does.

    Parameters
    ----------
    ends : the arrays of `Ends`, in their order
    nodes, scales : float64 (n_nodes,)
    steepness : float64 (n_nodes, at least n_active) or (n_nodes, 0)
        For the first channels; none with no columns.
    weights : float64 (n_nodes,) or (0,)
        For the last channels; none where empty.
    nearest : float
    middle, inverse_half : float64 (n_cells,)
        A distance d lies at (d - middle) · inverse_half in its cell.
    before_first : int
        Leading bits of a distance less those of its cell, see `decay.cell_bits`.
    moments : float64 (n_cells, at least n_channels, n_moments)
        Added to.
    """
    values, shares, before, after, of_before, of_after = ends
    n_cells, n_targets, n_moments = moments.shape
    n_ends, n_channels = shares.shape
    polynomials = np.empty(max(n_moments, 8))
    distances = np.empty(n_ends)
    bits = distances.view(np.int64)
    for node in range(nodes.shape[0]):
        value = nodes[node]
        scale = scales[node]
        inverse = 1.0 / scale if scale > 0.0 else 0.0
        for end in range(n_ends):
            distances[end] = abs(values[end] - value) * inverse - nearest
        for end in range(n_ends):
            left = steepness[node, before[end]] if steepness.shape[1] > 0 else 0.0
            right = steepness[node, after[end]] if steepness.shape[1] > 0 else 0.0
            weight = weights[node] if weights.shape[0] > 0 else 0.0
            if (left == 0.0 and right == 0.0 and weight == 0.0) or (scale == 0.0 and values[end] != value):
                continue
            cell = min(max((bits[end] >> 50) - before_first, 0), n_cells - 1)
            # T_{m+4} = 2 T_4 T_m - T_{m-4}: four at a time, none of which waits for another.
            first = (distances[end] - middle[cell]) * inverse_half[cell]
            second = 2.0 * first * first - 1.0
            third = 2.0 * first * second - first
            fourth = 2.0 * second * second - 1.0
            polynomials[0] = 1.0
            polynomials[1] = first
            polynomials[2] = second
            polynomials[3] = third
            polynomials[4] = fourth
            polynomials[5] = 2.0 * fourth * first - third
            polynomials[6] = 2.0 * fourth * second - second
            polynomials[7] = 2.0 * fourth * third - first
            for degree in range(8, n_moments):
                polynomials[degree] = 2.0 * fourth * polynomials[degree - 4] - polynomials[degree - 8]
            # Loops of a function of their own would take three times as long.
            if left != 0.0 or right != 0.0:
                for channel in range(n_channels):
                    share = left * of_before[end, channel] + right * of_after[end, channel]
                    target = moments[cell, channel]
                    for degree in range(n_moments):
                        target[degree] += share * polynomials[degree]
            if weight != 0.0:
                for channel in range(n_channels):
                    share = weight * shares[end, channel]
                    target = moments[cell, n_targets - n_channels + channel]
                    for degree in range(n_moments):
                        target[degree] += share * polynomials[degree]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def near_sums(values, weights, ends, shares, below, exponents, nearest):
    """Do what `running_sums._near` does, for a few decays at a time: (n_decays, n_channels).

    Parameters
    ----------
    values, weights : float64 (n_own,)
    ends : float64 (n_ends,)
    shares : float64 (n_ends, n_channels)
    below : int64 (n_ends,)
        How many of the values are not above each end.
    exponents : float64 (n_decays,)
    nearest : float
    """
    n_own, n_ends = len(values), len(ends)
    found = np.zeros((len(exponents), shares.shape[1]))
    for start in range(0, len(exponents), _LANES):
        a = exponents[start : start + _LANES]
        n_lanes = len(a)
        exponent = np.empty((n_own + n_ends, n_lanes))
        for at in range(n_own + n_ends):
            value = values[at] if at < n_own else ends[at - n_own]
            for lane in range(n_lanes):
                exponent[at, lane] = a[lane] * value
        power, exponentials = np.empty(exponent.size), np.empty(exponent.size)
        exponential(exponent.ravel(), 1.0, (power, power.view(np.int64)), exponentials)
        growth = exponentials.reshape(exponent.shape)
        of_ends = growth[n_own:]
        likely = np.empty((n_ends, n_lanes))
        running = np.zeros(n_lanes)
        own = 0
        for end in range(n_ends):
            for at in range(own, below[end]):
                for lane in range(n_lanes):
                    running[lane] += weights[at] * growth[at, lane]
            own = max(own, below[end])
            for lane in range(n_lanes):
                likely[end, lane] = running[lane] / of_ends[end, lane]
        running[:] = 0.0
        own = n_own
        for end in range(n_ends - 1, -1, -1):
            for at in range(own - 1, below[end] - 1, -1):
                for lane in range(n_lanes):
                    running[lane] += weights[at] / growth[at, lane]
            own = min(own, below[end])
            for lane in range(n_lanes):
                likely[end, lane] += running[lane] * of_ends[end, lane]
        for lane in range(n_lanes):
            for end in range(n_ends):
                for channel in range(shares.shape[1]):
                    found[start + lane, channel] += likely[end, lane] * shares[end, channel]
            found[start + lane] *= np.exp(a[lane] * nearest)
    return found


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def sum_kept(own, steepness, begins, ends, left, right, exponents, is_far, nearest):
    """Do what `decay_sums._Kept.totals` does: one product for each value, interval and decay, (n_decays,).

    Parameters
    ----------
    own : float64 (n_nodes,)
    steepness : float64 (n_nodes, n_active)
    begins, ends, left, right : float64 (n_active,)
        Intervals, and what share of them counts with the likelihood of each end.
    exponents : float64 (n_decays,)
    is_far : bool (n_decays,)
        Where factors of values and of ends may be no numbers.
    nearest : float
    """
    n_active = len(begins)
    below = np.searchsorted(ends, own, "right")
    # Intervals that are nothing beside σ have both ends in one place, and count as below.
    above = np.maximum(np.searchsorted(begins, own), below)
    found = np.zeros(len(exponents))
    of_below, of_above = np.empty(n_active), np.empty(n_active)
    for at in range(len(exponents)):
        a = exponents[at]
        for interval in range(n_active):
            begin, end = begins[interval], ends[interval]
            of_below[interval] = left[interval] * np.exp(a * (begin + nearest)) + right[interval] * np.exp(
                a * (end + nearest)
            )
            of_above[interval] = left[interval] * np.exp(a * (nearest - begin)) + right[interval] * np.exp(
                a * (nearest - end)
            )
        for node in range(len(own)):
            value, of_node = own[node], steepness[node]
            n_below, first_above = (0, n_active) if is_far[at] else (below[node], above[node])
            under = over = around = 0.0
            for interval in range(n_below):
                under += of_node[interval] * of_below[interval]
            for interval in range(first_above, n_active):
                over += of_node[interval] * of_above[interval]
            for interval in range(n_below, first_above):
                of_begin = np.exp(-a * max(abs(value - begins[interval]) - nearest, 0.0))
                of_end = np.exp(-a * max(abs(value - ends[interval]) - nearest, 0.0))
                around += of_node[interval] * (left[interval] * of_begin + right[interval] * of_end)
            if is_far[at]:
                found[at] += around
            else:
                found[at] += under * np.exp(-a * value) + over * np.exp(a * value) + around
    return found
