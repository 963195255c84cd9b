"""Trees of XGBoost, read from the model as the library itself would save it.

XGBoost rounds X to float32 and sends what is less than the threshold left. Thresholds and leaves are
float32, too, which JSON writes in as few digits as tell them apart: they are rounded back. XGBoost sums
the leaves in float32; here they are summed in float64, so that the two agree to single precision.
Category sets list the codes that go right.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.trees.ensemble import (
    CategoricalSplits,
    LocalTrees,
    UnsupportedTreesError,
    ensemble_of,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import LinkKind
    from ice_explorer.adapters.structure.trees.ensemble import Response, TreeEnsemble

_LIBRARY = "XGBoost"

# What the sum of the leaves becomes, and so in which space `base_score` is written.
_LINK_OF_OBJECTIVE: dict[str, LinkKind] = {
    **dict.fromkeys(
        (
            "reg:squarederror",
            "reg:squaredlogerror",
            "reg:pseudohubererror",
            "reg:absoluteerror",
            "reg:quantileerror",
            "binary:logitraw",
            "rank:ndcg",
            "rank:map",
            "rank:pairwise",
        ),
        "identity",
    ),
    **dict.fromkeys(("binary:logistic", "reg:logistic"), "sigmoid"),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"), "exp"),
    **dict.fromkeys(("multi:softprob", "multi:softmax"), "softmax"),
}


@dataclass(frozen=True)
class _Term:
    """One tree as one margin sees it: of a tree whose leaves are vectors, one column."""

    tree: dict[str, Any]
    column: int
    margin: int
    weight: float


def _regressor(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response not in {"predict", "raw"}:
        raise UnsupportedTreesError.no_response(model, response)
    return _ensemble(model.get_booster(), position, response, missing=model.missing, until_best=True)


def _classifier(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response == "predict":
        raise UnsupportedTreesError.predicted_class(model)
    if response == "decision_function":
        raise UnsupportedTreesError.no_response(model, response)
    return _ensemble(model.get_booster(), position, response, missing=model.missing, until_best=True)


def _booster(booster: Any, position: int | None, response: Response) -> TreeEnsemble:
    asked: Response = "raw" if response == "decision_function" else response
    return _ensemble(booster, position, asked, missing=float("nan"), until_best=False)


def _ensemble(
    booster: Any, position: int | None, response: Response, *, missing: float, until_best: bool
) -> TreeEnsemble:
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    parameters = learner["learner_model_param"]
    n_margins = max(1, int(parameters["num_class"]), int(parameters["num_target"]))
    if learner["objective"]["name"] == "multi:softmax" and response == "predict":
        raise UnsupportedTreesError.predicted_class(booster)
    link, sign, wanted = _link(learner["objective"]["name"], n_margins, position, response)
    base = _base_margins(parameters["base_score"], learner["objective"]["name"], n_margins)
    model, weights = _boosted_trees(learner["gradient_booster"])
    n_trees = len(model["trees"])
    if until_best and "best_iteration" in learner["attributes"]:
        n_trees = int(model["iteration_indptr"][int(learner["attributes"]["best_iteration"]) + 1])
    terms = _terms(model, weights, n_trees, n_margins)
    if n_margins > 1 and wanted is not None:
        base = base[[wanted]]
        terms = [replace(term, margin=0) for term in terms if term.margin == wanted]
    local, categorical = _local_trees(terms)
    factors = np.array([term.weight * sign for term in terms])
    np.multiply(local.value, np.repeat(factors, local.n_nodes), out=local.value)
    return ensemble_of(
        local,
        base=base * sign,
        margin=np.array([term.margin for term in terms], np.int32),
        n_features=int(parameters["num_feature"]),
        comparison="lt",
        input_dtype=np.float32,
        link=link,
        library=_LIBRARY,
        categorical=categorical,
        levels=_levels(model.get("cats", {}).get("enc", ())),
        missing_value=float(missing),
    )


def _link(objective: str, n_margins: int, position: int | None, response: Response) -> tuple[Link, float, int | None]:
    """Return the link, the sign of the margin, and which margin is wanted (None: all of them)."""
    if objective not in _LINK_OF_OBJECTIVE:
        raise UnsupportedTreesError.objective(_LIBRARY, objective)
    kind = _LINK_OF_OBJECTIVE[objective]
    of_classes = response in {"predict_proba", "log_odds"}
    if of_classes and kind not in {"sigmoid", "softmax"}:
        raise UnsupportedTreesError.objective(_LIBRARY, objective)
    if kind == "softmax":
        wanted = position or 0
        if response == "raw":
            return Link(), 1.0, wanted
        return Link("softmax_log_odds" if response == "log_odds" else "softmax", output=wanted), 1.0, None
    # Two classes share a margin; of several outputs each has its own.
    sign = -1.0 if n_margins == 1 and position == 0 and kind == "sigmoid" else 1.0
    link = Link() if response in {"raw", "log_odds"} else Link(kind)
    return link, sign, (position or 0) if n_margins > 1 else None


def _base_margins(written: str, objective: str, n_margins: int) -> NDArray[np.float64]:
    """Return the base scores as margins; they are written as outputs, one or one per margin."""
    scores = np.asarray(np.atleast_1d(json.loads(written)), np.float32).astype(np.float64)
    kind = _LINK_OF_OBJECTIVE[objective]
    if kind == "sigmoid":
        scores = np.log(scores) - np.log1p(-scores)
    elif kind == "exp":
        scores = np.log(scores)
    return np.broadcast_to(scores, n_margins).copy()


def _boosted_trees(gradient_booster: dict[str, Any]) -> tuple[dict[str, Any], NDArray[np.float64] | None]:
    """Return the model inside the booster and, of dart, the weight of each tree."""
    name = gradient_booster["name"]
    if name == "gbtree":
        return gradient_booster["model"], None
    if name == "dart":
        weights = np.asarray(gradient_booster["weight_drop"], np.float32)
        return gradient_booster["gbtree"]["model"], weights.astype(np.float64)
    raise UnsupportedTreesError(f"The XGBoost booster {name!r} has no trees.")


def _terms(model: dict[str, Any], weights: NDArray[np.float64] | None, n_trees: int, n_margins: int) -> list[_Term]:
    """Return what is summed: trees of one margin each, or every margin's column of trees with vectors in the leaves."""
    trees = model["trees"][:n_trees]
    weight_of = np.ones(n_trees) if weights is None else weights
    if trees and int(trees[0]["tree_param"]["size_leaf_vector"]) > 1:
        return [
            _Term(tree, margin, margin, float(weight))
            for margin in range(n_margins)
            for tree, weight in zip(trees, weight_of, strict=False)
        ]
    return [
        _Term(tree, 0, int(margin), float(weight))
        for tree, margin, weight in zip(trees, model["tree_info"], weight_of, strict=False)
    ]


def _values(term: _Term) -> Any:
    """Return the value of each node; values of inner nodes are meaningless."""
    tree = term.tree
    width = int(tree["tree_param"]["size_leaf_vector"])
    if width <= 1:
        return tree["split_conditions"]
    # The right child of a leaf is its row in the table of vectors.
    vectors = np.reshape(tree["leaf_weights"], (-1, width))[:, term.column]
    return vectors[np.where(np.less(tree["left_children"], 0), tree["right_children"], 0)]


def _local_trees(terms: Sequence[_Term]) -> tuple[LocalTrees, CategoricalSplits]:
    trees = [term.tree for term in terms]
    left = joined([tree["left_children"] for tree in trees], np.int32)
    feature = joined([tree["split_indices"] for tree in trees], np.int32)
    feature[left < 0] = -1
    local = LocalTrees(
        n_nodes=np.array([len(tree["left_children"]) for tree in trees], np.intp),
        feature=feature,
        threshold=joined([tree["split_conditions"] for tree in trees], np.float32).astype(np.float64),
        left=left,
        right=joined([tree["right_children"] for tree in trees], np.int32),
        missing_left=joined([tree["default_left"] for tree in trees], np.bool_),
        value=joined([_values(term) for term in terms], np.float32).astype(np.float64),
    )
    return local, _categorical_splits(trees, local.first_node)


def _categorical_splits(trees: Sequence[dict[str, Any]], first_node: NDArray[np.int64]) -> CategoricalSplits:
    node: list[NDArray[Any]] = []
    codes: list[NDArray[Any]] = []
    sizes: list[int] = []
    for tree, first in zip(trees, first_node, strict=True):
        for own_node, begin, size in zip(
            tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
        ):
            node.append(first + own_node)
            codes.append(np.sort(tree["categories"][begin : begin + size]))
            sizes.append(size)
    return CategoricalSplits(
        node=np.array(node, np.int32),
        start=np.cumsum([0, *sizes], dtype=np.int64),
        codes=joined(codes, np.int32),
        listed_left=False,
        rounding="floor",
    )


def _levels(encodings: Sequence[dict[str, Any]]) -> dict[int, NDArray[np.object_]]:
    """Return the labels behind the codes, of columns that were categorical by their dtype."""
    levels = {}
    for feature, encoding in enumerate(encodings):
        if not len(encoding["values"]):
            continue
        if "offsets" in encoding:
            text = np.asarray(encoding["values"]).astype(np.uint8).tobytes()
            labels: list[Any] = [text[begin:end].decode() for begin, end in pairwise(encoding["offsets"])]
        else:
            labels = np.asarray(encoding["values"]).tolist()
        levels[feature] = np.array(labels, dtype=object)
    return levels


READERS: dict[str, Callable[[Any, int | None, Response], TreeEnsemble]] = {
    **dict.fromkeys(("XGBRegressor", "XGBRFRegressor", "XGBRanker"), _regressor),
    **dict.fromkeys(("XGBClassifier", "XGBRFClassifier"), _classifier),
    "Booster": _booster,
}
