"""One-hot columns that encode one categorical feature: declared by the user or detected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import OptionError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import Feature
from ice_explorer.tables.labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.tables.column import Column, Name
    from ice_explorer.tables.table import Table

NONE_OF_THEM = "none of them"
_BINARY = ("numeric", "boolean")
_SEPARATORS = "_-.:=/|[( "


def make_group(number: int, name: Name, label: str, members: Sequence[Column]) -> Feature:
    """Make one feature of columns of 0 and 1.

    Its levels are named by what the columns' names do not have in common; where no column is 1 the
    level is "none of them", if some row has it.

    - raises OptionError: if a column holds anything but 0 and 1, or two of them are 1 in a row.
    """
    for member in members:
        is_binary = np.isin(member.values, (0.0, 1.0)) & (member.kind in _BINARY)
        if not is_binary.all():
            row = int(np.argmin(is_binary))
            got = float(member.values[row]) if member.kind == "numeric" else member.labels[row]
            raise OptionError(
                f"The columns of a group must hold 0 and 1 only; {quoted(member.readable)} of {quoted(label)} holds "
                f"{quoted(got)} in row {row}.",
                "Leave the column out of the group.",
            )
    are_on = np.column_stack([member.values for member in members]) == 1.0
    n_on = are_on.sum(axis=1)
    if n_on.max() > 1:
        row = int(np.argmax(n_on > 1))
        first, second = np.flatnonzero(are_on[row])[:2]
        both = f"{quoted(members[first].readable)} and {quoted(members[second].readable)}"
        raise OptionError(
            f"At most one column of a group can be 1 in a row; {both} of {quoted(label)} are both 1 in row {row}.",
            "Leave one of them out of the group, or explain the columns without it.",
        )
    levels = level_names([member.label for member in members])
    if n_on.min() == 0:
        levels.append(NONE_OF_THEM)
    return Feature(
        name, label, "group", is_integer=False, dtype=f"{len(members)} columns of 0 and 1", position=number,
        values=np.where(n_on > 0, np.argmax(are_on, axis=1), len(members)).astype(np.float64),
        levels=np.fromiter(levels, object), members=tuple(members), codebook=np.eye(len(levels), len(members)),
    )  # fmt: skip


def level_names(labels: Sequence[str]) -> list[str]:
    """Leave out what names have in common in front, up to a separator: "city_a", "city_b" become "a", "b"."""
    beginning, name = _beginning(labels)
    names = [label[len(beginning) :] for label in labels]
    closing = {"[": "]", "(": ")"}.get(beginning[len(name) : len(name) + 1])
    if closing and all(each.endswith(closing) for each in names):
        names = [each.removesuffix(closing) for each in names]
    return names if all(names) else list(labels)


def _beginning(labels: Sequence[str]) -> tuple[str, str]:
    """Return what all texts begin with, up to a separator, and how much of it is before a bracket that is open."""
    first, last = min(labels), max(labels)  # if these two agree up to somewhere, so do all between them
    shared = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    beginning = shared[: max((shared.rfind(separator) + 1 for separator in _SEPARATORS), default=0)]
    opened: list[int] = []
    for place, letter in enumerate(beginning):
        if letter in "[(":
            opened.append(place)
        elif letter in "])" and opened:
            opened.pop()
    return beginning, beginning[: opened[0]] if opened else beginning


def check_groups(groups: object, table: Table | None = None) -> dict[Name, list[Name]]:
    """Return groups as lists of names of columns.

    - `table`: X, in which the groups of "auto" are found; None where only a part of it is at hand.
    - raises OptionError: if they are not written so.
    """
    if groups is None:
        return {}
    if isinstance(groups, str) and groups == "auto" and table is not None:
        labels = enumerate(labels_of(table.names))
        return find_groups([replace(table.column(position), label=label) for position, label in labels])
    if not isinstance(groups, Mapping) or any(
        isinstance(members, str) or not hasattr(members, "__iter__") for members in groups.values()
    ):
        what = "be 'auto' or a mapping of names to lists of columns"
        what = what if table is not None else "be a mapping of names to lists of columns where rows are partitions"
        advice = "Write `groups={'city': ['city_a', 'city_b']}`, or leave it out."
        raise OptionError.must("groups", what, groups, advice)
    return {name: list(members) for name, members in groups.items()}


def find_groups(columns: Iterable[Column]) -> dict[str, list[Name]]:
    """Find one-hot columns that encode one categorical feature, by their names and values.

    They hold 0 and 1, without missing values; their names begin alike up to a separator; and exactly one of them is 1
    in every row, or at most one where the first level was dropped.
    """
    binary = {
        column.label: column
        for column in columns
        if column.kind in _BINARY and bool(np.isin(column.values, (0.0, 1.0)).all())
    }
    prefixes = {
        label[: end + 1]: None
        for label in binary
        for end, letter in enumerate(label)
        if letter in _SEPARATORS and label[:end].strip(_SEPARATORS)
    }
    groups: dict[str, list[str]] = {}
    taken: set[str] = set()
    # Groups with a 1 in every row are certain; then come those whose first level was dropped. Among
    # names that begin alike the largest groups come first.
    for least in (1, 0):
        for prefix in sorted(prefixes, key=len):
            labels = [label for label in binary if label.startswith(prefix) and label not in {prefix, *taken}]
            if len(labels) < 2 or not _exclude_each_other([binary[label].values for label in labels], least):
                continue
            name = _beginning(labels)[1].rstrip(_SEPARATORS)
            if name not in groups:
                groups[name] = labels
                taken.update(labels)
    order = list(binary)
    in_order = sorted(groups.items(), key=lambda group: order.index(group[1][0]))
    return {name: [binary[label].name for label in labels] for name, labels in in_order}


def _exclude_each_other(members: Sequence[NDArray[np.float64]], least: int) -> bool:
    """Return whether at most one column, and at least so many, is 1 in each row, and each is 1 in some row."""
    n_on = np.zeros(len(members[0]))
    for values in members:
        n_on += values
        if n_on.max() > 1 or not values.any():
            return False
    return bool(n_on.min() >= least)
