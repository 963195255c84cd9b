"""Predictions of a few rows by walking the trees: nothing is prepared, and nothing shared with the sweep.

What the sweep is checked with: the arrays of the ensemble are followed as they are. The rows are so few that NumPy
takes no longer than loading numba does, which is left to the thread that sweeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.trees.ensemble import CategoricalSplits, TreeEnsemble

_BEYOND_CODES = 1 << 33  # further from 0 than any code


def predict(ensemble: TreeEnsemble, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Predict rows, each tree from its root to a leaf, (n_rows,).

    - `columns`: values of every column, (n_rows,) each, as `TreeEnsemble.as_compared` takes them.
    """
    compared = np.zeros((ensemble.n_features, len(columns[0])))
    for column in np.flatnonzero(np.bincount(ensemble.feature + 1)[1:]).tolist():
        compared[column] = ensemble.as_compared(column, columns[column])
    margins = np.repeat(ensemble.base[:, None], compared.shape[1], axis=1)
    _add_leaves(ensemble, compared, margins)
    return ensemble.link.apply(margins)


def _add_leaves(ensemble: TreeEnsemble, compared: NDArray[np.float64], margins: NDArray[np.float64]) -> None:
    """Add the leaves of all rows to their margins, (n_margins, n_rows): all trees a level at a time."""
    n_rows, n_trees = compared.shape[1], len(ensemble.root)
    listed = _keys_of(ensemble.categorical)
    node = np.repeat(ensemble.root, n_rows)
    row = np.tile(np.arange(n_rows), n_trees)
    cell = np.repeat(ensemble.margin * n_rows, n_rows) + row
    while len(node):
        is_leaf = ensemble.left.take(node) < 0
        if is_leaf.any():
            leaves = ensemble.value.take(node[is_leaf])
            margins += np.bincount(cell[is_leaf], leaves, margins.size).reshape(margins.shape)
            on_the_way = np.flatnonzero(~is_leaf)
            node, row, cell = node.take(on_the_way), row.take(on_the_way), cell.take(on_the_way)
        goes_left = _goes_left(ensemble, listed, node, compared.take(ensemble.feature.take(node) * n_rows + row))
        node = np.where(goes_left, ensemble.left.take(node), ensemble.right.take(node))


def _goes_left(
    ensemble: TreeEnsemble, listed: NDArray[np.int64], node: NDArray[np.int32], number: NDArray[np.float64]
) -> NDArray[np.bool_]:
    threshold, splits = ensemble.threshold.take(node), ensemble.categorical
    left = number <= threshold if ensemble.comparison == "le" else number < threshold
    missing = np.isnan(number)
    if len(splits.node):
        here = np.flatnonzero(np.isnan(threshold) & ~missing)  # only categorical nodes have no threshold
        keys = _keys(np.searchsorted(splits.node, node[here]), number[here])
        left[here] = np.isin(keys, listed) == splits.listed_left
    return np.where(missing, ensemble.missing_left.take(node), left) if missing.any() else left


def _keys_of(splits: CategoricalSplits) -> NDArray[np.int64]:
    """Number each code of each split, so that one look-up is for all splits."""
    n_codes = np.diff(splits.start).astype(np.intp)
    return _keys(np.repeat(np.arange(len(splits.node)), n_codes), splits.codes)


def _keys(split: NDArray[np.intp], codes: NDArray[Any]) -> NDArray[np.int64]:
    limited = np.clip(codes, -_BEYOND_CODES, _BEYOND_CODES - 1).astype(np.int64)
    return np.asarray(split.astype(np.int64) * (2 * _BEYOND_CODES) + limited)
