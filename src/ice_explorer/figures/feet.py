"""What stands at the foot of the curves of a feature: where the data are, and where curves say little."""

from __future__ import annotations

from dataclasses import dataclass, field
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


@dataclass
class Feet:
    """Strips from the bottom of the Axes upwards; `height` is the share of the Axes that they take so far."""

    ax: Axes
    lines: Lines
    places: Places
    look: Look
    is_small: bool = False
    height: float = field(default=0.0, init=False)

    def draw(self) -> None:
        """Draw the histogram, and what else there is."""
        lines = self.lines
        self._add_histogram()
        if lines.kind == "d-ice" and not lines.is_empty:
            look = {"color": self.look.mixed(0.5), "gid": "slope spread", "label": SLOPE_SPREAD_LABEL}
            self._add_shares(lines.x, lines.spread_heights, look)
        if lines.unlike is not None:
            self._add_shares(
                lines.grid, lines.unlike, {"color": UNLIKE, "alpha": 0.4, "gid": "unlike", "label": UNLIKE_LABEL}
            )
        if lines.has_rug and not self.is_small:
            self._add_rug()
        self.height += _AIR / 2

    def _add_histogram(self) -> None:
        left, right, shares, missing = self.lines.data_bars
        bars = list(zip(left.tolist(), right.tolist(), shares.tolist(), strict=True))
        if self.lines.missing is not None:
            reach = (self.places.outer - self.places.beside) / 2
            bars.append((self.places.beside - reach, self.places.beside + reach, missing))
        shapes = [_box(start, stop, share) for start, stop, share in bars if share > 0]
        self._add(shapes, {"color": self.look.mixed(0.3), "gid": "histogram", "label": "_histogram"})

    def _add_shares(self, x: Array, shares: Array, look: dict[str, Any]) -> None:
        """Draw shares along the axis as an area, or of levels as bars."""
        if self.lines.axis.has_levels or len(x) == 1:
            self._add(
                [_box(at - 0.3, at + 0.3, share) for at, share in zip(x.tolist(), shares.tolist(), strict=True)], look
            )
            return
        self._add([np.concatenate([np.column_stack([x, shares]), [[x[-1], 0.0], [x[0], 0.0]]])], look)

    def _add(self, shapes: list[Array], look: dict[str, Any]) -> None:
        """Add shapes over the data's x and 0 to 1 of the height of a strip."""
        from matplotlib.collections import PolyCollection

        bottom, height = self.height, _STRIP - _AIR / 2
        placed = [shape * [1.0, height] + [0.0, bottom] for shape in shapes]
        color, foot = look.pop("color"), self.ax.get_xaxis_transform()
        edge: dict[str, Any] = {"edgecolors": [self.look.mixed(0)], "linewidths": 0.4, "zorder": 1.5, "transform": foot}
        self.ax.add_collection(PolyCollection(placed, facecolors=[color], **edge, **look), autolim=False)
        self.height += _STRIP

    def _add_rug(self) -> None:
        """Draw a tick at the observed value of each row; those of selected rows stand out."""
        at = self.places.at(self.lines.own_x)
        middle = self.height + _RUG / 2
        mark: dict[str, Any] = {"linestyle": "none", "marker": "|", "transform": self.ax.get_xaxis_transform()}
        marked = self.lines.selected
        parts: list[tuple[Any, str, dict[str, Any]]] = [
            (~marked, "rug", {"color": self.look.mixed(1), "alpha": 0.35, "markeredgewidth": 0.5}),
            (marked, "rug of selected rows", {"color": PICK, "markeredgewidth": 1.4}),
        ]
        for chosen, name, look in parts:
            if chosen.any():
                where = at[chosen & np.isfinite(at)]
                self.ax.plot(
                    where,
                    np.full(len(where), middle),
                    **mark,
                    **look,
                    markersize=5,
                    gid=name,
                    label=f"_{name}",
                    zorder=1.6,
                )
        self.height += _RUG


def _box(start: float, stop: float, share: float) -> Array:
    return np.array([[start, 0.0], [start, share], [stop, share], [stop, 0.0]])
