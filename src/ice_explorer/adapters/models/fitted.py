"""Compare the columns that a model was fitted on with X, before anything is explained.

Some models take columns by position and never look at their names: with columns in another order they predict, and
every figure is wrong. Others find their columns by name, and then order and further columns do not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.adapters.models.predict import first_way
from ice_explorer.adapters.tables.array import ArrayTable
from ice_explorer.adapters.tables.sparse import SparseTable
from ice_explorer.adapters.tables.table import Table, table_from
from ice_explorer.concurrency.turns import owner_of
from ice_explorer.errors import InputDataError, PredictionError
from ice_explorer.errors.base import closest, counted, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_ROWS: Final = 64  # predicted with columns in another order
_CLOSE: Final = 1e-9  # of the largest prediction: threads add up in any order


class _FittedColumns(NamedTuple):
    """Names of the columns of the fit, and how a user writes them."""

    names: list[str]
    expression: str


def fitted_table(model: Any, X: object) -> Table:
    """Wrap X as `table_from` does, and check that the model is fitted, and on these columns.

    - `model`: with a predict method, or a function of X.
    - `X`: columns of an array get the names of the fit.
    - raises PredictionError: if the model is not fitted.
    - raises InputDataError: if columns are missing or in another order, or if there are columns that the model does not
      take.
    """
    table = table_from(X)
    owner = owner_of(model)
    _check_fitted(owner, table)
    fitted, n_fitted = _columns_of_fit(owner) or _columns_of_last_step(owner, table), _n_features(owner)
    if isinstance(table, ArrayTable | SparseTable):
        if fitted is not None and len(fitted.names) == len(table.names):
            table.names = table.names if _are_made_up(fitted.names) else list(fitted.names)
            return table
        names = None if fitted is None else fitted.names
    elif fitted is not None:
        _check_names(model, table, fitted)
        return table
    else:
        names = None
    if n_fitted not in {None, len(table.names)}:
        _check_number(model, table, names or n_fitted)
    return table


# --- whether it is fitted ------------------------------------------------------------------------


def _check_fitted(model: Any, table: Table) -> None:
    """Refuse an estimator that scikit-learn finds unfitted and that does not predict."""
    if not (hasattr(model, "fit") and hasattr(model, "predict")) or isinstance(model, type):
        return
    if type(model).__module__.startswith("statsmodels."):
        raise PredictionError.not_fitted(model, "Pass what `model.fit()` returns.")
    if _is_fitted(model):
        return
    try:
        model.predict(table.take(np.zeros(1, np.int64)))
    except Exception as error:
        raise PredictionError.not_fitted(model, "Call `model.fit(X, y)` first.") from error


def _is_fitted(model: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    except Exception:  # noqa: BLE001 - of an object that has the methods of an estimator, but is none
        return True
    return True


# --- what it was fitted on -----------------------------------------------------------------------


def _columns_of_fit(model: Any) -> _FittedColumns | None:
    """Return the names of the columns of the fit; None where the model does not have them."""
    for attribute in ("feature_names_in_", "feature_name_", "feature_names_"):  # the last two: LightGBM, CatBoost
        names: Any = getattr(model, attribute, None)
        if _are_names(names):
            return _FittedColumns(list(map(str, names)), f"model.{attribute}")
    if type(model).__name__ != "Booster":
        return None
    if hasattr(model, "feature_name"):  # of LightGBM
        return _FittedColumns(model.feature_name(), "model.feature_name()")
    names = getattr(model, "feature_names", None)  # of XGBoost
    return _FittedColumns(list(names), "model.feature_names") if _are_names(names) else None


def _columns_of_last_step(model: Any, table: Table) -> _FittedColumns | None:
    """Return the columns of the last step of a pipeline whose first step has none, if they are those of X."""
    last = _columns_of_fit(getattr(model, "_final_estimator", None))
    if last is None or sorted(last.names) != sorted(map(str, table.names)):
        return None
    return last._replace(expression=last.expression.replace("model", "model[-1]"))


def _are_names(names: object) -> bool:
    return isinstance(names, list | np.ndarray) and len(names) > 0 and all(isinstance(name, str) for name in names)


def _are_made_up(names: Sequence[str]) -> bool:
    """Whether a library numbered the columns of an array."""
    return any(list(names) == [f"{start}{at}" for at in range(len(names))] for start in ("Column_", "", "f"))


def _n_features(model: Any) -> int | None:
    number = getattr(model, "n_features_in_", None)
    return int(number) if isinstance(number, (int, np.integer)) else None


# --- comparing it with X -------------------------------------------------------------------------


def _check_names(model: Any, table: Table, fitted: _FittedColumns) -> None:
    """Refuse columns that are not those of the fit, unless the model finds its columns by name."""
    names = [str(name) for name in table.names]
    known = {name.replace(" ", "_"): name for name in names} | {name: name for name in names}  # as LightGBM has them
    if [known.get(name) for name in fitted.names] == names:
        return
    is_numbered = _are_made_up(fitted.names) and not set(names) <= set(fitted.names)
    if is_numbered and len(names) == len(fitted.names):
        return
    by_name, error = _finds_by_name(model, table)
    if by_name:
        return
    if is_numbered:
        raise InputDataError.number_of_columns(len(fitted.names), len(names)) from error
    of_fit = {known[name] for name in fitted.names if name in known}
    missing = [name for name in fitted.names if name not in known]
    unknown = [name for name in names if name not in of_fit]
    if missing:
        raise _columns_missing(missing, unknown, names) from error
    advice = f"Pass `{_as_fitted(table, fitted, known)}`."
    if unknown:
        raise InputDataError(
            f"X must have only the columns that the model was fitted on; it was not fitted on {listed(unknown)}.",
            advice,
        ) from error
    raise InputDataError(
        "X must have its columns in the order in which the model was fitted on them; it has the same columns in "
        f"another order: {listed(names)}.",
        advice,
    ) from error


def _columns_missing(missing: Sequence[str], unknown: Sequence[str], names: Sequence[str]) -> InputDataError:
    gone = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    besides = f", and the model was not fitted on {listed(unknown)}" if unknown else ""
    close = closest(missing[0], unknown)
    what = f"Rename {quoted(close[0])} to {quoted(missing[0])}" if close else "Add what is missing"
    return InputDataError(
        f"X must have the columns that the model was fitted on; {gone}{besides}. X has "
        f"{counted(len(names), 'column')}: {listed(names)}.",
        f"{what}, and pass the columns in the order of the fit.",
    )


def _as_fitted(table: Table, fitted: _FittedColumns, known: dict[str, str]) -> str:
    """Write how X gets the columns of the fit."""
    columns = fitted.expression
    if not set(fitted.names) <= set(map(str, table.names)):
        columns = repr([known.get(name, name) for name in fitted.names])
    is_pandas = table.index is not None
    return f"X[{columns}]" if is_pandas else f"X.select({columns})"


def _check_number(model: Any, table: Table, fitted: Any) -> None:
    """Refuse more or fewer columns than the fit had, unless the model takes them."""
    try:
        first_way(model).ask(table.take(_spread(table)))
    except Exception as error:
        if isinstance(fitted, list):
            raise InputDataError.not_as_fitted(fitted, len(table.names)) from error
        raise InputDataError.number_of_columns(fitted, len(table.names)) from error


def _finds_by_name(model: Any, table: Table) -> tuple[bool, Exception | None]:
    """Whether predictions stay the same when columns change places; and the error of the model, where it raised."""
    if len(table.names) < 2:
        return False, None
    rows, ask = table.take(_spread(table)), first_way(model).ask
    order = [*range(1, len(table.names)), 0]
    try:
        return _agree(_flat(ask(rows)), _flat(ask(_in_order(rows, order)))), None
    except Exception as error:  # noqa: BLE001 - whatever the model says of other columns
        return False, error


def _spread(table: Table) -> Any:
    n_rows = min(table.n_observations, _MOST_ROWS)
    return np.linspace(0, table.n_observations - 1, n_rows).astype(np.int64)


def _in_order(rows: Any, order: list[int]) -> Any:
    if hasattr(rows, "iloc"):
        return rows.iloc[:, order]
    names = list(getattr(rows, "column_names", getattr(rows, "columns", ())))
    return rows.select([names[at] for at in order])


def _flat(returned: Any) -> Any:
    parts = returned if isinstance(returned, list | tuple) else [returned]
    return np.concatenate([np.ravel(np.asarray(part)) for part in parts])


def _agree(predicted: Any, again: Any) -> bool:
    """Whether predictions are the same, and differ between rows: equal ones say nothing."""
    if len(np.unique(predicted)) < 2:
        return False
    if predicted.dtype.kind not in "fiub":
        return bool(np.array_equal(predicted, again))
    return bool(np.max(np.abs(predicted - again)) <= _CLOSE * np.max(np.abs(predicted)))
