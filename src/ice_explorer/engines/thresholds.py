"""Grids of all values at which a tree model can step, in units of X.

Behind transformers a threshold is one of a column that the model sees. Where that column rises with a
column of X, the value of X at the threshold is found by bisection with the transformers' own arithmetic,
so that rounding cannot put it on the other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ice_explorer.engines.model_space import same
from ice_explorer.errors import InvalidOptionError
from ice_explorer.trees.forest import UnsupportedTreesError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal

    from numpy.typing import NDArray

    from ice_explorer.engines.choose import Inside
    from ice_explorer.features.columns import Columns
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.column import Column
    from ice_explorer.tables.table import Table
    from ice_explorer.trees.forest import Forest

    Array = NDArray[np.float64]

_N_ROWS, _N_POINTS = 4, 64  # that show which columns move with a feature, and whether they rise
_ROWS_AT_A_TIME = 1 << 14


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
    except UnsupportedTreesError as error:
        instead = 'grid="observed"'
        raise InvalidOptionError.needs('grid="thresholds"', "a tree model", str(error), instead) from error
    features = [columns.feature(position) for position in positions]
    features = [feature for feature in features if feature.kind == "numeric" and not np.isnan(feature.values).all()]
    if inside.peeled.transform is None:
        found = {
            feature.position: _ends(forest, feature.position, thresholds)
            for feature in features
            if (thresholds := forest.thresholds(feature.position)) is not None  # not split by category
        }
        lost = []
    else:
        found = _Transformed(table, inside.peeled.transform, forest).ends(features)
        lost = [feature.label for feature in features if feature.position not in found]
        if lost and not found:
            raise InvalidOptionError(
                '`grid="thresholds"` needs a column of numbers that the model sees as it is, or scaled. '
                f"The transformers in front of {type(inside.peeled.model).__name__} combine or encode all of them.",
                'Use `grid="observed"`.',
            )
    return {
        feature.label: _inside_data(feature, found[feature.position])
        for feature in features
        if feature.position in found
    }, _notes(lost)


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
    ends = thresholds.astype(forest.inputs.dtype)
    if forest.inputs.comparison == "le":
        past = forest.inputs.as_compared(column, ends) > thresholds
        ends = np.where(past, np.nextafter(ends, -np.inf, dtype=ends.dtype), ends)
    return ends.astype(np.float64)


def _inside_data(feature: Feature, ends: Array) -> Array:
    low, high = np.nanmin(feature.values), np.nanmax(feature.values)
    return np.unique(np.concatenate([[low], ends[(ends > low) & (ends < high)], [high]]))


class _Transformed:
    """Columns of X, and what the trees see of them behind transformers.

    - `transform`: rows of X -> the matrix that the trees see.
    """

    def __init__(self, table: Table, transform: Callable[[Any], Array], forest: Forest) -> None:
        self._table = table
        self._transform = transform
        self._forest = forest

    def ends(self, features: Sequence[Feature]) -> dict[int, Array]:
        """Return the last value of X on the left side of each threshold, or the first on its right, as `_ends`.

        By number of the feature. Features that move a column which does not rise with them, or depends
        on others as well, are left out.
        """
        found = [(feature, bracket) for feature in features if (bracket := self._brackets(feature)) is not None]
        if not found:
            return {}
        of_feature = np.repeat(np.arange(len(found)), [len(bracket.low) for _, bracket in found])
        brackets = _Brackets.joined([bracket for _, bracket in found])
        self._bisect([feature for feature, _ in found], of_feature, brackets)
        ends = brackets.low if self._forest.inputs.comparison == "le" else brackets.high
        return {feature.position: ends[of_feature == at] for at, (feature, _) in enumerate(found)}

    def _bisect(self, features: Sequence[Feature], of_feature: NDArray[np.intp], brackets: _Brackets) -> None:
        """Narrow brackets, in place, to the neighbouring numbers between which each threshold is passed."""
        low, high = brackets.low, brackets.high

        def narrow(which: NDArray[np.intp], values: Array) -> None:
            matrix = self._written(features, of_feature[which], values, brackets.column[which])
            # Columns of numbers are all compared in one way.
            compared = self._forest.inputs.as_compared(int(brackets.column[0]), matrix)
            thresholds = brackets.threshold[which]
            left = self._forest.inputs.goes_left(compared, thresholds)
            low[which[left]], high[which[~left]] = values[left], values[~left]

        wide = _wide(brackets)
        for guess in (brackets.below, brackets.above) if len(wide) else ():
            narrow(wide, np.clip(guess, low, high)[wide])
        while len(wide := _wide(brackets)):
            narrow(wide, _middle(low[wide], high[wide]))

    def _written(
        self, features: Sequence[Feature], of_feature: NDArray[np.intp], values: Array, columns: NDArray[np.intp]
    ) -> Array:
        """Write each value into its feature, and return what its column becomes, (n_values,).

        All features are written side by side into copies of one row: each column comes from one of them.
        """
        row = np.arange(len(values)) - np.searchsorted(of_feature, of_feature)
        seen = np.empty(len(values))
        for start in range(0, int(row.max()) + 1, _ROWS_AT_A_TIME):
            here = np.flatnonzero((row >= start) & (row < start + _ROWS_AT_A_TIME))
            own = row[here] - start
            moves: dict[Column, Array] = {}
            for at in np.unique(of_feature[here]).tolist():
                of_this = here[of_feature[here] == at]
                column = np.full((1, int(own.max()) + 1), values[of_this[0]])
                column[0, : len(of_this)] = values[of_this]
                moves |= features[at].moves(column)
            matrix = self._transform(self._table.phantoms(np.zeros(1, np.int64), moves))
            seen[here] = matrix[own, columns[here]]
        return seen

    def _brackets(self, feature: Feature) -> _Brackets | None:
        """Find neighbouring points of a feature on both sides of each threshold; None where columns do not rise."""
        points = _points(feature.values)
        rows = np.unique(np.linspace(0, self._table.n_observations - 1, _N_ROWS).astype(np.int64))
        try:
            moves = feature.moves(np.tile(points, (len(rows), 1)))
            seen = self._transform(self._table.phantoms(rows, moves)).reshape(len(rows), len(points), -1)
        except (TypeError, ValueError):  # a transformer refuses values that X does not have
            return None
        moved = np.flatnonzero(~same(seen, seen[:, :1]).all(axis=(0, 1)))
        brackets = []
        for column in moved.tolist():
            thresholds = self._forest.thresholds(column)
            if not same(seen[:, :, column], seen[:1, :, column]).all() or thresholds is None:
                return None
            bracket = self._bracketed(column, thresholds, points, seen[0, :, column])
            if bracket is None:
                return None
            brackets.append(bracket)
        return _Brackets.joined(brackets)

    def _bracketed(self, column: int, thresholds: Array, points: Array, seen: Array) -> _Brackets | None:
        compared = self._forest.inputs.as_compared(column, seen)
        if not (np.diff(compared) >= 0).all():
            return None
        if np.array_equal(seen, points):
            ends = _ends(self._forest, column, thresholds)
            return _Brackets(np.full(len(ends), column), thresholds, ends, ends, ends, ends)
        side: Literal["left", "right"] = "right" if self._forest.inputs.comparison == "le" else "left"
        n_left = np.searchsorted(compared, thresholds, side=side)
        between = (n_left > 0) & (n_left < len(points))
        thresholds, right = thresholds[between], n_left[between]
        left = right - 1
        with np.errstate(invalid="ignore"):  # logarithms may be infinite
            share = (_rounding_border(self._forest, column, thresholds) - seen[left]) / (seen[right] - seen[left])
        guess = points[left] + np.nan_to_num(np.clip(share, 0.0, 1.0)) * (points[right] - points[left])
        near = 4 * np.spacing(np.abs(points).max())
        return _Brackets(
            np.full(len(left), column), thresholds, points[left], points[right], guess - near, guess + near
        )


class _Brackets(NamedTuple):
    """Values of X around each threshold of a column that the trees see.

    The lower of `low` and `high` goes left, the other right. Scalers are straight lines: the threshold
    is then passed between `below` and `above`, some roundings apart.
    """

    column: NDArray[np.intp]
    threshold: Array
    low: Array
    high: Array
    below: Array
    above: Array

    @classmethod
    def joined(cls, brackets: Sequence[_Brackets]) -> _Brackets:
        """Put brackets one after another, in new arrays."""
        nothing = cls(np.empty(0, np.intp), *(np.empty(0) for _ in range(5)))
        return cls(*(np.concatenate(parts) for parts in zip(nothing, *brackets, strict=True)))


def _points(values: Array) -> Array:
    """Choose values of a column: some that occur, and some evenly between the extremes."""
    present = np.unique(values[~np.isnan(values)])
    some = present[np.linspace(0, len(present) - 1, _N_POINTS // 2).astype(np.intp)]
    return np.unique(np.concatenate([some, np.linspace(present[0], present[-1], _N_POINTS // 2)]))


def _rounding_border(forest: Forest, column: int, thresholds: Array) -> Array:
    """Return where numbers begin to be rounded to the right side of a threshold."""
    ends = _ends(forest, column, thresholds)
    towards = np.inf if forest.inputs.comparison == "le" else -np.inf
    past: Array = np.nextafter(ends.astype(forest.inputs.dtype), towards, dtype=forest.inputs.dtype).astype(np.float64)
    return (ends + past) / 2


def _wide(brackets: _Brackets) -> NDArray[np.intp]:
    """Return which brackets have a number inside."""
    return np.flatnonzero(np.nextafter(brackets.low, np.inf) < brackets.high)


def _middle(low: Array, high: Array) -> Array:
    """Return the number in the middle of all that float64 has between two, which 64 halvings exhaust."""
    below, above = _ranks(low), _ranks(high)
    return _ranks((below & above) + ((below ^ above) >> 1)).view(np.float64)


def _ranks(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Turn the bits of float64 into whole numbers of the same order, and back."""
    bits = numbers.view(np.int64)
    return np.asarray(np.where(bits < 0, np.iinfo(np.int64).min - bits, bits), np.int64)
