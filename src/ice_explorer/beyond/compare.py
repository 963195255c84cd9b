"""Impact beside other measures of importance, each as a share of 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.beyond import importances
from ice_explorer.beyond.correlations import correlated
from ice_explorer.beyond.importances import Scored
from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.errors import InvalidOptionError, MissingDependencyError
from ice_explorer.errors.base import listed
from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.results.explanation_result import ExplanationResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.table import Name

    Array = NDArray[np.float64]

Measure = Literal["native", "permutation", "partial_dependence", "shap", "loco"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
Form = Literal["difference", "ratio", "relative"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)

_OF_SCORES: Final = ("permutation", "loco")
_N_REPEATS: Final = 5
_MOST_CORRELATED: Final = 1000  # rows that tell which features depend on others
_STRONG: Final = 0.7  # correlation, from which on a note is worth it
_UNLIKE: Final = 2.0  # ratio of standard deviations of columns, from which on their coefficients are in other units


@dataclass(frozen=True, eq=False)
class Comparison:
    """Impact beside other measures of importance; `ice_explorer.compare` describes it."""

    table: pd.DataFrame
    correlations: pd.DataFrame
    disagreements: pd.DataFrame
    importances: pd.DataFrame
    groups: pd.DataFrame | None
    notes: list[str]

    def __repr__(self) -> str:
        measures = ", ".join(self.correlations.index)
        return f"<Comparison of the impact of {len(self.table)} features with {measures}>"

    def _repr_html_(self) -> str:
        return str(self.table.round(1).to_html())


@dataclass(frozen=True)
class _Scores:
    """A score of the model, and those with features moved, by repeat."""

    base: float
    moved: Array

    @property
    def drops(self) -> Array:
        """Importance of each feature: how far the score falls, on average."""
        return np.asarray(self.base - self.moved.mean(axis=1))

    def by(self, form: Form) -> Array:
        """Importance of each feature and repeat."""
        if form == "difference":
            return np.asarray(self.base - self.moved)
        if self.base >= 0:
            raise InvalidOptionError.must(
                "form", "be 'difference' unless `scoring` is a loss", form,
                "Pass for example `scoring='neg_mean_squared_error'`.", where=f" with a score of {self.base:.4g}",
            )  # fmt: skip
        return np.asarray(self.moved / self.base if form == "ratio" else (self.base - self.moved) / -self.base)


@short_traceback
def compare(
    explanation: ExplanationResult,
    y: object = None,
    measures: Sequence[Measure] | Measure | None = None,
    *,
    scoring: str | Callable[..., float] | None = None,
    form: Form = "difference",
    n_repeats: int = _N_REPEATS,
    groups: Mapping[Name, Sequence[Name]] | None = None,
) -> Comparison:
    """Compare impact with other measures of importance, as `ice_explorer.compare` describes."""
    import pandas as pd

    if not isinstance(explanation, ExplanationResult):
        raise InvalidOptionError.must("explanation", "be an explanation", explanation, "Pass the result of `explain`.")
    check_one_of("form", form, FORMS)
    check_integer("n_repeats", n_repeats, 1, f"Leave it out for {_N_REPEATS}.")
    results, notes = list(explanation), _dependences(explanation)
    members = {} if groups is None else _members(explanation, groups)
    wanted = _chosen(measures, has_y=y is not None)
    positions = {result.label: result._item.feature.positions for result in results}
    scored = _scored(explanation, y, scoring) if {*wanted} & {*_OF_SCORES} else None
    found: dict[str, Array] = {}
    of_groups: dict[str, Array] = {}
    shares: dict[str, Array] = {"impact": explanation.table(sort_by=None)["impact"].to_numpy(np.float64)}
    for measure in wanted:
        if measure in _OF_SCORES and scored is not None:
            scores = _scores(measure, scored, {**positions, **members}, n_repeats)
            by_form, n_features = scores.by(form), len(results)
            found[measure], of_groups[measure] = np.split(by_form.mean(axis=1), [n_features])
            shares[measure] = scores.drops[:n_features]
            if measure == "permutation":
                found["permutation_sd"], of_groups["permutation_sd"] = np.split(by_form.std(axis=1), [n_features])
        elif (importance := _importance(measure, explanation, notes, is_named=measures is not None)) is not None:
            found[measure] = shares[measure] = importance
    index = pd.Index(explanation.features, name="feature", tupleize_cols=False)
    table = pd.DataFrame({name: _of_hundred(values) for name, values in shares.items()}, index)
    return Comparison(
        table,
        _correlations(table),
        _disagreements(table),
        pd.DataFrame(found, index),
        pd.DataFrame(of_groups, pd.Index(list(groups), name="group", tupleize_cols=False)) if groups else None,
        notes,
    )


def _chosen(measures: object, *, has_y: bool) -> list[Measure]:
    """Return the measures in their order."""
    if measures is None:
        return [name for name in MEASURES if name != "loco" and (has_y or name not in _OF_SCORES)]
    named = [check_one_of("measures", name, MEASURES) for name in check_names("measures", measures)]
    if not has_y and {*named} & {*_OF_SCORES}:
        what = "be given for 'permutation' and 'loco'"
        raise InvalidOptionError.must("y", what, None, "Pass the target of the rows of X.")
    if "shap" in named and not importances.HAS_SHAP:
        what = "The measure 'shap'"
        raise MissingDependencyError.extra(what, "SHAP", "shap")
    return [name for name in MEASURES if name in named]


def _members(explanation: ExplanationResult, groups: object) -> dict[str, tuple[int, ...]]:
    """Return the columns of each group of features, by a name that no feature has."""
    if not isinstance(groups, Mapping):
        advice = 'Pass for example {"weather": ["temp", "hum"]}.'
        raise InvalidOptionError.must("groups", "be a mapping of names to lists of features", groups, advice)
    return {
        f"group {name}": tuple(
            position
            for feature in check_names("groups", features)
            for position in explanation[feature]._item.feature.positions
        )
        for name, features in groups.items()
    }


def _as_estimator(predict: Callable[[Any], Array]) -> Any:
    """Return the explained output as an estimator of numbers, for scorers of scikit-learn."""
    from sklearn.base import BaseEstimator, RegressorMixin

    class Explained(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> None: ...

        def predict(self, X: Any) -> Array:
            return predict(X)

    return Explained()


def _scored(explanation: ExplanationResult, y: object, scoring: Any) -> Scored:
    """Return the model with its score: that of the explained output where the model is no estimator of one."""
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
        raise InvalidOptionError.must(
            "scoring", "be the name of a scorer of scikit-learn, or a function of (model, X, y)", scoring,
            "`sklearn.metrics.get_scorer_names()` lists them.", known=get_scorer_names(),
        ) from None  # fmt: skip
    return Scored(context, model, values[rows], rows, scorer, can_be_fitted=is_itself)


def _scores(measure: str, scored: Scored, moved: Mapping[str, tuple[int, ...]], n_repeats: int) -> _Scores:
    if measure == "permutation":
        return _Scores(*importances.permutation(scored, moved, n_repeats))
    if not scored.can_be_fitted:
        raise InvalidOptionError.must(
            "measures", "leave out 'loco' unless the model is an estimator of scikit-learn with one output", "loco",
            "Leave it out.",
        )  # fmt: skip
    base, scores = importances.leave_out(scored, moved)
    return _Scores(base, scores[:, None])


def _importance(measure: str, explanation: ExplanationResult, notes: list[str], *, is_named: bool) -> Array | None:
    """Return a measure that takes no target; None where the model does not have it."""
    context, results = explanation._context, list(explanation)
    if measure == "partial_dependence":
        return importances.of_partial_dependence(results)
    if measure == "shap":
        can_move = all(column.kind != "other" for column in context.columns.read)
        if importances.HAS_SHAP and (can_move or is_named):
            return importances.mean_absolute_shap(context, results)
        return None
    found = importances.native(context, results)
    if found is None:
        if is_named:
            raise InvalidOptionError.must(
                "measures", "leave out 'native' for a model without `feature_importances_` or `coef_` by feature",
                measure, "Leave it out.",
            )  # fmt: skip
        return None
    importance, are_coefficients = found
    scales = np.array([result.scale for result in results if result.scale > 0])
    if are_coefficients and len(scales) and scales.max() > _UNLIKE * scales.min():
        notes.append("Coefficients depend on the units of their columns: compare those of standardised columns.")
    return importance


def _dependences(explanation: ExplanationResult) -> list[str]:
    """Note features that depend strongly on others."""
    context, pairs = explanation._context, {}
    rows = np.linspace(0, explanation.n_observations - 1, min(explanation.n_observations, _MOST_CORRELATED)).astype(int)
    for result in explanation:
        strongest = correlated(context, result._item.feature, 1, rows)
        if len(strongest) and abs(strongest["correlation"].iloc[0]) >= _STRONG:
            pairs[frozenset((result.label, strongest.index[0]))] = abs(float(strongest["correlation"].iloc[0]))
    if not pairs:
        return []
    shown = [" and ".join(sorted(pair)) for pair in sorted(pairs, key=lambda pair: -pairs[pair])]
    note = (
        f"These features depend strongly on each other (correlation of at least {_STRONG}): {listed(shown, 3)}. "
        "Permuting one makes rows that do not occur; without one, a refitted model uses the other."
    )
    return [note]


def _of_hundred(importance: Array) -> Array:
    """Return shares with sum 100; 0 where nothing has importance."""
    positive = np.where(importance < 0, 0.0, importance)
    total = np.nansum(positive)
    return positive if total == 0 else np.asarray(100 * positive / total)


def _correlations(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    others = table.drop(columns="impact")
    found = {name: _pearson_and_rank(table["impact"], others[name]) for name in others}
    columns = ["pearson", "rank"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns).rename_axis("measure")


def _pearson_and_rank(first: pd.Series, second: pd.Series) -> tuple[float, float]:
    """Return both correlations over the features that have both; NaN where one is constant."""
    known = first.notna() & second.notna()
    pairs = ((first[known], second[known]), (first[known].rank(), second[known].rank()))
    pearson, rank = (
        float(np.corrcoef(one, other)[0, 1]) if len(one) and min(np.ptp(one), np.ptp(other)) > 0 else np.nan
        for one, other in ((a.to_numpy(), b.to_numpy()) for a, b in pairs)
    )
    return pearson, rank


def _disagreements(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "feature": table.index,
                "measure": name,
                "impact": table["impact"].to_numpy(),
                "importance": table[name].to_numpy(),
                "difference": (table["impact"] - table[name]).to_numpy(),
            }
        )
        for name in table.columns.drop("impact")
    ]
    columns = ["feature", "measure", "impact", "importance", "difference"]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return found.sort_values("difference", key=lambda values: -values.abs(), kind="stable", ignore_index=True)
