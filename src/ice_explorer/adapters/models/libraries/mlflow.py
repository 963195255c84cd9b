"""MLflow's generic models: predict takes pandas and returns whatever the flavour returns."""

from __future__ import annotations

from typing import Any

from ice_explorer.adapters.models.libraries.containers import as_pandas, without_axis_of_one
from ice_explorer.adapters.models.source import Source, Way

CLASSES = ("PyFuncModel",)


def source(model: Any) -> Source:
    """Read a model that `mlflow.pyfunc.load_model` returned."""
    return Source(
        {"predict": Way(lambda rows: without_axis_of_one(model.predict(as_pandas(rows))), "numbers", "predict")}
    )
