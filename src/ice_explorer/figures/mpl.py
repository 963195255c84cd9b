"""The same pictures as matplotlib Axes, to style further; matplotlib is loaded on first use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.display_axis import MISSING
from ice_explorer.errors import InputTypeError
from ice_explorer.figures.curves_panel import NO_SLOPE_TEXT, RANGE_TEXT, x_ticks
from ice_explorer.figures.legend import MEAN_TEXT, OWN_TEXT
from ice_explorer.figures.lettering import elide, text_width
from ice_explorer.figures.mpl_page import require_matplotlib
from ice_explorer.figures.page import INK, PX_PER_INCH, QUIET, RULE, printable
from ice_explorer.figures.ranking_panel import BAR, OUTLINE, rows_shown
from ice_explorer.figures.raster import LineSet, draw_lines, line_strength, line_thickness
from ice_explorer.figures.scene import ranking_of, scene
from ice_explorer.figures.strips import MOST_CONNECTED, connector_opacity, place_in_strip, strip_ends
from ice_explorer.figures.strokes import runs, suit_strokes
from ice_explorer.figures.view import FAR_OFF, ROUNDING, Scene, ViewState
from ice_explorer.options import check_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.figures.view import Coloring, Lines, Ranking
    from ice_explorer.messages import Kind, RankBy
    from ice_explorer.options import Unit

_MM: Final = 1 / 25.4  # inches
_PT_PER_PX: Final = 72 / PX_PER_INCH
SMALL: Final = 7.5  # pt
_IMAGE_DPI: Final = 300.0  # of many lines, whatever the figure is saved at
_CROWD: Final = 200  # lines from which the dots are small
_STRIP: Final = 0.085  # of the height of the axes, for the histogram and for the spread of the slopes
_FEW_ROWS: Final = 20  # so few stand exactly on their level
_FEW_DOTS: Final = 60
_FEW_VALUES: Final = 6
_STRIP_SHARE: Final = 0.3  # of a level's room, to either side, for its dots
_SLOT: Final = 0.09  # of the axis, for what stands beside it
_USUAL_WIDTH: Final = 380.0  # px of an axis that ticks are chosen for
_NAME_GAP: Final = 4.0  # pt, between the names of levels
_LEAST_APART: Final = 9.0  # pt, from one slanted name to the next
_WIDER: Final = 1.15  # matplotlib's own font runs wider than that which is measured
_LABEL_ROOM: Final = 130.0  # pt, at most, for the name of a feature


def plot_impact(
    explanation: Explanation,
    ax: Axes | None = None,
    *,
    decay: float | None = None,
    rank_by: RankBy = "in_distribution_impact",
    unit: Unit = "prediction",
    max_features: int = 30,
) -> Axes:
    """Draw the features as bars, largest first.

    Parameters
    ----------
    explanation : Explanation
    ax : Axes, optional
        Where to draw; a new figure by default.
    decay : float, optional
        λ of the filled bars; that of the explanation by default.
    rank_by : str
        What the bars show and are sorted by: "impact", "in_distribution_impact", "heterogeneity",
        "non_linearity" or "missing_impact".
    unit : {"prediction", "sd", "share"}
        Unit of the bars, as for `Explanation.table`.
    max_features : int
        Bars drawn at most; a line below counts the others.

    Returns
    -------
    Axes

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed; also an ImportError.
    """
    check_integer("max_features", max_features, 1, "Use `max_features=30` for the default.")
    decay = explanation.settings.decay if decay is None else decay
    ranking = ranking_of(explanation, ViewState(decay=decay, rank_by=rank_by, unit=unit))
    if ax is None:
        ax = _new_axes(130, 16 + 5.2 * min(max_features, len(ranking.bars)))
    else:
        _check_axes(ax)
    _draw_ranking(ax, ranking, decay, max_features)
    return ax


def plot(
    explanation: Explanation,
    feature: Any,
    kind: Kind = "ice",
    color_by: Any = None,
    decay: float | None = None,
    *,
    anchor: object = "min",
    max_lines: int = 1000,
    ax: Axes | None = None,
) -> Axes:
    """Draw the curves of one feature.

    Parameters
    ----------
    explanation : Explanation
    feature : object
        Name, or its text.
    kind : {"ice", "c-ice", "d-ice"}
        Curves, curves since the anchor, or slopes.
    color_by : object, optional
        Name of the column, or of the group of columns, that colours the lines.
    decay : float, optional
        λ by which segments fade; that of the explanation by default.
    anchor : {"min", "max", "median", "own"} or object
        Where c-ICE is 0, as for `FeatureExplanation.centered_curves`.
    max_lines : int
        Lines drawn, stratified by the feature.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        With the lines in the units of the data: `ax.axvline(30)` marks a value of the feature.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed; also an ImportError.
    """
    state = ViewState(
        feature=explanation[feature].label,
        color_by=None if color_by is None else explanation.column(color_by).label,
        kind=kind,
        decay=explanation.settings.decay if decay is None else decay,
        anchor=explanation[feature].anchor_place(anchor),
        max_lines=max_lines,
    )
    shown = scene(explanation, state)
    if ax is None:
        levels = shown.coloring.levels
        n_rows = math.ceil((len(levels) + 1) / _n_columns(levels)) + 1 if levels else 0
        ax = _new_axes(130, 86 + 4 * n_rows)
    else:
        _check_axes(ax)
    _draw_curves(ax, shown)
    return ax


def _check_axes(ax: object) -> None:
    """Refuse what cannot be drawn on, a figure for one."""
    require_matplotlib()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputTypeError.axes(ax)


def _new_axes(width: float, height: float) -> Axes:
    """Make a figure of so many mm that a notebook shows, on paper whatever style is in force."""
    require_matplotlib()
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=(width * _MM, height * _MM), layout="constrained", facecolor="white")
    on_paper(ax)
    return ax


def on_paper(ax: Axes) -> None:
    """Give new axes the look of paper, whatever style is in force."""
    ax.set_facecolor("white")
    ax.tick_params(colors=QUIET, labelsize=SMALL, width=0.6, length=2.5)
    for label in (ax.title, ax.xaxis.label, ax.yaxis.label):
        label.set_color(INK)
    for spine in ax.spines.values():
        spine.set(color=QUIET, linewidth=0.6)


def fitted(text: str, width: float) -> str:
    """Cut what the user named to so many pt."""
    return elide(printable(text), width / _WIDER, SMALL)


# --- ranking --------------------------------------------------------------------------------------


def _draw_ranking(ax: Axes, ranking: Ranking, decay: float, max_features: int) -> None:
    shown = rows_shown(ranking.bars, max_features)
    places = np.arange(len(shown))
    drawn = ax.barh(places, [_reach(bar.fill) for bar in shown], height=0.56, color=BAR, label=f"decay {decay:g}")
    for patch, bar in zip(drawn.patches, shown, strict=True):
        if bar.is_unordered:  # a change of category is not a step along an axis
            patch.set(hatch="////", edgecolor="white", linewidth=0)
    if ranking.decays:
        outlines = [_reach(bar.outline) for bar in shown]
        label = "impact (no decay)"
        ax.barh(places, outlines, height=0.74, fill=False, edgecolor=OUTLINE, linewidth=0.6, label=label)
        where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
        ax.legend(**where, ncols=2, frameon=False, fontsize=SMALL, labelcolor=QUIET, handlelength=1.2)
    write = ranking.write
    for place, bar in zip(places.tolist(), shown, strict=True):
        arrow = "∷" if bar.is_unordered else "▲" if bar.direction > 0 else "▼" if bar.direction < 0 else ""
        beside: dict[str, Any] = {
            "xycoords": ax.get_yaxis_transform(),
            "va": "center_baseline",
            "annotation_clip": False,
        }
        ax.annotate(arrow, (1.0, place), **beside, ha="left", fontsize=0.8 * SMALL, color=QUIET)
        shift: dict[str, Any] = {"xytext": (38, 0), "textcoords": "offset points"}
        ax.annotate(write(bar.value), (1.0, place), **beside, **shift, ha="right", fontsize=SMALL, color=INK)
        if bar.is_far_off:
            ax.annotate(FAR_OFF, (1.0, place), **beside, **shift, ha="left", fontsize=SMALL, color=QUIET)
    names = [fitted(bar.label, _LABEL_ROOM) for bar in shown]
    ax.set_yticks(places, labels=names, parse_math=False)
    ax.tick_params(axis="y", length=0, labelcolor=INK)
    ax.set_xticks([])
    ax.set_xlim(left=0)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    title = ranking.title[0].upper() + ranking.title[1:]
    ax.set_title(title, loc="left", fontsize=SMALL + 1.5, fontweight="bold", pad=16 if ranking.decays else 6)
    n_left_out = len(ranking.bars) - len(shown)
    left_out = f"and {n_left_out:,} more feature{'s' if n_left_out > 1 else ''}" if n_left_out > 0 else ""
    below = [left_out, ranking.counted, ranking.footnote]
    ax.set_xlabel("\n".join(filter(None, below)), loc="left", fontsize=SMALL, color=QUIET)


def _reach(figure: float | None) -> float:
    return figure if figure is not None and math.isfinite(figure) else 0.0


# --- curves ---------------------------------------------------------------------------------------


def _draw_curves(ax: Axes, shown: Scene) -> None:
    lines, coloring = shown.lines, shown.coloring
    frame_lines(ax, lines, lines.y_domain)
    _add_titles(ax, shown)
    if coloring.domain is not None:
        add_color_bar([ax], coloring, coloring.domain)
    _add_legends(ax, lines, coloring)
    fill_frame(ax, lines, coloring)


def frame_lines(ax: Axes, lines: Lines, y_domain: tuple[float, float]) -> None:
    """Set the limits and ticks of axes that lines are to be drawn on, over the data and the slopes' spread."""
    n_strips = 2 if lines.kind == "d-ice" and not lines.is_empty else 1
    low, high = y_domain
    foot = n_strips * _STRIP + 0.02  # the strips stand at the foot of the same axes, under the lines
    strips = _strips_of(lines)
    ax.set_xlim(lines.x_domain[0], strips.outer)
    ax.set_ylim(low - (high - low) * foot / (1 - foot), high)
    ax.set_axisbelow(True)
    ax.grid(visible=True, axis="y", color=RULE, linewidth=0.6)
    if lines.kind != "ice":
        ax.axhline(0, color=QUIET, linewidth=0.45, zorder=0.9)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    _add_ticks(ax, lines)
    _add_histogram(ax, lines, strips)


def fill_frame(ax: Axes, lines: Lines, coloring: Coloring) -> None:
    """Draw lines, or dots on levels, and their mean on axes that are framed."""
    strips = _strips_of(lines)
    if lines.is_empty:
        ax.text(0.02, 0.5, NO_SLOPE_TEXT, transform=ax.transAxes, fontsize=SMALL, color=QUIET)
        return
    if lines.on_levels:
        connectors = strip_ends(lines.x, strips.reach), np.repeat(lines.values, 2, axis=1)
        _add_image(ax, coloring, *connectors, connector_opacity(lines.dot_opacity), most=MOST_CONNECTED)
        _add_means(ax, lines.grid, lines.mean, lines.spread)
    else:
        _add_lines(ax, lines, coloring)
    _add_phantoms(ax, lines, strips, coloring)
    _add_dots(ax, lines, strips, coloring)
    if lines.missing is not None:
        _add_means(ax, np.array([strips.beside]), np.array([lines.missing.mean]), np.array([lines.missing.spread]))
    if lines.kind == "d-ice":
        _add_slope_spread(ax, lines)


@dataclass(frozen=True)
class _Strips:
    """Where dots stand, in the units of the axis.

    Attributes
    ----------
    reach : float
        Half the width of a level's strip.
    beside : float
        The middle of the strip of missing values.
    beside_reach : float
    outer : float
        Where the axes end.
    place : ndarray of shape (n_lines,)
        Of each row in its strip, -1 to 1.
    """

    reach: float
    beside: float
    beside_reach: float
    outer: float
    place: NDArray[np.float64]

    def at(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places of one value of each row, on the axis or beside it."""
        on_axis = values + self.reach * self.place
        return np.asarray(np.where(np.isnan(values), self.beside + self.beside_reach * self.place, on_axis))


def _strips_of(lines: Lines) -> _Strips:
    low, high = lines.x_domain
    place = place_in_strip(lines.positions)
    width = 1.0 if lines.on_levels else _SLOT * (high - low)
    is_few = len(lines.positions) <= _FEW_ROWS
    reach = 0.0 if is_few or not lines.on_levels else _STRIP_SHARE
    if lines.missing is None:
        return _Strips(reach, math.nan, 0.0, high, place)
    beside_reach = 0.0 if is_few else _STRIP_SHARE * width
    return _Strips(reach, high + 0.75 * width, beside_reach, high + 1.25 * width, place)


def _add_lines(ax: Axes, lines: Lines, coloring: Coloring) -> None:
    low, high = lines.y_domain
    band = [np.clip(lines.mean + side * lines.spread, low, high) for side in (-1, 1)]
    ax.fill_between(lines.x, band[0], band[1], color="black", alpha=0.06, linewidth=0)
    if suit_strokes(*lines.values.shape):
        _add_strokes(ax, lines, coloring)
    else:
        _add_image(ax, coloring, lines.x, lines.values, lines.opacity)
    for edge in band:
        ax.plot(lines.x, edge, color=INK, linewidth=0.5, dashes=(4, 2.6), zorder=3)
    ax.plot(lines.x, lines.mean, color="white", linewidth=2.8, alpha=0.85, zorder=3.5)
    ax.plot(lines.x, lines.mean, color=INK, linewidth=1.3, zorder=4)


def _add_means(ax: Axes, x: NDArray[np.float64], mean: NDArray[np.float64], spread: NDArray[np.float64]) -> None:
    """Mark the mean of each level, and one standard deviation of the lines to either side."""
    low, high = ax.get_ylim()
    ends = np.clip(mean - spread, low, high), np.clip(mean + spread, low, high)
    ax.vlines(x, *ends, color="white", linewidth=3.2, alpha=0.85, zorder=3.5)
    ax.vlines(x, *ends, color=INK, linewidth=1.3, zorder=4)
    ax.plot(x, mean, "o", markersize=5.5, color=INK, markeredgecolor="white", markeredgewidth=0.8, zorder=4.5)


def _add_phantoms(ax: Axes, lines: Lines, strips: _Strips, coloring: Coloring) -> None:
    """Draw predictions at every level but the row's own, and those with the value missing."""
    from matplotlib.colors import to_rgba_array

    colors = to_rgba_array([coloring.palette.css(value) for value in coloring.values.tolist()])
    strength = min(0.9, 0.7 * (_FEW_DOTS / max(1, len(lines.positions))) ** 0.25)
    size = (2 * 1.2 * _PT_PER_PX) ** 2

    def add(value: float, heights: NDArray[np.float64], opacity: NDArray[np.float64]) -> None:
        shown = ~np.isnan(lines.own_x) if math.isnan(value) else lines.own_x != value
        faded = colors[shown].copy()
        faded[:, 3] = strength * opacity[shown]
        x = strips.at(np.full(len(lines.positions), value))[shown]
        ax.scatter(x, heights[shown], s=size, color=faded, linewidths=0, zorder=2.3)

    if lines.on_levels:
        for k, value in enumerate(lines.grid.tolist()):
            add(value, lines.values[:, k], lines.dot_opacity[:, k])
    if lines.missing is not None:
        add(math.nan, lines.missing.values, np.full(len(lines.positions), lines.missing.opacity))


def _add_strokes(ax: Axes, lines: Lines, coloring: Coloring) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    opaque = 1 - math.exp(-line_strength(len(lines.values)))
    paths, colors = [], []
    for row, value, opacity in zip(lines.values, coloring.values.tolist(), lines.opacity, strict=True):
        for run in runs(opacity):
            part = slice(run.first, run.last + 1)
            paths.append(np.column_stack([lines.x[part], row[part]]))
            colors.append(to_rgba(coloring.palette.css(value), opaque * run.opacity))
    width = line_thickness(len(lines.values)) * _PT_PER_PX
    drawn = LineCollection(paths, colors=colors, linewidths=width, zorder=2, capstyle="butt", joinstyle="round")
    ax.add_collection(drawn, autolim=False)


def _add_image(
    ax: Axes,
    coloring: Coloring,
    x: NDArray[np.float64],
    values: NDArray[np.float64],
    opacity: NDArray[np.float64],
    *,
    most: float = 1.0,
) -> None:
    """Draw many lines as the browser does, as large as the axes will be; `most` is the opacity they reach together."""
    whole = ax.get_figure(root=True)
    if whole is not None and whole.get_layout_engine() is not None:
        whole.draw_without_rendering()  # lets the layout settle
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    room, ratio = ax.get_window_extent(), _IMAGE_DPI / ax.figure.dpi
    width, height = max(1, round(room.width * ratio)), max(1, round(room.height * ratio))
    n_lines = len(values)
    pixels = draw_lines(
        LineSet(
            x=(x - left) / (right - left) * width,
            y=((top - values) / (top - bottom) * height).astype(np.float32),
            opacity=opacity.astype(np.float32),
            color=coloring.values,
        ),
        coloring.palette,
        width=width,
        height=height,
        thickness=line_thickness(n_lines) * _IMAGE_DPI / PX_PER_INCH,
        strength=line_strength(n_lines),
    )
    extent = (left, right, bottom, top)
    ax.imshow(pixels, extent=extent, aspect="auto", zorder=2, interpolation="antialiased", alpha=most)


def _add_dots(ax: Axes, lines: Lines, strips: _Strips, coloring: Coloring) -> None:
    radius, opacity = (1.1, 0.6) if len(lines.positions) > _CROWD else (1.9, 0.95)
    if lines.on_levels:  # there the own dot is one of many of its own, so it is larger than they are
        radius, opacity = 1.4 * max(radius, 1.3), 0.95
    at = strips.at(lines.own_x)
    low, high = ax.get_ylim()  # the steepest slopes may leave the axes
    shown = np.isfinite(at) & (lines.own_y >= low) & (lines.own_y <= high) & ~lines.axis.is_off(lines.own_x)
    colors = [coloring.palette.css(value) for value in coloring.values[shown].tolist()]
    size = (2 * radius * _PT_PER_PX) ** 2
    x, y = at[shown], lines.own_y[shown]
    ax.scatter(x, y, s=size, color=colors, alpha=opacity, linewidths=0, zorder=2.5, clip_on=False)


def _add_slope_spread(ax: Axes, lines: Lines) -> None:
    """Draw the standard deviation of the slopes above the histogram: where the lines disagree."""
    tallest = max(float(lines.spread.max()), ROUNDING * float(np.abs(lines.values).max())) or 1.0
    foot = _STRIP + 0.01
    heights = foot + lines.spread / tallest * (_STRIP - 0.015)
    on_foot = ax.get_xaxis_transform()
    ax.fill_between(lines.x, foot, heights, transform=on_foot, color="#8d99a6", alpha=0.55, linewidth=0, zorder=1.5)
    ax.text(1, foot, " SD", transform=ax.transAxes, fontsize=SMALL, color=QUIET, clip_on=False)


def _add_histogram(ax: Axes, lines: Lines, strips: _Strips) -> None:
    """Stand the data on the axis: they say how much to believe."""
    n_missing = 0 if lines.missing is None else lines.missing.count
    tallest = max(1.0, float(lines.histogram_counts.max(initial=0.0)), n_missing)
    edges = np.clip(lines.histogram_edges, *lines.x_domain)
    centres, widths = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    if lines.axis.has_levels:
        widths = 0.64 * widths
    counts = lines.histogram_counts
    if lines.missing is not None:
        width = strips.outer - strips.beside
        centres, widths, counts = (
            np.append(centres, strips.beside),
            np.append(widths, width),
            np.append(counts, n_missing),
        )
    look: dict[str, Any] = {"color": "#b9bec4", "edgecolor": "white", "linewidth": 0.4, "zorder": 1.5}
    heights = counts / tallest * (_STRIP - 0.01)
    ax.bar(centres, heights, width=widths, transform=ax.get_xaxis_transform(), **look)


def _add_titles(ax: Axes, shown: Scene) -> None:
    lines = shown.lines
    heading: dict[str, Any] = {"fontsize": SMALL + 1.5, "fontweight": "bold", "color": INK}
    ax.set_title(fitted(shown.heading, 185), loc="left", parse_math=False, **heading)
    ax.set_title(shown.row_count, loc="right", fontsize=SMALL, color=QUIET)
    ax.set_xlabel(fitted(lines.x_title, 260), fontsize=SMALL + 0.7, parse_math=False)
    ax.set_ylabel(fitted(lines.y_title, 190), fontsize=SMALL, parse_math=False)
    if lines.remark is not None:
        ax.text(0, 1, fitted(lines.remark, 330), transform=ax.transAxes, va="bottom", fontsize=SMALL, color=QUIET)
    if lines.prediction_span is not None:
        _add_range_axis(ax, lines.prediction_span)


def _add_ticks(ax: Axes, lines: Lines) -> None:
    """Label the feature's axis where its values are few or no plain numbers, and what stands beside it."""
    is_plain = lines.axis.kind == "numeric" and len(lines.grid) > _FEW_VALUES
    if is_plain and lines.missing is None:
        return
    ticks = x_ticks(lines, _USUAL_WIDTH)
    names = _names_of_levels(ax, lines)
    places = [tick.value for tick in ticks]
    labels = [fitted(tick.label, _LABEL_ROOM / 2) if at % names.every == 0 else "" for at, tick in enumerate(ticks)]
    if lines.missing is not None:
        beside = _strips_of(lines)
        places.append(beside.beside)
        labels.append(MISSING)
        edge = lines.x_domain[1] + (beside.beside - lines.x_domain[1]) / 5
        ax.axvline(edge, color=QUIET, linewidth=0.45, dashes=(2, 3), zorder=0.9)
    ax.set_xticks(places, labels=labels)
    if names.are_slanted:
        for label in ax.get_xticklabels():
            label.set(rotation=38, ha="right", rotation_mode="anchor", parse_math=False)


@dataclass(frozen=True)
class _Names:
    """How the names of levels are written under an axis: each, or one in so many; slanted, or side by side."""

    every: int = 1
    are_slanted: bool = False


def _names_of_levels(ax: Axes, lines: Lines) -> _Names:
    """Write names side by side where they fit, else slanted; of those that tell their order some are left out."""
    levels = lines.axis.levels
    if levels is None:
        return _Names()
    low, high = lines.x_domain
    pitch = ax.get_window_extent().width * 72 / ax.figure.dpi / (_strips_of(lines).outer - low)
    # A name on its own level has the room of one; the first and the last may stand out of the axes.
    room = pitch * float(np.min(np.diff(lines.grid), initial=high - low))
    widest = _WIDER * max(text_width(name, SMALL) for name in levels) + _NAME_GAP
    if widest <= room:
        return _Names()
    if lines.axis.tells_its_order:
        return _Names(every=math.ceil(widest / room))
    return _Names(every=math.ceil(_LEAST_APART / room), are_slanted=True)


def _add_range_axis(ax: Axes, span: float) -> None:
    from matplotlib.ticker import PercentFormatter

    def to_share(value: ArrayLike) -> ArrayLike:
        return np.asarray(value) / span

    def to_value(share: ArrayLike) -> ArrayLike:
        return np.asarray(share) * span

    right = ax.secondary_yaxis("right", functions=(to_share, to_value))
    right.yaxis.set_major_formatter(PercentFormatter(1))
    right.tick_params(colors=QUIET, labelsize=SMALL, width=0.6, length=2.5)
    right.set_ylabel(RANGE_TEXT, fontsize=SMALL, color=QUIET)
    right.spines["right"].set_visible(False)


def _add_legends(ax: Axes, lines: Lines, coloring: Coloring) -> None:
    """Under the axes: what the marks are, and what the colours are where they stand for levels."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    below = 34.0 + (40.0 if _names_of_levels(ax, lines).are_slanted else 0.0)
    if not lines.is_empty:
        look: dict[str, Any] = {"marker": "o", "markersize": 5, "linestyle": "none"} if lines.on_levels else {}
        mean = Line2D([], [], color=INK, linewidth=1.3, **look)
        own = Line2D([], [], color=QUIET, marker="o", markersize=2.6, linestyle="none")
        key = _legend(ax, [mean, own], [MEAN_TEXT, OWN_TEXT], below, None)
        below += 13
        if coloring.levels:  # the second legend would replace the first
            ax.add_artist(key)
            key.set_clip_on(False)
    if coloring.levels:
        colors = [coloring.palette.css(level) for level in range(len(coloring.levels))]
        texts = [fitted(text, 125) for text in coloring.levels]
        if coloring.n_missing > 0:
            colors.append(coloring.palette.css(math.nan))
            texts.append(f"missing ({coloring.n_missing:,})")
        patches = [Patch(facecolor=color) for color in colors]
        _legend(ax, patches, texts, below, fitted(coloring.title or "", 260))


def _legend(ax: Axes, handles: list[Any], texts: list[str], below: float, title: str | None) -> Legend:
    from matplotlib.transforms import ScaledTranslation

    # So many pt below the axes, however tall they become.
    root = ax.get_figure(root=True) or ax.figure
    place = ax.transAxes + ScaledTranslation(0, -below / 72, root.dpi_scale_trans)
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": place}
    spacing: dict[str, Any] = {
        "borderaxespad": 0,
        "borderpad": 0,
        "handlelength": 1.4,
        "columnspacing": 1.4,
        "labelspacing": 0.3,
    }
    # matplotlib drops labels that begin with an underscore, so the texts are set afterwards.
    labels = [str(index) for index in range(len(texts))]
    legend = ax.legend(
        handles, labels, title=title and " ", ncols=_n_columns(texts), frameon=False, fontsize=SMALL, labelcolor=QUIET,
        title_fontsize=SMALL, alignment="left", **where, **spacing,
    )  # fmt: skip
    for written, text in zip(legend.get_texts(), texts, strict=True):
        written.set(text=text, parse_math=False)
    if title:
        legend.get_title().set(text=title, parse_math=False, fontweight="bold", color=INK)
    return legend


def _n_columns(texts: Sequence[str]) -> int:
    longest = max(map(len, texts), default=0)
    return 4 if longest <= 12 else 3 if longest <= 18 else 2


def add_color_bar(axes: Sequence[Axes], coloring: Coloring, domain: tuple[float, float]) -> None:
    """Stand the ramp beside the axes whose lines it colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    scale = ScalarMappable(Normalize(*domain), ListedColormap(coloring.palette.colors / 255))
    bar = axes[0].figure.colorbar(scale, ax=list(axes), fraction=0.05, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=QUIET, labelsize=SMALL, width=0.6, length=2.5)
    if coloring.has_named_ends:
        bar.set_ticks(list(domain), labels=list(coloring.ends))
    bar.set_label(fitted(coloring.title or "", 160), fontsize=SMALL, color=QUIET)
    bar.ax.yaxis.label.set_parse_math(False)
