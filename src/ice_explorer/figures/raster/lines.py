"""Many translucent lines as one image: the pixels that the browser draws, without a browser.

The twin of `js/src/geometry/raster.ts`; fixtures in `tests/contract/raster` hold the two together.
Each pixel keeps its ink, Σ coverage · opacity, and ink · colour value. It takes the palette's colour
of the mean value, so the picture does not depend on the order of the lines. Ink up to that of one
opaque line shows in proportion; beyond it saturates exponentially. Coverage is that of a strip of
the given thickness: in each column the strip's height swept along the rise of the line, a
trapezoid whose mass is thickness · length whatever the slope.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ice_explorer.scene.palette import Palette

# The constants of raster.ts and columns.ts, where they are explained.
_UPRIGHT_SLOPE: Final = 2.0
_LEVEL_RISE: Final = 0.5
_OPACITY_STEPS: Final = 4096
_FLAT: Final = 1e9  # half-width of a trapezoid without ramps: a box
_BLOCK: Final = 1 << 13  # pieces of lines worked on at a time: what is made of them fits the cache
_WORTH_COMPILING: Final = 400_000  # of them in a picture; numba takes longer to load than NumPy to draw fewer


@dataclass(frozen=True)
class LineSet:
    """Lines that share their x, in px of an image.

    Attributes
    ----------
    x : ndarray of shape (n_points,)
        From the left, never decreasing; equal neighbours make a vertical step.
    y : ndarray of shape (n_lines, n_points)
        From the top; NaN breaks the line.
    opacity : ndarray of shape (n_lines, n_points - 1)
    color : ndarray of shape (n_lines,)
        0 to 1 on the ramp, or the index of a level; NaN is neutral.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float32]
    opacity: NDArray[np.float32]
    color: NDArray[np.float32]


def line_strength(n_lines: int) -> float:
    """Optical density of one line among so many: a handful look solid, thousands show where they are dense."""
    return 3.0 if n_lines <= 10 else 3.0 * (10 / n_lines) ** 0.62


def line_thickness(n_lines: int) -> float:
    """Thickness of one line among so many, in CSS px."""
    if n_lines <= 10:
        return 1.5
    return 1.0 if n_lines >= 200 else 1.5 - 0.5 * math.log(n_lines / 10) / math.log(20)


def draw_lines(
    lines: LineSet,
    palette: Palette,
    *,
    width: int,
    height: int,
    thickness: float,
    strength: float,
    compiled: bool | None = None,
) -> NDArray[np.uint8]:
    """Draw lines into an image (height, width, 4) of red, green, blue and opacity, 0 to 255.

    `thickness` is that of a line [px], `strength` its optical density: its opacity is 1 - exp(-strength). Where it is
    not `compiled`, nor by default where there is little to draw, NumPy draws.
    """
    pieces = _pieces(lines.x, width, thickness)
    image = np.zeros((height, width, 4), dtype=np.uint8)
    n_lines = len(lines.y)
    if n_lines == 0 or len(pieces.column) == 0:
        return image
    channel, color, n_channels = _channels(lines.color, palette)
    by_point = np.ascontiguousarray(lines.y.T)
    by_segment = np.ascontiguousarray(lines.opacity.T)
    if compiled is None:
        compiled = HAS_NUMBA and len(pieces.column) * n_lines > _WORTH_COMPILING
    opacities = _opacity_table(strength)
    for first, last, block in _blocks(pieces, width, n_lines):
        shape = (last - first, n_channels, height)
        if compiled:
            ink, tinted = _deposit_compiled(block, first, (by_point, by_segment, channel, color), thickness, shape)
        else:
            spans = _spans(block, by_point, by_segment, thickness)
            ink, tinted = _deposit(spans, block.column - first, channel, color, shape)
        _put(_resolve(ink, tinted, palette, opacities), image, first)
    return image


def _blocks(pieces: _Pieces, width: int, n_lines: int) -> Iterator[tuple[int, int, _Pieces]]:
    """Yield whole columns, as many as a block holds: the first, one past the last, and what is in them."""
    per_block = max(1, _BLOCK // max(1, n_lines))
    starts = np.searchsorted(pieces.column, np.arange(width + 1))
    first = 0
    while first < width:
        last = int(np.searchsorted(starts, starts[first] + per_block, side="right")) - 1
        last = min(width, max(first + 1, last))
        yield first, last, pieces.part(slice(starts[first], starts[last]))
        first = last


@dataclass(frozen=True)
class _Pieces:
    """Where segments and columns meet, by column: `columnPieces` of columns.ts."""

    column: NDArray[np.intp]
    segment: NDArray[np.intp]
    middle: NDArray[np.float64]
    share_of_segment: NDArray[np.float64]
    run: NDArray[np.float64]
    upright_from: NDArray[np.float64]
    share: NDArray[np.float64]

    def part(self, chosen: slice | NDArray[np.intp] | NDArray[np.bool_]) -> _Pieces:
        return _Pieces(
            self.column[chosen], self.segment[chosen], self.middle[chosen], self.share_of_segment[chosen],
            self.run[chosen], self.upright_from[chosen], self.share[chosen],
        )  # fmt: skip


def _pieces(x: NDArray[np.float64], width: int, thickness: float) -> _Pieces:
    left, right = x[:-1], x[1:]
    run = right - left
    narrow = run < thickness
    centre = (left + right) / 2
    bar_left, bar_right = centre - thickness / 2, centre + thickness / 2
    outer_left = np.where(narrow, np.minimum(left, bar_left), left)
    outer_right = np.where(narrow, np.maximum(right, bar_right), right)
    first = np.clip(np.floor(outer_left), 0, width).astype(np.intp)
    last = np.clip(np.floor(outer_right), -1, width - 1).astype(np.intp)
    count = np.where(run >= 0, np.maximum(0, last - first + 1), 0)
    segment = np.repeat(np.arange(len(run)), count)
    column = first[segment] + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    start = np.minimum(np.maximum(left[segment], column), right[segment])
    stop = np.maximum(np.minimum(right[segment], column + 1), left[segment])
    covered = np.minimum(bar_right[segment], column + 1) - np.maximum(bar_left[segment], column)
    share = np.where(narrow[segment], np.maximum(0, covered) / thickness, 0.0)
    per_run = np.divide(1.0, run, out=np.zeros_like(run), where=run > 0)[segment]
    pieces = _Pieces(
        column=column,
        segment=segment,
        middle=((start - left[segment]) * per_run + (stop - left[segment]) * per_run) / 2,
        # Exactly alike in all columns that a segment crosses from side to side.
        share_of_segment=(stop - start) * per_run,
        run=stop - start,
        upright_from=np.where(narrow, _UPRIGHT_SLOPE * run, np.inf)[segment],
        share=share,
    )
    pieces = pieces.part((pieces.run > 0) | (share > 0))
    return pieces.part(np.argsort(pieces.column, kind="stable"))


@dataclass(frozen=True)
class _Spans:
    """One piece of one line each: a trapezoid around `centre`, cut to [low, high]; a box where `inner` is large."""

    piece: NDArray[np.intp]
    line: NDArray[np.intp]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    density: NDArray[np.float64]
    centre: NDArray[np.float64]
    inner: NDArray[np.float64]
    bend: NDArray[np.float64]


def _swept_area(u: NDArray[np.float64], inner: NDArray[np.float64], bend: NDArray[np.float64]) -> NDArray[np.float64]:
    """Area of a trapezoid of height 1 between its centre and u."""
    right = u - inner
    right += np.abs(right)
    left = -u - inner
    left += np.abs(left)
    return u - bend * (right * right - left * left)


def _spans(pieces: _Pieces, by_point: NDArray[np.float32], by_segment: NDArray[np.float32], thickness: float) -> _Spans:
    opacity = by_segment[pieces.segment].astype(np.float64)
    start = by_point[pieces.segment].astype(np.float64)
    climb = by_point[pieces.segment + 1].astype(np.float64) - start
    with np.errstate(invalid="ignore"):
        drawn = (opacity > 0) & np.isfinite(climb)
    piece, line = np.nonzero(drawn)
    opacity, start, signed = opacity[drawn], start[drawn], climb[drawn]
    climb = np.abs(signed)
    run, upright_from = pieces.run[piece], pieces.upright_from[piece]
    top = np.where(signed < 0, start + signed, start)
    bottom = np.where(signed < 0, start, start + signed)

    rise = climb * pieces.share_of_segment[piece]
    centre = start + signed * pieces.middle[piece]
    with np.errstate(divide="ignore", invalid="ignore"):  # pieces without a run are replaced by bars or dropped
        strip = thickness / run * np.sqrt(run * run + rise * rise)
        ramp = np.minimum(strip, rise)
        outer = (strip + rise) / 2
        inner = outer - ramp
        bend = 1 / (8 * ramp)
        sloping = (rise > _LEVEL_RISE) | (strip > 2 * thickness)
        low = np.where(sloping, np.maximum(centre - outer, top - thickness), centre - strip / 2)
        high = np.where(sloping, np.minimum(centre + outer, bottom + thickness), centre + strip / 2)
        kept = _swept_area(high - centre, inner, bend) - _swept_area(low - centre, inner, bend)
        density = opacity * run * np.where(sloping, strip / kept, 1.0)
    inner = np.where(sloping, inner, _FLAT)
    bend = np.where(sloping, bend, 0.0)

    upright = climb > upright_from
    base = upright_from[upright] / _UPRIGHT_SLOPE
    length = np.sqrt(base * base + climb[upright] ** 2)
    low[upright] = top[upright] - thickness / 2
    high[upright] = low[upright] + climb[upright] + thickness
    share = pieces.share[piece[upright]]
    density[upright] = opacity[upright] * share * thickness * length / (high[upright] - low[upright])
    inner[upright], bend[upright] = _FLAT, 0.0

    inked = np.where(upright, pieces.share[piece] > 0, run > 0)
    return _Spans(
        piece[inked], line[inked], low[inked], high[inked], density[inked], centre[inked], inner[inked], bend[inked]
    )


def _deposit(
    spans: _Spans,
    column: NDArray[np.intp],
    channel: NDArray[np.intp],
    color: NDArray[np.float64],
    shape: tuple[int, int, int],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the ink per (column, channel, row), and ink · colour value per (column, row)."""
    n_columns, n_channels, height = shape
    low, high = np.maximum(spans.low, 0.0), np.minimum(spans.high, height)
    inside = np.flatnonzero(low < high)
    low, high = low[inside], high[inside]
    top = low.astype(np.intp)
    count = np.minimum(high.astype(np.intp), height - 1) - top + 1
    span = np.repeat(inside, count)
    low, high = np.repeat(low, count), np.repeat(high, count)
    row = np.arange(len(span)) - np.repeat(np.cumsum(count) - count - top, count)
    centre, inner, bend = spans.centre[span], spans.inner[span], spans.bend[span]
    until = _swept_area(np.minimum(row + 1, high) - centre, inner, bend)
    until -= _swept_area(np.maximum(row, low) - centre, inner, bend)
    ink = spans.density[span] * until
    at, line = column[spans.piece[span]], spans.line[span]
    where = (at * n_channels + channel[line]) * height + row
    # Counts become sums with weights, which the types do not tell.
    total = np.asarray(np.bincount(where, ink, n_columns * n_channels * height), dtype=np.float64)
    tinted = np.zeros(n_columns * height)
    if color.any():  # levels have no places on a ramp
        tinted = np.asarray(np.bincount(at * height + row, ink * color[line], n_columns * height), dtype=np.float64)
    return total.reshape(n_columns, n_channels, height), tinted.reshape(n_columns, height)


def _deposit_compiled(
    pieces: _Pieces,
    first: int,
    lines: tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.intp], NDArray[np.float64]],
    thickness: float,
    shape: tuple[int, int, int],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Do what `_spans` and `_deposit` do for the columns from `first` on."""
    from ice_explorer.figures.raster.lines_numba import add_ink

    n_columns, _, height = shape
    ink, tinted = np.zeros(shape), np.zeros((n_columns, height))
    add_ink(tuple(vars(pieces).values()), first, lines, thickness, (_UPRIGHT_SLOPE, _LEVEL_RISE), ink, tinted)
    return ink, tinted


def _put(pixels: NDArray[np.uint8], image: NDArray[np.uint8], first: int) -> None:
    """Write pixels of (column, row) into an image of (row, column), four bytes at a time."""
    image.view(np.uint32)[:, first : first + len(pixels), 0] = pixels.view(np.uint32)[..., 0].T


def _channels(color: NDArray[np.float32], palette: Palette) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """Where each line's ink is summed; the last channel is that of missing values."""
    known = ~np.isnan(color)
    values = np.where(known, color, 0.0).astype(np.float64)
    if palette.kind == "ramp":
        return np.where(known, 0, 1), np.clip(values, 0.0, 1.0), 2
    n_levels = len(palette.colors)
    level = np.minimum(values.astype(np.intp), n_levels - 1)
    return np.where(known, level, n_levels), np.zeros(len(color)), n_levels + 1


def _resolve(
    ink: NDArray[np.float64],
    tinted: NDArray[np.float64],
    palette: Palette,
    table: tuple[NDArray[np.uint8], float],
) -> NDArray[np.uint8]:
    """Turn the sums of (column, channel, row) into colours of (column, row)."""
    pixels = _tinted(ink, tinted, palette)
    total = ink.sum(axis=1)
    opacities, per_ink = table
    pixels[..., 3] = opacities[np.minimum((total * per_ink + 0.5).astype(np.int64), len(opacities) - 1)]
    pixels[total == 0] = 0
    return pixels


def _tinted(ink: NDArray[np.float64], tinted: NDArray[np.float64], palette: Palette) -> NDArray[np.uint8]:
    """Colour each (column, row) as the mean of what is there, without an opacity."""
    total = ink.sum(axis=1)
    inked = total > 0
    colors = palette.colors.astype(np.float64)
    missing = np.array(palette.missing, dtype=np.float64)
    if palette.kind == "ramp":
        known = np.where(ink[:, 0] > 0, ink[:, 0], 1.0)
        at = (tinted / known * (len(colors) - 1) + 0.5).astype(np.int64)
        unknown = np.divide(ink[:, 1], total, out=np.zeros_like(total), where=inked)[..., None]
        rgb = np.where(ink[:, :1].transpose(0, 2, 1) > 0, colors[at], 0.0) * (1 - unknown) + missing * unknown
    else:
        weights = np.divide(ink, total[:, None], out=np.zeros_like(ink), where=inked[:, None])
        rgb = weights.transpose(0, 2, 1) @ np.vstack([colors, missing])
    pixels = np.zeros((*total.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where(inked[..., None], rgb + 0.5, 0.0)
    return pixels


def _opacity_table(strength: float) -> tuple[NDArray[np.uint8], float]:
    """Opacity (0 to 255) by ink, and entries per unit of ink."""
    opaque = 1 - math.exp(-strength)
    per_ink = _OPACITY_STEPS * opaque
    growth = math.exp(strength) - 1
    saturated = 1 + max(0.0, math.log(512) - strength) / growth
    ink = np.arange(math.ceil(saturated * per_ink) + 1) / per_ink
    opacity = np.where(ink <= 1, opaque * ink, 1 - np.exp(-strength - growth * (ink - 1)))
    return np.floor(255 * opacity + 0.5).astype(np.uint8), per_ink
