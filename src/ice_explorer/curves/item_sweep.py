"""The item sweep: exact ICE curves of every feature of a tree ensemble, a tree and a block of rows at a time.

An *item* is a row whose feature f is free to take the grid positions from `low` to `high`. Going
down a tree, a row that turns off at a node of feature f leaves behind an item that goes the other
way: the phantoms that part from their observation there. Items move through the nodes in bulk, as
rows do; at a node of their own feature they are cut by the node's threshold, at any other they
follow their row. At a leaf an item says: at these grid positions the tree gives this leaf's value
instead of the row's own. Differences go into a difference array, so that the cost depends neither
on the size of the grid nor on the number of features that a tree does not touch.

Everything is integer here: values and thresholds were turned into ranks by the library's own cast
and comparison (`curves.tree`). These kernels are compiled at module level, so that they are cached
on disk, and release the interpreter lock; indices are unsigned, which spares the wrap-around code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

MISSING = np.int32(2**30)
"""Rank of a missing value."""

_U = np.uint64
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_POSITION_MASK = np.uint64(0xFFFF)
_FEATURE_MASK = np.uint64(0xFFF)
_CLEAR_HIGH = ~np.uint64(0xFFFF)
_CLEAR_LOW = ~np.uint64(0xFFFF0000)
_ROW_SHIFT = np.uint64(44)
_FEATURE_SHIFT = np.uint64(32)
_LOW_SHIFT = np.uint64(16)

MOST_ROWS = 1 << 20
MOST_FEATURES = 1 << 12
MOST_POSITIONS = (1 << 16) - 1


@njit(nogil=True, cache=True, error_model="numpy")
def bounds_of_nodes(nodes, roots, n_positions, low, high):
    """Write, for every node, the positions of its own feature that its ancestors let through.

    Returns the depth of the deepest leaf.
    """
    current_low = np.zeros(n_positions.shape[0], np.int32)
    current_high = n_positions.astype(np.int32)
    deepest = 0
    capacity = 64
    at = np.empty(capacity, np.int32)
    stage = np.empty(capacity, np.int8)
    for root in roots:
        at[0] = root
        stage[0] = 0
        depth = 0
        while depth >= 0:
            node = at[depth]
            feature = nodes[node, 0]
            if feature < 0:
                deepest = max(deepest, depth)
                depth -= 1
                continue
            if stage[depth] == 0:
                low[node] = current_low[feature]
                high[node] = current_high[feature]
                current_high[feature] = min(high[node], nodes[node, 3])
                child = nodes[node, 2]
            elif stage[depth] == 1:
                current_high[feature] = high[node]
                current_low[feature] = max(low[node], nodes[node, 3])
                child = nodes[node, 2] + 1
            else:
                current_low[feature] = low[node]
                depth -= 1
                continue
            stage[depth] += 1
            depth += 1
            if depth == capacity:
                capacity *= 2
                longer = np.empty(capacity, np.int32)
                longer[:depth] = at
                at = longer
                longer_stage = np.empty(capacity, np.int8)
                longer_stage[:depth] = stage
                stage = longer_stage
            at[depth] = child
            stage[depth] = 0
    return deepest


@njit(nogil=True, cache=True, error_model="numpy")
def _grown(items, needed):
    """Return a larger copy of the item buffer."""
    larger = np.empty(max(np.int64(needed), items.shape[0] * 2), np.uint64)
    larger[: items.shape[0]] = items
    return larger


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _bit(words, start, rank):
    """Whether a category rank goes left at a categorical node."""
    return (words[start + (_U(rank) >> _U(6))] >> (_U(rank) & _U(63))) & _ONE


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(
    has_missing, nodes, low, high, value, roots, margins, missing_left, category_start, category_words,
    run_bounds, runs, ranks, n_rows, first, last, offsets, width, jumps, base, depth, counters,
):  # fmt: skip
    """Add the jumps of all trees for rows first … last.

    Parameters
    ----------
    has_missing : bool
        Whether any rank is `MISSING`.
    nodes : int32 (n_nodes, 4)
        Feature (-1 at a leaf), rank of the threshold, left child (the right one is next to it), cut:
        how many positions of the feature go left.
    low, high : int32 (n_nodes,)
        From `bounds_of_nodes`.
    value : float64 (n_nodes,)
        Leaf values.
    roots, margins : int32 (n_trees,)
        Where each tree starts and which margin it adds to.
    missing_left : uint64 (n_nodes,)
        1 where a missing value goes left.
    category_start : int64 (n_nodes,)
        Where the bits of a categorical node start, -1 for numeric nodes.
    category_words : uint64
        Bit r of a node: category rank r goes left.
    run_bounds : int64 (n_nodes, 6), runs : int32 (n_runs, 2)
        Runs of positions of a categorical node that go left; that are let through and go left; that
        are let through and go right: start and stop in `runs` of each.
    ranks : int32, flat (n_features, n_rows)
    offsets : uint64 (n_features,)
        Where the cells of a feature start; it has one more than it has positions.
    width : uint64
        Cells of a row in one margin.
    jumps : float64, flat (n_margins, last - first, width)
        Difference array that is added to.
    base : float64, flat (n_margins, last - first)
        Margins of the rows themselves, added to.
    counters : int64 (2,)
        Node visits and emitted items, added to.
    """
    block = _U(last - first)
    n_rows = _U(n_rows)
    first = _U(first)
    rows = np.empty(block, np.uint32)
    others = np.empty(block, np.uint32)
    own = np.empty(block)
    middles = np.empty(nodes.shape[0], np.uint32)
    items = np.empty(block * _U(16) + _U(1024), np.uint64)
    node_at = np.empty(depth + 3, np.uint32)
    rows_from = np.empty(depth + 3, np.uint64)
    rows_to = np.empty(depth + 3, np.uint64)
    items_from = np.empty(depth + 3, np.uint64)
    items_to = np.empty(depth + 3, np.uint64)
    visits = 0
    emitted = 0
    for tree in range(roots.shape[0]):
        root = np.uint32(roots[tree])
        margin = _U(margins[tree])
        jumps_of = margin * block * width
        base_of = margin * block
        # First the rows alone: the leaf each one falls into is what its items differ from.
        for row in range(block):
            rows[row] = row
        node_at[0] = root
        rows_from[0] = _ZERO
        rows_to[0] = block
        top = _ONE
        while top > _ZERO:
            top -= _ONE
            node = node_at[top]
            start = rows_from[top]
            stop = rows_to[top]
            feature = nodes[node, 0]
            if feature < 0:
                leaf = value[node]
                for at in range(start, stop):
                    row = rows[at]
                    own[row] = leaf
                    base[base_of + _U(row)] += leaf
                continue
            middle = _split_rows(
                has_missing, nodes[node, 1], missing_left[node], category_start[node], category_words,
                ranks, _U(feature) * n_rows + first, rows, others, start, stop,
            )  # fmt: skip
            middles[node] = np.uint32(middle)
            left = np.uint32(nodes[node, 2])
            if middle < stop:
                node_at[top] = left + np.uint32(1)
                rows_from[top] = middle
                rows_to[top] = stop
                top += _ONE
            if middle > start:
                node_at[top] = left
                rows_from[top] = start
                rows_to[top] = middle
                top += _ONE
        # Then rows and items together. The rows of a node still stand side by side, those that went
        # left before those that went right.
        node_at[0] = root
        rows_from[0] = _ZERO
        rows_to[0] = block
        items_from[0] = _ZERO
        items_to[0] = _ZERO
        top = _ONE
        while top > _ZERO:
            top -= _ONE
            node = node_at[top]
            start = rows_from[top]
            stop = rows_to[top]
            item_start = items_from[top]
            item_stop = items_to[top]
            feature = nodes[node, 0]
            if feature < 0:
                leaf = value[node]
                emitted += np.int64(item_stop - item_start)
                for at in range(item_start, item_stop):
                    item = items[at]
                    row = item >> _ROW_SHIFT
                    difference = leaf - own[row]
                    if difference != 0.0:
                        cell = jumps_of + row * width + offsets[(item >> _FEATURE_SHIFT) & _FEATURE_MASK]
                        jumps[cell + ((item >> _LOW_SHIFT) & _POSITION_MASK)] += difference
                        jumps[cell + (item & _POSITION_MASK)] -= difference
                continue
            rank = nodes[node, 1]
            free = _U(feature)
            column = free * n_rows + first
            goes_missing = missing_left[node]
            categories = category_start[node]
            n_items = item_stop - item_start
            n_here = stop - start
            visits += np.int64(n_items + n_here)
            middle = _U(middles[node]) if n_here > _ZERO else start
            # Items that go right are written from item_stop on, those that go left behind them.
            if categories < 0:
                most = n_items + n_here
            else:
                n_runs = run_bounds[node, 5] - run_bounds[node, 0] + 2
                most = (n_items + n_here) * _U(n_runs)
            right_start = item_stop
            left_start = item_stop + most
            needed = left_start + most + most
            if needed > _U(items.shape[0]):
                items = _grown(items, needed)
            right = right_start
            leftmost = left_start
            if categories < 0:
                cut = _U(nodes[node, 3])
                for at in range(item_start, item_stop):
                    item = items[at]
                    if ((item >> _FEATURE_SHIFT) & _FEATURE_MASK) == free:
                        begin = (item >> _LOW_SHIFT) & _POSITION_MASK
                        end = item & _POSITION_MASK
                        items[leftmost] = (item & _CLEAR_HIGH) | min(end, cut)
                        leftmost += _U(begin < cut)
                        items[right] = (item & _CLEAR_LOW) | (max(begin, cut) << _LOW_SHIFT)
                        right += _U(end > cut)
                    else:
                        rank_of_row = ranks[column + (item >> _ROW_SHIFT)]
                        goes_left = _U(rank_of_row <= rank)
                        if has_missing and rank_of_row == MISSING:
                            goes_left = goes_missing
                        items[leftmost] = item
                        items[right] = item
                        leftmost += goes_left
                        right += _ONE - goes_left
                begin_right = max(nodes[node, 3], low[node])
                end_left = min(nodes[node, 3], high[node])
                if begin_right < high[node]:
                    head = (free << _FEATURE_SHIFT) | (_U(begin_right) << _LOW_SHIFT) | _U(high[node])
                    for at in range(start, middle):
                        items[right] = (_U(rows[at]) << _ROW_SHIFT) | head
                        right += _ONE
                if low[node] < end_left:
                    head = (free << _FEATURE_SHIFT) | (_U(low[node]) << _LOW_SHIFT) | _U(end_left)
                    for at in range(middle, stop):
                        items[leftmost] = (_U(rows[at]) << _ROW_SHIFT) | head
                        leftmost += _ONE
            else:
                for at in range(item_start, item_stop):
                    item = items[at]
                    if ((item >> _FEATURE_SHIFT) & _FEATURE_MASK) == free:
                        stem = item & ~np.uint64(0xFFFFFFFF)
                        begin = np.int64((item >> _LOW_SHIFT) & _POSITION_MASK)
                        end = np.int64(item & _POSITION_MASK)
                        for run in range(run_bounds[node, 0], run_bounds[node, 1]):
                            run_begin = np.int64(runs[run, 0])
                            run_end = np.int64(runs[run, 1])
                            if begin < min(run_begin, end):  # what lies before the run goes right
                                items[right] = stem | (_U(begin) << _LOW_SHIFT) | _U(min(run_begin, end))
                                right += _ONE
                            if max(begin, run_begin) < min(end, run_end):
                                items[leftmost] = (
                                    stem | (_U(max(begin, run_begin)) << _LOW_SHIFT) | _U(min(end, run_end))
                                )
                                leftmost += _ONE
                            begin = max(begin, run_end)
                        if begin < end:
                            items[right] = stem | (_U(begin) << _LOW_SHIFT) | _U(end)
                            right += _ONE
                    else:
                        rank_of_row = ranks[column + (item >> _ROW_SHIFT)]
                        if has_missing and rank_of_row == MISSING:
                            goes_left = goes_missing
                        else:
                            goes_left = _bit(category_words, _U(categories), rank_of_row)
                        items[leftmost] = item
                        items[right] = item
                        leftmost += goes_left
                        right += _ONE - goes_left
                for run in range(run_bounds[node, 4], run_bounds[node, 5]):
                    head = (free << _FEATURE_SHIFT) | (_U(runs[run, 0]) << _LOW_SHIFT) | _U(runs[run, 1])
                    for at in range(start, middle):
                        items[right] = (_U(rows[at]) << _ROW_SHIFT) | head
                        right += _ONE
                for run in range(run_bounds[node, 2], run_bounds[node, 3]):
                    head = (free << _FEATURE_SHIFT) | (_U(runs[run, 0]) << _LOW_SHIFT) | _U(runs[run, 1])
                    for at in range(middle, stop):
                        items[leftmost] = (_U(rows[at]) << _ROW_SHIFT) | head
                        leftmost += _ONE
            left = np.uint32(nodes[node, 2])
            if right > right_start or middle < stop:
                node_at[top] = left + np.uint32(1)
                rows_from[top] = middle
                rows_to[top] = stop
                items_from[top] = right_start
                items_to[top] = right
                top += _ONE
            if leftmost > left_start or middle > start:
                n_left = leftmost - left_start
                for at in range(n_left):
                    items[right + _U(at)] = items[left_start + _U(at)]
                node_at[top] = left
                rows_from[top] = start
                rows_to[top] = middle
                items_from[top] = right
                items_to[top] = right + n_left
                top += _ONE
    counters[0] += visits
    counters[1] += emitted


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _split_rows(
    has_missing, rank, goes_missing, categories, category_words, ranks, column, rows, others, start, stop
):  # fmt: skip
    """Bring the rows that go left to the front; return where those that go right begin."""
    middle = start
    n_right = _ZERO
    for at in range(start, stop):
        row = rows[at]
        rank_of_row = ranks[column + _U(row)]
        if categories < 0:
            goes_left = _U(rank_of_row <= rank)
        else:
            goes_left = _ZERO
            if not (has_missing and rank_of_row == MISSING):
                goes_left = _bit(category_words, _U(categories), rank_of_row)
        if has_missing and rank_of_row == MISSING:
            goes_left = goes_missing
        rows[middle] = row
        others[n_right] = row
        middle += goes_left
        n_right += _ONE - goes_left
    for at in range(n_right):
        rows[middle + _U(at)] = others[_U(at)]
    return middle


@njit(nogil=True, cache=True, error_model="numpy")
def add_up(jumps, base, start, margins):
    """Turn the jumps of one feature into margins (n_margins, n_rows, n_positions)."""
    n_margins, n_rows, n_positions = margins.shape
    for margin in range(n_margins):
        for row in range(n_rows):
            total = base[margin, row]
            for at in range(n_positions):
                total += jumps[margin, row, start + at]
                margins[margin, row, at] = total
