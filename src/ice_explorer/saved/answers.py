"""Predictions and curves of a file, in place of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from ice_explorer.curves.method import EVERYWHERE, CurveMethod
from ice_explorer.errors import ModelNeededError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ice_explorer.arrays import Array, Places, Rows
    from ice_explorer.engines.feature_input import FeatureInput

_ROWS_AT_A_TIME: Final = 2048


def refuse(*_: object) -> NoReturn:
    """Raise: there is no model."""
    raise ModelNeededError.predictions("Predictions at other values than those of the file need")


@dataclass(frozen=True, eq=False)
class KnownCurves:
    """What was predicted of one feature.

    - `stretches` (n_rows, n_stretches): curves, which are constant along each stretch.
    - `stretch_of_grid` (n_grid,): stretch of each grid value.
    - `own` (n_rows,): predictions at the observed values, at the median for missing ones.
    - `missing` (n_rows,): predictions with the value missing; None where it never is.
    """

    item: FeatureInput
    stretches: Array
    stretch_of_grid: Places
    own: Array
    missing: Array | None


class KnownMethod(CurveMethod):
    """Curves by number of the feature; `name` and `reason` are those of what computed them."""

    has_copied_model = True

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.features: dict[int, KnownCurves] = {}

    def curves(
        self, item: FeatureInput, positions: Rows, at: Places | slice = EVERYWHERE
    ) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        known = self.features[item.feature_number]
        for start in range(0, len(positions), _ROWS_AT_A_TIME):
            rows = positions[start : start + _ROWS_AT_A_TIME]
            yield rows, np.asarray(known.stretches[rows][:, known.stretch_of_grid[at]])

    def sums(self, *_: object) -> NoReturn:
        """Raise: sums are those of the file."""
        refuse()

    def predict(self, feature: Any, positions: Rows, values: Array) -> Array:
        """Return predictions of rows with a feature at values (n_rows, n_values); NaN is missing."""
        known = self.features.get(getattr(feature, "position", -1))
        if known is None:
            refuse()
        grid, rows = known.item.grid.values, positions[:, None]
        places = np.minimum(np.searchsorted(grid, values), len(grid) - 1)
        is_on_grid, is_own = grid[places] == values, known.item.observed[rows] == values
        predictions = np.where(is_on_grid, known.stretches[rows, known.stretch_of_grid[places]], known.own[rows])
        is_known = is_on_grid | is_own
        if known.missing is not None:
            is_missing = np.isnan(values)
            predictions, is_known = np.where(is_missing, known.missing[rows], predictions), is_known | is_missing
        if not is_known.all():
            refuse()
        return predictions
