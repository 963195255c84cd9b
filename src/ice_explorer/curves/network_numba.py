"""What goes into the second layer of networks of rectified units, compiled.

`NetworkCurves` without it is the reference: a test holds the kernel to that.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def second_units(others, column, grid, weights, bias, units, summed):
    """Follow bias + Σ_u weights[u] · max(others[row, u] + column[u] · grid[at], 0) along the grid.

    Between two values a unit is either off or a line, so that the sum is a line, too. It changes only where a unit
    changes sign, which each does once at most.

    Compiled twice: for the units, and for what the rectified ones add up to where that is the only output.

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
    units : float (n_rows, n_grid, n_second), or None
        Written.
    summed : weights of the only output, float (n_second,), and float (n_rows, n_grid), or None
        The second is written in place of `units`.
    """
    n_first, n_second = weights.shape
    end = len(grid) - 1
    level, rise = np.empty(n_second, weights.dtype), np.empty(n_second, weights.dtype)
    starts, of_line = np.empty(n_first, weights.dtype), np.empty(n_first, weights.dtype)
    turned = np.empty(n_first, np.int64)
    firsts, changing = np.empty(end + 2, np.int64), np.empty(n_first, np.int64)
    for row in range(others.shape[0]):
        own = others[row]
        n_on = 0
        firsts[:] = 0
        for unit in range(n_first):
            starts[unit] = own[unit] + column[unit] * grid[0]
            is_on = starts[unit] > 0.0
            changing[n_on] = unit
            n_on += is_on
            turned[unit] = 0
            if (own[unit] + column[unit] * grid[end] > 0.0) != is_on:
                low, high = 0, end
                while high - low > 1:
                    middle = (low + high) // 2
                    is_before = (own[unit] + column[unit] * grid[middle] > 0.0) == is_on
                    low = middle if is_before else low
                    high = high if is_before else middle
                turned[unit] = high
                firsts[high + 1] += 1
        level[:] = bias
        rise[:] = 0.0
        of_line[:] = column
        _add_lines(changing[:n_on], starts, of_line, weights, level, rise)
        # What is on is taken away where it turns.
        for at in range(n_on):
            unit = changing[at]
            starts[unit], of_line[unit] = -starts[unit], -of_line[unit]
        for at in range(1, end + 2):
            firsts[at] += firsts[at - 1]
        for unit in range(n_first):
            if turned[unit] > 0:
                changing[firsts[turned[unit]]] = unit
                firsts[turned[unit]] += 1
        done = 0
        for at in range(end + 1):
            if firsts[at] > done:
                _add_lines(changing[done : firsts[at]], starts, of_line, weights, level, rise)
                done = firsts[at]
            distance = grid[at] - grid[0]
            if units is not None:
                of_value = units[row, at]
                for second in range(n_second):
                    of_value[second] = level[second] + distance * rise[second]
            if summed is not None:
                total = 0.0
                for second in range(n_second):
                    total += summed[0][second] * max(level[second] + distance * rise[second], 0.0)
                summed[1][row, at] = total


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def _add_lines(units, starts, slopes, weights, level, rise):
    """Add the lines of some units, four at a time."""
    n_fours = len(units) // 4 * 4
    for at in range(0, n_fours, 4):
        unit_0, unit_1, unit_2, unit_3 = units[at], units[at + 1], units[at + 2], units[at + 3]
        start_0, start_1, start_2, start_3 = starts[unit_0], starts[unit_1], starts[unit_2], starts[unit_3]
        slope_0, slope_1, slope_2, slope_3 = slopes[unit_0], slopes[unit_1], slopes[unit_2], slopes[unit_3]
        of_0, of_1, of_2, of_3 = weights[unit_0], weights[unit_1], weights[unit_2], weights[unit_3]
        for second in range(len(level)):
            level[second] += (
                start_0 * of_0[second] + start_1 * of_1[second] + start_2 * of_2[second] + start_3 * of_3[second]
            )
            rise[second] += (
                slope_0 * of_0[second] + slope_1 * of_1[second] + slope_2 * of_2[second] + slope_3 * of_3[second]
            )
    for at in range(n_fours, len(units)):
        start, slope, of_unit = starts[units[at]], slopes[units[at]], weights[units[at]]
        for second in range(len(level)):
            level[second] += start * of_unit[second]
            rise[second] += slope * of_unit[second]
