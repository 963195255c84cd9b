"""Explain rows that are partitions on a cluster of any kind, such as one of Spark or Ray.

Partitions are read twice: `summarise` each, `merge` the results, and choose the grids of all rows with `make_grids`;
then sum each on these with `partial_sums`, `merge`, and `finish`. Results can be pickled, and merged in any tree.
For Dask, pass a DataFrame or array of Dask to `explain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from ice_explorer.cluster.passes import (
    Grids,
    Summary,
    Sums,
    check_options,
    check_rows,
    explain_feature,
    name_partition,
    plan_sample,
    sum_rows,
    summarise_rows,
)
from ice_explorer.errors import DataError
from ice_explorer.errors.tracebacks import short_traceback, unknown_keyword
from ice_explorer.results.options import DEFAULTS, Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ice_explorer.explanation import Explanation

__all__ = ["finish", "make_grids", "merge", "partial_sums", "summarise"]

OPTIONS: Final = tuple(name for name in DEFAULTS if name not in {"sample_weight", "progress"})

Result = TypeVar("Result", bound=Summary | Sums)


@short_traceback
def summarise(
    model: Any, rows: Any, number: int, sample_weight: ArrayLike | None = None, **options: Any
) -> Summary | None:
    """Return what the columns of a partition hold: distinct values, moments, levels, and a sample of the rows.

    Parameters
    ----------
    model : object
        Fitted model, or a function, as for `explain`.
    rows : DataFrame or ndarray
        The rows of the partition.
    number : int
        A different integer of at least 0 for each partition: the seed of its sample, and its name in errors.
    sample_weight : array-like of shape (n_rows,), optional
        Frequency weights of at least 0.
    **options
        Options of `explain`, the same for all partitions, except for `progress` and those that need all rows in one
        place: `budget`, `sample`, `distance`, and an explanation or "thresholds" as `grid`.

    Returns
    -------
    Summary or None
        None where the partition has no rows.

    Raises
    ------
    ICEExplorerError
        If an option cannot be used, or a column cannot be explained.

    Examples
    --------
    >>> import numpy as np
    >>> def model(X):
    ...     return 2 * X[:, 0] - X[:, 1]
    >>> partitions = [np.column_stack([np.arange(5.0) + start, np.arange(5.0) % 2]) for start in (0, 5)]
    >>> summary = merge(*[summarise(model, rows, number) for number, rows in enumerate(partitions)])
    >>> grids = make_grids(model, summary)
    >>> sums = merge(*[partial_sums(model, rows, number, grids) for number, rows in enumerate(partitions)])
    >>> finish(model, summary, sums).table()["impact"].round(3).to_dict()
    {'x0': 5.745, 'x1': 0.49}
    """
    unknown = next((name for name in options if name not in OPTIONS), None)
    if unknown is not None:
        raise unknown_keyword("summarise", unknown, OPTIONS)
    checked = Options(**options)
    check_options(checked)
    with name_partition(number):
        return summarise_rows(model, rows, number, sample_weight, checked) if len(rows) else None


@short_traceback
def merge(*results: Result | None) -> Result | None:
    """Return one result in place of the results of several partitions; None where all are None.

    Parameters
    ----------
    *results : Summary, Sums or None
        Results of `summarise`, of `partial_sums`, or of `merge`. Their order changes figures by rounding, and grids of
        columns with more than 65,536 distinct values within the error that a note states.

    Returns
    -------
    Summary, Sums or None

    Raises
    ------
    ICEExplorerError
        If results are of different kinds, or partitions have different dtypes.
    """
    given: list[Any] = [result for result in results if result is not None]
    kind = type(given[0]) if given else Summary
    for result in given:
        if not isinstance(result, kind) or kind not in {Summary, Sums}:
            advice = "Write `merge(*results)`, once for each of the two passes."
            raise DataError(
                f"Each result must be one of `summarise`, or each of `partial_sums`; got {type(result).__name__}.",
                advice,
            )
    merged: Result | None = given[0].merge(given[1:]) if given else None
    return merged


@short_traceback
def make_grids(model: Any, summary: Summary | None) -> Grids:
    """Return the grids, scales and levels of all rows, which are sent to the workers.

    Parameters
    ----------
    model : object
        As for `summarise`.
    summary : Summary
        Of all partitions, merged.

    Returns
    -------
    Grids

    Raises
    ------
    ICEExplorerError
        If no row has weight, or no column can be explained.
    """
    _check_merged(summary, Summary, "`summary`")
    return plan_sample(model, summary)[1]


@short_traceback
def partial_sums(
    model: Any,
    rows: Any,
    number: int,
    grids: Grids,
    sample_weight: ArrayLike | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> Sums | None:
    """Return the sums that the metrics of a partition are made of.

    Parameters
    ----------
    model, rows, number, sample_weight
        As for `summarise`; a partition has the same rows in both calls.
    grids : Grids
        From `make_grids`.
    cancelled : callable, optional
        Called between blocks of rows; True ends the work with `Cancelled`.

    Returns
    -------
    Sums or None
        None where no row has weight.

    Raises
    ------
    ICEExplorerError
        If the model fails, or a column differs from those of the other partitions.
    """
    if len(rows) == 0 or (sample_weight is not None and not np.any(np.asarray(sample_weight) > 0)):
        return None
    with name_partition(number):
        return sum_rows(model, rows, sample_weight, grids, cancelled)


@short_traceback
def finish(model: Any, summary: Summary | None, sums: Sums | None) -> Explanation:
    """Return the explanation: metrics, partial dependence and spread of all rows, and a sample of 10,000 rows.

    Parameters
    ----------
    model : object
        As for `summarise`.
    summary, sums : Summary, Sums
        Of all partitions, merged.

    Returns
    -------
    Explanation
        Curves, drivers and effects are those of the sample.

    Raises
    ------
    ICEExplorerError
        If partitions had other rows in the second pass.
    """
    _check_merged(summary, Summary, "`summary`")
    _check_merged(sums, Sums, "`sums`")
    plan, grids = plan_sample(model, summary)
    checked = check_rows(sums, grids)
    results = {name: explain_feature(plan, name, checked) for name in plan.features}
    return plan.explanation(results, [*grids.notes, *checked.notes])


def _check_merged(result: object, kind: type, name: str) -> None:
    if result is not None and not isinstance(result, kind):
        advice = "Merge the results of all partitions until one is left: `merge(*results)`."
        raise DataError(
            f"{name} must be one {kind.__name__}, that of all partitions; got {type(result).__name__}.", advice
        )


def __dir__() -> list[str]:
    return __all__
