"""Read the observed target on the scale of what is predicted: numbers as they are, a class as 1 and any other as 0."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np

from ice_explorer.errors import DataError
from ice_explorer.errors.base import counted, listed, quoted
from ice_explorer.tables.column import is_missing, labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.models.predict import Outputs, Predictor
    from ice_explorer.tables.table import Table


_MOST_ROWS: Final = 2000  # predicted to find the most frequent class: few enough for a slow model


def target_values(y: object, predictor: Predictor, n_observations: int) -> Array:
    """Return the observed target of what is explained, (n_observations,), NaN where missing.

    Where a class is explained, the target is 1 for rows of that class and 0 for others.

    - `y`: numbers or class labels, one per row of X; for several outputs a table with one column for each.
    - raises OptionError: if y is not the target of these rows, or of what is explained.
    """
    columns, names = target_columns(y), _column_names(y)
    outputs: Any = predictor.outputs
    if names and sorted(names) == sorted(map(str, outputs)):
        columns = [columns[names.index(str(output))] for output in outputs]
    for column in columns:
        if len(column) != n_observations:
            advice, where = "Pass the targets of the rows of X, in their order.", counted(n_observations, "observation")
            raise DataError(f"`y` must hold one value per observation; got {len(column)} for {where}.", advice)
    label: Any = predictor.output
    # Of several labels of which each may hold, there is a column of 0 and 1 for each.
    is_single = predictor.of_classes and len(columns) == 1
    n_columns = 1 if is_single else max(1, len(outputs))
    if len(columns) != n_columns:
        raise DataError(
            f"`y` must have one column for each output of the model, {n_columns}; got {len(columns)}.",
            "Pass the target that the model was fitted on.",
        )
    if not is_single:
        return _numbers(columns[predictor.position or 0])
    values, labels = columns[0], list(predictor.classes)
    if not any(value == each for value in values if value is not None for each in labels):
        first = next((value for value in values if value is not None), None)
        got = "nothing but missing values" if first is None else f"{quoted(first)} and no label among them"
        raise DataError(
            f"`y` must hold labels of the classes, {listed(labels)}; got {got}.",
            "Pass the labels that the model was fitted on.",
        )
    return np.array([np.nan if value is None else float(value == label) for value in values])


def target_columns(y: object) -> list[list[Any]]:
    """Read a series, a table or an array into columns of Python objects, None where missing."""
    frame = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.Series):
        columns = [frame.to_list()]
    elif isinstance(frame, nw.DataFrame):
        columns = [frame[name].to_list() for name in frame.columns]
    else:
        try:
            array = np.asanyarray(y)  # `tolist` of a masked array has None under the mask
        except ValueError:  # lists of different lengths
            array = np.empty(())
        if array.ndim not in (1, 2):
            raise DataError(
                f"`y` must be the observed target, one value per observation; got {quoted(y)}.",
                "Pass an array or a series, or leave it out.",
            )
        columns = [array.tolist()] if array.ndim == 1 else array.T.tolist()
    return [[None if is_missing(value) else value for value in column] for column in columns]


def target_names(y: object) -> tuple[str, ...]:
    """Return the names of the columns of the target as labels; none where one of them has no name."""
    names = _column_names(y)
    return tuple(labels_of(names)) if all(isinstance(name, str) and name.strip() for name in names) else ()


def single_name(y: object) -> str:
    """Return the name of the target; "" where it has none, or several."""
    names = target_names(y)
    return names[0] if len(names) == 1 else ""


def _column_names(y: object) -> list[Any]:
    frame = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.Series):
        return [getattr(y, "name", None)]  # narwhals has "" for no name
    return list(frame.columns) if isinstance(frame, nw.DataFrame) else []


def _numbers(column: Sequence[Any]) -> Array:
    values = np.full(len(column), np.nan)
    for row, value in enumerate(column):
        with suppress(TypeError, ValueError, OverflowError):  # text that looks like a number is none
            values[row] = math.nan if isinstance(value, str | bytes | complex) else float(value)
        if value is not None and not math.isfinite(values[row]):
            raise DataError(
                f"`y` must be finite numbers, because the model predicts numbers; got {quoted(value)} in row {row}.",
                "Pass the target that the model was fitted on; missing values may stay.",
            )
    return values


# --- the output that an explorer opens with -------------------------------------------------------


def choose_initial_output(
    y: object, table: Table, outputs: Outputs, predict: Callable[[Any], Array]
) -> tuple[int, tuple[str, ...]]:
    """Choose an output where the user did not.

    It is the class most frequent in y, else in the predictions, and the first of outputs that are no classes. As for
    `explain`, it is the second of two classes.

    - `predict`: rows in the container of X -> (n_rows, n_outputs).
    - returns: its position, and notes on the choice.
    """
    names: Any = outputs.names
    what, other = "class" if outputs.of_classes else "output", "another one" if len(names) > 2 else "the other one"
    if not outputs.must_be_chosen:
        return outputs.choose(None)
    if not outputs.of_classes:
        position, why = 0, f"the first of {len(names)}"
    else:
        position, where = _most_frequent(y, table, names, predict)
        why = f"the most frequent one {where}"
    choose = f" Choose {other} by `output=`." if len(names) > 1 else ""
    return position, (f"Explained {what}: {quoted(names[position])}, {why}.{choose}",)


def _most_frequent(y: object, table: Table, names: Any, predict: Callable[[Any], Array]) -> tuple[int, str]:
    """Return the position of the class that is most frequent, and where it is."""
    columns = [] if y is None else target_columns(y)
    if len(columns) == len(names):  # for each label, whether it holds
        counts = [sum(value in (1, True) for value in column) for column in columns]
    else:
        counts = [sum(value == label for value in values) for values in columns[:1] for label in names]
    if any(counts):
        return int(np.argmax(counts)), "in `y`"
    n_rows = table.n_observations
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64))
    predicted = predict(table.take(rows))
    if not np.isin(predicted, (0.0, 1.0)).all():  # else several labels may hold
        predicted = predicted == predicted.max(axis=1, keepdims=True)
    where = "in the predictions" + ("" if len(rows) == n_rows else f" of {len(rows):,} rows")
    return int(np.argmax(predicted.sum(axis=0))), where
