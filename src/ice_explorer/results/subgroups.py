"""Groups of observations, whose metrics share one grid and one scale so that they compare."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_index
from ice_explorer.engines.notes import merge_notes
from ice_explorer.engines.sums import add_block, empty_sums, missing_change
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import quoted
from ice_explorer.metrics.sums import FeatureMetrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Sums
    from ice_explorer.features.columns import Columns
    from ice_explorer.tables.column import Column, Name

    Blocks = Iterable[tuple[Rows, Array]]

_MOST_GROUPS: Final = 20
FEWEST_IN_GROUP: Final = 10
"""Observations of a group below which it has no intervals."""


@dataclass(frozen=True, eq=False)
class Subgroups:
    """Observations by group.

    - `name`: what the groups are by; None where only labels were given.
    - `labels`: one for each group; None for the observations without a label, which come last.
    - `codes` (n_observations,): position in `labels`.
    - `counts`: observations of each group.
    """

    name: Name
    labels: list[Any]
    codes: Places

    @property
    def counts(self) -> list[int]:
        """Observations of each group."""
        return [int(count) for count in np.bincount(self.codes, minlength=len(self.labels))]

    def warn_of_small_groups(self) -> None:
        """Warn of groups of so few observations that draws of them tell little; they have no intervals."""
        small = [str(label) for label, n in zip(self.labels, self.counts, strict=True) if n < FEWEST_IN_GROUP]
        few = f"fewer than {FEWEST_IN_GROUP} observations"
        for note in merge_notes(small, f" has {few}: no intervals.", f" have {few}: no intervals.", "groups"):
            warnings.warn(note, UserWarning, stacklevel=3)


def subgroups_of(columns: Columns, index: Any, by: Name | ArrayLike) -> Subgroups:
    """Return the groups that a column makes, or that labels of the observations name, or raise if there are too many.

    - `by` (n_observations,): name of a column or group, or a label of each observation, with the index of X.
    """
    if isinstance(by, Hashable):
        return _of_column(columns.named(by))
    given = np.asarray(by) if hasattr(by, "__len__") else None
    if given is None or given.shape != (columns.n_observations,):
        raise OptionError.must(
            "by",
            f"be a column or group of X, or one label for each of its {columns.n_observations:,} rows",
            by,
            "For several columns pass `X.groupby(['a', 'b']).ngroup()`.",
        )
    check_index("by", "by", by, index)
    return _numbered(getattr(by, "name", None), given.tolist())


def _of_column(column: Column) -> Subgroups:
    labels = column.labels.tolist()
    if column.levels is None:
        return _numbered(column.name, labels)
    used = set(labels)
    return _coded(column.name, [level for level in column.levels.tolist() if level in used], labels)


def _numbered(name: Name, labels: list[Any]) -> Subgroups:
    """Number labels in their order, or in that of their first appearance where they have none."""
    present = list(dict.fromkeys(label for label in labels if not _is_missing(label)))
    with suppress(TypeError):  # of labels of several types
        present.sort()
    return _coded(name, present, labels)


def _coded(name: Name, present: list[Any], labels: list[Any]) -> Subgroups:
    if len(present) > _MOST_GROUPS:
        raise OptionError(
            f"`by` must name at most {_MOST_GROUPS} groups; {quoted('by' if name is None else name)} has "
            f"{len(present):,} values.",
            "Pass labels of intervals instead, such as `pandas.qcut(X['name'], 4)`.",
        )
    code_of = {label: code for code, label in enumerate(present)}
    codes = np.array([len(present) if _is_missing(label) else code_of[label] for label in labels], dtype=np.intp)
    return Subgroups(name, [*present, *[None][: int((codes == len(present)).any())]], codes)


def _is_missing(label: object) -> bool:
    return label is None or label != label  # noqa: PLR0124 - NaN and NaT


def sums_by(
    blocks: Blocks, brute: BruteCurves, item: FeatureInput, weights: Array, subgroups: Subgroups
) -> list[Sums | None]:
    """Sum blocks of the curves of all rows by group; None for a group without an observation in the sample."""
    codes = subgroups.codes[item.summed]
    members = [item.summed[codes == at] for at in range(len(subgroups.labels))]
    sums = [empty_sums(replace(item, summed=rows), weights, compiled=False) if len(rows) else None for rows in members]
    for rows, curves in blocks:
        change = missing_change(brute, item, rows)
        for at, of_group in enumerate(sums):
            inside = subgroups.codes[rows] == at
            if of_group is not None and inside.any():
                moved = None if change is None else change[inside]
                add_block(of_group, curves[inside], item, (rows[inside], weights, moved))
    for of_group in sums:
        if of_group is not None:
            of_group.finish()
    return sums


def metrics_of(sums: Sums | None, decay: float) -> dict[str, float]:
    """Return the metrics by name; NaN where there is nothing to sum."""
    names = [field.name for field in fields(FeatureMetrics)]
    if sums is None:
        return dict.fromkeys(names, math.nan)
    found = sums.metrics(decay)
    return {name: getattr(found, name) for name in names}
