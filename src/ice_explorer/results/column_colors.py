"""Columns that colour curves, among them those of y, and their colours: a ramp, or one colour per level."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from ice_explorer.features.axis_text import cell_writer, make_column_clock
from ice_explorer.tables.column import Column

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.features.axis_text import Clock
    from ice_explorer.models.predict import Predictor
    from ice_explorer.tables.column import ColumnKind

Classes: TypeAlias = tuple[()] | tuple[str, str]

_MOST_ORDERED_LEVELS = 6
_MOST_ORDERED_NAMES = 12
_MOST_LEVELS = 8
_OTHER = "other"


class Outcome(Enum):
    """The name of a column that y is needed for; no column of X has it."""

    OBSERVED = "observed"
    RESIDUAL = "residual"


RESIDUAL: Final = Outcome.RESIDUAL


def outcome_labels(labels: Collection[str], target_name: str) -> dict[Outcome, str]:
    """Return what the columns are called: with a number where a column of X is called so."""
    free = {}
    for outcome, name in ((Outcome.OBSERVED, f"observed {target_name or 'target'}"), (RESIDUAL, "residual")):
        numbered = chain([name], (f"{name} ({number})" for number in count(2)))
        free[outcome] = next(each for each in numbered if each not in labels)
    return free


def outcome_column(outcome: Outcome, label: str, target: Array, predictions: Array | None, classes: Classes) -> Column:
    """Return y, or y minus the prediction, as a column, NaN where y is missing.

    - `classes`: names of what 0 and 1 stand for where a class is explained; none of a number.
    """
    if predictions is not None:
        return Column(outcome, label, "numeric", is_integer=False, dtype="float64", values=target - predictions)
    if classes:
        levels = np.fromiter(classes, object)
        return Column(outcome, label, "category", is_integer=False, dtype="category", values=target, levels=levels)
    is_integer = bool(np.all(np.isnan(target) | (target == np.round(target))))
    return Column(outcome, label, "numeric", is_integer, "float64", target)


def class_names(predictor: Predictor) -> Classes:
    """Return what the target is called where it is not the explained class, and where it is; none of a number."""
    if not predictor.of_classes:
        return ()
    output: Any = predictor.output
    explained = output[-1] if isinstance(output, tuple) else output
    others = [each for each in predictor.classes if each != explained]
    return str(others[0]) if len(others) == 1 else f"not {explained}", str(explained)


@dataclass(frozen=True, eq=False)
class RampColors:
    """Values of a column on a ramp.

    - `column`: its label.
    - `values` (n_rows,): NaN where missing.
    - `of`: kind of the column, which says how values are written.
    - `domain`: ends of the ramp.
    - `median`: of the whole column.
    - `levels`: names of 0, 1, … where the values are ranks.
    - `clock`: how datetimes are written.
    """

    column: str
    values: Array
    of: ColumnKind
    domain: tuple[float, float]
    median: float
    levels: list[str] | None
    clock: Clock


@dataclass(frozen=True, eq=False)
class LevelColors:
    """Levels of a column, each with a colour.

    - `values` (n_rows,): place of each row among the levels; NaN where missing.
    - `counts`: rows of the whole column that have each level. `places`: coordinates of levels that have an order.
    """

    column: str
    values: Array
    levels: list[str]
    counts: list[int]
    places: list[float] | None = None

    @property
    def is_ordered(self) -> bool:
        """Whether the levels have an order."""
        return self.places is not None


ColumnColors: TypeAlias = RampColors | LevelColors


def column_colors(column: Column, positions: Rows, apart: Sequence[str] = ()) -> ColumnColors:
    """Values of a column at some rows, as something to colour by.

    - `column`: any column of X, or a group of columns as one category.
    - `positions` (n_rows,): rows of X.
    - `apart`: levels without an order that have colours of their own however rare they are.
    - returns: the domain of a ramp is from the 2 % to the 98 % quantile of the whole column, so that an outlier does
      not take all the colours; of those that are finite. Booleans, ordered categories and whatever has at most 6
      distinct values on an axis are ordered levels; more than 12 ordered levels make a ramp. Categories beyond the 8
      most frequent share a last level "other".
    """
    if column.kind in ("category", "other"):
        return _unordered_levels(column, positions, apart)
    values = column.values.astype(np.float64)
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    most = _MOST_ORDERED_NAMES if column.kind == "ordered" else _MOST_ORDERED_LEVELS
    if column.kind == "boolean" or len(distinct) <= most:
        index = np.searchsorted(distinct, values[positions]).astype(np.float64)
        index[np.isnan(values[positions])] = math.nan
        write = cell_writer(column)
        names = [write(value) for value in distinct]
        return LevelColors(column.label, index, names, counts.tolist(), _finite(distinct).tolist())
    ends = distinct[np.isfinite(distinct)]
    low, high = np.quantile(values[np.isfinite(values)], [0.02, 0.98])
    if column.name is RESIDUAL:  # 0 is in the middle of the ramp
        low, high = -max(-low, high), max(-low, high)
    if low == high or column.kind == "ordered":
        low, high = ends[0], ends[-1]
    return RampColors(
        column.label,
        values[positions],
        column.kind,
        domain=(float(low), float(high)),
        median=float(_finite(distinct[np.searchsorted(np.cumsum(counts), counts.sum() / 2)])),
        levels=column.level_texts,
        clock=make_column_clock(column),
    )


def _finite(values: ArrayLike) -> Array:
    """Put the largest number there is in the place of what is infinite, which has no place on an axis."""
    return np.nan_to_num(np.asarray(values, dtype=np.float64))


def _unordered_levels(column: Column, positions: Rows, apart: Sequence[str]) -> LevelColors:
    """Colour by the levels, in their own order; by what is no level, as text, most frequent first."""
    texts = column.texts
    names, counts = np.unique(texts[~column.missing], return_counts=True)
    # Most frequent first, in alphabetical order among equals: np.unique has sorted the names.
    order = np.argsort(-counts, kind="stable")
    is_kept = np.isin(names[order], apart) | (np.arange(len(order)) < _MOST_LEVELS)
    kept, lumped = order[is_kept], order[~is_kept]
    if column.level_texts is not None:
        place = {text: at for at, text in enumerate(column.level_texts)}
        kept = np.array(sorted(kept, key=lambda at: place[str(names[int(at)])]), dtype=np.int64)
    levels = [str(name) for name in names[kept]]
    level_counts = counts[kept].tolist()
    index = {name: position for position, name in enumerate(levels)}
    if len(lumped):
        levels.append(_OTHER if _OTHER not in levels else f"{_OTHER} levels")
        level_counts.append(int(counts[lumped].sum()))
    codes = [math.nan if texts[row] is None else float(index.get(texts[row], len(index))) for row in positions]
    return LevelColors(column.label, np.array(codes, dtype=np.float64), levels, level_counts)
