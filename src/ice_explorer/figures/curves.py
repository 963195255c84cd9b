"""The curves of one feature on Matplotlib Axes: ordinary artists, each with a label and a group id (gid)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.figures.feet import SLOPE_SPREAD_LABEL, UNLIKE_LABEL, draw_feet
from ice_explorer.figures.lines_image import LinesImage, line_strength, line_thickness
from ice_explorer.figures.numbers import Within
from ice_explorer.figures.places import PT_PER_PX, Places, add_ticks, write_numbers
from ice_explorer.figures.style import IMAGE_PROPERTIES
from ice_explorer.figures.text import fitted, root_of, size_of
from ice_explorer.glossary import explanation
from ice_explorer.scene.palette import ALE, M_PLOT, PICK, UNLIKE
from ice_explorer.scene.strips import (
    MOST_CONNECTED,
    connector_opacity,
    observed_dot,
    phantom_dots,
    strip_ends,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from ice_explorer.arrays import Array, Mask
    from ice_explorer.figures.style import Look, Styling
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import EffectName, Lines

_MOST_OPAQUE: Final = 0.995
# Beyond either, strokes make a file larger than an image, and the last stroke hides the others.
_MOST_STROKES: Final = 150
_MOST_SEGMENTS: Final = 40_000
_OPACITY_STEPS: Final = 16
_MOST_DOTS: Final = 2_000  # more are pixels in a vector format
_DIMMED: Final = 0.28  # what is not selected, where something is
_MOST_SELECTED: Final = 20  # rows that stand out in full
_FEW_TARGETS: Final = 200
_MOST_NAMED: Final = 8  # group means with their names at their ends
_LEADING: Final = 1.1  # letters, from one of these names to the next
_NAME_ROOM: Final = 90.0  # pt, of such a name
_GROUPS_ASIDE: Final = 0.5  # of a level's room, for the means of groups side by side
_EFFECTS: Final[dict[str, dict[str, Any]]] = {
    "ale": {"color": ALE, "linewidth": 1.3, "linestyle": (0, (3.5, 1.8))},
    "m_plot": {"color": M_PLOT, "linewidth": 1.6, "linestyle": (0, (0.8, 1.1))},
}
_EFFECT_MARKERS: Final = {"ale": "D", "m_plot": "^"}  # on levels
_EFFECT_ASIDE: Final = {"ale": -0.2, "m_plot": 0.2}  # of a level's room, from its mean

MEAN_LABEL: Final = "mean"
SPREAD_LABEL: Final = "± 1 SD"
MIDDLE_LABEL: Final = "middle 68 %"
OBSERVED_LABEL: Final = "observed"
NO_SLOPE_TEXT: Final = "A constant feature has no slope."


@dataclass(frozen=True)
class FeaturePlot:
    """What is drawn of a feature, and where.

    Some of `n_rows` rows have a curve; the value axis reaches over `y_domain`, but for strips and legend. Where curves
    must not be strokes, `as_image` draws few curves as pixels, too. A plot that `is_small` has curves and their mean;
    one that `may_grow` has the names of groups beside the ends of their means, for which a layout makes room.
    """

    ax: Axes
    lines: Lines
    coloring: Coloring
    look: Look
    styling: Styling
    n_rows: int
    y_domain: tuple[float, float]
    as_image: bool = False
    is_small: bool = False
    may_grow: bool = False

    @cached_property
    def _places(self) -> Places:
        return Places.of(self.lines, self.ax)

    def draw(self, room: float) -> float:
        """Draw everything that has units of the data, over an axis of the feature that is so many pt long.

        Returns the share of the height that is taken at the foot.
        """
        lines = self.lines
        write_numbers(self.ax, lines)
        add_ticks(self.ax, lines, self._places, room, self.look.mixed(0.5))
        foot = draw_feet(self.ax, lines, self._places, self.look, is_small=self.is_small)
        self._add_rules()
        if lines.is_empty:
            where: dict[str, Any] = {"ha": "center", "va": "center", "transform": self.ax.transAxes}
            self.ax.text(0.5, 0.5, NO_SLOPE_TEXT, **where, gid="note", wrap=True)
            return foot
        self._add_target()
        if lines.on_levels:
            ends, values = strip_ends(lines.x, self._places.reach), np.repeat(lines.values, 2, axis=1)
            self._add_lines(ends, values, connector_opacity(lines.dot_opacity), most=MOST_CONNECTED)
        else:
            self._add_lines(lines.x, lines.values, lines.opacity)
        self._add_phantoms()
        if not self.is_small or lines.on_levels:
            self._add_dots()
        self._add_selected()
        if lines.has_mean and lines.group_means is None:
            self._add_mean()
        if not self.is_small or lines.group_means is not None:
            self._add_group_means()
        self._add_effects()
        return foot

    def set_limits(self, foot: float, head: float = 0.0) -> None:
        """Extend the axes over the data, with shares of their height free below and above, unless limits are fixed."""
        low, high = self.y_domain
        whole = (high - low) / (1 - foot - head)
        corners = [(self._places.inner, low - foot * whole), (self._places.outer, high + head * whole)]
        Within.restrict(self.ax.yaxis, low, high)
        self.ax.update_datalim(corners)
        self.ax.margins(0)
        self.ax.autoscale_view()

    # --- curves -----------------------------------------------------------------------------------

    def _add_rules(self) -> None:
        """Draw lines where changes and slopes are 0, and where all curves of c-ICE are held."""
        thin: dict[str, Any] = {"color": self.look.mixed(0.6), "linewidth": 0.5 * self.look.line_width, "zorder": 0.9}
        if self.lines.kind != "ice":
            self.ax.axhline(0, **thin, gid="zero", label="_zero")
        if self.lines.anchored_at is not None:
            self.ax.axvline(self.lines.anchored_at, **thin, linestyle=(0, (2, 3)), gid="anchor", label="_anchor")

    @property
    def _dim(self) -> float:
        return _DIMMED if self.lines.selected.any() else 1.0

    def _add_lines(self, x: Array, values: Array, opacity: Array, *, most: float = 1.0) -> None:
        """Draw curves as strokes where they are few, or have properties that an image cannot have, else as an image.

        Together they reach an opacity of `most`.
        """
        given, most = dict(self.styling.line_kw), most * self._dim
        alpha = given.pop("alpha", None)
        width = given.pop("linewidth", line_thickness(len(values)) * PT_PER_PX * self.look.line_width)
        strength = line_strength(len(values)) if alpha is None else -math.log(1 - min(alpha, _MOST_OPAQUE))
        given.pop("color", None)  # the palette holds it
        are_few = not self.as_image and len(values) <= _MOST_STROKES and values.size <= _MOST_SEGMENTS
        artist: Artist
        if given.keys() <= IMAGE_PROPERTIES and not are_few and values.size > 0:
            artist = LinesImage(x, values, opacity, self.coloring, linewidth=width, strength=strength, most=most)
            self.ax.add_artist(artist)
        else:
            artist = self._strokes(x, values, opacity, most * (1 - math.exp(-strength)))
            artist.set(linewidth=width)
        artist.set(**{"zorder": 2.0, "gid": "curves", "label": self._curves_label, **given})
        self._cut(artist)

    def _strokes(
        self, x: Array, values: Array, opacity: Array, opaque: float, colors: list[Any] | None = None
    ) -> LineCollection:
        """Add curves in runs of equal opacity, in given colours or those of the palette."""
        from matplotlib.collections import LineCollection
        from matplotlib.colors import to_rgba

        if colors is None:
            colors = [self.coloring.palette.css(value) for value in self.coloring.values.tolist()]
        paths, shades = [], []
        for row, color, fade in zip(values, colors, opacity, strict=True):
            for part, strength in _runs(fade):
                paths.append(np.column_stack([x[part], row[part]]))
                shades.append(to_rgba(color, opaque * strength))
        drawn = LineCollection(paths, colors=shades, capstyle="butt", joinstyle="round")
        self.ax.add_collection(drawn, autolim=False)
        return drawn

    def _cut(self, artist: Artist) -> None:
        """End lines that are too steep for the axis where the legend or the strips begin."""
        if self.lines.is_cut:
            from matplotlib.patches import Rectangle

            low, high = self.y_domain
            artist.set_clip_path(Rectangle((0, low), 1, high - low, transform=self.ax.get_yaxis_transform()))

    @property
    def _curves_label(self) -> str:
        n_drawn = self.lines.n_rows
        return f"{n_drawn:,} curves" if n_drawn == self.n_rows else f"{n_drawn:,} of {self.n_rows:,} curves"

    # --- selected rows ----------------------------------------------------------------------------

    def _add_selected(self) -> None:
        """Draw the selected rows once more, over the others, and their mean."""
        lines, chosen = self.lines, self.lines.selected
        if not chosen.any():
            return
        x, values, opacity = lines.x, lines.values[chosen], lines.opacity[chosen]
        if lines.on_levels:
            x, opacity = lines.grid, np.ones((len(values), len(lines.grid) - 1))
        colors = [self._selected_color(value) for value in self.coloring.values[chosen].tolist()]
        opaque, width = (1.0, 1.2) if len(values) <= _MOST_SELECTED else (0.5, 0.7)
        for color, wider, shown, order in ((self.look.mixed(0), 1.6, 0.8, 2.6), (None, 0.0, opaque, 2.7)):
            strokes = self._strokes(x, values, opacity, shown, [color] * len(values) if color else colors)
            strokes.set(linewidth=width * self.look.line_width + wider, zorder=order, gid="selected", label="_selected")
            self._cut(strokes)
        ring: dict[str, Any] = {"facecolors": colors, "edgecolors": PICK, "linewidths": 1.0, "zorder": 2.9}
        at = self._places.at(lines.own_x)[chosen]
        self.ax.scatter(at, lines.own_y[chosen], s=self._area(2.6), **ring, gid="selected values", label="_selected")
        if lines.group_means is None and len(values) > 1:
            look = {**self._mean_look, **self._selected_mean_look, "label": "_mean of selected"}
            self.ax.plot(x, values.mean(axis=0), **{"path_effects": self._halo(), **look})

    def _selected_color(self, value: float) -> str:
        return PICK if self.coloring.title is None or self.lines.on_levels else self.coloring.palette.css(value)

    @property
    def _selected_mean_look(self) -> dict[str, Any]:
        return {"color": PICK, "gid": "selected mean", "zorder": 4.2, "label": explanation("selected_mean").name}

    # --- means ------------------------------------------------------------------------------------

    @property
    def _mean_color(self) -> Any:
        return self.styling.mean_kw.get("color", self.look.mixed(1))

    @property
    def _band_label(self) -> str:
        return MIDDLE_LABEL if self.lines.has_quantile_band else SPREAD_LABEL

    def _add_mean(self) -> None:
        """Draw the mean and the band around it, and those with the value missing."""
        lines, (low, high) = self.lines, self.y_domain
        if lines.on_levels:
            self._add_level_means(lines.grid, lines.mean, lines.band)
        else:
            band = np.clip(lines.band, low, high)
            look = {"color": self._mean_color, "alpha": 0.09, "linewidth": 0}
            self.ax.fill_between(lines.x, band[0], band[1], **look, zorder=1.9, gid="spread", label=self._band_label)
            thin: dict[str, Any] = {"color": self._mean_color, "linewidth": 0.45 * self.look.line_width, "zorder": 3}
            for edge in band:
                self.ax.plot(lines.x, edge, **thin, linestyle=(0, (4, 2.6)), gid="spread", label="_spread")
            self.ax.plot(lines.x, lines.mean, **{"path_effects": self._halo(), **self._mean_look})
        if lines.missing is not None:
            at, missing = np.array([self._places.beside]), lines.missing
            self._add_level_means(at, np.array([missing.mean]), np.array(missing.band)[:, None], is_missing=True)

    def _add_level_means(self, x: Array, mean: Array, band: Array, *, is_missing: bool = False) -> None:
        """Mark the mean of each level and the band around it."""
        low, high = self.y_domain
        ends = np.clip(band, low, high)
        look = {"color": self._mean_color, "linewidth": self._line_width, "path_effects": self._halo()}
        self.ax.vlines(x, *ends, **look, zorder=4, gid="spread", label="_spread" if is_missing else self._band_label)
        beside: dict[str, Any] = {"linestyle": "none", "label": "_mean", "gid": "mean with the value missing"}
        self.ax.plot(x, mean, **{**self._mean_mark, **self._mean_look, **(beside if is_missing else {})})

    def _add_group_means(self) -> None:
        """Draw the mean of the lines of each colour that stands for a level; on levels, dots side by side."""
        ends: list[tuple[float, int]] = []
        for level, of, aside in self._groups():
            lines, color = self.lines, self.coloring.palette.css(level)
            mean = lines.values[of].mean(axis=0) if lines.group_means is None else lines.group_means[level]
            look = {
                **self._mean_look,
                "color": color,
                "label": f"_mean of {self.coloring.levels[level]}",
                "zorder": 4.3,
            }
            look |= {"path_effects": self._halo(), "gid": "group mean"}
            self.ax.plot(lines.grid + aside if lines.on_levels else lines.x, mean, **look)
            ends.append((float(mean[-1]), level))
            if lines.missing is not None and lines.group_means is None:
                beside = {**look, **self._mean_mark}
                height = float(lines.missing.values[of].mean())
                self.ax.plot([self._places.beside + aside * self._places.beside_reach], [height], **beside)
        if self.names_at_ends:
            self._name_ends(ends)

    def _groups(self) -> Iterator[tuple[int, Mask, float]]:
        """Yield each level that lines have, these lines, and how far aside its mean is on levels."""
        values = self.coloring.values
        groups = [level for level in range(len(self.coloring.levels)) if (values == level).any()]
        for at, level in enumerate(groups):
            yield level, values == level, ((at + 0.5) / len(groups) - 0.5) * _GROUPS_ASIDE

    @property
    def legend_title(self) -> str | None:
        """What the levels in the legend are of; None where there are none."""
        return self.coloring.title if self.coloring.levels and not self.names_at_ends else None

    @property
    def names_at_ends(self) -> bool:
        """Whether names of groups are at the right ends of their means: in a layout that makes room for them."""
        has_room = self.may_grow and len(self.coloring.levels) <= _MOST_NAMED
        return has_room and not self.lines.on_levels and self.lines.missing is None and self.styling.legend

    def _name_ends(self, ends: list[tuple[float, int]]) -> None:
        """Write the name of each group beside the end of its mean, apart from each other."""
        size = size_of("legend.fontsize")
        low, high = self.y_domain
        per_pt = (high - low) / (0.72 * 72 / root_of(self.ax).dpi * self.ax.get_window_extent().height)
        least, at = _LEADING * size * per_pt, sorted(ends)
        heights = [min(max(height, low), high) for height, _ in at]
        for _ in range(50):  # part neighbours until none touch
            gaps = [least - (upper - lower) for lower, upper in itertools.pairwise(heights)]
            if not gaps or max(gaps) <= 1e-9 * least:
                break
            for place, gap in enumerate(gaps):
                if gap > 0:
                    heights[place] -= gap / 2
                    heights[place + 1] += gap / 2
        where: dict[str, Any] = {"xycoords": self.ax.get_yaxis_transform(), "textcoords": "offset points"}
        where |= {"va": "center", "fontsize": size, "annotation_clip": False}
        if at:
            title, quiet = fitted(self.coloring.title or "", _NAME_ROOM, size), self.look.mixed(0.7)
            self.ax.annotate(title, (1.0, heights[-1] + least), (4, 0), color=quiet, gid="group title", **where)
        for height, (_, level) in zip(heights, at, strict=True):
            name, color = fitted(self.coloring.levels[level], _NAME_ROOM, size), self.coloring.palette.css(level)
            self.ax.annotate(name, (1.0, height), (4, 0), color=self.look.readable(color), gid="group name", **where)

    @property
    def _mean_look(self) -> dict[str, Any]:
        usual = {"color": self._mean_color, "linewidth": self._line_width, "zorder": 4.5}
        marks = self._mean_mark if self.lines.on_levels else {}
        return {**usual, "gid": "mean", "label": MEAN_LABEL, **marks, **self.styling.mean_kw}

    @property
    def _mean_mark(self) -> dict[str, Any]:
        edge = {"markeredgecolor": self.look.mixed(0), "markeredgewidth": 0.8}
        return {"linestyle": "none", "marker": "o", "markersize": 5.5 * self.look.line_width, **edge}

    @property
    def _line_width(self) -> float:
        return 1.5 * self.look.line_width

    def _halo(self) -> list[Any]:
        """Part a line from those below it."""
        from matplotlib.patheffects import Normal, Stroke

        width = self.styling.mean_kw.get("linewidth", self._line_width) + 1.6 * self.look.line_width
        return [Stroke(linewidth=width, foreground=self.look.mixed(0), alpha=0.85), Normal()]

    def _add_effects(self) -> None:
        """Draw ALE and M-plot, on levels beside the mean of each."""
        for effect in self.lines.effects:
            x = effect.x + _EFFECT_ASIDE[effect.name] if self.lines.on_levels else effect.x
            self.ax.plot(x, effect.values, **{"path_effects": self._halo(), **self._effect_look(effect.name)})

    def _effect_look(self, name: EffectName) -> dict[str, Any]:
        look, width = dict(_EFFECTS[name]), self.look.line_width
        look |= {"gid": name, "label": explanation(name).name, "zorder": 4.4, "linewidth": look["linewidth"] * width}
        if self.lines.on_levels:
            look |= {"linestyle": "none", "marker": _EFFECT_MARKERS[name], "markersize": 5.5 * width}
        return look

    # --- dots -------------------------------------------------------------------------------------

    def _add_target(self) -> None:
        """Draw what was observed as hollow points behind the lines."""
        if self.lines.target is None:
            return
        at, n = self._places.at(self.lines.own_x), len(self.lines.target)
        shade = max(0.25, 0.6 * min(1.0, _FEW_TARGETS / n) ** 0.35)
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": [(*self.look.mixed(1), shade)], "linewidths": 0.5}
        ring |= {"gid": "target", "label": self.lines.target_text, "zorder": 1.8, "rasterized": n > _MOST_DOTS}
        self.ax.scatter(at, self.lines.target, s=self._area(2.1), **ring)

    def _add_phantoms(self) -> None:
        """Draw predictions at every level but the row's own, and those with the value missing."""
        from matplotlib.colors import to_rgba_array

        dots, places = phantom_dots(self.lines), self._places
        if len(dots.line) == 0:
            return
        colors = to_rgba_array([self.coloring.palette.css(value) for value in self.coloring.values.tolist()])[dots.line]
        colors[:, 3] = dots.opacity * self._dim
        look: dict[str, Any] = {"linewidths": 0, "zorder": 2.3, "gid": "predictions", "label": "_predictions"}
        look |= {"rasterized": self.as_image or len(dots.line) > _MOST_DOTS, "s": self._area(dots.radius)}
        self.ax.scatter(places.at(dots.level, dots.line), dots.value, color=colors, **look)

    def _add_dots(self) -> None:
        """Draw the prediction of each row at its observed value."""
        lines = self.lines
        radius, opacity = observed_dot(lines)
        at = self._places.at(lines.own_x)
        low, high = self.y_domain  # the steepest slopes may leave the axes
        shown = np.isfinite(at) & (lines.own_y >= low) & (lines.own_y <= high) & ~lines.axis.is_off(lines.own_x)
        colors = [self.coloring.palette.css(value) for value in self.coloring.values[shown].tolist()]
        look: dict[str, Any] = {"zorder": 2.5, "gid": "observed", "label": OBSERVED_LABEL, "linewidths": 0}
        look |= {"rasterized": self.as_image or len(colors) > _MOST_DOTS, "s": self._area(radius)}
        self.ax.scatter(at[shown], lines.own_y[shown], c=colors, alpha=opacity * self._dim, **look)

    def _area(self, radius: float) -> float:
        """Area of a dot of so many px [pt²], as `scatter` wants it."""
        from matplotlib import rcParams

        return float((2 * radius * PT_PER_PX * rcParams["lines.markersize"] / 6) ** 2)

    # --- axes and legend --------------------------------------------------------------------------

    def add_share_axis(self) -> None:
        """Add an axis on the right: changes as shares of the prediction range."""
        from matplotlib.ticker import PercentFormatter

        span = self.lines.prediction_span
        if span is None:  # all predictions are equal
            return
        right = self.ax.secondary_yaxis("right", functions=(partial(np.multiply, 1 / span), partial(np.multiply, span)))
        right.yaxis.set_major_formatter(PercentFormatter(1))
        right.set_ylabel(explanation("prediction_range").name)
        right.set_gid("share axis")

    @property
    def handles(self) -> list[Line2D | Patch]:
        """What the legend explains: the levels of the column that colours, then the marks."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        lines = self.lines
        found: list[Line2D | Patch] = [] if self.names_at_ends else [*level_handles(self.coloring, self.look)]
        if lines.is_empty:
            return found
        faint, width = self.look.mixed(0.5), self.look.line_width
        if self.coloring.title is None or lines.n_rows < self.n_rows:
            color = self.coloring.palette.css(0) if self.coloring.title is None else faint
            label = self.styling.line_kw.get("label", self._curves_label)
            found.append(Line2D([], [], color=color, linewidth=0.8 * width, label=label))
        if lines.has_mean and lines.group_means is None:  # else each is in the colour of its model
            found += self._mean_handles
        found += [Line2D([], [], **self._effect_look(effect.name)) for effect in lines.effects]
        dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.5, "markeredgewidth": 0}
        if not self.is_small:
            found.append(Line2D([], [], color=faint, label=OBSERVED_LABEL, **dot))
        if lines.target is not None:
            ring = {**dot, "markerfacecolor": "none", "markeredgewidth": 0.6}
            found.append(Line2D([], [], color=self.look.mixed(1), label=lines.target_text, **ring))
        n_selected = len(np.unique(lines.positions[lines.selected]))
        if n_selected > 0:
            label = f"{explanation('selected').name} ({n_selected:,})"
            found.append(Line2D([], [], color=self._selected_color(math.nan), linewidth=1.2 * width, label=label))
        if n_selected > 1 and lines.group_means is None:
            found.append(Line2D([], [], **{**self._mean_look, **self._selected_mean_look}))
        if lines.kind == "d-ice":
            found.append(Patch(facecolor=faint, label=SLOPE_SPREAD_LABEL))
        if lines.unlike is not None:
            found.append(Patch(facecolor=UNLIKE, alpha=0.4, label=UNLIKE_LABEL))
        return found

    @property
    def _mean_handles(self) -> list[Line2D | Patch]:
        """Return what the legend has of the mean and the band around it."""
        from matplotlib.colors import to_rgb
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        ink, mean = self._mean_color, Line2D([], [], **self._mean_look)
        if self.lines.on_levels:
            upright: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 11}
            width = self._line_width
            return [mean, Line2D([], [], color=ink, markeredgewidth=width, label=self._band_label, **upright)]
        edge: dict[str, Any] = {"edgecolor": ink, "linewidth": 0.45 * self.look.line_width, "linestyle": (0, (4, 2.6))}
        return [mean, Patch(facecolor=(*to_rgb(ink), 0.1), label=self._band_label, **edge)]


def _runs(opacity: Array) -> Iterator[tuple[slice, float]]:
    """Cut a line where the opacity of its segments changes, in sixteenths, the faintest still visible."""
    if len(opacity) == 0:
        return
    steps = np.maximum(1, np.floor(opacity * _OPACITY_STEPS + 0.5).astype(int))
    bounds = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)]
    for first, last in itertools.pairwise(bounds):
        yield slice(first, last + 1), float(steps[first]) / _OPACITY_STEPS


def level_handles(coloring: Coloring, look: Look) -> list[Line2D]:
    """Return what a legend has of the levels that colour lines; none of a continuous column."""
    from matplotlib.lines import Line2D

    width = 2 * look.line_width
    found = [
        Line2D([], [], color=coloring.palette.css(level), linewidth=width, label=text, gid="level")
        for level, text in enumerate(coloring.levels)
    ]
    if coloring.n_missing > 0:
        label = f"missing ({coloring.n_missing:,})"
        found.append(Line2D([], [], color=coloring.palette.css(math.nan), linewidth=width, label=label, gid="level"))
    return found
