"""Pictures for a person to look at."""

from __future__ import annotations

import os
from pathlib import Path


def pictured(shown, name):
    """Save a picture of a page or a part of it in the folder ICE_EXPLORER_PICTURES, if that is set."""
    folder = os.environ.get("ICE_EXPLORER_PICTURES")
    if folder:
        shown.screenshot(path=Path(folder) / f"{name}.png")
