"""Trees of LightGBM, read from the text in which the library saves a model.

LightGBM compares in float64 and sends at most the threshold left. Learning rate and, in dart, the
weights of the trees are in the leaves already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.trees.ensemble import (
    CategoricalSplits,
    LocalTrees,
    UnsupportedTreesError,
    ensemble_of,
    splits_of_bitsets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import LinkKind
    from ice_explorer.adapters.structure.trees.ensemble import Response, TreeEnsemble

_LIBRARY = "LightGBM"

# Numbers of at most this size, a float32 in its source, count as 0.
_ZERO = float(np.float32(1e-35))

_LINK_OF_OBJECTIVE: dict[str, LinkKind] = {
    **dict.fromkeys(
        (
            "regression",
            "regression_l1",
            "huber",
            "fair",
            "quantile",
            "mape",
            "lambdarank",
            "rank_xendcg",
            "custom",
        ),
        "identity",
    ),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    **dict.fromkeys(("binary", "multiclassova", "cross_entropy"), "sigmoid"),
    "multiclass": "softmax",
    "cross_entropy_lambda": "softplus",
}


def _estimator(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response not in {"predict", "raw"}:
        raise UnsupportedTreesError.no_response(model, response)
    _no_early_stop(model)
    return _ensemble(model.booster_, position, response)


def _classifier(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response == "predict":
        raise UnsupportedTreesError.predicted_class(model)
    if callable(model.objective):
        raise UnsupportedTreesError("LGBMClassifier returns no probabilities with a custom objective.")
    _no_early_stop(model)
    return _ensemble(model.booster_, position, response)


def _no_early_stop(model: Any) -> None:
    if model.get_params().get("pred_early_stop"):
        raise UnsupportedTreesError("With `pred_early_stop`, LightGBM does not sum all trees.")


def _ensemble(booster: Any, position: int | None, response: Response) -> TreeEnsemble:
    # Written up to the best iteration where training stopped early, as predictions are.
    text = booster.model_to_string()
    head, *blocks = text[: text.index("\nend of trees")].split("\nTree=")
    header = _lines(head)
    trees = [_lines(block) for block in blocks]
    n_margins = int(header["num_tree_per_iteration"])
    link, factor, wanted = _link(header.get("objective", "custom"), n_margins, position, response)
    if "average_output" in head.split("\n") and response not in {"raw", "decision_function"}:
        factor *= n_margins / len(trees)
    margin = np.arange(len(trees)) % n_margins
    if wanted is not None:
        trees, margin = trees[wanted::n_margins], np.zeros(len(trees) // n_margins, np.int64)
    local, categorical = _local_trees(trees)
    np.multiply(local.value, factor, out=local.value)
    return ensemble_of(
        local,
        base=np.zeros(n_margins if wanted is None else 1),
        margin=margin,
        n_features=int(header["max_feature_idx"]) + 1,
        comparison="le",
        input_dtype=np.float64,
        link=link,
        library=_LIBRARY,
        categorical=categorical,
        levels_in_order=[np.array(labels, dtype=object) for labels in booster.pandas_categorical or ()],
        zero_below=_ZERO,
    )


def _lines(block: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in block.split("\n") if "=" in line)


def _link(written: str, n_margins: int, position: int | None, response: Response) -> tuple[Link, float, int | None]:
    """Return the link, the factor of the margin, and which margin is wanted (None: all of them)."""
    objective, *options = written.split(" ")
    if objective not in _LINK_OF_OBJECTIVE:
        raise UnsupportedTreesError.objective(_LIBRARY, objective)
    kind = _LINK_OF_OBJECTIVE[objective]
    if "sqrt" in options:
        kind = "signed_square"
    if kind == "softmax":
        if response in {"raw", "decision_function"}:
            return Link(), 1.0, position or 0
        return Link("softmax_log_odds" if response == "log_odds" else "softmax", output=position or 0), 1.0, None
    # Two classes share a margin; of several outputs each has its own.
    factor = -1.0 if n_margins == 1 and position == 0 and kind == "sigmoid" else 1.0
    wanted = (position or 0) if n_margins > 1 else 0
    if response in {"raw", "decision_function"}:
        return Link(), factor, wanted
    if response in {"predict_proba", "log_odds"} and kind != "sigmoid":
        raise UnsupportedTreesError.objective(_LIBRARY, objective)
    for option in options:
        if option.startswith("sigmoid:"):
            factor *= float(option.removeprefix("sigmoid:"))
    return Link() if response == "log_odds" else Link(kind), factor, wanted


def _local_trees(trees: Sequence[dict[str, str]]) -> tuple[LocalTrees, CategoricalSplits]:
    """Lay out each tree as its inner nodes, then its leaves."""
    if any(tree.get("is_linear", "0") != "0" for tree in trees):
        raise UnsupportedTreesError("The leaves of these LightGBM trees are linear models, not numbers.")
    n_leaves = np.array([int(tree["num_leaves"]) for tree in trees], np.intp)
    n_inner = n_leaves - 1
    n_nodes = n_inner + n_leaves
    first_node = np.cumsum(n_nodes) - n_nodes
    inner = _positions(first_node, n_inner)
    leaf = _positions(first_node + n_inner, n_leaves)
    total = int(n_nodes.sum())

    decision = _integers(trees, "decision_type", len(inner))
    threshold = _floats(trees, "threshold", len(inner))
    is_categorical = (decision & 1).astype(np.bool_)
    default_left = (decision & 2).astype(np.bool_)
    missing = (decision >> 2) & 3
    zero_left = threshold >= 0.0
    if (~is_categorical & (missing == 1) & (default_left != zero_left)).any():
        raise UnsupportedTreesError(
            "With `zero_as_missing`, LightGBM sends 0 to a different side than the numbers next to it, "
            "which no threshold does."
        )
    feature = np.full(total, -1, np.int32)
    feature[inner] = _integers(trees, "split_feature", len(inner))
    thresholds = np.zeros(total)
    thresholds[inner] = threshold
    missing_left = np.zeros(total, np.bool_)
    # Where a feature had nothing missing in training, what is missing counts as 0.
    missing_left[inner] = np.where(missing == 2, default_left, zero_left) & ~is_categorical
    value = np.zeros(total)
    value[leaf] = _floats(trees, "leaf_value", len(leaf))
    left, right = np.full(total, -1, np.int32), np.full(total, -1, np.int32)
    for child_of, name in ((left, "left_child"), (right, "right_child")):
        child = _integers(trees, name, len(inner))
        child_of[inner] = np.where(child >= 0, child, np.repeat(n_inner, n_inner) + ~child)
    local = LocalTrees(n_nodes, feature, thresholds, left, right, missing_left, value)
    at = np.flatnonzero(is_categorical)
    tree = np.repeat(np.arange(len(trees)), n_inner)[at]
    return local, _categorical_splits(trees, inner[at], tree, threshold[at].astype(np.int64))


def _categorical_splits(
    trees: Sequence[dict[str, str]], node: NDArray[np.int64], tree: NDArray[np.int64], set_of_tree: NDArray[np.int64]
) -> CategoricalSplits:
    """Read the sets of codes that go left: of each node the tree it is in and which of the tree's sets is its own."""
    n_sets = np.array([int(tree_["num_cat"]) for tree_ in trees], np.int64)
    n_bounds = np.where(n_sets > 0, n_sets + 1, 0)
    bounds = _integers(trees, "cat_boundaries", int(n_bounds.sum()))
    last_bound = np.cumsum(n_bounds)
    n_words_of_tree = np.zeros(len(trees), np.int64)
    n_words_of_tree[n_sets > 0] = bounds[last_bound[n_sets > 0] - 1]
    first_word_of_tree = np.cumsum(n_words_of_tree) - n_words_of_tree
    words = _integers(trees, "cat_threshold", int(n_words_of_tree.sum()))
    at = (last_bound - n_bounds)[tree] + set_of_tree
    n_words = (bounds[at + 1] - bounds[at]).astype(np.intp)
    own = words[_positions(first_word_of_tree[tree] + bounds[at], n_words)]
    return splits_of_bitsets(node, own.astype(np.uint32), n_words)


def _positions(first: NDArray[np.int64], count: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return first, first + 1, … for each run, one run after another."""
    return np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())


def _written(trees: Sequence[dict[str, str]], name: str) -> str:
    return " ".join(filter(None, (tree.get(name) for tree in trees)))


def _floats(trees: Sequence[dict[str, str]], name: str, count: int) -> NDArray[np.float64]:
    return np.fromstring(_written(trees, name), np.float64, count, sep=" ")


def _integers(trees: Sequence[dict[str, str]], name: str, count: int) -> NDArray[np.int64]:
    return np.fromstring(_written(trees, name), np.int64, count, sep=" ")


READERS: dict[str, Callable[[Any, int | None, Response], TreeEnsemble]] = {
    **dict.fromkeys(("LGBMRegressor", "LGBMRanker"), _estimator),
    "LGBMClassifier": _classifier,
    "Booster": _ensemble,
}
