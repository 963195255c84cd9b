"""Results of statsmodels whose predictions are a function of coefficients times columns of X."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.linear import FORM, LinearModel
from ice_explorer.adapters.structure.unreadable import OtherFormError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import LinkKind

_IDENTITY = {"GLS", "GLSAR", "OLS", "QuantReg", "RLM", "WLS"}
_LINKS: dict[str, LinkKind] = {"Logit": "sigmoid", "Poisson": "exp"}
_GLM_LINKS: dict[str, LinkKind] = {"Identity": "identity", "Log": "exp", "Logit": "sigmoid"}


def are_results(model: Any) -> bool:
    """Whether a model is what statsmodels returns of a fit."""
    return type(model).__module__.startswith("statsmodels.") and hasattr(model, "params") and hasattr(model, "model")


def linear_results(results: Any, names: Sequence[object], position: int | None, response: str) -> LinearModel:
    """Read the coefficients of the results of a fit.

    - `names`: of the columns of X: those of the fit in their order, or, by formula, those that it names and any
      besides.
    - `position`: which of two classes; None takes the second.
    - `response`: as `Predictor.response`.
    - returns: columns that the formula does not name have coefficients of 0.
    - raises OtherFormError: if the results are no linear ones, or by a formula of more than columns of X as they are.
    """
    link = _link_of(results.model)
    fitted, parameters = list(results.model.exog_names), np.asarray(results.params, dtype=np.float64)
    if parameters.shape != (len(fitted),):
        raise OtherFormError.model(results, FORM)
    sign = -1.0 if position == 0 else 1.0
    if response == "decision_function" or (response == "log_odds" and link == "sigmoid"):
        link = "identity"
    elif response == "log_odds" or (response == "predict_proba" and link != "sigmoid"):
        raise OtherFormError.response(results, response)
    if hasattr(results.model, "formula"):
        coefficients, intercept = _by_name(fitted, parameters, names)
    else:
        coefficients, intercept = parameters, 0.0
    return LinearModel(sign * coefficients[None, :], np.array([sign * intercept]), Link(link))


def _link_of(model: Any) -> LinkKind:
    name = type(model).__name__
    if name in _IDENTITY:
        return "identity"
    if name == "GLM":
        link = type(model.family.link).__name__
        if link not in _GLM_LINKS:
            raise OtherFormError.link(link)
        return _GLM_LINKS[link]
    if name not in _LINKS:
        raise OtherFormError.model(model, FORM)
    return _LINKS[name]


def _by_name(
    fitted: Sequence[str], parameters: NDArray[np.float64], names: Sequence[object]
) -> tuple[NDArray[np.float64], float]:
    """Give each column of X the coefficient of its name, and the intercept what is left."""
    place = {name: at for at, name in enumerate(names)}
    coefficients, intercept = np.zeros(len(names)), 0.0
    for term, parameter in zip(fitted, parameters.tolist(), strict=True):
        if term in place:
            coefficients[place[term]] = parameter
        elif term == "Intercept":
            intercept = parameter
        else:
            raise OtherFormError(f"The term {term!r} of its formula is not a column of X.")
    return coefficients, intercept
