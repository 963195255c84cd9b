"""A tree ensemble in ranks: what the sweeps work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SweepForest:
    """Trees in ranks, and which feature moves which of their columns.

    A feature that is free to move takes the positions 0 … n_positions - 1. A node that splits one of
    its columns sends some of them left: the first ones up to a cut, or where one column that follows
    the order of the positions is not all, any of them, written as runs.

    Attributes
    ----------
    nodes : ndarray of int32, shape (n_nodes, 4)
        Column (-1 at a leaf), rank of the threshold, left child (the right one is next to it), cut.
    value : ndarray of float64, shape (n_nodes,)
        Leaf values.
    roots, margins : ndarray of int32, shape (n_trees,)
        Where each tree starts and which margin it adds to.
    deepest : int
        Nodes above the deepest leaf.
    missing_left : ndarray of bool, shape (n_nodes,)
        Whether a missing value goes left.
    category_start : ndarray of int32, shape (n_nodes,)
        Where the bits of a categorical node start in `category_words`, -1 for numeric nodes.
    category_words : ndarray of uint64
        Bit r of a node: category rank r goes left.
    mover : ndarray of int32, shape (n_columns,)
        Which feature moves a column, -1 where none does.
    n_positions : ndarray of int32, shape (n_movers,)
    in_runs : ndarray of bool, shape (n_movers,)
        Whether the nodes of a feature send runs of positions left, instead of those before a cut.
    run_start : ndarray of int64, shape (n_nodes + 1,) or (1,)
        Runs of a node: runs[run_start[node]:run_start[node + 1]]; a single 0 where no feature has any.
    runs : ndarray of int32, shape (n_runs, 2)
        First position of each run, and the one after its last.
    offsets : ndarray of uint64, shape (n_movers,)
        Where the cells of a feature start; it has one more than it has positions.
    width : int
        Cells of a row in one margin.
    """

    nodes: NDArray[np.int32]
    value: NDArray[np.float64]
    roots: NDArray[np.int32]
    deepest: int
    margins: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    category_start: NDArray[np.int32]
    category_words: NDArray[np.uint64]
    mover: NDArray[np.int32]
    n_positions: NDArray[np.int32]
    in_runs: NDArray[np.bool_]
    run_start: NDArray[np.int64]
    runs: NDArray[np.int32]
    offsets: NDArray[np.uint64]
    width: int
