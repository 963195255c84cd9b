"""Compare the columns that a model was fitted on with X, before anything is explained.

LightGBM, and models that users write, take columns by position and never look at their names: with columns in another
order every figure would be wrong. Other models find their columns by name, and take any order and further columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import DataError
from ice_explorer.errors.base import closest, listed, quoted
from ice_explorer.locks import find_bound_object
from ice_explorer.models.pipeline import read_attribute
from ice_explorer.models.predict import default_call
from ice_explorer.tables.table import table_from

if TYPE_CHECKING:
    from ice_explorer.tables.table import Table

_MOST_ROWS: Final = 64  # predicted with columns in another order
_CLOSE: Final = 1e-9  # of the largest prediction: threads add up in any order


def fitted_table(model: Any, X: Any) -> Table:
    """Wrap X as `table_from` does, and check that the model was fitted on these columns.

    - `X`: columns of an array get the names of the fit.
    - raises DataError: if columns are missing or in another order, or if there are columns that the model does not
      take.
    """
    table, owner = table_from(X), find_bound_object(model)
    names = [str(name) for name in table.names]
    fitted, expression = _columns_of_fit(owner)
    if not fitted:  # the first step of a pipeline may have no names, where the last one has those of X
        fitted, expression = _columns_of_fit(read_attribute(owner, "_final_estimator"))
        fitted = fitted if sorted(fitted) == sorted(names) else []
        expression = expression.replace("model", "model[-1]")
    exog = getattr(_exog_of(owner), "exog", None)
    n_fitted: Any = read_attribute(owner, "n_features_in_") if exog is None else exog.shape[1]
    # Libraries number the columns of an array.
    is_numbered = any(fitted == [f"{start}{k}" for k in range(len(fitted))] for start in ("Column_", "", "f"))
    if fitted and is_numbered and not set(names) <= set(fitted):
        fitted, n_fitted = [], len(fitted)
    if fitted and hasattr(X, "columns"):
        _check_names(model, table, fitted, expression)
    elif fitted and len(fitted) != len(names):
        raise _width_error(f"{len(fitted)} ({listed(fitted)})", len(names))
    elif fitted:
        table.names = list(fitted)
    elif isinstance(n_fitted, (int, np.integer)) and n_fitted != len(names):
        raise _width_error(str(n_fitted), len(names))
    return table


def _width_error(fitted: str, n_columns: int) -> DataError:
    return DataError(
        f"X must have as many columns as the model was fitted on, {fitted}; got {n_columns}.",
        "Pass the columns of the fit, in their order.",
    )


def _columns_of_fit(model: Any) -> tuple[list[str], str]:
    """Return the names of the columns of the fit, and how a user writes them; no names where the model has none."""
    attributes = ["feature_names_in_", "feature_name_", "feature_names_"]  # the last two: LightGBM, CatBoost
    if type(model).__name__ == "Booster":  # LightGBM, XGBoost
        attributes += ["feature_name", "feature_names"]
    for attribute in attributes:
        is_method = callable(read_attribute(model, attribute))
        names: Any = read_attribute(model, attribute, call=True)
        expression = f"model.{attribute}()" if is_method else f"model.{attribute}"
        if isinstance(names, list | np.ndarray) and len(names) and all(isinstance(name, str) for name in names):
            return list(map(str, names)), expression
    columns = getattr(getattr(_exog_of(model), "orig_exog", None), "columns", ())
    return list(map(str, columns)), "model.model.exog_names"


def _exog_of(results: Any) -> Any:
    """Return the data of results of statsmodels, which take columns by position; None if a formula names them."""
    model = read_attribute(results, "model")
    return None if hasattr(model, "formula") else getattr(model, "data", None)


def _check_names(model: Any, table: Table, fitted: list[str], expression: str) -> None:
    """Refuse columns that are not those of the fit, unless the model finds its columns by name."""
    names = [str(name) for name in table.names]
    known = {name.replace(" ", "_"): name for name in names} | {name: name for name in names}  # as LightGBM has them
    if [known.get(name) for name in fitted] == names or _finds_by_name(model, table):
        return
    missing = [name for name in fitted if name not in known]
    unknown = [name for name in names if name not in {known.get(name) for name in fitted}]
    if missing:
        close = closest(missing[0], unknown)
        difference = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        advice = f"Rename {quoted(close[0])} to {quoted(missing[0])}." if close else "Add what is missing."
        advice = "Pass `statsmodels.api.add_constant(X)`." if missing == ["const"] else advice
    else:
        difference = f"it was not fitted on {listed(unknown)}" if unknown else f"got the order {listed(names)}"
        columns = expression if set(fitted) <= set(names) else repr([known[name] for name in fitted])
        advice = f"Pass `X[{columns}]`." if table.index is not None else f"Pass `X.select({columns})`."
    raise DataError(f"X must have the columns that the model was fitted on, in their order; {difference}.", advice)


def _finds_by_name(model: Any, table: Table) -> bool:
    """Return whether predictions are the same when columns change places; equal predictions tell nothing."""
    call, rows = default_call(model), table.take(np.arange(min(table.n_observations, _MOST_ROWS)))
    order = [*range(1, len(table.names)), 0]
    try:
        turned = rows.iloc[:, order] if hasattr(rows, "iloc") else rows.select([table.names[k] for k in order])
        predicted, again = (
            np.concatenate([np.ravel(np.asarray(part)) for part in (each if isinstance(each, list) else [each])])
            for each in (call(rows), call(turned))
        )
    except Exception:  # noqa: BLE001 - whatever the model raises about other columns
        return False
    if len(order) < 2 or len(np.unique(predicted)) < 2:
        return False
    if predicted.dtype.kind not in "fiub":
        return bool(np.array_equal(predicted, again))
    return bool(np.max(np.abs(predicted - again)) <= _CLOSE * np.max(np.abs(predicted)))
