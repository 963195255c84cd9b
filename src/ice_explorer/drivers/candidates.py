"""Columns and groups that may explain the differences between the curves of a feature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors.labels import shortened
from ice_explorer.features.dates import UTC_CLOCK, Clock, make_column_clock
from ice_explorer.features.feature import UNORDERED

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
