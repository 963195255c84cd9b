"""Splits of the rows in two by one column: at a threshold, or some levels against all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ice_explorer.drivers.rules import add_missing, choose_between, name_level_sides, name_threshold_sides
from ice_explorer.features.feature import is_identifier

if TYPE_CHECKING:
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
