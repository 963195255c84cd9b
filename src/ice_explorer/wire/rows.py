"""Replies in words: rows as text, drivers, what a row would need, and what rows have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.checks import check_distinct_positions
from ice_explorer.errors import OptionError
from ice_explorer.features.axis_text import cell_text, cell_writer, short_cell_text, writer
from ice_explorer.scene.display_axis import display_axis
from ice_explorer.wire import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.drivers.candidates import InCommon
    from ice_explorer.drivers.drivers import Driver, Drivers
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Column

_MOST_DRIVERS = 50


def describe_rows(
    explanation: Explanation,
    positions: Sequence[int],
    sort_by: int | None = None,
    *,
    descending: bool = False,
    most: int | None = None,
) -> messages.RowsBody:
    """Rows as text: what is predicted and observed, and all columns of X; a missing value is empty.

    - `positions`: rows of X.
    - `sort_by`: number of the column of the reply that the rows are sorted by; missing values are last.
    - `most`: rows that are returned at most.
    """
    chosen = check_distinct_positions(positions, explanation._n_observations)
    outcomes = explanation._outcomes(chosen)
    columns = [explanation._column(name) for name in explanation._context.columns.names]
    labels = [*outcomes, *(column.label for column in columns)]
    if sort_by is not None:
        if sort_by >= len(labels):
            what = f"be the number of a column from 0 to {len(labels) - 1}"
            raise OptionError.must("sort_by", what, sort_by, "Leave it out.")
        at = sort_by - len(outcomes)
        keys = list(outcomes.values())[sort_by] if at < 0 else _sort_keys(columns[at], chosen)
        order = np.argsort(-keys if descending else keys, kind="stable")  # NaN is last either way
        chosen, outcomes = chosen[order], {name: values[order] for name, values in outcomes.items()}
    chosen = chosen[:most]
    texts = [[cell_text(value) for value in values[:most].tolist()] for values in outcomes.values()]
    by_column = [*texts, *(_cells(column, chosen) for column in columns)]
    return messages.RowsBody(
        columns=labels,
        n_outcomes=len(outcomes),
        positions=chosen.tolist(),
        rows=[list(row) for row in zip(*by_column, strict=True)],
    )


def _sort_keys(column: Column, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the coordinates of rows; of what has none, the place of its text in alphabetical order."""
    if column.kind != "other":
        return column.values[chosen].astype(np.float64)
    texts, missing = column.texts[chosen], column.missing[chosen]
    keys = np.full(len(chosen), math.nan)
    keys[~missing] = np.unique(texts[~missing].astype(str), return_inverse=True)[1]
    return keys


def _cells(column: Column, chosen: NDArray[np.int64]) -> list[str]:
    if column.kind == "other":
        return ["" if text is None else text for text in column.texts[chosen]]
    write = cell_writer(column)
    return ["" if math.isnan(value) else write(value) for value in column.values[chosen]]


def describe_drivers(feature: FeatureExplanation, drivers: Drivers) -> messages.DriversBody:
    """Describe what makes the curves of a feature differ: up to 50 columns, and the best two together."""
    combined = drivers.combined
    rules = [messages.RuleBody(rule, n_rows) for rule, n_rows in combined.rules.items()]
    return messages.DriversBody(
        feature=feature.label,
        lead=f"{drivers.lead}{'' if drivers.reported else feature._outlying_sentence}",
        drivers=list(map(_describe_driver, drivers.reported[:_MOST_DRIVERS])),
        combined=messages.CombinedBody(list(combined.columns), combined.share, rules),
        n_rows=drivers.n_rows,
        n_curves=drivers.n_curves,
    )


def _describe_driver(driver: Driver) -> messages.DriverBody:
    threshold = None if math.isnan(driver.threshold) else driver.threshold
    levels = None if driver.levels is None else list(driver.levels)
    return messages.DriverBody(**{**vars(driver), "threshold": threshold, "levels": levels})


def describe_moves(feature: FeatureExplanation, position: int, prediction: float) -> messages.FeatureMoves:
    """Describe how far a feature moves the prediction of one row, nearest first."""
    axis = display_axis(feature._item.feature, feature.axis)
    write = writer(axis.kind, axis.grid, axis.levels, short_cell_text, axis.clock)
    moves = feature._moves(position, prediction)
    return messages.FeatureMoves(
        feature=feature.label,
        observed=write(float(axis.observed[position])),
        moves=[
            messages.MoveBody(distance if math.isfinite(distance) else None, place, write(place), change)
            for place, distance, change in zip(
                axis.grid[moves.places].tolist(), moves.distances.tolist(), moves.changes.tolist(), strict=True
            )
        ],
    )


def describe_in_common(explanation: Explanation, positions: Sequence[int]) -> messages.InCommonBody:
    """Describe what some rows have in common, in words."""
    common = explanation._in_common(check_distinct_positions(positions, explanation._n_observations))
    return messages.InCommonBody(
        [messages.InCommonItem(each.column.label, _in_words(each), each.inside, each.outside) for each in common]
    )


def _in_words(each: InCommon) -> str:
    second = each.column
    grid = second.values if second.levels is None else np.arange(len(second.levels))
    write = writer(second.kind, grid, second.levels, short_cell_text, second.clock)
    if each.levels:
        return f"{second.label} {', '.join(map(write, each.levels))}"
    if math.isinf(each.high):
        return f"{second.label} ≥ {write(each.low)}"
    if math.isinf(each.low):
        return f"{second.label} ≤ {write(each.high)}"
    return f"{second.label} {write(each.low)} – {write(each.high)}"
