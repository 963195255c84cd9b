"""The item sweep: exact ICE curves of every feature of a tree ensemble, a tree and a block of rows at a time.

An *item* is a row and a feature that is free to move. Going down a tree, a row that turns off at a node of a feature
leaves an item behind that goes the other way: the phantom observations that part from their row there. Items move
through the nodes in bulk, as rows do. At a node of their own feature they go wherever any of its positions go, at any
other they follow their row. At a leaf, which is written to from the node above it, an item means: at the positions that
lead here, the tree gives the value of this leaf instead of that of the row's leaf.

Which positions these are depends on the nodes above alone, not on the row, so it is not part of an item but of the
place in the tree. Differences are added to a difference array, so that the cost depends neither on the size of the grid
nor on the number of features that a tree does not use. Its cells are laid out by position, then by row: the items of a
leaf write to a few stretches of memory, which are the closer together the more alike neighbouring rows are.

Everything is integer: values and thresholds were turned into ranks. The kernels are compiled at module level, so that
they are cached on disk, and release the interpreter lock; indices are unsigned, which avoids code for negative ones.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

ROWS_AT_A_TIME = 128
LINKS = {"identity": 0, "sigmoid": 1, "exp": 2}
"""Links that are compiled, and their numbers."""

_IDENTITY = 0
_SIGMOID = 1
_INVERSE_LOG_2 = 1.4426950408889634
_LOG_2_LEADING, _LOG_2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_TO_WHOLE = 6755399441055744.0  # added to a number, its last bits are the nearest whole number
_WHOLE_BITS = 0x4338000000000000
_TAYLOR = tuple(1.0 / math.factorial(degree) for degree in range(13, -1, -1))
_LOWEST_EXPONENT, _HIGHEST_EXPONENT = -708.0, 710.0  # beyond them the exponential is 0 and infinite


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def exponential(values, sign, scratch, results):
    """Write exp(sign · value), within 2 units of the last place, several at a time.

    With k the whole number nearest to x / log 2, exp(x) is 2ᵏ exp(x - k log 2): the power is put together from bits,
    the exponential of what is left, at most log(2)/2, is a short Taylor series.

    - `scratch`: as many numbers as values, and the same memory as int64.
    """
    power, bits = scratch
    for index in range(values.shape[0]):
        power[index] = min(max(sign * values[index], _LOWEST_EXPONENT), _HIGHEST_EXPONENT) * _INVERSE_LOG_2 + _TO_WHOLE
    for index in range(values.shape[0]):
        bits[index] = (bits[index] - _WHOLE_BITS + 1023) << 52
    for index in range(values.shape[0]):
        exponent = min(max(sign * values[index], _LOWEST_EXPONENT), _HIGHEST_EXPONENT)
        whole = (exponent * _INVERSE_LOG_2 + _TO_WHOLE) - _TO_WHOLE
        rest = (exponent - whole * _LOG_2_LEADING) - whole * _LOG_2_REST
        series = 0.0
        for coefficient in _TAYLOR:
            series = series * rest + coefficient
        finite = 0.0 if exponent == _LOWEST_EXPONENT else series * power[index]
        results[index] = finite if values[index] == values[index] else values[index]


@njit(nogil=True, cache=True, error_model="numpy")
def write_curves(jumps, base, start, first, link, curves):
    """Write the curves of some rows, and set their jumps back to 0.

    - `jumps` (width, n_rows), `base` (n_rows,): of one margin; float64.
    - `start`, `first`: the first cell of the feature, and the first row. The cell after those of all positions is not
      used.
    - `link`: one of `LINKS`.
    - `curves` (n_positions, at most `ROWS_AT_A_TIME`): written, of the rows from the first on.
    """
    n_positions, n_rows = curves.shape
    margins = base[first : first + n_rows].copy()
    outputs = np.empty(n_rows)
    power = np.empty(n_rows)
    scratch = power, power.view(np.int64)
    for position in range(n_positions):
        changes = jumps[start + position, first : first + n_rows]
        for row in range(n_rows):
            margins[row] += changes[row]
            changes[row] = 0.0
        if link == _IDENTITY:
            for row in range(n_rows):
                curves[position, row] = margins[row]
            continue
        exponential(margins, -1.0 if link == _SIGMOID else 1.0, scratch, outputs)
        for row in range(n_rows):
            curves[position, row] = 1.0 / (1.0 + outputs[row]) if link == _SIGMOID else outputs[row]
    jumps[start + n_positions, first : first + n_rows] = 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def sum_margins(jumps, base, start, margins):
    """Write all margins (n_margins, n_positions, n_rows) of one feature, and set its jumps back to 0."""
    for margin in range(margins.shape[0]):
        for first in range(0, margins.shape[2], ROWS_AT_A_TIME):
            rows = margins[margin, :, first : first + ROWS_AT_A_TIME]
            write_curves(jumps[margin], base[margin], start, first, _IDENTITY, rows)


_U = np.uint64
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_NOTHING = np.uint32(0)
_ROW_MASK = np.uint32(0xFFFF)
_MOVER_SHIFT = np.uint32(16)

# Fields of a node that waits to be visited.
_NODE, _ABOVE = 0, 1  # number of nodes above it
_START, _STOP = 2, 3  # rows
_FIRST, _LAST = 4, 5  # items
_FREE, _LOW, _HIGH = 6, 7, 8  # feature of its parent, and which of its positions, or open runs, lead here
_RUNS_END = 9  # end of the open runs
_FIELDS = 10


# Functions that allocate nothing do without reference counts, which cost a sixth of the time of every node.
_plain = njit(nogil=True, cache=True, error_model="numpy", _nrt=False)  # type: ignore[call-overload]
_allocating = njit(nogil=True, cache=True, error_model="numpy")


@_plain
def _goes_left(node, rank, threshold, special):
    if special is not None:
        missing_left, category_start, category_words = special[0], special[1], special[2]
        if rank == special[6]:
            return _U(missing_left[node])
        if category_start[node] >= 0:
            word = category_words[_U(category_start[node]) + (_U(rank) >> _U(6))]
            return (word >> (_U(rank) & _U(63))) & _ONE
    return _U(rank <= threshold)


@_plain
def _split_rows(node, nodes, special, ranks, n_rows, rows, right_rows, start, stop):
    """Move the rows that go left to the front; return where those that go right begin."""
    column = _U(nodes[node, 0]) * n_rows
    threshold = nodes[node, 1]
    middle = start
    n_right = _ZERO
    for index in range(start, stop):
        row = rows[index]
        goes_left = _goes_left(node, ranks[column + _U(row)], threshold, special)
        rows[middle] = row
        right_rows[n_right] = row
        middle += goes_left
        n_right += _ONE - goes_left
    for index in range(n_right):
        rows[middle + _U(index)] = right_rows[_U(index)]
    return middle


@_plain
def _split_items(
    node, nodes, special, ranks, n_rows, free, any_left, any_right, items, start, stop, left
):  # fmt: skip
    """Write the items that go left from `left` on, those that go right from `start` on; return their ends."""
    column = _U(nodes[node, 0]) * n_rows
    threshold = nodes[node, 1]
    right = start
    for index in range(start, stop):
        item = items[index]
        follows = _goes_left(node, ranks[column + _U(item & _ROW_MASK)], threshold, special)
        is_free = (item >> _MOVER_SHIFT) == free
        items[left] = item
        items[right] = item
        left += any_left if is_free else follows
        right += any_right if is_free else _ONE - follows
    return left, right


@_plain
def _is_in_runs(special, free):
    """Return whether the positions of a feature are written as runs."""
    if special is not None:
        return special[3][free]
    return False


@_plain
def _split_runs(special, node, open_runs, first, last, end):
    """Write the parts of open runs first … last inside the runs of a node from `end` on, then the parts outside.

    - returns: where those outside begin and end.
    """
    if special is None:
        return end, end
    run_start, runs = special[4], special[5]
    run, run_end = run_start[node], run_start[node + 1]
    start = end
    for index in range(first, last):
        for node_run in range(run, run_end):
            low = max(open_runs[index, 0], runs[node_run, 0])
            high = min(open_runs[index, 1], runs[node_run, 1])
            if low < high:
                open_runs[end, 0], open_runs[end, 1] = low, high
                end += 1
    middle = end
    inside = start
    for index in range(first, last):
        low = open_runs[index, 0]
        while inside < middle and open_runs[inside, 1] <= open_runs[index, 1]:
            if low < open_runs[inside, 0]:
                open_runs[end, 0], open_runs[end, 1] = low, open_runs[inside, 0]
                end += 1
            low = open_runs[inside, 1]
            inside += 1
        if low < open_runs[index, 1]:
            open_runs[end, 0], open_runs[end, 1] = low, open_runs[index, 1]
            end += 1
    return middle, end


@_plain
def _emit(items, first, last, head, leaf, leaf_values, limits, cells, open_runs, special, jumps, n_rows):
    """Add the differences of items at the positions that lead to a leaf; rows are items with the head of a feature."""
    for index in range(first, last):
        item = items[index] | head
        row = _U(item & _ROW_MASK)
        difference = leaf - leaf_values[row]
        free = _U(item >> _MOVER_SHIFT)
        if _is_in_runs(special, free):
            cell = cells[free << _ONE] + row
            for run in range(limits[free, 0], limits[free, 1]):
                jumps[cell + _U(open_runs[run, 0]) * n_rows] += difference
                jumps[cell + _U(open_runs[run, 1]) * n_rows] -= difference
        else:
            jumps[cells[free << _ONE] + row] += difference
            jumps[cells[(free << _ONE) + _ONE] + row] -= difference


@_plain
def _land_rows(root, nodes, value, special, ranks, rows, right_rows, waiting, middles, leaf_values, base):
    """Send the rows of a block down a tree; the values of their leaves are written and added to `base`.

    Rows of a node are neighbours in `rows` afterwards, those that go left before those that go right, which begin at
    `middles`.
    """
    n_rows = _U(rows.shape[0])
    for row in range(n_rows):
        rows[row] = row
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = root, 0, np.int64(n_rows)
    top = 1
    while top > 0:
        top -= 1
        node, start, stop = waiting[top, 0], _U(waiting[top, 1]), _U(waiting[top, 2])
        if nodes[node, 0] < 0:
            leaf = value[node]
            for index in range(start, stop):
                row = rows[index]
                leaf_values[row] = leaf
                base[_U(row)] += leaf
            continue
        middle = _split_rows(node, nodes, special, ranks, n_rows, rows, right_rows, start, stop)
        middles[node] = np.uint32(middle)
        if middle < stop:
            waiting[top, 0], waiting[top, 1], waiting[top, 2] = nodes[node, 2] + 1, np.int64(middle), np.int64(stop)
            top += 1
        if middle > start:
            waiting[top, 0], waiting[top, 1], waiting[top, 2] = nodes[node, 2], np.int64(start), np.int64(middle)
            top += 1


@_plain
def _limit(limits, cells, offsets, n_rows, special, free, low, high):
    """Let only positions, or open runs, low … high of a feature through."""
    limits[free, 0], limits[free, 1] = low, high
    if not _is_in_runs(special, free):
        cells[_U(free) << _ONE] = (offsets[free] + _U(low)) * n_rows
        cells[(_U(free) << _ONE) + _ONE] = (offsets[free] + _U(high)) * n_rows


@_plain
def _undo(limits, cells, offsets, n_rows, special, passed, depth, above):
    """Let through again what nodes on the previous path did not, back to the node that both paths share."""
    while depth > above:
        depth -= _ONE
        free = passed[depth, 0]
        if free >= 0:
            _limit(limits, cells, offsets, n_rows, special, _U(free), passed[depth, 1], passed[depth, 2])


@_plain
def _split_positions(node, free, nodes, special, limits, open_runs, runs_end):
    """Return first and last position, or open run, that go left, those that go right, and the end of the open runs."""
    low, high = limits[free, 0], limits[free, 1]
    if _is_in_runs(special, free):
        middle, end = _split_runs(special, node, open_runs, low, high, runs_end)
        return runs_end, middle, middle, end, end
    cut = np.int64(nodes[node, 3])
    return low, min(high, cut), max(low, cut), high, runs_end


@_plain
def _send(
    child, above, start, stop, first, last, turned, turned_end, free, low, high, runs_end,
    nodes, value, special, rows, leaf_values, items, waiting, top, limits, cells, open_runs, offsets, jumps, counters,
):  # fmt: skip
    """Send rows and items to a child: a leaf is written to, any other node waits.

    - `turned`, `turned_end`: rows that go to the other child, and leave items behind for this one.
    - returns: how many nodes wait.
    """
    n_rows = _U(rows.shape[0])
    if low >= high:
        turned = turned_end
    head = np.uint32(free) << _MOVER_SHIFT
    if nodes[child, 0] < 0:
        counters[1] += np.int64(last - first + turned_end - turned)
        leaf = value[child]
        low_before, high_before = 0, 0
        if free >= 0:
            low_before, high_before = limits[free, 0], limits[free, 1]
            _limit(limits, cells, offsets, n_rows, special, _U(free), low, high)
        _emit(rows, turned, turned_end, head, leaf, leaf_values, limits, cells, open_runs, special, jumps, n_rows)
        _emit(items, first, last, _NOTHING, leaf, leaf_values, limits, cells, open_runs, special, jumps, n_rows)
        if free >= 0:
            _limit(limits, cells, offsets, n_rows, special, _U(free), low_before, high_before)
        return top
    for index in range(turned, turned_end):
        items[last] = rows[index] | head
        last += _ONE
    if first < last or start < stop:
        waiting[top, _NODE], waiting[top, _ABOVE] = child, above
        waiting[top, _START], waiting[top, _STOP] = np.int64(start), np.int64(stop)
        waiting[top, _FIRST], waiting[top, _LAST] = np.int64(first), np.int64(last)
        waiting[top, _FREE], waiting[top, _LOW], waiting[top, _HIGH] = free, low, high
        waiting[top, _RUNS_END] = runs_end
        top += _ONE
    return top


@_plain
def _walk(
    top, depth, nodes, value, mover, special, ranks, rows, middles, leaf_values, items, waiting, passed, limits, cells,
    open_runs, offsets, jumps, counters,
):  # fmt: skip
    """Send rows and items down a tree, depth first; return early, with the size that is needed, if items do not fit."""
    n_rows = _U(rows.shape[0])
    while top > _ZERO:
        top -= _ONE
        start, stop = _U(waiting[top, _START]), _U(waiting[top, _STOP])
        first, last = _U(waiting[top, _FIRST]), _U(waiting[top, _LAST])
        # Items that go right replace those of the node; rows that go left leave more behind.
        needed = last + _U(2) * (stop - start) + last - first
        if needed > _U(items.shape[0]):
            return top + _ONE, depth, needed
        above, node, free = _U(waiting[top, _ABOVE]), waiting[top, _NODE], waiting[top, _FREE]
        _undo(limits, cells, offsets, n_rows, special, passed, depth, above)
        depth = above + _ONE
        passed[above, 0] = free
        if free >= 0:
            passed[above, 1], passed[above, 2] = limits[free, 0], limits[free, 1]
            low, high = waiting[top, _LOW], waiting[top, _HIGH]
            _limit(limits, cells, offsets, n_rows, special, _U(free), low, high)
        counters[0] += np.int64(last - first + stop - start)
        middle = _U(middles[node]) if start < stop else start
        free = np.int64(mover[nodes[node, 0]])
        runs_end = waiting[top, _RUNS_END]
        low, left_high, right_low, high = 0, 0, 0, 0
        if free >= 0:
            low, left_high, right_low, high, runs_end = _split_positions(
                node, free, nodes, special, limits, open_runs, runs_end
            )
        left = last + (middle - start)
        left_end, right_end = _split_items(
            node, nodes, special, ranks, n_rows, np.uint32(free), _U(low < left_high), _U(right_low < high),
            items, first, last, left,
        )  # fmt: skip
        child = np.int64(nodes[node, 2])
        top = _send(
            child + 1, np.int64(depth), middle, stop, first, right_end, start, middle, free, right_low, high, runs_end,
            nodes, value, special, rows, leaf_values, items, waiting, top, limits, cells, open_runs, offsets, jumps,
            counters,
        )  # fmt: skip
        top = _send(
            child, np.int64(depth), start, middle, left, left_end, middle, stop, free, low, left_high, runs_end,
            nodes, value, special, rows, leaf_values, items, waiting, top, limits, cells, open_runs, offsets, jumps,
            counters,
        )  # fmt: skip
    _undo(limits, cells, offsets, n_rows, special, passed, depth, _ZERO)
    return top, _ZERO, _ZERO


@_allocating
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


@_allocating
def number_leaves(nodes, special, ranks, n_rows, leaves):
    """Write a number of the leaf of the first tree that each row falls into, increasing from left to right."""
    for row in range(_U(n_rows)):
        node, digit = 0, 0.5
        leaves[row] = 0.0
        while nodes[node, 0] >= 0:
            rank = ranks[_U(nodes[node, 0]) * _U(n_rows) + row]
            goes_right = np.int64(_ONE - _goes_left(node, rank, nodes[node, 1], special))
            leaves[row] += digit * goes_right
            node = np.int64(nodes[node, 2]) + goes_right
            digit /= 2.0


@_allocating
def sweep(
    nodes, value, deepest, margins, mover, n_positions, offsets, width, special, open_runs, ranks, n_rows, jumps, base,
    counters,
):  # fmt: skip
    """Add the jumps of all trees for a block of rows.

    Compiled twice: forests without missing values, categories and features in runs need none of the code for them,
    and are up to half as fast again without it.

    - `nodes` … `width`: as `TreeCurves` and `VariedFeatures` have them.
    - `special`: missing_left, category_start, category_words, in_runs, run_start, runs, rank of a missing value; None
      where no rank is that, no node is categorical and no feature is in runs.
    - `open_runs`: int32 (n, 2), overwritten. At each node of a path at most as many are open as its feature has
      positions.
    - `ranks`: uint16 or int32, flat (n_columns, n_rows), of at most 65536 rows.
    - `jumps`: float64, flat (n_margins, width, n_rows); the difference array that is added to.
    - `base`: float64, flat (n_margins, n_rows); margins of the rows themselves, added to.
    - `counters`: int64 (2,); node visits of rows and items, and items that reached a leaf; added to.
    """
    n_rows = _U(n_rows)
    n_movers = n_positions.shape[0]
    rows = np.empty(n_rows, np.uint32)
    right_rows = np.empty(n_rows, np.uint32)
    leaf_values = np.empty(n_rows)
    middles = np.empty(nodes.shape[0], np.uint32)
    items = np.empty(n_rows * _U(16) + _U(1024), np.uint32)
    # Tables that may have to grow inside the walk would slow every step of it.
    waiting = np.empty((deepest + 2, _FIELDS), np.int64)
    passed = np.empty((deepest + 1, 3), np.int64)
    # What the nodes passed so far let through of each feature: positions, or open runs, low … high.
    limits = np.empty((n_movers, 2), np.int64)
    cells = np.empty(2 * n_movers, np.uint64)
    runs_end = 0
    for free in range(n_movers):
        # Features in runs are written from their first cell on, whatever is let through.
        cells[_U(free) << _ONE] = offsets[free] * n_rows
        _limit(limits, cells, offsets, n_rows, special, free, 0, n_positions[free])
        if _is_in_runs(special, free):
            open_runs[runs_end, 0], open_runs[runs_end, 1] = 0, n_positions[free]
            _limit(limits, cells, offsets, n_rows, special, free, runs_end, runs_end + 1)
            runs_end += 1
    margin_size = _U(width) * n_rows
    for root in range(margins.shape[0]):
        margin = _U(margins[root])
        tree_base = base[margin * n_rows : (margin + _ONE) * n_rows]
        tree_jumps = jumps[margin * margin_size : (margin + _ONE) * margin_size]
        _land_rows(root, nodes, value, special, ranks, rows, right_rows, waiting, middles, leaf_values, tree_base)
        if nodes[root, 0] < 0 or n_movers == 0:
            continue
        waiting[0, :] = 0
        waiting[0, _NODE], waiting[0, _STOP] = root, np.int64(n_rows)
        waiting[0, _FREE], waiting[0, _RUNS_END] = -1, runs_end
        top, depth = _ONE, _ZERO
        while top > _ZERO:
            top, depth, needed = _walk(
                top, depth, nodes, value, mover, special, ranks, rows, middles, leaf_values, items, waiting, passed,
                limits, cells, open_runs, offsets, tree_jumps, counters,
            )  # fmt: skip
            if top > _ZERO:
                larger = np.empty(max(np.int64(needed), 2 * items.shape[0]), items.dtype)
                larger[: items.shape[0]] = items
                items = larger
