"""Interactions: how far features act together, by Friedman's H²."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.checks import check_integer
from ice_explorer.curves.brute import Points
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.progress import Stepwise, progress_reporter
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.curves.inputs import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name

    Report = Callable[[int, int, str], None]

SAMPLE: Final = 500
_MOST_PAIRED: Final = 5  # features whose pairs are computed unless they are named
_ROUNDING: Final = 1e-9  # of the largest prediction


@dataclass(frozen=True)
class Joint:
    """H², and the standard deviation over rows of the part of the joint effect that is no sum [output]."""

    h2: float
    effect: float


@short_tracebacks
class Interactions(Stepwise):
    """Friedman's H² of features and pairs.

    All rows are predicted once; phantom observations are when one of the members is first used.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        Rows of X on which everything is evaluated.
    """

    def __init__(
        self, context: Context, results: Sequence[FeatureExplanation], sample: int, *, are_named: bool
    ) -> None:
        super().__init__(context)
        check_integer("sample", sample, 2, f"Leave it out for {SAMPLE}.")
        context.check_all_rows("Interactions need")
        self._results = {result.feature: result for result in results}
        self._are_named = are_named
        self.rows = context.draw(context.all_predictions, context.weighted_rows, sample, "interactions")
        self._weights = context.row_weights[self.rows]
        self._dependence: dict[Name, Array] = {}  # at the values of the rows, (n_rows,) [output]
        self._joint: dict[Name, Joint] = {}
        self._joint_of_pairs: dict[tuple[Name, Name], Joint] = {}

    def __repr__(self) -> str:
        return f"<Interactions of {len(self._results)} features on {len(self.rows):,} rows>"

    @cached_property
    def features(self) -> pd.Series:
        """H² of each feature with all others, largest first: the share of the variance of the predictions that it is.

        Friedman & Popescu (2008), Eq. 45: the squared difference between the prediction and the sum of the partial
        dependences on the feature and on all others, centred, relative to the variance of the prediction.
        """
        import pandas as pd

        self._compute()
        h2 = [joint.h2 for joint in self._joint.values()]
        index = label_index(list(self._joint), "feature")
        return pd.Series(h2, index, name="h2").sort_values(ascending=False, kind="stable")

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """H² of pairs of features and the size of their interaction [output], largest first.

        Indexed by both names. Of the features that were named, else of the five with the largest size. Friedman &
        Popescu (2008), Eq. 44: the squared difference between the partial dependence on both and the sum of those on
        each, centred, relative to the variance of the first. It can exceed 1 where the sum has little variance. `size`
        is the standard deviation of that difference over the rows.
        """
        import pandas as pd

        pairs = self._pairs()
        self._compute(pairs)
        index = pd.MultiIndex.from_tuples(pairs, names=["first", "second"])
        found = [self._joint_of_pairs[pair] for pair in pairs]
        table = pd.DataFrame({"h2": [each.h2 for each in found], "size": [each.effect for each in found]}, index)
        return table.sort_values("size", ascending=False, kind="stable")

    def _pairs(self) -> list[tuple[Name, Name]]:
        names = list(self._results)
        if not self._are_named:
            self._compute()
            names = sorted(names, key=lambda name: -self._joint[name].effect)[:_MOST_PAIRED]
        ranks = {name: at for at, name in enumerate(self._results)}
        return list(combinations(sorted(names, key=ranks.__getitem__), 2))

    @property
    def _n_steps(self) -> int:
        n = len(self._results)
        return n + comb(n if self._are_named else min(n, _MOST_PAIRED), 2)

    @property
    def _n_done(self) -> int:
        return len(self._joint) + len(self._joint_of_pairs)

    @property
    def _is_complete(self) -> bool:
        return self._n_done == self._n_steps

    def _steps(self) -> Iterator[None]:
        yield from self._work(())
        yield from self._work(self._pairs())  # which may be those of the largest H²

    def _work(self, pairs: Sequence[tuple[Name, Name]], report: Report = lambda *_: None) -> Iterator[None]:
        """Compute all features and some pairs, unless they are known; yields after each block."""
        for name in [name for name in self._results if name not in self._joint]:
            yield from self._move(self._results[name], report)
        for pair in [pair for pair in pairs if pair not in self._joint_of_pairs]:
            yield from self._join(pair, report)

    def _compute(self, pairs: Sequence[tuple[Name, Name]] = ()) -> None:
        """Do the same at once, with a progress bar."""
        new = [result for name, result in self._results.items() if name not in self._joint]
        if new:
            self._context.prediction_check.check()
        n_points = sum(len(self._values_of(result)) for result in new)
        n_points += sum(len(self._points_of(pair)[0].coordinates) for pair in pairs if pair not in self._joint_of_pairs)
        with progress_reporter(self._context.progress, len(self.rows) * n_points) as report:
            for _ in self._work(pairs, report):
                pass

    def _values_of(self, result: FeatureExplanation) -> Array:
        return np.unique(result._item.feature.values[self.rows])

    def _move(self, result: FeatureExplanation, report: Report) -> Iterator[None]:
        """Move one feature to each of the values that rows have; yields after each block."""
        values = self._values_of(result)
        weights = self._weights
        at = np.searchsorted(values, result._item.feature.values[self.rows])
        mass = np.bincount(at, weights, len(values)).astype(np.float64)
        dependence, rest = np.zeros(len(values)), np.empty(len(weights))
        size = self._context.brute.rows_per_block(len(values))
        for start in range(0, len(weights), size):
            rows = slice(start, start + size)
            curves = self._curves(result, self.rows[rows], values, report)
            dependence += weights[rows] @ curves
            rest[rows] = curves @ mass
            yield
        total = float(weights.sum())
        alone = dependence[at] / total
        predictions = self._centred(self._context.all_predictions[self.rows])
        self._dependence[result.feature] = alone
        part = predictions - self._centred(alone) - self._centred(rest / total)
        self._joint[result.feature] = self._related(part, predictions)

    def _join(self, pair: tuple[Name, Name], report: Report) -> Iterator[None]:
        """Move both features of a pair to the values that rows have; yields after each block."""
        points, of_row = self._points_of(pair)
        n_points, brute = len(points.coordinates), self._context.brute
        total, size = np.zeros(n_points), brute.rows_per_block(n_points)
        for start in range(0, len(self._weights), size):
            rows = self.rows[start : start + size]
            wanted = np.broadcast_to(points.coordinates, (len(rows), n_points))
            total += self._weights[start : start + size] @ brute.evaluate(
                points, rows, wanted, made=lambda made: report(made, made, points.readable)
            )
            yield
        both = self._centred(np.asarray(total / self._weights.sum())[of_row])
        alone = sum(self._centred(self._dependence[name]) for name in pair)
        self._joint_of_pairs[pair] = self._related(both - alone, both)

    def _curves(self, result: FeatureExplanation, rows: Rows, values: Array, report: Report) -> Array:
        known = result._curves_at(rows, values)
        if known is not None:
            report(known.size, known.size, result.label)
            return known
        wanted = np.broadcast_to(values, (len(rows), len(values)))
        brute, feature = self._context.brute, result._item.feature
        return brute.evaluate(feature, rows, wanted, made=lambda made: report(made, made, result.label))

    def _points_of(self, pair: tuple[Name, Name]) -> tuple[Points, Places]:
        features = [self._results[name]._item.feature for name in pair]
        values = np.column_stack([feature.values[self.rows] for feature in features])
        distinct, of_row = np.unique(values, axis=0, return_inverse=True)
        return Points(features, distinct), of_row.reshape(-1)

    def _centred(self, values: Array) -> Array:
        return np.asarray(values - np.average(values, weights=self._weights))

    def _related(self, joint: Array, whole: Array) -> Joint:
        """Relate the part of an effect that is no sum to all of it; both are 0 where either is rounding."""
        part, total = (float(np.average(values**2, weights=self._weights)) for values in (joint, whole))
        least = _ROUNDING * float(np.abs(self._context.all_predictions).max())
        return Joint(part / total, part**0.5) if min(part, total) > least**2 else Joint(0.0, 0.0)


class JointEffects:
    """What an explorer has computed of several features, for as long as it explains the same output."""

    def __init__(self) -> None:
        self._interactions: Interactions | None = None
        self._pairs: dict[tuple[Name, Name], TwoWay] = {}

    def interactions(self, explanation: Explanation) -> Interactions:
        """Return the interactions of all features that are explained, which may not be computed yet."""
        if self._interactions is None or list(self._interactions._results) != explanation.features:
            self._interactions = explanation.interactions()
        return self._interactions

    def pair(self, explanation: Explanation, first: Name, second: Name) -> TwoWay:
        """Return the partial dependence on two features, which may not be computed yet."""
        if (first, second) not in self._pairs:
            self._pairs[first, second] = explanation.two_way(first, second)
        return self._pairs[first, second]

    @property
    def has_interactions(self) -> bool:
        """Whether interactions are computed."""
        return self._interactions is not None and self._interactions._is_complete

    @property
    def known_pairs(self) -> dict[tuple[Name, Name], TwoWay]:
        """Pairs that are computed, by name."""
        return {names: two for names, two in self._pairs.items() if two._is_complete}
