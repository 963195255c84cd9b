"""Two columns together: rows are split by one of them, and each half by the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.drivers.splits import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Mask, Places
    from ice_explorer.drivers.crossfit import CrossFit, Training
    from ice_explorer.drivers.splits import Members, SplitColumn

    Rows = Mask

_COARSE = 5  # splits of a column in the first search: thresholds at sixths of the rows
_MOST_SPLITS = 400  # of all columns; with more columns each has fewer
_DIRECTIONS = 4  # of the curves, in the first search
_LEAST_GAIN = 0.01  # of the spread: a split of a half that explains less is not worth a rule
_N_MOVES = 2  # rounds in which each split is moved to where it is best, given the others


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """Up to four groups of rows.

    - `root`: how the first column splits all rows.
    - `halves`: how the second one splits those below or outside, and those above or inside; None where it does not.
    """

    first: SplitColumn
    second: SplitColumn
    root: Members
    halves: tuple[Members | None, Members | None]

    def leaves(self) -> Places:
        """Return the group of each row, 0 to 3."""
        below, above = (self.second.inside(half) if half is not None else False for half in self.halves)
        return np.where(self.first.inside(self.root), 2 + np.asarray(above, dtype=np.intp), below).astype(np.intp)

    def rule_of(self, first: Array, second: Array) -> Places:
        """Return which of the rules holds for values of the two columns, on any rows."""
        below, above = (
            np.zeros(len(second), dtype=bool) if half is None else self.second.holds(half, second)
            for half in self.halves
        )
        leaves = np.where(self.first.holds(self.root, first), 2 + above, below)
        return np.searchsorted([leaf for leaf, _ in self.rules()], leaves)

    def rules(self) -> list[tuple[int, str]]:
        """Return the names of the groups."""
        found = []
        root = self.first.name(self.root)
        for side, half in enumerate(self.halves):
            if half is None:
                found.append((2 * side, root.rules[side]))
                continue
            named = self.second.name(half)
            found += [(2 * side + place, f"{root.condition(side)} and {named.condition(place)}") for place in (0, 1)]
        return found


class PairSearch:
    """Search of the best pair on all rows, or on the training rows of a fold.

    Few splits of each column are tried in all combinations. Those of the best pair are then moved.
    """

    def __init__(self, fit: CrossFit, columns: Sequence[SplitColumn]) -> None:
        """Sum the curves in all intersections of two splits, once for all folds."""
        self._fit, self._columns = fit, columns[:_MOST_SPLITS]
        n = max(1, min(_COARSE, _MOST_SPLITS // max(1, len(columns))))
        splits = [column.coarse(fit.spread.weights, n) for column in self._columns]
        self._splits = [(number, members) for number, each in enumerate(splits) for members in each]
        inside = [self._columns[number].inside(members) for number, members in self._splits]
        rows = np.column_stack([*inside, np.ones(len(fit.spread.weights), dtype=bool)]).astype(np.float64)
        values = fit.spread.weights * np.vstack([np.ones(len(rows)), fit.spread.main[:_DIRECTIONS]])
        self._parts = [_joint(rows[fold.held_out], values[:, fold.held_out]) for fold in fit.folds]
        self._whole = np.sum(self._parts, axis=0)

    def best(self, fold: int | None = None) -> ColumnPair | None:
        """Return the pair after which training rows differ least within the groups; None where these are too small."""
        training = self._fit.whole if fold is None else self._fit.folds[fold].training
        joint = self._whole if fold is None else self._whole - self._parts[fold]
        pair = self._coarse(joint, training)
        if pair is None:
            return None
        for _ in range(_N_MOVES):
            pair = _moved(pair, training)
        return pair

    def _coarse(self, joint: Array, training: Training) -> ColumnPair | None:
        """Return the best combination of the few splits, the second one yet to be made."""
        if not self._splits:
            return None
        # Of rows in both of two splits: weights, and sums of deviations from the mean of the training rows.
        both_mass, both = joint[0, :-1, :-1], joint[1:] - joint[1:, -1:, -1:] / joint[0, -1, -1] * joint[0]
        mass, sums, both = joint[0, :-1, -1], both[:, :-1, -1], both[:, :-1, :-1]
        rest = training.mass - mass
        above = _half(both, both_mass, sums, mass, training)
        below = _half(sums[:, None, :] - both, mass - both_mass, -sums, rest, training)
        columns = np.array([number for number, _ in self._splits], dtype=np.intp)
        starts = np.flatnonzero(np.diff(columns, prepend=-1))
        own = columns[:, None] == columns  # a column is not combined with itself
        gains = sum(np.maximum.reduceat(np.where(own, 0.0, half), starts, axis=1) for half in (above, below))
        gains += (_explained(sums, mass) + _explained(sums, rest))[:, None]
        gains[np.minimum(mass, rest) < training.least] = -np.inf
        if not np.isfinite(gains.max()):
            return None
        first_best = int(np.argmax(gains >= gains.max() * (1 - EQUAL)))
        at, with_column = np.unravel_index(first_best, gains.shape)
        number, root = self._splits[at]
        return ColumnPair(self._columns[number], self._columns[columns[starts[with_column]]], root, (None, None))


def _joint(rows: Array, values: Array) -> Array:
    """Return the sum of values over the rows that are in both of each two splits: (n_values, n_splits, n_splits)."""
    return np.stack([rows.T @ (value[:, None] * rows) for value in values])


def _explained(sums: Array, mass: Array) -> Array:
    return np.asarray(np.einsum("d...,d...->...", sums, sums) / np.maximum(mass, np.finfo(np.float64).tiny))


def _half(both: Array, both_mass: Array, sums: Array, mass: Array, training: Training) -> Array:
    """Return what each second split explains of the spread of one half of the first; 0 where it is not worth a rule."""
    rest, rest_mass = sums[:, :, None] - both, mass[:, None] - both_mass
    gains = _explained(both, both_mass) + _explained(rest, rest_mass) - _explained(sums, mass)[:, None]
    is_valid = np.minimum(both_mass, rest_mass) >= training.least
    return np.where(is_valid & (gains > _LEAST_GAIN * training.total), gains, 0.0)


def _moved(pair: ColumnPair, training: Training) -> ColumnPair:
    """Move each split to where it is best, given the others: those of the halves, then the first."""
    upper = pair.first.inside(pair.root)
    below, above = (_best_of_half(pair.second, training, rows) for rows in (~upper, upper))
    rows = [None if half is None else pair.second.inside(half) for half in (below, above)]
    return replace(pair, root=pair.first.moved(pair.root, training, rows), halves=(below, above))


def _best_of_half(column: SplitColumn, training: Training, rows: Rows) -> Members | None:
    half = training.within(rows)
    members = column.best(half)
    if members is None:
        return None
    inside = column.inside(members)
    mass, total = half.weights[inside].sum(), half.weighted[:, inside].sum(axis=1)
    gain = total @ total * (1 / mass + 1 / (half.mass - mass))
    return members if gain > _LEAST_GAIN * training.total else None
