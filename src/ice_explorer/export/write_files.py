"""Write files completely or not at all, and open the ones that `load` reads."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ice_explorer.errors import ExportError, InputTypeError
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO


def as_path(path: object) -> Path:
    """Return what a user gives as a path."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise InputTypeError.must("`path`", "a text or a Path", path, 'Write for example `"view.svg"`.')
    return Path(name)


def check_target(file: Path, *, overwrite: bool) -> Path:
    """Return the path to write a file to, which a link leads to; raise if it cannot be created or replaced."""
    with _system_errors(file, ExportError.not_written):
        target = Path(os.path.realpath(file))
        is_there = _is_file(target, file)
        if is_there and not overwrite:
            raise ExportError.exists(file)
        if not is_there and not target.parent.is_dir():
            raise ExportError(
                f"`path` must be in a folder that is there; {quoted(str(file))} is in none.",
                "Make the folder, or choose another.",
            )
    return target


def write_files(contents: Mapping[Path, bytes], *, overwrite: bool) -> None:
    """Write files of one folder; a file that is replaced keeps its permissions.

    All are written into a temporary folder next to them before the first is renamed, so that no file changes where the
    disk is full or the process is killed meanwhile.
    """
    targets = {check_target(file, overwrite=overwrite): content for file, content in contents.items()}
    file = next(iter(contents))
    with (
        _system_errors(file, ExportError.not_written),
        TemporaryDirectory(prefix=".ice-explorer-", dir=next(iter(targets)).parent) as folder,
    ):
        for number, (target, content) in enumerate(targets.items()):
            part = Path(folder, str(number))
            part.write_bytes(content)
            if target.exists():
                shutil.copymode(target, part)
        for number, target in enumerate(targets):
            if not overwrite:
                target.touch(exist_ok=False)  # raises if another process has taken the name meanwhile
            Path(folder, str(number)).replace(target)


def open_file(path: object) -> BinaryIO:
    """Open a regular file for reading."""
    file = as_path(path)
    with _system_errors(file, ExportError.not_read):
        if not _is_file(file, file):
            raise ExportError(
                f"`path` must be that of a file; there is none at {quoted(str(file))}.",
                "Check its name and its folder.",
            )
        return file.open("rb")


def _is_file(target: Path, file: Path) -> bool:
    """Return whether there is a regular file; raise if there is a folder or a device."""
    try:
        target.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not target.is_file():
        raise ExportError.not_a_file(file, "a folder" if target.is_dir() else "no regular file")
    return True


@contextmanager
def _system_errors(file: Path, refusal: Callable[[object, OSError], ExportError]) -> Iterator[None]:
    """Raise errors of the system as errors of the package."""
    try:
        yield
    except ExportError:
        raise
    except FileExistsError as error:
        raise ExportError.exists(file) from error
    except OSError as error:
        raise refusal(file, error) from error
    except ValueError as error:  # NUL, or half a character
        raise ExportError.no_file_name(file) from error
