"""Choose the sizes of drafts: an explorer shows them until the result is there, and `budget` ends with the largest."""

from __future__ import annotations

import math
from bisect import bisect_right
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.drafter import BetweenBlocks, Draft, Drafter

    _Size = tuple[int, float]

_SHORT: Final = 1.0  # seconds of a computation that needs no draft
_FIRST: Final = 0.2  # seconds that the first draft takes where that is possible
_SHARE: Final = 0.25  # of the time of the result, that all drafts of an explorer take together
_ENOUGH_ROWS: Final = 16  # before a draft gets more than the fewest grid values
_FEW_VALUES: Final = 5
_FEWEST_VALUES: Final = 3
_VALUES_WITHIN: Final = 10  # of a grid within a budget, before rows are left out
_MOST_GROWTH: Final = 16  # from one draft to the next, whose time is estimated from it
_LEAST_GROWTH: Final = 1.25  # that is worth another draft within a budget
_FIXED_SHARE: Final = 7 / 8  # of the time of a draft does not depend on its size, at most


def _go_on() -> None:
    """Explanations without an explorer answer no questions between blocks."""


class Drafts:
    """Drafts of one model or several on the same rows, each larger than the one before.

    The first one is chosen by the time that the model took for its first call. The time of later ones is estimated
    from those before, as a part that does not depend on the size and a part that is proportional to it.

    - `drafters`: of each model. If there are several, their curves are compared, so that no grid value is left out.
    """

    def __init__(self, drafters: Sequence[Drafter]) -> None:
        self._drafters = drafters
        self._has_fewer_values = len(drafters) == 1 and drafters[0].is_called
        self._has_all_rows = drafters[0].has_all_rows
        self._n_fixed = sum(drafter.fixed_cells for drafter in drafters)
        self._times: list[tuple[int, float]] = []  # cells and seconds of each draft
        self._size: _Size = (-1, math.inf)  # which of the nested samples, and most grid values
        self._is_shown = False
        self.n_all = drafters[0].n_all

    @property
    def n_rows(self) -> int:
        """Rows of the latest draft."""
        return self._drafters[0].n_rows(self._size[0])

    @property
    def n_grid(self) -> float:
        """Most grid values of the latest draft; infinite where it has all."""
        return self._size[1]

    @property
    def first_seconds(self) -> float:
        """Seconds that the first draft took."""
        return self._times[0][1]

    def next(self, between_blocks: BetweenBlocks) -> list[Draft] | None:
        """Compute the next draft by every model; None when drafts took their share of the time of the result."""
        if not self._times and self._has_all_rows and self._n_seconds(self._n_cells) < _SHORT:
            return None
        drafts = None
        while (size := self._choose_larger()) is not None and self._is_worth(size):
            drafts = self._compute(size, between_blocks)
            if self._is_shown or self._spent >= _FIRST / 2:
                break  # Otherwise it came so soon that a larger one is the first to be shown.
        is_needed = self._is_shown or not self._has_all_rows or self._n_seconds(self._n_cells) >= _SHORT
        if drafts is None or not is_needed:
            return None
        self._is_shown = True
        return drafts

    def within(self, seconds: float) -> list[Draft] | None:
        """Compute the largest draft that fits into a budget, or the smallest one; None if the result fits."""
        start, left = perf_counter(), seconds
        drafts = None
        while self._n_seconds(self._n_cells) > (left if self._times else min(left, _SHORT)):
            size = self._choose_fitting(left)
            if size is None:
                return drafts
            drafts = self._compute(size, _go_on)
            left = seconds - (perf_counter() - start)
        return None

    def _compute(self, size: _Size, between_blocks: BetweenBlocks) -> list[Draft]:
        start = perf_counter()
        drafts = [drafter.draft(*size, between_blocks) for drafter in self._drafters]
        self._times.append((self._count_cells(size), perf_counter() - start))
        self._size = size
        return drafts

    # --- times ------------------------------------------------------------------------------------

    @property
    def _n_cells(self) -> int:
        """Cells of the result."""
        return self.n_all * self._row_cells(math.inf) + self._n_fixed

    @property
    def _spent(self) -> float:
        """Seconds that all drafts took."""
        return sum(seconds for _, seconds in self._times)

    def _count_cells(self, size: _Size) -> int:
        return self._drafters[0].n_rows(size[0]) * self._row_cells(size[1]) + self._n_fixed

    def _row_cells(self, n_grid: float) -> int:
        return sum(drafter.row_cells(n_grid) for drafter in self._drafters)

    def _n_seconds(self, n_cells: float) -> float:
        """Estimate how long so many cells take, rather too long than too short."""
        if not self._times:
            return n_cells * max(drafter.seconds_per_cell for drafter in self._drafters)
        cells, seconds = self._times[-1]
        return seconds + self._slope * (n_cells - cells)

    @property
    def _slope(self) -> float:
        """Seconds that another cell takes, by the drafts so far."""
        cells, seconds = np.transpose(self._times)
        most = seconds[-1] / cells[-1]
        slope = np.polyfit(cells, seconds, 1)[0] if len(cells) > 1 else most
        return float(np.clip(slope, (1 - _FIXED_SHARE) * most, most))

    def _is_worth(self, size: _Size) -> bool:
        """Whether drafts including this one take at most their share of the time of the result."""
        is_first_on_cluster = not (self._times or self._has_all_rows)
        spent = self._spent + self._n_seconds(self._count_cells(size))
        return is_first_on_cluster or spent <= _SHARE * self._n_seconds(self._n_cells)

    # --- sizes ------------------------------------------------------------------------------------

    @property
    def _first_cells(self) -> float:
        """Cells of the first draft: at least those of one call of the model, whose time is known."""
        return max(_FIRST / self._n_seconds(1), *(drafter.fewest_cells for drafter in self._drafters))

    def _choose_larger(self) -> _Size | None:
        """Choose the next size for an explorer; None after all rows."""
        if self._size == (self._drafters[0].top, math.inf):
            return None
        cells, wanted = 0, self._first_cells
        if self._times:
            cells, seconds = self._times[-1]
            wanted = np.clip(cells + (_FIRST - seconds) / self._slope, 2 * cells, _MOST_GROWTH * cells)
        size = self._choose_size(wanted, math.inf)
        while self._count_cells(size) <= cells:
            wanted *= 2
            size = self._choose_size(wanted, math.inf)
        return size if self._drafters[0].n_rows(size[0]) < self.n_all else None

    def _choose_fitting(self, seconds: float) -> _Size | None:
        """Choose the largest size that fits into the seconds that are left; None if the latest is nearly as large.

        If that is much larger than the latest, a size between them shows first how long it takes.
        """
        if not self._times:
            return self._choose_size(self._first_cells, _VALUES_WITHIN)
        cells, latest = self._times[-1]
        wanted = cells + (seconds - latest) / self._slope
        if wanted > _MOST_GROWTH * cells:
            wanted = math.sqrt(cells * wanted)
        size = self._choose_size(wanted, _VALUES_WITHIN)
        n_cells = self._count_cells(size)
        return size if _LEAST_GROWTH * cells < n_cells <= wanted else None

    def _choose_size(self, n_cells: float, n_values: float) -> _Size:
        """Choose as many rows as fit with so many grid values, and as many grid values as then fit.

        If these rows are few, fewer grid values make room for more rows. A draft of the least size may not fit.
        """
        first, n_cells = self._drafters[0], n_cells - self._n_fixed
        n_rows = n_cells / self._row_cells(n_values)
        if not self._has_fewer_values:
            return first.find_level(max(n_rows, _ENOUGH_ROWS)), math.inf
        level = first.find_level(max(n_rows, min(_ENOUGH_ROWS, n_cells / self._row_cells(_FEW_VALUES))))
        grids = range(_FEWEST_VALUES, first.n_grid + 1)
        n_fitting = bisect_right(grids, n_cells / first.n_rows(level), key=self._row_cells)
        n_grid = grids[max(n_fitting - 1, 0)] if grids else math.inf
        return level, math.inf if n_grid == first.n_grid else n_grid
