"""Group rows that are equal in all columns except the varied ones: they share one curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_WORTH_IT = 0.95  # share of the rows that may be left for a search to have paid
_LARGEST_WHOLE = 2.0**53  # beyond it float64 does not tell whole numbers apart


class Repeats:
    """Finds rows that repeat each other.

    - `columns` (n_rows,) each: all columns of X: float64, or objects.
    """

    def __init__(self, columns: Sequence[NDArray[Any]]) -> None:
        self._codes = [_codes(column) for column in columns]
        self._keys = np.zeros(len(columns[0]), np.uint64)
        for position, codes in enumerate(self._codes):
            self._keys += _mixed(codes, position)

    def but_for(self, moving: Sequence[int], rows: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Group rows that differ in the moving columns at most.

        - returns `first` (n_groups,): where in `rows` one of each group stands.
        - returns `group` (n_rows,): the group of each row. Every row is a group of its own where few repeat another.
        """
        keys = self._keys[rows]
        for position in moving:
            keys = keys - _mixed(self._codes[position][rows], position)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        alone = np.arange(len(rows))
        if len(first) > _WORTH_IT * len(rows):
            return alone, alone
        found = rows[first][group]
        others = (codes for position, codes in enumerate(self._codes) if position not in moving)
        if all(np.array_equal(codes[rows], codes[found]) for codes in others):
            return first, group
        return alone, alone  # some keys are equal by chance


def tells_apart(column: NDArray[Any], *, is_whole: bool) -> bool:
    """Return whether what is equal here is equal in X: whole numbers beyond 2⁵³ need not be."""
    return not is_whole or not bool(np.any(np.abs(column) >= _LARGEST_WHOLE))


def _mixed(codes: NDArray[np.uint64], position: int) -> NDArray[np.uint64]:
    """What a column adds to the keys of rows: sums of it are hardly ever equal by chance (SplitMix64)."""
    mixed = codes + np.uint64((2 * position + 1) * 0x9E3779B97F4A7C15 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _codes(column: NDArray[Any]) -> NDArray[np.uint64]:
    """Turn values into numbers that are equal for equal values only: bits, or order of appearance."""
    if column.dtype != object:
        return np.ascontiguousarray(column, np.float64).view(np.uint64)
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault((type(value), value), len(seen)) for value in column.tolist()], np.uint64)
