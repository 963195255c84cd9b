"""The item sweep: exact ICE curves of every feature of a tree ensemble, a tree and a block of rows at a time.

An *item* is a row and a feature that is free to move. Going down a tree, a row that turns off at a
node of a feature leaves behind an item that goes the other way: the phantoms that part from their
observation there. Items move through the nodes in bulk, as rows do; at a node of their own feature
they go wherever some of its positions go, at any other they follow their row. At a leaf an item
says: at the positions that lead here, the tree gives this leaf's value instead of the row's own.
Which positions these are depends on the nodes above alone, not on the row, so it is not part of an
item but of where the sweep stands in the tree. Differences go into a difference array, so that the
cost depends neither on the size of the grid nor on the number of features that a tree does not
touch. Its cells are laid out by position, then by row: the items of a leaf write to a few
stretches of memory, the closer together the more alike neighbouring rows are.

Everything is integer here: values and thresholds were turned into ranks by the library's own cast
and comparison (`curves.tree`). These kernels are compiled at module level, so that they are cached
on disk, and release the interpreter lock; indices are unsigned, which spares the wrap-around code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ice_explorer.curves.splits import MISSING

_MISSING = np.int32(MISSING)

_U = np.uint64
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_ROW_MASK = np.uint32(0xFFFF)
_MOVER_SHIFT = np.uint32(16)
_TILE = 16  # rows whose cells are added up side by side

# What a frame of the walk through a tree holds.
_NODE, _STAGE = 0, 1
_ROWS, _MIDDLE, _ROWS_END = 2, 3, 4  # rows that go left, then those that go right
_LEFT, _LEFT_END, _RIGHT, _RIGHT_END = 5, 6, 7, 8  # items that go left and right
_LOW, _HIGH = 9, 10  # positions, or held runs, of the node's feature that its ancestors let through
_RUNS_LEFT, _RUNS_RIGHT, _RUNS_END = 11, 12, 13  # held runs of them that go left, then right
_FIELDS = 14


@njit(nogil=True, cache=True, error_model="numpy")
def _longer(table, needed):
    """Return a larger copy of a table of at least `needed` rows."""
    larger = np.empty((max(np.int64(needed), 2 * table.shape[0]), table.shape[1]), table.dtype)
    larger[: table.shape[0]] = table
    return larger


@njit(nogil=True, cache=True, error_model="numpy")
def _more(items, needed):
    """Return a larger copy of the item buffer."""
    larger = np.empty(max(np.int64(needed), 2 * items.shape[0]), items.dtype)
    larger[: items.shape[0]] = items
    return larger


@njit(nogil=True, cache=True, error_model="numpy")
def _goes_left(node, rank, threshold, special):
    """Whether a rank goes left at a node, as 0 or 1."""
    if special is not None:
        missing_left, category_start, category_words = special[0], special[1], special[2]
        if rank == _MISSING:
            return _U(missing_left[node])
        if category_start[node] >= 0:
            word = category_words[_U(category_start[node]) + (_U(rank) >> _U(6))]
            return (word >> (_U(rank) & _U(63))) & _ONE
    return _U(rank <= threshold)


@njit(nogil=True, cache=True, error_model="numpy")
def _part_rows(node, nodes, special, ranks, n_rows, rows, others, start, stop):
    """Bring the rows that go left to the front; return where those that go right begin."""
    column = _U(nodes[node, 0]) * n_rows
    threshold = nodes[node, 1]
    middle = start
    n_right = _ZERO
    for at in range(start, stop):
        row = rows[at]
        goes_left = _goes_left(node, ranks[column + _U(row)], threshold, special)
        rows[middle] = row
        others[n_right] = row
        middle += goes_left
        n_right += _ONE - goes_left
    for at in range(n_right):
        rows[middle + _U(at)] = others[_U(at)]
    return middle


@njit(nogil=True, cache=True, error_model="numpy")
def _part_items(
    node, nodes, special, ranks, n_rows, free, some_go_left, some_go_right, items, start, stop, left
):  # fmt: skip
    """Write the items that go left from `left` on, those that go right from `start` on; return their ends."""
    column = _U(nodes[node, 0]) * n_rows
    threshold = nodes[node, 1]
    right = start
    for at in range(start, stop):
        item = items[at]
        follows = _goes_left(node, ranks[column + _U(item & _ROW_MASK)], threshold, special)
        is_free = (item >> _MOVER_SHIFT) == free
        items[left] = item
        items[right] = item
        left += some_go_left if is_free else follows
        right += some_go_right if is_free else _ONE - follows
    return left, right


@njit(nogil=True, cache=True, error_model="numpy")
def _is_in_runs(special, free):
    """Whether the positions of a feature that lead somewhere are held as runs."""
    if special is not None:
        return special[3][free]
    return False


@njit(nogil=True, cache=True, error_model="numpy")
def _room_for_runs(special, node, held, n_held, n_here):
    """Return the table of held runs, longer if what a node makes of `n_here` runs does not fit."""
    if special is not None:
        run_start = special[4]
        needed = n_held + 3 * (n_here + run_start[node + 1] - run_start[node]) + 2
        if needed > held.shape[0]:
            return _longer(held, needed)
    return held


@njit(nogil=True, cache=True, error_model="numpy")
def _part_runs(special, node, held, first, last, end):
    """Write the held runs first … last that lie in a node's runs from `end` on, then those outside them.

    Returns
    -------
    middle, end : int
        Where those outside begin and end.
    """
    if special is None:
        return end, end
    run_start, runs = special[4], special[5]
    run, run_end = run_start[node], run_start[node + 1]
    start = end
    for at in range(first, last):
        for other in range(run, run_end):
            low = max(held[at, 0], runs[other, 0])
            high = min(held[at, 1], runs[other, 1])
            if low < high:
                held[end, 0] = low
                held[end, 1] = high
                end += 1
    middle = end
    inside = start
    for at in range(first, last):
        low = held[at, 0]
        while inside < middle and held[inside, 1] <= held[at, 1]:
            if low < held[inside, 0]:
                held[end, 0] = low
                held[end, 1] = held[inside, 0]
                end += 1
            low = held[inside, 1]
            inside += 1
        if low < held[at, 1]:
            held[end, 0] = low
            held[end, 1] = held[at, 1]
            end += 1
    return middle, end


@njit(nogil=True, cache=True, error_model="numpy")
def _emit(items, first, last, leaf, own, lows, highs, held, special, jumps, jumps_of, offsets, n_rows):
    """Add what the items at a leaf bring, at the positions that lead there."""
    for at in range(first, last):
        item = items[at]
        row = _U(item & _ROW_MASK)
        difference = leaf - own[row]
        if difference != 0.0:
            free = item >> _MOVER_SHIFT
            cell = jumps_of + offsets[free]
            low, high = lows[free], highs[free]
            if _is_in_runs(special, free):
                for run in range(low, high):
                    jumps[(cell + _U(held[run, 0])) * n_rows + row] += difference
                    jumps[(cell + _U(held[run, 1])) * n_rows + row] -= difference
            else:
                jumps[(cell + _U(low)) * n_rows + row] += difference
                jumps[(cell + _U(high)) * n_rows + row] -= difference


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(
    nodes, value, roots, margins, mover, n_positions, offsets, width, special, ranks, n_rows, jumps, base, counters
):
    """Add the jumps of all trees for a block of rows.

    Compiled twice: forests without missing values, categories and features in runs need none of the
    code for them, which makes them up to half as fast again.

    Parameters
    ----------
    nodes … width
        As `SweepForest` has them.
    special : tuple or None
        missing_left, category_start, category_words, in_runs, run_start and runs of `SweepForest`; None
        where no rank is `MISSING`, no node is categorical and no feature is in runs.
    ranks : int32, flat (n_columns, n_rows)
    n_rows : int
        At most 65536.
    jumps : float64, flat (n_margins, width, n_rows)
        Difference array that is added to.
    base : float64, flat (n_margins, n_rows)
        Margins of the rows themselves, added to.
    counters : int64 (2,)
        Node visits of items and of the rows beside them, and items that reached a leaf; added to.
    """
    n_rows = _U(n_rows)
    width = _U(width)
    n_movers = n_positions.shape[0]
    rows = np.empty(n_rows, np.uint32)
    others = np.empty(n_rows, np.uint32)
    own = np.empty(n_rows)
    middles = np.empty(nodes.shape[0], np.uint32)
    items = np.empty(n_rows * _U(16) + _U(1024), np.uint32)
    frames = np.empty((64, _FIELDS), np.int64)
    waiting = np.empty((64, 3), np.int64)
    held = np.empty((64 + 2 * n_movers, 2), np.int32)
    # What the nodes passed so far let through of each feature: positions low … high, or held runs.
    lows = np.zeros(n_movers, np.int64)
    highs = np.empty(n_movers, np.int64)
    n_held = 0
    for free in range(n_movers):
        highs[free] = n_positions[free]
        if _is_in_runs(special, free):
            lows[free] = n_held
            held[n_held, 0] = 0
            held[n_held, 1] = n_positions[free]
            n_held += 1
            highs[free] = n_held
    visits = 0
    emitted = 0
    for tree in range(roots.shape[0]):
        root = np.int64(roots[tree])
        jumps_of = _U(margins[tree]) * width
        base_of = _U(margins[tree]) * n_rows
        # First the rows alone: the leaf each one falls into is what its items differ from.
        for row in range(n_rows):
            rows[row] = row
        waiting[0, 0] = root
        waiting[0, 1] = 0
        waiting[0, 2] = np.int64(n_rows)
        top = 1
        while top > 0:
            top -= 1
            node = waiting[top, 0]
            start = _U(waiting[top, 1])
            stop = _U(waiting[top, 2])
            column = nodes[node, 0]
            if column < 0:
                leaf = value[node]
                for at in range(start, stop):
                    row = rows[at]
                    own[row] = leaf
                    base[base_of + _U(row)] += leaf
                continue
            middle = _part_rows(node, nodes, special, ranks, n_rows, rows, others, start, stop)
            middles[node] = np.uint32(middle)
            if top + 2 > waiting.shape[0]:
                waiting = _longer(waiting, top + 2)
            if middle < stop:
                waiting[top, 0] = nodes[node, 2] + 1
                waiting[top, 1] = np.int64(middle)
                waiting[top, 2] = np.int64(stop)
                top += 1
            if middle > start:
                waiting[top, 0] = nodes[node, 2]
                waiting[top, 1] = np.int64(start)
                waiting[top, 2] = np.int64(middle)
                top += 1
        # Then rows and items together, depth first, the left side of a node before its right one. The
        # rows of a node still stand side by side, those that went left before those that went right.
        depth = 0
        node = root
        start, stop = _ZERO, n_rows
        first, last = _ZERO, _ZERO  # items here
        arriving = True
        while depth >= 0:
            if arriving and nodes[node, 0] < 0:
                leaf = value[node]
                emitted += np.int64(last - first)
                _emit(items, first, last, leaf, own, lows, highs, held, special, jumps, jumps_of, offsets, n_rows)
                depth -= 1
                arriving = False
                continue
            if depth + 1 >= frames.shape[0]:
                frames = _longer(frames, depth + 2)
            if arriving:
                column = nodes[node, 0]
                free = mover[column]
                n_items = last - first
                n_here = stop - start
                visits += np.int64(n_items + n_here)
                middle = _U(middles[node]) if n_here > _ZERO else start
                some_go_left, some_go_right = _ZERO, _ZERO
                if free >= 0:
                    frames[depth, _LOW] = lows[free]
                    frames[depth, _HIGH] = highs[free]
                    if _is_in_runs(special, free):
                        held = _room_for_runs(special, node, held, n_held, highs[free] - lows[free])
                        middle_run, end = _part_runs(special, node, held, lows[free], highs[free], n_held)
                        frames[depth, _RUNS_LEFT] = n_held
                        frames[depth, _RUNS_RIGHT] = middle_run
                        frames[depth, _RUNS_END] = end
                        some_go_left = _U(n_held < middle_run)
                        some_go_right = _U(middle_run < end)
                        n_held = end
                    else:
                        some_go_left = _U(lows[free] < min(highs[free], nodes[node, 3]))
                        some_go_right = _U(max(lows[free], nodes[node, 3]) < highs[free])
                # Items that go right take the place of those here; rows that go left leave more behind.
                left = last + (middle - start)
                needed = left + n_items + n_here
                if needed > _U(items.shape[0]):
                    items = _more(items, needed)
                frames[depth, _NODE] = node
                frames[depth, _STAGE] = 0
                frames[depth, _ROWS] = np.int64(start)
                frames[depth, _MIDDLE] = np.int64(middle)
                frames[depth, _ROWS_END] = np.int64(stop)
                frames[depth, _LEFT] = np.int64(left)
                frames[depth, _RIGHT] = np.int64(first)
                left, right = _part_items(
                    node, nodes, special, ranks, n_rows, np.uint32(free), some_go_left, some_go_right,
                    items, first, last, left,
                )  # fmt: skip
                head = np.uint32(free) << _MOVER_SHIFT
                if some_go_right != _ZERO:
                    for at in range(start, middle):
                        items[right] = rows[at] | head
                        right += _ONE
                if some_go_left != _ZERO:
                    for at in range(middle, stop):
                        items[left] = rows[at] | head
                        left += _ONE
                frames[depth, _LEFT_END] = np.int64(left)
                frames[depth, _RIGHT_END] = np.int64(right)
            column = nodes[frames[depth, _NODE], 0]
            free = mover[column]
            if frames[depth, _STAGE] == 0:
                frames[depth, _STAGE] = 1
                if frames[depth, _LEFT_END] > frames[depth, _LEFT] or frames[depth, _MIDDLE] > frames[depth, _ROWS]:
                    if free >= 0:
                        if _is_in_runs(special, free):
                            lows[free] = frames[depth, _RUNS_LEFT]
                            highs[free] = frames[depth, _RUNS_RIGHT]
                        else:
                            highs[free] = min(frames[depth, _HIGH], np.int64(nodes[frames[depth, _NODE], 3]))
                    node = np.int64(nodes[frames[depth, _NODE], 2])
                    start, stop = _U(frames[depth, _ROWS]), _U(frames[depth, _MIDDLE])
                    first, last = _U(frames[depth, _LEFT]), _U(frames[depth, _LEFT_END])
                    depth += 1
                    arriving = True
                    continue
            if frames[depth, _STAGE] == 1:
                frames[depth, _STAGE] = 2
                if (
                    frames[depth, _RIGHT_END] > frames[depth, _RIGHT]
                    or frames[depth, _MIDDLE] < frames[depth, _ROWS_END]
                ):
                    if free >= 0:
                        if _is_in_runs(special, free):
                            lows[free] = frames[depth, _RUNS_RIGHT]
                            highs[free] = frames[depth, _RUNS_END]
                        else:
                            lows[free] = max(frames[depth, _LOW], np.int64(nodes[frames[depth, _NODE], 3]))
                            highs[free] = frames[depth, _HIGH]
                    node = np.int64(nodes[frames[depth, _NODE], 2]) + 1
                    start, stop = _U(frames[depth, _MIDDLE]), _U(frames[depth, _ROWS_END])
                    first, last = _U(frames[depth, _RIGHT]), _U(frames[depth, _RIGHT_END])
                    depth += 1
                    arriving = True
                    continue
            if free >= 0:
                lows[free] = frames[depth, _LOW]
                highs[free] = frames[depth, _HIGH]
                if _is_in_runs(special, free):
                    n_held = frames[depth, _RUNS_LEFT]
            depth -= 1
            arriving = False
    counters[0] += visits
    counters[1] += emitted


@njit(nogil=True, cache=True, error_model="numpy")
def add_up(jumps, base, start, margins):
    """Turn the jumps (n_margins, width, n_rows) of one feature into margins (n_margins, n_rows, n_positions)."""
    n_margins, n_rows, n_positions = margins.shape
    total = np.empty(_TILE)
    for margin in range(n_margins):
        for first in range(0, n_rows, _TILE):
            n_here = min(_TILE, n_rows - first)
            for row in range(n_here):
                total[row] = base[margin, first + row]
            for at in range(n_positions):
                for row in range(n_here):
                    total[row] += jumps[margin, start + at, first + row]
                    margins[margin, first + row, at] = total[row]
