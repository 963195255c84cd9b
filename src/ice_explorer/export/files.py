"""Names of files, and files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
import unicodedata
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from ice_explorer.errors import OptionError
from ice_explorer.errors.base import quoted, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

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


def files_of(file: Path) -> Iterator[Path]:
    """Yield the files that an export to a path writes; the provenance of a CSV is next to the file of a link."""
    yield file
    if file.suffix.lower() == CSV:
        yield Path(f"{os.path.realpath(file)}.json")


def as_path(path: object) -> Path:
    """Return what a user gives as a path."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise OptionError(
            f"`path` must be a text or a Path; got {type(path).__name__}.", 'Write for example `"view.svg"`.'
        )
    return Path(name)


def check_target(file: Path, *, overwrite: bool) -> Path:
    """Return the path to write a file to, which a link leads to; raise if it cannot be created or replaced."""
    with system_errors(file):
        target = Path(os.path.realpath(file))
        _check_regular(target)
        if target.exists() and not overwrite:
            raise FileExistsError
        target.parent.stat()  # raises where there is no such folder
        return target


def write_files(contents: Mapping[Path, bytes], *, overwrite: bool) -> None:
    """Write files of one folder; a file that is replaced keeps its permissions.

    All are written into a temporary folder next to them before the first is renamed, so that no file changes where the
    disk is full or the process is killed meanwhile.
    """
    targets = {check_target(file, overwrite=overwrite): content for file, content in contents.items()}
    file = next(iter(contents))
    with (
        system_errors(file),
        TemporaryDirectory(prefix=".ice-explorer-", dir=next(iter(targets)).parent) as folder,
    ):
        for number, (target, content) in enumerate(targets.items()):
            part = Path(folder, str(number))
            part.write_bytes(content)
            if target.exists():
                shutil.copymode(target, part)
        for number, target in enumerate(targets):
            part = Path(folder, str(number))
            if overwrite:
                part.replace(target)
            else:
                _name_new_file(part, target)


def _name_new_file(part: Path, target: Path) -> None:
    """Give a complete file its name, or raise if another process has taken the name meanwhile."""
    try:
        target.hardlink_to(part)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without hard links, where an empty file reserves the name
        target.touch(exist_ok=False)
        part.replace(target)


def open_file(path: object) -> BinaryIO:
    """Open a regular file for reading."""
    file = as_path(path)
    with system_errors(file):
        _check_regular(file)
        return file.open("rb")


def _check_regular(file: Path) -> None:
    """Raise if there is a folder or a device: reading one could wait for ever."""
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "Not a regular file")


@contextmanager
def system_errors(file: Path) -> Iterator[None]:
    """Raise errors of the system as errors of the package."""
    try:
        yield
    except FileExistsError as error:
        raise OptionError(
            f"`path` must not exist yet; there is a file at {quoted(str(file))}.",
            "Pass `overwrite=True` to replace it.",
        ) from error
    except OSError as error:
        reason = error.strerror or text_of(error) or type(error).__name__
        raise OptionError(
            f"`path` must be that of a file which can be used; of {quoted(str(file))} the system says: {reason}.",
            "Choose another name or folder.",
        ) from error
    except ValueError as error:  # NUL, or half a character
        if isinstance(error, OptionError):
            raise
        raise OptionError(
            f"`path` must be a name that the system can write; got {quoted(str(file))}.",
            "Leave out NUL and halves of characters.",
        ) from error
