"""What a model is asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.adapters.table import Table

_N_PHANTOMS = 64


class Probe:
    """Some phantoms, and what the model itself predicts for them.

    The first thing that the model is asked: it shows what the model returns, and what engines that
    read its inside must give.

    Parameters
    ----------
    table : Table
    moves : mapping of int to tuple of int
        Columns that move together, by number of the feature.
    random_state : int

    Attributes
    ----------
    rows, crossed, donors : ndarray of shape (n_phantoms,)
        Phantom r is row rows[r] with what row donors[r] has in the columns of feature crossed[r].
    container : object
        The phantoms as the model takes them.
    """

    def __init__(self, table: Table, moves: Mapping[int, tuple[int, ...]], random_state: int) -> None:
        generator = np.random.default_rng(random_state)
        self.rows, self.donors = generator.integers(table.n_observations, size=(2, _N_PHANTOMS))
        self.crossed = np.array(list(moves))[generator.permutation(np.arange(_N_PHANTOMS) % len(moves))]
        self.container = table.crossed(self.rows, [moves[number] for number in self.crossed.tolist()], self.donors)
