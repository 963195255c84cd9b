"""ICE curves by predicting every phantom observation: works for any prediction function."""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.curves.threads import Workers
from ice_explorer.errors import Cancelled, ModelNeededError, PredictionError
from ice_explorer.errors.base import cause_of, counted, quoted
from ice_explorer.locks import new_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.tables.column import Column
    from ice_explorer.tables.table import Table

    Array = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Made = Callable[[int], object]

_BLOCK = 1 << 16  # phantoms summed together; fixed, so that sums do not depend on timing
_FIRST_CALL = 1 << 9
_LONG = 0.5  # seconds of a call
_WORTH_GROWING = 1.2  # in phantoms per second
_DOUBTS = 2  # calls of the largest size that must be slow before a smaller size is chosen
_OUT_OF_MEMORY = ("out of memory", "t allocate memory", "cannot allocate", "not enough memory", "bad_alloc")


class Moving(Protocol):
    """A feature: it knows what its coordinates mean in X."""

    @property
    def readable(self) -> object:
        """Its name as messages quote it."""

    def moves(self, coordinates: Array) -> Mapping[Column, Array]:
        """Return the coordinates of each column of X that moves, for coordinates of any shape."""

    def text(self, coordinate: float) -> str:
        """Write a coordinate for a message."""


class CallSize:
    """How many phantoms one call of the model takes, from the times of the calls before.

    Calls grow while they are short or while more phantoms are predicted per second. Otherwise they take about half a
    second, so that progress is shown and a cancel takes effect soon. Of sizes that are about as fast the largest is
    taken, and of one slow call another program may be the reason. Predictions are those of single rows: the size of a
    call changes nothing but the time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._next = min(_FIRST_CALL, most)
        self._best = self._next
        self._best_rate = 0.0
        self._n_slow = 0
        self._is_settled = False
        self._lock = new_lock()

    def next(self) -> int:
        """Return the size of the next call."""
        with self._lock:
            return self._next

    def took(self, n_phantoms: int, seconds: float) -> None:
        """Learn from the time of a call; one that was not full is left out."""
        with self._lock:
            size = self._next
            if self._is_settled or not size / 2 <= n_phantoms <= size:
                return
            rate = n_phantoms / max(seconds, 1e-9)
            pays = rate > _WORTH_GROWING * self._best_rate
            if _WORTH_GROWING * rate >= self._best_rate:
                self._best = size
            self._best_rate = max(self._best_rate, rate)
            if seconds > _LONG and not pays:
                self._is_settled = True
                self._next = max(1, min(self._most, int(_LONG * self._best_rate)))
            elif size == self._most:
                self._n_slow += self._best < size
                self._is_settled = self._best == size or self._n_slow == _DOUBTS
                self._next = self._best if self._is_settled else size
            else:
                self._next = min(self._most, size * (8 if seconds < _LONG / 8 else 2))

    def halve(self, n_phantoms: int) -> None:
        """Take at most half as many phantoms as in a call that ran out of memory."""
        with self._lock:
            self._most = max(1, min(self._most, n_phantoms // 2))
            self._next, self._best = min(self._next, self._most), min(self._best, self._most)


class BruteCurves:
    """Predictions of phantom observations, in blocks that fit the memory limit.

    A call of the model that runs out of memory is made again in halves.

    - `predict`: rows in the container of X -> (n_rows,) float64.
    - `rows`: where phantoms come from.
    - `memory_limit`: bytes that one block may take, phantoms and the numbers derived from them together.
    - `response`: what is predicted, "log_odds" for messages about infinite ones.
    - `predicts`: whether the model predicts what it has predicted before: if not, no phantom is to blame.
    - `observed`: positions of rows of X -> their predictions; None where the model is called for them.
    - `counters` (2,): calls of the model from here that returned, and rows that it predicted in them.
    """

    def __init__(
        self,
        predict: Callable[[Any], Array],
        rows: Table,
        memory_limit: int,
        *,
        response: str = "auto",
        predicts: Callable[[], bool] | None = None,
    ) -> None:
        self.response = response
        self.observed: Callable[[Rows], Array] | None = None
        self.counters = np.zeros(2, np.int64)
        self._predicts = predicts or bool
        self._model = predict
        self._counting = new_lock()
        self._rows = rows
        self._memory_limit = memory_limit
        # The container, a copy that the model makes of it, its votes, and the slopes and moments
        # that the metrics derive from each prediction.
        self.phantoms_per_block = int(np.clip(memory_limit // (3 * rows.row_bytes + 160), 1, _BLOCK))
        self._calls = CallSize(self.phantoms_per_block)

    def rows_per_block(self, n_grid: int) -> int:
        """Rows whose phantoms are summed together; a row is never split between blocks."""
        return max(1, self.phantoms_per_block // n_grid)

    def rows_per_call(self, n_grid: int) -> int:
        """Rows whose phantoms are predicted in the next call."""
        return max(1, self._calls.next() // n_grid)

    @property
    def n_per_call(self) -> int:
        """How many phantoms the next call of the model takes."""
        return self._calls.next()

    def evaluate(
        self, feature: Moving, positions: Rows, values: Array, n_jobs: int = 1, made: Made | None = None
    ) -> Array:
        """Predict rows with the feature set to given values.

        - `positions` (n_rows,).
        - `values` (n_rows, n_values): coordinates that each row's feature is set to; NaN is missing.
        - `n_jobs`: from how many threads the model is called.
        - `made`: called after each call of the model with the number of its predictions.
        - returns (n_rows, n_values).
        - raises PredictionError: if the model raises or returns a number that is not finite; names feature, grid value
          and row.
        """
        predictions = np.empty(values.shape)

        def call(part: tuple[slice, slice]) -> int:
            predictions[part] = self._call(feature, positions[part[0]], values[part])
            return predictions[part].size

        # Each thread has something to do, however little there is.
        n_rows, n_values = values.shape
        parts = self._parts(n_rows, n_values, -(-values.size // n_jobs))
        with Workers(n_jobs) as workers:
            # The size of the next calls depends on the time of these.
            for _, size in workers.ahead(call, parts, n_jobs - 1):
                if made is not None:
                    made(size)
        return predictions

    def _parts(self, n_rows: int, n_values: int, most: int) -> Iterator[tuple[slice, slice]]:
        """Cut a block into calls of the model."""
        row = 0
        while row < n_rows:
            size = min(self._calls.next(), most)
            rows_per_call, values_per_call = max(1, size // n_values), max(1, min(n_values, size))
            for column in range(0, n_values, values_per_call):
                yield np.s_[row : row + rows_per_call, column : column + values_per_call]
            row += rows_per_call

    def evaluate_together(self, requests: Sequence[tuple[Moving, Array, Rows, Array]]) -> list[Array]:
        """Predict phantoms of several features in one call of the model.

        - `requests`: as for `phantoms_together`.
        - returns (n_rows, n_values) each.
        - raises PredictionError: if a prediction is not finite.
        """
        rows, moves, parts = phantoms_together(requests)
        flat = None
        try:
            began = perf_counter()
            flat = self._predict(self._rows.phantoms(rows, moves))
            self._calls.took(len(rows), perf_counter() - began)
        except Exception as error:
            if not _is_out_of_memory(error):
                raise
        if flat is None:  # each feature finds the size of its calls
            return [self.evaluate(feature, positions, values) for feature, _, positions, values in requests]
        results = []
        for (feature, _, positions, values), part in zip(requests, parts, strict=True):
            predictions = flat[part].reshape(values.shape)
            check_fits(feature, positions, values, predictions, self.response)
            results.append(predictions)
        return results

    def predict_rows(self, positions: Rows) -> Array:
        """Predict rows of X as they are, (n_rows,)."""
        if self.observed is not None:
            return self.observed(positions)
        try:
            return self._predict(self._rows.take(positions))
        except Exception as error:
            if not _is_out_of_memory(error) or len(positions) < 2:
                raise
        return np.concatenate([self.predict_rows(half) for half in np.array_split(positions, 2)])

    def _predict(self, rows: Any) -> Array:
        """Call the model."""
        predictions = self._model(rows)
        with self._counting:
            self.counters += (1, len(predictions))
        return predictions

    def _call(self, feature: Moving, positions: Rows, values: Array) -> Array:
        """Predict phantoms in one call of the model, or in halves where it runs out of memory."""
        flat = None
        try:
            began = perf_counter()
            flat = self._predict(self._rows.phantoms(positions, feature.moves(values)))
            self._calls.took(values.size, perf_counter() - began)
        except (Cancelled, ModelNeededError):
            raise
        except Exception as error:
            if not _is_out_of_memory(error):
                raise self._failure(error, feature, positions, values) from error
            if values.size == 1:
                raise self._too_large(error, feature, positions, values) from error
        if flat is not None:
            predictions = flat.reshape(values.shape)
            check_fits(feature, positions, values, predictions, self.response)
            return predictions
        # Outside of `except`, since an error holds the arrays of the call that failed.
        self._calls.halve(values.size)
        n_rows, n_values = values.shape
        predictions = np.empty(values.shape)
        for part in self._parts(n_rows, n_values, values.size // 2):
            predictions[part] = self._call(feature, positions[part[0]], values[part])
        return predictions

    def _too_large(self, error: Exception, feature: Moving, positions: Rows, values: Array) -> PredictionError:
        """Return the error for a single phantom that the model has no memory for."""
        where = place_of(feature, float(values[0, 0]), int(positions[0]))
        return PredictionError(
            f"The model must predict one row in the memory that is free; it failed on a block of 1 phantom observation "
            f"of {quoted(feature.readable)} ({where}), after larger blocks: {cause_of(error)} "
            f"X has {counted(self._rows.n_observations, 'row')}, and blocks get {self._memory_limit / 1e6:,.0f} MB "
            "of `memory_limit`.",
            "Free memory, or explain fewer rows with a smaller `memory_limit`.",
        )

    def _failure(self, error: Exception, feature: Moving, positions: Rows, values: Array) -> PredictionError:
        """Return the error for a call that failed, with the first phantom that fails alone."""
        if isinstance(error, PredictionError):  # what the model returned is no prediction
            where, *_ = self._first_failing(feature, positions, values) or ("no single one",)
            return PredictionError(f"No predictions of {_of_phantoms(feature, where)}: {error}")
        # A service that does not answer is not called for halves.
        is_passing = isinstance(error, OSError) or not self._predicts()
        culprit = None if is_passing else self._first_failing(feature, positions, values)
        if culprit is None:
            passing = PredictionError(
                f"The model failed: {cause_of(error)} It was predicting phantom observations of "
                f"{quoted(feature.readable)}, whose values are not the reason.",
                "Call `explain` again when the model works.",
                'Features that are computed are kept; press "Resume" when the model works.',
            )
            passing.is_passing = True
            return passing
        where, row, value = culprit
        if math.isnan(value):
            return PredictionError(
                f"The model failed where {quoted(feature.readable)} is missing, as it is in rows of X: "
                f"{cause_of(error)}",
                "Fill missing values, or leave out these rows, for example by `X.dropna()`.",
            )
        if row is not None and self._fails(self._rows.take(np.array([row]))):
            return PredictionError(
                f"The model failed on row {row} of X as it is: {cause_of(error)}",
                "Leave out the rows that it cannot predict, or fill their missing values.",
            )
        return PredictionError(
            f"The model failed on {_of_phantoms(feature, where)}: {cause_of(error)}",
            "Limit the grid with `grid=`, or leave the feature out with `features=`.",
            "Choose another feature in the ranking. For this one, create the explorer with other grid values.",
        )

    def _first_failing(self, feature: Moving, positions: Rows, values: Array) -> tuple[str, int | None, float] | None:
        """Find the first phantom that fails alone: where it is, its row and value; without a row if none does.

        None if the model does not fail again.
        """
        rows, single = np.repeat(positions, values.shape[1]), values.reshape(-1, 1)

        def fails(low: int, high: int) -> bool:
            return self._fails(self._rows.phantoms(rows[low:high], feature.moves(single[low:high])))

        if not fails(0, len(rows)):
            return None
        low, high = 0, len(rows)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fails(low, middle) else (middle, high)
        if fails(low, high):
            row, value = int(rows[low]), float(single[low, 0])
            return place_of(feature, value, row), row, value
        span = f"grid values {feature.text(np.nanmin(values))} to {feature.text(np.nanmax(values))}"
        return f"{span}, rows {positions[0]} to {positions[-1]} of X", None, 0.0

    def _fails(self, rows: Any) -> bool:
        try:
            self._predict(rows)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - whatever a model raises
            return True
        return False


def phantoms_together(
    requests: Sequence[tuple[Moving, Array, Rows, Array]],
) -> tuple[Rows, dict[Column, Array], list[slice]]:
    """Return the phantoms of several features as rows and what moves in them, and the part of each feature.

    - `requests`: features with their coordinates in all rows (n_observations,), and positions (n_rows,) and values
      (n_rows, n_values) of their phantoms.
    """
    rows = np.concatenate([np.repeat(positions, values.shape[1]) for *_, positions, values in requests])
    moves: dict[Column, Array] = {}
    parts, end = [], 0
    for feature, observed, _, values in requests:
        start, end = end, end + values.size
        coordinates = observed[rows]
        coordinates[start:end] = values.ravel()
        moves.update(feature.moves(coordinates[:, None]))
        parts.append(slice(start, end))
    return rows, moves, parts


def _is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory is short, as NumPy and PyTorch do."""
    is_runtime = isinstance(error, RuntimeError) and any(text in str(error).lower() for text in _OUT_OF_MEMORY)
    return isinstance(error, MemoryError) or is_runtime


def fits(predictions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which predictions can be used: numbers that are not too large."""
    return np.asarray(np.abs(predictions) <= LARGEST)


def check_fits(
    feature: Moving,
    positions: NDArray[np.int64],
    values: NDArray[np.float64],
    predictions: NDArray[np.float64],
    response: str,
) -> None:
    """Raise for the first prediction, at values (n_rows, n_values), that is not a number, or too large."""
    fitting = fits(predictions)
    if not fitting.all():
        row, column = np.argwhere(~fitting)[0]
        where = place_of(feature, float(values[row, column]), int(positions[row]))
        raise unfit_prediction(feature, where, float(predictions[row, column]), response)


def unfit_prediction(feature: Moving, where: str, value: float, response: str) -> PredictionError:
    """Return the error for an invalid prediction."""
    phantom = f"a phantom observation of {quoted(feature.readable)} ({where})"
    if math.isfinite(value):
        return PredictionError(
            f"The model must return numbers from {-LARGEST:g} to {LARGEST:g}; it returned {value!r} on {phantom}.",
            "Explain a function that scales them down, such as `lambda X: model.predict(X) / 1e200`.",
        )
    if math.isinf(value) and response == "log_odds":
        return PredictionError.certain(phantom, 0 if value < 0 else 1)
    return PredictionError(
        f"The model must return finite numbers; it returned {value!r} on {phantom}.",
        "Limit the grid with `grid=`, or use another `response`.",
        'Choose another scale under "Response", where there is one, or create the explorer with other grid values.',
    )


def _of_phantoms(feature: Moving, where: str) -> str:
    return f"phantom observations of {quoted(feature.readable)} ({where})"


def place_of(feature: Moving, value: float, row: int) -> str:
    """Return the position of a phantom observation as text."""
    return f"grid value {feature.text(value)}, row {row} of X"
