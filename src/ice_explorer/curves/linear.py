"""ICE curves of linear models: moving one column of a row changes one term of each margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.trees.link import Link

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.trees.link import LinkKind

    Array = NDArray[np.float64]

# The bases of scikit-learn's linear regressors.
_REGRESSORS = {"BaseLibSVM", "BaseSGDRegressor", "LinearModel", "LinearSVR", "_PLS"}
_GLM_LINKS: dict[str, LinkKind] = {"IdentityLink": "identity", "LogLink": "exp"}


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Output = link(coefficients · x + intercepts).

    - `coefficients` (n_margins, n_columns), `intercepts` (n_margins,).
    """

    coefficients: Array
    intercepts: Array
    link: Link

    @property
    def n_columns(self) -> int:
        """Columns that the model was fitted on."""
        return int(self.coefficients.shape[1])

    @property
    def unused(self) -> list[int]:
        """Columns without a coefficient."""
        return np.flatnonzero(~self.coefficients.any(axis=0)).tolist()

    def predict(self, matrix: Array) -> Array:
        """Predict rows (n_rows, n_columns)."""
        return self.link.apply(self.coefficients @ matrix.T + self.intercepts[:, None])


def read_linear(model: Any, position: int | None, response: str) -> LinearModel | None:  # noqa: PLR0911 - one per kind
    """Read the coefficients of a fitted scikit-learn model; None if its response is no function of linear margins.

    - `position`: which class or output; None takes the only output, or the second of two classes.
    - `response`: as `Predictor.response`.
    """
    bases = {base.__name__ for base in type(model).__mro__ if base.__module__.startswith("sklearn.")}
    if not type(model).__module__.startswith("sklearn."):
        return None
    if "KernelRidge" in bases and model.kernel == "linear":
        weights = np.asarray(model.dual_coef_, np.float64)
        return _outputs((dense(model.X_fit_).T @ weights).T, 0.0, position)
    if not hasattr(model, "coef_"):
        return None
    coefficients = np.atleast_2d(dense(model.coef_))
    intercepts = np.atleast_1d(np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64))
    if "_GeneralizedLinearRegressor" in bases:
        link = _GLM_LINKS.get(type(model._base_loss.link).__name__)  # noqa: SLF001 - checked on phantoms
        return None if link is None else LinearModel(coefficients, intercepts, Link(link))
    if hasattr(model, "classes_"):
        return _classifier(model, coefficients, intercepts, position, response, bases=bases)
    if "_PLS" in bases:
        # coef_ belongs to columns moved to their training mean.
        intercepts = intercepts - coefficients @ model._x_mean  # noqa: SLF001 - checked on phantoms
    elif "SGDOneClassSVM" in bases:
        intercepts = -np.atleast_1d(model.offset_)
    elif not bases & _REGRESSORS:
        return None
    return _outputs(coefficients, intercepts, position)


def _outputs(coefficients: Array, intercepts: Array | float, position: int | None) -> LinearModel:
    coefficients = np.atleast_2d(coefficients)
    chosen = slice(None) if position is None else slice(position, position + 1)
    return LinearModel(coefficients[chosen], np.broadcast_to(intercepts, len(coefficients))[chosen], Link())


def _classifier(
    model: Any, coefficients: Array, intercepts: Array, position: int | None, response: str, *, bases: set[str]
) -> LinearModel | None:
    n_classes = len(model.classes_)
    chosen = n_classes - 1 if position is None else position
    intercepts = np.broadcast_to(intercepts, len(coefficients))
    if n_classes == 2 and len(coefficients) == 1:
        sign = 1.0 if chosen == 1 else -1.0
        links = {"decision_function": Link(), "log_odds": Link(), "predict_proba": Link("sigmoid")}
        link = links.get(response)
        return None if link is None else LinearModel(sign * coefficients, sign * intercepts, link)
    if response == "decision_function":
        return LinearModel(coefficients[[chosen]], intercepts[[chosen]], Link())
    if bases & {"LinearDiscriminantAnalysis", "LogisticRegression"}:
        kinds: dict[str, LinkKind] = {"predict_proba": "softmax", "log_odds": "softmax_log_odds"}
        kind = kinds.get(response)
        return None if kind is None else LinearModel(coefficients, intercepts, Link(kind, output=chosen))
    return None


def dense(matrix: Any) -> Array:
    """Return a matrix that is sparse where the model was fitted on one."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)


class LinearCurves:
    """Curves of a linear model: margins move by coefficient times distance.

    - `matrix` (n_rows, n_columns).
    """

    def __init__(self, model: LinearModel, matrix: Array) -> None:
        self._model = model
        self._matrix = matrix
        self._margins = model.coefficients @ matrix.T + model.intercepts[:, None]

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return 16 * n_grid * len(self._model.coefficients)

    def _without(self, columns: NDArray[np.intp], positions: NDArray[np.int64]) -> Array:
        """Return margins of rows without the terms of some columns, (n_margins, n_rows)."""
        own: Array = self._model.coefficients[:, columns] @ self._matrix[positions[:, None], columns].T
        return self._margins[:, positions] - own

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        moved = self._model.coefficients[:, columns] @ grid.T
        return self._model.link.apply(self._without(columns, positions)[:, :, None] + moved[:, None, :])

    def parallel(
        self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]
    ) -> tuple[Array, Array] | None:
        """Return curves as a step (n_grid,) and offsets (n_rows,), or None where they are not parallel."""
        if self._model.link.kind != "identity":
            return None
        return grid @ self._model.coefficients[0, columns], self._without(columns, positions)[0]
