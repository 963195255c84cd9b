"""Columns whose values differ most between selected rows and the other rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ice_explorer.arrays import Mask
    from ice_explorer.drivers.candidates import SecondFeature


FEWEST_ROWS: Final = 5
"""Fewer rows have nothing in common that could not be chance."""
MOST: Final = 6
"""Columns that are named at most."""

_LEAST: Final = 0.2  # by which the share of the rows exceeds that of the rest
_CHANCE: Final = 0.05  # that any column is named where the rows are drawn at random
_TAIL: Final = 0.1  # of the rows, outside an end of their range
_SLACK: Final = 0.02  # by which a range of one end may be worse than one of two
_MOST_LEVELS: Final = 3


@dataclass(frozen=True, eq=False)
class InCommon:
    """A range or some levels of one column, and how many of the rows and of the rest are there.

    - `low`, `high`: ends of the range, both included; infinite where it is open.
    - `levels`: codes of levels instead; NaN is missing.
    - `inside`, `outside`: shares of the rows, and of the rest, 0 to 1.
    """

    of: SecondFeature
    inside: float
    outside: float
    low: float = -math.inf
    high: float = math.inf
    levels: tuple[float, ...] = ()

    @property
    def difference(self) -> float:
        """How much larger the share of the rows is."""
        return self.inside - self.outside


def in_common(columns: Iterable[SecondFeature], rows: Mask) -> list[InCommon]:
    """Find what rows have in common, what sets them apart most first.

    - `rows` (n_observations,).
    - returns: at most 6, one for a column: of numbers the range from the 10 % to the 90 % quantile of the rows, open at
      an end where that separates the rows as well; of levels up to 3 that the rows have more often. Named is what at
      least 0.2 more of the rows have than of the rest, and more than two random samples of these sizes differ by
      (Kolmogorov and Smirnov's bound at 5 % over all columns). Nothing for fewer than 5 rows or without a rest.
    """
    n_rows, n_rest = int(rows.sum()), int((~rows).sum())
    found = [_of_column(column, rows) for column in columns] if n_rows >= FEWEST_ROWS and n_rest else []
    if not found:
        return []
    by_chance = math.sqrt(math.log(2 * len(found) / _CHANCE) / 2 * (1 / n_rows + 1 / n_rest))
    named = [each for each in found if each.difference >= max(_LEAST, by_chance)]
    return sorted(named, key=lambda each: -each.difference)[:MOST]


def _of_column(column: SecondFeature, rows: Mask) -> InCommon:
    present = ~np.isnan(column.values)
    some = column.values[rows & present]
    if column.levels is not None or column.kind == "boolean" or not some.size:
        return _levels(column, rows)
    low, high = (float(end) for end in np.quantile(some, [_TAIL, 1 - _TAIL], method="inverted_cdf"))
    ranges = [_range(column, rows, *ends) for ends in ((low, math.inf), (-math.inf, high), (low, high))]
    open_end = max(ranges[:2], key=lambda each: each.difference)
    best = ranges[2] if ranges[2].difference > open_end.difference + _SLACK else open_end
    missing = _chosen(column, rows, (math.nan,))
    return missing if missing.difference > best.difference else best


def _range(column: SecondFeature, rows: Mask, low: float, high: float) -> InCommon:
    has = (column.values >= low) & (column.values <= high)
    return InCommon(column, float(has[rows].mean()), float(has[~rows].mean()), low=low, high=high)


def _levels(column: SecondFeature, rows: Mask) -> InCommon:
    """Return the levels that the rows have more often, those first that differ most."""
    distinct = np.unique(column.values)  # NaN is one of them, where there is any
    single = [_chosen(column, rows, (float(level),)) for level in distinct]
    more = sorted((each for each in single if each.difference > 0), key=lambda each: -each.difference)
    kept = sorted(each.levels[0] for each in more[:_MOST_LEVELS])
    return _chosen(column, rows, tuple(kept))


def _chosen(column: SecondFeature, rows: Mask, levels: tuple[float, ...]) -> InCommon:
    has = np.isin(column.values, levels)
    if any(map(math.isnan, levels)):
        has |= np.isnan(column.values)
    return InCommon(column, float(has[rows].mean()), float(has[~rows].mean()), levels=levels)
