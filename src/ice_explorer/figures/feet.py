"""What stands at the foot of the curves of a feature: where the data are, and where curves say little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.scene.palette import PICK, UNLIKE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ice_explorer.arrays import Array
    from ice_explorer.figures.places import Places
    from ice_explorer.figures.style import Look
    from ice_explorer.scene.lines import Lines

_STRIP: Final = 0.085  # of the height of the Axes, for each strip
_RUG: Final = 0.035
_AIR: Final = 0.02  # of the same, between the strips and the lines, and half as much between two strips
SLOPE_SPREAD_LABEL: Final = "SD of the slopes"
UNLIKE_LABEL: Final = "share unlike any observation"


def draw_feet(ax: Axes, lines: Lines, places: Places, look: Look, *, is_small: bool) -> float:
    """Draw strips from the bottom of the Axes upwards; return the share of the height that they take."""
    left, right, shares, missing = lines.data_bars
    bars = list(zip(left.tolist(), right.tolist(), shares.tolist(), strict=True))
    if lines.missing is not None:
        reach = (places.outer - places.beside) / 2
        bars.append((places.beside - reach, places.beside + reach, missing))
    boxes = [_box(start, stop, share) for start, stop, share in bars if share > 0]
    strips: list[tuple[list[Array], Any, dict[str, Any]]] = [
        (boxes, look.mixed(0.3), {"gid": "histogram", "label": "_histogram"})
    ]
    if lines.kind == "d-ice" and not lines.is_empty:
        spread = _shapes_of(lines, lines.x, lines.spread_heights)
        strips.append((spread, look.mixed(0.5), {"gid": "slope spread", "label": SLOPE_SPREAD_LABEL}))
    if lines.unlike is not None:
        unlike = _shapes_of(lines, lines.grid, lines.unlike)
        strips.append((unlike, UNLIKE, {"alpha": 0.4, "gid": "unlike", "label": UNLIKE_LABEL}))
    for at, (shapes, color, style) in enumerate(strips):
        _add_strip(ax, shapes, at * _STRIP, {"facecolors": [color], "edgecolors": [look.mixed(0)], **style})
    height = len(strips) * _STRIP
    if lines.has_rug and not is_small:
        _add_rug(ax, lines, places, look, height + _RUG / 2)
        height += _RUG
    return height + _AIR / 2


def _shapes_of(lines: Lines, x: Array, shares: Array) -> list[Array]:
    """Return shares along the axis as an area, or of levels as bars."""
    if lines.axis.has_levels or len(x) == 1:
        return [_box(at - 0.3, at + 0.3, share) for at, share in zip(x.tolist(), shares.tolist(), strict=True)]
    return [np.concatenate([np.column_stack([x, shares]), [[x[-1], 0.0], [x[0], 0.0]]])]


def _add_strip(ax: Axes, shapes: list[Array], bottom: float, style: dict[str, Any]) -> None:
    """Add shapes over the data's x and 0 to 1 of the height of a strip."""
    from matplotlib.collections import PolyCollection

    placed = [shape * [1.0, _STRIP - _AIR / 2] + [0.0, bottom] for shape in shapes]
    drawn = PolyCollection(placed, linewidths=0.4, zorder=1.5, transform=ax.get_xaxis_transform(), **style)
    ax.add_collection(drawn, autolim=False)


def _add_rug(ax: Axes, lines: Lines, places: Places, look: Look, height: float) -> None:
    """Draw a tick at the observed value of each row; those of selected rows stand out."""
    at = places.at(lines.own_x)
    mark: dict[str, Any] = {"linestyle": "none", "marker": "|", "transform": ax.get_xaxis_transform()}
    mark |= {"markersize": 5, "zorder": 1.6}
    parts: list[tuple[Any, str, dict[str, Any]]] = [
        (~lines.selected, "rug", {"color": look.mixed(1), "alpha": 0.35, "markeredgewidth": 0.5}),
        (lines.selected, "rug of selected rows", {"color": PICK, "markeredgewidth": 1.4}),
    ]
    for chosen, name, style in parts:
        if chosen.any():
            where = at[chosen & np.isfinite(at)]
            ax.plot(where, np.full(len(where), height), **mark, **style, gid=name, label=f"_{name}")


def _box(start: float, stop: float, share: float) -> Array:
    return np.array([[start, 0.0], [start, share], [stop, share], [stop, 0.0]])
