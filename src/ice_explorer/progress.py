"""Progress of a computation: a bar in interactive sessions, or the caller's function."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ice_explorer.errors import OptionError
from ice_explorer.locks import Lock
from ice_explorer.runtime import ipython_shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ice_explorer.curves.inputs import Context

Progress = bool | None | Callable[[int, int, str], object]
"""The option `progress` of `explain`."""

_PATIENCE = 1.0  # seconds before a bar appears of itself


@contextmanager
def progress_reporter(progress: Progress, total: int) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function of (predictions just made, ignored, label) that shows a bar or calls `progress`.

    `progress`: None shows a bar where someone watches, if it takes longer than a second; True and False decide; a
    function is called with (done, total, label).
    """
    delay = 0.0
    if progress is None:  # a notebook or a terminal is watched
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        progress = is_terminal or type(ipython_shell()).__name__ == "ZMQInteractiveShell"
        delay = _PATIENCE
    if progress is False:
        yield lambda _made, _of_feature, _label: None
        return
    if callable(progress):
        call, done = progress, 0

        def report(made: int, _of_feature: int, label: str) -> None:
            nonlocal done
            done += made
            call(done, total, label)

        yield report
        return
    if progress is not True:
        raise OptionError.must(
            "progress",
            "be None, True, False or a function of (done, total, label)",
            progress,
            "Use `progress=False` for silence.",
        )
    from tqdm.auto import tqdm

    # tqdm has a thread that watches over bars which learned to look at the clock seldom; this one always looks.
    unwatched = type("unwatched", (tqdm,), {"monitor_interval": 0})
    with unwatched(total=total, unit=" predictions", unit_scale=True, delay=delay, miniters=1) as bar:

        def show(made: int, _of_feature: int, label: str) -> None:
            bar.set_description(label, refresh=False)
            bar.update(made)

        yield show


class Stepwise(ABC):
    """Work with a model in steps, between which others can be answered; `_steps` does what is left."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = Lock()
        self._remaining: Iterator[None] | None = None

    def __getstate__(self) -> dict[str, object]:
        """Leave out what is under way: the next step begins where the last one ended."""
        return vars(self) | {"_remaining": None}

    @property
    @abstractmethod
    def _is_complete(self) -> bool: ...

    @abstractmethod
    def _steps(self) -> Iterator[None]: ...

    def _advance(self) -> bool:
        """Do the next step, and return whether it was the last one."""
        with self._lock:
            if not self._is_complete:
                self._context.prediction_check.check()
                steps, self._remaining = self._remaining or self._steps(), None
                next(steps, None)  # after an error the next call begins where this one failed
                self._remaining = steps
            return self._is_complete

    def _complete(self) -> None:
        while not self._advance():
            pass
