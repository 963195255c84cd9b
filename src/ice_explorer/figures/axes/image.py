"""Many curves as one Matplotlib artist, rasterised at the size at which it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist, allow_rasterization

from ice_explorer.figures.raster.lines import LineSet, draw_lines

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

    from ice_explorer.scene.coloring import Coloring


class LinesImage(Artist):
    """Lines in the units of the data, drawn as pixels whenever the figure is drawn.

    They are sharp at every size and resolution, whatever becomes of the Axes and their limits. A line has an optical
    density of `strength`, and all together reach an opacity of `most`; `linewidth` is in pt.
    """

    def __init__(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        opacity: NDArray[np.float64],
        coloring: Coloring,
        *,
        linewidth: float,
        strength: float,
        most: float,
    ) -> None:
        super().__init__()
        self._x, self._y = x, y
        self._opacity = opacity.astype(np.float32)
        self._coloring = coloring
        self._linewidth = linewidth
        self._strength = strength
        self._most = most
        self._drawn: tuple[object, NDArray[np.uint8]] | None = None

    def get_window_extent(self, renderer: RendererBase | None = None) -> Bbox:
        """Return the area of the Axes."""
        return super().get_window_extent(renderer) if self.axes is None else self.axes.get_window_extent(renderer)

    @allow_rasterization  # type: ignore[untyped-decorator]
    def draw(self, renderer: Any) -> None:
        """Draw the lines at the resolution of the renderer."""
        axes: Any = self.axes
        if axes is None or not self.get_visible():
            return
        fineness = renderer.get_image_magnification()
        left, bottom, right, top = np.round(axes.bbox.extents).tolist()
        size = round((right - left) * fineness), round((top - bottom) * fineness)
        if min(size) < 1:
            return
        thickness = self._linewidth * renderer.points_to_pixels(1.0) * fineness
        scales = axes.get_xscale(), axes.get_yscale()
        key = (*axes.bbox.extents.tolist(), *axes.viewLim.extents.tolist(), *scales, *size, thickness)
        if self._drawn is None or self._drawn[0] != key:
            points = axes.transData.transform(np.column_stack([np.tile(self._x, len(self._y)), self._y.ravel()]))
            placed = fineness * (points - [left, top]) * [1, -1]
            self._drawn = key, self._pixels(placed, size, thickness)
        gc = renderer.new_gc()
        self._set_gc_clip(gc)  # type: ignore[attr-defined]
        gc.set_gid(self.get_gid())
        renderer.draw_image(gc, left, bottom, self._drawn[1])
        gc.restore()
        self.stale = False

    def _pixels(self, placed: NDArray[np.float64], size: tuple[int, int], thickness: float) -> NDArray[np.uint8]:
        """Draw points in px from the upper left corner as an image with the lowest row first, as renderers want it."""
        shape = self._y.shape
        across, down = placed[: shape[1], 0], placed[:, 1].reshape(shape).astype(np.float32)
        opacity = self._opacity
        if across[0] > across[-1]:  # an axis that is turned round
            across, down, opacity = across[::-1], down[:, ::-1], opacity[:, ::-1]
        lines = LineSet(across, down, opacity, self._coloring.values)
        width, height = size
        look: dict[str, Any] = {"thickness": thickness, "strength": self._strength}
        pixels = draw_lines(lines, self._coloring.palette, width=width, height=height, **look)
        pixels[..., 3] = np.round(self._most * pixels[..., 3])
        return np.ascontiguousarray(pixels[::-1])
