"""Notes about columns, written before the model is called; one note lists all columns it applies to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.errors.base import counted
from ice_explorer.tables.natural_order import in_natural_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.tables.column import Name

_MOST_NAMED: Final = 3
_SMALL_SUM: Final = 2.0  # of weights
_SMALL_SHARE: Final = 0.1  # of the rows that have weight


def shorten_list(texts: Sequence[str]) -> str:
    """Return the first three texts and the number of the others.

    Examples
    --------
    >>> shorten_list(["'age'", "'city'"])
    "'age' and 'city'"
    >>> shorten_list([f"x{number}" for number in range(2000)])
    'x0, x1, x2 and 1,997 more'
    """
    n_others = len(texts) - _MOST_NAMED
    *named, last = [*texts[:_MOST_NAMED], f"{n_others:,} more"] if n_others > 0 else texts
    return f"{', '.join(named)} and {last}" if named else last


def merge_notes(labels: Sequence[str], one: str, several: str, noun: str = "features") -> Iterator[str]:
    """Yield no note, a note that begins with the one label, or one that counts the labels and names three.

    Examples
    --------
    >>> list(merge_notes(["age"], " is constant.", " are constant."))
    ["'age' is constant."]
    >>> list(merge_notes(["age", "city"], " is constant.", " are constant."))
    ["2 features ('age' and 'city') are constant."]
    """
    if len(labels) == 1:
        yield f"{labels[0]!r}{one}"
    elif labels:
        yield f"{len(labels):,} {noun} ({shorten_list(list(map(repr, labels)))}){several}"


def note_saturated(*, is_saturated: bool) -> list[str]:
    """Return a note if most probabilities are near 0 or 1, where they hardly change."""
    if not is_saturated:
        return []
    where = "Most predicted probabilities are within 0.01 of 0 or 1, where they hardly change"
    return [f'{where}; `response="log_odds"` explains log-odds, which do.']


def note_columns_beyond_limit(n_bytes: int, limit: int) -> list[str]:
    """Return a note if the columns of X alone take more than the limit."""
    if n_bytes <= limit:
        return []
    what = f"The columns of X take {n_bytes / 1e6:,.0f} MB, more than `memory_limit`"
    return [f"{what}; blocks are as small as they get. Pass fewer rows or columns, or a DataFrame of float64 columns."]


def note_columns_not_ranked(
    empty: Sequence[str], objects: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[str]:
    """Yield notes on columns without values, of objects that have no place on an axis, and of the names of rows.

    - `empty`: labels.
    - `objects`: dtypes, by label.
    - `names`: how many levels the columns have, by label: "7 levels in 9 rows".
    """
    yield from merge_notes(
        empty, " has no values; it is not ranked.", " have no values; they are not ranked.", "columns"
    )
    yield from merge_notes(
        list(objects),
        f" has dtype {next(iter(objects.values()), '')} and cannot be placed on an axis; it is not ranked, but "
        "curves can be coloured by it.",
        " hold objects that cannot be placed on an axis; they are not ranked, but curves can be coloured by them.",
        "columns",
    )
    yield from merge_notes(
        list(names),
        f" has {next(iter(names.values()), '')}, like an ID or free text; it is not ranked, but curves can be coloured "
        "by it. Name it in `features=` to explain it.",
        " have more than one level for every two rows, like IDs or free text; they are not ranked, but curves can be "
        "coloured by them. Name them in `features=` to explain them.",
        "columns",
    )


def note_undeclared_groups(groups: Mapping[str, Sequence[Name]]) -> Iterator[str]:
    """Yield a note on columns that look like one category and were not declared as one."""
    if not groups:
        return
    described = [f"{name!r}: {len(members)} columns, {members[0]!r} first" for name, members in groups.items()]
    if len(described) > _MOST_NAMED:
        described[_MOST_NAMED:] = [f"and {len(described) - _MOST_NAMED:,} more"]
    yield (
        f"Some 0/1 columns look one-hot encoded ({'; '.join(described)}) but are varied separately. "
        'Pass `groups="auto"` to vary them together.'
    )


def grids(inputs: Sequence[FeatureInput]) -> Iterator[str]:
    """Yield notes on grids that exclude values, and on levels shown in an undeclared order."""
    unordered = [item for item in inputs if item.feature.is_unordered]
    ordered = [item for item in inputs if not item.feature.is_unordered]
    for items, what, which in (
        (ordered, "distinct values", "at even quantiles"),
        (unordered, "levels", "the most frequent ones"),
    ):
        capped = [item for item in items if item.grid.capped]
        most = max((item.grid.n_distinct for item in capped), default=0)
        n_grid = max((item.grid.n_grid for item in capped), default=0)
        yield from merge_notes(
            [item.feature.label for item in capped],
            f" has {most} {what}; its grid is {n_grid} of them, {which}. Pass `grid_size={most}` for all.",
            f" have up to {most:,} {what}; their grids are at most {n_grid:,} of them, {which}. "
            f"Pass `grid_size={most}` for all.",
        )
    whole = [item for item in ordered if item.feature.digits == 0]
    yield from merge_notes(
        [item.feature.label for item in whole if np.abs(item.grid.values).max() > 1 << 53],
        " has whole numbers beyond 2^53, which are rounded to 16 digits.",
        " have whole numbers beyond 2^53, which are rounded to 16 digits.",
    )
    n_off = {}
    for item in unordered:
        is_off = ~np.isnan(item.feature.values) & ~np.isin(item.feature.values, item.grid.values)
        if is_off.any():
            n_off[item.feature.label] = int(is_off.sum())
    yield from merge_notes(
        list(n_off),
        f": levels of {counted(next(iter(n_off.values()), 0), 'observation')} are not on the grid; their dots are not "
        "drawn, their curves are included.",
        " have observations whose levels are not on the grid; their dots are not drawn, their curves are included.",
    )
    natural = [
        item
        for item in unordered
        if item.feature.kind == "category"
        and item.grid.n_grid > 2
        and (levels := np.asarray(item.feature.levels).tolist()) == in_natural_order(levels)
    ]
    levels = [natural[0].feature.shown(code) for code in natural[0].grid.values] if natural else []
    shown = ", ".join(levels if len(levels) <= _MOST_NAMED else [*levels[:2], "…", levels[-1]])
    yield from merge_notes(
        [item.feature.label for item in natural],
        f": its levels are shown in the order {shown}. Metrics treat them as unordered; declare an ordered category "
        "to use its ranks.",
        " have levels that are shown in calendar or numerical order. Metrics treat them as unordered; declare ordered "
        "categories to use their ranks.",
    )


def note_small_weights(weights: Array | None) -> Iterator[str]:
    """Yield a note on what weights of a small sum do to heterogeneity, which divides by their sum less 1."""
    if weights is None:
        return
    total, n_rows = float(weights.sum()), int(np.count_nonzero(weights))
    if n_rows == 1 or total <= 1 or total >= max(_SMALL_SUM, _SMALL_SHARE * n_rows):  # 1 or less: a part of the rows
        return
    ratio = math.sqrt(total / (total - 1) / (n_rows / (n_rows - 1)))
    yield (
        f"`sample_weight` sums to {total:.3g} over {n_rows:,} observations. Weights are taken as frequencies, so "
        f"heterogeneity is {ratio:.3g} times that of weights that sum to {n_rows:,}. "
        "Multiply the weights if they are not frequencies."
    )
