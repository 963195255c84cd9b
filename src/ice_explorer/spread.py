"""How lines differ in shape: each less its own mean, in the directions in which they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_FLAT = 1e-12  # of the squared range of predictions: less is rounding
_LEFT_OUT = 1e-13  # part of the spread that may go with directions in which lines hardly differ
_MOST_SOLVED = 128  # grid values whose principal axes are all computed
_FOUND = 64  # principal axes that are looked for among more
_MAIN = 32


@dataclass(frozen=True, eq=False)
class Spread:
    """How some lines differ in shape.

    Attributes
    ----------
    weighted : ndarray of shape (n_rows, n_directions)
        Each line less its own mean and less the mean of all lines, in directions at right angles, times its
        weight.
    main : ndarray of shape (n_rows, n_main)
        The same along the 32 directions in which lines differ most, without weights.
    weights : ndarray of shape (n_rows,)
    total : float
        Weighted sum of squared deviations; 0 where there are but rounding errors.
    """

    weighted: Array
    main: Array
    weights: Array
    total: float

    def share(self, gain: float) -> float:
        """Return the part that a gain is of the total."""
        return 0.0 if self.total == 0 else min(1.0, max(0.0, gain / self.total))


def spread_of(curves: Array, weights: Array, prediction_range: float) -> Spread:
    """Take from lines what they have in common.

    Parameters
    ----------
    curves : ndarray of shape (n_rows, n_grid)
        ICE [output].
    weights : ndarray of shape (n_rows,)
        All greater than 0.
    prediction_range : float
        Largest less smallest prediction: a mean square below 1e-12 of its square is rounding, and no spread.
    """
    shapes = curves - curves.mean(axis=1, keepdims=True)
    shapes -= np.average(shapes, axis=0, weights=weights)
    mass = float(weights.sum())
    total = float(weights @ np.einsum("ik,ik->i", shapes, shapes))
    if total / (mass * shapes.shape[1]) <= _FLAT * prediction_range**2:
        return Spread(shapes[:, :0], shapes[:, :0], weights, 0.0)
    along = shapes @ _principal_axes(shapes, weights)
    held = np.cumsum(weights @ along**2)
    enough = np.flatnonzero(held >= (1 - _LEFT_OUT) * total)
    # Lines mostly differ in few directions, and fewer sums are then as good as one for each grid value.
    deviations = shapes if enough.size == 0 else along[:, : enough[0] + 1]
    return Spread(weights[:, None] * deviations, along[:, :_MAIN], weights, total)


def _principal_axes(shapes: Array, weights: Array) -> Array:
    """Return directions, the one with the largest spread first: all of them, or of many the first 64, nearly.

    Those are found from random combinations (Halko, Martinsson and Tropp, 2011), as solving for all takes too long.
    """
    n_grid = shapes.shape[1]
    if n_grid <= _MOST_SOLVED:
        return _solved(shapes, weights)
    combined = shapes @ np.random.default_rng(0).normal(size=(n_grid, _FOUND))
    basis = np.linalg.qr(shapes.T @ (weights[:, None] * combined))[0]
    return np.asarray(basis @ _solved(shapes @ basis, weights))


def _solved(shapes: Array, weights: Array) -> Array:
    return np.asarray(np.linalg.eigh(shapes.T @ (weights[:, None] * shapes))[1][:, ::-1])
