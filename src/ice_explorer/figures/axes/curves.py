"""The curves of one feature on Matplotlib Axes: ordinary artists, each with a label and a group id (gid)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.features.axis_text import MISSING
from ice_explorer.figures.axes.style import IMAGE_PROPERTIES
from ice_explorer.figures.axes.text import WIDER, fitted, room_of, size_of, width_of
from ice_explorer.figures.curve_marks import EFFECT_ASIDE
from ice_explorer.figures.curves_panel import NO_SLOPE_TEXT, RANGE_TEXT
from ice_explorer.figures.legend import EFFECT_STYLES
from ice_explorer.figures.page.page import PX_PER_INCH
from ice_explorer.figures.page.page import SMALL as PAGE_SIZE
from ice_explorer.figures.raster.lines import line_strength, line_thickness
from ice_explorer.figures.raster.strokes import runs, suit_strokes
from ice_explorer.glossary import explanation
from ice_explorer.scene.strips import (
    MOST_CONNECTED,
    connector_opacity,
    observed_dot,
    phantom_dots,
    place_in_strip,
    strip_ends,
    strip_reach,
)
from ice_explorer.scene.words import FEW_VALUES, axis_ticks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from numpy.typing import NDArray

    from ice_explorer.figures.axes.style import Look, Styling
    from ice_explorer.scene.coloring import Coloring
    from ice_explorer.scene.lines import EffectName, Lines

_PT_PER_PX: Final = 72 / PX_PER_INCH
_STRIP: Final = 0.085  # of the height of the axes, for the histogram and for the spread of the slopes
_AIR: Final = 0.02  # of the same, between the strips and the lines
_SLOT: Final = 0.09  # of the axis, for the strip next to it
_NAME_GAP: Final = 4.0  # pt, between the names of levels
_LEAST_APART: Final = 1.2  # heights of a letter, from one slanted name to the next
_ANGLE: Final = 38
_MOST_NAME: Final = 80.0  # pt, of a level
_EFFECT_MARKERS: Final = {"ale": "D", "m_plot": "^"}  # on levels
_MOST_OPAQUE: Final = 0.995

MEAN_LABEL: Final = "mean"
SPREAD_LABEL: Final = "± 1 SD"
MIDDLE_LABEL: Final = "middle 68 %"
OBSERVED_LABEL: Final = "observed"
SLOPE_SPREAD_LABEL: Final = "SD of the slopes"


@dataclass(frozen=True)
class _Strips:
    """Where dots stand, in the units of the axis.

    `reach` is half the width of a level's strip, `beside` the middle of the strip of missing values, which begins at
    `edge`; the Axes reach from `inner` to `outer`. `place` is that of each row in its strip, -1 to 1.
    """

    reach: float
    beside: float
    beside_reach: float
    edge: float
    inner: float
    outer: float
    place: NDArray[np.float64]

    def at(self, values: NDArray[np.float64], line: NDArray[np.intp] | slice = slice(None)) -> NDArray[np.float64]:
        """Places of one value of each line, or of some of them, on the axis or beside it."""
        place = self.place[line]
        return np.asarray(
            np.where(np.isnan(values), self.beside + self.beside_reach * place, values + self.reach * place)
        )


def _strips_of(lines: Lines, margin: float, width: float) -> _Strips:
    """Fit the strips to Axes that are so many pt wide."""
    low, high = lines.x_domain
    place = place_in_strip(lines.positions)
    slot = 1.0 if lines.on_levels else _SLOT * (high - low)
    air = 0.0 if lines.axis.has_levels else margin * (high - low)  # levels have their own
    end = high + air
    outer = end if lines.missing is None else end + 1.25 * slot
    per_px = (outer - low) / (width / _PT_PER_PX)
    reach, beside = (per_px * strip_reach(len(place), room / per_px) for room in (1.0, slot))
    if not lines.on_levels:
        reach = 0.0
    if lines.missing is None:
        return _Strips(reach, math.nan, 0.0, math.nan, low - air, outer, place)
    return _Strips(reach, end + 0.75 * slot, beside, end + 0.15 * slot, low - air, outer, place)


@dataclass(frozen=True)
class FeaturePlot:
    """What is drawn of a feature, and where.

    Some of `n_rows` rows have a curve; the value axis reaches over `y_domain`, but for strips and legend.
    """

    ax: Axes
    lines: Lines
    coloring: Coloring
    look: Look
    styling: Styling
    n_rows: int
    y_domain: tuple[float, float]

    @cached_property
    def _strips(self) -> _Strips:
        from matplotlib import rcParams

        return _strips_of(self.lines, rcParams["axes.xmargin"], room_of(self.ax)[0])

    def draw(self) -> None:
        """Draw everything that has units of the data."""
        lines = self.lines
        self._add_histogram()
        if lines.kind != "ice":
            look: dict[str, Any] = {"color": self.look.mixed(0.6), "linewidth": 0.5 * self.look.line_width}
            self.ax.axhline(0, **look, zorder=0.9, gid="zero", label="_zero")
        if lines.is_empty:
            where: dict[str, Any] = {"ha": "center", "va": "center", "transform": self.ax.transAxes}
            self.ax.text(0.5, 0.5, NO_SLOPE_TEXT, **where, gid="note", wrap=True)
            return
        if lines.on_levels:
            ends, values = strip_ends(lines.x, self._strips.reach), np.repeat(lines.values, 2, axis=1)
            self._add_lines(ends, values, connector_opacity(lines.dot_opacity), most=MOST_CONNECTED)
            if lines.group_means is None:
                self._add_means(lines.grid, lines.mean, lines.band)
        else:
            self._add_lines(lines.x, lines.values, lines.opacity)
            if lines.group_means is None:
                self._add_mean()
        self._add_group_means()
        self._add_effects()
        self._add_phantoms()
        self._add_dots()
        if lines.missing is not None and lines.group_means is None:
            beside, missing = np.array([self._strips.beside]), lines.missing
            self._add_means(beside, np.array([missing.mean]), np.array(missing.band)[:, None], is_missing=True)
        if lines.kind == "d-ice":
            self._add_slope_spread()

    # --- curves -----------------------------------------------------------------------------------

    def _add_lines(
        self, x: NDArray[np.float64], values: NDArray[np.float64], opacity: NDArray[np.float64], *, most: float = 1.0
    ) -> None:
        """Draw curves as strokes where they are few, or have properties that an image cannot have, else as an image.

        Together they reach an opacity of `most`.
        """
        from ice_explorer.figures.axes.image import LinesImage

        given = dict(self.styling.line_kw)
        alpha = given.pop("alpha", None)
        width = given.pop("linewidth", line_thickness(len(values)) * _PT_PER_PX * self.look.line_width)
        strength = line_strength(len(values)) if alpha is None else -math.log(1 - min(alpha, _MOST_OPAQUE))
        given.pop("color", None)  # the palette holds it
        artist: Artist
        if given.keys() <= IMAGE_PROPERTIES and not suit_strokes(*values.shape):
            artist = LinesImage(x, values, opacity, self.coloring, linewidth=width, strength=strength, most=most)
            self.ax.add_artist(artist)
        else:
            artist = self._strokes(x, values, opacity, most * (1 - math.exp(-strength)))
            artist.set(capstyle="butt", joinstyle="round", linewidth=width)
        artist.set(**{"zorder": 2.0, "gid": "curves", "label": self._curves_label, **given})
        if self.lines.is_cut:  # too steep lines end where the legend or the strips begin
            from matplotlib.patches import Rectangle

            low, high = self.y_domain
            artist.set_clip_path(Rectangle((0, low), 1, high - low, transform=self.ax.get_yaxis_transform()))

    def _strokes(
        self, x: NDArray[np.float64], values: NDArray[np.float64], opacity: NDArray[np.float64], opaque: float
    ) -> LineCollection:
        from matplotlib.collections import LineCollection
        from matplotlib.colors import to_rgba

        paths, colors = [], []
        for row, value, fade in zip(values, self.coloring.values.tolist(), opacity, strict=True):
            for part, strength in runs(fade):
                paths.append(np.column_stack([x[part], row[part]]))
                colors.append(to_rgba(self.coloring.palette.css(value), opaque * strength))
        drawn = LineCollection(paths, colors=colors)
        self.ax.add_collection(drawn, autolim=False)
        return drawn

    @property
    def _curves_label(self) -> str:
        n_drawn = self.lines.n_rows
        return f"{n_drawn:,} curves" if n_drawn == self.n_rows else f"{n_drawn:,} of {self.n_rows:,} curves"

    # --- means ------------------------------------------------------------------------------------

    @property
    def _mean_color(self) -> Any:
        return self.styling.mean_kw.get("color", self.look.mixed(1))

    @property
    def _band_label(self) -> str:
        return MIDDLE_LABEL if self.lines.has_quantile_band else SPREAD_LABEL

    def _add_mean(self) -> None:
        """Draw the mean and the band around it."""
        lines, (low, high) = self.lines, self.y_domain
        band = np.clip(lines.band, low, high)
        look = {"color": self._mean_color, "alpha": 0.09, "linewidth": 0}
        self.ax.fill_between(lines.x, band[0], band[1], **look, zorder=1.9, gid="spread", label=self._band_label)
        thin: dict[str, Any] = {"color": self._mean_color, "linewidth": 0.45 * self.look.line_width, "zorder": 3}
        for edge in band:
            self.ax.plot(lines.x, edge, **thin, linestyle=(0, (4, 2.6)), gid="spread", label="_spread")
        self.ax.plot(lines.x, lines.mean, **{"path_effects": self._halo(), **self._mean_look})

    def _add_means(
        self,
        x: NDArray[np.float64],
        mean: NDArray[np.float64],
        band: NDArray[np.float64],
        *,
        is_missing: bool = False,
    ) -> None:
        """Mark the mean of each level and the band around it."""
        low, high = self.y_domain
        ends = np.clip(band, low, high)
        look = {"color": self._mean_color, "linewidth": self._line_width, "path_effects": self._halo()}
        self.ax.vlines(x, *ends, **look, zorder=4, gid="spread", label="_spread" if is_missing else self._band_label)
        beside: dict[str, Any] = {"linestyle": "none", "label": "_mean", "gid": "mean with the value missing"}
        marks = {**self._mean_mark, **self._mean_look, **(beside if is_missing else {})}
        self.ax.plot(x, mean, **marks)

    def _add_group_means(self) -> None:
        """Draw the means of several models in their colours."""
        for level, mean in enumerate(() if self.lines.group_means is None else self.lines.group_means):
            color = self.coloring.palette.css(level)
            look = {**self._mean_look, "color": color, "label": f"_{MEAN_LABEL}", "path_effects": self._halo()}
            self.ax.plot(self.lines.grid if self.lines.on_levels else self.lines.x, mean, **look)

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
            x = effect.x
            if self.lines.on_levels:
                x = x + EFFECT_ASIDE[effect.name]
            self.ax.plot(x, effect.values, **{"path_effects": self._halo(), **self._effect_look(effect.name)})

    def _effect_look(self, name: EffectName) -> dict[str, Any]:
        style, width = EFFECT_STYLES[name], self.look.line_width
        usual: dict[str, Any] = {"color": style.stroke, "gid": name, "label": explanation(name).name, "zorder": 4.4}
        if self.lines.on_levels:
            return {**usual, "linestyle": "none", "marker": _EFFECT_MARKERS[name], "markersize": 5.5 * width}
        assert style.dash is not None  # noqa: S101 - both have one
        dash = tuple(length / style.width for length in style.dash)
        return {**usual, "linewidth": style.width * width, "linestyle": (0, dash)}

    # --- dots -------------------------------------------------------------------------------------

    def _add_phantoms(self) -> None:
        """Draw predictions at every level but the row's own, and those with the value missing."""
        from matplotlib.colors import to_rgba_array

        dots, strips = phantom_dots(self.lines), self._strips
        if len(dots.line) == 0:
            return
        colors = to_rgba_array([self.coloring.palette.css(value) for value in self.coloring.values.tolist()])[dots.line]
        colors[:, 3] = dots.opacity
        look: dict[str, Any] = {"linewidths": 0, "zorder": 2.3, "gid": "predictions", "label": "_predictions"}
        self.ax.scatter(strips.at(dots.level, dots.line), dots.value, s=self._area(dots.radius), color=colors, **look)

    def _add_dots(self) -> None:
        lines = self.lines
        radius, opacity = observed_dot(lines)
        at = self._strips.at(lines.own_x)
        low, high = self.y_domain  # the steepest slopes may leave the axes
        shown = np.isfinite(at) & (lines.own_y >= low) & (lines.own_y <= high) & ~lines.axis.is_off(lines.own_x)
        colors = [self.coloring.palette.css(value) for value in self.coloring.values[shown].tolist()]
        look: dict[str, Any] = {
            "s": self._area(radius),
            "alpha": opacity,
            "zorder": 2.5,
            "gid": "observed",
            "label": OBSERVED_LABEL,
            "linewidths": 0,
        }
        self.ax.scatter(at[shown], lines.own_y[shown], c=colors, **look)

    def _area(self, radius: float) -> float:
        """Area of a dot of so many px [pt²], as `scatter` wants it."""
        from matplotlib import rcParams

        return float((2 * radius * _PT_PER_PX * rcParams["lines.markersize"] / 6) ** 2)

    # --- strips at the foot -----------------------------------------------------------------------

    def _add_slope_spread(self) -> None:
        """Draw the standard deviation of the slopes above the histogram: where the lines disagree."""
        x, foot = self.lines.x, _STRIP + 0.01
        heights = foot + self.lines.spread_heights * (_STRIP - 0.015)
        points = np.concatenate([np.column_stack([x, heights]), [[x[-1], foot], [x[0], foot]]])
        self._add_on_foot([points], self.look.mixed(0.5), "slope spread", SLOPE_SPREAD_LABEL)

    def _add_histogram(self) -> None:
        """Stand the data on the axis: they say how much to believe."""
        left, right, shares, missing = self.lines.data_bars
        bars = list(zip(left.tolist(), right.tolist(), shares.tolist(), strict=True))
        if self.lines.missing is not None:
            strips = self._strips
            reach = (strips.outer - strips.beside) / 2
            bars.append((strips.beside - reach, strips.beside + reach, missing))
        height = _STRIP - 0.01
        shapes = [
            np.array([[start, 0.0], [start, share * height], [stop, share * height], [stop, 0.0]])
            for start, stop, share in bars
            if share > 0
        ]
        self._add_on_foot(shapes, self.look.mixed(0.3), "histogram", "_histogram")

    def _add_on_foot(self, shapes: list[NDArray[np.float64]], color: Any, gid: str, label: str) -> None:
        """Add shapes over the data's x and a share of the height of the axes."""
        from matplotlib.collections import PolyCollection

        place: dict[str, Any] = {"transform": self.ax.get_xaxis_transform(), "zorder": 1.5, "gid": gid, "label": label}
        shape = PolyCollection(shapes, facecolors=[color], edgecolors=[self.look.mixed(0)], linewidths=0.4, **place)
        self.ax.add_collection(shape, autolim=False)

    # --- axes -------------------------------------------------------------------------------------

    def set_limits(self, head: float) -> None:
        """Extend the axes over the data, with `head` of their height left free above, unless limits are fixed."""
        ax, lines, (low, high) = self.ax, self.lines, self.y_domain
        n_strips = 2 if lines.kind == "d-ice" and not lines.is_empty else 1
        foot = n_strips * _STRIP + _AIR  # the strips are at the bottom of the same axes, under the lines
        whole = (high - low) / (1 - foot - head)
        ax.update_datalim([(self._strips.inner, low - foot * whole), (self._strips.outer, high + head * whole)])
        ax.margins(0)
        ax.autoscale_view()

    def add_ticks(self, room: float) -> None:
        """Label the axis of the feature if its values are few or not plain numbers, and the strip next to it.

        Its length is so many pt.
        """
        ax, lines = self.ax, self.lines
        is_plain = lines.axis.kind == "numeric" and len(lines.grid) > FEW_VALUES
        if is_plain and lines.missing is None:
            return
        size = size_of("xtick.labelsize")
        ticks = axis_ticks(lines.axis, lines.x_domain, room * PAGE_SIZE / (WIDER * size))
        names = self._names(size, room)
        places = [tick.value for tick in ticks]
        labels = [
            fitted(tick.label, _MOST_NAME, size) if at % names.every == 0 else "" for at, tick in enumerate(ticks)
        ]
        if lines.missing is not None:
            places.append(self._strips.beside)
            labels.append(MISSING)
            look: dict[str, Any] = {"color": self.look.mixed(0.5), "linewidth": 0.5, "dashes": (2, 3)}
            ax.axvline(self._strips.edge, **look, zorder=0.9, gid="edge of the axis", label="_edge")
        ax.set_xticks(places, labels=labels)
        if names.are_slanted:
            for label in ax.get_xticklabels():
                label.set(rotation=_ANGLE, ha="right", rotation_mode="anchor")

    def _names(self, size: float, width: float) -> _Names:
        """Write names side by side where they fit, else slanted; of those that tell their order some are left out."""
        levels = self.lines.axis.levels
        if levels is None:
            return _Names()
        low, high = self.lines.x_domain
        pitch = width / (self._strips.outer - low)
        # A name on its own level has the room of one; the first and the last may stand out of the axes.
        room = pitch * float(np.min(np.diff(self.lines.grid), initial=high - low))
        widest = max(width_of(name, size) for name in levels) + _NAME_GAP
        if widest <= room:
            return _Names()
        if self.lines.axis.tells_its_order:
            return _Names(every=math.ceil(widest / room))
        return _Names(every=math.ceil(_LEAST_APART * size / room), are_slanted=True)

    def add_share_axis(self) -> None:
        """Add an axis on the right: changes as shares of the prediction range."""
        from matplotlib.ticker import PercentFormatter

        span = self.lines.prediction_span
        if span is None:  # all predictions are equal
            return
        right = self.ax.secondary_yaxis("right", functions=(partial(np.multiply, 1 / span), partial(np.multiply, span)))
        right.yaxis.set_major_formatter(PercentFormatter(1))
        right.set_ylabel(RANGE_TEXT)
        right.set_gid("share axis")

    # --- legend -----------------------------------------------------------------------------------

    @property
    def handles(self) -> list[Line2D | Patch]:
        """What the legend explains: the levels of the column that colours, then the marks."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        found: list[Line2D | Patch] = [*level_handles(self.coloring, self.look)]
        if self.lines.is_empty:
            return found
        faint, width = self.look.mixed(0.5), self.look.line_width
        if self.coloring.title is None or self.lines.n_rows < self.n_rows:
            color = self.coloring.palette.css(0) if self.coloring.title is None else faint
            label = self.styling.line_kw.get("label", self._curves_label)
            found.append(Line2D([], [], color=color, linewidth=0.8 * width, label=label))
        if self.lines.group_means is None:  # else each is in the colour of its model
            found += self._mean_handles
        found += [Line2D([], [], **self._effect_look(effect.name)) for effect in self.lines.effects]
        dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.5, "markeredgewidth": 0}
        found.append(Line2D([], [], color=faint, label=OBSERVED_LABEL, **dot))
        if self.lines.kind == "d-ice":
            found.append(Patch(facecolor=faint, label=SLOPE_SPREAD_LABEL))
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


@dataclass(frozen=True)
class _Names:
    """How the names of levels are written under an axis: each, or one in so many; slanted, or side by side."""

    every: int = 1
    are_slanted: bool = False


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
