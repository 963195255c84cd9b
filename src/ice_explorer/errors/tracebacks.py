"""Tracebacks of the user's mistakes: they end at the line that called the package.

A function that users call is decorated with `short_traceback`, a class with `short_tracebacks`. An
`ICEExplorerError` that leaves one of them has lost the frames of this package; its message says what
to do. A keyword that the function does not have becomes an `UnknownOptionError` here, so that signatures list their
options alone, for type checkers. The error of a model keeps the frames of the model, as `__cause__`. Other errors are
faults of this package and keep everything. The environment variable ICE_EXPLORER_TRACEBACK=1 keeps everything
everywhere.

What shows a traceback, shows it without the one frame that is left, that of the decorator: pytest
because of `__tracebackhide__`, IPython by `ICEExplorerError._render_traceback_`, and Python itself by
`sys.excepthook`, which is replaced where a program has none of its own.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ice_explorer import version
from ice_explorer.errors import ICEExplorerError, InputTypeError, UnknownOptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

_VARIABLE: Final = "ICE_EXPLORER_TRACEBACK"
_PACKAGE: Final = str(Path(version.__file__).parent) + os.sep  # at its root
_KEPT: Final = (*functools.WRAPPER_ASSIGNMENTS, "__kwdefaults__")
_SPECIAL: Final = {"__init__", "__getitem__", "__setattr__", "__getstate__"}

F = TypeVar("F", bound="Callable[..., Any]")
C = TypeVar("C", bound=type)


def short_traceback(function: F) -> F:
    """Decorate a public function: the traceback of a user's mistake ends at the line that called it."""

    @functools.wraps(function, assigned=_KEPT)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except (ICEExplorerError, TypeError) as error:
            if os.environ.get(_VARIABLE) == "1":
                raise
            mistake = _mistake(error, function, kwargs)
            if mistake is None:
                raise
            if sys.excepthook is sys.__excepthook__:
                sys.excepthook = _show
            raise mistake.with_traceback(None) from _from_its_model(error.__cause__)

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


def _mistake(
    error: ICEExplorerError | TypeError, function: Callable[..., Any], keywords: Mapping[str, object]
) -> ICEExplorerError | None:
    """Return what the user did wrong: also where arguments do not fit, which the call itself raises, in no frame."""
    if isinstance(error, ICEExplorerError):
        return error
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return None
    parameters = inspect.signature(function).parameters
    unknown = next((name for name in keywords if name not in parameters), None)
    if unknown is None:
        return InputTypeError(f"{error}.")
    options = [name for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY or "=" in str(each)]
    options = [name for name in options if name not in {"X", "y"}]
    return UnknownOptionError.keyword(function.__name__, unknown, options)


def _from_its_model(cause: BaseException | None) -> BaseException | None:
    """Return a cause whose traceback begins behind the frames of this package."""
    if cause is None:
        return None
    traceback = cause.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        traceback = traceback.tb_next
    return cause.with_traceback(traceback)


def _show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Show an error that ends the program as Python does, but for the frame of the decorator."""
    if isinstance(error, ICEExplorerError):
        error.end_at_caller()
    sys.__excepthook__(kind, error, traceback)
