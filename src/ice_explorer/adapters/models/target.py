"""The observed target, on the scale of what is predicted: numbers as they are, a class as 1 and any other as 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from ice_explorer.adapters.tables.column import is_missing, objects
from ice_explorer.adapters.tables.series import read_column
from ice_explorer.errors import InvalidOptionError
from ice_explorer.errors.base import counted, listed, quoted
from ice_explorer.errors.labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.predict import Predictor

    Array = NDArray[np.float64]


def target_values(y: object, predictor: Predictor, n_observations: int) -> Array:
    """Put the observed target beside the predictions of one output.

    - `y`: numbers or class labels, one per row of X; of a model with several outputs a table with one column for each.
      Missing values may stand anywhere.
    - `predictor`: what is predicted.
    - returns (n_observations,): where a class is explained, 1 for rows of that class and 0 for others; NaN where
      missing.
    - raises InvalidOptionError: if these are not the targets of the rows of X, or of what is explained.
    """
    columns = _as_outputs(y, target_columns(y), predictor.outputs)
    for column in columns:
        if len(column) != n_observations:
            raise InvalidOptionError.must(
                "y",
                "hold one value per observation",
                len(column),
                "Pass the targets of the rows of X, in their order.",
                where=f" for {counted(n_observations, 'observation')}",
            )
    if predictor.of_classes:
        return _of_class(columns, predictor)
    at, n_outputs = (0, 1) if predictor.position is None else (predictor.position, max(1, len(predictor.outputs)))
    if len(columns) != n_outputs:
        raise InvalidOptionError.target_columns(len(columns), n_outputs)
    return _numbers(columns[at])


def _as_outputs(y: object, columns: list[NDArray[Any]], outputs: Sequence[object]) -> list[NDArray[Any]]:
    """Put the columns of a table in the order of the outputs, where they have their names."""
    frame = nw.from_native(y, eager_only=True, pass_through=True)
    names = list(map(str, frame.columns)) if isinstance(frame, nw.DataFrame) else []
    wanted = list(map(str, outputs))
    return [columns[names.index(name)] for name in wanted] if names and sorted(names) == sorted(wanted) else columns


def target_columns(y: object) -> list[NDArray[Any]]:
    """Read a series, a table or an array into columns of Python objects, None where missing."""
    frame = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.Series):
        return [read_column("y", frame, frame.dtype).labels]
    if isinstance(frame, nw.DataFrame):
        return [read_column(name, frame[name], frame[name].dtype).labels for name in frame.columns]
    try:
        array = np.asanyarray(y)  # of what is masked, `tolist` makes None
    except ValueError:  # lists of different lengths
        array = None
    if array is None or array.ndim not in (1, 2):
        what = "be the observed target, one value per observation"
        raise InvalidOptionError.must("y", what, y, "Pass an array or a series, or leave it out.")
    return [_plain(column) for column in (array.T if array.ndim == 2 else [array])]


def target_names(y: object) -> tuple[str, ...]:
    """Return the names of the columns of the target; none where not all of them have one."""
    frame = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    names: list[Any] = []
    if isinstance(frame, nw.Series):
        names = [getattr(y, "name", None)]  # of an unnamed one narwhals makes ""
    elif isinstance(frame, nw.DataFrame):
        names = list(frame.columns)
    return tuple(labels_of(names)) if all(isinstance(name, str) and name.strip() for name in names) else ()


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    return objects([None if is_missing(value) else value for value in column.tolist()])


def _numbers(column: NDArray[Any]) -> Array:
    values = np.full(len(column), np.nan)
    for row, value in enumerate(column.tolist()):
        if value is None:
            continue
        number = _number(value)
        if number is None:
            raise InvalidOptionError.must(
                "y",
                "be finite numbers, because the model predicts numbers",
                value,
                "Pass the target that the model was fitted on; missing values may stay.",
                where=f" in row {row}",
            )
        values[row] = number
    return values


def _number(value: object) -> float | None:
    """Return a finite number; None for what is none, such as text that looks like one."""
    if isinstance(value, str | bytes | complex):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _of_class(columns: Sequence[NDArray[Any]], predictor: Predictor) -> Array:
    """1 where a row is of the explained class, 0 where it is of another."""
    label, labels = predictor.output, list(predictor.classes)
    at = 0
    if predictor.outputs and all(isinstance(output, tuple) for output in predictor.outputs):
        # Several outputs with classes of their own: the output is a column, the class is looked for in it.
        at, label = predictor.output  # type: ignore[misc]
        own = [output for output in predictor.outputs if isinstance(output, tuple)]
        n_outputs = 1 + max(number for number, _ in own)
        if len(columns) != n_outputs:
            raise InvalidOptionError.target_columns(len(columns), n_outputs)
        labels = [each for number, each in own if number == at]
    elif len(columns) > 1:
        # One column of 0 and 1 for each label, where several may hold at once.
        if len(columns) != len(labels):
            raise InvalidOptionError.target_columns(len(columns), len(labels))
        return _numbers(columns[predictor.position or 0])
    values = columns[at].tolist()
    if not any(value == each for value in values if value is not None for each in labels):
        found = next((value for value in values if value is not None), None)
        which = "nothing but missing values" if found is None else f"{quoted(found)} and no label among them"
        raise InvalidOptionError(
            f"`y` must hold labels of the classes, {listed(labels)}; got {which}.",
            "Pass the labels that the model was fitted on.",
        )
    return np.array([np.nan if value is None else float(value == label) for value in values])
