"""Work on a cluster of Dask: objects that every worker has once, and results that are merged in a tree."""

from __future__ import annotations

import uuid
import warnings
from contextlib import contextmanager
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import Cancelled, ICEExplorerError, InputTypeError, MissingDependencyError, PredictionError
from ice_explorer.errors.base import cause_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ice_explorer.distributed.partitions import Partitions

_MERGED_AT_A_TIME: Final = 8
_PAUSE: Final = 0.05  # seconds between two looks at what is done


class Cluster:
    """A client of Dask, and what its workers were given.

    - `client`: None for the one that is current, or where there is none one of this process, which `close` ends.
    """

    def __init__(self, client: Any) -> None:
        distributed = _distributed()
        self._own: Any = None
        if client is None:
            try:
                client = distributed.get_client()
            except ValueError:
                client = self._own = distributed.Client(processes=False, dashboard_address=":0")
        elif not isinstance(client, distributed.Client):
            raise InputTypeError.must("`client`", "a client of Dask", client, "Pass `distributed.Client(...)`.")
        self.client = client

    @property
    def n_threads(self) -> int:
        """Threads of all workers."""
        return max(1, sum(map(int, self.client.nthreads().values())))

    def close(self) -> None:
        """End what was started here."""
        if self._own is not None:
            self._own.close()
            self._own = None

    @contextmanager
    def sharing(self, value: Any) -> Iterator[str]:
        """Give an object to every worker for as long as this lasts; yield its name."""
        from distributed.protocol.pickle import dumps

        from ice_explorer.distributed.shared import Shared

        name = f"ice-explorer-{uuid.uuid4().hex}"
        try:
            content: bytes = dumps(value)  # type: ignore[no-untyped-call]
        except Exception as error:
            raise PredictionError(
                f"The model must be one that can be pickled, to be sent to a cluster: {cause_of(error)}",
                "Define it in a module that the workers can import, or leave out what cannot be pickled.",
            ) from error
        self.client.register_plugin(Shared(name, content), name=name)
        try:
            yield name
        finally:
            self.client.unregister_worker_plugin(name)

    def reduced(
        self,
        compute: Callable[..., Any],
        merge: Callable[..., Any],
        partitions: Partitions,
        name: str,
        *,
        done: Callable[[int], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Any:
        """Compute all partitions, and merge what comes of them, eight at a time; None where nothing does.

        - `compute`: of the rows of a partition, their weights, its number, the topic of its reports and `name`.
        - `merge`: of a list of such results, and `name`.
        - `name`: of what tasks share.
        - `done`: called with what each partition has reported first.
        - `cancelled`: asked now and then; True ends the work on the cluster, too.
        - raises Cancelled, ICEExplorerError, or what the model raised.
        """
        from dask.delayed import delayed

        topic = f"{name}-{uuid.uuid4().hex[:8]}"
        reported: dict[int, int] = {}
        waiting: list[int] = []

        def receive(event: tuple[float, tuple[int, int]]) -> None:
            partition, count = event[1]
            if partition not in reported:
                reported[partition] = count
                waiting.append(count)

        computed, merged = delayed(compute, pure=False), delayed(merge, pure=False)
        level = [computed(rows, partitions.weights_of(at), at, topic, name) for at, rows in enumerate(partitions.rows)]
        while len(level) > 1:
            level = [merged(level[at : at + _MERGED_AT_A_TIME], name) for at in range(0, len(level), _MERGED_AT_A_TIME)]
        self.client.subscribe_topic(topic, receive)
        try:
            with warnings.catch_warnings():  # rows that are here have to be sent
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
        while not future.done():  # its callbacks are called by an executor that may have ended with another client
            sleep(_PAUSE)
            while waiting and done is not None:
                done(waiting.pop())
            if cancelled is not None and cancelled():
                raise Cancelled("The work on the cluster was cancelled.")
        try:
            return future.result()
        except ICEExplorerError:
            raise
        except Exception as error:
            raise PredictionError(
                f"The cluster failed: {cause_of(error)}",
                "Look at the logs of its workers: `client.get_worker_logs()`. Where they run out of memory use more, "
                "smaller partitions: `X.repartition(...)`.",
            ) from error


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MissingDependencyError.extra("Explaining rows on a cluster", "distributed", "distributed") from error
    return distributed
