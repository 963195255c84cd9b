"""`DecaySums.add` for masses laid out as own values × ends, compiled.

The distances of one own value fall towards it and rise beyond it, so that the cell of each follows
from the one before; no distance is stored and none is sorted. `DecaySums.add` is the reference.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def add_laid_out(ends, nodes, scales, masses, u, nearest, edges, moments):
    """Add masses[node, end] · u[end] at the distance of node and end.

    Parameters
    ----------
    ends : float64 (n_ends,)
        Increasing.
    nodes, scales : float64 (n_nodes,)
    masses : float64 (n_nodes, n_ends) or (n_nodes, 1)
        One column stands for all ends.
    u : float64 (n_ends, n_channels)
    nearest : float
    edges : float64 (n_cells + 1,)
    moments : float64 (n_cells, n_moments, n_channels)
        Added to.
    """
    n_cells = edges.shape[0] - 1
    n_moments = moments.shape[1]
    n_channels = moments.shape[2]
    polynomials = np.empty(n_moments)
    for node in range(nodes.shape[0]):
        value = nodes[node]
        scale = scales[node]
        cell = n_cells - 1
        for end in range(ends.shape[0]):
            mass = masses[node, 0] if masses.shape[1] == 1 else masses[node, end]
            gap = abs(ends[end] - value)
            if mass == 0.0 or (scale == 0.0 and gap > 0.0):
                continue
            distance = (gap / scale if gap > 0.0 else 0.0) - nearest
            while cell > 0 and distance < edges[cell]:
                cell -= 1
            while cell < n_cells - 1 and distance >= edges[cell + 1]:
                cell += 1
            low = edges[cell]
            high = edges[cell + 1]
            position = (2.0 * distance - low - high) / (high - low)
            twice = 2.0 * position
            polynomials[0] = mass
            polynomials[1] = mass * position
            for degree in range(2, n_moments):
                polynomials[degree] = twice * polynomials[degree - 1] - polynomials[degree - 2]
            for degree in range(n_moments):
                for channel in range(n_channels):
                    moments[cell, degree, channel] += polynomials[degree] * u[end, channel]
