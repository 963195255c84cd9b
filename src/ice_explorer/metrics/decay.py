r"""In-distribution impact and support for every decay, from sums at a few of them.

Both are ratios of sums of masses under :math:`\lambda^{d} = e^{-a d}` with :math:`a = -\ln\lambda` and d a distance in
likelihood scales: smooth functions of a. They are summed at the decay of the explanation, and at Chebyshev nodes of
:math:`\log(a + c)` from λ = 1 to 0.01, between which they are interpolated by the barycentric formula. Sums of blocks,
threads and partitions add up.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.errors import InvalidOptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LOWEST_DECAY: Final = 0.01
N_NODES: Final = 15
_OFFSET: Final = 0.4  # c: the relative error is below 1e-6 for distances from 0.01 to 1000 likelihood scales
_LENGTH: Final = math.log1p(-math.log(LOWEST_DECAY) / _OFFSET)
_POSITIONS: Final = (1.0 - np.cos(np.pi * np.arange(N_NODES) / (N_NODES - 1))) / 2.0
_NODES: Final = _OFFSET * np.expm1(_POSITIONS * _LENGTH)
_SIGNS: Final = np.where(np.arange(N_NODES) % 2 == 0, 1.0, -1.0) * np.where(
    np.isin(np.arange(N_NODES), (0, N_NODES - 1)), 0.5, 1.0
)


def exponents_of(decay: float) -> Array:
    """Return a = -ln(λ) of all sums, (N_NODES + 1,): of the nodes, and of the decay of the explanation."""
    return np.append(_NODES, -math.log(decay))


def at_decays(sums: Array, decays: Array, decay: float) -> Array:
    """Evaluate sums at some decays.

    - `sums` (N_NODES + 1, …): at `exponents_of(decay)`.
    - returns (n_decays, …).
    - raises InvalidOptionError: if a decay is below 0.01 and not that of the explanation.
    """
    exponents = -np.log(decays)
    is_own = decays == decay
    if (~is_own & (decays < LOWEST_DECAY * (1 - 1e-12))).any():
        raise InvalidOptionError(
            f"`decay` must be at least {LOWEST_DECAY}, or that of the explanation, {decay!r}; "
            f"got {float(decays.min())!r}.",
            "Explain with that decay: `explain(…, decay=…)`.",
        )
    position = np.log1p(exponents / _OFFSET) / _LENGTH
    apart = position[:, None] - _POSITIONS
    at_node = np.isclose(apart, 0.0, rtol=0.0, atol=1e-15)
    weights = np.where(at_node.any(axis=1, keepdims=True), at_node, _SIGNS / np.where(at_node, 1.0, apart))
    weights = weights / weights.sum(axis=1, keepdims=True)
    found = np.tensordot(weights, sums[:N_NODES], axes=1)
    found[is_own] = sums[N_NODES]
    return np.asarray(found)
