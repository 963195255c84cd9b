"""Units of effects, groups of observations, and intervals of metrics and ranks from the influence of each row.

To first order, weights of the rows that differ by δ_i change a metric by Σ_i δ_i ψ_i. So with other rows from the same
source its variance is Σ_i w_i ψ_i², and that of the difference of two metrics follows from the difference of their
influences. Intervals are normal: metric ± z · standard error.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.checks import check_index, is_number
from ice_explorer.curves.inputs import merge_notes
from ice_explorer.curves.method import add_block, empty_sums, missing_change
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import feature_seed
from ice_explorer.metrics.influence import DECAYED, PER_SCALE, Block, influences
from ice_explorer.metrics.ordered import nearest_places
from ice_explorer.metrics.sums import LOWEST_DECAY, METRICS
from ice_explorer.metrics.unordered import UnorderedSums
from ice_explorer.results.options import OF_REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.curves.method import Sums
    from ice_explorer.features.columns import Columns
    from ice_explorer.results.options import Unit
    from ice_explorer.tables.column import Name

    Blocks = Iterable[tuple[Rows, Array]]
    Curves = Callable[[Rows], Iterable[tuple[Rows, Array]]]

EFFECTS: Final = (
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "missing_impact",
)
"""The metrics that have the unit of the prediction."""

ROUNDING: Final = 1e-12
"""Metrics whose sum is below this part of the sum of impact are rounding errors: they have no shares."""


def in_unit(values: Array, unit: Unit, prediction_sd: float, rounding: float = 0.0) -> Array:
    """Write one metric of all features in a unit.

    - `values` (n_features,): [output]; NaN where undefined.
    - `unit`: "sd": per cent of the standard deviation of the predictions. "share": per cent of the sum of the absolute
      values over the features, so that the shares of a metric without sign sum to 100.
    - `prediction_sd`: standard deviation of the predictions of the observations [output]; used for "sd" alone.
    - `rounding`: sum of the absolute values up to which their shares are 0 [output]; used for "share" alone.
    - returns (n_features,): 0 stays 0; NaN where another value is divided by 0.
    """
    if unit == "prediction":
        return values
    whole = prediction_sd if unit == "sd" else float(np.nansum(np.abs(values)))
    if unit == "share" and whole <= rounding:
        return np.where(np.isnan(values), np.nan, 0.0)
    if whole == 0:
        return np.where(values == 0, 0.0, np.nan)
    return np.asarray(100.0 * values / whole)


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
    name, levels = getattr(by, "name", None), None
    if isinstance(by, Hashable):
        column = columns.named(by)
        name, labels, levels = column.name, column.labels.tolist(), column.levels
    else:
        given = np.asarray(by) if hasattr(by, "__len__") else None
        if given is None or given.shape != (columns.n_observations,):
            raise OptionError.must(
                "by",
                f"be a column or group of X, or one label for each of its {columns.n_observations:,} rows",
                by,
                "For several columns pass `X.groupby(['a', 'b']).ngroup()`.",
            )
        check_index("by", "by", by, index)
        labels = given.tolist()
    # Levels have an order; other labels that of their values, or where these have none of their first appearance.
    present = [label for label in dict.fromkeys(labels) if label is not None and label == label]  # noqa: PLR0124 - NaN
    if levels is not None:
        present = [level for level in levels.tolist() if level in set(present)]
    with suppress(TypeError):
        present = present if levels is not None else sorted(present)
    n_groups = len(present)
    if n_groups > _MOST_GROUPS:
        raise OptionError(
            f"`by` must name at most {_MOST_GROUPS} groups; {quoted('by' if name is None else name)} has "
            f"{n_groups:,} values.",
            "Pass labels of intervals instead, such as `pandas.qcut(X['name'], 4)`.",
        )
    code_of = {label: code for code, label in enumerate(present)}
    codes = np.array([code_of.get(label, n_groups) for label in labels], dtype=np.intp)
    return Subgroups(name, [*present, *[None][: int((codes == n_groups).any())]], codes)


def sums_by(blocks: Blocks, context: Context, item: FeatureInput, subgroups: Subgroups) -> list[Sums | None]:
    """Sum blocks of the curves of all rows by group; None for a group without an observation in the sample."""
    codes, weights = subgroups.codes[item.summed], context.row_weights
    members = [item.summed[codes == at] for at in range(len(subgroups.labels))]
    sums = [empty_sums(replace(item, summed=rows), weights, compiled=False) if len(rows) else None for rows in members]
    for rows, curves in blocks:
        change = missing_change(context, item, rows)
        for at, of_group in enumerate(sums):
            inside = subgroups.codes[rows] == at
            if of_group is not None and inside.any():
                moved = None if change is None else change[inside]
                add_block(of_group, curves[inside], item, (rows[inside], weights, moved))
    for of_group in sums:
        if of_group is not None:
            of_group.finish()
    return sums


USUAL_LEVEL: Final = 0.95
_RELATIVE_STEP: Final = 1e-4  # of the unit of distances, for a derivative
_MOST_ROWS: Final = 20_000  # They give a standard error to 0.5 %.
_FEWEST_ROWS: Final = 500  # They give it to 3 %.
_BLOCK: Final = 1 << 20  # influences of rows on all features that are worked on at a time


def check_level(ci: object) -> float:
    """Return the level of intervals as a float, or raise if it is none."""
    if not is_number(ci) or not 0 < ci < 1:  # type: ignore[operator]
        advice = f"Use `ci={USUAL_LEVEL}` for intervals of 95 %."
        raise OptionError.must("ci", "be greater than 0 and less than 1", ci, advice)
    return float(ci)  # type: ignore[arg-type]


def quantile_of_level(level: float) -> float:
    """Return how many standard errors a normal interval reaches to either side."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


class RowInfluences(NamedTuple):
    """How far rows move the metrics of a feature.

    - `figures`: the metrics by name.
    - `rows` (n_rows,): increasing positions.
    - `roots` (n_rows,): of the weight of each row and of the rows that it represents.
    - `by_row` (n_rows,) by metric: change of the metric per weight of the row.
    """

    figures: Mapping[str, float]
    rows: Rows
    roots: Array
    by_row: Mapping[str, Array]


def most_rows(context: Context, n_sets: int) -> int:
    """Return the most rows of which influences are kept: so many sets of them take a quarter of the memory limit."""
    n_bytes = 8 * len(METRICS) * n_sets
    return int(np.clip(context.settings.memory_limit // 4 // n_bytes, _FEWEST_ROWS, _MOST_ROWS))


def row_influences(
    context: Context, item: FeatureInput, sums: Sums | None, curves_of: Curves, *, decay: float, n_rows: int
) -> RowInfluences:
    """Return the influence of rows on every metric of a feature.

    - `item`, `sums`: whose `summed` rows are those of the metrics, and their sums; None where there is none.
    - `curves_of`: yields the curves of some rows in blocks, in their order.
    - `n_rows`: of more rows, so many represent all: of those with curves, and of the others.
    """
    if sums is None:
        nothing = dict.fromkeys(METRICS, np.empty(0))
        return RowInfluences(dict.fromkeys(METRICS, math.nan), np.empty(0, np.int64), np.empty(0), nothing)
    summed, of_summed = _represent(context, item.summed, n_rows)
    others, of_others = _represent(
        context, np.setdiff1d(context.weighted_rows, item.summed, assume_unique=True), n_rows
    )
    order = np.argsort(np.concatenate([summed, others]))
    rows, weights = np.concatenate([summed, others])[order], np.concatenate([of_summed, of_others])[order]
    figures = sums.metrics(decay)
    is_resampled = context.settings.grid != OF_REFERENCE  # else σ and shares are those of other rows
    blocks = (
        make_block(item, some, curves, weights[np.searchsorted(rows, some)], missing_change(context, item, some))
        for some, curves in curves_of(summed)
    )
    moved, moved_places = influences(sums, blocks, np.array([decay]), with_places=is_resampled)
    scale = _influence_on_scale(item, rows, weights) if is_resampled else np.zeros(len(rows))
    by_row = {name: figures[name] * scale if name in PER_SCALE else np.zeros(len(rows)) for name in METRICS}
    if is_resampled and not item.feature.is_unordered and item.row_scales is None and item.scale > 0:
        units = np.array([1.0 - _RELATIVE_STEP, 1.0 + _RELATIVE_STEP])  # σ is the unit of distances, too
        less, more = sums.decayed(np.clip(decay ** (1.0 / units), LOWEST_DECAY, 1.0)).T
        for name, slope in zip(DECAYED, (more - less) / (2.0 * _RELATIVE_STEP), strict=True):
            by_row[name] = by_row[name] + slope * scale
    for name, by_place in moved_places.items():
        figure = 0.0 if name == "in_distribution_impact" else figures[name]  # A ratio does not depend on the sum of q.
        by_row[name] = by_row[name] + _influence_by_place(item, sums, by_place.reshape(-1), figure, (rows, weights))
    at = np.searchsorted(rows, summed)
    for name in METRICS:
        by_row[name][at] += moved[name].reshape(-1) / sums.total_weight
    return RowInfluences(figures, rows, np.sqrt(weights), by_row)


def _represent(context: Context, rows: Rows, most: int) -> tuple[Rows, Array]:
    """Choose at most so many rows; return them with the weight that each represents."""
    weights = context.row_weights[rows]
    if len(rows) <= most:
        return rows, weights
    generator = feature_seed(context.settings.random_state, "rows of intervals")
    at = np.sort(generator.choice(len(rows), most, replace=False, shuffle=False))
    return rows[at], weights[at] * (weights.sum() / weights[at].sum())


def influence_on_prediction_sd(context: Context) -> tuple[float, Array]:
    """Return the standard deviation of the predictions, and its relative change by the weight of each row of X."""
    weights = context.row_weights
    squares = np.square(context.all_predictions - np.average(context.all_predictions, weights=weights))
    variance = context.prediction_sd**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return context.prediction_sd, (squares - variance) / (2.0 * variance * weights.sum())


def make_block(item: FeatureInput, rows: Rows, curves: Array, weights: Array, missing: Array | None) -> Block:
    """Return rows of a feature with their curves, and what their likelihood depends on."""
    units = item.measure_distances(rows) if item.feature.is_unordered else item.likelihood_scale[rows]
    return Block(curves, item.observed[rows], units, weights, missing)


def _influence_on_scale(item: FeatureInput, rows: Rows, weights: Array) -> Array:
    values, scale = item.feature.values[rows], np.zeros(len(rows))
    present = ~np.isnan(values)
    known, mass = values[present], weights[present]
    if item.scale > 0:
        total = mass.sum()
        if item.feature.is_unordered:
            codes = known.astype(np.intp)
            squares = -np.bincount(codes, mass)[codes] / total  # σ_c² = (1 - Σp²) / 2
        else:
            squares = np.square(known - mass @ known / total)
        scale[present] = (squares - mass @ squares / total) / (2.0 * item.scale**2 * total)
    return scale


def _influence_by_place(
    item: FeatureInput, sums: Sums, by_place: Array, figure: float, weighted: tuple[Rows, Array]
) -> Array:
    """Return the influence of where rows are on the axis, from the derivatives by the shares of grid values.

    - `weighted`: rows, and the weights that they represent.
    """
    rows, weights = weighted
    values, found = item.feature.values[rows], np.zeros(len(rows))
    present = ~np.isnan(values)
    total = weights[present].sum()
    if isinstance(sums, UnorderedSums):
        levels, shares = item.grid.values[sums.levels], item.shares[sums.levels] / total
        by_level = (by_place[sums.levels] - figure * sums.level_weights) / shares
        at = np.minimum(np.searchsorted(levels, values[present]), len(levels) - 1)
        found[present] = np.where(levels[at] == values[present], by_level[at], 0.0)
    else:
        below, above = nearest_places(sums.grid, values[present])
        found[present] = (by_place[below] + by_place[above]) / 2.0
    found[present] -= weights[present] @ found[present] / total
    return np.asarray(found / total)


class Uncertainty:
    """Standard errors of the metrics of all features in a unit, and of differences between features.

    - `parts`: influences on each feature.
    - `unit`: {"prediction", "sd", "share"}.
    - `sd`: standard deviation of the predictions [output], and its relative change by the weight of each row of X
      (n_observations,); used for "sd" alone.
    - `are_thinned` (n_features,): whether grid values are left out, whose effect on the metrics is unknown. Such
      features have no intervals; nor have shares of all features, and ranks among them.
    """

    def __init__(
        self, parts: Sequence[RowInfluences], unit: Unit, sd: tuple[float, Array] | None, are_thinned: Mask
    ) -> None:
        self._parts, self._unit, self._are_thinned = parts, unit, are_thinned
        self._sd, self._of_sd = (math.nan, np.empty(0)) if sd is None else sd
        self._rows = np.unique(np.concatenate([part.rows for part in parts]))

    def interval(self, name: str, level: float) -> tuple[Array, Array]:
        """Return both ends of the interval of a metric, (n_features,) each [unit]; only direction can be negative."""
        unit: Unit = self._unit if name in EFFECTS else "prediction"
        shown = in_unit(self._values(name), unit, self._sd, self._rounding)
        variances = np.zeros(len(shown))
        for block in self._blocks(name, unit):
            variances += np.einsum("pi,pi->p", block, block)
        width = quantile_of_level(level) * np.sqrt(variances)
        width[self._are_thinned | (unit == "share" and self._are_thinned.any())] = math.nan
        low, high = shown - width, shown + width
        low = low if name == "direction" else np.maximum(low, 0.0)
        return low, np.minimum(high, 1.0) if name == "support" else high

    def columns(self, ranked: str, level: float) -> dict[str, Any]:
        """Return the columns of a table: intervals of every metric, and of ranks by one of them."""
        import pandas as pd

        found: dict[str, Any] = {}
        for name in METRICS:
            found[f"{name}_low"], found[f"{name}_high"] = self.interval(name, level)
        low, high, tied = self.compare(ranked, level)
        is_ranked = ~np.isnan(low)
        ranks = np.array([low, high], np.int64 if is_ranked.all() else np.float64)
        is_tied = np.isin(np.arange(len(low)), [first for first, _ in tied])
        return {
            **found, "rank_low": ranks[0], "rank_high": ranks[1],
            "tied_with_next": pd.arrays.BooleanArray(is_tied, ~is_ranked),
        }  # fmt: skip

    def compare(self, name: str, level: float) -> tuple[Array, Array, list[tuple[int, int]]]:
        """Return both ends of the intervals of ranks, (n_features,) each, and which neighbours in rank are tied.

        A feature is above another one if the interval of their difference is above 0. The interval of its rank begins
        behind all that are above it, and ends before all that are below it. It is NaN without the metric, and where
        the grid of any feature lacks values. Neighbours
        are tied if neither is above the other one, unless both have no effect: rounding would decide which.
        """
        values, n_features = self._values(name), len(self._parts)
        covariance = np.zeros((n_features, n_features))
        for block in self._blocks(name, "prediction"):
            covariance += block @ block.T
        variances, quantile = np.diag(covariance), quantile_of_level(level)
        least = self._rounding if name in EFFECTS else 0.0
        low, high = np.full((2, n_features), math.nan)
        if self._are_thinned.any():
            return low, high, []
        known = np.flatnonzero(~np.isnan(values))
        order = known[np.argsort(-values[known], kind="stable")].tolist()
        tied = []
        for at, following in zip(order, [*order[1:], *[None][: len(order)]], strict=True):
            differences = values[known] - values[at]
            widths = variances[known] + variances[at] - 2.0 * covariance[known, at]
            widths = quantile * np.sqrt(np.maximum(widths, 0.0))
            low[at] = 1 + np.sum(differences > widths)
            high[at] = len(known) - np.sum(differences < -widths)
            if following is None:
                continue
            is_below = (differences < -widths)[np.searchsorted(known, following)]
            if not is_below and max(abs(values[at]), abs(values[following])) > least:
                tied.append((at, following))
        return low, high, tied

    def _values(self, name: str) -> Array:
        return np.array([part.figures[name] for part in self._parts])

    @cached_property
    def _rounding(self) -> float:
        return ROUNDING * float(np.nansum(np.abs(self._values("impact"))))

    def _blocks(self, name: str, unit: Unit) -> Iterator[Array]:
        """Yield influences of blocks of rows, times the roots of their weights, (n_features, n_rows) [unit]."""
        values = self._values(name)
        whole = float(np.nansum(np.abs(values))) if unit == "share" else self._sd
        is_defined = whole > (self._rounding if unit == "share" else 0.0)
        size = max(1, _BLOCK // len(self._parts))
        for start in range(0, len(self._rows), size):
            rows = self._rows[start : start + size]
            block = np.zeros((len(self._parts), len(rows)))
            for at, part in enumerate(self._parts):
                inside = slice(*np.searchsorted(part.rows, [rows[0], rows[-1] + 1]))
                moved = part.by_row[name][inside]
                if unit == "sd":
                    moved = moved - values[at] * self._of_sd[part.rows[inside]]
                places = slice(None) if len(moved) == len(rows) else np.searchsorted(rows, part.rows[inside])
                block[at, places] = moved * part.roots[inside]
            if unit == "share" and is_defined:  # The sum over all features moves, too.
                block -= np.outer(values / whole, np.nan_to_num(np.sign(values)) @ np.nan_to_num(block))
            if unit != "prediction":
                block *= 100.0 / whole if is_defined else 0.0
            yield block
