"""Detect the environment: IPython, a Jupyter kernel or a script, and whether numba and threads are available."""

from __future__ import annotations

import os
import sys
import threading
from importlib.util import find_spec
from typing import Any, Final

HAS_NUMBA: Final = find_spec("numba") is not None
"""Whether kernels can be compiled; numba is imported where it pays."""


def ipython_shell() -> Any:
    """Return the shell of the running IPython, None without one; IPython is not imported for that."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def jupyter_kernel() -> Any:
    """Return the Jupyter kernel that runs the code, None without one."""
    return getattr(ipython_shell(), "kernel", None)


def is_unattended() -> bool:
    """Return whether a program runs the notebook, such as nbconvert or papermill, and nobody reads what a cell shows.

    Such a program tells the kernel that it cannot pass on questions to a person. Voilà does that too, but somebody
    reads its page.
    """
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return False
    return getattr(jupyter_kernel(), "_allow_stdin", None) is False


def can_start_threads() -> bool:
    """Return whether a thread can be started here; tries it."""
    try:
        threading.Thread(target=int, daemon=True).start()
    except RuntimeError:  # "can't start new thread"
        return False
    return True
