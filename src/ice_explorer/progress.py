"""Progress of a computation: a bar where a person is watching, or the caller's own function."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ice_explorer.errors import InvalidOptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATIENCE = 1.0  # seconds before a bar appears of itself


def _is_watched() -> bool:
    """Whether output goes to a notebook or a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def progress_reporter(
    progress: bool | Callable[[int, int, str], object] | None,  # noqa: FBT001 - the option as the user gave it
    total: int,
) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function of (predictions just made, ignored, label).

    Parameters
    ----------
    progress : None, bool or callable
        None shows a bar where someone watches, if it takes longer than a second; True and False
        decide; a function is called with (done, total, label).
    total : int
        Predictions that will be made.
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
        raise InvalidOptionError.progress(progress)
    from tqdm.auto import tqdm

    # tqdm has a thread that watches over bars which learned to look at the clock seldom; this one always looks.
    unwatched = type("unwatched", (tqdm,), {"monitor_interval": 0})
    with unwatched(total=total, unit=" predictions", unit_scale=True, delay=delay, miniters=1) as bar:

        def show(made: int, _of_feature: int, label: str) -> None:
            bar.set_description(label, refresh=False)
            bar.update(made)

        yield show
