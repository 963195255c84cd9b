"""Locks that a forked process can take: a thread that holds one in the parent does not exist in the child."""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_locks: weakref.WeakSet[Any] = weakref.WeakSet()


def new_lock() -> threading.RLock:
    """Return a lock that is free in each process that is forked from this one."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def _free_all() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # noqa: SLF001 - as the threading module does with its own
    if sys.version_info < (3, 12):
        _free_cached_properties()


def _free_cached_properties() -> None:
    """Replace the lock that each cached property of this package has in Python 3.11."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == _PACKAGE]
    classes = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    for each in classes:
        for member in vars(each).values():
            if isinstance(member, functools.cached_property):
                member.lock = threading.RLock()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
