"""Methods: compute the curves of a model, and add them to the sums that metrics are made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.curves.brute import check_fits
from ice_explorer.curves.closed_forms import LinearModel
from ice_explorer.errors import PredictionError
from ice_explorer.errors.base import quoted
from ice_explorer.locks import Lock, ThreadPool
from ice_explorer.metrics.ordered import MOST_CELLS, OrderedSums
from ice_explorer.metrics.unordered import UnorderedSums
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.choose import ModelMatrix
    from ice_explorer.curves.closed_forms import KernelModel
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.models.libraries import UnwrappedModel
    from ice_explorer.trees.forest import Jumps, TreeCurves

    Sums = OrderedSums | UnorderedSums
    Report = Callable[[int, int, str], object]
    Made = Callable[[int], object]
    Part = Places | slice


EVERYWHERE = slice(None)
_ROWS_AT_A_TIME = 2048
_PARALLEL_AT_A_TIME = 1 << 16
_FEATURES_AT_A_TIME = 100  # that are prepared, or finished, between two looks at questions and cancels
_FEW_ROWS = 8192  # of which the features may be swept in several parts
_FEW_VALUES = 20  # of a grid, of which a row's observed value is one


_WORTH_COMPILING = 2_000_000  # predictions of all features; numba takes longer to load than NumPy to add up fewer


def empty_sums(
    item: FeatureInput,
    weights: Array | None = None,
    active: Places | None = None,
    *,
    compiled: bool = False,
    most_cells: int = MOST_CELLS,
) -> Sums:
    """Make the sums of a feature, nothing added yet; without weights they are to be filled or merged."""
    grid, rows = item.grid.values, None
    if item.feature.is_unordered:
        return UnorderedSums(grid, item.scale, item.shares, item.decay, None if weights is None else active)
    if weights is not None:
        n_summed, scales = len(item.summed), item.likelihood_scale
        scales = scales[:n_summed] if item.row_scales is None else scales[item.summed]  # a view of one number
        rows = item.observed[item.summed], scales, weights[item.summed]
    return OrderedSums(
        grid,
        item.scale,
        item.shares,
        item.decay,
        rows,
        convention=item.convention,
        reach=item.reach,
        active=active,
        compiled=compiled,
        most_cells=most_cells,
    )


def select_rows(item: FeatureInput, weights: Array, rows: Rows) -> tuple[Array, Array, Array]:
    """Observed values, likelihood scales and weights of rows."""
    return item.observed[rows], item.likelihood_scale[rows], weights[rows]


def add_block(
    sums: Sums, curves: Array | tuple[Array, Array], item: FeatureInput, block: tuple[Rows, Array, Array | None]
) -> None:
    """Add the curves of a block: its rows, the weights of all, and how far missing values move predictions."""
    rows, weights, change = block
    of_rows: Any = select_rows(item, weights, rows)
    if isinstance(sums, UnorderedSums):
        of_rows = of_rows[0], None if item.distances is None else item.distances[rows], of_rows[2]
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(curves, tuple):
            sums.add_parallel_curves(*curves, of_rows, change)
        else:
            sums.add(curves, of_rows, change)
    check_changes(sums, item)


def check_changes(sums: Sums, item: FeatureInput) -> None:
    """Refuse changes whose squares are no numbers, and slopes between values that are too close."""
    if sums.factors is None:
        return
    if not np.isfinite(sums.moments.squared).all():
        raise PredictionError(
            f"Predictions must change by at most {LARGEST:g} along a feature; they change by more along "
            f"{quoted(item.feature.readable)}.",
            "Predict on another scale, or leave the feature out with `features=`.",
        )
    nearest = float((sums.grid[1:] - sums.grid[:-1]).min())
    steepest = float(sums.scale) / nearest if isinstance(sums, OrderedSums) else 0.0
    if not math.isfinite(steepest) or not math.isfinite(sums.deviations):
        raise PredictionError(
            f"Grid values of {quoted(item.feature.readable)} must be further apart than "
            f"{item.scale / LARGEST:.3g}; two are {nearest:.3g} apart.",
            "Write the feature in a smaller unit, or space its values with `grid=`.",
        )


def missing_change(context: Context, item: FeatureInput, rows: Rows) -> Array | None:
    """How far the prediction of each row moves when the value goes missing; None where none is. Predicted once."""
    if not item.has_missing:
        return None
    new = rows[np.isnan(item.missing_changes[rows])]
    if len(new):
        values = np.column_stack([item.observed[new], np.full(len(new), np.nan)])
        predictions = context.brute.evaluate(item.feature, new, values)
        item.missing_changes[new] = np.abs(predictions[:, 1] - predictions[:, 0])
    return item.missing_changes[rows]


def sum_blocks(blocks: Iterable[tuple[Rows, Array]], context: Context, item: FeatureInput) -> Sums:
    """Sum blocks of rows and their curves at every grid value."""
    sums = empty_sums(item, context.row_weights, compiled=is_worth_compiling([item]))
    for rows, curves in blocks:
        add_block(sums, curves, item, (rows, context.row_weights, missing_change(context, item, rows)))
    sums.finish()
    return sums


def is_worth_compiling(items: Iterable[FeatureInput]) -> bool:
    """Whether so much is added up that loading numba pays; whether it is loaded already must not change results."""
    return HAS_NUMBA and sum(len(item.summed) * item.grid.n_grid for item in items) > _WORTH_COMPILING


class CurveMethod(ABC):
    """Turns features into curves, and into the sums that their metrics are made of.

    - `name`, `reason`: of the choice of this method.
    - `notes`: what computing showed of the model.
    - `kept`: curves of the rows of the metrics by number of the feature, where they are kept.
    - `sums_together`: whether features that have the same rows take less time together.
    - `has_copied_model`: whether curves are those of the model as it was planned for, whatever becomes of it.
    - `calls_model`: whether curves are predictions, of which each takes its time.
    """

    notes: tuple[str, ...] = ()
    sums_together = has_copied_model = calls_model = False

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        self.kept: dict[int, Array] = {}

    @abstractmethod
    def curves(self, item: FeatureInput, positions: Rows, at: Part = EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""

    @abstractmethod
    def sums(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum all rows of features.

        - `report`: called now and then with (predictions since the last call, predictions of all, label); what it
          raises ends the work.
        """

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[Rows]) -> Iterator[Array]:
        """Yield curves of some rows of each feature, on the stretches between active intervals."""
        for item, of_feature in zip(items, rows, strict=True):
            yield np.concatenate([curves for _, curves in self.curves(item, of_feature, self.starts(item))])

    def starts(self, item: FeatureInput) -> Places:
        """Places of the grid at which the stretches between active intervals begin."""
        return np.append(0, self.active(item) + 1)

    def active(self, item: FeatureInput) -> Places:
        """Intervals of the grid in which curves can change."""
        return np.arange(item.grid.n_grid - 1)

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes."""
        return len(self.active(item)) + 1


def _in_blocks(positions: Rows, size: int) -> list[Rows]:
    return [positions[start : start + size] for start in range(0, len(positions), size)]


class _ByFeature(CurveMethod):
    """Sums one feature at a time from its curves at every grid value."""

    def __init__(self, name: str, reason: str, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> None:
        super().__init__(name, reason)
        self._compiled = is_worth_compiling(items)
        self._context = context
        self._n_jobs = n_jobs
        self._keeps_curves = False

    @abstractmethod
    def _block_size(self, item: FeatureInput) -> int:
        """Rows whose curves are held at a time."""

    @abstractmethod
    def _curves(self, item: FeatureInput, rows: Rows, at: Part = EVERYWHERE, made: Made | None = None) -> Array:
        """Curves of some rows, (n_rows, n_places); `made` counts predictions as they are made."""

    def _parallel(self, item: FeatureInput, rows: Rows) -> tuple[Array, Array] | None:  # noqa: ARG002
        """Curves of some rows as a step (n_grid,) and offsets (n_rows,), where they are known to be parallel."""
        return None

    def curves(self, item: FeatureInput, positions: Rows, at: Part = EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        for rows in _in_blocks(positions, self._block_size(item)):
            yield rows, self._curves(item, rows, at=at)

    def sums(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum all rows of features."""
        return [self._sum(item, report) for item in items]

    def _sum(self, item: FeatureInput, report: Report) -> Sums:
        sums = empty_sums(item, self._context.row_weights, compiled=self._compiled)
        kept = np.empty((len(item.summed), item.grid.n_grid)) if self._keeps_curves else None
        total, label = len(item.summed) * item.n_predictions_per_row, item.feature.label
        are_parallel = self._parallel(item, item.summed[:1]) is not None
        n_made = 0  # predictions of this block that are reported

        def made(n_predictions: int) -> None:
            nonlocal n_made
            n_made += n_predictions
            report(max(n_predictions, 0), total, label)

        def compute(rows: Rows) -> tuple[Array | tuple[Array, Array], Array | None]:
            parallel = self._parallel(item, rows) if are_parallel else None
            curves = self._curves(item, rows, made=made) if parallel is None else parallel
            return curves, missing_change(self._context, item, rows)

        size = _PARALLEL_AT_A_TIME if are_parallel else self._block_size(item)
        blocks = _in_blocks(item.summed, size)
        with ThreadPool(self._n_jobs if len(blocks) > 1 else 1) as workers:
            for rows, (curves, change) in workers.prefetch(compute, blocks, self._n_jobs - 1):
                if kept is not None:
                    of_block = curves[1][:, None] + curves[0] if isinstance(curves, tuple) else curves
                    kept[sums.n_rows : sums.n_rows + len(rows)] = of_block
                add_block(sums, curves, item, (rows, self._context.row_weights, change))
                # A block may take fewer predictions than it has phantoms.
                made(len(rows) * item.n_predictions_per_row - n_made)
                n_made = 0
        sums.finish()
        if kept is not None:
            self.kept[item.feature.position] = kept
        return sums


class BruteMethod(_ByFeature):
    """Predicts every phantom observation.

    A phantom with the observed value is the row itself, whose prediction other features have a use for, too.
    """

    calls_model = True

    def __init__(self, reason: str, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> None:
        super().__init__("brute", reason, context, items, 1)  # calls of the model run side by side, not blocks of rows
        self._jobs = n_jobs
        n_bytes = 8 * sum(len(item.summed) * item.grid.n_grid for item in items)
        self._keeps_curves = n_bytes + context.brute.block_bytes <= context.bytes_for_blocks
        # Other grid values may need another dtype than that of X, which a model may not take for the same.
        shared = {
            item.feature.position
            for item in items
            if item.grid.n_grid <= _FEW_VALUES and np.isin(item.grid.values, item.feature.values).all()
        }
        # One feature alone would pay for the rows what it saves, and samples have rows of their own.
        self._sharing_rows = shared if len(shared) > 1 and context.settings.sample is None else set()
        self._of_rows = np.full(context.table.n_observations, np.nan)
        self._witness = context.prediction_check
        self._is_checked = False

    def _sum(self, item: FeatureInput, report: Report) -> Sums:
        sums = super()._sum(item, report)
        if not self._is_checked:  # after the first feature, a few rows are predicted again
            note = self._witness.dependence_note((sums.lowest, sums.highest))
            self.notes, self._is_checked = (note,) if note else (), True
        return sums

    def curves(self, item: FeatureInput, positions: Rows, at: Part = EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places: a call of the model each."""
        start = 0
        while start < len(positions):
            rows = positions[start : start + max(1, self._context.brute.n_per_call // item.grid.n_grid)]
            yield rows, self._curves(item, rows, at=at)
            start += len(rows)

    def _block_size(self, item: FeatureInput) -> int:
        return self._context.brute.rows_per_block(item.grid.n_grid)

    def _curves(self, item: FeatureInput, rows: Rows, at: Part = EVERYWHERE, made: Made | None = None) -> Array:
        grid = item.grid.values[at]
        predict = partial(self._context.brute.evaluate, item.feature, n_jobs=self._jobs, made=made)
        if item.feature.position not in self._sharing_rows:
            return predict(rows, np.broadcast_to(grid, (len(rows), len(grid))))
        observed = item.feature.values[rows]
        place = np.searchsorted(grid, observed)  # missing values come after the last
        matches = np.flatnonzero(np.append(grid, np.nan)[place] == observed)
        new = rows[matches][np.isnan(self._of_rows[rows[matches]])]
        if len(new):
            self._of_rows[new] = predict(new, item.feature.values[new][:, None])[:, 0]
        curves = np.full((len(rows), len(grid)), np.nan)
        curves[matches, place[matches]] = self._of_rows[rows[matches]]
        row, column = np.nonzero(np.isnan(curves))
        curves[row, column] = predict(rows[row], grid[column][:, None])[:, 0]
        return curves


class ClosedFormMethod(_ByFeature):
    """Computes curves from the formula of a model: linear models and sums of RBF kernels."""

    def __init__(
        self,
        name: str,
        reason: str,
        context: Context,
        items: Sequence[FeatureInput],
        n_jobs: int,
        *,
        formula: LinearModel | KernelModel,
        matrix: ModelMatrix,
        unwrapped: UnwrappedModel,
    ) -> None:
        super().__init__(name, reason, context, items, n_jobs)
        self._formula = formula
        self._places, self._grids = matrix.places, matrix.grids
        self._unwrapped = unwrapped

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes: an offset where curves are parallel."""
        return item.grid.n_grid if self._parallel(item, item.summed[:1]) is None else 1

    def _block_size(self, item: FeatureInput) -> int:
        row_bytes = self._formula.row_bytes(item.grid.n_grid) + 160 * item.grid.n_grid
        return int(max(1, min(_ROWS_AT_A_TIME, self._context.bytes_for_blocks // row_bytes)))

    def _parallel(self, item: FeatureInput, rows: Rows) -> tuple[Array, Array] | None:
        if self._unwrapped.restore is not None or not isinstance(self._formula, LinearModel):
            return None
        parallel = self._formula.parallel(self._places[item.feature.position], self._grids[item.feature.position], rows)
        # What is no number is named by the curves.
        is_fit = parallel is not None and all((np.abs(part) <= LARGEST).all() for part in parallel)
        return parallel if is_fit else None

    def _curves(self, item: FeatureInput, rows: Rows, at: Part = EVERYWHERE, made: Made | None = None) -> Array:  # noqa: ARG002
        places, grid = self._places[item.feature.position], self._grids[item.feature.position][at]
        curves = self._unwrapped.restore_output(self._formula.curves(places, grid, rows))
        return check_fits(item.feature, rows, item.grid.values[at], curves, self._context.settings.response)


class TreeMethod(CurveMethod):
    """Sweeps all features at once.

    - `make_trees`: ranks trees, rows and grids; called once, when curves are first asked for: of thousands of columns
      it takes as long as all that is checked before.
    """

    sums_together = has_copied_model = True

    def __init__(
        self,
        reason: str,
        context: Context,
        n_jobs: int,
        *,
        make_trees: Callable[[], TreeCurves],
        unwrapped: UnwrappedModel,
    ) -> None:
        super().__init__("tree", reason)
        # The model would take long, and the trees predict the rows of X, too, unless values are missing.
        if context.predictor.call is not None and not any(column.missing.any() for column in context.columns.read):
            context.predictor.call.reason = "pickles of a tree model have the trees alone"
        self._make_trees: Callable[[], TreeCurves] | None = make_trees
        self._lock = Lock()
        self._unwrapped = unwrapped
        self._context = context
        self._n_jobs = n_jobs

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Predict rows of X in place of the model, which is not in a pickle."""
        vars(self).update(state)
        self._context.brute.observed = self.predict_rows

    @property
    def _trees(self) -> TreeCurves:
        with self._lock:
            if self._make_trees is not None:
                self._made = self._make_trees()
                self._make_trees = None  # and with it the trees as they were read
            return self._made

    def curves(self, item: FeatureInput, positions: Rows, at: Part = EVERYWHERE) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        sweep = self._trees.sweep([item.feature.position])
        stretches = np.searchsorted(self.active(item), np.arange(item.grid.n_grid)[at])
        for rows in self._blocks(positions, [item]):
            curves = self._unwrapped.restore_output(sweep(rows).curves(item.feature.position)[:, stretches])
            yield rows, check_fits(item.feature, rows, item.grid.values[at], curves, self._context.settings.response)

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[Rows]) -> Iterator[Array]:
        """Yield curves of some rows of each feature, on the stretches between active intervals."""
        if any(of_feature is not rows[0] for of_feature in rows):
            yield from super().curves_together(items, rows)
            return
        jumps = self._trees.sweep([item.feature.position for item in items])(rows[0])
        for item in items:
            yield self._unwrapped.restore_output(jumps.curves(item.feature.position))

    def sums(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum all rows of features, in one sweep where they are the same rows."""
        summed = items[0].summed
        if any(item.summed is not summed for item in items):
            return [sums for item in items for sums in self.sums([item], report)]
        # To sum the likelihoods of a block takes as long as to add hundreds of rows. So the features of few rows are
        # swept in several parts, where all together would take several blocks; to sweep many rows again takes longer.
        n_blocks = len(self._blocks(summed, items)) if len(summed) <= _FEW_ROWS else 1
        added = self._trees.order_by_leaves(summed)
        total = len(summed) * sum(item.n_predictions_per_row for item in items)
        label = items[0].feature.label if len(items) == 1 else f"{len(items)} features"
        size = -(-len(items) // n_blocks)
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        return [sums for part in parts for sums in self._sweep(part, added, lambda made: report(made, total, label))]

    def _sweep(self, items: Sequence[FeatureInput], added: Rows, report: Made) -> list[Sums]:
        """Sum rows of features in one sweep; the rows are added in this order."""
        summed = items[0].summed
        # Half of the limit is for blocks that are swept, a quarter each for the sums of features and curves if formed.
        quarter = self._context.bytes_for_blocks // 4
        most_cells = min(MOST_CELLS, quarter // (8 * len(items)))
        features = [item.feature.position for item in items]
        swept, blocks = self._trees.sweep(features), self._blocks(added, items)
        n_ahead = min(self._n_jobs, 2 * quarter // (self._trees.row_bytes(features) * len(blocks[0])) - 1)
        n_per_row = sum(item.n_predictions_per_row for item in items)

        def empty(item: FeatureInput) -> Sums:
            active, weights = self.active(item), self._context.row_weights
            return empty_sums(item, weights, active, compiled=HAS_NUMBA, most_cells=most_cells)

        def finish(sums: Sums) -> None:
            sums.finish()
            sums.outlying = np.sort(np.searchsorted(summed, added[sums.outlying]))

        parts = [slice(start, start + _FEATURES_AT_A_TIME) for start in range(0, len(items), _FEATURES_AT_A_TIME)]
        with ThreadPool(self._n_jobs) as workers:
            sums: list[Sums] = []
            for part in parts:
                sums += workers.map(empty, items[part])
                report(0)
            for rows, jumps in workers.prefetch(swept, blocks, n_ahead):
                # Features are added side by side, each in the order of the blocks.
                workers.map(partial(self._add, rows, jumps), items, sums)
                jumps.release()
                report(len(rows) * n_per_row)
            for part in parts:
                workers.map(finish, sums[part])
                report(0)
        return sums

    def predict_rows(self, positions: Rows) -> Array:
        """Predict rows of X as they are, without the model, (n_rows,)."""
        sweep, link = self._trees.sweep([]), self._trees.link
        blocks = [link.apply(sweep(rows).base) for rows in self._blocks(positions, [])]
        return self._unwrapped.restore_output(np.concatenate([np.empty(0), *blocks]))

    def active(self, item: FeatureInput) -> Places:
        """Intervals of the grid in which curves can change."""
        return self._trees.active[item.feature.position]

    def _blocks(self, positions: Rows, items: Sequence[FeatureInput]) -> list[Rows]:
        # Boundaries do not depend on the number of threads, so that sums do not either.
        features = [item.feature.position for item in items]
        return _in_blocks(positions, self._trees.rows_per_block(self._context.bytes_for_blocks // 4, features))

    def _add(self, rows: Rows, jumps: Jumps, item: FeatureInput, sums: Sums) -> None:
        change = missing_change(self._context, item, rows)
        to_compiled = None
        if not isinstance(sums, UnorderedSums) and sums.is_compiled and self._unwrapped.restore is None:
            to_compiled = jumps.to_compiled(item.feature.position)
        if to_compiled is None or isinstance(sums, UnorderedSums):
            curves = self._fitting(item, rows, jumps.curves(item.feature.position))
            add_block(sums, curves, item, (rows, self._context.row_weights, change))
            return
        sums.add_jumps(to_compiled, select_rows(item, self._context.row_weights, rows), change)
        if not (max(-sums.lowest, sums.highest) <= LARGEST and np.isfinite(sums.curves.mean).all()):
            # Names the prediction that does not fit.
            self._fitting(item, rows, self._trees.sweep([item.feature.position])(rows).curves(item.feature.position))
        check_changes(sums, item)

    def _fitting(self, item: FeatureInput, rows: Rows, stretches: Array) -> Array:
        """Return what the model predicts of stretches, or name the first that is no number, or too large a one."""
        # A prediction is named by the grid value at which its stretch begins.
        values, curves = item.grid.values[self.starts(item)], self._unwrapped.restore_output(stretches)
        return check_fits(item.feature, rows, values, curves, self._context.settings.response)
