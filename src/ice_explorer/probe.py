"""What a model is asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ice_explorer.adapters.table import Table

_N_PHANTOMS = 64


class Probe:
    """Some phantoms, and what the model itself predicts for them.

    The first thing that the model is asked: it shows what the model returns, and what engines that
    read its inside must give.

    Parameters
    ----------
    table : Table
    random_state : int

    Attributes
    ----------
    rows, crossed, donors : ndarray of shape (n_phantoms,)
        Phantom r is row rows[r] with the value of row donors[r] in column crossed[r].
    container : object
        The phantoms as the model takes them.
    """

    def __init__(self, table: Table, random_state: int) -> None:
        generator = np.random.default_rng(random_state)
        self.rows, self.donors = generator.integers(table.n_observations, size=(2, _N_PHANTOMS))
        self.crossed = generator.permutation(np.arange(_N_PHANTOMS) % len(table.names))
        self.container = table.crossed(self.rows, self.crossed, self.donors)
