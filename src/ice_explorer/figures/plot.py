"""`Explanation.plot`: which figure is meant, whether the options are those of that figure, and its Axes.

The ranking, the curves of a feature, and those of several features side by side.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from matplotlib import rcParams

from ice_explorer.checks import check_flag, check_integer, check_names, check_one_of
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted
from ice_explorer.figures.curves import FeaturePlot, part_names
from ice_explorer.figures.effects import plot_effects, plot_pair
from ice_explorer.figures.legend import add_color_bar, add_figure_legend, add_legend, add_shared_color_bar
from ice_explorer.figures.ranking import draw_ranking
from ice_explorer.figures.style import Look, bare_figure, check_palette, check_title, given_axes, next_color, palette_of
from ice_explorer.figures.text import (
    add_title,
    add_x_label,
    add_y_label,
    broken,
    fitted,
    kept_width,
    root_of,
    size_of,
    width_of,
)
from ice_explorer.results.intervals import check_level
from ice_explorer.results.options import KINDS
from ice_explorer.scene.build import KIND_TITLES, Small, ranking_of, shown_lines
from ice_explorer.scene.choices import Besides, ViewState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.comparison import ModelComparison
    from ice_explorer.explanation import Explanation
    from ice_explorer.results.options import Kind, RankBy
    from ice_explorer.scene.lines import Lines

_PANEL: Final = (0.38, 0.4)  # of the size of a usual figure
_AROUND: Final = 4.0  # letters, for title and legend


def plot(
    explanation: Explanation,
    what: Any,
    kind: str | None,
    options: Mapping[str, Any],
    models: ModelComparison | None = None,
) -> Axes | Figure:
    """Draw what `Explanation.plot` describes, or of several models what `ModelComparison.plot` does.

    - raises OptionError: if the figure has no such option.
    """
    arguments: tuple[Any, ...] = (explanation,) if what is None else (explanation, what)
    kinds = (*KINDS, "effects") if models is None else KINDS
    chosen: dict[str, Any] = {} if kind is None else {"kind": check_one_of("kind", kind, kinds)}
    draw: Callable[..., Axes | Figure] = plot_curves
    if what is None:
        draw = plot_ranking
    elif kind == "effects":
        draw, chosen = plot_effects, {}
    elif models is None and what not in explanation:
        is_pair = isinstance(what, tuple) and len(what) == 2
        draw = plot_pair if is_pair else plot_panels if isinstance(what, list) else plot_curves
    chosen |= options
    known = [name for name in list(inspect.signature(draw).parameters)[len(arguments) :] if name != "besides"]
    unknown = next((name for name in chosen if name not in known), None)
    if unknown is not None:
        raise OptionError.unknown("plot", unknown, known)
    check_title(chosen.get("title"))
    check_flag("legend", chosen.get("legend", True), usual=True)
    if models is not None:
        chosen["besides"] = Besides(models=models)
    return draw(*arguments, **chosen)


def plot_ranking(
    explanation: Explanation,
    ax: Axes | None = None,
    *,
    decay: float | None = None,
    rank_by: RankBy = "in_distribution_impact",
    ci: float | None = None,
    max_features: int = 30,
    title: bool | str | None = True,
    legend: bool = True,
    besides: Besides | None = None,
) -> Axes:
    """Draw the features as bars, as `Explanation.plot` describes."""
    check_integer("max_features", max_features, 1, "Use `max_features=30` for the default.")
    decay = explanation.settings.decay if decay is None else decay
    level = None if ci is None else check_level(ci)
    state = ViewState(decay=decay, rank_by=rank_by, ci=level, besides=besides or Besides())
    ranking = ranking_of(explanation, state)
    ax = given_axes(ax, n_rows=min(max_features, len(ranking.bars)))
    handles = draw_ranking(ax, ranking, decay, max_features)
    add_x_label(ax, ranking.caption)
    if legend:
        add_legend(ax, handles)
    add_title(ax, ranking.heading, title)
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
    besides: Besides | None = None,
) -> Axes:
    """Draw the curves of one feature, as `Explanation.plot` describes, or of several models."""
    opened = explanation[feature]
    state = _state_of(
        explanation, color_by, decay, feature=opened.label, kind=kind, anchor=opened._anchor_place(anchor),
        max_lines=max_lines, besides=besides or Besides(),
    )  # fmt: skip
    lines = shown_lines(explanation, opened, state)
    check_palette(lines.coloring, palette)
    may_grow, ax = ax is None, given_axes(ax)
    draw_curves(ax, lines, len(opened.rows), palette=palette, legend=legend, may_grow=may_grow)
    add_title(ax, f"{KIND_TITLES[lines.kind]} of {opened.label}", title)
    if may_grow:
        part_names(root_of(ax))
    return ax


def draw_curves(
    ax: Axes,
    lines: Lines,
    n_rows: int,
    *,
    palette: Any = None,
    legend: bool = True,
    may_grow: bool = True,
) -> None:
    """Draw the curves of one feature with their axes and legend on some Axes, under which there is no title yet."""
    coloring = lines.coloring
    colors = palette_of(coloring, Look.of(ax), palette, next_color(ax))
    add_y_label(ax, lines.y_title)
    if coloring.domain is not None and legend:
        add_color_bar(ax, coloring, colors)
    bins = None if lines.n_bins is None else f"Slopes are over {lines.n_bins} quantile bins."
    add_x_label(ax, lines.x_title, [remark for remark in (bins, lines.remark) if remark is not None])
    drawn = FeaturePlot(ax, lines, n_rows, colors, may_grow=may_grow and legend)
    drawn.draw(kept_width(ax))
    for handle in drawn.level_handles:
        ax.add_line(handle)  # draws nothing; `ax.legend()` finds it
    if legend:
        add_legend(ax, drawn.handles, drawn.legend_title)


def plot_panels(
    explanation: Explanation,
    features: Sequence[Any],
    kind: Kind = "c-ice",
    *,
    color_by: Any = None,
    decay: float | None = None,
    anchor: Any = "min",
    max_lines: int = 300,
    n_columns: int = 3,
    share_y: bool = True,
    title: bool | str | None = True,
    legend: bool = True,
    palette: Any = None,
) -> Figure:
    """Draw the curves of several features side by side, as `Explanation.plot` describes."""
    opened = [explanation[feature] for feature in check_names("what", features)]
    if not opened:
        raise OptionError.no_features("what", "Leave it out for the ranking; `list(e)` has all of them.")
    check_integer("n_columns", n_columns, 1, "Use `n_columns=3` for the default.")
    state = _state_of(explanation, color_by, decay, kind=kind, anchor=anchor, max_lines=max_lines)
    is_shared = check_flag("share_y", share_y, usual=True) and kind != "d-ice"
    drawn = [shown_lines(explanation, each, replace(state, feature=each.label)) for each in opened]
    check_palette(drawn[0].coloring, palette)
    if is_shared:
        low, high = zip(*(lines.extent for lines in drawn if not lines.is_empty), strict=True)
        drawn = [replace(lines, y_span=(min(low), max(high))) for lines in drawn]
    smalls = [Small(lines.x_title, lines, is_open=False) for lines in drawn]
    n_columns = min(n_columns, len(opened))
    n_rows = math.ceil(len(opened) / n_columns)
    width, height = (share * side for share, side in zip(_PANEL, rcParams["figure.figsize"], strict=True))
    figure = bare_figure(n_columns * width, n_rows * height + _AROUND * size_of("font.size") / 72)
    draw_small_plots(
        figure, smalls, n_columns=n_columns, width=72 * n_columns * width, kind=kind, n_rows=len(opened[0].rows),
        palette=palette, legend=legend,
    )  # fmt: skip
    usual = f"{KIND_TITLES[kind]} of {len(opened)} of {counted(len(explanation), 'feature')}"
    if title:
        figure.suptitle(usual if title is True else title)
    what = {"ice": "", "c-ice": "change of the ", "d-ice": "slope of the "}[kind] + explanation.output_label
    figure.supylabel(fitted(what, 72 * figure.get_figheight(), size_of("figure.labelsize")))
    return figure


def draw_small_plots(
    parent: Any,
    smalls: Sequence[Small],
    *,
    n_columns: int,
    width: float,
    kind: Kind,
    n_rows: int,
    palette: Any = None,
    legend: bool = True,
    is_small: bool = False,
) -> None:
    """Draw plots of one size in so many columns of a part of a figure that is so many pt wide, with one legend."""
    axes = list(parent.subplots(math.ceil(len(smalls) / n_columns), n_columns, squeeze=False).flat)
    for ax in axes[len(smalls) :]:
        ax.remove()
    size, coloring = size_of("font.size"), smalls[0].lines.coloring
    room = width / n_columns - 4.5 * size
    colors = palette_of(coloring, Look.of(axes[0]), palette, next_color(axes[0]))
    plots = []
    for ax, small in zip(axes, smalls, strict=False):
        ax.set_label(small.lines.feature if small.title == small.lines.x_title else small.title)
        used = width_of(small.note, 0.9 * size) + size if small.note else 0.0
        weight = "bold" if small.is_open else "normal"
        ax.set_title(fitted(small.title, room - used, size), loc="left", fontsize=size, weight=weight)
        ax.set_title(small.note, loc="right", fontsize=0.9 * size)
        plot = FeaturePlot(ax, small.lines, n_rows, colors, is_small=is_small)
        plots.append(plot)
        if small.lines.remark is not None and small.lines.kind != kind:
            ax.set_axis_off()
            where: dict[str, Any] = {"ha": "center", "va": "center", "transform": ax.transAxes, "gid": "note"}
            ax.text(0.5, 0.5, broken("Levels without an order have no slopes.", 0.9 * room, size), **where)
        else:
            plot.draw(room)
    if not legend:
        return
    longest = max(plots, key=lambda each: (len(each.handles), not each.lines.on_levels))
    add_figure_legend(parent, longest.handles, longest.legend_title, width)
    if coloring.domain is not None:
        add_shared_color_bar(parent, axes[: len(smalls)], coloring, colors)


def _state_of(explanation: Explanation, color_by: Any, decay: float | None, **state: Any) -> ViewState:
    return ViewState(
        color_by=None if color_by is None else explanation._column(color_by).label,
        decay=explanation.settings.decay if decay is None else decay,
        **state,
    )
