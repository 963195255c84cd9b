"""A JSON object from anyone, with its arrays, read by what each entry must be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.saved.labels import from_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.saved.archive import Archive


LARGEST_WHOLE: Final = 1 << 53


class Fields:
    """The entries of a JSON object.

    - raises ValueError: in every method, if an entry is missing or of another type.
    """

    def __init__(self, entries: Any) -> None:
        if not isinstance(entries, dict):
            raise ValueError("no object")  # noqa: TRY004 - of a file, not of a caller
        self._entries = entries

    def _of(self, name: str, *types: type) -> Any:
        found = self._entries.get(name)
        if type(found) not in types:
            raise ValueError(f"{name} is missing or of another type")
        return found

    def has(self, name: str) -> bool:
        """Whether there is an entry that is not null."""
        return self._entries.get(name) is not None

    def text(self, name: str) -> str:
        """Return a text."""
        return str(self._of(name, str))

    def choice(self, name: str, choices: Sequence[str]) -> Any:
        """Return one of some texts."""
        found = self.text(name)
        if found not in choices:
            raise ValueError(f"{name} is none of {choices}")
        return found

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        return bool(self._of(name, bool))

    def whole(self, name: str, least: int = 0, most: int = LARGEST_WHOLE) -> int:
        """Return an integer within bounds."""
        found = self._of(name, int)
        if not least <= found <= most:
            raise ValueError(f"{name} is too small, or too large")
        return int(found)

    def number(self, name: str, least: float = -math.inf) -> float:
        """Return a finite number that is not too small."""
        found = float(self._of(name, int, float))
        if not math.isfinite(found) or found < least:
            raise ValueError(f"{name} is too small")
        return found

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        return list(self._of(name, list))

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        found = self.items(name)
        if not all(isinstance(each, str) for each in found):
            raise ValueError(f"{name} holds other than text")
        return found

    def whole_items(self, name: str) -> list[int]:
        """Return a list of integers within bounds."""
        found = self.items(name)
        if not all(type(each) is int and 0 <= each <= LARGEST_WHOLE for each in found):
            raise ValueError(f"{name} holds other than integers")
        return found

    def label(self, name: str) -> Any:
        """Return a name or label."""
        return from_json(self._entries.get(name))

    def labels(self, name: str) -> list[Any]:
        """Return a list of names or labels, each of which can be a key of a dictionary."""
        found = [from_json(each) for each in self.items(name)]
        hash(tuple(found))
        return found

    def fields(self, name: str) -> Fields:
        """Return an object."""
        return Fields(self._entries.get(name))

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects."""
        return [Fields(each) for each in self.items(name)]

    def parts(self, name: str, archive: Archive) -> list[Part]:
        """Return a list of objects that have arrays, which are numbered as the objects are."""
        return [Part(each, archive, f"{name}/{at}") for at, each in enumerate(self.items(name))]

    @property
    def entries(self) -> dict[str, Any]:
        """All entries as they are."""
        return dict(self._entries)


class Part(Fields):
    """The entries of a JSON object, and arrays that belong to it, by names below its own."""

    def __init__(self, entries: Any, archive: Archive, at: str) -> None:
        super().__init__(entries)
        self._archive, self._at = archive, at

    def has_array(self, name: str) -> bool:
        """Whether there is an array."""
        return self._archive.has(f"{self._at}/{name}")

    def array(self, name: str) -> Values:
        """Return an array."""
        return self._archive.array(f"{self._at}/{name}")

    def arrays(self, name: str) -> dict[str, Values]:
        """Return all arrays below a name."""
        prefix = f"{self._at}/{name}/"
        return {each.removeprefix(prefix): self._archive.array(each) for each in self._archive.names(prefix)}

    def numbers(self, name: str, shape: tuple[int, ...]) -> Array:
        """Return an array of finite numbers of a shape."""
        found = self.array(name)
        if found.dtype != np.float64 or found.shape != shape or not (np.abs(found) <= LARGEST).all():
            raise ValueError(f"{name} is of another shape, or holds what is no number")
        return found

    def whole_numbers(self, name: str, end: int) -> Rows:
        """Return an array of increasing integers from 0 to before the end, at least one."""
        found = self.array(name)
        if found.dtype != np.int64 or found.ndim != 1 or not len(found):
            raise ValueError(f"{name} are no integers")
        if (np.diff(found, prepend=-1, append=end) < 1).any():
            raise ValueError(f"{name} are not in order")
        return found
