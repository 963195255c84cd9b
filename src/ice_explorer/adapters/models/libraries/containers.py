"""Convert X to the container that a library accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_pandas(rows: Any) -> Any:
    """Turn rows into a pandas DataFrame; arrays stay what they are."""
    frame = nw.from_native(rows, eager_only=True, pass_through=True)
    return frame.to_pandas() if isinstance(frame, nw.DataFrame) else rows


def as_matrix(rows: Any) -> NDArray[np.float64]:
    """Turn rows into one array of float64, (n_rows, n_columns)."""
    if hasattr(rows, "toarray"):  # sparse
        rows = rows.toarray()
    frame = nw.from_native(rows, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = [np.asarray(frame[:, position].to_numpy(), np.float64) for position in range(frame.shape[1])]
        return np.column_stack(columns)
    return np.asarray(rows, np.float64)


def two_classes(probability: Any) -> NDArray[np.float64]:
    """Put the probability of the first class beside that of the second, (n_rows, 2)."""
    second = np.asarray(probability, np.float64)
    return np.column_stack([1.0 - second, second])


def without_axis_of_one(returned: Any) -> Any:
    """Return the only column of a table that has one, as models with one unit or column at the end return."""
    shape = np.shape(returned)
    return np.asanyarray(returned)[:, 0] if len(shape) == 2 and shape[1] == 1 else returned  # a mask is kept
