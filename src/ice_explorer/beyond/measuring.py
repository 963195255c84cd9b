"""One measure of importance, computed in pieces as an explorer requests it, and what `importances` shares with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.beyond import importances
from ice_explorer.beyond.correlations import correlated
from ice_explorer.beyond.importances import Scored
from ice_explorer.errors import MissingPackageError, OptionError
from ice_explorer.errors.base import listed
from ice_explorer.features.grid import feature_seed
from ice_explorer.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ice_explorer.arrays import Array
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation


Measure = Literal["native", "permutation", "partial_dependence", "shap", "loco"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
OF_SCORES: Final = ("permutation", "loco")
N_REPEATS: Final = 5

_NEARLY_ALL: Final = 0.99  # before the result of the last piece is there
_MOST_SCORED: Final = 2000  # rows in an explorer, so that a piece is short
_MOST_CORRELATED: Final = 1000  # rows that tell which features depend on others
_STRONG: Final = 0.7  # correlation, from which on a note is worth it
_UNLIKE: Final = 2.0  # ratio of standard deviations of columns, from which on their coefficients are in other units


class Measuring:
    """A measure of importance as far as it is computed.

    Attributes
    ----------
    measure : str
    features : list
        Names of the features, in the order of `importance`.
    share_done : float
        1 where all is computed, also where the model or the data do not have the measure.
    n_rows : int
        Rows that it is computed on.
    importance : ndarray of shape (n_features,) or None
        In its own unit; None before all is computed, and where `problem` says why there is none.
    are_coefficients : bool
        Whether "native" is the absolute coefficients of the model.
    problem : str
        What is missing, and what to do, in two sentences; empty where nothing is.
    notes : list of str
        What limits the comparison with impact.
    """

    def __init__(self, explanation: Explanation, measure: Measure, y: object) -> None:
        self.measure = measure
        self.features = explanation.features
        self.share_done = 0.0
        self.n_rows = explanation._n_observations
        self.importance: Array | None = None
        self.are_coefficients = False
        self.notes: list[str] = []
        self._explanation, self._y = explanation, y
        self._steps: Generator[float, None, Array | None] | None = None
        self._lock = Lock()
        is_opened = explanation._context.origin is not None
        self.problem = _OPENED if is_opened and measure != "partial_dependence" else self._problem()
        if self.problem:
            self.share_done = 1.0

    @property
    def shares(self) -> Array | None:
        """Importances with sum 100; negative ones count as 0."""
        return None if self.importance is None else of_hundred(self.importance)

    def advance(self) -> bool:
        """Compute the next piece, and return whether all is computed."""
        with self._lock:
            if self.share_done == 1:
                return True
            self._explanation._context.prediction_check.check()
            if self._steps is None:
                self._steps = self._all_steps()
                self.notes = []
            try:
                self.share_done = max(self.share_done, min(next(self._steps), _NEARLY_ALL))
            except StopIteration as end:
                self.importance, self.share_done, self._steps = end.value, 1.0, None
            except Exception:
                self._steps, self.share_done = None, 0.0  # the next call begins anew
                raise
            return self.share_done == 1

    def complete(self) -> Measuring:
        """Compute all that is not computed yet."""
        while not self.advance():
            pass
        return self

    def _problem(self) -> str:
        columns = self._explanation._context.columns
        if self.measure in OF_SCORES and self._y is None:
            return f"{_NAMES[self.measure]} needs the observed target. Call `ICEExplorer(model, X, y)`."
        if self.measure == "loco" and not scored_of(self._explanation, self._y).can_be_fitted:
            return "LOCO fits the model again, so it needs an estimator of scikit-learn with one output. " + _OTHER
        if self.measure != "shap":
            return ""
        if not importances.HAS_SHAP:
            return str(MissingPackageError.extra("The measure 'shap'", "SHAP", "shap"))
        if any(column.kind == "other" for column in columns.read):
            return "SHAP needs columns of numbers, categories, texts, dates or durations; X has others. " + _OTHER
        return ""

    def _all_steps(self) -> Generator[float, None, Array | None]:
        context, results = self._explanation._context, list(self._explanation.values())
        if self.measure == "partial_dependence":
            yield 0.0
            return importances.of_partial_dependence(results)
        if self.measure == "shap":
            self.n_rows = min(importances.N_EXPLAINED, self._explanation._n_observations)
            return (yield from importances.mean_absolute_shap(context, results, _unreported))
        if self.measure == "native":
            found = yield from importances.native(context, results)
            if found is None:
                self.problem = "The model has no `feature_importances_` or `coef_` by feature. " + _OTHER
                return None
            importance, self.are_coefficients = found
            self.notes = notes_on_coefficients(results) if self.are_coefficients else []
            return importance
        return (yield from self._of_score())

    def _of_score(self) -> Generator[float, None, Array]:
        scored = scored_of(self._explanation, self._y, most=_MOST_SCORED)
        self.n_rows = len(scored.rows)
        moved = {result.label: result._item.feature.positions for result in self._explanation.values()}
        if self.measure == "permutation":
            base, scores = yield from importances.permutation(scored, moved, N_REPEATS, _unreported)
            drops = base - scores.mean(axis=1)
        else:
            base, scores = yield from importances.leave_out(scored, moved, _unreported)
            drops = base - scores
        self.notes = yield from dependences(self._explanation)
        return np.asarray(drops)


_NAMES: Final = {"permutation": "Permutation importance", "loco": "LOCO"}
_OTHER: Final = "Choose another measure."
_OPENED: Final = f"This measure needs the model; the explanation was opened from a file, which holds none. {_OTHER}"


def _unreported(_made: int, _of_step: int, _label: str) -> None:
    """Report to nobody."""


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


def scored_of(explanation: Explanation, y: object, scoring: Any = None, most: int | None = None) -> Scored:
    """Return the model with its score on all rows, or at most so many drawn at random.

    The score is that of the explained output where the model is no estimator of one.
    """
    from sklearn.base import is_classifier, is_regressor
    from sklearn.metrics import check_scoring, get_scorer_names

    context = explanation._context
    predictor, target = context.predictor, explanation._target(y)
    rows = np.flatnonzero(~np.isnan(target) & (context.row_weights > 0))
    if most is not None and len(rows) > most:
        rows = np.sort(feature_seed(context.settings.random_state, "scored rows").choice(rows, most, replace=False))
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
