"""Plots on Matplotlib Axes; Matplotlib is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ice_explorer.checks import check_flag, check_integer, check_one_of
from ice_explorer.errors import OptionError
from ice_explorer.figures.axes.curves import FeaturePlot, level_handles
from ice_explorer.figures.axes.impact import draw_ranking
from ice_explorer.figures.axes.legend import add_color_bar, add_legend
from ice_explorer.figures.axes.style import Look, Styling, check_title, next_color, with_palette
from ice_explorer.figures.axes.text import add_title, add_x_label, add_y_label, kept_width, size_of
from ice_explorer.figures.page.matplotlib_page import require_matplotlib
from ice_explorer.results.intervals import check_level
from ice_explorer.scene.build import ranking_of, shown_lines
from ice_explorer.scene.effects import EFFECTS, effect_lines
from ice_explorer.scene.models import drawn_models
from ice_explorer.scene.scene import KIND_TITLES
from ice_explorer.scene.view_state import Besides, ViewState

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ice_explorer.explanation import Explanation
    from ice_explorer.results.options import Kind, RankBy, Unit
    from ice_explorer.scene.lines import EffectName

_ROW: Final = 2.0  # letters, the height of a bar with its gap
_AROUND_ROWS: Final = 5  # rows, for title, legend and label


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
    add_title(ax, ranking.title[0].upper() + ranking.title[1:], given)
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
    ax = given_axes(ax)
    look, color = Look.of(ax), styling.line_kw.get("color")
    if color is None and coloring.title is None:
        color = next_color(ax)
    coloring = with_palette(coloring, palette, look, color)
    drawn = FeaturePlot(ax, lines, coloring, look, styling, len(opened.rows), lines.y_domain)
    add_title(ax, f"{KIND_TITLES[lines.kind]} of {opened.label}", styling.title)
    add_y_label(ax, lines.y_title)
    if share_axis:
        drawn.add_share_axis()
    if coloring.domain is not None and styling.legend:
        add_color_bar(ax, coloring)
    add_x_label(ax, lines.x_title, [] if lines.remark is None else [lines.remark])
    drawn.add_ticks(kept_width(ax))
    drawn.draw()
    for handle in level_handles(coloring, look):
        ax.add_line(handle)  # draws nothing; `ax.legend()` finds it
    head = add_legend(ax, drawn.handles, coloring.title if coloring.levels else None) if styling.legend else 0.0
    drawn.set_limits(head)
    return ax


def given_axes(ax: Axes | None, n_rows: int | None = None) -> Axes:
    """Return the Axes that were given, or those of a new figure that a notebook shows, as high as so many rows."""
    require_matplotlib()
    if ax is not None:
        _check_axes(ax)
        return ax
    from matplotlib import pyplot as plt

    figure, made = plt.subplots()
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    if n_rows is not None:
        row = _ROW * size_of("ytick.labelsize") / 72
        figure.set_figheight(_AROUND_ROWS * row + n_rows * row)
    return made


def _check_axes(ax: object) -> None:
    """Refuse what cannot be drawn on, a figure for one."""
    require_matplotlib()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise OptionError(
            f"`ax` must be a matplotlib Axes; got {type(ax).__name__}.",
            "Pass one of `plt.subplots()`, or leave it out for a new figure.",
        )
