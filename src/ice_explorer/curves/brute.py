"""ICE curves by asking the model for every phantom observation: works for any prediction function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ice_explorer.errors import PredictionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Predict = Callable[[Any], "NDArray[np.float64]"]
"""Rows in the container the model was fitted on -> one number per row, (n_rows,)."""

_MOST_PHANTOMS = 1 << 15  # per call: above it stacking saves nothing more and caches are missed


class PhantomRows(Protocol):
    """Builds phantom observations in the container the model was fitted on."""

    def phantoms(self, positions: NDArray[np.int64], at_issue: int, values: NDArray[np.float64]) -> Any:
        """Stack rows: row r with the at-issue column set to each of values[r], (n_rows, n_values)."""

    @property
    def row_bytes(self) -> int:
        """Bytes that one phantom takes in the container."""


class BruteCurves:
    """Curves of any model, in blocks whose phantoms fit the memory limit.

    Parameters
    ----------
    predict : callable
        Rows -> (n_rows,) float64.
    rows : PhantomRows
        Where phantoms come from.
    memory_limit : int
        Bytes that one block may take, phantoms and the numbers derived from them together.
    """

    def __init__(self, predict: Predict, rows: PhantomRows, memory_limit: int) -> None:
        self._predict = predict
        self._rows = rows
        # The container, a copy that the model makes of it, its votes, and the slopes and moments
        # that the metrics derive from each prediction.
        phantom_bytes = 3 * rows.row_bytes + 160
        self.phantoms_per_call = int(np.clip(memory_limit // phantom_bytes, 1, _MOST_PHANTOMS))

    def blocks(
        self,
        feature: object,
        at_issue: int,
        grid: NDArray[np.float64],
        positions: NDArray[np.int64],
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Yield blocks of rows and their curves.

        Parameters
        ----------
        feature : object
            Name, for messages.
        at_issue : int
            Position of its column.
        grid : ndarray of shape (n_grid,)
        positions : ndarray of shape (n_rows,)
            Rows of X.

        Yields
        ------
        positions : ndarray of shape (n_block,)
        curves : ndarray of shape (n_block, n_grid)
            A row is never split between blocks.
        """
        size = max(1, self.phantoms_per_call // len(grid))
        for start in range(0, len(positions), size):
            block = positions[start : start + size]
            values = np.broadcast_to(grid, (len(block), len(grid)))
            yield block, self.evaluate(feature, at_issue, block, values)

    def evaluate(
        self,
        feature: object,
        at_issue: int,
        positions: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Predict rows with the feature set to given values.

        Parameters
        ----------
        feature, at_issue
            As for `blocks`.
        positions : ndarray of shape (n_rows,)
        values : ndarray of shape (n_rows, n_values)
            What each row's feature is set to.

        Returns
        -------
        ndarray of shape (n_rows, n_values)

        Raises
        ------
        PredictionError
            If the model raises or returns a number that is not finite; names feature, grid value
            and row.
        """
        n_rows, n_values = values.shape
        predictions = np.empty((n_rows, n_values))
        rows_per_call = max(1, self.phantoms_per_call // n_values)
        values_per_call = min(n_values, self.phantoms_per_call)
        for row in range(0, n_rows, rows_per_call):
            for column in range(0, n_values, values_per_call):
                at = np.s_[row : row + rows_per_call, column : column + values_per_call]
                predictions[at] = self._call(feature, at_issue, positions[at[0]], values[at])
        return predictions

    def _call(
        self,
        feature: object,
        at_issue: int,
        positions: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        try:
            flat = self._predict(self._rows.phantoms(positions, at_issue, values))
        except PredictionError:
            raise
        except Exception as error:
            where = self._culprit(at_issue, positions, values)
            raise PredictionError.failed_on_phantoms(feature, where, error) from error
        predictions = flat.reshape(values.shape)
        if not np.isfinite(predictions).all():
            row, column = np.argwhere(~np.isfinite(predictions))[0]
            where = _place(values[row, column], positions[row])
            raise PredictionError.not_finite(feature, where, float(predictions[row, column]))
        return predictions

    def _culprit(self, at_issue: int, positions: NDArray[np.int64], values: NDArray[np.float64]) -> str:
        """Say on which phantom the model fails, by asking for halves of the block that failed."""
        rows = np.repeat(positions, values.shape[1])
        single = values.reshape(-1, 1)
        low, high = 0, len(rows)
        while high - low > 1:
            middle = (low + high) // 2
            if self._fails(at_issue, rows[low:middle], single[low:middle]):
                high = middle
            elif self._fails(at_issue, rows[middle:high], single[middle:high]):
                low = middle
            else:
                # Neither half fails alone: the failure belongs to the block as a whole.
                return (
                    f"grid values {_number(values.min())} to {_number(values.max())}, "
                    f"rows {positions[0]} to {positions[-1]} of X"
                )
        return _place(single[low, 0], rows[low])

    def _fails(self, at_issue: int, positions: NDArray[np.int64], values: NDArray[np.float64]) -> bool:
        try:
            self._predict(self._rows.phantoms(positions, at_issue, values))
        except Exception:  # noqa: BLE001 - any failure of the user's model is what we look for
            return True
        return False


def _place(value: float, row: int) -> str:
    return f"grid value {_number(value)}, row {row} of X"


def _number(value: float) -> str:
    return repr(float(value))
