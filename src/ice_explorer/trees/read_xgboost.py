"""Trees of XGBoost, read from the model as the library itself would save it.

XGBoost rounds X to float32 and sends values less than the threshold left. Thresholds and leaves are float32, too, which
JSON writes in as few digits as tell them apart: they are rounded back. XGBoost sums the leaves in float32; here they
are summed in float64, so that the two agree to single precision. Sets of categories list the codes that go right.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.trees.forest import Forest, NotExactError, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def _read(model: Any, _position: int | None, _response: str) -> Forest:
    is_estimator = hasattr(model, "get_booster")
    booster = model.get_booster() if is_estimator else model
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    parameters, gradient_booster = learner["learner_model_param"], learner["gradient_booster"]
    is_dart = gradient_booster["name"] == "dart"
    if gradient_booster["name"] not in {"gbtree", "dart"}:
        raise NotExactError(f"The XGBoost booster {gradient_booster['name']!r} has no trees.")
    saved = gradient_booster["gbtree"]["model"] if is_dart else gradient_booster["model"]
    n_trees = len(saved["trees"])
    if is_estimator and "best_iteration" in learner["attributes"]:
        n_trees = int(saved["iteration_indptr"][int(learner["attributes"]["best_iteration"]) + 1])
    trees, margin = saved["trees"][:n_trees], np.array(saved["tree_info"][:n_trees], np.int32)
    weight = np.ones(n_trees)
    if is_dart:
        weight = np.asarray(gradient_booster["weight_drop"][:n_trees], np.float32).astype(np.float64)
    n_margins = max(1, int(parameters["num_class"]), int(parameters["num_target"]))
    if trees and int(trees[0]["tree_param"]["size_leaf_vector"]) > 1:
        raise NotExactError("The leaves of these XGBoost trees are vectors, not numbers.")
    n_nodes = np.array([len(tree["left_children"]) for tree in trees], np.intp)
    left = join([tree["left_children"] for tree in trees], np.int32)
    feature = np.where(left < 0, -1, join([tree["split_indices"] for tree in trees], np.int32)).astype(np.int32)
    threshold = join([tree["split_conditions"] for tree in trees], np.float32).astype(np.float64)
    # Sets of codes of a tree stand in the order of its nodes.
    roots = np.cumsum(n_nodes) - n_nodes
    nodes = [root + np.asarray(tree["categories_nodes"], np.int64) for root, tree in zip(roots, trees, strict=True)]
    by_set = join(nodes, np.int64)
    threshold[by_set] = np.arange(len(by_set))
    value = join([tree["split_conditions"] for tree in trees], np.float32)  # those of inner nodes have no meaning
    base = np.asarray(np.atleast_1d(json.loads(parameters["base_score"])), np.float32).astype(np.float64)
    return Forest(
        library="XGBoost",
        n_columns=int(parameters["num_feature"]),
        dtype=np.dtype(np.float32),
        comparison="lt",
        missing_value=float(model.missing) if is_estimator else float("nan"),
        categorical=frozenset(feature[by_set].tolist()),
        rounding="floor",
        levels=_levels(saved.get("cats", {}).get("enc", ())),
        n_nodes=n_nodes,
        feature=feature,
        threshold=threshold,
        left=left,
        right=join([tree["right_children"] for tree in trees], np.int32),
        missing_left=join([tree["default_left"] for tree in trees], np.bool_),
        value=value * np.repeat(weight, n_nodes),
        margin=margin,
        base=np.broadcast_to(base, n_margins).copy(),
        is_base_output=True,
        set_start=np.append(0, np.cumsum(join([tree["categories_sizes"] for tree in trees], np.int64))),
        set_codes=join([tree["categories"] for tree in trees], np.int32),
        listed_left=False,
    )


def _levels(encodings: Sequence[dict[str, Any]]) -> dict[int, NDArray[np.object_]]:
    """Return the labels behind the codes of columns that were categorical by their dtype."""
    levels = {}
    for feature, encoding in enumerate(encodings):
        labels = np.asarray(encoding["values"])
        if len(labels) and "offsets" in encoding:
            text = labels.astype(np.uint8).tobytes()
            labels = np.array([text[begin:end].decode() for begin, end in pairwise(encoding["offsets"])])
        if len(labels):
            levels[feature] = np.array(labels.tolist(), object)
    return levels


READERS: dict[str, Callable[[Any, int | None, str], Forest]] = dict.fromkeys(
    ("XGBRegressor", "XGBRFRegressor", "XGBRanker", "XGBClassifier", "XGBRFClassifier", "Booster"), _read
)
