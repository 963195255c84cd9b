"""Compiled preparation of a sweep: number nodes anew, and look values up among thresholds."""

from __future__ import annotations

import numpy as np
from numba import njit

_FEW_BUCKETS = 4096  # stay in the cache, and are worth making where as many values are looked up


@njit(nogil=True, cache=True, error_model="numpy")
def _bucket(value, origin, per_width, n_buckets):
    """Return the bucket of equal width that a value lies in; it never decreases with the value."""
    position = (value - origin) * per_width
    if not position > 0.0:  # NaN is possible for infinities
        return n_buckets - 1 if value == np.inf else 0
    return np.int64(min(position, n_buckets - 1.0))


@njit(nogil=True, cache=True, error_model="numpy")
def look_up(numbers, values, is_right, positions):
    """Write where values belong among sorted numbers: NumPy's `searchsorted`, by a bucket and a few steps.

    Buckets of equal width say between which numbers a value lies; where many numbers share one, they are bisected.

    - `numbers` (n,): ascending, without NaN.
    - `is_right`: whether values come after numbers that are equal to them.
    - `positions` (n_values,): written; n for NaN.
    """
    n = numbers.shape[0]
    n_buckets = max(2 * n, min(_FEW_BUCKETS, values.shape[0])) + 1
    lowest, highest = 0, n  # the numbers that are finite
    while lowest < n and numbers[lowest] == -np.inf:
        lowest += 1
    while highest > lowest and numbers[highest - 1] == np.inf:
        highest -= 1
    origin, per_width = 0.0, 0.0
    if highest > lowest:
        origin = numbers[lowest]
        width = numbers[highest - 1] / n_buckets - origin / n_buckets
        per_width = 1.0 / width if width > 0.0 else 0.0
        if not np.isfinite(per_width):
            per_width = 0.0
    begins = np.zeros(n_buckets + 1, np.int32)
    for number in numbers:
        begins[_bucket(number, origin, per_width, n_buckets) + 1] += 1
    for bucket in range(n_buckets):
        begins[bucket + 1] += begins[bucket]
    for index in range(values.shape[0]):
        value = values[index]
        if np.isnan(value):
            positions[index] = n
            continue
        bucket = _bucket(value, origin, per_width, n_buckets)
        first, last = begins[bucket], begins[bucket + 1]
        while first < last:
            middle = (first + last) >> 1
            if numbers[middle] < value or (is_right and numbers[middle] == value):
                first = middle + 1
            else:
                last = middle
        positions[index] = first


@njit(nogil=True, cache=True, error_model="numpy")
def renumber(n_nodes, feature, left, right, order, nodes):
    """Number the nodes that rows can reach: roots first, then pairs of children in depth-first order.

    - `n_nodes`, `feature`, `left`, `right`: as `Forest` has them.
    - `order` (n_nodes,): written; the position in the forest of each node.
    - `nodes` (n_nodes, 4): column (-1 at leaves) and left child are written.
    - returns: the number of nodes, and how many lie above the deepest leaf.
    """
    end, deepest, root = n_nodes.shape[0], 0, 0
    waiting = np.empty((n_nodes.max() + 1, 2), np.int64)
    for tree in range(n_nodes.shape[0]):
        order[tree] = root
        waiting[0, 0], waiting[0, 1] = tree, 0
        top = 1
        while top > 0:
            top -= 1
            node, depth = waiting[top, 0], waiting[top, 1]
            original = order[node]
            nodes[node, 0] = -1
            if feature[original] < 0:
                deepest = max(deepest, depth)
                continue
            nodes[node, 0], nodes[node, 2] = feature[original], end
            order[end], order[end + 1] = root + left[original], root + right[original]
            for child in (end + 1, end):
                waiting[top, 0], waiting[top, 1] = child, depth + 1
                top += 1
            end += 2
        root += n_nodes[tree]
    return end, deepest
