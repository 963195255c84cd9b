"""Build the scene of a view: ranking, open feature and colours."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.drivers.candidates import strong_correlations
from ice_explorer.errors import OptionError
from ice_explorer.features.dates import choose_unit
from ice_explorer.features.feature import UNORDERED
from ice_explorer.results.options import OF_MODELS, resolve_display
from ice_explorer.scene.coloring import Coloring, coloring_of
from ice_explorer.scene.curve_lines import lines_of
from ice_explorer.scene.effects import EFFECTS, effect_lines
from ice_explorer.scene.models import drawn_models, lines_of_models
from ice_explorer.scene.scene import Bar, Ranking, Scene
from ice_explorer.scene.slope_range import leaving_text, slope_range
from ice_explorer.scene.two_sides import split_of
from ice_explorer.scene.view_state import ViewState, kept_by, shared_span
from ice_explorer.scene.words import average_sentence, missing_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.results.intervals import RankIntervals
    from ice_explorer.results.options import RankBy, Unit
    from ice_explorer.scene.lines import EffectLine, Lines

# The twin of `js/src/store/ranking.ts`. Non-linearity is another statistic by "step", not only another mean.
_COMPARED: Final = ("impact", "in_distribution_impact", "heterogeneity")
_FEWEST_VALUES: Final = 5
_MOST_TICKS: Final = 500  # of `js/src/store/available_choices.ts`
_NO_TARGET: Final = ("log_odds", "decision_function")
_FAR: Final = 2 + 1e-6  # rounding decides nothing


def scene(explanation: Explanation, state: ViewState) -> Scene:
    """Gather what a view shows; its state then names the open feature and the convention."""
    ranking, state = _ranked(explanation, state)
    return _opened(explanation, ranking, state if state.feature != "" else _opening(state, ranking.bars[0]))


def scenes(explanation: Explanation, state: ViewState) -> list[Scene]:
    """Gather what a view shows with each feature open, in the order of the bars."""
    ranking, state = _ranked(explanation, state)  # which takes as long as all the rest where features are many
    return [_opened(explanation, ranking, _opening(state, bar)) for bar in ranking.bars]


def _ranked(explanation: Explanation, state: ViewState) -> tuple[Ranking, ViewState]:
    """Sort the features, and say how impact is counted."""
    ranking = ranking_of(explanation, state)
    return ranking, replace(state, convention=ranking.convention)


def _opening(state: ViewState, bar: Bar) -> ViewState:
    return replace(state, feature=bar.label)


def _opened(explanation: Explanation, ranking: Ranking, state: ViewState) -> Scene:
    """Show one feature beside the ranking."""
    opened = explanation[state.feature]
    state = replace(state, feature=opened.label)
    lines, coloring = shown_lines(explanation, opened, state)
    lines = _with_optional(opened, lines, state)
    models = state.besides.models
    bars = (_marked(bar, is_open=bar.label == opened.label) for bar in ranking.bars)
    return Scene(
        ranking=replace(ranking, bars=tuple(bars)),
        lines=lines,
        coloring=coloring,
        state=state,
        n_rows=len(opened.rows),
        average=("" if models is None else f"{models._opened}: ") + _sentences(explanation, opened, lines, ranking),
        sample="" if opened._sampling is None else opened._sampling.text,
    )


def _sentences(explanation: Explanation, opened: FeatureExplanation, lines: Lines, ranking: Ranking) -> str:
    """Return how the mean prediction changes along the open feature, and what a missing value does."""
    middle = sum(opened._prediction_range) / 2
    average = average_sentence(opened.label, lines.axis, opened.partial_dependence, explanation.output_label, middle)
    figures = opened.metrics(convention=ranking.convention)
    missing = missing_sentence(opened.label, figures["missing_impact"], figures["impact"])
    return f"{average} {missing}".rstrip()


def _marked(bar: Bar, *, is_open: bool) -> Bar:
    return bar if bar.is_open == is_open else replace(bar, is_open=is_open)


def shown_lines(explanation: Explanation, opened: FeatureExplanation, state: ViewState) -> tuple[Lines, Coloring]:
    """Draw a feature as a reader chose to see it; without the lines that were switched off."""
    models = drawn_models(state)
    if models is not None:
        lines, coloring = lines_of_models(models, state, lambda lines: _as_chosen(explanation, lines, state))
        return filtered(lines, coloring, state.choices)
    lines = _as_chosen(explanation, lines_of(explanation, opened, state, fades_unlike=state.fades_unlike), state)
    split = split_of(state.choice("coloring"), state.color_by, opened)
    coloring = coloring_of(explanation, state.color_by, lines.positions, split)
    return filtered(lines, coloring, state.choices)


def _with_optional(opened: FeatureExplanation, lines: Lines, state: ViewState) -> Lines:
    """Add what a reader switched on about the feature."""
    effects: tuple[EffectLine, ...] = ()
    if lines.group_means is None:  # else those of one model would stand among the curves of all
        lines = replace(lines, has_mean=state.choice("partial_dependence"))
        effects = effect_lines(opened, lines, [name for name in EFFECTS if state.choice(name)])
    notes = [strong_correlations(opened).sentence] if state.choice("correlated") else []
    if effects and lines.y_span is not None:
        heights = np.concatenate([lines.y_span, *(effect.values for effect in effects)])
        lines = replace(lines, y_span=(float(np.nanmin(heights)), float(np.nanmax(heights))))
    if not state.choice("unlike"):
        return replace(lines, effects=effects, notes=tuple(notes))
    found = opened._unlike_shares()
    return replace(lines, effects=effects, unlike=found.grid_shares, notes=(*notes, found.summary))


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
    has_rug = state.choice("rug") != "off" and n_lines <= _MOST_TICKS and not lines.on_levels
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
    keeps = kept_by(rule["hidden"], coloring.values, coloring.levels)
    missing = lines.missing
    fewer = replace(
        lines,
        positions=lines.positions[keeps],
        selected=lines.selected[keeps],
        values=lines.values[keeps],
        opacity=lines.opacity[keeps],
        dot_opacity=lines.dot_opacity[keeps],
        own_x=lines.own_x[keeps],
        own_y=lines.own_y[keeps],
        missing=None if missing is None else replace(missing, values=missing.values[keeps]),
        target=None if lines.target is None else lines.target[keeps],
        y_span=lines.y_span or lines.extent,
    )
    return fewer, replace(coloring, values=coloring.values[keeps])


def ranking_of(explanation: Explanation, state: ViewState, steps: Mapping[Any, object] | None = None) -> Ranking:
    """Sort the features and measure their bars, per steps of some features where these are given."""
    decay, convention = resolve_display(explanation.settings, state.decay, state.convention)
    unit: Unit | Mapping[Any, object] = state.unit if steps is None else steps
    table = explanation.table(decay, convention, rank_by=None, unit=unit)
    of_models = _of_models(explanation, state, decay, convention, unit)
    if state.rank_by == OF_MODELS:
        table[OF_MODELS], of_models = table.index.map(of_models[OF_MODELS]), {}
    table = table.sort_values(state.rank_by, ascending=False, kind="stable")
    step_of = None if steps is None or state.rank_by == "missing_impact" else explanation._steps(steps)
    far_off = _far_off(explanation, decay, convention, state.rank_by)
    bars = [
        Bar(
            label=explanation[feature].label,
            value=float(figures[state.rank_by]),
            tick=float(figures["impact"]) if state.rank_by == "in_distribution_impact" and not of_models else None,
            direction=float(figures["direction"]),
            is_far_off=feature in far_off,
            is_unordered=explanation[feature].dtype_kind in UNORDERED,
            is_open=explanation[feature].label == state.feature,
            step="" if step_of is None else _step_text(explanation[feature], step_of),
            of_models=tuple(float(values[feature]) for values in of_models.values()),
        )
        for feature, figures in table.iterrows()
    ]
    if state.ci is not None and state.rank_by != OF_MODELS:
        found = explanation._rank_intervals(state.rank_by, state.ci, decay, convention, unit)
        bars = _with_intervals(bars, explanation._labels, found)
    level = None if state.rank_by == OF_MODELS else state.ci
    return Ranking(state.rank_by, convention, state.unit, tuple(bars), level, models=tuple(of_models))


def _of_models(
    explanation: Explanation,
    state: ViewState,
    decay: float,
    convention: Convention,
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
    tables = {
        name: each.table(decay, convention, rank_by=None, unit=unit) for name, each in models.explanations.items()
    }
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


def _far_off(explanation: Explanation, decay: float, convention: Convention, rank_by: RankBy) -> set[Any]:
    """Return the features whose figure is more than twice, or less than half, what it is by "step"."""
    if convention == "step" or rank_by not in _COMPARED:
        return set()
    counted, per_step = (explanation.table(decay, each, rank_by=None) for each in (convention, "step"))
    figures, others = counted[rank_by], per_step[rank_by]
    n_grid = np.array([len(feature.grid) for feature in explanation.values()])
    is_far = (n_grid >= _FEWEST_VALUES) & ((figures > _FAR * others) | (others > _FAR * figures))
    return set(counted.index[is_far])
