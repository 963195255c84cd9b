"""Units of effects: that of the prediction, per cent of its standard deviation, or shares of all features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ice_explorer.arrays import Array
    from ice_explorer.results.options import Unit


EFFECTS: Final = (
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "missing_impact",
)
"""The metrics that have the unit of the prediction."""

PER_STEP: Final = EFFECTS[:-1]
"""Those of them that are per standard deviation of the feature, or per any other step along it."""


ROUNDING: Final = 1e-12
"""Metrics whose sum is below this part of the sum of impact are rounding errors: they have no shares."""


def in_unit(values: Array, unit: Unit, prediction_sd: float, rounding: float = 0.0) -> Array:
    """Write one metric of all features in a unit.

    - `values` (n_features,): [output]; NaN where undefined.
    - `unit`: "sd": per cent of the standard deviation of the predictions. "share": per cent of the sum of the absolute
      values over the features, so that the shares of a metric without sign sum to 100.
    - `prediction_sd`: standard deviation of the predictions of the observations [output]; used for "sd" alone.
    - `rounding`: sum of the absolute values up to which their shares are 0 [output]; used for "share" alone.
    - returns (n_features,): 0 stays 0; NaN where another value is divided by 0.
    """
    if unit == "prediction":
        return values
    whole = prediction_sd if unit == "sd" else float(np.nansum(np.abs(values)))
    if unit == "share" and whole <= rounding:
        return np.where(np.isnan(values), np.nan, 0.0)
    if whole == 0:
        return np.where(values == 0, 0.0, np.nan)
    return np.asarray(100.0 * values / whole)
