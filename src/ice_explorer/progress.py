"""Progress of a computation: a bar in interactive sessions, or the caller's function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from ice_explorer.errors import OptionError
from ice_explorer.runtime import ipython_shell

if TYPE_CHECKING:
    from collections.abc import Iterator

Progress = bool | None | Callable[[int, int, str], object]
"""The option `progress` of `explain`."""

_PATIENCE = 1.0  # seconds before a bar appears of itself


def _is_watched() -> bool:
    """Whether output goes to a notebook or a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    return type(ipython_shell()).__name__ == "ZMQInteractiveShell"


@contextmanager
def progress_reporter(progress: Progress, total: int, advice: str = "") -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function of (predictions just made, ignored, label) that shows a bar or calls `progress`.

    - `progress`: None shows a bar where someone watches, if it takes longer than a second; True and False decide; a
      function is called with (done, total, label).
    - `advice`: how to make fewer predictions, written above a bar that is there for longer than a second.
    """
    if progress is None:
        progress = _is_watched()
        delay = _PATIENCE
    else:
        delay = 0.0
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
        start = monotonic()

        def show(made: int, _of_feature: int, label: str) -> None:
            nonlocal advice
            if advice and monotonic() - start > _PATIENCE:
                bar.write(advice, file=sys.stderr)
                advice = ""
            bar.set_description(label, refresh=False)
            bar.update(made)

        yield show
