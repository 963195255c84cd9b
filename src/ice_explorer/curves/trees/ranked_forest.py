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

    - `nodes` (n_nodes, 4): column (-1 at a leaf), rank of the threshold, left child (the right one is next to it), cut.
    - `value` (n_nodes,): leaf values.
    - `roots`, `margins` (n_trees,): where each tree starts and which margin it adds to.
    - `deepest`: nodes above the deepest leaf.
    - `missing_left` (n_nodes,): whether a missing value goes left.
    - `category_start` (n_nodes,): where the bits of a categorical node start in `category_words`, -1 for numeric nodes.
    - `category_words`: bit r of a node: category rank r goes left.
    - `mover` (n_columns,): which feature moves a column, -1 where none does.
    - `n_positions` (n_movers,).
    - `in_runs` (n_movers,): whether the nodes of a feature send runs of positions left, instead of those before a cut.
    - `run_start` (n_nodes + 1,) or (1,): runs of a node: runs[run_start[node]:run_start[node + 1]]; a single 0 where no
      feature has any.
    - `runs` (n_runs, 2): first position of each run, and the one after its last.
    - `offsets` (n_movers,): where the cells of a feature start; it has one more than it has positions.
    - `width`: cells of a row in one margin.
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
