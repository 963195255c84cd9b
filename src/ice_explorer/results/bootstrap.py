"""Bootstrap intervals of the metrics of an explanation, from one set of draws for all features."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.engines.sums import missing_change
from ice_explorer.errors import InvalidOptionError
from ice_explorer.metrics.decay import LOWEST_DECAY
from ice_explorer.metrics.influence import DECAYED, PER_SCALE, Block, influences
from ice_explorer.metrics.row_draws import N_DRAWS, RowDraws, category_scales
from ice_explorer.metrics.unordered import UnorderedSums
from ice_explorer.metrics.windows import nearest_places
from ice_explorer.results.options import OF_REFERENCE
from ice_explorer.results.units import EFFECTS, PER_STEP, ROUNDING, in_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Sums
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.results.options import Unit

    Metrics = dict[str, Array]
    Curves = Callable[[Rows], Iterable[tuple[Rows, Array]]]

METRICS = (*EFFECTS, "support")
"""What has an interval."""

USUAL_LEVEL: Final = 0.95
_RELATIVE_STEP: Final = 1e-4  # of the unit of distances, for a derivative


class RankIntervals(NamedTuple):
    """Intervals of a ranking.

    - `low`, `high`: ends of the interval of the metric of the ranking, (n_features,), NaN where it has none.
    - `rank_low`, `rank_high`: of the ranks, likewise.
    - `tied`: pairs of neighbours in rank that are tied, by position.
    """

    low: Array
    high: Array
    rank_low: Array
    rank_high: Array
    tied: list[tuple[int, int]]


def check_level(ci: object, option: str = "ci") -> float:
    """Return the level of intervals as a float, or raise if it is none."""
    is_number = isinstance(ci, (int, float, np.integer, np.floating)) and not isinstance(ci, bool)
    if not is_number or not 0 < ci < 1:  # type: ignore[operator]
        raise InvalidOptionError.must(
            option, "be greater than 0 and less than 1", ci, f"Use `{option}={USUAL_LEVEL}` for intervals of 95 %."
        )
    return float(ci)  # type: ignore[arg-type]


class Bootstrap:
    """Draws of the rows of an explanation, the same for all features."""

    def __init__(self, context: Context, n_draws: int = N_DRAWS) -> None:
        self._context = context
        self._scales: dict[int, Array] = {}
        self.rows = RowDraws(context.row_weights[context.weighted_rows], context.settings.random_state, n_draws)

    def scales(self, item: FeatureInput) -> Array:
        """σ of a feature in each draw, (n_draws,) [feature]; in all of them that of the reference, if there is one."""
        if item.feature_number not in self._scales:
            self._scales[item.feature_number] = self._scales_of(item)
        return self._scales[item.feature_number]

    def _scales_of(self, item: FeatureInput) -> Array:
        values = item.feature.values[self._context.weighted_rows]
        if self._context.settings.grid == OF_REFERENCE:
            return np.full(self.rows.n_draws, item.scale)
        if not item.feature.is_unordered:
            return self.rows.standard_deviations(values)
        assert item.feature.levels is not None  # noqa: S101 - it has no order
        return category_scales(self.rows.level_weights(values, len(item.feature.levels)))

    @cached_property
    def prediction_sd(self) -> Array:
        """Standard deviation of the predictions of the observations in each draw, (n_draws,) [output]."""
        return self.rows.standard_deviations(self._context.all_predictions[self._context.weighted_rows])

    def metrics(
        self, item: FeatureInput, sums: Sums | None, curves_of: Curves, decay: float, convention: Convention
    ) -> Metrics:
        """Return every metric of a feature in each draw by name, (n_draws,) each, to first order in the counts of rows.

        Parameters
        ----------
        item : FeatureInput
            Its `summed` rows are those of the metrics.
        sums : Sums or None
            Of these rows; None where there is none.
        curves_of : callable
            Yields the curves of some rows in blocks, in their order.
        decay, convention
            As for `explain`.
        """
        if sums is None:
            return dict.fromkeys(METRICS, np.full(self.rows.n_draws, math.nan))
        figures = vars(sums.metrics(decay, convention))
        is_resampled = self._context.settings.grid != OF_REFERENCE
        found = influences(sums, self._blocks(item, curves_of), np.array([decay]), convention, with_places=is_resampled)
        weighing, total = self._context.weighted_rows, sums.total_weight
        is_summed = np.isin(weighing, item.summed)
        of_places = {} if not is_resampled else self._of_places(item, sums, found.of_places, figures)
        of_scale = self._of_scale(item, sums, decay, convention) if is_resampled else {}
        draws = {name: np.full(self.rows.n_draws, figures[name]) for name in METRICS}
        weights = self._context.row_weights[weighing]
        by_row = {}
        for name in METRICS:
            by_row[name] = of_places.get(name, np.zeros(len(weighing))) + of_scale.get(name, np.zeros(len(weighing)))
            by_row[name][is_summed] += found.of_rows[name].reshape(-1) / total
        for rows, counts in self.rows:
            extra = counts - weights[rows]
            for name in METRICS:
                draws[name] += extra @ by_row[name][rows]
        if item.scale > 0:
            ratio = self.scales(item) / item.scale
            draws |= {name: draws[name] * ratio for name in PER_SCALE}
        return draws

    def _of_places(
        self, item: FeatureInput, sums: Sums, of_places: Mapping[str, Array], figures: Mapping[str, float]
    ) -> dict[str, Array]:
        """Influences of where the rows are on the axis, divided by their weight, (n_weighing,)."""
        values = item.feature.values[self._context.weighted_rows]
        weights = self._context.row_weights[self._context.weighted_rows]
        present = ~np.isnan(values)
        mass = weights[present].sum()
        found = {}
        for name, by_place in of_places.items():
            flat, of_rows = by_place.reshape(-1), np.zeros(len(values))
            if isinstance(sums, UnorderedSums):
                levels, shares = item.grid.values[sums.levels], item.shares[sums.levels] / mass
                flat = flat[sums.levels]
                if name != "in_distribution_impact":  # which is a ratio
                    flat = flat - figures[name] * sums.level_weights
                at = np.minimum(np.searchsorted(levels, values[present]), len(levels) - 1)
                of_rows[present] = np.where(levels[at] == values[present], (flat / shares)[at], 0.0)
            else:
                below, above = nearest_places(sums.grid, values[present])
                of_rows[present] = (flat[below] + flat[above]) / 2.0
            of_rows[present] -= weights[present] @ of_rows[present] / mass
            found[name] = of_rows / mass
        return found

    def _of_scale(self, item: FeatureInput, sums: Sums, decay: float, convention: Convention) -> dict[str, Array]:
        """Influences of σ as the unit of marginal distances, (n_weighing,)."""
        if item.feature.is_unordered or not item.has_marginal_scale or not item.scale > 0:
            return {}
        values = item.feature.values[self._context.weighted_rows]
        weights = self._context.row_weights[self._context.weighted_rows]
        present = ~np.isnan(values)
        known, mass = values[present], weights[present].sum()
        relative = np.zeros(len(values))  # of σ
        apart = np.square(known - weights[present] @ known / mass)
        relative[present] = (apart - item.scale**2) / (2.0 * item.scale**2 * mass)
        units = np.array([1.0 - _RELATIVE_STEP, 1.0 + _RELATIVE_STEP])
        of_units = sums.decayed(np.clip(decay ** (1.0 / units), LOWEST_DECAY, 1.0), convention)
        return {
            name: relative * float(of_unit[1] - of_unit[0]) / (2.0 * _RELATIVE_STEP)
            for name, of_unit in zip(DECAYED, of_units, strict=True)
        }

    def _blocks(self, item: FeatureInput, curves_of: Curves) -> Iterable[Block]:
        """Yield the curves of the rows of a feature, and what their likelihood depends on."""
        for rows, curves in curves_of(item.summed):
            units = item.likelihood_scale[rows]
            if item.feature.is_unordered:
                units = (item.observed[rows, None] != item.grid.values).astype(np.float64)
                units = units if item.distances is None else item.distances[rows]
            change = missing_change(self._context.brute, item, rows)
            yield Block(curves, item.observed[rows], units, self._context.row_weights[rows], change)


def in_units(
    draws: Sequence[Metrics],
    unit: Unit,
    steps: Sequence[float | None],
    bootstrap: Bootstrap,
    scales: Callable[[int], Array],
) -> dict[str, Array]:
    """Write the metrics of all features in a unit, draw by draw: (n_draws, n_features) by name.

    Parameters
    ----------
    draws : sequence of mapping
        Metrics of each feature.
    unit : {"prediction", "sd", "share"}
    steps : sequence
        Step that the effects of each feature are per; None for σ [axis].
    bootstrap : Bootstrap
    scales : callable
        σ of the feature at a position in each draw.
    """
    found = {name: np.column_stack([metrics[name] for metrics in draws]) for name in METRICS}
    for at, step in enumerate(steps):
        if step is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = step / scales(at)
                for name in PER_STEP:
                    found[name][:, at] *= ratio
    if unit != "prediction":
        whole = bootstrap.prediction_sd if unit == "sd" else np.full(bootstrap.rows.n_draws, math.nan)
        rounding = ROUNDING * np.nansum(np.abs(found["impact"]), axis=1)
        for name in EFFECTS:
            rows = zip(found[name], whole.tolist(), rounding.tolist(), strict=True)
            found[name] = np.array([in_unit(values, unit, sd, least) for values, sd, least in rows])
    return found


def intervals(draws: Mapping[str, Array], ranked: Array, level: float) -> dict[str, Array]:
    """Return the ends of intervals by column, (n_features,) each: of every metric, and of ranks.

    Parameters
    ----------
    draws : mapping of str to ndarray of shape (n_draws, n_features)
    ranked : ndarray of shape (n_draws, n_features)
        The metric of the ranks, of which the largest is the first.
    level : float
    """
    ends = interval_ends(level)
    found = {}
    for name, values in draws.items():
        found[f"{name}_low"], found[f"{name}_high"] = interval(values, level)
    best, worst = _ranks(ranked)
    low = np.quantile(best, ends[0], axis=0, method="lower")
    high = np.quantile(worst, ends[1], axis=0, method="higher")
    has_rank = ~np.isnan(ranked).all(axis=0)
    if has_rank.all():
        return {**found, "rank_low": low, "rank_high": high}
    return {
        **found, "rank_low": np.where(has_rank, low, math.nan), "rank_high": np.where(has_rank, high, math.nan)
    }  # fmt: skip


def interval_ends(level: float) -> tuple[float, float]:
    """Return the shares of the draws below both ends of a percentile interval."""
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def interval(values: Array, level: float) -> tuple[Array, Array]:
    """Return the ends of the percentile interval of each column of (n_draws, n), (n,) each.

    Draws that are NaN do not count; NaN where all are.
    """
    low, high = np.full((2, values.shape[1]), math.nan)
    defined = ~np.isnan(values).all(axis=0)
    if defined.any():
        low[defined], high[defined] = np.nanquantile(values[:, defined], interval_ends(level), axis=0)
    return low, high


def _ranks(values: Array) -> tuple[Places, Places]:
    """Best and worst rank of each feature in each draw, 1 the first: they differ where features are equal."""
    ordered = np.where(np.isnan(values), -math.inf, values)
    best, worst = np.empty((2, *values.shape), np.intp)
    for at, of_draw in enumerate(ordered):
        increasing = np.sort(of_draw)
        best[at] = 1 + len(of_draw) - np.searchsorted(increasing, of_draw, side="right")
        worst[at] = len(of_draw) - np.searchsorted(increasing, of_draw, side="left")
    return best, worst


class Neighbours(NamedTuple):
    """Features by position with those ranked next, and the ends of the interval of their difference."""

    first: list[int]
    second: list[int]
    low: Array
    high: Array

    @property
    def are_tied(self) -> Mask:
        """Whether the interval of their difference includes 0."""
        return np.asarray((self.low <= 0) & (self.high >= 0))

    @property
    def tied(self) -> list[tuple[int, int]]:
        """Those that are tied."""
        pairs = zip(self.first, self.second, self.are_tied.tolist(), strict=True)
        return [(first, second) for first, second, is_tied in pairs if is_tied]


def neighbours(values: Sequence[float], draws: Sequence[Array], level: float) -> Neighbours:
    """Compare each feature with the one ranked next, draw by draw.

    Parameters
    ----------
    values : sequence of float
        The metric of the ranking; NaN where a feature has none, which is left out.
    draws : sequence of ndarray of shape (n_draws,)
        The metric in each bootstrap draw.
    level : float
        Of the intervals of differences.
    """
    order = [at for at in np.argsort(-np.array(values), kind="stable").tolist() if not np.isnan(values[at])]
    first, second = order[:-1], order[1:]
    differences = np.column_stack(
        [np.empty((len(draws[0]), 0)), *(draws[a] - draws[b] for a, b in zip(first, second, strict=True))]
    )
    return Neighbours(first, second, *interval(differences, level))
