"""The figure of a view: the ranking beside the open feature, or what a reader chose to see around it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from matplotlib import rcParams
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from ice_explorer.errors.base import counted
from ice_explorer.figures.curves import part_names
from ice_explorer.figures.effects import draw_pair
from ice_explorer.figures.legend import add_figure_legend
from ice_explorer.figures.plot import draw_curves, draw_small_plots
from ice_explorer.figures.ranking import draw_ranking
from ice_explorer.figures.style import Look, bare_figure
from ice_explorer.figures.text import broken, fitted, size_of, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

    from ice_explorer.figures.paper import Paper
    from ice_explorer.scene.build import Ranking, Scene, Small

_SIDE_BY_SIDE: Final = 46.0  # letters: from this width on, the panels are side by side
_LEFT: Final = (0.36, 26.0)  # of the width, and letters at most, for the ranking
_LEADING: Final = 1.25  # letters, from one line to the next
_TITLE: Final = (1.36, 1.6)  # letters: one of a bold title is so wide, and its line so high
_ROW: Final = 1.9  # letters, of the ranking
_NAMES: Final = 0.42  # of the width of the ranking, at most, for the names of features
_MOST_ROWS_ABOVE: Final = 8  # of the ranking, where it stands above the curves
_PLOT: Final = (0.62, 20.0, 32.0)  # of the width, and letters at least and at most, the height of the curves
_FEATURE: Final = (15.0, 10.5)  # letters, the size of a small plot
_CLASS: Final = (12.0, 10.0)


def view_figure(scene: Scene, paper: Paper, *, with_ranking: bool) -> Figure:
    """Draw a view, or without the ranking the panel of the open feature alone.

    The `paper_style` must be in force already.
    """
    whole, letter = 72 * paper.inches, float(rcParams["font.size"])
    is_beside = with_ranking and whole >= _SIDE_BY_SIDE * letter
    left = min(_LEFT[0] * whole, _LEFT[1] * letter) if is_beside else whole
    width = whole - left if is_beside else whole
    heading = () if paper.title is False else _heading_of(scene, paper, width, letter, with_rank=with_ranking)
    share, least, most = _PLOT
    classes_height = (_LEADING + 1) * letter + _smalls_height(scene.classes, _CLASS, width) if scene.classes else 0.0
    plots = min(max(share * width, least * letter), most * letter) + 4 * letter + classes_height
    if scene.features:
        plots = _smalls_height(scene.features, _FEATURE, width)
    height = plots + _heading_height(heading, letter)
    n_rows = min(_MOST_ROWS_ABOVE, len(scene.ranking.bars))
    above = (_ROW * n_rows + 10) * letter if with_ranking and not is_beside else 0.0
    figure = bare_figure(paper.inches, (above + height) / 72)
    layout: Any = figure.get_layout_engine()
    layout.set(w_pad=0.4 * letter / 72, h_pad=0.4 * letter / 72)
    parts: Any = [figure]
    if is_beside:
        parts = figure.subfigures(1, 2, width_ratios=(left, width))
    elif with_ranking:
        parts = figure.subfigures(2, 1, height_ratios=(above, height))
    if with_ranking:
        _draw_ranking(parts[0], scene.ranking, scene.state.decay, left, above or height)
    _draw_feature(parts[-1], scene, width, height, classes_height)
    _add_heading(parts[-1], heading, letter)
    for ax in figure.axes:  # Matplotlib makes some ticks when it draws, by the style that is in force then
        ax.tick_params(axis="x", labelsize=size_of("xtick.labelsize"), width=rcParams["xtick.major.width"])
        ax.tick_params(axis="y", labelsize=size_of("ytick.labelsize"), width=rcParams["ytick.major.width"])
    part_names(figure)
    return figure


def _heading_of(scene: Scene, paper: Paper, room: float, letter: float, *, with_rank: bool) -> tuple[str, str]:
    """Return title and sentence over the curves."""
    sentence = scene.pair_text or f"{scene.average} {scene.ranking.place if with_rank else ''}".rstrip()
    if scene.features:
        n, n_drawn = len(scene.ranking.bars), len(scene.features)
        some = counted(n, "feature") if n == n_drawn else f"{n_drawn:,} of {counted(n, 'feature')}"
        sentence = f"{some} by {scene.ranking.title}"
    title = paper.title if isinstance(paper.title, str) else scene.heading
    return fitted(title, 0.94 * room, _TITLE[0] * letter), broken(sentence, 0.94 * room, letter)


def _heading_height(heading: Sequence[str], letter: float) -> float:
    return (_TITLE[1] + (heading[1].count("\n") + 1) * _LEADING) * letter if heading else 0.0


def _add_heading(parent: Any, heading: Sequence[str], letter: float, gid: str = "sentence") -> None:
    """Write title and sentence flush left, over blanks in the place of a title, for which a layout makes room."""
    if not heading:
        return
    n_blanks = round(_heading_height(heading, letter) / (_LEADING * letter) - 0.3)
    parent.suptitle("\n".join(n_blanks * " "), fontsize=letter, linespacing=_LEADING)
    looks: Any = {"weight": "bold", "fontsize": "large", "gid": "title"}, {"gid": gid}
    for text, down, look in zip(heading, (0.3, 0.3 + _TITLE[1]), looks, strict=True):
        to_place = ScaledTranslation(0.6 * letter / 72, -down * letter / 72, parent.dpi_scale_trans)
        where: dict[str, Any] = {"transform": parent.transSubfigure + to_place, "va": "top", "linespacing": _LEADING}
        parent.text(0.0, 1.0, text, **where, **look)


def _draw_ranking(parent: FigureBase, ranking: Ranking, decay: float, width: float, height: float) -> None:
    """Draw the ranking in a part of a figure, so many pt wide and high; its rows are no higher than they need."""
    letter, names_room = float(rcParams["font.size"]), _NAMES * width
    title = fitted(ranking.heading, 0.94 * width, _TITLE[0] * letter)
    heading = title, broken(ranking.caption, 0.94 * width, letter)
    room = height - _heading_height(heading, letter) - letter
    longest = max((width_of(fitted(bar.label, names_room, letter), letter) for bar in ranking.bars), default=0.0)
    around = {"left": (longest + 1.5 * letter) / width, "right": 0.99, "bottom": 1 - room / height, "top": 1.0}
    ax = parent.subplots(gridspec_kw=around)
    handles = draw_ranking(ax, ranking, decay, max(2, int((room - 6 * letter) / (_ROW * letter))), names_room)
    below = ax.get_ylim()[0]
    ax.set_ylim(room / (_ROW * letter) - 0.6, -0.6)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.plot([0, 0], [-0.5, len(ax.get_yticks()) - 0.5], color=Look.of(ax).mixed(1), linewidth=0.6, label="_axis")
    legend = add_figure_legend(parent, handles, None, width, "upper left")
    if legend is not None:  # right under the bars
        untyped: Any = parent
        legend.set_bbox_to_anchor((0.0, below), blended_transform_factory(untyped.transSubfigure, ax.transData))
        legend.set_in_layout(False)
    _add_heading(parent, heading, letter, "remark")


def _draw_feature(parent: Any, scene: Scene, width: float, height: float, classes_height: float) -> None:
    """Draw the open feature, with its classes below, or all features, in a part of a figure."""
    letter, top = float(rcParams["font.size"]), parent
    if scene.features:
        _draw_smalls(parent, scene.features, _FEATURE, width, scene)
        return
    if scene.classes:
        top, bottom = parent.subfigures(2, 1, height_ratios=(height - classes_height, classes_height))
        n_drawn = len(scene.classes)
        some = f", the {n_drawn} most probable of {scene.n_classes}" if n_drawn < scene.n_classes else ""
        text = fitted(f"{scene.lines.feature} for every class{some}", 0.94 * width, letter)
        bottom.suptitle(text, x=0.02, ha="left", fontsize=letter, weight="bold", gid="classes")
        _draw_smalls(bottom, scene.classes, _CLASS, width, scene)
    # Axes that are about as large as the layout makes them: texts are fitted to them.
    around = {"left": 5.5 * letter / width, "right": 0.98, "bottom": 3.5 * letter / height, "top": 0.85}
    ax: Axes = top.subplots(gridspec_kw=around)
    if scene.pair is not None:
        draw_pair(ax, scene.pair)
    else:
        draw_curves(ax, scene.lines, scene.n_rows)


def _columns(smalls: Sequence[Small], size: tuple[float, float], width: float) -> int:
    return min(len(smalls), max(1, int(width / (size[0] * float(rcParams["font.size"])))))


def _smalls_height(smalls: Sequence[Small], size: tuple[float, float], width: float) -> float:
    n_rows = math.ceil(len(smalls) / _columns(smalls, size, width))
    return (n_rows * (size[1] + 3.2) + 3) * float(rcParams["font.size"])


def _draw_smalls(parent: Any, smalls: Sequence[Small], size: tuple[float, float], width: float, scene: Scene) -> None:
    is_of_features = size is _FEATURE
    draw_small_plots(
        parent, smalls, n_columns=_columns(smalls, size, width), width=width, n_rows=scene.n_rows,
        kind=scene.state.kind if is_of_features else "ice", legend=is_of_features, is_small=True,
    )  # fmt: skip
