"""From a model and its data to a frozen result, as one readable line of work."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ice_explorer.adapters.table import kept
from ice_explorer.errors import PredictionError
from ice_explorer.plan import Plan, prepare
from ice_explorer.progress import progress_reporter
from ice_explorer.results import Explanation, FeatureExplanation
from ice_explorer.tracebacks import short_traceback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.adapters.predict import Response
    from ice_explorer.adapters.table import Name
    from ice_explorer.grid import GridName
    from ice_explorer.metrics import Convention
    from ice_explorer.options import EngineName

__all__ = ["OPTIONS", "ExplainOptions", "Explanation", "FeatureExplanation", "Plan", "explain", "prepare"]


class ExplainOptions(TypedDict, total=False):
    """The options of `explain`, for what passes them on: type checkers see them there, too."""

    features: Sequence[Name] | None
    groups: Mapping[Name, Sequence[Name]] | None
    categorical: Sequence[Name] | None
    output: object
    response: Response
    grid: GridName | Mapping[Name, ArrayLike]
    grid_size: int | None
    sample: float | None
    random_state: int
    sample_weight: ArrayLike | None
    decay: float
    scale: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike]
    convention: Convention
    engine: EngineName
    n_jobs: int | None
    memory_limit: str | float
    like: Explanation | None
    keep_curves: bool
    progress: bool | Callable[[int, int, str], object] | None


@short_traceback
def explain(
    model: Any,
    X: Any,
    *,
    features: Sequence[Name] | None = None,
    groups: Mapping[Name, Sequence[Name]] | None = None,
    categorical: Sequence[Name] | None = None,
    output: object = None,
    response: Response = "auto",
    grid: GridName | Mapping[Name, ArrayLike] = "observed",
    grid_size: int | None = None,
    sample: float | None = None,
    random_state: int = 0,
    sample_weight: ArrayLike | None = None,
    decay: float = 0.75,
    scale: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike] = "marginal",
    convention: Convention = "stable",
    engine: EngineName = "auto",
    n_jobs: int | None = None,
    memory_limit: str | float = "1GB",
    like: Explanation | None = None,
    keep_curves: bool = False,
    progress: bool | Callable[[int, int, str], object] | None = None,
) -> Explanation:
    """Explain what a fitted model does with each feature.

    Parameters
    ----------
    model : object
        Fitted model with a predict method, or a function of X that returns one number per row. It is called by one
        thread at a time, also where several explanations and explorers share it. A bound method counts as its
        object, a pipeline as its last step; a function is a model of its own, whatever it calls.
    X : DataFrame, ndarray or sparse matrix of shape (n_observations, n_columns)
        Real observations to explain the model on; never modified.
    features : sequence, optional
        Features, groups among them: names, their text or positions of columns, looked up in that order.
        Defaults to all columns of numbers, booleans, categories, texts, dates and timedeltas, except columns
        without a value and unordered levels that are as good as row names: more than 8, and more than one for
        every two rows.
    groups : mapping, optional
        Columns of 0 and 1 that are one category in truth, by its name: {"city": ["city_a", "city_b"]}. They
        move together and leave the ranking. `find_groups` offers some.
    categorical : sequence, optional
        Columns whose values are names without an order, such as codes.
    output : object, optional
        Class label, output name or position, looked up in that order. Defaults to the second class of a
        binary classifier; required where the model has more classes or outputs.
    response : {"auto", "predict_proba", "decision_function", "predict", "log_odds"}
        "auto" is the first of predict_proba, decision_function, predict that a classifier has,
        decision_function of an outlier detector, and predict of other models.
    grid : {"observed", "quantile", "uniform", "random", "thresholds"} or mapping
        Where each feature is evaluated; "thresholds" are all values at which a tree model can step; a
        mapping gives values by feature, others get "observed". Categories without an order have the levels
        that occur, the most frequent ones where there are too many. A mapping may also name levels that the
        dtype declares and no row has.
    grid_size : int, optional
        Most grid values: 1000 for "observed", 100 otherwise and for categories without an order.
    sample : int or float, optional
        Count or fraction of the observations whose curves are computed, drawn for each feature on
        its own, stratified by it. Scales and grids are always those of all observations.
    random_state : int
        Seed of everything random.
    sample_weight : array-like of shape (n_observations,), optional
        Frequency weights of at least 0.
    decay : float
        λ of Eq. 3, greater than 0 and at most 1, the default of tables and pictures.
    scale : {"marginal", "conditional"} or mapping
        In what distance from the own value counts: the feature's standard deviation, its estimate
        given the other features, or values by feature.
    convention : {"stable", "equations", "published"}
        How the intervals of the grid count. "stable": by their length, so that metrics converge when the grid
        is refined, whatever the model. "equations": alike, as in the equations of the paper. "published": as
        the authors' code computed the tables of the paper, with the first slope repeated.
    engine : {"auto", "linear", "kernel", "network", "tree", "brute"}
        How curves are computed; every engine gives the same numbers. "auto" takes the fastest one that
        is exact for the model. "brute" asks the model for every phantom, once for those that are equal:
        the prediction of a row must not depend on chance, nor on the rows predicted beside it.
    n_jobs : int, optional
        Threads, 1 by default, -1 for one per processor; the result is the same to the bit. A model that
        predicts every phantom is then called from several threads of this explanation at once, for fewer phantoms
        each; results may differ in the last digits if its rounding depends on the number of rows.
    memory_limit : str or number
        What one block of phantom observations may take: bytes, or a text such as "500MB". Figures do not depend
        on it, unless the prediction of a row depends on the other rows of a call; a note says so.
    like : Explanation, optional
        Explanation of another model or of other rows, whose features, groups, grids, σ, medians and level
        frequencies are taken over, so that metrics compare, as between folds. It takes the place of `grid`.
    keep_curves : bool
        Whether the curves of all rows stay in memory, 8 bytes for each prediction, so that a model that predicts every
        phantom observation is not called again for `curves`, `rows`, pictures and `drivers`.
    progress : bool or callable, optional
        None shows a bar in a notebook or terminal after one second, also where curves are computed later; a function
        is called with (done, total, label), counted in predictions.

    Returns
    -------
    Explanation

    Raises
    ------
    ICEExplorerError
        If an argument cannot be used; a subclass that is also a ValueError, TypeError or KeyError.
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
    """
    plan = prepare(
        model, kept(X), features=features, groups=groups, categorical=categorical,
        output=output, response=response, grid=grid, grid_size=grid_size,
        sample=sample, random_state=random_state, sample_weight=sample_weight, decay=decay, scale=scale,
        convention=convention, engine=engine, n_jobs=n_jobs, memory_limit=memory_limit, like=like,
        keep_curves=keep_curves, progress=progress,
    )  # fmt: skip
    return _compute(plan, {}, progress=progress)


def _compute(
    plan: Plan, results: dict[Name, FeatureExplanation], *, progress: bool | Callable[[int, int, str], object] | None
) -> Explanation:
    """Compute the features that are missing among some results; an error can compute what it left."""
    try:
        with progress_reporter(progress, plan.n_predictions, plan.advice) as report:
            for feature in plan.features:
                if feature not in results:
                    results[feature] = plan.compute(feature, progress=report)
    except PredictionError as error:
        resume = short_traceback(partial(_compute, plan, results, progress=progress))
        counts = len(results), len(plan.features)
        raise error.resumable(plan.explanation(results), counts, resume) from error.__cause__
    return plan.explanation(results)


OPTIONS: tuple[str, ...] = tuple(
    name
    for name, parameter in inspect.signature(explain).parameters.items()
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY
)
"""Names of the options of `explain`."""
