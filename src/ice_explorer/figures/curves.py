"""The curves of one feature on Matplotlib Axes: ordinary artists, each with a label and a group id (gid)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb, to_rgba_array
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import Normal, Stroke
from matplotlib.ticker import AutoLocator, MaxNLocator, ScalarFormatter

from ice_explorer.features.axis_text import MISSING, thousands_separator
from ice_explorer.figures.legend import Numbers, TicksAbove
from ice_explorer.figures.style import ALE, PICK, UNLIKE, Look
from ice_explorer.figures.text import fitted, kept_width, room_of, size_of, width_of
from ice_explorer.glossary import explanation
from ice_explorer.scene.display_axis import FEW_VALUES, axis_ticks
from ice_explorer.tables.column import are_in_calendar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.arrays import Array, Mask, Places, Rows
    from ice_explorer.figures.style import Palette
    from ice_explorer.scene.lines import Lines

_PT_PER_PX: Final = 0.75
_MOST_STROKES: Final = 150  # more curves are pixels in a vector format
_OPACITY_STEPS: Final = 16
_MOST_DOTS: Final = 2_000  # more are pixels in a vector format
_DIMMED: Final = 0.28  # what is not selected, where something is
_MOST_SELECTED: Final = 20  # rows that stand out in full
_FEW_TARGETS: Final = 200
_MOST_NAMED: Final = 8  # group means with their names at their ends
_LEADING: Final = 1.2  # letters, from one of these names to the next
_NAME_ROOM: Final = 90.0  # pt, of such a name
_GROUPS_ASIDE: Final = 0.5  # of a level's room, for the means of groups side by side
_ALE_ASIDE: Final = 0.2  # of a level's room, from its mean
# Along the axis.
_SLOT: Final = 0.09  # of the axis, for the strip of missing values next to it
_NAME_GAP: Final = 4.0  # pt, between the names of levels
_LEAST_APART: Final = 1.2  # heights of a letter, from one slanted name to the next
_ANGLE: Final = 38
_MOST_NAME: Final = 80.0  # pt, of a level
_USUAL_STEPS: Final = 9  # of an axis, at most
_PX_OF_TICKS: Final = 8.0  # size of letters that `axis_ticks` counts with
# At the foot, of the height of the Axes.
_STRIP: Final = 0.085
_AIR: Final = 0.02  # between the strips and the lines, and half as much between two strips
# On levels.
MOST_CONNECTED: Final = 0.5  # opacity that connectors reach together, however many they are
_CONNECTOR: Final = 0.4  # share of a line's opacity that its connectors have
_FEW_ROWS: Final = 20  # up to so many rows are exactly on their level
_FEW_DOTS: Final = 60
_CROWD: Final = 200  # lines from which the dots are small
_MOST_ROOM: Final = 0.34
_MOST_PX: Final = 30.0
_GOLDEN: Final = 0.6180339887498949

_OBSERVED: Final = "observed"
_UNLIKE_SHARE: Final = "share unlike the data"
_MOST: Final = 0.5  # share of the curves
_DOTTED: Final[dict[str, Any]] = {"linestyle": (0, (1, 1.2)), "gid": "mean unlike the data", "label": "_mean"}


@dataclass(eq=False)
class FeaturePlot:
    """The curves of a feature on some Axes.

    Some of `n_rows` rows have a curve. A plot that `is_small` has curves and their mean; one that `may_grow` has names
    beside the ends of means, for which a layout makes room.

    Along the axis, `reach` is half the width of a level's strip of dots, `beside` the middle of the strip of missing
    values, and the Axes reach from `inner` to `outer`.
    """

    ax: Axes
    lines: Lines
    n_rows: int
    palette: Palette
    is_small: bool = False
    may_grow: bool = False

    def __post_init__(self) -> None:
        lines, n_rows = self.lines, self.n_rows
        self.coloring, self.look, self.y_domain = lines.coloring, Look.of(self.ax), lines.y_domain
        has_room = self.may_grow and not lines.is_empty and len(lines.coloring.levels) <= _MOST_NAMED
        self.names_at_ends = has_room and not lines.on_levels and lines.missing is None
        # What the levels in the legend are of; None where there are none.
        self.legend_title = lines.coloring.title if lines.coloring.levels and not self.names_at_ends else None
        self._n_drawn = lines.n_rows
        some = "" if self._n_drawn == n_rows else f" of {n_rows:,}"
        self._curves_label = f"{self._n_drawn:,}{some} curves"
        self._dim = _DIMMED if lines.selected.any() else 1.0
        width = 1.5 * self.look.line_width
        halo = Stroke(linewidth=width + 1.6 * self.look.line_width, foreground=self.look.mixed(0), alpha=0.85)
        self._halo: list[Any] = [halo, Normal()]  # parts a line from those below it
        self._ends: list[tuple[float, str, Any, str]] = []  # of means: height, name, colour and group id
        self._mean_color: Any = self.look.mixed(1)
        self._mean_mark: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 5.5 * self.look.line_width}
        self._mean_mark |= {"markeredgecolor": self.look.mixed(0), "markeredgewidth": 0.8}
        usual = {"color": self._mean_color, "linewidth": width, "zorder": 4.5, "gid": "mean", "label": "mean"}
        self._mean_look = {**usual, **(self._mean_mark if lines.on_levels else {})}
        self._selected_mean_look = {**self._mean_look, "color": PICK, "gid": "selected mean", "zorder": 4.2}
        self._selected_mean_look["label"] = explanation("selected_mean").name

        low, high = lines.x_domain
        slot = 1.0 if lines.on_levels else _SLOT * (high - low)
        air = 0.0 if lines.axis.has_levels else rcParams["axes.xmargin"] * (high - low)  # levels have their own
        self._end = high + air
        self.inner, self.outer = low - air, self._end + (0.0 if lines.missing is None else 1.25 * slot)
        per_px = (self.outer - low) / (room_of(self.ax)[0] / _PT_PER_PX)
        self._place = place_in_strip(lines.positions)
        self.reach = per_px * strip_reach(len(self._place), 1.0 / per_px) if lines.on_levels else 0.0
        self._slot, self.beside = slot, math.nan if lines.missing is None else self._end + 0.75 * slot
        self._beside_reach = per_px * strip_reach(len(self._place), slot / per_px)

    def draw(self, room: float) -> None:
        """Draw everything that has units of the data, over an axis of the feature that is so many pt long."""
        lines = self.lines
        self._write_numbers()
        self._add_ticks(room)
        self._set_limits(self._add_strips())
        self._add_rules()
        if lines.is_empty:
            where: dict[str, Any] = {"ha": "center", "va": "center", "transform": self.ax.transAxes}
            self.ax.text(0.5, 0.5, "A constant feature has no slope.", **where, gid="note", wrap=True)
            return
        self._add_target()
        if lines.on_levels:
            ends, values = strip_ends(lines.x, self.reach), np.repeat(lines.values, 2, axis=1)
            self._add_lines(ends, values, connector_opacity(lines.dot_opacity), most=MOST_CONNECTED)
        else:
            self._add_lines(lines.x, lines.values, lines.opacity)
        self._add_phantoms()
        if not self.is_small or lines.on_levels:
            self._add_dots()
        self._add_selected()
        if lines.group_means is None:
            self._add_mean()
        if not self.is_small or lines.group_means is not None:
            self._add_group_means()
        if self.names_at_ends:
            self._name_ends()
        if lines.ale is not None:
            self._line(lines.ale[0] - _ALE_ASIDE * lines.on_levels, lines.ale[1], self._ale_look)

    def _set_limits(self, foot: float) -> None:
        """Extend the axes over the data, with a share of their height free below, unless limits are fixed."""
        low, high = self.y_domain
        self.ax.update_datalim([(self.inner, low - foot * (high - low) / (1 - foot)), (self.outer, high)])
        self.ax.margins(0)
        self.ax.autoscale_view()

    # --- the axis of the feature, and what is at its foot -------------------------------------------

    def _write_numbers(self) -> None:
        """Write the numbers of both axes as the explorer does, unless they have a formatter of their own."""
        ax, lines = self.ax, self.lines
        if isinstance(ax.yaxis.get_major_formatter(), ScalarFormatter):
            ax.yaxis.set_major_formatter(Numbers())
        before: Any = ax.yaxis.get_major_locator()
        if type(before) is AutoLocator:
            ax.yaxis.set_major_locator(TicksAbove(self.y_domain[0]))
        elif isinstance(before, TicksAbove):  # of earlier curves
            before.lowest = min(before.lowest, self.y_domain[0])
        if lines.axis.kind == "numeric" and isinstance(ax.xaxis.get_major_formatter(), ScalarFormatter):
            write = Numbers(thousands_separator(lines.grid))
            ax.xaxis.set_major_formatter(write)
            size = size_of("xtick.labelsize")
            widest = max(width_of(text, size) for text in write.format_ticks([*lines.x_domain]))
            n_steps = int(kept_width(ax) / (1.3 * widest + size))
            if type(ax.xaxis.get_major_locator()) is AutoLocator and n_steps < _USUAL_STEPS:
                ax.xaxis.set_major_locator(MaxNLocator(max(2, n_steps), steps=[1, 2, 2.5, 5, 10]))

    def _add_ticks(self, room: float) -> None:
        """Label the axis of the feature if its values are few or not plain numbers, and the strip next to it."""
        ax, lines, axis = self.ax, self.lines, self.lines.axis
        if axis.kind == "numeric" and len(lines.grid) > FEW_VALUES and lines.missing is None:
            return
        size, (low, high) = size_of("xtick.labelsize"), lines.x_domain
        every, is_slanted = 1, False  # one name in so many is written
        if axis.levels is not None:
            # A name on its own level has the room of one; the first and the last may stand out of the axes.
            pitch = room / (self.outer - low) * float(np.min(np.diff(lines.grid), initial=high - low))
            widest = max(width_of(name, size) for name in axis.levels) + _NAME_GAP
            if widest > pitch:
                # Months say what is between two of them.
                is_slanted = not are_in_calendar(axis.levels)
                every = math.ceil((_LEAST_APART * size if is_slanted else widest) / pitch)
        ticks = axis_ticks(axis, lines.x_domain, room * _PX_OF_TICKS / size)
        texts = [fitted(tick.label, _MOST_NAME, size) if at % every == 0 else "" for at, tick in enumerate(ticks)]
        where = [tick.value for tick in ticks]
        if lines.missing is not None:
            look: dict[str, Any] = {"color": self.look.mixed(0.5), "linewidth": 0.5, "dashes": (2, 3), "zorder": 0.9}
            ax.axvline(self._end + 0.15 * self._slot, **look, gid="edge of the axis", label="_edge")
            per_unit = room / (self.outer - self.inner)
            if texts:  # the last one is left out where it would touch the name of the strip
                needed = (width_of(MISSING, size) + width_of(texts[-1], size)) / 2 + _NAME_GAP
                if (self.beside - where[-1]) * per_unit < needed:
                    where, texts = where[:-1], texts[:-1]
            where, texts = [*where, self.beside], [*texts, MISSING]
        ax.set_xticks(where, labels=texts)
        if is_slanted:
            for label in ax.get_xticklabels():
                label.set(rotation=_ANGLE, ha="right", rotation_mode="anchor")

    def _at(self, values: Array, line: Places | slice = slice(None)) -> Array:
        """Places of one value of each line, or of some of them, on the axis or beside it."""
        place = self._place[line]
        return np.where(np.isnan(values), self.beside + self._beside_reach * place, values + self.reach * place)

    def _add_strips(self) -> float:
        """Draw from the bottom upwards where the data are, and where curves say little; return the height taken."""
        lines = self.lines
        left, right, shares, missing = lines.data_bars
        bars = list(zip(left.tolist(), right.tolist(), shares.tolist(), strict=True))
        if lines.missing is not None:
            half = (self.outer - self.beside) / 2
            bars.append((self.beside - half, self.beside + half, missing))
        boxes = [_box(start, stop, share) for start, stop, share in bars if share > 0]
        self._add_strip(0, boxes, facecolors=[self.look.mixed(0.3)], gid="histogram", label="_histogram")
        if lines.unlike is None:
            return _STRIP + _AIR / 2
        x, shares = lines.grid, lines.unlike
        areas = [np.concatenate([np.column_stack([x, shares]), [[x[-1], 0.0], [x[0], 0.0]]])]
        if lines.axis.has_levels or len(x) == 1:
            areas = [_box(at - 0.3, at + 0.3, share) for at, share in zip(x.tolist(), shares.tolist(), strict=True)]
        self._add_strip(1, areas, facecolors=[UNLIKE], alpha=0.4, gid="unlike", label=_UNLIKE_SHARE)
        return 2 * _STRIP + _AIR / 2

    def _add_strip(self, place: int, shapes: list[Array], **look: Any) -> None:
        placed = [shape * [1.0, _STRIP - _AIR / 2] + [0.0, place * _STRIP] for shape in shapes]
        look |= {"edgecolors": [self.look.mixed(0)], "linewidths": 0.4, "zorder": 1.5}
        drawn = PolyCollection(placed, transform=self.ax.get_xaxis_transform(), **look)
        self.ax.add_collection(drawn, autolim=False)

    def _add_rules(self) -> None:
        thin: dict[str, Any] = {"color": self.look.mixed(0.6), "linewidth": 0.5 * self.look.line_width, "zorder": 0.9}
        if self.lines.kind != "ice":
            self.ax.axhline(0, **thin, gid="zero", label="_zero")
        if self.lines.anchored_at is not None:
            self.ax.axvline(self.lines.anchored_at, **thin, linestyle=(0, (2, 3)), gid="anchor", label="_anchor")

    # --- curves -----------------------------------------------------------------------------------

    def _add_lines(self, x: Array, values: Array, opacity: Array, *, most: float = 1.0) -> None:
        """Draw curves that together reach an opacity of `most`."""
        most *= self._dim
        n_lines, order = len(values), np.random.default_rng(0).permutation(len(values))  # no group hides the others
        opaque = 1 - math.exp(-_line_strength(n_lines))
        are_many = self.is_small or n_lines > _MOST_STROKES
        colors, width = self.palette.at(self.coloring.values[order]), _line_thickness(n_lines) * _PT_PER_PX
        look = {"linewidth": width * self.look.line_width, "zorder": 2.0, "gid": "curves", "label": self._curves_label}
        strength = opaque if are_many else most * opaque
        drawn = self._strokes(x, values[order], opacity[order], strength, colors, **look, rasterized=are_many)
        if are_many and most < 1:
            drawn.set_agg_filter(lambda image, _dpi: (np.asarray(image) * [1.0, 1.0, 1.0, most], 0, 0))  # of all

    def _strokes(
        self, x: Array, values: Array, opacity: Array, opaque: float, colors: Array, **look: Any
    ) -> LineCollection:
        """Add curves in runs of equal opacity, in sixteenths, the faintest still visible.

        Those that are too steep for the axis end where the strips begin.
        """
        paths, shades = [], []
        for row, color, fade in zip(values, colors, opacity, strict=True):
            steps = np.maximum(1, np.floor(fade * _OPACITY_STEPS + 0.5).astype(int))
            bounds = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)] if len(fade) else []
            for first, last in itertools.pairwise(bounds):
                paths.append(np.column_stack([x[first : last + 1], row[first : last + 1]]))
                shades.append([*color, opaque * steps[first] / _OPACITY_STEPS])
        look |= {"capstyle": "butt", "joinstyle": "round"}
        drawn = LineCollection(paths, colors=np.array(shades).reshape(-1, 4), **look)
        self.ax.add_collection(drawn, autolim=False)
        if self.lines.is_cut:
            low, high = self.y_domain
            drawn.set_clip_path(Rectangle((0, low), 1, high - low, transform=self.ax.get_yaxis_transform()))
        return drawn

    def _add_selected(self) -> None:
        """Draw the selected rows once more, over the others, and their mean."""
        lines, chosen = self.lines, self.lines.selected
        if not chosen.any():
            return
        x, values, opacity = lines.x, lines.values[chosen], lines.opacity[chosen]
        if lines.on_levels:
            x, opacity = lines.grid, np.ones((len(values), len(lines.grid) - 1))
        colors = self._selected_colors(self.coloring.values[chosen])
        opaque, width = (1.0, 1.2) if len(values) <= _MOST_SELECTED else (0.5, 0.7)
        rim = np.tile(self.look.mixed(0), (len(values), 1))
        usual: dict[str, Any] = {"gid": "selected", "label": "_selected"}
        width *= self.look.line_width
        self._strokes(x, values, opacity, 0.8, rim, linewidth=width + 1.6, zorder=2.6, **usual)
        self._strokes(x, values, opacity, opaque, colors, linewidth=width, zorder=2.7, **usual)
        usual = {"gid": "selected values", "label": "_selected", "zorder": 2.9}
        at = self._at(lines.own_x)[chosen]
        self._dots(at, lines.own_y[chosen], 2.6, facecolors=colors, edgecolors=PICK, linewidths=1.0, **usual)
        if lines.group_means is None and len(values) > 1:
            self._line(x, values.mean(axis=0), self._selected_mean_look, label="_mean of selected")

    def _selected_colors(self, values: Any) -> Any:
        is_plain = self.coloring.title is None or self.lines.on_levels
        return np.tile(to_rgb(PICK), (len(values), 1)) if is_plain else self.palette.at(values)

    # --- means ------------------------------------------------------------------------------------

    def _add_mean(self) -> None:
        """Draw the mean of all curves, dotted where most of them are unlike the data, as on screen."""
        lines = self.lines
        x = lines.grid if lines.on_levels else lines.x
        solid, dotted = np.ones(len(x), bool), np.zeros(len(x), bool)
        if not lines.on_levels and lines.unlike is not None and len(lines.unlike) == len(x):
            is_unlike = lines.unlike > _MOST
            solid = ~is_unlike | np.append(~is_unlike[1:], False)  # both lines meet at the ends of a stretch
            dotted = is_unlike | np.append(is_unlike[1:], False)
        halo = None if lines.on_levels else self._halo
        self._line(x, np.where(solid, lines.mean, np.nan), self._mean_look, path_effects=halo)
        if dotted.any():
            self._line(x, np.where(dotted, lines.mean, np.nan), self._mean_look | _DOTTED, path_effects=None)
        if lines.missing is not None:
            beside = {"label": "_mean", "gid": "mean with the value missing", "path_effects": None}
            self._line([self.beside], [lines.missing.mean], self._mean_look | self._mean_mark, **beside)
        self._ends.append((float(lines.mean[-1]), "mean", self._mean_color, "mean name"))

    def _line(self, x: Any, y: Any, look: dict[str, Any], **other: Any) -> None:
        """Draw a line, or marks, that stand out from the lines below."""
        self.ax.plot(x, y, **{"path_effects": self._halo, **look, **other})

    def _add_group_means(self) -> None:
        """Draw the mean of each level that colours lines, on levels dots side by side."""
        lines, coloring = self.lines, self.coloring
        groups = [level for level in range(len(coloring.levels)) if (coloring.values == level).any()]
        for at, level in enumerate(groups):
            members: Mask = coloring.values == level
            aside = ((at + 0.5) / len(groups) - 0.5) * _GROUPS_ASIDE
            mean = lines.values[members].mean(axis=0) if lines.group_means is None else lines.group_means[level]
            look = {**self._mean_look, "color": to_hex(self.palette.at(level)), "zorder": 4.3, "gid": "group mean"}
            look["label"] = f"_mean of {coloring.levels[level]}"
            self._line(lines.grid + aside if lines.on_levels else lines.x, mean, look)
            self._ends.append((float(mean[-1]), coloring.levels[level], self.palette.at(level), "group name"))
            if lines.missing is not None and lines.group_means is None:
                height = float(lines.missing.values[members].mean())
                self._line([self.beside + aside * self._beside_reach], [height], look | self._mean_mark)

    def _name_ends(self) -> None:
        """Write names beside the ends of means, which `part_names` moves apart, and above them what groups are of."""
        size, (low, high) = size_of("legend.fontsize"), self.y_domain
        where: dict[str, Any] = {"xycoords": self.ax.get_yaxis_transform(), "textcoords": "offset points"}
        where |= {"va": "center", "fontsize": size, "annotation_clip": False}
        ends = sorted(self._ends)
        if len(ends) > 1:
            ends.append((ends[-1][0], self.coloring.title or "", self.look.mixed(0.7), "group title"))
        for height, name, color, gid in ends:
            at, text = min(max(height, low), high), fitted(name, _NAME_ROOM, size)
            self.ax.annotate(text, (1.0, at), (4, 0), color=self.look.readable(color), gid=gid, **where)

    @property
    def _ale_look(self) -> dict[str, Any]:
        width = self.look.line_width
        look: dict[str, Any] = {"color": ALE, "linewidth": 1.3 * width, "linestyle": (0, (3.5, 1.8)), "zorder": 4.4}
        if self.lines.on_levels:
            look |= {"linestyle": "none", "marker": "D", "markersize": 5.5 * width}
        return {**look, "gid": "ale", "label": explanation("ale").name}

    # --- dots -------------------------------------------------------------------------------------

    def _add_target(self) -> None:
        """Draw what was observed as hollow points behind the lines."""
        if self.lines.target is None:
            return
        shade = max(0.25, 0.6 * min(1.0, _FEW_TARGETS / len(self.lines.target)) ** 0.35)
        ring = {"facecolors": "none", "edgecolors": [(*self.look.mixed(1), shade)], "linewidths": 0.5, "zorder": 1.8}
        at = self._at(self.lines.own_x)
        self._dots(at, self.lines.target, 2.1, gid="target", label=self.lines.target_text, **ring)

    def _add_phantoms(self) -> None:
        """Draw predictions at every level but the row's own, and those with the value missing."""
        lines, n_lines = self.lines, len(self.lines.positions)
        levels, values, opacity = np.empty(0), np.empty((n_lines, 0)), np.empty((n_lines, 0))
        if lines.on_levels:
            levels, values, opacity = lines.grid, lines.values, lines.dot_opacity
        if lines.missing is not None:
            levels = np.append(levels, math.nan)
            values = np.column_stack([values, lines.missing.values])
            opacity = np.column_stack([opacity, np.full(n_lines, lines.missing.opacity)])
        observed = lines.own_x[:, None]
        is_phantom = (levels != observed) & ~(np.isnan(levels) & np.isnan(observed))
        order = np.random.default_rng(0).permutation(is_phantom.sum())  # none should hide the others
        line, level = (each[order] for each in np.nonzero(is_phantom))
        if len(line) == 0:
            return
        is_few = n_lines <= _FEW_DOTS
        strength = 0.9 if is_few else 0.7 * (_FEW_DOTS / n_lines) ** 0.25
        colors = to_rgba_array(self.palette.at(self.coloring.values))[line]
        colors[:, 3] = strength * opacity[line, level] * self._dim
        look = {"linewidths": 0, "zorder": 2.3, "gid": "predictions", "label": "_predictions", "color": colors}
        self._dots(self._at(levels[level], line), values[line, level], 1.5 if is_few else 1.1, **look)

    def _add_dots(self) -> None:
        """Draw the prediction of each row at its observed value; on levels, among many others, dots are larger."""
        lines = self.lines
        radius, opacity = (1.1, 0.6) if len(lines.positions) > _CROWD else (1.9, 0.95)
        if self.is_small:
            radius, opacity = 0.9, 0.6
        elif lines.on_levels:
            radius, opacity = 1.4 * max(radius, 1.3), 0.95
        at = self._at(lines.own_x)
        low, high = self.y_domain  # the steepest slopes may leave the axes
        drawn = np.isfinite(at) & (lines.own_y >= low) & (lines.own_y <= high) & ~lines.axis.is_off(lines.own_x)
        colors = self.palette.at(self.coloring.values[drawn])
        look = {"zorder": 2.5, "gid": "observed", "label": _OBSERVED, "linewidths": 0, "alpha": opacity * self._dim}
        self._dots(at[drawn], lines.own_y[drawn], radius, c=colors, **look)

    def _dots(self, x: Array, y: Array, radius: float, **look: Any) -> None:
        """Draw dots of so many px."""
        area = (2 * radius * _PT_PER_PX * rcParams["lines.markersize"] / 6) ** 2  # pt²
        self.ax.scatter(x, y, s=area, rasterized=len(x) > _MOST_DOTS, **look)

    # --- legend ---------------------------------------------------------------------------------

    @property
    def handles(self) -> list[Line2D | Patch]:
        """What the legend explains: the levels of the column that colours, then the marks."""
        lines = self.lines
        result: list[Line2D | Patch] = [] if self.names_at_ends else [*self.level_handles]
        if lines.is_empty:
            return result
        faint, width = self.look.mixed(0.5), self.look.line_width
        if self.coloring.title is None or self._n_drawn < self.n_rows:
            color = to_hex(self.palette.at(0)) if self.coloring.title is None else faint
            result.append(Line2D([], [], color=color, linewidth=0.8 * width, label=self._curves_label))
        if lines.group_means is None and not self.names_at_ends:  # else each is in the colour of its model
            result.append(Line2D([], [], **self._mean_look))
        result += [] if lines.ale is None else [Line2D([], [], **self._ale_look)]
        dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.5, "markeredgewidth": 0}
        if not self.is_small:
            result.append(Line2D([], [], color=faint, label=_OBSERVED, **dot))
        if lines.target is not None:
            ring = {**dot, "markerfacecolor": "none", "markeredgewidth": 0.6}
            result.append(Line2D([], [], color=self.look.mixed(1), label=lines.target_text, **ring))
        n_selected = len(np.unique(lines.positions[lines.selected]))
        if n_selected > 0:
            label = f"{explanation('selected').name} ({n_selected:,})"
            result.append(
                Line2D([], [], color=self._selected_colors([math.nan])[0], linewidth=1.2 * width, label=label)
            )
        if n_selected > 1 and lines.group_means is None:
            result.append(Line2D([], [], **self._selected_mean_look))
        if lines.unlike is not None and lines.unlike.any():
            result.append(Patch(facecolor=UNLIKE, alpha=0.4, label=_UNLIKE_SHARE))
        return result

    @property
    def level_handles(self) -> Iterator[Line2D]:
        """What a legend has of the levels that colour lines; none of a continuous column."""
        texts: dict[float, str] = dict(enumerate(self.coloring.levels))
        n_missing = np.isnan(self.coloring.values).sum()
        if n_missing:
            texts[math.nan] = f"missing ({n_missing:,})"
        look: dict[str, Any] = {"linewidth": 2 * self.look.line_width, "gid": "level"}
        return (Line2D([], [], color=to_hex(self.palette.at(at)), label=text, **look) for at, text in texts.items())


def part_names(figure: Figure) -> None:
    """Lay a figure out, and move names beside the ends of means so far apart that none touches another."""
    layout: Any = figure.get_layout_engine()
    layout.execute(figure)
    least = _LEADING * size_of("legend.fontsize") * figure.dpi / 72
    for ax in figure.axes:
        names: list[Any] = [text for text in ax.texts if text.get_gid() in {"mean name", "group name", "group title"}]
        if not names:
            continue
        box = ax.get_window_extent()
        ends = np.array([ax.transData.transform((0.0, text.xy[1]))[1] for text in names])
        steps = least * np.arange(len(names))
        # Half way between moving them up alone and down alone.
        up = np.maximum.accumulate(ends - steps)
        down = np.minimum.accumulate((ends - steps)[::-1])[::-1]
        placed = np.clip((up + down) / 2, box.y0 + least / 2, box.y1 - steps[-1]) + steps
        for text, shift in zip(names, 72 / figure.dpi * (placed - ends), strict=True):
            text.set_position((4, shift))


def _box(start: float, stop: float, share: float) -> Array:
    return np.array([[start, 0.0], [start, share], [stop, share], [stop, 0.0]])


# --- levels: the twin of `js/src/plot/geometry/levels.ts` -------------------------------------------


def _line_strength(n_lines: int) -> float:
    """Optical density of one line among so many: a handful look solid, thousands show where they are dense."""
    return 3.0 if n_lines <= 10 else 3.0 * (10 / n_lines) ** 0.62


def _line_thickness(n_lines: int) -> float:
    """Thickness of one line among so many, in px of 1/96 inch."""
    return float(np.interp(math.log(max(1, n_lines)), np.log([10, 200]), [1.5, 1.0]))


def strip_reach(n_rows: int, room: float) -> float:
    """Half the width of the strip in which a level's dots stand, of a level with so much room [px]."""
    if n_rows <= _FEW_ROWS:
        return 0.0
    return min(_MOST_ROOM * room, _MOST_PX, 1.2 * math.sqrt(n_rows))


def place_in_strip(positions: Rows) -> Array:
    """Place of each row in the strip, -1 to 1: even, the same at every level and in every picture."""
    return np.asarray(2 * ((positions * _GOLDEN) % 1) - 1)


def strip_ends(centres: Array, reach: float) -> Array:
    """Both ends of each level's strip, so that connectors run between the strips, not through the dots."""
    return np.column_stack([centres - reach, centres + reach]).ravel()


def connector_opacity(dots: Array) -> Array:
    """Opacity of the segments between `strip_ends`, (n_lines, 2 · n_levels - 1), by that of the dots of both levels.

    Two levels are joined as strongly as the likelier one; within the strips there is nothing.
    """
    n_lines, n_levels = dots.shape
    opacity = np.zeros((n_lines, 2 * n_levels - 1))
    opacity[:, 1::2] = _CONNECTOR * np.maximum(dots[:, :-1], dots[:, 1:])
    return opacity
