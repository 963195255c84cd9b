"""Chebyshev polynomials on [-1, 1], and the nodes that sums of them are moved to."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def nodes(place: NDArray[np.intp], n_nodes: int | NDArray[np.int64]) -> NDArray[np.float64]:
    """Zeros of the polynomial of degree `n_nodes` by their place, increasing from place 0."""
    return np.asarray(-np.cos(np.pi * (place + 0.5) / n_nodes))


@lru_cache
def to_nodes(n_nodes: int) -> NDArray[np.float64]:
    """Weights of the nodes from moments: row per degree, column per node; read-only.

    A polynomial of a degree below `n_nodes` has the same sum over masses and over their nodes.
    """
    degree, angle = np.arange(n_nodes)[:, None], 2 * np.arange(n_nodes)[::-1] + 1  # in 2 n_nodes-ths of π
    matrix = np.cos(np.pi * (degree * angle % (4 * n_nodes)) / (2 * n_nodes)) * (2.0 / n_nodes)
    matrix[0] *= 0.5
    matrix.setflags(write=False)
    return matrix


def polynomials(position: NDArray[np.float64], n_degrees: int) -> NDArray[np.float64]:
    """Polynomials of degree 0 … n_degrees - 1 (at least 1) at positions (n,): one row each, (n_degrees, n)."""
    found = np.empty((n_degrees, len(position)))
    found[0] = 1.0
    if n_degrees > 1:
        found[1] = position
    known = 2
    while known < n_degrees:
        # T_{m+j} = 2 T_m T_j - T_{m-j} with m the highest degree known: each pass doubles what is known.
        highest = known - 1
        more = min(highest, n_degrees - known)
        new = found[known : known + more]
        np.multiply(found[1 : more + 1], 2.0 * found[highest], out=new)
        new -= found[highest - more : highest][::-1]
        known += more
    return found
