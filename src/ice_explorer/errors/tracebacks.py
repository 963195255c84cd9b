"""Tracebacks of the user's mistakes: they end at the line that called the package.

A function that users call is decorated with `short_traceback`, a class with `short_tracebacks`. An `ICEExplorerError`
that leaves one of them has lost the frames of this package, but that of the decorator; its message says what to do. The
error of a model keeps the frames of the model, as `__cause__`. Other errors are faults of this package and keep
everything. The environment variable ICE_EXPLORER_TRACEBACK=1 keeps everything everywhere.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ice_explorer import version
from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGE: Final = str(Path(version.__file__).parent) + os.sep  # at its root
_KEPT: Final = (*functools.WRAPPER_ASSIGNMENTS, "__kwdefaults__")
_SPECIAL: Final = {"__init__", "__getitem__", "__setattr__", "__getstate__", "__copy__"}

F = TypeVar("F", bound="Callable[..., Any]")
C = TypeVar("C", bound=type)


def short_traceback(function: F) -> F:
    """Decorate a public function: the traceback of a user's mistake ends at the line that called it."""

    @functools.wraps(function, assigned=_KEPT)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except ICEExplorerError as error:
            if os.environ.get("ICE_EXPLORER_TRACEBACK") == "1":
                raise
            mistake, cause = error, error.__cause__
            if cause is not None:  # of a model: its frames alone
                frames = cause.__traceback__
                while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_PACKAGE):
                    frames = frames.tb_next
                cause = cause.with_traceback(frames)
            raise mistake.with_traceback(None) from cause  # ICE_EXPLORER_TRACEBACK=1 shows all frames

    return call  # type: ignore[return-value]


def short_tracebacks(cls: C) -> C:
    """Decorate a public class: its public methods and properties as `short_traceback` does."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name not in _SPECIAL:
            continue
        if isinstance(member, FunctionType):
            setattr(cls, name, short_traceback(member))
        elif isinstance(member, property) and member.fget is not None:
            setattr(cls, name, member.getter(short_traceback(member.fget)))
        elif isinstance(member, functools.cached_property):
            member.func = short_traceback(member.func)
    return cls
