"""Explain the differences between curves of a feature by splits of the rows, each by one other column.

Curves differ in level and in shape. Each is centred at its own mean, so that only shape is left, and the rows are split
in two by another column where that leaves the least variance between the curves within both groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.axis_text import choose_unit, date_text, make_column_clock
from ice_explorer.features.feature import is_identifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.tables.column import Column

_MOST_LEVELS = 100  # that are distinguished; all rarer ones have the next place


@dataclass(frozen=True, eq=False)
class SplitColumn:
    """A column that rows may be split by.

    A split is an array of shape (n_places + 1,): whether rows at a place are above or inside; missing values are last.

    - `values` (n_places,): distinct numbers, increasing, or codes of levels, the most frequent first.
    - `places` (n_rows,).
    """

    second: Column
    values: Array
    places: Places

    def find_best(self, targets: Array, weights: Array, least: float) -> Mask | None:
        """Return the split after which targets vary least within both groups; None where one weighs less than `least`.

        - `weights` (n_rows,): 0 for rows that do not count.
        """
        from sklearn import config_context
        from sklearn.tree import DecisionTreeRegressor

        mass = self._sum(weights)
        total, known = float(mass.sum()), np.flatnonzero(mass[:-1])
        if total < 2 * least or len(known) == 0:
            return None
        # A tree needs no more of the rows at a place than their mean.
        sums = np.column_stack([self._sum(weights * target) for target in targets.T])
        means = sums / np.maximum(mass, np.finfo(np.float64).tiny)[:, None]
        features = self._make_features(means[known], mass[known], known)
        # Missing values are on the side of the first value, or on that of the last.
        missing = np.hstack([features[known].min(axis=0), features[known].max(axis=0)])
        features = np.vstack([np.hstack([features, features]), missing]).astype(np.float32)
        tree = DecisionTreeRegressor(
            max_depth=1,
            min_weight_fraction_leaf=least / total * (1 - 1e-9),  # rounding must not matter
            random_state=0,
        )
        present = mass > 0
        with config_context(skip_parameter_validation=True, assume_finite=True):  # which takes a third of the time
            root = tree.fit(features[present], means[present], mass[present], check_input=False).tree_
        if root.node_count == 1:
            return None
        split = features[:, root.feature[0]] > root.threshold[0]
        if self.second.is_unordered:  # levels inside are fewer, and not merged: they are named
            first = np.argmin(self.values)
            sides: list[Mask] = [split, ~split]
            return min(sides, key=lambda side: (any(side[_MOST_LEVELS:-1]), side[:-1].sum(), not side[first]))
        last = int(np.count_nonzero(~split[known])) - 1
        return np.append(self.values > choose_between(*self.values[known[last : last + 2]].tolist()), split[-1])

    def _sum(self, values: Array) -> Array:
        return np.asarray(np.bincount(self.places, values, len(self.values) + 1), dtype=np.float64)

    def _make_features(self, means: Array, mass: Array, known: Places) -> Array:
        """Return places of numbers; those of levels along the first principal axis of their means, and each alone."""
        places = np.arange(len(self.values), dtype=np.float64)
        if not self.second.is_unordered:
            return places[:, None]
        deviations = means - np.average(means, axis=0, weights=mass)
        axis = np.linalg.svd(np.sqrt(mass)[:, None] * deviations, full_matrices=False)[2][0]
        along = np.zeros(len(places))
        along[known] = deviations @ axis
        return np.column_stack([np.argsort(np.argsort(along, kind="stable")), places == places[:, None]])

    def group(self, split: Mask | None) -> Places:
        """Return whether rows are above or inside as 1 or 0; all are 0 without a split."""
        return np.zeros(len(self.places), np.intp) if split is None else split[self.places].astype(np.intp)

    def describe(self, split: Mask, share: float, weights: Array) -> Driver:
        """Describe a split by the rule of the side with the missing values, else of the second side."""
        threshold, levels = np.nan, None
        if self.second.is_unordered and self.second.level_texts is not None:
            levels = tuple(self.second.level_texts[int(code)] for code in np.sort(self.values[split[:-1]]))
            sides = name_level_sides(self.second, levels)
        else:
            first = int(np.argmax(split))
            lower, upper = self.values[first - 1 : first + 1].tolist()
            threshold, sides = choose_between(lower, upper), name_threshold_sides(self.second, lower, upper)
        rule, side = sides[1], 1
        if self.places.max() == len(self.values):  # some are missing
            side = int(split[-1])
            is_negated = " is not " in sides[side] or " not in " in sides[side]
            rule = f"{sides[side]}{',' if is_negated else ''} or missing"
        n_rows = [round(count) for count in np.bincount(self.group(split), weights, 2)]
        return Driver(self.second.label, share, threshold, levels, rule, sides, n_rows[side], n_rows[1 - side])


def make_split_column(second: Column, rows: Rows, weights: Array) -> SplitColumn | None:
    """Return a column as rows may be split by it; None where it has but one value, or about one for each row."""
    observed = second.values[rows]
    present = ~np.isnan(observed)
    values, known = np.unique(observed[present], return_inverse=True)
    if len(values) < 2 or (second.is_unordered and is_identifier(len(values), len(known))):
        return None
    if second.is_unordered:
        order = np.argsort(-np.bincount(known, weights[present]), kind="stable")
        values, known = values[order[: _MOST_LEVELS + 1]], np.minimum(np.argsort(order)[known], _MOST_LEVELS)
    places = np.full(len(present), len(values))
    places[present] = known
    return SplitColumn(second, values, places)


# --- rules as text: "rm > 6.4", "town in Oslo, Rome", "built > 2015-03-01 or missing" --------------------

_MOST_NAMED = 3  # levels written out
_MOST_DIGITS = 17  # that tell every float64 from its neighbours
_MINUTE = 1 / 1440  # of a day


def choose_between(lower: float, upper: float) -> float:
    """Return the middle of two neighbouring values: a finite number from the lower one to below the upper one."""
    if lower == -math.inf:
        return 0.0 if upper == math.inf else math.nextafter(upper, -math.inf)
    middle = lower + (upper - lower) / 2
    return middle if lower <= middle < upper else lower


def name_threshold_sides(second: Column, lower: float, upper: float) -> tuple[str, str]:
    """Return the names of the rows up to a value, and from another on, by the roundest threshold between them."""
    label = second.label
    if second.kind == "boolean":
        return f"{label} is false", f"{label} is true"
    if second.level_texts is not None:
        text = second.level_texts[int(lower)]
    elif second.kind == "datetime":
        ahead = make_column_clock(second).wall(upper) - upper
        middle = choose_between(lower + ahead, upper + ahead)
        rounded = (math.floor(middle / step + 1e-6) * step for step in (1.0, _MINUTE))  # no finer than it takes
        text = date_text(next((moment for moment in rounded if lower + ahead <= moment < upper + ahead), middle))
    elif second.kind == "timedelta":
        unit = choose_unit(second.values)
        text = f"{_write_number(lower * unit.per_day, upper * unit.per_day)} {unit.short}"
    else:
        text = _write_number(lower, upper, is_integer=second.is_integer)
    return f"{label} ≤ {text}", f"{label} > {text}"


def name_level_sides(second: Column, levels: Sequence[str]) -> tuple[str, str]:
    """Return the names of the rows with none of several levels, and of those with one of them."""
    if len(levels) == 1:
        return f"{second.label} is not {levels[0]}", f"{second.label} is {levels[0]}"
    more = f" and {len(levels) - _MOST_NAMED} more" if len(levels) > _MOST_NAMED else ""
    listed = ", ".join(levels[:_MOST_NAMED]) + more
    return f"{second.label} not in {listed}", f"{second.label} in {listed}"


def _write_number(lower: float, upper: float, *, is_integer: bool = False) -> str:
    """Write the number with the fewest digits from the lower one to below the upper one, near their middle."""
    middle = choose_between(lower, upper)
    if is_integer and math.floor(middle) >= lower:
        middle = float(math.floor(middle))
    largest = max(abs(value) for value in (lower, upper, middle) if math.isfinite(value))
    power = math.floor(math.log10(largest)) if largest else 0
    for digits in range(_MOST_DIGITS):
        try:
            rounded = round(middle, digits - power)
        except OverflowError:  # fewer digits would be more than the largest number there is
            continue
        if lower <= rounded < upper:
            middle = rounded
            break
    middle += 0.0  # no sign on zero
    text = str(int(middle)) if middle.is_integer() and abs(middle) < 1e15 else repr(middle)
    return f"−{text[1:]}" if text.startswith("-") else text


LEAST_ROWS: Final = 10
"""Least number of rows on each side of a split, by weight."""

_FALSE_CLAIMS = 0.05  # of all columns; what was seen is a tenth of it
_LEAST_PART = 0.02  # the same as a part of all rows
_N_FOLDS, _FEW_ROWS = 5, 20  # few rows have a fold each: levels are then rarely missing from training
_FLAT = 1e-12  # of the squared range of predictions: a smaller mean square is rounding
_N_DIRECTIONS, _N_TARGETS = 64, 16  # that score rules, and choose splits


class CrossFit:
    """Shapes of curves, in seeded folds.

    - `curves` (n_rows, n_grid), `weights` (n_rows,): of distinct observations, at least 2.
    - `lengths` (n_grid,): how many grid values each stands for.
    - `training`: weights of the rows that a rule is chosen on: all of them, then those outside of each fold.
    - `size`: variance between centred curves, relative to their total variance around their own means. For lines with
      slopes β_i it is Var(β) / mean(β²): 0 for parallel curves, 1 where slopes cancel out.
    """

    def __init__(self, curves: Array, weights: Array, lengths: Array, prediction_range: float) -> None:
        from sklearn.utils.extmath import randomized_svd

        shapes = (curves - (curves @ (lengths / lengths.sum()))[:, None]) * np.sqrt(lengths)
        common = np.average(shapes, axis=0, weights=weights)
        shapes -= common
        variance = float(np.average(np.square(shapes).sum(axis=1), weights=weights))
        is_flat = variance <= _FLAT * prediction_range**2 * lengths.sum()
        self.size = 0.0 if is_flat else variance / (variance + float(common @ common))
        if is_flat:
            return
        shapes /= np.sqrt(variance)
        axes = randomized_svd(np.sqrt(weights)[:, None] * shapes, _N_DIRECTIONS, n_iter=0, random_state=0)[2]
        self._directions = shapes @ axes.T
        # What these leave out is explained by no rule.
        self._rest = np.maximum(np.square(shapes).sum(axis=1) - np.square(self._directions).sum(axis=1), 0)
        self.targets = self._directions[:, :_N_TARGETS]
        n = len(weights)
        shuffled, n_folds = np.random.default_rng(0).permutation(n), n if n <= _FEW_ROWS else _N_FOLDS
        self.folds = [shuffled[number::n_folds] for number in range(n_folds)]
        self.training = [weights, *(np.where(np.isin(np.arange(n), fold), 0.0, weights) for fold in self.folds)]
        self.least_part = max(LEAST_ROWS / float(weights.sum()), _LEAST_PART)
        self.squares = self._square([np.zeros(n, dtype=np.intp)] * len(self.folds))

    def share(self, groups: Sequence[Places], n_tried: int) -> float:
        """Return the part of the variance that a rule explains, at most 1; 0 where chance explains as much.

        - `groups`: 0 or 1 of each row, by the rule that was chosen without each fold.
        - `n_tried`: the share exceeds 0 by more standard errors than the largest of so many does by chance.
        """
        gains = self.squares - self._square(groups)  # w_i (‖c_i - c̄‖² - ‖c_i - c̄_g(i)‖²)
        share, n = float(gains.sum() / self.squares.sum()), len(gains)
        errors = gains - share * self.squares
        z = NormalDist().inv_cdf(1 - _FALSE_CLAIMS / n_tried)
        is_certain = gains.sum() > z * np.sqrt(n / (n - 1) * (errors @ errors))
        return min(1.0, share) if is_certain else 0.0

    def _square(self, groups: Sequence[Places]) -> Array:
        """Return the weighted squared distance of each row from the mean of its group in training."""
        squares = self._rest.copy()
        for fold, training, group in zip(self.folds, self.training[1:], groups, strict=True):
            members = training * (group == np.arange(group.max() + 1)[:, None])
            mass = np.maximum(members.sum(axis=1), np.finfo(np.float64).tiny)
            means = members @ self._directions / mass[:, None]
            squares[fold] += np.square(self._directions[fold] - means[group[fold]]).sum(axis=1)
        return np.asarray(self.training[0] * squares)


MOST_ROWS: Final = 5000
"""Rows that splits are searched on; of more, a stratified sample."""
LEAST_SHARE: Final = 0.05
"""What explains a smaller part of the differences is not reported."""
ALIKE: Final = "Curves do not differ in shape."
OTHERS_ALIKE: Final = "Curves of all other rows do not differ in shape."

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
class Drivers:
    """What makes the curves of one feature differ.

    - `ranked`: one for each other column, best first.
    - `size`: variance between centred curves, relative to their total variance around their own means, 0 to 1.
    - `n_rows`, `n_curves`: rows that splits were searched on, of rows that have curves.
    """

    ranked: tuple[Driver, ...]
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
        if self.reported:
            return f"{self._differ}."
        if self.n_rows < 2 * LEAST_ROWS:
            return f"{self._differ}. Too few rows to explain the differences between curves."
        return f"{self._differ}. No single column explains the differences."

    @property
    def _differ(self) -> str:
        return f"Curves differ{' little' if self.size < _LITTLE else ''} ({_percent(self.size)} of their variance)"

    @property
    def summary(self) -> str:
        """The size of the differences, and the best rules, in one or two sentences."""
        summary = self.lead
        for best in self.reported[:1]:
            summary = f"{self._differ}; of that, {best.rule} explains {_percent(best.share)}."
        if self.n_rows < self.n_curves:
            summary += f" Found on a stratified sample: {self.n_rows:,} of {self.n_curves:,} rows."
        return summary


def _percent(share: float) -> str:
    return "< 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def find_drivers(
    curves: Array,
    seconds: Sequence[Column],
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
        return Drivers(tuple(Driver(second.label) for second in seconds), 0.0, n_rows, n_curves)
    columns = [make_split_column(second, positions[rows], weights) for second in seconds]
    n_columns = len(columns) - columns.count(None)
    drivers = []
    for second, column in zip(seconds, columns, strict=True):
        driver = Driver(second.label)
        if column is not None:
            least = [fit.least_part * float(each.sum()) for each in fit.training]
            split, *by_fold = map(partial(column.find_best, fit.targets), fit.training, least)
            share = fit.share([column.group(each) for each in by_fold], n_columns)
            if split is not None and share > 0:
                driver = column.describe(split, share, weights)
        drivers.append(driver)
    drivers.sort(key=lambda driver: -round(driver.share, _DIGITS))  # stable
    return Drivers(tuple(drivers), fit.size, n_rows, n_curves)
