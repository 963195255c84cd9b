"""Models that sum radial kernels around known points: support vectors, Gaussian processes, kernel ridge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NotRadialError(ICEExplorerError):
    """The model is no sum of radial kernels; the message says why."""

    @classmethod
    def unknown(cls, model: object) -> NotRadialError:
        """Name the model."""
        return cls(f"{type(model).__name__} is no model with radial kernels that is known here.")

    @classmethod
    def other_kernel(cls, model: object) -> NotRadialError:
        """Say that the kernel is another."""
        return cls(f"The kernel of {type(model).__name__} is not radial, or it has several outputs.")

    @classmethod
    def other_response(cls) -> NotRadialError:
        """Say which response is a sum of kernels."""
        return cls("Only the decision function of two classes is a sum of kernels.")


@dataclass(frozen=True, eq=False)
class RadialModel:
    """Output = intercept + Σ_s weight_s · exp(-Σ_j gamma_j (x_j - centre_sj)²).

    Attributes
    ----------
    centres : ndarray of shape (n_centres, n_features)
    weights : ndarray of shape (n_centres,)
    gamma : ndarray of shape (n_features,)
    intercept : float
    """

    centres: NDArray[np.float64]
    weights: NDArray[np.float64]
    gamma: NDArray[np.float64]
    intercept: float


def radial_model(model: Any, position: int | None, response: str) -> RadialModel:
    """Read the centres and weights of a fitted scikit-learn model with an RBF kernel.

    Parameters
    ----------
    model : object
        SVR, NuSVR, SVC or NuSVC of two classes (decision function), OneClassSVM, KernelRidge or
        GaussianProcessRegressor.
    position : int or None
        Which of two classes; None takes the second.
    response : str
        As `Predictor.response`.

    Raises
    ------
    NotRadialError
        If the model is none of these, or its response is no plain sum of its kernels.
    """
    name = type(model).__name__
    if type(model).__module__.startswith("sklearn."):
        if name in {"SVR", "NuSVR", "SVC", "NuSVC", "OneClassSVM"}:
            return _support_vectors(model, position, response)
        if name == "KernelRidge":
            return _kernel_ridge(model)
        if name == "GaussianProcessRegressor":
            return _gaussian_process(model)
    raise NotRadialError.unknown(model)


def _support_vectors(model: Any, position: int | None, response: str) -> RadialModel:
    if model.kernel != "rbf":
        raise NotRadialError.other_kernel(model)
    sign = 1.0
    if hasattr(model, "classes_"):
        if response != "decision_function" or len(model.classes_) != 2:
            raise NotRadialError.other_response()
        sign = -1.0 if position == 0 else 1.0
    gamma = np.full(model.support_vectors_.shape[1], float(model._gamma))  # noqa: SLF001 - checked on phantoms
    weights = sign * _dense(model.dual_coef_).ravel()
    return RadialModel(_dense(model.support_vectors_), weights, gamma, sign * float(model.intercept_[0]))


def _dense(matrix: Any) -> NDArray[np.float64]:
    """Return a matrix that is sparse where the model was fitted on one."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)


def _kernel_ridge(model: Any) -> RadialModel:
    if model.kernel != "rbf" or model.dual_coef_.ndim != 1:
        raise NotRadialError.other_kernel(model)
    centres = np.asarray(model.X_fit_, dtype=np.float64)
    gamma = 1.0 / centres.shape[1] if model.gamma is None else float(model.gamma)
    return RadialModel(centres, np.asarray(model.dual_coef_, np.float64), np.full(centres.shape[1], gamma), 0.0)


def _gaussian_process(model: Any) -> RadialModel:
    kernel, factor = model.kernel_, 1.0
    if type(kernel).__name__ == "Product" and type(kernel.k1).__name__ == "ConstantKernel":
        factor, kernel = float(kernel.k1.constant_value), kernel.k2
    if type(kernel).__name__ != "RBF" or model.y_train_.ndim != 1:
        raise NotRadialError.other_kernel(model)
    centres = np.asarray(model.X_train_, dtype=np.float64)
    length = np.broadcast_to(np.asarray(kernel.length_scale, np.float64), centres.shape[1])
    spread = float(np.squeeze(model._y_train_std))  # noqa: SLF001 - checked on phantoms
    centre = float(np.squeeze(model._y_train_mean))  # noqa: SLF001
    return RadialModel(centres, factor * spread * np.asarray(model.alpha_, np.float64), 0.5 / length**2, centre)
