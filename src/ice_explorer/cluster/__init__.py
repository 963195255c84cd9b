"""Explain rows that are partitions on a cluster of any kind, such as one of Spark or Ray.

Partitions are read twice: `summarise` each, `merge` the results, and choose the grids of all rows with `make_grids`;
then sum each on these with `partial_sums`, `merge`, and `finish`. Results can be pickled, and merged in any tree.
For Dask, pass a DataFrame or array of Dask to `explain`.
"""

# ruff: noqa: SLF001 - sums from a cluster take the place of those of a plan

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from ice_explorer.checks import check_names, check_total_weight, check_weights
from ice_explorer.curves.inputs import FeatureInput, measure_feature, measure_reach, merge_notes
from ice_explorer.curves.method import empty_sums
from ice_explorer.errors import Cancelled, DataError, ICEExplorerError, OptionError
from ice_explorer.errors.base import counted, listed, quoted
from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.columns import Columns, check_groups, has_moves
from ice_explorer.features.feature import Feature, Grid, align_levels, is_identifier, make_grid
from ice_explorer.locks import working
from ice_explorer.metrics.ordered import OrderedSums
from ice_explorer.metrics.sums import MOST, Moments
from ice_explorer.models.libraries import fitted_table
from ice_explorer.plan import Plan, choose_ranked, prepare
from ice_explorer.results.options import DEFAULTS, Options
from ice_explorer.tables.column import SortedValues, sort_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.curves.method import Sums as FeatureSums
    from ice_explorer.explanation import Explanation
    from ice_explorer.tables.column import Name

__all__ = ["finish", "make_grids", "merge", "partial_sums", "summarise"]

OPTIONS: Final = tuple(name for name in DEFAULTS if name not in {"sample_weight", "progress"})
MOST_DISTINCT: Final = 1 << 16
"""Distinct values of a column that are counted one by one; more are put into bins."""
MOST_SAMPLED: Final = 10_000
"""Rows that come to this machine."""
RANK_ERROR: Final = 0.0005
"""Largest error of the ranks of quantiles that come from bins, as a share of the rows; 0.0003 is the most measured."""
_NONE: Final = np.empty(0)
_N_BINS: Final = 2048
_N_STANDING: Final = 1_000_001  # values that stand for all: so many that shares of grid values are smooth


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """A feature in some of the rows.

    - `feature`: its `values` are the distinct ones of rows that have weight, increasing.
    - `weights`: the weight of each.
    - `moments`: of the values of a feature with an order.
    - `n_present`: rows that have weight and a value.
    - `has_missing`: whether a row that has weight lacks the value.
    - `is_thinned`: whether the values are bins of more values; levels without an order are not counted then.
    """

    feature: Feature
    weights: Array
    moments: Moments
    n_present: int
    has_missing: bool
    is_thinned: bool = False

    @classmethod
    def from_rows(cls, feature: Feature, weights: Array) -> ColumnSummary:
        """Summarise the rows that have weight."""
        counts, missing = weights > 0, np.isnan(feature.values)
        values, mass, moments = feature.values[counts & ~missing], weights[counts & ~missing], Moments(1)
        if len(values) and not feature.is_unordered:
            moments.add(values[:, None], mass)
        return cls(feature, mass, moments, len(values), bool((missing & counts).any())).with_values(values, mass)

    def with_values(self, values: Array, weights: Array) -> ColumnSummary:
        """Return the same with the weights of equal values added up, in bins or without any where they are too many."""
        feature, is_unordered = self.feature, self.feature.is_unordered
        distinct, inverse = np.unique(values, return_inverse=True)
        mass = np.bincount(inverse, weights, len(distinct)).astype(np.float64)
        n_distinct = len(feature.levels) if is_unordered else len(distinct)  # type: ignore[arg-type]
        is_thinned = self.is_thinned or n_distinct > MOST_DISTINCT
        if is_thinned and is_unordered:
            feature, distinct, mass = replace(feature, levels=np.empty(0, object), codebook=None), _NONE, _NONE
        elif is_thinned:
            distinct, mass = _thin(distinct, mass)
        return replace(self, feature=with_values(feature, distinct), weights=mass, is_thinned=is_thinned)

    def merge(self, others: Sequence[ColumnSummary]) -> ColumnSummary:
        """Return the summary of all.

        - raises DataError: if they differ in kind, or in levels that their dtype declares.
        """
        parts, feature, values = [self, *others], self.feature, [self.feature.values]
        for other in others:
            feature, aligned = _align(feature, other.feature)
            values.append(aligned)
        moments, n_present = _merge_moments([part.moments for part in parts]), sum(part.n_present for part in parts)
        has_missing, is_thinned = any(part.has_missing for part in parts), any(part.is_thinned for part in parts)
        merged = ColumnSummary(feature, self.weights, moments, n_present, has_missing, is_thinned)
        return merged.with_values(np.concatenate(values), np.concatenate([part.weights for part in parts]))

    @property
    def is_crowded(self) -> bool:
        """Whether levels without an order are too many to be counted."""
        return self.is_thinned and self.feature.is_unordered

    @property
    def level_count(self) -> str:
        """How many levels occur, for a note."""
        count = f"more than {MOST_DISTINCT:,}" if self.is_crowded else f"{len(self.weights):,}"
        return f"{count} levels in {self.n_present:,} rows"

    def in_order(self) -> ColumnSummary:
        """Return the same with its levels in the order that they have in a table of all rows."""
        feature, levels = self.feature, self.feature.levels
        if levels is None or feature.has_declared_levels or feature.kind in {"ordered", "group"}:
            return self
        if feature.codebook is not None:  # numbers that are names
            order = np.argsort(feature.codebook[:, 0], kind="stable")
        else:
            places = {level: place for place, level in enumerate(levels.tolist())}
            order = np.array([places[level] for level in sort_levels(levels.tolist())], np.intp)
        codebook = None if feature.codebook is None else feature.codebook[order]
        feature = replace(feature, levels=levels[order], codebook=codebook)
        return replace(self, feature=feature).with_values(
            np.argsort(order)[self.feature.values.astype(int)], self.weights
        )

    def sorted_values(self) -> SortedValues:
        """Return the values, or values that stand for them at even ranks.

        The weight of a bin is spread between its mean and the next ones; what weighs more than two bins is one value.
        """
        values, weights = self.feature.values, self.weights
        if not self.is_thinned:
            return SortedValues(values, weights)
        cumulative = np.cumsum(weights)
        middle, total = cumulative - weights / 2, cumulative[-1]
        of_bin = total * np.pi * np.sqrt(middle / total * (1 - middle / total)) / _N_BINS
        at_value = np.where(weights > 2 * of_bin, weights / 2, 0)
        ranks = np.stack([middle - at_value, middle + at_value], axis=1).ravel()
        spread = np.interp(np.linspace(0, total, _N_STANDING), ranks, np.repeat(values, 2))
        digits = self.feature.digits
        return SortedValues(spread if digits is None else np.round(spread, digits), None)


def _merge_moments(parts: Sequence[Moments]) -> Moments:
    merged = Moments(1)
    for part in parts:
        merged.merge(part)
    return merged


def _thin(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the mean of each bin of ranks, and its weight.

    Bins are narrow at both ends of the values, as those of a t-digest; the least and the largest value are kept.
    """
    cumulative = np.cumsum(weights)
    ranks = (cumulative - weights / 2) / cumulative[-1]
    bins = np.floor(_N_BINS * (0.5 + np.arcsin(2 * ranks - 1) / np.pi))
    bins[0], bins[-1] = -1, _N_BINS
    starts = np.flatnonzero(np.diff(bins, prepend=-2))
    mass = np.add.reduceat(weights, starts)
    return np.add.reduceat(values * weights, starts) / mass, mass


def with_values(feature: Feature, values: Array) -> Feature:
    """Return a feature with other values, and columns that take no memory for rows."""
    members = tuple(replace(member, values=_NONE) for member in feature.members)
    return replace(feature, values=values, members=members)


def _align(feature: Feature, other: Feature) -> tuple[Feature, Array]:
    """Return a feature with the levels of both, and the values of the second one in these."""
    if feature.kind != other.kind:
        raise _unlike(feature, "be of one kind in all partitions", feature.kind, other.kind)
    decimals = None if feature.decimals is None else max(feature.decimals, other.decimals or 0)
    merged = replace(feature, is_integer=feature.is_integer and other.is_integer, decimals=decimals)
    if feature.levels is None or other.levels is None:
        return merged, other.values
    if feature.kind == "ordered" or feature.has_declared_levels:
        first, second = feature.levels.tolist(), other.levels.tolist()
        if first != second:
            raise _unlike(feature, "declare the same levels in all partitions", listed(first), listed(second))
    aligned = align_levels(other, feature)
    return replace(merged, levels=aligned.levels, codebook=aligned.codebook), aligned.values


def _unlike(feature: Feature, what: str, first: str, second: str) -> DataError:
    return DataError(
        f"{quoted(feature.readable)} must {what}; got {first} in one and {second} in another.",
        "Give the column one dtype: `X[name] = X[name].astype(...)`, or for categories `X = X.categorize()`.",
    )


@dataclass(frozen=True, eq=False)
class Summary:
    """What the columns of some partitions hold; `make_grids` says more.

    - `options`: of the explanation.
    - `features`: by number.
    - `objects`: dtypes of columns that cannot be placed on an axis, by label.
    - `n_rows`, `n_weighing`, `total_weight`: all rows, those that have weight, and how much.
    - `keys`, `rows`, `weights` (n_sampled,): random numbers, the rows that have the smallest ones, and their weights.
    """

    options: Options
    features: dict[int, ColumnSummary]
    objects: dict[str, str]
    n_rows: int
    n_weighing: int
    total_weight: float
    keys: Array
    rows: Any
    weights: Array

    def merge(self, others: Sequence[Summary]) -> Summary:
        """Return the summary of all."""
        parts, features = [self, *others], {}
        for number in dict.fromkeys(number for part in parts for number in part.features):
            first, *rest = (part.features[number] for part in parts if number in part.features)
            if len(rest) < len(parts) - 1:
                raise _unlike(first.feature, "be of one kind in all partitions", first.feature.kind, "objects")
            features[number] = first.merge(rest)
        objects = {label: dtype for part in parts for label, dtype in part.objects.items()}
        n_rows, n_weighing = sum(part.n_rows for part in parts), sum(part.n_weighing for part in parts)
        keys, weights = np.concatenate([part.keys for part in parts]), np.concatenate([part.weights for part in parts])
        tables, sampled = [part.rows for part in parts], _draw(keys)
        if isinstance(self.rows, np.ndarray):
            rows = np.concatenate(tables)[sampled]
        else:
            import pandas as pd

            rows = pd.concat(tables).iloc[sampled]
        total, sample = sum(part.total_weight for part in parts), (keys[sampled], rows, weights[sampled])
        return Summary(self.options, features, objects, n_rows, n_weighing, total, *sample)


def _make_keys(options: Options, number: int, weights: Array) -> Array:
    """Return the random numbers of the rows of a partition, the same in both passes."""
    generator = np.random.default_rng([options.random_state, zlib.crc32(b"rows of partitions"), number])
    return np.where(weights > 0, generator.random(len(weights)), 2.0)  # rows without weight come last


def _draw(keys: Array) -> Rows:
    return np.sort(np.argsort(keys, kind="stable")[:MOST_SAMPLED])


@dataclass(frozen=True, eq=False)
class Grids:
    """What all rows hold, which workers need besides the model.

    - `features`: those to explain, by number, with their grids, scales and levels.
    - `n_rows`, `n_weighing`: how many rows there are, and how many have weight.
    - `options`: those of a partition, whose features, grids and output are chosen.
    - `keys` (n_sampled,): random numbers of the rows of the sample.
    - `notes`: on columns that are not ranked, on quantiles, and on figures that are those of a sample.
    """

    features: Mapping[int, FeatureInput]
    n_rows: int
    n_weighing: int
    options: Options
    keys: Array
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over some of the rows.

    - `grids`: the curves are evaluated on these.
    - `features`: sums of each as arrays, by number; see `CurveSums.to_arrays`.
    - `outlying`: rows of the sample whose curves of each lie far from those of their partition.
    - `predictions`: of the observations as they are.
    - `notes`: on the model.
    """

    grids: Grids
    features: Mapping[int, Mapping[str, Values]]
    outlying: Mapping[int, Rows]
    predictions: Moments
    notes: tuple[str, ...]

    def feature_sums(self, number: int) -> FeatureSums:
        """Return the sums of a feature."""
        arrays = self.features[number]
        return empty_sums(self.grids.features[number], active=arrays.get("active")).fill(arrays)

    def merge(self, others: Sequence[Sums]) -> Sums:
        """Return the sums over the rows of all."""
        if not others:
            return self
        parts, features = [self, *others], {}
        for number, feature in self.grids.features.items():
            sums: Any = [part.feature_sums(number) for part in parts]
            # A method that reads thresholds may find other ones in other partitions.
            active = {each.active.tobytes(): each.active for each in sums if isinstance(each, OrderedSums)}
            if len(active) > 1:
                sums = [each.with_all_intervals() for each in sums]
            shared = next(iter(active.values())) if len(active) == 1 else None
            features[number] = empty_sums(feature, active=shared).merge(sums).to_arrays()
        outlying = {number: np.concatenate([part.outlying[number] for part in parts]) for number in features}
        notes_of_model = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        predictions = _merge_moments([part.predictions for part in parts])
        return Sums(self.grids, features, outlying, predictions, notes_of_model)

    @property
    def n_rows(self) -> int:
        """Rows that have weight."""
        return int(next(iter(self.features.values()))["counts"][0])


@contextmanager
def name_partition(number: int) -> Iterator[None]:
    """Name the partition in errors: rows that they name are counted in it."""
    try:
        yield
    except Cancelled:
        raise
    except ICEExplorerError as error:
        advice = str(error).removeprefix(error.facts).strip()
        raise type(error)(f"In partition {number}, whose rows count from 0: {error.facts}", advice) from error


def check_options(options: Options) -> None:
    """Refuse options that need all rows in one place."""
    for option, is_given, advice in (
        ("budget", options.budget is not None, "Leave it out."),
        ("groups", has_moves(options.groups), "Explain a sample: `X.sample(frac=0.01).compute()`."),
        ("distance", options.distance == "conditional", "Leave it out, or explain a sample of the rows."),
        ("distance", isinstance(options.distance, Mapping), "Leave it out."),
        ("sample", options.sample is not None, "Pass fewer rows: `X.sample(frac=0.1)`."),
        ("grid", options.reference is not None, "Pass its grids as a mapping."),
        ("grid", options.grid == "thresholds", 'Use `grid="quantile"`, or pass values.'),
    ):
        if is_given:
            got = getattr(options, option)
            shown = f"{option}={got!r}" if isinstance(got, str | int | float) else f"`{option}`"
            raise OptionError(f"{shown} needs all rows in one place, but X is on a cluster.", advice)


def plan_sample(model: Any, summary: Summary | None, *, progress: Any = None) -> tuple[Plan, Grids]:
    """Choose the grids of all rows, and plan the explanation of the sample on them."""
    if summary is None or summary.n_weighing == 0:
        raise DataError("X must have rows that have weight; its partitions have none.", "Check them.")
    check_total_weight(summary.total_weight)
    options = summary.options
    table, groups = fitted_table(model, summary.rows), check_groups(options.groups)
    columns = Columns(table, groups, options.categorical_features or ())
    features = {number: column.in_order() for number, column in summary.features.items()}
    chosen, said = _choose_features(summary, features, columns.categorical)
    grid: Any = options.grid
    if isinstance(grid, Mapping):
        given = {number: values for name, values in grid.items() if (number := columns.number(name)) in features}
        on_axes = [(features[number].feature, values) for number, values in given.items()]
        grid = {feature.label: feature.check_grid(values) for feature, values in on_axes}
    inputs = {number: _place_on_grid(features[number], grid, options) for number in chosen}
    weights = summary.weights if bool((summary.weights != 1).any()) else None
    grids = Grids(inputs, summary.n_rows, summary.n_weighing, options, summary.keys)
    of_sample = replace(options, sample_weight=weights, progress=progress)
    plan = prepare(model, summary.rows, of_sample, whole=grids)
    more, off = f"more than {MOST_DISTINCT:,} distinct values: the ranks of", "quantiles are off by at most about"
    of_rows = f"{off} {RANK_ERROR:.2%} of the rows. Pass `grid=` for other values."
    thinned = [features[number].feature.label for number in chosen if features[number].is_thinned]
    said += merge_notes(thinned, f" has {more} its {of_rows}", f" have {more} their {of_rows}")
    if len(summary.rows) < summary.n_rows:
        said.append(
            f"Metrics, partial dependence and spread are of all {summary.n_rows:,} rows; curves, histograms, "
            f"drivers and effects of {len(summary.rows):,} of them, drawn at random."
        )
    settings = plan.settings
    of_workers = replace(
        options, features=None, grid="observed", grid_size=None, groups=settings.groups, output=settings.output,
        categorical_features=settings.categorical_features, n_jobs=None,
    )  # fmt: skip
    return plan, replace(grids, options=of_workers, notes=tuple(said))


def _choose_features(
    summary: Summary, features: Mapping[int, ColumnSummary], categorical: Collection[int]
) -> tuple[list[int], list[str]]:
    """Choose as for a table, with notes on columns that are not features; declared categories are no names of rows."""
    crowded = {number: column.level_count for number, column in features.items() if column.is_crowded}
    labels = {number: column.feature.label for number, column in features.items()}
    if summary.options.features is None:
        empty = [number for number, column in features.items() if not column.n_present]
        names = {
            number: column.level_count for number, column in features.items() if number not in categorical
            and column.feature.kind == "category" and is_identifier(len(column.weights), column.n_present)
        }  # fmt: skip
        return choose_ranked(labels, empty, names, summary.objects, crowded)
    if crowded:
        problem, advice = f"at most {MOST_DISTINCT:,} levels", "Leave it out with `features=`."
        raise DataError.feature_must(labels[next(iter(crowded))], problem, "has more", advice)
    return list(features), []


def _place_on_grid(summary: ColumnSummary, grid: Any, options: Options) -> FeatureInput:
    feature, column = summary.feature, summary.sorted_values()
    chosen = make_grid(feature, column, grid=grid, grid_size=options.grid_size)
    moments, is_constant = summary.moments, feature.is_unordered or len(summary.weights) < 2  # exactly
    deviation = 0.0 if is_constant else float(np.sqrt(moments.squared[0] / moments.weight))
    scale, median, shares = measure_feature(feature, column, chosen.values, deviation)
    if summary.is_thinned:
        chosen = Grid(chosen.values, MOST_DISTINCT + 1)
    feature = with_values(feature, np.empty(0))
    reach = measure_reach(chosen.values, column)
    return FeatureInput(
        feature, chosen, scale, median, shares, options.decay, options.convention, summary.has_missing, reach
    )


def check_rows(sums: Sums | None, grids: Grids) -> Sums:
    """Check that both passes had the same rows."""
    n_rows = 0 if sums is None else sums.n_rows
    if sums is None or n_rows != grids.n_weighing:
        raise DataError(
            "Partitions must hold the same rows in both passes; the first pass got "
            f"{counted(grids.n_weighing, 'row')} that have weight, the second {n_rows}.",
            "Store rows that are drawn at random before they are explained.",
        )
    return sums


def explain_feature(plan: Plan, name: Name, sums: Sums) -> FeatureExplanation:
    """Return a feature of which the plan has a sample of the rows, and the sums are those of all."""
    predictions = sums.predictions
    vars(plan._context)["prediction_sd"] = float(np.sqrt(predictions.squared[0] / predictions.weight))
    feature = plan._inputs[name]
    of_feature, rows = sums.feature_sums(feature.feature.position), sums.outlying[feature.feature.position]
    of_feature.outlying = np.flatnonzero(np.isin(feature.summed, rows))[:MOST]
    return FeatureExplanation(plan._context, plan._method, feature, of_feature, None)


Result = TypeVar("Result", bound=Summary | Sums)


@short_traceback
def summarise(
    model: Any, rows: Any, number: int, sample_weight: ArrayLike | None = None, **options: Any
) -> Summary | None:
    """Return what the columns of a partition hold: distinct values, moments, levels, and a sample of the rows.

    Parameters
    ----------
    model : object
        Fitted model, or a function, as for `explain`.
    rows : DataFrame or ndarray
        The rows of the partition.
    number : int
        A different integer of at least 0 for each partition: the seed of its sample, and its name in errors.
    sample_weight : array-like of shape (n_rows,), optional
        Frequency weights of at least 0.
    **options
        Options of `explain`, the same for all partitions, except for `progress` and those that need all rows in one
        place: `budget`, `sample`, `distance`, and an explanation or "thresholds" as `grid`.

    Returns
    -------
    Summary or None
        None where the partition has no rows.

    Examples
    --------
    >>> import numpy as np
    >>> def model(X):
    ...     return 2 * X[:, 0] - X[:, 1]
    >>> partitions = [np.column_stack([np.arange(5.0) + start, np.arange(5.0) % 2]) for start in (0, 5)]
    >>> summary = merge(*[summarise(model, rows, number) for number, rows in enumerate(partitions)])
    >>> grids = make_grids(model, summary)
    >>> sums = merge(*[partial_sums(model, rows, number, grids) for number, rows in enumerate(partitions)])
    >>> finish(model, summary, sums).table()["impact"].round(3).to_dict()
    {'x0': 5.745, 'x1': 0.49}
    """
    unknown = next((name for name in options if name not in OPTIONS), None)
    if unknown is not None:
        raise OptionError.unknown("summarise", unknown, OPTIONS)
    checked = Options(**options)
    check_options(checked)
    with name_partition(number):
        if len(rows) == 0:
            return None
        table = fitted_table(model, rows)
        n_rows = table.n_observations
        given = check_weights(sample_weight, n_rows, table.index, are_all=False)
        weights = np.ones(n_rows) if given is None else given
        categorical = check_names("categorical_features", checked.categorical_features or ())
        columns = Columns(table, check_groups(checked.groups), categorical)
        objects: dict[str, str] = {}
        if checked.features is None:
            alone = [columns.column(at) for at in columns.in_order if at < len(columns.names)]
            objects = {column.label: column.dtype for column in alone if column.kind == "other"}
            numbers = [at for at in columns.in_order if columns.labels[at] not in objects]
        else:
            numbers = list(dict.fromkeys(columns.number(name) for name in check_names("features", checked.features)))
            if not numbers:
                raise OptionError.no_features()
        features = {at: ColumnSummary.from_rows(columns.feature(at), weights) for at in numbers}
        keys = _make_keys(checked, number, weights)
        sampled = _draw(keys)
        n_weighing, total = int(np.count_nonzero(weights)), float(weights.sum())
        taken = keys[sampled], table.take(sampled), weights[sampled]
        return Summary(checked, features, objects, n_rows, n_weighing, total, *taken)


@short_traceback
def merge(*results: Result | None) -> Result | None:
    """Return one result in place of the results of several partitions; None where all are None.

    Parameters
    ----------
    *results : Summary, Sums or None
        Results of `summarise`, of `partial_sums`, or of `merge`. Their order changes figures by rounding, and grids of
        columns with more than 65,536 distinct values within the error that a note states.

    Returns
    -------
    Summary, Sums or None
    """
    given: list[Any] = [result for result in results if result is not None]
    for result in given:
        if not isinstance(result, Summary | Sums) or type(result) is not type(given[0]):
            raise DataError(
                f"Each result must be one of `summarise`, or each of `partial_sums`; got {type(result).__name__}.",
                "Write `merge(*results)`, once for each of the two passes.",
            )
    return given[0].merge(given[1:]) if given else None


@short_traceback
def make_grids(model: Any, summary: Summary | None) -> Grids:
    """Return the grids, scales and levels of all rows, which are sent to the workers.

    Parameters
    ----------
    model : object
        As for `summarise`.
    summary : Summary
        Of all partitions, merged.

    Returns
    -------
    Grids
    """
    _check_merged(summary, Summary, "`summary`")
    return plan_sample(model, summary)[1]


@short_traceback
def partial_sums(
    model: Any,
    rows: Any,
    number: int,
    grids: Grids,
    sample_weight: ArrayLike | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> Sums | None:
    """Return the sums that the metrics of a partition are made of.

    Parameters
    ----------
    model, rows, number, sample_weight
        As for `summarise`; a partition has the same rows in both calls.
    grids : Grids
        From `make_grids`.
    cancelled : callable, optional
        Called between blocks of rows; True ends the work with `Cancelled`.

    Returns
    -------
    Sums or None
        None where no row has weight.
    """
    if len(rows) == 0 or (sample_weight is not None and not np.any(np.asarray(sample_weight) > 0)):
        return None
    with name_partition(number):
        plan = prepare(model, rows, replace(grids.options, sample_weight=sample_weight), whole=grids)
        with nullcontext() if cancelled is None else working(cancelled):
            features, outlying = {}, {}
            keys = _make_keys(grids.options, number, plan._context.row_weights)
            for name, at in zip(plan.features, grids.features, strict=True):
                feature = plan.compute(name)
                features[at] = feature._sums.to_arrays()
                outlying[at] = np.flatnonzero(np.isin(grids.keys, keys[feature._outlying]))
        context, predictions = plan._context, Moments(1)
        weighted = context.weighted_rows
        predictions.add(context.predictions(weighted)[:, None], context.row_weights[weighted])
        return Sums(grids, features, outlying, predictions, plan._method.notes)


@short_traceback
def finish(model: Any, summary: Summary | None, sums: Sums | None) -> Explanation:
    """Return the explanation: metrics, partial dependence and spread of all rows, and a sample of 10,000 rows.

    Parameters
    ----------
    model : object
        As for `summarise`.
    summary, sums : Summary, Sums
        Of all partitions, merged.

    Returns
    -------
    Explanation
        Curves, drivers and effects are those of the sample.
    """
    _check_merged(summary, Summary, "`summary`")
    _check_merged(sums, Sums, "`sums`")
    plan, grids = plan_sample(model, summary)
    checked = check_rows(sums, grids)
    results = {name: explain_feature(plan, name, checked) for name in plan.features}
    return plan.explanation(results, [*grids.notes, *checked.notes])


def _check_merged(result: object, kind: type, name: str) -> None:
    if result is not None and not isinstance(result, kind):
        raise DataError(
            f"{name} must be one {kind.__name__}, that of all partitions; got {type(result).__name__}.",
            "Merge the results of all partitions until one is left: `merge(*results)`.",
        )


def __dir__() -> list[str]:
    return __all__
