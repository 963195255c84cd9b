"""Partial dependence on two features as a heat map on Matplotlib Axes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.beyond import two_way
from ice_explorer.checks import check_flag
from ice_explorer.figures.legend import add_color_bar
from ice_explorer.figures.style import Look, check_title, given_axes, with_palette
from ice_explorer.figures.text import add_title, add_x_label, add_y_label, fitted, size_of
from ice_explorer.scene.pair import heat_map
from ice_explorer.scene.strips import place_in_strip, strip_reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from ice_explorer.arrays import Array
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.pair import Pair, PairAxis

_LEVEL_ROOM: Final = 80.0  # pt
_LEVEL_PX: Final = 80.0  # room of a level, for the dots on it
_MOST_DOTS: Final = 2_000  # more are pixels in a vector format


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
    given, has_legend = check_title(title), check_flag("legend", legend, usual=True)
    two = explanation.two_way(*names, grid_size=grid_size, sample=sample)
    pair = heat_map(explanation, two)
    with_palette(pair.coloring, palette, Look.of_paper(), "black")  # before a figure is made that nobody needs
    ax = given_axes(ax)
    look = Look.of(ax)
    coloring = with_palette(pair.coloring, palette, look, None)
    add_title(ax, f"Mean {pair.output}, {pair.row_count}", given)
    draw_pair(ax, replace(pair, coloring=coloring), has_legend=has_legend)
    return ax


def draw_pair(ax: Axes, pair: Pair, *, has_legend: bool = True) -> None:
    """Draw the heat map with the observations, hatched where none is near."""
    from matplotlib.colors import ListedColormap, Normalize

    look, coloring = Look.of(ax), pair.coloring
    across, up = pair.first.bounds, pair.second.bounds
    colors: dict[str, Any] = {
        "cmap": ListedColormap(coloring.palette.colors / 255), "norm": Normalize(*coloring.domain or (0.0, 1.0))
    }  # fmt: skip
    ax.pcolormesh(across, up, pair.values.T, gid="cells", **colors)
    is_empty = np.ma.masked_where(pair.near.T > 0, np.zeros(pair.values.T.shape))
    hatched: dict[str, Any] = {"hatch": "////", "edgecolor": look.mixed(0.3), "facecolor": "none", "linewidth": 0}
    ax.pcolor(across, up, is_empty, gid="no observations", **hatched)
    x, y = _dots(pair.first, 1), _dots(pair.second, 7)
    dot: dict[str, Any] = {"s": 4, "color": look.mixed(1), "edgecolors": look.mixed(0), "linewidths": 0.3, "alpha": 0.8}
    ax.scatter(x, y, **dot, gid="observations", rasterized=len(x) > _MOST_DOTS)
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(up[0], up[-1])
    _set_ticks(ax.xaxis, pair.first, size_of("xtick.labelsize"))
    _set_ticks(ax.yaxis, pair.second, size_of("ytick.labelsize"))
    remarks = ["Hatched: no observations near."] if (pair.near == 0).any() else []
    if has_legend:
        add_color_bar(ax, coloring)
    add_x_label(ax, pair.first.label, remarks)
    add_y_label(ax, pair.second.label)


def _dots(side: PairAxis, step: int) -> Array:
    """Places of the observations, beside each other on levels; NaN where one has none."""
    values = side.observed
    if not side.is_separate:
        return values
    reach = strip_reach(len(values), _LEVEL_PX) / _LEVEL_PX
    places = values + reach * place_in_strip(step * np.arange(1, len(values) + 1))
    return np.where(side.axis.is_off(values), math.nan, places)


def _set_ticks(axis: Axis, shown: PairAxis, size: float) -> None:
    """Name the levels of an axis, and write dates as dates."""
    if shown.axis.levels is not None:
        axis.set_ticks(shown.axis.grid, labels=[fitted(level, _LEVEL_ROOM, size) for level in shown.axis.levels])
    elif shown.axis.kind == "boolean":
        axis.set_ticks([0.0, 1.0], labels=["False", "True"])
    elif shown.axis.kind == "datetime":
        from matplotlib import dates as untyped

        dates: Any = untyped
        locator = dates.AutoDateLocator()
        axis.set_major_locator(locator)
        axis.set_major_formatter(dates.ConciseDateFormatter(locator))
