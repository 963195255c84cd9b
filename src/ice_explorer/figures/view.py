"""The figure of a view: the ranking beside the open feature, or what a reader chose to see around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ice_explorer.errors.base import counted
from ice_explorer.figures.curves import FeaturePlot
from ice_explorer.figures.interactions import draw_interactions, letters_of
from ice_explorer.figures.legend import add_figure_legend, add_shared_color_bar
from ice_explorer.figures.pair import draw_pair
from ice_explorer.figures.plot import draw_curves
from ice_explorer.figures.ranking import count_text, draw_bars, names_of, rows_shown
from ice_explorer.figures.style import Look, Styling, bare_figure
from ice_explorer.figures.text import broken, fitted, size_of, width_of
from ice_explorer.glossary import explanation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.figures.paper import Paper
    from ice_explorer.scene.scene import Scene, Small

Parent: TypeAlias = Any
"""A figure, or a part of one."""
NO_SLOPES: Final = "Levels without an order have no slopes."
_SIDE_BY_SIDE: Final = 46.0  # letters: from this width on, the panels are side by side
_LEFT: Final = (0.36, 26.0)  # of the width, and letters at most, for the ranking
_LEADING: Final = 1.25  # letters, from one line to the next
_TITLE_SIZE: Final = 1.36  # letters as wide as these, of a bold title
_TITLE_HEIGHT: Final = 1.6  # letters
_ROW: Final = 1.9  # letters, of the ranking
_NAMES: Final = 0.42  # of the width of the ranking, at most, for the names of features
_MOST_ROWS_ABOVE: Final = 8  # of the ranking, where it stands above the curves
_PLOT: Final = (0.62, 20.0, 32.0)  # of the width, and letters at least and at most, the height of the curves
_COMPARED: Final = (14.0, 16.0)  # letters, the least width and the height of a plot
_FEATURE: Final = (15.0, 10.5)
_CLASS: Final = (12.0, 10.0)
_TITLE: Final[Mapping[str, Any]] = {"weight": "bold", "fontsize": "large", "gid": "title"}
_PLAIN: Final = Styling(title=None, legend=True, palette=None, line_kw={}, mean_kw={})
_NO_LEGEND: Final = Styling(title=None, legend=False, palette=None, line_kw={}, mean_kw={})


def view_figure(scene: Scene, paper: Paper, *, with_ranking: bool) -> Figure:
    """Draw a view, or without the ranking the panel of the open feature alone.

    The style is that of `paper`, which must be in force already.
    """
    width, letter = 72 * paper.inches, paper.font_size
    is_beside = with_ranking and width >= _SIDE_BY_SIDE * letter
    left = min(_LEFT[0] * width, _LEFT[1] * letter) if is_beside else width
    drawn = _View(scene, paper, width - left if is_beside else width, with_rank=with_ranking)
    caption = ""
    if paper.caption is not False:
        usual = scene.description if with_ranking else scene.panel_description
        caption = broken(usual if paper.caption is True else paper.caption, 0.97 * width, 0.9 * letter)
    below = (2.0 + caption.count("\n")) * _LEADING * letter if caption else 0.0
    above = drawn.height_of_left(width) if with_ranking and not is_beside else 0.0
    figure = bare_figure(paper.inches, (above + drawn.height + below) / 72)
    layout: Any = figure.get_layout_engine()
    layout.set(w_pad=0.4 * letter / 72, h_pad=0.4 * letter / 72)
    right: Parent = figure
    if is_beside:
        parts: Any = figure.subfigures(1, 2, width_ratios=(left, width - left))
        drawn.draw_left(parts[0], left, drawn.height)
        right = parts[1]
    elif with_ranking:
        parts = figure.subfigures(2, 1, height_ratios=(above, drawn.height))
        drawn.draw_left(parts[0], left, above)
        right = parts[1]
    drawn.draw(right)
    if caption:
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=0.9 * letter, gid="caption")
    _keep_ticks(figure)
    return figure


def _keep_ticks(figure: Figure) -> None:
    """Fix the look of ticks: Matplotlib makes some of them when it draws, by the style that is in force then."""
    from matplotlib import rcParams

    for ax in figure.axes:
        ax.tick_params(axis="x", labelsize=size_of("xtick.labelsize"), width=rcParams["xtick.major.width"])
        ax.tick_params(axis="y", labelsize=size_of("ytick.labelsize"), width=rcParams["ytick.major.width"])


@dataclass(frozen=True)
class Text:
    """Lines of a heading, and what they look like."""

    text: str
    look: Mapping[str, Any]

    @property
    def height(self) -> float:
        """Height in letters."""
        return _TITLE_HEIGHT if self.look is _TITLE else (1 + self.text.count("\n")) * _LEADING


@dataclass(frozen=True)
class _View:
    """What is drawn, and on what; the curves and all that takes their place have a `width` [pt]."""

    scene: Scene
    paper: Paper
    width: float
    with_rank: bool

    # --- the features and how they stand to each other ---------------------------------------------

    def height_of_left(self, width: float) -> float:
        """Height of the ranking where it is above the curves [pt]."""
        letter = self.paper.font_size
        if self.scene.interactions is not None:
            return (letters_of(self.scene.interactions) + 8 * _LEADING) * letter
        n_rows = min(_MOST_ROWS_ABOVE, len(self.scene.ranking.bars))
        below = self._height_of_legend() + 2 * letter
        return _ROW * letter * n_rows + self._height_of(self._heading_of_left(width)) + below

    def _height_of_legend(self) -> float:
        """Height of the legend of the ranking where each of its entries has a row [pt]."""
        ranking = self.scene.ranking
        signs = {ranking.sign(bar) for bar in ranking.bars}
        entries = 2 * ranking.has_ticks + (ranking.level is not None) + any(bar.is_tied for bar in ranking.bars)
        entries += bool(signs & {"up", "down"}) + ("levels" in signs) + len(ranking.models)
        return 1.4 * self.paper.font_size * entries

    def _heading_of_left(self, width: float) -> list[Text]:
        ranking, letter, room = self.scene.ranking, self.paper.font_size, 0.94 * width
        title = fitted(ranking.heading, room, _TITLE_SIZE * letter)
        remarks = [broken(ranking.counted, room, letter)] if ranking.counted else []
        return [Text(title, _TITLE), *(Text(text, {"gid": "remark"}) for text in remarks)]

    def draw_left(self, parent: Parent, width: float, height: float) -> None:
        """Draw interactions, or the ranking with its legend right under the bars."""
        scene, letter = self.scene, self.paper.font_size
        if scene.interactions is not None:
            size = explanation("interaction_size").name
            texts = f"{explanation('h2').name}, and the {size} in units of the prediction.", scene.interactions.basis
            sentences = [Text(broken(text, 0.94 * width, letter), {"gid": "sentence"}) for text in texts]
            below = height - self._height_of([Text("", _TITLE), *sentences])
            draw_interactions(parent, scene.interactions, width, below / letter)
            self._add_heading(parent, [Text("Interactions", _TITLE), *sentences])
            return
        heading, ranking = self._heading_of_left(width), scene.ranking
        room = height - self._height_of(heading) - 1.5 * letter
        most = int((room - self._height_of_legend()) / (_ROW * letter))
        shown = rows_shown(ranking.bars, max(2, most))
        names = names_of(shown, _NAMES * width)
        start = (max(width_of(name, letter) for name in names) + 1.5 * letter) / width
        around = {"left": start, "right": 0.99, "bottom": 0.02, "top": 1 - self._height_of(heading) / height}
        ax = parent.subplots(gridspec_kw=around)
        handles = draw_bars(ax, ranking, scene.state.decay, shown, _NAMES * width)
        ax.set_ylim(room / (_ROW * letter) - 0.6, -0.6)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.plot([0, 0], [-0.5, len(shown) - 0.5], color=Look.of(ax).mixed(1), linewidth=0.6, label="_axis")
        some = count_text(ranking, shown)
        if some:
            ax.text(0, len(shown) - 0.2, some, fontsize=0.9 * letter, va="center", gid="count")
        if handles:
            from matplotlib.transforms import blended_transform_factory

            below = len(shown) + (0.2 if some else -0.4)
            legend = add_figure_legend(parent, handles, None, width, "upper left")
            place = blended_transform_factory(parent.transSubfigure, ax.transData)
            legend.set_bbox_to_anchor((0.0, below), transform=place)
            legend.set_in_layout(False)
        self._add_heading(parent, heading)

    # --- what the features do ----------------------------------------------------------------------

    @cached_property
    def height(self) -> float:
        """Height of the curves and all that takes their place [pt]."""
        scene, letter = self.scene, self.paper.font_size
        heading = self._height_of(self._heading)
        if scene.features:
            return heading + self._height_of_smalls(scene.features, _FEATURE)
        if scene.compared:
            height = heading + self._height_of_smalls(scene.compared, _COMPARED)
        else:
            share, least, most = _PLOT
            height = heading + min(max(share * self.width, least * letter), most * letter) + 4 * letter
        return height + self._height_of_classes

    @property
    def _height_of_classes(self) -> float:
        if not self.scene.classes:
            return 0.0
        return (_LEADING + 1) * self.paper.font_size + self._height_of_smalls(self.scene.classes, _CLASS)

    def _columns(self, smalls: Sequence[Small], size: tuple[float, float]) -> int:
        return min(len(smalls), max(1, int(self.width / (size[0] * self.paper.font_size))))

    def _height_of_smalls(self, smalls: Sequence[Small], size: tuple[float, float]) -> float:
        n_rows = math.ceil(len(smalls) / self._columns(smalls, size))
        return (n_rows * (size[1] + 3.2) + 3) * self.paper.font_size

    def _height_of(self, heading: Sequence[Text]) -> float:
        return sum(each.height for each in heading) * self.paper.font_size

    @cached_property
    def _heading(self) -> list[Text]:
        """The lines above the curves: title, sentence and notes."""
        scene, letter = self.scene, self.paper.font_size
        if self.paper.title is False:
            return []
        room = 0.94 * self.width
        title = scene.heading if self.paper.title is True else self.paper.title
        if scene.features:
            n, shown = len(scene.ranking.bars), len(scene.features)
            some = counted(n, "feature") if n == shown else f"{shown:,} of {counted(n, 'feature')}"
            sentences = [f"{some} by {scene.ranking.title}"]
        elif scene.pair is not None:
            sentences = [scene.pair.sentence]
        else:
            rank = scene.rank if self.with_rank else ""
            sentences = [f"{scene.average} {rank}".rstrip(), *scene.lines.notes]
        lines = [Text(broken(text, room, letter), {"gid": "sentence"}) for text in sentences]
        return [Text(fitted(title, room, _TITLE_SIZE * letter), _TITLE), *lines]

    def draw(self, parent: Parent) -> None:
        """Draw the open feature, what it is compared with, or all features."""
        scene = self.scene
        if scene.features:
            self._draw_smalls(parent, scene.features, _FEATURE)
            self._add_heading(parent, self._heading)
            return
        top = parent
        if scene.classes:
            below = self._height_of_classes
            top, bottom = parent.subfigures(2, 1, height_ratios=(self.height - below, below))
            n_shown = len(scene.classes)
            some = f", the {n_shown} most probable of {scene.n_classes}" if n_shown < scene.n_classes else ""
            text = fitted(f"{scene.lines.feature} for every class{some}", 0.94 * self.width, self.paper.font_size)
            bottom.suptitle(text, x=0.02, ha="left", fontsize=self.paper.font_size, weight="bold", gid="classes")
            self._draw_smalls(bottom, scene.classes, _CLASS)
        if scene.compared:
            self._draw_smalls(top, scene.compared, _COMPARED)
        elif scene.pair is not None:
            draw_pair(self._axes(top), scene.pair)
        else:
            draw_curves(self._axes(top), scene.lines, scene.coloring, _PLAIN, scene.n_rows)
        self._add_heading(top, self._heading)

    def _axes(self, parent: Parent) -> Axes:
        """Return Axes that are about as large as the layout makes them: texts are fitted to them."""
        letter, heading = self.paper.font_size, self._height_of(self._heading)
        whole = self.height - self._height_of_classes
        around = {
            "left": 5.5 * letter / self.width,
            "right": 0.98,
            "bottom": 3.5 * letter / whole,
            "top": 1 - heading / whole,
        }
        ax: Axes = parent.subplots(gridspec_kw=around)
        return ax

    def _add_heading(self, parent: Parent, heading: Sequence[Text]) -> None:
        """Write lines flush left: blanks in the place of a title reserve the room, over which they are laid."""
        from matplotlib.transforms import ScaledTranslation

        if not heading:
            return
        letter = self.paper.font_size
        n_blanks = round(self._height_of(heading) / (_LEADING * letter) + 0.3)
        parent.suptitle("\n".join(n_blanks * " "), fontsize=letter, linespacing=_LEADING)
        down = 0.3 * letter
        for each in heading:
            shift = ScaledTranslation(0.6 * letter / 72, -down / 72, parent.get_figure(root=True).dpi_scale_trans)
            where: dict[str, Any] = {"transform": parent.transSubfigure + shift, "va": "top", "linespacing": _LEADING}
            parent.text(0.0, 1.0, each.text, **where, **each.look)
            down += each.height * letter

    def _draw_smalls(self, parent: Parent, smalls: Sequence[Small], size: tuple[float, float]) -> None:
        """Draw plots of one size in as many rows as it takes, with one legend under them."""
        n_columns = self._columns(smalls, size)
        n_rows = math.ceil(len(smalls) / n_columns)
        axes = list(parent.subplots(n_rows, n_columns, squeeze=False).flat)
        for ax in axes[len(smalls) :]:
            ax.remove()
        with_titles = size is _COMPARED
        room = self.width / n_columns - (6.5 if with_titles else 4.5) * self.paper.font_size
        pairs = zip(axes, smalls, strict=False)
        plots = [self._draw_small(ax, small, room, with_titles=with_titles) for ax, small in pairs]
        if size is _CLASS:
            return
        longest = max(plots, key=lambda plot: len(plot.handles))
        add_figure_legend(parent, longest.handles, longest.legend_title, self.width)
        if plots[0].coloring.domain is not None:
            add_shared_color_bar(parent, axes[: len(smalls)], plots[0].coloring)

    def _draw_small(self, ax: Axes, small: Small, room: float, *, with_titles: bool) -> FeaturePlot:
        """Draw a plot that is so many pt wide under its name."""
        lines, letter = small.lines, self.paper.font_size
        ax.set_label(small.title)
        plot = FeaturePlot(
            ax, lines, small.coloring, Look.of(ax), _NO_LEGEND, len(lines.positions), lines.y_domain, as_image=True,
            is_small=not with_titles,
        )  # fmt: skip
        used = width_of(small.note, 0.9 * letter) + letter if small.note else 0.0
        weight = "bold" if small.is_open else "normal"
        ax.set_title(fitted(small.title, room - used, letter), loc="left", fontsize=letter, weight=weight)
        if small.note:
            ax.set_title(small.note, loc="right", fontsize=0.9 * letter)
        if lines.remark is not None and lines.kind != self.scene.state.kind:  # another kind than that of the others
            ax.set_axis_off()
            where: dict[str, Any] = {"ha": "center", "va": "center", "transform": ax.transAxes, "gid": "note"}
            ax.text(0.5, 0.5, broken(NO_SLOPES, 0.9 * room, letter), **where)
            return plot
        plot.set_limits(plot.draw(room))
        if with_titles:
            ax.set_ylabel(broken(lines.y_title, 0.7 * _COMPARED[1] * letter, letter, 2))
            ax.set_xlabel(fitted(lines.x_title, room, letter))
        return plot
