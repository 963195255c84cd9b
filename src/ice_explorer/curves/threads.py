"""Threads that work for this one."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ice_explorer.locks import on_behalf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Workers:
    """Threads that work for this one; for one job there are none, and this one does everything itself."""

    def __init__(self, n_jobs: int) -> None:
        self._pool = ThreadPoolExecutor(n_jobs) if n_jobs > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def each(self, task: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
        """Do a task for all arguments side by side, as `map` does."""
        if self._pool is None:
            return list(map(task, *arguments))
        return list(self._pool.map(on_behalf(task), *arguments))

    def ahead(
        self, task: Callable[[Argument], Result], arguments: Iterable[Argument], n_ahead: int
    ) -> Iterator[tuple[Argument, Result]]:
        """Yield arguments and results in their order; meanwhile the next ones are worked on, at most `n_ahead`."""
        if self._pool is None:
            for argument in arguments:
                yield argument, task(argument)
            return
        begun = deque[tuple[Argument, Future[Result]]]()
        for argument in arguments:
            begun.append((argument, self._pool.submit(on_behalf(task), argument)))
            if len(begun) > n_ahead:
                done, result = begun.popleft()
                yield done, result.result()
        for done, result in begun:
            yield done, result.result()
