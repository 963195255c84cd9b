"""One measure of importance: of the model, by a score, by partial dependence or by SHAP."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.beyond import importances
from ice_explorer.beyond.correlations import correlated
from ice_explorer.beyond.importances import Scored
from ice_explorer.errors import MissingPackageError, OptionError
from ice_explorer.errors.base import listed
from ice_explorer.progress import progress_reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation

Measure = Literal["native", "permutation", "partial_dependence", "shap", "loco"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
OF_SCORES: Final = ("permutation", "loco")
N_REPEATS: Final = 5

_MOST_CORRELATED: Final = 1000  # rows that tell which features depend on others
_STRONG: Final = 0.7  # correlation, from which on a note is worth it
_UNLIKE: Final = 2.0  # ratio of standard deviations of columns, from which on their coefficients are in other units


@dataclass(frozen=True, eq=False)
class Measured:
    """A measure of importance of all features.

    - `importance` (n_features,): in its own unit.
    - `base`, `moved` (n_features + n_groups, n_repeats): score of the model, and scores without each feature and group.
    - `notes`: what limits the comparison with impact.
    """

    importance: Array
    base: float = math.nan
    moved: Array = field(default_factory=lambda: np.empty((0, 0)))
    notes: tuple[str, ...] = ()


def measure_importance(
    explanation: Explanation,
    measure: Measure,
    y: object,
    *,
    scoring: Any = None,
    n_repeats: int = N_REPEATS,
    groups: Mapping[str, tuple[int, ...]],
) -> Measured | str:
    """Compute a measure, of `groups` of columns moved together as well; or return what is missing for it."""
    context, results = explanation._context, list(explanation.values())
    if context.origin is not None and measure != "partial_dependence":
        return _OPENED
    if measure == "partial_dependence":
        return Measured(importances.of_partial_dependence(results))
    if measure == "native":
        found = importances.native(context, results)
        if found is None:
            return f"The model has no `feature_importances_` or `coef_` by feature. {_OTHER}"
        importance, are_coefficients = found
        return Measured(importance, notes=tuple(notes_on_coefficients(results)) if are_coefficients else ())
    if measure == "shap":
        return _shap(explanation)
    return _by_score(explanation, measure, scored_of(explanation, y, scoring), n_repeats, groups)


def _by_score(
    explanation: Explanation, measure: Measure, scored: Scored, n_repeats: int, groups: Mapping[str, tuple[int, ...]]
) -> Measured | str:
    results = list(explanation.values())
    moved = {result.label: result._item.feature.positions for result in results} | dict(groups)
    if measure == "loco" and not scored.can_be_fitted:
        return f"LOCO fits the model again, so it needs an estimator of scikit-learn with one output. {_OTHER}"
    n_calls = len(scored.rows) * (len(moved) * n_repeats if measure == "permutation" else 1 + len(moved))
    with progress_reporter(explanation._context.progress, n_calls) as report:
        if measure == "permutation":
            base, scores = importances.permutation(scored, moved, n_repeats, report)
        else:
            base, scores = importances.leave_out(scored, moved, report)
    return Measured(np.asarray(base - scores.mean(axis=1))[: len(results)], base, scores)


def _shap(explanation: Explanation) -> Measured | str:
    context = explanation._context
    if not importances.HAS_SHAP:
        return str(MissingPackageError.extra("The measure 'shap'", "SHAP", "shap"))
    if any(column.kind == "other" for column in context.columns.read):
        return f"SHAP needs columns of numbers, categories, texts, dates or durations; X has others. {_OTHER}"
    n_explained = min(importances.N_EXPLAINED, explanation._n_observations)
    n_background = min(importances.N_BACKGROUND, explanation._n_observations)
    n_calls = importances.n_masks_of(len(context.columns.in_order)) * n_explained * n_background
    with progress_reporter(context.progress, n_calls) as report:
        return Measured(importances.mean_absolute_shap(context, list(explanation.values()), report))


_OTHER: Final = "Choose another measure."
_OPENED: Final = f"This measure needs the model; the explanation was opened from a file, which holds none. {_OTHER}"


def of_hundred(importance: Array) -> Array:
    """Return shares with sum 100; 0 where nothing has importance."""
    positive = np.where(importance < 0, 0.0, importance)
    total = np.nansum(positive)
    return positive if total == 0 else np.asarray(100 * positive / total)


def pearson_and_rank(first: Array, second: Array) -> tuple[float, float]:
    """Return both correlations over the features that have both; NaN where one is constant."""
    known = ~(np.isnan(first) | np.isnan(second))
    pairs = ((first[known], second[known]), (_ranks(first[known]), _ranks(second[known])))
    pearson, rank = (
        float(np.corrcoef(one, other)[0, 1]) if len(one) and min(np.ptp(one), np.ptp(other)) > 0 else np.nan
        for one, other in pairs
    )
    return pearson, rank


def _ranks(values: Array) -> Array:
    """Return ranks, of equal values their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse])


def notes_on_coefficients(results: Sequence[FeatureExplanation]) -> list[str]:
    """Note that coefficients are in units that differ."""
    scales = np.array([result.scale for result in results if result.scale > 0])
    if not len(scales) or scales.max() <= _UNLIKE * scales.min():
        return []
    return ["Coefficients depend on the units of their columns: compare those of standardised columns."]


def dependences(explanation: Explanation) -> list[str]:
    """Note features that depend strongly on others."""
    context, pairs = explanation._context, {}
    n_rows = explanation._n_observations
    rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_CORRELATED)).astype(int)
    for result in explanation.values():
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


def _as_estimator(predict: Callable[[Any], Array]) -> Any:
    """Return the explained output as an estimator of numbers, for scorers of scikit-learn."""
    from sklearn.base import BaseEstimator, RegressorMixin

    class Explained(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> None: ...

        def predict(self, X: Any) -> Array:
            return predict(X)

    return Explained()


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
