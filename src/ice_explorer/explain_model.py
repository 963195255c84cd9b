"""`explain`, and `load` of what it made."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, overload

from ice_explorer import plan as one_machine
from ice_explorer.comparison import ModelComparison, check_models, prepared_alike
from ice_explorer.errors import DataError, OptionError, PredictionError
from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.explanation import Explanation
from ice_explorer.progress import progress_reporter
from ice_explorer.results.options import DEFAULTS, Options
from ice_explorer.tables.table import copy_data

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Unpack

    from numpy.typing import ArrayLike

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.columns import Group
    from ice_explorer.features.feature import GridName
    from ice_explorer.metrics.ordered import Convention
    from ice_explorer.models.predict import Response
    from ice_explorer.plan import Plan
    from ice_explorer.progress import Progress
    from ice_explorer.results.options import MethodName
    from ice_explorer.tables.column import Name


F = TypeVar("F", bound="Callable[..., Any]")


class ExplainOptions(TypedDict, total=False):
    """Options of `explain`, for type checking of functions that pass them on."""

    features: Sequence[Name] | None
    groups: Mapping[Name, Group] | Literal["auto"] | None
    categorical_features: Sequence[Name] | None
    output: object
    response: Response
    grid: GridName | Mapping[Name, ArrayLike] | Explanation
    grid_size: int | None
    sample: float | None
    random_state: int
    sample_weight: ArrayLike | None
    decay: float
    distance: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike]
    convention: Convention
    method: MethodName
    n_jobs: int | None
    memory_limit: str | float
    progress: bool | Callable[[int, int, str], object] | None
    budget: float | None


@short_traceback
def load(path: str | Path) -> Explanation:
    """Open an explanation that was saved as a file, without its model.

    Parameters
    ----------
    path : str or Path
        What `save("result.ice")` of an explanation or an explorer wrote. Files from others are safe to open.

    Returns
    -------
    Explanation
        Of the rows of X in the file: at most 1000 unless `save` was given `max_lines`. Metrics, partial dependence,
        spread and drivers are those of all rows that were explained; a note says how many.

    Raises
    ------
    OptionError
        If there is no such file.
    DataError
        If it is damaged, or a later version of the package wrote it.

    Notes
    -----
    An explanation from a file answers from what was saved. What needs the model or further rows raises
    `ModelNeededError`.

    Examples
    --------
    >>> import ice_explorer as ice
    >>> ice.explain(model, X).save("result.ice")  # doctest: +SKIP
    >>> ice.load("result.ice").table()  # doctest: +SKIP
    """
    from ice_explorer.export.files import open_file
    from ice_explorer.saved.read import read_result

    with open_file(path) as file:
        return read_result(file, str(path))


def _with_options(function: F) -> F:
    """Spell out the options in the signature that help and completion show."""
    named = list(inspect.signature(function).parameters.values())[:-1]
    options = inspect.signature(Options).parameters.values()
    function.__signature__ = inspect.Signature([*named, *options])  # type: ignore[attr-defined]
    return function


@overload
def explain(
    model: Mapping[str, Any], X: Any = None, y: Any = None, **options: Unpack[ExplainOptions]
) -> ModelComparison: ...


@overload
def explain(model: Any, X: Any, y: Any = None, **options: Unpack[ExplainOptions]) -> Explanation: ...


@short_traceback
@_with_options
def explain(
    model: Any, X: Any = None, y: Any = None, **options: Unpack[ExplainOptions]
) -> Explanation | ModelComparison:
    """Compute ICE curves and metrics of each feature of a fitted model, or of several models side by side.

    Parameters
    ----------
    model : object, or mapping of names to models
        Fitted model with a predict method, or a function of X that returns one number per row. It is called by one
        thread at a time, even if several explanations and explorers share it. A bound method counts as its
        object, a pipeline as its last step; every function counts as a separate model. Two to four models by name,
        {"forest": forest, "boosting": boosting}, are explained on the same rows and grids; they must have the same kind
        of response and the same outputs.
    X : DataFrame, ndarray or sparse matrix of shape (n_observations, n_columns)
        Observations to explain the model on; never modified. A DataFrame or array of Dask is explained partition by
        partition where it is, by the current client, or by workers in this process where there is none: metrics,
        partial dependence and spread are those of all rows, and the explanation has a sample of 10,000 rows for
        curves, drivers and effects. The model is sent once to each worker, and has to be one that can be pickled.
    features : sequence, optional
        Features, including groups: names, their text or positions of columns, looked up in that order.
        Defaults to all columns of numbers, booleans, categories, texts, dates and timedeltas, except empty columns
        and unordered columns similar to row names: more than 8 levels, and more than one for every two rows.
    groups : mapping or "auto", optional
        One-hot columns that encode one categorical feature, keyed by feature name: {"city": ["city_a", "city_b"]}.
        They are varied together and ranked as one feature. "auto" finds them by their names and values; the result has
        what was found as `settings.groups`. Columns that are made of one quantity, such as the sine and the cosine of
        an hour, are a group by `Moves`: {"hour": Moves(columns=["hour_sin", "hour_cos"], observed=hours, rule=encode)}.
    categorical_features : sequence, optional
        Columns whose values are unordered codes.
    output : object, optional
        Class label, output name or position, looked up in that order. Defaults to the second class of a
        binary classifier, of more classes to the one most frequent in y, else in the predictions, and to the first of
        other outputs; a note says which.
    response : {"auto", "predict_proba", "decision_function", "predict", "log_odds"}
        "auto" is the first method of predict_proba, decision_function, predict that a classifier has,
        decision_function of an outlier detector, and predict of other models.
    grid : {"observed", "quantile", "uniform", "thresholds"} mapping or Explanation
        Values at which each feature is evaluated. "thresholds" are all values at which a tree model can step. A
        mapping gives values by feature; other features use "observed". The grid of an unordered category is the
        levels that occur, or the most frequent ones if there are too many. A mapping may include declared levels
        that do not occur. Of an explanation, of another model or of other rows, features, groups, grids, σ, medians
        and level frequencies are used, so that metrics are comparable, for example between folds.
    grid_size : int, optional
        Maximum number of grid values. Defaults to 1000 for "observed", else to 100; 100 for unordered categories.
    sample : int or float, optional
        Number or fraction of observations whose curves are computed, sampled separately for each feature and
        stratified by it. Scales and grids always use all observations.
    random_state : int
        Seed of all random choices.
    sample_weight : array-like of shape (n_observations,), optional
        Frequency weights of at least 0.
    decay : float
        λ of Eq. 3, greater than 0 and at most 1: the default of tables and figures.
    distance : {"marginal", "conditional"} or mapping
        Unit of the distance from the observed value: the standard deviation of the feature, its estimate
        given the other features, or values by feature. "conditional" fits ten small gradient boosting models for each
        feature before the model is called, five for a category: about 0.4 s for a feature of 1,000 rows. They are
        fitted to a sample of 20,000 rows if there are more.
    convention : {"step", "paper"}
        What figures are averages of. "step": changes of the prediction when the feature moves by one standard
        deviation, at values where the observations are. "paper": slopes between neighbouring grid values, each
        interval counting alike, as the authors' code computed the tables of the paper.
    method : {"auto", "linear", "kernel", "tree", "brute"}
        How curves are computed; every method returns the same numbers. "auto" uses the fastest one that is exact
        for the model. "brute" predicts every phantom observation (an observation with one feature value
        replaced); predictions must be deterministic and row-wise independent.
    n_jobs : int, optional
        Number of threads, 1 by default, -1 for one per processor; results are bitwise identical. With "brute" the
        model is called from several threads at once, with fewer rows each; results may then differ in the
        last digits if the rounding of the model depends on the number of rows.
    memory_limit : str or number
        Memory that an explanation takes while it is computed: bytes, or a text such as "500MB". It covers the
        columns of X as numbers, blocks of phantom observations, and kept curves: these get what the columns leave, but
        at least 64 MB. What the model takes for its predictions comes on
        top; a call that runs out of memory is repeated in halves. Results do not depend on the limit unless the
        prediction of a row depends on the other rows of a call; a note then states it. Arrays and tables with a number
        for each row and grid value, such as `curves`, are refused where one takes more than the limit, or 64 MB if that
        is more.
    progress : bool or callable, optional
        None shows a bar in a notebook or terminal after one second, also when curves are computed later; a function
        is called with (done, total, label), counted in predictions.
    budget : float, optional
        Seconds for computing the curves and metrics. If everything is estimated to take longer, a model that is called
        gets fewer grid values, down to 10, then fewer rows, and below 16 rows fewer values; others get fewer rows. A
        note says how many were used. They depend on the speed of the machine; use `sample` and `grid_size` for the same
        ones everywhere.
        ICEExplorer does not take it: it shows such samples until the result is there.

    Returns
    -------
    Explanation, or ModelComparison of several models

    Raises
    ------
    ICEExplorerError
        If an argument cannot be used, or models cannot be compared; a subclass that is also a ValueError, TypeError or
        KeyError.
    PredictionError
        If the model fails, chained to its own error. `error.explanation` has the features that were computed,
        `error.resume()` computes the others and returns the whole explanation.

    Notes
    -----
    Metrics: Yeh & Ngo (2021), "Bringing a Ruler Into the Black Box", arXiv:2109.02724.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.column_stack([np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0])])
    >>> explanation = explain(lambda X: 2 * X[:, 0] - X[:, 1], X)
    >>> explanation.table()["impact"].round(3).to_dict()
    {'x0': 2.236, 'x1': 0.5}
    >>> both = explain({"sum": lambda X: X[:, 0] + X[:, 1], "first": lambda X: X[:, 0]}, X)
    >>> both.disagreement()["disagreement"].round(3).to_dict()
    {'x1': 1.0, 'x0': 0.0}
    """
    unknown = next((name for name in options if name not in DEFAULTS), None)
    if unknown is not None:
        raise OptionError.unknown("explain", unknown, [*DEFAULTS])
    checked = Options(**options)
    several = check_models(model) if is_several(model) else {}
    if X is None:
        noun = "models" if several else "model"
        problem = f"`X` must be the observations to explain the {noun} on; got NoneType."
        raise DataError(problem, f"Call `explain({noun}, X)`.")
    X = copy_data(X)

    def plan_of(each: Any, chosen: Mapping[str, Any]) -> Plan:
        return prepare(each, X, replace(checked, **chosen), y=y)

    if several:
        plans = prepared_alike(several, checked.grid, plan_of, lambda plan: plan)
        return ModelComparison({name: _compute(plan, {}, checked.progress) for name, plan in plans.items()})
    plan = plan_of(model, {})
    sampled = None if checked.budget is None else plan.explain_within(checked.budget)
    return _compute(plan, {}, checked.progress) if sampled is None else sampled


def is_several(model: object) -> bool:
    """Whether this is a mapping of names to models rather than a model."""
    is_names = isinstance(model, Mapping) and not isinstance(model, Explanation)
    return is_names and not callable(model) and not hasattr(model, "predict")


def prepare(model: Any, X: Any, options: Options, *, y: object = None) -> Plan:
    """Plan an explanation on this machine, or where the partitions of a Dask collection are; see `plan.prepare`."""
    if hasattr(X, "__dask_graph__"):
        from ice_explorer.cluster.dask_plan import prepare_on_dask

        return prepare_on_dask(model, X, options, y=y)
    return one_machine.prepare(model, X, options, y=y)


def _compute(plan: Plan, results: dict[Name, FeatureExplanation], progress: Progress) -> Explanation:
    """Compute the features that are missing among some results; an error can compute what it left."""
    try:
        with progress_reporter(progress, plan.n_predictions) as report:
            for feature in plan.features:
                if feature not in results:
                    results[feature] = plan.compute(feature, progress=report)
    except PredictionError as error:
        error.explanation = plan.explanation(results)
        error.resume = short_traceback(partial(_compute, plan, results, progress))
        raise
    return plan.explanation(results)
