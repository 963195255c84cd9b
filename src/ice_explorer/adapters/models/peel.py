"""Unwrap a model from searches, pipelines and transformed targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.concurrency.turns import turn_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Peeled:
    """A model and what it was wrapped in.

    - `model`: the estimator inside.
    - `steps`: the fitted transformers that rows of X go through before the model sees them, in order.
    - `restore`: outputs of the model -> outputs of the whole, element by element; None where they are the same.
    """

    model: Any
    steps: tuple[Any, ...]
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None

    @property
    def transform(self) -> Callable[[Any], NDArray[np.float64]] | None:
        """Rows of X -> the matrix that the model sees, (n_rows, n_columns); None where it sees X."""
        return (lambda rows: np.asarray(_dense(self.transformed(rows)), np.float64)) if self.steps else None

    def transformed(self, rows: Any) -> Any:
        """Rows of X as the model is handed them."""
        return turn_of(self.model).call(self._through_steps, rows)

    def _through_steps(self, rows: Any) -> Any:
        for step in self.steps:
            rows = step.transform(rows)
        return rows

    def seen(self, rows: Any) -> NDArray[Any]:
        """Rows of X as the model sees them: a dense matrix, in its own dtype."""
        return np.asarray(_dense(self.transformed(rows)))

    @property
    def is_columnwise(self) -> bool:
        """Whether every column that the model sees is known to come from one column of X alone."""
        return all(map(_is_columnwise, self.steps))

    def output(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn outputs of the model into outputs of the whole."""
        return predicted if self.restore is None else self.restore(predicted)


def peel(model: Any, response: str = "auto") -> Peeled:
    """Remove scikit-learn's searches, pipelines, target transformers and other wrappers, however nested.

    - `response`: as `Predictor.response`: a tuned threshold changes the predicted class, and no probability.
    """
    steps: list[Any] = []
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    while True:
        name = type(model).__name__
        inner = _inside(model, response)
        if inner is not None:
            model = inner
        elif name == "Pipeline" and _can_be_peeled(model):
            steps += _flat(model.steps[:-1])
            model = model.steps[-1][1]
        elif name == "TransformedTargetRegressor" and restore is None and _is_sklearn(model):
            restore = partial(_restored, model.transformer_)
            model = model.regressor_
        else:
            return Peeled(model, tuple(steps), restore)


# Where wrappers that answer as the model inside does keep it; a threshold changes predicted classes alone.
_INSIDE = {"FrozenEstimator": "estimator", "RANSACRegressor": "estimator_"}
_INSIDE_OF_THRESHOLDS = {"FixedThresholdClassifier": "estimator_", "TunedThresholdClassifierCV": "estimator_"}


def _inside(model: Any, response: str) -> Any:
    """Return the model inside a wrapper that answers as it does, or None."""
    if not _is_sklearn(model):
        return None
    name = type(model).__name__
    if name.endswith("SearchCV"):
        return getattr(model, "best_estimator_", None)
    kept = _INSIDE.get(name) if response == "predict" else (_INSIDE | _INSIDE_OF_THRESHOLDS).get(name)
    return None if kept is None else getattr(model, kept, None)


def _flat(steps: Any) -> list[Any]:
    """Return the transformers of a pipeline, those of pipelines inside it among them."""
    flat: list[Any] = []
    for _, step in steps:
        if type(step).__name__ == "Pipeline" and _is_sklearn(step):
            flat += _flat(step.steps)
        elif not _is_passthrough(step):
            flat.append(step)
    return flat


# Each column of their output is made from one column, by what they were fitted on and nothing else.
_COLUMNWISE = {
    "Binarizer", "GenericUnivariateSelect", "KBinsDiscretizer", "MaxAbsScaler", "MinMaxScaler", "MissingIndicator",
    "OneHotEncoder", "OrdinalEncoder", "PowerTransformer", "QuantileTransformer", "RobustScaler", "SelectFdr",
    "SelectFpr", "SelectFromModel", "SelectFwe", "SelectKBest", "SelectPercentile", "SimpleImputer",
    "SplineTransformer", "StandardScaler", "TargetEncoder", "VarianceThreshold",
}  # fmt: skip


def _is_sklearn(model: Any) -> bool:
    return type(model).__module__.startswith("sklearn.")


def _is_passthrough(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step in {"passthrough", "drop"})


def _can_be_peeled(model: Any) -> bool:
    return (
        _is_sklearn(model)
        and not _is_passthrough(model.steps[-1][1])
        and all(_is_passthrough(step) or hasattr(step, "transform") for _, step in model.steps[:-1])
    )


def _is_columnwise(step: Any) -> bool:
    name = type(step).__name__
    if _is_passthrough(step):
        return True
    if not _is_sklearn(step):
        return False
    lists = {"ColumnTransformer": "transformers_", "FeatureUnion": "transformer_list", "Pipeline": "steps"}
    if name in lists:
        return all(_is_columnwise(inner) for _, inner, *_ in getattr(step, lists[name]))
    return name in _COLUMNWISE or (name == "FunctionTransformer" and _is_elementwise(step.func, step.kw_args))


def _is_elementwise(function: Any, options: Any) -> bool:
    if function is None:
        return True
    return isinstance(function, np.ufunc) and function.nin == function.nout == 1 and not options


def _dense(matrix: Any) -> Any:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def _restored(transformer: Any, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(transformer.inverse_transform(predicted.reshape(-1, 1)), np.float64).reshape(predicted.shape)
