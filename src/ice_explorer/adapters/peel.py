"""What stands around a model: searches, pipelines, transformed targets. Peeled off, the model shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Peeled:
    """A model and what it was wrapped in.

    Attributes
    ----------
    model : object
        The estimator inside.
    transform : callable or None
        Rows of X -> the matrix that the model sees, (n_rows, n_columns); None where it sees X.
    is_columnwise : bool
        Whether every transformer is one that is known to work on each column by itself.
    restore : callable or None
        Outputs of the model -> outputs of the whole, element by element; None where they are the same.
    """

    model: Any
    transform: Callable[[Any], NDArray[np.float64]] | None
    is_columnwise: bool
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None

    def output(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn outputs of the model into outputs of the whole."""
        return predicted if self.restore is None else self.restore(predicted)


def peel(model: Any) -> Peeled:
    """Take off scikit-learn's searches, pipelines and target transformers, however nested."""
    steps: list[Any] = []
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    while True:
        name = type(model).__name__
        if name.endswith("SearchCV") and hasattr(model, "best_estimator_") and _is_sklearn(model):
            model = model.best_estimator_
        elif name == "Pipeline" and _can_be_peeled(model):
            steps += [step for _, step in model.steps[:-1] if not _is_passthrough(step)]
            model = model.steps[-1][1]
        elif name == "TransformedTargetRegressor" and restore is None and _is_sklearn(model):
            restore = _inverse(model.transformer_)
            model = model.regressor_
        else:
            return Peeled(model, _chain(steps) if steps else None, all(map(_is_columnwise, steps)), restore)


# Their output for a value depends on that value and on what they were fitted on, nothing else.
_COLUMNWISE = {
    "Binarizer", "KBinsDiscretizer", "MaxAbsScaler", "MinMaxScaler", "OneHotEncoder", "OrdinalEncoder",
    "PowerTransformer", "QuantileTransformer", "RobustScaler", "SimpleImputer", "SplineTransformer", "StandardScaler",
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
    if name == "ColumnTransformer":
        return all(_is_columnwise(inner) for _, inner, _ in step.transformers_)
    if name == "Pipeline":
        return all(_is_columnwise(inner) for _, inner in step.steps)
    return name in _COLUMNWISE and not getattr(step, "add_indicator", False)


def _inverse(transformer: Any) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    def restore(predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(transformer.inverse_transform(predicted.reshape(-1, 1)), np.float64).reshape(predicted.shape)

    return restore


def _chain(steps: list[Any]) -> Callable[[Any], NDArray[np.float64]]:
    def transform(rows: Any) -> NDArray[np.float64]:
        for step in steps:
            rows = step.transform(rows)
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        return np.asarray(dense, dtype=np.float64)

    return transform
