"""What workers of Dask do: a pass over one partition, and merging what was found in several."""

from __future__ import annotations

import pickle
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from distributed import get_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Pass(NamedTuple):
    """A pass over all partitions: what computes one, and what merges; see `passes`."""

    compute: Callable[..., Any]
    merge: Callable[..., Any]


class Shared:
    """A pass as bytes: Dask fetches them once for each worker, where it is made when it is first used."""

    def __init__(self, content: bytes) -> None:
        self._content, self._lock = content, Lock()
        self._held: Pass | None = None

    def __reduce__(self) -> tuple[type, tuple[bytes]]:
        return type(self), (self._content,)

    @property
    def value(self) -> Pass:
        """The pass."""
        with self._lock:
            if self._held is None:
                self._held = pickle.loads(self._content)  # noqa: S301 - of the client that this worker serves
            return self._held


def compute_partition(shared: Shared, rows: Any, weights: Any, partition: int, topic: str) -> Any:
    """Compute one partition, until it is cancelled."""
    worker: Any = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    found = shared.value.compute(rows, partition, weights, is_cancelled)
    worker.log_event(topic, (partition, len(rows)))
    return found


def merge_partitions(shared: Shared, found: Sequence[Any]) -> Any:
    """Merge what was found in some partitions."""
    return shared.value.merge(*found)
