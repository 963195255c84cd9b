"""Turn thresholds, values of X and grids into integers.

Rows and grids are ranked once among the thresholds, by the library's own cast and comparison; from then on everything
is integer and independent of the library. A curve can change only where the grid steps over a threshold: these
intervals are called *active*, and a *position* is a stretch between two of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.trees.forest import Forest, Inputs

    Moved = Sequence[tuple[int, NDArray[np.float64]]]
    """Columns that move together, and what the trees compare of each at every grid value."""

_MOST_CELLS = 1 << 23  # nodes × positions that are looked at together
_ROWS_AT_A_TIME = 1 << 16
_MOST_KEPT = 1 << 23  # ranks of rows that are kept although they can be computed again


def missing_rank(dtype: np.dtype[Any]) -> int:
    """Return the rank of a missing value: the largest number that ranks of this dtype can have."""
    return int(np.iinfo(dtype).max)


def look_up(numbers: NDArray[np.float64], values: NDArray[np.float64], *, is_right: bool) -> NDArray[np.int64]:
    """Return where values belong among sorted numbers without NaN, as `np.searchsorted` does."""
    from ice_explorer.trees import ranks_numba

    positions = np.empty(len(values), np.int64)
    ranks_numba.look_up(numbers, values, is_right, positions)
    return positions


@dataclass(frozen=True, eq=False)
class SweptForest:
    """Trees in ranks, and which feature moves which of their columns.

    A feature that is free to move takes the positions 0 … n_positions - 1. A node that splits one of its columns sends
    some of them left: the first ones up to a cut, or, unless a single column follows the order of the positions, any of
    them, written as runs.

    - `nodes` (n_nodes, 4): column (-1 at a leaf), rank of the threshold, left child (the right one is next to it), cut.
    - `value` (n_nodes,): leaf values.
    - `margins` (n_trees,): the margin that each tree adds to. Node t is the root of tree t.
    - `deepest`: nodes above the deepest leaf.
    - `missing_left` (n_nodes,): whether a missing value goes left.
    - `category_start` (n_nodes,): where the bits of a categorical node start in `category_words`, -1 for numeric nodes.
    - `category_words`: bit r of a node: category rank r goes left.
    - `run_start` (n_nodes + 1,) or (1,): runs of a node: runs[run_start[node]:run_start[node + 1]]; a single 0 where no
      feature has any.
    - `runs` (n_runs, 2): first position of each run, and the one after its last.
    - `mover` (n_columns,): which feature moves a column, -1 where none does.
    - `n_positions` (n_movers,).
    - `in_runs` (n_movers,): whether the nodes of a feature send runs of positions left, instead of those before a cut.
    - `offsets` (n_movers,): where the cells of a feature start; it has one more than it has positions.
    - `width`: cells of a row in one margin.
    """

    nodes: NDArray[np.int32]
    value: NDArray[np.float64]
    margins: NDArray[np.int32]
    deepest: int
    missing_left: NDArray[np.bool_]
    category_start: NDArray[np.int32]
    category_words: NDArray[np.uint64]
    run_start: NDArray[np.int64]
    runs: NDArray[np.int32]
    mover: NDArray[np.int32]
    n_positions: NDArray[np.int32]
    in_runs: NDArray[np.bool_]
    offsets: NDArray[np.uint64]
    width: int


class Scale(NamedTuple):
    """Numbers among which values of a column are ranked: thresholds, or the values themselves where those are fewer.

    - `numbers`: ascending, without NaN.
    - `is_right`: whether a value that is equal to a number ranks above it.
    """

    numbers: NDArray[np.float64]
    is_right: bool


class RankedNodes:
    """The nodes of a forest in the order of `SweptForest`, while ranks and cuts are written.

    - `nodes`, `value`, `deepest`, `missing_left`, `category_start`, `category_words`: as in `SweptForest`.
    - `by_column`: the nodes that split each column that is split at all.
    """

    def __init__(self, forest: Forest, n_columns: int) -> None:
        from ice_explorer.trees import ranks_numba

        order = np.empty(len(forest.feature), np.int64)
        nodes = np.zeros((len(order), 4), np.int32)
        end, self.deepest = ranks_numba.renumber(
            forest.n_nodes, forest.feature, forest.left, forest.right, order, nodes
        )
        order, self.nodes = order[:end], nodes[:end]
        self._forest, self._threshold = forest, forest.threshold[order]
        self.value, self.missing_left = forest.value[order], forest.missing_left[order]
        self.category_start, self.category_words = np.full(end, -1, np.int32), np.zeros(1, np.uint64)
        inner = np.flatnonzero(self.nodes[:, 0] >= 0)
        column = self.nodes[inner, 0]
        # Small numbers are sorted by counting.
        inner = inner[np.argsort(column.astype(np.min_scalar_type(n_columns)), kind="stable")]
        bounds = np.append(0, np.cumsum(np.bincount(column, minlength=n_columns)))
        self.by_column = {
            column: inner[bounds[column] : bounds[column + 1]] for column in np.flatnonzero(np.diff(bounds)).tolist()
        }

    def rank_thresholds(self, columns: Sequence[NDArray[Any]]) -> dict[int, Scale]:
        """Write the rank of each threshold, such that values of at most this rank go left; return the scales."""
        inputs = self._forest.inputs
        scales = {}
        for column, nodes in self.by_column.items():
            thresholds, is_strict = self._threshold[nodes], inputs.comparison == "lt"
            if column in inputs.categorical:
                scales[column] = self._write_categories(nodes, inputs.as_compared(column, columns[column]))
            elif len(nodes) > 4 * len(columns[column]):
                values = np.unique(inputs.as_compared(column, columns[column]))
                scales[column] = Scale(values[~np.isnan(values)], is_right=False)
                self.nodes[nodes, 1] = look_up(scales[column].numbers, thresholds, is_right=not is_strict) - 1
            else:
                scales[column] = Scale(np.unique(thresholds), is_right=is_strict)
                self.nodes[nodes, 1] = look_up(scales[column].numbers, thresholds, is_right=False)
        return scales

    def _write_categories(self, nodes: NDArray[np.int64], codes: NDArray[np.float64]) -> Scale:
        """Write for each node which of the codes that occur go left, as bits."""
        observed = np.unique(codes[~np.isnan(codes)])
        n_words = len(observed) // 64 + 1
        bits = np.zeros((len(nodes), n_words * 64), np.uint8)
        bits[:, : len(observed)] = self._goes_left(nodes, observed, is_categorical=True)
        self.category_start[nodes] = len(self.category_words) + n_words * np.arange(len(nodes))
        words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        self.category_words = np.concatenate([self.category_words, words.ravel()])
        return Scale(observed, is_right=False)

    def _goes_left(
        self, nodes: NDArray[np.int64], compared: NDArray[np.float64], *, is_categorical: bool
    ) -> NDArray[np.bool_]:
        """Return which values go left at some nodes of one column, (n_nodes, n_values)."""
        forest, thresholds = self._forest, self._threshold[nodes]
        if is_categorical:
            is_listed = [np.isin(compared, forest.members(number)) for number in thresholds.astype(np.int64).tolist()]
            left = np.array(is_listed).reshape(len(nodes), len(compared)) == forest.listed_left
        else:
            left = forest.inputs.goes_left(compared, thresholds[:, None])
        left[:, np.isnan(compared)] = self.missing_left[nodes][:, None]
        return np.asarray(left)

    def write_cuts(
        self, free: Mapping[int, tuple[NDArray[np.intp], NDArray[Any]]]
    ) -> tuple[dict[int, NDArray[np.intp]], set[int], NDArray[np.int64], NDArray[np.int32]]:
        """Write which positions of each feature go left at the nodes that split its columns.

        - `free`: as for `TreeCurves`.
        - returns: by feature, its active intervals; the features in runs; `run_start` and `runs` of `SweptForest`.
        """
        inputs = self._forest.inputs
        active, in_runs, written = {}, set[int](), []
        for feature, (places, grid) in free.items():
            moved = [
                (place, inputs.as_compared(place, grid[:, index]))
                for index, place in enumerate(places.tolist())
                if place in self.by_column
            ]
            if not moved:
                active[feature] = np.empty(0, np.intp)
            elif len(moved) == 1 and self._is_in_order(*moved[0]):
                active[feature] = self._write_cut(*moved[0])
            else:
                in_runs.add(feature)
                active[feature] = self._active_intervals(moved)
                written += list(self._runs(moved, np.append(0, active[feature] + 1)))
        return active, in_runs, *self._join_runs(written)

    def _is_in_order(self, column: int, compared: NDArray[np.float64]) -> bool:
        """Whether each node sends left what lies before some grid value."""
        is_numeric = column not in self._forest.inputs.categorical and not np.isnan(compared).any()
        return is_numeric and bool((compared[1:] >= compared[:-1]).all())

    def _write_cut(self, column: int, compared: NDArray[np.float64]) -> NDArray[np.intp]:
        """Write how many stretches go left at each node of a column; return the active intervals."""
        nodes, n_grid = self.by_column[column], len(compared)
        n_left = look_up(compared, self._threshold[nodes], is_right=self._forest.inputs.comparison == "le")
        occurs = np.zeros(n_grid + 1, np.bool_)
        occurs[n_left] = True
        steps = np.flatnonzero(occurs[1:n_grid]) + 1
        cut = np.searchsorted(steps, np.arange(n_grid + 1), side="left") + 1
        cut[0], cut[n_grid] = 0, len(steps) + 1
        self.nodes[nodes, 3] = cut[n_left]
        return steps - 1

    def _active_intervals(self, moved: Moved) -> NDArray[np.intp]:
        changes = np.zeros(len(moved[0][1]) - 1, np.bool_)
        for _, left in self._sides(moved):
            changes |= (left[:, 1:] != left[:, :-1]).any(axis=0)
        return np.flatnonzero(changes)

    def _runs(
        self, moved: Moved, begins: NDArray[np.intp]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]]:
        """Yield nodes, how many runs of positions go left at each, and these runs."""
        for nodes, left in self._sides(moved):
            steps = np.diff(left[:, begins].astype(np.int8), axis=1, prepend=0, append=0)
            node, first = np.nonzero(steps == 1)
            _, end = np.nonzero(steps == -1)
            yield nodes, np.bincount(node, minlength=len(nodes)), np.column_stack([first, end]).astype(np.int32)

    def _sides(self, moved: Moved) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield some nodes, and which grid values go left at them, (n_nodes, n_grid)."""
        for column, compared in moved:
            step = max(1, _MOST_CELLS // len(compared))
            for start in range(0, len(self.by_column[column]), step):
                nodes = self.by_column[column][start : start + step]
                is_categorical = column in self._forest.inputs.categorical
                yield nodes, self._goes_left(nodes, compared, is_categorical=is_categorical)

    def _join_runs(
        self, written: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        if not written:
            return np.zeros(1, np.int64), np.empty((0, 2), np.int32)
        node = np.concatenate([np.repeat(nodes, count) for nodes, count, _ in written])
        start = np.append(0, np.cumsum(np.bincount(node, minlength=len(self.nodes))))
        return start, np.concatenate([runs for _, _, runs in written])[np.argsort(node, kind="stable")]


class RowRanks:
    """Ranks of the rows of X at every column that is split.

    They take as few bytes as possible; `missing_rank` is that of a missing value. Those of tall tables are computed
    again whenever rows are swept, which takes far less time than the sweep.

    - `columns` (n_rows,) each; `scales`: by column that is split.
    - `is_lasting`: whether the columns stay in memory anyway.
    """

    def __init__(
        self, inputs: Inputs, columns: Sequence[NDArray[Any]], scales: Mapping[int, Scale], *, is_lasting: bool
    ) -> None:
        most = max((len(scale.numbers) for scale in scales.values()), default=0)
        self.dtype = np.dtype(next(each for each in (np.uint8, np.uint16, np.int32) if most < np.iinfo(each).max))
        self.n_columns, n_rows = len(columns), len(columns[0])
        self._inputs, self._columns, self._scales = inputs, columns, scales
        self._kept: NDArray[Any] | None = None
        if not is_lasting or self.n_columns * n_rows <= _MOST_KEPT:
            kept = np.zeros((self.n_columns, n_rows), self.dtype)
            for start in range(0, n_rows, _ROWS_AT_A_TIME):
                rows = slice(start, start + _ROWS_AT_A_TIME)
                self._write(scales, rows, kept[:, rows])
            self._kept = kept
            del self._inputs, self._columns, self._scales

    def select(self, rows: NDArray[np.int64], columns: Sequence[int] | None = None) -> NDArray[Any]:
        """Return ranks of rows, (n_columns, n_rows); where not all columns are needed, others may be 0."""
        if self._kept is not None:
            return self._kept[:, rows]
        ranks = np.zeros((self.n_columns, len(rows)), self.dtype)
        self._write(self._scales if columns is None else columns, rows, ranks)
        return ranks

    def _write(self, columns: Iterable[int], rows: NDArray[np.int64] | slice, ranks: NDArray[Any]) -> None:
        for column in columns:
            numbers, is_right = self._scales[column]
            compared = self._inputs.as_compared(column, self._columns[column][rows])
            positions = look_up(numbers, compared, is_right=is_right)
            ranks[column] = np.where(np.isnan(compared), missing_rank(self.dtype), positions)
