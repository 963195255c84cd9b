"""The ink of many lines, compiled: `raster` in NumPy is the reference, and both give the same sums, bit by bit.

Nothing is reordered or contracted here, and pieces come in the order in which NumPy adds them up.
"""

from __future__ import annotations

import math

from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def _swept_area(u, inner, bend):
    """Area of a trapezoid of height 1 between its centre and u."""
    right = u - inner
    right += abs(right)
    left = -u - inner
    left += abs(left)
    return u - bend * (right * right - left * left)


@njit(nogil=True, cache=True, error_model="numpy")
def _add_box(low, high, centre, density, color, ink, tinted):
    """Add a strip of even density to one column."""
    low, high = max(low, 0.0), min(high, ink.shape[0])
    if not low < high:
        return
    for row in range(int(low), min(int(high), ink.shape[0] - 1) + 1):
        added = density * ((min(row + 1.0, high) - centre) - (max(float(row), low) - centre))
        ink[row] += added
        tinted[row] += added * color


@njit(nogil=True, cache=True, error_model="numpy")
def _add_trapezoid(low, high, centre, density, shape, color, ink, tinted):
    """Add a strip that is swept along the rise of a line to one column."""
    inner, bend = shape
    low, high = max(low, 0.0), min(high, ink.shape[0])
    if not low < high:
        return
    before = _swept_area(max(float(int(low)), low) - centre, inner, bend)
    for row in range(int(low), min(int(high), ink.shape[0] - 1) + 1):
        until = _swept_area(min(row + 1.0, high) - centre, inner, bend)
        added = density * (until - before)
        ink[row] += added
        tinted[row] += added * color
        before = until


@njit(nogil=True, cache=True, error_model="numpy")
def add_ink(pieces, first, lines, thickness, limits, ink, tinted):
    """Add all lines to some columns of an image, from `first` on.

    `pieces` are the arrays of `lines._Pieces`. `lines` are y (n_points, n_lines) and opacity (n_segments, n_lines) as
    of a `LineSet`, the channel that the ink of each line goes to, and what it is multiplied by for `tinted`. `limits`
    are the slope from which a narrow segment is upright, and the rise below which a strip is a box. Added to are `ink`
    (n_columns, n_channels, height) and `tinted` (n_columns, height).
    """
    column, segment, middle, share_of_segment, run, upright_from, share = pieces
    by_point, by_segment, channel, color = lines
    upright_slope, level_rise = limits
    for piece in range(column.shape[0]):
        at = column[piece] - first
        starts, stops = by_point[segment[piece]], by_point[segment[piece] + 1]
        opacities = by_segment[segment[piece]]
        for line in range(by_point.shape[1]):
            opacity, start = float(opacities[line]), float(starts[line])
            signed = float(stops[line]) - start
            if not (opacity > 0 and math.isfinite(signed)):
                continue
            climb = abs(signed)
            top = start + signed if signed < 0 else start
            centre = start + signed * middle[piece]
            of_channel = ink[at, channel[line]]
            if climb > upright_from[piece]:
                if share[piece] > 0:
                    base = upright_from[piece] / upright_slope
                    low = top - thickness / 2
                    high = low + climb + thickness
                    length = math.sqrt(base * base + climb * climb)
                    density = opacity * share[piece] * thickness * length / (high - low)
                    _add_box(low, high, centre, density, color[line], of_channel, tinted[at])
                continue
            if not run[piece] > 0:
                continue
            rise = climb * share_of_segment[piece]
            strip = thickness / run[piece] * math.sqrt(run[piece] * run[piece] + rise * rise)
            if not (rise > level_rise or strip > 2 * thickness):
                low, high = centre - strip / 2, centre + strip / 2
                _add_box(low, high, centre, opacity * run[piece], color[line], of_channel, tinted[at])
                continue
            bottom = start if signed < 0 else start + signed
            ramp = min(strip, rise)
            outer = (strip + rise) / 2
            inner, bend = outer - ramp, 1 / (8 * ramp)
            low, high = max(centre - outer, top - thickness), min(centre + outer, bottom + thickness)
            kept = _swept_area(high - centre, inner, bend) - _swept_area(low - centre, inner, bend)
            density = opacity * run[piece] * (strip / kept)
            _add_trapezoid(low, high, centre, density, (inner, bend), color[line], of_channel, tinted[at])
