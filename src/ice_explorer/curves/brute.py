"""ICE curves by predicting every phantom observation: works for any prediction function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.errors import Cancelled, ModelNeededError, PredictionError
from ice_explorer.errors.base import cause_of, quoted
from ice_explorer.locks import new_lock, on_behalf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.curves.known_predictions import SeveralOutputs
    from ice_explorer.tables.column import Column
    from ice_explorer.tables.table import Table

Predict = Callable[[Any], "NDArray[np.float64]"]
"""Rows in the container the model was fitted on -> one number per row, (n_rows,), or one per output."""

_BLOCK = 1 << 16  # phantoms summed together; fixed, so that sums do not depend on timing
_FIRST_CALL = 1 << 9
_LONG = 0.5  # seconds of a call
_WORTH_GROWING = 1.2  # in phantoms per second
_DOUBTS = 2  # calls of the largest size that must be slow before a smaller size is chosen
_NOWHERE = np.empty(0, np.int64)


class Moving(Protocol):
    """A feature: it knows what its coordinates mean in X."""

    @property
    def readable(self) -> object:
        """Its name as messages quote it."""

    def moves(self, coordinates: NDArray[np.float64]) -> Mapping[Column, NDArray[np.float64]]:
        """Return the coordinates of each column of X that moves, for coordinates of any shape."""

    def text(self, coordinate: float) -> str:
        """Write a coordinate for a message."""


class CallSize:
    """How many phantoms one call of the model takes: found by timing the first calls.

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
        """Learn from a call; one that was not full says nothing."""
        with self._lock:
            asked = self._next
            if self._is_settled or not asked / 2 <= n_phantoms <= asked:
                return
            rate = n_phantoms / max(seconds, 1e-9)
            pays = rate > _WORTH_GROWING * self._best_rate
            if _WORTH_GROWING * rate >= self._best_rate:
                self._best = asked
            self._best_rate = max(self._best_rate, rate)
            if seconds > _LONG and not pays:
                self._is_settled = True
                self._next = max(1, min(self._most, int(_LONG * self._best_rate)))
            elif asked == self._most:
                self._n_slow += self._best < asked
                self._is_settled = self._best == asked or self._n_slow == _DOUBTS
                self._next = self._best if self._is_settled else asked
            else:
                self._next = min(self._most, asked * (8 if seconds < _LONG / 8 else 2))


class BruteCurves:
    """Curves of any model, in blocks whose phantoms fit the memory limit.

    - `predict`: rows -> (n_rows,) float64.
    - `rows`: where phantoms come from.
    - `memory_limit`: bytes that one block may take, phantoms and the numbers derived from them together.
    - `several`: all outputs of the model, so that predictions are kept for explanations of other outputs.
    - `response`: what is predicted, "log_odds" for messages about infinite ones.
    - `predicts`: whether the model predicts what it has predicted before: if not, no phantom is to blame.
    - `observed`: positions of rows of X -> their predictions; None where the model is called for them.
    - `counters` (2,): calls of the model from here that returned, and rows that it predicted in them;
      those about a probe before and after are not among them.
    """

    def __init__(
        self,
        predict: Predict,
        rows: Table,
        memory_limit: int,
        several: SeveralOutputs | None = None,
        *,
        response: str = "auto",
        predicts: Callable[[], bool] | None = None,
    ) -> None:
        self.response = response
        self._predicts = predicts or bool
        self.observed: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None
        self._model = predict if several is None else several.predict
        self.counters = np.zeros(2, np.int64)
        self._counting = new_lock()
        self._several = several
        self._n_outputs = 1 if several is None else several.n_outputs
        self._rows = rows
        # The container, a copy that the model makes of it, its votes, and the slopes and moments
        # that the metrics derive from each prediction.
        phantom_bytes = 3 * rows.row_bytes + 152 + 8 * self._n_outputs
        self.phantoms_per_block = int(np.clip(memory_limit // phantom_bytes, 1, _BLOCK))
        self._calls = CallSize(self.phantoms_per_block)

    def rows_per_block(self, n_grid: int) -> int:
        """Rows whose phantoms are summed together; a row is never split between blocks."""
        return max(1, self.phantoms_per_block // n_grid)

    def rows_per_call(self, n_grid: int) -> int:
        """Rows whose phantoms are predicted in the next call; where answers are kept, those that are kept together."""
        return self.rows_per_block(n_grid) if self._several is not None else max(1, self._calls.next() // n_grid)

    def evaluate(
        self,
        feature: Moving,
        positions: NDArray[np.int64],
        values: NDArray[np.float64],
        n_jobs: int = 1,
        made: Callable[[int], object] | None = None,
    ) -> NDArray[np.float64]:
        """Predict rows with the feature set to given values.

        - `positions` (n_rows,).
        - `values` (n_rows, n_values): coordinates that each row's feature is set to; NaN is missing.
        - `n_jobs`: from how many threads the model is called.
        - `made`: called after each call of the model with the number of its predictions.
        - returns (n_rows, n_values).
        - raises PredictionError: if the model raises or returns a number that is not finite; names feature, grid value
          and row.
        """
        predictions, is_new = self._answer(
            feature.readable, positions, values, lambda: self._evaluate(feature, positions, values, n_jobs, made)
        )
        explained = self._explained(predictions)
        if not is_new:
            check_fits(feature, positions, values, explained, self.response)
        return explained if self._several is None else np.array(explained)  # what is kept stays as it is

    @property
    def n_per_call(self) -> int:
        """How many phantoms the next call of the model takes."""
        return self._calls.next()

    def evaluate_together(
        self, asked: Sequence[tuple[Moving, NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]]
    ) -> list[NDArray[np.float64]]:
        """Predict phantoms of several features in one call of the model.

        - `asked`: features with their coordinates in all rows (n_observations,), and positions and values of their
          phantoms, as for `evaluate`.
        - returns (n_rows, n_values) each.
        - raises PredictionError: if a prediction is not finite.
        """
        rows = np.concatenate([np.repeat(positions, values.shape[1]) for *_, positions, values in asked])
        new = np.concatenate([values.ravel() for *_, values in asked])
        ends = np.cumsum([values.size for *_, values in asked]).tolist()

        def call() -> NDArray[np.float64]:
            moves: dict[Column, NDArray[np.float64]] = {}
            for (feature, observed, _, values), end in zip(asked, ends, strict=True):
                of_feature = slice(end - values.size, end)
                coordinates = observed[rows]
                coordinates[of_feature] = new[of_feature]
                moves.update(feature.moves(coordinates[:, None]))
            start = perf_counter()
            predictions = np.atleast_2d(self._predict(self._rows.phantoms(rows, moves)).T)
            self._calls.took(len(rows), perf_counter() - start)
            return predictions

        explained = self._explained(self._answer([feature.readable for feature, *_ in asked], rows, new, call)[0])
        found = []
        for (feature, _, positions, values), end in zip(asked, ends, strict=True):
            predictions = explained[end - values.size : end].reshape(values.shape).copy()
            check_fits(feature, positions, values, predictions, self.response)
            found.append(predictions)
        return found

    def predict(self, rows: Any, question: str, positions: NDArray[np.int64] = _NOWHERE) -> NDArray[np.float64]:
        """Predict rows as they are, (n_rows,).

        - `rows`: in the container of X.
        - `positions`: question and positions find the answer again for another output.
        """
        if self.observed is not None and question == "observations":
            return self.observed(positions)
        ask = lambda: np.atleast_2d(self._predict(rows).T)  # noqa: E731
        return self._explained(self._answer(question, positions, np.empty(0), ask)[0])

    def _predict(self, rows: Any) -> NDArray[np.float64]:
        """Call the model."""
        predictions = self._model(rows)
        with self._counting:
            self.counters += (1, len(predictions))
        return predictions

    def _answer(
        self,
        question: object,
        positions: NDArray[np.int64],
        values: NDArray[np.float64],
        ask: Callable[[], NDArray[np.float64]],
    ) -> tuple[NDArray[np.float64], bool]:
        """Return predictions of all outputs, (n_outputs, …), and whether the model was called for them now."""
        if self._several is None:
            return ask(), True
        answers = self._several.answers
        key = answers.key(self._several.response, question, positions, values)
        predictions = answers.get(key)
        if predictions is not None:
            return predictions, False
        predictions = ask()
        answers.keep(key, predictions)
        return predictions, True

    def _explained(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is explained of predictions (n_outputs, n_rows, n_values)."""
        return predictions[0] if self._several is None else self._several.explained(predictions)

    def _evaluate(
        self,
        feature: Moving,
        positions: NDArray[np.int64],
        values: NDArray[np.float64],
        n_jobs: int,
        made: Callable[[int], object] | None,
    ) -> NDArray[np.float64]:
        """Return predictions of the model, (n_outputs, n_rows, n_values)."""
        predictions = np.empty((self._n_outputs, *values.shape))

        def call(part: tuple[slice, slice]) -> int:
            start = perf_counter()
            asked = values[part]
            predictions[:, *part] = self._call(feature, positions[part[0]], asked)
            self._calls.took(asked.size, perf_counter() - start)
            return asked.size

        n_rows, n_values = values.shape
        if n_jobs == 1:
            for part in self._parts(n_rows, n_values, values.size):
                _tell(made, call(part))
        else:
            with ThreadPoolExecutor(n_jobs) as pool:
                # Each thread has something to do, however little there is.
                parts = self._parts(n_rows, n_values, -(-values.size // n_jobs))
                while some := list(islice(parts, n_jobs)):  # the size of the next ones depends on their time
                    for size in pool.map(on_behalf(call), some):
                        _tell(made, size)
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

    def _call(self, feature: Moving, positions: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        block = feature, positions, values
        try:
            flat = self._predict(self._rows.phantoms(positions, feature.moves(values)))
        except (Cancelled, ModelNeededError):
            raise
        except PredictionError as error:
            where, _, _ = self._culprit(*block) or ("no single one", None, 0.0)
            raise PredictionError(f"No predictions of {_of_phantoms(feature, where)}: {error}") from error
        except Exception as error:
            # A service that does not answer is not asked for halves.
            culprit = None if isinstance(error, OSError) or not self._predicts() else self._culprit(*block)
            if culprit is None:
                passing = PredictionError(
                    f"The model failed: {cause_of(error)} It was predicting phantom observations of "
                    f"{quoted(feature.readable)}, whose values are not the reason.",
                    "Call `explain` again when the model works.",
                    'Features that are computed are kept; press "Resume" when the model works.',
                )
                passing.is_passing = True
                raise passing from error
            where, row, value = culprit
            if math.isnan(value):
                raise PredictionError(
                    f"The model failed where {quoted(feature.readable)} is missing, as it is in rows of X: "
                    f"{cause_of(error)}",
                    "Fill missing values, or leave out these rows, for example by `X.dropna()`.",
                ) from error
            if row is not None and self._raises(self._rows.take(np.array([row]))):
                raise PredictionError(
                    f"The model failed on row {row} of X as it is: {cause_of(error)}",
                    "Leave out the rows that it cannot predict, or fill their missing values.",
                ) from error
            raise PredictionError(
                f"The model failed on {_of_phantoms(feature, where)}: {cause_of(error)}",
                "Limit the grid with `grid=`, or leave the feature out with `features=`.",
                "Choose another feature in the ranking. For this one, create the explorer with other grid values.",
            ) from error
        predictions = flat.T.reshape(self._n_outputs, *values.shape)
        check_fits(feature, positions, values, self._explained(predictions), self.response)
        return predictions

    def _culprit(
        self, feature: Moving, positions: NDArray[np.int64], values: NDArray[np.float64]
    ) -> tuple[str, int | None, float] | None:
        """Find the phantom that the model fails on, by predicting halves: where it is, its row and its value.

        None if it fails no more; without a row where no single phantom fails.
        """
        rows = np.repeat(positions, values.shape[1])
        single = values.reshape(-1, 1)
        low, high = 0, len(rows)
        while high - low > 1:
            middle = (low + high) // 2
            if self._fails(feature, rows[low:middle], single[low:middle]):
                high = middle
            elif self._fails(feature, rows[middle:high], single[middle:high]):
                low = middle
            else:
                # Neither half fails alone: the failure belongs to the block as a whole, or is over.
                if not self._fails(feature, rows[low:high], single[low:high]):
                    return None
                where = (
                    f"grid values {feature.text(values.min())} to {feature.text(values.max())}, "
                    f"rows {positions[0]} to {positions[-1]} of X"
                )
                return where, None, 0.0
        if len(rows) == 1 and not self._fails(feature, rows, single):
            return None
        return place_of(feature, single[low, 0], rows[low]), int(rows[low]), float(single[low, 0])

    def _fails(self, feature: Moving, positions: NDArray[np.int64], values: NDArray[np.float64]) -> bool:
        return self._raises(self._rows.phantoms(positions, feature.moves(values)))

    def _raises(self, rows: Any) -> bool:
        try:
            self._predict(rows)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - any failure of the user's model is what we look for
            return True
        return False


def _tell(made: Callable[[int], object] | None, n_predictions: int) -> None:
    if made is not None:
        made(n_predictions)


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
