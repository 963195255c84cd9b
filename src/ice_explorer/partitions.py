"""`explain_partitions`: rows that are on a cluster of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ice_explorer.distributed.passes import explained
from ice_explorer.errors import InputTypeError, UnknownOptionError
from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.results.options import DEFAULTS, Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.explanation import Explanation

_ELSEWHERE: Final = ("sample_weight", "progress", "client")  # weights are passed to `compute`, the others are of `run`
OPTIONS: Final = tuple(name for name in DEFAULTS if name not in _ELSEWHERE)


@short_traceback
def explain_partitions(model: Any, run: Callable[..., Any], **options: Any) -> Explanation:
    """Explain rows that are partitions on a cluster, such as one of Spark or Ray.

    For Dask, pass a Dask DataFrame to `explain`. Metrics, partial dependence and spread are those of all rows, and the
    explanation has a sample of 10,000 rows for curves, drivers and effects.

    Parameters
    ----------
    model : object
        Fitted model, or a function, as for `explain`; it is sent to the cluster.
    run : callable
        Function of (compute, merge), called twice: once to find what all rows hold, and once to explain them. It
        calls `compute(rows, number)`, or `compute(rows, number, sample_weight)`, for each partition, where `rows` are
        a pandas DataFrame or an array and `number` is another integer of at least 0 for each partition; merges the
        results by `merge(*results)`, in any tree; and returns the one that is left. Functions and results can be
        pickled, and partitions must have the same rows in both calls.
    **options
        Options of `explain`, except for `sample_weight`, `progress` and `client`, and for those that need all rows in
        one place: `budget`, `sample`, `grid="thresholds"` or an explanation, and `distance`.

    Returns
    -------
    Explanation

    Raises
    ------
    ICEExplorerError
        If an argument cannot be used, or a partition differs from the others; what `run` raises is left as it is.

    Examples
    --------
    >>> import numpy as np
    >>> partitions = [np.column_stack([np.arange(5.0) + start, np.arange(5.0) % 2]) for start in (0, 5)]
    >>> def run(compute, merge):
    ...     return merge(*[compute(rows, number) for number, rows in enumerate(partitions)])
    >>> explain_partitions(lambda X: 2 * X[:, 0] - X[:, 1], run).table()["impact"].round(3).to_dict()
    {'x0': 5.745, 'x1': 0.49}
    """
    unknown = next((name for name in options if name not in OPTIONS), None)
    if unknown is not None:
        raise UnknownOptionError.keyword("explain_partitions", unknown, OPTIONS)
    if not callable(run):
        raise InputTypeError.must("`run`", "a function of (compute, merge)", run, "Its docstring has an example.")
    return explained(model, run, Options(**options))
