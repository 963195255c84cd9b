r"""In-distribution impact and support for every decay, from sums at a few of them.

Both are ratios of sums of masses under :math:`\lambda^{d} = e^{-a d}` with :math:`a = -\ln\lambda` and d a distance in
likelihood scales: smooth functions of a. They are summed at the decay of the explanation, and at Chebyshev nodes of
:math:`\log(a + c)` from λ = 1 to 0.01, between which they are interpolated by the barycentric formula. Sums of blocks,
threads and partitions add up.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.errors import OptionError

if TYPE_CHECKING:
    from ice_explorer.arrays import Array


LOWEST_DECAY: Final = 0.01
_NODES: Final = ((8.0, 15, 1.0), (20.0, 19, 0.5), (50.0, 23, 0.15), (math.inf, 40, 0.004))
"""Distances up to which so many nodes with such an offset miss e^{-ad} by less than 1e-6; the last up to 1,000."""


class DecayNodes(NamedTuple):
    """The decays that sums are kept for.

    - `n_nodes`, `offset`: how many nodes there are, and c.
    - `decay`: λ of the explanation.
    """

    n_nodes: int
    offset: float
    decay: float

    @property
    def exponents(self) -> Array:
        """Exponents a = -ln(λ) of all sums, (n_nodes + 1,): of the nodes, and of the decay of the explanation."""
        return _exponents(self)

    @property
    def _length(self) -> float:
        return math.log1p(-math.log(LOWEST_DECAY) / self.offset)

    def at(self, sums: Array, decays: Array) -> Array:
        """Evaluate sums at some decays.

        - `sums` (n_nodes + 1, …): at `exponents`.
        - returns (n_decays, …).
        - raises OptionError: if a decay is below 0.01 and not that of the explanation.
        """
        is_own = decays == self.decay
        if is_own.all():
            return sums[-1:].repeat(len(decays), axis=0)
        if (~is_own & (decays < LOWEST_DECAY * (1 - 1e-12))).any():
            raise OptionError(
                f"`decay` must be at least {LOWEST_DECAY}, or that of the explanation, {self.decay!r}; "
                f"got {float(decays.min())!r}.",
                "Explain with that decay: `explain(…, decay=…)`.",
            )
        positions, signs = _chebyshev(self.n_nodes)
        others = np.where(is_own, 1.0, decays)
        apart = np.log1p(-np.log(others) / self.offset)[:, None] / self._length - positions
        at_node = np.isclose(apart, 0.0, rtol=0.0, atol=1e-15)
        weights = np.where(at_node.any(axis=1, keepdims=True), at_node, signs / np.where(at_node, 1.0, apart))
        values = np.tensordot(weights / weights.sum(axis=1, keepdims=True), sums[:-1], axes=1)
        values[is_own] = sums[-1]
        return np.asarray(values)


def choose_decay_nodes(decay: float, farthest: float) -> DecayNodes:
    """Return the decays that sums are kept for, the fewer the nearer the `farthest` distance is [likelihood scales]."""
    n_nodes, offset = next((n_nodes, offset) for most, n_nodes, offset in _NODES if farthest <= most)
    return DecayNodes(n_nodes, offset, decay)


@lru_cache
def _exponents(nodes: DecayNodes) -> Array:
    positions, _ = _chebyshev(nodes.n_nodes)
    exponents = nodes.offset * np.expm1(positions * nodes._length)  # noqa: SLF001
    return np.append(exponents, -math.log(nodes.decay))


@lru_cache
def _chebyshev(n_nodes: int) -> tuple[Array, Array]:
    """Positions of the nodes from 0 to 1, and their weights in the barycentric formula."""
    place = np.arange(n_nodes)
    signs = np.where(place % 2 == 0, 1.0, -1.0)
    signs[[0, -1]] /= 2.0
    return (1.0 - np.cos(np.pi * place / (n_nodes - 1))) / 2.0, signs
