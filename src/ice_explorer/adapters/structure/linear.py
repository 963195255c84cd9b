"""Models whose output is a function of weighted sums of the columns: coefficients, intercepts, link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.unreadable import OtherFormError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import LinkKind

FORM = "linear model"


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Output = link(coefficients · x + intercepts).

    - `coefficients` (n_margins, n_features), `intercepts` (n_margins,).
    """

    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    link: Link


def linear_model(model: Any, position: int | None, response: str) -> LinearModel:
    """Read the coefficients of a fitted scikit-learn model.

    - `position`: which class or output; None takes the only output, or the second of two classes.
    - `response`: as `Predictor.response`.
    - raises OtherFormError: if the model is no linear one, or its response is no function of its margins.
    """
    bases = {base.__name__ for base in type(model).__mro__ if base.__module__.startswith("sklearn.")}
    if not type(model).__module__.startswith("sklearn."):
        raise OtherFormError.model(model, FORM)
    if "KernelRidge" in bases and model.kernel == "linear":
        weights = np.asarray(model.dual_coef_, np.float64)
        return _outputs((dense(model.X_fit_).T @ weights).T, 0.0, position)
    if not hasattr(model, "coef_"):
        raise OtherFormError.model(model, FORM)
    coefficients = np.atleast_2d(dense(model.coef_))
    intercepts = np.atleast_1d(np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64))
    if "_PLS" in bases:
        # coef_ belongs to columns moved to their training mean.
        intercepts = np.atleast_1d(model.intercept_) - coefficients @ model._x_mean  # noqa: SLF001 - checked on phantoms
    if "_GeneralizedLinearRegressor" in bases:
        return LinearModel(coefficients, intercepts, Link(_glm_link(model)))
    if hasattr(model, "classes_"):
        return _classifier(model, coefficients, intercepts, position, response)
    if "SGDOneClassSVM" in bases:
        intercepts = -np.atleast_1d(model.offset_)
    elif not bases & {"BaseLibSVM", "BaseSGDRegressor", "LinearModel", "LinearSVR", "_PLS"}:
        raise OtherFormError.model(model, FORM)
    return _outputs(coefficients, intercepts, position)


def _outputs(
    coefficients: NDArray[np.float64], intercepts: NDArray[np.float64] | float, position: int | None
) -> LinearModel:
    """Return the model of one output, or of the only one."""
    coefficients = np.atleast_2d(coefficients)
    chosen = slice(None) if position is None else slice(position, position + 1)
    return LinearModel(coefficients[chosen], np.broadcast_to(intercepts, len(coefficients))[chosen], Link())


def dense(matrix: Any) -> NDArray[np.float64]:
    """Return a matrix that is sparse where the model was fitted on one."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)


def _glm_link(model: Any) -> LinkKind:
    name = type(model._base_loss.link).__name__  # noqa: SLF001 - checked on phantoms
    known: dict[str, LinkKind] = {"IdentityLink": "identity", "LogLink": "exp"}
    if name not in known:
        raise OtherFormError.link(name)
    return known[name]


def _classifier(
    model: Any, coefficients: NDArray[np.float64], intercepts: NDArray[np.float64], position: int | None, response: str
) -> LinearModel:
    n_classes = len(model.classes_)
    chosen = n_classes - 1 if position is None else position
    intercepts = np.broadcast_to(intercepts, len(coefficients))
    if n_classes == 2 and len(coefficients) == 1:
        sign = 1.0 if chosen == 1 else -1.0
        links = {"decision_function": Link(), "log_odds": Link(), "predict_proba": Link("sigmoid")}
        if response in links:
            return LinearModel(sign * coefficients, sign * intercepts, links[response])
    elif response == "decision_function":
        return LinearModel(coefficients[[chosen]], intercepts[[chosen]], Link())
    elif {"LinearDiscriminantAnalysis", "LogisticRegression"} & {base.__name__ for base in type(model).__mro__}:
        kinds: dict[str, LinkKind] = {"predict_proba": "softmax", "log_odds": "softmax_log_odds"}
        if response in kinds:
            return LinearModel(coefficients, intercepts, Link(kinds[response], output=chosen))
    raise OtherFormError.response(model, response)
