"""XGBoost: margins give log-odds, its own booster takes a DMatrix, and its objective says what predict gives."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.libraries.containers import two_classes
from ice_explorer.adapters.models.source import Source, Way, source_of_estimator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

CLASSES = ("Booster", "XGBClassifier")

_OF_PROBABILITIES = {"binary:logistic", "multi:softprob"}


def source(model: Any) -> Source:
    """Read a booster, or a classifier of the scikit-learn API."""
    if hasattr(model, "save_config"):
        return _source_of_booster(model)
    found = source_of_estimator(model)
    is_known = type(model).__module__.partition(".")[0] == "xgboost"  # a subclass may override it
    if not is_known or model.objective not in _OF_PROBABILITIES:
        return found
    margin = partial(model.predict, output_margin=True)
    return replace(found, ways={**found.ways, "log_odds": _log_odds(margin, model.objective)})


def _source_of_booster(booster: Any) -> Source:
    def predict(rows: Any) -> Any:
        return booster.predict(_matrix(booster, rows))

    def margin(rows: Any) -> Any:
        return booster.predict(_matrix(booster, rows), output_margin=True)

    learner = json.loads(booster.save_config())["learner"]
    objective = learner["objective"]["name"]
    classes = list(range(max(2, int(learner["learner_model_param"]["num_class"]))))
    scores = Way(margin, "scores", "predict")
    if objective == "multi:softmax":
        return Source({"predict": Way(predict, "labels", "predict"), "decision_function": scores}, classes)
    numbers = Way(predict, "numbers", "predict")
    if objective not in _OF_PROBABILITIES:
        return Source({"predict": numbers, "decision_function": scores})
    ask = predict if objective == "multi:softprob" else lambda rows: two_classes(predict(rows))
    ways = {
        "predict_proba": Way(ask, "probabilities", "predict"),
        "log_odds": _log_odds(margin, objective),
        "decision_function": scores,
        "predict": numbers,
    }
    return Source(ways, classes, exclusive=True)


def _log_odds(margin: Callable[[Any], Any], objective: str) -> Way:
    """Return log-odds from margins: probabilities in single precision are 1 from log-odds of 17 on."""

    def log_odds(rows: Any) -> NDArray[np.float64]:
        margins = np.asarray(margin(rows), np.float64)
        if margins.ndim == 1:
            return np.column_stack([-margins, margins])
        if objective == "binary:logistic":  # of several labels, each has its own margin
            return margins
        others = [np.delete(margins, column, axis=1) for column in range(margins.shape[1])]
        return np.asarray(margins - np.column_stack([np.logaddexp.reduce(columns, axis=1) for columns in others]))

    return Way(log_odds, "log-odds", "predict")


def _matrix(booster: Any, rows: Any) -> Any:
    from xgboost import DMatrix

    # Columns of an array are those of the training data, in their order; a frame brings its own names.
    names = None if hasattr(rows, "columns") or hasattr(rows, "column_names") else booster.feature_names
    return DMatrix(rows, feature_names=names, enable_categorical=True)
