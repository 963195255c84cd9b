"""Splits of the rows in two by one column: at a threshold, or some levels against all others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.drivers.rules import between, or_missing, sides_of_levels, sides_of_threshold
from ice_explorer.features.feature import is_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ice_explorer.arrays import Array, Mask, Places
    from ice_explorer.drivers.candidates import SecondFeature
    from ice_explorer.drivers.crossfit import Training

    Members = Mask

EQUAL: Final = 1e-9  # splits whose gains differ by less than this part of them are equally good
_MOST_LEVELS = 100  # levels that are distinguished; rarer ones are merged


@dataclass(frozen=True)
class Named:
    """A split in words.

    - `threshold`: rows up to it are below [coordinates of the column]; NaN for levels without an order.
    - `levels`: levels that are inside, where they have no order.
    - `sides`: names of both groups, missing values aside: below or outside, above or inside.
    - `rules`: the same, with the missing values where these are.
    """

    threshold: float
    levels: tuple[str, ...] | None
    sides: tuple[str, str]
    rules: tuple[str, str]

    @property
    def ruled(self) -> int:
        """Which of the rules stands for both: the one with the missing values, else the second."""
        return int(self.rules[0] == self.sides[0])

    def condition(self, side: int) -> str:
        """Return a rule as part of a longer one."""
        rule = self.rules[side]
        return rule if rule == self.sides[side] else f"({rule})"


@dataclass(frozen=True, eq=False)
class SplitColumn(ABC):
    """A column that rows may be split by.

    A split is a set of the places that its values have: `members[place]`, of shape (n_places + 1,), is whether rows
    at a place are above or inside. The last place is that of missing values.

    - `places` (n_rows,).
    - `n_places`: without the one of missing values.
    """

    second: SecondFeature
    places: Places
    n_places: int
    has_missing: bool

    def inside(self, members: Members) -> Members:
        """Return whether each row is above or inside."""
        return members[self.places]

    @abstractmethod
    def holds(self, members: Members, values: Array) -> Members:
        """Return whether any values of the column, as in `SecondFeature`, are above or inside."""

    @abstractmethod
    def best(self, training: Training) -> Members | None:
        """Return the split after which training rows differ least within both groups; None where both need more."""

    @abstractmethod
    def coarse(self, weights: Array, n: int) -> list[Members]:
        """Return about n splits that do not depend on curves: thresholds at equal weights, or single levels."""

    def moved(self, members: Members, training: Training, halves: Sequence[Members | None]) -> Members:  # noqa: ARG002
        """Move a split to where it is best if the rows below and above it are split further; only thresholds move."""
        return members

    @abstractmethod
    def name(self, members: Members) -> Named:
        """Describe a split."""

    @cached_property
    def _sorted(self) -> tuple[Places, Places, Places]:
        """Rows in the order of their places, the places that have rows, and where those begin."""
        counts = np.bincount(self.places, minlength=self.n_places + 1)
        filled = np.flatnonzero(counts)
        return np.argsort(self.places, kind="stable"), filled, (np.cumsum(counts) - counts)[filled]

    def sums(self, training: Training, rows: Members | None = None) -> tuple[Array, Array]:
        """Return the sums of the training rows at each place, or of some of them, and their weights."""
        order, filled, starts = self._sorted
        weighted, weights = training.weighted, training.weights
        if rows is not None:
            weighted, weights = np.where(rows, weighted, 0.0), np.where(rows, weights, 0.0)
        sums = np.zeros((len(weighted), self.n_places + 1))
        in_order = weighted[:, order]
        sums[:, filled] = in_order if len(filled) == len(order) else np.add.reduceat(in_order, starts, axis=1)
        return sums, self.masses(weights)

    def _present(self, training: Training) -> tuple[Places, Array, Array]:
        """Return the places that have training rows, the sums there, and their weights."""
        order = self._sorted[0]
        order = order[training.weights[order] > 0]
        places = self.places[order]
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        sums, masses = training.weighted[:, order], training.weights[order]
        if len(starts) < len(order):
            sums, masses = np.add.reduceat(sums, starts, axis=1), np.add.reduceat(masses, starts)
        return places[starts], sums, masses

    def masses(self, weights: Array) -> Array:
        """Return the weight at each place."""
        return np.bincount(self.places, weights, self.n_places + 1).astype(np.float64)

    def _with_missing(self, members: Members) -> Iterator[Members]:
        """Yield a set of places without and, where there are missing values, with these."""
        yield np.append(members, False)
        if self.has_missing:
            yield np.append(members, True)

    def _rules(self, sides: tuple[str, str], *, missing_inside: bool) -> tuple[str, str]:
        below, above = sides
        if not self.has_missing:
            return sides
        return (below, or_missing(above)) if missing_inside else (or_missing(below), above)


def _first_best(
    sums: Array, masses: Array, missing: tuple[Array, float], training: Training
) -> tuple[int, bool] | None:
    """Return the first of some sets of rows that is as good as any, and whether it has the missing values.

    - `sums` (n_main, n_sets): of the deviations of the rows in each set; those of all rows sum to 0.
    - `masses` (n_sets,): their weights.
    - `missing`: sum and weight of the rows without a value.
    """
    missing_sum, missing_mass = missing
    squares = [np.einsum("ki,ki->i", sums, sums)]
    held = [masses]
    if missing_mass > 0:
        squares.append(squares[0] + 2 * (missing_sum @ sums) + missing_sum @ missing_sum)
        held.append(masses + missing_mass)
    square, mass = np.concatenate(squares), np.concatenate(held)
    rest = training.mass - mass
    valid = np.minimum(mass, rest) >= training.least
    if not valid.any():
        return None
    gains = np.full(len(mass), -np.inf)
    gains[valid] = square[valid] * (1 / mass[valid] + 1 / rest[valid])
    at = int(np.argmax(gains >= gains.max() * (1 - EQUAL)))
    return at % len(masses), at >= len(masses)


def split_column(second: SecondFeature, weights: Array) -> SplitColumn | None:
    """Return a column as rows may be split by it; None where it has but one value, or about one for each row."""
    present = ~np.isnan(second.values)
    distinct, found = np.unique(second.values[present], return_inverse=True)
    if len(distinct) < 2:
        return None
    missing = bool(not present.all())
    if not second.is_unordered:
        return _Ordered(second, _placed(present, found, len(distinct)), len(distinct), missing, distinct)
    if is_identifier(len(distinct), len(found)):
        return None
    groups, found = _most_frequent(distinct.astype(np.intp), found, weights[present])
    return _Levels(second, _placed(present, found, len(groups)), len(groups), missing, groups)


def _placed(present: Mask, found: Places, n_places: int) -> Places:
    places = np.full(len(present), n_places, dtype=np.intp)
    places[present] = found
    return places


# --- thresholds -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Ordered(SplitColumn):
    values: Array  # at each place, increasing

    def holds(self, members: Members, values: Array) -> Members:
        return np.where(np.isnan(values), members[-1], values > self.name(members).threshold)

    def best(self, training: Training) -> Members | None:
        present, sums, masses = self._present(training)
        n_present = int(np.count_nonzero(present < self.n_places))  # missing values come last
        if n_present < 2:
            return None
        below = np.cumsum(sums[:, : n_present - 1], axis=1), np.cumsum(masses[: n_present - 1])
        missing = (sums[:, n_present:].sum(axis=1), float(masses[n_present:].sum()))
        found = _first_best(*below, missing, training)
        if found is None:
            return None
        at, missing_below = found
        return self._above(present[at], present[at + 1], missing_inside=not missing_below)

    def moved(self, members: Members, training: Training, halves: Sequence[Members | None]) -> Members:
        present = np.flatnonzero(self.masses(training.weights)[:-1] > 0)
        gains, valid = np.zeros(len(present) - 1), np.ones(len(present) - 1, dtype=bool)
        for is_above, half in enumerate(halves):
            for rows in [None] if half is None else [half, ~half]:
                sums, masses = self.sums(training, rows)
                order = present[::-1] if is_above else present  # from the outermost value to each cut
                with_missing = bool(members[-1]) == bool(is_above)
                held = np.cumsum(masses[order])[:-1] + with_missing * masses[-1]
                summed = np.cumsum(sums[:, order], axis=1)[:, :-1] + with_missing * sums[:, -1:]
                gain = np.einsum("ki,ki->i", summed, summed) / np.maximum(held, training.least)
                gains += gain[::-1] if is_above else gain
                valid &= (held[::-1] if is_above else held) >= training.least
        if not valid.any():
            return members
        at = int(np.argmax(np.where(valid, gains, -np.inf)))
        return self._above(present[at], present[at + 1], missing_inside=bool(members[-1]))

    def _above(self, lower: int, upper: int, *, missing_inside: bool) -> Members:
        """Split half way between two values, whether others lie between them or not."""
        threshold = between(float(self.values[lower]), float(self.values[upper]))
        return np.append(self.values > threshold, missing_inside)

    def coarse(self, weights: Array, n: int) -> list[Members]:
        cumulative = np.cumsum(self.masses(weights)[:-1])
        marks = np.arange(1, n + 1) / (n + 1) * cumulative[-1]
        cuts = np.unique(np.searchsorted(cumulative, marks * (1 - EQUAL)))
        places = np.arange(self.n_places)
        return [members for cut in cuts if cut < self.n_places - 1 for members in self._with_missing(places > cut)]

    def name(self, members: Members) -> Named:
        above, missing_inside = members[:-1], bool(members[-1])
        first = int(np.argmax(above))
        lower, upper = float(self.values[first - 1]), float(self.values[first])
        sides = sides_of_threshold(self.second, lower, upper)
        return Named(between(lower, upper), None, sides, self._rules(sides, missing_inside=missing_inside))


# --- levels without an order ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Levels(SplitColumn):
    groups: Sequence[tuple[int, ...]]  # codes at each place

    def holds(self, members: Members, values: Array) -> Members:
        codes = [code for group, is_in in zip(self.groups, members[:-1], strict=True) if is_in for code in group]
        return np.where(np.isnan(values), members[-1], np.isin(values, codes))

    def best(self, training: Training) -> Members | None:
        sums, masses = self.sums(training)
        if masses[:-1].sum() == 0:
            return None
        order = _along_principal_axis(sums[:, :-1].T, masses[:-1])
        # Up to each place of the order, then each level alone.
        in_order = np.arange(self.n_places)[:, None] >= np.argsort(order)
        sets = np.vstack([in_order[:-1], np.eye(self.n_places, dtype=bool)])
        found = _first_best(sums[:, :-1] @ sets.T, sets @ masses[:-1], (sums[:, -1], float(masses[-1])), training)
        return None if found is None else self._named_side(np.append(sets[found[0]], found[1]))

    def coarse(self, weights: Array, n: int) -> list[Members]:
        masses = self.masses(weights)[:-1]
        frequent = np.sort(np.argsort(-masses, kind="stable")[:n])
        if self.n_places == 2:  # one against the other
            frequent = frequent[:1]
        places = np.arange(self.n_places)
        splits = [members for place in frequent for members in self._with_missing(places == place)]
        return [self._named_side(members) for members in splits]

    def name(self, members: Members) -> Named:
        inside, missing_inside = members[:-1], bool(members[-1])
        names = self.second.levels or []
        levels = tuple(names[code] for group, is_in in zip(self.groups, inside, strict=True) if is_in for code in group)
        sides = sides_of_levels(self.second, levels)
        return Named(np.nan, levels, sides, self._rules(sides, missing_inside=missing_inside))

    def _named_side(self, members: Members) -> Members:
        """Call that side inside whose levels are named: the one with fewer of them, and without the merged ones."""
        inside = members[:-1]
        n_inside = int(inside.sum())
        if len(self.groups[-1]) > 1:
            is_rest = bool(inside[-1])
        else:
            is_rest = n_inside > len(inside) - n_inside or (2 * n_inside == len(inside) and not inside[0])
        return ~members if is_rest else members


def _most_frequent(codes: Places, places: Places, weights: Array) -> tuple[list[tuple[int, ...]], Places]:
    """Group levels: each of the most frequent ones alone, all others together at the end."""
    if len(codes) <= _MOST_LEVELS:
        return [(int(code),) for code in codes], places
    frequent = np.argsort(-np.bincount(places, weights, len(codes)), kind="stable")[:_MOST_LEVELS]
    kept = np.sort(frequent)
    group_of = np.full(len(codes), _MOST_LEVELS, dtype=np.intp)
    group_of[kept] = np.arange(_MOST_LEVELS)
    rest = tuple(int(code) for code in np.delete(codes, kept))
    return [*((int(code),) for code in codes[kept]), rest], group_of[places]


def _along_principal_axis(sums: Array, masses: Array) -> Places:
    """Order levels by their mean curves along the first principal axis of these; levels without rows lie at 0."""
    held = np.maximum(masses, np.finfo(float).tiny)[:, None]
    off = sums / held - (masses > 0)[:, None] * (sums.sum(axis=0) / masses.sum())
    axis = np.linalg.svd(np.sqrt(masses)[:, None] * off, full_matrices=False)[2][0]
    along = off @ axis
    if along[np.argmax(np.abs(along))] < 0:  # an axis has two ends
        along = -along
    return np.argsort(along, kind="stable")
