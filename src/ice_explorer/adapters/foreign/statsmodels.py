"""Results of statsmodels: by formula they take frames, else the columns that they were fitted on."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.foreign.containers import as_pandas, two_classes
from ice_explorer.adapters.source import Source, Way
from ice_explorer.errors import InputDataError

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSES = ("ResultsWrapper", "Results")


def source(results: Any) -> Source:
    """Read the results of a fit."""
    ask = _asking(results)
    ways = {"predict": Way(ask, "numbers", "predict")}
    if "which" in inspect.signature(results.model.predict).parameters:
        ways["decision_function"] = Way(_asking(results, which="linear"), "scores", "predict")
    names = getattr(results.model, "_ynames_map", None)
    if names is not None:
        return Source({"predict_proba": Way(ask, "probabilities", "predict")}, list(names.values()), exclusive=True)
    if type(getattr(results.model, "family", None)).__name__ == "Binomial":
        proba = Way(lambda rows: two_classes(ask(rows)), "probabilities", "predict")
        return Source({"predict_proba": proba, **ways}, [0, 1], exclusive=True)
    return Source(ways)


def _asking(results: Any, **options: Any) -> Callable[[Any], Any]:
    by_formula = hasattr(results.model, "formula")

    def ask(rows: Any) -> Any:
        frame = as_pandas(rows)
        if not by_formula:
            _check_columns(results.model, frame)
        return np.asarray(results.predict(frame, **options))

    return ask


def _check_columns(model: Any, rows: Any) -> None:
    """Refuse other columns than those of the fit, which statsmodels would take one for the other."""
    fitted = list(model.exog_names)
    named = hasattr(model.data.orig_exog, "columns") and hasattr(rows, "columns")
    same = list(rows.columns) == fitted if named else rows.shape[1] == len(fitted)
    if not same:
        raise InputDataError.not_as_fitted(fitted, list(rows.columns) if named else rows.shape[1])
