"""Columns and groups that may explain the differences between the curves of a feature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors.labels import shortened
from ice_explorer.features.dates import UTC_CLOCK, Clock, make_column_clock
from ice_explorer.features.feature import UNORDERED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature, FeatureKind
    from ice_explorer.tables.column import Column, ColumnKind


@dataclass(frozen=True, eq=False)
class SecondFeature:
    """What lines may be separated by.

    - `label`: name of the column, or of the group, as text.
    - `kind`: kind of the feature; "other" for objects, which are compared by their text.
    - `is_integer`: whether its values are whole numbers.
    - `values` (n_observations,): coordinates, or codes of `levels`; NaN is missing.
    - `levels`: what codes stand for.
    - `clock`: how datetimes are written.
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

    def at(self, positions: NDArray[np.int64]) -> SecondFeature:
        """Return the same of some rows."""
        return replace(self, values=self.values[positions])


def second_features(columns: Columns, feature: Feature) -> list[SecondFeature]:
    """Return all that may tell the lines of a feature apart, a group where its first column stands.

    - `columns`: of X.
    - `feature`: the one whose lines they are: it is left out.
    - returns: columns that are members of a group are represented by the group.
    """
    return [_second(columns, number) for number in columns.in_order if number != feature.position]


def all_features(columns: Columns) -> list[SecondFeature]:
    """Return every column of X and every group, a group where its first column is and in place of its columns."""
    return [_second(columns, number) for number in columns.in_order]


def distinct_rows(columns: Sequence[NDArray[np.float64]], positions: NDArray[np.int64]) -> NDArray[np.intp]:
    """Number the distinct rows among those at some positions from 0, whatever their order; equal rows share a number.

    - `columns` (n_observations,) each: all that rows may differ by.
    - `positions` (n_rows,).
    """
    values = np.column_stack([column[positions] for column in columns]) + 0.0  # no negative zeros
    values[np.isnan(values)] = np.nan
    rows = np.ascontiguousarray(values).view(np.dtype((np.void, values.strides[0]))).ravel()
    return np.unique(rows, return_inverse=True)[1]


def _second(columns: Columns, number: int) -> SecondFeature:
    members = columns.columns_by_feature[number]
    column = columns.at(members[0])
    if len(members) == 1 and column.kind == "other":
        return _by_text(column)
    if len(members) == 1 and np.isinf(column.values).any():  # no feature, but it has an order
        return SecondFeature(column.label, column.kind, column.is_integer, column.values, None)
    feature = columns.feature(number)
    levels = None if feature.levels is None else shortened([str(level) for level in feature.levels])
    return SecondFeature(
        feature.label, feature.kind, feature.is_integer, feature.values, levels, make_column_clock(column)
    )


def _by_text(column: Column) -> SecondFeature:
    present = ~column.missing
    levels, codes = np.unique(column.texts[present].astype(str), return_inverse=True)
    values = np.full(len(present), np.nan)
    values[present] = codes
    return SecondFeature(column.label, column.kind, is_integer=False, values=values, levels=levels.tolist())
