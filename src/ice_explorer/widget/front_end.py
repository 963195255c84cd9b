"""The front end in the browser: whole in each explorer, or once for all explorers of a kernel.

anywidget keeps script and style with each widget, in the page and in the saved notebook. Under a Jupyter kernel one
hidden widget has them, and explorers have a loader that finds it. In other hosts, such as marimo, a widget does not
always find another, and in Colab each output is a page of its own.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Final

import anywidget
import traitlets

from ice_explorer import version
from ice_explorer.runtime import jupyter_kernel

_STATIC: Final = Path(version.__file__).parent / "static"
SCRIPT: Final = _STATIC / "explorer.js"
STYLE: Final = _STATIC / "explorer.css"
_LOADER: Final = _STATIC / "loader.js"

# Whether the browser follows the files as they change. It ties every explorer ever made to the watcher, closed or
# not, so it is for those who develop the front end.
IS_WATCHED: Final = os.environ.get("ANYWIDGET_HMR") == "1"


class SharedFrontEnd(anywidget.AnyWidget):
    """Script and style of all explorers of a kernel; it has no view."""

    script = traitlets.Unicode().tag(sync=True)

    def __init__(self) -> None:
        self._esm = "export default {};"
        self._css = _text(STYLE)
        super().__init__(script=_text(SCRIPT))


def front_end() -> tuple[str, str, str]:
    """Return script and style that a new explorer brings to the page, and a reference to what has the rest, or ""."""
    if jupyter_kernel() is None or "google.colab" in sys.modules:
        return _text(SCRIPT), _text(STYLE), ""
    shared = _shared()
    if shared.comm is None:  # closed, as by `Widget.close_all`
        _shared.cache_clear()
        shared = _shared()
    return _text(_LOADER), "", f"IPY_MODEL_{shared.model_id}"


@cache
def _shared() -> SharedFrontEnd:
    return SharedFrontEnd()


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
