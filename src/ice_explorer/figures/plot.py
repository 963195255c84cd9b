"""`Explanation.plot`: which figure is meant, whether the options are those of that figure, and its Axes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ice_explorer.checks import check_flag, check_integer, check_one_of
from ice_explorer.errors import OptionError
from ice_explorer.errors.tracebacks import unknown_keyword
from ice_explorer.figures.curves import FeaturePlot, level_handles
from ice_explorer.figures.effects import plot_effects
from ice_explorer.figures.legend import add_color_bar, add_legend
from ice_explorer.figures.pair import plot_pair
from ice_explorer.figures.panels import plot_panels
from ice_explorer.figures.ranking import draw_ranking
from ice_explorer.figures.style import Look, Styling, check_title, given_axes, next_color, with_palette
from ice_explorer.figures.text import add_title, add_x_label, add_y_label, kept_width
from ice_explorer.results.intervals import check_level
from ice_explorer.results.options import KINDS
from ice_explorer.scene.build import ranking_of, shown_lines
from ice_explorer.scene.effects import EFFECTS, effect_lines
from ice_explorer.scene.models import drawn_models
from ice_explorer.scene.scene import KIND_TITLES
from ice_explorer.scene.view_state import Besides, ViewState

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.comparison import ModelComparison
    from ice_explorer.explanation import Explanation
    from ice_explorer.results.options import Kind, RankBy, Unit
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import EffectName, Lines

_KINDS: Final = (*KINDS, "effects")
_LENGTH_OF_PAIR: Final = 2


def plot(explanation: Explanation, what: Any, kind: str | None, options: Mapping[str, Any]) -> Axes | Figure:
    """Draw what `Explanation.plot` describes.

    - raises ArgumentError: if the figure has no such option.
    """
    chosen = {} if kind is None else {"kind": check_one_of("kind", kind, _KINDS)}
    if what is None:
        return _draw(plot_ranking, (explanation,), {**chosen, **options})
    is_feature = what in explanation
    if kind == "effects":
        return _draw(plot_effects, (explanation, what), options)
    if not is_feature and isinstance(what, tuple) and len(what) == _LENGTH_OF_PAIR:
        return _draw(plot_pair, (explanation, what), {**chosen, **options})
    if not is_feature and isinstance(what, list):
        return _draw(plot_panels, (explanation, what), {**chosen, **options})
    return _draw(plot_curves, (explanation, what), {**chosen, **options})


def plot_of_models(models: ModelComparison, what: Any, kind: str | None, options: Mapping[str, Any]) -> Any:
    """Draw what `ModelComparison.plot` describes."""
    chosen = {} if kind is None else {"kind": check_one_of("kind", kind, KINDS)}
    besides = {**chosen, **options, "besides": Besides(models=models)}
    if what is None:
        return _draw(plot_ranking, (models._open,), besides)
    return _draw(plot_curves, (models._open, what), besides)


def _draw(draw: Callable[..., Axes | Figure], arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Axes | Figure:
    known = [name for name in list(inspect.signature(draw).parameters)[len(arguments) :] if name != "besides"]
    unknown = next((name for name in options if name not in (*known, "besides")), None)
    if unknown is not None:
        raise unknown_keyword("plot", unknown, known)
    return draw(*arguments, **options)


def plot_ranking(
    explanation: Explanation,
    ax: Axes | None = None,
    *,
    decay: float | None = None,
    rank_by: RankBy = "in_distribution_impact",
    unit: Unit | Mapping[Any, object] = "prediction",
    ci: float | None = None,
    max_features: int = 30,
    title: bool | str | None = True,
    legend: bool = True,
    besides: Besides | None = None,
) -> Axes:
    """Draw the features as bars, as `Explanation.plot` describes."""
    check_integer("max_features", max_features, 1, "Use `max_features=30` for the default.")
    given, has_legend = check_title(title), check_flag("legend", legend, usual=True)
    decay = explanation.settings.decay if decay is None else decay
    level = None if ci is None else check_level(ci)
    state = ViewState(decay=decay, rank_by=rank_by, ci=level, besides=besides or Besides())
    if isinstance(unit, Mapping):
        ranking = ranking_of(explanation, state, unit)
    else:
        ranking = ranking_of(explanation, replace(state, unit=unit))
    ax = given_axes(ax, n_rows=min(max_features, len(ranking.bars)))
    add_title(ax, ranking.heading, given)
    draw_ranking(ax, ranking, decay, max_features, has_legend=has_legend)
    return ax


def plot_curves(
    explanation: Explanation,
    feature: Any,
    kind: Kind = "ice",
    *,
    color_by: Any = None,
    decay: float | None = None,
    anchor: object = "min",
    max_lines: int = 1000,
    ax: Axes | None = None,
    title: bool | str | None = True,
    legend: bool = True,
    palette: Any = None,
    line_kw: Mapping[str, Any] | None = None,
    mean_kw: Mapping[str, Any] | None = None,
    share_axis: bool = False,
    besides: Besides | None = None,
    effects: Sequence[str] = (),
) -> Axes:
    """Draw the curves of one feature, as `Explanation.plot` describes, or of several models."""
    opened = explanation[feature]
    state = ViewState(
        feature=opened.label,
        color_by=None if color_by is None else explanation._column(color_by).label,
        kind=kind,
        decay=explanation.settings.decay if decay is None else decay,
        anchor=opened._anchor_place(anchor),
        max_lines=max_lines,
        besides=besides or Besides(),
    )
    styling = Styling.checked(
        title=title, legend=legend, palette=palette, line_kw=line_kw, mean_kw=mean_kw,
        is_colored=drawn_models(state) is not None or color_by is not None,
    )  # fmt: skip
    if check_flag("share_axis", share_axis) and kind != "c-ice":
        raise OptionError(
            f"`share_axis=True` must come with `kind='c-ice'`, whose curves are changes; got `kind={kind!r}`.",
            "Use `kind='c-ice'`, or leave `share_axis` out.",
        )
    chosen = [check_one_of("effects", name, EFFECTS) for name in ([effects] if isinstance(effects, str) else effects)]
    if chosen and kind == "d-ice":
        raise OptionError(
            f"`effects` must come with `kind='ice'` or `kind='c-ice'`, whose unit they have; got {kind!r}.",
            "Leave `effects` out, or choose another kind.",
        )
    lines, coloring = shown_lines(explanation, opened, state)
    lines = replace(lines, effects=effect_lines(opened, lines, cast("list[EffectName]", chosen)))
    with_palette(coloring, palette, Look.of_paper(), "black")  # before a figure is made that nobody needs
    is_own, ax = ax is None, given_axes(ax)
    draw_curves(
        ax, lines, coloring, styling, len(opened.rows), share_axis=share_axis, may_grow=is_own and not share_axis
    )
    add_title(ax, f"{KIND_TITLES[lines.kind]} of {opened.label}", styling.title)
    return ax


def draw_curves(
    ax: Axes,
    lines: Lines,
    coloring: Coloring,
    styling: Styling,
    n_rows: int,
    *,
    share_axis: bool = False,
    may_grow: bool = True,
) -> None:
    """Draw the curves of one feature with their axes and legend on some Axes, under which there is no title yet."""
    look, color = Look.of(ax), styling.line_kw.get("color")
    if color is None and coloring.title is None:
        color = next_color(ax)
    coloring = with_palette(coloring, styling.palette, look, color)
    drawn = FeaturePlot(ax, lines, coloring, look, styling, n_rows, lines.y_domain, may_grow=may_grow)
    add_y_label(ax, lines.y_title)
    if share_axis:
        drawn.add_share_axis()
    if coloring.domain is not None and styling.legend:
        add_color_bar(ax, coloring)
    add_x_label(ax, lines.x_title, [] if lines.remark is None else [lines.remark])
    drawn.draw(kept_width(ax))
    for handle in level_handles(coloring, look):
        ax.add_line(handle)  # draws nothing; `ax.legend()` finds it
    head = add_legend(ax, drawn.handles, drawn.legend_title) if styling.legend else 0.0
    drawn.set_limits(head)
