"""Exact ICE curves of tree ensembles: one sweep for all features.

Rows and grids are ranked once among the thresholds, by the library's own cast and comparison; from then on everything
is integer and independent of the library. A curve can change only where the grid steps over a threshold: these
intervals are called *active*, and a *position* is a stretch between two of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ice_explorer.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.trees.forest import Forest, Link

_FEWEST_ROWS, _MOST_ROWS = 2048, 8192  # of a block: its rows share what is done once per node
_MOST_BYTES = 256_000_000  # of the difference arrays of a block, which a few thousand positions make large
_ROWS_AT_A_TIME = 1 << 16  # that are ranked, or ordered
_MOST_CELLS = 1 << 23  # nodes × grid values that are looked at together
MOST_FEATURES = (1 << 16) - 1
"""Features that can be swept together: what an item can name."""

_Side: TypeAlias = Literal["left", "right"]


class VariedFeatures(NamedTuple):
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

    Nodes are numbered such that siblings are neighbours and node t is the root of tree t. A feature that moves takes
    the positions 0 … n_positions - 1. A node that splits one of its columns sends some of them left: the first ones up
    to a cut, or, unless a single column follows the order of the positions, any of them, written as runs.

    - `columns`: values of every column of X, (n_rows,) each.
    - `free`: by feature, the columns that move with it, together (n_places,), and what they become at each grid value
      (n_grid, n_places). A column moves with one feature at most.
    - `nodes` (n_nodes, 4): column (-1 at a leaf), rank of the threshold, left child (the right one is next to it), cut.
    - `value` (n_nodes,): leaf values.
    - `margins` (n_trees,): the margin that each tree adds to.
    - `deepest`: nodes above the deepest leaf.
    - `missing_left` (n_nodes,): whether a missing value goes left.
    - `category_start` (n_nodes,): where the bits of a categorical node start in `category_words`, -1 for numeric nodes.
    - `category_words`: bit r of a node: category rank r goes left.
    - `run_start` (n_nodes + 1,) or (1,): runs of a node: runs[run_start[node]:run_start[node + 1]]; a single 0 where no
      feature has any.
    - `runs` (n_runs, 2): first position of each run, and the one after its last.
    - `active`: by feature, the intervals of its grid in which curves can change.
    - `in_runs`: features whose nodes send runs of positions left.
    - `ranks` (n_columns, n_rows): of the rows of X, in as few bytes as possible.
    - `counters` (2,): node visits and emitted items so far, which do not depend on the machine.
    """

    def __init__(
        self, forest: Forest, columns: Sequence[NDArray[Any]], free: Mapping[int, tuple[NDArray[np.intp], NDArray[Any]]]
    ) -> None:
        from ice_explorer.trees.sweep_numba import renumber  # on first use, because numba takes a while to import

        order = np.empty(len(forest.feature), np.int64)
        nodes = np.zeros((len(order), 4), np.int32)
        end, self.deepest = renumber(forest.n_nodes, forest.feature, forest.left, forest.right, order, nodes)
        order, self.nodes = order[:end], nodes[:end]
        self.base, self.link, self.margins = forest.base, forest.link, forest.margin
        self.value, self.missing_left = forest.value[order], forest.missing_left[order]
        self.category_start, self.category_words = np.full(end, -1, np.int32), np.zeros(1, np.uint64)
        # The forest as it was read is not kept: fully grown ones have millions of nodes.
        self._read, self._threshold = forest, forest.threshold[order]
        self._by_column = self._split_nodes(len(columns))
        self.ranks = self._rank(columns)
        self.active: dict[int, NDArray[np.intp]] = {}
        self.in_runs: set[int] = set()
        self.run_start, self.runs = self._write_positions(free)
        del self._read, self._threshold, self._by_column
        self.counters = np.zeros(2, np.int64)
        self._counting = Lock()
        self._places = {feature: places for feature, (places, _) in free.items()}
        self.movers = self._move(list(free))

    def _split_nodes(self, n_columns: int) -> dict[int, NDArray[np.int64]]:
        """Return the nodes that split each column that is split at all."""
        inner = np.flatnonzero(self.nodes[:, 0] >= 0)
        column = self.nodes[inner, 0]
        # Small numbers are sorted by counting.
        inner = inner[np.argsort(column.astype(np.min_scalar_type(n_columns)), kind="stable")]
        ends = np.cumsum(np.bincount(column, minlength=n_columns))
        parts = np.split(inner, ends[:-1])
        return {column: nodes for column, nodes in enumerate(parts) if len(nodes)}

    def _rank(self, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Rank the thresholds, such that values of at most this rank go left; return the ranks of the rows."""
        scales = {column: self._rank_thresholds(column, columns[column]) for column in self._by_column}
        most = max((len(numbers) for numbers, _ in scales.values()), default=0)
        dtype: np.dtype[Any] = np.dtype(
            next(each for each in (np.uint8, np.uint16, np.int32) if most < np.iinfo(each).max)
        )
        ranks = np.zeros((len(columns), len(columns[0])), dtype)
        for column, (numbers, side) in scales.items():
            for start in range(0, ranks.shape[1], _ROWS_AT_A_TIME):
                rows = slice(start, start + _ROWS_AT_A_TIME)
                compared = self._read.as_compared(column, columns[column][rows])
                places = np.searchsorted(numbers, compared, side)
                ranks[column, rows] = np.where(np.isnan(compared), np.iinfo(dtype).max, places)
        return ranks

    def _rank_thresholds(self, column: int, values: NDArray[Any]) -> tuple[NDArray[np.float64], _Side]:
        """Return the numbers among which values of a column are ranked, and on which side of equal ones.

        These are the thresholds, or the values themselves where those are fewer; ascending, without NaN.
        """
        forest, nodes = self._read, self._by_column[column]
        thresholds, is_strict = self._threshold[nodes], forest.comparison == "lt"
        if column not in forest.categorical and len(nodes) <= 4 * len(values):
            numbers, self.nodes[nodes, 1] = np.unique(thresholds, return_inverse=True)
            return numbers, "right" if is_strict else "left"
        observed = np.unique(forest.as_compared(column, values))
        observed = observed[~np.isnan(observed)]
        if column in forest.categorical:
            n_words = len(observed) // 64 + 1
            bits = np.zeros((len(nodes), n_words * 64), np.uint8)
            bits[:, : len(observed)] = self._goes_left(column, nodes, observed)
            self.category_start[nodes] = len(self.category_words) + n_words * np.arange(len(nodes))
            words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
            self.category_words = np.concatenate([self.category_words, words.ravel()])
        else:
            self.nodes[nodes, 1] = np.searchsorted(observed, thresholds, "left" if is_strict else "right") - 1
        return observed, "left"

    def _goes_left(self, column: int, nodes: NDArray[np.int64], compared: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values go left at nodes of a column, (n_nodes, n_values)."""
        forest, thresholds = self._read, self._threshold[nodes]
        if column in forest.categorical:
            is_listed = [np.isin(compared, forest.members(number)) for number in thresholds.astype(np.int64).tolist()]
            left = np.array(is_listed).reshape(len(nodes), len(compared)) == forest.listed_left
        else:
            left = forest.goes_left(compared, thresholds[:, None])
        left[:, np.isnan(compared)] = self.missing_left[nodes][:, None]
        return np.asarray(left)

    def _write_positions(
        self, free: Mapping[int, tuple[NDArray[np.intp], NDArray[Any]]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Write which positions of each feature go left at the nodes that split its columns; return the runs."""
        forest = self._read
        written = []
        for feature, (places, grid) in free.items():
            moved = [
                (place, forest.as_compared(place, grid[:, index]))
                for index, place in enumerate(places.tolist())
                if place in self._by_column
            ]
            if not moved:
                self.active[feature] = np.empty(0, np.intp)
            elif len(moved) == 1 and self._is_in_order(*moved[0]):
                self.active[feature] = self._write_cuts(*moved[0])
            else:
                self.in_runs.add(feature)
                node, edges = (np.concatenate(parts) for parts in zip(*self._grid_runs(moved), strict=True))
                begins = np.union1d(0, edges[edges < len(grid)])
                self.active[feature] = begins[1:] - 1
                written.append((node, np.searchsorted(begins, edges)))
        if not written:
            return np.zeros(1, np.int64), np.empty((0, 2), np.int32)
        node, runs = (np.concatenate(parts) for parts in zip(*written, strict=True))
        start = np.append(0, np.cumsum(np.bincount(node, minlength=len(self.nodes))))
        return start, runs[np.argsort(node, kind="stable")].astype(np.int32)

    def _is_in_order(self, column: int, compared: NDArray[np.float64]) -> bool:
        """Whether each node sends left what lies before some grid value."""
        is_numeric = column not in self._read.categorical and not np.isnan(compared).any()
        return is_numeric and bool((compared[1:] >= compared[:-1]).all())

    def _write_cuts(self, column: int, compared: NDArray[np.float64]) -> NDArray[np.intp]:
        """Write how many positions go left at each node of a column; return the active intervals."""
        nodes, n_grid = self._by_column[column], len(compared)
        side: _Side = "right" if self._read.comparison == "le" else "left"
        n_left = np.searchsorted(compared, self._threshold[nodes], side)
        occurs = np.zeros(n_grid + 1, np.bool_)
        occurs[n_left] = True
        steps = np.flatnonzero(occurs[1:n_grid]) + 1
        cut = np.searchsorted(steps, np.arange(n_grid + 1), side="left") + 1
        cut[0], cut[n_grid] = 0, len(steps) + 1
        self.nodes[nodes, 3] = cut[n_left]
        return steps - 1

    def _grid_runs(
        self, moved: Sequence[tuple[int, NDArray[np.float64]]]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield runs of grid values that go left: the node of each, and where it starts and ends, (n_runs, 2)."""
        for column, compared in moved:
            step = max(1, _MOST_CELLS // len(compared))
            for start in range(0, len(self._by_column[column]), step):
                nodes = self._by_column[column][start : start + step]
                left = self._goes_left(column, nodes, compared).astype(np.int8)
                steps = np.diff(left, axis=1, prepend=0, append=0)
                node, first = np.nonzero(steps == 1)
                yield nodes[node], np.column_stack([first, np.nonzero(steps == -1)[1]])

    def _move(self, features: Sequence[int]) -> VariedFeatures:
        n_positions = np.array([len(self.active[feature]) + 1 for feature in features], np.int32)
        mover = np.full(len(self.ranks), -1, np.int32)
        for index, feature in enumerate(features):
            mover[self._places[feature]] = index
        in_runs = np.array([feature in self.in_runs for feature in features], np.bool_)
        ends = np.cumsum(n_positions + 1, dtype=np.int64)
        offsets = (ends - n_positions - 1).astype(np.uint64)
        return VariedFeatures(mover, n_positions, in_runs, offsets, width=int((n_positions + 1).sum()))

    @property
    def row_bytes(self) -> int:
        """Bytes that a row takes while it is swept for all features."""
        return 8 * (self.movers.width * len(self.base) + 1) + 512

    def rows_per_block(self, memory_limit: int) -> int:
        """Return how many rows are swept at a time: few for small trees, more for large ones, within the limit."""
        per_tree = len(self.nodes) // max(1, len(self.margins))
        wanted = int(np.clip(per_tree, _FEWEST_ROWS, min(_MOST_ROWS, _MOST_BYTES // self.row_bytes)))
        return max(1, min(wanted, memory_limit // self.row_bytes))

    def alike(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order rows by the leaves of the first tree that they fall into.

        Rows that are alike take the same paths through the other trees, too, and write to memory that lies closer
        together: a forest is swept up to twice as fast.
        """
        from ice_explorer.trees.sweep_numba import number_leaves

        leaves = np.empty(len(positions))
        for start in range(0, len(positions), _ROWS_AT_A_TIME):
            rows = positions[start : start + _ROWS_AT_A_TIME]
            ranks, special = self._prepare(rows, self.movers)
            number_leaves(self.nodes, special, ranks, len(rows), leaves[start : start + _ROWS_AT_A_TIME])
        return positions[np.argsort(leaves, kind="stable")]

    def sweep(self, features: Sequence[int]) -> Callable[[NDArray[np.int64]], Jumps]:
        """Return a function from rows to the jumps of features; several threads may call it at once."""
        from ice_explorer.trees.sweep_numba import sweep

        movers = self._move(features)
        starts = dict(zip(features, movers.offsets.tolist(), strict=True))
        n_runs = len(features) + self.deepest * int(movers.n_positions[movers.in_runs].max(initial=0))
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
            sweep(
                self.nodes, self.value, self.deepest, self.margins, movers.mover, movers.n_positions, movers.offsets,
                movers.width, special, np.empty((n_runs, 2), np.int32), ranks, len(positions), cells[:n_cells],
                base.ravel(), counters,
            )  # fmt: skip
            with self._counting:
                self.counters += counters
            jumps = cells[:n_cells].reshape(shape)
            return Jumps(jumps, base, starts, self.active, self.link, lambda: spare.append(cells))

        return sweep_rows

    def _prepare(
        self, positions: NDArray[np.int64], movers: VariedFeatures
    ) -> tuple[NDArray[Any], tuple[Any, ...] | None]:
        """Return ranks in one of the two dtypes that kernels are compiled for, and the arrays of special cases.

        These are None for most forests and rows, because the sweep is slower with them.
        """
        ranks = self.ranks[:, positions]
        missing, special = np.iinfo(ranks.dtype).max, None
        if len(self.category_words) > 1 or movers.in_runs.any() or (ranks == missing).any():
            special = (
                self.missing_left, self.category_start, self.category_words,
                movers.in_runs, self.run_start, self.runs, missing,
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

    def to_compiled(self, feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int] | None:
        """Return jumps, base, first cell of a feature and link, from which compiled sums make curves.

        - returns None: where the link is not compiled, or there are several margins.
        """
        from ice_explorer.trees.sweep_numba import LINKS

        link = LINKS.get(self.link.kind)
        if link is None or len(self.base) > 1:
            return None
        return self.cells[0], self.base[0], self.starts[feature], link

    def curves(self, feature: int) -> NDArray[np.float64]:
        """Read a feature: its curves on the stretches between active intervals, (n_rows, n_active + 1)."""
        from ice_explorer.trees.sweep_numba import sum_margins

        n_margins, n_rows = self.base.shape
        margins: NDArray[np.float64] = np.empty((n_margins, len(self.active[feature]) + 1, n_rows))
        sum_margins(self.cells, self.base, self.starts[feature], margins)
        return self.link.apply(np.ascontiguousarray(margins.swapaxes(1, 2)))
