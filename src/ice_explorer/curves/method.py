"""Methods: compute the curves of a model, and add them to the sums that metrics are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.curves.brute import check_fits, fits
from ice_explorer.curves.threads import Workers
from ice_explorer.engines.sums import (
    add_block,
    check_changes,
    empty_sums,
    is_worth_compiling,
    missing_change,
    rows_of,
)
from ice_explorer.errors import Cancelled, PredictionError
from ice_explorer.locks import new_lock
from ice_explorer.metrics.ordered import MOST_CELLS
from ice_explorer.metrics.unordered import CategorySums
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ice_explorer.curves.kernel import KernelCurves
    from ice_explorer.curves.linear import LinearCurves
    from ice_explorer.curves.model_matrix import ModelMatrix
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Sums
    from ice_explorer.models.pipeline import Peeled
    from ice_explorer.trees.curves import Jumps, ToFold, TreeCurves

    Array = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Report = Callable[[int, int, str], object]
    Made = Callable[[int], object]
    Places = NDArray[np.intp] | slice

_EVERYWHERE = slice(None)
_ROWS_AT_A_TIME = 2048
_PARALLEL_AT_A_TIME = 1 << 16
_FEATURES_AT_A_TIME = 100  # that are prepared, or finished, between two looks at questions and cancels
_FEW_VALUES = 20  # of a grid, of which a row's observed value is one
_MOST_KEPT = 1 << 26  # bytes of all curves of a model that are kept for bootstrap draws, unless all are to be kept


class Method(Protocol):
    """Turns a feature into curves, and into the sums that its metrics are made of."""

    name: str
    reason: str
    notes: tuple[str, ...]
    """What computing showed of the model."""

    kept: dict[int, Array]
    """Curves of the rows of the metrics by number of the feature, where they are kept."""

    has_copied_model: bool
    """Whether curves are those of the model as it was planned for, whatever becomes of it."""

    calls_model: bool
    """Whether curves are predictions, of which each takes its time."""

    def curves(self, item: FeatureInput, positions: Rows, at: Places = _EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature."""

    def sums_anew(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum features over other rows than those planned, and keep nothing of it."""

    def active(self, item: FeatureInput) -> NDArray[np.intp]:
        """Intervals of the grid in which curves can change."""

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes."""

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[Rows]) -> Iterator[Array]:
        """Yield curves of some rows of each feature, on the stretches between active intervals."""


def _stop_if(cancelled: Callable[[], bool] | None, label: str) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled(f"Explaining {label!r} was cancelled.")


def _finite(item: FeatureInput, rows: Rows, predictions: Array, values: Array, response: str) -> Array:
    """Return predictions (n_rows, n_values), or name the first that is no number, or too large a one."""
    check_fits(item.feature, rows, np.broadcast_to(values, predictions.shape), predictions, response)
    return predictions


def _in_blocks(positions: Rows, size: int) -> list[Rows]:
    return [positions[start : start + size] for start in range(0, len(positions), size)]


@dataclass
class _Begun:
    """A feature of which some blocks are summed: what fails or is cancelled for a while continues with the next."""

    sums: Sums
    kept: Array | None
    n_blocks: int = 0
    n_rows: int = 0


class _ByFeature:
    """Sums one feature at a time from its curves at every grid value."""

    notes: tuple[str, ...] = ()
    has_copied_model = False
    calls_model = False

    def __init__(self, context: Context, items: Iterable[FeatureInput], n_jobs: int) -> None:
        self._compiled = is_worth_compiling(items)
        self._brute = context.brute
        self._weights = context.row_weights
        self._n_jobs = n_jobs
        self._keeps_curves = context.settings.keep_curves
        self._begun: dict[FeatureInput, _Begun] = {}
        self.kept: dict[int, Array] = {}

    def _block_size(self, item: FeatureInput) -> int:
        """Rows whose curves are held at a time."""
        raise NotImplementedError

    def _curves(self, item: FeatureInput, rows: Rows, made: Made | None = None, at: Places = _EVERYWHERE) -> Array:
        """Curves of some rows, (n_rows, n_places); `made` counts predictions as they are made."""
        raise NotImplementedError

    def _parallel(self, item: FeatureInput, rows: Rows) -> tuple[Array, Array] | None:  # noqa: ARG002
        """Curves of some rows as a step (n_grid,) and offsets (n_rows,), where they are known to be parallel."""
        return None

    def curves(self, item: FeatureInput, positions: Rows, at: Places = _EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        for rows in _in_blocks(positions, self._block_size(item)):
            yield rows, self._curves(item, rows, at=at)

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature, except those that were summed before the model failed or the user cancelled."""
        total, label = len(item.summed) * item.n_predictions_per_row, item.feature.label
        are_parallel = self._parallel(item, item.summed[:1]) is not None
        begun = self._begun.pop(item, None)
        if begun is None:
            kept = np.empty((len(item.summed), item.grid.n_grid)) if self._keeps_curves else None
            begun = _Begun(empty_sums(item, self._weights, compiled=self._compiled), kept)
        n_made = 0  # predictions of this block that are reported

        def made(n_predictions: int) -> None:
            nonlocal n_made
            n_made += n_predictions
            if report is not None and n_predictions > 0:
                report(n_predictions, total, label)
            _stop_if(cancelled, label)

        def compute(rows: Rows) -> tuple[tuple[Array, Array] | Array, Array | None]:
            parallel = self._parallel(item, rows) if are_parallel else None
            curves = self._curves(item, rows, made) if parallel is None else parallel
            return curves, missing_change(self._brute, item, rows)

        blocks = _in_blocks(item.summed, _PARALLEL_AT_A_TIME if are_parallel else self._block_size(item))
        try:
            with Workers(self._n_jobs if len(blocks) > 1 else 1) as workers:
                for rows, (curves, change) in workers.ahead(compute, blocks[begun.n_blocks :], self._n_jobs - 1):
                    if begun.kept is not None:
                        of_block = curves[1][:, None] + curves[0] if isinstance(curves, tuple) else curves
                        begun.kept[begun.n_rows : begun.n_rows + len(rows)] = of_block
                    add_block(begun.sums, curves, item, (rows, self._weights, change))
                    begun.n_blocks += 1
                    begun.n_rows += len(rows)
                    # A block may take fewer predictions than it has phantoms.
                    made(len(rows) * item.n_predictions_per_row - n_made)
                    n_made = 0
        except (Cancelled, PredictionError) as error:
            if isinstance(error, Cancelled) or error.is_passing:
                self._begun[item] = begun
            raise
        begun.sums.finish()
        if begun.kept is not None:
            self.kept[item.at_issue] = begun.kept
        return begun.sums

    def sums_anew(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum features over other rows than those planned, and keep nothing of it."""
        results = []
        for item in items:
            try:
                results.append(self.sums(item, report, None))
            finally:
                self._begun.pop(item, None)
                self.kept.pop(item.at_issue, None)
        return results

    def active(self, item: FeatureInput) -> NDArray[np.intp]:
        """Intervals of the grid in which curves can change: all."""
        return np.arange(item.grid.n_grid - 1)

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes: an offset where curves are parallel."""
        return item.grid.n_grid if self._parallel(item, item.summed[:1]) is None else 1

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[Rows]) -> Iterator[Array]:
        """Yield curves of some rows of each feature."""
        for item, of_item in zip(items, rows, strict=True):
            yield self._curves(item, of_item)


class Brute(_ByFeature):
    """Predicts every phantom observation.

    A phantom with the observed value is the row itself, whose prediction other features have a use for, too.
    """

    name = "brute"
    calls_model = True

    def __init__(self, context: Context, items: Sequence[FeatureInput], n_jobs: int, reason: str) -> None:
        super().__init__(context, items, 1)  # calls of the model run side by side, not blocks of rows
        self.reason = reason
        n_kept = sum(len(item.summed) * item.grid.n_grid for item in items)
        self._keeps_curves |= n_kept * 8 <= min(_MOST_KEPT, context.bytes_for_blocks // 8)
        self._jobs = n_jobs
        shared = {item.at_issue for item in items if context.settings.sample is None and _has_observed_values(item)}
        # One feature alone would pay for the rows what it saves.
        self._sharing_rows = shared if len(shared) > 1 else set()
        self._of_rows = np.full(context.table.n_observations, np.nan)
        self._witness = context.witness
        self._is_checked = False

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature; after the first one, a few rows are predicted again."""
        sums = super().sums(item, report, cancelled)
        if not self._is_checked:
            note = self._witness.dependence_note((sums.lowest, sums.highest))
            self.notes, self._is_checked = (note,) if note else (), True
        return sums

    def curves(self, item: FeatureInput, positions: Rows, at: Places = _EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places: a call of the model each."""
        start = 0
        while start < len(positions):
            rows = positions[start : start + self._brute.rows_per_call(item.grid.n_grid)]
            yield rows, self._curves(item, rows, at=at)
            start += len(rows)

    def _block_size(self, item: FeatureInput) -> int:
        return self._brute.rows_per_block(item.grid.n_grid)

    def _curves(self, item: FeatureInput, rows: Rows, made: Made | None = None, at: Places = _EVERYWHERE) -> Array:
        grid = item.grid.values[at]
        if item.at_issue not in self._sharing_rows:
            return self._predict(item, rows, np.broadcast_to(grid, (len(rows), len(grid))), made)
        observed = item.feature.values[rows]
        place = np.searchsorted(grid, observed)  # missing values come after the last
        matches = np.flatnonzero(np.append(grid, np.nan)[place] == observed)
        new = rows[matches][np.isnan(self._of_rows[rows[matches]])]
        if len(new):
            self._of_rows[new] = self._predict(item, new, item.feature.values[new][:, None], made)[:, 0]
        curves = np.full((len(rows), len(grid)), np.nan)
        curves[matches, place[matches]] = self._of_rows[rows[matches]]
        row, column = np.nonzero(np.isnan(curves))
        curves[row, column] = self._predict(item, rows[row], grid[column][:, None], made)[:, 0]
        return curves

    def _predict(self, item: FeatureInput, rows: Rows, values: Array, made: Made | None) -> Array:
        return self._brute.evaluate(item.feature, rows, values, self._jobs, made)


def _has_observed_values(item: FeatureInput) -> bool:
    """Whether a fair share of the phantoms of a feature are rows of X to the bit."""
    if item.grid.n_grid > _FEW_VALUES:
        return False
    values, grid = item.feature.values, item.grid.values
    # Other values may need another dtype than that of X, which a model may not take for the same.
    return bool(np.isin(grid, values).all()) and not bool(np.any(np.signbit(values[values == 0.0])))


class ClosedForm(_ByFeature):
    """Computes curves from the formula of a model: linear models and sums of RBF kernels."""

    def __init__(
        self,
        formula: LinearCurves | KernelCurves,
        matrix: ModelMatrix,
        peeled: Peeled,
        context: Context,
        items: Sequence[FeatureInput],
        *,
        n_jobs: int,
        name: str,
        reason: str,
    ) -> None:
        super().__init__(context, items, n_jobs)
        self.name = name
        self.reason = reason
        self._formula = formula
        self._places, self._grids = matrix.places, matrix.grids
        self._peeled = peeled
        self._memory_limit = context.bytes_for_blocks

    def _block_size(self, item: FeatureInput) -> int:
        row_bytes = self._formula.row_bytes(item.grid.n_grid) + 160 * item.grid.n_grid
        return int(max(1, min(_ROWS_AT_A_TIME, self._memory_limit // row_bytes)))

    def _parallel(self, item: FeatureInput, rows: Rows) -> tuple[Array, Array] | None:
        if self._peeled.restore is not None:
            return None
        parallel = self._formula.parallel(self._places[item.at_issue], self._grids[item.at_issue], rows)
        # What is no number is named by the curves.
        return parallel if parallel is not None and all(fits(part).all() for part in parallel) else None

    def _curves(
        self,
        item: FeatureInput,
        rows: Rows,
        made: Made | None = None,  # noqa: ARG002
        at: Places = _EVERYWHERE,
    ) -> Array:
        places, grid = self._places[item.at_issue], self._grids[item.at_issue][at]
        curves = self._peeled.output(self._formula.curves(places, grid, rows))
        return _finite(item, rows, curves, item.grid.values[at], self._brute.response)


class Trees:
    """Sweeps all features at once, so that the first feature asked for brings the others along.

    - `make_trees`: ranks trees, rows and grids; called once, when curves are first asked for: of thousands of columns
      it takes as long as all that is checked before.
    """

    name = "tree"
    notes: tuple[str, ...] = ()
    has_copied_model = True
    calls_model = False

    def __init__(
        self,
        make_trees: Callable[[], TreeCurves],
        peeled: Peeled,
        context: Context,
        items: Sequence[FeatureInput],
        *,
        n_jobs: int,
        reason: str,
    ) -> None:
        self._make_trees: Callable[[], TreeCurves] | None = make_trees
        self._lock = new_lock()
        self._peeled = peeled
        self._brute = context.brute
        self._items = items
        self._weights = context.row_weights
        self._memory_limit = context.bytes_for_blocks
        self._n_jobs = n_jobs
        self._sums: dict[int, Sums] = {}
        self.kept: dict[int, Array] = {}  # the model is not called for curves
        self.reason = reason

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Predict rows of X in place of the model, which is not in a pickle."""
        vars(self).update(state)
        self._brute.observed = self.observed

    @property
    def _trees(self) -> TreeCurves:
        with self._lock:
            if self._make_trees is not None:
                self._made = self._make_trees()
                self._make_trees = None  # and with it the trees as they were read
            return self._made

    def curves(self, item: FeatureInput, positions: Rows, at: Places = _EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        of_rows = self._trees.curves_of(item.at_issue)
        stretches = np.searchsorted(self._trees.active[item.at_issue], np.arange(item.grid.n_grid)[at])
        for rows in self._blocks(positions):
            curves = self._peeled.output(of_rows(rows)[:, stretches])
            yield rows, _finite(item, rows, curves, item.grid.values[at], self._brute.response)

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature, and of all others with it where they have the same rows."""
        if item.at_issue not in self._sums:
            together = [other for other in self._items if other.summed is item.summed]
            self._sums.update(self._sweep(together, report, cancelled))
        return self._sums[item.at_issue]

    def sums_anew(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum features over other rows than those planned, and keep nothing of it."""
        together = len({id(item.summed) for item in items}) == 1
        swept = [self._sweep(some, report, None) for some in ([items] if together else [[item] for item in items])]
        found = {number: sums for of_some in swept for number, sums in of_some.items()}
        return [found[item.at_issue] for item in items]

    def observed(self, positions: Rows) -> Array:
        """Predict rows of X as they are, without the model, (n_rows,)."""
        blocks = [self._trees.observed(rows) for rows in self._blocks(positions)]
        return self._peeled.output(np.concatenate([np.empty(0), *blocks]))

    def active(self, item: FeatureInput) -> NDArray[np.intp]:
        """Intervals of the grid in which curves can change."""
        return self._trees.active[item.at_issue]

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes: its stretches."""
        return len(self._trees.active[item.at_issue]) + 1

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[Rows]) -> Iterator[Array]:
        """Yield curves of some rows of each feature, on the stretches between active intervals."""
        if all(some is rows[0] for some in rows):
            stretches = self._trees.stretches(rows[0])
            yield from (self._peeled.output(stretches[item.at_issue]) for item in items)
            return
        for item, some in zip(items, rows, strict=True):
            yield self._peeled.output(self._trees.curves_of(item.at_issue)(some))

    def _blocks(self, positions: Rows) -> list[Rows]:
        # Boundaries do not depend on the number of threads, so that sums do not either.
        return _in_blocks(positions, self._trees.rows_per_block(self._memory_limit // 4))

    def _sweep(
        self, items: Sequence[FeatureInput], report: Report | None, cancelled: Callable[[], bool] | None
    ) -> dict[int, Sums]:
        # Half of the limit is for blocks that are swept, a quarter each for the sums of features and curves if formed.
        quarter = self._memory_limit // 4
        most_cells = min(MOST_CELLS, quarter // (16 * len(items)))  # of each of both conventions
        swept = self._trees.sweep([item.at_issue for item in items])
        blocks = self._blocks(self._trees.alike(items[0].summed))
        n_ahead = min(self._n_jobs, 2 * quarter // (self._trees.row_bytes * len(blocks[0])) - 1)
        total = sum(len(item.summed) * item.n_predictions_per_row for item in items)
        label = items[0].feature.label if len(items) == 1 else f"{len(items)} features"

        def empty(item: FeatureInput) -> Sums:
            active = self._trees.active[item.at_issue]
            return empty_sums(item, self._weights, active, compiled=HAS_NUMBA, most_cells=most_cells)

        def between(at: int) -> None:
            if report is not None and at > 0:
                report(0, total, label)
            _stop_if(cancelled, label)

        with Workers(self._n_jobs) as workers:
            sums: list[Sums] = []
            for at in range(0, len(items), _FEATURES_AT_A_TIME):
                between(at)
                sums += workers.each(empty, items[at : at + _FEATURES_AT_A_TIME])
            for rows, jumps in workers.ahead(swept, blocks, n_ahead):
                # Features are added side by side, each in the order of the blocks.
                workers.each(partial(self._add, rows, jumps), items, sums)
                jumps.release()
                if report is not None:
                    report(sum(len(rows) * item.n_predictions_per_row for item in items), total, label)
                _stop_if(cancelled, label)
            for at in range(0, len(items), _FEATURES_AT_A_TIME):
                between(at)
                workers.each(lambda of_feature: of_feature.finish(), sums[at : at + _FEATURES_AT_A_TIME])
        return dict(zip((item.at_issue for item in items), sums, strict=True))

    def _add(self, rows: Rows, jumps: Jumps, item: FeatureInput, sums: Sums) -> None:
        """Add one feature of a block to its sums."""
        change = missing_change(self._brute, item, rows)
        to_fold = self._to_fold(jumps, item, sums)
        if to_fold is None or isinstance(sums, CategorySums):
            curves = self._fitting(item, rows, jumps.curves(item.at_issue))
            add_block(sums, curves, item, (rows, self._weights, change))
            return
        sums.add_jumps(to_fold, rows_of(item, self._weights, rows), change)
        if not (max(-sums.lowest, sums.highest) <= LARGEST and np.isfinite(sums.curves.mean).all()):
            self._fitting(item, rows, self._trees.curves_of(item.at_issue)(rows))  # names the one that does not fit
        check_changes(sums, item)

    def _to_fold(self, jumps: Jumps, item: FeatureInput, sums: Sums) -> ToFold | None:
        """Return jumps for compiled sums to make curves of, None where they are to be given curves."""
        if isinstance(sums, CategorySums) or self._peeled.restore is not None or not sums.is_compiled:
            return None
        return jumps.to_fold(item.at_issue)

    def _fitting(self, item: FeatureInput, rows: Rows, stretches: Array) -> Array:
        """Return what the model predicts of stretches, or name the first that is no number, or too large a one."""
        # A prediction is named by the grid value at which its stretch begins.
        values = item.grid.values[np.append(0, self._trees.active[item.at_issue] + 1)]
        return _finite(item, rows, self._peeled.output(stretches), values, self._brute.response)
