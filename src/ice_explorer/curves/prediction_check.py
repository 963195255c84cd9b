"""The first calls of a model: one to learn its output, others to detect random or batch-dependent predictions."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.errors import Cancelled, ModelNeededError, PredictionError
from ice_explorer.errors.base import cause_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.arrays import Array, Places
    from ice_explorer.models.predict import Predictor
    from ice_explorer.tables.table import Table


_N_PHANTOMS = 64
_FIRST_ROWS = 2  # enough to see what the model returns
_TOLERANCE = 1e-6  # of the largest prediction: single precision rounds otherwise for another number of rows


class PredictionCheck:
    """A few observations, and what the model predicted for them when its explanation was planned.

    They show what the model returns, and what methods that read its structure must return.

    - `rows`, `donors`, `crossed` (n_phantoms,): phantom r is row rows[r] with what row donors[r] has in the columns of
      feature crossed[r]. Where the model fails on such phantoms, `rows` are those of X as they are, `crossed` is -1.
    - `predict`: rows in the container of X -> (n_rows,) float64.
    - `predicted` (n_phantoms,).
    - `seconds`: how long the model took for it, at most.
    """

    predict: Callable[[Any], Array]
    predicted: Array
    seconds: float

    def __init__(self, table: Table, moves: Mapping[int, tuple[int, ...]], random_state: int) -> None:
        generator = np.random.default_rng(random_state)
        self.rows, self.donors = generator.integers(table.n_observations, size=(2, _N_PHANTOMS))
        self.crossed = np.array(list(moves))[generator.permutation(np.arange(_N_PHANTOMS) % len(moves))]
        self._moves, self._table = moves, table

    def observe(self, make: Callable[[Any], tuple[Predictor, Array]]) -> Predictor:
        """Make a predictor from these observations, else from the first rows: then an error names real rows."""
        start = perf_counter()
        try:
            predictor, self.predicted = make(self._container())
        except PredictionError:
            if not self.predicts_phantoms:
                raise
            predictor = None
        if predictor is None:
            self.rows = np.arange(min(_FIRST_ROWS, self._table.n_observations))
            self.crossed = np.full(len(self.rows), -1)
            return self.observe(make)
        self.predict, self.seconds = predictor.predict, perf_counter() - start
        return predictor

    @property
    def predicts_phantoms(self) -> bool:
        """Whether the model predicts phantoms."""
        return bool((self.crossed >= 0).all())

    def _container(self, observations: Places | slice = slice(None)) -> Any:
        """Return some of the observations as the model takes them, made anew: some models write into them."""
        sources = {
            place: np.where(self.crossed == number, self.donors, self.rows)[observations]
            for number in np.unique(self.crossed).tolist()
            for place in self._moves.get(number, ())
        }
        return self._table.crossed(self.rows[observations], sources)

    def check(self) -> None:
        """Raise if the model predicts these observations otherwise now, and not by chance.

        - raises PredictionError: figures of the explanation and new predictions would be those of two models.
        """
        size = np.max(np.abs(self.predicted[np.isfinite(self.predicted)]), initial=0.0)
        try:
            again = self.predict(self._container())
            change = _difference(again, self.predicted)
            if change <= _TOLERANCE * size or _difference(self.predict(self._container()), again) > _TOLERANCE * size:
                return
        except Cancelled:
            raise
        except ModelNeededError:  # a model that is not there does not change
            return
        except Exception as error:
            raise PredictionError(
                f"The model failed on rows that it predicted before: {cause_of(error)}",
                "Repeat this when the model works again; explain it again if it was changed.",
            ) from error
        raise PredictionError(
            "The model must stay as it was explained; it changed since `explain`, and predicts the same rows "
            f"differently by up to {change:.3g}.",
            "Explain it again.",
        )

    def dependence_note(self, bounds: tuple[float, float]) -> str:
        """Return a note if predictions depend on chance, or on the rows predicted in the same call; else "".

        Half of the observations are predicted in a call of their own, which must change nothing: those with the smaller
        predictions, so that their mean, on which a prediction may depend, is not that of all.

        - `bounds`: smallest and largest prediction of all.
        """
        half = np.argsort(self.predicted, kind="stable")[: (len(self.predicted) + 1) // 2]
        try:
            difference = _difference(self.predict(self._container(half)), self.predicted[half])
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - some models cannot predict so few rows, which is not worth an error
            return ""
        if difference <= _TOLERANCE * max(map(abs, bounds)):
            return ""
        span = bounds[1] - bounds[0]
        share = f" ({100 * difference / span:.2g} % of the prediction range)" if difference < 10 * span else ""
        return (
            f"Predictions of the same rows differ between calls by up to {difference:.3g}{share}: they depend on "
            "chance or on the other rows of the call. Curves contain these differences, so impact, heterogeneity and "
            "non-linearity are too large. Fix the random state of the model, or pass a function that predicts each "
            "row by itself or averages several predictions."
        )


def _difference(predictions: Array, others: Array) -> float:
    """Return the largest difference of finite predictions."""
    finite = np.isfinite(predictions) & np.isfinite(others)
    return float(np.max(np.abs(predictions[finite] - others[finite]), initial=0.0))
