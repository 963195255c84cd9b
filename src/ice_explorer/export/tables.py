"""An explanation as tables: the metrics of every feature, and curves with one point in each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import check_names, check_one_of
from ice_explorer.errors import InvalidOptionError
from ice_explorer.errors.labels import readable
from ice_explorer.features.feature import UNORDERED
from ice_explorer.results.options import KINDS
from ice_explorer.scene.build import ranking_of, shown_lines
from ice_explorer.scene.display_axis import display_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.view_state import ViewState

_PLAIN = ("numeric", "boolean")
_BYTES = 50  # that a point takes in a table
_QUANTITIES = {"ice": "prediction", "c-ice": "change", "d-ice": "slope"}


@dataclass(frozen=True)
class Curves:
    """What is drawn of one feature, as numbers.

    Attributes
    ----------
    positions : ndarray of shape (n_rows,)
        Rows of X.
    grid, places : ndarray of shape (n_points,)
        Values of the feature as X has them, and as they stand on the axis; None and NaN for a missing one, which comes
        last where the feature has any.
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
    alone = replace(state, kind="c-ice", besides=replace(state.besides, models=None))
    lines, _ = shown_lines(explanation, feature, alone)
    axis, positions = display_axis(feature), lines.positions
    predictions = feature.rows(positions)
    n_grid = predictions.shape[1]
    changes = lines.values[:, :n_grid]  # a single value is drawn as a dash, from one point to another
    likelihood = feature.likelihood(state.decay, rows=positions)
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
    """Return every metric of every feature in the order and unit of the bars, the feature in a column of its own.

    Of several models there is a row for each, with their "disagreement" in the end, and two of them that it is
    "between".
    """
    import pandas as pd

    bars = [explanation[bar.label].feature for bar in ranking_of(explanation, replace(state, intervals=None)).bars]
    models = state.besides.models
    tables = {}
    for name, each in by_model(explanation, state).items():
        table = each.table(state.decay, state.convention, sort_by=None, unit=state.unit, ci=state.intervals)
        tables[name] = table.loc[bars]
        tables[name].insert(0, "feature", list(map(str, bars)))
    if models is None:
        return tables[""].reset_index(drop=True)
    values = dict(zip(explanation.features, models._largest(state.decay, state.unit), strict=True))
    pairs = [models._disagreement_of(name).largest(state.decay)[1] for name in bars]
    between = [f"{models.names[one]}, {models.names[other]}" for one, other in pairs]
    for name, table in tables.items():
        table.insert(1, "model", name)
        table["disagreement"], table["between"] = [values[feature] for feature in bars], between
    whole = pd.concat([table.iloc[[row]] for row in range(len(bars)) for table in tables.values()])
    return whole.reset_index(drop=True)


def by_model(explanation: Explanation, state: ViewState) -> dict[str, Explanation]:
    """Return the explanations of all models by name, or the only one."""
    models = state.besides.models
    return {"": explanation} if models is None else models.explanations


def curves_table(explanation: Explanation, states: Sequence[ViewState]) -> pd.DataFrame:
    """Return the curves of the open features of views with one point in each row.

    Columns are "feature", "row" (position in X), "value" (of the feature, as X has it; text where features of several
    kinds stand in one table), "place" (on the axis: the number, the level counted from 0, days since 1970),
    "prediction", "change" (c-ICE) and "likelihood". A missing value of the feature is empty. Of several models there
    are the curves of each, with a column "model" after the feature.
    """
    parts = []
    for state in states:
        for name, each in by_model(explanation, state).items():
            part = _points(curves_of(each, state))
            if name:
                part.insert(1, "model", name)
            parts.append(part)
    if len({_sort(part["value"]) for part in parts}) > 1:
        parts = [part.assign(value=_texts(part["value"])) for part in parts]
    import pandas as pd  # at the first table: the export menu opens without it

    return pd.concat(parts, ignore_index=True)


def _sort(values: pd.Series) -> str:
    return "number" if values.dtype.kind in "biuf" else str(values.dtype)


def _texts(values: pd.Series) -> pd.Series:
    """Write values of a feature, for a column that has those of other features in it, too."""
    return values.map(str, na_action="ignore").astype(object)


def _points(curves: Curves) -> pd.DataFrame:
    import pandas as pd

    n_rows, n_points = curves.predictions.shape
    return pd.DataFrame(
        {
            "feature": str(curves.feature.feature),
            "row": np.repeat(curves.positions, n_points),
            "value": pd.Series(_typed(curves)).take(np.tile(np.arange(n_points), n_rows)).array,
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


def long_frame(
    explanation: Explanation,
    features: Sequence[Any] | None,
    kind: str,
    rows: ArrayLike | None,
    *,
    anchor: object,
    decay: float | None,
) -> pd.DataFrame:
    """Return curves with one point in each row, for custom plots; see `FeatureExplanation.to_frame`."""
    import pandas as pd

    check_one_of("kind", kind, KINDS)
    has_slopes = kind == "d-ice"
    if features is None:
        opened = [f for f in explanation.values() if not (has_slopes and f.kind in UNORDERED)] or list(
            explanation.values()
        )
    else:
        opened = [explanation[name] for name in check_names("features", features)]
    if not opened:
        raise InvalidOptionError.no_features()
    unordered = next((f for f in opened if has_slopes and f.kind in UNORDERED), None)
    if unordered is not None:
        raise InvalidOptionError.no_slopes(readable(unordered.feature, unordered.label))
    chosen = None if rows is None else explanation._check_positions(rows, "rows")
    positions = [f.row_positions if chosen is None else chosen for f in opened]
    sizes = [len(at) * (len(f.grid) - has_slopes) for f, at in zip(opened, positions, strict=True)]
    n_rows, n_grid = max(map(len, positions)), sum(len(f.grid) for f in opened)
    explanation._context.check_size("tables", n_rows, n_grid, _BYTES)
    grids = _of_one_dtype([_native_values(explanation, f) for f in opened])
    parts = [
        _long_part(f, kind, f.curves if chosen is None else f.rows(at), at, values=values, anchor=anchor, decay=decay)
        for f, at, values in zip(opened, positions, grids, strict=True)
    ]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0] if name != "value"}
    row = joined.pop("row")
    index = explanation._row_index
    names = pd.Index([f.feature for f in opened], tupleize_cols=False)
    return pd.DataFrame(
        {
            "row": row,
            "row_label": row if index is None else pd.Series(index.take(row).to_flat_index()),
            "feature": pd.Categorical.from_codes(np.repeat(np.arange(len(opened)), sizes), names),
            "value": pd.concat([part["value"] for part in parts], ignore_index=True),
            **joined,
        }
    )


def _long_part(
    feature: FeatureExplanation,
    kind: str,
    curves: NDArray[np.float64],
    positions: NDArray[np.int64],
    *,
    values: pd.Series,
    anchor: object,
    decay: float | None,
) -> dict[str, Any]:
    """Return the columns of one feature; `curves` are those of the rows at `positions`."""
    axis = feature.axis
    likelihood = feature.likelihood(decay, rows=positions)
    is_observed = feature.observed_axis[positions, None] == axis
    if kind == "c-ice":
        curves = feature._changes(positions, curves, anchor)
    elif kind == "d-ice":
        curves = np.diff(curves, axis=1) / np.diff(axis)
        likelihood, is_observed, values, axis = likelihood[:, 1:], is_observed[:, 1:], values.iloc[1:], axis[1:]
    n_rows, n_points = curves.shape
    return {
        "row": np.repeat(positions, n_points),
        "value": values.take(np.tile(np.arange(n_points), n_rows)),
        "axis": np.tile(axis, n_rows),
        _QUANTITIES[kind]: curves.ravel(),
        "likelihood": likelihood.ravel(),
        "is_observed": is_observed.ravel(),
    }


def _native_values(explanation: Explanation, feature: FeatureExplanation) -> pd.Series:
    """Return the grid in the dtype that the feature has in X: categories stay categories, with all their levels."""
    import pandas as pd

    levels, grid = feature.levels, feature.grid
    dtype = explanation._column(feature.feature).dtype.lower()
    is_category = feature.kind in ("ordered", "group") or dtype.startswith(("categorical_features", "category", "enum"))
    if levels is not None and is_category and all(isinstance(level, str) for level in levels):
        return pd.Series(pd.Categorical(grid, levels, ordered=feature.kind == "ordered"))
    return pd.Series(grid.tolist() if grid.dtype.kind == "O" else grid).infer_objects()


def _of_one_dtype(grids: list[pd.Series]) -> list[pd.Series]:
    """Return values of several features in one dtype: numbers of several dtypes as floats, else texts."""
    if len({values.dtype for values in grids}) == 1:
        return grids
    if all(values.dtype.kind in "biuf" for values in grids):
        return [values.astype(np.float64) for values in grids]
    return [_texts(values) for values in grids]
