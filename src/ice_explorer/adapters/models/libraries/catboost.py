"""CatBoost: its base class knows probabilities by another name, its classifier returns labels in a column."""

from __future__ import annotations

from functools import partial
from typing import Any

from ice_explorer.adapters.models.libraries.containers import without_axis_of_one
from ice_explorer.adapters.models.source import Source, Way, source_of_estimator

CLASSES = ("CatBoost",)

_OF_LABELS = {"MultiLogloss", "MultiCrossEntropy"}


def source(model: Any) -> Source:
    """Read a model of CatBoost, of its own API or of scikit-learn's."""
    found = source_of_estimator(model)
    if hasattr(model, "predict_proba"):
        return Source({**found.ways, "predict": Way(_labels_of(model), "labels", "predict")}, found.classes)
    if found.classes is None:
        return Source({"predict": Way(model.predict, "numbers", "predict")})
    ways = {
        "predict_proba": Way(partial(model.predict, prediction_type="Probability"), "probabilities", "predict"),
        "decision_function": Way(partial(model.predict, prediction_type="RawFormulaVal"), "scores", "predict"),
        "predict": Way(model.predict, "numbers", "predict"),
    }
    loss = str(model.get_all_params()["loss_function"])
    return Source(ways, found.classes, exclusive=loss.partition(":")[0] not in _OF_LABELS)


def _labels_of(model: Any) -> Any:
    def labels(rows: Any) -> Any:
        return without_axis_of_one(model.predict(rows))

    return labels
