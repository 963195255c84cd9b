"""Names of files: derived from those of features, and of the provenance of a CSV."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST: Final = 80  # letters
_MOST_BYTES: Final = 200  # of 255, which leaves room for numbers and suffixes
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])", re.IGNORECASE)  # whatever their suffix is
_NAMELESS: Final = "feature"
CSV: Final = ".csv"


def plain_name(text: str) -> str:
    """Return a file name for a text, in letters that every system allows; without a suffix."""
    # Composed, as some systems take both forms of a letter for one.
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text))
    name = "-".join(words)[:_LONGEST].encode()[:_MOST_BYTES].decode(errors="ignore")
    return f"{_NAMELESS}-{name}" if _RESERVED.fullmatch(name) else name or _NAMELESS


def provenance_file(file: Path) -> Path:
    """Return the JSON file that has the provenance of a CSV: next to the file itself where a link leads to it."""
    target = Path(os.path.realpath(file)) if file.is_symlink() else file
    return target.with_name(f"{target.name}.json")


def files_of(file: Path) -> Iterator[Path]:
    """Yield the files that an export to a path writes."""
    yield file
    if file.suffix.lower() == CSV:
        yield provenance_file(file)
