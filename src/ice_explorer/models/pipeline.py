"""Find the model inside searches, pipelines, transformed targets and other wrappers of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import PredictionError
from ice_explorer.errors.base import cause_of
from ice_explorer.locks import lock_of_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# Wrappers that predict as the model inside does, and the attribute that has it; thresholds change predicted classes.
_INSIDE: Final = {"FrozenEstimator": "estimator", "RANSACRegressor": "estimator_"}
_THRESHOLDS: Final = {"FixedThresholdClassifier": "estimator_", "TunedThresholdClassifierCV": "estimator_"}
_PASSTHROUGH: Final = (None, "passthrough")


@dataclass(frozen=True, eq=False)
class UnwrappedModel:
    """A model and its wrappers.

    - `model`: the estimator inside.
    - `steps`: the fitted transformers in front of it, in order.
    - `restore`: outputs of the model -> outputs of the whole, element by element; None where they are the same.
    """

    model: Any
    steps: tuple[Any, ...]
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None

    def __reduce__(self) -> tuple[type[UnwrappedModel], tuple[None, tuple[()], object]]:
        """Leave out what is the user's: curves that a formula gives do not call it."""
        return UnwrappedModel, (None, (), self.restore)

    @property
    def transform(self) -> Callable[[Any], NDArray[np.float64]] | None:
        """Rows of X -> the matrix that the model takes, (n_rows, n_columns); None where it takes X itself."""
        return (lambda rows: dense(self.transform_rows(rows))) if self.steps else None

    def transform_rows(self, rows: Any) -> Any:
        """Return rows of X as the model takes them."""
        return lock_of_model(self.model).call(self._through_steps, rows)

    def _through_steps(self, rows: Any) -> Any:
        for step in self.steps:
            rows = step.transform(rows)
        return rows

    def restore_output(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert outputs of the inner model to outputs of the pipeline."""
        return predicted if self.restore is None else self.restore(predicted)


def read_attribute(model: Any, name: str, default: Any = None, *, call: bool = False) -> Any:
    """Return an attribute of a model, or a default where it has none.

    - `call`: whether a method is called, in place of an attribute.
    - raises PredictionError: if reading it raises anything but an AttributeError, as a property may.
    """
    try:
        value = getattr(model, name, default)
        return value() if call and callable(value) else value
    except Exception as error:
        raise PredictionError(
            f"The attributes of the model must be readable; {name!r} of {type(model).__name__} raises "
            f"{cause_of(error)}",
            "Correct that attribute, or pass a function such as `lambda X: model.predict(X)`.",
        ) from error


def unwrap(model: Any, response: str = "auto") -> UnwrappedModel:
    """Remove all wrappers, however nested.

    - `response`: as `Predictor.response`: a tuned threshold changes the predicted class, but no probability.
    """
    steps: list[Any] = []
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    wrappers = _INSIDE if response == "predict" else _INSIDE | _THRESHOLDS
    while type(model).__module__.startswith("sklearn."):
        name = type(model).__name__
        inner = read_attribute(model, "best_estimator_" if name.endswith("SearchCV") else wrappers.get(name, ""))
        if inner is not None:
            model = inner
        elif name == "Pipeline":
            *before, last = [step for _, step in model.steps]
            before = [step for step in before if step not in _PASSTHROUGH]
            if last in _PASSTHROUGH or not all(hasattr(step, "transform") for step in before):
                break
            steps += before
            model = last
        elif name == "TransformedTargetRegressor" and restore is None:
            restore = partial(_restored, model.transformer_)
            model = model.regressor_
        else:
            break
    return UnwrappedModel(model, tuple(steps), restore)


def dense(matrix: Any) -> NDArray[np.float64]:
    """Return a matrix as an array of float64, also a sparse one."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)


def _restored(transformer: Any, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(transformer.inverse_transform(predicted.reshape(-1, 1)), np.float64).reshape(predicted.shape)
