"""The columns of X by name, and the features made of them: columns as they are, and groups that move together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import OptionError, UnknownFeatureError
from ice_explorer.errors.base import counted, described, did_you_mean, listed, quoted, text_of
from ice_explorer.features.feature import Feature, make_feature, make_unordered, no_axis_error
from ice_explorer.features.moves import MovedFeature, Moves, make_moved, read_observed
from ice_explorer.tables.column import make_labels, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ice_explorer.tables.column import Column, Name
    from ice_explorer.tables.table import Table

    Group = Sequence[Name] | Moves

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
                "Leave the column out of the group; columns that are made of numbers are a group by `Moves`.",
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


def check_groups(groups: object, table: Table | None = None) -> Mapping[Name, Group]:
    """Return groups as lists of names of columns, or as `Moves`.

    - `table`: X, in which the groups of "auto" are found; None where only a part of it is at hand.
    - raises OptionError: if they are not written so.
    """
    if groups is None:
        return {}
    if isinstance(groups, str) and groups == "auto" and table is not None:
        labels = enumerate(make_labels(table.names))
        return find_groups([replace(table.column(position), label=label) for position, label in labels])
    if not isinstance(groups, Mapping) or any(
        isinstance(members, str) or not (hasattr(members, "__iter__") or isinstance(members, Moves))
        for members in groups.values()
    ):
        what = "be 'auto' or a mapping of names to lists of columns or `Moves`"
        what = what if table is not None else "be a mapping of names to lists of columns where rows are partitions"
        advice = "Write `groups={'city': ['city_a', 'city_b']}`, or leave it out."
        raise OptionError.must("groups", what, groups, advice)
    return {name: members if isinstance(members, Moves) else list(members) for name, members in groups.items()}


def has_moves(groups: object) -> bool:
    """Whether the columns of a group are made of one quantity."""
    return isinstance(groups, Mapping) and any(isinstance(group, Moves) for group in groups.values())


def name_members(group: Group) -> list[Name]:
    """Return the names of the columns of a group."""
    return list(group.columns if isinstance(group, Moves) else group)


def find_groups(columns: Iterable[Column]) -> dict[str, list[Name]]:
    """Find one-hot columns that encode one categorical feature, by their names and values.

    They hold 0 and 1, without missing values; their names begin alike up to a separator; and exactly one of them is 1
    in every row, or at most one where the first level was dropped.
    """
    binary = {
        column.label: column
        for column in columns
        if column.kind in _BINARY and bool(((column.values == 0.0) | (column.values == 1.0)).all())
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
            members = [binary[label].values for label in labels]
            n_on = sum(members, np.zeros(1))
            if len(labels) < 2 or n_on.max() > 1 or n_on.min() < least or not all(map(np.any, members)):
                continue
            name = _beginning(labels)[1].rstrip(_SEPARATORS)
            if name not in groups:
                groups[name] = labels
                taken.update(labels)
    order = list(binary)
    in_order = sorted(groups.items(), key=lambda group: order.index(group[1][0]))
    return {name: [binary[label].name for label in labels] for name, labels in in_order}


class Columns:
    """The columns of X by name, read once each, and the features made of them.

    - `names`: of the columns of X.
    - `labels`: of the columns, then of the groups.
    - `groups`: positions of the columns that move together, by name of the group.
    - `categorical`: positions of the columns whose values are taken for names.
    """

    def __init__(
        self, table: Table, groups: Mapping[Name, Group] | None = None, categorical: Iterable[Name] = ()
    ) -> None:
        self._table = table
        self.n_observations, self.names = table.n_observations, table.names
        self.labels = make_labels([*table.names, *(groups or {})])
        self._readable = list(map(readable, table.names, self.labels))
        keys = [*self.labels[: len(table.names)], *map(str, table.names), *table.names]  # the last one counts most
        self._by_key = {key: place % len(table.names) for place, key in enumerate(keys)}
        self._read: dict[int, Column] = {}
        self._features: dict[int, Feature] = {}
        self.groups: dict[Name, tuple[int, ...]] = {}
        self._group_of: dict[int, Name] = {}
        for name, group in (groups or {}).items():
            self._declare(name, group)
        for name in categorical:
            if self._group_number(name) is not None:
                what, advice = "name columns of X", "Pass `observed` of the group as a category."
                raise OptionError.must("categorical_features", what, name, advice, where=", which is a group")
        self.categorical = {self._column_outside_groups(name) for name in categorical}
        for position in self.categorical:
            if self.column(position).kind == "other":
                dtype = self.column(position).dtype
                raise no_axis_error(self._readable[position], dtype, option="categorical_features")
        for number, (name, group) in enumerate((groups or {}).items(), len(self.names)):
            self._features[number] = self._make_group(number, name, group)

    def _declare(self, name: Name, group: Group) -> None:
        """Add a group, whose name and columns must occur nowhere else."""
        if str(name) in self._by_key or str(name) in map(str, self.groups):
            raise OptionError(
                f"`groups` must have names of their own; {quoted(name)} is the name of a column or of another group.",
                "Choose another name for the group.",
            )
        members = name_members(group)
        positions = [self.position(member) for member in members]
        fewest = 1 if isinstance(group, Moves) else 2
        if len(positions) < fewest:
            got = listed(members) if members else "none"
            raise OptionError(
                f"`groups` must give each group at least {'two columns' if fewest == 2 else 'one column'}; "
                f"got {got} for {quoted(name)}.",
                "A single column of 0 and 1 is a feature as it is.",
            )
        for position in positions:
            if position in self._group_of:
                column, first = quoted(self._readable[position]), self._group_of[position]
                where = f"in {quoted(first)} and in {quoted(name)}" if first != name else f"twice in {quoted(first)}"
                raise OptionError(
                    f"A column can be in one group, once; {column} is {where}.", "Remove it from one place."
                )
            self._group_of[position] = name
        self.groups[name] = tuple(positions)

    def _make_group(self, number: int, name: Name, group: Group) -> Feature:
        members, label = list(map(self.column, self.groups[name])), self.labels[number]
        if isinstance(group, Moves):
            column = read_observed(group.observed, name, self.n_observations, self._table.index)
            return make_moved(replace(column, name=name, label=label, position=number), group, members)
        return make_group(number, name, label, members)

    def _column_outside_groups(self, name: Name) -> int:
        position = self.position(name)
        if position in self._group_of:
            group = quoted(self._group_of[position])
            raise OptionError(
                f"A column of a group moves with the others; {quoted(self._readable[position])} belongs to {group}.",
                f"Name {group} instead, or leave the column out of `groups`.",
            )
        return position

    def position(self, name: Name) -> int:
        """Find a column by name, by its text or label, or by position, in that order."""
        is_integer = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
        with suppress(TypeError):  # lists and arrays, and tuples that hold them, are no keys
            for key in (name, text_of(name)) if is_integer else (name,):
                if key in self._by_key:
                    return self._by_key[key]
        if is_integer and 0 <= name < len(self.names):
            return int(name)
        if not isinstance(name, Hashable):
            raise UnknownFeatureError(
                f"A column of X must be given by its name; got {described(name)}.",
                f"Columns are {listed(self._readable)}.",
            )
        groups = f" Its groups are {listed(self.groups)}." if self.groups else ""
        raise UnknownFeatureError(
            f"No column named {quoted(name)} in X.{did_you_mean(name, [*self._readable, *self.groups])}",
            f"X has {counted(len(self._readable), 'column')}: {listed(self._readable)}.{groups}",
        )

    def column(self, position: int) -> Column:
        """Return a column by its position."""
        if position not in self._read:
            column, label = self._table.column(position), self.labels[position]
            self._read[position] = column if column.label == label else replace(column, label=label)
        return self._read[position]

    @property
    def read(self) -> list[Column]:
        """All columns."""
        return [self.column(position) for position in range(len(self.names))]

    @cached_property
    def columns_by_feature(self) -> dict[int, tuple[int, ...]]:
        """Columns that move together, by number of the feature; each column is in one of them."""
        alone = {place: (place,) for place in range(len(self.names)) if place not in self._group_of}
        return alone | dict(enumerate(self.groups.values(), len(self.names)))

    @property
    def in_order(self) -> list[int]:
        """Numbers of all features, a group at the place of its first column."""
        return sorted(self.columns_by_feature, key=lambda number: min(self.columns_by_feature[number]))

    @property
    def names_for_coloring(self) -> list[Name]:
        """Names of all columns, each group before its first column."""
        before = {min(positions): [name] for name, positions in self.groups.items()}
        return [name for position, column in enumerate(self.names) for name in (*before.get(position, []), column)]

    def _group_number(self, name: Name) -> int | None:
        """Find a group by its name, its text or its label."""
        for number, group in enumerate(self.groups, len(self.names)):
            if isinstance(name, (type(group), str)) and name in (group, str(group), self.labels[number]):
                return number
        return None

    def number(self, name: Name) -> int:
        """Find a feature: a group by its name, or a column that is in none."""
        group = self._group_number(name)
        return self._column_outside_groups(name) if group is None else group

    def named(self, name: Name) -> Column:
        """Return a column by name, or a group: one-hot columns as one category."""
        group = self._group_number(name)
        if group is None:
            return self.column(self.position(name))
        feature = self.feature(group)
        return replace(feature, kind="category") if feature.kind == "group" else feature

    def feature(self, number: int) -> Feature:
        """Return a feature by its number.

        - raises DataError, OptionError: if what its columns hold cannot be put on an axis.
        """
        if number not in self._features:
            feature = make_feature(self.column(number))
            self._features[number] = make_unordered(feature) if number in self.categorical else feature
        return self._features[number]

    @property
    def moved(self) -> list[MovedFeature]:
        """Groups of columns that are made of one quantity."""
        return [feature for feature in self._features.values() if isinstance(feature, MovedFeature)]

    def replace_feature(self, number: int, feature: Feature) -> None:
        """Use a feature whose levels may be those of more rows than X has."""
        self._features[number] = feature
