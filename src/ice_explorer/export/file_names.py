"""File names derived from feature names."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LONGEST: Final = 80  # letters
_MOST_BYTES: Final = 200  # of 255, which leaves room for numbers and suffixes
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])", re.IGNORECASE)  # whatever their suffix is
_NAMELESS: Final = "feature"


def plain_name(text: str) -> str:
    """Return a file name for a text, in letters that every system allows; without a suffix."""
    # Composed, as some systems take both forms of a letter for one.
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text))
    name = "-".join(words)[:_LONGEST].encode()[:_MOST_BYTES].decode(errors="ignore")
    return f"{_NAMELESS}-{name}" if _RESERVED.fullmatch(name) else name or _NAMELESS
