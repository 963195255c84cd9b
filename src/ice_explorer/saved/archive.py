"""A zip of one JSON document and NumPy arrays; one from anyone is read in little memory, or refused.

Every array is a member `NAME.npy` in the format of NumPy, little-endian, of float64 or int64; none is pickled.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from ice_explorer.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.arrays import Values

MANIFEST: Final = "manifest.json"
MOST_JSON: Final = 12_000_000
"""Bytes of the document: labels of some 100,000 rows or levels. Parsed, it takes up to 30 times as much."""

# Of the document: some entries take microseconds each. A date of pandas takes a hundred in one of few time zones, and
# as long as reading the file of its zone in one of many.
_MOST_CONTAINERS: Final = 80_000
_MOST_DATES: Final = 10_000
_MOST_ZONES: Final = 5
_MOST_COMMAS: Final = 1_000_000
_MOST_BYTES: Final = 1 << 30  # of all members, unpacked
_LEAST_BYTES: Final = 1 << 26
_MOST_PER_BYTE: Final = 32  # of the file: curves that repeat shrink to a tenth or less, zeros to a thousandth
_MOST_MEMBERS: Final = 50_000
_MOST_DIRECTORY: Final = 6 << 20  # bytes, for as many members with names as long as ours
_LOCATOR, _END = 20, 22  # bytes of the last two records of a zip; only a large one has the first
_SUFFIX: Final = ".npy"
_HEADER: Final = 128  # bytes that NumPy writes before an array of few dimensions
_LONGEST_HEADER: Final = 1024
_PIECE: Final = 1 << 20


def pack(manifest: Mapping[str, Any], arrays: dict[str, Any]) -> bytes:
    """Return a document and arrays as a zip, or raise if they are more than a file may hold."""
    text = json.dumps(manifest, allow_nan=False, separators=(",", ":"), default=np.generic.item).encode()
    n_bytes = sum(array.nbytes + _HEADER for array in arrays.values()) + len(text)
    try:
        _parse(text)
        fits = True
    except ValueError:
        fits = False
    if not fits or n_bytes > _MOST_BYTES or len(arrays) >= _MOST_MEMBERS:
        raise DataError(
            f"A saved result must take at most {_MOST_BYTES / 1e9:.1f} GB of memory in {_MOST_MEMBERS:,} arrays, and "
            f"{MOST_JSON / 1e6:.0f} MB for names, labels and levels; this one takes {n_bytes / 1e9:.1f} GB in "
            f"{len(arrays):,}, and {len(text) / 1e6:.1f} MB, or holds too many dates, or those of too many time zones.",
            "Save fewer rows with `max_lines`, or explain X without columns of many long texts.",
        )
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    if n_bytes > _most_bytes(content.tell()):  # which would be refused as a bomb
        content = io.BytesIO()
        np.savez(content, **arrays)
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(MANIFEST), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _parse(text: bytes) -> Any:
    """Return a document that takes little time to read, or raise ValueError or TypeError."""
    n_containers = text.count(b"[") + text.count(b"{")
    if len(text) > MOST_JSON or n_containers > _MOST_CONTAINERS or text.count(b",") > _MOST_COMMAS:
        raise ValueError("the document is too large")
    zones: list[Any] = []

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no number")

    def check(entry: dict[str, Any]) -> dict[str, Any]:
        if "timestamp" in entry:
            zones.append(entry["timestamp"][-1])
        return entry

    document = json.loads(text.decode(), parse_constant=refuse, object_hook=check)
    if len(zones) > _MOST_DATES or len(set(zones)) > _MOST_ZONES:
        raise ValueError("there are too many dates, or time zones of dates")
    return document


def _most_bytes(size: int) -> int:
    return min(_MOST_BYTES, max(_LEAST_BYTES, _MOST_PER_BYTE * size))


class Archive:
    """The members of a zip that was written by anyone.

    - raises ValueError, zipfile.BadZipFile, OSError, EOFError, zlib.error: in every method, if it is not what `pack`
      returns.
    """

    def __init__(self, file: BinaryIO) -> None:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _LOCATOR - _END))
        tail = file.read()
        # The directory is read before anything else of the zip. The locator could name another one.
        if tail[-_END:][:4] != b"PK\5\6" or tail[:4] == b"PK\6\7":
            raise ValueError("the file does not end as a small zip")
        if int.from_bytes(tail[-10:-6], "little") > _MOST_DIRECTORY:
            raise ValueError("the directory is too large")
        self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        self._members = {info.filename: info for info in members}
        if len(self._members) < len(members):
            raise ValueError("two members have one name")
        if sum(info.file_size for info in members) > _most_bytes(size):
            raise ValueError("the members are too large")
        if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in members):
            raise ValueError("a member is packed in another way")
        self._unread = set(self._members)

    def read_manifest(self) -> Any:
        """Return the document."""
        member, size = self._open(MANIFEST)
        with member:
            text = member.read(MOST_JSON + 1)
        if len(text) != size:
            raise ValueError("the document is not as long as it says")
        return _parse(text)

    def has(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name + _SUFFIX in self._members

    def read_array(self, name: str, dtype: str, check_shape: Callable[[tuple[int, ...]], None]) -> Values:
        """Return an array, whose shape is checked before it is read."""
        member, size = self._open(name + _SUFFIX)
        with member:
            start = member.read(10)
            start += member.read(min(_LONGEST_HEADER, int.from_bytes(start[8:], "little")))
            stream = io.BytesIO(start)
            if np.lib.format.read_magic(stream) != (1, 0):
                raise ValueError("an array is of another version")
            shape, is_fortran, found = np.lib.format.read_array_header_1_0(stream, max_header_size=_LONGEST_HEADER)
            if found.str != dtype or is_fortran or math.prod(shape) * found.itemsize != size - len(start):
                raise ValueError("an array is of another type, or has not as many numbers as its shape")
            check_shape(shape)
            array = np.empty(shape, found.newbyteorder("="))
            flat = array.reshape(-1).view(np.uint8)
            for place in range(0, len(flat), _PIECE):
                piece = np.frombuffer(member.read(min(_PIECE, len(flat) - place)), np.uint8)
                flat[place : place + _PIECE] = piece  # raises if the member is shorter
            if member.read(1):  # which also checks the sum
                raise ValueError("an array is longer than it says")
        return array

    def check_all_read(self) -> None:
        """Refuse members that nothing has asked for."""
        if self._unread:
            raise ValueError("there are further members")

    def _open(self, name: str) -> tuple[Any, int]:
        info = self._members[name]
        self._unread.discard(name)
        return self._zip.open(info), info.file_size
