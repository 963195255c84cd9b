"""Many translucent dots as one image: as marks of their own they would make a file too large to open."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def paint_dots(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    colors: NDArray[np.float64],
    opacity: NDArray[np.float64],
    *,
    radius: float,
    width: int,
    height: int,
) -> NDArray[np.uint8]:
    """Paint dots one over the other into an image (height, width, 4) of red, green, blue and opacity, 0 to 255.

    Colours (n_dots, 3) are 0 to 255, lengths in px; dots whose centres are outside the image are left out.
    """
    reach = math.ceil(radius + 1)
    padded = np.zeros((height + 2 * reach + 1, width + 2 * reach + 1, 4))  # colour times opacity, opacity
    steps = np.arange(-reach, reach + 1) + 0.5
    inside = np.flatnonzero((x >= 0) & (x <= width) & (y >= 0) & (y <= height))
    for dot in inside.tolist():
        column, row = int(x[dot]), int(y[dot])
        away = np.hypot(steps[None, :] - (x[dot] - column), steps[:, None] - (y[dot] - row))
        cover = opacity[dot] * np.clip(radius + 0.5 - away, 0.0, 1.0)[..., None]
        patch = padded[row : row + 2 * reach + 1, column : column + 2 * reach + 1]
        patch *= 1 - cover
        patch[..., :3] += cover * colors[dot]
        patch[..., 3:] += cover
    image = padded[reach : reach + height, reach : reach + width]
    alpha = image[..., 3:]
    plain = np.divide(image[..., :3], alpha, out=np.zeros_like(image[..., :3]), where=alpha > 0)
    return np.asarray(np.concatenate([plain, 255 * alpha], axis=2) + 0.5, dtype=np.uint8)
