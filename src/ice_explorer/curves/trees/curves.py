"""Exact ICE curves of tree ensembles: one sweep for all features."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.curves.trees import item_sweep_numpy
from ice_explorer.curves.trees.ranked_forest import SweepForest
from ice_explorer.curves.trees.splits import Moves, Splits, deepest_leaf, missing_rank
from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.trees.ensemble import TreeEnsemble

_FEWEST_ROWS, _MOST_ROWS = 2048, 8192  # of a block: what is done once per node is shared by its rows
_MOST_BYTES = 64_000_000  # of the difference arrays of a block, which a few thousand positions make large
_MOST_FEATURES = (1 << 16) - 1  # what an item can name; rows of a block are far fewer
_HAS_NUMBA = find_spec("numba") is not None


class TreeCurves:
    """A tree ensemble, the rows it is explained on and the grids, ready to be swept.

    - `columns`: values of every column of X, (n_rows,) each.
    - `free`: by feature, the columns that move with it, together (n_places,), and what they become at each grid value
      (n_grid, n_places). A column moves with one feature at most.
    - `active`: intervals of each feature's grid in which a curve can change.
    - `counters` (2,): node visits and emitted items so far: what the work was, whatever the machine.
    - raises SweepLimitError: if there are more features than an item can name.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        columns: Sequence[NDArray[Any]],
        free: Mapping[int, tuple[NDArray[np.intp], NDArray[np.float64]]],
    ) -> None:
        if len(free) > _MOST_FEATURES:
            raise SweepLimitError(f"The sweep moves up to {_MOST_FEATURES} features; there are {len(free)}.")
        self._base, self._link = ensemble.base, ensemble.link
        self.n_rows = len(columns[0])
        self.counters = np.zeros(2, np.int64)
        # Intermediate arrays are released: a fully grown forest has millions of nodes.
        splits = Splits(ensemble, len(columns))
        self._ranks = splits.rank(columns)
        moves = Moves(splits, free)
        run_start, runs = moves.runs(len(splits.nodes))
        self._features = list(free)
        self._places, self._in_runs = moves.places, moves.in_runs
        self.active = moves.active
        self._is_special = bool(
            (self._ranks == missing_rank(self._ranks.dtype)).any() or splits.categories.is_categorical.any()
        )
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
        mover = np.full(len(self._ranks), -1, np.int32)
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
        cell_bytes = 8 * (self.forest.width * len(self._base) + 1)
        wanted = int(np.clip(per_tree // 2, _FEWEST_ROWS, min(_MOST_ROWS, _MOST_BYTES // cell_bytes)))
        return max(1, min(wanted, memory_limit // (cell_bytes + 512)))

    def alike(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order rows by the leaves of the first tree that they fall into.

        Rows that are alike take the same ways through the other trees, too, and what they write lies
        closer together: a forest is swept up to twice as fast.
        """
        return positions[item_sweep_numpy.order_by_leaf(self.forest, self._ranks[:, positions])]

    def stretches(self, positions: NDArray[np.int64]) -> dict[int, NDArray[np.float64]]:
        """Sweep some rows for all features.

        - `positions` (n_rows,).
        - returns (n_rows, n_active + 1) each: curves on the stretches between active intervals, by feature.
        """
        return self._swept(self.forest, positions, self._features)

    def curves_of(self, feature: int) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
        """Return a function from rows to the stretches of one feature alone."""
        forest = self._with_moving(self.forest, [feature])
        return lambda positions: self._swept(forest, positions, [feature])[feature]

    def _swept(
        self, forest: SweepForest, positions: NDArray[np.int64], features: Sequence[int]
    ) -> dict[int, NDArray[np.float64]]:
        jumps, base = self._jumps(forest, positions)
        n_margins, n_rows = base.shape
        found = {}
        for at, feature in enumerate(features):
            start, n_positions = int(forest.offsets[at]), int(forest.n_positions[at])
            if _HAS_NUMBA:
                margins = np.empty((n_margins, n_rows, n_positions))
                _kernels().add_up(jumps, base, start, margins)
            else:
                jumps_here = jumps[:, start : start + n_positions].transpose(0, 2, 1)
                margins = np.cumsum(jumps_here, axis=2) + base[:, :, None]
            found[feature] = self._link.apply(margins)
        return found

    def _jumps(
        self, forest: SweepForest, positions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sweep rows; return their difference arrays (n_margins, width, n_rows) and own margins."""
        n_margins, n_rows = len(self._base), len(positions)
        ranks = self._ranks[:, positions]
        jumps = np.zeros((n_margins, forest.width, n_rows))
        base = np.repeat(self._base[:, None], n_rows, axis=1)
        if _HAS_NUMBA:
            counters = np.zeros(2, np.int64)
            # Sixteen bits, or all: the sweep is compiled for each kind of rank.
            as_swept = ranks.astype(np.int32 if ranks.dtype == np.int32 else np.uint16)
            _kernels().sweep(
                forest.nodes, forest.value, forest.roots, forest.deepest, forest.margins, forest.mover,
                forest.n_positions, forest.offsets, forest.width, self._special(forest), as_swept.ravel(), n_rows,
                jumps.ravel(), base.ravel(), counters,
            )  # fmt: skip
            self.counters += counters
        else:
            item_sweep_numpy.sweep(forest, ranks, jumps, base)
        return jumps, base

    def _special(self, forest: SweepForest) -> tuple[Any, ...] | None:
        """What few forests need, and the compiled sweep is slower with."""
        if not (self._is_special or forest.in_runs.any()):
            return None
        return (
            forest.missing_left, forest.category_start, forest.category_words,
            forest.in_runs, forest.run_start, forest.runs, missing_rank(self._ranks.dtype),
        )  # fmt: skip


class SweepLimitError(ICEExplorerError):
    """The sweep cannot hold this ensemble; the message says why."""


def _kernels() -> Any:
    """Return the compiled kernels, loaded on first use: numba takes a while to import."""
    from ice_explorer.curves.trees import item_sweep

    return item_sweep
