"""Explain the differences between curves of a feature by splits of the rows on other columns.

Curves differ in level and in shape. Each is centred at its own mean, so that only shape is left, and the rows are split
in two by another column where that leaves the least variance between the curves within both groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.drivers.search import LEAST_ROWS, CrossFit, find_pairs
from ice_explorer.drivers.splits import make_split_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.drivers.candidates import SecondFeature
    from ice_explorer.drivers.splits import SplitColumn

MOST_ROWS: Final = 5000
"""Rows that splits are searched on; of more, a stratified sample."""
LEAST_SHARE: Final = 0.05
"""What explains a smaller part of the differences is not reported."""
ALIKE: Final = "Curves do not differ in shape."

_LITTLE = 0.1  # of the variance of the curves
_DIGITS = 9  # that are more than rounding


@dataclass(frozen=True)
class Driver:
    """The best split of the rows by one column.

    - `share`: part of the variance between curves that it explains, 0 to 1, on rows that it was not chosen on. It is 0
      where chance explains as much; the rest is empty then.
    - `threshold`: rows up to it are one group, rows above it the other [coordinates of the column].
    - `levels`: those of one group, where they have no order.
    - `rule`: one of the groups in words, the one that has the missing values if there are any.
    - `sides`: names of both groups, missing values aside: below or outside, above or inside.
    - `n_rule`, `n_rest`: rows of the group that the rule names, and of the other.
    """

    column: str
    share: float = 0.0
    threshold: float = np.nan
    levels: tuple[str, ...] | None = None
    rule: str = ""
    sides: tuple[str, str] = ("", "")
    n_rule: int = 0
    n_rest: int = 0


@dataclass(frozen=True)
class Combined:
    """Two columns together: up to four rules that each row fulfils one of.

    - `columns`: empty where two columns explain no more than the best one.
    - `share`: as that of a driver.
    - `rules`: each rule, and the number of its rows.
    - `row_rules` (n_observations,): number of the rule of each row of X.
    - `is_searched`: whether there are two columns that rows can be split by.
    """

    columns: tuple[str, ...] = ()
    share: float = 0.0
    rules: dict[str, int] = field(default_factory=dict)
    row_rules: NDArray[np.integer] | None = None
    is_searched: bool = False


@dataclass(frozen=True)
class Drivers:
    """What makes the curves of one feature differ.

    - `ranked`: one for each other column, best first.
    - `size`: variance between centred curves, relative to their total variance around their own means, 0 to 1.
    - `n_rows`, `n_curves`: rows that splits were searched on, of rows that have curves.
    """

    ranked: tuple[Driver, ...]
    combined: Combined
    size: float
    n_rows: int
    n_curves: int

    @property
    def reported(self) -> tuple[Driver, ...]:
        """Those that explain enough."""
        return tuple(driver for driver in self.ranked if driver.share >= LEAST_SHARE)

    @property
    def lead(self) -> str:
        """How large the differences are; and where no column explains them, that."""
        if self.size == 0:
            return ALIKE
        size = f"Curves differ{' little' if self.size < _LITTLE else ''} ({_percent(self.size)} of their variance)"
        if self.reported:
            return f"{size}; of that:"
        if self.n_rows < 2 * LEAST_ROWS:
            return f"{size}. Too few rows to explain the differences between curves."
        nor_two = ", nor do two together" if self.combined.is_searched and not self.combined.columns else ""
        return f"{size}. No single column explains the differences{nor_two}."

    @property
    def summary(self) -> str:
        """The size of the differences, and the best rules, in one or two sentences."""
        summary, combined = self.lead, self.combined
        for best in self.reported[:1]:
            summary = f"{summary.removesuffix(':')}, {best.rule} explains {_percent(best.share)}."
        if combined.columns:
            summary += f" {' and '.join(combined.columns)} together explain {_percent(combined.share)}."
        if self.n_rows < self.n_curves:
            summary += f" Found on a stratified sample: {self.n_rows:,} of {self.n_curves:,} rows."
        return summary

    def frame(self) -> pd.DataFrame:
        """Lay out as a table; see `Explanation.drivers`."""
        import pandas as pd

        columns = {"feature": "column", "rule": "rule", "share": "share", "n_yes": "n_rule", "n_no": "n_rest"}
        values = {name: [getattr(driver, field) for driver in self.ranked] for name, field in columns.items()}
        return pd.DataFrame(values).astype({"feature": object, "rule": object, "share": float})


def _percent(share: float) -> str:
    percent = round(share * 100, _DIGITS)
    return "less than 0.1 %" if percent < 0.1 else f"{percent:.{0 if percent >= 9.95 else 1}f} %"


def find_drivers(
    curves: Array,
    seconds: Sequence[SecondFeature],
    positions: Rows,
    weights: Array,
    observations: Places,
    *,
    lengths: Array,
    prediction_range: float,
    n_curves: int,
) -> Drivers:
    """Find what makes curves differ; `Explanation.drivers` says how.

    - `curves` (n_rows, n_grid): ICE [output].
    - `seconds`: columns, of all rows of X; `positions` (n_rows,) are those of the curves.
    - `weights` (n_rows,): frequencies, all greater than 0: row counts are their sums.
    - `observations` (n_rows,): number of the distinct observation that each row is, from 0.
    - `lengths` (n_grid,): how many grid values each stands for, along which all curves are constant.
    - `prediction_range`: largest less smallest prediction of the feature [output].
    - `n_curves`: number of rows that these were drawn from.
    """
    n_rows = len(curves)
    # Equal rows are one with their weight, in an order of their values: repeats and the order of rows do not matter.
    rows, observations = np.unique(observations, return_index=True, return_inverse=True)[1:]
    weights = np.bincount(observations, weights).astype(np.float64)
    fit = CrossFit(curves[rows], weights, lengths, prediction_range)
    if fit.size == 0:
        return Drivers(tuple(Driver(second.label) for second in seconds), Combined(), 0.0, n_rows, n_curves)
    columns = [make_split_column(second.take(positions[rows]), weights) for second in seconds]
    n_columns = len(columns) - columns.count(None)
    splittable, scored = [], [(Driver(second.label), 0 * weights) for second in seconds]
    for number, column in enumerate(columns):
        split, *by_fold = fit.find_splits(column) if column is not None else [None]
        if column is None or split is None:
            continue
        splittable.append(column)
        gains = fit.score([column.group(each) for each in by_fold])
        if fit.is_certain(gains, n_columns):
            scored[number] = describe_driver(column, split, fit.share(gains), weights), gains
    scored.sort(key=lambda each: -round(each[0].share, _DIGITS))  # stable
    combined = Combined()
    if len(splittable) > 1:
        best = next((gains for driver, gains in scored if driver.share >= LEAST_SHARE), 0 * weights)
        combined = _combine(fit, splittable, best, seconds)
    return Drivers(tuple(driver for driver, _ in scored), combined, fit.size, n_rows, n_curves)


def describe_driver(column: SplitColumn, split: Mask, share: float, weights: Array) -> Driver:
    """Describe a split; the rule is that of the side with the missing values, else that of the second one."""
    text = column.describe(split)
    side = int(text.rules[0] == text.sides[0])
    n_rows = [round(count) for count in np.bincount(column.group(split), weights, 2)]
    rule, n_rule, n_rest = text.rules[side], n_rows[side], n_rows[1 - side]
    return Driver(column.second.label, share, text.threshold, text.levels, rule, text.sides, n_rule, n_rest)


def _combine(fit: CrossFit, columns: list[SplitColumn], best: Array, seconds: Sequence[SecondFeature]) -> Combined:
    """Return the rules of two columns; none unless they explain more than the best column, which has a score."""
    pair, *by_fold = find_pairs(fit, columns)
    gains = fit.score([each.group() for each in by_fold])
    is_better = fit.share(gains - best) >= LEAST_SHARE and fit.is_certain(gains - best, len(columns))
    if not is_better or all(half is None for half in pair.halves):
        return Combined(is_searched=True)
    labels = pair.first.second.label, pair.second.second.label
    counts = np.bincount(pair.group(), fit.training[0])
    rules = {rule: round(count) for rule, count in zip(pair.name_rules(), counts, strict=True)}
    values = {second.label: second.values for second in seconds}
    row_rules = pair.group(*(values[label] for label in labels)).astype(np.int8)
    return Combined(labels, fit.share(gains), rules, row_rules, is_searched=True)
