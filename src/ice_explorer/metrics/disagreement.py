"""How differently two models predict a change of one feature, for any decay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_BINS: Final = 8192
_FARTHEST: Final = 1e4  # likelihood scales, beyond which nothing is likely at any decay below 1
_PER_BIN: Final = np.log1p(_FARTHEST) / _BINS


class DisagreementSums:
    r"""Sums over phantom observations from which the disagreement of two models follows for any decay.

    Notes
    -----
    With :math:`D_{ik}` the difference of two models in the change of the prediction since the observed value,

    .. math:: D_{ik} = (a_{ik} - a_i) - (b_{ik} - b_i),

    disagreement is the mean of :math:`|D_{ik}|` over observations and grid values other than the observed one,

    .. math:: \sum_{ik} w_i \omega_{ik} L_{ik} |D_{ik}| \Big/ \sum_{ik} w_i \omega_{ik} L_{ik},

    with sample weights w, the likelihood :math:`L_{ik} = \lambda^{d_{ik}}` of Eq. 3, and ω as in `node_weights`.

    Phantoms are sorted into bins by their distance d, so narrow that the mean distance of a bin, weighed as in either
    sum, stands for all of them: the relative error is below 1e-5.
    """

    def __init__(self) -> None:
        self._weights = np.zeros(_BINS + 1)
        self._differences = np.zeros(_BINS + 1)
        self._of_weights = np.zeros(_BINS + 1)  # distance times weight
        self._of_differences = np.zeros(_BINS + 1)

    def add(self, distances: Array, weights: Array, differences: Array) -> None:
        """Add phantoms.

        - `distances` (n,): in likelihood scales; infinite where only the observed value is likely.
        - `weights` (n,): w·ω.
        - `differences` (n,): D.
        """
        near = np.isfinite(distances)
        far, mass, size = distances[near], weights[near], np.abs(differences[near])
        bins = np.minimum(np.log1p(far) / _PER_BIN, _BINS).astype(np.intp)
        self._weights += np.bincount(bins, mass, _BINS + 1)
        self._differences += np.bincount(bins, mass * size, _BINS + 1)
        self._of_weights += np.bincount(bins, mass * far, _BINS + 1)
        self._of_differences += np.bincount(bins, mass * size * far, _BINS + 1)

    def at(self, decays: Array) -> Array:
        """Disagreement at some decays, (n_decays,) [output]; 0 where there is no other value."""
        held, differing = self._weights > 0, self._differences > 0
        if not differing.any():
            return np.zeros(len(decays))
        near = self._of_weights[held] / self._weights[held]
        rates = np.log(decays)[:, None]

        def weighed(distances: Array, values: Array) -> Array:
            return np.asarray(np.exp(rates * (distances - near[0])) @ values)  # as seen from the nearest of all

        far = self._of_differences[differing] / self._differences[differing]
        return weighed(far, self._differences[differing]) / weighed(near, self._weights[held])


def node_weights(axis: Array, own: Array, shares: Array | None) -> Array:
    """Weights ω of grid values other than the observed one, which has 0.

    - `axis` (n_grid,): grid values.
    - `own` (n_rows,): observed values [axis].
    - `shares` (n_grid,): of levels without an order: weight of the observations at each. Another level counts by its
      share of those that are not at the observed one. Else all units of the axis count alike, and a grid value has half
      the distance between its neighbours.
    - returns (n_rows, n_grid).
    """
    is_own = axis == own[:, None]
    if shares is None:
        gaps = np.diff(axis, prepend=axis[:1], append=axis[-1:])
        return np.where(is_own, 0.0, gaps[:-1] + gaps[1:])
    others = np.where(is_own, 0.0, shares)
    total = others.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(others, total, out=np.zeros_like(others), where=total > 0))
