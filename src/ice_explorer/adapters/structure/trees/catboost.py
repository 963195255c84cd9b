"""Trees of CatBoost, read from the JSON in which the library saves a model.

CatBoost rounds X to float32 and sends what is greater than the border right. Symmetric trees come as
one split per level and become ordinary trees; a leaf holds one number per margin.
"""

from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.trees.ensemble import LocalTrees, UnsupportedTreesError, ensemble_of, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import LinkKind
    from ice_explorer.adapters.structure.trees.ensemble import Response, TreeEnsemble

_LIBRARY = "CatBoost"

_PROBABILITY_OF_LOSS: dict[str, LinkKind] = {
    **dict.fromkeys(("Logloss", "CrossEntropy", "Focal"), "sigmoid"),
    **dict.fromkeys(("MultiClassOneVsAll", "MultiLogloss", "MultiCrossEntropy"), "sigmoid"),
    "MultiClass": "softmax",
}


@dataclass(frozen=True, eq=False)
class _Tree:
    """One tree; the children of leaves mean nothing, and values has a column per margin."""

    feature: NDArray[np.int32]
    border: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    values: NDArray[np.float64]


def _regressor(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response not in {"predict", "raw"}:
        raise UnsupportedTreesError.no_response(model, response)
    wanted = position or 0
    made = model._get_default_prediction_type() if type(model).__name__ == "CatBoostRegressor" else "RawFormulaVal"  # noqa: SLF001
    if response == "raw" or made == "RawFormulaVal":
        return _ensemble(_saved(model), Link(), 1.0, wanted)
    if made == "Exponent":
        return _ensemble(_saved(model), Link("exp"), 1.0, wanted)
    if made == "RMSEWithUncertainty":
        # The mean, and the variance from the logarithm of the standard deviation.
        return _ensemble(_saved(model), *((Link(), 1.0) if wanted == 0 else (Link("exp"), 2.0)), wanted)
    raise UnsupportedTreesError.objective(_LIBRARY, made)


def _classifier(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response == "predict":
        raise UnsupportedTreesError.predicted_class(model)
    if response == "decision_function":
        raise UnsupportedTreesError.no_response(model, response)
    saved = _saved(model)
    loss = saved["model_info"]["params"]["loss_function"]["type"]
    if loss not in _PROBABILITY_OF_LOSS:
        raise UnsupportedTreesError.objective(_LIBRARY, loss)
    n_margins = len(saved["scale_and_bias"][1])
    if n_margins == 1:
        link = Link("sigmoid") if response == "predict_proba" else Link()
        return _ensemble(saved, link, -1.0 if position == 0 else 1.0, 0)
    wanted = position or 0
    if _PROBABILITY_OF_LOSS[loss] == "sigmoid":
        return _ensemble(saved, Link("sigmoid") if response == "predict_proba" else Link(), 1.0, wanted)
    if response == "raw":
        return _ensemble(saved, Link(), 1.0, wanted)
    kind: LinkKind = "softmax" if response == "predict_proba" else "softmax_log_odds"
    return _ensemble(saved, Link(kind, output=wanted), 1.0, None)


def _base(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    """Read a model of the base class, whose predict gives margins whatever the loss."""
    if response == "predict":
        return _regressor(model, position, "raw")
    return _classifier(model, position, "raw" if response == "decision_function" else response)


def _saved(model: Any) -> dict[str, Any]:
    from catboost import CatBoostError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        try:
            model.save_model(str(path), format="json")
        except CatBoostError as error:  # JSON has no infinite border, which follows from huge values of X
            raise UnsupportedTreesError(
                f"{_LIBRARY} cannot save the trees of this model ({type(error).__name__}: {error})."
            ) from error
        saved: dict[str, Any] = json.loads(path.read_bytes())
    saved["n_features"] = len(model.feature_names_)
    return saved


def _ensemble(saved: dict[str, Any], link: Link, factor: float, wanted: int | None) -> TreeEnsemble:
    """Read the trees of one margin, or of all (wanted None)."""
    columns = saved["features_info"].get("float_features", [])
    scale, bias = saved["scale_and_bias"]
    if "oblivious_trees" in saved:
        trees = [_symmetric_tree(tree) for tree in saved["oblivious_trees"]]
    else:
        trees = [_any_tree(tree) for tree in saved["trees"]]
    margins = range(len(bias)) if wanted is None else [wanted]
    column_of = np.array([column["flat_feature_index"] for column in columns], np.int32)
    missing_left = np.array([column["nan_value_treatment"] != "AsTrue" for column in columns], np.bool_)
    again = trees * len(margins)
    float_feature = joined([tree.feature for tree in again], np.int32)
    leaf = float_feature < 0
    float_feature[leaf] = 0
    local = LocalTrees(
        n_nodes=np.array([len(tree.feature) for tree in again], np.intp),
        feature=np.where(leaf, -1, column_of[float_feature]).astype(np.int32),
        threshold=joined([tree.border for tree in again], np.float64),
        left=joined([tree.left for tree in again], np.int32),
        right=joined([tree.right for tree in again], np.int32),
        missing_left=missing_left[float_feature],
        value=joined([tree.values[:, margin] for margin in margins for tree in trees], np.float64),
    )
    np.multiply(local.value, scale * factor, out=local.value)
    return ensemble_of(
        local,
        base=np.array([bias[margin] * factor for margin in margins], np.float64),
        margin=np.repeat(np.arange(len(margins)), len(trees)),
        n_features=saved["n_features"],
        comparison="le",
        input_dtype=np.float32,
        link=link,
        library=_LIBRARY,
    )


def _split(split: dict[str, Any]) -> tuple[int, float]:
    """Return number and border of the numeric feature that a split looks at."""
    if split["split_type"] != "FloatFeature":
        raise UnsupportedTreesError(
            "CatBoost encodes categorical, text or embedding features internally "
            f"(a split of type {split['split_type']!r}), which is not reproduced."
        )
    return split["float_feature_index"], split["border"]


@functools.cache
def _symmetric_shape(depth: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return level, left and right child of every node of a full tree, numbered level by level."""
    node = np.arange(2 ** (depth + 1) - 1)
    return np.log2(node + 1).astype(np.int64), (2 * node + 1).astype(np.int32), (2 * node + 2).astype(np.int32)


def _symmetric_tree(tree: dict[str, Any]) -> _Tree:
    splits = [_split(split) for split in tree["splits"] or ()]
    level, left, right = _symmetric_shape(len(splits))
    n_leaves = 2 ** len(splits)
    # The first split is the lowest bit of a leaf's number, so the last one is at the root.
    feature = np.array([feature for feature, _ in reversed(splits)] + [-1], np.int32)[level]
    border = np.array([border for _, border in reversed(splits)] + [0.0])[level]
    leaves = np.array(tree["leaf_values"], np.float64).reshape(n_leaves, -1)
    values = np.concatenate([np.zeros((n_leaves - 1, leaves.shape[1])), leaves])
    return _Tree(feature, border, left, right, values)


def _any_tree(tree: dict[str, Any]) -> _Tree:
    feature, border, left, right, values = [], [], [], [], []
    waiting = [tree]
    for node in waiting:  # grows while it is read
        values.append(node.get("value", 0.0))
        if "split" in node:
            column, value = _split(node["split"])
            left.append(len(waiting))
            right.append(len(waiting) + 1)
            waiting += [node["left"], node["right"]]
        else:
            column, value = -1, 0.0
            left.append(-1)
            right.append(-1)
        feature.append(column)
        border.append(value)
    leaves = [value for value, column in zip(values, feature, strict=True) if column < 0]
    table = np.zeros((len(feature), np.atleast_1d(leaves[0]).size))
    table[np.array(feature) < 0] = np.array(leaves, np.float64).reshape(len(leaves), -1)
    return _Tree(
        np.array(feature, np.int32), np.array(border), np.array(left, np.int32), np.array(right, np.int32), table
    )


READERS: dict[str, Callable[[Any, int | None, Response], TreeEnsemble]] = {
    "CatBoost": _base,
    **dict.fromkeys(("CatBoostRegressor", "CatBoostRanker"), _regressor),
    "CatBoostClassifier": _classifier,
}
