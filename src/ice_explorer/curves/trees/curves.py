"""Exact ICE curves of tree ensembles: one sweep for all features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ice_explorer.concurrency.locks import new_lock
from ice_explorer.curves.trees import item_sweep_numpy
from ice_explorer.curves.trees.ranked_forest import SweepForest
from ice_explorer.curves.trees.splits import Moves, Splits, deepest_leaf, missing_rank
from ice_explorer.errors import ICEExplorerError
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import Link
    from ice_explorer.adapters.structure.trees.ensemble import TreeEnsemble

_FEWEST_ROWS, _MOST_ROWS = 2048, 8192  # of a block: what is done once per node is shared by its rows
_MOST_BYTES = 64_000_000  # of the difference arrays of a block, which a few thousand positions make large
_ROWS_ORDERED = 1 << 16  # rows whose leaves are looked up at a time
_MOST_FEATURES = (1 << 16) - 1  # what an item can name; rows of a block are far fewer

ToFold: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], int, int]"
"""What compiled sums make the curves of a feature of: jumps and base of one margin, first cell and link."""


class TreeCurves:
    """A tree ensemble, the rows it is explained on and the grids, ready to be swept.

    - `columns`: values of every column of X, (n_rows,) each.
    - `free`: by feature, the columns that move with it, together (n_places,), and what they become at each grid value
      (n_grid, n_places). A column moves with one feature at most.
    - `is_lasting`: whether the columns are held anyway, so that ranks of many rows need not be.
    - `active`: intervals of each feature's grid in which a curve can change.
    - `counters` (2,): node visits and emitted items so far: what the work was, whatever the machine.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        columns: Sequence[NDArray[Any]],
        free: Mapping[int, tuple[NDArray[np.intp], NDArray[np.float64]]],
        *,
        is_lasting: bool = False,
    ) -> None:
        self._base, self.link = ensemble.base, ensemble.link
        self.n_rows = len(columns[0])
        self.counters = np.zeros(2, np.int64)
        self._counting = new_lock()
        # Intermediate arrays are released: a fully grown forest has millions of nodes.
        splits = Splits(ensemble, len(columns))
        self._ranks = splits.rank(columns, is_lasting=is_lasting)
        moves = Moves(splits, free)
        run_start, runs = moves.runs(len(splits.nodes))
        self._features = list(free)
        self._places, self._in_runs = moves.places, moves.in_runs
        self.active = moves.active
        self._has_categories = bool(splits.categories.is_categorical.any())
        nothing = np.empty(0, np.int32)
        roots = np.arange(len(ensemble.root), dtype=np.int32)
        held_fixed = SweepForest(
            nodes=splits.nodes,
            value=splits.value,
            roots=roots,
            deepest=deepest_leaf(splits.nodes, roots),
            margins=ensemble.margin,
            missing_left=splits.missing_left,
            category_start=splits.categories.start,
            category_words=splits.categories.words,
            mover=nothing,
            n_positions=nothing,
            in_runs=np.empty(0, np.bool_),
            run_start=run_start,
            runs=runs,
            offsets=np.empty(0, np.uint64),
            width=0,
        )
        self.forest = self._with_moving(held_fixed, self._features)

    def _with_moving(self, forest: SweepForest, features: Sequence[int]) -> SweepForest:
        """Return the trees with these features free to move and all others held fixed."""
        n_positions = np.array([len(self.active[feature]) + 1 for feature in features], np.int32)
        mover = np.full(self._ranks.n_columns, -1, np.int32)
        for at, feature in enumerate(features):
            mover[self._places[feature]] = at
        ends = np.cumsum(n_positions.astype(np.int64) + 1)
        return replace(
            forest,
            mover=mover,
            n_positions=n_positions,
            in_runs=np.array([feature in self._in_runs for feature in features], np.bool_),
            offsets=(ends - n_positions - 1).astype(np.uint64),
            width=int(ends[-1]),
        )

    def rows_per_block(self, memory_limit: int) -> int:
        """Rows swept at a time: few for small trees, more for large ones, within the memory limit."""
        per_tree = len(self.forest.nodes) // max(1, len(self.forest.roots))
        wanted = int(np.clip(per_tree, _FEWEST_ROWS, min(_MOST_ROWS, _MOST_BYTES // self.row_bytes)))
        return max(1, min(wanted, memory_limit // self.row_bytes))

    @property
    def row_bytes(self) -> int:
        """What a row takes while it is swept for all features."""
        return 8 * (self.forest.width * len(self._base) + 1) + 512

    def alike(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order rows by the leaves of the first tree that they fall into.

        Rows that are alike take the same ways through the other trees, too, and what they write lies
        closer together: a forest is swept up to twice as fast.
        """
        parts = [positions[at : at + _ROWS_ORDERED] for at in range(0, len(positions), _ROWS_ORDERED)]
        leaves = [item_sweep_numpy.leaves(self.forest, self._ranks.of(rows, self._of_first_tree)) for rows in parts]
        return positions[np.argsort(np.concatenate(leaves), kind="stable")]

    @cached_property
    def _of_first_tree(self) -> list[int]:
        """Columns that the first tree splits."""
        nodes, at, columns = self.forest.nodes, self.forest.roots[:1], set[int]()
        while len(at := at[nodes[at, 0] >= 0]):
            columns.update(nodes[at, 0].tolist())
            at = np.concatenate([nodes[at, 2], nodes[at, 2] + 1])
        return sorted(columns)

    def stretches(self, positions: NDArray[np.int64]) -> dict[int, NDArray[np.float64]]:
        """Sweep some rows for all features.

        - `positions` (n_rows,).
        - returns (n_rows, n_active + 1) each: curves on the stretches between active intervals, by feature.
        """
        jumps = self.sweep(self._features)(positions)
        return {feature: jumps.curves(feature) for feature in self._features}

    def observed(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Predict rows as they are, (n_rows,)."""
        return self.link.apply(self.sweep(self._features[:1])(positions).base[:, :, None])[:, 0]

    def curves_of(self, feature: int) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
        """Return a function from rows to the stretches of one feature alone."""
        of_rows = self.sweep([feature])
        return lambda positions: of_rows(positions).curves(feature)

    def sweep(self, features: Sequence[int]) -> Callable[[NDArray[np.int64]], Jumps]:
        """Return a function from rows to the jumps of some features. Threads may call it side by side."""
        forest = self.forest if list(features) == self._features else self._with_moving(self.forest, features)
        starts = dict(zip(features, forest.offsets.tolist(), strict=True))
        spare: list[NDArray[np.float64]] = []  # cells that are 0 again: new memory takes as long as the sums

        def of_rows(positions: NDArray[np.int64]) -> Jumps:
            base = np.repeat(self._base[:, None], len(positions), axis=1)
            n_cells = len(base) * forest.width * len(positions)
            try:
                cells = spare.pop()
            except IndexError:
                cells = np.zeros(n_cells)
            if len(cells) < n_cells:
                cells = np.zeros(n_cells)
            jumps = cells[:n_cells].reshape(len(base), forest.width, len(positions))
            self._add_jumps(forest, positions, jumps, base)
            return Jumps(jumps, base, starts, self.active, self.link, lambda: spare.append(cells))

        return of_rows

    def _add_jumps(
        self, forest: SweepForest, positions: NDArray[np.int64], jumps: NDArray[np.float64], base: NDArray[np.float64]
    ) -> None:
        """Sweep rows: add to their difference arrays (n_margins, width, n_rows) and own margins."""
        ranks = self._ranks.of(positions)
        if not HAS_NUMBA:
            item_sweep_numpy.sweep(forest, ranks, jumps, base)
            return
        counters = np.zeros(2, np.int64)
        special = self._special(forest, ranks)
        # Sixteen bits, or all: the sweep is compiled for each kind of rank.
        ranks = ranks.astype(np.int32 if ranks.dtype == np.int32 else np.uint16)
        _kernels().sweep(
            forest.nodes, forest.value, forest.roots, forest.deepest, forest.margins, forest.mover,
            forest.n_positions, forest.offsets, forest.width, special, ranks.ravel(), len(positions),
            jumps.ravel(), base.ravel(), counters,
        )  # fmt: skip
        with self._counting:
            self.counters += counters

    def _special(self, forest: SweepForest, ranks: NDArray[Any]) -> tuple[Any, ...] | None:
        """What few forests and rows need, and the compiled sweep is slower with."""
        missing = missing_rank(ranks.dtype)
        if not (self._has_categories or forest.in_runs.any() or (ranks == missing).any()):
            return None
        return (
            forest.missing_left, forest.category_start, forest.category_words,
            forest.in_runs, forest.run_start, forest.runs, missing,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Jumps:
    """What a sweep finds of a block of rows: how margins change from one stretch of a grid to the next, by feature.

    A feature is read once, which sets its cells back to 0.

    - `cells` (n_margins, width, n_rows): each feature's lie side by side, one more than it has stretches.
    - `base` (n_margins, n_rows): margins of the rows themselves.
    - `starts`: by feature, where its cells begin.
    - `active`, `link`: as `TreeCurves` has them.
    - `release`: gives the cells back for other rows, once every feature is read.
    """

    cells: NDArray[np.float64]
    base: NDArray[np.float64]
    starts: Mapping[int, int]
    active: Mapping[int, NDArray[np.intp]]
    link: Link
    release: Callable[[], None]

    def to_fold(self, feature: int) -> ToFold | None:
        """Return what compiled sums make curves of, None if they do not know the link."""
        if not HAS_NUMBA or len(self.base) > 1:
            return None
        from ice_explorer.curves.trees.margins_numba import LINKS

        link = LINKS.get(self.link.kind)
        return None if link is None else (self.cells[0], self.base[0], self.starts[feature], link)

    def curves(self, feature: int) -> NDArray[np.float64]:
        """Read a feature: its curves on the stretches between active intervals, (n_rows, n_active + 1)."""
        start, n_positions = self.starts[feature], len(self.active[feature]) + 1
        if HAS_NUMBA:
            from ice_explorer.curves.trees.margins_numba import margins_of

            margins: NDArray[np.float64] = np.empty((*self.base.shape, n_positions))
            margins_of(self.cells, self.base, start, margins)
        else:
            cells = self.cells[:, start : start + n_positions + 1]  # one lies behind the grid
            margins = np.cumsum(cells[:, :-1].transpose(0, 2, 1), axis=2) + self.base[:, :, None]
            cells[:] = 0.0
        return self.link.apply(margins)


class SweepLimitError(ICEExplorerError):
    """The sweep cannot hold this ensemble; the message says why."""


def check_limit(n_features: int) -> None:
    """Raise SweepLimitError if there are more features than an item can name."""
    if n_features > _MOST_FEATURES:
        raise SweepLimitError(f"The sweep moves up to {_MOST_FEATURES} features; there are {n_features}.")


def _kernels() -> Any:
    """Return the compiled kernels, loaded on first use: numba takes a while to import."""
    from ice_explorer.curves.trees import item_sweep

    return item_sweep
