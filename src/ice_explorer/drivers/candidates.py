"""Other columns of X: that curves may be split by, that vary with a feature, or that selected rows have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Mask, Rows
    from ice_explorer.curves.inputs import Context
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.column import Column


def second_features(columns: Columns, feature: Feature | None = None) -> list[Column]:
    """Return every column and group except a feature, with coordinates or codes of levels as values.

    A group is where its first column is, in place of its columns. Objects are compared by their text.
    """
    omitted = None if feature is None else feature.position
    return [_make_second(columns, number) for number in columns.in_order if number != omitted]


def _make_second(columns: Columns, number: int) -> Column:
    if number >= len(columns.names):
        return columns.feature(number)
    column = columns.column(number)
    if column.kind == "other":
        values, present = np.full(len(column.missing), np.nan), ~column.missing
        texts, values[present] = np.unique(column.texts[present].astype(str), return_inverse=True)
        return replace(column, values=values, levels=texts)
    return column if np.isinf(column.values).any() else columns.feature(number)  # no feature, but it has an order


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

    column: Column
    inside: float
    outside: float
    low: float
    high: float
    levels: tuple[float, ...]

    @property
    def difference(self) -> float:
        """How much larger the share of the rows is."""
        return self.inside - self.outside


def find_common_values(columns: Sequence[Column], rows: Mask, others: Mask) -> list[InCommon]:
    """Find what rows have in common and others have not, what sets them apart most first: at most 6, one for a column.

    Of numbers it is the range from the 10 % to the 90 % quantile of the rows, open at an end where that separates the
    rows as well; of levels up to 3 that the rows have more often. A column is named if the rows have these values at
    least 0.2 more often than the others, and more often than two random samples of these sizes differ by (bound of
    Kolmogorov and Smirnov at 5 % over all columns).
    """
    n_rows, n_rest = int(rows.sum()), int(others.sum())
    if n_rows < _FEWEST_ROWS or not n_rest or not columns:
        return []
    by_chance = math.sqrt(math.log(2 * len(columns) / _CHANCE) / 2 * (1 / n_rows + 1 / n_rest))
    common = sorted((_find_best(column, rows, others) for column in columns), key=_get_difference, reverse=True)
    return [each for each in common if each.difference >= max(_LEAST, by_chance)][:_MOST]


def _find_best(column: Column, rows: Mask, others: Mask) -> InCommon:
    values, missing = column.values, np.isnan(column.values)

    def measure(low: float = -math.inf, high: float = math.inf, levels: tuple[float, ...] = ()) -> InCommon:
        has = (values >= low) & (values <= high)
        if levels:
            has = np.isin(values, levels) | (missing & np.isnan(levels).any())
        return InCommon(column, float(has[rows].mean()), float(has[others].mean()), low, high, levels)

    known = values[rows & ~missing]
    if column.levels is not None or column.kind == "boolean" or not known.size:
        single = [measure(levels=(level,)) for level in np.unique(values).tolist()]
        frequent = sorted(single, key=_get_difference, reverse=True)[:_MOST_LEVELS]
        return measure(levels=tuple(sorted(each.levels[0] for each in frequent if each.difference > 0)))
    low, high = np.quantile(known, [_TAIL, 1 - _TAIL], method="inverted_cdf").tolist()
    one_end, two_ends = max(measure(low), measure(high=high), key=_get_difference), measure(low, high)
    best = two_ends if two_ends.difference > one_end.difference + _SLACK else one_end
    return max(best, measure(levels=(math.nan,)), key=_get_difference)


MOST: Final = 5
_STRONG: Final = 0.5  # features are listed where at least one correlation is as strong
_WEAK: Final = 0.3  # weaker ones are not listed


def strong_correlations(result: FeatureExplanation) -> tuple[str, pd.DataFrame]:
    """Return what varies strongly with a feature, as `correlated` does, and the text before it; none is a sentence."""
    table = result._once("correlated", lambda: correlated(result._context, result._item.feature, MOST))
    sizes = table["correlation"].abs()
    if (sizes >= _STRONG).any():
        return "Varies with", table[sizes >= _WEAK]
    return f"No other feature has a correlation of {_STRONG:g} or more with {result.label}.", table.iloc[:0]


def correlated(context: Context, feature: Feature, n: int, rows: Rows | None = None) -> pd.DataFrame:
    """Return what varies most with a feature; `FeatureExplanation.correlated` says how that is measured.

    Over some rows; all by default.
    """
    import pandas as pd

    at: Any = np.s_[:] if rows is None else rows
    own, weights = feature.values[at], context.row_weights[at]
    found = [
        (other.label, *correlation(own, other.values[at], weights, (feature.is_unordered, other.is_unordered)))
        for other in second_features(context.columns, feature)
        if other.kind != "other"
    ]
    index = label_index([label for label, _, _ in found], "feature")
    table = pd.DataFrame([values for _, *values in found], index, columns=["correlation", "measure"])
    return table.sort_values("correlation", key=lambda values: -values.abs(), kind="stable").head(n)


def correlation(first: Array, second: Array, weights: Array, are_unordered: tuple[bool, bool]) -> tuple[float, str]:
    """Return how far two features vary together, and the name of the measure; NaN where one is constant.

    Rows in which one is missing do not count.
    """
    known = ~np.isnan(first) & ~np.isnan(second) & (weights > 0)
    first, second, weights = first[known], second[known], weights[known]
    if len(weights) == 0:
        return np.nan, "spearman"
    if all(are_unordered):
        return _cramers_v(first, second, weights), "cramers_v"
    if any(are_unordered):
        levels, values = (first, second) if are_unordered[0] else (second, first)
        return _correlation_ratio(levels, values, weights), "correlation_ratio"
    first, second = _centred_ranks(first, weights), _centred_ranks(second, weights)
    scale = np.sqrt((weights @ first**2) * (weights @ second**2))
    return float(weights @ (first * second) / scale) if scale > 0 else np.nan, "spearman"


def _centred_ranks(values: Array, weights: Array) -> Array:
    """Return ranks less their mean, the mean one where values are equal, as of repeated rows."""
    _, of_row = np.unique(values, return_inverse=True)
    mass = np.bincount(of_row, weights)
    ranks = (np.cumsum(mass) - mass / 2)[of_row]
    return np.asarray(ranks - np.average(ranks, weights=weights))


def _correlation_ratio(levels: Array, values: Array, weights: Array) -> float:
    """Return η: the root of the share of the variance of values that lies between levels.

    Less what it is on average by chance (ε² of Kelley, 1935), which is all of it where each row has a level of its own.
    """
    values = values - np.average(values, weights=weights)
    _, of_row = np.unique(levels, return_inverse=True)
    mass = np.bincount(of_row, weights)
    between, total = (np.bincount(of_row, weights * values) ** 2 / mass).sum(), weights @ values**2
    n, n_levels = mass.sum(), len(mass)
    if not total > 0 or not 1 < n_levels < n:
        return np.nan
    return float(np.sqrt(max(1 - (1 - between / total) * (n - 1) / (n - n_levels), 0.0)))


def _cramers_v(first: Array, second: Array, weights: Array) -> float:
    """Return Cramér's V, less what it is on average by chance (Bergsma, 2013)."""
    rows, columns = (np.unique(levels, return_inverse=True)[1] for levels in (first, second))
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    n = weights.sum()
    table = np.bincount(rows * shape[1] + columns, weights, shape[0] * shape[1]).reshape(shape) / n
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    if not 1 < min(shape) <= max(shape) < n:
        return np.nan
    by_chance = (shape[0] - 1) * (shape[1] - 1) / (n - 1)
    squared = max(((table - expected) ** 2 / expected).sum() - by_chance, 0.0)
    smaller = min(size - (size - 1) ** 2 / (n - 1) for size in shape) - 1
    return float(np.sqrt(squared / smaller)) if smaller > 0 else np.nan
