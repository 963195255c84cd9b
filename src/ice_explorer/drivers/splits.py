"""Splits of the rows in two by one column: at a threshold, or some levels against all others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ice_explorer.features.dates import choose_unit, date_text
from ice_explorer.features.feature import is_identifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Mask, Places
    from ice_explorer.drivers.candidates import SecondFeature


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

    second: SecondFeature
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
        if self.second.is_unordered and self.second.levels is not None:
            levels = tuple(self.second.levels[int(code)] for code in np.sort(self.values[split[:-1]]))
            sides = name_level_sides(self.second, levels)
        else:
            first = int(np.argmax(split))
            lower, upper = self.values[first - 1 : first + 1].tolist()
            threshold, sides = choose_between(lower, upper), name_threshold_sides(self.second, lower, upper)
        rules, conditions, side = [*sides], [*sides], int(split[-1])
        if self.places.max() == len(self.values):
            rules[side] = add_missing(sides[side])
            conditions[side] = f"({rules[side]})"
        return SplitText(threshold, levels, sides, rules, conditions)


def make_split_column(second: SecondFeature, weights: Array) -> SplitColumn | None:
    """Return a column as rows may be split by it; None where it has but one value, or about one for each row."""
    present = ~np.isnan(second.values)
    values, known = np.unique(second.values[present], return_inverse=True)
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
_DIGITS = 17  # that tell every float64 from its neighbours
_MINUTE = 1 / 1440  # of a day


def add_missing(rule: str) -> str:
    """Add the missing values to a rule, so that "not" does not seem to include them."""
    return f"{rule}, or missing" if " is not " in rule or " not in " in rule else f"{rule} or missing"


def choose_between(lower: float, upper: float) -> float:
    """Return the middle of two neighbouring values: a finite number from the lower one to below the upper one."""
    if lower == -math.inf:
        return 0.0 if upper == math.inf else math.nextafter(upper, -math.inf)
    middle = lower + (upper - lower) / 2
    return middle if lower <= middle < upper else lower


def name_threshold_sides(second: SecondFeature, lower: float, upper: float) -> tuple[str, str]:
    """Return the names of the rows up to a value, and from another on, by the roundest threshold between them."""
    label = second.label
    if second.kind == "boolean":
        return f"{label} is false", f"{label} is true"
    if second.levels is not None:
        text = second.levels[int(lower)]
    elif second.kind == "datetime":
        ahead = second.clock.wall(upper) - upper
        text = _write_date(lower + ahead, upper + ahead)
    elif second.kind == "timedelta":
        unit = choose_unit(second.values)
        text = f"{_write_number(lower * unit.per_day, upper * unit.per_day)} {unit.short}"
    else:
        text = _write_number(lower, upper, is_integer=second.is_integer)
    return f"{label} ≤ {text}", f"{label} > {text}"


def name_level_sides(second: SecondFeature, levels: Sequence[str]) -> tuple[str, str]:
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
    for digits in range(_DIGITS):
        try:
            rounded = round(middle, digits - power)
        except OverflowError:  # fewer digits would be more than the largest number there is
            continue
        if lower <= rounded < upper:
            middle = rounded
            break
    middle += 0.0  # no sign on zero
    return str(int(middle)) if middle.is_integer() and abs(middle) < 1e15 else repr(middle)


def _write_date(lower: float, upper: float) -> str:
    """Write the middle of two moments, no finer than needed to tell them apart: a day, a minute, or all there is."""
    middle = choose_between(lower, upper)
    rounded = (math.floor(middle / step + 1e-6) * step for step in (1.0, _MINUTE))
    return date_text(next((moment for moment in rounded if lower <= moment < upper), middle))
