"""Interactions: how far features act together, by Friedman's H² and by the slopes of their curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.checks import check_integer
from ice_explorer.curves.brute import Points
from ice_explorer.errors import OptionError
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.progress import Stepwise, progress_reporter
from ice_explorer.results.intervals import USUAL_LEVEL, quantile_of_level
from ice_explorer.tables.column import label_index, observed_quantiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
_N_INTERVALS: Final = 20
_NEARLY: Final = 0.05  # of the squared slope
_MOSTLY: Final = 0.25
_ROUNDING: Final = 1e-9  # of the largest prediction


@dataclass(frozen=True)
class Additivity:
    """How much of the slope of a feature differs between rows.

    Attributes
    ----------
    share : float
        Variance of the slopes between rows, averaged along the axis, divided by their mean square, 0 to 1: 0 where all
        curves are parallel, so that the feature adds to the others; 1 where slopes cancel. Slopes over 20 intervals
        with equally many rows; of levels without an order, changes between levels.
    low, high : float
        95 % interval: the share ± 1.96 standard errors from the influences of rows, between 0 and 1.
    verdict : str
        The share in a sentence.
    """

    share: float
    low: float
    high: float
    verdict: str


@dataclass(frozen=True)
class Joint:
    """H², and the standard deviation over rows of the part of the joint effect that is no sum [output]."""

    h2: float
    effect: float


@dataclass(frozen=True, eq=False)
class _Moved:
    """How far a feature acts with all others, by predictions with it at the values of all rows.

    `dependence` (n_rows,) is its partial dependence there; `share` that of the slope between rows, and `error` its
    standard error.
    """

    joint: Joint
    dependence: Array
    share: float
    error: float


@short_tracebacks
class Interactions(Stepwise):
    """Friedman's H² of features and pairs, and whether a feature acts additively.

    All rows are predicted once; phantom observations are when one of the members is first used.

    Attributes
    ----------
    row_positions : ndarray of shape (n_rows,)
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
        self.row_positions = context.draw(context.all_predictions, context.weighted_rows, sample, "interactions")
        self._weights = context.row_weights[self.row_positions]
        self._moved: dict[Name, _Moved] = {}
        self._joint: dict[tuple[Name, Name], Joint] = {}

    def __repr__(self) -> str:
        return f"<Interactions of {len(self._results)} features on {len(self.row_positions):,} rows>"

    @cached_property
    def features(self) -> pd.Series:
        """H² of each feature with all others, largest first: the share of the variance of the predictions that it is.

        Friedman & Popescu (2008), Eq. 45: the squared difference between the prediction and the sum of the partial
        dependences on the feature and on all others, centred, relative to the variance of the prediction.
        """
        import pandas as pd

        self._compute(self._results)
        found = {name: moved.joint.h2 for name, moved in self._moved.items()}
        index = label_index(list(found), "feature")
        return pd.Series(list(found.values()), index, name="h2").sort_values(ascending=False, kind="stable")

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """H² of pairs of features, and its root H, largest first: the part of their joint effect that is no sum.

        Indexed by both names. Of the features that were named, else of the five with the largest H². Friedman &
        Popescu (2008), Eq. 44: the squared difference between the partial dependence on both and the sum of those on
        each, centred, relative to the variance of the first. It can exceed 1 where the sum has little variance.
        """
        import pandas as pd

        pairs = self._pairs()
        self._compute(dict.fromkeys(name for pair in pairs for name in pair), pairs)
        index = pd.MultiIndex.from_tuples(pairs, names=["first", "second"])
        found = [self._joint[pair].h2 for pair in pairs]
        table = pd.DataFrame({"h2": found, "h": np.sqrt(found)}, index)
        return table.sort_values("h2", ascending=False, kind="stable")

    def _pairs(self) -> list[tuple[Name, Name]]:
        names = list(self._results) if self._are_named else self.features.index[:_MOST_PAIRED].tolist()
        ranks = {name: at for at, name in enumerate(self._results)}
        return list(combinations(sorted(names, key=ranks.__getitem__), 2))

    @property
    def _n_steps(self) -> int:
        n = len(self._results)
        return n + comb(n if self._are_named else min(n, _MOST_PAIRED), 2)

    @property
    def _n_done(self) -> int:
        return len(self._moved) + len(self._joint)

    @property
    def _is_complete(self) -> bool:
        return self._n_done == self._n_steps

    def _steps(self) -> Iterator[None]:
        yield from self._work(self._results, ())
        yield from self._work((), self._pairs())  # which may be those of the largest H²

    def _work(
        self, names: Iterable[Name], pairs: Sequence[tuple[Name, Name]], report: Report = lambda *_: None
    ) -> Iterator[None]:
        """Compute the features and pairs that are new; yields after each block."""
        for name in [name for name in names if name not in self._moved]:
            yield from self._move(self._results[name], report)
        for pair in [pair for pair in pairs if pair not in self._joint]:
            yield from self._join(pair, report)

    def _compute(self, names: Iterable[Name], pairs: Sequence[tuple[Name, Name]] = ()) -> None:
        """Compute the features and pairs that are new, with a progress bar."""
        new = [self._results[name] for name in names if name not in self._moved]
        if new:
            self._context.prediction_check.check()
        n_points = sum(len(self._values_of(result)) for result in new)
        n_points += sum(len(self._points_of(pair)[0].coordinates) for pair in pairs if pair not in self._joint)
        with progress_reporter(self._context.progress, len(self.row_positions) * n_points) as report:
            for _ in self._work([result.feature for result in new], pairs, report):
                pass

    def additivity(self, feature: Name) -> Additivity:
        """Return how much of the slope of a feature differs between rows, with an interval and a sentence.

        Parameters
        ----------
        feature : object
            Name of one of the features.

        Returns
        -------
        Additivity
        """
        if feature not in self._results:
            names = list(self._results)
            advice = "Name it in `features`."
            raise OptionError.must("feature", "be one of these features", feature, advice, known=names)
        self._compute([feature])
        moved = self._moved[feature]
        share, width = moved.share, quantile_of_level(USUAL_LEVEL) * moved.error
        low, high = max(share - width, 0.0), min(share + width, 1.0)
        label = self._results[feature].label
        shown = (
            f"{100 * share:.3g} % of its squared slope (95 % interval {100 * low:.3g} to {100 * high:.3g} %) differs"
        )
        verdict = f"The effect of {label} depends on other features: {shown} between rows."
        if high == 0:
            verdict = f"{label} acts additively: its curves are parallel."
        elif high <= _MOSTLY:
            verdict = f"{label} acts {'nearly' if high <= _NEARLY else 'mostly'} additively: {shown} between rows."
        return Additivity(share, low, high, verdict)

    def _values_of(self, result: FeatureExplanation) -> Array:
        return np.unique(result._item.feature.values[self.row_positions])

    def _move(self, result: FeatureExplanation, report: Report) -> Iterator[None]:
        """Move one feature to each of the values that rows have; yields after each block."""
        values = self._values_of(result)
        feature, weights = result._item.feature, self._weights
        at = np.searchsorted(values, feature.values[self.row_positions])
        mass = np.bincount(at, weights, len(values)).astype(np.float64)
        n_present = int(np.sum(~np.isnan(values)))
        places, shares = _intervals(values[:n_present], mass[:n_present], is_unordered=feature.is_unordered)
        known = []
        dependence, rest = np.zeros(len(values)), np.empty(len(weights))
        size = self._context.brute.rows_per_block(len(values))
        for start in range(0, len(weights), size):
            rows = slice(start, start + size)
            curves = self._curves(result, self.row_positions[rows], values, report)
            dependence += weights[rows] @ curves
            rest[rows] = curves @ mass
            known.append(curves[:, places])
            yield
        total = float(weights.sum())
        alone = dependence[at] / total
        predictions = self._centred(self._context.all_predictions[self.row_positions])
        joint = self._related(predictions - self._centred(alone) - self._centred(rest / total), predictions)
        slopes = np.concatenate(known)
        slopes = slopes - (slopes @ shares)[:, None] if feature.is_unordered else np.diff(slopes, axis=1) / shares
        self._moved[result.feature] = _Moved(joint, alone, *_between_share(slopes, shares, weights, self._least))

    def _join(self, pair: tuple[Name, Name], report: Report) -> Iterator[None]:
        """Move both features of a pair to the values that rows have; yields after each block."""
        points, of_row = self._points_of(pair)
        n_points, brute = len(points.coordinates), self._context.brute
        total, size = np.zeros(n_points), brute.rows_per_block(n_points)
        for start in range(0, len(self._weights), size):
            rows = self.row_positions[start : start + size]
            wanted = np.broadcast_to(points.coordinates, (len(rows), n_points))
            total += self._weights[start : start + size] @ brute.evaluate(
                points, rows, wanted, made=lambda made: report(made, made, points.readable)
            )
            yield
        both = self._centred(np.asarray(total / self._weights.sum())[of_row])
        alone = sum(self._centred(self._moved[name].dependence) for name in pair)
        self._joint[pair] = self._related(both - alone, both)

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
        values = np.column_stack([feature.values[self.row_positions] for feature in features])
        distinct, of_row = np.unique(values, axis=0, return_inverse=True)
        return Points(features, distinct), of_row.reshape(-1)

    def _centred(self, values: Array) -> Array:
        return np.asarray(values - np.average(values, weights=self._weights))

    @cached_property
    def _least(self) -> float:
        return _ROUNDING * float(np.abs(self._context.all_predictions).max())

    def _related(self, joint: Array, whole: Array) -> Joint:
        """Relate the part of an effect that is no sum to all of it; both are 0 where either is rounding."""
        part, total = (float(np.average(values**2, weights=self._weights)) for values in (joint, whole))
        return Joint(part / total, part**0.5) if min(part, total) > self._least**2 else Joint(0.0, 0.0)


def _intervals(values: Array, mass: Array, *, is_unordered: bool) -> tuple[Places, Array]:
    """Return places between which slopes are, and the share of the axis of each; of levels all, and their shares.

    Slopes are those over about 20 intervals with equally many rows, as d-ICE is drawn: between all values, small jumps
    at places that differ between rows would hide what curves have in common.
    """
    places = np.arange(len(values))
    if len(values) > _N_INTERVALS + 1 and not is_unordered:
        ends = observed_quantiles(values, np.linspace(0, 1, _N_INTERVALS + 1), mass)
        places = np.searchsorted(values, np.unique(ends))
    shares = mass if is_unordered else np.diff(values[places])
    return places, shares / shares.sum() if len(shares) else shares


def _between_share(slopes: Array, shares: Array, weights: Array, least: float) -> tuple[float, float]:
    """Return the variance of slopes between rows as a share of their mean square, and its standard error.

    Both are 0 where that is rounding. A row moves the share by the square of how far its slopes are from the mean,
    less the share of their square.
    """
    mass = weights.sum()
    deviations = slopes - weights @ slopes / mass
    total, between = (weights @ np.square(part) @ shares / mass for part in (slopes, deviations))
    if total <= least**2 or between <= _ROUNDING * total:
        return 0.0, 0.0
    share = between / total
    influences = (np.square(deviations) - share * np.square(slopes)) @ shares / total
    return float(share), float(np.sqrt(weights @ np.square(influences)) / mass)


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
