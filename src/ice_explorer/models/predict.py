"""Turn a model into a function of rows: one output of one of its prediction methods, read from whatever it returns.

What an array means follows from the model and from the number of its axes, never from the length of one: two rows are
not two classes. The observed target is read on the scale of the output: a number as it is, a class as 1 or 0.
"""

from __future__ import annotations

import math
import pickle
import sys
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import narwhals as nw
import numpy as np

from ice_explorer.checks import check_one_of, count_masked, is_number
from ice_explorer.errors import DataError, ICEExplorerError, ModelNeededError, OptionError, PredictionError
from ice_explorer.errors.base import cause_of, counted, did_you_mean, listed, quoted
from ice_explorer.locks import find_bound_object, find_model_lock
from ice_explorer.models.libraries import list_methods, unwrap
from ice_explorer.tables.column import is_missing, make_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.arrays import Array, Values
    from ice_explorer.models.libraries import Call, PredictionMethod
    from ice_explorer.tables.table import Table


Response = Literal["auto", "predict_proba", "decision_function", "predict", "log_odds"]
Form = Literal["columns", "labels", "sides"]
RESPONSES: Final[tuple[Response, ...]] = ("auto", "predict_proba", "decision_function", "predict", "log_odds")

_PREDICTION: Final = "prediction"
_TEXT: Final = {
    "probabilities": "probability of {}",
    "log-odds": "log-odds of {}",
    "scores": "score (decision function) of {}",
    "labels": "prediction of {} (1) or not (0)",
}
_SCORES: Final = {"decision_function": "score (decision function)", "score_samples": "score (of samples)"}
_ROUNDING: Final = 1e-4  # of sums of probabilities in single precision
_SHOWN: Final = 30  # outputs in a message: one of them has to be chosen
_FEW_ROWS: Final = 256  # threads of joblib take longer than the predictions of so few: 4 ms for 11 ms of a forest
_NUMBER_PER_ROW: Final = "Wrap the model in a function that returns a number per row."


@dataclass(frozen=True)
class Outputs:
    """The outputs of a prediction method, and how they are read from what it returns.

    - `names`: what `output=` chooses from: classes, names or numbers. Empty where there is one number per row.
    - `text`: what the numbers are, "{}" for a class.
    - `form`: a column per output; labels; or the second of two "sides" in one column.
    - `what`: outputs as messages call them.
    - `of_classes`: whether outputs are classes, or numbers of their own.
    - `is_default`: whether the second of two is chosen by default: a row is of the one class or the other.
    - `is_observed`: whether labels are those of the first predictions, because the model lists none.
    - `is_rescaled`: whether log-odds are explained, and computed from the probabilities of the method.
    """

    method: PredictionMethod
    names: tuple[object, ...] = ()
    text: str = _PREDICTION
    form: Form = "columns"
    what: str = "classes"
    of_classes: bool = True
    is_default: bool = True
    is_observed: bool = False
    is_rescaled: bool = False

    def predict(self, position: int, rows: Any) -> Array:
        """Predict one output, (n_rows,)."""
        return self.column(self.predict_all(rows), position)

    def predict_all(self, rows: Any) -> Array:
        """Predict all outputs, (n_rows, n_outputs), as the method returns them."""
        return self.matrix(self.method.call(rows), rows.shape[0])

    def column(self, matrix: Array, position: int) -> Array:
        """Return one output; log-odds of 0 and 1 are infinite, which the method reports."""
        column = np.ascontiguousarray(matrix[:, position])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(column) - np.log1p(-column)) if self.is_rescaled else column

    def matrix(self, returned: Any, n_rows: int) -> Array:
        """Return what the method returned as numbers, (n_rows, n_outputs).

        - raises PredictionError: if it is not what the method returned for the first rows, or no prediction.
        """
        if self.form == "columns":
            return self._table(returned, n_rows, len(self.names))
        column = self._table(returned, n_rows, 0)[:, 0]
        if self.form == "labels":
            return np.column_stack([column == label for label in self.names]).astype(np.float64)
        return np.column_stack([-column, column])

    def _table(self, returned: Any, n_rows: int, width: int) -> Values:
        """Check the shape of an array, where a width of 0 is one number per row."""
        array = _as_array(returned) if self.form == "labels" else _as_numbers(self.method.name, returned)
        tail = (width,) if width else ()
        if array.shape != (n_rows, *tail) and (width or array.shape != (n_rows, 1)):
            raise _shape_error(self.method.name, array.shape, (n_rows, *tail))
        return array.reshape(n_rows, -1)

    @property
    def must_be_chosen(self) -> bool:
        """Whether there are several outputs of which none is the default."""
        return len(self.names) > (2 if self.is_default else 1)

    def choose(self, output: Any) -> tuple[int, tuple[str, ...]]:
        """Return the position of an output, and a note on a choice that the user did not make.

        - `output`: looked up by an equal label or name, then by position where no label is a number. None for the
          default, of two classes the second.
        - raises OptionError: if there is no default, or no such output.
        """
        names: Any = self.names
        if output is None:
            if self.must_be_chosen:
                raise OptionError(
                    f"The model returns {len(names)} {self.what}, so one must be chosen.",
                    f"Pass `output={quoted(names[0])}` (or {listed(names[1:], _SHOWN)}).",
                )
            if len(names) < 2:
                return 0, ()
            first, second = map(quoted, names)
            return 1, (f"Explained class: {second}, the second of two. Pass `output={first}` for the other.",)
        if not names:
            raise single_output_error(output)
        # Where labels are numbers, a position would be taken for a label: of 1, 2, 3 position 1 is not label 1.
        has_positions = not (self.is_observed or any(map(is_number, names)))
        for position, name in enumerate(names):
            is_comparable = np.isscalar(output) or type(name) is type(output)
            if is_comparable and isinstance(name, bool) == isinstance(output, bool) and name == output:
                return position, ()
        is_whole = isinstance(output, (int, np.integer)) and not isinstance(output, bool)
        if has_positions and is_whole and 0 <= output < len(names):
            return int(output), ()
        positions = f", or a position from 0 to {len(names) - 1}" if has_positions else ""
        advice = "Only labels predicted for the first rows are known." if self.is_observed else ""
        got = f"{quoted(output)}.{did_you_mean(output, names)}"
        raise OptionError(f"`output` must be one of {listed(names, _SHOWN)}{positions}; got {got}", advice)

    def label(self, position: int, target: Sequence[str] = ()) -> str:
        """Return what the numbers of an output are called.

        - `target`: names of the columns of y; empty where they have none.
        - returns: "prediction of cnt", "probability of malignant", "probability of survived = 1"; "prediction" where a
          number has no name.
        """
        name: Any = self.names[position] if self.names else None
        if len(target) == max(1, len(self.names)) and not (self.of_classes and len(target) == 1):
            name = target[position]
        if self.of_classes:
            is_named = len(target) == 1 and not isinstance(name, str)
            return self.text.format(f"{target[0]} = {_word(name)}" if is_named else _word(name))
        if name is None:
            return self.text
        if isinstance(name, str):
            return f"{self.text} of {_word(name)}"
        return f"{self.text} of output {_word(name)}"


def _word(label: object) -> str:
    """Write a class or an output as part of a sentence: text as it is."""
    return make_labels([label])[0] if isinstance(label, str) else quoted(label)


def single_output_error(got: object) -> OptionError:
    """Return the error for an output of a model that has only one."""
    return OptionError(
        f"`output` chooses among several outputs; the model has one, got output={quoted(got)}.", "Leave `output` out."
    )


def function_response_error(got: str) -> OptionError:
    """Return the error for a response of a function, which has only one."""
    return OptionError(
        f"`response` chooses among the methods of an estimator; got {quoted(got)} with a plain function.",
        "Leave `response` out and let the function return what you want to explain.",
    )


def _shape_error(method: str, shape: tuple[int, ...], expected: tuple[int, ...]) -> PredictionError:
    return PredictionError(
        f"{method}() returned shape {shape} for {counted(expected[0], 'row')}; expected {expected}.",
        "Wrap the model in a function that returns that.",
    )


# --- what is returned -----------------------------------------------------------------------------


def _outputs_of(response: str, methods: dict[str, PredictionMethod], classes: Any, returned: Any, rows: Any) -> Outputs:
    """Find out which outputs a method has, from what it returned for some rows."""
    method, n_rows = methods[response], rows.shape[0]
    if method.returns == "numbers" or (method.returns == "scores" and classes is None):
        return _outputs_of_numbers(method, returned, n_rows)
    if isinstance(classes, list | tuple) and len(classes) and np.ndim(classes[0]) == 1:
        raise PredictionError(
            f"A model must have one output with classes; this one has {len(classes)}.",
            "Pass a function for one of them, for example `lambda X: model.predict_proba(X)[0][:, 1]`.",
        )
    shape = np.shape(returned)
    if classes is None and method.returns == "labels":
        if "predict_proba" not in methods:
            return _outputs_of_labels(method, returned)
        classes = range(np.shape(methods["predict_proba"].call(rows))[1])
    elif classes is None and len(shape) != 2:
        raise _shape_error(method.name, shape, (n_rows,))
    names = _plain(range(shape[1]) if classes is None else classes)
    outputs = Outputs(method, names, _TEXT[method.returns])
    if method.returns == "labels" and (len(names) < 2 or shape[1:] != (len(names),)):
        return replace(outputs, form="labels")
    if method.returns == "scores" and len(shape) == 1 and len(names) == 2:
        return replace(outputs, form="sides")
    # Two columns are classes where probabilities sum to 1 and scores to 0; else they are labels.
    are_two = len(names) == len(shape) == 2
    sums = (
        np.asarray(returned, np.float64).sum(axis=1) - (method.returns == "probabilities") if are_two else np.zeros(1)
    )
    if (np.abs(sums[np.isfinite(sums)]) >= _ROUNDING).any():
        return replace(outputs, what="labels", is_default=False)
    return outputs


def _outputs_of_numbers(method: PredictionMethod, returned: Any, n_rows: int) -> Outputs:
    array = _as_array(returned)
    is_text = array.dtype.kind in "US" or (array.dtype.kind == "O" and all(isinstance(v, str) for v in array.flat))
    if method.name != "model" and array.ndim == 1 and is_text:
        return _outputs_of_labels(method, array)
    names: Any = ()
    if array.ndim == 2 and array.shape[0] == n_rows and array.shape[1] > 1:
        names = getattr(returned, "column_names", getattr(returned, "columns", range(array.shape[1])))
    text = _SCORES.get("decision_function" if method.returns == "scores" else method.name, _PREDICTION)
    return Outputs(method, _plain(names), text, what="outputs", of_classes=False, is_default=False)


def _outputs_of_labels(method: PredictionMethod, returned: Any) -> Outputs:
    """Return the labels of the first predictions, of a model that lists none."""
    labels = tuple(sorted(set(_as_array(returned).ravel().tolist())))
    return Outputs(method, labels, _TEXT["labels"], "labels", is_default=False, is_observed=True)


def _plain(labels: Any) -> tuple[object, ...]:
    """Turn numpy scalars into the Python objects that a user would write."""
    return tuple(label.item() if isinstance(label, np.generic) else label for label in labels)


def _as_array(returned: Any) -> Values:
    if count_masked(returned):  # numpy would take what lies under the mask for predictions
        return np.ma.array(returned, dtype=np.float64).filled(np.nan)
    return np.asarray(returned)


def _as_numbers(method: str, returned: Any) -> Array:
    """Return an array of float64, whatever real numbers came in whatever container."""
    array = _as_array(returned)
    if array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind == "O" and not any(isinstance(value, str | complex | None) for value in array.flat):
        return np.asarray(array, dtype=np.float64)
    got = "None" if returned is None else f"dtype {array.dtype}"
    raise PredictionError(f"{method}() must return numbers; it returned {got}.", _NUMBER_PER_ROW)


# --- calls ----------------------------------------------------------------------------------------


class ModelCall:
    """A prediction method of a model, which one thread, or the threads of one explanation, call at a time.

    A pipeline and its last step are one model, so that they share a turn. A pickle has the model
    if that can be pickled.

    - `response`: the method, as `list_methods` names it.
    - `call`: the method itself; None where there is no model.
    - `n_jobs`: from how many threads it may be called at once.
    - `reason`: why there is no model in pickles; empty where it is tried.
    """

    def __init__(self, model: Any, response: str, call: Call | None, n_jobs: int = 1, reason: str = "") -> None:
        self.model, self.reason = model, reason
        self._response, self._call, self._n_jobs = response, call, n_jobs
        self._turn = find_model_lock(unwrap(find_bound_object(model)).model)
        self._group = object() if n_jobs > 1 else None

    def __call__(self, rows: Any) -> Any:
        """Return what the model returns for rows in the container of X."""
        if self._call is None:
            raise ModelNeededError.predictions("Predictions that are not in the pickle need", self.reason)
        # Joblib must not start threads inside each of several threads, nor for a few rows.
        is_single = self._n_jobs > 1 or rows.shape[0] <= _FEW_ROWS
        configure: Any = getattr(sys.modules.get("joblib"), "parallel_config", None)
        with configure(backend="sequential") if is_single and configure is not None else nullcontext():
            return self._turn.call(self._call, rows, self._group)

    def __reduce__(self) -> tuple[Callable[..., ModelCall], tuple[bytes, str, str]]:
        content, reason = b"", self.reason
        if not reason:
            try:
                content = pickle.dumps(self.model, pickle.HIGHEST_PROTOCOL)
            except Exception as error:  # noqa: BLE001 - whatever a model raises
                reason = cause_of(error).rstrip(".")
        return _unpickle_call, (content, reason, self._response)


def _unpickle_call(content: bytes, reason: str, response: str) -> ModelCall:
    if not content:
        return ModelCall(None, response, None, reason=reason)
    model = pickle.loads(content)  # noqa: S301 - part of a pickle that is read
    return ModelCall(model, response, list_methods(model)[0][response].call)


# --- one output as a function ---------------------------------------------------------------------


@dataclass(frozen=True)
class Predictor:
    """One output of a model as a function.

    - `predict`: rows in the container of X -> (n_rows,) float64.
    - `output_label`: what the numbers are, for axes: "probability of yes".
    - `output`: the chosen class, name or position; None where the model has one output.
    - `position`: of the output among all; None where the model has one.
    - `response`: the response taken, "auto" resolved; "callable" for a function.
    - `notes`: choices that the user did not make.
    - `outputs`: what `output` could be instead; empty where the model has one output.
    - `responses`: what `response` could be instead; empty for a function.
    - `all_outputs`: rows in the container of X -> (n_rows, n_outputs) float64, by one call of the model; probabilities
      where log-odds are computed from them.
    - `of_classes`: whether outputs are classes, or numbers of their own.
    - `classes`: labels of the classes, also of a single one; empty where outputs are none.
    - `is_opening`: whether the output was chosen by `opening`.
    - `call`: what they call; None where results come from a file.
    """

    predict: Callable[[Any], Array]
    output_label: str
    output: object
    position: int | None
    response: str
    notes: tuple[str, ...]
    outputs: tuple[object, ...]
    responses: tuple[str, ...]
    all_outputs: Callable[[Any], Array]
    of_classes: bool = False
    classes: tuple[object, ...] = ()
    is_opening: bool = False
    call: ModelCall | None = field(default=None, compare=False, repr=False)

    @property
    def model(self) -> Any:
        """The model as it was passed; None where there is none."""
        return None if self.call is None else self.call.model


def make_predictor(
    model: Any,
    first_rows: Any,
    *,
    output: object,
    response: Response,
    n_jobs: int = 1,
    target: Sequence[str] = (),
    opening: Callable[[Outputs, Callable[[Any], Array]], tuple[int, tuple[str, ...]]] | None = None,
) -> tuple[Predictor, Array]:
    """Choose what to predict; return it with the predictions of the first rows.

    - `model`: with a predict method, a function of X, or a model of a library that is known here.
    - `first_rows`: a few rows of X, to see what the model returns.
    - `output`: class label, output name or position, looked up in that order; None where there is no choice to make.
    - `response`: method, "log_odds", or "auto".
    - `n_jobs`: from how many threads it may be called at once; nothing else calls it meanwhile.
    - `target`: names of the columns of y, for the label of the output.
    - `opening`: chooses an output where `output` is None, from the outputs and a function that predicts all of them.
    - raises PredictionError: if the model fails on the first rows or returns what is no prediction.
    - raises OptionError: if an output must be chosen, or the chosen one does not exist.
    """
    check_one_of("response", response, RESPONSES)
    methods, classes = list_methods(model)
    methods = {
        name: replace(method, call=ModelCall(model, name, method.call, n_jobs)) for name, method in methods.items()
    }
    chosen: str = next(iter(methods)) if response == "auto" else response
    if response != "auto" and "callable" in methods:
        raise function_response_error(response)
    # Log-odds are computed from probabilities where the model does not give them.
    called = "predict_proba" if chosen == "log_odds" and chosen not in methods else chosen
    if called not in methods:
        raise OptionError(
            f"`response={quoted(response)}` needs a model with {called}; {type(model).__name__} has none.",
            'Use `response="auto"`, or pass a function that returns what you want to explain.',
        )
    method, is_opening = methods[called], opening is not None and output is None
    try:
        returned = method.call(first_rows)
        outputs = _outputs_of(called, methods, classes, returned, first_rows)
        first = outputs.matrix(returned, first_rows.shape[0])
        position, notes = opening(outputs, outputs.predict_all) if is_opening else outputs.choose(output)  # type: ignore[misc]
    except ICEExplorerError:
        raise
    except Exception as error:
        if type(error).__name__.endswith("NotFittedError"):  # of scikit-learn and LightGBM
            raise PredictionError(
                f"model must be fitted; this {type(model).__name__} is not.", "Call `model.fit(X, y)` first."
            ) from error
        raise PredictionError.failed_on_rows(error) from error
    if called != chosen:
        outputs = replace(outputs, text=_TEXT["log-odds"], is_rescaled=True)
    offered = {*methods, "log_odds"} if "predict_proba" in methods else set(methods)
    predictor = Predictor(
        predict=partial(outputs.predict, position),
        output_label=outputs.label(position, target),
        output=outputs.names[position] if outputs.names else None,
        position=position if outputs.names else None,
        response=chosen,
        notes=(method.note, *notes) if method.note else notes,
        outputs=outputs.names if len(outputs.names) > 1 else (),
        responses=tuple(name for name in RESPONSES if name in offered),
        all_outputs=outputs.predict_all,
        of_classes=outputs.of_classes,
        classes=outputs.names if outputs.of_classes else (),
        is_opening=is_opening and outputs.must_be_chosen,
        call=method.call if isinstance(method.call, ModelCall) else None,
    )
    return predictor, outputs.column(first, position)


# --- the observed target --------------------------------------------------------------------------

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
        return _target_numbers(columns[predictor.position or 0])
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
    return tuple(make_labels(names)) if all(isinstance(name, str) and name.strip() for name in names) else ()


def _column_names(y: object) -> list[Any]:
    frame = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.Series):
        return [getattr(y, "name", None)]  # narwhals has "" for no name
    return list(frame.columns) if isinstance(frame, nw.DataFrame) else []


def _target_numbers(column: Sequence[Any]) -> Array:
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
