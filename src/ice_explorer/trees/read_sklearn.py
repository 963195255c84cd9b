"""Trees of scikit-learn.

Its classic trees round X to float32 and send values of at most the threshold left; its histogram trees compare in
float64, and put categorical columns first, encoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.trees.forest import Forest, NotExactError, UnsupportedModelError, codes_from_bits, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_SINGLE_TREES = {"DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"}


def _classic_forest(model: Any, trees: Sequence[Any], values: Sequence[NDArray[np.float64]], **options: Any) -> Forest:
    """Join `tree_` objects, with the value of each node of each tree."""
    defaults = {"margin": np.zeros(len(trees), np.int32), "base": np.zeros(1)}
    return Forest(
        library="scikit-learn",
        n_columns=model.n_features_in_,
        dtype=np.dtype(np.float32),
        n_nodes=np.array([tree.node_count for tree in trees], np.intp),
        feature=join([tree.feature for tree in trees], np.int32),
        threshold=join([tree.threshold for tree in trees], np.float64),
        left=join([tree.children_left for tree in trees], np.int32),
        right=join([tree.children_right for tree in trees], np.int32),
        missing_left=join([tree.missing_go_to_left for tree in trees], np.bool_),
        value=join(values, np.float64),
        **{**defaults, **options},
    )


def _averaging(model: Any, position: int | None, response: str) -> Forest:
    """Read a tree or a forest: the mean over trees of the leaf."""
    trees = [member.tree_ for member in getattr(model, "estimators_", [model])]
    column = position or 0
    if not hasattr(model, "classes_"):
        values = [tree.value[:, column, 0] for tree in trees]
    elif response == "log_odds":
        raise UnsupportedModelError("Log-odds of a mean of probabilities are no sum of leaves.")
    elif response == "predict":
        # The first of the largest fractions, as argmax takes it.
        values = [(tree.value[:, 0].argmax(axis=1) == column).astype(np.float64) for tree in trees]
    else:
        values = [tree.value[:, 0, column] for tree in trees]
    forest = _classic_forest(model, trees, values)
    np.divide(forest.value, len(trees), out=forest.value)
    return forest


def _gradient_boosting(model: Any, _position: int | None, _response: str) -> Forest:
    start = "zero" if isinstance(model.init_, str) else type(model.init_).__name__
    if start not in {"zero", "DummyClassifier", "DummyRegressor"}:
        raise NotExactError(
            f"{type(model).__name__} starts from the predictions of {start}, which are not a sum of trees."
        )
    n_rounds, n_margins = model.estimators_.shape
    trees = [member.tree_ for member in model.estimators_.ravel()]
    base = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0]  # noqa: SLF001
    forest = _classic_forest(
        model,
        trees,
        [tree.value[:, 0, 0] for tree in trees],
        margin=np.tile(np.arange(n_margins, dtype=np.int32), n_rounds),
        base=np.asarray(base, np.float64),
        factors=(1.0, 2.0) if model.loss == "exponential" else (1.0,),  # whose margin is half the log-odds
    )
    np.multiply(forest.value, model.learning_rate, out=forest.value)
    return forest


def _histogram_boosting(model: Any, _position: int | None, _response: str) -> Forest:
    trees = [tree for one_round in model._predictors for tree in one_round]  # noqa: SLF001
    base = np.asarray(model._baseline_prediction, np.float64).ravel()  # noqa: SLF001
    nodes = np.concatenate([tree.nodes for tree in trees])
    n_nodes = np.array([len(tree.nodes) for tree in trees], np.intp)
    is_leaf = nodes["is_leaf"].astype(np.bool_)
    by_set = np.flatnonzero(nodes["is_categorical"].astype(np.bool_) & ~is_leaf)
    first_set = np.repeat(np.cumsum([0, *(len(tree.raw_left_cat_bitsets) for tree in trees)])[:-1], n_nodes)
    words = np.concatenate([tree.raw_left_cat_bitsets for tree in trees])
    set_start, set_codes = codes_from_bits(words.ravel(), np.full(len(words), words.shape[1]))
    threshold = nodes["num_threshold"].astype(np.float64)
    threshold[by_set] = first_set[by_set] + nodes["bitset_idx"][by_set]
    columns, levels = np.arange(model.n_features_in_), {}
    if model.is_categorical_ is not None:
        categorical = np.flatnonzero(model.is_categorical_)
        columns = np.concatenate([categorical, np.flatnonzero(~model.is_categorical_)])
        encoder = model._preprocessor.named_transformers_["encoder"]  # noqa: SLF001
        for column, labels in zip(categorical.tolist(), encoder.categories_, strict=True):
            levels[column] = np.array([label for label in labels.tolist() if label == label], object)  # noqa: PLR0124 - NaN
    feature = np.where(is_leaf, -1, columns[np.where(is_leaf, 0, nodes["feature_idx"])]).astype(np.int32)
    return Forest(
        library="scikit-learn",
        n_columns=model.n_features_in_,
        dtype=np.dtype(np.float64),
        categorical=frozenset(feature[by_set].tolist()),
        levels=levels,
        numbers_are_levels=True,
        n_nodes=n_nodes,
        feature=feature,
        threshold=threshold,
        left=nodes["left"].astype(np.int32),
        right=nodes["right"].astype(np.int32),
        missing_left=nodes["missing_go_to_left"].astype(np.bool_),
        value=nodes["value"].astype(np.float64),
        margin=np.tile(np.arange(len(base), dtype=np.int32), len(model._predictors)),  # noqa: SLF001
        base=base,
        set_start=set_start,
        set_codes=set_codes,
    )


READERS: dict[str, Callable[[Any, int | None, str], Forest]] = {
    **dict.fromkeys((*_SINGLE_TREES, "RandomForestClassifier", "RandomForestRegressor"), _averaging),
    **dict.fromkeys(("ExtraTreesClassifier", "ExtraTreesRegressor"), _averaging),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), _gradient_boosting),
    **dict.fromkeys(("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"), _histogram_boosting),
}
