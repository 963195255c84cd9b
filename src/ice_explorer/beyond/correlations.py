"""How far features vary together in the data: rank correlation, correlation ratio, Cramér's V."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.drivers.candidates import second_features
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    import pandas as pd

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.engines.context import Context
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature


MOST: Final = 5
_STRONG: Final = 0.5  # features are listed where at least one correlation is as strong
_WEAK: Final = 0.3  # weaker ones are not listed


class Correlated(NamedTuple):
    """A feature, how far another one varies with it, and the name of the measure."""

    feature: str
    correlation: float
    measure: str


@dataclass(frozen=True)
class StrongCorrelations:
    """The features that vary most with another one; none unless one does so strongly.

    Attributes
    ----------
    lead : str
        What comes before them, or a sentence where there are none.
    """

    lead: str
    items: tuple[Correlated, ...]

    @property
    def sentence(self) -> str:
        """All of it in a sentence."""
        if not self.items:
            return self.lead
        listed = ", ".join(
            f"{item.feature} ({item.correlation:.2f})".replace("(-", "(\N{MINUS SIGN}") for item in self.items
        )
        return f"{self.lead} {listed}."


def strong_correlations(result: FeatureExplanation) -> StrongCorrelations:
    """Return what varies strongly with a feature; computed once."""

    def computed() -> StrongCorrelations:
        table = correlated(result._context, result._item.feature, MOST)
        found = [Correlated(*row) for row in table.itertuples(name=None)]
        sizes = [abs(item.correlation) for item in found]
        if not any(size >= _STRONG for size in sizes):
            none = f"No other feature has a correlation of {_STRONG:g} or more with {result.label}."
            return StrongCorrelations(none, ())
        listed = tuple(item for item, size in zip(found, sizes, strict=True) if size >= _WEAK)
        return StrongCorrelations("Varies with", listed)

    return result._once("strong correlations", computed)


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
    return _pearson(_ranks(first, weights), _ranks(second, weights), weights), "spearman"


def _ranks(values: Array, weights: Array) -> Array:
    """Return ranks, the mean one where values are equal, as of repeated rows."""
    _, of_row = np.unique(values, return_inverse=True)
    mass = np.bincount(of_row, weights)
    return np.asarray((np.cumsum(mass) - mass / 2)[of_row])


def _pearson(first: Array, second: Array, weights: Array) -> float:
    first, second = (values - np.average(values, weights=weights) for values in (first, second))
    scale = np.sqrt((weights @ first**2) * (weights @ second**2))
    return float(weights @ (first * second) / scale) if scale > 0 else np.nan


def _correlation_ratio(levels: Array, values: Array, weights: Array) -> float:
    """Return η: the root of the share of the variance of values that lies between levels."""
    values = values - np.average(values, weights=weights)
    _, of_row = np.unique(levels, return_inverse=True)
    mass = np.bincount(of_row, weights)
    between, total = (np.bincount(of_row, weights * values) ** 2 / mass).sum(), weights @ values**2
    return float(np.sqrt(min(between / total, 1.0))) if total > 0 and len(mass) > 1 else np.nan


def _cramers_v(first: Array, second: Array, weights: Array) -> float:
    rows, columns = (np.unique(levels, return_inverse=True)[1] for levels in (first, second))
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    table = np.bincount(rows * shape[1] + columns, weights, shape[0] * shape[1]).reshape(shape) / weights.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    smaller = min(shape) - 1
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / smaller)) if smaller else np.nan
