"""ICE curves of models that sum RBF kernels around known points: support vectors, Gaussian processes, kernel ridge.

The similarity of a row to a centre is a product over columns. Moving one column exchanges its factor, so curves are a
product of two matrices: similarities in the other columns (rows × centres), and the factors of grid values times the
weights of centres (centres × grid).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from ice_explorer.models.pipeline import dense

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_BLOCK = 1 << 16  # similarities computed at a time: they fit the cache
_ROUNDING = 2e-15  # of an interpolated similarity, of at most 1


@dataclass(frozen=True, eq=False)
class KernelModel:
    """Output = intercept + Σ_s weight_s · exp(-Σ_j gamma_j (x_j - centre_sj)²).

    - `centres` (n_centres, n_columns), `weights` (n_centres,), `gamma` (n_columns,).
    """

    centres: Array
    weights: Array
    gamma: Array
    intercept: float = 0.0

    @property
    def n_columns(self) -> int:
        """Columns that the model was fitted on."""
        return int(self.centres.shape[1])

    @property
    def unused(self) -> list[int]:
        """Columns that no kernel looks at."""
        return np.flatnonzero(self.gamma == 0.0).tolist()

    def candidates(self, matrix: Array, _predicted: Array | None) -> Iterator[tuple[Callable[[Array], Any], Array]]:
        """Yield what makes curves of a matrix (n_rows, n_columns), and what it predicts of one."""
        curves = KernelCurves(self, matrix)
        outputs = curves.curves(np.empty(0, np.intp), np.empty((1, 0)), np.arange(len(matrix)))[:, 0]
        yield partial(KernelCurves, self), outputs


def read_kernel(model: Any, position: int | None, response: str) -> KernelModel | None:  # noqa: PLR0911 - one per kind
    """Read the centres and weights of a fitted scikit-learn model; None if its response is no plain sum of RBF kernels.

    - `model`: SVR, NuSVR, SVC or NuSVC of two classes (decision function), OneClassSVM, KernelRidge or
      GaussianProcessRegressor.
    - `position`: which of two classes or of several outputs; None takes the second class or the only output.
    - `response`: as `Predictor.response`.
    """
    name = type(model).__name__
    if not type(model).__module__.startswith("sklearn."):
        return None
    if name == "GaussianProcessRegressor":
        return _gaussian_process(model, position)
    if getattr(model, "kernel", None) != "rbf":
        return None
    if name == "KernelRidge":
        centres = dense(model.X_fit_)
        gamma = 1.0 / centres.shape[1] if model.gamma is None else float(model.gamma)
        return KernelModel(centres, _output(model.dual_coef_, position), np.full(centres.shape[1], gamma))
    if name not in {"SVR", "NuSVR", "SVC", "NuSVC", "OneClassSVM"}:
        return None
    if hasattr(model, "classes_") and (response != "decision_function" or len(model.classes_) != 2):
        return None  # several classes are compared in pairs
    sign = -1.0 if hasattr(model, "classes_") and position == 0 else 1.0
    centres = dense(model.support_vectors_)
    gammas = np.full(centres.shape[1], float(model._gamma))  # noqa: SLF001 - checked on phantoms
    return KernelModel(centres, sign * dense(model.dual_coef_).ravel(), gammas, sign * float(model.intercept_[0]))


def _output(weights: Any, position: int | None) -> Array:
    """Return the weights (n_centres,) of one output of (n_centres,) or (n_centres, n_outputs)."""
    columns = np.asarray(weights, np.float64).reshape(len(weights), -1)
    return np.ascontiguousarray(columns[:, position or 0])


def _gaussian_process(model: Any, position: int | None) -> KernelModel | None:
    covariance = _covariance(model.kernel_)
    if covariance is None or covariance[1] is None:
        return None
    factor, length, constant = covariance
    centres = np.asarray(model.X_train_, dtype=np.float64)
    lengths = np.broadcast_to(np.asarray(length, np.float64), centres.shape[1])
    spread = float(np.ravel(model._y_train_std)[position or 0])  # noqa: SLF001 - checked on phantoms
    mean = float(np.ravel(model._y_train_mean)[position or 0])  # noqa: SLF001
    alpha = spread * _output(model.alpha_, position)
    return KernelModel(centres, factor * alpha, 0.5 / lengths**2, mean + constant * float(alpha.sum()))


def _covariance(kernel: Any) -> tuple[float, Any, float] | None:  # noqa: PLR0911 - one per kind
    """Read a kernel as factor · RBF(length) + constant; None if it is no sum and product of one RBF kernel.

    The length is None where there is no RBF kernel. New points do not share the noise of known ones.
    """
    name = type(kernel).__name__
    if name == "RBF":
        return 1.0, kernel.length_scale, 0.0
    if name in {"ConstantKernel", "WhiteKernel"}:
        return 0.0, None, float(kernel.constant_value) if name == "ConstantKernel" else 0.0
    if name not in {"Product", "Sum"}:
        return None
    first, second = _covariance(kernel.k1), _covariance(kernel.k2)
    if first is None or second is None:
        return None
    if first[1] is None:
        first, second = second, first
    if second[1] is not None:
        return None
    factor, length, constant = first
    if name == "Sum":
        return factor, length, constant + second[2]
    return factor * second[2], length, constant * second[2]


class KernelCurves:
    """Curves of a sum of RBF kernels.

    - `matrix` (n_rows, n_columns).
    """

    def __init__(self, model: KernelModel, matrix: Array) -> None:
        # In units of the kernel, and around 0, where squares are small and lose little.
        self._unit = np.sqrt(model.gamma)
        self._zero = model.centres.mean(axis=0)
        self._centres = (model.centres - self._zero) * self._unit
        self._rows = (matrix - self._zero) * self._unit
        self._model = model

    def row_bytes(self, n_grid: int) -> int:
        """Bytes that the curves of one row take."""
        return int(24 * n_grid + 8 * self._rows.shape[1])

    def curves(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> Array:
        """Return curves, (n_rows, n_grid), where the columns take the rows of grid (n_grid, n_columns)."""
        others = np.setdiff1d(np.arange(self._rows.shape[1]), columns)
        points = (grid - self._zero[columns]) * self._unit[columns]
        nodes, of_nodes = _interpolated(points, self._centres[:, columns]) if len(columns) == 1 else (points, None)
        factors = _similarity(self._centres[:, columns], nodes) * self._model.weights[:, None]
        rows, centres = self._rows[np.ix_(positions, others)], self._centres[:, others]
        # -|a - b|² = 2ab - a² - b², one matrix product.
        left = np.column_stack([2.0 * rows, -np.sum(rows**2, axis=1), np.ones(len(rows))])
        right = np.column_stack([centres, np.ones(len(centres)), -np.sum(centres**2, axis=1)]).T
        curves = np.empty((len(rows), len(nodes)))
        size = max(16, _BLOCK // len(centres))
        for start in range(0, len(rows), size):
            similarity = left[start : start + size] @ right
            np.minimum(similarity, 0.0, out=similarity)  # rounding may leave more
            np.exp(similarity, out=similarity)
            np.matmul(similarity, factors, out=curves[start : start + size])
        return (curves if of_nodes is None else curves @ of_nodes) + self._model.intercept

    def parallel(self, columns: NDArray[np.intp], grid: Array, positions: NDArray[np.int64]) -> None:  # noqa: ARG002
        """Return None: one curve is steep where another is flat."""
        return


def _similarity(centres: Array, points: Array) -> Array:
    """Return exp(-|centre - point|²), (n_centres, n_points)."""
    return np.asarray(np.exp(-np.sum((centres[:, None] - points) ** 2, axis=2)))


def _interpolated(grid: Array, centres: Array) -> tuple[Array, Array | None]:
    """Return a few points, and what interpolates curves between them to the grid, (n_points, n_grid).

    Curves are sums of Gaussians, which a polynomial through Chebyshev nodes follows to the last bits where the grid is
    not much wider than the kernel. Where it is, or has few values, the points are those of the grid.
    """
    low, high = grid.min(), grid.max()
    # The error depends on how far a centre is from the grid, in a smooth way.
    some = np.linspace(centres.min(), centres.max(), 33)[:, None]
    for n in (12, 24, 48):
        if n >= len(grid) / 2:
            break
        nodes = np.cos((np.arange(n) + 0.5) * (np.pi / n))
        values = np.clip((2.0 * grid[:, 0] - low - high) / (high - low), -1.0, 1.0)
        of_nodes = chebvander(nodes, n - 1) * np.where(np.arange(n) == 0, 1.0, 2.0) @ chebvander(values, n - 1).T / n
        points = 0.5 * (low + high) + 0.5 * (high - low) * nodes[:, None]
        if np.abs(_similarity(some, points) @ of_nodes - _similarity(some, grid)).max() <= _ROUNDING:
            return points, of_nodes
    return grid, None
