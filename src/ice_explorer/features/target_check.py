"""Whether a column of X is the target itself: the same values as y, or curves along the diagonal prediction = value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.models.target import target_columns, target_values

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ice_explorer.models.predict import Predictor
    from ice_explorer.tables.column import Column

    Array = NDArray[np.float64]

_ALONG: Final = 0.1  # standard deviations of the values that the curves lie beside the diagonal: steps of trees do
_NEAR: Final = 0.05  # the same of the target beside the values
_SURE: Final = 0.05  # a probability this near to 0 or 1 is certain
_ROUNDING: Final = 1e-9  # of the standard deviation of the target
_FEWEST_ROWS: Final = 10  # fewer are alike by chance
_EVERY: Final = 16  # rows, of which one tells that curves are not on the diagonal
_FIRST_ROWS: Final = 200  # that tell most columns from the target


@dataclass(frozen=True, eq=False)
class KnownTarget:
    """What y says of the columns of X.

    - `equal`: labels of columns that tell y in every row, with a sentence on each.
    - `numbers` (n_observations,): the target; None where it is classes.
    """

    equal: dict[str, str]
    numbers: Array | None

    def may_be(self, observed: Array) -> bool:
        """Whether a column that does not equal the target is at least near it."""
        return self.numbers is not None and _is_near(observed, self.numbers - observed, _NEAR)


def known_target(y: object, predictor: Predictor, columns: Iterable[Column], n_observations: int) -> KnownTarget:
    """Compare the observed target with every column of X.

    - raises InvalidOptionError: if y is not the target of the rows of X, or of what is explained.
    """
    numbers = target_values(y, predictor, n_observations)
    comparable = [column for column in columns if column.kind != "other"]
    if not predictor.of_classes:
        of_numbers = [column for column in comparable if column.kind in ("numeric", "boolean")]
        found = [column.label for column in of_numbers if _equals(column.values, numbers)]
        return KnownTarget({label: f"{label!r} has the value of y in every row." for label in found}, numbers)
    codes = _codes(y, predictor)
    found = [column.label for column in comparable if _tells(column, codes)]
    return KnownTarget({label: f"{label!r} tells the class of every row." for label in found}, None)


def follows_diagonal(axis: Array, mean: Array, spread: Array, observed: Array) -> bool:
    """Whether the prediction is the value of the feature, whatever the other features are.

    - `axis`, `mean`, `spread` (n_grid,): grid values, and mean and standard deviation of the curves there.
    - `observed` (n_observations,): values of the feature, NaN where missing: the curves count where the data are.
    """
    present = observed[np.isfinite(observed)]
    if not len(present):
        return False
    centred = present - present.mean()
    squares = float(centred @ centred)
    most, half_range = _ALONG**2 * squares, float(mean.max() - mean.min()) / 2
    # A mean curve near the diagonal varies as the values do, by half its range at most.
    if not squares > 0 or half_range**2 * len(present) < (1 - _ALONG) ** 2 * squares:
        return False
    # Squares of some rows are at most those of all; they suffice for most features.
    return all(_squares(axis, mean, spread, present[::step]) <= most for step in (_EVERY, 1))


def _squares(axis: Array, mean: Array, spread: Array, values: Array) -> float:
    """Sum how far the curves are from the diagonal and from each other, squared."""
    return float(np.sum((np.interp(values, axis, mean) - values) ** 2 + np.interp(values, axis, spread) ** 2))


def decides_class(mean: Array, spread: Array, n_classes: int) -> bool:
    """Whether each of a few values makes a class certain or excludes it, whatever the other features are."""
    is_sure = np.minimum(mean, 1 - mean) <= _SURE
    is_split = mean.min() < 0.5 < mean.max()
    return bool(2 <= len(mean) <= n_classes and is_sure.all() and is_split and (spread <= 2 * _SURE).all())


def _is_near(values: Array, off: Array, most: float) -> bool:
    known = np.isfinite(values) & np.isfinite(off)
    variance = float(values[known].var()) if known.any() else 0.0
    return variance > 0 and float(np.mean(off[known] ** 2)) <= most**2 * variance


def _equals(values: Array, numbers: Array) -> bool:
    known = np.flatnonzero(np.isfinite(numbers))
    allowed = _ROUNDING * float(numbers[known].std()) if known.size else 0.0
    if known.size < _FEWEST_ROWS or allowed == 0:
        return False
    # NaN is near to nothing.
    return all(bool((np.abs(values[some] - numbers[some]) <= allowed).all()) for some in (known[:_FIRST_ROWS], known))


def _codes(y: object, predictor: Predictor) -> NDArray[np.intp]:
    """Number the labels of what is explained from 0; missing ones are -1."""
    columns, output = target_columns(y), predictor.output
    chosen: Any = output[0] if isinstance(output, tuple) else predictor.position or 0
    labels = columns[0 if len(columns) == 1 else chosen]
    codes: dict[Any, int] = {None: -1}
    return np.array([codes.setdefault(label, len(codes) - 1) for label in labels], dtype=np.intp)


def _tells(column: Column, codes: NDArray[np.intp]) -> bool:
    """Whether each value goes with one label, and each label with one value."""
    known = np.flatnonzero(codes >= 0)
    n_labels = len(np.unique(codes[known]))
    if known.size < _FEWEST_ROWS or n_labels < 2 or column.missing[known].any():
        return False
    for some in (known[:_FIRST_ROWS], known):
        values, places = np.unique(column.values[some], return_inverse=True)
        if len(values) > n_labels or len(np.unique(places * n_labels + codes[some])) > len(values):
            return False
    return len(values) == n_labels
