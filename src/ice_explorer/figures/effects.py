"""Effects and pairs of features on Matplotlib Axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib import dates
from matplotlib.colors import ListedColormap, Normalize

from ice_explorer.beyond import two_way
from ice_explorer.beyond.effects import EFFECT_KINDS, GRID_SIZE
from ice_explorer.features.axis_text import number_text
from ice_explorer.features.feature import LEVELLED, UNORDERED
from ice_explorer.figures.curves import place_in_strip, strip_reach
from ice_explorer.figures.legend import Numbers, add_color_bar, add_legend
from ice_explorer.figures.style import ALE, M_PLOT, Look, check_palette, given_axes, palette_of
from ice_explorer.figures.text import add_title, add_x_label, add_y_label, fitted, size_of
from ice_explorer.scene.build import pair_rows
from ice_explorer.scene.coloring import Coloring
from ice_explorer.scene.display_axis import display_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from ice_explorer.arrays import Array
    from ice_explorer.beyond.effects import EffectKind
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.display_axis import DisplayAxis

_LEVEL_ROOM: Final = 80.0  # pt, of a level
_MOST_DATES: Final = 8
_SECONDS_PER_DAY: Final = 86_400
_ASIDE: Final = 0.15  # of the room of a level, from one effect to the next
_EFFECTS: Final[dict[str, dict[str, Any]]] = {
    "partial_dependence": {"label": "partial dependence", "marker": "o", "linestyle": "-"},
    "ale": {"label": "ALE", "marker": "D", "linestyle": (0, (4, 2))},
    "m_plot": {"label": "M-plot", "marker": "^", "linestyle": (0, (1, 1.2))},
}  # the dashes of the explorer, and its colours on light and on dark ground
BY_SIMILARITY: Final = "levels in the order of their similarity in the other features"
_COLORS: Final = {"ale": (ALE, "#4fd6bd"), "m_plot": (M_PLOT, "#e8c547")}
# Of heat maps.
_LEVEL_PX: Final = 80.0  # room of a level, for the dots on it
_MOST_DOTS: Final = 2_000  # more are pixels in a vector format
_FLAT: Final = 1e-6  # share of the values below which their range is the rounding of float32 in the browser


def plot_effects(
    explanation: Explanation,
    name: Any,
    *,
    effects: Sequence[EffectKind] | EffectKind = EFFECT_KINDS,
    grid_size: int = GRID_SIZE,
    ax: Axes | None = None,
    title: bool | str | None = True,
    legend: bool = True,
) -> Axes:
    """Draw mean effects along the axis of a feature, as `Explanation.plot` describes."""
    feature, table = explanation[name], explanation.effects(name, effects, grid_size=grid_size)
    ax = given_axes(ax)
    look, drawn = Look.of(ax), [effect for effect in _EFFECTS if effect in table]
    x, levels = _places(feature, table.index)
    level = 0.0
    if "ale" in drawn and len(drawn) > 1:  # its mean over the observations is 0: shifted to the level of the others
        rows = feature.rows[~np.isnan(feature._item.feature.values[feature.rows])]
        level = float(np.average(feature._predictions(rows), weights=feature._context.row_weights[rows]))
    handles: list[Artist] = []
    for at, effect in enumerate(drawn):
        color = _COLORS[effect][look.is_dark] if effect in _COLORS else look.mixed(1)
        style = {"color": color, "gid": effect, **_EFFECTS[effect]}
        shift = level if effect == "ale" else 0.0
        height = table[effect].to_numpy() + shift
        if levels is None:
            handles += ax.plot(x, height, **style | {"marker": None, "linewidth": 1.6 * look.line_width})
        else:
            handles += ax.plot(x + _ASIDE * (at - (len(drawn) - 1) / 2), height, **style | {"linestyle": "none"})
    if feature.dtype_kind == "datetime":
        _write_dates(ax.xaxis, maxticks=_MOST_DATES)
    if levels is not None:
        ax.set_xticks(x, labels=[fitted(level, _LEVEL_ROOM, size_of("xtick.labelsize")) for level in levels])
    unit = " [days]" if feature.dtype_kind == "timedelta" else ""
    is_sorted = "ale" in drawn and feature.dtype_kind in UNORDERED
    add_x_label(ax, f"{feature.label}{unit}", [BY_SIMILARITY] if is_sorted else [])
    ax.yaxis.set_major_formatter(Numbers())
    add_y_label(ax, f"{'change of the ' if drawn == ['ale'] else 'mean '}{explanation.output_label}")
    if legend:
        add_legend(ax, handles)
    add_title(ax, f"Effects of {feature.label}", title)
    return ax


def _places(feature: FeatureExplanation, index: pd.Index) -> tuple[Any, list[str] | None]:
    """Return where grid values are on the axis, and their names where they are levels."""
    if feature.dtype_kind == "boolean":
        return np.arange(len(index), dtype=np.float64), [str(level).lower() for level in index]
    if feature.dtype_kind in LEVELLED:
        return np.arange(len(index), dtype=np.float64), [str(level) for level in index]
    if feature.dtype_kind == "timedelta":
        return index.total_seconds() / _SECONDS_PER_DAY, None
    return index, None


def _write_dates(axis: Axis, **options: int) -> None:
    untyped: Any = dates
    locator = untyped.AutoDateLocator(**options)
    axis.set(major_locator=locator, major_formatter=untyped.ConciseDateFormatter(locator))


# --- heat maps ------------------------------------------------------------------------------------


def plot_pair(
    explanation: Explanation,
    names: tuple[Any, Any],
    *,
    grid_size: int = two_way.GRID_SIZE,
    sample: int = two_way.SAMPLE,
    ax: Axes | None = None,
    title: bool | str | None = True,
    legend: bool = True,
    palette: Any = None,
) -> Axes:
    """Draw the mean prediction at every pair of values, as `Explanation.plot` describes."""
    pair = explanation.two_way(*names, grid_size=grid_size, sample=sample)
    check_palette(_pair_coloring(pair), palette)
    ax = given_axes(ax)
    add_title(ax, f"Mean {pair.output_label}, {pair_rows(pair)}", title)
    draw_pair(ax, pair, palette, has_legend=legend)
    return ax


def _pair_coloring(pair: TwoWay) -> Coloring:
    """Return what the colours of the cells mean; where there are both signs, 0 is in the middle."""
    values = pair.partial_dependence
    low, high = float(values.min()), float(values.max())
    most = max(abs(low), abs(high))
    if most == 0 or high - low <= _FLAT * most:
        pad = most * 0.05 or 0.5
        low, high = low - pad, high + pad
    elif low < 0 < high:
        low, high = -most, most
    ends = number_text(low), number_text(high)
    return Coloring.of_ramp(pair.output_label, values.ravel(), (low, high), ends, has_named_ends=False)


def draw_pair(ax: Axes, pair: TwoWay, given: object = None, *, has_legend: bool = True) -> None:
    """Draw the heat map with the observations, hatched where none is near."""
    look, coloring = Look.of(ax), _pair_coloring(pair)
    palette = palette_of(coloring, look, given)
    (first, across, x), (second, up, y) = (_side(pair, which) for which in (0, 1))
    colors: dict[str, Any] = {
        "cmap": ListedColormap(palette.colors), "norm": Normalize(*coloring.domain or (0.0, 1.0))
    }  # fmt: skip
    ax.pcolormesh(across, up, pair.partial_dependence.T, gid="cells", **colors)
    is_empty = np.ma.masked_where(pair.near.T > 0, np.zeros(pair.near.T.shape))
    hatched: dict[str, Any] = {"hatch": "////", "edgecolor": look.mixed(0.3), "facecolor": "none", "linewidth": 0}
    ax.pcolor(across, up, is_empty, gid="no observations", **hatched)
    dot: dict[str, Any] = {"s": 4, "color": look.mixed(1), "edgecolors": look.mixed(0), "linewidths": 0.3, "alpha": 0.8}
    ax.scatter(x, y, **dot, gid="observations", rasterized=len(x) > _MOST_DOTS)
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(up[0], up[-1])
    for axis, side, size in ((ax.xaxis, first, "xtick.labelsize"), (ax.yaxis, second, "ytick.labelsize")):
        if side.levels is not None:
            names = [fitted(level, _LEVEL_ROOM, size_of(size)) for level in side.levels]
            axis.set_ticks(side.grid, labels=names)
        elif side.kind == "boolean":
            axis.set_ticks([0.0, 1.0], labels=["false", "true"])
        elif side.kind == "datetime":
            _write_dates(axis)
    if has_legend:
        add_color_bar(ax, coloring, palette)
    add_x_label(ax, pair.first.label, ["Hatched: no observations near."] if (pair.near == 0).any() else [])
    add_y_label(ax, pair.second.label)


def _side(pair: TwoWay, which: int) -> tuple[DisplayAxis, Array, Array]:
    """Return the axis of one of two features, the bounds of its cells, and the places of the observations."""
    feature, places = pair._axes[which]
    axis = display_axis(feature, places)
    grid, dots = axis.grid, axis.observed[pair.rows]
    # As on the screen, outer cells reach as far beyond the axis as the narrowest gap allows.
    half = float(np.diff(grid).min()) / 2 if len(grid) > 1 else abs(float(grid[0])) * 0.1 or 0.5
    if feature.kind in two_way.SEPARATE:  # levels, or true and false, with nothing between them: dots side by side
        half, reach = 0.5, strip_reach(len(dots), _LEVEL_PX) / _LEVEL_PX
        aside = reach * place_in_strip((1, 7)[which] * np.arange(1, len(dots) + 1))
        dots = np.where(axis.is_off(dots), math.nan, dots + aside)
    return axis, np.concatenate([[grid[0] - half], (grid[1:] + grid[:-1]) / 2, [grid[-1] + half]]), dots
