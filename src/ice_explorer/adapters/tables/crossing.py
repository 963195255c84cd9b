"""Which rows take which columns from another row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Crossed = NDArray[np.int64] | Sequence[Sequence[int]]


def crossings(columns: Crossed) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each column that some row takes from its donor, with those rows by their place.

    - `columns` (n_rows,): the column, or the columns, that each row takes.
    """
    if isinstance(columns, np.ndarray):
        rows, taken = np.arange(len(columns)), columns
    else:
        rows = np.repeat(np.arange(len(columns)), [len(each) for each in columns])
        taken = np.array([column for each in columns for column in each], dtype=np.int64)
    for column in np.unique(taken).tolist():
        yield column, rows[taken == column]
