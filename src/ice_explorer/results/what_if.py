"""What-if of a row: the change of its prediction by a change of one feature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Places


LEAST_WEIGHT: Final = 0.5
"""A value is within reach of a row where its likelihood is at least this."""

_ROUNDING: Final = 1e-9  # of a distance; and of predictions, below which two are equal


@dataclass(frozen=True, eq=False)
class Moves:
    """Grid values at which the prediction of a row is further from its own than at every nearer one, nearest first.

    - `places` (n_moves,): where on the grid.
    - `distances` (n_moves,): from the observed value, in likelihood scales: the exponents of the decay.
    - `changes` (n_moves,): prediction there minus the prediction of the row [output].
    """

    places: Places
    distances: Array
    changes: Array

    def within(self, reach: float) -> tuple[int | None, float, float]:
        """Return place, distance and size of the largest change within a distance; no place where nothing changes."""
        n_near = int(np.sum(self.distances <= reach * (1 + _ROUNDING)))
        if n_near == 0:
            return None, math.nan, 0.0
        return int(self.places[n_near - 1]), float(self.distances[n_near - 1]), float(self.changes[n_near - 1])


def moves_of(distances: Array, curve: Array, prediction: float) -> Moves:
    """Find the changes of a row that no smaller step of the feature exceeds.

    - `distances` (n_grid,): from the observed value, in likelihood scales. `curve` (n_grid,): of the row [output].

    Examples
    --------
    >>> moves_of(np.array([1.0, 0.0, 1.0, 2.0]), np.array([5.0, 3.0, 4.0, 6.0]), 3.0).changes.tolist()
    [2.0, 3.0]
    """
    changes = curve - prediction
    order = np.lexsort((-np.abs(changes), distances))
    sizes = np.abs(changes[order])
    least = _ROUNDING * max(abs(prediction), float(np.abs(curve).max(initial=0.0)))
    before = np.maximum.accumulate(np.concatenate([[least], sizes[:-1]]))
    places = order[sizes > before]
    return Moves(places, distances[places], changes[places])


def reach_of(decay: float) -> float:
    """Return the distance at which a value counts half, in likelihood scales; infinite without decay."""
    return math.inf if decay == 1 else math.log(LEAST_WEIGHT) / math.log(decay)
