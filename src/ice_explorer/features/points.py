"""Several features that move together, to values that are given point by point."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.column import Column


_MOST_POINTS: Final = 1 << 20


class Points:
    """Features at given points, for `BruteCurves.evaluate`, whose values are then `coordinates`.

    - `values` (n_points, n_features): coordinates of the features at each point.
    - `coordinates` (n_points,): number of each point. Numbers start at a checksum of all points, by which kept
      predictions of others differ.
    """

    def __init__(self, features: Sequence[Feature], values: Array) -> None:
        self._features = features
        self._values = np.ascontiguousarray(values)
        self._first = float(zlib.crc32(self._values.tobytes()) * _MOST_POINTS)
        self.coordinates: Array = self._first + np.arange(len(values), dtype=np.float64)
        self.readable = " and ".join(feature.label for feature in features)

    def column_coordinates(self, coordinates: Array) -> Mapping[Column, Array]:
        """Return the coordinates of each column for numbers of points of any shape."""
        values = self._values[(coordinates - self._first).astype(np.intp)]
        moves: dict[Column, Array] = {}
        for at, feature in enumerate(self._features):
            moves.update(feature.column_coordinates(values[..., at]))
        return moves

    def text(self, coordinate: float) -> str:
        """Write a point for a message."""
        values = self._values[int(coordinate - self._first)]
        texts = [feature.text(float(value)) for feature, value in zip(self._features, values, strict=True)]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
