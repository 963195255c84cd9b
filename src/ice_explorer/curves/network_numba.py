"""Margins of networks of one layer of rectified units, compiled.

`NetworkCurves` without it is the reference: a test holds the kernel to that.
"""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def rectified_margins(others, moved, weights, bias, margins):
    """Write bias + Σ_u weights[u] · max(others[row, u] + moved[at, u], 0).

    Parameters
    ----------
    others : float (n_rows, n_units)
        What the columns held fixed bring to the units of a row.
    moved : float (n_grid, n_units)
        What the moved ones bring.
    weights : float (n_margins, n_units)
    bias : float (n_margins,)
    margins : float (n_rows, n_grid, n_margins)
        Written.
    """
    n_units = others.shape[1]
    nothing = others.dtype.type(0.0)
    for row in range(others.shape[0]):
        own = others[row]
        for at in range(moved.shape[0]):
            shift = moved[at]
            for margin in range(weights.shape[0]):
                of_margin = weights[margin]
                total = nothing
                for unit in range(n_units):
                    total += of_margin[unit] * max(own[unit] + shift[unit], nothing)
                margins[row, at, margin] = total + bias[margin]
