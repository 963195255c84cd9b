"""How differently two models predict a change of one feature, for any decay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ice_explorer.arrays import Array


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
        # By bin: weights, weights times differences, and both times distances.
        self._sums = np.zeros((4, _BINS + 1))

    def add(self, distances: Array, weights: Array, differences: Array) -> None:
        """Add phantoms.

        - `distances` (n,): in likelihood scales; infinite where only the observed value is likely.
        - `weights` (n,): w·ω.
        - `differences` (n,): D.
        """
        near = np.isfinite(distances)
        far, mass, size = distances[near], weights[near], np.abs(differences[near])
        bins = np.minimum(np.log1p(far) / _PER_BIN, _BINS).astype(np.intp)
        terms = (mass, mass * size, mass * far, mass * size * far)
        self._sums += [np.bincount(bins, each, _BINS + 1) for each in terms]

    def evaluate(self, decays: Array) -> Array:
        """Disagreement at some decays, (n_decays,) [output]; 0 where there is no other value."""
        weights, _, of_weights, _ = self._sums[:, self._sums[0] > 0]
        _, differences, _, of_differences = self._sums[:, self._sums[1] > 0]
        if not len(differences):
            return np.zeros(len(decays))
        distances, rates = of_weights / weights, np.log(decays)[:, None]
        nearest = distances[0]  # exponents are relative to it, so that they do not all underflow
        likely = np.exp(rates * (distances - nearest)) @ weights
        return np.asarray(np.exp(rates * (of_differences / differences - nearest)) @ differences / likely)


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
