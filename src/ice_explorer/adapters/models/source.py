"""List the prediction methods of a model of any library, by their scikit-learn names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Returns = Literal["probabilities", "log-odds", "scores", "labels", "numbers"]


@dataclass(frozen=True)
class Way:
    """One way of asking a model.

    - `ask`: rows in the container of X -> what the model returns.
    - `returns`: what that is; labels are those of classes. Log-odds come in a column per class.
    - `name`: the method, for messages; "model" for the model called as a function.
    - `note`: what the numbers of this kind of model are, where that is not plain; else "".
    """

    ask: Callable[[Any], Any]
    returns: Returns
    name: str
    note: str = ""


@dataclass(frozen=True)
class Source:
    """A model as its prediction methods.

    - `ways`: by response, the one that "auto" takes first.
    - `classes`: class labels, as scikit-learn's `classes_`: a list of arrays where there are several outputs; None
      where the model does not say, or has none.
    - `exclusive`: whether a row is of one class only; None where that is still to be seen.
    - `is_changed_by_calls`: whether the model has another state during a call, so that calls never overlap.
    """

    ways: Mapping[str, Way]
    classes: Any = None
    exclusive: bool | None = None
    is_changed_by_calls: bool = False


_NOTE_OF_CLUSTERS = (
    "The model is a clusterer, so its labels are explained as names: a curve is 1 where the predicted label is the "
    "explained one and 0 elsewhere, and the mean of the curves is the share of that label."
)
_NOTE_OF_OUTLIERS = "The model is an outlier detector, so its score is explained ({}): the lower, the more abnormal."


def source_of_estimator(model: Any) -> Source:
    """Read an object that has scikit-learn's methods."""
    kind = _kind(model)
    if kind == "clusterer" and not hasattr(model, "predict_proba"):
        return _source_of_clusterer(model)
    if kind == "outlier_detector":
        return _source_of_outlier_detector(model)
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) == 0:  # of CatBoost's regressors
        classes = None
    tells_classes = classes is not None or hasattr(model, "predict_proba")
    order = ["predict_proba", "decision_function", "predict"] if tells_classes else ["predict", "decision_function"]
    if (
        getattr(_innermost(model), "decision_function_shape", None) == "ovo"
    ):  # scores of pairs of classes, not of classes
        order = ["predict_proba", "predict", "decision_function"]
    returns: dict[str, Returns] = {
        "predict_proba": "probabilities",
        "decision_function": "scores",
        "predict": "labels" if tells_classes else "numbers",
    }
    ways = {name: Way(getattr(model, name), returns[name], name) for name in order if hasattr(model, name)}
    return Source(ways, classes, exclusive=_has_one_output(_innermost(model)) or None)


def _has_one_output(model: Any) -> bool:
    """Whether a model of scikit-learn says that it was fitted to one column of classes; others may not say."""
    if not type(model).__module__.startswith("sklearn."):
        return False
    if hasattr(model, "n_outputs_"):
        return bool(model.n_outputs_ == 1)
    if not hasattr(model, "__sklearn_tags__"):
        return False
    tags = model.__sklearn_tags__()
    of_classes = tags.classifier_tags
    return of_classes is not None and not of_classes.multi_label and not tags.target_tags.multi_output


def _kind(model: Any) -> object:
    """Return what scikit-learn calls the kind of an estimator, of a pipeline that of its last step."""
    tags = getattr(model, "__sklearn_tags__", None)
    return getattr(model, "_estimator_type", None) if tags is None else tags().estimator_type


def _innermost(model: Any) -> Any:
    """Return the last step of a pipeline, and the best estimator of a search."""
    for attribute in ("best_estimator_", "_final_estimator"):
        inner = getattr(model, attribute, None)
        if inner is not None:
            return _innermost(inner)
    return model


def _source_of_clusterer(model: Any) -> Source:
    """Labels of clusters are those of the training data, and those of the centres where there are some."""
    fitted = _innermost(model)
    centers = range(len(getattr(fitted, "cluster_centers_", ())))
    labels = sorted({*np.asarray(getattr(fitted, "labels_", ())).tolist(), *centers})
    return Source({"predict": Way(model.predict, "labels", "predict", _NOTE_OF_CLUSTERS)}, labels or None)


def _source_of_outlier_detector(model: Any) -> Source:
    """The score comes first, then the labels, -1 for outliers and 1 for all others."""
    ways = {"predict": Way(model.predict, "labels", "predict")}
    for name in ("decision_function", "score_samples"):
        if hasattr(model, name):
            score = Way(getattr(model, name), "numbers", name, _NOTE_OF_OUTLIERS.format(name))
            return Source({"decision_function": score, **ways}, [-1, 1])
    return Source(ways, [-1, 1])


def source_of_function(function: Callable[[Any], Any]) -> Source:
    """Read a plain function of X, which has one response only."""
    return Source({"callable": Way(function, "numbers", "model")})
