"""Build the scene of a view: ranking, open feature and colours, and what stands around them; and its sentences.

The twin of the sentence is `js/src/panels/feature/sentence.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ice_explorer.drivers.candidates import second_features
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import column_format, is_zero, nonnegative_format, number_text
from ice_explorer.features.feature import UNORDERED
from ice_explorer.glossary import explanation as explained
from ice_explorer.results.options import OF_MODELS, resolve_decay
from ice_explorer.scene.coloring import Coloring, split_of
from ice_explorer.scene.display_axis import axis_of, place_writer
from ice_explorer.scene.lines import ale_line, join_lines, leaving_text, lines_of, slope_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.comparison import ModelComparison
    from ice_explorer.drivers.drivers import Driver, Drivers
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.ordered import Convention
    from ice_explorer.results.options import RankBy
    from ice_explorer.scene.choices import ViewState
    from ice_explorer.scene.display_axis import DisplayAxis
    from ice_explorer.scene.lines import Lines
    from ice_explorer.tables.column import Column

    Span = tuple[float, float]

KIND_TITLES: Final[Mapping[str, str]] = {"ice": "ICE", "c-ice": "c-ICE", "d-ice": "d-ICE"}
_MOST_FEATURES: Final = 30  # in small
_LINES_IN_SMALL: Final = 200  # of `js/src/state/curves.ts`, as is the number of selected rows
_SELECTED_IN_SMALL: Final = 20
_NO_TARGET: Final = ("log_odds", "decision_function")
_LEAST_TURN: Final = 0.1  # of the range of the mean: a turn that reaches this far beyond both ends is named
_ROUNDING: Final = 1e-6  # of the means: they are float32 in the browser
_DRAWN_ROWS: Final = 1000  # whose curves tell how far rows differ
_LEAST_DIFFERENCE: Final = 0.2  # of the largest change: groups that differ by less have one effect
_FLAT: Final = 0.1  # of the largest change in a group
_LEAST_EXPLAINED: Final = 0.2  # of the variance between curves, by the split that the sentence names
_LEAST_EXPLAINED_OF_ALL: Final = 0.05  # the same of their whole variance: the others are nearly parallel
_RARE: Final = 0.01  # of the rows of a group have values below those that it is compared at, and as many above
_LEAST_OUTSIDE: Final = 0.05  # of all rows: if fewer have values that are rare in a group, all values are compared

Parts: TypeAlias = "tuple[tuple[str, int | None], ...]"
"""Texts of a sentence, each with the number of the group that it is about; None where it is about none."""


# --- what a view shows ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """One feature of the ranking.

    - `value`: length of the bar, which the features are sorted by; NaN where it is undefined.
    - `tick`: impact without decay, in a ranking by in-distribution impact; None in any other.
    - `direction`: signed mean change per step; NaN where levels have no order.
    - `interval`: ends of the interval of the value; None where it has none.
    - `of_models`: the value by each of several models; empty with one, and in a ranking by their disagreement.
    """

    label: str
    value: float
    tick: float | None
    direction: float
    is_unordered: bool
    interval: tuple[float, float] | None = None
    of_models: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """All features, largest first.

    `opened` is the label of the open feature, "" where none is; `level` is that of the intervals, None where there are
    none; `models` are the names of several models whose bars are drawn; `output` is what is predicted.
    """

    rank_by: RankBy
    convention: Convention
    bars: tuple[Bar, ...]
    opened: str = ""
    level: float | None = None
    models: tuple[str, ...] = ()
    output: str = "prediction"

    @property
    def has_ticks(self) -> bool:
        """Whether bars are decayed, and ticks mark the impact without decay: not where each feature has several."""
        return self.rank_by == "in_distribution_impact" and not self.models

    @property
    def longest(self) -> float:
        """Largest value of any bar, tick or whisker; 0 where none is defined."""
        reaches = [(bar.value, bar.tick or 0.0, *(bar.interval or ()), *bar.of_models) for bar in self.bars]
        return max(filter(math.isfinite, chain(*reaches)), default=0.0)

    @property
    def title(self) -> str:
        """The metric."""
        return explained(self.rank_by).name

    @property
    def heading(self) -> str:
        """The same with a capital."""
        return self.title[0].upper() + self.title[1:]

    @property
    def caption(self) -> str:
        """What the bars are, worded as in the browser."""
        change = f"change of the {self.output}"
        if self.rank_by in ("missing_impact", OF_MODELS):
            return change
        paper = f", {explained('paper').name}" if self.convention == "paper" else ""
        return f"{change} per SD of the feature{paper}"

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
        return nonnegative_format([bar.value for bar in self.bars])

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


class Small(NamedTuple):
    """A plot in small: of a feature, or of the open one for a class.

    `is_open` marks the open feature, or the class that is explained; `note` is next to the title.
    """

    title: str
    lines: Lines
    is_open: bool
    note: str = ""


@dataclass(frozen=True)
class Scene:
    """A whole view: the ranking, the open feature, and what stands around them.

    - `state`: with the name of the feature that is open.
    - `n_rows`: rows that the curves of the feature were computed for, of which some are drawn.
    - `average`: how the mean prediction changes along the open feature, in one sentence.
    - `pair`: the heat map of the open feature and another one, in the place of the curves.
    - `features`: all features, where they are shown in place of the open one; at most so many as are drawn.
    - `classes`: the open feature for every class, or the most probable ones of `n_classes`.
    """

    ranking: Ranking
    lines: Lines
    state: ViewState
    n_rows: int
    average: str
    pair: TwoWay | None = None
    features: tuple[Small, ...] = ()
    classes: tuple[Small, ...] = ()
    n_classes: int = 0

    @property
    def heading(self) -> str:
        """What the curves are of."""
        kind = KIND_TITLES[self.state.kind]
        if self.features:
            return f"{kind} of all features"
        if self.pair is not None:
            return f"{self.pair.first.label} × {self.pair.second.label}"
        return f"{KIND_TITLES[self.lines.kind]} of {self.lines.feature}"

    @property
    def pair_text(self) -> str:
        """What the heat map is of, in a sentence; empty where there is none."""
        if self.pair is None:
            return ""
        names = f"{self.pair.first.label} and {self.pair.second.label}"
        return f"Mean {self.pair.output_label} with {names} replaced, over {pair_rows(self.pair)}."


def pair_rows(pair: TwoWay) -> str:
    """Return how many rows a heat map is of, in words."""
    n = pair.n_observations
    return counted(n, "row") if len(pair.rows) == n else pair.row_count


def ranking_of(explanation: Explanation, state: ViewState) -> Ranking:
    """Sort the features and measure their bars."""
    decay, metric = resolve_decay(explanation.settings, state.decay), state.rank_by
    table, models = explanation.table(decay, rank_by=None), state.besides.models
    of_models: dict[str, Mapping[Any, float]] = {}
    if metric == OF_MODELS:
        if models is None:
            raise OptionError.needs_models("rank_by='disagreement'", ", or `explain({name: model, …}, X)`")
        largest = dict(zip(explanation.features, models._largest(decay)[0], strict=True))
        table[OF_MODELS] = table.index.map(largest)
    elif models is not None:
        tables = {name: each.table(decay, rank_by=None) for name, each in models.explanations.items()}
        of_models = {name: each[metric].to_dict() for name, each in tables.items()}
    table = table.sort_values(metric, ascending=False, kind="stable")
    level = None if metric == OF_MODELS else state.ci
    ends: dict[str, tuple[float, float]] = {}
    if level is not None:
        (lows, highs), *_ = explanation._rank_intervals(metric, level, decay)
        limits = zip(explanation._labels, lows.tolist(), highs.tolist(), strict=True)
        ends = {label: (low, high) for label, low, high in limits if not math.isnan(low)}
    features = [explanation[name] for name in table.index]
    bars = tuple(
        Bar(
            label=feature.label,
            value=float(figures[metric]),
            tick=float(figures["impact"]) if metric == "in_distribution_impact" and not of_models else None,
            direction=float(figures["direction"]),
            is_unordered=feature.dtype_kind in UNORDERED,
            interval=ends.get(feature.label),
            of_models=tuple(float(values[name]) for values in of_models.values()),
        )
        for (name, figures), feature in zip(table.iterrows(), features, strict=True)
    )
    convention, output = explanation.settings.convention, explanation.output_label
    return Ranking(metric, convention, bars, state.feature, level, tuple(of_models), output)


def scene(explanation: Explanation, state: ViewState) -> Scene:
    """Gather what a view shows; its state then names the open feature."""
    return _opened(explanation, ranking_of(explanation, state), state)


def scenes(explanation: Explanation, state: ViewState) -> list[Scene]:
    """Gather what a view shows with each feature open, in the order of the bars."""
    ranking = ranking_of(explanation, state)  # which takes as long as all the rest where features are many
    return [_opened(explanation, ranking, replace(state, feature=bar.label)) for bar in ranking.bars]


def _opened(explanation: Explanation, ranking: Ranking, state: ViewState) -> Scene:
    opened = explanation[state.feature if state.feature != "" else ranking.bars[0].label]
    state, models = replace(state, feature=opened.label), state.besides.models
    lines = shown_lines(explanation, opened, state)
    if lines.group_means is None and state.choice("ale"):  # else those of one model would be among the curves of all
        lines = replace(lines, ale=ale_line(opened, lines))
    if lines.ale is not None and lines.y_span is not None:
        heights = np.concatenate([lines.y_span, lines.ale[1]])
        lines = replace(lines, y_span=(float(np.nanmin(heights)), float(np.nanmax(heights))))
    if state.fades_unlike:
        lines = replace(lines, unlike=opened._unlike_shares().grid_shares)
    # As on screen, where the search is made in the background.
    drivers, figures = opened._known_drivers, opened.metrics()
    average = "" if drivers is None else "".join(text for text, _ in effects_sentence(opened, drivers))
    average = average or average_text(opened, lines.axis, explanation.output_label)
    if figures["missing_impact"] > figures["impact"]:  # a missing value does more than a step does; neither is NaN
        changes = number_text(figures["missing_impact"])
        average += f" If {opened.label} is missing, the prediction changes by {changes} on average, up or down."
    return Scene(
        ranking=replace(ranking, opened=opened.label),
        lines=lines,
        state=state,
        n_rows=len(opened.rows),
        average=("" if models is None else f"{models._opened}: ") + average,
    )


def shown_lines(explanation: Explanation, opened: FeatureExplanation, state: ViewState) -> Lines:
    """Draw a feature as a reader chose to see it; without the lines that were switched off."""
    models = state.besides.models
    if models is not None and state.color_by is None and state.choice("models"):  # their curves share the axes
        return _filtered(_lines_of_models(explanation, opened, models, state), state.choices)
    split = split_of(state.choice("coloring"), state.color_by, opened)
    lines = lines_of(explanation, opened, state, split=split, fades_unlike=state.fades_unlike)
    return _filtered(_as_chosen(explanation, lines, state), state.choices)


def _lines_of_models(
    explanation: Explanation, opened: FeatureExplanation, models: ModelComparison, state: ViewState
) -> Lines:
    """Draw the open feature by every model on the same axes, one colour each, with their means."""
    rows = opened._draw(state.max_lines, [*state.selection, *models._outlying(opened.feature)])
    drawn = [lines_of(each, each[state.feature], state, rows) for each in models.explanations.values()]
    parts = [_as_chosen(explanation, lines, state) for lines in drawn]
    values = np.repeat(np.arange(len(parts), dtype=np.float32), len(rows))
    coloring = Coloring("model", values, levels=tuple(models.explanations))
    lines = replace(
        join_lines(parts, coloring),
        is_cut=any(part.is_cut for part in parts),
        remark=next((part.remark for part in parts if part.remark is not None), None),
        group_means=np.stack([part.mean for part in parts]),
    )
    return _stretched(lines, [part.y_span for part in parts])


def _as_chosen(explanation: Explanation, lines: Lines, state: ViewState) -> Lines:
    """Draw the lines and their axis as a reader chose to see them."""
    n_lines, target = len(lines.positions), state.besides.target
    is_on_scale = lines.kind == "ice" and explanation.settings.response not in _NO_TARGET
    if target is not None and state.choice("target") and is_on_scale:
        name = state.besides.target_name
        text = f"observed {name}" if name else explained("target").name
        lines = replace(lines, target=target[lines.positions], target_text=text)
    if lines.kind == "d-ice" and not lines.is_empty:
        span = slope_range(lines.x, lines.values, lines.extent)
        remark = leaving_text(span, lines.extent, n_lines)
        lines = replace(lines, y_span=(span.low, span.high), is_cut=span.is_cut, remark=remark)
    return lines


def _shared_span(explanation: Explanation, state: ViewState) -> Span | None:
    """Return what the value axes of all features share: their predictions, or the largest change of any.

    None where they share none, as slopes do, which are per unit of each feature.
    """
    kind = state.kind
    if not state.choice("shared_y") or kind == "d-ice":
        return None
    low, high = zip(*(feature._prediction_range for feature in explanation.values()), strict=True)
    if kind == "ice":
        return min(low), max(high)
    widest = max(last - first for first, last in zip(low, high, strict=True))
    return -widest, widest


def _stretched(lines: Lines, spans: Iterable[Span | None]) -> Lines:
    """Return lines whose value axis covers these spans, and what it covers already."""
    given = [span for span in (lines.y_span, *spans) if span is not None]
    return replace(lines, y_span=(min(map(min, given)), max(map(max, given)))) if given else lines


def _filtered(lines: Lines, choices: Mapping[str, Any]) -> Lines:
    """Leave out the lines that the legend has switched off; mean and axes stay those of all."""
    coloring = lines.coloring
    rule = choices.get("filters", {}).get(coloring.title)
    if rule is None or coloring.domain is not None:
        return lines
    hidden, levels = rule["hidden"], coloring.values  # None stands for missing values
    is_hidden = np.isin(levels, [level for level, name in enumerate(coloring.levels) if name in hidden])
    keeps = ~is_hidden & ~(np.isnan(levels) & (None in hidden))
    return replace(lines.take(keeps), y_span=lines.y_span or lines.extent)


# --- around the open feature: all features, and every class -----------------------------------------


def with_pair(explanation: Explanation, scene: Scene) -> Scene:
    """Add to the view of a feature the heat map that takes the place of its curves, if any."""
    names, joint = scene.state.choice("pair"), scene.state.besides.joint
    return replace(scene, pair=joint.pair(explanation, *names)) if scene.state.feature in names else scene


def with_surroundings(explanation: Explanation, scene: Scene) -> Scene:
    """Add to the view of a feature what a reader chose to see around it."""
    state, scene = scene.state, with_pair(explanation, scene)
    opened, shared = explanation[state.feature], _shared_span(explanation, state)
    split = split_of(state.choice("coloring"), state.color_by, opened)

    def small(feature: FeatureExplanation, rows: Rows, note: str = "") -> Small:
        lines = lines_of(explanation, feature, state, rows, split=split)
        drawn = _filtered(replace(lines, y_span=lines.extent), state.choices)
        return Small(feature.label, drawn, feature.label == opened.label, note)

    def stretched(smalls: Iterable[Small], spans: Iterable[Span | None]) -> tuple[Small, ...]:
        return tuple(each._replace(lines=_stretched(each.lines, spans)) for each in smalls)

    if state.choice("right") == "all":
        few, most = state.selection[:_SELECTED_IN_SMALL], min(state.max_lines, _LINES_IN_SMALL)
        pinned: list[Small] = []
        others: list[Small] = []
        for rank, bar in enumerate(scene.ranking.bars[:_MOST_FEATURES], 1):
            feature = explanation[bar.label]
            plot = small(feature, feature._draw(most, few), f"{rank} · {scene.ranking.write(bar.value)}")
            (pinned if bar.label in state.choice("compared") else others).append(plot)
        # Slopes are per unit of each feature, so they share no axis.
        spans = [] if state.kind == "d-ice" else [each.lines.y_span for each in pinned]
        return replace(scene, features=stretched(pinned, [shared, *spans]) + stretched(others, [shared]))
    if scene.pair is not None:  # in the place of the curves, and of what is beside them
        return scene
    return _with_classes(explanation, opened, scene) if state.choice("classes") else scene


def _with_classes(explanation: Explanation, opened: FeatureExplanation, scene: Scene) -> Scene:
    """Add the open feature for every class of the model, on one value axis, where the model is at hand."""
    classes = scene.state.besides.classes
    if classes is None:
        return scene
    positions = opened._draw(scene.state.max_lines)
    lines = lines_of(explanation, opened, replace(scene.state, kind="ice", decay=1.0, color_by=None), positions)
    result = classes.lines(opened.feature, positions)
    span = float(result.curves.min()), float(result.curves.max())
    unplaced = np.full(len(positions), np.nan)  # observed values are marked above
    lines = replace(lines, own_y=unplaced, missing=None, y_span=span)
    smalls = []
    for at, (output, drawn) in enumerate(zip(result.outputs, result.curves, strict=True)):
        curves = np.broadcast_to(drawn, lines.values.shape)
        of_class = replace(lines, values=curves, mean=curves.mean(axis=0))
        smalls.append(Small(output, of_class, at == result.explained))
    return replace(scene, classes=tuple(smalls), n_classes=result.n_outputs)


# --- sentences ------------------------------------------------------------------------------------


def average_text(feature: FeatureExplanation, axis: DisplayAxis, output: str) -> str:
    """Return how the mean prediction changes along a feature, and whether curves go up and down many times."""
    middle = sum(feature._prediction_range) / 2
    sentence = average_sentence(feature.label, axis, feature.partial_dependence, output, middle)
    return f"{sentence}{feature._noise_sentence}"


def average_sentence(feature: str, axis: DisplayAxis, mean: Array, output: str, middle: float) -> str:
    """Return how the mean prediction changes along a feature, in one sentence.

    `mean` is the partial dependence at each grid value, `middle` that of the range of the predictions of the feature.
    """
    first, last, low, high = (float(mean[0]), float(mean[-1]), float(mean.min()), float(mean.max()))
    write, place = column_format([high - low]), place_writer(axis)
    start, end, at_low, at_high = (place(float(axis.grid[at])) for at in (0, -1, mean.argmin(), mean.argmax()))
    lead = f"On average the {output}"
    if len(mean) == 1:
        return f"{lead} is {number_text(first)}; {feature} has one value, {start}."
    is_rounding = high - low <= _ROUNDING * max(abs(low - middle), abs(high - middle))
    if is_rounding or write(low) == write(high):
        return f"{lead} is {number_text(low)} whatever the value of {feature}."
    if axis.is_unordered and len(mean) > 2:
        return f"{lead} is lowest for {feature} = {at_low}, {write(low)}, and highest for {at_high}, {write(high)}."
    if len(mean) == 2:
        return f"{lead} is {write(first)} for {feature} = {start} and {write(last)} for {end}."
    turn = _LEAST_TURN * (high - low)
    turns = [
        *([f"a minimum of {write(low)} at {at_low}"] if low < min(first, last) - turn else []),
        *([f"a maximum of {write(high)} at {at_high}"] if high > max(first, last) + turn else []),
    ]
    if write(first) == write(last):
        goes = f"begins and ends at {write(first)}"
    else:
        goes = f"{'rises' if last > first else 'falls'} from {write(first)} to {write(last)}"
    return f"{lead} {goes} along {feature}{', with ' if turns else ''}{' and '.join(turns)}."


def weight_text(decay: float) -> str:
    """Return the name of the slider and where it stands."""
    name = explained("decay").name
    return f"{name[0].lower()}{name[1:]} {number_text(decay)}"


def effects_sentence(feature: FeatureExplanation, drivers: Drivers) -> Parts:
    """Return how the prediction changes in both groups of the best split, or that rows change both ways.

    Nothing where one effect describes all rows. A split that explains little is in the list of rules only: groups that
    chance makes differ, too.
    """
    for best in drivers.reported[:1]:
        if best.share >= _LEAST_EXPLAINED and best.share * drivers.size >= _LEAST_EXPLAINED_OF_ALL:
            return _split_sentence(feature, best)
    return _fan_sentence(feature)


def _split_sentence(feature: FeatureExplanation, driver: Driver) -> Parts:
    """Describe how the mean changes along a feature, and in both groups of its best split; nothing where these agree.

    The change is that from the lowest to the highest value, or between the extrema of a mean that turns in between.
    Where few rows of one of the groups have values that many of the other have, it is that among values of both.
    """
    rows, curves = feature._compared_curves(_DRAWN_ROWS)
    seconds = second_features(feature._context.columns, feature._item.feature)
    sides = _sides_of(next(each for each in seconds if each.label == driver.column), rows, driver)
    weights = feature._context.row_weights[rows]
    masses = [float(weights[sides == side].sum()) for side in (0, 1)]
    if not all(masses):
        return ()
    groups = [weights[sides == side] @ curves[sides == side] / masses[side] for side in (0, 1)]
    axis = axis_of(feature)
    places = np.arange(len(axis.grid))
    if not axis.is_unordered:
        places = _common_places(axis.grid, feature._item.feature.values[rows], sides)
    if not len(places):
        return ()
    steepest = max(groups, key=lambda mean: np.ptp(mean[places]))
    start, end, is_turning = _ends_of(steepest[places], is_unordered=axis.is_unordered)
    start, end = int(places[start]), int(places[end])
    changes = [float(mean[end] - mean[start]) for mean in (*groups, feature.partial_dependence)]
    largest = max(map(abs, changes))
    if abs(changes[1] - changes[0]) <= _LEAST_DIFFERENCE * largest:
        return ()
    digits, place = column_format([largest]), place_writer(axis)
    if axis.kind == "numeric" and not np.array_equal(axis.grid, np.round(axis.grid)):
        place = column_format(axis.grid.tolist())  # to three digits of the largest

    def write(change: float) -> str:
        return f"{'+' if change > 0 else ''}{digits(change)}"

    is_part = is_turning or len(places) < len(axis.grid)
    between = f"From {place(axis.grid[start])} to {place(axis.grid[end])}: " if is_part else ""
    is_flat = abs(changes[2]) < _FLAT * largest
    average = "hardly any change" if is_flat else write(changes[2])
    if not between and is_flat:
        average = average.capitalize()
    named = int(driver.rule.startswith(driver.sides[1]))
    return (
        (f"{between}{average} on average, but not one effect: ", None),
        (f"{write(changes[named])} where {driver.rule}", named),
        (", ", None),
        (f"{write(changes[1 - named])} elsewhere", 1 - named),
        (".", None),
    )


def _common_places(grid: Array, values: Array, sides: Rows) -> Places:
    """Return the grid values that both groups have, or all where nearly all rows have such values.

    - `values`, `sides` (n_rows,): observed values of the feature, NaN where missing, and the group of each row.
    """
    present = ~np.isnan(values)
    observed = [values[present & (sides == side)] for side in (0, 1)]
    if not all(map(len, observed)):
        return np.empty(0, np.intp)
    ends = np.array([np.quantile(each, [_RARE, 1 - _RARE]) for each in observed])
    low, high = ends[:, 0].max(), ends[:, 1].min()
    is_common = (values[present] >= low) & (values[present] <= high)
    if is_common.mean() > 1 - _LEAST_OUTSIDE:
        return np.arange(len(grid))
    return np.flatnonzero((grid >= low) & (grid <= high))


def _fan_sentence(feature: FeatureExplanation) -> Parts:
    """Return a sentence where rows change both ways around a flat mean; nothing elsewhere, or without an order."""
    axis = axis_of(feature)
    if axis.is_unordered or len(axis.grid) < 2:
        return ()
    rows = feature._draw(_DRAWN_ROWS)
    curves = feature.compute_curves(rows)
    changes = curves[:, -1] - curves[:, 0]
    average = float(feature.partial_dependence[-1] - feature.partial_dependence[0])
    low, high = np.quantile(changes, [0.05, 0.95]).tolist() if len(changes) else (0.0, 0.0)
    if not (low < 0 < high) or abs(average) > _FLAT * min(-low, high):
        return ()
    write = column_format([low, high])
    text = f"Hardly any change on average, but rows differ: the middle 90 % change by {write(low)} to +{write(high)}."
    return ((text, None),)


def _sides_of(second: Column, rows: Rows, driver: Driver) -> Rows:
    """Return the side of each row, 0 or 1; -1 where the value is missing."""
    values, chosen = second.values[rows], driver.levels or ()
    places = [place for place, level in enumerate(second.level_texts or ()) if level in chosen]
    is_above = values > driver.threshold if driver.levels is None else np.isin(values, places)
    return np.where(np.isnan(values), -1, is_above)


def _ends_of(mean: Array, *, is_unordered: bool) -> tuple[int, int, bool]:
    """Return where a change begins and ends, in the order of the axis, and whether these are extrema inside of it."""
    low, high = sorted((int(mean.argmin()), int(mean.argmax())))
    turn = _LEAST_TURN * np.ptp(mean)
    goes_beyond = mean.min() < min(mean[0], mean[-1]) - turn or mean.max() > max(mean[0], mean[-1]) + turn
    is_turning = bool(goes_beyond or (is_unordered and len(mean) > 1))
    return (low, high, True) if is_turning else (0, len(mean) - 1, False)
