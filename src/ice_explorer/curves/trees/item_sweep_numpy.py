"""The item sweep in NumPy alone, for where numba does not run, and to check it against.

All (row, tree) pairs of a chunk go down one level at a time; items join them as they part. At a node
of their own feature items go both ways; which positions lead to a leaf, if any, is found from the
leaf upwards. See `curves.item_sweep` for what an item is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.curves.trees.splits import missing_rank

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.curves.trees.ranked_forest import SweepForest

    _Items = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
    """Pair of row and tree, free feature, node."""

_PAIRS = 200_000  # (row, tree) pairs that go down together


def leaves(forest: SweepForest, ranks: NDArray[Any]) -> NDArray[np.float64]:
    """Number the leaves of the first tree that rows fall into, (n_rows,), increasing from left to right.

    - `ranks` (n_columns, n_rows).
    """
    at = np.full(ranks.shape[1], forest.roots[0], np.int64)
    place = np.zeros(len(at))  # binary digits: 1 where a row goes right
    digit = 0.5
    going = np.flatnonzero(forest.nodes[at, 0] >= 0)
    while len(going):
        goes_left = _goes_left(forest, ranks, at[going], going)
        place[going] += digit * ~goes_left
        at[going] = forest.nodes[at[going], 2] + ~goes_left
        digit /= 2
        going = going[forest.nodes[at[going], 0] >= 0]
    return place


def sweep(forest: SweepForest, ranks: NDArray[Any], jumps: NDArray[np.float64], base: NDArray[np.float64]) -> None:
    """Add the jumps of all trees for some rows.

    - `ranks` (n_columns, n_rows).
    - `jumps` (n_margins, width, n_rows): added to.
    - `base` (n_margins, n_rows): added to.
    """
    parent = np.full(len(forest.nodes), -1, np.int64)
    inner = np.flatnonzero(forest.nodes[:, 0] >= 0)
    parent[forest.nodes[inner, 2]] = inner
    parent[forest.nodes[inner, 2] + 1] = inner
    n_rows = ranks.shape[1]
    step = max(1, _PAIRS // len(forest.roots))
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        _sweep_chunk(forest, parent, ranks[:, rows], jumps[:, :, rows], base[:, rows])


def _sweep_chunk(
    forest: SweepForest,
    parent: NDArray[np.int64],
    ranks: NDArray[Any],
    jumps: NDArray[np.float64],
    base: NDArray[np.float64],
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
        child, free = nodes[at, 2].astype(np.int64), forest.mover[nodes[at, 0]]
        parts = free >= 0
        left_behind.append((pair[parts], free[parts], (child + goes_left)[parts]))
        at = child + ~goes_left
    margin = forest.margins[pair_tree]
    np.add.at(base, (margin, pair_row), value[leaf_of_pair])
    if not left_behind:
        return
    pair, free, at = (np.concatenate(parts) for parts in zip(*left_behind, strict=True))
    while len(pair):
        done = nodes[at, 0] < 0
        ended = pair[done]
        difference = value[at[done]] - value[leaf_of_pair[ended]]
        _emit(forest, parent, (at[done], free[done]), (margin[ended], pair_row[ended], difference), jumps)
        pair, free, at = pair[~done], free[~done], at[~done]
        child, is_free = nodes[at, 2].astype(np.int64), forest.mover[nodes[at, 0]] == free
        follows = child + ~_goes_left(forest, ranks, at, pair_row[pair])
        at = np.concatenate([np.where(is_free, child, follows), child[is_free] + 1])
        pair, free = np.concatenate([pair, pair[is_free]]), np.concatenate([free, free[is_free]])


def _goes_left(
    forest: SweepForest, ranks: NDArray[Any], at: NDArray[np.int64], row: NDArray[np.int64]
) -> NDArray[np.bool_]:
    rank = ranks[forest.nodes[at, 0], row]
    left = rank <= forest.nodes[at, 1]
    missing = rank == missing_rank(ranks.dtype)
    start = forest.category_start[at]
    categorical = (start >= 0) & ~missing
    if categorical.any():
        code = rank[categorical].astype(np.uint64)
        word = forest.category_words[start[categorical] + (code >> np.uint64(6)).astype(np.int64)]
        left[categorical] = (word >> (code & np.uint64(63))) & np.uint64(1)
    left[missing] = forest.missing_left[at[missing]]
    return np.asarray(left)


def _emit(
    forest: SweepForest,
    parent: NDArray[np.int64],
    ended: tuple[NDArray[np.int64], NDArray[np.int32]],
    brought: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]],
    jumps: NDArray[np.float64],
) -> None:
    """Add what items bring at the positions that lead to their leaves.

    - `forest`, `parent`, `jumps`: as for `_sweep_chunk`.
    - `ended`: leaf and free feature of each item.
    - `brought`: margin, row, and how far the leaf is from the row's own.
    """
    leaf, free = ended
    _, first, which = np.unique(leaf * len(forest.n_positions) + free, return_index=True, return_inverse=True)
    for at in range(len(first)):
        feature = int(free[first[at]])
        steps = np.diff(_positions(forest, parent, int(leaf[first[at]]), feature).astype(np.int8), prepend=0, append=0)
        margin, row, difference = (part[which == at] for part in brought)
        for position in np.flatnonzero(steps):
            cell = int(forest.offsets[feature]) + position
            np.add.at(jumps, (margin, cell, row), steps[position] * difference)


def _positions(forest: SweepForest, parent: NDArray[np.int64], leaf: int, feature: int) -> NDArray[np.bool_]:
    """Return which positions of a feature lead to a leaf if everything else does."""
    allowed = np.ones(forest.n_positions[feature], np.bool_)
    child, above = leaf, int(parent[leaf])
    while above >= 0:
        if forest.mover[forest.nodes[above, 0]] == feature:
            left = np.zeros(len(allowed), np.bool_)
            if forest.in_runs[feature]:
                for start, end in forest.runs[forest.run_start[above] : forest.run_start[above + 1]]:
                    left[start:end] = True
            else:
                left[: forest.nodes[above, 3]] = True
            allowed &= left if forest.nodes[above, 2] == child else ~left
        child, above = above, int(parent[above])
    return allowed
