"""The figure of a view: the ranking beside the open feature, or what a reader chose to see around it."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from matplotlib import rcParams
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from ice_explorer.errors.base import counted
from ice_explorer.figures.curves import FeaturePlot
from ice_explorer.figures.effects import draw_interactions, draw_pair, interactions_height
from ice_explorer.figures.legend import add_figure_legend, add_shared_color_bar
from ice_explorer.figures.plot import draw_curves, grid_of_axes
from ice_explorer.figures.ranking import count_text, draw_bars, names_of, rows_shown
from ice_explorer.figures.style import Look, bare_figure
from ice_explorer.figures.text import broken, fitted, size_of, width_of
from ice_explorer.glossary import explanation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.figures.paper import Paper
    from ice_explorer.scene.build import Scene, Small

Parent: TypeAlias = Any
"""A figure, or a part of one."""
_SIDE_BY_SIDE: Final = 46.0  # letters: from this width on, the panels are side by side
_LEFT: Final = (0.36, 26.0)  # of the width, and letters at most, for the ranking
_LEADING: Final = 1.25  # letters, from one line to the next
_TITLE_SIZE: Final = 1.36  # letters as wide as these, of a bold title
_TITLE_HEIGHT: Final = 1.6  # letters
_ROW: Final = 1.9  # letters, of the ranking
_NAMES: Final = 0.42  # of the width of the ranking, at most, for the names of features
_MOST_ROWS_ABOVE: Final = 8  # of the ranking, where it stands above the curves
_PLOT: Final = (0.62, 20.0, 32.0)  # of the width, and letters at least and at most, the height of the curves
_FEATURE: Final = (15.0, 10.5)
_CLASS: Final = (12.0, 10.0)
_TITLE: Final[Mapping[str, Any]] = {"weight": "bold", "fontsize": "large", "gid": "title"}


def view_figure(scene: Scene, paper: Paper, *, with_ranking: bool) -> Figure:
    """Draw a view, or without the ranking the panel of the open feature alone.

    The `paper_style` must be in force already.
    """
    width, letter = 72 * paper.inches, float(rcParams["font.size"])
    is_beside = with_ranking and width >= _SIDE_BY_SIDE * letter
    left = min(_LEFT[0] * width, _LEFT[1] * letter) if is_beside else width
    curves = _Curves(scene, paper, width - left if is_beside else width, with_rank=with_ranking)
    ranking = _Ranking(scene, letter, left) if with_ranking else None
    above = 0.0 if ranking is None or is_beside else ranking.height
    figure = bare_figure(paper.inches, (above + curves.height) / 72)
    layout: Any = figure.get_layout_engine()
    layout.set(w_pad=0.4 * letter / 72, h_pad=0.4 * letter / 72)
    parts: Any = [figure]
    if is_beside:
        parts = figure.subfigures(1, 2, width_ratios=(left, width - left))
    elif ranking is not None:
        parts = figure.subfigures(2, 1, height_ratios=(above, curves.height))
    if ranking is not None:
        ranking.draw(parts[0], curves.height if is_beside else above)
    curves.draw(parts[-1])
    for ax in figure.axes:  # Matplotlib makes some ticks when it draws, by the style that is in force then
        ax.tick_params(axis="x", labelsize=size_of("xtick.labelsize"), width=rcParams["xtick.major.width"])
        ax.tick_params(axis="y", labelsize=size_of("ytick.labelsize"), width=rcParams["ytick.major.width"])
    return figure


class _Text(NamedTuple):
    """Lines of a heading, and what they look like."""

    text: str
    look: Mapping[str, Any]

    @property
    def height(self) -> float:
        """Height in letters."""
        return _TITLE_HEIGHT if self.look is _TITLE else (1 + self.text.count("\n")) * _LEADING


def _height_of(heading: Sequence[_Text], letter: float) -> float:
    return sum(each.height for each in heading) * letter


def _add_heading(parent: Parent, heading: Sequence[_Text], letter: float) -> None:
    """Write lines flush left: blanks in the place of a title reserve the room, over which they are laid."""
    if not heading:
        return
    n_blanks = round(_height_of(heading, letter) / (_LEADING * letter) + 0.3)
    parent.suptitle("\n".join(n_blanks * " "), fontsize=letter, linespacing=_LEADING)
    down = 0.3 * letter
    for each in heading:
        shift = ScaledTranslation(0.6 * letter / 72, -down / 72, parent.get_figure(root=True).dpi_scale_trans)
        where: dict[str, Any] = {"transform": parent.transSubfigure + shift, "va": "top", "linespacing": _LEADING}
        parent.text(0.0, 1.0, each.text, **where, **each.look)
        down += each.height * letter


class _Ranking:
    """The features and how they stand to each other: interactions, or the ranking; so many pt wide."""

    def __init__(self, scene: Scene, letter: float, width: float) -> None:
        self.scene, self.letter, self.width = scene, letter, width
        ranking, room = scene.ranking, 0.94 * width
        if scene.interactions is not None:
            n_rows, n = len(scene.interactions.row_positions), scene.interactions._context.table.n_observations
            basis = counted(n, "row") if n_rows == n else f"{n_rows:,} of {counted(n, 'row')}"
            what = f"{explanation('h2').name}, and the {explanation('interaction_size').name}"
            texts = f"{what} in units of the prediction.", f"From {basis}."
            lines = [_Text(broken(text, room, letter), {"gid": "sentence"}) for text in texts]
            self.heading = [_Text("Interactions", _TITLE), *lines]
        else:
            remarks = [broken(ranking.counted, room, letter)] if ranking.counted else []
            title = fitted(ranking.heading, room, _TITLE_SIZE * letter)
            self.heading = [_Text(title, _TITLE), *(_Text(text, {"gid": "remark"}) for text in remarks)]
        # Each entry of the legend has a row.
        signs = {ranking.sign(bar) for bar in ranking.bars}
        entries = 2 * ranking.has_ticks + (ranking.level is not None) + any(bar.is_tied for bar in ranking.bars)
        entries += bool(signs & {"up", "down"}) + ("levels" in signs) + len(ranking.models)
        self._legend_height = 1.4 * letter * entries
        self._heading_height = _height_of(self.heading, letter)

    @property
    def height(self) -> float:
        """Height where it is above the curves [pt]."""
        if self.scene.interactions is not None:
            return (interactions_height(self.scene.interactions) + 8 * _LEADING) * self.letter
        n_rows = min(_MOST_ROWS_ABOVE, len(self.scene.ranking.bars))
        return _ROW * self.letter * n_rows + self._heading_height + self._legend_height + 2 * self.letter

    def draw(self, parent: Parent, height: float) -> None:
        """Draw it so many pt high, a ranking with its legend right under the bars."""
        scene, letter, width, names_room = self.scene, self.letter, self.width, _NAMES * self.width
        if scene.interactions is not None:
            below = (height - self._heading_height) / letter
            draw_interactions(parent, scene.interactions, scene.state, below, names_room)
            _add_heading(parent, self.heading, letter)
            return
        room = height - self._heading_height - 1.5 * letter
        shown = rows_shown(scene.ranking, max(2, int((room - self._legend_height) / (_ROW * letter))))
        start = (max(width_of(name, letter) for name in names_of(shown, names_room)) + 1.5 * letter) / width
        around = {"left": start, "right": 0.99, "bottom": 0.02, "top": 1 - self._heading_height / height}
        ax = parent.subplots(gridspec_kw=around)
        handles = draw_bars(ax, scene.ranking, scene.state.decay, shown, names_room)
        ax.set_ylim(room / (_ROW * letter) - 0.6, -0.6)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.plot([0, 0], [-0.5, len(shown) - 0.5], color=Look.of(ax).mixed(1), linewidth=0.6, label="_axis")
        some = count_text(scene.ranking, shown)
        if some:
            ax.text(0, len(shown) - 0.2, some, fontsize=0.9 * letter, va="center", gid="count")
        if handles:
            legend = add_figure_legend(parent, handles, None, width, "upper left")
            place = blended_transform_factory(parent.transSubfigure, ax.transData)
            legend.set_bbox_to_anchor((0.0, len(shown) + (0.2 if some else -0.4)), transform=place)
            legend.set_in_layout(False)
        _add_heading(parent, self.heading, letter)


class _Curves:
    """What the features do: the open one, or all features; so many pt wide."""

    def __init__(self, scene: Scene, paper: Paper, width: float, *, with_rank: bool) -> None:
        self.scene, self.letter, self.width = scene, float(rcParams["font.size"]), width
        self.heading = [] if paper.title is False else self._heading(paper, with_rank=with_rank)
        self._heading_height = _height_of(self.heading, self.letter)
        self._classes_height = 0.0
        if scene.classes:
            self._classes_height = (_LEADING + 1) * self.letter + self._height_of_smalls(scene.classes, _CLASS)

    def _heading(self, paper: Paper, *, with_rank: bool) -> list[_Text]:
        scene, room = self.scene, 0.94 * self.width
        if scene.features:
            n, n_drawn = len(scene.ranking.bars), len(scene.features)
            some = counted(n, "feature") if n == n_drawn else f"{n_drawn:,} of {counted(n, 'feature')}"
            sentence = f"{some} by {scene.ranking.title}"
        else:
            sentence = scene.pair_text or f"{scene.average} {scene.ranking.place if with_rank else ''}".rstrip()
        title = paper.title if isinstance(paper.title, str) else scene.heading
        text = fitted(title, room, _TITLE_SIZE * self.letter)
        return [_Text(text, _TITLE), _Text(broken(sentence, room, self.letter), {"gid": "sentence"})]

    @cached_property
    def height(self) -> float:
        """Height of everything [pt]."""
        scene, letter = self.scene, self.letter
        if scene.features:
            return self._heading_height + self._height_of_smalls(scene.features, _FEATURE)
        share, least, most = _PLOT
        plots = min(max(share * self.width, least * letter), most * letter) + 4 * letter
        return self._heading_height + plots + self._classes_height

    def _columns(self, smalls: Sequence[Small], size: tuple[float, float]) -> int:
        return min(len(smalls), max(1, int(self.width / (size[0] * self.letter))))

    def _height_of_smalls(self, smalls: Sequence[Small], size: tuple[float, float]) -> float:
        n_rows = math.ceil(len(smalls) / self._columns(smalls, size))
        return (n_rows * (size[1] + 3.2) + 3) * self.letter

    def draw(self, parent: Parent) -> None:
        """Draw the open feature, or all features."""
        scene, top, letter = self.scene, parent, self.letter
        if scene.features:
            self._draw_smalls(parent, scene.features, _FEATURE)
            _add_heading(parent, self.heading, letter)
            return
        curves_height = self.height - self._classes_height
        if scene.classes:
            top, bottom = parent.subfigures(2, 1, height_ratios=(curves_height, self._classes_height))
            n_drawn = len(scene.classes)
            some = f", the {n_drawn} most probable of {scene.n_classes}" if n_drawn < scene.n_classes else ""
            text = fitted(f"{scene.lines.feature} for every class{some}", 0.94 * self.width, letter)
            bottom.suptitle(text, x=0.02, ha="left", fontsize=letter, weight="bold", gid="classes")
            self._draw_smalls(bottom, scene.classes, _CLASS)
        # Axes that are about as large as the layout makes them: texts are fitted to them.
        start, foot = 5.5 * letter / self.width, 3.5 * letter / curves_height
        around = {"left": start, "right": 0.98, "bottom": foot, "top": 1 - self._heading_height / curves_height}
        ax: Axes = top.subplots(gridspec_kw=around)
        if scene.pair is not None:
            draw_pair(ax, scene.pair)
        else:
            draw_curves(ax, scene.lines, scene.n_rows)
        _add_heading(top, self.heading, letter)

    def _draw_smalls(self, parent: Parent, smalls: Sequence[Small], size: tuple[float, float]) -> None:
        """Draw plots of one size in as many rows as it takes, with one legend under them."""
        n_columns = self._columns(smalls, size)
        axes = grid_of_axes(parent, len(smalls), n_columns)
        room = self.width / n_columns - 4.5 * self.letter
        plots = [self._draw_small(ax, small, room) for ax, small in zip(axes, smalls, strict=True)]
        if size is _CLASS:
            return
        longest = max(plots, key=lambda plot: len(plot.handles))
        add_figure_legend(parent, longest.handles, longest.legend_title, self.width)
        if plots[0].coloring.domain is not None:
            add_shared_color_bar(parent, axes, plots[0].coloring, plots[0].palette)

    def _draw_small(self, ax: Axes, small: Small, room: float) -> FeaturePlot:
        lines, letter = small.lines, self.letter
        ax.set_label(small.title)
        plot = FeaturePlot(ax, lines, len(lines.positions), is_small=True)
        used = width_of(small.note, 0.9 * letter) + letter if small.note else 0.0
        weight = "bold" if small.is_open else "normal"
        ax.set_title(fitted(small.title, room - used, letter), loc="left", fontsize=letter, weight=weight)
        if small.note:
            ax.set_title(small.note, loc="right", fontsize=0.9 * letter)
        if lines.remark is not None and lines.kind != self.scene.state.kind:  # another kind than that of the others
            ax.set_axis_off()
            where: dict[str, Any] = {"ha": "center", "va": "center", "transform": ax.transAxes, "gid": "note"}
            ax.text(0.5, 0.5, broken("Levels without an order have no slopes.", 0.9 * room, letter), **where)
            return plot
        plot.set_limits(plot.draw(room))
        return plot
