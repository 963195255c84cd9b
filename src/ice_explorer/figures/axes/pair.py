"""Partial dependence on two features as a heat map on Matplotlib Axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_flag
from ice_explorer.figures.axes.axes import given_axes
from ice_explorer.figures.axes.legend import add_color_bar
from ice_explorer.figures.axes.style import Look, check_title, with_palette
from ice_explorer.figures.axes.text import add_title, add_x_label, add_y_label, fitted, size_of
from ice_explorer.results import two_way
from ice_explorer.scene.pair import heat_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.pair import PairAxis

_LEVEL_ROOM: Final = 80.0  # pt


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
    from matplotlib.colors import ListedColormap, Normalize

    across, up = pair.first.bounds, pair.second.bounds
    colors: dict[str, Any] = {
        "cmap": ListedColormap(coloring.palette.colors / 255), "norm": Normalize(*coloring.domain or (0.0, 1.0))
    }  # fmt: skip
    ax.pcolormesh(across, up, pair.values.T, gid="cells", **colors)
    is_empty = np.ma.masked_where(pair.near.T > 0, np.zeros(pair.values.T.shape))
    hatched: dict[str, Any] = {"hatch": "////", "edgecolor": look.mixed(0.3), "facecolor": "none", "linewidth": 0}
    ax.pcolor(across, up, is_empty, gid="no observations", **hatched)
    _set_ticks(ax.xaxis, pair.first, size_of("xtick.labelsize"))
    _set_ticks(ax.yaxis, pair.second, size_of("ytick.labelsize"))
    remarks = ["Hatched: no observations near."] if (pair.near == 0).any() else []
    add_title(ax, f"Mean {pair.output}, {pair.row_count}", given)
    if has_legend:
        add_color_bar(ax, coloring)
    add_x_label(ax, pair.first.label, remarks)
    add_y_label(ax, pair.second.label)
    return ax


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
