"""What a worker of Dask has: objects that were sent to it once."""

from __future__ import annotations

import pickle
from threading import Event, Lock
from typing import Any, cast

from distributed import WorkerPlugin, get_worker


class Shared(WorkerPlugin):
    """An object that every worker gets once, and that workers that join later get, too.

    - `name`: by which tasks find it.
    - `content`: the object as bytes; it is made when it is first used.
    """

    idempotent = True

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self._content = name, content

    def __reduce__(self) -> tuple[type, tuple[str, bytes]]:
        return type(self), (self.name, self._content)

    def setup(self, worker: Any) -> None:  # noqa: ARG002 - as plugins have it
        """Begin on a worker."""
        self._lock, self._ended = Lock(), Event()
        self._held: Any = None

    def teardown(self, worker: Any) -> None:  # noqa: ARG002
        """End: tasks that run stop at their next block."""
        self._ended.set()

    def is_ended(self) -> bool:
        """Whether the work was cancelled or is done."""
        return self._ended.is_set()

    @property
    def value(self) -> Any:
        """The object."""
        with self._lock:
            if self._held is None:
                self._held = pickle.loads(self._content)  # noqa: S301 - of the client that this worker serves
            return self._held


def shared(name: str) -> Shared:
    """Return what this worker was given by name."""
    found: Any = get_worker().plugins[name]
    return cast("Shared", found)


def report(topic: str, partition: int, count: int) -> None:
    """Report that a partition is done."""
    get_worker().log_event(topic, (partition, count))
