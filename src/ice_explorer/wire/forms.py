"""Checks of JSON from a browser or a file: the type of each entry says what it must be, in words and as a test."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from ice_explorer.errors.base import or_listed
from ice_explorer.scene.choices import types_of

_HALF: Final = re.compile("[\ud800-\udfff]")


class Form(NamedTuple):
    """What an entry must be, in words and as a test; `plural` names several of them."""

    expected: str
    is_met: Callable[[Any], bool]
    plural: str = ""


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


@cache
def forms_of(table: type) -> Mapping[str, Form]:
    """Return the form of each entry of a dataclass or TypedDict."""
    return {name: form_of(kind) for name, kind in types_of(table).items()}


def form_of(kind: Any) -> Form:  # noqa: PLR0911 - one for each kind of type
    """Return the form of the JSON of a type."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if origin is Literal:
        return Form(or_listed(args), lambda value: isinstance(value, str) and value in args)
    if origin is Annotated:
        plain, must = form_of(args[0]), args[1]
        return Form(must.expected, lambda value: plain.is_met(value) and must.is_met(value))
    if origin in {Union, UnionType}:
        forms = [form_of(each) for each in args]
        expected = [form.expected for each, form in zip(args, forms, strict=True) if each is not NoneType]
        nothing = ", or nothing" if NoneType in args else ""
        return Form(" or ".join(expected) + nothing, lambda value: any(form.is_met(value) for form in forms))
    if origin in {list, Sequence}:
        item = form_of(args[0])
        return Form(f"a list of {item.plural}", lambda value: isinstance(value, list) and all(map(item.is_met, value)))
    if origin is dict:
        key, item = map(form_of, args)
        return Form(
            "a dict",
            lambda value: _is_dict(value) and all(key.is_met(k) and item.is_met(v) for k, v in value.items()),
        )
    if is_dataclass(kind):  # its entries are checked one by one
        return Form("a dict", _is_dict)
    return Form("a dict", lambda value: _is_record(value, forms_of(kind)))


def is_text(value: object) -> bool:
    """Return whether a value is text that can be sent: Python also has halves of letters, JSON may name them."""
    return isinstance(value, str) and not _HALF.search(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_finite(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max  # also of a whole number that no float is


def _is_dict(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_record(value: Any, forms: Mapping[str, Form]) -> bool:
    return _is_dict(value) and value.keys() == forms.keys() and all(forms[name].is_met(value[name]) for name in value)


_PLAIN: Final[Mapping[Any, Form]] = {
    str: Form("text", is_text, "texts"),
    int: Form("an integer of at least 0", _is_count, "integers of at least 0"),
    float: Form("a finite number", _is_finite, "finite numbers"),
    bool: Form("True or False", lambda value: isinstance(value, bool)),
    NoneType: Form("nothing", lambda value: value is None),
}
