"""Trees of CatBoost, read from the JSON in which the library saves a model.

CatBoost rounds X to float32 and sends values greater than the border right. Symmetric trees have one split per level
and become ordinary trees; a leaf has one number per margin.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.trees.forest import Forest, NotExactError, join

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Tree = tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]
    """Column (-1 at leaves), border, left and right child, and values (n_nodes, n_margins)."""


def _read(model: Any, _position: int | None, _response: str) -> Forest:
    from catboost import CatBoostError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        try:
            model.save_model(str(path), format="json")
        except CatBoostError as error:  # JSON has no infinite border, which follows from huge values of X
            raise NotExactError(
                f"CatBoost cannot save the trees of this model ({type(error).__name__}: {error})."
            ) from error
        saved: dict[str, Any] = json.loads(path.read_bytes())
    if "oblivious_trees" not in saved:
        raise NotExactError("Only symmetric trees of CatBoost are read.")
    scale, bias = saved["scale_and_bias"]
    features, borders, lefts, rights, values = zip(*map(_symmetric_tree, saved["oblivious_trees"]), strict=True)
    n_margins, n_trees = len(bias), len(features)
    # Splits count numeric columns alone.
    columns = saved["features_info"].get("float_features", [])
    number = join(features * n_margins, np.int32)
    is_leaf = number < 0
    number[is_leaf] = 0
    feature = np.array([column["flat_feature_index"] for column in columns] or [0], np.int32)[number]
    feature[is_leaf] = -1
    missing_left = np.array([column["nan_value_treatment"] != "AsTrue" for column in columns] or [False], np.bool_)
    return Forest(
        library="CatBoost",
        n_columns=len(model.feature_names_),
        dtype=np.dtype(np.float32),
        n_nodes=np.array([len(tree) for tree in features] * n_margins, np.intp),
        feature=feature,
        threshold=join(borders * n_margins, np.float64),
        left=join(lefts * n_margins, np.int32),
        right=join(rights * n_margins, np.int32),
        missing_left=missing_left[number],
        value=scale * join([value[:, margin] for margin in range(n_margins) for value in values], np.float64),
        margin=np.repeat(np.arange(n_margins, dtype=np.int32), n_trees),
        base=np.array(bias, np.float64),
        factors=(1.0, 2.0),  # twice the logarithm of a standard deviation is that of a variance
    )


def _split(split: dict[str, Any]) -> tuple[int, float]:
    """Return number and border of the numeric feature of a split."""
    if split["split_type"] != "FloatFeature":
        raise NotExactError(
            "CatBoost encodes categorical, text or embedding features internally "
            f"(a split of type {split['split_type']!r}), which is not reproduced."
        )
    return split["float_feature_index"], split["border"]


def _symmetric_tree(tree: dict[str, Any]) -> Tree:
    # The first split is the lowest bit of the number of a leaf, so that the last one is at the root.
    splits = [_split(split) for split in reversed(tree["splits"] or ())]
    n_leaves = 2 ** len(splits)
    node = np.arange(2 * n_leaves - 1, dtype=np.int32)  # numbered level by level
    level = np.log2(node + 1).astype(np.int64)
    feature, border = zip(*splits, (-1, 0.0), strict=True)
    leaves = np.array(tree["leaf_values"], np.float64).reshape(n_leaves, -1)
    values = np.concatenate([np.zeros((n_leaves - 1, leaves.shape[1])), leaves])
    return np.array(feature, np.int32)[level], np.array(border, np.float64)[level], 2 * node + 1, 2 * node + 2, values


READERS: dict[str, Callable[[Any, int | None, str], Forest]] = dict.fromkeys(
    ("CatBoost", "CatBoostRegressor", "CatBoostRanker", "CatBoostClassifier"), _read
)
