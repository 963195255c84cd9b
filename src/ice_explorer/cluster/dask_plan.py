"""Rows that Dask has: partitions are computed where they are, and results merged in a tree."""

# ruff: noqa: SLF001 - a plan of a cluster is made of one of this machine

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from functools import partial
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from ice_explorer import cluster
from ice_explorer import plan as one_machine
from ice_explorer.checks import weights_error
from ice_explorer.cluster import check_options, check_rows, explain_feature, plan_sample
from ice_explorer.errors import (
    DataError,
    ICEExplorerError,
    MissingPackageError,
    OptionError,
    PredictionError,
)
from ice_explorer.errors.base import cause_of, counted
from ice_explorer.locks import checkpoint
from ice_explorer.plan import Plan
from ice_explorer.tables.table import no_table_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.cluster import Grids, Summary, Sums
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.options import Options
    from ice_explorer.tables.column import Name

_MERGED_AT_A_TIME: Final = 8
_PAUSE: Final = 0.05  # seconds between two looks at what is done


def prepare_on_dask(model: Any, X: Any, options: Options, *, y: object = None) -> Plan:
    """Read what all rows of a collection of Dask hold, and plan the explanation of a sample of them.

    Arguments are those of `plan.prepare`.
    """
    check_options(options)
    if y is not None:
        raise OptionError("`y` needs all rows in one place, but X is on a cluster.", "Leave it out.")
    partitions = _read_partitions(X, options.sample_weight)
    client = _current_client()
    of_partitions = {name: getattr(options, name) for name in cluster.OPTIONS}
    summary = _reduce(client, partial(cluster.summarise, model, **of_partitions), partitions)
    plan, grids = plan_sample(model, summary, progress=options.progress)
    return _DaskPlan(plan, (model, summary, grids), client, partitions)


def _read_partitions(X: Any, sample_weight: Any) -> list[tuple[Any, Any]]:
    """Return what Dask computes for each partition: its rows, and their weights, None where there are none."""
    if not hasattr(X, "columns") and not hasattr(X, "rechunk"):
        raise no_table_error(X)
    rows = _delayed(X)
    if sample_weight is None:
        return [(each, None) for each in rows]
    if not hasattr(sample_weight, "to_delayed"):
        raise DataError(
            f"`sample_weight` must be a Dask Series or array, as X is; got {type(sample_weight).__name__}.",
            "Pass a column of X: `X['weight']`.",
        )
    weights = _delayed(sample_weight)
    if len(weights) != len(rows):
        raise weights_error(
            f"got {counted(len(weights), 'partition')} for {counted(len(rows), 'partition')} of X",
            "Pass a column of X before it is filtered or repartitioned.",
        )
    return list(zip(rows, weights, strict=True))


def _delayed(data: Any) -> list[Any]:
    if not hasattr(data, "rechunk"):
        return list(data.to_delayed())
    return list(data.rechunk(dict.fromkeys(range(1, data.ndim), -1)).to_delayed().ravel())


class _DaskPlan(Plan):
    """A plan of a sample of the rows, whose metrics are those of all partitions."""

    is_on_cluster = True

    def __init__(
        self, plan: Plan, first_pass: tuple[Any, Summary, Grids], client: Any, partitions: list[tuple[Any, Any]]
    ) -> None:
        self._model, self._summary, self._grids = first_pass
        super().__init__(plan._context, plan._method, list(plan._inputs.values()), [*self._grids.notes, *plan._notes])
        self._client, self._partitions = client, partitions
        self._waiting = Lock()
        self._merged: Sums | None = None

    @property
    def n_predictions(self) -> int:
        """Predictions that all features take, on the cluster."""
        return sum(feature.n_predictions_per_row for feature in self._inputs.values()) * self._grids.n_rows

    def of_output(self, model: Any, X: Any, options: Options) -> Plan:  # noqa: ARG002 - X is on the cluster
        """Return the plan of another output on the sample."""
        of_sample = replace(options, sample_weight=self._context.weights)
        return one_machine.prepare(model, self._summary.rows, of_sample, whole=self._grids)

    def compute(
        self, feature: Name, progress: Callable[[int, int, str], object] = lambda *_: None
    ) -> FeatureExplanation:
        """Return one feature; the first one waits for all partitions."""

        def report(before: int, after: int) -> None:
            total, n = self.n_predictions, len(self._partitions)
            progress(total * after // n - total * before // n, total, f"{n:,} partitions")

        with self._waiting:
            if self._merged is None:
                sum_partition = partial(cluster.partial_sums, self._model, grids=self._grids)
                merged = _reduce(self._client, sum_partition, self._partitions, report)
                self._merged = check_rows(merged, self._grids)
                self._notes += self._merged.notes
        return explain_feature(self, feature, self._merged)


def _current_client() -> Any:
    try:
        from distributed import get_client
    except ImportError as error:
        raise MissingPackageError.extra("Explaining rows on a cluster", "distributed", "distributed") from error
    try:
        return get_client()
    except ValueError:
        return None


def _reduce(
    client: Any,
    compute: Callable[..., Any],
    partitions: Sequence[tuple[Any, Any]],
    report: Callable[[int, int], object] | None = None,
) -> Any:
    """Compute all partitions, and merge the results, eight at a time; None where all are None.

    - `client`: None for workers in this process, which end with the work. `compute` is sent once to each worker.
    - `report`: called with numbers of partitions that were and are done; `compute` can be cancelled then, and what
      ends the work of this thread ends it on the cluster.
    """
    from dask.delayed import delayed

    if client is None:
        from distributed import Client

        # It is no default, which a call in another thread would use until it is closed.
        local = Client(processes=False, dashboard_address=":0", set_as_default=False)  # type: ignore[no-untyped-call]
        with local:
            return _reduce(local, compute, partitions, report)
    computed, merged = delayed(_compute_partition, pure=False), delayed(cluster.merge, pure=False)
    sent = delayed(pickle.loads, pure=False)(_pickle(compute))  # bytes, so that each worker makes the model once
    can_cancel = report is not None
    level = [computed(sent, rows, weights, number, can_cancel) for number, (rows, weights) in enumerate(partitions)]
    watched = level if can_cancel else []
    while len(level) > 1:
        level = [merged(*level[k : k + _MERGED_AT_A_TIME]) for k in range(0, len(level), _MERGED_AT_A_TIME)]
    try:
        return _wait_for(client, [*watched, level[0]], report)
    except ICEExplorerError:
        raise
    except Exception as error:
        raise _failure(client, error) from error


def _wait_for(client: Any, results: Sequence[Any], report: Callable[[int, int], object] | None) -> Any:
    n_reported, is_done = 0, False
    with warnings.catch_warnings():  # the model has to be sent
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        *parts, future = client.compute(results)
    try:
        while not is_done:
            is_done = future.done()
            n_done = len(parts) if is_done else sum(part.done() for part in parts)
            if report is not None and n_done > n_reported:  # fewer are where a worker was lost
                report(n_reported, n_done)
                n_reported = n_done
            if not is_done:
                checkpoint()
            sleep(0 if is_done else _PAUSE)
        return future.result()
    finally:
        for each in (*parts, future):  # what is not done is cancelled; `Client.cancel` fails at merges inside the tree
            each.release()


def _failure(client: Any, error: Exception) -> PredictionError:
    if client.status != "running":
        return PredictionError(
            "The client of Dask must be open and connected until the explanation is complete; it is not any more.",
            "Connect again, `client = distributed.Client(...)`, and repeat the call.",
        )
    if isinstance(error, ImportError):
        return PredictionError(
            f"The workers must have the modules of the model: {cause_of(error)}",
            "Install the module there, or send it: `client.upload_file(...)`.",
        )
    return PredictionError(
        f"The cluster failed: {cause_of(error)}",
        "Look at the logs of its workers: `client.get_worker_logs()`. Where they run out of memory use more, "
        "smaller partitions: `X.repartition(...)`.",
    )


def _compute_partition(compute: Callable[..., Any], rows: Any, weights: Any, number: int, can_cancel: bool) -> Any:  # noqa: FBT001 - Dask passes it by position
    from distributed import get_worker

    worker: Any = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return compute(rows, number, sample_weight=weights, **{"cancelled": is_cancelled} if can_cancel else {})


def _pickle(value: Any) -> bytes:
    from distributed.protocol.pickle import dumps

    try:
        content: bytes = dumps(value)  # type: ignore[no-untyped-call]
    except Exception as error:
        raise PredictionError(
            f"The model must be one that can be pickled, to be sent to a cluster: {cause_of(error)}",
            "Define it in a module that the workers can import, or leave out what cannot be pickled.",
        ) from error
    return content
