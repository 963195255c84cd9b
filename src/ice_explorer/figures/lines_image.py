"""Many translucent curves as one image: each pixel has the mean colour of what crosses it, in whatever order."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.artist import Artist, allow_rasterization

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

    from ice_explorer.arrays import Array, Places
    from ice_explorer.scene.coloring import Coloring, Palette

_BLOCK: Final = 1 << 16  # pieces of curves that are drawn at a time: bounds the memory


def line_strength(n_lines: int) -> float:
    """Optical density of one line among so many: a handful look solid, thousands show where they are dense."""
    return 3.0 if n_lines <= 10 else 3.0 * (10 / n_lines) ** 0.62


def line_thickness(n_lines: int) -> float:
    """Thickness of one line among so many, in px of 1/96 inch."""
    if n_lines <= 10:
        return 1.5
    return 1.0 if n_lines >= 200 else 1.5 - 0.5 * math.log(n_lines / 10) / math.log(20)


class LinesImage(Artist):
    """Lines in the units of the data, drawn as pixels whenever the figure is drawn.

    They are sharp at every size and resolution, whatever becomes of the Axes and their limits. A line has an optical
    density of `strength`, and all together reach an opacity of `most`; `linewidth` is in pt.
    """

    def __init__(
        self, lines: tuple[Array, Array, Array], coloring: Coloring, *, linewidth: float, strength: float, most: float
    ) -> None:
        super().__init__()
        self._lines, self._linewidth, self._most = lines, linewidth, most
        self._paint = partial(draw_lines, values=coloring.values, palette=coloring.palette, strength=strength)
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
        width, height = round((right - left) * fineness), round((top - bottom) * fineness)
        if min(width, height) < 1:
            return
        thickness = self._linewidth * renderer.points_to_pixels(1.0) * fineness
        scales = axes.get_xscale(), axes.get_yscale()
        key = (*axes.bbox.extents.tolist(), *axes.viewLim.extents.tolist(), *scales, width, height, thickness)
        if self._drawn is None or self._drawn[0] != key:
            x, y, opacity = self._lines
            points = axes.transData.transform(np.column_stack([np.tile(x, len(y)), y.ravel()]))
            placed = fineness * (points - [left, bottom])  # in px from the lower left corner
            x, y = placed[: len(x), 0], placed[:, 1].reshape(y.shape)
            if x[0] > x[-1]:  # an axis that is turned round
                x, y, opacity = x[::-1], y[:, ::-1], opacity[:, ::-1]
            pixels = self._paint((x, y, opacity), width=width, height=height, thickness=thickness)
            pixels[..., 3] = np.round(self._most * pixels[..., 3])
            self._drawn = key, pixels
        gc = renderer.new_gc()
        self._set_gc_clip(gc)  # type: ignore[attr-defined]
        gc.set_gid(self.get_gid())
        renderer.draw_image(gc, left, bottom, self._drawn[1])  # the lowest row first
        gc.restore()
        self.stale = False


def draw_lines(
    lines: tuple[Array, Array, Array],
    values: NDArray[np.float32],
    palette: Palette,
    *,
    width: int,
    height: int,
    thickness: float,
    strength: float,
) -> NDArray[np.uint8]:
    """Draw lines into an image (height, width, 4) of red, green, blue and opacity, 0 to 255.

    Each pixel sums ink, coverage times opacity, and takes the mean colour of what is there. In each column of pixels a
    line covers the heights from where it enters to where it leaves, so that its ink is thickness times length.

    - `lines`: x (n_points,) that never decreases, y (n_lines, n_points) and the opacity of segments
      (n_lines, n_points - 1), in px of the image.
    - `values` (n_lines,): 0 to 1 on the ramp or the index of a level; NaN is missing.
    - `thickness` is that of a line [px], `strength` its optical density: its opacity is 1 - exp(-strength).
    """
    x, y, opacity = lines
    image = np.zeros((height, width, 4), dtype=np.uint8)
    first, last = max(0, math.floor(x[0])), min(width, math.ceil(x[-1])) if len(x) > 1 else 0
    per_block = max(1, _BLOCK // max(1, len(y)))
    channel, of_ramp = _channels(values, palette)
    for start in range(first, last, per_block):
        edges = np.arange(start, min(last, start + per_block) + 1)
        spans = _spans(x, y, opacity, edges, thickness)
        ink = np.stack([_deposit(spans, channel == each, height) for each in range(channel.max(initial=0) + 1)])
        tinted = _deposit(spans, channel == 0, height, of_ramp) if palette.kind == "ramp" else None
        image[:, edges[:-1]] = _colored(ink, tinted, palette, strength)
    return image


def _channels(values: NDArray[np.float32], palette: Palette) -> tuple[Places, Array]:
    """Where each line's ink is summed, missing values last; and its place on a ramp."""
    known, n_known = ~np.isnan(values), 1 if palette.kind == "ramp" else len(palette.colors)
    level = np.where(known, values, 0.0)
    at = np.minimum(level.astype(np.intp), n_known - 1)
    return np.where(known, at, n_known), np.clip(level, 0.0, 1.0).astype(np.float64)


def _spans(x: Array, y: Array, opacity: Array, edges: Places, thickness: float) -> tuple[Array, Array, Array]:
    """Return both ends and the density of what each line covers in each column, (n_lines, n_columns)."""
    at = np.clip(edges.astype(np.float64), x[0], x[-1])
    segment = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    run = x[segment + 1] - x[segment]
    share = np.divide(at - x[segment], run, out=np.zeros(len(at)), where=run > 0)
    heights = y[:, segment] * (1 - share) + y[:, segment + 1] * share
    low, high = np.minimum(heights[:, :-1], heights[:, 1:]), np.maximum(heights[:, :-1], heights[:, 1:])
    for point in np.flatnonzero((x > edges[0]) & (x < edges[-1])):  # a turn within a column
        column = np.searchsorted(edges, x[point], side="right") - 1
        low[:, column] = np.minimum(low[:, column], y[:, point])
        high[:, column] = np.maximum(high[:, column], y[:, point])
    middle = np.clip(np.searchsorted(x, edges[:-1] + 0.5, side="right") - 1, 0, len(x) - 2)
    length = np.hypot(np.diff(at), high - low)
    low, high = low - thickness / 2, high + thickness / 2
    with np.errstate(invalid="ignore"):
        density = opacity[:, middle] * thickness * length / (high - low)
    return low, high, np.where(np.isfinite(density), density, 0.0)


def _deposit(
    spans: tuple[Array, Array, Array], chosen: NDArray[np.bool_], height: int, by: Array | None = None
) -> Array:
    """Sum the ink of some lines in each pixel, (height, n_columns), weighed `by` a number of each line.

    What a span adds to the pixels above an end is a step with a ramp of one pixel, so that two numbers at each end,
    summed along the column, give it.
    """
    low, high, density = (each[chosen] for each in spans)
    n_lines, n_columns = low.shape
    if by is not None:
        density = density * by[chosen, None]
    steps = np.zeros((height + 2) * n_columns)
    column = np.broadcast_to(np.arange(n_columns), (n_lines, n_columns)).ravel()
    for end, sign in ((low, 1.0), (high, -1.0)):
        within = np.clip(np.nan_to_num(end.ravel()), 0, height)
        row = within.astype(np.intp)
        amount, part = sign * density.ravel(), within - row
        steps += np.bincount(row * n_columns + column, amount * (1 - part), len(steps))
        steps += np.bincount((row + 1) * n_columns + column, amount * part, len(steps))
    return np.asarray(np.maximum(np.cumsum(steps.reshape(height + 2, n_columns), axis=0)[:height], 0.0))


def _colored(ink: Array, tinted: Array | None, palette: Palette, strength: float) -> NDArray[np.uint8]:
    """Turn sums of ink, (n_channels, height, n_columns), into red, green, blue and opacity.

    Ink up to that of one opaque line shows in proportion; beyond it the opacity saturates exponentially.
    """
    total = ink.sum(axis=0)
    colors = np.vstack([palette.colors, [palette.missing]]).astype(np.float64)
    parts = np.divide(ink, total, out=np.zeros_like(ink), where=total > 1e-9)
    if tinted is None:
        rgb = np.einsum("chw,ck->hwk", parts, colors[: len(ink)])
    else:
        place = np.divide(tinted, ink[0], out=np.zeros_like(tinted), where=ink[0] > 1e-9)
        on_ramp = colors[np.clip(place * (len(colors) - 2) + 0.5, 0, len(colors) - 2).astype(np.intp)]
        rgb = on_ramp * parts[0][..., None] + (colors[-1] * parts[1][..., None] if len(ink) > 1 else 0.0)
    opaque, growth = 1 - math.exp(-strength), math.exp(strength) - 1
    beyond = 1 - np.exp(-strength - growth * np.maximum(total - 1, 0.0))
    opacity = np.where(total <= 1, opaque * total, beyond)
    return np.round(np.concatenate([rgb, 255 * opacity[..., None]], axis=2)).astype(np.uint8)
