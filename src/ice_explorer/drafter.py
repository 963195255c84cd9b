"""Drafts: all features on a sample of the rows, so that there is a first picture before the exact result.

The samples are nested, and the same for all features. A draft has scales, likelihoods and options of the result, and
its grid wherever `Drafts`, which chooses the sizes, has the time for it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.curves.method import BruteMethod
from ice_explorer.engines.sums import sum_blocks
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.grid import Grid, feature_seed
from ice_explorer.features.sampling import nested_samples
from ice_explorer.metrics.influence import Sampling, sampling_of
from ice_explorer.metrics.windows import nearest_shares
from ice_explorer.results.intervals import make_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import RLock

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Places
    from ice_explorer.curves.method import CurveMethod
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Sums
    from ice_explorer.tables.column import Name

    BetweenBlocks = Callable[[], object]
    Draft = dict[Name, FeatureExplanation]

_CELLS_PER_SECOND: Final = 5e6  # of a method that is not timed yet
_CELLS_BESIDES: Final = 2_000  # that take as long as what a feature takes with any number of rows
_MOST_ROWS_OF_ERRORS: Final = 256  # they give a standard error to 5 %
_FEWEST_ROWS_OF_ERRORS: Final = 16
_MOST_CELLS_OF_ERRORS: Final = 3_000_000  # of the curves of all features together
_MOST_CELLS_OF_CALL: Final = 4_000_000  # columns that move × phantoms, of one call of the model
_LARGE: Final = 1 << 18  # phantoms of a feature that are predicted block by block
_MOST_KEPT: Final = 1 << 26  # bytes of the curves of all features


class Drafter:
    """Computes all features of one model on a sample of the rows.

    - `context`, `method`, `items`: as planned.
    - `lock`: held while the method is used.
    """

    def __init__(self, context: Context, method: CurveMethod, items: Sequence[FeatureInput], lock: RLock) -> None:
        self._context = context
        self._method = method
        self._items = items
        self._lock = lock
        self._n_grid_of = {item.feature_number: item.grid.n_grid for item in items}
        self._samples: dict[int, list[NDArray[np.int64]]] = {}
        self._errors: tuple[tuple[int, float] | None, dict[int, Sampling]] = None, {}  # and what they rest on
        self._n_at_hand = min(len(item.summed) for item in items)
        self.n_all = self._n_at_hand if context.n_summed is None else context.n_summed

    @property
    def is_elsewhere(self) -> bool:
        """Whether the result comes from a cluster, so that drafts do not tell how long it takes."""
        return self._context.n_summed is not None

    @property
    def is_called(self) -> bool:
        """Whether the model is called for every phantom observation."""
        return isinstance(self._method, BruteMethod)

    @property
    def n_features(self) -> int:
        """Features of a draft."""
        return len(self._items)

    @property
    def seconds_per_call(self) -> float:
        """How long a call of the model took, of a few phantom observations."""
        return self._context.prediction_check.seconds

    @property
    def seconds_per_cell(self) -> float:
        """At most so long takes a prediction, before any draft is timed."""
        if not self.is_called:
            return 1.0 / _CELLS_PER_SECOND
        return self.seconds_per_call / len(self._context.prediction_check.predicted)

    @property
    def least_seconds_per_cell(self) -> float:
        """At least so long takes a prediction: the largest call of the model takes as long as the first."""
        return self.seconds_per_call / self._context.brute.phantoms_per_block if self.is_called else 0.0

    @property
    def n_grid(self) -> int:
        """Grid values of the feature that has most."""
        return max(item.grid.n_grid for item in self._items)

    def cells(self, n_grid: float = math.inf) -> int:
        """Predictions of one row of all features with so many grid values; of those computed, as many as take time."""
        if self.is_called:
            return int(sum(min(item.grid.n_grid, n_grid) + 2 * item.has_missing for item in self._items))
        return self._computed_cells

    @property
    def cells_besides(self) -> int:
        """Cells that take as long as what a draft takes with any number of rows; none where the model is called."""
        return 0 if self.is_called else _CELLS_BESIDES * len(self._items)

    @cached_property
    def _computed_cells(self) -> int:
        return sum(self._method.n_computed(item) for item in self._items)

    def weight(self, level: int) -> float:
        """Weight of one of the nested samples."""
        return float(self._context.row_weights[self._sample(self._items[0], level)].sum())

    def level_of(self, n_rows: float) -> int:
        """Return which of the nested samples has at most so many rows; the smallest is 0."""
        return max(0, sum(self._n_at_hand >> halvings <= n_rows for halvings in range(self.top + 1)) - 1)

    @property
    def top(self) -> int:
        """The largest of the nested samples: all rows that are at hand."""
        return self._n_at_hand.bit_length() - 1

    def n_rows(self, level: int) -> int:
        """Rows of one of the nested samples."""
        return self._n_at_hand >> self._halvings(level)

    def _halvings(self, level: int) -> int:
        return self.top - level

    def _sample(self, item: FeatureInput, level: int) -> NDArray[np.int64]:
        """Return one of the nested samples of the rows of a feature: the same of all where these are the same."""
        key = id(item.summed)
        if key not in self._samples:
            generator = feature_seed(self._context.settings.random_state, "rows of drafts")
            self._samples[key] = nested_samples(item.summed, generator)
        return self._samples[key][-1 - self._halvings(level)]

    def draft(self, level: int, n_grid: float, between_blocks: BetweenBlocks) -> Draft:
        """Compute all features on one of the nested samples.

        - `n_grid`: most grid values, where the model is called.
        - `between_blocks`: called now and then; what it raises ends the work.
        """
        items = [_on_sample(item, self._sample(item, level), n_grid) for item in self._items]
        of_errors = min(level, self.level_of(self._rows_of_errors(items)))
        some = {item.feature_number: self._sample(item, of_errors) for item in self._items}
        known_of, errors = self._errors
        is_known = known_of == (of_errors, n_grid)
        errors = {number: known.with_rows(self.n_rows(level)) for number, known in errors.items()} if is_known else {}
        parts: list[tuple[FeatureInput, Sums, Array | None]] = []
        made = self._predicted if self.is_called else self._computed
        with self._lock:
            for item, sums, curves, of_some in made(items, some, between_blocks):
                parts.append((item, sums, curves))
                if not is_known:
                    rows = some[item.feature_number]
                    errors[item.feature_number] = self._errors_of(item, sums, rows, of_some, self.n_rows(level))
                between_blocks()
        self._errors = (of_errors, n_grid), errors
        return {
            item.feature.name: FeatureExplanation(
                self._context, self._method, item, sums, curves, sampling=errors[item.feature_number]
            )
            for item, sums, curves in parts
        }

    # --- curves and sums --------------------------------------------------------------------------

    def _computed(
        self, items: Sequence[FeatureInput], some: dict[int, NDArray[np.int64]], between_blocks: BetweenBlocks
    ) -> Iterator[tuple[FeatureInput, Sums, Array | None, Array]]:
        """Compute sums and some curves of all features by a method that does not call the model for them."""
        lacking = [
            (item, item.summed[np.isnan(item.missing_changes[item.summed])]) for item in items if item.has_missing
        ]
        for group in self._groups([(item, rows, 2 * len(rows)) for item, rows in lacking if len(rows)]):
            asked = [
                (item, rows, np.column_stack([item.observed[rows], np.full(len(rows), np.nan)])) for item, rows in group
            ]
            for (item, rows, _), predicted in zip(asked, self._ask(asked), strict=True):
                item.missing_changes[rows] = np.abs(predicted[:, 1] - predicted[:, 0])
            between_blocks()
        all_sums = self._method.sums(items, lambda *_: between_blocks())
        for item, sums, curves in zip(
            items, all_sums, self._method.curves_together(items, list(some.values())), strict=True
        ):
            yield item, sums, None, curves

    def _predicted(
        self, items: Sequence[FeatureInput], some: dict[int, NDArray[np.int64]], between_blocks: BetweenBlocks
    ) -> Iterator[tuple[FeatureInput, Sums, Array | None, Array]]:
        """Predict the phantom observations of all features, of several ones in one call where there are few."""
        brute, weights = self._context.brute, self._context.row_weights
        are_kept = sum(len(item.summed) * item.grid.n_grid for item in items) * 8 <= _MOST_KEPT
        sized = [(item, item.summed, len(item.summed) * item.n_predictions_per_row) for item in items]
        for item, rows, _ in (each for each in sized if each[2] > _LARGE):
            sums = sum_blocks(_telling(self._method.curves(item, rows), between_blocks), brute, item, weights)
            of_some = [curves for _, curves in self._method.curves(item, some[item.feature_number])]
            yield item, sums, None, np.concatenate(of_some)
        for group in self._groups([each for each in sized if each[2] <= _LARGE]):
            asked = [(item, rows, _phantom_values(item, rows)) for item, rows in group]
            for (item, rows, _), predicted in zip(asked, self._ask(asked), strict=True):
                curves = np.ascontiguousarray(predicted[:, : item.grid.n_grid])
                if item.has_missing:
                    item.missing_changes[rows] = np.abs(predicted[:, -1] - predicted[:, -2])
                sums = sum_blocks([(rows, curves)], brute, item, weights)
                yield item, sums, curves if are_kept else None, curves[np.searchsorted(rows, some[item.feature_number])]
            between_blocks()

    def _groups(
        self, sized: Sequence[tuple[FeatureInput, NDArray[np.int64], int]]
    ) -> Iterator[list[tuple[FeatureInput, NDArray[np.int64]]]]:
        """Part features, with rows and the number of phantom observations, into calls of the model."""
        group: list[tuple[FeatureInput, NDArray[np.int64]]] = []
        n_phantoms = n_columns = 0
        for item, rows, size in sized:
            n_phantoms, n_columns = n_phantoms + size, n_columns + len(item.feature.positions)
            most = self._context.brute.n_per_call
            if group and (n_phantoms > most or n_phantoms * n_columns > _MOST_CELLS_OF_CALL):
                yield group
                group, n_phantoms, n_columns = [], size, len(item.feature.positions)
            group.append((item, rows))
        if group:
            yield group

    def _ask(self, asked: Sequence[tuple[FeatureInput, NDArray[np.int64], Array]]) -> list[Array]:
        brute = self._context.brute
        if len(asked) == 1:
            ((item, rows, values),) = asked
            return [brute.evaluate(item.feature, rows, values)]
        return brute.evaluate_together([(item.feature, item.feature.values, rows, new) for item, rows, new in asked])

    # --- standard errors --------------------------------------------------------------------------

    @staticmethod
    def _rows_of_errors(items: Sequence[FeatureInput]) -> int:
        """Rows from which standard errors are estimated, so that it takes little time."""
        cells = sum(item.grid.n_grid ** (1 + item.feature.is_unordered) for item in items)
        return int(np.clip(_MOST_CELLS_OF_ERRORS // cells, _FEWEST_ROWS_OF_ERRORS, _MOST_ROWS_OF_ERRORS))

    def _errors_of(
        self, item: FeatureInput, sums: Sums, rows: NDArray[np.int64], curves: Array, n_rows: int
    ) -> Sampling:
        """Estimate the standard errors of a feature from the curves of some rows.

        There are none where grid values were left out, whose effect on the figures is unknown.
        """
        counts, convention = (n_rows, self.n_all), self._context.settings.convention
        if item.grid.n_grid < self._n_grid_of[item.feature_number]:
            return Sampling.without_errors(counts, convention)
        missing = item.missing_changes[rows] if item.has_missing else None
        block = make_block(item, rows, curves, self._context.row_weights[rows], missing)
        return sampling_of(sums, block, counts, convention)


def _on_sample(item: FeatureInput, rows: NDArray[np.int64], n_grid: float) -> FeatureInput:
    """Return the input of a feature with other rows, and at most so many grid values, the ends among them."""
    size = item.grid.n_grid
    if n_grid >= size:
        return replace(item, positions=rows, summed=rows)
    if not item.feature.is_unordered:
        at = _spread(size, int(n_grid))
        shares = nearest_shares(item.grid.values[at], item.grid.values, item.shares)
    else:
        at = np.sort(np.argsort(-item.shares, kind="stable")[: int(n_grid)])  # the most frequent levels
        shares = item.shares[at]
    return replace(
        item,
        positions=rows,
        summed=rows,
        grid=Grid(item.grid.values[at], item.grid.n_distinct, item.grid.capped),
        shares=shares,
        distances=None if item.distances is None else item.distances[:, at],
    )


def _spread(size: int, n: int) -> Places:
    """Choose n of so many places, spread evenly, the ends among them."""
    return np.unique(np.linspace(0, size - 1, n).round().astype(np.intp))


def _phantom_values(item: FeatureInput, rows: NDArray[np.int64]) -> Array:
    """Return what each row's feature is set to: the grid, and where values are missing its own and none."""
    grid = np.broadcast_to(item.grid.values, (len(rows), item.grid.n_grid))
    if not item.has_missing:
        return grid
    return np.column_stack([grid, item.observed[rows], np.full(len(rows), np.nan)])


def _telling(blocks: Iterator[Any], between_blocks: BetweenBlocks) -> Iterator[Any]:
    for block in blocks:
        yield block
        between_blocks()
