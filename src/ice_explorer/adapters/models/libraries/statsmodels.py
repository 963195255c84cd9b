"""Results of statsmodels: by formula they take frames, else the columns that they were fitted on."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.libraries.containers import as_pandas, two_classes
from ice_explorer.adapters.models.source import Source, Way
from ice_explorer.errors import InputDataError
from ice_explorer.errors.base import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLASSES = ("ResultsWrapper", "Results")


def source(results: Any) -> Source:
    """Read the results of a fit."""
    ask = _asking(results)
    classes = _classes_of(results.model)
    if classes is not None:
        return Source({"predict_proba": Way(ask, "probabilities", "predict")}, classes, exclusive=True)
    ways = {"predict": Way(ask, "numbers", "predict")}
    if "which" in inspect.signature(results.model.predict).parameters:
        ways["decision_function"] = Way(_asking(results, which="linear"), "scores", "predict")
    if type(getattr(results.model, "family", None)).__name__ == "Binomial":
        proba = Way(lambda rows: two_classes(ask(rows)), "probabilities", "predict")
        return Source({"predict_proba": proba, **ways}, [0, 1], exclusive=True)
    return Source(ways)


def _classes_of(model: Any) -> list[object] | None:
    """Return the classes whose probabilities a model predicts; None where it predicts numbers."""
    names = getattr(model, "_ynames_map", None)  # of MNLogit
    if names is not None:
        return list(names.values())
    return list(model.labels) if type(model).__name__ == "OrderedModel" else None


def _asking(results: Any, **options: Any) -> Callable[[Any], Any]:
    model = results.model
    by_formula = hasattr(model, "formula")

    def ask(rows: Any) -> Any:
        frame = as_pandas(rows)
        inflation = _inflation(model, frame)
        if not by_formula:
            frame = _as_fitted(model, frame, list(inflation.get("exog_infl", ())))
        return np.asanyarray(results.predict(frame, **inflation, **options))

    return ask


def _inflation(model: Any, rows: Any) -> dict[str, Any]:
    """Return the columns that tell how likely a zero is, of a model that has its own for that.

    Without them, statsmodels would take those of the rows of the fit.
    """
    if getattr(model, "_no_exog_infl", True):
        return {}
    names = list(getattr(model.model_infl.data.orig_exog, "columns", ()))
    if not names or not set(names) <= set(getattr(rows, "columns", ())):
        which = f": {listed(names)}" if names else ""
        got = listed(getattr(rows, "columns", ())) or "columns without names"
        raise InputDataError(
            f"X must have the columns of `exog_infl`, by name, because {type(model).__name__} was fitted with "
            f"them{which}; got {got}.",
            "Add them behind the others, or pass a function: "
            "`lambda X: results.predict(X[exog_columns], exog_infl=X[exog_infl_columns])`.",
        )
    return {"exog_infl": rows[names]}


def _as_fitted(model: Any, rows: Any, besides: Sequence[object]) -> Any:
    """Return the columns of the fit; refuse other columns, which statsmodels would take one for the other.

    - `besides`: columns that may follow those of the fit.
    """
    fitted = _fitted_names(model)
    if not (hasattr(model.data.orig_exog, "columns") and hasattr(rows, "columns")):
        if rows.shape[1] != len(fitted):
            raise InputDataError.not_as_fitted(fitted, rows.shape[1])
        return rows
    expected = [*fitted, *(name for name in besides if name not in fitted)]
    if list(rows.columns) != expected:
        raise InputDataError.not_as_fitted(expected, list(rows.columns))
    return rows[fitted]


def _fitted_names(model: Any) -> list[object]:
    """Return the names of the columns of the fit; `exog_names` may name further parameters around them."""
    fitted = model.data.orig_exog
    if hasattr(fitted, "columns"):
        return list(fitted.columns)
    first = getattr(model, "k_inflate", 0)
    return list(model.exog_names)[first : first + model.exog.shape[1]]
