"""Rows whose curves lie far from those of all others, which a sample of the rows would hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Places

MOST: Final = 20
_FEWEST_ROWS: Final = 300  # so many are drawn in any picture
_FAR: Final = 5.0
_SOME: Final = 500  # rows that tell where the middle is
_LEAST_SHARE: Final = 0.01  # of the largest unit: of parallel curves the difference varies by rounding alone
_ROUNDING: Final = 1e-9


def find_outlying(ends: Sequence[Array]) -> Places:
    """Return the places of at most 20 rows that lie far from the others, in their order.

    How far a row lies is measured on three numbers: the lowest and the highest value of its curve, and their
    difference. It is the largest of their distances from the median, each in units of the range of the middle 90 % of
    the rows: the outlyingness of Stahel and Donoho along these three directions. Rows beyond 5 lie far.

    - `ends`: lowest and highest value of each curve, (n, 2) each, block by block.
    """
    if sum(len(block) for block in ends) <= _FEWEST_ROWS:
        return np.empty(0, np.intp)
    lowest, highest = np.concatenate(ends).T
    columns = np.stack([lowest, highest, highest - lowest])
    some = np.sort(columns[:, :: 1 + columns.shape[1] // _SOME], axis=1)
    low, middle, high = (some[:, int(share * (some.shape[1] - 1))] for share in (0.05, 0.5, 0.95))
    least = max(_LEAST_SHARE * (high - low).max(), _ROUNDING * np.abs(columns).max())
    unit = np.maximum(high - low, least)[:, None]
    from_middle = columns - middle[:, None]
    reach = np.maximum(from_middle.max(axis=1), -from_middle.min(axis=1))
    if (reach <= _FAR * unit[:, 0]).all():  # which takes less time than a distance of each row
        return np.empty(0, np.intp)
    distances = (np.abs(from_middle) / unit).max(axis=0)
    far = np.flatnonzero(distances > _FAR)
    return np.sort(far[np.argsort(-distances[far], kind="stable")[:MOST]])
