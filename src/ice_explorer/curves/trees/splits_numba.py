"""What is done for every row and node before a sweep, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

_FEW_BUCKETS = 4096  # which stay in the cache, and are worth their making where as many values are looked up


@njit(nogil=True, cache=True, error_model="numpy")
def _bucket(value, origin, per_width, n_buckets):
    """Return the bucket of equal width that a value lies in; it never decreases with the value."""
    at = (value - origin) * per_width
    if not at > 0.0:  # of infinities it may be no number
        return n_buckets - 1 if value == np.inf else 0
    return np.int64(min(at, n_buckets - 1.0))


@njit(nogil=True, cache=True, error_model="numpy")
def look_up(some, values, at_right, found):
    """Write where values belong among sorted numbers: NumPy's `searchsorted`, by a bucket and a few steps.

    Buckets of equal width say between which numbers a value lies; where many numbers share one, they are bisected.

    - `some` (n,): ascending, without NaN.
    - `at_right`: whether values come after numbers that are equal to them.
    - `found` (n_values,): written; n for NaN.
    """
    n = some.shape[0]
    n_buckets = max(2 * n, min(_FEW_BUCKETS, values.shape[0])) + 1
    lowest, highest = 0, n  # the numbers that are finite
    while lowest < n and some[lowest] == -np.inf:
        lowest += 1
    while highest > lowest and some[highest - 1] == np.inf:
        highest -= 1
    origin, per_width = 0.0, 0.0
    if highest > lowest:
        origin = some[lowest]
        width = some[highest - 1] / n_buckets - origin / n_buckets
        per_width = 1.0 / width if width > 0.0 else 0.0
        if not np.isfinite(per_width):
            per_width = 0.0
    begins = np.zeros(n_buckets + 1, np.int32)
    for at in range(n):
        begins[_bucket(some[at], origin, per_width, n_buckets) + 1] += 1
    for bucket in range(n_buckets):
        begins[bucket + 1] += begins[bucket]
    for at in range(values.shape[0]):
        value = values[at]
        if np.isnan(value):
            found[at] = n
            continue
        bucket = _bucket(value, origin, per_width, n_buckets)
        first, last = begins[bucket], begins[bucket + 1]
        while first < last:
            middle = (first + last) >> 1
            if some[middle] < value or (at_right and some[middle] == value):
                first = middle + 1
            else:
                last = middle
        found[at] = first


@njit(nogil=True, cache=True, error_model="numpy")
def renumber(feature, left, right, order, nodes):
    """Number nodes anew, as `splits._renumbered` says: a pair of children for every node that has some.

    - `order` (n_nodes,): holds the roots; written behind them.
    - `nodes` (n_nodes, 4): zeros; column and left child are written.
    """
    pair_of = np.full(left.shape[0], -1, np.int32)
    end = order.shape[0]
    for node in range(left.shape[0] - 1, -1, -1):
        if left[node] >= 0:
            end -= 2
            order[end] = left[node]
            order[end + 1] = right[node]
            pair_of[node] = end
    for at in range(order.shape[0]):
        pair = pair_of[order[at]]
        nodes[at, 0] = feature[order[at]] if pair >= 0 else -1
        nodes[at, 2] = pair


@njit(nogil=True, cache=True, error_model="numpy")
def deepest_leaf(nodes, roots):
    """Count the nodes above the deepest leaf of any tree."""
    waiting = np.empty((nodes.shape[0] + 1, 2), np.int32)
    deepest = 0
    for tree in range(roots.shape[0]):
        waiting[0, 0] = roots[tree]
        waiting[0, 1] = 0
        top = 1
        while top > 0:
            top -= 1
            node, depth = waiting[top, 0], waiting[top, 1]
            deepest = max(deepest, depth)
            child = nodes[node, 2]
            if nodes[node, 0] >= 0:
                for side in range(2):
                    waiting[top, 0] = child + side
                    waiting[top, 1] = depth + 1
                    top += 1
    return deepest
