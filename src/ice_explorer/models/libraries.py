"""Find the model inside pipelines and other wrappers, and list the prediction methods of a model of any library.

Methods have their scikit-learn names. A library is imported only if a model of it is given, and often not even then.

The columns that a model was fitted on are compared with X before anything is explained. LightGBM, and models that users
write, take columns by position and never look at their names: with columns in another order every figure would be
wrong. Other models find their columns by name, and take any order and further columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Final, Literal

import narwhals as nw
import numpy as np

from ice_explorer.errors import DataError, PredictionError
from ice_explorer.errors.base import cause_of, closest, listed, quoted
from ice_explorer.locks import find_bound_object, find_model_lock
from ice_explorer.tables.table import table_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.tables.table import Table


# Wrappers that predict as the model inside does, and the attribute that has it; thresholds change predicted classes.
_INSIDE: Final = {"FrozenEstimator": "estimator", "RANSACRegressor": "estimator_"}
_THRESHOLDS: Final = {"FixedThresholdClassifier": "estimator_", "TunedThresholdClassifierCV": "estimator_"}
_PASSTHROUGH: Final = (None, "passthrough")


@dataclass(frozen=True, eq=False)
class UnwrappedModel:
    """A model and its wrappers.

    - `model`: the estimator inside.
    - `steps`: the fitted transformers in front of it, in order.
    - `restore`: outputs of the model -> outputs of the whole, element by element; None where they are the same.
    """

    model: Any
    steps: tuple[Any, ...]
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None

    def __reduce__(self) -> tuple[type[UnwrappedModel], tuple[None, tuple[()], object]]:
        """Leave out what is the user's: curves that a formula gives do not call it."""
        return UnwrappedModel, (None, (), self.restore)

    def transform(self, rows: Any) -> NDArray[np.float64]:
        """Return rows of X as the matrix that the model takes after some steps, (n_rows, n_columns)."""
        return dense(self.transform_rows(rows))

    def transform_rows(self, rows: Any) -> Any:
        """Return rows of X as the model takes them."""
        through_steps = partial(reduce, lambda matrix, step: step.transform(matrix), self.steps)
        return find_model_lock(self.model).call(through_steps, rows)

    def restore_output(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert outputs of the inner model to outputs of the pipeline."""
        return predicted if self.restore is None else self.restore(predicted)


def read_attribute(model: Any, name: str, default: Any = None, *, call: bool = False) -> Any:
    """Return an attribute of a model, or a default where it has none.

    - `call`: whether a method is called, in place of an attribute.
    - raises PredictionError: if reading it raises anything but an AttributeError, as a property may.
    """
    try:
        value = getattr(model, name, default)
        return value() if call and callable(value) else value
    except Exception as error:
        raise PredictionError(
            f"The attributes of the model must be readable; {name!r} of {type(model).__name__} raises "
            f"{cause_of(error)}",
            "Correct that attribute, or pass a function such as `lambda X: model.predict(X)`.",
        ) from error


def unwrap(model: Any, response: str = "auto") -> UnwrappedModel:
    """Remove all wrappers, however nested.

    - `response`: as `Predictor.response`: a tuned threshold changes the predicted class, but no probability.
    """
    steps: list[Any] = []
    restore: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    wrappers = _INSIDE if response == "predict" else _INSIDE | _THRESHOLDS
    while type(model).__module__.startswith("sklearn."):
        name = type(model).__name__
        inner = read_attribute(model, "best_estimator_" if name.endswith("SearchCV") else wrappers.get(name, ""))
        if inner is not None:
            model = inner
        elif name == "Pipeline":
            *before, last = [step for _, step in model.steps]
            before = [step for step in before if step not in _PASSTHROUGH]
            if last in _PASSTHROUGH or not all(read_attribute(step, "transform") for step in before):
                break
            steps += before
            model = last
        elif name == "TransformedTargetRegressor" and restore is None:
            restore = partial(_restored, model.transformer_)
            model = model.regressor_
        else:
            break
    return UnwrappedModel(model, tuple(steps), restore)


def dense(matrix: Any) -> NDArray[np.float64]:
    """Return a matrix as an array of float64, also a sparse one."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)


def _restored(transformer: Any, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(transformer.inverse_transform(predicted.reshape(-1, 1)), np.float64).reshape(predicted.shape)


Call = Callable[[Any], Any]
Returns = Literal["probabilities", "log-odds", "scores", "labels", "numbers"]

_NOTE_OF_CLUSTERS: Final = (
    "The model is a clusterer, so its labels are explained as names: a curve is 1 where the predicted label is the "
    "explained one and 0 elsewhere, and the mean of the curves is the share of that label."
)
_NOTE_OF_OUTLIERS: Final = (
    "The model is an outlier detector, so its score is explained ({}): the lower, the more abnormal."
)
_XGBOOST_PROBABILITIES: Final = {"binary:logistic", "multi:softprob"}


@dataclass(frozen=True)
class PredictionMethod:
    """A prediction method of a model.

    - `call`: rows in the container of X -> what the model returns.
    - `returns`: what that is. Labels are those of classes, log-odds come in a column per class.
    - `name`: for messages; "model" for a model that is a function.
    - `note`: what the numbers of this kind of model mean, where that needs to be said.
    """

    call: Call
    returns: Returns
    name: str = "predict"
    note: str = ""


Methods = tuple[dict[str, PredictionMethod], Any]


def list_methods(model: Any) -> Methods:
    """List the prediction methods of a fitted model or a function.

    - returns `methods`: by response, the default first; "callable" for a function.
    - returns `classes`: class labels, as scikit-learn's `classes_`: a list of arrays for several outputs; None where
      the model lists none.
    - raises DataError: if it is none of these.
    """
    if isinstance(model, type):
        name = model.__name__
        raise DataError(
            f"model must be a fitted model; got the class {name}.",
            f"Make a model of it and fit that: `{name}().fit(X, y)`.",
        )
    for base in type(model).__mro__:
        read = _LIBRARIES.get((base.__module__.partition(".")[0], base.__name__))
        if read is not None:
            return read(model)
    if read_attribute(model, "predict") is not None:
        return _estimator(model)
    if not callable(model):
        raise DataError(
            f"model must have a predict method or be a function of X; got {type(model).__name__}.",
            "Pass `lambda X: …` that returns one number per row.",
        )
    return {"callable": PredictionMethod(model, "numbers", "model")}, None


def _estimator(model: Any) -> Methods:
    unwrapped = unwrap(model)
    inner, tags = unwrapped.model, read_attribute(model, "__sklearn_tags__", call=True)
    kind = read_attribute(model, "_estimator_type") if tags is None else tags.estimator_type
    has_proba = read_attribute(model, "predict_proba") is not None
    classes = read_attribute(model, "classes_")
    if kind == "outlier_detector":
        labels = {"predict": PredictionMethod(model.predict, "labels")}
        score = next((name for name in ("decision_function", "score_samples") if read_attribute(model, name)), None)
        if score is None:
            return labels, [-1, 1]
        scores = PredictionMethod(getattr(model, score), "numbers", score, _NOTE_OF_OUTLIERS.format(score))
        return {"decision_function": scores, **labels}, [-1, 1]
    if kind == "clusterer" and not has_proba:
        # Labels are those of the training data, and of the centres where the model has some.
        centers = range(len(read_attribute(inner, "cluster_centers_", ())))
        clusters = sorted({*np.asarray(read_attribute(inner, "labels_", ())).tolist(), *centers})
        return {"predict": PredictionMethod(model.predict, "labels", note=_NOTE_OF_CLUSTERS)}, clusters or None
    classes = None if classes is None or len(classes) == 0 else classes  # regressors of CatBoost have an empty list
    is_classifier = classes is not None or has_proba
    order = ["predict_proba", "decision_function", "predict"] if is_classifier else ["predict", "decision_function"]
    if read_attribute(inner, "decision_function_shape") == "ovo":  # scores of pairs of classes, not of classes
        order = ["predict_proba", "predict", "decision_function"]
    returns: dict[str, Returns] = {
        "predict_proba": "probabilities",
        "decision_function": "scores",
        "predict": "labels" if is_classifier else "numbers",
    }
    called = {name: read_attribute(model, name) for name in order}
    methods = {name: PredictionMethod(call, returns[name], name) for name, call in called.items() if call is not None}
    objective = read_attribute(inner, "objective")
    if has_proba and type(inner).__module__.startswith("xgboost.") and objective in _XGBOOST_PROBABILITIES:
        margin = lambda rows: inner.predict(unwrapped.transform_rows(rows), output_margin=True)  # noqa: E731
        methods["log_odds"] = _log_odds(margin, objective)
    return methods, classes


def _xgboost_booster(booster: Any) -> Methods:
    from xgboost import DMatrix

    def predict(rows: Any, **options: Any) -> Any:
        # Columns of an array are those of the training data, in their order; a frame brings its own names.
        names = None if hasattr(rows, "columns") else booster.feature_names
        return booster.predict(DMatrix(rows, feature_names=names, enable_categorical=True), **options)

    learner = json.loads(booster.save_config())["learner"]
    objective = learner["objective"]["name"]
    classes = list(range(max(2, int(learner["learner_model_param"]["num_class"]))))
    margin = partial(predict, output_margin=True)
    scores, numbers = PredictionMethod(margin, "scores"), PredictionMethod(predict, "numbers")
    if objective == "multi:softmax":
        return {"predict": PredictionMethod(predict, "labels"), "decision_function": scores}, classes
    if objective not in _XGBOOST_PROBABILITIES:
        return {"predict": numbers, "decision_function": scores}, None
    proba = PredictionMethod(predict, "probabilities") if objective == "multi:softprob" else _two_classes(predict)
    log_odds = _log_odds(margin, objective)
    return {"predict_proba": proba, "log_odds": log_odds, "decision_function": scores, "predict": numbers}, classes


def _log_odds(margin: Call, objective: str) -> PredictionMethod:
    """Compute log-odds from margins: probabilities in single precision are 1 from log-odds of 17 on."""

    def log_odds(rows: Any) -> NDArray[np.float64]:
        margins = np.asarray(margin(rows), np.float64)
        if margins.ndim == 1:
            return np.column_stack([-margins, margins])
        if objective == "binary:logistic":  # several labels, each with a margin of its own
            return margins
        rest = [np.logaddexp.reduce(np.delete(margins, k, axis=1), axis=1) for k in range(margins.shape[1])]
        return np.asarray(margins - np.column_stack(rest))

    return PredictionMethod(log_odds, "log-odds")


def _two_classes(second: Call) -> PredictionMethod:
    """Return the method for a function that returns the probability of the second class alone."""

    def proba(rows: Any) -> NDArray[np.float64]:
        probability = np.asarray(second(rows), np.float64)
        return np.column_stack([1.0 - probability, probability])

    return PredictionMethod(proba, "probabilities")


def _lightgbm_booster(booster: Any) -> Methods:
    # The text of the model tells the objective: parameters may use another name for it, or be lost.
    head = booster.model_to_string(num_iteration=1).partition("\nTree=")[0]
    objective = head.partition("\nobjective=")[2].partition("\n")[0].partition(" ")[0]
    methods = {
        "predict": PredictionMethod(booster.predict, "numbers"),
        "decision_function": PredictionMethod(partial(booster.predict, raw_score=True), "scores"),
    }
    if objective == "binary":
        return {"predict_proba": _two_classes(booster.predict), **methods}, [0, 1]
    if objective in {"multiclass", "multiclassova"}:
        classes = list(range(booster.num_model_per_iteration()))
        return {"predict_proba": PredictionMethod(booster.predict, "probabilities"), **methods}, classes
    return methods, None


def _catboost(model: Any) -> Methods:
    """List the methods of a model; CatBoost's base class has options of predict instead of methods."""
    methods, classes = _estimator(model)
    if classes is None or hasattr(model, "predict_proba"):
        return methods, classes
    proba = PredictionMethod(partial(model.predict, prediction_type="Probability"), "probabilities")
    scores = PredictionMethod(partial(model.predict, prediction_type="RawFormulaVal"), "scores")
    numbers = PredictionMethod(model.predict, "numbers")
    return {"predict_proba": proba, "decision_function": scores, "predict": numbers}, classes


def _statsmodels_results(results: Any) -> Methods:
    model = results.model
    if not getattr(model, "_no_exog_infl", True):  # else zeros would be predicted from rows of the fit
        raise DataError(
            f"A model fitted with `exog_infl` must be a function of X; got results of {type(model).__name__}.",
            "Pass `lambda X: results.predict(X[exog_columns], exog_infl=X[exog_infl_columns])`.",
        )

    return {"predict": PredictionMethod(lambda rows: np.asanyarray(results.predict(_as_pandas(rows))), "numbers")}, None


def _statsmodels_model(model: Any) -> Methods:
    raise PredictionError(
        f"model must be fitted; this {type(model).__name__} is not.", "Pass what `model.fit()` returns."
    )


def _as_pandas(rows: Any) -> Any:
    frame = nw.from_native(rows, eager_only=True, pass_through=True)
    return frame.to_pandas() if isinstance(frame, nw.DataFrame) else rows


_LIBRARIES: Final[dict[tuple[str, str], Callable[[Any], Methods]]] = {
    ("catboost", "CatBoost"): _catboost,
    ("lightgbm", "Booster"): _lightgbm_booster,
    ("statsmodels", "Model"): _statsmodels_model,
    ("statsmodels", "Results"): _statsmodels_results,
    ("statsmodels", "ResultsWrapper"): _statsmodels_results,
    ("xgboost", "Booster"): _xgboost_booster,
}


# --- columns of the fit ---------------------------------------------------------------------------

_ROWS_TO_TURN: Final = 64  # predicted with columns in another order
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
    exog = read_attribute(_exog_of(owner), "exog")
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
    columns = read_attribute(read_attribute(_exog_of(model), "orig_exog"), "columns", ())
    return list(map(str, columns)), "model.model.exog_names"


def _exog_of(results: Any) -> Any:
    """Return the data of results of statsmodels, which take columns by position; None if a formula names them."""
    model = read_attribute(results, "model")
    return None if read_attribute(model, "formula") is not None else read_attribute(model, "data")


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
    turn, method = find_model_lock(unwrap(find_bound_object(model)).model), next(iter(list_methods(model)[0].values()))
    rows = table.take(np.arange(min(table.n_observations, _ROWS_TO_TURN)))
    order = [*range(1, len(table.names)), 0]
    try:
        turned = rows.iloc[:, order] if hasattr(rows, "iloc") else rows.select([table.names[k] for k in order])
        predicted, again = (
            np.concatenate([np.ravel(np.asarray(part)) for part in (each if isinstance(each, list) else [each])])
            for each in (turn.call(method.call, rows), turn.call(method.call, turned))
        )
    except Exception:  # noqa: BLE001 - whatever the model raises about other columns
        return False
    if len(order) < 2 or len(np.unique(predicted)) < 2:
        return False
    if predicted.dtype.kind not in "fiub":
        return bool(np.array_equal(predicted, again))
    return bool(np.max(np.abs(predicted - again)) <= _CLOSE * np.max(np.abs(predicted)))
