"""Cache predictions of all outputs, so that another output or scale does not call the model again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.locks import new_lock

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray


class Answers:
    """Predictions of blocks of phantoms, kept while there is room.

    A model with several outputs gives all of them at once. What is kept is found again by what was
    asked: the response, the feature, the rows and the values.

    - `most_bytes`: what all kept predictions may take; what comes later is not kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._room = most_bytes
        self._kept: dict[bytes, NDArray[np.float64]] = {}
        self._lock = new_lock()

    @staticmethod
    def key(response: str, feature: object, positions: NDArray[Any], values: NDArray[np.float64]) -> bytes:
        """Return the key of a request.

        - `feature`: name of what moves.
        - `positions` (n_rows,), `values` (n_rows, n_values).
        """
        digest = hashlib.blake2b(repr((response, feature, values.shape)).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(positions).tobytes())
        digest.update(np.ascontiguousarray(values).tobytes())
        return digest.digest()

    @property
    def n_kept(self) -> int:
        """How many predictions are kept, those of all outputs counted."""
        with self._lock:
            return sum(predictions.size for predictions in self._kept.values())

    def get(self, key: bytes) -> NDArray[np.float64] | None:
        """Return kept predictions, (n_outputs, n_rows, n_values), or None."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: bytes, predictions: NDArray[np.float64]) -> None:
        """Keep predictions, (n_outputs, n_rows, n_values), if there is room."""
        with self._lock:
            if predictions.nbytes <= self._room and key not in self._kept:
                self._room -= predictions.nbytes
                self._kept[key] = predictions


@dataclass(frozen=True, eq=False)
class SeveralOutputs:
    """All outputs of a model by one call, and the one of them that is explained.

    - `predict`: rows in the container of X -> (n_rows, n_outputs).
    - `response`: that the model itself gives.
    - `rescale`: what becomes of that, element by element, before it is explained; None where nothing does.
    """

    predict: Callable[[Any], NDArray[np.float64]]
    n_outputs: int
    position: int
    response: str
    rescale: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None
    answers: Answers

    def explained(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is explained of predictions (n_outputs, …): one of them, on its scale."""
        chosen = predictions[self.position]
        return chosen if self.rescale is None else self.rescale(chosen)
