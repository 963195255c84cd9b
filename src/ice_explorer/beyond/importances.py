"""Impact beside other measures of importance: of the model itself, of partial dependence, of a score, of SHAP."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.curves.brute import Points
from ice_explorer.errors import Cancelled, MissingPackageError, OptionError, PredictionError
from ice_explorer.errors.base import cause_of
from ice_explorer.locks import find_bound_object, find_model_lock
from ice_explorer.models.libraries import dense, read_attribute, unwrap
from ice_explorer.progress import progress_reporter
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.curves.inputs import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation

Measure = Literal["native", "permutation", "partial_dependence", "shap", "loco"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
N_REPEATS: Final = 5
HAS_SHAP: Final = find_spec("shap") is not None

_OF_SCORES: Final = ("permutation", "loco")
_N_FOLDS: Final = 5
_N_EXPLAINED: Final = 200  # rows of SHAP, and of its background
_N_BACKGROUND: Final = 50
_MOST_TRANSFORMED: Final = 2000  # rows that tell which columns a model sees of a feature
_SEEDS: Final = 1 << 32  # of scikit-learn
_OTHER: Final = "Choose another measure."
_NO_MODEL: Final = f"This measure needs the model; the explanation was opened from a file, which holds none. {_OTHER}"


@dataclass(frozen=True, eq=False)
class Importances:
    """Impact beside other measures of importance.

    Attributes
    ----------
    table : DataFrame
        One row per feature, `impact` and one column per measure, each with sum 100: negative importances count as 0.
    correlations : DataFrame
        One row per measure: its `pearson` and `rank` (Spearman) correlation with impact over the features.
    importances : DataFrame
        One row per feature, impact and each measure in its own unit: permutation and LOCO are falls of the score.
    """

    table: pd.DataFrame
    correlations: pd.DataFrame
    importances: pd.DataFrame

    def __repr__(self) -> str:
        measures = ", ".join(self.correlations.index)
        return f"<Importances: the impact of {len(self.table)} features with {measures}>"

    def _repr_html_(self) -> str:
        return str(self.table.round(1).to_html())


def compare_importances(
    explanation: Explanation,
    y: object,
    measures: Sequence[Measure] | Measure | None,
    scoring: str | Callable[..., float] | None,
    n_repeats: int,
) -> Importances:
    """Compare impact with other measures of importance, as `Explanation.importances` describes."""
    import pandas as pd

    check_integer("n_repeats", n_repeats, 1, f"Leave it out for {N_REPEATS}.")
    results, context = list(explanation.values()), explanation._context
    # Each returns a figure per feature, or why there is none.
    ways: dict[str, Callable[[], Array | str]] = {
        "native": lambda: _read_native(context, results),
        "permutation": lambda: _permute(scored_of(explanation, y, scoring), results, n_repeats),
        "partial_dependence": lambda: _measure_partial_dependence(results),
        "shap": lambda: _measure_shap(context, results),
        "loco": lambda: _leave_out(scored_of(explanation, y, scoring), results),
    }
    figures = {"impact": explanation.table(rank_by=None)["impact"].to_numpy(np.float64)}
    for measure in _choose_measures(measures, has_y=y is not None):
        lacks_model = context.origin is not None and measure != "partial_dependence"
        found = _NO_MODEL if lacks_model else ways[measure]()
        if not isinstance(found, str):
            figures[measure] = found
        elif measures is not None:
            raise OptionError.must("measures", "be available for the model and X", measure, found)
    index = label_index(explanation.features, "feature")
    values = pd.DataFrame(figures, index)
    table = values.mask(values < 0, 0.0)
    table *= 100 / table.sum().replace(0, 100)  # shares with sum 100; 0 where nothing has importance
    correlations = {"pearson": table.corr()["impact"], "rank": table.corr("spearman")["impact"]}
    return Importances(table, pd.DataFrame(correlations).drop("impact").rename_axis("measure"), values)


def _choose_measures(measures: object, *, has_y: bool) -> list[Measure]:
    if measures is None:
        return [name for name in MEASURES if name != "loco" and (has_y or name not in _OF_SCORES)]
    named = [check_one_of("measures", name, MEASURES) for name in check_names("measures", measures)]
    if not has_y and {*named} & {*_OF_SCORES}:
        what = "be given for 'permutation' and 'loco'"
        raise OptionError.must("y", what, None, "Pass the target of the rows of X.")
    if "shap" in named and not HAS_SHAP:
        raise MissingPackageError.extra("The measure 'shap'", "SHAP", "shap")
    return [name for name in MEASURES if name in named]


# --- of the model itself, and of partial dependence -------------------------------------------------------


def _read_native(context: Context, results: Sequence[FeatureExplanation]) -> Array | str:
    """Return `feature_importances_`, or absolute coefficients.

    What a model sees of a feature, such as its one-hot columns, is added up; a reason if a transformer mixes features.
    """
    nothing = f"The model has no `feature_importances_` or `coef_` by feature. {_OTHER}"
    unwrapped = unwrap(context.predictor.model, context.predictor.response)
    inside = unwrapped.model
    given = read_attribute(inside, "feature_importances_")
    given = read_attribute(inside, "coef_") if given is None else given
    if given is None or callable(given):
        return nothing
    of_columns, output = np.abs(dense(given)), context.predictor.position
    if of_columns.ndim > 1:
        of_columns = of_columns[0 if len(of_columns) == 1 or output is None else output]
    rows = context.all_rows[:_MOST_TRANSFORMED]
    donors = np.random.default_rng(0).permutation(rows)
    start, moved = unwrapped.transform(context.table.take(rows)) if unwrapped.steps else None, []
    for result in results:
        positions = result._item.feature.positions
        if start is None:
            moved.append(np.isin(np.arange(len(context.columns.names)), positions))
        else:
            other = unwrapped.transform(context.table.crossed(rows, dict.fromkeys(positions, donors)))
            moved.append(((other != start) & ~(np.isnan(start) & np.isnan(other))).any(axis=0))
    parts = np.array(moved)
    if parts.shape[1] != len(of_columns) or (parts.sum(axis=0) > 1).any():
        return nothing
    return np.asarray(parts @ of_columns)


def _measure_partial_dependence(results: Sequence[FeatureExplanation]) -> Array:
    """Return the standard deviation of partial dependence over the grid, ddof=1; of levels without order, range / 4.

    Greenwell, Boehmke & McCarthy (2018), Eqs 2 and 3.
    """

    def spread(result: FeatureExplanation) -> float:
        mean = result.partial_dependence
        if len(mean) < 2:
            return 0.0
        return float(np.ptp(mean) / 4 if result._item.feature.is_unordered else mean.std(ddof=1))

    return np.array([spread(result) for result in results])


# --- of a score -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scored:
    """A model with a score on the rows whose target is known; larger is better.

    - `y`: (n_rows,) or (n_rows, n_outputs).
    - `scorer`: of scikit-learn, (model, X, y) -> float.
    - `can_be_fitted`: whether the model is the one that was fitted, not its explained output alone.
    """

    context: Context
    model: Any
    y: Values
    rows: Rows
    scorer: Callable[..., float]
    can_be_fitted: bool

    def _weights(self, at: Rows | slice) -> dict[str, Array]:
        weights = self.context.weights
        return {} if weights is None else {"sample_weight": weights[self.rows][at]}

    def score(self, model: Any, X: Any, at: Rows | slice = np.s_[:]) -> float:
        """Score a model on X with the target of some of the rows."""
        return float(
            self._call("was scored", lambda rows: self.scorer(model, rows, self.y[at], **self._weights(at)), X)
        )

    def fit_again(self, X: Any, at: Rows) -> Any:
        """Fit the model again, on X with the target of some of the rows."""
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        model = clone(self.model)
        weights = self._weights(at) if has_fit_parameter(model, "sample_weight") else {}
        return self._call("was fitted again", lambda rows: model.fit(rows, self.y[at], **weights), X)

    def _call(self, what: str, task: Callable[[Any], Any], X: Any) -> Any:
        try:
            return find_model_lock(unwrap(find_bound_object(self.model)).model).call(task, X)
        except (Cancelled, PredictionError):
            raise
        except Exception as error:
            raise PredictionError(
                f"The model failed while it {what}: {cause_of(error)}", "Check `y` and `scoring`."
            ) from error


def scored_of(explanation: Explanation, y: object, scoring: Any = None) -> Scored:
    """Return the model with its score on all rows; of the explained output where the model is no estimator of one."""
    from sklearn.base import is_classifier, is_regressor
    from sklearn.metrics import check_scoring, get_scorer_names

    context = explanation._context
    predictor, target = context.predictor, explanation._target(y)
    rows = np.flatnonzero(~np.isnan(target) & (context.row_weights > 0))
    model, values = predictor.model, np.asarray(y)
    is_one_of_several = len(predictor.outputs) > 1 and not predictor.of_classes
    is_estimator = hasattr(model, "predict") and (is_classifier(model) or is_regressor(model))
    is_itself = is_estimator and not is_one_of_several
    if not is_itself:
        model, values = _as_estimator(predictor.predict), target
        scoring = "r2" if scoring is None else scoring
    try:
        scorer = check_scoring(model, scoring)
    except (TypeError, ValueError):
        raise OptionError.must(
            "scoring", "be the name of a scorer of scikit-learn, or a function of (model, X, y)", scoring,
            "`sklearn.metrics.get_scorer_names()` lists them.", known=get_scorer_names(),
        ) from None  # fmt: skip
    return Scored(context, model, values[rows], rows, scorer, can_be_fitted=is_itself)


def _as_estimator(predict: Callable[[Any], Array]) -> Any:
    """Return the explained output as an estimator of numbers, for scorers of scikit-learn."""
    from sklearn.base import BaseEstimator, RegressorMixin

    class Explained(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> None: ...

        def predict(self, X: Any) -> Array:
            return predict(X)

    return Explained()


def _permute(scored: Scored, results: Sequence[FeatureExplanation], n_repeats: int) -> Array:
    """Return the mean fall of the score with each feature permuted, as by scikit-learn."""
    context, rows = scored.context, scored.rows
    context.prediction_check.check()
    seed = np.random.RandomState(context.settings.random_state % _SEEDS).randint(np.iinfo(np.int32).max + 1)
    base = scored.score(scored.model, context.table.take(rows))
    scores = np.empty((len(results), n_repeats))
    with progress_reporter(context.progress, len(rows) * scores.size) as report:
        for at, result in enumerate(results):
            generator = np.random.RandomState(seed)
            order, donors = np.arange(len(rows)), rows
            for repeat in range(n_repeats):
                generator.shuffle(order)
                donors = donors[order]
                X = context.table.crossed(rows, dict.fromkeys(result._item.feature.positions, donors))
                scores[at, repeat] = scored.score(scored.model, X)
                report(len(rows), len(rows), result.label)
    return np.asarray(base - scores.mean(axis=1))


def _leave_out(scored: Scored, results: Sequence[FeatureExplanation]) -> Array | str:
    """Return the fall of the cross-validated score of the model fitted again without each feature.

    A feature is left out by giving all rows the value of one: no model can learn from it, and pipelines that name their
    columns still find it.
    """
    from sklearn.base import is_classifier
    from sklearn.model_selection import KFold, StratifiedKFold

    if not scored.can_be_fitted:
        return f"LOCO fits the model again, so it needs an estimator of scikit-learn with one output. {_OTHER}"
    context, rows = scored.context, scored.rows
    context.prediction_check.check()
    kind = StratifiedKFold if is_classifier(scored.model) and scored.y.ndim == 1 else KFold
    splitter = kind(_N_FOLDS, shuffle=True, random_state=context.settings.random_state % _SEEDS)
    folds = list(splitter.split(np.zeros(len(rows)), scored.y))
    same = np.full(len(rows), rows[0])
    left_out = [("", ()), *((result.label, result._item.feature.positions) for result in results)]
    scores = np.empty((len(left_out), _N_FOLDS))
    with progress_reporter(context.progress, len(rows) * len(left_out)) as report:
        for at, (label, positions) in enumerate(left_out):
            for fold, (train, test) in enumerate(folds):
                X_train, X_test = (
                    context.table.crossed(rows[part], dict.fromkeys(positions, same[part])) for part in (train, test)
                )
                scores[at, fold] = scored.score(scored.fit_again(X_train, train), X_test, test)
                report(len(test), len(test), label)
    means = scores.mean(axis=1)
    return np.asarray(means[0] - means[1:])


# --- of SHAP ----------------------------------------------------------------------------------------------


def _measure_shap(context: Context, results: Sequence[FeatureExplanation]) -> Array | str:
    """Return the mean absolute SHAP value of each feature, for the output that is explained.

    Interventional, by permutation sampling: 200 rows against 50, stratified by the prediction.
    """
    if not HAS_SHAP:
        return str(MissingPackageError.extra("The measure 'shap'", "SHAP", "shap"))
    columns = context.columns
    if any(column.kind == "other" for column in columns.read):
        return f"SHAP needs columns of numbers, categories, texts, dates or durations; X has others. {_OTHER}"
    import shap

    features = [columns.feature(number) for number in columns.in_order]
    values = np.column_stack([feature.values for feature in features])
    explained, background = (
        context.draw(context.all_predictions, context.weighted_rows, size, name, by_weight=True)
        for name, size in (("SHAP", _N_EXPLAINED), ("background of SHAP", _N_BACKGROUND))
    )
    context.prediction_check.check()
    n_masks = 2 * (2 * len(features) + 1)  # of each row: two permutations, forward and backward
    n_rows = context.table.n_observations
    n_calls = n_masks * min(_N_EXPLAINED, n_rows) * min(_N_BACKGROUND, n_rows)
    masker = shap.maskers.Independent(values[background], max_samples=_N_BACKGROUND)
    state = np.random.get_state()  # noqa: NPY002 - of the user; SHAP seeds the same generator
    try:
        with progress_reporter(context.progress, n_calls) as report:

            def predict(points: Array) -> Array:
                moved = Points(features, np.asarray(points, np.float64))
                rows = np.full(len(points), explained[0])  # of which nothing is left
                report(len(points), len(points), "SHAP")
                return np.asarray(context.brute.evaluate(moved, rows, moved.coordinates[:, None])[:, 0])

            explainer = shap.explainers.Permutation(predict, masker, seed=context.settings.random_state % _SEEDS)
            of_rows = explainer(values[explained], max_evals=n_masks, silent=True).values
    finally:
        np.random.set_state(state)  # noqa: NPY002
    by_number = dict(zip(columns.in_order, np.abs(of_rows).mean(axis=0), strict=True))
    return np.array([by_number[result._item.feature.position] for result in results])
