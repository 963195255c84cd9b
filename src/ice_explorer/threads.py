"""Whether there can be threads: Python inside a browser has none."""

from __future__ import annotations

import threading


def can_start_threads() -> bool:
    """Whether a thread can be started here; tries it."""
    try:
        threading.Thread(target=_nothing, daemon=True).start()
    except RuntimeError:  # "can't start new thread"
        return False
    return True


def _nothing() -> None:
    """It started, which is all that was asked."""
