"""What the columns of all rows hold, from one pass over partitions whose summaries are merged."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_names, check_weights
from ice_explorer.errors import InputDataError, MissingDependencyError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.features.columns import Columns
from ice_explorer.features.feature import Feature, align_levels
from ice_explorer.features.groups import check_groups
from ice_explorer.metrics.likelihood import SortedValues
from ice_explorer.metrics.sums import Moments
from ice_explorer.models.fitted import fitted_table
from ice_explorer.tables.natural_order import sort_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.results.options import Options


MOST_DISTINCT: Final = 1 << 16
"""Distinct values of a column that are counted one by one; quantiles of more come from a sketch."""

MOST_SAMPLED: Final = 10_000
"""Rows that come to this machine."""

_NONE: Final = np.empty(0)
_COMPRESSION: Final = 2000
RANK_ERROR: Final = 0.001
"""Most that the ranks of quantiles from a sketch were found to be off, as a share of the rows; twice what they were."""
_SKETCHED: Final = 20_001  # quantiles of a sketch that stand for all values


@dataclass(eq=False)
class Values:
    """Values of a feature with an order and their weights: counted one by one, or of too many a sketch.

    - `distinct`, `weights`: increasing values and the weight of each; empty where there is a sketch.
    - `sketch`: a t-digest; None where values are counted.
    """

    distinct: Array
    weights: Array
    sketch: Any = None

    @classmethod
    def of(cls, values: Array, weights: Array) -> Values:
        """Count the values of some rows; none is missing."""
        distinct, inverse = np.unique(values, return_inverse=True)
        found = cls(distinct, np.bincount(inverse, weights, len(distinct)).astype(np.float64))
        return found if len(distinct) <= MOST_DISTINCT else cls(_NONE, _NONE, found.as_sketch())

    def merge(self, other: Values) -> Values:
        """Return the values of both."""
        if self.sketch is None and other.sketch is None:
            return Values.of(np.append(self.distinct, other.distinct), np.append(self.weights, other.weights))
        sketch = _sketch()
        sketch.merge(self.as_sketch(), other.as_sketch())
        return Values(_NONE, _NONE, sketch)

    def as_sketch(self) -> Any:
        """Return a t-digest of the values."""
        if self.sketch is not None:
            return self.sketch
        sketch = _sketch()
        sketch.update(self.distinct, self.weights)
        return sketch

    def ordered(self, *, are_whole: bool) -> SortedValues:
        """Return the values as a column has them; those that stand for a sketch have equal weights."""
        if self.sketch is None:
            return SortedValues(self.distinct, self.weights)
        values = np.sort(self.sketch.quantile(np.linspace(0.0, 1.0, _SKETCHED)))
        return SortedValues(np.rint(values) if are_whole else values, None)


def _sketch() -> Any:
    try:
        from crick import TDigest
    except ImportError as error:
        raise MissingDependencyError.extra("Explaining rows on a cluster", "crick", "distributed") from error
    return TDigest(_COMPRESSION)


@dataclass(eq=False)
class FeatureSummary:
    """A feature in some of the rows.

    - `feature`: without its values; levels are those of these rows.
    - `moments`: of the values; of a feature with an order alone.
    - `values`: of a feature with an order alone.
    - `counts` (n_levels,): weight of each level; of levels without an order alone.
    - `weight`: of the rows that have a value.
    - `n_present`: how many they are.
    - `has_missing`: whether a row that has weight lacks the value.
    """

    feature: Feature
    moments: Moments
    values: Values | None
    counts: Array
    weight: float
    n_present: int
    has_missing: bool

    @classmethod
    def of(cls, feature: Feature, weights: Array) -> FeatureSummary:
        """Summarise the rows that have weight."""
        weighing = weights > 0
        present = ~np.isnan(feature.values) & weighing
        values, mass = feature.values[present], weights[present]
        counts, counted, moments = np.empty(0), None, Moments(1)
        if feature.is_unordered:
            assert feature.levels is not None  # noqa: S101 - it has no order
            counts = np.bincount(values.astype(np.intp), mass, len(feature.levels)).astype(np.float64)
        else:
            counted = Values.of(values, mass)
            if len(values):
                moments.add(values[:, None], mass)
        return cls(
            without_values(feature), moments, counted, counts, float(mass.sum()), len(values),
            bool((np.isnan(feature.values) & weighing).any()),
        )  # fmt: skip

    def merge(self, other: FeatureSummary) -> FeatureSummary:
        """Return the summary of both.

        - raises InputDataError: if they differ in kind, or in levels that their dtype declares.
        """
        first, second = self.feature, other.feature
        if first.kind != second.kind:
            raise _unlike(first, "be of one kind in all partitions", first.kind, second.kind)
        feature, counts = first, self.counts
        if first.levels is not None and second.levels is not None:
            own, others = first.levels.tolist(), second.levels.tolist()
            if own != others:
                if first.kind == "ordered" or first.has_declared_levels:
                    raise _unlike(first, "declare the same levels in all partitions", listed(own), listed(others))
                feature = align_levels(replace(second, values=np.empty(0)), first)
                counts = np.append(counts, np.zeros(len(feature.levels) - len(own)))  # type: ignore[arg-type]
        if first.is_unordered:
            assert feature.levels is not None  # noqa: S101 - as above
            place = {level: at for at, level in enumerate(feature.levels.tolist())}
            counts = counts.copy()
            np.add.at(counts, [place[level] for level in second.levels.tolist()], other.counts)  # type: ignore[union-attr]
        moments = Moments(1)
        moments.merge(self.moments)
        moments.merge(other.moments)
        feature = replace(feature, is_integer=first.is_integer and second.is_integer)
        return FeatureSummary(
            feature, moments, None if self.values is None or other.values is None else self.values.merge(other.values),
            counts, self.weight + other.weight, self.n_present + other.n_present, self.has_missing or other.has_missing,
        )  # fmt: skip

    @property
    def sd(self) -> float:
        """Standard deviation of a feature with an order, ddof=0; exactly 0 where all values are equal."""
        assert self.values is not None  # noqa: S101 - it has an order
        if self.values.sketch is None and len(self.values.distinct) < 2:
            return 0.0
        return float(np.sqrt(self.moments.squared[0] / self.moments.weight))

    def in_order(self) -> FeatureSummary:
        """Return the same with its levels in the order that those of all rows have."""
        feature, levels = self.feature, self.feature.levels
        if levels is None or feature.has_declared_levels or feature.kind in {"ordered", "group"}:
            return self
        if feature.codebook is not None:  # numbers that are names
            order = np.argsort(feature.codebook[:, 0], kind="stable")
            feature = replace(feature, codebook=feature.codebook[order])
        else:
            order = np.array([levels.tolist().index(level) for level in sort_levels(levels.tolist())], np.intp)
        return replace(self, feature=replace(feature, levels=levels[order]), counts=self.counts[order])


def without_values(feature: Feature) -> Feature:
    """Return a feature that takes no memory for rows."""
    nothing = np.empty(0)
    members = tuple(replace(member, values=nothing) for member in feature.members)
    return replace(feature, values=nothing, members=members)


def _unlike(feature: Feature, what: str, first: str, second: str) -> InputDataError:
    return InputDataError(
        f"{quoted(feature.readable)} must {what}; got {first} in one and {second} in another.",
        "Give the column one dtype: `X[name] = X[name].astype(...)`, or for categories `X = X.categorize()`.",
    )


@dataclass(eq=False)
class Summary:
    """Some partitions.

    - `features`: by number; columns of objects are not among them.
    - `objects`, `names`: labels of columns that cannot be placed on an axis, and of those with too many levels to
      count, by number.
    - `n_rows`, `n_weighing`: all rows, and those that have weight.
    - `keys`, `rows`, `weights` (n_sampled,): a random number, the row and its weight of the rows with the smallest
      numbers.
    """

    features: dict[int, FeatureSummary]
    objects: dict[int, str]
    names: dict[int, str]
    n_rows: int
    n_weighing: int
    keys: Array
    rows: Any
    weights: Array

    def merge(self, other: Summary) -> Summary:
        """Return the summary of both."""
        names = self.names | other.names
        apart = (self.features.keys() ^ other.features.keys()) - names.keys()
        if apart:
            number = min(apart)
            held = self.features.get(number) or other.features[number]
            raise _unlike(held.feature, "be of one kind in all partitions", held.feature.kind, "objects")
        features = {
            number: held.merge(other.features[number])
            for number, held in self.features.items() if number not in names
        }  # fmt: skip
        keys = np.append(self.keys, other.keys)
        kept = np.sort(np.argsort(keys, kind="stable")[:MOST_SAMPLED])
        rows = _concatenated([self.rows, other.rows])
        return Summary(
            features, self.objects, names, self.n_rows + other.n_rows, self.n_weighing + other.n_weighing, keys[kept],
            rows.iloc[kept] if hasattr(rows, "iloc") else rows[kept],
            np.append(self.weights, other.weights)[kept],
        ).bounded()  # fmt: skip

    def bounded(self) -> Summary:
        """Return the same without features of more levels than are counted."""
        crowded = {
            number: held.feature.label
            for number, held in self.features.items()
            if len(held.counts) > MOST_DISTINCT
        }  # fmt: skip
        if not crowded:
            return self
        features = {number: held for number, held in self.features.items() if number not in crowded}
        return replace(self, features=features, names=self.names | crowded)


def _concatenated(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    import pandas as pd

    return pd.concat(parts)


def summarise(model: Any, options: Options, X: Any, sample_weight: Any, partition: int) -> Summary | None:
    """Summarise one partition; None where it has no rows.

    - raises ICEExplorerError: if its columns cannot be explained.
    """
    if len(X) == 0:
        return None
    table = fitted_table(model, X)
    n_rows = table.n_observations
    weights = check_weights(sample_weight, n_rows, table.index, are_all=False)
    held = np.ones(n_rows) if weights is None else weights
    columns = Columns(
        table, check_groups(options.groups), check_names("categorical_features", options.categorical_features or ())
    )
    numbers = list(columns.in_order)
    if options.features is not None:
        numbers = list(dict.fromkeys(columns.number(name) for name in check_names("features", options.features)))
    objects = {
        at: columns.labels[at] for at in numbers
        if options.features is None and at < len(columns.names) and columns.at(at).kind == "other"
    }  # fmt: skip
    generator = np.random.default_rng([options.random_state, zlib.crc32(b"rows of partitions"), partition])
    keys = np.where(held > 0, generator.random(n_rows), 2.0)  # rows without weight come last
    kept = np.sort(np.argsort(keys, kind="stable")[:MOST_SAMPLED])
    return Summary(
        {at: FeatureSummary.of(columns.feature(at), held) for at in numbers if at not in objects}, objects, {},
        n_rows, int(np.count_nonzero(held)), keys[kept], table.take(kept), held[kept],
    ).bounded()  # fmt: skip
