"""Validation of JSON from a browser or a file: each form has a description and a test."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_HALF: Final = re.compile("[\ud800-\udfff]")


class Form(NamedTuple):
    """What an entry must be, in words and as a test."""

    expected: str
    is_met: Callable[[object], bool]


def check_entries(
    entries: Mapping[Any, Any],
    forms: Mapping[str, Form],
    unknown: Callable[[Any], Exception],
    misfit: Callable[[str, str, object], Exception],
) -> None:
    """Check entries that were written elsewhere.

    - `forms`: form of each entry that there may be, by its name.
    - `unknown`: name -> the error about an entry that has no form.
    - `misfit`: name, what is expected and what came -> the error about an entry that does not meet its form.
    """
    for name, value in entries.items():
        if name not in forms:
            raise unknown(name)
        if not forms[name].is_met(value):
            raise misfit(name, forms[name].expected, value)


def one_of(*words: str) -> Form:
    """Return the form of a choice between words."""
    listed = ", ".join(map(repr, words[:-1]))
    return Form(f"{listed} or {words[-1]!r}", lambda value: isinstance(value, str) and value in words)


def is_text(value: object) -> bool:
    """Return whether a value is text that can be sent: Python also has halves of letters, JSON may name them."""
    return isinstance(value, str) and not _HALF.search(value)


def is_count(value: object) -> bool:
    """Return whether a value is an integer that is not negative."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_finite(value: object) -> bool:
    """Return whether a value is a number that has a place on an axis."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max  # also of a whole number that no float is


def is_list(value: object, is_item: Callable[[object], bool]) -> bool:
    """Return whether a value is a list of some kind of items."""
    return isinstance(value, list) and all(map(is_item, value))


TEXT: Final = Form("text", is_text)
TEXTS: Final = Form("a list of texts", lambda value: is_list(value, is_text))
FLAG: Final = Form("True or False", lambda value: isinstance(value, bool))
POSITIONS: Final = Form("a list of integers of at least 0", lambda value: is_list(value, is_count))
