"""What a picture shows, as plain arrays: the numbers that every kind of figure shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from ice_explorer.features.axis_text import is_zero, nonnegative_format
from ice_explorer.glossary import explanation as explained
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.results.options import OF_MODELS, RANKINGS
from ice_explorer.scene.words import reach_text, weight_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.metrics.windows import Convention
    from ice_explorer.results.options import RankBy, Unit
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.interactions import InteractionsScene
    from ice_explorer.scene.lines import Lines
    from ice_explorer.scene.pair import Pair
    from ice_explorer.scene.view_state import ViewState

RANK_TITLES: Final[Mapping[str, str]] = {metric: explained(metric).name for metric in RANKINGS}
CONVENTION_TITLES: Final[Mapping[Convention, str]] = {each: explained(each).name for each in CONVENTIONS}
UNIT_TITLES: Final[Mapping[Unit, str]] = {"prediction": "", "sd": "% of SD", "share": "share"}
KIND_TITLES: Final[Mapping[str, str]] = {"ice": "ICE", "c-ice": "c-ICE", "d-ice": "d-ICE"}


@dataclass(frozen=True)
class Bar:
    """One feature of the ranking.

    - `value`: length of the bar, which the features are sorted by, in the unit of the view; NaN where it is undefined.
    - `tick`: impact without decay, in a ranking by in-distribution impact; None in any other.
    - `direction`: signed mean change per step; NaN where levels have no order.
    - `interval`: ends of the interval of the value; None where it has none.
    - `is_tied`: whether the feature is tied with the one ranked next.
    - `of_models`: the value by each of several models; empty with one, and in a ranking by their disagreement.
    - `step`: what follows the label: the step that bars are per, where some features have one of their own.
    """

    label: str
    value: float
    tick: float | None
    direction: float
    is_unordered: bool
    is_open: bool
    step: str = ""
    interval: tuple[float, float] | None = None
    is_tied: bool = False
    of_models: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """All features, largest first.

    `level` is that of the intervals, None where there are none; `models` are the names of several models whose bars are
    drawn.
    """

    rank_by: RankBy
    convention: Convention
    unit: Unit
    bars: tuple[Bar, ...]
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
        return ", ".join(filter(None, [RANK_TITLES[self.rank_by], UNIT_TITLES[self.unit]]))

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


@dataclass(frozen=True)
class Small:
    """A plot in small: of a feature, or of the open one for a class.

    `is_open` marks the open feature, or the class that is explained; `note` is next to the title.
    """

    title: str
    lines: Lines
    coloring: Coloring
    is_open: bool
    note: str = ""


@dataclass(frozen=True)
class Scene:
    """A whole view: the ranking, the open feature and its colours, and what stands around them.

    - `state`: with the name of the feature that is open.
    - `n_rows`: rows that the curves of the feature were computed for, of which some are drawn.
    - `average`: how the mean prediction changes along the open feature, in one sentence.
    - `sample`: of how many rows these are a sample, where the feature is not computed for all; else "".
    - `pair`: the heat map of the open feature and another one, in the place of the curves.
    - `compared`: the open feature and those that it is compared with, in its place.
    - `features`: all features, where they are shown in place of the open one; at most so many as are drawn.
    - `classes`: the open feature for every class, or the most probable ones of `n_classes`.
    - `interactions`: pairs and features by H², in the place of the ranking.
    """

    ranking: Ranking
    lines: Lines
    coloring: Coloring
    state: ViewState
    n_rows: int
    average: str
    sample: str = ""
    pair: Pair | None = None
    compared: tuple[Small, ...] = ()
    features: tuple[Small, ...] = ()
    classes: tuple[Small, ...] = ()
    n_classes: int = 0
    interactions: InteractionsScene | None = None

    @property
    def heading(self) -> str:
        """What the curves are of."""
        if self.features:
            return f"{KIND_TITLES[self.state.kind]} of all features"
        if self.pair is not None:
            return self.pair.heading
        if self.compared:
            names = [small.title for small in self.compared]
            return f"{KIND_TITLES[self.state.kind]} of {', '.join(names[:-1])} and {names[-1]}"
        return f"{KIND_TITLES[self.lines.kind]} of {self.lines.feature}"

    @property
    def rank(self) -> str:
        """Place of the open feature in the ranking; empty where its figure is undefined."""
        places = enumerate(self.ranking.bars, 1)
        return next(
            (
                f"Rank {rank:,} of {len(self.ranking.bars):,}."
                for rank, bar in places
                if bar.is_open and math.isfinite(bar.value)
            ),
            "",
        )

    @property
    def row_count(self) -> str:
        """How many of the rows are drawn."""
        return f"{self.lines.n_rows:,} of {self.n_rows:,} rows{self.sample and f' ({self.sample})'}"

    @property
    def description(self) -> str:
        """The view in a sentence, for who cannot see it."""
        by = ", ".join(filter(None, [self.ranking.title, self.ranking.counted]))
        ranked = f"{len(self.ranking.bars)} features ranked by {by}, {self._weight}"
        if self.ranking.interval_text:
            ranked += f", with {self.ranking.interval_text}"
        if self.features:
            return " ".join(filter(None, [f"{self.heading} in small; {ranked}.", self.ranking.ties]))
        if self.pair is not None:
            return " ".join(filter(None, [f"{self.pair.sentence} {ranked}.", self.ranking.ties]))
        names = ", ".join(small.title for small in self.compared[1:])
        besides = (f"; compared with {names}" if names else "") + ("; every class" if self.classes else "")
        return " ".join(filter(None, [f"{self._curves}{besides}; {ranked}.", self.ranking.ties]))

    @property
    def panel_description(self) -> str:
        """The same of the open feature alone."""
        if self.pair is not None:
            return self.pair.sentence
        return f"{self._curves}, {self._weight}."

    @property
    def _weight(self) -> str:
        decay, unordered = self.state.decay, self.lines.axis.is_unordered
        faded = (
            "; curves end where they are further from what the other features predict than 99 % of rows"
            if self.state.fades_unlike
            else ""
        )
        return f"{weight_text(decay)} ({reach_text(decay, self.lines.distance, unordered=unordered)}){faded}"

    @property
    def _curves(self) -> str:
        colored = "" if self.coloring.title is None else f", coloured by {self.coloring.title}"
        effects = "".join(f", {explained(effect.name).name}" for effect in self.lines.effects)
        return f"{self.row_count}: {self.lines.y_title} against {self.lines.x_title}{effects}{colored}"
