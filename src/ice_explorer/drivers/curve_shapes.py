"""Shapes of curves: each curve centred at its mean, in principal directions of their differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ice_explorer.arrays import Array


_FLAT = 1e-12  # of the squared range of predictions: less is rounding
_OMITTED = 1e-13  # part of the spread that may be lost with directions in which curves hardly differ
_MOST_SOLVED = 128  # grid values up to which all principal axes are computed
_ESTIMATED = 64  # principal axes that are estimated for longer grids
_MAIN = 16


@dataclass(frozen=True, eq=False)
class Spread:
    """How curves differ in shape.

    - `deviations` (n_rows, n_directions): each curve less its own mean and less the mean of all curves, in orthogonal
      directions [output].
    - `main` (n_main, n_rows): the same in the (up to) 16 directions in which curves differ most; splits are chosen on
      these.
    - `weights` (n_rows,).
    - `size`: variance between centred curves, relative to their total variance around their own means, 0 to 1.
    """

    deviations: Array
    main: Array
    weights: Array
    size: float


def spread_of(curves: Array, weights: Array, prediction_range: float, lengths: Array | None = None) -> Spread:
    """Return how curves differ in shape.

    - `curves` (n_rows, n_grid): ICE [output].
    - `weights` (n_rows,): all greater than 0.
    - `lengths` (n_grid,): how many grid values each stands for, along which all curves are constant; 1 by default.
    - `prediction_range`: largest less smallest prediction: a mean square below 1e-12 of its square is rounding, and no
      difference.

    Notes
    -----
    With c_i curve i less its own mean over the grid, the size is Σ_i w_i‖c_i - c̄‖² / Σ_i w_i‖c_i‖²: what is left
    of the variance of the curves when the shape that all share, c̄, is taken out. For lines with slopes β_i it is
    Var(β) / mean(β²): 0 for parallel curves, 1 where slopes cancel out.
    """
    stretches, lengths = _stretches(curves, np.ones(curves.shape[1]) if lengths is None else lengths)
    shapes = stretches - (stretches @ (lengths / lengths.sum()))[:, None]
    shapes *= np.sqrt(lengths)
    common = np.average(shapes, axis=0, weights=weights)
    shapes -= common
    mass = float(weights.sum())
    total = float(weights @ np.einsum("ik,ik->i", shapes, shapes))
    if total / (mass * float(lengths.sum())) <= _FLAT * prediction_range**2:
        return Spread(shapes[:, :0], shapes[:, :0].T, weights, 0.0)
    along = shapes @ _principal_axes(shapes, weights)
    cumulative = np.cumsum(weights @ along**2)
    enough = np.flatnonzero(cumulative >= (1 - _OMITTED) * total)
    # Curves mostly differ in few directions, and fewer numbers are then as good as one for each grid value.
    deviations = shapes if enough.size == 0 else along[:, : enough[0] + 1]
    main = np.ascontiguousarray(along[:, : min(_MAIN, deviations.shape[1])].T)
    return Spread(np.ascontiguousarray(deviations), main, weights, total / (total + mass * float(common @ common)))


def _stretches(curves: Array, lengths: Array) -> tuple[Array, Array]:
    """Leave out grid values at which every curve is as at the one before; how many values each that is left stands for.

    Curves of trees change at few of many values. Columns times the root of their number have the same squares.
    """
    is_new = np.append(True, (curves[:, 1:] != curves[:, :-1]).any(axis=0))
    starts = np.flatnonzero(is_new)
    return curves[:, starts], np.add.reduceat(lengths, starts)


def _principal_axes(shapes: Array, weights: Array) -> Array:
    """Return directions, the one with the largest spread first: all of them, or the first 64 approximately.

    Those of long grids are estimated from random combinations (Halko, Martinsson and Tropp, 2011).
    """
    n_grid = shapes.shape[1]
    if n_grid <= _MOST_SOLVED:
        return _solved(shapes, weights)
    combined = shapes @ np.random.default_rng(0).normal(size=(n_grid, _ESTIMATED))
    basis = np.linalg.qr(shapes.T @ (weights[:, None] * combined))[0]
    return np.asarray(basis @ _solved(shapes @ basis, weights))


def _solved(shapes: Array, weights: Array) -> Array:
    return np.asarray(np.linalg.eigh(shapes.T @ (weights[:, None] * shapes))[1][:, ::-1])
