"""Checks of JSON from a browser or a file: the type of each entry says what it must be, in words and as a test."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from ice_explorer.errors.base import or_listed
from ice_explorer.scene.choices import types_of

_HALF: Final = re.compile("[\ud800-\udfff]")


def is_text(value: object) -> bool:
    """Return whether a value is text that can be sent: Python also has halves of letters, JSON may name them."""
    return isinstance(value, str) and not _HALF.search(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_finite(value: object) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # type: ignore[arg-type]  # also of an int that no float is


class _Plain(NamedTuple):
    """What one value must be, and several of them, in words and as a test."""

    one: str
    several: str
    is_met: Callable[[Any], bool]


_PLAIN: Final[Mapping[Any, _Plain]] = {
    Any: _Plain("anything", "", lambda _value: True),
    str: _Plain("text", "texts", is_text),
    int: _Plain("an integer of at least 0", "integers of at least 0", _is_count),
    float: _Plain("a finite number", "finite numbers", _is_finite),
    bool: _Plain("True or False", "", lambda value: isinstance(value, bool)),
    NoneType: _Plain("nothing", "", lambda value: value is None),
    Mapping: _Plain("a dict", "", lambda value: isinstance(value, Mapping)),
}


def words_for(kind: Any) -> str:
    """Write what the JSON of a type must be."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind].one
    if origin is Literal:
        return or_listed(args)
    if origin is Annotated:
        return str(args[1].expected)
    if origin in {Union, UnionType}:
        nothing = ", or nothing" if NoneType in args else ""
        return " or ".join(words_for(each) for each in args if each is not NoneType) + nothing
    return f"a list of {_PLAIN[args[0]].several}" if origin in {list, Sequence} else "a dict"


def fits(kind: Any, value: Any) -> bool:  # noqa: PLR0911 - one for each kind of type
    """Return whether a value is the JSON of a type."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind].is_met(value)
    if origin is Literal:
        return isinstance(value, str) and value in args
    if origin is Annotated:
        return fits(args[0], value) and args[1].is_met(value)
    if origin in {Union, UnionType}:
        return any(fits(each, value) for each in args)
    if origin in {list, Sequence}:
        is_met = _PLAIN[args[0]].is_met if args[0] in _PLAIN else partial(fits, args[0])
        return isinstance(value, list) and all(map(is_met, value))
    if not isinstance(value, Mapping) or is_dataclass(kind):  # whose entries are checked one by one
        return isinstance(value, Mapping)
    if origin is dict:
        return all(fits(args[0], name) and fits(args[1], entry) for name, entry in value.items())
    types = types_of(kind)
    return value.keys() == types.keys() and all(fits(types[name], value[name]) for name in value)
