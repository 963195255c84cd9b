"""Measures of importance: their names, shares, correlations, notes, and the score of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.beyond.correlations import correlated
from ice_explorer.beyond.importances import Scored
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

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


def dependences(explanation: Explanation) -> Generator[float, None, list[str]]:
    """Note features that depend strongly on others, in pieces."""
    context, pairs = explanation._context, {}
    n_rows = explanation._n_observations
    rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_CORRELATED)).astype(int)
    for at, result in enumerate(explanation.values(), 1):
        strongest = correlated(context, result._item.feature, 1, rows)
        if len(strongest) and abs(strongest["correlation"].iloc[0]) >= _STRONG:
            pairs[frozenset((result.label, strongest.index[0]))] = abs(float(strongest["correlation"].iloc[0]))
        yield at / len(explanation)
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
    """Return the model with its score on all rows.

    The score is that of the explained output where the model is no estimator of one.
    """
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
