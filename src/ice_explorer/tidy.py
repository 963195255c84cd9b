"""An explanation as tables: the metrics of every feature, and curves with one point in each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.display_axis import display_axis
from ice_explorer.figures.scene import shown_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from ice_explorer.explanation import Explanation, FeatureExplanation
    from ice_explorer.figures.view import ViewState

_PLAIN = ("numeric", "boolean")


@dataclass(frozen=True)
class Curves:
    """What is drawn of one feature, as numbers.

    Attributes
    ----------
    feature : FeatureExplanation
    positions : ndarray of shape (n_rows,)
        Rows of X.
    grid : ndarray of shape (n_points,)
        Values of the feature as X has them; None for a missing one, which comes last where the feature has any.
    places : ndarray of shape (n_points,)
        The same as they stand on the axis; NaN for the missing one.
    predictions, changes, likelihood : ndarray of shape (n_rows, n_points)
        ICE, c-ICE as it is anchored in the view, and the weight of each phantom.
    """

    feature: FeatureExplanation
    positions: NDArray[np.int64]
    grid: NDArray[Any]
    places: NDArray[np.float64]
    predictions: NDArray[np.float64]
    changes: NDArray[np.float64]
    likelihood: NDArray[np.float64]


def curves_of(explanation: Explanation, state: ViewState) -> Curves:
    """Gather the curves of the open feature of a view, all that are drawn."""
    feature = explanation[state.feature]
    lines, _ = shown_lines(explanation, feature, replace(state, kind="c-ice"))
    axis, positions = display_axis(feature), lines.positions
    predictions = feature.rows(positions)
    n_grid = predictions.shape[1]
    changes = lines.values[:, :n_grid]  # a single value is drawn as a dash, from one point to another
    likelihood = feature.likelihood_of(positions, state.decay)
    grid, places = _objects(np.asarray(feature.grid)), axis.grid
    if lines.missing is not None:
        at_missing = feature.missing_rows(positions)
        grid, places = np.array([*grid, None], dtype=object), np.append(places, np.nan)
        predictions = np.column_stack([predictions, at_missing])
        changes = np.column_stack([changes, lines.missing.values])
        is_own = np.isnan(axis.observed[positions])
        likelihood = np.column_stack([likelihood, np.where(is_own, 1.0, state.decay)])
    return Curves(feature, positions, grid, places, predictions, changes, likelihood)


def _objects(grid: NDArray[Any]) -> NDArray[np.object_]:
    """Values one by one: of moments in nanoseconds NumPy would make whole numbers."""
    import pandas as pd

    objects: NDArray[np.object_] = (
        pd.Series(grid).array.astype(object) if grid.dtype.kind in "mM" else grid.astype(object)
    )
    return objects


def metrics_table(explanation: Explanation, state: ViewState) -> pd.DataFrame:
    """Return every metric of every feature in the order and unit of the bars, the feature in a column of its own."""
    table = explanation.table(state.decay, state.convention, sort_by=state.rank_by, unit=state.unit)
    plain: pd.DataFrame = table.reset_index(drop=True)
    plain.insert(0, "feature", [str(name) for name in table.index])
    return plain


def curves_table(explanation: Explanation, states: Sequence[ViewState]) -> pd.DataFrame:
    """Return the curves of features with one point in each row.

    Parameters
    ----------
    explanation : Explanation
    states : sequence of ViewState
        One for each feature, which is the one that is open in it.

    Returns
    -------
    DataFrame
        "feature", "row" (position in X), "value" (of the feature, as X has it; text where features of several
        kinds stand in one table), "place" (on the axis: the number, the level counted from 0, days since 1970),
        "prediction", "change" (c-ICE) and "likelihood". A missing value of the feature is empty.
    """
    parts = [_points(curves_of(explanation, state)) for state in states]
    if len({_sort(part["value"]) for part in parts}) > 1:
        parts = [part.assign(value=part["value"].map(str, na_action="ignore").astype(object)) for part in parts]
    import pandas as pd  # at the first table: the export menu opens without it

    return pd.concat(parts, ignore_index=True)


def _sort(values: pd.Series) -> str:
    return "number" if values.dtype.kind in "biuf" else str(values.dtype)


def _points(curves: Curves) -> pd.DataFrame:
    import pandas as pd

    n_rows, n_points = curves.predictions.shape
    return pd.DataFrame(
        {
            "feature": str(curves.feature.feature),
            "row": np.repeat(curves.positions, n_points),
            "value": pd.Series(_typed(curves)).take(np.tile(np.arange(n_points), n_rows)).to_numpy(),
            "place": np.tile(curves.places, n_rows),
            "prediction": curves.predictions.ravel(),
            "change": curves.changes.ravel(),
            "likelihood": curves.likelihood.ravel(),
        }
    )


def _typed(curves: Curves) -> pd.Series:
    """Values of the feature in the narrowest type that holds them: levels are texts."""
    import pandas as pd

    kind = curves.feature.kind
    if kind in _PLAIN:
        return pd.Series(curves.places, dtype=np.float64)
    if kind in ("datetime", "timedelta"):
        return pd.Series(pd.array(curves.grid)).infer_objects()
    return pd.Series([None if value is None else str(value) for value in curves.grid], dtype=object)
