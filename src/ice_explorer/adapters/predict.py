"""Any fitted model becomes one function: rows in, one finite-or-not number per row out.

The only place that chooses a class, an output, a method or a scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.errors import InputTypeError, InvalidOptionError, OutputError, PredictionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Response = Literal["auto", "predict_proba", "decision_function", "predict", "log_odds"]
RESPONSES: tuple[Response, ...] = ("auto", "predict_proba", "decision_function", "predict", "log_odds")


@dataclass(frozen=True)
class Predictor:
    """One output of a model as a function.

    Attributes
    ----------
    predict : callable
        Rows in the container of X -> (n_rows,) float64.
    output_label : str
        What the numbers are, for axes: "probability of 'yes'".
    output : object
        The chosen class, name or position; None where the model has one output.
    position : int or None
        Where it stands among the model's outputs; None where the model has one.
    response : str
        The response taken, "auto" resolved; "callable" for a plain function.
    notes : tuple of str
        Choices that the user did not make.
    """

    predict: Callable[[Any], NDArray[np.float64]]
    output_label: str
    output: object
    position: int | None
    response: str
    notes: tuple[str, ...] = ()


def make_predictor(model: Any, first_rows: Any, n_rows: int, *, output: object, response: Response) -> Predictor:
    """Choose what to predict.

    Parameters
    ----------
    model : object
        With a predict method, or a function of X.
    first_rows : object
        A few rows of X, to see what the model returns.
    n_rows : int
        How many those are.
    output : object
        Class label, output name or position, looked up in that order; None where there is no choice
        to make.
    response : str
        Method, "log_odds", or "auto".

    Returns
    -------
    Predictor

    Raises
    ------
    PredictionError
        If the model fails on the first rows or returns what is no prediction.
    OutputError
        If an output must be chosen, or the chosen one does not exist.
    """
    if response not in RESPONSES:
        raise InvalidOptionError.not_one_of(option="response", got=response, choices=RESPONSES)
    if not hasattr(model, "predict"):
        if not callable(model):
            raise InputTypeError.model(model)
        if response != "auto":
            raise InvalidOptionError.log_odds_of_callable()
        return _of_callable(model, first_rows, n_rows, output)
    classes = _classes(model)
    if classes is None and not hasattr(model, "predict_proba"):
        return _of_regressor(model, first_rows, n_rows, output, response)
    return _of_classifier(model, first_rows, n_rows, output, response)


class _Method:
    """A method of the model that gives its first answer again where that is asked for next."""

    def __init__(self, method: Callable[[Any], Any]) -> None:
        self._method = method
        self._first: tuple[Any, Any] | None = None

    def probe(self, first_rows: Any) -> Any:
        """Call the model once; its own error is chained to ours."""
        try:
            self._first = first_rows, self._method(first_rows)
        except Exception as error:
            raise PredictionError.failed_on_rows(error) from error
        return self._first[1]

    def __call__(self, rows: Any) -> Any:
        first, self._first = self._first, None  # asked for at once or not at all
        if first is not None and rows is first[0]:
            return first[1]
        return self._method(rows)


def _classes(model: Any) -> Any:
    """Class labels, or None: CatBoost's regressors have an empty list of them."""
    classes = getattr(model, "classes_", None)
    return None if classes is None or len(classes) == 0 else classes


def _as_numbers(method: str, returned: Any) -> NDArray[np.float64]:
    array = np.asarray(returned)
    if array.dtype.kind == "c":
        raise PredictionError.not_numeric(method, array.dtype)
    if array.dtype.kind not in "fiub":
        try:
            return np.asarray(array, dtype=np.float64)
        except (TypeError, ValueError):
            raise PredictionError.not_numeric(method, array.dtype) from None
    return array.astype(np.float64, copy=False)


def _one_column(method: str, returned: Any, rows: Any) -> NDArray[np.float64]:
    """Check predictions of shape (n_rows,)."""
    array = _as_numbers(method, returned)
    if array.shape != (rows.shape[0],):
        raise PredictionError.wrong_shape(method, array.shape, rows.shape[0])
    return array


def _picked_column(method: str, returned: Any, rows: Any, position: int, n_outputs: int) -> NDArray[np.float64]:
    """Check predictions of shape (n_rows, n_outputs) and take one column."""
    array = _as_numbers(method, returned)
    if array.shape != (rows.shape[0], n_outputs):
        raise PredictionError.wrong_shape(method, array.shape, rows.shape[0])
    return np.ascontiguousarray(array[:, position])


def _find_output(output: object, choices: Sequence[object], what: str) -> int:
    """Look an output up by label, by its text, then by position."""
    if output is None:
        raise OutputError.needed(what, choices)
    for position, choice in enumerate(choices):
        if type(choice) is type(output) and choice == output:
            return position
    for position, choice in enumerate(choices):
        if choice == output and not isinstance(output, bool) and not isinstance(choice, bool):
            return position
    if isinstance(output, (int, np.integer)) and not isinstance(output, bool) and 0 <= output < len(choices):
        return int(output)
    raise OutputError.unknown(output, choices)


def _of_callable(function: Any, first_rows: Any, n_rows: int, output: object) -> Predictor:
    name = "model"
    function = _Method(function)
    first = function.probe(first_rows)
    numbers = _as_numbers(name, first)
    if numbers.ndim == 2 and numbers.shape[0] == n_rows and numbers.shape[1] > 1:
        return _of_columns(function, name, first, output)
    _one_column(name, first, first_rows)
    if output is not None:
        raise OutputError.single(output)
    return Predictor(lambda rows: _one_column(name, function(rows), rows), "prediction", None, None, "callable")


def _of_regressor(model: Any, first_rows: Any, n_rows: int, output: object, response: Response) -> Predictor:
    # A detector such as IsolationForest has a decision function and no classes.
    name = "predict" if response == "auto" else _needed_method(model, response)
    method = _Method(getattr(model, name))
    first = method.probe(first_rows)
    numbers = _as_numbers(name, first)
    if numbers.ndim == 2 and numbers.shape[0] == n_rows and numbers.shape[1] > 1:
        return _of_columns(method, name, first, output)
    _one_column(name, first, first_rows)
    if output is not None:
        raise OutputError.single(output)
    label = "prediction" if name == "predict" else "decision function"
    return Predictor(lambda rows: _one_column(name, method(rows), rows), label, None, None, name)


def _of_columns(method: Callable[[Any], Any], name: str, first: Any, output: object) -> Predictor:
    """Take one column of several, by the name that the returned frame gives it, or by position."""
    n_outputs = int(np.shape(first)[1])
    names = getattr(first, "columns", None)
    choices: list[object] = list(range(n_outputs)) if names is None else [_plain(label) for label in names]
    position = _find_output(output, choices, "outputs")
    return Predictor(
        lambda rows: _picked_column(name, method(rows), rows, position, n_outputs),
        f"prediction of output {choices[position]!r}",
        choices[position],
        position,
        "callable" if name == "model" else name,
    )


def _plain(label: object) -> object:
    """Turn a numpy scalar into the Python object that a user would write."""
    return label.item() if isinstance(label, np.generic) else label


def _of_classifier(model: Any, first_rows: Any, n_rows: int, output: object, response: Response) -> Predictor:
    chosen = _classifier_method(model, response)
    method_name = "predict_proba" if chosen == "log_odds" else chosen
    method = _Method(getattr(model, method_name))
    first = method.probe(first_rows)
    shape = np.shape(first)
    classes = _classes(model)
    if classes is None:
        classes = range(shape[1]) if len(shape) == 2 else range(2)
    choices = [_plain(label) for label in classes]
    notes: tuple[str, ...] = ()
    if output is None and len(choices) == 2:
        position = 1
        notes = (f"Explained class: {choices[1]!r}, the second of two. Pass `output={choices[0]!r}` for the other.",)
    elif output is None and len(choices) == 1:
        position = 0
    else:
        position = _find_output(output, choices, "classes")
    label = choices[position]
    if chosen == "predict":
        return Predictor(
            lambda rows: (np.asarray(method(rows)) == label).astype(np.float64),
            f"predicted as {label!r} (1) or not (0)", label, position, chosen, notes,
        )  # fmt: skip
    if chosen == "decision_function":
        what = f"decision function of {label!r}"
        if len(shape) == 1 and len(choices) == 2:
            sign = 1.0 if position == 1 else -1.0
            return Predictor(
                lambda rows: sign * _one_column(method_name, method(rows), rows), what, label, position, chosen, notes
            )
    else:
        what = f"{'log-odds' if chosen == 'log_odds' else 'probability'} of {label!r}"
    if shape != (n_rows, len(choices)):
        raise PredictionError.wrong_shape(method_name, shape, n_rows)

    def predict(rows: Any) -> NDArray[np.float64]:
        column = _picked_column(method_name, method(rows), rows, position, len(choices))
        return _log_odds(column) if chosen == "log_odds" else column

    return Predictor(predict, what, label, position, chosen, notes)


def _classifier_method(model: Any, response: Response) -> str:
    if response == "auto":
        for name in ("predict_proba", "decision_function"):
            if hasattr(model, name):
                return name
        return "predict"
    _needed_method(model, response)
    return response


def _needed_method(model: Any, response: Response) -> str:
    """Return the method that a response is computed from, or say that the model lacks it."""
    needed = "predict_proba" if response == "log_odds" else response
    if not hasattr(model, needed):
        raise InvalidOptionError.response(response, needed, type(model).__name__)
    return needed


def _log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Full log-odds, log(p / (1 - p)); infinite at 0 and 1, which the engine reports."""
    with np.errstate(divide="ignore"):
        return np.log(probability) - np.log1p(-probability)
