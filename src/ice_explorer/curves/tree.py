"""Exact ICE curves of tree ensembles: ranks instead of numbers, then one sweep for all features.

Rows and grids are ranked once among the thresholds, by the library's own cast and comparison; from
then on everything is integer and no library's rules are left. A curve can change only where the
grid steps over a threshold, so that only those intervals, the *active* ones, are kept.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.curves import item_sweep_numpy
from ice_explorer.curves.forest import SweepForest
from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.trees.ensemble import CategoricalSplits, TreeEnsemble

_MISSING = 2**30
_FEWEST_ROWS, _MOST_ROWS = 512, 4096  # of a block: small trees fit the cache, big ones are amortised
_MOST_FEATURES, _MOST_POSITIONS = 1 << 12, (1 << 16) - 1
_HAS_NUMBA = find_spec("numba") is not None


class TreeCurves:
    """A tree ensemble, the rows it is explained on and the grids, ready to be swept.

    Parameters
    ----------
    ensemble : TreeEnsemble
    columns : sequence of ndarray
        Values of every column of X, (n_rows,) each.
    free : mapping of int to (int, ndarray)
        By feature: the column that moves, and what it becomes at each grid value, never decreasing.

    Attributes
    ----------
    active : dict of int to ndarray
        Intervals of each feature's grid in which a curve can change.
    counters : ndarray of shape (2,)
        Node visits and emitted items so far: what the work was, whatever the machine.

    Raises
    ------
    SweepLimitError
        If the trees, rows or grids are beyond what an item can hold.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        columns: Sequence[NDArray[Any]],
        free: Mapping[int, tuple[int, NDArray[np.float64]]],
    ) -> None:
        self._ensemble = ensemble
        self.n_rows = len(columns[0])
        self.counters = np.zeros(2, np.int64)
        n_features = len(columns)
        order, nodes = _renumbered(ensemble)
        self._ranks = np.zeros((n_features, self.n_rows), np.int32)
        self._places = {feature: place for feature, (place, _) in free.items()}
        self.active = {feature: np.empty(0, np.intp) for feature in free}
        moving = {place: feature for feature, place in self._places.items()}
        n_positions = np.zeros(n_features, np.int64)
        n_positions[list(moving)] = 1
        categories = _Categories(ensemble.categorical, order)
        for place, here in _by_feature(nodes, n_features):
            compared = ensemble.as_compared(place, columns[place])
            feature = moving.get(place)
            grid = np.empty(0) if feature is None else ensemble.as_compared(place, free[feature][1])
            if np.isnan(grid).any():
                raise SweepLimitError.missing_grid_value(place)
            if categories.is_categorical[here[0]]:
                self._ranks[place] = categories.rank(here, compared, grid)
                active = np.arange(len(grid) - 1)
            else:
                thresholds = ensemble.threshold[order[here]]
                self._ranks[place], nodes[here, 1] = _ranked(compared, thresholds, ensemble.comparison)
                side: Literal["left", "right"] = "right" if ensemble.comparison == "le" else "left"
                going_left = np.searchsorted(grid, thresholds, side=side)
                active, nodes[here, 3] = _compressed(going_left, len(grid))
            self._ranks[place][np.isnan(compared)] = _MISSING
            if feature is not None:
                self.active[feature] = active
                n_positions[place] = len(active) + 1
        if n_features > _MOST_FEATURES or n_positions.max() > _MOST_POSITIONS:
            raise SweepLimitError.size(n_features, int(n_positions.max()))
        self._has_missing = bool((self._ranks == _MISSING).any())
        self._n_positions = n_positions
        self._nodes = nodes
        self._categories = categories
        self._roots = np.arange(len(ensemble.root), dtype=np.int32)
        self._value = ensemble.value[order]
        self._missing_left = ensemble.missing_left[order].astype(np.uint64)
        self.forest = self._for_positions(n_positions)

    def _for_positions(self, n_positions: NDArray[np.int64]) -> SweepForest:
        """Lay the trees out for features with so many free positions, 0 for those held fixed."""
        nodes, categories = self._nodes, self._categories
        low, high = np.zeros(len(nodes), np.int32), np.zeros(len(nodes), np.int32)
        if _HAS_NUMBA:
            depth = _kernels().bounds_of_nodes(nodes, self._roots, n_positions, low, high)
        else:
            depth = item_sweep_numpy.bounds_of_nodes(nodes, n_positions, low, high)
        offsets = np.zeros(len(n_positions) + 1, np.int64)
        np.cumsum(np.where(n_positions > 0, n_positions + 1, 0), out=offsets[1:])
        run_bounds, runs = categories.runs(nodes, n_positions)
        return SweepForest(
            nodes, low, high, self._value, self._roots, self._ensemble.margin, self._missing_left,
            categories.start, categories.words, run_bounds, runs,
            offsets[:-1].astype(np.uint64), int(offsets[-1]), int(depth),
        )  # fmt: skip

    def predict(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Predict the rows themselves, (n_rows,)."""
        _, base = self._jumps(self.forest, positions)
        return self._ensemble.apply_link(base)

    def rows_per_block(self, memory_limit: int) -> int:
        """Rows swept at a time: few for small trees, more for large ones, within the memory limit."""
        per_tree = len(self.forest.nodes) // max(1, len(self.forest.roots))
        wanted = int(np.clip(per_tree // 2, _FEWEST_ROWS, _MOST_ROWS))
        row_bytes = 8 * (self.forest.width * len(self._ensemble.base) + 1) + 512
        return max(1, min(wanted, memory_limit // row_bytes))

    def stretches(self, positions: NDArray[np.int64]) -> dict[int, NDArray[np.float64]]:
        """Sweep some rows for all features.

        Parameters
        ----------
        positions : ndarray of shape (n_rows,)

        Returns
        -------
        dict of int to ndarray of shape (n_rows, n_active + 1)
            Curves on the stretches between active intervals, by feature.
        """
        return self._swept(self.forest, positions, list(self.active))

    def curves_of(self, feature: int) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
        """Return a function from rows to the stretches of one feature alone."""
        alone = np.zeros_like(self._n_positions)
        alone[self._places[feature]] = self._n_positions[self._places[feature]]
        forest = self._for_positions(alone)
        return lambda positions: self._swept(forest, positions, [feature])[feature]

    def _swept(
        self, forest: SweepForest, positions: NDArray[np.int64], features: Sequence[int]
    ) -> dict[int, NDArray[np.float64]]:
        jumps, base = self._jumps(forest, positions)
        n_margins, n_rows = base.shape
        found = {}
        for feature in features:
            start = int(forest.offsets[self._places[feature]])
            n_positions = int(self._n_positions[self._places[feature]])
            if _HAS_NUMBA:
                margins = np.empty((n_margins, n_rows, n_positions))
                _kernels().add_up(jumps, base, start, margins)
            else:
                margins = np.cumsum(jumps[:, :, start : start + n_positions], axis=2) + base[:, :, None]
            found[feature] = self._ensemble.apply_link(margins)
        return found

    def _jumps(
        self, forest: SweepForest, positions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sweep rows; return their difference arrays (n_margins, n_rows, width) and own margins."""
        n_margins, n_rows = len(self._ensemble.base), len(positions)
        ranks = np.ascontiguousarray(self._ranks[:, positions])
        jumps = np.zeros((n_margins, n_rows, forest.width))
        base = np.repeat(self._ensemble.base[:, None], n_rows, axis=1)
        if _HAS_NUMBA:
            counters = np.zeros(2, np.int64)
            _kernels().sweep(
                self._has_missing, forest.nodes, forest.low, forest.high, forest.value, forest.roots, forest.margins,
                forest.missing_left, forest.category_start, forest.category_words, forest.run_bounds, forest.runs,
                ranks.ravel(), n_rows, 0, n_rows, forest.offsets, np.uint64(forest.width), jumps.ravel(),
                base.ravel(), forest.depth, counters,
            )  # fmt: skip
            self.counters += counters
        else:
            item_sweep_numpy.sweep(forest, ranks, jumps, base)
        return jumps, base


class SweepLimitError(ICEExplorerError):
    """The sweep cannot hold this ensemble, these rows or this grid; the message says why."""

    @classmethod
    def size(cls, n_features: int, n_positions: int) -> SweepLimitError:
        """Say what an item cannot hold."""
        return cls(
            f"The sweep holds up to {_MOST_FEATURES} features and {_MOST_POSITIONS} positions of one feature; "
            f"there are {n_features} and {n_positions}."
        )

    @classmethod
    def missing_grid_value(cls, feature: int) -> SweepLimitError:
        """Say that a grid value counts as missing for the model."""
        return cls(f"The model takes a grid value of column {feature} for a missing value.")


def _kernels() -> Any:
    """Return the compiled kernels, loaded on first use: numba takes a while to import."""
    from ice_explorer.curves import item_sweep

    return item_sweep


def _renumbered(ensemble: TreeEnsemble) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Number nodes anew so that siblings are neighbours: roots first, then pairs of children.

    Returns
    -------
    order : ndarray of shape (n_nodes,)
        Old ids in the new order.
    nodes : ndarray of shape (n_nodes, 4)
        Feature and left child are filled in.
    """
    n_trees = len(ensemble.root)
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


def _by_feature(nodes: NDArray[np.int32], n_features: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each feature that some node splits on, with those nodes."""
    feature = nodes[:, 0]
    small = feature.astype(np.int16) if n_features < np.iinfo(np.int16).max else feature
    order = np.argsort(small, kind="stable")
    bounds = np.searchsorted(small[order], np.arange(n_features + 1))
    for at in np.flatnonzero(np.diff(bounds)):
        yield int(at), order[bounds[at] : bounds[at + 1]]


def _ranked(
    values: NDArray[np.float64], thresholds: NDArray[np.float64], comparison: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rank values and thresholds so that a value goes left where its rank is at most the threshold's.

    Ranks count thresholds, or the values themselves where those are fewer: the smaller set is sorted.
    """
    le = comparison == "le"
    if len(thresholds) <= 4 * len(values):
        distinct = np.unique(thresholds)
        rank = np.searchsorted(distinct, values, side="left" if le else "right")
        return rank, np.searchsorted(distinct, thresholds)
    distinct, rank = np.unique(values, return_inverse=True)
    return rank, np.searchsorted(distinct, thresholds, side="right" if le else "left") - 1


def _compressed(going_left: NDArray[np.int64], n_grid: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Keep the intervals of the grid that some threshold lies in; cut by those.

    Returns
    -------
    active : ndarray of shape (n_active,)
    cut : ndarray
        How many stretches between active intervals go left.
    """
    steps = np.unique(going_left)
    steps = steps[(steps > 0) & (steps < n_grid)]
    cut = np.searchsorted(steps, going_left, side="left") + 1
    cut[going_left <= 0] = 0
    cut[going_left >= n_grid] = len(steps) + 1
    return steps - 1, cut


class _Categories:
    """Categorical nodes as bits over the ranks of category codes, and as runs of grid positions."""

    def __init__(self, splits: CategoricalSplits, order: NDArray[np.int64]) -> None:
        self._splits = splits
        split_of_node = np.full(int(order.max()) + 1, -1, np.int64)
        reachable = splits.node < len(split_of_node)
        split_of_node[splits.node[reachable]] = np.flatnonzero(reachable)
        self._split = split_of_node[order]
        self.is_categorical = self._split >= 0
        self.start = np.full(len(order), -1, np.int64)
        self.words = np.zeros(1, np.uint64)
        self._left_of_grid: dict[int, NDArray[np.bool_]] = {}

    def rank(self, here: NDArray[np.int64], codes: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.int64]:
        """Rank the codes of one feature and write the bits of its nodes."""
        known = np.unique(codes[~np.isnan(codes)])
        n_words = len(known) // 64 + 1
        words = np.zeros((len(here), n_words * 64), np.uint8)
        for at, node in enumerate(here.tolist()):
            split = int(self._split[node])
            words[at, : len(known)] = self._splits.goes_left(split, known)
            self._left_of_grid[node] = self._splits.goes_left(split, grid)
        packed = np.packbits(words, axis=1, bitorder="little").view(np.uint64)
        self.start[here] = len(self.words) + n_words * np.arange(len(here))
        self.words = np.concatenate([self.words, packed.ravel()])
        return np.searchsorted(known, codes)

    def runs(
        self, nodes: NDArray[np.int32], n_positions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Write each categorical node's positions as runs: left; let through and left, and right."""
        bounds = np.zeros((len(nodes), 6) if self._left_of_grid else (1, 6), np.int64)
        runs: list[tuple[int, int]] = []
        for node, allowed in self._allowed(nodes, n_positions):
            left = self._left_of_grid[node] if len(allowed) else np.empty(0, np.bool_)
            for column, chosen in enumerate((left, allowed & left, allowed & ~left)):
                bounds[node, 2 * column] = len(runs)
                edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
                runs.extend(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
                bounds[node, 2 * column + 1] = len(runs)
        return bounds, np.array(runs, np.int32).reshape(-1, 2)

    def _allowed(
        self, nodes: NDArray[np.int32], n_positions: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield categorical nodes with the positions of their feature that ancestors let through."""
        if not self._left_of_grid:
            return
        parent = np.full(len(nodes), -1, np.int64)
        inner = np.flatnonzero(nodes[:, 0] >= 0)
        parent[nodes[inner, 2]] = inner
        parent[nodes[inner, 2] + 1] = inner
        for node in self._left_of_grid:
            feature = nodes[node, 0]
            allowed = np.ones(int(n_positions[feature]), np.bool_)
            child, above = node, int(parent[node])
            while above >= 0 and len(allowed):
                if nodes[above, 0] == feature:
                    left = self._left_of_grid[above]
                    allowed &= left if nodes[above, 2] == child else ~left
                child, above = above, int(parent[above])
            yield node, allowed
