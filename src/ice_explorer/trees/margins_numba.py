"""Compiled sums of the jumps of a sweep: curves of a hundred rows at a time, so that they stay in the cache.

Cells are set back to 0 when they are read, and are then ready for the next block of rows.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

ROWS_AT_A_TIME = 128
LINKS = {"identity": 0, "sigmoid": 1, "exp": 2}
"""Links that are compiled, and their numbers."""

_IDENTITY = 0
_SIGMOID = 1
_INVERSE_LOG_2 = 1.4426950408889634
_LOG_2_LEADING, _LOG_2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_TO_WHOLE = 6755399441055744.0  # added to a number, its last bits are the nearest whole number
_WHOLE_BITS = 0x4338000000000000
_TAYLOR = tuple(1.0 / math.factorial(degree) for degree in range(13, -1, -1))
_LOWEST_EXPONENT, _HIGHEST_EXPONENT = -708.0, 710.0  # beyond them the exponential is 0 and infinite


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract"})
def exponential(values, sign, scratch, results):
    """Write exp(sign · value), within 2 units of the last place, several at a time.

    With k the whole number nearest to x / log 2, exp(x) is 2ᵏ exp(x - k log 2): the power is put together from bits,
    the exponential of what is left, at most log(2)/2, is a short Taylor series.

    - `scratch`: as many numbers as values, and the same memory as int64.
    """
    power, bits = scratch
    for index in range(values.shape[0]):
        power[index] = min(max(sign * values[index], _LOWEST_EXPONENT), _HIGHEST_EXPONENT) * _INVERSE_LOG_2 + _TO_WHOLE
    for index in range(values.shape[0]):
        bits[index] = (bits[index] - _WHOLE_BITS + 1023) << 52
    for index in range(values.shape[0]):
        exponent = min(max(sign * values[index], _LOWEST_EXPONENT), _HIGHEST_EXPONENT)
        whole = (exponent * _INVERSE_LOG_2 + _TO_WHOLE) - _TO_WHOLE
        rest = (exponent - whole * _LOG_2_LEADING) - whole * _LOG_2_REST
        series = 0.0
        for coefficient in _TAYLOR:
            series = series * rest + coefficient
        finite = 0.0 if exponent == _LOWEST_EXPONENT else series * power[index]
        results[index] = finite if values[index] == values[index] else values[index]


@njit(nogil=True, cache=True, error_model="numpy")
def write_curves(jumps, base, start, first, link, curves):
    """Write the curves of some rows, and set their jumps back to 0.

    - `jumps` (width, n_rows), `base` (n_rows,): of one margin; float64.
    - `start`, `first`: the first cell of the feature, and the first row. The cell after those of all positions is not
      used.
    - `link`: one of `LINKS`.
    - `curves` (n_positions, at most `ROWS_AT_A_TIME`): written, of the rows from the first on.
    """
    n_positions, n_rows = curves.shape
    margins = base[first : first + n_rows].copy()
    outputs = np.empty(n_rows)
    power = np.empty(n_rows)
    scratch = power, power.view(np.int64)
    for position in range(n_positions):
        changes = jumps[start + position, first : first + n_rows]
        for row in range(n_rows):
            margins[row] += changes[row]
            changes[row] = 0.0
        if link == _IDENTITY:
            for row in range(n_rows):
                curves[position, row] = margins[row]
            continue
        exponential(margins, -1.0 if link == _SIGMOID else 1.0, scratch, outputs)
        for row in range(n_rows):
            curves[position, row] = 1.0 / (1.0 + outputs[row]) if link == _SIGMOID else outputs[row]
    jumps[start + n_positions, first : first + n_rows] = 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def sum_margins(jumps, base, start, margins):
    """Write all margins (n_margins, n_positions, n_rows) of one feature, and set its jumps back to 0."""
    for margin in range(margins.shape[0]):
        for first in range(0, margins.shape[2], ROWS_AT_A_TIME):
            rows = margins[margin, :, first : first + ROWS_AT_A_TIME]
            write_curves(jumps[margin], base[margin], start, first, _IDENTITY, rows)
