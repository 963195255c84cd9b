"""Numbers that the user gives, as an array, and how large they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST: Final = 1e140  # of values, predictions and slopes: squares of them and sums of those are numbers, too


def n_masked(given: object) -> int:
    """Count the values under a mask of `numpy.ma`, also inside lists and tuples."""
    if isinstance(given, list | tuple):
        return sum(n_masked(part) for part in given if isinstance(part, list | tuple | np.ma.MaskedArray))
    return int(np.sum(given.mask)) if isinstance(given, np.ma.MaskedArray) else 0


def real_numbers(given: object) -> NDArray[np.float64] | None:
    """Turn what was given into an array of float64; None where it does not hold such numbers.

    numpy would take dates for counts, leave out imaginary parts and masks, and stop at whole numbers that are
    too large.
    """
    if n_masked(given):
        return None
    try:
        if np.asarray(given).dtype.kind in "cmM":
            return None
        return np.asarray(given, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        return None
