"""Columns and groups that curves may be split by, and those whose values differ between selected rows and the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.features.dates import UTC_CLOCK, Clock, make_column_clock
from ice_explorer.features.feature import UNORDERED
from ice_explorer.tables.labels import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.arrays import Mask
    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature, FeatureKind
    from ice_explorer.tables.column import ColumnKind


@dataclass(frozen=True, eq=False)
class SecondFeature:
    """A column or group that curves may be split by.

    - `kind`: "other" for objects, which are compared by their text.
    - `values` (n_observations,): coordinates, or codes of `levels`; NaN is missing.
    """

    label: str
    kind: FeatureKind | ColumnKind
    is_integer: bool
    values: NDArray[np.float64]
    levels: list[str] | None
    clock: Clock = UTC_CLOCK

    @property
    def is_unordered(self) -> bool:
        """Whether its levels have no order."""
        return self.kind in UNORDERED or self.kind == "other"

    def take(self, positions: NDArray[np.integer]) -> SecondFeature:
        """Return the same column with fewer rows, or in another order."""
        return replace(self, values=self.values[positions])


def second_features(columns: Columns, feature: Feature | None = None) -> list[SecondFeature]:
    """Return every column and group except a feature; a group is where its first column is, in place of its columns."""
    omitted = None if feature is None else feature.position
    return [_make_second(columns, number) for number in columns.in_order if number != omitted]


def _make_second(columns: Columns, number: int) -> SecondFeature:
    members = columns.columns_by_feature[number]
    column = columns.at(members[0])
    if len(members) == 1 and column.kind == "other":
        values, present = np.full(len(column.missing), np.nan), ~column.missing
        texts, values[present] = np.unique(column.texts[present].astype(str), return_inverse=True)
        return SecondFeature(column.label, column.kind, is_integer=False, values=values, levels=texts.tolist())
    if len(members) == 1 and np.isinf(column.values).any():  # no feature, but it has an order
        return SecondFeature(column.label, column.kind, column.is_integer, column.values, None)
    feature = columns.feature(number)
    levels = None if feature.levels is None else shortened([str(level) for level in feature.levels])
    clock = make_column_clock(column)
    return SecondFeature(feature.label, feature.kind, feature.is_integer, feature.values, levels, clock)


_FEWEST_ROWS = 5  # too few to rule out chance
_MOST = 6  # columns that are named
_LEAST = 0.2  # by which the share of the rows exceeds that of the rest
_CHANCE = 0.05  # that any column is named where the rows are drawn at random
_TAIL = 0.1  # of the rows, outside an end of their range
_SLACK = 0.02  # by which a range of one end may be worse than one of two
_MOST_LEVELS = 3

_get_difference = attrgetter("difference")


@dataclass(frozen=True, eq=False)
class InCommon:
    """A range or levels of one column, and the shares of the rows and of the rest that have such values.

    - `low`, `high`: ends of the range, both included; infinite where it is open.
    - `levels`: codes of levels instead; NaN is missing.
    """

    column: SecondFeature
    inside: float
    outside: float
    low: float
    high: float
    levels: tuple[float, ...]

    @property
    def difference(self) -> float:
        """How much larger the share of the rows is."""
        return self.inside - self.outside


def find_common_values(columns: Sequence[SecondFeature], rows: Mask) -> list[InCommon]:
    """Find what rows have in common, what sets them apart most first: at most 6, one for a column.

    Of numbers it is the range from the 10 % to the 90 % quantile of the rows, open at an end where that separates the
    rows as well; of levels up to 3 that the rows have more often. A column is named if the rows have these values at
    least 0.2 more often than the rest, and more often than two random samples of these sizes differ by (Kolmogorov and
    Smirnov's bound at 5 % over all columns).
    """
    n_rows, n_rest = int(rows.sum()), int((~rows).sum())
    if n_rows < _FEWEST_ROWS or not n_rest or not columns:
        return []
    by_chance = math.sqrt(math.log(2 * len(columns) / _CHANCE) / 2 * (1 / n_rows + 1 / n_rest))
    common = sorted((_find_best(column, rows) for column in columns), key=_get_difference, reverse=True)
    return [each for each in common if each.difference >= max(_LEAST, by_chance)][:_MOST]


def _find_best(column: SecondFeature, rows: Mask) -> InCommon:
    known = column.values[rows & ~np.isnan(column.values)]
    if column.levels is not None or column.kind == "boolean" or not known.size:
        single = [_measure(column, rows, levels=(level,)) for level in np.unique(column.values).tolist()]
        frequent = sorted((each for each in single if each.difference > 0), key=_get_difference, reverse=True)[
            :_MOST_LEVELS
        ]
        return _measure(column, rows, levels=tuple(sorted(each.levels[0] for each in frequent)))
    low, high = np.quantile(known, [_TAIL, 1 - _TAIL], method="inverted_cdf").tolist()
    one_end = max(_measure(column, rows, low=low), _measure(column, rows, high=high), key=_get_difference)
    two_ends = _measure(column, rows, low=low, high=high)
    best = two_ends if two_ends.difference > one_end.difference + _SLACK else one_end
    return max(best, _measure(column, rows, levels=(math.nan,)), key=_get_difference)


def _measure(
    column: SecondFeature,
    rows: Mask,
    low: float = -math.inf,
    high: float = math.inf,
    levels: tuple[float, ...] = (),
) -> InCommon:
    values = column.values
    has = np.isin(values, levels) | (np.isnan(values) & np.isnan(levels).any())
    if not levels:
        has = (values >= low) & (values <= high)
    return InCommon(column, float(has[rows].mean()), float(has[~rows].mean()), low, high, levels)
