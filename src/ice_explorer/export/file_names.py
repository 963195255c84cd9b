"""Names of files: of features, and of the provenance of a CSV."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST: Final = 80  # letters
_MOST_BYTES: Final = 200  # of 255, which leaves room for numbers and suffixes
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])", re.IGNORECASE)  # whatever their suffix is
_NAMELESS: Final = "feature"
CSV: Final = ".csv"
FEATURE: Final = "{feature}"  # in a path: one file per feature


def plain_name(text: str) -> str:
    """Return a file name for a text, in letters that every system allows; without a suffix."""
    # Composed, as some systems take both forms of a letter for one.
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text))
    name = "-".join(words)[:_LONGEST].encode()[:_MOST_BYTES].decode(errors="ignore")
    return f"{_NAMELESS}-{name}" if _RESERVED.fullmatch(name) else name or _NAMELESS


def name_each(file: Path, features: Sequence[str]) -> list[Path]:
    """Return a file for each feature, all distinct also where a system ignores case."""
    numbers: dict[str, int] = {}
    files = []
    for feature in features:
        name = plain = plain_name(feature)
        while name.casefold() in numbers:
            numbers[plain.casefold()] += 1
            name = f"{plain}-{numbers[plain.casefold()]}"
        numbers[name.casefold()] = 1
        files.append(file.with_name(file.name.replace(FEATURE, name)))
    return files


def files_of(file: Path) -> Iterator[Path]:
    """Yield the files that an export to a path writes; the provenance of a CSV is next to the file of a link."""
    yield file
    if file.suffix.lower() == CSV:
        yield Path(f"{os.path.realpath(file)}.json")
