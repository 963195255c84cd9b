"""Predictions and curves that were saved, in place of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from ice_explorer.curves.brute import BruteCurves
from ice_explorer.curves.method import CurveMethod
from ice_explorer.curves.prediction_check import PredictionCheck
from ice_explorer.errors import ModelNeededError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.curves.brute import VariedFeature
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.saved.table import SavedTable


_ROWS_AT_A_TIME: Final = 2048
_OTHER_VALUES: Final = "Predictions at other values than those of the file need"


@dataclass(frozen=True, eq=False)
class SavedCurves:
    """What was predicted of one feature.

    - `grid` (n_grid,).
    - `stretches` (n_rows, n_stretches): curves, which are constant along each stretch.
    - `stretch_of` (n_grid,): stretch of each grid value.
    - `own`, `at_own` (n_rows,): observed values, the median for missing ones, and the predictions there.
    - `missing` (n_rows,): predictions with the value missing; None where it never is.
    """

    grid: Array
    stretches: Array
    stretch_of: Places
    own: Array
    at_own: Array
    missing: Array | None

    def curves(self, rows: Rows, at: Places | slice = slice(None)) -> Array:
        """Return the curves of some rows at every grid value, or at some places of the grid, (n_rows, n_places)."""
        return np.asarray(self.stretches[rows][:, self.stretch_of[at]])

    def at(self, rows: Rows, values: Array) -> Array:
        """Return predictions of rows at values (n_rows, n_values); NaN is missing."""
        places = np.minimum(np.searchsorted(self.grid, values), len(self.grid) - 1)
        found = self.stretches[rows[:, None], self.stretch_of[places]]
        is_own, is_missing = values == self.own[rows, None], np.isnan(values)
        is_known = (self.grid[places] == values) | is_own
        found = np.where(self.grid[places] == values, found, self.at_own[rows, None])
        if self.missing is not None:
            found = np.where(is_missing, self.missing[rows, None], found)
            is_known |= is_missing
        if not is_known.all():
            raise ModelNeededError.predictions(_OTHER_VALUES)
        return found


class SavedPredictions(BruteCurves):
    """Predictions of rows as they are, and of features at values of the file; there are no others.

    - `predictions` (n_rows,).
    - `features`: by number.
    """

    def __init__(
        self,
        table: SavedTable,
        predictions: Array,
        features: Mapping[int, SavedCurves],
        memory_limit: int,
        response: str,
    ) -> None:
        super().__init__(refused, table, memory_limit, response)
        self._known, self._features = predictions, features

    def evaluate(
        self,
        feature: VariedFeature,
        positions: Rows,
        values: Array,
        n_jobs: int = 1,  # noqa: ARG002 - nothing is computed
        made: Callable[[int], object] | None = None,  # noqa: ARG002
    ) -> Array:
        """Return predictions of rows with the feature set to given values."""
        saved = self._features.get(getattr(feature, "position", -1))
        if saved is None:
            raise ModelNeededError.predictions(_OTHER_VALUES)
        return saved.at(positions, values)

    def evaluate_together(self, requests: Sequence[Any]) -> list[Array]:
        """Return predictions of phantom observations of several features."""
        return [self.evaluate(feature, positions, values) for feature, _, positions, values in requests]

    def predict_rows(self, positions: Rows) -> Array:
        """Return predictions of rows of X as they are."""
        return self._known[positions]


def refused(_rows: object) -> NoReturn:
    """Raise: there is no model that predicts rows."""
    raise ModelNeededError.predictions("Other predictions than those of the file need")


class SavedWitness(PredictionCheck):
    """The model cannot change: there is none."""

    def __init__(self) -> None:
        self.predict, self.predicted, self.seconds = refused, np.empty(0), 0.0

    def check(self) -> None:
        """Find nothing changed."""

    def is_reproduced(self) -> bool:
        """Whether the model still predicts what it predicted."""
        return True


class SavedMethod(CurveMethod):
    """Curves that were saved, by number of the feature; `name` and `reason` are those of what computed them."""

    has_copied_model = True

    def __init__(self, name: str, reason: str, features: dict[int, SavedCurves]) -> None:
        super().__init__(name, reason)
        self.features = features

    def curves(
        self, item: FeatureInput, positions: Rows, at: Places | slice = slice(None)
    ) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        for start in range(0, len(positions), _ROWS_AT_A_TIME):
            rows = positions[start : start + _ROWS_AT_A_TIME]
            yield rows, self.features[item.feature_number].curves(rows, at)

    def sums(self, *_args: object) -> NoReturn:
        """Raise: sums are those of the file."""
        raise ModelNeededError.predictions("Other metrics than those of the file need")
