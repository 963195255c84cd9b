"""Regular files: written whole or not at all, and opened only where there is one.

A file is written beside its target under the temporary name `.ice-explorer-….part`, put on the disk, and then given
the name of the target in one step: a link, which fails where somebody took the name meanwhile, or a rename where the
file may be replaced. Its writer holds a lock on the temporary file. A lock ends with its process, so that the next save
into the folder removes what a killed process left behind. No package does all of this: `atomicwrites` is no longer
maintained, and others replace files only.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import ExportError, InputTypeError
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

# Not on Windows, where a file that is open cannot be removed, nor in some browsers, where there is one process.
fcntl: Final[Any] = import_module("fcntl") if find_spec("fcntl") else None

_PART: Final = re.compile(r"\.ice-explorer-[0-9a-f]{16}\.part")
_ABANDONED: Final = 24 * 3600.0  # without a change, where the file system has no locks [s]
_TRIES: Final = 3
_WITHOUT_SYNC: Final = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)  # what has nothing to be read yet is not waited for
_IS_WINDOWS: Final = os.name == "nt"
_KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def as_path(path: object) -> Path:
    """Return what a user gives as a path."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise InputTypeError.must("`path`", "a text or a Path", path, 'Write for example `"view.svg"`.')
    return Path(name)


def check_target(file: Path, *, overwrite: bool) -> os.stat_result | None:
    """Check that a file can be written, or replaced; return the state of the one that is replaced."""
    found = _state(file, ExportError.not_written)
    if found is None:
        if not file.parent.is_dir():
            raise ExportError(
                f"`path` must be in a folder that is there; {quoted(str(file))} is in none.",
                "Make the folder, or choose another.",
            )
        if file.is_symlink():
            raise ExportError.not_a_file(file, "a link that leads nowhere")
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ExportError.not_a_file(file, _kind(found))
    if not overwrite:
        raise ExportError.exists(file)
    return found


def write_file(file: Path, content: bytes, *, overwrite: bool) -> None:
    """Write the whole of a file or nothing; a file that it replaces stays until then, with its permissions.

    Where a link leads to a file, that one is replaced.
    """
    for tries_left in reversed(range(_TRIES)):
        replaced = check_target(file, overwrite=overwrite)
        target = file if replaced is None else Path(os.path.realpath(file))
        try:
            _write(target, content, replaced, overwrite=overwrite)
        except FileExistsError as error:
            raise ExportError.exists(file) from error
        except OSError as error:
            # Without locks another process may have taken the temporary file for one that a killed process left.
            if isinstance(error, FileNotFoundError) and tries_left:
                continue
            raise ExportError.not_written(file, error) from error
        return


def open_file(path: object) -> BinaryIO:
    """Open a regular file for reading, and nothing else; do not wait for what has nothing to be read yet."""
    file = as_path(path)
    found = _state(file, ExportError.not_read)
    if found is None:
        raise ExportError(
            f"`path` must be that of a file; there is none at {quoted(str(file))}.", "Check its name and its folder."
        )
    if not stat.S_ISREG(found.st_mode):
        raise ExportError.not_a_file(file, _kind(found))
    try:
        return open(file, "rb", opener=lambda name, flags: os.open(name, flags | _AT_ONCE))
    except OSError as error:
        raise ExportError.not_read(file, error) from error


def _state(file: Path, refused: Callable[[object, OSError], ExportError]) -> os.stat_result | None:
    """Return the state of what a path leads to, None for nothing."""
    try:
        return file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeEncodeError as error:  # halves of a character
        raise ExportError.no_file_name(file, error.object[error.start]) from error
    except ValueError as error:
        raise ExportError.no_file_name(file, "\0") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise refused(file, error) from error


def _kind(found: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(found.st_mode), "no regular file")


def _write(target: Path, content: bytes, replaced: os.stat_result | None, *, overwrite: bool) -> None:
    folder = target.parent
    _remove_abandoned(folder)
    part, descriptor = _new_part(folder, 0o666 if replaced is None else 0o600)
    try:
        try:
            with open(descriptor, "wb", closefd=False) as file:
                file.write(content)
            _sync(descriptor)
            if replaced is not None:
                _give_rights(part, replaced)
            if not _IS_WINDOWS:  # with the lock, so that nobody removes it
                _give_name(part, target, overwrite=overwrite)
        finally:
            os.close(descriptor)
        if _IS_WINDOWS:  # which renames no file that is open
            _give_name(part, target, overwrite=overwrite)
    finally:
        with suppress(OSError):
            part.unlink()
    _sync_folder(folder)


def _new_part(folder: Path, mode: int) -> tuple[Path, int]:
    """Open a temporary file and lock it."""
    while True:
        part = folder / f".ice-explorer-{secrets.token_hex(8)}.part"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        if _lock(descriptor) is not False and part.exists():
            return part, descriptor
        os.close(descriptor)  # somebody took it for abandoned before it was locked


def _lock(descriptor: int) -> bool | None:
    """Lock an open file: False where another process has locked it, None where nothing can be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of processes that are gone."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):  # of somebody else, or open on Windows
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(part: Path) -> None:
    if fcntl is None:
        part.unlink()
        return
    descriptor = os.open(part, os.O_RDWR | _AT_ONCE)
    try:
        is_locked = _lock(descriptor)
        if is_locked is None:
            is_locked = time.time() - os.fstat(descriptor).st_mtime > _ABANDONED
        if is_locked:
            part.unlink()
    finally:
        os.close(descriptor)


def _give_rights(part: Path, replaced: os.stat_result) -> None:
    """Give a file the permissions of the one that it replaces."""
    if hasattr(os, "chown"):
        with suppress(OSError):  # only root gives files away
            os.chown(part, replaced.st_uid, replaced.st_gid)
    part.chmod(stat.S_IMODE(replaced.st_mode))


def _give_name(part: Path, target: Path, *, overwrite: bool) -> None:
    """Give a whole file its name in one step; unless it may replace another, only where the name is free."""
    if overwrite:
        part.replace(target)
    elif _IS_WINDOWS:
        part.rename(target)  # which replaces nothing there
    else:
        try:
            target.hardlink_to(part)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            _rename_to_free(part, target)


def _rename_to_free(part: Path, target: Path) -> None:
    """Take a free name where the file system has no hard links; a process killed in between leaves an empty file."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    try:
        part.replace(target)
    except BaseException:
        target.unlink()
        raise


def _sync(descriptor: int) -> None:
    """Write the content of a file to the disk before its name."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _WITHOUT_SYNC:
            raise


def _sync_folder(folder: Path) -> None:
    """Write a name to the disk, where folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
