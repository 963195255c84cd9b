"""Grids of all values at which a tree model can step, in units of X.

Behind transformers a threshold is one of a column that the trees see. Where that column rises with a column of X, the
value of X at the threshold is bisected with the arithmetic of the transformers, so that rounding cannot put it on the
other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.curves.model_matrix import same
from ice_explorer.errors import OptionError
from ice_explorer.trees.forest import NotExactError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.curves.choose import InnerModel
    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.table import Table
    from ice_explorer.trees.forest import Forest


_N_ROWS, _N_POINTS = 4, 64  # that show which columns move with a feature, and whether they rise
_MOST_HALVINGS = 100  # between two numbers of one sign are at most 64; around 0 the rest is negligible


def threshold_grids(
    inside: InnerModel, table: Table, columns: Columns, positions: Sequence[int]
) -> tuple[dict[str, Array], list[str]]:
    """Make grids of all thresholds of a tree model inside the data, and the extremes of the data.

    On such a grid every step of the curves lies in an interval of its own: the grid shows the exact
    curve and its exact total variation, however the data lie.

    - `inside`: of the model.
    - `positions`: columns to make grids for.
    - returns `grids`: grid values by label, of columns of numbers whose thresholds are values of X. Of others the
      values that occur are all there is to tell apart.
    - returns `notes`: which columns of numbers have no such grid.
    - raises OptionError: if the model is no tree ensemble, or none of its thresholds is a value of X.
    """
    try:
        forest = inside.trees
    except NotExactError as error:
        raise OptionError(f'`grid="thresholds"` needs a tree model. {error}', 'Use `grid="observed"`.') from error
    transform, grids, lost = inside.unwrapped.transform, {}, []
    for feature in map(columns.feature, positions):
        if feature.kind != "numeric" or np.isnan(feature.values).all():
            continue
        ends = _ends(forest, feature.position) if transform is None else _ends_of_x(forest, transform, table, feature)
        if ends is not None:
            low, high = np.nanmin(feature.values), np.nanmax(feature.values)
            grids[feature.label] = np.unique(np.concatenate([[low], ends[(ends > low) & (ends < high)], [high]]))
        elif transform is not None:  # else it is split by category
            lost.append(feature.label)
    if lost and not grids:
        raise OptionError(
            '`grid="thresholds"` needs a column of numbers that the model sees as it is, or scaled. '
            f"The transformers in front of {type(inside.unwrapped.model).__name__} combine or encode all of them.",
            'Use `grid="observed"`.',
        )
    named = ", ".join(map(repr, lost[:3])) + (", …" if len(lost) > 3 else "")
    which = f"the grid of {named} is" if len(lost) == 1 else f"the grids of {len(lost)} columns ({named}) are"
    note = (
        f'`grid="thresholds"`: {which} the observed values, because the transformers in front of the model '
        "combine or encode them, so that its thresholds are not values of X."
    )
    return grids, [note] if lost else []


def _ends(forest: Forest, column: int) -> Array | None:
    """Return the number that stands for each threshold on a grid, in the precision of the trees.

    It is the last one on the left side, or the first one on the right where the threshold itself goes right; None where
    a column is split by category.
    """
    thresholds = forest.thresholds(column)
    if thresholds is None:
        return None
    ends = thresholds.astype(forest.dtype)
    if forest.comparison == "le":
        past = forest.as_compared(column, ends) > thresholds
        ends = np.where(past, np.nextafter(ends, -np.inf, dtype=ends.dtype), ends)
    return ends.astype(np.float64)


def _ends_of_x(forest: Forest, transform: Callable[[Any], Array], table: Table, feature: Feature) -> Array | None:
    """Return the same in units of X; None if a column does not rise with the feature, or depends on others as well."""
    rows = np.unique(np.linspace(0, table.n_observations - 1, _N_ROWS).astype(np.int64))
    present = np.unique(feature.values[~np.isnan(feature.values)])
    points = present[np.unique(np.linspace(0, len(present) - 1, _N_POINTS).astype(np.intp))]

    def see(rows: Rows, values: Array) -> Array:
        moves = feature.column_coordinates(np.tile(values, (len(rows), 1)))
        return transform(table.phantoms(rows, moves)).reshape(len(rows), len(values), -1)

    ends = [np.empty(0)]
    try:
        seen = see(rows, points)
        for column in np.flatnonzero(~same(seen, seen[:, :1]).all(axis=(0, 1))).tolist():
            compared = forest.as_compared(column, seen[0, :, column])
            of_column, is_rising = _ends(forest, column), bool((np.diff(compared) >= 0).all())
            if of_column is None or not is_rising or not same(seen[:, :, column], seen[:1, :, column]).all():
                return None
            if not np.array_equal(seen[0, :, column], points):
                # Brackets of each threshold are narrowed to two neighbouring numbers.
                thresholds, is_le = np.unique(forest.threshold[forest.feature == column]), forest.comparison == "le"
                right = np.searchsorted(compared, thresholds, side="right" if is_le else "left")
                is_between = (right > 0) & (right < len(points))
                thresholds, right = thresholds[is_between], right[is_between]
                low, high = points[right - 1], points[right]
                for _ in range(_MOST_HALVINGS):
                    middle = low + (high - low) / 2
                    wide = np.flatnonzero((middle > low) & (middle < high))
                    if not len(wide):
                        break
                    values = forest.as_compared(column, see(rows[:1], middle[wide])[0, :, column])
                    is_left = forest.goes_left(values, thresholds[wide])
                    low[wide[is_left]], high[wide[~is_left]] = middle[wide[is_left]], middle[wide[~is_left]]
                of_column = low if is_le else high
            ends.append(of_column)
    except (TypeError, ValueError):  # a transformer refuses values that X does not have
        return None
    return np.concatenate(ends)
