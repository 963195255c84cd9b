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
    from collections.abc import Mapping

    from ice_explorer.arrays import Values

_MANIFEST: Final = "manifest.json"
_MOST_JSON: Final = 12_000_000  # bytes: labels of some 100,000 rows or levels; parsed, up to 30 times as much

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


def check(is_right: object, problem: str) -> None:
    """Raise ValueError if something does not hold of a file."""
    if not is_right:
        raise ValueError(problem)


def pack(manifest: Mapping[str, Any], arrays: dict[str, Any]) -> bytes:
    """Return a document and arrays as a zip, or raise if they are more than a file may hold."""
    text = json.dumps(manifest, allow_nan=False, separators=(",", ":"), default=np.generic.item).encode()
    n_bytes = sum(array.nbytes + _HEADER for array in arrays.values()) + len(text)
    try:
        _parse(text)
        check(n_bytes <= _MOST_BYTES and len(arrays) < _MOST_MEMBERS, "the arrays are too large")
    except ValueError:
        raise DataError(
            f"A saved result must take at most {_MOST_BYTES / 1e9:.1f} GB of memory in {_MOST_MEMBERS:,} arrays, and "
            f"{_MOST_JSON / 1e6:.0f} MB for names, labels and levels; this one takes {n_bytes / 1e9:.1f} GB in "
            f"{len(arrays):,}, and {len(text) / 1e6:.1f} MB, or holds too many dates, or those of too many time zones.",
            "Save fewer rows with `max_lines`, or explain X without columns of many long texts.",
        ) from None
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    if n_bytes > _most_bytes(content.tell()):  # which would be refused as a bomb
        content = io.BytesIO()
        np.savez(content, **arrays)
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(zipfile.ZipInfo(_MANIFEST), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _parse(text: bytes) -> Any:
    """Return a document that takes little time to read, or raise ValueError or TypeError."""
    n_containers = text.count(b"[") + text.count(b"{")
    is_small = len(text) <= _MOST_JSON and n_containers <= _MOST_CONTAINERS and text.count(b",") <= _MOST_COMMAS
    check(is_small, "the document is too large")
    zones: list[Any] = []

    def collect_zone(entry: dict[str, Any]) -> dict[str, Any]:
        if "timestamp" in entry:
            zones.append(entry["timestamp"][-1])
        return entry

    # NaN is no integer, so that it is refused.
    document = json.loads(text.decode(), parse_constant=int, object_hook=collect_zone)
    check(len(zones) <= _MOST_DATES and len(set(zones)) <= _MOST_ZONES, "too many dates, or time zones of dates")
    return document


def _most_bytes(size: int) -> int:
    return min(_MOST_BYTES, max(_LEAST_BYTES, _MOST_PER_BYTE * size))


class Archive:
    """The members of a zip that was written by anyone; `unread` are those of which nothing was read.

    - raises ValueError, LookupError, zipfile.BadZipFile, OSError, EOFError, zlib.error: in every method, if it is not
      what `pack` returns.
    """

    def __init__(self, file: BinaryIO) -> None:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _LOCATOR - _END))
        tail = file.read()
        # The directory is read before anything else of the zip. The locator could name another one.
        check(tail[-_END:][:4] == b"PK\5\6" and tail[:4] != b"PK\6\7", "the file does not end as a small zip")
        check(int.from_bytes(tail[-10:-6], "little") <= _MOST_DIRECTORY, "the directory is too large")
        self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        self._names = {info.filename for info in members}
        self.unread = set(self._names)
        check(len(self._names) == len(members), "two members have one name")
        check(sum(info.file_size for info in members) <= _most_bytes(size), "the members are too large")
        types = {info.compress_type for info in members}
        check(types <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}, "a member is packed in another way")

    def read_manifest(self) -> Any:
        """Return the document."""
        self.unread.discard(_MANIFEST)
        with self._zip.open(_MANIFEST) as member:
            return _parse(member.read(_MOST_JSON + 1))

    def has(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name + _SUFFIX in self._names

    def read_header(self, name: str) -> tuple[str, tuple[int, ...]]:
        """Return the type and the shape of an array, of which no number is read."""
        info = self._zip.getinfo(name + _SUFFIX)
        self.unread.discard(info.filename)
        with self._zip.open(info) as member:
            # Of later versions a header may take gigabytes.
            check(np.lib.format.read_magic(member) == (1, 0), "an array is of a later version of the format")
            shape, _, dtype = np.lib.format.read_array_header_1_0(member)
            n_bytes = member.tell() + dtype.itemsize * math.prod(shape)
        check(n_bytes == info.file_size, "an array is longer or shorter than it says")
        return dtype.str, shape

    def read_array(self, name: str) -> Values:
        """Return an array whose header is right."""
        with self._zip.open(name + _SUFFIX) as member:
            return np.asarray(np.lib.format.read_array(member, allow_pickle=False))
