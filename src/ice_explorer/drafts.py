"""Samples first: all features on a sample of the rows, so that there is a first picture before the exact result.

The samples are nested, and the same for all features. A draft has scales, likelihoods and options of the result. An
explorer shows drafts until the result is there, and `budget` ends with the largest.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import compress
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.curves.method import sum_blocks
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.feature import feature_seed, nested_samples
from ice_explorer.locks import checkpoint
from ice_explorer.metrics.influence import Sampling, estimate_sampling
from ice_explorer.metrics.ordered import nearest_shares
from ice_explorer.results.intervals import make_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from threading import RLock

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.curves.method import CurveMethod, Sums
    from ice_explorer.tables.column import Name

    Draft = dict[Name, FeatureExplanation]
    Request = tuple[FeatureInput, Rows, Array]
    Computed = tuple[FeatureInput, Sums, Array | None, Array]
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

_CELLS_PER_SECOND: Final = 5e6  # of a method that does not call the model, at least
_FIXED_CELLS: Final = 2_000  # take as long as the part of a feature that does not depend on the number of rows
_ROWS_OF_ERRORS: Final = (16, 256)  # from which standard errors are estimated: 256 give them to 5 %
_MOST_WITH_ERRORS: Final = 500  # features of an explorer: for more, standard errors take as long as the draft
_CELLS_OF_ERRORS: Final = 3_000_000  # of the curves of all features together, for standard errors
_MOST_BYTES_OF_CALL: Final = 1 << 25  # of rows that share one call of the model: larger ones need new pages each time
_LARGE: Final = 1 << 18  # phantoms of a feature that are predicted block by block
_MOST_KEPT: Final = 1 << 26  # bytes of the curves of all features


class Drafts:
    """Drafts of one model or several on the same rows, each larger than the one before.

    The first one is chosen by the time that the model took for its first call. The time of later ones is estimated
    from those before, as a part that does not depend on the size and a part that is proportional to it.

    - `drafters`: of each model. If there are several, their curves are compared, so that no grid value is left out.
    - `n_rows`, `n_grid`: rows of the latest draft, and its most grid values, infinite where it has all.
    - `n_all`: rows of the result.
    - `first_seconds`: that the first draft took.
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
        self.n_rows, self.n_grid, self.first_seconds = 0, math.inf, math.nan

    def next(self) -> list[Draft] | None:
        """Compute the next draft by every model; None when drafts took their share of the time of the result."""
        drafts = None
        while self._is_needed and (size := self._choose_larger()) is not None:
            spent = sum(seconds for _, seconds in self._times)
            share = _SHARE if self._times or self._has_all_rows else math.inf  # rows on a cluster have a first one
            if spent + self._n_seconds(self._count_cells(size)) > share * self._n_seconds(self._n_cells):
                break
            drafts = self._compute(size)
            if self._is_shown or spent + self._times[-1][1] >= _FIRST / 2:
                break  # Otherwise it came so soon that a larger one is the first to be shown.
        if drafts is None or not self._is_needed:
            return None
        self._is_shown = True
        return drafts

    @property
    def _is_needed(self) -> bool:
        """Whether the result takes so long that a draft is worth a look, as far as times are known."""
        return self._is_shown or not self._has_all_rows or self._n_seconds(self._n_cells) >= _SHORT

    def within(self, seconds: float) -> list[Draft] | None:
        """Compute the largest draft that fits into a budget, or the smallest one; None if the result fits."""
        start, left = perf_counter(), seconds
        drafts = None
        while self._n_seconds(self._n_cells) > (left if self._times else min(left, _SHORT)):
            size = self._choose_fitting(left)
            if size is None:
                return drafts
            drafts = self._compute(size, are_errors_later=True)
            left = seconds - (perf_counter() - start)
        return None

    def _compute(self, size: _Size, *, are_errors_later: bool = False) -> list[Draft]:
        start = perf_counter()
        drafts = [drafter.draft(*size, are_errors_later=are_errors_later) for drafter in self._drafters]
        self._times.append((self._count_cells(size), perf_counter() - start))
        self._size, self.first_seconds = size, self._times[0][1]
        self.n_rows, self.n_grid = self._drafters[0].n_rows(size[0]), size[1]
        return drafts

    # --- times ------------------------------------------------------------------------------------

    @property
    def _n_cells(self) -> int:
        return self.n_all * self._row_cells(math.inf) + self._n_fixed

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
        cells, seconds = np.transpose(self._times)
        most = seconds[-1] / cells[-1]
        slope = np.polyfit(cells, seconds, 1)[0] if len(cells) > 1 else most
        return float(np.clip(slope, (1 - _FIXED_SHARE) * most, most))

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
        while self._count_cells(size := self._choose_size(wanted, math.inf)) <= cells:
            wanted *= 2
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


class Drafter:
    """Computes all features of one model on a sample of the rows.

    - `lock`: taken while the method is used.
    - `n_all`: rows of the result. `has_all_rows`: whether they are on this machine; if not, drafts do not tell how
      long the result takes.
    - `is_called`: whether the model is called for every phantom observation.
    - `top`: number of the largest of the nested samples, which has all rows on this machine. The smallest has number 0.
    - `n_grid`: grid values of the feature that has most.
    - `seconds_per_cell`: that a cell takes at most, before any draft is timed.
    - `fewest_cells`: of which fewer take about the same time.
    - `fixed_cells`: take as long as the part of a draft that does not depend on the number of rows.
    """

    def __init__(self, context: Context, method: CurveMethod, items: Sequence[FeatureInput], lock: RLock) -> None:
        self._context, self._method, self._items, self._lock = context, method, items, lock
        self._grid_sizes = {item.feature.position: item.grid.n_grid for item in items}
        self._sizes = np.array(list(self._grid_sizes.values()))
        self._samples: dict[int, list[Rows]] = {}
        self._n_largest = min(len(item.summed) for item in items)
        self.top = self._n_largest.bit_length() - 1
        self.has_all_rows = context.n_summed is None
        self.n_all = self._n_largest if context.n_summed is None else context.n_summed
        self.is_called = method.calls_model
        self.fixed_cells = 0 if self.is_called else _FIXED_CELLS * len(items)
        self.n_grid = int(self._sizes.max())
        self.fewest_cells = context.brute.n_per_call if self.is_called else 2 * self.fixed_cells
        check = context.prediction_check
        self.seconds_per_cell = check.seconds / len(check.predicted) if self.is_called else 1.0 / _CELLS_PER_SECOND

    def row_cells(self, n_grid: float) -> int:
        """Cells of a row of all features with so many grid values: predictions, or numbers that are computed."""
        if self.is_called:
            return int(np.minimum(self._sizes, n_grid).sum()) + 2 * sum(item.has_missing for item in self._items)
        return self._n_computed

    @cached_property
    def _n_computed(self) -> int:
        return sum(self._method.n_computed(item) for item in self._items)

    def n_rows(self, level: int) -> int:
        """Rows of one of the nested samples."""
        return self._n_largest >> (self.top - level)

    def find_level(self, n_rows: float) -> int:
        """Return which of the nested samples has at most so many rows, or the smallest that can be explained."""
        return max(self._lowest, sum(self.n_rows(level) <= n_rows for level in range(self.top + 1)) - 1)

    @cached_property
    def _lowest(self) -> int:
        """The smallest sample of two rows or more that weigh enough for a standard deviation with ddof=1."""
        weights = (self._context.row_weights[self._sample(self._items[0], level)] for level in range(self.top))
        return next((level for level, of_rows in enumerate(weights) if len(of_rows) > 1 < of_rows.sum()), self.top)

    def _sample(self, item: FeatureInput, level: int) -> Rows:
        key = id(item.summed)
        if key not in self._samples:
            generator = feature_seed(self._context.settings.random_state, "rows of drafts")
            self._samples[key] = nested_samples(item.summed, generator)
        return self._samples[key][level - self.top - 1]

    def draft(self, level: int, n_grid: float, *, are_errors_later: bool = False) -> Draft:
        """Compute all features on one of the nested samples.

        - `n_grid`: most grid values, where the model is called.
        - `are_errors_later`: whether standard errors are estimated when they are first needed; else there are none of
          many features.
        """
        items = [_select(item, self._sample(item, level), n_grid) for item in self._items]
        # Standard errors are estimated from so few rows that this takes little time.
        cells = sum(item.grid.n_grid ** (1 + item.feature.is_unordered) for item in items)
        n_rows = np.clip(_CELLS_OF_ERRORS // cells, *_ROWS_OF_ERRORS)
        level_of_errors = min(level, self.find_level(n_rows))
        samples = {item.feature.position: self._sample(item, level_of_errors) for item in self._items}
        compute = self._predict if self.is_called else self._compute
        draft: Draft = {}
        with self._lock:
            for item, sums, kept, curves in compute(items, samples):
                errors = partial(Sampling.without_errors, (len(item.summed), self.n_all))
                if are_errors_later or len(items) <= _MOST_WITH_ERRORS:
                    errors = partial(self._estimate_errors, item, sums, samples[item.feature.position], curves)
                sampling = errors if are_errors_later else errors()
                draft[item.feature.name] = FeatureExplanation(
                    self._context, self._method, item, sums, kept, sampling=sampling
                )
                checkpoint()
        return draft

    def _estimate_errors(self, item: FeatureInput, sums: Sums, rows: Rows, curves: Array) -> Sampling:
        """Estimate the standard errors of a feature from the curves of some of its rows.

        Where grid values are left out there are none, since the effect of that on the metrics is unknown.
        """
        counts = len(item.summed), self.n_all
        if item.grid.n_grid < self._grid_sizes[item.feature.position]:
            return Sampling.without_errors(counts)
        missing = item.missing_changes[rows] if item.has_missing else None
        block = make_block(item, rows, curves, self._context.row_weights[rows], missing)
        return estimate_sampling(sums, block, counts)

    # --- sums, kept curves, and curves for standard errors ----------------------------------------

    def _compute(self, items: Sequence[FeatureInput], samples: dict[int, Rows]) -> Iterator[Computed]:
        """Compute all features by a method that calls the model for missing values alone."""
        lacking = [
            (item, item.summed[np.isnan(item.missing_changes[item.summed])]) for item in items if item.has_missing
        ]
        requests = ((item, rows, _phantom_values(item, rows, has_grid=False)) for item, rows in lacking if len(rows))
        for item, rows, predicted in self._predict_together(requests):
            item.missing_changes[rows] = np.abs(predicted[:, 1] - predicted[:, 0])
            checkpoint()
        all_sums = self._method.sums(items, lambda *_: checkpoint())
        all_curves = self._method.curves_together(items, list(samples.values()))
        for item, sums, curves in zip(items, all_sums, all_curves, strict=True):
            yield item, sums, None, curves

    def _predict(self, items: Sequence[FeatureInput], samples: dict[int, Rows]) -> Iterator[Computed]:
        """Predict all features; those with few phantoms share calls of the model."""
        is_kept = sum(len(item.summed) * item.grid.n_grid for item in items) * 8 <= _MOST_KEPT

        def add_up(item: FeatureInput, blocks: Iterable[tuple[Rows, Array]]) -> tuple[Sums, Array]:
            chosen, is_chosen = [], np.zeros(len(item.feature.values), np.bool_)
            is_chosen[samples[item.feature.position]] = True

            def watch() -> Iterator[tuple[Rows, Array]]:
                for rows, curves in blocks:
                    chosen.append(curves[is_chosen[rows]])
                    yield rows, curves
                    checkpoint()

            sums = sum_blocks(watch(), self._context, item)
            return sums, np.concatenate(chosen)

        is_large = [len(item.summed) * item.n_predictions_per_row > _LARGE for item in items]
        for item in compress(items, is_large):
            sums, chosen = add_up(item, self._method.curves(item, item.summed))
            yield item, sums, None, chosen
        small = (item for item, large in zip(items, is_large, strict=True) if not large)
        requests = ((item, item.summed, _phantom_values(item, item.summed)) for item in small)
        for item, rows, predicted in self._predict_together(requests):
            curves = np.ascontiguousarray(predicted[:, : item.grid.n_grid])
            if item.has_missing:
                item.missing_changes[rows] = np.abs(predicted[:, -1] - predicted[:, -2])
            sums, chosen = add_up(item, [(rows, curves)])
            yield item, sums, curves if is_kept else None, chosen

    def _predict_together(self, requests: Iterable[Request]) -> Iterator[Request]:
        group: list[Request] = []
        n_phantoms = n_columns = 0
        for item, rows, values in requests:
            n_phantoms, n_columns = n_phantoms + values.size, n_columns + len(item.feature.positions)
            n_bytes = n_phantoms * max(8 * n_columns, self._context.table.row_bytes)
            if group and (n_phantoms > self._context.brute.n_per_call or n_bytes > _MOST_BYTES_OF_CALL):
                yield from self._call(group)
                group, n_phantoms, n_columns = [], values.size, len(item.feature.positions)
            group.append((item, rows, values))
        if group:
            yield from self._call(group)

    def _call(self, group: Sequence[Request]) -> Iterator[Request]:
        brute = self._context.brute
        if len(group) == 1:
            ((item, rows, values),) = group
            predictions = [brute.evaluate(item.feature, rows, values)]
        else:
            predictions = brute.evaluate_together(
                [(item.feature, item.feature.values, rows, values) for item, rows, values in group]
            )
        for (item, rows, _), predicted in zip(group, predictions, strict=True):
            yield item, rows, predicted


def _select(item: FeatureInput, rows: Rows, n_grid: float) -> FeatureInput:
    """Return the input of a feature with other rows, and at most so many grid values, the ends among them."""
    size = item.grid.n_grid
    if n_grid >= size:
        return replace(item, positions=rows, summed=rows)
    if item.feature.is_unordered:
        places = np.sort(np.argsort(-item.shares, kind="stable")[: int(n_grid)])  # the most frequent levels
        shares = item.shares[places]
    else:
        places = _even_places(size, int(n_grid))
        shares = nearest_shares(item.grid.values[places], item.grid.values, item.shares)
    distances = None if item.distances is None else item.distances[:, places]
    grid = replace(item.grid, values=item.grid.values[places])
    return replace(item, positions=rows, summed=rows, grid=grid, shares=shares, distances=distances)


@lru_cache
def _even_places(size: int, n_places: int) -> Places:
    return np.linspace(0, size - 1, n_places).round().astype(np.intp)  # more than 1 apart before rounding


def _phantom_values(item: FeatureInput, rows: Rows, *, has_grid: bool = True) -> Array:
    """Return what each row's feature is set to: the grid, and where values are missing its observed value and none."""
    lacking = [item.observed[rows, None], np.full((len(rows), 1), np.nan)] if item.has_missing else []
    return np.hstack([np.tile(item.grid.values, (len(rows), int(has_grid))), *lacking])
