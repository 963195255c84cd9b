"""Range of the slope axis: all slopes, or the bulk where few are steep. Twin of `js/src/plots/value_range.ts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import number_text

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Places


# The constants of value_range.ts, where they are explained.
_BULK: Final = 0.95
_WORTH_CUTTING: Final = 4
_LEAST_BULK: Final = 1e-5
_ONE_SLOPE: Final = 1e-3
_MOST_SLOPES: Final = 20_000


@dataclass(frozen=True)
class SlopeRange:
    """What the axis reaches over; whether it is cut to the bulk of the slopes, and lines that leave it on each side."""

    low: float
    high: float
    is_cut: bool = False
    above: int = 0
    below: int = 0


def slope_range(x: Array, values: Array, extent: tuple[float, float]) -> SlopeRange:
    """Choose what the axis of slopes reaches over.

    `x` has both ends of each interval, `values` (n_lines, 2 · n_intervals) each slope twice, and `extent` is the
    smallest and the largest of all that is drawn.
    """
    low, high = extent
    if high - low < _ONE_SLOPE * max(-low, high):
        return SlopeRange(min(0.0, low), max(0.0, high))
    bulk = _bulk_of(x, values)
    share = 0.0 if bulk is None else (bulk[1] - bulk[0]) / (high - low)
    if bulk is None or share > 1 / _WORTH_CUTTING or share < _LEAST_BULK:
        return SlopeRange(low, high)
    room = (bulk[1] - bulk[0]) / 2
    ends = max(low, bulk[0] - room), min(high, bulk[1] + room)
    leaving = (values > ends[1]).any(axis=1).sum(), (values < ends[0]).any(axis=1).sum()
    return SlopeRange(*ends, is_cut=True, above=int(leaving[0]), below=int(leaving[1]))


def _bulk_of(x: Array, values: Array) -> tuple[float, float] | None:
    """Return the narrowest interval from the lower to the upper tail of the slopes, 0 within it; None of a point."""
    n_lines, n_intervals = len(values), len(x) // 2
    every = max(1, -(-n_lines * n_intervals // _MOST_SLOPES))
    slopes = values[::every, ::2]
    finite = np.isfinite(slopes)
    lengths = np.broadcast_to(x[1::2] - x[::2], slopes.shape)[finite]
    slopes = slopes[finite]
    order = np.argsort(slopes, kind="stable")
    tail = (1 - _BULK) / 2 * float(lengths.sum())

    def reach(places: Places) -> float:
        beyond = np.flatnonzero(np.cumsum(lengths[places]) > tail)
        return float(slopes[places[beyond[0]]]) if beyond.size else 0.0

    low, high = min(0.0, reach(order)), max(0.0, reach(order[::-1]))
    return (low, high) if low < high else None


def leaving_text(found: SlopeRange, extent: tuple[float, float], n_lines: int) -> str | None:
    """Return the remark on curves beyond the axis, worded as in the browser; None if all curves fit."""
    if not found.is_cut:
        return None
    sides = [
        (count, side, f"({way} to {number_text(end)})")
        for count, side, way, end in (
            (found.above, "above", "up", extent[1]),
            (found.below, "below", "down", extent[0]),
        )
        if count > 0
    ]
    count, side, end = sides[0]
    verb = "extends" if count == 1 else "extend"
    first = f"{count:,} of {counted(n_lines, 'curve')} {verb} {side} the axis {end}"
    return ", ".join([first, *(f"{count:,} {side} {end}" for count, side, end in sides[1:])]) + "."
