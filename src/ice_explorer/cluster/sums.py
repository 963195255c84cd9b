"""Grids of all rows, and the second pass: the sums of a partition on these grids."""

# ruff: noqa: SLF001 - sums from a cluster take the place of those of a plan

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import check_total_weight
from ice_explorer.cluster.summary import MOST_DISTINCT, RANK_ERROR, ColumnSummary, with_values
from ice_explorer.engines import notes
from ice_explorer.engines.feature_input import FeatureInput, measure
from ice_explorer.engines.sums import empty_sums
from ice_explorer.errors import Cancelled, DataError, ICEExplorerError, OptionError
from ice_explorer.errors.base import counted
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.columns import Columns
from ice_explorer.features.feature import is_identifier
from ice_explorer.features.grid import Grid, make_grid
from ice_explorer.features.groups import check_groups
from ice_explorer.metrics.ordered import OrderedSums
from ice_explorer.metrics.sums import Moments
from ice_explorer.models.fitted import fitted_table
from ice_explorer.plan import Plan, Whole, choose_ranked, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from ice_explorer.cluster.summary import Summary
    from ice_explorer.engines.sums import Sums as FeatureSums
    from ice_explorer.results.options import Options
    from ice_explorer.tables.column import Name


@dataclass(frozen=True, eq=False)
class Grids(Whole):
    """Grids, scales and levels of all rows; what workers need besides the model.

    - `options`: those of a partition, whose features, grids and output are chosen.
    - `notes`: on columns that are not ranked, on quantiles, and on figures that are those of a sample.
    """

    options: Options
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over some of the rows.

    - `grids`: the curves are evaluated on these.
    - `features`: sums of each as arrays, by number; see `CurveSums.to_arrays`.
    - `predictions`: of the observations as they are.
    - `notes`: on the model.
    """

    grids: Grids
    features: Mapping[int, Mapping[str, NDArray[Any]]]
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
        parts, predictions, features = [self, *others], Moments(1), {}
        for part in parts:
            predictions.merge(part.predictions)
        for number, feature in self.grids.features.items():
            sums: Any = [part.feature_sums(number) for part in parts]
            # A method that reads thresholds may find other ones in other partitions.
            active = {each.active.tobytes(): each.active for each in sums if isinstance(each, OrderedSums)}
            if len(active) > 1:
                sums = [each.at_every_interval() for each in sums]
            shared = next(iter(active.values())) if len(active) == 1 else None
            features[number] = empty_sums(feature, active=shared).merge(sums).to_arrays()
        notes_of_model = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        return Sums(self.grids, features, predictions, notes_of_model)

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
        given = {columns.number(name): values for name, values in grid.items()}
        grid = {
            features[number].feature.label: features[number].feature.check_grid(values)
            for number, values in given.items() if number in features
        }  # fmt: skip
    inputs = {number: _place_on_grid(features[number], grid, options) for number in chosen}
    weights = summary.weights if bool((summary.weights != 1).any()) else None
    whole = Whole(inputs, summary.n_rows, summary.n_weighing)
    of_sample = replace(options, sample_weight=weights, progress=progress)
    plan = prepare(model, summary.rows, of_sample, whole=whole)
    said += notes.merge_notes(
        [features[number].feature.label for number in chosen if features[number].is_thinned],
        f" has more than {MOST_DISTINCT:,} distinct values: the ranks of its quantiles are off by at most about "
        f"{RANK_ERROR:.2%} of the rows. Pass `grid=` for other values.",
        f" have more than {MOST_DISTINCT:,} distinct values: the ranks of their quantiles are off by at most about "
        f"{RANK_ERROR:.2%} of the rows. Pass `grid=` for other values.",
    )
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
    return plan, Grids(inputs, summary.n_rows, summary.n_weighing, of_workers, tuple(said))


def _choose_features(
    summary: Summary, features: Mapping[int, ColumnSummary], categorical: Collection[int]
) -> tuple[list[int], list[str]]:
    """Choose as for a table, with notes on columns that are not features; declared categories are no names of rows."""
    if summary.options.features is not None:
        for column in features.values():
            if column.is_crowded:
                problem, advice = f"at most {MOST_DISTINCT:,} levels", "Leave it out with `features=`."
                raise DataError.feature_must(column.feature.label, problem, "has more", advice)
        return list(features), []
    empty = [number for number, column in features.items() if not column.n_present]
    names = {
        number: column.level_count for number, column in features.items() if number not in categorical
        and column.feature.kind == "category" and is_identifier(len(column.weights), column.n_present)
    }  # fmt: skip
    crowded = {number: column.level_count for number, column in features.items() if column.is_crowded}
    labels = {number: column.feature.label for number, column in features.items()}
    return choose_ranked(labels, empty, names, summary.objects, crowded)


def _place_on_grid(summary: ColumnSummary, grid: Any, options: Options) -> FeatureInput:
    """Choose the grid of a feature as for a table of all rows."""
    feature, column = summary.feature, summary.sorted_values()
    size, seed = options.grid_size, options.random_state
    chosen = make_grid(feature, column, grid=grid, grid_size=size, random_state=seed)
    scale, median, shares = measure(feature, column, chosen.values, summary.standard_deviation)
    if summary.is_thinned:
        chosen = Grid(chosen.values, MOST_DISTINCT + 1)
    feature = with_values(feature, np.empty(0))
    return FeatureInput(feature, chosen, scale, median, shares, options.decay, options.convention, summary.has_missing)


def sum_rows(model: Any, rows: Any, sample_weight: Any, grids: Grids, cancelled: Callable[[], bool] | None) -> Sums:
    """Explain a partition on the grids of all rows."""
    plan = prepare(model, rows, replace(grids.options, sample_weight=sample_weight), whole=grids)
    features = {
        number: plan.compute(name, cancelled=cancelled)._sums.to_arrays()
        for name, number in zip(plan.features, grids.features, strict=True)
    }
    context, predictions = plan._context, Moments(1)
    weighted = context.weighted_rows
    predictions.add(context.predictions(weighted)[:, None], context.row_weights[weighted])
    return Sums(grids, features, predictions, plan._method.notes)


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
    return FeatureExplanation(plan._context, plan._method, feature, sums.feature_sums(feature.feature_number), None)
