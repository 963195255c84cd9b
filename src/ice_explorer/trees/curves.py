"""Exact ICE curves of tree ensembles: one sweep for all features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ice_explorer.locks import new_lock
from ice_explorer.trees.ranks import SweptForest, missing_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.trees.forest import Forest
    from ice_explorer.trees.link import Link

_FEWEST_ROWS, _MOST_ROWS = 2048, 8192  # of a block: its rows share what is done once per node
_MOST_BYTES = 64_000_000  # of the difference arrays of a block, which a few thousand positions make large
_ROWS_ORDERED = 1 << 16  # rows whose leaves are looked up at a time
MOST_FEATURES = (1 << 16) - 1
"""Features that can be swept together: what an item can name."""

ToFold: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], int, int]"
"""Jumps and base of one margin, first cell of a feature, and link, from which compiled sums make its curves."""


class Movers(NamedTuple):
    """Features that are free to move while all others are fixed.

    - `mover` (n_columns,): which feature moves a column, -1 where none does.
    - `n_positions` (n_movers,).
    - `in_runs` (n_movers,): whether the nodes of a feature send runs of positions left, instead of those before a cut.
    - `offsets` (n_movers,): where the cells of a feature start; it has one more than it has positions.
    - `width`: cells of a row in one margin.
    """

    mover: NDArray[np.int32]
    n_positions: NDArray[np.int32]
    in_runs: NDArray[np.bool_]
    offsets: NDArray[np.uint64]
    width: int


class TreeCurves:
    """A forest, the rows it is explained on and the grids, ready to be swept.

    - `columns`: values of every column of X, (n_rows,) each.
    - `free`: by feature, the columns that move with it, together (n_places,), and what they become at each grid value
      (n_grid, n_places). A column moves with one feature at most.
    - `active`: intervals of the grid of each feature in which a curve can change.
    - `counters` (2,): node visits and emitted items so far, which do not depend on the machine.
    """

    def __init__(
        self,
        forest: Forest,
        columns: Sequence[NDArray[Any]],
        free: Mapping[int, tuple[NDArray[np.intp], NDArray[np.float64]]],
    ) -> None:
        self.base, self.link = forest.base, forest.link
        self.forest = SweptForest(forest, columns, free)
        self.active = self.forest.active
        self.counters = np.zeros(2, np.int64)
        self._counting = new_lock()
        self._places = {feature: places for feature, (places, _) in free.items()}
        self._features = list(free)
        self.movers = self._move(self._features)

    def _move(self, features: Sequence[int]) -> Movers:
        n_positions = np.array([len(self.active[feature]) + 1 for feature in features], np.int32)
        mover = np.full(len(self.forest.ranks), -1, np.int32)
        for index, feature in enumerate(features):
            mover[self._places[feature]] = index
        in_runs = np.array([feature in self.forest.in_runs for feature in features], np.bool_)
        ends = np.cumsum(n_positions + 1, dtype=np.int64)
        offsets = (ends - n_positions - 1).astype(np.uint64)
        return Movers(mover, n_positions, in_runs, offsets, width=int((n_positions + 1).sum()))

    @property
    def row_bytes(self) -> int:
        """Bytes that a row takes while it is swept for all features."""
        return 8 * (self.movers.width * len(self.base) + 1) + 512

    def rows_per_block(self, memory_limit: int) -> int:
        """Return how many rows are swept at a time: few for small trees, more for large ones, within the limit."""
        per_tree = len(self.forest.nodes) // max(1, len(self.forest.margins))
        wanted = int(np.clip(per_tree, _FEWEST_ROWS, min(_MOST_ROWS, _MOST_BYTES // self.row_bytes)))
        return max(1, min(wanted, memory_limit // self.row_bytes))

    def alike(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order rows by the leaves of the first tree that they fall into.

        Rows that are alike take the same paths through the other trees, too, and write to memory that lies closer
        together: a forest is swept up to twice as fast.
        """
        from ice_explorer.trees.sweep_numba import number_leaves

        leaves = np.empty(len(positions))
        for start in range(0, len(positions), _ROWS_ORDERED):
            rows = positions[start : start + _ROWS_ORDERED]
            ranks, special = self._prepare(rows, self.movers)
            number_leaves(self.forest.nodes, special, ranks, len(rows), leaves[start : start + _ROWS_ORDERED])
        return positions[np.argsort(leaves, kind="stable")]

    def sweep(self, features: Sequence[int]) -> Callable[[NDArray[np.int64]], Jumps]:
        """Return a function from rows to the jumps of features; several threads may call it at once."""
        from ice_explorer.trees import sweep_numba  # on first use, because numba takes a while to import

        forest, movers = self.forest, self.movers if list(features) == self._features else self._move(features)
        starts = dict(zip(features, movers.offsets.tolist(), strict=True))
        spare: list[NDArray[np.float64]] = []  # cells that are 0 again: new memory takes as long as the sums

        def sweep_rows(positions: NDArray[np.int64]) -> Jumps:
            base = np.repeat(self.base[:, None], len(positions), axis=1)
            shape = (len(base), movers.width, len(positions))
            n_cells = math.prod(shape)
            try:
                cells = spare.pop()
            except IndexError:
                cells = np.zeros(n_cells)
            if len(cells) < n_cells:
                cells = np.zeros(n_cells)
            counters = np.zeros(2, np.int64)
            ranks, special = self._prepare(positions, movers)
            sweep_numba.sweep(
                forest.nodes, forest.value, forest.deepest, forest.margins, movers.mover, movers.n_positions,
                movers.offsets, movers.width, special, ranks, len(positions), cells[:n_cells], base.ravel(), counters,
            )  # fmt: skip
            with self._counting:
                self.counters += counters
            jumps = cells[:n_cells].reshape(shape)
            return Jumps(jumps, base, starts, self.active, self.link, lambda: spare.append(cells))

        return sweep_rows

    def _prepare(self, positions: NDArray[np.int64], movers: Movers) -> tuple[NDArray[Any], tuple[Any, ...] | None]:
        """Return ranks in one of the two dtypes that kernels are compiled for, and the arrays of special cases.

        These are None for most forests and rows, because the sweep is slower with them.
        """
        forest = self.forest
        ranks = forest.ranks[:, positions]
        missing, special = missing_rank(ranks.dtype), None
        if len(forest.category_words) > 1 or movers.in_runs.any() or (ranks == missing).any():
            special = (
                forest.missing_left, forest.category_start, forest.category_words,
                movers.in_runs, forest.run_start, forest.runs, missing,
            )  # fmt: skip
        return ranks.astype(np.int32 if ranks.dtype == np.int32 else np.uint16).ravel(), special


@dataclass(frozen=True, eq=False)
class Jumps:
    """How margins of a block of rows change from one stretch of a grid to the next, by feature.

    A feature is read once, which sets its cells back to 0.

    - `cells` (n_margins, width, n_rows): those of a feature are neighbours, one more than it has stretches.
    - `base` (n_margins, n_rows): margins of the rows themselves.
    - `starts`: by feature, where its cells begin.
    - `active`, `link`: as `TreeCurves` has them.
    - `release`: returns the cells for other rows, once every feature is read.
    """

    cells: NDArray[np.float64]
    base: NDArray[np.float64]
    starts: Mapping[int, int]
    active: Mapping[int, NDArray[np.intp]]
    link: Link
    release: Callable[[], None]

    def to_fold(self, feature: int) -> ToFold | None:
        """Return what compiled sums make curves from, None if the link is not compiled."""
        from ice_explorer.trees.margins_numba import LINKS

        link = LINKS.get(self.link.kind)
        if link is None or len(self.base) > 1:
            return None
        return self.cells[0], self.base[0], self.starts[feature], link

    def curves(self, feature: int) -> NDArray[np.float64]:
        """Read a feature: its curves on the stretches between active intervals, (n_rows, n_active + 1)."""
        from ice_explorer.trees.margins_numba import sum_margins

        n_margins, n_rows = self.base.shape
        margins: NDArray[np.float64] = np.empty((n_margins, len(self.active[feature]) + 1, n_rows))
        sum_margins(self.cells, self.base, self.starts[feature], margins)
        return self.link.apply(np.ascontiguousarray(margins.swapaxes(1, 2)))
