"""Grids of all values at which a tree model can step, in units of X.

Behind transformers a threshold is one of a column that the trees see. Where that column rises with a column of X, the
value of X at the threshold is bisected with the arithmetic of the transformers, so that rounding cannot put it on the
other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.curves.model_matrix import same
from ice_explorer.errors import InvalidOptionError
from ice_explorer.trees.forest import NotExactError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.curves.choose import Inside
    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.table import Table
    from ice_explorer.trees.forest import Forest

    Array = NDArray[np.float64]

_N_ROWS, _N_POINTS = 4, 64  # that show which columns move with a feature, and whether they rise
_MOST_HALVINGS = 100  # between two numbers of one sign are at most 64; around 0 the rest is negligible


def threshold_grids(
    inside: Inside, table: Table, columns: Columns, positions: Sequence[int]
) -> tuple[dict[str, Array], list[str]]:
    """Make grids of all thresholds of a tree model inside the data, and the extremes of the data.

    On such a grid every step of the curves lies in an interval of its own: the grid shows the exact
    curve and its exact total variation, however the data lie.

    - `inside`: of the model.
    - `positions`: columns to make grids for.
    - returns `grids`: grid values by label, of columns of numbers whose thresholds are values of X. Of others the
      values that occur are all there is to tell apart.
    - returns `notes`: which columns of numbers have no such grid.
    - raises InvalidOptionError: if the model is no tree ensemble, or none of its thresholds is a value of X.
    """
    try:
        forest = inside.trees
    except NotExactError as error:
        instead = 'grid="observed"'
        raise InvalidOptionError.needs('grid="thresholds"', "a tree model", str(error), instead) from error
    features = [columns.feature(position) for position in positions]
    features = [feature for feature in features if feature.kind == "numeric" and not np.isnan(feature.values).all()]
    if inside.peeled.transform is None:
        ends = {
            feature.position: _ends(forest, feature.position, thresholds)
            for feature in features
            if (thresholds := forest.thresholds(feature.position)) is not None  # not split by category
        }
        lost = []
    else:
        of_x = {feature.position: _ends_of_x(forest, inside.peeled.transform, table, feature) for feature in features}
        ends = {number: values for number, values in of_x.items() if values is not None}
        lost = [feature.label for feature in features if feature.position not in ends]
        if lost and not ends:
            raise InvalidOptionError(
                '`grid="thresholds"` needs a column of numbers that the model sees as it is, or scaled. '
                f"The transformers in front of {type(inside.peeled.model).__name__} combine or encode all of them.",
                'Use `grid="observed"`.',
            )
    grids = {}
    for feature in features:
        if feature.position in ends:
            low, high = np.nanmin(feature.values), np.nanmax(feature.values)
            values = ends[feature.position]
            grids[feature.label] = np.unique(np.concatenate([[low], values[(values > low) & (values < high)], [high]]))
    return grids, _notes(lost)


def _notes(lost: Sequence[str]) -> list[str]:
    if not lost:
        return []
    named = ", ".join(map(repr, lost[:3])) + (", …" if len(lost) > 3 else "")
    which = f"the grid of {named} is" if len(lost) == 1 else f"the grids of {len(lost)} columns ({named}) are"
    note = (
        f'`grid="thresholds"`: {which} the observed values, because the transformers in front of the model '
        "combine or encode them, so that its thresholds are not values of X."
    )
    return [note]


def _ends(forest: Forest, column: int, thresholds: Array) -> Array:
    """Return the number that stands for each threshold on a grid, in the precision of the trees.

    It is the last one on the left side, or the first one on the right where the threshold itself goes right.
    """
    ends = thresholds.astype(forest.dtype)
    if forest.comparison == "le":
        past = forest.as_compared(column, ends) > thresholds
        ends = np.where(past, np.nextafter(ends, -np.inf, dtype=ends.dtype), ends)
    return ends.astype(np.float64)


def _ends_of_x(forest: Forest, transform: Callable[[Any], Array], table: Table, feature: Feature) -> Array | None:
    """Return the same in units of X; None if a column does not rise with the feature, or depends on others as well."""
    points = _points(feature.values)
    rows = np.unique(np.linspace(0, table.n_observations - 1, _N_ROWS).astype(np.int64))
    try:
        moves = feature.moves(np.tile(points, (len(rows), 1)))
        seen = transform(table.phantoms(rows, moves)).reshape(len(rows), len(points), -1)
    except (TypeError, ValueError):  # a transformer refuses values that X does not have
        return None
    ends = [np.empty(0)]
    for column in np.flatnonzero(~same(seen, seen[:, :1]).all(axis=(0, 1))).tolist():
        thresholds, compared = forest.thresholds(column), forest.as_compared(column, seen[0, :, column])
        is_rising = bool((np.diff(compared) >= 0).all())
        if thresholds is None or not is_rising or not same(seen[:, :, column], seen[:1, :, column]).all():
            return None
        if np.array_equal(seen[0, :, column], points):
            ends.append(_ends(forest, column, thresholds))
        else:
            rising = column, thresholds, points, compared
            ends.append(_bisected(forest, transform, table, feature, rising))
    return np.concatenate(ends)


def _points(values: Array) -> Array:
    """Choose values of a column: some that occur, and some evenly between the extremes."""
    present = np.unique(values[~np.isnan(values)])
    some = present[np.linspace(0, len(present) - 1, _N_POINTS // 2).astype(np.intp)]
    return np.unique(np.concatenate([some, np.linspace(present[0], present[-1], _N_POINTS // 2)]))


def _bisected(
    forest: Forest,
    transform: Callable[[Any], Array],
    table: Table,
    feature: Feature,
    rising: tuple[int, Array, Array, Array],
) -> Array:
    """Narrow brackets of each threshold to two neighbouring numbers, and return the one that stands for it.

    - `rising`: a column that the trees see, its thresholds, some values of the feature, and what is compared there.
    """
    column, thresholds, points, compared = rising
    is_le = forest.comparison == "le"
    right = np.searchsorted(compared, thresholds, side="right" if is_le else "left")
    is_between = (right > 0) & (right < len(points))
    thresholds, right = thresholds[is_between], right[is_between]
    low, high = points[right - 1], points[right]
    for _ in range(_MOST_HALVINGS):
        middle = low + (high - low) / 2
        wide = np.flatnonzero((middle > low) & (middle < high))
        if not len(wide):
            break
        moves = feature.moves(middle[wide][None, :])
        values = forest.as_compared(column, transform(table.phantoms(np.zeros(1, np.int64), moves))[:, column])
        is_left = forest.goes_left(values, thresholds[wide])
        low[wide[is_left]], high[wide[~is_left]] = middle[wide[is_left]], middle[wide[~is_left]]
    return low if is_le else high
