"""Notes on columns that are the target itself, curves that move within one step, and rows unlike the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_index
from ice_explorer.curves.inputs import merge_notes
from ice_explorer.errors.base import counted
from ice_explorer.metrics.sums import MOST
from ice_explorer.metrics.unordered import UnorderedSums
from ice_explorer.models.predict import target_columns, target_names, target_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.curves.method import Sums
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.ordered import Convention, OrderedSums

_ALONG: Final = 0.1  # distance of curves from the diagonal, in SD of the values: steps of trees have one
_NEAR: Final = 0.05  # the same of the target beside the values
_SURE: Final = 0.05  # a probability this near to 0 or 1 is certain
_ROUNDING: Final = 1e-9  # of the range of a column, and of ratios
_DIGITS: Final = 4 * float(np.finfo(np.float64).eps)  # of its largest value
_CONSTANT: Final = 1000.0  # times that, below which a column does not vary
_FEWEST_ROWS: Final = 10  # fewer are alike by chance
_EVERY: Final = 16  # rows, of which one tells that curves are not on the diagonal
_FIRST_ROWS: Final = 200  # that tell most columns from the target


@dataclass(frozen=True, eq=False)
class KnownTarget:
    """The observed target, and what it says of the columns of X.

    - `y`, `name`: as it was passed, and its name; "" where it has none.
    - `values` (n_observations,): NaN where missing; 1 and 0 for the explained class and others.
    - `equal`: labels of columns that tell y in every row, with a sentence on each.
    """

    y: object
    name: str
    values: Array
    of_classes: bool
    equal: dict[str, str]

    def may_be(self, observed: Array) -> bool:
        """Whether a column that does not equal the target is at least near it."""
        if self.of_classes:
            return False
        known = np.isfinite(observed) & np.isfinite(self.values)
        values = observed[known]
        variance = float(values.var()) if len(values) else 0.0
        return variance > 0 and float(np.mean((self.values[known] - values) ** 2)) <= _NEAR**2 * variance


def observed_target(y: object, context: Context) -> Array:
    """Put an observed target beside the predictions: a class as 1 and 0, (n_observations,), NaN where missing.

    - raises OptionError: if these are not the targets of the rows of X, in their order, or of what is explained.
    """
    check_index("y", "y", y, context.table.index)
    return target_values(y, context.predictor, context.table.n_observations)


def known_target(y: object, context: Context) -> KnownTarget:
    """Compare the observed target with every column of X: its values, and where they are missing."""
    predictor, columns = context.predictor, context.columns
    numbers, sentences = observed_target(y, context), {}
    codes = None
    if predictor.of_classes:  # labels of what is explained, from 0; missing ones are -1
        labels, output = target_columns(y), predictor.output
        chosen: Any = output[0] if isinstance(output, tuple) else predictor.position or 0
        numbered: dict[Any, int] = {None: -1}
        chosen_labels = labels[0 if len(labels) == 1 else chosen]
        codes = np.array([numbered.setdefault(label, len(numbered) - 1) for label in chosen_labels], dtype=np.intp)
    for column in columns.read:
        is_copy = column.kind in ("numeric", "boolean") and _is_copy(column.values, numbers)
        if codes is not None and (is_copy or (column.kind != "other" and _tells(column.values, codes))):
            sentences[column.label] = f"{column.label!r} tells the class of every row."
        elif is_copy:
            is_equal = np.nanmax(np.abs(column.values - numbers)) <= _ROUNDING * np.nanstd(numbers)
            what = "has the value of y" if is_equal else "is y on another scale"
            sentences[column.label] = f"{column.label!r} {what} in every row."
        elif column.missing.any() and _is_copy(column.missing.astype(np.float64), numbers):
            what = "y" if codes is None else "the class"
            sentences[column.label] = f"Whether {column.label!r} is missing tells {what} of every row."
    names = target_names(y)
    return KnownTarget(y, names[0] if len(names) == 1 else "", numbers, predictor.of_classes, sentences)


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
    for step in (_EVERY, 1):  # squares of some rows are at most those of all; they suffice for most features
        values = present[::step]
        off = (np.interp(values, axis, mean) - values) ** 2 + np.interp(values, axis, spread) ** 2
        if not off.sum() <= most:
            return False
    return True


def decides_class(mean: Array, spread: Array, n_classes: int) -> bool:
    """Whether each of a few values makes a class certain or excludes it, whatever the other features are."""
    is_sure = np.minimum(mean, 1 - mean) <= _SURE
    is_split = mean.min() < 0.5 < mean.max()
    return bool(2 <= len(mean) <= n_classes and is_sure.all() and is_split and (spread <= 2 * _SURE).all())


def _is_copy(values: Array, numbers: Array) -> bool:
    """Return whether values are a · numbers + b up to rounding, a ≠ 0, wherever the target is known."""
    known = np.flatnonzero(np.isfinite(numbers))
    if known.size < _FEWEST_ROWS:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is near to nothing
        for rows in (known[:_FIRST_ROWS], known):
            # Differences from the first row are exact where a mean would be rounded.
            x, y = values[rows] - values[rows[0]], numbers[rows] - numbers[rows[0]]
            slope = float(x @ y / (y @ y)) if y.any() else 0.0
            largest, digits = np.abs(x).max(), _DIGITS * np.abs(values[rows]).max()
            if not np.abs(x - slope * y).max() <= _ROUNDING * largest + digits:
                return False
    return bool(largest > _CONSTANT * digits)


def _tells(values: Array, codes: Places) -> bool:
    """Return whether each value, a missing one among them, goes with one label, and each label with one value."""
    known = np.flatnonzero(codes >= 0)
    n_labels = len(np.unique(codes[known]))
    if known.size < _FEWEST_ROWS or n_labels < 2:
        return False
    for rows in (known[:_FIRST_ROWS], known):
        distinct, places = np.unique(values[rows], return_inverse=True)
        if len(distinct) > n_labels or len(np.unique(places * n_labels + codes[rows])) > len(distinct):
            return False
    return len(distinct) == n_labels


_FEWEST_VALUES: Final = 5
_DOMINANT: Final = 0.5  # share of the movement
_DISPROPORTIONATE: Final = 5.0  # times the share of the data
_CROWDED: Final = 2.0  # times the figure of "step"
_MANY_TIMES: Final = 4.0  # the mean range of the curves
_MOST_ROWS: Final = 8  # that a note names


def notes_on(sums: Sums, item: FeatureInput, outlying: Rows) -> dict[str, str]:
    """Return notes on a feature, without its name, by subject; curves of `outlying` rows lie far from all others."""
    notes: dict[str, str | None] = {}
    figures = sums.undecayed()
    missing, impact = figures["missing_impact"], figures["impact"]
    if missing > impact:  # either may be NaN
        notes["missing"] = (
            f"the model reacts to the value being missing ({figure_text(missing)}) more than to the values "
            f"({figure_text(impact)})."
        )
    if len(outlying):
        shown = ", ".join([*map(str, outlying[:_MOST_ROWS].tolist()), *["…"][: max(0, len(outlying) - _MOST_ROWS)]])
        behave = "behaves" if len(outlying) == 1 else "behave"
        at_least = "at least " if len(outlying) == MOST else ""
        notes["outlying"] = f"{at_least}{counted(len(outlying), 'row')} {behave} unlike the rest: {shown}."
    if not isinstance(sums, UnorderedSums) and len(sums.grid) >= _FEWEST_VALUES:  # levels without order have no steps
        movement = _note_movement if sums.convention == "step" else _note_close_values
        notes |= {"movement": movement(sums), "step": _note_step(sums, item)}
    return {subject: note for subject, note in notes.items() if note is not None}


def _note_step(sums: OrderedSums, item: FeatureInput) -> str | None:
    movement = sums.mean_absolute_changes
    total = movement.sum()
    if not total > 0:
        return None
    largest = int(np.argmax(movement))
    share = movement[largest] / total
    of_data = item.shares[largest : largest + 2].sum() / (2.0 * item.shares.sum())
    if share <= _DOMINANT + _ROUNDING or share <= _DISPROPORTIONATE * of_data + _ROUNDING:
        return None
    low, high = (item.feature.shown(float(value)) for value in sums.grid[largest : largest + 2])
    return f"{share * 100:.0f} % of the movement happens between {low} and {high}."


def _note_movement(sums: OrderedSums) -> str | None:
    extent, total = sums.extent / sums.total_weight, float(sums.mean_absolute_changes.sum())
    if sums.factors is None or total <= (_MANY_TIMES + _ROUNDING) * extent:
        return None
    return f"Curves go up and down ({total / extent:.0f} times their range): the model may follow noise there."


def _note_close_values(sums: OrderedSums) -> str | None:
    paper, step = sums.undecayed()["impact"], sums.step_impact
    if paper <= (_CROWDED + _ROUNDING) * step:
        return None
    return (
        f"By the paper's intervals {figure_text(paper)}, per step of one standard deviation {figure_text(step)}: "
        "changes between close values weigh most."
    )


def merge_feature_notes(features: Sequence[FeatureExplanation], convention: Convention) -> list[str]:
    """Return the notes on features; one that applies to several counts them and names the first."""
    merged: list[str] = []
    for subject, of_several in _OF_SEVERAL.items():
        notes = {each.label: each._notes[subject] for each in features if subject in each._notes}
        several = _OF_THE_PAPER if subject == "movement" and convention == "paper" else of_several
        merged += merge_notes(list(notes), f": {next(iter(notes.values()), '')}", f": {several}.")
    return merged


_OF_SEVERAL: Final = {
    "missing": "the model reacts to values being missing more than to the values",
    "movement": "curves go up and down, so the model may follow noise there",
    "step": "more than half of the movement happens within one grid step",
    "outlying": "some rows behave unlike the rest, and are always drawn",
}
_OF_THE_PAPER: Final = (
    "by the paper's intervals impact is more than twice that per step of one standard deviation, because changes "
    "between close values weigh most"
)


def figure_text(value: float) -> str:
    """Write a metric with three digits, or as a whole number from 1,000 on."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
