"""X as partitions: each is loaded, and freed again, by the worker that explains it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import InputDataError, InputTypeError, InvalidOptionError
from ice_explorer.errors.base import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS_OF_PARTITION: Final = 1000  # at least, where rows are sent to the cluster
_PARTITIONS_PER_THREAD: Final = 3  # so that all end at about the same time


def is_dask(data: object) -> bool:
    """Whether data are a DataFrame, a Series or an array of Dask, which is loaded if they are."""
    return _is_dask_frame(data) or _is_dask_array(data)


def _is_dask_frame(data: object) -> bool:
    frames: Any = sys.modules.get("dask.dataframe")
    return frames is not None and isinstance(data, frames.DataFrame | frames.Series)


def _is_dask_array(data: object) -> bool:
    arrays: Any = sys.modules.get("dask.array")
    return arrays is not None and isinstance(data, arrays.Array)


@dataclass(frozen=True, eq=False)
class Partitions:
    """Rows of X and their weights, partition by partition.

    - `rows`: what Dask computes for each partition, a table; or the table itself.
    - `weights`: the same for the weights; None where there are none.
    """

    rows: Sequence[Any]
    weights: Sequence[Any] | None

    def __len__(self) -> int:
        return len(self.rows)

    def weights_of(self, at: int) -> Any:
        """Return the weights of one partition."""
        return None if self.weights is None else self.weights[at]


def partitions_on_cluster(X: Any, sample_weight: Any) -> Partitions:
    """Return the partitions of a collection of Dask.

    - raises InputTypeError: if X is a Series, or the weights are in one place.
    - raises InputDataError: if X is no table.
    """
    if not _is_dask_array(X) and not isinstance(X, sys.modules["dask.dataframe"].DataFrame):
        raise InputTypeError.table(X)
    rows = _delayed(X)
    if sample_weight is None:
        return Partitions(rows, None)
    if not is_dask(sample_weight):
        raise InputTypeError.must(
            "`sample_weight`", "a Dask Series or array, as X is", sample_weight, "Pass a column of X: `X['weight']`."
        )
    weights = _delayed(sample_weight)
    if len(weights) != len(rows):
        raise InvalidOptionError.sample_weight(
            f"got {counted(len(weights), 'partition')} for {counted(len(rows), 'partition')} of X",
            "Pass a column of X before it is filtered or repartitioned.",
        )
    return Partitions(rows, weights)


def _delayed(data: Any) -> list[Any]:
    if not _is_dask_array(data):
        return list(data.to_delayed())
    if data.ndim not in {1, 2}:
        raise InputDataError(
            f"X must be two-dimensional; got an array of shape {data.shape}.", "Pass one row for each observation."
        )
    whole_rows = data.rechunk({1: -1}) if data.ndim == 2 else data
    return list(whole_rows.to_delayed().ravel())


def partitions_of_table(X: Any, sample_weight: Any, n_threads: int) -> Partitions:
    """Cut rows that are on this machine into partitions."""
    n_rows = X.shape[0]
    n_partitions = max(1, min(_PARTITIONS_PER_THREAD * n_threads, n_rows // _ROWS_OF_PARTITION))
    bounds = np.linspace(0, n_rows, n_partitions + 1).round().astype(int)
    places = [slice(start, stop) for start, stop in pairwise(bounds.tolist())]
    weights = None if sample_weight is None else [sample_weight[place] for place in places]
    return Partitions([_rows(X, place) for place in places], weights)


def _rows(X: Any, place: slice) -> Any:
    return X.iloc[place] if hasattr(X, "iloc") else X[place]
