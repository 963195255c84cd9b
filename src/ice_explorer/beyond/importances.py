"""Impact beside other measures of importance: of the model itself, of partial dependence, of a score, of SHAP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.drivers.candidates import correlated
from ice_explorer.errors import Cancelled, MissingPackageError, OptionError, PredictionError
from ice_explorer.errors.base import cause_of, listed
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.features.points import Points
from ice_explorer.locks import find_bound_object, lock_of_model
from ice_explorer.models.pipeline import dense, unwrap
from ice_explorer.progress import progress_reporter
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.engines.context import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name

    Columns = dict[str, tuple[int, ...]]  # that move together, by a label

Form = Literal["difference", "ratio", "relative"]
Measure = Literal["native", "permutation", "partial_dependence", "shap", "loco"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
N_REPEATS: Final = 5
HAS_SHAP: Final = find_spec("shap") is not None

_OF_SCORES: Final = ("permutation", "loco")
_N_FOLDS: Final = 5
_N_EXPLAINED: Final = 200  # rows of SHAP, and of its background
_N_BACKGROUND: Final = 50
_MOST_TRANSFORMED: Final = 2000  # rows that tell which columns a model sees of a feature
_MOST_CORRELATED: Final = 1000  # rows that tell which features depend on others
_STRONG: Final = 0.7  # correlation, from which on a note is worth it
_UNLIKE: Final = 2.0  # ratio of standard deviations of columns, from which on their coefficients are in other units
_SEEDS: Final = 1 << 32  # of scikit-learn
_OTHER: Final = "Choose another measure."
_NO_MODEL: Final = f"This measure needs the model; the explanation was opened from a file, which holds none. {_OTHER}"


@short_tracebacks
@dataclass(frozen=True, eq=False)
class Importances:
    """Impact beside other measures of importance.

    Attributes
    ----------
    table : DataFrame
        One row per feature, `impact` and one column per measure, each with sum 100: negative importances count as 0.
    correlations : DataFrame
        One row per measure: its `pearson` and `rank` (Spearman) correlation with impact over the features.
    disagreements : DataFrame
        One row per feature and measure, the largest difference first: `feature`, `measure`, the shares `impact` and
        `importance`, and `difference`, impact minus importance.
    importances : DataFrame
        One row per feature, one column per measure, in its own unit, and `permutation_sd`, the standard deviation over
        repeats; permutation and LOCO by `form`.
    groups : DataFrame or None
        The same by permutation and LOCO of each declared group of features, moved together.
    notes : list of str
        What limits the comparison.
    """

    table: pd.DataFrame
    correlations: pd.DataFrame
    disagreements: pd.DataFrame
    importances: pd.DataFrame
    groups: pd.DataFrame | None
    notes: list[str]

    def __repr__(self) -> str:
        measures = ", ".join(self.correlations.index)
        return f"<Importances: the impact of {len(self.table)} features with {measures}>"

    def _repr_html_(self) -> str:
        return str(self.table.round(1).to_html())


def importances(
    explanation: Explanation,
    y: object,
    measures: Sequence[Measure] | Measure | None,
    *,
    scoring: str | Callable[..., float] | None,
    form: Form,
    n_repeats: int,
    groups: Mapping[Name, Sequence[Name]] | None,
) -> Importances:
    """Compare impact with other measures of importance, as `Explanation.importances` describes."""
    import pandas as pd

    check_one_of("form", form, get_args(Form))
    check_integer("n_repeats", n_repeats, 1, f"Leave it out for {N_REPEATS}.")
    results, context = list(explanation.values()), explanation._context
    moved: Columns = {result.label: result._item.feature.positions for result in results}
    for name, members in _check_groups(groups).items():
        positions = [explanation[member]._item.feature.positions for member in check_names("groups", members)]
        moved[f"group {name}"] = sum(positions, ())  # a name that no feature has
    wanted, notes = _choose_measures(measures, has_y=y is not None), _note_dependences(explanation)
    ways: dict[str, Callable[[], Array | tuple[float, Array] | str]] = {
        "native": lambda: _read_native(context, results, notes),
        "permutation": lambda: _permute(scored_of(explanation, y, scoring), moved, n_repeats),
        "partial_dependence": lambda: _measure_partial_dependence(results),
        "shap": lambda: _measure_shap(context, results),
        "loco": lambda: _leave_out(scored_of(explanation, y, scoring), moved),
    }
    shares = {"impact": explanation.table(rank_by=None)["impact"].to_numpy(np.float64)}
    of_features: dict[str, Array] = {}
    of_groups: dict[str, Array] = {}
    for measure in wanted:
        # A figure of each feature, or a score and those without each, (n_moved, n_repeats), or why there is none.
        lacks_model = context.origin is not None and measure != "partial_dependence"
        found = _NO_MODEL if lacks_model else ways[measure]()
        if isinstance(found, str):
            if measures is None:
                continue
            raise OptionError.must("measures", "be available for the model and X", measure, found)
        if isinstance(found, tuple):
            by_repeat = _in_form(*found, form)
            of_features[measure], of_groups[measure] = np.split(by_repeat.mean(axis=1), [len(results)])
            if measure == "permutation":
                sd = f"{measure}_sd"
                of_features[sd], of_groups[sd] = np.split(by_repeat.std(axis=1), [len(results)])
            shares[measure] = np.asarray(found[0] - found[1].mean(axis=1))[: len(results)]
        else:
            of_features[measure] = shares[measure] = found
    index = label_index(explanation.features, "feature")
    table = pd.DataFrame({name: np.where(values < 0, 0.0, values) for name, values in shares.items()}, index)
    table *= 100 / table.sum().replace(0, 100)  # shares with sum 100; 0 where nothing has importance
    correlations = {"pearson": table.corr()["impact"], "rank": table.corr("spearman")["impact"]}
    long = table.rename_axis("feature").reset_index()
    long = long.melt(["feature", "impact"], var_name="measure", value_name="importance")
    long["difference"] = long["impact"] - long["importance"]
    long = long[["feature", "measure", "impact", "importance", "difference"]]
    return Importances(
        table,
        pd.DataFrame(correlations).drop("impact").rename_axis("measure"),
        long.sort_values("difference", key=lambda values: -values.abs(), kind="stable", ignore_index=True),
        pd.DataFrame(of_features, index),
        pd.DataFrame(of_groups, label_index(list(groups), "group")) if groups else None,
        notes,
    )


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


def _check_groups(groups: object) -> Mapping[Any, Any]:
    if groups is None or isinstance(groups, Mapping):
        return groups or {}
    advice = 'Pass for example {"weather": ["temp", "hum"]}.'
    raise OptionError.must("groups", "be a mapping of names to lists of features", groups, advice)


def _note_dependences(explanation: Explanation) -> list[str]:
    pairs: dict[str, float] = {}
    n_rows = explanation._n_observations
    rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_CORRELATED)).astype(int)
    for result in explanation.values():
        strongest = correlated(explanation._context, result._item.feature, 1, rows)["correlation"].abs()
        if len(strongest) and strongest.iloc[0] >= _STRONG:
            pairs[" and ".join(sorted((result.label, str(strongest.index[0]))))] = strongest.iloc[0]
    strongest_first = sorted(pairs, key=pairs.__getitem__, reverse=True)
    note = (
        f"These features depend strongly on each other (correlation of at least {_STRONG}): "
        f"{listed(strongest_first, 3)}. "
        "Permuting one makes rows that do not occur; without one, a refitted model uses the other."
    )
    return [note] if pairs else []


# --- of the model itself, and of partial dependence -------------------------------------------------------


def _read_native(context: Context, results: Sequence[FeatureExplanation], notes: list[str]) -> Array | str:
    """Return `feature_importances_`, or absolute coefficients with a note where these are in units that differ.

    What a model sees of a feature, such as its one-hot columns, is added up; a reason if a transformer mixes features.
    """
    nothing = f"The model has no `feature_importances_` or `coef_` by feature. {_OTHER}"
    unwrapped = unwrap(context.predictor.model, context.predictor.response)
    inside = unwrapped.model
    are_coefficients = not hasattr(inside, "feature_importances_")
    given = getattr(inside, "coef_" if are_coefficients else "feature_importances_", None)
    if given is None or callable(given):
        return nothing
    of_columns, output = np.abs(dense(given)), context.predictor.position
    if of_columns.ndim > 1:
        of_columns = of_columns[0 if len(of_columns) == 1 or output is None else output]
    rows = context.everything[:_MOST_TRANSFORMED]
    donors = np.random.default_rng(0).permutation(rows)
    transform, moved = unwrapped.transform, []
    start = None if transform is None else transform(context.table.take(rows))
    for result in results:
        positions = result._item.feature.positions
        if transform is None or start is None:
            moved.append(np.isin(np.arange(len(context.columns.names)), positions))
        else:
            other = np.asarray(transform(context.table.crossed(rows, dict.fromkeys(positions, donors))))
            moved.append(((other != start) & ~(np.isnan(start) & np.isnan(other))).any(axis=0))
    parts = np.array(moved)
    if parts.shape[1] != len(of_columns) or (parts.sum(axis=0) > 1).any():
        return nothing
    scales = np.array([result.scale for result in results if result.scale > 0])
    if are_coefficients and len(scales) and scales.max() > _UNLIKE * scales.min():
        notes.append("Coefficients depend on the units of their columns: compare those of standardised columns.")
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
        """Do something with the model while nothing else calls it."""
        try:
            return lock_of_model(unwrap(find_bound_object(self.model)).model).call(task, X)
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


def _permute(scored: Scored, moved: Columns, n_repeats: int) -> tuple[float, Array]:
    """Return the score, and scores with columns permuted as by scikit-learn, (n_moved, n_repeats)."""
    context, rows = scored.context, scored.rows
    context.prediction_check.check()
    seed = np.random.RandomState(context.settings.random_state % _SEEDS).randint(np.iinfo(np.int32).max + 1)
    base = scored.score(scored.model, context.table.take(rows))
    scores = np.empty((len(moved), n_repeats))
    with progress_reporter(context.progress, len(rows) * scores.size) as report:
        for at, (label, positions) in enumerate(moved.items()):
            generator = np.random.RandomState(seed)
            order, donors = np.arange(len(rows)), rows
            for repeat in range(n_repeats):
                generator.shuffle(order)
                donors = donors[order]
                X = context.table.crossed(rows, dict.fromkeys(positions, donors))
                scores[at, repeat] = scored.score(scored.model, X)
                report(len(rows), len(rows), label)
    return base, scores


def _leave_out(scored: Scored, moved: Columns) -> tuple[float, Array] | str:
    """Return the cross-validated score of the model fitted again, and those without each feature, (n_moved, 1).

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
    left: dict[str, tuple[int, ...]] = {"": (), **moved}
    scores = np.empty((len(left), _N_FOLDS))
    with progress_reporter(context.progress, len(rows) * len(left)) as report:
        for at, (label, positions) in enumerate(left.items()):
            for fold, (train, test) in enumerate(folds):
                X_train, X_test = (
                    context.table.crossed(rows[part], dict.fromkeys(positions, same[part])) for part in (train, test)
                )
                scores[at, fold] = scored.score(scored.fit_again(X_train, train), X_test, test)
                report(len(test), len(test), label)
    means = scores.mean(axis=1)
    return float(means[0]), means[1:, None]


def _in_form(base: float, moved: Array, form: Form) -> Array:
    if form == "difference":
        return np.asarray(base - moved)
    if base >= 0:
        raise OptionError.must(
            "form", "be 'difference' unless `scoring` is a loss", form,
            "Pass for example `scoring='neg_mean_squared_error'`.", where=f" with a score of {base:.4g}",
        )  # fmt: skip
    return np.asarray(moved / base if form == "ratio" else (base - moved) / -base)


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
    numbers, total = _GlobalNumbers(), np.zeros(len(features))
    with progress_reporter(context.progress, n_calls) as report:

        def predict(points: Array) -> Array:
            moved = Points(features, np.asarray(points, np.float64))
            rows = np.full(len(points), explained[0])  # of which nothing is left
            report(len(points), len(points), "SHAP")
            return np.asarray(context.brute.evaluate(moved, rows, moved.coordinates[:, None])[:, 0])

        with numbers:
            explainer = shap.explainers.Permutation(predict, masker, seed=context.settings.random_state % _SEEDS)
        for row in explained:
            with numbers:
                of_row = explainer(values[[row]], max_evals=n_masks, silent=True).values
            total += np.abs(of_row[0])
    by_number = dict(zip(columns.in_order, total / len(explained), strict=True))
    return np.array([by_number[result._item.feature_number] for result in results])


class _GlobalNumbers:
    """NumPy's global random numbers while SHAP seeds and draws them; the user's are restored afterwards."""

    def __init__(self) -> None:
        self._own: Any = None

    def __enter__(self) -> None:
        self._others = np.random.get_state()  # noqa: NPY002 - what SHAP draws from
        if self._own is not None:
            np.random.set_state(self._own)  # noqa: NPY002

    def __exit__(self, *_error: object) -> None:
        self._own = np.random.get_state()  # noqa: NPY002
        np.random.set_state(self._others)  # noqa: NPY002
