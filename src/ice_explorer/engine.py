"""Which engine computes the curves of a model, and how its curves become sums."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ice_explorer.curves.brute import place_of
from ice_explorer.decay import MOST_CELLS
from ice_explorer.errors import Cancelled, PredictionError
from ice_explorer.metrics import FeatureSums, interval_mass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.peel import Peeled
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.curves.closed_form import ClosedForm
    from ice_explorer.curves.tree import TreeCurves
    from ice_explorer.inputs import Context, FeatureInput
    from ice_explorer.space import Space

    Array = NDArray[np.float64]
    Report = Callable[[int, int, str], object]

_HAS_NUMBA = find_spec("numba") is not None
_ROWS_AT_A_TIME = 2048
_WORTH_COMPILING = 2_000_000  # predictions; numba takes longer to load than NumPy to add up fewer


class Engine(Protocol):
    """Turns a feature into curves, and into the sums that its metrics are made of."""

    name: str
    reason: str

    def curves(self, item: FeatureInput, positions: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Yield blocks of rows and their curves at every grid value."""

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> FeatureSums:
        """Sum all rows of a feature."""


def empty_sums(
    item: FeatureInput,
    weights: Array,
    active: NDArray[np.intp] | None = None,
    *,
    compiled: bool,
    most_cells: int | None = None,
) -> FeatureSums:
    """Make the sums of a feature, nothing added yet."""
    held = np.flatnonzero((weights > 0) & ~np.isnan(item.column.values))
    grid, rows = item.grid.values, rows_of(item, weights, item.summed)
    mass = _interval_mass(grid, item.own[held], weights[held], compiled=compiled)
    return FeatureSums(grid, item.scale, mass, rows, active, compiled=compiled, most_cells=most_cells)


def _interval_mass(grid: Array, observed: Array, weights: Array, *, compiled: bool) -> Array:
    """Share of the observations in each interval, by the compiled kernel where that is loaded."""
    if compiled:
        from ice_explorer import metrics_numba

        return metrics_numba.interval_mass(grid, observed, weights)
    return interval_mass(grid, observed, weights)


def rows_of(item: FeatureInput, weights: Array, rows: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Own values, likelihood scales and weights of rows."""
    return item.own[rows], item.likelihood_scale[rows], weights[rows]


def missing_change(brute: BruteCurves, item: FeatureInput, rows: NDArray[np.int64]) -> Array | None:
    """How far the prediction of each row moves when the value goes missing; None where none is."""
    if not item.has_missing:
        return None
    values = np.column_stack([item.own[rows], np.full(len(rows), np.nan)])
    predictions = brute.evaluate(item.column.name, item.at_issue, rows, values)
    return np.abs(predictions[:, 1] - predictions[:, 0])


def _stop_if(cancelled: Callable[[], bool] | None, label: str) -> None:
    if cancelled is not None and cancelled():
        msg = f"Explaining {label!r} was cancelled."
        raise Cancelled(msg)


def _finite(item: FeatureInput, rows: NDArray[np.int64], predictions: Array, values: Array) -> Array:
    """Return predictions (n_rows, n_values), or name the first that is no number."""
    if not np.isfinite(predictions).all():
        row, column = np.argwhere(~np.isfinite(predictions))[0]
        where = place_of(float(values[column]), int(rows[row]))
        raise PredictionError.not_finite(item.column.name, where, float(predictions[row, column]))
    return predictions


def _add(
    sums: FeatureSums, stretches: Array, rows: tuple[Array, Array, Array], change: Array | None, *, compiled: bool
) -> None:
    """Add a block, by the compiled kernel where that is worth loading."""
    if compiled:
        from ice_explorer import metrics_numba

        metrics_numba.add(sums, np.ascontiguousarray(stretches), rows, change)
    else:
        sums.add(stretches, rows, change)


class _FeatureByFeature:
    """Sums one feature at a time from its curves at every grid value."""

    def __init__(self, context: Context, n_jobs: int) -> None:
        self._brute = context.brute
        self._weights = context.row_weights
        self._n_jobs = n_jobs

    def _block_size(self, item: FeatureInput) -> int:
        """Rows whose curves are held at a time."""
        raise NotImplementedError

    def _curves(self, item: FeatureInput, rows: NDArray[np.int64]) -> Array:
        """Curves of some rows at every grid value, (n_rows, n_grid)."""
        raise NotImplementedError

    def curves(self, item: FeatureInput, positions: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Yield blocks of rows and their curves at every grid value."""
        for rows in _in_blocks(positions, self._block_size(item)):
            yield rows, self._curves(item, rows)

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> FeatureSums:
        """Sum all rows of a feature."""
        total = len(item.summed) * item.n_predictions_per_row
        compiled = _HAS_NUMBA and total > _WORTH_COMPILING
        sums = empty_sums(item, self._weights, compiled=compiled)

        def compute(rows: NDArray[np.int64]) -> tuple[Array, Array | None]:
            return self._curves(item, rows), missing_change(self._brute, item, rows)

        blocks = _in_blocks(item.summed, self._block_size(item))
        for rows, (curves, change) in _in_order(compute, blocks, self._n_jobs):
            _stop_if(cancelled, item.column.label)
            _add(sums, curves, rows_of(item, self._weights, rows), change, compiled=compiled)
            if report is not None:
                report(len(rows) * item.n_predictions_per_row, total, item.column.label)
        sums.finish()
        return sums


def _in_blocks(positions: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    return [positions[start : start + size] for start in range(0, len(positions), size)]


def _in_order(
    compute: Callable[[NDArray[np.int64]], Any], blocks: Sequence[NDArray[np.int64]], n_jobs: int
) -> Iterator[tuple[NDArray[np.int64], Any]]:
    """Compute blocks in threads and yield them in their order, so that sums do not depend on threads."""
    if n_jobs == 1 or len(blocks) == 1:
        for rows in blocks:
            yield rows, compute(rows)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        for start in range(0, len(blocks), n_jobs):
            window = blocks[start : start + n_jobs]
            yield from zip(window, pool.map(compute, window), strict=True)


class BruteEngine(_FeatureByFeature):
    """Asks the model for every phantom."""

    name = "brute"

    def __init__(self, context: Context, n_jobs: int, reason: str) -> None:
        super().__init__(context, n_jobs)
        self.reason = reason

    def _block_size(self, item: FeatureInput) -> int:
        return self._brute.rows_per_block(item.grid.n_grid)

    def _curves(self, item: FeatureInput, rows: NDArray[np.int64]) -> Array:
        values = np.broadcast_to(item.grid.values, (len(rows), item.grid.n_grid))
        return self._brute.evaluate(item.column.name, item.at_issue, rows, values)


class ClosedFormEngine(_FeatureByFeature):
    """Writes the curves down: linear models and sums of radial kernels."""

    def __init__(
        self, name: str, closed_form: ClosedForm, space: Space, context: Context, *, n_jobs: int, reason: str
    ) -> None:
        super().__init__(context, n_jobs)
        self.name = name
        self.reason = reason
        self._closed_form = closed_form
        self._space = space
        self._memory_limit = context.settings.memory_limit

    def _block_size(self, item: FeatureInput) -> int:
        row_bytes = self._closed_form.row_bytes * (item.grid.n_grid + 1) + 160 * item.grid.n_grid
        return int(max(1, min(_ROWS_AT_A_TIME, self._memory_limit // row_bytes)))

    def _curves(self, item: FeatureInput, rows: NDArray[np.int64]) -> Array:
        places, grid = self._space.places[item.at_issue], self._space.grids[item.at_issue]
        curves = self._space.peeled.output(self._closed_form.curves(places, grid, rows))
        return _finite(item, rows, curves, item.grid.values)


class TreeEngine:
    """Sweeps all features at once, so that the first feature asked for brings the others along."""

    name = "tree"

    def __init__(
        self,
        trees: TreeCurves,
        peeled: Peeled,
        context: Context,
        items: Sequence[FeatureInput],
        *,
        n_jobs: int,
        reason: str,
    ) -> None:
        self._trees = trees
        self._peeled = peeled
        self._brute = context.brute
        self._items = items
        self._weights = context.row_weights
        self._memory_limit = context.settings.memory_limit
        self._n_jobs = n_jobs
        self._sums: dict[int, FeatureSums] = {}
        self.reason = reason

    def curves(self, item: FeatureInput, positions: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Yield blocks of rows and their curves at every grid value."""
        of_rows = self._trees.curves_of(item.at_issue)
        at_grid = np.searchsorted(self._trees.active[item.at_issue], np.arange(item.grid.n_grid))
        for rows in self._blocks(positions):
            yield rows, _finite(item, rows, self._peeled.output(of_rows(rows)[:, at_grid]), item.grid.values)

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> FeatureSums:
        """Sum all rows of a feature, and of all others with it where they have the same rows."""
        if item.at_issue not in self._sums:
            together = [other for other in self._items if other.summed is item.summed]
            self._sweep(together, report, cancelled)
        return self._sums[item.at_issue]

    def _blocks(self, positions: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        # Boundaries do not depend on the number of threads, so that sums do not either.
        return _in_blocks(positions, self._trees.rows_per_block(self._memory_limit // 2))

    def _sweep(
        self, items: Sequence[FeatureInput], report: Report | None, cancelled: Callable[[], bool] | None
    ) -> None:
        # All features are summed side by side: together they keep a quarter of the limit at most.
        most_cells = min(MOST_CELLS, self._memory_limit // (32 * len(items)))
        active = self._trees.active
        sums = {
            item.at_issue: empty_sums(
                item, self._weights, active[item.at_issue], compiled=_HAS_NUMBA, most_cells=most_cells
            )
            for item in items
        }
        # Where each stretch begins: what a prediction that is no number is named by.
        values = {item.at_issue: item.grid.values[np.append(0, active[item.at_issue] + 1)] for item in items}
        blocks = self._blocks(self._trees.alike(items[0].summed))
        total = sum(len(item.summed) * item.n_predictions_per_row for item in items)
        label = items[0].column.label if len(items) == 1 else f"{len(items)} features"

        def add(item: FeatureInput, rows: NDArray[np.int64], stretches: Array) -> None:
            change = missing_change(self._brute, item, rows)
            _add(
                sums[item.at_issue],
                _finite(item, rows, self._peeled.output(stretches), values[item.at_issue]),
                rows_of(item, self._weights, rows),
                change,
                compiled=_HAS_NUMBA,
            )

        def done(rows: NDArray[np.int64]) -> None:
            if report is not None:
                report(sum(len(rows) * item.n_predictions_per_row for item in items), total, label)
            _stop_if(cancelled, label)

        swept = self._trees.stretches if len(items) == len(self._items) else self._alone(items[0])
        with ThreadPoolExecutor(self._n_jobs) as pool:
            for rows, stretches in _in_order(swept, blocks, self._n_jobs):
                # Features are added side by side, each in the order of the blocks.
                add_all = [(item, rows, stretches[item.at_issue]) for item in items]
                if self._n_jobs == 1:
                    for arguments in add_all:
                        add(*arguments)
                else:
                    list(pool.map(lambda arguments: add(*arguments), add_all))
                done(rows)
        for of_feature in sums.values():
            of_feature.finish()
        self._sums.update(sums)

    def _alone(self, item: FeatureInput) -> Callable[[NDArray[np.int64]], dict[int, Any]]:
        of_rows = self._trees.curves_of(item.at_issue)
        return lambda rows: {item.at_issue: of_rows(rows)}
