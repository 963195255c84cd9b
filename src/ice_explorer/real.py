"""Numbers that the user gives, as an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def real_numbers(given: object) -> NDArray[np.float64] | None:
    """Turn what was given into an array of float64; None where it does not hold such numbers.

    numpy would take dates for counts, leave out imaginary parts, and stop at whole numbers that are
    too large.
    """
    try:
        if np.asarray(given).dtype.kind in "cmM":
            return None
        return np.asarray(given, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        return None
