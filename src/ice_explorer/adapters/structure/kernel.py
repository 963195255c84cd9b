"""Models that sum radial kernels around known points: support vectors, Gaussian processes, kernel ridge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.adapters.structure.linear import dense
from ice_explorer.adapters.structure.unreadable import OtherFormError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RadialModel:
    """Output = intercept + Σ_s weight_s · exp(-Σ_j gamma_j (x_j - centre_sj)²).

    - `centres` (n_centres, n_features), `weights` (n_centres,), `gamma` (n_features,).
    """

    centres: NDArray[np.float64]
    weights: NDArray[np.float64]
    gamma: NDArray[np.float64]
    intercept: float


def radial_model(model: Any, position: int | None, response: str) -> RadialModel:
    """Read the centres and weights of a fitted scikit-learn model with an RBF kernel.

    - `model`: SVR, NuSVR, SVC or NuSVC of two classes (decision function), OneClassSVM, KernelRidge or
      GaussianProcessRegressor.
    - `position`: which of two classes or of several outputs; None takes the second class or the only output.
    - `response`: as `Predictor.response`.
    - raises OtherFormError: if the model is none of these, or its response is no plain sum of its kernels.
    """
    name = type(model).__name__
    if type(model).__module__.startswith("sklearn."):
        if name in {"SVR", "NuSVR", "SVC", "NuSVC", "OneClassSVM"}:
            return _support_vectors(model, position, response)
        if name == "KernelRidge":
            return _kernel_ridge(model, position)
        if name == "GaussianProcessRegressor":
            return _gaussian_process(model, position)
    raise OtherFormError.model(model, "model with radial kernels")


def _support_vectors(model: Any, position: int | None, response: str) -> RadialModel:
    if model.kernel != "rbf":
        raise OtherFormError.kernel(model)
    sign = 1.0
    if hasattr(model, "classes_"):
        if response != "decision_function" or len(model.classes_) != 2:
            raise OtherFormError("Only the decision function of two classes is a sum of kernels.")
        sign = -1.0 if position == 0 else 1.0
    gamma = np.full(model.support_vectors_.shape[1], float(model._gamma))  # noqa: SLF001 - checked on phantoms
    weights = sign * dense(model.dual_coef_).ravel()
    return RadialModel(dense(model.support_vectors_), weights, gamma, sign * float(model.intercept_[0]))


def _kernel_ridge(model: Any, position: int | None) -> RadialModel:
    if model.kernel != "rbf":
        raise OtherFormError.kernel(model)
    centres = dense(model.X_fit_)
    gamma = 1.0 / centres.shape[1] if model.gamma is None else float(model.gamma)
    return RadialModel(centres, _output(model.dual_coef_, position), np.full(centres.shape[1], gamma), 0.0)


def _output(weights: Any, position: int | None) -> NDArray[np.float64]:
    """Return the weights (n_centres,) of one output of (n_centres,) or (n_centres, n_outputs)."""
    columns = np.asarray(weights, np.float64).reshape(len(weights), -1)
    return np.ascontiguousarray(columns[:, position or 0])


@dataclass(frozen=True)
class _Covariance:
    """A kernel between a new point and known ones: factor · radial + constant.

    - `length`: length scale of the radial part; None where there is none.
    """

    factor: float
    length: Any
    constant: float


def _covariance(model: Any, kernel: Any) -> _Covariance:
    """Read sums and products of one radial kernel, constants and noise, which new points do not share."""
    name = type(kernel).__name__
    if name == "RBF":
        return _Covariance(1.0, kernel.length_scale, 0.0)
    if name == "ConstantKernel":
        return _Covariance(0.0, None, float(kernel.constant_value))
    if name == "WhiteKernel":
        return _Covariance(0.0, None, 0.0)
    if name in {"Product", "Sum"}:
        some, other = sorted(
            (_covariance(model, kernel.k1), _covariance(model, kernel.k2)), key=lambda k: k.length is None
        )
        if other.length is None:
            if name == "Sum":
                return _Covariance(some.factor, some.length, some.constant + other.constant)
            return _Covariance(some.factor * other.constant, some.length, some.constant * other.constant)
    raise OtherFormError.kernel(model)


def _gaussian_process(model: Any, position: int | None) -> RadialModel:
    covariance = _covariance(model, model.kernel_)
    if covariance.length is None:
        raise OtherFormError.kernel(model)
    centres = np.asarray(model.X_train_, dtype=np.float64)
    length = np.broadcast_to(np.asarray(covariance.length, np.float64), centres.shape[1])
    spread = float(np.ravel(model._y_train_std)[position or 0])  # noqa: SLF001 - checked on phantoms
    mean = float(np.ravel(model._y_train_mean)[position or 0])  # noqa: SLF001
    alpha = spread * _output(model.alpha_, position)
    intercept = mean + covariance.constant * float(alpha.sum())
    return RadialModel(centres, covariance.factor * alpha, 0.5 / length**2, intercept)
