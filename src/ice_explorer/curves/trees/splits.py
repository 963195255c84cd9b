"""What the nodes of a tree ensemble split, in whole numbers: ranks for rows, positions for grids.

Rows and grids are ranked once among the thresholds, by the library's own cast and comparison; from
then on everything is integer and no library's rules are left. A curve can change only where the
grid steps over a threshold, so that only those intervals, the *active* ones, are kept; a *position*
is a stretch between two of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.trees.ensemble import CategoricalSplits, Comparison, TreeEnsemble

_MOST_CELLS = 1 << 23  # nodes × positions looked at together
_ROWS_AT_A_TIME = 1 << 16
_MOST_KEPT = 1 << 23  # ranks of rows that are kept although they can be found again


def missing_rank(dtype: np.dtype[Any]) -> int:
    """Return the rank of a missing value: the largest number that ranks of this dtype can hold."""
    return int(np.iinfo(dtype).max)


def _renumbered(ensemble: TreeEnsemble) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Number nodes anew so that siblings are neighbours: roots first, then pairs of children.

    - returns `order` (n_nodes,): old ids in the new order.
    - returns `nodes` (n_nodes, 4): feature and left child are filled in.
    """
    n_trees = len(ensemble.root)
    if HAS_NUMBA:
        from ice_explorer.curves.trees import splits_numba

        order = np.empty(n_trees + 2 * np.count_nonzero(ensemble.left >= 0), np.int64)
        order[:n_trees] = ensemble.root
        nodes = np.zeros((len(order), 4), np.int32)
        splits_numba.renumber(ensemble.feature, ensemble.left, ensemble.right, order, nodes)
        return order, nodes
    inner = np.flatnonzero(ensemble.left >= 0)
    order = np.empty(n_trees + 2 * len(inner), np.int64)
    order[:n_trees] = ensemble.root
    order[n_trees::2] = ensemble.left[inner]
    order[n_trees + 1 :: 2] = ensemble.right[inner]
    pair_of = np.full(len(ensemble.left), -1, np.int64)
    pair_of[inner] = n_trees + 2 * np.arange(len(inner))
    nodes = np.zeros((len(order), 4), np.int32)
    nodes[:, 0] = np.where(pair_of[order] < 0, -1, ensemble.feature[order])
    nodes[:, 2] = pair_of[order]
    return order, nodes


def deepest_leaf(nodes: NDArray[np.int32], roots: NDArray[np.int32]) -> int:
    """Count the nodes above the deepest leaf of any tree."""
    if HAS_NUMBA:
        from ice_explorer.curves.trees import splits_numba

        return int(splits_numba.deepest_leaf(nodes, roots))
    at, depth = roots, 0
    while True:
        at = at[nodes[at, 0] >= 0]
        if len(at) == 0:
            return depth
        left = nodes[at, 2]
        at = np.concatenate([left, left + 1])
        depth += 1


def _by_column(nodes: NDArray[np.int32], n_columns: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each column that some node splits, with those nodes."""
    inner = np.flatnonzero(nodes[:, 0] >= 0)
    column = nodes[inner, 0]
    # Small numbers are sorted by counting.
    in_order = inner[np.argsort(column.astype(np.min_scalar_type(n_columns)), kind="stable")]
    bounds = np.append(0, np.cumsum(np.bincount(column, minlength=n_columns)))
    for at in np.flatnonzero(np.diff(bounds)):
        yield int(at), in_order[bounds[at] : bounds[at + 1]]


def _look_up(
    some: NDArray[np.float64], values: NDArray[np.float64], side: Literal["left", "right"]
) -> NDArray[np.int64]:
    """Find where values belong among sorted numbers without NaN, as `np.searchsorted` does."""
    if not HAS_NUMBA:
        return np.searchsorted(some, values, side)
    from ice_explorer.curves.trees import splits_numba

    found = np.empty(len(values), np.int64)
    splits_numba.look_up(some, values, side == "right", found)
    return found


class Scale(NamedTuple):
    """Numbers to rank the values of a column and the thresholds of its nodes by.

    A value goes left where its rank is at most the threshold's.

    - `numbers`: ascending, without NaN: the thresholds, or the values of the column themselves.
    - `of_values`: which of the two; others than these values have no rank then.
    """

    numbers: NDArray[np.float64]
    of_values: bool
    comparison: Comparison

    def rank(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Rank values; ranks of NaN mean nothing."""
        comes_after = not self.of_values and self.comparison == "lt"
        return _look_up(self.numbers, values, "right" if comes_after else "left")

    def rank_thresholds(self, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Rank thresholds."""
        if not self.of_values:
            return _look_up(self.numbers, thresholds, "left")
        return _look_up(self.numbers, thresholds, "right" if self.comparison == "le" else "left") - 1


def _compressed(going_left: NDArray[np.int64], n_grid: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Keep the intervals of the grid that some threshold lies in; cut by those.

    - returns `active` (n_active,).
    - returns `cut`: how many stretches between active intervals go left.
    """
    occurs = np.zeros(n_grid + 1, np.bool_)
    occurs[going_left] = True
    steps = np.flatnonzero(occurs[1:n_grid]) + 1
    cut = np.searchsorted(steps, np.arange(n_grid + 1), side="left") + 1
    cut[0], cut[n_grid] = 0, len(steps) + 1
    return steps - 1, cut[going_left]


class Categories:
    """Categorical nodes as bits over the ranks of category codes."""

    def __init__(self, splits: CategoricalSplits, order: NDArray[np.int64]) -> None:
        self._splits = splits
        self.is_categorical = np.zeros(len(order), np.bool_)
        if len(splits.node):
            split_of_node = np.full(int(order.max()) + 1, -1, np.int64)
            reachable = splits.node < len(split_of_node)
            split_of_node[splits.node[reachable]] = np.flatnonzero(reachable)
            self._split = split_of_node[order]
            self.is_categorical = self._split >= 0
        self.start = np.full(len(order), -1, np.int32)
        self.words = np.zeros(1, np.uint64)

    def scale(self, here: NDArray[np.int64], codes: NDArray[np.float64]) -> Scale:
        """Rank the codes of one column by those that occur, and write the bits of its nodes."""
        known = np.unique(codes[~np.isnan(codes)])
        n_words = len(known) // 64 + 1
        bits = np.zeros((len(here), n_words * 64), np.uint8)
        bits[:, : len(known)] = self.going_left(here, known)
        packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        self.start[here] = len(self.words) + n_words * np.arange(len(here))
        self.words = np.concatenate([self.words, packed.ravel()])
        return Scale(known, of_values=True, comparison="le")

    def going_left(self, here: NDArray[np.int64], codes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which codes go left at some nodes, (n_nodes, n_codes); those of missing values mean nothing."""
        splits = self._split[here].tolist()
        return np.array([self._splits.goes_left(split, codes) for split in splits]).reshape(len(here), len(codes))


class Splits:
    """The nodes of an ensemble, numbered so that siblings are neighbours, and what they compare.

    - `nodes` (n_nodes, 4): as `SweepForest` has them: ranks are written by `rank`, cuts by `Moves`.
    - `of_column`: nodes that split each column that is split at all.
    - `value` (n_nodes,): leaf values.
    - `missing_left` (n_nodes,).
    """

    def __init__(self, ensemble: TreeEnsemble, n_columns: int) -> None:
        order, self.nodes = _renumbered(ensemble)
        self.ensemble = ensemble
        self.of_column = dict(_by_column(self.nodes, n_columns))
        self.categories = Categories(ensemble.categorical, order)
        self.value = ensemble.value[order]
        self.missing_left = ensemble.missing_left[order]
        self._threshold = ensemble.threshold[order]

    def thresholds(self, some: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the thresholds of some nodes."""
        return self._threshold[some]

    def rank(self, columns: Sequence[NDArray[Any]], *, is_lasting: bool = False) -> RowRanks:
        """Rank the rows of X at every column that is split, and the thresholds with them.

        - `is_lasting`: whether the columns are held anyway, so that ranks need not be.
        """
        scales = {column: self._scale(column, here, columns[column]) for column, here in self.of_column.items()}
        return RowRanks(self.ensemble, columns, scales, is_lasting=is_lasting)

    def _scale(self, column: int, here: NDArray[np.int64], values: NDArray[Any]) -> Scale:
        """Choose what a column is ranked by, the fewer of thresholds and values, and rank its thresholds."""
        if self.categories.is_categorical[here[0]]:
            return self.categories.scale(here, self.ensemble.as_compared(column, values))
        thresholds = self.thresholds(here)
        of_values = len(thresholds) > 4 * len(values)
        numbers = np.unique(self.ensemble.as_compared(column, values) if of_values else thresholds)
        scale = Scale(numbers[~np.isnan(numbers)], of_values, self.ensemble.comparison)
        self.nodes[here, 1] = scale.rank_thresholds(thresholds)
        return scale

    def going_left(self, some: NDArray[np.int64], compared: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values go left at some nodes of one column, (n_nodes, n_values)."""
        if self.categories.is_categorical[some[0]]:
            left = self.categories.going_left(some, compared)
        else:
            thresholds = self.thresholds(some)[:, None]
            left = compared <= thresholds if self.ensemble.comparison == "le" else compared < thresholds
        left[:, np.isnan(compared)] = self.missing_left[some][:, None]
        return left


class RowRanks:
    """Ranks of the rows of X at every column that is split.

    They take as few bytes as they fit into; `missing_rank` says which stands for a missing value. Those of tall tables
    are found anew whenever some rows are swept, which takes far less than the sweep.

    - `columns` (n_rows,) each; `scales`: by column that is split.
    - `is_lasting`: whether the columns are held anyway.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        columns: Sequence[NDArray[Any]],
        scales: Mapping[int, Scale],
        *,
        is_lasting: bool = False,
    ) -> None:
        most = max((len(scale.numbers) for scale in scales.values()), default=0)
        self.dtype = np.dtype(next(each for each in (np.uint8, np.uint16, np.int32) if most < np.iinfo(each).max))
        self.n_columns, n_rows = len(columns), len(columns[0])
        self._ensemble, self._columns, self._scales = ensemble, columns, scales
        self._kept: NDArray[Any] | None = None
        if is_lasting and self.n_columns * n_rows > _MOST_KEPT:
            self._ensemble = ensemble.without_nodes()
        else:
            self._kept = np.zeros((self.n_columns, n_rows), self.dtype)
            for column in scales:
                for start in range(0, n_rows, _ROWS_AT_A_TIME):
                    some = slice(start, start + _ROWS_AT_A_TIME)
                    self._write(column, some, self._kept[column, some])
            del self._ensemble, self._columns, self._scales

    def of(self, rows: NDArray[np.int64], columns: Sequence[int] | None = None) -> NDArray[Any]:
        """Ranks of some rows, (n_columns, n_some); at some columns, where others are not asked for."""
        if self._kept is not None:
            return self._kept[:, rows]
        ranks = np.zeros((self.n_columns, len(rows)), self.dtype)
        for column in self._scales if columns is None else columns:
            self._write(column, rows, ranks[column])
        return ranks

    def _write(self, column: int, rows: NDArray[np.int64] | slice, ranks: NDArray[Any]) -> None:
        compared = self._ensemble.as_compared(column, self._columns[column][rows])
        ranks[:] = np.where(np.isnan(compared), missing_rank(self.dtype), self._scales[column].rank(compared))


class Moves:
    """Which positions of each feature go left at the nodes that split its columns.

    - `places`: columns that move with a feature.
    - `active`: intervals of its grid that some node tells apart; the stretches between them are its positions.
    - `in_runs`: features whose nodes send any positions left, not the first ones up to a cut: several columns move, the
      column falls where the grid rises, it is split by category, or a grid value counts as missing.
    """

    def __init__(self, splits: Splits, free: Mapping[int, tuple[NDArray[np.intp], NDArray[Any]]]) -> None:
        self.places = {feature: places for feature, (places, _) in free.items()}
        self.active: dict[int, NDArray[np.intp]] = {}
        self.in_runs: set[int] = set()
        self._splits = splits
        self._written: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]] = []
        for feature, (places, grid) in free.items():
            moved = [
                (splits.of_column[place], splits.ensemble.as_compared(place, grid[:, at]))
                for at, place in enumerate(places.tolist())
                if place in splits.of_column
            ]
            if not moved:
                self.active[feature] = np.empty(0, np.intp)
            elif len(moved) == 1 and self._in_order(*moved[0]):
                some, compared = moved[0]
                side: Literal["left", "right"] = "right" if splits.ensemble.comparison == "le" else "left"
                going_left = _look_up(compared, splits.thresholds(some), side)
                self.active[feature], splits.nodes[some, 3] = _compressed(going_left, len(grid))
            else:
                self.in_runs.add(feature)
                self.active[feature] = self._write_runs(moved, len(grid))

    def _in_order(self, some: NDArray[np.int64], compared: NDArray[np.float64]) -> bool:
        """Whether each node sends left what lies before some grid value."""
        is_categorical = bool(self._splits.categories.is_categorical[some[0]])
        return not is_categorical and not np.isnan(compared).any() and bool((compared[1:] >= compared[:-1]).all())

    def _write_runs(
        self, moved: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]], n_grid: int
    ) -> NDArray[np.intp]:
        """Write the runs of all nodes of one feature; return the intervals that any of them tells apart."""
        changes = np.zeros(n_grid - 1, np.bool_)
        for _, left in self._some_at_a_time(moved):
            changes |= (left[:, 1:] != left[:, :-1]).any(axis=0)
        active = np.flatnonzero(changes)
        begins = np.append(0, active + 1)
        for some, left in self._some_at_a_time(moved):
            steps = np.diff(left[:, begins].astype(np.int8), axis=1, prepend=0, append=0)
            node, first = np.nonzero(steps == 1)
            _, end = np.nonzero(steps == -1)
            count = np.bincount(node, minlength=len(some))
            self._written.append((some, count, np.column_stack([first, end]).astype(np.int32)))
        return active

    def _some_at_a_time(
        self, moved: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield some nodes, and which grid values go left at them, (n_nodes, n_grid)."""
        for here, compared in moved:
            step = max(1, _MOST_CELLS // len(compared))
            for start in range(0, len(here), step):
                some = here[start : start + step]
                yield some, self._splits.going_left(some, compared)

    def runs(self, n_nodes: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return where the runs of each node start, and the runs, as `SweepForest` has them."""
        if not self._written:
            return np.zeros(1, np.int64), np.empty((0, 2), np.int32)
        counts = np.zeros(n_nodes, np.int64)
        for some, count, _ in self._written:
            counts[some] = count
        start = np.append(0, np.cumsum(counts))
        runs = np.empty((start[-1], 2), np.int32)
        for some, count, written in self._written:
            first = np.repeat(start[some], count)
            runs[first + np.arange(len(written)) - np.repeat(np.cumsum(count) - count, count)] = written
        return start, runs
