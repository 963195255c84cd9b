"""Calls of the model: curves by predicting every phantom observation."""

from __future__ import annotations

import math
import zlib
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.errors import Cancelled, ModelNeededError, OptionError, PredictionError
from ice_explorer.errors.base import cause_of, counted, quoted
from ice_explorer.locks import Lock, ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.column import Column
    from ice_explorer.tables.table import Table

    Made = Callable[[int], object]
    VariedFeature: TypeAlias = "Feature | Points"  # one that varies, or several that vary together
    Request = tuple[VariedFeature, Array, Rows, Array]

_MOST_POINTS: Final = 1 << 20


class Points:
    """Features at given points, for `BruteCurves.evaluate`, whose values are then `coordinates`.

    - `values` (n_points, n_features): coordinates of the features at each point.
    - `coordinates` (n_points,): number of each point. Numbers start at a checksum of all points, by which kept
      predictions of others differ.
    """

    def __init__(self, features: Sequence[Feature], values: Array) -> None:
        self._features = features
        self._values = np.ascontiguousarray(values)
        self._first = float(zlib.crc32(self._values.tobytes()) * _MOST_POINTS)
        self.coordinates: Array = self._first + np.arange(len(values), dtype=np.float64)
        self.readable = " and ".join(feature.label for feature in features)

    def column_coordinates(self, coordinates: Array) -> Mapping[Column, Array]:
        """Return the coordinates of each column for numbers of points of any shape."""
        values = self._values[(coordinates - self._first).astype(np.intp)]
        moves: dict[Column, Array] = {}
        for at, feature in enumerate(self._features):
            moves.update(feature.column_coordinates(values[..., at]))
        return moves

    def text(self, coordinate: float) -> str:
        """Write a point for a message."""
        values = self._values[int(coordinate - self._first)]
        texts = [feature.text(float(value)) for feature, value in zip(self._features, values, strict=True)]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


_BLOCK = 1 << 16  # phantoms summed together; fixed, so that sums do not depend on timing
_FIRST_CALL = 1 << 9
_LONG = 0.5  # seconds of a call
_WORTH_GROWING = 1.2  # in phantoms per second
_OUT_OF_MEMORY = ("out of memory", "t allocate memory", "cannot allocate", "not enough memory", "bad_alloc")


class BatchSize:
    """How many phantoms one call of the model takes, from the times of the calls before.

    Calls grow while they are short or while more phantoms are predicted per second. Otherwise they take about half a
    second, so that progress is shown and a cancel takes effect soon. Predictions are those of single rows: the size of
    a call changes nothing but the time.
    """

    def __init__(self, most: int) -> None:
        self.next = min(_FIRST_CALL, most)
        self._most = most
        self._best_rate = 0.0
        self._lock = Lock()

    def record_time(self, n_phantoms: int, seconds: float) -> None:
        """Update the size from the time of a full call; others are ignored."""
        with self._lock:
            size = self.next
            if not size / 2 <= n_phantoms <= size:
                return
            rate = n_phantoms / max(seconds, 1e-9)
            pays = rate > _WORTH_GROWING * self._best_rate
            self._best_rate = max(self._best_rate, rate)
            if pays or seconds < _LONG / 2:
                self.next = min(self._most, size * (8 if seconds < _LONG / 8 else 2))
            elif size < self._most:
                self.next = max(1, min(self._most, int(_LONG * self._best_rate)))

    def halve(self, n_phantoms: int) -> None:
        """Take at most half as many phantoms as in a call that ran out of memory."""
        with self._lock:
            self._most = max(1, min(self._most, n_phantoms // 2))
            self.next = min(self.next, self._most)


class BruteCurves:
    """Predictions of phantom observations, in blocks that fit the memory limit.

    A call of the model that runs out of memory is made again in halves.

    - `predict`: rows in the container of X -> (n_rows,) float64.
    - `rows`: where phantoms come from.
    - `memory_limit`: bytes that one block may take, phantoms and the numbers derived from them together.
    - `response`: what is predicted, "log_odds" for messages about infinite ones.
    - `observed`: positions of rows of X -> their predictions; None where the model is called for them.
    - `known`: feature, positions and values -> predictions of phantoms, in place of a model that is not there.
    """

    def __init__(self, predict: Callable[[Any], Array], rows: Table, memory_limit: int, response: str) -> None:
        self.response = response
        self.observed: Callable[[Rows], Array] | None = None
        self.known: Callable[[VariedFeature, Rows, Array], Array] | None = None
        self._model, self._rows, self._memory_limit = predict, rows, memory_limit
        # The container, a copy that the model makes of it, its votes, and what metrics derive from each prediction.
        bytes_each = 3 * rows.row_bytes + 160
        self.phantoms_per_block = int(np.clip(memory_limit // bytes_each, 1, _BLOCK))
        self.block_bytes = self.phantoms_per_block * bytes_each
        self._calls = BatchSize(self.phantoms_per_block)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the predictions of trees, which set them again."""
        return vars(self) if self.known is not None else vars(self) | {"observed": None}

    def rows_per_block(self, n_grid: int) -> int:
        """Rows whose phantoms are summed together; a row is never split between blocks."""
        return max(1, self.phantoms_per_block // n_grid)

    @property
    def n_per_call(self) -> int:
        """How many phantoms the next call of the model takes."""
        return self._calls.next

    def evaluate(
        self, feature: VariedFeature, positions: Rows, values: Array, n_jobs: int = 1, made: Made | None = None
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
        if self.known is not None:
            return self.known(feature, positions, values)
        predictions = np.empty(values.shape)
        n_rows, n_values = values.shape

        def parts() -> Iterator[tuple[slice, slice]]:
            row = 0
            while row < n_rows:
                # Each thread has something to do, however little there is.
                size = min(self._calls.next, -(-values.size // n_jobs))
                rows_per_call, values_per_call = max(1, size // n_values), max(1, min(n_values, size))
                for column in range(0, n_values, values_per_call):
                    yield np.s_[row : row + rows_per_call, column : column + values_per_call]
                row += rows_per_call

        def call(part: tuple[slice, slice]) -> Array:
            return self._call(feature, positions[part[0]], values[part])

        with ThreadPool(n_jobs) as workers:
            # The size of the next calls depends on the time of these.
            for part, predicted in workers.prefetch(call, parts(), n_jobs - 1):
                predictions[part] = predicted
                if made is not None:
                    made(predicted.size)
        return predictions

    def evaluate_together(self, requests: Sequence[Request]) -> list[Array]:
        """Predict phantoms of several features in one call of the model.

        - `requests`: as for `phantoms_together`.
        - returns (n_rows, n_values) each.
        - raises PredictionError: if a prediction is not finite.
        """
        rows, moves, parts = phantoms_together(requests)
        flat = self._predict(lambda: self._rows.phantoms(rows, moves), len(rows))
        if flat is None:  # each feature finds the size of its calls
            return [self.evaluate(feature, positions, values) for feature, _, positions, values in requests]
        predictions = [flat[part].reshape(values.shape) for (*_, values), part in zip(requests, parts, strict=True)]
        if not (np.abs(flat) <= LARGEST).all():
            for (feature, _, positions, values), predicted in zip(requests, predictions, strict=True):
                check_fits(feature, positions, values, predicted, self.response)
        return predictions

    def predict_rows(self, positions: Rows) -> Array:
        """Predict rows of X as they are, (n_rows,)."""
        if self.observed is not None:
            return self.observed(positions)
        predictions = self._predict(lambda: self._rows.take(positions), len(positions))
        if predictions is None:
            return np.concatenate([self.predict_rows(half) for half in np.array_split(positions, 2)])
        return predictions

    def _predict(self, rows: Callable[[], Any], n_rows: int) -> Array | None:
        """Call the model; return None where it has no memory for several rows.

        The error is not kept, since it holds the arrays of the call.
        """
        began = perf_counter()
        try:
            predictions = self._model(rows())
        except Exception as error:
            if n_rows < 2 or not _is_out_of_memory(error):
                raise
            self._calls.halve(n_rows)
            return None
        self._calls.record_time(n_rows, perf_counter() - began)
        return predictions

    def _call(self, feature: VariedFeature, positions: Rows, values: Array) -> Array:
        """Predict phantoms in one call of the model, or in smaller ones where it runs out of memory."""
        try:
            flat = self._predict(
                lambda: self._rows.phantoms(positions, feature.column_coordinates(values)), values.size
            )
        except (Cancelled, ModelNeededError, OptionError):  # of a rule that moves columns
            raise
        except Exception as error:
            raise self._failure(error, feature, positions, values) from error
        if flat is None:
            return self.evaluate(feature, positions, values)
        return check_fits(feature, positions, values, flat.reshape(values.shape), self.response)

    def _failure(self, error: Exception, feature: VariedFeature, positions: Rows, values: Array) -> PredictionError:
        """Return the error for a call that failed, with the block that it was to predict."""
        phantoms = f"phantom observations of {quoted(feature.readable)} ({_place(feature, positions, values)})"
        if isinstance(error, PredictionError):
            return PredictionError(f"No predictions of {phantoms}: {error}")
        if not _is_out_of_memory(error):
            return PredictionError(
                f"The model failed on {phantoms}: {cause_of(error)}",
                "Limit the grid with `grid=`, or leave the feature out with `features=`. If it works again, press "
                '"Resume" in the explorer, or call `error.resume()` after `explain`.',
            )
        n_rows, limit = counted(self._rows.n_observations, "row"), self._memory_limit / 1e6
        return PredictionError(
            f"The model must predict one row in the memory that is free; it failed on {phantoms}, after larger blocks: "
            f"{cause_of(error)} X has {n_rows}, and blocks get {limit:,.0f} MB of `memory_limit`.",
            "Free memory, or explain fewer rows with a smaller `memory_limit`.",
        )


def phantoms_together(requests: Sequence[Request]) -> tuple[Rows, dict[Column, Array], list[slice]]:
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
        moves.update(feature.column_coordinates(coordinates[:, None]))
        parts.append(slice(start, end))
    return rows, moves, parts


def _is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory is short, as NumPy and PyTorch do."""
    is_runtime = isinstance(error, RuntimeError) and any(text in str(error).lower() for text in _OUT_OF_MEMORY)
    return isinstance(error, MemoryError) or is_runtime


def check_fits(feature: VariedFeature, positions: Rows, values: Array, predictions: Array, response: str) -> Array:
    """Return predictions (n_rows, n_values), or raise for the first that is not a number, or too large.

    - `values`: the same shape, or (n_values,).
    """
    fitting = np.abs(predictions) <= LARGEST
    if fitting.all():
        return predictions
    row, column = np.argwhere(~fitting)[0]
    value = float(np.broadcast_to(values, predictions.shape)[row, column])
    phantom = (
        f"a phantom observation of {quoted(feature.readable)} ({_place(feature, positions[[row]], np.array(value))})"
    )
    predicted = float(predictions[row, column])
    if math.isfinite(predicted):
        raise PredictionError(
            f"The model must return numbers from {-LARGEST:g} to {LARGEST:g}; it returned {predicted!r} on {phantom}.",
            "Explain a function that scales them down, such as `lambda X: model.predict(X) / 1e200`.",
        )
    if math.isinf(predicted) and response == "log_odds":
        raise PredictionError.certain(phantom, 0 if predicted < 0 else 1)
    raise PredictionError(
        f"The model must return finite numbers; it returned {predicted!r} on {phantom}.",
        "Limit the grid with `grid=`, or use another `response`.",
    )


def _place(feature: VariedFeature, positions: Rows, values: Array) -> str:
    low, high = feature.text(float(np.nanmin(values))), feature.text(float(np.nanmax(values)))
    of_grid = f"grid value {low}" if low == high else f"grid values {low} to {high}"
    first, last = positions.min(), positions.max()
    return f"{of_grid}, row {first} of X" if first == last else f"{of_grid}, rows {first} to {last} of X"
