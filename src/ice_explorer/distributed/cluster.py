"""Work on a cluster of Dask: partitions are computed where they are, and results merged in a tree."""

from __future__ import annotations

import uuid
import warnings
from contextlib import suppress
from time import sleep
from typing import TYPE_CHECKING, Any, Final, cast

from ice_explorer.errors import Cancelled, ICEExplorerError, InputTypeError, MissingDependencyError, PredictionError
from ice_explorer.errors.base import cause_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.distributed.partitions import Partitions

_MERGED_AT_A_TIME: Final = 8
_PAUSE: Final = 0.05  # seconds between two looks at what is done


class Cluster:
    """A client of Dask.

    - `client`: None for the one that is current, or where there is none one of this process, which `close` ends.
    """

    def __init__(self, client: Any) -> None:
        distributed = _distributed()
        if client is None:
            with suppress(ValueError):  # there is none
                client = distributed.get_client()
        elif not isinstance(client, distributed.Client):
            raise InputTypeError.must("`client`", "a client of Dask", client, "Pass `distributed.Client(...)`.")
        self._given, self._own = client, cast("Any", None)

    @property
    def client(self) -> Any:
        """The client that was given, or one of this process, which is started when it is first used."""
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = _distributed().Client(processes=False, dashboard_address=":0")
        return self._own

    @property
    def n_threads(self) -> int:
        """Threads of all workers."""
        return max(1, sum(map(int, self.client.nthreads().values())))

    def close(self) -> None:
        """End what was started here."""
        if self._own is not None:
            self._own.close()
            self._own = None

    def reduced(
        self,
        compute: Callable[..., Any],
        merge: Callable[..., Any],
        partitions: Partitions,
        *,
        done: Callable[[int], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Any:
        """Compute all partitions, and merge what comes of them, eight at a time; None where nothing does.

        - `compute`, `merge`: see `passes`; they are sent once to each worker.
        - `done`: called with the rows of each partition that is done.
        - `cancelled`: asked now and then; True ends the work on the cluster, too.
        - raises Cancelled, ICEExplorerError, or what the model raised.
        """
        from dask.delayed import delayed

        from ice_explorer.distributed.work import Pass, Shared, compute_partition, merge_partitions

        topic = f"ice-explorer-{uuid.uuid4().hex}"
        reported: set[int] = set()
        waiting: list[int] = []

        def receive(event: tuple[float, tuple[int, int]]) -> None:
            partition, n_rows = event[1]
            if partition not in reported:  # else a worker was lost with it
                reported.add(partition)
                waiting.append(n_rows)

        computed, merged = delayed(compute_partition, pure=False), delayed(merge_partitions, pure=False)
        shared = delayed(Shared, pure=False)(_pickled(Pass(compute, merge)))
        level = [
            computed(shared, rows, partitions.weights_of(at), at, topic) for at, rows in enumerate(partitions.rows)
        ]
        while len(level) > 1:
            level = [
                merged(shared, level[at : at + _MERGED_AT_A_TIME]) for at in range(0, len(level), _MERGED_AT_A_TIME)
            ]
        self.client.subscribe_topic(topic, receive)
        try:
            with warnings.catch_warnings():  # the model, and rows that are here, have to be sent
                warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
                future = self.client.compute(level[0])
            try:
                return self._result(future, waiting, done, cancelled)
            except BaseException:
                future.cancel()
                raise
        finally:
            self.client.unsubscribe_topic(topic)

    def _result(
        self,
        future: Any,
        waiting: list[int],
        done: Callable[[int], object] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Any:
        """Wait for a result."""
        while True:
            is_done = future.done()  # what is reported before is here by then
            while waiting and done is not None:
                done(waiting.pop())
            if is_done:
                break
            if cancelled is not None and cancelled():
                raise Cancelled("The work on the cluster was cancelled.")
            sleep(_PAUSE)
        try:
            return future.result()
        except ICEExplorerError:
            raise
        except ImportError as error:
            raise PredictionError(
                f"The workers must have the modules of the model: {cause_of(error)}",
                "Install the module there, or send it: `client.upload_file(...)`.",
            ) from error
        except Exception as error:
            raise PredictionError(
                f"The cluster failed: {cause_of(error)}",
                "Look at the logs of its workers: `client.get_worker_logs()`. Where they run out of memory use more, "
                "smaller partitions: `X.repartition(...)`.",
            ) from error


def _pickled(value: Any) -> bytes:
    from distributed.protocol.pickle import dumps

    try:
        content: bytes = dumps(value)  # type: ignore[no-untyped-call]
    except Exception as error:
        raise PredictionError(
            f"The model must be one that can be pickled, to be sent to a cluster: {cause_of(error)}",
            "Define it in a module that the workers can import, or leave out what cannot be pickled.",
        ) from error
    return content


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MissingDependencyError.extra("Explaining rows on a cluster", "distributed", "distributed") from error
    return distributed
