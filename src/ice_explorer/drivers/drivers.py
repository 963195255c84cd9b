"""Explain the differences between curves of a feature by splits of the rows on other columns.

Curves differ in level and in shape. Each is centred at its own mean, so that only shape is left, and the rows are split
in two by another column where that leaves the least variance between the curves within both groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.drivers.column_pairs import PairSearch
from ice_explorer.drivers.crossfit import LEAST_ROWS, CrossFit
from ice_explorer.drivers.curve_shapes import spread_of
from ice_explorer.drivers.splits import split_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Mask, Places
    from ice_explorer.drivers.candidates import SecondFeature
    from ice_explorer.drivers.column_pairs import ColumnPair
    from ice_explorer.drivers.crossfit import Score
    from ice_explorer.drivers.splits import SplitColumn
    from ice_explorer.drivers.table import DriverTable


MOST_ROWS: Final = 5000
"""Rows that splits are searched on; of more, a stratified sample."""
LEAST_SHARE: Final = 0.05
"""What explains a smaller part of the differences is not reported."""
ALIKE: Final = "Curves do not differ in shape."
TOO_FEW: Final = "Too few rows to explain the differences between curves."
NO_COLUMN: Final = "No single column explains the differences"

_LITTLE = 0.1  # of the variance of the curves
_FALSE_CLAIMS = 0.05  # of all single columns, and of all pairs; what was seen is a tenth of it
_DIGITS = 9  # of shares that are compared


@dataclass(frozen=True)
class Driver:
    """The best split of the rows by one column.

    - `column`: label of the column.
    - `share`: part of the variance between curves that the split explains, 0 to 1, on rows that it was not chosen on; 0
      where chance explains as much.
    - `threshold`: rows up to it are one group, rows above it the other [coordinates of the column]; NaN where there is
      none.
    - `levels`: levels of one group, where they have no order.
    - `rule`: one of the two groups in words, the one that holds missing values if there are any; "" without a split.
    - `sides`: names of both groups, missing values aside: below or outside, above or inside.
    - `n_rule`, `n_rest`: rows of the group that the rule names, and of the other.
    """

    column: str
    share: float = 0.0
    threshold: float = np.nan
    levels: tuple[str, ...] | None = None
    rule: str = ""
    sides: tuple[str, str] = ("", "")
    n_rule: int = 0
    n_rest: int = 0


@dataclass(frozen=True)
class Combined:
    """Two columns together: up to four rules that each row fulfils one of.

    - `columns`: both labels; empty where two columns explain no more than the best one.
    - `share`: part of the variance between curves that the rules explain, 0 to 1, on rows that they were not chosen on.
    - `rules`: each rule, and the number of its rows.
    - `pair`: the splits that the rules are made of; None where there are none.
    """

    columns: tuple[str, ...] = ()
    share: float = 0.0
    rules: dict[str, int] = field(default_factory=dict)
    pair: ColumnPair | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Drivers:
    """What makes the curves of one feature differ.

    - `found`: one for each other column, best first.
    - `size`: variance between centred curves, relative to their total variance around their own means, 0 to 1.
    - `n_rows`, `n_curves`: rows that splits were searched on, of rows that have curves.
    """

    found: tuple[Driver, ...]
    combined: Combined
    size: float
    n_rows: int
    n_curves: int

    @property
    def reported(self) -> tuple[Driver, ...]:
        """Those that explain enough."""
        return tuple(driver for driver in self.found if driver.share >= LEAST_SHARE)

    @property
    def note(self) -> str:
        """A sentence where splits were searched on a sample."""
        if self.n_rows == self.n_curves:
            return ""
        return f"Found on a stratified sample: {self.n_rows} of {self.n_curves} rows."

    @property
    def lead(self) -> str:
        """How large the differences are; and where no column explains them, that."""
        if self.size == 0:
            return ALIKE
        if self.reported:
            return f"{self._size}; of that:"
        if self.n_rows < 2 * LEAST_ROWS:
            return f"{self._size}. {TOO_FEW}"
        return f"{self._size}. {NO_COLUMN}{'.' if self.combined.columns else ', nor do two together.'}"

    @property
    def summary(self) -> str:
        """The size of the differences, and the best rule, in one or two sentences."""
        best = [
            f"{self._size}; of that, {driver.rule} explains {_percent(driver.share)}." for driver in self.reported[:1]
        ]
        sentences = best or [self.lead]
        if self.combined.columns:
            sentences.append(f"{' and '.join(self.combined.columns)} together explain {_percent(self.combined.share)}.")
        return " ".join(sentences)

    @property
    def _size(self) -> str:
        size = f"({_percent(self.size)} of their variance)"
        return f"Curves differ little {size}" if self.size < _LITTLE else f"Curves differ {size}"

    def frame(self) -> DriverTable:
        """Lay out as a table; see `Explanation.drivers`."""
        import pandas as pd

        from ice_explorer.drivers.table import DriverTable

        types = {"share": float, "threshold": float, "levels": object, "rule": object, "n_rule": int, "n_rest": int}
        index = pd.Index([driver.column for driver in self.found], name="second_feature", dtype=object)
        values = {name: [getattr(driver, name) for driver in self.found] for name in types}
        table = DriverTable({name: pd.Series(values[name], index, types[name]) for name in types}, index)
        table.summary, table.note = self.summary, self.note
        table.difference, table.n_rows = self.size, self.n_rows
        table.combined_columns, table.combined_share = self.combined.columns, self.combined.share
        table.rules = self.combined.rules
        return table


def _percent(share: float) -> str:
    if share < 0.001:
        return "less than 0.1 %"
    return f"{share * 100:.{0 if share >= 0.0995 else 1}f} %"


def find_drivers(
    curves: Array,
    seconds: Sequence[SecondFeature],
    weights: Array,
    observations: Places,
    *,
    prediction_range: float,
    lengths: Array | None = None,
    n_curves: int | None = None,
) -> Drivers:
    """Find what makes curves differ.

    - `curves` (n_rows, n_grid): ICE [output].
    - `seconds`: their values are those of the same rows.
    - `weights` (n_rows,): frequencies, all greater than 0: row counts are their sums.
    - `observations` (n_rows,): number of the distinct observation that each row is, from 0; equal rows share one.
    - `prediction_range`: largest less smallest prediction of the feature [output].
    - `lengths` (n_grid,): as for `spread_of`.
    - `n_curves`: rows that these were drawn from; all by default.
    - returns: best first; in the order of `seconds` among equals.

    Notes
    -----
    Distinct observations are put into 5 folds, seeded. The split of a column is chosen without the rows of a fold and
    scored on these, so that its share is not inflated by the search; the rule that is reported is chosen on all rows.
    A share counts where it exceeds 0 by more standard errors than one of as many columns does by chance in 5 % of
    cases. Each side of a split has at least 10 rows and 2 % of them.

    Every threshold between two neighbouring values is tried, with missing values on either side. Levels without an
    order are put in the order of their mean curves along the first principal axis of these, and split at every
    place of it; besides, each level is tried against all others. Among all partitions of more than three levels
    that is a heuristic. Levels beyond the 100 most frequent are merged.
    """
    n_curves = len(curves) if n_curves is None else n_curves
    spread = spread_of(curves, weights, prediction_range, lengths)
    if spread.size == 0 or observations.max() == 0:
        return Drivers(
            tuple(Driver(second.label) for second in seconds), Combined(), spread.size, len(curves), n_curves
        )
    fit = CrossFit.of(spread, observations)
    columns = [split_column(second, weights) for second in seconds]
    tried = [column for column in columns if column is not None]
    found = iter(_scored(fit, tried))
    scored = [
        (Driver(second.label), None) if column is None else next(found)
        for second, column in zip(seconds, columns, strict=True)
    ]
    scored.sort(key=lambda each: -round(each[0].share, _DIGITS))  # stable
    best = next((score for driver, score in scored if driver.share >= LEAST_SHARE), None)
    combined = _combined(fit, tried, best) if len(tried) > 1 else Combined()
    return Drivers(tuple(driver for driver, _ in scored), combined, spread.size, len(curves), n_curves)


def _z(n_tried: int) -> float:
    """Return how many standard errors a share must exceed, so that chance rarely passes for any of some columns."""
    return NormalDist().inv_cdf(1 - _FALSE_CLAIMS / max(1, n_tried))


def _scored(fit: CrossFit, columns: Sequence[SplitColumn]) -> list[tuple[Driver, Score | None]]:
    """Return the best split by each column, and its score; none of both where chance explains as much."""

    def groups(column: SplitColumn, fold: int) -> Places | None:
        members = column.best(fit.folds[fold].training)
        return None if members is None else column.inside(members).astype(np.intp)

    z, best = _z(len(columns)), [column.best(fit.whole) for column in columns]
    scores = fit.scores([partial(groups, column) for column in columns])
    return [
        (Driver(column.second.label), None)
        if members is None or not score.exceeds(None, z)
        else (driver_of(column, members, score.share, fit.spread.weights), score)
        for column, members, score in zip(columns, best, scores, strict=True)
    ]


def driver_of(column: SplitColumn, members: Mask, share: float, weights: Array) -> Driver:
    """Describe a split by a column; `members` as in `SplitColumn`."""
    named, counts = column.name(members), _counts(column.inside(members).astype(np.intp), weights, 2)
    rule, label = named.ruled, column.second.label
    return Driver(
        label, share, named.threshold, named.levels, named.rules[rule], named.sides, counts[rule], counts[1 - rule]
    )


def _combined(fit: CrossFit, columns: Sequence[SplitColumn], best: Score | None) -> Combined:
    """Return the best rules of two columns; none where they explain no more than the best single column."""
    search = PairSearch(fit, columns)
    pair = search.best()
    if pair is None or all(half is None for half in pair.halves):
        return Combined()

    def groups(fold: int) -> Places | None:
        found = search.best(fold)
        return None if found is None else found.leaves()

    (score,) = fit.scores([groups])
    least = LEAST_SHARE + (0.0 if best is None else best.share)
    if score.share < least or not score.exceeds(best, _z(1)):
        return Combined()
    counts = _counts(pair.leaves(), fit.spread.weights, 4)
    rules = {rule: counts[leaf] for leaf, rule in pair.rules()}
    return Combined((pair.first.second.label, pair.second.second.label), score.share, rules, pair)


def _counts(groups: Places, weights: Array, n: int) -> list[int]:
    """Return the number of rows in each group, by weight."""
    return [round(count) for count in np.bincount(groups, weights, n)]
