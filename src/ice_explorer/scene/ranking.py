"""The ranking of a view: a bar for each feature, and how its values are named and written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from ice_explorer.errors import OptionError
from ice_explorer.features.axis_text import is_zero, nonnegative_format
from ice_explorer.features.dates import choose_unit
from ice_explorer.features.feature import UNORDERED
from ice_explorer.glossary import explanation as explained
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.results.options import OF_MODELS, RANKINGS, resolve_decay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.results.options import RankBy, Unit
    from ice_explorer.scene.view_state import ViewState

_RANK_TITLES: Final[Mapping[str, str]] = {metric: explained(metric).name for metric in RANKINGS}
CONVENTION_TITLES: Final[Mapping[Convention, str]] = {each: explained(each).name for each in CONVENTIONS}
_UNIT_TITLES: Final[Mapping[Unit, str]] = {"prediction": "", "sd": "% of SD", "share": "share"}


@dataclass(frozen=True)
class Bar:
    """One feature of the ranking.

    - `value`: length of the bar, which the features are sorted by, in the unit of the view; NaN where it is undefined.
    - `tick`: impact without decay, in a ranking by in-distribution impact; None in any other.
    - `direction`: signed mean change per step; NaN where levels have no order.
    - `step`: what follows the label: the step that bars are per, where some features have one of their own.
    - `interval`: ends of the interval of the value; None where it has none.
    - `is_tied`: whether the feature is tied with the one ranked next.
    - `of_models`: the value by each of several models; empty with one, and in a ranking by their disagreement.
    """

    label: str
    value: float
    tick: float | None
    direction: float
    is_unordered: bool
    step: str = ""
    interval: tuple[float, float] | None = None
    is_tied: bool = False
    of_models: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """All features, largest first.

    `opened` is the label of the open feature, "" where none is; `level` is that of the intervals, None where there are
    none; `models` are the names of several models whose bars are drawn.
    """

    rank_by: RankBy
    convention: Convention
    unit: Unit
    bars: tuple[Bar, ...]
    opened: str = ""
    level: float | None = None
    models: tuple[str, ...] = ()

    @property
    def has_ticks(self) -> bool:
        """Whether bars are decayed, and ticks mark the impact without decay: not where each feature has several."""
        return self.rank_by == "in_distribution_impact" and not self.models

    @property
    def longest(self) -> float:
        """Largest value of any bar, tick or whisker; 0 where none is defined."""
        reaches = (
            reach
            for bar in self.bars
            for reach in (bar.value, bar.tick or 0.0, (bar.interval or (0.0,))[-1], *bar.of_models)
        )
        return max((reach for reach in reaches if math.isfinite(reach)), default=0.0)

    @property
    def title(self) -> str:
        """The metric, with its unit unless that is the unit of the prediction."""
        return ", ".join(filter(None, [_RANK_TITLES[self.rank_by], _UNIT_TITLES[self.unit]]))

    @property
    def heading(self) -> str:
        """The same with a capital."""
        return self.title[0].upper() + self.title[1:]

    @property
    def counted(self) -> str:
        """What the figures are averages of; empty for a metric that both conventions share."""
        return "" if self.rank_by in ("missing_impact", OF_MODELS) else f"counted {CONVENTION_TITLES[self.convention]}"

    @property
    def interval_text(self) -> str:
        """What whiskers are; empty where there are none."""
        return "" if self.level is None else f"{100 * self.level:g} % {explained('interval').name}"

    @property
    def ties(self) -> str:
        """Which neighbours are tied, in a sentence; empty where there are no intervals."""
        if self.level is None:
            return ""
        tied = [f"{bar.label} and {after.label}" for bar, after in pairwise(self.bars) if bar.is_tied]
        return f"Tied at {100 * self.level:g} %: {'; '.join(tied)}." if tied else ""

    @property
    def place(self) -> str:
        """Place of the open feature, in a sentence; empty where its figure is undefined."""
        for rank, bar in enumerate(self.bars, 1):
            if bar.label == self.opened and math.isfinite(bar.value):
                return f"Rank {rank:,} of {len(self.bars):,}."
        return ""

    @cached_property
    def write(self) -> Callable[[float], str]:
        """How the values are written."""
        write = nonnegative_format([bar.value for bar in self.bars])
        if self.unit == "prediction":
            return write
        return lambda value: f"{write(value)}\N{NO-BREAK SPACE}%" if math.isfinite(value) else write(value)

    def sign(self, bar: Bar) -> Literal["up", "down", "levels", "none"]:
        """What stands before a bar; a direction that would be written as nothing is none, and disagreement has none."""
        if self.rank_by == OF_MODELS:
            return "none"
        if bar.is_unordered:
            return "levels"
        figures = [abs(bar.direction), *([bar.value] if self.rank_by in ("impact", "in_distribution_impact") else [])]
        if not math.isfinite(bar.direction) or any(is_zero(self.write(figure)) for figure in figures):
            return "none"
        return "up" if bar.direction > 0 else "down"


def ranking_of(explanation: Explanation, state: ViewState, steps: Mapping[Any, object] | None = None) -> Ranking:
    """Sort the features and measure their bars, per steps of some features where these are given."""
    decay, metric = resolve_decay(explanation.settings, state.decay), state.rank_by
    unit: Unit | Mapping[Any, object] = state.unit if steps is None else steps
    table, models = explanation.table(decay, rank_by=None, unit=unit), state.besides.models
    of_models: dict[str, Mapping[Any, float]] = {}
    if metric == OF_MODELS:
        if models is None:
            raise OptionError.needs_models("rank_by='disagreement'", ", or `explain({name: model, …}, X)`")
        largest = dict(zip(explanation.features, models._largest(decay, state.unit), strict=True))
        table[OF_MODELS] = table.index.map(largest)
    elif models is not None:
        tables = {name: each.table(decay, rank_by=None, unit=unit) for name, each in models.explanations.items()}
        of_models = {name: each[metric].to_dict() for name, each in tables.items()}
    table = table.sort_values(metric, ascending=False, kind="stable")
    step_of = None if steps is None or metric == "missing_impact" else explanation._steps(steps)
    level = None if metric == OF_MODELS else state.ci
    ends: dict[str, tuple[float, float]] = {}
    tied = set()
    if level is not None:
        result, labels = explanation._rank_intervals(metric, level, decay, unit), explanation._labels
        limits = zip(labels, result.low.tolist(), result.high.tolist(), strict=True)
        ends = {label: (low, high) for label, low, high in limits if not math.isnan(low)}
        tied = {(labels[first], labels[second]) for first, second in result.tied}
    features = [explanation[name] for name in table.index]
    following = [*(feature.label for feature in features[1:]), ""]
    bars = tuple(
        Bar(
            label=feature.label,
            value=float(figures[metric]),
            tick=float(figures["impact"]) if metric == "in_distribution_impact" and not of_models else None,
            direction=float(figures["direction"]),
            is_unordered=feature.dtype_kind in UNORDERED,
            step="" if step_of is None else _step_text(feature, step_of),
            interval=ends.get(feature.label),
            is_tied=(feature.label, after) in tied,
            of_models=tuple(float(values[name]) for values in of_models.values()),
        )
        for (name, figures), feature, after in zip(table.iterrows(), features, following, strict=True)
    )
    convention = explanation.settings.convention
    return Ranking(metric, convention, state.unit, bars, state.feature, level, tuple(of_models))


def _step_text(feature: FeatureExplanation, steps: Mapping[Any, float]) -> str:
    """Write the step that effects of a feature are per, where some features have one of their own."""
    if feature.dtype_kind in UNORDERED:
        return ""
    step = steps.get(feature.feature)
    if step is None:
        return " (per SD)"
    if feature.dtype_kind not in ("datetime", "timedelta"):
        return f" (per {step:g})"
    unit = choose_unit([step])
    return f" (per {step * unit.per_day:g} {unit.short})"
