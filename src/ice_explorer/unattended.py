"""Whether a program runs the notebook, so that nobody waits for what a cell shows."""

from __future__ import annotations

import os
import sys


def is_unattended() -> bool:
    """Whether nobody looks while cells run, as under nbconvert and papermill.

    They tell the kernel that nobody can be asked for input. So does Voilà, whose page waits for what is shown.
    """
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return False
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(getattr(shell, "kernel", None), "_allow_stdin", None) is False
