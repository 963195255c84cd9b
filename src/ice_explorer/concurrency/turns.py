"""Turns: one model is called by one explanation at a time, however many threads explain it.

The turn belongs to the object that is called. It is found by identity, and exists as long as anyone who may call
the object holds it. Callers are admitted in the order in which they came.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from contextlib import contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from ice_explorer.concurrency.locks import new_lock
from ice_explorer.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS: Final = 0.1  # for a cancel, and for Ctrl-C on Windows


class _Here(threading.local):
    """What holds in one thread."""

    inside: tuple[Turn, ...] = ()
    is_cancelled: Callable[[], bool] | None = None


class _Caller:
    """One call of a model, waiting or inside."""

    def __init__(self, group: object) -> None:
        self.group = group
        self.gate = threading.Lock()  # opens with the caller's turn; an Event takes ten times as long to make
        self.gate.acquire()


class Turn:
    """The right to call one model.

    Parameters
    ----------
    model : object
        Kept alive, so that its identity is its own.
    """

    def __init__(self, model: object) -> None:
        self._model = model
        self.reset()

    def reset(self) -> None:
        """Forget all callers."""
        self._guard = threading.RLock()  # a garbage collection inside may end another call
        self._callers: list[_Caller] = []  # in the order in which they came; the first one is inside

    def call(self, task: Callable[[Any], Result], argument: object, group: object = None) -> Result:
        """Wait until no one else calls the model, then call it.

        Parameters
        ----------
        task : callable
            What calls the model.
        argument : object
            Of `task`.
        group : object, optional
            Callers of the same group call side by side; by default a caller is alone. A thread that is inside
            already, as where a model explains itself, is not kept waiting.

        Raises
        ------
        Cancelled
            While waiting, soon after what was given to `cancelled_by` is True.
        """
        before = _here.inside
        if self in before:
            return task(argument)
        caller = _Caller(group)
        # Not a context manager: Ctrl-C could come between its methods and the block.
        try:
            self._enter(caller)
            _here.inside = (*before, self)
            return task(argument)
        finally:
            _here.inside = before
            try:
                self._leave(caller)
            except BaseException:  # Ctrl-C at this very moment
                self._leave(caller)
                raise

    def _enter(self, caller: _Caller) -> None:
        with self._guard:
            self._callers.append(caller)
            self._admit()
        while not caller.gate.acquire(timeout=_SECONDS_BETWEEN_LOOKS):
            if _here.is_cancelled is not None and _here.is_cancelled():
                raise Cancelled

    def _leave(self, caller: _Caller) -> None:
        with self._guard:
            # In a process that was forked during the call, the caller is forgotten already.
            self._callers = [other for other in self._callers if other is not caller]
            self._admit()

    def _admit(self) -> None:
        """Admit the first caller, and those of its group that come right behind it."""
        for caller in self._callers:
            first = self._callers[0]
            if caller is not first and (caller.group is None or caller.group is not first.group):
                return
            if caller.gate.locked():
                caller.gate.release()


_here = _Here()
_turns: weakref.WeakValueDictionary[int, Turn] = weakref.WeakValueDictionary()
_turns_guard = new_lock()


def owner_of(model: object) -> object:
    """Return the object that a method belongs to, also where its arguments are fixed by `partial`; else the model."""
    function = model
    while isinstance(function, functools.partial):
        function = function.func
    return function.__self__ if isinstance(function, MethodType) else model


def turn_of(model: object) -> Turn:
    """Return the turn of an object: always the same one, as long as anyone holds it."""
    with _turns_guard:
        turn = _turns.get(id(model))
        if turn is None:
            turn = _turns[id(model)] = Turn(model)
        return turn


@contextmanager
def cancelled_by(is_cancelled: Callable[[], bool] | None) -> Iterator[None]:
    """Stop waiting for a turn in this thread once a function returns True."""
    before, _here.is_cancelled = _here.is_cancelled, is_cancelled
    try:
        yield
    finally:
        _here.is_cancelled = before


def as_here(task: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a task for a thread that works for this one: what this thread is inside of, it is inside of, too."""
    inside, is_cancelled = _here.inside, _here.is_cancelled

    @functools.wraps(task)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        _here.inside, _here.is_cancelled = inside, is_cancelled
        return task(*args, **kwargs)

    return run


def _forget_other_threads() -> None:
    """In a forked process, whose only thread is the one that forked: those that held turns are not there."""
    for turn in list(_turns.values()):
        turn.reset()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_other_threads)
