"""How large drafts are, so that there is a first picture soon and the result is not kept waiting."""

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

_SHORT: Final = 1.0  # seconds of a whole that needs no draft
_FIRST: Final = 0.35  # seconds that the first draft takes where that is in our hands
_SHARE: Final = 0.25  # of the time of the whole, that all drafts together take
_FEW_CELLS: Final = 2_000_000  # of curves that methods compute in less than a second
_LEAST_RATIO: Final = 5  # of the work of the whole to what drafts of any size take
_MOST_BESIDES: Final = 8  # times what a draft takes for its rows is what it takes at most, unless the model is called
_FEW_PHANTOMS: Final = 10_000
_QUICK: Final = 0.05  # of which a model that is called so quickly needs no draft
_FEW_ROWS: Final = 16  # of the smallest draft, or more than half as many
_FEWEST_VALUES: Final = 5
_FEWEST_WITHIN: Final = 10  # grid values within a budget, before rows are left out
_MOST_GROWTH_WITHIN: Final = 16
_LEAST_GROWTH_WITHIN: Final = 1.25
_MOST_GROWTH: Final = 8


def _go_on() -> None:
    """Nobody has questions."""


class Drafts:
    """Drafts of one model or several on the same rows, each about twice as large as the one before, or larger.

    The first one takes less than a second where that is possible: its size is chosen by counting predictions, and by
    the time of the first call of a model that has to be called for them. They end where all of them took a quarter of
    what the whole is estimated to take, and there is none where that is less than a second.

    - `drafters`: of each model; those of several models have the whole grid.
    """

    def __init__(self, drafters: Sequence[Drafter]) -> None:
        self._drafters = drafters
        self._is_called = any(drafter.is_called for drafter in drafters)
        self._timed: list[tuple[int, float]] = []  # predictions and seconds of each
        self._size: _Size = (-1, math.inf)  # which of the nested samples, and most grid values
        self._is_shown = False
        self._is_elsewhere = drafters[0].is_elsewhere
        self._n_besides = sum(drafter.cells_besides for drafter in drafters)
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
    def whole(self) -> float:
        """Seconds that the whole is estimated to take."""
        return self._seconds(self._n_cells)

    def next(self, between_blocks: BetweenBlocks) -> list[Draft] | None:
        """Compute the next draft by every model; None where there is none."""
        if not (self._timed or self._is_elsewhere) and self._n_cells < _LEAST_RATIO * self._n_besides:
            return None
        found = None
        while (size := self._following()) is not None and (not self._timed or self._pays(size)):
            found = self._take(size, between_blocks)
            if self._is_shown or self._spent >= _FIRST / 2:
                break  # else it was there so quickly that a larger one is the first to be shown
        if found is not None and (self._is_shown or self.whole >= _SHORT or self._is_elsewhere):
            self._is_shown = True
            return found
        return None

    def within(self, seconds: float) -> list[Draft] | None:
        """Compute the largest draft that fits into so many seconds, or a first one; None where the whole fits."""
        start = perf_counter()
        found = None
        left = seconds
        while not self._timed or self.whole > left:
            size = self._fitting(left) if self._timed and self._has_grids else self._following()
            if size is None or (self._timed and self._seconds(self._cells(size)) > left):
                return found
            found = self._take(size, _go_on)
            left = seconds - (perf_counter() - start)
        return None

    def _fitting(self, seconds: float) -> _Size | None:
        """Choose the largest size that fits into so many seconds; None where it would hardly be larger than the latest.

        It has as many rows as fit with 10 grid values, all where possible, and then as many values as fit. It is at
        most 16 times as large as the latest, whose time it is estimated from.
        """
        (drafter,) = self._drafters
        cells, latest = self._timed[-1]
        n_cells = min(_MOST_GROWTH_WITHIN * cells, cells + (seconds - latest) / self._slope)
        grids = range(_FEWEST_WITHIN, drafter.n_grid + 1)
        level = drafter.level_of(n_cells / drafter.cells(_FEWEST_WITHIN))
        n_fitting = bisect_right(grids, n_cells, key=lambda n_grid: drafter.cells(n_grid) * drafter.n_rows(level))
        size = level, float(grids[n_fitting - 1] if n_fitting else _FEWEST_WITHIN)
        return size if self._cells(size) > _LEAST_GROWTH_WITHIN * cells else None

    @property
    def _has_grids(self) -> bool:
        """Whether drafts may have fewer grid values: those of one model that is called."""
        return self._is_called and len(self._drafters) == 1

    def _pays(self, size: _Size) -> bool:
        """Whether another draft is worth its time."""
        return self._spent + self._seconds(self._cells(size)) <= _SHARE * self.whole

    def _take(self, size: _Size, between_blocks: BetweenBlocks) -> list[Draft]:
        start = perf_counter()
        found = [drafter.draft(*size, between_blocks) for drafter in self._drafters]
        self._timed.append((self._cells(size), perf_counter() - start))
        self._size = size
        return found

    @property
    def _least_slope(self) -> float:
        """Seconds that a prediction takes at least."""
        return sum(drafter.least_seconds_per_cell for drafter in self._drafters) / len(self._drafters)

    @property
    def _spent(self) -> float:
        return sum(seconds for _, seconds in self._timed)

    @property
    def _n_cells(self) -> int:
        """Cells of the whole."""
        return self.n_all * sum(drafter.cells() for drafter in self._drafters) + self._n_besides

    def _cells(self, size: _Size) -> int:
        """Cells of a draft: predictions, and as many as take as long as what it takes besides."""
        level, n_grid = size
        return sum(drafter.n_rows(level) * drafter.cells(n_grid) for drafter in self._drafters) + self._n_besides

    def _seconds(self, n_cells: float) -> float:
        """Estimate how long so many cells take: what does not depend on their number, and time for each."""
        if not self._timed:
            return n_cells * max(drafter.seconds_per_cell for drafter in self._drafters)
        cells, seconds = self._timed[-1]
        return seconds + self._slope * (n_cells - cells)

    @property
    def _slope(self) -> float:
        """Seconds that another cell takes, by the drafts so far."""
        cells, seconds = self._timed[-1]
        slope = seconds / cells
        if len(self._timed) > 1:
            of_all, in_all = np.transpose(self._timed)
            fitted = float(np.polyfit(of_all, in_all, 1)[0])
            slope = min(slope, max(fitted, self._least_slope, 0.0 if self._is_called else slope / _MOST_BESIDES))
        return slope

    def _following(self) -> _Size | None:
        """Choose the size of the next draft; None where that would be all rows, or is not needed."""
        if self._size == (self._drafters[0].top, math.inf):  # all rows that are here; others are on a cluster
            return None
        if self._timed:
            cells, seconds = self._timed[-1]
            wanted = 2 * cells
            while wanted < _MOST_GROWTH * cells and self._seconds(2 * wanted) <= max(_FIRST, 1.5 * seconds):
                wanted *= 2
        elif self._is_short or self._is_light:
            return None
        else:
            cells, wanted = 0, max(int(_FIRST / 2 / self._seconds(1)), 2 * self._n_besides)
        size = self._size_of(wanted)
        while self._cells(size) <= cells:
            wanted *= 2
            size = self._size_of(wanted)
        return size if self._drafters[0].n_rows(size[0]) < self.n_all else None

    @property
    def _is_short(self) -> bool:
        """Whether the whole certainly takes no second."""
        if self._is_elsewhere:
            return False
        if not self._is_called:
            return self._n_cells <= _FEW_CELLS
        is_quick = max(drafter.seconds_per_call for drafter in self._drafters) < _QUICK
        return self.whole < _SHORT or (is_quick and self._n_cells <= _FEW_PHANTOMS)

    @property
    def _is_light(self) -> bool:
        """Whether the smallest draft weighs too little for a standard deviation with ddof=1."""
        first = self._drafters[0]
        return first.weight(first.level_of(_FEW_ROWS)) <= 1

    def _size_of(self, n_cells: int) -> _Size:
        """Choose rows and grid values that make so many cells.

        Where they are few, grid values come before further rows: a coarse grid biases the metrics, which no standard
        error shows.
        """
        first = self._drafters[0]
        n_rows = (n_cells - self._n_besides) / sum(drafter.cells() for drafter in self._drafters)
        if len(self._drafters) > 1 or not self._is_called or n_rows >= _FEW_ROWS:
            return first.level_of(max(n_rows, _FEW_ROWS)), math.inf
        level = first.level_of(_FEW_ROWS)
        return level, max(_FEWEST_VALUES, n_cells // (first.n_features * first.n_rows(level)))
