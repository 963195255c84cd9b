"""Engines: compute the curves of a model and add them to metric sums."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.curves.brute import check_fits, fits
from ice_explorer.curves.equal_rows import Repeats, tells_apart
from ice_explorer.engines.probe import dependence_note, repeated
from ice_explorer.errors import Cancelled, PredictionError
from ice_explorer.errors.base import quoted
from ice_explorer.locks import new_lock, on_behalf
from ice_explorer.metrics.ordered import MOST_CELLS, FeatureSums
from ice_explorer.metrics.unordered import CategorySums
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.curves.kernel import KernelCurves
    from ice_explorer.curves.linear import LinearCurves
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.model_space import Space
    from ice_explorer.models.pipeline import Peeled
    from ice_explorer.trees.curves import Jumps, ToFold, TreeCurves

    Array = NDArray[np.float64]
    Sums = FeatureSums | CategorySums
    Report = Callable[[int, int, str], object]
    Made = Callable[[int], object]
    Places = NDArray[np.intp] | slice

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_NOWHERE = np.empty(0, np.int64)
_EVERYWHERE = slice(None)
_ROWS_AT_A_TIME = 2048
_PARALLEL_AT_A_TIME = 1 << 16
_FEATURES_AT_A_TIME = 100  # that are prepared, or finished, between two looks at questions and cancels
_FEW_VALUES = 20  # of a grid, of which a row's own is one
_MOST_KEPT = 1 << 26  # bytes of all curves of a model that are kept for bootstrap draws, unless all are to be kept
_WORTH_COMPILING = 2_000_000  # predictions of all features; numba takes longer to load than NumPy to add up fewer


class Engine(Protocol):
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

    def curves(
        self, item: FeatureInput, positions: NDArray[np.int64], at: Places = _EVERYWHERE
    ) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature."""

    def sums_anew(self, items: Sequence[FeatureInput], report: Report) -> list[Sums]:
        """Sum features over other rows than those planned, and keep nothing of it."""

    def active(self, item: FeatureInput) -> NDArray[np.intp]:
        """Intervals of the grid in which curves can change."""

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes."""

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[NDArray[np.int64]]) -> Iterator[Array]:
        """Yield curves of some rows of each feature, on the stretches between active intervals."""


def empty_sums(
    item: FeatureInput,
    weights: Array,
    active: NDArray[np.intp] | None = None,
    *,
    compiled: bool,
    most_cells: int | None = None,
) -> Sums:
    """Make the sums of a feature, nothing added yet."""
    grid = item.grid.values
    if item.feature.is_unordered:
        return CategorySums(grid, item.scale, item.shares, item.decay, active)
    scales = item.likelihood_scale
    scales = scales[: len(item.summed)] if item.has_marginal_scale else scales[item.summed]  # a view of one number
    rows = item.own[item.summed], scales, weights[item.summed]
    return FeatureSums(
        grid, item.scale, item.shares, item.decay, rows, active=active, compiled=compiled, most_cells=most_cells
    )


def unfilled_sums(item: FeatureInput, active: NDArray[np.intp] | None) -> Sums:
    """Make the sums of a feature without rows, to be filled or merged."""
    grid = item.grid.values
    if item.feature.is_unordered:
        return CategorySums(grid, item.scale, item.shares, item.decay)
    return FeatureSums(grid, item.scale, item.shares, item.decay, None, active=active)


def rows_of(item: FeatureInput, weights: Array, rows: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Observed values, likelihood scales and weights of rows."""
    return item.own[rows], item.likelihood_scale[rows], weights[rows]


def add_block(
    sums: Sums,
    curves: Array | tuple[Array, Array],
    item: FeatureInput,
    block: tuple[NDArray[np.int64], Array, Array | None],
) -> None:
    """Add the curves of a block: its rows, the weights of all, and how far missing values move predictions."""
    rows, weights, change = block
    of_rows: Any
    if isinstance(sums, CategorySums):
        of_rows = item.own[rows], None if item.distances is None else item.distances[rows], weights[rows]
    else:
        of_rows = rows_of(item, weights, rows)
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(curves, tuple):
            sums.add_parallel(*curves, of_rows, change)
        else:
            sums.add(curves, of_rows, change)
    check_changes(sums, item)


def check_changes(sums: Sums, item: FeatureInput) -> None:
    """Refuse changes whose squares are no numbers."""
    for changes in sums.changes.values():
        if not np.isfinite(changes.moments.squared).all():
            raise PredictionError(
                f"Predictions must change by at most {LARGEST:g} along a feature; they change by more along "
                f"{quoted(item.feature.readable)}.",
                "Predict on another scale, or leave the feature out with `features=`.",
                'Choose another scale under "Response", or create the explorer without the feature.',
            )


def missing_change(brute: BruteCurves, item: FeatureInput, rows: NDArray[np.int64]) -> Array | None:
    """How far the prediction of each row moves when the value goes missing; None where none is. Predicted once."""
    if not item.has_missing:
        return None
    new = rows[np.isnan(item.missing_changes[rows])]
    if len(new):
        values = np.column_stack([item.own[new], np.full(len(new), np.nan)])
        predictions = brute.evaluate(item.feature, new, values)
        item.missing_changes[new] = np.abs(predictions[:, 1] - predictions[:, 0])
    return item.missing_changes[rows]


def sums_of(
    blocks: Iterable[tuple[NDArray[np.int64], Array]], brute: BruteCurves, item: FeatureInput, weights: Array
) -> Sums:
    """Sum blocks of rows and their curves at every grid value."""
    compiled = _is_worth_compiling([item])
    sums = empty_sums(item, weights, compiled=compiled)
    for rows, curves in blocks:
        add_block(sums, curves, item, (rows, weights, missing_change(brute, item, rows)))
    sums.finish()
    return sums


def _is_worth_compiling(items: Iterable[FeatureInput]) -> bool:
    """Whether so much is added up that loading numba pays; whether it is loaded already must not change results."""
    return HAS_NUMBA and sum(len(item.summed) * item.grid.n_grid for item in items) > _WORTH_COMPILING


def _stop_if(cancelled: Callable[[], bool] | None, label: str) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled(f"Explaining {label!r} was cancelled.")


def _finite(item: FeatureInput, rows: NDArray[np.int64], predictions: Array, values: Array, response: str) -> Array:
    """Return predictions (n_rows, n_values), or name the first that is no number, or too large a one."""
    check_fits(item.feature, rows, np.broadcast_to(values, predictions.shape), predictions, response)
    return predictions


@dataclass
class _Begun:
    """A feature of which some blocks are summed: what fails or is cancelled for a while continues with the next."""

    sums: Sums
    kept: Array | None
    n_blocks: int = 0
    n_rows: int = 0


class _FeatureByFeature:
    """Sums one feature at a time from its curves at every grid value."""

    notes: tuple[str, ...] = ()
    has_copied_model = False
    calls_model = False

    def __init__(self, context: Context, items: Iterable[FeatureInput], n_jobs: int) -> None:
        self._compiled = _is_worth_compiling(items)
        self._brute = context.brute
        self._weights = context.row_weights
        self._n_jobs = n_jobs
        self._keeps_curves = context.settings.keep_curves
        self._begun: dict[FeatureInput, _Begun] = {}
        self.kept: dict[int, Array] = {}

    def _block_size(self, item: FeatureInput) -> int:
        """Rows whose curves are held at a time."""
        raise NotImplementedError

    def _curves(
        self, item: FeatureInput, rows: NDArray[np.int64], made: Made | None = None, at: Places = _EVERYWHERE
    ) -> Array:
        """Curves of some rows, (n_rows, n_places); `made` counts predictions as they are made."""
        raise NotImplementedError

    def _parallel(self, item: FeatureInput, rows: NDArray[np.int64]) -> tuple[Array, Array] | None:  # noqa: ARG002
        """Curves of some rows as a step (n_grid,) and offsets (n_rows,), where they are known to be parallel."""
        return None

    def _keep(self, item: FeatureInput, rows: NDArray[np.int64], curves: Array | tuple[Array, Array]) -> None:
        """Keep of a block what is needed later."""

    def curves(
        self, item: FeatureInput, positions: NDArray[np.int64], at: Places = _EVERYWHERE
    ) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        for rows in _in_blocks(positions, self._block_size(item)):
            yield rows, self._curves(item, rows, at=at)

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature, those apart that were summed before the model failed or somebody cancelled."""
        total = len(item.summed) * item.n_predictions_per_row
        label = item.feature.label
        counted = _Counted(report, total, label)
        parallel_of_first = self._parallel(item, item.summed[:1])
        are_parallel = parallel_of_first is not None
        begun = self._begun.pop(item, None)
        if begun is None:
            kept = np.empty((len(item.summed), item.grid.n_grid)) if self._keeps_curves else None
            begun = _Begun(empty_sums(item, self._weights, compiled=self._compiled), kept)

        def made(n_predictions: int) -> None:
            counted.add(n_predictions)
            _stop_if(cancelled, label)

        def compute(rows: NDArray[np.int64]) -> tuple[tuple[Array, Array] | Array, Array | None]:
            parallel = self._parallel(item, rows) if are_parallel else None
            curves = self._curves(item, rows, made) if parallel is None else parallel
            return curves, missing_change(self._brute, item, rows)

        blocks = _in_blocks(item.summed, _PARALLEL_AT_A_TIME if are_parallel else self._block_size(item))
        try:
            for rows, (curves, change) in _in_order(compute, blocks[begun.n_blocks :], self._n_jobs):
                _stop_if(cancelled, label)
                self._keep(item, rows, curves)
                if begun.kept is not None:
                    of_block = curves[1][:, None] + curves[0] if are_parallel else curves
                    begun.kept[begun.n_rows : begun.n_rows + len(rows)] = of_block
                add_block(begun.sums, curves, item, (rows, self._weights, change))
                begun.n_blocks += 1
                begun.n_rows += len(rows)
                counted.finish(len(rows) * item.n_predictions_per_row)
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
        found = []
        for item in items:
            try:
                found.append(self.sums(item, report, None))
            finally:
                self._begun.pop(item, None)
                self.kept.pop(item.at_issue, None)
        return found

    def active(self, item: FeatureInput) -> NDArray[np.intp]:
        """Intervals of the grid in which curves can change: all."""
        return np.arange(item.grid.n_grid - 1)

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes: an offset where curves are parallel."""
        return item.grid.n_grid if self._parallel(item, item.summed[:1]) is None else 1

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[NDArray[np.int64]]) -> Iterator[Array]:
        """Yield curves of some rows of each feature."""
        for item, some in zip(items, rows, strict=True):
            yield self._curves(item, some)


class _Counted:
    """Reports the predictions of each block: some as they are made, the rest when it is done.

    Equal phantoms are predicted once, so that a block may take fewer predictions than it has phantoms.
    """

    def __init__(self, report: Report | None, total: int, label: str) -> None:
        self._report = report
        self._total = total
        self._label = label
        self._made = 0

    def add(self, n_predictions: int) -> None:
        """Report predictions of the block that is computed."""
        self._made += n_predictions
        self._tell(n_predictions)

    def finish(self, n_phantoms: int) -> None:
        """Report what is left of a block."""
        self._tell(n_phantoms - self._made)
        self._made = 0

    def _tell(self, n_predictions: int) -> None:
        if self._report is not None and n_predictions > 0:
            self._report(n_predictions, self._total, self._label)


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
            yield from zip(window, pool.map(on_behalf(compute), window), strict=True)


class _Repetition:
    """A few phantoms of a feature and their predictions, block by block, to be compared with others of the same."""

    def __init__(self, item: FeatureInput) -> None:
        self.item = item
        self.rows: list[NDArray[np.int64]] = []
        self.columns: list[NDArray[np.int64]] = []
        self.predicted: list[Array] = []
        self._chosen = repeated(len(item.summed) * item.grid.n_grid)
        self._n_seen = 0

    def keep(self, item: FeatureInput, rows: NDArray[np.int64], curves: Array) -> None:
        """Keep those that are in a block of curves."""
        inside = self._chosen[(self._chosen >= self._n_seen) & (self._chosen < self._n_seen + curves.size)]
        row, column = np.divmod(inside - self._n_seen, item.grid.n_grid)
        self._n_seen += curves.size
        self.rows.append(rows[row])
        self.columns.append(column)
        self.predicted.append(curves[row, column])


class BruteEngine(_FeatureByFeature):
    """Predicts every phantom observation, equal ones once.

    Rows that differ in the feature at issue alone share their curve, and a phantom with the row's own
    value is the row itself, whose prediction other features have a use for, too.
    """

    name = "brute"
    calls_model = True

    def __init__(self, context: Context, items: Sequence[FeatureInput], n_jobs: int, reason: str) -> None:
        super().__init__(context, items, 1)  # calls of the model run side by side, not blocks of rows
        self.reason = reason
        n_kept = sum(len(item.summed) * item.grid.n_grid for item in items)
        self._keeps_curves |= n_kept * 8 <= min(_MOST_KEPT, context.bytes_for_blocks // 8)
        self._jobs = n_jobs
        self._repeats = _repeats(context)
        own = {item.at_issue for item in items if _meets_own_values(item)} if context.settings.sample is None else set()
        # One feature alone would pay for the rows what it saves.
        self._meeting_own = own if len(own) > 1 else set()
        self._of_rows = np.full(context.table.n_observations, np.nan)
        self._table = context.table
        self._repetition: _Repetition | None = None

    def sums(self, item: FeatureInput, report: Report | None, cancelled: Callable[[], bool] | None) -> Sums:
        """Sum all rows of a feature; of the first one, a few phantoms are predicted again."""
        self._repetition = repetition = self._repetition or _Repetition(item)
        if repetition.item is not item:
            return super().sums(item, report, cancelled)
        try:
            sums = super().sums(item, report, cancelled)
            self.notes = self._dependence_notes(repetition, (sums.lowest, sums.highest))
        except BaseException:
            if item not in self._begun:
                self._repetition = None
            raise
        return sums

    def _keep(self, item: FeatureInput, rows: NDArray[np.int64], curves: Array | tuple[Array, Array]) -> None:
        if self._repetition is not None and self._repetition.item is item and not isinstance(curves, tuple):
            self._repetition.keep(item, rows, curves)

    def _dependence_notes(self, repetition: _Repetition, bounds: tuple[float, float]) -> tuple[str, ...]:
        """Predict a few phantoms again, in a call of their own, which must change nothing."""
        item, rows = repetition.item, np.concatenate([_NOWHERE, *repetition.rows])
        if not len(rows):
            return ()
        values = item.grid.values[np.concatenate(repetition.columns)]

        def again(question: str) -> Array:
            phantoms = self._table.phantoms(rows, item.feature.moves(values[:, None]))
            return self._brute.predict(phantoms, f"{question} of {item.feature.label}", rows)

        try:
            once_more = partial(again, "the same phantoms")
            note = dependence_note(np.concatenate(repetition.predicted), again("some phantoms"), once_more, bounds)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - of a model that cannot predict so few rows: a note is not worth an error
            return ()
        return (note,) if note else ()

    def curves(
        self, item: FeatureInput, positions: NDArray[np.int64], at: Places = _EVERYWHERE
    ) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places: a call of the model each."""
        start = 0
        while start < len(positions):
            rows = positions[start : start + self._brute.rows_per_call(item.grid.n_grid)]
            yield rows, self._curves(item, rows, at=at)
            start += len(rows)

    def _block_size(self, item: FeatureInput) -> int:
        return self._brute.rows_per_block(item.grid.n_grid)

    def _curves(
        self, item: FeatureInput, rows: NDArray[np.int64], made: Made | None = None, at: Places = _EVERYWHERE
    ) -> Array:
        grid, first, group = item.grid.values[at], np.arange(len(rows)), np.arange(len(rows))
        if self._repeats is not None:
            first, group = self._repeats.but_for(item.columns, rows)
        if item.at_issue not in self._meeting_own:
            return self._ask(item, rows[first], np.broadcast_to(grid, (len(first), len(grid))), made)[group]
        own = item.feature.values[rows]
        place = np.searchsorted(grid, own)  # missing values come after the last
        met = np.flatnonzero(np.append(grid, np.nan)[place] == own)
        curves = np.full((len(first), len(grid)), np.nan)
        curves[group[met], place[met]] = self._predictions(item, rows[met])
        row, column = np.nonzero(np.isnan(curves))
        curves[row, column] = self._ask(item, rows[first][row], grid[column][:, None], made)[:, 0]
        return curves[group]

    def _predictions(self, item: FeatureInput, rows: NDArray[np.int64]) -> Array:
        """Predict rows as they are."""
        new = rows[np.isnan(self._of_rows[rows])]
        if len(new):
            self._of_rows[new] = self._ask(item, new, item.feature.values[new][:, None])[:, 0]
        return self._of_rows[rows]

    def _ask(self, item: FeatureInput, rows: NDArray[np.int64], values: Array, made: Made | None = None) -> Array:
        return self._brute.evaluate(item.feature, rows, values, self._jobs, made)


def _repeats(context: Context) -> Repeats | None:
    """What finds equal rows; None where values of X cannot be compared."""
    columns = context.columns.read
    if any(column.kind == "other" or not tells_apart(column.values, is_whole=column.is_integer) for column in columns):
        return None
    try:
        return Repeats([column.values for column in columns])
    except TypeError:
        return None  # values without a hash, such as lists


def _meets_own_values(item: FeatureInput) -> bool:
    """Whether a fair share of the phantoms of a feature are rows of X to the bit."""
    if item.grid.n_grid > _FEW_VALUES:
        return False
    values, grid = item.feature.values, item.grid.values
    # Other values may need another dtype than that of X, which a model may not take for the same.
    return bool(np.isin(grid, values).all()) and not bool(np.any(np.signbit(values[values == 0.0])))


class ClosedFormEngine(_FeatureByFeature):
    """Writes the curves down: linear models and sums of radial kernels."""

    def __init__(
        self,
        name: str,
        closed_form: LinearCurves | KernelCurves,
        space: Space,
        context: Context,
        items: Sequence[FeatureInput],
        *,
        n_jobs: int,
        reason: str,
    ) -> None:
        super().__init__(context, items, n_jobs)
        self.name = name
        self.reason = reason
        self._closed_form = closed_form
        self._space = space
        self._memory_limit = context.bytes_for_blocks

    def _block_size(self, item: FeatureInput) -> int:
        row_bytes = self._closed_form.row_bytes(item.grid.n_grid) + 160 * item.grid.n_grid
        return int(max(1, min(_ROWS_AT_A_TIME, self._memory_limit // row_bytes)))

    def _parallel(self, item: FeatureInput, rows: NDArray[np.int64]) -> tuple[Array, Array] | None:
        if self._space.peeled.restore is not None:
            return None
        places, grid = self._space.places[item.at_issue], self._space.grids[item.at_issue]
        parallel = self._closed_form.parallel(places, grid, rows)
        # What is no number is named by the curves.
        return parallel if parallel is not None and all(fits(part).all() for part in parallel) else None

    def _curves(
        self,
        item: FeatureInput,
        rows: NDArray[np.int64],
        made: Made | None = None,  # noqa: ARG002
        at: Places = _EVERYWHERE,
    ) -> Array:
        places, grid = self._space.places[item.at_issue], self._space.grids[item.at_issue][at]
        curves = self._space.peeled.output(self._closed_form.curves(places, grid, rows))
        return _finite(item, rows, curves, item.grid.values[at], self._brute.response)


class TreeEngine:
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

    def curves(
        self, item: FeatureInput, positions: NDArray[np.int64], at: Places = _EVERYWHERE
    ) -> Iterator[tuple[NDArray[np.int64], Array]]:
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

    def observed(self, positions: NDArray[np.int64]) -> Array:
        """Predict rows of X as they are, without the model, (n_rows,)."""
        blocks = [self._trees.observed(rows) for rows in self._blocks(positions)]
        return self._peeled.output(np.concatenate([np.empty(0), *blocks]))

    def active(self, item: FeatureInput) -> NDArray[np.intp]:
        """Intervals of the grid in which curves can change."""
        return self._trees.active[item.at_issue]

    def n_computed(self, item: FeatureInput) -> int:
        """How many numbers a row of a feature takes: its stretches."""
        return len(self._trees.active[item.at_issue]) + 1

    def curves_together(self, items: Sequence[FeatureInput], rows: Sequence[NDArray[np.int64]]) -> Iterator[Array]:
        """Yield curves of some rows of each feature, on the stretches between active intervals."""
        if all(some is rows[0] for some in rows):
            stretches = self._trees.stretches(rows[0])
            yield from (self._peeled.output(stretches[item.at_issue]) for item in items)
            return
        for item, some in zip(items, rows, strict=True):
            yield self._peeled.output(self._trees.curves_of(item.at_issue)(some))

    def _blocks(self, positions: NDArray[np.int64]) -> list[NDArray[np.int64]]:
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

        with _Workers(self._n_jobs) as workers:
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

    def _add(self, rows: NDArray[np.int64], jumps: Jumps, item: FeatureInput, sums: Sums) -> None:
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

    def _fitting(self, item: FeatureInput, rows: NDArray[np.int64], stretches: Array) -> Array:
        """Return what the model predicts of stretches, or name the first that is no number, or too large a one."""
        # A prediction is named by the grid value at which its stretch begins.
        values = item.grid.values[np.append(0, self._trees.active[item.at_issue] + 1)]
        return _finite(item, rows, self._peeled.output(stretches), values, self._brute.response)


class _Workers:
    """Threads that work for this one; for one job there are none, and this one does everything itself."""

    def __init__(self, n_jobs: int) -> None:
        self._pool = ThreadPoolExecutor(n_jobs) if n_jobs > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def each(self, task: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
        """Do a task for all arguments side by side, as `map` does."""
        if self._pool is None:
            return list(map(task, *arguments))
        return list(self._pool.map(on_behalf(task), *arguments))

    def ahead(
        self, task: Callable[[Argument], Result], arguments: Sequence[Argument], n_ahead: int
    ) -> Iterator[tuple[Argument, Result]]:
        """Yield arguments and results in their order; meanwhile the next ones are worked on, at most `n_ahead`."""
        if self._pool is None:
            for argument in arguments:
                yield argument, task(argument)
            return
        begun = deque[Future[Result]]()
        for at, argument in enumerate(arguments):
            for other in arguments[at + len(begun) : at + 1 + max(n_ahead, 0)]:
                begun.append(self._pool.submit(on_behalf(task), other))
            yield argument, begun.popleft().result()
