"""Predictions of a few rows by walking the trees: nothing is prepared, and nothing shared with the sweep.

What the sweep is checked with: the arrays of the ensemble are followed as they are, number by number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.trees.ensemble import TreeEnsemble


def predict(ensemble: TreeEnsemble, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Predict rows, each tree from its root to a leaf, (n_rows,).

    - `columns`: values of every column, (n_rows,) each, as `TreeEnsemble.as_compared` takes them.
    """
    compared = np.zeros((ensemble.n_features, len(columns[0])))
    for column in np.flatnonzero(np.bincount(ensemble.feature + 1)[1:]).tolist():
        compared[column] = ensemble.as_compared(column, columns[column])
    margins = np.repeat(ensemble.base[:, None], compared.shape[1], axis=1)
    if HAS_NUMBA:
        from ice_explorer.curves.trees.walk_numba import add_leaves

        splits = ensemble.categorical
        add_leaves(
            ensemble.feature, ensemble.threshold, ensemble.left, ensemble.right, ensemble.missing_left, ensemble.value,
            ensemble.root, ensemble.margin, ensemble.comparison == "le", splits.node, splits.start, splits.codes,
            splits.listed_left, compared, margins,
        )  # fmt: skip
    else:
        _add_leaves(ensemble, compared, margins)
    return ensemble.link.apply(margins)


def _add_leaves(ensemble: TreeEnsemble, compared: NDArray[np.float64], margins: NDArray[np.float64]) -> None:
    """Add the leaves of all rows to their margins, (n_margins, n_rows): all trees a level at a time."""
    n_rows, n_trees = compared.shape[1], len(ensemble.root)
    row = np.tile(np.arange(n_rows), n_trees)
    node = np.repeat(ensemble.root, n_rows)
    going = np.flatnonzero(ensemble.left[node] >= 0)
    while len(going):
        at = node[going]
        goes_left = _goes_left(ensemble, at, compared[ensemble.feature[at], row[going]])
        node[going] = np.where(goes_left, ensemble.left[at], ensemble.right[at])
        going = going[ensemble.left[node[going]] >= 0]
    np.add.at(margins, (np.repeat(ensemble.margin, n_rows), row), ensemble.value[node])


def _goes_left(ensemble: TreeEnsemble, node: NDArray[np.int32], number: NDArray[np.float64]) -> NDArray[np.bool_]:
    threshold = ensemble.threshold[node]
    left = number <= threshold if ensemble.comparison == "le" else number < threshold
    for here in np.unique(node[np.isnan(threshold)]).tolist():
        split = int(np.searchsorted(ensemble.categorical.node, here))
        left[node == here] = ensemble.categorical.goes_left(split, number[node == here])
    return np.where(np.isnan(number), ensemble.missing_left[node], left)
