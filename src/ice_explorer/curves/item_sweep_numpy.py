"""The item sweep in NumPy alone, for where numba does not run, and to check it against.

All (row, tree) pairs of a chunk go down one level at a time; items join them as they part. See
`curves.item_sweep` for what an item is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.curves.forest import SweepForest

    _Items = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
    """Pair of row and tree, low and high position, feature, node."""

_MISSING = 2**30
_PAIRS = 200_000  # (row, tree) pairs that go down together


def bounds_of_nodes(
    nodes: NDArray[np.int32],
    n_positions: NDArray[np.int64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
) -> int:
    """Write, for every node, the positions of its own feature that its ancestors let through."""
    parent = np.full(len(nodes), -1, np.int64)
    inner = np.flatnonzero(nodes[:, 0] >= 0)
    parent[nodes[inner, 2]] = inner
    parent[nodes[inner, 2] + 1] = inner
    low[inner] = 0
    high[inner] = n_positions[nodes[inner, 0]]
    child, of, depth = inner, inner, 0
    while len(child):
        above = parent[child]
        child, of, above = child[above >= 0], of[above >= 0], above[above >= 0]
        same = nodes[above, 0] == nodes[of, 0]
        is_left = nodes[above, 2] == child
        cut = nodes[above, 3]
        np.minimum.at(high, of[same & is_left], cut[same & is_left])
        np.maximum.at(low, of[same & ~is_left], cut[same & ~is_left])
        child = above
        depth += 1
    return depth


def sweep(forest: SweepForest, ranks: NDArray[np.int32], jumps: NDArray[np.float64], base: NDArray[np.float64]) -> None:
    """Add the jumps of all trees for some rows.

    Parameters
    ----------
    forest : SweepForest
    ranks : ndarray of shape (n_features, n_rows)
    jumps : ndarray of shape (n_margins, n_rows, width)
        Added to.
    base : ndarray of shape (n_margins, n_rows)
        Added to.
    """
    n_rows = ranks.shape[1]
    step = max(1, _PAIRS // len(forest.roots))
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        _sweep_chunk(forest, ranks[:, rows], jumps[:, rows], base[:, rows])


def _sweep_chunk(
    forest: SweepForest, ranks: NDArray[np.int32], jumps: NDArray[np.float64], base: NDArray[np.float64]
) -> None:
    nodes, value = forest.nodes, forest.value
    n_rows, n_trees = ranks.shape[1], len(forest.roots)
    pair_row = np.tile(np.arange(n_rows), n_trees)
    pair_tree = np.repeat(np.arange(n_trees), n_rows)
    at = np.repeat(forest.roots.astype(np.int64), n_rows)
    leaf_of_pair = np.empty(len(at), np.int64)
    pair = np.arange(len(at))
    left_behind: list[_Items] = []
    while len(pair):
        done = nodes[at, 0] < 0
        leaf_of_pair[pair[done]] = at[done]
        pair, at = pair[~done], at[~done]
        goes_left = _goes_left(forest, ranks, at, pair_row[pair])
        left_behind.extend(_parting_items(forest, pair, at, goes_left))
        at = nodes[at, 2].astype(np.int64) + ~goes_left
    margin = forest.margins[pair_tree]
    np.add.at(base, (margin, pair_row), value[leaf_of_pair])
    if not left_behind:
        return
    pair, low, high, feature, at = (np.concatenate(parts) for parts in zip(*left_behind, strict=True))
    while len(pair):
        done = nodes[at, 0] < 0
        if done.any():
            ended = pair[done]
            difference = value[at[done]] - value[leaf_of_pair[ended]]
            cell = forest.offsets[feature[done]].astype(np.int64)
            where = (margin[ended], pair_row[ended])
            np.add.at(jumps, (*where, cell + low[done]), difference)
            np.subtract.at(jumps, (*where, cell + high[done]), difference)
            pair, low, high, feature, at = (part[~done] for part in (pair, low, high, feature, at))
        own = nodes[at, 0] == feature
        goes_left = _goes_left(forest, ranks, at, pair_row[pair])
        moved: list[_Items] = [
            (pair[~own], low[~own], high[~own], feature[~own], nodes[at[~own], 2].astype(np.int64) + ~goes_left[~own])
        ]
        moved += _cut_items(forest, (pair[own], low[own], high[own], feature[own], at[own]))
        pair, low, high, feature, at = (np.concatenate(parts) for parts in zip(*moved, strict=True))


def _goes_left(
    forest: SweepForest, ranks: NDArray[np.int32], at: NDArray[np.int64], row: NDArray[np.int64]
) -> NDArray[np.bool_]:
    rank = ranks[forest.nodes[at, 0], row]
    left = rank <= forest.nodes[at, 1]
    missing = rank == _MISSING
    start = forest.category_start[at]
    categorical = (start >= 0) & ~missing
    if categorical.any():
        code = rank[categorical].astype(np.uint64)
        word = forest.category_words[start[categorical] + (code >> np.uint64(6)).astype(np.int64)]
        left[categorical] = (word >> (code & np.uint64(63))) & np.uint64(1)
    left[missing] = forest.missing_left[at[missing]]
    return np.asarray(left)


def _parting_items(
    forest: SweepForest, pair: NDArray[np.int64], at: NDArray[np.int64], goes_left: NDArray[np.bool_]
) -> list[_Items]:
    """Items that the rows leave behind: the other side of each node, as far as its ancestors allow."""
    feature, child, cut = (forest.nodes[at, column].astype(np.int64) for column in (0, 2, 3))
    low = np.where(goes_left, np.maximum(cut, forest.low[at]), forest.low[at])
    high = np.where(goes_left, forest.high[at], np.minimum(cut, forest.high[at]))
    categorical = forest.category_start[at] >= 0
    some = (low < high) & ~categorical
    parted: list[_Items] = [(pair[some], low[some], high[some], feature[some], (child + goes_left)[some])]
    for side, (first, last) in ((True, (4, 5)), (False, (2, 3))):
        here = np.flatnonzero(categorical & (goes_left == side))
        begin, end = forest.run_bounds[at[here], first], forest.run_bounds[at[here], last]
        for step in range(int((end - begin).max(initial=0))):
            which = here[begin + step < end]
            run = forest.runs[forest.run_bounds[at[which], first] + step]
            parted.append((pair[which], run[:, 0], run[:, 1], feature[which], (child + goes_left)[which]))
    return parted


def _cut_items(forest: SweepForest, items: _Items) -> list[_Items]:
    """Items at a node of their own feature: the positions on its left and those on its right."""
    pair, low, high, feature, at = items
    child, cut = (forest.nodes[at, column].astype(np.int64) for column in (2, 3))
    categorical = forest.category_start[at] >= 0
    left = (low < cut) & ~categorical
    right = (high > cut) & ~categorical
    pieces: list[_Items] = [
        (pair[left], low[left], np.minimum(high, cut)[left], feature[left], child[left]),
        (pair[right], np.maximum(low, cut)[right], high[right], feature[right], child[right] + 1),
    ]
    here = np.flatnonzero(categorical)
    begin = low.copy()
    first, last = forest.run_bounds[at[here], 0], forest.run_bounds[at[here], 1]
    for step in range(int((last - first).max(initial=0))):
        some = first + step < last
        which, run = here[some], forest.runs[first[some] + step]
        before = np.minimum(run[:, 0], high[which])
        goes = begin[which] < before
        pieces.append(
            (pair[which[goes]], begin[which[goes]], before[goes], feature[which[goes]], child[which[goes]] + 1)
        )
        inside_low, inside_high = np.maximum(begin[which], run[:, 0]), np.minimum(high[which], run[:, 1])
        goes = inside_low < inside_high
        pieces.append(
            (pair[which[goes]], inside_low[goes], inside_high[goes], feature[which[goes]], child[which[goes]])
        )
        begin[which] = np.maximum(begin[which], run[:, 1])
    goes = here[begin[here] < high[here]]
    pieces.append((pair[goes], begin[goes], high[goes], feature[goes], child[goes] + 1))
    return pieces
