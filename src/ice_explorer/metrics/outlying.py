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
_SOME: Final = 4096  # rows that tell where the middle is
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
    low, middle, high = np.quantile(columns[:, :: 1 + columns.shape[1] // _SOME], [0.05, 0.5, 0.95], axis=1)
    unit = high - low
    unit = np.maximum(unit, max(_LEAST_SHARE * unit.max(), _ROUNDING * np.abs(columns).max()))
    with np.errstate(invalid="ignore"):  # all predictions are 0
        distances = np.abs(columns - middle[:, None]) / unit[:, None]
    farthest = np.nan_to_num(distances).max(axis=0)
    far = np.flatnonzero(farthest > _FAR)
    return np.sort(far[np.argsort(-farthest[far], kind="stable")[:MOST]])
