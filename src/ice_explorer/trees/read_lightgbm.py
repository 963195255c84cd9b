"""Trees of LightGBM, read from the text in which the library saves a model.

LightGBM compares in float64 and sends values of at most the threshold left. The leaves contain the learning rate and,
in dart, the weights of the trees.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.trees.forest import Forest, NotExactError, codes_from_bits, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

# Numbers of at most this size, a float32 in the library's source, count as 0.
_ZERO = float(np.float32(1e-35))


def _read(model: Any, _position: int | None, response: str) -> Forest:
    is_estimator = hasattr(model, "get_params")
    if is_estimator and model.get_params().get("pred_early_stop"):
        raise NotExactError("With `pred_early_stop`, LightGBM does not sum all trees.")
    booster = model.booster_ if is_estimator else model
    # Written up to the best iteration where training stopped early, as predictions are.
    text = booster.model_to_string()
    head, *blocks = text[: text.index("\nend of trees")].split("\nTree=")
    header, *trees = [
        dict(line.split("=", 1) for line in block.split("\n") if "=" in line) for block in (head, *blocks)
    ]
    if any(tree.get("is_linear", "0") != "0" for tree in trees):
        raise NotExactError("The leaves of these LightGBM trees are linear models, not numbers.")
    # Each tree is laid out as its inner nodes, then its leaves.
    n_leaves = np.array([int(tree["num_leaves"]) for tree in trees], np.intp)
    n_inner = n_leaves - 1
    n_nodes = n_inner + n_leaves
    root = np.cumsum(n_nodes) - n_nodes
    inner, leaf = _runs(root, n_inner), _runs(root + n_inner, n_leaves)

    def by_node(nodes: NDArray[np.int64], values: NDArray[Any], fill: float, dtype: type[Any]) -> NDArray[Any]:
        array = np.full(n_nodes.sum(), fill, dtype)
        array[nodes] = values
        return array

    def children(name: str) -> NDArray[np.int32]:
        child = _numbers(trees, name, np.int64)
        return by_node(inner, np.where(child >= 0, child, np.repeat(n_inner, n_inner) + ~child), -1, np.int32)

    decision = _numbers(trees, "decision_type", np.int64)
    threshold = _numbers(trees, "threshold", np.float64)
    is_categorical, default_left, missing = decision & 1 == 1, decision & 2 == 2, (decision >> 2) & 3
    zero_left = threshold >= 0.0
    if (~is_categorical & (missing == 1) & (default_left != zero_left)).any():
        raise NotExactError(
            "With `zero_as_missing`, LightGBM sends 0 to a different side than the numbers next to it, "
            "which no threshold does."
        )
    # Where a feature had nothing missing in training, what is missing counts as 0.
    missing_left = np.where(missing == 2, default_left, zero_left) & ~is_categorical
    # The threshold of a categorical node is the number of its set within the tree.
    n_sets = np.array([int(tree["num_cat"]) for tree in trees], np.intp)
    threshold[is_categorical] += np.repeat(np.cumsum(n_sets) - n_sets, n_inner)[is_categorical]
    bounds = [np.array(tree["cat_boundaries"].split(), np.int64) for tree in trees if "cat_boundaries" in tree]
    words = _numbers(trees, "cat_threshold", np.int64).astype(np.uint32)
    set_start, set_codes = codes_from_bits(words, join([np.diff(bound) for bound in bounds], np.intp))
    feature = _numbers(trees, "split_feature", np.int64)
    n_margins = int(header["num_tree_per_iteration"])
    objective, *options = header.get("objective", "").split(" ")
    slope = [float(option.removeprefix("sigmoid:")) for option in options if option.startswith("sigmoid:")]
    n_averaged = len(trees) // n_margins if "average_output" in head.split("\n") else 1
    if response == "predict" and ("sqrt" in options or objective == "cross_entropy_lambda"):
        raise NotExactError(
            f"The predictions of {header['objective']!r} are no known function of the sum of the leaves."
        )
    return Forest(
        library="LightGBM",
        n_columns=int(header["max_feature_idx"]) + 1,
        dtype=np.dtype(np.float64),
        zero_below=_ZERO,
        categorical=frozenset(feature[is_categorical].tolist()),
        n_nodes=n_nodes,
        feature=by_node(inner, feature, -1, np.int32),
        threshold=by_node(inner, threshold, 0.0, np.float64),
        left=children("left_child"),
        right=children("right_child"),
        missing_left=by_node(inner, missing_left, 0, np.bool_),
        value=by_node(leaf, _numbers(trees, "leaf_value", np.float64), 0.0, np.float64),
        margin=(np.arange(len(trees)) % n_margins).astype(np.int32),
        base=np.zeros(n_margins),
        set_start=set_start,
        set_codes=set_codes,
        factors=tuple(scale / count for scale, count in product({1.0, *slope}, {1, n_averaged})),
        labels_in_order=[np.array(labels, object) for labels in booster.pandas_categorical or ()],
    )


def _runs(first: NDArray[np.int64], count: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return first, first + 1, … for each run, one run after another."""
    return np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())


def _numbers(trees: Sequence[dict[str, str]], name: str, dtype: type[Any]) -> NDArray[Any]:
    return np.fromstring(" ".join(filter(None, (tree.get(name) for tree in trees))), dtype, sep=" ")


READERS: dict[str, Callable[[Any, int | None, str], Forest]] = dict.fromkeys(
    ("LGBMRegressor", "LGBMRanker", "LGBMClassifier", "Booster"), _read
)
