"""Universal Binary JSON, in which XGBoost writes its models: arrays of numbers arrive as arrays."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

# Mark of a type -> its letter in numpy and in `struct`.
_NUMBERS = {
    "U": ("u1", "B"), "i": ("i1", "b"), "I": ("i2", "h"), "l": ("i4", "i"),
    "L": ("i8", "q"), "d": ("f4", "f"), "D": ("f8", "d"),
}  # fmt: skip
_DTYPES = {mark: np.dtype(">" + numpy_letter) for mark, (numpy_letter, _) in _NUMBERS.items()}
_SCALARS = {mark: struct.Struct(">" + letter) for mark, (_, letter) in _NUMBERS.items()}
_CONSTANTS = {"T": True, "F": False, "Z": None}


def load_ubjson(data: bytes) -> Any:
    """Read one value; typed arrays of numbers become ndarrays in the byte order of the file."""
    return _Reader(data).value()


class _Reader:
    """A position in the data."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def value(self) -> Any:
        return self._of_kind(self._mark())

    def _of_kind(self, kind: str) -> Any:
        if kind == "{":
            return self._object()
        if kind == "[":
            return self._array()
        if kind == "S":
            return self._text()
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        return self._number(kind)

    def _mark(self) -> str:
        self._at += 1
        return chr(self._data[self._at - 1])

    def _next_is(self, mark: str) -> bool:
        """Step over a mark if it comes next."""
        if self._data[self._at] != ord(mark):
            return False
        self._at += 1
        return True

    def _number(self, kind: str) -> Any:
        scalar = _SCALARS[kind]
        (number,) = scalar.unpack_from(self._data, self._at)
        self._at += scalar.size
        return number

    def _text(self) -> str:
        length = self._number(self._mark())
        self._at += length
        return self._data[self._at - length : self._at].decode()

    def _object(self) -> dict[str, Any]:
        found = {}
        while not self._next_is("}"):
            name = self._text()
            found[name] = self.value()
        return found

    def _array(self) -> Any:
        kind = self._mark() if self._next_is("$") else None
        if not self._next_is("#"):
            found = []
            while not self._next_is("]"):
                found.append(self.value())
            return found
        count = self._number(self._mark())
        if kind is None:
            return [self.value() for _ in range(count)]
        if kind not in _DTYPES:
            return [self._of_kind(kind) for _ in range(count)]
        numbers = np.frombuffer(self._data, _DTYPES[kind], count, self._at)
        self._at += numbers.nbytes
        return numbers
