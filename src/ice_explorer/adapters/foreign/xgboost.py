"""XGBoost's own booster: it takes a DMatrix, and its objective says what predict gives."""

from __future__ import annotations

import json
from typing import Any

from ice_explorer.adapters.foreign.containers import two_classes
from ice_explorer.adapters.source import Source, Way

CLASSES = ("Booster",)


def source(booster: Any) -> Source:
    """Read a booster."""

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
    if objective == "binary:logistic":
        proba = Way(lambda rows: two_classes(predict(rows)), "probabilities", "predict")
    elif objective == "multi:softprob":
        proba = Way(predict, "probabilities", "predict")
    else:
        return Source({"predict": numbers, "decision_function": scores})
    return Source({"predict_proba": proba, "decision_function": scores, "predict": numbers}, classes, exclusive=True)


def _matrix(booster: Any, rows: Any) -> Any:
    from xgboost import DMatrix

    # Columns of an array are those of the training data, in their order; a frame brings its own names.
    names = None if hasattr(rows, "columns") or hasattr(rows, "column_names") else booster.feature_names
    return DMatrix(rows, feature_names=names, enable_categorical=True)
