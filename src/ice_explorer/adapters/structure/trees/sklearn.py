"""Trees of scikit-learn.

Its classic trees round X to float32 and send at most the threshold left; its histogram trees compare
in float64, and put categorical columns first, encoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.trees.ensemble import (
    LocalTrees,
    UnsupportedTreesError,
    ensemble_of,
    joined,
    splits_of_bitsets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.trees.ensemble import Response, TreeEnsemble

_LIBRARY = "scikit-learn"


# Classic trees -----------------------------------------------------------------------------------


def _local_trees(trees: Sequence[Any], values: Sequence[NDArray[np.float64]]) -> LocalTrees:
    """Join `tree_` objects, with what each node of each tree is worth."""
    return LocalTrees(
        n_nodes=np.array([tree.node_count for tree in trees], np.intp),
        feature=joined([tree.feature for tree in trees], np.int32),
        threshold=joined([tree.threshold for tree in trees], np.float64),
        left=joined([tree.children_left for tree in trees], np.int32),
        right=joined([tree.children_right for tree in trees], np.int32),
        missing_left=joined([tree.missing_go_to_left for tree in trees], np.bool_),
        value=joined(values, np.float64),
    )


def _classic(
    model: Any,
    trees: LocalTrees,
    link: Link,
    base: NDArray[np.float64] | None = None,
    margin: NDArray[Any] | None = None,
) -> TreeEnsemble:
    return ensemble_of(
        trees,
        base=np.zeros(1) if base is None else base,
        margin=margin,
        n_features=model.n_features_in_,
        comparison="le",
        input_dtype=np.float32,
        link=link,
        library=_LIBRARY,
    )


def _n_classes(model: Any) -> int:
    """Return how many classes a classifier tells apart."""
    if isinstance(model.classes_, list):
        raise UnsupportedTreesError(f"{type(model).__name__} is a multi-output classifier.")
    return len(model.classes_)


def _class_position(model: Any, position: int | None) -> int:
    """Return the position of the explained class: the second of two by default."""
    return min(1, _n_classes(model) - 1) if position is None else position


def _average_of_fractions(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    """Read a tree or forest that classifies: the mean over trees of the fraction of a class in the leaf."""
    trees = [tree.tree_ for tree in getattr(model, "estimators_", [model])]
    wanted = _class_position(model, position)
    if response == "predict" and len(trees) == 1:
        # The first of the largest fractions, as argmax takes it.
        values = [(trees[0].value[:, 0].argmax(axis=1) == wanted).astype(np.float64)]
    else:
        values = [tree.value[:, 0, wanted] for tree in trees]
    return _mean_of_trees(model, _local_trees(trees, values), len(trees), response)


def _mean_of_trees(model: Any, trees: LocalTrees, n_trees: int, response: Response) -> TreeEnsemble:
    """Finish a classifier whose probability is the mean over its trees."""
    if response == "predict" and n_trees > 1:
        raise UnsupportedTreesError.predicted_class(model)
    if response == "decision_function":
        raise UnsupportedTreesError.no_response(model, response)
    link = _logit_of_mean(trees, n_trees) if response == "log_odds" else Link()
    np.divide(trees.value, n_trees, out=trees.value)
    return _classic(model, trees, link)


def _logit_of_mean(trees: LocalTrees, n_trees: int) -> Link:
    """Return the link that tells a mean of 0 or 1 from the smallest step away from it."""
    fractions = trees.value[trees.feature < 0]
    steps = np.concatenate([fractions[fractions > 0.0], 1.0 - fractions[fractions < 1.0], [1.0]])
    smallest = float(steps.min()) / n_trees
    if smallest < 1e-12:
        raise UnsupportedTreesError("Some leaves are so nearly pure that their probabilities round to 0 or 1 in a sum.")
    return Link("logit", resolution=smallest / 2)


def _average_of_means(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    """Read a tree or forest for regression: the mean over trees of the leaf's value."""
    _needs_predict(model, response)
    trees = [tree.tree_ for tree in getattr(model, "estimators_", [model])]
    local = _local_trees(trees, [tree.value[:, position or 0, 0] for tree in trees])
    np.divide(local.value, len(trees), out=local.value)
    return _classic(model, local, Link())


def _needs_predict(model: Any, response: Response) -> None:
    if response not in {"predict", "raw"}:
        raise UnsupportedTreesError.no_response(model, response)


# Bagging -----------------------------------------------------------------------------------------

_TREE_CLASSIFIERS = ("DecisionTreeClassifier", "ExtraTreeClassifier")
_TREE_REGRESSORS = ("DecisionTreeRegressor", "ExtraTreeRegressor")


def _members(model: Any, known: tuple[str, ...]) -> list[Any]:
    """Return the trees of a meta-estimator, or refuse its members."""
    for member in model.estimators_:
        if type(member).__name__ not in known or type(member).__module__.partition(".")[0] != "sklearn":
            kinds = f"{type(model).__name__} is supported only if its members are single trees"
            raise UnsupportedTreesError(f"{kinds}, not {type(member).__name__}.")
    return list(model.estimators_)


def _renumber_features(trees: LocalTrees, columns: Sequence[NDArray[Any]], n_features: int) -> None:
    """Turn positions in each tree's own columns into positions in X, in place."""
    if all(np.array_equal(own, np.arange(n_features)) for own in columns):
        return
    first_column = np.cumsum([0, *map(len, columns)])[:-1]
    all_columns = np.concatenate([np.asarray(own) for own in columns])
    inner = np.flatnonzero(trees.feature >= 0)
    tree = np.repeat(np.arange(len(columns)), trees.n_nodes)[inner]
    trees.feature[inner] = all_columns[first_column[tree] + trees.feature[inner]]


def _bagged_classifier(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    members = _members(model, _TREE_CLASSIFIERS)
    wanted = _class_position(model, position)
    trees = [member.tree_ for member in members]
    values = []
    for member, tree in zip(members, trees, strict=True):
        # A member that drew no row of some class knows the others by their position in the whole.
        own = np.flatnonzero(np.asarray(member.classes_) == wanted)
        values.append(tree.value[:, 0, own[0]] if own.size else np.zeros(tree.node_count))
    local = _local_trees(trees, values)
    _renumber_features(local, model.estimators_features_, model.n_features_in_)
    if response == "predict":
        raise UnsupportedTreesError.predicted_class(model)
    return _mean_of_trees(model, local, len(trees), response)


def _bagged_regressor(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    _needs_predict(model, response)
    trees = [member.tree_ for member in _members(model, _TREE_REGRESSORS)]
    local = _local_trees(trees, [tree.value[:, position or 0, 0] for tree in trees])
    _renumber_features(local, model.estimators_features_, model.n_features_in_)
    np.divide(local.value, len(trees), out=local.value)
    return _classic(model, local, Link())


def _isolation_forest(model: Any, position: int | None, response: Response) -> TreeEnsemble:  # noqa: ARG001
    if response == "predict":
        raise UnsupportedTreesError(
            "IsolationForest predicts the sign of its decision function, and near 0 the sign depends on the "
            'order in which the trees are summed. Use `response="decision_function"`.'
        )
    if response not in {"decision_function", "raw"}:
        raise UnsupportedTreesError.no_response(model, response)
    trees = [member.tree_ for member in _members(model, _TREE_REGRESSORS)]
    depths = [
        path + rest - 1.0
        for path, rest in zip(model._decision_path_lengths, model._average_path_length_per_tree, strict=True)  # noqa: SLF001
    ]
    local = _local_trees(trees, depths)
    _renumber_features(local, model.estimators_features_, model.n_features_in_)
    expected = len(trees) * _path_length_of(model._max_samples)  # noqa: SLF001
    base = np.zeros(1)
    if expected > 0.0:
        np.divide(local.value, expected, out=local.value)
    else:  # trees of a single row isolate nothing: the library sets their score
        local.value[:] = 0.0
        base[0] = 1.0
    return _classic(model, local, Link("isolation", offset=0.0 if response == "raw" else model.offset_), base)


def _path_length_of(n_rows: int) -> float:
    """Average length of the path to a row of an isolation tree grown on n_rows."""
    if n_rows <= 1:
        return 0.0
    if n_rows == 2:
        return 1.0
    return float(2.0 * (np.log(n_rows - 1.0) + np.euler_gamma) - 2.0 * (n_rows - 1.0) / n_rows)


# Boosting ----------------------------------------------------------------------------------------


def _adaboost_classifier(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    if response == "predict":
        raise UnsupportedTreesError.predicted_class(model)
    wanted, n_classes = _class_position(model, position), _n_classes(model)
    if n_classes < 2:
        raise UnsupportedTreesError("AdaBoostClassifier was fitted on a single class, which it always predicts.")
    members = _members(model, _TREE_CLASSIFIERS)
    total = float(model.estimator_weights_.sum())
    votes = []
    for member, weight in zip(members, model.estimator_weights_[: len(members)], strict=True):
        voted = np.searchsorted(model.classes_, member.classes_)[member.tree_.value[:, 0].argmax(axis=1)]
        share = np.full((member.tree_.node_count, n_classes), -weight / (n_classes - 1) / total)
        share[np.arange(len(voted)), voted] = weight / total
        votes.append(share)
    trees = [member.tree_ for member in members]
    if n_classes == 2:
        # The decision is the vote of one class minus that of the other; its sigmoid is the probability.
        local = _local_trees(trees, [2.0 * share[:, wanted] for share in votes])
        return _classic(model, local, Link("sigmoid") if response == "predict_proba" else Link())
    if response in {"decision_function", "raw"}:
        return _classic(model, _local_trees(trees, [share[:, wanted] for share in votes]), Link())
    link = Link("softmax" if response == "predict_proba" else "softmax_log_odds", output=wanted)
    values = [share[:, of] / (n_classes - 1) for of in range(n_classes) for share in votes]
    margin = np.repeat(np.arange(n_classes), len(trees))
    return _classic(model, _local_trees(trees * n_classes, values), link, np.zeros(n_classes), margin)


def _adaboost_regressor(model: Any, position: int | None, response: Response) -> TreeEnsemble:  # noqa: ARG001
    raise UnsupportedTreesError("AdaBoostRegressor predicts a weighted median of its trees, not a sum.")


def _boosted_link(n_margins: int, wanted: int, response: Response) -> tuple[Link, float]:
    """Return link and sign of a boosted classifier whose margins are one per class, or one for two classes."""
    if n_margins == 1:
        return Link("sigmoid") if response == "predict_proba" else Link(), 1.0 if wanted == 1 else -1.0
    if response == "predict_proba":
        return Link("softmax", output=wanted), 1.0
    if response == "log_odds":
        return Link("softmax_log_odds", output=wanted), 1.0
    return Link(), 1.0


def _gradient_boosting(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    classifier = hasattr(model, "classes_")
    start = "zero" if isinstance(model.init_, str) else type(model.init_).__name__
    if start not in {"zero", "DummyClassifier", "DummyRegressor"}:
        raise UnsupportedTreesError(
            f"{type(model).__name__} starts from the predictions of {start}, which are not a sum of trees."
        )
    if classifier and response == "predict":
        raise UnsupportedTreesError.predicted_class(model)
    if not classifier:
        _needs_predict(model, response)
    grid = model.estimators_  # (n_iterations, n_margins)
    base = np.asarray(model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0], np.float64)  # noqa: SLF001
    link, factor, wanted = Link(), 1.0, 0
    if classifier:
        wanted = _class_position(model, position)
        link, factor = _boosted_link(grid.shape[1], wanted, response)
        if model.loss == "exponential" and response in {"predict_proba", "log_odds"}:
            factor *= 2.0  # its margin is half the log-odds
    margin: NDArray[Any] | None = np.tile(np.arange(grid.shape[1]), len(grid))
    if grid.shape[1] > 1 and link.kind == "identity":
        grid, base, margin = grid[:, [wanted]], base[[wanted]], None
    trees = [tree.tree_ for tree in grid.ravel()]
    local = _local_trees(trees, [tree.value[:, 0, 0] for tree in trees])
    np.multiply(local.value, model.learning_rate * factor, out=local.value)
    return _classic(model, local, link, base * factor, margin)


# Histogram boosting ------------------------------------------------------------------------------

_LINK_OF_LOSS = {
    "squared_error": Link(),
    "absolute_error": Link(),
    "quantile": Link(),
    "poisson": Link("exp"),
    "gamma": Link("exp"),
}


def _histogram_boosting(model: Any, position: int | None, response: Response) -> TreeEnsemble:
    rounds = model._predictors  # noqa: SLF001
    base = np.asarray(model._baseline_prediction, np.float64).ravel()  # noqa: SLF001
    n_margins, wanted, factor, link = len(base), 0, 1.0, Link()
    if hasattr(model, "classes_"):
        if response == "predict":
            raise UnsupportedTreesError.predicted_class(model)
        wanted = _class_position(model, position)
        link, factor = _boosted_link(n_margins, wanted, response)
    else:
        _needs_predict(model, response)
        if model.loss not in _LINK_OF_LOSS:
            loss = model.loss if isinstance(model.loss, str) else type(model.loss).__name__
            raise UnsupportedTreesError.objective(_LIBRARY, loss)
        link = Link() if response == "raw" else _LINK_OF_LOSS[model.loss]
    margin: NDArray[Any] | None = np.tile(np.arange(n_margins), len(rounds))
    if n_margins > 1 and link.kind == "identity":
        rounds, base, margin = [[one_round[wanted]] for one_round in rounds], base[[wanted]], None
    trees = [tree for one_round in rounds for tree in one_round]
    nodes = np.concatenate([tree.nodes for tree in trees])
    leaf = nodes["is_leaf"].astype(np.bool_)
    columns, levels = _encoded_columns(model)
    at = np.flatnonzero(nodes["is_categorical"].astype(np.bool_) & ~leaf)
    bitsets = [tree.raw_left_cat_bitsets for tree in trees]
    n_nodes = np.array([len(tree.nodes) for tree in trees], np.intp)
    tree_of_node = np.repeat(np.arange(len(trees)), n_nodes)
    first_bitset = np.cumsum([0, *map(len, bitsets)])
    words = np.concatenate(bitsets)[first_bitset[tree_of_node[at]] + nodes["bitset_idx"][at]]
    return ensemble_of(
        LocalTrees(
            n_nodes=n_nodes,
            feature=np.where(leaf, -1, columns[np.where(leaf, 0, nodes["feature_idx"])]).astype(np.int32),
            threshold=nodes["num_threshold"].astype(np.float64),
            left=nodes["left"].astype(np.int32),
            right=nodes["right"].astype(np.int32),
            missing_left=nodes["missing_go_to_left"].astype(np.bool_),
            value=nodes["value"] * factor,
        ),
        base=base * factor,
        margin=margin,
        n_features=model.n_features_in_,
        comparison="le",
        input_dtype=np.float64,
        link=link,
        library=_LIBRARY,
        categorical=splits_of_bitsets(at, words.ravel(), np.full(len(at), words.shape[1])),
        levels=levels,
        numbers_are_levels=True,
    )


def _encoded_columns(model: Any) -> tuple[NDArray[np.int64], dict[int, NDArray[np.object_]]]:
    """Return the column of X behind each feature of the trees, and the labels behind the codes."""
    if model.is_categorical_ is None:
        return np.arange(model.n_features_in_), {}
    categorical = np.flatnonzero(model.is_categorical_)
    encoder = model._preprocessor.named_transformers_["encoder"]  # noqa: SLF001
    levels = {
        int(column): np.array([label for label in labels.tolist() if label == label], dtype=object)  # noqa: PLR0124 - NaN
        for column, labels in zip(categorical, encoder.categories_, strict=True)
    }
    return np.concatenate([categorical, np.flatnonzero(~model.is_categorical_)]), levels


READERS: dict[str, Callable[[Any, int | None, Response], TreeEnsemble]] = {
    **dict.fromkeys((*_TREE_CLASSIFIERS, "RandomForestClassifier", "ExtraTreesClassifier"), _average_of_fractions),
    **dict.fromkeys((*_TREE_REGRESSORS, "RandomForestRegressor", "ExtraTreesRegressor"), _average_of_means),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), _gradient_boosting),
    **dict.fromkeys(("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"), _histogram_boosting),
    "BaggingClassifier": _bagged_classifier,
    "BaggingRegressor": _bagged_regressor,
    "IsolationForest": _isolation_forest,
    "AdaBoostClassifier": _adaboost_classifier,
    "AdaBoostRegressor": _adaboost_regressor,
}
