"""Lines as strokes, for pictures with few of them: each line in runs of equal opacity."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Beyond either the last stroke would hide the others, and the file would be larger than an image.
_MOST_LINES: Final = 150
_MOST_SEGMENTS: Final = 40_000

_OPACITY_STEPS: Final = 16


def suit_strokes(n_lines: int, n_points: int) -> bool:
    """Return whether lines are few enough to be drawn as strokes."""
    return n_lines <= _MOST_LINES and n_lines * n_points <= _MOST_SEGMENTS


def runs(opacity: NDArray[np.float64]) -> Iterator[tuple[slice, float]]:
    """Cut a line where the opacity of its segments changes, in sixteenths, the faintest still visible."""
    if len(opacity) == 0:
        return
    steps = np.maximum(1, np.floor(opacity * _OPACITY_STEPS + 0.5).astype(int))
    bounds = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)]
    for first, last in itertools.pairwise(bounds):
        yield slice(first, last + 1), float(steps[first]) / _OPACITY_STEPS
