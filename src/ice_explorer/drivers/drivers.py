"""Explain the differences between curves of a feature by splits of the rows on other columns.

Curves differ in level and in shape. Each is centred at its own mean, so that only shape is left, and the rows are split
in two by another column where that leaves the least variance between the curves within both groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from operator import itemgetter
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.features.axis_text import choose_unit, date_text, make_column_clock
from ice_explorer.features.feature import is_identifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.tables.column import Column

_MOST_LEVELS = 100  # that are distinguished; all rarer ones have the next place


class SplitText(NamedTuple):
    """A split in words: `rules` are `sides` with the missing values, `conditions` are rules as parts of longer ones."""

    threshold: float
    levels: tuple[str, ...] | None
    sides: tuple[str, str]
    rules: list[str]
    conditions: list[str]


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

    def find_best(self, targets: Array, weights: Array, least: float, least_gain: float = 0) -> Mask | None:
        """Return the split after which targets vary least within both groups.

        - `weights` (n_rows,): 0 for rows that do not count.
        - `least`, `least_gain`: weight of each group, and weighted variance that is explained; None where it is less.
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
            min_impurity_decrease=least_gain / (total * targets.shape[1]),
            random_state=0,
        )
        present = mass > 0
        with config_context(skip_parameter_validation=True, assume_finite=True):  # which takes a third of the time
            root = tree.fit(features[present], means[present], mass[present], check_input=False).tree_
        if root.node_count == 1:
            return None
        split = features[:, root.feature[0]] > root.threshold[0]
        if self.second.is_unordered:
            return self._turn(split)
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

    def list_coarse(self, n: int) -> list[Mask]:
        """Return about n splits at quantiles, or of the most frequent levels, with missing values on either side."""
        places, known = np.arange(len(self.values)), self.places[self.places < len(self.values)]
        if self.second.is_unordered:
            masks = places == places[:n, None]
        else:
            cuts = np.quantile(known, np.arange(1, n + 1) / (n + 1), method="inverted_cdf")
            masks = places > np.unique(cuts)[:, None]
        missing_sides = [False, True] if len(known) < len(self.places) else [False]
        return [self._turn(np.append(mask, side)) for mask in masks for side in missing_sides]

    def _turn(self, split: Mask) -> Mask:
        """Return a split of levels with those inside that are fewer, and not merged: they are named."""
        if not self.second.is_unordered:
            return split
        first = np.argmin(self.values)
        return min((split, ~split), key=lambda side: (any(side[_MOST_LEVELS:-1]), side[:-1].sum(), not side[first]))

    def group(self, split: Mask | None, values: Array | None = None) -> Places:
        """Return whether rows are above or inside as 1 or 0: those searched, or any with values as in `second`."""
        if split is None:
            return np.zeros(len(self.places if values is None else values), dtype=np.intp)
        if values is None:
            return split[self.places].astype(np.intp)
        codes = self.values[split[:-1]]
        inside = np.isin(values, codes) if self.second.is_unordered else values > self.describe(split).threshold
        return np.where(np.isnan(values), split[-1], inside).astype(np.intp)

    def describe(self, split: Mask) -> SplitText:
        """Return a split in words."""
        threshold, levels = np.nan, None
        if self.second.is_unordered and self.second.level_texts is not None:
            levels = tuple(self.second.level_texts[int(code)] for code in np.sort(self.values[split[:-1]]))
            sides = name_level_sides(self.second, levels)
        else:
            first = int(np.argmax(split))
            lower, upper = self.values[first - 1 : first + 1].tolist()
            threshold, sides = choose_between(lower, upper), name_threshold_sides(self.second, lower, upper)
        rules, conditions, side = [*sides], [*sides], int(split[-1])
        if self.places.max() == len(self.values):
            is_negated = " is not " in sides[side] or " not in " in sides[side]  # which missing values are no part of
            rules[side] = f"{sides[side]}{',' if is_negated else ''} or missing"
            conditions[side] = f"({rules[side]})"
        return SplitText(threshold, levels, sides, rules, conditions)


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
    return str(int(middle)) if middle.is_integer() and abs(middle) < 1e15 else repr(middle)


LEAST_ROWS: Final = 10
"""Least number of rows on each side of a split, by weight."""

_FALSE_CLAIMS = 0.05  # of all single columns, and of all pairs; what was seen is a tenth of it
_LEAST_PART = 0.02  # the same as a part of all rows
_N_FOLDS, _FEW_ROWS = 5, 20  # few rows have a fold each: levels are then rarely missing from training
_FLAT = 1e-12  # of the squared range of predictions: a smaller mean square is rounding
_N_DIRECTIONS, _N_TARGETS, _N_COARSE_TARGETS = 64, 16, 4  # that score rules, choose splits, choose pairs of columns
_N_COARSE, _MOST_COARSE = 5, 400  # splits of a column that pairs are chosen among, and those of all columns
_LEAST_GAIN = 0.01  # of the variance: a split of a half that explains less is not worth a rule


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

    def score(self, groups: Sequence[Places]) -> Array:
        """Return by how much less rows differ from the mean of their group in training than from that of all rows.

        - `groups`: of each row, from 0, by the rule that was chosen without each fold.
        - returns (n_rows,): w_i (‖c_i - c̄‖² - ‖c_i - c̄_g(i)‖²); `squares` are w_i ‖c_i - c̄‖².
        """
        return self.squares - self._square(groups)

    def _square(self, groups: Sequence[Places]) -> Array:
        squares = self._rest.copy()
        for fold, training, group in zip(self.folds, self.training[1:], groups, strict=True):
            squares[fold] += _square_distances(self._directions, training, group, fold)
        return np.asarray(self.training[0] * squares)

    def share(self, gains: Array) -> float:
        """Return the part of the variance that a score is, at most 1; negative where rules found by chance do harm."""
        return min(1.0, float(gains.sum() / self.squares.sum()))

    def is_certain(self, gains: Array, n_tried: int) -> bool:
        """Whether a share exceeds 0 by more standard errors than the largest of several does by chance."""
        errors, n = gains - gains.sum() / self.squares.sum() * self.squares, len(gains)
        z = NormalDist().inv_cdf(1 - _FALSE_CLAIMS / n_tried)
        return bool(gains.sum() > z * np.sqrt(n / (n - 1) * (errors @ errors)))


def _square_distances(values: Array, weights: Array, groups: Places, rows: Places | slice = np.s_[:]) -> Array:
    members = weights * (groups == np.arange(groups.max() + 1)[:, None])
    means = members @ values / np.maximum(members.sum(axis=1), np.finfo(np.float64).tiny)[:, None]
    return np.asarray(np.square(values[rows] - means[groups[rows]]).sum(axis=1))


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """How the first column splits all rows, and the second one those below and above; None where it does not."""

    first: SplitColumn
    second: SplitColumn
    root: Mask
    halves: list[Mask | None]

    def group(self, first: Array | None = None, second: Array | None = None) -> Places:
        """Return the number of the rule that rows fulfil: those searched, or any with values of both columns."""
        below, above = (self.second.group(half, second) for half in self.halves)
        n_below = 1 if self.halves[0] is None else 2
        return np.where(self.first.group(self.root, first), n_below + above, below)

    def name_rules(self) -> list[str]:
        """Return the rules in words."""
        names = []
        for rule, half in zip(self.first.describe(self.root).conditions, self.halves, strict=True):
            inner = [] if half is None else self.second.describe(half).conditions
            names += [f"{rule} and {condition}" for condition in inner] or [rule]
        return names


def find_pairs(fit: CrossFit, columns: Sequence[SplitColumn]) -> list[ColumnPair]:
    """Return two of several columns and their splits that explain most, for each training of a fit.

    Each combination of a few splits of all columns makes four groups. The best one is refined.
    """
    n = min(_N_COARSE, max(1, _MOST_COARSE // len(columns)))
    splits = [(column, split) for column in columns[:_MOST_COARSE] for split in column.list_coarse(n)]
    owners = np.array([columns.index(column) for column, _ in splits])
    ones = np.ones(len(fit.targets))
    rows = np.column_stack([*(column.group(split) for column, split in splits), ones])
    values = fit.training[0] * np.vstack([ones, fit.targets[:, :_N_COARSE_TARGETS].T])
    # Weights and weighted targets of the rows in each fold that are inside of two splits; of the last one, all are.
    parts = [np.stack([rows[fold].T * value[fold] @ rows[fold] for value in values]) for fold in fit.folds]
    pairs = []
    for part, weights in zip([0, *parts], fit.training, strict=True):
        sums = np.sum(parts, axis=0) - part
        sums[1:] -= sums[1:, -1:, -1:] / sums[0, -1, -1] * sums[0]
        both, one, total = sums[:, :-1, :-1], sums[:, :-1, -1:], sums[:, -1:, -1:]
        least = fit.least_part * float(weights.sum())
        groups = (both, one - both, one.mT - both, total - one - one.mT + both)
        gains = sum(np.square(group[1:]).sum(axis=0) / np.maximum(group[0], least) for group in groups)
        gains[owners == owners[:, None]] = -np.inf  # a column is not combined with itself
        best = [splits[number] for number in np.unravel_index(np.argmax(gains), gains.shape)]
        orders = [_fit_pair(fit, weights, *order) for order in permutations(best)]
        pairs.append(min(orders, key=itemgetter(0))[1])
    return pairs


def _fit_pair(
    fit: CrossFit, weights: Array, first: tuple[SplitColumn, Mask], second: tuple[SplitColumn, Mask]
) -> tuple[tuple[bool, float, int], ColumnPair]:
    """Split both halves of a split by another column, then move the first split to where rows are nearer to a half.

    Return also what to minimize: whether a side has too few rows, the variance that is left, the number of rules.
    """
    (first_column, root), (second_column, _) = first, second
    mass = float(weights.sum())
    least, least_gain = fit.least_part * mass, _LEAST_GAIN * mass
    tried = []
    for is_moved in (False, True):
        sides = [weights * (first_column.group(root) == side) for side in (0, 1)]
        halves = [second_column.find_best(fit.targets, side, least, least_gain) for side in sides]
        groups = [second_column.group(half) for half in halves]
        below, above = (_square_distances(fit.targets, *each) for each in zip(sides, groups, strict=True))
        variance = float(np.dot(sides[0], below) + np.dot(sides[1], above)) / mass
        pair = ColumnPair(first_column, second_column, root, halves)
        is_small = bool(min(side.sum() for side in sides) < least * (1 - 1e-9))
        tried.append(((is_small, round(variance, 9), sum(half is not None for half in halves)), pair))
        moved = None if is_moved else first_column.find_best(np.sign(below - above)[:, None], weights, least)
        root = root if moved is None else moved
    return min(reversed(tried), key=itemgetter(0))  # of equal ones, that which was moved


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


def _percent(share: float) -> str:
    percent = round(share * 100, _DIGITS)
    return "less than 0.1 %" if percent < 0.1 else f"{percent:.{0 if percent >= 9.95 else 1}f} %"


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
        return Drivers(tuple(Driver(second.label) for second in seconds), Combined(), 0.0, n_rows, n_curves)
    columns = [make_split_column(second, positions[rows], weights) for second in seconds]
    n_columns = len(columns) - columns.count(None)
    splittable, scored = [], [(Driver(second.label), 0 * weights) for second in seconds]
    for number, column in enumerate(columns):
        if column is None:
            continue
        least = [fit.least_part * float(each.sum()) for each in fit.training]
        split, *by_fold = map(partial(column.find_best, fit.targets), fit.training, least)
        if split is None:
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


def _combine(fit: CrossFit, columns: list[SplitColumn], best: Array, seconds: Sequence[Column]) -> Combined:
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
