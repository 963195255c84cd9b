"""Likelihood of phantom observations: decay weights and distance scales."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.checks import to_float_array
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array


LEAST_SHARE_OF_SCALE = 0.01  # floor of a likelihood scale, in standard deviations of the feature


def distances(grid: Array, observed: Array, likelihood_scale: Array) -> Array:
    """Distance of each phantom from its observation, in likelihood scales.

    - `grid` (n_grid,).
    - `observed` (n_observations,): observed values [feature], none missing.
    - `likelihood_scale` (n_observations,): s_i [feature]. Where it is 0 the distance is 0 at the observed value and
      infinite elsewhere.
    - returns (n_observations, n_grid).
    """
    gap = np.abs(grid[None, :] - observed[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = gap / likelihood_scale[:, None]
    scaled[gap == 0] = 0.0
    return scaled


def likelihood(grid: Array, observed: Array, likelihood_scale: Array, decay: float) -> Array:
    r"""Likelihood of each phantom observation, a weight in [0, 1] (not a probability).

    - `grid`, `observed`, `likelihood_scale`: as for `distances`.
    - `decay`: λ, greater than 0 and at most 1; 1 weighs all alike.
    - returns (n_observations, n_grid): 1 at the observed value.

    Notes
    -----
    Eq. 3 of Yeh & Ngo (2021), arXiv:2109.02724: :math:`\lambda^{|v_k - x_i| / s_i}`. With decay 1
    and a scale of 0 the definition still holds: 1 at the observed value, else 0.
    """
    scaled = distances(grid, observed, likelihood_scale)
    is_near = np.isfinite(scaled)
    return np.where(is_near, np.exp(math.log(decay) * np.where(is_near, scaled, 0.0)), 0.0)


def floored_scale(feature: object, given: ArrayLike, standard_deviation_: float, n_observations: int) -> Array:
    """Check a likelihood scale given by the user and keep it above 1 % of the standard deviation."""
    scale = to_float_array(given)
    if scale is None:
        raise OptionError.scale_values(feature, f"got {quoted(given)}")
    if scale.shape not in {(), (n_observations,)}:
        size = counted(n_observations, "observation")
        raise OptionError.scale_values(feature, f"got shape {scale.shape} for {size}")
    wrong = ~(np.isfinite(scale) & (scale > 0))
    if wrong.any():
        raise OptionError.scale_values(feature, f"got {float(scale[wrong].flat[0])!r}")
    return np.maximum(np.broadcast_to(scale, (n_observations,)), LEAST_SHARE_OF_SCALE * standard_deviation_)
