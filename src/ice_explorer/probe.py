"""What a model is asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.adapters.table import Table

    Array = NDArray[np.float64]

_N_PHANTOMS = 64
_N_REPEATED = 8
_TOLERANCE = 1e-6  # of the largest prediction: single precision rounds otherwise for another number of rows


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
    repeated : ndarray of shape (n_repeated,)
        Positions of a few of the phantoms, in another order.
    """

    def __init__(self, table: Table, moves: Mapping[int, tuple[int, ...]], random_state: int) -> None:
        generator = np.random.default_rng(random_state)
        self.rows, self.donors = generator.integers(table.n_observations, size=(2, _N_PHANTOMS))
        self.crossed = np.array(list(moves))[generator.permutation(np.arange(_N_PHANTOMS) % len(moves))]
        self._table, self._moves = table, moves
        self.container = self._phantoms(np.arange(_N_PHANTOMS))
        self.repeated = np.arange(_N_PHANTOMS)[:: -_N_PHANTOMS // _N_REPEATED]

    def _phantoms(self, which: NDArray[np.intp]) -> Any:
        moved = [self._moves[number] for number in self.crossed[which].tolist()]
        return self._table.crossed(self.rows[which], moved, self.donors[which])

    def notes(self, predicted: Array, predict: Callable[[Any, str], Array]) -> list[str]:
        """Say whether the prediction of a row depends on chance, or on the rows predicted in the same call.

        A few phantoms are predicted once more; all of them only where those differ.

        Parameters
        ----------
        predicted : ndarray of shape (n_phantoms,)
            What the model predicted for the phantoms.
        predict : callable
            (rows, name of the question) -> (n_rows,).
        """
        try:
            repeated = predict(self._phantoms(self.repeated), "some phantoms again")
            by_rows = _difference(repeated, predicted[self.repeated])
            if by_rows <= _TOLERANCE * _size(predicted):
                return []
            by_chance = _difference(predict(self.container, "all phantoms again"), predicted)
        except Exception:  # noqa: BLE001 - of the user's model; curves will name the phantom on which it fails
            return []
        if by_chance > _TOLERANCE * _size(predicted):
            note = (
                f"Predictions of the same rows differ between calls by up to {_amount(by_chance, predicted)}. "
                "Curves contain this noise, so impact, heterogeneity and non-linearity are too large. "
                "Fix the random state of the model, or pass a function that averages several predictions."
            )
        else:
            note = (
                f"The prediction of a row changes by up to {_amount(by_rows, predicted)} with the other rows of the "
                "same call, as with batch normalisation in training mode or scaling by batch. Curves depend on which "
                "phantom observations share a call. Pass a function that predicts each row by itself."
            )
        return [note]


def _difference(some: Array, others: Array) -> float:
    """Return the largest difference of finite predictions."""
    finite = np.isfinite(some) & np.isfinite(others)
    return float(np.max(np.abs(some[finite] - others[finite]), initial=0.0))


def _size(predicted: Array) -> float:
    return float(np.max(np.abs(predicted[np.isfinite(predicted)]), initial=0.0))


def _amount(difference: float, predicted: Array) -> str:
    """Write a difference, and what share of the range of predictions it is."""
    finite = predicted[np.isfinite(predicted)]
    span = float(np.ptp(finite))
    share = f" ({100 * difference / span:.2g} % of the prediction range)" if 0 < difference < 10 * span else ""
    return f"{difference:.3g}{share}"
