"""A zip of one JSON document and NumPy arrays: written whole, and read from anyone within bounds.

Every array is a member `NAME.npy` in the format of NumPy, little-endian, of float64, int64 or uint64; none is pickled.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from ice_explorer.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"

_MOST_BYTES: Final = 1 << 30  # of all members, unpacked
_MOST_MANIFEST: Final = 1 << 26
_MOST_MEMBERS: Final = 1 << 17
_DTYPES: Final = ("<f8", "<i8", "<u8")
_SUFFIX: Final = ".npy"
_HEADER: Final = 128  # bytes that NumPy writes before an array of few dimensions
_LONGEST_HEADER: Final = 1024
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # so that the same result is the same file


def packed(manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a document and arrays as a zip.

    - raises ExportError: if they take more memory than a file may when it is read.
    """
    n_bytes = sum(array.nbytes + _HEADER for array in arrays.values())
    text = json.dumps(manifest, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()
    if n_bytes + len(text) > _MOST_BYTES or len(text) > _MOST_MANIFEST or len(arrays) > _MOST_MEMBERS:
        raise ExportError(
            f"A saved result must take at most {_MOST_BYTES / 1e9:.1f} GB of memory; this one takes "
            f"{(n_bytes + len(text)) / 1e9:.1f} GB.",
            "Save fewer rows with `max_lines`.",
        )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        _write(archive, MANIFEST, text)
        for name, array in arrays.items():
            member = io.BytesIO()
            little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            np.lib.format.write_array(member, little, version=(1, 0), allow_pickle=False)
            _write(archive, name + _SUFFIX, member.getvalue())
    return content.getvalue()


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content, compresslevel=6)


class Archive:
    """The members of a zip that was written by anyone.

    - raises ValueError, zipfile.BadZipFile, OSError, EOFError, zlib.error: in every method, if it is not what `packed`
      returns.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        self._members = {info.filename: info for info in members}
        if len(self._members) < len(members) or len(members) > _MOST_MEMBERS:
            raise ValueError("members are not different from each other, or too many")
        if sum(info.file_size for info in members) > _MOST_BYTES:
            raise ValueError("the members are too large")
        for info in members:
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("a member is packed in another way")
        self._unread = set(self._members)

    def manifest(self) -> Any:
        """Return the document."""
        return parsed(self._read(MANIFEST, _MOST_MANIFEST))

    def array(self, name: str) -> NDArray[Any]:
        """Return an array."""
        content = self._read(name + _SUFFIX, _MOST_BYTES)
        stream = io.BytesIO(content)
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("an array is of another version")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(stream, max_header_size=_LONGEST_HEADER)
        if dtype.str not in _DTYPES or is_fortran:
            raise ValueError("an array is of another type")
        if any(length < 0 for length in shape) or math.prod(shape) * 8 != len(content) - stream.tell():
            raise ValueError("an array has not as many numbers as its shape")
        return np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape).astype(dtype.newbyteorder("="))

    def names(self, prefix: str) -> list[str]:
        """Return the names of the arrays that begin so."""
        ends = len(_SUFFIX)
        return [name[:-ends] for name in self._members if name.startswith(prefix) and name.endswith(_SUFFIX)]

    def has(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name + _SUFFIX in self._members

    def check_all_read(self) -> None:
        """Refuse members that nothing has asked for."""
        if self._unread:
            raise ValueError("there are further members")

    def _read(self, name: str, most: int) -> bytes:
        info = self._members.get(name)
        if info is None or info.file_size > most:
            raise ValueError("a member is missing or too large")
        with self._zip.open(info) as member:
            content = member.read(info.file_size + 1)  # also checks the sum of a member that ends there
        if len(content) != info.file_size:
            raise ValueError("a member is not as long as it says")
        self._unread.discard(name)
        return content


def parsed(content: bytes) -> Any:
    """Return a JSON document, in which all numbers are finite."""

    def refused(name: str) -> None:
        raise ValueError(f"{name} is no number")

    def number(text: str) -> float:
        if not math.isfinite(float(text)):
            refused(text)
        return float(text)

    return json.loads(content, parse_constant=refused, parse_float=number)
