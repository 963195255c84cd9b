"""Bootstrap intervals of the metrics of an explanation, from one set of draws for all features."""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.engines.sums import missing_change
from ice_explorer.errors import InvalidOptionError
from ice_explorer.metrics.bootstrap import Block, CategoryDraws, OrderedDraws
from ice_explorer.metrics.row_draws import N_DRAWS, RowDraws, category_scales
from ice_explorer.metrics.unordered import CategorySums
from ice_explorer.results.units import EFFECTS, PER_STEP, ROUNDING, in_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Sums
    from ice_explorer.metrics.bootstrap import MetricDraws, Metrics
    from ice_explorer.metrics.ordered import Convention
    from ice_explorer.results.options import Unit

    Array = NDArray[np.float64]
    Curves = Callable[[NDArray[np.int64]], Iterable[tuple[NDArray[np.int64], Array]]]

METRICS = (*EFFECTS, "support", "largest_step_share")
"""What has an interval."""

USUAL_LEVEL: Final = 0.95


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
        self.rows = RowDraws(context.row_weights[context.weighing], context.settings.random_state, n_draws)

    def scales(self, item: FeatureInput) -> Array:
        """σ of a feature in each draw, (n_draws,) [feature]: that of `like` in all of them, where that is given."""
        if item.at_issue not in self._scales:
            self._scales[item.at_issue] = self._scales_of(item)
        return self._scales[item.at_issue]

    def _scales_of(self, item: FeatureInput) -> Array:
        if self._context.settings.like is not None:
            return np.full(self.rows.n_draws, item.scale)
        if item.feature.is_unordered:
            return category_scales(self._level_weights(item))
        return self.rows.standard_deviations(item.feature.values[self._context.weighing])

    def _level_weights(self, item: FeatureInput) -> Array:
        assert item.feature.levels is not None  # noqa: S101 - it has no order
        return self.rows.level_weights(item.feature.values[self._context.weighing], len(item.feature.levels))

    @cached_property
    def prediction_sd(self) -> Array:
        """Standard deviation of the predictions of the observations in each draw, (n_draws,) [output]."""
        return self.rows.standard_deviations(self._context.all_predictions[self._context.weighing])

    def draws(self, item: FeatureInput, sums: Sums, convention: Convention) -> list[MetricDraws]:
        """Return draws of the metrics of a feature, some draws in each.

        Parameters
        ----------
        item : FeatureInput
            Its `summed` rows are those of the metrics.
        sums : Sums
            Of these rows.
        convention
            As for `explain`.
        """
        scales = self.scales(item)
        if not isinstance(sums, CategorySums):
            return [OrderedDraws(sums, scales, convention, (item.own, item.likelihood_scale, item.summed))]
        grid = item.grid.values
        assert item.shares is not None  # noqa: S101 - it has no order
        shares = np.broadcast_to(item.shares, (len(scales), len(grid)))
        if self._context.settings.like is None:
            shares = self._level_weights(item)[:, grid.astype(np.intp)]
        nearest = float(self._far(item, item.summed).min())
        size = CategoryDraws.draws_at_a_time(len(grid))
        parts = [slice(start, start + size) for start in range(0, len(scales), size)]
        far = partial(self._far, item)
        return [CategoryDraws(sums, scales[part], shares[part], far, nearest) for part in parts]

    def metrics(self, item: FeatureInput, draws: Sequence[MetricDraws], curves_of: Curves, decay: float) -> Metrics:
        """Return every metric of a feature in each draw by name, (n_draws,) each.

        Parameters
        ----------
        item, draws
            As given to `draws`, and as it returned them.
        curves_of : callable
            Yields the curves of some rows in blocks, in their order.
        decay : float
        """
        if not draws:  # of no rows
            return dict.fromkeys(METRICS, np.full(self.rows.n_draws, math.nan))
        found, start = [], 0
        for some in draws:
            blocks = partial(self._blocks, item, curves_of, slice(start, start + some.n_draws))
            found.append(some.metrics(-math.log(decay), blocks))
            start += some.n_draws
        return {name: np.concatenate([metrics[name] for metrics in found]) for name in METRICS}

    @staticmethod
    def _far(item: FeatureInput, rows: NDArray[np.int64]) -> Array:
        """Exponents of the decay of all phantoms of some rows, (n_rows, n_grid)."""
        if item.distances is not None:
            return item.distances[rows]
        return np.asarray(item.own[rows, None] != item.grid.values, np.float64)

    def _blocks(self, item: FeatureInput, curves_of: Curves, draws: slice) -> Iterable[Block]:
        """Yield blocks of the rows of a feature, with their weights in some draws."""
        is_summed = np.zeros(len(item.own), np.bool_)
        is_summed[item.summed] = True
        for block, counts in self.rows:
            positions = self._context.weighing[block]
            wanted = np.flatnonzero(is_summed[positions])
            start = 0
            for rows, curves in curves_of(positions[wanted]) if len(wanted) else ():
                of_rows = counts[draws, wanted[start : start + len(rows)]]
                yield Block(rows, curves, of_rows, missing_change(self._context.brute, item, rows))
                start += len(rows)


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


def _ranks(values: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
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
    def are_tied(self) -> NDArray[np.bool_]:
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
