"""Grids, scales and levels of all rows, from a summary of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.distributed.summaries import MOST_DISTINCT, RANK_ERROR
from ice_explorer.engines import notes
from ice_explorer.engines.feature_input import FeatureInput, measure
from ice_explorer.errors import InputDataError, InvalidOptionError
from ice_explorer.errors.base import listed
from ice_explorer.features.feature import is_identifier
from ice_explorer.features.grid import Grid, make_grid
from ice_explorer.metrics.likelihood import SortedValues
from ice_explorer.plan import Whole

if TYPE_CHECKING:
    from ice_explorer.distributed.summaries import FeatureSummary, Summary
    from ice_explorer.features.columns import Columns
    from ice_explorer.results.options import Options


def whole_of(summary: Summary, options: Options, columns: Columns) -> tuple[Whole, list[str]]:
    """Choose the features, and where each is evaluated; with notes on columns that are no features.

    - `columns`: those of some of the rows, for the names of grids that were given.
    - raises InputDataError: if there is no feature, or a chosen one has too many levels.
    """
    features = {number: held.in_order() for number, held in summary.features.items()}
    chosen, said = _chosen(summary, features, options)
    grid: Any = options.grid
    if isinstance(grid, Mapping):
        given = {columns.number(name): values for name, values in grid.items()}
        grid = {
            features[number].feature.label: features[number].feature.check_grid(values)
            for number, values in given.items() if number in features
        }  # fmt: skip
    items = {number: _item(features[number], grid, options) for number in chosen}
    return Whole(items, summary.n_rows, summary.n_weighing), [*said, *_sketched(features, chosen)]


def _chosen(summary: Summary, features: Mapping[int, FeatureSummary], options: Options) -> tuple[list[int], list[str]]:
    """Choose as for a table: without columns that are empty, hold objects, or name the rows."""
    if options.features is not None:
        if summary.names:
            (label, *_) = summary.names.values()
            raise InputDataError.feature_must(
                label, f"at most {MOST_DISTINCT:,} levels", "has more", "Leave it out with `features=`."
            )
        return list(features), []
    empty = [held.feature.label for held in features.values() if held.weight == 0]
    names = dict(summary.names)
    for number, held in features.items():
        n_levels = int(np.count_nonzero(held.counts))
        if held.feature.kind == "category" and is_identifier(n_levels, held.n_present):
            names[number] = held.feature.label
    usable = [number for number, held in features.items() if held.weight > 0]
    chosen = [number for number in usable if number not in names] or usable
    if not chosen:
        raise InputDataError(
            "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
            "it has none on the cluster.",
            "Turn one into such a column in front of the model.",
        )
    left_out = [label for number, label in names.items() if number not in chosen]
    said = [
        *notes.merge_notes(
            empty, " has no values; it is not ranked.", " have no values; they are not ranked.", "columns"
        ),
        *notes.merge_notes(
            list(summary.objects.values()), " holds objects that cannot be placed on an axis; it is not ranked.",
            " hold objects that cannot be placed on an axis; they are not ranked.", "columns",
        ),
        *notes.merge_notes(
            left_out, " has more than one level for every two rows, like an ID or free text; it is not ranked. "
            "Name it in `features=` to explain it.",
            " have more than one level for every two rows, like IDs or free text; they are not ranked. "
            "Name them in `features=` to explain them.", "columns",
        ),
    ]  # fmt: skip
    return chosen, said


def _item(summary: FeatureSummary, grid: Any, options: Options) -> FeatureInput:
    feature = summary.feature
    if feature.is_unordered:
        codes = np.flatnonzero(summary.counts)
        column = SortedValues(codes.astype(np.float64), summary.counts[codes])
    else:
        assert summary.values is not None  # noqa: S101 - it has an order
        column = summary.values.ordered(are_whole=feature.digits == 0)
    size, seed = options.grid_size, options.random_state
    chosen = make_grid(feature, column, grid=grid, grid_size=size, random_state=seed)
    is_sketched = summary.values is not None and summary.values.sketch is not None
    scale, median, shares = measure(feature, column, chosen.values, 0.0 if feature.is_unordered else summary.sd)
    chosen = Grid(chosen.values, MOST_DISTINCT + 1) if is_sketched else chosen
    return FeatureInput(feature, chosen, scale, median, shares, options.decay, summary.has_missing)


def _sketched(features: Mapping[int, FeatureSummary], chosen: list[int]) -> list[str]:
    """Return a note on quantiles that are not exact."""
    labels = [
        features[number].feature.label for number in chosen
        if (values := features[number].values) is not None and values.sketch is not None
    ]  # fmt: skip
    if not labels:
        return []
    have = "have" if len(labels) > 1 else "has"
    said = (
        f"Quantiles of {listed(labels)}, which {have} more than {MOST_DISTINCT:,} distinct values, come from a "
        f"t-digest: ranks are off by at most about {RANK_ERROR:.1%} of the rows. Pass `grid=` for values of your own."
    )
    return [said]


def check_distributed(options: Options, *, is_local: bool) -> None:
    """Refuse options that need all rows in one place.

    - `is_local`: whether the rows are on this machine, and are sent to the cluster.
    - raises InvalidOptionError: naming the option and what to do.
    """
    on_cluster = "X is on a cluster" if not is_local else "`client` is given"
    for option, is_given, advice in (
        ("budget", options.budget is not None, "Leave one of them out."),
        ("distance", options.distance == "conditional", "Leave it out, or explain a sample of the rows."),
        ("distance", not is_local and isinstance(options.distance, Mapping), "Leave it out."),
        ("sample", options.sample is not None, "Pass fewer rows: `X.sample(frac=0.1)`."),
        ("grid", not is_local and options.reference is not None, "Pass its grids as a mapping."),
        ("grid", not is_local and options.grid == "thresholds", 'Use `grid="quantile"`, or pass values.'),
    ):
        if is_given:
            got = getattr(options, option)
            shown = f"{option}={got!r}" if isinstance(got, str | int | float) else f"`{option}`"
            raise InvalidOptionError(f"{shown} needs all rows in one place, but {on_cluster}.", advice)
