"""What goes into the second layer of networks of rectified units, compiled.

`NetworkCurves` without it is the reference: a test holds the kernel to that.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def second_units(others, column, grid, weights, bias, units):
    """Write bias + Σ_u weights[u] · max(others[row, u] + column[u] · grid[at], 0).

    Between two values a unit is either off or a line, so that the sum is a line, too. It changes only where a unit
    changes sign, which each does once at most.

    Parameters
    ----------
    others : float (n_rows, n_first)
        What the columns held fixed bring to the first units of a row.
    column : float (n_first,)
        Weights of the one that moves.
    grid : float (n_grid,)
        Increasing or decreasing.
    weights : float (n_first, n_second)
    bias : float (n_second,)
    units : float (n_rows, n_grid, n_second)
        Written.
    """
    n_first, n_second = weights.shape
    last = len(grid) - 1
    level, rise = np.empty(n_second), np.empty(n_second)
    changes, changing = np.empty(last + 2, np.int64), np.empty(n_first, np.int64)
    found = np.empty(n_first, np.int64)
    for row in range(others.shape[0]):
        own = others[row]
        level[:] = bias
        rise[:] = 0.0
        changes[:] = 0
        for unit in range(n_first):
            start = own[unit] + column[unit] * grid[0]
            is_on = start > 0.0
            if is_on:
                _switch(1.0, start, column[unit], weights[unit], level, rise)
            found[unit] = 0
            if (own[unit] + column[unit] * grid[last] > 0.0) != is_on:
                low, high = 0, last
                while high - low > 1:
                    middle = (low + high) // 2
                    if (own[unit] + column[unit] * grid[middle] > 0.0) == is_on:
                        low = middle
                    else:
                        high = middle
                found[unit] = high
                changes[high + 1] += 1
        for at in range(1, last + 2):
            changes[at] += changes[at - 1]
        for unit in range(n_first):
            if found[unit] > 0:
                changing[changes[found[unit]]] = unit
                changes[found[unit]] += 1
        done = 0
        for at in range(last + 1):
            while done < changes[at]:
                unit = changing[done]
                start = own[unit] + column[unit] * grid[0]
                sign = -1.0 if start > 0.0 else 1.0
                _switch(sign, start, column[unit], weights[unit], level, rise)
                done += 1
            of_phantom = units[row, at]
            distance = grid[at] - grid[0]
            for second in range(n_second):
                of_phantom[second] = level[second] + distance * rise[second]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def _switch(sign, start, slope, weights, level, rise):
    """Add the line of a unit, or take it away."""
    start, slope = sign * start, sign * slope
    for second in range(len(weights)):
        level[second] += start * weights[second]
        rise[second] += slope * weights[second]
