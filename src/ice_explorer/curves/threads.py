"""A pool of threads whose tasks share the locks of the calling thread."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ice_explorer.locks import share_locks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class ThreadPool:
    """Pool of threads; with one job, tasks run in the calling thread."""

    def __init__(self, n_jobs: int) -> None:
        self._pool = ThreadPoolExecutor(n_jobs) if n_jobs > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, task: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
        """Return the results of a task for all arguments, in their order."""
        if self._pool is None:
            return list(map(task, *arguments))
        return list(self._pool.map(share_locks(task), *arguments))

    def prefetch(
        self, task: Callable[[Argument], Result], arguments: Iterable[Argument], n_ahead: int
    ) -> Iterator[tuple[Argument, Result]]:
        """Yield arguments and results in their order, while at most `n_ahead` later tasks run."""
        if self._pool is None:
            yield from ((argument, task(argument)) for argument in arguments)
            return
        begun = deque[tuple[Argument, Future[Result]]]()
        for argument in arguments:
            begun.append((argument, self._pool.submit(share_locks(task), argument)))
            if len(begun) > n_ahead:
                done, result = begun.popleft()
                yield done, result.result()
        for done, result in begun:
            yield done, result.result()
