"""Build the scene of a view: ranking, open feature and colours, and what stands around them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import OptionError
from ice_explorer.features.dates import choose_unit
from ice_explorer.features.feature import UNORDERED
from ice_explorer.results.options import OF_MODELS, resolve_decay
from ice_explorer.scene.coloring import Coloring, coloring_of, split_of
from ice_explorer.scene.curve_lines import effect_lines, leaving_text, lines_of, middle_of, slope_range
from ice_explorer.scene.interactions import interactions_scene
from ice_explorer.scene.lines import join_lines
from ice_explorer.scene.pair import pair_of
from ice_explorer.scene.palette import level_palette
from ice_explorer.scene.scene import Bar, Ranking, Scene, Small
from ice_explorer.scene.view_state import ViewState, compared_with, shared_span
from ice_explorer.scene.words import average_sentence, missing_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.comparison import ModelComparison
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.intervals import RankIntervals
    from ice_explorer.results.options import Unit
    from ice_explorer.scene.lines import EffectLine, Lines

MOST_FEATURES: Final = 30  # in small
LINES_IN_SMALL: Final = 200  # of `js/src/panels/all_features/panel.ts`, as is the number of selected rows
_SELECTED_IN_SMALL: Final = 20
_LINES_COMPARED: Final = 1000  # of `js/src/panels/compare/compare.ts`
_MOST_TICKS: Final = 500  # of `js/src/state/available_choices.ts`
_NO_TARGET: Final = ("log_odds", "decision_function")
_MODEL: Final = "model"  # title of the legend


def scene(explanation: Explanation, state: ViewState) -> Scene:
    """Gather what a view shows; its state then names the open feature."""
    ranking, state = _ranked(explanation, state)
    return _opened(explanation, ranking, state if state.feature != "" else _opening(state, ranking.bars[0]))


def scenes(explanation: Explanation, state: ViewState) -> list[Scene]:
    """Gather what a view shows with each feature open, in the order of the bars."""
    ranking, state = _ranked(explanation, state)  # which takes as long as all the rest where features are many
    return [_opened(explanation, ranking, _opening(state, bar)) for bar in ranking.bars]


def _ranked(explanation: Explanation, state: ViewState) -> tuple[Ranking, ViewState]:
    """Sort the features, and say how impact is counted."""
    ranking = ranking_of(explanation, state)
    return ranking, replace(state)


def _opening(state: ViewState, bar: Bar) -> ViewState:
    return replace(state, feature=bar.label)


def _opened(explanation: Explanation, ranking: Ranking, state: ViewState) -> Scene:
    """Show one feature beside the ranking."""
    opened = explanation[state.feature]
    state = replace(state, feature=opened.label)
    lines, coloring = shown_lines(explanation, opened, state)
    lines = _with_optional(opened, lines, state)
    models = state.besides.models
    changed = {bar.label for bar in ranking.bars if bar.is_open != (bar.label == opened.label)}  # few of thousands
    bars = (replace(bar, is_open=not bar.is_open) if bar.label in changed else bar for bar in ranking.bars)
    return Scene(
        ranking=replace(ranking, bars=tuple(bars)),
        lines=lines,
        coloring=coloring,
        state=state,
        n_rows=len(opened.rows),
        average=("" if models is None else f"{models._opened}: ") + _sentences(explanation, opened, lines),
        sample="" if opened._sampling is None else opened._sampling.text,
    )


def _sentences(explanation: Explanation, opened: FeatureExplanation, lines: Lines) -> str:
    """Return how the mean prediction changes along the open feature, and what a missing value does."""
    middle = sum(opened._prediction_range) / 2
    average = average_sentence(opened.label, lines.axis, opened.partial_dependence, explanation.output_label, middle)
    figures = opened.metrics()
    missing = missing_sentence(opened.label, figures["missing_impact"], figures["impact"])
    return f"{average} {missing}".rstrip()


def shown_lines(explanation: Explanation, opened: FeatureExplanation, state: ViewState) -> tuple[Lines, Coloring]:
    """Draw a feature as a reader chose to see it; without the lines that were switched off."""
    models = drawn_models(state)
    if models is not None:
        return filtered(*_lines_of_models(explanation, models, state), state.choices)
    lines = _as_chosen(explanation, lines_of(explanation, opened, state, fades_unlike=state.fades_unlike), state)
    split = split_of(state.choice("coloring"), state.color_by, opened)
    coloring = coloring_of(explanation, state.color_by, lines.positions, split)
    return filtered(lines, coloring, state.choices)


def drawn_models(state: ViewState) -> ModelComparison | None:
    """Return the models whose curves share the axes; None where those of the open one are drawn alone."""
    is_alone = state.color_by is not None or state.choice("coloring") == "together" or not state.choice("models")
    return None if is_alone else state.besides.models


def _lines_of_models(explanation: Explanation, models: ModelComparison, state: ViewState) -> tuple[Lines, Coloring]:
    """Draw the open feature by every model on the same axes, one colour each, with their means."""
    drawn = [lines_of(each, each[state.feature], state) for each in models.explanations.values()]
    parts = [_as_chosen(explanation, lines, state) for lines in drawn]
    values = np.repeat(np.arange(len(parts), dtype=np.float32), len(parts[0].positions))
    coloring = Coloring(_MODEL, level_palette(len(parts), ordered=False), values, levels=tuple(models.explanations))
    spans = [part.y_span for part in parts if part.y_span is not None]
    lines = replace(
        join_lines(parts),
        spread=np.max([part.spread for part in parts], axis=0),
        prediction_span=max((part.prediction_span for part in parts if part.prediction_span is not None), default=None),
        y_span=(min(low for low, _ in spans), max(high for _, high in spans)) if spans else None,
        is_cut=any(part.is_cut for part in parts),
        remark=next((part.remark for part in parts if part.remark is not None), None),
        has_mean=False,
        group_means=np.stack([part.mean for part in parts]),
    )
    return lines, coloring


def _with_optional(opened: FeatureExplanation, lines: Lines, state: ViewState) -> Lines:
    """Add what a reader switched on about the feature."""
    effects: tuple[EffectLine, ...] = ()
    if lines.group_means is None and state.choice("ale"):  # else those of one model would be among the curves of all
        effects = effect_lines(opened, lines, ["ale"])
    if effects and lines.y_span is not None:
        heights = np.concatenate([lines.y_span, *(effect.values for effect in effects)])
        lines = replace(lines, y_span=(float(np.nanmin(heights)), float(np.nanmax(heights))))
    if not state.fades_unlike:
        return replace(lines, effects=effects)
    return replace(lines, effects=effects, unlike=opened._unlike_shares().grid_shares)


def _as_chosen(explanation: Explanation, lines: Lines, state: ViewState) -> Lines:
    """Draw the lines and their axis as a reader chose to see them."""
    n_lines, target = len(lines.positions), state.besides.target
    is_on_scale = lines.kind == "ice" and explanation.settings.response not in _NO_TARGET
    if target is not None and state.choice("target") and is_on_scale:
        lines = replace(lines, target=target[lines.positions], target_text=state.besides.target_text)
    if state.choice("shared_y"):
        lines = _stretched(
            lines, shared_span(lines.kind, (feature._prediction_range for feature in explanation.values()))
        )
    if lines.kind == "d-ice" and not lines.is_empty:
        found = slope_range(lines.x, lines.values, lines.extent)
        remark = leaving_text(found, lines.extent, n_lines)
        lines = replace(lines, y_span=(found.low, found.high), is_cut=found.is_cut, remark=remark)
    has_rug = n_lines <= _MOST_TICKS and not lines.on_levels
    return replace(lines, has_rug=has_rug)


def _stretched(lines: Lines, span: tuple[float, float] | None) -> Lines:
    """Return lines whose value axis covers a span as well as what is drawn."""
    if span is None:
        return lines
    low, high = lines.extent
    return replace(lines, y_span=(min(low, span[0]), max(high, span[1])))


def filtered(lines: Lines, coloring: Coloring, choices: Mapping[str, Any]) -> tuple[Lines, Coloring]:
    """Leave out the lines that the legend has switched off; mean and axes stay those of all."""
    rule = choices.get("filters", {}).get(coloring.title)
    if rule is None or coloring.domain is not None:
        return lines, coloring
    hidden, levels = rule["hidden"], coloring.values  # None stands for missing values
    is_hidden = np.isin(levels, [level for level, name in enumerate(coloring.levels) if name in hidden])
    keeps = ~is_hidden & ~(np.isnan(levels) & (None in hidden))
    fewer = replace(lines.some(keeps), y_span=lines.y_span or lines.extent)
    return fewer, replace(coloring, values=coloring.values[keeps])


def ranking_of(explanation: Explanation, state: ViewState, steps: Mapping[Any, object] | None = None) -> Ranking:
    """Sort the features and measure their bars, per steps of some features where these are given."""
    decay = resolve_decay(explanation.settings, state.decay)
    unit: Unit | Mapping[Any, object] = state.unit if steps is None else steps
    table = explanation.table(decay, rank_by=None, unit=unit)
    of_models = _of_models(explanation, state, decay, unit)
    if state.rank_by == OF_MODELS:
        table[OF_MODELS], of_models = table.index.map(of_models[OF_MODELS]), {}
    table = table.sort_values(state.rank_by, ascending=False, kind="stable")
    step_of = None if steps is None or state.rank_by == "missing_impact" else explanation._steps(steps)
    bars = [
        Bar(
            label=explanation[feature].label,
            value=float(figures[state.rank_by]),
            tick=float(figures["impact"]) if state.rank_by == "in_distribution_impact" and not of_models else None,
            direction=float(figures["direction"]),
            is_unordered=explanation[feature].dtype_kind in UNORDERED,
            is_open=explanation[feature].label == state.feature,
            step="" if step_of is None else _step_text(explanation[feature], step_of),
            of_models=tuple(float(values[feature]) for values in of_models.values()),
        )
        for feature, figures in table.iterrows()
    ]
    if state.ci is not None and state.rank_by != OF_MODELS:
        found = explanation._rank_intervals(state.rank_by, state.ci, decay, unit)
        bars = _with_intervals(bars, explanation._labels, found)
    level = None if state.rank_by == OF_MODELS else state.ci
    convention = explanation.settings.convention
    return Ranking(state.rank_by, convention, state.unit, tuple(bars), level, models=tuple(of_models))


def _of_models(
    explanation: Explanation,
    state: ViewState,
    decay: float,
    unit: Unit | Mapping[Any, object],
) -> dict[str, Mapping[Any, float]]:
    """Return the metric of the ranking by each of several models, or how far these disagree, by feature."""
    models = state.besides.models
    if models is None and state.rank_by == OF_MODELS:
        raise OptionError.needs_models("rank_by='disagreement'", ", or `explain({name: model, …}, X)`")
    if models is None:
        return {}
    if state.rank_by == OF_MODELS:
        return {OF_MODELS: dict(zip(explanation.features, models._largest(decay, state.unit), strict=True))}
    tables = {name: each.table(decay, rank_by=None, unit=unit) for name, each in models.explanations.items()}
    return {name: table[state.rank_by].to_dict() for name, table in tables.items()}


def _with_intervals(bars: Sequence[Bar], labels: Sequence[str], found: RankIntervals) -> list[Bar]:
    """Add to bars their intervals, and whether they are tied with the next one."""
    ends = {
        label: (low, high) for label, low, high in zip(labels, found.low.tolist(), found.high.tolist(), strict=True)
    }
    tied = {(labels[first], labels[second]) for first, second in found.tied}
    after = [*(bar.label for bar in bars[1:]), ""]
    return [
        replace(
            bar,
            interval=None if math.isnan(ends[bar.label][0]) else ends[bar.label],
            is_tied=(bar.label, following) in tied,
        )
        for bar, following in zip(bars, after, strict=True)
    ]


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


# --- around the open feature: compared features, all features, and every class ---------------------


def with_pair(explanation: Explanation, scene: Scene) -> Scene:
    """Add to the view of a feature the heat map that takes the place of its curves, if any."""
    return replace(scene, pair=pair_of(explanation, scene.state))


def with_surroundings(explanation: Explanation, scene: Scene) -> Scene:
    """Add to the view of a feature what a reader chose to see around it."""
    state = scene.state
    scene = replace(scene, interactions=interactions_scene(explanation, state))
    scene = with_pair(explanation, scene)
    opened = explanation[state.feature]
    split = split_of(state.choice("coloring"), state.color_by, opened)

    def small(feature: FeatureExplanation, rows: NDArray[np.int64], note: str = "") -> Small:
        lines = lines_of(explanation, feature, state, rows)
        coloring = coloring_of(explanation, state.color_by, rows, split)
        lines, coloring = filtered(replace(lines, y_span=lines.extent), coloring, state.choices)
        return Small(feature.label, lines, coloring, feature.label == opened.label, note)

    shared = None
    if state.choice("shared_y"):
        shared = shared_span(state.kind, (feature._prediction_range for feature in explanation.values()))
    if state.choice("right") == "all":
        few, most = state.selection[:_SELECTED_IN_SMALL], min(state.max_lines, LINES_IN_SMALL)
        bars = scene.ranking.bars[:MOST_FEATURES]
        shown = [
            (explanation[bar.label], f"{rank} · {scene.ranking.write(bar.value)}") for rank, bar in enumerate(bars, 1)
        ]
        smalls = [small(feature, feature._draw(most, few), note) for feature, note in shown]
        return replace(scene, features=tuple(_reaching(each, [shared]) for each in smalls))
    if scene.pair is not None:  # in the place of the curves, and of what is beside them
        return scene
    others = compared_with(opened.label, [name for name in state.choice("compared") if name in explanation])
    rows = _rows_of(opened, state)
    smalls = [small(explanation[name], rows) for name in ([opened.label, *others] if others else [])]
    if state.kind != "d-ice":  # slopes are per unit of each feature, so they share no axis
        spans = [shared, *(each.lines.y_span for each in smalls)]
        smalls = [_reaching(each, spans) for each in smalls]
    scene = replace(scene, compared=tuple(smalls))
    return _with_classes(explanation, opened, scene) if state.choice("classes") else scene


def _reaching(small: Small, spans: Iterable[tuple[float, float] | None]) -> Small:
    """Stretch the value axis of a plot over others."""
    low, high = zip(*filter(None, [small.lines.y_span, *spans]), strict=True)
    return replace(small, lines=replace(small.lines, y_span=(min(low), max(high))))


def _rows_of(opened: FeatureExplanation, state: ViewState) -> NDArray[np.int64]:
    """Return the rows of the open feature, so that each can be followed from plot to plot."""
    rows = opened._draw(state.max_lines, state.selection)
    if len(rows) <= _LINES_COMPARED:
        return rows
    some = rows[np.linspace(0, len(rows) - 1, _LINES_COMPARED).astype(np.intp)]
    return np.union1d(some, np.array(state.selection, dtype=np.int64))


def _with_classes(explanation: Explanation, opened: FeatureExplanation, scene: Scene) -> Scene:
    """Add the open feature for every class of the model, on one value axis, where the model is at hand."""
    classes = scene.state.besides.classes
    if classes is None:
        return scene
    positions = opened._draw(scene.state.max_lines)
    whole = replace(scene.state, kind="ice", decay=1.0)
    lines = lines_of(explanation, opened, whole, positions)
    found = classes.lines(opened.feature, positions)
    span = float(found.curves.min()), float(found.curves.max())
    coloring = coloring_of(explanation, None, positions)
    smalls = []
    for at, output in enumerate(found.outputs):
        curves = np.broadcast_to(found.curves[at], lines.values.shape)
        mean, band = curves.mean(axis=0), middle_of(curves)
        unplaced = np.full(len(positions), np.nan)  # observed values are marked above
        drawn = replace(lines, values=curves, mean=mean, band=band, own_y=unplaced, missing=None, y_span=span)
        smalls.append(Small(output, drawn, coloring, at == found.explained))
    return replace(scene, classes=tuple(smalls), n_classes=found.n_outputs)
