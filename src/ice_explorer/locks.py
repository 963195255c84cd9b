"""Locks that survive a fork, one for each model, which one explanation at a time calls, and threads that share them."""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import takewhile
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from ice_explorer.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from threading import RLock
else:
    RLock = type(threading.RLock())

Argument = TypeVar("Argument")
Result = TypeVar("Result")
Task = TypeVar("Task", bound="Callable[..., Any]")

_PACKAGE: Final = __name__.partition(".")[0]
_SECONDS_BETWEEN_CHECKS: Final = 0.1  # for a cancel, and for Ctrl-C on Windows


class _Thread(threading.local):
    """State of one thread: the locks that it holds, what cancels its work, and what is due between blocks of it."""

    held: tuple[ModelLock, ...] = ()
    is_cancelled: Callable[[], bool] | None = None
    between_blocks: Callable[[], object] | None = None


_thread = _Thread()
_locks: weakref.WeakSet[Lock] = weakref.WeakSet()
_model_locks: weakref.WeakValueDictionary[int, ModelLock] = weakref.WeakValueDictionary()


class Lock(RLock):  # type: ignore[misc]  # final in the stubs alone
    """Re-entrant lock that is free in each process that is forked from this one, and in pickles."""

    def __init__(self) -> None:
        _locks.add(self)

    def __reduce__(self) -> tuple[type[Lock], tuple[()]]:
        return Lock, ()


class ModelLock:
    """Re-entrant lock of one model, which is kept alive so that its `id` is not reused."""

    def __init__(self, model: object) -> None:
        self._model = model
        self.reset()

    def reset(self) -> None:
        """Forget all callers."""
        self._changed = threading.Condition()  # of a re-entrant lock: a garbage collection may end another call
        self._callers: dict[object, object] = {}  # with their groups, in the order in which they came

    def call(self, task: Callable[[Any], Result], argument: object, group: object = None) -> Result:
        """Wait until no one else calls the model, then call the task, which calls the model.

        Callers of the same group call side by side; by default a caller is alone. A thread that holds the lock, as
        where a model explains itself, does not wait.

        - raises Cancelled: while waiting, soon after the work of the thread is cancelled; see `working`.
        """
        before, caller = _thread.held, object()
        if self in before:
            return task(argument)
        # Not a context manager: Ctrl-C could come between its methods and the block.
        try:
            with self._changed:
                self._callers[caller] = group
                while not self._is_admitted(caller, group):
                    self._changed.wait(_SECONDS_BETWEEN_CHECKS)
                    if _thread.is_cancelled is not None and _thread.is_cancelled():
                        raise Cancelled
            _thread.held = (*before, self)
            return task(argument)
        finally:
            _thread.held = before
            try:
                self._leave(caller)
            except BaseException:  # Ctrl-C at this very moment
                self._leave(caller)
                raise

    def _is_admitted(self, caller: object, group: object) -> bool:
        earlier = takewhile(lambda entry: entry[0] is not caller, list(self._callers.items()))
        return all(group is not None and its_group is group for _, its_group in earlier)

    def _leave(self, caller: object) -> None:
        with self._changed:
            self._callers.pop(caller, None)  # a forked process has forgotten it
            self._changed.notify_all()


def find_bound_object(model: object) -> object:
    """Return the object that a method belongs to, also where its arguments are fixed by `partial`; else the model."""
    function = model
    while isinstance(function, functools.partial):
        function = function.func
    return function.__self__ if isinstance(function, MethodType) else model


def find_model_lock(model: object) -> ModelLock:
    """Return the lock of an object: always the same one, as long as anyone holds it."""
    with _model_locks_guard:
        return _model_locks.setdefault(id(model), ModelLock(model))


@contextmanager
def working(is_cancelled: Callable[[], bool], between_blocks: Callable[[], object] | None = None) -> Iterator[None]:
    """Do work in this thread that ends at the next `checkpoint`, or wait for a lock, once it is cancelled.

    - `between_blocks`: called at each checkpoint, in this thread alone.
    """
    before = _thread.is_cancelled, _thread.between_blocks
    _thread.is_cancelled, _thread.between_blocks = is_cancelled, between_blocks
    try:
        yield
    finally:
        _thread.is_cancelled, _thread.between_blocks = before


def checkpoint() -> None:
    """Do what is due between two blocks of a long computation, which may take other locks than those of a model.

    - raises Cancelled: if the work of this thread is cancelled.
    """
    if _thread.between_blocks is not None:
        _thread.between_blocks()
    if _thread.is_cancelled is not None and _thread.is_cancelled():
        raise Cancelled


def share_locks(task: Task) -> Task:
    """Return a task for another thread, which shares the locks of this one and is cancelled with it."""
    held, is_cancelled = _thread.held, _thread.is_cancelled

    @functools.wraps(task)
    def run(*args: Any, **kwargs: Any) -> Any:
        _thread.held, _thread.is_cancelled = held, is_cancelled
        return task(*args, **kwargs)

    return run  # type: ignore[return-value]


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


def _after_fork() -> None:
    """Free all locks: the threads that held them do not exist in a forked process."""
    for lock in list(_locks):
        lock._at_fork_reinit()  # type: ignore[attr-defined] # noqa: SLF001 - as the threading module does with its own
    for model_lock in list(_model_locks.values()):
        model_lock.reset()
    if sys.version_info < (3, 12):  # each cached property has a lock there
        modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == _PACKAGE]
        for each in {each for module in modules for each in vars(module).values() if isinstance(each, type)}:
            for member in vars(each).values():
                if isinstance(member, functools.cached_property):
                    member.lock = threading.RLock()  # type: ignore[attr-defined]


_model_locks_guard = Lock()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)
